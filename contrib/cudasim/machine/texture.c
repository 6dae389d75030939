/*
 * texture.c - fetches from textures: addresses, filters, mipmaps and cubes. texture.h describes the records.
 *
 * table_texture.c calls it for every lane. runtime_texture.c creates and destroys the records through it. It knows
 * neither warps nor PTX.
 */
#include "texture.h"

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

        v->real[channel] = value < -top ? -1.0f : (float)value / (float)top;
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

static struct value read_texel(const struct sim_texture *t, const struct texture_level *v, const int64_t at[3],
                               uint32_t layer)
{
    uint32_t size[3] = {v->width, v->height, v->depth}, place[3] = {0, 0, layer};
    struct value value = {{0}, {0}};
    const uint8_t *p;

    value.real[3] = 1;
    value.word[3] = 1;
    for (int n = 0; n < dimensions(t); n++) {
        int64_t i = address_index(t->address[n], at[n], size[n]);

        if (i == OUTSIDE)
            return border_of(t);
        place[n] = (uint32_t)i;
    }
    p = (const uint8_t *)(uintptr_t)texture_at(v, texture_bytes(t), place[0], place[1], place[2]);
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

/* The texels around `fixed`, and how much of each. */
static struct value filter(const struct sim_texture *t, const struct texture_level *v, const int64_t low[3],
                           const int weight[3], uint32_t layer)
{
    struct value sum = {{0}, {0}};
    int count = 1 << dimensions(t);

    for (int corner = 0; corner < count; corner++) {
        int64_t at[3] = {low[0], low[1], low[2]};
        double share = 1;
        struct value one;

        for (int n = 0; n < dimensions(t); n++) {
            int high = corner >> n & 1;

            at[n] += high;
            share *= (double)(high ? weight[n] : FRACTION - weight[n]) / FRACTION;
        }
        if (share == 0)
            continue; /* an infinity there does not count */
        one = read_texel(t, v, at, layer);
        for (int c = 0; c < 4; c++)
            sum.real[c] += share * one.real[c];
    }
    return sum;
}

/* The four texels of a linear filter's square, in tld4's order. */
static struct value gather(const struct sim_texture *t, const struct texture_level *v, const int64_t low[3],
                           uint32_t layer, int channel)
{
    static const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    struct value all = {{0}, {0}};

    for (int n = 0; n < 4; n++) {
        int64_t at[3] = {low[0] + order[n][0], low[1] + order[n][1], 0};
        struct value one = read_texel(t, v, at, layer);

        all.real[n] = one.real[channel];
        all.word[n] = one.word[channel];
    }
    return all;
}

static struct value sample_level(const struct sim_texture *t, const struct texture_level *v,
                                 const struct texture_fetch *f, uint32_t layer)
{
    uint32_t size[3] = {v->width, v->height, v->depth};
    bool linear = (t->linear_filter && is_real(t)) || f->gather >= 0;
    int64_t low[3] = {0, 0, 0};
    int weight[3] = {0, 0, 0};

    for (int n = 0; n < dimensions(t); n++) {
        double x;

        if (f->integers) {
            low[n] = (int64_t)f->at[n] + f->offset[n];
            continue;
        }
        x = limited(in_texels(t, n, f->x[n], size[n]));
        if (linear) {
            int64_t fixed = (int64_t)nearbyint((x - 0.5) * FRACTION);

            low[n] = fixed >> 8;
            weight[n] = (int)(fixed & (FRACTION - 1));
        } else {
            low[n] = (int64_t)floor(x);
        }
        low[n] += f->offset[n];
    }
    if (f->gather >= 0)
        return gather(t, v, low, layer, f->gather);
    return linear && !f->integers ? filter(t, v, low, weight, layer) : read_texel(t, v, low, layer);
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
        texel.word[c] = is_real(t) ? word_of((float)v->real[c]) : v->word[c];
    return texel;
}

static struct value sample_clamped(const struct sim_texture *t, uint32_t level, const struct texture_fetch *f,
                                   uint32_t layer)
{
    return sample_level(t, &t->levels[level], f, layer);
}

struct texel texture_sample(const struct sim_texture *t, const struct texture_fetch *fetch)
{
    struct texture_fetch f = *fetch;
    struct sim_texture cube;
    uint32_t layer = 0, layers = t->levels[0].depth, low;
    float lod, last = (float)(t->level_count - 1), place[2];
    struct value v, above;
    double weight;

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
    if (!t->linear_mipmap) {
        v = sample_clamped(t, (uint32_t)(lod + 0.5f), &f, layer);
        return finish(t, &v);
    }
    low = (uint32_t)(nearbyintf(lod * FRACTION) / FRACTION);
    weight = (double)(nearbyintf(lod * FRACTION) / FRACTION) - low;
    v = sample_clamped(t, low, &f, layer);
    if (weight > 0 && is_real(t)) {
        above = sample_clamped(t, low + 1, &f, layer);
        for (int c = 0; c < 4; c++)
            v.real[c] = (1 - weight) * v.real[c] + weight * above.real[c];
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
