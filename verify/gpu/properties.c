/*
 * properties.c - NVML's figures of one GPU, each by a function that the library may lack.
 */
#include "properties.h"

#include <dlfcn.h>
#include <string.h>

enum { SUCCESS = 0, CLOCK_SM = 1, CLOCK_MEMORY = 2 }; /* nvmlReturn_t, nvmlClockType_t */

/* nvmlMemory_t, bytes. */
struct memory {
    unsigned long long total, free, used;
};

/* A function of the library into *function: ISO C has no cast from object to function pointer. */
static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* A figure that a function of NVML gives of a GPU as one number; 0 where it gives none. */
static unsigned figure(void *library, void *device, const char *name)
{
    int (*get)(void *device, unsigned *number);
    unsigned number = 0;

    return find(library, name, &get) && get(device, &number) == SUCCESS ? number : 0;
}

static unsigned highest_clock(void *library, void *device, int type)
{
    int (*get)(void *device, int type, unsigned *megahertz);
    unsigned megahertz = 0;

    return find(library, "nvmlDeviceGetMaxClockInfo", &get) && get(device, type, &megahertz) == SUCCESS ? megahertz : 0;
}

static void print(FILE *file, const char *name, unsigned number, const char *unit)
{
    if (number > 0)
        fprintf(file, "  %-24s %u%s%s\n", name, number, unit[0] ? " " : "", unit);
}

void gpu_print_properties(FILE *file, const struct gpu *gpu)
{
    int (*capability)(void *device, int *major, int *minor), (*memory)(void *device, struct memory *memory);
    struct memory bytes = { 0 };
    void *library, *device;
    int major, minor;
    const char *why;

    if (!gpu_nvml(gpu, &library, &device, &why))
        return;
    if (find(library, "nvmlDeviceGetCudaComputeCapability", &capability) &&
        capability(device, &major, &minor) == SUCCESS)
        fprintf(file, "  %-24s %d.%d\n", "compute capability", major, minor);
    print(file, "CUDA cores", figure(library, device, "nvmlDeviceGetNumGpuCores"), "");
    print(file, "highest SM clock", highest_clock(library, device, CLOCK_SM), "MHz");
    print(file, "highest memory clock", highest_clock(library, device, CLOCK_MEMORY), "MHz");
    if (find(library, "nvmlDeviceGetMemoryInfo", &memory) && memory(device, &bytes) == SUCCESS)
        fprintf(file, "  %-24s %llu MiB, %llu MiB free\n", "memory", bytes.total >> 20, bytes.free >> 20);
    print(file, "memory bus", figure(library, device, "nvmlDeviceGetMemoryBusWidth"), "bits");
    print(file, "PCI Express generation", figure(library, device, "nvmlDeviceGetMaxPcieLinkGeneration"), "");
    print(file, "PCI Express lanes", figure(library, device, "nvmlDeviceGetMaxPcieLinkWidth"), "");
    print(file, "power limit", figure(library, device, "nvmlDeviceGetEnforcedPowerLimit") / 1000, "W");
}
