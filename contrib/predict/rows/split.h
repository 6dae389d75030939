/*
 * split.h - which rows are learned on and which are tested on; the same seed gives the same rows, everywhere.
 */
#ifndef PREDICT_SPLIT_H
#define PREDICT_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/base/error.h"

enum { SPLIT_SEED = 20 }; /* of every split that the tables are made of */

/* Row numbers: train has train_count, test has test_count; together each row once, each part in ascending order. */
struct split {
    size_t *train, *test;           /* numbers of rows */
    size_t train_count, test_count; /* how many */
};

/* A test set of a fifth of the rows, rounded to the nearest, drawn at random. */
bool split_random(struct split *split, size_t rows, uint64_t seed, struct error *error);

/* Fold number `fold` of `folds`: rows are dealt to folds at random, their sizes differ by at most one. */
bool split_fold(struct split *split, size_t rows, int folds, int fold, uint64_t seed, struct error *error);

/* The rows with group[row] == left_out are tested on. */
bool split_group(struct split *split, const int *group, size_t rows, int left_out, struct error *error);
void split_release(struct split *split);

#endif
