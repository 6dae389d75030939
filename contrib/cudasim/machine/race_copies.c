/*
 * race_copies.c - asynchronous copies in the order of accesses: their groups, and the waits for them. The copies to a
 * chunk of shared memory are over, for everybody, at the first barrier after each warp that made some waited for them.
 */
#include "race.h"

#include <string.h>

#include "race_order.h"

void race_note_wait(struct copy_order *o, uint32_t upto, uint32_t at, bool remote)
{
    o->waits[o->wait_count % WAITS].upto = upto;
    o->waits[o->wait_count % WAITS].remote = remote;
    o->waits[o->wait_count++ % WAITS].at = at;
}

void race_commit(struct warp *w, bool stores)
{
    struct copy_order *o = !w->order ? NULL : stores ? &w->order->stores : &w->order->copies;

    if (!o)
        return;
    o->group_chunks[o->commit_count % COMMITS] |= o->open_chunks; /* and those of a group that the ring forgets */
    o->open_chunks = 0;
    o->commits[o->commit_count++ % COMMITS] = ++*w->block->time;
}

/* Forgets the chunks of all groups but the last `but`. */
static void forget_chunks(struct copy_order *o, uint32_t but)
{
    uint32_t end = o->commit_count - but;

    for (uint32_t n = end > COMMITS - but ? end - (COMMITS - but) : 0; n < end; n++)
        o->group_chunks[n % COMMITS] = 0;
}

void race_wait_copies(struct warp *w, uint32_t but, bool stores)
{
    struct copy_order *o = !w->order ? NULL : stores ? &w->order->stores : &w->order->copies;
    uint32_t upto, at;

    if (!o)
        return;
    at = *w->block->time;
    if (but == COPIES_ALL) {
        upto = at + 1;
        o->open_chunks = 0;
        memset(o->group_chunks, 0, sizeof o->group_chunks);
    } else if (but >= o->commit_count) {
        return;
    } else {
        upto = but < COMMITS ? o->commits[(o->commit_count - 1 - but) % COMMITS] : 0;
        if (but < COMMITS)
            forget_chunks(o, but);
    }
    race_note_wait(o, upto, at, false);
    ++*w->block->time;
}

static bool is_done(const struct copy_order *o, uint32_t time, bool remote, uint32_t *at)
{
    uint32_t oldest = o->wait_count > WAITS ? o->wait_count - WAITS : 0;

    for (uint32_t n = oldest; n < o->wait_count; n++)
        if (time < o->waits[n % WAITS].upto && remote == o->waits[n % WAITS].remote) {
            *at = o->waits[n % WAITS].at;
            return true;
        }
    return false;
}

bool race_copy_done(const struct warp *w, uint32_t time, bool remote, uint32_t *at)
{
    return is_done(&w->order->copies, time, remote, at);
}

bool race_store_done(const struct warp *w, uint32_t time, uint32_t *at)
{
    return is_done(&w->order->stores, time, false, at);
}

uint64_t race_copies_under_way(const struct block *b)
{
    uint64_t chunks = b->bulk_chunks;

    for (uint32_t n = 0; n < b->warp_count; n++) {
        const struct copy_order *o = &b->warps[n].order->copies;

        chunks |= o->open_chunks;
        for (unsigned group = 0; group < COMMITS; group++)
            chunks |= o->group_chunks[group];
    }
    return chunks;
}
