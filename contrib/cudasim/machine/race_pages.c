/*
 * race_pages.c - the last accesses to global memory: a table of pages, and a pool for their entries.
 *
 * The pool is address space. A part of it costs memory when it is first used. If a launch touches more than the pool
 * holds, the rest is not checked. This file knows only that entries grow with time, not what they mean.
 */
#define _DEFAULT_SOURCE
#include "race_pages.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "contrib/cudasim/base/memory.h"

#define POOL_BYTES (1ull << 30)

struct pages {
    uint64_t origin, range;   /* of the device's memory */
    struct page *table;       /* [range / PAGE_BYTES] */
    size_t table_bytes;
    char *pool;
    uint64_t used;            /* bytes of it that belong to a page; may be above POOL_BYTES */
    uint64_t part_bytes;      /* of the pool, for the entries of one page */
    uint32_t **taken;         /* [POOL_BYTES / the least part_bytes]: the indices to be cleared */
    size_t taken_bytes;
    uint32_t time;            /* the last one of all launches so far */
    unsigned unit_shift;
};

static void *reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

struct pages *pages_create(struct memory *memory)
{
    struct pages *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->origin = memory_origin(memory);
    p->range = memory_range(memory);
    p->table_bytes = (p->range / PAGE_BYTES + 1) * sizeof *p->table;
    p->taken_bytes = POOL_BYTES / (sizeof(uint64_t) * (PAGE_BYTES >> 3)) * sizeof *p->taken;
    p->table = reserve(p->table_bytes);
    p->pool = reserve(POOL_BYTES);
    p->taken = reserve(p->taken_bytes);
    if (p->pool)
        madvise(p->pool, POOL_BYTES, MADV_HUGEPAGE); /* it is taken from one end to the other */
    if (p->table && p->pool && p->taken)
        return p;
    pages_destroy(p);
    return NULL;
}

void pages_destroy(struct pages *p)
{
    if (!p)
        return;
    if (p->table)
        munmap(p->table, p->table_bytes);
    if (p->pool)
        munmap(p->pool, POOL_BYTES);
    if (p->taken)
        munmap(p->taken, p->taken_bytes);
    free(p);
}

uint32_t pages_begin(struct pages *p, unsigned unit_shift, uint32_t most)
{
    uint64_t used = p->used < POOL_BYTES ? p->used : POOL_BYTES;
    bool fresh = p->time >= most;

    /* At least half of the pool is for each launch. */
    if (fresh || unit_shift != p->unit_shift || used > POOL_BYTES / 2) {
        for (uint64_t n = 0; p->part_bytes && n < used / p->part_bytes; n++)
            if (p->taken[n])
                *p->taken[n] = 0;
        p->used = 0;
    }
    if (fresh) {
        madvise(p->pool, POOL_BYTES, MADV_DONTNEED);
        madvise(p->table, p->table_bytes, MADV_DONTNEED);
        p->time = 0;
    }
    p->unit_shift = unit_shift;
    p->part_bytes = sizeof(uint64_t) * (PAGE_BYTES >> unit_shift);
    return ++p->time;
}

void pages_end(struct pages *p, uint32_t time)
{
    uint32_t seen = __atomic_load_n(&p->time, __ATOMIC_RELAXED);

    while (seen < time && !__atomic_compare_exchange_n(&p->time, &seen, time, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

struct page *pages_find(struct pages *p, uint64_t address)
{
    return address - p->origin < p->range ? &p->table[(address - p->origin) >> PAGE_SHIFT] : NULL;
}

uint64_t *pages_entries(struct pages *p, struct page *page, int of)
{
    uint32_t index = __atomic_load_n(&page->index[of], __ATOMIC_ACQUIRE), none = 0;
    uint64_t at;

    if (!index) {
        if (__atomic_load_n(&p->used, __ATOMIC_RELAXED) >= POOL_BYTES)
            return NULL;
        at = __atomic_fetch_add(&p->used, p->part_bytes, __ATOMIC_RELAXED);
        if (at + p->part_bytes > POOL_BYTES)
            return NULL;
        index = (uint32_t)(at / p->part_bytes) + 1;
        p->taken[index - 1] = NULL;
        if (__atomic_compare_exchange_n(&page->index[of], &none, index, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            p->taken[index - 1] = &page->index[of];
        else
            index = none; /* another was faster: its part is taken, ours stays unused */
    }
    return (uint64_t *)(void *)(p->pool + (uint64_t)(index - 1) * p->part_bytes);
}
