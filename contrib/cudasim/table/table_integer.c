/*
 * table_integer.c - integer arithmetic, logic, shifts, bit fields, comparisons, selection and moves.
 */
#include "table.h"

/* ---- add, sub, mul, mad ---- */
BINARY(add_16, u16, u16, u16, a + b)
BINARY(add_32, u32, u32, u32, a + b)
BINARY(add_64, u64, u64, u64, a + b)
BINARY(sub_16, u16, u16, u16, a - b)
BINARY(sub_32, u32, u32, u32, a - b)
BINARY(sub_64, u64, u64, u64, a - b)

static inline s32 sat_s32(s64 x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (s32)x;
}

BINARY(add_sat_s32, s32, s32, s32, sat_s32((s64)a + b))
BINARY(sub_sat_s32, s32, s32, s32, sat_s32((s64)a - b))
BINARY(mul_lo_16, u16, u16, u16, (u32)a * b)
BINARY(mul_lo_32, u32, u32, u32, a *b)
BINARY(mul_lo_64, u64, u64, u64, a *b)
BINARY(mul_hi_u16, u16, u16, u16, ((u32)a * b) >> 16)
BINARY(mul_hi_s16, s16, s16, s16, ((s32)a * b) >> 16)
BINARY(mul_hi_u32, u32, u32, u32, ((u64)a * b) >> 32)
BINARY(mul_hi_s32, s32, s32, s32, ((s64)a * b) >> 32)
BINARY(mul_hi_u64, u64, u64, u64, ((u128)a * b) >> 64)
BINARY(mul_hi_s64, s64, s64, s64, ((s128)a * b) >> 64)
BINARY(mul_wide_u16, u32, u16, u16, (u32)a * b)
BINARY(mul_wide_s16, s32, s16, s16, (s32)a * b)
BINARY(mul_wide_u32, u64, u32, u32, (u64)a * b)
BINARY(mul_wide_s32, s64, s32, s32, (s64)a * b)
TERNARY(mad_lo_16, u16, u16, u16, u16, (u32)a * b + c)
TERNARY(mad_lo_32, u32, u32, u32, u32, a *b + c)
TERNARY(mad_lo_64, u64, u64, u64, u64, a *b + c)
TERNARY(mad_hi_u16, u16, u16, u16, u16, (((u32)a * b) >> 16) + c)
TERNARY(mad_hi_s16, s16, s16, s16, s16, (((s32)a * b) >> 16) + c)
TERNARY(mad_hi_u32, u32, u32, u32, u32, (u32)(((u64)a * b) >> 32) + c)
TERNARY(mad_hi_s32, u32, s32, s32, u32, (u32)(((s64)a * b) >> 32) + c)
TERNARY(mad_hi_u64, u64, u64, u64, u64, (u64)(((u128)a * b) >> 64) + c)
TERNARY(mad_hi_s64, u64, s64, s64, u64, (u64)(((s128)a * b) >> 64) + c)
TERNARY(mad_hi_sat_s32, s32, s32, s32, s32, sat_s32((((s64)a * b) >> 32) + (s64)c))
TERNARY(mad_wide_u16, u32, u16, u16, u32, (u32)a * b + c)
TERNARY(mad_wide_s16, u32, s16, s16, u32, (u32)((s32)a * b) + c)
TERNARY(mad_wide_u32, u64, u32, u32, u64, (u64)a * b + c)
TERNARY(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)a * b) + c)

/* 24-bit: operands are the low 24 bits; lo gives bits 31..0 of the 48-bit product, hi bits 47..16. */
static inline s64 low24(s32 x)
{
    return (s32)((u32)x << 8) >> 8;
}

BINARY(mul24_lo_u32, u32, u32, u32, (u64)(a & 0xFFFFFF) * (b & 0xFFFFFF))
BINARY(mul24_lo_s32, s32, s32, s32, low24(a) * low24(b))
BINARY(mul24_hi_u32, u32, u32, u32, ((u64)(a & 0xFFFFFF) * (b & 0xFFFFFF)) >> 16)
BINARY(mul24_hi_s32, s32, s32, s32, (low24(a) * low24(b)) >> 16)
TERNARY(mad24_lo_u32, u32, u32, u32, u32, (u32)((u64)(a & 0xFFFFFF) * (b & 0xFFFFFF)) + c)
TERNARY(mad24_lo_s32, u32, s32, s32, u32, (u32)(low24(a) * low24(b)) + c)
TERNARY(mad24_hi_u32, u32, u32, u32, u32, (u32)(((u64)(a & 0xFFFFFF) * (b & 0xFFFFFF)) >> 16) + c)
TERNARY(mad24_hi_s32, u32, s32, s32, u32, (u32)((low24(a) * low24(b)) >> 16) + c)
TERNARY(mad24_hi_sat_s32, s32, s32, s32, s32, sat_s32(((low24(a) * low24(b)) >> 16) + (s64)c))

TERNARY(sad_u16, u16, u16, u16, u16, (a < b ? b - a : a - b) + c)
TERNARY(sad_s16, u16, s16, s16, u16, (u16)(a < b ? b - a : a - b) + c)
TERNARY(sad_u32, u32, u32, u32, u32, (a < b ? b - a : a - b) + c)
TERNARY(sad_s32, u32, s32, s32, u32, (a < b ? (u32)b - (u32)a : (u32)a - (u32)b) + c)
TERNARY(sad_u64, u64, u64, u64, u64, (a < b ? b - a : a - b) + c)
TERNARY(sad_s64, u64, s64, s64, u64, (a < b ? (u64)b - (u64)a : (u64)a - (u64)b) + c)

/* Division by zero is undefined in PTX; the values are what an H100 gives (tests/instructions). */
static inline u32 div_u32(u32 a, u32 b) { return b ? a / b : UINT32_MAX; }
static inline u32 rem_u32(u32 a, u32 b) { return b ? a % b : a; }
static inline s32 div_s32(s32 a, s32 b) { return b == 0 ? -1 : b == -1 ? (s32)(0u - (u32)a) : a / b; }
static inline s32 rem_s32(s32 a, s32 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
static inline u64 div_u64(u64 a, u64 b) { return b ? a / b : UINT64_MAX; }
static inline u64 rem_u64(u64 a, u64 b) { return b ? a % b : a; }
static inline s64 div_s64(s64 a, s64 b) { return b == 0 ? -1 : b == -1 ? (s64)(0u - (u64)a) : a / b; }
static inline s64 rem_s64(s64 a, s64 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }

BINARY(div_u16_, u16, u16, u16, div_u32(a, b))
BINARY(div_s16_, s16, s16, s16, div_s32(a, b))
BINARY(div_u32_, u32, u32, u32, div_u32(a, b))
BINARY(div_s32_, s32, s32, s32, div_s32(a, b))
BINARY(div_u64_, u64, u64, u64, div_u64(a, b))
BINARY(div_s64_, s64, s64, s64, div_s64(a, b))
BINARY(rem_u16_, u16, u16, u16, rem_u32(a, b))
BINARY(rem_s16_, s16, s16, s16, rem_s32(a, b))
BINARY(rem_u32_, u32, u32, u32, rem_u32(a, b))
BINARY(rem_s32_, s32, s32, s32, rem_s32(a, b))
BINARY(rem_u64_, u64, u64, u64, rem_u64(a, b))
BINARY(rem_s64_, s64, s64, s64, rem_s64(a, b))

UNARY(abs_s16, u16, s16, a < 0 ? 0u - (u16)a : (u16)a)
UNARY(abs_s32, u32, s32, a < 0 ? 0u - (u32)a : (u32)a)
UNARY(abs_s64, u64, s64, a < 0 ? 0u - (u64)a : (u64)a)
UNARY(neg_s16, u16, u16, 0u - a)
UNARY(neg_s32, u32, u32, 0u - a)
UNARY(neg_s64, u64, u64, 0u - a)
BINARY(min_u16, u16, u16, u16, a < b ? a : b)
BINARY(min_s16, s16, s16, s16, a < b ? a : b)
BINARY(min_u32, u32, u32, u32, a < b ? a : b)
BINARY(min_s32, s32, s32, s32, a < b ? a : b)
BINARY(min_u64, u64, u64, u64, a < b ? a : b)
BINARY(min_s64, s64, s64, s64, a < b ? a : b)
BINARY(max_u16, u16, u16, u16, a > b ? a : b)
BINARY(max_s16, s16, s16, s16, a > b ? a : b)
BINARY(max_u32, u32, u32, u32, a > b ? a : b)
BINARY(max_s32, s32, s32, s32, a > b ? a : b)
BINARY(max_u64, u64, u64, u64, a > b ? a : b)
BINARY(max_s64, s64, s64, s64, a > b ? a : b)
static inline s32 min_s(s32 a, s32 b) { return a < b ? a : b; }
static inline s32 max_s(s32 a, s32 b) { return a > b ? a : b; }
BINARY(min_relu_s32, s32, s32, s32, max_s(min_s(a, b), 0))
BINARY(max_relu_s32, s32, s32, s32, max_s(max_s(a, b), 0))

/* Packed halves. */
#define PAIR(low, high) (((u32)(u16)(low)) | ((u32)(u16)(high) << 16))
BINARY(add_16x2, u32, u32, u32, PAIR(a + b, (a >> 16) + (b >> 16)))
BINARY(min_u16x2, u32, u32, u32, PAIR((u16)a < (u16)b ? a : b, (a >> 16) < (b >> 16) ? a >> 16 : b >> 16))
BINARY(max_u16x2, u32, u32, u32, PAIR((u16)a > (u16)b ? a : b, (a >> 16) > (b >> 16) ? a >> 16 : b >> 16))
BINARY(min_s16x2, u32, u32, u32, PAIR(min_s((s16)a, (s16)b), min_s((s32)a >> 16, (s32)b >> 16)))
BINARY(max_s16x2, u32, u32, u32, PAIR(max_s((s16)a, (s16)b), max_s((s32)a >> 16, (s32)b >> 16)))
BINARY(min_relu_s16x2, u32, u32, u32,
       PAIR(max_s(min_s((s16)a, (s16)b), 0), max_s(min_s((s32)a >> 16, (s32)b >> 16), 0)))
BINARY(max_relu_s16x2, u32, u32, u32,
       PAIR(max_s(max_s((s16)a, (s16)b), 0), max_s(max_s((s32)a >> 16, (s32)b >> 16), 0)))

/*
 * ---- carries: the condition code is an operand: e, 0 or 1 in every lane. A subtraction adds the complement, and its
 * code is the carry of that sum: 1 when nothing was borrowed. The manual leaves it open; the 128-bit division that
 * nvcc emits depends on it. `none` is the carry into an instruction that takes none. ----
 */
#define CARRY(name, T, WIDE, NARGS, none, compute)                                                                     \
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
            WIDE carry = in ? CC[l] : none, r;                                                                         \
            (void)c;                                                                                                   \
            compute;                                                                                                   \
            D[l] = (T)r;                                                                                               \
            if (out)                                                                                                   \
                CC[l] = (u32)(r >> (8 * sizeof(T))) & 1;                                                               \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }
CARRY(carry_add_32, u32, u64, 2, 0, r = (u64)a + b + carry)
CARRY(carry_add_64, u64, u128, 2, 0, r = (u128)a + b + carry)
CARRY(carry_sub_32, u32, u64, 2, 1, r = (u64)a + (u32)~b + carry)
CARRY(carry_sub_64, u64, u128, 2, 1, r = (u128)a + (u64)~b + carry)
CARRY(carry_mad_lo_32, u32, u64, 3, 0, r = (u64)(a * b) + c + carry)
CARRY(carry_mad_hi_u32, u32, u64, 3, 0, r = (((u64)a * b) >> 32) + c + carry)
CARRY(carry_mad_hi_s32, u32, u64, 3, 0, r = (u64)(u32)(((s64)(s32)a * (s32)b) >> 32) + c + carry)
CARRY(carry_mad_lo_64, u64, u128, 3, 0, r = (u128)(a * b) + c + carry)
CARRY(carry_mad_hi_u64, u64, u128, 3, 0, r = (((u128)a * b) >> 64) + c + carry)
CARRY(carry_mad_hi_s64, u64, u128, 3, 0, r = (u128)(u64)(((s128)(s64)a * (s64)b) >> 64) + c + carry)

/* ---- logic and shifts ---- */
BINARY(and_16, u16, u16, u16, a &b)
BINARY(and_32, u32, u32, u32, a &b)
BINARY(and_64, u64, u64, u64, a &b)
BINARY(or_16, u16, u16, u16, a | b)
BINARY(or_32, u32, u32, u32, a | b)
BINARY(or_64, u64, u64, u64, a | b)
BINARY(xor_16, u16, u16, u16, a ^ b)
BINARY(xor_32, u32, u32, u32, a ^ b)
BINARY(xor_64, u64, u64, u64, a ^ b)
UNARY(not_16, u16, u16, ~a)
UNARY(not_32, u32, u32, ~a)
UNARY(not_64, u64, u64, ~a)
UNARY(cnot_16, u16, u16, a == 0)
UNARY(cnot_32, u32, u32, a == 0)
UNARY(cnot_64, u64, u64, a == 0)

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

TERNARY(lop3_any, u32, u32, u32, u32, lut3((u32)i->imm, a, b, c))
TERNARY(lop3_96, u32, u32, u32, u32, a ^ b ^ c)
TERNARY(lop3_E8, u32, u32, u32, u32, (a & b) | (a & c) | (b & c))
TERNARY(lop3_CA, u32, u32, u32, u32, (a & b) | (~a & c))
TERNARY(lop3_80, u32, u32, u32, u32, a &b &c)
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

/* Shift amounts above the width are clamped to it. */
BINARY(shl_16, u16, u16, u32, b > 15 ? 0 : (u32)a << b)
BINARY(shl_32, u32, u32, u32, b > 31 ? 0 : a << b)
BINARY(shl_64, u64, u64, u32, b > 63 ? 0 : a << b)
BINARY(shr_u16, u16, u16, u32, b > 15 ? 0 : a >> b)
BINARY(shr_u32, u32, u32, u32, b > 31 ? 0 : a >> b)
BINARY(shr_u64, u64, u64, u32, b > 63 ? 0 : a >> b)
BINARY(shr_s16, s16, s16, u32, a >> (b > 15 ? 15 : b))
BINARY(shr_s32, s32, s32, u32, a >> (b > 31 ? 31 : b))
BINARY(shr_s64, s64, s64, u32, a >> (b > 63 ? 63 : b))
/* Funnel shifts: b:a is the 64-bit value. */
TERNARY(shf_l_wrap, u32, u32, u32, u32, (((u64)b << 32 | a) << (c & 31)) >> 32)
TERNARY(shf_l_clamp, u32, u32, u32, u32, c > 31 ? a : (((u64)b << 32 | a) << c) >> 32)
TERNARY(shf_r_wrap, u32, u32, u32, u32, ((u64)b << 32 | a) >> (c & 31))
TERNARY(shf_r_clamp, u32, u32, u32, u32, c > 31 ? b : (u32)(((u64)b << 32 | a) >> c))

/* ---- bits ---- */
UNARY(popc_32, u32, u32, __builtin_popcount(a))
UNARY(popc_64, u32, u64, __builtin_popcountll(a))
UNARY(clz_32, u32, u32, a ? __builtin_clz(a) : 32)
UNARY(clz_64, u32, u64, a ? __builtin_clzll(a) : 64)

static inline u32 brev_32(u32 a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0F0F0F0F) | (a & 0x0F0F0F0F) << 4;
    return __builtin_bswap32(a);
}

UNARY(brev_32_, u32, u32, brev_32(a))
UNARY(brev_64_, u64, u64, (u64)brev_32((u32)a) << 32 | brev_32((u32)(a >> 32)))

static inline u32 bfind(u64 a)
{
    return a ? 63 - (u32)__builtin_clzll(a) : UINT32_MAX;
}

#define BFIND(T, bits) ((T)a < 0 ? (u64)~a & (~0ull >> (64 - bits)) : (u64)a & (~0ull >> (64 - bits)))
UNARY(bfind_u32, u32, u32, bfind(a))
UNARY(bfind_s32, u32, s32, bfind(BFIND(s32, 32)))
UNARY(bfind_u64, u32, u64, bfind(a))
UNARY(bfind_s64, u32, s64, bfind(BFIND(s64, 64)))

static inline u32 bfind_shift(u32 position, u32 top)
{
    return position == UINT32_MAX ? position : top - position;
}

UNARY(bfind_shift_u32, u32, u32, bfind_shift(bfind(a), 31))
UNARY(bfind_shift_s32, u32, s32, bfind_shift(bfind(BFIND(s32, 32)), 31))
UNARY(bfind_shift_u64, u32, u64, bfind_shift(bfind(a), 63))
UNARY(bfind_shift_s64, u32, s64, bfind_shift(bfind(BFIND(s64, 64)), 63))

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

TERNARY(fns_, u32, u32, u32, s32, fns(a, b, c))

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

TERNARY(bfe_u32, u32, u32, u32, u32, bfe(a, b, c, 32, false))
TERNARY(bfe_s32, u32, u32, u32, u32, bfe(a, b, c, 32, true))
TERNARY(bfe_u64, u64, u64, u32, u32, bfe(a, b, c, 64, false))
TERNARY(bfe_s64, u64, u64, u32, u32, bfe(a, b, c, 64, true))

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
BFI(bfi_32, u32, 32)
BFI(bfi_64, u64, 64)

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

BINARY(bmsk_clamp, u32, u32, u32, bmsk(a, b, true))
BINARY(bmsk_wrap, u32, u32, u32, bmsk(a, b, false))

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

BINARY(szext_clamp_u32, u32, u32, u32, szext(a, b, true, false))
BINARY(szext_clamp_s32, u32, u32, u32, szext(a, b, true, true))
BINARY(szext_wrap_u32, u32, u32, u32, szext(a, b, false, false))
BINARY(szext_wrap_s32, u32, u32, u32, szext(a, b, false, true))

/* Byte `selector & 7` of b:a; bit 3 replicates its sign. */
static inline u32 prmt_byte(u64 ba, u32 selector)
{
    u32 byte = (u32)(ba >> (8 * (selector & 7))) & 0xFF;

    return selector & 8 ? (byte & 0x80 ? 0xFF : 0) : byte;
}

static inline u32 prmt(u64 ba, u32 c, u32 mode)
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
    if (mode)
        c = special[mode][c & 3];
    return prmt_byte(ba, c) | prmt_byte(ba, c >> 4) << 8 | prmt_byte(ba, c >> 8) << 16 | prmt_byte(ba, c >> 12) << 24;
}

#define PRMT(name, mode) TERNARY(name, u32, u32, u32, u32, prmt((u64)b << 32 | a, c, mode))
PRMT(prmt_, 0)
PRMT(prmt_f4e, 1)
PRMT(prmt_b4e, 2)
PRMT(prmt_rc8, 3)
PRMT(prmt_ecl, 4)
PRMT(prmt_ecr, 5)
PRMT(prmt_rc16, 6)

/* ---- dot products: four bytes, or two halves by two bytes ---- */
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

#define DOT(sa, sb, suffix)                                                                                            \
    TERNARY(dp4a_##suffix, u32, u32, u32, u32, dp4a(a, b, c, sa, sb))                                                  \
    TERNARY(dp2a_lo_##suffix, u32, u32, u32, u32, dp2a(a, b, c, sa, sb, 0))                                            \
    TERNARY(dp2a_hi_##suffix, u32, u32, u32, u32, dp2a(a, b, c, sa, sb, 1))
DOT(false, false, uu)
DOT(false, true, us)
DOT(true, false, su)
DOT(true, true, ss)

/* ---- cvt.pack.sat: a above b, and c above both where they leave room; `low` is the type's least value ---- */
static inline u32 pack_sat(s32 x, s32 low, u32 bits)
{
    s32 high = low + (s32)((1u << bits) - 1);

    return (u32)(x < low ? low : x > high ? high : x) & ((1u << bits) - 1);
}

#define PACK_2(type, low, bits)                                                                                        \
    BINARY(pack_##type, u32, s32, s32, pack_sat(a, low, bits) << bits | pack_sat(b, low, bits))
#define PACK_3(type, low, bits)                                                                                        \
    TERNARY(pack_##type, u32, s32, s32, u32, c << 2 * bits | pack_sat(a, low, bits) << bits | pack_sat(b, low, bits))
PACK_2(u16, 0, 16)
PACK_2(s16, -32768, 16)
PACK_3(u8, 0, 8)
PACK_3(s8, -128, 8)
PACK_3(u4, 0, 4)
PACK_3(s4, -8, 4)
PACK_3(u2, 0, 2)
PACK_3(s2, -2, 2)

/* ---- comparison ---- */
#define COMPARE_ALL(T)                                                                                                 \
    COMPARE(eq_##T, T, a == b)                                                                                         \
    COMPARE(ne_##T, T, a != b)                                                                                         \
    COMPARE(lt_##T, T, a < b)                                                                                          \
    COMPARE(le_##T, T, a <= b)                                                                                         \
    COMPARE(gt_##T, T, a > b)                                                                                          \
    COMPARE(ge_##T, T, a >= b)
COMPARE_ALL(u16)
COMPARE_ALL(s16)
COMPARE_ALL(u32)
COMPARE_ALL(s32)
COMPARE_ALL(u64)
COMPARE_ALL(s64)

/* ---- selection, moves ---- */
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
SELP(selp_16, u16)
SELP(selp_32, u32)
SELP(selp_64, u64)

TERNARY(slct_16_s32, u16, u16, u16, s32, c >= 0 ? a : b)
TERNARY(slct_32_s32, u32, u32, u32, s32, c >= 0 ? a : b)
TERNARY(slct_64_s32, u64, u64, u64, s32, c >= 0 ? a : b)

/* c >= 0 of the f32 with these bits; with .ftz, which the control word tells, subnormals are 0. */
#define AT_LEAST_0 (c <= 0x7F800000u || (c & 0x7FFFFFFFu) <= (i->mxcsr & MXCSR_FTZ ? 0x007FFFFFu : 0))
TERNARY(slct_16_f32, u16, u16, u16, u32, AT_LEAST_0 ? a : b)
TERNARY(slct_32_f32, u32, u32, u32, u32, AT_LEAST_0 ? a : b)
TERNARY(slct_64_f32, u64, u64, u64, u32, AT_LEAST_0 ? a : b)

UNARY(mov_16, u16, u16, a)
UNARY(mov_32, u32, u32, a)
UNARY(mov_64, u64, u64, a)
UNARY(mov_128, u128, u128, a)
UNARY(not_pred, u32, u32, ~a)

#define C(names, body, operands, class) {names, body, operands, 0, CLASS_##class, 0}
const struct row LEVELED(rows_integer)[] = {
    C("add.u16 add.s16", add_16, "hhh", COMPUTATION),
    C("add.u32 add.s32 add.b32", add_32, "www", COMPUTATION),
    C("add.u64 add.s64 add.b64", add_64, "qqq", COMPUTATION),
    C("add.sat.s32", add_sat_s32, "www", COMPUTATION),
    C("add.u16x2 add.s16x2", add_16x2, "www", COMPUTATION),
    C("sub.u16 sub.s16", sub_16, "hhh", COMPUTATION),
    C("sub.u32 sub.s32", sub_32, "www", COMPUTATION),
    C("sub.u64 sub.s64", sub_64, "qqq", COMPUTATION),
    C("sub.sat.s32", sub_sat_s32, "www", COMPUTATION),
    C("mul.lo.u16 mul.lo.s16", mul_lo_16, "hhh", COMPUTATION),
    C("mul.lo.u32 mul.lo.s32", mul_lo_32, "www", COMPUTATION),
    C("mul.lo.u64 mul.lo.s64", mul_lo_64, "qqq", COMPUTATION),
    C("mul.hi.u16", mul_hi_u16, "hhh", COMPUTATION),
    C("mul.hi.s16", mul_hi_s16, "hhh", COMPUTATION),
    C("mul.hi.u32", mul_hi_u32, "www", COMPUTATION),
    C("mul.hi.s32", mul_hi_s32, "www", COMPUTATION),
    C("mul.hi.u64", mul_hi_u64, "qqq", COMPUTATION),
    C("mul.hi.s64", mul_hi_s64, "qqq", COMPUTATION),
    C("mul.wide.u16", mul_wide_u16, "whh", COMPUTATION),
    C("mul.wide.s16", mul_wide_s16, "whh", COMPUTATION),
    C("mul.wide.u32", mul_wide_u32, "qww", COMPUTATION),
    C("mul.wide.s32", mul_wide_s32, "qww", COMPUTATION),
    C("mad.lo.u16 mad.lo.s16", mad_lo_16, "hhhh", COMPUTATION),
    C("mad.lo.u32 mad.lo.s32", mad_lo_32, "wwww", COMPUTATION),
    C("mad.lo.u64 mad.lo.s64", mad_lo_64, "qqqq", COMPUTATION),
    C("mad.hi.u16", mad_hi_u16, "hhhh", COMPUTATION),
    C("mad.hi.s16", mad_hi_s16, "hhhh", COMPUTATION),
    C("mad.hi.u32", mad_hi_u32, "wwww", COMPUTATION),
    C("mad.hi.s32", mad_hi_s32, "wwww", COMPUTATION),
    C("mad.hi.u64", mad_hi_u64, "qqqq", COMPUTATION),
    C("mad.hi.s64", mad_hi_s64, "qqqq", COMPUTATION),
    C("mad.hi.sat.s32", mad_hi_sat_s32, "wwww", COMPUTATION),
    C("mad.wide.u16", mad_wide_u16, "whhw", COMPUTATION),
    C("mad.wide.s16", mad_wide_s16, "whhw", COMPUTATION),
    C("mad.wide.u32", mad_wide_u32, "qwwq", COMPUTATION),
    C("mad.wide.s32", mad_wide_s32, "qwwq", COMPUTATION),
    C("mul24.lo.u32", mul24_lo_u32, "www", COMPUTATION),
    C("mul24.lo.s32", mul24_lo_s32, "www", COMPUTATION),
    C("mul24.hi.u32", mul24_hi_u32, "www", COMPUTATION),
    C("mul24.hi.s32", mul24_hi_s32, "www", COMPUTATION),
    C("mad24.lo.u32", mad24_lo_u32, "wwww", COMPUTATION),
    C("mad24.lo.s32", mad24_lo_s32, "wwww", COMPUTATION),
    C("mad24.hi.u32", mad24_hi_u32, "wwww", COMPUTATION),
    C("mad24.hi.s32", mad24_hi_s32, "wwww", COMPUTATION),
    C("mad24.hi.sat.s32", mad24_hi_sat_s32, "wwww", COMPUTATION),
    C("sad.u16", sad_u16, "hhhh", COMPUTATION),
    C("sad.s16", sad_s16, "hhhh", COMPUTATION),
    C("sad.u32", sad_u32, "wwww", COMPUTATION),
    C("sad.s32", sad_s32, "wwww", COMPUTATION),
    C("sad.u64", sad_u64, "qqqq", COMPUTATION),
    C("sad.s64", sad_s64, "qqqq", COMPUTATION),
    C("div.u16", div_u16_, "hhh", COMPUTATION),
    C("div.s16", div_s16_, "hhh", COMPUTATION),
    C("div.u32", div_u32_, "www", COMPUTATION),
    C("div.s32", div_s32_, "www", COMPUTATION),
    C("div.u64", div_u64_, "qqq", COMPUTATION),
    C("div.s64", div_s64_, "qqq", COMPUTATION),
    C("rem.u16", rem_u16_, "hhh", COMPUTATION),
    C("rem.s16", rem_s16_, "hhh", COMPUTATION),
    C("rem.u32", rem_u32_, "www", COMPUTATION),
    C("rem.s32", rem_s32_, "www", COMPUTATION),
    C("rem.u64", rem_u64_, "qqq", COMPUTATION),
    C("rem.s64", rem_s64_, "qqq", COMPUTATION),
    C("abs.s16", abs_s16, "hh", COMPUTATION),
    C("abs.s32", abs_s32, "ww", COMPUTATION),
    C("abs.s64", abs_s64, "qq", COMPUTATION),
    C("neg.s16", neg_s16, "hh", COMPUTATION),
    C("neg.s32", neg_s32, "ww", COMPUTATION),
    C("neg.s64", neg_s64, "qq", COMPUTATION),
    C("min.u16", min_u16, "hhh", COMPUTATION),
    C("min.s16", min_s16, "hhh", COMPUTATION),
    C("min.u32", min_u32, "www", COMPUTATION),
    C("min.s32", min_s32, "www", COMPUTATION),
    C("min.u64", min_u64, "qqq", COMPUTATION),
    C("min.s64", min_s64, "qqq", COMPUTATION),
    C("max.u16", max_u16, "hhh", COMPUTATION),
    C("max.s16", max_s16, "hhh", COMPUTATION),
    C("max.u32", max_u32, "www", COMPUTATION),
    C("max.s32", max_s32, "www", COMPUTATION),
    C("max.u64", max_u64, "qqq", COMPUTATION),
    C("max.s64", max_s64, "qqq", COMPUTATION),
    C("min.relu.s32", min_relu_s32, "www", COMPUTATION),
    C("max.relu.s32", max_relu_s32, "www", COMPUTATION),
    C("min.u16x2", min_u16x2, "www", COMPUTATION),
    C("max.u16x2", max_u16x2, "www", COMPUTATION),
    C("min.s16x2", min_s16x2, "www", COMPUTATION),
    C("max.s16x2", max_s16x2, "www", COMPUTATION),
    C("min.relu.s16x2", min_relu_s16x2, "www", COMPUTATION),
    C("max.relu.s16x2", max_relu_s16x2, "www", COMPUTATION),
    C("@carry.add.32", carry_add_32, "www", COMPUTATION),
    C("@carry.add.64", carry_add_64, "qqq", COMPUTATION),
    C("@carry.sub.32", carry_sub_32, "www", COMPUTATION),
    C("@carry.sub.64", carry_sub_64, "qqq", COMPUTATION),
    C("@carry.mad.lo.u32 @carry.mad.lo.s32", carry_mad_lo_32, "wwww", COMPUTATION),
    C("@carry.mad.hi.u32", carry_mad_hi_u32, "wwww", COMPUTATION),
    C("@carry.mad.hi.s32", carry_mad_hi_s32, "wwww", COMPUTATION),
    C("@carry.mad.lo.u64 @carry.mad.lo.s64", carry_mad_lo_64, "qqqq", COMPUTATION),
    C("@carry.mad.hi.u64", carry_mad_hi_u64, "qqqq", COMPUTATION),
    C("@carry.mad.hi.s64", carry_mad_hi_s64, "qqqq", COMPUTATION),
    C("and.b16", and_16, "hhh", COMPUTATION),
    C("and.b32", and_32, "www", COMPUTATION),
    C("and.b64", and_64, "qqq", COMPUTATION),
    C("and.pred", and_32, "ppp", COMPUTATION),
    C("or.b16", or_16, "hhh", COMPUTATION),
    C("or.b32", or_32, "www", COMPUTATION),
    C("or.b64", or_64, "qqq", COMPUTATION),
    C("or.pred", or_32, "ppp", COMPUTATION),
    C("xor.b16", xor_16, "hhh", COMPUTATION),
    C("xor.b32", xor_32, "www", COMPUTATION),
    C("xor.b64", xor_64, "qqq", COMPUTATION),
    C("xor.pred", xor_32, "ppp", COMPUTATION),
    C("not.b16", not_16, "hh", COMPUTATION),
    C("not.b32", not_32, "ww", COMPUTATION),
    C("not.b64", not_64, "qq", COMPUTATION),
    C("not.pred", not_pred, "pp", COMPUTATION),
    C("cnot.b16", cnot_16, "hh", COMPUTATION),
    C("cnot.b32", cnot_32, "ww", COMPUTATION),
    C("cnot.b64", cnot_64, "qq", COMPUTATION),
    C("lop3.b32", lop3, "wwwwi", COMPUTATION),
    C("@lop3.bool", lop3_bool, "wwwwi", COMPUTATION),
    C("shl.b16", shl_16, "hhw", COMPUTATION),
    C("shl.b32", shl_32, "www", COMPUTATION),
    C("shl.b64", shl_64, "qqw", COMPUTATION),
    C("shr.u16 shr.b16", shr_u16, "hhw", COMPUTATION),
    C("shr.u32 shr.b32", shr_u32, "www", COMPUTATION),
    C("shr.u64 shr.b64", shr_u64, "qqw", COMPUTATION),
    C("shr.s16", shr_s16, "hhw", COMPUTATION),
    C("shr.s32", shr_s32, "www", COMPUTATION),
    C("shr.s64", shr_s64, "qqw", COMPUTATION),
    C("shf.l.wrap.b32", shf_l_wrap, "wwww", COMPUTATION),
    C("shf.l.clamp.b32", shf_l_clamp, "wwww", COMPUTATION),
    C("shf.r.wrap.b32", shf_r_wrap, "wwww", COMPUTATION),
    C("shf.r.clamp.b32", shf_r_clamp, "wwww", COMPUTATION),
    C("popc.b32", popc_32, "ww", COMPUTATION),
    C("popc.b64", popc_64, "wq", COMPUTATION),
    C("clz.b32", clz_32, "ww", COMPUTATION),
    C("clz.b64", clz_64, "wq", COMPUTATION),
    C("brev.b32", brev_32_, "ww", COMPUTATION),
    C("brev.b64", brev_64_, "qq", COMPUTATION),
    C("bfind.u32", bfind_u32, "ww", COMPUTATION),
    C("bfind.s32", bfind_s32, "ww", COMPUTATION),
    C("bfind.u64", bfind_u64, "wq", COMPUTATION),
    C("bfind.s64", bfind_s64, "wq", COMPUTATION),
    C("bfind.shiftamt.u32", bfind_shift_u32, "ww", COMPUTATION),
    C("bfind.shiftamt.s32", bfind_shift_s32, "ww", COMPUTATION),
    C("bfind.shiftamt.u64", bfind_shift_u64, "wq", COMPUTATION),
    C("bfind.shiftamt.s64", bfind_shift_s64, "wq", COMPUTATION),
    C("fns.b32", fns_, "wwww", COMPUTATION),
    C("bfe.u32", bfe_u32, "wwww", COMPUTATION),
    C("bfe.s32", bfe_s32, "wwww", COMPUTATION),
    C("bfe.u64", bfe_u64, "qqww", COMPUTATION),
    C("bfe.s64", bfe_s64, "qqww", COMPUTATION),
    C("bfi.b32", bfi_32, "wwwww", COMPUTATION),
    C("bfi.b64", bfi_64, "qqqww", COMPUTATION),
    C("bmsk.clamp.b32", bmsk_clamp, "www", COMPUTATION),
    C("bmsk.wrap.b32", bmsk_wrap, "www", COMPUTATION),
    C("szext.clamp.u32", szext_clamp_u32, "www", COMPUTATION),
    C("szext.clamp.s32", szext_clamp_s32, "www", COMPUTATION),
    C("szext.wrap.u32", szext_wrap_u32, "www", COMPUTATION),
    C("szext.wrap.s32", szext_wrap_s32, "www", COMPUTATION),
    C("prmt.b32", prmt_, "wwww", COMPUTATION),
    C("prmt.b32.f4e", prmt_f4e, "wwww", COMPUTATION),
    C("prmt.b32.b4e", prmt_b4e, "wwww", COMPUTATION),
    C("prmt.b32.rc8", prmt_rc8, "wwww", COMPUTATION),
    C("prmt.b32.ecl", prmt_ecl, "wwww", COMPUTATION),
    C("prmt.b32.ecr", prmt_ecr, "wwww", COMPUTATION),
    C("prmt.b32.rc16", prmt_rc16, "wwww", COMPUTATION),
    C("dp4a.u32.u32", dp4a_uu, "wwww", COMPUTATION),
    C("dp4a.u32.s32", dp4a_us, "wwww", COMPUTATION),
    C("dp4a.s32.u32", dp4a_su, "wwww", COMPUTATION),
    C("dp4a.s32.s32", dp4a_ss, "wwww", COMPUTATION),
    C("dp2a.lo.u32.u32", dp2a_lo_uu, "wwww", COMPUTATION),
    C("dp2a.lo.u32.s32", dp2a_lo_us, "wwww", COMPUTATION),
    C("dp2a.lo.s32.u32", dp2a_lo_su, "wwww", COMPUTATION),
    C("dp2a.lo.s32.s32", dp2a_lo_ss, "wwww", COMPUTATION),
    C("dp2a.hi.u32.u32", dp2a_hi_uu, "wwww", COMPUTATION),
    C("dp2a.hi.u32.s32", dp2a_hi_us, "wwww", COMPUTATION),
    C("dp2a.hi.s32.u32", dp2a_hi_su, "wwww", COMPUTATION),
    C("dp2a.hi.s32.s32", dp2a_hi_ss, "wwww", COMPUTATION),
    C("cvt.pack.sat.u16.s32", pack_u16, "www", COMPUTATION),
    C("cvt.pack.sat.s16.s32", pack_s16, "www", COMPUTATION),
    C("cvt.pack.sat.u8.s32.b32", pack_u8, "wwww", COMPUTATION),
    C("cvt.pack.sat.s8.s32.b32", pack_s8, "wwww", COMPUTATION),
    C("cvt.pack.sat.u4.s32.b32", pack_u4, "wwww", COMPUTATION),
    C("cvt.pack.sat.s4.s32.b32", pack_s4, "wwww", COMPUTATION),
    C("cvt.pack.sat.u2.s32.b32", pack_u2, "wwww", COMPUTATION),
    C("cvt.pack.sat.s2.s32.b32", pack_s2, "wwww", COMPUTATION),
#define SETP_ROWS(T, letters, also_eq, also_ne)                                                                        \
    C("setp.eq." #T also_eq, setp_eq_##T, letters, COMPUTATION),                                                       \
        C("setp.ne." #T also_ne, setp_ne_##T, letters, COMPUTATION),                                                   \
        C("setp.lt." #T, setp_lt_##T, letters, COMPUTATION), C("setp.le." #T, setp_le_##T, letters, COMPUTATION),      \
        C("setp.gt." #T, setp_gt_##T, letters, COMPUTATION), C("setp.ge." #T, setp_ge_##T, letters, COMPUTATION)
    SETP_ROWS(u16, "Phh", " setp.eq.b16", " setp.ne.b16"),
    SETP_ROWS(s16, "Phh", "", ""),
    SETP_ROWS(u32, "Pww", " setp.eq.b32", " setp.ne.b32"),
    SETP_ROWS(s32, "Pww", "", ""),
    SETP_ROWS(u64, "Pqq", " setp.eq.b64", " setp.ne.b64"),
    SETP_ROWS(s64, "Pqq", "", ""),
    C("setp.lo.u16", setp_lt_u16, "Phh", COMPUTATION),
    C("setp.ls.u16", setp_le_u16, "Phh", COMPUTATION),
    C("setp.hi.u16", setp_gt_u16, "Phh", COMPUTATION),
    C("setp.hs.u16", setp_ge_u16, "Phh", COMPUTATION),
    C("setp.lo.u32", setp_lt_u32, "Pww", COMPUTATION),
    C("setp.ls.u32", setp_le_u32, "Pww", COMPUTATION),
    C("setp.hi.u32", setp_gt_u32, "Pww", COMPUTATION),
    C("setp.hs.u32", setp_ge_u32, "Pww", COMPUTATION),
    C("setp.lo.u64", setp_lt_u64, "Pqq", COMPUTATION),
    C("setp.ls.u64", setp_le_u64, "Pqq", COMPUTATION),
    C("setp.hi.u64", setp_gt_u64, "Pqq", COMPUTATION),
    C("setp.hs.u64", setp_ge_u64, "Pqq", COMPUTATION),
    C("selp.b16 selp.u16 selp.s16 selp.f16 selp.bf16", selp_16, "hhhp", COMPUTATION),
    C("selp.b32 selp.u32 selp.s32 selp.f32", selp_32, "wwwp", COMPUTATION),
    C("selp.b64 selp.u64 selp.s64 selp.f64", selp_64, "qqqp", COMPUTATION),
    C("slct.b16.s32 slct.u16.s32 slct.s16.s32", slct_16_s32, "hhhw", COMPUTATION),
    C("slct.b32.s32 slct.u32.s32 slct.s32.s32 slct.f32.s32", slct_32_s32, "wwww", COMPUTATION),
    C("slct.b64.s32 slct.u64.s32 slct.s64.s32 slct.f64.s32", slct_64_s32, "qqqw", COMPUTATION),
    {"slct.b16.f32 slct.u16.f32 slct.s16.f32", slct_16_f32, "hhhw", ALLOW_FTZ, CLASS_COMPUTATION, 0},
    {"slct.b32.f32 slct.u32.f32 slct.s32.f32 slct.f32.f32", slct_32_f32, "wwww", ALLOW_FTZ, CLASS_COMPUTATION, 0},
    {"slct.b64.f32 slct.u64.f32 slct.s64.f32 slct.f64.f32", slct_64_f32, "qqqw", ALLOW_FTZ, CLASS_COMPUTATION, 0},
    C("mov.b16 mov.u16 mov.s16 mov.f16 mov.bf16", mov_16, "hh", COMPUTATION),
    C("mov.b32 mov.u32 mov.s32 mov.f32", mov_32, "ww", COMPUTATION),
    C("mov.b64 mov.u64 mov.s64 mov.f64", mov_64, "qq", COMPUTATION),
    C("mov.b128", mov_128, "oo", COMPUTATION),
    C("mov.pred", mov_32, "pp", COMPUTATION),
    ROWS_END,
};
