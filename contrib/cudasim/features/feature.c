/*
 * feature.c - runs a launch, or a sample of its blocks, and computes the numbers of feature.h.
 *
 * The sample is drawn along each side of the grid separately. It holds the first and the last place. The places between
 * them are cut into equal parts, and each part gives one place. So blocks at the grid's edges, which often do less,
 * represent only edge blocks, and no stride falls in step with the width of the grid. Each block of the sample runs as
 * its own launch, because its counts are weighted by the number of blocks it represents.
 */
#include "feature.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/machine/inside.h"
#include "contrib/cudasim/machine/machine.h"
#include "feature_code.h"
#include "feature_pages.h"
#include "feature_sass.h"
#include "feature_work.h"

#define SECTOR 32       /* bytes */
#define LEAST_PICKED 3  /* along a side of the grid: two edges and what is between them */

/* An allocation that a launch touched. */
struct age {
    uint64_t first, end; /* sectors, from the origin */
    double at;           /* bytes that launches had touched by then */
    bool stale;          /* a launch of which only a sample ran touched it, and may have written it */
};

struct features {
    uint64_t sample;
    bool trying;         /* nothing is noted below */
    bool launched;       /* a launch was described before */
    struct age *ages;    /* [age_count] */
    size_t age_count, age_capacity;
    double bytes;        /* that launches touched so far, each launch its distinct ones */
    struct pages pages;  /* of managed memory */
    bool told_input, told_problem; /* that the environment's n or s is no number */
};

/* An allocation of device memory, and the parts of it that a launch touched. */
struct extent {
    uint64_t first, end;  /* sectors, from the origin */
    uint64_t *united;     /* [(end - first) / 64 + 2] touched by any block of the sample, or by a launch of managed
                           * memory; NULL before one did */
    double weighted;      /* distinct sectors of each block of the sample, times what it stands for, summed */
    double plain;         /* the same without weights */
    uint64_t touched;     /* distinct sectors of the sample together */
    double sectors;       /* distinct sectors of the whole launch */
    enum region_kind kind;
    bool managed;         /* its pages move between the host and the GPU */
};

struct extents {
    struct extent *list;
    size_t count, capacity;
    uint64_t origin;
    bool failed;
};

/* The weighted counts. */
struct sums {
    double class[CLASS_COUNT], lanes, warps, exits, flops, load_sectors, store_sectors, passes, threads, blocks;
    double blocks_run; /* not weighted */
};

/* ---- sampling ---- */

void features_pick(uint64_t count, uint64_t picked, uint64_t *place, double *weight)
{
    for (uint64_t n = 0; n < picked; n++) {
        uint64_t from, end;

        place[n] = n;
        weight[n] = 1;
        if (picked == count || n == 0)
            continue;
        if (n == picked - 1) {
            place[n] = count - 1;
            continue;
        }
        /* Sides are below 2^32, samples far below: no overflow. */
        from = 1 + (count - 2) * (n - 1) / (picked - 2);
        end = 1 + (count - 2) * n / (picked - 2);
        /* Multiples of the golden ratio: another place in each part, so that no period of the blocks' work is met. */
        place[n] = from + (uint64_t)(fmod((double)n * 0.6180339887498949, 1) * (double)(end - from));
        weight[n] = (double)(end - from);
    }
}

/* How many places along each side make a sample of about `most`, and at least LEAST_PICKED along each. */
static uint64_t share_out(const uint64_t side[3], uint64_t most, uint64_t picked[3])
{
    uint64_t product = 1;

    for (int n = 0; n < 3; n++) {
        picked[n] = side[n] < LEAST_PICKED ? side[n] : LEAST_PICKED;
        product *= picked[n];
    }
    for (;;) {
        int best = -1;

        for (int n = 0; n < 3; n++)
            if (picked[n] < side[n] && product / picked[n] * (picked[n] + 1) <= most &&
                (best < 0 || (double)side[n] / (double)picked[n] > (double)side[best] / (double)picked[best]))
                best = n;
        if (best < 0)
            return product;
        product = product / picked[best] * (picked[best] + 1);
        picked[best]++;
    }
}

/* ---- which sectors ---- */

static void add_extent(const struct region *region, void *context)
{
    struct extents *x = context;
    uint64_t first, end;

    if (region->base < x->origin || x->failed)
        return;
    if (x->count == x->capacity) {
        size_t capacity = x->capacity ? 2 * x->capacity : 64;
        struct extent *list = realloc(x->list, capacity * sizeof *list);

        if (!list) {
            x->failed = true;
            return;
        }
        x->list = list;
        x->capacity = capacity;
    }
    first = (region->base - x->origin) / SECTOR;
    end = (region->base + region->size - 1 - x->origin) / SECTOR + 1;
    x->list[x->count++] = (struct extent){.first = first, .end = end, .kind = region->kind,
                                           .managed = region->kind == REGION_MANAGED || region->managed};
}

static void drop_extents(struct extents *x)
{
    for (size_t n = 0; n < x->count; n++)
        free(x->list[n].united);
    free(x->list);
}

/* The bits of sectors [first, end) of word `word`. */
static uint64_t word_mask(uint64_t word, uint64_t first, uint64_t end)
{
    uint64_t mask = ~0ull;

    if (word == first / 64)
        mask &= ~0ull << (first & 63);
    if (word == (end - 1) / 64)
        mask &= ~0ull >> (63 - ((end - 1) & 63));
    return mask;
}

/* All that the launch touched of the extent. */
static bool count_extent(struct extent *e, const struct touched *t)
{
    uint64_t bits;

    for (uint64_t word = e->first / 64; word <= (e->end - 1) / 64; word++) {
        if (!t->pages[word / TOUCHED_PAGE]) {
            word |= TOUCHED_PAGE - 1;
            continue;
        }
        bits = t->bits[word] & word_mask(word, e->first, e->end);
        e->sectors += (double)__builtin_popcountll(bits);
        if (!bits || !e->managed)
            continue;
        if (!e->united && !(e->united = calloc((e->end - 1) / 64 - e->first / 64 + 1, sizeof *e->united)))
            return false;
        e->united[word - e->first / 64] |= bits;
    }
    return true;
}

/* Notes what one block of the sample touched of the extent. */
static bool take_extent(struct extent *e, const struct touched *t, double weight)
{
    uint64_t first_word = e->first / 64, last_word = (e->end - 1) / 64, distinct = 0;

    for (uint64_t word = first_word; word <= last_word; word++) {
        uint64_t bits;

        if (!t->pages[word / TOUCHED_PAGE]) {
            word |= TOUCHED_PAGE - 1;
            continue;
        }
        bits = t->bits[word] & word_mask(word, e->first, e->end);
        if (!bits)
            continue;
        if (!e->united && !(e->united = calloc(last_word - first_word + 1, sizeof *e->united)))
            return false;
        distinct += (uint64_t)__builtin_popcountll(bits);
        e->touched += (uint64_t)__builtin_popcountll(bits & ~e->united[word - first_word]);
        e->united[word - first_word] |= bits;
    }
    e->weighted += weight * (double)distinct;
    e->plain += (double)distinct;
    return true;
}

/* The next page from `page` on that may have a bit, or the number of pages. */
static uint64_t next_page(const struct touched *t, uint64_t page)
{
    uint64_t pages = t->sectors / 64 / TOUCHED_PAGE, eight;

    for (; page < pages; page++) {
        if (page % 8 == 0 && page + 8 <= pages) {
            memcpy(&eight, &t->pages[page], sizeof eight);
            if (!eight) {
                page += 7;
                continue;
            }
        }
        if (t->pages[page])
            return page;
    }
    return pages;
}

static void clear_touched(struct touched *t)
{
    uint64_t pages = t->sectors / 64 / TOUCHED_PAGE;

    for (uint64_t page = next_page(t, 0); page < pages; page = next_page(t, page + 1)) {
        memset(&t->bits[page * TOUCHED_PAGE], 0, TOUCHED_PAGE * sizeof *t->bits);
        t->pages[page] = 0;
    }
}

static uint64_t count_touched(const struct touched *t)
{
    uint64_t pages = t->sectors / 64 / TOUCHED_PAGE, count = 0;

    for (uint64_t page = next_page(t, 0); page < pages; page = next_page(t, page + 1))
        for (uint64_t word = page * TOUCHED_PAGE; word < (page + 1) * TOUCHED_PAGE; word++)
            count += (uint64_t)__builtin_popcountll(t->bits[word]);
    return count;
}

/*
 * Sectors of an allocation that the whole grid touches, estimated from a sample. The sectors that n blocks touch
 * together grow as n^p. The sample gives p (1: no block shares, 0: all touch the same, 1/2: rows of a grid share, and
 * columns do). The allocation's size is the limit.
 */
static double grown(const struct extent *e, double picked, double blocks)
{
    double mean, power, sectors;

    if (!e->touched)
        return 0;
    mean = e->plain / picked;
    power = picked > 1 ? log((double)e->touched / mean) / log(picked) : 1;
    sectors = e->weighted / blocks * pow(blocks, power < 0 ? 0 : power > 1 ? 1 : power);
    sectors = fmin(sectors, (double)(e->end - e->first));
    return fmax(sectors, (double)e->touched);
}

/* ---- what is cold ---- */

void features_try(struct features *features, bool on) { features->trying = on; }

static struct age *age_of(struct features *f, const struct extent *e)
{
    for (size_t n = 0; n < f->age_count; n++)
        if (f->ages[n].first == e->first && f->ages[n].end == e->end)
            return &f->ages[n];
    if (f->trying)
        return NULL;
    if (f->age_count == f->age_capacity) {
        size_t capacity = f->age_capacity ? 2 * f->age_capacity : 64;
        struct age *ages = realloc(f->ages, capacity * sizeof *ages);

        if (!ages)
            return NULL;
        f->ages = ages;
        f->age_capacity = capacity;
    }
    f->ages[f->age_count] = (struct age){e->first, e->end, -INFINITY, false};
    return &f->ages[f->age_count++];
}

/*
 * Bytes of the launch that cannot be in L2: those of allocations that no launch touched before, or none since launches
 * touched more than L2 holds. What the host copied is taken to be in memory.
 */
static double cold_bytes(struct features *f, const struct sim *sim, const struct extents *x)
{
    double l2 = sim_limits(sim)->l2_bytes, cold = 0, sum = 0;

    for (size_t n = 0; n < x->count; n++) {
        const struct extent *e = &x->list[n];
        struct age *age = e->sectors > 0 ? age_of(f, e) : NULL;

        if (e->sectors > 0 && (!age || f->bytes - age->at > l2))
            cold += SECTOR * e->sectors;
        sum += SECTOR * e->sectors;
    }
    if (f->trying)
        return cold;
    f->bytes += sum;
    for (size_t n = 0; n < x->count; n++) {
        struct age *age = x->list[n].sectors > 0 ? age_of(f, &x->list[n]) : NULL;

        if (age)
            age->at = f->bytes;
    }
    return cold;
}

/* Whether the launch touched the page of managed memory, from sector `first` to `end`. */
static bool page_touched(const struct extent *e, uint64_t first, uint64_t end)
{
    for (uint64_t word = first / 64; e->united && word <= (end - 1) / 64; word++)
        if (e->united[word - e->first / 64] & word_mask(word, first, end))
            return true;
    return false;
}

/* Bytes of the pages that the launch touched and that the GPU did not have. It has them afterwards. */
static double move_pages(struct features *f, struct sim *sim, const struct extent *e)
{
    double moved = 0;

    for (uint64_t first = e->first, end; first < e->end; first = end) {
        uint64_t low, high;

        pages_bounds(&f->pages, first * SECTOR, &low, &high);
        end = (high + SECTOR - 1) / SECTOR;
        end = end < e->end ? end : e->end;
        if (pages_here(&f->pages, first * SECTOR) || !page_touched(e, first, end))
            continue;
        moved += (double)((end - first) * SECTOR);
        if (f->trying)
            continue;
        pages_ask(&f->pages, first * SECTOR);
        features_move(f, sim, first * SECTOR, first * SECTOR + 1, true);
    }
    /* Of a sample some pages are seen. */
    return e->touched > 0 ? fmin(moved * e->sectors / (double)e->touched, (double)(e->end - e->first) * SECTOR) : moved;
}

/*
 * What is not the GPU's memory. Bytes of page-locked memory go over the bus. Pages of managed memory come to the GPU
 * when a launch touches them: those of one area are asked for together.
 */
static void fill_away(struct features *f, struct sim *sim, const struct extents *x, double *value)
{
    value[FEATURE_HOST_BYTES] = value[FEATURE_MANAGED_FIRST] = value[FEATURE_MANAGED_AREAS] = 0;
    for (size_t n = 0; n < x->count; n++) {
        const struct extent *e = &x->list[n];
        double moved = 0;

        if (e->managed && e->sectors > 0)
            moved = move_pages(f, sim, e);
        if (e->kind == REGION_HOST && e->sectors > 0)
            value[FEATURE_HOST_BYTES] += SECTOR * e->sectors;
        value[FEATURE_MANAGED_FIRST] += moved;
        value[FEATURE_MANAGED_AREAS] += moved > 0;
    }
    if (!f->trying)
        pages_bring(&f->pages);
}

void features_place(struct features *features, uint64_t low, uint64_t high)
{
    pages_place(&features->pages, low, high);
}

void features_clear(struct features *features, uint64_t low)
{
    pages_clear(&features->pages, low);
}

void features_move(struct features *features, struct sim *sim, uint64_t low, uint64_t high, bool to_device)
{
    pages_move(&features->pages, low, high, memory_range(sim_memory(sim)), to_device);
}

bool features_any_page(const struct features *features)
{
    return features->pages.any;
}

bool features_next_page(const struct features *features, uint64_t *low, uint64_t *end, uint64_t high)
{
    return pages_next(&features->pages, low, end, high);
}

void features_page_of(const struct features *features, uint64_t address, uint64_t *low, uint64_t *high)
{
    pages_bounds(&features->pages, address, low, high);
}

/* The share of the launch's bytes in allocations whose data is not real. `partial`: it adds some. */
static double stale_share(struct features *f, const struct extents *x, bool partial)
{
    double stale = 0, sum = 0;

    for (size_t n = 0; n < x->count; n++) {
        struct age *age = x->list[n].sectors > 0 ? age_of(f, &x->list[n]) : NULL;

        sum += x->list[n].sectors;
        if (!age)
            continue;
        stale += age->stale ? x->list[n].sectors : 0;
        age->stale = age->stale || (partial && !f->trying);
    }
    return sum > 0 ? stale / sum : 0;
}

/* ---- sums ---- */

static void add_sums(struct sums *s, const struct sim_kernel_counts *before, const struct sim_kernel_counts *after,
                     double weight)
{
#define MORE(field) (weight * (double)(after->field - before->field))
    for (int n = 0; n < CLASS_COUNT; n++)
        s->class[n] += MORE(thread_instructions[n]);
    s->lanes += MORE(all_thread_instructions);
    s->warps += MORE(all_warp_instructions);
    s->exits += MORE(thread_exits);
    s->flops += MORE(flops);
    s->load_sectors += MORE(global_load_sectors);
    s->store_sectors += MORE(global_store_sectors);
    s->passes += MORE(shared_passes);
    s->threads += MORE(threads);
    s->blocks += MORE(blocks);
    s->blocks_run += (double)(after->blocks - before->blocks);
#undef MORE
}

/* ---- the row ---- */

struct feature_name feature_plain_name(const char *title)
{
    struct feature_name name;
    size_t start = 0, end = strlen(title), at;
    int depth = 0;

    for (at = 0; title[at]; at++) {
        if (title[at] == '<' && at > start && depth++ == 0)
            end = at;
        else if (title[at] == '>' && depth > 0)
            depth--;
        else if (title[at] == ':' && title[at + 1] == ':' && depth == 0) {
            start = ++at + 1;
            end = strlen(title);
        }
    }
    snprintf(name.text, sizeof name.text, "%.*s", (int)(end - start), title + start);
    for (char *c = name.text; *c; c++)
        if (*c == ',' || *c == '"' || *c == '\n')
            *c = '_';
    return name;
}

/* A number that the caller gives; NaN if it does not. */
static double given(const char *variable, bool *told)
{
    const char *text = getenv(variable);
    char *end;
    double value;

    if (!text || !*text)
        return NAN;
    value = strtod(text, &end);
    if (*end == '\0' && isfinite(value))
        return value;
    if (!*told)
        fprintf(stderr, "cudasim: %s=%s is not a number: left empty\n", variable, text);
    *told = true;
    return NAN;
}

static double per(double sum, double threads)
{
    return threads > 0 ? sum / threads : 0;
}

static void fill(struct features *features, const struct sim_launch *launch, const struct features_code *code,
                 const struct sums *s, double footprint, struct features_row *row)
{
    const struct sim_kernel_facts *facts = sim_kernel_facts(launch->kernel);
    double *v = row->value, threads = s->threads, accesses;
    unsigned block = launch->block[0] * launch->block[1] * launch->block[2];
    double computation = s->class[CLASS_COMPUTATION] + s->class[CLASS_CONTROL] + s->class[CLASS_PARAMETER] - s->exits;

    row->kernel = feature_plain_name(sim_kernel_title(launch->kernel));
    for (int n = 0; n < 3; n++) {
        v[FEATURE_GRID_X + n] = launch->grid[n];
        v[FEATURE_BLOCK_X + n] = launch->block[n];
    }
    v[FEATURE_INPUT] = given("CUDASIM_FEATURES_N", &features->told_input);
    v[FEATURE_PROBLEM] = given("CUDASIM_FEATURES_S", &features->told_problem);
    v[FEATURE_BLOCKS] = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
    v[FEATURE_THREADS] = block;
    v[FEATURE_WARPS] = (block + LANES - 1) / LANES;
    v[FEATURE_COMPLEXITY] = code->complexity;
    v[FEATURE_L] = per(s->lanes - s->exits, threads);
    v[FEATURE_L_C] = per(computation, threads);
    v[FEATURE_L_MR] = per(s->class[CLASS_GLOBAL_LOAD], threads);
    v[FEATURE_L_MW] = per(s->class[CLASS_GLOBAL_STORE], threads);
    v[FEATURE_L_SHR] = per(s->class[CLASS_SHARED_LOAD], threads);
    v[FEATURE_L_SHW] = per(s->class[CLASS_SHARED_STORE], threads);
    v[FEATURE_L_S] = per(s->class[CLASS_SYNCHRONISATION], threads);
    v[FEATURE_L_DPU] = per(s->class[CLASS_DOUBLE], threads);
    v[FEATURE_L_SFU] = per(s->class[CLASS_SPECIAL], threads);
    accesses = v[FEATURE_L_MR] + v[FEATURE_L_MW];
    v[FEATURE_ALPHA] = accesses > 0 ? (v[FEATURE_L_C] + v[FEATURE_L_DPU] + v[FEATURE_L_SFU]) / accesses : NAN;
    v[FEATURE_DPC] = code->dpc;
    v[FEATURE_SHARED_WORDS] = (facts->static_shared + launch->dynamic_shared + 3) / 4;
    v[FEATURE_REGISTERS] = facts->estimated ? NAN : facts->registers;
    v[FEATURE_WARP_INSTRUCTIONS] = s->warps;
    v[FEATURE_FLOPS] = s->flops;
    v[FEATURE_BYTES_READ] = SECTOR * s->load_sectors;
    v[FEATURE_BYTES_WRITTEN] = SECTOR * s->store_sectors;
    v[FEATURE_FOOTPRINT] = SECTOR * footprint;
    v[FEATURE_SHARED_PASSES] = s->passes;
    v[FEATURE_DIVERGENCE] = s->warps > 0 ? s->lanes / (LANES * s->warps) : 1;
    v[FEATURE_REGULAR] = code->regular;
    v[FEATURE_EXECUTED] = fmin(s->blocks_run / v[FEATURE_BLOCKS], 1);
    v[FEATURE_CLOCKED] = code->clocked;
    v[FEATURE_FOLLOWS] = code->waits || launch->cooperative;
    v[FEATURE_DATA_BRANCHES] = code->data_branches;
    v[FEATURE_DATA_ADDRESSES] = code->data_addresses;
}

/* ---- launches ---- */

struct features *features_create(uint64_t sample)
{
    struct features *features = calloc(1, sizeof *features);

    if (features)
        features->sample = sample;
    return features;
}

void features_free(struct features *features)
{
    if (features) {
        free(features->ages);
        pages_release(&features->pages);
    }
    free(features);
}

static void release_code(void *attached)
{
    costs_free(((struct features_code *)attached)->costs);
    sass_free(((struct features_code *)attached)->sass);
    features_code_release(attached);
    free(attached);
}

const struct features_code *features_of_kernel(struct sim_kernel *kernel)
{
    const struct ptx_function *function;
    const struct ptx_module *module = sim_kernel_ptx(kernel, &function);

    struct features_code *code = kernel->attached;

    if (code)
        return code;
    code = calloc(1, sizeof *code);
    if (code && !features_code_read(module, function, code)) {
        free(code);
        code = NULL;
    }
    kernel->attached = code;
    kernel->detach = release_code;
    return code;
}

static void out_of_memory(struct sim *sim, const struct sim_launch *launch, struct sim_fault *fault)
{
    memset(fault, 0, sizeof *fault);
    fault->kind = FAULT_STACK_OVERFLOW;
    fault->error = true;
    snprintf(fault->kernel, sizeof fault->kernel, "%s", sim_kernel_title(launch->kernel));
    snprintf(fault->text, sizeof fault->text, "out of memory for the features");
    sim_report_fault(sim, fault);
}

static bool run_all(struct sim *sim, const struct sim_launch *launch, struct sums *sums, struct extents *extents,
                    double *footprint, struct work *work, struct sim_fault *fault)
{
    struct sim_kernel_counts before, after;
    bool good = true;

    sim_kernel_count(launch->kernel, &before);
    if (!sim_run(sim, launch, fault))
        return false;
    sim_kernel_count(launch->kernel, &after);
    add_sums(sums, &before, &after, 1);
    *footprint = (double)count_touched(sim_touched(sim));
    for (size_t n = 0; good && n < extents->count; n++)
        good = count_extent(&extents->list[n], sim_touched(sim));
    clear_touched(sim_touched(sim));
    if (!good || !work_take(work, 1)) {
        out_of_memory(sim, launch, fault);
        return false;
    }
    return true;
}

/* One block of the sample, or one cluster. It represents `weight` of them. */
static bool run_one(struct sim *sim, struct sim_launch *launch, uint64_t number, double weight, struct sums *sums,
                    struct extents *extents, struct work *work, struct sim_fault *fault)
{
    struct sim_kernel_counts before, after;

    launch->only = &number;
    launch->only_count = 1;
    sim_kernel_count(launch->kernel, &before);
    if (!sim_run(sim, launch, fault))
        return false;
    launch->continues = true;
    sim_kernel_count(launch->kernel, &after);
    add_sums(sums, &before, &after, weight);
    for (size_t n = 0; n < extents->count; n++)
        if (!take_extent(&extents->list[n], sim_touched(sim), weight)) {
            out_of_memory(sim, launch, fault);
            return false;
        }
    if (!work_take(work, weight)) {
        out_of_memory(sim, launch, fault);
        return false;
    }
    clear_touched(sim_touched(sim));
    return true;
}

static bool run_sample(struct sim *sim, const struct sim_launch *whole, const uint64_t side[3],
                       const uint64_t picked[3], struct sums *sums, struct extents *extents, double *footprint,
                       struct work *work, struct sim_fault *fault)
{
    struct sim_launch launch = *whole;
    uint64_t most = picked[0] + picked[1] + picked[2], *place = calloc(most, sizeof *place);
    uint64_t *at[3] = {place, place + picked[0], place + picked[0] + picked[1]};
    double *weight = calloc(most, sizeof *weight);
    double *of[3] = {weight, weight + picked[0], weight + picked[0] + picked[1]};
    bool good = place && weight;

    if (!good)
        out_of_memory(sim, whole, fault);
    for (int n = 0; good && n < 3; n++)
        features_pick(side[n], picked[n], at[n], of[n]);
    for (uint64_t z = 0; z < picked[2]; z++)
        for (uint64_t y = 0; y < picked[1]; y++)
            for (uint64_t x = 0; good && x < picked[0]; x++)
                good = run_one(sim, &launch, (at[2][z] * side[1] + at[1][y]) * side[0] + at[0][x],
                               of[0][x] * of[1][y] * of[2][z], sums, extents, work, fault);
    for (size_t n = 0; good && n < extents->count; n++) {
        struct extent *e = &extents->list[n];

        e->sectors = grown(e, (double)(picked[0] * picked[1] * picked[2]),
                           (double)side[0] * (double)side[1] * (double)side[2]);
        *footprint += e->sectors;
    }
    free(place);
    free(weight);
    return good;
}

bool feature_loop_place(const struct sim_kernel *kernel, const struct features_loop *loop, char *text, size_t size)
{
    const struct ptx_function *function;
    const struct ptx_module *module = sim_kernel_ptx(kernel, &function);
    const struct ptx_location *place = loop->exit ? ptx_place(module, loop->exit) : NULL;
    const char *path = place ? ptx_file_path(module, place->file) : NULL;

    if (path)
        snprintf(text, size, "%s:%u", path, place->line);
    else
        snprintf(text, size, "line %u of the PTX", loop->line);
    return path != NULL;
}

static void tell_irregular(const struct sim_kernel *kernel, const struct features_code *code)
{
    char place[512];

    for (size_t n = 0; n < code->loop_count; n++) {
        if (!(code->loops[n].depends & DEPENDS_DATA))
            continue;
        feature_loop_place(kernel, &code->loops[n], place, sizeof place);
        fprintf(stderr,
                "cudasim: %s: the loop that ends at %s runs as often as data in global memory says: the features "
                "hold for this input alone\n",
                sim_kernel_title(kernel), place);
    }
}

/* Whether the launch is the first of the program, and the first of its kernel. */
static void fill_first(struct features *features, struct features_code *code, double *value)
{
    value[FEATURE_FIRST] = !features->launched;
    value[FEATURE_FRESH] = !code->launched;
    features->launched = features->launched || !features->trying;
    code->launched = code->launched || !features->trying;
}

bool features_run(struct features *features, struct sim *sim, const struct sim_launch *launch, struct features_row *row,
                  struct sim_fault *fault)
{
    struct features_code *code = (struct features_code *)(uintptr_t)features_of_kernel(launch->kernel);
    struct sums sums = {.blocks = 0};
    uint64_t side[3], picked[3] = {1, 1, 1}, blocks = 1;
    double footprint = 0;
    struct extents extents = {.origin = memory_origin(sim_memory(sim))};
    struct work *work = NULL;
    bool sampled, good;

    if (!code || !(work = work_begin(sim, launch->kernel, code))) {
        out_of_memory(sim, launch, fault);
        return false;
    }
    for (int n = 0; n < 3; n++) {
        side[n] = launch->grid[n] / launch->cluster[n];
        blocks *= side[n];
    }
    sampled = features->sample && blocks > features->sample;
    if (sampled && (code->waits || launch->cooperative)) {
        sampled = false;
        if (!code->told)
            fprintf(stderr, "cudasim: %s: its blocks may wait for each other: all of them are executed, not a sample\n",
                    sim_kernel_title(launch->kernel));
        code->told = true;
    }
    sampled = sampled && share_out(side, features->sample, picked) < blocks;
    if (!code->regular && !code->told_irregular)
        tell_irregular(launch->kernel, code);
    code->told_irregular = true;
    clear_touched(sim_touched(sim));
    memory_visit(sim_memory(sim), add_extent, &extents);
    good = !extents.failed;
    if (!good)
        out_of_memory(sim, launch, fault);
    good = good && (sampled ? run_sample(sim, launch, side, picked, &sums, &extents, &footprint, work, fault)
                            : run_all(sim, launch, &sums, &extents, &footprint, work, fault));
    if (!good) {
        drop_extents(&extents);
        work_drop(work);
        return false;
    }
    fill(features, launch, code, &sums, footprint, row);
    fill_first(features, code, row->value);
    fill_away(features, sim, &extents, row->value);
    row->value[FEATURE_COLD] = cold_bytes(features, sim, &extents);
    row->value[FEATURE_STALE] = stale_share(features, &extents, sampled && sums.class[CLASS_GLOBAL_STORE] > 0);
    drop_extents(&extents);
    good = work_end(work, row->value[FEATURE_BLOCKS], row->value[FEATURE_BLOCKS] * row->value[FEATURE_WARPS],
                    row->value);
    if (!good)
        out_of_memory(sim, launch, fault);
    return good;
}
