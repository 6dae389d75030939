/*
 * generate.h - the kinds of matrices.
 */
#ifndef MATMUL_GENERATE_H
#define MATMUL_GENERATE_H

#include <stdbool.h>

#include "matrix.h"
#include "verify/base/random.h"

/*
 *   uniform      uniform in [-1, 1], all 24 bits in use
 *   positive     multiples of 2^-24, uniform in [0, 1): the sums grow
 *   wide         random signs and mantissas, exponents uniform from -20 to 20: few terms decide
 *   cancel       uniform, but the second half of k repeats the first, B's with the other sign and off by up to 2^-10 of
 *                itself: C is tiny beside |A| |B|
 *   integers     whole numbers from -16 to 16: every order of summation is exact
 *   permutation  each row of A has a single 1, the places a random permutation: C's rows are rows of B
 *   tiny         exponents from -75 to -66, so that products are subnormal or vanish; every fourth row of A is
 *                subnormal itself, every fourth column of B has exponents from 0 to 9
 *   special      uniform, but in one of 16 rows of A and columns of B is an infinity or NaN; some meet a zero or a
 *                subnormal number
 *   mixed        uniform, but of A's rows one in 16 has 8 elements at most that are not 0, one in 16 has exponents as
 *                in wide, one in 32 is subnormal; of B's columns one in 16 is wide. Up to 4 rows of A and columns of B
 *                are special
 */
#define MATMUL_KINDS "uniform, positive, wide, cancel, integers, permutation, tiny, special or mixed"

enum matmul_kind {
    MATMUL_UNIFORM, MATMUL_POSITIVE, MATMUL_WIDE, MATMUL_CANCEL, MATMUL_INTEGERS, MATMUL_PERMUTATION, MATMUL_TINY,
    MATMUL_SPECIAL, MATMUL_MIXED, MATMUL_KIND_COUNT
};

/* The name, and the kind of that name or MATMUL_KIND_COUNT. */
const char *matmul_kind_name(enum matmul_kind kind);
enum matmul_kind matmul_kind_find(const char *name);

/* Fills both matrices. */
void matmul_fill(enum matmul_kind kind, const struct matmul_pair *pair, const struct random_key *key);

#endif
