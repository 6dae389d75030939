/*
 * block.h - barriers and clusters for bodies of instructions, and turns for launch.c.
 */
#ifndef CUDASIM_BLOCK_H
#define CUDASIM_BLOCK_H

#include "machine.h"

enum turn {
    TURN_DONE,     /* all threads of the group exited */
    TURN_BUSY,     /* goes on */
    TURN_SPINNING, /* every warp that could run waits for memory to change */
    TURN_FAULT     /* an error was recorded, here or by another worker */
};

/* A block, or all blocks of its cluster, starts; every warp of it has a turn. */
void group_begin(struct block *leader);
enum turn group_turn(struct block *leader);

/* All groups in flight wait for memory, and nobody changes it: reports one of their warps. */
void groups_report_waiting(struct worker *k);

bool block_stopped(const struct block *b);

/*
 * The lanes of the current split arrive at barrier `number` of `expected` threads (0: all of the block). They wait
 * there if `wait`. `truth`: for a barrier that reduces, the lanes whose predicate is true. Returns the next instruction
 * to run, or NULL.
 */
const struct ins *block_barrier(struct warp *w, const struct ins *ins, unsigned number, uint32_t expected, bool wait,
                                uint32_t truth);

/* barrier.cluster: the lanes of the current split arrive, and wait for those of all blocks of the cluster. */
const struct ins *cluster_arrive(struct warp *w, const struct ins *ins);
const struct ins *cluster_wait(struct warp *w, const struct ins *ins);

/* Names the block, or its cluster, in generic addresses of its shared memory. Those 255 apart have the same name. */
static inline uint64_t block_group(const struct block *b)
{
    return (b->cluster ? b->cluster[0]->number : b->number) % 255 + 1;
}

#endif
