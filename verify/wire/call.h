/*
 * call.h - the one function that a problem gives to the runner, in its call.c.
 */
#ifndef VERIFY_CALL_H
#define VERIFY_CALL_H

#include <stddef.h>

/*
 * The first bytes of an input, which the CPU gets too if a problem has its data on the GPU. They are known before the
 * clock starts, so they may hold sizes, but none of the data.
 */
enum { RESIDENT_HEADER = 256 };

/* One call. If the data are resident and the submission uses CUDA, input and output are in GPU memory. */
struct user_call {
    const void *header; /* the input; of a resident problem its first RESIDENT_HEADER bytes, in the CPU's memory */
    void *input;        /* aligned to 256 bytes or more */
    size_t input_size;  /* bytes, the header's among them */
    void *output;       /* aligned alike */
    size_t output_size; /* bytes */
    void *stream;       /* a cudaStream_t, for a resident problem in CUDA; else NULL */
};

/*
 * Unpacks the input that the problem's generate() or load() made, calls the submission's device_user() at `function`
 * once, and packs the result into the output. It runs in the untrusted process: it may be wrong about everything, and
 * the host believes nothing of it.
 */
void call_device_user(void (*function)(void), const struct user_call *call);

#endif
