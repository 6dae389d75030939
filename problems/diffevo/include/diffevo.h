/*
 * diffevo.h - the arithmetic of the problem diffevo: the same bits on every CPU and GPU.
 *
 * Random numbers, the objective functions and the steps of differential evolution, all in IEEE single precision, each
 * result rounded to nearest. The judge's reference and submissions include it, in C, C++ and CUDA.
 *
 * Compilers may contract a * b + c into one fused operation, or not (nvcc does by default, gcc does with
 * -march=native), and the bits differ. Here they have no choice: a product is never an operand of a sum. If a sum needs
 * a product, de_fma() computes it; other products are only factors, are compared, or are stored. If you rewrite these
 * formulas, do the same, or use __fmul_rn() and the like. -ffast-math and -use_fast_math break it.
 */
#ifndef DIFFEVO_H
#define DIFFEVO_H

#include "../../../verify/base/philox.h"
#include "device_user.h"

#if !defined(__CUDA_ARCH__)
#include <string.h>
#endif

#if defined(__CUDACC__)
#define DE_FUNCTION static __host__ __device__ __forceinline__
#else
#define DE_FUNCTION static inline __attribute__((always_inline, unused))
#endif

/* ------------------------------------------------------------------ arithmetic: each rounded to nearest, once */

DE_FUNCTION float de_add(float a, float b)
{
#if defined(__CUDA_ARCH__)
    return __fadd_rn(a, b);
#else
    return a + b;
#endif
}

DE_FUNCTION float de_sub(float a, float b) { return de_add(a, -b); }

/* a * b. Not for an operand of de_add() or de_sub(): see above. */
DE_FUNCTION float de_mul(float a, float b)
{
#if defined(__CUDA_ARCH__)
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}

/* a * b + c, rounded once. */
DE_FUNCTION float de_fma(float a, float b, float c)
{
#if defined(__CUDA_ARCH__)
    return __fmaf_rn(a, b, c);
#else
    return __builtin_fmaf(a, b, c);
#endif
}

DE_FUNCTION float de_div(float a, float b)
{
#if defined(__CUDA_ARCH__)
    return __fdiv_rn(a, b);
#else
    return a / b;
#endif
}

DE_FUNCTION float de_sqrt(float a)
{
#if defined(__CUDA_ARCH__)
    return __fsqrt_rn(a);
#else
    return __builtin_sqrtf(a);
#endif
}

DE_FUNCTION uint32_t de_bits(float a)
{
#if defined(__CUDA_ARCH__)
    return __float_as_uint(a);
#else
    uint32_t bits;

    memcpy(&bits, &a, sizeof bits);
    return bits;
#endif
}

DE_FUNCTION float de_float(uint32_t bits)
{
#if defined(__CUDA_ARCH__)
    return __uint_as_float(bits);
#else
    float a;

    memcpy(&a, &bits, sizeof a);
    return a;
#endif
}

DE_FUNCTION float de_clamp(float a, float low, float high)
{
    a = a < low ? low : a;
    return a > high ? high : a;
}

/* ------------------------------------------------------------------ elementary functions */

/* 1.5 * 2^23: a number below 2^22 in size that is added to it loses its fraction, to nearest, ties to even. */
#define DE_ROUND 12582912.0f

/* (-1)^(lowest bit of k) * a, where k is DE_ROUND and a whole number. */
DE_FUNCTION float de_sign(float a, float k) { return de_float(de_bits(a) ^ de_bits(k) << 31); }

/* sin(pi r) for |r| <= 1/2: odd, of degree 9. */
DE_FUNCTION float de_sin_near_zero(float r)
{
    float s = de_mul(r, r), p = 0.0776559114f;

    p = de_fma(p, s, -0.598290384f);
    p = de_fma(p, s, 2.55007744f);
    p = de_fma(p, s, -5.1677103f);
    p = de_fma(p, s, 3.14159274f);
    return de_mul(p, r);
}

/* cos(pi r) for |r| <= 1/2: even, of degree 10. */
DE_FUNCTION float de_cos_near_zero(float r)
{
    float s = de_mul(r, r), p = -0.0246271119f;

    p = de_fma(p, s, 0.235074371f);
    p = de_fma(p, s, -1.33524001f);
    p = de_fma(p, s, 4.05871153f);
    p = de_fma(p, s, -4.93480206f);
    return de_fma(p, s, 1.0f);
}

/* sin(pi a), |a| < 2^22. */
DE_FUNCTION float de_sinpi(float a)
{
    float k = de_add(a, DE_ROUND);

    return de_sign(de_sin_near_zero(de_sub(a, de_sub(k, DE_ROUND))), k);
}

/* sin(a), |a| < 2^22: a / pi is split into a whole number and a rest, 1 / pi being the sum of two floats. */
DE_FUNCTION float de_sin(float a)
{
    float k = de_fma(a, 0.318309873f, DE_ROUND);
    float r = de_fma(a, 0.318309873f, -de_sub(k, DE_ROUND));

    return de_sign(de_sin_near_zero(de_fma(a, 1.28412765e-08f, r)), k);
}

/* cos(pi a b), |a b| < 2^22. */
DE_FUNCTION float de_cospi_of_product(float a, float b)
{
    float k = de_fma(a, b, DE_ROUND);

    return de_sign(de_cos_near_zero(de_fma(a, b, -de_sub(k, DE_ROUND))), k);
}

/* e^a - 1 for a <= 0: a = n ln 2 + r, and e^a - 1 = 2^n (e^r - 1) + (2^n - 1). Below -80 it takes -80 for a. */
DE_FUNCTION float de_expm1(float a)
{
    float k, n, r, p, scale;

    a = a < -80.0f ? -80.0f : a;
    k = de_fma(a, 1.44269502f, DE_ROUND);
    n = de_sub(k, DE_ROUND);
    r = de_fma(n, -0.693147182f, a);
    r = de_fma(n, 1.90465421e-09f, r);
    p = de_fma(0.00139261817f, r, 0.008363178f);
    p = de_fma(p, r, 0.0416665561f);
    p = de_fma(p, r, 0.166665763f);
    p = de_fma(p, r, 0.5f);
    p = de_fma(p, de_mul(r, r), r);
    scale = de_float((de_bits(k) - de_bits(DE_ROUND) + 127) << 23); /* 2^n */
    return de_fma(scale, p, de_sub(scale, 1.0f));
}

/* ------------------------------------------------------------------ random numbers */

/* One block of Philox4x32-10. */
struct de_words {
    uint32_t w[4];
};

DE_FUNCTION struct de_words de_philox(uint32_t key0, uint32_t key1, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3)
{
    const uint32_t counter[4] = { c0, c1, c2, c3 }, key[2] = { key0, key1 };
    struct de_words words;

    philox4x32(counter, key, words.w);
    return words;
}

/* The last word of a counter: what its numbers are for. */
enum { DE_INITIAL, DE_CHOICE, DE_CROSSOVER };

/* The block for coordinates 4 quad ... 4 quad + 3 of an individual of the initial population. */
DE_FUNCTION struct de_words de_initial_words(const struct diffevo_problem *p, uint32_t individual, uint32_t quad)
{
    return de_philox(p->seed[0], p->seed[1], quad, individual, 0, DE_INITIAL);
}

/* The block for an individual's choices in a generation, from 1. */
DE_FUNCTION struct de_words de_choice_words(const struct diffevo_problem *p, uint32_t generation, uint32_t individual)
{
    return de_philox(p->seed[0], p->seed[1], 0, individual, generation, DE_CHOICE);
}

/* The block for coordinates 8 eight ... 8 eight + 7 of an individual's trial in a generation, from 1. */
DE_FUNCTION struct de_words de_crossover_words(const struct diffevo_problem *p, uint32_t generation,
                                               uint32_t individual, uint32_t eight)
{
    return de_philox(p->seed[0], p->seed[1], eight, individual, generation, DE_CROSSOVER);
}

/* A number below `bound` from 32 random bits. */
DE_FUNCTION uint32_t de_below(uint32_t word, uint32_t bound) { return (uint32_t)((uint64_t)word * bound >> 32); }

/* ------------------------------------------------------------------ differential evolution: DE/rand/1/bin */

/* A coordinate of the initial population from 32 random bits: uniform in 2^24 steps. */
DE_FUNCTION float de_initial(uint32_t word, float low, float high)
{
    float u = de_mul((float)(word >> 8), 5.9604644775390625e-8f); /* 2^-24 */

    return de_clamp(de_fma(u, de_sub(high, low), low), low, high);
}

/* The individuals that a trial is made of. */
struct de_choice {
    uint32_t r1, r2, r3; /* three individuals, different from each other and from the target */
    uint32_t j;          /* the coordinate that comes from the mutant in any case */
};

/*
 * Numbers below NP - 1, NP - 2 and NP - 3, each then moved past the individuals already taken, the least first. So
 * every triple is equally likely (except for the error of multiply-shift), and nothing is drawn twice.
 */
DE_FUNCTION struct de_choice de_choose(struct de_words words, uint32_t i, uint32_t population, uint32_t dimension)
{
    struct de_choice c;
    uint32_t a, b, low, middle, high;

    c.r1 = de_below(words.w[0], population - 1);
    c.r1 += c.r1 >= i;
    a = c.r1 < i ? c.r1 : i;
    b = c.r1 < i ? i : c.r1;
    c.r2 = de_below(words.w[1], population - 2);
    c.r2 += c.r2 >= a;
    c.r2 += c.r2 >= b;
    low = c.r2 < a ? c.r2 : a;
    middle = c.r2 < a ? a : c.r2 < b ? c.r2 : b;
    high = c.r2 < b ? b : c.r2;
    c.r3 = de_below(words.w[2], population - 3);
    c.r3 += c.r3 >= low;
    c.r3 += c.r3 >= middle;
    c.r3 += c.r3 >= high;
    c.j = de_below(words.w[3], dimension);
    return c;
}

/* The 16 random bits of coordinate j in its block: the words in order, of each the lower half first. */
DE_FUNCTION uint32_t de_crossover_bits(struct de_words words, uint32_t j)
{
    return words.w[j % 8 / 2] >> (j % 2 * 16) & 0xffff;
}

/* A coordinate of the mutant: x1 + F (x2 - x3), moved to the nearer bound where it is out of bounds. */
DE_FUNCTION float de_mutant(float x1, float x2, float x3, float weight, float low, float high)
{
    return de_clamp(de_fma(weight, de_sub(x2, x3), x1), low, high);
}

/* ------------------------------------------------------------------ objective functions */

/* Two sums, whose meaning is the function's, and the coordinate before. */
struct de_sum {
    float a, b, last;
};

DE_FUNCTION struct de_sum de_sum_start(void)
{
    struct de_sum s = { 0.0f, 0.0f, 0.0f };

    return s;
}

/* 1 / (pi sqrt(j + 1)), which de_sum_add() needs as `factor` for Griewank's function, and for no other. */
DE_FUNCTION float de_griewank_factor(uint32_t j) { return de_div(0.318309873f, de_sqrt((float)(j + 1))); }

/*
 * Adds coordinate j, to be called for j = 0, 1, ... D - 1 in this order. z is the distance from the optimum in that
 * coordinate: x[j] - shift[j], or the rotation's row j times that vector (de_rotate()).
 */
DE_FUNCTION struct de_sum de_sum_add(int function, struct de_sum s, uint32_t j, float z, float factor)
{
    float t, w, e;

    switch (function) {
    case DIFFEVO_SPHERE: /* a: the sum of z^2 */
        s.a = de_fma(z, z, s.a);
        break;
    case DIFFEVO_ROSENBROCK: /* a: 100 (w[j] - w[j-1]^2)^2 + (w[j-1] - 1)^2, where w = z + 1 */
        if (j > 0) {
            w = de_add(s.last, 1.0f);
            t = de_fma(-w, w, de_add(z, 1.0f));
            s.a = de_fma(de_mul(100.0f, t), t, s.a);
            s.a = de_fma(s.last, s.last, s.a);
        }
        s.last = z;
        break;
    case DIFFEVO_RASTRIGIN: /* a: z^2 + 10 - 10 cos(2 pi z), the last two being 20 sin^2(pi z) */
        t = de_sinpi(z);
        s.a = de_fma(z, z, s.a);
        s.a = de_fma(de_mul(20.0f, t), t, s.a);
        break;
    case DIFFEVO_ACKLEY: /* a: the sum of z^2; b: of sin^2(pi z) */
        t = de_sinpi(z);
        s.a = de_fma(z, z, s.a);
        s.b = de_fma(t, t, s.b);
        break;
    case DIFFEVO_GRIEWANK: /* a: the sum of z^2; b: 1 - the product c[0] c[1] ... of c[j] = cos(z / sqrt(j + 1)) */
        t = de_cospi_of_product(z, factor);
        s.a = de_fma(z, z, s.a);
        s.b = de_fma(s.b, t, de_sub(1.0f, t));
        break;
    default: /* Schwefel. a: 418.98... - w sin(sqrt |w|), w = z + 420.96...; beyond 500 in size a parabola on top */
        t = de_add(z, 420.968746f);
        w = de_clamp(t, -500.0f, 500.0f);
        e = de_sub(t, w);
        t = de_fma(-w, de_sin(de_sqrt(w < 0.0f ? -w : w)), 418.982887f);
        s.a = de_add(s.a, t);
        s.a = de_fma(de_mul(0.01f, e), e, s.a);
        break;
    }
    return s;
}

/* The function's value after the last coordinate. */
DE_FUNCTION float de_sum_end(int function, struct de_sum s, uint32_t dimension)
{
    float a, b;

    if (function == DIFFEVO_ACKLEY) { /* -20 exp(-0.2 sqrt(mean z^2)) - exp(mean cos(2 pi z)) + 20 + e */
        a = de_expm1(de_mul(-0.2f, de_sqrt(de_div(s.a, (float)dimension))));
        b = de_expm1(de_mul(-2.0f, de_div(s.b, (float)dimension)));
        return de_fma(-20.0f, a, de_mul(-2.71828175f, b));
    }
    if (function == DIFFEVO_GRIEWANK)
        return de_fma(s.a, 2.5e-4f, s.b);
    return s.a;
}

/* One more column of a rotation's row: sum + entry * y, from sum = 0 and column 0 on. */
DE_FUNCTION float de_rotate(float sum, float entry, float y) { return de_fma(entry, y, sum); }

/* ------------------------------------------------------------------ checksum */

/* What a word adds to the checksum: the finaliser of MurmurHash3 (Appleby) over its place and its bits. */
DE_FUNCTION uint64_t de_checksum(uint32_t individual, uint32_t j, uint32_t dimension, float word)
{
    uint64_t h = (uint64_t)(individual * (dimension + 1) + j + 1) << 32 | de_bits(word);

    h = (h ^ h >> 33) * 0xff51afd7ed558ccdull;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53ull;
    return h ^ h >> 33;
}

#endif
