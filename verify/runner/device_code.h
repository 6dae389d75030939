/*
 * device_code.h - device code that is registered with the CUDA runtime is that of the submission's file, which the
 * judge has read. The runner stands before the runtime for the one function that takes it.
 *
 * This is in the submission's own process. It stops who changes a descriptor or computes the function's place, not who
 * finds the runtime's own function, or the driver's, in memory: what ran then, only the GPU's counters show.
 */
#ifndef VERIFY_DEVICE_CODE_H
#define VERIFY_DEVICE_CODE_H

/* Before the submission at `path` is loaded: `library` is the CUDA runtime (dlopen), to which what is right goes on. */
void device_code_expect(void *library, const char *path);

/* The runtime's function; the compiler's code in the submission calls it. */
void **__cudaRegisterFatBinary(void *descriptor);

#endif
