/*
 * table_video.c - video instructions: arithmetic on bytes and halves of registers with wide intermediate results, and
 * the same on two or four lanes at once. Today's hardware has none of them: ptxas writes sequences.
 *
 * They are rare. So one function executes each family, lane by lane, from a description of the form. Selectors come in
 * ins->imm (video.h). If a form with a third source has the name of a form with two, its row is `name@4`.
 */
#include "table.h"
#include "contrib/cudasim/base/video.h"

enum video_operation { V_ADD, V_SUB, V_ABSDIFF, V_MIN, V_MAX, V_AVRG, V_SHL, V_SHR, V_MAD, V_EQ, V_NE, V_LT, V_LE, V_GT,
                       V_GE };

enum video_second { S_NONE, S_ADD, S_MIN, S_MAX, S_MERGE };

struct video {
    u8 operation;       /* enum video_operation */
    bool d_signed, a_signed, b_signed;
    u8 second;          /* enum video_second: what is done with the result and c */
    bool wrap;          /* shifts: amounts are taken modulo 32, else clamped to it */
    bool plus_one;      /* .po */
    u8 scale;           /* bits by which vmad's result is shifted */
    u8 parts;           /* of SIMD forms: 2 or 4 */
};

static inline s64 extend(u32 x, u32 bits, bool is_signed)
{
    u32 up = 32 - bits;

    return is_signed ? (s32)(x << up) >> up : (s64)(x << up >> up);
}

/* The part of x that the selector names, of a scalar form. */
static inline s64 part_of(u32 x, u32 selector, bool is_signed)
{
    if (!selector)
        return extend(x, 32, is_signed);
    if (selector & 0x4000)
        return extend(x >> 16 * (selector & 1), 16, is_signed);
    return extend(x >> 8 * (selector & 3), 8, is_signed);
}

static inline s64 clamp(s64 x, u32 bits, bool is_signed)
{
    s64 low = is_signed ? -((s64)1 << (bits - 1)) : 0, high = low + ((s64)1 << bits) - 1;

    return x < low ? low : x > high ? high : x;
}

static inline s64 compute(const struct video *x, s64 a, s64 b)
{
    switch (x->operation) {
    case V_ADD: return a + b;
    case V_SUB: return a - b;
    case V_ABSDIFF: return a > b ? a - b : b - a;
    case V_MIN: return a < b ? a : b;
    case V_MAX: return a > b ? a : b;
    case V_AVRG: return (a + b + (a + b >= 0)) >> 1;
    case V_SHL:
    case V_SHR:
        b = x->wrap ? b & 31 : b > 32 ? 32 : b;
        return x->operation == V_SHL ? (s64)((u64)a << b) : a >> b;
    case V_EQ: return a == b;
    case V_NE: return a != b;
    case V_LT: return a < b;
    case V_LE: return a <= b;
    case V_GT: return a > b;
    default: return a >= b;
    }
}

/*
 * For sm_90, ptxas translates the scalar instructions differently from the manual. This file does the same as an H200:
 *   .sat of sums and differences to u32 is no limit above; of what goes into a part, it takes negative values for too
 *   large ones; of shifted values, it sees the low 34 bits and means the whole register, part or not
 *   .min and .max cut sums and saturated shifts to 32 bits, and extend them by their top bit even if they are unsigned
 *   what goes into the part .h1 is the upper half of the result
 */
static inline s64 saturate(const struct video *x, s64 r, u32 bits, bool part)
{
    u32 most = 0xFFFFFFFFu >> (32 - bits) >> x->d_signed;

    if (x->operation == V_SHL || x->operation == V_SHR)
        return clamp((s64)((u64)r << 30) >> 30, 32, x->d_signed);
    if (part)
        return (u64)r > most ? most : r;
    return x->d_signed ? clamp(r, 32, true) : r < 0 ? 0 : r;
}

/* Whether .min or .max takes the result r and not c. */
static inline bool prefers(const struct video *x, s64 r, u32 c, bool saturated)
{
    bool shift = x->operation == V_SHL || x->operation == V_SHR, sum = x->operation <= V_SUB, less;

    r = sum || (shift && saturated) ? (s32)r : r;
    less = (x->operation >= V_EQ ? x->a_signed : x->d_signed) ? r < (s32)c : (u64)r < c;
    return less == (x->second == S_MIN);
}

/* vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vset */
static const struct ins *video_scalar(struct warp *w, const struct ins *i, const struct video *x)
{
    const u32 *A = slot_at(w, i->a), *B = slot_at(w, i->b), *C = slot_at(w, i->c);
    u32 *D = slot_at(w, i->d);
    u32 sa = i->imm >> VIDEO_A & 0xFFFF, sb = i->imm >> VIDEO_B & 0xFFFF, sd = i->imm >> VIDEO_D & 0xFFFF;
    u32 bits = !sd ? 32 : sd & 0x4000 ? 16 : 8, at = !sd ? 0 : sd & 0x4000 ? 16 * (sd & 1) : 8 * (sd & 3);
    u32 field = 0xFFFFFFFFu >> (32 - bits), from = bits == 16 ? at : 0;
    bool saturated = i->flags & INS_SATURATE;

    for (int l = 0; l < LANES; l++) {
        s64 r;

        if (!w->lanes[l])
            continue;
        r = compute(x, part_of(A[l], sa, x->a_signed), part_of(B[l], sb, x->b_signed));
        if (saturated)
            r = saturate(x, r, bits, sd != 0);
        if (x->second == S_MERGE)
            D[l] = ((u32)(r >> from) & field) << at | (C[l] & ~(field << at));
        else if (x->second == S_ADD)
            D[l] = (u32)r + C[l];
        else if (x->second == S_NONE)
            D[l] = (u32)r;
        else
            D[l] = prefers(x, r, C[l], saturated) ? (u32)r : C[l];
    }
    return i + 1;
}

/*
 * d = (a b + c) >> scale, of 64 bits before the shift. What ptxas makes of it for sm_90 departs from the manual: c and
 * factors of 32 bits are signed whatever their types are; those say what .sat does, and where all is unsigned it has
 * negative sums become 0, or all ones after a shift.
 */
static const struct ins *video_mad(struct warp *w, const struct ins *i, const struct video *x)
{
    const u32 *A = slot_at(w, i->a), *B = slot_at(w, i->b), *C = slot_at(w, i->c);
    u32 *D = slot_at(w, i->d);
    u32 sa = i->imm >> VIDEO_A & 0xFFFF, sb = i->imm >> VIDEO_B & 0xFFFF;
    bool negate_product = (i->imm >> VIDEO_NEGATE_A ^ i->imm >> VIDEO_NEGATE_B) & 1;
    bool negate_c = i->imm >> VIDEO_NEGATE_C & 1;
    bool is_signed = x->a_signed || x->b_signed || negate_product || negate_c;

    for (int l = 0; l < LANES; l++) {
        s64 r, c = (s32)C[l];

        if (!w->lanes[l])
            continue;
        r = part_of(A[l], sa, x->a_signed || !sa) * part_of(B[l], sb, x->b_signed || !sb);
        r = (negate_product ? -r : r) + (negate_c ? -c : c) + x->plus_one;
        r >>= x->scale;
        if (i->flags & INS_SATURATE)
            r = !is_signed && x->scale && r < 0 ? UINT32_MAX : clamp(r, 32, is_signed);
        D[l] = (u32)r;
    }
    return i + 1;
}

/* The n-th part of b:a which the selector takes; without one, the n-th of `own`. */
static inline s64 lane_part(u32 a, u32 b, u32 own, u32 selector, u32 n, u32 parts, bool is_signed)
{
    u32 bits = 32 / parts, digit = selector ? selector >> 3 * n & 7 : n;
    u64 all = selector ? (u64)b << 32 | a : own;

    return extend((u32)(all >> bits * (digit & (2 * parts - 1))), bits, is_signed);
}

/* vadd2, vadd4 and their like: a part that d's mask leaves out is c's; with .add, d is c and the sum of the parts. */
static const struct ins *video_parts(struct warp *w, const struct ins *i, const struct video *x)
{
    const u32 *A = slot_at(w, i->a), *B = slot_at(w, i->b), *C = slot_at(w, i->c);
    u32 *D = slot_at(w, i->d);
    u32 sa = i->imm >> VIDEO_A & 0xFFFF, sb = i->imm >> VIDEO_B & 0xFFFF, sd = i->imm >> VIDEO_D & 0xFFFF;
    u32 bits = 32 / x->parts, field = (1u << bits) - 1, mask = sd ? 0 : 15;

    for (u32 n = 0; sd && n <= (sd >> 12 & 3); n++)
        mask |= 1u << (sd >> 3 * n & 7);
    for (int l = 0; l < LANES; l++) {
        u32 r = x->second == S_ADD ? C[l] : 0;

        if (!w->lanes[l])
            continue;
        for (u32 n = 0; n < x->parts; n++) {
            s64 part = compute(x, lane_part(A[l], B[l], A[l], sa, n, x->parts, x->a_signed),
                               lane_part(A[l], B[l], B[l], sb, n, x->parts, x->b_signed));

            if (i->flags & INS_SATURATE)
                part = clamp(part, bits, x->d_signed);
            if (x->second == S_ADD)
                r += mask >> n & 1 ? (u32)part : 0;
            else
                r |= mask >> n & 1 ? ((u32)part & field) << bits * n : C[l] & field << bits * n;
        }
        D[l] = r;
    }
    return i + 1;
}

/* ---- the forms ---- */
enum { B_u32 = false, B_s32 = true };

#define VIDEO(id, function, ...)                                                                                       \
    STEP(id)                                                                                                           \
    {                                                                                                                  \
        static const struct video x = {__VA_ARGS__};                                                                   \
        return function(w, i, &x);                                                                                     \
    }

#define EACH_TYPES(X, ...)                                                                                             \
    X(u32, u32, u32, __VA_ARGS__) X(u32, u32, s32, __VA_ARGS__) X(u32, s32, u32, __VA_ARGS__)                          \
    X(u32, s32, s32, __VA_ARGS__) X(s32, u32, u32, __VA_ARGS__) X(s32, u32, s32, __VA_ARGS__)                          \
    X(s32, s32, u32, __VA_ARGS__) X(s32, s32, s32, __VA_ARGS__)
#define EACH_SHIFT_TYPES(X, ...)                                                                                       \
    X(u32, u32, u32, __VA_ARGS__) X(u32, s32, u32, __VA_ARGS__) X(s32, u32, u32, __VA_ARGS__)                          \
    X(s32, s32, u32, __VA_ARGS__)
#define EACH_SCALAR(X)                                                                                                 \
    EACH_TYPES(X, vadd, V_ADD, , 0) EACH_TYPES(X, vsub, V_SUB, , 0) EACH_TYPES(X, vabsdiff, V_ABSDIFF, , 0)            \
    EACH_TYPES(X, vmin, V_MIN, , 0) EACH_TYPES(X, vmax, V_MAX, , 0)                                                    \
    EACH_SHIFT_TYPES(X, vshl, V_SHL, .clamp, 0) EACH_SHIFT_TYPES(X, vshl, V_SHL, .wrap, 1)                             \
    EACH_SHIFT_TYPES(X, vshr, V_SHR, .clamp, 0) EACH_SHIFT_TYPES(X, vshr, V_SHR, .wrap, 1)
#define EACH_LANED(X)                                                                                                  \
    EACH_TYPES(X, vadd, V_ADD) EACH_TYPES(X, vsub, V_SUB) EACH_TYPES(X, vavrg, V_AVRG)                                 \
    EACH_TYPES(X, vabsdiff, V_ABSDIFF) EACH_TYPES(X, vmin, V_MIN) EACH_TYPES(X, vmax, V_MAX)
#define EACH_SCALE(X, ...) X(, 0, __VA_ARGS__) X(.shr7, 7, __VA_ARGS__) X(.shr15, 15, __VA_ARGS__)
#define EACH_COMPARED(X, ...)                                                                                          \
    X(u32, u32, __VA_ARGS__) X(u32, s32, __VA_ARGS__) X(s32, u32, __VA_ARGS__) X(s32, s32, __VA_ARGS__)
#define EACH_SET(X)                                                                                                    \
    EACH_COMPARED(X, eq, V_EQ) EACH_COMPARED(X, ne, V_NE) EACH_COMPARED(X, lt, V_LT) EACH_COMPARED(X, le, V_LE)        \
    EACH_COMPARED(X, gt, V_GT) EACH_COMPARED(X, ge, V_GE)

#define SCALAR_BODY(d, a, b, name, operation, mode, wrap)                                                              \
    SCALAR_SECONDS(name##_##wrap##_##d##_##a##_##b, operation, B_##d, B_##a, B_##b, wrap)
#define SCALAR_SECONDS(id, operation, d, a, b, wrap)                                                                   \
    VIDEO(id, video_scalar, operation, d, a, b, S_NONE, wrap, 0, 0, 0)                                                 \
    VIDEO(id##_add, video_scalar, operation, d, a, b, S_ADD, wrap, 0, 0, 0)                                            \
    VIDEO(id##_min, video_scalar, operation, d, a, b, S_MIN, wrap, 0, 0, 0)                                            \
    VIDEO(id##_max, video_scalar, operation, d, a, b, S_MAX, wrap, 0, 0, 0)                                            \
    VIDEO(id##_merge, video_scalar, operation, d, a, b, S_MERGE, wrap, 0, 0, 0)
EACH_SCALAR(SCALAR_BODY)

#define SET_BODY(a, b, name, operation)                                                                                \
    SCALAR_SECONDS(vset_##a##_##b##_##name, operation, false, B_##a, B_##b, 0)                                         \
    LANED_SECONDS(vset2_##a##_##b##_##name, operation, false, B_##a, B_##b, 2)                                         \
    LANED_SECONDS(vset4_##a##_##b##_##name, operation, false, B_##a, B_##b, 4)
#define LANED_SECONDS(id, operation, d, a, b, parts)                                                                   \
    VIDEO(id, video_parts, operation, d, a, b, S_MERGE, 0, 0, 0, parts)                                                \
    VIDEO(id##_add, video_parts, operation, d, a, b, S_ADD, 0, 0, 0, parts)
EACH_SET(SET_BODY)

#define LANED_BODY(d, a, b, name, operation)                                                                           \
    LANED_SECONDS(name##2_##d##_##a##_##b, operation, B_##d, B_##a, B_##b, 2)                                          \
    LANED_SECONDS(name##4_##d##_##a##_##b, operation, B_##d, B_##a, B_##b, 4)
EACH_LANED(LANED_BODY)

#define MAD_BODY(suffix, scale, d, a, b)                                                                               \
    VIDEO(vmad_##scale##_##d##_##a##_##b, video_mad, V_MAD, B_##d, B_##a, B_##b, S_NONE, 0, 0, scale, 0)               \
    VIDEO(vmad_po_##scale##_##d##_##a##_##b, video_mad, V_MAD, B_##d, B_##a, B_##b, S_NONE, 0, 1, scale, 0)
#define MAD_BODIES(d, a, b, none) EACH_SCALE(MAD_BODY, d, a, b)
EACH_TYPES(MAD_BODIES, )

/* ---- rows ---- */
#define C(names, body, operands) {names, body, operands, ALLOW_SAT, CLASS_COMPUTATION, 0}

const struct row LEVELED(rows_video)[] = {
#define SCALAR_ROW(d, a, b, name, operation, mode, wrap)                                                               \
    SECOND_ROWS(#name "." #d "." #a "." #b #mode, name##_##wrap##_##d##_##a##_##b),
#define SECOND_ROWS(text, id)                                                                                          \
    C(text, id, "www"), C(text ".add", id##_add, "wwww"), C(text ".min", id##_min, "wwww"),                            \
        C(text ".max", id##_max, "wwww"), C(text "@4", id##_merge, "wwww")
    EACH_SCALAR(SCALAR_ROW)
#define SET_ROW(a, b, name, operation)                                                                                 \
    SECOND_ROWS("vset." #a "." #b "." #name, vset_##a##_##b##_##name),                                                 \
        C("vset2." #a "." #b "." #name, vset2_##a##_##b##_##name, "wwww"),                                             \
        C("vset2." #a "." #b "." #name ".add", vset2_##a##_##b##_##name##_add, "wwww"),                                \
        C("vset4." #a "." #b "." #name, vset4_##a##_##b##_##name, "wwww"),                                             \
        C("vset4." #a "." #b "." #name ".add", vset4_##a##_##b##_##name##_add, "wwww"),
    EACH_SET(SET_ROW)
#define LANED_ROW(d, a, b, name, operation)                                                                            \
    C(#name "2." #d "." #a "." #b, name##2_##d##_##a##_##b, "wwww"),                                                   \
        C(#name "2." #d "." #a "." #b ".add", name##2_##d##_##a##_##b##_add, "wwww"),                                  \
        C(#name "4." #d "." #a "." #b, name##4_##d##_##a##_##b, "wwww"),                                               \
        C(#name "4." #d "." #a "." #b ".add", name##4_##d##_##a##_##b##_add, "wwww"),
    EACH_LANED(LANED_ROW)
#define MAD_ROW(suffix, scale, d, a, b)                                                                                \
    C("vmad." #d "." #a "." #b #suffix, vmad_##scale##_##d##_##a##_##b, "wwww"),                                       \
        C("vmad." #d "." #a "." #b ".po" #suffix, vmad_po_##scale##_##d##_##a##_##b, "wwww"),
#define MAD_ROWS(d, a, b, none) EACH_SCALE(MAD_ROW, d, a, b)
    EACH_TYPES(MAD_ROWS, )
    ROWS_END,
};
