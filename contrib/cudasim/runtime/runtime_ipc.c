/*
 * runtime_ipc.c - memory and events that several processes use: cudaIpc*(), and the handles of pools.
 *
 * One file in memory stands for all of the device's range, each address at its own place. What a process gives away is
 * copied to the file, and the file is mapped over its pages. Another process opens the file by way of /proc, and maps
 * the same part. A shared event is two counters in a file: of records, and of records that have run.
 */
#include "runtime.h"

#include <cuda.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shield.h"

enum { PAGE = 4096 };

#define HANDLE_MAGIC UINT32_C(0x63706963)

/* What is in a handle of memory, of an event, and of a pool's block. */
struct place {
    uint32_t magic;    /* HANDLE_MAGIC */
    int32_t process;   /* that made it */
    int32_t file;      /* its descriptor there */
    uint64_t offset;   /* bytes, of the file */
    uint64_t size;     /* bytes */
    uint64_t base;     /* the address in the process that made it */
};

_Static_assert(sizeof(struct place) <= sizeof(cudaIpcMemHandle_t), "a place fits in each handle");
_Static_assert(sizeof(struct place) <= sizeof(struct cudaMemPoolPtrExportData), "a place fits in each handle");

/* Pages that were given away. */
struct shared_pages {
    struct shared_pages *next;
    uint64_t low, high; /* addresses */
};

/* Memory of another process. */
struct opened {
    struct opened *next;
    struct place place;
    void *map;         /* of its pages: `bytes` */
    size_t bytes;
    uint64_t address;  /* what the program got */
    unsigned uses;     /* times that it was opened */
};

struct ipc {
    int file;                   /* of the device's range */
    struct shared_pages *pages;
    struct opened *opened;
};

static struct ipc *ipc_of(struct runtime *runtime)
{
    struct ipc *ipc = runtime->ipc ? runtime->ipc : calloc(1, sizeof *ipc);
    struct memory *memory = sim_memory(runtime->sim);

    if (!ipc || runtime->ipc)
        return ipc;
    ipc->file = memfd_create("cudasim", MFD_CLOEXEC);
    if (ipc->file < 0 || ftruncate(ipc->file, (off_t)memory_range(memory)) != 0) {
        if (ipc->file >= 0)
            close(ipc->file);
        free(ipc);
        return NULL;
    }
    runtime->ipc = ipc;
    return ipc;
}

void ipc_release(struct runtime *runtime)
{
    struct ipc *ipc = runtime->ipc;

    if (!ipc)
        return;
    for (struct shared_pages *pages = ipc->pages, *next; pages; pages = next) {
        next = pages->next;
        free(pages);
    }
    for (struct opened *opened = ipc->opened, *next; opened; opened = next) {
        next = opened->next;
        free(opened);
    }
    close(ipc->file);
    free(ipc);
    runtime->ipc = NULL;
}

/* ------------------------------------------------------------------ giving memory away */

/* Puts the file's pages in the place of the process's own, with the same bytes. */
static bool give(struct ipc *ipc, uint64_t origin, uint64_t low, uint64_t high)
{
    struct shared_pages *pages = malloc(sizeof *pages);
    off_t offset = (off_t)(low - origin);

    for (uint64_t done = 0; pages && done < high - low;) {
        ssize_t bytes = pwrite(ipc->file, (const char *)(uintptr_t)low + done, high - low - done, offset + (off_t)done);

        if (bytes <= 0)
            break;
        done += (uint64_t)bytes;
        if (done == high - low && mmap((void *)(uintptr_t)low, high - low, PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_FIXED, ipc->file, offset) != MAP_FAILED) {
            *pages = (struct shared_pages){ ipc->pages, low, high };
            ipc->pages = pages;
            return true;
        }
    }
    free(pages);
    return false;
}

/* All pages of [low, high) that are still the process's own. */
static bool give_all(struct ipc *ipc, uint64_t origin, uint64_t low, uint64_t high)
{
    while (low < high) {
        uint64_t end = high;
        const struct shared_pages *at = NULL;

        for (const struct shared_pages *pages = ipc->pages; pages; pages = pages->next) {
            if (pages->low <= low && low < pages->high)
                at = pages;
            else if (pages->low > low && pages->low < end)
                end = pages->low;
        }
        if (at)
            end = at->high;
        else if (!give(ipc, origin, low, end))
            return false;
        low = end;
    }
    return true;
}

static cudaError_t give_region(struct call *call, const struct region *region, struct place *place)
{
    struct memory *memory = sim_memory(call->runtime->sim);
    uint64_t origin = memory_origin(memory);
    struct ipc *ipc = ipc_of(call->runtime);

    if (region->base < origin || region->base + region->size > origin + memory_range(memory))
        return cudaErrorInvalidValue;
    while (call->runtime->busy) /* a kernel of another thread may write there */
        runtime_wait(call->runtime);
    shield_lower(call->runtime);
    if (!ipc || !give_all(ipc, origin, region->base / PAGE * PAGE,
                          (region->base + region->size + PAGE - 1) / PAGE * PAGE))
        return cudaErrorMemoryAllocation;
    *place = (struct place){ HANDLE_MAGIC, getpid(), ipc->file, region->base - origin, region->size, region->base };
    return cudaSuccess;
}

/* ------------------------------------------------------------------ taking memory of another process */

static int open_file(const struct place *place)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/fd/%d", place->process, place->file);
    return open(path, O_RDWR | O_CLOEXEC);
}

/* `file`: of the place; it may be closed afterwards. */
static cudaError_t take(struct runtime *runtime, const struct place *place, int file, void **pointer)
{
    uint64_t low = place->offset / PAGE * PAGE, skip = place->offset - low;
    struct opened *opened = malloc(sizeof *opened);
    struct ipc *ipc = ipc_of(runtime);
    size_t bytes = (skip + place->size + PAGE - 1) / PAGE * PAGE;
    void *map = file >= 0 && ipc && opened ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)low)
                                           : MAP_FAILED;

    if (map == MAP_FAILED ||
        !memory_adopt(sim_memory(runtime->sim), (char *)map + skip, place->size, REGION_DEVICE)) {
        if (map != MAP_FAILED)
            munmap(map, bytes);
        free(opened);
        return file < 0 ? cudaErrorInvalidResourceHandle : cudaErrorMapBufferObjectFailed;
    }
    *opened = (struct opened){ ipc->opened, *place, map, bytes, (uintptr_t)map + skip, 1 };
    ipc->opened = opened;
    *pointer = (char *)map + skip;
    return cudaSuccess;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer)
{
    struct place place = { 0 };
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        const struct region *region = handle ? allocation_find(call.runtime, pointer) : NULL;

        call.error = region && region->kind == REGION_DEVICE ? give_region(&call, region, &place)
                                                             : cudaErrorInvalidValue;
        if (call.error == cudaSuccess) {
            memset(handle, 0, sizeof *handle);
            memcpy(handle, &place, sizeof place);
        }
    }
    return call_end(&call);
}

static cudaError_t open_memory(struct call *call, void **pointer, const struct place *place)
{
    struct ipc *ipc = ipc_of(call->runtime);
    cudaError_t error;
    int file;

    if (place->magic != HANDLE_MAGIC)
        return cudaErrorInvalidValue;
    if (!ipc)
        return cudaErrorInvalidResourceHandle;
    if (place->process == getpid()) /* as on a device: a process opens only what others gave */
        return cudaErrorDeviceUninitialized;
    for (struct opened *opened = ipc->opened; opened; opened = opened->next)
        if (!memcmp(&opened->place, place, sizeof *place)) {
            opened->uses++;
            *pointer = (void *)(uintptr_t)opened->address;
            return cudaSuccess;
        }
    file = open_file(place);
    error = take(call->runtime, place, file, pointer);
    if (file >= 0)
        close(file);
    return error;
}

cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle, unsigned flags)
{
    struct place place;
    struct call call;

    memcpy(&place, &handle, sizeof place);
    if (call_begin(&call, CALL_DEVICE))
        call.error = pointer && flags == cudaIpcMemLazyEnablePeerAccess ? open_memory(&call, pointer, &place)
                                                                        : cudaErrorInvalidValue;
    return call_end(&call);
}

cudaError_t cudaIpcCloseMemHandle(void *pointer)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct opened *opened = NULL, **at = call.runtime->ipc ? &call.runtime->ipc->opened : &opened;

        while (*at && (*at)->address != (uintptr_t)pointer)
            at = &(*at)->next;
        opened = *at;
        if (!opened) {
            call.error = cudaErrorInvalidValue;
        } else if (--opened->uses == 0) {
            call.error = queue_wait_all(&call);
            *at = opened->next;
            memory_release(sim_memory(call.runtime->sim), opened->address);
            munmap(opened->map, opened->bytes);
            free(opened);
        }
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ events */

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    struct place place = { .magic = HANDLE_MAGIC, .process = getpid(), .size = PAGE, .base = (uintptr_t)event };
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!handle || !handle_is(call.runtime, event, HANDLE_EVENT))
            call.error = cudaErrorInvalidResourceHandle;
        else if (!(event->flags & cudaEventInterprocess))
            call.error = cudaErrorInvalidResourceHandle;
        else if (!event->shared)
            call.error = cudaErrorMemoryAllocation;
        if (call.error == cudaSuccess) {
            place.file = event->shared_file;
            memset(handle, 0, sizeof *handle);
            memcpy(handle, &place, sizeof place);
            runner_start(call.runtime); /* another process waits, and this one may sleep */
        }
    }
    return call_end(&call);
}

/* The counters of an event that is shared, in a new file, or in that of another process. */
static bool share_event(struct runtime *runtime, struct CUevent_st *event, int file)
{
    void *map = file >= 0 ? mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;

    if (map == MAP_FAILED || !memory_adopt(sim_memory(runtime->sim), map, PAGE, REGION_REGISTERED)) {
        if (map != MAP_FAILED)
            munmap(map, PAGE);
        if (file >= 0)
            close(file);
        return false;
    }
    event->shared = map;
    event->shared_file = file;
    return true;
}

bool ipc_event_create(struct runtime *runtime, struct CUevent_st *event)
{
    int file = memfd_create("cudasim", MFD_CLOEXEC);

    if (file >= 0 && ftruncate(file, PAGE) != 0) {
        close(file);
        file = -1;
    }
    return share_event(runtime, event, file);
}

void ipc_event_destroy(struct runtime *runtime, struct CUevent_st *event)
{
    if (!event->shared)
        return;
    memory_release(sim_memory(runtime->sim), (uintptr_t)event->shared);
    munmap(event->shared, PAGE);
    close(event->shared_file);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    struct place place;
    struct call call;

    memcpy(&place, &handle, sizeof place);
    if (call_begin(&call, CALL_DEVICE)) {
        if (!event || place.magic != HANDLE_MAGIC)
            call.error = event ? cudaErrorMapBufferObjectFailed : cudaErrorInvalidResourceHandle;
        else if (place.process == getpid())
            call.error = cudaErrorDeviceUninitialized;
        else if (!(*event = handle_create(call.runtime, sizeof **event, HANDLE_EVENT)))
            call.error = cudaErrorMemoryAllocation;
        else if (!share_event(call.runtime, *event, open_file(&place))) {
            handle_destroy(call.runtime, *event);
            call.error = cudaErrorInvalidResourceHandle;
        } else {
            (*event)->flags = cudaEventInterprocess | cudaEventDisableTiming;
            runner_start(call.runtime);
        }
    }
    return call_end(&call);
}

struct word_work ipc_event_word(const struct CUevent_st *event)
{
    return (struct word_work){ .address = (uintptr_t)&event->shared->done, .bytes = 8, .waits = true,
                               .value = __atomic_load_n(&event->shared->recorded, __ATOMIC_ACQUIRE),
                               .how = CU_STREAM_WAIT_VALUE_GEQ };
}

/* ------------------------------------------------------------------ pools */

cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool, enum cudaMemAllocationHandleType type,
                                               unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct ipc *ipc = ipc_of(call.runtime);
        bool known = handle_is(call.runtime, pool, HANDLE_POOL) && pool->shared;
        int file = known && ipc && handle && !flags && type == cudaMemHandleTypePosixFileDescriptor
                       ? fcntl(ipc->file, F_DUPFD_CLOEXEC, 0)
                       : -1;

        if (file < 0)
            call.error = cudaErrorInvalidValue;
        else
            *(int *)handle = file;
    }
    return call_end(&call);
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle,
                                                 enum cudaMemAllocationHandleType type, unsigned flags)
{
    const struct cudaMemPoolProps properties = { .allocType = cudaMemAllocationTypePinned,
                                                 .handleTypes = cudaMemHandleTypePosixFileDescriptor,
                                                 .location = { .type = cudaMemLocationTypeDevice } };
    struct call call;
    cudaError_t error;
    int file = type == cudaMemHandleTypePosixFileDescriptor && !flags
                   ? fcntl((int)(intptr_t)handle, F_DUPFD_CLOEXEC, 0)
                   : -1;

    if (file < 0 || !pool) {
        if (file >= 0)
            close(file);
        if (call_begin(&call, CALL_DEVICE))
            call.error = cudaErrorInvalidValue;
        return call_end(&call);
    }
    error = cudaMemPoolCreate(pool, &properties);
    if (error != cudaSuccess)
        close(file);
    else
        (*pool)->imported = file;
    return error;
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *pointer)
{
    struct place place = { 0 };
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        const struct region *region = data ? allocation_find(call.runtime, pointer) : NULL;
        struct CUmemPoolHandle_st *pool = region ? map_get(&call.runtime->pooled, (void *)(uintptr_t)region->base)
                                                 : NULL;

        call.error = pool && pool->shared ? give_region(&call, region, &place) : cudaErrorInvalidValue;
        if (call.error == cudaSuccess) {
            memset(data, 0, sizeof *data);
            memcpy(data, &place, sizeof place);
        }
    }
    return call_end(&call);
}

cudaError_t cudaMemPoolImportPointer(void **pointer, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data)
{
    struct place place = { 0 };
    struct call call;

    if (data)
        memcpy(&place, data, sizeof place);
    if (call_begin(&call, CALL_DEVICE)) {
        if (!pointer || place.magic != HANDLE_MAGIC || !handle_is(call.runtime, pool, HANDLE_POOL) || !pool->imported)
            call.error = cudaErrorInvalidValue;
        else
            call.error = take(call.runtime, &place, pool->imported, pointer);
    }
    return call_end(&call);
}
