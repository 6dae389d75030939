/*
 * table_matrix.c - products of matrices: mma, wmma.mma. A warp executes each as one. table_matrix.h describes the
 * layout of fragments in registers.
 *
 * Sums of f16, bf16, tf32 and 8-bit floats follow the tensor cores: table_tensor.h. A sum of f64 is a chain of fused
 * multiply-adds in the order of k.
 */
#include "table_tensor.h"

enum matrix_flag { SATFINITE = 1, AND_POPC = 2, A_COLUMNS = 4, B_ROWS = 8 };

/* One form of mma or wmma.mma. */
struct matrix {
    u8 m, n;
    u16 k;
    u8 a, b, c, d;       /* enum element */
    u8 a_count, b_count; /* registers, as the operand has them */
    u8 flags;            /* enum matrix_flag; the layouts matter to m8n8k4 of f16 alone */
};

/* Registers of C or D. */
INLINE u32 sum_count(const struct matrix *x, enum element e)
{
    return (u32)x->m * x->n / (e == E_F16 ? 64 : 32);
}

/* m8n32 as m32n8: the transposed of a product is that of the factors, transposed and in the other order. */
static const struct matrix *turn(const struct matrix *x, struct matrix *turned, const slot **a, const slot **b)
{
    const slot *swap = *a;

    if (x->n != 32)
        return x;
    *turned = *x;
    turned->m = x->n;
    turned->n = x->m;
    turned->a = x->b;
    turned->b = x->a;
    turned->a_count = x->b_count;
    turned->b_count = x->a_count;
    *a = *b;
    *b = swap;
    return turned;
}

/* ---- fragments to matrices of floats ---- */

/* The elements of one register in all lanes, in order; returns how many a lane has. */
static int unpack_floats(f32 *x, const void *registers, enum element e)
{
    const u32 *words = registers;
    u16 h[128] ALIGNED;

    switch (e) {
    case E_F16:
    case E_BF16:
        memcpy(h, registers, 2 * HALVES);
        if (e == E_F16)
            widen(x, h, HALVES, F16);
        else
            widen(x, h, HALVES, BF16);
        return 2;
    case E_E4M3:
    case E_E5M2:
        for (int l = 0; l < 128; l++) {
            u32 byte = words[l / 4] >> 8 * (l % 4) & 0xFF;

            h[l] = e == E_E4M3 ? half_of_e4m3(byte) : (u16)(byte << 8);
        }
        widen(x, h, 128, F16);
        return 4;
    default: /* E_TF32: the low 13 bits are not looked at */
        EACH_LANE { x[l] = f32_from(words[l] & ~0x1FFFu); }
        return 1;
    }
}

/* A: [m][k] */
static void unpack_a(const struct warp *w, const slot *s, const struct matrix *x, f64 *a)
{
    int halves = x->m == 8 ? 1 : 2, count = x->m * x->k * (int)element_bits(x->a) / 1024;
    int per_tile = x->m == 32 ? count / 2 : count;
    f32 v[128] ALIGNED;

    for (int r = 0; r < count; r++) {
        int e = unpack_floats(v, slot_at(w, s[r]), x->a), in = r % per_tile;
        int row = 8 * (in % halves) + 16 * (r / per_tile), column = 4 * e * (in / halves);

        for (int g = 0; g < 8; g++)
            for (int t = 0; t < 4 * e; t++)
                a[(row + g) * x->k + column + t] = v[4 * e * g + t];
    }
}

/* B: [n / 8][k][8] */
static void unpack_b(const struct warp *w, const slot *s, const struct matrix *x, f64 *b)
{
    int count = x->n * x->k * (int)element_bits(x->b) / 1024, per_tile = count / (x->n / 8);
    f32 v[128] ALIGNED;

    for (int r = 0; r < count; r++) {
        int e = unpack_floats(v, slot_at(w, s[r]), x->b), row = 4 * e * (r % per_tile);
        f64 *tile = b + r / per_tile * x->k * 8;

        for (int t = 0; t < 4 * e; t++)
            for (int g = 0; g < 8; g++)
                tile[(row + t) * 8 + g] = v[4 * e * g + t];
    }
}

/* C: [n / 8][m][8], which are pairs of registers, or halves of one, of all lanes. */
static void unpack_c(const struct warp *w, const slot *s, int pairs, enum element e, f64 *c)
{
    for (int p = 0; p < pairs; p++) {
        if (e == E_F16) {
            f32 v[HALVES] ALIGNED;

            widen(v, slot_at(w, s[p]), HALVES, F16);
            EACH_OF(HALVES) c[64 * p + l] = v[l];
        } else {
            const f32 *low = slot_at(w, s[2 * p]), *high = slot_at(w, s[2 * p + 1]);

            EACH_LANE
            {
                c[64 * p + 2 * l] = low[l];
                c[64 * p + 2 * l + 1] = high[l];
            }
        }
    }
}

static void pack_d(struct warp *w, const slot *s, int pairs, enum element e, const f64 *c)
{
    const u32 *on = w->lanes;

    for (int p = 0; p < pairs; p++) {
        if (e == E_F16) {
            f32 v[HALVES] ALIGNED;
            u16 h[HALVES] ALIGNED;
            u32 r[LANES], *D = slot_at(w, s[p]);

            EACH_OF(HALVES) v[l] = f32_from(odd_narrow(c[64 * p + l]));
            narrow(h, v, HALVES, F16);
            memcpy(r, h, sizeof r);
            EACH_LANE { D[l] = on[l] ? r[l] : D[l]; }
        } else {
            u32 *low = slot_at(w, s[2 * p]), *high = slot_at(w, s[2 * p + 1]);

            EACH_LANE
            {
                u32 x = canon_f32((f32)c[64 * p + 2 * l]), y = canon_f32((f32)c[64 * p + 2 * l + 1]);

                low[l] = on[l] ? x : low[l];
                high[l] = on[l] ? y : high[l];
            }
        }
    }
}

/*
 * c += a b, 8 columns at once. Of 8-bit floats, which an H100 has in wgmma alone, ptxas makes products of halves: first
 * the lower two of every four elements of k, then the upper two, and adds C at the end.
 */
static void round_sums(f64 *c, enum element d)
{
    for (int j = 0; j < 8; j++)
        c[j] = d == E_F16 ? (f64)f32_from(widen_f16(narrow_f16(odd_narrow(c[j])))) : cut_f32(c[j]);
}

/* One row: c[8] += a[k] b[k][8]. */
static void multiply_tiny_row(enum element d, int k, const f64 *a, const f64 *b, f64 *c)
{
    f64 part_a[16], part_b[16 * 8] ALIGNED, sum[8] = {0};
    s32 ea[16], eb[16 * 8];

    for (int half = 0; half < 2; half++) {
        for (int n = 0; n < k / 2; n++) {
            int from = n / 2 * 4 + 2 * half + n % 2;

            part_a[n] = a[from];
            memcpy(part_b + 8 * n, b + 8 * from, 8 * sizeof *b);
        }
        exponents_of(ea, part_a, k / 2, E_F16);
        exponents_of(eb, part_b, k / 2 * 8, E_F16);
        tensor_block(sum, part_a, ea, part_b, eb, k / 2, TENSOR_FRACTION);
        round_sums(sum, d);
    }
    for (int j = 0; j < 8; j++)
        c[j] += sum[j];
}

static void multiply_tiny(const struct matrix *x, const f64 *a, const f64 *b, f64 *c)
{
    for (int tile = 0; tile < x->n / 8; tile++, b += 8 * x->k)
        for (int row = 0; row < x->m; row++, c += 8)
            multiply_tiny_row(x->d, x->k, a + x->k * row, b, c);
}

static void multiply_floats(const struct matrix *x, const f64 *a, const f64 *b, f64 *c)
{
    int m = x->m, k = x->k;
    s32 ea[512] ALIGNED, eb[512] ALIGNED;

    exponents_of(ea, a, m * k, x->a);
    exponents_of(eb, b, x->n * k, x->b);
    for (int tile = 0; tile < x->n / 8; tile++)
        for (int row = 0; row < m; row++, c += 8) {
            tensor_block(c, a + k * row, ea + k * row, b + 8 * k * tile, eb + 8 * k * tile, k, TENSOR_FRACTION);
            if (x->c == E_F32 || x->d == E_F32)
                round_sums(c, E_F32);
        }
}

static const struct ins *mma_float(struct warp *w, const struct ins *i, const struct matrix *x)
{
    const struct ins *next;
    const slot *s = i->extra;
    const slot *sa = s + sum_count(x, x->d), *sb = sa + x->a_count, *sc = sb + x->b_count;
    struct matrix turned;
    f64 a[512] ALIGNED, b[512] ALIGNED, c[256] ALIGNED;

    if (!together(w, i, &next))
        return next;
    float_default(w);
    x = turn(x, &turned, &sa, &sb);
    unpack_a(w, sa, x, a);
    unpack_b(w, sb, x, b);
    unpack_c(w, sc, x->m * x->n / 64, x->c, c);
    if (element_bits(x->a) == 8)
        multiply_tiny(x, a, b, c);
    else
        multiply_floats(x, a, b, c);
    pack_d(w, s, x->m * x->n / 64, x->d, c);
    return i + 1;
}

/* mma.sp: half of each row of A is stored, and each row has its own selection of B. */
static const struct ins *mma_sparse_float(struct warp *w, const struct ins *i, const struct matrix *x)
{
    const struct ins *next;
    const slot *s = i->extra;
    const slot *sa = s + sum_count(x, x->d), *sb = sa + x->a_count, *sc = sb + x->b_count;
    struct matrix packed = *x;
    int k = x->k / 2;
    f64 a[512] ALIGNED, b[512] ALIGNED, c[128] ALIGNED, chosen[32 * 8] ALIGNED;
    s32 ea[512] ALIGNED, eb[32 * 8] ALIGNED;
    u8 from[16 * 32];

    if (!together(w, i, &next))
        return next;
    float_default(w);
    packed.k = (u16)k;
    unpack_a(w, sa, &packed, a);
    unpack_b(w, sb, x, b);
    unpack_c(w, sc, 2, x->c, c);
    sparse_places(from, slot_at(w, i->a), x->a, x->k, (u32)i->imm);
    exponents_of(ea, a, 16 * k, x->a);
    for (int row = 0; row < 16; row++) {
        for (int n = 0; n < k; n++)
            memcpy(chosen + 8 * n, b + 8 * from[row * k + n], 8 * sizeof *b);
        if (element_bits(x->a) == 8) {
            multiply_tiny_row(x->d, k, a + k * row, chosen, c + 8 * row);
            continue;
        }
        exponents_of(eb, chosen, 8 * k, x->b);
        tensor_block(c + 8 * row, a + k * row, ea + k * row, chosen, eb, k, TENSOR_FRACTION);
        if (x->d == E_F32)
            round_sums(c + 8 * row, E_F32);
    }
    pack_d(w, s, 2, x->d, c);
    return i + 1;
}

/* f64: lane l of register r of A holds row l / 4 (and 8 more if r is odd, of 16 rows) at k = l % 4 + 4 (r / halves). */
static const struct ins *mma_f64(struct warp *w, const struct ins *i, const struct matrix *x)
{
    const struct ins *next;
    const slot *s = i->extra;
    int halves = x->m / 8, d_count = (int)sum_count(x, E_F64);
    const f64 *A[8], *B[4], *C[4];
    f64 *D[4], sum[4][LANES] ALIGNED;

    if (!together(w, i, &next))
        return next;
    float_enter(w, i);
    for (int r = 0; r < d_count; r++) {
        D[r] = slot_at(w, s[r]);
        C[r] = slot_at(w, s[d_count + x->a_count + x->b_count + r]);
        memcpy(sum[r], C[r], sizeof sum[r]);
    }
    for (int r = 0; r < x->a_count; r++)
        A[r] = slot_at(w, s[d_count + r]);
    for (int r = 0; r < x->b_count; r++)
        B[r] = slot_at(w, s[d_count + x->a_count + r]);
    for (int n = 0; n < x->k; n++)
        for (int r = 0; r < d_count; r++)
            for (int l = 0; l < LANES; l++)
                sum[r][l] = __builtin_fma(A[n / 4 * halves + r / 2][(l & ~3) + n % 4],
                                          B[n / 4][(2 * (l % 4) + r % 2) * 4 + n % 4], sum[r][l]);
    for (int r = 0; r < d_count; r++)
        EACH_LANE { D[r][l] = w->lanes[l] ? sum[r][l] : D[r][l]; }
    return i + 1;
}

/* ---- integers ---- */

/* The elements of one register in all lanes, in order; returns how many a lane has. */
static int unpack_integers(s32 *x, const u32 *words, enum element e)
{
    s8 bytes[128] ALIGNED;

    memcpy(bytes, words, sizeof bytes);
    switch (e) {
    case E_S8:
        for (int l = 0; l < 128; l++)
            x[l] = bytes[l];
        return 4;
    case E_U8:
        for (int l = 0; l < 128; l++)
            x[l] = (u8)bytes[l];
        return 4;
    case E_S4:
        for (int l = 0; l < 256; l++)
            x[l] = (s32)(words[l / 8] << (28 - 4 * (l % 8))) >> 28;
        return 8;
    default:
        for (int l = 0; l < 256; l++)
            x[l] = words[l / 8] >> 4 * (l % 8) & 15;
        return 8;
    }
}

#define S32S (LEVEL >= 3 ? 8 : 4) /* in one vector register */
typedef s32 s32s __attribute__((vector_size(4 * S32S)));

/* A: [m][k] */
static void unpack_integers_a(const struct warp *w, const slot *s, const struct matrix *x, s32 *a)
{
    int halves = x->m == 8 ? 1 : 2, per_tile = x->m == 32 ? x->a_count / 2 : x->a_count;
    s32 v[256] ALIGNED;

    for (int r = 0; r < x->a_count; r++) {
        int in = r % per_tile, row = 8 * (in % halves) + 16 * (r / per_tile);
        int e = unpack_integers(v, slot_at(w, s[r]), x->a);

        for (int g = 0; g < 8; g++)
            memcpy(a + (row + g) * x->k + 4 * e * (in / halves), v + 4 * e * g, (size_t)(4 * e) * sizeof *v);
    }
}

/* B: [n / 8][k][8] */
static void unpack_integers_b(const struct warp *w, const slot *s, const struct matrix *x, s32 *b)
{
    int per_tile = x->b_count / (x->n / 8);
    s32 v[256] ALIGNED;

    for (int r = 0; r < x->b_count; r++) {
        s32 *tile = b + r / per_tile * x->k * 8;
        int e = unpack_integers(v, slot_at(w, s[r]), x->b);

        for (int t = 0; t < 4 * e; t++)
            for (int g = 0; g < 8; g++)
                tile[(4 * e * (r % per_tile) + t) * 8 + g] = v[4 * e * g + t];
    }
}

/* D = C + c */
static void add_integers(struct warp *w, const slot *s, const slot *sc, const struct matrix *x, const s32 *c)
{
    int count = (int)sum_count(x, E_S32);

    for (int r = 0; r < count; r++) {
        const s32 *C = slot_at(w, sc[r]);
        s32 *D = slot_at(w, s[r]), wrapped[LANES], clamped[LANES];

        EACH_LANE
        {
            s64 sum = (s64)C[l] + c[64 * (r / 2) + 2 * l + r % 2];

            wrapped[l] = (s32)(u32)(u64)sum;
            clamped[l] = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (s32)sum;
        }
        for (int l = 0; l < LANES; l++)
            if (w->lanes[l])
                D[l] = x->flags & SATFINITE ? clamped[l] : wrapped[l];
    }
}

static const struct ins *mma_integer(struct warp *w, const struct ins *i, const struct matrix *x)
{
    const struct ins *next;
    const slot *s = i->extra, *sa, *sb, *sc;
    int k = x->k;
    struct matrix turned;
    s32 a[1024] ALIGNED, b[1024] ALIGNED, c[256] ALIGNED;

    if (!together(w, i, &next))
        return next;
    sa = s + sum_count(x, E_S32);
    sb = sa + x->a_count;
    sc = sb + x->b_count;
    x = turn(x, &turned, &sa, &sb);
    unpack_integers_a(w, sa, x, a);
    unpack_integers_b(w, sb, x, b);
    for (int tile = 0; tile < x->n / 8; tile++)
        for (int row = 0; row < x->m; row++) {
            s32s sum[8 / S32S] = {{0}}, line[8 / S32S];

            for (int n = 0; n < k; n++) {
                memcpy(line, b + 8 * (tile * k + n), sizeof line);
                for (int j = 0; j < 8 / S32S; j++)
                    sum[j] += a[k * row + n] * line[j];
            }
            memcpy(c + 8 * (tile * x->m + row), sum, sizeof sum);
        }
    add_integers(w, s, sc, x, c);
    return i + 1;
}

static const struct ins *mma_sparse_integer(struct warp *w, const struct ins *i, const struct matrix *x)
{
    const struct ins *next;
    const slot *s = i->extra, *sa = s + sum_count(x, E_S32), *sb = sa + x->a_count;
    struct matrix packed = *x;
    int k = x->k / 2;
    s32 a[1024] ALIGNED, b[1024] ALIGNED, c[128] ALIGNED;
    u8 from[16 * 64];

    if (!together(w, i, &next))
        return next;
    packed.k = (u16)k;
    unpack_integers_a(w, sa, &packed, a);
    unpack_integers_b(w, sb, x, b);
    sparse_places(from, slot_at(w, i->a), x->a, x->k, (u32)i->imm);
    for (int row = 0; row < 16; row++)
        for (int j = 0; j < 8; j++) {
            s32 sum = 0;

            for (int n = 0; n < k; n++)
                sum += a[k * row + n] * b[8 * from[row * k + n] + j];
            c[8 * row + j] = sum;
        }
    add_integers(w, s, sb + x->b_count, x, c);
    return i + 1;
}

/* Single bits: how many are set in a ^ b, or in a & b. */
static const struct ins *mma_bits(struct warp *w, const struct ins *i, const struct matrix *x)
{
    const struct ins *next;
    const slot *s = i->extra;
    int count = (int)sum_count(x, E_S32), halves = x->m / 8;
    const u32 *A[4], *B[2];
    u32 sum[4][LANES];

    if (!together(w, i, &next))
        return next;
    for (int r = 0; r < x->a_count; r++)
        A[r] = slot_at(w, s[count + r]);
    for (int r = 0; r < x->b_count; r++)
        B[r] = slot_at(w, s[count + x->a_count + r]);
    for (int r = 0; r < count; r++) {
        const u32 *C = slot_at(w, s[count + x->a_count + x->b_count + r]);

        for (int l = 0; l < LANES; l++) {
            sum[r][l] = C[l];
            for (int n = 0; n < x->k / 32; n++) {
                u32 a = A[n / 4 * halves + r / 2][(l & ~3) + n % 4];
                u32 b = B[n / 4][(2 * (l % 4) + r % 2) * 4 + n % 4];

                sum[r][l] += (u32)__builtin_popcount(x->flags & AND_POPC ? a & b : a ^ b);
            }
        }
    }
    for (int r = 0; r < count; r++) {
        u32 *D = slot_at(w, s[r]);

        EACH_LANE { D[l] = w->lanes[l] ? sum[r][l] : D[l]; }
    }
    return i + 1;
}

/* ---- m8n8k4 of f16: four products at once, the q-th of lanes 4q..4q+3 and 16+4q..16+4q+3 ---- */

/* Element e of C or D in lane l: where in the 8 x 8 matrix. */
INLINE int quad_place(int l, int e, enum element type)
{
    int high = l >= 16 ? 4 : 0;

    if (type == E_F16)
        return 8 * (l % 4 + high) + e;
    return 8 * ((l & 1) + (e & 2) + high) + (e & 4) + (l & 2) + (e & 1);
}

static const struct ins *mma_quad(struct warp *w, const struct ins *i, const struct matrix *x)
{
    const struct ins *next;
    const slot *s = i->extra;
    int d_count = x->d == E_F16 ? 4 : 8;
    f32 a[2][HALVES], b[2][HALVES], c[4][HALVES];
    f64 ma[4][8][4], mb[4][4][8], mc[4][64];

    if (!together(w, i, &next))
        return next;
    float_default(w);
    for (int r = 0; r < 2; r++) {
        widen(a[r], slot_at(w, s[d_count + r]), HALVES, F16);
        widen(b[r], slot_at(w, s[d_count + 2 + r]), HALVES, F16);
    }
    for (int r = 0; x->c == E_F16 && r < 4; r++)
        widen(c[r], slot_at(w, s[d_count + 4 + r]), HALVES, F16);
    for (int l = 0; l < LANES; l++) {
        int q = l / 4 % 4, own = l % 4, high = l >= 16 ? 4 : 0;

        for (int e = 0; e < 4; e++) {
            f64 va = a[e / 2][2 * l + e % 2], vb = b[e / 2][2 * l + e % 2];

            ma[q][(x->flags & A_COLUMNS ? e : own) + high][x->flags & A_COLUMNS ? own : e] = va;
            mb[q][x->flags & B_ROWS ? own : e][(x->flags & B_ROWS ? e : own) + high] = vb;
        }
        for (int e = 0; e < 8; e++)
            mc[q][quad_place(l, e, x->c)] =
                x->c == E_F16 ? c[e / 2][2 * l + e % 2] : ((const f32 *)slot_at(w, s[d_count + 4 + e]))[l];
    }
    for (int q = 0; q < 4; q++)
        for (int row = 0; row < 8; row++)
            for (int column = 0; column < 8; column++)
                for (int n = 0; n < 4; n++)
                    mc[q][8 * row + column] += ma[q][row][n] * mb[q][n][column];
    for (int l = 0; l < LANES; l++)
        for (int e = 0; w->lanes[l] && e < 8; e++) {
            f64 sum = mc[l / 4 % 4][quad_place(l, e, x->d)];

            if (x->d == E_F16)
                ((u16 *)slot_at(w, s[e / 2]))[2 * l + e % 2] = (u16)narrow_f16(odd_narrow(sum));
            else
                ((u32 *)slot_at(w, s[e]))[l] = canon_f32((f32)sum);
        }
    return i + 1;
}
/* ---- the forms: each body knows its description ---- */
#define MATRIX(id, function, ...)                                                                                      \
    STEP(id)                                                                                                           \
    {                                                                                                                  \
        static const struct matrix x = {__VA_ARGS__};                                                                  \
        return function(w, i, &x);                                                                                     \
    }

/* X(shape, m, n, k, a, b, c, d, registers of A, of B) of mma.sync.aligned.shape.row.col.d.a.b.c */
#define EACH_FLOAT(X)                                                                                                  \
    X(m16n8k8, 16, 8, 8, f16, f16, f16, f16, 2, 1)                                                                     \
    X(m16n8k8, 16, 8, 8, f16, f16, f32, f32, 2, 1)                                                                     \
    X(m16n8k16, 16, 8, 16, f16, f16, f16, f16, 4, 2)                                                                   \
    X(m16n8k16, 16, 8, 16, f16, f16, f32, f32, 4, 2)                                                                   \
    X(m16n8k8, 16, 8, 8, bf16, bf16, f32, f32, 2, 1)                                                                   \
    X(m16n8k16, 16, 8, 16, bf16, bf16, f32, f32, 4, 2)                                                                 \
    X(m16n8k4, 16, 8, 4, tf32, tf32, f32, f32, 2, 1)                                                                   \
    X(m16n8k8, 16, 8, 8, tf32, tf32, f32, f32, 4, 2)                                                                   \
    EACH_TINY(X, e4m3, e4m3)                                                                                           \
    EACH_TINY(X, e4m3, e5m2)                                                                                           \
    EACH_TINY(X, e5m2, e4m3)                                                                                           \
    EACH_TINY(X, e5m2, e5m2)
#define EACH_TINY(X, a, b)                                                                                             \
    X(m16n8k16, 16, 8, 16, a, b, f32, f32, 2, 1)                                                                       \
    X(m16n8k16, 16, 8, 16, a, b, f16, f16, 2, 1)                                                                       \
    X(m16n8k32, 16, 8, 32, a, b, f32, f32, 4, 2)                                                                       \
    X(m16n8k32, 16, 8, 32, a, b, f16, f16, 4, 2)

#define FLOAT_BODY(shape, m, n, k, a, b, c, d, a_count, b_count)                                                       \
    MATRIX(mma_##shape##_##d##_##a##_##b##_##c, mma_float, m, n, k, T_##a, T_##b, T_##c, T_##d, a_count, b_count, 0)
EACH_FLOAT(FLOAT_BODY)

#define EACH_INTEGER(X)                                                                                                \
    EACH_INTEGER_TYPE(X, s8, s8, m8n8k16, m16n8k16, m16n8k32, 16)                                                      \
    EACH_INTEGER_TYPE(X, s8, u8, m8n8k16, m16n8k16, m16n8k32, 16)                                                      \
    EACH_INTEGER_TYPE(X, u8, s8, m8n8k16, m16n8k16, m16n8k32, 16)                                                      \
    EACH_INTEGER_TYPE(X, u8, u8, m8n8k16, m16n8k16, m16n8k32, 16)                                                      \
    EACH_INTEGER_TYPE(X, s4, s4, m8n8k32, m16n8k32, m16n8k64, 32)                                                      \
    EACH_INTEGER_TYPE(X, s4, u4, m8n8k32, m16n8k32, m16n8k64, 32)                                                      \
    EACH_INTEGER_TYPE(X, u4, s4, m8n8k32, m16n8k32, m16n8k64, 32)                                                      \
    EACH_INTEGER_TYPE(X, u4, u4, m8n8k32, m16n8k32, m16n8k64, 32)
#define EACH_INTEGER_TYPE(X, a, b, small, middle, large, k)                                                            \
    X(small, 8, 8, k, a, b, 1, 1)                                                                                      \
    X(middle, 16, 8, k, a, b, 2, 1)                                                                                    \
    X(large, 16, 8, 2 * k, a, b, 4, 2)

#define INTEGER_BODY(shape, m, n, k, a, b, a_count, b_count)                                                           \
    MATRIX(mma_##shape##_##a##_##b, mma_integer, m, n, k, T_##a, T_##b, E_S32, E_S32, a_count, b_count, 0)             \
    MATRIX(mma_##shape##_##a##_##b##_satfinite, mma_integer, m, n, k, T_##a, T_##b, E_S32, E_S32, a_count, b_count,    \
           SATFINITE)
EACH_INTEGER(INTEGER_BODY)

#define EACH_BITS(X)                                                                                                   \
    X(m8n8k128, 8, 128, 1, 1)                                                                                          \
    X(m16n8k128, 16, 128, 2, 1)                                                                                        \
    X(m16n8k256, 16, 256, 4, 2)
#define BITS_BODY(shape, m, k, a_count, b_count)                                                                       \
    MATRIX(mma_##shape##_xor, mma_bits, m, 8, k, E_B1, E_B1, E_S32, E_S32, a_count, b_count, 0)                        \
    MATRIX(mma_##shape##_and, mma_bits, m, 8, k, E_B1, E_B1, E_S32, E_S32, a_count, b_count, AND_POPC)
EACH_BITS(BITS_BODY)

#define EACH_DOUBLE(X)                                                                                                 \
    X(m8n8k4, 8, 4, 1, 1)                                                                                              \
    X(m16n8k4, 16, 4, 2, 1)                                                                                            \
    X(m16n8k8, 16, 8, 4, 2)                                                                                            \
    X(m16n8k16, 16, 16, 8, 4)
#define DOUBLE_BODY(shape, m, k, a_count, b_count)                                                                     \
    MATRIX(mma_##shape##_f64, mma_f64, m, 8, k, E_F64, E_F64, E_F64, E_F64, a_count, b_count, 0)
EACH_DOUBLE(DOUBLE_BODY)

/* m8n8k4 of f16: X(layouts of a and b, c, d, flags) */
#define EACH_QUAD(X)                                                                                                   \
    EACH_QUAD_TYPE(X, row, row, B_ROWS)                                                                                \
    EACH_QUAD_TYPE(X, row, col, 0)                                                                                     \
    EACH_QUAD_TYPE(X, col, row, A_COLUMNS | B_ROWS)                                                                    \
    EACH_QUAD_TYPE(X, col, col, A_COLUMNS)
#define EACH_QUAD_TYPE(X, la, lb, flags)                                                                               \
    X(la, lb, f16, f16, flags)                                                                                         \
    X(la, lb, f16, f32, flags)                                                                                         \
    X(la, lb, f32, f32, flags)
#define QUAD_BODY(la, lb, c, d, flags)                                                                                 \
    MATRIX(mma_quad_##la##_##lb##_##c##_##d, mma_quad, 8, 8, 4, E_F16, E_F16, T_##c, T_##d, 2, 2, flags)
EACH_QUAD(QUAD_BODY)

/* mma.sp: X(shape, k, a, b, c, d, registers of A, of B) */
#define EACH_SPARSE_FLOAT(X)                                                                                           \
    X(m16n8k16, 16, f16, f16, f16, f16, 2, 2)                                                                          \
    X(m16n8k16, 16, f16, f16, f32, f32, 2, 2)                                                                          \
    X(m16n8k16, 16, bf16, bf16, f32, f32, 2, 2)                                                                        \
    X(m16n8k32, 32, f16, f16, f16, f16, 4, 4)                                                                          \
    X(m16n8k32, 32, f16, f16, f32, f32, 4, 4)                                                                          \
    X(m16n8k32, 32, bf16, bf16, f32, f32, 4, 4)                                                                        \
    X(m16n8k8, 8, tf32, tf32, f32, f32, 2, 2)                                                                          \
    X(m16n8k16, 16, tf32, tf32, f32, f32, 4, 4)                                                                        \
    EACH_SPARSE_TINY(X, e4m3, e4m3)                                                                                    \
    EACH_SPARSE_TINY(X, e4m3, e5m2)                                                                                    \
    EACH_SPARSE_TINY(X, e5m2, e4m3)                                                                                    \
    EACH_SPARSE_TINY(X, e5m2, e5m2)
#define EACH_SPARSE_TINY(X, a, b)                                                                                      \
    X(m16n8k64, 64, a, b, f32, f32, 4, 4)                                                                              \
    X(m16n8k64, 64, a, b, f16, f16, 4, 4)
#define SPARSE_FLOAT_BODY(shape, k, a, b, c, d, a_count, b_count)                                                      \
    MATRIX(mma_sp_##shape##_##d##_##a##_##b##_##c, mma_sparse_float, 16, 8, k, T_##a, T_##b, T_##c, T_##d, a_count,    \
           b_count, 0)
EACH_SPARSE_FLOAT(SPARSE_FLOAT_BODY)

#define EACH_SPARSE_INTEGER(X)                                                                                         \
    EACH_SPARSE_TYPE(X, s8, s8, m16n8k32, m16n8k64, 32)                                                                \
    EACH_SPARSE_TYPE(X, s8, u8, m16n8k32, m16n8k64, 32)                                                                \
    EACH_SPARSE_TYPE(X, u8, s8, m16n8k32, m16n8k64, 32)                                                                \
    EACH_SPARSE_TYPE(X, u8, u8, m16n8k32, m16n8k64, 32)                                                                \
    EACH_SPARSE_TYPE(X, s4, s4, m16n8k64, m16n8k128, 64)                                                               \
    EACH_SPARSE_TYPE(X, s4, u4, m16n8k64, m16n8k128, 64)                                                               \
    EACH_SPARSE_TYPE(X, u4, s4, m16n8k64, m16n8k128, 64)                                                               \
    EACH_SPARSE_TYPE(X, u4, u4, m16n8k64, m16n8k128, 64)
#define EACH_SPARSE_TYPE(X, a, b, small, large, k)                                                                     \
    X(small, k, a, b, 2)                                                                                               \
    X(large, 2 * k, a, b, 4)
#define SPARSE_INTEGER_BODY(shape, k, a, b, count)                                                                     \
    MATRIX(mma_sp_##shape##_##a##_##b, mma_sparse_integer, 16, 8, k, T_##a, T_##b, E_S32, E_S32, count, count, 0)      \
    MATRIX(mma_sp_##shape##_##a##_##b##_satfinite, mma_sparse_integer, 16, 8, k, T_##a, T_##b, E_S32, E_S32, count,    \
           count, SATFINITE)
EACH_SPARSE_INTEGER(SPARSE_INTEGER_BODY)

/* wmma: X(shape, m, n, k, a and b, c, d, registers of A, of B) */
#define EACH_WMMA_FLOAT(X)                                                                                             \
    X(m16n16k16, 16, 16, 16, f16, f16, f16, 8, 8)                                                                      \
    X(m16n16k16, 16, 16, 16, f16, f16, f32, 8, 8)                                                                      \
    X(m16n16k16, 16, 16, 16, f16, f32, f16, 8, 8)                                                                      \
    X(m16n16k16, 16, 16, 16, f16, f32, f32, 8, 8)                                                                      \
    X(m32n8k16, 32, 8, 16, f16, f16, f16, 8, 8)                                                                        \
    X(m32n8k16, 32, 8, 16, f16, f16, f32, 8, 8)                                                                        \
    X(m32n8k16, 32, 8, 16, f16, f32, f16, 8, 8)                                                                        \
    X(m32n8k16, 32, 8, 16, f16, f32, f32, 8, 8)                                                                        \
    X(m8n32k16, 8, 32, 16, f16, f16, f16, 8, 8)                                                                        \
    X(m8n32k16, 8, 32, 16, f16, f16, f32, 8, 8)                                                                        \
    X(m8n32k16, 8, 32, 16, f16, f32, f16, 8, 8)                                                                        \
    X(m8n32k16, 8, 32, 16, f16, f32, f32, 8, 8)
#define EACH_WMMA_WIDE(X)                                                                                              \
    X(m16n16k16, 16, 16, 16, bf16, f32, f32, 4, 4)                                                                     \
    X(m32n8k16, 32, 8, 16, bf16, f32, f32, 8, 2)                                                                       \
    X(m8n32k16, 8, 32, 16, bf16, f32, f32, 2, 8)                                                                       \
    X(m16n16k8, 16, 16, 8, tf32, f32, f32, 4, 4)
#define EACH_WMMA_INTEGER(X)                                                                                           \
    X(m16n16k16, 16, 16, 16, s8, s32, s32, 2, 2)                                                                       \
    X(m16n16k16, 16, 16, 16, u8, s32, s32, 2, 2)                                                                       \
    X(m32n8k16, 32, 8, 16, s8, s32, s32, 4, 1)                                                                         \
    X(m32n8k16, 32, 8, 16, u8, s32, s32, 4, 1)                                                                         \
    X(m8n32k16, 8, 32, 16, s8, s32, s32, 1, 4)                                                                         \
    X(m8n32k16, 8, 32, 16, u8, s32, s32, 1, 4)

#define WMMA_FLOAT_BODY(shape, m, n, k, ab, c, d, a_count, b_count)                                                    \
    MATRIX(wmma_##shape##_##d##_##ab##_##c, mma_float, m, n, k, T_##ab, T_##ab, T_##c, T_##d, a_count, b_count, 0)
#define WMMA_INTEGER_BODY(shape, m, n, k, ab, c, d, a_count, b_count)                                                  \
    MATRIX(wmma_##shape##_##ab, mma_integer, m, n, k, T_##ab, T_##ab, E_S32, E_S32, a_count, b_count, 0)               \
    MATRIX(wmma_##shape##_##ab##_satfinite, mma_integer, m, n, k, T_##ab, T_##ab, E_S32, E_S32, a_count, b_count,      \
           SATFINITE)
EACH_WMMA_FLOAT(WMMA_FLOAT_BODY)
EACH_WMMA_WIDE(WMMA_FLOAT_BODY)
EACH_WMMA_INTEGER(WMMA_INTEGER_BODY)

/* ---- rows ---- */
#define C(names, body, operands, allows, flops) {names, body, operands, allows, CLASS_COMPUTATION, flops}
#define MMA "mma.sync.aligned."
/* Registers of C or D, by the rows of m by 8, and by their type: of m16n8, of m8n8k4, of wmma */
#define SUM_8 "2"
#define SUM_16 "4"
#define SUM_f16 "W2"
#define SUM_f32 "W4"
#define QUAD_f16 "W4"
#define QUAD_f32 "W8"
#define WIDE_f16 "W4"
#define WIDE_f32 "W8"
#define WIDE_s32 "W8"
/* Registers that a type travels in */
#define FLOPS(m, n, k) (2 * (m) * (n) * (k) / LANES)

const struct row LEVELED(rows_matrix)[] = {
#define FLOAT_ROW(shape, m, n, k, a, b, c, d, a_count, b_count)                                                        \
    C(MMA #shape ".row.col." #d "." #a "." #b "." #c, mma_##shape##_##d##_##a##_##b##_##c,                     \
      SUM_##d "W" #a_count "W" #b_count SUM_##c, 0, FLOPS(m, n, k)),
    EACH_FLOAT(FLOAT_ROW)
#define INTEGERS(m, a_count, b_count) "W" SUM_##m "W" #a_count "W" #b_count "W" SUM_##m
#define INTEGER_ROW(shape, m, n, k, a, b, a_count, b_count)                                                            \
    C(MMA #shape ".row.col.s32." #a "." #b ".s32", mma_##shape##_##a##_##b, INTEGERS(m, a_count, b_count), 0, 0),      \
        C(MMA #shape ".row.col.satfinite.s32." #a "." #b ".s32 " MMA #shape ".row.col.s32." #a "." #b                  \
                     ".s32.satfinite",                                                                                 \
          mma_##shape##_##a##_##b##_satfinite, INTEGERS(m, a_count, b_count), 0, 0),
    EACH_INTEGER(INTEGER_ROW)
#define BITS_ROW(shape, m, k, a_count, b_count)                                                                        \
    C(MMA #shape ".row.col.s32.b1.b1.s32.xor.popc", mma_##shape##_xor, INTEGERS(m, a_count, b_count), 0, 0),           \
        C(MMA #shape ".row.col.s32.b1.b1.s32.and.popc", mma_##shape##_and, INTEGERS(m, a_count, b_count), 0, 0),
    EACH_BITS(BITS_ROW)
#define DOUBLE_ROW(shape, m, k, a_count, b_count)                                                                      \
    {MMA #shape ".row.col.f64.f64.f64.f64", mma_##shape##_f64, "Q" SUM_##m "Q" #a_count "Q" #b_count "Q" SUM_##m,      \
     ALLOW_ROUNDING, CLASS_DOUBLE, FLOPS(m, 8, k)},
    EACH_DOUBLE(DOUBLE_ROW)
#define QUAD_ROW(la, lb, c, d, flags)                                                                                  \
    C(MMA "m8n8k4." #la "." #lb "." #d ".f16.f16." #c, mma_quad_##la##_##lb##_##c##_##d, QUAD_##d "W2W2" QUAD_##c, 0,  \
      4 * FLOPS(8, 8, 4)),
    EACH_QUAD(QUAD_ROW)

#define SPARSE_NAMES(after)                                                                                            \
    "mma.sp.sync.aligned." after " mma.sp::ordered_metadata.sync.aligned." after
#define SPARSE_FLOAT_ROW(shape, k, a, b, c, d, a_count, b_count)                                                       \
    C(SPARSE_NAMES(#shape ".row.col." #d "." #a "." #b "." #c), mma_sp_##shape##_##d##_##a##_##b##_##c,                \
      SUM_##d "W" #a_count "W" #b_count SUM_##c "wi", 0, FLOPS(16, 8, k) / 2),
    EACH_SPARSE_FLOAT(SPARSE_FLOAT_ROW)
#define SPARSE_INTEGER_ROW(shape, k, a, b, count)                                                                      \
    C(SPARSE_NAMES(#shape ".row.col.s32." #a "." #b ".s32"), mma_sp_##shape##_##a##_##b,                               \
      "W4W" #count "W" #count "W4wi", 0, 0),                                                                           \
        C(SPARSE_NAMES(#shape ".row.col.satfinite.s32." #a "." #b ".s32"), mma_sp_##shape##_##a##_##b##_satfinite,     \
          "W4W" #count "W" #count "W4wi", 0, 0),
    EACH_SPARSE_INTEGER(SPARSE_INTEGER_ROW)

#define LAYOUT_NAMES(before, after)                                                                                    \
    before "row.row." after " " before "row.col." after " " before "col.row." after " " before "col.col." after
#define WMMA "wmma.mma.sync.aligned."
#define WMMA_FLOAT_ROW(shape, m, n, k, ab, c, d, a_count, b_count)                                                     \
    C(LAYOUT_NAMES(WMMA, #shape "." #d "." #c), wmma_##shape##_##d##_##ab##_##c,                                       \
      WIDE_##d "W" #a_count "W" #b_count WIDE_##c, 0, FLOPS(m, n, k)),
    EACH_WMMA_FLOAT(WMMA_FLOAT_ROW)
#define WMMA_WIDE_ROW(shape, m, n, k, ab, c, d, a_count, b_count)                                                      \
    C(LAYOUT_NAMES(WMMA, #shape ".f32." #ab "." #ab ".f32"), wmma_##shape##_##d##_##ab##_##c,                          \
      WIDE_##d "W" #a_count "W" #b_count WIDE_##c, 0, FLOPS(m, n, k)),
    EACH_WMMA_WIDE(WMMA_WIDE_ROW)
#define WMMA_INTEGER_ROW(shape, m, n, k, ab, c, d, a_count, b_count)                                                   \
    C(LAYOUT_NAMES(WMMA, #shape ".s32." #ab "." #ab ".s32"), wmma_##shape##_##ab,                                      \
      WIDE_##d "W" #a_count "W" #b_count WIDE_##c, 0, 0),                                                              \
        C(LAYOUT_NAMES(WMMA, #shape ".s32." #ab "." #ab ".s32.satfinite"), wmma_##shape##_##ab##_satfinite,            \
          WIDE_##d "W" #a_count "W" #b_count WIDE_##c, 0, 0),
    EACH_WMMA_INTEGER(WMMA_INTEGER_ROW)
    {LAYOUT_NAMES(WMMA, "m8n8k4.f64.f64.f64.f64"), mma_m8n8k4_f64, "Q2Q1Q1Q2", ALLOW_ROUNDING, CLASS_DOUBLE,
     FLOPS(8, 8, 4)},
    C(WMMA "row.col.m8n8k32.s32.s4.s4.s32", mma_m8n8k32_s4_s4, "W2W1W1W2", 0, 0),
    C(WMMA "row.col.m8n8k32.s32.u4.u4.s32", mma_m8n8k32_u4_u4, "W2W1W1W2", 0, 0),
    C(WMMA "row.col.m8n8k32.s32.s4.s4.s32.satfinite", mma_m8n8k32_s4_s4_satfinite, "W2W1W1W2", 0, 0),
    C(WMMA "row.col.m8n8k32.s32.u4.u4.s32.satfinite", mma_m8n8k32_u4_u4_satfinite, "W2W1W1W2", 0, 0),
    C("wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", mma_m8n8k128_xor, "W2W1W1W2", 0, 0),
    C("wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", mma_m8n8k128_and, "W2W1W1W2", 0, 0),
    ROWS_END,
};
