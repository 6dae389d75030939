/* jobs.h - independent pieces of work on a few threads. */
#ifndef PREDICT_JOBS_H
#define PREDICT_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

/*
 * Calls work(context, 0) … work(context, count - 1), each once, on as many threads as there are processors, at most 8;
 * OpenBLAS has one thread meanwhile. The first error is kept and the rest are not begun.
 */
bool jobs_run(bool (*work)(void *context, size_t number, struct error *error), void *context, size_t count,
              struct error *error);

#endif
