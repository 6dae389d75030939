/*
 * call.h - the one function that a problem gives to the runner, in its call.c.
 */
#ifndef VERIFY_CALL_H
#define VERIFY_CALL_H

#include <stddef.h>

/*
 * Bytes at the beginning of an input that the CPU gets too where a problem has its data on the GPU. They are known
 * before the clock starts, so they may tell sizes, and nothing of the data.
 */
enum { RESIDENT_HEADER = 256 };

/* One call. Where data are resident and the submission uses CUDA, input and output are memory of the GPU. */
struct user_call {
    const void *header; /* the input; of a resident problem its first RESIDENT_HEADER bytes, in the CPU's memory */
    void *input;        /* aligned to 256 bytes or more */
    size_t input_size;  /* bytes, the header's among them */
    void *output;       /* aligned alike */
    size_t output_size; /* bytes */
    void *stream;       /* a cudaStream_t, for a resident problem in CUDA; else NULL */
};

/*
 * Unpacks the input, which the problem's own generate() or load() made, calls the submission's device_user() at
 * `function` once, and packs what it returns into the output. Runs in the untrusted process: it may be wrong about
 * everything, and nothing it says is believed.
 */
void call_device_user(void (*function)(void), const struct user_call *call);

#endif
