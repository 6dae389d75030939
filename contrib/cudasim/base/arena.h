/*
 * arena.h - memory that is freed as a whole: the memory of a parsed module or a program, and a parser's scratch.
 */
#ifndef CUDASIM_ARENA_H
#define CUDASIM_ARENA_H

#include <stddef.h>

/* All zero is an empty one. */
struct arena {
    struct arena_chunk *chunks; /* the newest first */
    char *at;                   /* the newest one's free bytes */
    size_t left;                /* how many */
};

/* `size` bytes at a multiple of 16, not cleared; NULL: out of memory. They live until arena_release(). */
void *arena_alloc(struct arena *arena, size_t size);

/* Frees all memory of the arena. The arena is empty after it. */
void arena_release(struct arena *arena);

#endif
