/*
 * test_cudasim_explain.c - cudasim's report on made-up counts: its finding for each habit, and none for good ones.
 *
 * The machine is a stub: struct sim holds the counts that a test writes down. Links
 * contrib/cudasim/report/explain*.c only.
 */
#include "contrib/cudasim/report/explain.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contrib/cudasim/report/explain_model.h"
#include "unit.h"

#define KERNELS 3
#define LINES 8

struct sim {
    struct sim_limits limits;
    struct sim_fault faults[4];
    size_t fault_count;
    struct sim_kernel_counts kernels[KERNELS];
    size_t kernel_count;
    struct sim_line_counts lines[KERNELS][LINES];
    size_t line_count[KERNELS];
};

/* ------------------------------------------------------------------ the stub */

const char *sim_fault_name(enum sim_fault_kind kind)
{
    return kind == FAULT_OUT_OF_BOUNDS ? "out-of-bounds" : kind == FAULT_LEAK ? "leak" : "other";
}

const struct sim_limits *sim_limits(const struct sim *sim)
{
    return &sim->limits;
}

size_t sim_faults(struct sim *sim, const struct sim_fault **faults)
{
    *faults = sim->faults;
    return sim->fault_count;
}

static void *copy(const void *from, size_t count, size_t size)
{
    void *to = count > 0 ? malloc(count * size) : NULL;

    return to ? memcpy(to, from, count * size) : NULL;
}

size_t sim_counts(struct sim *sim, struct sim_kernel_counts **counts)
{
    *counts = copy(sim->kernels, sim->kernel_count, sizeof **counts);
    return sim->kernel_count;
}

size_t sim_line_counts(struct sim *sim, size_t index, struct sim_line_counts **lines)
{
    *lines = copy(sim->lines[index], sim->line_count[index], sizeof **lines);
    return sim->line_count[index];
}

/* ------------------------------------------------------------------ helpers */

static struct sim device(void)
{
    return (struct sim){ .limits = { .multiprocessors = 16, .threads_per_block = 1024, .threads_per_sm = 2048,
                                     .blocks_per_sm = 32, .registers_per_sm = 65536, .shared_per_sm = 233472 } };
}

/*
 * A kernel with nothing wrong: one launch of 4096 blocks of 256 threads, 8 blocks an SM, 1000 instructions of
 * computation a warp and one load and store of 4 bytes a thread.
 */
static struct sim_kernel_counts *clean(struct sim *sim, const char *name)
{
    struct sim_kernel_counts *k = &sim->kernels[sim->kernel_count++];
    uint64_t warps = 4096 * 8;

    *k = (struct sim_kernel_counts){ .name = name, .launches = 1, .grid = { 4096, 1, 1 }, .block = { 256, 1, 1 },
                                     .blocks = 4096, .threads = warps * 32, .warps = warps, .seconds = 1.5,
                                     .branches = warps * 10, .blocks_per_sm = 8, .limiter = LIMIT_THREADS,
                                     .facts = { .registers = 32 } };
    k->warp_instructions[CLASS_COMPUTATION] = 900 * warps;
    k->warp_instructions[CLASS_CONTROL] = 90 * warps;
    k->warp_instructions[CLASS_PARAMETER] = 10 * warps;
    k->warp_instructions[CLASS_GLOBAL_LOAD] = k->warp_instructions[CLASS_GLOBAL_STORE] = warps;
    for (int class = 0; class < CLASS_COUNT; class++)
        k->thread_instructions[class] = 32 * k->warp_instructions[class];
    k->global_load_requests = k->global_store_requests = warps;
    k->global_load_sectors = k->global_store_sectors = 4 * warps;
    k->global_load_bytes = k->global_store_bytes = 128 * warps;
    k->flops = 1000 * k->threads;
    return k;
}

static struct sim_line_counts *line(struct sim *sim, const char *file, unsigned number)
{
    size_t index = sim->kernel_count - 1;
    struct sim_line_counts *l = &sim->lines[index][sim->line_count[index]++];
    uint64_t warps = sim->kernels[index].warps;

    *l = (struct sim_line_counts){ .file = file, .line = number, .warp_instructions = warps,
                                   .thread_instructions = 32 * warps };
    return l;
}

/* The report, in memory; to be freed. */
static char *report(struct sim *sim)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    explain_text(sim, out);
    fclose(out);
    return text;
}

static void has(const char *text, const char *words)
{
    CHECK(strstr(text, words) != NULL, "no '%s' in\n%s", words, text);
}

static void has_not(const char *text, const char *words)
{
    CHECK(strstr(text, words) == NULL, "'%s' in\n%s", words, text);
}

/* The text of the report, with its findings. */
static struct explain *advised(struct sim *sim)
{
    struct explain *explain = explain_gather(sim);

    CHECK(explain && explain_advise(explain), "no memory");
    return explain;
}

/* The first finding must be `kind` with both words; its share must be a share. */
static void first_finding(struct sim *sim, const char *kind, const char *words, const char *more)
{
    struct explain *explain = advised(sim);
    const struct explain_finding *finding = explain->findings;

    CHECK(explain->finding_count > 0, "no finding instead of %s", kind);
    if (explain->finding_count > 0) {
        CHECK(strcmp(finding->kind, kind) == 0, "%s instead of %s: %s", finding->kind, kind, finding->text);
        CHECK(finding->share > 0 && finding->share <= 1, "%s costs %f", kind, finding->share);
        has(finding->text, words);
        has(finding->text, more);
        CHECK(strpbrk(finding->text, "0123456789") != NULL, "no number: %s", finding->text);
        CHECK(strlen(finding->text) + 1 < sizeof finding->text, "cut off: %s", finding->text);
        CHECK(strstr(finding->text, "nan") == NULL && strstr(finding->text, "inf ") == NULL, "%s", finding->text);
    }
    explain_free(explain);
}

static bool found(struct sim *sim, const char *kind)
{
    struct explain *explain = advised(sim);
    bool there = false;

    for (size_t i = 0; i < explain->finding_count; i++)
        there = there || strcmp(explain->findings[i].kind, kind) == 0;
    explain_free(explain);
    return there;
}

/* ------------------------------------------------------------------ no finding */

static void test_nothing(void)
{
    struct sim sim = device();
    char *text = report(&sim);

    has(text, "SIMULATED");
    has(text, "no kernel was launched");
    has_not(text, "advice");
    free(text);
}

static void test_clean(void)
{
    struct sim sim = device();
    char *text;

    clean(&sim, "clean");
    text = report(&sim);
    has(text, "clean(): 100.0 % of the work (simulated)");
    has(text, "l_c   computation                 32768000       1000.00    99.8 %");
    has(text, "l_mr  global loads                   32768          1.00     0.1 %");
    has(text, "l     all                         32833536       1002.00   100.0 %");
    has(text, "100.0 %: 32.0 of 32 lanes");
    has(text, "4.00 sectors per request, ideal 4.00; efficiency 100 % of 4.19 MB moved");
    has(text, "8 blocks an SM, 64 of 64 warps (100 %), limited by threads");
    has(text, "32 registers per thread (ptxas)");
    has(text, "32.00 on 16 SMs (3.88 on an H100's 132)");
    has(text, "no finding: ");
    has(text, "The busiest part of clean() is");
    has_not(text, "shared memory");
    has_not(text, "SMALL GRID");
    free(text);
}

/* A kernel of no weight is named and left alone, however bad it is. */
static void test_negligible(void)
{
    struct sim sim = device();
    struct sim_kernel_counts *heavy = clean(&sim, "heavy"), *tiny = clean(&sim, "tiny");
    char *text;

    heavy->warp_instructions[CLASS_COMPUTATION] *= 100;
    heavy->thread_instructions[CLASS_COMPUTATION] *= 100;
    tiny->warp_instructions[CLASS_COMPUTATION] = 0;
    tiny->thread_instructions[CLASS_COMPUTATION] = 0;
    tiny->global_load_sectors *= 8;
    text = report(&sim);
    has(text, "tiny(): 0.");
    has(text, "1 launch: not looked at");
    has(text, "no finding");
    free(text);
}

/* An int array that begins anywhere: 5 sectors instead of 4; characters: 2 instead of 1. Neither is a habit. */
static void test_misaligned(void)
{
    struct sim sim = device();
    struct sim_kernel_counts *k = clean(&sim, "shifted");

    /* Nothing but memory, so that no finding is dropped for being cheap. */
    k->warp_instructions[CLASS_COMPUTATION] = k->thread_instructions[CLASS_COMPUTATION] = 0;
    k->warp_instructions[CLASS_CONTROL] = k->thread_instructions[CLASS_CONTROL] = 0;
    k->global_load_sectors = 5 * k->warps;
    CHECK(!found(&sim, "uncoalesced-loads"), "5 sectors for 4");
    k->global_load_bytes = 32 * k->warps;
    k->global_load_sectors = 2 * k->warps;
    CHECK(!found(&sim, "uncoalesced-loads"), "2 sectors for 1");
}

/* ------------------------------------------------------------------ findings */

static void test_uncoalesced(void)
{
    struct sim sim = device();
    struct sim_kernel_counts *k = clean(&sim, "diagonal");
    struct sim_line_counts *l;
    char *text;

    k->global_load_sectors = 32 * k->warps;
    l = line(&sim, "/home/s/device_user.cu", 55);
    l->global_requests = k->warps;
    l->global_sectors = 32 * k->warps;
    l->global_bytes = 128 * k->warps;
    line(&sim, NULL, 7);
    k->warp_instructions[CLASS_COMPUTATION] = k->thread_instructions[CLASS_COMPUTATION] = 0;
    first_finding(&sim, "uncoalesced-loads",
                  "diagonal() at device_user.cu:55 reads 32.0 sectors of 32 bytes for every request where 4.0 would do",
                  "32 or more bytes apart. Every sector is moved as a whole, so 88 % of what it moves is not used");
    CHECK(!found(&sim, "uncoalesced-stores"), "stores are clean");
    CHECK(!found(&sim, "memory-bound"), "first coalesce");
    text = report(&sim);
    has(text, "32.00 sectors per request, ideal 4.00; efficiency 12 % of 33.6 MB moved");
    has(text, "device_user.cu:55");
    has(text, "32.0 sectors per request, ideal 4.0");
    has(text, "PTX line 7");
    has(text, "nothing wasted");
    has(text, "1. diagonal() at device_user.cu:55 reads");
    has_not(text, "no finding");
    free(text);

    /* A transpose: line 9 reads rows and writes columns, 18 sectors per request on average. Only writes are wrong. */
    sim = device();
    k = clean(&sim, "transpose");
    k->warp_instructions[CLASS_COMPUTATION] = k->thread_instructions[CLASS_COMPUTATION] = 0;
    k->global_store_sectors = 32 * k->warps;
    l = line(&sim, "t.cu", 9);
    l->global_requests = 2 * k->warps;
    l->global_sectors = 36 * k->warps;
    l->global_bytes = 256 * k->warps;
    first_finding(&sim, "uncoalesced-stores", "transpose() at t.cu:9 writes 32.0 sectors", "where 4.0 would do");
    CHECK(!found(&sim, "uncoalesced-loads"), "loads are clean");

    /* Reads of one address for all lanes make up for strided ones in the kernel's sum; their line tells. */
    sim = device();
    k = clean(&sim, "hidden");
    k->global_load_requests = 9 * k->warps;
    k->global_load_sectors = (16 + 8) * k->warps;
    k->global_load_bytes = 9 * 128 * k->warps;
    l = line(&sim, "h.cu", 3);
    l->global_requests = k->warps;
    l->global_sectors = 16 * k->warps;
    l->global_bytes = 128 * k->warps;
    k->warp_instructions[CLASS_COMPUTATION] = k->thread_instructions[CLASS_COMPUTATION] = 0;
    first_finding(&sim, "uncoalesced-loads", "hidden() at h.cu:3 reads 16.0 sectors",
                  "about 16 bytes apart and use 4 of them");
}

static void test_shared(void)
{
    struct sim sim = device();
    struct sim_kernel_counts *k = clean(&sim, "tile");
    struct sim_line_counts *l = line(&sim, "mm.cu", 20);

    k->shared_requests = k->shared_ideal_passes = 100 * k->warps;
    k->shared_passes = 3200 * k->warps;
    l->shared_requests = l->shared_ideal_passes = 100 * k->warps;
    l->shared_passes = 3200 * k->warps;
    first_finding(&sim, "bank-conflicts", "tile() at mm.cu:20 needs 32.0 passes", "where 1.0 would do");
    k->shared_passes = k->shared_ideal_passes;
    CHECK(!found(&sim, "bank-conflicts"), "no conflicts");
}

static void test_lanes(void)
{
    struct sim sim = device();
    struct sim_kernel_counts *k = clean(&sim, "branchy");
    struct sim_line_counts *l = line(&sim, "b.cu", 31);

    k->thread_instructions[CLASS_COMPUTATION] /= 4;
    k->divergent_branches = k->branches / 2;
    l->branches = k->branches;
    l->divergent_branches = k->divergent_branches;
    first_finding(&sim, "divergence", "branchy() has 10.4 of 32 lanes",
                  "50 % of its branches part the lanes of a warp");
    k->divergent_branches = 0;
    l->divergent_branches = 0;
    first_finding(&sim, "divergence", "only 0.0 % of its branches", "left early");

    sim = device();
    k = clean(&sim, "single");
    k->block[0] = 1;
    k->threads = k->blocks = k->warps;
    for (int class = 0; class < CLASS_COUNT; class++)
        k->thread_instructions[class] = k->warp_instructions[class];
    k->blocks_per_sm = 32;
    first_finding(&sim, "block-size", "blocks of 1 thread:", "31 of the 32 lanes of every block (97 %)");
    CHECK(!found(&sim, "divergence"), "lanes without a thread are no divergence");
}

static void test_filling(void)
{
    struct sim sim = device();
    struct sim_kernel_counts *k = clean(&sim, "step");
    char *text;

    k->launches = 4096; /* one block each */
    k->grid[0] = 1;
    for (int class = 0; class < CLASS_COUNT; class++) {
        k->warp_instructions[class] /= 50;
        k->thread_instructions[class] /= 50;
    }
    first_finding(&sim, "launches", "step() is launched 4096 times with 1.0 blocks each", "CUDA graph");
    text = report(&sim);
    has(text, "launching costs more");
    has(text, "SMALL GRID: 15 of 16 SMs have no block");
    free(text);

    sim = device();
    k = clean(&sim, "few");
    k->blocks = k->grid[0] = 4;
    first_finding(&sim, "small-grid", "few() is launched with 4 blocks of 256 threads for 16 multiprocessors",
                  "75 % of them have nothing to do");
    k->blocks = k->grid[0] = 17;
    k->block[0] = 1024;
    k->blocks_per_sm = 1;
    first_finding(&sim, "small-grid", "17 blocks", "47 % of the device's time");
    k->blocks = k->grid[0] = 16;
    k->block[0] = 32;
    k->blocks_per_sm = 32;
    first_finding(&sim, "small-grid", "16 blocks of 32 threads", "only 1 of the 32 warps it could hold");

    sim = device();
    k = clean(&sim, "greedy");
    k->blocks_per_sm = 1;
    k->limiter = LIMIT_REGISTERS;
    k->facts.registers = 255;
    first_finding(&sim, "occupancy", "greedy() has only 8 of 64 warps", "255 registers per thread.");
    k->limiter = LIMIT_SHARED;
    k->facts.static_shared = 40000;
    k->dynamic_shared = 100000;
    first_finding(&sim, "occupancy", "140000 bytes of shared memory per block", "of 233472");
}

static void test_costly(void)
{
    struct sim sim = device();
    struct sim_kernel_counts *k = clean(&sim, "costly");

    k->warp_instructions[CLASS_DOUBLE] = 900 * k->warps;
    k->thread_instructions[CLASS_DOUBLE] = 900 * k->threads;
    first_finding(&sim, "double-precision", "costly() has 47 % of its instructions in double precision", "sqrtf()");
    k->warp_instructions[CLASS_DOUBLE] = k->thread_instructions[CLASS_DOUBLE] = 0;
    k->warp_instructions[CLASS_SPECIAL] = 500 * k->warps;
    k->thread_instructions[CLASS_SPECIAL] = 500 * k->threads;
    first_finding(&sim, "special-functions", "costly() sends 33 % of its instructions", "16 lanes");
    k->warp_instructions[CLASS_SPECIAL] = k->thread_instructions[CLASS_SPECIAL] = 0;
    k->atomic_requests = 10 * k->warps;
    k->atomic_lanes = 10 * k->threads;
    first_finding(&sim, "atomics", "10485760 atomic operations, 10.00 a thread and 32.0 a request",
                  "one atomic operation per block");
    k->atomic_requests = k->atomic_lanes = 0;
    k->local_requests = 100 * k->warps;
    k->local_bytes = 100 * 128 * k->warps;
    k->facts.local = 400;
    first_finding(&sim, "local-memory", "100.0 requests a warp to local memory (419 MB in all, 400 bytes a thread)",
                  "indexed at run time");
    k->local_requests = k->local_bytes = 0;
    first_finding(&sim, "local-memory", "400 bytes of local memory per thread by ptxas", "spilled");
}

static void test_memory_bound(void)
{
    struct sim sim = device();
    struct sim_kernel_counts *k = clean(&sim, "copy");

    for (int class = 0; class < CLASS_COUNT; class++) {
        k->warp_instructions[class] /= class == CLASS_COMPUTATION ? 300 : 1;
        k->thread_instructions[class] = 32 * k->warp_instructions[class];
    }
    k->warp_instructions[CLASS_CONTROL] = k->thread_instructions[CLASS_CONTROL] = 0;
    k->global_load_requests *= 16;
    k->global_load_sectors *= 16;
    k->global_load_bytes *= 16;
    k->flops = k->threads;
    first_finding(&sim, "memory-bound", "copy() is memory-bound", "71.3 MB / 3.35 TB/s (published) = 21.3 us");
}

/* The costlier finding of two kernels comes first, and no more than three are shown. */
static void test_ranking(void)
{
    struct sim sim = device();
    struct sim_kernel_counts *k;
    char *text;
    struct explain *explain;

    k = clean(&sim, "small");
    k->shared_requests = k->shared_ideal_passes = k->warps;
    k->shared_passes = 500 * k->warps;
    k = clean(&sim, "large");
    k->shared_requests = k->shared_ideal_passes = k->warps;
    k->shared_passes = 5000 * k->warps;
    k->atomic_requests = k->warps;
    k->atomic_lanes = 5000 * k->warps;
    k->warp_instructions[CLASS_SPECIAL] = 1000 * k->warps;
    explain = advised(&sim);
    CHECK(explain->finding_count > 3, "%zu findings", explain->finding_count);
    for (size_t i = 1; i < explain->finding_count; i++)
        CHECK(explain->findings[i].share <= explain->findings[i - 1].share, "finding %zu out of order", i);
    CHECK(explain->findings[0].kernel == 1, "the smaller kernel first");
    CHECK(fabs(explain->kernels[0].share + explain->kernels[1].share - 1) < 1e-12, "shares do not add up");
    explain_free(explain);
    text = report(&sim);
    has(text, "  3. ");
    has_not(text, "  4. ");
    has(text, "more in the JSON)");
    free(text);
}

/* ------------------------------------------------------------------ faults, layout, JSON */

static void add_faults(struct sim *sim)
{
    sim->faults[0] = (struct sim_fault){ .kind = FAULT_OUT_OF_BOUNDS, .error = true, .kernel = "diagonal",
                                         .file = "device_user.cu", .line = 53, .block = { 1, 0, 0 },
                                         .thread = { 31, 2, 0 }, .address = 0x7f0000001000, .count = 12,
                                         .text = "write of 4 bytes, 4 bytes after an allocation" };
    sim->faults[1] = (struct sim_fault){ .kind = FAULT_LEAK, .count = 1, .text = "400 bytes not freed" };
    sim->fault_count = 2;
}

static void test_faults(void)
{
    struct sim sim = device();
    char *text, *first, *kernel;

    add_faults(&sim);
    clean(&sim, "diagonal");
    text = report(&sim);
    has(text, "\nout-of-bounds: diagonal, device_user.cu:53, block (1,0,0), thread (31,2,0): write of 4 bytes,"
              " 4 bytes after an allocation (12 times)\n");
    has(text, "\nleak: 400 bytes not freed (1 time)\n");
    first = strstr(text, "out-of-bounds");
    kernel = strstr(text, "diagonal():");
    CHECK(first && kernel && first < kernel, "faults come first");
    free(text);
}

static void test_layout(void)
{
    struct sim sim = device();
    struct sim_kernel_counts *k;
    char *text;

    k = clean(&sim, "void a_template_with_a_long_name<float, 16, another_template<double, 3>, and_a_third<char> >");
    k->launches = 1000000000000;
    k->blocks = k->grid[0] = 2147483647;
    k->grid[1] = k->grid[2] = 65535;
    k->threads = k->warps = 10000000000000000000u;
    k->global_load_sectors = k->global_load_bytes = 1000000000000000000;
    k->warp_instructions[CLASS_DOUBLE] = k->thread_instructions[CLASS_DOUBLE] = 9000000000000000000;
    k->atomic_requests = k->atomic_lanes = 1000000000000000000;
    k->local_requests = k->local_bytes = 1000000000000000000;
    k->shared_requests = k->shared_passes = k->shared_ideal_passes = k->shared_bytes = 1000000000000000000;
    k->warp_instructions[CLASS_SPECIAL] = 100;
    line(&sim, "/a/folder/with_a_file_name_that_is_much_longer_than_its_column_is_wide.cu", 4000000000);
    text = report(&sim);
    for (char *at = text, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        CHECK(end != NULL && end - at <= 100, "%td columns: %.*s", end - at, (int)(end - at), at);
        CHECK(end == at || end[-1] != ' ', "a space ends: %.*s", (int)(end - at), at);
        if (!end)
            break;
    }
    has_not(text, "nan");
    free(text);
}

/* Counts of nothing at all: a launch whose kernel does nothing. */
static void test_empty_kernel(void)
{
    struct sim sim = device();
    char *text;

    sim.kernels[sim.kernel_count++] = (struct sim_kernel_counts){ .name = "empty", .launches = 1, .grid = { 1, 1, 1 },
                                                                  .block = { 1, 1, 1 }, .blocks = 1, .threads = 1,
                                                                  .warps = 1 };
    sim.kernels[sim.kernel_count++] = (struct sim_kernel_counts){ .name = "never" };
    text = report(&sim);
    has(text, "empty(): 100.0 %");
    has_not(text, "nan");
    has_not(text, "inf");
    free(text);
}

static void test_json(void)
{
    struct sim sim = device();
    struct sim_kernel_counts *k = clean(&sim, "diagonal");
    struct sim_line_counts *l = line(&sim, "d.cu", 55);
    char folder[] = "/tmp/explain-XXXXXX", path[64];
    json_t *root, *kernel;

    add_faults(&sim);
    k->warp_instructions[CLASS_COMPUTATION] = k->thread_instructions[CLASS_COMPUTATION] = 0;
    k->global_load_sectors = l->global_sectors = 32 * k->warps;
    l->global_requests = k->warps;
    l->global_bytes = 128 * k->warps;
    clean(&sim, "not \xff UTF-8");
    CHECK(mkdtemp(folder) != NULL, "no temporary folder");
    snprintf(path, sizeof path, "%s/report.json", folder);
    CHECK(explain_json(&sim, path), "not written");
    root = json_load_file(path, 0, NULL);
    CHECK(root != NULL, "no JSON");
    CHECK(json_is_true(json_object_get(root, "simulated")), "simulated");
    CHECK(json_integer_value(json_object_get(root, "format")) == 1, "format");
    CHECK(json_array_size(json_object_get(root, "faults")) == 2, "faults");
    kernel = json_array_get(json_object_get(root, "kernels"), 0);
    CHECK(strcmp(json_string_value(json_object_get(kernel, "name")), "diagonal") == 0, "name");
    CHECK(json_real_value(json_object_get(json_object_get(kernel, "global_loads"), "efficiency")) == 0.125,
          "efficiency");
    CHECK(json_integer_value(json_object_get(json_object_get(json_object_get(kernel, "instructions"), "l_c"), "warp"))
              == 100 * 32768, "l_c");
    CHECK(json_real_value(json_object_get(json_object_get(kernel, "occupancy"), "share")) == 1, "occupancy");
    CHECK(strcmp(json_string_value(json_object_get(json_array_get(json_object_get(root, "kernels"), 1), "name")),
                 "not ? UTF-8") == 0, "a name that is not UTF-8");
    kernel = json_array_get(json_object_get(kernel, "lines"), 0);
    CHECK(strcmp(json_string_value(json_object_get(kernel, "worst")), "sectors") == 0, "worst");
    kernel = json_array_get(json_object_get(root, "findings"), 0);
    CHECK(kernel && strcmp(json_string_value(json_object_get(kernel, "kind")), "uncoalesced-loads") == 0, "finding");
    CHECK(kernel && json_integer_value(json_object_get(kernel, "line")) == 55, "its line");
    json_decref(root);

    snprintf(path, sizeof path, "%s/report.json.part", folder);
    CHECK(access(path, F_OK) != 0, "a part is left");
    snprintf(path, sizeof path, "%s/report.json", folder);
    unlink(path);
    rmdir(folder);
    CHECK(freopen("/dev/null", "w", stderr) != NULL, "/dev/null");
    CHECK(!explain_json(&sim, path), "written where there is no folder");
}

int main(void)
{
    test_nothing();
    test_clean();
    test_negligible();
    test_misaligned();
    test_uncoalesced();
    test_shared();
    test_lanes();
    test_filling();
    test_costly();
    test_memory_bound();
    test_ranking();
    test_faults();
    test_layout();
    test_empty_kernel();
    test_json();
    return unit_end();
}
