/*
 * builtin_device.c - the functions of the device runtime that kernels call: launches, copies, memory, questions. The
 * runtime of the host answers the questions (sim_answers), because it knows CUDA's numbers.
 */
#include "builtin_call.h"

#include <inttypes.h>

#include "contrib/cudasim/base/memory.h"
#include "access.h"
#include "child.h"
#include "device.h"
#include "fault.h"
#include "race_family.h"

enum {
    ERROR_INVALID_VALUE = 1, /* cudaErrorInvalidValue */
    ERROR_NO_MEMORY = 2,     /* cudaErrorMemoryAllocation */
    ERROR_PITCH = 12,        /* cudaErrorInvalidPitchValue */
    ERROR_NO_DEVICE = 101,   /* cudaErrorInvalidDevice */
};

/* Argument `n`, a dim3. */
static void dimensions(const struct warp *w, const struct call_site *site, unsigned lane, uint32_t n, uint32_t size[3])
{
    n += site->result_count;
    if (n < site->count && site->size[n] == 3 * sizeof *size)
        memcpy(size, parameters(w, lane) + site->offset[n], 3 * sizeof *size);
}

static uint64_t buffer_for(struct warp *w, const struct ins *ins, const struct call_site *site, unsigned lane)
{
    uint32_t grid[3] = {0}, block[3] = {0};

    dimensions(w, site, lane, 1, grid);
    dimensions(w, site, lane, 2, block);
    return child_buffer(w, ins, lane, argument(w, site, lane, 0), grid, block, (uint32_t)argument(w, site, lane, 3));
}

/* cudaLaunchDevice(function, buffer, grid, block, shared memory, stream) */
static uint64_t launch_named(struct warp *w, const struct ins *ins, const struct call_site *site, unsigned lane)
{
    uint32_t grid[3] = {0}, block[3] = {0};
    uint64_t buffer = argument(w, site, lane, 1);

    dimensions(w, site, lane, 2, grid);
    dimensions(w, site, lane, 3, block);
    if (!buffer) /* a kernel without parameters needs none */
        buffer = child_space(w, 1, 0);
    if (!child_name(w, ins, lane, buffer, argument(w, site, lane, 0), grid, block,
                    (uint32_t)argument(w, site, lane, 4)))
        return child_error(w->worker->sim, false);
    return child_launch(w, lane, buffer, argument(w, site, lane, 5));
}

/* Each lane's argument 0 is an address. Makes it w->address[], where `bytes` may be written. False after a fault. */
static bool results_at(struct warp *w, const struct ins *ins, const struct call_site *site, unsigned bytes)
{
    for (uint32_t m = w->mask; m; m &= m - 1)
        w->address[__builtin_ctz(m)] = argument(w, site, (unsigned)__builtin_ctz(m), 0);
    return access_slow(w, ins, bytes, ACCESS_WRITE);
}

/* Writes a value, or a handle of each lane's own, to where each lane's argument 0 points. False after a fault. */
#define HANDLES UINT64_MAX
static bool write_back(struct warp *w, const struct ins *ins, const struct call_site *site, uint64_t given,
                       unsigned bytes)
{
    if (!results_at(w, ins, site, bytes))
        return false;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        uint64_t value = given == HANDLES ? child_handle(w->worker->sim) : given;

        memcpy((void *)(uintptr_t)w->address[__builtin_ctz(m)], &value, bytes);
        give(w, site, (unsigned)__builtin_ctz(m), 0);
    }
    return true;
}

/* cudaMalloc(): from the heap of malloc(). False after a fault. */
static bool allocate_lanes(struct warp *w, const struct ins *ins, const struct call_site *site)
{
    if (!results_at(w, ins, site, sizeof(uint64_t)))
        return false;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = heap_allocate(w, ins, lane, argument(w, site, lane, 1), HEAP_ALIGN);

        memcpy((void *)(uintptr_t)w->address[lane], &address, sizeof address);
        give(w, site, lane, address ? 0 : ERROR_NO_MEMORY);
    }
    return true;
}

/* Whether a copy may touch these bytes. Shared and local memory are no places for it. False after a fault. */
static bool copy_reaches(struct warp *w, const struct ins *ins, unsigned lane, uint64_t address, uint64_t bytes)
{
    struct bytes there = address >> WINDOW_SHIFT ? (struct bytes){0} : builtin_bytes(w, lane, address);

    if (there.at && there.size >= bytes)
        return true;
    fault_at(w, ins, lane, FAULT_OUT_OF_BOUNDS, address,
             "a copy or memset of %" PRIu64 " bytes at 0x%" PRIx64 ", where %" PRIu64 " bytes of global memory are",
             bytes, address, there.at ? there.size : 0);
    return false;
}

/* cudaMemcpy3DParms, in the memory of the device. */
struct box_parameters {
    uint64_t from_array, from_position[3]; /* bytes, rows, planes; an array is no place for a copy here */
    uint64_t from, from_pitch, from_size[2]; /* address, bytes, bytes and rows */
    uint64_t to_array, to_position[3];
    uint64_t to, to_pitch, to_size[2];
    uint64_t extent[3];                    /* bytes, rows, planes */
    uint32_t kind, unused;
};

static uint32_t box_copy(const struct warp *w, const struct call_site *site, unsigned lane, struct child_copy *copy)
{
    struct bytes there = builtin_bytes(w, lane, argument(w, site, lane, 0));
    struct box_parameters p;

    if (!there.at || there.size < sizeof p)
        return ERROR_INVALID_VALUE;
    memcpy(&p, there.at, sizeof p);
    if (p.from_array || p.to_array)
        return ERROR_INVALID_VALUE;
    *copy = (struct child_copy){
        .to = p.to + (p.to_position[2] * p.to_size[1] + p.to_position[1]) * p.to_pitch + p.to_position[0],
        .from = p.from + (p.from_position[2] * p.from_size[1] + p.from_position[1]) * p.from_pitch +
                p.from_position[0],
        .bytes = p.extent[0],
        .rows = p.extent[1],
        .planes = p.extent[2],
        .to_pitch = p.to_pitch,
        .from_pitch = p.from_pitch,
        .to_slice = p.to_pitch * p.to_size[1],
        .from_slice = p.from_pitch * p.from_size[1],
    };
    return 0;
}

/* Argument `n`, a structure of `count` words. */
static void words(const struct warp *w, const struct call_site *site, unsigned lane, uint32_t n, uint64_t *to,
                  uint32_t count)
{
    n += site->result_count;
    if (n < site->count && site->size[n] == count * sizeof *to)
        memcpy(to, parameters(w, lane) + site->offset[n], count * sizeof *to);
}

/* cudaMemset3DAsync(cudaPitchedPtr, value, cudaExtent, stream) */
static void box_set(const struct warp *w, const struct call_site *site, unsigned lane, struct child_copy *copy)
{
    uint64_t pointer[4] = {0}, extent[3] = {0};

    words(w, site, lane, 0, pointer, 4);
    words(w, site, lane, 2, extent, 3);
    *copy = (struct child_copy){.to = pointer[0], .bytes = extent[0], .rows = extent[1], .planes = extent[2],
                                .to_pitch = pointer[1], .to_slice = pointer[1] * pointer[3],
                                .value = (int)argument(w, site, lane, 1)};
}

/* What the call asks for, and which of its arguments is the stream. Returns a cudaError_t. */
static uint32_t copy_of(const struct warp *w, const struct call_site *site, unsigned lane, struct child_copy *copy,
                        uint32_t *stream)
{
#define A(n) argument(w, site, lane, n)
    *copy = (struct child_copy){.to = A(0), .rows = 1, .planes = 1};
    switch ((enum builtin)site->builtin) {
    case BUILTIN_MEMCPY:
        copy->from = A(1), copy->bytes = A(2), *stream = 4;
        return 0;
    case BUILTIN_MEMSET:
        copy->value = (int)A(1), copy->bytes = A(2), *stream = 3;
        return 0;
    case BUILTIN_MEMCPY_2D:
        copy->to_pitch = A(1), copy->from = A(2), copy->from_pitch = A(3), copy->bytes = A(4), copy->rows = A(5);
        *stream = 7;
        return copy->bytes > copy->to_pitch || copy->bytes > copy->from_pitch ? ERROR_PITCH : 0;
    case BUILTIN_MEMSET_2D:
        copy->to_pitch = A(1), copy->value = (int)A(2), copy->bytes = A(3), copy->rows = A(4), *stream = 5;
        return copy->bytes > copy->to_pitch && copy->rows > 1 ? ERROR_PITCH : 0;
    case BUILTIN_MEMSET_3D:
        *stream = 3;
        box_set(w, site, lane, copy);
        return 0;
    default:
        *stream = 1;
        return box_copy(w, site, lane, copy);
    }
#undef A
}

/* The copies and fills of all shapes. False after a fault. */
static bool device_copy(struct warp *w, const struct ins *ins, const struct call_site *site, unsigned lane,
                        uint64_t *result)
{
    struct child_copy copy;
    uint32_t stream;

    *result = copy_of(w, site, lane, &copy, &stream);
    if (*result || !copy.bytes)
        return true;
    for (uint64_t plane = 0; plane < copy.planes; plane++)
        for (uint64_t row = 0; row < copy.rows; row++)
            if (!copy_reaches(w, ins, lane, copy.to + plane * copy.to_slice + row * copy.to_pitch, copy.bytes) ||
                (copy.from && !copy_reaches(w, ins, lane, copy.from + plane * copy.from_slice + row * copy.from_pitch,
                                            copy.bytes)))
                return false;
    *result = child_copy(w->worker->sim, &copy, argument(w, site, lane, stream));
    return true;
}

/* ---- questions ---- */

/* Writes to where one lane's pointer points. False after a fault. */
static bool write_lane(struct warp *w, const struct ins *ins, unsigned lane, uint64_t to, const char *from,
                       unsigned bytes)
{
    uint32_t mask = w->mask;
    unsigned piece = bytes % 8 ? 4 : 8;
    bool good = true;

    w->mask = 1u << lane;
    for (unsigned at = 0; good && at < bytes; at += piece) {
        w->address[lane] = to + at;
        good = access_slow(w, ins, piece, ACCESS_WRITE);
        if (good)
            memcpy((void *)(uintptr_t)w->address[lane], from + at, piece);
    }
    w->mask = mask;
    return good;
}

static struct sim_question question_of(const struct warp *w, const struct call_site *site, unsigned lane)
{
    struct sim_question question = {.query = (enum sim_query)(site->builtin - BUILTIN_ATTRIBUTE),
                                    .what = (int)argument(w, site, lane, 1)};

    if (question.query == QUERY_FUNCTION || question.query == QUERY_OCCUPANCY)
        question.kernel = child_kernel(w->block->launch, argument(w, site, lane, 1));
    if (question.query == QUERY_OCCUPANCY) {
        question.what = (int)argument(w, site, lane, 2);
        question.dynamic_shared = argument(w, site, lane, 3);
    }
    return question;
}

/* One lane's question; its first argument is where the answer goes. False after a fault. */
static bool device_question(struct warp *w, const struct ins *ins, const struct call_site *site, unsigned lane,
                            uint64_t *result)
{
    struct sim_question question = question_of(w, site, lane);
    uint64_t answer[ANSWER_MOST / sizeof(uint64_t)];
    unsigned bytes = 0;

    if (!argument(w, site, lane, 0))
        *result = ERROR_INVALID_VALUE;
    else if (question.query == QUERY_ATTRIBUTE && argument(w, site, lane, 2))
        *result = ERROR_NO_DEVICE;
    else
        *result = child_answer(w->worker->sim, &question, answer, &bytes);
    return *result || write_lane(w, ins, lane, argument(w, site, lane, 0), (const char *)answer, bytes);
}

/* ---- nodes of graphs ---- */

/* cudaGraphKernelNodeUpdate, in the memory of the device. */
struct node_update {
    uint64_t node;
    uint32_t field, unused;
    union {
        uint32_t grid[3];
        uint32_t enabled;
        struct {
            uint64_t value, offset, size; /* value: an address */
        } parameter;
    } to;
};

/* One change, whose new parameters are in memory at `value`. Returns a cudaError_t. */
static uint32_t change_node(const struct warp *w, unsigned lane, struct node_change *change, uint64_t value)
{
    if (change->field == NODE_PARAMETER) {
        struct bytes there = builtin_bytes(w, lane, value);

        if (!change->bytes || !there.at || there.size < change->bytes)
            return ERROR_INVALID_VALUE;
        change->data = (const unsigned char *)there.at;
    }
    return child_change(w->worker->sim, change);
}

static uint32_t change_nodes(const struct warp *w, unsigned lane, uint64_t updates, uint64_t count)
{
    struct bytes there = builtin_bytes(w, lane, updates);
    uint32_t error = there.at && there.size / sizeof(struct node_update) >= count ? 0 : ERROR_INVALID_VALUE;

    for (uint64_t n = 0; n < count && !error; n++) {
        struct node_change change = {0};
        struct node_update update;

        memcpy(&update, (const char *)there.at + n * sizeof update, sizeof update);
        if (update.field < NODE_GRID || update.field > NODE_ENABLED)
            return ERROR_INVALID_VALUE;
        change = (struct node_change){.node = update.node, .field = (enum node_field)update.field};
        memcpy(change.grid, update.to.grid, sizeof change.grid);
        if (change.field == NODE_PARAMETER) {
            change.offset = update.to.parameter.offset;
            change.bytes = update.to.parameter.size;
        }
        error = change_node(w, lane, &change, update.to.parameter.value);
    }
    return error;
}

static uint32_t node_call(const struct warp *w, const struct call_site *site, unsigned lane)
{
    struct node_change change = {.node = argument(w, site, lane, 0)};
    uint32_t n = site->result_count + 1;

    switch ((enum builtin)site->builtin) {
    case BUILTIN_NODE_PARAMETER:
        change.field = NODE_PARAMETER;
        change.offset = argument(w, site, lane, 1);
        change.bytes = argument(w, site, lane, 3);
        return change_node(w, lane, &change, argument(w, site, lane, 2));
    case BUILTIN_NODE_ENABLED:
        change.field = NODE_ENABLED;
        change.grid[0] = (argument(w, site, lane, 1) & 0xff) != 0;
        return change_node(w, lane, &change, 0);
    case BUILTIN_NODE_GRID:
        change.field = NODE_GRID;
        if (n < site->count && site->size[n] == sizeof change.grid)
            memcpy(change.grid, parameters(w, lane) + site->offset[n], sizeof change.grid);
        return change_node(w, lane, &change, 0);
    default:
        return change_nodes(w, lane, argument(w, site, lane, 0), argument(w, site, lane, 1));
    }
}

/* ---- calls ---- */

/* One lane's call. False after a fault. */
static bool device_runtime(struct warp *w, const struct ins *ins, const struct call_site *site, unsigned lane)
{
    struct sim *sim = w->worker->sim;
    uint64_t result = 0;
    bool good = true;

    switch ((enum builtin)site->builtin) {
    case BUILTIN_CHILD_BUFFER:
        result = buffer_for(w, ins, site, lane);
        break;
    case BUILTIN_CHILD_LAUNCH:
        result = child_launch(w, lane, argument(w, site, lane, 0), argument(w, site, lane, 1));
        break;
    case BUILTIN_STREAM_WAIT:
        family_streams_wait(w->block->launch);
        break;
    case BUILTIN_CHILD_SPACE:
        result = child_space(w, argument(w, site, lane, 0), argument(w, site, lane, 1));
        break;
    case BUILTIN_CHILD_LAUNCH_NAMED:
        result = launch_named(w, ins, site, lane);
        break;
    case BUILTIN_GRAPH_LAUNCH:
        result = child_graph(w, argument(w, site, lane, 0), argument(w, site, lane, 1));
        break;
    case BUILTIN_NODE_PARAMETER:
    case BUILTIN_NODE_ENABLED:
    case BUILTIN_NODE_GRID:
    case BUILTIN_NODE_CHANGES:
        result = node_call(w, site, lane);
        break;
    case BUILTIN_LAST_ERROR:
    case BUILTIN_PEEK_ERROR:
        result = child_error(sim, site->builtin == BUILTIN_LAST_ERROR);
        break;
    case BUILTIN_DEVICE_FREE:
        good = heap_free(w, ins, lane, argument(w, site, lane, 0));
        break;
    case BUILTIN_MEMCPY:
    case BUILTIN_MEMCPY_2D:
    case BUILTIN_MEMCPY_3D:
    case BUILTIN_MEMSET:
    case BUILTIN_MEMSET_2D:
    case BUILTIN_MEMSET_3D:
        good = device_copy(w, ins, site, lane, &result);
        break;
    case BUILTIN_ERROR_TEXT:
    case BUILTIN_ERROR_NAME:
        result = child_error_text(sim, (uint32_t)argument(w, site, lane, 0), site->builtin == BUILTIN_ERROR_NAME);
        break;
    case BUILTIN_ATTRIBUTE:
    case BUILTIN_LIMIT:
    case BUILTIN_CACHE_CONFIG:
    case BUILTIN_SHARED_CONFIG:
    case BUILTIN_FUNCTION:
    case BUILTIN_OCCUPANCY:
    case BUILTIN_VERSION:
        good = device_question(w, ins, site, lane, &result);
        break;
    case BUILTIN_SET_CONDITION:
        good = sim_condition_set(sim, argument(w, site, lane, 0), (uint32_t)argument(w, site, lane, 1));
        if (!good)
            fault_at(w, ins, lane, FAULT_INVALID_CALL, argument(w, site, lane, 0),
                     "cudaGraphSetConditional() of a value that is not a handle of a conditional node");
        break;
    default:
        break;
    }
    give(w, site, lane, result);
    return good;
}

bool builtin_device(struct warp *w, const struct ins *ins, const struct call_site *site)
{
    switch ((enum builtin)site->builtin) {
    case BUILTIN_CREATE:
        return write_back(w, ins, site, HANDLES, sizeof(uint64_t));
    case BUILTIN_DEVICE_MALLOC:
        return allocate_lanes(w, ins, site);
    case BUILTIN_DEVICE:
    case BUILTIN_DEVICE_COUNT:
        return write_back(w, ins, site, site->builtin == BUILTIN_DEVICE_COUNT, sizeof(uint32_t));
    default:
        for (uint32_t m = w->mask; m; m &= m - 1)
            if (!device_runtime(w, ins, site, (unsigned)__builtin_ctz(m)))
                return false;
        return true;
    }
}
