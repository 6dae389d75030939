/*
 * table_rows.h - from here on the lines of a list of instructions are rows: see table.h.
 */
#ifndef CUDASIM_TABLE_ROWS_H
#define CUDASIM_TABLE_ROWS_H

#include "table.h"

#undef ONE
#undef TWO
#undef THREE
#undef THREE_FTZ
#undef ONE_OF
#undef TWO_OF
#undef ROW
#undef ROW_OF
#define ONE(names, body, D, A, expression) ROW(names, body, LETTER_##D LETTER_##A)
#define TWO(names, body, D, A, B, expression) ROW(names, body, LETTER_##D LETTER_##A LETTER_##B)
#define THREE(names, body, D, A, B, C, expression) ROW(names, body, LETTER_##D LETTER_##A LETTER_##B LETTER_##C)
#define THREE_FTZ(names, body, D, A, B, C, expression)                                                                 \
    ROW_OF(names, body, LETTER_##D LETTER_##A LETTER_##B LETTER_##C, ALLOW_FTZ, COMPUTATION, 0)
#define ONE_OF(names, body, D, A, class, flops, expression)                                                            \
    ROW_OF(names, body, LETTER_##D LETTER_##A, 0, class, flops)
#define TWO_OF(names, body, D, A, B, class, flops, expression)                                                         \
    ROW_OF(names, body, LETTER_##D LETTER_##A LETTER_##B, 0, class, flops)
#define ROW(names, body, operands) ROW_OF(names, body, operands, 0, COMPUTATION, 0)
#define ROW_OF(names, body, operands, allows, class, flops) {names, body, operands, allows, CLASS_##class, flops},

/* The letters of row->operands that stand for the types. */
#define LETTER_u16 "h"
#define LETTER_s16 "h"
#define LETTER_u32 "w"
#define LETTER_s32 "w"
#define LETTER_u64 "q"
#define LETTER_s64 "q"
#define LETTER_u128 "o"

#endif
