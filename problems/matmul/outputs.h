/*
 * outputs.h - right outputs, and ways to spoil them, for the tests of the checker.
 */
#ifndef MATMUL_OUTPUTS_H
#define MATMUL_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "matrix.h"

/* c[m][n]: the float64 product, rounded. False when memory is exhausted. */
bool matmul_solve(const struct matmul_pair *pair, float *c);

/*
 * Spoils c, a right output, in the way-th of the ways that apply, the slightest first. Always: two elements at
 * corners and one anywhere off by four tolerances (the latter, in a large output, and another one in any, by 2^20 of
 * the largest tolerance near it); NaN and both infinities where a number is due, or a number where it is not. And, if
 * it makes enough difference to elements of the last row or column: two rows swapped; the matrix transposed; the last
 * tile, row or column zero. Enough is more than four tolerances, or, in a large output, 512 tolerances in eight
 * elements. False, with c as it was, when there are no more.
 */
bool matmul_spoil(const struct matmul_pair *pair, bool large, float *c, size_t way);

#endif
