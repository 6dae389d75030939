/*
 * table_shade.c - undefined values in shared memory, for the check of undefined registers: program_shade.c.
 *
 * The block's map has a byte for each byte of its shared memory: a bit is one where the bit there is undefined. It
 * comes into being with the first undefined value. Addresses in other memory are left out, and so are bad ones, which
 * the load or store itself reports.
 */
#include "table.h"

#include <stdlib.h>

/* The offset in the block's own shared memory where lane `l` accesses `bytes`; -1: it is elsewhere. */
static s64 own_offset(const struct warp *w, const struct ins *i, int l, unsigned bytes)
{
    u64 at = (u64)i->imm, high;

    if (i->flags & INS_ADDRESS_BASE && i->flags & INS_ADDRESS_64)
        at += ((const u64 *)slot_at(w, i->a))[l];
    else if (i->flags & INS_ADDRESS_BASE)
        at = (u32)(at + ((const u32 *)slot_at(w, i->a))[l]);
    high = at >> 32;
    if (high && (high & ~(0xFFu << (MADE_BY_AT - 32))) != WINDOW(WINDOW_SHARED) >> 32)
        return -1;
    at = (u32)at;
    return at + bytes <= w->block->shared_size ? (s64)at : -1;
}

/* A lane of a register of i->width bytes. */
static u64 lane_of(const void *S, const struct ins *i, int l)
{
    return i->width == 8 ? ((const u64 *)S)[l] : i->width == 4 ? ((const u32 *)S)[l] : ((const u16 *)S)[l];
}

static void set_lane(void *D, const struct ins *i, int l, u64 value)
{
    if (i->width == 8)
        ((u64 *)D)[l] = value;
    else if (i->width == 4)
        ((u32 *)D)[l] = (u32)value;
    else
        ((u16 *)D)[l] = (u16)value;
}

/* Whether all of shared memory is known to be written. */
static bool is_full(const struct block *b)
{
    u32 last = b->shared_size ? (b->shared_size - 1) >> b->chunk_shift : 0;

    return b->full_chunks == (2ull << last) - 1;
}

/* Whether nothing ever wrote there. */
static bool unwritten(const struct block *b, s64 at, unsigned bytes)
{
    u64 any = 0;

    for (s64 n = at >> b->unit_shift; b->writes && n <= (at + bytes - 1) >> b->unit_shift; n++)
        any |= b->writes[n];
    return b->writes && !any;
}

STEP(shade_load)
{
    const struct block *b = w->block;
    const slot *list = i->extra;

    if (w->mask == FULL_MASK && !b->shades && (!i->op || is_full(b))) {
        for (unsigned n = 0; n < i->count; n++)
            memset(slot_at(w, list[n]), 0, (size_t)LANES * i->width);
        return i + 1;
    }
    for (u32 m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        s64 at = own_offset(w, i, l, i->size * i->count);

        for (unsigned n = 0; n < i->count; n++, at += i->size) {
            u64 shadow = 0;

            if (at >= 0 && b->shades)
                memcpy(&shadow, b->shades + at, i->size);
            if (at >= 0 && i->op && unwritten(b, at, i->size))
                shadow = UINT64_MAX;
            set_lane(slot_at(w, list[n]), i, l, shadow);
            if (at < 0)
                at = -(s64)i->size - 1;
        }
    }
    return i + 1;
}

STEP(shade_store)
{
    struct block *b = w->block;
    const slot *list = i->extra;

    for (u32 m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        s64 at = own_offset(w, i, l, i->size * i->count);

        for (unsigned n = 0; at >= 0 && n < i->count; n++, at += i->size) {
            u64 shadow = lane_of(slot_at(w, list[n]), i, l);

            if (!b->shades && shadow)
                b->shades = calloc(b->shared_size, 1); /* without memory nothing is found */
            if (b->shades)
                memcpy(b->shades + at, &shadow, i->size);
        }
    }
    return i + 1;
}

const struct row LEVELED(rows_shade)[] = {
    {"@shade.load", shade_load, "", 0, CLASS_CONTROL, 0},
    {"@shade.store", shade_store, "", 0, CLASS_CONTROL, 0},
    ROWS_END,
};
