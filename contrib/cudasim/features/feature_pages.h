/*
 * feature_pages.h - which pages of managed memory the GPU has, while launches are described.
 *
 * A page is the host's until a launch touches it, or it is prefetched. It is the host's again when the host touches it.
 * feature.c asks what a launch must wait for. The runtime says what the host does. Addresses are bytes from the
 * device's first.
 *
 * On a card, small allocations share pages: each lies behind the one before it, in the first piece of 2 MB that has
 * room. Here each has addresses of its own. So an allocation has a lot: where it would lie on a card.
 */
#ifndef CUDASIM_FEATURE_PAGES_H
#define CUDASIM_FEATURE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGES_SHIFT = 16 }; /* 64 KiB: what moves together */

struct pages_lot {
    uint64_t low, high; /* addresses of an allocation */
    uint64_t card;      /* its first byte on the card: bytes from the first piece */
};

struct pages_piece {
    uint32_t here;  /* a bit for each of its 32 pages: the GPU has it */
    uint32_t asked; /* likewise: the launch waits for it */
    uint32_t used;  /* bytes: the next allocation comes behind them */
    uint32_t lots;  /* allocations in it */
    bool full;      /* it is a part of one allocation */
};

struct pages {
    uint8_t *here; /* [count] of addresses without a lot, 1: the GPU has the page; NULL before the first came */
    uint64_t count;
    struct pages_lot *lots; /* [lot_count] by address */
    size_t lot_count, lot_room;
    struct pages_piece *pieces; /* [piece_count] of the card */
    size_t piece_count, piece_room;
    bool any; /* a page came to the GPU */
};

void pages_release(struct pages *pages);

/* A new allocation: it gets a lot. Without memory it has none, and pages of its own. */
void pages_place(struct pages *pages, uint64_t low, uint64_t high);
/* The allocation at `low` is freed. */
void pages_clear(struct pages *pages, uint64_t low);

/* [low, high) comes to the GPU, of `range` bytes in all, or goes to the host. Without memory it stays with the host. */
void pages_move(struct pages *pages, uint64_t low, uint64_t high, uint64_t range, bool to_device);

bool pages_here(const struct pages *pages, uint64_t address);

/* The addresses around this one that are in its page: of its allocation, if that has a lot. */
void pages_bounds(const struct pages *pages, uint64_t address, uint64_t *low, uint64_t *high);

/* A launch waits for the page. pages_bring(), at its end: what the driver brings along. */
void pages_ask(struct pages *pages, uint64_t address);
void pages_bring(struct pages *pages);

/* The next stretch of pages of the GPU in [*low, high), cut to it. False: there is none. */
bool pages_next(const struct pages *pages, uint64_t *low, uint64_t *end, uint64_t high);

#endif
