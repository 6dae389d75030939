/*
 * heap_sites.c - the lines of kernels that called malloc(): what was never freed is reported there, at the end.
 *
 * builtin_memory.c notes calls; the runtime's end asks for the report. One worker runs each kernel that calls malloc().
 */
#include "fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin_call.h"
#include "inside.h"
#include "contrib/cudasim/base/memory.h"

#define SITES_MOST 64 /* lines; blocks of later ones are reported together */

unsigned heap_site(struct warp *w, const struct ins *ins, unsigned lane)
{
    struct heap *heap = &w->worker->sim->heap;

    for (unsigned n = 0; n < heap->site_count; n++)
        if (heap->sites[n].ins == ins)
            return n + 1;
    if (!heap->sites)
        heap->sites = calloc(SITES_MOST, sizeof *heap->sites);
    if (!heap->sites || heap->site_count == SITES_MOST)
        return 0;
    heap->sites[heap->site_count].ins = ins;
    fault_fill(&heap->sites[heap->site_count].fault, w, ins, lane, FAULT_LEAK, 0);
    return ++heap->site_count;
}

/* Blocks and bytes by line; index 0 is of all other lines. */
struct left {
    uint64_t blocks[SITES_MOST + 1], bytes[SITES_MOST + 1];
};

static void add_block(const struct region *region, void *context)
{
    struct left *left = context;

    if (region->kind != REGION_HEAP)
        return;
    left->blocks[region->flags]++;
    left->bytes[region->flags] += region->size;
}

void sim_report_heap(struct sim *sim)
{
    struct left left = {0};

    memory_visit(sim->memory, add_block, &left);
    for (unsigned n = 0; n <= sim->heap.site_count; n++) {
        struct sim_fault fault = {.kind = FAULT_LEAK, .count = 1};
        bool one = left.blocks[n] == 1;

        if (!left.blocks[n])
            continue;
        if (n > 0)
            fault = sim->heap.sites[n - 1].fault;
        snprintf(fault.text, sizeof fault.text,
                 "%" PRIu64 " block%s of malloc() in kernels, %" PRIu64 " bytes in all, %s never freed", left.blocks[n],
                 one ? "" : "s", left.bytes[n], one ? "was" : "were");
        sim_report_fault(sim, &fault);
    }
}
