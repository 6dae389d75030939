/* nested.c - the two levels of nested.h. */
#include "nested.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kriging.h"
#include "limits.h"
#include "contrib/predict/rows/vector.h"
#include "verify/base/random.h"

enum { ROWS, OWN_WEIGHTS, OWN_SCALES, GROUPS, COMMON_ROWS, COMMON_WEIGHTS, COMMON_SCALES, METRIC };
enum {
    GROUP_ROWS = 400,                 /* of one kernel's process; more are parted */
    COMMON = 1200,                    /* rows of the common process */
    SEARCH_ROWS = 160,                /* of these its scales are found on */
    CLUSTERS = 60, CLUSTER_ROWS = 40, /* neighbours of one kernel, that the scales of own processes are found on */
    NESTED_SEED = 13
};
/*
 * Chosen by ten folds and by leaving kernels out: the evidence of so few rows alone makes some inputs count too
 * much.
 */
static const struct kriging_belief own_belief = {0.6, 0.5}, common_belief = {1, 0.25};

#define FLOOR 0.02 /* of how much an input varies within a kernel, as a share of its range */
/* The distance, in units of that, at which a launch is as much of the nearest row's kernel as of a new one. */
#define SAME 2.0

/* Rows of one kernel. */
struct group {
    size_t *row, count;
};

struct groups {
    struct group *group;
    size_t count, *rows; /* rows: the space that the groups share */
};

struct near {
    double distance;
    size_t row;
};

static int nearer(const void *a, const void *b)
{
    double x = ((const struct near *)a)->distance, y = ((const struct near *)b)->distance;

    return (x > y) - (x < y);
}

/* A part of too many rows becomes two, cut where its widest input has its median; in place. */
static void add_group(struct groups *g, const struct training *t, size_t *row, size_t count, struct near *room)
{
    size_t widest = 0, half = count / 2;
    double most = -1;

    if (count <= GROUP_ROWS) {
        g->group[g->count++] = (struct group){row, count};
        return;
    }
    for (size_t j = 0; j < t->inputs; j++) {
        double low = INFINITY, high = -INFINITY;

        for (size_t i = 0; i < count; i++) {
            low = fmin(low, t->x[row[i] * t->inputs + j]);
            high = fmax(high, t->x[row[i] * t->inputs + j]);
        }
        if (high - low > most) {
            most = high - low;
            widest = j;
        }
    }
    for (size_t i = 0; i < count; i++)
        room[i] = (struct near){t->x[row[i] * t->inputs + widest], row[i]};
    qsort(room, count, sizeof *room, nearer);
    for (size_t i = 0; i < count; i++)
        row[i] = room[i].row;
    add_group(g, t, row, half, room);
    add_group(g, t, row + half, count - half, room);
}

static bool make_groups(struct groups *g, const struct training *t, struct near *room)
{
    size_t used = 0;

    *g = (struct groups){.group = calloc((size_t)t->kernels + t->rows / (GROUP_ROWS / 2) + 2, sizeof *g->group),
                         .rows = malloc((t->rows + 1) * sizeof *g->rows)};
    if (!g->group || !g->rows)
        return false;
    for (int k = 0; k < t->kernels; k++) {
        size_t first = used;

        for (size_t i = 0; i < t->rows; i++)
            if (t->kernel[i] == k)
                g->rows[used++] = i;
        if (used > first)
            add_group(g, t, g->rows + first, used - first, room);
    }
    return true;
}

/* In order: row i is taken with the chance that the places left over the rows left give. */
static size_t draw(struct random_stream *stream, const size_t *from, size_t count, size_t wanted, size_t *row)
{
    size_t taken = 0;

    for (size_t i = 0; i < count && taken < wanted; i++)
        if (random_below(stream, (uint32_t)(count - i)) < wanted - taken)
            row[taken++] = from ? from[i] : i;
    return taken;
}

/* The scales of the processes of kernels: from clusters of neighbours, each of one group. rest: of their bases. */
static bool own_scales(const struct training *t, const struct groups *g, const double *rest, double *scales,
                       struct random_stream *stream, struct near *near, struct error *error)
{
    struct kriging_part parts[CLUSTERS] = {{NULL, 0}};
    double *r2 = malloc((t->rows + 1) * sizeof *r2);
    bool good = r2;

    for (int c = 0; good && c < CLUSTERS; c++) {
        const struct group *group = &g->group[(size_t)c * g->count / CLUSTERS];
        size_t centre = group->row[random_below(stream, (uint32_t)group->count)];

        parts[c] = (struct kriging_part){malloc(CLUSTER_ROWS * sizeof(size_t)),
                                         group->count < CLUSTER_ROWS ? group->count : CLUSTER_ROWS};
        if (!(good = parts[c].row))
            break;
        for (size_t i = 0; i < group->count; i++) {
            vector_distances(t->x + group->row[i] * t->inputs, 1, t->inputs, t->x + centre * t->inputs, &r2[i]);
            near[i] = (struct near){r2[i], group->row[i]};
        }
        qsort(near, group->count, sizeof *near, nearer);
        for (size_t i = 0; i < parts[c].count; i++)
            parts[c].row[i] = near[i].row;
    }
    good = good || error_toolkit(error, "no memory for %zu rows", t->rows);
    good = good && kriging_scales(t, rest, parts, CLUSTERS, own_belief, scales, error);
    for (int c = 0; c < CLUSTERS; c++)
        free(parts[c].row);
    free(r2);
    return good;
}

static double base_of(const double *base, size_t count, const double *terms)
{
    return count == 1 ? *base : limits_predict(base, terms, NULL, NULL);
}

/* The least and the largest of each input. box: 2 x inputs. */
static void bounding_box(const struct training *t, const struct group *group, double *box)
{
    for (size_t j = 0; j < t->inputs; j++) {
        box[j] = INFINITY;
        box[t->inputs + j] = -INFINITY;
        for (size_t i = 0; i < group->count; i++) {
            double x = t->x[group->row[i] * t->inputs + j];

            box[j] = fmin(box[j], x);
            box[t->inputs + j] = fmax(box[t->inputs + j], x);
        }
    }
}

static bool fit_own(struct learned *learned, int first, const struct training *t, const double *law, struct groups *g,
                    struct random_stream *stream, struct near *near, struct error *error)
{
    size_t in = t->inputs, base_count = law ? LIMITS_COUNT : 1, at = 0;
    double *rows = learned_array(learned, first + ROWS, t->rows * in, error);
    double *weights = rows ? learned_array(learned, first + OWN_WEIGHTS, t->rows, error) : NULL;
    double *scales = weights ? learned_array(learned, first + OWN_SCALES, in + KRIGING_SCALES, error) : NULL;
    double *groups = scales ? learned_array(learned, first + GROUPS, g->count * (1 + base_count + 2 * in), error)
                            : NULL;
    double *rest = malloc((t->rows + 1) * sizeof *rest);
    bool good = groups && (rest || error_toolkit(error, "no memory for %zu rows", t->rows));

    for (size_t k = 0; good && k < g->count; k++) {
        const struct group *group = &g->group[k];
        double *base = groups + k * (1 + base_count + 2 * in) + 1, sum = 0;

        base[-1] = (double)group->count;
        if (law)
            good = limits_fit_own(t, group->row, group->count, law, base, error);
        for (size_t i = 0; !law && i < group->count; i++)
            sum += t->y[group->row[i]];
        if (!law)
            *base = sum / (double)group->count;
        for (size_t i = 0; i < group->count; i++) {
            size_t row = group->row[i];

            rest[row] = t->y[row] - base_of(base, base_count, t->terms + row * ROW_TERMS);
        }
    }
    if (good && t->start)
        memcpy(scales, t->start->array[first + OWN_SCALES].values, (in + KRIGING_SCALES) * sizeof *scales);
    else
        good = good && own_scales(t, g, rest, scales, stream, near, error);
    for (size_t k = 0; good && k < g->count; k++) {
        const struct kriging_part part = {g->group[k].row, g->group[k].count};

        good = kriging_fit(t, rest, &part, scales, weights + at, error);
        for (size_t i = 0; i < part.count; i++)
            memcpy(rows + (at + i) * in, t->x + part.row[i] * in, in * sizeof *rows);
        bounding_box(t, &g->group[k], groups + k * (1 + base_count + 2 * in) + 1 + base_count);
        at += part.count;
    }
    free(rest);
    return good;
}

static bool fit_common(struct learned *learned, int first, const struct training *t, const double *law,
                       struct random_stream *stream, struct error *error)
{
    size_t in = t->inputs, count = t->rows < COMMON ? t->rows : COMMON;
    double *rows = learned_array(learned, first + COMMON_ROWS, count * in, error);
    double *weights = rows ? learned_array(learned, first + COMMON_WEIGHTS, count, error) : NULL;
    double *scales = weights ? learned_array(learned, first + COMMON_SCALES, in + KRIGING_SCALES, error) : NULL;
    double *rest = malloc((t->rows + 1) * sizeof *rest);
    struct kriging_part all = {malloc((count + 1) * sizeof(size_t)), 0};
    struct kriging_part some = {malloc((count + 1) * sizeof(size_t)), 0};
    bool good = scales && ((rest && all.row && some.row) || error_toolkit(error, "no memory for %zu rows", t->rows));

    for (size_t i = 0; good && i < t->rows; i++)
        rest[i] = t->y[i] - (law ? limits_predict(law, t->terms + i * ROW_TERMS, NULL, NULL) : 0);
    if (good) {
        all.count = draw(stream, NULL, t->rows, count, all.row);
        some.count = draw(stream, all.row, all.count, all.count < SEARCH_ROWS ? all.count : SEARCH_ROWS, some.row);
    }
    if (good && t->start)
        memcpy(scales, t->start->array[first + COMMON_SCALES].values, (in + KRIGING_SCALES) * sizeof *scales);
    else
        good = good && kriging_scales(t, rest, &some, 1, common_belief, scales, error);
    good = good && kriging_fit(t, rest, &all, scales, weights, error);
    for (size_t i = 0; good && i < all.count; i++)
        memcpy(rows + i * in, t->x + all.row[i] * in, in * sizeof *rows);
    free(rest);
    free(all.row);
    free(some.row);
    return good;
}

/* What an input counts for in telling kernels apart: one over how much it varies within a kernel. */
static bool fit_metric(const struct training *t, double *metric, struct error *error)
{
    size_t in = t->inputs;
    double *mean = calloc((size_t)t->kernels * in + 1, sizeof *mean);
    double *rows = calloc((size_t)t->kernels + 1, sizeof *rows);
    bool good = (mean && rows) || error_toolkit(error, "no memory for %d kernels", t->kernels);

    for (size_t i = 0; good && i < t->rows; i++)
        rows[t->kernel[i]]++;
    for (size_t i = 0; good && i < t->rows; i++)
        for (size_t j = 0; j < in; j++)
            mean[(size_t)t->kernel[i] * in + j] += t->x[i * in + j] / rows[t->kernel[i]];
    for (size_t j = 0; good && j < in; j++) {
        double sum = 0;

        for (size_t i = 0; i < t->rows; i++) {
            double off = t->x[i * in + j] - mean[(size_t)t->kernel[i] * in + j];

            sum += off * off;
        }
        metric[j] = 1 / (sqrt(sum / (double)t->rows) + FLOOR);
    }
    free(mean);
    free(rows);
    return good;
}

bool nested_fit(struct learned *learned, int first, const struct training *t, const double *law, struct error *error)
{
    struct random_stream stream = random_stream(&(struct random_key){.seed = NESTED_SEED}, 0);
    struct near *near = malloc((t->rows + 1) * sizeof *near);
    struct groups groups = {.count = 0};
    double *metric = learned_array(learned, first + METRIC, t->inputs, error);
    bool good = (near && make_groups(&groups, t, near)) || error_toolkit(error, "no memory for %zu rows", t->rows);

    good = good && metric && fit_metric(t, metric, error) && fit_common(learned, first, t, law, &stream, error) &&
           fit_own(learned, first, t, law, &groups, &stream, near, error);
    free(groups.group);
    free(groups.rows);
    free(near);
    return good;
}

/* The square of the distance from a box, which no row in it is nearer than. */
static double box_distance(const double *box, size_t inputs, const double *x, const double *metric)
{
    double sum = 0;

    for (size_t j = 0; j < inputs; j++) {
        double off = metric[j] * fmax(fmax(box[j] - x[j], x[j] - box[inputs + j]), 0);

        sum += off * off;
    }
    return sum;
}

/* The square of the distance of the nearest of some rows. */
static double rows_distance(const double *rows, size_t count, size_t inputs, const double *x, const double *metric)
{
    double least = INFINITY, part[256];

    for (size_t i = 0; i < count; i += 256) {
        size_t some = count - i < 256 ? count - i : 256;

        vector_scaled_distances(rows + i * inputs, some, inputs, x, metric, part);
        for (size_t j = 0; j < some; j++)
            least = fmin(least, part[j]);
    }
    return least;
}

double nested_predict(const struct learned *learned, int first, const double *law, size_t inputs, const double *x,
                      const double *terms)
{
    const double *rows = learned->array[first + ROWS].values, *own_scales = learned->array[first + OWN_SCALES].values;
    const double *common_scales = learned->array[first + COMMON_SCALES].values;
    const double *metric = learned->array[first + METRIC].values;
    const double *groups = learned->array[first + GROUPS].values, *own_group = groups;
    size_t base_count = law ? LIMITS_COUNT : 1, step = 1 + base_count + 2 * inputs, at = 0, own_at = 0;
    size_t count = learned->array[first + GROUPS].count / step, likely = 0;
    double least = INFINITY, common, own, trust, best = INFINITY;

    /* The group whose box is nearest is looked at first: few others then have rows that may be nearer. */
    for (size_t k = 0; k < count; k++) {
        double bound = box_distance(groups + k * step + 1 + base_count, inputs, x, metric);

        if (bound < best) {
            best = bound;
            likely = k;
        }
    }
    for (int round = 0; round < 2; round++, at = 0)
        for (size_t k = 0; k < count; at += (size_t)groups[k * step], k++) {
            const double *group = groups + k * step;
            double distance;

            if (round == 0 ? k != likely
                           : k == likely || box_distance(group + 1 + base_count, inputs, x, metric) >= least)
                continue;
            distance = rows_distance(rows + at * inputs, (size_t)*group, inputs, x, metric);
            if (distance < least) {
                least = distance;
                own_group = group;
                own_at = at;
            }
        }
    common = (law ? limits_predict(law, terms, NULL, NULL) : 0) +
             kriging_predict(learned->array[first + COMMON_ROWS].values, learned->array[first + COMMON_WEIGHTS].values,
                             learned->array[first + COMMON_WEIGHTS].count, inputs, common_scales, x);
    own = base_of(own_group + 1, base_count, terms) +
          kriging_predict(rows + own_at * inputs, learned->array[first + OWN_WEIGHTS].values + own_at,
                          (size_t)*own_group, inputs, own_scales, x);
    trust = 1 / (1 + pow(least / (SAME * SAME), 2));
    return trust * own + (1 - trust) * common;
}

bool nested_check(const struct learned *learned, int first, size_t inputs, bool laws)
{
    size_t step = 1 + (laws ? LIMITS_COUNT : 1) + 2 * inputs, rows = learned->array[first + OWN_WEIGHTS].count, sum = 0;
    size_t groups = learned->array[first + GROUPS].count;

    if (rows == 0 || groups == 0 || groups % step != 0 || learned->array[first + ROWS].count != rows * inputs ||
        learned->array[first + OWN_SCALES].count != inputs + KRIGING_SCALES ||
        learned->array[first + COMMON_SCALES].count != inputs + KRIGING_SCALES ||
        learned->array[first + COMMON_ROWS].count != learned->array[first + COMMON_WEIGHTS].count * inputs ||
        learned->array[first + METRIC].count != inputs)
        return false;
    for (size_t i = 0; i < groups; i += step) {
        double count = learned->array[first + GROUPS].values[i];

        if (!(count >= 1 && count <= (double)(rows - sum) && count == floor(count)))
            return false;
        sum += (size_t)count;
    }
    return sum == rows;
}
