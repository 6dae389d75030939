/*
 * feature_walk.c - walks along the path of a warp that is alone on a multiprocessor.
 *
 * A warp issues the instructions of a run in the order of feature_order.c and waits for operands. What it waits for
 * memory is counted apart, in units of a typical latency, so that the latencies of a GPU can be put in later.
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

static bool walk_run(struct warp_path *p, struct costs *costs, const struct probe_path *path,
                     const struct probe_run *run)
{
    const struct schedule *s = costs_schedule(costs, run->from, run->to);

    if (!s)
        return false;
    p->sum->instructions += run->to - run->from;
    memset(&p->flying, 0, sizeof p->flying);
    for (size_t k = 0; k < s->count; k++) {
        uint32_t at = costs->order[s->first + k];

        step_on(p, &costs->steps[at], costs->steps[at].wait == WAIT_LOAD ? load_of(path, run, at) : NULL);
    }
    return true;
}

bool costs_walk(struct costs *costs, const struct probe_path *path, struct walk *sum)
{
    struct warp_path *p = calloc(1, sizeof *p);
    bool good = p != NULL && (p->ready = calloc(costs->register_count + 1, sizeof *p->ready));

    if (good) {
        p->costs = costs;
        p->sum = sum;
    }
    for (uint32_t n = 0; good && n < path->count; n++) {
        good = walk_run(p, costs, path, &path->runs[n]);
        if (n + 1 < path->count && path->runs[n + 1].from != path->runs[n].to) {
            p->now += TAKEN_BRANCH;
            p->sum->clocks += TAKEN_BRANCH;
        }
    }
    if (p)
        free(p->ready);
    free(p);
    return good;
}
