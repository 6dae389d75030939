/*
 * runtime_range.c - what programs advise about ranges of managed memory, and where they prefetched them: cudaMemAdvise,
 * cudaMemPrefetchAsync, and the questions about both.
 *
 * Managed memory is in one place only, so advice changes nothing. It is kept by bytes, in ranges that do not overlap
 * and lie in the order of their addresses. Memory in no range has the defaults.
 */
#include "moves.h"
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

struct advised_range {
    uint64_t low, high;                          /* addresses of bytes */
    bool read_mostly;
    bool by_device, by_host;                     /* who is to have a mapping: cudaMemAdviseSetAccessedBy */
    struct cudaMemLocation preferred, prefetched; /* type cudaMemLocationTypeInvalid: nowhere */
};

static const struct cudaMemLocation nowhere = { .type = cudaMemLocationTypeInvalid, .id = cudaInvalidDeviceId };

/* ------------------------------------------------------------------ the list */

static bool insert(struct advised_list *list, size_t at, struct advised_range range)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        struct advised_range *more = reallocarray(list->ranges, capacity, sizeof *more);

        if (!more)
            return false;
        list->ranges = more;
        list->capacity = capacity;
    }
    memmove(list->ranges + at + 1, list->ranges + at, (list->count - at) * sizeof range);
    list->ranges[at] = range;
    list->count++;
    return true;
}

/* The place of the first range that ends behind `address`. */
static size_t first_behind(const struct advised_list *list, uint64_t address)
{
    size_t n = 0;

    while (n < list->count && list->ranges[n].high <= address)
        n++;
    return n;
}

/* Splits a range that goes on both sides of `address`. */
static bool cut(struct advised_list *list, uint64_t address)
{
    size_t n = first_behind(list, address);
    struct advised_range behind;

    if (n == list->count || list->ranges[n].low >= address)
        return true;
    behind = list->ranges[n];
    behind.low = address;
    if (!insert(list, n + 1, behind))
        return false;
    list->ranges[n].high = address;
    return true;
}

/* Makes all of [low, high) ranges that begin and end there. */
static bool cover(struct advised_list *list, uint64_t low, uint64_t high)
{
    if (!cut(list, low) || !cut(list, high))
        return false;
    for (size_t n = first_behind(list, low); low < high; n++) {
        uint64_t next = n < list->count && list->ranges[n].low < high ? list->ranges[n].low : high;

        if (low < next) {
            if (!insert(list, n, (struct advised_range){ .low = low, .high = next,
                                                         .preferred = nowhere, .prefetched = nowhere }))
                return false;
        }
        low = list->ranges[n].high;
    }
    return true;
}

void range_forget(struct advised_list *list, uint64_t low, uint64_t high)
{
    size_t first, last;

    if (!list->count || !cut(list, low) || !cut(list, high))
        return;
    first = first_behind(list, low);
    for (last = first; last < list->count && list->ranges[last].low < high; last++)
        ;
    memmove(list->ranges + first, list->ranges + last, (list->count - last) * sizeof *list->ranges);
    list->count -= last - first;
}

void range_release(struct advised_list *list)
{
    free(list->ranges);
    *list = (struct advised_list){ 0 };
}

/* ------------------------------------------------------------------ advice */

static bool is_managed(struct runtime *runtime, const void *pointer, size_t count)
{
    const struct region *region = allocation_find(runtime, pointer);
    bool managed = region && (region->kind == REGION_MANAGED ||
                              (region->kind == REGION_GLOBAL && module_is_managed(runtime, region->base)));

    return managed && count > 0 && count <= region->base + region->size - (uintptr_t)pointer;
}

/* The device, the host or a NUMA node, which is the host as well. False: there is no such place. */
static bool place_of(struct cudaMemLocation given, struct cudaMemLocation *place)
{
    if (given.type == cudaMemLocationTypeDevice) {
        *place = given;
        return given.id == 0;
    }
    *place = given.type == cudaMemLocationTypeHostNuma
                 ? given
                 : (struct cudaMemLocation){ .type = cudaMemLocationTypeHost, .id = cudaCpuDeviceId };
    return given.type == cudaMemLocationTypeHost || given.type == cudaMemLocationTypeHostNuma ||
           given.type == cudaMemLocationTypeHostNumaCurrent;
}

static cudaError_t advise_one(struct advised_range *range, enum cudaMemoryAdvise advice, struct cudaMemLocation place)
{
    bool *by = place.type == cudaMemLocationTypeDevice ? &range->by_device : &range->by_host;

    switch (advice) {
    case cudaMemAdviseSetReadMostly: range->read_mostly = true; return cudaSuccess;
    case cudaMemAdviseUnsetReadMostly: range->read_mostly = false; return cudaSuccess;
    case cudaMemAdviseSetPreferredLocation:
        if (place.type != cudaMemLocationTypeHostNuma) /* an H100 takes such a node, and changes nothing */
            range->preferred = place;
        return cudaSuccess;
    case cudaMemAdviseUnsetPreferredLocation: range->preferred = nowhere; return cudaSuccess;
    case cudaMemAdviseSetAccessedBy: *by = true; return cudaSuccess;
    case cudaMemAdviseUnsetAccessedBy: *by = false; return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

/* Two kinds of advice are about no place; then the program may name any. */
static bool needs_place(enum cudaMemoryAdvise advice)
{
    return advice != cudaMemAdviseSetReadMostly && advice != cudaMemAdviseUnsetReadMostly &&
           advice != cudaMemAdviseUnsetPreferredLocation;
}

cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    uint64_t low = (uintptr_t)pointer;
    struct cudaMemLocation place = nowhere;
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct advised_list *list = &call.runtime->advised;

        if (!is_managed(call.runtime, pointer, count))
            call.error = cudaErrorInvalidValue;
        else if ((!place_of(location, &place) && needs_place(advice)) ||
                 (place.type == cudaMemLocationTypeHostNuma && advice == cudaMemAdviseSetAccessedBy))
            call.error = cudaErrorInvalidValue;
        else if (!cover(list, low, low + count))
            call.error = cudaErrorMemoryAllocation;
        else
            for (size_t n = first_behind(list, low); n < list->count && list->ranges[n].low < low + count; n++)
                call.error = advise_one(&list->ranges[n], advice, place);
    }
    return call_end(&call);
}

static cudaError_t prefetch(struct call *call, const void *pointer, size_t count, struct cudaMemLocation location)
{
    struct advised_list *list = &call->runtime->advised;
    uint64_t low = (uintptr_t)pointer;
    struct cudaMemLocation place = nowhere;

    if (!is_managed(call->runtime, pointer, count))
        return cudaErrorInvalidValue;
    if (!place_of(location, &place))
        return location.type == cudaMemLocationTypeDevice ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    if (!cover(list, low, low + count))
        return cudaErrorMemoryAllocation;
    for (size_t n = first_behind(list, low); n < list->count && list->ranges[n].low < low + count; n++)
        list->ranges[n].prefetched = place;
    moves_note(call->runtime, low, count, place.type == cudaMemLocationTypeDevice);
    return cudaSuccess;
}

/* The stream has a piece of work, so that its order shows. */
static cudaError_t submit_nothing(struct call *call, const char *name, cudaStream_t stream)
{
    return work_submit(call, &(struct work){ .kind = WORK_EMPTY, .call = name }, stream);
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, struct cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = flags ? cudaErrorInvalidValue : prefetch(&call, pointer, count, location);
        if (call.error == cudaSuccess)
            call.error = submit_nothing(&call, __func__, stream);
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ batches */

/* Ranges of managed memory, and for prefetches where they go: place n from range firsts[n] on. */
struct range_batch {
    void **pointers;               /* [count] */
    size_t *sizes;                 /* [count] bytes */
    size_t count;                  /* of ranges */
    struct cudaMemLocation *places; /* [place_count] */
    size_t *firsts;                /* [place_count], rising from 0 */
    size_t place_count;            /* 0: nothing is prefetched */
};

static bool batch_is_good(struct runtime *runtime, const struct range_batch *batch, bool places)
{
    if (!batch->pointers || !batch->sizes || !batch->count)
        return false;
    for (size_t i = 0; i < batch->count; i++)
        if (!is_managed(runtime, batch->pointers[i], batch->sizes[i]))
            return false;
    if (!places)
        return true;
    if (!batch->places || !batch->firsts || !batch->place_count || batch->place_count > batch->count ||
        batch->firsts[0] != 0)
        return false;
    for (size_t i = 1; i < batch->place_count; i++)
        if (batch->firsts[i] <= batch->firsts[i - 1] || batch->firsts[i] >= batch->count)
            return false;
    return true;
}

/*
 * A discard says that the contents do not matter any more: they count as never written. While work is pending, which
 * may use them, they stay as they are. That is one of the outcomes, as it is with a prefetch.
 */
static cudaError_t run_batch(const struct range_batch *batch, bool places, unsigned long long flags,
                             cudaStream_t stream, const char *name)
{
    struct call call;

    if (!call_begin(&call, CALL_DEVICE))
        return call_end(&call);
    if (flags || call_is_legacy(&call, stream) || !batch_is_good(call.runtime, batch, places))
        call.error = cudaErrorInvalidValue;
    for (size_t i = 0, place = 0; places && call.error == cudaSuccess && i < batch->count; i++) {
        while (place + 1 < batch->place_count && batch->firsts[place + 1] <= i)
            place++;
        call.error = prefetch(&call, batch->pointers[i], batch->sizes[i], batch->places[place]);
    }
    for (size_t i = 0; !places && call.error == cudaSuccess && !call.runtime->pending && i < batch->count; i++)
        memory_discard(sim_memory(call.runtime->sim), (uintptr_t)batch->pointers[i], batch->sizes[i]);
    if (call.error == cudaSuccess)
        call.error = submit_nothing(&call, name, stream);
    return call_end(&call);
}

cudaError_t cudaMemPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count, struct cudaMemLocation *places,
                                      size_t *firsts, size_t place_count, unsigned long long flags,
                                      cudaStream_t stream)
{
    return run_batch(&(struct range_batch){ pointers, sizes, count, places, firsts, place_count }, true, flags, stream,
                     __func__);
}

cudaError_t cudaMemDiscardBatchAsync(void **pointers, size_t *sizes, size_t count, unsigned long long flags,
                                     cudaStream_t stream)
{
    return run_batch(&(struct range_batch){ pointers, sizes, count, NULL, NULL, 0 }, false, flags, stream, __func__);
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count,
                                                struct cudaMemLocation *places, size_t *firsts, size_t place_count,
                                                unsigned long long flags, cudaStream_t stream)
{
    return run_batch(&(struct range_batch){ pointers, sizes, count, places, firsts, place_count }, true, flags, stream,
                     __func__);
}

/* ------------------------------------------------------------------ questions */

static bool same_place(struct cudaMemLocation a, struct cudaMemLocation b)
{
    return a.type == b.type && a.id == b.id;
}

/* What all bytes of [low, high) have in common. */
static struct advised_range common(const struct advised_list *list, uint64_t low, uint64_t high)
{
    const struct advised_range bare = { .preferred = nowhere, .prefetched = nowhere };
    struct advised_range all = bare;

    for (size_t n = first_behind(list, low), part = 0; low < high; part++) {
        bool gap = n == list->count || list->ranges[n].low > low;
        const struct advised_range *range = gap ? &bare : &list->ranges[n];

        if (part == 0)
            all = *range;
        all.read_mostly &= range->read_mostly;
        all.by_device &= range->by_device;
        all.by_host &= range->by_host;
        if (!same_place(all.preferred, range->preferred))
            all.preferred = nowhere;
        if (!same_place(all.prefetched, range->prefetched))
            all.prefetched = nowhere;
        if (gap)
            low = n == list->count ? high : list->ranges[n].low;
        else
            low = list->ranges[n++].high;
    }
    return all;
}

static void list_accessors(const struct advised_range *all, int *data, size_t count)
{
    size_t n = 0;

    if (all->by_device && n < count)
        data[n++] = 0;
    if (all->by_host && n < count)
        data[n++] = cudaCpuDeviceId;
    while (n < count)
        data[n++] = cudaInvalidDeviceId;
}

static cudaError_t answer(const struct advised_range *all, enum cudaMemRangeAttribute attribute, void *data,
                          size_t size)
{
    int *value = data;

    if (attribute == cudaMemRangeAttributeAccessedBy) {
        if (!size || size % sizeof *value)
            return cudaErrorInvalidValue;
        list_accessors(all, value, size / sizeof *value);
        return cudaSuccess;
    }
    if (size != sizeof *value)
        return cudaErrorInvalidValue;
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly: *value = all->read_mostly; return cudaSuccess;
    case cudaMemRangeAttributePreferredLocation:
    case cudaMemRangeAttributePreferredLocationId: *value = all->preferred.id; return cudaSuccess;
    case cudaMemRangeAttributePreferredLocationType: *value = (int)all->preferred.type; return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocation: /* has no numbers for nodes */
        *value = all->prefetched.type == cudaMemLocationTypeHostNuma ? cudaCpuDeviceId : all->prefetched.id;
        return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocationId: *value = all->prefetched.id; return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocationType: *value = (int)all->prefetched.type; return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, enum cudaMemRangeAttribute *attributes, size_t count,
                                      const void *pointer, size_t bytes)
{
    uint64_t low = (uintptr_t)pointer;
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!data || !sizes || !attributes || !count || !is_managed(call.runtime, pointer, bytes)) {
            call.error = cudaErrorInvalidValue;
        } else {
            const struct advised_range all = common(&call.runtime->advised, low, low + bytes);

            for (size_t n = 0; n < count && call.error == cudaSuccess; n++)
                call.error = data[n] ? answer(&all, attributes[n], data[n], sizes[n]) : cudaErrorInvalidValue;
        }
    }
    return call_end(&call);
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                     const void *pointer, size_t bytes)
{
    return cudaMemRangeGetAttributes(&data, &size, &attribute, 1, pointer, bytes);
}
