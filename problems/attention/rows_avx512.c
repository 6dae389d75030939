/*
 * rows_avx512.c - the inner loops of the float64 rows on AVX-512.
 *
 * Compiled for it whatever the compiler's flags; rows.c calls it only where the processor has it.
 */
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl")
#endif
#define LANES 8
#define ENGINE attention_engine_avx512
#include "rows_kernel.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
#include "rows_engine.h"

const struct attention_engine attention_engine_avx512; /* never run */
#endif
