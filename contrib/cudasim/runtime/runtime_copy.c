/*
 * runtime_copy.c - the calls that copy and set bytes. Each turns its parameters into work. do_copy.c does the work.
 */
#include "runtime.h"
#include "array.h"
#include "host_place.h"
#include "order.h"

#include <stdio.h>
#include <stdlib.h>

static cudaError_t submit(struct call *call, const struct copy_work *copy, cudaStream_t stream, const char *name)
{
    struct work work = { .kind = WORK_COPY, .call = name, .copy = *copy };

    return work_submit(call, &work, stream);
}

IN_CALL cudaError_t copy_flat(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind,
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

IN_CALL cudaError_t copy_peer(void *target, int target_device, const void *source, int source_device, size_t bytes,
                              cudaStream_t stream, const char *name)
{
    struct copy_work copy = { .target = { (uintptr_t)target, 0, 0 }, .source = { (uintptr_t)source, 0, 0 },
                              .width = bytes, .height = 1, .depth = 1, .kind = cudaMemcpyDefault };
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (target_device || source_device)
            call.error = cudaErrorInvalidDevice;
        else if (bytes && (!allocation_find(call.runtime, target) || !allocation_find(call.runtime, source)))
            call.error = cudaErrorInvalidValue; /* both sides are devices' */
        else
            call.error = submit(&call, &copy, stream, name);
    }
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

/* Whether each of the `count` copies has attributes that may be. */
static bool attributes_cover(const struct cudaMemcpyAttributes *attributes, const size_t *firsts,
                             size_t attribute_count, size_t count)
{
    if (!attributes || !firsts || !attribute_count || attribute_count > count || firsts[0] != 0)
        return false;
    for (size_t i = 0; i < attribute_count; i++)
        if (attributes[i].srcAccessOrder < cudaMemcpySrcAccessOrderStream ||
            attributes[i].srcAccessOrder > cudaMemcpySrcAccessOrderAny || firsts[i] >= count ||
            (i && firsts[i] <= firsts[i - 1]))
            return false;
    return true;
}

/* The bytes that a copy of a batch reads or writes. */
struct side {
    uint64_t low, high;
    size_t copy; /* its number */
    bool writes;
};

static int by_low(const void *left, const void *right)
{
    const struct side *a = left, *b = right;

    return (a->low > b->low) - (a->low < b->low);
}

static void say_unordered(struct call *call, const struct side *a, const struct side *b)
{
    const struct side *writer = a->writes ? a : b, *other = a->writes ? b : a;
    char text[400];

    snprintf(text, sizeof text, "copy %zu of the batch %s memory at %s, which copy %zu writes: the copies of a batch "
             "have no order", other->copy, other->writes ? "writes" : "reads",
             order_place(call->runtime, a->low > b->low ? a->low : b->low).text, writer->copy);
    host_add_place(text, sizeof text);
    order_report(call->runtime, FAULT_STREAM_RACE, "cudaMemcpyBatchAsync", writer->low, text);
}

/* Reports the first two copies of a batch of which one writes what the other one reads or writes. */
static void check_batch(struct call *call, void *const *targets, const void *const *sources, const size_t *sizes,
                        size_t count)
{
    struct side *sides = sim_options(call->runtime->sim)->check_streams ? malloc(2 * count * sizeof *sides) : NULL;
    const struct side *last = NULL, *written = NULL; /* those that reach furthest so far */

    for (size_t i = 0; sides && i < count; i++) {
        sides[2 * i] = (struct side){ (uintptr_t)sources[i], (uintptr_t)sources[i] + sizes[i], i, false };
        sides[2 * i + 1] = (struct side){ (uintptr_t)targets[i], (uintptr_t)targets[i] + sizes[i], i, true };
    }
    if (sides)
        qsort(sides, 2 * count, sizeof *sides, by_low);
    for (size_t n = 0; sides && n < 2 * count; n++) {
        const struct side *self = &sides[n], *near = self->writes ? last : written;

        if (near && near->high > self->low && near->copy != self->copy) {
            say_unordered(call, near, self);
            break;
        }
        last = !last || self->high > last->high ? self : last;
        written = self->writes && (!written || self->high > written->high) ? self : written;
    }
    free(sides);
}

cudaError_t cudaMemcpyBatchAsync(void *const *targets, const void *const *sources, const size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *attribute_indices,
                                 size_t attribute_count, cudaStream_t stream)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!targets || !sources || !sizes || !count || call_is_legacy(&call, stream) ||
            !attributes_cover(attributes, attribute_indices, attribute_count, count))
            call.error = cudaErrorInvalidValue;
        for (size_t i = 0; call.error == cudaSuccess && i < count; i++) {
            const struct CUstream_st *record = stream_of(&call, stream);
            struct copy_work copy = { .target = { (uintptr_t)targets[i], 0, 0 },
                                      .source = { (uintptr_t)sources[i], 0, 0 },
                                      .width = sizes[i], .height = 1, .depth = 1, .kind = cudaMemcpyDefault };

            if (record && record->capture) {
                record->capture->invalid = true;
                call.error = cudaErrorStreamCaptureUnsupported;
            } else {
                call.error = sizes[i] ? submit(&call, &copy, stream, __func__) : cudaErrorInvalidValue;
            }
        }
        if (call.error == cudaSuccess && count > 1)
            check_batch(&call, targets, sources, sizes, count);
    }
    return call_end(&call);
}

IN_CALL cudaError_t copy_rows(void *target, size_t target_pitch, const void *source, size_t source_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream, const char *name)
{
    struct copy_work copy = { .target = { (uintptr_t)target, target_pitch, 0 },
                              .source = { (uintptr_t)source, source_pitch, 0 },
                              .width = width, .height = height, .depth = 1, .kind = kind };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = width <= target_pitch && width <= source_pitch ? submit(&call, &copy, stream, name)
                     : height > 1                                   ? cudaErrorInvalidPitchValue
                                                                    : cudaErrorInvalidValue;
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

IN_CALL cudaError_t copy_box(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream, const char *name)
{
    struct copy_work copy;
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = parameters ? copy_from_parameters(call.runtime, parameters, &copy) : cudaErrorInvalidValue;
        if (call.error == cudaSuccess)
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

IN_CALL cudaError_t copy_box_peer(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream, const char *name)
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

/* ------------------------------------------------------------------ batches of boxes */

/* Bytes of an element: an array's texel, or a byte where both sides are pointers. */
static size_t batch_element(const struct cudaMemcpy3DBatchOp *op)
{
    if (op->src.type == cudaMemcpyOperandTypeArray)
        return array_texel(op->src.op.array.array);
    return op->dst.type == cudaMemcpyOperandTypeArray ? array_texel(op->dst.op.array.array) : 1;
}

/* One side of a copy, in the form of cudaMemcpy3DParms. False: there is no such place. */
static bool batch_side(const struct cudaMemcpy3DOperand *side, const struct cudaExtent *extent, size_t element,
                       cudaArray_t *array, struct cudaPos *from, struct cudaPitchedPtr *pointer)
{
    size_t row, rows;

    if (side->type == cudaMemcpyOperandTypeArray) {
        *array = side->op.array.array;
        *from = (struct cudaPos){ side->op.array.offset.x, side->op.array.offset.y, side->op.array.offset.z };
        return true;
    }
    row = side->op.ptr.rowLength ? side->op.ptr.rowLength : extent->width;
    rows = side->op.ptr.layerHeight ? side->op.ptr.layerHeight : extent->height;
    *pointer = (struct cudaPitchedPtr){ side->op.ptr.ptr, row * element, row * element, rows };
    return side->type == cudaMemcpyOperandTypePointer && side->op.ptr.ptr && row >= extent->width &&
           rows >= extent->height && row <= SIZE_MAX / element;
}

static cudaError_t submit_box(struct call *call, const struct cudaMemcpy3DBatchOp *op, cudaStream_t stream,
                              const char *name)
{
    struct cudaMemcpy3DParms box = { .extent = op->extent, .kind = cudaMemcpyDefault };
    struct copy_work copy;
    cudaError_t error;
    size_t element;

    if ((op->src.type == cudaMemcpyOperandTypeArray &&
         !handle_is(call->runtime, op->src.op.array.array, HANDLE_ARRAY)) ||
        (op->dst.type == cudaMemcpyOperandTypeArray &&
         !handle_is(call->runtime, op->dst.op.array.array, HANDLE_ARRAY)))
        return cudaErrorInvalidResourceHandle;
    element = batch_element(op);
    if (!batch_side(&op->src, &op->extent, element, &box.srcArray, &box.srcPos, &box.srcPtr) ||
        !batch_side(&op->dst, &op->extent, element, &box.dstArray, &box.dstPos, &box.dstPtr))
        return cudaErrorInvalidValue;
    error = copy_from_parameters(call->runtime, &box, &copy);
    return error == cudaSuccess ? submit(call, &copy, stream, name) : error;
}

cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags,
                                   cudaStream_t stream)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!list || !count || flags || call_is_legacy(&call, stream))
            call.error = cudaErrorInvalidValue;
        for (size_t i = 0; call.error == cudaSuccess && i < count; i++)
            call.error = list[i].srcAccessOrder < cudaMemcpySrcAccessOrderStream ||
                                 list[i].srcAccessOrder > cudaMemcpySrcAccessOrderAny
                             ? cudaErrorInvalidValue
                             : submit_box(&call, &list[i], stream, __func__);
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ symbols */

IN_CALL cudaError_t copy_symbol(const void *symbol, void *other, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
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

IN_CALL cudaError_t set(const struct cudaPitchedPtr *pointer, int value, const struct cudaExtent *extent,
                        cudaStream_t stream, const char *name)
{
    static const struct cudaPos origin = { 0, 0, 0 };
    struct work work = { .kind = WORK_SET, .call = name,
                         .set = { .value = (unsigned)value & 0xff, .element = 1, .width = extent->width,
                                  .height = extent->height, .depth = extent->depth } };
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!copy_plane(pointer, &origin, 1, &work.set.target) || extent->height > pointer->ysize ||
            ((extent->height > 1 || extent->depth > 1) && extent->width > pointer->pitch))
            call.error = cudaErrorInvalidValue;
        else
            call.error = work_submit(&call, &work, stream);
    }
    return call_end(&call);
}

IN_CALL cudaError_t set_rows(void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream,
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
