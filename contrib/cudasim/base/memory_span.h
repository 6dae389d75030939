/*
 * memory_span.h - the inside of the device's memory: the mappings, and their spans. Only memory.c and memory_span.c
 * include it.
 *
 * One mapping without backing is the device's address range. A second holds the records about it. It takes no memory
 * until it is used:
 *
 *     range     [ span | span | span | … | top: never used ]    a span is an allocation and the gap behind it
 *     bits      one bit for each byte of the range
 *     chunks    one entry for each 256 KiB: the span that covers all of it, or MIXED
 *     granules  one entry for each 64 bytes, looked at in MIXED chunks only
 *     records   one for each span, named by its index; 0 is none
 *
 * So a lookup is two loads and takes no lock. Threads that run a kernel's blocks ask for addresses all the time.
 * Entries of dropped spans are left as they are, because a record's own bounds are checked last.
 */
#ifndef CUDASIM_MEMORY_SPAN_H
#define CUDASIM_MEMORY_SPAN_H

#include <pthread.h>
#include <stdatomic.h>

#include "memory.h"
#include "round.h"

enum {
    GRANULE = 64,              /* bytes: every span is a multiple of it, and starts at one */
    CHUNK = 1 << 18,           /* bytes */
    BINS = 64                  /* free spans by the logarithm of their bytes */
};

#define MIXED UINT32_MAX

enum state { SPARE, LIVE, QUARANTINED, FREE };

struct record {
    struct region region; /* first, so that a region's address is its record's */
    enum state state;
    uint32_t lower, upper;    /* spans next to this one by address */
    uint32_t previous, next;  /* in a bin, the quarantine or the spare records */
};

/* Records in order of arrival, linked by `next`. */
struct queue {
    uint32_t first, last;
    uint32_t count;
    uint64_t bytes; /* asked for by the program */
};

struct memory {
    pthread_rwlock_t lock;
    void *mapping; /* holds the range, which begins at its first 2 MiB boundary */
    size_t mapping_size;
    void *notes; /* bits, chunks, granules, records */
    size_t notes_size;

    uint64_t origin; /* address of the range's first byte */
    uint64_t range;  /* bytes, a multiple of CHUNK */
    uint64_t limit;  /* bytes that allocations of device memory may have together */
    _Atomic uint64_t used;
    _Atomic uint64_t generation; /* releases so far */
    uint64_t serial;    /* of the last region */
    uint64_t page;      /* bytes */
    uint64_t top;       /* at this address and above there is no span: none was made, or all were dropped */
    uint64_t committed; /* address up to which the range is readable and writable */

    uint8_t *bits;              /* [range / 8] */
    _Atomic uint32_t *chunks;   /* [range / CHUNK] */
    _Atomic uint32_t *granules; /* [range / GRANULE] */
    struct record *records;     /* [record_limit] */
    uint32_t record_limit;
    uint32_t record_count; /* records ever used, the unused one at 0 included */

    uint32_t lowest, highest; /* spans by address */
    uint32_t bins[BINS];      /* first free span of 2^n bytes or more */
    uint64_t filled_bins;     /* bit n: bins[n] is not empty */
    struct queue quarantine;
    struct queue spares;

    uint32_t *adopted; /* [adopted_count] records by address */
    size_t adopted_count, adopted_capacity, adopted_freed;
};

static inline uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The bounds, read by memory_find() without the lock. */
static inline void set_bounds(struct region *region, uint64_t base, uint64_t size)
{
    __atomic_store_n(&region->size, 0, __ATOMIC_RELAXED); /* no mixture of old and new holds an address */
    __atomic_store_n(&region->base, base, __ATOMIC_RELEASE);
    __atomic_store_n(&region->size, size, __ATOMIC_RELEASE);
}

/*
 * The caller of each function holds the lock, for writing. Spans and records are named by their index; 0 is none.
 */

/* An unused record, or 0. The other fields of its region are cleared. */
uint32_t record_take(struct memory *memory);
void record_drop(struct memory *memory, uint32_t index);

/* Gives the whole pages of [first, end) back to the system; they read as zeros from then on. */
void span_give_back(const struct memory *memory, uint64_t first, uint64_t end);

/* A span of `span` bytes. If needed, it takes the oldest ones out of the quarantine. 0: there is no room. */
uint32_t span_make(struct memory *memory, uint64_t span, uint64_t align);

/* Enters the span in chunks and granules. */
void span_enter(struct memory *memory, uint32_t index);

/* Gives the pages of a span that was live back to the system, and keeps its record for a while. */
void span_quarantine(struct memory *memory, uint32_t index);

#endif
