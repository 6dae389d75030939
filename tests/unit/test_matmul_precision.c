/*
 * test_matmul_precision.c - the measurement behind the constant of matmul's precision rule: test_matmul_precision
 * [full]
 *
 * Sums in float32, in many orders, over all kinds of matrices and many K, against the float64 product. The figures
 * are ratios of the error to what rule (1) of precision.h allows. `full` takes more rows, a minute of them, and
 * prints every ratio.
 */
#include "problems/matmul/precision.h"

#include <stdlib.h>
#include <string.h>

#include "problems/matmul/generate.h"
#include "problems/matmul/product.h"
#include "problems/matmul/rounding.h"
#include "unit.h"

#if defined(__x86_64__)
#define FMA __attribute__((target("avx2,fma")))
static bool have_fma(void) { return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"); }
#else
#define FMA
static bool have_fma(void) { return true; }
#endif

enum { N = 64, LONGEST = 65536, ROWS = 64, BLOCK = 16 };

enum order { ASCENDING, DESCENDING, SHUFFLED, PAIRS, BLOCKS, INTERLEAVED, ORDERS };

static const char *const order_names[ORDERS] = {
    "ascending", "descending", "random", "pairs", "blocks", "interleaved",
};

static struct matmul_pair pair; /* a[ROWS][k], b[k][N] */
static double sums[ROWS * N], squares[ROWS * N];
static size_t terms[ROWS * N]; /* n of precision.h */
static uint32_t shuffled[LONGEST];
static bool full;

/* ------------------------------------------------------------------ one row of C in float32 */

typedef void add_row(float *sum, float a, const float *b);

static void add_products(float *sum, float a, const float *b)
{
    for (int j = 0; j < N; j++)
        sum[j] += a * b[j];
}

FMA static void add_fused(float *sum, float a, const float *b)
{
    for (int j = 0; j < N; j++)
        sum[j] = __builtin_fmaf(a, b[j], sum[j]);
}

static void add_sums(float *sum, const float *other)
{
    for (int j = 0; j < N; j++)
        sum[j] += other[j];
}

/* sum += products first..last-1, halved until one is left. */
static void add_pairs(add_row *add, const float *a, size_t first, size_t last, float *sum)
{
    float left[N] = { 0 }, right[N] = { 0 };

    if (last - first == 1) {
        add(sum, a[first], pair.b + first * N);
        return;
    }
    add_pairs(add, a, first, (first + last) / 2, left);
    add_pairs(add, a, (first + last) / 2, last, right);
    add_sums(left, right);
    add_sums(sum, left);
}

static void row_in_order(enum order order, add_row *add, const float *a, float *sum)
{
    const size_t k = pair.k;
    float part[BLOCK][N] = { { 0 } };

    memset(sum, 0, N * sizeof *sum);
    switch (order) {
    case PAIRS: add_pairs(add, a, 0, k, sum); return;
    case BLOCKS: /* sums of 16 products */
        for (size_t first = 0; first < k; first += BLOCK) {
            memset(part[0], 0, sizeof part[0]);
            for (size_t l = first; l < k && l < first + BLOCK; l++)
                add(part[0], a[l], pair.b + l * N);
            add_sums(sum, part[0]);
        }
        return;
    case INTERLEAVED: /* 16 sums of every 16th product, as a vector has them */
        for (size_t l = 0; l < k; l++)
            add(part[l % BLOCK], a[l], pair.b + l * N);
        for (int p = 0; p < BLOCK; p++)
            add_sums(sum, part[p]);
        return;
    default:
        for (size_t l = 0; l < k; l++) {
            size_t at = order == ASCENDING ? l : order == DESCENDING ? k - 1 - l : shuffled[l];

            add(sum, a[at], pair.b + at * N);
        }
    }
}

/* The largest ratio of a row; 1e30 if a number is missing. */
static double worst_of(size_t i, const float *row)
{
    double worst = 0;

    for (size_t j = 0; j < N; j++) {
        const size_t e = i * N + j;
        double error = fabs((double)row[j] - sums[e]), own = (double)terms[e] * 0x1p-149;
        double ratio = error <= own ? 0 : (error - own) / (matmul_tolerance(terms[e], sums[e], squares[e]) - own);

        if (!isfinite(sums[i * N + j]))
            continue;
        if (!(ratio <= worst))
            worst = ratio <= 1e30 ? ratio : 1e30;
    }
    return worst;
}

/* ------------------------------------------------------------------ float32 */

static const size_t lengths[] = { 1, 2, 3, 4, 7, 16, 61, 256, 1024, 4096, 16384, 65536 };
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

/* How many products of each element are not 0, as the rule counts them. */
static void count_terms(void)
{
    static size_t in_column[N];

    for (size_t j = 0; j < N; j++) {
        in_column[j] = 0;
        for (size_t l = 0; l < pair.k; l++)
            in_column[j] += pair.b[l * N + j] != 0;
    }
    for (size_t i = 0; i < pair.m; i++) {
        size_t in_row = 0;

        for (size_t l = 0; l < pair.k; l++)
            in_row += pair.a[i * pair.k + l] != 0;
        for (size_t j = 0; j < N; j++)
            terms[i * N + j] = in_row < in_column[j] ? in_row : in_column[j];
    }
}

static void shuffle(struct random_stream *stream, size_t k)
{
    for (size_t l = 0; l < k; l++)
        shuffled[l] = (uint32_t)l;
    for (size_t l = k - 1; l > 0; l--) {
        uint32_t other = random_below(stream, (uint32_t)l + 1), kept = shuffled[l];

        shuffled[l] = shuffled[other];
        shuffled[other] = kept;
    }
}

static void make(enum matmul_kind kind, size_t k, uint32_t seed)
{
    const struct random_key key = { .seed = 24, .case_seed = seed };
    struct random_stream stream = random_stream(&key, 50);

    pair.m = full ? (k > 4096 ? 16 : ROWS) : k > 4096 ? 1 : k > 256 ? 8 : ROWS;
    pair.n = N;
    pair.k = k;
    matmul_fill(kind, &pair, &key);
    CHECK(matmul_product(matmul_isa_best(), pair.a, k, pair.b, N, pair.m, N, k, sums, squares), "out of memory");
    count_terms();
    shuffle(&stream, k);
}

static double worst_order(enum order order, add_row *add)
{
    float row[N];
    double worst = 0;

    for (size_t i = 0; i < pair.m; i++) {
        double own;

        row_in_order(order, add, pair.a + i * pair.k, row);
        own = worst_of(i, row);
        if (own > worst)
            worst = own;
    }
    return worst;
}

static void test_orders(void)
{
    printf("largest error in float32, as a share of what rule (1) allows:\n");
    for (int kind = 0; kind < MATMUL_KIND_COUNT; kind++) {
        double worst = 0, worst_by_order[ORDERS] = { 0 };

        for (int l = 0; l < LENGTHS; l++) {
            if (lengths[l] > MATMUL_SIDE_MAX && kind == MATMUL_PERMUTATION)
                continue; /* its generator goes no further */
            make((enum matmul_kind)kind, lengths[l], (uint32_t)l);
            for (int order = 0; order < ORDERS; order++)
                for (int fused = 0; fused <= have_fma(); fused++) {
                    double own = worst_order((enum order)order, fused ? add_fused : add_products);

                    CHECK(own <= 0.5, "%s, K = %zu, %s, %s: %.3f", matmul_kind_name((enum matmul_kind)kind),
                          lengths[l], order_names[order], fused ? "fused" : "not fused", own);
                    if (own > worst_by_order[order])
                        worst_by_order[order] = own;
                    if (own > worst)
                        worst = own;
                    if (full)
                        printf("  %-12s %6zu %-12s %s %.3f\n", matmul_kind_name((enum matmul_kind)kind), lengths[l],
                               order_names[order], fused ? "fma" : "   ", own);
                }
        }
        printf("%-12s %.2f:", matmul_kind_name((enum matmul_kind)kind), worst);
        for (int order = 0; order < ORDERS; order++)
            printf(" %s %.2f", order_names[order], worst_by_order[order]);
        printf("\n");
    }
}

/* How many elements of a row rule (2) does not explain either. */
static size_t unexplained(size_t i, const float *row)
{
    static double products[LONGEST];
    size_t count = 0;

    for (size_t j = 0; j < N; j++)
        count += !matmul_rounding_explains((double)row[j] - sums[i * N + j], pair.a + i * pair.k, pair.b + j, N, pair.k,
                                           products);
    return count;
}

/*
 * Fills one row of A and all of B with products that round alike, or lie in an order that makes partial sums large.
 * False when there is no such case.
 */
static bool make_alike(int way, size_t k)
{
    const struct random_key key = { .seed = 25, .case_seed = (uint32_t)way };
    struct random_stream stream = random_stream(&key, 51);

    pair.m = 1;
    pair.k = k;
    shuffle(&stream, k);
    for (size_t l = 0; l < k; l++) {
        pair.a[l] = way == 1 ? 0.1f : 1;
        for (size_t j = 0; j < N; j++) {
            float *b = &pair.b[l * N + j];
            const float any = (float)random_u32(&stream) * 0x1p-32f;

            switch (way) {
            case 0: *b = 1 + (float)j * 0x1.0p-6f + 0x1p-23f * (float)(j * 7919 % 977); break; /* equal */
            case 1: *b = 0.3f + 0.01f * (float)j; break;                                        /* equal, rounded */
            case 2: *b = (float)(1 + l % 2 * 4) * (0.1f + 0.01f * (float)j); break;             /* two values */
            case 3: *b = 0.1f + 0.01f * (float)j + any * 1e-6f; break;                          /* nearly equal */
            case 4: *b = l < k / 2 ? any : -any; break;                                         /* sorted by sign */
            case 5: *b = (float)l / (float)k + 0.01f * (float)j - 0.5f; break;                  /* ascending */
            case 6: *b = (l / 8 % 2 ? 1 : -1) * (0.1f + 0.01f * (float)j); break;               /* signs in stripes */
            case 7: *b = 0.5f + (float)(l % 2); break;                                          /* ties */
            default: return false;
            }
        }
    }
    CHECK(matmul_product(matmul_isa_best(), pair.a, k, pair.b, N, 1, N, k, sums, squares), "out of memory");
    count_terms();
    return true;
}

/* What rule (1) may reject and (2) accepts: in every order. */
static void test_alike(void)
{
    double worst = 0;

    for (size_t k = 64; k <= 16384; k *= 4)
        for (int way = 0; make_alike(way, k); way++)
            for (int order = 0; order < ORDERS; order++)
                for (int fused = 0; fused <= have_fma(); fused++) {
                    float row[N];
                    size_t wrong;

                    row_in_order((enum order)order, fused ? add_fused : add_products, pair.a, row);
                    worst = fmax(worst, worst_of(0, row));
                    wrong = unexplained(0, row);
                    CHECK(wrong == 0, "alike %d, K = %zu, %s, %s: %zu unexplained", way, k, order_names[order],
                          fused ? "fused" : "not fused", wrong);
                }
    printf("products alike or sorted: up to %.1f times what rule (1) allows, all of it explained by (2)\n", worst);
    CHECK(worst > 2, "%.3f: products alike obey rule (1) after all", worst);
}

/* ------------------------------------------------------------------ less than float32 */

/* To `bits` significant bits, the nearest, ties away from zero. */
static float rounded(float x, int bits)
{
    uint32_t pattern, unit = 1u << (24 - bits);

    memcpy(&pattern, &x, sizeof pattern);
    if ((pattern & 0x7f800000) != 0x7f800000)
        pattern = (pattern + unit / 2) & ~(unit - 1);
    memcpy(&x, &pattern, sizeof x);
    return x;
}

/* The share of elements that break the rule when the factors have so many bits and all else is exact. */
static double broken_share(int bits)
{
    static double low[ROWS * N];
    size_t broken = 0;

    for (size_t e = 0; e < pair.m * pair.k; e++)
        pair.a[e] = rounded(pair.a[e], bits);
    for (size_t e = 0; e < pair.k * N; e++)
        pair.b[e] = rounded(pair.b[e], bits);
    CHECK(matmul_product(matmul_isa_best(), pair.a, pair.k, pair.b, N, pair.m, N, pair.k, low, NULL), "out of memory");
    for (size_t e = 0; e < pair.m * N; e++)
        broken += !matmul_element_is_right((float)low[e], terms[e], sums[e], squares[e]);
    return (double)broken / (double)(pair.m * N);
}

static void test_low_precision(void)
{
    static const struct {
        const char *name;
        int bits;
    } formats[] = { { "TF32", 11 }, { "bfloat16", 8 }, { "2 bfloat16", 17 } };
    static const struct {
        enum matmul_kind kind;
        int format;
        size_t longest; /* up to here a hundredth of all elements, at the least, must break the rule */
    } claims[] = {
        { MATMUL_UNIFORM, 0, 16384 },     { MATMUL_POSITIVE, 0, 4096 }, { MATMUL_CANCEL, 0, 16384 },
        { MATMUL_WIDE, 0, 16384 },        { MATMUL_MIXED, 0, 16384 },   { MATMUL_PERMUTATION, 0, 16384 },
        { MATMUL_UNIFORM, 1, 16384 },     { MATMUL_CANCEL, 1, 16384 },  { MATMUL_POSITIVE, 1, 16384 },
        { MATMUL_WIDE, 1, 16384 },        { MATMUL_MIXED, 1, 16384 },   { MATMUL_PERMUTATION, 1, 16384 },
        { MATMUL_UNIFORM, 2, 256 },       { MATMUL_WIDE, 2, 256 },      { MATMUL_MIXED, 2, 256 },
        { MATMUL_PERMUTATION, 2, 16384 },
    };

    printf("share of elements that break the rule, for K =");
    for (int l = 0; l < LENGTHS - 1; l++)
        printf(" %zu", lengths[l]);
    printf(":\n");
    for (size_t c = 0; c < sizeof claims / sizeof claims[0]; c++) {
        printf("%-8s %-12s", formats[claims[c].format].name, matmul_kind_name(claims[c].kind));
        for (int l = 0; l < LENGTHS - 1; l++) {
            double share;

            make(claims[c].kind, lengths[l], (uint32_t)l);
            share = broken_share(formats[claims[c].format].bits);
            printf(" %.3f", share);
            CHECK(lengths[l] > claims[c].longest || share >= 0.01, "%s, %s, K = %zu: %.4f",
                  formats[claims[c].format].name, matmul_kind_name(claims[c].kind), lengths[l], share);
        }
        printf("\n");
    }
}

/* ------------------------------------------------------------------ the rule itself */

/* One element of one product, or of its expected value. */
static bool right(float element, double sum, double square)
{
    return matmul_element_is_right(element, 1, sum, square);
}

static void test_rule(void)
{
    const float inf = INFINITY, nan = NAN, largest = 0x1.fffffep127f;
    const double wide_inf = INFINITY, wide_nan = NAN;

    CHECK(right(1, 1, 1), "an exact element");
    CHECK(right(1 + 0x1.2p-20f, 1, 1) && !right(1 + 0x1.2p-20f + 0x1p-23f, 1, 1), "18 u");
    CHECK(!right(nan, 1, 1) && !right(nan, 1, 1e30), "NaN where 1 is due");
    CHECK(!right(inf, 1, 1e30) && !right(-inf, 1, 1), "infinity where 1 is due");
    CHECK(right(nan, wide_nan, wide_nan), "NaN where NaN is due");
    CHECK(!right(inf, wide_nan, wide_nan) && !right(0, wide_nan, wide_nan), "something else where NaN is due");
    CHECK(right(inf, wide_inf, wide_inf) && right(-inf, -wide_inf, wide_inf), "infinity where it is due");
    CHECK(!right(-inf, wide_inf, wide_inf) && !right(nan, wide_inf, wide_inf) && !right(largest, wide_inf, wide_inf),
          "something else where infinity is due");
    CHECK(right(0x1p-149f, 0, 0) && !right(0x1p-148f, 0, 0), "subnormal");
}

int main(int argc, char **argv)
{
    full = argc > 1 && strcmp(argv[1], "full") == 0;
    pair.a = malloc(sizeof(float) * ROWS * LONGEST);
    pair.b = malloc(sizeof(float) * N * LONGEST);
    if (!pair.a || !pair.b)
        return 1;
    test_rule();
    test_orders();
    test_alike();
    test_low_precision();
    free(pair.a);
    free(pair.b);
    return unit_end();
}
