/*
 * table_texture.c - tex, tld4, txq, suld, sust, sured and suq. A body finds the object that each lane names, checks
 * that its memory is still there, and fetches lane by lane. machine/texture.c does the arithmetic.
 *
 * Enum texture_operand gives the order of operands in the list `extra`.
 */
#include "contrib/cudasim/base/atomic.h"
#include "contrib/cudasim/machine/texture.h"
#include "table_half.h"

/* The last byte of a level, plus 1. */
static u64 level_end(const struct texture_level *v, unsigned bytes)
{
    return v->base + (v->depth - 1) * v->slice + (v->height - 1) * v->pitch + (u64)v->width * bytes;
}

/* The object of the lane before is mostly this lane's, too. */
struct recent {
    u64 handle;
    const struct sim_texture *texture;
    bool races, unwritten; /* its texels are looked at by the check for races, or for memory that was never written */
};

/*
 * The checks that the object's memory needs. A kernel that stores to surfaces may store to any array; other arrays do
 * not change while it runs.
 */
static void note_checks(const struct warp *w, const struct region *region, enum access access, struct recent *recent)
{
    struct launch *launch = w->worker->launch;

    recent->races |= launch->pages && (launch->kernel->paints || race_watches(launch, region, access));
    recent->unwritten |= w->worker->sim_check_written && !__atomic_load_n(&region->written, __ATOMIC_ACQUIRE);
}

/* Whether the object's memory may be read: NULL after a fault. */
static const struct sim_texture *alive(struct warp *w, const struct ins *i, unsigned l, const struct sim_texture *t,
                                       struct recent *recent)
{
    const struct region *region;

    for (u32 n = 0; n < t->level_count; n++) {
        region = memory_find(sim_memory(w->worker->sim), t->levels[n].base, NULL);
        if (!region || region->freed || level_end(&t->levels[n], texture_bytes(t)) > region->base + region->size) {
            fault_at(w, i, l, FAULT_USE_AFTER_FREE, t->levels[n].base,
                     "the memory of the %s object was freed", t->surface ? "surface" : "texture");
            return NULL;
        }
        note_checks(w, region, i->paints ? ACCESS_WRITE : ACCESS_READ, recent);
    }
    return t;
}

/* The object that lane `l` names. NULL after a fault. */
static const struct sim_texture *object(struct warp *w, const struct ins *i, unsigned l, bool surface,
                                        struct recent *recent)
{
    u64 handle = ((const u64 *)slot_at(w, i->a))[l];
    const struct sim_texture *t = sim_texture_find(w->worker->sim, handle);
    unsigned shape = i->op & TEXTURE_SHAPE_BITS;
    bool layered;

    if (!t || t->surface != surface) {
        fault_at(w, i, l, FAULT_ILLEGAL_ADDRESS, handle, "%llu is no %s object", (unsigned long long)handle,
                 surface ? "surface" : "texture");
        return NULL;
    }
    /* Instructions on surfaces know no cubes: their faces are layers. */
    layered = t->layered || (surface && t->shape == TEXTURE_CUBE);
    if (shape != TEXTURE_ANY_SHAPE &&
        (layered != !!(i->op & TEXTURE_IS_LAYERED) ||
         (shape != t->shape && !(shape == TEXTURE_1D && t->shape == TEXTURE_LINEAR) &&
          !(surface && shape == TEXTURE_2D && t->shape == TEXTURE_CUBE)))) {
        fault_at(w, i, l, FAULT_ILLEGAL_ADDRESS, handle, "the %s object is of another shape than the instruction",
                 surface ? "surface" : "texture");
        return NULL;
    }
    return alive(w, i, l, t, recent);
}

static const struct sim_texture *object_again(struct warp *w, const struct ins *i, unsigned l, bool surface,
                                              struct recent *recent)
{
    u64 handle = ((const u64 *)slot_at(w, i->a))[l];

    if (!recent->texture || recent->handle != handle) {
        recent->handle = handle;
        recent->texture = object(w, i, l, surface, recent);
    }
    return recent->texture;
}

/* For the report: one request, of as many bytes as its lanes asked for. */
static void count_fetch(struct warp *w, const struct ins *i, unsigned bytes)
{
    struct event *e = &w->worker->events[i->event - 1];
    unsigned lanes = (unsigned)__builtin_popcount(w->mask), sectors = (lanes * bytes + 31) / 32;

    if (!w->worker->counting)
        return;
    e->requests++;
    e->lanes += lanes;
    e->bytes += lanes * bytes;
    e->units += sectors; /* texture caches gather neighbours in two dimensions: nothing is known of more */
    e->ideal += sectors;
}

#define WORD(n) (((const u32 *)slot_at(w, s[n]))[l])
#define FLOAT(n) f32_from(WORD(n))

static struct texture_fetch fetch_of(const struct warp *w, const struct ins *i, const slot *s, int l)
{
    struct texture_fetch f = {.integers = i->mode & TEXTURE_INTEGERS, .layer = WORD(OPERAND_LAYER),
                              .gather = (i->mode >> TEXTURE_GATHER_SHIFT) - 1};

    for (int n = 0; n < 3; n++) {
        f.at[n] = (s32)WORD(OPERAND_X + n);
        f.x[n] = FLOAT(OPERAND_X + n);
        f.offset[n] = (s32)WORD(OPERAND_OFFSET + n);
    }
    f.lod = i->mode & TEXTURE_INTEGERS && !(i->mode & TEXTURE_LEVEL_FLOAT) ? (f32)(s32)WORD(OPERAND_LEVEL)
                                                                           : FLOAT(OPERAND_LEVEL);
    return f;
}

/*
 * The lanes of `lanes` access texels at w->address, by textures or surfaces. The checks are those of other accesses to
 * global memory. Texels that are smaller than the units of the check for races are not looked at by it.
 */
static void check_texels(struct warp *w, const struct ins *i, u32 lanes, unsigned bytes, enum access access,
                         const struct recent *recent)
{
    u32 all = w->mask;

    if (!(recent->races || recent->unwritten || w->worker->traffic))
        return;
    w->mask = lanes;
    if (recent->unwritten && access != ACCESS_WRITE)
        access_written(w, i, bytes);
    if (recent->unwritten && access != ACCESS_READ)
        access_note(w, bytes);
    if (recent->races && bytes >> w->block->launch->global_shift)
        race_global(w, i, bytes, access, (struct extent){SPREAD_ANY, 0, 0});
    if (w->worker->traffic)
        traffic_access(w, i, bytes, access, false);
    w->mask = all;
}

/* The texels of lane `l`'s fetch. */
static void check_fetch(struct warp *w, const struct ins *i, int l, const struct recent *recent,
                        const struct texels *read)
{
    for (unsigned n = 0; n < read->count; n++) {
        w->address[l] = read->at[n];
        check_texels(w, i, 1u << l, texture_bytes(recent->texture), ACCESS_READ, recent);
    }
}

/* The texels have no such channel, and the value is used. */
static void lacks_channels(struct warp *w, const struct ins *i, unsigned l, unsigned channels)
{
    fault_warn(w, i, l, FAULT_UNINITIALISED, ((const u64 *)slot_at(w, i->a))[l],
               "read of channel %u of a texture that has %u: the value is 0, and nothing was written there",
               (unsigned)__builtin_ctz(i->results >> channels) + channels + 1, channels);
}

STEP(tex)
{
    const slot *s = i->extra;
    u32 *D[4];
    struct recent recent = {0};
    struct texels read;

    float_default(w);
    for (int c = 0; c < 4; c++)
        D[c] = slot_at(w, s[c]);
    for (u32 m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        const struct sim_texture *t = object_again(w, i, (unsigned)l, false, &recent);
        struct texture_fetch f;
        struct texel texel;

        if (!t)
            return NULL;
        if (i->results >> t->channels && w->worker->sim_check_written)
            lacks_channels(w, i, (unsigned)l, t->channels);
        f = fetch_of(w, i, s, l);
        if (i->mode & TEXTURE_GRADIENTS) {
            f32 dx[3], dy[3];

            for (int n = 0; n < 3; n++) {
                dx[n] = FLOAT(OPERAND_DX + n);
                dy[n] = FLOAT(OPERAND_DY + n);
            }
            f.lod = texture_lod(t, dx, dy);
        }
        read.count = 0;
        f.read = recent.races || recent.unwritten || w->worker->traffic ? &read : NULL;
        texel = texture_sample(t, &f);
        check_fetch(w, i, l, &recent, &read);
        if (i->width == 2) { /* .f16x2 */
            for (int c = 0; c < 2; c++)
                D[c][l] = narrow_f16(texel.word[2 * c]) |
                          (u32)narrow_f16(texel.word[2 * c + 1]) << 16;
        } else {
            for (int c = 0; c < 4; c++)
                D[c][l] = texel.word[c];
        }
        if (s[OPERAND_RESIDENT] != 1)
            ((u32 *)slot_at(w, s[OPERAND_RESIDENT]))[l] = ~0u;
    }
    count_fetch(w, i, recent.texture ? texture_bytes(recent.texture) : 0);
    return i + 1;
}

/* Numbers of cudaChannelFormat, as cl_channel_type and cl_channel_order have them. */
static u32 query(const struct sim_texture *t, u8 what, u32 level)
{
    static const u16 types[3][3] = {{0x10D7, 0x10D8, 0x10D9}, {0x10DA, 0x10DB, 0x10DC}, {0, 0x10DD, 0x10DE}};
    const struct texture_level *v = &t->levels[level < t->level_count ? level : t->level_count - 1];
    u32 cubes = t->shape == TEXTURE_CUBE ? 6 : 1;
    int size = t->bits == 8 ? 0 : t->bits == 16 ? 1 : 2;

    switch (what) {
    case QUERY_WIDTH: return v->width;
    case QUERY_HEIGHT: return v->height;
    case QUERY_DEPTH: return t->shape == TEXTURE_3D ? v->depth : 1;
    case QUERY_ARRAY_SIZE: return t->layered ? v->depth / cubes : 0;
    case QUERY_LEVELS: return t->level_count;
    case QUERY_NORMALISED: return t->normalised_coordinates;
    case QUERY_CHANNEL_TYPE: return types[t->kind][size];
    case QUERY_CHANNEL_ORDER: return t->channels == 1 ? 0x10B0 : t->channels == 2 ? 0x10B2 : 0x10B5;
    default: return 1; /* samples */
    }
}

STEP(txq)
{
    const slot *s = i->extra;
    u32 *D = slot_at(w, i->d);
    struct recent recent = {0};

    for (u32 m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        const struct sim_texture *t = object_again(w, i, (unsigned)l, i->mode & TEXTURE_IS_SURFACE, &recent);

        if (!t)
            return NULL;
        D[l] = query(t, (u8)i->imm, WORD(OPERAND_LEVEL));
    }
    return i + 1;
}

/* ---- surfaces ---- */

/* Brings an index into 0 .. n - 1 as the instruction says. False: it is outside, and nothing is to be done. */
static bool surface_index(const struct ins *i, s64 *at, s64 n, bool *trap)
{
    if (*at >= 0 && *at < n)
        return true;
    if (i->mode & SURFACE_CLAMP) {
        *at = *at < 0 ? 0 : n - 1;
        return true;
    }
    *trap |= !(i->mode & SURFACE_ZERO);
    return false;
}

enum surface_place { SURFACE_FAULT, SURFACE_NOWHERE, SURFACE_HERE };

/* Where a lane accesses a surface: x counts bytes, or texels of sust.p. */
static enum surface_place surface_at(struct warp *w, const struct ins *i, const slot *s, int l,
                                     const struct sim_texture *t, u8 **place)
{
    const struct texture_level *v = &t->levels[0];
    s64 bytes = texture_bytes(t), unit = i->mode & SURFACE_FORMATTED ? 1 : bytes, asked = i->imm;
    s64 x = (s32)WORD(OPERAND_X), y = 0, z = 0, within = x % unit;
    bool trap = false, inside;

    if (within && !(i->mode & SURFACE_FORMATTED)) {
        fault_at(w, i, (unsigned)l, FAULT_MISALIGNED, (u64)x, "x of %lld bytes, and a texel has %lld", (long long)x,
                 (long long)bytes);
        return SURFACE_FAULT;
    }
    if (asked > bytes) {
        fault_at(w, i, (unsigned)l, FAULT_OUT_OF_BOUNDS, (u64)x, "access of %lld bytes to texels of %lld",
                 (long long)asked, (long long)bytes);
        return SURFACE_FAULT;
    }
    x = (x - (within < 0 ? within + unit : within)) / unit;
    if (t->shape >= TEXTURE_2D)
        y = (s32)WORD(OPERAND_Y);
    if (t->shape == TEXTURE_3D)
        z = (s32)WORD(OPERAND_Z);
    else if (t->layered || t->shape == TEXTURE_CUBE)
        z = (s32)WORD(OPERAND_LAYER);
    inside = surface_index(i, &x, v->width, &trap);
    inside &= surface_index(i, &y, v->height, &trap);
    inside &= surface_index(i, &z, v->depth, &trap);
    if (trap) {
        fault_at(w, i, (unsigned)l, FAULT_OUT_OF_BOUNDS, v->base,
                 "surface access at (%lld, %lld, %lld), outside of %u x %u x %u texels", (long long)x, (long long)y,
                 (long long)z, v->width, v->height, v->depth);
        return SURFACE_FAULT;
    }
    if (!inside)
        return SURFACE_NOWHERE;
    *place = (u8 *)(uintptr_t)texture_at(v, (u64)bytes, (u32)x, (u32)y, (u32)z);
    return SURFACE_HERE;
}

static void lane_put(struct warp *w, slot s, int l, unsigned width, u64 value)
{
    if (width == 8)
        ((u64 *)slot_at(w, s))[l] = value;
    else if (width == 4)
        ((u32 *)slot_at(w, s))[l] = (u32)value;
    else
        ((u16 *)slot_at(w, s))[l] = (u16)value;
}

static u64 lane_get(const struct warp *w, slot s, int l, unsigned width)
{
    return width == 8 ? ((const u64 *)slot_at(w, s))[l]
                      : width == 4 ? ((const u32 *)slot_at(w, s))[l] : ((const u16 *)slot_at(w, s))[l];
}

STEP(suld)
{
    const slot *s = i->extra;
    struct recent recent = {0};

    for (u32 m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        const struct sim_texture *t = object_again(w, i, (unsigned)l, true, &recent);
        enum surface_place found;
        u8 *p = NULL;

        if (!t || !(found = surface_at(w, i, s, l, t, &p)))
            return NULL;
        w->address[l] = (uintptr_t)p;
        if (found == SURFACE_HERE)
            check_texels(w, i, 1u << l, (unsigned)i->size * i->count, ACCESS_READ, &recent);
        for (int c = 0; c < i->count; c++) {
            u64 value = 0;

            if (found == SURFACE_HERE)
                memcpy(&value, p + c * i->size, i->size);
            lane_put(w, s[c], l, i->width, value);
        }
    }
    count_fetch(w, i, (unsigned)i->size * i->count);
    return i + 1;
}

/* sust.p: each channel is brought to the format of the surface. */
static void put_formatted(const struct sim_texture *t, u8 *p, int channel, u32 value)
{
    s64 top = (1ll << (t->kind == TEXTURE_SIGNED ? t->bits - 1 : t->bits)) - 1;

    if (t->kind == TEXTURE_FLOAT && t->bits == 16)
        value = narrow_f16(value);
    else if (t->kind == TEXTURE_SIGNED && t->bits < 32)
        value = (u32)((s32)value > top ? top : (s32)value < -top - 1 ? -top - 1 : (s32)value);
    else if (t->kind == TEXTURE_UNSIGNED && t->bits < 32)
        value = (u32)(value > top ? top : value);
    memcpy(p + channel * t->bits / 8, &value, t->bits / 8u);
}

STEP(sust)
{
    const slot *s = i->extra;
    struct recent recent = {0};

    float_default(w);
    for (u32 m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        const struct sim_texture *t = object_again(w, i, (unsigned)l, true, &recent);
        enum surface_place found;
        u8 *p = NULL;

        if (!t || !(found = surface_at(w, i, s, l, t, &p)))
            return NULL;
        w->address[l] = (uintptr_t)p;
        if (found == SURFACE_HERE)
            check_texels(w, i, 1u << l, i->mode & SURFACE_FORMATTED ? texture_bytes(t) : (unsigned)i->size * i->count,
                         ACCESS_WRITE, &recent);
        for (int c = 0; found == SURFACE_HERE && c < i->count; c++) {
            u64 value = lane_get(w, s[c], l, i->width);

            if (!(i->mode & SURFACE_FORMATTED))
                memcpy(p + c * i->size, &value, i->size);
            else if (c < t->channels)
                put_formatted(t, p, c, (u32)value);
        }
    }
    w->worker->progress = true;
    count_fetch(w, i, (unsigned)i->size * i->count);
    return i + 1;
}

static u64 reduce(u8 type, s64 op, u64 a, u64 b)
{
    bool is_signed = type == PTX_S32 || type == PTX_S64, wide = type == PTX_U64 || type == PTX_S64;
    s64 x = wide ? (s64)a : (s32)a, y = wide ? (s64)b : (s32)b;

    switch (op) {
    case ATOMIC_ADD: return a + b;
    case ATOMIC_MIN: return is_signed ? (u64)(x < y ? x : y) : a < b ? a : b;
    case ATOMIC_MAX: return is_signed ? (u64)(x > y ? x : y) : a > b ? a : b;
    case ATOMIC_AND: return a & b;
    case ATOMIC_OR: return a | b;
    default: return a ^ b;
    }
}

/* sured: ins->scope is the operation, ins->count the type of the value. Of sured.p the surface has the type. */
STEP(sured)
{
    const slot *s = i->extra;
    struct recent recent = {0};

    for (u32 m = w->mask; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        const struct sim_texture *t = object_again(w, i, (unsigned)l, true, &recent);
        enum surface_place found;
        u8 *p = NULL, type = i->count;
        u64 value = lane_get(w, s[0], l, i->width);

        if (!t || !(found = surface_at(w, i, s, l, t, &p)))
            return NULL;
        if (found != SURFACE_HERE)
            continue;
        w->address[l] = (uintptr_t)p;
        check_texels(w, i, 1u << l, i->size, ACCESS_ATOMIC, &recent);
        if (i->mode & SURFACE_FORMATTED && t->kind == TEXTURE_SIGNED)
            type = i->size == 8 ? PTX_S64 : PTX_S32;
        else if (i->mode & SURFACE_FORMATTED)
            type = i->size == 8 ? PTX_U64 : PTX_U32;
        if (i->size == 8) {
            u64 old = __atomic_load_n((u64 *)(void *)p, __ATOMIC_RELAXED);

            while (!__atomic_compare_exchange_n((u64 *)(void *)p, &old, reduce(type, i->scope, old, value), false,
                                                __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
                ;
        } else {
            u32 old = __atomic_load_n((u32 *)(void *)p, __ATOMIC_RELAXED);

            while (!__atomic_compare_exchange_n((u32 *)(void *)p, &old, (u32)reduce(type, i->scope, old, value),
                                                false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
                ;
        }
    }
    w->worker->progress = true;
    return i + 1;
}

const struct row LEVELED(rows_texture)[] = {
    {"@tex", tex, "", 0, CLASS_GLOBAL_LOAD, 0},
    {"@txq", txq, "", 0, CLASS_COMPUTATION, 0},
    {"@suld", suld, "", 0, CLASS_GLOBAL_LOAD, 0},
    {"@sust", sust, "", 0, CLASS_GLOBAL_STORE, 0},
    {"@sured", sured, "", 0, CLASS_GLOBAL_STORE, 0},
    ROWS_END,
};
