/*
 * speed.h - the simulator's own speed, for who works on it.
 */
#ifndef CUDASIM_SPEED_H
#define CUDASIM_SPEED_H

#include "contrib/cudasim/sim.h"

/* A line a kernel: launches, warp instructions, seconds, and how many of them a second, all workers together. */
void speed_text(struct sim *sim, FILE *out);

#endif
