/*
 * race_global.c - races in global memory, between blocks and inside one block.
 *
 * If the launch has only read a page so far, the page has no writes to check. If it has only written the page, there
 * are no reads to check. Lanes that access one address behind the other in a page are checked together.
 */
#include "race_check.h"

#include "race_pages.h"
#include "race_runs.h"

/* What is kept of the page that is looked at; entries are NULL while there are none. */
struct cells {
    struct page *page;
    uint64_t *of[2]; /* entries of writes, of reads */
};

/* What is kept of the page of `address`. False: nothing. */
static inline bool cells_of(struct worker *k, uint64_t address, struct cells *c)
{
    uint64_t page = address >> PAGE_SHIFT;

    if (k->page_address != page || !k->page) {
        k->page = pages_find(k->launch->pages, address);
        k->page_address = page;
        k->page_entries[PAGE_WRITES] = k->page_entries[PAGE_READS] = NULL;
    }
    *c = (struct cells){k->page, {k->page_entries[PAGE_WRITES], k->page_entries[PAGE_READS]}};
    return k->page != NULL;
}

/* Its entries of writes or of reads, made if there are none. NULL: none are kept. */
static inline uint64_t *entries_of(struct worker *k, struct cells *c, int of)
{
    if (!c->of[of])
        c->of[of] = k->page_entries[of] = pages_entries(k->launch->pages, c->page, of);
    return c->of[of];
}

/* Whether the launch wrote, or read, anything in the page: then its entries are to be looked at. */
static inline bool touched(struct worker *k, struct cells *c, int of, uint64_t start)
{
    return c->page->touched[of] == start && entries_of(k, c, of);
}

static inline void touch(struct cells *c, int of, uint64_t start)
{
    if (c->page->touched[of] != start)
        c->page->touched[of] = (uint32_t)start;
}

static inline uint32_t unit_at(uint64_t address, unsigned shift)
{
    return (uint32_t)(address & (PAGE_BYTES - 1)) >> shift;
}

static void check_lane(struct look *k, unsigned l, const uint64_t *address)
{
    unsigned shift = k->w->block->launch->kernel->global_shift;
    uint64_t last = (address[l] + k->bytes - 1) >> shift;
    struct worker *worker = k->w->worker;
    struct cells c;

    for (uint64_t n = address[l] >> shift; n <= last; n++) {
        uint64_t place = n << shift;
        uint32_t at = unit_at(place, shift);

        if (cells_of(worker, place, &c) && entries_of(worker, &c, PAGE_WRITES) && entries_of(worker, &c, PAGE_READS)) {
            struct unit u = {c.of[PAGE_WRITES] + at, c.of[PAGE_READS] + at, (const char *)(uintptr_t)place,
                             1u << shift, (unsigned)(place - address[l]), place};

            if (k->access != ACCESS_WRITE) /* an atomic may only compare */
                touch(&c, PAGE_READS, k->self.start);
            if (k->access != ACCESS_READ)
                touch(&c, PAGE_WRITES, k->self.start);
            race_unit(k, l, &u, address);
        }
    }
}

/* Stores of one word a lane, which is a unit. */
static bool writes_words(const struct look *k, uint32_t per)
{
    return k->stores && per == 0 && k->ins->count == 1 && k->ins->width == k->bytes && k->bytes >= 4;
}

static void put_values(const struct look *k, uint64_t *writes, const uint64_t *reads, uint32_t n, const struct self *m,
                       unsigned first, uint64_t address)
{
    const slot *list = k->ins->extra;
    const char *values = (const char *)slot_at(k->w, list[0]) + first * k->bytes;
    const void *memory = (const void *)(uintptr_t)address;

    if (k->bytes == 4)
        run_put_4(writes, reads, n, m->who, (const uint32_t *)(const void *)values, memory, m->start);
    else
        run_put_8(writes, reads, n, m->who, (const uint64_t *)(const void *)values, memory, m->start);
}

/*
 * `count` lanes from lane `first` on, one behind the other in one page, by a plain access. False: nothing was noted,
 * and check_lane() must look.
 */
static bool check_run(struct look *k, unsigned first, uint32_t count, uint64_t address, unsigned shift)
{
    uint32_t per = (uint32_t)__builtin_ctz(k->bytes) - shift, n = count << per, at = unit_at(address, shift);
    int of = k->access == ACCESS_READ ? PAGE_READS : PAGE_WRITES;
    struct worker *worker = k->w->worker;
    struct self m = k->self;
    struct cells c;

    m.who |= (uint64_t)first << LANE_AT;
    if (!cells_of(worker, address, &c) || !entries_of(worker, &c, of))
        return true; /* not kept */
    if (touched(worker, &c, PAGE_WRITES, m.start) && !run_fine(c.of[PAGE_WRITES] + at, n, per, &m))
        return false;
    if ((of == PAGE_WRITES || !m.simple) && touched(worker, &c, PAGE_READS, m.start) &&
        !run_fine(c.of[PAGE_READS] + at, n, per, &m))
        return false;
    if (of == PAGE_READS && c.page->touched[PAGE_READS] == m.start)
        run_read(c.of[PAGE_READS] + at, n, per, &m);
    else if (of == PAGE_WRITES && touched(worker, &c, PAGE_READS, m.start) && writes_words(k, per))
        put_values(k, c.of[PAGE_WRITES] + at, c.of[PAGE_READS] + at, n, &m, first, address);
    else
        run_put(c.of[of] + at, n, per, m.who);
    touch(&c, of, m.start);
    return true;
}

/* How many lanes of `lanes` from lane `l` on access one behind the other, in one page. */
static uint32_t run_length(const uint64_t *address, uint32_t lanes, unsigned l, unsigned bytes)
{
    uint32_t n = 1, room = (PAGE_BYTES - (uint32_t)(address[l] & (PAGE_BYTES - 1))) / bytes;

    while (l + n < LANES && n < room && lanes >> (l + n) & 1 && address[l + n] == address[l] + (uint64_t)n * bytes)
        n++;
    return n;
}

static void check_plain(struct look *k, const uint64_t *address, enum spread spread, unsigned shift)
{
    for (uint32_t rest = k->w->mask, n; rest; rest &= ~(uint32_t)(((1ull << n) - 1) << __builtin_ctz(rest))) {
        unsigned l = (unsigned)__builtin_ctz(rest);
        uint32_t room = (PAGE_BYTES - (uint32_t)(address[l] & (PAGE_BYTES - 1))) / k->bytes;

        n = spread == SPREAD_CONSECUTIVE ? (LANES - l < room ? LANES - l : room)
                                         : run_length(address, rest, l, k->bytes);
        if (!check_run(k, l, n, address[l], shift))
            for (uint32_t i = 0; i < n; i++)
                check_lane(k, l + i, address);
    }
}

void race_global(struct warp *w, const struct ins *ins, unsigned bytes, enum access access, struct extent extent)
{
    unsigned shift = w->block->launch->kernel->global_shift;
    struct look k;

    if (*w->block->time >= TIME_MOST)
        return;
    k = race_look(w, ins, NULL, bytes, access);
    if (race_plain(ins, bytes, access) && bytes >> shift) {
        check_plain(&k, w->address, extent.spread, shift);
        return;
    }
    race_synchronise(&k, w->address, 0, true);
    EVERY_LANE(l, w->mask)
        check_lane(&k, l, w->address);
    race_synchronise(&k, w->address, 0, false);
}
