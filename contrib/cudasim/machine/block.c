/*
 * block.c - runs the warps of a block: barriers, turns, deadlock. The blocks of a cluster take turns as one group.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "device.h"
#include "draw.h"
#include "fault.h"
#include "race.h"
#include "race_order.h"
#include "settings.h"
#include "warp.h"
#include "contrib/cudasim/base/operation.h"

/* ---- barriers ---- */

/* Threads that have arrived. With a count, PTX counts a warp as 32 as soon as all its live lanes are there. */
static uint32_t arrived(const struct block *b, const struct barrier *x)
{
    uint32_t sum = 0;

    for (uint32_t n = 0; n < b->warp_count; n++) {
        const struct warp *w = &b->warps[n];
        uint32_t here = x->arrived[n];

        if (!here)
            continue;
        if (x->expected && (w->live & ~here) == 0)
            sum += LANES;
        else
            sum += (uint32_t)__builtin_popcount(x->expected ? here : here & w->live);
    }
    return sum;
}

static void release(struct block *b, unsigned number)
{
    struct barrier *x = &b->barriers[number];
    bool whole = !x->expected || x->waiting >= b->live;
    const struct warp *somebody = NULL;

    for (uint32_t n = 0; n < b->warp_count; n++) {
        struct warp *w = &b->warps[n];
        uint32_t lanes = 0;

        for (uint32_t k = 0; k < w->other_count; k++) {
            struct split *s = &w->others[k];
            const struct ins *i = s->pc;

            if (s->state != SPLIT_BARRIER || s->barrier != number)
                continue;
            if (i->op >= BARRIER_POPC) {
                uint32_t value = i->op == BARRIER_POPC  ? x->true_count
                                 : i->op == BARRIER_AND ? ONES(x->false_count == 0)
                                                        : ONES(x->true_count != 0);
                uint32_t *d = (uint32_t *)(void *)(s->frame->registers + i->d);

                for (int l = 0; l < LANES; l++)
                    if (s->mask >> l & 1)
                        d[l] = value;
            }
            s->state = SPLIT_RUNNABLE;
            s->pc++;
            lanes |= s->mask;
            somebody = w;
        }
        if (lanes) {
            w->waiting = false;
            race_release(b, x, n, lanes);
        }
    }
    if (x->divergent && somebody && x->first && x->first->flags & INS_ALIGNED)
        fault_warn((struct warp *)(uintptr_t)somebody, x->first, 0, FAULT_DIVERGENT_BARRIER, 0,
                   "threads of one block meet at different barriers: __syncthreads() must be reached by all of them at "
                   "the same place");
    if (somebody && !x->expected && b->live < b->threads && sim_options(b->worker->sim)->check_lanes)
        fault_warn((struct warp *)(uintptr_t)somebody, x->first, 0, FAULT_DIVERGENT_BARRIER, 0,
                   "%u of %u threads of the block exited before this barrier: all of them must reach it",
                   b->threads - b->live, b->threads);
    if (whole)
        race_block_meets(b);
    race_barrier_done(b, number);
    *x = (struct barrier){ .met = x->met, .over = x->over };
    b->worker->met = true;
}

static void check_barrier(struct block *b, unsigned number)
{
    struct barrier *x = &b->barriers[number];
    uint32_t expected = x->expected ? x->expected : b->live;

    if (!x->expected && x->arrivals < expected)
        return;
    if (x->pending && x->waiting && arrived(b, x) >= expected)
        release(b, number);
}

const struct ins *block_barrier(struct warp *w, const struct ins *ins, unsigned number, uint32_t expected, bool wait,
                                uint32_t truth)
{
    struct block *b = w->block;
    struct barrier *x = &b->barriers[number];
    uint32_t lanes = w->mask;

    count_line(w, ins + 1);
    if (x->pending && x->expected != expected && !x->mismatched) {
        x->mismatched = true;
        fault_warn(w, ins, (unsigned)__builtin_ctz(lanes), FAULT_MISMATCHED_BARRIER, number,
                   "barrier %u is waited for with %u threads here and with %u elsewhere", number, expected,
                   x->expected);
    }
    if (expected % LANES)
        fault_warn(w, ins, (unsigned)__builtin_ctz(lanes), FAULT_MISMATCHED_BARRIER, number,
                   "barrier %u with a count of %u, which is not a multiple of 32", number, expected);
    if (x->pending && expected && x->arrived[w->index] & lanes)
        fault_warn(w, ins, (unsigned)__builtin_ctz(x->arrived[w->index] & lanes), FAULT_MISMATCHED_BARRIER, number,
                   "a thread arrives at barrier %u a second time before the barrier is over: it counts for a thread "
                   "that is not there yet", number);
    if (x->pending && x->first != ins && !expected && !number) /* others are barriers by their number, wherever it is */
        x->divergent = true;
    if (expected && race_barrier_taken(w, x))
        fault_warn(w, ins, (unsigned)__builtin_ctz(lanes), FAULT_MISMATCHED_BARRIER, number,
                   "other warps of the block met at barrier %u, and nothing orders that with this arrival: it may "
                   "count for one of them; each group of warps needs a barrier of its own", number);
    b->barriers_used |= 1u << number;
    if (!x->pending)
        x->first = ins;
    x->pending = true;
    x->expected = expected;
    x->arrived[w->index] |= lanes;
    x->arrivals += (uint32_t)__builtin_popcount(lanes);
    x->true_count += (uint32_t)__builtin_popcount(truth);
    x->false_count += (uint32_t)__builtin_popcount(lanes & ~truth);
    race_arrive(w, x, lanes);
    if (wait) {
        x->waiting += (uint32_t)__builtin_popcount(lanes);
        warp_push(w, lanes, ins, w->frame, SPLIT_BARRIER);
        w->others[w->other_count - 1].barrier = (uint8_t)number;
        w->mask = 0;
        check_barrier(b, number);
        return warp_pick(w);
    }
    check_barrier(b, number);
    if (!x->pending)
        race_give_way(w);
    w->start = ins + 1;
    return ins + 1;
}

/* ---- clusters ---- */

static struct block **group_of(struct block **self, uint32_t *count)
{
    struct block *b = *self;

    *count = b->cluster ? b->launch->cluster_blocks : 1;
    return b->cluster ? b->cluster : self;
}

/*
 * Releases the cluster's barrier if all threads have arrived. Arrival is counted per warp: `cluster_arrived` counts the
 * lanes that arrived in this phase.
 */
static void cluster_check(struct block *b)
{
    uint32_t count;
    struct block *self = b, **group = group_of(&self, &count);
    bool orders = false;

    for (uint32_t n = 0; n < count; n++)
        if (group[n]->cluster_arrived < group[n]->live)
            return;
    for (uint32_t n = 0; n < count; n++) {
        struct block *x = group[n];
        uint32_t before = x->cluster_arrived;

        x->cluster_arrived = 0;
        orders = orders || x->cluster_releases;
        x->cluster_releases = false;
        if (!before)
            continue;
        x->cluster_phase++;
        for (uint32_t k = 0; k < x->warp_count; k++) {
            struct warp *w = &x->warps[k];

            for (uint32_t s = 0; s < w->other_count; s++)
                if (w->others[s].state == SPLIT_BARRIER && w->others[s].barrier == CLUSTER_BARRIER) {
                    w->others[s].state = SPLIT_RUNNABLE;
                    w->others[s].pc++;
                    w->waiting = false;
                }
        }
        b->worker->met = true;
    }
    race_cluster_meets(group, count, orders);
}

const struct ins *cluster_arrive(struct warp *w, const struct ins *ins)
{
    w->cluster_phase = w->block->cluster_phase;
    w->block->cluster_arrived += (uint32_t)__builtin_popcount(w->mask);
    if (!ins->op)
        w->block->cluster_releases = true;
    cluster_check(w->block);
    return ins + 1;
}

const struct ins *cluster_wait(struct warp *w, const struct ins *ins)
{
    if (w->block->cluster_phase != w->cluster_phase)
        return ins + 1;
    count_line(w, ins + 1);
    warp_push(w, w->mask, ins, w->frame, SPLIT_BARRIER);
    w->others[w->other_count - 1].barrier = CLUSTER_BARRIER;
    w->mask = 0;
    return warp_pick(w);
}

/* ---- turns ---- */

/* Threads of the block exited. Barriers may have waited for them alone. */
static void look_after_exits(struct block *b)
{
    if (b->live)
        for (unsigned n = 0; n < BARRIERS; n++)
            if (b->barriers[n].pending)
                check_barrier(b, n);
    cluster_check(b);
}

#define TURN_AT_ACCESS 4 /* with a seed, one of this many memory accesses ends a warp's turn */

/*
 * Runs the warp until its turn is over. The turn may end before any access to memory. So other warps can run between
 * two accesses of straight-line code as well. Returns NULL.
 */
static const struct ins *run_shaken(struct warp *w, const struct ins *i)
{
    struct worker *k = w->worker;
    const struct ins *first = i;

    while (i) {
        if (i->class >= CLASS_GLOBAL_LOAD && i->class <= CLASS_SHARED_STORE && i != first && w->mask &&
            draw(&k->random) % TURN_AT_ACCESS == 0) {
            count_line(w, i);
            w->pc = w->start = i;
            return NULL;
        }
        i = i->run(w, i);
    }
    return NULL;
}

static void run_warp(struct warp *w, int32_t budget)
{
    uint32_t live = w->block->live;
    const struct ins *i;

    w->budget = budget;
    w->yielded = 0;
    w->worker->faulted_at = NULL;
    __atomic_store_n(&w->worker->at_block, race_block_name(w->block) + 1, __ATOMIC_RELAXED);
    if (!w->mask)
        i = warp_pick(w);
    else {
        i = w->pc;
        w->start = i;
    }
    if (sim_options(w->worker->sim)->seeded)
        i = run_shaken(w, i);
    while (i)
        i = i->run(w, i);
    if (w->block->live != live)
        look_after_exits(w->block);
}

#define TURN 4096 /* backward branches of a warp's turn */

static void report_deadlock(struct block *b)
{
    for (uint32_t n = 0; n < b->warp_count; n++) {
        struct warp *w = &b->warps[n];
        const struct split *s = w->other_count ? &w->others[0] : NULL;
        const struct barrier *x;
        char wanted[64];

        if (w->done || !s)
            continue;
        x = s->state == SPLIT_BARRIER && s->barrier < BARRIERS ? &b->barriers[s->barrier] : NULL;
        if (x && x->expected)
            snprintf(wanted, sizeof wanted, "%u", x->expected);
        else
            snprintf(wanted, sizeof wanted, "all %u", b->live);
        if (x)
            fault_at(w, s->pc, (unsigned)__builtin_ctz(s->mask),
                     x->mismatched ? FAULT_MISMATCHED_BARRIER : FAULT_DEADLOCK, s->barrier,
                     "%u threads arrived at barrier %u, which waits for %s; nobody else can come", arrived(b, x),
                     s->barrier, wanted);
        else
            fault_at(w, s->pc, (unsigned)__builtin_ctz(s->mask), FAULT_DEADLOCK, 0,
                     s->state == SPLIT_BARRIER ? "the block waits for its cluster; nobody else can come"
                                               : "lanes wait for lanes that wait at a barrier");
        return;
    }
}

/*
 * Whether a fault ends the block. If the launch keeps its text, a block before the one with the fault goes on: its text
 * is to be complete.
 */
bool block_stopped(const struct block *b)
{
    const struct launch *l = b->launch;

    return atomic_load_explicit(&l->stop, memory_order_acquire) &&
           !(l->keeps_text && b->number < __atomic_load_n(&l->fault_block, __ATOMIC_RELAXED));
}

/*
 * Gives each warp of the block its turn. The warps of a block that is probed change at every jump backwards, so that
 * their accesses mix as on a GPU; together they have as long a turn as others. False after a fault.
 */
static bool block_turn(struct block *b, bool *ran, bool *busy)
{
    struct worker *k = b->worker;
    const struct sim_options *options = sim_options(k->sim);
    uint32_t first = options->seeded ? (uint32_t)(draw(&k->random) % b->warp_count) : 0;
    bool going = true;

    for (int round = 0; going && round < (b->probed && !options->seeded ? TURN : 1); round++) {
        going = false;
        for (uint32_t n = 0; n < b->warp_count; n++) {
            struct warp *w = &b->warps[(n + first) % b->warp_count];

            if (w->done || w->waiting)
                continue;
            run_warp(w, options->seeded ? (int32_t)(1 + draw(&k->random) % 64) : b->probed ? 1 : TURN);
            if (block_stopped(b))
                return false;
            *ran = true;
            *busy |= !w->yielded;
            going |= !w->yielded;
        }
    }
    return true;
}

/* ---- loops without an end ---- */

#define QUIET_TURNS 64 /* without a change of memory, before the group's state is looked at, */
#define LOOK_TURNS 16  /* and from one look to the next: a turn may be as short as the way to a barrier */

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const char *at = bytes;

    for (uint64_t word; size >= sizeof word; at += sizeof word, size -= sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t mix_split(uint64_t hash, const struct ins *pc, const struct frame *frame, uint32_t mask)
{
    uint64_t words[3] = {(uintptr_t)pc, (uintptr_t)frame, mask};

    hash = mix(hash, words, sizeof words);
    for (; frame; frame = frame->parent)
        hash = mix(hash, frame->registers, frame->function->register_bytes);
    return hash;
}

/* All that decides how the group goes on, if memory does not change. */
static uint64_t state_of(struct block *const *group, uint32_t count)
{
    uint64_t hash = 0;

    for (uint32_t g = 0; g < count; g++) {
        const struct block *b = group[g];

        for (uint32_t n = 0; n < b->warp_count; n++) {
            const struct warp *w = &b->warps[n];

            hash = mix_split(hash, w->mask ? w->pc : NULL, w->mask ? w->frame : NULL, w->mask);
            for (uint32_t k = 0; k < w->other_count; k++)
                hash = mix_split(hash + w->others[k].state, w->others[k].pc, w->others[k].frame, w->others[k].mask);
        }
        for (unsigned n = 0; n < BARRIERS; n++)
            if (b->barriers_used >> n & 1)
                hash = hash * 31 + b->barriers[n].arrivals;
    }
    return hash;
}

/*
 * Whether the group goes round in a loop that never ends: it is where it was, with the same registers, and it has
 * changed no memory meanwhile. It then counts as one that waits for memory, until a state comes that is another one. A
 * state is kept for twice as many looks as the one before, so a loop of any length is found.
 */
static bool goes_round(struct block *leader, struct block *const *group, uint32_t count)
{
    struct round *r = &leader->round;
    uint64_t state;

    if (leader->worker->progress) {
        *r = (struct round){0};
        return false;
    }
    if (++r->quiet < QUIET_TURNS || r->quiet % LOOK_TURNS || (++r->since < r->period && r->found))
        return r->found;
    state = state_of(group, count);
    if (r->period && state == r->state) {
        r->period = r->found ? r->period : r->since;
        r->since = 0;
        r->found = true;
    } else if (r->since >= r->period) {
        *r = (struct round){.state = state, .quiet = r->quiet, .period = r->found || !r->period ? 1 : 2 * r->period};
    }
    return r->found;
}

void group_begin(struct block *leader)
{
    leader->round = (struct round){0};
}

static bool report_round(struct warp *w)
{
    const struct split *s = w->other_count && !w->mask ? &w->others[0] : NULL; /* at a barrier of the loop */
    uint32_t lanes = s ? s->mask : w->mask;

    if (!lanes)
        return false;
    fault_at(w, s ? s->pc : w->pc, (unsigned)__builtin_ctz(lanes), FAULT_DEADLOCK, 0,
             "goes round in a loop that never ends: its variables are as they were, and memory does not change");
    return true;
}

/* Reports a warp of the block that waits for memory, or that goes round. False: there is none. */
static bool report_waiting(struct worker *k, struct block *b, bool round)
{
    for (uint32_t n = 0; n < b->warp_count; n++) {
        struct warp *w = &b->warps[n];
        const struct ins *at = w->spin_at ? w->spin_at : w->pc;

        if (w->done)
            continue;
        if (round && report_round(w))
            return true;
        if (round || !w->mask || !at)
            continue;
        fault_at(w, at, (unsigned)__builtin_ctz(w->mask), FAULT_DEADLOCK, 0,
                 "waits for memory that nobody changes: the %u block%s in flight wait%s, and no more can start",
                 k->resident, k->resident == 1 ? "" : "s", k->resident == 1 ? "s" : "");
        return true;
    }
    return false;
}

/* The first blocks of the ring may wait at a barrier of their cluster, for a block that waits for memory. */
void groups_report_waiting(struct worker *k)
{
    struct block *b = k->ring;

    for (uint32_t n = 0; n < k->resident; n++, b = b->next) {
        uint32_t count;
        struct block **group = group_of(&b, &count);

        for (uint32_t g = 0; g < count; g++)
            if (report_waiting(k, group[g], b->round.found))
                return;
    }
}

enum turn group_turn(struct block *leader)
{
    uint32_t count;
    struct block **group = group_of(&leader, &count);
    bool ran = false, busy = false, done = true;

    for (uint32_t g = 0; g < count; g++)
        if (!block_turn(group[g], &ran, &busy))
            return TURN_FAULT;
    for (uint32_t g = 0; g < count; g++)
        done &= group[g]->live_warps == 0;
    if (done)
        return TURN_DONE;
    if (!ran) {
        for (uint32_t g = 0; g < count; g++)
            if (group[g]->live_warps) {
                report_deadlock(group[g]);
                break;
            }
        return TURN_FAULT;
    }
    if (busy && goes_round(leader, group, count)) {
        leader->worker->met = false;
        return TURN_SPINNING;
    }
    return busy ? TURN_BUSY : TURN_SPINNING;
}
