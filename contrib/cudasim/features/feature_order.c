/*
 * feature_order.c - puts the instructions of a straight run in the order in which ptxas would.
 *
 * ptxas moves instructions within a straight run: loads up, so that they overlap. Here that is list scheduling: of the
 * instructions whose operands are there, the one on the longest path to the run's end goes first. Where ptxas made one
 * round of several rounds of a loop, these are one run. Registers then get other names in each round, so only values
 * that are read order instructions, and memory.
 */
#include <stdlib.h>

#include "feature_step.h"

enum { CHUNK = 128 /* instructions that are ordered together */, CHUNK_OF_ROUNDS = 256 };

struct chunk {
    struct costs *costs;
    uint32_t limit, count;
    struct placed item[CHUNK_OF_ROUNDS];
    double after[CHUNK_OF_ROUNDS][CHUNK_OF_ROUNDS]; /* [i][j], i < j: clocks that j issues after i at least; below 0: */
                                                    /* any order */
    double height[CHUNK_OF_ROUNDS];                 /* clocks from its issue to the chunk's end */
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

static bool lists(const struct costs *c, uint32_t list, uint32_t value)
{
    for (const uint32_t *x = &c->registers[list]; list && *x; x++)
        if (*x == value)
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

/* Whether b, later in the program, reads what a writes. */
static bool feeds(const struct chunk *x, const struct placed *a, const struct placed *b)
{
    const struct costs *c = x->costs;

    if (x->limit == CHUNK)
        return meet(c, c->steps[a->step].writes, b->reads);
    return lists(c, b->reads, SOURCE + a->position);
}

static double gap(const struct chunk *x, const struct placed *a, const struct placed *b)
{
    const struct costs *c = x->costs;
    const struct cost_step *i = &c->steps[a->step], *j = &c->steps[b->step];

    if (feeds(x, a, b))
        return a->gone ? 0 : i->latency;
    if (a->round == b->round && (meet(c, i->writes, j->writes) || meet(c, i->reads, j->writes)))
        return 0;
    return ordered(i->order, j->order) && is_access(i) && is_access(j) ? 0 : -1;
}

static void measure(struct chunk *x)
{
    for (uint32_t i = x->count; i-- > 0;) {
        const struct placed *a = &x->item[i];

        x->height[i] = a->gone ? 0 : x->costs->steps[a->step].latency;
        for (uint32_t j = i + 1; j < x->count; j++) {
            x->after[i][j] = gap(x, a, &x->item[j]);
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

static bool push_order(struct costs *c, const struct placed *item)
{
    if (c->order_used == c->order_capacity) {
        size_t capacity = c->order_capacity ? 2 * c->order_capacity : 4096;
        struct placed *more = realloc(c->order, capacity * sizeof *more);

        if (!more)
            return false;
        c->order = more;
        c->order_capacity = capacity;
    }
    c->order[c->order_used++] = *item;
    return true;
}

static bool order_chunk(struct chunk *x)
{
    bool done[CHUNK_OF_ROUNDS] = {false};
    double ready[CHUNK_OF_ROUNDS] = {0}, now = 0;

    measure(x);
    for (uint32_t n = 0; n < x->count; n++) {
        uint32_t i = choose(x, done, ready, now);
        double start = ready[i] > now ? ready[i] : now;

        done[i] = true;
        now = start + x->costs->steps[x->item[i].step].slots;
        for (uint32_t j = i + 1; j < x->count; j++)
            if (x->after[i][j] >= 0 && start + x->after[i][j] > ready[j])
                ready[j] = start + x->after[i][j];
        if (!push_order(x->costs, &x->item[i]))
            return false;
    }
    x->count = 0;
    return true;
}

static bool add(struct chunk *x, const struct placed *item)
{
    x->item[x->count++] = *item;
    return x->count < x->limit || order_chunk(x);
}

/* ---- rounds of a loop ---- */

/* The steps of a round that cost something, at most MOST_POSITIONS. */
struct body {
    uint32_t step[MOST_POSITIONS];
    uint32_t count;
};

static void read_body(const struct costs *c, uint32_t from, uint32_t to, struct body *b)
{
    b->count = 0;
    for (uint32_t at = from; at < to && at < c->count && b->count < MOST_POSITIONS; at++)
        if (c->steps[at].known)
            b->step[b->count++] = at;
}

/* Whether the value is for the jump back alone: a round has nobody else who reads it. */
static bool is_condition(const struct costs *c, const struct body *b, uint32_t i)
{
    const struct cost_step *s = &c->steps[b->step[i]];
    bool any = false;

    for (uint32_t j = 0; s->writes && j < b->count; j++)
        if (meet(c, s->writes, c->steps[b->step[j]].reads)) {
            if (j + 1 < b->count)
                return false;
            any = true;
        }
    return any;
}

/* Where the value of a register comes from that step i reads in a round: SOURCE + a position, or the register. */
static uint32_t source_of(const struct costs *c, const struct body *b, uint32_t reg, uint32_t round, uint32_t i)
{
    for (uint32_t back = i + round * b->count; back-- > 0;)
        if (lists(c, c->steps[b->step[back % b->count]].writes, reg))
            return SOURCE + back;
    return reg;
}

static uint32_t sources_of(struct costs *c, const struct body *b, uint32_t round, uint32_t i)
{
    uint32_t reads = c->steps[b->step[i]].reads, start = (uint32_t)c->used;

    if (!reads)
        return 0;
    for (; c->registers[reads]; reads++)
        costs_push(c, source_of(c, b, c->registers[reads], round, i));
    costs_push(c, 0);
    return start;
}

/* Between rounds ptxas needs no jump, no condition for it, and no counting: the offsets of addresses do that. */
static bool order_rounds(struct chunk *x, uint32_t from, uint32_t to, uint32_t rounds)
{
    struct costs *c = x->costs;
    struct body *b = malloc(sizeof *b);
    bool good = b != NULL;

    if (good)
        read_body(c, from, to, b);
    for (uint32_t n = 0; good && n < rounds * b->count; n++) {
        uint32_t round = n / b->count, i = n % b->count;
        bool last = round + 1 == rounds;
        struct placed item = {b->step[i], sources_of(c, b, round, i), (uint16_t)n, last,
                              !last && (i + 1 == b->count || c->steps[b->step[i]].counts || is_condition(c, b, i)),
                              (uint8_t)round};

        good = !c->failed && add(x, &item);
    }
    free(b);
    return good;
}

static bool order_run(struct costs *c, struct schedule *s)
{
    struct chunk *x = malloc(sizeof *x);
    bool good = x != NULL;

    if (!good)
        return false;
    x->costs = c;
    x->count = 0;
    x->limit = s->rounds > 1 ? CHUNK_OF_ROUNDS : CHUNK;
    s->first = c->order_used;
    if (s->rounds > 1)
        good = order_rounds(x, s->from, s->to, s->rounds);
    for (uint32_t at = s->from; s->rounds == 1 && good && at < s->to && at < c->count; at++)
        if (c->steps[at].known)
            good = add(x, &(struct placed){.step = at, .reads = c->steps[at].reads, .last = true});
    good = good && order_chunk(x);
    s->count = c->order_used - s->first;
    free(x);
    return good;
}

/* ---- the table ---- */

static struct schedule *place_of(const struct costs *c, uint32_t from, uint32_t to, uint32_t rounds)
{
    size_t at = ((uint64_t)from * 0x9E3779B97F4A7C15u ^ (uint64_t)to * 0xC2B2AE3D27D4EB4Fu) >> 20;

    for (;; at++) {
        struct schedule *s = &c->schedules[at & (c->schedule_size - 1)];

        if (!s->to || (s->from == from && s->to == to && s->rounds == rounds))
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
            *place_of(c, old[n].from, old[n].to, old[n].rounds) = old[n];
    free(old);
    return true;
}

const struct schedule *costs_schedule(struct costs *c, uint32_t from, uint32_t to, unsigned rounds)
{
    struct schedule *s;

    if (2 * c->schedule_count >= c->schedule_size && !grow(c))
        return NULL;
    s = place_of(c, from, to, rounds);
    if (s->to)
        return s;
    *s = (struct schedule){.from = from, .to = to, .rounds = rounds};
    c->schedule_count++;
    return order_run(c, s) ? s : NULL;
}
