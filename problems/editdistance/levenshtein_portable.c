/*
 * levenshtein_portable.c - the bit-parallel kernel on plain 64-bit words, for any processor.
 */
#include <stdint.h>

typedef uint64_t vec;
#define VEC_WORDS 1
#define VEC_BITS 64
#define VEC_COLUMNS 1
#define LEVENSHTEIN_ENGINE levenshtein_engine_portable

static inline vec vec_load(const uint64_t *p) { return *p; }
static inline void vec_store(uint64_t *p, vec x) { *p = x; }
static inline vec vec_ones(void) { return ~(vec)0; }
static inline vec vec_broadcast(uint64_t w) { return w; }
static inline vec vec_match(vec x, vec a, vec b) { return x & ~(a ^ b); }
static inline vec vec_or3(vec x, vec y, vec z) { return x | y | z; }
static inline vec vec_ornor(vec x, vec y, vec z) { return x | ~(y | z); }
static inline vec vec_and(vec x, vec y) { return x & y; }
static inline vec vec_select(vec k, vec x, vec y) { return (k & x) | (~k & y); }
static inline vec vec_shift_in(vec x, vec y) { return x << 1 | y >> 63; }
static inline vec vec_double(vec x) { return x << 1; }
static inline vec vec_collect(vec x, vec y) { return x << 1 | y >> 63; }
static inline uint64_t vec_top_word(vec x) { return x; }

#include "levenshtein_kernel.h"
