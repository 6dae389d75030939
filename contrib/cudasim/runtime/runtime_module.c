/*
 * runtime_module.c - what programs register before main: fat binaries, kernels, variables; and their loading.
 *
 * Modules load at first use, as they do since CUDA 12: a program runs although some other of its .cu files needs what
 * is not supported. Of a fat binary the PTX with the highest architecture that the virtual device has is taken; its
 * machine code is only asked for registers and stack. Once unregistered, a binary is no longer found, but its module
 * stays to the end: faults and the report name its lines.
 */
#include "runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WRAPPER_MAGIC = 0x466243b1,
    WRAPPER_LINKED = 2, /* version of the wrapper that the device linker (-rdc=true) makes */
    DEVICE_ARCH = 90,
};

/* What nvcc passes to __cudaRegisterFatBinary(). */
struct fatbin_wrapper {
    int magic, version;
    const void *data;
    const void *more; /* WRAPPER_LINKED: the objects' own containers */
};

/* ------------------------------------------------------------------ loading */

static cudaError_t broken(struct binary *binary, cudaError_t error)
{
    binary->state = BINARY_BROKEN;
    binary->error = error;
    return error;
}

/* The entry of the kind with the highest architecture not above the device's, or NULL. */
static const struct fatbin_entry *best_entry(const struct fatbin *fatbin, enum fatbin_kind kind)
{
    const struct fatbin_entry *best = NULL;

    for (size_t i = 0; i < fatbin->count; i++) {
        const struct fatbin_entry *entry = &fatbin->entries[i];

        if (entry->kind == kind && entry->arch <= DEVICE_ARCH && (!best || entry->arch > best->arch))
            best = entry;
    }
    return best;
}

static cudaError_t no_ptx(struct binary *binary, const struct fatbin *fatbin)
{
    unsigned lowest = 0;

    for (size_t i = 0; i < fatbin->count; i++)
        if (fatbin->entries[i].kind == FATBIN_PTX && (lowest == 0 || fatbin->entries[i].arch < lowest))
            lowest = fatbin->entries[i].arch;
    if (lowest)
        runtime_complain("%s: its PTX is for compute_%u and up, the virtual device is sm_%u: "
                         "build with -gencode arch=compute_90,code=compute_90",
                         binary->name, lowest, (unsigned)DEVICE_ARCH);
    else
        runtime_complain("%s: there is machine code only, and no PTX: "
                         "build with -gencode arch=compute_90,code=compute_90",
                         binary->name);
    return cudaErrorNoKernelImageForDevice;
}

static cudaError_t load_entries(struct runtime *runtime, struct binary *binary, const struct fatbin *fatbin)
{
    const struct fatbin_entry *ptx = best_entry(fatbin, FATBIN_PTX), *elf = best_entry(fatbin, FATBIN_ELF);
    struct ptx_error error = { 0 };

    if (!ptx)
        return no_ptx(binary, fatbin);
    if (elf)
        binary->cubin_count = cubin_kernels(elf->data, elf->size, &binary->cubin);
    binary->module = sim_load(runtime->sim, ptx->data, ptx->size, binary->cubin, binary->cubin_count, &error);
    if (!binary->module) {
        runtime_complain("%s: PTX line %u: %s", binary->name, error.line, error.message);
        return cudaErrorInvalidPtx;
    }
    binary->ptx_arch = ptx->arch;
    return cudaSuccess;
}

static cudaError_t load_container(struct runtime *runtime, struct binary *binary)
{
    const struct fatbin_wrapper *wrapper = binary->wrapper;
    struct fatbin fatbin = { 0 };
    cudaError_t error;
    char message[256];

    if (wrapper->version == WRAPPER_LINKED) {
        runtime_complain("%s: relocatable device code is not supported; build without -rdc=true or -dc", binary->name);
        return cudaErrorInvalidKernelImage;
    }
    if (!fatbin_open(&fatbin, wrapper->data, SIZE_MAX, message, sizeof message)) {
        runtime_complain("%s: %s", binary->name, message);
        return cudaErrorInvalidKernelImage;
    }
    error = load_entries(runtime, binary, &fatbin);
    fatbin_release(&fatbin);
    return error;
}

/* Tells the program where its __managed__ variables lie. */
static void place_managed(struct runtime *runtime, struct binary *binary)
{
    for (struct variable *variable = binary->variables; variable; variable = variable->next) {
        uint64_t address, size;

        if (variable->managed && sim_variable(binary->module, variable->name, &address, &size)) {
            *variable->managed = (void *)(uintptr_t)address;
            map_put(&runtime->variables, *variable->managed, variable);
        }
    }
}

static cudaError_t load(struct runtime *runtime, struct binary *binary)
{
    cudaError_t error;

    if (binary->state == BINARY_LOADED)
        return cudaSuccess;
    if (binary->state == BINARY_BROKEN)
        return binary->error;
    error = load_container(runtime, binary);
    if (error != cudaSuccess)
        return broken(binary, error);
    binary->state = BINARY_LOADED;
    place_managed(runtime, binary);
    return cudaSuccess;
}

static void unload(struct runtime *runtime, struct binary *binary)
{
    for (struct entry *entry = binary->entries; entry; entry = entry->next)
        entry->kernel = NULL;
    if (binary->module)
        sim_unload(runtime->sim, binary->module);
    if (binary->cubin)
        cubin_free(binary->cubin, binary->cubin_count);
    binary->module = NULL;
    binary->cubin = NULL;
    binary->cubin_count = 0;
    if (binary->state == BINARY_LOADED)
        binary->state = BINARY_REGISTERED;
}

void module_unload_all(struct runtime *runtime)
{
    for (struct binary *binary = runtime->binaries; binary; binary = binary->next)
        if (!binary->gone)
            unload(runtime, binary);
}

void module_release_all(struct runtime *runtime)
{
    struct binary *binary;

    while ((binary = runtime->binaries) != NULL) {
        struct entry *entry;
        struct variable *variable;

        runtime->binaries = binary->next;
        if (runtime->sim)
            unload(runtime, binary);
        while ((entry = binary->entries) != NULL) {
            binary->entries = entry->next;
            free(entry->name);
            free(entry);
        }
        while ((variable = binary->variables) != NULL) {
            binary->variables = variable->next;
            free(variable->name);
            free(variable);
        }
        free(binary);
    }
}

/* ------------------------------------------------------------------ finding */

cudaError_t module_entry(struct runtime *runtime, const void *function, struct entry **found)
{
    struct entry *entry = map_get(&runtime->functions, function);
    cudaError_t error;

    if (!function)
        return cudaErrorInvalidDeviceFunction;
    /* What is no stub is taken for a handle: that is how the real one comes to this code. */
    if (!entry)
        return cudaErrorInvalidResourceHandle;
    *found = entry;
    if (entry->kernel)
        return cudaSuccess;
    error = load(runtime, entry->binary);
    if (error != cudaSuccess)
        return error;
    entry->kernel = sim_kernel(entry->binary->module, entry->name);
    if (entry->kernel)
        return cudaSuccess;
    runtime_complain("%s: its PTX has no kernel %s", entry->binary->name, entry->name);
    return cudaErrorSymbolNotFound;
}

cudaError_t module_symbol(struct runtime *runtime, const void *symbol, uint64_t *address, uint64_t *size)
{
    struct variable *variable = map_get(&runtime->variables, symbol);
    cudaError_t error;

    if (!variable)
        return cudaErrorInvalidSymbol;
    error = load(runtime, variable->binary);
    if (error != cudaSuccess)
        return error;
    if (sim_variable(variable->binary->module, variable->name, address, size))
        return cudaSuccess;
    runtime_complain("%s: its PTX has no variable %s", variable->binary->name, variable->name);
    return cudaErrorInvalidSymbol;
}

bool module_is_managed(struct runtime *runtime, uint64_t base)
{
    const struct variable *variable = map_get(&runtime->variables, (const void *)(uintptr_t)base);

    return variable && variable->managed;
}

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
    binary->wrapper = wrapper;
    name_binary(binary, wrapper);
    if (wrapper->magic != WRAPPER_MAGIC) {
        runtime_complain("%s: a fat binary of an unknown form", binary->name);
        broken(binary, cudaErrorInvalidKernelImage);
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
        call.error = load(call.runtime, (struct binary *)handle);
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
