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
