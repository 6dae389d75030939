/*
 * race.h - what access.c and bodies of memory instructions ask of the check of shared memory.
 */
#ifndef CUDASIM_RACE_H
#define CUDASIM_RACE_H

#include "access.h"

/* Checks and notes an access of `bytes` a lane: offsets[32] into the block's shared memory, of lanes in w->mask. */
void access_shared_check(struct warp *w, const struct ins *ins, const uint32_t *offsets, unsigned bytes,
                         enum access access);

/* A fence, or an atomic that orders, of the warp. */
void access_fence(struct warp *w);

/* Bytes of word `n` that [offset, offset + bytes) covers, a bit each. */
uint8_t bytes_of_word(uint32_t n, uint32_t offset, unsigned bytes);

/* "read", "write" or "atomic operation", for messages. */
const char *access_verb(enum access access);

#endif
