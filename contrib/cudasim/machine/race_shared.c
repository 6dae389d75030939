/*
 * race_shared.c - races in shared memory, and reads of shared memory that was never written.
 *
 * Most accesses go to parts of shared memory that, since the block's last barrier, were only read, or were written by
 * this access alone. So reads go into a log first. Memory is divided into chunks, and each chunk notes if it was read
 * or written since that barrier. Only a write into a chunk that was read turns the log's reads into entries. A barrier
 * empties the log. If the chunks show that an access can be no race, its check ends there.
 */
#include "race_check.h"

#include <string.h>

#include "device.h"
#include "fault.h"
#include "race_bulk.h"
#include "race_matrix.h"
#include "race_runs.h"
#include "race_visits.h"
#include "race_say.h"
#include "settings.h"

/* Chunks that the bytes low .. high are in. */
static inline uint64_t chunks_of(const struct block *b, uint64_t low, uint64_t high)
{
    uint64_t first = low >> b->chunk_shift, last = high >> b->chunk_shift;

    return ((2ull << last) - 1) & ~((1ull << first) - 1);
}

static inline uint32_t units_of(const struct block *b, unsigned bytes)
{
    return bytes >> b->unit_shift ? bytes >> b->unit_shift : 1;
}

/* Whether all lanes at once, one unit after the other, is quicker than one lane after the other. */
static inline bool many_lanes(uint32_t lanes, uint32_t units)
{
    return (uint32_t)__builtin_popcount(lanes) >= 4 * units;
}

/* Units a lane, as a power of two. */
static inline unsigned per_lane(const struct block *b, unsigned bytes)
{
    return (unsigned)__builtin_ctz(units_of(b, bytes));
}

/* ---- what was written ---- */

static void say_unwritten(struct warp *w, const struct ins *ins, unsigned l, uint32_t offset, unsigned bytes)
{
    if (only_sets(ins) || ins->doubtful)
        return;
    w->worker->faulted_at = ins;
    fault_warn(w, ins, l, FAULT_UNINITIALISED, offset,
               "%s of %u bytes of shared memory at offset %u, where nothing was written",
               access_verb(ins->op_is_atomic ? ACCESS_ATOMIC : ACCESS_READ), bytes, offset);
}

/* Looks whether those chunks are full by now. */
static void look_at_chunks(struct block *b, uint64_t chunks)
{
    uint32_t all = (b->shared_size + (1u << b->unit_shift) - 1) >> b->unit_shift,
             size = 1u << (b->chunk_shift - b->unit_shift);

    for (; chunks; chunks &= chunks - 1) {
        uint32_t first = (uint32_t)__builtin_ctzll(chunks) * size, n = all - first < size ? all - first : size;

        if (run_has_zero(b->writes + first, n))
            b->tried_chunks |= chunks & -chunks;
        else
            b->full_chunks |= chunks & -chunks;
    }
}

struct part {
    unsigned at, bytes; /* of an access */
};

static bool none_written(const struct block *b, uint32_t offset, unsigned bytes)
{
    uint32_t last = (offset + bytes - 1) >> b->unit_shift;
    uint64_t any = 0;

    for (uint32_t n = offset >> b->unit_shift; n <= last; n++)
        any |= b->writes[n];
    return !any;
}

/* Finds a part that was never written: all of a lane's access, or an element of a vector that arithmetic uses. */
static bool unwritten_part(const struct block *b, const struct ins *ins, uint32_t offset, unsigned bytes,
                           struct part *part)
{
    *part = (struct part){0, bytes};
    if (none_written(b, offset, bytes))
        return true;
    part->bytes = ins->size;
    for (unsigned n = bytes > ins->size ? ins->needed : 0; n; n &= n - 1) {
        part->at = (unsigned)__builtin_ctz(n) * ins->size;
        if (part->at + ins->size <= bytes && none_written(b, offset + part->at, ins->size))
            return true;
    }
    return false;
}

/* Whether every lane reads something that was written. */
static bool all_written(struct warp *w, const struct ins *ins, const uint32_t *offsets, unsigned bytes,
                        uint64_t chunks)
{
    struct block *b = w->block;
    uint32_t n = units_of(b, bytes), i = 0;
    uint64_t unsure = chunks & ~b->full_chunks;

    if (!unsure || !w->worker->sim_check_written)
        return true;
    if (unsure & ~b->tried_chunks) {
        look_at_chunks(b, unsure & ~b->tried_chunks);
        if (!(chunks & ~b->full_chunks))
            return true;
    }
    while (i < n && many_lanes(w->mask, n) && units_written(b->writes + i, offsets, b->unit_shift))
        i++;
    if (i == n)
        return true;
    EVERY_LANE(l, w->mask)
        if (unwritten_part(b, ins, offsets[l], bytes, &(struct part){0}))
            return false;
    return true;
}

/* Without the check for races. */
static void only_written(struct warp *w, const struct ins *ins, struct block *b, const uint32_t *offsets,
                         unsigned bytes, enum access access)
{
    EVERY_LANE(l, w->mask)
    {
        uint32_t last = (offsets[l] + bytes - 1) >> b->unit_shift;
        struct part part;
        bool empty = access != ACCESS_WRITE && unwritten_part(b, ins, offsets[l], bytes, &part);

        for (uint32_t n = offsets[l] >> b->unit_shift; n <= last && access != ACCESS_READ; n++)
            b->writes[n] = 1;
        if (empty && w->worker->faulted_at != ins)
            say_unwritten(w, ins, l, offsets[l] + part.at, part.bytes);
    }
}

static void note_written(struct warp *w, const struct ins *ins, const uint32_t *offsets, unsigned bytes,
                         enum access access, uint64_t chunks)
{
    struct block *b = w->block;

    if (!(chunks & ~b->full_chunks))
        return;
    if (access == ACCESS_READ && all_written(w, ins, offsets, bytes, chunks))
        return;
    if (access != ACCESS_READ)
        b->tried_chunks &= ~chunks;
    only_written(w, ins, b, offsets, bytes, access);
}

/* ---- the log of reads ---- */

/* fine() in the usual cases: from before the last barrier, or of the same lane. Only without a cluster. */
static inline bool usual(const struct block *b, uint64_t e, uint64_t mine)
{
    return e >> TIME_AT < b->t0 ||
           ((e ^ mine) & (SLOW | BLOCK_BITS | WARP_BITS | LANE_BITS | LANES_MANY | WARPS_MANY)) == 0;
}

static inline bool quick(const struct block *b, uint64_t e, uint64_t mine, const struct self *m)
{
    return (!b->cluster && usual(b, e, mine)) || fine(e, mine, m);
}

/*
 * Words of a log's entry: warp, bytes and shape; lanes; time; the warp's base; the first offset. Behind them are the
 * steps between lanes of a half warp and between its halves, or all offsets, as the shape asks for.
 */
enum { LOG_HOW, LOG_LANES, LOG_TIME, LOG_BASE, LOG_OFFSET, LOG_HEAD };
enum { SHAPE_HALVES = SPREAD_UNIFORM + 1, SHAPE_COUNT }; /* beside enum spread: see offsets_in_halves() */
static const uint8_t log_words[SHAPE_COUNT] = {
    [SPREAD_ANY] = LOG_HEAD + LANES, [SPREAD_CONSECUTIVE] = LOG_HEAD, [SPREAD_UNIFORM] = LOG_HEAD,
    [SHAPE_HALVES] = LOG_HEAD + 2};

/* Lists one unit per lane. */
static inline void list_units(struct lane_units *u, uint32_t lanes, uint64_t who, unsigned shift,
                              const uint32_t *offsets)
{
    if (lanes == FULL_MASK) {
        units_of_all(u, who, shift, offsets);
        return;
    }
    u->count = 0;
    EVERY_LANE(l, lanes)
    {
        u->at[u->count] = offsets[l] >> shift;
        u->mine[u->count++] = who | (uint64_t)l << LANE_AT;
    }
}

/* Reads by all lanes, two halves alike: from offset `first` on, with these steps. False: nothing was noted. */
static bool read_halves(struct block *b, uint32_t first, const uint32_t *steps, uint32_t n, uint64_t flags,
                        const struct self *m)
{
    uint64_t *entries = b->reads + (first >> b->unit_shift);
    int32_t stride = (int32_t)steps[0] >> b->unit_shift, far = (int32_t)steps[1] >> b->unit_shift;

    if ((steps[0] | steps[1]) & ((1u << b->unit_shift) - 1))
        return false;
    if (steps[0] == 0) {
        shared_read(entries, n, 0, HALF - 1, flags, m);
        shared_read(entries + far, n, HALF, LANES - 1, flags, m);
        return true;
    }
    if (steps[1] == 0)
        pairs_read(entries, stride, n, flags, m);
    return steps[1] == 0;
}

/* Reads of n units by each lane. False: not all units are one lane's alone, and nothing was noted. */
static bool read_units(uint64_t *reads, const struct lane_units *u, uint32_t n, uint64_t flags, const struct self *m)
{
    for (uint32_t i = 0; i < n; i++)
        if (!units_read(reads + i, u, flags, m))
            return false;
    return true;
}

/* Makes entries of one of the log's. */
static void empty_entry(struct block *b, const uint32_t *x, unsigned shape, uint32_t n, const struct self *m)
{
    uint32_t offsets[LANES];
    const uint32_t *at = x + LOG_HEAD;
    uint64_t *first = b->reads + (x[LOG_OFFSET] >> b->unit_shift);
    struct lane_units u;

    if (shape == SPREAD_CONSECUTIVE) {
        run_read(first, (uint32_t)LANES * n, (unsigned)__builtin_ctz(n), m);
        return;
    }
    if (shape == SPREAD_UNIFORM && x[LOG_LANES] & (x[LOG_LANES] - 1)) {
        shared_read(first, n, (unsigned)__builtin_ctz(x[LOG_LANES]), 31 - (unsigned)__builtin_clz(x[LOG_LANES]), 0, m);
        return;
    }
    if (shape == SHAPE_HALVES) {
        if (x[LOG_LANES] == FULL_MASK && read_halves(b, x[LOG_OFFSET], x + LOG_HEAD, n, 0, m))
            return;
        offsets_of_halves(x[LOG_OFFSET], x + LOG_HEAD, offsets);
        at = offsets;
    }
    if (shape != SPREAD_UNIFORM && many_lanes(x[LOG_LANES], n)) {
        list_units(&u, x[LOG_LANES], m->who, b->unit_shift, at);
        if (read_units(b->reads, &u, n, 0, m))
            return;
    }
    EVERY_LANE(l, x[LOG_LANES])
    {
        uint64_t mine = m->who | (uint64_t)l << LANE_AT,
                 *r = shape == SPREAD_UNIFORM ? first : b->reads + (at[l] >> b->unit_shift);

        for (uint32_t i = 0; i < n; i++)
            r[i] = quick(b, r[i], mine, m) ? mine : merge(r[i], mine);
    }
}

/* Makes entries of what the log has. */
static void empty_log(struct block *b)
{
    for (uint32_t at = 0; at < b->log_used;) {
        const uint32_t *x = b->log + at;
        unsigned shape = x[LOG_HOW] >> 16;
        struct self m = {entry_who(b, x[LOG_HOW] & 0xFF, x[LOG_TIME]), b->launch->start_time, b->t0, x[LOG_BASE], true};

        at += log_words[shape];
        empty_entry(b, x, shape, units_of(b, x[LOG_HOW] >> 8 & 0xFF), &m);
    }
    b->log_used = 0;
}

static inline void log_read(struct warp *w, const uint32_t *offsets, unsigned bytes, enum spread spread)
{
    struct block *b = w->block;
    unsigned shape = spread;
    uint32_t *x;

    if (b->log_used + LOG_HEAD + LANES > SHARED_LOG)
        empty_log(b);
    x = b->log + b->log_used;
    if (shape == SPREAD_ANY && offsets_in_halves(offsets, x + LOG_HEAD))
        shape = SHAPE_HALVES;
    w->order->touched = true;
    x[LOG_HOW] = w->index | bytes << 8 | shape << 16;
    x[LOG_LANES] = w->mask;
    x[LOG_TIME] = *b->time;
    x[LOG_BASE] = w->order->base;
    x[LOG_OFFSET] = offsets[0];
    if (shape == SPREAD_ANY)
        memcpy(x + LOG_HEAD, offsets, LANES * sizeof *offsets);
    b->log_used += log_words[shape];
}

/* ---- accesses ---- */

/* The address of a shared word as a key that no other block's and no global one has: where it lies on the host. */
static uint64_t shared_origin(const struct block *b) { return (uintptr_t)b->shared; }

static void check_lane(struct look *k, unsigned l, const struct block *b, uint32_t offset, const uint64_t *address)
{
    unsigned shift = b->unit_shift, size = 1u << shift;
    uint32_t first = offset >> shift, last = (offset + k->bytes - 1) >> shift;
    struct part part;
    bool empty = k->access != ACCESS_WRITE && k->w->worker->sim_check_written &&
                 unwritten_part(b, k->ins, offset, k->bytes, &part);

    for (uint32_t n = first; n <= last; n++) {
        struct unit u = {&b->writes[n], &b->reads[n], b->shared + ((size_t)n << shift), size,
                         (n << shift) - offset, (uint64_t)n << shift};

        race_unit(k, l, &u, address);
    }
    if (empty && !k->quiet) {
        k->quiet = true;
        say_unwritten(k->w, k->ins, l, offset + part.at, part.bytes);
    }
}

static void check_lanes(struct look *k, const struct block *b, const uint32_t *offsets)
{
    uint64_t address[LANES];

    for (int l = 0; l < LANES; l++)
        address[l] = offsets[l];
    race_synchronise(k, address, shared_origin(b), true);
    EVERY_LANE(l, k->w->mask)
        check_lane(k, l, b, offsets[l], address);
    race_synchronise(k, address, shared_origin(b), false);
}

/* A plain write into chunks that nobody touched since the last barrier: only its own lanes may collide. */
static void write_first(struct warp *w, const struct ins *ins, const uint32_t *offsets, unsigned bytes,
                        enum spread spread)
{
    struct block *b = w->block;
    uint32_t n = units_of(b, bytes);
    uint64_t who = entry_who(b, w->index, *b->time);
    struct lane_units u;
    bool apart = true;
    struct look k;

    if (spread == SPREAD_CONSECUTIVE) {
        run_put(b->writes + (offsets[0] >> b->unit_shift), (uint32_t)LANES * n, per_lane(b, bytes), who);
        return;
    }
    list_units(&u, w->mask, who, b->unit_shift, offsets);
    for (uint32_t i = 0; i < n; i++)
        apart &= units_put(b->writes + i, &u, entry_who(b, 0, 0) | STRONG);
    if (apart)
        return;
    k = race_look(w, ins, b, bytes, ACCESS_WRITE);
    check_lanes(&k, b, offsets);
}

/* The part of the check that needs no entries. */
static inline bool seen_by_chunks(struct warp *w, const struct ins *ins, const uint32_t *offsets, unsigned bytes,
                                  enum access access, enum spread spread, uint64_t chunks)
{
    struct block *b = w->block;

    if (access == ACCESS_READ) {
        if (!race_simple(w)) { /* what the warp learnt decides: the log does not keep that */
            empty_log(b);
            return false;
        }
        if (chunks & b->write_chunks || !all_written(w, ins, offsets, bytes, chunks))
            return false;
        log_read(w, offsets, bytes, spread);
        b->read_chunks |= chunks;
        return true;
    }
    if (chunks & (b->write_chunks | b->read_chunks))
        return false;
    b->write_chunks |= chunks;
    b->tried_chunks &= ~chunks;
    write_first(w, ins, offsets, bytes, spread);
    return true;
}

static inline bool usual_read(struct block *b, uint32_t at, uint32_t n, uint64_t mine, const struct self *m, bool zero)
{
    for (uint32_t i = 0; i < n; i++)
        if (!quick(b, b->writes[at + i], mine, m) || (zero && !b->writes[at + i]) ||
            (!m->simple && !quick(b, b->reads[at + i], mine, m)))
            return false;
    for (uint32_t i = 0; i < n; i++)
        b->reads[at + i] = quick(b, b->reads[at + i], mine, m) ? mine : merge(b->reads[at + i], mine);
    return true;
}

static inline bool usual_write(struct block *b, uint32_t at, uint32_t n, uint64_t mine, const struct self *m)
{
    for (uint32_t i = 0; i < n; i++)
        if (!quick(b, b->writes[at + i], mine, m) || !quick(b, b->reads[at + i], mine, m))
            return false;
    for (uint32_t i = 0; i < n; i++)
        b->writes[at + i] = mine;
    return true;
}

/* Lanes one behind the other. False: nothing was noted. */
static bool consecutive(struct look *k, struct block *b, uint32_t at)
{
    uint32_t n = (uint32_t)LANES * units_of(b, k->bytes);
    unsigned per = per_lane(b, k->bytes);
    bool in_order = run_fine(b->writes + at, n, per, &k->self);

    if (!in_order && (k->access != ACCESS_READ || !race_fine_decides(k) || run_has_copy(b->writes + at, n)))
        return false;
    if (k->access == ACCESS_WRITE) {
        if (!run_fine(b->reads + at, n, per, &k->self))
            return false;
        run_put(b->writes + at, n, per, k->self.who);
        return true;
    }
    if ((k->w->worker->sim_check_written && run_has_zero(b->writes + at, n)) ||
        (!k->self.simple && !run_fine(b->reads + at, n, per, &k->self)) || (!in_order && !race_said(k)))
        return false;
    run_read(b->reads + at, n, per, &k->self);
    return true;
}

/* A lane's plain access with a race that was reported, where race_fine_decides(). False: check_lane() must look. */
static bool met_again(struct look *k, struct block *b, unsigned l, uint32_t offset, uint32_t n)
{
    uint32_t at = offset >> b->unit_shift, size = 1u << b->unit_shift;
    uint64_t mine = k->self.who | (uint64_t)l << LANE_AT;
    const char *value = NULL;
    bool read = k->access == ACCESS_READ;

    if (k->stores && k->ins->count == 1 && k->ins->width == k->bytes)
        value = (const char *)slot_at(k->w, *(const slot *)k->ins->extra) + l * k->bytes;
    if (k->access == ACCESS_ATOMIC || (!read && !value))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *e = &b->writes[at + i], *x = &b->reads[at + i];
        enum again what;

        if (read && k->w->worker->sim_check_written && !*e)
            return false;
        what = race_again(k, *e, *x, mine,
                          value && !memcmp(value + i * size, b->shared + ((size_t)(at + i) << b->unit_shift), size));
        if (what == AGAIN_ASK)
            return false;
        if (what == AGAIN_NOTE && read)
            *x = fine(*x, mine, &k->self) ? mine : merge(*x, mine);
        else if (what == AGAIN_NOTE)
            *e = mine;
    }
    return true;
}

/* Atomics for which race_atomics_quick() holds. */
static void check_atomics(struct look *k, const struct block *b, const uint32_t *offsets)
{
    uint32_t n = units_of(b, k->bytes);
    uint64_t least = k->w->worker->sim_check_written ? 1 : 0, address[LANES];

    for (int l = 0; l < LANES; l++)
        address[l] = offsets[l];
    EVERY_LANE(l, k->w->mask)
    {
        uint64_t mine = k->self.who | (uint64_t)l << LANE_AT, *e = b->writes + (offsets[l] >> b->unit_shift),
                 *x = b->reads + (offsets[l] >> b->unit_shift), fresh = 0;
        uint32_t i = 0;

        while (i < n && e[i] >= least && atomic_fine(e[i], x[i], mine, k->flags, &k->self, k->self.t0, &fresh))
            e[i++] = fresh;
        if (i < n)
            check_lane(k, l, b, offsets[l], address);
    }
}

/*
 * An access that is plain, or orders nothing, if what was written, and for a write what was read, is fine(). False: it
 * is not all noted.
 */
static bool at_once(struct look *k, struct block *b, const uint32_t *offsets, uint32_t n)
{
    struct lane_units u;
    uint32_t i = 0, steps[2];

    if (!many_lanes(k->w->mask, n))
        return false;
    if (k->access == ACCESS_WRITE) {
        list_units(&u, k->w->mask, k->self.who | k->flags, b->unit_shift, offsets);
        while (i < n && units_write(b->writes + i, b->reads + i, &u, &k->self, entry_who(b, 0, 0) | STRONG))
            i++;
        return i == n;
    }
    list_units(&u, k->w->mask, k->self.who, b->unit_shift, offsets);
    while (i < n && units_fine(b->writes + i, &u, &k->self) &&
           (!k->w->worker->sim_check_written || units_written(b->writes + i, offsets, b->unit_shift)))
        i++;
    if (i < n)
        return false;
    if (k->w->mask == FULL_MASK && offsets_in_halves(offsets, steps) &&
        read_halves(b, offsets[0], steps, n, k->flags, &k->self))
        return true;
    return read_units(b->reads, &u, n, k->flags, &k->self);
}

/* A plain access, by entries: the usual cases of lanes are done with here. */
static void check_plain(struct look *k, struct block *b, const uint32_t *offsets, enum spread spread)
{
    uint32_t n = units_of(b, k->bytes);
    bool zero = k->w->worker->sim_check_written, again = race_fine_decides(k) && !b->cluster;
    uint64_t address[LANES];

    if (spread == SPREAD_CONSECUTIVE && consecutive(k, b, offsets[0] >> b->unit_shift))
        return;
    if (!b->cluster && (k->self.simple || k->access == ACCESS_WRITE) && at_once(k, b, offsets, n))
        return;
    for (int l = 0; l < LANES; l++)
        address[l] = offsets[l];
    EVERY_LANE(l, k->w->mask)
    {
        uint32_t at = offsets[l] >> b->unit_shift;
        uint64_t mine = k->self.who | (uint64_t)l << LANE_AT;

        if (!(k->access == ACCESS_READ ? usual_read(b, at, n, mine, &k->self, zero)
                                       : usual_write(b, at, n, mine, &k->self)) &&
            !(again && met_again(k, b, l, offsets[l], n)))
            check_lane(k, l, b, offsets[l], address);
    }
}

/* ---- asynchronous copies ---- */

/* Entries of the block's own copies that ended before the last barrier: as if written when they were waited for. */
static void settle_copies(struct block *b, uint32_t lanes, const uint32_t *offsets, unsigned bytes)
{
    uint32_t n = units_of(b, bytes), time = 0;
    uint64_t own = entry_who(b, 0, 0), last = 0;
    bool over = false;

    EVERY_LANE(l, lanes)
        for (uint64_t *e = b->writes + (offsets[l] >> b->unit_shift), *end = e + n; e < end; e++) {
            uint64_t copy = *e & (TIME_BITS | WARP_BITS);

            if (!(*e & UNDER_WAY) || (*e ^ own) & BLOCK_BITS)
                continue;
            if (copy != last) {
                last = copy;
                over = race_copy_done(&b->warps[entry_warp(*e)], entry_time(*e), false, &time) && time < b->t0;
            }
            if (over)
                *e = (*e & ~(SLOW | TIME_BITS | UNDER_WAY)) | (uint64_t)time << TIME_AT;
        }
}

/* What cp.async writes. */
static void check_copies(struct look *k, struct block *b, const uint32_t *offsets, enum spread spread)
{
    uint32_t n = units_of(b, k->bytes), all = LANES * n, at = offsets[0] >> b->unit_shift;
    uint64_t flags = SLOW | UNDER_WAY, address[LANES];
    unsigned per = per_lane(b, k->bytes);

    if (spread == SPREAD_CONSECUTIVE && run_fine(b->writes + at, all, per, &k->self) &&
        run_fine(b->reads + at, all, per, &k->self)) {
        run_put(b->writes + at, all, per, k->self.who | flags);
        return;
    }
    for (int l = 0; l < LANES; l++)
        address[l] = offsets[l];
    EVERY_LANE(l, k->w->mask)
    {
        uint64_t mine = k->self.who | (uint64_t)l << LANE_AT;

        at = offsets[l] >> b->unit_shift;
        if (!usual_write(b, at, n, mine, &k->self))
            check_lane(k, l, b, offsets[l], address);
        else
            run_put(b->writes + at, n, per, mine | flags);
    }
}

/* A volatile access that orders nothing, of a warp that knows nothing of others but by barriers of all. */
static inline bool only_volatile(const struct look *k)
{
    return k->flags == VOLATILE && k->access != ACCESS_ATOMIC && k->self.simple && !k->w->block->cluster &&
           !(k->ins->guesses | k->ins->copies | k->ins->cached) && !(k->bytes & (k->bytes - 1));
}

/* An access of which the log of reads does not tell enough. */
static __attribute__((noinline)) void by_entries(struct warp *w, const struct ins *ins, const uint32_t *offsets,
                                                 uint64_t chunks, uint32_t how)
{
    struct block *b = w->block;
    enum access access = (enum access)(how >> 16 & 0xFF);
    enum spread spread = (enum spread)(how >> 24);
    unsigned bytes = how & 0xFFFF;
    bool plain = race_plain(ins, bytes, access);
    struct look k;

    if (!w->order) {
        note_written(w, ins, offsets, bytes, access, chunks);
        return;
    }
    if (*b->time >= TIME_MOST)
        return;
    if (plain && !b->cluster && seen_by_chunks(w, ins, offsets, bytes, access, spread, chunks))
        return;
    if (access == ACCESS_READ) {
        b->read_chunks |= chunks;
    } else {
        if (chunks & b->read_chunks)
            empty_log(b);
        b->write_chunks |= chunks;
        b->tried_chunks &= ~chunks;
        if (ins->copies) {
            b->copy_chunks |= chunks;
            *(ins->bulk || b->cluster ? &b->bulk_chunks : &w->order->copies.open_chunks) |= chunks;
        }
    }
    if (chunks & b->copy_chunks)
        settle_copies(b, w->mask, offsets, bytes);
    k = race_look(w, ins, b, bytes, access);
    if (plain)
        check_plain(&k, b, offsets, spread);
    else if (access == ACCESS_ATOMIC && race_atomics_quick(&k) && !race_is_swap(ins) && !b->cluster)
        check_atomics(&k, b, offsets);
    else if (k.flags == UNDER_WAY && !b->cluster && !(bytes & (bytes - 1)))
        check_copies(&k, b, offsets, spread);
    else if (!only_volatile(&k) || !at_once(&k, b, offsets, units_of(b, bytes)))
        check_lanes(&k, b, offsets);
}

void race_shared(struct warp *w, const struct ins *ins, const uint32_t *offsets, uint64_t low_high, uint32_t how)
{
    struct block *b = w->block;
    unsigned bytes = how & 0xFFFF;
    uint64_t chunks = chunks_of(b, (uint32_t)low_high, (low_high >> 32) + bytes - 1);

    if (b->bulk_count && (how >> 16 & 0xFF) != ACCESS_READ)
        race_bulk_overwritten(w, ins, offsets, bytes, (enum access)(how >> 16 & 0xFF));
    if (b->matrix_reads && (how >> 16 & 0xFF) != ACCESS_READ)
        race_matrix_overwritten(w, ins, offsets, bytes, (enum access)(how >> 16 & 0xFF));
    /* The usual read is of memory that is written in full, and that nobody wrote since the last barrier. */
    if ((how >> 16 & 0xFF) == ACCESS_READ && w->order && !b->cluster && !(chunks & b->write_chunks) &&
        (!(chunks & ~b->full_chunks) || !w->worker->sim_check_written) &&
        race_plain(ins, bytes, ACCESS_READ) && race_simple(w) && *b->time < TIME_MOST) {
        log_read(w, offsets, bytes, (enum spread)(how >> 24));
        b->read_chunks |= chunks;
        return;
    }
    by_entries(w, ins, offsets, chunks, how);
}

void race_remote(struct warp *w, const struct ins *ins, unsigned lane, struct block *owner, uint32_t offset,
                 unsigned bytes, enum access access)
{
    uint32_t mask = w->mask, offsets[LANES];
    struct look k;

    w->mask = 1u << lane;
    for (unsigned l = 0; l < LANES; l++)
        offsets[l] = offset;
    if (access != ACCESS_READ)
        owner->tried_chunks = 0;
    if (!w->order) {
        only_written(w, ins, owner, offsets, bytes, access);
    } else if (*owner->time < TIME_MOST) {
        k = race_look(w, ins, owner, bytes, access);
        EVERY_LANE(l, mask & ((1u << lane) - 1)) /* those before it, which may store the same value */
            if (w->address[l] - (uintptr_t)owner->shared < owner->shared_size) {
                k.lanes |= 1u << l;
                offsets[l] = (uint32_t)(w->address[l] - (uintptr_t)owner->shared);
            }
        check_lanes(&k, owner, offsets);
        if (owner->cluster && w->block->launch->grid_order)
            visits_note(race_grid_visits(w->block->launch->grid_order), w, ins, lane, owner, access);
    }
    w->mask = mask;
}

void race_shared_start(struct block *b, uint32_t from, uint32_t to)
{
    b->log_used = 0;
    b->read_chunks = b->write_chunks = b->copy_chunks = b->bulk_chunks = b->full_chunks = b->tried_chunks = 0;
    b->chunk_shift = b->unit_shift;
    while (b->shared_size > 64u << b->chunk_shift)
        b->chunk_shift++;
    for (uint32_t n = from >> b->unit_shift; from < to && n <= (to - 1) >> b->unit_shift; n++)
        b->writes[n] = entry_who(b, 0, 0) | STRONG;
}
