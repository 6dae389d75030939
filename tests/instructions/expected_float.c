/*
 * Independent expectations for floating point: arithmetic under all roundings, comparison, conversion. f32 and f64 use
 * the host's IEEE arithmetic through <fenv.h>; the narrower types are computed in double, rounded to odd so that the
 * second rounding is right. Approximate functions get the correctly rounded value, which the form's rule then bounds.
 * Sources: the PTX manual's sections on floating-point instructions, comparison and cvt. Compile with -frounding-math.
 */
#include "expected.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* ---- formats */

struct format {
    int bits;   /* of one element */
    int mant;   /* stored mantissa bits */
    int exp;    /* exponent bits */
};

static struct format format_of(const char *t)
{
    if (strncmp(t, "f16", 3) == 0)
        return (struct format){16, 10, 5};
    if (strncmp(t, "bf16", 4) == 0)
        return (struct format){16, 7, 8};
    if (same(t, "f64"))
        return (struct format){64, 52, 11};
    if (same(t, "tf32"))
        return (struct format){32, 10, 8};      /* of 32 bits the low 13 are zero */
    if (strncmp(t, "e4m3", 4) == 0)
        return (struct format){8, 3, 4};
    if (strncmp(t, "e5m2", 4) == 0)
        return (struct format){8, 2, 5};
    return (struct format){32, 23, 8};
}

static double f64_of(u64 bits) { double x; memcpy(&x, &bits, 8); return x; }
static u64 f64_bits(double x) { u64 b; memcpy(&b, &x, 8); return b; }
static float f32_of(u64 bits) { uint32_t u = (uint32_t)bits; float x; memcpy(&x, &u, 4); return x; }
static u64 f32_bits(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }

double float_value(const char *type, u64 x)
{
    struct format f = format_of(type);
    int e, bias = (1 << (f.exp - 1)) - 1;
    u64 m;

    if (f.bits == 64)
        return f64_of(x);
    if (f.bits == 32)
        return f32_of(x);
    x &= mask_bits((unsigned)f.bits);
    e = (int)(x >> f.mant & mask_bits((unsigned)f.exp));
    m = x & mask_bits((unsigned)f.mant);
    if (e == (1 << f.exp) - 1 && !(f.exp == 4 && m != 7))
        return f.exp == 4 || m ? NAN : x >> (f.bits - 1) ? -INFINITY : INFINITY;
    return ldexp((double)(e ? m | 1ull << f.mant : m), (e ? e : 1) - bias - f.mant) * (x >> (f.bits - 1) ? -1 : 1);
}

static u64 canonical_nan(const char *type)
{
    struct format f = format_of(type);

    if (f.bits == 64)
        return 0x7ff8000000000000ull;
    return mask_bits((unsigned)f.bits - 1);
}

u64 float_round(const char *type, const char *rounding, double x)
{
    struct format f = format_of(type);
    int e, bias = (1 << (f.exp - 1)) - 1, low = 1 - bias - f.mant, negative = signbit(x) != 0, up;
    u64 sign = (u64)negative << (f.mant + f.exp), infinity = mask_bits((unsigned)f.exp) << f.mant, bits;
    double magnitude = fabs(x), scaled, whole, rest;
    unsigned pad = same(type, "tf32") ? 13 : 0;

    if (f.bits == 64)
        return isnan(x) ? canonical_nan(type) : f64_bits(x);
    if (isnan(x))
        return canonical_nan(type);
    if (isinf(x))
        return (sign | infinity) << pad;
    if (magnitude == 0)
        return sign << pad;
    frexp(magnitude, &e);
    e = e - 1 - f.mant < low ? low : e - 1 - f.mant;        /* exponent of the last place */
    scaled = ldexp(magnitude, -e);
    whole = floor(scaled);
    rest = scaled - whole;
    if (same(rounding, "rn"))
        up = rest > 0.5 || (rest == 0.5 && fmod(whole, 2) == 1);
    else if (same(rounding, "rna"))
        up = rest >= 0.5;
    else if (same(rounding, "rm"))
        up = negative && rest > 0;
    else if (same(rounding, "rp"))
        up = !negative && rest > 0;
    else
        up = 0;
    bits = ((u64)(e - low) << f.mant) + (u64)whole + (u64)up;
    if (f.exp == 4 && bits > 0x7f)                   /* e4m3 has no infinity; its callers saturate */
        bits = 0x7f;
    if (bits >= infinity && f.exp != 4) {
        int to_infinity = same(rounding, "rn") || same(rounding, "rna") || (same(rounding, "rm") && negative)
            || (same(rounding, "rp") && !negative);
        bits = to_infinity ? infinity : infinity - 1;
    }
    return (sign | bits) << pad;
}

static int is_subnormal(const char *type, u64 x)
{
    struct format f = format_of(type);

    return (x >> f.mant & mask_bits((unsigned)f.exp)) == 0 && (x & mask_bits((unsigned)f.mant)) != 0;
}

static u64 sign_bit(const char *type) { return 1ull << (format_of(type).bits - 1); }

static u64 flush(const char *type, u64 x, int ftz)
{
    return ftz && is_subnormal(type, x) ? x & sign_bit(type) : x;
}

/*
 * The result `x` of something whose value is `exact`, or as good as that for one more rounding: .ftz makes those zero
 * that are subnormal when rounded to their type's precision with any exponent, and with that not what rounds up to
 * the least normal number only because subnormals have fewer bits. So an H200 does it.
 */
static u64 flush_result(const char *type, const char *rounding, double exact, u64 x, int ftz)
{
    struct format f = format_of(type);
    double least = ldexp(1, 2 - (1 << (f.exp - 1)));

    if (!ftz || fabs(exact) > 2 * least || isnan(exact))
        return x;
    if (fabs(float_value(type, float_round(type, rounding, ldexp(exact, 8)))) < ldexp(least, 8))
        return x & sign_bit(type);
    return x;
}

static const char *rounding_of(const struct op *op)
{
    static const char *const all[] = {"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"};

    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        if (op_has(op, all[i]))
            return all[i];
    return "rn";
}

static int host_rounding(const char *r)
{
    return r[1] == 'z' ? FE_TOWARDZERO : r[1] == 'm' ? FE_DOWNWARD : r[1] == 'p' ? FE_UPWARD : FE_TONEAREST;
}

/* ---- arithmetic */

/* x + y, exact or with the last bit odd, so that rounding it again to fewer bits is right */
static double add_to_odd(double x, double y)
{
    volatile double s = x + y, v = s - x, error = (x - (s - v)) + (y - v);

    if (!isfinite(s) || error == 0 || (f64_bits(s) & 1))
        return s;
    return nextafter(s, error > 0 ? INFINITY : -INFINITY);
}

static u64 arith32(const char *name, const char *rounding, u64 a, u64 b, u64 c)
{
    volatile float x = f32_of(a), y = f32_of(b), z = f32_of(c), r = 0;

    fesetround(host_rounding(rounding));
    if (same(name, "add"))
        r = x + y;
    else if (same(name, "sub"))
        r = x - y;
    else if (same(name, "mul"))
        r = x * y;
    else if (same(name, "div"))
        r = x / y;
    else if (same(name, "rcp"))
        r = 1.0f / x;
    else if (same(name, "sqrt"))
        r = sqrtf(x);
    else
        r = fmaf(x, y, z);
    fesetround(FE_TONEAREST);
    return isnan(r) ? canonical_nan("f32") : f32_bits(r);
}

static u64 arith64(const char *name, const char *rounding, u64 a, u64 b, u64 c)
{
    volatile double x = f64_of(a), y = f64_of(b), z = f64_of(c), r = 0;

    fesetround(host_rounding(rounding));
    if (same(name, "add"))
        r = x + y;
    else if (same(name, "sub"))
        r = x - y;
    else if (same(name, "mul"))
        r = x * y;
    else if (same(name, "div"))
        r = x / y;
    else if (same(name, "rcp"))
        r = 1.0 / x;
    else if (same(name, "sqrt"))
        r = sqrt(x);
    else
        r = fma(x, y, z);
    fesetround(FE_TONEAREST);
    return isnan(r) ? canonical_nan("f64") : f64_bits(r);
}

/* The value of an operation on f32 or narrower operands, good enough to be rounded once more to their type. */
static double exact(const char *name, const char *type, u64 a, u64 b, u64 c)
{
    double x = float_value(type, a), y = float_value(type, b), z = float_value(type, c);

    if (same(name, "add"))
        return add_to_odd(x, y);
    if (same(name, "sub"))
        return add_to_odd(x, -y);
    if (same(name, "mul"))
        return x * y;
    if (same(name, "div"))                          /* a quotient is never nearer to a number of 24 bits than 2^-49 */
        return x / y;
    if (same(name, "rcp"))
        return 1 / x;
    if (same(name, "sqrt"))
        return sqrt(x);
    return add_to_odd(x * y, z);
}

static u64 arith(const char *name, const char *type, const char *rounding, int ftz, u64 a, u64 b, u64 c)
{
    double value;

    if (same(type, "f64"))
        return arith64(name, rounding, a, b, c);
    value = exact(name, type, a, b, c);
    if (same(type, "f32"))
        return flush_result(type, rounding, value, arith32(name, rounding, a, b, c), ftz);
    return flush_result(type, rounding, value, float_round(type, rounding, value), ftz);
}

/* .sat and .relu */
static u64 limit(const struct op *op, const char *type, u64 x)
{
    double v = float_value(type, x);

    if (op_has(op, "sat")) {
        if (isnan(v) || v < 0 || x == sign_bit(type))
            return 0;
        if (v > 1)
            return float_round(type, "rn", 1);
    }
    if (op_has(op, "relu") && !isnan(v) && (v < 0 || x == sign_bit(type)))
        return 0;
    return x;
}

static int e_arith(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op);
    unsigned bits, lanes = type_lanes(type);
    int ftz = op_has(op, "ftz");

    if (!type_is_float(type) || op_has(op, "approx") || op_has(op, "full"))
        return 0;
    bits = type_bits(type);
    d[0] = 0;
    for (unsigned k = 0; k < lanes; k++) {
        u64 x[3], r;
        for (unsigned j = 0; j < 3; j++)
            x[j] = flush(type, (j < op->form->nin ? a[j] : 0) >> k * bits & mask_bits(bits), ftz);
        if (same(op->tag, "imm")) {
            x[1] = same(type, "f32") ? 0x40490fdb : 0x3ff0000000000001ull;
            x[2] = 0x80000000;
        }
        if (op_has(op, "oob") && (x[0] == 0xffff || x[1] == 0xffff || isnan(float_value(type, x[0]))
                                  || isnan(float_value(type, x[1]))))
            return 0;
        r = arith(op->word[0], type, rounding_of(op), ftz, x[0], x[1], x[2]);
        d[0] |= limit(op, type, r) << k * bits;
    }
    return 1;
}

static int e_approx(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op), *name = op->word[0];
    unsigned bits, lanes = type_lanes(type);
    int ftz = op_has(op, "ftz");

    if (!type_is_float(type) || (!op_has(op, "approx") && !op_has(op, "full")))
        return 0;
    bits = type_bits(type);
    d[0] = 0;
    for (unsigned k = 0; k < lanes; k++) {
        u64 b = flush(type, a[1] >> k * bits & mask_bits(bits), ftz);
        u64 upper = same(type, "f64") && ftz ? ~0xffffffffull : ~0ull;      /* the lower words are not looked at */
        double x = float_value(type, flush(type, a[0] >> k * bits & mask_bits(bits) & upper, ftz));
        double y = float_value(type, b), r;
        if (same(name, "div")) {
            r = x / y;
            if (op_has(op, "approx") && fabs(y) > 0x1p126 && !isinf(y))
                r = isnan(x) || isinf(x) ? NAN : copysign(0, r);
            if (op_has(op, "approx") && is_subnormal(type, b))
                return 0;
        } else if (same(name, "rcp")) {
            r = 1 / x;
        } else if (same(name, "sqrt")) {
            r = sqrt(x);
        } else if (same(name, "rsqrt")) {
            r = 1 / sqrt(x);
        } else if (same(name, "sin")) {
            r = sin(x);
        } else if (same(name, "cos")) {
            r = cos(x);
        } else if (same(name, "lg2")) {
            r = log2(x);
        } else if (same(name, "ex2")) {
            r = exp2(x);
        } else {
            r = tanh(x);
        }
        u64 rounded = float_round(type, "rn", r);
        d[0] |= (bits == 64 ? flush(type, rounded, ftz) : flush_result(type, "rn", r, rounded, ftz)) << k * bits;
    }
    return 1;
}

static int e_sign(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op);
    unsigned bits, lanes = type_lanes(type);

    if (!type_is_float(type))
        return 0;
    bits = type_bits(type);
    d[0] = 0;
    for (unsigned k = 0; k < lanes; k++) {
        u64 x = flush(type, a[0] >> k * bits & mask_bits(bits), op_has(op, "ftz"));
        x = same(op->word[0], "abs") ? x & ~sign_bit(type) : x ^ sign_bit(type);
        d[0] |= x << k * bits;
    }
    return 1;
}

static int e_copysign(const struct op *op, const u64 *a, u64 *d)
{
    u64 sign = sign_bit(op_type(op));

    d[0] = (a[1] & ~sign) | (a[0] & sign);
    return 1;
}

static u64 min_max(const struct op *op, const char *type, u64 x, u64 y)
{
    u64 sign = sign_bit(type), flip = 0;
    double v, w;

    if (op_has(op, "xorsign")) {
        flip = (x ^ y) & sign;
        x &= ~sign;
        y &= ~sign;
    }
    v = float_value(type, x);
    w = float_value(type, y);
    if (isnan(v) || isnan(w)) {
        if ((isnan(v) && isnan(w)) || op_has(op, "NaN"))
            return canonical_nan(type);
        return (isnan(v) ? y : x) | flip;
    }
    if (v == w)                                     /* -0 is less than +0 */
        return (same(op->word[0], "min") == ((x & sign) != 0) ? x : y) | flip;
    return ((same(op->word[0], "min") ? v < w : v > w) ? x : y) | flip;
}

static int e_minmax(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op);
    unsigned bits, lanes = type_lanes(type);

    if (!type_is_float(type))
        return 0;
    bits = type_bits(type);
    d[0] = 0;
    for (unsigned k = 0; k < lanes; k++) {
        u64 x = flush(type, a[0] >> k * bits & mask_bits(bits), op_has(op, "ftz"));
        u64 y = flush(type, a[1] >> k * bits & mask_bits(bits), op_has(op, "ftz"));
        d[0] |= min_max(op, type, x, y) << k * bits;
    }
    return 1;
}

static int e_testp(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op), *what = op->word[1];
    double x = float_value(type, a[0]);

    if (same(what, "finite"))
        d[0] = isfinite(x);
    else if (same(what, "infinite"))
        d[0] = isinf(x) != 0;
    else if (same(what, "number"))
        d[0] = !isnan(x);
    else if (same(what, "notanumber"))
        d[0] = isnan(x) != 0;
    else if (same(what, "subnormal"))
        d[0] = (u64)is_subnormal(type, a[0]);
    else                                            /* zeros count among the normal numbers, on an H200, too */
        d[0] = isfinite(x) && !is_subnormal(type, a[0]);
    return 1;
}

static int e_atom(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op), *name = op_has(op, "add") ? "add" : op_has(op, "min") ? "min" : "max";
    unsigned bits, lanes = op_has(op, "v2") ? 2 : op_has(op, "v4") ? 4 : 1, elements = type_lanes(type);
    u64 *e = same(op->word[0], "red") ? d : d + op->form->nout / 2;
    struct op minmax = *op;

    if (!type_is_float(type))
        return 0;
    bits = type_bits(type);
    minmax.word[0] = name;
    for (unsigned k = 0; k < lanes; k++) {
        d[k] = a[k];
        u64 sum = 0;
        for (unsigned m = 0; m < elements; m++) {
            u64 x = a[k] >> m * bits & mask_bits(bits), y = a[lanes + k] >> m * bits & mask_bits(bits);
            /* f32 in global memory flushes subnormal operands and results; in shared memory it does not */
            int ftz = same(type, "f32") && !op_has(op, "shared");
            u64 r = same(name, "add") ? arith("add", type, "rn", ftz, flush(type, x, ftz), flush(type, y, ftz), 0)
                                      : min_max(&minmax, type, x, y);
            sum |= r << m * bits;
        }
        e[k] = sum;
    }
    return 1;
}

/* ---- comparison */

int compare_holds(const char *c, const char *type, u64 a, u64 b, int ftz)
{
    int unordered = 0, less, equal;

    if (type_is_float(type)) {
        double x = float_value(type, flush(type, a, ftz)), y = float_value(type, flush(type, b, ftz));
        unordered = isnan(x) || isnan(y);
        less = x < y;
        equal = x == y;
        if (same(c, "num"))
            return !unordered;
        if (same(c, "nan"))
            return unordered;
        if (unordered)
            return strlen(c) == 3;                  /* equ, neu, ltu, … */
    } else {
        __int128 x = int_value(type, a), y = int_value(type, b);
        less = x < y;
        equal = x == y;
    }
    if (c[0] == 'e')
        return equal;
    if (c[0] == 'n')
        return !equal;
    if (c[0] == 'l')                                /* lt, le, lo, ls */
        return less || (equal && (c[1] == 'e' || c[1] == 's'));
    return (!less && !equal) || (equal && (c[1] == 'e' || c[1] == 's'));
}

static int combine(const struct op *op, int holds, int c)
{
    if (op_has(op, "and"))
        return holds && c;
    if (op_has(op, "or"))
        return holds || c;
    if (op_has(op, "xor"))
        return holds != c;
    return holds;
}

static int e_setp(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op);
    unsigned bits = type_bits(type);
    int c = same(op->tag, "not") ? !a[2] : (int)a[2];

    if (type_lanes(type) == 2) {
        for (unsigned k = 0; k < 2; k++) {
            u64 x = a[0] >> k * bits & mask_bits(bits), y = a[1] >> k * bits & mask_bits(bits);
            d[k] = (u64)combine(op, compare_holds(op->word[1], type, x, y, op_has(op, "ftz")), c);
        }
        return 1;
    }
    int holds = compare_holds(op->word[1], type, a[0], a[1], op_has(op, "ftz"));
    d[0] = (u64)combine(op, holds, c);
    d[1] = (u64)combine(op, !holds, c);
    return 1;
}

static int e_set(const struct op *op, const u64 *a, u64 *d)
{
    const char *to = op->type[0], *type = op_type(op);
    unsigned bits = type_bits(type), lanes = type_lanes(type), to_bits = lanes == 2 ? 16 : type_bits(to);

    d[0] = 0;
    for (unsigned k = 0; k < lanes; k++) {
        u64 x = a[0] >> k * bits & mask_bits(bits), y = a[1] >> k * bits & mask_bits(bits);
        int holds = combine(op, compare_holds(op->word[1], type, x, y, op_has(op, "ftz")), (int)a[2]);
        u64 yes = type_is_float(to) ? float_round(to, "rn", 1) : mask_bits(to_bits);
        d[0] |= (holds ? yes : 0) << k * to_bits;
    }
    return 1;
}

/* ---- conversion */

static double round_whole(const char *rounding, double x)
{
    return rounding[1] == 'z' ? trunc(x) : rounding[1] == 'm' ? floor(x) : rounding[1] == 'p' ? ceil(x) : rint(x);
}

static u64 int_register(const char *type, __int128 x)
{
    unsigned bits = type_bits(type);

    return (u64)x & mask_bits(bits == 8 ? 32 : bits);
}

static __int128 saturate(const char *type, unsigned bits, __int128 x)
{
    __int128 lo = type_is_signed(type) ? -((__int128)1 << (bits - 1)) : 0;
    __int128 hi = ((__int128)1 << (type_is_signed(type) ? bits - 1 : bits)) - 1;

    return x < lo ? lo : x > hi ? hi : x;
}

static u64 float_to_int(const char *to, const char *rounding, double x, int from_f64)
{
    unsigned bits = type_bits(to);

    if (isnan(x))                                   /* as an H200 has it; for s8 the top bit's sign is extended */
        return from_f64 || bits == 64 ? int_register(to, int_value(to, 1ull << (bits - 1))) : 0;
    x = round_whole(rounding, x);
    if (fabs(x) > 0x1p70)
        x = x < 0 ? -0x1p70 : 0x1p70;
    return int_register(to, saturate(to, bits, (__int128)x));
}

static u64 int_to_float(const char *to, const char *rounding, __int128 x)
{
    unsigned __int128 m = (unsigned __int128)(x < 0 ? -x : x);
    double r;

    if (same(to, "f64")) {
        fesetround(host_rounding(rounding));
        volatile long long low = (long long)x;
        volatile unsigned long long high = (unsigned long long)x;
        r = x < 0 ? (double)low : (double)high;
        fesetround(FE_TONEAREST);
        return f64_bits(r);
    }
    int shift = 0;
    u64 lost = 0;
    while (m >> 52) {
        lost |= (u64)(m & 1);
        m >>= 1;
        shift++;
    }
    r = ldexp((double)(u64)(m << 1 | lost), shift - 1);
    return float_round(to, rounding, x < 0 ? -r : r);
}

static u64 convert(const struct op *op, const char *to, const char *from, u64 x)
{
    const char *rounding = rounding_of(op);
    int ftz = op_has(op, "ftz");

    if (!type_is_float(from)) {
        __int128 v = int_value(from, x);
        if (type_is_float(to))
            return limit(op, to, int_to_float(to, rounding, v));
        return int_register(to, op_has(op, "sat") ? saturate(to, type_bits(to), v) : int_value(to, (u64)v));
    }
    if (same(rounding, "rna"))                      /* NaN is cut as numbers are, and may become infinite */
        x = isnan(float_value(from, x)) ? x & ~0x1fffull : x;
    /* .ftz is heeded where f32 goes to integers, f32 or f64; f16's subnormals stay, and so does what becomes f16 */
    double v = float_value(from, flush(from, x, ftz && !same(from, "f16") && !same(to, "f16")));
    if (!type_is_float(to))
        return float_to_int(to, rounding, v, same(from, "f64"));
    if (strlen(rounding) == 3 && rounding[2] == 'i' && !isnan(v))
        v = round_whole(rounding, v);
    u64 r = flush(to, float_round(to, rounding, v), ftz && same(to, "f32"));
    if (op_has(op, "satfinite") && format_of(to).bits == 8) {
        u64 most = strncmp(to, "e4m3", 4) == 0 ? 0x7e : 0x7b;
        if (isnan(v))
            r = 0x7f;
        else if ((r & 0x7f) > most || isinf(v))
            r = (u64)(signbit(v) ? 0x80 : 0) | most;
        return op_has(op, "relu") && !isnan(v) && signbit(v) ? 0 : r;
    }
    if (op_has(op, "satfinite") && isinf(float_value(to, r)))
        r -= same(to, "tf32") ? 1 << 13 : 1;        /* the largest finite number */
    return limit(op, to, r);
}

static int e_pack(const struct op *op, const u64 *a, u64 *d)
{
    const char *to = op->type[0];
    unsigned bits = type_bits(to);

    d[0] = ((u64)saturate(to, bits, (int32_t)a[0]) & mask_bits(bits)) << bits
        | ((u64)saturate(to, bits, (int32_t)a[1]) & mask_bits(bits));
    if (op->form->nin == 3)
        d[0] |= a[2] << 2 * bits & 0xffffffff;
    return 1;
}

static int e_cvt(const struct op *op, const u64 *a, u64 *d)
{
    const char *to = op->type[0], *from = op_type(op);
    unsigned bits = type_bits(to), from_bits = type_bits(from);

    if (op_has(op, "pack"))
        return e_pack(op, a, d);
    if (type_lanes(to) == 1) {
        d[0] = convert(op, to, from, a[0]);
        return 1;
    }
    for (unsigned k = 0; k < 2; k++) {
        u64 x = type_lanes(from) == 2 ? a[0] >> k * from_bits & mask_bits(from_bits) : a[1 - k];
        d[0] |= convert(op, to, from, x) << k * bits;
    }
    return 1;
}

const struct expectation expect_float[] = {
    {"add", e_arith, 0}, {"sub", e_arith, 0}, {"mul", e_arith, 0}, {"fma", e_arith, 0}, {"mad", e_arith, 0},
    {"div", e_arith, 0}, {"rcp", e_arith, 0}, {"sqrt", e_arith, 0}, {"div", e_approx, 0}, {"rcp", e_approx, 0},
    {"sqrt", e_approx, 0}, {"rsqrt", e_approx, 0}, {"sin", e_approx, 0}, {"cos", e_approx, 0}, {"lg2", e_approx, 0},
    {"ex2", e_approx, 0}, {"tanh", e_approx, 0}, {"abs", e_sign, 0}, {"neg", e_sign, 0}, {"copysign", e_copysign, 0},
    {"min", e_minmax, 0}, {"max", e_minmax, 0}, {"testp", e_testp, 0}, {"atom", e_atom, 0}, {"red", e_atom, 0},
    {"setp", e_setp, 0}, {"set", e_set, 0}, {"cvt", e_cvt, 0}, {0, 0, 0},
};
