/*
 * memory_span.c - spans of the device's address range: cut from free space, kept for a while after their free, reused.
 *
 * A span is LIVE, then QUARANTINED (its record stays, its pages are given back), then FREE (merged with free
 * neighbours, kept in bins by size). The oldest span leaves the quarantine when the quarantine is too long or when no
 * address is left.
 *
 * Records are reused as late as possible. A caller that keeps a region across 65536 later frees may find another one
 * there. memory.c calls this file, and holds the lock for writing.
 */
#include "memory_span.h"

#include <string.h>
#include <sys/mman.h>

enum {
    BIN_TRIES = 32,            /* spans of a bin that are looked at before a larger bin is */
    QUARANTINE_REGIONS = 65536,
    SPARE_RECORDS = 4096       /* dropped records that wait before one is used again */
};

#define COMMIT_STEP (UINT64_C(64) << 20)

/* ---- records and queues ---- */

static void queue_append(struct memory *memory, struct queue *queue, uint32_t index)
{
    struct record *record = &memory->records[index];

    record->next = 0;
    record->previous = queue->last;
    if (queue->last)
        memory->records[queue->last].next = index;
    else
        queue->first = index;
    queue->last = index;
    queue->count++;
    queue->bytes += record->region.size;
}

static uint32_t queue_pop(struct memory *memory, struct queue *queue)
{
    uint32_t index = queue->first;
    struct record *record = &memory->records[index];

    queue->first = record->next;
    if (queue->first)
        memory->records[queue->first].previous = 0;
    else
        queue->last = 0;
    queue->count--;
    queue->bytes -= record->region.size;
    return index;
}
uint32_t record_take(struct memory *memory)
{
    uint32_t index;
    struct region *region;

    if (memory->record_count < memory->record_limit && memory->spares.count < SPARE_RECORDS)
        return memory->record_count++;
    if (memory->spares.count == 0)
        return 0;
    index = queue_pop(memory, &memory->spares);
    region = &memory->records[index].region;
    set_bounds(region, 0, 0);
    __atomic_store_n(&region->freed, false, __ATOMIC_RELAXED);
    __atomic_store_n(&region->written, false, __ATOMIC_RELAXED);
    region->read_only = region->managed = false;
    region->flags = 0;
    region->name = NULL;
    region->span = 0;
    memory->records[index].lower = memory->records[index].upper = 0;
    memory->records[index].previous = memory->records[index].next = 0;
    return index;
}

void record_drop(struct memory *memory, uint32_t index)
{
    struct record *record = &memory->records[index];

    set_bounds(&record->region, 0, 0);
    record->state = SPARE;
    queue_append(memory, &memory->spares, index);
}

/* Whether `count` records can be taken. */
static bool have_records(const struct memory *memory, uint32_t count)
{
    return (uint64_t)(memory->record_limit - memory->record_count) + memory->spares.count >= count;
}

/* ---- free spans ---- */

static unsigned bin_of(uint64_t span)
{
    return 63 - (unsigned)__builtin_clzll(span);
}

static void bin_insert(struct memory *memory, uint32_t index)
{
    struct record *record = &memory->records[index];
    unsigned bin = bin_of(record->region.span);

    record->state = FREE;
    record->previous = 0;
    record->next = memory->bins[bin];
    if (record->next)
        memory->records[record->next].previous = index;
    memory->bins[bin] = index;
    memory->filled_bins |= UINT64_C(1) << bin;
}

static void bin_remove(struct memory *memory, uint32_t index)
{
    struct record *record = &memory->records[index];
    unsigned bin = bin_of(record->region.span);

    if (record->previous)
        memory->records[record->previous].next = record->next;
    else
        memory->bins[bin] = record->next;
    if (record->next)
        memory->records[record->next].previous = record->previous;
    if (!memory->bins[bin])
        memory->filled_bins &= ~(UINT64_C(1) << bin);
}

/* Puts span `index` between `lower` and what was above it. */
static void link_span(struct memory *memory, uint32_t index, uint32_t lower)
{
    struct record *record = &memory->records[index];

    record->lower = lower;
    record->upper = lower ? memory->records[lower].upper : memory->lowest;
    if (lower)
        memory->records[lower].upper = index;
    else
        memory->lowest = index;
    if (record->upper)
        memory->records[record->upper].lower = index;
    else
        memory->highest = index;
}

static void unlink_span(struct memory *memory, uint32_t index)
{
    const struct record *record = &memory->records[index];

    if (record->lower)
        memory->records[record->lower].upper = record->upper;
    else
        memory->lowest = record->upper;
    if (record->upper)
        memory->records[record->upper].lower = record->lower;
    else
        memory->highest = record->lower;
}

void span_give_back(const struct memory *memory, uint64_t first, uint64_t end)
{
    first = round_up(first, memory->page);
    end = end / memory->page * memory->page;
    if (first < end)
        madvise((void *)(uintptr_t)first, end - first, MADV_DONTNEED);
}

/* Clears the bits of `size` bytes at `base`, a multiple of GRANULE. Whole pages of bits are given back instead. */
static void clear_bits(struct memory *memory, uint64_t base, uint64_t size)
{
    uint64_t first = (uintptr_t)memory->bits + (base - memory->origin) / 8, end = first + (size + 7) / 8;
    uint64_t inner = round_up(first, memory->page), inner_end = end / memory->page * memory->page;

    if (inner >= inner_end) {
        memset((void *)(uintptr_t)first, 0, end - first);
        return;
    }
    memset((void *)(uintptr_t)first, 0, inner - first);
    span_give_back(memory, inner, inner_end);
    memset((void *)(uintptr_t)inner_end, 0, end - inner_end);
}

/* Makes the oldest span of the quarantine free, merged with its free neighbours. Returns it, or 0 if it became top. */
static uint32_t drop_oldest(struct memory *memory)
{
    uint32_t index = queue_pop(memory, &memory->quarantine), other;
    struct record *record = &memory->records[index];
    struct region *region = &record->region;

    clear_bits(memory, region->base, region->size);
    set_bounds(region, region->base, 0);
    other = record->lower;
    if (other && memory->records[other].state == FREE) {
        bin_remove(memory, other);
        set_bounds(region, memory->records[other].region.base, 0);
        region->span += memory->records[other].region.span;
        unlink_span(memory, other);
        record_drop(memory, other);
    }
    other = record->upper;
    if (other && memory->records[other].state == FREE) {
        bin_remove(memory, other);
        region->span += memory->records[other].region.span;
        unlink_span(memory, other);
        record_drop(memory, other);
    }
    if (!record->upper) {
        memory->top = region->base;
        unlink_span(memory, index);
        record_drop(memory, index);
        return 0;
    }
    bin_insert(memory, index);
    return index;
}

static bool span_fits(const struct memory *memory, uint32_t index, uint64_t span, uint64_t align)
{
    const struct region *region = &memory->records[index].region;

    return round_up(region->base, align) - region->base + span <= region->span;
}

static uint32_t find_free(const struct memory *memory, uint64_t span, uint64_t align)
{
    for (unsigned bin = bin_of(span); bin < BINS; bin++) {
        uint64_t rest = memory->filled_bins >> bin;
        uint32_t index;
        int tries = 0;

        if (!rest)
            return 0;
        bin += (unsigned)__builtin_ctzll(rest);
        for (index = memory->bins[bin]; index && tries < BIN_TRIES; tries++, index = memory->records[index].next)
            if (span_fits(memory, index, span, align))
                return index;
    }
    return 0;
}

/* Cuts `span` bytes out of the free span `index`: what is left below and above becomes free spans. */
static uint32_t carve(struct memory *memory, uint32_t index, uint64_t span, uint64_t align)
{
    struct region *region = &memory->records[index].region;
    uint64_t end = region->base + region->span, start = round_up(region->base, align);

    bin_remove(memory, index);
    if (start > region->base) {
        uint32_t below = record_take(memory);
        struct region *front = &memory->records[below].region;

        set_bounds(front, region->base, 0);
        front->span = start - region->base;
        link_span(memory, below, memory->records[index].lower);
        bin_insert(memory, below);
    }
    if (end - start - span > 0) {
        uint32_t above = record_take(memory);
        struct region *back = &memory->records[above].region;

        set_bounds(back, start + span, 0);
        back->span = end - start - span;
        link_span(memory, above, index);
        bin_insert(memory, above);
    }
    set_bounds(region, start, 0);
    region->span = span;
    return index;
}

/* A span from the part of the range that was never used; 0 if too little is left. */
static uint32_t extend(struct memory *memory, uint64_t span, uint64_t align)
{
    uint64_t start = round_up(memory->top, align), end = memory->origin + memory->range;
    uint32_t index;

    if (start >= end || end - start < span)
        return 0;
    if (start + span > memory->committed) {
        uint64_t wanted = least(end, round_up(start + span, COMMIT_STEP));

        if (mprotect((void *)(uintptr_t)memory->committed, wanted - memory->committed, PROT_READ | PROT_WRITE) < 0)
            return 0;
        memory->committed = wanted;
    }
    index = record_take(memory);
    set_bounds(&memory->records[index].region, start, 0);
    memory->records[index].region.span = span;
    if (memory->highest)
        memory->records[memory->highest].region.span += start - memory->top;
    link_span(memory, index, memory->highest);
    memory->top = start + span;
    return index;
}

void span_enter(struct memory *memory, uint32_t index)
{
    const struct region *region = &memory->records[index].region;
    uint64_t at = region->base - memory->origin, end = at + region->span;

    while (at < end) {
        uint64_t chunk = at / CHUNK, stop = least(end, (chunk + 1) * CHUNK);

        if (stop - at == CHUNK) {
            atomic_store_explicit(&memory->chunks[chunk], index, memory_order_release);
        } else {
            for (uint64_t i = at / GRANULE; i < stop / GRANULE; i++)
                atomic_store_explicit(&memory->granules[i], index, memory_order_release);
            atomic_store_explicit(&memory->chunks[chunk], MIXED, memory_order_release);
        }
        at = stop;
    }
}

uint32_t span_make(struct memory *memory, uint64_t span, uint64_t align)
{
    uint32_t index;

    while (!have_records(memory, 2)) {
        if (memory->quarantine.count == 0)
            return 0;
        drop_oldest(memory);
        if (memory->quarantine.count == 0 && !have_records(memory, 2))
            return 0;
    }
    index = find_free(memory, span, align);
    if (index)
        return carve(memory, index, span, align);
    index = extend(memory, span, align);
    while (!index && memory->quarantine.count > 0) {
        uint32_t dropped = drop_oldest(memory);

        if (!dropped)
            index = extend(memory, span, align);
        else if (span_fits(memory, dropped, span, align))
            index = carve(memory, dropped, span, align);
    }
    return index;
}

void span_quarantine(struct memory *memory, uint32_t index)
{
    const struct region *region = &memory->records[index].region;

    memory->records[index].state = QUARANTINED;
    span_give_back(memory, region->base, region->base + region->span);
    queue_append(memory, &memory->quarantine, index);
    while (memory->quarantine.count > 1 &&
           (memory->quarantine.count > QUARANTINE_REGIONS || memory->quarantine.bytes > memory->range / 4))
        drop_oldest(memory);
}
