/*
 * Independent expectations for what needs a whole warp or block - votes, shuffles, reductions, barriers, matrices - and
 * for the video instructions. Tuples i…i+31 are the lanes of one warp, 128 a block. Matrix fragments follow the layouts
 * in the PTX manual; sums of products are taken exactly (integers) or in double (the form's rule bounds the rest).
 */
#include "expected.h"

#include <string.h>

enum { LANES = 32, BLOCK = 128 };

static u64 at(const struct op *op, const u64 *column, unsigned j, unsigned i)
{
    return column[(u64)j * op->form->n + i];
}

static void put(const struct op *op, u64 *column, unsigned j, unsigned i, u64 x)
{
    column[(u64)j * op->form->n + i] = x;
}

static int all_known(const struct op *op, unsigned char *known)
{
    memset(known, 1, op->form->n);
    return 1;
}

/* The mask operand is the last one in the forms which have one (forms.txt tags them part or half). */
static u64 mask_of(const struct op *op, const u64 *in, unsigned warp)
{
    if (same(op->tag, "part") || same(op->tag, "half"))
        return at(op, in, op->form->nin - 1, warp);
    return 0xffffffff;
}

static int w_vote(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    for (unsigned warp = 0; warp < op->form->n; warp += LANES) {
        u64 mask = mask_of(op, in, warp), yes = 0, r;
        for (unsigned k = 0; k < LANES; k++)
            yes |= (at(op, in, 0, warp + k) ^ (u64)same(op->tag, "not")) << k;
        yes &= mask;
        r = op_has(op, "ballot") ? yes : op_has(op, "all") ? yes == mask : op_has(op, "any") ? yes != 0
            : yes == 0 || yes == mask;
        for (unsigned k = 0; k < LANES; k++)
            put(op, out, 0, warp + k, mask >> k & 1 ? r : 0);
    }
    return all_known(op, known);
}

static int w_match(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    for (unsigned warp = 0; warp < op->form->n; warp += LANES) {
        u64 mask = mask_of(op, in, warp);
        for (unsigned k = 0; k < LANES; k++) {
            u64 equal = 0;
            for (unsigned m = 0; m < LANES; m++)
                equal |= (u64)(at(op, in, 0, warp + m) == at(op, in, 0, warp + k)) << m;
            equal &= mask;
            if (!(mask >> k & 1))
                equal = 0;
            if (op_has(op, "any")) {
                put(op, out, 0, warp + k, equal);
                continue;
            }
            put(op, out, 0, warp + k, equal == mask ? mask : 0);
            put(op, out, 1, warp + k, equal == mask);
        }
    }
    return all_known(op, known);
}

static int w_redux(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    for (unsigned warp = 0; warp < op->form->n; warp += LANES) {
        u64 mask = mask_of(op, in, warp), r = 0;
        int first = 1;
        for (unsigned k = 0; k < LANES; k++) {
            u64 x = at(op, in, 0, warp + k);
            if (!(mask >> k & 1))
                continue;
            r = first ? x : element_op(op->word[2], op_type(op), r, x);
            first = 0;
        }
        for (unsigned k = 0; k < LANES; k++)
            put(op, out, 0, warp + k, mask >> k & 1 ? r : 0);
    }
    return all_known(op, known);
}

/* red.shared of a whole warp on one word */
static int w_red(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    if (!same(op->tag, "warp"))
        return 0;
    for (unsigned warp = 0; warp < op->form->n; warp += LANES) {
        u64 r = type_bits(op_type(op)) == 32 && op_type(op)[0] == 'b' ? 0x0ff0f00f : 17;
        for (unsigned k = 0; k < LANES; k++)
            r = element_op(op->word[2], op_type(op), r, at(op, in, 0, warp + k));
        for (unsigned k = 0; k < LANES; k++)
            put(op, out, 0, warp + k, r);
    }
    return all_known(op, known);
}

static int w_shfl(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    const char *mode = op->word[2];
    int up = same(mode, "up"), imm = same(op->tag, "imm"), half = same(op->tag, "half"), part = same(op->tag, "part");

    for (unsigned i = 0; i < op->form->n; i++) {
        unsigned lane = i % LANES, warp = i - lane;
        u64 b = imm ? (up ? 4 : 9) : at(op, in, 1, i);
        u64 c = imm ? (up ? 0 : 31) : half ? (up ? 0x1000 : 0x101f) : part ? 31 : at(op, in, 2, i);
        int bval = (int)(b & 31), cval = (int)(c & 31), segment = (int)(c >> 8 & 31), from, in_range;
        int most = ((int)lane & segment) | (cval & ~segment), least = (int)lane & segment;
        if (up) {
            from = (int)lane - bval;
            in_range = from >= most;
        } else if (same(mode, "down")) {
            from = (int)lane + bval;
            in_range = from <= most;
        } else if (same(mode, "bfly")) {
            from = (int)lane ^ bval;
            in_range = from <= most;
        } else {
            from = least | (bval & ~segment);
            in_range = from <= most;
        }
        if (!in_range)
            from = (int)lane;
        int takes_part = (int)(mask_of(op, in, warp) >> lane & 1);
        put(op, out, 0, i, takes_part ? at(op, in, 0, warp + (unsigned)from) : 0);
        if (op->form->nout == 2)
            put(op, out, 1, i, (u64)(takes_part && in_range));
    }
    return all_known(op, known);
}

static int w_constant(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    (void)in;
    for (unsigned i = 0; i < op->form->n; i++) {
        put(op, out, 0, i, same(op->word[0], "elect") ? 0 : 0xffffffff);
        if (same(op->word[0], "elect"))
            put(op, out, 1, i, i % LANES == 0);
    }
    return same(op->word[0], "elect") ? 0 : all_known(op, known);    /* which lane is elected is not specified */
}

static int w_bar(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    for (unsigned i = 0; i < op->form->n; i++) {
        unsigned block = i - i % BLOCK;
        u64 count = 0;
        if (!op_has(op, "red")) {
            put(op, out, 0, i, at(op, in, 0, op_has(op, "warp") ? i ^ 5 : i ^ 7));
            continue;
        }
        for (unsigned k = 0; k < BLOCK; k++)
            count += at(op, in, 0, block + k) != 0;
        put(op, out, 0, i, op_has(op, "popc") ? count : op_has(op, "and") ? count == BLOCK : count != 0);
    }
    return all_known(op, known);
}

static int w_mov(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    unsigned n = op->form->n;

    (void)in;
    for (unsigned i = 0; i < n; i++) {
        u64 lane = i % LANES, bit = 1ull << lane, below = bit - 1, all = 0xffffffff;
        u64 special[8] = {lane, i % BLOCK, BLOCK, i / BLOCK, n / BLOCK, 1, 0, 1};
        u64 operands[2] = {i % BLOCK, lane};
        u64 masks[6] = {bit, below, below | bit, all & ~(below | bit), all & ~below, LANES};
        for (unsigned j = 0; j < op->form->nout; j++)
            put(op, out, j, i, same(op->tag, "special") ? special[j]
                : same(op->tag, "operands") ? operands[j % 2] : masks[j % 6]);
    }
    return same(op->tag, "special") || same(op->tag, "operands") || same(op->tag, "lanemask")
        ? all_known(op, known) : 0;
}

static int w_bra(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    if (!same(op->tag, "nested-vote"))
        return 0;
    for (unsigned warp = 0; warp < op->form->n; warp += LANES) {
        u64 odd = 0, both = 0;
        for (unsigned k = 0; k < LANES; k++) {
            int32_t x = (int32_t)at(op, in, 0, warp + k);
            odd |= (u64)(x & 1) << k;
            both |= (u64)((x & 1) && x > 0) << k;
        }
        for (unsigned k = 0; k < LANES; k++) {
            put(op, out, 0, warp + k, odd >> k & 1 ? both : 0);
            put(op, out, 1, warp + k, odd);
        }
    }
    return all_known(op, known);
}

/* ---- matrices */

/* 16-bit element (row, column) of 8x8 matrix number m, of which lane row * 4 + column / 2 holds two in register m */
static u64 element16(const struct op *op, const u64 *column, unsigned warp, unsigned m, unsigned row, unsigned col)
{
    return at(op, column, m, warp + row * 4 + col / 2) >> 16 * (col & 1) & 0xffff;
}

/* Row r of matrix m as ldmatrix finds it in memory: 16 bytes written by one lane, in its operands a0…a3. */
static u64 row16(const struct op *op, const u64 *in, unsigned warp, unsigned m, unsigned row, unsigned col)
{
    unsigned lane = m * 8 + row;

    if (same(op->tag, "0x1f0"))
        lane ^= 31;
    return at(op, in, col / 2, warp + lane) >> 16 * (col & 1) & 0xffff;
}

static int w_ldmatrix(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    int trans = op_has(op, "trans");

    for (unsigned i = 0; i < op->form->n; i++)
        for (unsigned m = 0; m < op->form->nout; m++) {
            unsigned lane = i % LANES, row = lane / 4, col = lane % 4 * 2;
            u64 lo = trans ? row16(op, in, i - lane, m, col, row) : row16(op, in, i - lane, m, row, col);
            u64 hi = trans ? row16(op, in, i - lane, m, col + 1, row) : row16(op, in, i - lane, m, row, col + 1);
            put(op, out, m, i, lo | hi << 16);
        }
    return all_known(op, known);
}

static int w_stmatrix(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    int trans = op_has(op, "trans");

    for (unsigned i = 0; i < op->form->n; i++) {
        unsigned lane = i % LANES, warp = i - lane, wrote = same(op->tag, "0x1f0") ? lane ^ 31 : lane;
        unsigned m = wrote / 8, row = wrote % 8;
        for (unsigned j = 0; j < 4; j++) {
            u64 lo, hi;
            put(op, out, j, i, j);
            if (m >= op->form->nin)
                continue;
            lo = trans ? element16(op, in, warp, m, 2 * j, row) : element16(op, in, warp, m, row, 2 * j);
            hi = trans ? element16(op, in, warp, m, 2 * j + 1, row) : element16(op, in, warp, m, row, 2 * j + 1);
            put(op, out, j, i, lo | hi << 16);
        }
    }
    return all_known(op, known);
}

static int w_movmatrix(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    for (unsigned i = 0; i < op->form->n; i++) {
        unsigned lane = i % LANES, row = lane / 4, col = lane % 4 * 2;
        put(op, out, 0, i, element16(op, in, i - lane, 0, col, row)
            | element16(op, in, i - lane, 0, col + 1, row) << 16);
    }
    return all_known(op, known);
}

struct shape {
    unsigned m, n, k;           /* rows of D, columns of D, length of the sums */
    unsigned elements;          /* elements of A and B in one register */
    unsigned bits;              /* bits of one of them */
    unsigned a, b, c;           /* registers of each a lane */
    const char *ta, *tb, *tc;   /* types of the elements */
};

static unsigned number_after(const char *s, char letter)
{
    unsigned x = 0;

    for (s = strchr(s, letter) + 1; *s >= '0' && *s <= '9'; s++)
        x = x * 10 + (unsigned)(*s - '0');
    return x;
}

static struct shape shape_of(const struct op *op)
{
    struct shape s = {0};

    s.m = number_after(op->word[3], 'm');
    s.n = number_after(op->word[3], 'n');
    s.k = number_after(op->word[3], 'k');
    s.tc = op->type[0];
    s.ta = op->type[1];
    s.tb = op->type[2];
    s.bits = type_bits(s.ta);
    s.elements = s.bits >= 32 ? 1 : 32 / s.bits;
    s.a = s.m * s.k / LANES / s.elements;
    s.b = s.n * s.k / LANES / s.elements;
    s.c = op->form->nout;
    return s;
}

static double operand_value(const char *type, u64 x)
{
    if (!type_is_float(type))
        return (double)int_value(type, x);
    return float_value(type, same(type, "tf32") ? x & ~0x1fffull : x);
}

/* Element (row, k) of A, or (k, column) of B where rows is 8: lane 4 * row + …, k in groups of a quad's registers. */
static u64 fragment(const struct op *op, const struct shape *s, const u64 *in, unsigned first, int is_b, unsigned warp,
                    unsigned row, unsigned k)
{
    unsigned group = 4 * s->elements, quad = k % group / s->elements, e = k % s->elements, reg = k / group;

    if (!is_b && s->m == 16)
        reg = 2 * reg + row / 8;
    return at(op, in, first + reg, warp + row % 8 * 4 + quad) >> e * s->bits & mask_bits(s->bits);
}

/* Element e of the registers from `first` on of lane `lane` of quad q's eight: its lanes 4q…4q+3 and 16+4q…16+4q+3. */
static double quad_half(const struct op *op, const u64 *in, unsigned first, unsigned warp, unsigned q, unsigned lane,
                        unsigned e)
{
    unsigned own = 4 * q + lane % 4 + (lane >= 4 ? 16 : 0);

    return float_value("f16", at(op, in, first + e / 2, warp + own) >> 16 * (e & 1));
}

/* m8n8k4 of f16: each of four quad pairs has a product of its own. `lane` counts a quad pair's eight lanes. */
static int w_mma_quads(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    int a_row = same(op->word[4], "row"), b_row = same(op->word[5], "row"), packed = same(op->type[0], "f16");

    for (unsigned i = 0; i < op->form->n; i++) {
        unsigned warp = i - i % LANES, q = i % 16 / 4, lane = i % 4 + (i % LANES >= 16 ? 4 : 0), high = lane & 4;
        for (unsigned e = 0; e < 8; e++) {
            unsigned row = packed ? lane : (lane & 1) + (e & 2) + high;
            unsigned col = packed ? e : (e & 4) + (lane & 2) + (e & 1), reg = packed ? e / 2 : e;
            u64 c = at(op, in, 4 + reg, i) >> (packed ? 16 * (e & 1) : 0), d;
            double sum = float_value(op->type[3], c);
            for (unsigned k = 0; k < 4; k++) {
                unsigned a_lane = a_row ? row : k + (row & 4), b_lane = b_row ? k + (col & 4) : col;
                sum += quad_half(op, in, 0, warp, q, a_lane, a_row ? k : row % 4)
                    * quad_half(op, in, 2, warp, q, b_lane, b_row ? col % 4 : k);
            }
            d = float_round(op->type[0], "rn", sum);
            put(op, out, reg, i, packed && (e & 1) ? at(op, out, reg, i) | d << 16 : d);
        }
    }
    return all_known(op, known);
}

static int w_mma(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    static const u64 c32[4] = {0, 0x3f800000, 0xc0400000, 0}, c64[2] = {0, 0xc008000000000000ull}; /* as in forms.txt */
    struct shape s = shape_of(op);
    int packed = same(s.tc, "f16"), constants = same(op->tag, "constants");

    if (same(op->form->rule, "info"))
        return 0;
    if (s.m == 8 && s.k == 4 && same(s.ta, "f16"))
        return w_mma_quads(op, in, out, known);
    for (unsigned i = 0; i < op->form->n; i++) {
        unsigned lane = i % LANES, warp = i - lane;
        for (unsigned j = 0; j < s.c * (packed ? 2 : 1); j++) {
            unsigned row = lane / 4 + (j >= 2 ? 8 : 0), col = lane % 4 * 2 + (j & 1);
            unsigned reg = packed ? j / 2 : j;
            u64 c = constants ? (s.bits == 64 ? c64[j] : c32[j]) : at(op, in, s.a + s.b + reg, i), d;
            c >>= packed ? 16 * (j & 1) : 0;
            double sum = 0;
            long long whole = 0;
            for (unsigned k = 0; k < s.k; k++) {
                u64 x = fragment(op, &s, in, 0, 0, warp, row, k), y = fragment(op, &s, in, s.a, 1, warp, col, k);
                if (op_has(op, "popc"))
                    whole += op_has(op, "and") ? x & y : x ^ y;
                else if (type_is_float(s.tc))
                    sum += operand_value(s.ta, x) * operand_value(s.tb, y);
                else
                    whole += (long long)(int_value(s.ta, x) * int_value(s.tb, y));
            }
            if (type_is_float(s.tc)) {
                d = float_round(s.tc, "rn", sum + float_value(s.tc, c));
            } else {
                whole += (int32_t)c;
                if (op_has(op, "satfinite"))
                    whole = whole > INT32_MAX ? INT32_MAX : whole < INT32_MIN ? INT32_MIN : whole;
                d = (uint32_t)whole;
            }
            if (packed && (j & 1))
                d = at(op, out, reg, i) | d << 16;
            put(op, out, reg, i, d);
        }
    }
    return all_known(op, known);
}

/* The `bits` at byte `offset` of the 1024 bytes which hold A (operands 0 to 3 of each lane) and then B (4 to 7) */
static u64 stored(const struct op *op, const u64 *in, unsigned warp, unsigned offset, unsigned bits)
{
    unsigned reg = offset % 16 / 4 + (offset < 512 ? 0 : 4), lane = offset % 512 / 16;

    return at(op, in, reg, warp + lane) >> 8 * (offset % 4) & mask_bits(bits);
}

static int w_wmma(const struct op *op, const u64 *in, u64 *out, unsigned char *known)
{
    unsigned m = number_after(op->word[1], 'm'), n = number_after(op->word[1], 'n');
    unsigned depth = number_after(op->word[1], 'k');
    const char *ta = op->type[1], *tc = op->type[0];
    int a_row = same(op->word[2], "row"), b_row = same(op->word[3], "row"), c_row = n >= m;
    unsigned bits = type_bits(ta), size = bits / 8, stride = m == n ? 16 : 32;
    unsigned a_at = n > m ? 512 : 0, b_at = 512 - a_at;

    for (unsigned i = 0; i < op->form->n; i++) {
        unsigned lane = i % LANES, warp = i - lane;
        for (unsigned j = 0; j < 8; j++) {
            unsigned element = lane * 8 + j, major = element / stride, minor = element % stride;
            unsigned row = c_row ? major : minor, col = c_row ? minor : major;
            u64 c = at(op, in, 8 + j, i), d = c;
            double sum = 0;
            long long whole = (int32_t)c;
            for (unsigned k = 0; k < depth; k++) {
                u64 x = stored(op, in, warp, a_at + (a_row ? row * depth + k : k * m + row) * size, bits);
                u64 y = stored(op, in, warp, b_at + (b_row ? k * n + col : col * depth + k) * size, bits);
                if (type_is_float(tc))
                    sum += operand_value(ta, x) * operand_value(ta, y);
                else
                    whole += (long long)(int_value(ta, x) * int_value(ta, y));
            }
            d = type_is_float(tc) ? float_round(tc, "rn", sum + float_value(tc, c)) : (uint32_t)whole;
            put(op, out, j, i, d);
        }
    }
    return all_known(op, known);
}

/* ---- video instructions */

/* The parts that d, a and b name, without dots: forms.txt writes them into the tag, "h1-b2-", or tags say them. */
struct parts {
    char d[6], a[6], b[6];
};

static struct parts parts_of(const struct op *op)
{
    struct parts p = {"", "", ""};
    const char *tag = op->tag, *first = strchr(tag, '-'), *second = first ? strchr(first + 1, '-') : NULL;

    if (same(tag, "b1h0"))
        return (struct parts){"", "b1", "h1"};
    if (same(tag, "merge"))
        return (struct parts){"b2", "b0", "b3"};
    if (!tag[0] && op->form->nin == 3 && op_has(op, "sat") && !strchr("24", op->word[0][strlen(op->word[0]) - 1]))
        return (struct parts){"", "h0", "b3"};          /* the form with a second operation */
    if (!second || strlen(second + 1) > 5 || second - first > 6 || first - tag > 5)
        return p;
    memcpy(p.d, tag, (size_t)(first - tag));
    memcpy(p.a, first + 1, (size_t)(second - first - 1));
    strcpy(p.b, second + 1);
    return p;
}

static long long video_part(const char *type, u64 x, const char *part)
{
    if (part[0] == 'b')
        return (long long)int_value(type_is_signed(type) ? "s8" : "u8", x >> 8 * (part[1] - '0'));
    if (part[0] == 'h')
        return (long long)int_value(type_is_signed(type) ? "s16" : "u16", x >> 16 * (part[1] - '0'));
    return (long long)int_value(type, x);
}

static long long video_clamp(const char *type, unsigned bits, long long x)
{
    long long lo = type_is_signed(type) ? -(1ll << (bits - 1)) : 0, hi = lo + (1ll << bits) - 1;

    return x < lo ? lo : x > hi ? hi : x;
}

static __int128 video_op(const struct op *op, long long x, long long y)
{
    const char *name = op->word[0];

    if (strncmp(name, "vset", 4) == 0)
        return compare_holds(op->word[3], "s64", (u64)x, (u64)y, 0);
    if (strncmp(name, "vsub", 4) == 0)
        return x - y;
    if (strncmp(name, "vmin", 4) == 0)
        return x < y ? x : y;
    if (strncmp(name, "vmax", 4) == 0)
        return x > y ? x : y;
    if (strncmp(name, "vabsdiff", 8) == 0)
        return x > y ? x - y : y - x;
    if (strncmp(name, "vavrg", 5) == 0)
        return (x + y + (x + y >= 0)) >> 1;
    if (strncmp(name, "vsh", 3) == 0) {
        y = op_has(op, "wrap") ? y & 31 : y > 32 ? 32 : y;
        return name[3] == 'r' ? x >> y : (__int128)((unsigned __int128)x << y);
    }
    return x + y;
}

/*
 * Scalar forms. What ptxas makes of them for sm_90 is not always what the manual says; there is no expectation then:
 * .sat of large sums and differences to u32, of what is shifted out of 34 bits or into a part, of negative values into
 * a part, what goes into .h1, and .min and .max of results beyond 31 bits.
 */
static int e_video(const struct op *op, const u64 *a, u64 *d)
{
    int set = same(op->word[0], "vset"), shift = strncmp(op->word[0], "vsh", 3) == 0;
    const char *to = set ? "u32" : op->type[0], *last = op->word[op->words - 1];
    struct parts part = parts_of(op);
    const char *ta = op->type[set ? 0 : 1], *tb = op->type[set ? 1 : 2];
    unsigned bits = part.d[0] == 'b' ? 8 : part.d[0] == 'h' ? 16 : 32;
    __int128 wide = video_op(op, video_part(ta, a[0], part.a), video_part(tb, a[1], part.b));
    long long r = (long long)wide, c = (int32_t)a[2];

    if (op_has(op, "sat")) {
        if (shift && (bits < 32 || wide >> 33 != wide >> 34))
            return 0;
        if (!shift && (bits == 32 ? same(to, "u32") && r > 0xffffffff : r < 0))
            return 0;
        r = video_clamp(to, bits, r);
    }
    if (same(last, "add")) {
        r += c;
    } else if (same(last, "min") || same(last, "max")) {
        if (wide != (int32_t)r || (r < 0 && !type_is_signed(to)) || (c < 0 && set))
            return 0;
        c = type_is_signed(to) ? c : (long long)a[2];
        r = same(last, "min") == (r < c) ? r : c;
    }
    d[0] = (u64)r & 0xffffffff;
    if (bits < 32) {
        unsigned at = bits * (unsigned)(part.d[1] - '0');
        d[0] = (d[0] & mask_bits(bits)) << at | (a[2] & ~(mask_bits(bits) << at));
    }
    return !same(part.d, "h1");
}

/*
 * vmad: the product and c have 64 bits. ptxas for sm_90 takes operands of 32 bits as signed whatever their types say:
 * no expectation for those above 2^31 where the upper half matters.
 */
static int e_vmad(const struct op *op, const u64 *a, u64 *d)
{
    const char *sign = strncmp(op->tag, "minus", 5) == 0 ? op->tag + 5 : "-";
    int minus_c = !sign[0] || same(sign, "-c") || same(sign, "-all"), is_signed, high;
    int minus_a = same(sign, "-a"), minus_b = same(sign, "-b");     /* -all: of both, which is none */
    const char *pa = "h1", *pb = "h0", *scale = op->word[op->words - 1];
    long long r, c = (int32_t)a[2];

    if (op_has(op, "po"))
        pa = "b3", pb = "h1";
    else if (same(sign, "-b"))
        pa = "", pb = "b3";
    else if (same(sign, "-c"))
        pa = "b0", pb = "b1";
    else if (same(sign, "-all"))
        pa = "h0", pb = "h1";
    is_signed = type_is_signed(op->type[1]) || type_is_signed(op->type[2]) || minus_a || minus_b || minus_c;
    high = strncmp(scale, "shr", 3) == 0 || op_has(op, "sat");
    if (high && ((a[2] >> 31 && !is_signed) || (!pa[0] && a[0] >> 31 && !type_is_signed(op->type[1]))))
        return 0;
    r = (long long)((u64)video_part(op->type[1], a[0], pa) * (u64)video_part(op->type[2], a[1], pb));
    r = (minus_a || minus_b ? -r : r) + (minus_c ? -c : c) + op_has(op, "po");
    r >>= same(scale, "shr7") ? 7 : same(scale, "shr15") ? 15 : 0;
    if (op_has(op, "sat"))
        r = video_clamp(is_signed ? "s32" : "u32", 32, r);
    d[0] = (u64)r & 0xffffffff;
    return 1;
}

/* Lane k of the operand `own`, or the lane of b:a that the selector's digit for k names. */
static long long simd_part(const char *type, const u64 *a, u64 own, const char *selector, unsigned k, unsigned lanes)
{
    char part[3] = {lanes == 2 ? 'h' : 'b', (char)('0' + k), 0};

    if (selector[0]) {
        unsigned digit = (unsigned)(selector[lanes - k] - '0');
        own = a[digit / lanes];
        part[1] = (char)('0' + digit % lanes);
    }
    return video_part(type, own, part);
}

static int e_simd(const struct op *op, const u64 *a, u64 *d)
{
    const char *name = op->word[0];
    unsigned lanes = name[strlen(name) - 1] == '2' ? 2 : 4, bits = 32 / lanes;
    int set = strncmp(name, "vset", 4) == 0, add = same(op->word[op->words - 1], "add");
    const char *ta = op->type[set ? 0 : 1], *tb = op->type[set ? 1 : 2];
    struct parts part = parts_of(op);
    u64 sum = a[2];

    d[0] = 0;
    for (unsigned k = 0; k < lanes; k++) {
        long long x = simd_part(ta, a, a[0], part.a, k, lanes), y = simd_part(tb, a, a[1], part.b, k, lanes);
        long long r = (long long)video_op(op, x, y);
        if (op_has(op, "sat"))
            r = video_clamp(op->type[0], bits, r);
        if (part.d[0] && !strchr(part.d + 1, (int)('0' + k))) {
            d[0] |= a[2] & mask_bits(bits) << k * bits;
            continue;
        }
        d[0] |= ((u64)r & mask_bits(bits)) << k * bits;
        sum += (u64)r;
    }
    if (add)
        d[0] = sum & 0xffffffff;
    return 1;
}

const struct expectation expect_warp[] = {
    {"vote", 0, w_vote}, {"match", 0, w_match}, {"redux", 0, w_redux}, {"red", 0, w_red}, {"shfl", 0, w_shfl},
    {"activemask", 0, w_constant}, {"elect", 0, w_constant}, {"bar", 0, w_bar}, {"barrier", 0, w_bar},
    {"mov", 0, w_mov}, {"bra", 0, w_bra},
    {"ldmatrix", 0, w_ldmatrix}, {"stmatrix", 0, w_stmatrix}, {"movmatrix", 0, w_movmatrix}, {"mma", 0, w_mma},
    {"wmma", 0, w_wmma},
    {"vadd", e_video, 0}, {"vsub", e_video, 0}, {"vabsdiff", e_video, 0}, {"vmin", e_video, 0}, {"vmax", e_video, 0},
    {"vset", e_video, 0}, {"vshl", e_video, 0}, {"vshr", e_video, 0}, {"vmad", e_vmad, 0}, {"vavrg2", e_simd, 0},
    {"vavrg4", e_simd, 0}, {"vadd2", e_simd, 0}, {"vsub2", e_simd, 0}, {"vabsdiff2", e_simd, 0}, {"vmin2", e_simd, 0},
    {"vmax2", e_simd, 0}, {"vset2", e_simd, 0}, {"vadd4", e_simd, 0}, {"vsub4", e_simd, 0}, {"vabsdiff4", e_simd, 0},
    {"vmin4", e_simd, 0}, {"vmax4", e_simd, 0}, {"vset4", e_simd, 0}, {0, 0, 0},
};
