/*
 * device.h - the virtual device, as all others see it.
 */
#ifndef CUDASIM_DEVICE_H
#define CUDASIM_DEVICE_H

struct heap;
struct memory;
struct sim;
struct sim_limits;
struct sim_options;
struct touched;

struct memory *sim_memory(struct sim *sim);
const struct sim_limits *sim_limits(const struct sim *sim);
const struct sim_options *sim_options(const struct sim *sim);
struct sim_limits *sim_limits_writable(struct sim *sim); /* for cudaDeviceSetLimit */

/* Of malloc() in kernels. */
struct heap *sim_heap(struct sim *sim);

/* Which sectors of its memory kernels touched; its bits are NULL without options.features. */
struct touched *sim_touched(struct sim *sim);

#endif
