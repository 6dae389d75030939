/*
 * by_host.h - what holds for launches that the host makes, and not a graph: lazy_load.c and do_launch.c.
 */
#ifndef CUDASIM_BY_HOST_H
#define CUDASIM_BY_HOST_H

#include "runtime.h"

/* Warns if it is the kernel's first launch, and work is pending that would wait for ever then. */
void lazy_load(struct runtime *runtime, struct entry *entry);

/* Whether the kernel may run without a graph; if not, it is reported: it launches graphs. */
cudaError_t launch_outside_graphs(struct runtime *runtime, const struct kernel_work *work);

#endif
