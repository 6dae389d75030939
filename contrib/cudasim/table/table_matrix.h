/*
 * table_matrix.h - fragments of matrices. table_matrix.c (products) and table_matrix_move.c (to and from memory) share
 * it. Everything is static, as in table.h.
 *
 * All shapes follow one picture. The registers of a fragment, in their order, are tiles. A tile of A is 8 rows by 128
 * bits of k: the two tiles of 16 rows come first, then the next k. A tile of B is the same with columns. A tile of C
 * and D is 8 by 8. In a tile of A or B a group of four lanes holds a row (a column), and each lane holds 32 bits of it.
 * In a tile of C each lane holds two neighbours of a row.
 *
 * So A is unpacked to [m][k], B to one [k][8] per 8 columns, C to one [m][8] per 8 columns. Every element of a C
 * register lies where the lanes' order says. PTX leaves wmma's fragments open; here they are as on an H200. They are
 * several of mma's side by side. Those of f16's operands are repeated. m8n32 is m32n8 of the transposed matrices.
 */
#ifndef CUDASIM_TABLE_MATRIX_H
#define CUDASIM_TABLE_MATRIX_H

#include "contrib/cudasim/base/element.h"
#include "table_half.h"

enum { /* names as the lists of forms write them */
    T_f16 = E_F16, T_bf16 = E_BF16, T_tf32 = E_TF32, T_e4m3 = E_E4M3, T_e5m2 = E_E5M2, T_f64 = E_F64, T_s8 = E_S8,
    T_u8 = E_U8, T_s4 = E_S4, T_u4 = E_U4, T_b1 = E_B1, T_f32 = E_F32, T_s32 = E_S32
};

INLINE u32 element_bits(enum element e)
{
    switch (e) {
    case E_F64: return 64;
    case E_F32: case E_S32: case E_TF32: return 32;
    case E_F16: case E_BF16: return 16;
    case E_S4: case E_U4: return 4;
    case E_B1: return 1;
    default: return 8;
    }
}

/* All live lanes must execute it together. */
INLINE bool together(struct warp *w, const struct ins *i, const struct ins **next)
{
    u32 members[LANES];

    for (int l = 0; l < LANES; l++)
        members[l] = w->live;
    return warp_converge(w, i, members, next);
}

#endif
