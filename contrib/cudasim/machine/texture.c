/*
 * texture.c - fetches from textures: addresses, filters, mipmaps and cubes. texture.h describes the records.
 *
 * table_texture.c calls it for every lane. runtime_texture.c creates and destroys the records through it. It knows
 * neither warps nor PTX.
 */
#include "texture.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

#define HANDLES (1u << 20)
#define FRACTION 256 /* steps of a coordinate between two texels */
#define FIXED_LIMIT 1e9 /* texels: beyond it a coordinate is outside of everything */

/* ---- handles ---- */

uint64_t sim_texture_create(struct sim *sim, const struct sim_texture *texture)
{
    struct sim_texture *copy;

    if (!sim->textures)
        sim->textures = calloc(HANDLES, sizeof *sim->textures); /* pages come as they are touched */
    if (!sim->textures || sim->texture_count + 1 >= HANDLES)
        return 0;
    copy = malloc(sizeof *copy);
    if (!copy)
        return 0;
    *copy = *texture;
    __atomic_store_n(&sim->textures[++sim->texture_count], copy, __ATOMIC_RELEASE);
    return sim->texture_count;
}

bool sim_texture_destroy(struct sim *sim, uint64_t handle)
{
    struct sim_texture *texture = (struct sim_texture *)(uintptr_t)sim_texture_find(sim, handle);

    if (!texture)
        return false;
    __atomic_store_n(&sim->textures[handle], NULL, __ATOMIC_RELEASE);
    free(texture);
    return true;
}

const struct sim_texture *sim_texture_find(const struct sim *sim, uint64_t handle)
{
    if (!sim->textures || handle == 0 || handle >= HANDLES)
        return NULL;
    return __atomic_load_n(&sim->textures[handle], __ATOMIC_ACQUIRE);
}

void sim_texture_release_all(struct sim *sim)
{
    for (uint32_t n = 0; sim->textures && n <= sim->texture_count; n++)
        free(sim->textures[n]);
    free(sim->textures);
    sim->textures = NULL;
}

/* ---- texels ---- */

/* A texel before it is filtered: floats, or words as they are. */
struct value {
    double real[4];
    uint32_t word[4];
};

static float float_of(uint32_t word)
{
    float x;

    memcpy(&x, &word, sizeof x);
    return x;
}

static uint32_t word_of(float x)
{
    uint32_t word;

    memcpy(&word, &x, sizeof word);
    return word;
}

static float float_of_half(uint16_t h)
{
    int exponent = h >> 10 & 31, fraction = h & 0x3FF;
    float x;

    if (exponent == 31)
        return float_of((uint32_t)(h & 0x8000) << 16 | 0x7F800000u | (uint32_t)fraction << 13);
    x = exponent ? ldexpf((float)(fraction | 0x400), exponent - 25) : ldexpf((float)fraction, -24);
    return h & 0x8000 ? -x : x;
}

/* Whether fetches give floats: what is float, and integers that are read as such. */
static bool is_real(const struct sim_texture *t)
{
    return t->kind == TEXTURE_FLOAT || (t->normalised_read && t->bits < 32);
}

/*
 * The light that an sRGB value of 8 bits stands for, as an H200 reads it: the upper half of a float. It is the formula
 * of IEC 61966-2-1 in 8 significant bits, and 14 values are not the nearest (docs/results/srgb-h200.txt).
 */
static const uint16_t srgb_light[256] = {
    0x0000, 0x39a0, 0x3a20, 0x3a70, 0x3aa0, 0x3ac8, 0x3af0, 0x3b0c, 0x3b20, 0x3b34, 0x3b48, 0x3b5c,
    0x3b70, 0x3b84, 0x3b90, 0x3b9c, 0x3baa, 0x3bb8, 0x3bc6, 0x3bd6, 0x3be6, 0x3bf6, 0x3c03, 0x3c0c,
    0x3c16, 0x3c1f, 0x3c29, 0x3c34, 0x3c3e, 0x3c49, 0x3c55, 0x3c60, 0x3c6c, 0x3c7a, 0x3c83, 0x3c8a,
    0x3c91, 0x3c98, 0x3c9f, 0x3ca6, 0x3cae, 0x3cb6, 0x3cbe, 0x3cc6, 0x3cce, 0x3cd7, 0x3ce0, 0x3ce9,
    0x3cf2, 0x3cfc, 0x3d03, 0x3d08, 0x3d0d, 0x3d12, 0x3d17, 0x3d1c, 0x3d22, 0x3d28, 0x3d2d, 0x3d33,
    0x3d39, 0x3d3f, 0x3d45, 0x3d4c, 0x3d52, 0x3d58, 0x3d60, 0x3d66, 0x3d6c, 0x3d74, 0x3d7a, 0x3d81,
    0x3d85, 0x3d88, 0x3d8c, 0x3d90, 0x3d94, 0x3d98, 0x3d9c, 0x3da0, 0x3da4, 0x3da9, 0x3dad, 0x3db1,
    0x3db6, 0x3dba, 0x3dbf, 0x3dc3, 0x3dc8, 0x3dcd, 0x3dd1, 0x3dd6, 0x3ddb, 0x3de0, 0x3de5, 0x3dea,
    0x3df0, 0x3df4, 0x3dfa, 0x3e00, 0x3e02, 0x3e05, 0x3e08, 0x3e0b, 0x3e0e, 0x3e11, 0x3e14, 0x3e17,
    0x3e1a, 0x3e1d, 0x3e20, 0x3e23, 0x3e26, 0x3e29, 0x3e2c, 0x3e30, 0x3e33, 0x3e36, 0x3e3a, 0x3e3d,
    0x3e40, 0x3e44, 0x3e47, 0x3e4b, 0x3e4e, 0x3e52, 0x3e56, 0x3e59, 0x3e5d, 0x3e61, 0x3e65, 0x3e68,
    0x3e6c, 0x3e70, 0x3e74, 0x3e78, 0x3e7c, 0x3e80, 0x3e82, 0x3e84, 0x3e86, 0x3e88, 0x3e8a, 0x3e8d,
    0x3e8f, 0x3e91, 0x3e93, 0x3e95, 0x3e98, 0x3e9a, 0x3e9c, 0x3e9e, 0x3ea1, 0x3ea3, 0x3ea5, 0x3ea8,
    0x3eaa, 0x3ead, 0x3eaf, 0x3eb2, 0x3eb4, 0x3eb6, 0x3eb9, 0x3ebc, 0x3ebe, 0x3ec1, 0x3ec3, 0x3ec6,
    0x3ec8, 0x3ecb, 0x3ece, 0x3ed1, 0x3ed3, 0x3ed6, 0x3ed9, 0x3edb, 0x3ede, 0x3ee1, 0x3ee4, 0x3ee7,
    0x3eea, 0x3eed, 0x3ef0, 0x3ef2, 0x3ef6, 0x3ef8, 0x3efc, 0x3efe, 0x3f01, 0x3f02, 0x3f04, 0x3f05,
    0x3f07, 0x3f09, 0x3f0a, 0x3f0c, 0x3f0d, 0x3f0f, 0x3f11, 0x3f12, 0x3f14, 0x3f16, 0x3f17, 0x3f19,
    0x3f1b, 0x3f1c, 0x3f1e, 0x3f20, 0x3f21, 0x3f23, 0x3f25, 0x3f27, 0x3f29, 0x3f2a, 0x3f2c, 0x3f2e,
    0x3f30, 0x3f32, 0x3f33, 0x3f35, 0x3f37, 0x3f39, 0x3f3b, 0x3f3d, 0x3f3f, 0x3f41, 0x3f43, 0x3f45,
    0x3f47, 0x3f49, 0x3f4b, 0x3f4d, 0x3f4f, 0x3f51, 0x3f53, 0x3f55, 0x3f57, 0x3f59, 0x3f5b, 0x3f5d,
    0x3f5f, 0x3f61, 0x3f63, 0x3f65, 0x3f68, 0x3f6a, 0x3f6c, 0x3f6e, 0x3f70, 0x3f72, 0x3f74, 0x3f76,
    0x3f7a, 0x3f7c, 0x3f7e, 0x3f80,
};

/*
 * The exponent that a light has where it is mixed, as frexp() counts. It goes on at these values and not at powers of
 * two: with them all 765 mixed values that an H200 was asked for are its own.
 */
static int light_exponent(double light)
{
    static const uint8_t starts[] = {32, 48, 64, 96, 136, 184, 248};
    int exponent = -6;

    for (size_t n = 0; n < sizeof starts; n++)
        exponent += light >= float_of((uint32_t)srgb_light[starts[n]] << 16);
    return exponent;
}

static void read_channel(const struct sim_texture *t, const uint8_t *p, int channel, struct value *v)
{
    uint32_t raw = 0;
    int32_t value;

    memcpy(&raw, p + channel * t->bits / 8, t->bits / 8u);
    if (t->kind == TEXTURE_FLOAT) {
        v->real[channel] = t->bits == 16 ? float_of_half((uint16_t)raw) : float_of(raw);
        return;
    }
    value = t->bits == 32                ? (int32_t)raw
            : t->kind == TEXTURE_SIGNED ? (int32_t)(raw << (32 - t->bits)) >> (32 - t->bits)
                                         : (int32_t)raw;
    v->word[channel] = (uint32_t)value;
    if (is_real(t)) {
        int32_t top = (t->kind == TEXTURE_SIGNED ? 1 << (t->bits - 1) : 1 << t->bits) - 1;

        v->real[channel] = (double)value / top; /* the least signed value is less than -1 until finish() */
        if (t->srgb && channel < 3)
            v->real[channel] = float_of((uint32_t)srgb_light[raw] << 16);
    }
}

static struct value border_of(const struct sim_texture *t)
{
    struct value v = {{0}, {0}};

    for (int c = 0; c < 4; c++) {
        v.real[c] = t->border[c];
        v.word[c] = word_of(t->border[c]);
    }
    return v;
}

/* ---- coordinates ---- */

#define OUTSIDE (-1)

/* The texel that index `i` of `n` means: 0 .. n - 1, or OUTSIDE. */
static int64_t address_index(enum texture_address how, int64_t i, int64_t n)
{
    switch (how) {
    case TEXTURE_WRAP:
        i %= n;
        return i < 0 ? i + n : i;
    case TEXTURE_MIRROR:
        i %= 2 * n;
        i = i < 0 ? i + 2 * n : i;
        return i < n ? i : 2 * n - 1 - i;
    case TEXTURE_BORDER:
        return i < 0 || i >= n ? OUTSIDE : i;
    default:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

static int dimensions(const struct sim_texture *t)
{
    return t->shape == TEXTURE_3D ? 3 : t->shape == TEXTURE_2D || t->shape == TEXTURE_CUBE ? 2 : 1;
}

/* `read`: see struct texture_fetch. */
static struct value read_texel(const struct sim_texture *t, const struct texture_level *v, const int64_t at[3],
                               uint32_t layer, struct texels *read)
{
    uint32_t size[3] = {v->width, v->height, v->depth}, place[3] = {0, 0, layer};
    struct value value = {{0}, {0}};
    const uint8_t *p;

    for (int n = 0; n < dimensions(t); n++) {
        int64_t i = address_index(t->address[n], at[n], size[n]);

        if (i == OUTSIDE)
            return border_of(t);
        place[n] = (uint32_t)i;
    }
    p = (const uint8_t *)(uintptr_t)texture_at(v, texture_bytes(t), place[0], place[1], place[2]);
    if (read && read->count < TEXELS_MOST)
        read->at[read->count++] = (uintptr_t)p;
    for (int c = 0; c < t->channels; c++)
        read_channel(t, p, c, &value);
    return value;
}

/* A coordinate in texels. Normalised ones are brought near first, so that what follows is exact enough. */
static double in_texels(const struct sim_texture *t, int dimension, float x, uint32_t size)
{
    double at = x;

    if (!(at == at))
        return 0;
    if (!t->normalised_coordinates)
        return at;
    if (t->address[dimension] == TEXTURE_WRAP)
        at -= floor(at);
    else if (t->address[dimension] == TEXTURE_MIRROR)
        at -= 2 * floor(at / 2);
    return at * size;
}

static double limited(double x)
{
    return x > FIXED_LIMIT ? FIXED_LIMIT : x < -FIXED_LIMIT ? -FIXED_LIMIT : x;
}

/* ---- one level ---- */

/* `part` / 256 of `whole`, rounded; half a step up. */
static int part_of(int whole, int part)
{
    return (whole * part + FRACTION / 2) / FRACTION;
}

/*
 * What each texel of a slice counts, in 1/256, as an H200 has it: `share` is divided along x, then along y, each time
 * into whole numbers. Halves go to the far texel, and at the nearer x to the nearer y. Bit n of a corner's number says
 * that it is the farther one along dimension n. tests/cudasim/texture_filter.cu holds the results against a card's.
 */
static void slice_weights(int share, const int part[2], bool plane, int weight[4])
{
    int far = part_of(share, part[0]), near = share - far;

    weight[0] = near;
    weight[1] = far;
    if (plane) {
        weight[0] = part_of(near, FRACTION - part[1]);
        weight[2] = near - weight[0];
        weight[3] = part_of(far, part[1]);
        weight[1] = far - weight[3];
    }
}

/*
 * What is mixed of texels. A slice is the texels of one level and one z: a card adds up each slice first, in fixed
 * point, where the largest texel has its highest bit, and then the slices.
 */
struct mix {
    double slice[4][4];   /* [slice][channel] */
    int slices;
    double plain[4];      /* without roundings: what counts if a texel is not finite */
    int exponent[4];      /* of the largest texel; INT_MIN: all are zero */
    double normalised[4]; /* integers that are read as -1 to 1: sums in units of 16 bits, times 256 */
};

/* Bits of a texel or of a sum of slices, from the largest texel's highest one on; and of a result. */
struct precision {
    int texel, sum, result;
};

static struct precision precision_of(const struct sim_texture *t)
{
    return t->srgb       ? (struct precision){8, 18, 11}
           : t->bits == 16 ? (struct precision){15, 25, 11}
                           : (struct precision){28, 38, 24};
}

/* Whether a channel is mixed in floating point: floats, and the light of sRGB. */
static bool mixes_floats(const struct sim_texture *t, int channel)
{
    return t->kind == TEXTURE_FLOAT || (t->srgb && channel < 3);
}

/* Rounded to `bits` significant bits, halves away from zero; `floor` is the exponent of the last bit that there is. */
static double rounded_away(double x, int bits, int floor_exponent)
{
    int exponent;
    double unit;

    if (x == 0)
        return 0;
    frexp(x, &exponent);
    unit = ldexp(1, exponent - bits > floor_exponent ? exponent - bits : floor_exponent);
    return copysign(floor(fabs(x) / unit + 0.5) * unit, x);
}

/* Adds `count` texels as one slice. Texels that do not count may be infinite. */
static void add_slice(const struct sim_texture *t, struct mix *mix, const struct value *texel, const int *weight,
                      int count)
{
    double top = t->kind == TEXTURE_SIGNED ? 32767 : 65535;

    for (int c = 0; c < 4; c++) {
        int exponent = INT_MIN, own;
        double sum = 0, unit;

        for (int n = 0; n < count; n++) {
            if (!weight[n])
                continue;
            mix->plain[c] += weight[n] * texel[n].real[c] / FRACTION;
            if (!mixes_floats(t, c))
                mix->normalised[c] += weight[n] * texel[n].real[c] * top;
            if (texel[n].real[c] == 0 || !isfinite(texel[n].real[c]))
                continue;
            frexp(texel[n].real[c], &own);
            if (t->srgb && c < 3)
                own = light_exponent(texel[n].real[c]);
            exponent = own > exponent ? own : exponent;
        }
        if (exponent != INT_MIN) {
            unit = ldexp(1, exponent - precision_of(t).texel);
            for (int n = 0; n < count; n++)
                if (weight[n])
                    sum += weight[n] * trunc(texel[n].real[c] / unit);
            sum *= unit / FRACTION;
        }
        mix->slice[mix->slices][c] = sum;
        mix->exponent[c] = exponent > mix->exponent[c] ? exponent : mix->exponent[c];
    }
    mix->slices++;
}

static double mixed_channel(const struct sim_texture *t, const struct mix *mix, int c)
{
    struct precision bits = precision_of(t);
    double unit, sum = 0;

    if (!mixes_floats(t, c)) /* halves up, also those that quotients miss by a billionth */
        return floor(mix->normalised[c] / FRACTION + 0.5 + 1e-9) / (t->kind == TEXTURE_SIGNED ? 32767 : 65535);
    if (!isfinite(mix->plain[c]) || mix->exponent[c] == INT_MIN)
        return mix->plain[c];
    unit = ldexp(1, mix->exponent[c] - bits.sum);
    for (int n = 0; n < mix->slices; n++)
        sum += floor(mix->slice[n][c] / unit) * unit;
    return rounded_away(sum, bits.result, t->bits <= 16 ? -24 : -149);
}

static struct value mixed(const struct sim_texture *t, const struct mix *mix)
{
    struct value v = {{0}, {0}};

    for (int c = 0; c < 4; c++)
        v.real[c] = mixed_channel(t, mix, c);
    return v;
}

/*
 * Whether half of what is filtered is the border. tex1D() of an array without layers is a plane of one row, and y is 0:
 * half a texel before the row's middle. Where the descriptor's second mode is the border, an H200 mixes it in.
 */
static bool mixes_border(const struct sim_texture *t)
{
    return t->shape == TEXTURE_1D && !t->layered && t->address[1] == TEXTURE_BORDER;
}

/* Adds the texels around a place, `part` 1/256 beyond `low`: together they count `share` / 256. */
static void add_filtered(const struct sim_texture *t, const struct texture_level *v, const int64_t low[3],
                         const int part[3], uint32_t layer, int share, struct mix *mix, struct texels *read)
{
    int slices = dimensions(t) > 2 ? 2 : 1, far = part_of(share, part[2]);
    bool plane = dimensions(t) > 1 || mixes_border(t);
    int count = plane ? 4 : 2, parts[2] = {part[0], dimensions(t) > 1 ? part[1] : FRACTION / 2};

    for (int z = 0; z < slices; z++) {
        int weight[4];
        struct value texel[4];

        slice_weights(slices == 1 ? share : z ? far : share - far, parts, plane, weight);
        for (int corner = 0; corner < count; corner++) {
            int64_t at[3] = {low[0] + (corner & 1), low[1] + (corner >> 1), low[2] + z};

            if (corner < 2 && plane && dimensions(t) == 1) /* the row before the only one */
                texel[corner] = border_of(t);
            else
                texel[corner] = read_texel(t, v, at, layer, weight[corner] ? read : NULL);
        }
        add_slice(t, mix, texel, weight, count);
    }
}

/* The four texels of a linear filter's square, in tld4's order. */
static struct value gather(const struct sim_texture *t, const struct texture_level *v, const int64_t low[3],
                           uint32_t layer, int channel, struct texels *read)
{
    static const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    struct value all = {{0}, {0}};

    for (int n = 0; n < 4; n++) {
        int64_t at[3] = {low[0] + order[n][0], low[1] + order[n][1], 0};
        struct value one = read_texel(t, v, at, layer, read);

        all.real[n] = one.real[channel];
        all.word[n] = one.word[channel];
    }
    return all;
}

/*
 * Returns what is at the place, and adds it to `mix` if it is filtered or counts less than all: `share` / 256.
 */
static struct value sample_level(const struct sim_texture *t, const struct texture_level *v,
                                 const struct texture_fetch *f, uint32_t layer, int share, struct mix *mix)
{
    uint32_t size[3] = {v->width, v->height, v->depth};
    bool linear = (t->linear_filter && is_real(t)) || f->gather >= 0;
    int64_t low[3] = {0, 0, 0};
    int part[3] = {0, 0, 0};
    struct value one;

    for (int n = 0; n < dimensions(t); n++) {
        double x;

        if (f->integers) {
            low[n] = (int64_t)f->at[n] + f->offset[n];
            continue;
        }
        x = limited(in_texels(t, n, f->x[n], size[n]));
        if (linear) {
            int64_t fixed = (int64_t)floor((x - 0.5) * FRACTION + 0.5);

            low[n] = fixed >> 8;
            part[n] = (int)(fixed & (FRACTION - 1));
            if (t->address[n] == TEXTURE_CLAMP && (low[n] < 0 || low[n] >= size[n] - 1))
                part[n] = 0; /* the coordinate is clamped, not the texels */
        } else {
            low[n] = (int64_t)floor(x);
        }
        low[n] += f->offset[n];
    }
    if (f->gather >= 0)
        return gather(t, v, low, layer, f->gather, f->read);
    if (linear && !f->integers) {
        add_filtered(t, v, low, part, layer, share, mix, f->read);
        return mixed(t, mix);
    }
    one = read_texel(t, v, low, layer, f->read);
    if (share < FRACTION)
        add_slice(t, mix, &one, &share, 1);
    return one;
}

/* ---- cubes: faces +x, -x, +y, -y, +z, -z ---- */

static uint32_t cube_face(const float direction[3], float place[2])
{
    float x = direction[0], y = direction[1], z = direction[2], ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    float s, t, major;
    uint32_t face;

    if (ax >= ay && ax >= az) {
        face = x < 0, major = ax, s = x < 0 ? z : -z, t = -y;
    } else if (ay >= az) {
        face = 2 + (y < 0), major = ay, s = x, t = y < 0 ? -z : z;
    } else {
        face = 4 + (z < 0), major = az, s = z < 0 ? -x : x, t = -y;
    }
    place[0] = major == 0 ? 0.5f : (s / major + 1) / 2;
    place[1] = major == 0 ? 0.5f : (t / major + 1) / 2;
    return face;
}

/* ---- a fetch ---- */

static struct texel finish(const struct sim_texture *t, const struct value *v)
{
    struct texel texel;

    for (int c = 0; c < 4; c++)
        texel.word[c] = !is_real(t) ? v->word[c]
                        : t->kind != TEXTURE_FLOAT && v->real[c] < -1 ? word_of(-1.0f)
                                                                      : word_of((float)v->real[c]);
    return texel;
}

struct texel texture_sample(const struct sim_texture *t, const struct texture_fetch *fetch)
{
    struct texture_fetch f = *fetch;
    struct sim_texture cube;
    uint32_t layer = 0, layers = t->levels[0].depth, steps, low;
    float lod, last = (float)(t->level_count - 1), place[2];
    struct mix mix = {.exponent = {INT_MIN, INT_MIN, INT_MIN, INT_MIN}};
    struct value v;
    int far;

    if (t->shape == TEXTURE_CUBE) {
        uint32_t face = cube_face(f.x, place);

        cube = *t;
        cube.normalised_coordinates = true;
        cube.address[0] = cube.address[1] = TEXTURE_CLAMP;
        t = &cube;
        f.x[0] = place[0];
        f.x[1] = place[1];
        layers /= 6;
        layer = 6 * (t->layered ? f.layer < layers ? f.layer : layers - 1 : 0) + face;
    } else if (t->layered) {
        layer = f.layer < layers ? f.layer : layers - 1;
    }
    lod = f.lod + t->bias;
    lod = lod < t->least ? t->least : lod > t->most ? t->most : lod;
    lod = !(lod > 0) ? 0 : lod > last ? last : lod;
    steps = (uint32_t)((t->linear_mipmap ? lod : floorf(lod + 0.5f)) * FRACTION);
    low = steps / FRACTION;
    far = is_real(t) ? (int)(steps % FRACTION) : 0;
    v = sample_level(t, &t->levels[low], &f, layer, FRACTION - far, &mix);
    if (far) {
        sample_level(t, &t->levels[low + 1], &f, layer, far, &mix);
        v = mixed(t, &mix);
    }
    return finish(t, &v);
}

float texture_lod(const struct sim_texture *t, const float dx[3], const float dy[3])
{
    uint32_t size[3] = {t->levels[0].width, t->levels[0].height, t->levels[0].depth};
    double x = 0, y = 0, length;

    for (int n = 0; n < dimensions(t); n++) {
        double scale = t->normalised_coordinates ? size[n] : 1;

        x += (double)dx[n] * scale * dx[n] * scale;
        y += (double)dy[n] * scale * dy[n] * scale;
    }
    length = sqrt(x > y ? x : y);
    return length > 0 ? (float)log2(length) : -100;
}
