/*
 * race_visits.h - accesses to the shared memory of another block of the cluster, until that block ends.
 *
 * A block must not end while others may still access its shared memory. If it ends first, access.c reports the access.
 * If the access came first by luck, the end of the block reports it.
 */
#ifndef CUDASIM_RACE_VISITS_H
#define CUDASIM_RACE_VISITS_H

#include "access.h"
#include "machine.h"

#define VISITS 64

/* The last plain access of a warp to a block's shared memory. */
struct visit {
    const struct block *owner; /* NULL: none */
    struct warp *w;
    const struct ins *ins;
    unsigned lane;
    uint32_t time;
    enum access access;
};

struct visits {
    struct visit list[VISITS]; /* a ring */
    uint32_t count;
};

void visits_note(struct visits *visits, struct warp *w, const struct ins *ins, unsigned lane,
                 const struct block *owner, enum access access);

/* The last thread of a block ends. Reports visits that nothing orders before this. */
void visits_leave(const struct block *owner);

#endif
