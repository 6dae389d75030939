/*
 * precision.h - how far an element of C may be from the truth.
 *
 * With u = 2^-24, the unit roundoff of float32, C64 the product in float64 and S = |A| |B| likewise, an element is
 * right if
 *
 *   |C - C64| <= MATMUL_C sqrt(K) u S + K 2^-149.
 *
 * K additions in float32 err by at most K u S (Higham, "Accuracy and Stability of Numerical Algorithms", 3.1), but
 * roundings of unrelated sizes and signs nearly cancel: what is seen grows as sqrt(K), as in Higham and Mary, "A new
 * approach to probabilistic rounding error analysis" (SISC 41, 2019). So the constant is a measurement, that of
 * tests/unit/test_matmul_precision.c, over all kinds of cases and K up to 65536, products with and without FMA, summed
 * ascending, descending, in random order, in pairs, in blocks of 16, in 16 sums side by side. The largest |C - C64| /
 * (sqrt(K) u S) was
 *
 *     uniform 1.27   positive 1.28   wide 1.73   cancel 1.27   integers 0   permutation 0   tiny 1.38   special 1.27
 *
 * so MATMUL_C = 4 leaves a margin above 2. What it does not cover: K equal terms, summed one after the other, are
 * rounded the same way over and over while the sum stays between two powers of two, and err by up to a third of K u S
 * (0.25 of it was seen: 64 sqrt(K) u S at K = 65536). The generator makes no such matrices.
 *
 * The last term is for products below the normal numbers: each is rounded to a multiple of 2^-149, by at most half of
 * that. Flushing subnormal numbers to zero is not within it.
 *
 * One product of inputs that are rounded to TF32 (11 significant bits) or bfloat16 (8) errs by up to 2^-11 or 2^-8 of
 * each term. With K terms of about the same size that averages out to something in proportion to S / sqrt(K), while the
 * rule follows float32 and allows more as K grows. Of uniform matrices TF32 breaks it in 87 % of all elements at K =
 * 256, 49 % at 1024, 0.5 % at 4096, none at 16384; bfloat16 in 73 % at 4096, 18 % at 16384. Where few terms dominate it
 * stays wrong: TF32 in 29 % of the kind wide and 89 % of permutation at 16384.
 */
#ifndef MATMUL_PRECISION_H
#define MATMUL_PRECISION_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define MATMUL_C 4.0

/* What an element may err by; `magnitude` is its S, finite. */
static inline double matmul_tolerance(size_t k, double magnitude)
{
    return MATMUL_C * sqrt((double)k) * 0x1p-24 * magnitude + (double)k * 0x1p-149;
}

/*
 * Whether an element is right. Where the float64 result is NaN or an infinity, so must it be: with finite products
 * below 2^127 either comes from the inputs alone, and every order of summation gives the same.
 */
static inline bool matmul_element_is_right(float element, size_t k, double sum, double magnitude)
{
    if (isnan(sum))
        return isnan(element);
    if (isinf(sum))
        return (double)element == sum;
    /* False for NaN, and for an infinity. */
    return fabs((double)element - sum) <= matmul_tolerance(k, magnitude);
}

#endif
