/*
 * launch.c - runs a kernel: it starts and retires blocks, manages workers, and gives turns.
 *
 * Blocks start in the order of their numbers. A worker has one block in flight until that block waits for memory to
 * change. Then the worker starts the next block, up to as many as the device could hold. So blocks that wait for each
 * other make progress. A kernel whose result could depend on the order of its blocks runs on one worker, so a run can
 * be repeated. The blocks of other kernels are spread over all workers.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <xmmintrin.h>

#include "launch.h"
#include "access.h"
#include "block.h"
#include "count.h"
#include "inside.h"
#include "fault.h"
#include "probe.h"
#include "race.h"
#include "race_family.h"
#include "warp.h"
#include "contrib/cudasim/base/clock.h"
#include "contrib/cudasim/base/memory.h"
#include "contrib/cudasim/base/mxcsr.h"
#include "contrib/cudasim/base/round.h"
#include "device.h"
#include "draw.h"

#define PATIENCE_SECONDS 2.0     /* of a processor, waiting for memory that nobody changes, before it is a deadlock */
#define BUSY_TURNS 64            /* after as many turns without an end and without visible waiting a block starts */
#define WORTH_SHARING 100e-6     /* seconds of work: for less, other workers are not woken */
#define FEW_GROUPS 64            /* of fewer, the first ones are checked for races on one worker, which sees nothing */
#define FIRST_GROUPS 4           /* half done: so many */
#define KEPT_BYTES (16u << 20)   /* of blocks' storage that a worker keeps for later launches */
#define DEEP_STACK 65536         /* bytes a thread: such stacks are given back */
#define PRINTED_AT_ONCE (1 << 20) /* bytes */

static double seconds_now(void) { return (double)sim_clock_ns() * 1e-9; }

/* The processor time of this thread: a thread without a processor has not waited. */
static double seconds_worked(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- blocks ---- */

/* Where the parts of a block lie in its one allocation. */
struct layout {
    size_t warps, registers, register_stride, params, param_stride, shared, writes, reads, orders, log, cluster, size;
};

/* Entries of who wrote, or read, the units of a block's shared memory; so many that vectors of them may be taken. */
static size_t shared_entries(const struct launch *l)
{
    return round_up(((size_t)l->shared_size >> l->kernel->shared_shift) + 1, 8);
}

static struct layout lay_out(const struct launch *l)
{
    const struct function *f = l->kernel->function;
    const struct sim_options *o = sim_options(l->sim);
    struct layout x;

    x.warps = round_up(sizeof(struct block), 64);
    x.registers = round_up(x.warps + l->warps * sizeof(struct warp), 128);
    x.register_stride = round_up(f->register_bytes, 128);
    /* The number of slots between warps is odd. Else their registers would share the same sets of the cache. */
    if (x.register_stride / 128 % 2 == 0)
        x.register_stride += 128;
    x.params = x.registers + l->warps * x.register_stride;
    x.param_stride = round_up((size_t)LANES * f->param_bytes, 64);
    x.shared = round_up(x.params + l->warps * x.param_stride, 1024);
    x.writes = round_up(x.shared + l->shared_size, 64);
    x.reads = x.writes;
    if (o->check_written || o->check_races)
        x.reads += shared_entries(l) * sizeof(uint64_t);
    x.orders = x.reads;
    if (o->check_races)
        x.orders += shared_entries(l) * sizeof(uint64_t);
    x.log = x.orders;
    if (o->check_races)
        x.log += round_up(l->warps * sizeof(struct order), 64);
    x.cluster = x.log;
    if (o->check_races && l->shared_size)
        x.cluster += SHARED_LOG * sizeof(uint32_t);
    x.size = round_up(x.cluster + l->cluster_blocks * sizeof(struct block *), 64);
    return x;
}

static void drop_locals(struct block *b)
{
    for (uint32_t n = 0; n < b->warp_count; n++) {
        struct warp *w = &b->warps[n];

        if (w->local)
            munmap(w->local, w->local_stride * LANES);
        if (w->local_written)
            munmap(w->local_written, w->local_stride * sizeof *w->local_written);
        w->local = NULL;
        w->local_written = NULL;
    }
}

static void start_warp(struct block *b, const struct layout *x, uint32_t index)
{
    struct launch *l = b->launch;
    const struct function *f = l->kernel->function;
    struct warp *w = &b->warps[index];
    uint32_t threads = l->threads - index * LANES;
    char *local = w->local;
    uint32_t *local_written = w->local_written;
    uint64_t local_stride = w->local_stride;

    memset(w, 0, offsetof(struct warp, others));
    w->local = local;
    w->local_stride = local_stride;
    w->local_written = local_written;
    if (local_written)
        memset(local_written, 0, local_stride * sizeof *local_written);
    w->block = b;
    w->worker = b->worker;
    w->index = index;
    w->exists = w->live = threads >= LANES ? FULL_MASK : (1u << threads) - 1;
    w->top.registers = b->storage + x->registers + index * x->register_stride;
    w->top.params = b->storage + x->params + index * x->param_stride;
    w->top.function = f;
    w->top.lanes = w->exists;
    w->frame = &w->top;
    w->base[0] = w->top.registers;
    w->base[1] = l->program->pool - 1;
    w->cluster_phase = UINT32_MAX;
    w->pc = f->entry;
    warp_set_mask(w, w->exists);
}

/* The block's place in the grid: clusters in order, and the blocks of each by their rank. */
static void place_block(struct block *b, uint64_t group, uint32_t rank)
{
    const struct launch *l = b->launch;
    const unsigned *c = l->what->cluster;
    uint64_t nx = l->grid[0] / c[0], ny = l->grid[1] / c[1];

    b->cluster_rank = rank;
    b->id[0] = (uint32_t)(group % nx) * c[0] + rank % c[0];
    b->id[1] = (uint32_t)(group / nx % ny) * c[1] + rank / c[0] % c[1];
    b->id[2] = (uint32_t)(group / nx / ny) * c[2] + rank / c[0] / c[1];
    b->number = ((uint64_t)b->id[2] * l->grid[1] + b->id[1]) * l->grid[0] + b->id[0];
}

/* What the checks of races, and of what was written, keep of a block. */
static void start_checks(struct block *b, const struct layout *x)
{
    struct launch *l = b->launch;
    const struct sim_options *o = sim_options(l->sim);
    struct order *orders = (struct order *)(void *)(b->storage + x->orders);

    b->unit_shift = l->kernel->shared_shift;
    b->fenced = false;
    b->time = NULL;
    if (o->check_races) {
        b->own_time = l->start_time;
        b->time = l->grid_order ? race_grid_time(l->grid_order) : &b->own_time;
        b->t0 = *b->time;
        for (uint32_t n = 0; n < l->warps; n++)
            b->warps[n].order = &orders[n];
        race_block_start(b);
    }
    if (!l->shared_size || x->writes == x->reads)
        return;
    b->writes = (uint64_t *)(void *)(b->storage + x->writes);
    if (o->check_races)
        b->reads = (uint64_t *)(void *)(b->storage + x->reads);
    memset(b->writes, 0, x->orders - x->writes);
    b->log = (uint32_t *)(void *)(b->storage + x->log);
    race_shared_start(b, l->reserved, l->shared_size);
}

/* Clears what an earlier block left. Barriers are most of it, and few blocks use more than one. */
static void clear_block(struct block *b)
{
    uint32_t used = b->barriers_used;

    memset(b, 0, offsetof(struct block, barriers));
    EVERY_LANE(n, used)
        memset(&b->barriers[n], 0, sizeof b->barriers[n]);
}

static struct block *start_block(struct worker *k, uint64_t group, uint32_t rank)
{
    struct launch *l = k->launch;
    struct layout x = lay_out(l);
    struct block *b = k->free_blocks;
    const struct sim_options *o = sim_options(l->sim);

    if (b) {
        k->free_blocks = b->next;
        clear_block(b);
    } else {
        b = aligned_alloc(1024, round_up(x.size, 1024));
        if (!b)
            return NULL;
        memset(b, 0, x.registers);
        b->storage = (char *)b;
        b->storage_size = x.size;
        b->warps = (struct warp *)(void *)(b->storage + x.warps);
    }
    b->next = NULL;
    b->done = false;
    b->cluster_phase = b->cluster_arrived = 0;
    b->launch = l;
    b->worker = k;
    place_block(b, group, rank);
    b->warp_count = b->live_warps = l->warps;
    b->awaited = b->unfenced = false;
    b->threads = b->live = l->threads;
    b->shared = b->storage + x.shared;
    b->shared_size = l->shared_size;
    /* A real device has garbage here. This value shows when it is used, and is the same in every run. */
    memset(b->shared, o->check_written ? 0xFF : 0, l->shared_size);
    /* The system's part is zeroed by the system. */
    memset(b->shared + l->reserved, 0, l->shared_size - l->reserved);
    for (uint32_t n = 0; n < l->warps; n++)
        start_warp(b, &x, n);
    start_checks(b, &x);
    if (k->probe)
        probe_block(k->probe, b);
    return b;
}

static void retire_block(struct worker *k, struct block *b)
{
    if (k->probe)
        probe_retire(k->probe, b);
    race_block_over(b);
    race_block_end(b);
    for (uint32_t n = 0; n < b->warp_count; n++)
        warp_abandon(&b->warps[n]);
    b->next = k->free_blocks;
    k->free_blocks = b;
}

/* The next block, or all blocks of the next cluster; NULL when none is left or, with a fault recorded, no memory. */
static struct block *start_group(struct worker *k)
{
    struct launch *l = k->launch;
    uint64_t group = atomic_fetch_add(&l->next, 1);
    struct block *leader = NULL, **list = NULL;

    if (group >= l->groups)
        return NULL;
    if (l->what->only)
        group = l->what->only[group];
    for (uint32_t rank = 0; rank < l->cluster_blocks; rank++) {
        struct block *b = start_block(k, group, rank);

        if (!b) {
            atomic_store(&l->stop, true);
            return leader;
        }
        if (rank == 0) {
            leader = b;
            group_begin(b);
            list = (struct block **)(void *)(b->storage + lay_out(l).cluster);
        }
        list[rank] = b;
        b->cluster = l->cluster_blocks > 1 ? list : NULL;
    }
    k->resident++;
    return leader;
}

static void retire_group(struct worker *k, struct block *leader)
{
    struct block *list[LANES];
    uint32_t count = leader->cluster ? k->launch->cluster_blocks : 1;

    if (leader->cluster)
        memcpy(list, leader->cluster, count * sizeof *list);
    else
        list[0] = leader;
    for (uint32_t n = 0; n < count; n++)
        retire_block(k, list[n]);
    k->resident--;
}

/* Frees the storage of all finished blocks but `keep`. */
static void trim_free(struct worker *k, size_t keep)
{
    struct block **at = &k->free_blocks;

    while (*at && keep--)
        at = &(*at)->next;
    while (*at) {
        struct block *b = *at;

        *at = b->next;
        drop_locals(b);
        free(b);
    }
}

/* What an earlier launch left serves this one if its blocks are laid out alike. */
static void take_free(struct worker *k)
{
    struct layout x = lay_out(k->launch);
    uint64_t local = local_need(k->launch);

    if (k->free_size != x.size || k->free_warps != k->launch->warps || k->free_local != local)
        trim_free(k, 0);
    k->free_size = x.size;
    k->free_warps = k->launch->warps;
    k->free_local = local;
}

/* ---- the ring of a worker's groups; k->ring is the one whose turn it is ---- */

static void ring_add(struct worker *k, struct block *b)
{
    if (k->ring) {
        b->next = k->ring->next;
        k->ring->next = b;
    } else {
        b->next = b;
    }
    k->ring = b;
}

static void ring_remove(struct worker *k)
{
    struct block *b = k->ring, *before = b;

    while (before->next != b)
        before = before->next;
    before->next = b->next;
    k->ring = b->next == b ? NULL : b->next;
    retire_group(k, b);
}

static bool start_another(struct worker *k)
{
    struct block *b;

    if (k->resident >= k->launch->resident_limit || atomic_load(&k->launch->stop) || !(b = start_group(k)))
        return false;
    ring_add(k, b);
    return true;
}

/* No warp on this worker can go on now. True: as far as the worker knows, none ever will. */
static bool stuck(struct worker *k, double *since, uint64_t *seen)
{
    struct launch *l = k->launch;
    uint64_t others = atomic_load(&l->progress);
    double patience = PATIENCE_SECONDS;

    if (*since == 0 || others != *seen) {
        *since = seconds_worked();
        *seen = others;
        return false;
    }
    if (l->what->meanwhile && k->index == 0) {
        if (l->what->meanwhile(l->what->context, &patience))
            *since = seconds_worked();
    } else {
        sched_yield();
    }
    return seconds_worked() - *since > patience;
}

/* Whether the worker has nothing to do because of a fault. Gives the first block that goes on its turn. */
static bool stopped(struct worker *k)
{
    struct launch *l = k->launch;

    if (!atomic_load(&l->stop))
        return false;
    for (unsigned n = 0; l->keeps_text && k->ring && n < k->resident; n++) {
        if (!block_stopped(k->ring))
            return false;
        k->ring = k->ring->next;
    }
    return true;
}

static void run_groups(struct worker *k)
{
    struct launch *l = k->launch;
    const struct sim_options *o = sim_options(k->sim);
    unsigned idle = 0, busy = 0, patience = BUSY_TURNS;
    double since = 0;
    uint64_t seen = 0;

    while (l->cooperative && start_another(k))
        ;
    while ((k->ring || (atomic_load(&l->next) < l->until && start_another(k))) && !stopped(k)) {
        enum turn turn;

        k->progress = k->met = false;
        turn = group_turn(k->ring);
        if (k->progress || k->met || turn == TURN_DONE || turn == TURN_BUSY) {
            idle = 0;
            since = 0;
            if (l->active > 1)
                atomic_fetch_add(&l->progress, 1);
        } else {
            idle++;
        }
        if (k->printed.size > PRINTED_AT_ONCE)
            builtin_flush(k);
        if (turn == TURN_FAULT && !l->keeps_text)
            break;
        if (turn == TURN_DONE || turn == TURN_FAULT)
            ring_remove(k);
        else if (turn == TURN_SPINNING && start_another(k))
            idle = 0;
        else if (turn == TURN_BUSY && ++busy >= patience && start_another(k)) /* it may wait in a way not seen here */
            patience *= 2, busy = 0;
        else
            k->ring = k->ring->next;
        if (turn == TURN_DONE)
            busy = 0, patience = BUSY_TURNS;
        if (o->seeded && k->ring) {
            if (draw(&k->random) % 4 == 0)
                start_another(k);
            for (uint64_t n = draw(&k->random) % k->resident; n; n--)
                k->ring = k->ring->next;
        }
        if (idle > k->resident && k->ring && stuck(k, &since, &seen))
            groups_report_waiting(k);
    }
    while (k->ring)
        ring_remove(k);
    trim_free(k, k->free_local > DEEP_STACK ? 0 : KEPT_BYTES / k->free_size);
}

/* ---- workers ---- */

static bool prepare_counters(struct worker *k, struct kernel_use *use)
{
    const struct program *p = k->launch->program;
    struct use_counters *c = &use->counters[k->index];
    uint64_t generation = memory_generation(k->sim->memory);

    if (!c->warp_diff) {
        c->warp_diff = calloc(p->code_count + 1, sizeof *c->warp_diff);
        c->lane_diff = calloc(p->code_count + 1, sizeof *c->lane_diff);
        c->events = calloc(p->event_count + 1, sizeof *c->events);
        if (!c->warp_diff || !c->lane_diff || !c->events)
            return false;
    } else if (c->generation != generation) { /* what the instructions remember may have been freed */
        for (uint32_t n = 0; n < p->event_count; n++)
            memset(&c->events[n].span, 0, sizeof c->events[n].span);
    }
    c->generation = generation;
    k->warp_diff = c->warp_diff;
    k->lane_diff = c->lane_diff;
    k->events = c->events;
    return true;
}

/* The numbers of a block's threads. They stay from launch to launch: a division for each would take long. */
static void number_threads(struct worker *k, const uint32_t *shape)
{
    uint32_t n = 0;

    if (memcmp(k->shape, shape, sizeof k->shape) == 0)
        return;
    memcpy(k->shape, shape, sizeof k->shape);
    for (uint32_t z = 0; z < shape[2]; z++)
        for (uint32_t y = 0; y < shape[1]; y++)
            for (uint32_t x = 0; x < shape[0]; x++, n++) {
                k->numbers[0][n] = x;
                k->numbers[1][n] = y;
                k->numbers[2][n] = z;
            }
}

static void run_worker(struct worker *k, struct launch *l)
{
    unsigned word = _mm_getcsr();

    k->launch = l;
    k->program = l->program;
    k->resident = 0;
    k->ring = NULL;
    k->page = NULL;
    k->at_block = 0;
    k->traffic = l->what->traffic;
    if (k->probe)
        probe_launch(k->probe, l);
    number_threads(k, l->ntid);
    take_free(k);
    memset(k->spans, 0, sizeof k->spans);
    memset(&k->no_event, 0, sizeof k->no_event);
    k->mxcsr = MXCSR_DEFAULT;
    _mm_setcsr(k->mxcsr);
    if (prepare_counters(k, l->kernel->use))
        run_groups(k);
    else
        atomic_store(&l->stop, true);
    builtin_flush(k);
    _mm_setcsr(word);
}

static void *pool_thread(void *argument)
{
    struct worker *k = argument;
    struct sim *sim = k->sim;
    uint64_t done = k->served;

    pthread_mutex_lock(&sim->pool_lock);
    for (;;) {
        while (!sim->pool_end && (sim->pool_serial == done || k->index > sim->pool_wanted)) {
            done = sim->pool_serial;
            pthread_cond_wait(&sim->pool_work, &sim->pool_lock);
        }
        if (sim->pool_end)
            break;
        done = sim->pool_serial;
        pthread_mutex_unlock(&sim->pool_lock);
        run_worker(k, sim->pool_launch);
        pthread_mutex_lock(&sim->pool_lock);
        if (--sim->pool_active == 0)
            pthread_cond_signal(&sim->pool_done);
    }
    pthread_mutex_unlock(&sim->pool_lock);
    return NULL;
}

/* Starts threads for workers 1 .. count - 1; returns how many workers there are. */
static unsigned pool_grow(struct sim *sim, unsigned count)
{
    while (sim->threads + 1 < count) {
        struct worker *k = &sim->workers[sim->threads + 1];

        k->served = sim->pool_serial;
        if (pthread_create(&k->thread, NULL, pool_thread, k))
            break;
        sim->threads++;
    }
    return sim->threads + 1 < count ? sim->threads + 1 : count;
}

void pool_end(struct sim *sim)
{
    pthread_mutex_lock(&sim->pool_lock);
    sim->pool_end = true;
    pthread_cond_broadcast(&sim->pool_work);
    pthread_mutex_unlock(&sim->pool_lock);
    for (unsigned n = 1; n <= sim->threads; n++)
        pthread_join(sim->workers[n].thread, NULL);
    sim->threads = 0;
    for (unsigned n = 0; n < sim->worker_count; n++)
        trim_free(&sim->workers[n], 0);
}

static void run_shared(struct sim *sim, struct launch *l, unsigned workers)
{
    l->active = workers;
    pthread_mutex_lock(&sim->pool_lock);
    sim->pool_launch = l;
    sim->pool_wanted = workers - 1;
    sim->pool_active = workers - 1;
    sim->pool_serial++;
    pthread_cond_broadcast(&sim->pool_work);
    pthread_mutex_unlock(&sim->pool_lock);
    run_worker(&sim->workers[0], l);
    pthread_mutex_lock(&sim->pool_lock);
    while (sim->pool_active)
        pthread_cond_wait(&sim->pool_done, &sim->pool_lock);
    pthread_mutex_unlock(&sim->pool_lock);
}

/* Runs all groups. Where there are few, the first ones run alone: a race between them is always seen. */
static void run_all(struct sim *sim, struct launch *l, unsigned workers)
{
    bool few = l->keeps_text || (l->pages && l->groups < FEW_GROUPS);
    double start = seconds_now(), left;

    l->active = 1;
    l->until = workers > 1 && few ? FIRST_GROUPS : l->groups;
    if (workers == 1 || few)
        run_worker(&sim->workers[0], l);
    if (workers == 1 || atomic_load(&l->stop) || atomic_load(&l->next) >= l->groups)
        return;
    left = (seconds_now() - start) / FIRST_GROUPS * (double)(l->groups - FIRST_GROUPS);
    l->until = l->groups;
    if (few && left < WORTH_SHARING)
        run_worker(&sim->workers[0], l);
    else
        run_shared(sim, l, workers);
}

/* ---- launches ---- */

static struct kernel_use *use_of(struct sim *sim, struct sim_kernel *kernel)
{
    struct kernel_use *u, **end = &sim->uses;

    if (kernel->use)
        return kernel->use;
    u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    u->counters = calloc(sim->worker_count, sizeof *u->counters);
    u->name = strdup(kernel->demangled);
    u->mangled = strdup(kernel->facts.name);
    u->kernel = kernel;
    if (!u->counters || !u->name || !u->mangled) {
        u->kernel = NULL;
        free(u->counters);
        use_free(u);
        return NULL;
    }
    u->frozen.name = u->name;
    while (*end)
        end = &(*end)->next;
    *end = u;
    return kernel->use = u;
}

static void add_launch(struct kernel_use *use, const struct launch *l, double seconds)
{
    struct sim_kernel_counts *c = &use->frozen;

    uint64_t executed = l->groups * l->cluster_blocks;

    if (!c->launches || (uint64_t)c->grid[0] * c->grid[1] * c->grid[2] < l->blocks) {
        memcpy(c->grid, l->what->grid, sizeof c->grid);
        memcpy(c->block, l->what->block, sizeof c->block);
        c->dynamic_shared = l->what->dynamic_shared;
        c->blocks_per_sm = sim_occupancy(l->sim, l->kernel, l->threads, l->what->dynamic_shared, &c->limiter);
    }
    c->launches += !l->what->continues;
    c->blocks += executed;
    c->threads += executed * l->threads;
    c->warps += executed * l->warps;
    c->seconds += seconds;
}

/* The number of workers that are worth using for the launch. */
static unsigned workers_for(const struct sim *sim, const struct launch *l)
{
    const struct sim_kernel_counts *c = &l->kernel->use->frozen;
    uint64_t workers = sim->worker_count;

    if (l->kernel->ordered || l->cooperative || l->grid_order || workers == 1)
        return 1;
    if ((l->pages || l->keeps_text) && l->groups <= FIRST_GROUPS)
        return 1;
    if (c->blocks && c->seconds / (double)c->blocks * (double)(l->groups * l->cluster_blocks) < WORTH_SHARING)
        return 1;
    return (unsigned)(l->groups < workers ? l->groups : workers);
}

/*
 * The memory that %envreg1 and %envreg2 point to in a cooperative launch. The cooperative groups library reads the size
 * of the workspace, and counts a grid's barrier in a word of it (cooperative_groups/details/driver_abi.h).
 */
static uint64_t grid_workspace(struct sim *sim)
{
    uint32_t contents[2] = {sizeof contents, 0};

    if (!sim->workspace)
        sim->workspace = memory_allocate(sim->memory, sizeof contents, 256, REGION_GLOBAL);
    if (!sim->workspace)
        return 0;
    memcpy((void *)(uintptr_t)sim->workspace->base, contents, sizeof contents);
    return sim->workspace->base;
}

static bool run_grid(struct sim *sim, const struct sim_launch *what, struct sim_fault *fault)
{
    struct sim_kernel *kernel = what->kernel;
    struct launch l = {.sim = sim, .what = what, .kernel = kernel, .program = kernel->module->program,
                       .cooperative = what->cooperative,
                       .cluster_blocks = what->cluster[0] * what->cluster[1] * what->cluster[2]};
    struct kernel_use *use = use_of(sim, kernel);
    enum sim_limiter limiter;
    unsigned workers, resident;
    double start = seconds_now();
    size_t bytes = kernel->facts.parameter_bytes;

    memset(fault, 0, sizeof *fault);
    /* Room behind the parameters for loads of vectors that reach beyond the last one. */
    l.parameters = calloc(1, bytes + 64);
    if (!use || !l.parameters || !race_launch_begin(&l)) {
        free(l.parameters);
        fault->kind = FAULT_STACK_OVERFLOW;
        fault->error = true;
        snprintf(fault->kernel, sizeof fault->kernel, "%s", kernel->demangled);
        snprintf(fault->text, sizeof fault->text, "out of memory");
        sim_report_fault(sim, fault);
        return false;
    }
    memcpy(l.parameters, what->parameters, bytes);
    for (int n = 0; n < 3; n++) {
        l.grid[n] = what->grid[n];
        l.ntid[n] = what->block[n];
    }
    l.threads = l.ntid[0] * l.ntid[1] * l.ntid[2];
    l.warps = (l.threads + LANES - 1) / LANES;
    l.blocks = (uint64_t)l.grid[0] * l.grid[1] * l.grid[2];
    l.groups = what->only ? what->only_count : l.blocks / l.cluster_blocks;
    l.shared_size = (uint32_t)kernel->static_shared + what->dynamic_shared;
    l.reserved = l.shared_size;
    if (kernel->uses_reserved) {
        l.reserved = (uint32_t)round_up(l.shared_size, 128);
        l.shared_size = l.reserved + (sim->limits.shared_reserved > 512 ? sim->limits.shared_reserved : 512);
    }
    pthread_mutex_init(&l.lock, NULL);
    l.keeps_text = kernel->prints && !kernel->ordered && !l.cooperative && !l.grid_order && !sim->options.seeded;
    l.fault_block = UINT64_MAX;
    workers = workers_for(sim, &l);
    if (workers > 1)
        workers = pool_grow(sim, workers);
    resident = sim_occupancy(sim, kernel, l.threads, what->dynamic_shared, &limiter) * sim->limits.multiprocessors;
    l.resident_limit = resident / l.cluster_blocks / workers;
    if (!l.resident_limit)
        l.resident_limit = 1;
    l.workspace = l.cooperative ? grid_workspace(sim) : 0;
    run_all(sim, &l, workers);
    if (l.keeps_text)
        builtin_flush_all(sim, &l);
    add_launch(use, &l, seconds_now() - start);
    race_launch_end(&l);
    pthread_mutex_destroy(&l.lock);
    free(l.parameters);
    *fault = l.fault;
    if (atomic_load(&l.stop) && l.fault.kind == FAULT_NONE) {
        fault->kind = FAULT_STACK_OVERFLOW;
        fault->error = true;
        snprintf(fault->kernel, sizeof fault->kernel, "%s", kernel->demangled);
        snprintf(fault->text, sizeof fault->text, "out of memory for blocks");
        sim_report_fault(sim, fault);
    }
    return !fault->error;
}

/* Runs the grid, then the children that its threads launched, each with its own children. */
bool sim_run(struct sim *sim, const struct sim_launch *what, struct sim_fault *fault)
{
    bool good = run_grid(sim, what, fault);
    struct child *children = children_take(sim), *child;

    sim->children.depth++;
    while ((child = children) != NULL) {
        children = child->next;
        if (good && child->copy.bytes)
            child_run_copy(sim, &child->copy);
        else
            good = good && sim_run(sim, &child->launch, fault);
        child_free(child);
    }
    sim->children.depth--;
    if (sim->children.depth == 0) {
        family_end(sim->children.family);
        sim->children.family = NULL;
    }
    return good;
}
