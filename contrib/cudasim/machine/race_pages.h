/*
 * race_pages.h - the last accesses to global memory, in pages. A launch takes pages as it touches memory.
 */
#ifndef CUDASIM_RACE_PAGES_H
#define CUDASIM_RACE_PAGES_H

#include <stdint.h>

struct memory;
struct pages;

#define PAGE_SHIFT 12
#define PAGE_BYTES (1u << PAGE_SHIFT) /* of the device's memory */

/* What is kept of a page of the device's memory. */
struct page {
    uint32_t index[2];   /* of its entries of writes and of reads in the pool, plus 1; 0: none yet */
    uint32_t touched[2]; /* first time of the launch that wrote, or read, there last */
};
enum { PAGE_WRITES, PAGE_READS };

/* NULL: no memory. */
struct pages *pages_create(struct memory *memory);
void pages_destroy(struct pages *pages);

/*
 * A launch begins, with entries for units of 1 << unit_shift bytes. Returns its first time, which is above all times of
 * earlier launches. This distinguishes their entries. Above `most` all entries are forgotten, and time begins at 1. No
 * launch may be running.
 */
uint32_t pages_begin(struct pages *pages, unsigned unit_shift, uint32_t most);

/* The launch has reached `time`. Several threads may call it at once. */
void pages_end(struct pages *pages, uint32_t time);

/* The page that holds `address`; NULL: memory that is not the device's own. */
struct page *pages_find(struct pages *pages, uint64_t address);

/*
 * Its entries, one per unit. It makes them if there are none. At first they are of earlier launches, or zero. NULL if
 * the launch touches more than the pool holds. Several threads may call it at once.
 */
uint64_t *pages_entries(struct pages *pages, struct page *page, int of);

#endif
