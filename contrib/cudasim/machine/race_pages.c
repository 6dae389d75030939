/*
 * race_pages.c - the last accesses to global memory: a table of pages, and pools for their entries.
 *
 * A pool is address space. A part of it costs memory when it is first used. If a launch touches more than a pool
 * holds, the rest is not checked. This file knows only that entries grow with time, not what they mean.
 */
#define _DEFAULT_SOURCE
#include "race_pages.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "race_sector.h"
#include "contrib/cudasim/base/memory.h"

#define POOL_BYTES (1ull << 30) /* of entries of units */
#define SMALL_BYTES (2ull << 20) /* of a pool in small pages: most programs touch less */
#define READY_BYTES (64ull << 10) /* of a pool that the system is asked for at once, in small pages */

/* Address space for what is kept of pages, all parts of the same size. */
struct pool {
    uint64_t bytes, used;  /* it has, and pages have; `used` may be above `bytes` */
    uint64_t ready;        /* bytes of the small pages that were asked for */
    uint32_t **taken;      /* [taken_bytes / 8]: by part, the indices to be cleared */
    size_t taken_bytes;
};

struct pages {
    struct page_map map;      /* first: pages_map() */
    size_t table_bytes;
    struct pool pools[2];     /* of words of sectors, of entries of units */
    uint32_t time;            /* the last one of all launches so far */
};

static void *reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

static bool pool_create(struct pool *p, struct parts *parts, uint64_t bytes)
{
    p->bytes = bytes;
    p->taken_bytes = bytes / (sizeof(uint64_t) * ((PAGE_BYTES >> UNIT_SHIFT_MOST) / SECTOR_UNITS)) * sizeof *p->taken;
    parts->base = reserve(bytes);
    p->taken = reserve(p->taken_bytes);
    if (parts->base) /* it is taken from one end to the other */
        madvise(parts->base + SMALL_BYTES, bytes - SMALL_BYTES, MADV_HUGEPAGE);
    return parts->base && p->taken;
}

static void pool_destroy(struct pool *p, struct parts *parts)
{
    if (parts->base)
        munmap(parts->base, p->bytes);
    if (p->taken)
        munmap(p->taken, p->taken_bytes);
}

/* Takes all parts back if pages have more than half. So at least half of the pool is for each launch. */
static void pool_begin(struct pool *p, struct parts *parts, uint64_t part_bytes, bool fresh)
{
    uint64_t used = p->used < p->bytes ? p->used : p->bytes;

    if (fresh || part_bytes != parts->bytes || used > p->bytes / 2) {
        for (uint64_t n = 0; parts->bytes && n < used / parts->bytes; n++)
            if (p->taken[n])
                *p->taken[n] = 0;
        p->used = 0;
    }
    if (fresh) {
        madvise(parts->base, p->bytes, MADV_DONTNEED);
        p->ready = 0;
    }
    parts->bytes = part_bytes;
}

struct pages *pages_create(struct memory *memory, bool wide)
{
    struct pages *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->map.origin = memory_origin(memory);
    p->map.range = memory_range(memory);
    p->map.wide = wide;
    p->table_bytes = (p->map.range / PAGE_BYTES + 1) * sizeof *p->map.table;
    if (pool_create(&p->pools[0], &p->map.parts[0], POOL_BYTES / SECTOR_UNITS) &&
        pool_create(&p->pools[1], &p->map.parts[1], POOL_BYTES) && (p->map.table = reserve(p->table_bytes)))
        return p;
    pages_destroy(p);
    return NULL;
}

void pages_destroy(struct pages *p)
{
    if (!p)
        return;
    if (p->map.table)
        munmap(p->map.table, p->table_bytes);
    pool_destroy(&p->pools[0], &p->map.parts[0]);
    pool_destroy(&p->pools[1], &p->map.parts[1]);
    free(p);
}

uint32_t pages_begin(struct pages *p, unsigned unit_shift, uint32_t most)
{
    bool fresh = p->time >= most;

    pool_begin(&p->pools[0], &p->map.parts[0], sizeof(uint64_t) * (PAGE_BYTES >> unit_shift) / SECTOR_UNITS, fresh);
    pool_begin(&p->pools[1], &p->map.parts[1], sizeof(uint64_t) * (PAGE_BYTES >> unit_shift), fresh);
    if (fresh) {
        madvise(p->map.table, p->table_bytes, MADV_DONTNEED);
        p->time = 0;
    }
    return ++p->time;
}

uint32_t pages_go_on(struct pages *p) { return ++p->time; }

void pages_end(struct pages *p, uint32_t time)
{
    uint32_t seen = __atomic_load_n(&p->time, __ATOMIC_RELAXED);

    while (seen < time && !__atomic_compare_exchange_n(&p->time, &seen, time, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/*
 * Makes memory ready for the pool up to `end`. Entries are read before they are written. Without this there would be
 * two page faults for each page, and the second one interrupts the processors of other workers.
 */
static void make_ready(struct pool *pool, const struct parts *parts, uint64_t end)
{
#ifdef MADV_POPULATE_WRITE
    uint64_t from = __atomic_load_n(&pool->ready, __ATOMIC_RELAXED);

    while (from < end && from < SMALL_BYTES)
        if (__atomic_compare_exchange_n(&pool->ready, &from, from + READY_BYTES, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            madvise(parts->base + from, READY_BYTES, MADV_POPULATE_WRITE); /* if it fails, there are page faults */
            from += READY_BYTES;
        }
#else
    (void)pool, (void)parts, (void)end;
#endif
}

uint64_t *pages_make(struct pages *p, struct page *page, int of)
{
    struct pool *pool = &p->pools[of >= PAGE_WRITE_UNITS];
    const struct parts *parts = &p->map.parts[of >= PAGE_WRITE_UNITS];
    uint32_t index = __atomic_load_n(&page->index[of], __ATOMIC_ACQUIRE), none = 0;
    uint64_t at;

    if (!index) {
        if (__atomic_load_n(&pool->used, __ATOMIC_RELAXED) >= pool->bytes)
            return NULL;
        at = __atomic_fetch_add(&pool->used, parts->bytes, __ATOMIC_RELAXED);
        if (at + parts->bytes > pool->bytes)
            return NULL;
        make_ready(pool, parts, at + parts->bytes);
        index = (uint32_t)(at / parts->bytes) + 1;
        pool->taken[index - 1] = NULL;
        if (__atomic_compare_exchange_n(&page->index[of], &none, index, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            pool->taken[index - 1] = &page->index[of];
        else
            index = none; /* another was faster: its part is taken, ours stays unused */
    }
    return (uint64_t *)(void *)(parts->base + (uint64_t)(index - 1) * parts->bytes);
}
