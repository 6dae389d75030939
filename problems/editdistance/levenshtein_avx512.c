/*
 * levenshtein_avx512.c - the bit-parallel kernel on 512-bit AVX-512 registers (F and VBMI2).
 *
 * Compiled for AVX-512 whatever the compiler's flags; levenshtein.c calls it only where the processor has it.
 */
#include <stdint.h>
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512vbmi2"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512vbmi2")
#endif
#include <immintrin.h>

typedef __m512i vec;
#define VEC_WORDS 8
#define VEC_BITS 512
#define VEC_COLUMNS 2
#define LEVENSHTEIN_ENGINE levenshtein_engine_avx512

/* The immediate of a ternary logic instruction is the function's value on these three. */
enum { X = 0xf0, Y = 0xcc, Z = 0xaa };

static inline vec vec_load(const uint64_t *p) { return _mm512_load_si512(p); }
static inline void vec_store(uint64_t *p, vec x) { _mm512_store_si512(p, x); }
static inline vec vec_ones(void) { return _mm512_set1_epi64(-1); }
static inline vec vec_broadcast(uint64_t w) { return _mm512_set1_epi64((long long)w); }
static inline vec vec_match(vec x, vec a, vec b) { return _mm512_ternarylogic_epi64(x, b, a, X & ~(Y ^ Z)); }
static inline vec vec_or3(vec x, vec y, vec z) { return _mm512_ternarylogic_epi64(x, y, z, X | Y | Z); }
static inline vec vec_ornor(vec x, vec y, vec z) { return _mm512_ternarylogic_epi64(x, y, z, (X | ~(Y | Z)) & 0xff); }
static inline vec vec_and(vec x, vec y) { return _mm512_and_si512(x, y); }
static inline vec vec_select(vec k, vec x, vec y) { return _mm512_ternarylogic_epi64(k, x, y, (X & Y) | (~X & Z)); }
static inline vec vec_double(vec x) { return _mm512_add_epi64(x, x); }
static inline vec vec_collect(vec x, vec y) { return _mm512_shldi_epi64(x, y, 1); }
static inline vec vec_shift_in(vec x, vec y)
{
    /* Words one place up: word 7 of y, then words 0 to 6 of x. */
    return vec_collect(x, _mm512_alignr_epi64(x, y, 7));
}
static inline uint64_t vec_top_word(vec x)
{
    return (uint64_t)_mm_extract_epi64(_mm512_extracti32x4_epi32(x, 3), 1);
}

#include "levenshtein_kernel.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
