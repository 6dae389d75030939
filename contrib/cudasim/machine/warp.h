/*
 * warp.h - warps, for bodies of instructions, block.c and launch.c: jumps, calls, exits, and lanes that meet.
 */
#ifndef CUDASIM_WARP_H
#define CUDASIM_WARP_H

#include "machine.h"
#include "probe.h"

/* Closes the straight line that ends before `end`, for the counts. */
static inline void count_line(struct warp *w, const struct ins *end)
{
    struct worker *k = w->worker;
    int lanes = __builtin_popcount(w->mask);
    size_t from = (size_t)(w->start - k->program->code), to = (size_t)(end - k->program->code);

    k->warp_diff[from]++;
    k->warp_diff[to]--;
    k->lane_diff[from] += lanes;
    k->lane_diff[to] -= lanes;
    w->executed += to - from;
    if (w->path)
        probe_run(w->path, (uint32_t)from, (uint32_t)to);
}

/* The warp's turn is over, as that of one that waits; it goes on at `next`. Returns NULL. */
const struct ins *warp_give_way(struct warp *w, const struct ins *next);
/* Goes to `target` from `ins`, whose lanes are all of the current split. */
const struct ins *warp_jump(struct warp *w, const struct ins *ins, const struct ins *target);

/* Parts the current split: `taken` goes to `target`, the rest goes on after `ins`. */
const struct ins *warp_part(struct warp *w, const struct ins *ins, uint32_t taken, const struct ins *target);

/* Another split may be due at `ins`, which was reached in a straight line. */
const struct ins *warp_join(struct warp *w, const struct ins *ins);

/*
 * Lanes with the member masks members[32] reach the .sync instruction `ins`. True: the lanes in w->mask may execute it.
 * False: the warp goes on at *next (NULL: nowhere).
 */
bool warp_converge(struct warp *w, const struct ins *ins, const uint32_t *members, const struct ins **next);

/*
 * Warns of wrong member masks at `ins`, which the lanes in w->mask execute. The masks of the lanes `omits` do not name
 * them. The lanes `exited` have exited, but a mask names them.
 */
void warp_warn_members(struct warp *w, const struct ins *ins, uint32_t omits, uint32_t exited);

/* Warns that `lanes` use a value of a register that was never set: ins->op says for what. */
void warp_warn_undefined(struct warp *w, const struct ins *ins, uint32_t lanes);

/* Warns if a stack of `bytes` bytes of local variables, `depth` calls deep, is larger than cudaLimitStackSize. */
void warp_check_stack(struct warp *w, const struct ins *ins, uint64_t bytes, uint32_t depth);

/* Sets the current split's mask. */
void warp_set_mask(struct warp *w, uint32_t mask);

/* Puts lanes of the current split aside, to be run later from `pc`. */
void warp_push(struct warp *w, uint32_t mask, const struct ins *pc, struct frame *frame, enum split_state state);

/* Frees the frames of a warp that will not go on. */
void warp_abandon(struct warp *w);

/* The lanes of the current split exit. */
const struct ins *warp_exit(struct warp *w, const struct ins *ins);

const struct ins *warp_call(struct warp *w, const struct ins *ins, const struct function *function,
                            const struct call_site *site);
const struct ins *warp_return(struct warp *w, const struct ins *ins);

/* Picks a split to run after the current one was emptied or put aside; NULL: none. */
const struct ins *warp_pick(struct warp *w);

#endif
