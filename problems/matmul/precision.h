/*
 * precision.h - how far an element of C may be from the truth.
 *
 * u = 2^-24 is the unit roundoff of float32, and p_1, p_2, ... are the products that an element C64 = sum of p_k, in
 * float64, is made of; those with a factor of 0 are left out, as adding 0 rounds nothing. n is the number of the
 * others: at most the elements other than 0 in the row of A, or in the column of B, whichever has less. An element is
 * right if
 *
 *   |C - C64| <= (4 sqrt(n) + 8) u (sqrt(sum of p_k^2) + |C64| / 2) + n 2^-149,                                  (1)
 *
 * or if it is within what rounding.h finds for its very products.                                              (2)
 *
 * Why (1). Each addition rounds a partial sum s by at most u |s|, so that the whole errs by at most n u S, S the sum
 * of |p_k| (Higham, "Accuracy and Stability of Numerical Algorithms", 3.1). But roundings of unrelated sizes and
 * signs nearly cancel: what is seen is sqrt(n) u times the size of the partial sums, as in Higham and Mary, "A new
 * approach to probabilistic rounding error analysis" (SISC 41, 2019). Nor is a partial sum as large as S. Of products
 * in no special order the first m of n sum up to (m / n) C64, more or less sqrt(m / n) sqrt(sum of p_k^2): a walk
 * with a drift. So the error is measured in these two, which any program's partial sums follow, and not in S, which
 * is sqrt(n) times as large where signs vary. What is seen, over all kinds of cases and K up to 65536, products with
 * and without FMA, summed ascending, descending, in random order, in pairs, in blocks of 16, in 16 sums side by side,
 * is at most 0.4 of (1): tests/unit/test_matmul_precision.c measures it. The 8 is for few products: each may be
 * rounded as well as each sum, and three products of half-precision numbers may stand for one.
 *
 * Why (2). Roundings of alike products do not cancel. K equal ones, summed one after the other, are rounded the same
 * way over and over while the sum stays between two powers of two, and err by up to a third of K u S. And products
 * may lie in an order that makes partial sums large: all positive ones first. Both are right answers, and the
 * products show both. They are computed only for elements that break (1).
 *
 * The last term is for products below the normal numbers: each is rounded to a multiple of 2^-149, by at most half of
 * that. Flushing subnormal numbers to zero is not within it.
 *
 * What this rejects. A product of inputs rounded to b bits errs by about 0.6 2^-b sqrt(sum of p_k^2), whatever K:
 * TF32 (11 bits) by 4750 u, two bfloat16 for each number (17 bits) by 75 u, where (1) allows 12 u to 18 u for n = 1
 * and 4 sqrt(n) u to 6 sqrt(n) u where signs vary: 512 u to 768 u at n = 16384. So TF32 breaks (1) in most elements
 * of uniform matrices of every size, and two bfloat16 for each number break it up to n = 256 or so. Above, sums in
 * float32 are not much better than that; where a row of A has few elements other than 0 they are, for every K, and
 * the kinds permutation and mixed have such rows.
 */
#ifndef MATMUL_PRECISION_H
#define MATMUL_PRECISION_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* The factor of (1), as a multiple of u. */
static inline double matmul_roundings(size_t terms) { return (4 * sqrt((double)terms) + 8) * 0x1p-24; }

/* What an element may err by, by (1): `terms` is its n, `sum` C64, `squares` the sum of p_k^2; all finite. */
static inline double matmul_tolerance(size_t terms, double sum, double squares)
{
    return matmul_roundings(terms) * (sqrt(squares) + fabs(sum) / 2) + (double)terms * 0x1p-149;
}

/*
 * Whether an element is right by (1). Where the float64 result is NaN or an infinity, so must it be: with finite
 * products below 2^127 either comes from the inputs alone, and every order of summation gives the same.
 */
static inline bool matmul_element_is_right(float element, size_t terms, double sum, double squares)
{
    if (isnan(sum))
        return isnan(element);
    if (isinf(sum))
        return (double)element == sum;
    /* False for NaN, and for an infinity. */
    return fabs((double)element - sum) <= matmul_tolerance(terms, sum, squares);
}

#endif
