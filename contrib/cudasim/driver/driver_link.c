/*
 * driver_link.c - cuLink*: links several PTX texts when the result is loaded. The result of cuLinkComplete() is no
 * cubin, but cuModuleLoadData() and cuLibraryLoadData() know it.
 */
#include "driver.h"

#include "contrib/cudasim/runtime/jit_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/container/linked.h"
#include "contrib/cudasim/machine/builtin.h"
#include "contrib/cudasim/ptx/ptx.h"

/* Behind a CUlinkState. */
struct CUlinkState_st {
    struct linked_text *texts; /* [count], each its own copy */
    size_t count;
    bool archives;          /* some texts come from containers: what they call may be in members left out */
    void *image;            /* what cuLinkComplete() gave, or NULL */
    unsigned option_count;
    CUjit_option *options;  /* [option_count], a copy */
    void **values;          /* [option_count], the program's: it keeps them as long as the link */
};

static struct CUlinkState_st *state_of(struct runtime *runtime, CUlinkState state)
{
    return handle_is(runtime, state, HANDLE_LINK) ? state : NULL;
}

CUresult cuLinkCreate(unsigned count, CUjit_option *options, void **values, CUlinkState *state)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!state || (count && (!options || !values)))
        return CUDA_ERROR_INVALID_VALUE;
    runtime_lock(call.runtime);
    *state = handle_create(call.runtime, sizeof **state, HANDLE_LINK);
    if (*state && count && ((*state)->options = malloc(count * sizeof *options)) != NULL) {
        memcpy((*state)->options, options, count * sizeof *options);
        (*state)->option_count = count;
        (*state)->values = values;
    }
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

/* Adds a text of the program's own, which ptxas reads at once. */
static CUresult add_program_text(struct CUlinkState_st *state, const char *text, size_t size, const char *name)
{
    struct ptx_error wrong;
    struct ptx_module *module = ptx_parse(text, size, &wrong);
    char message[400];

    if (module) {
        ptx_free(module);
        return add_text(state, text, size);
    }
    snprintf(message, sizeof message, "ptxas %s, line %u; error: %s", name ? name : "application ptx input", wrong.line,
             wrong.message);
    jit_log_write(state->option_count, (const enum cudaJitOption *)state->options, state->values, message);
    return CUDA_ERROR_INVALID_PTX;
}

/* The name of a function that is called and that nothing defines, or NULL. */
static const char *unresolved(const struct ptx_module *module)
{
    for (size_t f = 0; f < module->function_count; f++) {
        const char *name = module->functions[f].name;

        if (module->functions[f].defined || builtin_find(name) != BUILTIN_NONE)
            continue;
        for (size_t by = 0; by < module->function_count; by++) {
            const struct ptx_function *caller = &module->functions[by];

            for (size_t n = 0; n < caller->statement_count; n++) {
                const struct ptx_statement *s = &caller->statements[n];

                for (size_t o = 0; s->kind == PTX_INSTRUCTION && o < s->count; o++)
                    if (s->operands[o].kind == PTX_OPERAND_NAME && !strcmp(s->operands[o].name, name))
                        return name;
            }
        }
    }
    return NULL;
}

/* Whether the link has all functions that are called; else it says so in the program's log. */
static CUresult check_link(const struct CUlinkState_st *state)
{
    struct ptx_module **parts = calloc(state->count, sizeof *parts), *whole = NULL;
    struct ptx_error wrong = { 0 };
    const char *name = NULL;
    char message[400];
    size_t count = 0;

    while (parts && count < state->count &&
           (parts[count] = ptx_parse(state->texts[count].text, state->texts[count].size, &wrong)) != NULL)
        count++;
    if (count == state->count)
        whole = ptx_link(parts, count, &wrong); /* which owns the parts */
    else
        while (count > 0)
            ptx_free(parts[--count]);
    free(parts);
    if (whole && !state->archives)
        name = unresolved(whole);
    if (name)
        snprintf(message, sizeof message, "error   : Undefined reference to '%.300s'", name);
    else
        snprintf(message, sizeof message, "%s%s", whole ? "" : "error   : ", whole ? "" : wrong.message);
    jit_log_write(state->option_count, (const enum cudaJitOption *)state->options, state->values, message);
    name = whole && !name ? message : NULL; /* its text was the module's */
    if (whole)
        ptx_free(whole);
    return name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_SOURCE;
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
    state->archives = true;
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
        result = add_program_text(state, data, strnlen(data, size), name);
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
    else if ((result = check_link(state)) == CUDA_SUCCESS)
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
        free(state->options);
        handle_destroy(call.runtime, state);
        result = CUDA_SUCCESS;
    }
    runtime_unlock(call.runtime);
    return result;
}
