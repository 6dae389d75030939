/*
 * device.c - the functions by which parts of the virtual device reach the whole device.
 *
 * sim.c creates and destroys the device.
 */
#include "device.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "contrib/cudasim/base/memory.h"
#include "inside.h"
#include "race_pages.h"

unsigned device_cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

bool device_note_sectors(struct sim *sim)
{
    struct touched *t = &sim->touched;
    size_t words;

    t->origin = memory_origin(sim->memory);
    t->sectors = memory_range(sim->memory) / 32;
    words = t->sectors / 64;
    /* Zeros take no memory before they are set. */
    t->bits = mmap(NULL, words * sizeof *t->bits, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (t->bits == MAP_FAILED)
        t->bits = NULL;
    t->pages = calloc(words / TOUCHED_PAGE + 1, 1);
    return t->bits && t->pages;
}

struct memory *sim_memory(struct sim *sim)
{
    return sim->memory;
}

const struct sim_limits *sim_limits(const struct sim *sim)
{
    return &sim->limits;
}

struct sim_limits *sim_limits_writable(struct sim *sim)
{
    return &sim->limits;
}

const struct sim_options *sim_options(const struct sim *sim)
{
    return &sim->options;
}

unsigned sim_threads(const struct sim *sim)
{
    return sim->threads;
}

struct heap *sim_heap(struct sim *sim)
{
    return &sim->heap;
}

bool sim_heap_begun(const struct sim *sim)
{
    return atomic_load(&sim->heap.begun);
}

struct touched *sim_touched(struct sim *sim)
{
    return &sim->touched;
}

struct pages *sim_pages(struct sim *sim)
{
    if (!sim->pages && !sim->pages_refused) {
        sim->pages = pages_create(sim->memory, sim->wide);
        sim->pages_refused = !sim->pages;
    }
    return sim->pages;
}

bool sim_elsewhere(const struct sim *sim, const struct worker *k, uint32_t block_name)
{
    for (unsigned n = 0; n < sim->worker_count; n++)
        if (&sim->workers[n] != k && __atomic_load_n(&sim->workers[n].at_block, __ATOMIC_RELAXED) == block_name + 1)
            return true;
    return false;
}

struct family **sim_family(struct sim *sim)
{
    return &sim->children.family;
}
