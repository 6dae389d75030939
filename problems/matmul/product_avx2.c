/*
 * product_avx2.c - the kernel of the float64 product on AVX2.
 *
 * Compiled for it whatever the compiler's flags; product.c calls it only where the processor has it.
 */
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#define VECTOR_BYTES 32
#define TILE_ROWS 4
#define ENGINE matmul_engine_avx2
#include "product_kernel.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
#include "product_engine.h"

const struct matmul_engine matmul_engine_avx2; /* never run */
#endif
