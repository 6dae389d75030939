/*
 * race_order.h - what happened before what: the happens-before relation of PTX's memory model, for race_check.c.
 *
 * Time is a counter. It goes up when a warp synchronises. There is one per block, or one per launch if blocks may learn
 * from each other. An access has the time at which it was done. A warp knows for each other warp up to which time the
 * other's accesses are ordered before its own.
 *
 * If the order is uncertain, the accesses count as ordered. So the answer "not ordered" is reliable, and the answer
 * "ordered" may be wrong.
 */
#ifndef CUDASIM_RACE_ORDER_H
#define CUDASIM_RACE_ORDER_H

#include "machine.h"

/* What a block tells other blocks: all accesses before `all`; of some warps and lanes also those before `some`. */
struct front {
    uint32_t all, some, warps, lanes;
};

#define SYNCS 24  /* meetings of a part of a warp's lanes that are remembered since all met */
#define WAITS 64  /* waits for asynchronous copies that are remembered */
#define COMMITS 16

/*
 * A plain access of a warp to global memory. If it is done again before time goes on, nothing is to be noted: a thread
 * that is not ordered with the second one is not ordered with the first one.
 */
struct last_access {
    uint32_t time, mask;
    uint32_t how;              /* bytes a lane, and whether it reads: race_global.c's own */
    uint64_t address[LANES];
};
#define RECENTS 4

/* Asynchronous copies of a warp. */
struct copy_order {
    uint32_t commits[COMMITS]; /* when groups of them were committed, a ring */
    uint32_t commit_count;
    uint32_t wait_count;       /* of waits[], a ring: copies issued before `upto` were waited for at `at` */
    struct { uint32_t upto, at; bool remote; } waits[WAITS]; /* remote: only of copies to other blocks */
    /* Chunks of shared memory (see struct block) to which copies go that no wait is for yet: not in a group, and of the
       groups of commits[]. Not of copies in bulk. */
    uint64_t open_chunks, group_chunks[COMMITS];
};

/* A warp's part in the order. */
struct order {
    uint32_t base;       /* the warp's own accesses before this time are ordered before all its lanes' */
    bool touched;        /* it accessed memory since the last meeting */
    uint32_t reads_base; /* its reads before this time are ordered before its writes */
    uint32_t acquired;   /* when it last learnt something */
    uint32_t sync_count; /* of syncs[], the oldest first; at the limit the oldest is taken as a meeting of all */
    struct { uint32_t at, lanes; } syncs[SYNCS];
    enum scope released_scope; /* of its last fence; SCOPE_NONE: none yet */
    bool pending_any;          /* strong reads since the last fence brought something */
    struct front front;        /* as it was at its last fence for the device */
    struct copy_order copies;  /* to shared memory */
    struct seen clock[WARPS_PER_BLOCK];    /* what it knows of the block's other warps; see race_block_start() */
    struct seen released[WARPS_PER_BLOCK]; /* its clock and itself, at its last fence */
    struct seen pending[WARPS_PER_BLOCK];  /* what a fence would make it know */
    struct knowledge known, pending_known; /* of other blocks */
    uint32_t recent_count;     /* of recent[], a ring */
    struct last_access recent[RECENTS];
    struct copy_order stores;  /* copies in bulk to global memory */
};

/* A word with which warps of a block synchronise. */
struct meeting {
    uint64_t address; /* 0: unused */
    uint32_t copied[WARPS_PER_BLOCK]; /* of an mbarrier: it waits for each warp's copies before this time; 0: none */
    struct seen clock[WARPS_PER_BLOCK];
};

/* The name of a block in entries of race_entry.h. Blocks 2^22 apart have the same name. */
#define BLOCK_NAMES (1u << 22)
static inline uint32_t race_block_name(const struct block *b)
{
    return ((uint32_t)b->number + b->launch->name_base) & (BLOCK_NAMES - 1);
}

/* The knowledge that a launch's blocks exchange. It exists only if they may; then one worker runs all of them. */
struct grid_order;
struct grid_order *race_grid_create(uint32_t time);
void race_grid_destroy(struct grid_order *grid);
uint32_t *race_grid_time(struct grid_order *grid);
struct visits *race_grid_visits(struct grid_order *grid); /* race_visits.h; NULL without `grid` */

/* Fresh parts for a block that starts: its warps', and its own. */
void race_block_start(struct block *b);
void race_block_end(struct block *b);

/*
 * Whether what lane `other` of warp `warp` did at `time` is before what lane `l` of the same warp does now. `o` is the
 * warp's own. LANES: any other lane.
 */
bool race_lanes_ordered(const struct order *o, unsigned warp, uint32_t time, unsigned other, unsigned l);

/* Whether what that lane of another warp of the block did at `time` is before what the warp of `o` does now. */
bool race_warps_ordered(const struct order *o, uint32_t time, unsigned warp, unsigned lane);

/* The same for a warp of another block, before what `w` does now. */
bool race_blocks_ordered(const struct warp *w, uint32_t time, uint32_t block, unsigned warp, unsigned lane);

/*
 * Whether a read by that lane was over before a strong store of its block that `w` has seen, with a fence or without.
 * The model allows a later write to come before such a read. No GPU does this, because the reader has its value.
 */
bool race_read_over(const struct warp *w, uint32_t time, uint32_t block, unsigned warp, unsigned lane);

/*
 * The time of the wait for the lane's asynchronous copy of `time`, to its own block, or `remote`: to another one.
 * False: there was no wait. race_store_done(): likewise for a copy in bulk to global memory.
 */
bool race_copy_done(const struct warp *w, uint32_t time, bool remote, uint32_t *at);
bool race_store_done(const struct warp *w, uint32_t time, uint32_t *at);

/* Copies of before `upto` were waited for at the time `at`; `remote`: only those to other blocks. */
void race_note_wait(struct copy_order *o, uint32_t upto, uint32_t at, bool remote);

/* Chunks of the block's shared memory to which copies go that nobody has waited for. */
uint64_t race_copies_under_way(const struct block *b);

/*
 * The warp has told others something. It gives way at its next jump backwards, so those who wait go on at once, as on a
 * GPU. If it ran ahead, all that it does would come before what the others do, also where the program does not say so.
 */
static inline void race_give_way(struct warp *w) { w->budget = 1; }

/* The lanes `lanes` make a strong access to a word. They leave there what they released, and learn what is there. */
void race_publish(struct warp *w, uint64_t address, uint32_t lanes, enum scope scope, bool release, bool store);
void race_acquire(struct warp *w, uint64_t address, enum scope scope, bool acquire);

#endif
