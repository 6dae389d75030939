/*
 * table.h - macros to write the bodies of instructions. The table_*.c files include it. They are compiled once per
 * level of x86-64 (-DLEVEL=2, 3, 4). So everything here is static, and each file exports one list of rows.
 *
 * A body is an expression over one lane's operands. The macros make the loop over the lanes. The loop has two forms:
 * all lanes active, which is the common case, and a blend with the old value. Slots of one instruction are either the
 * same or do not overlap (regalloc.c), hence the ivdep.
 *
 * An f32 result that is NaN becomes 0x7FFFFFFF, as on the hardware. f64 keeps payloads: see canon_*().
 */
#ifndef CUDASIM_TABLE_H
#define CUDASIM_TABLE_H

#include <math.h>
#include <string.h>
#include <xmmintrin.h>

#include "contrib/cudasim/base/memory.h"
#include "contrib/cudasim/base/mxcsr.h"
#include "contrib/cudasim/base/operation.h"
#include "contrib/cudasim/machine/access.h"
#include "contrib/cudasim/machine/block.h"
#include "contrib/cudasim/machine/builtin.h"
#include "contrib/cudasim/machine/device.h"
#include "contrib/cudasim/machine/fault.h"
#include "contrib/cudasim/machine/launch.h"
#include "contrib/cudasim/machine/race.h"
#include "contrib/cudasim/machine/race_bulk.h"
#include "contrib/cudasim/machine/race_matrix.h"
#include "contrib/cudasim/machine/traffic_note.h"
#include "contrib/cudasim/machine/sectors.h"
#include "contrib/cudasim/machine/settings.h"
#include "contrib/cudasim/machine/warp.h"

#define JOIN2(a, b) a##b
#define JOIN1(a, b) JOIN2(a, b)
#define LEVELED(name) JOIN1(name##_v, LEVEL)

#define EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++)
#define INLINE static inline __attribute__((always_inline))
#define ALIGNED __attribute__((aligned(64)))
#define FLUSHES(i) (((i)->mxcsr & MXCSR_FLUSH) != 0) /* .ftz */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef float f32;
typedef double f64;
typedef unsigned __int128 u128;
typedef __int128 s128;

#define STEP(name) static const struct ins *name(struct warp *w, const struct ins *i)

#define UNARY(name, DT, AT, expression)                                                                                \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        DT *D = slot_at(w, i->d);                                                                                      \
        const AT *A = slot_at(w, i->a);                                                                                \
        if (w->mask == FULL_MASK) {                                                                                    \
            EACH_LANE { AT a = A[l]; D[l] = (DT)(expression); }                                                        \
        } else {                                                                                                       \
            const u32 *on = w->lanes;                                                                                  \
            EACH_LANE { AT a = A[l]; DT r_ = (DT)(expression); D[l] = on[l] ? r_ : D[l]; }                             \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

#define BINARY(name, DT, AT, BT, expression)                                                                           \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        DT *D = slot_at(w, i->d);                                                                                      \
        const AT *A = slot_at(w, i->a);                                                                                \
        const BT *B = slot_at(w, i->b);                                                                                \
        if (w->mask == FULL_MASK) {                                                                                    \
            EACH_LANE { AT a = A[l]; BT b = B[l]; D[l] = (DT)(expression); }                                           \
        } else {                                                                                                       \
            const u32 *on = w->lanes;                                                                                  \
            EACH_LANE { AT a = A[l]; BT b = B[l]; DT r_ = (DT)(expression); D[l] = on[l] ? r_ : D[l]; }                \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

#define TERNARY(name, DT, AT, BT, CT, expression)                                                                      \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        DT *D = slot_at(w, i->d);                                                                                      \
        const AT *A = slot_at(w, i->a);                                                                                \
        const BT *B = slot_at(w, i->b);                                                                                \
        const CT *C = slot_at(w, i->c);                                                                                \
        if (w->mask == FULL_MASK) {                                                                                    \
            EACH_LANE { AT a = A[l]; BT b = B[l]; CT c = C[l]; D[l] = (DT)(expression); }                              \
        } else {                                                                                                       \
            const u32 *on = w->lanes;                                                                                  \
            EACH_LANE { AT a = A[l]; BT b = B[l]; CT c = C[l]; DT r_ = (DT)(expression); D[l] = on[l] ? r_ : D[l]; }   \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

/* The same for floating point: the control word first, and D is the bits of the result. */
static inline void float_enter(struct warp *w, const struct ins *i)
{
    if (i->mxcsr != w->worker->mxcsr) {
        w->worker->mxcsr = i->mxcsr;
        __asm__ volatile("ldmxcsr %0" : : "m"(i->mxcsr) : "memory");
    }
}

/* For bodies that call the C library: the environment it expects. */
static inline void float_default(struct warp *w)
{
    static const u32 word = MXCSR_DEFAULT;

    if (w->worker->mxcsr != word) {
        w->worker->mxcsr = word;
        __asm__ volatile("ldmxcsr %0" : : "m"(word) : "memory");
    }
}

static inline u32 f32_bits(f32 x)
{
    u32 u;

    memcpy(&u, &x, sizeof u);
    return u;
}

static inline f32 f32_from(u32 u)
{
    f32 x;

    memcpy(&x, &u, sizeof x);
    return x;
}

static inline u64 f64_bits(f64 x)
{
    u64 u;

    memcpy(&u, &x, sizeof u);
    return u;
}

static inline f64 f64_from(u64 u)
{
    f64 x;

    memcpy(&x, &u, sizeof x);
    return x;
}

static inline u32 canon_f32(f32 x)
{
    return x != x ? 0x7FFFFFFFu : f32_bits(x);
}

static inline u64 canon_f64(f64 x)
{
    return f64_bits(x);
}

/* .ftz for values that no arithmetic touches: subnormals become zero of their sign. */
static inline u32 flush_f32(u32 u)
{
    return (u & 0x7F800000u) ? u : u & 0x80000000u;
}

static inline u32 saturate_f32(u32 u)
{
    f32 x = f32_from(u);

    return x != x ? 0 : x < 0 || u == 0x80000000u ? 0 : x > 1 ? 0x3F800000u : u;
}

/* Bits of the lanes whose word is not zero (they are all ones or zero). */
static inline u32 lanes_mask(const u32 *lanes)
{
    static const u32 bit[LANES] __attribute__((aligned(64))) = {
        1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
        1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
        1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
    u32 mask = 0;

    for (int l = 0; l < LANES; l++)
        mask |= lanes[l] & bit[l];
    return mask;
}

/* The predicate at slot `s` as a mask of lanes, active or not. */
static inline u32 predicate_mask(const struct warp *w, slot s)
{
    return lanes_mask(slot_at(w, s));
}

/* What a comparison gives, combined with the predicate c. */
static inline u32 combine(u32 r, u32 c, unsigned how)
{
    return how == COMBINE_AND ? r & c : how == COMBINE_OR ? r | c : how == COMBINE_XOR ? r ^ c : r;
}

/* Comparison: d = (a op b) [bool c]; e is the second predicate, or the same slot as d when there is none */
static inline const struct ins *setp_finish(struct warp *w, const struct ins *i, const u32 *r)
{
    u32 *D = slot_at(w, i->d), *E = slot_at(w, i->e);
    const u32 *C = slot_at(w, i->c);
    u32 flip = (i->flags & INS_NEGATE) ? ~0u : 0;
    bool second = i->e != i->d;

    for (int l = 0; l < LANES; l++) {
        u32 c = C[l] ^ flip;

        if (!w->lanes[l])
            continue;
        D[l] = combine(r[l], c, i->op);
        if (second)
            E[l] = combine(~r[l], c, i->op);
    }
    return i + 1;
}

#define COMPARE(name, T, condition)                                                                                    \
    static __attribute__((noinline)) const struct ins *setp_full_##name(struct warp *w, const struct ins *i)           \
    {                                                                                                                  \
        const T *A = slot_at(w, i->a), *B = slot_at(w, i->b);                                                          \
        u32 R[LANES];                                                                                                  \
        EACH_LANE { T a = A[l], b = B[l]; R[l] = ONES(condition); }                                                    \
        return setp_finish(w, i, R);                                                                                   \
    }                                                                                                                  \
    STEP(setp_##name)                                                                                                  \
    {                                                                                                                  \
        const T *A = slot_at(w, i->a), *B = slot_at(w, i->b);                                                          \
        u32 *D = slot_at(w, i->d);                                                                                     \
        if (i->op || i->e != i->d)                                                                                     \
            return setp_full_##name(w, i);                                                                             \
        if (w->mask == FULL_MASK) {                                                                                    \
            EACH_LANE { T a = A[l], b = B[l]; D[l] = ONES(condition); }                                                \
        } else {                                                                                                       \
            const u32 *on = w->lanes;                                                                                  \
            EACH_LANE { T a = A[l], b = B[l]; u32 r = ONES(condition); D[l] = on[l] ? r : D[l]; }                      \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

/* ---- lists of instructions ----------------------------------------------------------------------------------- */

/*
 * An instruction whose body is an expression is one line of a list, NAME_list.h. The table's file includes the list
 * for the bodies; then table_rows.h, which makes rows of the same lines; then the list again, in the array of its rows.
 *
 *     TWO("min.u32 …", min_u32, u32, u32, u32, a < b ? a : b)     names, body, destination, sources, expression
 *     ROW("and.pred", and_32, "ppp")                             a row alone: the body is another line's
 *
 * With _FTZ the row allows .ftz; with _OF the line says also of which class the instruction is, how many floating-point
 * operations it does and, of a row alone, what the row allows.
 */
#define ONE(names, body, D, A, expression) UNARY(body, D, A, expression)
#define TWO(names, body, D, A, B, expression) BINARY(body, D, A, B, expression)
#define THREE(names, body, D, A, B, C, expression) TERNARY(body, D, A, B, C, expression)
#define THREE_FTZ(names, body, D, A, B, C, expression) TERNARY(body, D, A, B, C, expression)
#define ONE_OF(names, body, D, A, class, flops, expression) UNARY(body, D, A, expression)
#define TWO_OF(names, body, D, A, B, class, flops, expression) BINARY(body, D, A, B, expression)
#define ROW(names, body, operands)
#define ROW_OF(names, body, operands, allows, class, flops)

#define ROWS_END {NULL, NULL, NULL, 0, 0, 0}

#endif
