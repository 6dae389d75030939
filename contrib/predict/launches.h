/* launches.h - what was counted of launches, for people and programs: for `predict.sh features`. */
#ifndef PREDICT_LAUNCHES_H
#define PREDICT_LAUNCHES_H

#include "verify/base/error.h"

/* One name and value per line, an empty line between launches; the CSV as it is; an array of objects. */
enum launches_format { LAUNCHES_LINES, LAUNCHES_CSV, LAUNCHES_JSON };

/*
 * Prints the rows of a CSV of features, of one kernel or of all (NULL). False where the file cannot be read or no
 * launch is of that kernel: the error names the kernels that there are.
 */
bool launches_print(const char *path, const char *kernel, enum launches_format format, struct error *error);

#endif
