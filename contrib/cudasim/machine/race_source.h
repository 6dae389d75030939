/*
 * race_source.h - stores to what an asynchronous copy still reads: race_source.c. Only with the check for races.
 */
#ifndef CUDASIM_RACE_SOURCE_H
#define CUDASIM_RACE_SOURCE_H

#include "access.h"

/* The lanes of a copy to shared memory read `bytes` bytes each, at w->address. */
void race_source_keep(struct warp *w, unsigned bytes);

/* The lanes store `bytes` bytes each to global memory, while copies may still read: w->block->sources is not NULL. */
void race_source_overwritten(struct warp *w, const struct ins *ins, unsigned bytes, enum access access);

/* The block is over. */
void race_source_over(struct block *b);

#endif
