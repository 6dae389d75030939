/*
 * rows_engine.h - what rows.c needs of each version of the inner loops.
 */
#ifndef ATTENTION_ROWS_ENGINE_H
#define ATTENTION_ROWS_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "precision.h"

enum { ATTENTION_TOGETHER = 4 }; /* rows of one head that are computed at once */

struct attention_engine {
    /* scores[keys][ATTENTION_TOGETHER] = k[keys][dim] times q[ATTENTION_TOGETHER][dim]. */
    void (*scores)(const double *q, const uint16_t *k, size_t keys, size_t dim, double *scores);
    /*
     * truths[r][c] = sums over keys of weights[keys][ATTENTION_TOGETHER], which are divided by their sum before, and of
     * v[keys][dim]. Row r is at truths + r * dim.
     */
    void (*sums)(const double *weights, const uint16_t *v, size_t keys, size_t dim, struct attention_truth *truths);
};

extern const struct attention_engine attention_engine_portable, attention_engine_avx2, attention_engine_avx512;

#endif
