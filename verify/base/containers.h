/*
 * containers.h - where the containers of device code lie in a .nv_fatbin section, as nvcc 12 and 13 write it.
 *
 *     container   +0 magic 0xBA55ED50   +6 u16 bytes of this header   +8 u64 bytes of what follows (little-endian)
 *
 * A container begins at a multiple of 8, and there are only zeros between two. The host reads the code of what this
 * walk finds, and the runner lets nothing else be registered: a container inside another one is none for either.
 */
#ifndef VERIFY_CONTAINERS_H
#define VERIFY_CONTAINERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CONTAINER_MAGIC UINT32_C(0xBA55ED50)

enum { CONTAINER_HEADER = 16, CONTAINER_STEP = 8 }; /* bytes */

/* Places in the section: of the container, of what follows its header, and of its end. */
struct container {
    size_t start, entries, end;
};

enum container_step { CONTAINER_NONE, CONTAINER_FOUND, CONTAINER_TOO_LONG, CONTAINER_STRAY };

/* The first container from *place on, which is moved to its end; or why there is none: the section has ended, the
 * container is longer than it, or something else stands there. */
static inline enum container_step container_next(const unsigned char *section, size_t size, size_t *place,
                                                 struct container *found)
{
    size_t at = (*place + CONTAINER_STEP - 1) / CONTAINER_STEP * CONTAINER_STEP;
    uint32_t magic;
    uint16_t header;
    uint64_t entries;

    for (size_t i = *place; i < at && i < size; i++)
        if (section[i])
            return CONTAINER_STRAY;
    for (; at < size && section[at] == 0; at++)
        ;
    if (at >= size)
        return CONTAINER_NONE;
    if (at % CONTAINER_STEP != 0 || size - at < CONTAINER_HEADER)
        return CONTAINER_STRAY;
    memcpy(&magic, section + at, sizeof magic);
    memcpy(&header, section + at + 6, sizeof header);
    memcpy(&entries, section + at + 8, sizeof entries);
    if (magic != CONTAINER_MAGIC)
        return CONTAINER_STRAY;
    if (header < CONTAINER_HEADER || header > size - at || entries > size - at - header)
        return CONTAINER_TOO_LONG;
    *found = (struct container){ at, at + header, at + header + (size_t)entries };
    *place = found->end;
    return CONTAINER_FOUND;
}

/* Whether a container begins at `start`. */
static inline bool container_begins(const unsigned char *section, size_t size, size_t start)
{
    struct container found;

    for (size_t place = 0; container_next(section, size, &place, &found) == CONTAINER_FOUND;)
        if (found.start == start)
            return true;
    return false;
}

#endif
