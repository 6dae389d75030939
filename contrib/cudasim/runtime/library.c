/*
 * library.c - modules that a program loads from memory: PTX, fat binaries, and results of cuLinkComplete(). The calls
 * cudaLibrary*, cuLibrary*, cuModule* and cuLink* use it.
 *
 * An image is copied, so the program may free its own. It is loaded at once, so the call itself returns its errors. A
 * kernel gets its record when a call asks for the kernel.
 */
#include "runtime.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/container/linked.h"

#define CONTAINER_MAGIC UINT32_C(0xBA55ED50)

static uint32_t first_word(const void *image)
{
    uint32_t word;

    memcpy(&word, image, sizeof word);
    return word;
}

/* ------------------------------------------------------------------ loading */

/* The kind of the image, and its size in bytes. IMAGE_NONE: the kind is unknown, or the simulator cannot run it. */
static enum image_kind kind_of(const void *image, size_t *size)
{
    const char *text = image;

    if (first_word(image) == CONTAINER_MAGIC) {
        *size = fatbin_size(image, SIZE_MAX);
        return *size ? IMAGE_CONTAINER : IMAGE_NONE;
    }
    *size = linked_size(image);
    if (*size)
        return IMAGE_LINKED;
    if (!memcmp(text, ELFMAG, SELFMAG)) {
        runtime_complain("a module is machine code only (a cubin), and no PTX: load PTX, or a fat binary with PTX");
        return IMAGE_NONE;
    }
    if (!text[0] || !strstr(text, ".version"))
        return IMAGE_NONE;
    *size = strlen(text);
    return IMAGE_TEXT;
}

cudaError_t library_load(struct runtime *runtime, const void *image, struct binary **loaded)
{
    const struct fatbin_wrapper *wrapper = image;
    enum image_kind kind;
    struct binary *binary;
    cudaError_t error;
    void *copy = NULL;
    size_t size = 0;

    runtime->load_log[0] = '\0';
    if (first_word(image) == WRAPPER_MAGIC)
        image = wrapper->data;
    kind = kind_of(image, &size);
    if (kind == IMAGE_NONE)
        return memcmp(image, ELFMAG, SELFMAG) ? cudaErrorInvalidKernelImage : cudaErrorNoKernelImageForDevice;
    binary = calloc(1, sizeof *binary);
    copy = malloc(size + 1);
    if (!binary || !copy || !map_put(&runtime->handles, binary, (void *)(uintptr_t)HANDLE_MODULE)) {
        free(binary);
        free(copy);
        return cudaErrorMemoryAllocation;
    }
    memcpy(copy, image, size);
    *binary = (struct binary){ .image = copy, .image_size = size, .kind = kind, .owned = copy, .name = "a module",
                               .next = runtime->binaries };
    runtime->binaries = binary;
    error = module_load(runtime, binary);
    if (error == cudaSuccess)
        *loaded = binary;
    else
        library_unload(runtime, binary);
    return error;
}

void library_unload(struct runtime *runtime, struct binary *binary)
{
    struct binary **at = &runtime->binaries;

    while (*at != binary)
        at = &(*at)->next;
    *at = binary->next;
    map_remove(&runtime->handles, binary);
    for (struct entry *entry = binary->entries; entry; entry = entry->next)
        map_remove(&runtime->functions, entry);
    module_release(runtime, binary);
}

/* ------------------------------------------------------------------ finding */

cudaError_t library_kernel(struct runtime *runtime, struct binary *binary, const char *name, struct entry **found)
{
    cudaError_t error = module_load(runtime, binary);
    struct entry *entry = binary->entries;

    if (error != cudaSuccess)
        return error;
    while (entry && strcmp(entry->name, name) != 0)
        entry = entry->next;
    if (!entry) {
        if (!sim_kernel(binary->module, name))
            return cudaErrorSymbolNotFound;
        entry = calloc(1, sizeof *entry);
        if (!entry)
            return cudaErrorMemoryAllocation;
        *entry = (struct entry){ .binary = binary, .name = strdup(name), .carveout = -1 };
        if (!entry->name || !map_put(&runtime->functions, entry, entry)) {
            free(entry->name);
            free(entry);
            return cudaErrorMemoryAllocation;
        }
        entry->next = binary->entries;
        binary->entries = entry;
    }
    *found = entry;
    return module_entry(runtime, entry, found);
}

cudaError_t library_variable(struct runtime *runtime, struct binary *binary, const char *name, uint64_t *address,
                             uint64_t *size)
{
    cudaError_t error = module_load(runtime, binary);

    if (error == cudaSuccess && !sim_variable(binary->module, name, address, size)) /* a kernel is no variable */
        error = sim_kernel(binary->module, name) ? cudaErrorInvalidValue : cudaErrorSymbolNotFound;
    return error;
}
