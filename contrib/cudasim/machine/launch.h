/*
 * launch.h - what sim.c asks of the workers.
 */
#ifndef CUDASIM_LAUNCH_H
#define CUDASIM_LAUNCH_H

struct sim;

/* Ends the workers' threads, and frees the storage of their blocks. */
void pool_end(struct sim *sim);

#endif
