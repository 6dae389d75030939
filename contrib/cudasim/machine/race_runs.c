/*
 * race_runs.c - handles entries of many units at once. The compiler turns its loops into vector instructions.
 */
#pragma GCC optimize("O3") /* vectors, whatever the rest is compiled with */

#include "race_runs.h"

static inline uint64_t mine_at(uint64_t who, uint32_t i, unsigned per)
{
    return who + ((uint64_t)(i >> per) << LANE_AT);
}

CLONES bool run_fine(const uint64_t *entries, uint32_t n, unsigned per, const struct self *m)
{
    struct self self = *m;
    uint64_t good = 1;

    for (uint32_t i = 0; i < n; i++)
        good &= fine(entries[i], mine_at(self.who, i, per), &self);
    return good;
}

CLONES bool run_has_zero(const uint64_t *entries, uint32_t n)
{
    uint64_t zero = 0;

    for (uint32_t i = 0; i < n; i++)
        zero |= (uint64_t)(entries[i] == 0);
    return zero;
}

CLONES bool run_has_copy(const uint64_t *entries, uint32_t n)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < n; i++)
        all |= entries[i];
    return all & UNDER_WAY;
}

CLONES void run_put(uint64_t *entries, uint32_t n, unsigned per, uint64_t who)
{
    for (uint32_t i = 0; i < n; i++)
        entries[i] = mine_at(who, i, per);
}

CLONES void run_read(uint64_t *entries, uint32_t n, unsigned per, const struct self *m)
{
    struct self self = *m;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t mine = mine_at(self.who, i, per), e = entries[i], both = merge(e, mine);

        entries[i] = fine(e, mine, &self) ? mine : both;
    }
}

CLONES bool offsets_in_halves(const uint32_t *offsets, uint32_t *steps)
{
    uint32_t first = offsets[0], next = offsets[1] - first, far = offsets[HALF] - first, other = 0;

    for (uint32_t l = 0; l < HALF; l++)
        other |= (offsets[l] ^ (first + l * next)) | (offsets[HALF + l] ^ (first + far + l * next));
    steps[0] = next;
    steps[1] = far;
    return other == 0;
}

/* Stores the lanes' entries. False: two lanes have one unit; all get `instead`. */
static inline bool store_all(uint64_t *entries, const struct lane_units *u, uint64_t instead)
{
    uint64_t other = 0;

#pragma GCC ivdep
    for (uint32_t n = 0; n < u->count; n++)
        entries[u->at[n]] = u->mine[n];
    for (uint32_t n = 0; n < u->count; n++)
        other |= entries[u->at[n]] ^ u->mine[n];
    if (!other)
        return true;
    for (uint32_t n = 0; n < u->count; n++)
        entries[u->at[n]] = instead;
    return false;
}

static inline bool all_fine(const uint64_t *entries, const struct lane_units *u, const struct self *m)
{
    struct self self = *m;
    uint64_t good = 1;

    for (uint32_t n = 0; n < u->count; n++)
        good &= fine(entries[u->at[n]], u->mine[n], &self);
    return good;
}

CLONES bool units_fine(const uint64_t *entries, const struct lane_units *u, const struct self *m)
{
    return all_fine(entries, u, m);
}

/* What a read with `flags` makes of the entry of a read: as note_read() in race_check.c for what is not ordered(). */
static inline uint64_t read_after(uint64_t e, uint64_t mine, uint64_t flags, const struct self *m)
{
    uint64_t kept = flags ? e & (flags | NEAR) : 0;

    return fine(e, mine, m) ? mine | flags : merge(e, mine) | kept;
}

CLONES bool units_read(uint64_t *entries, const struct lane_units *u, uint64_t flags, const struct self *m)
{
    struct self self = *m;
    uint64_t before[LANES], fresh[LANES], other = 0;

    for (uint32_t n = 0; n < u->count; n++) {
        before[n] = entries[u->at[n]];
        fresh[n] = read_after(before[n], u->mine[n], flags, &self);
    }
#pragma GCC ivdep
    for (uint32_t n = 0; n < u->count; n++)
        entries[u->at[n]] = fresh[n];
    for (uint32_t n = 0; n < u->count; n++)
        other |= entries[u->at[n]] ^ fresh[n];
    if (!other)
        return true;
    for (uint32_t n = 0; n < u->count; n++)
        entries[u->at[n]] = before[n];
    return false;
}

CLONES bool units_put(uint64_t *entries, const struct lane_units *u, uint64_t nobody)
{
    return store_all(entries, u, nobody);
}

CLONES bool units_write(uint64_t *writes, const uint64_t *reads, const struct lane_units *u, const struct self *m,
                        uint64_t nobody)
{
    return all_fine(writes, u, m) && all_fine(reads, u, m) && store_all(writes, u, nobody);
}

CLONES void shared_read(uint64_t *entries, uint32_t n, unsigned first, unsigned last, uint64_t flags,
                        const struct self *m)
{
    struct self self = *m;
    uint64_t one = self.who | (uint64_t)first << LANE_AT, other = self.who | (uint64_t)last << LANE_AT;

    for (uint32_t i = 0; i < n; i++)
        entries[i] = read_after(read_after(entries[i], one, flags, &self), other, flags, &self);
}

CLONES void pairs_read(uint64_t *entries, int32_t stride, uint32_t n, uint64_t flags, const struct self *m)
{
    struct self self = *m;

    for (uint32_t i = 0; i < n; i++)
#pragma GCC ivdep
        for (int32_t l = 0; l < (int32_t)HALF; l++) {
            uint64_t *e = entries + l * stride + i, one = self.who + ((uint64_t)l << LANE_AT);

            *e = read_after(read_after(*e, one, flags, &self), one + ((uint64_t)HALF << LANE_AT), flags, &self);
        }
}

CLONES void offsets_of_halves(uint32_t first, const uint32_t *steps, uint32_t *offsets)
{
    for (uint32_t l = 0; l < HALF; l++) {
        offsets[l] = first + l * steps[0];
        offsets[HALF + l] = first + steps[1] + l * steps[0];
    }
}

CLONES void units_of_all(struct lane_units *u, uint64_t who, unsigned shift, const uint32_t *offsets)
{
    u->count = LANES;
    for (uint32_t l = 0; l < LANES; l++) {
        u->at[l] = offsets[l] >> shift;
        u->mine[l] = who | (uint64_t)l << LANE_AT;
    }
}

CLONES bool units_written(const uint64_t *entries, const uint32_t *offsets, unsigned shift)
{
    uint64_t zero = 0;

    for (uint32_t l = 0; l < LANES; l++)
        zero |= (uint64_t)(entries[offsets[l] >> shift] == 0);
    return !zero;
}
