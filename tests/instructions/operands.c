/*
 * Operands for the instruction forms, and comparison of results; see operands.h.
 *
 * The first half of a form's tuples walks through all combinations of special values where they fit, and through
 * random choices of special values where they do not; the rest is random, in distributions which reach the corners:
 * integers of every magnitude, floats near each other (cancellation), halfway cases, denormals. A form of one 16-bit
 * operand gets all 65536 values instead. Every draw is a hash of (form, operand, tuple), so order does not matter.
 *
 * Generators beside the PTX types: nz (not zero), sh (shift amount or field width), lane (0…31), fnsn (count for fns),
 * sparse (few bits set), small (small integers in the operand's type), smallf (integers to ±64 in f32 or f64), unit
 * (-1…1), twopi and hundredpi (angles), same (often equal to the operand compared), rare and most (predicates true in
 * few or nearly all lanes), wmask (a warp's mask), wfew (few distinct values a warp), wsame (mostly equal in a warp),
 * wlane (a lane in the warp's mask), half and halfmask (16 lanes), shfl and clamp (operands b and c of shfl), smalle4m3
 * and smalle5m2 (four small integers).
 */
#include "operands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define countof(a) (sizeof(a) / sizeof((a)[0]))

u64 form_hash(u64 hash, const void *data, u64 bytes)
{
    const unsigned char *p = data;

    for (u64 i = 0; i < bytes; i++)
        hash = (hash ^ p[i]) * 0x100000001b3ull;
    return hash;
}

/* splitmix64's finaliser */
static u64 mix(u64 x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

static int is(const char *a, const char *b) { return strcmp(a, b) == 0; }

unsigned form_type_bits(const char *type)
{
    size_t n = strlen(type);

    if (is(type, "p"))
        return 1;
    if (n >= 2 && is(type + n - 2, "64"))
        return 64;
    if (is(type, "e4m3x2") || is(type, "e5m2x2"))
        return 16;
    if (n >= 4 && is(type + n - 4, "16x2"))
        return 32;
    if (n >= 2 && is(type + n - 2, "16"))
        return 16;
    return 32;
}

static u64 low_mask(unsigned bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

/* ---- special values */

static const u64 special_int[] = {
    0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 63, 64, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000,
    0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
    0x8000000000000001, 0xfffffffffffffffe, 0xffffffffffffffff, 0xffffffffffffff80, 0xffffffffffff8000,
    0xffffffff80000000, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa, 0x0123456789abcdef, 0xfedcba9876543210,
    0x80ff7f0180ff7f01, 0x7fff80007fff8000, 0x0000ffff0000ffff,
};
static const u64 special_shift[] = {
    0, 1, 2, 7, 8, 15, 16, 17, 24, 30, 31, 32, 33, 48, 63, 64, 65, 127, 128, 255, 256, 257, 1000, 0x7fffffff,
    0x80000000, 0x80000001, 0xffffffff, 0xffffffe0,
};
static const u64 special_f16[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x01ff, 0x0200, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x07ff, 0x3800,
    0x3bff, 0x3c00,
    0x3c01, 0xbc00, 0xbc01, 0x3e00, 0x4000, 0xc000, 0x4100, 0x4200, 0x4248, 0x63ff, 0x6400, 0x6401, 0x6800, 0x7800,
    0x7bff, 0xfbff, 0x7c00,
    0xfc00, 0x7c01, 0x7e00, 0x7fff, 0xfe00, 0xffff, 0xfdab, 0x5c00, 0x5f00, 0x2e66, 0x1400, 0x9400,
};
static const u64 special_bf16[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x003f, 0x0040, 0x007f, 0x807f, 0x0080, 0x8080, 0x0081, 0x00ff, 0x3f00,
    0x3f7f, 0x3f80,
    0x3f81, 0xbf80, 0xbf81, 0x3fc0, 0x4000, 0xc000, 0x4020, 0x4040, 0x4049, 0x4300, 0x437f, 0x4380, 0x4b00, 0x4f00,
    0xcf00, 0x7f00, 0x7f7f,
    0xff7f, 0x7f80, 0xff80, 0x7f81, 0x7fc0, 0x7fff, 0xffc0, 0xffff, 0xff9a, 0x5f00, 0x3dcd, 0x2000, 0x1f80,
};
static const u64 special_f32[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x00400000, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x00800001,
    0x00ffffff, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0xbf800000, 0x3fc00000, 0x40000000,
    0x40200000,
    0x40490fdb, 0xc0490fdb, 0x3dcccccd, 0x4affffff, 0x4b000000, 0x4b000001, 0x4b800000, 0x4effffff, 0x4f000000,
    0xcf000000,
    0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000, 0x477fe000, 0x477ff000, 0x7f000000, 0x7f7fffff, 0xff7fffff,
    0x7f800000,
    0xff800000, 0x7f800001, 0x7fc00000, 0xffc12345, 0x33800000,
};
static const u64 special_f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff,
    0x800fffffffffffff,
    0x0010000000000000, 0x8010000000000000, 0x0010000000000001, 0x3fdfffffffffffff, 0x3fe0000000000000,
    0x3fefffffffffffff,
    0x3ff0000000000000, 0x3ff0000000000001, 0xbff0000000000000, 0x3ff8000000000000, 0x4000000000000000,
    0x4004000000000000,
    0x400921fb54442d18, 0x3fb999999999999a, 0x432fffffffffffff, 0x4330000000000000, 0x4340000000000001,
    0x41dfffffffc00000,
    0x41e0000000000000, 0xc1e0000000000000, 0x41efffffffe00000, 0x43dfffffffffffff, 0x43e0000000000000,
    0xc3e0000000000000,
    0x43f0000000000000, 0x47efffffe0000000, 0x47effffff0000000, 0x3810000000000000, 0x380fffffffffffff,
    0x36a0000000000000,
    0x3690000000000000, 0x7fe0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff0000000000001, 0x7ff8000000000000, 0xfff8123456789abc,
};

struct specials {
    const u64 *list;    /* values of the element type */
    unsigned count;     /* entries of list */
    unsigned lanes;     /* elements packed in one operand */
    unsigned bits;      /* bits of one element */
};

static struct specials specials_of(const char *gen, const char *type)
{
#define SPECIALS(list, lanes, bits) (struct specials){list, countof(list), lanes, bits}
    if (is(gen, "nz"))
        return SPECIALS(special_int, 1, form_type_bits(type));
    if (is(gen, "sh"))
        return SPECIALS(special_shift, 1, 32);
    if (is(gen, "f16") || is(gen, "bf16"))
        return is(gen, "f16") ? SPECIALS(special_f16, 1, 16) : SPECIALS(special_bf16, 1, 16);
    if (is(gen, "f16x2") || is(gen, "bf16x2"))
        return is(gen, "f16x2") ? SPECIALS(special_f16, 2, 16) : SPECIALS(special_bf16, 2, 16);
    if (is(gen, "f32") || is(gen, "tf32"))
        return SPECIALS(special_f32, 1, 32);
    if (is(gen, "f64"))
        return SPECIALS(special_f64, 1, 64);
    if (is(gen, "p") || !is(gen, type))
        return (struct specials){0};
    return SPECIALS(special_int, 1, form_type_bits(type));
#undef SPECIALS
}

static u64 special(const struct specials *s, u64 k)
{
    u64 x = s->list[k % s->count];

    if (s->lanes == 2)
        x |= s->list[(k * 7 + 3 + k / s->count) % s->count] << 16;
    return x & low_mask(s->bits * s->lanes);
}

/* ---- random values */

static u64 f32_bits(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
static u64 f64_bits(double x) { u64 u; memcpy(&u, &x, 8); return u; }
static float f32_of(u64 bits) { uint32_t u = (uint32_t)bits; float x; memcpy(&x, &u, 4); return x; }
static double f64_of(u64 bits) { double x; memcpy(&x, &bits, 8); return x; }

static u64 random_int(u64 r, unsigned bits)
{
    u64 s = mix(r);

    switch (r & 7) {
    case 0: case 1: case 2: s = s; break;
    case 3: case 4: s = s >> (r >> 8) % 64; break;
    case 5: s = (u64)((long long)s >> (r >> 8) % 64); break;
    case 6: s = (u64)((long long)(s % 65) - 32); break;
    default: s = (1ull << s % 64) + ((r >> 8) % 3) - 1; break;
    }
    return s & low_mask(bits);
}

/* a float of `mant` stored mantissa bits and `exp` exponent bits */
static u64 random_float(u64 r, unsigned mant, unsigned exp)
{
    u64 s = mix(r);
    u64 sign = (s >> 63) << (mant + exp);
    u64 bias = (1ull << (exp - 1)) - 1;
    u64 fraction = s & low_mask(mant);
    u64 e;

    switch (r & 7) {
    case 0: case 1:                                     /* any bits */
        return s & low_mask(1 + mant + exp);
    case 2: case 3:                                     /* near one */
        return sign | (bias - 4 + (r >> 8) % 9) << mant | fraction;
    case 4: {                                           /* few mantissa bits: sums and products tie */
        unsigned keep = (unsigned)(r >> 8) % 6;
        return sign | (bias - 4 + (r >> 16) % (mant + 6)) << mant | (fraction & ~low_mask(mant - keep));
    }
    case 5:                                             /* halves and integers */
        e = (r >> 8) % (mant + 2);
        return sign | (bias + e) << mant | (fraction & ~low_mask(mant - (e + 1 < mant ? e + 1 : mant)));
    case 6:                                             /* around the smallest normal number */
        return sign | ((r >> 8) % 3) << mant | fraction;
    default:                                            /* any exponent */
        return sign | ((r >> 8) & low_mask(exp)) << mant | fraction;
    }
}

static u64 random_typed(const char *type, u64 r)
{
    if (is(type, "f16"))
        return random_float(r, 10, 5);
    if (is(type, "bf16"))
        return random_float(r, 7, 8);
    if (is(type, "f16x2"))
        return random_float(r, 10, 5) | random_float(mix(r ^ 1), 10, 5) << 16;
    if (is(type, "bf16x2"))
        return random_float(r, 7, 8) | random_float(mix(r ^ 1), 7, 8) << 16;
    if (is(type, "f32") || is(type, "tf32"))
        return random_float(r, 23, 8);
    if (is(type, "f64"))
        return random_float(r, 52, 11);
    return random_int(r, form_type_bits(type));
}

/* Ties an operand to those before it: nearly equal, nearly opposite, or near minus their product. */
static u64 related(const char *type, unsigned j, u64 r, u64 x, const u64 *before)
{
    u64 s = mix(r ^ 77);
    u64 nudge = (s >> 32) % 5 - 2;
    unsigned bits = form_type_bits(type);

    if (j == 0 || (s & 3) || is(type, "p"))
        return x;
    if (j >= 2 && (s & 4)) {
        float p = -(f32_of(before[0]) * f32_of(before[1]));
        double q = -(f64_of(before[0]) * f64_of(before[1]));
        if (is(type, "f32") && !isnan(p))
            return (f32_bits(p) + nudge) & low_mask(32);
        if (is(type, "f64") && !isnan(q))
            return f64_bits(q) + nudge;
    }
    x = before[j - 1] + nudge;
    if (s & 8)
        x ^= 1ull << (bits - 1);
    return x & low_mask(bits);
}

/* ---- the named generators */

static u64 pack_small(const char *type, u64 r)
{
    int n = (int)(r % 17) - 8;
    u64 x = f32_bits((float)n);

    if (is(type, "bf16x2"))
        return x >> 16;
    if (n == 0)
        return 0;
    return (x >> 31) << 15 | (((x >> 23) & 0xff) - 127 + 15) << 10 | ((x >> 13) & 0x3ff);
}

static u64 pack_unit(const char *type, u64 r)
{
    double x = ldexp((double)(r >> 11), -53) * ((r & 1) ? 1 : -1);
    u64 b;

    if (r & 2)
        x = ldexp(x, -(int)((r >> 2) & 7));
    if (is(type, "f64"))
        return f64_bits(x);
    b = f32_bits((float)x);
    if (is(type, "f32"))
        return b;
    if (is(type, "bf16x2"))
        return b >> 16;
    if (((b >> 23) & 0xff) < 127 - 14)
        return (b >> 31) << 15;
    return (b >> 31) << 15 | (((b >> 23) & 0xff) - 127 + 15) << 10 | ((b >> 13) & 0x3ff);
}

static u64 pack_fp8(int e5m2, u64 r)
{
    static const unsigned char e4m3[] = {0x00, 0x38, 0x40, 0x44, 0x48, 0x4a, 0x4c, 0x4e, 0x50};
    static const unsigned char e5m2s[] = {0x00, 0x3c, 0x40, 0x42, 0x44, 0x44, 0x46, 0x46, 0x48};
    u64 x = 0;

    for (unsigned k = 0; k < 4; k++, r >>= 8)
        x |= (u64)((e5m2 ? e5m2s : e4m3)[(r & 127) % 9] | (r & 128)) << 8 * k;
    return x;
}

static u64 warp_mask(u64 r)
{
    static const uint32_t some[] = {0xffffffff, 1,          0x80000000, 0x55555555, 0xaaaaaaaa,
                                    0x0000ffff, 0xffff0000, 0x00ffff00, 3,          0xff};
    u64 s = mix(r) & 0xffffffff;

    if ((r & 3) == 0)
        return some[(r >> 8) % countof(some)];
    if ((r & 3) == 1)
        s &= mix(r ^ 5) & mix(r ^ 6);
    if ((r & 3) == 2)
        s |= mix(r ^ 5);
    s &= 0xffffffff;
    return s ? s : 0x40;
}

struct draw {
    u64 r;          /* random bits of this tuple */
    u64 rw;         /* random bits of its warp, for this operand */
    u64 mask;       /* the warp's mask, if the form has one */
    u64 tuple;      /* random bits of the tuple which all operands share */
    unsigned lane;  /* lane of the tuple in its warp */
};

static int named(const char *gen, const char *type, const struct draw *d, unsigned j, const u64 *before, u64 *x)
{
    u64 r = d->r;

    if (is(gen, "nz")) {
        *x = random_int(r, form_type_bits(type));
        *x += *x == 0;
    } else if (is(gen, "sh")) {
        *x = (r & 7) == 0 ? mix(r) & 0xffffffff : mix(r) % ((r & 8) ? 34 : 72);
    } else if (is(gen, "lane") || is(gen, "half")) {
        *x = mix(r) % (is(gen, "half") ? 16 : 32);
    } else if (is(gen, "fnsn")) {
        *x = (u64)((long long)(mix(r) % 41) - 20) & 0xffffffff;
    } else if (is(gen, "sparse")) {
        *x = (r & 1) ? mix(r) & mix(r ^ 3) & mix(r ^ 5) & mix(r ^ 9) & 0xffffffff : 0;
    } else if (is(gen, "small") && strchr(type, 'f')) {
        *x = pack_small(type, mix(r)) | pack_small(type, mix(r ^ 1)) << 16;
    } else if (is(gen, "small")) {
        *x = mix(r) % 8;
    } else if (is(gen, "smallf")) {
        *x = is(type, "f64") ? f64_bits((double)(mix(r) % 129) - 64) : f32_bits((float)(mix(r) % 129) - 64);
    } else if (is(gen, "unit")) {
        *x = pack_unit(type, mix(r));
        if (form_type_bits(type) == 32 && !is(type, "f32"))
            *x |= pack_unit(type, mix(r ^ 1)) << 16;
    } else if (is(gen, "smalle4m3") || is(gen, "smalle5m2")) {
        *x = pack_fp8(is(gen, "smalle5m2"), mix(r));
    } else if (is(gen, "twopi") || is(gen, "hundredpi")) {
        double u = ldexp((double)(mix(r) >> 11), -53) * 2 - 1;
        if ((r & 7) == 0)
            u = ldexp(u, -(int)((r >> 8) % 150));
        *x = f32_bits((float)(u * (is(gen, "twopi") ? 6.28318 : 314.159)));
    } else if (is(gen, "same")) {
        *x = (d->tuple & 3) ? before[j - (j >= 2 ? 2 : 1)] : random_int(r, form_type_bits(type));
        if ((d->tuple & 31) == 1 && j != 2)
            *x ^= 1ull << (r % form_type_bits(type));
    } else if (is(gen, "p")) {
        *x = mix(r) & 1;
    } else if (is(gen, "rare") || is(gen, "most")) {
        u64 mode = d->rw & 3;
        *x = mode == 0 ? 0 : mode == 1 ? (d->rw >> 8) % 32 == d->lane : mode == 2 ? (mix(r) & 15) == 0 : mix(r) & 1;
        if (is(gen, "most"))
            *x ^= 1;
    } else if (is(gen, "wmask")) {
        *x = d->mask;
    } else if (is(gen, "halfmask")) {
        static const uint32_t masks[] = {0x0000ffff, 0xffff0000, 0xffffffff};
        *x = masks[d->rw % 3];
    } else if (is(gen, "wlane")) {
        unsigned k = mix(r) % 32;
        while (!(d->mask >> k & 1))
            k = (k + 1) % 32;
        *x = k;
    } else if (is(gen, "wfew")) {
        *x = mix(d->rw + (mix(r) % (1 + d->rw % 5))) & low_mask(form_type_bits(type));
    } else if (is(gen, "wsame")) {
        *x = mix(d->rw) & low_mask(form_type_bits(type));
        if ((d->rw & 1) && (d->rw >> 8) % 32 == d->lane)
            *x ^= 1ull << (d->rw >> 16) % form_type_bits(type);
    } else if (is(gen, "shfl")) {
        *x = (r & 7) ? (d->rw >> 8) % 33 : mix(r) & 0xffffffff;
    } else if (is(gen, "clamp")) {
        static const uint32_t c[] = {0x001f, 0, 0x1c1f, 0x1c00, 0x181f, 0x1800, 0x101f, 0x1e1f, 0x1f1f, 0x0010, 0x0717};
        *x = (d->rw & 7) ? c[(d->rw >> 8) % countof(c)] : mix(d->rw) & 0x1f1f;
    } else {
        return 0;
    }
    return 1;
}

static int exhaustive(const struct form *form)
{
    return form->nin == 1 && form->n == 65536 && form_type_bits(form->in[0]) == 16;
}

void form_operands(const struct form *form, u64 *in)
{
    u64 seed = form_hash(form_hash_start, form->name, strlen(form->name));
    struct specials specials[FORM_INS];
    u64 combinations = 1;
    unsigned n = form->n;

    for (unsigned j = 0; j < form->nin; j++) {
        specials[j] = specials_of(form->gen[j], form->in[j]);
        if (specials[j].count && combinations <= n)
            combinations *= specials[j].count;
    }
    for (unsigned i = 0; i < n; i++) {
        u64 before[FORM_INS];
        u64 walk = i;
        for (unsigned j = 0; j < form->nin; j++) {
            const char *gen = form->gen[j];
            struct draw d = {
                .r = mix(mix(seed + j) ^ i), .rw = mix(mix(seed + j + 1000) ^ (i / 32)),
                .mask = warp_mask(mix(mix(seed + 2000) ^ (i / 32))), .tuple = mix(mix(seed + 3000) ^ i), .lane = i % 32,
            };
            u64 x = 0;
            if (exhaustive(form)) {
                x = i;
            } else if (specials[j].count && i < n / 2 && (combinations > n / 2 || i < combinations)) {
                x = special(&specials[j], combinations > n / 2 ? d.r >> 8 : walk);
                walk /= specials[j].count;
                x += x == 0 && is(gen, "nz");
            } else if (!named(gen, form->in[j], &d, j, before, &x)) {
                x = related(gen, j, d.r, random_typed(gen, d.r), before);
            }
            before[j] = x;
            in[(u64)j * n + i] = x;
        }
    }
}

/* ---- comparison */

struct layout {
    unsigned lanes; /* elements in one value; 0 for types which are not floating point */
    unsigned bits;  /* bits of an element */
    unsigned mant;  /* stored mantissa bits */
    unsigned exp;   /* exponent bits */
};

static struct layout layout_of(const char *type)
{
    if (is(type, "f16") || is(type, "f16x2"))
        return (struct layout){is(type, "f16") ? 1 : 2, 16, 10, 5};
    if (is(type, "bf16") || is(type, "bf16x2"))
        return (struct layout){is(type, "bf16") ? 1 : 2, 16, 7, 8};
    if (is(type, "f32") || is(type, "tf32"))
        return (struct layout){1, 32, 23, 8};
    if (is(type, "f64"))
        return (struct layout){1, 64, 52, 11};
    if (is(type, "e4m3x2") || is(type, "e5m2x2"))
        return (struct layout){2, 8, is(type, "e4m3x2") ? 3 : 2, is(type, "e4m3x2") ? 4 : 5};
    return (struct layout){0};
}

static int element_nan(const struct layout *l, u64 x)
{
    x &= low_mask(l->mant + l->exp);
    if (l->bits == 8 && l->exp == 4)
        return x == 0x7f;
    return x > low_mask(l->exp) << l->mant;
}

static double element_value(const struct layout *l, u64 x)
{
    int bias = (1 << (l->exp - 1)) - 1;
    int e = (int)(x >> l->mant & low_mask(l->exp));
    double m = (double)(x & low_mask(l->mant));
    double sign = x >> (l->mant + l->exp) & 1 ? -1 : 1;

    if (l->bits == 64)
        return f64_of(x);
    if (e == (int)low_mask(l->exp) && !(l->bits == 8 && l->exp == 4))
        return m != 0 ? NAN : sign * INFINITY;
    return sign * ldexp(e ? m + ldexp(1, (int)l->mant) : m, (e ? e : 1) - bias - (int)l->mant);
}

/* distance in steps of the type, ±0 counting as one value */
static double element_ulps(const struct layout *l, u64 x, u64 y)
{
    u64 top = 1ull << (l->bits - 1);
    long double a = (long double)(x & (top - 1)) * ((x & top) ? -1 : 1);
    long double b = (long double)(y & (top - 1)) * ((y & top) ? -1 : 1);

    return (double)fabsl(a - b);
}

static double power_of_two(const char *s)
{
    return strncmp(s, "2^", 2) == 0 ? pow(2, atof(s + 2)) : atof(s);
}

/* one element under one of the alternatives of a rule */
static int element_within(const struct layout *l, const char *rule, u64 x, u64 y)
{
    double a = element_value(l, x), b = element_value(l, y);

    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (strncmp(rule, "ulp:", 4) == 0)
        return element_ulps(l, x, y) <= atof(rule + 4);
    if (isinf(a) || isinf(b))
        return a == b;
    if (strncmp(rule, "rel:", 4) == 0)      /* half a step of the type is rounding, which the bound does not count */
        return fabs(a - b) <= power_of_two(rule + 4) * fabs(b) || element_ulps(l, x, y) <= 1;
    if (strncmp(rule, "abs:", 4) == 0)
        return fabs(a - b) <= power_of_two(rule + 4) || element_ulps(l, x, y) <= 1;
    return 0;
}

struct form_match form_compare(const char *type, const char *rule, int any_nan, u64 x, u64 y)
{
    struct form_match match = {x == y, 1, 0};
    struct layout l = layout_of(type);

    if (strncmp(rule, "golden/", 7) == 0)
        rule += 7;
    if (match.equal || is(rule, "info"))
        return match;
    if (!l.lanes)
        return (struct form_match){0, 0, 0};
    for (unsigned k = 0; k < l.lanes; k++) {
        u64 a = x >> k * l.bits & low_mask(l.bits), b = y >> k * l.bits & low_mask(l.bits);
        int both_nan = element_nan(&l, a) && element_nan(&l, b);
        const char *next = rule;
        int within = a == b || (both_nan && (any_nan || !is(rule, "bits")));
        while (next && !within) {
            within = element_within(&l, next, a, b) && !is(rule, "bits") && !is(rule, "nan");
            next = strchr(next, '/');
            next = next ? next + 1 : NULL;
        }
        match.within &= within;
        if (!both_nan && element_ulps(&l, a, b) > match.ulps)
            match.ulps = element_ulps(&l, a, b);
    }
    return match;
}

u64 form_canonical(const char *type, u64 x)
{
    struct layout l = layout_of(type);

    for (unsigned k = 0; k < l.lanes; k++)
        if (element_nan(&l, x >> k * l.bits & low_mask(l.bits)))
            x |= low_mask(l.mant + l.exp) << k * l.bits, x &= ~(1ull << (k * l.bits + l.bits - 1));
    return x;
}
