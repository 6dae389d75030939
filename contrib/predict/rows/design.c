/* design.c - the inputs of design.h. */
#include "design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const enum column source[] = {
    COLUMN_N, COLUMN_S, COLUMN_ALPHA, COLUMN_N_B, COLUMN_N_T, COLUMN_W, COLUMN_CPX, COLUMN_L, COLUMN_L_C, COLUMN_L_MR,
    COLUMN_L_MW, COLUMN_L_SHR, COLUMN_L_SHW, COLUMN_L_S, COLUMN_L_DPU, COLUMN_L_SFU, COLUMN_DPC, COLUMN_SHARED_WORDS,
    COLUMN_REGISTERS};

/* Columns whose logarithm of one more is an input; then what follows from several. */
static const enum column counts[] = {
    COLUMN_L, COLUMN_L_C, COLUMN_L_MR, COLUMN_L_MW, COLUMN_L_SHR, COLUMN_L_SHW, COLUMN_L_S, COLUMN_L_DPU, COLUMN_L_SFU,
    COLUMN_SHARED_WORDS, COLUMN_REGISTERS, COLUMN_ALPHA};
/* How an input was made of its quantity, for messages. */
enum scale { PLAIN, LOG, LOG1P };
static const struct {
    const char *name;
    enum scale scale;
} others[] = {
    {"dpc", PLAIN}, {"divergence", PLAIN}, {"block_x", LOG}, {"threads a block", LOG}, {"blocks", LOG},
    {"threads", LOG}, {"blocks an SM", LOG}, {"warps an SM", LOG}, {"waves", LOG}, {"wave rounding", PLAIN},
    {"imbalance", LOG}, {"threads of the busiest SM", LOG}, {"resident warps of the busiest SM", LOG},
    {"footprint an SM", LOG1P}, {"bytes", LOG1P}, {"bytes over footprint", LOG}, {"footprint over L2", LOG},
    {"bytes a thread", LOG1P}, {"shared passes an instruction", LOG1P}, {"flops an instruction", LOG1P}};

/* By which the price of a launch differs from row to row for reasons outside of it (data/README.md). */
#define JITTER_US 0.04

/*
 * Kernels of our own were timed at many sizes on an idle GPU, and their counts are those of the launch that was timed.
 * Public kernels have few sizes. Where their counts are doubtful they teach little.
 */
#define OWN_WEIGHT 2.0
#define DOUBTFUL_WEIGHT 0.3

enum {
    SOURCE_COUNT = sizeof source / sizeof source[0],
    COUNTS = sizeof counts / sizeof counts[0],
    COUNTS_A_THREAD = 9, /* the first of them, means over all threads: told of those that work */
    OTHERS = sizeof others / sizeof others[0],
};

size_t inputs_count(enum input_set set)
{
    return set == INPUTS_SOURCE ? SOURCE_COUNT : COUNTS + OTHERS + TERMS;
}

const char *input_name(enum input_set set, size_t input)
{
    if (set == INPUTS_SOURCE)
        return column_name(source[input]);
    return input < COUNTS ? column_name(counts[input])
           : input < COUNTS + OTHERS ? others[input - COUNTS].name : term_name(input - COUNTS - OTHERS);
}

double input_natural(enum input_set set, size_t input, double value)
{
    enum scale scale = set == INPUTS_SOURCE ? PLAIN : input < COUNTS ? LOG1P
                       : input < COUNTS + OTHERS ? others[input - COUNTS].scale : LOG;

    return scale == LOG1P ? expm1(value) : scale == LOG ? exp(value) : value;
}

/* Without global accesses alpha is empty: all computation then counts as of one access. */
static double value_of(const double *v, enum column column)
{
    return column == COLUMN_ALPHA && isnan(v[column]) ? v[COLUMN_L_C] + v[COLUMN_L_DPU] + v[COLUMN_L_SFU] : v[column];
}

static void derived(const struct sample *sample, const struct gpu *gpu, double *inputs)
{
    const double *v = sample->value;
    struct occupancy o = terms_occupancy(sample, gpu);
    double terms[TERMS], bytes = v[COLUMN_BYTES_READ] + v[COLUMN_BYTES_WRITTEN];
    double threads = v[COLUMN_N_B] * v[COLUMN_N_T], *at = inputs + COUNTS;
    double active = terms_activity(sample);
    double busiest = ceil(active * v[COLUMN_N_B] / gpu->sms); /* of an SM: blocks' worth */

    terms_compute(sample, gpu, terms);
    for (int i = 0; i < COUNTS; i++)
        inputs[i] = log1p(value_of(v, counts[i]) / (i < COUNTS_A_THREAD ? active : 1));
    *at++ = v[COLUMN_DPC];
    *at++ = v[COLUMN_DIVERGENCE];
    *at++ = log(fmax(v[COLUMN_BLOCK_X], 1));
    *at++ = log(v[COLUMN_N_T]);
    *at++ = log(v[COLUMN_N_B]);
    *at++ = log(threads);
    *at++ = log(o.blocks_per_sm);
    *at++ = log(o.warps_per_sm);
    *at++ = log(o.waves);
    *at++ = log(o.full_waves / o.waves) / (1 + o.waves);
    *at++ = log(o.imbalance);
    *at++ = log(fmin(busiest, active * v[COLUMN_N_B]) * v[COLUMN_N_T]);
    *at++ = log(fmin(busiest, o.blocks_per_sm) * v[COLUMN_W]);
    *at++ = log1p(v[COLUMN_FOOTPRINT] / (gpu->sms * o.busy));
    *at++ = log1p(bytes);
    *at++ = log((bytes + 32) / (v[COLUMN_FOOTPRINT] + 32));
    *at++ = log((v[COLUMN_FOOTPRINT] + 32) / gpu->l2_bytes);
    *at++ = log1p(bytes / (active * threads));
    *at++ = log1p(v[COLUMN_SHARED_PASSES] / v[COLUMN_WARP_INSTRUCTIONS]);
    *at++ = log1p(v[COLUMN_FLOPS] / v[COLUMN_WARP_INSTRUCTIONS]);
    for (int i = 0; i < TERMS; i++)
        *at++ = log(terms[i] + 0.01);
}

bool inputs_compute(enum input_set set, const struct sample *sample, const struct gpu *gpu, double *inputs,
                    const char *path, struct error *error)
{
    if (set == INPUTS_DERIVED) {
        derived(sample, gpu, inputs);
        return true;
    }
    for (size_t i = 0; i < SOURCE_COUNT; i++) {
        inputs[i] = sample->value[source[i]];
        if (isnan(inputs[i]))
            return error_usage(error, "%s:%ld: column '%s' is empty, and this model needs it", path, sample->line,
                               column_name(source[i]));
    }
    return true;
}

static bool allocate(struct design *d, size_t rows, size_t inputs, enum input_set set, struct error *error)
{
    *d = (struct design){.set = set, .inputs = inputs};
    d->x = calloc(rows + 1, inputs * sizeof *d->x);
    d->terms = calloc(rows + 1, ROW_TERMS * sizeof *d->terms);
    d->time = calloc(rows + 1, sizeof *d->time);
    d->spread = calloc(rows + 1, sizeof *d->spread);
    d->kernel = calloc(rows + 1, sizeof *d->kernel);
    d->weight = calloc(rows + 1, sizeof *d->weight);
    d->sample = calloc(rows + 1, sizeof *d->sample);
    if (d->x && d->terms && d->time && d->spread && d->kernel && d->weight && d->sample)
        return true;
    design_release(d);
    return error_toolkit(error, "no memory for %zu rows", rows);
}

/* The number of a row's kernel: that of an earlier row of the same name, or a new one. */
static int kernel_number(const struct design *d, size_t row)
{
    for (size_t i = row; i-- > 0;)
        if (strcmp(d->sample[i]->kernel, d->sample[row]->kernel) == 0)
            return d->kernel[i];
    return d->kernels;
}

/* Public kernels are named PROGRAM:KERNEL. */
static double weight_of(const struct sample *sample)
{
    if (parts_refused(sample))
        return 0;
    return !strchr(sample->kernel, ':') ? OWN_WEIGHT : parts_doubtful(sample) ? DOUBTFUL_WEIGHT : 1;
}

bool design_make(struct design *d, enum input_set set, const struct table *table, enum kernel_class class,
                 const struct gpus *gpus, struct error *error)
{
    if (!allocate(d, table->rows, inputs_count(set), set, error))
        return false;
    for (size_t i = 0; i < table->rows; i++) {
        const struct sample *sample = &table->samples[i];
        const struct gpu *gpu = gpus_find(gpus, sample->gpu);
        const double *v = sample->value;
        size_t row = d->rows;

        if (class != CLASS_NONE && sample->class != class)
            continue;
        if (!gpu) {
            design_release(d);
            return error_usage(error, "%s:%ld: gpu '%s' is not in contrib/predict/gpus.csv; add a row for it",
                               table->path, sample->line, sample->gpu);
        }
        if (!inputs_compute(set, sample, gpu, d->x + row * d->inputs, table->path, error)) {
            design_release(d);
            return false;
        }
        terms_compute(sample, gpu, d->terms + row * ROW_TERMS);
        parts_compute(sample, gpu, d->terms + row * ROW_TERMS + TERMS);
        d->time[row] = v[COLUMN_TIME_US];
        d->spread[row] = hypot(fmax((v[COLUMN_HIGH_US] - v[COLUMN_LOW_US]) / 2, JITTER_US), 1e-4 * v[COLUMN_TIME_US]) /
                         v[COLUMN_TIME_US];
        d->sample[row] = sample;
        d->weight[row] = weight_of(sample);
        d->kernel[row] = kernel_number(d, row);
        if (d->kernel[row] == d->kernels)
            d->kernels++;
        d->rows++;
    }
    return true;
}

bool design_pick(struct design *part, const struct design *whole, const size_t *rows, size_t count, struct error *error)
{
    if (!allocate(part, count, whole->inputs, whole->set, error))
        return false;
    part->rows = count;
    part->kernels = whole->kernels;
    for (size_t i = 0; i < count; i++) {
        size_t from = rows[i];

        memcpy(part->x + i * part->inputs, whole->x + from * whole->inputs, part->inputs * sizeof *part->x);
        memcpy(part->terms + i * ROW_TERMS, whole->terms + from * ROW_TERMS, ROW_TERMS * sizeof *part->terms);
        part->time[i] = whole->time[from];
        part->spread[i] = whole->spread[from];
        part->kernel[i] = whole->kernel[from];
        part->weight[i] = whole->weight[from];
        part->sample[i] = whole->sample[from];
    }
    return true;
}

void design_release(struct design *d)
{
    free(d->x);
    free(d->terms);
    free(d->time);
    free(d->spread);
    free(d->kernel);
    free(d->weight);
    free(d->sample);
    *d = (struct design){.rows = 0};
}
