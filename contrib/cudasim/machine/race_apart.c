/*
 * race_apart.c - the check of accesses to global memory with AVX-512, eight entries at once.
 *
 * race_apart() does what check_spot() in race_global.c does for lanes with one unit each, and check_units() for lanes
 * with several, for the usual cases: the page is in use, the sector's word says nothing of this launch yet, or the same
 * unit or the whole sector, or the units have entries of their own, and all is in order. Lanes of which this is not so
 * are left to the caller. So are all but the first of those that share a unit, or a sector that the launch did not
 * touch before, or of which each has several units. race_sector_eight() does what check_units() does, too.
 */
#include "race_apart.h"

#include <immintrin.h>

#include "race_pages.h"
#include "race_sector.h"

#define GROUP 8
#define WIDE __attribute__((target("avx512f,avx512dq,avx512cd,avx512vl,avx512bw"), always_inline)) static inline

/* Constants and places that all lanes of a group have in common. */
struct common {
    const struct page_map *map;
    int of;                /* PAGE_READS or PAGE_WRITES: what the access is */
    unsigned unit_shift;
    __m512i start_entry;   /* the launch's first time, in place */
    __m512i mine;          /* the lanes' own entries */
    const struct self *self;
};

WIDE __m512i all(uint64_t value) { return _mm512_set1_epi64((long long)value); }

/* Pages as three words each: indices of words; indices of entries; times. */
struct page_words {
    __m512i words, units, touched;
};

WIDE struct page_words find_pages(const struct page_map *map, __m512i offset, __mmask8 lanes)
{
    __m512i page = _mm512_srli_epi64(offset, PAGE_SHIFT), at, zero = all(0);
    const char *table = (const char *)map->table;
    uint64_t number = (uint64_t)_mm512_mask_reduce_min_epu64(lanes, page);

    _Static_assert(sizeof(struct page) == 24 && PAGE_WRITES == 0 && PAGE_READS == 1, "a page is three words");
    if (lanes && _mm512_mask_cmpeq_epi64_mask(lanes, page, all(number)) == lanes) { /* the usual case */
        const uint64_t *words = (const uint64_t *)(const void *)&map->table[number];

        return (struct page_words){all(__atomic_load_n(&words[0], __ATOMIC_RELAXED)),
                                   all(__atomic_load_n(&words[1], __ATOMIC_RELAXED)),
                                   all(__atomic_load_n(&words[2], __ATOMIC_RELAXED))};
    }
    at = _mm512_mullo_epi64(page, all(sizeof(struct page)));
    return (struct page_words){_mm512_mask_i64gather_epi64(zero, lanes, at, table, 1),
                               _mm512_mask_i64gather_epi64(zero, lanes, at, table + 8, 1),
                               _mm512_mask_i64gather_epi64(zero, lanes, at, table + 16, 1)};
}

/* The half of each word that is for writes, or for reads. */
WIDE __m512i half(__m512i pair, int of)
{
    return of == PAGE_READS ? _mm512_srli_epi64(pair, 32) : _mm512_and_epi64(pair, all(UINT32_MAX));
}

/* Where the words of the units' sectors, or the entries of the units, lie: addresses. */
WIDE __m512i word_places(const struct common *c, __m512i index, __m512i unit)
{
    __m512i part = _mm512_slli_epi64(_mm512_sub_epi64(index, all(1)), PAGE_SHIFT - c->unit_shift),
            in_part = _mm512_slli_epi64(_mm512_srli_epi64(unit, SECTOR_SHIFT), 3);

    return _mm512_add_epi64(all((uintptr_t)c->map->parts[0].base), _mm512_add_epi64(part, in_part));
}
WIDE __m512i unit_places(const struct common *c, __m512i index, __m512i unit)
{
    __m512i part = _mm512_slli_epi64(_mm512_sub_epi64(index, all(1)), PAGE_SHIFT - c->unit_shift + SECTOR_SHIFT);

    return _mm512_add_epi64(all((uintptr_t)c->map->parts[1].base), _mm512_add_epi64(part, _mm512_slli_epi64(unit, 3)));
}

WIDE __mmask8 live(const struct common *c, __m512i word)
{
    return _mm512_cmpge_epu64_mask(_mm512_andnot_epi64(all(SLOW), word), c->start_entry);
}

/* Lanes with no bit of `bits` in `word`. */
WIDE __mmask8 without(__m512i word, uint64_t bits) { return _mm512_testn_epi64_mask(word, all(bits)); }

/* fine() of race_entry.h. */
WIDE __mmask8 all_fine(const struct common *c, __m512i e)
{
    __m512i other = _mm512_xor_epi64(e, c->mine), time = _mm512_srli_epi64(e, TIME_AT);
    __mmask8 block = without(other, BLOCK_BITS) & _mm512_cmplt_epu64_mask(time, all(c->self->t0)),
             warp = without(other, BLOCK_BITS | WARP_BITS | WARPS_MANY) &
                    _mm512_cmplt_epu64_mask(time, all(c->self->base)),
             lane = without(other, SLOW | BLOCK_BITS | WARP_BITS | LANE_BITS | LANES_MANY | WARPS_MANY);

    return (__mmask8)(~live(c, e) | block | warp | lane);
}

/* merge() of race_entry.h. */
WIDE __m512i all_merged(const struct common *c, __m512i e)
{
    __m512i other = _mm512_xor_epi64(e, c->mine), flags = _mm512_and_epi64(e, all(SLOW | MANY));

    flags = _mm512_or_epi64(flags, all(LANES_MANY));
    flags = _mm512_mask_or_epi64(flags, _mm512_test_epi64_mask(other, all(BLOCK_BITS | WARP_BITS)), flags,
                                 all(WARPS_MANY));
    flags = _mm512_mask_or_epi64(flags, _mm512_test_epi64_mask(other, all(BLOCK_BITS)), flags,
                                 all(BLOCKS_MANY | SLOW));
    return _mm512_or_epi64(c->mine, flags);
}

/* The entries of the units: sector_entry() of race_sector.h, for words of lanes `lanes`; 0 elsewhere. */
WIDE __m512i entries_at(const struct common *c, __m512i word, __m512i unit, __m512i units, __mmask8 lanes)
{
    __m512i form = _mm512_and_epi64(word, all(FORM_BITS)), bare = _mm512_andnot_epi64(all(FORM_BITS), word),
            in_sector = _mm512_and_epi64(unit, all(SECTOR_UNITS - 1)), entry, lane;
    __mmask8 known = lanes & live(c, word), own = known & without(word, FORM_BITS),
             single = known & _mm512_cmpge_epu64_mask(form, all(FORM_SINGLE)),
             same = single & _mm512_cmpeq_epi64_mask(_mm512_sub_epi64(form, all(FORM_SINGLE)), in_sector);

    lane = _mm512_slli_epi64(_mm512_srlv_epi64(in_sector, _mm512_sub_epi64(form, all(FORM_FULL))), LANE_AT);
    entry = _mm512_maskz_add_epi64(known & (__mmask8)~(own | single), bare, lane);
    entry = _mm512_mask_mov_epi64(entry, same, bare);
    return !own ? entry : _mm512_mask_i64gather_epi64(entry, own, unit_places(c, units, unit), NULL, 1);
}

/* Of the lanes `lanes`, those before which none of `asked` has the same key. */
WIDE __mmask8 first_of_key(__m512i key, __mmask8 lanes, __mmask8 asked)
{
    return lanes & without(_mm512_and_epi64(_mm512_conflict_epi64(key), all(asked)), UINT64_MAX);
}

/* Of the lanes `lanes`, those that store the value that is in memory at `address`. */
WIDE __mmask8 unchanged(const struct look *k, const struct apart *a, unsigned first, __m512i address, __mmask8 lanes)
{
    if (k->bytes == 4) {
        __m256i there = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), lanes, address, NULL, 1);

        return lanes & _mm256_cmpeq_epi32_mask(there, _mm256_loadu_si256(
                                                          (const void *)((const uint32_t *)a->values + first)));
    }
    return lanes & _mm512_cmpeq_epi64_mask(_mm512_mask_i64gather_epi64(all(0), lanes, address, NULL, 1),
                                           _mm512_loadu_si512((const uint64_t *)a->values + first));
}

/* read_by_itself() of race_global.c. */
WIDE __mmask8 read_by_themselves(const struct common *c, __m512i x)
{
    return without(_mm512_xor_epi64(x, c->mine),
                   SLOW | BLOCK_BITS | WARP_BITS | LANE_BITS | LANES_MANY | WARPS_MANY) & live(c, x);
}

/*
 * Gives the units of sectors that several of `lanes` access, and that the launch did not touch, entries of their own:
 * see sector_expand(). Returns the lanes that have them then.
 */
WIDE __mmask8 expand_shared(__m512i sector, __mmask8 lanes, __m512i place, __m512i expanded)
{
    __m512i before = _mm512_and_epi64(_mm512_conflict_epi64(sector), all(lanes));
    __mmask8 later = lanes & _mm512_test_epi64_mask(before, before),
             shared = later ? later | (__mmask8)_mm512_mask_reduce_or_epi64(later, before) : 0;

    if (shared)
        _mm512_mask_i64scatter_epi64(NULL, shared, place, expanded, 1);
    return shared;
}

/* What race_apart() does, for eight lanes. */
WIDE uint32_t check_eight(struct look *k, const struct apart *a, unsigned first, uint32_t lanes)
{
    static const uint64_t numbers[GROUP] = {0, 1, 2, 3, 4, 5, 6, 7};
    const struct page_map *map = pages_map(k->w->block->launch->pages);
    bool reads = k->access == ACCESS_READ;
    struct common c = {map, reads ? PAGE_READS : PAGE_WRITES, a->shift, all(k->self.start << TIME_AT), all(0),
                       &k->self};
    __mmask8 asked = (__mmask8)(lanes >> first), quick, fresh_word, own_entry, shared, has_other, fine_own;
    __m512i address = _mm512_loadu_si512(a->address + first), offset = _mm512_sub_epi64(address, all(map->origin)),
            unit = _mm512_srli_epi64(_mm512_and_epi64(address, all(PAGE_BYTES - 1)), a->shift),
            own, other, index, units, place, expanded, e, o, entry, mark, key;
    struct page_words p;

    c.mine = _mm512_or_epi64(all(k->self.who), _mm512_slli_epi64(_mm512_add_epi64(_mm512_loadu_si512(numbers),
                                                                                  all(first)), LANE_AT));
    quick = asked & _mm512_cmplt_epu64_mask(offset, all(map->range));
    p = find_pages(map, offset, quick);
    index = half(p.words, c.of);
    units = half(p.units, c.of);
    quick &= _mm512_test_epi64_mask(index, index) & _mm512_cmpeq_epi64_mask(half(p.touched, c.of), all(k->self.start));
    place = word_places(&c, index, unit);
    own = _mm512_mask_i64gather_epi64(all(0), quick, place, NULL, 1);

    mark = _mm512_add_epi64(_mm512_and_epi64(unit, all(SECTOR_UNITS - 1)), all(FORM_SINGLE));
    fresh_word = (__mmask8)~live(&c, own) | _mm512_cmpeq_epi64_mask(_mm512_and_epi64(own, all(FORM_BITS)), mark);
    own_entry = (__mmask8)~fresh_word & without(own, FORM_BITS) & _mm512_test_epi64_mask(units, units);
    expanded = all(SLOW | (k->self.who & TIME_BITS));
    shared = expand_shared(_mm512_srli_epi64(address, a->shift + SECTOR_SHIFT),
                           quick & (__mmask8)~live(&c, own) & _mm512_test_epi64_mask(units, units), place, expanded);
    own = _mm512_mask_mov_epi64(own, shared, expanded);
    fresh_word &= (__mmask8)~shared;
    own_entry |= shared;
    quick &= fresh_word | own_entry;
    /* Of lanes with one unit, or one sector of which nothing is known, the first is done here. */
    key = _mm512_mask_or_epi64(_mm512_srli_epi64(address, a->shift), fresh_word,
                               _mm512_srli_epi64(address, a->shift + SECTOR_SHIFT), all(SLOW));
    quick = first_of_key(key, quick, asked);
    e = entries_at(&c, own, unit, units, quick);

    has_other = quick & _mm512_cmpeq_epi64_mask(half(p.touched, 1 - c.of), all(k->self.start));
    o = all(0);
    if (has_other) {
        __m512i other_index = half(p.words, 1 - c.of);

        has_other &= _mm512_test_epi64_mask(other_index, other_index);
        other = _mm512_mask_i64gather_epi64(all(0), has_other, word_places(&c, other_index, unit), NULL, 1);
        o = entries_at(&c, other, unit, half(p.units, 1 - c.of), has_other);
        quick &= all_fine(&c, o);
    }
    fine_own = all_fine(&c, e);
    entry = c.mine;
    if (quick & (__mmask8)~fine_own) {
        if (reads && k->self.simple)
            entry = _mm512_mask_mov_epi64(all_merged(&c, e), fine_own, c.mine);
        else
            quick &= fine_own;
    }
    if (a->values && (has_other & quick)) {
        __mmask8 same = unchanged(k, a, first, address, quick & has_other & read_by_themselves(&c, o));

        entry = _mm512_mask_or_epi64(entry, same, entry, all(WRITTEN_BACK));
        k->by_value |= same != 0;
    }
    if (quick & fresh_word)
        _mm512_mask_i64scatter_epi64(NULL, quick & fresh_word, place, _mm512_or_epi64(entry, mark), 1);
    if (quick & own_entry)
        _mm512_mask_i64scatter_epi64(NULL, quick & own_entry, unit_places(&c, units, unit), entry, 1);
    return lanes & (0xFFu << first) & ~((uint32_t)quick << first);
}

/*
 * The same for lanes with several units each. A word that is not in the form of a whole sector stands for nothing here,
 * and what the launch did not touch gets entries of its own.
 */
WIDE uint32_t check_eight_parts(struct look *k, const struct apart *a, unsigned first, uint32_t lanes, unsigned per)
{
    static const uint64_t numbers[GROUP] = {0, 1, 2, 3, 4, 5, 6, 7};
    const struct page_map *map = pages_map(k->w->block->launch->pages);
    bool reads = k->access == ACCESS_READ, sectors = per == APART_MOST;
    struct common c = {map, reads ? PAGE_READS : PAGE_WRITES, a->shift, all(k->self.start << TIME_AT), all(0),
                       &k->self};
    __mmask8 asked = (__mmask8)(lanes >> first), quick, untouched, has_other;
    __m512i address = _mm512_loadu_si512(a->address + first), offset = _mm512_sub_epi64(address, all(map->origin)),
            unit = _mm512_srli_epi64(_mm512_and_epi64(address, all(PAGE_BYTES - 1)), a->shift),
            sector = _mm512_srli_epi64(address, a->shift + SECTOR_SHIFT), whole = all(FORM_FULL + APART_MOST),
            own, other = all(0), index, units, place, fresh[SECTOR_UNITS / 2];
    unsigned entries = sectors ? 1 : 1u << per;
    struct page_words p;

    c.mine = _mm512_or_epi64(all(k->self.who), _mm512_slli_epi64(_mm512_add_epi64(_mm512_loadu_si512(numbers),
                                                                                  all(first)), LANE_AT));
    quick = asked & _mm512_cmplt_epu64_mask(offset, all(map->range)) & without(address, k->bytes - 1);
    p = find_pages(map, offset, quick);
    index = half(p.words, c.of);
    units = half(p.units, c.of);
    quick &= _mm512_test_epi64_mask(index, index) & _mm512_cmpeq_epi64_mask(half(p.touched, c.of), all(k->self.start));
    quick = first_of_key(sector, quick, asked);
    place = word_places(&c, index, unit);
    own = _mm512_mask_i64gather_epi64(all(0), quick, place, NULL, 1);
    untouched = (__mmask8)~live(&c, own);
    quick &= sectors ? untouched | _mm512_cmpeq_epi64_mask(_mm512_and_epi64(own, all(FORM_BITS)), whole)
                     : (untouched | without(own, FORM_BITS)) & _mm512_test_epi64_mask(units, units);
    has_other = quick & _mm512_cmpeq_epi64_mask(half(p.touched, 1 - c.of), all(k->self.start));
    if (has_other) {
        __m512i other_index = half(p.words, 1 - c.of);

        has_other &= _mm512_test_epi64_mask(other_index, other_index);
        other = _mm512_mask_i64gather_epi64(all(0), has_other, word_places(&c, other_index, unit), NULL, 1);
        if (sectors) /* its entries are one */
            quick &= (__mmask8)~(has_other & live(&c, other)) |
                     _mm512_cmpeq_epi64_mask(_mm512_and_epi64(other, all(FORM_BITS)), whole);
    }
    for (unsigned n = 0; n < entries && quick; n++) {
        __m512i at = _mm512_add_epi64(unit, all(n)),
                e = sectors ? _mm512_maskz_andnot_epi64((__mmask8)~untouched, all(FORM_BITS), own)
                            : entries_at(&c, own, at, units, quick & (__mmask8)~untouched);
        __mmask8 fine_own = all_fine(&c, e);

        if (has_other)
            quick &= all_fine(&c, sectors ? _mm512_maskz_andnot_epi64(has_other, all(FORM_BITS), other)
                                          : entries_at(&c, other, at, half(p.units, 1 - c.of), has_other));
        fresh[n] = c.mine;
        if (quick & (__mmask8)~fine_own) {
            if (reads && k->self.simple)
                fresh[n] = _mm512_mask_mov_epi64(all_merged(&c, e), fine_own, c.mine);
            else
                quick &= fine_own;
        }
    }
    if (sectors && quick) {
        _mm512_mask_i64scatter_epi64(NULL, quick, place, _mm512_or_epi64(fresh[0], whole), 1);
    } else if (quick) {
        if (quick & untouched)
            _mm512_mask_i64scatter_epi64(NULL, quick & untouched, place, all(SLOW | (k->self.who & TIME_BITS)), 1);
        for (unsigned n = 0; n < entries; n++)
            _mm512_mask_i64scatter_epi64(NULL, quick, unit_places(&c, units, _mm512_add_epi64(unit, all(n))), fresh[n],
                                         1);
    }
    return lanes & (0xFFu << first) & ~((uint32_t)quick << first);
}

__attribute__((target("avx512f,avx512dq,avx512cd,avx512vl,avx512bw")))
uint32_t race_apart(struct look *k, const struct apart *a, unsigned *first, uint32_t lanes)
{
    uint32_t rest = 0;

    for (; *first < LANES && !rest; *first += GROUP)
        if (lanes >> *first & 0xFF)
            rest = a->per == 0   ? check_eight(k, a, *first, lanes)
                   : a->per == 1 ? check_eight_parts(k, a, *first, lanes, 1)
                   : a->per == 2 ? check_eight_parts(k, a, *first, lanes, 2)
                                 : check_eight_parts(k, a, *first, lanes, APART_MOST);
    return rest;
}

/* The entries of all units of a sector: sector_entry() for each. `units`: their own, read if the word says so. */
WIDE __m512i sector_entries(uint64_t word, const uint64_t *units, const struct self *m)
{
    static const uint64_t numbers[GROUP] = {0, 1, 2, 3, 4, 5, 6, 7};
    unsigned form = (unsigned)(word & FORM_BITS);
    __m512i number = _mm512_loadu_si512(numbers), bare = all(word & ~FORM_BITS);

    if (!sector_live(word, m->start))
        return all(0);
    if (!form)
        return _mm512_loadu_si512(units);
    if (form >= FORM_SINGLE)
        return _mm512_maskz_mov_epi64((__mmask8)(1u << (form - FORM_SINGLE)), bare);
    return _mm512_add_epi64(bare, _mm512_slli_epi64(_mm512_srli_epi64(number, form - FORM_FULL), LANE_AT));
}

/* Units of `some` whose lanes store what is in memory; the entry of unit 0 would be that of lane s->lane0. */
WIDE __mmask8 units_unchanged(const struct look *k, const struct sector_units *s, __mmask8 some)
{
    const char *values = (const char *)s->values + (int64_t)s->lane0 * k->bytes, *there = s->there;

    if (k->bytes >> s->per == 4)
        return some & _mm256_cmpeq_epi32_mask(_mm256_maskz_loadu_epi32(some, values),
                                              _mm256_maskz_loadu_epi32(some, there));
    return some & _mm512_cmpeq_epi64_mask(_mm512_maskz_loadu_epi64(some, values),
                                          _mm512_maskz_loadu_epi64(some, there));
}

/* Writes the entries `fresh` of the units `some`; `before` are those of the sector. */
WIDE void put_entries(const struct look *k, const struct sector_units *s, __mmask8 some, __m512i fresh, __m512i before)
{
    uint64_t was = *s->own, first = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(fresh));
    unsigned unit = (unsigned)__builtin_ctz(some);
    bool is_live = sector_live(was, k->self.start);

    if (some == 0xFF && _mm512_cmpeq_epi64_mask(fresh, sector_entries(first | (FORM_FULL + s->per), NULL, &k->self)) ==
                            0xFF) {
        *s->own = first | (FORM_FULL + s->per);
        return;
    }
    if (some == 1u << unit && (!is_live || (was & FORM_BITS) == FORM_SINGLE + unit)) {
        _mm512_mask_compressstoreu_epi64(s->own, some, _mm512_or_epi64(fresh, all(FORM_SINGLE + unit)));
        return;
    }
    if (is_live && was & FORM_BITS)
        _mm512_storeu_si512(s->own_units, before);
    if (!is_live || was & FORM_BITS)
        __atomic_store_n(s->own, SLOW | (k->self.who & TIME_BITS), __ATOMIC_RELEASE);
    _mm512_mask_storeu_epi64(s->own_units, some, fresh);
}

/* The lanes of `some` whose entry of `e` belongs to a store that another worker may still have to do. */
WIDE __mmask8 in_flight(const struct look *k, __m512i e, __mmask8 some)
{
    uint64_t entries[GROUP];
    __mmask8 found = 0;

    if (!some || k->w->block->launch->active <= 1)
        return 0;
    _mm512_storeu_si512(entries, e);
    for (unsigned n = 0; n < GROUP; n++)
        found |= (__mmask8)((some >> n & 1 && race_in_flight(k, entries[n])) << n);
    return found;
}

/* race_again() for the units of a store of which some are not fine. *some: those to be noted. False: it must ask. */
WIDE bool stored_again(struct look *k, const struct common *c, const struct sector_units *s, __m512i writes,
                       __m512i reads, __mmask8 *some)
{
    __m512i other = _mm512_xor_epi64(writes, all(k->self.who)), other_read = _mm512_xor_epi64(reads, all(k->self.who)),
            read_time = _mm512_srli_epi64(_mm512_andnot_epi64(all(SLOW), reads), TIME_AT);
    __mmask8 after_write = *some & (__mmask8)~all_fine(c, writes), after_read = *some & (__mmask8)~all_fine(c, reads),
             same, leave;

    if (!s->values || !race_fine_decides(k) || after_write & without(other, TIME_BITS | BLOCK_BITS | WARP_BITS))
        return false;
    if (_mm512_mask_test_epi64_mask(after_write, writes, all(UNDER_WAY)))
        return false;
    after_read &= (__mmask8)~(without(other_read, BLOCK_BITS | WARP_BITS) & without(reads, WARPS_MANY) &
                              _mm512_cmplt_epu64_mask(read_time, all(k->w->order->reads_base)));
    same = units_unchanged(k, s, after_write | after_read);
    leave = after_write & same;
    leave |= in_flight(k, writes, after_write & (__mmask8)~same);
    leave |= k->ins->writes_back ? (__mmask8)(after_read & ~after_write & same) : 0;
    if ((after_write | after_read) & (__mmask8)~leave && !race_said(k))
        return false;
    k->by_value |= leave != 0;
    *some &= (__mmask8)~leave;
    return true;
}

/* Whether all of `some` units that are read are fine, or part of a race that was reported, or written back. */
WIDE bool read_again(struct look *k, const struct common *c, __m512i writes, __mmask8 some)
{
    some &= (__mmask8)~all_fine(c, writes);
    if (!some)
        return true;
    if (!race_fine_decides(k) || _mm512_mask_test_epi64_mask(some, writes, all(UNDER_WAY)))
        return false;
    some &= without(writes, WRITTEN_BACK);
    return !some || race_said(k);
}

__attribute__((target("avx512f,avx512dq,avx512cd,avx512vl,avx512bw")))
bool race_sector_eight(struct look *k, const struct sector_units *s)
{
    static const uint64_t numbers[GROUP] = {0, 1, 2, 3, 4, 5, 6, 7};
    const struct self *m = &k->self;
    bool reads = k->access == ACCESS_READ;
    struct common c = {NULL, 0, 0, all(m->start << TIME_AT), all(0), m};
    __m512i lane = _mm512_add_epi64(_mm512_srli_epi64(_mm512_loadu_si512(numbers), s->per), all((uint64_t)s->lane0)),
            writes = sector_entries(s->write, s->write_units, m), read = sector_entries(s->read, s->read_units, m),
            fresh;
    __mmask8 some = s->some ? s->some : (__mmask8)(((1u << s->count) - 1) << s->unit), in_order;

    c.mine = fresh = _mm512_or_epi64(all(m->who), _mm512_slli_epi64(lane, LANE_AT));
    in_order = all_fine(&c, read);
    if (reads && (!read_again(k, &c, writes, some) || (!m->simple && some & (__mmask8)~in_order)))
        return false;
    if (!reads && some & (__mmask8)~(all_fine(&c, writes) & in_order) && !stored_again(k, &c, s, writes, read, &some))
        return false;
    if (!some)
        return true;
    if (reads && some & (__mmask8)~in_order)
        fresh = _mm512_mask_mov_epi64(all_merged(&c, read), in_order, c.mine);
    if (s->lanes > 1) {
        c.mine = _mm512_add_epi64(c.mine, all(1ull << LANE_AT));
        if (!read_again(k, &c, writes, some))
            return false;
        c.mine = _mm512_add_epi64(c.mine, all((uint64_t)(s->lanes - 2) << LANE_AT));
        fresh = all_merged(&c, fresh);
    }
    if (!reads && s->values && s->per == 0) {
        __mmask8 back = units_unchanged(k, s, some & read_by_themselves(&c, read));

        fresh = _mm512_mask_or_epi64(fresh, back, fresh, all(WRITTEN_BACK));
        k->by_value |= back != 0;
    }
    put_entries(k, s, some, fresh, reads ? read : writes);
    return true;
}
