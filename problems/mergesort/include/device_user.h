/*
 * device_user.h - what a participant writes for the problem mergesort.
 */
#ifndef DEVICE_USER_H
#define DEVICE_USER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MERGESORT_COUNT_MAX = 1 << 28 }; /* the largest n */

/*
 * Sorts n signed 32-bit keys in ascending order, alone or each with a 32-bit payload.
 *
 *   keys             [n] any values
 *   payloads         [n] any values; payloads[i] belongs to keys[i]. NULL when keys alone are to be sorted
 *   sorted_keys      [n] to be written: the keys in ascending order
 *   sorted_payloads  [n] to be written: the payloads in the order of their keys, those of equal keys in the order of
 *                    the input (a stable sort). NULL exactly when payloads is NULL
 *   n                from 0 to MERGESORT_COUNT_MAX; with n = 0 there is nothing to read and nothing to write
 *
 * All arrays are in CPU memory, start at a multiple of 4096 bytes and do not overlap. The outputs arrive filled with
 * arbitrary bytes. Do not write into the inputs. The function is called on the CPU, one call at a time, on one CPU
 * core. It may be called again with other arrays, with and without payloads. To give up, end the process (exit, abort):
 * that is a run-time error; a wrong output is a wrong answer.
 */
void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n);

#ifdef __cplusplus
}
#endif

#endif
