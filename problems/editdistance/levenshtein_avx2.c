/*
 * levenshtein_avx2.c - the bit-parallel kernel on 256-bit AVX2 registers.
 *
 * Compiled for AVX2 whatever the compiler's flags; levenshtein.c calls it only where the processor has it.
 */
#include <stdint.h>
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#include <immintrin.h>

typedef __m256i vec;
#define VEC_WORDS 4
#define VEC_BITS 256
#define VEC_COLUMNS 1
#define LEVENSHTEIN_ENGINE levenshtein_engine_avx2

static inline vec vec_load(const uint64_t *p) { return _mm256_load_si256((const __m256i *)p); }
static inline void vec_store(uint64_t *p, vec x) { _mm256_store_si256((__m256i *)p, x); }
static inline vec vec_ones(void) { return _mm256_set1_epi64x(-1); }
static inline vec vec_broadcast(uint64_t w) { return _mm256_set1_epi64x((long long)w); }
static inline vec vec_match(vec x, vec a, vec b) { return _mm256_andnot_si256(_mm256_xor_si256(a, b), x); }
static inline vec vec_or3(vec x, vec y, vec z) { return _mm256_or_si256(_mm256_or_si256(x, y), z); }
static inline vec vec_ornor(vec x, vec y, vec z)
{
    return _mm256_or_si256(x, _mm256_xor_si256(_mm256_or_si256(y, z), vec_ones()));
}
static inline vec vec_and(vec x, vec y) { return _mm256_and_si256(x, y); }
static inline vec vec_select(vec k, vec x, vec y)
{
    return _mm256_or_si256(_mm256_and_si256(k, x), _mm256_andnot_si256(k, y));
}
static inline vec vec_double(vec x) { return _mm256_add_epi64(x, x); }
static inline vec vec_collect(vec x, vec y) { return _mm256_or_si256(vec_double(x), _mm256_srli_epi64(y, 63)); }
static inline vec vec_shift_in(vec x, vec y)
{
    /* Words one place up: word 3 of y, then words 0 to 2 of x. */
    vec up = _mm256_alignr_epi8(x, _mm256_permute2x128_si256(y, x, 0x21), 8);

    return vec_collect(x, up);
}
static inline uint64_t vec_top_word(vec x) { return (uint64_t)_mm256_extract_epi64(x, 3); }

#include "levenshtein_kernel.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
