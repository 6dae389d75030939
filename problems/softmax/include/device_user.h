/*
 * device_user.h - what a participant writes for the problem softmax.
 */
#ifndef DEVICE_USER_H
#define DEVICE_USER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits. */
enum {
    SOFTMAX_ROWS_MAX = 65536,
    SOFTMAX_COLUMNS_MIN = 16,
    SOFTMAX_COLUMNS_MAX = 131072,
    SOFTMAX_ELEMENTS_MAX = 1 << 28, /* rows times columns */
    SOFTMAX_VALUE_MAX = 10000       /* no finite element of the input is above it, nor below its negative */
};

/* The types of elements. */
enum {
    SOFTMAX_FLOAT32 = 0,
    SOFTMAX_BFLOAT16 = 1 /* the upper 16 bits of a float32 */
};

/* A cudaStream_t; NULL for a submission that uses no CUDA. */
typedef struct CUstream_st *device_stream;

/*
 * The softmax of every row of a matrix: with m the largest element of row i,
 *
 *   output[i][j] = exp(input[i][j] - m) / (exp(input[i][0] - m) + ... + exp(input[i][columns - 1] - m)).
 *
 *   input    [rows][columns] of the type, without gaps: element (i, j) is at index (size_t)i * columns + j. Finite
 *            elements are at most SOFTMAX_VALUE_MAX in absolute value; others are minus infinity; there is no NaN
 *   output   [rows][columns] of the same type, to be written; it holds arbitrary bytes before
 *   rows     1 to SOFTMAX_ROWS_MAX
 *   columns  SOFTMAX_COLUMNS_MIN to SOFTMAX_COLUMNS_MAX
 *   type     SOFTMAX_FLOAT32 or SOFTMAX_BFLOAT16, of input and output
 *   stream   where the work goes
 *
 * input and output are in the GPU's memory (in the CPU's, for a submission in C) and start at multiples of 256 bytes.
 * Where a row has elements of minus infinity alone, all its results are NaN. How precise the others must be is in the
 * statement: a float32 program that subtracts the largest element is, and results below 2^-126 may be 0.
 *
 * Called on the CPU, one call at a time; it may be called again with other matrices. It need not wait for the work that
 * it starts: the judge does. To give up, end the process (exit, abort): that is a run-time error; a wrong element
 * is a wrong answer.
 */
void device_user(const void *input, void *output, int rows, int columns, int type, device_stream stream);

#ifdef __cplusplus
}
#endif

#endif
