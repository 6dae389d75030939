/*
 * test_cudasim_memory.c - the simulated device's memory: addresses of regions, findings, quarantine, bits, threads.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contrib/cudasim/base/memory.h"
#include "unit.h"

#define GIB (UINT64_C(1) << 30)
#define MIB (UINT64_C(1) << 20)

static void test_regions(void)
{
    struct memory *memory = memory_create(GIB);
    const struct region *below;
    struct region *a, *b, *c;

    CHECK(memory, "a GiB");
    CHECK(memory_limit(memory) == GIB, "%ju", (uintmax_t)memory_limit(memory));
    a = memory_allocate(memory, 1, 0, REGION_DEVICE);
    b = memory_allocate(memory, 1000, 4096, REGION_DEVICE);
    c = memory_allocate(memory, 3 * MIB, 256, REGION_MANAGED);
    CHECK(a && b && c, "three regions");
    CHECK(a->base % 256 == 0 && b->base % 4096 == 0 && c->base % 256 == 0, "alignment");
    CHECK(a->base >= memory_origin(memory) + 256, "nothing below the first");
    CHECK(b->base >= a->base + a->size + 256 && c->base >= b->base + b->size + 256, "gaps");
    CHECK(a->serial == 1 && b->serial == 2 && c->serial == 3, "serials");
    CHECK(!a->written && !c->written && !a->freed && !a->away && !a->read_only && !a->name && a->flags == 0, "fields");
    CHECK(memory_used(memory) == 1001, "%ju", (uintmax_t)memory_used(memory));
    memset((void *)(uintptr_t)c->base, 1, c->size);

    CHECK(memory_find(memory, a->base, NULL) == a, "its byte");
    CHECK(!memory_find(memory, a->base + 1, &below) && below == a, "the byte behind");
    CHECK(!memory_find(memory, b->base - 1, &below) && below == a, "the byte before the second");
    CHECK(memory_find(memory, b->base + 999, &below) == b && below == a, "the last byte");
    CHECK(memory_find(memory, c->base + 2 * MIB, &below) == c && below == b, "far inside");
    CHECK(!memory_find(memory, c->base + c->size, &below) && below == c, "behind the last");
    CHECK(!memory_find(memory, c->base + 100 * MIB, &below) && below == c, "never allocated");
    CHECK(!memory_find(memory, memory_origin(memory), &below) && !below, "the origin");
    CHECK(!memory_find(memory, 0, &below) && !below, "null");
    CHECK(!memory_find(memory, UINT64_MAX, &below) && below == c, "the end of all addresses");

    CHECK(!memory_release(memory, b->base + 1) && !memory_release(memory, 8), "no region starts there");
    CHECK(memory_release(memory, b->base) && b->freed, "release");
    CHECK(!memory_release(memory, b->base), "released twice");
    CHECK(memory_find(memory, b->base + 5, &below) == b && below == a, "in quarantine");
    CHECK(!memory_find(memory, b->base + 1000, &below) && below == a, "behind a freed one");
    CHECK(memory_used(memory) == 1, "%ju", (uintmax_t)memory_used(memory));
    CHECK(memory_release(memory, c->base) && memory_release(memory, a->base), "the rest");
    CHECK(*(volatile char *)(uintptr_t)(c->base + MIB) == 0, "pages are given back");

    CHECK(!memory_allocate(memory, 0, 0, REGION_DEVICE), "no bytes");
    CHECK(!memory_allocate(memory, UINT64_MAX, 0, REGION_HOST), "all bytes");
    CHECK(!memory_allocate(memory, 1, 384, REGION_HOST), "an alignment of 384");
    CHECK(!memory_allocate(memory, 1, UINT64_C(1) << 63, REGION_HOST), "an alignment of 2^63");
    CHECK(!memory_allocate(memory, GIB + 1, 0, REGION_DEVICE), "above the limit");
    CHECK((a = memory_allocate(memory, GIB, 0, REGION_DEVICE)), "all of the limit");
    CHECK(!memory_allocate(memory, 1, 0, REGION_HEAP), "one more byte");
    CHECK(memory_allocate(memory, GIB, 0, REGION_HOST), "the host's is not limited");
    CHECK(memory_release(memory, a->base) && memory_used(memory) == 0, "and free again");
    memory_destroy(memory);
    memory_destroy(NULL);
}

static void test_heap(void)
{
    struct memory *memory = memory_create(GIB);
    struct region *a = memory_allocate(memory, 16, 0, REGION_HEAP), *b = memory_allocate(memory, 48, 16, REGION_HEAP);

    CHECK(a && b && a->base % 64 == 0 && b->base % 64 == 0, "alignment");
    CHECK(b->base - a->base == 64, "%ju bytes for 16", (uintmax_t)(b->base - a->base));
    CHECK(memory_find(memory, b->base + 47, NULL) == b && !memory_find(memory, b->base + 48, NULL), "bounds");
    CHECK(memory_allocate(memory, 49, 0, REGION_HEAP)->base - b->base == 128, "as many bytes behind b");
    CHECK(memory_allocate(memory, 1, 0, REGION_HEAP)->base - b->base == 256, "as many again");
    memory_destroy(memory);
}

static void test_bits(void)
{
    struct memory *memory = memory_create(GIB);
    struct region *a = memory_allocate(memory, 100000, 0, REGION_DEVICE);
    const uint8_t *bits = memory_bits(memory) + (a->base - memory_origin(memory)) / 8;
    uint64_t wrong = 0;

    memory_note_written(memory, a->base + 3, 2);
    CHECK(bits[0] == 0x18, "%02x", bits[0]);
    memory_note_written(memory, a->base + 15, 2);
    CHECK(bits[1] == 0x80 && bits[2] == 1, "%02x %02x", bits[1], bits[2]);
    memory_note_written(memory, a->base + 24, 8);
    CHECK(bits[3] == 0xFF && bits[4] == 0, "%02x %02x", bits[3], bits[4]);
    memory_note_written(memory, a->base + 40, 0);
    CHECK(bits[5] == 0, "no bytes");
    memory_note_written(memory, a->base + 49, UINT64_MAX);
    for (uint64_t i = 0; i < 100096; i++)
        wrong += (bits[i / 8] >> (i & 7) & 1) !=
                 (i == 3 || i == 4 || i == 15 || i == 16 || (i >= 24 && i < 32) || (i >= 49 && i < 100000));
    CHECK(wrong == 0 && !a->written, "%ju bits", (uintmax_t)wrong);
    memory_note_written(memory, a->base, 100000);
    CHECK(a->written, "one copy of all");
    memory_note_written(memory, 8, 8); /* nobody's */
    memory_release(memory, a->base);
    memory_destroy(memory);
}

struct seen {
    uint64_t last;
    size_t count;
    bool ordered;
};

static void see(const struct region *region, void *context)
{
    struct seen *seen = context;

    seen->ordered = seen->ordered && region->base > seen->last && !region->freed;
    seen->last = region->base;
    seen->count++;
}

static void test_adopted(void)
{
    static char own[10000];
    struct memory *memory = memory_create(GIB);
    struct region *a = memory_adopt(memory, own + 1000, 1000, REGION_REGISTERED);
    struct region *b = memory_adopt(memory, own + 2000, 10, REGION_HOST), *c;
    struct region *inside = memory_allocate(memory, 10, 0, REGION_DEVICE);
    const struct region *below;
    struct seen seen = { .ordered = true };

    CHECK(a && b && a->written && !a->read_only, "adopted");
    CHECK(!memory_adopt(memory, own + 1999, 1, REGION_REGISTERED), "overlap");
    CHECK(!memory_adopt(memory, own, 10000, REGION_REGISTERED), "overlap of several");
    CHECK(!memory_adopt(memory, own, 1001, REGION_REGISTERED), "overlap of the first byte");
    CHECK(!memory_adopt(memory, own, 0, REGION_REGISTERED), "no bytes");
    CHECK(!memory_adopt(memory, (void *)(uintptr_t)inside->base, 1, REGION_REGISTERED), "in the range");
    CHECK(memory_find(memory, (uintptr_t)own + 1999, &below) == a && !below, "its last byte");
    CHECK(memory_find(memory, (uintptr_t)own + 2000, &below) == b && below == a, "its neighbour");
    CHECK(!memory_find(memory, (uintptr_t)own + 2010, &below) && below == b, "behind both");
    memory_visit(memory, see, &seen);
    CHECK(seen.count == 3 && seen.ordered, "%zu seen", seen.count);
    memory_note_written(memory, (uintptr_t)own + 1000, 5);
    CHECK(memory_release(memory, (uintptr_t)own + 1000) && !memory_release(memory, (uintptr_t)own + 1000), "release");
    CHECK(memory_find(memory, (uintptr_t)own + 1500, &below) == a && a->freed && !below, "freed, and remembered");
    c = memory_adopt(memory, own + 1500, 100, REGION_REGISTERED);
    CHECK(c && memory_find(memory, (uintptr_t)own + 1500, NULL) == c, "adopted again");
    CHECK(!memory_find(memory, (uintptr_t)own + 1499, NULL), "a new one replaces freed ones");
    for (int i = 0; i < 3000; i++) {
        c = memory_adopt(memory, own + 3000 + 2 * i, 1, REGION_HOST);
        CHECK(c && memory_release(memory, c->base), "parameters %d", i);
    }
    memory_destroy(memory);
}

/* The quarantine is limited: addresses are used again only when it is full, and then without old bits. */
static void test_quarantine(void)
{
    enum { LONGER_THAN_QUARANTINE = 70000 };
    struct memory *memory = memory_create(GIB);
    struct region *guard = memory_allocate(memory, 64, 0, REGION_DEVICE);
    uint64_t first = 0;
    int reused = -1;

    for (int i = 0; i < LONGER_THAN_QUARANTINE && reused < 0; i++) {
        struct region *region = memory_allocate(memory, 64, 0, REGION_HEAP);

        if (!region)
            break;
        if (i == 0)
            first = region->base;
        else if (region->base == first) {
            reused = i;
            CHECK(memory_bits(memory)[(first - memory_origin(memory)) / 8] == 0, "bits of the last owner");
            CHECK(!region->freed && !region->written && memory_find(memory, first, NULL) == region, "a new region");
        }
        memory_note_written(memory, region->base, 3);
        memory_release(memory, region->base);
    }
    CHECK(reused > 60000, "the first address came back after %d allocations", reused);
    /* 6 GiB of addresses: an allocation of 1 GiB can be made any number of times. */
    for (int i = 0; i < 30; i++) {
        struct region *region = memory_allocate(memory, GIB - 64, 0, REGION_DEVICE);

        CHECK(region, "the allocation of a GiB number %d", i);
        if (!region)
            break;
        memory_note_written(memory, region->base + 5, GIB / 64);
        CHECK(!(memory_bits(memory)[(region->base - memory_origin(memory)) / 8] & 0x1F), "old bits at the front");
        CHECK(memory_release(memory, region->base), "release %d", i);
        CHECK(memory_find(memory, region->base + 9, NULL) == region, "in quarantine");
    }
    CHECK(memory_find(memory, guard->base + 63, NULL) == guard && !guard->freed, "the guard is untouched");
    memory_destroy(memory);
}

/* A model: an array of owners. Allocates and frees at random in a range so short that spans are cut and merged. */
static void test_random(void)
{
    enum { SLOTS = 400, STEPS = 60000 };
    static struct region *slots[SLOTS];
    static uint64_t bases[SLOTS], sizes[SLOTS];
    struct memory *memory = memory_create(200 * MIB);
    uint64_t used = 0, state = 1;
    int refused = 0;

    for (int step = 0; step < STEPS; step++) {
        size_t slot;
        uint64_t random;

        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        random = state >> 33;
        slot = random % SLOTS;
        if (slots[slot]) {
            const struct region *below;

            CHECK(slots[slot]->base == bases[slot] && slots[slot]->size == sizes[slot], "slot %zu changed", slot);
            CHECK(memory_find(memory, bases[slot] + random % sizes[slot], &below) == slots[slot], "slot %zu", slot);
            CHECK(!below || below->base + below->size <= bases[slot], "below slot %zu", slot);
            CHECK(memory_release(memory, bases[slot]), "release of slot %zu", slot);
            used -= sizes[slot];
            slots[slot] = NULL;
        } else {
            enum region_kind kind = random & 1024 ? REGION_HEAP : REGION_DEVICE;
            uint64_t align = random % 7 == 0 ? UINT64_C(1) << random % 20 : 0;
            uint64_t size = 1 + (state >> 20) % (UINT64_C(1) << (random >> 10) % 26);

            slots[slot] = memory_allocate(memory, size, align, kind);
            if (!slots[slot]) {
                refused++;
                CHECK(used + size > 200 * MIB, "%ju bytes refused with %ju used", (uintmax_t)size, (uintmax_t)used);
                continue;
            }
            CHECK(!align || slots[slot]->base % align == 0, "alignment to %ju", (uintmax_t)align);
            for (size_t i = 0; i < SLOTS; i++)
                if (i != slot && slots[i])
                    CHECK(bases[i] + sizes[i] + 16 <= slots[slot]->base || slots[slot]->base + size + 16 <= bases[i],
                          "slots %zu and %zu overlap", i, slot);
            CHECK(!memory_bits(memory)[(slots[slot]->base - memory_origin(memory)) / 8], "old bits, step %d", step);
            bases[slot] = slots[slot]->base;
            sizes[slot] = size;
            memory_note_written(memory, bases[slot], size / 2 + 1 < size ? size / 2 + 1 : size - 1);
            used += size;
        }
        CHECK(memory_used(memory) == used, "used %ju", (uintmax_t)used);
    }
    CHECK(refused < STEPS / 4, "%d refused", refused);
    memory_destroy(memory);
}

enum { THREADS = 4, THREAD_STEPS = 30000, HELD = 64 };

struct worker {
    struct memory *memory;
    struct region *shared;
    int wrong;
};

/* Blocks of a kernel that call malloc() and free(), and look up their own blocks and those of all. */
static void *work(void *context)
{
    struct worker *worker = context;
    struct region *held[HELD] = { 0 };

    for (int i = 0; i < THREAD_STEPS; i++) {
        struct region **slot = &held[i * 7 % HELD];
        uint64_t size = 1 + (uint64_t)(i * 37 % 500);

        if (*slot) {
            worker->wrong += *(int *)(uintptr_t)(*slot)->base != i - HELD;
            worker->wrong += !memory_release(worker->memory, (*slot)->base);
        }
        *slot = memory_allocate(worker->memory, size < 4 ? 4 : size, 0, REGION_HEAP);
        if (!*slot) {
            worker->wrong++;
            continue;
        }
        *(int *)(uintptr_t)(*slot)->base = i;
        worker->wrong += memory_find(worker->memory, (*slot)->base + 3, NULL) != *slot;
        worker->wrong += memory_find(worker->memory, worker->shared->base + (uint64_t)i, NULL) != worker->shared;
    }
    return NULL;
}

static void test_threads(void)
{
    struct memory *memory = memory_create(GIB);
    struct region *shared = memory_allocate(memory, MIB, 0, REGION_DEVICE);
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    int started = 0;

    for (; started < THREADS; started++) {
        workers[started] = (struct worker){ memory, shared, 0 };
        if (pthread_create(&threads[started], NULL, work, &workers[started]) != 0)
            break;
    }
    CHECK(started == THREADS, "%d threads", started);
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        CHECK(workers[i].wrong == 0, "thread %d: %d wrong", i, workers[i].wrong);
    }
    memory_destroy(memory);
}

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* they reserve more than the limit */
/* A limit on address space below the device's memory makes that smaller. Runs in a child. */
static void test_address_limit(uint64_t limit)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        struct rlimit address_space = { limit, limit };
        struct memory *memory;
        struct region *region;

        if (setrlimit(RLIMIT_AS, &address_space) < 0)
            _exit(2);
        memory = memory_create(80 * GIB);
        if (!memory)
            _exit(3);
        if (memory_limit(memory) > limit || memory_limit(memory) < limit / 4)
            _exit(4);
        region = memory_allocate(memory, memory_limit(memory), 0, REGION_DEVICE);
        if (!region)
            _exit(5);
        *(volatile char *)(uintptr_t)(region->base + region->size - 1) = 1;
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0, "status %#x with %ju MiB", status,
          (uintmax_t)(limit / MIB));
}
#else
static void test_address_limit(uint64_t limit)
{
    (void)limit;
}
#endif

/* Pages of managed memory that nobody touched, and memory that is not to be used for a while. */
static void test_untouched(void)
{
    struct memory *memory = memory_create(GIB);
    struct region *r = memory_allocate(memory, 5 * 4096 + 10, 4096, REGION_MANAGED);
    uint64_t generation;

    CHECK(r && !r->written && memory_untouched(memory, r->base + 4096), "a fresh page");
    *(volatile char *)(uintptr_t)(r->base + 4096) = 1;
    CHECK(!memory_untouched(memory, r->base + 2 * 4096 - 1), "the page of a byte that was touched");
    CHECK(memory_untouched(memory, r->base + 2 * 4096) && !r->written, "the page behind it");
    memset((void *)(uintptr_t)r->base, 1, r->size);
    CHECK(!memory_untouched(memory, r->base + r->size - 1) && r->written, "all pages");

    generation = memory_generation(memory);
    memory_away(memory, r->base, true);
    CHECK(r->away && memory_generation(memory) == generation + 1, "away");
    memory_away(memory, r->base, false);
    CHECK(!r->away && memory_release(memory, r->base), "back, and freed");
    memory_destroy(memory);
}

/* A variable is written in whole when the host writes a part of it; other memory is not. */
static void test_variable(void)
{
    struct memory *memory = memory_create(GIB);
    struct region *variable = memory_allocate(memory, 256, 0, REGION_GLOBAL);
    struct region *other = memory_allocate(memory, 256, 0, REGION_DEVICE);

    CHECK(variable && variable->written && other && !other->written, "new ones");
    memory_unwrite(memory, variable->base);
    CHECK(!variable->written, "a constant without a value");
    memory_note_written(memory, variable->base + 16, 4);
    memory_note_written(memory, other->base + 16, 4);
    CHECK(variable->written && !other->written, "written in part");
    memory_destroy(memory);
}

int main(void)
{
    test_regions();
    test_heap();
    test_bits();
    test_untouched();
    test_variable();
    test_adopted();
    test_quarantine();
    test_random();
    test_threads();
    test_address_limit(64 * GIB);
    test_address_limit(2 * GIB);
    return unit_end();
}
