/*
 * map.c - looks up pointers by pointers: kernels by host stubs, variables by shadows, kinds by live handles.
 *
 * Open addressing with linear probing. Removal closes the gap. So lookups stay short, however many events the program
 * creates and destroys.
 */
#include "runtime.h"

#include <stdlib.h>

static size_t slot_of(const struct pointer_map *map, const void *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15);

    return (size_t)(hash >> 32) & (map->capacity - 1);
}

/* The slot that holds the key, or the free slot where it belongs. There is always a free slot. */
static size_t find(const struct pointer_map *map, const void *key)
{
    size_t slot = slot_of(map, key);

    while (map->keys[slot] && map->keys[slot] != key)
        slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

static bool grow(struct pointer_map *map)
{
    struct pointer_map larger = { .capacity = map->capacity ? map->capacity * 2 : 64, .count = map->count };

    larger.keys = calloc(larger.capacity, sizeof *larger.keys);
    larger.values = calloc(larger.capacity, sizeof *larger.values);
    if (!larger.keys || !larger.values) {
        free(larger.keys);
        free(larger.values);
        return false;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->keys[i]) {
            size_t slot = find(&larger, map->keys[i]);

            larger.keys[slot] = map->keys[i];
            larger.values[slot] = map->values[i];
        }
    }
    free(map->keys);
    free(map->values);
    *map = larger;
    return true;
}

void *map_get(const struct pointer_map *map, const void *key)
{
    size_t slot;

    if (!map->capacity || !key)
        return NULL;
    slot = find(map, key);
    return map->keys[slot] ? map->values[slot] : NULL;
}

bool map_put(struct pointer_map *map, const void *key, void *value)
{
    size_t slot;

    if (!value) {
        map_remove(map, key);
        return true;
    }
    if (map->count * 2 >= map->capacity && !grow(map))
        return false;
    slot = find(map, key);
    map->count += !map->keys[slot];
    map->keys[slot] = key;
    map->values[slot] = value;
    return true;
}

void map_remove(struct pointer_map *map, const void *key)
{
    size_t hole, slot;

    if (!map->capacity || !key)
        return;
    hole = find(map, key);
    if (!map->keys[hole])
        return;
    map->count--;
    slot = hole;
    for (;;) {
        map->keys[hole] = NULL;
        map->values[hole] = NULL;
        /* The next of the run that may move up: its own slot does not lie between the hole and it. */
        do {
            slot = (slot + 1) & (map->capacity - 1);
            if (!map->keys[slot])
                return;
        } while (((slot - slot_of(map, map->keys[slot])) & (map->capacity - 1)) <
                 ((slot - hole) & (map->capacity - 1)));
        map->keys[hole] = map->keys[slot];
        map->values[hole] = map->values[slot];
        hole = slot;
    }
}

void map_release(struct pointer_map *map)
{
    free(map->keys);
    free(map->values);
    *map = (struct pointer_map){ 0 };
}
