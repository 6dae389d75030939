/*
 * spoil.h - right outputs, and ways to spoil them, for the tests of the checker.
 */
#ifndef MATMUL_SPOIL_H
#define MATMUL_SPOIL_H

#include <stdbool.h>
#include <stddef.h>

#include "matrix.h"

/* c[m][n]: the float64 product, rounded. False when memory is exhausted. */
bool matmul_solve(const struct matmul_pair *pair, float *c);

/*
 * Spoils c, a right output, in the way-th of the ways that apply, the slightest first: an element at a corner, and one anywhere,
 * off by two tolerances; one off by 2^20 tolerances; NaN or infinity where a number is due, or the other way round; two rows swapped; the
 * matrix transposed; a tile of zeros; the last row, the last column zero. A way applies if a probed element that it changes moves
 * by more than two tolerances - of a large output, where such an element may go unseen, by more than 2^9, and 32 of them.
 * False, with c as it was, when there are no more.
 */
bool matmul_spoil(const struct matmul_pair *pair, bool large, float *c, size_t way);

#endif
