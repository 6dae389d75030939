/*
 * memory.c - the device's memory, by libc and mmap alone; the device's code and the runtime's calls come here.
 *
 * One mapping without backing is the device's address range; a second holds what is known about it, also untouched
 * until needed:
 *
 *     range     [ span | span | span | … | top: never used ]    a span is an allocation and the gap behind it
 *     bits      one bit for each byte of the range
 *     chunks    one entry for each 256 KiB: the span that covers all of it, or MIXED
 *     granules  one entry for each 64 bytes, looked at in MIXED chunks only
 *     records   one for each span, named by its index; 0 is none
 *
 * So a lookup is two loads and takes no lock: threads that run a kernel's blocks ask for addresses all the time.
 * Entries of dropped spans are left as they are, because a record's own bounds are checked last.
 *
 * A span is LIVE, then QUARANTINED (its record stays, its pages are given back), then FREE (merged with free
 * neighbours, kept in bins by size). The oldest of the quarantine is dropped when the quarantine is too long or when
 * no address is left. Regions outside of the range (the program's own memory) are in a sorted array.
 *
 * A record is used again, but last of all: who holds a region across 65536 later frees may find another one there.
 */
#include "memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

enum {
    GRANULE = 64,              /* bytes: every span is a multiple of it, and starts at one */
    CHUNK = 1 << 18,           /* bytes */
    DEVICE_GAP = 256,          /* bytes behind an allocation that belong to nobody */
    HEAP_GAP = 16,             /* the same for malloc() in kernels, whose blocks are small and many */
    BINS = 64,                 /* free spans by the logarithm of their bytes */
    BIN_TRIES = 32,            /* spans of a bin that are looked at before a larger bin is */
    QUARANTINE_REGIONS = 65536,
    ADOPTED_FREED = 1024,      /* records of the program's own memory that are kept when it is no region any more */
    SPARE_RECORDS = 4096       /* dropped records that wait before one is used again */
};

#define MIXED UINT32_MAX
#define RECORDS_LEAST (UINT32_C(1) << 16)
#define RECORDS_MOST (UINT32_C(1) << 24)
#define RANGE_LEAST MIB(64)
#define COMMIT_STEP MIB(64)
#define FIRST_BYTE KIB(4) /* the range's first page is nobody's: what runs below the first allocation is seen */

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
    uint64_t top;       /* address from which on no span was ever made, or all were dropped */
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

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/*
 * Creation.
 */

/* Address space that may be taken: the limit of the process is for its own memory, too. */
static uint64_t address_space(void)
{
    static const int resources[] = {RLIMIT_AS, RLIMIT_DATA}; /* private mappings count as data since Linux 4.7 */
    uint64_t least = UINT64_MAX;
    struct rlimit limit;

    for (int i = 0; i < 2; i++)
        if (getrlimit(resources[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur / 4 * 3 < least)
            least = limit.rlim_cur / 4 * 3;
    return least;
}

static void *reserve(size_t size, int protection)
{
    void *at = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED)
        return NULL;
    madvise(at, size, MADV_DONTDUMP);
    return at;
}

/* Maps a range of `range` bytes and what belongs to it. */
static bool map_range(struct memory *memory, uint64_t range, uint64_t space)
{
    uint64_t records = range / KIB(1);
    uint64_t bits = range / 8, chunks = range / CHUNK * sizeof *memory->chunks;
    uint64_t granules = range / GRANULE * sizeof *memory->granules;
    unsigned char *notes;

    if (records < RECORDS_LEAST)
        records = RECORDS_LEAST;
    records = least(records, RECORDS_MOST);
    memory->mapping_size = range + MIB(2);
    memory->notes_size = bits + round_up(chunks, 64) + granules + records * sizeof *memory->records;
    if (memory->mapping_size + memory->notes_size > space)
        return false;
    memory->mapping = reserve(memory->mapping_size, PROT_NONE);
    if (!memory->mapping)
        return false;
    notes = memory->notes = reserve(memory->notes_size, PROT_READ | PROT_WRITE);
    if (!notes) {
        munmap(memory->mapping, memory->mapping_size);
        return false;
    }
    memory->range = range;
    memory->origin = round_up((uintptr_t)memory->mapping, MIB(2));
    memory->top = memory->origin + FIRST_BYTE;
    memory->committed = memory->origin;
    memory->bits = notes;
    memory->chunks = (void *)(notes + bits);
    memory->granules = (void *)(notes + bits + round_up(chunks, 64));
    memory->records = (void *)(notes + bits + round_up(chunks, 64) + granules);
    memory->record_limit = (uint32_t)records;
    memory->record_count = 1;
    return true;
}

struct memory *memory_create(uint64_t limit)
{
    struct memory *memory = calloc(1, sizeof *memory);
    uint64_t space = address_space(), range;
    bool mapped = false;

    if (!memory)
        return NULL;
    /* Twice the limit: for the gaps, the quarantine, and the memory of the host that is in the range, too. */
    range = round_up(2 * least(limit, GIB(16384)) + GIB(4), CHUNK);
    while (range >= RANGE_LEAST && !(mapped = map_range(memory, range, space)))
        range = round_up(range / 8 * 7, CHUNK);
    if (!mapped || pthread_rwlock_init(&memory->lock, NULL) != 0) {
        if (mapped) {
            munmap(memory->mapping, memory->mapping_size);
            munmap(memory->notes, memory->notes_size);
        }
        free(memory);
        return NULL;
    }
    memory->page = (uint64_t)sysconf(_SC_PAGESIZE);
    memory->limit = least(limit, range - range / 8);
    return memory;
}

void memory_destroy(struct memory *memory)
{
    if (!memory)
        return;
    munmap(memory->mapping, memory->mapping_size);
    munmap(memory->notes, memory->notes_size);
    pthread_rwlock_destroy(&memory->lock);
    free(memory->adopted);
    free(memory);
}

/*
 * Records and queues. From here to the public functions, the lock is held for writing.
 */

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

/* The bounds, read by memory_find() without the lock. */
static void set_bounds(struct region *region, uint64_t base, uint64_t size)
{
    __atomic_store_n(&region->size, 0, __ATOMIC_RELAXED); /* no mixture of old and new holds an address */
    __atomic_store_n(&region->base, base, __ATOMIC_RELEASE);
    __atomic_store_n(&region->size, size, __ATOMIC_RELEASE);
}

/* A record that nobody uses, or 0. The other fields of its region are cleared. */
static uint32_t take_record(struct memory *memory)
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
    region->read_only = false;
    region->flags = 0;
    region->name = NULL;
    region->span = 0;
    memory->records[index].lower = memory->records[index].upper = 0;
    memory->records[index].previous = memory->records[index].next = 0;
    return index;
}

static void drop_record(struct memory *memory, uint32_t index)
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

/*
 * Free spans.
 */

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

/* Gives the whole pages of [first, end) back to the system; they read as zeros from then on. */
static void give_back(const struct memory *memory, uint64_t first, uint64_t end)
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
    give_back(memory, inner, inner_end);
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
        drop_record(memory, other);
    }
    other = record->upper;
    if (other && memory->records[other].state == FREE) {
        bin_remove(memory, other);
        region->span += memory->records[other].region.span;
        unlink_span(memory, other);
        drop_record(memory, other);
    }
    if (!record->upper) {
        memory->top = region->base;
        unlink_span(memory, index);
        drop_record(memory, index);
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
        uint32_t below = take_record(memory);
        struct region *front = &memory->records[below].region;

        set_bounds(front, region->base, 0);
        front->span = start - region->base;
        link_span(memory, below, memory->records[index].lower);
        bin_insert(memory, below);
    }
    if (end - start - span > 0) {
        uint32_t above = take_record(memory);
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
    index = take_record(memory);
    set_bounds(&memory->records[index].region, start, 0);
    memory->records[index].region.span = span;
    if (memory->highest)
        memory->records[memory->highest].region.span += start - memory->top;
    link_span(memory, index, memory->highest);
    memory->top = start + span;
    return index;
}

/* Enters the span in chunks and granules. */
static void enter(struct memory *memory, uint32_t index)
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

/* A span of `span` bytes, at the cost of the quarantine's oldest if there is no other way; else 0. */
static uint32_t make_span(struct memory *memory, uint64_t span, uint64_t align)
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

/* Whether allocations of the kind are the device's memory, which is limited. */
static bool is_limited(enum region_kind kind)
{
    return kind == REGION_DEVICE || kind == REGION_POOL || kind == REGION_GLOBAL || kind == REGION_HEAP;
}

/* Whether what is in a new region is unknown. The host writes to its own memory unseen; variables are initialised. */
static bool is_unwritten(enum region_kind kind)
{
    return kind == REGION_DEVICE || kind == REGION_POOL || kind == REGION_HEAP;
}

struct region *memory_allocate(struct memory *memory, uint64_t size, uint64_t align, enum region_kind kind)
{
    uint64_t gap = kind == REGION_HEAP ? HEAP_GAP : DEVICE_GAP, lowest_align = kind == REGION_HEAP ? GRANULE : 256;
    struct region *region = NULL;
    uint64_t used;
    uint32_t index;

    if (align < lowest_align)
        align = lowest_align;
    if (size == 0 || size > memory->range || align > memory->range || (align & (align - 1)) != 0)
        return NULL;
    pthread_rwlock_wrlock(&memory->lock);
    used = atomic_load_explicit(&memory->used, memory_order_relaxed);
    if (is_limited(kind) && size > memory->limit - used)
        goto out;
    index = make_span(memory, round_up(size + gap, GRANULE), align);
    if (!index)
        goto out;
    region = &memory->records[index].region;
    memory->records[index].state = LIVE;
    region->kind = kind;
    region->serial = ++memory->serial;
    region->read_only = false;
    region->flags = 0;
    region->name = NULL;
    __atomic_store_n(&region->freed, false, __ATOMIC_RELAXED);
    __atomic_store_n(&region->written, !is_unwritten(kind), __ATOMIC_RELAXED);
    set_bounds(region, region->base, size);
    enter(memory, index);
    if (is_limited(kind))
        atomic_store_explicit(&memory->used, used + size, memory_order_relaxed);
out:
    pthread_rwlock_unlock(&memory->lock);
    return region;
}

/*
 * Lookup.
 */

static bool in_range(const struct memory *memory, uint64_t address)
{
    return address - memory->origin < memory->range;
}

/* The span that `address` may lie in, or 0; its bounds are still to be checked. Takes no lock. */
static uint32_t span_near(const struct memory *memory, uint64_t address)
{
    uint64_t at = address - memory->origin;
    uint32_t index = atomic_load_explicit(&memory->chunks[at / CHUNK], memory_order_acquire);

    if (index == MIXED)
        index = atomic_load_explicit(&memory->granules[at / GRANULE], memory_order_acquire);
    return index;
}

static bool holds(const struct region *region, uint64_t address)
{
    uint64_t size = __atomic_load_n(&region->size, __ATOMIC_ACQUIRE);

    return address - __atomic_load_n(&region->base, __ATOMIC_ACQUIRE) < size;
}

/* How many adopted regions start at `address` or below it. */
static size_t adopted_up_to(const struct memory *memory, uint64_t address)
{
    size_t low = 0, high = memory->adopted_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (memory->records[memory->adopted[middle]].region.base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The live region with the greatest end that is not above `address`, or NULL. */
static const struct region *find_below(const struct memory *memory, uint64_t address)
{
    const struct region *best = NULL;
    uint32_t index = memory->highest;

    if (in_range(memory, address)) {
        uint32_t near = span_near(memory, address);
        const struct record *record = &memory->records[near];

        /* Entries of dropped spans are stale. */
        if (near && (record->state == LIVE || record->state == QUARANTINED) &&
            address - record->region.base < record->region.span)
            index = near;
    }
    for (; index; index = memory->records[index].lower) {
        const struct record *record = &memory->records[index];

        if (record->state == LIVE && record->region.base + record->region.size <= address) {
            best = &record->region;
            break;
        }
    }
    for (size_t i = adopted_up_to(memory, address); i-- > 0;) {
        const struct region *region = &memory->records[memory->adopted[i]].region;

        if (region->freed || region->base + region->size > address)
            continue;
        if (!best || region->base > best->base)
            best = region;
        break;
    }
    return best;
}

static struct region *find_adopted(const struct memory *memory, uint64_t address)
{
    size_t count = adopted_up_to(memory, address);
    struct region *region = count ? &memory->records[memory->adopted[count - 1]].region : NULL;

    return region && holds(region, address) ? region : NULL;
}

static struct region *find_region(struct memory *memory, uint64_t address)
{
    struct region *region = NULL;

    if (in_range(memory, address)) {
        uint32_t index = span_near(memory, address);

        if (index && holds(&memory->records[index].region, address))
            region = &memory->records[index].region;
        return region;
    }
    pthread_rwlock_rdlock(&memory->lock);
    region = find_adopted(memory, address);
    pthread_rwlock_unlock(&memory->lock);
    return region;
}

const struct region *memory_find(struct memory *memory, uint64_t address, const struct region **below)
{
    const struct region *region = find_region(memory, address);

    if (below) {
        pthread_rwlock_rdlock(&memory->lock);
        *below = find_below(memory, address);
        pthread_rwlock_unlock(&memory->lock);
    }
    return region;
}

/*
 * The program's own memory.
 */

/* Takes the adopted regions [first, end) out of the array. */
static void forget_adopted(struct memory *memory, size_t first, size_t end)
{
    if (first == end)
        return;
    for (size_t i = first; i < end; i++)
        drop_record(memory, memory->adopted[i]);
    memory->adopted_freed -= end - first;
    memmove(memory->adopted + first, memory->adopted + end,
            (memory->adopted_count - end) * sizeof *memory->adopted);
    memory->adopted_count -= end - first;
}

static void forget_all_freed(struct memory *memory)
{
    size_t kept = 0;

    for (size_t i = 0; i < memory->adopted_count; i++) {
        uint32_t index = memory->adopted[i];

        if (memory->records[index].region.freed)
            drop_record(memory, index);
        else
            memory->adopted[kept++] = index;
    }
    memory->adopted_count = kept;
    memory->adopted_freed = 0;
}

/* Makes room in the array for one more. */
static bool grow_adopted(struct memory *memory)
{
    size_t capacity = memory->adopted_capacity ? 2 * memory->adopted_capacity : 64;
    uint32_t *larger;

    if (memory->adopted_count < memory->adopted_capacity)
        return true;
    larger = realloc(memory->adopted, capacity * sizeof *larger);
    if (!larger)
        return false;
    memory->adopted = larger;
    memory->adopted_capacity = capacity;
    return true;
}

struct region *memory_adopt(struct memory *memory, void *base, uint64_t size, enum region_kind kind)
{
    uint64_t start = (uintptr_t)base, end;
    struct region *region = NULL;
    size_t first, stop;
    uint32_t index;

    if (size == 0 || __builtin_add_overflow(start, size, &end) ||
        (start < memory->origin + memory->range && end > memory->origin))
        return NULL;
    pthread_rwlock_wrlock(&memory->lock);
    stop = adopted_up_to(memory, end - 1);
    for (first = stop; first > 0; first--) {
        const struct region *other = &memory->records[memory->adopted[first - 1]].region;

        if (other->base + other->size <= start)
            break;
        if (!other->freed)
            goto out;
    }
    forget_adopted(memory, first, stop);
    if (!grow_adopted(memory) || !(index = take_record(memory)))
        goto out;
    memmove(memory->adopted + first + 1, memory->adopted + first,
            (memory->adopted_count - first) * sizeof *memory->adopted);
    memory->adopted[first] = index;
    memory->adopted_count++;
    memory->records[index].state = LIVE;
    region = &memory->records[index].region;
    region->kind = kind;
    region->serial = ++memory->serial;
    region->read_only = false;
    region->written = true;
    set_bounds(region, start, size);
out:
    pthread_rwlock_unlock(&memory->lock);
    return region;
}

/*
 * Release, and the rest.
 */

static void quarantine(struct memory *memory, uint32_t index)
{
    struct region *region = &memory->records[index].region;

    memory->records[index].state = QUARANTINED;
    if (is_limited(region->kind))
        atomic_fetch_sub_explicit(&memory->used, region->size, memory_order_relaxed);
    give_back(memory, region->base, region->base + region->span);
    queue_append(memory, &memory->quarantine, index);
    while (memory->quarantine.count > 1 &&
           (memory->quarantine.count > QUARANTINE_REGIONS || memory->quarantine.bytes > memory->range / 4))
        drop_oldest(memory);
}

bool memory_release(struct memory *memory, uint64_t address)
{
    struct region *region;
    bool ok = false;

    pthread_rwlock_wrlock(&memory->lock);
    if (in_range(memory, address)) {
        uint32_t index = span_near(memory, address);

        region = index ? &memory->records[index].region : NULL;
        if (region && memory->records[index].state == LIVE && region->base == address) {
            __atomic_store_n(&region->freed, true, __ATOMIC_RELEASE);
            quarantine(memory, index);
            ok = true;
        }
    } else {
        region = find_adopted(memory, address);
        if (region && region->base == address && !region->freed) {
            __atomic_store_n(&region->freed, true, __ATOMIC_RELEASE);
            if (++memory->adopted_freed > ADOPTED_FREED)
                forget_all_freed(memory);
            ok = true;
        }
    }
    pthread_rwlock_unlock(&memory->lock);
    if (ok)
        memory->generation++;
    return ok;
}

void memory_visit(struct memory *memory, void (*visit)(const struct region *, void *), void *context)
{
    size_t i = 0;

    pthread_rwlock_rdlock(&memory->lock);
    for (; i < memory->adopted_count && memory->records[memory->adopted[i]].region.base < memory->origin; i++)
        if (!memory->records[memory->adopted[i]].region.freed)
            visit(&memory->records[memory->adopted[i]].region, context);
    for (uint32_t index = memory->lowest; index; index = memory->records[index].upper)
        if (memory->records[index].state == LIVE)
            visit(&memory->records[index].region, context);
    for (; i < memory->adopted_count; i++)
        if (!memory->records[memory->adopted[i]].region.freed)
            visit(&memory->records[memory->adopted[i]].region, context);
    pthread_rwlock_unlock(&memory->lock);
}

/* Sets the bits of [first, end), counted from the origin. Kernels may set others of the same bytes meanwhile. */
static void set_bits(uint8_t *bits, uint64_t first, uint64_t end)
{
    uint64_t inner = round_up(first, 8), inner_end = end / 8 * 8;

    if (inner > inner_end) { /* all in one byte */
        __atomic_fetch_or(&bits[first / 8], (uint8_t)(((1U << (end - first)) - 1) << (first & 7)), __ATOMIC_RELAXED);
        return;
    }
    if (first < inner)
        __atomic_fetch_or(&bits[first / 8], (uint8_t)(0xFFU << (first & 7)), __ATOMIC_RELAXED);
    memset(bits + inner / 8, 0xFF, (inner_end - inner) / 8);
    if (inner_end < end)
        __atomic_fetch_or(&bits[end / 8], (uint8_t)((1U << (end & 7)) - 1), __ATOMIC_RELAXED);
}

void memory_note_written(struct memory *memory, uint64_t address, uint64_t size)
{
    struct region *region = find_region(memory, address);
    uint64_t offset;

    if (!region || size == 0 || __atomic_load_n(&region->written, __ATOMIC_RELAXED))
        return;
    offset = address - region->base;
    size = least(size, region->size - offset);
    if (size == region->size)
        __atomic_store_n(&region->written, true, __ATOMIC_RELAXED);
    else
        set_bits(memory->bits, address - memory->origin, address - memory->origin + size);
}

uint8_t *memory_bits(const struct memory *memory)
{
    return memory->bits;
}

uint64_t memory_origin(const struct memory *memory)
{
    return memory->origin;
}

uint64_t memory_used(const struct memory *memory)
{
    return atomic_load_explicit(&memory->used, memory_order_relaxed);
}

uint64_t memory_limit(const struct memory *memory)
{
    return memory->limit;
}

uint64_t memory_generation(const struct memory *memory)
{
    return memory->generation;
}

uint64_t memory_range(const struct memory *memory)
{
    return memory->range;
}
