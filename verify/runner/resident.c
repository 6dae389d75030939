/*
 * resident.c - device memory for a call: this process's own, or slots that the warden made.
 */
#include "resident.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { TO_DEVICE = 1, TO_HOST = 2 }; /* enum cudaMemcpyKind */

/* Of the CUDA runtime; all NULL where there is none. */
static struct {
    int (*allocate)(void **, size_t);
    int (*release)(void *);
    int (*copy)(void *, const void *, size_t, int);
    int (*make_stream)(void **);
    int (*synchronize)(void);
    const char *(*error_string)(int);
    void *stream;
} cuda;

/* Memory of the GPU that is this process's own. */
static struct { void *memory; size_t size; } own_input, own_output;

static void find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol); /* ISO C has no cast from object to function pointer */
}

const char *resident_begin(void *runtime)
{
    if (!runtime)
        return NULL;
    find(runtime, "cudaMalloc", &cuda.allocate);
    find(runtime, "cudaFree", &cuda.release);
    find(runtime, "cudaMemcpy", &cuda.copy);
    find(runtime, "cudaStreamCreate", &cuda.make_stream);
    find(runtime, "cudaDeviceSynchronize", &cuda.synchronize);
    find(runtime, "cudaGetErrorString", &cuda.error_string);
    if (!cuda.allocate || !cuda.release || !cuda.copy || !cuda.make_stream || !cuda.synchronize || !cuda.error_string)
        return "it is not the CUDA runtime library";
    return NULL;
}

static bool works(int status, const char *what)
{
    if (status != 0)
        fprintf(stderr, "runner: %s: %s\n", what, cuda.error_string(status));
    return status == 0;
}

static bool make_room(void **memory, size_t *room, size_t size)
{
    if (*room >= size && *memory)
        return true;
    if (*memory)
        cuda.release(*memory);
    *memory = NULL;
    *room = size;
    return works(cuda.allocate(memory, size > 0 ? size : 1), "memory for the problem's data on the GPU");
}

bool resident_carry_in(const void *output, size_t output_size, size_t input_size)
{
    if (!cuda.copy)
        return true;
    return (cuda.stream || works(cuda.make_stream(&cuda.stream), "a stream")) &&
           make_room(&own_input.memory, &own_input.size, input_size) &&
           make_room(&own_output.memory, &own_output.size, output_size) &&
           works(cuda.copy(own_output.memory, output, output_size, TO_DEVICE), "a copy to the GPU");
}

bool resident_carried(void (*function)(void), void *input, size_t input_size, void *output, size_t output_size)
{
    unsigned char header[RESIDENT_HEADER] = { 0 };
    struct user_call call = { .header = header, .input = input, .input_size = input_size, .output = output,
                              .output_size = output_size };

    memcpy(header, input, input_size < sizeof header ? input_size : sizeof header);
    if (!cuda.copy) {
        call_device_user(function, &call);
        return true;
    }
    call.input = own_input.memory;
    call.output = own_output.memory;
    call.stream = cuda.stream;
    if (!works(cuda.copy(own_input.memory, input, input_size, TO_DEVICE), "a copy to the GPU"))
        return false;
    call_device_user(function, &call);
    return works(cuda.synchronize(), "what device_user() started") &&
           works(cuda.copy(output, own_output.memory, output_size, TO_HOST), "a copy from the GPU");
}
