/*
 * order_nodes.c - the check of streams inside a graph: two of its nodes collide if they touch the same bytes, one of
 * them writes, and no path of edges leads from one to the other.
 *
 * An instantiated graph knows which nodes come before each node. A kernel behind a programmatic edge comes after the
 * kernel ahead when it has waited for it (queue.c: begin_early()). Most graphs are chains, and are not looked at.
 *
 * In the others the map of machine/traffic.h is taken after each node, so that each node has bytes of its own. Before a
 * node runs, the bytes of earlier nodes that are not ordered with it are entered as those of others. When the graph is
 * through, the bytes of all its nodes are noted again, for the node of an outer graph, and for other streams.
 *
 * graph.c calls it when a graph is instantiated, work.c when it runs.
 */
#include "order.h"
#include "graph_edge.h"

#include <stdio.h>
#include <stdlib.h>

enum { NODES_MOST = 2048 }; /* of a graph; larger ones are not looked at */

#define BITS 64

/* ------------------------------------------------------------------ the order of a graph's nodes */

static size_t row_words(size_t count)
{
    return (count + BITS - 1) / BITS;
}

static bool has_bit(const uint64_t *rows, size_t count, size_t row, size_t bit)
{
    return rows[row * row_words(count) + bit / BITS] >> bit % BITS & 1;
}

/* Whether `second` may begin while `first` runs, although it depends on it: a programmatic edge. */
static bool is_alongside(const struct CUgraphExec_st *exec, size_t first, size_t second)
{
    return has_bit(exec->before + exec->count * row_words(exec->count), exec->count, second, first);
}

static bool comes_before(const struct CUgraphExec_st *exec, size_t first, size_t second)
{
    return has_bit(exec->before, exec->count, second, first) && !is_alongside(exec, first, second);
}

/* Whether the edge lets the kernel begin before the one ahead of it is over. */
static bool lets_begin(const struct work *ahead, const cudaGraphEdgeData *edge)
{
    return edge->type == cudaGraphDependencyTypeProgrammatic && ahead->kind == WORK_KERNEL &&
           (edge->from_port == cudaGraphKernelNodePortLaunchCompletion ||
            (ahead->kernel.entry->kernel && sim_kernel_facts(ahead->kernel.entry->kernel)->lets_begin));
}

static bool touches_memory(const struct exec_step *step)
{
    return step->child || step->bodies || step->work.kind == WORK_KERNEL || step->work.kind == WORK_COPY ||
           step->work.kind == WORK_SET;
}

static bool has_unordered(const struct CUgraphExec_st *exec)
{
    for (size_t i = 0; i < exec->count; i++)
        for (size_t j = 0; j < i && touches_memory(&exec->steps[i]); j++)
            if (touches_memory(&exec->steps[j]) && !comes_before(exec, j, i))
                return true;
    return false;
}

/* The nodes inside of a step may be unordered, too. */
static bool is_unordered_inside(const struct exec_step *step)
{
    if (step->child && step->child->unordered)
        return true;
    for (unsigned n = 0; step->bodies && n < step->work.condition.count; n++)
        if (step->bodies[n]->unordered)
            return true;
    return false;
}

void nodes_instantiated(struct CUgraphExec_st *exec)
{
    size_t words = row_words(exec->count);

    exec->before = exec->count <= NODES_MOST ? calloc(2 * exec->count * words + 1, sizeof *exec->before) : NULL;
    for (size_t i = 0; exec->before && i < exec->count; i++) {
        const struct CUgraphNode_st *node = exec->steps[i].node;

        for (size_t d = 0; d < node->dependency_count; d++) {
            size_t earlier = node->dependencies[d]->mark - 1;
            cudaGraphEdgeData edge = edge_of(node, d);

            if (lets_begin(&exec->steps[earlier].work, &edge))
                exec->before[(exec->count + i) * words + earlier / BITS] |= UINT64_C(1) << earlier % BITS;
            for (size_t n = 0; n < words; n++)
                exec->before[i * words + n] |= exec->before[earlier * words + n];
            exec->before[i * words + earlier / BITS] |= UINT64_C(1) << earlier % BITS;
        }
    }
    exec->unordered = exec->before && has_unordered(exec);
    if (!exec->unordered) {
        free(exec->before);
        exec->before = NULL;
    }
    for (size_t i = 0; i < exec->count; i++)
        exec->unordered |= is_unordered_inside(&exec->steps[i]);
}

/* ------------------------------------------------------------------ a graph that runs */

static void note_spans(struct runtime *runtime, const struct traffic_span *spans, size_t count)
{
    for (size_t n = 0; n < count; n++)
        traffic_note(runtime->traffic, spans[n].low, spans[n].high, spans[n].kinds);
}

/* Whether the step has run, and nothing orders it with the one that runs. */
static bool is_rival(const struct graph_run *run, size_t step)
{
    return run->spans[step] && step < run->at && !comes_before(run->exec, step, run->at);
}

static struct order_touched touched_by(const struct graph_run *run, size_t step)
{
    return (struct order_touched){ &run->exec->steps[step].work, run->spans[step], run->counts[step] };
}

static const char *step_name(const struct exec_step *step)
{
    return step->child ? "a child graph" : order_name(&step->work);
}

void nodes_note_others(struct runtime *runtime)
{
    for (const struct graph_run *run = runtime->graph_run; run; run = run->outer)
        for (size_t step = 0; step < run->exec->count; step++)
            for (size_t n = 0; is_rival(run, step) && n < run->counts[step]; n++)
                traffic_note_other(runtime->traffic, run->spans[step][n].low, run->spans[step][n].high,
                                   run->spans[step][n].kinds);
}

bool nodes_tell(struct runtime *runtime, uint64_t address, unsigned kinds, char *text, size_t size)
{
    const struct work kernel = { .kind = WORK_KERNEL };

    for (const struct graph_run *run = runtime->graph_run; run; run = run->outer)
        for (size_t step = 0; step < run->exec->count; step++) {
            const struct order_touched theirs = touched_by(run, step);
            const struct traffic_span *span = is_rival(run, step) ? order_find(&theirs, address) : NULL;

            bool alongside = span && is_alongside(run->exec, step, run->at);

            if (!span || (alongside && kinds & TRAFFIC_AWAITED) ||
                !order_collide(&kernel, kinds & ~TRAFFIC_TOLD, theirs.work, span->kinds))
                continue;
            snprintf(text, size, "%s at %s, in a node of a graph; another node (%s) %s it, and %s",
                     kinds & (TRAFFIC_WRITE | TRAFFIC_STRONG_WRITE) ? "write" : "read",
                     order_place(runtime, address).text, step_name(&run->exec->steps[step]),
                     order_verb(theirs.work, span->kinds),
                     alongside ? "the edge between them is programmatic: only cudaGridDependencySynchronize() waits"
                               : "no edges order the two");
            return true;
        }
    return false;
}

/* Copies and fills are compared when they are over. Kernels are compared while they run. */
static void compare_copy(struct runtime *runtime, const struct graph_run *run, const struct order_touched *own)
{
    unsigned kinds, others;
    char text[700];
    uint64_t address;

    for (size_t step = 0; step < run->exec->count; step++) {
        const struct order_touched theirs = touched_by(run, step);
        const char *name = step_name(&run->exec->steps[step]);

        if (!is_rival(run, step) || !order_first_collision(own, &theirs, &address, &kinds, &others) ||
            !order_is_new(runtime, order_name(own->work), name))
            continue;
        snprintf(text, sizeof text,
                 "in a node of a graph, %s memory at %s; another node (%s) %s it, and no edges order the two",
                 order_verb(own->work, kinds), order_place(runtime, address).text, name,
                 order_verb(theirs.work, others));
        order_report(runtime, FAULT_STREAM_RACE, order_name(own->work), address, text);
    }
}

void nodes_begin(struct runtime *runtime, const struct CUgraphExec_st *exec, struct graph_run *run)
{
    *run = (struct graph_run){ .exec = exec };
    if (!runtime->noting || !runtime->traffic || !exec->before)
        return;
    run->spans = calloc(exec->count, sizeof *run->spans);
    run->counts = calloc(exec->count, sizeof *run->counts);
    if (!run->spans || !run->counts) {
        free(run->spans);
        free(run->counts);
        run->spans = NULL;
        return;
    }
    traffic_take(runtime->traffic, &run->earlier, &run->earlier_count);
    run->outer = runtime->graph_run;
    runtime->graph_run = run;
}

void nodes_step(struct runtime *runtime, struct graph_run *run, size_t step)
{
    if (!run->spans)
        return;
    run->at = step;
    order_note_others(runtime);
}

void nodes_step_over(struct runtime *runtime, struct graph_run *run, const struct work *work)
{
    struct order_touched own = { .work = work };
    struct traffic_span *spans;

    if (!runtime->noting)
        return;
    if ((work->kind == WORK_COPY || work->kind == WORK_SET) && order_take_spans(work, &spans, &own.count)) {
        own.spans = spans;
        for (const struct graph_run *each = runtime->graph_run; each; each = each->outer)
            compare_copy(runtime, each, &own);
        note_spans(runtime, spans, own.count);
        free(spans);
    }
    if (run->spans)
        traffic_take(runtime->traffic, &run->spans[run->at], &run->counts[run->at]);
}

void nodes_end(struct runtime *runtime, struct graph_run *run)
{
    if (!run->spans)
        return;
    runtime->graph_run = run->outer;
    for (size_t step = 0; step < run->exec->count; step++) {
        note_spans(runtime, run->spans[step], run->counts[step]);
        free(run->spans[step]);
    }
    note_spans(runtime, run->earlier, run->earlier_count);
    free(run->earlier);
    free(run->spans);
    free(run->counts);
    order_note_others(runtime);
}
