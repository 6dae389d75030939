/*
 * what_if.c - changes a row of features, and predicts it again. submission.c calls it. It knows nothing of the program:
 * whether the change can be made is for its author to say.
 */
#include "what_if.h"

#include <math.h>
#include <stdio.h>

#include "predictions.h"

#define WORD_SECTORS 4.0      /* of a request whose lanes lie side by side, in words of 4 bytes */
#define WHOLE_LINE_CLOCKS 2.0 /* of L1, for a store of such a request: store_passes */
#define MOST_REGISTERS 255.0
#define LEAST_REGISTERS 16.0
#define REGISTER_STEP 8.0     /* registers are given to a warp in this many of each thread */
#define MOST_SHARED 232448.0  /* bytes a block */
#define SHARED_RESERVED 1024.0 /* bytes of each block that are the system's */

const char *change_name(enum change change)
{
    static const char *const names[CHANGES] = {"registers a thread", "bytes of shared memory a block", "dense loads",
                                               "dense stores"};

    return names[change];
}

static double resident(const struct sample *s, const struct gpu *gpu)
{
    return terms_occupancy(s, gpu).blocks_per_sm;
}

/* The most registers with which `blocks` blocks are resident; 0 if there are none. */
static double registers_for(double blocks, const struct sample *s, const struct gpu *gpu)
{
    struct sample x = *s;

    for (double n = MOST_REGISTERS; n >= LEAST_REGISTERS; n = floor((n - 1) / REGISTER_STEP) * REGISTER_STEP) {
        x.value[COLUMN_REGISTERS] = n;
        if (resident(&x, gpu) >= blocks)
            return n;
    }
    return 0;
}

static bool is_known(const struct what_if *list, size_t count, double warps)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].warps == warps && list[i].change == CHANGE_REGISTERS)
            return true;
    return false;
}

/* The share of a sum that is left of it. */
static double left(double now, double before)
{
    return before > 0 ? fmin(now / before, 1) : 1;
}

static bool make_dense(double *v, enum column requests, enum column sectors, enum column lines, enum column bytes,
                       double *kept)
{
    double dense = fmin(v[sectors], WORD_SECTORS * v[requests]);

    *kept = left(dense, v[sectors]);
    v[bytes] *= *kept;
    v[sectors] = dense;
    v[lines] = fmin(v[lines], v[requests]);
    return *kept < 0.999;
}

/* False if the accesses are dense as they are. */
static bool dense_loads(struct sample *s)
{
    double *v = s->value, kept;

    if (!make_dense(v, COLUMN_LOAD_REQUESTS, COLUMN_LOAD_SECTORS, COLUMN_LOAD_LINES, COLUMN_BYTES_READ, &kept))
        return false;
    v[COLUMN_LOAD_PASSES] = fmin(v[COLUMN_LOAD_PASSES], v[COLUMN_LOAD_REQUESTS]);
    v[COLUMN_LOAD_HITS] *= kept;
    v[COLUMN_LOAD_FRESH] *= kept;
    return true;
}

static bool dense_stores(struct sample *s)
{
    double *v = s->value, kept;

    if (!make_dense(v, COLUMN_STORE_REQUESTS, COLUMN_STORE_SECTORS, COLUMN_STORE_LINES, COLUMN_BYTES_WRITTEN, &kept))
        return false;
    v[COLUMN_STORE_PASSES] = fmin(v[COLUMN_STORE_PASSES], WHOLE_LINE_CLOCKS * v[COLUMN_STORE_REQUESTS]);
    v[COLUMN_STORE_FRESH] *= kept;
    return true;
}

struct asked {
    const struct model *model;
    const struct gpu *gpu;
    double kept; /* what the law of the mechanism is off by of the launch as it is */
    struct what_if *list;
    size_t count;
    struct error *error;
};

static bool add(struct asked *a, enum change change, double value, const struct sample *s)
{
    struct what_if *w = &a->list[a->count];
    double again;

    if (a->count == WHAT_IFS)
        return true;
    *w = (struct what_if){change, value, resident(s, a->gpu) * fmax(s->value[COLUMN_W], 1), {.us = 0}};
    if (!model_forecast(a->model, s, a->gpu, &w->forecast, "a changed launch", a->error))
        return false;
    /* It is the same kernel: what the law does not know of it stays. The parts alone change. */
    again = a->kept / w->forecast.kept;
    w->forecast.us *= again;
    w->forecast.low_us *= again;
    w->forecast.high_us *= again;
    a->count++;
    return true;
}

/* Numbers of resident blocks: halves and doubles of the launch's own, and all that fit. */
static bool add_occupancies(struct asked *a, const struct sample *s)
{
    double own = resident(s, a->gpu), blocks = own;

    while (blocks > 1)
        blocks = ceil(blocks / 2);
    for (; blocks <= a->gpu->blocks_per_sm; blocks *= 2) {
        struct sample x = *s;
        double n = registers_for(blocks, s, a->gpu), bytes;

        x.value[COLUMN_REGISTERS] = n;
        if (n > 0 && resident(&x, a->gpu) != own &&
            !is_known(a->list, a->count, resident(&x, a->gpu) * fmax(s->value[COLUMN_W], 1)) &&
            !add(a, CHANGE_REGISTERS, n, &x))
            return false;
        x = *s;
        bytes = fmin(floor(a->gpu->shared_per_sm / blocks) - SHARED_RESERVED, MOST_SHARED);
        x.value[COLUMN_SHARED_WORDS] = floor(bytes / 4);
        if (s->value[COLUMN_SHARED_WORDS] > 0 && resident(&x, a->gpu) == blocks && blocks != own &&
            !add(a, CHANGE_SHARED, bytes, &x))
            return false;
    }
    return true;
}

bool what_if(const struct model *model, const struct sample *sample, const struct gpu *gpu,
             struct what_if list[WHAT_IFS], size_t *count, struct error *error)
{
    struct asked a = {model, gpu, 1, list, 0, error};
    struct sample loads = *sample, stores = *sample;
    struct forecast as_it_is;
    bool good = model_forecast(model, sample, gpu, &as_it_is, "a launch", error);

    a.kept = as_it_is.kept;
    good = good && add_occupancies(&a, sample);

    /* Rows without the work of the launch say nothing of requests. */
    if (good && parts_known(sample) && dense_loads(&loads))
        good = add(&a, CHANGE_LOADS, NAN, &loads);
    if (good && parts_known(sample) && dense_stores(&stores))
        good = add(&a, CHANGE_STORES, NAN, &stores);
    *count = a.count;
    return good;
}

json_t *what_if_json(const struct model *model, const struct sample *sample, const struct gpu *gpu,
                     struct error *error)
{
    struct what_if list[WHAT_IFS];
    json_t *all = json_array();
    size_t count;

    if (!what_if(model, sample, gpu, list, &count, error)) {
        json_decref(all);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        json_t *one = json_pack("{s:s, s:f, s:f}", "change", change_name(list[i].change), "warps_per_sm",
                                list[i].warps, "us", predictions_number(list[i].forecast.us));

        if (!isnan(list[i].value))
            json_object_set_new(one, "value", json_real(list[i].value));
        json_array_append_new(all, one);
    }
    return all;
}

bool what_if_print(const struct model *model, const struct sample *sample, const struct gpu *gpu, double us,
                   struct error *error)
{
    struct what_if list[WHAT_IFS];
    char text[32];
    size_t count;

    if (!what_if(model, sample, gpu, list, &count, error))
        return false;
    printf("%s: as it is (%.0f warps) %s", sample->kernel, resident(sample, gpu) * fmax(sample->value[COLUMN_W], 1),
           predictions_shown(text, us));
    for (size_t i = 0; i < count; i++) {
        const struct what_if *w = &list[i];

        predictions_shown(text, w->forecast.us);
        if (isnan(w->value))
            printf("; %s %s", change_name(w->change), text);
        else
            printf("; %.0f %s (%.0f warps) %s", w->value, change_name(w->change), w->warps, text);
    }
    putchar('\n');
    return true;
}
