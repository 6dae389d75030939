/*
 * feature_walk.c - walks along the path of a warp that is alone on a multiprocessor.
 *
 * A warp issues the instructions of a run in the order of feature_order.c and waits for operands. Rounds of a loop that
 * ptxas made one of are one run (feature_loops.c). What the warp waits for memory is counted apart, in units of a
 * typical latency, so that the latencies of a GPU can be put in later.
 */
#include <stdlib.h>
#include <string.h>

#include "feature_step.h"
#include "contrib/cudasim/machine/probe.h"

#define TAKEN_BRANCH 6.0 /* clocks until the instruction at a jump's target issues */

static const double typical[WAITS] = {[WAIT_LOAD] = 300, [WAIT_SHARED] = 29,  [WAIT_ATOMIC] = 600,
                                      [WAIT_CONSTANT] = 30, [WAIT_BARRIER] = 20, [WAIT_FENCE] = 600,
                                      [WAIT_HIT] = 42};
#define LINE_CLOCKS 2.0 /* for each further line of a load that L1 has */

/* ---- the walk ---- */

struct ready {
    double at;  /* clocks */
    int wait;   /* enum wait: what it is that comes then */
};

enum { FLYING = 64 /* lines */ };

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
    struct ready done[MOST_POSITIONS]; /* what the steps of a loop's rounds give, by their positions */
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
static void step_on(struct warp_path *p, const struct placed *item, const struct probe_load *load)
{
    const struct cost_step *s = &p->costs->steps[item->step];
    double start = p->now, latency = item->gone ? 0 : s->latency, slots = s->slots;
    int wait = WAIT_NONE, kind = s->wait;

    for (const uint32_t *r = &p->costs->registers[item->reads]; item->reads && *r; r++) {
        const struct ready *from = *r & SOURCE ? &p->done[*r - SOURCE] : &p->ready[*r];

        if (from->at > start) {
            start = from->at;
            wait = from->wait;
        }
    }
    if (wait != WAIT_NONE) {
        p->sum->waits[wait] += (start - p->now) / typical[wait];
        p->sum->clocks -= start - p->now;
    }
    p->sum->clocks += start + slots - p->now;
    p->now = start + slots;
    if (!s->writes && s->wait != WAIT_NONE) { /* barriers and fences wait for themselves */
        p->sum->waits[s->wait]++;
        p->now += s->latency;
    }
    if (load)
        latency = latency_of(&p->flying, load, start, &kind);
    else if (s->near != WAIT_LOAD)
        latency = typical[s->near], kind = s->near;
    p->done[item->position] = (struct ready){start + latency, kind};
    for (const uint32_t *r = &p->costs->registers[s->writes]; item->last && s->writes && *r; r++)
        p->ready[*r] = (struct ready){start + latency, kind};
}

/* Rounds of a run that are executed as one; runs[n] of them is where the loads of round n are. */
static bool walk_rounds(struct warp_path *p, struct costs *costs, const struct probe_path *path,
                        const struct probe_run *runs, unsigned rounds)
{
    const struct schedule *s = costs_schedule(costs, runs->from, runs->to, rounds);

    if (!s)
        return false;
    p->sum->instructions += (double)rounds * (runs->to - runs->from);
    memset(&p->flying, 0, sizeof p->flying);
    for (size_t k = 0; k < s->count; k++) {
        const struct placed *item = &costs->order[s->first + k];

        step_on(p, item, costs->steps[item->step].wait == WAIT_LOAD ?
                load_of(path, &runs[item->round], item->step) : NULL);
    }
    return true;
}

static void jump(struct warp_path *p)
{
    p->now += TAKEN_BRANCH;
    p->sum->clocks += TAKEN_BRANCH;
}

/* How many runs from the first on are the same one, each of which jumps back to its start. */
static uint32_t repeats(const struct probe_run *run, uint32_t left)
{
    uint32_t count = 1;

    while (count < left && run[count].from == run->from && run[count].to == run->to)
        count++;
    return count;
}

/*
 * A loop of `count` rounds, of which ptxas made one of every few. What is left takes rounds of half as many. A round
 * after the last jump back is part of a longer run, and comes as one of its own.
 */
static bool walk_loop(struct warp_path *p, struct costs *costs, const struct probe_path *path,
                      const struct probe_run *runs, uint32_t count, unsigned rounds)
{
    bool good = true;

    for (uint32_t n = 0; good && n < count; n += rounds) {
        while (rounds > count - n)
            rounds /= 2;
        good = walk_rounds(p, costs, path, &runs[n], rounds);
        jump(p);
    }
    return good;
}

bool costs_walk(struct costs *costs, const struct probe_path *path, struct walk *sum)
{
    struct warp_path *p = calloc(1, sizeof *p);
    bool good = p != NULL && (p->ready = calloc(costs->register_count + 1, sizeof *p->ready));

    if (good) {
        p->costs = costs;
        p->sum = sum;
    }
    for (uint32_t n = 0; good && n < path->count;) {
        const struct probe_run *run = &path->runs[n];
        uint32_t left = path->count - n, count = repeats(run, left);
        unsigned rounds = count > 1 ? costs_unrolled(costs, run->from, run->to) : 1;

        if (rounds > 1) {
            good = walk_loop(p, costs, path, run, count, rounds);
        } else {
            count = 1;
            good = walk_rounds(p, costs, path, run, 1);
            if (left > 1 && run[1].from != run->to)
                jump(p);
        }
        n += count;
    }
    if (p)
        free(p->ready);
    free(p);
    return good;
}
