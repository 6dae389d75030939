/* quality.c - how good the times of a file of data are: see steps.h. */
#include "steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/predict/rows/cells.h"

/* Classes of launches by how long they took; all of them last. */
enum { LENGTHS = 6, ALL = LENGTHS - 1 };
static const char *const length_names[LENGTHS] = {"below 5 us",      "5 to 20 us",   "20 to 100 us",
                                                  "100 us to 1 ms", "above 1 ms", "all"};
static const double length_ends[ALL - 1] = {5, 20, 100, 1000}; /* microseconds */
#define SHORT_US 5
#define LONG_US 20

/* Numbers of one kind, as many as were put there. */
struct band {
    double *value;      /* `count` of them */
    size_t count, room; /* how many, and for how many there is memory */
};

/* A launch of the first file. */
struct launch {
    char key[128];            /* kernel, size and block */
    double size, time, low, high; /* elements; microseconds */
    double alone;             /* NAN where it was not timed alone */
    const char *written;      /* the time as the file has it */
};

struct quality {
    struct band width[LENGTHS], alone[LENGTHS]; /* percent of the time */
    struct band again, again_short, again_alone; /* how far off, percent */
    struct band more;                            /* microseconds more, of launches below 5 us */
    struct band ncu_short, ncu_long;             /* ncu's time less that alone, microseconds */
    size_t outside;                              /* rows timed again outside of their interval */
    struct launch *launch;                       /* in the order of the file */
    struct launch **by_key;                      /* the same, sorted */
    size_t launches;                             /* of `launch` */
    bool full;                                   /* memory ran out */
};

/* Where the columns of a file are. */
struct places {
    size_t kernel, size, block, block_x, block_y, time, low, high, alone, ncu; /* `columns` where there is none */
    size_t columns;                                                            /* of a row */
};

static void put(struct quality *q, struct band *band, double value)
{
    if (band->count == band->room) {
        double *more = realloc(band->value, (band->room = 2 * band->room + 64) * sizeof *more);

        if (!more) {
            q->full = true;
            band->room = band->count;
            return;
        }
        band->value = more;
    }
    band->value[band->count++] = value;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int by_key(const void *a, const void *b)
{
    return strcmp((*(struct launch *const *)a)->key, (*(struct launch *const *)b)->key);
}

static const struct launch *find(const struct quality *q, const char *key)
{
    struct launch wanted, *place = &wanted, **found;

    snprintf(wanted.key, sizeof wanted.key, "%s", key);
    found = bsearch(&place, q->by_key, q->launches, sizeof *q->by_key, by_key);
    return found ? *found : NULL;
}

static struct places find_places(const struct cells *c)
{
    return (struct places){.kernel = cells_column(c, "kernel"), .size = cells_column(c, "size"),
                           .block = cells_column(c, "block"), .block_x = cells_column(c, "block_x"),
                           .block_y = cells_column(c, "block_y"), .time = cells_column(c, "time_us"),
                           .low = cells_column(c, "low_us"), .high = cells_column(c, "high_us"),
                           .alone = cells_column(c, "alone_us"), .ncu = cells_column(c, "ncu_us"),
                           .columns = c->rows > 0 ? c->row[0].count : 0};
}

/* Reads a file and finds its columns. Rows must be as long as the header. */
static bool open_rows(struct cells *c, struct places *at, const char *path, struct error *error)
{
    if (!cells_read(c, path, ',', error))
        return false;
    *at = find_places(c);
    if (at->kernel >= at->columns || at->size >= at->columns ||
        (at->block >= at->columns && (at->block_x >= at->columns || at->block_y >= at->columns)))
        return error_usage(error, "%s:1: the header has no kernel, size, block", path);
    for (size_t r = 1; r < c->rows; r++)
        if (c->row[r].count != at->columns)
            return error_usage(error, "%s:%ld: %zu columns instead of %zu", path, c->row[r].line, c->row[r].count,
                               at->columns);
    return true;
}

static bool open_times(struct cells *c, struct places *at, const char *path, struct error *error)
{
    return open_rows(c, at, path, error) &&
           ((at->time < at->columns && at->low < at->columns && at->high < at->columns) ||
            error_usage(error, "%s:1: the header has no time_us, low_us, high_us", path));
}

static void key_of(char *key, size_t room, char **cell, const struct places *at)
{
    if (at->block < at->columns)
        snprintf(key, room, "%s %s %s", cell[at->kernel], cell[at->size], cell[at->block]);
    else
        snprintf(key, room, "%s %s %sx%s", cell[at->kernel], cell[at->size], cell[at->block_x], cell[at->block_y]);
}

static double alone_of(char **cell, const struct places *at)
{
    return at->alone < at->columns && *cell[at->alone] ? strtod(cell[at->alone], NULL) : NAN;
}

/* The first file: what each launch took, and how well that is known. */
static bool take_rows(struct quality *q, const struct cells *c, const struct places *at, struct error *error)
{
    q->launch = calloc(c->rows + 1, sizeof *q->launch);
    q->by_key = calloc(c->rows + 1, sizeof *q->by_key);
    if (!q->launch || !q->by_key)
        return error_toolkit(error, "no memory for %zu rows", c->rows);
    for (size_t r = 1; r < c->rows; r++) {
        char **cell = c->row[r].cell;
        struct launch *l = &q->launch[q->launches];
        int length = 0;

        key_of(l->key, sizeof l->key, cell, at);
        l->written = cell[at->time];
        l->time = strtod(l->written, NULL);
        l->low = strtod(cell[at->low], NULL);
        l->high = strtod(cell[at->high], NULL);
        l->size = strtod(cell[at->size], NULL);
        l->alone = alone_of(cell, at);
        q->by_key[q->launches++] = l;
        while (length < ALL - 1 && l->time >= length_ends[length])
            length++;
        put(q, &q->width[length], 100 * (l->high - l->low) / l->time);
        put(q, &q->width[ALL], 100 * (l->high - l->low) / l->time);
        if (!isnan(l->alone)) {
            put(q, &q->alone[length], 100 * l->alone / l->time);
            put(q, &q->alone[ALL], 100 * l->alone / l->time);
        }
    }
    qsort(q->by_key, q->launches, sizeof *q->by_key, by_key);
    return true;
}

static void take_again(struct quality *q, const struct cells *c, const struct places *at)
{
    for (size_t r = 1; r < c->rows; r++) {
        char **cell = c->row[r].cell, key[sizeof q->launch->key];
        const struct launch *first;
        double time = strtod(cell[at->time], NULL), far, alone = alone_of(cell, at);

        key_of(key, sizeof key, cell, at);
        first = find(q, key);
        if (!first)
            continue;
        far = fabs(100 * (time / first->time - 1));
        put(q, &q->again, far);
        if (time < SHORT_US) {
            put(q, &q->again_short, far);
            put(q, &q->more, time - first->time);
        }
        q->outside += time < first->low || time > first->high;
        if (!isnan(alone) && !isnan(first->alone))
            put(q, &q->again_alone, fabs(100 * (alone / first->alone - 1)));
    }
}

static void take_ncu(struct quality *q, const struct cells *c, const struct places *at)
{
    for (size_t r = 1; r < c->rows; r++) {
        char **cell = c->row[r].cell, key[sizeof q->launch->key];
        const struct launch *first;

        key_of(key, sizeof key, cell, at);
        first = find(q, key);
        if (first && !isnan(first->alone))
            put(q, first->time < LONG_US ? &q->ncu_short : &q->ncu_long,
                strtod(cell[at->ncu], NULL) - first->alone);
    }
}

/* A line of a table: the quantiles of a band, which is put in order. */
static void print_quantiles(struct band *band, const char *label)
{
    size_t n = band->count;
    const double *v = band->value;

    if (n == 0)
        return;
    qsort(band->value, n, sizeof *band->value, ascending);
    printf("%-22s %5zu %8.2f %8.2f %8.2f %8.2f\n", label, n, v[(n + 1) / 2 - 1],
           v[(size_t)((double)n * 0.9 + 0.5) - 1], v[(size_t)((double)n * 0.99 + 0.5) - 1], v[n - 1]);
}

static void print_heading(const char *first, const char *last)
{
    printf("%-22s %5s %8s %8s %8s %8s   %s\n", first, "rows", "median", "90%", "99%", "largest", last);
}

static void print_table(struct band *bands, const char *what)
{
    print_heading("launches of", what);
    for (int i = 0; i < LENGTHS; i++)
        print_quantiles(&bands[i], length_names[i]);
}

/* Launches of one kernel with one block stand together, in the order of the file. */
static int by_series(const void *a, const void *b)
{
    const struct launch *x = *(struct launch *const *)a, *y = *(struct launch *const *)b;
    const char *x_block = strrchr(x->key, ' '), *y_block = strrchr(y->key, ' ');
    size_t x_kernel = strcspn(x->key, " "), y_kernel = strcspn(y->key, " ");
    int order = strcmp(x_block, y_block);

    if (order == 0)
        order = strncmp(x->key, y->key, x_kernel > y_kernel ? x_kernel : y_kernel);
    return order ? order : (x > y) - (x < y);
}

static bool same_series(const struct launch *a, const struct launch *b)
{
    size_t kernel = strcspn(a->key, " ");

    return strncmp(a->key, b->key, kernel + 1) == 0 && strcmp(strrchr(a->key, ' '), strrchr(b->key, ' ')) == 0;
}

/* Pairs of sizes of which the larger took less time, beyond both intervals. */
static void print_falls(struct quality *q)
{
    size_t pairs = 0, falls = 0, short_falls = 0, long_falls = 0;
    const struct launch *small = NULL, *large = NULL;

    qsort(q->by_key, q->launches, sizeof *q->by_key, by_series);
    for (size_t i = 0, end; i < q->launches; i = end) {
        for (end = i + 1; end < q->launches && same_series(q->by_key[i], q->by_key[end]); end++)
            ;
        for (size_t j = i; j < end; j++)
            for (size_t k = i; k < end; k++) {
                const struct launch *a = q->by_key[j], *b = q->by_key[k];

                if (!(a->size < b->size))
                    continue;
                pairs++;
                if (!(b->high < a->low))
                    continue;
                falls++;
                short_falls += a->time < SHORT_US;
                long_falls += a->time > LONG_US;
                if (!small || b->time / a->time < large->time / small->time) {
                    small = a;
                    large = b;
                }
            }
    }
    printf("pairs of sizes, else alike: %zu; the larger took less in %zu: %zu below 5 us, %zu above 20 us\n", pairs,
           falls, short_falls, long_falls);
    if (small)
        printf("the worst: %s: %s us, %s: %s us\n", small->key, small->written, large->key, large->written);
}

static void print_all(struct quality *q)
{
    const struct launch *least = NULL;

    print_table(q->width, "width of the interval, % of the time");
    if (q->again.count) {
        print_quantiles(&q->again, "timed again");
        print_quantiles(&q->again_short, "again, below 5 us");
        print_quantiles(&q->again_alone, "again, alone");
        printf("timed again, %zu of %zu lie outside of the interval\n", q->outside, q->again.count);
        if (q->more.count) {
            qsort(q->more.value, q->more.count, sizeof *q->more.value, ascending);
            printf("timed again, below 5 us: %.3f us more in the median\n", q->more.value[(q->more.count + 1) / 2 - 1]);
        }
    }
    if (q->alone[ALL].count)
        print_table(q->alone, "alone, % of the time in a stream");
    if (q->ncu_short.count) {
        print_heading("", "ncu's time less that alone, us");
        print_quantiles(&q->ncu_short, "below 20 us");
        print_quantiles(&q->ncu_long, "above 20 us");
    }
    for (size_t i = 0; i < q->launches; i++)
        if (!least || q->launch[i].time < least->time)
            least = &q->launch[i];
    printf("the shortest launch: %s us\n", least ? least->written : "");
    print_falls(q);
}

static void release(struct quality *q)
{
    struct band *const one[] = {&q->again, &q->again_short, &q->again_alone, &q->more, &q->ncu_short, &q->ncu_long};

    for (int i = 0; i < LENGTHS; i++) {
        free(q->width[i].value);
        free(q->alone[i].value);
    }
    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++)
        free(one[i]->value);
    free(q->launch);
    free(q->by_key);
}

bool step_quality(const char *data, const char *again, const char *ncu, struct error *error)
{
    struct cells first = {.rows = 0}, second = {.rows = 0}, third = {.rows = 0};
    struct quality q = {.launches = 0};
    struct places at;
    bool good = open_times(&first, &at, data, error) && take_rows(&q, &first, &at, error);

    if (good && again && (good = open_times(&second, &at, again, error)))
        take_again(&q, &second, &at);
    if (good && ncu && (good = open_rows(&third, &at, ncu, error))) {
        good = at.ncu < at.columns || error_usage(error, "%s:1: the header has no ncu_us", ncu);
        if (good)
            take_ncu(&q, &third, &at);
    }
    if (good && q.full)
        good = error_toolkit(error, "no memory for the rows of %s", data);
    if (good)
        print_all(&q);
    release(&q);
    cells_release(&first);
    cells_release(&second);
    cells_release(&third);
    return good;
}
