/*
 * feature_turns.h - the loops of a graph of blocks, of PTX or of machine code.
 */
#ifndef CUDASIM_FEATURE_TURNS_H
#define CUDASIM_FEATURE_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Block b leads to to[first_to[b] .. first_to[b + 1]). The others are filled by flow_complete(). */
struct flow {
    size_t count;               /* of blocks; the first one is where it begins */
    uint32_t *to, *first_to;
    uint32_t *from, *first_from; /* blocks that lead to block b, likewise */
    uint32_t *order;            /* [count] blocks: each after those that lead to it, but for jumps back */
};

/* Fills the lists of what leads to each block, and the order; what nothing leads to begins anew. False: no memory. */
bool flow_complete(struct flow *flow);
void flow_release(struct flow *flow);

enum { NO_LOOP = -1 };

/* A natural loop: a block that jumps back to one which it is only reached through, and what lies between. */
struct turn {
    uint32_t head;             /* the block that it is entered by, and jumps back to */
    uint32_t tail;             /* the last block that jumps back */
    bool *has;                 /* [blocks] whether it has the block, */
    size_t size;               /* and how many it has */
    int outer;                 /* the loop around it, or NO_LOOP */
};

/*
 * All loops of a complete flow, outer ones before those inside, to be freed with turns_free(). *of: [flow->count] the
 * innermost loop of each block, or NO_LOOP, to be freed. False: no memory.
 */
bool turns_find(const struct flow *flow, struct turn **turns, size_t *count, int **of);
void turns_free(struct turn *turns, size_t count);

#endif
