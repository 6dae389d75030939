/*
 * race_check.c - compares an access with the last accesses to one unit of memory.
 *
 * An access is right if the entry's access is ordered before it (race_order.h), or if both are strong and reach each
 * other. If several readers are not ordered among themselves, the entry keeps the time of the last one. It also keeps
 * that there were several lanes, warps or blocks. A pending copy (cp.async) is marked. The wait for it gives it its
 * order.
 *
 * race_shared.c and race_global.c call it. They know where entries are.
 */
#include "race_check.h"

#include <string.h>

#include "device.h"
#include "fault.h"
#include "race_family.h"
#include "race_say.h"
#include "contrib/cudasim/base/atomic.h"

/*
 * Volatile accesses are strong in global memory; but not two sums of a word and something else, in a kernel that
 * has no fences and does not wait for words: one of the two is lost. In shared memory, programs before Volta used
 * them for data, because the lanes of a warp went in step. There they count as strong if the kernel has fences, or
 * waits in loops for words of shared memory: such a kernel passes data on purpose.
 */
static uint8_t strength(const struct warp *w, const struct ins *ins, bool shared)
{
    const struct sim_kernel *kernel = w->block->launch->kernel;
    uint8_t near = ins->scope == SCOPE_BLOCK ? NEAR : 0;

    if (ins->op_is_atomic || ins->guesses || ins->order & ORDER_RELAXED)
        return (uint8_t)(STRONG | near);
    if (!(ins->order & ORDER_VOLATILE))
        return 0;
    if (!shared && ins->sums && !kernel->polls)
        return kernel->fences ? STRONG : VOLATILE;
    return !shared || ins->polls || kernel->polls_shared || kernel->fences ? STRONG : VOLATILE;
}

static bool both_strong(const struct look *k, uint64_t e)
{
    bool strong = (k->flags & STRONG && e & (STRONG | VOLATILE)) || (e & STRONG && k->flags & VOLATILE);

    return strong && (!((k->flags | e) & NEAR) || ((e ^ k->self.who) & BLOCK_BITS) == 0);
}

/* The block of the launch with that name, if it is this one or another of its cluster; else NULL. */
static const struct block *block_near(const struct block *b, uint32_t name)
{
    if (race_block_name(b) == name)
        return b;
    for (uint32_t n = 0; b->cluster && n < b->launch->cluster_blocks; n++)
        if (race_block_name(b->cluster[n]) == name)
            return b->cluster[n];
    return NULL;
}

/* Whether the access that `e` stands for is before that of lane `l` now. */
static bool ordered(const struct look *k, uint64_t e, uint32_t time, unsigned l)
{
    const struct warp *w = k->w;
    const struct block *b = w->block;
    bool near = ((e ^ k->self.who) & BLOCK_BITS) == 0;

    if (time < k->self.start)
        return true;
    if (family_other(b->launch, time))
        return family_ordered(b->launch, e);
    if (e & BLOCKS_MANY)
        return b->launch->grid_order && (w->order->acquired > time || b->cluster_t0 > time);
    if (!near)
        return b->launch->grid_order &&
               ((time < b->cluster_t0 && block_near(b, entry_block(e))) ||
                race_blocks_ordered(w, time, entry_block(e), entry_warp(e), e & LANES_MANY ? LANES : entry_lane(e)));
    if (time < b->t0)
        return true;
    if (e & WARPS_MANY)
        return w->order->acquired > time;
    if (entry_warp(e) == w->index)
        return race_lanes_ordered(w->order, w->index, time, e & LANES_MANY ? LANES : entry_lane(e), l);
    return race_warps_ordered(w->order, time, entry_warp(e), e & LANES_MANY ? LANES : entry_lane(e));
}

/* The bytes that lane `l` stores, as they come to memory. */
static void stored_value(const struct look *k, unsigned l, char *value)
{
    const slot *list = k->ins->extra;

    for (unsigned n = 0; n < k->ins->count; n++)
        memcpy(value + n * k->ins->size, (const char *)slot_at(k->w, list[n]) + l * k->ins->width, k->ins->size);
}

#define VALUE_BYTES 64

/* Whether lane `l` stores into the unit at `offset` of its access what is there, or what lane `other` stores there. */
static bool same_value(const struct look *k, unsigned l, const void *unit, unsigned offset, unsigned size, int other,
                       unsigned other_offset)
{
    char mine[VALUE_BYTES], theirs[VALUE_BYTES];

    if (!k->stores)
        return false;
    stored_value(k, l, mine);
    if (other < 0)
        return !memcmp(mine + offset, unit, size);
    stored_value(k, (unsigned)other, theirs);
    return !memcmp(mine + offset, theirs + other_offset, size);
}

/*
 * Whether this instruction made `e`: a lane before `l`, whose access holds the unit as well. *at: the unit's place in
 * that lane's access. `address` are offsets or addresses of all lanes.
 */
static bool of_same_store(const struct look *k, uint64_t e, unsigned l, const uint64_t *address, uint64_t place,
                          unsigned *at)
{
    unsigned other = entry_lane(e);

    if (((e ^ k->self.who) & (BLOCK_BITS | WARP_BITS)) || entry_time(e) != entry_time(k->self.who) || other >= l ||
        !(k->lanes >> other & 1) || !address || place - address[other] >= k->bytes)
        return false;
    *at = (unsigned)(place - address[other]);
    return true;
}

static void conflict(struct look *k, unsigned l, const struct unit *u, uint64_t e, enum race_with with)
{
    struct race_report r = {k->owner,       u->place,      k->bytes,      k->access,         with,
                            entry_block(e), entry_warp(e), entry_lane(e), (e & MANY) != 0,
                            (e & (WARPS_MANY | BLOCKS_MANY)) != 0, 0};

    if (!k->owner && family_other(k->w->block->launch, entry_time(e)))
        r.elsewhere = e;

    if (k->quiet)
        return;
    k->quiet = true;
    k->w->worker->faulted_at = k->ins;
    race_say(k->w, k->ins, l, &r);
}

bool race_said(struct look *k)
{
    if (k->quiet)
        return true;
    if (!fault_known(k->w, k->ins, k->owner ? FAULT_SHARED_RACE : FAULT_GLOBAL_RACE))
        return false;
    k->quiet = true;
    k->w->worker->faulted_at = k->ins;
    return true;
}

bool race_in_flight(const struct look *k, uint64_t e)
{
    const struct launch *l = k->w->block->launch;

    return !k->owner && l->active > 1 && ((e ^ k->self.who) & BLOCK_BITS) && k->stores &&
           sim_elsewhere(l->sim, k->w->worker, entry_block(e));
}

/* Compares lane `l`'s access with the last write. False: a store that changes nothing, which is no race. */
static bool against_write(struct look *k, unsigned l, const struct unit *u, uint64_t e, const uint64_t *address)
{
    uint32_t time = entry_time(e);
    bool under_way = e & UNDER_WAY && time >= k->self.start;
    unsigned at;

    if (!e || both_strong(k, e) || (k->access == ACCESS_READ && e & WRITTEN_BACK))
        return true;
    if (k->ins->cached && time >= k->w->block->launch->start_time && ordered(k, e, time, l)) {
        conflict(k, l, u, e, RACE_WITH_STALE);
        return true;
    }
    if (under_way) {
        const struct block *from = block_near(k->w->block, entry_block(e));

        under_way = from && !(k->owner ? race_copy_done(&from->warps[entry_warp(e)], time, k->owner != from, &time)
                                       : race_store_done(&from->warps[entry_warp(e)], time, &time));
    }
    if (!under_way && ordered(k, e, time, l)) {
        if (e & UNDER_WAY) /* as if written when it was waited for */
            *u->write = (e & ~(SLOW | TIME_BITS | UNDER_WAY)) | (uint64_t)time << TIME_AT;
        return true;
    }
    if (k->access == ACCESS_WRITE && !under_way) {
        if (of_same_store(k, e, l, address, u->place, &at)) {
            if (same_value(k, l, NULL, u->offset, u->size, (int)entry_lane(e), at))
                return false;
            conflict(k, l, u, e, RACE_WITH_SAME_STORE);
            return true;
        }
        if (same_value(k, l, u->bytes, u->offset, u->size, -1, 0) || race_in_flight(k, e))
            return false;
    }
    conflict(k, l, u, e, under_way ? RACE_WITH_COPY : e & STRONG ? RACE_WITH_ATOMIC : RACE_WITH_WRITE);
    return true;
}

static void note_read(struct look *k, unsigned l, const struct unit *u)
{
    uint64_t mine = k->self.who | (uint64_t)l << LANE_AT, e = *u->read;
    uint64_t kept = k->flags & (e ? e : STRONG | VOLATILE) & (STRONG | VOLATILE);

    if (fine(e, mine, &k->self) || ordered(k, e, entry_time(e), l))
        *u->read = mine | k->flags;
    else
        *u->read = merge(e, mine) | kept | ((k->flags | e) & NEAR);
}

static bool read_by_itself(const struct look *k, uint64_t x, uint64_t mine)
{
    return !((x ^ mine) & (SLOW | BLOCK_BITS | WARP_BITS | LANE_BITS | LANES_MANY | WARPS_MANY)) &&
           entry_time(x) >= k->self.start;
}

/* An atomic does not hide a plain write that other threads may not know. */
static void note_write(struct look *k, unsigned l, const struct unit *u)
{
    uint64_t mine = k->self.who | (uint64_t)l << LANE_AT, e = *u->write;
    bool back = !k->owner && k->access == ACCESS_WRITE && read_by_itself(k, *u->read, mine) &&
                same_value(k, l, u->bytes, u->offset, u->size, -1, 0);

    k->by_value |= back;
    if (!(k->flags & STRONG)) {
        *u->write = mine | k->flags | (k->flags & UNDER_WAY ? SLOW : 0) | (back ? WRITTEN_BACK : 0);
        return;
    }
    if (!(e & STRONG) && entry_time(e) >= k->self.start && ((e ^ mine) & BLOCK_BITS) == 0 &&
        (!k->owner || k->owner->cluster || entry_time(e) >= k->self.t0))
        return;
    *u->write = 
        (fine(e, mine, &k->self) || ordered(k, e, entry_time(e), l) ? mine : merge(e, mine) | (e & NEAR)) | k->flags |
        (k->flags & UNDER_WAY ? SLOW : 0);
}

bool race_only_compares(const struct look *k, unsigned l, const void *word)
{
    const struct ins *i = k->ins;

    return race_is_swap(i) && memcmp(word, (const char *)slot_at(k->w, i->b) + l * i->width, i->size) != 0;
}

/* Whether `x` is a read of another block that was over when this one learnt of it. */
static bool read_was_over(const struct look *k, uint64_t x)
{
    return ((x ^ k->self.who) & BLOCK_BITS) && !(x & BLOCKS_MANY) && k->w->block->launch->grid_order &&
           race_read_over(k->w, entry_time(x), entry_block(x), entry_warp(x), x & MANY ? LANES : entry_lane(x));
}

void race_unit(struct look *k, unsigned l, const struct unit *u, const uint64_t *address)
{
    uint64_t x = *u->read;
    bool reads = k->access == ACCESS_READ || race_only_compares(k, l, u->bytes - u->offset);

    if (!against_write(k, l, u, *u->write, address)) {
        k->by_value = true;
        return;
    }
    if (!reads && x && !both_strong(k, x) && !race_read_before(k, x) && !ordered(k, x, entry_time(x), l) &&
        !read_was_over(k, x)) {
        if (k->ins->writes_back && same_value(k, l, u->bytes, u->offset, u->size, -1, 0)) {
            k->by_value = true;
            return;
        }
        conflict(k, l, u, x, RACE_WITH_READ);
    }
    if (reads)
        note_read(k, l, u);
    else
        note_write(k, l, u);
}

void race_only_reads(struct look *k, unsigned l, const struct unit *u)
{
    against_write(k, l, u, *u->write, NULL);
}

/* What strong accesses release and acquire at each of their words. */
void race_synchronise(struct look *k, const uint64_t *address, uint64_t origin, bool before)
{
    bool strong = k->flags & (STRONG | VOLATILE) && !(k->ins->guesses && !k->ins->order),
         orders = strong && k->w->block->launch->kernel->fences;
    const struct ins *ins = k->ins;
    enum scope scope = ins->scope ? (enum scope)ins->scope : SCOPE_DEVICE;
    uint32_t rest = orders ? k->w->mask : 0;

    while (rest) {
        unsigned first = (unsigned)__builtin_ctz(rest);
        uint32_t same = 0;

        EVERY_LANE(l, rest)
            same |= address[l] == address[first] ? 1u << l : 0;
        rest &= ~same;
        if (!before && k->access != ACCESS_WRITE)
            race_acquire(k->w, origin + address[first], scope, ins->order & ORDER_ACQUIRE);
        if (before == !(k->access == ACCESS_ATOMIC) && k->access != ACCESS_READ)
            race_publish(k->w, origin + address[first], same, scope, ins->order & ORDER_RELEASE,
                         k->access == ACCESS_WRITE);
        /* An atomic of several lanes is a chain: each sees those before it. The last one's view stands for all. */
        if (!before && k->access == ACCESS_ATOMIC && same & (same - 1))
            race_acquire(k->w, origin + address[first], scope, ins->order & ORDER_ACQUIRE);
    }
}

struct look race_look(struct warp *w, const struct ins *ins, const struct block *owner, unsigned bytes,
                           enum access access)
{
    w->order->touched = true;
    struct look k = {w, ins, owner, self_of(w), access, strength(w, ins, owner != NULL), bytes,
                     w->worker->faulted_at == ins, access == ACCESS_WRITE && ins->stores && bytes <= VALUE_BYTES,
                     false, w->mask};

    if (!owner && w->block->launch->family) {
        k.self.start = w->block->launch->family->start;
        k.self.simple = false;
    }
    if (ins->copies && owner && access == ACCESS_WRITE)
        k.flags |= UNDER_WAY | (ins->bulk ? NEAR : 0);
    if (ins->bulk && !owner && access == ACCESS_WRITE)
        k.flags |= UNDER_WAY | NEAR;
    if (access == ACCESS_ATOMIC)
        k.flags |= STRONG | (ins->bulk && !owner ? UNDER_WAY : 0);
    return k;
}

