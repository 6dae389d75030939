/*
 * precision.h - how far an element of O may be from the truth.
 *
 * u = 2^-8 is the unit roundoff of bfloat16. For one query and one column of V let p_j be the weights in float64, sum
 * 1, and v_j the column. O* = sum of p_j v_j, Q^2 = sum of p_j^2 v_j^2, A = sum of p_j |v_j|. An element is right if
 *
 *   |O - O*| <= u (2.25 |O*| + 4 Q) + 2^-16 A + 2^-120.                                                           (1)
 *
 * Why. Every fast method makes S = Q K^T and the weights in float32, rounds the weights to bfloat16 for the second
 * product, adds in float32 and rounds once at the end.
 *
 * - The last rounding errs by at most u |O*|, a little more for what it rounds is off itself.
 * - A weight becomes p_j (1 + d_j). With its mantissa m in [1, 2) |d_j| is at most u / m, evenly spread below
 *   that. If the logarithm of m is evenly spread too, the mean square of d_j is u^2 / 3 times the mean of m^-2,
 *   which is 3 / (8 ln 2): d_j has a deviation of 0.42 u. The roundings of unlike weights have nothing to do with
 *   each other, nor with v_j, so the sum of d_j p_j v_j has the deviation 0.42 u Q. 4 Q is nine of these. And where
 *   a single weight decides, |d_j p_j v_j| <= u Q.
 * - Weights that are alike are rounded alike: a common d adds d O*, at most u |O*|. This and the last rounding are the
 *   2 of 2.25. The rest of it, and 2^-16 A, are for float32: a score s errs by some 2^-24 of the sum of
 *   |q k| / sqrt(d) and of |s|, and with it the weight; sums of n weights by at most n 2^-24 of themselves, usually
 *   sqrt(n). Scores of a generated case are below 2^8.
 * - 2^-120 is for results near the end of float32's range, which may be flushed to zero.
 *
 * tests/unit/test_attention.c measures what honest methods have: the worst is two thirds of (1), where all weights of a
 * row are alike and are divided by their sum before they are rounded.
 *
 * Matrices that a participant brings in files may be built so that roundings agree with the values' signs. The worst
 * of it is u A, and 2 u A is added to (1) there.
 *
 * What this rejects. Scores rounded to bfloat16 err by up to u |s| each: u |s| Q and more, where |s| is 10 and above.
 * An output that is kept in bfloat16 between blocks of keys errs by 0.4 u sqrt(blocks) |O*|. Of n alike keys one that
 * is left out changes O by Q / sqrt(n), which 4 u Q allows from n = 4096 on; so 8 keys of 16384 are missed.
 */
#ifndef ATTENTION_PRECISION_H
#define ATTENTION_PRECISION_H

#include <math.h>
#include <stdbool.h>

/* The truth about an element. */
struct attention_truth {
    double sum;      /* O* */
    double squares;  /* Q^2 */
    double absolute; /* A */
};

static inline double attention_tolerance(const struct attention_truth *t, bool loaded)
{
    return 0x1p-8 * (2.25 * fabs(t->sum) + 4 * sqrt(t->squares)) + (loaded ? 0x1p-7 : 0x1p-16) * t->absolute + 0x1p-120;
}

/* False for NaN, and for an infinity. */
static inline bool attention_is_right(double element, const struct attention_truth *t, bool loaded)
{
    return fabs(element - t->sum) <= attention_tolerance(t, loaded);
}

#endif
