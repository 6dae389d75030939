/* evolve_portable.c - the reference, for any processor: fmaf() may be a call, and is exact in any case. */
#define EVOLVE diffevo_evolve_portable
#include "evolve_kernel.h"
