/*
 * sectors.h - the cost of memory accesses: sectors of global memory and passes over the banks of shared memory.
 */
#ifndef CUDASIM_SECTORS_H
#define CUDASIM_SECTORS_H

#include "machine.h"

/* Distinct sectors of 32 bytes that the lanes in `mask` touch: `bytes` a lane, at address[32]. */
unsigned access_sectors(struct worker *k, const uint64_t *address, uint32_t mask, unsigned bytes);

/* Notes the sectors of the bytes first .. last. */
void access_touch(struct touched *t, uint64_t first, uint64_t last);
void access_touch_lanes(struct touched *t, const uint64_t *address, uint32_t mask, unsigned bytes);

/* Passes over the banks that the lanes in `mask` need: `bytes` a lane, at offsets[32]. */
unsigned access_passes(const uint32_t *offsets, uint32_t mask, unsigned bytes);

#endif
