/*
 * precision.h - how far a prefix sum of float32 may be from the truth.
 *
 * u = 2^-24 is the unit roundoff of float32. Let P_1, P_2, ... be the exact prefix sums of a segment, and
 * R_m = max(|P_1|, ..., |P_m|). The m-th sum is right if
 *
 *   |S_m - P_m| <= (8 + 2 sqrt(min(m, 1024)) + sqrt(m) / 8) u R_m.                                               (1)
 *
 * Why. A sum made by additions in any order, through no more than d of which any term passes, errs by at most
 * d u / (1 - d u) times the sum of the absolute values (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd
 * edition, 4.2 and 4.3). The bound comes from a sum over the additions: each errs by at most u times its own result.
 * A scan adds neighbours alone, so each result is a sum of neighbours, P_b - P_a, at most 2 R_m. So the error is at
 * most 2 d u R_m, up to second order, and R_m is never more than the sum of the absolute values. For numbers of one
 * sign both are the same. For random signs R_m is about sqrt(m) and the other m: with that in (1), zeros would be
 * right for all sums of 2^28 numbers.
 *
 * Roundings of unrelated sizes and signs nearly cancel: instead of d times what one errs by, sqrt(d) times it is seen,
 * and lambda sqrt(d) for lambda = 5 or more is next to impossible (Higham and Mary, "A new approach to probabilistic
 * rounding error analysis", SISC 41, 2019). A rounding errs by u / sqrt(3) of its binade at most in the quadratic
 * mean, and additions to a growing sum by less, as the sum was smaller before: d additions of numbers of one sign to a
 * sum, one after the other, err by 0.25 sqrt(d) u R in the mean.
 *
 * Honest ways to scan in parallel have three parts, and each has its term in (1).
 *   - Trees: in warps, in blocks, over blocks, up to 60 additions deep: 8 u R, 4 times the mean.
 *   - A stretch that one thread adds up one by one, of up to 1024 numbers: 2 sqrt(m), 8 times the mean.
 *   - A chain of tiles, each with at least 256 numbers, as in scans in one pass: m / 256 additions, 0.25 sqrt(m) / 16
 *     u R in the mean. sqrt(m) / 8 is 8 times that.
 * What is seen, over tiles of 256 to 1024 numbers added up one by one, in segments and without, is 0.5 of (1) at most:
 * tests/unit/test_scan_problem.c measures it.
 *
 * What this rejects. One sum in float32 over all numbers, one after the other, errs by 0.25 sqrt(m) u R in the mean:
 * twice (1)'s last term. So for numbers of one sign it is right for short segments, and wrong for m from 2^20 on or
 * so: up to 3.5 times (1) is seen for 4 million. From 2^25 on it stands still, as the numbers are less than half a
 * unit of the sum. Where a large number comes first (the kind step) it stands still at once: more than 100 times (1)
 * is seen. Sums in half precision, bfloat16 or TF32 err by 2^-12 R or more, and (1) is 2^-12.9 R for m = 2^28 and far
 * less for all others. Differences of sums of the whole input, for segments, err by u times these and not u R.
 */
#ifndef SCAN_PRECISION_H
#define SCAN_PRECISION_H

#include <math.h>

/* The factor of R_m in (1), for the m-th sum of a segment, m from 1 on. */
static inline double scan_roundings(double m) { return (8 + 2 * sqrt(m < 1024 ? m : 1024) + sqrt(m) / 8) * 0x1p-24; }

#endif
