/*
 * memory.c - the device's memory, with libc and mmap alone. The device's code and the runtime's calls use it.
 * memory_span.h describes the mapping. memory_span.c cuts allocations out of it.
 *
 * A sorted array holds the regions outside of the range: the program's own memory.
 */
#include "memory_span.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

enum {
    DEVICE_GAP = 256,          /* bytes at least behind an allocation that belong to nobody, */
    GAP_MOST = 1 << 18,        /* and at most; between those as many as the allocation has */
    HEAP_GAP = 16,             /* the least for malloc() in kernels, whose blocks are small and many */
    HEAP_GAP_MOST = 1 << 10,   /* and the most */
    ADOPTED_FREED = 1024       /* records of the program's own memory that are kept when it is no region any more */
};

#define RECORDS_LEAST (UINT32_C(1) << 16)
#define RECORDS_MOST (UINT32_C(1) << 24)
#define RANGE_LEAST MIB(64)
#define FIRST_BYTE KIB(4) /* the range's first page is nobody's: what runs below the first allocation is seen */
#define LARGE_PAGE MIB(2)
#define LARGE_LEAST MIB(4)  /* bytes of an allocation whose memory comes in large pages, */
#define LARGE_MOST MIB(256) /* and the most: programs may use a larger one in a few places only */

/*
 * Creation.
 */

/* Address space that the range may take. The limit of the process is for its own memory, too. */
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

/* Maps a range of `range` bytes and its tables. */
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
 * Allocation.
 */

/* Whether allocations of the kind are the device's memory, which is limited. */
static bool is_limited(enum region_kind kind)
{
    return kind == REGION_DEVICE || kind == REGION_POOL || kind == REGION_GLOBAL || kind == REGION_HEAP;
}

/* Whether the host may write the memory, unseen. */
static bool is_shared(enum region_kind kind)
{
    return kind == REGION_MANAGED || kind == REGION_HOST;
}

/* Whether a new region's contents are unknown. Variables are initialised. */
static bool is_unwritten(enum region_kind kind)
{
    return kind == REGION_DEVICE || kind == REGION_POOL || kind == REGION_HEAP || is_shared(kind);
}

/*
 * Bytes behind an allocation. An index that is too large by up to the number of elements must hit nothing. Such an
 * index comes from one row or one thread too many.
 */
static uint64_t gap_behind(enum region_kind kind, uint64_t size)
{
    if (kind == REGION_HEAP)
        return size < HEAP_GAP ? HEAP_GAP : least(size, HEAP_GAP_MOST);
    return size < DEVICE_GAP ? DEVICE_GAP : least(size, GAP_MOST);
}

/* Asks for large pages for [first, end). A system without them does nothing. */
static void want_large_pages(uint64_t first, uint64_t end)
{
    if (first < end)
        madvise((void *)(uintptr_t)first, end - first, MADV_HUGEPAGE);
}

void memory_fill_soon(uint64_t address, uint64_t size)
{
    if (size >= LARGE_LEAST)
        want_large_pages(round_up(address, LARGE_PAGE), (address + size) / LARGE_PAGE * LARGE_PAGE);
}

/* The pages at both ends may be shared with other allocations. */
static void want_large_region(const struct memory *memory, const struct region *region)
{
    uint64_t first = region->base / LARGE_PAGE * LARGE_PAGE, end = round_up(region->base + region->size, LARGE_PAGE);
    uint64_t bits = (uintptr_t)memory->bits + (region->base - memory->origin) / 8;

    want_large_pages(first, least(end, memory->origin + memory->range));
    want_large_pages(round_up(bits, LARGE_PAGE), (bits + region->size / 8) / LARGE_PAGE * LARGE_PAGE);
}

struct region *memory_allocate(struct memory *memory, uint64_t size, uint64_t align, enum region_kind kind)
{
    uint64_t gap = gap_behind(kind, size), lowest_align = kind == REGION_HEAP ? GRANULE : 256;
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
    index = span_make(memory, round_up(size + gap, is_shared(kind) ? memory->page : GRANULE), align);
    if (!index)
        goto out;
    region = &memory->records[index].region;
    memory->records[index].state = LIVE;
    region->kind = kind;
    region->serial = ++memory->serial;
    region->read_only = region->managed = false;
    region->flags = 0;
    region->name = NULL;
    __atomic_store_n(&region->freed, false, __ATOMIC_RELAXED);
    __atomic_store_n(&region->away, false, __ATOMIC_RELAXED);
    __atomic_store_n(&region->written, !is_unwritten(kind), __ATOMIC_RELAXED);
    set_bounds(region, region->base, size);
    span_enter(memory, index);
    if (is_shared(kind)) /* what is touched from now on is the program's doing: memory_untouched() */
        span_give_back(memory, region->base, region->base + region->span);
    if (size >= LARGE_LEAST && size <= LARGE_MOST)
        want_large_region(memory, region);
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

bool memory_stored(struct memory *memory, uint64_t address, uint32_t stored)
{
    struct region *region = find_region(memory, address);

    if (region)
        __atomic_store_n(&region->stored, stored, __ATOMIC_RELAXED);
    return region != NULL;
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
        record_drop(memory, memory->adopted[i]);
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
            record_drop(memory, index);
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
    if (!grow_adopted(memory) || !(index = record_take(memory)))
        goto out;
    memmove(memory->adopted + first + 1, memory->adopted + first,
            (memory->adopted_count - first) * sizeof *memory->adopted);
    memory->adopted[first] = index;
    memory->adopted_count++;
    memory->records[index].state = LIVE;
    region = &memory->records[index].region;
    region->kind = kind;
    region->serial = ++memory->serial;
    region->read_only = region->managed = region->away = false;
    region->written = true;
    set_bounds(region, start, size);
out:
    pthread_rwlock_unlock(&memory->lock);
    return region;
}

/*
 * Release, and the rest.
 */
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
            if (is_limited(region->kind))
                atomic_fetch_sub_explicit(&memory->used, region->size, memory_order_relaxed);
            span_quarantine(memory, index);
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

void memory_away(struct memory *memory, uint64_t address, bool away)
{
    struct region *region = NULL;
    uint32_t index;

    pthread_rwlock_wrlock(&memory->lock);
    index = in_range(memory, address) ? span_near(memory, address) : 0;
    if (index && memory->records[index].state == LIVE)
        region = &memory->records[index].region;
    if (region && region->away != away) {
        __atomic_store_n(&region->away, away, __ATOMIC_RELEASE);
        memory->generation++;
    }
    pthread_rwlock_unlock(&memory->lock);
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
    if (size == region->size || region->kind == REGION_GLOBAL)
        __atomic_store_n(&region->written, true, __ATOMIC_RELAXED);
    else
        set_bits(memory->bits, address - memory->origin, address - memory->origin + size);
}

void memory_unwrite(struct memory *memory, uint64_t address)
{
    struct region *region = find_region(memory, address);

    if (region)
        __atomic_store_n(&region->written, false, __ATOMIC_RELAXED);
}

void memory_discard(struct memory *memory, uint64_t address, uint64_t size)
{
    struct region *region = find_region(memory, address);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from, end;

    from = round_up(address, page);
    end = (address + size) / page * page;
    if (!region || region->kind != REGION_MANAGED || from >= end || end > region->base + region->span)
        return;
    if (__atomic_load_n(&region->written, __ATOMIC_RELAXED))
        set_bits(memory->bits, region->base - memory->origin, region->base - memory->origin + region->size);
    memset(memory->bits + (from - memory->origin) / 8, 0, (end - from) / 8);
    madvise((void *)(uintptr_t)from, end - from, MADV_DONTNEED);
    __atomic_store_n(&region->written, false, __ATOMIC_RELAXED);
}

#define LOOKED_AT 4096 /* pages at once */

bool memory_untouched(struct memory *memory, uint64_t address)
{
    struct region *region = find_region(memory, address);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from, end, at;
    unsigned char there[LOOKED_AT];
    bool untouched = false, all = true;

    if (!region || !is_shared(region->kind))
        return region != NULL;
    from = region->base / page * page;
    end = round_up(region->base + region->size, page);
    for (at = from; at < end; at += LOOKED_AT * page) {
        uint64_t pages = least((end - at) / page, LOOKED_AT);

        if (mincore((void *)(uintptr_t)at, pages * page, there))
            return false;
        for (uint64_t n = 0; n < pages; n++) {
            uint64_t low = at + n * page, high = least(low + page, region->base + region->size);

            if (there[n] & 1)
                set_bits(memory->bits, (low > region->base ? low : region->base) - memory->origin,
                         high - memory->origin);
            else
                all = false;
            untouched |= !(there[n] & 1) && address / page == low / page;
        }
    }
    if (all)
        __atomic_store_n(&region->written, true, __ATOMIC_RELAXED);
    return untouched;
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

uint64_t memory_changes(const struct memory *memory)
{
    return memory->serial + memory->generation;
}

uint64_t memory_range(const struct memory *memory)
{
    return memory->range;
}
