/*
 * hash.h - the hash and the size of tables of names with open addressing.
 */
#ifndef CUDASIM_HASH_H
#define CUDASIM_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Eight bytes at a time, mixed once more at the end, because tables use its low bits. */
static inline uint64_t hash_bytes(const void *data, size_t size)
{
    const unsigned char *p = data;
    uint64_t hash = 0xCBF29CE484222325u ^ size;

    for (; size >= sizeof hash; p += sizeof hash, size -= sizeof hash) {
        uint64_t word;

        memcpy(&word, p, sizeof word);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    while (size--)
        hash = (hash ^ *p++) * 0x100000001B3u;
    return hash ^ hash >> 29;
}

/* Places for `count` entries, a power of two: half of them stay free. */
static inline size_t hash_places(size_t count)
{
    size_t places = 16;

    while (places < 2 * count + 2)
        places *= 2;
    return places;
}

#endif
