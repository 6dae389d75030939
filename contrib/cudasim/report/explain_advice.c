/*
 * explain_advice.c - a tutor's advice: one rule per habit that costs time, each with its number and its price.
 *
 * A rule looks at one kernel. If it applies, it names the place, the counts, the reason why they cost time, and the
 * remedy. It gives the cycles that the model would save with the counts at their ideal. Findings of less than a
 * twentieth of their kernel are dropped. Kernels of less than a hundredth of all work are skipped. Advice that cannot
 * pay keeps readers from advice that does. The two files that write the report call it.
 */
#include "explain_model.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define countof(array) (sizeof(array) / sizeof *(array))

#define FINDING_LEAST 0.05 /* of its kernel's cycles */

typedef bool rule(const struct explain *, const struct explain_kernel *, struct explain_finding *);

__attribute__((format(printf, 2, 3))) static void say(struct explain_finding *finding, const char *format, ...)
{
    size_t used = strlen(finding->text);
    va_list list;

    va_start(list, format);
    vsnprintf(finding->text + used, sizeof finding->text - used, format, list);
    va_end(list);
}

/* "diagonal()", and with a line "diagonal() at device_user.cu:55". */
static void say_where(struct explain_finding *finding, const struct explain_kernel *kernel)
{
    say(finding, "%.100s()", kernel->counts->name);
    if (finding->file)
        say(finding, " at %s", explain_place(finding->file, finding->line).text);
}

/* The cycles that the kernel would save if its work were `work`. */
static double saved(const struct explain *explain, const struct explain_kernel *kernel,
                    const struct explain_work *work)
{
    return kernel->cycles - explain_cycles(work, explain->limits->multiprocessors, NULL);
}

static double saved_without(const struct explain *explain, const struct explain_kernel *kernel, enum explain_pipe pipe,
                            double busy)
{
    struct explain_work work = kernel->work;

    work.busy[pipe] = busy;
    return saved(explain, kernel, &work);
}

static void set_line(struct explain_finding *finding, const struct explain_line *line)
{
    if (!line)
        return;
    finding->file = line->counts.file ? line->counts.file : "";
    finding->line = line->counts.line;
}

/* ------------------------------------------------------------------ global memory */

struct access {
    double requests, sectors, bytes; /* bytes: asked for by threads */
    double ideal;                    /* sectors */
    double lanes;                    /* of a request, on average */
};

static struct access access_of(uint64_t requests, uint64_t sectors, uint64_t bytes, double lanes)
{
    return (struct access){ (double)requests, (double)sectors, (double)bytes, explain_ideal_sectors(requests, bytes),
                            lanes };
}

static struct access loads_of(const struct explain_kernel *kernel)
{
    const struct sim_kernel_counts *c = kernel->counts;

    return access_of(c->global_load_requests, c->global_load_sectors, c->global_load_bytes,
                     explain_ratio((double)kernel->thread[EXPLAIN_MR], (double)kernel->warp[EXPLAIN_MR]));
}

static struct access stores_of(const struct explain_kernel *kernel)
{
    const struct sim_kernel_counts *c = kernel->counts;

    return access_of(c->global_store_requests, c->global_store_sectors, c->global_store_bytes,
                     explain_ratio((double)kernel->thread[EXPLAIN_MW], (double)kernel->warp[EXPLAIN_MW]));
}

static struct access line_access(const struct explain_line *line)
{
    const struct sim_line_counts *c = &line->counts;

    return access_of(c->global_requests, c->global_sectors, c->global_bytes,
                     explain_ratio((double)c->thread_instructions, (double)c->warp_instructions));
}

static double waste(struct access access)
{
    return fmax(0, access.sectors - access.ideal);
}

/* An array that does not begin at a sector costs one more sector per request. That is no bad habit. */
static bool scattered(struct access access)
{
    return access.sectors >= 1.5 * access.ideal && waste(access) > 1.25 * access.requests;
}

/* The line that wastes most sectors, if it is scattered. *sum (may be NULL): the waste of all scattered lines. */
static const struct explain_line *scattered_line(const struct explain_kernel *kernel, double *sum)
{
    const struct explain_line *worst = NULL;
    double most = 0, all = 0;

    for (size_t i = 0; i < kernel->line_count; i++) {
        struct access access = line_access(&kernel->lines[i]);

        if (!scattered(access))
            continue;
        all += waste(access);
        if (waste(access) > most) {
            most = waste(access);
            worst = &kernel->lines[i];
        }
    }
    if (sum)
        *sum = all;
    return worst;
}

static void say_stride(struct explain_finding *finding, struct access access)
{
    double sectors = access.sectors / access.requests, lanes = fmin(access.lanes, WARP_LANES);

    if (lanes < 2)
        return;
    if (sectors >= 0.95 * lanes)
        say(finding, ": neighbouring threads touch addresses 32 or more bytes apart");
    else
        say(finding, ": neighbouring threads touch addresses about %.0f bytes apart and use %.0f of them",
            sectors * SECTOR_BYTES / lanes, access.bytes / access.requests / lanes);
}

/*
 * Loads or stores that scatter over more sectors than their bytes need. Lines count loads and stores together; the
 * kernel counts them apart. So the kernel's counts decide which of the two it is. The line that wastes most is the
 * place. Loads of one address for all lanes can hide other loads in the kernel's sum, but not in the line.
 */
static bool scatter(const struct explain *explain, const struct explain_kernel *kernel, struct explain_finding *finding,
                    struct access kernel_access, bool other_scattered, const char *verb, const char *cure)
{
    double lines_waste, wasted = waste(kernel_access);
    const struct explain_line *line = scattered_line(kernel, &lines_waste);
    struct access shown = kernel_access;

    if (!scattered(kernel_access) && (other_scattered || !line))
        return false;
    if (line && !other_scattered) {
        struct access access = line_access(line);
        bool all_of_it = waste(access) >= 0.9 * lines_waste && scattered(kernel_access);

        wasted = fmax(wasted, lines_waste);
        if (!all_of_it || access.sectors * shown.requests > shown.sectors * access.requests)
            shown = access;
    }
    set_line(finding, line);
    say_where(finding, kernel);
    say(finding, " %s %.1f sectors of 32 bytes for every request where %.1f would do", verb,
        shown.sectors / shown.requests, shown.ideal / shown.requests);
    say_stride(finding, shown);
    say(finding, ". Every sector is moved as a whole, so %.0f %% of what it moves is not used. %s",
        100 * (1 - shown.ideal / shown.sectors), cure);
    finding->cycles = saved_without(explain, kernel, PIPE_GLOBAL,
                                    fmax(0, kernel->work.busy[PIPE_GLOBAL] - explain_sector_cycles(wasted)));
    return true;
}

static bool uncoalesced_loads(const struct explain *explain, const struct explain_kernel *kernel,
                              struct explain_finding *finding)
{
    return scatter(explain, kernel, finding, loads_of(kernel), scattered(stores_of(kernel)), "reads",
                   "Let threadIdx.x run along the fastest dimension, or read whole rows into shared memory first.");
}

static bool uncoalesced_stores(const struct explain *explain, const struct explain_kernel *kernel,
                               struct explain_finding *finding)
{
    if (!scattered(stores_of(kernel))) /* lines alone cannot say that it is a store */
        return false;
    return scatter(explain, kernel, finding, stores_of(kernel), scattered(loads_of(kernel)), "writes",
                   "Let threadIdx.x run along the fastest dimension of what is written, turning data in shared memory"
                   " if need be.");
}

static bool memory_bound(const struct explain *explain, const struct explain_kernel *kernel,
                         struct explain_finding *finding)
{
    const double *busy = kernel->work.busy;
    double bytes = kernel->bytes_moved;

    for (int pipe = 0; pipe < PIPE_COUNT; pipe++)
        if (pipe != PIPE_GLOBAL && busy[pipe] >= busy[PIPE_GLOBAL])
            return false;
    if (scattered(loads_of(kernel)) || scattered(stores_of(kernel)) || scattered_line(kernel, NULL)
        || kernel->launch_bound || (double)kernel->thread_total >= MODEL_BALANCE * bytes)
        return false;
    say_where(finding, kernel);
    say(finding, " is memory-bound: its accesses coalesce, but it moves %s with %.2f instructions and %.2f flops a"
                 " byte, and an H100 waits for memory below %.1f instructions per byte. The floor is %s / 3.35 TB/s"
                 " (published) = %.3g us, less what caches catch. ",
        explain_size(bytes).text, (double)kernel->thread_total / bytes, (double)kernel->counts->flops / bytes,
        MODEL_BALANCE, explain_size(bytes).text, bytes / MODEL_DRAM * 1e6);
    say(finding, "Move fewer bytes: keep in shared memory or registers what is used again, fuse kernels that pass"
                 " arrays on, use smaller types.");
    /* Nobody knows how much can be reused; half is what a first step often gives. */
    finding->cycles = saved_without(explain, kernel, PIPE_GLOBAL, busy[PIPE_GLOBAL] / 2);
    return true;
}

/* ------------------------------------------------------------------ shared and local memory, atomics */

static bool bank_conflicts(const struct explain *explain, const struct explain_kernel *kernel,
                           struct explain_finding *finding)
{
    const struct sim_kernel_counts *c = kernel->counts;
    double requests = (double)c->shared_requests, passes = (double)c->shared_passes;
    double ideal = (double)c->shared_ideal_passes, most = 0;
    const struct explain_line *worst = NULL;

    if (passes <= ideal || requests == 0)
        return false;
    for (size_t i = 0; i < kernel->line_count; i++) {
        const struct sim_line_counts *line = &kernel->lines[i].counts;
        double excess = (double)line->shared_passes - (double)line->shared_ideal_passes;

        if (excess > most && line->shared_requests > 0) {
            most = excess;
            worst = &kernel->lines[i];
        }
    }
    finding->cycles = saved_without(explain, kernel, PIPE_SHARED, ideal);
    if (worst) {
        requests = (double)worst->counts.shared_requests;
        passes = (double)worst->counts.shared_passes;
        ideal = (double)worst->counts.shared_ideal_passes;
    }
    set_line(finding, worst);
    say_where(finding, kernel);
    say(finding, " needs %.1f passes for every shared-memory request where %.1f would do: lanes of a warp touch"
                 " different words of the same bank, and a bank serves one word a cycle. Pad the rows by one element"
                 " (tile[32][33]), or let threadIdx.x be the last index.",
        passes / requests, ideal / requests);
    return true;
}

static bool local_memory(const struct explain *explain, const struct explain_kernel *kernel,
                         struct explain_finding *finding)
{
    const struct sim_kernel_counts *c = kernel->counts;

    if (kernel->work.busy[PIPE_LOCAL] == 0)
        return false;
    say_where(finding, kernel);
    if (c->local_requests > 0)
        say(finding, " makes %.1f requests a warp to local memory (%s in all, %u bytes a thread): arrays of a thread"
                     " that are indexed at run time cannot be registers, and lie in memory. Unroll the loops that index"
                     " them (#pragma unroll, constant bounds), or put them in shared memory.",
            explain_ratio((double)c->local_requests, (double)c->warps), explain_size((double)c->local_bytes).text,
            c->facts.local);
    else
        say(finding, " has %u bytes of local memory per thread by ptxas (%u registers): values that do not fit in"
                     " registers are spilled to memory and read back. Keep fewer values alive at once, unroll less, or"
                     " allow more registers (__launch_bounds__, -maxrregcount).",
            c->facts.local, c->facts.registers);
    finding->cycles = saved_without(explain, kernel, PIPE_LOCAL, 0);
    return true;
}

static bool atomics(const struct explain *explain, const struct explain_kernel *kernel,
                    struct explain_finding *finding)
{
    const struct sim_kernel_counts *c = kernel->counts;

    if (c->atomic_requests == 0)
        return false;
    say_where(finding, kernel);
    say(finding, " makes %ju atomic operations, %.2f a thread and %.1f a request: those that meet at one address are"
                 " done one after the other. Combine first, in the warp (__shfl_down_sync, __reduce_add_sync), then in"
                 " shared memory, and leave one atomic operation per block.",
        (uintmax_t)c->atomic_lanes, explain_ratio((double)c->atomic_lanes, (double)c->threads),
        (double)c->atomic_lanes / (double)c->atomic_requests);
    /* At the ideal, a request is one operation. */
    finding->cycles = saved_without(explain, kernel, PIPE_ATOMIC, (double)c->atomic_requests);
    return true;
}

/* ------------------------------------------------------------------ lanes */

static double saved_lanes(const struct explain *explain, const struct explain_kernel *kernel, double factor)
{
    struct explain_work work = kernel->work;

    work.busy[PIPE_ISSUE] *= factor;
    work.busy[PIPE_DOUBLE] *= factor;
    work.busy[PIPE_SPECIAL] *= factor;
    return saved(explain, kernel, &work);
}

static bool divergence(const struct explain *explain, const struct explain_kernel *kernel,
                       struct explain_finding *finding)
{
    const struct sim_kernel_counts *c = kernel->counts;
    double relative = kernel->simd / kernel->lanes_possible;
    double parted = explain_ratio((double)c->divergent_branches, (double)c->branches);
    const struct explain_line *worst = NULL;

    if (relative >= 0.85)
        return false;
    for (size_t i = 0; i < kernel->line_count; i++)
        if (kernel->lines[i].counts.divergent_branches > (worst ? worst->counts.divergent_branches : 0))
            worst = &kernel->lines[i];
    set_line(finding, worst);
    say(finding, "%.100s() has %.1f of %.0f lanes at work in an instruction on average", kernel->counts->name,
        kernel->simd * WARP_LANES, kernel->lanes_possible * WARP_LANES);
    if (parted >= 0.01 && worst)
        say(finding, ": %.0f %% of its branches part the lanes of a warp (most at %s: %.0f %%), and then both sides are"
                     " executed one after the other. Let whole warps take the same side: group the work by warp, or"
                     " choose with min, max and ?: instead of branches.",
            100 * parted, explain_place(finding->file, finding->line).text,
            100 * explain_ratio((double)worst->counts.divergent_branches, (double)worst->counts.branches));
    else
        say(finding, ", though only %.1f %% of its branches part a warp: lanes left early and wait for the longest of"
                     " their warp, or are switched off by a condition. Give the lanes of a warp the same amount of"
                     " work, and let idle threads be whole warps.", 100 * parted);
    finding->cycles = saved_lanes(explain, kernel, relative);
    return true;
}

static bool block_size(const struct explain *explain, const struct explain_kernel *kernel,
                       struct explain_finding *finding)
{
    unsigned lanes = kernel->block_warps * WARP_LANES;

    if (kernel->lanes_possible == 1)
        return false;
    say(finding, "%.100s() is launched in blocks of %u thread%s: warps have 32 lanes, so %u of the %u lanes of every"
                 " block (%.0f %%) never work. Make the block a multiple of 32 threads, 128 or 256 to begin with.",
        kernel->counts->name, kernel->block_threads, kernel->block_threads == 1 ? "" : "s",
        lanes - kernel->block_threads, lanes, 100 * (1 - kernel->lanes_possible));
    finding->cycles = saved_lanes(explain, kernel, kernel->lanes_possible);
    return true;
}

/* ------------------------------------------------------------------ filling the device */

static bool launches(const struct explain *explain, const struct explain_kernel *kernel,
                     struct explain_finding *finding)
{
    double busy = explain_busy_cycles(&kernel->work, explain->limits->multiprocessors);
    double count = (double)kernel->counts->launches;

    if (count < 10 || !kernel->launch_bound)
        return false;
    say(finding, "%.100s() is launched %.0f times with %.1f blocks each on average, and a launch has work for only"
                 " %.0f %% of the 2.5 us or so (published) that launching one costs: the device waits for launches. Do"
                 " more in each: several steps in one kernel (a block that owns its part, or grid.sync() of"
                 " cooperative groups), or record the loop as a CUDA graph.",
        kernel->counts->name, count, kernel->blocks_a_launch, 100 * busy / kernel->cycles);
    finding->cycles = (kernel->cycles - busy) * (1 - 1 / count);
    return true;
}

static bool small_grid(const struct explain *explain, const struct explain_kernel *kernel,
                       struct explain_finding *finding)
{
    unsigned sms = explain->limits->multiprocessors;
    double blocks = kernel->blocks_a_launch;
    struct explain_work work = kernel->work;

    work.fill = 1;
    work.warps = fmax(work.warps, kernel->warps_per_sm);
    finding->cycles = saved(explain, kernel, &work);
    if (finding->cycles <= 0)
        return false;
    say(finding, "%.100s() is launched with %.4g block%s of %u thread%s for %u multiprocessors", kernel->counts->name,
        blocks, blocks == 1 ? "" : "s", kernel->block_threads, kernel->block_threads == 1 ? "" : "s", sms);
    if (blocks < sms)
        say(finding, ": %.0f %% of them have nothing to do, and an H100 has 132. Cut the work into more blocks, several"
                     " for every multiprocessor, each with a smaller part.", 100 * (1 - blocks / sms));
    else if (kernel->work.warps < fmin(kernel->warps_per_sm, MODEL_WARPS_MEMORY))
        say(finding, ": that gives each only %.0f of the %u warps it could hold, too few to work while others wait for"
                     " memory. Cut the work into more threads, each with a smaller part.", kernel->work.warps,
            kernel->warps_per_sm);
    else
        say(finding, ": some get one block more than others, and %.0f %% of the device's time goes by until the last"
                     " one ends. Use many more blocks than multiprocessors, or a multiple of them.",
            100 * (1 - kernel->work.fill));
    return true;
}

static bool occupancy(const struct explain *explain, const struct explain_kernel *kernel,
                      struct explain_finding *finding)
{
    const struct sim_kernel_counts *c = kernel->counts;
    unsigned all = explain->limits->threads_per_sm / WARP_LANES;
    struct explain_work work = kernel->work;

    if (kernel->warps_per_sm >= MODEL_WARPS_MEMORY || kernel->work.warps < kernel->warps_per_sm)
        return false; /* enough to hide latencies, or the grid has fewer: then that is the finding */
    work.warps = all;
    finding->cycles = saved(explain, kernel, &work);
    say_where(finding, kernel);
    say(finding, " has only %u of %u warps on a multiprocessor (%u blocks), because of its ", kernel->warps_per_sm, all,
        c->blocks_per_sm);
    switch (c->limiter) {
    case LIMIT_REGISTERS:
        say(finding, "%u registers per thread%s. Fewer warps hide less of memory's latency. Keep fewer values alive at"
                     " once, or set __launch_bounds__(%u, %u) and look whether that spills.", c->facts.registers,
            c->facts.estimated ? " (estimated)" : "", kernel->block_threads, c->blocks_per_sm + 1);
        break;
    case LIMIT_SHARED:
        say(finding, "%u bytes of shared memory per block, of %u per multiprocessor. Fewer warps hide less of memory's"
                     " latency. Use a smaller tile or type, or more threads for the same tile.",
            c->facts.static_shared + c->dynamic_shared, explain->limits->shared_per_sm);
        break;
    case LIMIT_THREADS:
    case LIMIT_BLOCKS:
        say(finding, "blocks of %u thread%s: a multiprocessor takes at most %u blocks and %u threads. Fewer warps hide"
                     " less of memory's latency. Use blocks of 128 or 256 threads.", kernel->block_threads,
            kernel->block_threads == 1 ? "" : "s", explain->limits->blocks_per_sm, explain->limits->threads_per_sm);
        break;
    }
    return true;
}

/* ------------------------------------------------------------------ costly instructions */

static bool double_precision(const struct explain *explain, const struct explain_kernel *kernel,
                             struct explain_finding *finding)
{
    if (kernel->warp[EXPLAIN_DPU] == 0)
        return false;
    say_where(finding, kernel);
    say(finding, " has %.0f %% of its instructions in double precision, for which an H100 has half the lanes of single"
                 " precision (64 to 128), and a GeForce one in 64. Where float has digits enough, write 1.0f and"
                 " sqrtf(): a constant without its f makes the whole expression double.",
        100 * (double)kernel->warp[EXPLAIN_DPU] / (double)kernel->warp_total);
    finding->cycles = saved_without(explain, kernel, PIPE_DOUBLE, 0);
    return true;
}

static bool special_functions(const struct explain *explain, const struct explain_kernel *kernel,
                              struct explain_finding *finding)
{
    if (kernel->warp[EXPLAIN_SFU] == 0)
        return false;
    say_where(finding, kernel);
    say(finding, " sends %.0f %% of its instructions to the special function unit (sin, exp, division, square root),"
                 " whose 16 lanes take 2 cycles for a warp where an addition takes a quarter. Compute what does not"
                 " change outside of the loop, multiply by a reciprocal, write x * x for powf(x, 2).",
        100 * (double)kernel->warp[EXPLAIN_SFU] / (double)kernel->warp_total);
    finding->cycles = saved_without(explain, kernel, PIPE_SPECIAL, 0);
    return true;
}

/* ------------------------------------------------------------------ all */

static const struct {
    const char *kind;
    rule *look;
} rules[] = {
    { "uncoalesced-loads", uncoalesced_loads },
    { "uncoalesced-stores", uncoalesced_stores },
    { "bank-conflicts", bank_conflicts },
    { "divergence", divergence },
    { "launches", launches },
    { "small-grid", small_grid },
    { "block-size", block_size },
    { "occupancy", occupancy },
    { "local-memory", local_memory },
    { "double-precision", double_precision },
    { "atomics", atomics },
    { "special-functions", special_functions },
    { "memory-bound", memory_bound },
};

static int by_cost(const void *a, const void *b)
{
    const struct explain_finding *x = a, *y = b;

    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    return x->kernel != y->kernel ? (x->kernel > y->kernel ? 1 : -1) : strcmp(x->kind, y->kind);
}

bool explain_advise(struct explain *explain)
{
    explain->findings = calloc(explain->kernel_count * countof(rules) + 1, sizeof *explain->findings);
    if (!explain->findings)
        return false;
    for (size_t i = 0; i < explain->kernel_count; i++) {
        const struct explain_kernel *kernel = &explain->kernels[i];

        for (size_t r = 0; r < countof(rules) && kernel->share >= EXPLAIN_NEGLIGIBLE; r++) {
            struct explain_finding *finding = &explain->findings[explain->finding_count];

            *finding = (struct explain_finding){ .kind = rules[r].kind, .kernel = i };
            if (!rules[r].look(explain, kernel, finding) || !(finding->cycles >= FINDING_LEAST * kernel->cycles)
                || !(finding->cycles >= EXPLAIN_NEGLIGIBLE * explain->cycles))
                continue;
            finding->share = explain_ratio(finding->cycles, explain->cycles);
            explain->finding_count++;
        }
    }
    qsort(explain->findings, explain->finding_count, sizeof *explain->findings, by_cost);
    return true;
}
