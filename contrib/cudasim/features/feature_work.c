/* feature_work.c - sums the costs of what a launch executed, and scales what the probes saw to the whole launch. */
#include "feature_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feature_sass.h"
#include "contrib/cudasim/machine/inside.h"
#include "contrib/cudasim/machine/machine.h"
#include "contrib/cudasim/machine/probe.h"

enum { PROBE_SUMS = sizeof(struct probe_counts) / sizeof(uint64_t) };

struct work {
    struct sim *sim;
    const struct sim_kernel *kernel;
    struct costs *costs;
    struct sass *sass;   /* NULL: its machine code is not known */
    uint32_t count;      /* instructions of the program */
    uint64_t *before;    /* [count] warps that had executed each */
    double *executed;    /* [count] weighted */
    struct probe_counts last;              /* of the probes, at the last call */
    double counted[PROBE_SUMS];            /* what they counted since, weighted, in the order of struct probe_counts */
};

/* Adds to to[count] how many warps executed each instruction so far. */
static void read_counts(const struct work *w, uint64_t *to)
{
    const struct kernel_use *use = w->kernel->use;

    memset(to, 0, w->count * sizeof *to);
    for (unsigned k = 0; use && use->counters && k < w->sim->worker_count; k++) {
        const int64_t *diff = use->counters[k].warp_diff;
        int64_t warps = 0;

        for (uint32_t n = 0; diff && n < w->count; n++) {
            warps += diff[n];
            to[n] += (uint64_t)warps;
        }
    }
}

/* The costs of the kernel's program and its machine code, made at its first launch. False without memory. */
static bool read_code(const struct sim_kernel *kernel, struct features_code *code)
{
    const struct sim_module *m = kernel->module;

    if (!code->costs)
        code->costs = costs_create(m->program);
    if (!code->looked && m->text)
        code->sass = sass_create(m->program, m->text, m->text_size, kernel->function->ptx->name);
    code->looked = true;
    return code->costs != NULL;
}

struct work *work_begin(struct sim *sim, const struct sim_kernel *kernel, struct features_code *code)
{
    struct work *w = read_code(kernel, code) ? calloc(1, sizeof *w) : NULL;

    if (!w)
        return NULL;
    *w = (struct work){.sim = sim, .kernel = kernel, .costs = code->costs, .sass = code->sass,
                       .count = kernel->module->program->code_count};
    w->before = calloc(w->count + 1, sizeof *w->before);
    w->executed = calloc(w->count + 1, sizeof *w->executed);
    if (!w->before || !w->executed) {
        work_drop(w);
        return NULL;
    }
    read_counts(w, w->before);
    probe_reset(sim, code->data_addresses);
    return w;
}

static void take_probes(struct work *w, double weight)
{
    struct probe_most most;
    uint64_t *before = (uint64_t *)&w->last;
    struct probe_counts now = probe_sum(w->sim, &most);
    const uint64_t *after = (const uint64_t *)&now;

    for (int n = 0; n < PROBE_SUMS; n++)
        w->counted[n] += weight * (double)(after[n] - before[n]);
    w->last = now;
}

bool work_take(struct work *w, double weight)
{
    uint64_t *now = malloc((w->count + 1) * sizeof *now);

    if (!now)
        return false;
    read_counts(w, now);
    for (uint32_t n = 0; n < w->count; n++)
        w->executed[n] += weight * (double)(now[n] - w->before[n]);
    take_probes(w, weight);
    free(w->before);
    w->before = now;
    return true;
}

void work_drop(struct work *w)
{
    if (!w)
        return;
    free(w->before);
    free(w->executed);
    free(w);
}

/* ---- the columns ---- */

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* Passes over shared memory of the instruction, of each time that a warp executed it. */
static double passes_of(const struct work *w, uint32_t index)
{
    const struct kernel_use *use = w->kernel->use;
    uint32_t event = w->kernel->module->program->code[index].event;
    uint64_t passes = 0, requests = 0;

    for (unsigned k = 0; event && use && use->counters && k < w->sim->worker_count; k++)
        if (use->counters[k].events) {
            passes += use->counters[k].events[event - 1].units;
            requests += use->counters[k].events[event - 1].requests;
        }
    return ratio((double)passes, (double)requests);
}

static void fill_pipes(const struct work *w, double *v)
{
    struct cost sum = {0}, once = {0};
    double constants = 0, fixed = 0;

    for (uint32_t n = 0; n < w->count; n++)
        if (w->executed[n] > 0) {
            constants += w->executed[n] * costs_constants(w->costs, n);
            fixed += costs_fixed(w->costs, n) ? w->executed[n] : 0;
            costs_add(w->costs, n, w->executed[n], &sum);
            costs_add(w->costs, n, 1, &once);
        }
    v[FEATURE_CONSTANT_UNIFORM] = constants;
    v[FEATURE_CONSTANT_FIXED] = fixed;
    v[FEATURE_ISSUE] = sum.slots;
    v[FEATURE_CODE] = once.slots;
    for (int pipe = 0; pipe < PIPES; pipe++)
        v[FEATURE_BUSY_ALU + pipe] = sum.busy[pipe];
}

/* Of each line of the PTX. */
struct by_line {
    double *executed;           /* [lines] how many warps executed its instruction */
    struct sass_loads *loads;   /* [lines] */
};

enum { NEAR_LOADS = 64 /* a warp's last ones: what it asked for before them is there */ };

/* Whether this warp asked for the load's first line not long ago. */
static bool asked_before(const struct probe_path *path, uint32_t load)
{
    for (uint32_t n = load; n > 0 && load - n < NEAR_LOADS; n--)
        if (path->loads[n - 1].line == path->loads[load].line)
            return true;
    return false;
}

/* A young line is on its way: the warp that asked for it before waits for the rest, another one as long as for any. */
static void note_load(struct sass_loads *line, const struct probe_path *path, uint32_t load)
{
    const struct probe_load *x = &path->loads[load];

    line->count++;
    if (x->found && !x->young)
        line->found++;
    else if (x->found && asked_before(path, load))
        line->coming++;
}

static void find_lines(const struct work *w, struct by_line *x, size_t lines)
{
    const struct ins *code = w->kernel->module->program->code;

    for (uint32_t n = 0; n < w->count; n++)
        if (code[n].line < lines && w->executed[n] > x->executed[code[n].line])
            x->executed[code[n].line] = w->executed[n];
    for (unsigned k = 0; k < w->sim->worker_count; k++) {
        const struct probe *p = w->sim->workers[k].probe;

        for (unsigned n = 0; p && n < p->path_count; n++) {
            for (uint32_t r = 0; r < p->paths[n].count; r++)
                for (uint32_t at = p->paths[n].runs[r].from; at < p->paths[n].runs[r].to; at++)
                    if (code[at].line < lines)
                        x->loads[code[at].line].walked = true;
            for (uint32_t l = 0; l < p->paths[n].load_count; l++)
                if (code[p->paths[n].loads[l].at].line < lines)
                    note_load(&x->loads[code[p->paths[n].loads[l].at].line], &p->paths[n], l);
        }
    }
}

/*
 * Passes over shared memory that the machine code does not have: ptxas loads up to four neighbouring words at once,
 * which takes as many passes as one of them. What is nearly as often there as in the PTX is taken to be as often.
 */
#define AS_OFTEN 0.8

static bool find_merged(const struct work *w, double *merged)
{
    const struct ins *code = w->kernel->module->program->code;
    double *accesses = calloc(w->sass->lines + 1, sizeof *accesses);

    *merged = 0;
    if (!accesses)
        return false;
    sass_accesses(w->sass, accesses);
    for (uint32_t n = 0; n < w->count; n++) {
        double kept = ratio(code[n].line < w->sass->lines ? accesses[code[n].line] : 0, w->executed[n]);

        if (w->executed[n] > 0 && costs_loads_shared(w->costs, n) && kept < AS_OFTEN)
            *merged += (1 - kept) * w->executed[n] * passes_of(w, n);
    }
    free(accesses);
    return true;
}

/* The columns of a launch whose machine code is known. */
static bool fill_sass(const struct work *w, double warps, double *v)
{
    size_t lines = w->sass->lines;
    struct by_line x = {calloc(lines + 1, sizeof *x.executed), calloc(lines + 1, sizeof *x.loads)};
    struct cost sum = {0}, once = {0};
    struct walk walk = {0};
    double merged = 0;
    bool good = x.executed && x.loads;

    if (good) {
        find_lines(w, &x, lines);
        sass_count(w->sass, x.executed, warps);
        sass_costs(w->sass, &sum, &once);
        sass_walk(w->sass, x.loads, warps, &walk);
        good = find_merged(w, &merged);
    }
    if (good) {
        v[FEATURE_MACHINE] = 1;
        v[FEATURE_SHARED_MERGED] = merged;
        v[FEATURE_ISSUE] = sum.slots;
        v[FEATURE_CODE] = once.slots;
        v[FEATURE_BUSY_LSU] += sum.busy[PIPE_LSU];
        for (int pipe = PIPE_ALU; pipe <= PIPE_XU; pipe++)
            v[FEATURE_BUSY_ALU + pipe] = sum.busy[pipe];
        v[FEATURE_CHAIN] = walk.clocks;
        /* Which fences are of a block alone the PTX says. */
        walk.waits[WAIT_FENCE] = 0;
        for (uint32_t n = 0; n < w->count; n++)
            walk.waits[WAIT_FENCE] += costs_fences(w->costs, n) ? ratio(w->executed[n], warps) : 0;
        for (int wait = 0; wait < WAITS; wait++)
            v[wait == WAIT_HIT ? FEATURE_WAIT_HIT : FEATURE_WAIT_LOAD + wait] = walk.waits[wait];
    }
    free(x.executed);
    free(x.loads);
    return good;
}

/* The paths are of some warps, up to a length: the mean warp executes `instructions`. */
static bool fill_path(const struct work *w, double instructions, double *v)
{
    struct walk walk = {0};
    double scale;

    for (unsigned k = 0; k < w->sim->worker_count; k++) {
        const struct probe *p = w->sim->workers[k].probe;

        for (unsigned n = 0; p && n < p->path_count; n++)
            if (!costs_walk(w->costs, &p->paths[n], &walk))
                return false;
    }
    scale = ratio(instructions, walk.instructions);
    v[FEATURE_CHAIN] = walk.clocks * scale;
    for (int wait = 0; wait < WAITS; wait++)
        v[wait == WAIT_HIT ? FEATURE_WAIT_HIT : FEATURE_WAIT_LOAD + wait] = walk.waits[wait] * scale;
    return true;
}

/*
 * Atomic lanes at the hottest word of the whole launch. Blocks that share it add up, blocks with words of their own do
 * not: the number grows as a power of the blocks, which those looked at give.
 */
static double hottest(double each, double looked_at, double hot, double blocks)
{
    double mean = ratio(each, looked_at), power;

    if (mean <= 0)
        return 0;
    power = looked_at > 1 ? log(fmax(hot / mean, 1)) / log(looked_at) : 1;
    return mean * pow(blocks, fmin(power, 1));
}

/* The column of each weighted sum of the probes, scaled from the blocks looked at to all. */
static const struct {
    size_t from;
    enum feature to;
} scaled[] = {
#define SUM(field, column) {offsetof(struct probe_counts, field) / sizeof(uint64_t), FEATURE_##column}
    SUM(load_requests, LOAD_REQUESTS), SUM(load_sectors, LOAD_SECTORS), SUM(load_lines, LOAD_LINES),
    SUM(load_hits, LOAD_HITS), SUM(load_found, LOAD_FOUND), SUM(store_requests, STORE_REQUESTS),
    SUM(store_sectors, STORE_SECTORS), SUM(store_lines, STORE_LINES), SUM(local_lines, LOCAL_LINES),
    SUM(constant_requests, CONSTANT_REQUESTS), SUM(constant_words, CONSTANT_WORDS),
    SUM(atomic_requests, ATOMIC_REQUESTS), SUM(atomic_lanes, ATOMIC_LANES), SUM(atomic_words, ATOMIC_WORDS),
    SUM(atomic_sectors, ATOMIC_SECTORS), SUM(shared_atomic_requests, SHARED_ATOMICS),
    SUM(shared_atomic_rounds, SHARED_ROUNDS), SUM(load_fresh, LOAD_FRESH), SUM(store_fresh, STORE_FRESH),
    SUM(loop_rounds, SHARED_LOOPS), SUM(heap_calls, HEAP), SUM(print_calls, PRINTS),
    SUM(child_launches, CHILDREN), SUM(local_stores, LOCAL_STORES), SUM(print_lanes, PRINT_LANES),
    SUM(nested_launches, CHILD_NESTED), SUM(heap_live, HEAP_LIVE), SUM(in_place, IN_PLACE),
    SUM(load_passes, LOAD_PASSES), SUM(store_passes, STORE_PASSES)
#undef SUM
};

static void fill_memory(const struct work *w, double blocks, double *v)
{
    struct probe_most most;
    struct probe_counts c = probe_sum(w->sim, &most);
    double scale = ratio(blocks, w->counted[offsetof(struct probe_counts, blocks) / sizeof(uint64_t)]);

    v[FEATURE_LONGEST] = ratio((double)c.longest_sum * (double)c.all_warps,
                               (double)c.all_blocks * (double)c.instructions);
    v[FEATURE_BLOCK_MOST] = ratio((double)c.block_most * (double)c.all_blocks, (double)c.instructions);
    for (size_t n = 0; n < sizeof scaled / sizeof *scaled; n++)
        v[scaled[n].to] = scale * w->counted[scaled[n].from];
    v[FEATURE_ATOMIC_HOT] = hottest((double)c.hot_block, (double)c.blocks, (double)most.hot, blocks);
    v[FEATURE_ATOMIC_MEET] = hottest((double)c.meet_block, (double)c.blocks, (double)most.meet, blocks) / 10;
    v[FEATURE_ATOMIC_TURNS] = hottest((double)c.turn_block, (double)c.blocks, (double)most.turn, blocks) / 10;
    v[FEATURE_ATOMIC_ROUNDS] = hottest((double)c.rounds_block, (double)c.blocks, (double)most.rounds, blocks) / 10;
    v[FEATURE_CONSTANT_LINES] = (double)most.constants;
    v[FEATURE_SWAPS] = hottest((double)c.swap_block, (double)c.blocks, (double)most.swap, blocks);
    v[FEATURE_LOADS_LONGEST] = ratio((double)c.loads_longest * (double)c.warps,
                                     (double)c.blocks * (double)c.load_requests);
    v[FEATURE_LOADS_MOST] = ratio((double)c.loads_most * (double)c.warps, (double)c.load_requests);
    v[FEATURE_SHARED_LOOPS] /= 10;
    v[FEATURE_LOAD_PASSES] /= 4;
    v[FEATURE_STORE_PASSES] /= 4;
    v[FEATURE_HEAP_LIVE] = ratio(v[FEATURE_HEAP_LIVE], v[FEATURE_HEAP]);
}

bool work_end(struct work *w, double blocks, double warps, double value[FEATURE_COUNT])
{
    bool good;

    fill_pipes(w, value);
    good = w->sass ? fill_sass(w, warps, value)
                   : fill_path(w, ratio(value[FEATURE_WARP_INSTRUCTIONS], warps), value);
    fill_memory(w, blocks, value);
    work_drop(w);
    return good;
}
