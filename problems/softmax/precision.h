/*
 * precision.h - how far a result may be from the truth.
 *
 * u = 2^-24 is the unit roundoff of float32. In a row of n elements x_j with the largest m, let d_j = x_j - m,
 * S = sum of exp(d_j), y_j = exp(d_j) / S, all in float64. A float32 result is right if it differs from y_j by at most
 *
 *   T_j = (4 sqrt(n) + 3 L + 4 |d_j| + 16) u y_j + 2^-126,   L = log2(n) rounded up,                            (1)
 *
 * a bfloat16 one if it is the rounding, to nearest, of a number that does; or either with a larger T_j where the terms
 * of the row are alike (2). Where x_j is minus infinity the result must be 0; in a row of nothing else it must be NaN.
 *
 * Why (1). A program in float32 makes these errors, each relative to y_j, to first order in u:
 *
 *   - x_j - m is rounded: |d_j| u after exp(). Its product with log2(e), for programs that take powers of 2, as much
 *     again at most, with the constant's own error of 0.23 |d_j| u. Where x_j log2(e) - m log2(e) is one fused
 *     operation, the rounding of the second product changes all terms by the same factor, and cancels.
 *   - exp() itself errs: CUDA's expf() by 1 ulp, 2 u; __expf(x) by 2 + floor(|1.173 x|) ulp (CUDA C++ Programming
 *     Guide, 5.5), 4 u + 2.35 |d_j| u, in which the product with log2(e) is counted. So a term errs by at most
 *     e_j = (4 + 3.35 |d_j|) u.
 *   - The sum inherits the mean of the e_j weighted with y_j: 4 u + 3.35 u (sum of y_j |d_j|). As |d_j| is
 *     -ln(y_j) - ln(S), that sum is the entropy of the y_j less ln(S) >= 0: at most ln(n), so 3.35 ln(n) = 2.33
 *     log2(n).
 *   - A running maximum, or one for each part of a row, multiplies by exp() of differences that add up to no more than
 *     |d_j|; each exp() errs by 4 u beside what grows with |d_j|. Two of them are in the 16, and a new maximum comes
 *     log(n) times where elements are in no order.
 *   - The n - 1 additions: n u at most (Higham, "Accuracy and Stability of Numerical Algorithms", 4.2). Roundings of
 *     unrelated terms nearly cancel, and sqrt(n) u is what is seen (Higham and Mary, "A new approach to probabilistic
 *     rounding error analysis", SISC 41, 2019): 4 times that is allowed.
 *   - The division, or a reciprocal and a product: at most 4 u.
 *
 * The last term is for results below the normal numbers, which may be flushed to 0.
 *
 * Why (2). Roundings of alike terms do not cancel: of n equal ones, added one after the other, all are rounded the same
 * way while the sum stays between two powers of two, in whose last bit h it counts. So for rows that break (1), and no
 * others, it is counted what all terms t of the row lose together when each is rounded to a multiple of h:
 *
 *   bias = the largest of |sum of (round(t / h) h - t)| / (u S),   h = 2^-23 P, 2^-24 P, ... 2^-40 P,
 *
 * P the largest power of two up to S. It is n / 2 at most, and small where the terms' last bits are of all sizes. A sum
 * in any order, or of parts, has its additions in some of these binades: twice the bias is added to 4 sqrt(n).
 *
 * What this rejects. With n = 16, T_j is 44 u y_j, 2^-18.5; with n = 4096 2^-15.7, with n = 131072 2^-13.4 where (2)
 * does not matter. It does in long rows of very different terms too, as sums lose small ones. An exp() of half
 * precision errs by 2^-12 to 2^-8, sums in bfloat16 by 2^-9 and, from 256 terms on, without bound. x - (m + log(S)) is
 * rounded to u (m + log(S)), for m = 10^4 2^-11. Cutting bits off, in place of rounding to bfloat16, errs by 2^-8.
 * tests/unit/test_softmax_precision.c measures how much of (1) and (2) float32 programs need: at most 0.74 of (1), with
 * exp() off by all that __expf() may be, and 0.22 of (2).
 */
#ifndef SOFTMAX_PRECISION_H
#define SOFTMAX_PRECISION_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SOFTMAX_FLUSHED 0x1p-126

/* The factor of u y_j in (1) but for 4 |d_j|; `bias` is that of (2), or 0 for (1). */
static inline double softmax_roundings(size_t columns, double bias)
{
    int bits = 0;

    while ((size_t)1 << bits < columns)
        bits++;
    return 4 * sqrt((double)columns) + 2 * bias + 3 * bits + 16;
}

/* T_j. `distance` is |d_j|, finite, `right` y_j. */
static inline double softmax_tolerance(double roundings, double distance, double right)
{
    return (roundings + 4 * distance) * 0x1p-24 * right + SOFTMAX_FLUSHED;
}

/* A float64 rounded to the 8 significant bits of bfloat16, its exponent not bounded. */
static inline double softmax_round(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    bits = (bits + ((UINT64_C(1) << 44) - 1) + (bits >> 45 & 1)) & ~((UINT64_C(1) << 45) - 1);
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
