/*
 * traffic.c - the bytes of global memory that work touched: a byte map, and a list of its pages in use.
 *
 * The bodies of memory instructions call it, from several workers at once. The runtime calls it between launches. It
 * does not know what orders work.
 */
#pragma GCC optimize("O3") /* vectors, whatever the rest is compiled with */

#include "traffic.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device.h"
#include "traffic_note.h"
#include "contrib/cudasim/base/memory.h"

enum {
    PAGE = 4096,             /* bytes of memory, and of the map */
    SPANS_MOST = 1 << 20,    /* more are too scattered to compare */
    QUESTIONS_MOST = 100000,  /* to `tell`, in a launch */
    KEPT_PAGES = 16384,      /* of the map that stay in memory between launches */
    ANSWERS = 64,            /* of `tell` that are remembered */
};

#define OWN UINT64_C(0x0F0F0F0F0F0F0F0F)
#define EACH_BYTE UINT64_C(0x0101010101010101)

struct traffic {
    traffic_tell *tell;
    void *context;           /* for `tell` */
    uint64_t origin, range;  /* of the device's memory: address, bytes */
    uint8_t *map;            /* [range], without backing until it is touched */
    uint8_t *used;           /* [range / PAGE]: 1 where the page is in `pages` */
    uint64_t *pages;         /* [page_count] numbers of pages that are not empty */
    size_t page_count, page_capacity;
    bool only_ahead;         /* other work is the kernel ahead alone */
    bool lost;               /* there was no memory for a page's number */
    unsigned questions;      /* to `tell` since the map was empty, */
    uint64_t answered[ANSWERS]; /* and some that it answered by no: offset in the memory times 64, and kinds */
    pthread_mutex_t lock;    /* of the list of pages, and of `tell` */
};

static void *reserve(uint64_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

struct traffic *traffic_create(struct memory *memory, traffic_tell *tell, void *context)
{
    struct traffic *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    t->tell = tell;
    t->context = context;
    t->origin = memory_origin(memory);
    t->range = memory_range(memory) / PAGE * PAGE;
    t->map = reserve(t->range);
    t->used = t->map ? reserve(t->range / PAGE) : NULL;
    if (t->used)
        return t;
    traffic_free(t);
    return NULL;
}

void traffic_free(struct traffic *t)
{
    if (!t)
        return;
    if (t->map)
        munmap(t->map, t->range);
    if (t->used)
        munmap(t->used, t->range / PAGE);
    free(t->pages);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

static void use_page(struct traffic *t, uint64_t page)
{
    if (__atomic_load_n(&t->used[page], __ATOMIC_RELAXED) || __atomic_exchange_n(&t->used[page], 1, __ATOMIC_RELAXED))
        return;
    /* If the first access were a read, there would be two page faults, and other processors would be interrupted. */
    __atomic_fetch_or(&t->map[page * PAGE], 0, __ATOMIC_RELAXED);
    pthread_mutex_lock(&t->lock);
    if (t->page_count == t->page_capacity) {
        size_t capacity = t->page_capacity ? t->page_capacity * 2 : 256;
        uint64_t *pages = realloc(t->pages, capacity * sizeof *pages);

        if (pages) {
            t->pages = pages;
            t->page_capacity = capacity;
        }
    }
    if (t->page_count < t->page_capacity)
        t->pages[t->page_count++] = page;
    else
        t->lost = true;
    pthread_mutex_unlock(&t->lock);
}

/* Sets the bits of `pattern` in a word, if they are not, and returns what it was. `alone`: nobody else does so now. */
#define MARKS(T)                                                                                                       \
    static inline uint64_t mark_##T(T *at, T pattern, bool alone)                                                      \
    {                                                                                                                  \
        T was = __atomic_load_n(at, __ATOMIC_RELAXED);                                                                 \
        if ((was & pattern) == pattern)                                                                                \
            return was;                                                                                                \
        if (alone)                                                                                                     \
            __atomic_store_n(at, was | pattern, __ATOMIC_RELAXED);                                                     \
        else                                                                                                           \
            __atomic_fetch_or(at, pattern, __ATOMIC_RELAXED);                                                          \
        return was;                                                                                                    \
    }
MARKS(uint8_t)
MARKS(uint32_t)
MARKS(uint64_t)
#define MARK(T, at, pattern, alone) mark_##T((T *)(void *)(at), (T)(pattern), alone)

/* Sets the bits of `pattern` in `count` words. Returns the bits that were in any. Nobody else does so now. */
CLONES static uint64_t mark_words(uint64_t *words, uint64_t count, uint64_t pattern)
{
    uint64_t seen = 0;

    for (uint64_t n = 0; n < count; n++) {
        seen |= words[n];
        words[n] |= pattern;
    }
    return seen;
}

/* Whether the lower half of each byte of the page is as in `alike`. */
CLONES static bool page_alike(const uint64_t *page, uint64_t alike)
{
    uint64_t differs = 0;

    for (unsigned n = 0; n < PAGE / sizeof *page; n++)
        differs |= (page[n] & OWN) ^ alike;
    return differs == 0;
}

/* Sets the bits in each byte of [from, to), and returns the bits that were in any of them. */
static inline unsigned mark(struct traffic *t, uint64_t from, uint64_t to, uint8_t bits, bool alone)
{
    uint64_t seen = 0, pattern = bits * EACH_BYTE;

    if (alone && from % 8 == 0 && to - from >= 64) {
        seen = mark_words((uint64_t *)(void *)(t->map + from), (to - from) / 8, pattern);
        from += (to - from) / 8 * 8;
    }
    while (from < to) {
        uint8_t *at = t->map + from;

        if (from % 8 == 0 && to - from >= 8)
            seen |= MARK(uint64_t, at, pattern, alone), from += 8;
        else if (from % 4 == 0 && to - from >= 4)
            seen |= MARK(uint32_t, at, pattern, alone), from += 4;
        else
            seen |= MARK(uint8_t, at, pattern, alone), from++;
    }
    seen |= seen >> 32;
    seen |= seen >> 16;
    return (unsigned)(seen | seen >> 8) & 0xFF;
}

/* As mark(), with pages; what is not in the range is left out. */
static inline unsigned mark_range(struct traffic *t, uint64_t low, uint64_t high, uint8_t bits, bool alone)
{
    uint64_t from = low - t->origin, to = high - t->origin;

    if (low < t->origin || from >= t->range || to > t->range || to <= from)
        return 0;
    for (uint64_t page = from / PAGE; page <= (to - 1) / PAGE; page++)
        use_page(t, page);
    return mark(t, from, to, bits, alone);
}

void traffic_note(struct traffic *t, uint64_t low, uint64_t high, unsigned kinds)
{
    mark_range(t, low, high, (uint8_t)kinds, true);
}

void traffic_note_other(struct traffic *t, uint64_t low, uint64_t high, unsigned kinds)
{
    mark_range(t, low, high, (uint8_t)(kinds << 4), true);
}

void traffic_only_ahead(struct traffic *t, bool only)
{
    t->only_ahead = only;
}

/* ------------------------------------------------------------------ kernels */

/* Asks about the first byte of the lane's access that others touched. */
static void ask(struct traffic *t, struct warp *w, const struct ins *ins, unsigned lane, unsigned bytes, unsigned kinds)
{
    char text[sizeof((struct sim_fault *)NULL)->text];
    uint64_t address = w->address[lane];
    enum sim_fault_kind kind = FAULT_NONE;
    uint64_t *answered;

    for (uint64_t at = address - t->origin, end = at + bytes; at < end && at < t->range; at++) {
        unsigned others = t->map[at] >> 4;

        if (!others || (!traffic_collides(kinds, others) && !(kinds & (TRAFFIC_STRONG_READ | TRAFFIC_STRONG_WRITE))))
            continue;
        answered = &t->answered[(at / 4 + kinds) % ANSWERS];
        if (__atomic_load_n(answered, __ATOMIC_RELAXED) == at * 128 + kinds)
            break;
        pthread_mutex_lock(&t->lock);
        if (t->questions++ < QUESTIONS_MOST)
            kind = t->tell(t->context, t->origin + at, kinds, text, sizeof text);
        pthread_mutex_unlock(&t->lock);
        if (kind == FAULT_NONE)
            __atomic_store_n(answered, at * 128 + kinds, __ATOMIC_RELAXED);
        address = t->origin + at;
        break;
    }
    if (kind != FAULT_NONE)
        fault_warn(w, ins, lane, kind, address, "%s", text);
}

/* Notes plain stores to page-locked memory. TRAFFIC_UNFENCED: the block made some before this strong write; else 0. */
static unsigned unfenced(struct warp *w, const struct ins *ins, bool strong)
{
    struct block *b = w->block;
    const struct region *r;

    if (strong && ins->system && ins->order & ORDER_RELEASE)
        b->unfenced = false;
    if (!strong && !b->unfenced && w->mask) {
        r = memory_find(sim_memory(w->worker->sim), w->address[__builtin_ctz(w->mask)], NULL);
        b->unfenced = r && r->kind == REGION_HOST;
    }
    return strong && b->unfenced ? TRAFFIC_UNFENCED : 0;
}

void traffic_access(struct warp *w, const struct ins *ins, unsigned bytes, enum access access, bool dense)
{
    struct traffic *t = w->worker->traffic;
    bool past = w->block->awaited && t->only_ahead;
    bool alone = w->block->launch->active == 1, strong = access == ACCESS_ATOMIC || ins->order || ins->guesses;
    unsigned told = w->block->awaited ? TRAFFIC_AWAITED : 0;
    unsigned kinds = (access != ACCESS_WRITE ? TRAFFIC_READ : 0) | (access != ACCESS_READ ? TRAFFIC_WRITE : 0);

    kinds <<= strong ? 2 : 0;
    if (access == ACCESS_ATOMIC && !ins->system && !w->block->launch->kernel->fences &&
        !w->block->launch->kernel->polls)
        told |= TRAFFIC_OF_DEVICE;
    if (access != ACCESS_READ)
        told |= unfenced(w, ins, strong);
    if (dense && mark_range(t, w->address[0], w->address[0] + (uint64_t)LANES * bytes, (uint8_t)kinds, alone) >> 4 == 0)
        return;
    EVERY_LANE(l, w->mask)
    {
        unsigned others;

        if (l && w->mask >> (l - 1) & 1 && w->address[l] == w->address[l - 1])
            continue; /* the lane before said it */
        others = mark_range(t, w->address[l], w->address[l] + bytes, (uint8_t)kinds, alone) >> 4;

        if (others && !past && (strong || traffic_collides(kinds, others)))
            ask(t, w, ins, l, bytes, kinds | told);
    }
}

/* ------------------------------------------------------------------ taking */

struct spans {
    struct traffic_span *list; /* [count] */
    size_t count, capacity;
    bool full;                 /* too many, or no memory */
};

static void add(struct spans *s, uint64_t low, uint64_t high, unsigned kinds)
{
    struct traffic_span *last = s->count ? &s->list[s->count - 1] : NULL;

    if (last && last->high == low && last->kinds == kinds) {
        last->high = high;
        return;
    }
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? s->capacity * 2 : 64;
        struct traffic_span *list = capacity <= SPANS_MOST ? realloc(s->list, capacity * sizeof *list) : NULL;

        if (!list) {
            s->full = true;
            return;
        }
        s->list = list;
        s->capacity = capacity;
    }
    s->list[s->count++] = (struct traffic_span){low, high, kinds};
}

static void take_page(const struct traffic *t, uint64_t page, struct spans *s)
{
    const uint8_t *map = t->map + page * PAGE;
    unsigned at = 0, from;

    if (page_alike((const uint64_t *)(const void *)map, (map[0] & 15) * EACH_BYTE)) {
        if (map[0] & 15)
            add(s, t->origin + page * PAGE, t->origin + (page + 1) * PAGE, map[0] & 15);
        return;
    }
    while (at < PAGE && !s->full) {
        uint64_t word, alike;

        memcpy(&word, map + (at & ~7u), sizeof word);
        if (at % 8 == 0 && !(word & OWN)) {
            at += 8;
            continue;
        }
        from = at++;
        alike = (map[from] & 15) * EACH_BYTE;
        while (at < PAGE && (map[at] & 15) == (map[from] & 15)) {
            memcpy(&word, map + (at & ~7u), sizeof word);
            at += at % 8 == 0 && (word & OWN) == alike ? 8 : 1;
        }
        if (map[from] & 15)
            add(s, t->origin + page * PAGE + from, t->origin + page * PAGE + at, map[from] & 15);
    }
}

static int by_number(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

bool traffic_take(struct traffic *t, struct traffic_span **spans, size_t *count)
{
    struct spans s = {.full = t->lost};

    if (t->page_count)
        qsort(t->pages, t->page_count, sizeof *t->pages, by_number);
    for (size_t n = 0; n < t->page_count; n++) {
        take_page(t, t->pages[n], &s);
        t->used[t->pages[n]] = 0;
        if (n < KEPT_PAGES)
            memset(t->map + t->pages[n] * PAGE, 0, PAGE);
        else
            madvise(t->map + t->pages[n] * PAGE, PAGE, MADV_DONTNEED);
    }
    if (t->lost) /* somewhere a page is not in the list */
        madvise(t->map, t->range, MADV_DONTNEED), madvise(t->used, t->range / PAGE, MADV_DONTNEED);
    t->page_count = 0;
    t->questions = 0;
    memset(t->answered, 0, sizeof t->answered);
    t->lost = false;
    if (s.full) {
        free(s.list);
        s = (struct spans){.full = true};
    }
    *spans = s.list;
    *count = s.count;
    return !s.full;
}
