/*
 * driver_link.c - cuLink*: links several PTX texts when the result is loaded. The result of cuLinkComplete() is no
 * cubin, but cuModuleLoadData() and cuLibraryLoadData() know it.
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/container/linked.h"

/* Behind a CUlinkState. */
struct CUlinkState_st {
    struct linked_text *texts; /* [count], each its own copy */
    size_t count;
    void *image;            /* what cuLinkComplete() gave, or NULL */
};

static struct CUlinkState_st *state_of(struct runtime *runtime, CUlinkState state)
{
    return handle_is(runtime, state, HANDLE_LINK) ? state : NULL;
}

CUresult cuLinkCreate(unsigned count, CUjit_option *options, void **values, CUlinkState *state)
{
    struct driver_call call;

    (void)count, (void)options, (void)values;
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!state)
        return CUDA_ERROR_INVALID_VALUE;
    runtime_lock(call.runtime);
    *state = handle_create(call.runtime, sizeof **state, HANDLE_LINK);
    runtime_unlock(call.runtime);
    return *state ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult add_text(struct CUlinkState_st *state, const char *text, size_t size)
{
    struct linked_text *texts = realloc(state->texts, (state->count + 1) * sizeof *texts);
    char *copy = malloc(size + 1);

    if (texts)
        state->texts = texts;
    if (!texts || !copy) {
        free(copy);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(copy, text, size);
    copy[size] = '\0';
    texts[state->count++] = (struct linked_text){ copy, size };
    return CUDA_SUCCESS;
}

/* The PTX of a container for the highest architecture that the device has. */
static CUresult add_container(struct CUlinkState_st *state, const void *data, size_t size)
{
    const struct fatbin_entry *best;
    struct fatbin fatbin;
    char message[256];
    CUresult result;

    if (!fatbin_open(&fatbin, data, size, message, sizeof message)) {
        runtime_complain("cuLinkAddData: %s", message);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    best = fatbin_best(&fatbin, FATBIN_PTX, DEVICE_ARCH);
    result = best ? add_text(state, best->data, best->size) : CUDA_ERROR_NO_BINARY_FOR_GPU;
    fatbin_release(&fatbin);
    return result;
}

/* The PTX of all containers in an object or an archive. The simulator has the device's runtime itself. */
static CUresult add_containers(struct CUlinkState_st *state, const void *data, size_t size, const char *name)
{
    size_t at = 0, bytes, before = state->count;
    CUresult result = CUDA_SUCCESS;
    void *container;

    if (name && strstr(name, "cudadevrt"))
        return CUDA_SUCCESS;
    while (result == CUDA_SUCCESS && (container = fatbin_search(data, size, &at, &bytes)) != NULL) {
        result = add_container(state, container, bytes);
        if (result != CUDA_ERROR_OUT_OF_MEMORY)
            result = CUDA_SUCCESS; /* others may have PTX */
        free(container);
    }
    return result == CUDA_SUCCESS && state->count == before ? CUDA_ERROR_NO_BINARY_FOR_GPU : result;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                       unsigned count, CUjit_option *options, void **values)
{
    struct driver_call call;
    CUresult result;

    (void)count, (void)options, (void)values;
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!data || !size)
        return CUDA_ERROR_INVALID_VALUE;
    runtime_lock(call.runtime);
    if (!state_of(call.runtime, state) || state->image)
        result = CUDA_ERROR_INVALID_HANDLE;
    else if (type == CU_JIT_INPUT_PTX)
        result = add_text(state, data, strnlen(data, size));
    else if (type == CU_JIT_INPUT_FATBINARY)
        result = add_container(state, data, size);
    else if (type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY)
        result = add_containers(state, data, size, name);
    else
        result = CUDA_ERROR_NOT_SUPPORTED;
    runtime_unlock(call.runtime);
    return result == CUDA_ERROR_NOT_SUPPORTED ? driver_unsupported("cuLinkAddData of machine code alone")
                                              : result;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned count, CUjit_option *options,
                       void **values)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    char *data = NULL;
    long size = 0;
    CUresult result = CUDA_ERROR_FILE_NOT_FOUND;

    if (file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0)
        data = malloc((size_t)size);
    if (data && fread(data, 1, (size_t)size, file) == (size_t)size)
        result = cuLinkAddData(state, type, data, (size_t)size, path, count, options, values);
    free(data);
    if (file)
        fclose(file);
    return result;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size)
{
    struct driver_call call;
    CUresult result = CUDA_SUCCESS;
    size_t bytes = 0;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!image)
        return CUDA_ERROR_INVALID_VALUE;
    runtime_lock(call.runtime);
    if (!state_of(call.runtime, state) || !state->count || state->image)
        result = CUDA_ERROR_INVALID_HANDLE;
    else
        result = linked_make(state->texts, state->count, &state->image, &bytes) ? CUDA_SUCCESS
                                                                                : CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS) {
        *image = state->image;
        if (size)
            *size = bytes;
    }
    runtime_unlock(call.runtime);
    return result;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    struct driver_call call;
    CUresult result = CUDA_ERROR_INVALID_HANDLE;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    runtime_lock(call.runtime);
    if (state_of(call.runtime, state)) {
        for (size_t i = 0; i < state->count; i++)
            free((void *)(uintptr_t)state->texts[i].text);
        free(state->texts);
        free(state->image);
        handle_destroy(call.runtime, state);
        result = CUDA_SUCCESS;
    }
    runtime_unlock(call.runtime);
    return result;
}
