/*
 * product.c - the float64 product around the kernels of product_kernel.h, and the plain one.
 */
#include "product.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "product_engine.h"
#include "verify/base/parallel.h"

/*
 * Steps of k a block: a strip of b, 16 columns of float64, takes 32 KiB of the second-level cache, and one of a, 8
 * rows, 16 KiB of the first.
 */
enum { BLOCK_K = 256 };

/* Rows of a product that a thread takes at a time, so many that packing b for them alone is little beside the rest. */
enum { PIECE_ROWS = 512 };

static const struct {
    const char *name;
    const struct matmul_engine *engine;
} isas[MATMUL_ISAS] = {
    [MATMUL_PORTABLE] = { "portable", &matmul_engine_portable },
    [MATMUL_AVX2] = { "avx2", &matmul_engine_avx2 },
    [MATMUL_AVX512] = { "avx512", &matmul_engine_avx512 },
};

const char *matmul_isa_name(enum matmul_isa isa) { return isas[isa].name; }

bool matmul_isa_supported(enum matmul_isa isa)
{
    switch (isa) {
#if defined(__x86_64__)
    case MATMUL_AVX2: return __builtin_cpu_supports("avx2");
    case MATMUL_AVX512: return __builtin_cpu_supports("avx512f");
#endif
    case MATMUL_PORTABLE: return true;
    default: return false;
    }
}

enum matmul_isa matmul_isa_best(void)
{
    for (int isa = MATMUL_ISAS - 1; isa > 0; isa--)
        if (matmul_isa_supported((enum matmul_isa)isa))
            return (enum matmul_isa)isa;
    return MATMUL_PORTABLE;
}

double matmul_canonical(double x)
{
    static const uint64_t bits = 0x7ff8000000000000;
    double nan;

    memcpy(&nan, &bits, sizeof nan);
    return isnan(x) ? nan : x;
}

/* ------------------------------------------------------------------ blocks */

/* One product under way. */
struct job {
    const struct matmul_engine *engine;
    const float *a;    /* [m], lda apart */
    const float *b32;  /* [k], ldb apart; or NULL, and then */
    const double *b64; /* the same */
    size_t lda, ldb, m, n, k;
    bool squared;      /* of the squares of all float32: exact in float64, so a product is rounded once */
    double *sums;      /* [m][n] */
};

static size_t ceiling(size_t x, size_t unit) { return (x + unit - 1) / unit * unit; }

/* Rows first..first+rows-1 of a, steps k0..k0+count-1, as strip[count][rows]; zeros below the last row. */
static void pack_rows(const struct job *job, size_t first, size_t k0, size_t count, double *strip)
{
    const size_t rows = job->engine->rows;

    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < count; k++) {
            double x = first + r < job->m ? (double)job->a[(first + r) * job->lda + k0 + k] : 0;

            strip[k * rows + r] = job->squared ? x * x : x;
        }
}

/* Steps k0..k0+count-1 of b as strips[][count][columns]; zeros to the right of the last column. */
static void pack_columns(const struct job *job, size_t k0, size_t count, double *strips)
{
    const size_t columns = job->engine->columns;

    for (size_t first = 0; first < job->n; first += columns, strips += count * columns)
        for (size_t k = 0; k < count; k++)
            for (size_t c = 0; c < columns; c++) {
                size_t at = (k0 + k) * job->ldb + first + c;
                double x = first + c >= job->n ? 0 : job->b32 ? (double)job->b32[at] : job->b64[at];

                strips[k * columns + c] = job->squared && job->b32 ? x * x : x;
            }
}

/* Adds one block of k to the tile at (i, j) of the sums. */
static void add_tile(const struct job *job, const double *strip_a, const double *strip_b, size_t count, size_t i,
                     size_t j)
{
    const size_t columns = job->engine->columns;
    const size_t height = job->m - i < job->engine->rows ? job->m - i : job->engine->rows;
    const size_t width = job->n - j < columns ? job->n - j : columns;
    double tile[MATMUL_TILE_ROWS * MATMUL_TILE_COLUMNS] __attribute__((aligned(64))) = { 0 };

    for (size_t r = 0; r < height; r++)
        memcpy(tile + r * columns, job->sums + (i + r) * job->n + j, width * sizeof *tile);
    job->engine->run(strip_a, strip_b, count, tile);
    for (size_t r = 0; r < height; r++)
        memcpy(job->sums + (i + r) * job->n + j, tile + r * columns, width * sizeof *tile);
}

static bool run_rows(const struct job *job)
{
    const size_t rows = job->engine->rows, columns = job->engine->columns;
    double *strip = aligned_alloc(64, ceiling(BLOCK_K * rows * sizeof(double), 64));
    double *strips = aligned_alloc(64, ceiling(BLOCK_K * ceiling(job->n, columns) * sizeof(double), 64));
    bool ok = strip && strips;

    if (ok)
        memset(job->sums, 0, job->m * job->n * sizeof(double));
    for (size_t k0 = 0; ok && k0 < job->k; k0 += BLOCK_K) {
        size_t count = job->k - k0 < BLOCK_K ? job->k - k0 : BLOCK_K;

        pack_columns(job, k0, count, strips);
        for (size_t i = 0; i < job->m; i += rows) {
            pack_rows(job, i, k0, count, strip);
            for (size_t j = 0; j < job->n; j += columns)
                add_tile(job, strip, strips + j * count, count, i, j);
        }
    }
    for (size_t e = 0; ok && e < job->m * job->n; e++)
        job->sums[e] = matmul_canonical(job->sums[e]);
    free(strip);
    free(strips);
    return ok;
}

struct pieces {
    const struct job *job;
    atomic_bool failed;
};

static void run_piece(void *context, size_t first, size_t end)
{
    struct pieces *pieces = context;
    struct job job = *pieces->job;

    job.a += first * job.lda;
    job.sums += first * job.n;
    job.m = end - first;
    if (!run_rows(&job))
        atomic_store(&pieces->failed, true);
}

static bool run(const struct job *job)
{
    struct pieces pieces = { .job = job };

    parallel_pieces(job->m, PIECE_ROWS, run_piece, &pieces);
    return !atomic_load(&pieces.failed);
}

bool matmul_product(enum matmul_isa isa, const float *a, size_t lda, const float *b, size_t ldb, size_t m, size_t n,
                    size_t k, double *sums, double *squares)
{
    struct job job = { .engine = isas[isa].engine, .a = a, .b32 = b, .lda = lda, .ldb = ldb, .m = m, .n = n, .k = k,
                       .sums = sums };

    if (!run(&job))
        return false;
    job.squared = true;
    job.sums = squares;
    return !squares || run(&job);
}

bool matmul_product_f64(enum matmul_isa isa, bool squared, const float *a, size_t lda, const double *b, size_t ldb,
                        size_t m, size_t n, size_t k, double *sums)
{
    const struct job job = { .engine = isas[isa].engine, .a = a, .b64 = b, .lda = lda, .ldb = ldb, .m = m, .n = n,
                             .k = k, .squared = squared, .sums = sums };

    return run(&job);
}

/* ------------------------------------------------------------------ plain */

void matmul_product_plain(const float *a, const float *b, size_t m, size_t n, size_t k, double *sums, double *squares)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0, square = 0;

            for (size_t l = 0; l < k; l++) {
                double term = (double)a[i * k + l] * (double)b[l * n + j];

                sum += term;
                square += term * term;
            }
            sums[i * n + j] = matmul_canonical(sum);
            if (squares)
                squares[i * n + j] = matmul_canonical(square);
        }
}

void matmul_product_f64_plain(bool squared, const float *a, const double *b, size_t m, size_t n, size_t k,
                              double *sums)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;

            for (size_t l = 0; l < k; l++) {
                const double x = (double)a[i * k + l];

                sum += (squared ? x * x : x) * b[l * n + j];
            }
            sums[i * n + j] = matmul_canonical(sum);
        }
}
