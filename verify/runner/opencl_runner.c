/*
 * opencl_runner.c - stands before the OpenCL loader for two of its functions. Linked into the runner.
 *
 * The toolkit is built without OpenCL's headers: the few types and numbers that are needed stand here, as the OpenCL
 * 1.2 specification has them.
 */
#include "opencl_runner.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_TYPE_ALL UINT64_C(0xFFFFFFFF)

enum {
    PROGRAM_NUM_DEVICES = 0x1162,
    PROGRAM_DEVICES = 0x1163,
    PROGRAM_BUILD_LOG = 0x1183,
    BUILD_PROGRAM_FAILURE = -11,
    COMPILE_PROGRAM_FAILURE = -15,
    LOG_MOST = 16384 /* bytes shown */
};

typedef void notify(void *, void *);
typedef int32_t build(void *, uint32_t, void *const *, const char *, notify *, void *);
typedef int32_t compile(void *, uint32_t, void *const *, const char *, uint32_t, void *const *, const char **, notify *,
                        void *);
typedef int32_t program_info(void *, uint32_t, size_t, void *, size_t *);
typedef int32_t build_info(void *, void *, uint32_t, size_t, void *, size_t *);

build clBuildProgram;
compile clCompileProgram;

/* The loader, for the process's life. */
static void *loader;

/* A function of the loader into *function: ISO C has no cast from object to function pointer. */
static void find(const char *name, void *function)
{
    void *symbol = loader ? dlsym(loader, name) : NULL;

    if (!symbol) {
        fprintf(stderr, "runner: the OpenCL loader has no %s\n", name);
        exit(1);
    }
    memcpy(function, &symbol, sizeof symbol);
}

const char *opencl_initialise(const char *library)
{
    typedef int32_t platforms(uint32_t, void **, uint32_t *);
    typedef int32_t devices(void *, uint64_t, uint32_t, void **, uint32_t *);
    typedef void *context(const intptr_t *, uint32_t, void *const *, void *, void *, int32_t *);
    platforms *get_platforms;
    devices *get_devices;
    context *create_context;
    void *platform, *device;
    uint32_t count = 0;
    int32_t status;

    loader = dlopen(library, RTLD_NOW);
    if (!loader)
        return dlerror();
    find("clGetPlatformIDs", &get_platforms);
    find("clGetDeviceIDs", &get_devices);
    find("clCreateContext", &create_context);
    if (get_platforms(1, &platform, &count) != 0 || count == 0)
        return "there is no platform: install PoCL (pocl-opencl-icd), or the GPU's OpenCL";
    if (get_devices(platform, DEVICE_TYPE_ALL, 1, &device, &count) != 0 || count == 0)
        return "the platform has no device";
    /* Never released: drivers keep what they set up as long as there is a context. */
    if (!create_context(NULL, 1, &device, NULL, NULL, &status) || status != 0)
        return "its device gives no context";
    return NULL;
}

/* Prints the log of every device that has one. */
static void show_logs(void *program)
{
    program_info *get_program;
    build_info *get_build;
    void *devices[16];
    uint32_t count = 0;
    size_t size;

    find("clGetProgramInfo", &get_program);
    find("clGetProgramBuildInfo", &get_build);
    if (get_program(program, PROGRAM_NUM_DEVICES, sizeof count, &count, NULL) != 0 || count > 16 ||
        get_program(program, PROGRAM_DEVICES, count * sizeof devices[0], devices, NULL) != 0)
        return;
    for (uint32_t i = 0; i < count; i++) {
        char *log;

        if (get_build(program, devices[i], PROGRAM_BUILD_LOG, 0, NULL, &size) != 0 || size < 2 || !(log = malloc(size)))
            continue;
        if (get_build(program, devices[i], PROGRAM_BUILD_LOG, size, log, NULL) == 0)
            fprintf(stderr, "OpenCL: the kernels do not build; the compiler's log:\n%.*s\n",
                    size < LOG_MOST ? (int)size : LOG_MOST, log);
        free(log);
    }
}

int32_t clBuildProgram(void *program, uint32_t count, void *const *devices, const char *options, notify *told,
                       void *data)
{
    build *original;
    int32_t status;

    find("clBuildProgram", &original);
    status = original(program, count, devices, options, told, data);
    if (status == BUILD_PROGRAM_FAILURE)
        show_logs(program);
    return status;
}

int32_t clCompileProgram(void *program, uint32_t count, void *const *devices, const char *options, uint32_t headers,
                         void *const *header_programs, const char **header_names, notify *told, void *data)
{
    compile *original;
    int32_t status;

    find("clCompileProgram", &original);
    status = original(program, count, devices, options, headers, header_programs, header_names, told, data);
    if (status == COMPILE_PROGRAM_FAILURE)
        show_logs(program);
    return status;
}
