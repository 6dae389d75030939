/*
 * runtime_library.c - cudaLibrary*: modules that a program loads itself. A cudaLibrary_t is its binary. A cudaKernel_t
 * is the kernel's record.
 */
#include "runtime.h"
#include "jit_log.h"

#include <stdio.h>
#include <stdlib.h>

/* The binary behind the handle, or NULL. */
static struct binary *binary_of(const struct runtime *runtime, cudaLibrary_t library)
{
    return handle_is(runtime, library, HANDLE_MODULE) ? (struct binary *)library : NULL;
}

/* How a JIT compiles has no meaning here, and its options none. */
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jit_options,
                                void **jit_values, unsigned jit_count, enum cudaLibraryOption *options, void **values,
                                unsigned count)
{
    struct binary *binary = NULL;
    struct call call;

    (void)options, (void)values, (void)count;
    if (call_begin(&call, CALL_DEVICE)) {
        call.error = library && code ? library_load(call.runtime, code, &binary) : cudaErrorInvalidValue;
        if (jit_options && jit_values)
            jit_log_load(call.runtime, call.error == cudaSuccess, jit_count, jit_options, jit_values);
        if (call.error == cudaSuccess)
            *library = (cudaLibrary_t)binary;
    }
    return call_end(&call);
}

/* The file with a NUL behind it, to be freed; NULL: it cannot be read. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL, *grown;
    size_t size = 0, room = 0, got;

    if (!file)
        return NULL;
    do {
        room = room ? 2 * room : 65536;
        grown = realloc(text, room + 1);
        if (!grown)
            break;
        text = grown;
        got = fread(text + size, 1, room - size, file);
        size += got;
    } while (size == room);
    if (!grown || ferror(file)) {
        free(text);
        text = NULL;
    }
    fclose(file);
    if (text)
        text[size] = '\0';
    return text;
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, enum cudaJitOption *jit_options,
                                    void **jit_values, unsigned jit_count, enum cudaLibraryOption *options,
                                    void **values, unsigned count)
{
    char *image = path ? read_file(path) : NULL;
    struct call call;
    cudaError_t error;

    if (image) {
        error = cudaLibraryLoadData(library, image, jit_options, jit_values, jit_count, options, values, count);
        free(image);
        return error;
    }
    if (call_begin(&call, CALL_DEVICE))
        call.error = path ? cudaErrorFileNotFound : cudaErrorInvalidValue;
    return call_end(&call);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct binary *binary = binary_of(call.runtime, library);

        if (!binary || !binary->owned) /* what the program is linked with stays */
            call.error = cudaErrorInvalidResourceHandle;
        else
            call.error = queue_wait_all(&call); /* its kernels may be pending */
        if (binary && binary->owned)
            library_unload(call.runtime, binary);
    }
    return call_end(&call);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct binary *binary = binary_of(call.runtime, library);
        struct entry *entry = NULL;

        if (!binary)
            call.error = cudaErrorInvalidResourceHandle;
        else
            call.error = kernel && name ? library_kernel(call.runtime, binary, name, &entry) : cudaErrorInvalidValue;
        if (call.error == cudaSuccess)
            *kernel = (cudaKernel_t)entry;
    }
    return call_end(&call);
}

/* One function for host and kernels needs memory that both share without the driver: the device has no such. */
cudaError_t cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t library, const char *name)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!binary_of(call.runtime, library))
            call.error = cudaErrorInvalidResourceHandle;
        else
            call.error = function && name ? cudaErrorSymbolNotFound : cudaErrorInvalidValue;
    }
    return call_end(&call);
}

cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct binary *binary = binary_of(call.runtime, library);

        if (!binary)
            call.error = cudaErrorInvalidResourceHandle;
        else
            call.error = count ? module_load(call.runtime, binary) : cudaErrorInvalidValue;
        if (call.error == cudaSuccess)
            for (*count = 0; sim_kernel_at(binary->module, *count); ++*count)
                ;
    }
    return call_end(&call);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned count, cudaLibrary_t library)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct binary *binary = binary_of(call.runtime, library);

        if (!binary)
            call.error = cudaErrorInvalidResourceHandle;
        else
            call.error = kernels ? module_load(call.runtime, binary) : cudaErrorInvalidValue;
        for (unsigned i = 0; i < count && call.error == cudaSuccess; i++) {
            const struct sim_kernel *kernel = sim_kernel_at(binary->module, i);
            struct entry *entry;

            if (!kernel)
                break;
            call.error = library_kernel(call.runtime, binary, sim_kernel_facts(kernel)->name, &entry);
            if (call.error == cudaSuccess)
                kernels[i] = (cudaKernel_t)entry;
        }
    }
    return call_end(&call);
}

static bool is_managed(struct runtime *runtime, uint64_t address)
{
    const struct region *region = allocation_find(runtime, (void *)(uintptr_t)address);

    return region && (region->kind == REGION_MANAGED || region->managed);
}

/* Looks a variable up, or a managed one alone. */
static cudaError_t variable(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name, bool managed)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct binary *binary = binary_of(call.runtime, library);
        uint64_t address = 0, size = 0;

        if (!binary)
            call.error = cudaErrorInvalidResourceHandle;
        else
            call.error = name && (pointer || bytes) ? library_variable(call.runtime, binary, name, &address, &size)
                                                    : cudaErrorInvalidValue;
        if (call.error == cudaSuccess && managed && !is_managed(call.runtime, address))
            call.error = cudaErrorSymbolNotFound;
        if (call.error == cudaSuccess && pointer)
            *pointer = (void *)(uintptr_t)address;
        if (call.error == cudaSuccess && bytes)
            *bytes = size;
    }
    return call_end(&call);
}

cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return variable(pointer, bytes, library, name, false);
}

cudaError_t cudaLibraryGetManaged(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name)
{
    return variable(pointer, bytes, library, name, true);
}
