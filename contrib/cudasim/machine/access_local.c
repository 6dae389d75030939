/*
 * access_local.c - local memory: the stacks of a warp's threads, their bounds, and bytes that were never written.
 *
 * access.c and the bodies of memory instructions call it.
 */
#include <string.h>
#include <sys/mman.h>

#include "access.h"
#include "device.h"
#include "fault.h"
#include "race_say.h"
#include "settings.h"

struct part {
    unsigned at, bytes; /* of an access */
};

uint64_t local_need(const struct launch *launch)
{
    const struct function *f = launch->kernel->function;

    return f->recursive ? sim_limits(launch->sim)->stack_max_bytes : f->stack_bytes;
}

/* The stacks of a warp's threads, one behind the other. The first use makes them; the next blocks use them again. */
static char *warp_local(struct warp *w)
{
    uint64_t bytes = local_need(w->block->launch);

    if (w->local)
        return w->local;
    /* If all stacks started at the same place of a page, they would share a few sets of the cache. */
    w->local_stride = (bytes + 63) / 64 * 64 + LOCAL_GAP;
    w->local = mmap(NULL, w->local_stride * LANES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);
    if (w->local == MAP_FAILED) {
        w->local = NULL;
        return NULL;
    }
    /* Code compiled with -G copies structures with their padding, and passes empty arguments. */
    if (w->worker->sim_check_written && !w->worker->program->debug) {
        w->local_written = mmap(NULL, w->local_stride * sizeof *w->local_written, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (w->local_written == MAP_FAILED)
            w->local_written = NULL;
    }
    return w->local;
}

bool access_local_resolve(struct warp *w, const struct ins *ins, uint32_t l, unsigned bytes, enum access access)
{
    uint64_t offset = w->address[l] & (WINDOW(1) - 1), at;

    if (!warp_local(w)) {
        fault_at(w, ins, l, FAULT_STACK_OVERFLOW, offset, "no memory for %llu bytes of local memory per thread",
                 (unsigned long long)w->local_stride);
        return false;
    }
    if (offset + bytes > w->local_stride - LOCAL_GAP || offset & (bytes & (bytes - 1) ? 0 : bytes - 1)) {
        if (offset + bytes > w->local_stride - LOCAL_GAP) {
            access_bounds_begin(w->worker, bytes, false);
            fault_at(w, ins, l, FAULT_OUT_OF_BOUNDS, offset,
                     "%s of %u bytes at offset %lld of local memory, of which the thread has %llu bytes",
                     access_verb(access), bytes, (long long)((int64_t)(offset << 8) >> 8),
                     (unsigned long long)(w->local_stride - LOCAL_GAP));
            return access_bounds_end(w, l, access);
        }
        fault_at(w, ins, l, FAULT_MISALIGNED, offset,
                 "%s of %u bytes at offset %llu of local memory, not a multiple of %u", access_verb(access), bytes,
                 (unsigned long long)offset, bytes);
        return false;
    }
    at = l * w->local_stride + offset;
    w->address[l] = (uintptr_t)w->local + at;
    return true;
}

uint64_t local_window(const struct warp *w, unsigned lane)
{
    return WINDOW(WINDOW_LOCAL) | OWNED | (uint64_t)(w->index * LANES + lane + 1) << OWNER_AT |
           (w->block->number & OWNER_BLOCK) << 32;
}

/* Whether `address` is that of a variable of thread `lane`, perhaps a few bytes before or behind it. */
static bool is_own(const struct warp *w, unsigned lane, uint64_t address)
{
    int64_t offset = (int64_t)(address - local_window(w, lane));

    return offset > INT32_MIN && offset <= UINT32_MAX;
}

/* Whether cvta made the address. */
static bool is_owned(uint64_t address)
{
    uint64_t owner = address >> OWNER_AT & 0x7FF;

    return address >> WINDOW_SHIFT == WINDOW_LOCAL && address & OWNED && owner && owner <= LANES * WARPS_PER_BLOCK;
}

uint64_t local_offset(const struct warp *w, unsigned lane, uint64_t address)
{
    return is_own(w, lane, address) ? (address - local_window(w, lane)) & (WINDOW(1) - 1)
           : is_owned(address)      ? address & 0xFFFFFFFFu
                                    : address & (WINDOW(1) - 1);
}

void access_local_own(struct warp *w, const struct ins *ins, uint32_t l, unsigned bytes, enum access access)
{
    uint64_t address = w->address[l], owner = address >> OWNER_AT & 0x7FF;
    const struct launch *launch = w->block->launch;
    unsigned t = (unsigned)owner - 1, nx = launch->ntid[0], ny = launch->ntid[1];
    bool own = is_own(w, l, address);

    if (!own && !is_owned(address))
        return;
    w->address[l] = WINDOW(WINDOW_LOCAL) | local_offset(w, l, address);
    if (own || !w->worker->check_bounds || w->worker->faulted_at == ins || ins->selected)
        return;
    w->worker->faulted_at = ins;
    if ((address >> 32 & OWNER_BLOCK) == (w->block->number & OWNER_BLOCK))
        fault_warn(w, ins, l, FAULT_OUT_OF_BOUNDS, address & 0xFFFFFFFFu,
                   "%s of %u bytes by a pointer to a local variable of thread (%u,%u,%u): there each thread has a "
                   "variable of its own",
                   access_verb(access), bytes, t % nx, t / nx % ny, t / nx / ny);
    else
        fault_warn(w, ins, l, FAULT_OUT_OF_BOUNDS, address & 0xFFFFFFFFu,
                   "%s of %u bytes by a pointer to a local variable of a thread of another block: there each thread "
                   "has a variable of its own",
                   access_verb(access), bytes);
}

#define SMALL_FRAME 16 /* bytes */

/*
 * Whether `offset` lies in a frame of a few bytes. Such frames hold results that a function returns by reference. nvcc
 * loads them even if the function did not write them.
 */
static bool in_small_frame(const struct warp *w, uint64_t offset)
{
    const struct frame *f = w->frame;

    while (f && f->local_base > offset)
        f = f->parent;
    return f && f->function->local_bytes <= SMALL_FRAME && !f->allocated;
}

/* The place on the stack that all of `lanes` access, or UINT64_MAX if they access several. */
CLONES static uint64_t common_offset(const uint64_t *asked, uint32_t lanes)
{
    uint64_t first = asked[__builtin_ctz(lanes)], differs = 0;

    for (int l = 0; l < LANES; l++)
        differs |= (asked[l] ^ first) & -(uint64_t)(lanes >> l & 1);
    return differs ? UINT64_MAX : first & (WINDOW(1) - 1);
}

/* Whether no lane of `lanes` reads written bytes in this part of its access. `common`: as common_offset() has it. */
static bool none_written_locally(const struct warp *w, uint32_t lanes, const uint64_t *asked, uint64_t common,
                                 struct part part)
{
    if (common != UINT64_MAX) {
        uint32_t any = 0;

        for (unsigned n = 0; n < part.bytes; n++)
            any |= w->local_written[common + part.at + n];
        return !(any & lanes);
    }
    EVERY_LANE(l, lanes)
    {
        const uint32_t *written = w->local_written + (asked[l] & (WINDOW(1) - 1)) + part.at;

        for (unsigned n = 0; n < part.bytes; n++)
            if (written[n] >> l & 1)
                return false;
    }
    return true;
}

typedef uint32_t four_words __attribute__((vector_size(16), aligned(4), may_alias));

/* Notes that the lanes wrote. A warp's stacks are its own, so no other worker sets bits of these words. */
static void note_local(struct warp *w, uint32_t lanes, const uint64_t *asked, uint64_t common, unsigned bytes)
{
    if (common != UINT64_MAX) {
        uint32_t *written = w->local_written + common;

        for (; bytes >= 4; bytes -= 4, written += 4)
            *(four_words *)(void *)written |= lanes;
        for (unsigned n = 0; n < bytes; n++)
            written[n] |= lanes;
        return;
    }
    EVERY_LANE(l, lanes)
    {
        uint32_t *written = w->local_written + (asked[l] & (WINDOW(1) - 1));

        for (unsigned n = 0; n < bytes; n++)
            written[n] |= 1u << l;
    }
}

/* Reports an access behind all variables of the calls in progress: what lay there is gone, or was never there. */
static void check_stack_end(struct warp *w, const struct ins *ins, uint32_t lanes, unsigned bytes, enum access access,
                            const uint64_t *asked, uint64_t common)
{
    const struct frame *f = w->frame;
    uint64_t end = ((uint64_t)f->local_base + f->function->local_bytes + f->allocated + 15) / 16 * 16;

    if (common != UINT64_MAX && common + bytes <= end)
        return;
    EVERY_LANE(l, lanes)
    {
        uint64_t offset = asked[l] & (WINDOW(1) - 1);

        if (offset + bytes <= end || w->worker->faulted_at == ins)
            continue;
        w->worker->faulted_at = ins;
        fault_warn(w, ins, l, FAULT_OUT_OF_BOUNDS, offset,
                   "%s of %u bytes of local memory behind the variables of all calls in progress: the variable's "
                   "function has returned, or an index is too large",
                   access_verb(access), bytes);
    }
}

/* Reports reads of local variables that were never written: of the whole access, or an element that arithmetic uses. */
void access_local_check(struct warp *w, const struct ins *ins, uint32_t lanes, unsigned bytes, enum access access,
                        const uint64_t *asked)
{
    unsigned first = (unsigned)__builtin_ctz(lanes);
    uint64_t offset = asked[first] & (WINDOW(1) - 1), common = common_offset(asked, lanes);
    bool looks, none;
    struct part part = {0, bytes};

    if (w->worker->check_bounds)
        check_stack_end(w, ins, lanes, bytes, access, asked, common);
    looks = access != ACCESS_WRITE && w->worker->faulted_at != ins && !ins->selected;
    none = looks && none_written_locally(w, lanes, asked, common, part);
    for (unsigned n = looks && !none ? ins->needed : 0; n && !none; n &= n - 1) {
        part = (struct part){(unsigned)__builtin_ctz(n) * ins->size, ins->size};
        none = part.at + ins->size <= bytes && none_written_locally(w, lanes, asked, common, part);
    }
    if (none && !in_small_frame(w, offset)) {
        w->worker->faulted_at = ins;
        fault_warn(w, ins, first, FAULT_UNINITIALISED, offset + part.at,
                   "read of %u bytes of a local variable (offset %llu of local memory), where nothing was written",
                   part.bytes, (unsigned long long)(offset + part.at));
    }
    if (access == ACCESS_READ)
        return;
    note_local(w, lanes, asked, common, bytes);
}

void access_local_neighbour(struct warp *w, const struct ins *ins, uint32_t lanes, unsigned bytes, enum access access,
                            const uint64_t *asked)
{
    int64_t base = w->frame->local_base, low = base + ins->bound_low, high = base + ins->bound_high;

    if (w->worker->faulted_at == ins)
        return;
    EVERY_LANE(l, lanes)
    {
        int64_t at = (int64_t)(asked[l] << 8) >> 8;

        if (at >= low && at + bytes <= high)
            continue;
        w->worker->faulted_at = ins;
        fault_warn(w, ins, l, FAULT_OUT_OF_BOUNDS, (uint64_t)at,
                   "%s of %u bytes of local memory, %lld bytes %s a local variable of %lld bytes", access_verb(access),
                   bytes, (long long)(at < low ? low - at : at >= high ? at - high : at + bytes - high),
                   at < low ? "before" : at >= high ? "after the end of" : "past the end of", (long long)(high - low));
        return;
    }
}
