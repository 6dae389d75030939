/*
 * table_integer.c - integer arithmetic, logic, shifts, bit fields, comparisons, selection and moves.
 * table_integer_list.h lists the instructions. This file holds the bodies that are too long for one of its lines.
 */
#include "table.h"

/* ---- what the bodies of table_integer_list.h call ---- */

static inline s32 sat_s32(s64 x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (s32)x;
}

static inline s64 low24(s32 x)
{
    return (s32)((u32)x << 8) >> 8;
}

static inline u32 div_u32(u32 a, u32 b) { return b ? a / b : UINT32_MAX; }
static inline u32 rem_u32(u32 a, u32 b) { return b ? a % b : a; }
static inline s32 div_s32(s32 a, s32 b) { return b == 0 ? -1 : b == -1 ? (s32)(0u - (u32)a) : a / b; }
static inline s32 rem_s32(s32 a, s32 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
static inline u64 div_u64(u64 a, u64 b) { return b ? a / b : UINT64_MAX; }
static inline u64 rem_u64(u64 a, u64 b) { return b ? a % b : a; }
static inline s64 div_s64(s64 a, s64 b) { return b == 0 ? -1 : b == -1 ? (s64)(0u - (u64)a) : a / b; }
static inline s64 rem_s64(s64 a, s64 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }

static inline s32 min_s(s32 a, s32 b) { return a < b ? a : b; }
static inline s32 max_s(s32 a, s32 b) { return a > b ? a : b; }

#define PAIR(low, high) (((u32)(u16)(low)) | ((u32)(u16)(high) << 16))

/* Any function of three bits, as the four minterms that `a` selects between. */
static inline u32 lut3(u32 lut, u32 a, u32 b, u32 c)
{
    u32 r = 0;

    r |= (lut & 0x01) ? ~a & ~b & ~c : 0;
    r |= (lut & 0x02) ? ~a & ~b & c : 0;
    r |= (lut & 0x04) ? ~a & b & ~c : 0;
    r |= (lut & 0x08) ? ~a & b & c : 0;
    r |= (lut & 0x10) ? a & ~b & ~c : 0;
    r |= (lut & 0x20) ? a & ~b & c : 0;
    r |= (lut & 0x40) ? a & b & ~c : 0;
    r |= (lut & 0x80) ? a & b & c : 0;
    return r;
}

static inline u32 brev_32(u32 a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0F0F0F0F) | (a & 0x0F0F0F0F) << 4;
    return __builtin_bswap32(a);
}

static inline u32 bfind(u64 a)
{
    return a ? 63 - (u32)__builtin_clzll(a) : UINT32_MAX;
}

#define BFIND(T, bits) ((T)a < 0 ? (u64)~a & (~0ull >> (64 - bits)) : (u64)a & (~0ull >> (64 - bits)))

static inline u32 bfind_shift(u32 position, u32 top)
{
    return position == UINT32_MAX ? position : top - position;
}

/* The position of the offset-th set bit from `base`, upwards or downwards; offset 0 asks for base itself. */
static u32 fns(u32 mask, u32 base, s32 offset)
{
    int way = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;

    if (base > 31)
        return UINT32_MAX;
    if (offset == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    for (int p = (int)base; p >= 0 && p < 32; p += way)
        if (mask >> p & 1 && --left == 0)
            return (u32)p;
    return UINT32_MAX;
}

/* PTX limits positions and lengths to 255. What is above, an H200 cuts to 8 bits, in 64-bit forms to 255. */
static inline u32 field_limit(u32 x, u32 bits)
{
    return bits == 32 ? x & 0xFF : x > 255 ? 255 : x;
}

static inline u64 bfe(u64 a, u32 pos, u32 len, u32 bits, bool is_signed)
{
    u64 r = 0, sign;

    pos = field_limit(pos, bits);
    len = field_limit(len, bits);
    if (len == 0)
        return 0;
    sign = is_signed ? (a >> (pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1)) & 1 : 0;
    if (pos < bits)
        r = a >> pos;
    if (len > bits)
        len = bits;
    /* Above the field, and above the value's own top bit, stands the sign. */
    {
        u32 have = pos < bits ? bits - pos : 0, keep = len < have ? len : have;
        u64 low = keep >= 64 ? ~0ull : (1ull << keep) - 1;

        return (r & low) | (sign ? ~low : 0);
    }
}

static inline u64 bfi(u64 a, u64 b, u32 pos, u32 len, u32 bits)
{
    u64 field;

    pos = field_limit(pos, bits);
    len = field_limit(len, bits);
    if (pos >= bits || len == 0)
        return b;
    field = len >= 64 ? ~0ull : (1ull << len) - 1;
    return (b & ~(field << pos)) | ((a & field) << pos);
}

static inline u32 bmsk(u32 pos, u32 len, bool clamp)
{
    u64 r;

    if (!clamp) {
        pos &= 31;
        len &= 31;
    }
    if (pos > 31)
        return 0;
    r = len > 31 ? 0xFFFFFFFFull : (1ull << len) - 1;
    return (u32)(r << pos);
}

static inline u32 szext(u32 a, u32 n, bool clamp, bool is_signed)
{
    if (!clamp)
        n &= 31;
    if (n == 0)
        return 0;
    if (n > 31)
        return a;
    return is_signed ? (u32)((s32)(a << (32 - n)) >> (32 - n)) : a & ((1u << n) - 1);
}

/* Byte `selector & 7` of b:a; bit 3 replicates its sign. */
static inline u32 prmt_byte(u64 ba, u32 selector)
{
    u32 byte = (u32)(ba >> (8 * (selector & 7))) & 0xFF;

    return selector & 8 ? (byte & 0x80 ? 0xFF : 0) : byte;
}

static inline u32 prmt(u32 a, u32 b, u32 c, u32 mode)
{
    static const u16 special[7][4] = {
        {0, 0, 0, 0},
        {0x3210, 0x4321, 0x5432, 0x6543}, /* f4e */
        {0x5670, 0x6701, 0x7012, 0x0123}, /* b4e */
        {0x0000, 0x1111, 0x2222, 0x3333}, /* rc8 */
        {0x3210, 0x3211, 0x3222, 0x3333}, /* ecl */
        {0x0000, 0x1110, 0x2210, 0x3210}, /* ecr */
        {0x1010, 0x3232, 0x1010, 0x3232}, /* rc16 */
    };
    u64 ba = (u64)b << 32 | a;

    if (mode)
        c = special[mode][c & 3];
    return prmt_byte(ba, c) | prmt_byte(ba, c >> 4) << 8 | prmt_byte(ba, c >> 8) << 16 | prmt_byte(ba, c >> 12) << 24;
}

static inline s32 byte_of(u32 x, int n, bool is_signed)
{
    u32 b = x >> (8 * n) & 0xFF;

    return is_signed ? (s8)b : (s32)b;
}

static inline s32 half_of(u32 x, int n, bool is_signed)
{
    u32 h = x >> (16 * n) & 0xFFFF;

    return is_signed ? (s16)h : (s32)h;
}

static inline u32 dp4a(u32 a, u32 b, u32 c, bool sa, bool sb)
{
    for (int n = 0; n < 4; n++)
        c += (u32)(byte_of(a, n, sa) * byte_of(b, n, sb));
    return c;
}

static inline u32 dp2a(u32 a, u32 b, u32 c, bool sa, bool sb, int high)
{
    for (int n = 0; n < 2; n++)
        c += (u32)(half_of(a, n, sa) * byte_of(b, n + 2 * high, sb));
    return c;
}

/* `low` is the least value of the type of so many bits. */
static inline u32 pack_sat(s32 x, s32 low, u32 bits)
{
    s32 high = low + (s32)((1u << bits) - 1);

    return (u32)(x < low ? low : x > high ? high : x) & ((1u << bits) - 1);
}

static inline u32 pack_2(s32 a, s32 b, s32 low, u32 bits)
{
    return pack_sat(a, low, bits) << bits | pack_sat(b, low, bits);
}

static inline u32 pack_3(s32 a, s32 b, u32 c, s32 low, u32 bits)
{
    return c << 2 * bits | pack_2(a, b, low, bits);
}

/* c >= 0 of the f32 with these bits; with .ftz, which the control word tells, subnormals are 0. */
#define AT_LEAST_0 (c <= 0x7F800000u || (c & 0x7FFFFFFFu) <= (i->mxcsr & MXCSR_FTZ ? 0x007FFFFFu : 0))
/* ---- bodies of a form of their own ---- */

/* d = c ? a : b */
#define SELP(name, T)                                                                                                  \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const T *A = slot_at(w, i->a), *B = slot_at(w, i->b);                                                          \
        const u32 *C = slot_at(w, i->c), *on = w->lanes;                                                               \
        T *D = slot_at(w, i->d);                                                                                       \
        u32 flip = (i->flags & INS_NEGATE) ? ~0u : 0;                                                                  \
        EACH_LANE { T r = (C[l] ^ flip) ? A[l] : B[l]; D[l] = on[l] ? r : D[l]; }                                      \
        return i + 1;                                                                                                  \
    }

/* d = bfi(a, b, c, f) */
#define BFI(name, T, bits)                                                                                             \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const T *A = slot_at(w, i->a), *B = slot_at(w, i->b);                                                          \
        const u32 *C = slot_at(w, i->c), *L = slot_at(w, i->f);                                                        \
        T *D = slot_at(w, i->d);                                                                                       \
        for (int l = 0; l < LANES; l++)                                                                                \
            if (w->lanes[l])                                                                                           \
                D[l] = (T)bfi(A[l], B[l], C[l], L[l], bits);                                                           \
        return i + 1;                                                                                                  \
    }

/* d = expression, and the carry out of its width into e; `none`: the carry into an instruction that takes none. */
#define CARRY(name, T, WIDE, NARGS, none, expression)                                                                  \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        T *D = slot_at(w, i->d);                                                                                       \
        const T *A = slot_at(w, i->a), *B = slot_at(w, i->b), *C = slot_at(w, NARGS == 3 ? i->c : i->b);               \
        u32 *CC = slot_at(w, i->e);                                                                                    \
        bool in = i->op & CARRY_IN, out = i->op & CARRY_OUT;                                                           \
        for (int l = 0; l < LANES; l++) {                                                                              \
            if (!w->lanes[l])                                                                                          \
                continue;                                                                                              \
            T a = A[l], b = B[l], c = C[l];                                                                            \
            WIDE r = (expression) + (in ? CC[l] : none);                                                               \
            (void)c;                                                                                                   \
            D[l] = (T)r;                                                                                               \
            if (out)                                                                                                   \
                CC[l] = (u32)(r >> (8 * sizeof(T))) & 1;                                                               \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

TERNARY(lop3_any, u32, u32, u32, u32, lut3((u32)i->imm, a, b, c))
TERNARY(lop3_96, u32, u32, u32, u32, a ^ b ^ c)
TERNARY(lop3_E8, u32, u32, u32, u32, (a & b) | (a & c) | (b & c))
TERNARY(lop3_CA, u32, u32, u32, u32, (a & b) | (~a & c))
TERNARY(lop3_80, u32, u32, u32, u32, a & b & c)
TERNARY(lop3_FE, u32, u32, u32, u32, a | b | c)

STEP(lop3)
{
    switch (i->imm & 0xFF) {
    case 0x96: return lop3_96(w, i);
    case 0xE8: return lop3_E8(w, i);
    case 0xCA: return lop3_CA(w, i);
    case 0x80: return lop3_80(w, i);
    case 0xFE: return lop3_FE(w, i);
    default: return lop3_any(w, i);
    }
}

/* lop3.BoolOp: also p = (d != 0) op q; e is the predicate, f the source predicate, op an enum lop3_combine. */
STEP(lop3_bool)
{
    const u32 *A = slot_at(w, i->a), *B = slot_at(w, i->b), *C = slot_at(w, i->c), *Q = slot_at(w, i->f);
    u32 *D = slot_at(w, i->d), *P = slot_at(w, i->e);

    for (int l = 0; l < LANES; l++)
        if (w->lanes[l]) {
            u32 r = lut3((u32)i->imm, A[l], B[l], C[l]), q = Q[l] ^ ((i->flags & INS_NEGATE) ? ~0u : 0);

            D[l] = r;
            P[l] = i->op == LOP3_OR ? (ONES(r != 0) | q) : (ONES(r != 0) & q);
        }
    return i + 1;
}

/* ---- the list, as bodies and as rows ---- */

#define SELECT(names, body, T) SELP(body, T)
#define INSERT(names, body, T, bits) BFI(body, T, bits)
#define CARRY_TWO(names, body, T, WIDE, none, expression) CARRY(body, T, WIDE, 2, none, expression)
#define CARRY_THREE(names, body, T, WIDE, none, expression) CARRY(body, T, WIDE, 3, none, expression)
#define COMPARISONS(T, letters, also_eq, also_ne)                                                                      \
    COMPARE(eq_##T, T, a == b)                                                                                         \
    COMPARE(ne_##T, T, a != b)                                                                                         \
    COMPARE(lt_##T, T, a < b)                                                                                          \
    COMPARE(le_##T, T, a <= b)                                                                                         \
    COMPARE(gt_##T, T, a > b)                                                                                          \
    COMPARE(ge_##T, T, a >= b)
#include "table_integer_list.h"

#include "table_rows.h"
#undef SELECT
#undef INSERT
#undef CARRY_TWO
#undef CARRY_THREE
#undef COMPARISONS
#define SELECT(names, body, T) ROW(names, body, LETTER_##T LETTER_##T LETTER_##T "p")
#define INSERT(names, body, T, bits) ROW(names, body, LETTER_##T LETTER_##T LETTER_##T "ww")
#define CARRY_TWO(names, body, T, ...) ROW(names, body, LETTER_##T LETTER_##T LETTER_##T)
#define CARRY_THREE(names, body, T, ...) ROW(names, body, LETTER_##T LETTER_##T LETTER_##T LETTER_##T)
#define COMPARISONS(T, letters, also_eq, also_ne)                                                                      \
    ROW("setp.eq." #T also_eq, setp_eq_##T, letters)                                                                   \
    ROW("setp.ne." #T also_ne, setp_ne_##T, letters)                                                                   \
    ROW("setp.lt." #T, setp_lt_##T, letters)                                                                           \
    ROW("setp.le." #T, setp_le_##T, letters)                                                                           \
    ROW("setp.gt." #T, setp_gt_##T, letters)                                                                           \
    ROW("setp.ge." #T, setp_ge_##T, letters)

const struct row LEVELED(rows_integer)[] = {
#include "table_integer_list.h"
    ROWS_END,
};
