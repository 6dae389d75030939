/*
 * explain_json.c - writes the report as JSON: the table in explain.h, key by key.
 *
 * The runtime calls it when the program ends, if a file for it was named. It does not know what a finding is about.
 */
#include "explain.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain_model.h"

/* ------------------------------------------------------------------ values */

/* A name as JSON text. Bytes that are not UTF-8 become '?'. NULL and "" become null. */
static json_t *text(const char *string)
{
    json_t *value;
    char *copy;

    if (!string || !string[0])
        return json_null();
    value = json_string(string);
    if (value)
        return value;
    copy = strdup(string);
    if (!copy)
        return NULL;
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c >= 127)
            *c = '?';
    value = json_string(copy);
    free(copy);
    return value;
}

static json_t *count(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static json_t *ratio(double a, double b)
{
    return b != 0 && isfinite(a / b) ? json_real(a / b) : json_null();
}

static json_t *triple(const unsigned value[3])
{
    return json_pack("[I, I, I]", (json_int_t)value[0], (json_int_t)value[1], (json_int_t)value[2]);
}

/* ------------------------------------------------------------------ parts */

static json_t *fault_json(const struct sim_fault *f)
{
    char address[24];

    snprintf(address, sizeof address, "0x%" PRIx64, f->address);
    return json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:s}", "kind", sim_fault_name(f->kind), "error",
                     f->error, "kernel", text(f->kernel), "text", text(f->text), "count", count(f->count), "file",
                     text(f->file), "line", (json_int_t)f->line, "block", triple(f->block), "thread",
                     triple(f->thread), "address", address);
}

static json_t *class_json(uint64_t warp, uint64_t thread, uint64_t threads)
{
    return json_pack("{s:o, s:o, s:o}", "warp", count(warp), "thread", count(thread), "per_thread",
                     ratio((double)thread, (double)threads));
}

static json_t *classes_json(const struct explain_kernel *kernel)
{
    json_t *object = json_object();
    uint64_t threads = kernel->counts->threads;

    for (int class = 0; class < EXPLAIN_CLASSES; class++)
        json_object_set_new(object, explain_class_id((enum explain_class)class),
                            class_json(kernel->warp[class], kernel->thread[class], threads));
    json_object_set_new(object, "l", class_json(kernel->warp_total, kernel->thread_total, threads));
    return object;
}

static json_t *global_json(uint64_t requests, uint64_t sectors, uint64_t bytes, double ideal)
{
    return json_pack("{s:o, s:o, s:f, s:o, s:o}", "requests", count(requests), "sectors", count(sectors),
                     "ideal_sectors", ideal, "bytes", count(bytes), "efficiency",
                     ratio((double)bytes, (double)sectors * SECTOR_BYTES));
}

static json_t *occupancy_json(const struct explain *explain, const struct explain_kernel *kernel)
{
    static const char *const limiters[] = { [LIMIT_THREADS] = "threads", [LIMIT_BLOCKS] = "blocks",
                                            [LIMIT_REGISTERS] = "registers", [LIMIT_SHARED] = "shared" };
    const struct sim_kernel_counts *c = kernel->counts;

    return json_pack("{s:I, s:I, s:o, s:s, s:I, s:b, s:I, s:I}", "blocks_per_sm", (json_int_t)c->blocks_per_sm,
                     "warps_per_sm", (json_int_t)kernel->warps_per_sm, "share",
                     ratio((double)kernel->warps_per_sm * WARP_LANES, explain->limits->threads_per_sm), "limiter",
                     limiters[c->limiter], "registers", (json_int_t)c->facts.registers, "estimated",
                     c->facts.estimated, "static_shared", (json_int_t)c->facts.static_shared, "local",
                     (json_int_t)c->facts.local);
}

static json_t *model_json(const struct explain_kernel *kernel)
{
    json_t *object = json_object();
    double sum = 0;

    for (int pipe = 0; pipe < PIPE_COUNT; pipe++)
        sum += kernel->work.busy[pipe];
    for (int pipe = 0; pipe < PIPE_COUNT; pipe++)
        json_object_set_new(object, explain_pipe_id((enum explain_pipe)pipe), ratio(kernel->work.busy[pipe], sum));
    json_object_set_new(object, "launch_bound", json_boolean(kernel->launch_bound));
    return object;
}

static json_t *line_json(const struct explain_line *line)
{
    static const char *const worst[] = { [WORST_NONE] = "", [WORST_SECTORS] = "sectors", [WORST_PASSES] = "passes",
                                         [WORST_BRANCHES] = "branches", [WORST_LANES] = "lanes" };
    const struct sim_line_counts *c = &line->counts;

    return json_pack("{s:o, s:I, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "file", text(c->file),
                     "line", (json_int_t)c->line, "share", line->share, "warp_instructions",
                     count(c->warp_instructions), "thread_instructions", count(c->thread_instructions), "branches",
                     count(c->branches), "divergent_branches", count(c->divergent_branches), "global_requests",
                     count(c->global_requests), "global_sectors", count(c->global_sectors), "global_bytes",
                     count(c->global_bytes), "shared_requests", count(c->shared_requests), "shared_passes",
                     count(c->shared_passes), "shared_ideal_passes", count(c->shared_ideal_passes), "worst",
                     text(worst[explain_line_worst(c)]));
}

static void kernel_memory(json_t *object, const struct explain_kernel *kernel)
{
    const struct sim_kernel_counts *c = kernel->counts;

    json_object_set_new(object, "global_loads", global_json(c->global_load_requests, c->global_load_sectors,
                                                            c->global_load_bytes, kernel->ideal_load_sectors));
    json_object_set_new(object, "global_stores", global_json(c->global_store_requests, c->global_store_sectors,
                                                             c->global_store_bytes, kernel->ideal_store_sectors));
    json_object_set_new(object, "shared", json_pack("{s:o, s:o, s:o, s:o}", "requests", count(c->shared_requests),
                                                    "passes", count(c->shared_passes), "ideal_passes",
                                                    count(c->shared_ideal_passes), "bytes", count(c->shared_bytes)));
    json_object_set_new(object, "local", json_pack("{s:o, s:o}", "requests", count(c->local_requests), "bytes",
                                                   count(c->local_bytes)));
    json_object_set_new(object, "atomics", json_pack("{s:o, s:o}", "requests", count(c->atomic_requests), "lanes",
                                                     count(c->atomic_lanes)));
    json_object_set_new(object, "flops", count(c->flops));
    json_object_set_new(object, "integer_ops", count(c->integer_ops));
    json_object_set_new(object, "flops_per_byte", ratio((double)c->flops, kernel->bytes_moved));
    json_object_set_new(object, "instructions_per_byte", ratio((double)kernel->thread_total, kernel->bytes_moved));
}

static json_t *kernel_json(const struct explain *explain, const struct explain_kernel *kernel)
{
    const struct sim_kernel_counts *c = kernel->counts;
    json_t *object, *lines = json_array();

    object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:f, s:f}", "name", text(c->name), "launches",
                       count(c->launches), "blocks", count(c->blocks), "warps", count(c->warps), "threads",
                       count(c->threads), "grid", triple(c->grid), "block", triple(c->block), "dynamic_shared",
                       (json_int_t)c->dynamic_shared, "simulator_seconds", c->seconds, "share", kernel->share);
    json_object_set_new(object, "instructions", classes_json(kernel));
    json_object_set_new(object, "simd_efficiency",
                        ratio((double)kernel->thread_total, (double)kernel->warp_total * WARP_LANES));
    json_object_set_new(object, "branches", count(c->branches));
    json_object_set_new(object, "divergent_branches", count(c->divergent_branches));
    kernel_memory(object, kernel);
    json_object_set_new(object, "occupancy", occupancy_json(explain, kernel));
    json_object_set_new(object, "waves", ratio(kernel->waves, c->blocks_per_sm > 0));
    json_object_set_new(object, "last_wave", ratio(kernel->last_wave, c->blocks_per_sm > 0));
    json_object_set_new(object, "model", model_json(kernel));
    for (size_t i = 0; i < kernel->line_count; i++)
        json_array_append_new(lines, line_json(&kernel->lines[i]));
    json_object_set_new(object, "lines", lines);
    return object;
}

static json_t *finding_json(const struct explain_finding *finding)
{
    return json_pack("{s:s, s:I, s:o, s:o, s:f, s:o}", "kind", finding->kind, "kernel", (json_int_t)finding->kernel,
                     "file", text(finding->file), "line", finding->file ? count(finding->line) : json_null(), "share",
                     finding->share, "text", text(finding->text));
}

/* ------------------------------------------------------------------ all */

static json_t *explain_object(const struct explain *explain)
{
    const struct sim_limits *limits = explain->limits;
    json_t *faults = json_array(), *kernels = json_array(), *findings = json_array();

    for (size_t i = 0; i < explain->fault_count; i++)
        json_array_append_new(faults, fault_json(&explain->faults[i]));
    for (size_t i = 0; i < explain->kernel_count; i++)
        json_array_append_new(kernels, kernel_json(explain, &explain->kernels[i]));
    for (size_t i = 0; i < explain->finding_count; i++)
        json_array_append_new(findings, finding_json(&explain->findings[i]));
    return json_pack("{s:i, s:b, s:{s:I, s:I, s:I, s:I}, s:{s:f, s:f, s:f, s:f, s:f}, s:o, s:o, s:o}", "format", 1,
                     "simulated", true, "device", "multiprocessors", (json_int_t)limits->multiprocessors,
                     "threads_per_sm", (json_int_t)limits->threads_per_sm, "registers_per_sm",
                     (json_int_t)limits->registers_per_sm, "shared_per_sm", (json_int_t)limits->shared_per_sm,
                     "model", "clock_hz", MODEL_CLOCK, "dram_bytes_per_second", MODEL_DRAM, "l2_bytes_per_cycle",
                     MODEL_L2, "multiprocessors", MODEL_MULTIPROCESSORS, "launch_seconds", MODEL_LAUNCH, "faults",
                     faults, "kernels", kernels, "findings", findings);
}

static bool write_json(FILE *out, const void *object)
{
    return json_dumpf(object, out, JSON_INDENT(2)) == 0;
}

bool explain_json(struct sim *sim, const char *path)
{
    struct explain *explain = explain_gather(sim);
    json_t *object = explain && explain_advise(explain) ? explain_object(explain) : NULL;
    bool ok = false;

    if (!object)
        fprintf(stderr, "cudasim: out of memory for the report '%s'\n", path);
    else
        ok = explain_write(path, write_json, object);
    json_decref(object);
    explain_free(explain);
    return ok;
}
