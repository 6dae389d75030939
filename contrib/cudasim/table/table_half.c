/*
 * table_half.c - arithmetic and comparisons of f16, bf16 and their pairs. table_half_convert.c has the conversions.
 *
 * A pair (f16x2) is one 32-bit register per lane. So a slot of pairs is 64 halves in a row, and every body here works
 * on an array of n = 32 or 64 halves. Values are widened to f32 (exact), computed, and narrowed with one rounding. If
 * f32 or f64 cannot hold the exact result, it is rounded to odd first. Then the last bit says "and something more", and
 * the second rounding gives the same as rounding the exact value (24 bits for 11 and for 8).
 *
 * Every result that is NaN is 0x7FFF in both formats, as on the hardware. But some conversions keep the payload, as the
 * hardware does.
 */
#include "table_half.h"

/* .ftz, of f16: subnormals become zero of their sign. */
INLINE void flush(u16 *r, const u16 *h, int n)
{
    EACH_OF(n) r[l] = h[l] & 0x7C00 ? h[l] : h[l] & SIGN16;
}

/* The same of a result, with what it was before it was rounded: what is subnormal with 11 bits of any exponent. */
INLINE void flush_result(u16 *h, const f32 *x, int n)
{
    EACH_OF(n) h[l] = (f32_bits(x[l]) & 0x7FFFFFFFu) < 0x387FF000u ? h[l] & SIGN16 : h[l];
}

/* ---- arithmetic ---- */
enum operation { ADD, SUB, MUL, FMA };

/* fma of f16: the product is exact in f32, and so is the sum's error. */
INLINE f32 fma_odd_f16(f32 a, f32 b, f32 c)
{
    f32 p = a * b, s = p + c, t = s - p;

    return odd_f32(s, (p - (s - t)) + (c - t));
}

/* The same of bf16, whose products leave the range of f32. */
INLINE f32 fma_odd_bf16(f32 a, f32 b, f32 c)
{
    f64 p = (f64)a * (f64)b, s = p + (f64)c, t = s - p;

    return f32_from(odd_narrow(odd_f64(s, (p - (s - t)) + ((f64)c - t))));
}

/* .oob: a factor that is the NaN which stands for elements outside of a tensor, of either sign, makes the result 0. */
#define OOB_NAN 0x7FF7u

INLINE const struct ins *arithmetic(struct warp *w, const struct ins *i, enum format format, int n,
                                    enum operation operation, bool with_relu, bool oob)
{
    const u16 *A = slot_at(w, i->a), *B = slot_at(w, i->b), *C = slot_at(w, operation == FMA ? i->c : i->b);
    u16 flushed[3][HALVES] ALIGNED, r[HALVES] ALIGNED;
    f32 a[HALVES] ALIGNED, b[HALVES] ALIGNED, c[HALVES] ALIGNED, x[HALVES] ALIGNED;

    format_enter(w, format);
    if (format == F16 && FLUSHES(i)) {
        flush(flushed[0], A, n);
        flush(flushed[1], B, n);
        A = flushed[0];
        B = flushed[1];
        if (operation == FMA) {
            flush(flushed[2], C, n);
            C = flushed[2];
        }
    }
    widen(a, A, n, format);
    widen(b, B, n, format);
    if (operation == FMA)
        widen(c, C, n, format);
    if (operation == ADD)
        EACH_OF(n) x[l] = a[l] + b[l];
    else if (operation == SUB)
        EACH_OF(n) x[l] = a[l] - b[l];
    else if (operation == MUL && format == F16)
        EACH_OF(n) x[l] = a[l] * b[l];
    else if (operation == MUL)
        EACH_OF(n) x[l] = f32_from(odd_narrow((f64)a[l] * (f64)b[l]));
    else if (format == F16)
        EACH_OF(n) x[l] = fma_odd_f16(a[l], b[l], c[l]);
    else
        EACH_OF(n) x[l] = fma_odd_bf16(a[l], b[l], c[l]);
    narrow(r, x, n, format);
    if (format == F16 && FLUSHES(i))
        flush_result(r, x, n);
    if (i->flags & INS_SATURATE)
        saturate(r, n, format);
    if (with_relu)
        relu(r, n, format);
    if (oob)
        EACH_OF(n) r[l] = (A[l] & 0x7FFF) == OOB_NAN || (B[l] & 0x7FFF) == OOB_NAN ? 0 : r[l];
    return finish(w, i, r, n);
}

/* A body for halves and one for pairs, of both formats. */
#define EACH_FORMAT(X, ...)                                                                                            \
    X(f16, F16, LANES, __VA_ARGS__)                                                                                    \
    X(f16x2, F16, HALVES, __VA_ARGS__)                                                                                 \
    X(bf16, BF16, LANES, __VA_ARGS__)                                                                                  \
    X(bf16x2, BF16, HALVES, __VA_ARGS__)

#define ARITHMETIC(type, format, n, name, operation, with_relu, oob)                                                   \
    STEP(name##_##type) { return arithmetic(w, i, format, n, operation, with_relu, oob); }
EACH_FORMAT(ARITHMETIC, add, ADD, false, false)
EACH_FORMAT(ARITHMETIC, sub, SUB, false, false)
EACH_FORMAT(ARITHMETIC, mul, MUL, false, false)
EACH_FORMAT(ARITHMETIC, fma, FMA, false, false)
EACH_FORMAT(ARITHMETIC, fma_relu, FMA, true, false)
EACH_FORMAT(ARITHMETIC, fma_oob, FMA, false, true)
EACH_FORMAT(ARITHMETIC, fma_oob_relu, FMA, true, true)

/* ---- sign, minimum, maximum: on the bits ---- */
INLINE const struct ins *sign_body(struct warp *w, const struct ins *i, enum format format, int n, u32 keep, u32 flip)
{
    const u16 *A = slot_at(w, i->a);
    u16 r[HALVES] ALIGNED;

    EACH_OF(n) r[l] = canon((A[l] & keep) ^ flip, format);
    if (format == F16 && FLUSHES(i))
        flush(r, r, n);
    return finish(w, i, r, n);
}

#define SIGNS(type, format, n, name, keep, flip)                                                                       \
    STEP(name##_##type) { return sign_body(w, i, format, n, keep, flip); }
EACH_FORMAT(SIGNS, neg, 0xFFFF, SIGN16)
EACH_FORMAT(SIGNS, abs, 0x7FFF, 0)

/* Order as of integers: -0 is below +0. */
INLINE s16 order_of(u16 h)
{
    return (s16)(h ^ (u16)((s16)h >> 15 & 0x7FFF));
}

INLINE const struct ins *extremum(struct warp *w, const struct ins *i, enum format format, int n, bool maximum,
                                  bool spread_nan, bool xorsign)
{
    const u16 *A = slot_at(w, i->a), *B = slot_at(w, i->b);
    u16 r[HALVES] ALIGNED, inf = (u16)infinity_of(format);
    bool ftz = format == F16 && FLUSHES(i);

    EACH_OF(n)
    {
        u16 a = A[l], b = B[l], sign = xorsign ? (a ^ b) & SIGN16 : 0, m;
        bool nan_a, nan_b;

        a = ftz && !(a & 0x7C00) ? a & SIGN16 : a;
        b = ftz && !(b & 0x7C00) ? b & SIGN16 : b;
        a = xorsign ? a & 0x7FFF : a;
        b = xorsign ? b & 0x7FFF : b;
        nan_a = (a & 0x7FFF) > inf;
        nan_b = (b & 0x7FFF) > inf;
        m = (order_of(a) < order_of(b)) != maximum ? a : b;
        if (spread_nan)
            r[l] = nan_a || nan_b ? NAN16 : m | sign;
        else
            r[l] = nan_a && nan_b ? NAN16 : (nan_a ? b : nan_b ? a : m) | sign;
    }
    return finish(w, i, r, n);
}

#define EXTREMUM(type, format, n, name, maximum, spread_nan, xorsign)                                                  \
    STEP(name##_##type) { return extremum(w, i, format, n, maximum, spread_nan, xorsign); }
EACH_FORMAT(EXTREMUM, min, false, false, false)
EACH_FORMAT(EXTREMUM, max, true, false, false)
EACH_FORMAT(EXTREMUM, min_nan, false, true, false)
EACH_FORMAT(EXTREMUM, max_nan, true, true, false)
EACH_FORMAT(EXTREMUM, min_xor, false, false, true)
EACH_FORMAT(EXTREMUM, max_xor, true, false, true)
EACH_FORMAT(EXTREMUM, min_nan_xor, false, true, true)
EACH_FORMAT(EXTREMUM, max_nan_xor, true, true, true)

/* ---- ex2, tanh: in f32 with an error far below a unit of f16, then cut off as the hardware does ---- */

/* 2^x: Taylor's series of 2^f for f in [-1/2, 1/2]. The power's exponent is applied in two steps, for subnormals. */
INLINE f32 exp2_of(f32 x)
{
    f32 t, f, p;
    s32 k;

    x = x < -160 ? -160 : x > 160 ? 160 : x;
    x = x > -0x1p-23f && x < 0 ? 0 : x; /* the hardware sees 23 bits after the point */
    t = x + 12582912.0f; /* 1.5 * 2^23: the integer stands in the low bits */
    k = (s32)(f32_bits(t) - 0x4B400000u);
    k = x == x ? k : 0;
    f = x - (t - 12582912.0f);
    p = 1.5252734e-05f;
    p = p * f + 1.5403530e-04f;
    p = p * f + 1.3333558e-03f;
    p = p * f + 9.6181291e-03f;
    p = p * f + 5.5504109e-02f;
    p = p * f + 2.4022651e-01f;
    p = p * f + 6.9314718e-01f;
    p = p * f + 1.0f;
    return p * f32_from((u32)(127 + (k >> 1)) << 23) * f32_from((u32)(127 + k - (k >> 1)) << 23);
}

/* Its series near 0, and 1 - 2 / (e^2x + 1) elsewhere. */
INLINE f32 tanh_of(f32 x)
{
    f32 m = f32_from(f32_bits(x) & 0x7FFFFFFFu), z, p, far;

    m = m > 20 ? 20 : m;
    z = m * m;
    p = -8.8632355e-03f;
    p = p * z + 2.1869488e-02f;
    p = p * z - 5.3968254e-02f;
    p = p * z + 1.3333333e-01f;
    p = p * z - 3.3333333e-01f;
    p = p * z * m + m;
    far = 1.0f - 2.0f / (exp2_of(2.8853901f * m) + 1.0f);
    m = m < 0x1.02p-8f ? m : m >= 8 ? 1 : m < 0.4375f ? p : far; /* ends as the hardware has them */
    return x != x ? x : f32_from(f32_bits(m) | (f32_bits(x) & 0x80000000u));
}

INLINE const struct ins *special(struct warp *w, const struct ins *i, enum format format, int n, bool tanh)
{
    const u16 *A = slot_at(w, i->a);
    u16 r[HALVES] ALIGNED;
    f32 a[HALVES] ALIGNED, x[HALVES] ALIGNED;
    bool ftz = FLUSHES(i);
    u32 exponent = infinity_of(format);

    float_default(w);
    widen(a, A, n, format);
    if (tanh)
        EACH_OF(n) x[l] = tanh_of(a[l]);
    else
        EACH_OF(n) x[l] = exp2_of(a[l]);
    if (format == F16)
        EACH_OF(n) r[l] = x[l] >= 65536 ? 0x7C00 : (u16)half_of_bits(f32_bits(x[l]), F16, TO_ZERO, false);
    else
        EACH_OF(n) r[l] = (u16)half_of_bits(f32_bits(x[l]), BF16, TO_ZERO, false);
    if (ftz)
        EACH_OF(n) r[l] = r[l] & exponent ? r[l] : r[l] & SIGN16;
    return finish(w, i, r, n);
}

#define SPECIALS(type, format, n, name, tanh) STEP(name##_##type) { return special(w, i, format, n, tanh); }
EACH_FORMAT(SPECIALS, ex2, false)
EACH_FORMAT(SPECIALS, tanh, true)

/* ---- comparison: a set of the relations that satisfy it ---- */
enum relation { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

#define EACH_COMPARISON(X)                                                                                             \
    X(eq, EQUAL)                                                                                                       \
    X(ne, LESS | GREATER)                                                                                              \
    X(lt, LESS)                                                                                                        \
    X(le, LESS | EQUAL)                                                                                                \
    X(gt, GREATER)                                                                                                     \
    X(ge, GREATER | EQUAL)                                                                                             \
    X(equ, EQUAL | UNORDERED)                                                                                          \
    X(neu, LESS | GREATER | UNORDERED)                                                                                 \
    X(ltu, LESS | UNORDERED)                                                                                           \
    X(leu, LESS | EQUAL | UNORDERED)                                                                                   \
    X(gtu, GREATER | UNORDERED)                                                                                        \
    X(geu, GREATER | EQUAL | UNORDERED)                                                                                \
    X(num, LESS | EQUAL | GREATER)                                                                                     \
    X(nan, UNORDERED)

/* All ones where the relation of the halves is in `wanted`. */
INLINE void compare(u16 *r, const u16 *A, const u16 *B, int n, enum format format, bool ftz, u32 wanted)
{
    u16 inf = (u16)infinity_of(format), least = ftz ? 0x0400 : 0;
    u16 less = wanted & LESS ? 0xFFFF : 0, equal = wanted & EQUAL ? 0xFFFF : 0,
        greater = wanted & GREATER ? 0xFFFF : 0, unordered = wanted & UNORDERED ? 0xFFFF : 0;

    EACH_OF(n)
    {
        u16 ma = A[l] & 0x7FFF, mb = B[l] & 0x7FFF;
        s16 a, b;

        ma = ma < least ? 0 : ma;
        mb = mb < least ? 0 : mb;
        a = (s16)(A[l] & SIGN16 ? -ma : ma);
        b = (s16)(B[l] & SIGN16 ? -mb : mb);
        r[l] = a < b ? less : greater;
        r[l] = a == b ? equal : r[l];
        r[l] = ma > inf ? unordered : r[l];
        r[l] = mb > inf ? unordered : r[l];
    }
}

static __attribute__((noinline)) const struct ins *setp_half(struct warp *w, const struct ins *i, enum format format,
                                                             u32 wanted)
{
    u16 r[LANES] ALIGNED;
    u32 R[LANES] ALIGNED;

    compare(r, slot_at(w, i->a), slot_at(w, i->b), LANES, format, format == F16 && FLUSHES(i), wanted);
    EACH_LANE { R[l] = (u32)(s32)(s16)r[l]; }
    if (!i->op && i->e == i->d) {
        u32 *D = slot_at(w, i->d);

        EACH_LANE { D[l] = w->lanes[l] ? R[l] : D[l]; }
        return i + 1;
    }
    return setp_finish(w, i, R);
}

/* d gets the low half's outcome, e the high half's; both are combined with c. */
static __attribute__((noinline)) const struct ins *setp_pair(struct warp *w, const struct ins *i, enum format format,
                                                             u32 wanted, unsigned op)
{
    u16 r[HALVES] ALIGNED;
    u32 *D = slot_at(w, i->d), *E = slot_at(w, i->e);
    const u32 *C = slot_at(w, i->c);
    bool second = i->e != i->d;

    compare(r, slot_at(w, i->a), slot_at(w, i->b), HALVES, format, format == F16 && FLUSHES(i), wanted);
    for (int l = 0; l < LANES; l++)
        if (w->lanes[l]) {
            u32 c = C[l];

            D[l] = combine((u32)(s32)(s16)r[2 * l], c, op);
            if (second)
                E[l] = combine((u32)(s32)(s16)r[2 * l + 1], c, op);
        }
    return i + 1;
}

/* A half of the result for each half: `yes`, 1.0 or all ones, where the comparison holds. */
static __attribute__((noinline)) const struct ins *set_pair(struct warp *w, const struct ins *i, enum format format,
                                                            u32 wanted, unsigned op, u32 yes)
{
    u16 r[HALVES] ALIGNED;
    u32 R[LANES] ALIGNED, *D = slot_at(w, i->d);
    const u32 *C = slot_at(w, i->c);

    compare(r, slot_at(w, i->a), slot_at(w, i->b), HALVES, format, format == F16 && FLUSHES(i), wanted);
    memcpy(R, r, sizeof R);
    EACH_LANE
    {
        u32 x = combine(R[l], C[l], op) & yes;

        D[l] = w->lanes[l] ? x : D[l];
    }
    return i + 1;
}

#define PAIR_COMPARISON(name, wanted, suffix, op)                                                                      \
    STEP(setp_##name##suffix##_f16x2) { return setp_pair(w, i, F16, wanted, op); }                                     \
    STEP(setp_##name##suffix##_bf16x2) { return setp_pair(w, i, BF16, wanted, op); }                                   \
    STEP(set_##name##suffix##_32_f16x2) { return set_pair(w, i, F16, wanted, op, ~0u); }                               \
    STEP(set_##name##suffix##_f16x2_f16x2) { return set_pair(w, i, F16, wanted, op, 0x3C003C00); }                     \
    STEP(set_##name##suffix##_32_bf16x2) { return set_pair(w, i, BF16, wanted, op, ~0u); }                             \
    STEP(set_##name##suffix##_bf16x2_bf16x2) { return set_pair(w, i, BF16, wanted, op, 0x3F803F80); }
#define COMPARISONS(name, wanted)                                                                                      \
    STEP(setp_##name##_f16) { return setp_half(w, i, F16, wanted); }                                                   \
    STEP(setp_##name##_bf16) { return setp_half(w, i, BF16, wanted); }                                                 \
    PAIR_COMPARISON(name, wanted, , COMBINE_NONE)                                                                      \
    PAIR_COMPARISON(name, wanted, _and, COMBINE_AND)                                                                   \
    PAIR_COMPARISON(name, wanted, _or, COMBINE_OR)                                                                     \
    PAIR_COMPARISON(name, wanted, _xor, COMBINE_XOR)
EACH_COMPARISON(COMPARISONS)

/* ---- rows ---- */
#define C(names, body, operands, allows, flops) {names, body, operands, allows, CLASS_COMPUTATION, flops}
#define RFS (ALLOW_ROUNDING | ALLOW_FTZ | ALLOW_SAT)
#define RF (ALLOW_ROUNDING | ALLOW_FTZ)
#define R ALLOW_ROUNDING

const struct row LEVELED(rows_half)[] = {
#define ARITHMETIC_ROWS(type, letters2, letters3, two, three, flops)                                                   \
    C("add." #type, add_##type, letters2, two, flops), C("sub." #type, sub_##type, letters2, two, flops),              \
        C("mul." #type, mul_##type, letters2, two, flops),                                                             \
        C("fma." #type, fma_##type, letters3, two, 2 * (flops)),                                                       \
        C("fma.relu." #type, fma_relu_##type, letters3, three, 2 * (flops)),                                           \
        C("fma.oob." #type, fma_oob_##type, letters3, two, 2 * (flops)),                                               \
        C("fma.oob.relu." #type " fma.relu.oob." #type, fma_oob_relu_##type, letters3, three, 2 * (flops))
    ARITHMETIC_ROWS(f16, "hhh", "hhhh", RFS, RF, 1),
    ARITHMETIC_ROWS(f16x2, "www", "wwww", RFS, RF, 2),
    ARITHMETIC_ROWS(bf16, "hhh", "hhhh", R, R, 1),
    ARITHMETIC_ROWS(bf16x2, "www", "wwww", R, R, 2),
#define SIGN_ROWS(type, letters1, letters2, allows)                                                                    \
    C("neg." #type, neg_##type, letters1, allows, 0), C("abs." #type, abs_##type, letters1, allows, 0),                \
        C("min." #type, min_##type, letters2, allows, 0), C("max." #type, max_##type, letters2, allows, 0),            \
        C("min.NaN." #type, min_nan_##type, letters2, allows, 0),                                                      \
        C("max.NaN." #type, max_nan_##type, letters2, allows, 0),                                                      \
        C("min.xorsign.abs." #type, min_xor_##type, letters2, allows, 0),                                              \
        C("max.xorsign.abs." #type, max_xor_##type, letters2, allows, 0),                                              \
        C("min.NaN.xorsign.abs." #type, min_nan_xor_##type, letters2, allows, 0),                                      \
        C("max.NaN.xorsign.abs." #type, max_nan_xor_##type, letters2, allows, 0)
    SIGN_ROWS(f16, "hh", "hhh", ALLOW_FTZ),
    SIGN_ROWS(f16x2, "ww", "www", ALLOW_FTZ),
    SIGN_ROWS(bf16, "hh", "hhh", 0),
    SIGN_ROWS(bf16x2, "ww", "www", 0),
#define SPECIAL_ROWS(type, letters, flops)                                                                             \
    {"ex2.approx." #type, ex2_##type, letters, ALLOW_FTZ, CLASS_SPECIAL, flops},                                       \
        {"tanh.approx." #type, tanh_##type, letters, 0, CLASS_SPECIAL, flops}
    SPECIAL_ROWS(f16, "hh", 1),
    SPECIAL_ROWS(f16x2, "ww", 2),
    SPECIAL_ROWS(bf16, "hh", 1),
    SPECIAL_ROWS(bf16x2, "ww", 2),
#define PAIR_ROWS(name, bool, suffix, type, letters, allows)                                                           \
    C("setp." #name bool "." #type, setp_##name##suffix##_##type, "P" letters, allows, 0),                             \
        C("set." #name bool ".u32." #type " set." #name bool ".s32." #type, set_##name##suffix##_32_##type,            \
          "w" letters, allows, 0),                                                                                     \
        C("set." #name bool "." #type "." #type, set_##name##suffix##_##type##_##type, "w" letters, allows, 0)
#define COMPARISON_ROWS(name, wanted)                                                                                  \
    C("setp." #name ".f16", setp_##name##_f16, "Phh", ALLOW_FTZ, 0),                                                   \
        C("setp." #name ".bf16", setp_##name##_bf16, "Phh", 0, 0),                                                     \
        PAIR_ROWS(name, "", , f16x2, "ww", ALLOW_FTZ), PAIR_ROWS(name, ".and", _and, f16x2, "wwp", ALLOW_FTZ),         \
        PAIR_ROWS(name, ".or", _or, f16x2, "wwp", ALLOW_FTZ), PAIR_ROWS(name, ".xor", _xor, f16x2, "wwp", ALLOW_FTZ),  \
        PAIR_ROWS(name, "", , bf16x2, "ww", 0), PAIR_ROWS(name, ".and", _and, bf16x2, "wwp", 0),                       \
        PAIR_ROWS(name, ".or", _or, bf16x2, "wwp", 0), PAIR_ROWS(name, ".xor", _xor, bf16x2, "wwp", 0),
    EACH_COMPARISON(COMPARISON_ROWS)
    ROWS_END,
};
