/*
 * runtime_copy.c - bytes are copied and set: what a copy may touch, that it was ever written, and the moving itself.
 *
 * Device addresses are host addresses, so a copy is a memmove; all that makes it CUDA's is the checks. An address in no
 * region is the program's own memory and trusted, as it is by a real driver.
 */
#include "runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ checks */

/* Bytes from a plane's first to its last; false if that is no number. */
static bool extent_of(const struct plane *plane, size_t width, size_t height, size_t depth, uint64_t *bytes)
{
    uint64_t rows, planes, end;

    return !__builtin_mul_overflow((uint64_t)(height - 1), (uint64_t)plane->pitch, &rows) &&
           !__builtin_mul_overflow((uint64_t)(depth - 1), (uint64_t)plane->slice, &planes) &&
           !__builtin_add_overflow(rows, planes, bytes) && !__builtin_add_overflow(*bytes, (uint64_t)width, bytes) &&
           !__builtin_add_overflow(plane->address, *bytes, &end);
}

/* "1 byte", "2 bytes" */
struct amount {
    char text[32];
};

static struct amount in_bytes(uint64_t bytes)
{
    struct amount amount;

    snprintf(amount.text, sizeof amount.text, "%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
    return amount;
}

static void complain(struct runtime *runtime, const char *call, enum sim_fault_kind kind, bool error, uint64_t address,
                     const char *text)
{
    struct sim_fault fault = { .kind = kind, .error = error, .address = address, .count = 1 };

    snprintf(fault.kernel, sizeof fault.kernel, "%s", call);
    snprintf(fault.text, sizeof fault.text, "%s", text);
    sim_report_fault(runtime->sim, &fault);
}

/* Whether `address` can only be the device's: the reserved range is at least as large as the device's memory. */
static bool is_reserved(const struct memory *memory, uint64_t address)
{
    return address - memory_origin(memory) < memory_limit(memory);
}

/*
 * One side of a copy: *host tells whether it is the program's own memory. Of what lies in a region all must, as a real
 * one demands.
 */
static cudaError_t check_side(struct runtime *runtime, const struct plane *plane, uint64_t bytes, const char *call,
                              const char *does, bool *host)
{
    struct memory *memory = sim_memory(runtime->sim);
    const struct region *below = NULL, *region = memory_find(memory, plane->address, &below);
    char text[sizeof((struct sim_fault *)NULL)->text];
    struct amount amount = in_bytes(bytes);

    *host = !region && !is_reserved(memory, plane->address);
    if (plane->address == 0)
        return cudaErrorInvalidValue;
    if (region && region->freed && region->kind == REGION_REGISTERED) {
        *host = true;
        return cudaSuccess;
    }
    if (region && region->freed) {
        snprintf(text, sizeof text, "%s %s at 0x%" PRIx64 ", in an allocation of %s that has been freed", does,
                 amount.text, plane->address, in_bytes(region->size).text);
        complain(runtime, call, FAULT_USE_AFTER_FREE, true, plane->address, text);
        return cudaErrorInvalidValue;
    }
    if (region && bytes > region->base + region->size - plane->address) {
        snprintf(text, sizeof text, "%s %s at 0x%" PRIx64 ", %s past the end of an allocation of %s", does,
                 amount.text, plane->address, in_bytes(bytes - (region->base + region->size - plane->address)).text,
                 in_bytes(region->size).text);
        complain(runtime, call, FAULT_OUT_OF_BOUNDS, true, plane->address, text);
        return cudaErrorInvalidValue;
    }
    if (region || *host)
        return cudaSuccess;
    if (below)
        snprintf(text, sizeof text, "%s %s at 0x%" PRIx64 ", %s after an allocation of %s", does, amount.text,
                 plane->address, in_bytes(plane->address - (below->base + below->size)).text,
                 in_bytes(below->size).text);
    else
        snprintf(text, sizeof text, "%s %s at 0x%" PRIx64 ", which is no allocation", does, amount.text,
                 plane->address);
    complain(runtime, call, FAULT_OUT_OF_BOUNDS, true, plane->address, text);
    return cudaErrorInvalidValue;
}

cudaError_t copy_check(struct runtime *runtime, const struct copy_work *copy, const char *call)
{
    uint64_t target_bytes, source_bytes;
    bool target_host, source_host;
    cudaError_t error;

    if (!copy->width || !copy->height || !copy->depth)
        return cudaSuccess;
    if ((unsigned)copy->kind > (unsigned)cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!extent_of(&copy->target, copy->width, copy->height, copy->depth, &target_bytes) ||
        !extent_of(&copy->source, copy->width, copy->height, copy->depth, &source_bytes))
        return cudaErrorInvalidValue;
    error = check_side(runtime, &copy->target, target_bytes, call, "writes", &target_host);
    if (error == cudaSuccess)
        error = check_side(runtime, &copy->source, source_bytes, call, "reads", &source_host);
    if (error != cudaSuccess)
        return error;
    /* The direction only says which side must be the device's; the other one may be, too. */
    if (target_host && (copy->kind == cudaMemcpyHostToDevice || copy->kind == cudaMemcpyDeviceToDevice)) {
        complain(runtime, call, FAULT_REFUSED, false, copy->target.address,
                 "returned cudaErrorInvalidValue and copied nothing: by its direction the target is the device's, and"
                 " it is memory of the host");
        return cudaErrorInvalidValue;
    }
    if (source_host && (copy->kind == cudaMemcpyDeviceToHost || copy->kind == cudaMemcpyDeviceToDevice)) {
        complain(runtime, call, FAULT_REFUSED, false, copy->source.address,
                 "returned cudaErrorInvalidValue and copied nothing: by its direction the source is the device's, and"
                 " it is memory of the host");
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

/* Whether no byte of [address, address + bytes) was ever written. */
static bool is_unwritten(struct memory *memory, uint64_t address, uint64_t bytes)
{
    const uint8_t *bits = memory_bits(memory);
    uint64_t first = address - memory_origin(memory), end = first + bytes;

    for (; first < end && first % 8 != 0; first++)
        if (bits[first / 8] >> (first % 8) & 1)
            return false;
    for (; first + 64 <= end; first += 64) {
        uint64_t word;

        memcpy(&word, bits + first / 8, sizeof word);
        if (word)
            return false;
    }
    for (; first < end; first++)
        if (bits[first / 8] >> (first % 8) & 1)
            return false;
    return true;
}

/* Warns when all that is read is device memory which nothing has written. */
static void check_written(struct runtime *runtime, const struct copy_work *copy, const char *call)
{
    struct memory *memory = sim_memory(runtime->sim);
    const struct region *region = memory_find(memory, copy->source.address, NULL);
    char text[sizeof((struct sim_fault *)NULL)->text];
    uint64_t bytes;

    if (!sim_options(runtime->sim)->check_written || !region || region->written ||
        (region->kind != REGION_DEVICE && region->kind != REGION_POOL) ||
        !extent_of(&copy->source, copy->width, copy->height, copy->depth, &bytes) ||
        !is_unwritten(memory, copy->source.address, bytes))
        return;
    snprintf(text, sizeof text,
             "reads %s at 0x%" PRIx64 " where nothing was ever written: bytes %" PRIu64 " to %" PRIu64
             " of an allocation of %s",
             in_bytes(bytes).text, copy->source.address, copy->source.address - region->base,
             copy->source.address - region->base + bytes - 1, in_bytes(region->size).text);
    complain(runtime, call, FAULT_UNINITIALISED, false, copy->source.address, text);
}

/* ------------------------------------------------------------------ copying */

static uint64_t row_of(const struct plane *plane, size_t y, size_t z)
{
    return plane->address + z * plane->slice + y * plane->pitch;
}

static bool is_dense(const struct plane *plane, size_t width, size_t height, size_t depth)
{
    return (height == 1 || plane->pitch == width) && (depth == 1 || plane->slice == width * height);
}

cudaError_t copy_run(struct runtime *runtime, const struct copy_work *copy, const char *call)
{
    struct memory *memory = sim_memory(runtime->sim);
    size_t width = copy->width, height = copy->height, depth = copy->depth;

    if (!width || !height || !depth)
        return cudaSuccess;
    check_written(runtime, copy, call);
    if (is_dense(&copy->target, width, height, depth) && is_dense(&copy->source, width, height, depth)) {
        width *= height * depth;
        height = depth = 1;
    }
    for (size_t z = 0; z < depth; z++) {
        for (size_t y = 0; y < height; y++) {
            uint64_t target = row_of(&copy->target, y, z);

            memmove((void *)(uintptr_t)target, (const void *)(uintptr_t)row_of(&copy->source, y, z), width);
            memory_note_written(memory, target, width);
        }
    }
    return cudaSuccess;
}

static cudaError_t submit(struct call *call, const struct copy_work *copy, cudaStream_t stream, const char *name)
{
    struct work work = { .kind = WORK_COPY, .call = name, .copy = *copy };

    return work_submit(call, &work, stream);
}

static cudaError_t copy_flat(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind,
                             cudaStream_t stream, const char *name)
{
    struct copy_work copy = { .target = { (uintptr_t)target, 0, 0 }, .source = { (uintptr_t)source, 0, 0 },
                              .width = bytes, .height = 1, .depth = 1, .kind = kind };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = submit(&call, &copy, stream, name);
    return call_end(&call);
}

cudaError_t cudaMemcpy(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind)
{
    return copy_flat(target, source, bytes, kind, 0, __func__);
}

cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy_flat(target, source, bytes, kind, stream, __func__);
}

static cudaError_t copy_peer(void *target, int target_device, const void *source, int source_device, size_t bytes,
                             cudaStream_t stream, const char *name)
{
    struct copy_work copy = { .target = { (uintptr_t)target, 0, 0 }, .source = { (uintptr_t)source, 0, 0 },
                              .width = bytes, .height = 1, .depth = 1, .kind = cudaMemcpyDefault };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = target_device || source_device ? cudaErrorInvalidDevice : submit(&call, &copy, stream, name);
    return call_end(&call);
}

cudaError_t cudaMemcpyPeer(void *target, int target_device, const void *source, int source_device, size_t bytes)
{
    return copy_peer(target, target_device, source, source_device, bytes, 0, __func__);
}

cudaError_t cudaMemcpyPeerAsync(void *target, int target_device, const void *source, int source_device, size_t bytes,
                                cudaStream_t stream)
{
    return copy_peer(target, target_device, source, source_device, bytes, stream, __func__);
}

cudaError_t cudaMemcpyBatchAsync(void *const *targets, const void *const *sources, const size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *attribute_indices,
                                 size_t attribute_count, cudaStream_t stream)
{
    struct call call;

    (void)attributes, (void)attribute_indices, (void)attribute_count;
    if (call_begin(&call, CALL_DEVICE)) {
        if (!targets || !sources || !sizes || !count)
            call.error = cudaErrorInvalidValue;
        for (size_t i = 0; call.error == cudaSuccess && i < count; i++) {
            struct copy_work copy = { .target = { (uintptr_t)targets[i], 0, 0 },
                                      .source = { (uintptr_t)sources[i], 0, 0 },
                                      .width = sizes[i], .height = 1, .depth = 1, .kind = cudaMemcpyDefault };

            call.error = submit(&call, &copy, stream, __func__);
        }
    }
    return call_end(&call);
}

static cudaError_t copy_rows(void *target, size_t target_pitch, const void *source, size_t source_pitch, size_t width,
                             size_t height, enum cudaMemcpyKind kind, cudaStream_t stream, const char *name)
{
    struct copy_work copy = { .target = { (uintptr_t)target, target_pitch, 0 },
                              .source = { (uintptr_t)source, source_pitch, 0 },
                              .width = width, .height = height, .depth = 1, .kind = kind };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = width > target_pitch || width > source_pitch ? cudaErrorInvalidPitchValue
                                                                   : submit(&call, &copy, stream, name);
    return call_end(&call);
}

cudaError_t cudaMemcpy2D(void *target, size_t target_pitch, const void *source, size_t source_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind)
{
    return copy_rows(target, target_pitch, source, source_pitch, width, height, kind, 0, __func__);
}

cudaError_t cudaMemcpy2DAsync(void *target, size_t target_pitch, const void *source, size_t source_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_rows(target, target_pitch, source, source_pitch, width, height, kind, stream, __func__);
}

/* ------------------------------------------------------------------ boxes */

static bool place(const struct cudaPitchedPtr *pointer, const struct cudaPos *position, struct plane *plane)
{
    size_t rows, offset;

    plane->pitch = pointer->pitch;
    return !__builtin_mul_overflow(pointer->pitch, pointer->ysize, &plane->slice) &&
           !__builtin_mul_overflow(position->z, plane->slice, &offset) &&
           !__builtin_mul_overflow(position->y, pointer->pitch, &rows) &&
           !__builtin_add_overflow(offset, rows, &offset) && !__builtin_add_overflow(offset, position->x, &offset) &&
           !__builtin_add_overflow((uint64_t)(uintptr_t)pointer->ptr, (uint64_t)offset, &plane->address);
}

cudaError_t copy_from_parameters(const struct cudaMemcpy3DParms *parameters, struct copy_work *copy)
{
    const struct cudaExtent *extent = &parameters->extent;

    *copy = (struct copy_work){ .width = extent->width, .height = extent->height, .depth = extent->depth,
                                .kind = parameters->kind };
    if (parameters->srcArray || parameters->dstArray)
        return cudaErrorNotSupported;
    if (!place(&parameters->dstPtr, &parameters->dstPos, &copy->target) ||
        !place(&parameters->srcPtr, &parameters->srcPos, &copy->source))
        return cudaErrorInvalidValue;
    if (extent->height > 1 && (extent->width > copy->target.pitch || extent->width > copy->source.pitch))
        return cudaErrorInvalidPitchValue;
    return cudaSuccess;
}

static cudaError_t copy_box(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream, const char *name)
{
    struct copy_work copy;
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = parameters ? copy_from_parameters(parameters, &copy) : cudaErrorInvalidValue;
        if (call.error == cudaErrorNotSupported)
            runtime_unsupported(&call, "a copy from or to a cudaArray");
        else if (call.error == cudaSuccess)
            call.error = submit(&call, &copy, stream, name);
    }
    return call_end(&call);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters)
{
    return copy_box(parameters, 0, __func__);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream)
{
    return copy_box(parameters, stream, __func__);
}

static cudaError_t copy_box_peer(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream, const char *name)
{
    struct cudaMemcpy3DParms plain = { 0 };
    struct call call;

    if (parameters && parameters->srcDevice == 0 && parameters->dstDevice == 0) {
        plain = (struct cudaMemcpy3DParms){ parameters->srcArray, parameters->srcPos, parameters->srcPtr,
                                            parameters->dstArray, parameters->dstPos, parameters->dstPtr,
                                            parameters->extent, cudaMemcpyDefault };
        return copy_box(&plain, stream, name);
    }
    if (call_begin(&call, CALL_DEVICE))
        call.error = parameters ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    return call_end(&call);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parameters)
{
    return copy_box_peer(parameters, 0, __func__);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream)
{
    return copy_box_peer(parameters, stream, __func__);
}

/* ------------------------------------------------------------------ symbols */

static cudaError_t copy_symbol(const void *symbol, void *other, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
                               bool to_symbol, cudaStream_t stream, const char *name)
{
    struct copy_work copy = { .width = bytes, .height = 1, .depth = 1, .kind = kind };
    enum cudaMemcpyKind host = to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    uint64_t address, size;
    struct call call;

    if (!call_begin(&call, CALL_DEVICE))
        return call_end(&call);
    call.error = module_symbol(call.runtime, symbol, &address, &size);
    if (call.error == cudaSuccess && kind != host && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        call.error = cudaErrorInvalidMemcpyDirection;
    if (call.error == cudaSuccess && (offset > size || bytes > size - offset))
        call.error = cudaErrorInvalidValue;
    if (call.error == cudaSuccess) {
        copy.target.address = to_symbol ? address + offset : (uintptr_t)other;
        copy.source.address = to_symbol ? (uintptr_t)other : address + offset;
        call.error = submit(&call, &copy, stream, name);
    }
    return call_end(&call);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *source, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return copy_symbol(symbol, (void *)(uintptr_t)source, bytes, offset, kind, true, 0, __func__);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_symbol(symbol, (void *)(uintptr_t)source, bytes, offset, kind, true, stream, __func__);
}

cudaError_t cudaMemcpyFromSymbol(void *target, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    return copy_symbol(symbol, target, bytes, offset, kind, false, 0, __func__);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *target, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_symbol(symbol, target, bytes, offset, kind, false, stream, __func__);
}

/* ------------------------------------------------------------------ setting */

cudaError_t set_check(struct runtime *runtime, const struct set_work *set, const char *call)
{
    size_t width;
    uint64_t bytes;
    bool host;
    cudaError_t error;

    if (!set->width || !set->height || !set->depth)
        return cudaSuccess;
    if (__builtin_mul_overflow(set->width, (size_t)set->element, &width) ||
        !extent_of(&set->target, width, set->height, set->depth, &bytes))
        return cudaErrorInvalidValue;
    error = check_side(runtime, &set->target, bytes, call, "writes", &host);
    return error == cudaSuccess && host ? cudaErrorInvalidValue : error;
}

static void set_row(uint64_t address, const struct set_work *set)
{
    char *row = (char *)(uintptr_t)address;

    if (set->element == 1)
        memset(row, (int)(set->value & 0xff), set->width);
    else
        for (size_t i = 0; i < set->width; i++)
            memcpy(row + i * set->element, &set->value, set->element); /* the low bytes: little-endian, as the device */
}

cudaError_t set_run(struct runtime *runtime, const struct set_work *set)
{
    struct memory *memory = sim_memory(runtime->sim);

    for (size_t z = 0; z < set->depth; z++) {
        for (size_t y = 0; y < set->height && set->width; y++) {
            uint64_t address = row_of(&set->target, y, z);

            set_row(address, set);
            memory_note_written(memory, address, set->width * set->element);
        }
    }
    return cudaSuccess;
}

static cudaError_t set(const struct cudaPitchedPtr *pointer, int value, const struct cudaExtent *extent,
                       cudaStream_t stream, const char *name)
{
    static const struct cudaPos origin = { 0, 0, 0 };
    struct work work = { .kind = WORK_SET, .call = name,
                         .set = { .value = (unsigned)value & 0xff, .element = 1, .width = extent->width,
                                  .height = extent->height, .depth = extent->depth } };
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!place(pointer, &origin, &work.set.target) ||
            ((extent->height > 1 || extent->depth > 1) && extent->width > pointer->pitch))
            call.error = cudaErrorInvalidValue;
        else
            call.error = work_submit(&call, &work, stream);
    }
    return call_end(&call);
}

static cudaError_t set_rows(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream,
                            const char *name)
{
    return set(&(struct cudaPitchedPtr){ pointer, pitch, width, height }, value,
               &(struct cudaExtent){ width, height, 1 }, stream, name);
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
    return set_rows(pointer, bytes, value, bytes, 1, 0, __func__);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream)
{
    return set_rows(pointer, bytes, value, bytes, 1, stream, __func__);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
    return set_rows(pointer, pitch, value, width, height, 0, __func__);
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    return set_rows(pointer, pitch, value, width, height, stream, __func__);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent)
{
    return set(&pointer, value, &extent, 0, __func__);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent, cudaStream_t stream)
{
    return set(&pointer, value, &extent, stream, __func__);
}
