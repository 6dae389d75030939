/*
 * race_say.c - writes the report of a race: the access, the variable, and the access with which it collides.
 *
 * race_check.c calls it, and decides what a race is.
 */
#include "race_say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "race_family.h"
#include "contrib/cudasim/base/memory.h"

const char *access_verb(enum access access)
{
    return access == ACCESS_READ ? "read" : access == ACCESS_WRITE ? "write" : "atomic operation";
}

void variable_title(const char *mangled, char *name, size_t size)
{
    char *full = demangle(mangled), *at = full;
    size_t length;

    if (full) {
        length = strlen(full);
        while (length > 0 && (full[length - 1] == ']' || full[length - 1] == ' '))
            length--;
        full[length] = '\0';
        for (char *p = full; (p = strstr(p, "::")); p += 2)
            at = p + 2;
    }
    snprintf(name, size, "%s", full ? at : mangled);
    free(full);
}

/* ", in 'tile'", where the shared variable of the kernel that holds `offset` has a name. */
static void shared_name(const struct launch *l, uint64_t offset, char *text, size_t size)
{
    const struct program *p = l->program;
    const uint64_t *uses = l->kernel->function->shared_uses;
    char name[80];

    text[0] = '\0';
    for (size_t n = 0; n < p->place_count; n++) {
        const struct place *x = &p->places[n];

        if (x->variable->space != PTX_SHARED || !(uses[n / 64] >> (n % 64) & 1) || offset < x->address ||
            offset >= x->address + x->variable->size)
            continue;
        variable_title(x->variable->name, name, sizeof name);
        snprintf(text, size, ", in '%s'", name);
        return;
    }
}

static void global_name(struct launch *l, uint64_t address, char *text, size_t size)
{
    const struct region *r = memory_find(sim_memory(l->sim), address, NULL);
    char name[80];

    text[0] = '\0';
    if (r && r->name) {
        variable_title(r->name, name, sizeof name);
        snprintf(text, size, ", %llu bytes into variable '%s'", (unsigned long long)(address - r->base), name);
    } else if (r) {
        snprintf(text, size, ", %llu bytes into an allocation of %llu bytes", (unsigned long long)(address - r->base),
                 (unsigned long long)r->size);
    }
}

/*
 * "thread (3,0,0)", of another block "thread (3,0,0) of block (1,0,0)". Where there are several it is one of them, "and
 * others".
 */
static void thread_name(const struct warp *w, unsigned lane, const struct race_report *r, char *text, size_t size)
{
    const struct launch *l = w->block->launch;
    unsigned t = r->warp * LANES + r->lane, nx = l->ntid[0], ny = l->ntid[1];
    uint32_t block = (r->block - l->name_base) & (BLOCK_NAMES - 1);
    bool elsewhere = r->block != race_block_name(w->block);
    int used;

    if (r->several && !elsewhere && r->warp == w->index && r->lane == lane) {
        snprintf(text, size, "other threads"); /* the entry names one alone, and that is this one */
        return;
    }
    used = snprintf(text, size, "thread (%u,%u,%u)", t % nx, t / nx % ny, t / nx / ny);
    if (elsewhere && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, " of block (%u,%u,%u)", block % l->grid[0],
                         block / l->grid[0] % l->grid[1], block / l->grid[0] / l->grid[1]);
    if (r->several && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " and others");
}

static const char *why(const struct warp *w, const struct race_report *r)
{
    if (r->block != race_block_name(w->block))
        return r->owner ? "with no barrier of the cluster in between"
                        : "with no grid barrier, and no flag with fences, to order the two blocks";
    if (r->warp == w->index && !r->of_warps)
        return w->block->warp_count > 1 ? "with no barrier and no __syncwarp() in between"
                                        : "with no __syncwarp() in between";
    return "with no barrier in between";
}

/*
 * Whether the race is of the toolkit's: lanes of a warp throw values away by storing them in one word of shared memory,
 * as CUB does with the items that it does not select. A race with a read of that word is still one.
 */
static bool is_thrown_away(const struct warp *w, const struct ins *ins, const struct race_report *r)
{
    bool of_warp = r->warp == w->index && r->block == race_block_name(w->block) && !r->of_warps && !r->elsewhere;

    return ins->toolkit && r->owner && r->access == ACCESS_WRITE &&
           (r->with == RACE_WITH_SAME_STORE || (r->with == RACE_WITH_WRITE && of_warp));
}

void race_say(struct warp *w, const struct ins *ins, unsigned lane, const struct race_report *r)
{
    static const char *const did[] = {[RACE_WITH_WRITE] = "wrote", [RACE_WITH_READ] = "read",
                                      [RACE_WITH_ATOMIC] = "changed by an atomic or volatile access",
                                      [RACE_WITH_COPY] = "copies to", [RACE_WITH_SAME_STORE] = "writes"};
    enum sim_fault_kind kind = r->owner ? FAULT_SHARED_RACE : FAULT_GLOBAL_RACE;
    const char *on = r->access == ACCESS_ATOMIC ? "on" : "of";
    char name[160], thread[320], place[64], reason[160];

    if (is_thrown_away(w, ins, r) || fault_known(w, ins, kind))
        return;
    if (r->owner)
        snprintf(place, sizeof place, "%s shared memory at offset %llu", on, (unsigned long long)r->place);
    else
        snprintf(place, sizeof place, "%s global memory at 0x%llx", on, (unsigned long long)r->place);
    if (r->owner)
        shared_name(w->block->launch, r->place, name, sizeof name);
    else
        global_name(w->block->launch, r->place, name, sizeof name);
    if (r->elsewhere) {
        enum access theirs = r->with == RACE_WITH_READ ? ACCESS_READ : ACCESS_WRITE;

        family_describe(w->block->launch, r->elsewhere, r->place, theirs, thread, sizeof thread, reason, sizeof reason);
    } else {
        thread_name(w, lane, r, thread, sizeof thread);
        snprintf(reason, sizeof reason, "%s", why(w, r));
    }
    if (r->with == RACE_WITH_SAME_STORE)
        fault_warn(w, ins, lane, kind, r->place, "write %s%s, where %s writes another value by the same store",
                   place, name, thread);
    else if (r->with == RACE_WITH_COPY)
        fault_warn(w, ins, lane, kind, r->place,
                   "%s %s%s, which an asynchronous copy of %s writes and which was not waited for",
                   access_verb(r->access), place, name, thread);
    else if (r->with == RACE_WITH_STALE)
        fault_warn(w, ins, lane, kind, r->place,
                   "read %s%s, which %s wrote in the same launch: a read by __ldg(), const __restrict__ or a texture "
                   "may give the old value", place, name, thread);
    else if (r->with == RACE_WITH_PROXY)
        fault_warn(w, ins, lane, kind, r->place,
                   "copy in bulk %s%s, which %s wrote with no fence.proxy.async in between", place, name, thread);
    else if (r->with == RACE_WITH_BULK_READ)
        fault_warn(w, ins, lane, kind, r->place,
                   "%s %s%s, which a copy in bulk of %s may still read: no cp.async.bulk.wait_group since then",
                   access_verb(r->access), place, name, thread);
    else if (r->with == RACE_WITH_SOURCE)
        fault_warn(w, ins, lane, kind, r->place,
                   "%s %s%s, which an asynchronous copy of %s may still read: it was not waited for",
                   access_verb(r->access), place, name, thread);
    else if (r->with == RACE_WITH_MATRIX_PROXY)
        fault_warn(w, ins, lane, kind, r->place,
                   "wgmma reads %s%s, which %s wrote with no fence.proxy.async in between", place + sizeof "of", name,
                   thread);
    else if (r->with == RACE_WITH_MATRIX_READ)
        fault_warn(w, ins, lane, kind, r->place,
                   "%s %s%s, which the wgmma of %s may still read: no wgmma.wait_group since then",
                   access_verb(r->access), place, name, thread);
    else if (r->elsewhere)
        fault_warn(w, ins, lane, kind, r->place, "%s %s%s, which %s %s", access_verb(r->access), place, name, thread,
                   reason);
    else
        fault_warn(w, ins, lane, kind, r->place, "%s %s%s, which %s %s %s", access_verb(r->access), place, name,
                   thread, did[r->with], reason);
}
