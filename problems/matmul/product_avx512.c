/*
 * product_avx512.c - the kernel of the float64 product on AVX-512.
 *
 * Compiled for it whatever the compiler's flags; product.c calls it only where the processor has it.
 */
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC target("avx512f")
#endif
#define VECTOR_BYTES 64
#define TILE_ROWS 8
#define ENGINE matmul_engine_avx512
#include "product_kernel.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
#include "product_engine.h"

const struct matmul_engine matmul_engine_avx512; /* never run */
#endif
