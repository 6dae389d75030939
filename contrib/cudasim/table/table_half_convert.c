/*
 * table_half_convert.c - conversions of f16, bf16 and their pairs, of tf32 and of the 8-bit formats. As in
 * table_half.c, a body works on an array of halves, and rounds once.
 */
#include "table_half.h"

/* ---- conversion to narrow formats ---- */

/* The end of all conversions to halves; U: bits of f32, exact or rounded to odd. */
static __attribute__((noinline)) const struct ins *half_finish(struct warp *w, const struct ins *i, const u32 *U, int n,
                                                               enum format format, bool with_relu, bool satfinite)
{
    u16 r[HALVES] ALIGNED;
    enum rounding rounding = rounding_of(i);

    if (format == F16)
        EACH_OF(n) r[l] = (u16)half_of_bits(U[l], F16, rounding, satfinite);
    else
        EACH_OF(n) r[l] = (u16)half_of_bits(U[l], BF16, rounding, satfinite);
    if (i->flags & INS_SATURATE)
        saturate(r, n, format);
    if (with_relu)
        relu(r, n, format);
    return finish(w, i, r, n);
}

INLINE const struct ins *half_from_f32(struct warp *w, const struct ins *i, enum format format, bool with_relu,
                                       bool satfinite)
{
    const u32 *A = slot_at(w, i->a);
    u32 U[LANES] ALIGNED;

    if (format == BF16 && FLUSHES(i)) /* f16's conversion takes .ftz and does not heed it */
        EACH_LANE { U[l] = flush_f32(A[l]); }
    else
        memcpy(U, A, sizeof U);
    if (rounding_of(i) == TO_NEAREST && !satfinite) {
        u16 r[LANES] ALIGNED;
        f32 x[LANES] ALIGNED;

        float_nearest(w);
        memcpy(x, U, sizeof x);
        narrow(r, x, LANES, format);
        if (i->flags & INS_SATURATE)
            saturate(r, LANES, format);
        if (with_relu)
            relu(r, LANES, format);
        return finish(w, i, r, LANES);
    }
    return half_finish(w, i, U, LANES, format, with_relu, satfinite);
}

#define EACH_ONE_FORMAT(X, ...) X(f16, F16, LANES, __VA_ARGS__) X(bf16, BF16, LANES, __VA_ARGS__)
#define FROM_F32(type, format, n, name, with_relu, satfinite)                                                          \
    STEP(cvt_##type##_f32##name) { return half_from_f32(w, i, format, with_relu, satfinite); }
EACH_ONE_FORMAT(FROM_F32, , false, false)
EACH_ONE_FORMAT(FROM_F32, _relu, true, false)
EACH_ONE_FORMAT(FROM_F32, _satfinite, false, true)
EACH_ONE_FORMAT(FROM_F32, _relu_satfinite, true, true)

/* d, a, b: a is the high half. */
INLINE const struct ins *pair_from_f32(struct warp *w, const struct ins *i, enum format format, bool with_relu,
                                       bool satfinite)
{
    const u32 *A = slot_at(w, i->a), *B = slot_at(w, i->b);
    u32 U[HALVES] ALIGNED;

    EACH_LANE
    {
        U[2 * l] = B[l];
        U[2 * l + 1] = A[l];
    }
    if (rounding_of(i) == TO_NEAREST && !satfinite) {
        u16 r[HALVES] ALIGNED;
        f32 x[HALVES] ALIGNED;

        float_nearest(w);
        memcpy(x, U, sizeof x);
        narrow(r, x, HALVES, format);
        if (with_relu)
            relu(r, HALVES, format);
        return finish(w, i, r, HALVES);
    }
    return half_finish(w, i, U, HALVES, format, with_relu, satfinite);
}

#define EACH_PAIR_FORMAT(X, ...) X(f16x2, F16, HALVES, __VA_ARGS__) X(bf16x2, BF16, HALVES, __VA_ARGS__)
#define PAIR_FROM_F32(type, format, n, name, with_relu, satfinite)                                                     \
    STEP(cvt_##type##_f32##name) { return pair_from_f32(w, i, format, with_relu, satfinite); }
EACH_PAIR_FORMAT(PAIR_FROM_F32, , false, false)
EACH_PAIR_FORMAT(PAIR_FROM_F32, _relu, true, false)
EACH_PAIR_FORMAT(PAIR_FROM_F32, _satfinite, false, true)
EACH_PAIR_FORMAT(PAIR_FROM_F32, _relu_satfinite, true, true)

/* NaN keeps its sign and what fits of its payload. */
INLINE const struct ins *half_from_f64(struct warp *w, const struct ins *i, enum format format)
{
    const u64 *A = slot_at(w, i->a);
    u16 r[LANES] ALIGNED;
    u32 quiet = infinity_of(format) | (format == F16 ? 0x200 : 0x40);
    enum rounding rounding = rounding_of(i);

    float_default(w);
    EACH_LANE
    {
        u32 payload = (u32)(A[l] >> (format == F16 ? 42 : 45)) & ~infinity_of(format) & 0x7FFF;
        u32 h = half_of_bits(odd_narrow(f64_from(A[l])), format, rounding, false);

        r[l] = (u16)((A[l] & 0x7FFFFFFFFFFFFFFFull) > 0x7FF0000000000000ull
                         ? (u32)(A[l] >> 48 & SIGN16) | quiet | payload
                         : h);
    }
    if (i->flags & INS_SATURATE)
        saturate(r, LANES, format);
    return finish(w, i, r, LANES);
}

INLINE const struct ins *half_from_half(struct warp *w, const struct ins *i, enum format to, enum format from)
{
    f32 x[LANES] ALIGNED;
    u32 U[LANES] ALIGNED;

    format_enter(w, from);
    widen(x, slot_at(w, i->a), LANES, from);
    memcpy(U, x, sizeof U);
    return half_finish(w, i, U, LANES, to, false, false);
}

STEP(cvt_f16_f64) { return half_from_f64(w, i, F16); }
STEP(cvt_bf16_f64) { return half_from_f64(w, i, BF16); }
STEP(cvt_f16_bf16) { return half_from_half(w, i, F16, BF16); }
STEP(cvt_bf16_f16) { return half_from_half(w, i, BF16, F16); }

/* ---- integers to halves ---- */
#define FROM_INTEGER(T)                                                                                                \
    static __attribute__((noinline)) const struct ins *half_from_##T(struct warp *w, const struct ins *i,              \
                                                                     enum format format)                               \
    {                                                                                                                  \
        const T *A = slot_at(w, i->a);                                                                                 \
        u32 U[LANES] ALIGNED;                                                                                          \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            T a = A[l];                                                                                                \
            bool negative = (T)-1 < (T)1 && a < (T)1 && a != 0;                                                        \
            U[l] = odd_integer(negative ? 0 - (u64)a : (u64)a, negative);                                              \
        }                                                                                                              \
        return half_finish(w, i, U, LANES, format, false, false);                                                      \
    }                                                                                                                  \
    STEP(cvt_f16_##T) { return half_from_##T(w, i, F16); }                                                             \
    STEP(cvt_bf16_##T) { return half_from_##T(w, i, BF16); }
FROM_INTEGER(u16)
FROM_INTEGER(s16)
FROM_INTEGER(u32)
FROM_INTEGER(s32)
FROM_INTEGER(u64)
FROM_INTEGER(s64)

/* ---- halves to f32, f64, integers ---- */
INLINE const struct ins *f32_from_half(struct warp *w, const struct ins *i, enum format format)
{
    u32 *D = slot_at(w, i->d);
    f32 x[LANES] ALIGNED;
    u32 R[LANES] ALIGNED;

    format_enter(w, format);
    widen(x, slot_at(w, i->a), LANES, format);
    if (format == BF16 && !FLUSHES(i))
        EACH_LANE { R[l] = f32_bits(x[l]); } /* a shift, which keeps NaN as it is */
    else
        EACH_LANE { R[l] = canon_f32(x[l]); }
    if (format == BF16 && FLUSHES(i))
        EACH_LANE { R[l] = flush_f32(R[l]); }
    if (i->flags & INS_SATURATE)
        EACH_LANE { R[l] = saturate_f32(R[l]); }
    EACH_LANE { D[l] = w->lanes[l] ? R[l] : D[l]; }
    return i + 1;
}

INLINE const struct ins *f64_from_half(struct warp *w, const struct ins *i, enum format format)
{
    u64 *D = slot_at(w, i->d);
    f32 x[LANES] ALIGNED;
    bool sat = i->flags & INS_SATURATE;

    float_default(w);
    widen(x, slot_at(w, i->a), LANES, format);
    EACH_LANE
    {
        f32 y = sat ? f32_from(saturate_f32(f32_bits(x[l]))) : x[l];
        u64 r = f64_bits((f64)y); /* NaN keeps sign and payload */

        D[l] = w->lanes[l] ? r : D[l];
    }
    return i + 1;
}

STEP(cvt_f32_f16) { return f32_from_half(w, i, F16); }
STEP(cvt_f32_bf16) { return f32_from_half(w, i, BF16); }
STEP(cvt_f64_f16) { return f64_from_half(w, i, F16); }
STEP(cvt_f64_bf16) { return f64_from_half(w, i, BF16); }

/* Rounded to integral values: by .rni and its like, which the control word says as .rn does. */
static __attribute__((noinline)) void integral(struct warp *w, const struct ins *i, f32 *x, enum format format)
{
    enum rounding rounding = rounding_of(i);

    float_default(w);
    widen(x, slot_at(w, i->a), LANES, format);
    if (rounding == TO_NEAREST)
        EACH_LANE { x[l] = __builtin_rintf(x[l]); }
    else if (rounding == TO_DOWN)
        EACH_LANE { x[l] = __builtin_floorf(x[l]); }
    else if (rounding == TO_UP)
        EACH_LANE { x[l] = __builtin_ceilf(x[l]); }
    else
        EACH_LANE { x[l] = __builtin_truncf(x[l]); }
}

/* Out of range gives the nearest integer there is; 8 bits are extended to 16. */
#define TO_INTEGER(T, D_TYPE, WIDE, low, limit, least, most, nan)                                                      \
    static __attribute__((noinline)) const struct ins *T##_from_half(struct warp *w, const struct ins *i,              \
                                                                     enum format format)                               \
    {                                                                                                                  \
        f32 x[LANES] ALIGNED;                                                                                          \
        D_TYPE *D = slot_at(w, i->d);                                                                                  \
        integral(w, i, x, format);                                                                                     \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            D_TYPE r = (D_TYPE)(x[l] != x[l] ? (WIDE)nan : x[l] < low ? (WIDE)least :                                  \
                                x[l] >= limit ? (WIDE)most : (WIDE)x[l]);                                              \
            D[l] = w->lanes[l] ? r : D[l];                                                                             \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }                                                                                                                  \
    STEP(cvt_##T##_f16) { return T##_from_half(w, i, F16); }                                                           \
    STEP(cvt_##T##_bf16) { return T##_from_half(w, i, BF16); }
TO_INTEGER(u8, u16, s32, 0, 256, 0, 255, 0)
TO_INTEGER(s8, s16, s32, -128, 128, -128, 127, 0)
TO_INTEGER(u16, u16, s32, 0, 65536, 0, 65535, 0)
TO_INTEGER(s16, s16, s32, -32768, 32768, -32768, 32767, 0)
TO_INTEGER(u32, u32, u32, 0, 0x1p32f, 0, UINT32_MAX, 0)
TO_INTEGER(s32, s32, s32, -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX, 0)
TO_INTEGER(u64, u64, u64, 0, 0x1p64f, 0, UINT64_MAX, 0x8000000000000000ull)
TO_INTEGER(s64, s64, s64, -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX, 0x8000000000000000ull)

/* To the same format: integral values, or just .sat. */
INLINE const struct ins *rint_body(struct warp *w, const struct ins *i, enum format format)
{
    f32 x[LANES] ALIGNED;
    u16 r[LANES] ALIGNED;

    integral(w, i, x, format);
    narrow(r, x, LANES, format);
    if (i->flags & INS_SATURATE)
        saturate(r, LANES, format);
    return finish(w, i, r, LANES);
}

STEP(cvt_rint_f16_f16) { return rint_body(w, i, F16); }
STEP(cvt_rint_bf16_bf16) { return rint_body(w, i, BF16); }

STEP(cvt_f16_f16)
{
    const u16 *A = slot_at(w, i->a);
    u16 r[LANES] ALIGNED;

    EACH_LANE { r[l] = canon(A[l], F16); }
    if (i->flags & INS_SATURATE)
        saturate(r, LANES, F16);
    return finish(w, i, r, LANES);
}

STEP(cvt_bf16_bf16)
{
    const u16 *A = slot_at(w, i->a);
    u16 r[LANES] ALIGNED;

    EACH_LANE { r[l] = canon(A[l], BF16); }
    return finish(w, i, r, LANES);
}

/* ---- tf32: f32 with 10 bits of mantissa ---- */
INLINE u32 tf32_of(u32 u, enum rounding rounding, bool with_relu)
{
    u32 r = (u + (rounding == TO_NEAREST ? 0xFFF + (u >> 13 & 1) : 0)) & ~0x1FFFu;

    return (u & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFE000u : with_relu && r >> 31 ? 0 : r;
}

/* .rna leaves NaN as it is, cut off; .satfinite steps down from whatever has the highest exponent. */
INLINE u32 tf32_away(u32 u, bool satfinite)
{
    u32 r = (u & 0x7FFFFFFFu) > 0x7F800000u ? u & ~0x1FFFu : (u + 0x1000) & ~0x1FFFu;

    return satfinite && (r & 0x7F800000u) == 0x7F800000u ? r - 0x2000 : r;
}

UNARY(cvt_rna_tf32, u32, u32, tf32_away(a, false))
UNARY(cvt_rna_satfinite_tf32, u32, u32, tf32_away(a, true))
UNARY(cvt_tf32, u32, u32, tf32_of(a, rounding_of(i), false))
UNARY(cvt_relu_tf32, u32, u32, tf32_of(a, rounding_of(i), true))

/* ---- 8 bits: e4m3 has one NaN and no infinity, e5m2 is the high byte of an f16. All conversions saturate. ---- */
enum tiny { E4M3, E5M2 };

INLINE u32 tiny_of(u32 u, enum tiny tiny, bool with_relu)
{
    u32 most = tiny == E4M3 ? 0x7E : 0x7B;
    u32 r = tiny == E4M3 ? round_to(u, 3, 7, TO_NEAREST) : round_to(u, 2, 15, TO_NEAREST);

    if ((u & 0x7FFFFFFFu) > 0x7F800000u)
        return 0x7F;
    r = r > most ? most : r;
    return with_relu && u >> 31 ? 0 : (u >> 24 & 0x80) | r;
}

INLINE const struct ins *tiny_from_f32(struct warp *w, const struct ins *i, enum tiny tiny, bool with_relu)
{
    const u32 *A = slot_at(w, i->a), *B = slot_at(w, i->b);
    u16 r[LANES] ALIGNED;

    EACH_LANE { r[l] = (u16)(tiny_of(A[l], tiny, with_relu) << 8 | tiny_of(B[l], tiny, with_relu)); }
    return finish(w, i, r, LANES);
}

INLINE const struct ins *tiny_from_pair(struct warp *w, const struct ins *i, enum tiny tiny, bool with_relu)
{
    f32 x[HALVES] ALIGNED;
    u16 r[LANES] ALIGNED;

    float_nearest(w);
    widen(x, slot_at(w, i->a), HALVES, F16);
    EACH_LANE
    {
        r[l] = (u16)(tiny_of(f32_bits(x[2 * l + 1]), tiny, with_relu) << 8 |
                     tiny_of(f32_bits(x[2 * l]), tiny, with_relu));
    }
    return finish(w, i, r, LANES);
}

INLINE const struct ins *pair_from_tiny(struct warp *w, const struct ins *i, enum tiny tiny, bool with_relu)
{
    const u16 *A = slot_at(w, i->a);
    u16 r[HALVES] ALIGNED;

    EACH_LANE
    {
        u32 low = A[l] & 0xFF, high = A[l] >> 8;

        r[2 * l] = tiny == E4M3 ? half_of_e4m3(low) : canon(low << 8, F16);
        r[2 * l + 1] = tiny == E4M3 ? half_of_e4m3(high) : canon(high << 8, F16);
    }
    if (with_relu)
        relu(r, HALVES, F16);
    return finish(w, i, r, HALVES);
}

#define TINY(type, tiny)                                                                                               \
    STEP(cvt_##type##_f32) { return tiny_from_f32(w, i, tiny, false); }                                                \
    STEP(cvt_##type##_f32_relu) { return tiny_from_f32(w, i, tiny, true); }                                            \
    STEP(cvt_##type##_f16x2) { return tiny_from_pair(w, i, tiny, false); }                                             \
    STEP(cvt_##type##_f16x2_relu) { return tiny_from_pair(w, i, tiny, true); }                                         \
    STEP(cvt_f16x2_##type) { return pair_from_tiny(w, i, tiny, false); }                                               \
    STEP(cvt_f16x2_##type##_relu) { return pair_from_tiny(w, i, tiny, true); }
TINY(e4m3x2, E4M3)
TINY(e5m2x2, E5M2)

/* ---- rows ---- */
#define C(names, body, operands, allows, flops) {names, body, operands, allows, CLASS_COMPUTATION, flops}
#define RFS (ALLOW_ROUNDING | ALLOW_FTZ | ALLOW_SAT)
#define R ALLOW_ROUNDING

const struct row LEVELED(rows_half_convert)[] = {
#define FROM_F32_ROWS(type)                                                                                            \
    C("cvt." #type ".f32", cvt_##type##_f32, "hw", RFS, 0),                                                            \
        C("cvt.relu." #type ".f32", cvt_##type##_f32_relu, "hw", R, 0),                                                \
        C("cvt.satfinite." #type ".f32", cvt_##type##_f32_satfinite, "hw", R, 0),                                      \
        C("cvt.relu.satfinite." #type ".f32 cvt.satfinite.relu." #type ".f32", cvt_##type##_f32_relu_satfinite, "hw",  \
          R, 0)
    FROM_F32_ROWS(f16),
    FROM_F32_ROWS(bf16),
#define PAIR_CVT_ROWS(type)                                                                                            \
    C("cvt." #type ".f32", cvt_##type##_f32, "www", R, 0),                                                             \
        C("cvt.relu." #type ".f32", cvt_##type##_f32_relu, "www", R, 0),                                               \
        C("cvt.satfinite." #type ".f32", cvt_##type##_f32_satfinite, "www", R, 0),                                     \
        C("cvt.relu.satfinite." #type ".f32 cvt.satfinite.relu." #type ".f32", cvt_##type##_f32_relu_satfinite, "www", \
          R, 0)
    PAIR_CVT_ROWS(f16x2),
    PAIR_CVT_ROWS(bf16x2),
    C("cvt.f16.f64", cvt_f16_f64, "hq", R | ALLOW_SAT, 0),
    C("cvt.bf16.f64", cvt_bf16_f64, "hq", R, 0),
    C("cvt.f16.bf16", cvt_f16_bf16, "hh", R, 0),
    C("cvt.bf16.f16", cvt_bf16_f16, "hh", R, 0),
    C("cvt.f32.f16", cvt_f32_f16, "wh", ALLOW_FTZ | ALLOW_SAT, 0),
    C("cvt.f32.bf16", cvt_f32_bf16, "wh", ALLOW_FTZ, 0),
    C("cvt.f64.f16", cvt_f64_f16, "qh", ALLOW_SAT, 0),
    C("cvt.f64.bf16", cvt_f64_bf16, "qh", 0, 0),
#define TO_INTEGER_ROWS(T, letter)                                                                                     \
    C("cvt." #T ".f16", cvt_##T##_f16, letter "h", R | ALLOW_SAT, 0),                                                  \
        C("cvt." #T ".bf16", cvt_##T##_bf16, letter "h", R | ALLOW_SAT, 0)
#define INTEGER_ROWS(T, letter)                                                                                        \
    C("cvt.f16." #T, cvt_f16_##T, "h" letter, R | ALLOW_SAT, 0), C("cvt.bf16." #T, cvt_bf16_##T, "h" letter, R, 0),    \
        TO_INTEGER_ROWS(T, letter)
    TO_INTEGER_ROWS(u8, "h"),
    TO_INTEGER_ROWS(s8, "h"),
    INTEGER_ROWS(u16, "h"),
    INTEGER_ROWS(s16, "h"),
    INTEGER_ROWS(u32, "w"),
    INTEGER_ROWS(s32, "w"),
    INTEGER_ROWS(u64, "q"),
    INTEGER_ROWS(s64, "q"),
    C("cvt.rint.f16.f16", cvt_rint_f16_f16, "hh", R | ALLOW_SAT, 0),
    C("cvt.rint.bf16.bf16", cvt_rint_bf16_bf16, "hh", R, 0),
    C("cvt.f16.f16", cvt_f16_f16, "hh", ALLOW_SAT, 0),
    C("cvt.bf16.bf16", cvt_bf16_bf16, "hh", 0, 0),
    C("cvt.rna.tf32.f32", cvt_rna_tf32, "ww", 0, 0),
    C("cvt.rna.satfinite.tf32.f32", cvt_rna_satfinite_tf32, "ww", 0, 0),
    C("cvt.tf32.f32", cvt_tf32, "ww", R, 0),
    C("cvt.relu.tf32.f32", cvt_relu_tf32, "ww", R, 0),
#define TINY_ROWS(type)                                                                                                \
    C("cvt.satfinite." #type ".f32", cvt_##type##_f32, "hww", R, 0),                                                   \
        C("cvt.satfinite.relu." #type ".f32 cvt.relu.satfinite." #type ".f32", cvt_##type##_f32_relu, "hww", R, 0),    \
        C("cvt.satfinite." #type ".f16x2", cvt_##type##_f16x2, "hw", R, 0),                                            \
        C("cvt.satfinite.relu." #type ".f16x2 cvt.relu.satfinite." #type ".f16x2", cvt_##type##_f16x2_relu, "hw", R,   \
          0),                                                                                                          \
        C("cvt.f16x2." #type, cvt_f16x2_##type, "wh", R, 0),                                                           \
        C("cvt.relu.f16x2." #type, cvt_f16x2_##type##_relu, "wh", R, 0)
    TINY_ROWS(e4m3x2),
    TINY_ROWS(e5m2x2),
    ROWS_END,
};
