/*
 * race_apart.h - the check of accesses to global memory with AVX-512: eight lanes that are apart, or the eight units of
 * a sector, at once.
 *
 * race_global.c calls it where the processor has AVX-512 (page_map.wide), and does itself what is left.
 */
#ifndef CUDASIM_RACE_APART_H
#define CUDASIM_RACE_APART_H

#include "race_check.h"

#define APART_MOST 3 /* `per` of a whole sector */

/* Lanes that access 1 << per units each, of one sector: `address` are those of the whole warp. */
struct apart {
    const uint64_t *address; /* [32] */
    const void *values;      /* [32] words of k->bytes that the lanes store, if these can be compared; else NULL */
    unsigned shift;          /* log2 of the bytes of a unit */
    unsigned per;            /* 0 to APART_MOST; if it is not 0, no values are compared */
};

/*
 * Checks and notes the accesses of the lanes of `lanes` from *first on, eight at once. It stops behind eight lanes of
 * which some need more care, and returns these; nothing was noted of them. *first is where to go on. k->by_value is set
 * if what was noted depended on the values.
 */
uint32_t race_apart(struct look *k, const struct apart *a, unsigned *first, uint32_t lanes);

/*
 * Some units of one sector, which lanes access one behind the other, and what is kept of the sector. Units before the
 * first one have lanes by the same rule, so lane0 may be negative.
 */
struct sector_units {
    uint64_t write, read;                     /* its words; 0: the launch did not write, or read, in this page */
    const uint64_t *write_units, *read_units; /* [8] entries of the units, if the word says that they have some */
    uint64_t *own, *own_units;                /* the word and the entries of accesses of this kind */
    unsigned unit, count;                     /* the first, how many */
    unsigned per;                             /* log2 of the units from a lane's to the next one's */
    int lane0;                                /* the lane of the sector's unit 0 */
    unsigned lanes;                           /* so many lanes read these units, if it is not 1 */
    uint8_t some;                             /* a bit for each unit, if they do not lie side by side; else 0 */
    const void *values;                       /* [32] words that lanes store, if these can be compared; else NULL */
    const char *there;                        /* the sector's first byte in memory */
};

/* Checks and notes the access. False: the order is not quickly seen, and nothing was noted. */
bool race_sector_eight(struct look *k, const struct sector_units *s);

#endif
