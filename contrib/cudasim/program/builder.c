/*
 * builder.c - the base of all steps of a build: errors, permanent and temporary memory, constants.
 *
 * This file and base/ make every allocation of the build. If one fails, the build ends. So the steps need no checks of
 * their own. Nothing is lost, because program_build() frees all that the builder has.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/base/hash.h"

void build_fail(struct builder *b, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    b->error->line = b->statement ? b->statement->line : 0;
    vsnprintf(b->error->message, sizeof b->error->message, format, arguments);
    va_end(arguments);
    longjmp(*b->fail, 1);
}

void build_exhausted(struct builder *b)
{
    b->exhausted = true;
    build_fail(b, "out of memory");
}

/* ---- memory ---- */

static void *zeroed(struct builder *b, struct arena *arena, size_t size)
{
    void *bytes = arena_alloc(arena, size);

    if (!bytes)
        build_exhausted(b);
    return memset(bytes, 0, size);
}

void *build_alloc(struct builder *b, size_t size)
{
    return zeroed(b, &b->program->arena, size);
}

void *build_scratch(struct builder *b, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        build_exhausted(b);
    return zeroed(b, &b->scratch, bytes);
}

void build_scratch_end(struct builder *b)
{
    arena_release(&b->scratch);
}

void *build_grow(struct builder *b, void *items, size_t count, size_t *capacity, size_t size)
{
    size_t room = *capacity ? *capacity * 2 : 256;
    void *grown;

    if (count < *capacity)
        return items;
    grown = realloc(items, room * size);
    if (!grown)
        build_exhausted(b);
    *capacity = room;
    return grown;
}

/* ---- constants ---- */

/* The place of the constant in the index, or the free one where it belongs. */
static struct pool_entry *pool_place(const struct builder *b, const struct pool_entry *key)
{
    const uint64_t words[] = {key->low, key->high, key->bytes};

    for (size_t at = hash_bytes(words, sizeof words);; at++) {
        struct pool_entry *e = &b->pool_index[at & (b->pool_index_places - 1)];

        if (!e->slot || (e->low == key->low && e->high == key->high && e->bytes == key->bytes))
            return e;
    }
}

static void grow_pool_index(struct builder *b)
{
    struct pool_entry *old = b->pool_index;
    size_t old_places = b->pool_index_places, places = hash_places(2 * b->pool_index_count + 100);
    struct pool_entry *grown = calloc(places, sizeof *grown);

    if (!grown)
        build_exhausted(b);
    b->pool_index = grown;
    b->pool_index_places = places;
    for (size_t n = 0; n < old_places; n++)
        if (old[n].slot)
            *pool_place(b, &old[n]) = old[n];
    free(old);
}

static void grow_pool(struct builder *b, size_t need)
{
    size_t capacity = b->pool_capacity ? 2 * b->pool_capacity : 65536;
    void *pool = NULL;

    if (b->pool_size + need <= b->pool_capacity)
        return;
    while (capacity < b->pool_size + need)
        capacity *= 2;
    if (posix_memalign(&pool, 128, capacity))
        build_exhausted(b);
    memset(pool, 0, capacity);
    if (b->pool)
        memcpy(pool, b->pool, b->pool_size);
    free(b->pool);
    b->pool = pool;
    b->pool_capacity = capacity;
}

slot constant(struct builder *b, uint64_t low, uint64_t high, unsigned bytes)
{
    struct pool_entry key = {low, high, bytes, 0}, *e;
    size_t need = bytes <= 4 ? 128 : bytes * 32;

    if (bytes == 4)
        key.low &= 0xFFFFFFFFu;
    if (bytes == 2)
        key.low &= 0xFFFFu;
    if (bytes < 16)
        key.high = 0;
    if (2 * (b->pool_index_count + 1) > b->pool_index_places)
        grow_pool_index(b);
    e = pool_place(b, &key);
    if (e->slot)
        return e->slot;
    grow_pool(b, need);
    for (int l = 0; l < LANES; l++) {
        char *p = b->pool + b->pool_size + (size_t)l * bytes;

        memcpy(p, &key.low, bytes > 8 ? 8 : bytes);
        if (bytes > 8)
            memcpy(p + 8, &key.high, 8);
    }
    key.slot = (slot)b->pool_size | 1;
    *e = key;
    b->pool_index_count++;
    b->pool_size += need;
    return key.slot;
}
