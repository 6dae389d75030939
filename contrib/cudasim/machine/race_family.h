/*
 * race_family.h - the order of grids that launch grids. A family is a launch of the host and all launches below it.
 *
 * No grid can wait for the grids that it launches. So what a thread did before its launch is ordered before the child,
 * and nothing that the parent does is ordered behind the child. Children of one grid are ordered if they are in one
 * stream, or if the later one is a tail launch. The null stream is one of each block. Grids run one after the other
 * here, so the later access meets the entries of the earlier one.
 *
 * Where the order is uncertain, accesses count as ordered, as in race_order.h.
 */
#ifndef CUDASIM_RACE_FAMILY_H
#define CUDASIM_RACE_FAMILY_H

#include "access.h"
#include "race_order.h"

/* Which other children of the same grid a child is ordered with. */
enum child_stream { CHILD_NULL, CHILD_NAMED, CHILD_TAIL, CHILD_FORGOTTEN };

/* The launch of a grid by a thread: what was before it. */
struct launch_point {
    struct launch_point *next; /* of the family's */
    uint32_t grid;       /* index of the launching grid in its family */
    uint32_t block;      /* the thread's block, by name, */
    unsigned warp, lane; /* and the thread in it */
    uint32_t time;       /* what the thread did up to it is before the launch */
    uint32_t t0, cluster_t0; /* as in struct block */
    bool others;         /* the thread knew something of other blocks: then all of theirs counts as before it */
    enum child_stream kind;
    uint64_t stream;     /* the handle, with CHILD_NAMED */
    struct order order;  /* the warp's; its knowledge of other blocks is not kept */
};

/* A grid that ran, or runs. */
struct family_grid {
    const struct launch_point *point; /* NULL: the host launched it, or it is one child too many */
    uint32_t first;      /* its first time; those of later grids are above all of its own */
    uint32_t depth;      /* of launches: 0 for the host's */
    uint32_t name_base;  /* of its blocks' names */
    uint32_t sides[2], ntid[3]; /* blocks in x and y, threads: to name a thread */
    bool waits;          /* its threads made streams wait for events, so streams count as ordered */
    char *name;          /* of its kernel */
};

/* A warp's access to global memory, by a grid that may launch: to name its line later. */
struct family_access {
    uint64_t who;        /* block, warp and time as in an entry */
    uint64_t low, high;  /* the first byte, and the one behind the last */
    const struct ins *ins;
    enum access access;
};
#define FAMILY_ACCESSES 4096

struct family {
    uint32_t start;      /* the first time of all */
    uint8_t shift;       /* of the units of global memory, for all of its grids */
    uint32_t names;      /* names of blocks given out */
    uint32_t points;     /* launches of kernels, noted or not */
    struct launch_point *last; /* of those that were noted, the newest first; owned */
    struct family_grid *grids; /* [count], in the order in which they ran */
    uint32_t count, capacity;
    uint32_t accesses_noted; /* since the family began */
    struct family_access accesses[FAMILY_ACCESSES]; /* a ring: the last ones */
};

/* The units of global memory, as a power of two of bytes, for a launch of the kernel in that family, or NULL. */
uint8_t family_shift(const struct family *family, const struct sim_kernel *kernel);

/* A launch of the family of *family begins. A launch of the host that may launch makes a family. False: no memory. */
bool family_begin(struct family **family, struct launch *l);
void family_end(struct family *family);

/* Notes that a thread launches. The family owns the result. NULL: not noted. */
struct launch_point *family_point(struct warp *w, unsigned lane, uint64_t stream);

/* A thread of the launch makes a stream wait for an event. */
void family_streams_wait(const struct launch *l);

/* Notes an access to global memory at w->address[], if the launch may launch. */
void family_note(const struct warp *w, const struct ins *ins, unsigned bytes, enum access access);

/* Whether the access of `e`, by an earlier grid of the family, is ordered before this grid. */
bool family_ordered(const struct launch *l, uint64_t e);

/*
 * "thread (1,0,0) of block (0,0,0) of parent, which launched this grid, read at file.cu:12", and what is missing. It is
 * the access of `e`, to `place`.
 */
void family_describe(const struct launch *l, uint64_t e, uint64_t place, enum access access, char *thread,
                     size_t thread_size, char *why, size_t why_size);

/* Whether `e` is of an earlier grid of the family. */
static inline bool family_other(const struct launch *l, uint32_t time)
{
    return l->family && time < l->start_time && time >= l->family->start;
}

#endif
