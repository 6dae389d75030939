/*
 * explain.c - writes the report as text: faults, the numbers of each kernel, and advice on the worst of them.
 *
 * The runtime calls it when the program ends. It knows how to lay out 100 columns. explain_model.c knows what the
 * numbers mean, explain_advice.c what to say about them.
 */
#include "explain.h"

#include <stdarg.h>
#include <string.h>

#include "explain_model.h"

#define COLUMNS 100
#define LINES_SHOWN 5
#define FINDINGS_SHOWN 3

/* ------------------------------------------------------------------ laying out */

/* Characters up to the next space at which a line may end: a number stays with its %. */
static int word(const char *text)
{
    size_t size = strcspn(text, " ");

    return (int)(text[size] == ' ' && text[size + 1] == '%' ? size + 1 + strcspn(text + size + 1, " ") : size);
}

/* `text` in lines of at most COLUMNS, the first behind `lead`, the others behind as many spaces. */
static void wrapped(FILE *out, const char *lead, const char *text)
{
    int indent = (int)strlen(lead), column = indent;

    fputs(lead, out);
    while (*text) {
        int size = word(text);

        if (column > indent && column + 1 + size > COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", size, text);
        column += size;
        text += size;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/* The start of a table's line; the rest is the caller's. */
static void label(FILE *out, const char *name)
{
    fprintf(out, "  %-18s", name);
}

/* A labelled line of words, wrapped. */
__attribute__((format(printf, 3, 4))) static void row(FILE *out, const char *name, const char *format, ...)
{
    char lead[24], text[512];
    va_list list;

    snprintf(lead, sizeof lead, "  %-18s", name);
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    wrapped(out, lead, text);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ------------------------------------------------------------------ faults */

static void fault(FILE *out, const struct sim_fault *f)
{
    char place[sizeof f->file + 32];

    if (f->file[0])
        snprintf(place, sizeof place, "%s:%u", f->file, f->line);
    else
        snprintf(place, sizeof place, "PTX line %u", f->line);
    /* A leak happens at no place in a kernel. */
    if (f->kernel[0])
        fprintf(out, "%s: %s, %s, block (%u,%u,%u), thread (%u,%u,%u): %s", sim_fault_name(f->kind), f->kernel, place,
                f->block[0], f->block[1], f->block[2], f->thread[0], f->thread[1], f->thread[2], f->text);
    else
        fprintf(out, "%s: %s", sim_fault_name(f->kind), f->text);
    fprintf(out, " (%ju time%s)\n", (uintmax_t)f->count, plural(f->count));
}

/* ------------------------------------------------------------------ one kernel */

static void launches(FILE *out, const struct explain_kernel *kernel)
{
    const struct sim_kernel_counts *c = kernel->counts;

    row(out, "launches", "%ju; the largest: grid %u x %u x %u, block %u x %u x %u", (uintmax_t)c->launches, c->grid[0],
        c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2]);
    row(out, "in all", "%ju blocks, %ju warps, %ju threads; %.3g s of simulation on the CPU", (uintmax_t)c->blocks,
        (uintmax_t)c->warps, (uintmax_t)c->threads, c->seconds);
}

static void classes(FILE *out, const struct explain_kernel *kernel)
{
    double threads = (double)kernel->counts->threads, all = (double)kernel->warp_total;

    label(out, "instructions");
    fprintf(out, "%-24s%18s%14s%10s\n", "class", "of warps", "a thread", "share");
    for (int class = 0; class < EXPLAIN_CLASSES; class++) {
        if (kernel->warp[class] == 0)
            continue;
        label(out, "");
        fprintf(out, "%-6s%-18s%18ju%14.2f%8.1f %%\n", explain_class_id((enum explain_class)class),
                explain_class_words((enum explain_class)class), (uintmax_t)kernel->warp[class],
                explain_ratio((double)kernel->thread[class], threads),
                100 * explain_ratio((double)kernel->warp[class], all));
    }
    label(out, "");
    fprintf(out, "%-6s%-18s%18ju%14.2f%8.1f %%\n", "l", "all", (uintmax_t)kernel->warp_total,
            explain_ratio((double)kernel->thread_total, threads), all > 0 ? 100.0 : 0.0);
}

static void lanes(FILE *out, const struct explain_kernel *kernel)
{
    const struct sim_kernel_counts *c = kernel->counts;

    row(out, "SIMD efficiency", "%.1f %%: %.1f of 32 lanes work in an instruction", 100 * kernel->simd,
        kernel->simd * WARP_LANES);
    if (c->branches == 0)
        row(out, "branches", "none with a condition");
    else
        row(out, "branches", "%ju by warps, %.1f %% of them divergent", (uintmax_t)c->branches,
            100 * (double)c->divergent_branches / (double)c->branches);
}

static void global(FILE *out, const char *name, uint64_t requests, uint64_t sectors, uint64_t bytes, double ideal)
{
    bool shared = (double)sectors < 0.99 * ideal; /* fewer than the bytes asked for would fill */

    if (requests == 0)
        row(out, name, "none");
    else
        row(out, name, "%.2f sectors per request, ideal %.2f; efficiency %.0f %% of %s moved%s",
            (double)sectors / (double)requests, (shared ? (double)sectors : ideal) / (double)requests,
            100 * explain_ratio((double)bytes, (double)sectors * SECTOR_BYTES),
            explain_size((double)sectors * SECTOR_BYTES).text, shared ? " (lanes share addresses)" : "");
}

static void memory_use(FILE *out, const struct explain_kernel *kernel)
{
    const struct sim_kernel_counts *c = kernel->counts;

    global(out, "global loads", c->global_load_requests, c->global_load_sectors, c->global_load_bytes,
           kernel->ideal_load_sectors);
    global(out, "global stores", c->global_store_requests, c->global_store_sectors, c->global_store_bytes,
           kernel->ideal_store_sectors);
    if (c->shared_requests > 0)
        row(out, "shared memory", "%.2f passes per request, ideal %.2f (%s)",
            (double)c->shared_passes / (double)c->shared_requests,
            (double)c->shared_ideal_passes / (double)c->shared_requests, explain_size((double)c->shared_bytes).text);
    if (c->local_requests > 0 || c->facts.local > 0)
        row(out, "local memory", "%ju requests for %s; %u B a thread%s", (uintmax_t)c->local_requests,
            explain_size((double)c->local_bytes).text, c->facts.local,
            c->local_requests == 0 ? ": spills by ptxas, which the PTX does not have" : "");
    if (c->atomic_requests > 0)
        row(out, "atomics", "%ju requests, %.1f lanes each", (uintmax_t)c->atomic_requests,
            (double)c->atomic_lanes / (double)c->atomic_requests);
    if (kernel->bytes_moved > 0)
        row(out, "intensity", "%.2f flops and %.2f thread instructions per byte; %s moved",
            (double)c->flops / kernel->bytes_moved, (double)kernel->thread_total / kernel->bytes_moved,
            explain_size(kernel->bytes_moved).text);
    else
        row(out, "intensity", "no global memory moved");
}

static void filling(FILE *out, const struct explain *explain, const struct explain_kernel *kernel)
{
    const struct sim_kernel_counts *c = kernel->counts;
    unsigned warps = explain->limits->threads_per_sm / WARP_LANES, sms = explain->limits->multiprocessors;
    double blocks = (double)c->grid[0] * c->grid[1] * c->grid[2];
    char last[40] = "", small[64] = "";

    row(out, "occupancy", "%u block%s an SM, %u of %u warps (%.0f %%), limited by %s", c->blocks_per_sm,
        plural(c->blocks_per_sm), kernel->warps_per_sm, warps, 100 * explain_ratio(kernel->warps_per_sm, warps),
        explain_limiter(c->limiter));
    row(out, "", "%u registers per thread (%s), %u B static and %u B dynamic shared per block", c->facts.registers,
        c->facts.estimated ? "estimated" : "ptxas", c->facts.static_shared, c->dynamic_shared);
    if (kernel->waves > 1 && kernel->last_wave < 1)
        snprintf(last, sizeof last, ", the last %.0f %% full", 100 * kernel->last_wave);
    if (blocks < sms)
        snprintf(small, sizeof small, "; SMALL GRID: %.0f of %u SMs have no block", sms - blocks, sms);
    row(out, "waves", "%.2f on %u SMs%s (%.2f on an H100's 132)%s", kernel->waves, sms, last,
        explain_ratio(blocks, c->blocks_per_sm * MODEL_MULTIPROCESSORS), small);
}

static void model(FILE *out, const struct explain_kernel *kernel)
{
    double sum = 0;
    char text[256] = "";
    size_t used = 0;

    for (int pipe = 0; pipe < PIPE_COUNT; pipe++)
        sum += kernel->work.busy[pipe];
    for (int pipe = 0; pipe < PIPE_COUNT && used < sizeof text; pipe++)
        if (kernel->work.busy[pipe] >= 0.005 * sum && sum > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %.0f %%, ",
                                     explain_pipe_words((enum explain_pipe)pipe), 100 * kernel->work.busy[pipe] / sum);
    row(out, "estimate", "%s%s", text, sum == 0               ? "nothing but launching"
                                       : kernel->launch_bound ? "launching costs more" : "launching costs less");
}

static void worst_metric(FILE *out, const struct sim_line_counts *line)
{
    double requests = (double)line->global_requests;

    switch (explain_line_worst(line)) {
    case WORST_SECTORS:
        fprintf(out, "%.1f sectors per request, ideal %.1f", (double)line->global_sectors / requests,
                explain_ideal_sectors(line->global_requests, line->global_bytes) / requests);
        break;
    case WORST_PASSES:
        fprintf(out, "%.1f shared passes per request, ideal %.1f",
                explain_ratio((double)line->shared_passes, (double)line->shared_requests),
                explain_ratio((double)line->shared_ideal_passes, (double)line->shared_requests));
        break;
    case WORST_BRANCHES:
        fprintf(out, "%.0f %% of branches divergent", 100 * (double)line->divergent_branches / (double)line->branches);
        break;
    case WORST_LANES:
        fprintf(out, "%.1f of 32 lanes work", (double)line->thread_instructions / (double)line->warp_instructions);
        break;
    case WORST_NONE:
        fputs("nothing wasted", out);
        break;
    }
}

static void hottest(FILE *out, const struct explain_kernel *kernel)
{
    if (kernel->line_count == 0)
        return;
    label(out, "hottest lines");
    fprintf(out, "%-32s%7s   %s\n", "place", "share", "worst");
    for (size_t i = 0; i < kernel->line_count && i < LINES_SHOWN; i++) {
        const struct explain_line *line = &kernel->lines[i];

        label(out, "");
        fprintf(out, "%-32.32s%5.1f %%   ", explain_place(line->counts.file, line->counts.line).text,
                100 * line->share);
        worst_metric(out, &line->counts);
        fputc('\n', out);
    }
}

static void kernel_text(FILE *out, const struct explain *explain, const struct explain_kernel *kernel)
{
    const struct sim_kernel_counts *c = kernel->counts;

    fputc('\n', out);
    if (kernel->share < EXPLAIN_NEGLIGIBLE) {
        char text[160];

        snprintf(text, sizeof text, "%.60s(): %.2f %% of the work, %ju launch%s: not looked at", c->name,
                 100 * kernel->share, (uintmax_t)c->launches, c->launches == 1 ? "" : "es");
        wrapped(out, "", text);
        return;
    }
    fprintf(out, "%.60s(): %.1f %% of the work (simulated)\n", c->name, 100 * kernel->share);
    launches(out, kernel);
    classes(out, kernel);
    lanes(out, kernel);
    memory_use(out, kernel);
    filling(out, explain, kernel);
    model(out, kernel);
    hottest(out, kernel);
}

/* ------------------------------------------------------------------ all */

static void no_finding(FILE *out, const struct explain *explain)
{
    const struct explain_kernel *most = &explain->kernels[0];
    int busiest = 0;
    char text[512];

    for (size_t i = 1; i < explain->kernel_count; i++)
        if (explain->kernels[i].share > most->share)
            most = &explain->kernels[i];
    for (int pipe = 1; pipe < PIPE_COUNT; pipe++)
        if (most->work.busy[pipe] > most->work.busy[busiest])
            busiest = pipe;
    snprintf(text, sizeof text, "no finding: nothing that is looked for costs 5 %% of a kernel. The busiest part of"
             " %.100s() is %s; to be faster it needs less of that, by another algorithm.", most->counts->name,
             explain_pipe_words((enum explain_pipe)busiest));
    wrapped(out, "", text);
}

static void advice(FILE *out, const struct explain *explain)
{
    size_t shown = explain->finding_count < FINDINGS_SHOWN ? explain->finding_count : FINDINGS_SHOWN;

    if (explain->kernel_count == 0)
        return;
    fputs("\nadvice (costs are estimates of a simple model of an H100, the worst first)\n", out);
    for (size_t i = 0; i < shown; i++) {
        const struct explain_finding *finding = &explain->findings[i];
        char text[sizeof finding->text + 40], lead[8];

        snprintf(lead, sizeof lead, "  %zu. ", i + 1);
        snprintf(text, sizeof text, "%s [%s, %.0f %%]", finding->text, finding->kind, 100 * finding->share);
        wrapped(out, lead, text);
    }
    if (explain->finding_count > shown)
        fprintf(out, "  (%zu more in the JSON)\n", explain->finding_count - shown);
    if (shown == 0)
        no_finding(out, explain);
}

void explain_text(struct sim *sim, FILE *out)
{
    struct explain *explain = explain_gather(sim);

    if (!explain || !explain_advise(explain)) {
        fputs("cudasim: out of memory for the report\n", stderr);
        explain_free(explain);
        return;
    }
    fputs("cudasim: SIMULATED, no GPU took part. Counts are exact for the PTX that ran, shares are estimates;\n"
          "nothing here was timed on a GPU.\n", out);
    for (size_t i = 0; i < explain->fault_count; i++)
        fault(out, &explain->faults[i]);
    if (explain->kernel_count == 0)
        fputs("no kernel was launched\n", out);
    for (size_t i = 0; i < explain->kernel_count; i++)
        kernel_text(out, explain, &explain->kernels[i]);
    advice(out, explain);
    explain_free(explain);
}
