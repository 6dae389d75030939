/*
 * table_tensor.h - the sums of a tensor core. table_matrix.c (mma, wmma) and table_wgmma.c share it. Everything is
 * static, as in table.h.
 *
 * PTX leaves the order and the width of these sums open. Here they match an H100 bit for bit. The products of a block
 * of k and the accumulator are aligned to their greatest exponent (a product's exponent is the sum of its factors').
 * They are cut off behind `fraction` bits, and summed exactly. The sum is cut off, not rounded, to f32. So a sum does
 * not depend on the order in a block. A sum for f16 is rounded to the nearest.
 */
#ifndef CUDASIM_TABLE_TENSOR_H
#define CUDASIM_TABLE_TENSOR_H

#include "table_matrix.h"

enum {
    TENSOR_FRACTION = 25,      /* bits, of f16, bf16, tf32 */
    TENSOR_FRACTION_TINY = 13, /* of 8-bit floats in wgmma */
    EXPONENT_ZERO = -4000,     /* of a zero: less than any other product's */
    EXPONENT_ODD = 8000,       /* of infinities and NaN */
};

/* The least exponent of the type: subnormals have it, too. */
INLINE s32 least_exponent(enum element e)
{
    return e == E_F16 || e == E_E5M2 ? -14 : e == E_E4M3 ? -6 : -126;
}

INLINE s32 exponent_of(f64 x, s32 least)
{
    s32 e = (s32)(f64_bits(x) >> 52 & 0x7FF) - 1023;

    return e == 1024 ? EXPONENT_ODD : e == -1023 ? EXPONENT_ZERO : e < least ? least : e;
}

INLINE void exponents_of(s32 *e, const f64 *x, int n, enum element type)
{
    s32 least = least_exponent(type);

    for (int l = 0; l < n; l++)
        e[l] = exponent_of(x[l], least);
}

/* To f32, cut off. Beyond the greatest it is infinite. */
INLINE f64 cut_f32(f64 x)
{
    f32 y = (f32)x;

    if (y != y || __builtin_isinf(x))
        return x;
    if (__builtin_fabs((f64)y) > __builtin_fabs(x))
        y = f32_from(f32_bits(y) - 1);
    return y;
}

/* c[8] += a[k] times b[k][8], one block; ea and eb are their exponents. The caller rounds the sums. */
INLINE void tensor_block(f64 *c, const f64 *a, const s32 *ea, const f64 *b, const s32 *eb, int k, s32 fraction)
{
    s32 top[8], odd = EXPONENT_ZERO; /* the greatest exponents; the greatest of all */
    f64 scale[8], back[8], sum[8], plain[8];

    for (int j = 0; j < 8; j++)
        top[j] = exponent_of(c[j], -126);
    for (int n = 0; n < k; n++)
        for (int j = 0; j < 8; j++) {
            s32 e = ea[n] + eb[8 * n + j];

            top[j] = e > top[j] ? e : top[j];
        }
    for (int j = 0; j < 8; j++)
        odd = top[j] > odd ? top[j] : odd;
    if (odd > EXPONENT_ODD / 4) /* some sum is not finite: as IEEE says, without an alignment */
        for (int j = 0; j < 8; j++) {
            plain[j] = c[j];
            for (int n = 0; n < k; n++)
                plain[j] += a[n] * b[8 * n + j];
        }
    for (int j = 0; j < 8; j++) {
        s32 shift = fraction - (top[j] < -600 ? -600 : top[j] > 600 ? 600 : top[j]);

        scale[j] = f64_from((u64)(1023 + shift) << 52);
        back[j] = f64_from((u64)(1023 - shift) << 52);
        sum[j] = __builtin_trunc(c[j] * scale[j]);
    }
    for (int n = 0; n < k; n++)
        for (int j = 0; j < 8; j++)
            sum[j] += __builtin_trunc(a[n] * b[8 * n + j] * scale[j]);
    for (int j = 0; j < 8; j++)
        c[j] = top[j] > EXPONENT_ODD / 4 ? plain[j] : sum[j] * back[j];
}

/*
 * Where the elements of a sparse A stand, of which half are stored: from[16][k / 2], places in a row of k. The
 * registers e[32] hold two bits an element: its place among four. Of tf32 an element has four bits, its place among
 * two; of 4 bits two neighbours share theirs, their place among four pairs. A group of four lanes holds rows g and
 * g + 8. Of elements of 16 and 32 bits a lane has 16 bits of each of the two; of smaller ones it has 32 bits of one.
 * `selector` says which of the four lanes are meant.
 */
INLINE void sparse_places(u8 *from, const u32 *e, enum element type, u32 k, u32 selector)
{
    u32 bits = element_bits(type), row_bits = bits == 32 ? 2 * k : bits == 4 ? k / 2 : k, count = k / 2;
    u32 lanes = row_bits / 16; /* that hold a group's two rows */
    u32 first = lanes < 4 ? selector * lanes % 4 : 0;

    for (u32 row = 0; row < 16; row++)
        for (u32 n = 0; n < count; n++) {
            u32 at = bits == 32 ? 4 * n : bits == 4 ? n / 2 * 2 : 2 * n;
            u32 lane = row % 8 * 4 + first, place;

            if (bits >= 16)
                place = e[lane + at / 16] >> (at % 16 + row / 8 * 16) & 3;
            else
                place = e[lane + at / 32 * 2 + row / 8] >> at % 32 & 3;
            from[row * count + n] = (u8)(bits == 32  ? 2 * n + place / 2
                                         : bits == 4 ? n / 4 * 8 + 2 * place + n % 2
                                                     : n / 2 * 4 + place);
        }
}

#endif
