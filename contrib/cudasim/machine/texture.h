/*
 * texture.h - textures and surfaces: their records, and the results of fetches.
 *
 * A texture or a surface is a record that the device keeps under a handle. A kernel gets this handle as
 * cudaTextureObject_t. The record says where the texels lie. The memory itself is an ordinary allocation.
 *
 * Filtering follows the CUDA programming guide. A coordinate of a linear filter becomes a fixed-point number with 8
 * bits of fraction, rounded to the nearest. So weights are multiples of 1/256. Products and sums of weights and texels
 * are exact, then rounded once to f32.
 */
#ifndef CUDASIM_TEXTURE_H
#define CUDASIM_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

struct sim;

#define TEXTURE_LEVELS 16

enum texture_shape { TEXTURE_LINEAR, TEXTURE_1D, TEXTURE_2D, TEXTURE_3D, TEXTURE_CUBE };
enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };
enum texture_kind { TEXTURE_SIGNED, TEXTURE_UNSIGNED, TEXTURE_FLOAT };

/* One level: texels in rows, planes or layers. */
struct texture_level {
    uint64_t base;                 /* device address of the first texel */
    uint64_t pitch, slice;         /* bytes from row to row, from plane to plane (layer to layer, face to face) */
    uint32_t width, height, depth; /* texels; height and depth at least 1. Depth counts planes, or layers × faces */
};

struct sim_texture {
    enum texture_shape shape;
    bool layered;
    bool surface;                  /* may be written; never filtered */
    enum texture_kind kind;        /* of the channels */
    uint8_t channels, bits;        /* 1, 2 or 4 channels of 8, 16 or 32 bits */
    bool normalised_read;          /* integers of 8 and 16 bits are read as -1 .. 1 or 0 .. 1 */
    bool srgb;                     /* red, green and blue of 8 bits are sRGB, and read as linear ones */
    bool normalised_coordinates;
    bool linear_filter, linear_mipmap;
    bool seamless;                 /* linear filters of cubes go over the edges of faces */
    enum texture_address address[3];
    float border[4];
    float bias, least, most;       /* of the level of detail */
    uint32_t level_count;          /* at least 1 */
    struct texture_level levels[TEXTURE_LEVELS];
};

/* The texels that count in the result of a fetch, by their addresses. */
#define TEXELS_MOST 16
struct texels {
    unsigned count;
    uint64_t at[TEXELS_MOST];
};

/* The place and the kind of one lane's fetch. */
struct texture_fetch {
    bool integers;    /* coordinates are in `at`, else in `x` */
    int32_t at[3];    /* texels */
    float x[3];       /* coordinates; of cubes a direction */
    uint32_t layer;   /* of a layered texture */
    float lod;        /* level of detail */
    int gather;       /* -1, or the channel of which tld4 collects four texels */
    int32_t offset[3]; /* texels, added to the coordinates */
    struct texels *read; /* gets the texels that it reads; NULL: nobody asks */
};

/* The values of the four result registers. */
struct texel {
    uint32_t word[4];
};

/* Keeps a copy of the record. Returns 0 without memory. Handles are never reused. */
uint64_t sim_texture_create(struct sim *sim, const struct sim_texture *texture);
/* False: no texture has that handle. */
bool sim_texture_destroy(struct sim *sim, uint64_t handle);
/* NULL: no texture has that handle. The record does not change while kernels run. */
const struct sim_texture *sim_texture_find(const struct sim *sim, uint64_t handle);
void sim_texture_release_all(struct sim *sim);

/* ---- for the machine ---- */

/* One fetch. The texels must be memory that may be read. */
struct texel texture_sample(const struct sim_texture *t, const struct texture_fetch *fetch);

/* The level of detail by the derivatives of the coordinates. */
float texture_lod(const struct sim_texture *t, const float dx[3], const float dy[3]);

/* Bytes of one texel. */
static inline unsigned texture_bytes(const struct sim_texture *t)
{
    return (unsigned)t->channels * t->bits / 8;
}

/* The texel's place in the level; coordinates must be inside. */
static inline uint64_t texture_at(const struct texture_level *v, uint64_t bytes, uint32_t x, uint32_t y, uint32_t z)
{
    return v->base + z * v->slice + y * v->pitch + x * bytes;
}

#endif
