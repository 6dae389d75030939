/*
 * evaluate.h - every method on every test: what is fitted on which rows and tried on which others, with all errors.
 *
 * Tests: a random fifth; ten folds; each kernel left out; another GPU. Groups: the kernels of each class alone,
 * and all.
 */
#ifndef PREDICT_EVALUATE_H
#define PREDICT_EVALUATE_H

#include "model.h"
#include "contrib/predict/rows/mrmr.h"
#include "score.h"

enum group { GROUP_COMPUTATION, GROUP_MEMORY, GROUP_MERGED, GROUPS };
enum test { TEST_RANDOM, TEST_FOLDS, TEST_KERNEL, TEST_GPU, TESTS };
enum { FOLDS_COUNT = 10, MAX_VARIANTS = 16 };

/* A method in one of the ways in which it is used. */
struct variant {
    const char *name; /* the method's, with a suffix if it is the way of Riahi et al. */
    struct recipe recipe; /* the method and how it is used */
};

struct run {
    const struct variant *variant; /* that is fitted */
    enum group group;              /* the kernels that it is fitted to */
    enum test test;                /* which rows are held back */
    size_t rows;       /* of the group, or of the other GPU */
    double *predicted; /* rows: microseconds, 0 where the row was not tested */
    const struct design *design; /* of these rows */
    struct score score;          /* of the rows that were tested */
};

/* How well intervals keep what they promise. */
struct coverage {
    size_t rows, held;     /* rows that were tested, and those within */
    double mean_factor;    /* of the interval [time / factor, time * factor] */
    size_t refused;        /* rows for which no number would have been given; not among `rows` */
};

struct evaluation {
    const struct table *table, *other; /* other: of another GPU, or NULL */
    struct variant variants[MAX_VARIANTS]; /* every method, and the ways of Riahi et al. */
    int variant_count;                     /* of `variants` */
    struct design designs[GROUPS][2], other_designs[2]; /* by input set */
    struct run *runs; /* of each variant the tests that it takes part in */
    size_t run_count; /* of `runs` */
    double fit_s[MAX_VARIANTS], predict_us[MAX_VARIANTS]; /* of the random test of all kernels, alone on the machine */
    struct influence influence[GROUPS][MAX_INPUTS];       /* of the features of Riahi et al. */
    struct influence derived_influence[MAX_INPUTS];       /* of the derived inputs, all kernels */
    struct coverage interpolation, new_kernel;            /* of the default model: random fifth; kernels left out */
    double seconds;                                       /* that all of it took */
};

bool evaluate(struct evaluation *evaluation, const struct table *table, const struct table *other,
              const struct gpus *gpus, struct error *error);
void evaluation_release(struct evaluation *evaluation);

/* NULL where there is no such run. */
const struct run *evaluation_run(const struct evaluation *evaluation, const char *variant, enum group group,
                                 enum test test);

/*
 * Writes predict-tables.md and predict-scores.csv to one folder, what is long and read by programs alone to the other:
 * predict-predictions.csv, one line per row, and predict.json.
 */
bool report_write(const struct evaluation *evaluation, const char *folder, const char *rows, struct error *error);

#endif
