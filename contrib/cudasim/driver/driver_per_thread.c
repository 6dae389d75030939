/*
 * driver_per_thread.c - the calls that take a stream, compiled once more under their names for programs built with
 * --default-stream per-thread. There, no stream means the calling thread's own stream.
 */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM

#include "driver_queue.c"

#undef OWN
#define own own_of_copies

#include "driver_copy.c"
