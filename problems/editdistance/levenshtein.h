/*
 * levenshtein.h - the trusted answer: Levenshtein distance with unit costs on one CPU core.
 *
 * Called by problem.c (the reference answer), by main_bench.c and by the unit tests. It knows nothing
 * of cases, files or submissions.
 */
#ifndef LEVENSHTEIN_H
#define LEVENSHTEIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The instruction sets that the bit-parallel version is compiled for, slowest first. */
enum levenshtein_isa { LEVENSHTEIN_PORTABLE, LEVENSHTEIN_AVX2, LEVENSHTEIN_AVX512, LEVENSHTEIN_ISAS };

/* The name of an instruction set, for tables. */
const char *levenshtein_isa_name(enum levenshtein_isa isa);

/* Whether this processor, and its operating system, can run it. */
bool levenshtein_isa_supported(enum levenshtein_isa isa);

/* The fastest instruction set that this processor can run. */
enum levenshtein_isa levenshtein_isa_best(void);

/*
 * The distance of a[0..m) and b[0..n), bytes compared as bytes, in *distance. Any lengths from 0 up to
 * 2^31 - 1. Bit-parallel; O(mn / register bits) time, O(m + n) memory. False when memory is exhausted or
 * the instruction set is not there.
 */
bool levenshtein_bitparallel(enum levenshtein_isa isa, const unsigned char *a, size_t m, const unsigned char *b,
                             size_t n, uint32_t *distance);

/*
 * The same by the textbook recurrence, one row of m + 1 cells at a time: what the fast one is checked
 * against. O(mn) time, O(m) memory. False when memory is exhausted.
 */
bool levenshtein_plain(const unsigned char *a, size_t m, const unsigned char *b, size_t n, uint32_t *distance);

#endif
