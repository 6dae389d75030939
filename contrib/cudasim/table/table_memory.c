/*
 * table_memory.c - loads, stores, atomics. A body resolves and checks the addresses of the whole warp first, then moves
 * the data.
 */
#include <immintrin.h>

#include "contrib/cudasim/base/atomic.h"
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
        probe_shared_atomic(w, offsets, w->mask);
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
                probe_local(w, w->mask, bytes);
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
    if (k->traffic && !i->selected && i->class != CLASS_PARAMETER)
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

/*
 * A load of elements of type M into registers of type R. Vectors take one resolve() for all their elements.
 */
#define LOAD(name, M, R)                                                                                               \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const slot *list = i->extra;                                                                                   \
        const u32 *on = w->lanes;                                                                                      \
        enum pattern pattern = resolve(w, i, (unsigned)sizeof(M) * i->count, ACCESS_READ);                             \
        if (pattern == PATTERN_FAULT)                                                                                  \
            return NULL;                                                                                               \
        if (i->count == 1) {                                                                                           \
            R *D = slot_at(w, list[0]);                                                                                \
            if (pattern == PATTERN_CONSECUTIVE) {                                                                      \
                const M *S = (const M *)(uintptr_t)w->address[0];                                                      \
                EACH_LANE { D[l] = (R)S[l]; }                                                                          \
            } else if (pattern == PATTERN_UNIFORM) {                                                                   \
                R v = (R)*(const volatile M *)(uintptr_t)w->address[0];                                                \
                EACH_LANE { D[l] = on[l] ? v : D[l]; }                                                                 \
            } else if (w->mask == FULL_MASK) {                                                                         \
                R T[LANES];                                                                                            \
                for (int l = 0; l < LANES; l++)                                                                        \
                    T[l] = (R)*(const M *)(uintptr_t)w->address[l];                                                    \
                memcpy(D, T, sizeof T);                                                                                \
            } else {                                                                                                   \
                for (u32 m = w->mask; m; m &= m - 1) {                                                                 \
                    int l = __builtin_ctz(m);                                                                          \
                    D[l] = (R)*(const M *)(uintptr_t)w->address[l];                                                    \
                }                                                                                                      \
            }                                                                                                          \
            return i + 1;                                                                                              \
        }                                                                                                              \
        for (unsigned n = 0; n < i->count; n++) {                                                                      \
            R *D = slot_at(w, list[n]);                                                                                \
            for (u32 m = w->mask; m; m &= m - 1) {                                                                     \
                int l = __builtin_ctz(m);                                                                              \
                D[l] = (R)((const M *)(uintptr_t)w->address[l])[n];                                                    \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

#define STORE(name, M, R)                                                                                              \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const slot *list = i->extra;                                                                                   \
        enum pattern pattern = resolve(w, i, (unsigned)sizeof(M) * i->count, ACCESS_WRITE);                            \
        if (pattern == PATTERN_FAULT)                                                                                  \
            return NULL;                                                                                               \
        w->worker->progress = true;                                                                                    \
        if (i->count == 1 && pattern == PATTERN_CONSECUTIVE) {                                                         \
            const R *S = slot_at(w, list[0]);                                                                          \
            M *D = (M *)(uintptr_t)w->address[0];                                                                      \
            EACH_LANE { D[l] = (M)S[l]; }                                                                              \
            return i + 1;                                                                                              \
        }                                                                                                              \
        for (unsigned n = 0; n < i->count; n++) {                                                                      \
            const R *S = slot_at(w, list[n]);                                                                          \
            for (u32 m = w->mask; m; m &= m - 1) {                                                                     \
                int l = __builtin_ctz(m);                                                                              \
                ((M *)(uintptr_t)w->address[l])[n] = (M)S[l];                                                          \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

/* in_line() of offsets: whether O[l] is first + l * stride for all lanes. */
INLINE bool offsets_in_line(const u32 *O, u32 first, u32 stride)
{
#if LEVEL >= 4
    const __m512i each = _mm512_set1_epi32((s32)stride);
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i want = _mm512_add_epi32(_mm512_set1_epi32((s32)first), _mm512_mullo_epi32(lanes, each));
    u32 differs = _mm512_cmpneq_epu32_mask(_mm512_load_si512(O), want);

    want = _mm512_add_epi32(want, _mm512_set1_epi32((s32)(16 * stride)));
    return (differs | _mm512_cmpneq_epu32_mask(_mm512_load_si512(O + 16), want)) == 0;
#else
    u32 differs = 0;

    for (u32 l = 0; l < LANES; l++)
        differs |= O[l] ^ (first + l * stride);
    return differs == 0;
#endif
}

/* reach_of() for the offsets of an access to shared memory. */
INLINE struct reach reach_of_offsets(const u32 *O, u32 mask, unsigned bytes)
{
    u32 low = UINT32_MAX, high = 0, any = 0, first = O[0], last = first + (LANES - 1) * bytes;

    if (O[1] == first && offsets_in_line(O, first, 0))
        return (struct reach){first, first, first & (bytes - 1), PATTERN_UNIFORM};
    if (mask == FULL_MASK && first <= last && offsets_in_line(O, first, bytes))
        return (struct reach){first, last, first & (bytes - 1), PATTERN_CONSECUTIVE};
    for (int l = 0; l < LANES; l++) {
        low = O[l] < low ? O[l] : low;
        high = O[l] > high ? O[l] : high;
        any |= O[l];
    }
    return (struct reach){low, high, any & (bytes - 1), PATTERN_ANY};
}

/*
 * Shared memory by 32-bit addresses, the common case. Offsets stay 32 bits wide. PATTERN_FAULT means any access that is
 * not aligned or not inside of the block's own memory. The general body handles those.
 */
static inline enum pattern resolve_shared(struct warp *w, const struct ins *i, unsigned bytes, enum access access,
                                          u32 *O)
{
    const struct block *b = w->block;
    u32 mask = w->mask;
    struct reach reach;

    if (i->flags & INS_ADDRESS_BASE) {
        const u32 *A = slot_at(w, i->a);
        u32 imm = (u32)i->imm;

        EACH_LANE { O[l] = A[l] + imm; }
    } else {
        for (int l = 0; l < LANES; l++)
            O[l] = (u32)i->imm;
    }
    if (mask != FULL_MASK) {
        u32 stand_in = O[__builtin_ctz(mask)];
        const u32 *on = w->lanes;

        EACH_LANE { O[l] = on[l] ? O[l] : stand_in; }
    }
    reach = reach_of_offsets(O, mask, bytes);
    if (reach.high >= b->shared_size || b->shared_size - reach.high < bytes || reach.odd || i->flags & INS_SPINS)
        return PATTERN_FAULT;
    if (i->bound_place && w->worker->check_bounds && (reach.low < i->bound_low || reach.high + bytes > i->bound_high))
        access_neighbour(w, i, O, bytes, access);
    if (i->event && w->worker->counting)
        count_shared(&w->worker->events[i->event - 1], O, mask, bytes, reach.pattern);
    if (b->writes && !i->selected)
        race_shared(w, i, O, race_low_high((u32)reach.low, (u32)reach.high),
                    race_how(bytes, access, spread_of(reach.pattern)));
    return reach.pattern;
}

/* Words from the offsets of all lanes. */
INLINE void gather_words(u32 *D, const char *base, const u32 *O)
{
#if LEVEL >= 4
    _mm512_storeu_si512(D, _mm512_i32gather_epi32(_mm512_load_si512(O), base, 1));
    _mm512_storeu_si512(D + 16, _mm512_i32gather_epi32(_mm512_load_si512(O + 16), base, 1));
#else
    EACH_LANE { D[l] = *(const u32 *)(const void *)(base + O[l]); }
#endif
}

#define LOAD_SHARED(name, M, R)                                                                                        \
    STEP(lds_##name)                                                                                                   \
    {                                                                                                                  \
        const slot *list = i->extra;                                                                                   \
        const u32 *on = w->lanes;                                                                                      \
        const char *base = w->block->shared;                                                                           \
        u32 O[LANES] ALIGNED;                                                                                          \
        enum pattern pattern = resolve_shared(w, i, (unsigned)sizeof(M) * i->count, ACCESS_READ, O);                   \
        if (pattern == PATTERN_FAULT)                                                                                  \
            return ld_##name(w, i);                                                                                    \
        for (unsigned n = 0; n < i->count; n++, base += sizeof(M)) {                                                   \
            R *D = slot_at(w, list[n]);                                                                                \
            if (pattern == PATTERN_CONSECUTIVE && i->count == 1) {                                                     \
                const M *S = (const M *)(const void *)(base + O[0]);                                                   \
                EACH_LANE { D[l] = (R)S[l]; }                                                                          \
            } else if (pattern == PATTERN_UNIFORM) {                                                                   \
                R v = (R)*(const M *)(const void *)(base + O[0]);                                                      \
                EACH_LANE { D[l] = on[l] ? v : D[l]; }                                                                 \
            } else if (w->mask == FULL_MASK && sizeof(M) == 4 && sizeof(R) == 4) {                                     \
                gather_words((u32 *)(void *)D, base, O);                                                               \
            } else if (w->mask == FULL_MASK) {                                                                         \
                EACH_LANE { D[l] = (R)*(const M *)(const void *)(base + O[l]); }                                       \
            } else {                                                                                                   \
                for (u32 m = w->mask; m; m &= m - 1) {                                                                 \
                    int l = __builtin_ctz(m);                                                                          \
                    D[l] = (R)*(const M *)(const void *)(base + O[l]);                                                 \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

#define STORE_SHARED(name, M, R)                                                                                       \
    STEP(sts_##name)                                                                                                   \
    {                                                                                                                  \
        const slot *list = i->extra;                                                                                   \
        char *base = w->block->shared;                                                                                 \
        u32 O[LANES] ALIGNED;                                                                                          \
        enum pattern pattern = resolve_shared(w, i, (unsigned)sizeof(M) * i->count, ACCESS_WRITE, O);                  \
        if (pattern == PATTERN_FAULT)                                                                                  \
            return st_##name(w, i);                                                                                    \
        w->worker->progress = true;                                                                                    \
        for (unsigned n = 0; n < i->count; n++, base += sizeof(M)) {                                                   \
            const R *S = slot_at(w, list[n]);                                                                          \
            if (pattern == PATTERN_CONSECUTIVE && i->count == 1) {                                                     \
                M *D = (M *)(void *)(base + O[0]);                                                                     \
                EACH_LANE { D[l] = (M)S[l]; }                                                                          \
            } else {                                                                                                   \
                for (u32 m = w->mask; m; m &= m - 1) {                                                                 \
                    int l = __builtin_ctz(m);                                                                          \
                    *(M *)(void *)(base + O[l]) = (M)S[l];                                                             \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

/* Kernel parameters: the same for every lane. */
#define LOAD_PARAM(name, M, R)                                                                                         \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const slot *list = i->extra;                                                                                   \
        const M *S = (const M *)(w->block->launch->parameters + i->imm);                                               \
        const u32 *on = w->lanes;                                                                                      \
        if (i->flags & INS_ADDRESS_BASE) {                                                                             \
            const u64 *A = slot_at(w, i->a);                                                                           \
            for (u32 m = w->mask; m; m &= m - 1) {                                                                     \
                int l = __builtin_ctz(m);                                                                              \
                for (unsigned n = 0; n < i->count; n++)                                                                \
                    ((R *)slot_at(w, list[n]))[l] = (R)((const M *)((const char *)S + A[l]))[n];                       \
            }                                                                                                          \
            return i + 1;                                                                                              \
        }                                                                                                              \
        for (unsigned n = 0; n < i->count; n++) {                                                                      \
            R *D = slot_at(w, list[n]), v = (R)S[n];                                                                   \
            EACH_LANE { D[l] = on[l] ? v : D[l]; }                                                                     \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

/* Parameters of functions: an area of bytes a lane in the frame. */
#define FRAME(name, M, R, statement)                                                                                   \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const slot *list = i->extra;                                                                                   \
        size_t stride = w->frame->function->param_bytes;                                                               \
        char *base = w->frame->params + i->imm;                                                                        \
        for (unsigned n = 0; n < i->count; n++) {                                                                      \
            R *X = slot_at(w, list[n]);                                                                                \
            for (u32 m = w->mask; m; m &= m - 1) {                                                                     \
                int l = __builtin_ctz(m);                                                                              \
                char *p = base + (size_t)l * stride + n * sizeof(M);                                                   \
                M v;                                                                                                   \
                statement;                                                                                             \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

#define EACH_PAIR(X)                                                                                                   \
    X(u8, u16, u, 8, 16)                                                                                               \
    X(u8, u32, u, 8, 32)                                                                                               \
    X(u8, u64, u, 8, 64)                                                                                               \
    X(u16, u16, u, 16, 16)                                                                                             \
    X(u16, u32, u, 16, 32)                                                                                             \
    X(u16, u64, u, 16, 64)                                                                                             \
    X(u32, u32, u, 32, 32)                                                                                             \
    X(u32, u64, u, 32, 64)                                                                                             \
    X(u64, u64, u, 64, 64)                                                                                             \
    X(u128, u128, u, 128, 128)
#define EACH_SIGNED_PAIR(X)                                                                                            \
    X(s8, s16, s, 8, 16)                                                                                               \
    X(s8, s32, s, 8, 32)                                                                                               \
    X(s8, s64, s, 8, 64)                                                                                               \
    X(s16, s32, s, 16, 32)                                                                                             \
    X(s16, s64, s, 16, 64)                                                                                             \
    X(s32, s64, s, 32, 64)

#define LOAD_BODIES(M, R, s, m, r)                                                                                     \
    LOAD(ld_##M##_##R, M, R)                                                                                           \
    LOAD_SHARED(M##_##R, M, R)                                                                                         \
    LOAD_PARAM(ldp_##M##_##R, M, R)                                                                                    \
    FRAME(ldf_##M##_##R, M, R, (memcpy(&v, p, sizeof v), X[l] = (R)v))
#define STORE_BODIES(M, R, s, m, r)                                                                                    \
    STORE(st_##M##_##R, M, R)                                                                                          \
    STORE_SHARED(M##_##R, M, R)                                                                                        \
    FRAME(stf_##M##_##R, M, R, (v = (M)X[l], memcpy(p, &v, sizeof v)))
EACH_PAIR(LOAD_BODIES)
EACH_SIGNED_PAIR(LOAD_BODIES)
EACH_PAIR(STORE_BODIES)

/* ---- atomics ---- */

static f32 add_f32(f32 a, f32 b, bool flush)
{
    u32 r;

    if (flush)
        a = f32_from(flush_f32(f32_bits(a))), b = f32_from(flush_f32(f32_bits(b)));
    r = canon_f32(a + b);
    return f32_from(flush ? flush_f32(r) : r);
}

/* One binary half (f16 or bf16) in f32 and back, rounded to nearest even; exact enough: see table_half.c. */
static f32 half_to_f32(u16 h, bool bf)
{
    u32 sign = (u32)(h & 0x8000) << 16, e, m;

    if (bf)
        return f32_from((u32)h << 16);
    e = h >> 10 & 31;
    m = h & 0x3FF;
    if (e == 31)
        return f32_from(sign | 0x7F800000u | m << 13);
    if (e == 0)
        return (sign ? -1.0f : 1.0f) * (f32)m * 0x1p-24f;
    return f32_from(sign | (e + 112) << 23 | m << 13);
}

static u16 half_from_f32(f32 x, bool bf)
{
    u32 u = f32_bits(x), sign = u >> 16 & 0x8000, a = u & 0x7FFFFFFF, e, m, shift, r;

    if (a > 0x7F800000u)
        return 0x7FFF;
    if (bf) {
        u += 0x7FFF + (u >> 16 & 1);
        return (u16)(u >> 16);
    }
    if (a >= 0x477FF000u)
        return (u16)(sign | 0x7C00);
    if (a < 0x33000001u)
        return (u16)sign;
    e = a >> 23;
    m = (a & 0x7FFFFF) | 0x800000;
    shift = e < 113 ? 126 - e : 13;
    r = m >> shift;
    m &= (1u << shift) - 1;
    if (m > 1u << (shift - 1) || (m == 1u << (shift - 1) && r & 1))
        r++;
    if (e >= 113)
        r += (e - 113) << 10;
    return (u16)(sign | r);
}

static u16 combine_half(int op, u16 a, u16 b, bool bf)
{
    f32 x = half_to_f32(a, bf), y = half_to_f32(b, bf);

    switch (op) {
    case ATOMIC_ADD: return half_from_f32(x + y, bf);
    case ATOMIC_MIN: return x != x ? (y != y ? 0x7FFF : b) : y != y ? a : x < y || (x == y && a & 0x8000) ? a : b;
    default: return x != x ? (y != y ? 0x7FFF : b) : y != y ? a : x > y || (x == y && !(a & 0x8000)) ? a : b;
    }
}

/* What the memory holds after `op` with operand b on old value a. */
static u16 combine_16(const struct ins *i, u16 a, u16 b, u16 c)
{
    switch (i->op) {
    case ATOMIC_EXCH: return b;
    case ATOMIC_CAS: return a == b ? c : a;
    default: return combine_half(i->op, a, b, i->mode == PTX_BF16);
    }
}

static u32 combine_32(const struct ins *i, u32 a, u32 b, u32 c)
{
    bool s = i->mode == PTX_S32;

    if (i->mode == PTX_F16X2 || i->mode == PTX_BF16X2) {
        bool bf = i->mode == PTX_BF16X2;

        return combine_half(i->op, (u16)a, (u16)b, bf) | (u32)combine_half(i->op, a >> 16, b >> 16, bf) << 16;
    }
    switch (i->op) {
    case ATOMIC_ADD:
        return i->mode == PTX_F32 ? f32_bits(add_f32(f32_from(a), f32_from(b), i->space != PTX_SHARED)) : a + b;
    case ATOMIC_MIN: return s ? ((s32)a < (s32)b ? a : b) : a < b ? a : b;
    case ATOMIC_MAX: return s ? ((s32)a > (s32)b ? a : b) : a > b ? a : b;
    case ATOMIC_AND: return a & b;
    case ATOMIC_OR: return a | b;
    case ATOMIC_XOR: return a ^ b;
    case ATOMIC_INC: return a >= b ? 0 : a + 1;
    case ATOMIC_DEC: return a == 0 || a > b ? b : a - 1;
    case ATOMIC_EXCH: return b;
    default: return a == b ? c : a;
    }
}

/* NaN operands as on an H200. Global memory returns them unchanged, the added one first. Shared memory quiets them. */
static u64 add_f64(u64 a, u64 b, bool shared)
{
    f64 x = f64_from(a), y = f64_from(b);

    if (x == x && y == y)
        return f64_bits(x + y);
    if (shared)
        return (x != x ? a : b) | 0x8000000000000ull;
    return y != y ? b : a;
}

static u64 combine_64(const struct ins *i, u64 a, u64 b, u64 c)
{
    bool s = i->mode == PTX_S64;

    switch (i->op) {
    case ATOMIC_ADD: return i->mode == PTX_F64 ? add_f64(a, b, i->space == PTX_SHARED) : a + b;
    case ATOMIC_MIN: return s ? ((s64)a < (s64)b ? a : b) : a < b ? a : b;
    case ATOMIC_MAX: return s ? ((s64)a > (s64)b ? a : b) : a > b ? a : b;
    case ATOMIC_AND: return a & b;
    case ATOMIC_OR: return a | b;
    case ATOMIC_XOR: return a ^ b;
    case ATOMIC_INC: return a >= b ? 0 : a + 1;
    case ATOMIC_DEC: return a == 0 || a > b ? b : a - 1;
    case ATOMIC_EXCH: return b;
    default: return a == b ? c : a;
    }
}

/* The lanes from the first one of `lanes` on that have its address; they take it together. */
INLINE u32 one_address(const u64 *address, u32 lanes)
{
    u32 same = lanes & -lanes, rest = lanes & (lanes - 1);
    u64 first = address[__builtin_ctz(lanes)];

    for (; rest && address[__builtin_ctz(rest)] == first; rest &= rest - 1)
        same |= rest & -rest;
    return same;
}

#define ATOMIC(name, T, combine)                                                                                       \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const T *B = slot_at(w, i->b), *C = slot_at(w, i->c);                                                          \
        T *D = i->d == 1 ? NULL : slot_at(w, i->d);                                                                    \
        bool changed = false;                                                                                          \
        if (resolve(w, i, sizeof(T), ACCESS_ATOMIC) == PATTERN_FAULT)                                                  \
            return NULL;                                                                                               \
        float_default(w);                                                                                              \
        for (u32 m = w->mask, lanes; m; m &= ~lanes) {                                                                 \
            T *p = (T *)(uintptr_t)w->address[__builtin_ctz(m)], old = __atomic_load_n(p, __ATOMIC_RELAXED);           \
            T was[LANES], new;                                                                                         \
            lanes = one_address(w->address, m);                                                                        \
            do {                                                                                                       \
                new = old;                                                                                             \
                for (u32 n = lanes; n; n &= n - 1) {                                                                   \
                    int l = __builtin_ctz(n);                                                                          \
                    was[l] = new;                                                                                      \
                    new = (T)combine(i, was[l], B[l], C[l]);                                                           \
                    changed |= was[l] != new;                                                                          \
                }                                                                                                      \
            } while (!__atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));           \
            for (u32 n = D ? lanes : 0; n; n &= n - 1)                                                                 \
                D[__builtin_ctz(n)] = was[__builtin_ctz(n)];                                                           \
        }                                                                                                              \
        if (changed)                                                                                                   \
            w->worker->progress = true;                                                                                \
        return i + 1;                                                                                                  \
    }
ATOMIC(atom_16, u16, combine_16)
ATOMIC(atom_32, u32, combine_32)
ATOMIC(atom_64, u64, combine_64)

/* 128 bits: exchange and compare-and-swap only. One lock for all: such atomics are rare. */

STEP(atom_128)
{
    const u128 *B = slot_at(w, i->b), *C = slot_at(w, i->c);
    u128 *D = i->d == 1 ? NULL : slot_at(w, i->d);

    if (resolve(w, i, 16, ACCESS_ATOMIC) == PATTERN_FAULT)
        return NULL;
    pthread_mutex_lock(&w->block->launch->lock);
    for (u32 m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        u128 *p = (u128 *)(uintptr_t)w->address[l], old = *p;

        if (i->op == ATOMIC_EXCH || (i->op == ATOMIC_CAS && old == B[l])) {
            *p = i->op == ATOMIC_EXCH ? B[l] : C[l];
            w->worker->progress = true;
        }
        if (D)
            D[l] = old;
    }
    pthread_mutex_unlock(&w->block->launch->lock);
    return i + 1;
}

/* ---- asynchronous copies, which are done at once ---- */

/*
 * The lanes in w->mask without those that copy the same bytes to the same place as the lane before them. Libraries do
 * this to keep all lanes at work; it is no race.
 */
static u32 cp_async_distinct(struct warp *w, const struct ins *i, const char (*data)[16])
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
    distinct = cp_async_distinct(w, i, (const char (*)[16])data);
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
            race_mbarrier_arrive(w, w->address[first], same);
    }
}

STEP(mbarrier)
{
    const u32 *V = slot_at(w, i->b);
    u32 *P = slot_at(w, i->d);
    u64 *S = slot_at(w, i->d);

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
                race_mbarrier_wait(w, w->address[l]);
            break;
        }
        }
        if (i->op <= MBARRIER_COMPLETE_TX)
            w->worker->progress = true;
        if (i->op >= MBARRIER_COMPLETE_TX && i->op <= MBARRIER_ARRIVE_DROP && MB_PHASE(*p) != phase)
            race_mbarrier_flip(w, w->address[l]);
    }
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
            race_bulk_reads(w, i, (unsigned)l, p, i->size);
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

STEP(bulk)

{
    const u32 *C = slot_at(w, i->c);
    struct worker *k = w->worker;
    u32 mask = w->mask;
    bool good = true, counting = k->counting;

    k->counting = false; /* the parts that a copy is done in are no requests */
    for (u32 m = mask; m && good; m &= m - 1) {
        int l = __builtin_ctz(m);

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

#define LOAD_ROWS(M, R, s, m, r)                                                                                       \
    {"@ld." #s #m "." #r, ld_##M##_##R, "", 0, CLASS_GLOBAL_LOAD, 0},                                                  \
        {"@ld.shared." #s #m "." #r, lds_##M##_##R, "", 0, CLASS_SHARED_LOAD, 0},                                      \
        {"@ld.param." #s #m "." #r, ldp_##M##_##R, "", 0, CLASS_PARAMETER, 0},                                         \
        {"@ld.frame." #s #m "." #r, ldf_##M##_##R, "", 0, CLASS_PARAMETER, 0},
#define STORE_ROWS(M, R, s, m, r)                                                                                      \
    {"@st." #s #m "." #r, st_##M##_##R, "", 0, CLASS_GLOBAL_STORE, 0},                                                 \
        {"@st.shared." #s #m "." #r, sts_##M##_##R, "", 0, CLASS_SHARED_STORE, 0},                                     \
        {"@st.frame." #s #m "." #r, stf_##M##_##R, "", 0, CLASS_PARAMETER, 0},
const struct row LEVELED(rows_memory)[] = {
    EACH_PAIR(LOAD_ROWS) EACH_SIGNED_PAIR(LOAD_ROWS) EACH_PAIR(STORE_ROWS)
    {"@atom.16", atom_16, "", 0, CLASS_GLOBAL_STORE, 0},
    {"@atom.32", atom_32, "", 0, CLASS_GLOBAL_STORE, 0},
    {"@atom.64", atom_64, "", 0, CLASS_GLOBAL_STORE, 0},
    {"@atom.128", atom_128, "", 0, CLASS_GLOBAL_STORE, 0},
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
