/* model.c - fitting, calibrating and using a model; its file is in model_file.c. */
#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"
#include "jobs.h"
#include "score.h"
#include "contrib/predict/rows/split.h"
#include "contrib/predict/rows/vector.h"

enum { FOLDS = 10, KERNEL_FOLDS = 10, CROSS_FOLDS = 20, MOST_DRAWS = 99, NEAR_RESIDUALS = 200, LEAST_RESIDUALS = 40 };
#define BEYOND 0.1 /* of an input's range: how far outside of it a launch may be */
#define SAME_DEGREE 5e-7 /* of its range: less than its sixth digit */

/* Evenly taken rows, no more than the method can afford. */
static bool thin(struct design *part, const struct design *d, size_t most, struct error *error)
{
    size_t step = (d->rows + most - 1) / most, count = 0, *rows = malloc((d->rows + 1) * sizeof *rows);
    bool good = rows || error_toolkit(error, "no memory for %zu rows", d->rows);

    for (size_t i = 0; good && i < d->rows; i += step)
        rows[count++] = i;
    good = good && design_pick(part, d, rows, count, error);
    free(rows);
    return good;
}

bool model_fit(struct model *model, const struct recipe *recipe, const struct design *d, const struct model *start,
               struct error *error)
{
    struct design part = {.rows = 0};
    struct training t;
    double *x, *y, *logs;
    bool good;

    if (recipe->method->most && d->rows > recipe->method->most) {
        good = thin(&part, d, recipe->method->most, error) && model_fit(model, recipe, &part, start, error);
        design_release(&part);
        return good;
    }
    t = (struct training){.rows = d->rows, .inputs = d->inputs, .terms = d->terms, .spread = d->spread,
                         .kernel = d->kernel, .kernels = d->kernels, .weight = d->weight,
                         .start = start ? &start->learned : NULL};
    x = malloc((d->rows + 1) * d->inputs * sizeof *x);
    y = malloc((d->rows + 1) * sizeof *y);
    logs = malloc((d->rows + 1) * sizeof *logs);
    good = x && y && logs && d->rows > 1;

    *model = (struct model){.recipe = *recipe, .trained_rows = d->rows, .time_low = INFINITY};
    if (!good)
        error_usage(error, "a model cannot be trained on %zu rows", d->rows);
    if (good) {
        normaliser_fit(&model->normaliser, d->x, d->rows, d->inputs);
        for (size_t i = 0; i < d->rows; i++) {
            normalise(&model->normaliser, d->x + i * d->inputs, x + i * d->inputs);
            model->time_low = fmin(model->time_low, d->time[i]);
            model->time_high = fmax(model->time_high, d->time[i]);
            logs[i] = log(d->time[i]);
        }
        for (size_t i = 0; i < d->rows; i++)
            y[i] = recipe->raw_time ? (d->time[i] - model->time_low) / fmax(model->time_high - model->time_low, 1e-9)
                                    : logs[i];
        t.x = x;
        t.y = y;
        good = recipe->method->fit(&model->learned, &t, error);
    }
    free(x);
    free(y);
    free(logs);
    if (!good)
        model_release(model);
    return good;
}

double model_time(const struct model *model, const double *inputs, const double *terms)
{
    double x[MAX_INPUTS], y;

    normalise(&model->normaliser, inputs, x);
    y = model->recipe.method->predict(&model->learned, model->normaliser.inputs, x, terms);
    /* A thousand times beyond all training times nothing is left of a prediction but its direction. */
    if (!model->recipe.raw_time)
        return exp(fmin(fmax(y, log(model->time_low / 1000)), log(model->time_high * 1000)));
    /* A method that knows no logarithms may go below nothing; a thousandth of the shortest time is as good as that. */
    return fmax(model->time_low + y * (model->time_high - model->time_low), model->time_low / 1000);
}

double reach_distance(const struct reach *reach, const double *x, size_t *nearest, size_t *input)
{
    size_t in = reach->range.inputs, best = 0;
    double least = INFINITY, part[256], most = -1;

    for (size_t i = 0; i < reach->rows; i += 256) {
        size_t count = reach->rows - i < 256 ? reach->rows - i : 256;

        vector_distances(reach->x + i * in, count, in, x, part);
        for (size_t j = 0; j < count; j++)
            if (part[j] < least) {
                least = part[j];
                best = i + j;
            }
    }
    if (nearest)
        *nearest = best;
    for (size_t j = 0; input && j < in; j++) {
        double off = fabs(reach->x[best * in + j] - x[j]);

        if (off > most) {
            most = off;
            *input = j;
        }
    }
    return sqrt(least);
}

enum novelty reach_novelty(const struct reach *reach, const double *x)
{
    const size_t in = reach->range.inputs;
    size_t degree = 0;

    while (degree < in && strcmp(input_name(INPUTS_DERIVED, degree), "dpc") != 0)
        degree++;
    for (size_t i = 0; degree < in && i < reach->rows; i++)
        if (fabs(reach->x[i * in + degree] - x[degree]) < SAME_DEGREE)
            return NEW_SIZE;
    return NEW_KERNEL;
}

/* Of the residuals of rows that were about as far away, a third of all, the quantile. */
double reach_factor(const struct reach *reach, enum novelty novelty, double distance, double level)
{
    const struct residuals *off = &reach->off[novelty];
    size_t third = off->count / 3, wanted, first;
    double near[NEAR_RESIDUALS];

    wanted = third < LEAST_RESIDUALS ? LEAST_RESIDUALS : third > NEAR_RESIDUALS ? NEAR_RESIDUALS : third;
    wanted = wanted < off->count ? wanted : off->count;
    /* The residuals lie in the order of distance: the window of `wanted` whose middle is nearest to it. */
    for (first = 0; first < off->count && off->distance[first] < distance; first++)
        ;
    first = first < wanted / 2 ? 0 : first - wanted / 2;
    if (first + wanted > off->count)
        first = off->count - wanted;
    memcpy(near, off->residual + first, wanted * sizeof *near);
    return exp(conformal_quantile(near, wanted, level));
}

double model_factor(const struct model *model, const struct sample *sample, enum novelty novelty, double distance)
{
    bool mechanism = model->recipe.method == &method_mechanism;
    double factor = reach_factor(&model->reach, novelty, distance, mechanism ? DRAW_LEVEL : MODEL_LEVEL);

    return mechanism && parts_doubtful(sample) ? pow(factor, DOUBTFUL_WIDTH) : factor;
}

struct calibration {
    const struct model *model;                /* that is calibrated */
    const struct design *design, *derived;    /* its rows with its inputs, and with derived ones */
    int *group;                  /* rows: whole kernels, in KERNEL_FOLDS groups */
    double *residual, *distance; /* NOVELTIES x rows; a distance is NAN where a kernel had no row */
};

/* Where the rows that a split trains on are, in the range of all. `rest` gets them, to be freed by rest_release(). */
static bool rest_of(struct reach *rest, const struct reach *all, const struct split *split, struct error *error)
{
    size_t in = all->range.inputs;

    *rest = (struct reach){.range = all->range, .rows = split->train_count};
    rest->x = malloc((split->train_count + 1) * in * sizeof *rest->x);
    if (!rest->x)
        return error_toolkit(error, "no memory for %zu rows", split->train_count);
    for (size_t i = 0; i < split->train_count; i++)
        memcpy(rest->x + i * in, all->x + split->train[i] * in, in * sizeof *rest->x);
    return true;
}

/* One fold, of rows or of whole kernels: its rows are held back, predicted, their distance from the rest is taken. */
static bool calibrate_fold(void *context, size_t number, struct error *error)
{
    struct calibration *c = context;
    const struct design *d = c->design;
    size_t in = c->derived->inputs, offset = number < FOLDS ? 0 : d->rows;
    struct split split;
    struct design part = {.rows = 0};
    struct model model;
    struct reach rest = {.rows = 0};
    bool good = number < FOLDS ? split_fold(&split, d->rows, FOLDS, (int)number, SPLIT_SEED + 1, error)
                               : split_group(&split, c->group, d->rows, (int)(number - FOLDS), error);

    if (!good)
        return false;
    if (split.test_count == 0 || split.train_count < 2) {
        split_release(&split);
        return true;
    }
    good = rest_of(&rest, &c->model->reach, &split, error) &&
           design_pick(&part, d, split.train, split.train_count, error) &&
           model_fit(&model, &c->model->recipe, &part, c->model, error);
    for (size_t i = 0; good && i < split.test_count; i++) {
        size_t row = split.test[i];

        c->residual[offset + row] =
            fabs(log(model_time(&model, d->x + row * d->inputs, d->terms + row * ROW_TERMS) / d->time[row]));
        c->distance[offset + row] = reach_distance(&rest, c->model->reach.x + row * in, NULL, NULL);
    }
    if (good)
        model_release(&model);
    free(rest.x);
    design_release(&part);
    split_release(&split);
    return good;
}

struct pair {
    double distance, residual; /* as in struct residuals */
};

static int by_distance(const void *a, const void *b)
{
    double x = ((const struct pair *)a)->distance, y = ((const struct pair *)b)->distance;

    return (x > y) - (x < y);
}

/* Keeps those of the rows' residuals that there are, in the order of distance. */
static bool keep_residuals(struct residuals *off, const double *residual, const double *distance, size_t rows,
                           struct error *error)
{
    struct pair *pairs = malloc((rows + 1) * sizeof *pairs);

    off->residual = malloc((rows + 1) * sizeof *off->residual);
    off->distance = malloc((rows + 1) * sizeof *off->distance);
    if (!pairs || !off->residual || !off->distance) {
        free(pairs);
        return error_toolkit(error, "no memory for %zu rows", rows);
    }
    off->count = 0;
    for (size_t i = 0; i < rows; i++)
        if (!isnan(distance[i]))
            pairs[off->count++] = (struct pair){distance[i], residual[i]};
    qsort(pairs, off->count, sizeof *pairs, by_distance);
    for (size_t i = 0; i < off->count; i++) {
        off->distance[i] = pairs[i].distance;
        off->residual[i] = pairs[i].residual;
    }
    free(pairs);
    return true;
}

bool model_calibrate(struct model *model, const struct design *design, const struct design *derived,
                     struct error *error)
{
    size_t rows = design->rows, in = derived->inputs;
    struct reach *reach = &model->reach;
    struct calibration c = {.model = model, .design = design, .derived = derived};
    bool good;

    c.residual = calloc(NOVELTIES * rows + 1, sizeof *c.residual);
    c.group = malloc((rows + 1) * sizeof *c.group);
    c.distance = malloc((NOVELTIES * rows + 1) * sizeof *c.distance);
    reach->x = malloc((rows + 1) * in * sizeof *reach->x);
    good = (c.group && c.residual && c.distance && reach->x) ||
           error_toolkit(error, "no memory for %zu rows", rows);
    if (good) {
        normaliser_fit(&reach->range, derived->x, rows, in);
        reach->rows = rows;
        for (size_t i = 0; i < rows; i++)
            normalise(&reach->range, derived->x + i * in, reach->x + i * in);
        for (size_t i = 0; i < rows; i++)
            c.group[i] = design->kernel[i] % KERNEL_FOLDS;
        for (size_t i = 0; i < NOVELTIES * rows; i++)
            c.distance[i] = NAN;
        good = jobs_run(calibrate_fold, &c, FOLDS + KERNEL_FOLDS, error);
    }
    for (int novelty = 0; good && novelty < NOVELTIES; novelty++)
        good = keep_residuals(&reach->off[novelty], c.residual + (size_t)novelty * rows,
                              c.distance + (size_t)novelty * rows, rows, error);
    for (int novelty = 0; good && novelty < NOVELTIES; novelty++)
        if (reach->off[novelty].count > 0)
            reach->farthest =
                fmax(reach->farthest, reach->off[novelty].distance[reach->off[novelty].count - 1]);
    good = good && (reach->off[NEW_SIZE].count > 0 ||
                    error_usage(error, "%zu rows are too few to calibrate an interval on", rows));
    free(c.group);
    free(c.residual);
    free(c.distance);
    return good;
}

/*
 * How public rows are left out: their families, some together; -1: learned from always. And the draw of each, from 0;
 * -1: of none.
 */
static bool find_groups(const struct design *d, size_t first, int *family, int *draw, size_t *draws,
                        struct error *error)
{
    const char **name = malloc((d->rows + 1) * sizeof *name);
    bool good = name || error_toolkit(error, "no memory for %zu rows", d->rows);

    *draws = 0;
    for (size_t i = 0; good && i < d->rows; i++) {
        double number = i < first ? NAN : d->sample[i]->value[COLUMN_DRAW];

        name[i] = d->sample[i]->kernel;
        family[i] = -1;
        draw[i] = number >= 1 && number <= MOST_DRAWS ? (int)number - 1 : -1;
        if (draw[i] >= (int)*draws)
            *draws = (size_t)draw[i] + 1;
    }
    good = good && (first == d->rows || families_find(name + first, d->rows - first, family + first, error) > 0);
    free(name);
    return good;
}

struct cross {
    const struct model *model;
    const struct design *design; /* of all rows */
    size_t families;             /* groups of families; what is left out next are draws */
    int *family, *draw;          /* rows: as of find_groups() */
    struct left_out *by_family, *by_draw; /* of all rows */
};

/*
 * One number is a group of families. Later ones are draws, with the families of their rows in other draws, because a
 * new draw may hold none that is known. Group 0: learned from, 1: tested on, 2: neither.
 */
static bool split_off(struct split *split, const struct cross *c, size_t number, int *group, struct error *error)
{
    const struct design *d = c->design;
    bool good, draws = number >= c->families;
    int wanted = (int)(draws ? number - c->families : number);
    bool *related = calloc(d->rows + 1, sizeof *related);
    size_t count = 0;

    if (!related)
        return error_toolkit(error, "no memory for %zu rows", d->rows);
    for (size_t i = 0; i < d->rows; i++)
        if (draws && c->draw[i] == wanted)
            related[c->family[i]] = true;
    for (size_t i = 0; i < d->rows; i++) {
        bool known = c->family[i] >= 0;

        if (draws)
            group[i] = c->draw[i] == wanted ? 1 : known && related[c->family[i]] ? 2 : 0;
        else
            group[i] = known && c->family[i] % (int)c->families == wanted;
    }
    free(related);
    good = split_group(split, group, d->rows, 1, error);
    for (size_t i = 0; good && i < split->train_count; i++)
        if (group[split->train[i]] == 0)
            split->train[count++] = split->train[i];
    if (good)
        split->train_count = count;
    return good;
}

static bool leave_out(void *context, size_t number, struct error *error)
{
    struct cross *c = context;
    const struct design *d = c->design;
    struct left_out *out = number < c->families ? c->by_family : c->by_draw;
    struct split split = {.train = NULL};
    struct design part = {.rows = 0};
    struct model model;
    struct reach rest = {.rows = 0};
    int *group = malloc((d->rows + 1) * sizeof *group);
    bool good = (group || error_toolkit(error, "no memory for %zu rows", d->rows)) &&
                split_off(&split, c, number, group, error);

    free(group);
    if (!good)
        return false;
    good = rest_of(&rest, &c->model->reach, &split, error) &&
           design_pick(&part, d, split.train, split.train_count, error) &&
           model_fit(&model, &c->model->recipe, &part, c->model, error);
    for (size_t i = 0; good && i < split.test_count; i++) {
        size_t row = split.test[i];

        out[row].us = model_time(&model, d->x + row * d->inputs, d->terms + row * ROW_TERMS);
        out[row].distance = parts_refused(d->sample[row])
                                ? NAN
                                : reach_distance(&rest, c->model->reach.x + row * rest.range.inputs, NULL, NULL);
    }
    if (good)
        model_release(&model);
    free(rest.x);
    design_release(&part);
    split_release(&split);
    return good;
}

/* Intervals are as wide as the model was off on the rows left out, but those of one draw (-1: on all of them). */
static bool keep_left_out(struct model *model, const struct cross *c, const struct left_out *out, int draw,
                          struct error *error)
{
    const struct design *d = c->design;
    double *residual = malloc((d->rows + 1) * sizeof *residual), *distance = malloc((d->rows + 1) * sizeof *distance);
    bool good = (residual && distance) || error_toolkit(error, "no memory for %zu rows", d->rows);

    for (size_t i = 0; good && i < d->rows; i++) {
        distance[i] = c->family[i] < 0 || (draw >= 0 && c->draw[i] == draw) ? NAN : out[i].distance;
        residual[i] = fabs(log(out[i].us / d->time[i])) / (parts_doubtful(d->sample[i]) ? DOUBTFUL_WIDTH : 1);
    }
    for (int novelty = 0; good && novelty < NOVELTIES; novelty++) {
        free(model->reach.off[novelty].residual);
        free(model->reach.off[novelty].distance);
        good = keep_residuals(&model->reach.off[novelty], residual, distance, d->rows, error);
    }
    free(residual);
    free(distance);
    return good;
}

/* Each row's interval: as the model gives it, or `by_draw` as it would without the row's draw. */
static bool find_factors(struct model *model, const struct cross *c, struct left_out *out, bool by_draw, size_t draws,
                         struct error *error)
{
    const struct design *d = c->design;
    bool good = true;

    for (int draw = 0; good && draw < (by_draw ? (int)draws : 1); draw++) {
        good = !by_draw || keep_left_out(model, c, out, draw, error);
        for (size_t i = 0; good && i < d->rows; i++)
            if (!isnan(out[i].distance) && (!by_draw || c->draw[i] == draw))
                out[i].factor = model_factor(model, d->sample[i], NEW_KERNEL, out[i].distance);
    }
    return good;
}

bool model_cross(struct model *model, const struct table *table, size_t first, const struct gpus *gpus,
                 struct left_out *by_family, struct left_out *by_draw, size_t *draws, struct error *error)
{
    struct design d = {.rows = 0};
    struct cross c = {.model = model, .design = &d, .families = CROSS_FOLDS};
    bool good = design_make(&d, model->recipe.set, table, CLASS_NONE, gpus, error);

    c.family = malloc((d.rows + 1) * sizeof *c.family);
    c.draw = malloc((d.rows + 1) * sizeof *c.draw);
    c.by_family = calloc(d.rows + 1, sizeof *c.by_family);
    c.by_draw = calloc(d.rows + 1, sizeof *c.by_draw);
    if (good && !(c.family && c.draw && c.by_family && c.by_draw))
        good = error_toolkit(error, "no memory for %zu rows", d.rows);
    for (size_t i = 0; good && i < d.rows; i++)
        c.by_draw[i].distance = NAN;
    good = good && find_groups(&d, first, c.family, c.draw, draws, error);
    /* One draw alone leaves nothing of the others' sort to learn from. */
    *draws = good && *draws > 1 ? *draws : 0;
    good = good && jobs_run(leave_out, &c, c.families + *draws, error) &&
           find_factors(model, &c, c.by_draw, true, *draws, error) &&
           keep_left_out(model, &c, *draws ? c.by_draw : c.by_family, -1, error) &&
           find_factors(model, &c, c.by_family, false, *draws, error);
    if (good) {
        memcpy(by_family, c.by_family + first, (d.rows - first) * sizeof *by_family);
        memcpy(by_draw, c.by_draw + first, (d.rows - first) * sizeof *by_draw);
    }
    free(c.family);
    free(c.draw);
    free(c.by_family);
    free(c.by_draw);
    design_release(&d);
    return good;
}

/* Says which input is furthest outside of its training range, if one is too far. */
static void check_range(const struct model *model, const double *inputs, const double *x, struct forecast *f)
{
    const struct reach *reach = &model->reach;
    size_t worst = reach->range.inputs;
    double most = BEYOND;

    for (size_t i = 0; i < reach->range.inputs; i++) {
        double off = fmax(-x[i], x[i] - 1);

        /* Of one that never changed x is its distance from 0, so being on it is 0 and not 1. */
        if (reach->range.high[i] <= reach->range.low[i])
            off = fabs(x[i]);
        if (off > most) {
            most = off;
            worst = i;
        }
    }
    if (worst < reach->range.inputs)
        snprintf(f->refused, sizeof f->refused, "outside of the training range: %s is %.4g, trained from %.4g to %.4g",
                 input_name(INPUTS_DERIVED, worst), input_natural(INPUTS_DERIVED, worst, inputs[worst]),
                 input_natural(INPUTS_DERIVED, worst, reach->range.low[worst]),
                 input_natural(INPUTS_DERIVED, worst, reach->range.high[worst]));
}

/* The same by the mechanism: nothing is refused but a row without the work of its launch. */
static void find_part(const struct model *model, const double *terms, const struct sample *sample, struct forecast *f)
{
    const char *refused = parts_refused(sample);
    double share[PARTS];

    f->kept = f->us / exp(mechanism_predict(mechanism_law(&model->learned), terms, share, &f->launch_share));
    f->bound = "launch";
    f->share = f->launch_share;
    for (int i = 0; i < PARTS; i++) {
        f->part[i] = share[i];
        if (share[i] > f->share) {
            f->share = share[i];
            f->bound = part_name(i);
        }
    }
    if (refused)
        snprintf(f->refused, sizeof f->refused, "%s", refused);
}

static void find_bound(const struct model *model, const double *terms, struct forecast *f)
{
    double share[TERMS], launch, most = 0;

    limits_predict(model->law, terms, share, &launch);
    f->bound = "launch";
    f->share = f->launch_share = launch;
    for (int i = 0; i < TERMS; i++) {
        if (share[i] * (1 - launch) > f->share) {
            f->share = share[i] * (1 - launch);
            f->bound = term_name(i);
        }
        if (term_is_bound(i))
            most = fmax(most, terms[i]);
    }
    f->utilisation = fmin(most / f->us, 1);
}

bool model_forecast(const struct model *model, const struct sample *sample, const struct gpu *gpu, struct forecast *f,
                    const char *path, struct error *error)
{
    double inputs[MAX_INPUTS], derived[MAX_INPUTS], x[MAX_INPUTS], terms[ROW_TERMS], factor = 1;
    bool mechanism = model->recipe.method == &method_mechanism;
    size_t nearest, input = 0;

    *f = (struct forecast){.bound = "", .kept = 1};
    if (!inputs_compute(model->recipe.set, sample, gpu, inputs, path, error) ||
        !inputs_compute(INPUTS_DERIVED, sample, gpu, derived, path, error))
        return false;
    terms_compute(sample, gpu, terms);
    parts_compute(sample, gpu, terms + TERMS);
    if (!mechanism && sample->value[COLUMN_REGULAR] < 0.5)
        snprintf(f->refused, sizeof f->refused, "its loops depend on data, so its counts hold for one input only");
    if (model->reach.rows > 0) {
        normalise(&model->reach.range, derived, x);
        f->distance = reach_distance(&model->reach, x, &nearest, &input);
        if (!f->refused[0] && !mechanism)
            check_range(model, derived, x, f);
        if (!f->refused[0] && !mechanism && f->distance > model->reach.farthest)
            snprintf(f->refused, sizeof f->refused,
                     "unlike every kernel trained on: nearest in %s, which is %.4g here and %.4g there",
                     input_name(INPUTS_DERIVED, input), input_natural(INPUTS_DERIVED, input, derived[input]),
                     input_natural(INPUTS_DERIVED, input, model->reach.x[nearest * model->reach.range.inputs + input] *
                         (model->reach.range.high[input] > model->reach.range.low[input]
                              ? model->reach.range.high[input] - model->reach.range.low[input] : 1) +
                         model->reach.range.low[input]));
        factor = model_factor(model, sample, reach_novelty(&model->reach, x), f->distance);
    }
    f->us = model_time(model, inputs, terms);
    f->low_us = f->us / factor;
    f->high_us = f->us * factor;
    find_bound(model, terms, f);
    if (mechanism)
        find_part(model, terms, sample, f);
    return true;
}

void model_release(struct model *model)
{
    learned_release(&model->learned);
    free(model->reach.x);
    for (int novelty = 0; novelty < NOVELTIES; novelty++) {
        free(model->reach.off[novelty].residual);
        free(model->reach.off[novelty].distance);
    }
    model->reach = (struct reach){.rows = 0};
}

/* The law of limits alone, which every model carries to say what bounds a launch. */
static bool fit_law(double *law, const struct design *d, struct error *error)
{
    double *logs = malloc((d->rows + 1) * sizeof *logs);
    struct training t = {.rows = d->rows, .inputs = d->inputs, .terms = d->terms, .spread = d->spread,
                         .kernel = d->kernel, .kernels = d->kernels, .y = logs};
    bool good;

    if (!logs)
        return error_toolkit(error, "no memory for %zu rows", d->rows);
    for (size_t i = 0; i < d->rows; i++)
        logs[i] = log(d->time[i]);
    good = limits_fit(&t, law, error);
    free(logs);
    return good;
}

bool model_train(struct model *model, const struct recipe *recipe, const struct table *table, const struct gpus *gpus,
                 struct error *error)
{
    struct design design = {.rows = 0}, derived = {.rows = 0};
    const char *first = table->samples[0].gpu;
    bool good = design_make(&design, recipe->set, table, CLASS_NONE, gpus, error) &&
                design_make(&derived, INPUTS_DERIVED, table, CLASS_NONE, gpus, error) &&
                model_fit(model, recipe, &design, NULL, error);

    if (good) {
        model->gpu = *gpus_find(gpus, first);
        for (size_t i = 1; i < table->rows; i++)
            if (gpus_find(gpus, table->samples[i].gpu) != gpus_find(gpus, first))
                model->gpu = (struct gpu){.alias = ""};
        good = fit_law(model->law, &derived, error) && model_calibrate(model, &design, &derived, error);
        if (!good)
            model_release(model);
    }
    design_release(&design);
    design_release(&derived);
    return good;
}
