/*
 * test_predict_methods.c - each method recovers a law that it can express, is the same read from a file, and the
 * default's intervals hold as often as they say.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contrib/predict/model.h"
#include "contrib/predict/score.h"
#include "unit.h"
#include "verify/base/random.h"

enum { ROWS = 600, TESTED = 200 };

static struct random_stream chance;

static double uniform(double low, double high)
{
    return low + (high - low) * random_u32(&chance) / 4294967296.0;
}

/* Rows whose time is `law` of made-up inputs and terms, times noise. */
static double smooth_law(const double *x, const double *terms)
{
    (void)terms;
    return exp(3 + 2 * x[0] - x[1] + 0.8 * sin(3 * x[2]) + x[0] * x[3]);
}

static double straight_law(const double *x, const double *terms)
{
    (void)terms;
    return exp(1 + 4 * x[0] - 2 * x[1] + 0.5 * x[2] + x[5]);
}

static double roofline_law(const double *x, const double *terms)
{
    (void)x;
    return 2.5 + fmax(3 * terms[TERM_TOTAL], 1.5 * terms[TERM_BYTES]);
}

static double limits_law(const double *x, const double *terms)
{
    (void)x;
    return 2.5 + pow(pow(2 * terms[TERM_ISSUE], 4) + pow(1.3 * terms[TERM_DRAM], 4) +
                     pow(0.4 * terms[TERM_LATENCY], 4), 0.25);
}

/* The parts have the times of three terms: see make(). */
static double mechanism_law_of(const double *x, const double *terms)
{
    (void)x;
    return 2.3 + pow(pow(1.1 * terms[TERM_ISSUE], 3) + pow(0.8 * terms[TERM_DRAM], 3) +
                     pow(1.2 * terms[TERM_LATENCY], 3), 1.0 / 3);
}

/* The mechanism, but for what an input does that no part has: 20 % in the mean. */
static double leftover_law_of(const double *x, const double *terms)
{
    return mechanism_law_of(x, terms) * exp(0.8 * (x[0] - 0.5));
}

static void make(struct design *d, size_t rows, double (*law)(const double *, const double *), double noise,
                 double shift)
{
    *d = (struct design){.set = INPUTS_DERIVED, .rows = rows, .inputs = inputs_count(INPUTS_DERIVED), .kernels = 6};
    d->x = calloc(rows * d->inputs, sizeof *d->x);
    d->terms = calloc(rows * ROW_TERMS, sizeof *d->terms);
    d->time = calloc(rows, sizeof *d->time);
    d->spread = calloc(rows, sizeof *d->spread);
    d->kernel = calloc(rows, sizeof *d->kernel);
    d->weight = calloc(rows, sizeof *d->weight);
    d->sample = calloc(rows, sizeof *d->sample);
    for (size_t i = 0; i < rows; i++) {
        double bell = 0;

        for (int j = 0; j < 6; j++)
            d->x[i * d->inputs + (size_t)j] = uniform(0, 1) + shift;
        for (int t = 0; t < TERMS; t++)
            d->terms[i * ROW_TERMS + (size_t)t] = exp(uniform(-3, 5)) * (t == TERM_BYTES || t == TERM_ISSUE ||
                                                  t == TERM_DRAM || t == TERM_LATENCY ? 1 : 1e-4);
        /* No launch beats the bounds: work on some SMs takes no less time than on all. */
        d->terms[i * ROW_TERMS + TERM_TOTAL] = d->terms[i * ROW_TERMS + TERM_ISSUE] * uniform(0.5, 1);
        /* What memory serves is a share of all distinct bytes. */
        d->terms[i * ROW_TERMS + TERM_FOOTPRINT] = d->terms[i * ROW_TERMS + TERM_DRAM] * uniform(1.01, 4);
        d->terms[i * ROW_TERMS + TERMS + PART_ISSUE] = d->terms[i * ROW_TERMS + TERM_ISSUE];
        d->terms[i * ROW_TERMS + TERMS + PART_DRAM] = d->terms[i * ROW_TERMS + TERM_DRAM];
        d->terms[i * ROW_TERMS + TERMS + PART_CHAIN] = d->terms[i * ROW_TERMS + TERM_LATENCY];
        d->terms[i * ROW_TERMS + TERMS + PARTS_LAUNCH] = 2;
        for (int j = 0; j < 12; j++)
            bell += uniform(-0.5, 0.5);
        d->time[i] = law(d->x + i * d->inputs, d->terms + i * ROW_TERMS) * exp(noise * bell);
        d->spread[i] = 1e-4;
        d->weight[i] = 1;
        d->kernel[i] = (int)(i % 6);
    }
}

static struct score test(const struct model *model, const struct design *d)
{
    double *predicted = calloc(d->rows, sizeof *predicted);
    struct score score;

    for (size_t i = 0; i < d->rows; i++)
        predicted[i] = model_time(model, d->x + i * d->inputs, d->terms + i * ROW_TERMS);
    score = score_of(predicted, d->time, d->rows);
    free(predicted);
    return score;
}

/* The model from a file predicts the same numbers, to the bit. */
static void round_trip(const struct model *model, const struct design *d)
{
    char path[] = "/tmp/test_predict_XXXXXX";
    int fd = mkstemp(path);
    struct model again;
    struct error error;
    bool same = true, read;

    CHECK(fd >= 0 && model_write(model, path, &error), "written");
    read = model_read(&again, path, &error);
    CHECK(read, "%s: %s", model->recipe.method->name, error.text);
    for (size_t i = 0; read && i < d->rows; i++)
        same = same && model_time(model, d->x + i * d->inputs, d->terms + i * ROW_TERMS) ==
                           model_time(&again, d->x + i * d->inputs, d->terms + i * ROW_TERMS);
    CHECK(same, "%s predicts the same from its file", model->recipe.method->name);
    if (read)
        model_release(&again);
    close(fd);
    unlink(path);
}

static void recovers(const struct method *method, double (*law)(const double *, const double *), double mean,
                     double max)
{
    const struct recipe recipe = {method, INPUTS_DERIVED, false};
    struct design train, held_back;
    struct model model;
    struct error error;
    struct score score;
    bool good;

    make(&train, ROWS, law, 0.002, 0);
    make(&held_back, TESTED, law, 0.002, 0);
    good = model_fit(&model, &recipe, &train, NULL, &error);
    CHECK(good, "%s: %s", method->name, error.text);
    if (good) {
        score = test(&model, &held_back);
        CHECK(score.mean < mean && score.max < max, "%s: mean error %.4f, at most %.4f", method->name, score.mean,
              score.max);
        round_trip(&model, &held_back);
        model_release(&model);
    }
    design_release(&train);
    design_release(&held_back);
}

/* Of the default's intervals, calibrated on noise of one kind, 90 % hold; and far away they are wider. */
static void test_intervals(void)
{
    const struct recipe recipe = {&method_kriging, INPUTS_DERIVED, false};
    struct design train, held_back;
    struct model model;
    struct error error;
    size_t held = 0;
    bool good;

    make(&train, ROWS, smooth_law, 0.05, 0);
    make(&held_back, 1000, smooth_law, 0.05, 0);
    good = model_fit(&model, &recipe, &train, NULL, &error) && model_calibrate(&model, &train, &train, &error);
    CHECK(good, "%s", error.text);
    for (size_t i = 0; good && i < held_back.rows; i++) {
        double x[MAX_INPUTS], factor, time = model_time(&model, held_back.x + i * held_back.inputs, held_back.terms);

        normalise(&model.reach.range, held_back.x + i * held_back.inputs, x);
        factor = reach_factor(&model.reach, reach_novelty(&model.reach, x), reach_distance(&model.reach, x, NULL, NULL),
                              MODEL_LEVEL);
        held += fabs(log(time / held_back.time[i])) <= log(factor);
    }
    CHECK(held >= 860 && held <= 940, "%zu of 1000 within intervals of 90 %%", held);
    if (good) {
        round_trip(&model, &held_back);
        model_release(&model);
    }
    design_release(&train);
    design_release(&held_back);
}

int main(void)
{
    chance = random_stream(&(struct random_key){.seed = 3}, 0);
    recovers(&method_ridge, straight_law, 0.003, 0.01);
    recovers(&method_elm, smooth_law, 0.02, 0.2);
    recovers(&method_mlp, smooth_law, 0.02, 0.15);
    recovers(&method_svr, smooth_law, 0.03, 0.2);
    recovers(&method_kriging, smooth_law, 0.005, 0.04);
    recovers(&method_nearest, smooth_law, 0.3, 2);
    recovers(&method_roofline, roofline_law, 0.003, 0.01);
    recovers(&method_limits, limits_law, 0.02, 0.5);
    recovers(&method_bounded, limits_law, 0.02, 0.5);
    recovers(&method_mechanism, mechanism_law_of, 0.02, 0.1);
    recovers(&method_mechanism, leftover_law_of, 0.15, 0.5);
    test_intervals();
    return unit_end();
}
