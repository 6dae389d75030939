/*
 * levenshtein_bands.h - what levenshtein.c prepares and levenshtein_kernel.h runs: bands of rows.
 *
 * Private to those files.
 */
#ifndef LEVENSHTEIN_BANDS_H
#define LEVENSHTEIN_BANDS_H

#include <stddef.h>
#include <stdint.h>

/*
 * A band of bits*rows rows of the table, ready to run. W = bits / 64 words make one vector. A step takes C
 * columns. The streams hold one bit per column: word C*g + c has columns C*(64g + i) + c, i = 0 in the top bit.
 */
struct levenshtein_band {
    size_t rows;             /* R: rows each processor owns */
    size_t steps;            /* columns / C rounded up to 64, plus bits */
    uint64_t *state;         /* [rows][3 + planes][W]: vp, vn, known, the rows' character planes; 64-byte aligned */
    const uint64_t *columns; /* [steps/64][C][8]: the columns' character planes */
    uint64_t *hp;            /* [steps/64][C]: in, the upper edge's +1 differences; out, the lower edge's */
    uint64_t *hn;            /* [steps/64][C]: likewise the -1 differences */
};

/* The kernel for one instruction set. */
struct levenshtein_engine {
    size_t bits;    /* processors: bits in a vector */
    size_t columns; /* C: columns a step */
    void (*run)(const struct levenshtein_band *band, int planes);
};

extern const struct levenshtein_engine levenshtein_engine_portable;
extern const struct levenshtein_engine levenshtein_engine_avx2;
extern const struct levenshtein_engine levenshtein_engine_avx512;

#endif
