/*
 * main_bench.c - how fast CPUs multiply: bench [REPETITIONS]
 *
 * The plain loops, the blocked product of the baseline in C on one core and with a thread for every processor, every
 * version of the float64 reference, which makes two products, A B and |A| |B|, and OpenBLAS's SGEMM (Debian's
 * libopenblas0) on one core and on all. Counted are 2 M N K operations for each product. The versions take turns, so
 * that a machine that slows down slows all of them; the table gives the median and the best of each. OpenBLAS is loaded
 * as it stands on the machine; without it the table has no rows of it, and a note says so.
 */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "generate.h"
#include "include/device_user.h" /* with the real name, so that the submissions do not include it with another */
#include "product.h"
#include "problems/bench_arguments.h"
#include "verify/base/clock.h"
#include "verify/base/error.h"
#include "verify/base/parallel.h"
#include "verify/base/stats.h"

/* The two submissions, as they are. */
#define device_user simple
#include "submissions/accepted/simple.c"
#undef device_user
#define device_user blocked
#include "submissions/accepted/baseline.c"
#undef device_user

enum {
    SIMPLE = MATMUL_ISAS, BLOCKED, BLOCKED_THREADS, OPENBLAS, OPENBLAS_THREADS, VERSIONS,
    MAX_REPETITIONS = 101, MAX_THREADS = 256
};

/* The two calls of OpenBLAS that are needed. */
static struct {
    void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a,
                  int lda, const float *b, int ldb, float beta, float *c, int ldc);
    void (*set_threads)(int threads);
} openblas;

static int processors;

static const char *version_name(int version)
{
    static const char *const names[] = { "simple", "blocked", "blocked, threads", "OpenBLAS", "OpenBLAS, threads" };

    return version >= SIMPLE ? names[version - SIMPLE] : matmul_isa_name((enum matmul_isa)version);
}

static bool load_openblas(void)
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return false;
    /* POSIX's way to make a function of dlsym()'s pointer. */
    *(void **)&openblas.sgemm = dlsym(library, "cblas_sgemm");
    *(void **)&openblas.set_threads = dlsym(library, "openblas_set_num_threads");
    return openblas.sgemm && openblas.set_threads;
}

/* Rows of C for one thread. */
struct share {
    const struct matmul_pair *p;
    float *c;
    size_t first, count;
};

static void *multiply_share(void *argument)
{
    const struct share *s = argument;

    blocked(s->p->a + s->first * s->p->k, s->p->b, s->c + s->first * s->p->n, (int)s->count, (int)s->p->n,
            (int)s->p->k);
    return NULL;
}

/* The blocked product with a thread for every processor, each with as many rows as the others. */
static bool blocked_threads(const struct matmul_pair *p, float *c)
{
    static pthread_t threads[MAX_THREADS];
    static struct share shares[MAX_THREADS];
    int started = 0;
    bool ok = true;

    for (int t = 0; t < processors; t++) {
        size_t first = p->m * (size_t)t / (size_t)processors, end = p->m * (size_t)(t + 1) / (size_t)processors;

        shares[t] = (struct share){ .p = p, .c = c, .first = first, .count = end - first };
        if (pthread_create(&threads[t], NULL, multiply_share, &shares[t]) != 0) {
            ok = false;
            break;
        }
        started++;
    }
    for (int t = 0; t < started; t++)
        pthread_join(threads[t], NULL);
    return ok;
}

static bool run(int version, const struct matmul_pair *p, float *c, double *sums, double *squares)
{
    const int row_major = 101, as_it_is = 111; /* cblas.h */
    int m = (int)p->m, n = (int)p->n, k = (int)p->k;

    switch (version) {
    case SIMPLE:
        simple(p->a, p->b, c, m, n, k);
        return true;
    case BLOCKED:
        blocked(p->a, p->b, c, m, n, k);
        return true;
    case BLOCKED_THREADS:
        return processors > 1 && blocked_threads(p, c);
    case OPENBLAS:
    case OPENBLAS_THREADS:
        if (!openblas.sgemm || (version == OPENBLAS_THREADS && processors == 1))
            return false;
        openblas.sgemm(row_major, as_it_is, as_it_is, m, n, k, 1, p->a, k, p->b, n, 0, c, n);
        return true;
    default:
        return matmul_isa_supported((enum matmul_isa)version) &&
               matmul_product((enum matmul_isa)version, p->a, p->k, p->b, p->n, p->m, p->n, p->k, sums, squares);
    }
}

static int bench(size_t m, size_t n, size_t k, int repetitions)
{
    static double samples[VERSIONS][MAX_REPETITIONS];
    struct matmul_pair p = { .m = m, .n = n, .k = k };
    double *sums = malloc(m * n * sizeof *sums), *squares = malloc(m * n * sizeof *squares);
    float *c = malloc(m * n * sizeof *c);
    size_t counts[VERSIONS] = { 0 };
    int status = EXIT_TOOLKIT;

    p.a = malloc(m * k * sizeof *p.a);
    p.b = malloc(k * n * sizeof *p.b);
    if (!p.a || !p.b || !sums || !squares || !c)
        goto out;
    matmul_fill(MATMUL_UNIFORM, &p, &(struct random_key){ .seed = 2009 });
    for (int r = -1; r < repetitions; r++) /* the first round warms up: caches, OpenBLAS's threads */
        for (int v = 0; v < VERSIONS; v++) {
            if (v == SIMPLE && (r < 0 || r >= 3))
                continue;
            if (v >= OPENBLAS && openblas.sgemm)
                openblas.set_threads(v == OPENBLAS ? 1 : processors);
            int64_t start = clock_ns();

            if (run(v, &p, c, sums, squares) && r >= 0)
                samples[v][counts[v]++] = clock_seconds(start, clock_ns());
        }
    for (int v = 0; v < VERSIONS; v++) {
        struct stats s = stats_of(samples[v], counts[v]);
        double operations = 2e-9 * (double)m * (double)n * (double)k * (v < SIMPLE ? 2 : 1);

        if (counts[v] > 0)
            printf("%5zu x %5zu x %-5zu %-18s %10.2f %9.2f %9.2f %6zu\n", m, n, k, version_name(v), s.median * 1e3,
                   operations / s.median, operations / s.min, counts[v]);
    }
    status = EXIT_ACCEPTED;
out:
    free(p.a);
    free(p.b);
    free(sums);
    free(squares);
    free(c);
    return status;
}

int main(int argc, char **argv)
{
    static const size_t sizes[][3] = {
        { 256, 256, 256 }, { 512, 512, 512 }, { 1024, 1024, 1024 }, { 256, 512, 128 }, { 512, 128, 1024 },
    };
    int repetitions = argc > 1 ? (int)bench_number(argv[1], "REPETITIONS", 1, MAX_REPETITIONS) : 5;
    int status = EXIT_ACCEPTED;

    if (argc > 2)
        bench_usage("bench [REPETITIONS]");
    processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
    processors = processors < 1 ? 1 : processors > MAX_THREADS ? MAX_THREADS : processors;
    parallel_begin(1, NULL, NULL); /* the reference by one, as the others without threads in their names */
    if (!load_openblas())
        printf("libopenblas.so.0 is not on this machine (Debian: libopenblas0): its rows are left out\n");
    printf("products on one core, with threads on %d; GFLOP/s: 10^9 operations a second; portable, avx2 and avx512 are "
           "the reference, in float64\n", processors);
    printf("%5s   %5s   %-5s %-18s %10s %9s %9s %6s\n", "m", "n", "k", "version", "median ms", "GFLOP/s", "best",
           "runs");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && status == EXIT_ACCEPTED; i++)
        status = bench(sizes[i][0], sizes[i][1], sizes[i][2], repetitions);
    return status;
}
