/*
 * feature_order.c - puts the instructions of a straight run in the order in which ptxas would.
 *
 * ptxas moves instructions within a straight run: loads up, so that they overlap. Here that is list scheduling: of the
 * instructions whose operands are there, the one on the longest path to the run's end goes first.
 */
#include <stdlib.h>

#include "feature_step.h"

enum { CHUNK = 128 /* instructions that are ordered together */ };

struct chunk {
    struct costs *costs;
    uint32_t count;
    uint32_t item[CHUNK];        /* steps */
    double after[CHUNK][CHUNK];  /* [i][j], i < j: clocks that j issues after i at least; below 0: any order */
    double height[CHUNK];        /* clocks from its issue to the chunk's end */
};

static bool meet(const struct costs *c, uint32_t a, uint32_t b)
{
    if (!a || !b)
        return false;
    for (const uint32_t *x = &c->registers[a]; *x; x++)
        for (const uint32_t *y = &c->registers[b]; *y; y++)
            if (*x == *y)
                return true;
    return false;
}

static bool ordered(unsigned a, unsigned b)
{
    if ((a | b) & ORDER_ALL)
        return true;
    if (a & ORDER_STORE_GLOBAL)
        return b & (ORDER_LOAD_GLOBAL | ORDER_STORE_GLOBAL);
    if (a & ORDER_STORE_SHARED)
        return b & (ORDER_LOAD_SHARED | ORDER_STORE_SHARED);
    return (a & ORDER_LOAD_GLOBAL && b & ORDER_STORE_GLOBAL) || (a & ORDER_LOAD_SHARED && b & ORDER_STORE_SHARED);
}

/* A barrier stops accesses and jumps, not arithmetic. */
static bool is_access(const struct cost_step *s)
{
    return s->order || s->wait != WAIT_NONE;
}

static double gap(const struct costs *c, uint32_t a, uint32_t b)
{
    const struct cost_step *i = &c->steps[a], *j = &c->steps[b];

    if (meet(c, i->writes, j->reads))
        return i->latency;
    if (meet(c, i->writes, j->writes) || meet(c, i->reads, j->writes))
        return 0;
    return ordered(i->order, j->order) && is_access(i) && is_access(j) ? 0 : -1;
}

static void measure(struct chunk *x)
{
    for (uint32_t i = x->count; i-- > 0;) {
        x->height[i] = x->costs->steps[x->item[i]].latency;
        for (uint32_t j = i + 1; j < x->count; j++) {
            x->after[i][j] = gap(x->costs, x->item[i], x->item[j]);
            if (x->after[i][j] >= 0 && x->after[i][j] + x->height[j] > x->height[i])
                x->height[i] = x->after[i][j] + x->height[j];
        }
    }
}

/* The next instruction to issue at `now`: the highest of those that are ready, else the one that is ready first. */
static uint32_t choose(const struct chunk *x, const bool *done, const double *ready, double now)
{
    uint32_t best = x->count;

    for (uint32_t j = 0; j < x->count; j++) {
        bool free = !done[j];

        for (uint32_t i = 0; i < j && free; i++)
            free = done[i] || x->after[i][j] < 0;
        if (!free)
            continue;
        if (best == x->count || (ready[best] > now && ready[j] < ready[best]) ||
            (ready[j] <= now && x->height[j] > x->height[best]))
            best = j;
    }
    return best;
}

static bool push_order(struct costs *c, uint32_t step)
{
    if (c->order_used == c->order_capacity) {
        size_t capacity = c->order_capacity ? 2 * c->order_capacity : 4096;
        uint32_t *more = realloc(c->order, capacity * sizeof *more);

        if (!more)
            return false;
        c->order = more;
        c->order_capacity = capacity;
    }
    c->order[c->order_used++] = step;
    return true;
}

static bool order_chunk(struct chunk *x)
{
    bool done[CHUNK] = {false};
    double ready[CHUNK] = {0}, now = 0;

    measure(x);
    for (uint32_t n = 0; n < x->count; n++) {
        uint32_t i = choose(x, done, ready, now);
        double start = ready[i] > now ? ready[i] : now;

        done[i] = true;
        now = start + x->costs->steps[x->item[i]].slots;
        for (uint32_t j = i + 1; j < x->count; j++)
            if (x->after[i][j] >= 0 && start + x->after[i][j] > ready[j])
                ready[j] = start + x->after[i][j];
        if (!push_order(x->costs, x->item[i]))
            return false;
    }
    x->count = 0;
    return true;
}

static bool order_run(struct costs *c, struct schedule *s)
{
    struct chunk *x = malloc(sizeof *x);
    bool good = x != NULL;

    if (!good)
        return false;
    x->costs = c;
    x->count = 0;
    s->first = c->order_used;
    for (uint32_t at = s->from; good && at < s->to && at < c->count; at++)
        if (c->steps[at].known) {
            x->item[x->count++] = at;
            good = x->count < CHUNK || order_chunk(x);
        }
    good = good && order_chunk(x);
    s->count = c->order_used - s->first;
    free(x);
    return good;
}

/* ---- the table ---- */

static struct schedule *place_of(const struct costs *c, uint32_t from, uint32_t to)
{
    size_t at = ((uint64_t)from * 0x9E3779B97F4A7C15u ^ (uint64_t)to * 0xC2B2AE3D27D4EB4Fu) >> 20;

    for (;; at++) {
        struct schedule *s = &c->schedules[at & (c->schedule_size - 1)];

        if (!s->to || (s->from == from && s->to == to))
            return s;
    }
}

static bool grow(struct costs *c)
{
    struct schedule *old = c->schedules;
    size_t size = c->schedule_size;

    c->schedule_size = size ? 2 * size : 256;
    c->schedules = calloc(c->schedule_size, sizeof *c->schedules);
    if (!c->schedules) {
        c->schedules = old;
        c->schedule_size = size;
        return false;
    }
    for (size_t n = 0; n < size; n++)
        if (old[n].to)
            *place_of(c, old[n].from, old[n].to) = old[n];
    free(old);
    return true;
}

const struct schedule *costs_schedule(struct costs *c, uint32_t from, uint32_t to)
{
    struct schedule *s;

    if (2 * c->schedule_count >= c->schedule_size && !grow(c))
        return NULL;
    s = place_of(c, from, to);
    if (s->to)
        return s;
    *s = (struct schedule){.from = from, .to = to};
    c->schedule_count++;
    return order_run(c, s) ? s : NULL;
}
