/* evolve_avx2.c - the reference, for x86-64 with AVX2 and FMA; problem.mk has its flags. */
#if defined(__x86_64__)
#define EVOLVE diffevo_evolve_avx2
#include "evolve_kernel.h"
#endif
