/*
 * real.h - NVIDIA's own libnvJitLink, if the machine has it, and the numbers of its API.
 */
#ifndef CUDASIM_JITLINK_REAL_H
#define CUDASIM_JITLINK_REAL_H

#include <stddef.h>
#include <stdint.h>

/* nvJitLinkResult: those that are given here. */
enum result {
    RESULT_SUCCESS = 0,
    RESULT_UNRECOGNIZED_OPTION = 1,
    RESULT_MISSING_ARCH = 2,
    RESULT_INVALID_INPUT = 3,
    RESULT_INTERNAL = 6,
    RESULT_NULL_INPUT = 10,
    RESULT_LTO_NOT_ENABLED = 18
};

/* nvJitLinkInputType. */
enum input {
    INPUT_CUBIN = 1,
    INPUT_PTX,
    INPUT_LTOIR,
    INPUT_FATBIN,
    INPUT_OBJECT,
    INPUT_LIBRARY,
    INPUT_INDEX,
    INPUT_ANY = 10
};

/* Its functions; all NULL: it was not found. */
struct real {
    int (*create)(void **handle, uint32_t count, const char **options);
    int (*destroy)(void **handle);
    int (*add)(void *handle, int type, const void *data, size_t size, const char *name);
    int (*complete)(void *handle);
    int (*ptx_size)(void *handle, size_t *size);
    int (*ptx)(void *handle, char *text);
    int (*error_size)(void *handle, size_t *size);
    int (*error)(void *handle, char *text);
    int (*info_size)(void *handle, size_t *size);
    int (*info)(void *handle, char *text);
};

/* Looks in the program's library path, in $CUDA_HOME, $CUDA_PATH and /usr/local/cuda. Loads it once. */
const struct real *real_library(void);

#endif
