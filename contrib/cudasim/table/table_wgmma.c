/*
 * table_wgmma.c - wgmma.mma_async: products of matrices by a warpgroup, with operands in shared memory.
 *
 * Each of the four warps has 16 of the 64 rows of A and D. It computes its own rows when it reaches the instruction.
 * The product is over as soon as it is issued. The descriptor gives the layout of matrices in shared memory: start,
 * leading and stride offset in units of 16 bytes, and a swizzle, which is applied to addresses.
 *
 *   unit: T elements, 16 bytes; rows: of A, or columns of B                          [offsets in bytes]
 *   k fast     row r at (r % 8) * width + (r / 8) * stride; unit u of k at u * 16, without a swizzle at u * leading
 *   rows fast  row r at r % (width / size) elements, and each `width` of them * leading (stride without a swizzle);
 *              k at (k % 8) * width + (k / 8) * stride (leading without a swizzle)
 *
 * width: 16 bytes without a swizzle, else 32, 64 or 128: the bytes that the swizzle permutes.
 */
#include "table_tensor.h"

enum { ROWS = 16, N_MOST = 256, B_BYTES = 64 /* of a column, at most; of a row of A half as many */ };

/* ---- matrices in shared memory ---- */

struct layout {
    u32 start, leading, stride; /* bytes */
    u32 width;                  /* bytes: 16, 32, 64, 128 */
    u32 swizzle, base;          /* address bits 7.. that are added to bits 4.., and their base */
};

static struct layout layout_of(u64 descriptor)
{
    static const u32 widths[4] = {16, 128, 64, 32}, swizzles[4] = {0, 7, 3, 1};
    u32 mode = (u32)(descriptor >> 62);

    return (struct layout){(u32)(descriptor & 0x3FFF) << 4, (u32)(descriptor >> 16 & 0x3FFF) << 4,
                           (u32)(descriptor >> 32 & 0x3FFF) << 4, widths[mode], swizzles[mode],
                           (u32)(descriptor >> 49 & 7)};
}

/* The offset in shared memory of the 16 bytes that hold element (row, k); *within: bytes into them. */
INLINE u32 place_of(const struct layout *x, u32 row, u32 k, u32 size, bool rows_fast, u32 *within)
{
    u32 at = x->start, byte = (rows_fast ? row : k) * size, unit;

    if (rows_fast) {
        unit = byte % x->width / 16;
        at += byte / x->width * (x->width == 16 ? x->stride : x->leading) + unit * 16 + k % 8 * x->width +
              k / 8 * (x->width == 16 ? x->leading : x->stride);
    } else {
        unit = byte / 16;
        at += row % 8 * x->width + row / 8 * x->stride + unit * (x->width == 16 ? x->leading : 16);
    }
    *within = byte % 16;
    return at ^ (((at >> 7) - x->base) & x->swizzle) << 4;
}

/* Rows [first, first + rows) by k, as raw elements [row][k]. False after a fault. */
static bool read_matrix(struct warp *w, const struct ins *i, u64 descriptor, u32 first, u32 rows, u32 k, u32 size,
                        bool rows_fast, u8 *raw)
{
    struct layout x = layout_of(descriptor);
    const struct block *b = w->block;
    struct matrix_read read = race_matrix_begin(w, i);

    for (u32 r = 0; r < rows; r++)
        for (u32 n = 0; n < k;) {
            u32 within, at = place_of(&x, first + r, n, size, rows_fast, &within), count = rows_fast ? 1 : 16 / size;

            if (at + 16 > b->shared_size) {
                fault_at(w, i, 0, FAULT_OUT_OF_BOUNDS, at,
                         "wgmma reads 16 bytes at offset %u of shared memory, of which the block has %u", at,
                         b->shared_size);
                return false;
            }
            if (read.on && within == 0)
                race_matrix_reads(&read, at);
            memcpy(raw + (r * k + n) * size, b->shared + at + within, count * size);
            n += count;
        }
    return true;
}

/* ---- elements ---- */

static f64 value_of(const u8 *p, enum element e)
{
    u32 word = 0;

    memcpy(&word, p, element_bits(e) / 8);
    switch (e) {
    case E_F16: return f32_from(widen_f16(word));
    case E_BF16: return f32_from(word << 16);
    case E_E4M3: return f32_from(widen_f16(half_of_e4m3(word)));
    case E_E5M2: return f32_from(widen_f16(word << 8));
    default: return f32_from(word & ~0x1FFFu); /* tf32 */
    }
}

/* A fragment's registers to raw elements [16][k]: lane l has rows l / 4 and 8 more, 4 bytes of each half of k. */
static void read_fragment(const struct warp *w, const slot *s, u8 *raw, u32 row_bytes)
{
    for (u32 r = 0; r < 4; r++) {
        const u32 *words = slot_at(w, s[r]);

        for (u32 l = 0; l < LANES; l++)
            memcpy(raw + (l / 4 + 8 * (r % 2)) * row_bytes + 16 * (r / 2) + 4 * (l % 4), &words[l], 4);
    }
}

/* Register `r` of D in lane l: its row, and the first of its columns. */
INLINE u32 d_row(u32 r, u32 l, bool halves)
{
    return l / 4 + 8 * ((halves ? r : r / 2) % 2);
}

INLINE u32 d_column(u32 r, u32 l, bool halves)
{
    return 8 * (r / (halves ? 2 : 4)) + 2 * (l % 4) + (halves ? 0 : r % 2);
}

/* Whether the product is added to what D has. */
static bool accumulates(const struct warp *w, const struct ins *i)
{
    return ((const u32 *)slot_at(w, i->c))[0] != 0;
}

static bool read_operands(struct warp *w, const struct ins *i, const struct wgmma *x, u8 *a, u8 *b)
{
    u32 bits = element_bits(x->a), size = bits < 8 ? 1 : bits / 8, k = bits < 8 ? x->k / 8u : x->k;
    u32 stored = k >> x->sparse; /* of a row of A */
    const u64 *A = slot_at(w, i->a), *B = slot_at(w, i->b);

    if (x->a_in_registers)
        read_fragment(w, x->list + x->count, a, stored * size);
    else if (!read_matrix(w, i, A[0], ROWS * (w->index % 4), ROWS, stored, size, x->transpose_a, a))
        return false;
    return read_matrix(w, i, B[0], 0, x->n, k, size, x->transpose_b, b);
}

/* ---- floats ---- */

static void read_sums(const struct warp *w, const struct wgmma *x, f64 *c)
{
    bool halves = x->d == E_F16;

    for (u32 r = 0; r < x->count; r++) {
        const u32 *D = slot_at(w, x->list[r]);

        for (u32 l = 0; l < LANES; l++) {
            f64 *at = c + d_row(r, l, halves) * x->n + d_column(r, l, halves);

            if (halves) {
                at[0] = f32_from(widen_f16(D[l] & 0xFFFF));
                at[1] = f32_from(widen_f16(D[l] >> 16));
            } else {
                at[0] = f32_from(D[l]);
            }
        }
    }
}

static void write_sums(struct warp *w, const struct wgmma *x, const f64 *c)
{
    bool halves = x->d == E_F16;

    for (u32 r = 0; r < x->count; r++) {
        u32 *D = slot_at(w, x->list[r]);

        for (u32 l = 0; l < LANES; l++) {
            const f64 *at = c + d_row(r, l, halves) * x->n + d_column(r, l, halves);

            D[l] = halves ? canon(narrow_f16(odd_narrow(at[0])), F16) |
                                (u32)canon(narrow_f16(odd_narrow(at[1])), F16) << 16
                          : canon_f32((f32)at[0]);
        }
    }
}

/* Cut off behind the bits of fraction that a sum of 8-bit floats keeps. */
static f64 cut_tiny(f64 x)
{
    return f32_from(f32_bits((f32)cut_f32(x)) & ~((1u << (23 - TENSOR_FRACTION_TINY)) - 1));
}

/* Row `row` of a sparse A: the elements of B that it meets. */
static void choose(f64 *chosen, const f64 *b, const u8 *from, u32 stored)
{
    for (u32 n = 0; n < stored; n++)
        memcpy(chosen + 8 * n, b + 8 * from[n], 8 * sizeof *b);
}

/* c += a b; from[16][k / 2] are the places of the elements of a sparse A. */
static void multiply(const struct wgmma *x, const u8 *raw_a, const u8 *raw_b, const u8 *from, f64 *c)
{
    u32 k = x->k, stored = k >> x->sparse, size = element_bits(x->a) / 8;
    bool tiny = size == 1;
    f64 a[ROWS * 32] ALIGNED, b[B_BYTES * 8] ALIGNED, chosen[32 * 8] ALIGNED;
    s32 ea[ROWS * 32] ALIGNED, eb[32 * 8] ALIGNED;

    for (u32 n = 0; n < ROWS * stored; n++)
        a[n] = value_of(raw_a + n * size, x->a) * (x->negate_a ? -1 : 1);
    exponents_of(ea, a, (int)(ROWS * stored), x->a);
    for (u32 tile = 0; tile < x->n; tile += 8) {
        for (u32 j = 0; j < 8; j++)
            for (u32 n = 0; n < k; n++)
                b[8 * n + j] = value_of(raw_b + ((tile + j) * k + n) * size, x->b) * (x->negate_b ? -1 : 1);
        if (!x->sparse)
            exponents_of(eb, b, (int)(8 * k), x->b);
        for (u32 row = 0; row < ROWS; row++) {
            f64 *sum = c + row * x->n + tile;

            if (x->sparse) {
                choose(chosen, b, from + row * stored, stored);
                exponents_of(eb, chosen, (int)(8 * stored), x->b);
            }
            tensor_block(sum, a + row * stored, ea + row * stored, x->sparse ? chosen : b, eb, (int)stored,
                         tiny ? TENSOR_FRACTION_TINY : TENSOR_FRACTION);
            for (u32 j = 0; x->d == E_F32 && j < 8; j++)
                sum[j] = tiny ? cut_tiny(sum[j]) : cut_f32(sum[j]);
        }
    }
}

STEP(wgmma_float)
{
    const struct wgmma *x = i->extra;
    const struct ins *next;
    u8 a[ROWS * 32], b[N_MOST * B_BYTES], from[ROWS * 32];
    f64 c[ROWS * N_MOST] ALIGNED;

    if (!together(w, i, &next))
        return next;
    float_default(w);
    if (!read_operands(w, i, x, a, b))
        return NULL;
    if (accumulates(w, i))
        read_sums(w, x, c);
    else
        memset(c, 0, ROWS * x->n * sizeof *c);
    if (x->sparse)
        sparse_places(from, slot_at(w, i->f), x->a, x->k, x->selector);
    multiply(x, a, b, from, c);
    write_sums(w, x, c);
    return i + 1;
}

/* ---- integers and bits ---- */

static s64 dot(const struct wgmma *x, const u8 *a, const u8 *b, const u8 *from)
{
    s64 sum = 0;

    if (x->a == E_B1) {
        for (u32 n = 0; n < x->k / 8u; n++)
            sum += __builtin_popcount(a[n] & b[n]);
        return sum;
    }
    for (u32 n = 0; n < x->k && !x->sparse; n++)
        sum += (x->a == E_S8 ? (s8)a[n] : a[n]) * (x->b == E_S8 ? (s8)b[n] : b[n]);
    for (u32 n = 0; n < x->k / 2u && x->sparse; n++)
        sum += (x->a == E_S8 ? (s8)a[n] : a[n]) * (x->b == E_S8 ? (s8)b[from[n]] : b[from[n]]);
    return sum;
}

STEP(wgmma_integer)
{
    const struct wgmma *x = i->extra;
    const struct ins *next;
    u32 bytes = x->a == E_B1 ? x->k / 8u : x->k, stored = bytes >> x->sparse;
    u8 a[ROWS * 32], b[N_MOST * B_BYTES], from[ROWS * 32];
    bool adds;

    if (!together(w, i, &next))
        return next;
    if (!read_operands(w, i, x, a, b))
        return NULL;
    if (x->sparse)
        sparse_places(from, slot_at(w, i->f), x->a, x->k, x->selector);
    adds = accumulates(w, i);
    for (u32 r = 0; r < x->count; r++) {
        s32 *D = slot_at(w, x->list[r]);

        for (u32 l = 0; l < LANES; l++) {
            u32 row = d_row(r, l, false);
            s64 sum = dot(x, a + row * stored, b + d_column(r, l, false) * bytes, from + row * stored);

            sum += adds ? D[l] : 0;
            D[l] = !x->satfinite ? (s32)(u32)(u64)sum
                   : sum > INT32_MAX ? INT32_MAX
                   : sum < INT32_MIN ? INT32_MIN
                                     : (s32)sum;
        }
    }
    return i + 1;
}

/* ---- groups: only the check for races needs them ---- */

STEP(wgmma_commit)
{
    race_matrix_commit(w);
    return i + 1;
}

STEP(wgmma_wait)
{
    race_matrix_wait(w, (u32)i->imm);
    return i + 1;
}

const struct row LEVELED(rows_wgmma)[] = {
    {"@wgmma.float", wgmma_float, "", 0, CLASS_COMPUTATION, 0},
    {"@wgmma.integer", wgmma_integer, "", 0, CLASS_COMPUTATION, 0},
    {"@wgmma.commit", wgmma_commit, "", 0, CLASS_COMPUTATION, 0},
    {"@wgmma.wait", wgmma_wait, "", 0, CLASS_COMPUTATION, 0},
    ROWS_END,
};
