/*
 * table_async.h - stores and reductions that complete on an mbarrier, and changes of tensor maps. Only table_copy.c
 * includes it, behind table_tensor_map.h, and it is part of that file: the code of bulk copies finds the addresses.
 *
 * A store is done at once, and its bytes are there: the barrier counts them.
 */
#ifndef CUDASIM_TABLE_ASYNC_H
#define CUDASIM_TABLE_ASYNC_H

/* ---- st.async, red.async ---- */

static bool async_store_lane(struct warp *w, const struct ins *i, int l)
{
    const struct async_store *x = i->extra;
    u64 to = bulk_address(w, i->a, i->flags & INS_ADDRESS_BASE, i->flags & INS_ADDRESS_64, i->imm, l);
    unsigned bytes = (unsigned)i->size * i->count;
    char *p = bulk_place(w, i, l, to, PTX_SHARED, bytes, i->op ? ACCESS_ATOMIC : ACCESS_WRITE);

    if (!p)
        return false;
    for (unsigned n = 0; n < i->count; n++, p += i->size) {
        const char *value = (const char *)slot_at(w, x->list[n]) + (size_t)l * i->size;

        if (i->op)
            bulk_reduce(i, p, value);
        else
            memcpy(p, value, i->size);
    }
    return bulk_complete(w, i, l, bulk_address(w, i->e, x->barrier.has_barrier_base, x->barrier.barrier_wide,
                                               x->barrier.barrier_offset, l), bytes);
}

STEP(async_store)
{
    u32 mask = w->mask;
    bool good = true;

    for (u32 m = mask; m && good; m &= m - 1) {
        w->mask = m & -m;
        good = async_store_lane(w, i, __builtin_ctz(m));
    }
    w->mask = mask;
    if (!good)
        return NULL;
    w->worker->progress = true;
    return i + 1;
}

/* ---- tensormap.replace, tensormap.cp_fenceproxy ---- */

/* The values of PTX's .elemtype in its order; those of CUDA's headers are in another. */
static const u8 field_types[] = {TENSOR_MAP_U8,  TENSOR_MAP_U16, TENSOR_MAP_U32,     TENSOR_MAP_S32, TENSOR_MAP_U64,
                                 TENSOR_MAP_S64, TENSOR_MAP_F16, TENSOR_MAP_F32,     TENSOR_MAP_F32_FTZ,
                                 TENSOR_MAP_F64, TENSOR_MAP_BF16, TENSOR_MAP_TF32,   TENSOR_MAP_TF32_FTZ};

/* Sets one field of a map. False: no map may have that value. */
static bool set_field(struct tensor_map *map, const struct ins *i, u64 value)
{
    switch (i->op) {
    case FIELD_ADDRESS: map->address = value; return value % 16 == 0;
    case FIELD_RANK: map->rank = (u8)(value + 1); return value < TENSOR_MAP_RANK;
    case FIELD_BOX: map->box[i->mode] = (u16)value; return value >= 1 && value <= 256;
    case FIELD_SIZE: map->sizes[i->mode] = (u32)value - 1; return true;
    case FIELD_STRIDE: map->strides[i->mode] = value; return value % 16 == 0 && value < (u64)1 << 40;
    case FIELD_ELEMENT_STRIDE: map->element_strides[i->mode] = (u8)value; return value >= 1 && value <= 8;
    case FIELD_TYPE:
        if (value >= sizeof field_types)
            return false;
        map->type = field_types[value];
        return true;
    case FIELD_INTERLEAVE: map->interleave = (u8)value; return value <= TENSOR_MAP_INTERLEAVE_32;
    case FIELD_SWIZZLE: map->swizzle = (u8)value; return value <= TENSOR_MAP_SWIZZLE_128;
    default: map->fill = (u8)value; return value <= TENSOR_MAP_FILL_NAN;
    }
}

/* Moves the 128 bytes of a map between `map` and memory. The warp's mask must be lane l. */
static bool map_bytes(struct warp *w, const struct ins *i, int l, u64 address, u8 space, struct tensor_map *map,
                      enum access access)
{
    for (u32 n = 0; n < sizeof *map; n += 16) {
        char *p = bulk_place(w, i, l, address + n, space, 16, access);

        if (!p)
            return false;
        if (access == ACCESS_READ)
            memcpy((char *)map + n, p, 16);
        else
            memcpy(p, (char *)map + n, 16);
    }
    return true;
}

static bool replace_lane(struct warp *w, const struct ins *i, int l)
{
    u64 address = bulk_address(w, i->a, i->flags & INS_ADDRESS_BASE, i->flags & INS_ADDRESS_64, i->imm, l);
    u64 value = i->width == 8 ? ((const u64 *)slot_at(w, i->b))[l] : ((const u32 *)slot_at(w, i->b))[l];
    struct tensor_map map;

    if (!map_bytes(w, i, l, address, i->space, &map, ACCESS_READ))
        return false;
    if (map.magic != TENSOR_MAP_MAGIC || map.mode != TENSOR_MAP_TILED || !set_field(&map, i, value)) {
        fault_at(w, i, (unsigned)l, FAULT_ILLEGAL_ADDRESS, address,
                 map.magic != TENSOR_MAP_MAGIC || map.mode != TENSOR_MAP_TILED
                     ? "no tiled tensor map at 0x%llx to be changed"
                     : "the tensor map at 0x%llx cannot have that value in this field",
                 (unsigned long long)address);
        return false;
    }
    return map_bytes(w, i, l, address, i->space, &map, ACCESS_WRITE);
}

STEP(map_replace)
{
    u32 mask = w->mask;
    bool good = true;

    for (u32 m = mask; m && good; m &= m - 1) {
        w->mask = m & -m;
        good = replace_lane(w, i, __builtin_ctz(m));
    }
    w->mask = mask;
    return good ? i + 1 : NULL;
}

/* The warp copies one map: all lanes name the same. */
STEP(map_copy)
{
    const struct bulk *x = i->extra;
    u32 mask = w->mask;
    int l = __builtin_ctz(mask);
    struct tensor_map map;
    bool good;

    w->mask = mask & -mask;
    good = map_bytes(w, i, l, bulk_address(w, i->b, x->has_from_base, x->from_wide, x->from_offset, l), x->from_space,
                     &map, ACCESS_READ) &&
           map_bytes(w, i, l, bulk_address(w, i->a, i->flags & INS_ADDRESS_BASE, i->flags & INS_ADDRESS_64, i->imm, l),
                     i->space, &map, ACCESS_WRITE);
    w->mask = mask;
    w->worker->progress = true;
    return good ? i + 1 : NULL;
}

#endif
