/* walk_avx512.c - the walks of the reference, for x86-64 with AVX-512, else for nobody; problem.mk has its flags. */
#define WALK cointsp_walk_avx512
#include "walk_kernel.h"
