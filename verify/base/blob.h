/*
 * blob.h - a flat run of bytes with an owner: an input, an answer or an output.
 */
#ifndef VERIFY_BLOB_H
#define VERIFY_BLOB_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/* Inputs and outputs start at a multiple of this many bytes, on both sides of the trust boundary. */
enum { BLOB_ALIGNMENT = 4096 };

/* Owned memory; all zero is an empty blob. */
struct blob {
    unsigned char *data; /* [size], aligned to BLOB_ALIGNMENT; NULL when size is 0 */
    size_t size;         /* bytes */
    size_t mapped;       /* bytes of a mapping of its own; 0 for memory of the heap */
};

/* Several that lie one behind the other: bytes from one of that size to the next, and those of all `count` of them. */
static inline size_t blob_pitch(size_t size)
{
    return (size + BLOB_ALIGNMENT - 1) / BLOB_ALIGNMENT * BLOB_ALIGNMENT;
}

static inline size_t blob_span(size_t size, size_t count) { return (count - 1) * blob_pitch(size) + size; }

/* Replaces *blob by `size` zero bytes. Fails when memory is exhausted. */
bool blob_alloc(struct blob *blob, size_t size, struct error *error);

/* Releases the memory and leaves an empty blob. */
void blob_release(struct blob *blob);

/* Reads a whole regular file. Refuses a missing or unreadable file, or one over `limit` bytes, and names it. */
bool blob_read_file(struct blob *blob, const char *path, size_t limit, struct error *error);

#endif
