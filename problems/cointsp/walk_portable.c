/* walk_portable.c - the walks of the reference, for any processor; problem.mk has its flags. */
#define WALK cointsp_walk_portable
#include "walk_kernel.h"
