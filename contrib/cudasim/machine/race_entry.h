/*
 * race_entry.h - the entries of the check for races. Each unit of memory has two: its last write and its last read.
 *
 * An entry is 64 bits:  63 SLOW | 62-40 time | 39-18 block's name | 17-13 warp | 12-8 lane | 7-0 enum entry_flag
 * Zero, and every time before the launch, belong to nobody.
 */
#ifndef CUDASIM_RACE_ENTRY_H
#define CUDASIM_RACE_ENTRY_H

#include "race_order.h"

#define TIME_AT 40
#define BLOCK_AT 18
#define WARP_AT 13
#define LANE_AT 8
#define SLOW (1ull << 63) /* the time alone does not say that it is ordered */
#define TIME_MOST ((1u << 23) - 2)
#define TIME_BITS (((1ull << 23) - 1) << TIME_AT)
#define BLOCK_BITS ((uint64_t)(BLOCK_NAMES - 1) << BLOCK_AT)
#define WARP_BITS (31ull << WARP_AT)
#define LANE_BITS (31ull << LANE_AT)

enum entry_flag {
    STRONG = 1,      /* an atomic, or relaxed, release or acquire */
    NEAR = 2,        /* with the scope of its block; without STRONG, of a write: by a copy in bulk */
    VOLATILE = 4,    /* weaker than STRONG: see strength() */
    UNDER_WAY = 8,   /* an asynchronous copy */
    LANES_MANY = 16, /* by other lanes, */
    WARPS_MANY = 32, /* other warps, */
    BLOCKS_MANY = 64, /* other blocks besides */
    WRITTEN_BACK = 128 /* a store of the value that the same lane had read there, which changed nothing */
};
#define MANY (LANES_MANY | WARPS_MANY | BLOCKS_MANY)

static inline uint32_t entry_time(uint64_t e) { return (uint32_t)((e & ~SLOW) >> TIME_AT); }
static inline uint32_t entry_block(uint64_t e) { return (uint32_t)(e >> BLOCK_AT) & (BLOCK_NAMES - 1); }
static inline unsigned entry_warp(uint64_t e) { return (unsigned)(e >> WARP_AT) & 31; }
static inline unsigned entry_lane(uint64_t e) { return (unsigned)(e >> LANE_AT) & 31; }


static inline bool by_async_proxy(uint64_t e) { return (e & (STRONG | VOLATILE | NEAR)) == NEAR; }

/* One that accesses memory: the bits of its entries without the lane, and what is ordered before it. */
struct self {
    uint64_t who;             /* block, warp and time */
    uint64_t start, t0, base; /* what has an earlier time is ordered: anybody's, of the block, of the warp */
    bool simple;              /* only meetings of its block, and of all lanes, order what it does: no other block */
};

static inline uint64_t entry_who(const struct block *b, uint32_t warp, uint32_t time)
{
    return (uint64_t)time << TIME_AT | (uint64_t)race_block_name(b) << BLOCK_AT | (uint64_t)warp << WARP_AT;
}

static inline bool race_simple(const struct warp *w)
{
    const struct order *o = w->order;

    return o->acquired <= w->block->t0 && o->sync_count == 0 && o->known.count == 0 && !o->known.everything;
}

static inline struct self self_of(const struct warp *w)
{
    const struct block *b = w->block;

    return (struct self){entry_who(b, w->index, *b->time), b->launch->start_time, b->t0, w->order->base,
                         race_simple(w)};
}

/* Whether entry `e` is ordered before the access of `mine`, if that is quickly seen. */
static inline uint64_t fine(uint64_t e, uint64_t mine, const struct self *m)
{
    uint64_t other = e ^ mine, t = e >> TIME_AT;

    return (uint64_t)((e & ~SLOW) < m->start << TIME_AT) |
           ((uint64_t)((other & BLOCK_BITS) == 0) & (uint64_t)(t < m->t0)) |
           ((uint64_t)((other & (BLOCK_BITS | WARP_BITS | WARPS_MANY)) == 0) & (uint64_t)(t < m->base)) |
           (uint64_t)((other & (SLOW | BLOCK_BITS | WARP_BITS | LANE_BITS | LANES_MANY | WARPS_MANY)) == 0);
}

/* One entry for both `e` and the access of `mine`. */
static inline uint64_t merge(uint64_t e, uint64_t mine)
{
    uint64_t other = e ^ mine, flags = LANES_MANY | (e & (SLOW | MANY));

    flags |= (other & (BLOCK_BITS | WARP_BITS)) != 0 ? WARPS_MANY : 0;
    flags |= (other & BLOCK_BITS) != 0 ? BLOCKS_MANY | SLOW : 0;
    return mine | flags;
}

/*
 * Whether an atomic of `mine`, strong and simple (race_atomics_quick()), meets only what is ordered before it, or
 * strong: `e` and `x` are the last write and read. *fresh: its entry. `from`: a plain write since then is not replaced,
 * so the answer is false.
 */
static inline bool atomic_fine(uint64_t e, uint64_t x, uint64_t mine, uint8_t flags, const struct self *m,
                               uint64_t from, uint64_t *fresh)
{
    bool strong = e & STRONG, old = e < from << TIME_AT, near = ((e | x | flags) & NEAR) != 0;

    if (!(old || (strong && !near)) || !((x & ~SLOW) < from << TIME_AT || (x & STRONG && !near)))
        return false;
    *fresh = (fine(e, mine, m) ? mine : merge(e, mine) | (e & NEAR)) | flags;
    return true;
}

#endif
