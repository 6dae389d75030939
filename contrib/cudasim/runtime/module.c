/*
 * module.c - what programs registered is loaded, and found again: binaries, kernels, variables.
 *
 * Modules load at first use, as they do since CUDA 12: a program runs although some other of its .cu files needs what
 * is not supported. Of a fat binary the PTX with the highest architecture that the virtual device has is taken; its
 * machine code is only asked for registers and stack.
 */
#include "runtime.h"

#include <stdlib.h>

enum { DEVICE_ARCH = 90 };

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

cudaError_t module_load(struct runtime *runtime, struct binary *binary)
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
    error = module_load(runtime, entry->binary);
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
    error = module_load(runtime, variable->binary);
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
