/*
 * main_devices.c - what OpenCL finds on this machine, a device after the other: opencl_devices
 *
 * Called by run_scripts/devices.sh. The host does not ask: it loads no OpenCL library, whose drivers would then share
 * its process. Exit codes: 0, 1 there is no device, 3 OpenCL failed.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

enum { PLATFORMS = 16, DEVICES = 64 };

static void print_text(cl_device_id device, cl_device_info key, const char *name)
{
    char text[512] = "";

    if (clGetDeviceInfo(device, key, sizeof text - 1, text, NULL) == CL_SUCCESS)
        printf("  %-24s %s\n", name, text);
}

/* A figure of 4 or 8 bytes, of which `shift` bits are cut off for its unit: the higher ones stay 0. */
static void print_figure(cl_device_id device, cl_device_info key, const char *name, int shift, const char *unit)
{
    cl_ulong number = 0;

    if (clGetDeviceInfo(device, key, sizeof number, &number, NULL) == CL_SUCCESS)
        printf("  %-24s %llu%s\n", name, (unsigned long long)(number >> shift), unit);
}

static void print_sizes(cl_device_id device)
{
    size_t group = 0, items[3] = { 0 };

    if (clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL) == CL_SUCCESS)
        printf("  %-24s %zu\n", "work-items a group", group);
    if (clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, NULL) == CL_SUCCESS)
        printf("  %-24s %zu x %zu x %zu\n", "along each side", items[0], items[1], items[2]);
}

static void print_device(cl_platform_id platform, cl_device_id device)
{
    char name[512] = "", of[512] = "";

    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof of - 1, of, NULL);
    printf("opencl\t%s\t%s\n", name, of);
    print_text(device, CL_DEVICE_VERSION, "version");
    print_text(device, CL_DRIVER_VERSION, "driver");
    print_figure(device, CL_DEVICE_MAX_COMPUTE_UNITS, "compute units", 0, "");
    print_figure(device, CL_DEVICE_MAX_CLOCK_FREQUENCY, "highest clock", 0, " MHz");
    print_figure(device, CL_DEVICE_GLOBAL_MEM_SIZE, "global memory", 20, " MiB");
    print_figure(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, "its cache", 10, " KiB");
    print_figure(device, CL_DEVICE_LOCAL_MEM_SIZE, "local memory of a group", 10, " KiB");
    print_sizes(device);
}

int main(void)
{
    cl_platform_id platforms[PLATFORMS];
    cl_uint platform_count = 0, found = 0;

    if (clGetPlatformIDs(PLATFORMS, platforms, &platform_count) != CL_SUCCESS)
        platform_count = 0; /* the loader's way to say that there is none */
    for (cl_uint p = 0; p < platform_count && p < PLATFORMS; p++) {
        cl_device_id devices[DEVICES];
        cl_uint count = 0;

        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, DEVICES, devices, &count) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < count && d < DEVICES; d++, found++)
            print_device(platforms[p], devices[d]);
    }
    if (found == 0)
        fputs("no OpenCL device\n", stderr);
    return fflush(stdout) != 0 ? 3 : found == 0;
}
