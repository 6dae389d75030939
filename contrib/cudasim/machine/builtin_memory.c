/*
 * builtin_memory.c - memory for the functions that kernels call: the bytes at a generic address, and the heap of
 * malloc().
 */
#include "builtin_call.h"

#include <inttypes.h>

#include "contrib/cudasim/base/memory.h"
#include "block.h"
#include "device.h"
#include "fault.h"
#include "settings.h"

static struct bytes shared_bytes(const struct block *b, uint64_t address)
{
    uint64_t offset = address & 0xFFFFFFFFu, rank = address >> 32 & 0xFFFF; /* plus 1; 0: its own block */

    if (rank) {
        if (!b->cluster || rank > b->launch->cluster_blocks)
            return (struct bytes){0};
        b = b->cluster[rank - 1];
    }
    if (offset >= b->shared_size || (rank && !b->live_warps))
        return (struct bytes){0};
    return (struct bytes){b->shared + offset, b->shared_size - offset};
}

struct bytes builtin_bytes(const struct warp *w, unsigned lane, uint64_t address)
{
    uint64_t offset = address & (WINDOW(1) - 1);
    const struct region *r;

    switch (address >> WINDOW_SHIFT) {
    case 0:
        r = memory_find(sim_memory(w->worker->sim), address, NULL);
        if (!r || __atomic_load_n(&r->freed, __ATOMIC_RELAXED))
            return (struct bytes){0};
        return (struct bytes){(const char *)(uintptr_t)address, r->base + r->size - address};
    case WINDOW_SHARED:
        return shared_bytes(w->block, address);
    case WINDOW_LOCAL:
        offset = address & OWNED ? address & 0xFFFFFFFFu : offset;
        if (!w->local || offset >= w->local_stride - 64)
            return (struct bytes){0};
        return (struct bytes){w->local + lane * w->local_stride + offset, w->local_stride - 64 - offset};
    default:
        return (struct bytes){0};
    }
}

/* 0: no room. A block of zero bytes has its own address, and takes one byte. */
uint64_t heap_allocate(struct warp *w, const struct ins *ins, unsigned lane, uint64_t size, uint64_t align)
{
    struct sim *sim = w->worker->sim;
    struct heap *heap = sim_heap(sim);
    uint64_t limit = sim_limits(sim)->heap_bytes, used = atomic_load(&heap->used);
    struct region *r;

    atomic_store(&heap->begun, true);
    if (!align || align & (align - 1) || align > limit)
        return 0;
    size = size ? size : 1;
    do {
        if (used > limit || size > limit - used)
            return 0;
    } while (!atomic_compare_exchange_weak(&heap->used, &used, used + size));
    r = memory_allocate(sim_memory(sim), size, align < HEAP_ALIGN ? HEAP_ALIGN : align, REGION_HEAP);
    if (r) {
        r->flags = heap_site(w, ins, lane);
        atomic_fetch_add(&heap->live, 1);
        return r->base;
    }
    atomic_fetch_sub(&heap->used, size);
    return 0;
}

/* False after a fault. */
bool heap_free(struct warp *w, const struct ins *ins, unsigned lane, uint64_t address)
{
    struct sim *sim = w->worker->sim;
    const struct region *r;
    uint64_t size;
    bool ours;

    if (!address)
        return true;
    r = memory_find(sim_memory(sim), address, NULL);
    ours = r && r->kind == REGION_HEAP && r->base == address;
    size = ours ? r->size : 0;
    if (ours && !__atomic_load_n(&r->freed, __ATOMIC_RELAXED) && memory_release(sim_memory(sim), address)) {
        atomic_fetch_sub(&sim_heap(sim)->used, size);
        atomic_fetch_sub(&sim_heap(sim)->live, 1);
        return true;
    }
    if (ours)
        fault_at(w, ins, lane, FAULT_USE_AFTER_FREE, address, "free() of 0x%" PRIx64 ", which was freed before",
                 address);
    else
        fault_at(w, ins, lane, FAULT_ILLEGAL_ADDRESS, address,
                 "free() of 0x%" PRIx64 ", which malloc() of a kernel did not return", address);
    return false;
}
