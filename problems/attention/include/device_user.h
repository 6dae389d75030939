/*
 * device_user.h - what a participant writes for the problem attention.
 */
#ifndef DEVICE_USER_H
#define DEVICE_USER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits. */
enum {
    ATTENTION_HEADS_MAX = 8192,
    ATTENTION_LENGTH_MIN = 128,
    ATTENTION_LENGTH_MAX = 16384,
    ATTENTION_ELEMENTS_MAX = 1 << 26 /* of each of Q, K, V and O: 128 MiB */
};

/* A CUDA stream: cudaStream_t is the same type. NULL if the submission runs on the CPU. */
typedef struct CUstream_st *device_stream;

/*
 * Attention: for every head, O = softmax(Q K^T / sqrt(dim)) V.
 *
 *   Q, K, V   [heads][length][dim], bfloat16 as bit patterns: the upper half of a float32. Finite numbers
 *   O         [heads][length][dim], bfloat16, to be written; it holds arbitrary bytes before
 *   heads     1 to ATTENTION_HEADS_MAX: a batch's heads, one after the other
 *   length    ATTENTION_LENGTH_MIN to ATTENTION_LENGTH_MAX, any number
 *   dim       64 or 128
 *   causal    0: each query sees all keys of its head; 1: query i sees the keys 0 to i
 *   stream    where a CUDA submission starts its kernels; other streams are allowed
 *
 * In CUDA all pointers point to GPU memory, and the toolkit waits for the GPU after the function has returned. In C
 * they point to CPU memory. Each array starts at a multiple of 256 bytes.
 *
 * Let p_j be the exact weights of a query and v_j a column of V, so that the exact element is O* = sum of p_j v_j.
 * Every element must obey
 *
 *   |O - O*| <= 2^-8 (2.25 |O*| + 4 sqrt(sum of p_j^2 v_j^2)) + 2^-16 sum of p_j |v_j| + 2^-120.
 *
 * It may be called again with other sizes. To give up, end the process (exit, abort): that is a run-time error.
 */
void device_user(const uint16_t *Q, const uint16_t *K, const uint16_t *V, uint16_t *O, int heads, int length, int dim,
                 int causal, device_stream stream);

#ifdef __cplusplus
}
#endif

#endif
