/*
 * steps.h - what is done with rows that a GPU timed and the simulator counted, on their way into contrib/predict/data.
 *
 * Cells are passed on as they are written. The functions take paths and print to standard output. Where a file is not
 * as it should be, the error's text is FILE:LINE: and what is wrong (EXIT_USAGE), and no row is printed; only
 * step_ncu_times() prints as it reads.
 */
#ifndef PREDICT_STEPS_H
#define PREDICT_STEPS_H

#include <stdbool.h>

#include "verify/base/error.h"

/*
 * Times and counts side by side: the rows of contrib/predict/data, numbers to six digits. `times` is what
 * build/predict/collect prints, `features` what the simulator writes for `collect --features` of the same rows, line
 * for line.
 */
bool step_join(const char *times, const char *features, struct error *error);

/* What collect printed, from the rows that it was joined to. */
bool step_times(const char *data, struct error *error);

/* Where rows of contrib/predict/data are from, for the README beside them. */
struct provenance {
    const char *folder; /* contrib/predict/data, whose README.md has a line for each part of its files */
    const char *to;     /* the file that rows are appended to, or NULL for FOLDER/h100.csv, or what the GPU is called */
    const char *driver; /* of the machine that timed */
    const char *date;   /* YYYY-MM-DD, when it timed */
    const char *subset; /* K/N of the list */
};

/*
 * Appends joined rows to a file of data, all or none, and a line to FOLDER/README.md, or to FILE.provenance.md beside a
 * file elsewhere. A file whose header has other columns is refused.
 */
bool step_append(const char *joined, const struct provenance *from, struct error *error);

/*
 * How good times are, by how long a launch took: rows, the width of the 95 % interval of the median in percent of it,
 * and what a launch from an idle GPU took in percent of that in a stream. Then the pairs of sizes of a kernel with the
 * same block in which the larger took less time, beyond both intervals. `again` (or NULL) has some of the rows timed by
 * another process: how far its times are from the first's. `ncu` (or NULL) is of step_ncu_alone(): how far ncu's times
 * are from those alone.
 */
bool step_quality(const char *data, const char *again, const char *ncu, struct error *error);

/*
 * One line per launch from ncu's raw CSV (--metrics gpu__time_duration.sum --csv --page raw --print-units base):
 * PROBLEM,SUBMISSION,CASE,LAUNCH,KERNEL,GRID,BLOCK,MICROSECONDS. A kernel's parameters are left out of its name.
 * `csv`: NULL for standard input.
 */
bool step_ncu_times(const char *csv, const char *problem, const char *submission, const char *text,
                    struct error *error);

/*
 * What ncu says of rows launched alone, beside CUPTI. `list` is `collect --list --subset K/N`, `launches` what
 * step_ncu_times() made of `ncu ... collect --alone --subset K/N`: six launches a row, in the list's order, behind
 * those that fill memory. One line per row: the first launch, which finds its data where the row before left it, and
 * the median of the others, which is to be held against alone_us.
 */
bool step_ncu_alone(const char *list, const char *launches, struct error *error);

#endif
