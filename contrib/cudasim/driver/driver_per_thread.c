/*
 * driver_per_thread.c - the calls that take a stream once more, under the names by which programs built with
 * --default-stream per-thread know them: there, no stream means the calling thread's own.
 */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM

#include "driver_queue.c"

#undef OWN
#define own own_of_copies

#include "driver_copy.c"
