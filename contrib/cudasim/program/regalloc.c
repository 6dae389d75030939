/*
 * regalloc.c - gives PTX's unlimited registers their slots in a frame, so that a warp's registers stay in the cache.
 *
 * It computes liveness over basic blocks, then does a linear scan over live ranges. A range goes from its first to its
 * last instruction, holes included. A slot becomes free after the instruction that reads it last, never at it. So an
 * instruction's operands are the same slot or do not overlap. The loops of the bodies rely on this.
 *
 * Lanes may wait at different places, with different live registers. This is safe. An instruction writes active lanes
 * only. Each register that a waiting lane needs is live at that lane's place, so this place lies within its range. A
 * range covers all instructions between its first and its last by position. So two registers share a slot only if no
 * instruction lies in both ranges. A lane that waits at instruction p keeps the registers that are live at p. Other
 * lanes meanwhile write only their own lanes of a slot.
 */
#include <stdlib.h>

#include "builder.h"
#include "contrib/cudasim/base/round.h"

/*
 * Registers share slots only with registers of the same width. A lane's part of a slot begins at the lane's number
 * times the width. With two widths, the lanes of one would overlap other lanes of the other, and those may wait
 * elsewhere.
 */
#define CLASSES 4       /* 2, 4, 8 and 16 bytes a lane */
#define SLOT_BYTES 64u  /* of the first class, twice as much for each next one */

static int class_of(uint8_t size)
{
    return size <= 2 ? 0 : size <= 4 ? 1 : size <= 8 ? 2 : 3;
}

struct basic_block {
    uint32_t first, last; /* instructions [first, last) */
};

struct range {
    uint32_t vreg;     /* register */
    uint32_t from, to; /* instructions [from, to]; from UINT32_MAX: it does not occur */
};

static int by_start(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->vreg < y->vreg ? -1 : x->vreg > y->vreg;
}

/* A range that has begun. */
struct active {
    uint32_t to;    /* its last instruction */
    uint32_t place; /* among the slots of its size */
};

/* A heap of active ranges by their end, and a stack of free places, for one size of register. */
struct size_class {
    struct active *heap;   /* [heap_count] the first to end on top */
    size_t heap_count;
    uint32_t *free_places; /* [free_count] */
    size_t free_count;
    uint32_t places;       /* given so far */
};

static void heap_push(struct size_class *c, struct active item)
{
    size_t at = c->heap_count++;

    while (at && c->heap[(at - 1) / 2].to > item.to) {
        c->heap[at] = c->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    c->heap[at] = item;
}

static struct active heap_pop(struct size_class *c)
{
    struct active top = c->heap[0], last = c->heap[--c->heap_count];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= c->heap_count)
            break;
        if (child + 1 < c->heap_count && c->heap[child + 1].to < c->heap[child].to)
            child++;
        if (c->heap[child].to >= last.to)
            break;
        c->heap[at] = c->heap[child];
        at = child;
    }
    c->heap[at] = last;
    return top;
}

/* ---- basic blocks ---- */

/* The function's code as basic blocks; instructions count from the function's first. */
struct flow {
    const struct builder *b;   /* that has the code */
    uint32_t count;            /* instructions */
    size_t vregs, words;       /* registers, and 64-bit words of a set of them */
    struct basic_block *block; /* [blocks] in the order of the code */
    size_t blocks;
    uint32_t *block_of;        /* [count] the block that an instruction is in */
    uint64_t *live_in;         /* [blocks][words] registers alive at a block's start */
};

static const struct ins_facts *facts_at(const struct flow *flow, uint32_t p)
{
    return &flow->b->facts[flow->b->first + p];
}

static uint32_t target(const struct flow *flow, const struct ins_facts *f, uint32_t t)
{
    return flow->b->label_at[flow->b->targets[f->first_target + t]] - flow->b->first;
}

/*
 * The `nth` place where block `k` may go on: its last instruction's targets, then the block behind it. False: there is
 * none. A caller asks for targets + 1 places.
 */
static bool successor(const struct flow *flow, size_t k, uint32_t nth, size_t *next)
{
    const struct ins_facts *f = facts_at(flow, flow->block[k].last - 1);

    if (nth < f->targets)
        *next = flow->block_of[target(flow, f, nth)];
    else
        *next = k + 1;
    return nth < f->targets || (f->falls && k + 1 < flow->blocks);
}

static uint32_t successors(const struct flow *flow, size_t k)
{
    return facts_at(flow, flow->block[k].last - 1)->targets + 1;
}

static void find_blocks(struct builder *b, struct flow *flow)
{
    uint8_t *leader = build_scratch(b, flow->count + 1, 1);

    leader[0] = 1;
    for (uint32_t p = 0; p < flow->count; p++) {
        const struct ins_facts *f = facts_at(flow, p);

        for (uint32_t t = 0; t < f->targets; t++)
            leader[target(flow, f, t)] = 1;
        if (f->targets || !f->falls)
            leader[p + 1] = 1;
    }
    for (uint32_t p = 0; p < flow->count; p++)
        flow->blocks += leader[p];
    flow->block = build_scratch(b, flow->blocks, sizeof *flow->block);
    flow->block_of = build_scratch(b, flow->count + 1, sizeof *flow->block_of);
    for (uint32_t p = 0, k = 0; p < flow->count; p++) {
        if (leader[p] && p)
            k++;
        if (leader[p])
            flow->block[k].first = p;
        flow->block[k].last = p + 1;
        flow->block_of[p] = k;
    }
}

/* ---- liveness ---- */

static bool has(const uint64_t *set, uint32_t v)
{
    return set[v / 64] >> (v % 64) & 1;
}

static void put(uint64_t *set, uint32_t v)
{
    set[v / 64] |= 1ull << (v % 64);
}

/* Registers that block `k` reads before it writes them, into `live`, and those that it writes, into `kill`. */
static void scan_block(const struct flow *flow, size_t k, uint64_t *live, uint64_t *kill)
{
    for (uint32_t p = flow->block[k].first; p < flow->block[k].last; p++) {
        const struct ins_facts *f = facts_at(flow, p);
        const uint32_t *list = flow->b->vregs + f->first_def;

        for (uint32_t u = f->partial ? 0 : f->defs; u < f->defs + f->uses; u++)
            if (!has(kill, list[u]))
                put(live, list[u]);
        for (uint32_t u = 0; u < f->defs && !f->partial; u++)
            put(kill, list[u]);
    }
}

static void find_live(struct builder *b, struct flow *flow)
{
    size_t words = flow->words;
    uint64_t *kill = build_scratch(b, flow->blocks * words, sizeof *kill);
    bool changed = true;

    flow->live_in = build_scratch(b, flow->blocks * words, sizeof *flow->live_in);
    for (size_t k = 0; k < flow->blocks; k++)
        scan_block(flow, k, flow->live_in + k * words, kill + k * words);
    while (changed) {
        changed = false;
        for (size_t k = flow->blocks; k-- > 0;)
            for (uint32_t t = 0; t < successors(flow, k); t++) {
                size_t s;

                if (!successor(flow, k, t, &s))
                    continue;
                for (size_t n = 0; n < words; n++) {
                    uint64_t *in = &flow->live_in[k * words + n];
                    uint64_t add = flow->live_in[s * words + n] & ~kill[k * words + n] & ~*in;

                    *in |= add;
                    changed |= add != 0;
                }
            }
    }
}

/* ---- live ranges ---- */

static void extend(struct range *range, uint32_t position)
{
    if (position < range->from)
        range->from = position;
    if (position > range->to)
        range->to = position;
}

/* The registers alive at the start of block `k` are alive at `position`. */
static void extend_live(const struct flow *flow, size_t k, struct range *ranges, uint32_t position)
{
    for (size_t n = 0; n < flow->words; n++)
        for (uint64_t set = flow->live_in[k * flow->words + n]; set; set &= set - 1)
            extend(&ranges[n * 64 + (size_t)__builtin_ctzll(set)], position);
}

/* Ranges of the registers that occur, in the order of their starts. */
static size_t find_ranges(const struct flow *flow, struct range *ranges)
{
    size_t count = 0;

    for (size_t v = 0; v < flow->vregs; v++)
        ranges[v] = (struct range){(uint32_t)v, UINT32_MAX, 0};
    for (uint32_t p = 0; p < flow->count; p++) {
        const struct ins_facts *f = facts_at(flow, p);

        for (uint32_t u = 0; u < f->defs + f->uses; u++)
            extend(&ranges[flow->b->vregs[f->first_def + u]], p);
    }
    for (size_t k = 0; k < flow->blocks; k++) {
        size_t s;

        extend_live(flow, k, ranges, flow->block[k].first);
        for (uint32_t t = 0; t < successors(flow, k); t++)
            if (successor(flow, k, t, &s))
                extend_live(flow, s, ranges, flow->block[k].last - 1);
    }
    for (size_t v = 0; v < flow->vregs; v++)
        if (ranges[v].from != UINT32_MAX)
            ranges[count++] = ranges[v];
    qsort(ranges, count, sizeof *ranges, by_start);
    return count;
}

/* ---- slots ---- */

/* A linear scan: slots of all registers, into slot_of[], and the bytes of a frame. */
static void give_slots(struct builder *b, const struct range *ranges, size_t count, uint32_t *slot_of)
{
    struct size_class classes[CLASSES] = {{0}};
    uint32_t offset[CLASSES], end = 0;

    for (int c = 0; c < CLASSES; c++) {
        classes[c].heap = build_scratch(b, b->vreg_count, sizeof *classes[c].heap);
        classes[c].free_places = build_scratch(b, b->vreg_count, sizeof *classes[c].free_places);
    }
    for (size_t r = 0; r < count; r++) {
        struct size_class *c = &classes[class_of(b->vreg_size[ranges[r].vreg])];
        uint32_t place;

        while (c->heap_count && c->heap[0].to < ranges[r].from)
            c->free_places[c->free_count++] = heap_pop(c).place;
        place = c->free_count ? c->free_places[--c->free_count] : c->places++;
        heap_push(c, (struct active){ranges[r].to, place});
        slot_of[ranges[r].vreg] = place;
    }
    for (int c = CLASSES; c-- > 0;) { /* the widest first, so that all are aligned to their size */
        offset[c] = end;
        end += classes[c].places * (SLOT_BYTES << c);
    }
    b->function->register_bytes = end ? (uint32_t)round_up(end, 128) : 128;
    for (size_t v = 0; v < b->vreg_count; v++) {
        int c = class_of(b->vreg_size[v]);

        slot_of[v] = offset[c] + slot_of[v] * (SLOT_BYTES << c);
    }
}

static slot renamed(slot s, const uint32_t *slot_of)
{
    return s & 1 ? s : slot_of[s >> 1];
}

static void rename_operands(struct builder *b, const uint32_t *slot_of)
{
    for (size_t p = b->first; p < b->code_count; p++) {
        struct ins *i = &b->code[p];

        i->d = renamed(i->d, slot_of);
        i->a = renamed(i->a, slot_of);
        i->b = renamed(i->b, slot_of);
        i->c = renamed(i->c, slot_of);
        i->e = renamed(i->e, slot_of);
        i->f = renamed(i->f, slot_of);
        i->guard = renamed(i->guard, slot_of);
    }
    for (size_t n = 0; n < b->list_count; n++)
        for (uint32_t k = 0; k < b->lists[n].count; k++)
            b->lists[n].slots[k] = renamed(b->lists[n].slots[k], slot_of);
}

void allocate_registers(struct builder *b)
{
    struct flow flow = {.b = b, .count = (uint32_t)b->code_count - b->first, .vregs = b->vreg_count};
    uint32_t *slot_of = build_scratch(b, b->vreg_count, sizeof *slot_of);
    struct range *ranges = build_scratch(b, b->vreg_count, sizeof *ranges);

    flow.words = (flow.vregs + 63) / 64;
    find_blocks(b, &flow);
    find_live(b, &flow);
    b->live_at_entry = flow.live_in;
    give_slots(b, ranges, find_ranges(&flow, ranges), slot_of);
    rename_operands(b, slot_of);
}
