/*
 * outputs.c - makes right outputs, and wrong ones that look right, for the tests of check(). It is not linked into the
 * host. It judges by computing elements one by one, and does not look at an answer: so it shares nothing with what it
 * tests but the rule.
 */
#include "outputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "generate.h"
#include "precision.h"
#include "problems/outputs.h"
#include "product.h"
#include "rounding.h"

enum { TILE = 16, SLAB = 64 };

bool matmul_solve(const struct matmul_pair *pair, float *c)
{
    const size_t n = pair->n;
    double *sums = malloc(SLAB * n * sizeof *sums);
    bool ok = sums != NULL;

    for (size_t i = 0; ok && i < pair->m; i += SLAB) {
        size_t rows = pair->m - i < SLAB ? pair->m - i : SLAB;

        ok = matmul_product(matmul_isa_best(), pair->a + i * pair->k, pair->k, pair->b, n, rows, n, pair->k, sums,
                            NULL);
        for (size_t e = 0; ok && e < rows * n; e++)
            c[i * n + e] = (float)sums[e];
    }
    free(sums);
    return ok;
}

/* The truth about one element. */
struct truth {
    double sum, tolerance; /* the tolerance is not finite where the sum is not */
};

static struct truth truth_of(const struct matmul_pair *pair, size_t i, size_t j)
{
    size_t in_row = 0, in_column = 0;
    struct truth truth = { 0 };
    double squares = 0;

    for (size_t k = 0; k < pair->k; k++) {
        double a = (double)pair->a[i * pair->k + k], b = (double)pair->b[k * pair->n + j];

        truth.sum += a * b;
        squares += a * b * a * b;
        in_row += a != 0;
        in_column += b != 0;
    }
    truth.tolerance = matmul_tolerance(in_row < in_column ? in_row : in_column, truth.sum, squares);
    return truth;
}

/* ------------------------------------------------------------------ single elements */

/* Off by so many tolerances; any number where no number is due. */
static void push(const struct matmul_pair *pair, float *c, size_t i, size_t j, double tolerances)
{
    struct truth truth = truth_of(pair, i, j);
    double pushed = truth.sum + (truth.sum < 0 ? -tolerances : tolerances) * truth.tolerance;

    if (truth.tolerance == 0) /* a sum of zeros */
        pushed = 0x1p-149;
    c[i * pair->n + j] = isfinite(truth.sum) ? (float)pushed : 1;
}

/*
 * Off by 2^20 of the largest tolerance in its row's group of columns. In a large output that is what is sure to be
 * seen: an element whose tolerance is far below its neighbours' is guarded by the samples alone.
 */
static void push_far(const struct matmul_pair *pair, float *c, size_t i, size_t j)
{
    size_t first = j / MATMUL_GROUP * MATMUL_GROUP;
    struct truth own = truth_of(pair, i, j);
    double most = 0;

    for (size_t other = first; other < pair->n && other < first + MATMUL_GROUP; other++) {
        struct truth truth = truth_of(pair, i, other);

        if (isfinite(truth.sum) && truth.tolerance > most)
            most = truth.tolerance;
    }
    c[i * pair->n + j] = isfinite(own.sum) ? (float)(own.sum + (own.sum < 0 ? -0x1p20 : 0x1p20) * most) : 1;
}

static void replace(const struct matmul_pair *pair, float *c, size_t i, size_t j, float value)
{
    struct truth truth = truth_of(pair, i, j);

    c[i * pair->n + j] = isfinite(truth.sum) ? value : 0;
}

/* ------------------------------------------------------------------ regions */

/* A rectangle of zeros, its lower right corner at the matrix's. */
static void clear(const struct matmul_pair *pair, float *c, size_t height, size_t width)
{
    for (size_t i = pair->m - height; i < pair->m; i++)
        memset(c + i * pair->n + pair->n - width, 0, width * sizeof *c);
}

static void swap_rows(const struct matmul_pair *pair, float *c, size_t one, size_t other)
{
    for (size_t j = 0; j < pair->n; j++) {
        float kept = c[one * pair->n + j];

        c[one * pair->n + j] = c[other * pair->n + j];
        c[other * pair->n + j] = kept;
    }
}

/* The whole as if it were stored column by column. */
static bool transpose(const struct matmul_pair *pair, float *c)
{
    float *copy = malloc(pair->m * pair->n * sizeof *copy);

    if (!copy)
        return false;
    memcpy(copy, c, pair->m * pair->n * sizeof *copy);
    for (size_t i = 0; i < pair->m; i++)
        for (size_t j = 0; j < pair->n; j++)
            c[j * pair->m + i] = copy[i * pair->n + j];
    free(copy);
    return true;
}

/*
 * Whether `after` is wrong enough to be seen: at most 64 elements of the last row and 64 of the last column are probed.
 */
static bool is_wrong(const struct matmul_pair *pair, bool large, const float *after)
{
    size_t wrong = 0, step_j = pair->n / 64 + 1, step_i = pair->m / 64 + 1;

    for (int side = 0; side < 2; side++)
        for (size_t t = 0; t < (side == 0 ? pair->n : pair->m); t += side == 0 ? step_j : step_i) {
            size_t i = side == 0 ? pair->m - 1 : pair->m - 1 - t, j = side == 0 ? pair->n - 1 - t : pair->n - 1;
            struct truth truth = truth_of(pair, i, j);
            double element = (double)after[i * pair->n + j];

            if (isfinite(truth.sum) ? !(fabs(element - truth.sum) <= (large ? 512 : 4) * truth.tolerance)
                                    : isnan(truth.sum) ? !isnan(element) : element != truth.sum)
                wrong++;
        }
    return wrong >= (large ? 8 : 1);
}

enum region { SWAPPED, TRANSPOSED, ZERO_TILE, ZERO_ROW, ZERO_COLUMN, REGIONS };

static bool spoil_region(const struct matmul_pair *pair, float *c, enum region region)
{
    size_t height = pair->m < TILE ? pair->m : TILE, width = pair->n < TILE ? pair->n : TILE;

    switch (region) {
    case SWAPPED: swap_rows(pair, c, pair->m / 2, pair->m - 1); return true;
    case TRANSPOSED: return transpose(pair, c);
    case ZERO_TILE: clear(pair, c, height, width); return true;
    case ZERO_ROW: clear(pair, c, 1, pair->n); return true;
    default: clear(pair, c, pair->m, 1); return true;
    }
}

/* The which-th region that makes c wrong. */
static bool spoil_regions(const struct matmul_pair *pair, bool large, float *c, size_t which)
{
    const size_t size = pair->m * pair->n * sizeof *c;
    float *right = malloc(size);
    bool done = false;

    if (!right)
        return false;
    memcpy(right, c, size);
    for (int region = 0; region < REGIONS && !done; region++) {
        done = spoil_region(pair, c, (enum region)region) && is_wrong(pair, large, c) && which-- == 0;
        if (!done)
            memcpy(c, right, size);
    }
    free(right);
    return done;
}

bool matmul_spoil(const struct matmul_pair *pair, bool large, float *c, size_t way)
{
    const size_t i = (size_t)(pair->salt % pair->m), j = (size_t)(pair->salt / pair->m % pair->n);

    switch (way) {
    case 0: push(pair, c, pair->m - 1, pair->n - 1, 4); return true;
    case 1: push(pair, c, 0, pair->n - 1, -4); return true;
    case 2:
        if (large)
            push_far(pair, c, i, j);
        else
            push(pair, c, i, j, 4);
        return true;
    case 3: push_far(pair, c, i, pair->n - 1 - j); return true;
    case 4: replace(pair, c, i, j, NAN); return true;
    case 5: replace(pair, c, pair->m - 1 - i, j, INFINITY); return true;
    case 6: replace(pair, c, pair->m - 1 - i, pair->n - 1 - j, -INFINITY); return true;
    default: return spoil_regions(pair, large, c, way - 7);
    }
}

/* ------------------------------------------------------------------ of blobs */

static bool solve(const struct blob *input, const struct blob *answer, struct blob *output, struct error *error)
{
    struct matmul_pair pair = matmul_pair_of(input);

    (void)answer;
    return matmul_solve(&pair, (float *)output->data) || error_toolkit(error, "out of memory for an output");
}

static bool spoil(const struct blob *input, const struct blob *answer, struct blob *output, size_t way)
{
    struct matmul_pair pair = matmul_pair_of(input);

    (void)answer;
    return matmul_spoil(&pair, matmul_is_large(&pair), (float *)output->data, way);
}

/* The elements that differ, by both rules, computed here one by one. */
static bool also_right(const struct blob *input, const struct blob *answer, const struct blob *right,
                       const struct blob *output)
{
    const struct matmul_pair pair = matmul_pair_of(input);
    const float *c = (const float *)output->data, *known = (const float *)right->data;
    double *products = malloc(pair.k * sizeof *products);
    bool all = products != NULL;

    (void)answer;
    for (size_t e = 0; e < pair.m * pair.n && all; e++) {
        const size_t i = e / pair.n, j = e % pair.n;
        struct truth truth;

        if (memcmp(&c[e], &known[e], sizeof *c) == 0)
            continue;
        truth = truth_of(&pair, i, j);
        if (!isfinite(truth.sum))
            all = isnan(truth.sum) ? isnan(c[e]) : (double)c[e] == truth.sum;
        else
            all = fabs((double)c[e] - truth.sum) <= truth.tolerance ||
                  (isfinite(c[e]) &&
                   matmul_rounding_explains((double)c[e] - truth.sum, pair.a + i * pair.k, pair.b + j, pair.n, pair.k,
                                            products));
    }
    free(products);
    return all;
}

/* ------------------------------------------------------------------ other methods */

enum { ASCENDING, DESCENDING, SHUFFLED, PAIRS, BLOCKS, LANES, ORDERS };

/* One element's factors in the order of their addition, and whether a product and a sum are rounded once. */
struct element {
    const float *a, *b; /* [k] */
    bool fused;
};

static float add_product(const struct element *e, float sum, size_t l)
{
    return e->fused ? fmaf(e->a[l], e->b[l], sum) : sum + e->a[l] * e->b[l];
}

static float add_all(const struct element *e, size_t first, size_t last, size_t step)
{
    float sum = 0;

    for (size_t l = first; l < last; l += step)
        sum = add_product(e, sum, l);
    return sum;
}

static float add_pairs(const struct element *e, size_t first, size_t last)
{
    return last - first == 1 ? add_product(e, 0, first)
                             : add_pairs(e, first, (first + last) / 2) + add_pairs(e, (first + last) / 2, last);
}

/* Kahan's sum; where it is no number, an ordinary one. */
static float add_compensated(const struct element *e, size_t k)
{
    float sum = 0, lost = 0;

    for (size_t l = 0; l < k; l++) {
        const float term = e->a[l] * e->b[l] - lost, next = sum + term;

        lost = next - sum - term;
        sum = next;
    }
    return isfinite(sum) ? sum : add_all(e, 0, k, 1);
}

static float element_in_order(const struct element *e, size_t k, size_t order)
{
    const size_t part = order == BLOCKS ? 16 : 8;
    float sum = 0;

    if (order == PAIRS)
        return add_pairs(e, 0, k);
    if (order == BLOCKS)
        for (size_t first = 0; first < k; first += part)
            sum += add_all(e, first, first + part < k ? first + part : k, 1);
    else if (order == LANES)
        for (size_t lane = 0; lane < part; lane++)
            sum += add_all(e, lane, k, part);
    else
        sum = add_all(e, 0, k, 1);
    return sum;
}

/* places[k]: which factor comes when. */
static void make_places(size_t order, size_t k, size_t *places, struct random_stream *stream)
{
    for (size_t l = 0; l < k; l++)
        places[l] = order == DESCENDING ? k - 1 - l : l;
    for (size_t l = k - 1; l > 0 && order == SHUFFLED; l--) {
        const size_t other = random_below(stream, (uint32_t)l + 1), kept = places[l];

        places[l] = places[other];
        places[other] = kept;
    }
}

/* Six orders, fused or not, then Kahan's sum. */
static enum check_result honest(const struct blob *input, const struct blob *answer, struct blob *output, size_t way,
                                struct random_stream *stream)
{
    const struct matmul_pair pair = matmul_pair_of(input);
    float *c = (float *)output->data, *a, *b;
    size_t *places;

    if (way > 2 * ORDERS + 1)
        return CHECK_NONE;
    if (way == 2 * ORDERS + 1) /* float64, rounded */
        return matmul_solve(&pair, c) ? CHECK_RIGHT : CHECK_FAILED;
    (void)answer;
    a = malloc(2 * pair.k * sizeof *a);
    places = malloc(pair.k * sizeof *places);
    b = a ? a + pair.k : NULL;
    if (places)
        make_places(way / 2, pair.k, places, stream);
    for (size_t e = 0; a && places && e < pair.m * pair.n; e++) {
        const struct element element = { .a = a, .b = b, .fused = way % 2 };

        for (size_t l = 0; l < pair.k; l++) {
            a[l] = pair.a[e / pair.n * pair.k + places[l]];
            b[l] = pair.b[places[l] * pair.n + e % pair.n];
        }
        c[e] = way == 2 * ORDERS ? add_compensated(&element, pair.k) : element_in_order(&element, pair.k, way / 2);
    }
    way = a && places;
    free(a);
    free(places);
    return way ? CHECK_RIGHT : CHECK_FAILED;
}

static void any_line(struct random_stream *stream, char *text, size_t size)
{
    const uint32_t kind = random_below(stream, MATMUL_KIND_COUNT), scale = random_below(stream, 15);
    const uint32_t m = 1 + random_below(stream, 24), n = 1 + random_below(stream, 24);

    snprintf(text, size, "%s %u %u %u seed=%u", matmul_kind_name((enum matmul_kind)kind), m, n,
             1 + random_below(stream, 1u << scale), random_u32(stream));
}

const struct outputs outputs_matmul = { .solve = solve, .spoil = spoil, .also_right = also_right,
                                        .any_line = any_line, .honest = honest };
