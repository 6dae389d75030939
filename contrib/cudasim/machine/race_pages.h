/*
 * race_pages.h - the last accesses to global memory, in pages. A launch takes pages as it touches memory.
 */
#ifndef CUDASIM_RACE_PAGES_H
#define CUDASIM_RACE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory;
struct pages;

#define PAGE_SHIFT 12
#define PAGE_BYTES (1u << PAGE_SHIFT) /* of the device's memory */
#define UNIT_SHIFT_MOST 3 /* a unit has at most 8 bytes */

/* What is kept of a page of the device's memory. */
struct page {
    uint32_t index[4];   /* of its entries in their pools, plus 1; 0: none yet */
    uint32_t touched[2]; /* first time of the launch that wrote, or read, there last */
};
enum { PAGE_WRITES, PAGE_READS, PAGE_WRITE_UNITS, PAGE_READ_UNITS }; /* words of sectors, entries of units */

/* How a page and its words are found. */
struct parts {
    char *base;     /* of the pool */
    uint64_t bytes; /* of it for one page */
};
struct page_map {
    uint64_t origin, range; /* of the device's memory */
    struct page *table;     /* [range / PAGE_BYTES] */
    struct parts parts[2];  /* of words of sectors, of entries of units */
    bool wide;              /* the processor has AVX-512: race_apart.h */
};
static inline const struct page_map *pages_map(const struct pages *pages)
{
    return (const struct page_map *)(const void *)pages;
}

/* `wide`: the processor has AVX-512, and it may be used. NULL: no memory. */
struct pages *pages_create(struct memory *memory, bool wide);
void pages_destroy(struct pages *pages);

/*
 * A launch begins, with units of 1 << unit_shift bytes. Returns its first time, which is above all times of
 * earlier launches. This distinguishes their entries. Above `most` all entries are forgotten, and time begins at 1. No
 * launch may be running.
 */
uint32_t pages_begin(struct pages *pages, unsigned unit_shift, uint32_t most);

/* The same for another launch of the same family: entries of its earlier launches stay. */
uint32_t pages_go_on(struct pages *pages);

/* The launch has reached `time`. Several threads may call it at once. */
void pages_end(struct pages *pages, uint32_t time);

/* The page that holds `address`; NULL: memory that is not the device's own. */
static inline struct page *pages_find(const struct pages *pages, uint64_t address)
{
    const struct page_map *m = pages_map(pages);

    return address - m->origin < m->range ? &m->table[(address - m->origin) >> PAGE_SHIFT] : NULL;
}

/* Its words, one per sector, or entries, one per unit; NULL if there are none yet. */
static inline uint64_t *pages_entries(const struct pages *pages, const struct page *page, int of)
{
    const struct parts *p = &pages_map(pages)->parts[of >= PAGE_WRITE_UNITS];
    uint32_t index = __atomic_load_n(&page->index[of], __ATOMIC_ACQUIRE);

    return index ? (uint64_t *)(void *)(p->base + (uint64_t)(index - 1) * p->bytes) : NULL;
}

/*
 * The same, but it makes them if there are none. At first they are of earlier launches, or zero. NULL if the launch
 * touches more than the pool holds. Several threads may call it at once.
 */
uint64_t *pages_make(struct pages *pages, struct page *page, int of);

#endif
