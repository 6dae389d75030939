/*
 * feature_uniform.h - which registers of a function may differ among the lanes of a warp.
 */
#ifndef CUDASIM_FEATURE_UNIFORM_H
#define CUDASIM_FEATURE_UNIFORM_H

#include <stdbool.h>

#include "contrib/cudasim/ptx/ptx.h"

/* A flag for each register, to be freed. NULL without memory. */
bool *feature_varying(const struct ptx_function *f);

/* Whether the statement reads one of them, or is guarded by one. */
bool feature_reads_varying(const struct ptx_function *f, const struct ptx_statement *s, const bool *varies);

#endif
