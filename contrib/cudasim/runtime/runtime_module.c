/*
 * runtime_module.c - the calls that register fat binaries, kernels and variables before main, and the calls that ask
 * for them. After a binary is unregistered, calls do not find it any more. But its module stays to the end, because
 * faults and the report name its lines.
 */
#include "runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ registration, called by what nvcc generates */

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *thread, uint3 *block, dim3 *block_size, dim3 *grid_size, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external, size_t size,
                              int constant, int global);
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
void __cudaRegisterUnifiedTable(void **handle, void *table);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);

static void name_binary(struct binary *binary, const void *address)
{
    const char *path = "a module", *slash;
    Dl_info info;

    if (dladdr(address, &info) && info.dli_fname && *info.dli_fname)
        path = info.dli_fname;
    slash = strrchr(path, '/');
    snprintf(binary->name, sizeof binary->name, "%s", slash ? slash + 1 : path);
}

void **__cudaRegisterFatBinary(void *fat)
{
    const struct fatbin_wrapper *wrapper = fat;
    struct runtime *runtime = runtime_get();
    struct binary *binary = runtime ? calloc(1, sizeof *binary) : NULL;

    if (!binary)
        return NULL;
    name_binary(binary, wrapper->data); /* the wrapper may be a copy */
    if (wrapper->magic != WRAPPER_MAGIC) {
        runtime_complain("%s: a fat binary of an unknown form", binary->name);
        binary->state = BINARY_BROKEN;
        binary->error = cudaErrorInvalidKernelImage;
    } else {
        binary->image = wrapper->data;
        binary->image_size = SIZE_MAX;
        binary->parts = wrapper->version == WRAPPER_LINKED ? wrapper->more : NULL;
    }
    runtime_lock(runtime);
    binary->next = runtime->binaries;
    runtime->binaries = binary;
    runtime_unlock(runtime);
    return (void **)binary;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

static void forget(struct pointer_map *map, const void *key, const void *value)
{
    if (map_get(map, key) == value)
        map_remove(map, key);
}

void __cudaUnregisterFatBinary(void **handle)
{
    struct binary *binary = (struct binary *)handle;
    struct runtime *runtime = runtime_get();

    if (!runtime || !binary)
        return;
    runtime_lock(runtime);
    binary->gone = true;
    for (struct entry *entry = binary->entries; entry; entry = entry->next) {
        if (entry->kernel && runtime->pending) /* it may be launched, and runs at the end: runtime_end.c */
            continue;
        forget(&runtime->functions, entry->host, entry);
        forget(&runtime->functions, entry, entry);
    }
    for (struct variable *variable = binary->variables; variable; variable = variable->next) {
        forget(&runtime->variables, variable->host, variable);
        if (variable->managed)
            forget(&runtime->variables, *variable->managed, variable);
    }
    runtime_unlock(runtime);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *thread, uint3 *block, dim3 *block_size, dim3 *grid_size, int *warp_size)
{
    struct binary *binary = (struct binary *)handle;
    struct runtime *runtime = runtime_get();
    struct entry *entry = runtime && binary ? calloc(1, sizeof *entry) : NULL;

    (void)device, (void)thread_limit, (void)thread, (void)block, (void)block_size, (void)grid_size, (void)warp_size;
    if (!entry)
        return;
    *entry = (struct entry){ .binary = binary, .host = host, .name = strdup(name), .carveout = -1 };
    runtime_lock(runtime);
    if (!entry->name || !map_put(&runtime->functions, host, entry) || !map_put(&runtime->functions, entry, entry)) {
        free(entry->name);
        free(entry);
    } else {
        entry->next = binary->entries;
        binary->entries = entry;
    }
    runtime_unlock(runtime);
}

static void add_variable(void **handle, const void *host, void **managed, const char *name)
{
    struct binary *binary = (struct binary *)handle;
    struct runtime *runtime = runtime_get();
    struct variable *variable = runtime && binary ? calloc(1, sizeof *variable) : NULL;

    if (!variable)
        return;
    *variable = (struct variable){ .binary = binary, .host = host, .name = strdup(name), .managed = managed };
    runtime->host_memory |= managed != NULL;
    runtime_lock(runtime);
    if (!variable->name || !map_put(&runtime->variables, host, variable)) {
        free(variable->name);
        free(variable);
    } else {
        variable->next = binary->variables;
        binary->variables = variable;
    }
    runtime_unlock(runtime);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                       int constant, int global)
{
    (void)device, (void)external, (void)size, (void)constant, (void)global;
    add_variable(handle, host, NULL, name);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external, size_t size,
                              int constant, int global)
{
    (void)device, (void)external, (void)size, (void)constant, (void)global;
    add_variable(handle, host, host, name);
}

/* Host variables that kernels name: only for systems where devices see all of the host's memory. */
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
    (void)handle, (void)host, (void)size;
    runtime_complain("the host variable %s cannot be used by kernels", name);
}

/* Unified function pointers, which the device does not offer (cudaDevAttrUnifiedFunctionPointers is 0). */
void __cudaRegisterUnifiedTable(void **handle, void *table)
{
    (void)handle, (void)table;
}

/* Called before the host first touches a __managed__ variable. */
char __cudaInitModule(void **handle)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = module_load(call.runtime, (struct binary *)handle);
    return call_end(&call) == cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    return cudaGetKernel(kernel, function);
}

/* Nothing loads here: that the kernel's module is broken is for its launch to say. */
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    struct call call;

    if (call_begin(&call, CALL_ANY)) {
        struct entry *entry = map_get(&call.runtime->functions, function);

        if (kernel)
            *kernel = (cudaKernel_t)entry;
        if (!kernel)
            call.error = cudaErrorInvalidValue;
        else if (!entry)
            call.error = cudaErrorInvalidDeviceFunction;
    }
    return call_end(&call);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct entry *entry = map_get(&call.runtime->functions, symbol);

        if (!function)
            call.error = cudaErrorInvalidValue;
        else if (!entry)
            call.error = cudaErrorInvalidDeviceFunction;
        else
            call.error = module_entry(call.runtime, symbol, &entry);
        if (call.error == cudaSuccess)
            *function = (cudaFunction_t)entry;
    }
    return call_end(&call);
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol)
{
    struct call call;
    uint64_t address = 0, size;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = pointer ? module_symbol(call.runtime, symbol, &address, &size) : cudaErrorInvalidValue;
        if (call.error == cudaSuccess)
            *pointer = (void *)(uintptr_t)address;
    }
    return call_end(&call);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    struct call call;
    uint64_t address, size = 0;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = bytes ? module_symbol(call.runtime, symbol, &address, &size) : cudaErrorInvalidValue;
        if (call.error == cudaSuccess)
            *bytes = size;
    }
    return call_end(&call);
}
