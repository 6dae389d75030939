/*
 * race_check.h - checks an access to one unit of memory for races.
 */
#ifndef CUDASIM_RACE_CHECK_H
#define CUDASIM_RACE_CHECK_H

#include "race.h"
#include "race_entry.h"
#include "contrib/cudasim/base/atomic.h"

/* An instruction that is looked at. */
struct look {
    struct warp *w;
    const struct ins *ins;
    const struct block *owner; /* of shared memory; NULL: global */
    struct self self;
    enum access access;
    uint8_t flags;             /* of its entries */
    unsigned bytes;            /* a lane */
    bool quiet;                /* something was reported */
    bool stores;               /* the values that it writes are in registers */
    bool by_value;             /* what was noted depended on them */
    uint32_t lanes;            /* of the instruction that access the same memory */
};
struct look race_look(struct warp *w, const struct ins *ins, const struct block *owner, unsigned bytes,
                      enum access access);

/* A load or store without anything special. */
static inline bool race_plain(const struct ins *ins, unsigned bytes, enum access access)
{
    return !(ins->order | ins->guesses | ins->copies) && access != ACCESS_ATOMIC && !(bytes & (bytes - 1));
}

static inline bool race_is_swap(const struct ins *ins) { return ins->op_is_atomic && ins->op == ATOMIC_CAS; }

/* An atomic that is strong and orders nothing; and the warp knows nothing of others but by barriers of all. */
static inline bool race_atomics_quick(const struct look *k)
{
    const struct launch *l = k->w->block->launch;

    return k->access == ACCESS_ATOMIC && k->self.simple && !l->grid_order && !l->kernel->fences &&
           !k->ins->copies && !(k->bytes & (k->bytes - 1));
}

/*
 * Whether fine() alone decides: what is not fine is not ordered. So it is of plain accesses of a warp that knows of
 * others by barriers of its block alone.
 */
static inline bool race_fine_decides(const struct look *k)
{
    return k->self.simple && !k->flags && !k->ins->cached && (k->owner || !k->w->block->launch->grid_order);
}

/* Counts a race at an instruction where one was reported before. False: none was, so this one must be. */
bool race_said(struct look *k);

/* Whether another worker may still have to do the store of `e`. Then its value is unknown. */
bool race_in_flight(const struct look *k, uint64_t e);

/* Whether `x` is a read of this warp alone that was over when its lanes exchanged registers. */
static inline bool race_read_before(const struct look *k, uint64_t x)
{
    return !(((x ^ k->self.who) & (BLOCK_BITS | WARP_BITS)) | (x & WARPS_MANY)) &&
           entry_time(x) < k->w->order->reads_base;
}

/* Whether `e` was noted by the warp since time went on: perhaps by the same instruction. */
static inline bool race_of_this_time(const struct look *k, uint64_t e)
{
    return !((e ^ k->self.who) & (TIME_BITS | BLOCK_BITS | WARP_BITS));
}

/* What is to be done with a unit of which race_again() knows enough. */
enum again {
    AGAIN_ASK,  /* it does not: race_unit() must look */
    AGAIN_NOTE, /* note the access */
    AGAIN_LEAVE /* the store changes nothing: the entry stays */
};

/* race_unit() for an access where race_fine_decides(). `same`: a store of what is in memory. */
static inline enum again race_again(struct look *k, uint64_t e, uint64_t x, uint64_t mine, bool same)
{
    bool read = k->access == ACCESS_READ, after_write = !fine(e, mine, &k->self),
         after_read = !read && !fine(x, mine, &k->self) && !race_read_before(k, x);

    if (after_write && (e & UNDER_WAY || (!read && race_of_this_time(k, e))))
        return AGAIN_ASK;
    if (read)
        return !after_write || e & WRITTEN_BACK || race_said(k) ? AGAIN_NOTE : AGAIN_ASK;
    if (after_write ? same || race_in_flight(k, e) : after_read && same && k->ins->writes_back) {
        k->by_value = true;
        return AGAIN_LEAVE;
    }
    return !(after_write || after_read) || race_said(k) ? AGAIN_NOTE : AGAIN_ASK;
}

/* A unit: its entries and its bytes. */
struct unit {
    uint64_t *write, *read; /* its entries */
    const char *bytes;      /* in memory */
    unsigned size;
    unsigned offset;        /* in the lane's access */
    uint64_t place;         /* offset in shared memory, or address */
};

/*
 * Whether lane `l`'s compare-and-swap would not find the value that it expects at `word`. Then it only reads.
 */
bool race_only_compares(const struct look *k, unsigned l, const void *word);

/* Checks and notes lane `l`'s access to the unit. address[32]: offsets or addresses of all lanes, or NULL: of this. */
void race_unit(struct look *k, unsigned l, const struct unit *u, const uint64_t *address);

/* Checks a read, and does not note it. */
void race_only_reads(struct look *k, unsigned l, const struct unit *u);

/* What strong accesses make known, and learn, at their words `origin` + address[lane]: to be called around them. */
void race_synchronise(struct look *k, const uint64_t *address, uint64_t origin, bool before);

#endif
