/*
 * feature_pages.h - which pages of managed memory the GPU has, while launches are described.
 *
 * A page is the host's until a launch touches it, or it is prefetched. It is the host's again when the host touches it.
 * feature.c asks what a launch must wait for. The runtime says what the host does. Addresses are bytes from the
 * device's first.
 */
#ifndef CUDASIM_FEATURE_PAGES_H
#define CUDASIM_FEATURE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

enum { PAGES_SHIFT = 16 }; /* 64 KiB: what moves together */

struct pages {
    uint8_t *here; /* [count] 1: the GPU has it; NULL before the first page came */
    uint64_t count;
};

void pages_release(struct pages *pages);

/* [low, high) comes to the GPU, of `range` bytes in all, or goes to the host. Without memory it stays with the host. */
void pages_move(struct pages *pages, uint64_t low, uint64_t high, uint64_t range, bool to_device);

bool pages_here(const struct pages *pages, uint64_t address);

/* The next stretch of pages of the GPU in [*low, high), cut to it. False: there is none. */
bool pages_next(const struct pages *pages, uint64_t *low, uint64_t *end, uint64_t high);

#endif
