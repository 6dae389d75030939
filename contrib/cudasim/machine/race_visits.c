/*
 * race_visits.c - finds blocks that end while their cluster may still access their shared memory.
 *
 * race_shared.c notes accesses; warp.c says when a block ends.
 */
#include "race_visits.h"

#include "fault.h"
#include "race_order.h"
#include "race_say.h"

void visits_note(struct visits *visits, struct warp *w, const struct ins *ins, unsigned lane,
                 const struct block *owner, enum access access)
{
    struct visit *v = NULL;

    if (owner == w->block || ins->copies || ins->order || ins->op_is_atomic)
        return;
    for (unsigned n = 0; n < VISITS && !v; n++)
        if (visits->list[n].owner == owner && visits->list[n].w == w)
            v = &visits->list[n];
    if (!v)
        v = &visits->list[visits->count++ % VISITS];
    *v = (struct visit){owner, w, ins, lane, *w->block->time, access};
}

/* Whether a warp of the block knows that the visit is over. */
static bool is_over(const struct block *owner, const struct visit *v)
{
    uint32_t name = race_block_name(v->w->block);
    bool over = v->time < owner->cluster_met;

    for (uint32_t n = 0; n < owner->warp_count && !over; n++)
        over = race_blocks_ordered(&owner->warps[n], v->time, name, v->w->index, v->lane) ||
               race_read_over(&owner->warps[n], v->time, name, v->w->index, v->lane);
    return over;
}

void visits_leave(const struct block *owner)
{
    struct visits *visits = owner->time && owner->cluster ? race_grid_visits(owner->launch->grid_order) : NULL;

    for (unsigned n = 0; visits && n < VISITS; n++) {
        struct visit *v = &visits->list[n];

        if (v->owner != owner)
            continue;
        if (!is_over(owner, v))
            fault_warn(v->w, v->ins, v->lane, FAULT_SHARED_RACE, 0,
                       "%s of shared memory of block (%u,%u,%u), which may have ended: no barrier of the cluster "
                       "follows",
                       access_verb(v->access), owner->id[0], owner->id[1], owner->id[2]);
        v->owner = NULL;
    }
}
