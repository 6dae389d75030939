/*
 * count.c - sums the counts of kernels for the report: by class of instruction, and by source line.
 *
 * Workers count differences over the code (warp.h, count_line()). This file turns them into counts per instruction.
 */
#include <stdlib.h>
#include <string.h>

#include "count.h"
#include "inside.h"

const char *sim_class_name(enum sim_class class)
{
    static const char *const names[] = {
        [CLASS_COMPUTATION] = "computation",
        [CLASS_CONTROL] = "control",
        [CLASS_GLOBAL_LOAD] = "global load",
        [CLASS_GLOBAL_STORE] = "global store",
        [CLASS_SHARED_LOAD] = "shared load",
        [CLASS_SHARED_STORE] = "shared store",
        [CLASS_SYNCHRONISATION] = "synchronisation",
        [CLASS_DOUBLE] = "double precision",
        [CLASS_SPECIAL] = "special function",
        [CLASS_PARAMETER] = "parameter",
    };

    return class < CLASS_COUNT ? names[class] : "";
}

/* One instruction's counts, all workers together. */
struct executed {
    const struct ins *ins;
    uint64_t warps, lanes;
    struct event event;
};

static void add_event(struct event *sum, const struct event *e)
{
    sum->requests += e->requests;
    sum->lanes += e->lanes;
    sum->units += e->units;
    sum->ideal += e->ideal;
    sum->bytes += e->bytes;
    sum->shared_requests += e->shared_requests;
    sum->shared_units += e->shared_units;
    sum->shared_ideal += e->shared_ideal;
    sum->shared_bytes += e->shared_bytes;
    sum->local_requests += e->local_requests;
    sum->local_bytes += e->local_bytes;
}

/*
 * Events of instructions that name shared memory count passes in `units`. Events of asynchronous copies to shared
 * memory count in `units` what they read from global memory (table_memory.c).
 */
static bool event_is_shared(const struct ins *i)
{
    return i->space == PTX_SHARED && i->class != CLASS_GLOBAL_LOAD;
}

/* Calls visit() for every instruction that was executed. */
static void visit_executed(const struct kernel_use *use, void (*visit)(const struct executed *, void *), void *context)
{
    const struct program *p = use->kernel->module->program;
    unsigned workers = use->kernel->module->sim->worker_count;
    int64_t *warps = calloc(2 * workers, sizeof *warps), *lanes = warps ? warps + workers : NULL;

    if (!warps)
        return;
    for (uint32_t n = 0; n < p->code_count; n++) {
        struct executed x = {.ins = &p->code[n]};

        for (unsigned k = 0; k < workers; k++) {
            const struct use_counters *c = &use->counters[k];

            if (!c->warp_diff)
                continue;
            warps[k] += c->warp_diff[n];
            lanes[k] += c->lane_diff[n];
            x.warps += (uint64_t)warps[k];
            x.lanes += (uint64_t)lanes[k];
            if (x.ins->event)
                add_event(&x.event, &c->events[x.ins->event - 1]);
        }
        if (x.warps && x.ins->class != CLASS_COUNT)
            visit(&x, context);
    }
    free(warps);
}

static bool is_branch(const struct ins *i)
{
    return i->class == CLASS_CONTROL && i->event;
}

static void add_counts(const struct executed *x, void *context)
{
    struct sim_kernel_counts *c = context;
    const struct ins *i = x->ins;
    const struct event *e = &x->event;
    bool load = i->class == CLASS_GLOBAL_LOAD;

    c->warp_instructions[i->class] += x->warps;
    c->thread_instructions[i->class] += x->lanes;
    c->all_warp_instructions += x->warps;
    c->all_thread_instructions += x->lanes;
    c->thread_exits += i->ends ? x->lanes : 0;
    c->flops += x->lanes * i->flops;
    if (i->class == CLASS_COMPUTATION && !i->flops)
        c->integer_ops += x->lanes;
    if (is_branch(i)) {
        c->branches += x->warps;
        c->divergent_branches += e->requests;
        return;
    }
    c->shared_requests += e->shared_requests;
    c->shared_passes += e->shared_units;
    c->shared_ideal_passes += e->shared_ideal;
    c->shared_bytes += e->shared_bytes;
    c->local_requests += e->local_requests;
    c->local_bytes += e->local_bytes;
    if (i->op_is_atomic) {
        c->atomic_requests += x->warps;
        c->atomic_lanes += x->lanes;
    }
    if (event_is_shared(i)) {
        c->shared_requests += e->requests;
        c->shared_passes += e->units;
        c->shared_ideal_passes += e->ideal;
        c->shared_bytes += e->bytes;
    } else if (load) {
        c->global_load_requests += e->requests;
        c->global_load_sectors += e->units;
        c->global_load_bytes += e->bytes;
    } else if (i->class == CLASS_GLOBAL_STORE) {
        c->global_store_requests += e->requests;
        c->global_store_sectors += e->units;
        c->global_store_bytes += e->bytes;
    }
}

static void summarise(const struct kernel_use *use, struct sim_kernel_counts *counts)
{
    *counts = use->frozen;
    if (!use->kernel)
        return;
    counts->facts = use->kernel->facts;
    counts->facts.name = use->mangled;
    counts->name = use->name;
    visit_executed(use, add_counts, counts);
}

void sim_kernel_count(const struct sim_kernel *kernel, struct sim_kernel_counts *counts)
{
    if (kernel->use)
        summarise(kernel->use, counts);
    else
        memset(counts, 0, sizeof *counts);
}

size_t sim_counts(struct sim *sim, struct sim_kernel_counts **counts)
{
    size_t count = 0;

    for (const struct kernel_use *u = sim->uses; u; u = u->next)
        count++;
    *counts = calloc(count + 1, sizeof **counts);
    if (!*counts)
        return 0;
    count = 0;
    for (const struct kernel_use *u = sim->uses; u; u = u->next)
        summarise(u, &(*counts)[count++]);
    return count;
}

/* ---- source lines ---- */

struct line_list {
    const struct program *program;
    struct sim_line_counts *lines;
    size_t count, capacity;
};

static void add_line(const struct executed *x, void *context)
{
    struct line_list *list = context;
    const struct ins *i = x->ins;
    const struct event *e = &x->event;
    const char *file = i->source_line ? ptx_file_path(list->program->ptx, i->source_file) : NULL;
    unsigned line = file ? i->source_line : i->line;
    struct sim_line_counts *l = NULL;

    file = file ? file : "";
    /* Code follows its lines mostly in order. So the line is near the end of the list. */
    for (size_t n = list->count; n-- > 0 && !l;)
        if (list->lines[n].line == line && (list->lines[n].file == file || !strcmp(list->lines[n].file, file)))
            l = &list->lines[n];
    if (!l) {
        if (list->count == list->capacity) {
            size_t capacity = list->capacity ? 2 * list->capacity : 64;
            struct sim_line_counts *lines = realloc(list->lines, capacity * sizeof *lines);

            if (!lines)
                return;
            list->lines = lines;
            list->capacity = capacity;
        }
        l = &list->lines[list->count++];
        *l = (struct sim_line_counts){.file = file, .line = line};
    }
    l->warp_instructions += x->warps;
    l->thread_instructions += x->lanes;
    if (is_branch(i)) {
        l->branches += x->warps;
        l->divergent_branches += e->requests;
        return;
    }
    l->shared_requests += e->shared_requests;
    l->shared_passes += e->shared_units;
    l->shared_ideal_passes += e->shared_ideal;
    if (event_is_shared(i)) {
        l->shared_requests += e->requests;
        l->shared_passes += e->units;
        l->shared_ideal_passes += e->ideal;
    } else {
        l->global_requests += e->requests;
        l->global_sectors += e->units;
        l->global_bytes += e->bytes;
    }
}

static int most_first(const void *a, const void *b)
{
    const struct sim_line_counts *x = a, *y = b;

    if (x->warp_instructions != y->warp_instructions)
        return x->warp_instructions > y->warp_instructions ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static size_t lines_of(const struct kernel_use *use, struct sim_line_counts **lines)
{
    struct line_list list = {use->kernel->module->program, NULL, 0, 0};

    visit_executed(use, add_line, &list);
    if (list.count)
        qsort(list.lines, list.count, sizeof *list.lines, most_first);
    *lines = list.lines;
    return list.count;
}

size_t sim_line_counts(struct sim *sim, size_t index, struct sim_line_counts **lines)
{
    const struct kernel_use *u = sim->uses;

    *lines = NULL;
    while (u && index--)
        u = u->next;
    if (!u)
        return 0;
    if (u->kernel)
        return lines_of(u, lines);
    *lines = malloc((u->line_count + 1) * sizeof **lines);
    if (!*lines)
        return 0;
    memcpy(*lines, u->lines, u->line_count * sizeof **lines);
    return u->line_count;
}

/* ---- the end of a module ---- */

static void release_counters(struct kernel_use *use, unsigned workers)
{
    for (unsigned n = 0; use->counters && n < workers; n++) {
        free(use->counters[n].warp_diff);
        free(use->counters[n].lane_diff);
        free(use->counters[n].events);
    }
    free(use->counters);
    use->counters = NULL;
}

void use_freeze(struct kernel_use *use)
{
    if (!use->kernel)
        return;
    summarise(use, &use->frozen);
    use->line_count = lines_of(use, &use->lines);
    for (size_t n = 0; n < use->line_count; n++)
        use->lines[n].file = strdup(use->lines[n].file); /* the paths go with the module */
    release_counters(use, use->kernel->module->sim->worker_count);
    use->kernel = NULL;
}

void use_free(struct kernel_use *use)
{
    if (use->kernel)
        release_counters(use, use->kernel->module->sim->worker_count);
    for (size_t n = 0; n < use->line_count; n++)
        free((char *)(uintptr_t)use->lines[n].file);
    free(use->lines);
    free(use->name);
    free(use->mangled);
    free(use);
}
