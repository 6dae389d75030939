/*
 * builtin.h - functions that kernels call and no module defines.
 */
#ifndef CUDASIM_BUILTIN_H
#define CUDASIM_BUILTIN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct call_site;
struct ins;
struct launch;
struct sim;
struct warp;
struct worker;

/* The heap of malloc() in kernels. It exists from sim_create() to sim_destroy(), and is all zeros at first. */
struct heap {
    _Atomic uint64_t used; /* bytes of all live blocks */
    _Atomic uint64_t live; /* how many there are */
    _Atomic bool begun;    /* a kernel asked for a block: the size stays as it is */
    struct heap_site *sites; /* [site_count] lines that called malloc(); owned */
    unsigned site_count;
};

/* The body of calls to vprintf, malloc, free, __assertfail, and of the device runtime. */
const struct ins *builtin_call(struct warp *w, const struct ins *ins, const struct call_site *site);

enum builtin { BUILTIN_NONE = -1, BUILTIN_VPRINTF, BUILTIN_MALLOC, BUILTIN_FREE, BUILTIN_ASSERTFAIL,
               BUILTIN_CHILD_BUFFER, BUILTIN_CHILD_LAUNCH, BUILTIN_LAST_ERROR, BUILTIN_PEEK_ERROR, BUILTIN_CREATE,
               BUILTIN_NOTHING, BUILTIN_STREAM_WAIT, BUILTIN_DEVICE, BUILTIN_DEVICE_COUNT, BUILTIN_SET_CONDITION,
               BUILTIN_DEVICE_MALLOC, BUILTIN_DEVICE_FREE, BUILTIN_MEMCPY, BUILTIN_MEMSET,
               BUILTIN_ERROR_TEXT, BUILTIN_ERROR_NAME,
               BUILTIN_ATTRIBUTE, BUILTIN_LIMIT, BUILTIN_CACHE_CONFIG, BUILTIN_SHARED_CONFIG, BUILTIN_FUNCTION,
               BUILTIN_OCCUPANCY, BUILTIN_VERSION, BUILTIN_MEMCPY_2D, BUILTIN_MEMCPY_3D, BUILTIN_MEMSET_2D,
               BUILTIN_MEMSET_3D, BUILTIN_CHILD_SPACE, BUILTIN_CHILD_LAUNCH_NAMED, BUILTIN_GRAPH_LAUNCH,
               BUILTIN_NODE_PARAMETER, BUILTIN_NODE_ENABLED, BUILTIN_NODE_GRID, BUILTIN_NODE_CHANGES,
               BUILTIN_ALIGNED_MALLOC };

/* Finds the function by its name. The result goes into call_site.builtin. */
enum builtin builtin_find(const char *name);

/*
 * Writes the text that the worker's threads printed to standard output. It then empties the buffer, but keeps it. A
 * launch with keeps_text: nothing is written before builtin_flush_all().
 */
void builtin_flush(struct worker *worker);

/* Writes what all workers kept, in the order of the launch's blocks, up to the first one with a fault. */
void builtin_flush_all(struct sim *sim, const struct launch *launch);

#endif
