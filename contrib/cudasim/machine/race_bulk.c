/*
 * race_bulk.c - copies in bulk from shared memory, which the hardware makes later and by a way of its own (the
 * asynchronous proxy). Two mistakes: the copy reads what threads stored, without fence.proxy.async since then; or
 * threads store again before cp.async.bulk.wait_group says that the copy has read.
 *
 * The body of the copy tells what it reads, and the bodies of the groups tell who waited. race_shared.c asks at each
 * store. Only the block's own shared memory is looked at.
 */
#include "race_bulk.h"

#include "fault.h"
#include "race_check.h"
#include "race_say.h"

void race_proxy_fence(struct warp *w)
{
    if (w->order)
        w->block->proxy_time = ++*w->block->time;
}

/* The first unit of [offset, offset + bytes) that threads wrote since the last proxy fence; else NULL. */
static const uint64_t *unfenced(const struct block *b, uint32_t offset, uint32_t bytes)
{
    uint32_t last = (offset + bytes - 1) >> b->unit_shift;

    for (uint32_t n = offset >> b->unit_shift; n <= last; n++) {
        uint64_t e = b->writes[n];

        if (e && entry_time(e) >= b->launch->start_time && entry_time(e) >= b->proxy_time &&
            !by_async_proxy(e) && entry_block(e) == race_block_name(b))
            return &b->writes[n];
    }
    return NULL;
}

/* Keeps what the copy reads. Copies that do not fit are not checked. */
static void keep(struct block *b, const struct warp *w, const struct ins *ins, unsigned lane, uint32_t offset,
                 uint32_t bytes)
{
    struct bulk_read *r = b->bulk_count ? &b->bulk_reads[b->bulk_count - 1] : NULL;

    if (r && r->warp == w->index && r->lane == lane && r->age == 0 && r->end == offset) {
        r->end += bytes;
        return;
    }
    if (b->bulk_count == BULK_READS)
        return;
    b->bulk_reads[b->bulk_count++] =
        (struct bulk_read){offset, offset + bytes, 0, (uint8_t)w->index, (uint8_t)lane, ins};
}

void race_bulk_reads(struct warp *w, const struct ins *ins, unsigned lane, const char *place, uint32_t bytes,
                     bool in_group)
{
    struct block *b = w->block;
    uint64_t offset = (uint64_t)(place - b->shared);
    const uint64_t *e;

    if (!w->order || !b->writes || place < b->shared || offset >= b->shared_size)
        return;
    e = unfenced(b, (uint32_t)offset, bytes);
    if (e && w->worker->faulted_at != ins) {
        struct race_report r = {.owner = b,
                                .place = (uint64_t)(e - b->writes) << b->unit_shift,
                                .bytes = bytes,
                                .access = ACCESS_READ,
                                .with = RACE_WITH_PROXY,
                                .block = entry_block(*e),
                                .warp = entry_warp(*e),
                                .lane = entry_lane(*e)};

        w->worker->faulted_at = ins;
        race_say(w, ins, lane, &r);
    }
    if (in_group)
        keep(b, w, ins, lane, (uint32_t)offset, bytes);
}

void race_bulk_commit(struct warp *w)
{
    struct block *b = w->block;

    for (uint32_t n = 0; n < b->bulk_count; n++)
        if (b->bulk_reads[n].warp == w->index && w->mask >> b->bulk_reads[n].lane & 1)
            b->bulk_reads[n].age++;
}

void race_bulk_wait(struct warp *w, uint32_t but)
{
    struct block *b = w->block;
    uint32_t kept = 0;

    for (uint32_t n = 0; n < b->bulk_count; n++) {
        struct bulk_read r = b->bulk_reads[n];

        if (r.warp != w->index || !(w->mask >> r.lane & 1) || r.age <= but)
            b->bulk_reads[kept++] = r;
    }
    b->bulk_count = kept;
}

void race_bulk_over(struct block *b)
{
    for (uint32_t n = 0; b->time && b->live == 0 && n < b->bulk_count; n++) {
        const struct bulk_read *x = &b->bulk_reads[n];

        fault_warn(&b->warps[x->warp], x->ins, x->lane, FAULT_USE_AFTER_FREE, x->begin,
                   "copy in bulk of shared memory at offset %u, and the block ended while it may still read: no "
                   "cp.async.bulk.wait_group since then", x->begin);
    }
    b->bulk_count = 0;
}

void race_bulk_overwritten(struct warp *w, const struct ins *ins, const uint32_t *offsets, unsigned bytes,
                           enum access access)
{
    const struct block *b = w->block;

    for (uint32_t lanes = w->mask; lanes && w->worker->faulted_at != ins; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);

        for (uint32_t n = 0; n < b->bulk_count; n++) {
            const struct bulk_read *x = &b->bulk_reads[n];
            struct race_report r = {.owner = b, .place = offsets[l], .bytes = bytes, .access = access,
                                    .with = RACE_WITH_BULK_READ, .block = race_block_name(b), .warp = x->warp,
                                    .lane = x->lane};

            if (offsets[l] >= x->end || offsets[l] + bytes <= x->begin)
                continue;
            w->worker->faulted_at = ins;
            race_say(w, ins, l, &r);
            break;
        }
    }
}
