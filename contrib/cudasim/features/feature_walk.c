/*
 * feature_walk.c - walks along the path of a warp that is alone on a multiprocessor.
 *
 * ptxas moves instructions within a straight run: loads up, so that they overlap. The walk orders a run by list
 * scheduling: of the instructions whose operands are there, the one on the longest path to the run's end goes first. A
 * warp issues in this order and waits for operands. What it waits for memory is counted apart, in units of a typical
 * latency, so that the latencies of a GPU can be put in later.
 */
#include <stdlib.h>
#include <string.h>

#include "feature_step.h"
#include "contrib/cudasim/machine/probe.h"

enum { CHUNK = 128 /* instructions that are ordered together */ };
#define TAKEN_BRANCH 6.0 /* clocks until the instruction at a jump's target issues */

static const double typical[WAITS] = {[WAIT_LOAD] = 300, [WAIT_SHARED] = 29,  [WAIT_ATOMIC] = 600,
                                      [WAIT_CONSTANT] = 30, [WAIT_BARRIER] = 20, [WAIT_FENCE] = 600,
                                      [WAIT_HIT] = 42};
#define LINE_CLOCKS 2.0 /* for each further line of a load that L1 has */

/* ---- the order of a run ---- */

struct chunk {
    const struct costs *costs;
    uint32_t step[CHUNK];             /* indices of steps */
    uint32_t count;
    double after[CHUNK][CHUNK];       /* [i][j], i < j: clocks that j issues after i at least; below 0: any order */
    double height[CHUNK];             /* clocks from its issue to the chunk's end */
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

static double gap(const struct costs *c, const struct cost_step *i, const struct cost_step *j)
{
    if (meet(c, i->writes, j->reads))
        return i->latency;
    if (meet(c, i->writes, j->writes) || meet(c, i->reads, j->writes))
        return 0;
    return ordered(i->order, j->order) && is_access(i) && is_access(j) ? 0 : -1;
}

static void measure(struct chunk *x)
{
    const struct costs *c = x->costs;

    for (uint32_t i = x->count; i-- > 0;) {
        const struct cost_step *s = &c->steps[x->step[i]];

        x->height[i] = s->latency;
        for (uint32_t j = i + 1; j < x->count; j++) {
            x->after[i][j] = gap(c, s, &c->steps[x->step[j]]);
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

static bool order_chunk(struct costs *c, struct chunk *x)
{
    bool done[CHUNK] = {false};
    double ready[CHUNK] = {0}, now = 0;

    measure(x);
    for (uint32_t n = 0; n < x->count; n++) {
        uint32_t i = choose(x, done, ready, now);
        double start = ready[i] > now ? ready[i] : now;

        done[i] = true;
        now = start + c->steps[x->step[i]].slots;
        for (uint32_t j = i + 1; j < x->count; j++)
            if (x->after[i][j] >= 0 && start + x->after[i][j] > ready[j])
                ready[j] = start + x->after[i][j];
        if (!push_order(c, x->step[i]))
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
    for (uint32_t at = s->from; good && at < s->to && at < c->count; at++) {
        if (c->steps[at].known)
            x->step[x->count++] = at;
        if (x->count == CHUNK)
            good = order_chunk(c, x);
    }
    good = good && order_chunk(c, x);
    s->count = c->order_used - s->first;
    free(x);
    return good;
}

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

/* The run's order; NULL without memory. Runs come again and again: each is ordered once. */
static const struct schedule *schedule_of(struct costs *c, uint32_t from, uint32_t to)
{
    struct schedule *s;

    if (2 * c->schedule_count >= c->schedule_size && !grow(c))
        return NULL;
    s = place_of(c, from, to);
    if (s->to)
        return s;
    s->from = from;
    s->to = to;
    c->schedule_count++;
    return order_run(c, s) ? s : NULL;
}

/* ---- the walk ---- */

struct ready {
    double at;  /* clocks */
    int wait;   /* enum wait: what it is that comes then */
};

enum { FLYING = 16 /* lines */ };

/* Lines that a run asked for last, and when they are there. */
struct flying {
    uint64_t line[FLYING]; /* plus 1 */
    double there[FLYING];  /* clocks */
    unsigned next;
};

struct warp_path {
    const struct costs *costs;
    struct flying flying;
    struct ready *ready; /* [register_count] */
    struct walk *sum;
    double now;
};

/* The load that the instruction code[at] is in a run; NULL: it is none from global memory, or no lane took it. */
static const struct probe_load *load_of(const struct probe_path *path, const struct probe_run *run, uint32_t at)
{
    for (uint32_t n = run->load; n < path->load_count && path->loads[n].at >= run->from &&
         path->loads[n].at < run->to; n++)
        if (path->loads[n].at == at)
            return &path->loads[n];
    return NULL;
}

/*
 * The clocks of a load that starts at `start`. L1 has the line of a young one as soon as it is there: since the run
 * asked for it. If the run did not, another warp did at about the same time.
 */
static double latency_of(struct flying *f, const struct probe_load *load, double start, int *kind)
{
    double near = typical[WAIT_HIT] + LINE_CLOCKS * (load->lines - 1), far = typical[WAIT_LOAD];

    for (unsigned n = 0; load->found && load->young && n < FLYING; n++)
        if (f->line[n] == load->line + 1)
            far = f->there[n] - start;
    if (load->found && (!load->young || far <= near)) {
        *kind = WAIT_HIT;
        return near;
    }
    if (far == typical[WAIT_LOAD]) {
        f->line[f->next % FLYING] = load->line + 1;
        f->there[f->next++ % FLYING] = start + far;
    }
    return far;
}

/* The instruction issues once its operands are there. load: where global memory has its data; NULL: not there. */
static void step_on(struct warp_path *p, const struct cost_step *s, const struct probe_load *load)
{
    double start = p->now, latency = s->latency;
    int wait = WAIT_NONE, kind = s->wait;

    for (const uint32_t *r = &p->costs->registers[s->reads]; s->reads && *r; r++)
        if (p->ready[*r].at > start) {
            start = p->ready[*r].at;
            wait = p->ready[*r].wait;
        }
    if (wait != WAIT_NONE) {
        p->sum->waits[wait] += (start - p->now) / typical[wait];
        p->sum->clocks -= start - p->now;
    }
    p->sum->clocks += start + s->slots - p->now;
    p->now = start + s->slots;
    if (!s->writes && s->wait != WAIT_NONE) { /* barriers and fences wait for themselves */
        p->sum->waits[s->wait]++;
        p->now += s->latency;
    }
    if (load)
        latency = latency_of(&p->flying, load, start, &kind);
    else if (s->near != WAIT_LOAD)
        latency = typical[s->near], kind = s->near;
    for (const uint32_t *r = &p->costs->registers[s->writes]; s->writes && *r; r++)
        p->ready[*r] = (struct ready){start + latency, kind};
}

bool costs_walk(struct costs *costs, const struct probe_path *path, struct walk *sum)
{
    struct warp_path p = {.costs = costs, .sum = sum, .ready = calloc(costs->register_count + 1, sizeof *p.ready)};
    bool good = p.ready != NULL;

    for (uint32_t n = 0; good && n < path->count; n++) {
        const struct probe_run *run = &path->runs[n];
        const struct schedule *s = schedule_of(costs, run->from, run->to);

        good = s != NULL;
        sum->instructions += run->to - run->from;
        memset(&p.flying, 0, sizeof p.flying);
        for (size_t k = 0; good && k < s->count; k++) {
            uint32_t at = costs->order[s->first + k];
            const struct cost_step *step = &costs->steps[at];

            step_on(&p, step, step->wait == WAIT_LOAD ? load_of(path, run, at) : NULL);
        }
        if (n + 1 < path->count && path->runs[n + 1].from != run->to) {
            p.now += TAKEN_BRANCH;
            sum->clocks += TAKEN_BRANCH;
        }
    }
    free(p.ready);
    return good;
}
