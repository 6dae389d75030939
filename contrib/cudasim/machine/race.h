/*
 * race.h - the check for races, as bodies of instructions, access.c, block.c and launch.c call it.
 *
 * Every function may be called without the check. Then it does nothing, or only notes what was written.
 */
#ifndef CUDASIM_RACE_H
#define CUDASIM_RACE_H

#include "access.h"
#include "race_order.h"
#include "contrib/cudasim/base/memory.h"

/*
 * The addresses of the lanes' first bytes: in no known order, one behind the other, or all the same. Also the least and
 * the greatest address.
 */
enum spread { SPREAD_ANY, SPREAD_CONSECUTIVE, SPREAD_UNIFORM };
struct extent {
    enum spread spread;
    uint64_t low, high;
};

/*
 * Checks and notes an access of `bytes` a lane: offsets[32] into the block's shared memory, of lanes in w->mask. The
 * least and the greatest offset are in `low_high`, the other facts in `how`: both travel in registers.
 */
static inline uint64_t race_low_high(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }
static inline uint32_t race_how(unsigned bytes, enum access access, enum spread spread)
{
    return bytes | (uint32_t)access << 16 | (uint32_t)spread << 24;
}
void race_shared(struct warp *w, const struct ins *ins, const uint32_t *offsets, uint64_t low_high, uint32_t how);

/* One lane's access to the shared memory of another block of the cluster. */
void race_remote(struct warp *w, const struct ins *ins, unsigned lane, struct block *owner, uint32_t offset,
                 unsigned bytes, enum access access);

/* Of global memory: the addresses in w->address. */
void race_global(struct warp *w, const struct ins *ins, unsigned bytes, enum access access, struct extent extent);

/*
 * Whether an access to that memory may be part of a race: the launch may store there. A store where none was expected
 * makes all memory such.
 */
static inline bool race_watches(struct launch *l, const struct region *r, enum access access)
{
    if (__atomic_load_n(&l->stores_anywhere, __ATOMIC_RELAXED) ||
        __atomic_load_n(&r->stored, __ATOMIC_RELAXED) == l->start_time ||
        (l->stores_variables && r->kind == REGION_GLOBAL))
        return true;
    if (access == ACCESS_READ)
        return false;
    __atomic_store_n(&l->stores_anywhere, true, __ATOMIC_RELAXED);
    return true;
}

/* A fence of the warp. */
void race_fence(struct warp *w, enum scope scope);

/* The lanes `lanes` of the warp met. */
void race_lanes_meet(struct warp *w, uint32_t lanes);

/*
 * The lanes `lanes` exchanged registers, by a shuffle or a vote. This orders no memory. But an earlier read of one lane
 * is over when another lane writes after the exchange. Every device so far does this; cooperative groups rely on it.
 */
void race_lanes_pass(struct warp *w, uint32_t lanes);

/* Lanes arrive at a barrier of the block; the waiting lanes of a warp go on; the barrier is over; all lanes met. */
void race_arrive(struct warp *w, struct barrier *x, uint32_t lanes);
void race_release(struct block *b, struct barrier *x, uint32_t warp, uint32_t lanes);
void race_barrier_done(struct block *b, unsigned number);
void race_block_meets(struct block *b);

/*
 * Other warps met at the barrier, by a count, and nothing orders that with the arrival of `w`: in another run it may
 * take the place of one of them. Asked before the arrival is noted.
 */
bool race_barrier_taken(const struct warp *w, const struct barrier *x);

/* The blocks of a cluster met. It `orders` what they did, unless all arrived by `.relaxed` and without a fence. */
void race_cluster_meets(struct block **group, uint32_t count, bool orders);

/*
 * Asynchronous copies: a group ends; all but the last `but` groups were waited for (COPIES_ALL: all copies). `stores`:
 * those in bulk to global memory.
 */
#define COPIES_ALL UINT32_MAX
void race_commit(struct warp *w, bool stores);
void race_wait_copies(struct warp *w, uint32_t but, bool stores);

/* An mbarrier's arrival. `release`: it makes known what the lanes did; else only what a fence has made known. */
void race_mbarrier_arrive(struct warp *w, uint64_t address, uint32_t lanes, bool release);
/* A bulk copy of those lanes, which was issued now, will be waited for by the mbarrier. */
void race_mbarrier_copies(struct warp *w, uint64_t address, uint32_t lanes);

/* Its phase ended; a wait for that succeeded. `acquire`: it orders what follows, else a fence after it does. */
void race_mbarrier_flip(struct warp *w, uint64_t address);
void race_mbarrier_wait(struct warp *w, uint64_t address, bool acquire);

/* A block that starts: the system wrote its shared memory at offsets [from, to). */
void race_shared_start(struct block *b, uint32_t from, uint32_t to);

/* Makes and frees what a launch needs for the check. False: no memory. */
bool race_launch_begin(struct launch *l);
void race_launch_end(struct launch *l);

/* A block ended. */
void race_block_over(struct block *b);

#define SHARED_LOG 65536 /* words of a block's log of reads */

#endif
