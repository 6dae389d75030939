/*
 * speed.h - the simulator's own speed, for its developers.
 */
#ifndef CUDASIM_SPEED_H
#define CUDASIM_SPEED_H

#include "contrib/cudasim/sim.h"

/* Prints one line per kernel: launches, warp instructions, seconds, and instructions per second of all workers. */
void speed_text(struct sim *sim, FILE *out);

#endif
