/*
 * driver_virtual.c - memory that the program maps: it reserves addresses, makes memory, maps the memory to the
 * addresses, and gives access (cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemSetAccess).
 *
 * Memory is a file without a name, because it may be mapped twice. Neighbours that the device may access are one
 * region: copies and kernels may cross from one mapping to the next, as they may on a device.
 */
#include "driver.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define GRANULARITY ((size_t)2 << 20) /* bytes, as on an H100 */

/* Behind a CUmemGenericAllocationHandle. */
struct physical {
    int file;
    size_t size;            /* bytes */
    unsigned references;    /* the program's, and one for each mapping */
    CUmemAllocationProp properties;
};

/* One mapping in a reservation. */
struct mapping {
    struct mapping *next;   /* in the order of their addresses */
    struct physical *physical;
    uint64_t base, size;
    bool accessible;        /* by the device */
    CUmemAccess_flags flags; /* how, as the program gave it */
};

struct reservation {
    struct reservation *next;
    uint64_t base, size;
    struct mapping *mappings;
    uint64_t *regions;      /* [region_count] where those begin that the device knows */
    size_t region_count;
};

/* ------------------------------------------------------------------ regions */

static void forget_regions(struct runtime *runtime, struct reservation *reservation)
{
    for (size_t i = 0; i < reservation->region_count; i++)
        memory_release(sim_memory(runtime->sim), reservation->regions[i]);
    reservation->region_count = 0;
}

/* Makes each run of neighbours that the device may access one region. */
static bool make_regions(struct runtime *runtime, struct reservation *reservation)
{
    const struct mapping *mapping = reservation->mappings;
    size_t count = 0;

    forget_regions(runtime, reservation);
    for (const struct mapping *each = mapping; each; each = each->next)
        count++;
    free(reservation->regions);
    reservation->regions = calloc(count + 1, sizeof *reservation->regions);
    if (!reservation->regions)
        return false;
    while (mapping) {
        const CUmemAccess_flags flags = mapping->flags;
        uint64_t base = mapping->base, end = base;
        struct region *region;

        if (!mapping->accessible) {
            mapping = mapping->next;
            continue;
        }
        for (; mapping && mapping->accessible && mapping->flags == flags && mapping->base == end;
             mapping = mapping->next)
            end += mapping->size;
        region = memory_adopt(sim_memory(runtime->sim), (void *)(uintptr_t)base, end - base, REGION_DEVICE);
        if (!region)
            return false;
        region->read_only = flags == CU_MEM_ACCESS_FLAGS_PROT_READ;
        reservation->regions[reservation->region_count++] = base;
    }
    return true;
}

/* The reservation that holds all of these bytes, or NULL. */
static struct reservation *reservation_of(const struct runtime *runtime, uint64_t base, size_t size)
{
    struct reservation *reservation = runtime->reservations;

    while (reservation && (base < reservation->base || size > reservation->size ||
                           base - reservation->base > reservation->size - size))
        reservation = reservation->next;
    return reservation;
}

static void drop_physical(struct runtime *runtime, struct physical *physical)
{
    if (--physical->references > 0)
        return;
    close(physical->file);
    handle_destroy(runtime, physical);
}

static struct physical *physical_of(const struct runtime *runtime, CUmemGenericAllocationHandle handle)
{
    const void *record = (const void *)(uintptr_t)handle;

    return handle_is(runtime, record, HANDLE_PHYSICAL) ? (struct physical *)(uintptr_t)handle : NULL;
}

/* ------------------------------------------------------------------ memory */

static bool is_plain(const CUmemAllocationProp *properties)
{
    return properties->type == CU_MEM_ALLOCATION_TYPE_PINNED &&
           properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE && properties->location.id == 0;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!granularity || !properties || !is_plain(properties) ||
        (unsigned)option > (unsigned)CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return CUDA_ERROR_INVALID_VALUE;
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

/* Takes the file, which has `size` bytes, or closes it. */
static cudaError_t wrap(struct runtime *runtime, int file, size_t size, const CUmemAllocationProp *properties,
                        CUmemGenericAllocationHandle *handle)
{
    struct physical *physical = handle_create(runtime, sizeof *physical, HANDLE_PHYSICAL);

    if (!physical) {
        close(file);
        return cudaErrorMemoryAllocation;
    }
    *physical = (struct physical){ .file = file, .size = size, .references = 1, .properties = *properties };
    *handle = (uintptr_t)physical;
    return cudaSuccess;
}

static cudaError_t create(struct runtime *runtime, size_t size, const CUmemAllocationProp *properties,
                          CUmemGenericAllocationHandle *handle)
{
    struct memory *memory = sim_memory(runtime->sim);
    int file;

    if (memory_used(memory) > memory_limit(memory) || size > memory_limit(memory) - memory_used(memory))
        return cudaErrorMemoryAllocation;
    file = memfd_create("cudasim", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)size) == 0)
        return wrap(runtime, file, size, properties, handle);
    if (file >= 0)
        close(file);
    return cudaErrorMemoryAllocation;
}

/* The descriptor is the program's. It may send it to another process. */
CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags)
{
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!shareable || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    if (call_begin(&inner, CALL_DEVICE)) {
        const struct physical *physical = physical_of(inner.runtime, handle);
        bool asked = physical && physical->properties.requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        int file = asked ? fcntl(physical->file, F_DUPFD_CLOEXEC, 0) : -1;

        if (file < 0)
            inner.error = asked ? cudaErrorOperatingSystem : cudaErrorInvalidValue;
        else
            *(int *)shareable = file;
    }
    return driver_end(&call, call_end(&inner));
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shareable,
                                        CUmemAllocationHandleType type)
{
    const CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE },
        .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
    };
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!handle || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    if (call_begin(&inner, CALL_DEVICE)) {
        int file = fcntl((int)(intptr_t)shareable, F_DUPFD_CLOEXEC, 0);
        struct stat facts;

        if (file >= 0 && fstat(file, &facts) == 0 && facts.st_size > 0 && (size_t)facts.st_size % GRANULARITY == 0) {
            inner.error = wrap(inner.runtime, file, (size_t)facts.st_size, &properties, handle);
        } else {
            inner.error = cudaErrorInvalidValue;
            if (file >= 0)
                close(file);
        }
    }
    return driver_end(&call, call_end(&inner));
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *properties,
                     unsigned long long flags)
{
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (handle && properties && properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE && properties->location.id)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!handle || !properties || flags || !size || size % GRANULARITY || !is_plain(properties))
        return CUDA_ERROR_INVALID_VALUE;
    if ((unsigned)properties->requestedHandleTypes & ~(unsigned)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return driver_unsupported("cuMemCreate() of memory that is shared by anything but a file descriptor");
    if (call_begin(&inner, CALL_DEVICE))
        inner.error = create(inner.runtime, size, properties, handle);
    return driver_end(&call, call_end(&inner));
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (call_begin(&inner, CALL_DEVICE)) {
        struct physical *physical = physical_of(inner.runtime, handle);

        if (physical)
            drop_physical(inner.runtime, physical);
        else
            inner.error = cudaErrorInvalidValue;
    }
    return driver_end(&call, call_end(&inner));
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties, CUmemGenericAllocationHandle handle)
{
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (call_begin(&inner, CALL_DEVICE)) {
        const struct physical *physical = physical_of(inner.runtime, handle);

        if (physical && properties)
            *properties = physical->properties;
        else
            inner.error = cudaErrorInvalidValue;
    }
    return driver_end(&call, call_end(&inner));
}

/* ------------------------------------------------------------------ addresses */

void driver_mapping(struct runtime *runtime, CUdeviceptr address, CUdeviceptr *base, size_t *bytes)
{
    for (const struct reservation *in = runtime->reservations; in; in = in->next)
        for (const struct mapping *mapping = in->mappings; mapping; mapping = mapping->next)
            if (address - mapping->base < mapping->size) {
                if (base)
                    *base = mapping->base;
                if (bytes)
                    *bytes = mapping->size;
            }
}

static cudaError_t reserve(struct runtime *runtime, size_t size, size_t align, CUdeviceptr *address)
{
    struct reservation *reservation = calloc(1, sizeof *reservation);
    size_t room = size + align;
    uint64_t from, base;
    void *at = reservation ? mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                           : MAP_FAILED;

    if (at == MAP_FAILED) {
        free(reservation);
        return cudaErrorMemoryAllocation;
    }
    from = (uintptr_t)at;
    base = (from + align - 1) / align * align;
    if (base > from)
        munmap(at, base - from);
    if (from + room > base + size)
        munmap((void *)(uintptr_t)(base + size), from + room - base - size);
    *reservation = (struct reservation){ .next = runtime->reservations, .base = base, .size = size };
    runtime->reservations = reservation;
    *address = base;
    return cudaSuccess;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t align, CUdeviceptr wish,
                             unsigned long long flags)
{
    struct driver_call call;
    struct call inner;

    (void)wish; /* no more than that */
    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!address || flags || !size || size % GRANULARITY || align & (align - 1) || size > SIZE_MAX / 4)
        return CUDA_ERROR_INVALID_VALUE;
    if (call_begin(&inner, CALL_DEVICE))
        inner.error = reserve(inner.runtime, size, align > GRANULARITY ? align : GRANULARITY, address);
    return driver_end(&call, call_end(&inner));
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size)
{
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (call_begin(&inner, CALL_DEVICE)) {
        struct reservation *reservation = reservation_of(inner.runtime, address, size), **at;

        if (!reservation || reservation->base != address || reservation->size != size || reservation->mappings) {
            inner.error = cudaErrorInvalidValue;
        } else {
            for (at = &inner.runtime->reservations; *at != reservation; at = &(*at)->next)
                ;
            *at = reservation->next;
            munmap((void *)(uintptr_t)address, size);
            free(reservation->regions);
            free(reservation);
        }
    }
    return driver_end(&call, call_end(&inner));
}

/* ------------------------------------------------------------------ mappings */

static cudaError_t map(struct runtime *runtime, uint64_t base, size_t size, size_t offset, struct physical *physical)
{
    struct reservation *reservation = reservation_of(runtime, base, size);
    struct mapping **at, *mapping;

    if (!reservation || offset > physical->size || size > physical->size - offset)
        return cudaErrorInvalidValue;
    for (at = &reservation->mappings; *at && (*at)->base + (*at)->size <= base; at = &(*at)->next)
        ;
    if (*at && (*at)->base < base + size)
        return cudaErrorInvalidValue; /* something is mapped there */
    if (offset || size != physical->size)
        return cudaErrorNotSupported; /* as an H200: the whole of it */
    mapping = calloc(1, sizeof *mapping);
    if (!mapping || mmap((void *)(uintptr_t)base, size, PROT_NONE, MAP_SHARED | MAP_FIXED, physical->file,
                         (off_t)offset) == MAP_FAILED) {
        free(mapping);
        return cudaErrorMemoryAllocation;
    }
    *mapping = (struct mapping){ .next = *at, .physical = physical, .base = base, .size = size };
    *at = mapping;
    physical->references++;
    return cudaSuccess;
}

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (flags || !size || (address | size | offset) % GRANULARITY)
        return CUDA_ERROR_INVALID_VALUE;
    if (call_begin(&inner, CALL_DEVICE)) {
        struct physical *physical = physical_of(inner.runtime, handle);

        inner.error = physical ? map(inner.runtime, address, size, offset, physical) : cudaErrorInvalidValue;
    }
    return driver_end(&call, call_end(&inner));
}

/*
 * All mappings of the range are unmapped, each as a whole. A range with nothing in it is no error: an H200 unmaps it
 * again without one.
 */
static cudaError_t unmap(struct runtime *runtime, struct reservation *reservation, uint64_t base, size_t size)
{
    struct mapping **at = &reservation->mappings, *mapping;
    uint64_t reached = base;
    bool empty = true;

    for (mapping = *at; mapping; mapping = mapping->next) {
        empty = empty && (mapping->base >= base + size || mapping->base + mapping->size <= base);
        if (mapping->base >= base && mapping->base + mapping->size <= base + size && mapping->base == reached)
            reached += mapping->size;
    }
    if (empty)
        return cudaSuccess;
    if (reached != base + size)
        return cudaErrorInvalidValue;
    forget_regions(runtime, reservation);
    while ((mapping = *at) != NULL) {
        if (mapping->base < base || mapping->base >= base + size) {
            at = &mapping->next;
            continue;
        }
        *at = mapping->next;
        drop_physical(runtime, mapping->physical);
        free(mapping);
    }
    if (mmap((void *)(uintptr_t)base, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0) == MAP_FAILED)
        return cudaErrorUnmapBufferObjectFailed;
    return make_regions(runtime, reservation) ? cudaSuccess : cudaErrorMemoryAllocation;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size)
{
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (call_begin(&inner, CALL_DEVICE)) {
        struct reservation *reservation = size ? reservation_of(inner.runtime, address, size) : NULL;

        inner.error = reservation ? queue_wait_all(&inner) : cudaErrorInvalidValue; /* pending work may use it */
        if (inner.error == cudaSuccess)
            inner.error = unmap(inner.runtime, reservation, address, size);
    }
    return driver_end(&call, call_end(&inner));
}

/* Gaps between mappings do not matter, as on an H200. */
static cudaError_t set_access(struct runtime *runtime, struct reservation *reservation, uint64_t base, size_t size,
                              CUmemAccess_flags flags)
{
    bool accessible = flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
    uint64_t reached = base;

    for (const struct mapping *mapping = reservation->mappings; mapping; mapping = mapping->next)
        if (mapping->base == reached && mapping->base + mapping->size <= base + size)
            reached += mapping->size;
    if (reached != base + size)
        return cudaErrorInvalidValue; /* an H200 wants all of it mapped */
    for (struct mapping *mapping = reservation->mappings; mapping; mapping = mapping->next) {
        if (mapping->base < base || mapping->base + mapping->size > base + size)
            continue;
        mapping->accessible = accessible;
        mapping->flags = flags;
        if (mprotect((void *)(uintptr_t)mapping->base, mapping->size,
                     accessible ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
            return cudaErrorMapBufferObjectFailed;
    }
    return make_regions(runtime, reservation) ? cudaSuccess : cudaErrorMemoryAllocation;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *access, size_t count)
{
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!access || !count || !size)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || access[i].location.id != 0)
            return CUDA_ERROR_INVALID_DEVICE;
    if (call_begin(&inner, CALL_DEVICE)) {
        struct reservation *reservation = reservation_of(inner.runtime, address, size);

        inner.error = reservation ? queue_wait_all(&inner) : cudaErrorInvalidValue;
        if (inner.error == cudaSuccess)
            inner.error = set_access(inner.runtime, reservation, address, size,
                                     access[count - 1].flags);
    }
    return driver_end(&call, call_end(&inner));
}

/* The mapping that holds the address, or NULL. */
static struct mapping *mapping_of(const struct runtime *runtime, uint64_t address)
{
    struct reservation *reservation = reservation_of(runtime, address, 1);
    struct mapping *mapping = reservation ? reservation->mappings : NULL;

    while (mapping && (address < mapping->base || address - mapping->base >= mapping->size))
        mapping = mapping->next;
    return mapping;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address)
{
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE || location->id != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (call_begin(&inner, CALL_DEVICE)) {
        const struct mapping *mapping = mapping_of(inner.runtime, address);

        if (mapping)
            *flags = mapping->accessible ? mapping->flags : CU_MEM_ACCESS_FLAGS_PROT_NONE;
        else
            inner.error = cudaErrorInvalidValue;
    }
    return driver_end(&call, call_end(&inner));
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
    struct driver_call call;
    struct call inner;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!handle)
        return CUDA_ERROR_INVALID_VALUE;
    if (call_begin(&inner, CALL_DEVICE)) {
        struct mapping *mapping = mapping_of(inner.runtime, (uintptr_t)address);

        if (mapping) {
            mapping->physical->references++;
            *handle = (uintptr_t)mapping->physical;
        } else {
            inner.error = cudaErrorInvalidValue;
        }
    }
    return driver_end(&call, call_end(&inner));
}
