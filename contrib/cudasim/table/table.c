/*
 * table.c - the instruction tables, and the choice between them. A table is a list of rows, compiled for one level of
 * x86-64.
 *
 * The Makefile defines LEVELS(X): X(3), or X(2) X(3) ..., from the lowest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "select.h"

/* The dynamic loader has asked the processor. Asking it again takes 2 µs a question, and 20 times as long in a virtual
   machine. */
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define HAS_LEVEL_3                                                                                                    \
    (CPU_FEATURE_ACTIVE(AVX) && CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(BMI1) && CPU_FEATURE_ACTIVE(BMI2) &&    \
     CPU_FEATURE_ACTIVE(F16C) && CPU_FEATURE_ACTIVE(FMA) && CPU_FEATURE_ACTIVE(LZCNT) && CPU_FEATURE_ACTIVE(MOVBE))
#define HAS_LEVEL_4                                                                                                    \
    (HAS_LEVEL_3 && CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512BW) && CPU_FEATURE_ACTIVE(AVX512CD) &&     \
     CPU_FEATURE_ACTIVE(AVX512DQ) && CPU_FEATURE_ACTIVE(AVX512VL))
#else
#define HAS_LEVEL_3 __builtin_cpu_supports("x86-64-v3")
#define HAS_LEVEL_4 __builtin_cpu_supports("x86-64-v4")
#endif

#define EACH_LIST(X, level)                                                                                            \
    X(integer, level) X(float, level) X(half, level) X(half_convert, level) X(video, level) X(matrix, level)           \
    X(matrix_move, level) X(memory, level) X(atomic, level) X(copy, level) X(control, level) X(texture, level)         \
    X(wgmma, level) X(shade, level)
#define DECLARE(name, level) extern const struct row rows_##name##_v##level[];
#define ADDRESS(name, level) rows_##name##_v##level,
#define LISTS(level)                                                                                                   \
    EACH_LIST(DECLARE, level)                                                                                          \
    static const struct row *const lists_v##level[] = {EACH_LIST(ADDRESS, level) NULL};
LEVELS(LISTS)

/* The processor's level, or a lower one that CUDASIM_LEVEL asks for, for tests and comparisons. */
static int wanted_level(void)
{
    const char *wanted = getenv("CUDASIM_LEVEL");
    int best = HAS_LEVEL_4 ? 4 : HAS_LEVEL_3 ? 3 : 2;

    return wanted && wanted[0] >= '2' && wanted[0] < '0' + best && !wanted[1] ? wanted[0] - '0' : best;
}

const struct table *table_select(char *error, size_t error_size)
{
#define TABLE(level) {lists_v##level, level},
#define NAME(level) " x86-64-v" #level
    static const struct table tables[] = {LEVELS(TABLE)};
    int wanted = wanted_level();

    for (size_t n = sizeof tables / sizeof *tables; n-- > 0;)
        if (tables[n].level <= wanted)
            return &tables[n];
    snprintf(error, error_size,
             "built for" LEVELS(NAME) ", and x86-64-v%d is needed here: build it on this machine, or for every machine "
             "with make cudasim LEVELS='2 3 4'", wanted);
    return NULL;
}
