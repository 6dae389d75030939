/*
 * race_order.c - the order of accesses: what happened before what. race_order.h says how it is kept.
 *
 * Inside a block, a warp knows up to which time it has seen each other warp (`clock`). A barrier of the whole block
 * orders all of it; this is one number for all (`t0`). A fence notes what the warp has seen. A strong write behind the
 * fence leaves this at the word (`meeting`). A strong read takes it, and the next fence or barrier makes it known.
 * Between blocks, the releases at a word are a list that only grows (`channel`). A warp's knowledge is the lengths of
 * such lists.
 *
 * The race_*.c files call it. It does not know what is accessed.
 */
#include "race.h"

#include <stdlib.h>
#include <string.h>

#include "race_visits.h"

#define MEETINGS 4096  /* words of a block that are tracked separately, at most */
#define KNOWN_MOST 256 /* channels that a warp knows, at most */
#define LOOK_BACK 64   /* releases of a block at a word that are looked at */
#define GATHERS 1     /* beside the address of an mbarrier: what arrivals of its phase bring */

/* ---- what is seen of a warp ---- */

static void join_one(struct seen *a, const struct seen *b)
{
    uint32_t all = a->all > b->all ? a->all : b->all;
    bool more_a = a->some > all, more_b = b->some > all;

    if (more_a && more_b) { /* of two fronts the further one, for the lanes of both: errs on the side of order */
        a->some = a->some > b->some ? a->some : b->some;
        a->lanes |= b->lanes;
    } else if (more_b) {
        a->some = b->some;
        a->lanes = b->lanes;
    } else if (!more_a) {
        a->some = a->lanes = 0;
    }
    a->all = a->lanes == FULL_MASK ? a->some : all;
}

static void join(struct seen *into, const struct seen *from, uint32_t warps)
{
    for (uint32_t n = 0; n < warps; n++)
        join_one(&into[n], &from[n]);
}

static bool covers(const struct seen *s, uint32_t time, unsigned lane)
{
    return time < s->all || (time < s->some && (lane >= LANES || s->lanes >> lane & 1));
}

/* The lanes of the warp whose accesses so far are ordered before those of `lanes`, some of them only in part. */
static uint32_t lanes_behind(const struct order *o, uint32_t lanes)
{
    for (uint32_t n = o->sync_count; n-- > 0;)
        if (o->syncs[n].lanes & lanes)
            lanes |= o->syncs[n].lanes;
    return lanes;
}

/* What the lanes `lanes` of the warp make known of their own warp now. */
static struct seen seen_of_self(const struct warp *w, uint32_t lanes)
{
    const struct order *o = w->order;
    uint32_t now = *w->block->time + 1;

    lanes = lanes_behind(o, lanes);
    if ((w->live & ~lanes) == 0)
        return (struct seen){now, 0, 0};
    return (struct seen){o->base, now, lanes};
}

bool race_lanes_ordered(const struct order *o, unsigned warp, uint32_t time, unsigned other, unsigned l)
{
    uint32_t reach;

    if (time < o->base || other == l)
        return true;
    if (covers(&o->clock[warp], time, other))
        return true;
    reach = other < LANES ? 1u << other : 0;
    for (uint32_t n = 0; n < o->sync_count; n++)
        if (o->syncs[n].at > time && (o->syncs[n].lanes & reach || (other == LANES && o->syncs[n].lanes >> l & 1)))
            reach |= o->syncs[n].lanes;
    return reach >> l & 1;
}

bool race_warps_ordered(const struct order *o, uint32_t time, unsigned warp, unsigned lane)
{
    return covers(&o->clock[warp], time, lane);
}

void race_lanes_meet(struct warp *w, uint32_t lanes)
{
    struct order *o = w->order;
    uint32_t at;

    if (!o)
        return;
    at = ++*w->block->time;
    if ((w->live & ~lanes) == 0) {
        o->base = at;
        o->sync_count = 0;
        return;
    }
    if (o->sync_count == SYNCS) {
        o->base = o->syncs[0].at;
        memmove(o->syncs, o->syncs + 1, (SYNCS - 1) * sizeof *o->syncs);
        o->sync_count--;
    }
    o->syncs[o->sync_count].at = at;
    o->syncs[o->sync_count++].lanes = lanes;
}

void race_lanes_pass(struct warp *w, uint32_t lanes)
{
    struct order *o = w->order;

    if (!o || !o->touched || w->live & ~lanes)
        return;
    o->touched = false;
    o->reads_base = ++*w->block->time;
}

/* ---- what blocks know of each other ---- */

/* A release at a word, by a block; or a strong store there that releases nothing: then `front` is empty. */
struct entry {
    uint32_t block;
    uint32_t before; /* index of the block's one before, plus 1; 0: none */
    struct front front;
    struct front reads; /* reads that were over: what others write after they saw the store cannot reach them */
};

struct channel {
    uint64_t address;
    struct channel *next;
    struct entry *entries;
    uint32_t count, capacity;
    uint32_t *last;        /* hash by block: index of its last entry, plus 1 */
    uint32_t last_size;    /* a power of two */
    struct knowledge known; /* what those who released here knew */
};

static const struct knowledge no_knowledge;

#define BUCKETS 1024

struct grid_order {
    uint32_t time;
    struct visits visits;
    struct channel *buckets[BUCKETS];
};

struct grid_order *race_grid_create(uint32_t time)
{
    struct grid_order *g = calloc(1, sizeof *g);

    if (g)
        g->time = time;
    return g;
}

void race_grid_destroy(struct grid_order *g)
{
    for (unsigned n = 0; g && n < BUCKETS; n++)
        while (g->buckets[n]) {
            struct channel *c = g->buckets[n];

            g->buckets[n] = c->next;
            free(c->entries);
            free(c->last);
            free(c->known.items);
            free(c);
        }
    free(g);
}

uint32_t *race_grid_time(struct grid_order *g) { return &g->time; }

struct visits *race_grid_visits(struct grid_order *g) { return g ? &g->visits : NULL; }

static uint64_t hash_of(uint64_t address) { return (address >> 2) * 0x9E3779B97F4A7C15u >> 40; }

static struct channel *channel_at(struct grid_order *g, uint64_t address, bool make)
{
    struct channel **at = &g->buckets[hash_of(address) % BUCKETS], *c;

    for (c = *at; c; c = c->next)
        if (c->address == address)
            return c;
    if (!make || !(c = calloc(1, sizeof *c)))
        return NULL;
    c->address = address;
    c->next = *at;
    return *at = c;
}

/* The bit of knowledge.filter for the channel. */
static unsigned filter_bit(const struct channel *channel)
{
    return (unsigned)((uintptr_t)channel * 0x9E3779B97F4A7C15u >> 32) % (sizeof((struct knowledge *)NULL)->filter * 8);
}

/* What warps know grows in the same order for all of them, so an item's place is mostly behind that of the last one. */
static struct known *find_known(struct knowledge *k, const struct channel *channel)
{
    unsigned bit = filter_bit(channel);

    if (k->next < k->count && k->items[k->next].channel == channel)
        return &k->items[k->next++];
    if (k->count == 0)
        memset(k->filter, 0, sizeof k->filter);
    else if (!(k->filter[bit / 64] >> (bit % 64) & 1))
        return NULL;
    for (uint32_t n = 0; n < k->count; n++)
        if (k->items[n].channel == channel) {
            k->next = n + 1;
            return &k->items[n];
        }
    return NULL;
}

static void learn(struct knowledge *k, struct known item)
{
    struct known *old = find_known(k, item.channel);

    if (old) {
        if (item.length > old->length)
            old->length = item.length;
        return;
    }
    if (k->count == k->capacity) {
        uint32_t capacity = k->capacity ? 2 * k->capacity : 4;
        struct known *items = capacity <= KNOWN_MOST ? realloc(k->items, capacity * sizeof *items) : NULL;

        if (!items) {
            k->everything = true;
            return;
        }
        k->items = items;
        k->capacity = capacity;
    }
    k->items[k->count++] = item;
    k->filter[filter_bit(item.channel) / 64] |= UINT64_C(1) << filter_bit(item.channel) % 64;
}

static void learn_all(struct knowledge *into, const struct knowledge *from)
{
    into->everything |= from->everything;
    for (uint32_t n = 0; n < from->count && !into->everything; n++)
        learn(into, from->items[n]);
}

/* The place in the hash for `block`: its own, or an empty one. */
static uint32_t *last_of(const struct channel *c, uint32_t block)
{
    uint32_t at = (uint32_t)(block * 0x9E3779B9u) & (c->last_size - 1);

    while (c->last[at] && c->entries[c->last[at] - 1].block != block)
        at = (at + 1) & (c->last_size - 1);
    return &c->last[at];
}

static bool channel_grow(struct channel *c)
{
    uint32_t capacity = c->capacity ? 2 * c->capacity : 16;
    struct entry *entries = realloc(c->entries, capacity * sizeof *entries);
    uint32_t *last;

    if (!entries)
        return false;
    c->entries = entries;
    if (!(last = calloc(2 * (size_t)capacity, sizeof *last)))
        return false;
    free(c->last);
    c->last = last;
    c->capacity = capacity;
    c->last_size = 2 * capacity;
    for (uint32_t n = 0; n < c->count; n++)
        *last_of(c, c->entries[n].block) = n + 1;
    return true;
}

static void channel_add(struct channel *c, uint32_t block, const struct front *front, const struct front *reads,
                        const struct knowledge *known)
{
    const struct entry *old;
    uint32_t *last;

    learn_all(&c->known, known);
    if (c->count == c->capacity && !channel_grow(c)) {
        c->known.everything = true;
        return;
    }
    last = last_of(c, block);
    old = *last ? &c->entries[*last - 1] : NULL;
    if (old && !memcmp(&old->front, front, sizeof *front) && !memcmp(&old->reads, reads, sizeof *reads))
        return;
    c->entries[c->count] = (struct entry){block, *last, *front, *reads};
    *last = ++c->count;
}

static bool front_covers(const struct front *f, uint32_t time, unsigned warp, unsigned lane)
{
    return time < f->all ||
           (time < f->some && f->warps >> warp & 1 && (lane >= LANES || f->lanes >> lane & 1));
}

static bool channel_covers(const struct known *k, uint32_t block, uint32_t time, unsigned warp, unsigned lane,
                           bool reads)
{
    const struct channel *c = k->channel;
    uint32_t at = c->last_size ? *last_of(c, block) : 0;
    int looks = 0;

    while (at > k->length)
        at = c->entries[at - 1].before;
    for (; at && looks < LOOK_BACK; at = c->entries[at - 1].before, looks++) {
        const struct entry *e = &c->entries[at - 1];

        if (front_covers(reads ? &e->reads : &e->front, time, warp, lane))
            return true;
    }
    return looks == LOOK_BACK;
}

static bool knows(const struct knowledge *k, uint32_t time, uint32_t block, unsigned warp, unsigned lane, bool reads)
{
    bool covered = k->everything;

    for (uint32_t n = 0; n < k->count && !covered; n++)
        covered = channel_covers(&k->items[n], block, time, warp, lane, reads);
    return covered;
}

bool race_blocks_ordered(const struct warp *w, uint32_t time, uint32_t block, unsigned warp, unsigned lane)
{
    return knows(&w->order->known, time, block, warp, lane, false);
}

bool race_read_over(const struct warp *w, uint32_t time, uint32_t block, unsigned warp, unsigned lane)
{
    return knows(&w->order->known, time, block, warp, lane, true) ||
           (w->order->pending_any && knows(&w->order->pending_known, time, block, warp, lane, true));
}

/* What the warp makes known of its whole block now. */
static struct front front_of(const struct warp *w, uint32_t lanes)
{
    const struct block *b = w->block;
    struct seen self = seen_of_self(w, lanes);
    struct front f = {self.all, 0, 0, 0};

    for (uint32_t n = 0; n < b->warp_count; n++) {
        uint32_t all = w->order->clock[n].all > b->t0 ? w->order->clock[n].all : b->t0;

        if (n != w->index && all < f.all)
            f.all = all;
    }
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const struct seen *s = n == w->index ? &self : &w->order->clock[n];
        uint32_t most = s->all > s->some ? s->all : s->some;

        if (most <= f.all)
            continue;
        f.warps |= 1u << n;
        f.lanes |= s->all >= s->some ? FULL_MASK : s->lanes;
        f.some = most > f.some ? most : f.some;
    }
    return f;
}

/* ---- fences, and the words behind them ---- */

static struct meeting *meeting_at(struct block *b, uint64_t address, bool make)
{
    uint32_t at, size = b->meeting_size;

    if (size == 0 && !make)
        return NULL;
    if (make && 2 * b->meeting_count >= size && size < MEETINGS) {
        uint32_t larger = size ? 4 * size : 16;
        struct meeting *old = b->meetings, *fresh = calloc(larger, sizeof *fresh);

        if (!fresh)
            return NULL;
        b->meetings = fresh;
        b->meeting_size = larger;
        b->meeting_count = 0;
        for (uint32_t n = 0; n < size; n++)
            if (old[n].address)
                *meeting_at(b, old[n].address, true) = old[n];
        free(old);
        size = larger;
    }
    for (at = (uint32_t)hash_of(address) & (size - 1); b->meetings[at].address; at = (at + 1) & (size - 1))
        if (b->meetings[at].address == address)
            return &b->meetings[at];
    if (!make)
        return NULL;
    if (b->meeting_count + 1 >= size) { /* the words beyond the limit share one meeting */
        return &b->meetings[0];
    }
    b->meeting_count++;
    b->meetings[at].address = address;
    return &b->meetings[at];
}

/* Applies what strong reads have brought: between blocks only where the fence reaches them. */
static void take_pending(struct warp *w, bool far)
{
    struct order *o = w->order;

    if (!o->pending_any)
        return;
    join(o->clock, o->pending, w->block->warp_count);
    if (far) {
        learn_all(&o->known, &o->pending_known);
        o->pending_known.count = 0;
        o->pending_known.everything = false;
        o->pending_any = false;
    }
    /* What has an earlier time is before this; what others do from now on is not. Without an event nothing is new. */
    if (*w->block->time > o->acquired)
        o->acquired = ++*w->block->time;
}

static void note_release(struct warp *w, uint32_t lanes, enum scope scope)
{
    struct order *o = w->order;
    struct seen self = seen_of_self(w, lanes);

    memcpy(o->released, o->clock, w->block->warp_count * sizeof *o->clock);
    join_one(&o->released[w->index], &self);
    if (scope > SCOPE_BLOCK && w->block->launch->grid_order)
        o->front = front_of(w, lanes);
    if (scope > o->released_scope)
        o->released_scope = scope;
    w->block->fenced = w->block->cluster_releases = true;
}

void race_fence(struct warp *w, enum scope scope)
{
    if (!w->order || scope == SCOPE_NONE)
        return;
    take_pending(w, scope > SCOPE_BLOCK);
    note_release(w, w->mask, scope);
    ++*w->block->time;
}

void race_publish(struct warp *w, uint64_t address, uint32_t lanes, enum scope scope, bool release, bool store)
{
    static const struct front nothing;
    struct order *o = w->order;
    struct grid_order *g = w->block->launch->grid_order;
    struct front reads = nothing;
    struct meeting *m;
    struct channel *c;

    if (w->block->launch->kernel->polls)
        race_give_way(w);
    if (release) {
        note_release(w, lanes, scope);
        ++*w->block->time;
    }
    if (o->released_scope != SCOPE_NONE && (m = meeting_at(w->block, address, true)))
        join(m->clock, o->released, w->block->warp_count);
    if (!g || scope <= SCOPE_BLOCK || (!store && !o->front.all))
        return;
    if (store)
        reads = front_of(w, lanes);
    if ((c = channel_at(g, address, true)))
        channel_add(c, race_block_name(w->block), &o->front, &reads, o->front.all ? &o->known : &no_knowledge);
}

void race_acquire(struct warp *w, uint64_t address, enum scope scope, bool acquire)
{
    struct order *o = w->order;
    struct grid_order *g = w->block->launch->grid_order;
    const struct meeting *m = meeting_at(w->block, address, false);
    const struct channel *c = g && scope > SCOPE_BLOCK ? channel_at(g, address, false) : NULL;

    if (m) {
        if (!o->pending_any)
            memset(o->pending, 0, sizeof o->pending);
        join(o->pending, m->clock, w->block->warp_count);
        o->pending_any = true;
    }
    if (c) {
        if (!o->pending_any)
            memset(o->pending, 0, sizeof o->pending);
        learn(&o->pending_known, (struct known){c, c->count});
        learn_all(&o->pending_known, &c->known);
        o->pending_any = true;
    }
    if (acquire)
        take_pending(w, scope > SCOPE_BLOCK);
}

/* ---- barriers ---- */

void race_arrive(struct warp *w, struct barrier *x, uint32_t lanes)
{
    if (!w->order)
        return;
    take_pending(w, true); /* a barrier orders the threads' accesses as a fence does, in all that is known to run */
    if (x->expected) { /* else it is the block's: see race_block_meets() */
        struct seen self = seen_of_self(w, lanes);

        join(x->join, w->order->clock, w->block->warp_count);
        join_one(&x->join[w->index], &self);
        ++*w->block->time;
    }
    if (w->block->launch->grid_order)
        learn_all(&w->block->barrier_known[x - w->block->barriers], &w->order->known);
}

void race_release(struct block *b, struct barrier *x, uint32_t warp, uint32_t lanes)
{
    struct warp *w = &b->warps[warp];
    struct order *o = w->order;

    if (!o)
        return;
    if (x->expected)
        join(o->clock, x->join, b->warp_count);
    if (b->launch->grid_order)
        learn_all(&o->known, &b->barrier_known[x - b->barriers]);
    if (!x->expected) /* race_block_meets() follows */
        return;
    race_lanes_meet(w, lanes);
    o->acquired = *b->time;
}

bool race_barrier_taken(const struct warp *w, const struct barrier *x)
{
    const struct block *b = w->block;

    if (!w->order || !x->met || x->met >> w->index & 1 || x->over < b->t0)
        return false;
    for (uint32_t n = 0; n < b->warp_count; n++)
        if (x->met >> n & 1 && race_warps_ordered(w->order, x->over, n, LANES))
            return false;
    return true;
}

void race_barrier_done(struct block *b, unsigned number)
{
    struct barrier *x = &b->barriers[number];

    x->met = 0;
    for (uint32_t n = 0; b->time && x->expected && n < b->warp_count; n++)
        x->met |= x->arrived[n] ? 1u << n : 0;
    if (x->met)
        x->over = (*b->time)++;
    b->barrier_known[number].count = 0;
    b->barrier_known[number].everything = false;
}

/*
 * If threads fence before a barrier, each of them counts as fenced after it: fence, barrier, then one thread counts.
 */
static void share_fences(struct block *b)
{
    struct seen all[WARPS_PER_BLOCK];
    struct front front = {0, 0, 0, 0};
    enum scope scope = SCOPE_NONE;

    memset(all, 0, sizeof all);
    for (uint32_t n = 0; n < b->warp_count; n++) {
        const struct order *o = b->warps[n].order;

        if (o->released_scope == SCOPE_NONE)
            continue;
        scope = o->released_scope > scope ? o->released_scope : scope;
        join(all, o->released, b->warp_count);
        front.all = o->front.all > front.all ? o->front.all : front.all;
        front.some = o->front.some > front.some ? o->front.some : front.some;
        front.warps |= o->front.warps;
        front.lanes |= o->front.lanes;
    }
    for (uint32_t n = 0; n < b->warp_count; n++) {
        struct order *o = b->warps[n].order;

        memcpy(o->released, all, b->warp_count * sizeof *all);
        o->front = front;
        o->released_scope = scope;
    }
    b->fenced = false;
}

void race_block_meets(struct block *b)
{
    if (!b->time)
        return;
    if (b->fenced)
        share_fences(b);
    b->t0 = ++*b->time;
    b->log_used = 0; /* see race_shared.c */
    b->read_chunks = 0;
    b->write_chunks = b->copy_chunks ? race_copies_under_way(b) : 0;
    for (uint32_t n = 0; n < b->warp_count; n++) {
        struct order *o = b->warps[n].order;

        o->base = o->acquired = b->t0;
        o->sync_count = 0;
    }
}

void race_cluster_meets(struct block **group, uint32_t count, bool orders)
{
    struct knowledge all = {.items = NULL};

    for (uint32_t g = 0; g < count && !orders; g++)
        if (group[g]->time)
            group[g]->cluster_met = ++*group[g]->time;
    if (!orders)
        return;
    for (uint32_t g = 0; g < count; g++)
        for (uint32_t n = 0; group[g]->time && n < group[g]->warp_count; n++) {
            take_pending(&group[g]->warps[n], true);
            learn_all(&all, &group[g]->warps[n].order->known);
        }
    for (uint32_t g = 0; g < count; g++) {
        if (!group[g]->time)
            continue;
        race_block_meets(group[g]);
        for (uint32_t n = 0; n < group[g]->warp_count; n++)
            learn_all(&group[g]->warps[n].order->known, &all);
    }
    for (uint32_t g = 0; g < count; g++)
        if (group[g]->time)
            group[g]->cluster_t0 = group[g]->cluster_met = group[0]->t0;
    free(all.items);
}

/* ---- barriers in memory ---- */

void race_mbarrier_arrive(struct warp *w, uint64_t address, uint32_t lanes, bool release)
{
    struct meeting *m;
    struct grid_order *g = w->block->launch->grid_order;
    struct channel *c;

    if (!w->order)
        return;
    if (release)
        note_release(w, lanes, SCOPE_CLUSTER);
    ++*w->block->time;
    if (!release && w->order->released_scope == SCOPE_NONE)
        return;
    if ((m = meeting_at(w->block, address | GATHERS, true)))
        join(m->clock, w->order->released, w->block->warp_count);
    if (g && w->order->front.all && (c = channel_at(g, address, true)))
        channel_add(c, race_block_name(w->block), &w->order->front, &w->order->front, &w->order->known);
}

/* The block of the cluster in whose shared memory the barrier is. A store from another block may complete its phase. */
static struct block *owner_of(const struct warp *w, uint64_t address)
{
    struct block *b = w->block;

    for (uint32_t n = 0; b->cluster && n < b->launch->cluster_blocks; n++)
        if (address - (uintptr_t)b->cluster[n]->shared < b->cluster[n]->shared_size)
            return b->cluster[n];
    return b;
}

void race_mbarrier_flip(struct warp *w, uint64_t address)
{
    struct block *b = owner_of(w, address);
    struct meeting *done = w->order ? meeting_at(b, address, true) : NULL;
    struct meeting *gathered = w->order ? meeting_at(b, address | GATHERS, true) : NULL;

    done = w->order ? meeting_at(b, address, false) : NULL; /* the table may have grown */
    if (!done || !gathered)
        return;
    join(done->clock, gathered->clock, b->warp_count);
    memcpy(done->copied, gathered->copied, sizeof done->copied);
    race_give_way(w);
}

void race_mbarrier_copies(struct warp *w, uint64_t address, uint32_t lanes)
{
    struct meeting *m;
    uint32_t upto;

    if (!w->order)
        return;
    upto = ++*w->block->time; /* so that the arrival makes the copies known */
    race_mbarrier_arrive(w, address, lanes, true);
    if (address - (uintptr_t)w->block->shared >= w->block->shared_size) { /* another block's */
        race_note_wait(&w->order->copies, upto, upto - 1, true);
        return;
    }
    if ((m = meeting_at(w->block, address | GATHERS, true)))
        m->copied[w->index] = upto;
}

void race_mbarrier_wait(struct warp *w, uint64_t address, bool acquire)
{
    const struct meeting *m;

    if (!w->order)
        return;
    race_acquire(w, address, SCOPE_CLUSTER, acquire);
    m = meeting_at(w->block, address, false);
    for (uint32_t n = 0; m && n < w->block->warp_count; n++) {
        uint32_t upto = m->copied[n], at;

        if (upto && !race_copy_done(&w->block->warps[n], upto - 1, false, &at))
            race_note_wait(&w->block->warps[n].order->copies, upto, upto - 1, false);
    }
}

/* ---- blocks ---- */

/* The filter may stay: it means nothing without items. */
static void forget(struct knowledge *k)
{
    k->items = NULL;
    k->count = k->capacity = k->next = 0;
    k->everything = false;
}

static void drop_knowledge(struct knowledge *k)
{
    free(k->items);
    forget(k);
}

void race_block_start(struct block *b)
{
    b->proxy_time = b->bulk_count = 0;
    for (uint32_t n = 0; n < b->warp_count; n++) {
        struct order *o = b->warps[n].order;

        memset(o, 0, offsetof(struct order, clock));
        memset(o->clock, 0, b->warp_count * sizeof *o->clock);
        memset(o->released, 0, b->warp_count * sizeof *o->released);
        memset(o->pending, 0, b->warp_count * sizeof *o->pending);
        forget(&o->known);
        forget(&o->pending_known);
        o->recent_count = o->stores.commit_count = o->stores.wait_count = 0;
        for (unsigned r = 0; r < RECENTS; r++)
            o->recent[r].time = 0;
        o->base = b->t0;
    }
}

void race_block_end(struct block *b)
{
    for (uint32_t n = 0; b->time && n < b->warp_count; n++) {
        drop_knowledge(&b->warps[n].order->known);
        drop_knowledge(&b->warps[n].order->pending_known);
    }
    for (unsigned n = 0; n < BARRIERS; n++)
        drop_knowledge(&b->barrier_known[n]);
    free(b->shades);
    b->shades = NULL;
    free(b->matrix_reads);
    b->matrix_reads = NULL;
    free(b->meetings);
    b->meetings = NULL;
    b->meeting_size = b->meeting_count = 0;
}
