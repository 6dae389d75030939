/*
 * race_launch.c - what a launch needs for the check for races: its first time, and the memory where it may store.
 *
 * What a launch only reads has no race, so accesses there are not looked at. The kernel's code says through which
 * parameters it stores (program_stores.c). The allocations that these point to are marked. If a store goes elsewhere
 * after all, everything is looked at from then on.
 */
#include <string.h>

#include "race.h"
#include "race_entry.h"
#include "device.h"
#include "launch.h"
#include "race_bulk.h"
#include "race_family.h"
#include "race_pages.h"
#include "race_source.h"
#include "settings.h"
#include "contrib/cudasim/base/memory.h"

/* Marks the memory that one of the parameters in `set` points to. False: none points to memory. */
static bool mark_set(const struct launch *l, const struct store_roots *roots, uint64_t set)
{
    bool found = false;

    for (; set; set &= set - 1) {
        uint32_t offset = roots->offsets[__builtin_ctzll(set)];
        uint64_t value;

        if (offset + sizeof value > l->kernel->facts.parameter_bytes)
            continue;
        memcpy(&value, (const char *)l->what->parameters + offset, sizeof value);
        found |= memory_stored(sim_memory(l->sim), value, l->start_time);
    }
    return found;
}

/* Marks the memory where the launch may store. */
static void mark_stores(struct launch *l)
{
    const struct store_roots *roots = l->kernel->function->stores;

    /* The children of a family may store to what it only reads. */
    l->stores_anywhere = !roots || roots->anywhere || l->kernel->stores_anywhere || l->family;
    if (l->stores_anywhere)
        return;
    l->stores_variables = roots->variables;
    for (uint32_t n = 0; n < roots->set_count; n++)
        l->stores_anywhere |= !mark_set(l, roots, roots->sets[n]);
}

bool race_launch_begin(struct launch *l)
{
    bool may_learn = (l->kernel->ordered && l->kernel->fences) || l->cooperative || l->cluster_blocks > 1;

    struct family **family = sim_family(l->sim);

    l->start_time = 1;
    if (!sim_options(l->sim)->check_races)
        return true;
    l->pages = sim_pages(l->sim);
    if (l->pages) {
        l->global_shift = family_shift(*family, l->kernel);
        l->start_time = *family ? pages_go_on(l->pages) : pages_begin(l->pages, l->global_shift, TIME_MOST / 2);
        if (!family_begin(family, l))
            return false;
        mark_stores(l);
    }
    return !may_learn || (l->grid_order = race_grid_create(l->start_time));
}

void race_launch_end(struct launch *l)
{
    if (l->pages && l->grid_order)
        pages_end(l->pages, *race_grid_time(l->grid_order));
    race_grid_destroy(l->grid_order);
    l->grid_order = NULL;
}

void race_block_over(struct block *b)
{
    race_bulk_over(b);
    race_source_over(b);
    if (b->time && b->launch->pages)
        pages_end(b->launch->pages, *b->time);
}
