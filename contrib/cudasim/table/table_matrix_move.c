/*
 * table_matrix_move.c - moves matrices between memory and fragments: ldmatrix, stmatrix, movmatrix, wmma.load and
 * wmma.store. A warp executes each as one. table_matrix.h describes the layout of fragments in registers.
 */
#include "table_matrix.h"

/* ---- ldmatrix, stmatrix, movmatrix ---- */

/* The generic address of each lane's `m` operand. */
static void lane_addresses(const struct warp *w, const struct ins *i, u64 *address)
{
    const void *A = slot_at(w, i->a);
    u64 window = i->space == PTX_SHARED ? WINDOW(WINDOW_SHARED) : 0;

    for (int l = 0; l < LANES; l++) {
        u64 base = !(i->flags & INS_ADDRESS_BASE) ? 0
                   : i->flags & INS_ADDRESS_64    ? ((const u64 *)A)[l]
                                                  : ((const u32 *)A)[l];

        address[l] = (base + (u64)i->imm) | window;
    }
}

/* access_slow() for the lanes of `mask` alone. */
static bool access_lanes(struct warp *w, const struct ins *i, u32 mask, unsigned bytes, enum access access)
{
    u32 all = w->mask;
    bool good;

    w->mask = mask;
    good = !mask || access_slow(w, i, bytes, access);
    w->mask = all;
    return good;
}

/* Row r of the q-th of `count` matrices is 16 bytes where lane 8q + r says; lanes that are gone leave zeros. */
static bool matrix_rows(struct warp *w, const struct ins *i, int count, enum access access)
{
    u32 lanes = count == 4 ? FULL_MASK : (1u << 8 * count) - 1;

    lane_addresses(w, i, w->address);
    return access_lanes(w, i, w->mask & lanes, 16, access);
}

INLINE const struct ins *ldmatrix(struct warp *w, const struct ins *i, int count, bool transposed)
{
    const struct ins *next;
    const slot *s = i->extra;
    u16 m[4][8][8] ALIGNED;

    if (!together(w, i, &next))
        return next;
    memset(m, 0, sizeof m);
    if (!matrix_rows(w, i, count, ACCESS_READ))
        return NULL;
    for (int l = 0; l < 8 * count; l++)
        if (w->lanes[l])
            memcpy(m[l / 8][l % 8], (const void *)(uintptr_t)w->address[l], 16);
    for (int q = 0; q < count; q++) {
        u32 *D = slot_at(w, s[q]);

        for (int l = 0; l < LANES; l++) {
            int g = l / 4, t = 2 * (l % 4);

            if (w->lanes[l])
                D[l] = transposed ? m[q][t][g] | (u32)m[q][t + 1][g] << 16 : m[q][g][t] | (u32)m[q][g][t + 1] << 16;
        }
    }
    return i + 1;
}

INLINE const struct ins *stmatrix(struct warp *w, const struct ins *i, int count, bool transposed)
{
    const struct ins *next;
    const slot *s = i->extra;
    u16 m[4][8][8] ALIGNED;

    if (!together(w, i, &next))
        return next;
    for (int q = 0; q < count; q++) {
        const u32 *A = slot_at(w, s[q]);

        for (int l = 0; l < LANES; l++) {
            int g = l / 4, t = 2 * (l % 4);

            if (transposed) {
                m[q][t][g] = (u16)A[l];
                m[q][t + 1][g] = (u16)(A[l] >> 16);
            } else {
                m[q][g][t] = (u16)A[l];
                m[q][g][t + 1] = (u16)(A[l] >> 16);
            }
        }
    }
    if (!matrix_rows(w, i, count, ACCESS_WRITE))
        return NULL;
    for (int l = 0; l < 8 * count; l++)
        if (w->lanes[l])
            memcpy((void *)(uintptr_t)w->address[l], m[l / 8][l % 8], 16);
    return i + 1;
}

#define MATRIX_MOVES(count)                                                                                            \
    STEP(ldmatrix_x##count) { return ldmatrix(w, i, count, false); }                                                   \
    STEP(ldmatrix_x##count##_trans) { return ldmatrix(w, i, count, true); }                                            \
    STEP(stmatrix_x##count) { return stmatrix(w, i, count, false); }                                                   \
    STEP(stmatrix_x##count##_trans) { return stmatrix(w, i, count, true); }
MATRIX_MOVES(1)
MATRIX_MOVES(2)
MATRIX_MOVES(4)

STEP(movmatrix)
{
    const struct ins *next;
    const u32 *A = slot_at(w, i->a);
    u32 *D = slot_at(w, i->d);
    u16 m[8][8];

    if (!together(w, i, &next))
        return next;
    for (int l = 0; l < LANES; l++) {
        m[l / 4][2 * (l % 4)] = (u16)A[l];
        m[l / 4][2 * (l % 4) + 1] = (u16)(A[l] >> 16);
    }
    for (int l = 0; l < LANES; l++)
        if (w->lanes[l])
            D[l] = m[2 * (l % 4)][l / 4] | (u32)m[2 * (l % 4) + 1][l / 4] << 16;
    return i + 1;
}

/* ---- wmma.load and wmma.store ---- */
enum role { ROLE_A, ROLE_B, ROLE_C };

/* A fragment: which part of the product, its shape, and how its matrix lies in memory. */
struct fragment {
    u8 m, n;
    u16 k;
    u8 role;      /* enum role */
    u8 element;   /* enum element */
    u8 count;     /* registers of the operand */
    bool columns; /* stored by columns */
};

/* Those that hold something of their own; f16's operands have more, which repeat them. */
INLINE int fragment_registers(const struct fragment *x)
{
    int elements = x->role == ROLE_A ? x->m * x->k : x->role == ROLE_B ? x->k * x->n : x->m * x->n;

    return x->element == E_F64 ? elements / LANES : elements * (int)element_bits(x->element) / 1024;
}

/* The matrix position of element e of register r in lane l: see table_matrix.h. */
static void fragment_place(const struct fragment *x, int l, int r, int e, int *row, int *column)
{
    if (x->n == 32) { /* of m8n32: that of m32n8, transposed */
        struct fragment turned = *x;

        turned.m = x->n;
        turned.n = x->m;
        turned.role = x->role == ROLE_A ? ROLE_B : x->role == ROLE_B ? ROLE_A : ROLE_C;
        fragment_place(&turned, l, r, e, column, row);
        return;
    }
    int per_lane = x->element == E_F64 ? 1 : 32 / (int)element_bits(x->element), g = l / 4, t = l % 4;

    if (x->role == ROLE_C) {
        int n = r * per_lane + e, tile = n / 2 / (x->m / 8), in = n / 2 % (x->m / 8);

        *row = 8 * in + g;
        *column = 8 * tile + 2 * t + n % 2;
    } else {
        int extent = x->role == ROLE_A ? x->m : x->n, distinct = fragment_registers(x);
        int halves = x->role == ROLE_A && extent > 8 ? 2 : 1;
        int per_tile = x->role == ROLE_A ? (extent == 32 ? distinct / 2 : distinct) : distinct / (extent / 8);
        int in = r % per_tile, outer = (x->role == ROLE_A ? 16 : 8) * (r / per_tile) + 8 * (in % halves) + g;
        int inner = per_lane * t + e + 4 * per_lane * (in / halves);

        *row = x->role == ROLE_A ? outer : inner;
        *column = x->role == ROLE_A ? inner : outer;
    }
}

/* How many elements of a register are neighbours in memory. */
INLINE int fragment_run(const struct fragment *x)
{
    int per_lane = x->element == E_F64 ? 1 : 32 / (int)element_bits(x->element);
    bool along = x->role == ROLE_B || (x->role == ROLE_C && x->n == 32) ? x->columns : !x->columns;

    return along ? per_lane : 1;
}

static const struct ins *wmma_move(struct warp *w, const struct ins *i, const struct fragment *x, enum access access)
{
    const struct ins *next;
    const slot *s = i->extra;
    const u32 *stride = slot_at(w, i->b); /* from one row, or column, to the next, in elements */
    int bits = (int)element_bits(x->element), per_lane = bits == 64 ? 1 : 32 / bits, run = fragment_run(x);
    int bytes = bits * run >= 8 ? bits * run / 8 : 1;
    int distinct = fragment_registers(x);
    u64 base[LANES];

    if (!together(w, i, &next))
        return next;
    lane_addresses(w, i, base);
    for (int r = 0; r < distinct; r++)
        for (int e = 0; e < per_lane; e += run) {
            void *D = slot_at(w, s[r]);

            for (int l = 0; l < LANES; l++) {
                int row, column;

                fragment_place(x, l, r, e, &row, &column);
                w->address[l] = base[l] + ((x->columns ? (u64)column * stride[l] + (u64)row
                                                       : (u64)row * stride[l] + (u64)column) * (u64)bits) / 8;
            }
            if (!access_slow(w, i, (unsigned)bytes, access))
                return NULL;
            for (int l = 0; l < LANES; l++) {
                char *in = (char *)D + (bits == 64 ? 8 : 4) * l + e * bits / 8;

                if (w->lanes[l] && access == ACCESS_READ)
                    memcpy(in, (const void *)(uintptr_t)w->address[l], (size_t)bytes);
                else if (w->lanes[l])
                    memcpy((void *)(uintptr_t)w->address[l], in, (size_t)bytes);
            }
        }
    for (int r = distinct; r < x->count; r++) {
        const u32 *A = slot_at(w, s[r % distinct]);
        u32 *D = slot_at(w, s[r]);

        EACH_LANE { D[l] = w->lanes[l] ? A[l] : D[l]; }
    }
    return i + 1;
}

/* ---- the forms of wmma.load and wmma.store: each body knows its description ---- */
#define MOVE(id, access, ...)                                                                                          \
    STEP(id)                                                                                                           \
    {                                                                                                                  \
        static const struct fragment x = {__VA_ARGS__};                                                                \
        return wmma_move(w, i, &x, access);                                                                            \
    }
#define LOAD(part, role, shape, m, n, k, type, count)                                                                  \
    MOVE(load_##part##_##shape##_##type##_row, ACCESS_READ, m, n, k, role, T_##type, count, false)                     \
    MOVE(load_##part##_##shape##_##type##_col, ACCESS_READ, m, n, k, role, T_##type, count, true)
#define STORE(shape, m, n, k, type, count)                                                                             \
    MOVE(store_d_##shape##_##type##_row, ACCESS_WRITE, m, n, k, ROLE_C, T_##type, count, false)                        \
    MOVE(store_d_##shape##_##type##_col, ACCESS_WRITE, m, n, k, ROLE_C, T_##type, count, true)

/* X(shape, m, n, k, type, registers of A, of B) and, for sums, X(shape, m, n, k, type, registers) */
#define EACH_INPUT(X)                                                                                                  \
    X(m16n16k16, 16, 16, 16, f16, 8, 8)                                                                                \
    X(m32n8k16, 32, 8, 16, f16, 8, 8)                                                                                  \
    X(m8n32k16, 8, 32, 16, f16, 8, 8)                                                                                  \
    X(m16n16k16, 16, 16, 16, bf16, 4, 4)                                                                               \
    X(m32n8k16, 32, 8, 16, bf16, 8, 2)                                                                                 \
    X(m8n32k16, 8, 32, 16, bf16, 2, 8)                                                                                 \
    X(m16n16k8, 16, 16, 8, tf32, 4, 4)                                                                                 \
    X(m16n16k16, 16, 16, 16, s8, 2, 2)                                                                                 \
    X(m16n16k16, 16, 16, 16, u8, 2, 2)                                                                                 \
    X(m32n8k16, 32, 8, 16, s8, 4, 1)                                                                                   \
    X(m32n8k16, 32, 8, 16, u8, 4, 1)                                                                                   \
    X(m8n32k16, 8, 32, 16, s8, 1, 4)                                                                                   \
    X(m8n32k16, 8, 32, 16, u8, 1, 4)                                                                                   \
    X(m8n8k4, 8, 8, 4, f64, 1, 1)                                                                                      \
    X(m8n8k32, 8, 8, 32, s4, 1, 1)                                                                                     \
    X(m8n8k32, 8, 8, 32, u4, 1, 1)                                                                                     \
    X(m8n8k128, 8, 8, 128, b1, 1, 1)
#define EACH_SUM(X)                                                                                                    \
    X(m16n16k16, 16, 16, 16, f16, 4)                                                                                   \
    X(m32n8k16, 32, 8, 16, f16, 4)                                                                                     \
    X(m8n32k16, 8, 32, 16, f16, 4)                                                                                     \
    X(m16n16k16, 16, 16, 16, f32, 8)                                                                                   \
    X(m32n8k16, 32, 8, 16, f32, 8)                                                                                     \
    X(m8n32k16, 8, 32, 16, f32, 8)                                                                                     \
    X(m16n16k8, 16, 16, 8, f32, 8)                                                                                     \
    X(m16n16k16, 16, 16, 16, s32, 8)                                                                                   \
    X(m32n8k16, 32, 8, 16, s32, 8)                                                                                     \
    X(m8n32k16, 8, 32, 16, s32, 8)                                                                                     \
    X(m8n8k4, 8, 8, 4, f64, 2)                                                                                         \
    X(m8n8k32, 8, 8, 32, s32, 2)                                                                                       \
    X(m8n8k128, 8, 8, 128, s32, 2)
#define INPUT_BODIES(shape, m, n, k, type, a_count, b_count)                                                           \
    LOAD(a, ROLE_A, shape, m, n, k, type, a_count)                                                                     \
    LOAD(b, ROLE_B, shape, m, n, k, type, b_count)
#define SUM_BODIES(shape, m, n, k, type, count)                                                                        \
    LOAD(c, ROLE_C, shape, m, n, k, type, count)                                                                       \
    STORE(shape, m, n, k, type, count)
EACH_INPUT(INPUT_BODIES)
EACH_SUM(SUM_BODIES)

/* ---- rows ---- */
#define C(names, body, operands, allows, flops) {names, body, operands, allows, CLASS_COMPUTATION, flops}
/* Registers that a type travels in */
#define IN_f16 "W"
#define IN_bf16 "W"
#define IN_tf32 "W"
#define IN_f32 "W"
#define IN_s32 "W"
#define IN_s8 "W"
#define IN_u8 "W"
#define IN_s4 "W"
#define IN_u4 "W"
#define IN_b1 "W"
#define IN_f64 "Q"

const struct row LEVELED(rows_matrix_move)[] = {
    /* The layout may stand before or behind the shape. */
#define MOVE_NAMES(before, layout, shape, space, type)                                                                 \
    before "." layout "." shape space "." type " " before "." shape "." layout space "." type
#define GLOBAL_NAMES(before, layout, shape, type)                                                                      \
    MOVE_NAMES(before, layout, shape, ".global", type) " " MOVE_NAMES(before, layout, shape, "", type)
#define SHARED_NAMES(before, layout, shape, type)                                                                      \
    MOVE_NAMES(before, layout, shape, ".shared", type) " " MOVE_NAMES(before, layout, shape, ".shared::cta", type)
#define MOVE_ROWS(verb, layout, part, shape, type, operands, access)                                                   \
    {GLOBAL_NAMES("wmma." #verb "." #part ".sync.aligned", #layout, #shape, #type),                                    \
     verb##_##part##_##shape##_##type##_##layout, operands, 0, CLASS_GLOBAL_##access, 0},                              \
        {SHARED_NAMES("wmma." #verb "." #part ".sync.aligned", #layout, #shape, #type),                                \
         verb##_##part##_##shape##_##type##_##layout, operands, 0, CLASS_SHARED_##access, 0},
#define INPUT_ROWS(shape, m, n, k, type, a_count, b_count)                                                             \
    MOVE_ROWS(load, row, a, shape, type, IN_##type #a_count "mw", LOAD)                                                \
    MOVE_ROWS(load, col, a, shape, type, IN_##type #a_count "mw", LOAD)                                                \
    MOVE_ROWS(load, row, b, shape, type, IN_##type #b_count "mw", LOAD)                                                \
    MOVE_ROWS(load, col, b, shape, type, IN_##type #b_count "mw", LOAD)
#define SUM_ROWS(shape, m, n, k, type, count)                                                                          \
    MOVE_ROWS(load, row, c, shape, type, IN_##type #count "mw", LOAD)                                                  \
    MOVE_ROWS(load, col, c, shape, type, IN_##type #count "mw", LOAD)                                                  \
    MOVE_ROWS(store, row, d, shape, type, "m" IN_##type #count "w", STORE)                                             \
    MOVE_ROWS(store, col, d, shape, type, "m" IN_##type #count "w", STORE)
    EACH_INPUT(INPUT_ROWS)
    EACH_SUM(SUM_ROWS)

#define SPACE_NAMES(before, after)                                                                                     \
    before ".shared" after " " before ".shared::cta" after " " before after
#define MATRIX_MOVE_ROWS(verb, count, operands, access)                                                                \
    {SPACE_NAMES(#verb ".sync.aligned.m8n8." #count, ".b16") " " SPACE_NAMES(#verb ".sync.aligned." #count ".m8n8",    \
                                                                             ".b16"),                                  \
     verb##_##count, operands, 0, CLASS_SHARED_##access, 0},                                                           \
        {SPACE_NAMES(#verb ".sync.aligned.m8n8." #count ".trans", ".b16") " " SPACE_NAMES(                             \
             #verb ".sync.aligned." #count ".trans.m8n8", ".b16") " " #verb ".sync.aligned.m8n8." #count               \
                   ".shared.trans.b16",                                                                                \
         verb##_##count##_trans, operands, 0, CLASS_SHARED_##access, 0}
    MATRIX_MOVE_ROWS(ldmatrix, x1, "W1m", LOAD),
    MATRIX_MOVE_ROWS(ldmatrix, x2, "W2m", LOAD),
    MATRIX_MOVE_ROWS(ldmatrix, x4, "W4m", LOAD),
    MATRIX_MOVE_ROWS(stmatrix, x1, "mW1", STORE),
    MATRIX_MOVE_ROWS(stmatrix, x2, "mW2", STORE),
    MATRIX_MOVE_ROWS(stmatrix, x4, "mW4", STORE),
    C("movmatrix.sync.aligned.m8n8.trans.b16", movmatrix, "ww", 0, 0),
    ROWS_END,
};
