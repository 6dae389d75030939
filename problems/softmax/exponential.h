/*
 * exponential.h - exp() of numbers up to 0 in float64, the same bits on every machine, which libm's is not.
 *
 * Called by answer.c for every element. Additions, multiplications and bits alone, without a branch, so that the
 * compiler makes vectors of it. The relative error is below 2^-50; test_softmax_precision.c compares it with libm's.
 */
#ifndef SOFTMAX_EXPONENTIAL_H
#define SOFTMAX_EXPONENTIAL_H

#include <stdint.h>
#include <string.h>

/*
 * exp(x) for x <= 0, and 0 below -700, for minus infinity too. x = k ln 2 + r with |r| <= ln 2 / 2; exp(r) is the sum
 * r^i / i! up to i = 13, whose rest is below 2^-57, and 2^k is made of its bits. ln 2 is taken in two parts, the first
 * of 32 bits, so that k times it is exact.
 */
static inline double softmax_exp(double x)
{
    const double shifter = 0x1.8p52; /* adding it rounds to a whole number, which is then in the lowest bits */
    const double bounded = x < -700 ? -700 : x;
    const double shifted = bounded * 0x1.71547652b82fep0 + shifter, k = shifted - shifter;
    const double r = bounded - k * 0x1.62e42feep-1 - k * 0x1.a39ef35793c76p-33;
    double sum = 1.0 / 6227020800, scale;
    uint64_t bits;

    sum = sum * r + 1.0 / 479001600;
    sum = sum * r + 1.0 / 39916800;
    sum = sum * r + 1.0 / 3628800;
    sum = sum * r + 1.0 / 362880;
    sum = sum * r + 1.0 / 40320;
    sum = sum * r + 1.0 / 5040;
    sum = sum * r + 1.0 / 720;
    sum = sum * r + 1.0 / 120;
    sum = sum * r + 1.0 / 24;
    sum = sum * r + 1.0 / 6;
    sum = sum * r + 0.5;
    sum = sum * r + 1;
    sum = sum * r + 1;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    memcpy(&scale, &bits, sizeof scale);
    return x < -700 ? 0 : sum * scale;
}

#endif
