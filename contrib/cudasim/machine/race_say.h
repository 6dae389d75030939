/*
 * race_say.h - the report of a race.
 */
#ifndef CUDASIM_RACE_SAY_H
#define CUDASIM_RACE_SAY_H

#include "access.h"

/* The other access. */
enum race_with {
    RACE_WITH_WRITE,
    RACE_WITH_ATOMIC,
    RACE_WITH_READ,
    RACE_WITH_COPY,      /* cp.async, not waited for */
    RACE_WITH_SAME_STORE, /* another lane of the same store */
    RACE_WITH_STALE,     /* a store of this launch, which the cache of the read may not have */
    RACE_WITH_PROXY,     /* a store, without a proxy fence before the copy in bulk */
    RACE_WITH_BULK_READ, /* a copy in bulk, whose group was not waited for */
    RACE_WITH_MATRIX_PROXY, /* a store, without a proxy fence before wgmma */
    RACE_WITH_MATRIX_READ,  /* wgmma, whose group was not waited for */
    RACE_WITH_SOURCE     /* a copy to shared memory that reads there, not waited for */
};

struct race_report {
    const struct block *owner; /* of shared memory; NULL: global */
    uint64_t place;            /* offset or address */
    unsigned bytes;
    enum access access;
    enum race_with with;
    uint32_t block;            /* name of the other's */
    unsigned warp, lane;
    bool several;              /* there are further ones, */
    bool of_warps;             /* in other warps */
    uint64_t elsewhere;        /* the entry, if it is of another grid of the family; else 0 */
};

/* "read", "write" or "atomic operation". */
const char *access_verb(enum access access);

/* The last part of a mangled variable's name: "tile" of f(int)::tile. */
void variable_title(const char *mangled, char *name, size_t size);

/* Warns at `ins`, which lane `lane` of `w` executes. */
void race_say(struct warp *w, const struct ins *ins, unsigned lane, const struct race_report *r);

#endif
