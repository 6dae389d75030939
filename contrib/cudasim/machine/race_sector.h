/*
 * race_sector.h - one word for the entries of the 8 units of a sector, as long as they were accessed alike.
 *
 * A sector's word is an entry as in race_entry.h, but its low 4 bits are the form:
 *
 *   FORM_FULL + per     each lane accessed 1 << per units of the sector; the word is the entry of its first unit
 *   FORM_SINGLE + unit  one unit was accessed; the word is its entry
 *   0                   the units have entries of their own: see sector_expand()
 *
 * A word with a time before the launch says that the launch did not touch the sector. So no form can hold entries with
 * one of the low 4 flags.
 */
#ifndef CUDASIM_RACE_SECTOR_H
#define CUDASIM_RACE_SECTOR_H

#include "race_entry.h"

#define SECTOR_SHIFT 3
#define SECTOR_UNITS 8u
#define FORM_BITS 15ull
#define FORM_FULL 1u
#define FORM_SINGLE 8u

static inline bool sector_live(uint64_t word, uint64_t start) { return (word & ~SLOW) >= start << TIME_AT; }

static inline bool sector_expanded(uint64_t word, uint64_t start)
{
    return sector_live(word, start) && !(word & FORM_BITS);
}

/* The entry of one unit. `units` are the units' own entries. */
static inline uint64_t sector_entry(uint64_t word, const uint64_t *units, unsigned unit, uint64_t start)
{
    unsigned form = (unsigned)(word & FORM_BITS);

    if (!sector_live(word, start))
        return 0;
    if (!form)
        return units[unit];
    if (form >= FORM_SINGLE)
        return form - FORM_SINGLE == unit ? word & ~FORM_BITS : 0;
    return (word & ~FORM_BITS) + ((uint64_t)(unit >> (form - FORM_FULL)) << LANE_AT);
}

/*
 * Gives the units entries of their own. Units of a sector that the launch did not touch have entries of earlier
 * launches, which may stay.
 */
static inline void sector_expand(uint64_t *word, uint64_t *units, const struct self *m)
{
    uint64_t was = *word;

    if (sector_expanded(was, m->start))
        return;
    if (sector_live(was, m->start))
        for (unsigned u = 0; u < SECTOR_UNITS; u++)
            units[u] = sector_entry(was, NULL, u, m->start);
    __atomic_store_n(word, SLOW | (m->who & TIME_BITS), __ATOMIC_RELEASE);
}

/* fine() for all units of a sector at once. An expanded sector is never so: its word has SLOW and no form. */
static inline bool sector_fine(uint64_t e, uint64_t mine, const struct self *m)
{
    uint64_t other = e ^ mine, t = e >> TIME_AT;

    return !sector_live(e, m->start) || ((other & BLOCK_BITS) == 0 && t < m->t0) ||
           ((other & (BLOCK_BITS | WARP_BITS | WARPS_MANY)) == 0 && t < m->base) ||
           (other & (SLOW | BLOCK_BITS | WARP_BITS | LANE_BITS | LANES_MANY | WARPS_MANY | FORM_BITS)) == 0;
}

/* Whether merge() does the same to all units: their reads differ in more than the lane, or in the lane everywhere. */
static inline bool sector_merges(uint64_t e, uint64_t mine)
{
    unsigned form = (unsigned)(e & FORM_BITS);
    uint64_t other = e ^ mine;

    return form && form < FORM_SINGLE && ((other & (BLOCK_BITS | WARP_BITS | LANES_MANY | WARPS_MANY)) != 0 ||
                                          (!(other & FORM_BITS) && other & LANE_BITS));
}

#endif
