/*
 * runtime_error.c - the calls by which programs look at errors: names, texts, and each thread's last error.
 */
#include "runtime.h"

static void note_look(const struct thread_state *thread, cudaError_t error)
{
    struct runtime *runtime = runtime_get();

    if (!runtime || error == cudaSuccess || !__atomic_load_n(&runtime->unchecked_count, __ATOMIC_RELAXED))
        return;
    runtime_lock(runtime);
    unchecked_looked(runtime, thread, error);
    runtime_unlock(runtime);
}

const char *cudaGetErrorName(cudaError_t error)
{
    note_look(NULL, error);
    return error_name(error);
}

const char *cudaGetErrorString(cudaError_t error)
{
    note_look(NULL, error);
    return error_text(error);
}

cudaError_t cudaPeekAtLastError(void)
{
    struct runtime *runtime = runtime_get();
    struct thread_state *thread = runtime ? runtime_thread(runtime) : NULL;

    if (thread)
        note_look(thread, thread->last);
    return thread ? thread->last : cudaErrorCudartUnloading;
}

cudaError_t cudaGetLastError(void)
{
    struct runtime *runtime = runtime_get();
    struct thread_state *thread = runtime ? runtime_thread(runtime) : NULL;
    cudaError_t last = thread ? thread->last : cudaErrorCudartUnloading;

    if (thread)
        note_look(thread, last);
    if (thread)
        thread->last = cudaSuccess;
    return last;
}
