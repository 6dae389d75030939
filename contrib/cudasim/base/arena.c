/*
 * arena.c - memory that is freed as a whole. The PTX parser and the program builder allocate all lasting memory here.
 */
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>

struct arena_chunk {
    struct arena_chunk *next;     /* the one before */
    _Alignas(16) char bytes[];
};

enum { CHUNK_SMALL = 1 << 12, CHUNK_LARGE = 1 << 20 };

void *arena_alloc(struct arena *arena, size_t size)
{
    char *bytes;

    if (size > SIZE_MAX / 2)
        return NULL;
    size = size ? (size + 15) & ~(size_t)15 : 16; /* nothing has an address too: NULL means failure */
    if (size > arena->left) {
        /* Small modules are common, and broken ones more so: the first chunk is a page. */
        size_t room = arena->chunks ? CHUNK_LARGE : CHUNK_SMALL;
        struct arena_chunk *chunk;

        room = size > room / 4 ? size : room;
        chunk = malloc(sizeof *chunk + room);
        if (!chunk)
            return NULL;
        if (arena->chunks && room == size) {
            /* One of its own, so that the current chunk's rest is not lost. */
            chunk->next = arena->chunks->next;
            arena->chunks->next = chunk;
            return chunk->bytes;
        }
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->at = chunk->bytes;
        arena->left = room;
    }
    bytes = arena->at;
    arena->at += size;
    arena->left -= size;
    return bytes;
}

void arena_release(struct arena *arena)
{
    for (struct arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *arena = (struct arena){0};
}
