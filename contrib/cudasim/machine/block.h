/*
 * block.h - what launch.c asks of blocks.
 */
#ifndef CUDASIM_BLOCK_H
#define CUDASIM_BLOCK_H

#include "exec.h"

enum turn {
    TURN_DONE,     /* all threads of the group exited */
    TURN_BUSY,     /* goes on */
    TURN_SPINNING, /* every warp that could run waits for memory to change */
    TURN_FAULT     /* an error was recorded, here or by another worker */
};

/* Gives every warp of a block, or of all blocks of its cluster, a turn. */
enum turn group_turn(struct block *leader);

/* Releases the cluster's barrier if everybody has arrived. */
void cluster_check(struct block *block);

#endif
