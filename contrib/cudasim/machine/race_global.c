/*
 * race_global.c - races in global memory, between blocks and inside one block.
 *
 * If the launch has only read a page so far, the page has no writes to check. If it has only written the page, there
 * are no reads to check. Lanes that access one address behind the other in a page are checked together: whole sectors
 * by one word each (race_sector.h), the units at the ends one by one. Where that shows no order, race_check.c looks at
 * the units of each lane.
 */
#include "race_check.h"

#include <string.h>

#include "race_apart.h"
#include "race_family.h"
#include "race_pages.h"
#include "race_runs.h"
#include "race_sector.h"
#include "race_source.h"

#define FAR 4096 /* bytes between the lanes of an access, from which on their entries are prefetched */

/* What is kept of the page that is looked at: by PAGE_WRITES and so on; NULL while there is nothing. */
struct cells {
    struct page *page;
    uint64_t **of; /* [4], the worker's */
};

/* What is kept of the page of `address`. False: nothing. */
static inline bool cells_of(struct worker *k, uint64_t address, struct cells *c)
{
    uint64_t page = address >> PAGE_SHIFT;

    if (k->page_address != page || !k->page) {
        k->page = pages_find(k->launch->pages, address);
        k->page_address = page;
        for (int n = 0; n < 4; n++)
            k->page_entries[n] = NULL;
    }
    *c = (struct cells){k->page, k->page_entries};
    return k->page != NULL;
}

/* Its words or entries, made if there are none. NULL: none are kept. */
static inline uint64_t *entries_of(struct worker *k, struct cells *c, int of)
{
    if (!c->of[of])
        c->of[of] = pages_make(k->launch->pages, c->page, of);
    return c->of[of];
}

/* The words of sectors, if the launch wrote, or read, anything in the page; else NULL. */
static inline uint64_t *touched(struct worker *k, struct cells *c, int of, uint64_t start)
{
    return c->page->touched[of] == start ? entries_of(k, c, of) : NULL;
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

/* The entry of unit `at` of the page, with its sector expanded. NULL: none is kept. */
static inline uint64_t *unit_entry(const struct look *k, struct cells *c, int of, uint32_t at)
{
    struct worker *worker = k->w->worker;
    uint64_t *words = entries_of(worker, c, of), *units = entries_of(worker, c, of + PAGE_WRITE_UNITS);

    if (!words || !units)
        return NULL;
    sector_expand(&words[at >> SECTOR_SHIFT], units + (at & ~(SECTOR_UNITS - 1)), &k->self);
    return units + at;
}

static void check_lane(struct look *k, unsigned l, const uint64_t *address)
{
    unsigned shift = k->w->block->launch->global_shift;
    uint64_t last = (address[l] + k->bytes - 1) >> shift;
    struct cells c;

    for (uint64_t n = address[l] >> shift; n <= last; n++) {
        uint64_t place = n << shift, *write, *read;
        uint32_t at = unit_at(place, shift);

        if (cells_of(k->w->worker, place, &c) && (write = unit_entry(k, &c, PAGE_WRITES, at)) &&
            (read = unit_entry(k, &c, PAGE_READS, at))) {
            struct unit u = {write, read, (const char *)(uintptr_t)place, 1u << shift, (unsigned)(place - address[l]),
                             place};

            if (k->access != ACCESS_WRITE) /* an atomic may only compare */
                touch(&c, PAGE_READS, k->self.start);
            if (k->access != ACCESS_READ)
                touch(&c, PAGE_WRITES, k->self.start);
            race_unit(k, l, &u, address);
        }
    }
}

/* ---- units of one sector ---- */

/* Stores of one word a lane, which is a unit. */
static bool writes_words(const struct look *k, unsigned per)
{
    return k->stores && per == 0 && k->ins->count == 1 && k->ins->width == k->bytes && k->bytes >= 4;
}

/* Stores whose values in registers are one behind the other as in memory, in units of 4 or 8 bytes. */
static bool stores_units(const struct look *k, unsigned per)
{
    return k->stores && k->ins->count == 1 && k->ins->width == k->bytes && k->bytes >> per >= 4;
}

/* Whether `x` is a read by the lane of `mine` alone, in this launch. */
static inline bool read_by_itself(uint64_t x, uint64_t mine, uint64_t start)
{
    return !((x ^ mine) & (SLOW | BLOCK_BITS | WARP_BITS | LANE_BITS | LANES_MANY | WARPS_MANY)) &&
           sector_live(x, start);
}

/* How many of `count` lanes from lane `l` on store the value that is in memory. For writes_words(). */
static inline unsigned unchanged(const struct look *k, unsigned l, unsigned count, uint64_t address)
{
    const char *values = (const char *)slot_at(k->w, k->ins->extra ? *(const slot *)k->ins->extra : 0);
    unsigned same = 0;

    if (k->bytes == 4) {
        const uint32_t *a = (const uint32_t *)(const void *)values + l, *b = (const uint32_t *)(uintptr_t)address;

        for (unsigned n = 0; n < count; n++)
            same += a[n] == b[n];
    } else {
        const uint64_t *a = (const uint64_t *)(const void *)values + l, *b = (const uint64_t *)(uintptr_t)address;

        for (unsigned n = 0; n < count; n++)
            same += a[n] == b[n];
    }
    return same;
}

/* A run of units of one page: lane `first` begins at unit `at`, and each lane has 1 << per of them. */
struct run {
    unsigned first, per;
    uint32_t at, count; /* units */
    uint64_t address;
    uint64_t *writes, *reads; /* words of the page's sectors; NULL: the launch did not touch these */
};

static inline uint64_t mine_at(const struct look *k, const struct run *r, uint32_t n)
{
    return k->self.who | (uint64_t)(r->first + (n >> r->per)) << LANE_AT;
}

/* Writes the entries fresh[] of `count` units from `at` on into their sector. False: there is no room for them. */
static inline bool put_units(struct look *k, struct cells *c, int of, unsigned per, uint32_t at, unsigned count,
                      const uint64_t *fresh)
{
    uint64_t *word = &c->of[of][at >> SECTOR_SHIFT], *units;
    unsigned alone = FORM_SINGLE + (at & (SECTOR_UNITS - 1)), same = 0;

    while (same < count && fresh[same] == fresh[0] + ((uint64_t)(same >> per) << LANE_AT))
        same++;
    if (count == SECTOR_UNITS && same == count) {
        *word = fresh[0] | (FORM_FULL + per);
        return true;
    }
    if (count == 1 && (!sector_live(*word, k->self.start) || (*word & FORM_BITS) == alone)) {
        *word = fresh[0] | alone;
        return true;
    }
    if (!(units = entries_of(k->w->worker, c, of + PAGE_WRITE_UNITS)))
        return false;
    sector_expand(word, units + (at & ~(SECTOR_UNITS - 1)), &k->self);
    for (unsigned n = 0; n < count; n++)
        units[at + n] = fresh[n];
    return true;
}

/*
 * Units n to n + count - 1 of the run, which are in one sector. `lanes`: so many lanes read the first lane's units.
 * False: the order is not quickly seen, nothing was noted.
 */
static inline bool check_units(struct look *k, struct cells *c, const struct run *r, uint32_t n, unsigned count,
                               unsigned lanes)
{
    const struct self *m = &k->self;
    uint32_t at = r->at + n, sector = at >> SECTOR_SHIFT;
    uint64_t w = r->writes ? r->writes[sector] : 0, x = r->reads ? r->reads[sector] : 0, fresh[SECTOR_UNITS];
    const uint64_t *wu = sector_expanded(w, m->start) ? entries_of(k->w->worker, c, PAGE_WRITE_UNITS) : NULL,
                   *xu = sector_expanded(x, m->start) ? entries_of(k->w->worker, c, PAGE_READ_UNITS) : NULL;
    bool reads = k->access == ACCESS_READ, words = writes_words(k, r->per),
         again = race_fine_decides(k) && (reads || words);

    for (unsigned i = 0; i < count; i++) {
        unsigned unit = (at + i) & (SECTOR_UNITS - 1);
        uint64_t mine = mine_at(k, r, n + i), ew = sector_entry(w, wu ? wu + (at & ~7u) : NULL, unit, m->start),
                 ex = sector_entry(x, xu ? xu + (at & ~7u) : NULL, unit, m->start);

        if (!fine(ew, mine, m) || ((!reads || !m->simple) && !fine(ex, mine, m)) ||
            (lanes > 1 && !fine(ew, mine + (1ull << LANE_AT), m))) {
            bool same = again && words && unchanged(k, r->first + n + i, 1, r->address + (uint64_t)(n + i) * k->bytes);
            enum again what = again ? race_again(k, ew, ex, mine, same) : AGAIN_ASK;

            if (what == AGAIN_NOTE && lanes > 1)
                what = race_again(k, ew, ex, mine + (1ull << LANE_AT), false);
            if (what == AGAIN_LEAVE && count == 1)
                return true;
            if (what != AGAIN_NOTE)
                return false;
        }
        fresh[i] = mine;
        if (reads) {
            fresh[i] = fine(ex, mine, m) ? mine : merge(ex, mine);
            if (lanes > 1)
                fresh[i] = merge(fresh[i], mine + ((uint64_t)(lanes - 1) << LANE_AT));
        } else if (words && read_by_itself(ex, mine, m->start) &&
                   unchanged(k, r->first + n + i, 1, r->address + (uint64_t)(n + i) * k->bytes)) {
            fresh[i] |= WRITTEN_BACK;
            k->by_value = true;
        }
    }
    return put_units(k, c, reads ? PAGE_READS : PAGE_WRITES, r->per, at, count, fresh);
}

/* check_units() with AVX-512. */
static bool check_eight(struct look *k, struct cells *c, const struct run *r, uint32_t n, unsigned count,
                        unsigned lanes)
{
    struct worker *worker = k->w->worker;
    uint32_t at = r->at + n, sector = at >> SECTOR_SHIFT, inside = at & (SECTOR_UNITS - 1), first = at - inside;
    int of = k->access == ACCESS_READ ? PAGE_READS : PAGE_WRITES;
    struct sector_units s = {.write = r->writes ? r->writes[sector] : 0, .read = r->reads ? r->reads[sector] : 0,
                             .own = &c->of[of][sector], .unit = inside, .count = count, .per = r->per, .lanes = lanes};

    if (!(s.own_units = entries_of(worker, c, of + PAGE_WRITE_UNITS)))
        return false;
    s.own_units += first;
    if (sector_expanded(s.write, k->self.start))
        s.write_units = entries_of(worker, c, PAGE_WRITE_UNITS) + first;
    if (sector_expanded(s.read, k->self.start))
        s.read_units = entries_of(worker, c, PAGE_READ_UNITS) + first;
    s.lane0 = (int)(r->first + (n >> r->per)) - (int)(inside >> r->per);
    if (stores_units(k, r->per))
        s.values = slot_at(k->w, k->ins->extra ? *(const slot *)k->ins->extra : 0);
    s.there = (const char *)(uintptr_t)(r->address + (uint64_t)n * k->bytes - (uint64_t)inside * k->bytes);
    return race_sector_eight(k, &s);
}

/* Reads of one unit or more each by all lanes, in steps of 1 << `step` units. */
struct stride {
    unsigned per, step;
    uint32_t at;    /* the first lane's unit */
};

/* Units of a sector that the lanes read. */
static uint8_t units_of_stride(const struct stride *s)
{
    unsigned apart = 1u << s->step, units = 0;

    for (unsigned u = s->at & (apart - 1); u < SECTOR_UNITS; u += apart)
        units |= ((1u << (1u << s->per)) - 1) << u;
    return (uint8_t)units;
}

/* Reads by lanes in equal steps that are shorter than a sector: each sector's units at once. False: they are not. */
static bool check_stride(struct look *k, const uint64_t *address, unsigned shift, unsigned per)
{
    struct worker *worker = k->w->worker;
    uint64_t by = address[1] - address[0], far = 0, start = k->self.start, *words, *writes, *units;
    struct stride s = {per, (unsigned)__builtin_ctzll(by | UINT64_C(1) << 63) - shift, unit_at(address[0], shift)};
    uint32_t last = s.at + ((LANES - 1) << s.step) + (1u << per) - 1;
    struct cells c;

    if (k->w->mask != FULL_MASK || by & (by - 1) || by <= k->bytes || by > SECTOR_UNITS << shift ||
        last >= PAGE_BYTES >> shift || address[0] & (k->bytes - 1))
        return false;
    for (unsigned l = 0; l < LANES; l++)
        far |= address[l] ^ (address[0] + l * by);
    if (far || !cells_of(worker, address[0], &c) || !(words = entries_of(worker, &c, PAGE_READS)) ||
        !(units = entries_of(worker, &c, PAGE_READ_UNITS)))
        return false;
    writes = touched(worker, &c, PAGE_WRITES, start);
    words = touched(worker, &c, PAGE_READS, start);
    touch(&c, PAGE_READS, start);
    for (uint32_t sector = s.at >> SECTOR_SHIFT; sector <= last >> SECTOR_SHIFT; sector++) {
        uint32_t first = sector * SECTOR_UNITS, low = first < s.at ? s.at - first : 0,
                 high = first + SECTOR_UNITS - 1 > last ? last - first : SECTOR_UNITS - 1;
        struct sector_units u = {.write = writes ? writes[sector] : 0, .read = words ? words[sector] : 0,
                                 .own = &c.of[PAGE_READS][sector], .own_units = units + first, .per = s.step,
                                 .lanes = 1};
        int before = (int)(first + (s.at & ((1u << s.step) - 1)) - s.at);

        u.some = (uint8_t)(units_of_stride(&s) & ((2u << high) - 1) & ~((1u << low) - 1));
        u.lane0 = before >> s.step;
        if (sector_expanded(u.write, start))
            u.write_units = entries_of(worker, &c, PAGE_WRITE_UNITS) + first;
        if (sector_expanded(u.read, start))
            u.read_units = units + first;
        if (!race_sector_eight(k, &u))
            for (unsigned l = 0; l < LANES; l++)
                if (((s.at + (l << s.step)) >> SECTOR_SHIFT) == sector)
                    check_lane(k, l, address);
    }
    return true;
}

/* The same for one unit, the usual case of lanes that are far apart. */
static bool check_one(struct look *k, struct cells *c, const struct run *r, unsigned lanes)
{
    return check_units(k, c, r, 0, 1, lanes);
}

static bool check_some(struct look *k, struct cells *c, const struct run *r, uint32_t n, unsigned count, unsigned lanes)
{
    if (count > 1 && pages_map(k->w->block->launch->pages)->wide)
        return check_eight(k, c, r, n, count, lanes);
    return check_units(k, c, r, n, count, lanes);
}

/* ---- whole sectors ---- */

/*
 * Whether all accesses to the sector before are ordered before that of `mine`, its word in form. `of` says what they
 * were; the sector's first unit is `unit` of the page.
 */
static inline bool sector_ordered(struct look *k, struct cells *c, int of, uint64_t e, uint64_t mine, unsigned per,
                                  uint32_t unit)
{
    struct self m = k->self;

    if (sector_fine(e, mine, &m))
        return true;
    m.who = mine & ~FORM_BITS;
    return sector_expanded(e, m.start) &&
           run_fine(entries_of(k->w->worker, c, of + PAGE_WRITE_UNITS) + unit, SECTOR_UNITS, per, &m);
}

/* Of `count` sectors from unit n of the run on: how many were noted, from the first on, before one needs more care. */
static uint32_t read_sectors(struct look *k, struct cells *c, uint64_t *reads, const struct run *r, uint32_t n,
                             uint32_t count)
{
    const struct self *m = &k->self;
    uint32_t sector = (r->at + n) >> SECTOR_SHIFT, s;

    for (s = 0; s < count; s++) {
        uint32_t unit = n + s * SECTOR_UNITS;
        uint64_t mine = mine_at(k, r, unit) | (FORM_FULL + r->per), x = reads[sector + s];

        if (r->writes && !sector_ordered(k, c, PAGE_WRITES, r->writes[sector + s], mine, r->per, r->at + unit))
            break;
        if (!r->reads || sector_ordered(k, c, PAGE_READS, x, mine, r->per, r->at + unit))
            reads[sector + s] = mine;
        else if (m->simple && sector_merges(x, mine))
            reads[sector + s] = merge(x, mine);
        else
            break;
    }
    return s;
}

static uint32_t write_sectors(struct look *k, struct cells *c, uint64_t *writes, const struct run *r, uint32_t n,
                             uint32_t count)
{
    const struct self *m = &k->self;
    bool words = writes_words(k, r->per);
    uint32_t sector = (r->at + n) >> SECTOR_SHIFT, s;

    for (s = 0; s < count; s++) {
        uint32_t unit = n + s * SECTOR_UNITS;
        uint64_t mine = mine_at(k, r, unit) | (FORM_FULL + r->per);

        if (r->writes && !sector_ordered(k, c, PAGE_WRITES, writes[sector + s], mine, r->per, r->at + unit))
            break;
        if (r->reads && sector_live(r->reads[sector + s], m->start)) {
            uint64_t x = r->reads[sector + s];

            if (!sector_ordered(k, c, PAGE_READS, x, mine, r->per, r->at + unit) ||
                (words && sector_expanded(x, m->start)))
                break;
            if (words && read_by_itself(x, mine, m->start)) {
                unsigned same = (x ^ mine) & FORM_BITS ? 1 : unchanged(k, r->first + unit, SECTOR_UNITS,
                                                                       r->address + (uint64_t)unit * k->bytes);

                if (same % SECTOR_UNITS)
                    break;
                mine |= same ? WRITTEN_BACK : 0;
                k->by_value |= same != 0;
            }
        }
        writes[sector + s] = mine;
    }
    return s;
}

/*
 * `count` lanes from lane `first` on, one behind the other in one page, by a plain access. If `lanes` is not 1, it is
 * one lane's place that so many lanes read.
 */
static void check_run(struct look *k, unsigned first, uint32_t count, unsigned lanes, const uint64_t *address,
                      unsigned shift)
{
    unsigned per = (unsigned)__builtin_ctz(k->bytes) - shift;
    int of = k->access == ACCESS_READ ? PAGE_READS : PAGE_WRITES;
    struct worker *worker = k->w->worker;
    uint64_t start = k->self.start, *words;
    struct run r = {first, per, unit_at(address[first], shift), count << per, address[first], NULL, NULL};
    struct cells c;

    if (!cells_of(worker, address[first], &c) || !(words = entries_of(worker, &c, of)))
        return; /* not kept */
    r.writes = touched(worker, &c, PAGE_WRITES, start);
    r.reads = touched(worker, &c, PAGE_READS, start);
    if (k->ins->cached && r.writes) { /* who wrote matters, whether it is ordered or not */
        for (uint32_t l = 0; l < (lanes > 1 ? lanes : count); l++)
            check_lane(k, first + l, address);
        return;
    }
    touch(&c, of, start);
    for (uint32_t n = 0; n < r.count;) {
        uint32_t inside = (r.at + n) & (SECTOR_UNITS - 1), left = r.count - n, part = SECTOR_UNITS - inside;

        if (inside == 0 && left >= SECTOR_UNITS && lanes == 1) {
            n += SECTOR_UNITS * (of == PAGE_READS ? read_sectors(k, &c, words, &r, n, left >> SECTOR_SHIFT)
                                                  : write_sectors(k, &c, words, &r, n, left >> SECTOR_SHIFT));
            if (n == r.count)
                return;
            left = r.count - n;
        }
        part = left < part ? left : part;
        if (!(r.count == 1 ? check_one(k, &c, &r, lanes) : check_some(k, &c, &r, n, part, lanes)))
            for (uint32_t l = n >> per; l <= (n + part - 1) >> per; l++)
                for (unsigned i = 0; i < lanes; i++)
                    check_lane(k, first + l + i, address);
        n += part;
    }
}

/* ---- lanes that are apart ---- */

/* What is kept of the sector that a lane accesses. */
struct spot {
    struct page *page;
    uint64_t *word, *other; /* of accesses of this kind, and of the other kind; NULL: the launch made none */
};

/* Finds the lanes' spots, and brings them into the cache, all at once. Lanes of which nothing is kept drop out. */
static uint32_t find_spots(const struct look *k, uint32_t lanes, const uint64_t *address, unsigned shift,
                            struct spot *spots)
{
    struct pages *pages = k->w->block->launch->pages;
    int of = k->access == ACCESS_READ ? PAGE_READS : PAGE_WRITES;
    uint32_t start = (uint32_t)k->self.start, found = 0;

    EVERY_LANE(l, lanes)
    {
        uint32_t at = unit_at(address[l], shift) >> SECTOR_SHIFT;
        struct spot *p = &spots[l];

        if (!(p->page = pages_find(pages, address[l])))
            continue;
        if (!(p->word = pages_entries(pages, p->page, of)) && !(p->word = pages_make(pages, p->page, of)))
            continue;
        __builtin_prefetch(p->word += at, 1);
        p->other = p->page->touched[1 - of] == start ? pages_make(pages, p->page, 1 - of) : NULL;
        if (p->other)
            __builtin_prefetch(p->other += at, 0);
        if (p->page->touched[of] != start)
            p->page->touched[of] = start;
        found |= 1u << l;
    }
    return found;
}

/* The entry of `unit` of the sector with that word. */
static inline uint64_t entry_at(const struct look *k, const struct page *page, uint64_t word, int of, uint32_t unit)
{
    const uint64_t *units = NULL;

    if (!sector_live(word, k->self.start))
        return 0;
    if (!(word & FORM_BITS))
        units = pages_entries(k->w->block->launch->pages, page, of + PAGE_WRITE_UNITS) + (unit & ~(SECTOR_UNITS - 1));
    return sector_entry(word, units, unit & (SECTOR_UNITS - 1), k->self.start);
}

/* check_units() for a lane's only unit, which is `unit` of its page. */
static inline bool check_spot(struct look *k, const struct spot *p, unsigned l, uint32_t unit, const void *bytes,
                               bool words)
{
    const struct self *m = &k->self;
    bool reads = k->access == ACCESS_READ;
    int of = reads ? PAGE_READS : PAGE_WRITES;
    uint64_t mine = m->who | (uint64_t)l << LANE_AT, fresh = mine, own = *p->word, *units,
             mark = FORM_SINGLE + (unit & (SECTOR_UNITS - 1)), e = entry_at(k, p->page, own, of, unit),
             o = p->other ? entry_at(k, p->page, *p->other, 1 - of, unit) : 0;

    if (!fine(o, mine, m) || (!fine(e, mine, m) && (!reads || !m->simple))) {
        bool again = race_fine_decides(k) && (reads || words),
             same = again && words && unchanged(k, l, 1, (uintptr_t)bytes);
        enum again what = again ? race_again(k, reads ? o : e, reads ? e : o, mine, same) : AGAIN_ASK;

        if (what != AGAIN_NOTE)
            return what == AGAIN_LEAVE;
    }
    if (reads && !fine(e, mine, m))
        fresh = merge(e, mine);
    if (words && read_by_itself(o, mine, m->start) && unchanged(k, l, 1, (uintptr_t)bytes)) {
        fresh |= WRITTEN_BACK;
        k->by_value = true;
    }
    if (!sector_live(own, m->start) || (own & FORM_BITS) == mark) {
        *p->word = fresh | mark;
        return true;
    }
    if (!(units = pages_make(k->w->block->launch->pages, p->page, of + PAGE_WRITE_UNITS)))
        return false;
    sector_expand(p->word, units + (unit & ~(SECTOR_UNITS - 1)), m);
    units[unit] = fresh;
    return true;
}

/* Lanes that access a unit each, one after the other. */
static void check_each(struct look *k, uint32_t lanes, const uint64_t *address, unsigned shift)
{
    struct spot spots[LANES];
    bool words = writes_words(k, 0);

    lanes = find_spots(k, lanes, address, shift, spots);
    EVERY_LANE(l, lanes)
        if (!check_spot(k, &spots[l], l, unit_at(address[l], shift), (const void *)(uintptr_t)address[l], words))
            check_lane(k, l, address);
}

/* Lanes that access 1 << per units of a sector each, none behind or beside the one before. */
static void check_apart(struct look *k, uint32_t lanes, const uint64_t *address, unsigned shift, unsigned per)
{
    struct apart a = {address, NULL, shift, per};

    if (!pages_map(k->w->block->launch->pages)->wide) {
        check_each(k, lanes, address, shift);
        return;
    }
    if (writes_words(k, 0))
        a.values = slot_at(k->w, k->ins->extra ? *(const slot *)k->ins->extra : 0);
    for (unsigned first = 0; first < LANES;) {
        uint32_t rest = race_apart(k, &a, &first, lanes);

        if (rest && per == 0)
            check_each(k, rest, address, shift);
        else
            EVERY_LANE(l, rest)
                check_run(k, l, 1, 1, address, shift);
    }
}

/* How many lanes of `lanes` from lane `l` on access one behind the other, in one page. */
static uint32_t run_length(const uint64_t *address, uint32_t lanes, unsigned l, unsigned bytes)
{
    uint32_t n = 1, room = (PAGE_BYTES - (uint32_t)(address[l] & (PAGE_BYTES - 1))) / bytes;

    while (l + n < LANES && n < room && lanes >> (l + n) & 1 && address[l + n] == address[l] + (uint64_t)n * bytes)
        n++;
    return n;
}

/* How many lanes of `lanes` from lane `l` on access the same address. */
static uint32_t same_length(const uint64_t *address, uint32_t lanes, unsigned l)
{
    uint32_t n = 1;

    while (l + n < LANES && lanes >> (l + n) & 1 && address[l + n] == address[l])
        n++;
    return n;
}

/*
 * Lanes that access memory far apart: brings what is kept of it into the cache, for all lanes at once. For places with
 * entries of their own, the words must be there first.
 */
static void prefetch(const struct look *k, uint32_t lanes, const uint64_t *address, unsigned shift)
{
    const struct pages *pages = k->w->block->launch->pages;
    const uint64_t *words[LANES];
    const struct page *page[LANES];
    int of = k->access == ACCESS_READ ? PAGE_READS : PAGE_WRITES;

    EVERY_LANE(l, lanes)
    {
        uint32_t at = unit_at(address[l], shift) >> SECTOR_SHIFT;
        const uint64_t *other;

        words[l] = NULL;
        if (!(page[l] = pages_find(pages, address[l])) || !(words[l] = pages_entries(pages, page[l], of)))
            continue;
        __builtin_prefetch(words[l] += at, 1);
        if (page[l]->touched[1 - of] == k->self.start && (other = pages_entries(pages, page[l], 1 - of)))
            __builtin_prefetch(other + at, 0);
    }
    EVERY_LANE(l, lanes)
        if (words[l] && page[l]->index[of + PAGE_WRITE_UNITS] && sector_live(*words[l], k->self.start))
            __builtin_prefetch(pages_entries(pages, page[l], of + PAGE_WRITE_UNITS) + unit_at(address[l], shift), 1);
}

/* The lanes of `lanes` that access neither the place of the lane before or behind, nor the next one in order. */
static uint32_t lanes_apart(const uint64_t *address, uint32_t lanes, unsigned bytes)
{
    uint32_t near = 0;

    for (unsigned l = 0; l + 1 < LANES; l++)
        near |= (uint32_t)(address[l + 1] - address[l] == bytes || address[l + 1] == address[l]) << l;
    near &= lanes & lanes >> 1;
    return lanes & ~(near | near << 1);
}

static void check_plain(struct look *k, const uint64_t *address, enum spread spread, bool far, unsigned shift)
{
    unsigned per = (unsigned)__builtin_ctz(k->bytes) - shift;
    uint32_t apart = 0;

    if (spread == SPREAD_ANY && k->access == ACCESS_READ && !k->ins->cached && per < APART_MOST &&
        pages_map(k->w->block->launch->pages)->wide && check_stride(k, address, shift, per))
        return;
    if (spread == SPREAD_ANY && !k->ins->cached &&
        (per == 0 || (per <= APART_MOST && pages_map(k->w->block->launch->pages)->wide)))
        apart = lanes_apart(address, k->w->mask, k->bytes);
    if (k->access != ACCESS_READ && apart != k->w->mask)
        apart = 0; /* lanes that store to one address are looked at in order */
    if (apart)
        check_apart(k, apart, address, shift, per);
    if (far && apart != k->w->mask)
        prefetch(k, k->w->mask & ~apart, address, shift);
    for (uint32_t rest = k->w->mask & ~apart, n; rest; rest &= ~(uint32_t)(((1ull << n) - 1) << __builtin_ctz(rest))) {
        unsigned l = (unsigned)__builtin_ctz(rest);
        uint32_t room = (PAGE_BYTES - (uint32_t)(address[l] & (PAGE_BYTES - 1))) / k->bytes;

        if (k->access == ACCESS_READ && (n = same_length(address, rest, l)) > 1) {
            check_run(k, l, 1, n, address, shift);
            continue;
        }
        n = spread == SPREAD_CONSECUTIVE ? (LANES - l < room ? LANES - l : room)
                                         : run_length(address, rest, l, k->bytes);
        check_run(k, l, n, 1, address, shift);
    }
}

/*
 * Lane `l`'s atomic, for which race_atomics_quick() holds. `of`: PAGE_WRITES, or PAGE_READS if it only compares. False:
 * check_lane() must look.
 */
static bool check_atomic(struct look *k, unsigned l, uint64_t address, unsigned shift, int of)
{
    struct worker *worker = k->w->worker;
    uint64_t mine = k->self.who | (uint64_t)l << LANE_AT, *own, *words, *units = NULL, x = 0;
    uint32_t at = unit_at(address, shift), n = k->bytes >> shift;
    struct cells c;

    if (n > SECTOR_UNITS || !cells_of(worker, address, &c) || !(own = unit_entry(k, &c, of, at)))
        return false;
    if ((words = touched(worker, &c, 1 - of, k->self.start)) && (x = words[at >> SECTOR_SHIFT]) != 0 &&
        sector_expanded(x, k->self.start))
        units = entries_of(worker, &c, 1 - of + PAGE_WRITE_UNITS) + (at & ~(SECTOR_UNITS - 1));
    for (uint32_t i = 0; i < n; i++)
        if (!atomic_fine(own[i], sector_entry(x, units, (at + i) & (SECTOR_UNITS - 1), k->self.start), mine,
                         k->flags, &k->self, k->self.start, &own[i]))
            return false;
    touch(&c, of, k->self.start);
    return true;
}

/* Lanes with one address: the first and the last leave what all of them would. */
static bool check_same(struct look *k, uint32_t lanes, uint64_t address, unsigned shift, int of)
{
    unsigned first = (unsigned)__builtin_ctz(lanes), last = LANES - 1 - (unsigned)__builtin_clz(lanes);

    return check_atomic(k, first, address, shift, of) &&
           (first == last || check_atomic(k, last, address, shift, of));
}

/* The lanes of `lanes`, with one address, whose compare-and-swap does not swap. */
static uint32_t lanes_compare(const struct look *k, uint32_t lanes, uint64_t address)
{
    uint32_t found = 0;

    if (race_is_swap(k->ins))
        EVERY_LANE(l, lanes)
            found |= (uint32_t)race_only_compares(k, l, (const void *)(uintptr_t)address) << l;
    return found;
}

static void check_atomics(struct look *k, const uint64_t *address, unsigned shift)
{
    for (uint32_t rest = k->w->mask, n; rest; rest &= ~(uint32_t)(((1ull << n) - 1) << __builtin_ctz(rest))) {
        unsigned l = (unsigned)__builtin_ctz(rest);
        uint32_t lanes, compare;

        n = same_length(address, rest, l);
        lanes = (uint32_t)((1ull << n) - 1) << l;
        compare = lanes_compare(k, lanes, address[l]);
        if ((lanes == compare || check_same(k, lanes & ~compare, address[l], shift, PAGE_WRITES)) &&
            (!compare || check_same(k, compare, address[l], shift, PAGE_READS)))
            continue;
        for (unsigned i = 0; i < n; i++)
            check_lane(k, l + i, address);
    }
}

/* ---- the same again ---- */

static inline uint32_t how_of(unsigned bytes, enum access access) { return bytes << 2 | (uint32_t)access; }

/* Whether the warp did the same since its time last went on. */
static bool did_again(const struct warp *w, uint32_t how)
{
    const struct order *o = w->order;
    uint32_t time = *w->block->time;

    for (unsigned n = 0; n < RECENTS; n++) {
        const struct last_access *r = &o->recent[n];

        if (r->time == time && r->how == how && r->mask == w->mask && r->address[0] == w->address[0] &&
            !memcmp(r->address, w->address, sizeof r->address))
            return true;
    }
    return false;
}

static void remember(struct warp *w, uint32_t how)
{
    struct order *o = w->order;
    struct last_access *r = &o->recent[o->recent_count++ % RECENTS];

    r->time = *w->block->time;
    r->mask = w->mask;
    r->how = how;
    memcpy(r->address, w->address, sizeof r->address);
}

/* The global side of cp.async, which reads as a load does. */
static inline bool reads_for_copy(const struct ins *ins, unsigned bytes, enum access access)
{
    return ins->copies && access == ACCESS_READ && !(ins->order | ins->guesses) && !(bytes & (bytes - 1));
}

void race_global(struct warp *w, const struct ins *ins, unsigned bytes, enum access access, struct extent extent)
{
    unsigned shift = w->block->launch->global_shift;
    struct look k;
    bool plain, far = extent.high - extent.low >= FAR;

    if (*w->block->time >= TIME_MOST)
        return;
    if (ins->copies && access == ACCESS_READ && !(ins->bulk && w->block->cluster))
        race_source_keep(w, bytes);
    else if (w->block->sources && access != ACCESS_READ)
        race_source_overwritten(w, ins, bytes, access);
    plain = (race_plain(ins, bytes, access) && !(ins->bulk && access == ACCESS_WRITE)) ||
            reads_for_copy(ins, bytes, access);
    if (plain && !ins->cached && did_again(w, how_of(bytes, access)))
        return;
    k = race_look(w, ins, NULL, bytes, access);
    if (w->block->launch->family)
        family_note(w, ins, bytes, access);
    if (plain && bytes >> shift) {
        check_plain(&k, w->address, extent.spread, far, shift);
        if (!k.by_value && !ins->cached && w->worker->faulted_at != ins)
            remember(w, how_of(bytes, access));
        return;
    }
    if (far)
        prefetch(&k, w->mask, w->address, shift);
    race_synchronise(&k, w->address, 0, true);
    if (race_atomics_quick(&k)) {
        check_atomics(&k, w->address, shift);
    } else {
        EVERY_LANE(l, w->mask)
            check_lane(&k, l, w->address);
    }
    race_synchronise(&k, w->address, 0, false);
}
