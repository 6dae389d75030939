/*
 * rows_avx2.c - the inner loops of the float64 rows on AVX2.
 *
 * Compiled for it whatever the compiler's flags; rows.c calls it only where the processor has it.
 */
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#define LANES 4
#define ENGINE attention_engine_avx2
#include "rows_kernel.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
#include "rows_engine.h"

const struct attention_engine attention_engine_avx2; /* never run */
#endif
