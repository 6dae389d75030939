/* evolve_avx512.c - the reference, for x86-64 with AVX-512; problem.mk has its flags. */
#if defined(__x86_64__)
#define EVOLVE diffevo_evolve_avx512
#include "evolve_kernel.h"
#endif
