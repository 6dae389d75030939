/*
 * driver_owned.c - what ends with a context: the streams, events, arrays and memory that were made while it was
 * current. cuCtxDestroy() and cuCtxDetach() call it. What belongs to the primary context ends with cudaDeviceReset().
 */
#include "driver.h"

#include "contrib/cudasim/runtime/array.h"

/* Whether memory that starts there belongs to the context. */
static bool owns_memory(struct runtime *runtime, const struct CUctx_st *owner, uint64_t base)
{
    const struct region *region = allocation_find(runtime, (const void *)(uintptr_t)base);

    return region && region->owner == owner;
}

static bool owns(struct runtime *runtime, const struct CUctx_st *owner, enum handle_kind kind, const void *record)
{
    switch ((int)kind) {
    case HANDLE_STREAM:
        return ((const struct CUstream_st *)record)->owner == owner;
    case HANDLE_EVENT:
        return ((const struct CUevent_st *)record)->owner == owner;
    case HANDLE_ARRAY: {
        const struct cudaArray *array = record;

        return !array->part && owns_memory(runtime, owner, array->level.base);
    }
    case HANDLE_MIPMAPPED:
        return owns_memory(runtime, owner, ((const struct cudaMipmappedArray *)record)->levels[0]->level.base);
    default:
        return false;
    }
}

/* A record of the context, and its kind; NULL: none is left. */
static void *next_owned(struct runtime *runtime, const struct CUctx_st *owner, enum handle_kind *kind)
{
    void *found = NULL;

    runtime_lock(runtime);
    for (size_t i = 0; !found && i < runtime->handles.capacity; i++) {
        *kind = (enum handle_kind)(uintptr_t)runtime->handles.values[i];
        if (runtime->handles.keys[i] && owns(runtime, owner, *kind, runtime->handles.keys[i]))
            found = (void *)(uintptr_t)runtime->handles.keys[i];
    }
    runtime_unlock(runtime);
    return found;
}

void driver_release_owned(struct runtime *runtime, struct CUctx_st *owner)
{
    enum handle_kind kind;
    void *record;

    cudaDeviceSynchronize();
    while ((record = next_owned(runtime, owner, &kind)) != NULL) {
        cudaError_t error = kind == HANDLE_STREAM  ? cudaStreamDestroy(record)
                            : kind == HANDLE_EVENT ? cudaEventDestroy(record)
                            : kind == HANDLE_ARRAY ? cudaFreeArray(record)
                                                   : cudaFreeMipmappedArray(record);

        if (error != cudaSuccess)
            break; /* a kernel faulted: nothing can be called any more */
    }
    runtime_lock(runtime);
    if (runtime->sim)
        allocation_release_all(runtime, owner);
    if (owner->dump)
        handle_destroy(runtime, owner->dump);
    owner->dump = NULL;
    runtime_unlock(runtime);
}
