/*
 * race_matrix.c - races of wgmma with shared memory. It reads its operands later than it is issued, and by a way of its
 * own (the asynchronous proxy). Three mistakes: it reads what another warp wrote and nothing orders the two; it reads
 * what threads stored without fence.proxy.async since then; or somebody stores again before wgmma.wait_group says that
 * it has read.
 *
 * Four warps issue a product together, and one of them may wait for all four. So what a product reads is noted for its
 * warpgroup. A note is of 16 bytes. It holds the warpgroup and the number of its group of products.
 *
 * The body of wgmma tells what it reads. race_shared.c asks at each store. Only the block's own shared memory is looked
 * at.
 */
#include "race_matrix.h"

#include <stdlib.h>

#include "race_check.h"
#include "race_say.h"

enum { WARPGROUP = 4, UNIT_SHIFT = 4, GROUP_AT = 28 /* bits of a group's number; above them the warpgroup, plus 1 */ };

struct matrix_reads {
    uint32_t ended[WARPS_PER_BLOCK];            /* groups of products that each warp ended */
    uint32_t done[WARPS_PER_BLOCK / WARPGROUP]; /* the last group that a warp of the warpgroup waited for */
    uint32_t notes[];                           /* [shared_size / 16] */
};

static struct matrix_reads *notes_of(struct block *b)
{
    if (!b->matrix_reads)
        b->matrix_reads = calloc(1, sizeof *b->matrix_reads +
                                        ((b->shared_size >> UNIT_SHIFT) + 1) * sizeof *b->matrix_reads->notes);
    return b->matrix_reads;
}

struct matrix_read race_matrix_begin(struct warp *w, const struct ins *ins)
{
    return (struct matrix_read){w, ins, 0, w->order && w->block->writes && *w->block->time < TIME_MOST};
}

/* Whether the store of `e` lacks a proxy fence. */
static bool is_unfenced(const struct block *b, uint64_t e)
{
    return entry_time(e) >= b->launch->start_time && entry_time(e) >= b->proxy_time && !by_async_proxy(e) &&
           entry_block(e) == race_block_name(b);
}

static void say(struct warp *w, const struct ins *ins, unsigned lane, struct race_report r, uint64_t e)
{
    if (w->worker->faulted_at == ins)
        return;
    r.owner = w->block;
    r.block = entry_block(e);
    r.warp = entry_warp(e);
    r.lane = entry_lane(e);
    w->worker->faulted_at = ins;
    race_say(w, ins, lane, &r);
}

static void check_unit(struct matrix_read *x, uint32_t n)
{
    struct block *b = x->w->block;
    uint64_t e = b->writes[n];
    struct look k;

    if (!e || (e & ~LANE_BITS) == x->known)
        return;
    if (is_unfenced(b, e))
        say(x->w, x->ins, 0,
            (struct race_report){.place = (uint64_t)n << b->unit_shift, .bytes = 1u << b->unit_shift,
                                 .access = ACCESS_READ, .with = RACE_WITH_MATRIX_PROXY}, e);
    else if (entry_warp(e) != x->w->index || entry_block(e) != race_block_name(b) || e & MANY) {
        k = race_look(x->w, x->ins, b, 1u << b->unit_shift, ACCESS_READ);
        race_only_reads(&k, 0, &(struct unit){&b->writes[n], &b->reads[n], b->shared + ((uint64_t)n << b->unit_shift),
                                              1u << b->unit_shift, 0, (uint64_t)n << b->unit_shift});
    }
    x->known = e & ~LANE_BITS;
}

void race_matrix_reads(struct matrix_read *x, uint32_t offset)
{
    struct block *b = x->w->block;
    struct matrix_reads *m = x->on ? notes_of(b) : NULL;
    uint32_t group, warpgroup = x->w->index / WARPGROUP;

    if (!m)
        return;
    group = m->ended[x->w->index] + 1;
    if (group > m->done[warpgroup])
        m->notes[offset >> UNIT_SHIFT] = (warpgroup + 1) << GROUP_AT | (group & ((1u << GROUP_AT) - 1));
    for (uint32_t n = offset >> b->unit_shift; n <= (offset + 15) >> b->unit_shift; n++)
        check_unit(x, n);
}

void race_matrix_commit(struct warp *w)
{
    if (w->order && w->block->matrix_reads)
        w->block->matrix_reads->ended[w->index]++;
}

void race_matrix_wait(struct warp *w, uint32_t but)
{
    struct matrix_reads *m = w->order ? w->block->matrix_reads : NULL;
    uint32_t *done = m ? &m->done[w->index / WARPGROUP] : NULL;

    if (m && m->ended[w->index] > but && m->ended[w->index] - but > *done)
        *done = m->ended[w->index] - but;
}

void race_matrix_overwritten(struct warp *w, const struct ins *ins, const uint32_t *offsets, unsigned bytes,
                             enum access access)
{
    const struct block *b = w->block;
    const struct matrix_reads *m = b->matrix_reads;

    for (uint32_t lanes = w->mask; lanes && w->worker->faulted_at != ins; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);

        for (uint32_t n = offsets[l] >> UNIT_SHIFT; n <= (offsets[l] + bytes - 1) >> UNIT_SHIFT; n++) {
            uint32_t note = m->notes[n], warpgroup = (note >> GROUP_AT) - 1;

            if (note && (note & ((1u << GROUP_AT) - 1)) > m->done[warpgroup])
                say(w, ins, l,
                    (struct race_report){.place = offsets[l], .bytes = bytes, .access = access,
                                         .with = RACE_WITH_MATRIX_READ}, entry_who(b, warpgroup * WARPGROUP, 0));
        }
    }
}
