/*
 * device.h - the virtual device, as its parts see it.
 */
#ifndef CUDASIM_DEVICE_H
#define CUDASIM_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

struct family;
struct heap;
struct memory;
struct pages;
struct sim;
struct sim_limits;
struct sim_options;
struct touched;
struct worker;

struct memory *sim_memory(struct sim *sim);
const struct sim_limits *sim_limits(const struct sim *sim);
const struct sim_options *sim_options(const struct sim *sim);
struct sim_limits *sim_limits_writable(struct sim *sim); /* for cudaDeviceSetLimit */

/* Host threads that it has started. */
unsigned sim_threads(const struct sim *sim);

/* Of malloc() in kernels. */
struct heap *sim_heap(struct sim *sim);

/* Whether a kernel has called malloc(). */
bool sim_heap_begun(const struct sim *sim);

/* The sectors of its memory that kernels touched. The bits are NULL without options.features. */
struct touched *sim_touched(struct sim *sim);

/* Whether another worker than `k` executes the block of that name now. */
bool sim_elsewhere(const struct sim *sim, const struct worker *k, uint32_t block_name);

/* Who touched its global memory last, for the check for races; NULL: there is no room. */
struct pages *sim_pages(struct sim *sim);

/* Where the family of launches that runs is kept, for the check for races: race_family.h. */
struct family **sim_family(struct sim *sim);

#endif
