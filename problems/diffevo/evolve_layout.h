/*
 * evolve_layout.h - the shape of a population in the reference's memory: for evolve.c and evolve_kernel.h.
 */
#ifndef DIFFEVO_EVOLVE_LAYOUT_H
#define DIFFEVO_EVOLVE_LAYOUT_H

#include <stddef.h>

#include "include/device_user.h"

/* Individuals side by side: one register of AVX-512, two of AVX2. */
enum { LANES = 16 };

/* Elements from one coordinate's row to the next one's. */
static inline size_t evolve_stride(const struct diffevo_problem *p)
{
    return ((size_t)p->population + LANES - 1) / LANES * LANES;
}

#endif
