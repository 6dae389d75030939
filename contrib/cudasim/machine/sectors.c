/*
 * sectors.c - the cost of memory accesses: distinct sectors of global memory, and passes over the banks of shared
 * memory. It also notes which sectors of the device's memory were touched at all.
 *
 * access.c and the bodies of memory instructions call it, for the counts alone.
 */
#include <string.h>

#include "sectors.h"

/* Distinct 32-byte sectors of the accesses: a small hash table, emptied by a new generation. */
unsigned access_sectors(struct worker *k, const uint64_t *address, uint32_t mask, unsigned bytes)
{
    unsigned count = 0;

    if (++k->generation == 0) {
        memset(k->sector_generation, 0, sizeof k->sector_generation);
        k->generation = 1;
    }
    EVERY_LANE(l, mask)
    {
        for (uint64_t s = address[l] >> 5; s <= (address[l] + bytes - 1) >> 5; s++) {
            unsigned at = (unsigned)((s * 0x9E3779B97F4A7C15u) >> 57);

            while (k->sector_generation[at] == k->generation && k->sector_tags[at] != s)
                at = (at + 1) & 127;
            if (k->sector_generation[at] != k->generation) {
                k->sector_generation[at] = k->generation;
                k->sector_tags[at] = s;
                count++;
            }
        }
    }
    return count;
}

/* Several workers may note sectors of one word. */
void access_touch(struct touched *t, uint64_t first, uint64_t last)
{
    uint64_t from = (first - t->origin) >> 5, to = (last - t->origin) >> 5;

    if (first < t->origin || to >= t->sectors) /* the program's own memory, registered */
        return;
    while (from <= to) {
        uint64_t word = from >> 6, end = word == to >> 6 ? to & 63 : 63;
        uint64_t set = (~0ull >> (63 - end)) & (~0ull << (from & 63));

        if ((__atomic_load_n(&t->bits[word], __ATOMIC_RELAXED) & set) != set) {
            __atomic_fetch_or(&t->bits[word], set, __ATOMIC_RELAXED);
            __atomic_store_n(&t->pages[word / TOUCHED_PAGE], 1, __ATOMIC_RELAXED);
        }
        from = (word + 1) << 6;
    }
}

void access_touch_lanes(struct touched *t, const uint64_t *address, uint32_t mask, unsigned bytes)
{
    EVERY_LANE(l, mask)
        access_touch(t, address[l], address[l] + bytes - 1);
}

/* Passes of one group of lanes: the most distinct words that one of the 32 banks has to serve. */
static unsigned group_passes(const uint32_t *offsets, uint32_t mask, unsigned words)
{
    uint32_t list[LANES][LANES], used[LANES] = {0}, seen = 0, most = 0;
    bool conflict = false;

    EVERY_LANE(l, mask)
    {
        for (unsigned n = 0; n < words; n++) {
            uint32_t bank = 1u << (((offsets[l] >> 2) + n) & 31);

            conflict |= (seen & bank) != 0;
            seen |= bank;
        }
    }
    if (!conflict)
        return 1;
    EVERY_LANE(l, mask)
    {
        for (unsigned n = 0; n < words; n++) {
            uint32_t word = (offsets[l] >> 2) + n, bank = word & 31, at = 0;

            while (at < used[bank] && list[bank][at] != word)
                at++;
            if (at < used[bank])
                continue;
            list[bank][used[bank]++] = word;
            most = used[bank] > most ? used[bank] : most;
        }
    }
    return most;
}

/*
 * Passes of a request: 32 banks of 4 bytes; accesses of 8 bytes are served by halves of the warp, of 16 by quarters
 * (CUDA C++ Best Practices Guide, "Shared Memory and Memory Banks").
 */
unsigned access_passes(const uint32_t *offsets, uint32_t mask, unsigned bytes)
{
    unsigned words = bytes <= 4 ? 1 : bytes / 4, lanes = LANES / (words > 8 ? 8 : words), passes = 0;

    for (unsigned first = 0; first < LANES; first += lanes) {
        uint32_t group = lanes == LANES ? mask : mask & (((1u << lanes) - 1) << first);

        if (group)
            passes += group_passes(offsets, group, words > 4 ? 4 : words);
    }
    return passes;
}
