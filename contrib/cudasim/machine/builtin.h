/*
 * builtin.h - the functions that kernels call and no module holds.
 */
#ifndef CUDASIM_BUILTIN_H
#define CUDASIM_BUILTIN_H

#include <stdatomic.h>
#include <stdint.h>

struct call_site;
struct ins;
struct warp;
struct worker;

/* Of malloc() in kernels; in it from sim_create() to sim_destroy(), at first all zeros. */
struct heap {
    _Atomic uint64_t used; /* bytes of all live blocks */
};

/* The body of calls to vprintf, malloc, free, __assertfail, and of the device runtime. */
const struct ins *builtin_call(struct warp *w, const struct ins *ins, const struct call_site *site);

enum builtin { BUILTIN_NONE = -1, BUILTIN_VPRINTF, BUILTIN_MALLOC, BUILTIN_FREE, BUILTIN_ASSERTFAIL,
               BUILTIN_CHILD_BUFFER, BUILTIN_CHILD_LAUNCH, BUILTIN_LAST_ERROR, BUILTIN_PEEK_ERROR, BUILTIN_CREATE,
               BUILTIN_NOTHING, BUILTIN_DEVICE, BUILTIN_DEVICE_COUNT, BUILTIN_SET_CONDITION };

/* Which one has the name; goes into call_site.builtin. */
enum builtin builtin_find(const char *name);

/* Writes what the worker's threads printed on standard output. The text is gone then, its room is kept. */
void builtin_flush(struct worker *worker);

#endif
