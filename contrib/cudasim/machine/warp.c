/*
 * warp.c - diverging and converging lanes: splits, calls, returns, and which split of a warp runs next.
 *
 * Order: the split in the deepest call first, then the one with the lowest program counter. Code that nvcc lays out in
 * order meets again at the lowest common place. Fairness: a split that jumps backwards often, or spins on memory, gives
 * the others a number of branches out of turn.
 */
#pragma GCC optimize("O3") /* vectors, whatever the rest is compiled with */

#include <stdlib.h>
#include <string.h>

#include "warp.h"
#include "contrib/cudasim/base/operation.h"
#include "device.h"
#include "fault.h"
#include "race.h"
#include "race_visits.h"
#include "settings.h"

#define PATIENCE 4096      /* backward jumps of a split, while others wait, before another has its turn */
#define OUT_OF_TURN 64     /* branches that it has then */
#define SPINS_TO_YIELD 8   /* backward jumps in a row, each after a look at memory, that count as waiting */
#define CALL_COST 64       /* bytes of stack that a call takes besides its local variables */
#define CALL_LEAST 16       /* and that it takes at the very least on an H200, whose frames are multiples of 16 bytes */

CLONES static void fill_lanes(uint32_t *lanes, uint32_t mask)
{
    for (int l = 0; l < LANES; l++)
        lanes[l] = 0u - (mask >> l & 1);
}

void warp_set_mask(struct warp *w, uint32_t mask)
{
    w->mask = mask;
    if (w->lanes_mask == mask)
        return;
    w->lanes_mask = mask;
    fill_lanes(w->lanes, mask);
}

static void enter_frame(struct warp *w, struct frame *frame)
{
    w->frame = frame;
    w->base[0] = frame->registers;
}

void warp_push(struct warp *w, uint32_t mask, const struct ins *pc, struct frame *frame, enum split_state state)
{
    struct split *s;

    for (uint32_t n = 0; n < w->other_count; n++) {
        s = &w->others[n];
        if (s->pc == pc && s->frame == frame && s->state == state && state != SPLIT_BARRIER) {
            s->mask |= mask;
            return;
        }
    }
    s = &w->others[w->other_count++];
    memset(s, 0, sizeof *s);
    s->mask = mask;
    s->pc = pc;
    s->frame = frame;
    s->state = (uint8_t)state;
    s->stamp = ++w->worker->stamp;
}

static void remove_split(struct warp *w, uint32_t n)
{
    w->others[n] = w->others[--w->other_count];
}

static bool before(const struct frame *f, const struct ins *pc, const struct split *s)
{
    return f->depth > s->frame->depth || (f->depth == s->frame->depth && pc <= s->pc);
}

enum { NO_SPLIT = -1 };

/* The best runnable one of the others, or NO_SPLIT. */
static int best_other(const struct warp *w)
{
    int best = NO_SPLIT;

    for (uint32_t n = 0; n < w->other_count; n++)
        if (w->others[n].state == SPLIT_RUNNABLE &&
            (best == NO_SPLIT || !before(w->others[best].frame, w->others[best].pc, &w->others[n])))
            best = (int)n;
    return best;
}

static int oldest_other(const struct warp *w)
{
    int best = NO_SPLIT;

    for (uint32_t n = 0; n < w->other_count; n++)
        if (w->others[n].state == SPLIT_RUNNABLE && (best == NO_SPLIT || w->others[n].stamp < w->others[best].stamp))
            best = (int)n;
    return best;
}

static const struct ins *take(struct warp *w, int n)
{
    struct split s = w->others[n];

    remove_split(w, (uint32_t)n);
    enter_frame(w, s.frame);
    warp_set_mask(w, s.mask);
    w->start = s.pc;
    return s.pc;
}

/*
 * Nobody is left to give way to once all lanes are together. A turn out of order ends there: else the lanes would part
 * in the next branch, and run on without meeting behind it.
 */
static void end_detour(struct warp *w)
{
    if (!w->other_count) {
        w->patience = 0;
        w->forced = 0;
    }
}

static void merge_here(struct warp *w, const struct ins *pc)
{
    for (uint32_t n = 0; n < w->other_count;) {
        struct split *s = &w->others[n];

        if (s->pc == pc && s->frame == w->frame && s->state == SPLIT_RUNNABLE) {
            warp_set_mask(w, w->mask | s->mask);
            remove_split(w, n);
        } else {
            n++;
        }
    }
    end_detour(w);
}

/* The current split is at `pc`, and its line is counted. Merges it, and runs the split that is due. */
static const struct ins *schedule(struct warp *w, const struct ins *pc)
{
    int best;

    merge_here(w, pc);
    w->start = pc;
    if (w->forced) {
        w->forced--;
        return pc;
    }
    best = best_other(w);
    if (best == NO_SPLIT || before(w->frame, pc, &w->others[best]))
        return pc;
    {
        struct split s = w->others[best];

        w->others[best].pc = pc;
        w->others[best].frame = w->frame;
        w->others[best].mask = w->mask;
        w->others[best].stamp = ++w->worker->stamp;
        enter_frame(w, s.frame);
        warp_set_mask(w, s.mask);
        w->start = s.pc;
        return s.pc;
    }
}

/* Called after a jump backwards. True: the warp goes on at *next, or its turn is over if that is NULL. */
static bool backward(struct warp *w, const struct ins *target, const struct ins **next)
{
    bool waits = false;
    int other;

    if (w->spinning) {
        w->spinning = 0;
        if (++w->spin_count >= SPINS_TO_YIELD) {
            w->spin_count = SPINS_TO_YIELD;
            waits = true;
        }
    } else {
        w->spin_count = 0;
    }
    if (w->other_count && (waits || ++w->patience >= PATIENCE)) {
        w->patience = 0;
        other = oldest_other(w);
        if (other != NO_SPLIT) {
            struct frame *frame = w->frame;
            uint32_t mask = w->mask;

            *next = take(w, other);
            warp_push(w, mask, target, frame, SPLIT_RUNNABLE);
            w->forced = OUT_OF_TURN;
            w->spin_count = 0;
            if (--w->budget > 0)
                return true;
            w->pc = *next;
            *next = NULL;
            return true;
        }
    }
    if (waits || --w->budget <= 0) {
        w->yielded = waits;
        w->pc = target;
        w->start = target;
        *next = NULL;
        return true;
    }
    return false;
}

const struct ins *warp_give_way(struct warp *w, const struct ins *next)
{
    count_line(w, next);
    w->yielded = true;
    w->pc = w->start = next;
    return NULL;
}

const struct ins *warp_jump(struct warp *w, const struct ins *ins, const struct ins *target)
{
    const struct ins *next;

    count_line(w, ins + 1);
    w->start = target;
    if (target <= ins && backward(w, target, &next))
        return next;
    return w->other_count ? schedule(w, target) : target;
}

const struct ins *warp_part(struct warp *w, const struct ins *ins, uint32_t taken, const struct ins *target)
{
    uint32_t fall = w->mask & ~taken;
    const struct ins *next, *here;

    count_line(w, ins + 1);
    if (ins->event)
        w->worker->events[ins->event - 1].requests++;
    if (target <= ins) {
        warp_push(w, fall, ins + 1, w->frame, SPLIT_RUNNABLE);
        warp_set_mask(w, taken);
        here = target;
        w->start = here;
        if (backward(w, here, &next))
            return next;
    } else {
        warp_push(w, taken, target, w->frame, SPLIT_RUNNABLE);
        warp_set_mask(w, fall);
        here = ins + 1;
    }
    return schedule(w, here);
}

const struct ins *warp_join(struct warp *w, const struct ins *ins)
{
    bool change = false;

    for (uint32_t n = 0; n < w->other_count && !change; n++) {
        const struct split *s = &w->others[n];

        change = s->state == SPLIT_RUNNABLE &&
                 ((s->pc == ins && s->frame == w->frame) || (!w->forced && !before(w->frame, ins, s)));
    }
    if (!change)
        return ins + 1;
    count_line(w, ins);
    return schedule(w, ins);
}

bool warp_converge(struct warp *w, const struct ins *ins, const uint32_t *members, const struct ins **next)
{
    uint32_t ready = 0, need = 0;

    /* Others that came here before and waited. */
    for (uint32_t n = 0; n < w->other_count;) {
        struct split *s = &w->others[n];

        if (s->pc == ins && s->frame == w->frame && s->state != SPLIT_BARRIER) {
            uint32_t mask = s->mask;

            count_line(w, ins);
            w->start = ins;
            remove_split(w, n);
            warp_set_mask(w, w->mask | mask);
        } else {
            n++;
        }
    }
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        uint32_t of = members[l] & w->live;

        if ((of & ~w->mask) == 0)
            ready |= 1u << l;
        else
            need |= of;
    }
    if (ready == w->mask) {
        end_detour(w);
        return true;
    }
    count_line(w, ins);
    warp_push(w, w->mask & ~ready, ins, w->frame, SPLIT_SYNC);
    w->others[w->other_count - 1].need = need;
    for (uint32_t n = 0; n < w->other_count; n++)
        if (w->others[n].pc == ins && w->others[n].frame == w->frame && w->others[n].state == SPLIT_SYNC)
            w->others[n].need |= need;
    if (ready) {
        warp_set_mask(w, ready);
        w->start = ins;
        return true;
    }
    *next = warp_pick(w);
    return false;
}

void warp_warn_members(struct warp *w, const struct ins *ins, uint32_t omits, uint32_t exited)
{
    unsigned first = (unsigned)__builtin_ctz(omits ? omits : w->mask);

    if (w->worker->faulted_at == ins)
        return;
    w->worker->faulted_at = ins;
    if (omits)
        fault_warn(w, ins, first, FAULT_MEMBER_MASK, 0,
                   "lanes 0x%08x execute this with a member mask that does not name them: each lane must name itself",
                   omits);
    else
        fault_warn(w, ins, first, FAULT_MEMBER_MASK, 0,
                   "the member mask names lanes 0x%08x, which have exited: a value asked of them is undefined", exited);
}

void warp_warn_undefined(struct warp *w, const struct ins *ins, uint32_t lanes)
{
    static const char *const uses[] = {
        [UNDEFINED_CONDITION] = "this branch depends on",
        [UNDEFINED_ADDRESS] = "the address of this access comes from",
        [UNDEFINED_VALUE] = "the value that goes to memory comes from",
        [UNDEFINED_PARAMETER] = "the parameter or result of a function comes from",
        [UNDEFINED_TARGET] = "the function called here comes from",
    };

    if (w->worker->faulted_at == ins)
        return;
    w->worker->faulted_at = ins;
    fault_warn(w, ins, (unsigned)__builtin_ctz(lanes), FAULT_UNDEFINED_REGISTER, 0,
               "%s a variable that has no value yet, in lanes 0x%08x: the thread never set it%s", uses[ins->op], lanes,
               ins->mode ? ", or read it from shared memory that has none" : "");
}

static void *slot_of(const struct warp *w, const struct split *s, slot at)
{
    return (at & 1 ? w->base[1] : s->frame->registers) + at;
}

static uint32_t members_of(const struct warp *w, const struct split *s, unsigned lane)
{
    return ((const uint32_t *)slot_of(w, s, s->pc->f))[lane];
}

/* Whether both instructions are the same operation, with the same qualifiers. */
static bool same_operation(const struct ins *a, const struct ins *b)
{
    return a->body == b->body && a->op == b->op && a->width == b->width;
}

/* Scratch of an operation whose lanes stand at different instructions: its operands, as slots of their own. */
enum { APART_D, APART_E, APART_A, APART_B, APART_C, APART_F, APART_SLOTS };
#define APART_BYTES (8 * LANES)

/*
 * Executes the operation at which the lanes `lanes` wait, each at its own copy. It gathers the operands from the slots
 * of each split, and writes results back there. The lanes then go on behind their copies.
 */
static void execute_apart(struct warp *w, const struct split *first, uint32_t lanes)
{
    char scratch[APART_SLOTS][APART_BYTES] __attribute__((aligned(64)));
    char *registers = w->base[0];
    uint32_t mask = w->mask, count = w->other_count;
    struct ins together = *first->pc;
    const struct ins *pc[LANES];
    struct frame *frame[LANES];

    memset(scratch, 0, sizeof scratch);
    for (uint32_t n = 0; n < count; n++) {
        const struct split *s = &w->others[n];

        for (uint32_t m = s->mask & lanes; m; m &= m - 1) {
            unsigned l = (unsigned)__builtin_ctz(m);
            const slot from[APART_SLOTS] = {s->pc->d, s->pc->e, s->pc->a, s->pc->b, s->pc->c, s->pc->f};

            for (int k = APART_A; k < APART_SLOTS; k++) {
                size_t width = k == APART_A && s->pc->width == 8 ? 8 : 4;

                memcpy(scratch[k] + l * width, (char *)slot_of(w, s, from[k]) + l * width, width);
            }
            pc[l] = s->pc;
            frame[l] = s->frame;
        }
    }
    together.d = APART_D * APART_BYTES;
    together.e = APART_E * APART_BYTES;
    together.a = APART_A * APART_BYTES;
    together.b = APART_B * APART_BYTES;
    together.c = APART_C * APART_BYTES;
    together.f = APART_F * APART_BYTES;
    w->base[0] = scratch[0];
    w->other_count = 0; /* nobody else to wait for */
    warp_set_mask(w, lanes);
    together.body(w, &together);
    w->base[0] = registers;
    w->other_count = count;
    for (uint32_t n = 0; n < w->other_count; n++) {
        struct split *s = &w->others[n];

        s->mask &= ~lanes;
        if (!s->mask)
            remove_split(w, n--);
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctz(m);
        struct split s = {.frame = frame[l]};

        if (!(pc[l]->d & 1))
            memcpy((char *)slot_of(w, &s, pc[l]->d) + 4 * l, scratch[APART_D] + 4 * l, 4);
        if (!(pc[l]->e & 1) && pc[l]->e != pc[l]->d)
            memcpy((char *)slot_of(w, &s, pc[l]->e) + 4 * l, scratch[APART_E] + 4 * l, 4);
        w->start = pc[l];
        w->mask = 1u << l;
        count_line(w, pc[l] + 1);
        warp_push(w, 1u << l, pc[l] + 1, frame[l], SPLIT_RUNNABLE);
    }
    warp_set_mask(w, mask);
}

/*
 * The lanes in a mask may be at different instructions. It suffices that each executes the operation with the same
 * qualifiers and the same mask (PTX ISA, shfl.sync and vote.sync). This happens if nvcc unrolls a loop that some lanes
 * leave early. True if such lanes were found, and went on.
 */
static bool meet_apart(struct warp *w)
{
    for (uint32_t n = 0; n < w->other_count; n++) {
        const struct split *s = &w->others[n];
        uint32_t members, found = 0;

        if (s->state != SPLIT_SYNC || s->pc->class == CLASS_SYNCHRONISATION || !s->pc->meets)
            continue;
        members = members_of(w, s, (unsigned)__builtin_ctz(s->mask)) & w->live;
        for (uint32_t k = 0; k < w->other_count; k++) {
            const struct split *x = &w->others[k];

            if (x->state != SPLIT_SYNC || !same_operation(x->pc, s->pc))
                continue;
            for (uint32_t m = x->mask & members; m; m &= m - 1)
                if ((members_of(w, x, (unsigned)__builtin_ctz(m)) & w->live) == members)
                    found |= m & -m;
        }
        if (found && found == members) {
            execute_apart(w, s, members);
            return true;
        }
    }
    return false;
}

/* Lanes may wait at different bar.warp.sync, and lanes waited for may have exited. */
static void release_sync(struct warp *w)
{
    uint32_t at_barriers = 0;
    bool released = false;

    for (uint32_t n = 0; n < w->other_count; n++)
        if (w->others[n].state == SPLIT_SYNC && w->others[n].pc->class == CLASS_SYNCHRONISATION)
            at_barriers |= w->others[n].mask;
    for (uint32_t n = 0; n < w->other_count; n++) {
        struct split *s = &w->others[n];

        if (s->state != SPLIT_SYNC)
            continue;
        if ((s->need & w->live & ~s->mask) == 0) {
            s->state = SPLIT_RUNNABLE;
            released = true;
        } else if (s->pc->class == CLASS_SYNCHRONISATION && (s->need & w->live & ~at_barriers) == 0) {
            race_lanes_meet(w, s->mask | (s->need & w->live));
            s->state = SPLIT_RUNNABLE;
            s->pc++;
            released = true;
        }
    }
    if (!released)
        meet_apart(w);
}

const struct ins *warp_pick(struct warp *w)
{
    int best = best_other(w);
    uint32_t waiting = 0;

    w->forced = 0;
    if (best == NO_SPLIT) {
        release_sync(w);
        best = best_other(w);
    }
    if (best != NO_SPLIT)
        return take(w, best);
    w->mask = 0;
    w->pc = NULL;
    w->waiting = true;
    for (uint32_t n = 0; n < w->other_count; n++)
        waiting += w->others[n].state == SPLIT_BARRIER;
    if (!waiting && w->other_count) {
        const struct split *s = &w->others[0];

        return fault_at(w, s->pc, (unsigned)__builtin_ctz(s->mask), FAULT_DIVERGENT_BARRIER, 0,
                        "lanes 0x%08x wait here for lanes 0x%08x, which wait at another warp-level instruction or "
                        "never come: the lanes named in the mask must reach the same one",
                        s->mask, s->need & w->live & ~s->mask);
    }
    return NULL;
}

static void leave_frames(struct frame *frame, uint32_t lanes)
{
    while (frame) {
        struct frame *parent = frame->parent;

        frame->lanes &= ~lanes;
        if (parent && !frame->lanes) {
            free(frame->registers);
            free(frame);
        }
        frame = parent;
    }
}

void warp_abandon(struct warp *w)
{
    if (w->mask)
        leave_frames(w->frame, w->mask);
    for (uint32_t n = 0; n < w->other_count; n++)
        leave_frames(w->others[n].frame, w->others[n].mask);
    w->mask = w->other_count = 0;
}

static bool touches_memory(const struct ins *i)
{
    return i->class == CLASS_GLOBAL_LOAD || i->class == CLASS_GLOBAL_STORE || i->class == CLASS_SHARED_LOAD ||
           i->class == CLASS_SHARED_STORE;
}

/*
 * Lanes may exit the kernel before a barrier that the others of their warp reach, but they may not go around it. Lanes
 * that did something on their way to the end went around it.
 */
static void check_strays(struct warp *w, const struct ins *end)
{
    const struct ins *barrier = NULL;
    bool strayed = false;

    for (uint32_t n = 0; n < w->other_count && !barrier; n++)
        if (w->others[n].state == SPLIT_BARRIER && w->others[n].barrier < BARRIERS &&
            w->others[n].pc->flags & INS_ALIGNED)
            barrier = w->others[n].pc;
    for (const struct ins *i = w->start; barrier && i < end && !strayed; i++)
        strayed = touches_memory(i);
    if (strayed)
        fault_warn(w, barrier, (unsigned)__builtin_ctz(w->mask), FAULT_DIVERGENT_BARRIER, 0,
                   "this thread went around the barrier at which others of its warp wait: all must reach it, or none");
}

const struct ins *warp_exit(struct warp *w, const struct ins *ins)
{
    uint32_t lanes = w->mask;

    if (w->other_count)
        check_strays(w, ins);
    count_line(w, ins + 1);
    w->live &= ~lanes;
    w->block->live -= (uint32_t)__builtin_popcount(lanes);
    leave_frames(w->frame, lanes);
    w->mask = 0;
    w->worker->progress = true;
    if (!w->live) {
        w->done = true;
        if (--w->block->live_warps == 0)
            visits_leave(w->block);
    }
    return w->live ? warp_pick(w) : NULL;
}

void warp_check_stack(struct warp *w, const struct ins *ins, uint64_t bytes, uint32_t depth)
{
    uint64_t least = bytes + (uint64_t)depth * CALL_LEAST, limit = sim_limits(w->worker->sim)->stack_bytes;

    if (least <= limit || w->worker->faulted_at == ins || !sim_options(w->worker->sim)->check_bounds)
        return;
    w->worker->faulted_at = ins;
    fault_warn(w, ins, (unsigned)__builtin_ctz(w->mask), FAULT_STACK_OVERFLOW, 0,
               "at call depth %u the stack has %llu bytes or more, and cudaLimitStackSize is %llu: a GPU writes past "
               "it; raise it by cudaDeviceSetLimit()",
               depth, (unsigned long long)least, (unsigned long long)limit);
}

const struct ins *warp_call(struct warp *w, const struct ins *ins, const struct function *function,
                            const struct call_site *site)
{
    struct frame *parent = w->frame, *f;
    size_t params = (size_t)LANES * function->param_bytes;
    uint32_t base = (parent->local_base + parent->function->local_bytes + parent->allocated + 15) / 16 * 16;
    uint64_t limit = sim_limits(w->worker->sim)->stack_max_bytes;

    count_line(w, ins + 1);
    if (w->block->launch->kernel->function->cyclic)
        warp_check_stack(w, ins, (uint64_t)base + function->local_bytes, parent->depth + 1);
    if ((uint64_t)base + function->local_bytes + (uint64_t)(parent->depth + 1) * CALL_COST > limit)
        return fault_at(w, ins, (unsigned)__builtin_ctz(w->mask), FAULT_STACK_OVERFLOW, 0,
                        "call depth %u needs more than %llu bytes of stack", parent->depth + 1,
                        (unsigned long long)limit);
    f = calloc(1, sizeof *f);
    if (!f || posix_memalign((void **)&f->registers, 128, function->register_bytes + params)) {
        free(f);
        return fault_at(w, ins, (unsigned)__builtin_ctz(w->mask), FAULT_STACK_OVERFLOW, 0,
                        "out of memory at call depth %u", parent->depth + 1);
    }
    f->params = f->registers + function->register_bytes;
    f->parent = parent;
    f->ret = ins + 1;
    f->site = site;
    f->function = function;
    f->local_base = base;
    f->depth = parent->depth + 1;
    f->lanes = w->mask;
    for (uint32_t n = site->result_count; n < site->count && n < function->formal_count; n++) {
        size_t size = site->size[n] < function->formal_size[n] ? site->size[n] : function->formal_size[n];

        for (uint32_t m = w->mask; m; m &= m - 1) {
            size_t l = (size_t)__builtin_ctz(m);

            memcpy(f->params + l * function->param_bytes + function->formal_offset[n],
                   parent->params + l * parent->function->param_bytes + site->offset[n], size);
        }
    }
    enter_frame(w, f);
    w->start = function->entry;
    if (--w->budget <= 0) { /* recursion is a loop as well */
        w->pc = function->entry;
        return NULL;
    }
    return w->other_count ? schedule(w, function->entry) : function->entry;
}

const struct ins *warp_return(struct warp *w, const struct ins *ins)
{
    struct frame *f = w->frame, *parent = f->parent;
    const struct function *function = f->function;
    const struct call_site *site = f->site;
    const struct ins *ret = f->ret;

    if (!parent)
        return warp_exit(w, ins);
    count_line(w, ins + 1);
    for (uint32_t n = 0; n < site->result_count && n < function->formal_count; n++) {
        size_t size = site->size[n] < function->formal_size[n] ? site->size[n] : function->formal_size[n];

        for (uint32_t m = w->mask; m; m &= m - 1) {
            size_t l = (size_t)__builtin_ctz(m);

            memcpy(parent->params + l * parent->function->param_bytes + site->offset[n],
                   f->params + l * function->param_bytes + function->formal_offset[n], size);
        }
    }
    f->lanes &= ~w->mask;
    if (!f->lanes) {
        free(f->registers);
        free(f);
    }
    enter_frame(w, parent);
    w->start = ret;
    return w->other_count ? schedule(w, ret) : ret;
}
