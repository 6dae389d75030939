/*
 * device_user.h - what a participant writes for the problem scan.
 */
#ifndef DEVICE_USER_H
#define DEVICE_USER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SCAN_COUNT_MAX = 1 << 28 }; /* the largest n */

/* The type of the numbers: `type`. */
enum { SCAN_UINT32, SCAN_UINT64, SCAN_FLOAT32 };

typedef struct CUstream_st *device_stream; /* cudaStream_t */

/*
 * Writes the inclusive prefix sums of n numbers: sums[i] = values[0] + ... + values[i]. With starts they are segmented:
 * the sum starts again at every i with starts[i] = 1, so sums[i] = values[s] + ... + values[i], with s the last such
 * place up to i, or 0 if there is none.
 *
 *   values  [n] of the type
 *   starts  [n] bytes, 0 or 1; starts[0] may be either. NULL in plain cases
 *   sums    [n] of the type, to be written; arrives filled with arbitrary bytes
 *   n       from 1 to SCAN_COUNT_MAX
 *   type    SCAN_UINT32, SCAN_UINT64: sums modulo 2^32 and 2^64. SCAN_FLOAT32: rounded, by the rule in the statement
 *   stream  launch kernels in this stream
 *
 * The arrays start at multiples of 256 bytes and do not overlap. They are in GPU memory. For a submission in C they are
 * in CPU memory, and stream is NULL. Do not write into values and starts. There is one call at a time, on one CPU core;
 * the function is called again with other arrays. It need not wait for its kernels: the judge does.
 */
void device_user(const void *values, const uint8_t *starts, void *sums, size_t n, int type, device_stream stream);

#ifdef __cplusplus
}
#endif

#endif
