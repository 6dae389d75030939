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
};
struct look race_look(struct warp *w, const struct ins *ins, const struct block *owner, unsigned bytes,
                      enum access access);

/* A load or store without anything special. */
static inline bool race_plain(const struct ins *ins, unsigned bytes, enum access access)
{
    return !(ins->order | ins->guesses | ins->copies) && access != ACCESS_ATOMIC && !(bytes & (bytes - 1));
}

/* An atomic that is strong and orders nothing; and the warp knows nothing of others but by barriers of all. */
static inline bool race_atomics_quick(const struct look *k)
{
    const struct launch *l = k->w->block->launch;

    return k->access == ACCESS_ATOMIC && k->self.simple && !l->grid_order && !l->kernel->fences &&
           !(k->ins->op_is_atomic && k->ins->op == ATOMIC_CAS) && !k->ins->copies && !(k->bytes & (k->bytes - 1));
}

/* A unit: its entries and its bytes. */
struct unit {
    uint64_t *write, *read; /* its entries */
    const char *bytes;      /* in memory */
    unsigned size;
    unsigned offset;        /* in the lane's access */
    uint64_t place;         /* offset in shared memory, or address */
};

/* Checks and notes lane `l`'s access to the unit. address[32]: offsets or addresses of all lanes, or NULL: of this. */
void race_unit(struct look *k, unsigned l, const struct unit *u, const uint64_t *address);

/* What strong accesses make known, and learn, at their words `origin` + address[lane]: to be called around them. */
void race_synchronise(struct look *k, const uint64_t *address, uint64_t origin, bool before);

#endif
