/*
 * race_matrix.h - races of wgmma with shared memory: race_matrix.c. Every function may be called without the check for
 * races.
 */
#ifndef CUDASIM_RACE_MATRIX_H
#define CUDASIM_RACE_MATRIX_H

#include "access.h"

/* A product that reads its operands now. */
struct matrix_read {
    struct warp *w;
    const struct ins *ins;
    uint64_t known; /* the last entry that was in order, without its lane */
    bool on;        /* the check is on */
};
struct matrix_read race_matrix_begin(struct warp *w, const struct ins *ins);

/* It reads 16 bytes at an offset of the block's shared memory. */
void race_matrix_reads(struct matrix_read *x, uint32_t offset);

/* The warp ends a group of products; it waits for all but its last `but` groups. */
void race_matrix_commit(struct warp *w);
void race_matrix_wait(struct warp *w, uint32_t but);

/* A store to the block's shared memory, while products may still read: b->matrix_reads is there. */
void race_matrix_overwritten(struct warp *w, const struct ins *ins, const uint32_t *offsets, unsigned bytes,
                             enum access access);

#endif
