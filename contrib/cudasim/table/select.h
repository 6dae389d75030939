/*
 * select.h - finds the instruction tables that this processor can run.
 */
#ifndef CUDASIM_SELECT_H
#define CUDASIM_SELECT_H

#include "contrib/cudasim/machine/ins.h"

/*
 * The table for the highest level of x86-64 that the processor runs and that the library was built with. NULL if there
 * is none: then `error` says what to do.
 */
const struct table *table_select(char *error, size_t error_size);

#endif
