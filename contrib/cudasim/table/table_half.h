/*
 * table_half.h - converts values of f16, bf16 and the 8-bit formats to f32 and back, and ends bodies that make halves.
 * table_half*.c and table_matrix*.c include it. Everything is static, as in table.h.
 */
#ifndef CUDASIM_TABLE_HALF_H
#define CUDASIM_TABLE_HALF_H

#include "table.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

#define HALVES 64
#define EACH_OF(n) _Pragma("GCC ivdep") for (int l = 0; l < (n); l++)

enum format { F16, BF16 };

/* Bits 13 and 14 of the control word. */
enum rounding { TO_NEAREST, TO_DOWN, TO_UP, TO_ZERO };

#define NAN16 0x7FFFu
#define SIGN16 0x8000u

INLINE u32 infinity_of(enum format format)
{
    return format == F16 ? 0x7C00 : 0x7F80;
}

INLINE u32 one_of(enum format format)
{
    return format == F16 ? 0x3C00 : 0x3F80;
}

/* To nearest, and denormals as they may be: for f16, whose values are all normal in f32. */
INLINE void float_nearest(struct warp *w)
{
    if (w->worker->mxcsr & MXCSR_ROUNDING)
        float_default(w);
}

INLINE void format_enter(struct warp *w, enum format format)
{
    if (format == F16)
        float_nearest(w);
    else
        float_default(w);
}

/* ---- arrays of halves ---- */

/* Subnormals of f16 are the low bits of 2^-14 + x; the mask takes away the sign that 0 gets when rounding down. */
INLINE u32 widen_f16(u32 h)
{
    u32 sign = (h & SIGN16) << 16, m = (h & 0x7FFF) << 13;
    u32 tiny = f32_bits(f32_from(m + 0x38800000u) - f32_from(0x38800000u)) & 0x7FFFFFFFu;

    return sign | (m < 0x00800000u ? tiny : m >= 0x0F800000u ? m + 0x70000000u : m + 0x38000000u);
}

/* To nearest, which the control word must say, too: adding 1/2 makes 2^-24 the last bit. NaN is 0x7FFF. */
INLINE u32 narrow_f16(u32 u)
{
    u32 sign = u >> 16 & SIGN16, a = u & 0x7FFFFFFFu;
    u32 tiny = f32_bits(f32_from(a) + 0.5f) - 0x3F000000u;
    u32 r = (a - 0x38000000u + 0xFFF + (a >> 13 & 1)) >> 13;

    r = a >= 0x47800000u ? 0x7C00 : r;
    r = a < 0x38800000u ? tiny : r;
    return a > 0x7F800000u ? NAN16 : sign | r;
}

INLINE u32 narrow_bf16(u32 u)
{
    return (u & 0x7FFFFFFFu) > 0x7F800000u ? NAN16 : (u + 0x7FFF + (u >> 16 & 1)) >> 16;
}

INLINE void widen(f32 *x, const u16 *h, int n, enum format format)
{
    if (format == BF16) {
        EACH_OF(n) x[l] = f32_from((u32)h[l] << 16);
        return;
    }
#if defined(__AVX512F__)
    for (int l = 0; l < n; l += 16)
        _mm512_storeu_ps(x + l, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(h + l))));
#elif defined(__F16C__)
    for (int l = 0; l < n; l += 8)
        _mm256_storeu_ps(x + l, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(h + l))));
#else
    EACH_OF(n) x[l] = f32_from(widen_f16(h[l]));
#endif
}

/* To nearest. */
INLINE void narrow(u16 *h, const f32 *x, int n, enum format format)
{
    if (format == BF16) {
        EACH_OF(n) h[l] = (u16)narrow_bf16(f32_bits(x[l]));
        return;
    }
#if defined(__AVX512F__)
    for (int l = 0; l < n; l += 16) {
        __m512 v = _mm512_loadu_ps(x + l);
        __m256i r = _mm512_cvtps_ph(v, 0);
        __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);

        _mm256_storeu_si256((__m256i *)(void *)(h + l), _mm256_mask_mov_epi16(r, nan, _mm256_set1_epi16(NAN16)));
    }
#elif defined(__F16C__)
    for (int l = 0; l < n; l += 8)
        _mm_storeu_si128((__m128i *)(void *)(h + l), _mm256_cvtps_ph(_mm256_loadu_ps(x + l), 0));
    EACH_OF(n) h[l] = (h[l] & 0x7FFF) > 0x7C00 ? NAN16 : h[l];
#else
    EACH_OF(n) h[l] = (u16)narrow_f16(f32_bits(x[l]));
#endif
}

INLINE u16 canon(u32 h, enum format format)
{
    return (h & 0x7FFF) > infinity_of(format) ? NAN16 : (u16)h;
}

/* ---- rounding to odd ---- */

/* s is a sum rounded to nearest, error what is missing: s itself if it is odd, else its neighbour towards the error. */
INLINE f32 odd_f32(f32 s, f32 error)
{
    u32 u = f32_bits(s), away = (error > 0) == (s > 0) ? 1u : ~0u;

    return f32_from(!(u & 1) && (error > 0 || error < 0) ? u + away : u);
}

INLINE f64 odd_f64(f64 s, f64 error)
{
    u64 u = f64_bits(s), away = (error > 0) == (s > 0) ? 1u : ~0ull;

    return f64_from(!(u & 1) && (error > 0 || error < 0) ? u + away : u);
}

/* Wants MXCSR_DEFAULT. An infinite r steps back to the largest number, a zero forward to the least. */
INLINE u32 odd_narrow(f64 x)
{
    f32 r = (f32)x;
    f64 error = x - (f64)r, magnitude = x < 0 ? -x : x, reached = r < 0 ? -(f64)r : (f64)r;
    u32 u = f32_bits(r), away = magnitude > reached ? 1u : ~0u;

    return !(u & 1) && (error > 0 || error < 0) ? u + away : u;
}

INLINE u32 odd_integer(u64 magnitude, bool negative)
{
    u32 n = magnitude ? 64 - (u32)__builtin_clzll(magnitude) : 0;
    u64 lost = n > 24 ? magnitude & ((1ull << (n - 24)) - 1) : 0;
    u32 top = (u32)(n > 24 ? magnitude >> (n - 24) : magnitude << (24 - n)) | (lost != 0);

    return (negative ? 0x80000000u : 0) | (n ? ((126 + n) << 23) + (top & 0x7FFFFFu) : 0);
}

/* The f16 of an e4m3: the exponent's bias differs by 8; subnormals are multiples of 2^-9. */
INLINE u16 half_of_e4m3(u32 b)
{
    static const u16 small[8] = {0, 0x1800, 0x1C00, 0x1E00, 0x2000, 0x2100, 0x2200, 0x2300};
    u32 m = b & 0x7F, sign = (b & 0x80) << 8;

    return m == 0x7F ? NAN16 : (u16)(sign | (m < 8 ? small[m] : (m << 7) + 0x2000));
}

/* ---- rounding in any mode ---- */

/*
 * Rounds the f32 with bits `u`, not NaN, to `bits` of mantissa after the point and a least normal exponent of
 * 2^(1 - bias). Returns exponent and mantissa side by side, without the sign; too large a value runs over the end
 * of the format, so the caller compares with the largest.
 */
INLINE u32 round_to(u32 u, u32 bits, u32 bias, enum rounding rounding)
{
    u32 e = u >> 23 & 0xFF, m = (u & 0x7FFFFF) | (e ? 0x800000u : 0), negative = u >> 31, normal = 128 - bias;
    u32 exponent = e ? e : 1, shift = 23 - bits + (exponent < normal ? normal - exponent : 0), extra;
    bool away = rounding == TO_UP ? !negative : rounding == TO_DOWN ? negative : false;

    shift = shift > 30 ? 30 : shift;
    extra = rounding == TO_NEAREST ? (1u << shift >> 1) - (shift != 0) + (shift != 0 && (m >> shift & 1))
                                   : away ? (1u << shift) - 1 : 0;
    return (exponent >= normal ? (exponent - normal) << bits : 0) + ((m + extra) >> shift);
}

/* The result for a value that is too large: infinity, or the largest number. */
INLINE u32 overflow_to(u32 u, u32 infinity, enum rounding rounding, bool satfinite)
{
    bool negative = u >> 31;
    bool stays = rounding == TO_ZERO || (rounding == TO_UP && negative) || (rounding == TO_DOWN && !negative);

    return satfinite || (stays && (u & 0x7FFFFFFFu) != 0x7F800000u) ? infinity - 1 : infinity;
}

INLINE u32 half_of_bits(u32 u, enum format format, enum rounding rounding, bool satfinite)
{
    u32 infinity = infinity_of(format);
    u32 r = format == F16 ? round_to(u, 10, 15, rounding) : round_to(u, 7, 127, rounding);

    r = r >= infinity ? overflow_to(u, infinity, rounding, satfinite) : r;
    return (u & 0x7FFFFFFFu) > 0x7F800000u ? NAN16 : (u >> 16 & SIGN16) | r;
}

/* ---- what an instruction asks of its result, and how a body ends ---- */

INLINE enum rounding rounding_of(const struct ins *i)
{
    return (enum rounding)(i->mxcsr >> 13 & 3);
}

/* .sat: to [0, 1], NaN to 0. */
INLINE void saturate(u16 *h, int n, enum format format)
{
    u16 one = (u16)one_of(format);

    EACH_OF(n) h[l] = h[l] > infinity_of(format) ? 0 : h[l] > one ? one : h[l];
}

/* .relu: negative values become 0. */
INLINE void relu(u16 *h, int n, enum format format)
{
    EACH_OF(n) h[l] = (h[l] & SIGN16) && (h[l] & 0x7FFF) <= infinity_of(format) ? 0 : h[l];
}

INLINE const struct ins *finish(struct warp *w, const struct ins *i, const u16 *r, int n)
{
    if (n == LANES) {
        u16 *D = slot_at(w, i->d);

        if (w->mask == FULL_MASK)
            memcpy(D, r, 2 * LANES);
        else
            EACH_LANE { D[l] = w->lanes[l] ? r[l] : D[l]; }
    } else {
        u32 *D = slot_at(w, i->d);
        u32 R[LANES];

        memcpy(R, r, sizeof R);
        if (w->mask == FULL_MASK)
            memcpy(D, R, sizeof R);
        else
            EACH_LANE { D[l] = w->lanes[l] ? R[l] : D[l]; }
    }
    return i + 1;
}

#endif
