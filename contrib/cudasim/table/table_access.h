/*
 * table_access.h - the addresses of a warp's access to memory. They are resolved and checked together, before any data
 * move: inside the block's shared memory, a lane's local memory, or the allocation used last. All other addresses are
 * access.c's.
 */
#ifndef CUDASIM_TABLE_ACCESS_H
#define CUDASIM_TABLE_ACCESS_H

#include <immintrin.h>

#include "table.h"

enum pattern { PATTERN_FAULT, PATTERN_ANY, PATTERN_CONSECUTIVE, PATTERN_UNIFORM };

static inline enum spread spread_of(enum pattern pattern)
{
    return pattern == PATTERN_CONSECUTIVE ? SPREAD_CONSECUTIVE
           : pattern == PATTERN_UNIFORM   ? SPREAD_UNIFORM
                                          : SPREAD_ANY;
}

static inline void count_shared(struct event *e, const u32 *offsets, u32 mask, unsigned bytes, enum pattern pattern)
{
    u32 lanes = (u32)__builtin_popcount(mask);

    e->requests++;
    e->lanes += lanes;
    e->bytes += (u64)lanes * bytes;
    e->ideal += pattern == PATTERN_UNIFORM ? 1 : (lanes * bytes + 127) / 128;
    if (pattern == PATTERN_UNIFORM)
        e->units++;
    else if (pattern == PATTERN_CONSECUTIVE)
        e->units += bytes <= 4 ? 1 : bytes / 4;
    else
        e->units += access_passes(offsets, mask, bytes);
}

/* The addresses of a warp's active lanes, which are in w->address. */
struct reach {
    u64 low, high; /* the least and the greatest */
    bool odd;      /* some are no multiple of the bytes accessed */
    enum pattern pattern;
};

/* Puts the instruction's addresses into w->address. An inactive lane takes the address of an active lane. */
INLINE void lane_addresses(struct warp *w, const struct ins *i)
{
    u64 *P = w->address;
    const u32 *on = w->lanes;

    if (!(i->flags & INS_ADDRESS_BASE)) {
        for (int l = 0; l < LANES; l++)
            P[l] = (u64)i->imm;
    } else if (i->flags & INS_ADDRESS_64) {
        const u64 *A = slot_at(w, i->a);
        u64 imm = (u64)i->imm;

        EACH_LANE { P[l] = A[l] + imm; }
    } else {
        const u32 *A = slot_at(w, i->a);
        u32 imm = (u32)i->imm;

        EACH_LANE { P[l] = (u32)(A[l] + imm); }
    }
    if (w->mask != FULL_MASK) {
        /* So that they change no minimum. */
        u64 stand_in = P[__builtin_ctz(w->mask)];

        EACH_LANE { P[l] = on[l] ? P[l] : stand_in; }
    }
}

/* Whether P[l] is `first` for all lanes or, with `moves`, first + l * bytes. `bytes` is a power of two. */
INLINE bool in_line(const u64 *P, u64 first, unsigned bytes, bool moves)
{
#if LEVEL >= 4
    __m512i stride = _mm512_set1_epi64((s64)(moves ? 8 * (u64)bytes : 0)), want = _mm512_set1_epi64((s64)first);
    u32 differs = 0;

    if (moves)
        want = _mm512_add_epi64(want, _mm512_sll_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0),
                                                       _mm_cvtsi32_si128(__builtin_ctz(bytes))));
    for (int l = 0; l < LANES; l += 8) {
        differs |= _mm512_cmpneq_epu64_mask(_mm512_load_si512(P + l), want);
        want = _mm512_add_epi64(want, stride);
    }
    return differs == 0;
#else
    u64 differs = 0;

    for (int l = 0; l < LANES; l++)
        differs |= P[l] ^ (first + (moves ? (u64)l << __builtin_ctz(bytes) : 0));
    return differs == 0;
#endif
}

INLINE struct reach reach_of(const u64 *P, u32 mask, unsigned bytes)
{
    u64 low = UINT64_MAX, high = 0, any = 0, first = P[0], last = first + (LANES - 1) * bytes;

    if (P[1] == first && in_line(P, first, bytes, false))
        return (struct reach){first, first, first & (bytes - 1), PATTERN_UNIFORM};
    if (mask == FULL_MASK && first <= last && in_line(P, first, bytes, true))
        return (struct reach){first, last, first & (bytes - 1), PATTERN_CONSECUTIVE};
    for (int l = 0; l < LANES; l++) {
        u64 p = P[l];

        low = p < low ? p : low;
        high = p > high ? p : high;
        any |= p;
    }
    return (struct reach){low, high, any & (bytes - 1), PATTERN_ANY};
}

INLINE enum pattern reach_shared(struct warp *w, const struct ins *i, unsigned bytes, enum access access,
                                 struct event *e, struct reach reach)
{
    u64 *P = w->address, base = (uintptr_t)w->block->shared;
    u32 offsets[LANES];

    if (reach.high >> 24 || reach.high + bytes > w->block->shared_size || reach.odd) {
        u64 window = WINDOW(WINDOW_SHARED);

        /* 32-bit addresses of other blocks of the cluster have their rank in bits 24 to 31. */
        for (int l = 0; l < LANES; l++) {
            if (!(P[l] >> WINDOW_SHIFT) && P[l] >> 24 && !(P[l] >> 32) && (w->block->cluster || P[l] >> 24 == 1))
                P[l] = (P[l] & 0xFFFFFF) | (P[l] >> 24) << 32;
            P[l] |= window;
        }
        return access_slow(w, i, bytes, access) ? PATTERN_ANY : PATTERN_FAULT;
    }
    if (e || (w->block->writes && !i->selected) || i->bound_place)
        for (int l = 0; l < LANES; l++)
            offsets[l] = (u32)P[l];
    if (i->bound_place && w->worker->check_bounds && (reach.low < i->bound_low || reach.high + bytes > i->bound_high))
        access_neighbour(w, i, offsets, bytes, access);
    if (e)
        count_shared(e, offsets, w->mask, bytes, reach.pattern);
    if (e && w->block->probed && i->op_is_atomic)
        probe_shared_atomic(w, i, offsets, w->mask, bytes);
    if (w->block->writes && !i->selected)
        race_shared(w, i, offsets, race_low_high((u32)reach.low, (u32)reach.high),
                    race_how(bytes, access, spread_of(reach.pattern)));
    EACH_LANE { P[l] += base; }
    return reach.pattern;
}

INLINE enum pattern reach_local(struct warp *w, const struct ins *i, unsigned bytes, enum access access,
                                struct event *e, struct reach reach)
{
    u64 *P = w->address;

    if (w->local && !(reach.high >> 32) && reach.high + bytes <= w->local_stride - LOCAL_GAP && !reach.odd) {
        u64 base = (uintptr_t)w->local, stride = w->local_stride;

        if (i->bound_local && w->worker->check_bounds &&
            (reach.low < w->frame->local_base + (u64)i->bound_low ||
             reach.high + bytes > w->frame->local_base + (u64)i->bound_high))
            access_local_neighbour(w, i, w->mask, bytes, access, P);
        if (w->local_written)
            access_local_check(w, i, w->mask, bytes, access, P);
        if (e) {
            e->local_requests++;
            e->local_bytes += (u64)__builtin_popcount(w->mask) * bytes;
            if (w->block->probed)
                probe_local(w, i, w->mask, bytes);
        }
        EACH_LANE { P[l] += base + (u64)l * stride; }
        return PATTERN_ANY;
    }
    EACH_LANE { P[l] |= WINDOW(WINDOW_LOCAL); }
    return access_slow(w, i, bytes, access) ? PATTERN_ANY : PATTERN_FAULT;
}

INLINE void count_global(struct warp *w, const struct ins *i, unsigned bytes, struct event *e, struct reach reach)
{
    struct worker *k = w->worker;
    u32 lanes = (u32)__builtin_popcount(w->mask);

    e->requests++;
    e->lanes += lanes;
    e->bytes += (u64)lanes * bytes;
    e->ideal += reach.pattern == PATTERN_UNIFORM ? (bytes + 31) / 32 : ((u64)lanes * bytes + 31) / 32;
    if (reach.pattern == PATTERN_ANY)
        e->units += access_sectors(k, w->address, w->mask, bytes);
    else
        e->units += ((reach.high + bytes - 1) >> 5) - (reach.low >> 5) + 1;
    if (k->touched && i->class != CLASS_PARAMETER) {
        if (reach.pattern == PATTERN_ANY)
            access_touch_lanes(k->touched, w->address, w->mask, bytes);
        else
            access_touch(k->touched, reach.low, reach.high + bytes - 1);
    }
    if (w->block->probed)
        probe_global(w, i, w->address, w->mask, bytes);
}

INLINE enum pattern reach_global(struct warp *w, const struct ins *i, unsigned bytes, enum access access,
                                 struct event *e, struct reach reach)
{
    struct worker *k = w->worker;
    const struct span *span = i->event ? &k->events[i->event - 1].span : &k->no_event;

    if (reach.low < span->low || reach.high >= span->high || span->high - reach.high < bytes ||
        reach.odd || (access != ACCESS_READ && span->region->read_only))
        return !access_slow(w, i, bytes, access)  ? PATTERN_FAULT
               : reach.high >> WINDOW_SHIFT || k->went_on ? PATTERN_ANY
                                            : reach.pattern;
    if (!span->region->written && k->sim_check_written) {
        if (access != ACCESS_WRITE && !i->selected)
            access_written(w, i, bytes);
        if (access != ACCESS_READ)
            access_note(w, bytes);
    }
    if (k->launch->pages && !i->selected && i->class != CLASS_PARAMETER &&
        race_watches(k->launch, span->region, access))
        race_global(w, i, bytes, access, (struct extent){spread_of(reach.pattern), reach.low, reach.high});
    if (k->traffic && !i->selected && (i->class != CLASS_PARAMETER || i->space == PTX_CONST))
        traffic_access(w, i, bytes, access, reach.pattern == PATTERN_CONSECUTIVE);
    if (e)
        count_global(w, i, bytes, e, reach);
    return reach.pattern;
}

/*
 * Puts the host addresses of the active lanes' accesses of `bytes` bytes into w->address, checked and counted. The fast
 * path is an access inside the allocation used last; everything else is access.c's.
 */
static inline enum pattern resolve(struct warp *w, const struct ins *i, unsigned bytes, enum access access)
{
    struct worker *k = w->worker;
    struct event *e = NULL;
    struct reach reach;

    if (i->flags & INS_SPINS) {
        w->spinning = 1;
        w->spin_at = i;
    }
    lane_addresses(w, i);
    reach = reach_of(w->address, w->mask, bytes);
    /* An asynchronous copy counts where it reads: see cp_async. */
    if (i->event && k->counting && !(i->space == PTX_SHARED && i->class == CLASS_GLOBAL_LOAD))
        e = &k->events[i->event - 1];
    switch (i->space) {
    case PTX_SHARED: return reach_shared(w, i, bytes, access, e, reach);
    case PTX_LOCAL: return reach_local(w, i, bytes, access, e, reach);
    case PTX_PARAM: return access_slow(w, i, bytes, access) ? PATTERN_ANY : PATTERN_FAULT;
    default: return reach_global(w, i, bytes, access, e, reach);
    }
}

#endif
