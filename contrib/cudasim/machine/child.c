/*
 * child.c - launches that kernels make: buffers for arguments, and the list of launches. launch.c runs the list.
 */
#include "child.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/base/memory.h"
#include "inside.h"
#include "race_family.h"

enum {
    DEPTH_MOST = 24,        /* grids inside of grids, as CUDA has it */
    BLOCK_Z = 64,           /* threads */
    GRID_Y = 65535,         /* blocks, and so in z */
    PARAMETERS_MOST = 32764, /* bytes of a kernel */
    STREAM_TAIL = 3,        /* cudaStreamTailLaunch */
    ERROR_INVALID_VALUE = 1,
    ERROR_OUT_OF_MEMORY = 2,
    ERROR_NOT_PTX = 218,    /* cudaErrorInvalidPtx */
    ERROR_DEPTH = 65,       /* cudaErrorLaunchMaxDepthExceeded */
};

#define CONDITION_MARK UINT64_C(0x636F6E6400000000) /* handles are no addresses */

void children_init(struct children *children)
{
    pthread_mutex_init(&children->lock, NULL);
    children->end = &children->first;
}

void child_free(struct child *child)
{
    free((void *)(uintptr_t)child->launch.parameters);
    free(child);
}

/* Forgets buffers that were never launched, because their grid is over. */
static void release_buffers(struct sim *sim)
{
    struct child *child;

    while ((child = sim->children.buffers) != NULL) {
        sim->children.buffers = child->next;
        memory_release(sim->memory, child->buffer);
        child_free(child);
    }
}

void children_release(struct sim *sim)
{
    struct child *child;

    if (sim->memory)
        release_buffers(sim);
    while ((child = sim->children.first) != NULL) {
        sim->children.first = child->next;
        child_free(child);
    }
    free(sim->children.conditions);
    free(sim->children.graphs);
    free(sim->children.requests);
    sim_node_changes_free(sim->children.changes, sim->children.change_count);
    pthread_mutex_destroy(&sim->children.lock);
}

/* ---- what threads ask for ---- */

static uint64_t refuse(struct sim *sim, uint32_t error)
{
    pthread_mutex_lock(&sim->children.lock);
    sim->children.error = error;
    pthread_mutex_unlock(&sim->children.lock);
    return 0;
}

struct sim_kernel *child_kernel(const struct launch *launch, uint64_t address)
{
    struct sim_module *module = launch->kernel->module;
    uint64_t index = (address & (WINDOW(1) - 1)) - 1;

    if (address >> WINDOW_SHIFT != WINDOW_FUNCTION || index >= launch->program->function_count)
        return NULL;
    for (size_t n = 0; n < module->kernel_count; n++)
        if (module->kernels[n].function == &launch->program->functions[index])
            return &module->kernels[n];
    return NULL;
}

static bool shape_fits(const struct sim *sim, const struct sim_kernel *kernel, const uint32_t grid[3],
                       const uint32_t block[3], uint32_t dynamic_shared)
{
    uint64_t threads = (uint64_t)block[0] * block[1];
    unsigned most = sim->limits.threads_per_block;

    if (kernel->facts.max_threads && kernel->facts.max_threads < most)
        most = kernel->facts.max_threads;
    if (!grid[0] || !grid[1] || !grid[2] || !block[0] || !block[1] || !block[2] || grid[0] > INT32_MAX ||
        grid[1] > GRID_Y || grid[2] > GRID_Y)
        return false;
    return block[0] <= most && block[1] <= most && block[2] <= BLOCK_Z && threads * block[2] <= most &&
           dynamic_shared <= kernel->facts.max_dynamic_shared;
}

/* The kernel that a thread wants to launch; NULL after a refusal, which is reported. */
static struct sim_kernel *launchable(struct warp *w, const struct ins *ins, unsigned lane, uint64_t function,
                                     const uint32_t grid[3], const uint32_t block[3], uint32_t dynamic_shared)
{
    struct sim *sim = w->worker->sim;
    struct sim_kernel *kernel = child_kernel(w->block->launch, function);

    if (!kernel || kernel->function->refusal || !shape_fits(sim, kernel, grid, block, dynamic_shared)) {
        fault_warn(w, ins, lane, FAULT_REFUSED, 0,
                   "the launch of %s by this kernel is refused: a grid of %u x %u x %u blocks of %u x %u x %u "
                   "threads%s%s",
                   kernel ? kernel->demangled : "something that is not a kernel", grid[0], grid[1], grid[2],
                   block[0], block[1], block[2], kernel && kernel->function->refusal ? "; " : "",
                   kernel && kernel->function->refusal ? kernel->function->refusal : "");
        refuse(sim, kernel && kernel->function->refusal ? ERROR_NOT_PTX : ERROR_INVALID_VALUE);
        return NULL;
    }
    if (sim->children.depth + 1 >= DEPTH_MOST) {
        fault_warn(w, ins, lane, FAULT_REFUSED, 0, "the launch of %s by this kernel is refused: %d grids are nested",
                   kernel->demangled, DEPTH_MOST);
        refuse(sim, ERROR_DEPTH);
        return NULL;
    }
    return kernel;
}

/* A child with a buffer of `size` bytes, which is not launched yet. NULL: no memory. */
static struct child *new_child(struct sim *sim, uint64_t alignment, uint64_t size)
{
    struct child *child = calloc(1, sizeof *child);
    struct region *region = child ? memory_allocate(sim->memory, size ? size : 1, alignment, REGION_HEAP) : NULL;

    if (!region) {
        free(child);
        refuse(sim, ERROR_OUT_OF_MEMORY);
        return NULL;
    }
    child->buffer = region->base;
    child->buffer_bytes = size;
    return child;
}

static uint64_t keep(struct children *all, struct child *child)
{
    pthread_mutex_lock(&all->lock);
    child->next = all->buffers;
    all->buffers = child;
    pthread_mutex_unlock(&all->lock);
    return child->buffer;
}

static void set_launch(struct child *child, struct sim_kernel *kernel, const uint32_t grid[3], const uint32_t block[3],
                       uint32_t dynamic_shared)
{
    child->launch = (struct sim_launch){.kernel = kernel, .dynamic_shared = dynamic_shared};
    for (int n = 0; n < 3; n++) {
        unsigned required = kernel->facts.required_cluster[n];

        child->launch.grid[n] = grid[n];
        child->launch.block[n] = block[n];
        child->launch.cluster[n] = required ? required : 1;
    }
}

uint64_t child_buffer(struct warp *w, const struct ins *ins, unsigned lane, uint64_t function, const uint32_t grid[3],
                      const uint32_t block[3], uint32_t dynamic_shared)
{
    struct sim *sim = w->worker->sim;
    struct sim_kernel *kernel = launchable(w, ins, lane, function, grid, block, dynamic_shared);
    struct child *child = kernel ? new_child(sim, 64, kernel->facts.parameter_bytes) : NULL;

    if (!child)
        return 0;
    set_launch(child, kernel, grid, block, dynamic_shared);
    return keep(&sim->children, child);
}

uint64_t child_space(struct warp *w, uint64_t alignment, uint64_t size)
{
    struct child *child = size > PARAMETERS_MOST ? NULL : new_child(w->worker->sim, alignment > 64 ? 256 : 64, size);

    return child ? keep(&w->worker->sim->children, child) : 0;
}

bool child_name(struct warp *w, const struct ins *ins, unsigned lane, uint64_t buffer, uint64_t function,
                const uint32_t grid[3], const uint32_t block[3], uint32_t dynamic_shared)
{
    struct children *all = &w->worker->sim->children;
    struct sim_kernel *kernel = launchable(w, ins, lane, function, grid, block, dynamic_shared);
    struct child *child;

    if (!kernel)
        return false;
    pthread_mutex_lock(&all->lock);
    for (child = all->buffers; child && child->buffer != buffer; child = child->next)
        ;
    if (child)
        set_launch(child, kernel, grid, block, dynamic_shared);
    pthread_mutex_unlock(&all->lock);
    return true; /* an unknown buffer is found when it is launched */
}

static void append(struct children *all, struct child *child, uint64_t stream)
{
    child->tail = stream == STREAM_TAIL;
    child->next = NULL;
    pthread_mutex_lock(&all->lock);
    *all->end = child;
    all->end = &child->next;
    pthread_mutex_unlock(&all->lock);
}

uint64_t child_handle(struct sim *sim)
{
    return 0x100 + __atomic_fetch_add(&sim->children.handles, 1, __ATOMIC_RELAXED);
}

uint32_t child_launch(struct warp *w, unsigned lane, uint64_t buffer, uint64_t stream)
{
    struct sim *sim = w->worker->sim;
    struct children *all = &sim->children;
    struct child **at, *child;
    size_t bytes, given;
    void *parameters;

    pthread_mutex_lock(&all->lock);
    for (at = &all->buffers; *at && (*at)->buffer != buffer; at = &(*at)->next)
        ;
    child = *at;
    if (child && child->launch.kernel)
        *at = child->next;
    pthread_mutex_unlock(&all->lock);
    if (!child || !child->launch.kernel)
        return (uint32_t)refuse(sim, ERROR_INVALID_VALUE) + ERROR_INVALID_VALUE;
    bytes = child->launch.kernel->facts.parameter_bytes;
    given = child->buffer_bytes < bytes ? child->buffer_bytes : bytes;
    parameters = calloc(1, bytes + 1);
    if (parameters)
        memcpy(parameters, (const void *)(uintptr_t)buffer, given);
    memory_release(sim->memory, buffer);
    if (!parameters) {
        free(child);
        return (uint32_t)refuse(sim, ERROR_OUT_OF_MEMORY) + ERROR_OUT_OF_MEMORY;
    }
    child->launch.parameters = parameters;
    child->launch.stream = w->block->launch->what->stream;
    child->launch.from = family_point(w, lane, stream);
    child->launch.in_graph = w->block->launch->what->in_graph;
    child->launch.graph = w->block->launch->what->graph;
    append(all, child, stream);
    return 0;
}

uint32_t child_copy(struct sim *sim, const struct child_copy *copy, uint64_t stream)
{
    struct child *child = calloc(1, sizeof *child);

    if (!child)
        return (uint32_t)refuse(sim, ERROR_OUT_OF_MEMORY) + ERROR_OUT_OF_MEMORY;
    child->copy = *copy;
    append(&sim->children, child, stream);
    return 0;
}

uint32_t child_error(struct sim *sim, bool clear)
{
    uint32_t error;

    pthread_mutex_lock(&sim->children.lock);
    error = sim->children.error;
    if (clear)
        sim->children.error = 0;
    pthread_mutex_unlock(&sim->children.lock);
    return error;
}

/* Errors that calls of threads give, with the names and texts of cudaGetErrorName() and cudaGetErrorString(). */
static const struct error_row {
    uint32_t error;
    char text[2][64]; /* text, name */
} error_rows[] = {
    {0, {"no error", "cudaSuccess"}},
    {ERROR_INVALID_VALUE, {"invalid argument", "cudaErrorInvalidValue"}},
    {ERROR_OUT_OF_MEMORY, {"out of memory", "cudaErrorMemoryAllocation"}},
    {ERROR_DEPTH, {"launch would exceed maximum depth of nested launches", "cudaErrorLaunchMaxDepthExceeded"}},
    {ERROR_NOT_PTX, {"a PTX JIT compilation failed", "cudaErrorInvalidPtx"}},
    {UINT32_MAX, {"unrecognized error code", "unrecognized error code"}}, /* any other */
};

uint64_t child_error_text(struct sim *sim, uint32_t error, bool name)
{
    size_t row = 0;
    struct region *region;
    uint64_t texts;

    while (error_rows[row].error != error && error_rows[row].error != UINT32_MAX)
        row++;
    pthread_mutex_lock(&sim->children.lock);
    if (!sim->children.texts) {
        region = memory_allocate(sim->memory, sizeof error_rows, 0, REGION_GLOBAL);
        if (region) {
            memcpy((void *)(uintptr_t)region->base, error_rows, sizeof error_rows);
            sim->children.texts = region->base;
        }
    }
    texts = sim->children.texts;
    pthread_mutex_unlock(&sim->children.lock);
    return texts ? texts + row * sizeof *error_rows + offsetof(struct error_row, text) + (name ? 64 : 0) : 0;
}

/* ---- what runs when a grid is over ---- */

static bool is_live(const struct sim *sim, uint64_t address)
{
    const struct region *r = memory_find(sim->memory, address, NULL);

    return r && !__atomic_load_n(&r->freed, __ATOMIC_RELAXED);
}

void child_run_copy(struct sim *sim, const struct child_copy *copy)
{
    for (uint64_t plane = 0; plane < copy->planes; plane++) {
        for (uint64_t row = 0; row < copy->rows; row++) {
            uint64_t to = copy->to + plane * copy->to_slice + row * copy->to_pitch;
            uint64_t from = copy->from + plane * copy->from_slice + row * copy->from_pitch;

            if (!is_live(sim, to) || (copy->from && !is_live(sim, from)))
                return;
            memory_note_written(sim->memory, to, copy->bytes);
            if (copy->from)
                memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, copy->bytes);
            else
                memset((void *)(uintptr_t)to, copy->value, copy->bytes);
        }
    }
}

uint32_t child_answer(struct sim *sim, const struct sim_question *question, void *answer, unsigned *bytes)
{
    const struct children *all = &sim->children;

    return all->answer ? all->answer(all->answer_context, question, answer, bytes) : ERROR_INVALID_VALUE;
}

void sim_set_answers(struct sim *sim, sim_answer *answer, void *context)
{
    sim->children.answer = answer;
    sim->children.answer_context = context;
}

struct child *children_take(struct sim *sim)
{
    struct children *all = &sim->children;
    struct child *first = NULL, **end = &first, *tails = NULL, **tails_end = &tails, *child;

    release_buffers(sim);
    while ((child = all->first) != NULL) {
        struct child ***list = child->tail ? &tails_end : &end;

        all->first = child->next;
        child->next = NULL;
        **list = child;
        *list = &child->next;
    }
    all->end = &all->first;
    *end = tails;
    return first;
}

/* ---- conditions ---- */

uint64_t sim_condition_new(struct sim *sim, uint32_t value, bool resets)
{
    struct children *all = &sim->children;
    struct condition *grown = realloc(all->conditions, (all->condition_count + 1) * sizeof *grown);

    if (!grown)
        return 0;
    all->conditions = grown;
    grown[all->condition_count] = (struct condition){value, value, resets, 0};
    return CONDITION_MARK | all->condition_count++;
}

static struct condition *condition_of(struct sim *sim, uint64_t handle)
{
    uint64_t index = handle ^ CONDITION_MARK;

    return index < sim->children.condition_count ? &sim->children.conditions[index] : NULL;
}

bool sim_condition_get(struct sim *sim, uint64_t handle, uint32_t *value)
{
    const struct condition *at = condition_of(sim, handle);

    if (at)
        *value = __atomic_load_n(&at->value, __ATOMIC_RELAXED);
    return at != NULL;
}

void sim_condition_reset(struct sim *sim, uint64_t handle)
{
    struct condition *at = condition_of(sim, handle);

    if (at && at->resets)
        at->value = at->initial;
}

bool sim_condition_set(struct sim *sim, uint64_t handle, uint32_t value)
{
    struct condition *at = condition_of(sim, handle);

    if (at) {
        __atomic_store_n(&at->value, value, __ATOMIC_RELAXED);
        __atomic_fetch_add(&at->sets, 1, __ATOMIC_RELAXED);
    }
    return at != NULL;
}

uint64_t sim_condition_sets(struct sim *sim, uint64_t handle)
{
    const struct condition *at = condition_of(sim, handle);

    return at ? __atomic_load_n(&at->sets, __ATOMIC_RELAXED) : 0;
}
