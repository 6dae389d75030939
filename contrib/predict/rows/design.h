/*
 * design.h - from rows of a table to what a method learns on: inputs between 0 and 1, the terms, the measured times.
 */
#ifndef PREDICT_DESIGN_H
#define PREDICT_DESIGN_H

#include "parts.h"

enum { MAX_INPUTS = 64 };

/*
 * What the inputs are. SOURCE: the 19 columns of Riahi et al. as they are. DERIVED: logarithms of counts, and
 * what follows from them and the GPU (occupancy, waves, the terms); knows neither n nor s, which a new kernel's caller
 * may not.
 */
enum input_set { INPUTS_SOURCE, INPUTS_DERIVED };

size_t inputs_count(enum input_set set);
const char *input_name(enum input_set set, size_t input);

/* An input as a reader would put it: logarithms undone. */
double input_natural(enum input_set set, size_t input, double value);

/* The inputs of one row, not normalised. An error names the row's line: an n or s that is not given. */
bool inputs_compute(enum input_set set, const struct sample *sample, const struct gpu *gpu, double *inputs,
                    const char *path, struct error *error);

/* Rows as matrices, row-major. */
struct design {
    enum input_set set; /* what the inputs are */
    size_t rows, inputs; /* the size of the matrix */
    double *x;      /* rows x inputs, as computed */
    double *terms;  /* rows x ROW_TERMS, microseconds */
    double *time;   /* rows, microseconds */
    /* rows: how far the time is known, as a share of it: half its interval, what moves the price of a launch */
    double *spread;
    int *kernel;    /* rows: a number for each kernel's name, from 0 */
    double *weight; /* rows: how much its kernel counts beside others: design.c */
    int kernels;    /* of all rows */
    const struct sample **sample; /* rows, in the table */
};

/* All rows of a table that are of `class` (CLASS_NONE: of any). Fails without memory, for a GPU that gpus.csv lacks. */
bool design_make(struct design *design, enum input_set set, const struct table *table, enum kernel_class class,
                 const struct gpus *gpus, struct error *error);

/* The rows numbered rows[0..count): a copy. */
bool design_pick(struct design *part, const struct design *whole, const size_t *rows, size_t count,
                 struct error *error);
void design_release(struct design *design);

#endif
