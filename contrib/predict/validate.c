/*
 * validate.c - matches launches that were measured with the same ones counted on the simulator, and predicts these: see
 * request.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/predict/rows/cells.h"
#include "validation.h"

/* The columns of what kernel_times.sh writes. */
enum { PROBLEM, SUBMISSION, CASE, LAUNCH, KERNEL, GRID, BLOCK, TIME_US, TIMES_COLUMNS };
static const char *const columns[] = {"problem", "submission", "case", "launch", "kernel", "grid", "block", "time_us"};

/* The columns of a list of what was counted, apart by tabs. */
enum { LIST_PROBLEM, LIST_SUBMISSION, LIST_COUNTED, LIST_COLUMNS };

/* A measured launch. */
struct measured {
    const char *problem, *submission, *kernel; /* names, in the file of times */
    double us;                       /* that it took */
    bool matched;                    /* the launch that was counted in its place is the same one */
    bool regular;                    /* a matched one has no loop that depends on data */
    const struct forecast *forecast; /* of a matched one */
};

/* Whether the file is what kernel_times.sh writes. */
static bool read_times(struct cells *times, const char *path, struct error *error)
{
    static const char decimals[] = "0123456789";
    bool good = true;

    if (!cells_read(times, path, ',', error))
        return false;
    if (times->rows == 0 || times->row[0].count != TIMES_COLUMNS)
        good = false;
    for (size_t i = 0; good && i < TIMES_COLUMNS; i++)
        good = strcmp(times->row[0].cell[i], columns[i]) == 0;
    if (!good)
        return error_usage(error, "%s:1: the header must be problem,submission,case,launch,kernel,grid,block,time_us, "
                                  "as kernel_times.sh writes it", path);
    for (size_t r = 1; r < times->rows; r++) {
        char **cell = times->row[r].cell;

        if (times->row[r].count != TIMES_COLUMNS || !*cell[LAUNCH] || cell[LAUNCH][strspn(cell[LAUNCH], decimals)] ||
            !cells_is_number(cell[TIME_US]) || strpbrk(cell[TIME_US], "eE") || !(strtod(cell[TIME_US], NULL) > 0))
            return error_usage(error, "%s:%ld: not 8 cells with a launch's number and its microseconds, as "
                                      "kernel_times.sh writes them", path, times->row[r].line);
    }
    return true;
}

/* Whether a problem is among those that were asked for; all are where none was. */
static bool is_wanted(const struct request *r, const char *problem)
{
    for (int i = 1; i < r->files; i++)
        if (strcmp(r->file[i], problem) == 0)
            return true;
    return r->files == 1;
}

static bool no_launch(const struct request *r, struct error *error)
{
    char names[256] = "";

    for (int i = 1; i < r->files; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", r->file[i]);
    return error_usage(error, "%s has no launch of%s", r->file[0], *names ? names : " any problem");
}

bool command_submissions(const struct request *r, struct error *error)
{
    struct cells times = {.rows = 0};
    bool good = read_times(&times, r->file[0], error), any = false;

    for (size_t i = 1; good && i < times.rows; i++) {
        char **cell = times.row[i].cell, **before = times.row[i - 1].cell;

        if (!is_wanted(r, cell[PROBLEM]) ||
            (strcmp(cell[PROBLEM], before[PROBLEM]) == 0 && strcmp(cell[SUBMISSION], before[SUBMISSION]) == 0 &&
             strcmp(cell[CASE], before[CASE]) == 0))
            continue;
        any = true;
        printf("%s,%s,%s\n", cell[PROBLEM], cell[SUBMISSION], cell[CASE]);
    }
    if (good && !any)
        good = no_launch(r, error);
    cells_release(&times);
    return good;
}

/* Whether the launch that was counted is the one that was measured. */
static bool is_launch(char **cell, const struct sample *s)
{
    char grid[64], block[64];

    snprintf(grid, sizeof grid, "%.0fx%.0fx%.0f", s->value[COLUMN_GRID_X], s->value[COLUMN_GRID_Y],
             s->value[COLUMN_GRID_Z]);
    snprintf(block, sizeof block, "%.0fx%.0fx%.0f", s->value[COLUMN_BLOCK_X], s->value[COLUMN_BLOCK_Y],
             s->value[COLUMN_BLOCK_Z]);
    return strcmp(cell[KERNEL], s->kernel) == 0 && strcmp(cell[GRID], grid) == 0 && strcmp(cell[BLOCK], block) == 0;
}

/* The launches of one submission, beside what was counted in the same places. */
static void match(struct measured *launch, size_t *launches, const struct cells *times, char **list,
                  const struct predictions *p)
{
    size_t place = 0;

    for (size_t r = 1; r < times->rows; r++) {
        char **cell = times->row[r].cell;
        struct measured *m = &launch[*launches];

        if (strcmp(cell[PROBLEM], list[LIST_PROBLEM]) != 0 || strcmp(cell[SUBMISSION], list[LIST_SUBMISSION]) != 0)
            continue;
        *m = (struct measured){.problem = cell[PROBLEM], .submission = cell[SUBMISSION], .kernel = cell[KERNEL],
                               .us = strtod(cell[TIME_US], NULL)};
        if (place < p->table.rows && is_launch(cell, &p->table.samples[place])) {
            m->matched = true;
            m->regular = p->table.samples[place].value[COLUMN_REGULAR] >= 0.5;
            m->forecast = &p->forecast[place];
        }
        ++*launches;
        place++;
    }
}

static int by_kernel(const void *a, const void *b)
{
    const struct measured *x = *(struct measured *const *)a, *y = *(struct measured *const *)b;
    int order = strcmp(x->problem, y->problem);

    order = order ? order : strcmp(x->submission, y->submission);
    order = order ? order : strcmp(x->kernel, y->kernel);
    return order ? order : (x > y) - (x < y);
}

static bool same_kernel(const struct measured *a, const struct measured *b)
{
    return strcmp(a->problem, b->problem) == 0 && strcmp(a->submission, b->submission) == 0 &&
           strcmp(a->kernel, b->kernel) == 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of `count` numbers, which are put in order; 0 of none. */
static double median(double *value, size_t count)
{
    if (count == 0)
        return 0;
    qsort(value, count, sizeof *value, ascending);
    return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

/* Adds up the launches of one kernel. `room` holds as many numbers. */
static struct validated add_up(struct measured *const *launch, size_t count, double *room)
{
    struct validated k = {.problem = launch[0]->problem, .submission = launch[0]->submission,
                          .kernel = launch[0]->kernel, .launches = count, .bound = ""};
    double longest = -1;
    bool changed = false; /* since it was measured: its launches are others now */

    for (size_t i = 0; i < count; i++) {
        k.measured += launch[i]->us;
        changed = changed || !launch[i]->matched;
        room[i] = launch[i]->us;
    }
    k.median = median(room, count);
    for (size_t i = 0; i < count; i++) {
        const struct measured *m = launch[i];
        const struct forecast *f = m->forecast;

        k.unmatched += changed;
        k.irregular = k.irregular || (m->matched && !m->regular);
        if (changed)
            continue;
        if (f->refused[0]) {
            k.refused_launches++;
            k.refused = k.refused ? k.refused : f->refused;
            k.measured_of_refused += m->us;
            k.refused_us += predictions_number(f->us);
        } else {
            double us = predictions_number(f->us);

            room[k.predicted_launches++] = us;
            k.measured_of_predicted += m->us;
            k.predicted += us;
            k.low += predictions_number(f->low_us);
            k.high += predictions_number(f->high_us);
            k.bound = us >= longest ? f->bound : k.bound;
            longest = fmax(longest, us);
        }
    }
    k.predicted_median = median(room, k.predicted_launches);
    if (k.predicted_launches > 0) {
        k.error = k.predicted / k.measured_of_predicted - 1;
        k.held = k.low <= k.measured_of_predicted && k.measured_of_predicted <= k.high;
    }
    return k;
}

/* A row for each kernel of a submission. */
static bool gather(struct validation *v, struct measured *launch, size_t launches, struct error *error)
{
    struct measured **order = malloc((launches + 1) * sizeof *order);
    double *room = malloc((launches + 1) * sizeof *room);
    bool good = order && room && (v->kernel = malloc((launches + 1) * sizeof *v->kernel));

    for (size_t i = 0; good && i < launches; i++)
        order[i] = &launch[i];
    if (good)
        qsort(order, launches, sizeof *order, by_kernel);
    for (size_t i = 0, end; good && i < launches; i = end) {
        for (end = i + 1; end < launches && same_kernel(order[i], order[end]); end++)
            ;
        v->kernel[v->kernels++] = add_up(order + i, end - i, room);
    }
    free(order);
    free(room);
    return good || error_toolkit(error, "no memory for %zu launches", launches);
}

/* The lines of a file, apart by "; ". */
static bool read_left_out(char **text, const char *path, struct error *error)
{
    struct cells lines;
    size_t room = 1;

    if (!cells_read(&lines, path, '\n', error))
        return false;
    for (size_t r = 0; r < lines.rows; r++)
        room += strlen(lines.row[r].cell[0]) + 2;
    *text = calloc(room, 1);
    for (size_t r = 0; *text && r < lines.rows; r++)
        snprintf(*text + strlen(*text), room - strlen(*text), "%s%s", r ? "; " : "", lines.row[r].cell[0]);
    cells_release(&lines);
    return *text || error_toolkit(error, "no memory for '%s'", path);
}

bool command_validate(const struct request *r, struct error *error)
{
    struct cells times = {.rows = 0}, list = {.rows = 0};
    struct predictions *p = NULL;
    struct measured *launch = NULL;
    struct validation v = {.kernels = 0};
    char *left_out = NULL;
    size_t launches = 0, counted = 0;
    bool good = (r->out && r->plot) || error_usage(error, "validate needs --out FOLDER and --plot FOLDER");

    good = good && read_times(&times, r->file[1], error) && cells_read(&list, r->file[2], '\t', error) &&
           (!r->left_out || read_left_out(&left_out, r->left_out, error));
    if (good && list.rows == 0)
        good = error_usage(error, "%s: no submission was counted", r->file[2]);
    if (good) {
        p = calloc(list.rows, sizeof *p);
        launch = malloc(list.rows * times.rows * sizeof *launch);
        good = (p && launch) || error_toolkit(error, "no memory for %zu rows", times.rows);
    }
    for (size_t i = 0; good && i < list.rows; i++) {
        if (list.row[i].count != LIST_COLUMNS)
            good = error_usage(error, "%s:%ld: not %d cells", r->file[2], list.row[i].line, LIST_COLUMNS);
        good = good && (i == 0 ? predictions_make(&p[0], r, list.row[i].cell[LIST_COUNTED], true, error)
                               : predictions_again(&p[i], &p[0], list.row[i].cell[LIST_COUNTED], error));
        if (good) {
            counted++;
            match(launch, &launches, &times, list.row[i].cell, &p[i]);
        }
    }
    good = good && gather(&v, launch, launches, error);
    if (good) {
        v.model = &p[0];
        v.left_out = left_out ? left_out : "";
        good = validation_write(&v, r->out, r->plot, error);
    }
    while (counted > 0)
        predictions_release(&p[--counted]);
    free(p);
    free(launch);
    free(v.kernel);
    free(left_out);
    cells_release(&times);
    cells_release(&list);
    return good;
}
