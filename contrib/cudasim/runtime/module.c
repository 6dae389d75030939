/*
 * module.c - loads the binaries that programs registered, and finds their kernels and variables.
 *
 * Modules load at first use, as in CUDA since version 12. So a program can run even if another of its .cu files needs
 * an unsupported feature. Of a fat binary it takes the PTX with the highest architecture that the virtual device has.
 * From the machine code it reads only registers and stack.
 */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/container/linked.h"
#include "shield.h"

/* Times 10: version 9.0 came with CUDA 13.0, 9.1 with 13.1. */
enum { PTX_NEWEST = (CUDART_VERSION / 1000 - 4) * 10 + CUDART_VERSION % 1000 / 10 };

static cudaError_t broken(struct binary *binary, cudaError_t error)
{
    binary->state = BINARY_BROKEN;
    binary->error = error;
    return error;
}

static cudaError_t no_ptx(struct binary *binary, const struct fatbin *fatbin)
{
    const struct fatbin_entry *elf = fatbin_best(fatbin, FATBIN_ELF, DEVICE_ARCH);
    const char *advice = elf && elf->specific ? "build with -gencode arch=compute_90a,code=compute_90a"
                                              : "build with -gencode arch=compute_90,code=compute_90";
    unsigned lowest = 0;

    for (size_t i = 0; i < fatbin->count; i++)
        if (fatbin->entries[i].kind == FATBIN_PTX && (lowest == 0 || fatbin->entries[i].arch < lowest))
            lowest = fatbin->entries[i].arch;
    if (lowest)
        runtime_complain("%s: its PTX is for compute_%u and up, the virtual device is sm_%u: %s", binary->name, lowest,
                         (unsigned)DEVICE_ARCH, advice);
    else
        runtime_complain("%s: there is machine code only, and no PTX: %s", binary->name, advice);
    return cudaErrorNoKernelImageForDevice;
}

/* The parts of a module: the opened containers, and the PTX in them. */
struct sources {
    struct fatbin *fatbins; /* [count] */
    struct sim_text *texts; /* [text_count] at most one a container */
    size_t count, text_count;
    unsigned arch;          /* the highest of the texts */
};

static void sources_release(struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        fatbin_release(&sources->fatbins[i]);
    free(sources->fatbins);
    free(sources->texts);
}

/* Opens one container of `limit` bytes at most, and takes its PTX. Some linked containers have no PTX. */
static cudaError_t take_container(struct binary *binary, struct sources *sources, const void *data, size_t limit)
{
    struct fatbin *fatbin = &sources->fatbins[sources->count];
    struct fatbin_entry *ptx, *elf;
    char message[256];

    if (!fatbin_list(fatbin, data, limit, message, sizeof message))
        goto broken;
    sources->count++;
    ptx = fatbin_best(fatbin, FATBIN_PTX, DEVICE_ARCH);
    /* Of linked ones the first: its machine code is that of all. */
    elf = binary->cubin ? NULL : fatbin_best(fatbin, FATBIN_ELF, DEVICE_ARCH);
    if ((ptx && !fatbin_unpack(fatbin, ptx, message, sizeof message)) ||
        (elf && !fatbin_unpack(fatbin, elf, message, sizeof message)))
        goto broken;
    if (elf)
        binary->cubin_count = cubin_kernels(elf->data, elf->size, &binary->cubin);
    if (!ptx) /* so has what the device linker made, and the toolkit's own object, which is for newer devices */
        return binary->parts ? cudaSuccess : no_ptx(binary, fatbin);
    sources->texts[sources->text_count++] = (struct sim_text){ ptx->data, ptx->size };
    sources->arch = ptx->arch > sources->arch ? ptx->arch : sources->arch;
    return cudaSuccess;
broken:
    runtime_complain("%s: %s", binary->name, message);
    return cudaErrorInvalidKernelImage;
}

static cudaError_t collect_linked(const struct binary *binary, struct sources *sources)
{
    struct linked_text *texts;
    size_t count = linked_texts(binary->image, &texts);

    sources->arch = DEVICE_ARCH;
    sources->texts = calloc(count + 1, sizeof *sources->texts);
    for (size_t i = 0; sources->texts && i < count; i++)
        sources->texts[sources->text_count++] = (struct sim_text){ texts[i].text, texts[i].size };
    free(texts);
    return sources->texts ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Whether the first lines of PTX say that this device cannot have it, as the driver does. */
static cudaError_t check_header(const struct binary *binary)
{
    unsigned major = 0, minor = 0, arch = 0;
    const char *version = strstr(binary->image, ".version");
    const char *target = strstr(binary->image, ".target");

    if (version && sscanf(version, ".version %u.%u", &major, &minor) == 2 &&
        major * 10 + minor > PTX_NEWEST)
        return cudaErrorUnsupportedPtxVersion;
    if (target && sscanf(target, ".target sm_%u", &arch) == 1 && arch > DEVICE_ARCH)
        return cudaErrorInvalidPtx;
    return cudaSuccess;
}

/* PTX itself, a container, or what the device linker left: its machine code, then each object's own container. */
static cudaError_t collect(struct binary *binary, struct sources *sources)
{
    cudaError_t error = cudaSuccess;
    size_t count = 1;

    if (binary->kind == IMAGE_LINKED)
        return collect_linked(binary, sources);
    for (const void *const *part = binary->parts; part && *part; part++)
        count++;
    sources->fatbins = calloc(count, sizeof *sources->fatbins);
    sources->texts = calloc(count, sizeof *sources->texts);
    if (!sources->fatbins || !sources->texts)
        return cudaErrorMemoryAllocation;
    if (binary->kind == IMAGE_TEXT && (error = check_header(binary)) != cudaSuccess)
        return error;
    if (binary->kind == IMAGE_TEXT) {
        sources->texts[sources->text_count++] = (struct sim_text){ binary->image, binary->image_size };
        sources->arch = DEVICE_ARCH;
        return cudaSuccess;
    }
    error = take_container(binary, sources, binary->image, binary->image_size);
    for (const void *const *part = binary->parts; part && *part && error == cudaSuccess; part++)
        error = take_container(binary, sources, *part, SIZE_MAX);
    if (error == cudaSuccess && sources->text_count == 0)
        error = no_ptx(binary, &sources->fatbins[sources->count > 1]);
    return error;
}

static cudaError_t load_container(struct runtime *runtime, struct binary *binary)
{
    struct sources sources = {0};
    struct ptx_error wrong = { 0 };
    cudaError_t error = collect(binary, &sources);

    if (error == cudaSuccess) {
        binary->module = sim_link(runtime->sim, sources.texts, sources.text_count, binary->cubin, binary->cubin_count,
                                  &wrong);
        binary->ptx_arch = sources.arch;
        if (!binary->module) {
            runtime_complain("%s: PTX line %u: %s", binary->name, wrong.line, wrong.message);
            snprintf(runtime->load_log, sizeof runtime->load_log, "ptxas application ptx input, line %u; error   : %s\n"
                     "ptxas fatal   : Ptx assembly aborted due to errors", wrong.line, wrong.message);
            error = cudaErrorInvalidPtx;
        }
    }
    sources_release(&sources);
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
    shield_lower(runtime); /* its variables get their values */
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

void module_release(struct runtime *runtime, struct binary *binary)
{
    struct entry *entry;
    struct variable *variable;

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
    free(binary->owned);
    free(binary);
}

void module_release_all(struct runtime *runtime)
{
    struct binary *binary;

    while ((binary = runtime->binaries) != NULL) {
        runtime->binaries = binary->next;
        module_release(runtime, binary);
    }
}

/* ------------------------------------------------------------------ finding */

cudaError_t module_entry(struct runtime *runtime, const void *function, struct entry **found)
{
    struct entry *entry = map_get(&runtime->functions, function);
    cudaError_t error;

    if (!function)
        return cudaErrorInvalidDeviceFunction;
    /* Any address that is no stub counts as a handle. The real runtime reaches this error code in the same way. */
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
