/*
 * alone.h - how long launches take on the GPU itself, each started while it is idle: by CUPTI's activity records, which
 * hold when a kernel began and ended by the GPU's clock. collect.cu uses it; nothing here knows rows or kernels.
 *
 * The library is loaded when it is asked for, since CUPTI comes with the CUDA Toolkit and not with the driver, and the
 * simulator has none.
 */
#ifndef PREDICT_ALONE_H
#define PREDICT_ALONE_H

#include <stddef.h>

/* Starts to record all kernels of the process. False where that cannot be, and why. */
bool alone_open(char why[256]);

/*
 * Microseconds of the kernels that have run since alone_open() or the last call, in the order in which they began. All
 * have ended: the caller has synchronised. False where there are not `count` of them after a second, and what there is
 * is dropped.
 */
bool alone_take(double *us, size_t count);

/* Stops recording. Nothing happens where alone_open() failed or was not called. */
void alone_close(void);

#endif
