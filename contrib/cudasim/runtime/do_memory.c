/*
 * do_memory.c - allocates and frees memory. Memory that is left at the end is a leak.
 */
#include "runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_place.h"
#include "moves.h"
#include "shield.h"

enum { PLACES = 1000 }; /* of allocations that are left, whose lines are looked up: no more are reported */

static void note_caller(struct region *region)
{
    void *frames[HOST_FRAMES];
    const char *name;
    int count = host_frames(frames, &name);

    for (int n = 0; n < count && n < REGION_FRAMES; n++)
        region->from[n] = frames[n];
}

cudaError_t allocation_new(struct runtime *runtime, size_t size, enum region_kind kind, unsigned flags, void **pointer)
{
    struct region *region;

    if (!pointer)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (size == 0)
        return cudaSuccess;
    /* Memory that the host may touch has pages of its own: see watch.c. */
    region = memory_allocate(sim_memory(runtime->sim), size,
                             kind == REGION_HOST || kind == REGION_MANAGED ? HOST_UNIT : ALLOCATION_UNIT, kind);
    if (!region)
        return cudaErrorMemoryAllocation;
    region->flags = flags;
    region->owner = context_owner(runtime);
    if (sim_options(runtime->sim)->check_leaks)
        note_caller(region);
    if (kind == REGION_HOST || kind == REGION_MANAGED) {
        runtime->host_memory = true;
        shield_lower(runtime);
    }
    if (kind == REGION_MANAGED)
        moves_place(runtime, region->base, size);
    *pointer = (void *)(uintptr_t)region->base;
    return cudaSuccess;
}

/* The live region that holds the pointer, or NULL. */
const struct region *allocation_find(struct runtime *runtime, const void *pointer)
{
    const struct region *region = memory_find(sim_memory(runtime->sim), (uintptr_t)pointer, NULL);

    return region && !region->freed ? region : NULL;
}

bool allocation_starts(const struct region *region, const void *pointer)
{
    return region && region->base == (uintptr_t)pointer;
}

bool allocation_is_freeable(const struct region *region, const void *pointer)
{
    return allocation_starts(region, pointer) &&
           (region->kind == REGION_DEVICE || region->kind == REGION_POOL || region->kind == REGION_MANAGED);
}

cudaError_t allocation_release(struct runtime *runtime, void *pointer, const char *call)
{
    const struct region *region = allocation_find(runtime, pointer);
    struct CUmemPoolHandle_st *pool;

    if (!pointer)
        return cudaSuccess;
    if (!allocation_is_freeable(region, pointer))
        return free_refused(runtime, pointer, call);
    pool = map_get(&runtime->pooled, pointer);
    if (pool == &runtime->graph_pool) { /* graph_memory_free() has noted it */
        memory_away(sim_memory(runtime->sim), region->base, true);
        return cudaSuccess;
    }
    if (pool) {
        pool->used -= region->size;
        map_remove(&runtime->pooled, pointer);
    }
    unused_check(runtime, region);
    range_forget(&runtime->advised, region->base, region->base + region->size);
    moves_clear(runtime, region->base);
    memory_release(sim_memory(runtime->sim), region->base);
    return cudaSuccess;
}

static uint64_t pool_units(uint64_t bytes)
{
    return (bytes + POOL_UNIT - 1) / POOL_UNIT * POOL_UNIT;
}

bool pool_take(struct CUmemPoolHandle_st *pool, uint64_t size)
{
    uint64_t reserved = pool_units(pool->used + size);

    if (pool->most && reserved > pool_units(pool->most))
        return false;
    pool->used += size;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    if (reserved > pool->reserved)
        pool->reserved = reserved;
    if (pool->reserved > pool->reserved_high)
        pool->reserved_high = pool->reserved;
    return true;
}

void pool_release(struct CUmemPoolHandle_st *pool, uint64_t kept)
{
    uint64_t least = pool_units(pool->used);

    kept = kept / POOL_UNIT * POOL_UNIT;
    if (kept < least)
        kept = least;
    if (pool->reserved > kept)
        pool->reserved = kept;
}

void pools_waited(struct runtime *runtime)
{
    pool_release(&runtime->pool, runtime->pool.threshold);
    for (struct CUmemPoolHandle_st *pool = runtime->pools; pool; pool = pool->next)
        pool_release(pool, pool->threshold);
}

cudaError_t pool_allocate(struct runtime *runtime, struct CUmemPoolHandle_st *pool, size_t size, void **pointer)
{
    enum region_kind kind = pool->memory == POOL_DEVICE ? REGION_POOL : REGION_MANAGED;
    cudaError_t error = allocation_new(runtime, size, kind, 0, pointer);

    if (error != cudaSuccess || !*pointer)
        return error;
    if (!map_put(&runtime->pooled, *pointer, pool)) {
        error = cudaErrorMemoryAllocation;
    } else if (!pool_take(pool, size)) {
        map_remove(&runtime->pooled, *pointer);
        error = cudaErrorMemoryAllocation;
    }
    if (error != cudaSuccess) {
        memory_release(sim_memory(runtime->sim), (uintptr_t)*pointer);
        *pointer = NULL;
    }
    return error;
}

/* ------------------------------------------------------------------ the end */

struct region_list {
    struct region *regions; /* [count], copies */
    size_t count, capacity;
};

static bool is_programs(enum region_kind kind)
{
    return kind == REGION_DEVICE || kind == REGION_POOL || kind == REGION_MANAGED || kind == REGION_HOST ||
           kind == REGION_REGISTERED;
}

static void collect(const struct region *region, void *context)
{
    struct region_list *list = context;

    if (!is_programs(region->kind))
        return;
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        struct region *regions = realloc(list->regions, capacity * sizeof *regions);

        if (!regions)
            return;
        list->regions = regions;
        list->capacity = capacity;
    }
    list->regions[list->count++] = *region;
}

void allocation_release_all(struct runtime *runtime, const struct CUctx_st *owner)
{
    struct region_list list = { 0 };

    memory_visit(sim_memory(runtime->sim), collect, &list);
    for (size_t i = 0; i < list.count; i++) {
        const struct region *region = &list.regions[i];

        if (region->owner != owner || (owner && map_get(&runtime->pooled, (void *)(uintptr_t)region->base)))
            continue; /* pools are the device's */
        if (owner)
            range_forget(&runtime->advised, region->base, region->base + region->size);
        memory_release(sim_memory(runtime->sim), region->base);
    }
    free(list.regions);
    if (owner)
        return;
    map_release(&runtime->pooled);
    range_release(&runtime->advised);
    runtime->pool.used = runtime->pool.reserved = 0;
    runtime->graph_pool.used = runtime->graph_pool.reserved = 0;
}

static int by_serial(const void *left, const void *right)
{
    uint64_t a = ((const struct region *)left)->serial, b = ((const struct region *)right)->serial;

    return (a > b) - (a < b);
}

/* Registered memory is the host's own: who allocated it frees it. */
static bool is_leak(struct runtime *runtime, const struct region *region)
{
    return region->kind != REGION_REGISTERED &&
           map_get(&runtime->pooled, (void *)(uintptr_t)region->base) != &runtime->graph_pool;
}

void allocation_check_leaks(struct runtime *runtime)
{
    struct region_list list = { 0 };
    char place[300] = "";

    memory_visit(sim_memory(runtime->sim), collect, &list);
    if (list.count)
        qsort(list.regions, list.count, sizeof *list.regions, by_serial);
    for (size_t i = 0; i < list.count; i++) {
        const struct region *region = &list.regions[i];
        struct sim_fault fault = { .kind = FAULT_LEAK, .address = region->base, .count = 1 };

        unused_check(runtime, region);
        if (!sim_options(runtime->sim)->check_leaks || !is_leak(runtime, region))
            continue;
        /* Many are often of one loop. */
        if (i < PLACES && (i == 0 || memcmp(region->from, region[-1].from, sizeof region->from) != 0))
            host_frames_place(region->from, REGION_FRAMES, "allocated", place, sizeof place);
        snprintf(fault.text, sizeof fault.text,
                 "%" PRIu64 " bytes%s at 0x%" PRIx64 " (allocation number %" PRIu64 ") were never freed%s",
                 region->size, region->kind == REGION_HOST ? " of page-locked memory" : "", region->base,
                 region->serial, place);
        sim_report_fault(runtime->sim, &fault);
    }
    free(list.regions);
}
