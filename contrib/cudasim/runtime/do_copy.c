/*
 * do_copy.c - copies and sets bytes. It checks that a copy may touch its bytes and that they were written.
 *
 * Device addresses are host addresses. So a copy is a memmove, and only the checks are CUDA's. An address outside all
 * regions is the program's own memory. It is trusted, as a real driver does.
 */
#include "runtime.h"
#include "array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host_place.h"
#include "moves.h"

enum {
    STAGED_MOST = 4 << 20, /* bytes of pageable memory that a pending copy keeps; for larger ones the host waits */
    ROWS_NOTED = 1 << 16,  /* of a copy, for the checks of streams */
};

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

    runtime->told_of_call = true;
    snprintf(fault.kernel, sizeof fault.kernel, "%s", call);
    snprintf(fault.text, sizeof fault.text, "%s", text);
    sim_report_fault(runtime->sim, &fault);
}

/* For the call that asked for the work that runs, or the one that the program is making now. Names its place, too. */
static void complain_of_call(struct runtime *runtime, const char *call, enum sim_fault_kind kind, bool error,
                             uint64_t address, const char *text)
{
    char whole[sizeof((struct sim_fault *)NULL)->text];

    snprintf(whole, sizeof whole, "%s", text);
    if (runtime->working && runtime->working->from)
        host_call_place(runtime->working->from, runtime->working->outer, whole + strlen(whole),
                        sizeof whole - strlen(whole));
    else
        host_add_place(whole, sizeof whole);
    complain(runtime, call, kind, error, address, whole);
}

/* Whether `address` can only be the device's: the reserved range is at least as large as the device's memory. */
static bool is_reserved(const struct memory *memory, uint64_t address)
{
    return address - memory_origin(memory) < memory_limit(memory);
}

/*
 * One side of a copy. *host: it is the program's own memory. If a part of it lies in a region, all of it must, as on a
 * real device.
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
    if (region && (region->freed || (region->away && runtime->working))) {
        snprintf(text, sizeof text, "%s %s at 0x%" PRIx64 ", in an allocation of %s that has been freed", does,
                 amount.text, plane->address, in_bytes(region->size).text);
        complain_of_call(runtime, call, FAULT_USE_AFTER_FREE, true, plane->address, text);
        return cudaErrorInvalidValue;
    }
    if (region && region->kind == REGION_HEAP) {
        snprintf(text, sizeof text, "returned cudaErrorInvalidValue and copied nothing: 0x%" PRIx64 " is memory of "
                 "malloc() in a kernel, which only kernels can access", plane->address);
        complain_of_call(runtime, call, FAULT_REFUSED, false, plane->address, text);
        return cudaErrorInvalidValue;
    }
    if (region && bytes > region->base + region->size - plane->address) {
        snprintf(text, sizeof text, "%s %s at 0x%" PRIx64 ", %s past the end of an allocation of %s", does,
                 amount.text, plane->address, in_bytes(bytes - (region->base + region->size - plane->address)).text,
                 in_bytes(region->size).text);
        complain_of_call(runtime, call, FAULT_OUT_OF_BOUNDS, true, plane->address, text);
        return cudaErrorInvalidValue;
    }
    if (region || *host)
        return cudaSuccess;
    if (below)
        snprintf(text, sizeof text, "%s %s at 0x%" PRIx64 ", %s after an allocation of %s", does, amount.text,
                 plane->address, in_bytes(plane->address - (below->base + below->size)).text,
                 in_bytes(below->size).text);
    else
        snprintf(text, sizeof text, "%s %s at 0x%" PRIx64 ", which is not an allocation", does, amount.text,
                 plane->address);
    complain_of_call(runtime, call, FAULT_OUT_OF_BOUNDS, true, plane->address, text);
    return cudaErrorInvalidValue;
}

/*
 * Whether the copy's sides share bytes, and are not the same: what it copies then depends on its order. Rows of images
 * with one pitch may lie between each other.
 */
static bool overlaps(const struct copy_work *copy)
{
    uint64_t from = copy->source.address, to = copy->target.address, apart = from < to ? to - from : from - to;
    uint64_t pitch = copy->height > 1 ? copy->target.pitch : 0, rows, columns;

    if (!apart || copy->depth > 1 || (pitch && pitch != copy->source.pitch))
        return false;
    if (!pitch)
        return apart < copy->width;
    rows = apart / pitch;
    columns = apart % pitch;
    return (rows < copy->height && columns < copy->width) ||
           (rows + 1 < copy->height && pitch - columns < copy->width);
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
        complain_of_call(runtime, call, FAULT_REFUSED, false, copy->target.address,
                 "returned cudaErrorInvalidValue and copied nothing: by its direction the target is the device's, and"
                 " it is memory of the host");
        return cudaErrorInvalidValue;
    }
    if (source_host && (copy->kind == cudaMemcpyDeviceToHost || copy->kind == cudaMemcpyDeviceToDevice)) {
        complain_of_call(runtime, call, FAULT_REFUSED, false, copy->source.address,
                 "returned cudaErrorInvalidValue and copied nothing: by its direction the source is the device's, and"
                 " it is memory of the host");
        return cudaErrorInvalidValue;
    }
    if (overlaps(copy) && sim_options(runtime->sim)->check_streams && runtime->working)
        complain_of_call(runtime, call, FAULT_STREAM_RACE, false, copy->target.address,
                         "its source and its target overlap: it may read what it has written");
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

/* Bytes from `address` on that were written, without a gap; at most `bytes`. */
static uint64_t written_from(struct memory *memory, uint64_t address, uint64_t bytes)
{
    const uint8_t *bits = memory_bits(memory);
    uint64_t first = address - memory_origin(memory), n = 0;

    while (n < bytes && bits[(first + n) / 8] >> ((first + n) % 8) & 1)
        n += (first + n) % 8 == 0 && n + 8 <= bytes && bits[(first + n) / 8] == 0xFF ? 8 : 1;
    return n;
}

/*
 * Bytes that the copy reads behind what a launch wrote, if its threads wrote one element each and less than a block of
 * them is missing: the grid was rounded down. Other copies of memory that is partly written are usual.
 */
static uint64_t cut_short(const struct runtime *runtime, struct memory *memory, uint64_t address, uint64_t bytes)
{
    uint64_t written = written_from(memory, address, bytes), rest = bytes - written;

    if (!written || !rest || !is_unwritten(memory, address + written, rest))
        return 0;
    for (unsigned n = 0; n < RECENT_LAUNCHES && n < runtime->recent_count; n++) {
        const struct recent_launch *l = &runtime->recent[n];
        uint64_t each = l->threads ? written / l->threads : 0;

        if (each && each <= 16 && each * l->threads == written && l->block_threads > 1 &&
            rest % each == 0 && rest < each * l->block_threads)
            return rest;
    }
    return 0;
}

/*
 * Bytes at the end that were never written, if a launch has a thread for each element, and its threads wrote just those
 * that they reach by their number in the block, with the block's number or without it.
 */
static uint64_t blocks_overlap(const struct runtime *runtime, struct memory *memory, uint64_t address, uint64_t bytes)
{
    uint64_t written = written_from(memory, address, bytes), rest = bytes - written;

    if (!written || !rest || !is_unwritten(memory, address + written, rest))
        return 0;
    for (unsigned n = 0; n < RECENT_LAUNCHES && n < runtime->recent_count; n++) {
        const struct recent_launch *l = &runtime->recent[n];
        uint64_t blocks = l->threads / (l->block_threads ? l->block_threads : 1);

        if (blocks < 2 || l->block_threads < 2 || l->sides[0] != l->threads)
            continue;
        for (uint64_t each = 1; each <= 16; each *= 2)
            if (bytes % each == 0 && bytes / each <= l->threads && bytes / each + l->block_threads > l->threads &&
                (written == each * l->block_threads || written == each * (l->block_threads + blocks - 1)))
                return rest;
    }
    return 0;
}

/*
 * Bytes that nobody wrote behind what the host filled, if that is a quarter or an eighth of what the copy reads:
 * elements were counted as bytes. *from: the first of them. Kernels may have written others.
 */
static uint64_t filled_short(const struct runtime *runtime, struct memory *memory, uint64_t address, uint64_t bytes,
                             uint64_t *from)
{
    for (unsigned n = 0; n < RECENT_LAUNCHES && n < runtime->fill_count; n++) {
        const struct recent_fill *f = &runtime->fills[n];
        uint64_t written, gap = 0;

        if (f->address != address || (f->bytes * 4 != bytes && f->bytes * 8 != bytes))
            continue;
        written = written_from(memory, address, bytes);
        *from = address + written;
        if (is_unwritten(memory, *from, bytes - written))
            return bytes - written;
        while (is_unwritten(memory, *from + gap, 1))
            gap++;
        return gap;
    }
    return 0;
}

/*
 * Bytes at the end that were never written, if a launch has its sides swapped: it wrote the part of an image that fits
 * into both. With x by y threads, the image is y wide and x high.
 */
static uint64_t sides_swapped(const struct runtime *runtime, struct memory *memory, uint64_t address, uint64_t bytes)
{
    for (unsigned n = 0; n < RECENT_LAUNCHES && n < runtime->recent_count; n++) {
        uint64_t width = runtime->recent[n].sides[1], height = runtime->recent[n].sides[0], both, each, rest, row = 0;

        if (width < 2 || height < 2 || width == height || bytes % (width * height))
            continue;
        both = width < height ? width : height;
        each = bytes / (width * height);
        while (row < both && written_from(memory, address + row * width * each, both * each) == both * each &&
               is_unwritten(memory, address + (row * width + both) * each, (width - both) * each))
            row++;
        rest = bytes - both * width * each;
        if (each <= 16 && row == both && is_unwritten(memory, address + bytes - rest, rest))
            return width > both ? (width - both) * each : rest;
    }
    return 0;
}

/* Whether the copy's first row was written, at least in part, and its last one was not: bytes of that one, else 0. */
static uint64_t last_row_unwritten(struct memory *memory, const struct copy_work *copy)
{
    uint64_t last = copy->source.address + (copy->height - 1) * copy->source.pitch;

    return copy->height > 1 && copy->depth == 1 && !is_unwritten(memory, copy->source.address, copy->width) &&
                   is_unwritten(memory, last, copy->width)
               ? copy->width
               : 0;
}

/* Warns if the copy reads device memory that was never written: alone, or behind what a launch or a copy wrote. */
static void check_written(struct runtime *runtime, const struct copy_work *copy, const char *call)
{
    struct memory *memory = sim_memory(runtime->sim);
    const struct region *region = memory_find(memory, copy->source.address, NULL);
    char text[sizeof((struct sim_fault *)NULL)->text];
    const char *hint = "";
    uint64_t bytes, from = 0, rest;

    if (!sim_options(runtime->sim)->check_written || !region || region->written ||
        (region->kind != REGION_DEVICE && region->kind != REGION_POOL) ||
        !extent_of(&copy->source, copy->width, copy->height, copy->depth, &bytes))
        return;
    rest = bytes;
    if (!is_unwritten(memory, copy->source.address, bytes)) {
        if ((rest = last_row_unwritten(memory, copy)) != 0)
            hint = " (the last row; the first one was written)";
        else if (copy->height == 1 && copy->depth == 1 &&
                 (rest = cut_short(runtime, memory, copy->source.address, bytes)) != 0)
            hint = " (a launch wrote all before them, an element by each thread: are there too few blocks?)";
        else if (copy->height == 1 && copy->depth == 1 &&
                 (rest = filled_short(runtime, memory, copy->source.address, bytes, &from)) != 0)
            hint = " (the host filled only the memory before them: is a number of elements given as bytes?)";
        else if (copy->height == 1 && copy->depth == 1 &&
                 (rest = blocks_overlap(runtime, memory, copy->source.address, bytes)) != 0)
            hint = " (the blocks of a launch wrote the same elements: is their number missing in an index?)";
        else if (copy->height == 1 && copy->depth == 1 &&
                 (rest = sides_swapped(runtime, memory, copy->source.address, bytes)) != 0)
            hint = " (are the sides of a launch's grid swapped?)";
    }
    if (!rest)
        return;
    if (!from)
        from = copy->source.address + bytes - rest;
    snprintf(text, sizeof text,
             "reads %s at 0x%" PRIx64 " where nothing was ever written: bytes %" PRIu64 " to %" PRIu64
             " of an allocation of %s%s",
             in_bytes(rest).text, from, from - region->base, from - region->base + rest - 1,
             in_bytes(region->size).text, hint);
    complain_of_call(runtime, call, FAULT_UNINITIALISED, false, from, text);
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

/* Remembers what the host filled: filled_short(). */
static void note_fill(struct runtime *runtime, uint64_t address, uint64_t bytes)
{
    runtime->fills[runtime->fill_count++ % RECENT_LAUNCHES] = (struct recent_fill){ address, bytes };
}

/* Whether all bytes of one side are there: the program may have freed its own memory before the copy's turn came. */
static bool is_there(struct runtime *runtime, const struct plane *plane, uint64_t bytes, const char *call,
                     const char *does)
{
    const struct region *region = memory_find(sim_memory(runtime->sim), plane->address, NULL);
    const uint64_t page = 4096, low = plane->address & ~(page - 1), high = plane->address + bytes;
    char text[sizeof((struct sim_fault *)NULL)->text];

    if ((region && region->kind != REGION_REGISTERED) || is_reserved(sim_memory(runtime->sim), plane->address) ||
        msync((void *)(uintptr_t)low, high - low, MS_ASYNC) == 0 || errno != ENOMEM)
        return true;
    snprintf(text, sizeof text, "%s %s at 0x%" PRIx64 " of the host, where no memory is%s", does, in_bytes(bytes).text,
             plane->address, region ? ": it was registered, and freed before the copy" : "");
    complain_of_call(runtime, call, region ? FAULT_USE_AFTER_FREE : FAULT_ILLEGAL_ADDRESS, true, plane->address, text);
    return false;
}

/*
 * A copy whose direction names a side as the host's: the host touches it. So managed memory that a GPU had goes to the
 * host, and with the direction cudaMemcpyDefault it stays (microbenchmarks, pages: copied).
 */
static void note_host_side(struct runtime *runtime, const struct copy_work *copy)
{
    const struct plane *side = copy->kind == cudaMemcpyHostToDevice ? &copy->source : &copy->target;
    uint64_t bytes;

    if (runtime->moves && (copy->kind == cudaMemcpyHostToDevice || copy->kind == cudaMemcpyDeviceToHost) &&
        copy_side(runtime, side->address) == SIDE_MANAGED &&
        extent_of(side, copy->width, copy->height, copy->depth, &bytes))
        moves_note(runtime, side->address, bytes, false);
}

cudaError_t copy_run(struct runtime *runtime, const struct copy_work *copy, const char *call)
{
    struct memory *memory = sim_memory(runtime->sim);
    size_t width = copy->width, height = copy->height, depth = copy->depth;
    uint64_t bytes;

    if (!width || !height || !depth)
        return cudaSuccess;
    if ((extent_of(&copy->target, width, height, depth, &bytes) &&
         !is_there(runtime, &copy->target, bytes, call, "writes")) ||
        (extent_of(&copy->source, width, height, depth, &bytes) &&
         !is_there(runtime, &copy->source, bytes, call, "reads")))
        return cudaErrorIllegalAddress;
    note_host_side(runtime, copy);
    check_written(runtime, copy, call);
    if (is_dense(&copy->target, width, height, depth) && is_dense(&copy->source, width, height, depth)) {
        width *= height * depth;
        height = depth = 1;
        note_fill(runtime, row_of(&copy->target, 0, 0), width);
    }
    if (is_dense(&copy->target, width, height, depth))
        memory_note_written(memory, row_of(&copy->target, 0, 0), width * height * depth);
    for (size_t z = 0; z < depth; z++) {
        for (size_t y = 0; y < height; y++) {
            uint64_t target = row_of(&copy->target, y, z);

            memory_fill_soon(target, width);
            /* First the note: a kernel that runs meanwhile must not see bytes that were not written. */
            memory_note_written(memory, target, width);
            memmove((void *)(uintptr_t)target, (const void *)(uintptr_t)row_of(&copy->source, y, z), width);
        }
    }
    return cudaSuccess;
}

enum copy_side copy_side(struct runtime *runtime, uint64_t address)
{
    const struct region *region = memory_find(sim_memory(runtime->sim), address, NULL);

    if (!region || (region->freed && region->kind == REGION_REGISTERED))
        return SIDE_PAGEABLE;
    if (region->kind == REGION_HOST || region->kind == REGION_REGISTERED)
        return SIDE_LOCKED;
    if (region->kind == REGION_MANAGED || (region->kind == REGION_GLOBAL && module_is_managed(runtime, region->base)))
        return SIDE_MANAGED;
    return SIDE_DEVICE;
}

void *copy_stage(struct copy_work *copy)
{
    size_t bytes, row = copy->width, slice = copy->width * copy->height;
    char *buffer;

    if (__builtin_mul_overflow(slice, copy->depth, &bytes) || bytes == 0 || bytes > STAGED_MOST)
        return NULL;
    buffer = malloc(bytes);
    if (!buffer)
        return NULL;
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++)
            memcpy(buffer + z * slice + y * row, (const void *)(uintptr_t)row_of(&copy->source, y, z), row);
    copy->source = (struct plane){ (uintptr_t)buffer, row, slice };
    return buffer;
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

    if (runtime->moves && copy_side(runtime, row_of(&set->target, 0, 0)) == SIDE_MANAGED)
        moves_note(runtime, row_of(&set->target, 0, 0), set->width * set->element, true);
    if (set->height == 1 && set->depth == 1)
        note_fill(runtime, row_of(&set->target, 0, 0), set->width * set->element);
    for (size_t z = 0; z < set->depth; z++) {
        for (size_t y = 0; y < set->height && set->width; y++) {
            uint64_t address = row_of(&set->target, y, z);

            memory_note_written(memory, address, set->width * set->element);
            set_row(address, set);
        }
    }
    return cudaSuccess;
}

/* ------------------------------------------------------------------ CUDA's boxes */

bool copy_plane(const struct cudaPitchedPtr *pointer, const struct cudaPos *position, size_t element,
                struct plane *plane)
{
    size_t rows, offset, column;

    plane->pitch = pointer->pitch;
    return !__builtin_mul_overflow(pointer->pitch, pointer->ysize, &plane->slice) &&
           !__builtin_mul_overflow(position->z, plane->slice, &offset) &&
           !__builtin_mul_overflow(position->y, pointer->pitch, &rows) &&
           !__builtin_mul_overflow(position->x, element, &column) &&
           !__builtin_add_overflow(offset, rows, &offset) && !__builtin_add_overflow(offset, column, &offset) &&
           !__builtin_add_overflow((uint64_t)(uintptr_t)pointer->ptr, (uint64_t)offset, &plane->address);
}

/*
 * One side of a box: an array, or memory. If either side is an array, positions along x count its texels, of `element`
 * bytes each, in memory too: an H200 copies to there. Else they count bytes.
 */
static cudaError_t box_side(struct runtime *runtime, cudaArray_const_t array, const struct cudaPitchedPtr *pointer,
                            const struct cudaPos *from, const struct cudaExtent *extent, size_t element,
                            struct plane *plane)
{
    if (array)
        return array_plane(runtime, array, from->x * element, from, extent, plane);
    if (!copy_plane(pointer, from, element, plane))
        return cudaErrorInvalidValue;
    if ((extent->height > 1 && extent->width > plane->pitch) ||
        (extent->depth > 1 && extent->height > pointer->ysize))
        return cudaErrorInvalidPitchValue;
    return from->x && from->x * element + extent->width > plane->pitch ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t copy_from_parameters(struct runtime *runtime, const struct cudaMemcpy3DParms *parameters,
                                 struct copy_work *copy)
{
    cudaArray_const_t from = parameters->srcArray, to = parameters->dstArray, array = from ? from : to;
    struct cudaExtent extent = parameters->extent;
    size_t element = 1;
    cudaError_t error;

    if ((from && !handle_is(runtime, from, HANDLE_ARRAY)) || (to && !handle_is(runtime, to, HANDLE_ARRAY)))
        return cudaErrorInvalidResourceHandle;
    if ((from && parameters->srcPtr.ptr) || (to && parameters->dstPtr.ptr) ||
        (from && to && array_texel(from) != array_texel(to)))
        return cudaErrorInvalidValue;
    if ((from && (parameters->kind == cudaMemcpyHostToDevice || parameters->kind == cudaMemcpyHostToHost)) ||
        (to && (parameters->kind == cudaMemcpyDeviceToHost || parameters->kind == cudaMemcpyHostToHost)))
        return cudaErrorInvalidValue;
    if (array)
        element = array_texel(array);
    if (__builtin_mul_overflow(extent.width, element, &extent.width))
        return cudaErrorInvalidValue;
    *copy = (struct copy_work){ .width = extent.width, .height = extent.height, .depth = extent.depth,
                                .kind = parameters->kind };
    error = box_side(runtime, to, &parameters->dstPtr, &parameters->dstPos, &extent, element, &copy->target);
    return error == cudaSuccess ? box_side(runtime, from, &parameters->srcPtr, &parameters->srcPos, &extent, element,
                                           &copy->source)
                                : error;
}

/* ------------------------------------------------------------------ what it touches */

static unsigned sides_of(const struct work *work, struct plane planes[2], size_t *width, size_t *height, size_t *depth)
{
    if (work->kind == WORK_COPY) {
        planes[0] = work->copy.target;
        planes[1] = work->copy.source;
        *width = work->copy.width;
        *height = work->copy.height;
        *depth = work->copy.depth;
    } else {
        planes[0] = work->set.target;
        *width = work->set.width * work->set.element;
        *height = work->set.height;
        *depth = work->set.depth;
    }
    if (!*width || !*height || !*depth)
        return 0;
    return work->kind == WORK_COPY ? 2 : 1;
}

unsigned work_bounds(const struct work *work, struct traffic_span bounds[2])
{
    size_t width, height, depth;
    struct plane planes[2];
    uint64_t bytes;
    unsigned count = sides_of(work, planes, &width, &height, &depth), good = 0;

    for (unsigned n = 0; n < count; n++)
        if (extent_of(&planes[n], width, height, depth, &bytes))
            bounds[good++] = (struct traffic_span){ planes[n].address, planes[n].address + bytes,
                                                    n ? TRAFFIC_READ : TRAFFIC_WRITE };
    return good;
}

bool work_spans(const struct work *work, struct traffic_span **spans, size_t *span_count)
{
    size_t width, height, depth, rows, at = 0;
    struct plane planes[2];
    unsigned count = sides_of(work, planes, &width, &height, &depth);

    *spans = NULL;
    *span_count = 0;
    if (!count)
        return true;
    if (is_dense(&planes[0], width, height, depth) && (count == 1 || is_dense(&planes[1], width, height, depth))) {
        width *= height * depth;
        height = depth = 1;
    }
    if (__builtin_mul_overflow(height, depth, &rows) || rows > ROWS_NOTED)
        return false;
    *spans = malloc(count * rows * sizeof **spans);
    for (unsigned n = 0; *spans && n < count; n++)
        for (size_t z = 0; z < depth; z++)
            for (size_t y = 0; y < height; y++, at++) {
                uint64_t low = row_of(&planes[n], y, z);

                (*spans)[at] = (struct traffic_span){ low, low + width, n ? TRAFFIC_READ : TRAFFIC_WRITE };
            }
    *span_count = at;
    return *spans != NULL;
}
