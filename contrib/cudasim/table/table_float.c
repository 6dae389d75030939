/*
 * table_float.c - f32 and f64: arithmetic, approximate functions, comparisons; and all conversions without halves.
 * table_float_list.h holds the instructions that are one expression.
 *
 * Every body sets the control word for its instruction. The processor then rounds and flushes as PTX says: its DAZ and
 * FTZ are .ftz for arithmetic, conversions and comparisons. Bodies that work on bits flush in their own code. Results
 * of f64 are never flushed, because no f64 instruction has .ftz.
 *
 * No lane calls the C library. Contraction is off, so all levels give the same bits.
 *
 * "The hardware" is an H200 on which the behaviour was seen.
 */
#pragma GCC optimize("fp-contract=off")

#include "table.h"

#include <immintrin.h>

#define SIGN32 0x80000000u
#define SIGN64 0x8000000000000000ull
#define INFINITY32 0x7F800000u
#define INFINITY64 0x7FF0000000000000ull
#define NAN32 0x7FFFFFFFu

/* For operations that meet no subnormals: the rounding must be right, the flush modes may be any. */
INLINE void rounding_enter(struct warp *w, const struct ins *i)
{
    if ((w->worker->mxcsr ^ i->mxcsr) & MXCSR_ROUNDING)
        float_enter(w, i);
}

INLINE u64 saturate_f64(u64 u)
{
    f64 x = f64_from(u);

    return x != x ? 0 : x < 0 || u == SIGN64 ? 0 : x > 1 ? 0x3FF0000000000000ull : u;
}

/* ---- sqrt, rint and fma of all lanes: with -frounding-math gcc makes no vectors of them ---- */
#if defined(__AVX512F__)
#define VECTOR(name) _mm512_##name
#define VECTOR_RINT(kind, x) _mm512_roundscale_##kind(x, _MM_FROUND_CUR_DIRECTION)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR(name) _mm256_##name
#define VECTOR_RINT(kind, x) _mm256_round_##kind(x, _MM_FROUND_CUR_DIRECTION)
#define VECTOR_BYTES 32
#else
#define VECTOR(name) _mm_##name
#define VECTOR_RINT(kind, x) _mm_round_##kind(x, _MM_FROUND_CUR_DIRECTION)
#define VECTOR_BYTES 16
#endif
#define EACH_VECTOR(F) for (size_t l = 0; l < LANES; l += VECTOR_BYTES / sizeof(F))

#if defined(__FMA__)
#define FMA_OF_ALL(F, kind, library)                                                                                   \
    INLINE void fma_all_##F(F *r, const F *a, const F *b, const F *c)                                                  \
    {                                                                                                                  \
        EACH_VECTOR(F)                                                                                                 \
        VECTOR(storeu_##kind)(r + l, VECTOR(fmadd_##kind)(VECTOR(loadu_##kind)(a + l), VECTOR(loadu_##kind)(b + l),    \
                                                          VECTOR(loadu_##kind)(c + l)));                               \
    }
#else
#define FMA_OF_ALL(F, kind, library)                                                                                   \
    INLINE void fma_all_##F(F *r, const F *a, const F *b, const F *c)                                                  \
    {                                                                                                                  \
        for (int l = 0; l < LANES; l++)                                                                                \
            r[l] = library(a[l], b[l], c[l]);                                                                          \
    }
#endif
#define OF_ALL(F, kind, library)                                                                                       \
    INLINE void sqrt_all_##F(F *r, const F *a)                                                                         \
    {                                                                                                                  \
        EACH_VECTOR(F) VECTOR(storeu_##kind)(r + l, VECTOR(sqrt_##kind)(VECTOR(loadu_##kind)(a + l)));                 \
    }                                                                                                                  \
    INLINE void rint_all_##F(F *r, const F *a)                                                                         \
    {                                                                                                                  \
        EACH_VECTOR(F) VECTOR(storeu_##kind)(r + l, VECTOR_RINT(kind, VECTOR(loadu_##kind)(a + l)));                   \
    }                                                                                                                  \
    FMA_OF_ALL(F, kind, library)
OF_ALL(f32, ps, __builtin_fmaf)
OF_ALL(f64, pd, __builtin_fma)

/* The end of a body that has its values in an array: as UNARY. */
#define FINISH(name, DT, AT, expression)                                                                               \
    INLINE const struct ins *name(struct warp *w, const struct ins *i, const AT *A)                                    \
    {                                                                                                                  \
        DT *D = slot_at(w, i->d);                                                                                      \
        if (w->mask == FULL_MASK) {                                                                                    \
            EACH_LANE { AT a = A[l]; D[l] = (DT)(expression); }                                                        \
        } else {                                                                                                       \
            const u32 *on = w->lanes;                                                                                  \
            EACH_LANE { AT a = A[l]; DT r_ = (DT)(expression); D[l] = on[l] ? r_ : D[l]; }                             \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }
FINISH(finish_f32, u32, f32, canon_f32(a))
FINISH(finish_f32_sat, u32, f32, saturate_f32(f32_bits(a)))
FINISH(finish_f64, u64, f64, canon_f64(a))
FINISH(finish_f64_sat, u64, f64, saturate_f64(f64_bits(a)))
FINISH(finish_u64, u64, u64, a)

/* ---- arithmetic: the body with .sat has its own loop ---- */
#define SAT_STEP(name)                                                                                                 \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        float_enter(w, i);                                                                                             \
        return i->flags & INS_SATURATE ? name##_sat(w, i) : name##_plain(w, i);                                        \
    }
#define PLAIN_STEP(name)                                                                                               \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        float_enter(w, i);                                                                                             \
        return name##_plain(w, i);                                                                                     \
    }
#define F32_BINARY(name, expression)                                                                                   \
    BINARY(name##_plain, u32, f32, f32, canon_f32(expression))                                                         \
    BINARY(name##_sat, u32, f32, f32, saturate_f32(f32_bits(expression)))                                              \
    SAT_STEP(name)
#define F64_BINARY(name, expression)                                                                                   \
    BINARY(name##_plain, u64, f64, f64, expression)                                                                    \
    PLAIN_STEP(name)

/*
 * NaN in f64, as an H200 gives it. It quiets an operand's NaN and keeps the sign and payload, as the processor does. A
 * new NaN is 0xFFF8000000000000 on both. Of two NaN the hardware takes the last, of three the middle one first. The
 * processor's choice depends on the order that the compiler gives the operands. So the caller names `last`.
 */
#define QUIET64 0x0008000000000000ull

INLINE u64 prefer_f64(u64 r, f64 last)
{
    return last != last ? f64_bits(last) | QUIET64 : r;
}

STEP(fma_f32)
{
    f32 x[LANES] ALIGNED;

    float_enter(w, i);
    fma_all_f32(x, slot_at(w, i->a), slot_at(w, i->b), slot_at(w, i->c));
    return i->flags & INS_SATURATE ? finish_f32_sat(w, i, x) : finish_f32(w, i, x);
}

STEP(fma_f64)
{
    const f64 *B = slot_at(w, i->b), *C = slot_at(w, i->c);
    f64 x[LANES] ALIGNED;
    u64 r[LANES] ALIGNED;

    float_enter(w, i);
    fma_all_f64(x, slot_at(w, i->a), B, C);
    EACH_LANE { r[l] = prefer_f64(prefer_f64(canon_f64(x[l]), C[l]), B[l]); }
    return finish_u64(w, i, r);
}

/* ---- reciprocals, division, roots: without .sat ---- */
#define F32_UNARY(name, expression)                                                                                    \
    UNARY(name##_plain, u32, f32, expression)                                                                          \
    PLAIN_STEP(name)
#define F64_UNARY(name, expression)                                                                                    \
    UNARY(name##_plain, u64, f64, expression)                                                                          \
    PLAIN_STEP(name)

/* A body of `finish` on the square roots. */
#define ROOT(name, F, finish)                                                                                          \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        F x[LANES] ALIGNED;                                                                                            \
        float_enter(w, i);                                                                                             \
        sqrt_all_##F(x, slot_at(w, i->a));                                                                             \
        return finish(w, i, x);                                                                                        \
    }
ROOT(sqrt_f32, f32, finish_f32)
ROOT(sqrt_f64, f64, finish_f64)

/* The .approx.ftz of f64 sees and gives the upper words only, and flushes subnormals. */
INLINE f64 upper(f64 x)
{
    u64 u = f64_bits(x);

    return f64_from(u & (u & INFINITY64 ? 0xFFFFFFFF00000000ull : SIGN64));
}

INLINE u64 upper_bits(f64 x)
{
    return x != x ? 0x7FFFFFFF00000000ull : f64_bits(upper(x));
}

/*
 * ---- approximate functions, bit for bit as an H100 has them ----
 *
 * The hardware interpolates: the upper bits of a fraction choose a segment, the others are x, and the value is a
 * quadratic in x (S. F. Oberman, M. Y. Siu: A High-Performance Area-Efficient Multifunction Interpolator, ARITH 2005).
 * The square is truncated. With that, a row of three integers for each segment gives every one of the 2^23 results of a
 * function. tools/main_interpolation.cu finds the rows on a GPU.
 */
#include "interpolation.h"

#define ROUNDER 0x1.8p52 /* adding it leaves the nearest integer in the low bits */
#define POSITION_BITS 23
#define POSITION_MASK 0x7FFFFFu

/* x^2 2^-19 of 17 bits, without the products of two bits below 2^19: nothing is carried from them. */
INLINE u32 square_of(u32 x)
{
#define BIT(i, kept, own) ((0u - (x >> (i) & 1)) & (((x & (0x1FFFFu & ~0u << (kept))) >> (18 - (i))) + (own)))
#define LOW(i) BIT(i, 18 - (i), 0)
#define HIGH(i) BIT(i, (i) + 1, 1u << (2 * (i) - 19))
    return LOW(2) + LOW(3) + LOW(4) + LOW(5) + LOW(6) + LOW(7) + LOW(8) + BIT(9, 10, 0) + HIGH(10) + HIGH(11) +
           HIGH(12) + HIGH(13) + HIGH(14) + HIGH(15) + HIGH(16);
#undef HIGH
#undef LOW
#undef BIT
}

/* An entry of a table's column for each lane. Gathers are slow, and 64 entries fit four registers. */
INLINE void look_up(s32 *found, const s32 *column, int entries, const u32 *at)
{
#if defined(__AVX512F__)
    const __m512i half = _mm512_set1_epi32(32), upper = _mm512_set1_epi32(64);

    for (int l = 0; l < LANES; l += 16) {
        const __m512i index = _mm512_loadu_si512(at + l);
        __m512i quarter[4], r[2];

        for (int n = 0; n < entries / 32; n++)
            quarter[n] = _mm512_permutex2var_epi32(_mm512_loadu_si512(column + 32 * n), index,
                                                   _mm512_loadu_si512(column + 32 * n + 16));
        for (int n = 0; n < entries / 64; n++)
            r[n] = _mm512_mask_blend_epi32(_mm512_test_epi32_mask(index, half), quarter[2 * n], quarter[2 * n + 1]);
        if (entries == 128)
            r[0] = _mm512_mask_blend_epi32(_mm512_test_epi32_mask(index, upper), r[0], r[1]);
        _mm512_storeu_si512(found + l, r[0]);
    }
#else
    (void)entries;
    for (int l = 0; l < LANES; l++)
        found[l] = ((const volatile s32 *)column)[at[l]]; /* no gather */
#endif
}

/*
 * c0 2^14 + rounding + c1 x + c2 s for each lane, in units of 2^-40. A place has the row above 17 bits of x, and s is
 * square_of(x). It is exact, and its first 24 bits are the result.
 */
INLINE void interpolate(f64 *values, const s32 *columns, int entries, s32 rounding, const u32 *places)
{
    u32 row[LANES] ALIGNED;
    s32 c0[LANES] ALIGNED, c1[LANES] ALIGNED, c2[LANES] ALIGNED;

    EACH_LANE { row[l] = places[l] >> 17; }
    look_up(c0, columns, entries, row);
    look_up(c1, columns + entries, entries, row);
    look_up(c2, columns + 2 * entries, entries, row);
    EACH_LANE
    {
        const u32 x = places[l] & 0x1FFFF;

        values[l] = (f64)c0[l] * 16384 + (f64)rounding + (f64)c1[l] * (f64)(s32)x + (f64)c2[l] * (f64)(s32)square_of(x);
    }
}

/* The body of a function of `a`, of the place for an operand and of the result for the operands and a value. */
#define APPROXIMATE(name, table, ROUNDING, operands, operand, place, result)                                           \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const f32 *A = slot_at(w, i->a), *B = operands == 2 ? slot_at(w, i->b) : A;                                    \
        u32 places[LANES] ALIGNED, r[LANES] ALIGNED;                                                                   \
        f64 values[LANES] ALIGNED;                                                                                     \
                                                                                                                       \
        float_enter(w, i);                                                                                             \
        EACH_LANE { places[l] = place(operand[l]); }                                                                   \
        interpolate(values, table[0], sizeof table[0] / sizeof table[0][0], ROUNDING, places);                         \
        EACH_LANE { r[l] = result(A[l], B[l], values[l]); }                                                            \
        return finish_u32(w, i, r);                                                                                    \
    }
FINISH(finish_u32, u32, u32, a)

/* The first 24 bits of a value, in the unit 2^(k - 40). */
INLINE f32 cut_off(f64 value, s32 k)
{
    const f64 cut = f64_from(f64_bits(value) & 0xFFFFFFFFE0000000ull);

    return (f32)(cut * f64_from((u64)(s64)(k + 1023 - 40) << 52));
}

/* A choice without a branch, around which the compiler would make no vectors. */
INLINE u32 pick(bool which, u32 yes, u32 no)
{
    const u32 mask = 0u - which;

    return (yes & mask) | (no & ~mask);
}

/* 1.m 2^e of a positive normal f64 */
INLINE u32 fraction_of(f64 x) { return (u32)(f64_bits(x) >> 29) & POSITION_MASK; }
INLINE s32 exponent_of(f64 x) { return (s32)(f64_bits(x) >> 52 & 0x7FF) - 1023; }
INLINE f64 magnitude_of(f32 a) { return f64_from(f64_bits((f64)a) & ~SIGN64); }

/*
 * 2^a. The fraction is that of |a|, cut off, and its complement where a is negative and no integer. Where the result is
 * subnormal, it is that of the half of a, squared.
 */
INLINE bool exp2_is_small(f32 a) { return a < -126; }

INLINE u32 exp2_fixed(f32 a)
{
    const f64 x = magnitude_of(exp2_is_small(a) ? a * 0.5f : a);
    const u32 fixed = (u32)(s32)((x > 160 ? 160 : x) * 0x1p23);

    return pick(a < 0, ~fixed + ((fixed & POSITION_MASK) == 0), fixed);
}

INLINE u32 exp2_place(f32 a) { return exp2_fixed(a) & POSITION_MASK; }

INLINE u32 exp2_result(f32 a, f32 b, f64 value)
{
    const f32 r = cut_off(value, (s32)exp2_fixed(a) >> POSITION_BITS), rr = r * r;

    (void)b;
    return pick(a != a, NAN32, pick(exp2_is_small(a), f32_bits(rr), f32_bits(r)));
}

APPROXIMATE(ex2_f32, exp2_table, EXP2_ROUNDING, 1, A, exp2_place, exp2_result)

/*
 * log2. The sum of exponent and fraction has 36 bits behind the point: near 1 some of the last are 0. A subnormal
 * number is scaled, and the result rounded.
 */
INLINE bool log2_is_small(f64 x) { return x < 0x1p-126; }
INLINE f64 log2_scaled(f64 x) { return log2_is_small(x) ? x * 0x1p24 : x; }
INLINE u32 log2_place(f32 a) { return fraction_of(log2_scaled(magnitude_of(a))); }

INLINE u32 log2_result(f32 a, f32 b, f64 value)
{
    const f64 x = magnitude_of(a);
    const f64 sum = ((f64)exponent_of(log2_scaled(x)) * 0x1p40 + value) * 0x1p-4, whole = sum < 0 ? -sum : sum;
    const f64 nearest = (whole + ROUNDER) - ROUNDER, down = nearest > whole ? nearest - 1 : nearest;
    const f32 r = cut_off(sum < 0 ? -down : down, 4), moved = r - 24;

    (void)b;
    return pick(
        (a != a) | (a < 0), NAN32,
        pick(x == 0, SIGN32 | INFINITY32,
             pick(x >= 0x1p128, INFINITY32, pick(a == 1, 0, pick(log2_is_small(x), f32_bits(moved), f32_bits(r))))));
}

APPROXIMATE(lg2_f32, log2_table, LOG2_ROUNDING, 1, A, log2_place, log2_result)

/* 1 / a has 128 segments, and x of 16 bits. */
INLINE u32 reciprocal_place(f32 a) { return fraction_of(magnitude_of(a)) << 1; }

INLINE u32 reciprocal_of(f32 a, f64 value)
{
    const f64 x = magnitude_of(a);
    const f32 r = cut_off(value, -exponent_of(x));

    return pick(a != a, NAN32,
                (f32_bits(a) & SIGN32) | pick(x == 0, INFINITY32, pick(x >= 0x1p128, 0, f32_bits(r))));
}

INLINE u32 reciprocal_result(f32 a, f32 b, f64 value)
{
    (void)b;
    return reciprocal_of(a, value);
}

APPROXIMATE(rcp_approx_f32, reciprocal_table, RECIPROCAL_ROUNDING, 1, A, reciprocal_place, reciprocal_result)

/* A divisor of which the reciprocal would be infinite: both sides are multiplied by this. */
INLINE f32 scale_of(f32 b) { return (f32_bits(b) & ~SIGN32) < 0x00800000u ? 0x1p24f : 1; }
INLINE u32 divisor_place(f32 b) { return reciprocal_place(b * scale_of(b)); }

/* div.approx multiplies by the reciprocal, of which a subnormal one is 0: for |b| above 2^126. */
INLINE u32 div_approx_result(f32 a, f32 b, f64 value)
{
    const u32 r = reciprocal_of(b * scale_of(b), value);

    return canon_f32(a * scale_of(b) * f32_from(pick((r & INFINITY32) == 0, r & SIGN32, r)));
}

/* div.full scales those, too. A power of two does not change the place. */
INLINE u32 div_full_result(f32 a, f32 b, f64 value)
{
    const u32 m = f32_bits(b) & ~SIGN32;
    const f32 scale = m > 0x7E800000u && m < INFINITY32 ? 0.25f : scale_of(b);

    return canon_f32(a * scale * f32_from(reciprocal_of(b * scale, value)));
}

APPROXIMATE(div_approx_f32, reciprocal_table, RECIPROCAL_ROUNDING, 2, B, divisor_place, div_approx_result)
APPROXIMATE(div_full_f32, reciprocal_table, RECIPROCAL_ROUNDING, 2, B, divisor_place, div_full_result)

/* Roots have 64 segments for even exponents, and 64 for odd ones. */
INLINE u32 root_place(f32 a)
{
    const f64 x = magnitude_of(a);

    return fraction_of(x) | ((u32)exponent_of(x) & 1) << POSITION_BITS;
}

INLINE u32 root_result(f32 a, f32 b, f64 value)
{
    const f64 x = magnitude_of(a);
    const f32 r = cut_off(value, exponent_of(x) >> 1);

    (void)b;
    return pick(x == 0, f32_bits(a) & SIGN32,
                pick((a != a) | (a < 0), NAN32, pick(x >= 0x1p128, INFINITY32, f32_bits(r))));
}

/* At powers of 4 the hardware is exact. */
INLINE u32 reciprocal_root_result(f32 a, f32 b, f64 value)
{
    const f64 x = magnitude_of(a);
    const f32 r = cut_off(root_place(a) == 0 ? 0x1p40 : value, -(exponent_of(x) >> 1));

    (void)b;
    return pick(x == 0, (f32_bits(a) & SIGN32) | INFINITY32,
                pick((a != a) | (a < 0), NAN32, pick(x >= 0x1p128, 0, f32_bits(r))));
}

APPROXIMATE(sqrt_approx_f32, root_table, ROOT_ROUNDING, 1, A, root_place, root_result)
APPROXIMATE(rsqrt_approx_f32, rsqrt_table, RSQRT_ROUNDING, 1, A, root_place, reciprocal_root_result)

/*
 * An angle is a / 2 pi, cut off to f32. So large angles have the hardware's error, and integers count as 0. Its
 * fraction has 25 bits: the quarter, and the position, which is complemented in every second quarter.
 */
INLINE u32 sin_quarters(f32 a)
{
    f64 t = f64_from(f64_bits((f64)a * (f64)0.15915494f) & 0x7FFFFFFFE0000000ull);

    t = f64_from(f64_bits(t) & (0 - (u64)(t < 0x1p24)));
    return (u32)(s32)((t - (f64)(s32)t) * 0x1p25);
}

INLINE u32 cos_quarters(f32 a) { return sin_quarters(a) + (1u << POSITION_BITS); }

INLINE u32 place_of_quarters(u32 quarters)
{
    return (quarters ^ (0u - (quarters >> POSITION_BITS & 1))) & POSITION_MASK;
}

INLINE u32 sine_of_quarters(f32 a, u32 quarters, f64 value)
{
    const u32 sign = (quarters >> (POSITION_BITS + 1) & 1) << 31;

    return pick((f32_bits(a) & ~SIGN32) >= INFINITY32, NAN32, f32_bits(cut_off(value, 0)) ^ sign);
}

INLINE u32 sin_place(f32 a) { return place_of_quarters(sin_quarters(a)); }
INLINE u32 cos_place(f32 a) { return place_of_quarters(cos_quarters(a)); }

INLINE u32 sin_result(f32 a, f32 b, f64 value)
{
    (void)b;
    return sine_of_quarters(a, sin_quarters(a) ^ f32_bits(a) >> 31 << (POSITION_BITS + 1), value);
}

INLINE u32 cos_result(f32 a, f32 b, f64 value)
{
    (void)b;
    return sine_of_quarters(a, cos_quarters(a), value);
}

APPROXIMATE(sin_f32, sine_table, SINE_ROUNDING, 1, A, sin_place, sin_result)
APPROXIMATE(cos_f32, sine_table, SINE_ROUNDING, 1, A, cos_place, cos_result)

/*
 * The .approx.ftz of f64 have the same tables: 20 bits of fraction come in, and 20 go out. `special` is the result for
 * 0, infinity and NaN.
 */
INLINE u32 upper_fraction(f64 x) { return (u32)(f64_bits(x) >> 32 & 0xFFFFF) << 3; }

INLINE u64 upper_result(f64 special, f64 x, f64 value, s32 exponent)
{
    const u64 sign = f64_bits(x) & SIGN64, cut = f64_bits(value * 0x1p-40) & ~0xFFFFFFFFull;
    const u64 r = f64_bits(upper(f64_from(cut) * f64_from((u64)(s64)(exponent + 1023) << 52)));
    const u64 mask = 0 - (u64)(special != special || special == 0 || special > 0x1.fp1023 || special < -0x1.fp1023);

    return (upper_bits(special) & mask) | ((sign | r) & ~mask);
}

#define APPROXIMATE_UPPER(name, table, ROUNDING, place, result)                                                        \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const f64 *A = slot_at(w, i->a);                                                                               \
        u32 places[LANES] ALIGNED;                                                                                     \
        u64 r[LANES] ALIGNED;                                                                                          \
        f64 values[LANES] ALIGNED, x[LANES] ALIGNED;                                                                   \
                                                                                                                       \
        float_enter(w, i);                                                                                             \
        EACH_LANE { x[l] = upper(A[l]); places[l] = place(x[l]); }                                                     \
        interpolate(values, table[0], sizeof table[0] / sizeof table[0][0], ROUNDING, places);                         \
        EACH_LANE { r[l] = result(x[l], values[l]); }                                                                  \
        return finish_u64(w, i, r);                                                                                    \
    }

INLINE u32 upper_reciprocal_place(f64 x) { return upper_fraction(x) << 1; }
INLINE u64 upper_reciprocal(f64 x, f64 value) { return upper_result(1.0 / x, x, value, -exponent_of(x)); }

INLINE u32 upper_root_place(f64 x) { return upper_fraction(x) | ((u32)exponent_of(x) & 1) << POSITION_BITS; }

INLINE u64 upper_reciprocal_root(f64 x, f64 value)
{
    const f64 special = x > 0 && x < 0x1.fp1023 ? 1 : 1.0 / __builtin_sqrt(x);

    return upper_result(special, x, upper_root_place(x) == 0 ? 0x1p40 : value, -(exponent_of(x) >> 1));
}

APPROXIMATE_UPPER(rcp_approx_f64, reciprocal_table, RECIPROCAL_ROUNDING, upper_reciprocal_place, upper_reciprocal)
APPROXIMATE_UPPER(rsqrt_approx_f64, rsqrt_table, RSQRT_ROUNDING, upper_root_place, upper_reciprocal_root)

/*
 * rsqrt.approx.f64, whose bits on an H100 are those of one step of Halley's method from y, which is rsqrt.approx.ftz,
 * with e = 1 - a y^2. A subnormal number is scaled.
 */
STEP(rsqrt_f64)
{
    const f64 *A = slot_at(w, i->a);
    u32 places[LANES] ALIGNED;
    u64 result[LANES] ALIGNED;
    f64 values[LANES] ALIGNED, x[LANES] ALIGNED, y[LANES] ALIGNED, square[LANES] ALIGNED, e[LANES] ALIGNED;
    f64 one[LANES] ALIGNED, half[LANES] ALIGNED, factor[LANES] ALIGNED, added[LANES] ALIGNED;

    float_enter(w, i);
    EACH_LANE
    {
        x[l] = A[l] < 0x1p-1022 ? A[l] * 0x1p54 : A[l];
        places[l] = upper_root_place(upper(x[l]));
        one[l] = 1;
        half[l] = 0.5;
        factor[l] = 0.375;
    }
    interpolate(values, rsqrt_table[0], sizeof rsqrt_table[0] / sizeof rsqrt_table[0][0], RSQRT_ROUNDING, places);
    EACH_LANE
    {
        y[l] = f64_from(upper_reciprocal_root(upper(x[l]), values[l]));
        square[l] = -(y[l] * y[l]);
    }
    fma_all_f64(e, x, square, one);
    fma_all_f64(factor, e, factor, half);
    EACH_LANE { added[l] = e[l] * y[l]; }
    fma_all_f64(y, factor, added, y);
    EACH_LANE
    {
        const f64 r = A[l] < 0x1p-1022 ? y[l] * 0x1p27 : y[l];

        result[l] = A[l] > 0 && A[l] <= 0x1.fffffffffffffp1023 ? f64_bits(r) : canon_f64(1.0 / __builtin_sqrt(A[l]));
    }
    return finish_u64(w, i, result);
}

/*
 * tanh has rows in each binade from 2^-8 to 2^2, more where it bends. Below, it is its argument, above 1. The unit of a
 * value goes with the argument below 1/2.
 */
enum { TANH_LEAST = -8, TANH_MOST = 2 };
static const s32 tanh_first[] = { 0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43 };
static const s32 tanh_bits[] = { 0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3 }; /* of the fraction, which choose among them */

INLINE u32 tanh_place(f32 a)
{
    const f64 x = magnitude_of(a);
    const s32 e = exponent_of(x), binade = (e < TANH_LEAST ? TANH_LEAST : e > TANH_MOST ? TANH_MOST : e) - TANH_LEAST;
    const u32 fraction = fraction_of(x), bits = (u32)tanh_bits[binade];

    return ((u32)tanh_first[binade] + (fraction >> (23 - bits))) << 17 | (fraction >> (6 - bits) & 0x1FFFF);
}

INLINE u32 tanh_result(f32 a, f32 b, f64 value)
{
    const s32 e = exponent_of(magnitude_of(a));
    const u32 r = pick(e > TANH_MOST, 0x3F800000u, f32_bits(cut_off(value, e < -1 ? e + 1 : 0)));

    (void)b;
    return pick(a != a, NAN32, pick(e < TANH_LEAST, f32_bits(a), r | (f32_bits(a) & SIGN32)));
}

APPROXIMATE(tanh_f32, tanh_table, TANH_ROUNDING, 1, A, tanh_place, tanh_result)

/* ---- sign, minimum, maximum, classes: on the bits ---- */
INLINE bool nan_32(u32 u) { return (u & ~SIGN32) > INFINITY32; }
INLINE bool nan_64(u64 u) { return (u & ~SIGN64) > INFINITY64; }

/* An operand as min, max, abs and neg see it. */
INLINE u32 operand_of(u32 u, bool ftz)
{
    return ftz ? flush_f32(u) : u;
}

#define SIGN_BODY(name, expression)                                                                                    \
    UNARY(name##_plain, u32, u32, nan_32(a) ? NAN32 : (expression))                                                    \
    UNARY(name##_ftz, u32, u32, nan_32(a) ? NAN32 : flush_f32(expression))                                             \
    STEP(name) { return FLUSHES(i) ? name##_ftz(w, i) : name##_plain(w, i); }

/* Order as of integers: -0 is below +0. */
INLINE s32 order_32(u32 u) { return (s32)(u ^ ((u32)((s32)u >> 31) & ~SIGN32)); }
INLINE s64 order_64(u64 u) { return (s64)(u ^ ((u64)((s64)u >> 63) & ~SIGN64)); }

/* One NaN gives the other operand, unless .NaN; .xorsign.abs takes the magnitudes, and the product's sign. */
INLINE u32 extremum_32(u32 a, u32 b, bool maximum, bool spread_nan, bool xorsign, bool ftz)
{
    u32 sign = xorsign ? (a ^ b) & SIGN32 : 0, m;
    bool nan_a = nan_32(a), nan_b = nan_32(b);

    a = operand_of(xorsign ? a & ~SIGN32 : a, ftz);
    b = operand_of(xorsign ? b & ~SIGN32 : b, ftz);
    m = (order_32(a) < order_32(b)) != maximum ? a : b;
    if (!spread_nan)
        m = nan_a ? b : nan_b ? a : m;
    return (spread_nan ? nan_a || nan_b : nan_a && nan_b) ? NAN32 : m | sign;
}

INLINE u64 extremum_64(u64 a, u64 b, bool maximum)
{
    u64 m = (order_64(a) < order_64(b)) != maximum ? a : b;
    bool nan_a = nan_64(a), nan_b = nan_64(b);

    return nan_a && nan_b ? b | QUIET64 : nan_a ? b : nan_b ? a : m;
}

#define EXTREMUM_BODY(name, maximum, spread_nan, xorsign)                                                              \
    BINARY(name##_plain, u32, u32, u32, extremum_32(a, b, maximum, spread_nan, xorsign, false))                        \
    BINARY(name##_ftz, u32, u32, u32, extremum_32(a, b, maximum, spread_nan, xorsign, true))                           \
    STEP(name) { return FLUSHES(i) ? name##_ftz(w, i) : name##_plain(w, i); }

/* least: of the normal numbers, among which PTX counts zeros */
#define TESTP(T, sign, infinity, least)                                                                                \
    UNARY(testp_finite_##T, u32, T, ONES((a & ~sign) < infinity))                                                      \
    UNARY(testp_infinite_##T, u32, T, ONES((a & ~sign) == infinity))                                                   \
    UNARY(testp_number_##T, u32, T, ONES((a & ~sign) <= infinity))                                                     \
    UNARY(testp_notanumber_##T, u32, T, ONES((a & ~sign) > infinity))                                                  \
    UNARY(testp_normal_##T, u32, T, ONES((a & ~sign) < infinity && ((a & ~sign) >= least || (a & ~sign) == 0)))        \
    UNARY(testp_subnormal_##T, u32, T, ONES((a & ~sign) != 0 && (a & ~sign) < least))
TESTP(u32, SIGN32, INFINITY32, 0x00800000u)
TESTP(u64, SIGN64, INFINITY64, 0x0010000000000000ull)

/* ---- comparison: the control word makes subnormals 0 for .ftz, and must not for f64 ---- */
#define FLOAT_COMPARE(name, T, condition)                                                                              \
    COMPARE(name##_##T##_plain, T, condition)                                                                          \
    STEP(setp_##name##_##T)                                                                                            \
    {                                                                                                                  \
        float_enter(w, i);                                                                                             \
        return setp_##name##_##T##_plain(w, i);                                                                        \
    }
#define EACH_COMPARISON(X, T)                                                                                          \
    X(eq, T, a == b)                                                                                                   \
    X(ne, T, a < b || a > b)                                                                                           \
    X(lt, T, a < b)                                                                                                    \
    X(le, T, a <= b)                                                                                                   \
    X(gt, T, a > b)                                                                                                    \
    X(ge, T, a >= b)                                                                                                   \
    X(equ, T, !(a < b || a > b))                                                                                       \
    X(neu, T, a != b)                                                                                                  \
    X(ltu, T, !(a >= b))                                                                                               \
    X(leu, T, !(a > b))                                                                                                \
    X(gtu, T, !(a <= b))                                                                                               \
    X(geu, T, !(a < b))                                                                                                \
    X(num, T, !__builtin_isunordered(a, b))                                                                            \
    X(nan, T, __builtin_isunordered(a, b))
EACH_COMPARISON(FLOAT_COMPARE, f32)
EACH_COMPARISON(FLOAT_COMPARE, f64)

/* ---- integers to integers: cut or extended; the sign of the result's type does not matter ---- */
#define EACH_INTEGER(X, ...)                                                                                           \
    X(u16, __VA_ARGS__) X(s16, __VA_ARGS__) X(u32, __VA_ARGS__) X(s32, __VA_ARGS__) X(u64, __VA_ARGS__)                \
        X(s64, __VA_ARGS__)

#define INTEGER_CVT(A, D) UNARY(cvt_##D##_##A, D, A, a)
EACH_INTEGER(INTEGER_CVT, u16)
EACH_INTEGER(INTEGER_CVT, u32)
EACH_INTEGER(INTEGER_CVT, u64)

/* .sat: the nearest value that the type has; 8 bits travel in 16-bit lanes. Narrow types compare in 32 bits. */
#define CLAMP(name, S, U)                                                                                              \
    INLINE U name(S a, bool is_signed, S least, U most)                                                                \
    {                                                                                                                  \
        if (is_signed)                                                                                                 \
            return a < least ? (U)least : a > 0 && (U)a > most ? most : (U)a;                                          \
        return (U)a > most ? most : (U)a;                                                                              \
    }
CLAMP(clamp_32, s32, u32)
CLAMP(clamp_64, s64, u64)

#define SIGNED(A) ((A)-1 < (A)1)
#define SAT_CVT(A, T, D, least, most)                                                                                  \
    UNARY(cvt_sat_##T##_##A, D, A,                                                                                     \
          sizeof(A) == 8 || sizeof(D) == 8 ? (D)clamp_64((s64)a, SIGNED(A), (s64)(least), (u64)(most))                 \
                                           : (D)clamp_32((s32)a, SIGNED(A), (s32)(least), (u32)(most)))
EACH_INTEGER(SAT_CVT, u8, u16, 0, 255)
EACH_INTEGER(SAT_CVT, s8, s16, -128, 127)
EACH_INTEGER(SAT_CVT, u16, u16, 0, 65535)
EACH_INTEGER(SAT_CVT, s16, s16, -32768, 32767)
EACH_INTEGER(SAT_CVT, u32, u32, 0, UINT32_MAX)
EACH_INTEGER(SAT_CVT, s32, s32, INT32_MIN, INT32_MAX)
EACH_INTEGER(SAT_CVT, u64, u64, 0, UINT64_MAX)
EACH_INTEGER(SAT_CVT, s64, s64, INT64_MIN, INT64_MAX)

/* ---- integers to floats: one rounding; 0 must not become -0 when rounding down ---- */
#define FROM_INTEGER(A, F, U)                                                                                          \
    UNARY(cvt_##F##_##A##_plain, U, A, F##_bits((F)a))                                                                 \
    UNARY(cvt_##F##_##A##_sat, U, A, saturate_##F(F##_bits((F)a)))                                                     \
    STEP(cvt_##F##_##A)                                                                                                \
    {                                                                                                                  \
        rounding_enter(w, i);                                                                                          \
        return i->flags & INS_SATURATE ? cvt_##F##_##A##_sat(w, i) : cvt_##F##_##A##_plain(w, i);                      \
    }
EACH_INTEGER(FROM_INTEGER, f32, u32)
EACH_INTEGER(FROM_INTEGER, f64, u64)

/* ---- floats to integers: rounded as the control word says, then the nearest value there is ---- */

/* What NaN becomes on an H200: the top bit, or 0 where neither side has 64 bits. Signed 8 bits are then extended. */
INLINE u64 nan_integer(bool from_f64, unsigned bits)
{
    return from_f64 || bits == 64 ? 1ull << (bits - 1) : 0;
}

#define TO_INTEGER_FROM(F, T, bits, D, WIDE, low, limit, least, most)                                                  \
    INLINE D T##_from_##F(F x)                                                                                         \
    {                                                                                                                  \
        D nan = (D)(T)nan_integer(sizeof(F) == 8, bits);                                                               \
        return x != x ? nan : x < (F)low ? (D)least : x >= (F)limit ? (D)most : (D)(WIDE)x;                            \
    }                                                                                                                  \
    FINISH(T##_finish_##F, D, F, T##_from_##F(a))                                                                      \
    STEP(cvt_##T##_##F)                                                                                                \
    {                                                                                                                  \
        F x[LANES] ALIGNED;                                                                                            \
        float_enter(w, i);                                                                                             \
        rint_all_##F(x, slot_at(w, i->a));                                                                             \
        return T##_finish_##F(w, i, x);                                                                                \
    }
#define TO_INTEGER(...) TO_INTEGER_FROM(f32, __VA_ARGS__) TO_INTEGER_FROM(f64, __VA_ARGS__)
TO_INTEGER(u8, 8, u16, s32, 0, 256, 0, 255)
TO_INTEGER(s8, 8, s16, s32, -128, 128, -128, 127)
TO_INTEGER(u16, 16, u16, s32, 0, 65536, 0, 65535)
TO_INTEGER(s16, 16, s16, s32, -32768, 32768, -32768, 32767)
TO_INTEGER(u32, 32, u32, u32, 0, 0x1p32, 0, UINT32_MAX)
TO_INTEGER(s32, 32, s32, s32, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX)
TO_INTEGER(u64, 64, u64, u64, 0, 0x1p64, 0, UINT64_MAX)
TO_INTEGER(s64, 64, s64, s64, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX)

/* ---- floats to floats ---- */
#define FLOAT_CVT(name, F, A, expression)                                                                              \
    UNARY(name##_plain, JOIN1(bits_, F), A, expression)                                                                \
    UNARY(name##_sat, JOIN1(bits_, F), A, saturate_##F(expression))                                                    \
    SAT_STEP(name)
typedef u32 bits_f32;
typedef u64 bits_f64;

/* NaN keeps its sign and what fits of its payload; but .ftz makes f32's own of one that is an f32. */
FLOAT_CVT(cvt_f64_f32_exact, f64, f32, f64_bits((f64)a))
FLOAT_CVT(cvt_f64_f32_ftz, f64, f32, a != a ? 0x7FFFFFFFE0000000ull : f64_bits((f64)a))
FLOAT_CVT(cvt_f32_f64, f32, f64, f32_bits((f32)a))

STEP(cvt_f64_f32)
{
    return FLUSHES(i) ? cvt_f64_f32_ftz(w, i) : cvt_f64_f32_exact(w, i);
}

FLOAT_CVT(cvt_f64_f64, f64, f64, f64_bits(a))

#define RINT_CVT(F)                                                                                                    \
    STEP(cvt_rint_##F##_##F)                                                                                           \
    {                                                                                                                  \
        F x[LANES] ALIGNED;                                                                                            \
        float_enter(w, i);                                                                                             \
        rint_all_##F(x, slot_at(w, i->a));                                                                             \
        return i->flags & INS_SATURATE ? finish_##F##_sat(w, i, x) : finish_##F(w, i, x);                              \
    }
RINT_CVT(f32)
RINT_CVT(f64)

UNARY(cvt_f32_f32_plain, u32, u32, a)
UNARY(cvt_f32_f32_ftz, u32, u32, nan_32(a) ? NAN32 : flush_f32(a))
UNARY(cvt_f32_f32_sat, u32, u32, saturate_f32(a))
UNARY(cvt_f32_f32_ftz_sat, u32, u32, saturate_f32(flush_f32(a)))

STEP(cvt_f32_f32)
{
    float_enter(w, i); /* saturation compares, which DAZ would disturb */
    if (i->flags & INS_SATURATE)
        return FLUSHES(i) ? cvt_f32_f32_ftz_sat(w, i) : cvt_f32_f32_sat(w, i);
    return FLUSHES(i) ? cvt_f32_f32_ftz(w, i) : cvt_f32_f32_plain(w, i);
}

/* ---- the list, as bodies ---- */
#define F32_SAT(names, body, expression) F32_BINARY(body, expression)
#define F32_ONE(names, body, allows, expression) F32_UNARY(body, expression)
#define F32_TWO(names, body, allows, expression)                                                                       \
    BINARY(body##_plain, u32, f32, f32, expression)                                                                    \
    PLAIN_STEP(body)
#define F64_ONE(names, body, allows, class, expression) F64_UNARY(body, expression)
#define F64_TWO(names, body, expression) F64_BINARY(body, expression)
#define SIGN(names, body, expression) SIGN_BODY(body, expression)
#define EXTREMUM(names, body, maximum, spread_nan, xorsign) EXTREMUM_BODY(body, maximum, spread_nan, xorsign)
#include "table_float_list.h"

/* ---- rows ---- */
#include "table_rows.h"
#undef F32_SAT
#undef F32_ONE
#undef F32_TWO
#undef F64_ONE
#undef F64_TWO
#undef SIGN
#undef EXTREMUM
#define RFS (ALLOW_ROUNDING | ALLOW_FTZ | ALLOW_SAT)
#define RF (ALLOW_ROUNDING | ALLOW_FTZ)
#define R ALLOW_ROUNDING
#define F32_SAT(names, body, expression) ROW_OF(names, body, "www", RFS, COMPUTATION, 1)
#define F32_ONE(names, body, allows, expression) ROW_OF(names, body, "ww", allows, SPECIAL, 1)
#define F32_TWO(names, body, allows, expression) ROW_OF(names, body, "www", allows, COMPUTATION, 1)
#define F64_ONE(names, body, allows, class, expression) ROW_OF(names, body, "qq", allows, class, 1)
#define F64_TWO(names, body, expression) ROW_OF(names, body, "qqq", R, DOUBLE, 1)
#define SIGN(names, body, expression) ROW_OF(names, body, "ww", ALLOW_FTZ, COMPUTATION, 0)
#define EXTREMUM(names, body, maximum, spread_nan, xorsign) ROW_OF(names, body, "www", ALLOW_FTZ, COMPUTATION, 1)
#define C(names, body, operands, allows, class, flops) {names, body, operands, allows, CLASS_##class, flops}

const struct row LEVELED(rows_float)[] = {
#include "table_float_list.h"
#define TESTP_ROWS(what)                                                                                               \
    C("testp." #what ".f32", testp_##what##_u32, "pw", 0, COMPUTATION, 0),                                             \
        C("testp." #what ".f64", testp_##what##_u64, "pq", 0, COMPUTATION, 0)
    TESTP_ROWS(finite),
    TESTP_ROWS(infinite),
    TESTP_ROWS(number),
    TESTP_ROWS(notanumber),
    TESTP_ROWS(normal),
    TESTP_ROWS(subnormal),
#define SETP_ROW_32(name, T, condition) C("setp." #name ".f32", setp_##name##_f32, "Pww", ALLOW_FTZ, COMPUTATION, 0),
#define SETP_ROW_64(name, T, condition) C("setp." #name ".f64", setp_##name##_f64, "Pqq", 0, DOUBLE, 0),
    EACH_COMPARISON(SETP_ROW_32, f32)
    EACH_COMPARISON(SETP_ROW_64, f64)
#define INTEGER_ROWS(A, letter)                                                                                        \
    C("cvt.u16." #A " cvt.s16." #A, cvt_u16_##A, "h" letter, 0, COMPUTATION, 0),                                       \
        C("cvt.u32." #A " cvt.s32." #A, cvt_u32_##A, "w" letter, 0, COMPUTATION, 0),                                   \
        C("cvt.u64." #A " cvt.s64." #A, cvt_u64_##A, "q" letter, 0, COMPUTATION, 0),                                   \
        C("cvt.sat.u8." #A, cvt_sat_u8_##A, "h" letter, 0, COMPUTATION, 0),                                            \
        C("cvt.sat.s8." #A, cvt_sat_s8_##A, "h" letter, 0, COMPUTATION, 0),                                            \
        C("cvt.sat.u16." #A, cvt_sat_u16_##A, "h" letter, 0, COMPUTATION, 0),                                          \
        C("cvt.sat.s16." #A, cvt_sat_s16_##A, "h" letter, 0, COMPUTATION, 0),                                          \
        C("cvt.sat.u32." #A, cvt_sat_u32_##A, "w" letter, 0, COMPUTATION, 0),                                          \
        C("cvt.sat.s32." #A, cvt_sat_s32_##A, "w" letter, 0, COMPUTATION, 0),                                          \
        C("cvt.sat.u64." #A, cvt_sat_u64_##A, "q" letter, 0, COMPUTATION, 0),                                          \
        C("cvt.sat.s64." #A, cvt_sat_s64_##A, "q" letter, 0, COMPUTATION, 0),                                          \
        C("cvt.f32." #A, cvt_f32_##A, "w" letter, R | ALLOW_SAT, COMPUTATION, 0),                                      \
        C("cvt.f64." #A, cvt_f64_##A, "q" letter, R | ALLOW_SAT, DOUBLE, 0)
    INTEGER_ROWS(u16, "h"),
    INTEGER_ROWS(s16, "h"),
    INTEGER_ROWS(u32, "w"),
    INTEGER_ROWS(s32, "w"),
    INTEGER_ROWS(u64, "q"),
    INTEGER_ROWS(s64, "q"),
#define TO_INTEGER_ROWS(T, letter)                                                                                     \
    C("cvt." #T ".f32", cvt_##T##_f32, letter "w", RFS, COMPUTATION, 0),                                               \
        C("cvt." #T ".f64", cvt_##T##_f64, letter "q", R | ALLOW_SAT, DOUBLE, 0)
    TO_INTEGER_ROWS(u8, "h"),
    TO_INTEGER_ROWS(s8, "h"),
    TO_INTEGER_ROWS(u16, "h"),
    TO_INTEGER_ROWS(s16, "h"),
    TO_INTEGER_ROWS(u32, "w"),
    TO_INTEGER_ROWS(s32, "w"),
    TO_INTEGER_ROWS(u64, "q"),
    TO_INTEGER_ROWS(s64, "q"),
    C("cvt.f64.f32", cvt_f64_f32, "qw", ALLOW_FTZ | ALLOW_SAT, DOUBLE, 0),
    C("cvt.f32.f64", cvt_f32_f64, "wq", RFS, DOUBLE, 0),
    C("cvt.f32.f32", cvt_f32_f32, "ww", ALLOW_FTZ | ALLOW_SAT, COMPUTATION, 0),
    C("cvt.f64.f64", cvt_f64_f64, "qq", ALLOW_SAT, DOUBLE, 0),
    C("cvt.rint.f32.f32", cvt_rint_f32_f32, "ww", RFS, COMPUTATION, 0),
    C("cvt.rint.f64.f64", cvt_rint_f64_f64, "qq", R | ALLOW_SAT, DOUBLE, 0),
    ROWS_END,
};
