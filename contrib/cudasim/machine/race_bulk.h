/*
 * race_bulk.h - races of copies in bulk from shared memory: race_bulk.c. Every function may be called without the check
 * for races.
 */
#ifndef CUDASIM_RACE_BULK_H
#define CUDASIM_RACE_BULK_H

#include "access.h"

/* fence.proxy.async: what threads of the block stored before is there for copies in bulk. */
void race_proxy_fence(struct warp *w);

/*
 * Lane `lane` issues a copy of `bytes` from `place` in the host's memory, if that is the block's shared memory. A copy
 * to another block is not in_group: it ends with a phase of the barrier there.
 */
void race_bulk_reads(struct warp *w, const struct ins *ins, unsigned lane, const char *place, uint32_t bytes,
                     bool in_group);

/* The warp's lanes end a group of such copies; they wait for all but their last `but` groups. */
void race_bulk_commit(struct warp *w);
void race_bulk_wait(struct warp *w, uint32_t but);

/* The block is over, and its shared memory with it: no copy may still read there. */
void race_bulk_over(struct block *b);

/* A store to the block's shared memory, while copies may still read: b->bulk_count is not 0. */
void race_bulk_overwritten(struct warp *w, const struct ins *ins, const uint32_t *offsets, unsigned bytes,
                           enum access access);

#endif
