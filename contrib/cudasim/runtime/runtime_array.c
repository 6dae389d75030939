/*
 * runtime_array.c - the calls that create, query and copy CUDA arrays. do_array.c describes their layout.
 */
#include "runtime.h"
#include "array.h"

/* Of a texture in linear memory, as an H200 answers: texels, and bytes. */
#define LINEAR_WIDTH ((size_t)1 << 30)
#define LINEAR_BYTES ((size_t)1 << 32)

enum { FLAGS_REFUSED = cudaArraySparse | cudaArrayDeferredMapping };

/* ------------------------------------------------------------------ making */

static cudaError_t make(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                        unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE)) {
        if (flags & FLAGS_REFUSED)
            call.error = runtime_unsupported(&call, "an array that is sparse, or that gets its memory later,");
        else
            call.error = array && desc ? array_new(call.runtime, desc, &extent, flags, array) : cudaErrorInvalidValue;
    }
    return call_end(&call);
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned flags)
{
    if (flags & (cudaArrayLayered | cudaArrayCubemap))
        return make(NULL, desc, (struct cudaExtent){ width, height, 0 }, flags);
    return make(array, desc, (struct cudaExtent){ width, height, 0 }, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned flags)
{
    return make(array, desc, extent, flags);
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmapped, const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned levels, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE)) {
        if (flags & FLAGS_REFUSED)
            call.error = runtime_unsupported(&call, "an array that is sparse, or that gets its memory later,");
        else
            call.error = mipmapped && desc ? mipmapped_new(call.runtime, desc, &extent, levels, flags, mipmapped)
                                           : cudaErrorInvalidValue;
    }
    return call_end(&call);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE) && array) {
        if (!handle_is(call.runtime, array, HANDLE_ARRAY))
            call.error = cudaErrorInvalidResourceHandle;
        else if (array->part)
            ; /* a level goes with its mipmapped array */
        else if ((call.error = queue_wait_all(&call)) == cudaSuccess && call.locked) /* as cudaFree() does */
            array_free(call.runtime, array);
    }
    return call_end(&call);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmapped)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE) && mipmapped) {
        if (!handle_is(call.runtime, mipmapped, HANDLE_MIPMAPPED))
            call.error = cudaErrorInvalidResourceHandle;
        else if ((call.error = queue_wait_all(&call)) == cudaSuccess && call.locked)
            mipmapped_free(call.runtime, mipmapped);
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ asking */

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_const_t mipmapped, unsigned level)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!handle_is(call.runtime, mipmapped, HANDLE_MIPMAPPED))
            call.error = cudaErrorInvalidResourceHandle;
        else if (!array || level >= mipmapped->count)
            call.error = cudaErrorInvalidValue;
        else
            *array = mipmapped->levels[level];
    }
    return call_end(&call);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags,
                             cudaArray_t array)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!handle_is(call.runtime, array, HANDLE_ARRAY)) {
            call.error = cudaErrorInvalidResourceHandle;
        } else {
            if (desc)
                *desc = array->desc;
            if (extent)
                *extent = array->extent;
            if (flags)
                *flags = array->flags;
        }
    }
    return call_end(&call);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!handle_is(call.runtime, array, HANDLE_ARRAY))
            call.error = cudaErrorInvalidResourceHandle;
        else if (!desc)
            call.error = cudaErrorInvalidValue;
        else
            *desc = array->desc;
    }
    return call_end(&call);
}

/*
 * Ends a question about a property that no array has here: to be sparse, to get its memory later, or to be of several
 * planes. The answer for arrays without it is the same on a GPU.
 */
static cudaError_t lacks(const void *place, const void *array, enum handle_kind kind)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = place && array && !handle_is(call.runtime, array, kind) ? cudaErrorInvalidResourceHandle
                                                                    : cudaErrorInvalidValue;
    return call_end(&call);
}

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *requirements, cudaArray_t array,
                                           int device)
{
    (void)device;
    return lacks(requirements, array, HANDLE_ARRAY);
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *requirements,
                                                    cudaMipmappedArray_t mipmapped, int device)
{
    (void)device;
    return lacks(requirements, mipmapped, HANDLE_MIPMAPPED);
}

cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *properties, cudaArray_t array)
{
    return lacks(properties, array, HANDLE_ARRAY);
}

cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *properties,
                                                  cudaMipmappedArray_t mipmapped)
{
    return lacks(properties, mipmapped, HANDLE_MIPMAPPED);
}

cudaError_t cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t array, unsigned index)
{
    (void)index;
    return lacks(plane, array, HANDLE_ARRAY);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *desc, int device)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        size_t bytes = desc ? (size_t)(desc->x + desc->y + desc->z + desc->w) / 8 : 0;

        if (device)
            call.error = cudaErrorInvalidDevice;
        else if (!width || !bytes)
            call.error = cudaErrorInvalidValue;
        else
            *width = LINEAR_BYTES / bytes < LINEAR_WIDTH ? LINEAR_BYTES / bytes : LINEAR_WIDTH;
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ copying: rows of bytes */

/* One side of a copy: an array from an offset on (bytes, rows), or rows in memory. */
struct side {
    bool is_array;           /* else: memory */
    cudaArray_const_t array;
    size_t x, y;             /* of the array */
    const void *pointer;
    size_t pitch;
};

static cudaError_t side_plane(struct runtime *runtime, const struct side *side, size_t width, size_t height,
                              struct plane *plane)
{
    if (!side->is_array) {
        *plane = (struct plane){ (uintptr_t)side->pointer, side->pitch, 0 };
        return width > side->pitch && height > 1 ? cudaErrorInvalidPitchValue : cudaSuccess;
    }
    if (!side->array)
        return cudaErrorInvalidResourceHandle;
    return array_plane(runtime, side->array, side->x, &(struct cudaPos){ 0, side->y, 0 },
                       &(struct cudaExtent){ width, height, 1 }, plane);
}

static cudaError_t copy_sides(struct side to, struct side from, size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream, const char *name)
{
    struct work work = { .kind = WORK_COPY, .call = name,
                         .copy = { .width = width, .height = height, .depth = 1, .kind = kind } };
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if ((to.is_array && (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)) ||
            (from.is_array && (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)))
            call.error = cudaErrorInvalidMemcpyDirection;
        else
            call.error = side_plane(call.runtime, &to, width, height, &work.copy.target);
        if (call.error == cudaSuccess)
            call.error = side_plane(call.runtime, &from, width, height, &work.copy.source);
        if (call.error == cudaSuccess)
            call.error = work_submit(&call, &work, stream);
    }
    return call_end(&call);
}

#define ARRAY(array, x, y) (struct side){ true, array, x, y, NULL, 0 }
#define ROWS(pointer, pitch) (struct side){ false, NULL, 0, 0, pointer, pitch }

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                     size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_sides(ARRAY(to, x, y), ROWS(from, pitch), width, height, kind, stream, __func__);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind)
{
    return copy_sides(ARRAY(to, x, y), ROWS(from, pitch), width, height, kind, 0, __func__);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_sides(ROWS(to, pitch), ARRAY(from, x, y), width, height, kind, stream, __func__);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind)
{
    return copy_sides(ROWS(to, pitch), ARRAY(from, x, y), width, height, kind, 0, __func__);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return copy_sides(ARRAY(to, to_x, to_y), ARRAY(from, from_x, from_y), width, height, kind, 0, __func__);
}

/* ------------------------------------------------------------------ copying: bytes that go on in the next row */

/* The pieces of `count` bytes from (x, y) on: what is left of the first row, whole rows, what is left over. */
static cudaError_t copy_run_on(struct side array, struct side memory, bool to_array, size_t count,
                               enum cudaMemcpyKind kind, cudaStream_t stream, const char *name)
{
    size_t row;
    struct call call;
    const char *at = memory.pointer;
    cudaError_t error = cudaSuccess;

    if (!call_begin(&call, CALL_DEVICE))
        return call_end(&call);
    if (!handle_is(call.runtime, array.array, HANDLE_ARRAY))
        call.error = cudaErrorInvalidResourceHandle;
    row = call.error == cudaSuccess ? array.array->level.pitch : 0;
    error = call_end(&call);
    while (error == cudaSuccess && count) {
        size_t width = array.x < row && count > row - array.x ? row - array.x : count, height = 1;

        if (array.x >= row)
            return cudaErrorInvalidValue;
        if (array.x == 0 && count > row) {
            width = row;
            height = count / row;
        }
        error = to_array ? copy_sides(array, ROWS(at, width), width, height, kind, stream, name)
                         : copy_sides(ROWS(at, width), array, width, height, kind, stream, name);
        at += width * height;
        count -= width * height;
        array.x = 0;
        array.y += height;
    }
    return error;
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_run_on(ARRAY(to, x, y), ROWS(from, 0), true, count, kind, stream, __func__);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                              enum cudaMemcpyKind kind)
{
    return copy_run_on(ARRAY(to, x, y), ROWS(from, 0), true, count, kind, 0, __func__);
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_run_on(ARRAY(from, x, y), ROWS(to, 0), false, count, kind, stream, __func__);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                enum cudaMemcpyKind kind)
{
    return copy_run_on(ARRAY(from, x, y), ROWS(to, 0), false, count, kind, 0, __func__);
}

/* The bytes of one row of the array; 0: there is no such array. */
static size_t row_of(cudaArray_const_t array)
{
    size_t row = 0;
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (handle_is(call.runtime, array, HANDLE_ARRAY))
            row = array->level.pitch;
        else
            call.error = cudaErrorInvalidResourceHandle;
    }
    return call_end(&call) == cudaSuccess ? row : 0;
}

/* Each piece ends where a row of one of the two arrays ends. */
static cudaError_t copy_between(struct side to, struct side from, size_t count, enum cudaMemcpyKind kind,
                                cudaStream_t stream, const char *name)
{
    size_t to_row = row_of(to.array), from_row = row_of(from.array);
    cudaError_t error = cudaSuccess;

    if (!to_row || !from_row)
        return cudaErrorInvalidResourceHandle;
    while (error == cudaSuccess && count) {
        size_t width = count;

        if (to.x >= to_row || from.x >= from_row)
            return cudaErrorInvalidValue;
        if (width > to_row - to.x)
            width = to_row - to.x;
        if (width > from_row - from.x)
            width = from_row - from.x;
        error = copy_sides(to, from, width, 1, kind, stream, name);
        count -= width;
        to.x += width;
        from.x += width;
        if (to.x == to_row) {
            to.x = 0;
            to.y++;
        }
        if (from.x == from_row) {
            from.x = 0;
            from.y++;
        }
    }
    return error;
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                   size_t from_y, size_t count, enum cudaMemcpyKind kind)
{
    return copy_between(ARRAY(to, to_x, to_y), ARRAY(from, from_x, from_y), count, kind, 0, __func__);
}

/* ------------------------------------------------------------------ for --default-stream per-thread */

/* The header calls the plain ones deprecated, so they are not compared with these, as runtime_per_thread.c does. */
cudaError_t cudaMemcpyToArray_ptds(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                                   enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray_ptds(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                     enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                                        enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpyFromArrayAsync_ptsz(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                          enum cudaMemcpyKind kind, cudaStream_t stream);

cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                        size_t from_x, size_t from_y, size_t count, enum cudaMemcpyKind kind);

cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                        size_t from_x, size_t from_y, size_t count, enum cudaMemcpyKind kind)
{
    return copy_between(ARRAY(to, to_x, to_y), ARRAY(from, from_x, from_y), count, kind, cudaStreamPerThread,
                        "cudaMemcpyArrayToArray");
}

cudaError_t cudaMemcpyToArray_ptds(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                                   enum cudaMemcpyKind kind)
{
    return copy_run_on(ARRAY(to, x, y), ROWS(from, 0), true, count, kind, cudaStreamPerThread, "cudaMemcpyToArray");
}

cudaError_t cudaMemcpyFromArray_ptds(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                     enum cudaMemcpyKind kind)
{
    return copy_run_on(ARRAY(from, x, y), ROWS(to, 0), false, count, kind, cudaStreamPerThread,
                       "cudaMemcpyFromArray");
}

cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                                        enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_run_on(ARRAY(to, x, y), ROWS(from, 0), true, count, kind, stream ? stream : cudaStreamPerThread,
                       "cudaMemcpyToArrayAsync");
}

cudaError_t cudaMemcpyFromArrayAsync_ptsz(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                          enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_run_on(ARRAY(from, x, y), ROWS(to, 0), false, count, kind, stream ? stream : cudaStreamPerThread,
                       "cudaMemcpyFromArrayAsync");
}
