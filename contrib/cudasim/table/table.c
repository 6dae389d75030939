/*
 * table.c - the instruction table: the lists of rows, compiled for three levels of x86-64, and the choice between them.
 */
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/machine/exec.h"

#define LISTS(level)                                                                                                   \
    extern const struct row rows_integer_v##level[], rows_float_v##level[], rows_half_v##level[],                      \
        rows_half_convert_v##level[], rows_video_v##level[], rows_matrix_v##level[], rows_matrix_move_v##level[],      \
        rows_memory_v##level[], rows_control_v##level[];                                                               \
    static const struct row *const lists_v##level[] = {                                                                \
        rows_integer_v##level,      rows_float_v##level, rows_half_v##level,                                           \
        rows_half_convert_v##level, rows_video_v##level, rows_matrix_v##level,                                         \
        rows_matrix_move_v##level,  rows_memory_v##level, rows_control_v##level, NULL}
LISTS(2);
LISTS(3);
LISTS(4);

const struct table *table_select(void)
{
    static const struct table tables[] = {{lists_v2}, {lists_v3}, {lists_v4}};
    const char *wanted = getenv("CUDASIM_LEVEL"); /* a lower level than the machine's, for tests and comparisons */
    int best = __builtin_cpu_supports("x86-64-v4") ? 4 : __builtin_cpu_supports("x86-64-v3") ? 3 : 2;

    if (wanted && wanted[0] >= '2' && wanted[0] < '0' + best && !wanted[1])
        best = wanted[0] - '0';
    return &tables[best - 2];
}
