/*
 * Independent expectations: takes a form's name apart and finds who computes it. Integers, bits and memory are here,
 * floating point in expected_float.c, warps and matrices in expected_warp.c. Written from the PTX manual, to be
 * compared both with hardware and with the simulator; shares no code with the simulator.
 */
#include "expected.h"

#include <string.h>

int same(const char *a, const char *b) { return strcmp(a, b) == 0; }

static int is_type(const char *w)
{
    static const char *const types[] = {
        "u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "u64", "s64", "b64", "b128", "f16", "bf16",
        "f32", "tf32", "f64", "f16x2", "bf16x2", "u16x2", "s16x2", "e4m3x2", "e5m2x2", "e4m3", "e5m2", "s4", "u4", "s2",
        "u2", "b1", "pred",
    };

    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++)
        if (same(w, types[i]))
            return 1;
    return 0;
}

static void op_parse(struct op *op, const struct form *form)
{
    char *at;

    memset(op, 0, sizeof *op);
    op->form = form;
    strncpy(op->text, form->name, sizeof op->text - 1);
    op->tag = "";
    if ((at = strchr(op->text, '@')) != NULL) {
        *at = 0;
        op->tag = at + 1;
    }
    for (at = op->text; at && op->words < OP_WORDS;) {
        char *dot = strchr(at, '.');
        if (dot)
            *dot++ = 0;
        op->word[op->words++] = at;
        if (is_type(at))
            op->type[op->types++] = at;
        at = dot;
    }
}

int op_has(const struct op *op, const char *word)
{
    for (unsigned i = 1; i < op->words; i++)
        if (same(op->word[i], word))
            return 1;
    return 0;
}

const char *op_type(const struct op *op) { return op->types ? op->type[op->types - 1] : ""; }

int type_is_float(const char *t) { return strchr(t, 'f') || t[0] == 'e'; }
int type_is_signed(const char *t) { return t[0] == 's'; }
unsigned type_lanes(const char *t) { return strstr(t, "x2") ? 2 : 1; }

unsigned type_bits(const char *t)
{
    unsigned bits = 0;

    if (t[0] == 'e')
        return 8;
    if (same(t, "tf32"))
        return 32;
    if (same(t, "pred"))
        return 1;
    while (*t && (*t < '0' || *t > '9'))
        t++;
    while (*t >= '0' && *t <= '9')
        bits = bits * 10 + (unsigned)(*t++ - '0');
    return bits;
}

u64 mask_bits(unsigned bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

__int128 int_value(const char *type, u64 x)
{
    unsigned bits = type_bits(type);

    x &= mask_bits(bits);
    if (type_is_signed(type) && (x >> (bits - 1) & 1))
        return (__int128)x - ((__int128)1 << bits);
    return (__int128)x;
}

static __int128 clamp_int(__int128 x, const char *type)
{
    unsigned bits = type_bits(type);
    __int128 lo = type_is_signed(type) ? -((__int128)1 << (bits - 1)) : 0;
    __int128 hi = ((__int128)1 << (type_is_signed(type) ? bits - 1 : bits)) - 1;

    return x < lo ? lo : x > hi ? hi : x;
}

/* ---- integer arithmetic; the _one functions take one element */

static u64 int_result(const char *type, __int128 x) { return (u64)x & mask_bits(type_bits(type)); }

/* name on one element each; returns 0 in *known for names it has not */
static __int128 int_binary(const char *name, __int128 a, __int128 b, int *known)
{
    *known = 1;
    if (same(name, "add"))
        return a + b;
    if (same(name, "sub"))
        return a - b;
    if (same(name, "min"))
        return a < b ? a : b;
    if (same(name, "max"))
        return a > b ? a : b;
    if (same(name, "div"))
        return a / b;
    if (same(name, "rem"))
        return a % b;
    if (same(name, "and"))
        return a & b;
    if (same(name, "or"))
        return a | b;
    if (same(name, "xor"))
        return a ^ b;
    *known = 0;
    return 0;
}

u64 element_op(const char *name, const char *type, u64 a, u64 b)
{
    int known;

    if (same(name, "inc"))
        return a >= b ? 0 : a + 1;
    if (same(name, "dec"))
        return a == 0 || a > b ? b : a - 1;
    if (same(name, "exch"))
        return b;
    return int_result(type, int_binary(name, int_value(type, a), int_value(type, b), &known));
}

static int e_binary(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op);
    unsigned bits = type_bits(type), lanes = type_lanes(type);
    u64 imm = 0;
    int known = 1;

    if (same(op->tag, "not")) {
        d[0] = (u64)int_binary(op->word[0], (__int128)!a[0], (__int128)a[1], &known);
        return known;
    }
    if (op->tag[0]) {
        if (!same(op->tag, "imm") || type_is_float(type))
            return 0;
        imm = bits == 32 ? 0xfffffff0 : 0x8000000000000000ull;
    }
    d[0] = 0;
    for (unsigned k = 0; k < lanes; k++) {
        __int128 x = int_value(type, a[0] >> k * bits), y = int_value(type, (op->tag[0] ? imm : a[1]) >> k * bits);
        __int128 r = int_binary(op->word[0], x, y, &known);
        if (op_has(op, "sat"))
            r = clamp_int(r, type);
        if (op_has(op, "relu") && r < 0)
            r = 0;
        d[0] |= int_result(type, r) << k * bits;
    }
    return known;
}

/* The product's part that .lo, .hi or .wide names; 24-bit forms take the low 24 bits of each factor. */
static __int128 product(const struct op *op, const char *type, u64 a, u64 b)
{
    unsigned bits = type_bits(type);
    __int128 x = int_value(type, a), y = int_value(type, b), p;
    unsigned __int128 u;

    if (op->word[0][3] == '2') {                    /* mul24, mad24 */
        int sign = type_is_signed(type);
        x = sign ? (__int128)((int32_t)((uint32_t)a << 8) >> 8) : (__int128)(a & 0xffffff);
        y = sign ? (__int128)((int32_t)((uint32_t)b << 8) >> 8) : (__int128)(b & 0xffffff);
        p = x * y;
        return op_has(op, "hi") ? p >> 16 : p;
    }
    if (!type_is_signed(type)) {
        u = (unsigned __int128)x * (unsigned __int128)y;
        return op_has(op, "hi") ? (__int128)(u >> bits) : (__int128)u;
    }
    p = x * y;
    return op_has(op, "hi") ? p >> bits : p;
}

static int e_mul(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op);
    unsigned bits = type_bits(type) * (op_has(op, "wide") ? 2 : 1);

    if (type_is_float(type))
        return 0;
    d[0] = (u64)product(op, type, a[0], same(op->tag, "imm") ? (u64)-7 : a[1]) & mask_bits(bits);
    return 1;
}

static int e_mad(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op);
    unsigned bits = type_bits(type) * (op_has(op, "wide") ? 2 : 1);
    __int128 p;

    if (type_is_float(type))
        return 0;
    p = product(op, type, a[0], a[1]);
    if (op_has(op, "sat"))
        p = clamp_int((__int128)(int32_t)p + int_value(type, a[2]), type);
    else
        p = (__int128)((unsigned __int128)p + a[2]);
    d[0] = (u64)p & mask_bits(bits);
    return 1;
}

static int e_sad(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op);
    __int128 x = int_value(type, a[0]), y = int_value(type, a[1]);

    d[0] = int_result(type, (__int128)a[2] + (x > y ? x - y : y - x));
    return 1;
}

static int e_unary(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op);
    __int128 x = int_value(type, a[0]);

    if (type_is_float(type))
        return 0;
    if (same(op->tag, "not")) {
        d[0] = a[0];
        return 1;
    }
    if (same(op->word[0], "abs"))
        d[0] = int_result(type, x < 0 ? -x : x);
    else if (same(op->word[0], "neg"))
        d[0] = int_result(type, -x);
    else if (same(op->word[0], "not"))
        d[0] = int_result(type, ~x);
    else if (same(op->word[0], "cnot"))
        d[0] = x == 0;
    else
        d[0] = int_result(type, x);
    return !op->tag[0];
}

/* ---- bits */

static int e_popc(const struct op *op, const u64 *a, u64 *d)
{
    (void)op;
    d[0] = 0;
    for (unsigned i = 0; i < 64; i++)
        d[0] += a[0] >> i & 1;
    return 1;
}

static int e_clz(const struct op *op, const u64 *a, u64 *d)
{
    unsigned bits = type_bits(op_type(op));

    for (d[0] = 0; d[0] < bits && !(a[0] >> (bits - 1 - d[0]) & 1); d[0]++)
        ;
    return 1;
}

static int e_bfind(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op);
    __int128 x = int_value(type, a[0]);
    int at, bits = (int)type_bits(type);

    if (x < 0)
        x = ~x;
    for (at = bits - 1; at >= 0 && !(x >> at & 1); at--)
        ;
    if (op_has(op, "shiftamt") && at >= 0)
        at = bits - 1 - at;
    d[0] = (uint32_t)at;
    return 1;
}

static int e_fns(const struct op *op, const u64 *a, u64 *d)
{
    int base = (int)a[1], offset = (int32_t)a[2];

    (void)op;
    d[0] = 0xffffffff;
    if (offset == 0) {
        if (a[0] >> base & 1)
            d[0] = (u64)base;
        return 1;
    }
    for (int at = base, left = offset < 0 ? -offset : offset; at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
        if ((a[0] >> at & 1) && --left == 0) {
            d[0] = (u64)at;
            break;
        }
    return 1;
}

static int e_brev(const struct op *op, const u64 *a, u64 *d)
{
    unsigned bits = type_bits(op_type(op));

    d[0] = 0;
    for (unsigned i = 0; i < bits; i++)
        d[0] |= (a[0] >> i & 1) << (bits - 1 - i);
    return 1;
}

/* Positions and lengths above 255 are outside of what PTX allows. */
static int e_bfe(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op);
    int msb = (int)type_bits(type) - 1, pos = (int)(a[1] & 0xff), len = (int)(a[2] & 0xff);
    int sign_at = pos + len - 1 < msb ? pos + len - 1 : msb;
    u64 sign = !type_is_signed(type) || len == 0 ? 0 : a[0] >> sign_at & 1;

    d[0] = 0;
    for (int i = 0; i <= msb; i++)
        d[0] |= (i < len && pos + i <= msb ? a[0] >> (pos + i) & 1 : sign) << i;
    return a[1] <= 255 && a[2] <= 255;
}

static int e_bfi(const struct op *op, const u64 *a, u64 *d)
{
    int msb = (int)type_bits(op_type(op)) - 1, pos = (int)(a[2] & 0xff), len = (int)(a[3] & 0xff);

    d[0] = a[1];
    for (int i = 0; i < len && pos + i <= msb; i++) {
        d[0] &= ~(1ull << (pos + i));
        d[0] |= (a[0] >> i & 1) << (pos + i);
    }
    return a[2] <= 255 && a[3] <= 255;
}

static int e_bmsk(const struct op *op, const u64 *a, u64 *d)
{
    uint32_t x = (uint32_t)a[0], y = (uint32_t)a[1];

    if (op_has(op, "wrap")) {
        x &= 31;
        y &= 31;
    } else if (x >= 32) {
        d[0] = 0;
        return 1;
    }
    if (y > 32)
        y = 32;
    d[0] = mask_bits(y) << x & 0xffffffff;
    return 1;
}

static int e_szext(const struct op *op, const u64 *a, u64 *d)
{
    int sign = type_is_signed(op_type(op));
    uint32_t n = (uint32_t)a[1];

    if (op_has(op, "wrap"))
        n &= 31;
    if (n >= 32) {
        d[0] = a[0];
        return 1;
    }
    d[0] = a[0] & mask_bits(n);
    if (sign && n > 0 && (a[0] >> (n - 1) & 1))
        d[0] |= ~mask_bits(n) & 0xffffffff;
    return 1;
}

static int e_dp(const struct op *op, const u64 *a, u64 *d)
{
    const char *ta = op->type[0], *tb = op->type[1];
    __int128 sum = (__int128)a[2];
    int two = op->word[0][2] == '2';

    for (unsigned k = 0; k < (two ? 2u : 4u); k++) {
        unsigned kb = two && op_has(op, "hi") ? k + 2 : k;
        __int128 x = two ? int_value(type_is_signed(ta) ? "s16" : "u16", a[0] >> 16 * k)
                         : int_value(type_is_signed(ta) ? "s8" : "u8", a[0] >> 8 * k);
        sum += x * int_value(type_is_signed(tb) ? "s8" : "u8", a[1] >> 8 * kb);
    }
    d[0] = (u64)sum & 0xffffffff;
    return 1;
}

static u64 lop3(u64 a, u64 b, u64 c, unsigned lut)
{
    u64 d = 0;

    for (unsigned i = 0; i < 32; i++)
        d |= (u64)(lut >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i;
    return d;
}

static unsigned parse_hex(const char *s)
{
    unsigned x = 0;

    for (s += 2; *s; s++)
        x = x * 16 + (unsigned)(*s <= '9' ? *s - '0' : *s - 'a' + 10);
    return x;
}

static int e_lop3(const struct op *op, const u64 *a, u64 *d)
{
    d[0] = lop3(a[0], a[1], a[2], parse_hex(op->tag));
    if (op_has(op, "or"))
        d[1] = d[0] != 0 || a[3];
    if (op_has(op, "and"))
        d[1] = d[0] != 0 && a[3];
    return 1;
}

static int e_shift(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op);
    unsigned bits = type_bits(type);
    uint32_t n = (uint32_t)a[1] > bits ? bits : (uint32_t)a[1];

    if (same(op->word[0], "shl"))
        d[0] = n >= 64 ? 0 : a[0] << n & mask_bits(bits);
    else
        d[0] = int_result(type, int_value(type, a[0]) >> n);
    return 1;
}

static int e_shf(const struct op *op, const u64 *a, u64 *d)
{
    u64 both = a[1] << 32 | a[0];
    unsigned n = op_has(op, "wrap") ? (unsigned)(a[2] & 31) : a[2] > 32 ? 32 : (unsigned)a[2];

    d[0] = op_has(op, "l") ? (n == 32 ? a[0] : both << n >> 32) : (both >> n) & 0xffffffff;
    return 1;
}

static int e_prmt(const struct op *op, const u64 *a, u64 *d)
{
    static const char *const modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    static const unsigned char pick[6][4][4] = {        /* mode, c & 3, byte of the result from the lowest */
        {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}},
        {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}},
        {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
        {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}},
        {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}},
        {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}},
    };
    u64 both = a[1] << 32 | a[0];
    u64 c = op->tag[0] ? parse_hex(op->tag) : a[2];
    int mode = -1;

    for (int m = 0; m < 6; m++)
        if (op_has(op, modes[m]))
            mode = m;
    d[0] = 0;
    for (unsigned k = 0; k < 4; k++) {
        unsigned select = mode < 0 ? (unsigned)(c >> 4 * k) & 15 : pick[mode][c & 3][k];
        u64 byte = both >> 8 * (select & 7) & 0xff;
        if (select & 8)
            byte = byte & 0x80 ? 0xff : 0;
        d[0] |= byte << 8 * k;
    }
    return 1;
}

/* ---- carries: two steps through the carry flag, then the flag itself (forms.txt writes the sequences) */

static int e_addc(const struct op *op, const u64 *a, u64 *d)
{
    unsigned bits = type_bits(op_type(op));
    unsigned __int128 sum;
    u64 carry;

    if (same(op->tag, "borrow")) {
        d[0] = (a[0] - a[1]) & mask_bits(bits);
        return 0;                                   /* whether a borrow is a carry of 0 or 1 the manual leaves open */
    }
    sum = (unsigned __int128)a[0] + a[1];
    d[0] = (u64)sum & mask_bits(bits);
    carry = (u64)(sum >> bits);
    sum = (unsigned __int128)a[2] + a[3] + carry;
    d[1] = (u64)sum & mask_bits(bits);
    d[2] = (u64)(sum >> bits);
    return 1;
}

static int e_subc(const struct op *op, const u64 *a, u64 *d)
{
    unsigned bits = type_bits(op_type(op));
    __int128 difference;

    if (op->tag[0])
        return 0;
    difference = (__int128)a[0] - a[1];
    d[0] = (u64)difference & mask_bits(bits);
    difference = (__int128)a[2] - a[3] - (difference < 0);
    d[1] = (u64)difference & mask_bits(bits);
    d[2] = difference < 0 ? 0xffffffff : 0;
    return 1;
}

static int e_madc(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op);
    unsigned bits = type_bits(type);
    __int128 x = int_value(type, a[0]), y = int_value(type, a[1]);
    unsigned __int128 p = (unsigned __int128)x * (unsigned __int128)y, sum;
    u64 lo = (u64)p & mask_bits(bits), hi = (u64)(p >> bits) & mask_bits(bits);

    if (type_is_signed(type))
        hi = (u64)((__int128)p >> bits) & mask_bits(bits);
    if (op_has(op, "lohi")) {
        sum = (unsigned __int128)lo + a[2];
        d[0] = (u64)sum & mask_bits(bits);
        d[1] = (hi + a[3] + (u64)(sum >> bits)) & mask_bits(bits);
        return 1;
    }
    if (op_has(op, "hi"))
        lo = hi;
    sum = (unsigned __int128)lo + a[2];
    d[0] = (u64)sum & mask_bits(bits);
    sum = (unsigned __int128)lo + a[3] + (u64)(sum >> bits);
    d[1] = (u64)sum & mask_bits(bits);
    d[2] = (u64)(sum >> bits);
    return 1;
}

/* ---- selection and moves */

static int e_selp(const struct op *op, const u64 *a, u64 *d)
{
    int second = (a[2] == 0) ^ same(op->tag, "not");

    d[0] = a[second];
    return 1;
}

static int e_slct(const struct op *op, const u64 *a, u64 *d)
{
    const char *type = op_type(op);

    d[0] = compare_holds("ge", type, a[2], 0, op_has(op, "ftz")) ? a[0] : a[1];
    return 1;
}

static int e_mov(const struct op *op, const u64 *a, u64 *d)
{
    const char *tag = op->tag;

    if (same(tag, "")) {
        d[0] = a[0];
    } else if (same(tag, "not")) {
        d[0] = !a[0];
    } else if (same(tag, "pack2")) {
        if (same(op_type(op), "b128")) {
            d[0] = a[1];
            d[1] = a[0];
        } else {
            d[0] = a[0] | a[1] << type_bits(op_type(op)) / 2;
        }
    } else if (same(tag, "unpack2")) {
        unsigned half = type_bits(op_type(op)) / 2;
        d[0] = a[0] & mask_bits(half);
        d[1] = a[0] >> half;
    } else if (same(tag, "pack4")) {
        d[0] = a[0] | a[1] << 16 | a[2] << 32 | a[3] << 48;
    } else if (same(tag, "unpack4")) {
        for (unsigned k = 0; k < 4; k++)
            d[k] = a[0] >> 16 * k & 0xffff;
    } else if (same(tag, "sink")) {
        d[0] = a[0] >> 32;
    } else {
        return 0;
    }
    return 1;
}

/* ---- memory and atomics */

static int e_ld(const struct op *op, const u64 *a, u64 *d)
{
    static const u64 constants[16] = {
        0x0123456789abcdefull, 0xfedcba9876543210ull, 0x8000000080000000ull, 0x7fffffff7fffffffull,
        0x80ff7f0180ff7f01ull, 0x3ff8000000000000ull, 0x3fc00000bfc00000ull, 0,
    };
    const char *type = op_type(op);
    unsigned bits = type_bits(type), lanes = op_has(op, "v2") ? 2 : op_has(op, "v4") ? 4 : 1;
    unsigned char bytes[16];
    u64 words[2] = {a[0], op->form->nin > 1 ? a[1] : 0};

    if (same(type, "b128")) {
        memcpy(d, a, 16);
        return 1;
    }
    if (op_has(op, "const")) {
        u64 at = (a[0] & (lanes == 4 ? 0x70 : 0x78)) / 8;
        words[0] = constants[at];
        words[1] = constants[(at + 1) % 16];
    }
    memcpy(bytes, words, sizeof bytes);
    for (unsigned k = 0; k < lanes; k++) {
        u64 x = 0;
        memcpy(&x, bytes + k * bits / 8, bits / 8);
        d[k] = bits == 8 ? (u64)int_value(type, x) & 0xffffffff : x;
    }
    if (op->form->nout == 2 && lanes == 1)
        d[1] = bytes[2];
    return 1;
}

static int e_st(const struct op *op, const u64 *a, u64 *d)
{
    unsigned bits = type_bits(op_type(op)), lanes = op_has(op, "v2") ? 2 : op_has(op, "v4") ? 4 : 1;
    unsigned char bytes[16];

    if (op->form->nin == 1) {
        d[0] = a[0];
        return 1;
    }
    memcpy(bytes, &a[op->form->nin - 1], 8);
    memcpy(bytes + 8, &a[op->form->nin - 1], 8);
    for (unsigned k = 0; k < lanes; k++)
        memcpy(bytes + k * bits / 8, &a[k], bits / 8);
    memcpy(d, bytes, 8 * op->form->nout);
    return 1;
}

static int e_copy(const struct op *op, const u64 *a, u64 *d)
{
    (void)op;
    d[0] = a[0];
    return 1;
}

static int e_cp(const struct op *op, const u64 *a, u64 *d)
{
    unsigned char bytes[16];
    unsigned n = 16;

    if (same(op->tag, "zfill"))
        n = (unsigned)a[2] & 15;
    else if (same(op->tag, "4") || same(op->tag, "8"))
        n = (unsigned)(op->tag[0] - '0');
    memcpy(bytes, &a[1], 8);
    memcpy(bytes + 8, &a[0], 8);
    if (same(op->tag, "zfill"))
        memset(bytes, 0, 16);
    memcpy(bytes, a, n);
    memcpy(d, bytes, 16);
    return 1;
}

static int e_isspacep(const struct op *op, const u64 *a, u64 *d)
{
    static const char *const spaces[] = {"global", "shared", "local", "const"};

    (void)a;
    for (unsigned k = 0; k < 4; k++)
        d[k] = op_has(op, spaces[k]);
    return 1;
}

static int e_cvta(const struct op *op, const u64 *a, u64 *d)
{
    (void)op;
    (void)a;
    d[0] = 64;
    return 1;
}

static int e_mbarrier(const struct op *op, const u64 *a, u64 *d)
{
    d[0] = op_has(op, "pending_count") ? (a[0] & 0xff) + 1 : 0;
    d[1] = 1;
    d[2] = 0;
    return 1;
}

static int e_mapa(const struct op *op, const u64 *a, u64 *d)
{
    (void)op;
    d[0] = a[0];
    d[1] = 0;
    d[2] = 1;
    return 1;
}

static int e_atom(const struct op *op, const u64 *a, u64 *d)
{
    static const char *const names[] = {"add", "min", "max", "and", "or", "xor", "exch", "inc", "dec"};
    const char *type = op_type(op);
    unsigned lanes = op_has(op, "v2") ? 2 : op_has(op, "v4") ? 4 : 1, nout = op->form->nout;
    u64 *e = same(op->word[0], "red") ? d : d + nout / 2;

    if (op_has(op, "cas")) {
        unsigned words = nout / 2;
        int equal = memcmp(a, a + words, 8 * words) == 0;
        memcpy(d, a, 8 * words);
        memcpy(d + words, equal ? a + 2 * words : a, 8 * words);
        return 1;
    }
    if (same(type, "b128")) {
        memcpy(d, a, 16);
        memcpy(d + 2, a + 2, 16);
        return 1;
    }
    if (type_is_float(type) || op->tag[0])
        return 0;
    for (unsigned k = 0; k < lanes; k++) {
        d[k] = a[k];
        for (unsigned m = 0; m < sizeof names / sizeof names[0]; m++)
            if (op_has(op, names[m]))
                e[k] = element_op(names[m], type, a[k], a[lanes + k]);
    }
    return 1;
}

/* ---- control flow */

static int e_bra(const struct op *op, const u64 *a, u64 *d)
{
    uint32_t x = (uint32_t)a[0];

    if (same(op->tag, "two-sided")) {
        d[0] = ((int32_t)x < (int32_t)a[1] ? x + (uint32_t)a[1] : x - (uint32_t)a[1]) ^ 1;
    } else if (same(op->tag, "loop")) {
        for (unsigned k = x & 31; k > 0; k--)
            x = x * 1664525 + 1013904223;
        d[0] = x ^ 1;
    } else if (op_has(op, "uni")) {
        d[0] = (uint32_t)~x;
    } else {
        return 0;
    }
    return 1;
}

static int e_brx(const struct op *op, const u64 *a, u64 *d)
{
    uint32_t x = (uint32_t)a[0], results[4] = {11, ~x, x + 5, x ^ 7};

    (void)op;
    d[0] = results[x & 3] + 1u;
    d[0] &= 0xffffffff;
    return 1;
}

const struct expectation expect_integer[] = {
    {"add", e_binary, 0}, {"sub", e_binary, 0}, {"min", e_binary, 0}, {"max", e_binary, 0}, {"div", e_binary, 0},
    {"rem", e_binary, 0}, {"and", e_binary, 0}, {"or", e_binary, 0}, {"xor", e_binary, 0}, {"mul", e_mul, 0},
    {"mul24", e_mul, 0}, {"mad", e_mad, 0}, {"mad24", e_mad, 0}, {"sad", e_sad, 0}, {"abs", e_unary, 0},
    {"neg", e_unary, 0}, {"not", e_unary, 0}, {"cnot", e_unary, 0}, {"popc", e_popc, 0}, {"clz", e_clz, 0},
    {"bfind", e_bfind, 0}, {"fns", e_fns, 0}, {"brev", e_brev, 0}, {"bfe", e_bfe, 0}, {"bfi", e_bfi, 0},
    {"bmsk", e_bmsk, 0}, {"szext", e_szext, 0}, {"dp4a", e_dp, 0}, {"dp2a", e_dp, 0}, {"lop3", e_lop3, 0},
    {"shl", e_shift, 0}, {"shr", e_shift, 0}, {"shf", e_shf, 0}, {"prmt", e_prmt, 0}, {"addc", e_addc, 0},
    {"subc", e_subc, 0}, {"madc", e_madc, 0}, {"selp", e_selp, 0}, {"slct", e_slct, 0}, {"mov", e_mov, 0},
    {"ld", e_ld, 0}, {"st", e_st, 0}, {"isspacep", e_isspacep, 0}, {"cvta", e_cvta, 0}, {"prefetch", e_copy, 0},
    {"nanosleep", e_copy, 0}, {"mbarrier", e_mbarrier, 0},
    {"mapa", e_mapa, 0}, {"fence", e_copy, 0}, {"membar", e_copy, 0}, {"cp", e_cp, 0},
    {"atom", e_atom, 0}, {"red", e_atom, 0},
    {"bra", e_bra, 0}, {"brx", e_brx, 0}, {0, 0, 0},
};

/* ---- dispatch */

static int expect_tuples(const struct op *op, expect_fn fn, const u64 *in, u64 *out, unsigned char *known)
{
    const struct form *form = op->form;
    int any = 0;

    for (unsigned i = 0; i < form->n; i++) {
        u64 a[FORM_INS] = {0}, d[FORM_OUTS + 8] = {0};
        for (unsigned j = 0; j < form->nin; j++)
            a[j] = in[(u64)j * form->n + i];
        known[i] = (unsigned char)fn(op, a, d);
        any |= known[i];
        for (unsigned j = 0; j < form->nout; j++)
            out[(u64)j * form->n + i] = d[j];
    }
    return any;
}

void form_expected(const struct form *form, const u64 *in, u64 *out, unsigned char *known)
{
    static const struct expectation *const tables[] = {expect_warp, expect_float, expect_integer};
    struct op op;

    op_parse(&op, form);
    memset(known, 0, form->n);
    for (unsigned t = 0; t < 3; t++)
        for (const struct expectation *e = tables[t]; e->name; e++) {
            if (!same(e->name, op.word[0]))
                continue;
            if (e->fn ? expect_tuples(&op, e->fn, in, out, known) : e->all(&op, in, out, known))
                return;
            memset(known, 0, form->n);
        }
}
