/*
 * race_family.c - what is ordered between a grid and the grids that it launches: race_family.h.
 *
 * child.c notes launches, race_launch.c begins and ends grids, race_check.c asks. It does not know what is accessed.
 */
#include "race_family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"
#include "race_entry.h"
#include "contrib/cudasim/ptx/ptx.h"

enum {
    POINTS_MOST = 4096,     /* launches of a family that are noted; later children count as ordered */
    STREAM_TAIL = 3,        /* cudaStreamTailLaunch */
    STREAM_FORGET = 4,      /* cudaStreamFireAndForget */
    STREAM_NAMED = 0x100,   /* handles from here on are of streams that kernels made */
};

/* In a family it is the smallest access of all kernels that may become children. */
uint8_t family_shift(const struct family *f, const struct sim_kernel *kernel)
{
    const struct sim_module *module = kernel->module;
    uint8_t shift = kernel->global_shift;

    if (f)
        return f->shift;
    for (size_t n = 0; kernel->launches && n < module->kernel_count; n++)
        if (module->kernels[n].global_shift < shift)
            shift = module->kernels[n].global_shift;
    return shift;
}

static bool add_grid(struct family *f, const struct launch *l)
{
    const struct launch_point *point = l->what->from;
    struct family_grid *grown = f->grids;

    if (f->count == f->capacity) {
        uint32_t capacity = f->capacity ? 2 * f->capacity : 16;

        if (!(grown = realloc(grown, capacity * sizeof *grown)))
            return false;
        f->grids = grown;
        f->capacity = capacity;
    }
    grown[f->count] = (struct family_grid){
        .point = point,
        .first = l->start_time,
        .depth = point ? grown[point->grid].depth + 1 : 0,
        .name_base = f->names,
        .sides = {l->what->grid[0], l->what->grid[1]},
        .ntid = {l->what->block[0], l->what->block[1], l->what->block[2]},
        .name = strdup(l->kernel->demangled),
    };
    f->names += l->what->grid[0] * l->what->grid[1] * l->what->grid[2];
    return grown[f->count++].name != NULL;
}

bool family_begin(struct family **family, struct launch *l)
{
    struct family *f = *family;

    if (!f && !l->kernel->launches)
        return true;
    if (!f) {
        if (!(f = *family = calloc(1, sizeof *f)))
            return false;
        f->start = l->start_time;
        f->shift = l->global_shift;
    }
    l->family = f;
    l->family_index = f->count;
    l->name_base = f->names;
    return add_grid(f, l);
}

void family_end(struct family *f)
{
    for (uint32_t n = 0; f && n < f->count; n++)
        free(f->grids[n].name);
    while (f && f->last) {
        struct launch_point *p = f->last;

        f->last = p->next;
        free(p);
    }
    if (f)
        free(f->grids);
    free(f);
}

struct launch_point *family_point(struct warp *w, unsigned lane, uint64_t stream)
{
    const struct block *b = w->block;
    struct family *f = b->launch->family;
    struct launch_point *p;

    if (!f || !w->order || __atomic_fetch_add(&f->points, 1, __ATOMIC_RELAXED) >= POINTS_MOST ||
        !(p = malloc(sizeof *p)))
        return NULL;
    *p = (struct launch_point){
        .grid = b->launch->family_index,
        .block = race_block_name(b),
        .warp = w->index,
        .lane = lane,
        .time = *b->time,
        .t0 = b->t0,
        .cluster_t0 = b->cluster_t0,
        .others = w->order->known.count || w->order->known.everything || w->order->pending_any,
        .kind = stream == STREAM_TAIL     ? CHILD_TAIL
                : stream == STREAM_FORGET ? CHILD_FORGOTTEN
                : stream >= STREAM_NAMED  ? CHILD_NAMED
                                          : CHILD_NULL,
        .stream = stream,
        .order = *w->order,
    };
    p->order.known.items = p->order.pending_known.items = NULL; /* the warp's */
    p->next = __atomic_load_n(&f->last, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&f->last, &p->next, p, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    ++*b->time;
    return p;
}

void family_streams_wait(const struct launch *l)
{
    if (l->family)
        __atomic_store_n(&l->family->grids[l->family_index].waits, true, __ATOMIC_RELAXED);
}

/* The grid that ran at `time`. */
static const struct family_grid *grid_at(const struct family *f, uint32_t time)
{
    uint32_t low = 0, high = f->count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (f->grids[middle].first <= time)
            low = middle;
        else
            high = middle;
    }
    return &f->grids[low];
}

/* Whether the access of `e`, by the launching grid, is before the launch. Atomics order more than is known of them. */
static bool before_launch(const struct launch_point *p, uint64_t e)
{
    uint32_t time = entry_time(e);
    unsigned lane = e & LANES_MANY ? LANES : entry_lane(e);

    if (p->kind == CHILD_TAIL)
        return true;
    if (entry_block(e) != p->block || e & BLOCKS_MANY)
        return p->others || e & STRONG || time < p->cluster_t0;
    if (time < p->t0 || (e & STRONG && time <= p->time))
        return true;
    if (e & WARPS_MANY)
        return p->order.acquired > time;
    if (entry_warp(e) != p->warp)
        return race_warps_ordered(&p->order, time, entry_warp(e), lane);
    if (lane == p->lane)
        return time <= p->time;
    return race_lanes_ordered(&p->order, p->warp, time, lane, p->lane);
}

/* Whether the child of `a` is over before that of `b` begins, by the same grid. That of `a` ran first. */
static bool siblings_ordered(const struct family *f, const struct launch_point *a, const struct launch_point *b)
{
    if (b->kind == CHILD_TAIL)
        return true;
    if (a->kind == CHILD_FORGOTTEN || b->kind == CHILD_FORGOTTEN || a->kind == CHILD_TAIL)
        return a->kind == CHILD_TAIL;
    if (f->grids[a->grid].waits)
        return true;
    if (a->kind != b->kind)
        return false;
    return a->kind == CHILD_NAMED ? a->stream == b->stream : a->block == b->block;
}

bool family_ordered(const struct launch *l, uint64_t e)
{
    const struct family *f = l->family;
    const struct family_grid *mine = &f->grids[l->family_index], *other = grid_at(f, entry_time(e));
    const struct launch_point *a = NULL, *b = NULL; /* the last launches on the ways to `other` and to this grid */

    while (other != mine) {
        bool deeper = mine->depth > other->depth, same = mine->depth == other->depth;

        if (!deeper) {
            if (!(a = other->point))
                return true;
            other = &f->grids[a->grid];
        }
        if (deeper || same) {
            if (!(b = mine->point))
                return true;
            mine = &f->grids[b->grid];
        }
    }
    return !b || (a ? siblings_ordered(f, a, b) : before_launch(b, e));
}

void family_note(const struct warp *w, const struct ins *ins, unsigned bytes, enum access access)
{
    struct family *f = w->block->launch->family;
    struct family_access *a;

    if (!w->block->launch->kernel->launches) /* else one worker runs the whole grid */
        return;
    a = &f->accesses[f->accesses_noted++ % FAMILY_ACCESSES];
    *a = (struct family_access){entry_who(w->block, w->index, *w->block->time), UINT64_MAX, 0, ins, access};
    EVERY_LANE(l, w->mask)
    {
        a->low = w->address[l] < a->low ? w->address[l] : a->low;
        a->high = w->address[l] + bytes > a->high ? w->address[l] + bytes : a->high;
    }
}

/* " at file.cu:12", where the line of that access is known. */
static void line_of(const struct launch *l, uint64_t e, uint64_t place, enum access access, char *text, size_t size)
{
    const struct family *f = l->family;
    uint32_t kept = f->accesses_noted < FAMILY_ACCESSES ? f->accesses_noted : FAMILY_ACCESSES;
    const char *path = NULL;

    text[0] = '\0';
    for (uint32_t n = 1; n <= kept; n++) {
        const struct family_access *a = &f->accesses[(f->accesses_noted - n) % FAMILY_ACCESSES];

        if (((a->who ^ e) & (TIME_BITS | BLOCK_BITS | WARP_BITS)) || place < a->low || place >= a->high ||
            (a->access == ACCESS_READ) != (access == ACCESS_READ) || !a->ins->source_line)
            continue;
        if ((path = ptx_file_path(l->program->ptx, a->ins->source_file)))
            snprintf(text, size, " at %s:%u", strrchr(path, '/') ? strrchr(path, '/') + 1 : path, a->ins->source_line);
        return;
    }
}

void family_describe(const struct launch *l, uint64_t e, uint64_t place, enum access access, char *thread,
                     size_t thread_size, char *why, size_t why_size)
{
    const struct family *f = l->family;
    const struct family_grid *g = grid_at(f, entry_time(e)), *at = &f->grids[l->family_index];
    uint32_t block = (entry_block(e) - g->name_base) & (BLOCK_NAMES - 1), t = entry_warp(e) * LANES + entry_lane(e);
    char line[128];

    while (at != g && at->point)
        at = &f->grids[at->point->grid];
    line_of(l, e, place, access, line, sizeof line);
    snprintf(thread, thread_size, "thread (%u,%u,%u) of block (%u,%u,%u)%s of %s, %s, %s%s", t % g->ntid[0],
             t / g->ntid[0] % g->ntid[1], t / g->ntid[0] / g->ntid[1], block % g->sides[0],
             block / g->sides[0] % g->sides[1], block / g->sides[0] / g->sides[1], e & MANY ? " and others" : "",
             g->name, at == g ? "which launched this grid" : "another grid", access == ACCESS_READ ? "read" : "wrote",
             line);
    snprintf(why, why_size, "%s",
             at == g ? "with nothing to order that before the launch"
                     : "with nothing to order the two grids: no common stream, and this is no tail launch");
}
