/*
 * test_cudasim_half.c - f16 and bf16 of the simulated device against a slow computation by definition: values are whole
 * numbers times powers of two, results are rounded from exact ones. Links contrib/cudasim/table/table_half*.c,
 * compiled for each level of x86-64 (-DLEVEL=2, 3, 4), and runs every level that
 * this processor has. What NaN becomes, and where
 * .ftz is not heeded, is what an H200 gave.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/base/mxcsr.h"
#include "contrib/cudasim/machine/machine.h"
#include "unit.h"

extern const struct row rows_half_v2[], rows_half_v3[], rows_half_v4[];
extern const struct row rows_half_convert_v2[], rows_half_convert_v3[], rows_half_convert_v4[];

#define DEFAULT MXCSR_DEFAULT
#define FTZ MXCSR_FLUSH
#define MODE(rounding) (DEFAULT | (uint32_t)(rounding) << 13)

enum { NEAREST, DOWN, UP, ZERO };

/* ---- the bodies ---- */
static const struct row *const *lists; /* of the level under test: two */
static int level;

static const struct row *row_of(const char *name)
{
    size_t length = strlen(name);

    for (int n = 0; n < 2; n++)
        for (const struct row *r = lists[n]; r->names; r++)
            for (const char *p = r->names; *p; p += strcspn(p, " "), p += strspn(p, " "))
                if (strcspn(p, " ") == length && !memcmp(p, name, length))
                    return r;
    return NULL;
}

/* One operand: `count` values, each in the low bits of a word, for a register of `size` bytes a lane. */
struct column {
    uint64_t *values;
    unsigned size;
};

/* Runs the row over all values, 32 at a time, sources in order; `e` may be without values. */
static void run(const char *name, uint32_t mxcsr, uint16_t flags, size_t count, struct column d, struct column e,
                const struct column *sources, unsigned source_count)
{
    static char registers[6][LANES * 8] __attribute__((aligned(128)));
    static struct worker worker;
    static struct warp warp;
    const struct row *row = row_of(name);
    struct ins i = {.mxcsr = mxcsr, .flags = flags};
    slot *fields[] = {&i.a, &i.b, &i.c};

    CHECK(row, "no row '%s'", name);
    if (!row)
        return;
    worker.mxcsr = DEFAULT;
    warp.worker = &worker;
    warp.base[0] = registers[0];
    i.d = 0;
    i.e = e.values ? 5 * sizeof registers[0] : 0;
    for (unsigned s = 0; s < source_count; s++)
        *fields[s] = (slot)((s + 1) * sizeof registers[0]);
    for (size_t at = 0; at < count; at += LANES) {
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned s = 0; s < source_count; s++) {
                uint64_t v = sources[s].values[at + l < count ? at + l : 0];

                memcpy(registers[s + 1] + l * sources[s].size, &v, sources[s].size);
            }
        /* One batch in three leaves out every third lane, which must keep its value. */
        warp.mask = at / LANES % 3 == 1 ? 0xDB6DB6DBu : FULL_MASK;
        for (unsigned l = 0; l < LANES; l++)
            warp.lanes[l] = warp.mask >> l & 1 ? ~0u : 0;
        memset(registers[0], 0x5A, sizeof registers[0]);
        row->run(&warp, &i);
        for (unsigned l = 0; l < LANES && at + l < count; l++) {
            uint64_t v = 0, kept = 0x5A5A5A5A5A5A5A5A;

            memcpy(&v, registers[0] + l * d.size, d.size);
            if (!(warp.mask >> l & 1)) {
                CHECK(!memcmp(&v, &kept, d.size), "%s wrote lane %u, which is off", name, l);
                warp.mask = FULL_MASK;
                for (unsigned k = 0; k < LANES; k++)
                    warp.lanes[k] = ~0u;
                row->run(&warp, &i);
                memcpy(&v, registers[0] + l * d.size, d.size);
            }
            d.values[at + l] = v;
            if (e.values) {
                v = 0;
                memcpy(&v, registers[5] + l * e.size, e.size);
                e.values[at + l] = v;
            }
        }
    }
}

/* ---- exact numbers ---- */
struct format {
    const char *name, *pair;
    int bits, bias; /* of mantissa after the point; of the exponent */
    uint32_t infinity;
};

static const struct format f16 = {"f16", "f16x2", 10, 15, 0x7C00}, bf16 = {"bf16", "bf16x2", 7, 127, 0x7F80},
                           f32 = {"f32", NULL, 23, 127, 0x7F800000};

enum kind { FINITE, INFINITE, NOT };

/* n * 2^e; `negative` matters to zeros and infinities. */
struct exact {
    enum kind kind;
    bool negative;
    __int128 n;
    int e;
};

static struct exact exact_of(uint32_t bits, const struct format *f)
{
    uint32_t magnitude = bits & (f->infinity | ((1u << f->bits) - 1)), exponent = magnitude >> f->bits;
    uint32_t mantissa = magnitude & ((1u << f->bits) - 1);
    struct exact x = {FINITE, bits != magnitude, 0, 0};

    if (magnitude >= f->infinity) {
        x.kind = magnitude == f->infinity ? INFINITE : NOT;
        return x;
    }
    x.n = exponent ? mantissa | 1u << f->bits : mantissa;
    x.n = x.negative ? -x.n : x.n;
    x.e = (exponent ? (int)exponent : 1) - f->bias - f->bits;
    return x;
}

static uint32_t nan_of(const struct format *f)
{
    return f->infinity | ((1u << f->bits) - 1);
}

static uint32_t sign_of(const struct format *f)
{
    return (nan_of(f) + 1);
}

/* Rounds to the format; a zero gets x.negative. */
static uint32_t rounded(struct exact x, const struct format *f, int mode)
{
    bool negative = x.kind == FINITE && x.n ? x.n < 0 : x.negative;
    unsigned __int128 m = x.n < 0 ? -(unsigned __int128)x.n : (unsigned __int128)x.n, rest = 0, half = 0;
    int length, last, shift;
    uint32_t sign = negative ? sign_of(f) : 0, r;

    if (x.kind == NOT)
        return nan_of(f);
    if (x.kind == INFINITE)
        return sign | f->infinity;
    length = m >> 64 ? 128 - __builtin_clzll((uint64_t)(m >> 64)) : m ? 64 - __builtin_clzll((uint64_t)m) : 0;
    last = length + x.e - f->bits - 1; /* exponent of the last bit kept */
    if (last < 1 - f->bias - f->bits)
        last = 1 - f->bias - f->bits;
    shift = last - x.e;
    if (shift > 126) {
        rest = m != 0;
        half = 2;
        m = 0;
    } else if (shift > 0) {
        rest = m & (((unsigned __int128)1 << shift) - 1);
        half = (unsigned __int128)1 << (shift - 1);
        m >>= shift;
    } else {
        m <<= -shift;
    }
    if (rest && (mode == NEAREST ? rest > half || (rest == half && m & 1) : mode == (negative ? DOWN : UP)))
        m++;
    r = m >> f->bits ? (uint32_t)(last + f->bits + f->bias - 1) << f->bits : 0;
    if ((m >> f->bits && last + f->bits + f->bias > (int)(f->infinity >> f->bits)) || r + (uint32_t)m >= f->infinity)
        return mode == NEAREST || mode == (negative ? DOWN : UP) ? sign | f->infinity : sign | (f->infinity - 1);
    return sign | (r + (uint32_t)m);
}

/* The sum; a term more than 2^80 times smaller only gives its sign. */
static struct exact sum_of(struct exact x, struct exact y)
{
    struct exact swap;

    if (x.kind == NOT || y.kind == NOT || (x.kind == INFINITE && y.kind == INFINITE && x.negative != y.negative))
        return (struct exact){NOT, false, 0, 0};
    if (x.kind == INFINITE || y.kind == INFINITE)
        return x.kind == INFINITE ? x : y;
    if (!x.n || !y.n) {
        struct exact r = x.n ? x : y;

        r.negative = x.n ? x.negative : y.n ? y.negative : x.negative && y.negative;
        return r;
    }
    if (x.e < y.e) {
        swap = x;
        x = y;
        y = swap;
    }
    if (x.e - y.e > 80) {
        y.n = y.n < 0 ? -1 : 1;
        y.e = x.e - 80;
    }
    x.n = x.n * ((__int128)1 << (x.e - y.e)) + y.n;
    x.e = y.e;
    x.negative = x.n < 0; /* an exact difference of zero is positive */
    return x;
}

static struct exact product_of(struct exact x, struct exact y)
{
    struct exact r = {FINITE, x.negative != y.negative, x.n * y.n, x.e + y.e};

    if (x.kind == NOT || y.kind == NOT || (x.kind == INFINITE && y.kind == FINITE && !y.n) ||
        (y.kind == INFINITE && x.kind == FINITE && !x.n))
        r.kind = NOT;
    else if (x.kind == INFINITE || y.kind == INFINITE)
        r.kind = INFINITE;
    return r;
}

static double double_of(uint32_t bits, const struct format *f)
{
    struct exact x = exact_of(bits, f);

    return x.kind == NOT ? NAN : x.kind == INFINITE ? (x.negative ? -INFINITY : INFINITY)
                               : copysign(ldexp((double)x.n, x.e), x.negative ? -1 : 1);
}

/* ---- what is compared ---- */
#define COUNT 65536
static uint64_t A[COUNT], B[COUNT], C[COUNT], D[COUNT], E[COUNT], P[COUNT], Q[COUNT];
static uint64_t seed = 88172645463325252u;

static uint64_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 2685821657736338717u;
}

/* The result of the n-th values. */
typedef uint64_t expectation(size_t n, const void *context);

static void expect(const char *name, size_t count, const uint64_t *got, expectation *want, const void *context)
{
    size_t wrong = 0, first = 0;

    for (size_t n = 0; n < count; n++)
        if (got[n] != want(n, context) && wrong++ == 0)
            first = n;
    CHECK(wrong == 0, "v%d %s: %zu wrong, first for %jx %jx %jx: %jx, not %jx", level, name, wrong,
          (uintmax_t)A[first], (uintmax_t)B[first], (uintmax_t)C[first], (uintmax_t)got[first],
          (uintmax_t)want(first, context));
}

struct context {
    const struct format *f;
    char operation[16];
    bool ftz, sat, relu;
    int mode;
};

static uint32_t flushed(uint32_t bits, const struct format *f, bool ftz)
{
    return ftz && !(bits & f->infinity) ? bits & sign_of(f) : bits;
}

/* Whether .ftz makes a zero of the result: it is subnormal when rounded to 11 bits of any exponent, as on an H200. */
static bool is_tiny(struct exact x)
{
    static const struct format wide = {"", NULL, 10, 127, 0xFFu << 10};

    return x.kind == FINITE && (rounded(x, &wide, NEAREST) & ~sign_of(&wide)) < (uint32_t)(wide.bias - 14) << wide.bits;
}

/* Of one half. */
static uint32_t arithmetic(uint32_t a, uint32_t b, uint32_t c, const struct context *x)
{
    const struct format *f = x->f;
    struct exact ea = exact_of(flushed(a, f, x->ftz), f), eb = exact_of(flushed(b, f, x->ftz), f), r;
    uint32_t bits, one = (uint32_t)f->bias << f->bits;

    if (!strcmp(x->operation, "add")) {
        r = sum_of(ea, eb);
    } else if (!strcmp(x->operation, "sub")) {
        eb.n = -eb.n;
        eb.negative = !eb.negative;
        r = sum_of(ea, eb);
    } else if (!strcmp(x->operation, "mul")) {
        r = product_of(ea, eb);
    } else {
        r = sum_of(product_of(ea, eb), exact_of(flushed(c, f, x->ftz), f));
    }
    bits = rounded(r, f, NEAREST);
    if (x->ftz && is_tiny(r))
        bits &= sign_of(f);
    if (x->sat)
        bits = bits > f->infinity ? 0 : bits > one ? one : bits;
    if (x->relu && bits & sign_of(f))
        bits = 0;
    return bits;
}

static uint64_t want_half(size_t n, const void *context)
{
    return arithmetic((uint32_t)A[n], (uint32_t)B[n], (uint32_t)C[n], context);
}

static uint64_t want_pair(size_t n, const void *context)
{
    return arithmetic(A[n] & 0xFFFF, B[n] & 0xFFFF, C[n] & 0xFFFF, context) |
           arithmetic(A[n] >> 16 & 0xFFFF, B[n] >> 16 & 0xFFFF, C[n] >> 16 & 0xFFFF, context) << 16;
}

/* Values where something happens: ends of ranges, ties, near neighbours of another value. */
static uint32_t interesting(const struct format *f, uint32_t other)
{
    static const uint32_t offsets[] = {0, 1, 2, 3, 0x3F, 0x40, 0x41, 0x7F, 0x80, 0x81, 0x3FE, 0x3FF, 0x400, 0x401};
    uint64_t r = draw();
    uint32_t sign = r & 1 ? 0x8000 : 0;

    switch (r >> 1 & 7) {
    case 0: return sign | (offsets[(r >> 4) % 14] & (f->infinity - 1));
    case 1: return sign | (f->infinity - offsets[(r >> 4) % 14]);
    case 2: return sign | (((uint32_t)f->bias << f->bits) + offsets[(r >> 4) % 14]);
    case 3: return ((other ^ sign) + (uint32_t)(r >> 4 & 3) - 1) & 0xFFFF;
    case 4: /* about as large as the last bits of the other */
        return sign | (((other & 0x7FFF) >= (uint32_t)(f->bits + 3) << f->bits
                            ? (other & 0x7FFF) - ((uint32_t)(f->bits + (r >> 4 & 3)) << f->bits)
                            : other) & 0x7FFF);
    default: return (uint32_t)(r >> 16) & 0xFFFF;
    }
}

static void test_arithmetic(const struct format *f)
{
    static const char *const operations[] = {"add", "sub", "mul", "fma", "fma.relu"};
    char name[32];

    for (unsigned o = 0; o < 5; o++)
        for (unsigned round = 0; round < (o < 3 ? 6 : 12); round++) {
            struct context x = {.f = f, .relu = o == 4, .ftz = f == &f16 && round % 4 == 1,
                                .sat = f == &f16 && o < 4 && round % 4 == 2};
            bool pair = round % 2;
            const struct column sources[] = {{A, pair ? 4 : 2}, {B, pair ? 4 : 2}, {C, pair ? 4 : 2}};

            snprintf(x.operation, sizeof x.operation, "%.3s", operations[o]);
            snprintf(name, sizeof name, "%s.%s", operations[o], pair ? f->pair : f->name);
            for (size_t n = 0; n < COUNT; n++) {
                uint32_t a = (uint32_t)n, b = interesting(f, a);
                uint32_t p = rounded(product_of(exact_of(a, f), exact_of(b, f)), f, NEAREST);

                A[n] = a | (uint64_t)(a ^ 0x8001) << 16;
                B[n] = b | (uint64_t)(uint16_t)(b * 5) << 16;
                C[n] = interesting(f, p) | (draw() & 0xFFFF) << 16;
                if (!pair) {
                    A[n] &= 0xFFFF;
                    B[n] &= 0xFFFF;
                    C[n] &= 0xFFFF;
                }
            }
            run(name, x.ftz ? DEFAULT | FTZ : DEFAULT, x.sat ? INS_SATURATE : 0, COUNT,
                (struct column){D, pair ? 4 : 2}, (struct column){0}, sources, o < 3 ? 2 : 3);
            expect(name, COUNT, D, pair ? want_pair : want_half, &x);
        }
}

static uint64_t want_extremum(size_t n, const void *context)
{
    const struct context *x = context;
    bool nan_rules = strstr(x->operation, "NaN"), xorsign = strstr(x->operation, "xor");
    uint32_t a = flushed((uint32_t)A[n], x->f, x->ftz), b = flushed((uint32_t)B[n], x->f, x->ftz), r;
    uint32_t sign = xorsign ? (a ^ b) & 0x8000 : 0;
    double va, vb;

    if (xorsign) {
        a &= 0x7FFF;
        b &= 0x7FFF;
    }
    va = double_of(a, x->f);
    vb = double_of(b, x->f);
    if (isnan(va) || isnan(vb)) {
        if (nan_rules || (isnan(va) && isnan(vb)))
            return 0x7FFF;
        r = isnan(va) ? b : a;
    } else if (va == vb) { /* zeros of two signs differ */
        r = x->operation[1] == 'i' ? a | b : a & b;
    } else {
        r = (va < vb) == (x->operation[1] == 'i') ? a : b;
    }
    return r | sign;
}

static uint64_t want_sign(size_t n, const void *context)
{
    const struct context *x = context;
    uint32_t a = flushed((uint32_t)A[n], x->f, x->ftz);

    if ((a & 0x7FFF) > x->f->infinity)
        return 0x7FFF;
    return x->operation[0] == 'n' ? a ^ 0x8000 : a & 0x7FFF;
}

static void test_signs(const struct format *f)
{
    static const char *const extrema[] = {"min", "max", "min.NaN", "max.NaN", "min.xorsign.abs", "max.xorsign.abs",
                                          "min.NaN.xorsign.abs", "max.NaN.xorsign.abs"};
    const struct column sources[] = {{A, 2}, {B, 2}};
    struct context x = {.f = f};
    char name[40];

    for (size_t n = 0; n < COUNT; n++) {
        A[n] = n;
        B[n] = interesting(f, (uint32_t)n);
    }
    for (unsigned ftz = 0; ftz < (f == &f16 ? 2 : 1); ftz++) {
        x.ftz = ftz;
        for (unsigned o = 0; o < 8; o++) {
            snprintf(x.operation, sizeof x.operation, "%s", extrema[o]);
            snprintf(name, sizeof name, "%s.%s", extrema[o], f->name);
            run(name, ftz ? DEFAULT | FTZ : DEFAULT, 0, COUNT, (struct column){D, 2}, (struct column){0}, sources, 2);
            expect(name, COUNT, D, want_extremum, &x);
        }
        for (unsigned o = 0; o < 2; o++) {
            strcpy(x.operation, o ? "neg" : "abs");
            snprintf(name, sizeof name, "%s.%s", x.operation, f->name);
            run(name, ftz ? DEFAULT | FTZ : DEFAULT, 0, COUNT, (struct column){D, 2}, (struct column){0}, sources, 1);
            expect(name, COUNT, D, want_sign, &x);
        }
    }
}

static bool holds(const char *comparison, double a, double b)
{
    bool unordered = isnan(a) || isnan(b);

    if (!strcmp(comparison, "num") || !strcmp(comparison, "nan"))
        return unordered == (comparison[1] == 'a');
    if (unordered)
        return comparison[2] == 'u';
    switch (comparison[0] << 8 | comparison[1]) {
    case 'e' << 8 | 'q': return a == b;
    case 'n' << 8 | 'e': return a != b;
    case 'l' << 8 | 't': return a < b;
    case 'l' << 8 | 'e': return a <= b;
    case 'g' << 8 | 't': return a > b;
    default: return a >= b;
    }
}

static void test_comparisons(const struct format *f)
{
    static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu",
                                              "geu", "num", "nan"};
    const struct column halves[] = {{A, 2}, {B, 2}}, pairs[] = {{P, 4}, {Q, 4}, {C, 4}};
    size_t wrong;
    char name[32];

    for (size_t n = 0; n < COUNT; n++) {
        A[n] = n;
        B[n] = interesting(f, (uint32_t)n);
        C[n] = draw() & 1 ? 0xFFFFFFFF : 0;
    }
    for (size_t n = 0; n < COUNT; n++) {
        P[n] = A[n] | A[COUNT - 1 - n] << 16;
        Q[n] = B[n] | B[COUNT - 1 - n] << 16;
    }
    for (unsigned o = 0; o < 14; o++) {
        const char *comparison = comparisons[o];

        wrong = 0;
        snprintf(name, sizeof name, "setp.%s.%s", comparison, f->name);
        run(name, DEFAULT, 0, COUNT, (struct column){D, 4}, (struct column){0}, halves, 2);
        for (size_t n = 0; n < COUNT; n++)
            wrong += D[n] != (holds(comparison, double_of((uint32_t)A[n], f), double_of((uint32_t)B[n], f)) ? ~0u : 0);
        CHECK(wrong == 0, "v%d %s: %zu wrong", level, name, wrong);
        snprintf(name, sizeof name, "setp.%s.xor.%s", comparison, f->pair);
        run(name, DEFAULT, 0, COUNT, (struct column){D, 4}, (struct column){E, 4}, pairs, 3);
        for (size_t n = 0; n < COUNT; n++) {
            bool low = holds(comparison, double_of(P[n] & 0xFFFF, f), double_of(Q[n] & 0xFFFF, f));
            bool high = holds(comparison, double_of(P[n] >> 16 & 0xFFFF, f), double_of(Q[n] >> 16 & 0xFFFF, f));

            wrong += D[n] != ((low ? ~0u : 0) ^ C[n]) || E[n] != ((high ? ~0u : 0) ^ C[n]);
        }
        CHECK(wrong == 0, "v%d %s: %zu wrong", level, name, wrong);
        snprintf(name, sizeof name, "set.%s.%s.%s", comparison, f->pair, f->pair);
        run(name, DEFAULT, 0, COUNT, (struct column){D, 4}, (struct column){0}, pairs, 2);
        for (size_t n = 0; n < COUNT; n++) {
            uint32_t one = (uint32_t)f->bias << f->bits;
            bool low = holds(comparison, double_of(P[n] & 0xFFFF, f), double_of(Q[n] & 0xFFFF, f));
            bool high = holds(comparison, double_of(P[n] >> 16 & 0xFFFF, f), double_of(Q[n] >> 16 & 0xFFFF, f));

            wrong += D[n] != ((low ? one : 0) | (high ? (uint64_t)one << 16 : 0));
        }
        CHECK(wrong == 0, "v%d %s: %zu wrong", level, name, wrong);
    }
}

/* ---- conversions ---- */
static uint64_t want_from_f32(size_t n, const void *context)
{
    const struct context *x = context;
    bool ftz = x->ftz && x->f == &bf16; /* that of f16 takes it and does not heed it */
    uint32_t r = rounded(exact_of(flushed((uint32_t)A[n], &f32, ftz), &f32), x->f, x->mode);

    if (x->sat)
        r = r > x->f->infinity ? 0 : r > 0x3C00 ? 0x3C00 : r;
    return x->relu && r & 0x8000 ? 0 : r;
}

static uint64_t want_from_f64(size_t n, const void *context)
{
    const struct context *x = context;
    struct exact value = {FINITE, A[n] >> 63, 0, 0};
    int exponent = (int)(A[n] >> 52 & 0x7FF);

    value.n = (int64_t)((A[n] & 0xFFFFFFFFFFFFF) | (exponent ? 1ull << 52 : 0));
    value.kind = exponent < 0x7FF ? FINITE : value.n == (int64_t)1 << 52 ? INFINITE : NOT;
    value.e = (exponent ? exponent : 1) - 1075;
    value.n = value.negative ? -value.n : value.n;
    if (value.kind == NOT) /* quiet, with the sign and as much of the payload as fits */
        return (value.negative ? 0x8000 : 0) | x->f->infinity | 1u << (x->f->bits - 1) |
               (A[n] << 12 >> (64 - x->f->bits));
    return rounded(value, x->f, x->mode);
}

static uint64_t want_from_integer(size_t n, const void *context)
{
    const struct context *x = context;
    bool is_signed = x->operation[0] == 's';
    int bits = atoi(x->operation + 1);
    struct exact value = {FINITE, false, 0, 0};

    value.n = is_signed ? (__int128)((int64_t)(A[n] << (64 - bits)) >> (64 - bits)) : (__int128)A[n];
    return rounded(value, x->f, x->mode);
}

static double integral(double value, int mode)
{
    return mode == NEAREST ? nearbyint(value) : mode == DOWN ? floor(value) : mode == UP ? ceil(value) : trunc(value);
}

static uint64_t want_integer(size_t n, const void *context)
{
    const struct context *x = context;
    bool is_signed = x->operation[0] == 's';
    int bits = atoi(x->operation + 1);
    double value = integral(double_of((uint32_t)A[n], x->f), x->mode);
    __int128 low = is_signed ? -((__int128)1 << (bits - 1)) : 0, high = low + ((__int128)1 << bits) - 1, r;
    uint64_t mask = bits == 64 ? ~0ull : bits <= 16 ? 0xFFFF : (1ull << bits) - 1;

    if (isnan(value))
        return bits == 64 ? 1ull << 63 : 0;
    r = value > 1e30 ? high : value < -1e30 ? low : (__int128)value;
    r = r < low ? low : r > high ? high : r;
    return (uint64_t)r & mask;
}

static uint64_t want_rint(size_t n, const void *context)
{
    const struct context *x = context;
    double value = double_of((uint32_t)A[n], x->f), r = integral(value, x->mode);

    if (isnan(value))
        return 0x7FFF;
    if (isinf(r) || r == value)
        return A[n];
    return rounded((struct exact){FINITE, signbit(value), (__int128)r, 0}, x->f, NEAREST);
}

static uint64_t want_f32(size_t n, const void *context)
{
    const struct context *x = context;

    if (x->f == &bf16)
        return A[n] << 16; /* NaN is not touched */
    return rounded(exact_of((uint32_t)A[n], x->f), &f32, NEAREST);
}

static void test_conversions(const struct format *f)
{
    static const char *const types[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
    static const unsigned sizes[] = {2, 2, 2, 2, 4, 4, 8, 8};
    char name[40];

    for (size_t n = 0; n < COUNT; n++)
        A[n] = n;
    snprintf(name, sizeof name, "cvt.f32.%s", f->name);
    run(name, DEFAULT, 0, COUNT, (struct column){D, 4}, (struct column){0}, &(struct column){A, 2}, 1);
    expect(name, COUNT, D, want_f32, &(struct context){.f = f});
    for (int mode = 0; mode < 4; mode++) {
        struct context x = {.f = f, .mode = mode};

        for (size_t n = 0; n < COUNT; n++)
            A[n] = n;
        snprintf(name, sizeof name, "cvt.rint.%s.%s", f->name, f->name);
        run(name, MODE(mode), 0, COUNT, (struct column){D, 2}, (struct column){0}, &(struct column){A, 2}, 1);
        expect(name, COUNT, D, want_rint, &x);
        for (unsigned t = 0; t < 8; t++) {
            strcpy(x.operation, types[t]);
            snprintf(name, sizeof name, "cvt.%s.%s", types[t], f->name);
            run(name, MODE(mode), 0, COUNT, (struct column){D, sizes[t]}, (struct column){0},
                &(struct column){A, 2}, 1);
            expect(name, COUNT, D, want_integer, &x);
        }
        for (unsigned t = 2; t < 8; t++) {
            unsigned bits = (unsigned)atoi(types[t] + 1);

            for (size_t n = 0; n < COUNT; n++)
                A[n] = bits == 16 ? n : (draw() >> draw() % bits) >> (64 - bits);
            for (size_t n = 0; n < 3 * bits; n++)
                A[n] = ((1ull << n / 3) + n % 3 - 1) & (~0ull >> (64 - bits));
            strcpy(x.operation, types[t]);
            snprintf(name, sizeof name, "cvt.%s.%s", f->name, types[t]);
            run(name, MODE(mode), 0, COUNT, (struct column){D, 2}, (struct column){0},
                &(struct column){A, sizes[t]}, 1);
            expect(name, COUNT, D, want_from_integer, &x);
        }
        for (unsigned round = 0; round < 9; round++) {
            /* Every value of the format, and what lies between it and the next: ties and their neighbours. */
            static const uint32_t between[] = {0, 1, 0xFFF, 0x1000, 0x1001, 0x7FFF, 0x8000, 0x8001};
            double value;

            for (size_t n = 0; n < COUNT; n++)
                A[n] = rounded(exact_of((uint32_t)n, f), &f32, NEAREST) + between[round % 8];
            if (round == 8)
                for (size_t n = 0; n < COUNT; n++)
                    A[n] = draw() >> 32;
            x.ftz = round % 2;
            x.sat = f == &f16 && round % 4 == 2;
            x.relu = round % 4 == 3 && (mode == NEAREST || mode == ZERO);
            snprintf(name, sizeof name, "cvt%s.%s.f32", x.relu ? ".relu" : "", f->name);
            run(name, MODE(mode) | (x.ftz ? FTZ : 0), x.sat ? INS_SATURATE : 0, COUNT, (struct column){D, 2},
                (struct column){0}, &(struct column){A, 4}, 1);
            expect(name, COUNT, D, want_from_f32, &x);
            x.ftz = x.sat = x.relu = false;
            for (size_t n = 0; n < COUNT; n++) {
                float single;

                memcpy(&single, &(uint32_t){(uint32_t)A[n]}, 4);
                value = single;
                memcpy(&A[n], &value, 8);
                A[n] += (round + 1) % 3 - 1; /* a last bit that f32 has no place for */
            }
            snprintf(name, sizeof name, "cvt.%s.f64", f->name);
            run(name, MODE(mode), 0, COUNT, (struct column){D, 2}, (struct column){0},
                &(struct column){A, 8}, 1);
            expect(name, COUNT, D, want_from_f64, &x);
        }
    }
}

/* ---- 8 bits and tf32 ---- */
static double tiny_value(uint32_t byte, bool e4m3)
{
    struct format f = {"", "", e4m3 ? 3 : 2, e4m3 ? 7 : 15, e4m3 ? 0x7F : 0x7C};

    return double_of(byte, &f);
}

static uint64_t want_tiny(size_t n, const void *context)
{
    bool e4m3 = ((const struct context *)context)->mode;
    double value = double_of((uint32_t)A[n] & 0xFFFF, &f16), error, best = INFINITY;
    uint32_t most = e4m3 ? 0x7E : 0x7B, r = 0;

    if (isnan(value))
        return 0x7F;
    for (uint32_t byte = 0; byte <= most; byte++) {
        error = fabs(fabs(value) - tiny_value(byte, e4m3));
        if (error < best || (error == best && !(byte & 1))) {
            best = error;
            r = byte;
        }
    }
    return (signbit(value) ? 0x80 : 0) | (isinf(value) ? most : r);
}

static uint32_t half_of_tiny(uint32_t byte, bool e4m3)
{
    struct format f = {"", "", e4m3 ? 3 : 2, e4m3 ? 7 : 15, e4m3 ? 0x7F : 0x7C};

    /* The place of e4m3's infinity is its only NaN. */
    return e4m3 && (byte & 0x7F) == 0x7F ? 0x7FFF : rounded(exact_of(byte, &f), &f16, NEAREST);
}

static uint64_t want_from_tiny(size_t n, const void *context)
{
    bool e4m3 = ((const struct context *)context)->mode;

    return half_of_tiny(A[n] & 0xFF, e4m3) | half_of_tiny(A[n] >> 8 & 0xFF, e4m3) << 16;
}

static uint64_t want_tf32(size_t n, const void *context)
{
    const struct context *x = context;
    uint32_t a = (uint32_t)A[n], r = a & ~0x1FFFu, rest = a & 0x1FFF;

    if ((a & 0x7FFFFFFF) > 0x7F800000)
        return x->mode == 9 ? r : 0x7FFFE000;
    if (x->mode == 9 ? rest >= 0x1000 : x->mode == NEAREST && (rest > 0x1000 || (rest == 0x1000 && r & 0x2000)))
        r += 0x2000;
    return r;
}

static void test_small_formats(void)
{
    for (int e4m3 = 0; e4m3 < 2; e4m3++) {
        const char *type = e4m3 ? "e4m3x2" : "e5m2x2";
        struct context x = {.mode = e4m3};
        char name[40];

        for (size_t n = 0; n < COUNT; n++)
            A[n] = n;
        snprintf(name, sizeof name, "cvt.f16x2.%s", type);
        run(name, DEFAULT, 0, COUNT, (struct column){D, 4}, (struct column){0}, &(struct column){A, 2}, 1);
        expect(name, COUNT, D, want_from_tiny, &x);
        for (size_t n = 0; n < COUNT; n++)
            A[n] = n | (COUNT - 1 - n) << 16;
        snprintf(name, sizeof name, "cvt.satfinite.%s.f16x2", type);
        run(name, DEFAULT, 0, COUNT, (struct column){D, 2}, (struct column){0}, &(struct column){A, 4}, 1);
        for (size_t n = 0; n < COUNT / 2; n++) /* the two halves are the same values from both ends */
            CHECK(D[n] >> 8 == (D[COUNT - 1 - n] & 0xFF), "v%d %s: halves of %zu", level, name, n);
        for (size_t n = 0; n < COUNT; n++)
            D[n] &= 0xFF;
        expect(name, COUNT, D, want_tiny, &x);
    }
    for (size_t n = 0; n < COUNT; n++)
        A[n] = n % 4 ? draw() >> 32 : (draw() >> 32 & ~0x1FFFu) | 0x1000;
    for (int mode = 0; mode < 3; mode++) {
        struct context x = {.mode = mode == 2 ? 9 : mode ? ZERO : NEAREST};

        run(mode == 2 ? "cvt.rna.tf32.f32" : "cvt.tf32.f32", MODE(mode == 1 ? ZERO : NEAREST), 0, COUNT,
            (struct column){D, 4}, (struct column){0}, &(struct column){A, 4}, 1);
        expect("tf32", COUNT, D, want_tf32, &x);
    }
}

/*
 * ex2 within 2^-9.9 (bf16: 2^-7) of the value, relatively, tanh within 2^-10.987 (2^-8), as PTX promises; and the same
 * at every level.
 */
static void test_special(const struct format *f)
{
    static uint64_t first[2][2][COUNT];
    double ex2_bound = f == &f16 ? 0x1p-9 * 0.5359 : 0x1p-7, tanh_bound = f == &f16 ? 0x1p-11 * 1.0091 : 0x1p-8;
    char name[40];

    for (size_t n = 0; n < COUNT; n++)
        A[n] = n;
    for (int tanh_ = 0; tanh_ < 2; tanh_++) {
        uint64_t *memory = first[f == &bf16][tanh_];
        size_t wrong = 0, differ = 0;

        snprintf(name, sizeof name, "%s.approx.%s", tanh_ ? "tanh" : "ex2", f->name);
        run(name, DEFAULT, 0, COUNT, (struct column){D, 2}, (struct column){0}, &(struct column){A, 2}, 1);
        for (size_t n = 0; n < COUNT; n++) {
            double value = double_of((uint32_t)n, f), got = double_of((uint32_t)D[n], f);
            double want = tanh_ ? tanh(value) : exp2(value);
            double most = double_of(f->infinity - 1, f), least = double_of(1, f);

            if (isnan(value))
                wrong += D[n] != 0x7FFF;
            else if (want > most)
                wrong += !(got >= most);
            else
                wrong += !(fabs(got - want) <= (tanh_ ? tanh_bound : want * ex2_bound + least));
            differ += level != 2 && D[n] != memory[n];
            if (level == 2)
                memory[n] = D[n];
        }
        CHECK(wrong == 0, "v%d %s: %zu wrong", level, name, wrong);
        CHECK(differ == 0, "v%d %s: %zu differ from v2", level, name, differ);
    }
}

int main(void)
{
    static const struct row *const levels[3][2] = {{rows_half_v2, rows_half_convert_v2},
                                                   {rows_half_v3, rows_half_convert_v3},
                                                   {rows_half_v4, rows_half_convert_v4}};

    __builtin_cpu_init();
    for (level = 2; level <= 4; level++) {
        if ((level == 3 && !__builtin_cpu_supports("avx2")) || (level == 4 && !__builtin_cpu_supports("avx512bw")))
            continue;
        lists = levels[level - 2];
        for (int n = 0; n < 2; n++) {
            const struct format *f = n ? &bf16 : &f16;

            test_arithmetic(f);
            test_signs(f);
            test_comparisons(f);
            test_conversions(f);
            test_special(f);
        }
        test_small_formats();
    }
    return unit_end();
}
