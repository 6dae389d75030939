/*
 * model.h - a trained model: from a row of features to microseconds, an interval, what bounds it; or why there is none.
 */
#ifndef PREDICT_MODEL_H
#define PREDICT_MODEL_H

#include <stdio.h>

#include "contrib/predict/methods/limits.h"
#include "contrib/predict/methods/mechanism.h"
#include "contrib/predict/methods/method.h"
#include "contrib/predict/rows/normalise.h"

enum { MODEL_FORMAT = 4 };
#define MODEL_LEVEL 0.9 /* of intervals */
/* The mechanism's quantile: draws differ, and 90 % is for the next one (docs/predict/methods.md, Intervals). */
#define DRAW_LEVEL 0.955

/* How a method is used. RAW is the way of Riahi et al.: columns and times as they are, both scaled to [0, 1]. */
struct recipe {
    const struct method *method; /* that learns */
    enum input_set set;          /* what it learns from */
    bool raw_time; /* learn the time and not its logarithm; not for physical methods */
};

/* How far off the model was where it had not seen a row, and where it had not seen a row's kernel. */
enum novelty { NEW_SIZE, NEW_KERNEL, NOVELTIES };

struct residuals {
    size_t count;     /* of both */
    double *residual; /* |ln(predicted / measured)| of rows held back, beside */
    double *distance; /* their distance from the nearest row that was not, ascending */
};

/* Where rows were, and how far off the model was there: for intervals and refusals. */
struct reach {
    struct normaliser range; /* of the derived inputs */
    size_t rows;             /* 0: not calibrated, so no interval and no refusal */
    double *x;               /* rows x inputs, normalised */
    struct residuals off[NOVELTIES]; /* for each kind of what is new */
    double farthest;         /* the largest distance: of a kernel left out from all others */
};

struct model {
    struct recipe recipe;         /* what was learned and how */
    struct gpu gpu;               /* whose times the training rows were; alias "" for several */
    size_t trained_rows;          /* that were learned from */
    struct normaliser normaliser; /* of the recipe's inputs */
    double time_low, time_high;   /* of the training rows, microseconds */
    double law[LIMITS_COUNT];     /* shows what bounds a launch */
    struct learned learned;       /* the method's arrays */
    struct reach reach;           /* where it may be asked */
};

/* Fits the recipe to all rows of a design, whose inputs are of its set. `start`: a model whose scales are kept. */
bool model_fit(struct model *model, const struct recipe *recipe, const struct design *design, const struct model *start,
               struct error *error);

/* A model for use: fits the recipe to all rows of a table, its law of limits, and calibrates it (below). */
bool model_train(struct model *model, const struct recipe *recipe, const struct table *table, const struct gpus *gpus,
                 struct error *error);

/* Microseconds for one row of inputs (not normalised) and its terms. Above 0. */
double model_time(const struct model *model, const double *inputs, const double *terms);

/*
 * Calibrates intervals and limits on `derived`, the same rows with derived inputs: by ten-fold cross-validation for new
 * sizes, and for new kernels by leaving kernels out, a tenth of them at a time, with the scales that the model found,
 * on two threads.
 */
bool model_calibrate(struct model *model, const struct design *design, const struct design *derived,
                     struct error *error);

/* What a model predicted of a row that it did not learn from. */
struct left_out {
    double us;
    double distance; /* from the nearest row that it learned from; NAN: the row is refused, or of no draw */
    double factor;   /* of its interval. Left out by draw: as wide as the other draws say */
};

/*
 * Intervals for programs that the model never saw, in place of those of model_calibrate(): as wide as it is off on the
 * rows from number `first` on, whose kernels are named PROGRAM:KERNEL, while their whole draw was left out, with all
 * relatives of its programs. `table` holds all rows that the model learned from. by_family, by_draw: of each row from
 * `first` on, what was predicted while its family or its draw was left out. *draws: how many there are; 0: less than
 * two, and families give the intervals.
 */
bool model_cross(struct model *model, const struct table *table, size_t first, const struct gpus *gpus,
                 struct left_out *by_family, struct left_out *by_draw, size_t *draws, struct error *error);

/* The factor of the interval of a launch, at a distance from the training rows. Counts that are doubtful widen it. */
double model_factor(const struct model *model, const struct sample *sample, enum novelty novelty, double distance);

/* The factor of the interval [time / factor, time * factor] at a distance from the training rows. */
double reach_factor(const struct reach *reach, enum novelty novelty, double distance, double level);

/*
 * What is new about normalised derived inputs: the size alone where a training row has the same dependence degree,
 * which six digits of a listing's shape tell from another kernel's; else the kernel, however near its counts are to
 * another's.
 */
enum novelty reach_novelty(const struct reach *reach, const double *x);

/* The distance of normalised derived inputs from the nearest row; which row and which input differs most. */
double reach_distance(const struct reach *reach, const double *x, size_t *nearest, size_t *input);

struct forecast {
    double us, low_us, high_us; /* 90 % */
    double kept;                /* by the mechanism: us over what its law alone says. A changed launch keeps it */
    const char *bound;          /* what takes the largest part of the time by the law of limits */
    double share;               /* that part */
    double launch_share;        /* the part that launching takes, whatever the launch does */
    double part[PARTS];         /* by the mechanism: each part's share of the time */
    double utilisation;         /* of the peak of what is counted exactly: the largest bound over the time */
    double distance;            /* from the nearest training row */
    char refused[256];          /* why there is no number; empty where there is */
};

/* For a launch on `gpu`. False if it cannot be computed at all (an n that is not given). */
bool model_forecast(const struct model *model, const struct sample *sample, const struct gpu *gpu,
                    struct forecast *forecast, const char *path, struct error *error);

/* Text: one name and its numbers a line, the format's number first, `end` last. An error names file and line. */
bool model_write(const struct model *model, const char *path, struct error *error);
bool model_read(struct model *model, const char *path, struct error *error);
void model_release(struct model *model);

#endif
