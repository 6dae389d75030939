/*
 * access.c - the slow path of a memory instruction; table_memory.c has the fast path. It handles addresses of other
 * windows, bounds, and bytes never written.
 *
 * It does not know what the instruction does with the bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "block.h"
#include "device.h"
#include "fault.h"
#include "probe.h"
#include "race.h"
#include "race_say.h"
#include "sectors.h"
#include "settings.h"
#include "traffic_note.h"
#include "contrib/cudasim/base/atomic.h"
#include "contrib/cudasim/base/memory.h"

/* ---- bytes never written ---- */

/* Whether none of the bytes [address, address + bytes) was ever written. memory.h describes the bits. */
static bool none_written(const uint8_t *bits, uint64_t offset, unsigned bytes)
{
    if ((offset & 7) + bytes <= 8)
        return !(__atomic_load_n(&bits[offset >> 3], __ATOMIC_RELAXED) & ((1u << bytes) - 1) << (offset & 7));
    for (uint64_t n = offset; n < offset + bytes; n++)
        if (__atomic_load_n(&bits[n >> 3], __ATOMIC_RELAXED) >> (n & 7) & 1)
            return false;
    return true;
}

static void set_written(uint8_t *bits, uint64_t offset, unsigned bytes)
{
    while (bytes) {
        unsigned part = 8 - (unsigned)(offset & 7), set;

        part = part < bytes ? part : bytes;
        set = ((1u << part) - 1) << (offset & 7);
        if ((__atomic_load_n(&bits[offset >> 3], __ATOMIC_RELAXED) & set) != set)
            __atomic_fetch_or(&bits[offset >> 3], (uint8_t)set, __ATOMIC_RELAXED);
        offset += part;
        bytes -= part;
    }
}

/* Whether all bytes of [from, to) were written. */
static bool all_written(const uint8_t *bits, uint64_t from, uint64_t to)
{
    uint64_t first = from >> 3, last = to >> 3, missing;

    if (first == last)
        return (bits[first] & ((1u << (to & 7)) - 1) & ~((1u << (from & 7)) - 1)) ==
               (((1u << (to & 7)) - 1) & ~((1u << (from & 7)) - 1));
    missing = ~bits[first] & 0xFFu & ~((1u << (from & 7)) - 1);
    missing |= ~bits[last] & ((1u << (to & 7)) - 1);
    for (first++; first + 8 <= last; first += 8) {
        uint64_t word;

        memcpy(&word, bits + first, 8);
        missing |= ~word;
    }
    for (; first < last; first++)
        missing |= ~bits[first] & 0xFFu;
    return missing == 0;
}

/* The lowest and the highest address of the active lanes. Addresses of inactive lanes may only widen this range. */
CLONES static void address_range(const struct warp *w, uint64_t *low, uint64_t *high)
{
    uint64_t a = UINT64_MAX, b = 0;

    for (int l = 0; l < LANES; l++) {
        a = w->address[l] < a ? w->address[l] : a;
        b = w->address[l] > b ? w->address[l] : b;
    }
    *low = a;
    *high = b;
}

#define DENSE 4096 /* bytes: accesses within this range need one lookup */


struct part {
    unsigned at, bytes; /* of an access */
};

/*
 * Finds a part of the access that was never written: all of it, or an element of a vector that arithmetic uses. So
 * padding inside of copied structures does not count.
 */
static bool unwritten_part(const struct ins *ins, const uint8_t *bits, uint64_t offset, unsigned bytes,
                           struct part *part)
{
    *part = (struct part){0, bytes};
    if (none_written(bits, offset, bytes))
        return true;
    part->bytes = ins->size;
    for (unsigned n = ins->needed; n; n &= n - 1) {
        part->at = (unsigned)__builtin_ctz(n) * ins->size;
        if (part->at + ins->size <= bytes && none_written(bits, offset + part->at, ins->size))
            return true;
    }
    return false;
}

static void say_unwritten(struct warp *w, const struct ins *ins, unsigned l, const struct region *r, uint64_t at,
                          unsigned bytes)
{
    const char *verb = access_verb(ins->op_is_atomic ? ACCESS_ATOMIC : ACCESS_READ);
    char name[80];

    if (r && r->kind == REGION_GLOBAL) {
        variable_title(r->name, name, sizeof name);
        fault_warn(w, ins, l, FAULT_UNINITIALISED, at,
                   "%s of %u bytes of the constant '%s', which has no first value, and which the host never wrote",
                   verb, bytes, name);
    } else {
        fault_warn(w, ins, l, FAULT_UNINITIALISED, at,
                   "%s of %u bytes at 0x%llx, %llu bytes into an allocation of %llu bytes, where nothing was "
                   "ever written",
                   verb, bytes, (unsigned long long)at, (unsigned long long)(r ? at - r->base : 0),
                   (unsigned long long)(r ? r->size : 0));
    }
}

/* Reports a read if nothing of it was written, see unwritten_part(). */
void access_written(struct warp *w, const struct ins *ins, unsigned bytes)
{
    struct memory *memory = sim_memory(w->worker->sim);
    const uint8_t *bits = memory_bits(memory);
    uint64_t origin = memory_origin(memory), low, high;
    struct part part;

    if (w->worker->faulted_at == ins || only_sets(ins))
        return;
    address_range(w, &low, &high);
    if (high - low < DENSE && low >= origin && all_written(bits, low - origin, high + bytes - origin))
        return;
    EVERY_LANE(l, w->mask)
    {
        if (unwritten_part(ins, bits, w->address[l] - origin, bytes, &part)) {
            const struct region *r = memory_find(memory, w->address[l], NULL);
            uint64_t at = w->address[l] + part.at;

            /* A memset of the whole allocation sets no bits. It may have begun since the caller looked. */
            if ((r && __atomic_load_n(&r->written, __ATOMIC_ACQUIRE)) || !memory_untouched(memory, at))
                return;
            w->worker->faulted_at = ins;
            say_unwritten(w, ins, l, r, at, part.bytes);
            return;
        }
    }
}

/* Sets `count` bytes of bits, by words where they are whole ones. What is set already is not written again. */
static void set_all(uint8_t *p, unsigned count)
{
    if (((uintptr_t)p | count) & 7) {
        for (unsigned n = 0; n < count; n++)
            if (__atomic_load_n(p + n, __ATOMIC_RELAXED) != 0xFF)
                __atomic_store_n(p + n, 0xFF, __ATOMIC_RELAXED);
        return;
    }
    for (uint64_t *word = (uint64_t *)(void *)p, *end = word + count / 8; word < end; word++)
        if (__atomic_load_n(word, __ATOMIC_RELAXED) != UINT64_MAX)
            __atomic_store_n(word, UINT64_MAX, __ATOMIC_RELAXED);
}

/* Sets those bits of word `at`. */
static void set_word(uint8_t *bits, uint64_t at, uint64_t set)
{
    uint64_t *word = (uint64_t *)(void *)bits + at;

    if (set & ~__atomic_load_n(word, __ATOMIC_RELAXED))
        __atomic_fetch_or(word, set, __ATOMIC_RELAXED);
}

/* Successive lanes whose bits are in one word set them together. */
static void note_lanes(const struct warp *w, uint8_t *bits, uint64_t origin, unsigned bytes)
{
    uint64_t at = 0, set = 0;

    EVERY_LANE(l, w->mask)
    {
        uint64_t offset = w->address[l] - origin;

        if ((offset & 63) + bytes > 64 || bytes == 64) {
            set_written(bits, offset, bytes);
            continue;
        }
        if (offset >> 6 != at) {
            set_word(bits, at, set);
            at = offset >> 6;
            set = 0;
        }
        set |= ((1ull << bytes) - 1) << (offset & 63);
    }
    set_word(bits, at, set);
}

void access_note(struct warp *w, unsigned bytes)
{
    struct memory *memory = sim_memory(w->worker->sim);
    uint8_t *bits = memory_bits(memory);
    uint64_t origin = memory_origin(memory);

    if (w->mask == FULL_MASK && w->address[LANES - 1] - w->address[0] == (uint64_t)(LANES - 1) * bytes &&
        (w->address[0] & 7) == 0) {
        bool consecutive = true;

        for (unsigned l = 1; l < LANES; l++)
            consecutive &= w->address[l] == w->address[0] + (uint64_t)l * bytes;
        if (consecutive) { /* whole bytes of bits: 32 elements are a multiple of 8 bytes */
            set_all(bits + ((w->address[0] - origin) >> 3), LANES * bytes / 8);
            return;
        }
    }
    note_lanes(w, bits, origin, bytes);
}

/* ---- global memory ---- */

struct neighbour {
    uint64_t address;
    const struct region *above; /* the live region that begins next */
};

static void look_above(const struct region *r, void *context)
{
    struct neighbour *n = context;

    if (r->base > n->address && (!n->above || r->base < n->above->base))
        n->above = r;
}

/* "an allocation of 400 bytes", "variable 'x' of 400 bytes", … */
static void describe(const struct region *r, char *text, size_t size)
{
    static const char *const kinds[] = {
        [REGION_DEVICE] = "an allocation",
        [REGION_POOL] = "an allocation of a pool",
        [REGION_MANAGED] = "a managed allocation",
        [REGION_HOST] = "page-locked host memory",
        [REGION_REGISTERED] = "registered host memory",
        [REGION_HEAP] = "a block of malloc()",
        [REGION_GLOBAL] = "a variable",
    };

    if (r->name)
        snprintf(text, size, "variable '%s' of %llu bytes", r->name, (unsigned long long)r->size);
    else
        snprintf(text, size, "%s of %llu bytes", kinds[r->kind], (unsigned long long)r->size);
}

#define NEAR (1ull << 20) /* bytes: an address further away does not belong to an allocation */

void access_neighbour(struct warp *w, const struct ins *ins, const uint32_t *offsets, unsigned bytes,
                      enum access access)
{
    const struct ptx_variable *v = w->worker->program->places[ins->bound_place - 1].variable;
    int64_t low = ins->bound_low, high = ins->bound_high;
    char name[80];

    if (w->worker->faulted_at == ins)
        return;
    EVERY_LANE(l, w->mask)
    {
        int64_t at = offsets[l];

        if (at >= low && at + bytes <= high)
            continue;
        w->worker->faulted_at = ins;
        variable_title(v->name, name, sizeof name);
        fault_warn(w, ins, l, FAULT_OUT_OF_BOUNDS, offsets[l],
                   "%s of %u bytes of shared memory, %lld bytes %s variable '%s' of %llu bytes", access_verb(access),
                   bytes, (long long)(at < low ? low - at : at >= high ? at - high : at + bytes - high),
                   at < low ? "before" : at >= high ? "after the end of" : "past the end of", name,
                   (unsigned long long)v->size);
        return;
    }
}

/* Reports why `address` may not be accessed, and stops the launch. */
static void refuse_global(struct warp *w, const struct ins *ins, uint32_t l, unsigned bytes, enum access access)
{
    struct memory *memory = sim_memory(w->worker->sim);
    const struct region *below = NULL, *r = memory_find(memory, w->address[l], &below);
    struct neighbour up = {w->address[l], NULL};
    unsigned long long a = w->address[l];
    char what[200];
    bool after; /* of the two neighbours, the one below is nearer */

    if (r && (r->freed || r->away)) {
        describe(r, what, sizeof what);
        fault_at(w, ins, l, FAULT_USE_AFTER_FREE, a, "%s of %u bytes at 0x%llx, %llu bytes into %s that was freed",
                 access_verb(access), bytes, a, a - r->base, what);
        return;
    }
    if (r && a + bytes <= r->base + r->size) {
        describe(r, what, sizeof what);
        fault_at(w, ins, l, FAULT_WRITE_TO_READ_ONLY, a, "%s of %u bytes at 0x%llx, in %s, which is read-only",
                 access_verb(access), bytes, a, what);
        return;
    }
    if (r) {
        describe(r, what, sizeof what);
        fault_at(w, ins, l, FAULT_OUT_OF_BOUNDS, a,
                 "%s of %u bytes at 0x%llx, the last %llu of them past the end of %s", access_verb(access), bytes, a,
                 a + bytes - (r->base + r->size), what);
        return;
    }
    if (a < 65536) {
        fault_at(w, ins, l, FAULT_ILLEGAL_ADDRESS, a, "%s of %u bytes at 0x%llx: a null pointer", access_verb(access),
                 bytes, a);
        return;
    }
    memory_visit(memory, look_above, &up);
    after = below && (!up.above || a - (below->base + below->size) <= up.above->base - a);
    if (after && a - (below->base + below->size) < NEAR) {
        describe(below, what, sizeof what);
        fault_at(w, ins, l, FAULT_OUT_OF_BOUNDS, a, "%s of %u bytes at 0x%llx, %llu bytes after the end of %s",
                 access_verb(access), bytes, a, a - (below->base + below->size), what);
    } else if (up.above && up.above->base - a < NEAR) {
        describe(up.above, what, sizeof what);
        fault_at(w, ins, l, FAULT_OUT_OF_BOUNDS, a, "%s of %u bytes at 0x%llx, %llu bytes before %s",
                 access_verb(access), bytes, a, up.above->base - a, what);
    } else if ((after || up.above) && a - memory_origin(memory) < memory_range(memory)) {
        describe(after ? below : up.above, what, sizeof what);
        fault_at(w, ins, l, FAULT_ILLEGAL_ADDRESS, a,
                 "%s of %u bytes at 0x%llx, which is the device's, but in no allocation: %llu bytes %s %s",
                 access_verb(access), bytes, a, after ? a - (below->base + below->size) : up.above->base - a,
                 after ? "after the end of" : "before", what);
    } else {
        fault_at(w, ins, l, FAULT_ILLEGAL_ADDRESS, a, "%s of %u bytes at 0x%llx, which was never the device's (a "
                 "pointer of the host, one never set, or an index far out of bounds)", access_verb(access), bytes, a);
    }
}

/*
 * The allocation that holds [a, a + bytes), or NULL. `orders`: the access is atomic or volatile. The instruction
 * remembers the allocation for its next execution.
 */
static const struct region *look_up(struct worker *k, uint64_t a, unsigned bytes, bool orders, struct span *remember)
{
    const struct region *r;
    struct span span;

    for (unsigned n = 0; n < SPANS; n++)
        if (a >= k->spans[n].low && a + bytes <= k->spans[n].high) {
            *remember = k->spans[n];
            return k->spans[n].region;
        }
    r = memory_find(sim_memory(k->sim), a, NULL);
    if (!r || __atomic_load_n(&r->freed, __ATOMIC_ACQUIRE) || __atomic_load_n(&r->away, __ATOMIC_ACQUIRE))
        return NULL;
    /* libcu++ makes an atomic of 16 bits from the word around it. That word may end past the allocation's end. */
    if (a + bytes > r->base + (orders ? (r->size + 3) / 4 * 4 : r->size))
        return NULL;
    if (r->kind == REGION_HEAP) /* another thread may free it at any time */
        return r;
    span = (struct span){r->base, r->base + r->size, r};
    k->spans[k->span_next++ % SPANS] = span;
    *remember = span;
    return r;
}

struct kinds {
    uint32_t global, shared, local;
    bool unwritten; /* one of them lies in an allocation that may not be written in full */
};

static bool resolve_global(struct warp *w, const struct ins *ins, uint32_t l, unsigned bytes, enum access access,
                           struct kinds *kinds)
{
    struct worker *k = w->worker;
    struct span *span = ins->event ? &k->events[ins->event - 1].span : &k->no_event;
    const struct launch *launch = w->block->launch;
    uint64_t a = w->address[l];
    const struct region *r;

    if (bytes & (bytes - 1) ? a & 3 : a & (bytes - 1)) {
        fault_at(w, ins, l, FAULT_MISALIGNED, a, "%s of %u bytes at 0x%llx, which is not a multiple of %u",
                 access_verb(access), bytes, (unsigned long long)a, bytes);
        return false;
    }
    if (a >= span->low && a + bytes <= span->high) {
        r = span->region;
    } else if (a - (uintptr_t)launch->parameters < launch->kernel->facts.parameter_bytes) {
        if (access == ACCESS_READ)
            return true;
        fault_at(w, ins, l, FAULT_WRITE_TO_READ_ONLY, a, "%s of %u bytes in the kernel's parameters",
                 access_verb(access), bytes);
        return false;
    } else {
        r = look_up(k, a, bytes, access == ACCESS_ATOMIC || ins->flags & INS_SPINS, span);
    }
    if (!r || (access != ACCESS_READ && r->read_only)) {
        access_bounds_begin(k, bytes, access == ACCESS_READ);
        refuse_global(w, ins, l, bytes, access);
        return access_bounds_end(w, l, access);
    }
    kinds->global |= 1u << l;
    kinds->unwritten |= !__atomic_load_n(&r->written, __ATOMIC_RELAXED);
    return true;
}

/*
 * A generic address of shared memory holds in the block that made it. In another block a GPU accesses that other
 * block's own memory.
 */
static void check_group(struct warp *w, const struct ins *ins, uint32_t l, unsigned bytes, enum access access)
{
    uint64_t group = w->address[l] >> MADE_BY_AT & 0xFF;

    if (!group || group == block_group(w->block) || !w->worker->check_bounds || w->worker->faulted_at == ins)
        return;
    w->worker->faulted_at = ins;
    fault_warn(w, ins, l, FAULT_OUT_OF_BOUNDS, w->address[l],
               "%s of %u bytes by a pointer to shared memory of another block: there each block accesses its own",
               access_verb(access), bytes);
}

static bool resolve_shared(struct warp *w, const struct ins *ins, uint32_t l, unsigned bytes, enum access access,
                           uint32_t *offsets, struct kinds *kinds)
{
    uint64_t offset = w->address[l] & 0xFFFFFFFFu;
    unsigned rank = (unsigned)(w->address[l] >> 32 & 0xFFFF);
    struct block *b = w->block;

    if (rank == 0xFFFF) /* below the block's memory: it borrowed from the bits above */
        rank = 0;
    else
        check_group(w, ins, l, bytes, access);
    if (rank && rank - 1 != b->cluster_rank) {
        if (!b->cluster || rank > b->launch->cluster_blocks) {
            fault_at(w, ins, l, FAULT_ILLEGAL_ADDRESS, w->address[l],
                     "%s of the shared memory of block %u of the cluster, which has %u", access_verb(access), rank - 1,
                     b->launch->cluster_blocks);
            return false;
        }
        b = b->cluster[rank - 1];
        if (b->live_warps == 0) {
            fault_at(w, ins, l, FAULT_USE_AFTER_FREE, w->address[l],
                     "%s of the shared memory of block %u of the cluster, which has ended", access_verb(access),
                     rank - 1);
            return false;
        }
    }
    if (offset + bytes > b->shared_size) {
        access_bounds_begin(w->worker, bytes, false);
        fault_at(w, ins, l, FAULT_OUT_OF_BOUNDS, offset,
                 "%s of %u bytes at offset %lld of shared memory, of which the block has %u bytes",
                 access_verb(access), bytes, (long long)(int32_t)offset, b->shared_size);
        return access_bounds_end(w, l, access);
    }
    if (bytes & (bytes - 1) ? offset & 3 : offset & (bytes - 1)) {
        fault_at(w, ins, l, FAULT_MISALIGNED, offset,
                 "%s of %u bytes at offset %llu of shared memory, which is not a multiple of %u", access_verb(access),
                 bytes, (unsigned long long)offset, bytes);
        return false;
    }
    if (ins->bound_place && b == w->block && w->worker->check_bounds && w->worker->faulted_at != ins &&
        (offset < ins->bound_low || offset + bytes > ins->bound_high)) {
        uint32_t all = w->mask;

        w->mask = 1u << l;
        offsets[l] = (uint32_t)offset;
        access_neighbour(w, ins, offsets, bytes, access);
        w->mask = all;
    }
    offsets[l] = (uint32_t)offset;
    w->address[l] = (uintptr_t)b->shared + offset;
    if (b == w->block)
        kinds->shared |= 1u << l;
    else if (b->writes && !ins->selected)
        race_remote(w, ins, l, b, (uint32_t)offset, bytes, access);
    return true;
}

/*
 * A function may change a parameter that it was given by value. nvcc then takes its address for one of local memory:
 * cvta.to.local leaves the call's depth in bits 32 and up, where an offset into a stack has none.
 */
static bool is_formal(const struct warp *w, uint64_t address)
{
    uint64_t depth = address >> 32 & 0xFFFFFF;

    return depth && depth <= w->frame->depth;
}

/* Parameters of a .func whose address was taken. Bits 32 to 55 name the frame that holds them. */
static bool resolve_formal(struct warp *w, const struct ins *ins, uint32_t l, unsigned bytes, enum access access)
{
    uint64_t offset = w->address[l] & 0xFFFFFFFFu, depth = w->address[l] >> 32 & 0xFFFFFF;
    const struct frame *f = w->frame;

    while (f && f->depth > depth)
        f = f->parent;
    if (!f || f->depth != depth || offset + bytes > f->function->param_bytes) {
        fault_at(w, ins, l, FAULT_ILLEGAL_ADDRESS, w->address[l], "%s of a parameter of a call that has ended",
                 access_verb(access));
        return false;
    }
    w->address[l] = (uintptr_t)f->params + (uint64_t)l * f->function->param_bytes + offset;
    return true;
}

static void count_slow(struct warp *w, const struct ins *ins, unsigned bytes, const struct kinds *kinds,
                       const uint64_t *asked, const uint32_t *offsets)
{
    struct event *e = &w->worker->events[ins->event - 1];
    uint32_t lanes;

    if ((lanes = (uint32_t)__builtin_popcount(kinds->global))) {
        e->requests++;
        e->lanes += lanes;
        e->bytes += (uint64_t)lanes * bytes;
        e->ideal += ((uint64_t)lanes * bytes + 31) / 32;
        e->units += access_sectors(w->worker, asked, kinds->global, bytes);
        if (w->worker->touched && ins->class != CLASS_PARAMETER)
            access_touch_lanes(w->worker->touched, asked, kinds->global, bytes);
        if (w->block->probed)
            probe_global(w, ins, asked, kinds->global, bytes);
    }
    if ((lanes = (uint32_t)__builtin_popcount(kinds->shared))) {
        e->shared_requests++;
        e->shared_bytes += (uint64_t)lanes * bytes;
        e->shared_ideal += (lanes * bytes + 127) / 128;
        e->shared_units += access_passes(offsets, kinds->shared, bytes);
        if (w->block->probed && ins->op_is_atomic)
            probe_shared_atomic(w, ins, offsets, kinds->shared, bytes);
    }
    if ((lanes = (uint32_t)__builtin_popcount(kinds->local))) {
        e->local_requests++;
        e->local_bytes += (uint64_t)lanes * bytes;
        if (w->block->probed)
            probe_local(w, ins, kinds->local, bytes);
    }
}

static uint64_t low_high_of(const uint32_t *offsets, uint32_t lanes)
{
    uint32_t low = UINT32_MAX, high = 0;

    EVERY_LANE(l, lanes)
    {
        low = offsets[l] < low ? offsets[l] : low;
        high = offsets[l] > high ? offsets[l] : high;
    }
    return race_low_high(low, high);
}

bool access_slow(struct warp *w, const struct ins *ins, unsigned bytes, enum access access)
{
    struct kinds kinds = {0, 0, 0, false};
    uint32_t offsets[LANES] = {0};
    uint64_t asked[LANES];
    uint32_t all = w->mask;

    EVERY_LANE(l, all)
        if (w->address[l] >> WINDOW_SHIFT == WINDOW_LOCAL)
            access_local_own(w, ins, l, bytes, access);
    memcpy(asked, w->address, sizeof asked);
    w->worker->went_on = false;
    EVERY_LANE(l, all)
    {
        bool good;

        switch (w->address[l] >> WINDOW_SHIFT) {
        case 0: good = resolve_global(w, ins, l, bytes, access, &kinds); break;
        case WINDOW_SHARED: good = resolve_shared(w, ins, l, bytes, access, offsets, &kinds); break;
        case WINDOW_LOCAL:
            if (is_formal(w, w->address[l])) {
                good = resolve_formal(w, ins, l, bytes, access);
                break;
            }
            good = access_local_resolve(w, ins, l, bytes, access);
            /* What went on out of bounds has no place on the stack. */
            kinds.local |= (uint32_t)(w->address[l] - (uintptr_t)w->local < w->local_stride * LANES) << l;
            break;
        case WINDOW_PARAM: good = resolve_formal(w, ins, l, bytes, access); break;
        default:
            good = false;
            fault_at(w, ins, l, FAULT_ILLEGAL_ADDRESS, w->address[l],
                     "%s of %u bytes at 0x%llx, which is not an address of the device", access_verb(access), bytes,
                     (unsigned long long)w->address[l]);
            break;
        }
        if (!good)
            return false;
    }
    if (ins->event && w->worker->counting)
        count_slow(w, ins, bytes, &kinds, asked, offsets);
    if (kinds.local && ins->bound_local && w->worker->check_bounds)
        access_local_neighbour(w, ins, kinds.local, bytes, access, asked);
    if (kinds.local && w->local_written)
        access_local_check(w, ins, kinds.local, bytes, access, asked);
    if (kinds.shared && w->block->writes && !ins->selected) {
        w->mask = kinds.shared;
        race_shared(w, ins, offsets, low_high_of(offsets, kinds.shared), race_how(bytes, access, SPREAD_ANY));
        w->mask = all;
    }
    if (kinds.global && kinds.unwritten && w->worker->sim_check_written) {
        /* In allocations that are written in full, the bits may not be set. So the test asks for each lane. */
        uint32_t unsure = 0;

        EVERY_LANE(l, kinds.global)
        {
            const struct region *r = memory_find(sim_memory(w->worker->sim), w->address[l], NULL);

            if (r && !r->written)
                unsure |= 1u << l;
        }
        w->mask = unsure;
        if (access != ACCESS_WRITE && !ins->selected)
            access_written(w, ins, bytes);
        if (access != ACCESS_READ)
            access_note(w, bytes);
        w->mask = all;
    }
    if (kinds.global && w->worker->launch->pages && !ins->selected && ins->class != CLASS_PARAMETER) {
        w->mask = kinds.global;
        race_global(w, ins, bytes, access, (struct extent){SPREAD_ANY, 0, 0});
        w->mask = all;
    }
    if (kinds.global && w->worker->traffic && !ins->selected && ins->class != CLASS_PARAMETER) {
        w->mask = kinds.global;
        traffic_access(w, ins, bytes, access, false);
        w->mask = all;
    }
    return true;
}
