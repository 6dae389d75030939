/*
 * count.h - what sim.c and launch.c ask of the counts of a kernel.
 */
#ifndef CUDASIM_COUNT_H
#define CUDASIM_COUNT_H

struct kernel_use;

/* Sums the counts, and lets go of the module that the kernel is of. */
void use_freeze(struct kernel_use *use);
void use_free(struct kernel_use *use);

#endif
