/*
 * regalloc.c - gives PTX's unlimited registers their slots in a frame, so that a warp's registers stay in the cache.
 *
 * Liveness over basic blocks, then a linear scan over live ranges. A range goes from its first to its last instruction,
 * holes included. A slot is free again only after the instruction that reads it last, never at it: an instruction's
 * operands are the same slot or do not overlap, which the bodies' loops rely on.
 *
 * Lanes wait at different places with different registers alive; that is safe because an instruction writes active
 * lanes only, and every register that some waiting lane needs is alive at that lane's place, hence within its range on
 * some path... A range covers all instructions between its first and last by position, so two registers share a slot
 * only if no instruction lies in both ranges; a lane waiting at instruction p keeps what is live at p, and what runs
 * meanwhile writes to its own lanes of a slot.
 */
#include <stdlib.h>
#include <string.h>

#include "program.h"

/*
 * Registers share slots only with others as wide: a lane's part of a slot is at the lane's number times the width, so
 * in a slot used with two widths the lanes of one would lie in other lanes of the other, which may wait elsewhere.
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
    uint32_t vreg, from, to; /* instructions [from, to] */
};

static int by_start(const void *a, const void *b)
{
    const struct range *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->vreg < y->vreg ? -1 : x->vreg > y->vreg;
}

struct active {
    uint32_t to, place;
};

/* A heap of active ranges by their end, and a stack of free places, for one size of register. */
struct size_class {
    struct active *heap;
    size_t heap_count;
    uint32_t *free_places;
    size_t free_count;
    uint32_t places;
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

static void extend(struct range *range, uint32_t position)
{
    if (position < range->from)
        range->from = position;
    if (position > range->to)
        range->to = position;
}

static slot renamed(slot s, const uint32_t *slot_of)
{
    return s & 1 ? s : slot_of[s >> 1];
}

void allocate_registers(struct builder *b)
{
    uint32_t first = b->first, last = (uint32_t)b->code_count, count = last - first;
    size_t vregs = b->vreg_count, words = (vregs + 63) / 64, blocks = 0;
    uint8_t *leader = calloc(count + 1, 1);
    uint32_t *block_of = calloc(count + 1, sizeof *block_of), *slot_of = calloc(vregs + 1, sizeof *slot_of);
    struct basic_block *block;
    uint64_t *live_in, *gen, *kill;
    struct range *ranges = malloc((vregs + 1) * sizeof *ranges);
    struct size_class classes[CLASSES] = {{0}};
    uint32_t offset[CLASSES], end = 0;
    size_t range_count = 0;
    bool changed = true;

    /* Basic blocks. */
    leader[0] = 1;
    for (uint32_t p = 0; p < count; p++) {
        const struct ins_facts *f = &b->facts[first + p];

        for (uint32_t t = 0; t < f->targets; t++)
            leader[b->label_at[b->targets[f->first_target + t]] - first] = 1;
        if (f->targets || !f->falls)
            leader[p + 1] = 1;
    }
    for (uint32_t p = 0; p < count; p++)
        blocks += leader[p];
    block = calloc(blocks + 1, sizeof *block);
    live_in = calloc((blocks + 1) * words + 1, sizeof *live_in);
    gen = calloc((blocks + 1) * words + 1, sizeof *gen);
    kill = calloc((blocks + 1) * words + 1, sizeof *kill);
    blocks = 0;
    for (uint32_t p = 0; p < count; p++) {
        if (leader[p]) {
            block[blocks].first = p;
            if (blocks)
                block[blocks - 1].last = p;
            blocks++;
        }
        block_of[p] = (uint32_t)blocks - 1;
    }
    if (blocks)
        block[blocks - 1].last = count;

    for (size_t k = 0; k < blocks; k++) {
        uint64_t *g = gen + k * words, *d = kill + k * words;

        for (uint32_t p = block[k].first; p < block[k].last; p++) {
            const struct ins_facts *f = &b->facts[first + p];
            const uint32_t *list = b->vregs + f->first_def;

            for (uint32_t u = 0; u < f->defs + f->uses; u++) {
                uint32_t v = list[u];
                bool is_use = u >= f->defs || f->partial;

                if (is_use && !(d[v / 64] >> (v % 64) & 1))
                    g[v / 64] |= 1ull << (v % 64);
            }
            if (!f->partial)
                for (uint32_t u = 0; u < f->defs; u++)
                    d[list[u] / 64] |= 1ull << (list[u] % 64);
        }
    }
    memcpy(live_in, gen, blocks * words * sizeof *gen);
    while (changed) {
        changed = false;
        for (size_t k = blocks; k-- > 0;) {
            const struct ins_facts *f = &b->facts[first + block[k].last - 1];
            uint64_t *in = live_in + k * words;

            for (uint32_t t = 0; t <= f->targets; t++) {
                size_t s;

                if (t < f->targets)
                    s = block_of[b->label_at[b->targets[f->first_target + t]] - first];
                else if (f->falls && k + 1 < blocks)
                    s = k + 1;
                else
                    continue;
                for (size_t n = 0; n < words; n++) {
                    uint64_t add = live_in[s * words + n] & ~kill[k * words + n] & ~in[n];

                    if (add) {
                        in[n] |= add;
                        changed = true;
                    }
                }
            }
        }
    }

    for (size_t v = 0; v < vregs; v++)
        ranges[v] = (struct range){(uint32_t)v, UINT32_MAX, 0};
    for (uint32_t p = 0; p < count; p++) {
        const struct ins_facts *f = &b->facts[first + p];

        for (uint32_t u = 0; u < f->defs + f->uses; u++)
            extend(&ranges[b->vregs[f->first_def + u]], p);
    }
    for (size_t k = 0; k < blocks; k++)
        for (size_t n = 0; n < words; n++)
            for (uint64_t set = live_in[k * words + n]; set; set &= set - 1) {
                size_t v = n * 64 + (size_t)__builtin_ctzll(set);

                extend(&ranges[v], block[k].first);
                /* Alive at the end of every predecessor. */
                if (k)
                    extend(&ranges[v], block[k].first);
            }
    for (size_t k = 0; k < blocks; k++) {
        const struct ins_facts *f = &b->facts[first + block[k].last - 1];

        for (uint32_t t = 0; t <= f->targets; t++) {
            size_t s;

            if (t < f->targets)
                s = block_of[b->label_at[b->targets[f->first_target + t]] - first];
            else if (f->falls && k + 1 < blocks)
                s = k + 1;
            else
                continue;
            for (size_t n = 0; n < words; n++)
                for (uint64_t set = live_in[s * words + n]; set; set &= set - 1)
                    extend(&ranges[n * 64 + (size_t)__builtin_ctzll(set)], block[k].last - 1);
        }
    }

    /* Linear scan. */
    for (int c = 0; c < CLASSES; c++) {
        classes[c].heap = malloc((vregs + 1) * sizeof *classes[c].heap);
        classes[c].free_places = malloc((vregs + 1) * sizeof *classes[c].free_places);
    }
    for (size_t v = 0; v < vregs; v++)
        if (ranges[v].from != UINT32_MAX)
            ranges[range_count++] = ranges[v];
    qsort(ranges, range_count, sizeof *ranges, by_start);
    for (size_t r = 0; r < range_count; r++) {
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
    b->function->register_bytes = end ? (end + 127) / 128 * 128 : 128;
    for (size_t v = 0; v < vregs; v++) {
        int c = class_of(b->vreg_size[v]);

        slot_of[v] = offset[c] + slot_of[v] * (SLOT_BYTES << c);
    }

    for (uint32_t p = first; p < last; p++) {
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

    for (int c = 0; c < CLASSES; c++) {
        free(classes[c].heap);
        free(classes[c].free_places);
    }
    free(leader);
    free(block_of);
    free(slot_of);
    free(block);
    free(live_in);
    free(gen);
    free(kill);
    free(ranges);
}
