/*
 * table_combine.h - what an atomic operation or a reducing copy makes of the old value and its operand.
 */
#ifndef CUDASIM_TABLE_COMBINE_H
#define CUDASIM_TABLE_COMBINE_H

#include "table.h"

static f32 add_f32(f32 a, f32 b, bool flush)
{
    u32 r;

    if (flush)
        a = f32_from(flush_f32(f32_bits(a))), b = f32_from(flush_f32(f32_bits(b)));
    r = canon_f32(a + b);
    return f32_from(flush ? flush_f32(r) : r);
}

/* One binary half (f16 or bf16) in f32 and back, rounded to nearest even; exact enough: see table_half.c. */
static f32 half_to_f32(u16 h, bool bf)
{
    u32 sign = (u32)(h & 0x8000) << 16, e, m;

    if (bf)
        return f32_from((u32)h << 16);
    e = h >> 10 & 31;
    m = h & 0x3FF;
    if (e == 31)
        return f32_from(sign | 0x7F800000u | m << 13);
    if (e == 0)
        return (sign ? -1.0f : 1.0f) * (f32)m * 0x1p-24f;
    return f32_from(sign | (e + 112) << 23 | m << 13);
}

static u16 half_from_f32(f32 x, bool bf)
{
    u32 u = f32_bits(x), sign = u >> 16 & 0x8000, a = u & 0x7FFFFFFF, e, m, shift, r;

    if (a > 0x7F800000u)
        return 0x7FFF;
    if (bf) {
        u += 0x7FFF + (u >> 16 & 1);
        return (u16)(u >> 16);
    }
    if (a >= 0x477FF000u)
        return (u16)(sign | 0x7C00);
    if (a < 0x33000001u)
        return (u16)sign;
    e = a >> 23;
    m = (a & 0x7FFFFF) | 0x800000;
    shift = e < 113 ? 126 - e : 13;
    r = m >> shift;
    m &= (1u << shift) - 1;
    if (m > 1u << (shift - 1) || (m == 1u << (shift - 1) && r & 1))
        r++;
    if (e >= 113)
        r += (e - 113) << 10;
    return (u16)(sign | r);
}

static u16 combine_half(int op, u16 a, u16 b, bool bf)
{
    f32 x = half_to_f32(a, bf), y = half_to_f32(b, bf);

    switch (op) {
    case ATOMIC_ADD: return half_from_f32(x + y, bf);
    case ATOMIC_MIN: return x != x ? (y != y ? 0x7FFF : b) : y != y ? a : x < y || (x == y && a & 0x8000) ? a : b;
    default: return x != x ? (y != y ? 0x7FFF : b) : y != y ? a : x > y || (x == y && !(a & 0x8000)) ? a : b;
    }
}

/* What the memory holds after `op` with operand b on old value a. */
static u16 combine_16(const struct ins *i, u16 a, u16 b, u16 c)
{
    switch (i->op) {
    case ATOMIC_EXCH: return b;
    case ATOMIC_CAS: return a == b ? c : a;
    default: return combine_half(i->op, a, b, i->mode == PTX_BF16);
    }
}

static u32 combine_32(const struct ins *i, u32 a, u32 b, u32 c)
{
    bool s = i->mode == PTX_S32;

    if (i->mode == PTX_F16X2 || i->mode == PTX_BF16X2) {
        bool bf = i->mode == PTX_BF16X2;

        return combine_half(i->op, (u16)a, (u16)b, bf) | (u32)combine_half(i->op, a >> 16, b >> 16, bf) << 16;
    }
    switch (i->op) {
    case ATOMIC_ADD:
        return i->mode == PTX_F32 ? f32_bits(add_f32(f32_from(a), f32_from(b), i->space != PTX_SHARED)) : a + b;
    case ATOMIC_MIN: return s ? ((s32)a < (s32)b ? a : b) : a < b ? a : b;
    case ATOMIC_MAX: return s ? ((s32)a > (s32)b ? a : b) : a > b ? a : b;
    case ATOMIC_AND: return a & b;
    case ATOMIC_OR: return a | b;
    case ATOMIC_XOR: return a ^ b;
    case ATOMIC_INC: return a >= b ? 0 : a + 1;
    case ATOMIC_DEC: return a == 0 || a > b ? b : a - 1;
    case ATOMIC_EXCH: return b;
    default: return a == b ? c : a;
    }
}

/* NaN operands as on an H200. Global memory returns them unchanged, the added one first. Shared memory quiets them. */
static u64 add_f64(u64 a, u64 b, bool shared)
{
    f64 x = f64_from(a), y = f64_from(b);

    if (x == x && y == y)
        return f64_bits(x + y);
    if (shared)
        return (x != x ? a : b) | 0x8000000000000ull;
    return y != y ? b : a;
}

static u64 combine_64(const struct ins *i, u64 a, u64 b, u64 c)
{
    bool s = i->mode == PTX_S64;

    switch (i->op) {
    case ATOMIC_ADD: return i->mode == PTX_F64 ? add_f64(a, b, i->space == PTX_SHARED) : a + b;
    case ATOMIC_MIN: return s ? ((s64)a < (s64)b ? a : b) : a < b ? a : b;
    case ATOMIC_MAX: return s ? ((s64)a > (s64)b ? a : b) : a > b ? a : b;
    case ATOMIC_AND: return a & b;
    case ATOMIC_OR: return a | b;
    case ATOMIC_XOR: return a ^ b;
    case ATOMIC_INC: return a >= b ? 0 : a + 1;
    case ATOMIC_DEC: return a == 0 || a > b ? b : a - 1;
    case ATOMIC_EXCH: return b;
    default: return a == b ? c : a;
    }
}

#endif
