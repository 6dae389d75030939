/*
 * table_control.c - branches, calls, special registers, packing, and instructions that the lanes of a warp execute
 * together.
 */
#include <immintrin.h>

#include "contrib/cudasim/base/atomic.h"
#include "contrib/cudasim/base/clock.h"
#include "contrib/cudasim/base/special.h"
#include "table.h"

/* ---- guards and control flow ---- */

STEP(guarded)
{
    u32 before = w->mask, mask = predicate_mask(w, i->guard);
    const struct ins *next;

    mask = before & (i->guard_negated ? ~mask : mask);
    if (mask == before)
        return i->body(w, i);
    if (!mask)
        return i + 1;
    warp_set_mask(w, mask);
    next = i->body(w, i);
    warp_set_mask(w, before);
    return next;
}

STEP(join)
{
    return w->other_count ? warp_join(w, i) : i + 1;
}

STEP(nop)
{
    struct block *b = w->block;

    if (i->awaits) { /* the kernel ahead ran before: see runtime/order.c */
        b->awaited = true;
        for (u32 n = 0; b->cluster && n < b->launch->cluster_blocks; n++)
            b->cluster[n]->awaited = true;
    }
    return i + 1;
}

STEP(bra)
{
    return warp_jump(w, i, i->extra);
}

STEP(bra_if)
{
    u32 taken = predicate_mask(w, i->a);

    taken = w->mask & ((i->flags & INS_NEGATE) ? ~taken : taken);
    if (!taken)
        return i + 1;
    if (taken == w->mask)
        return warp_jump(w, i, i->extra);
    return warp_part(w, i, taken, i->extra);
}

/* Lanes with the same index go on together. The others wait at this instruction and execute it later. */
STEP(brx)
{
    const u32 *A = slot_at(w, i->a);
    const struct ins *const *targets = i->extra;
    unsigned first = (unsigned)__builtin_ctz(w->mask);
    u32 index = A[first], same = 0;

    for (int l = 0; l < LANES; l++)
        if (w->mask >> l & 1 && A[l] == index)
            same |= 1u << l;
    if (index >= (u64)i->imm)
        return fault_at(w, i, first, FAULT_INVALID_CALL, index, "indexed branch to entry %u of %lld", index,
                        (long long)i->imm);
    if (same != w->mask) {
        u32 rest = w->mask & ~same;

        if (i->event)
            w->worker->events[i->event - 1].requests++;
        count_line(w, i);
        warp_push(w, rest, i, w->frame, SPLIT_RUNNABLE);
        warp_set_mask(w, same);
        w->start = i;
    }
    return warp_jump(w, i, targets[index]);
}

STEP(exit_)
{
    return warp_exit(w, i);
}

STEP(ret)
{
    return warp_return(w, i);
}

STEP(call)
{
    const struct call_site *site = i->extra;

    return warp_call(w, i, &w->worker->program->functions[site->function], site);
}

STEP(call_pointer)
{
    const u64 *A = slot_at(w, i->a);
    const struct program *p = w->worker->program;
    unsigned first = (unsigned)__builtin_ctz(w->mask);
    u64 target = A[first], index = (target & (WINDOW(1) - 1)) - 1;
    u32 same = 0;

    for (int l = 0; l < LANES; l++)
        if (w->mask >> l & 1 && A[l] == target)
            same |= 1u << l;
    if (target >> WINDOW_SHIFT != WINDOW_FUNCTION || index >= p->function_count || !p->functions[index].entry)
        return fault_at(w, i, first, FAULT_INVALID_CALL, target, "call through 0x%llx, which is not a function",
                        (unsigned long long)target);
    if (same != w->mask) {
        u32 rest = w->mask & ~same;

        count_line(w, i);
        warp_push(w, rest, i, w->frame, SPLIT_RUNNABLE);
        warp_set_mask(w, same);
        w->start = i;
    }
    return warp_call(w, i, &p->functions[index], i->extra);
}

STEP(builtin)
{
    return builtin_call(w, i, i->extra);
}

/* The toolkit's barrier of a whole grid ends in this way if the launch gave it no word. */
STEP(trap)
{
    const struct launch *k = w->block->launch;

    return fault_at(w, fault_led_here(w, i), (unsigned)__builtin_ctz(w->mask), FAULT_TRAP, 0, "%s",
                    i->toolkit && k->kernel->uses_grid && !k->cooperative
                        ? "grid.sync() in a launch that is not cooperative: use cudaLaunchCooperativeKernel()"
                        : "trap instruction");
}

/* Lanes of predicate a use an undefined value. The launch goes on. */
STEP(undefined)
{
    u32 lanes = predicate_mask(w, i->a) & w->mask;

    if (lanes)
        warp_warn_undefined(w, i, lanes);
    return i + 1;
}

/* ---- special registers ---- */

#define FILL32(value)                                                                                                  \
    do {                                                                                                               \
        u32 *D = slot_at(w, i->d);                                                                                     \
        EACH_LANE {                                                                                                    \
            u32 v_ = (u32)(value);                                                                                     \
            D[l] = w->lanes[l] ? v_ : D[l];                                                                            \
        }                                                                                                              \
    } while (0)

/* One value for all lanes, which is computed once. */
#define SAME32(value)                                                                                                  \
    do {                                                                                                               \
        const u32 same_ = (u32)(value);                                                                                \
                                                                                                                       \
        FILL32(same_);                                                                                                 \
    } while (0)

/* Clocks, and what has 64 bits. */
static void special_time(struct warp *w, const struct ins *i)
{
    bool timer = i->op == SPECIAL_GLOBALTIMER || i->op == SPECIAL_GLOBALTIMER_LO || i->op == SPECIAL_GLOBALTIMER_HI;
    u64 value = i->op == SPECIAL_GRIDID  ? 1
                : i->op == SPECIAL_GRAPH ? w->block->launch->what->graph
                : i->op == SPECIAL_UNSET_64 ? 0 : timer ? (u64)sim_timer_ns() : (u64)sim_clock_ns();

    /* Whoever waits for time does not wait for another thread. But waits of libcu++ look at it to back off. */
    w->worker->progress |= !i->toolkit;
    if (i->op == SPECIAL_CLOCK_HI || i->op == SPECIAL_GLOBALTIMER_HI)
        value >>= 32;
    if (i->op == SPECIAL_CLOCK64 || i->op == SPECIAL_GLOBALTIMER || i->op == SPECIAL_GRIDID ||
        i->op == SPECIAL_GRAPH || i->op == SPECIAL_UNSET_64) {
        u64 *D = slot_at(w, i->d);

        for (int l = 0; l < LANES; l++)
            if (w->lanes[l])
                D[l] = value;
    } else {
        SAME32(value);
    }
}

STEP(special)
{
    const struct block *b = w->block;
    const struct launch *k = b->launch;
    const unsigned *cluster = k->what->cluster;

    switch (i->op) {
    case SPECIAL_TID_X: FILL32(w->worker->numbers[0][w->index * LANES + (u32)l]); break;
    case SPECIAL_TID_Y: FILL32(w->worker->numbers[1][w->index * LANES + (u32)l]); break;
    case SPECIAL_TID_Z: FILL32(w->worker->numbers[2][w->index * LANES + (u32)l]); break;
    case SPECIAL_NTID_X: SAME32(k->ntid[0]); break;
    case SPECIAL_NTID_Y: SAME32(k->ntid[1]); break;
    case SPECIAL_NTID_Z: SAME32(k->ntid[2]); break;
    case SPECIAL_CTAID_X: SAME32(b->id[0]); break;
    case SPECIAL_CTAID_Y: SAME32(b->id[1]); break;
    case SPECIAL_CTAID_Z: SAME32(b->id[2]); break;
    case SPECIAL_NCTAID_X: SAME32(k->grid[0]); break;
    case SPECIAL_NCTAID_Y: SAME32(k->grid[1]); break;
    case SPECIAL_NCTAID_Z: SAME32(k->grid[2]); break;
    case SPECIAL_LANEID: FILL32(l); break;
    case SPECIAL_WARPID: SAME32(w->index); break;
    case SPECIAL_NWARPID: SAME32(WARPS_PER_BLOCK * 2); break;
    case SPECIAL_SMID: SAME32(b->number % sim_limits(k->sim)->multiprocessors); break;
    case SPECIAL_NSMID: SAME32(sim_limits(k->sim)->multiprocessors); break;
    case SPECIAL_LANEMASK_EQ: FILL32(1u << l); break;
    case SPECIAL_LANEMASK_LE: FILL32((2u << l) - 1); break;
    case SPECIAL_LANEMASK_LT: FILL32((1u << l) - 1); break;
    case SPECIAL_LANEMASK_GE: FILL32(~((1u << l) - 1)); break;
    case SPECIAL_LANEMASK_GT: FILL32(~((2u << l) - 1)); break;
    case SPECIAL_DYNAMIC_SMEM: SAME32(k->what->dynamic_shared); break;
    case SPECIAL_TOTAL_SMEM:
    case SPECIAL_AGGR_SMEM: SAME32(b->shared_size); break;
    case SPECIAL_CLUSTERID_X: SAME32(b->id[0] / cluster[0]); break;
    case SPECIAL_CLUSTERID_Y: SAME32(b->id[1] / cluster[1]); break;
    case SPECIAL_CLUSTERID_Z: SAME32(b->id[2] / cluster[2]); break;
    case SPECIAL_NCLUSTERID_X: SAME32(k->grid[0] / cluster[0]); break;
    case SPECIAL_NCLUSTERID_Y: SAME32(k->grid[1] / cluster[1]); break;
    case SPECIAL_NCLUSTERID_Z: SAME32(k->grid[2] / cluster[2]); break;
    case SPECIAL_CLUSTER_CTAID_X: SAME32(b->id[0] % cluster[0]); break;
    case SPECIAL_CLUSTER_CTAID_Y: SAME32(b->id[1] % cluster[1]); break;
    case SPECIAL_CLUSTER_CTAID_Z: SAME32(b->id[2] % cluster[2]); break;
    case SPECIAL_CLUSTER_NCTAID_X: SAME32(cluster[0]); break;
    case SPECIAL_CLUSTER_NCTAID_Y: SAME32(cluster[1]); break;
    case SPECIAL_CLUSTER_NCTAID_Z: SAME32(cluster[2]); break;
    case SPECIAL_CLUSTER_CTARANK: SAME32(b->cluster_rank); break;
    case SPECIAL_CLUSTER_NCTARANK: SAME32(k->cluster_blocks); break;
    case SPECIAL_RESERVED_BEGIN:
    case SPECIAL_RESERVED_0:
    case SPECIAL_RESERVED_1: SAME32(k->reserved); break;
    case SPECIAL_RESERVED_END:
    case SPECIAL_RESERVED_CAP: SAME32(b->shared_size); break;
    case SPECIAL_ENVREG1: SAME32(k->workspace >> 32); break;
    case SPECIAL_ENVREG2: SAME32(k->workspace); break;
    case SPECIAL_UNSET: SAME32(0); break;
    case SPECIAL_IS_EXPLICIT_CLUSTER: SAME32(ONES(k->cluster_blocks > 1)); break;
    case SPECIAL_CLOCK64:
    case SPECIAL_CLOCK:
    case SPECIAL_CLOCK_HI:
    case SPECIAL_GLOBALTIMER:
    case SPECIAL_GLOBALTIMER_LO:
    case SPECIAL_GLOBALTIMER_HI:
    case SPECIAL_UNSET_64:
    case SPECIAL_GRIDID:
    case SPECIAL_GRAPH:
        special_time(w, i);
        break;
    }
    return i + 1;
}

/* ---- addresses known only now ---- */

#define ADDRESS(name, value)                                                                                           \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        u64 v = (u64)(value);                                                                                          \
        if (i->width == 8) {                                                                                           \
            u64 *D = slot_at(w, i->d);                                                                                 \
            for (int l = 0; l < LANES; l++)                                                                            \
                if (w->lanes[l])                                                                                       \
                    D[l] = v;                                                                                          \
        } else {                                                                                                       \
            SAME32(v);                                                                                                 \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }
ADDRESS(address_local, w->frame->local_base + (u64)i->imm)
ADDRESS(address_param, (uintptr_t)w->block->launch->parameters + (u64)i->imm)
ADDRESS(address_formal, WINDOW(WINDOW_PARAM) | (u64)w->frame->depth << 32 | (u64)i->imm)

/*
 * alloca: allocates behind the frame's local variables, at the same place for all lanes. All lanes get the greatest
 * size that one of them asks for. The memory is freed when all lanes of the frame free it together, and at the frame's
 * end.
 */
static u64 lane_value(const struct warp *w, const struct ins *i, slot s, int l)
{
    return i->width == 8 ? ((const u64 *)slot_at(w, s))[l] : ((const u32 *)slot_at(w, s))[l];
}

STEP(alloca_)
{
    struct frame *f = w->frame;
    u64 most = 0, align = (u64)(i->imm > 16 ? i->imm : 16),
        place = f->local_base + f->function->local_bytes + f->allocated;

    for (int l = 0; l < LANES; l++)
        if (w->lanes[l] && lane_value(w, i, i->a, l) > most)
            most = lane_value(w, i, i->a, l);
    place = (place + align - 1) / align * align;
    if (most > sim_limits(w->worker->sim)->stack_max_bytes ||
        place + most > sim_limits(w->worker->sim)->stack_max_bytes)
        return fault_at(w, i, (unsigned)__builtin_ctz(w->mask), FAULT_STACK_OVERFLOW, 0,
                        "alloca of %llu bytes: the stack has %llu", (unsigned long long)most,
                        (unsigned long long)sim_limits(w->worker->sim)->stack_max_bytes);
    warp_check_stack(w, i, place + most, f->depth);
    f->allocated = (u32)(place + most - f->local_base - f->function->local_bytes);
    for (int l = 0; l < LANES; l++)
        if (w->lanes[l]) {
            if (i->width == 8)
                ((u64 *)slot_at(w, i->d))[l] = place;
            else
                ((u32 *)slot_at(w, i->d))[l] = (u32)place;
        }
    return i + 1;
}

ADDRESS(stack_save, w->frame->allocated)

STEP(stack_restore)
{
    if (w->mask == (w->frame->lanes & w->live))
        w->frame->allocated = (u32)lane_value(w, i, i->a, __builtin_ctz(w->mask));
    return i + 1;
}

/* Global and constant memory share a window. The allocation says which of the two it is. */
static bool is_constant(struct warp *w, u64 address)
{
    const struct region *r = memory_find(sim_memory(w->worker->sim), address, NULL);

    return r && r->kind == REGION_GLOBAL && r->read_only;
}

STEP(isspacep)
{
    const u64 *A = slot_at(w, i->a);
    u32 *D = slot_at(w, i->d);
    u64 parameters = (uintptr_t)w->block->launch->parameters;

    for (int l = 0; l < LANES; l++) {
        u64 window = A[l] >> WINDOW_SHIFT;
        bool is = false;

        if (!w->lanes[l])
            continue;
        switch (i->space) {
        case PTX_SHARED:
            is = window == WINDOW_SHARED &&
                 (i->op || !w->block->cluster || (A[l] >> 32 & 0xFFFF) == 0 ||
                  (A[l] >> 32 & 0xFFFF) == w->block->cluster_rank + 1);
            break;
        case PTX_LOCAL: is = window == WINDOW_LOCAL; break;
        case PTX_PARAM: is = A[l] - parameters < w->block->launch->kernel->facts.parameter_bytes; break;
        case PTX_CONST: is = window == 0 && is_constant(w, A[l]); break;
        default: is = window == 0 && !is_constant(w, A[l]); break;
        }
        D[l] = ONES(is);
    }
    return i + 1;
}

/* Shared addresses in other blocks of the cluster have that block's rank, plus 1, in bits 32 to 47 (24 to 27 of 32). */
STEP(mapa)
{
    const u32 *R = slot_at(w, i->b);

    if (i->width == 8) {
        const u64 *A = slot_at(w, i->a);
        u64 *D = slot_at(w, i->d);

        for (int l = 0; l < LANES; l++)
            if (w->lanes[l])
                D[l] = (A[l] & ~(0xFFFFull << 32)) | (u64)(R[l] + 1) << 32;
    } else {
        const u32 *A = slot_at(w, i->a);
        u32 *D = slot_at(w, i->d);

        for (int l = 0; l < LANES; l++)
            if (w->lanes[l])
                D[l] = (A[l] & 0xFFFFFF) | (R[l] + 1) << 24;
    }
    return i + 1;
}

/* cvta{.to}.local: a generic address names its thread. Parameters that a function changes have none: see access.c. */
STEP(cvta_local)
{
    const u64 *A = slot_at(w, i->a);
    u64 *D = slot_at(w, i->d);

    EVERY_LANE(l, w->mask)
        D[l] = i->op ? local_offset(w, l, A[l]) : A[l] | (A[l] >> 32 ? WINDOW(WINDOW_LOCAL) : local_window(w, l));
    return i + 1;
}

/* cvta{.to}.shared of 64 bits. A cut to 32 bits may follow, so shared addresses keep the rank in bits 24 to 27. */
STEP(cvta_shared)
{
    const u64 *A = slot_at(w, i->a);
    u64 *D = slot_at(w, i->d), window = WINDOW(WINDOW_SHARED) | block_group(w->block) << MADE_BY_AT;

    if (i->op)
        for (int l = 0; l < LANES; l++) {
            u64 a = A[l], rank = a >> 32 & 0xFFFF;

            D[l] = w->lanes[l] ? rank ? (a & 0xFFFFFF) | rank << 24 : a & ((1ull << MADE_BY_AT) - 1) : D[l];
        }
    else
        for (int l = 0; l < LANES; l++) {
            u64 a = A[l], rank = a >> 24;
            bool mapped = rank && rank <= (w->block->cluster ? w->block->launch->cluster_blocks : 1);

            D[l] = w->lanes[l] ? (mapped ? (a & 0xFFFFFF) | rank << 32 : a) | window : D[l];
        }
    return i + 1;
}

STEP(getctarank)
{
    u32 *D = slot_at(w, i->d);

    for (int l = 0; l < LANES; l++)
        if (w->lanes[l]) {
            u32 rank = i->width == 8 ? (u32)(((const u64 *)slot_at(w, i->a))[l] >> 32) & 0xFFFF
                                     : ((const u32 *)slot_at(w, i->a))[l] >> 24;

            D[l] = rank ? rank - 1 : w->block->cluster_rank;
        }
    return i + 1;
}

/* ---- packing ---- */

STEP(pack)
{
    const slot *list = i->extra;
    char *D = slot_at(w, i->d);
    unsigned lane = i->size < 2 ? 2 : i->size, whole = i->width < 2 ? 2 : i->width;

    if (i->count == 2 && i->size == 4 && w->mask == FULL_MASK) {
        const u32 *A = slot_at(w, list[0]), *B = slot_at(w, list[1]);
        u64 *Q = (u64 *)D;

        EACH_LANE { Q[l] = (u64)B[l] << 32 | A[l]; }
        return i + 1;
    }
    for (int l = 0; l < LANES; l++)
        if (w->lanes[l])
            for (unsigned n = 0; n < i->count; n++)
                memcpy(D + (unsigned)l * whole + n * i->size, (char *)slot_at(w, list[n]) + (unsigned)l * lane,
                       i->size);
    return i + 1;
}

STEP(unpack)
{
    const slot *list = i->extra;
    const char *A = slot_at(w, i->a);
    unsigned lane = i->size < 2 ? 2 : i->size, whole = i->width < 2 ? 2 : i->width;

    if (i->count == 2 && i->size == 4 && w->mask == FULL_MASK) {
        const u64 *Q = (const u64 *)A;
        u32 *D = slot_at(w, list[0]), *E = slot_at(w, list[1]);

        EACH_LANE
        {
            u64 q = Q[l];
            D[l] = (u32)q;
            E[l] = (u32)(q >> 32);
        }
        return i + 1;
    }
    for (int l = 0; l < LANES; l++)
        if (w->lanes[l])
            for (unsigned n = 0; n < i->count; n++) {
                char *d = (char *)slot_at(w, list[n]) + (unsigned)l * lane;

                if (i->size == 1)
                    d[1] = 0;
                memcpy(d, A + (unsigned)l * whole + n * i->size, i->size);
            }
    return i + 1;
}

/* ---- the lanes of a warp together ---- */

STEP(bar_warp);

/*
 * Lanes that were never started do not count. The default mask of __syncwarp() is not checked either: correct programs
 * use it although lanes were never started or have exited.
 */
static inline void check_members(struct warp *w, const struct ins *i, const u32 *members)
{
    u32 omits = 0, named = 0, gone = w->exists & ~w->live;
    bool default_counts = i->body != bar_warp;

    for (int l = 0; l < LANES; l++) {
        omits |= ~members[l] & 1u << l & w->lanes[l];
        named |= default_counts || members[l] != FULL_MASK ? members[l] & w->lanes[l] : 0;
    }
    if (gone & named || omits)
        warp_warn_members(w, i, omits, gone & named);
}

/* False: w->mask's lanes are not all here yet; `next` is where to go on. */
#define MEET(members)                                                                                                  \
    if (w->other_count) {                                                                                              \
        const struct ins *next_;                                                                                       \
        if (!warp_converge(w, i, members, &next_))                                                                     \
            return next_;                                                                                              \
    }                                                                                                                  \
    if (w->worker->check_lanes)                                                                                        \
        check_members(w, i, members);

STEP(bar_warp)
{
    const u32 *M = slot_at(w, i->f);

    MEET(M)
    for (u32 rest = w->mask, lanes; rest; rest &= ~lanes) {
        lanes = M[__builtin_ctz(rest)] & w->live;
        race_lanes_meet(w, lanes);
        lanes |= rest & -rest;
    }
    return i + 1;
}

/*
 * Warns of lanes whose source lane from[] takes no part, so their value is undefined. In a tree of shuffles down by 16,
 * 8, 4, … the upper half of the lanes may get any value. Only values that reach the lower half count. In a shuffle by
 * one place, a lane at an edge usually ignores its value.
 */
static void check_sources(struct warp *w, const struct ins *i, const u32 *steps, const u32 *from)
{
    u32 wrong = 0;

    if (!w->worker->check_lanes || w->worker->faulted_at == i || i->op == SHUFFLE_UP || i->selected)
        return;
    EVERY_LANE(l, w->mask)
    {
        bool spared = i->op == SHUFFLE_DOWN && l >= (steps[l] & 31);

        if (!(w->mask >> (from[l] & 31) & 1) && !spared)
            wrong |= 1u << l;
    }
    if (!wrong)
        return;
    w->worker->faulted_at = i;
    fault_warn(w, i, (unsigned)__builtin_ctz(wrong), FAULT_INACTIVE_LANE, 0,
               "lanes 0x%08x shuffle a value from lanes that take no part, this thread from lane %u: it is undefined",
               wrong, from[__builtin_ctz(wrong)] & 31);
}

/* R[l] = A[from[l]], of the 32 lanes of a register. */
static inline void take_lanes(u32 *R, const u32 *A, const u32 *from)
{
#if LEVEL >= 4
    __m512i low = _mm512_loadu_si512(A), high = _mm512_loadu_si512(A + 16);

    _mm512_storeu_si512(R, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(from), high));
    _mm512_storeu_si512(R + 16, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(from + 16), high));
#else
    for (int l = 0; l < LANES; l++)
        R[l] = A[from[l]];
#endif
}

/* For each lane from which one it takes the value, or itself, and whether that one is inside of its segment. */
#define SOURCES(lane, condition)                                                                                       \
    EACH_LANE {                                                                                                        \
        s32 b = (s32)(B[l] & 31), segment = (s32)(C[l] >> 8 & 31), clamp = (s32)(C[l] & 31);                           \
        s32 limit = (l & segment) | (clamp & ~segment), j = lane;                                                      \
        bool inside = condition;                                                                                       \
        from[l] = (u32)(inside ? j : l) & 31;                                                                          \
        Q[l] = ONES(inside);                                                                                           \
    }

STEP(shfl)
{
    const u32 *A = slot_at(w, i->a), *B = slot_at(w, i->b), *C = slot_at(w, i->c), *M = slot_at(w, i->f), *on;
    u32 *D, *P, R[LANES], Q[LANES], from[LANES];

    MEET(M)
    race_lanes_pass(w, w->mask);
    D = slot_at(w, i->d);
    P = slot_at(w, i->e);
    on = w->lanes;
    switch (i->op) {
    case SHUFFLE_UP: SOURCES(l - b, j >= limit) break;
    case SHUFFLE_DOWN: SOURCES(l + b, j <= limit) break;
    case SHUFFLE_XOR: SOURCES(l ^ b, j <= limit) break;
    default: SOURCES((l & segment) | (b & ~segment), j <= limit) break;
    }
    take_lanes(R, A, from);
    if (w->mask != FULL_MASK)
        check_sources(w, i, B, from);
    EACH_LANE { D[l] = on[l] ? R[l] : D[l]; }
    EACH_LANE { P[l] = on[l] ? Q[l] : P[l]; }
    return i + 1;
}

STEP(vote)
{
    const u32 *A = slot_at(w, i->a), *M = slot_at(w, i->f);
    u32 *D, votes;

    MEET(M)
    race_lanes_pass(w, w->mask);
    D = slot_at(w, i->d);
    votes = lanes_mask(A) & w->mask;
    for (int l = 0; l < LANES; l++) {
        u32 of = M[l] & w->mask, yes = votes & of, r;

        r = i->op == VOTE_BALLOT ? yes
            : i->op == VOTE_ALL  ? ONES(yes == of)
            : i->op == VOTE_ANY  ? ONES(yes != 0)
                                 : ONES(yes == of || yes == 0);
        D[l] = w->lanes[l] ? r : D[l];
    }
    return i + 1;
}

#define MATCH(name, T)                                                                                                 \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const T *A = slot_at(w, i->a);                                                                                 \
        const u32 *M = slot_at(w, i->f);                                                                               \
        u32 *D, *P, R[LANES];                                                                                          \
        MEET(M)                                                                                                        \
        race_lanes_pass(w, w->mask);                                                                                   \
        D = slot_at(w, i->d);                                                                                          \
        P = slot_at(w, i->e);                                                                                          \
        for (int l = 0; l < LANES; l++) {                                                                              \
            u32 same = 0;                                                                                              \
            for (int k = 0; k < LANES; k++)                                                                            \
                same |= A[k] == A[l] ? 1u << k : 0;                                                                    \
            R[l] = same & M[l] & w->mask;                                                                              \
        }                                                                                                              \
        for (int l = 0; l < LANES; l++)                                                                                \
            if (w->lanes[l]) {                                                                                         \
                bool all = R[l] == (M[l] & w->mask);                                                                   \
                D[l] = i->op && !all ? 0 : R[l];                                                                       \
                if (i->op)                                                                                             \
                    P[l] = ONES(all);                                                                                  \
            }                                                                                                          \
        return i + 1;                                                                                                  \
    }
MATCH(match_32, u32)
MATCH(match_64, u64)

#define REDUX(name, T)                                                                                                 \
    STEP(name)                                                                                                         \
    {                                                                                                                  \
        const T *A = slot_at(w, i->a);                                                                                 \
        const u32 *M = slot_at(w, i->f);                                                                               \
        T *D, R[LANES];                                                                                                \
        u32 members = 0;                                                                                               \
        T r = 0;                                                                                                       \
        MEET(M)                                                                                                        \
        race_lanes_pass(w, w->mask);                                                                                   \
        D = slot_at(w, i->d);                                                                                          \
        for (int l = 0; l < LANES; l++) {                                                                              \
            if (!w->lanes[l])                                                                                          \
                continue;                                                                                              \
            if (M[l] != members) { /* once a group */                                                                  \
                u32 set = M[l] & w->mask;                                                                              \
                members = M[l];                                                                                        \
                r = A[__builtin_ctz(set | 1u << l)];                                                                   \
                for (set &= set - 1; set; set &= set - 1) {                                                            \
                    T v = A[__builtin_ctz(set)];                                                                       \
                    switch (i->op) {                                                                                   \
                    case ATOMIC_ADD: r = (T)((u32)r + (u32)v); break;                                                  \
                    case ATOMIC_MIN: r = v < r ? v : r; break;                                                         \
                    case ATOMIC_MAX: r = v > r ? v : r; break;                                                         \
                    case ATOMIC_AND: r &= v; break;                                                                    \
                    case ATOMIC_OR: r |= v; break;                                                                     \
                    default: r ^= v; break;                                                                            \
                    }                                                                                                  \
                }                                                                                                      \
            }                                                                                                          \
            R[l] = r;                                                                                                  \
        }                                                                                                              \
        for (int l = 0; l < LANES; l++)                                                                                \
            if (w->lanes[l])                                                                                           \
                D[l] = R[l];                                                                                           \
        return i + 1;                                                                                                  \
    }
REDUX(redux_u, u32)
REDUX(redux_s, s32)

STEP(elect)
{
    const u32 *M = slot_at(w, i->f);
    u32 *D, *P;

    MEET(M)
    D = slot_at(w, i->d);
    P = slot_at(w, i->e);
    for (int l = 0; l < LANES; l++)
        if (w->lanes[l]) {
            u32 leader = (u32)__builtin_ctz((M[l] & w->mask) | 1u << l);

            D[l] = leader;
            P[l] = ONES((u32)l == leader);
        }
    return i + 1;
}

STEP(activemask)
{
    SAME32(w->mask);
    return i + 1;
}

/* ---- barriers ---- */

STEP(bar)
{
    const u32 *N = slot_at(w, i->a), *T = slot_at(w, i->b);
    unsigned first = (unsigned)__builtin_ctz(w->mask);
    u32 same = 0, number = N[first], truth = 0;

    if (i->a & 1) /* a constant */
        same = w->mask;
    for (int l = 0; l < LANES && !(i->a & 1); l++)
        if (w->mask >> l & 1 && N[l] == number)
            same |= 1u << l;
    if (number >= BARRIERS)
        return fault_at(w, i, first, FAULT_MISMATCHED_BARRIER, number, "barrier %u; there are %d", number, BARRIERS);
    if (same != w->mask) {
        count_line(w, i);
        warp_push(w, w->mask & ~same, i, w->frame, SPLIT_RUNNABLE);
        warp_set_mask(w, same);
        w->start = i;
    }
    if (i->op >= BARRIER_POPC)
        truth = predicate_mask(w, i->c) & w->mask;
    return block_barrier(w, i, number, i->flags & INS_HAS_COUNT ? T[first] : 0, i->op != BARRIER_ARRIVE, truth);
}

STEP(arrive_cluster)
{
    return cluster_arrive(w, i);
}

STEP(wait_cluster)
{
    return cluster_wait(w, i);
}

STEP(fence)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    race_fence(w, i->scope);
    if (i->system)
        w->block->unfenced = false;
    if (i->bulk)
        race_proxy_fence(w);
    return i + 1;
}

/* The copies of cp.async are done when they are issued. race.h checks if the program waits for them. */
STEP(cp_commit)
{
    race_commit(w, false);
    return i + 1;
}

STEP(cp_wait)
{
    race_wait_copies(w, i->imm < 0 ? COPIES_ALL : (u32)i->imm, false);
    return i + 1;
}

/*
 * Copies in bulk are done when they are issued. race_bulk.h checks if the program waits before it stores to their
 * source, race.h if it waits before it looks at what they wrote.
 */
STEP(bulk_commit)
{
    race_bulk_commit(w);
    race_commit(w, true);
    return i + 1;
}

STEP(bulk_wait)
{
    race_bulk_wait(w, (u32)i->imm);
    if (!i->reads)
        race_wait_copies(w, (u32)i->imm, true);
    return i + 1;
}

/* Whoever sleeps lets others run, also where it does not wait for them. */
STEP(nanosleep_)
{
    w->spinning = 1;
    w->spin_count = 200; /* a loop around it gives way as well */
    return warp_give_way(w, i + 1);
}

#define C(name, body, class) {name, body, "", 0, CLASS_##class, 0}
const struct row LEVELED(rows_control)[] = {
    C("@guarded", guarded, CONTROL),
    C("@join", join, CONTROL),
    C("@nop", nop, COMPUTATION),
    C("@bra", bra, CONTROL),
    C("@bra.if", bra_if, CONTROL),
    C("@brx", brx, CONTROL),
    C("@exit", exit_, CONTROL),
    C("@ret", ret, CONTROL),
    C("@call", call, CONTROL),
    C("@call.pointer", call_pointer, CONTROL),
    C("@builtin", builtin, CONTROL),
    C("@trap", trap, CONTROL),
    C("@undefined", undefined, CONTROL),
    C("@special", special, COMPUTATION),
    C("@address.local", address_local, COMPUTATION),
    C("@address.param", address_param, COMPUTATION),
    C("@address.formal", address_formal, COMPUTATION),
    C("@alloca", alloca_, COMPUTATION),
    C("@stack.save", stack_save, COMPUTATION),
    C("@stack.restore", stack_restore, COMPUTATION),
    C("@isspacep", isspacep, COMPUTATION),
    C("@cvta_local", cvta_local, COMPUTATION),
    C("@cvta_shared", cvta_shared, COMPUTATION),
    C("@mapa", mapa, COMPUTATION),
    C("@getctarank", getctarank, COMPUTATION),
    C("@pack", pack, COMPUTATION),
    C("@unpack", unpack, COMPUTATION),
    C("@bar.warp", bar_warp, SYNCHRONISATION),
    C("@shfl", shfl, COMPUTATION),
    C("@vote", vote, COMPUTATION),
    C("@match.32", match_32, COMPUTATION),
    C("@match.64", match_64, COMPUTATION),
    C("@redux.u", redux_u, COMPUTATION),
    C("@redux.s", redux_s, COMPUTATION),
    C("@elect", elect, COMPUTATION),
    C("@activemask", activemask, COMPUTATION),
    C("@bar", bar, SYNCHRONISATION),
    C("@cluster.arrive", arrive_cluster, SYNCHRONISATION),
    C("@cluster.wait", wait_cluster, SYNCHRONISATION),
    C("@fence", fence, SYNCHRONISATION),
    C("@cp.commit", cp_commit, COMPUTATION),
    C("@cp.wait", cp_wait, COMPUTATION),
    C("@bulk.commit", bulk_commit, COMPUTATION),
    C("@bulk.wait", bulk_wait, COMPUTATION),
    C("@nanosleep", nanosleep_, CONTROL),
    ROWS_END,
};
