/*
 * table_tensor_map.h - copies by tensor maps: boxes of a tensor, or columns of pixels (im2col), to and from shared
 * memory. Only table_copy.c includes it, and it is part of that file: the code of bulk copies moves a box.
 *
 * Rows of a box lie in shared memory one behind the other, dimension 0 first. A swizzle is applied to the addresses.
 * Elements outside of the tensor are filled with zeros (or with NaN, if the map says so), and are not stored.
 *
 * An interleaved tensor has units of 16 or 32 bytes, the channels of a slice, in place of elements. Its dimensions are
 * the spatial ones (W first), then slices, then images. A box has one slice, whatever the map's box says there.
 */
#ifndef CUDASIM_TABLE_TENSOR_MAP_H
#define CUDASIM_TABLE_TENSOR_MAP_H

#include "contrib/cudasim/base/tensor_map.h"

enum { TENSOR_SHARED_ALIGN = 128 }; /* bytes; an H200 stops at other addresses with "misaligned address" */

/* A copy in progress, of lane `lane`. */
struct tensor_work {
    struct warp *w;
    const struct ins *i;
    const struct tensor_copy *x;
    struct tensor_map map;
    struct ins reduce;   /* for bulk_reduce(): the operation and the type */
    int lane;
    u32 element;         /* bytes */
    u32 unit;            /* bytes that one index of dimension 0 stands for */
    u32 row, pitch;      /* bytes of a row of the box, and to the next one if that is more */
    u64 shared;          /* the box's address in shared memory */
    u32 filled;          /* bytes of the box so far */
    u32 rank;            /* of the block that it goes to, with multicast */
};

static const u8 tensor_types[TENSOR_MAP_TYPES] = {PTX_U8,  PTX_U16, PTX_U32,  PTX_S32, PTX_U64, PTX_S64, PTX_F16,
                                                  PTX_F32, PTX_F64, PTX_BF16, PTX_F32, PTX_F32, PTX_F32};

/* What an H200 fills with, for halves. It is a NaN of every other floating-point type, too. */
static const u16 tensor_nan = 0x7FF7;

/* Where byte `at` of the box lies in shared memory. A row shorter than the swizzle has a gap behind it. */
static u64 tensor_swizzled(const struct tensor_work *t, u32 at)
{
    static const u32 masks[4] = {0, 1, 3, 7};
    u64 address = t->shared + (t->row < t->pitch ? at / t->row * t->pitch + at % t->row : at);

    return address ^ (address >> 7 & masks[t->map.swizzle & 3]) << 4;
}

static void *tensor_shared(struct tensor_work *t, u32 at, unsigned bytes, enum access access)
{
    u64 address = tensor_swizzled(t, at);

    if (t->x->multicast)
        address = bulk_in_block(address, t->rank);
    return bulk_place(t->w, t->i, t->lane, address, PTX_SHARED, bytes, access);
}

/* A load of type tf32 rounds to the nearest, ties to even, as an H200 does. Subnormals stay. */
static void tensor_narrow(const struct tensor_work *t, u8 *data, u32 bytes)
{
    if (t->map.type != TENSOR_MAP_TF32 && t->map.type != TENSOR_MAP_TF32_FTZ)
        return;
    for (u32 n = 0; n < bytes; n += sizeof(u32)) {
        u32 x;

        memcpy(&x, data + n, sizeof x);
        if ((x >> 23 & 0xFF) != 0xFF)
            x = (x + 0xFFF + (x >> 13 & 1)) & ~0x1FFFu;
        memcpy(data + n, &x, sizeof x);
    }
}

/* `bytes` of one row: `address` in global memory, or 0 where it is outside of the tensor. */
static bool tensor_run(struct tensor_work *t, u64 address, u32 bytes)
{
    for (u32 n = 0; n < bytes;) {
        u32 part = t->i->op ? t->element : 16;
        u8 data[16];
        void *p;

        while (part > t->element && (part > bytes - n || (((address ? address : 0) + n) | (t->filled)) % part))
            part /= 2;
        if (t->x->loads) {
            memset(data, 0, sizeof data);
            if (address) {
                if (!(p = bulk_place(t->w, t->i, t->lane, address + n, PTX_GLOBAL, part, ACCESS_READ)))
                    return false;
                memcpy(data, p, part);
                tensor_narrow(t, data, part);
            } else if (t->map.fill == TENSOR_MAP_FILL_NAN) {
                for (unsigned b = 0; b < sizeof data; b += sizeof tensor_nan)
                    memcpy(data + b, &tensor_nan, sizeof tensor_nan);
            }
            if (!(p = tensor_shared(t, t->filled, part, ACCESS_WRITE)))
                return false;
            memcpy(p, data, part);
        } else if (address) {
            if (!(p = tensor_shared(t, t->filled, part, ACCESS_READ)))
                return false;
            memcpy(data, p, part);
            race_bulk_reads(t->w, t->i, (unsigned)t->lane, p, part, true);
            if (!(p = bulk_place(t->w, t->i, t->lane, address + n, PTX_GLOBAL, part,
                                 t->i->op ? ACCESS_ATOMIC : ACCESS_WRITE)))
                return false;
            if (t->i->op)
                bulk_reduce(&t->reduce, p, data);
            else
                memcpy(p, data, part);
        }
        n += part;
        t->filled += part;
    }
    return true;
}

/* One row: `count` units of dimension 0 from at[0] on, `stride` apart, at the other coordinates. */
static bool tensor_row(struct tensor_work *t, const s64 *at, u32 count, u32 stride)
{
    const struct tensor_map *m = &t->map;
    u64 row = m->address;
    bool inside = true;
    s64 size = (s64)m->sizes[0] + 1;

    for (u32 d = 1; d < m->rank; d++) {
        inside &= at[d] >= 0 && at[d] <= (s64)m->sizes[d];
        row += (u64)(inside ? at[d] : 0) * m->strides[d - 1];
    }
    for (u32 n = 0; n < count;) {
        s64 from = at[0] + (s64)n * stride;
        bool here = inside && from >= 0 && from < size;
        u32 run = 1;

        if (stride == 1 && here)
            run = size - from < count - n ? (u32)(size - from) : count - n;
        else if (stride == 1)
            run = inside && from < 0 && -from < count - n ? (u32)-from : count - n;
        if (!tensor_run(t, here ? row + (u64)from * t->unit : 0, run * t->unit))
            return false;
        n += run;
    }
    return true;
}

/* Elements from one that is taken to the next. Without interleaving those of dimension 0 are side by side. */
static inline u32 tensor_step(const struct tensor_map *m, u32 d)
{
    return d == 0 && !m->interleave ? 1 : m->element_strides[d];
}

static bool tensor_box(struct tensor_work *t, const s64 *start)
{
    const struct tensor_map *m = &t->map;
    u32 index[TENSOR_MAP_RANK] = {0}, count[TENSOR_MAP_RANK] = {1, 1, 1, 1, 1}, d;
    s64 at[TENSOR_MAP_RANK] = {start[0]};

    for (d = 0; d < m->rank; d++)
        count[d] = (m->box[d] + tensor_step(m, d) - 1) / tensor_step(m, d);
    if (m->interleave)
        count[m->rank - 2] = 1;
    for (;;) {
        for (d = 1; d < m->rank; d++)
            at[d] = start[d] + (s64)index[d] * tensor_step(m, d);
        if (!tensor_row(t, at, count[0], tensor_step(m, 0)))
            return false;
        for (d = 1; d < m->rank && ++index[d] == count[d]; d++)
            index[d] = 0;
        if (d >= m->rank)
            return true;
    }
}

/* Pixels one behind the other, within the corners' box: W first, then H and D, then the next image. */
static bool tensor_pixels(struct tensor_work *t, const s64 *start, const s64 *offset)
{
    const struct tensor_map *m = &t->map;
    u32 first = m->interleave ? 0 : 1, end = first + m->rank - 2u, last = m->rank - 1u; /* first to end are spatial */
    s64 base[TENSOR_MAP_RANK], at[TENSOR_MAP_RANK];

    memcpy(base, start, sizeof base);
    for (u32 n = 0; n < m->pixels; n++) {
        u32 d;

        memcpy(at, base, sizeof at);
        for (d = first; d < end; d++)
            at[d] += offset[d - first];
        if (!tensor_row(t, at, m->interleave ? 1 : m->channels, 1))
            return false;
        for (d = first; d < end; d++) {
            base[d] += m->element_strides[d];
            if (base[d] <= (s64)m->sizes[d] + m->upper[d - first])
                break;
            base[d] = m->lower[d - first];
        }
        if (d == end)
            base[last]++;
    }
    return true;
}

/* An interleaved box has no gaps. */
static void tensor_rows(struct tensor_work *t)
{
    const struct tensor_map *m = &t->map;

    t->row = (m->mode == TENSOR_MAP_IM2COL ? m->channels : (m->box[0] + tensor_step(m, 0) - 1) / tensor_step(m, 0)) *
             t->element;
    t->pitch = m->swizzle && !m->interleave ? 16u << m->swizzle : 0;
}

/* The map's bytes, checked. */
static bool tensor_map_read(struct tensor_work *t)
{
    const struct bulk *x = &t->x->addresses;
    u64 address = bulk_address(t->w, t->i->b, x->has_from_base, x->from_wide, x->from_offset, t->lane);

    for (u32 n = 0; n < sizeof t->map; n += 16) {
        void *p = bulk_place(t->w, t->i, t->lane, address + n, PTX_SPACE_NONE, 16, ACCESS_READ);

        if (!p)
            return false;
        memcpy((u8 *)&t->map + n, p, 16);
    }
    t->element = tensor_map_element(t->map.type);
    if (t->map.magic != TENSOR_MAP_MAGIC || t->map.rank != t->x->rank || !t->element ||
        (t->map.mode == TENSOR_MAP_IM2COL) != t->x->im2col) {
        fault_at(t->w, t->i, (unsigned)t->lane, FAULT_ILLEGAL_ADDRESS, address,
                 "no tensor map of %u dimensions and of the instruction's mode at 0x%llx", t->x->rank,
                 (unsigned long long)address);
        return false;
    }
    t->unit = tensor_map_unit(&t->map);
    tensor_rows(t);
    t->reduce.mode = tensor_types[t->map.type];
    t->reduce.size = (u8)t->element;
    return true;
}

static bool tensor_barrier(struct tensor_work *t)
{
    const struct bulk *x = &t->x->addresses;
    u64 address = bulk_address(t->w, t->i->e, x->has_barrier_base, x->barrier_wide, x->barrier_offset, t->lane);

    return bulk_complete(t->w, t->i, t->lane, t->x->multicast ? bulk_in_block(address, t->rank) : address, t->filled);
}

/* An H200 stops with an illegal instruction at the places that are refused here, whatever the type. */
static bool tensor_start_allowed(struct tensor_work *t, const s64 *start)
{
    if (start[0] * (s64)t->unit % 16) {
        fault_at(t->w, t->i, (unsigned)t->lane, FAULT_MISALIGNED, 0,
                 "copy by a tensor map from element %lld of %u bytes on, which is not a multiple of 16 bytes",
                 (long long)start[0], t->element);
        return false;
    }
    for (u32 d = 0; d < t->map.rank && !t->x->loads; d++)
        if (start[d] < 0) {
            fault_at(t->w, t->i, (unsigned)t->lane, FAULT_OUT_OF_BOUNDS, 0,
                     "store by a tensor map at coordinate %lld of dimension %u: only loads may begin before a tensor",
                     (long long)start[d], d);
            return false;
        }
    return true;
}

static bool tensor_lane(struct warp *w, const struct ins *i, int l)
{
    const struct tensor_copy *x = i->extra;
    struct tensor_work t = {.w = w, .i = i, .x = x, .reduce = *i, .lane = l};
    u32 blocks = x->multicast ? ((const u32 *)slot_at(w, x->list[TENSOR_MASK]))[l] & 0xFFFF : 1;
    s64 start[TENSOR_MAP_RANK] = {0}, offset[3];

    if (!tensor_map_read(&t))
        return false;
    for (u32 d = 0; d < x->rank; d++)
        start[d] = ((const s32 *)slot_at(w, x->list[d]))[l];
    for (u32 d = 0; d < 3; d++)
        offset[d] = ((const u32 *)slot_at(w, x->list[TENSOR_OFFSETS + d]))[l] & 0xFFFF;
    if (!tensor_start_allowed(&t, start))
        return false;
    t.shared = bulk_address(w, i->a, i->flags & INS_ADDRESS_BASE, i->flags & INS_ADDRESS_64, i->imm, l);
    if (t.shared % TENSOR_SHARED_ALIGN) {
        fault_at(w, i, (unsigned)l, FAULT_MISALIGNED, t.shared & 0xFFFFFF,
                 "copy by a tensor map at offset %llu of shared memory, which is not a multiple of %u",
                 (unsigned long long)(t.shared & 0xFFFFFF), TENSOR_SHARED_ALIGN);
        return false;
    }
    for (; blocks; blocks &= blocks - 1) {
        t.rank = (u32)__builtin_ctz(blocks);
        t.filled = 0;
        if (!(x->im2col ? tensor_pixels(&t, start, offset) : tensor_box(&t, start)) ||
            (x->loads && !tensor_barrier(&t)))
            return false;
    }
    return true;
}

/* Whether lane l stores what the lane before it stores, to the same place. */
static bool tensor_repeats(const struct warp *w, const struct ins *i, u32 mask, int l)
{
    const struct tensor_copy *x = i->extra;
    const struct bulk *a = &x->addresses;

    if (!l || !(mask >> (l - 1) & 1) || i->op || x->loads)
        return false;
    for (u32 d = 0; d < x->rank; d++) {
        const s32 *at = slot_at(w, x->list[d]);

        if (at[l] != at[l - 1])
            return false;
    }
    return bulk_address(w, i->a, i->flags & INS_ADDRESS_BASE, i->flags & INS_ADDRESS_64, 0, l) ==
               bulk_address(w, i->a, i->flags & INS_ADDRESS_BASE, i->flags & INS_ADDRESS_64, 0, l - 1) &&
           bulk_address(w, i->b, a->has_from_base, a->from_wide, 0, l) ==
               bulk_address(w, i->b, a->has_from_base, a->from_wide, 0, l - 1);
}

STEP(tensor_copy)
{
    struct worker *k = w->worker;
    u32 mask = w->mask;
    bool good = true, counting = k->counting;

    k->counting = false; /* the parts that a box is moved in are no requests */
    for (u32 m = mask; m && good; m &= m - 1) {
        int l = __builtin_ctz(m);

        if (tensor_repeats(w, i, mask, l))
            continue;
        w->mask = m & -m;
        good = tensor_lane(w, i, l);
    }
    w->mask = mask;
    k->counting = counting;
    if (!good)
        return NULL;
    k->progress = true;
    return i + 1;
}

#endif
