/*
 * table_copy.c - asynchronous and bulk copies, and the barriers (mbarrier) that count them. A copy is done at once; the
 * races that this hides are the race detector's to tell.
 */
#include "contrib/cudasim/base/atomic.h"
#include "table_access.h"
#include "table_combine.h"

/*
 * The lanes in w->mask without those that write the same bytes to the same place as the lane before them. Libraries do
 * this to keep all lanes at work; it is no race.
 */
static u32 distinct_lanes(struct warp *w, const struct ins *i, const char (*data)[16])
{
    u32 distinct = w->mask;

    lane_addresses(w, i);
    for (u32 m = w->mask & w->mask << 1; m; m &= m - 1) {
        int l = __builtin_ctz(m);

        if (w->address[l] == w->address[l - 1] && !memcmp(data[l], data[l - 1], sizeof *data))
            distinct &= ~(1u << l);
    }
    return distinct;
}

STEP(cp_async)
{
    const u64 *B = slot_at(w, i->b);
    const u32 *C = slot_at(w, i->c);
    int64_t offset = *(const int64_t *)i->extra;
    struct event *e = i->event && w->worker->counting ? &w->worker->events[i->event - 1] : NULL;
    char data[LANES][16];
    u32 before = w->mask, reading = 0, distinct;
    unsigned bytes = i->size;

    memset(data, 0, sizeof data);
    for (u32 m = before; m; m &= m - 1) {
        int l = __builtin_ctz(m);

        if (!i->op || C[l])
            reading |= 1u << l;
    }
    if (reading) {
        u64 stand_in = (i->mode ? B[__builtin_ctz(reading)] : 0) + (u64)offset;

        for (int l = 0; l < LANES; l++)
            w->address[l] = reading >> l & 1 ? (i->mode ? B[l] : 0) + (u64)offset : stand_in;
        if (reading != before)
            warp_set_mask(w, reading);
        if (reach_global(w, i, bytes, ACCESS_READ, e, reach_of(w->address, reading, bytes)) == PATTERN_FAULT)
            return NULL;
        if (reading != before)
            warp_set_mask(w, before);
        for (u32 m = reading; m; m &= m - 1) {
            int l = __builtin_ctz(m);

            memcpy(data[l], (const void *)(uintptr_t)w->address[l], i->op && C[l] < bytes ? C[l] : bytes);
        }
    }
    distinct = distinct_lanes(w, i, (const char (*)[16])data);
    if (distinct != before)
        warp_set_mask(w, distinct);
    if (resolve(w, i, bytes, ACCESS_WRITE) == PATTERN_FAULT)
        return NULL;
    for (u32 m = distinct; m; m &= m - 1) {
        int l = __builtin_ctz(m);

        memcpy((void *)(uintptr_t)w->address[l], data[l], bytes);
    }
    if (distinct != before)
        warp_set_mask(w, before);
    w->worker->progress = true;
    return i + 1;
}

/*
 * mbarrier: 64 bits of shared memory. Ours: bits 0-19 arrivals still expected, 20-39 the count of a phase, 40-59 bytes
 * of transactions pending (signed), 63 the phase's parity. The real layout is not documented.
 */
#define MB_COUNT(v) ((u32)(v) & 0xFFFFF)
#define MB_EXPECTED(v) ((u32)((v) >> 20) & 0xFFFFF)
#define MB_BYTES(v) (((s32)((u32)((v) >> 40) << 12)) >> 12)
#define MB_PHASE(v) ((u32)((v) >> 63))

static u64 mb_make(u32 phase, s32 bytes, u32 expected, u32 count)
{
    return (u64)phase << 63 | (u64)((u32)bytes & 0xFFFFF) << 40 | (u64)(expected & 0xFFFFF) << 20 | (count & 0xFFFFF);
}

/* A phase ends when all have arrived and all bytes announced are there. */
static u64 mb_settle(u32 phase, s32 bytes, u32 expected, u32 count)
{
    if (count == 0 && bytes == 0) {
        phase ^= 1;
        count = expected;
    }
    return mb_make(phase, bytes, expected, count);
}

/*
 * Lanes that arrive make known what they did; lanes at one barrier do so together. If the arrival is that of their
 * asynchronous copies, the wait for the barrier is the wait for these.
 */
static void note_arrivals(struct warp *w, const struct ins *i)
{
    bool copies = i->op == MBARRIER_COPIES_ARRIVE || (i->op == MBARRIER_ARRIVE && i->scope);
    bool arrives = copies || i->op == MBARRIER_ARRIVE || i->op == MBARRIER_ARRIVE_DROP;
    u32 rest = arrives ? w->mask : 0;

    while (rest) {
        unsigned first = (unsigned)__builtin_ctz(rest);
        u32 same = 0;

        for (u32 m = rest; m; m &= m - 1)
            same |= w->address[__builtin_ctz(m)] == w->address[first] ? m & -m : 0;
        rest &= ~same;
        if (copies)
            race_mbarrier_copies(w, w->address[first], same);
        else
            race_mbarrier_arrive(w, w->address[first], same, !(i->mode & MBARRIER_RELAXED));
    }
}

/* All lanes of a warp may make one barrier. */
static u32 barrier_makers(struct warp *w, const struct ins *i, const u32 *counts)
{
    char data[LANES][16];

    memset(data, 0, sizeof data);
    for (int l = 0; l < LANES; l++)
        memcpy(data[l], counts + l, sizeof *counts);
    return distinct_lanes(w, i, (const char (*)[16])data);
}

STEP(mbarrier)
{
    const u32 *V = slot_at(w, i->b);
    u32 *P = slot_at(w, i->d);
    u64 *S = slot_at(w, i->d);
    u32 before = w->mask;

    if (i->op == MBARRIER_INIT && before & (before - 1))
        warp_set_mask(w, barrier_makers(w, i, V));
    if (resolve(w, i, 8, i->op == MBARRIER_INIT ? ACCESS_WRITE : ACCESS_ATOMIC) == PATTERN_FAULT)
        return NULL;
    note_arrivals(w, i);
    for (u32 m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        u64 *p = (u64 *)(uintptr_t)w->address[l], old = *p;
        u32 phase = MB_PHASE(old), expected = MB_EXPECTED(old), count = MB_COUNT(old), n;
        s32 bytes = MB_BYTES(old);
        bool has = i->mode & MBARRIER_HAS_OPERAND;

        switch (i->op) {
        case MBARRIER_INIT: *p = mb_make(0, 0, V[l], V[l]); break;
        case MBARRIER_INVAL: *p = 0; break;
        case MBARRIER_EXPECT_TX: *p = mb_make(phase, bytes + (s32)V[l], expected, count); break;
        case MBARRIER_COMPLETE_TX: *p = mb_settle(phase, bytes - (s32)V[l], expected, count); break;
        case MBARRIER_COPIES_ARRIVE: break;
        case MBARRIER_ARRIVE:
        case MBARRIER_ARRIVE_DROP:
            n = 1;
            if (i->mode & MBARRIER_ALSO_EXPECTS)
                bytes += has ? (s32)V[l] : 0;
            else if (has)
                n = V[l];
            if (i->mode & MBARRIER_HAS_RESULT)
                S[l] = old;
            count -= n;
            if (i->op == MBARRIER_ARRIVE_DROP)
                expected -= n;
            *p = i->mode & MBARRIER_NO_COMPLETE ? mb_make(phase, bytes, expected, count)
                                                : mb_settle(phase, bytes, expected, count);
            w->worker->progress = true;
            break;
        default: {
            u32 parity = i->mode & MBARRIER_PARITY ? V[l] & 1 : MB_PHASE(((const u64 *)V)[l]);

            P[l] = ONES(phase != parity);
            if (P[l])
                race_mbarrier_wait(w, w->address[l], !(i->mode & MBARRIER_RELAXED));
            break;
        }
        }
        if (i->op <= MBARRIER_COMPLETE_TX)
            w->worker->progress = true;
        if (i->op >= MBARRIER_COMPLETE_TX && i->op <= MBARRIER_ARRIVE_DROP && MB_PHASE(*p) != phase)
            race_mbarrier_flip(w, w->address[l]);
    }
    warp_set_mask(w, before);
    return i + 1;
}

STEP(mbarrier_pending)
{
    const u64 *A = slot_at(w, i->a);
    u32 *D = slot_at(w, i->d);

    for (int l = 0; l < LANES; l++)
        if (w->lanes[l])
            D[l] = MB_COUNT(A[l]);
    return i + 1;
}

/* ---- bulk copies: done at once, by 16 bytes, or element by element where they reduce ---- */

/* The host address of `bytes` bytes at lane l's `address`, or NULL after a fault. */
static void *bulk_place(struct warp *w, const struct ins *i, int l, u64 address, u8 space, unsigned bytes,
                        enum access access)
{
    if (space == PTX_SHARED && !(address >> WINDOW_SHIFT)) {
        if (!(address >> 32) && address >> 24 && (w->block->cluster || address >> 24 == 1))
            address = (address & 0xFFFFFF) | (address >> 24) << 32;
        address |= WINDOW(WINDOW_SHARED);
    }
    w->address[l] = address;
    return access_slow(w, i, bytes, access) ? (void *)(uintptr_t)w->address[l] : NULL;
}

static void bulk_reduce(const struct ins *i, void *to, const void *from)
{
    struct ins op = *i;

    op.op = (u8)(i->op - 1);
    if (i->size == 8) {
        u64 a = __atomic_load_n((u64 *)to, __ATOMIC_RELAXED), b;

        memcpy(&b, from, 8);
        while (!__atomic_compare_exchange_n((u64 *)to, &a, combine_64(&op, a, b, 0), false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED))
            ;
    } else if (i->size == 4) {
        u32 a = __atomic_load_n((u32 *)to, __ATOMIC_RELAXED), b;

        memcpy(&b, from, 4);
        while (!__atomic_compare_exchange_n((u32 *)to, &a, combine_32(&op, a, b, 0), false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED))
            ;
    } else {
        u16 a = __atomic_load_n((u16 *)to, __ATOMIC_RELAXED), b;

        memcpy(&b, from, 2);
        while (!__atomic_compare_exchange_n((u16 *)to, &a, combine_16(&op, a, b, 0), false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED))
            ;
    }
}

static u64 bulk_address(const struct warp *w, slot s, bool has, bool wide, int64_t offset, int l)
{
    u64 base = !has ? 0 : wide ? ((const u64 *)slot_at(w, s))[l] : ((const u32 *)slot_at(w, s))[l];

    return base + (u64)offset;
}

/* A lane's copy is one request, of as many sectors as it covers on its side in global memory, if it has one. */
static void count_bulk(struct warp *w, const struct ins *i, u64 address, u8 space, u32 size)
{
    struct worker *k = w->worker;
    struct event *e = &k->events[i->event - 1];

    if (space == PTX_SHARED || address >> WINDOW_SHIFT || !size)
        return;
    e->requests++;
    e->lanes++;
    e->bytes += size;
    e->ideal += (size + 31) / 32;
    e->units += ((address + size - 1) >> 5) - (address >> 5) + 1;
    if (k->touched)
        access_touch(k->touched, address, address + size - 1);
    if (w->block->probed)
        probe_bulk(w, address, size);
}

/* Tells the barrier at `address` that `bytes` bytes are there. False after a fault. */
static bool bulk_complete(struct warp *w, const struct ins *i, int l, u64 address, u32 bytes)
{
    u64 *barrier = bulk_place(w, i, l, address, PTX_SHARED, 8, ACCESS_ATOMIC), old;

    if (!barrier)
        return false;
    old = *barrier;
    race_mbarrier_copies(w, (uintptr_t)barrier, 1u << l);
    *barrier = mb_settle(MB_PHASE(old), MB_BYTES(old) - (s32)bytes, MB_EXPECTED(old), MB_COUNT(old));
    if (MB_PHASE(*barrier) != MB_PHASE(old))
        race_mbarrier_flip(w, (uintptr_t)barrier);
    return true;
}

/* An address in the block's shared memory, as the same place in block `rank` of the cluster. */
static u64 bulk_in_block(u64 address, u32 rank)
{
    return (address & 0xFFFFFF) | (u64)(rank + 1) << 32 | WINDOW(WINDOW_SHARED);
}

/* Moves `size` bytes of one lane. False after a fault. */
static bool bulk_move(struct warp *w, const struct ins *i, int l, u64 to, u64 from, u32 size)
{
    const struct bulk *x = i->extra;

    for (u32 n = 0; n < size; n += i->size) {
        char data[16];
        void *p = bulk_place(w, i, l, from + n, x->from_space, i->size, ACCESS_READ);

        if (!p)
            return false;
        memcpy(data, p, i->size);
        if (x->from_space == PTX_SHARED)
            race_bulk_reads(w, i, (unsigned)l, p, i->size, !x->has_barrier);
        p = bulk_place(w, i, l, to + n, i->space, i->size, i->op ? ACCESS_ATOMIC : ACCESS_WRITE);
        if (!p)
            return false;
        if (i->op)
            bulk_reduce(i, p, data);
        else
            memcpy(p, data, i->size);
    }
    return true;
}

/* One lane's copy: with a mask of blocks to each of them, and to the barrier there. False after a fault. */
static bool bulk_lane(struct warp *w, const struct ins *i, int l, u32 size, bool count)
{
    const struct bulk *x = i->extra;
    u64 to = bulk_address(w, i->a, i->flags & INS_ADDRESS_BASE, i->flags & INS_ADDRESS_64, i->imm, l);
    u64 from = bulk_address(w, i->b, x->has_from_base, x->from_wide, x->from_offset, l);
    u64 barrier = bulk_address(w, i->e, x->has_barrier_base, x->barrier_wide, x->barrier_offset, l);
    u32 blocks = x->multicast ? ((const u32 *)slot_at(w, i->f))[l] & 0xFFFF : 1;

    if (size % 16) {
        fault_at(w, i, (unsigned)l, FAULT_MISALIGNED, to, "bulk copy of %u bytes, which is not a multiple of 16", size);
        return false;
    }
    if (count && i->class == CLASS_GLOBAL_LOAD)
        count_bulk(w, i, from, x->from_space, size);
    else if (count)
        count_bulk(w, i, to, i->space, size);
    for (; blocks; blocks &= blocks - 1) {
        u32 rank = (u32)__builtin_ctz(blocks);

        if (!bulk_move(w, i, l, x->multicast ? bulk_in_block(to, rank) : to, from, size) ||
            (x->has_barrier &&
             !bulk_complete(w, i, l, x->multicast ? bulk_in_block(barrier, rank) : barrier, size)))
            return false;
    }
    return true;
}

/* Whether lane l stores what the lane before it stores, to the same place. */
static bool bulk_repeats(const struct warp *w, const struct ins *i, u32 mask, int l)
{
    const struct bulk *x = i->extra;
    const u32 *C = slot_at(w, i->c);

    if (!l || !(mask >> (l - 1) & 1) || i->op || x->has_barrier || C[l] != C[l - 1])
        return false;
    for (int n = 0; n < 2; n++) {
        u64 mine = n ? bulk_address(w, i->b, x->has_from_base, x->from_wide, 0, l)
                     : bulk_address(w, i->a, i->flags & INS_ADDRESS_BASE, i->flags & INS_ADDRESS_64, 0, l);
        u64 theirs = n ? bulk_address(w, i->b, x->has_from_base, x->from_wide, 0, l - 1)
                       : bulk_address(w, i->a, i->flags & INS_ADDRESS_BASE, i->flags & INS_ADDRESS_64, 0, l - 1);

        if (mine != theirs)
            return false;
    }
    return true;
}

STEP(bulk)
{
    const u32 *C = slot_at(w, i->c);
    struct worker *k = w->worker;
    u32 mask = w->mask;
    bool good = true, counting = k->counting;

    k->counting = false; /* the parts that a copy is done in are no requests */
    for (u32 m = mask; m && good; m &= m - 1) {
        int l = __builtin_ctz(m);

        if (bulk_repeats(w, i, mask, l))
            continue;
        w->mask = m & -m;
        good = bulk_lane(w, i, l, C[l], counting);
    }
    w->mask = mask;
    k->counting = counting;
    if (!good)
        return NULL;
    w->worker->progress = true;
    return i + 1;
}

#include "table_tensor_map.h"
#include "table_async.h"

const struct row LEVELED(rows_copy)[] = {
    {"@cp.async", cp_async, "", 0, CLASS_GLOBAL_LOAD, 0},
    {"@bulk", bulk, "", 0, CLASS_GLOBAL_LOAD, 0},
    {"@tensor", tensor_copy, "", 0, CLASS_GLOBAL_LOAD, 0},
    {"@st.async", async_store, "", 0, CLASS_SHARED_STORE, 0},
    {"@tensormap.replace", map_replace, "", 0, CLASS_COMPUTATION, 0},
    {"@tensormap.copy", map_copy, "", 0, CLASS_GLOBAL_STORE, 0},
    {"@mbarrier", mbarrier, "", 0, CLASS_SYNCHRONISATION, 0},
    {"@mbarrier.pending", mbarrier_pending, "", 0, CLASS_COMPUTATION, 0},
    ROWS_END,
};
