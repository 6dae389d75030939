/*
 * collect.cu - launches the kernels of kernels.h over sizes and blocks, and times them: the rows that the predictor
 * learns from.
 *
 * The list of configurations is fixed: every kernel's sizes times its blocks, in an order shuffled once and for all,
 * so that a GPU that gets warm, or a part of the list, touches all kernels alike. The same list is timed on a GPU,
 * and launched once each on the simulator, which counts.
 *
 *   collect [--subset K/N]               times on the GPU; CSV to standard output
 *   collect --features [--subset K/N]    launches each row once; the simulator writes what it counted
 *   collect --features --rows TIMES.csv  the same for the rows of a file that was timed
 *   collect --check [KERNEL]             compares each kernel with a computation on the CPU, at a small size
 *   collect --list                       the configurations, a line each
 *   collect --alone [--subset K/N]       launches each row ALONE times, the GPU idle before each: for a profiler
 *
 * How a row is timed. Three rounds over the whole list, so that a row's samples lie ten seconds and more apart,
 * and its interval holds what drifts; its arrays lie elsewhere in each, as another process would have them. Rows
 * whose rounds differ get up to two rounds more. In a round one launch to warm up and SAMPLES samples
 * follow each other on one stream behind a kernel that holds it until all are in the queue: so the GPU never waits for
 * the CPU. A sample is the time between two events divided by the launches in between: as many as last 150 us, at most
 * 80, so that neither the events' resolution of half a microsecond nor what they cost themselves matter. A time is so
 * what a launch adds to a busy stream, with the microsecond or so from one kernel to the next, and finds what fits into
 * the L2 cache there. The first round begins when the GPU has worked for a second, at its highest clock.
 *
 * After the rounds each row is launched ALONE times, each from an idle GPU: alone_us is the median of how long the
 * kernel itself ran, by CUPTI, but for the first. It has neither the launch nor what follows.
 */
#include "alone.h"
#include "contrib/predict/kernels/kernels.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include "verify/base/clock.h"
#include "verify/gpu/gpu.h"
#include "verify/base/stats.h"
}

/* Memory that all kernels share, in numbers of four bytes: what the largest rows of kernels.h need. */
static const size_t IN_WORDS = (size_t)1 << 30, OUT_WORDS = (size_t)1 << 29, CHECK_WORDS = (size_t)1 << 17;

/* What --rows must find; alone_us came later, and is not needed to count. */
#define TIMES_NEEDED "gpu,kernel,class,size,block,time_us,low_us,high_us,samples,sm_mhz,mem_mhz"
#define TIMES_HEADER TIMES_NEEDED ",alone_us"

enum { ROUNDS = 3, ROUNDS_MORE = 2, SAMPLES = 6, SAMPLES_LONG = 5, LAUNCHES_MOST = 80 };
enum { SIZES_TINY = 4, SIZES_CACHE = 4, SIZES_MOST = 64, BLOCKS_MOST = 8 };
enum { ALONE = 6, ALONE_AT_ONCE = 64 };
#define SAMPLE_US 150.0
#define LONG_US 1000.0
#define SHORT_US 5.0

/* How far apart, in parts of the least, the medians of a row's rounds may be: for rows below SHORT_US, and others. */
#define SPREAD_SHORT 0.005
#define SPREAD 0.01

/* The arrays of the sizes around the L2 cache of 50 MiB, together. */
#define CACHE_LEAST (0.4 * 50 * 1024 * 1024)
#define CACHE_MOST (2.4 * 50 * 1024 * 1024)

/* A round's arrays lie this much, in numbers, behind the round's before where there is room: 97 MiB. */
static const size_t SHIFT_WORDS = (size_t)97 << 18;
#define HOLD_NS 30000000LL

/* The numbers of four bytes of each array, 0 behind the last. */
struct arrays {
    long in[ARRAYS_MOST], out[ARRAYS_MOST];
};

struct kernel {
    const char *name, *text;
    enum bound bound;
    enum shapes shapes;
    long tiny, least, most, multiple;
    int sizes;
    long check;
    enum element element;
    void (*launch)(const struct run *run);
    void (*host)(const struct run *run);
    double (*input)(double n);
    struct arrays (*arrays)(long n);
};

#define INPUT(name, bound, shapes, tiny, least, most, multiple, sizes, check, element, input, in, out, text) \
    static double input_##name(double n) \
    { \
        (void)n; \
        return input; \
    } \
    static struct arrays arrays_##name(long n) \
    { \
        (void)n; \
        return (struct arrays){ LIST in, LIST out }; \
    }
#define LIST(...) { __VA_ARGS__ }
PREDICT_KERNELS(INPUT)
#undef INPUT
#undef LIST

#define ROW(name, bound, shapes, tiny, least, most, multiple, sizes, check, element, input, in, out, text) \
    { #name, text, bound, shapes, tiny, least, most, multiple, sizes, check, element, \
      launch_##name, host_##name, input_##name, arrays_##name },
static const struct kernel kernels[] = { PREDICT_KERNELS(ROW) };
#undef ROW
static const int kernel_count = sizeof kernels / sizeof kernels[0];

/* Blocks, x and y; of each kind as many as are not 0. */
static const unsigned blocks[][BLOCKS_MOST][2] = {
    /* LINE */ { { 32, 1 }, { 64, 1 }, { 96, 1 }, { 128, 1 }, { 256, 1 }, { 384, 1 }, { 512, 1 }, { 1024, 1 } },
    /* POWERS */ { { 32, 1 }, { 64, 1 }, { 128, 1 }, { 256, 1 }, { 512, 1 }, { 1024, 1 } },
    /* PLANE */ { { 8, 8 }, { 16, 8 }, { 16, 16 }, { 32, 4 }, { 32, 8 }, { 32, 16 }, { 32, 32 }, { 64, 4 } },
    /* TILE */ { { 8, 8 }, { 16, 8 }, { 16, 16 }, { 24, 24 }, { 32, 8 }, { 32, 16 }, { 32, 32 }, { 64, 8 } },
    /* SQUARE */ { { 8, 8 }, { 12, 12 }, { 16, 16 }, { 20, 20 }, { 24, 24 }, { 32, 32 } },
    /* FIXED */ { { 16, 16 } },
    /* SHORT */ { { 32, 1 }, { 64, 1 }, { 96, 1 }, { 128, 1 }, { 192, 1 }, { 256, 1 }, { 384, 1 }, { 512, 1 } },
    /* CORNER */ { { 8, 8 }, { 16, 8 }, { 16, 16 }, { 32, 4 }, { 32, 8 } },
};

/* One configuration. */
struct row {
    const struct kernel *kernel;
    long size;
    unsigned x, y;
    uint64_t key;                     /* its place in the order */
    int launches;                     /* between two events */
    double us[(ROUNDS + ROUNDS_MORE) * SAMPLES];
    int samples;
    double least, largest;            /* of the medians of its rounds, us */
    double alone_us;                  /* from an idle GPU; 0: not measured */
    unsigned sm_mhz, mem_mhz;         /* in the last round */
};

static void die(int code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
static void die(int code, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fprintf(stderr, "collect: ");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    exit(code);
}

#define CHECK(call) check_cuda((call), #call, __LINE__)

static void check_cuda(cudaError_t status, const char *call, int line)
{
    if (status != cudaSuccess)
        die(3, "collect.cu:%d: %s: %s", line, call, cudaGetErrorString(status));
}

/* ---- the list ---- */

/* The mixing step of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static int by_key(const void *a, const void *b)
{
    const uint64_t one = ((const struct row *)a)->key, other = ((const struct row *)b)->key;

    return (one > other) - (one < other);
}

static int by_size(const void *a, const void *b)
{
    const long one = *(const long *)a, other = *(const long *)b;

    return (one > other) - (one < other);
}

/* Bytes of all arrays. */
static double array_bytes(const struct kernel *k, long size)
{
    const struct arrays arrays = k->arrays(size);
    double words = 0;

    for (int i = 0; i < ARRAYS_MOST; i++)
        words += (double)arrays.in[i] + (double)arrays.out[i];
    return words * sizeof(float);
}

/* The n whose arrays have so many bytes: they grow with n. */
static double size_of_bytes(const struct kernel *k, double bytes)
{
    double low = (double)k->tiny, high = (double)k->most;

    for (int step = 0; step < 50; step++) {
        const double middle = (low + high) / 2;

        *(array_bytes(k, lround(middle)) < bytes ? &low : &high) = middle;
    }
    return high;
}

/*
 * The sizes of a kernel with one of its blocks, ascending, each once; how many. Steps are even in the logarithm: a few
 * from `tiny` to `least`, some where the arrays are about as large as the L2 cache, the others from `least` to `most`.
 * Each block has its own, `part` of a step, 0 to 1, further than the first block's: so together they lie closer.
 */
static int sizes_of(const struct kernel *k, double part, long sizes[SIZES_MOST])
{
    const double cache_least = size_of_bytes(k, CACHE_LEAST), cache_most = size_of_bytes(k, CACHE_MOST);
    int count = 0, kept = 0;

    for (int i = 0; i < SIZES_TINY + SIZES_CACHE + k->sizes; i++) {
        const bool tiny = i < SIZES_TINY, cache = !tiny && i < SIZES_TINY + SIZES_CACHE;
        const double low = tiny ? (double)k->tiny : cache ? cache_least : (double)k->least;
        const double high = tiny ? (double)k->least : cache ? cache_most : (double)k->most;
        const int steps = tiny ? SIZES_TINY : cache ? SIZES_CACHE : k->sizes;
        const int step = tiny ? i : cache ? i - SIZES_TINY : i - SIZES_TINY - SIZES_CACHE;
        const long size = lround(low * pow(high / low, (step + part) / steps) / k->multiple) * k->multiple;

        if (size >= k->tiny && (!cache || cache_most < (double)k->most))
            sizes[count++] = size;
    }
    qsort(sizes, (size_t)count, sizeof *sizes, by_size);
    for (int i = 0; i < count; i++)
        if (kept == 0 || sizes[i] > sizes[kept - 1])
            sizes[kept++] = sizes[i];
    return kept;
}

static bool fits(const struct row *row)
{
    const struct arrays arrays = row->kernel->arrays(row->size);
    size_t in = 0, out = 0;

    for (int i = 0; i < ARRAYS_MOST; i++) {
        in += (size_t)arrays.in[i];
        out += (size_t)arrays.out[i];
    }
    return in <= IN_WORDS && out <= OUT_WORDS;
}

/* All rows, or every N-th from the K-th on; to be freed. */
static struct row *list_rows(size_t *count, unsigned long part, unsigned long parts)
{
    struct row *rows = NULL;
    size_t all = 0, kept = 0;
    long sizes[SIZES_MOST];

    for (int pass = 0; pass < 2; pass++) {
        all = 0;
        for (const struct kernel *k = kernels; k < kernels + kernel_count; k++) {
            int block_count = 0;

            while (block_count < BLOCKS_MOST && blocks[k->shapes][block_count][0])
                block_count++;
            for (int b = 0; b < block_count; b++) {
                const unsigned *block = blocks[k->shapes][b];
                const int size_count = sizes_of(k, (double)b / block_count, sizes);

                for (int s = 0; s < size_count; s++, all++)
                    if (pass)
                        rows[all] = (struct row){ k, sizes[s], block[0], block[1], mix(all) };
            }
        }
        if (!rows && !(rows = (struct row *)calloc(all, sizeof *rows)))
            die(3, "no memory for %zu rows", all);
    }
    for (size_t i = 0; i < all; i++)
        if (!fits(&rows[i]))
            die(3, "%s, n %ld: its arrays are larger than the memory that all kernels share", rows[i].kernel->name,
                rows[i].size);
    qsort(rows, all, sizeof *rows, by_key);
    for (size_t i = part; i < all; i += parts)
        rows[kept++] = rows[i];
    *count = kept;
    return rows;
}

/* A run whose arrays follow each other in `in` and in `out`. */
static struct run make_run(const struct kernel *k, long size, unsigned x, unsigned y, const float *in, float *out)
{
    const struct arrays arrays = k->arrays(size);
    struct run run = { size, x, y, in, out };

    for (int i = 0; i < ARRAYS_MOST; i++) {
        run.inputs[i] = in;
        run.outputs[i] = out;
        in += arrays.in[i];
        out += arrays.out[i];
    }
    return run;
}

/* Whether a row's size is within the kernel's, and its block one of its shapes. */
static bool possible(const struct row *row)
{
    const struct kernel *k = row->kernel;

    if (row->size < k->tiny || row->size > k->most + k->multiple || row->size % k->multiple)
        return false;
    for (int b = 0; b < BLOCKS_MOST && blocks[k->shapes][b][0]; b++)
        if (blocks[k->shapes][b][0] == row->x && blocks[k->shapes][b][1] == row->y)
            return true;
    return false;
}

/* The rows that a file of times has, in its order; columns are found by name. To be freed. */
static struct row *read_rows(const char *path, size_t *count)
{
    FILE *file = fopen(path, "re");
    char line[1024], name[64], end;
    struct row *rows = NULL, *row;
    size_t room = 0;

    if (!file)
        die(2, "cannot open '%s': %s", path, strerror(errno));
    *count = 0;
    for (size_t number = 1; fgets(line, sizeof line, file); number++) {
        if (number == 1) {
            if (strncmp(line, TIMES_NEEDED, strlen(TIMES_NEEDED)) != 0)
                die(2, "%s:1: the header is not '%s'", path, TIMES_HEADER);
            continue;
        }
        if (*count == room && !(rows = (struct row *)realloc(rows, (room = 2 * room + 256) * sizeof *rows)))
            die(3, "no memory for the rows of '%s'", path);
        row = &rows[(*count)++];
        *row = (struct row){};
        if (sscanf(line, "%*[^,],%63[^,],%*[^,],%ld,%ux%u%c", name, &row->size, &row->x, &row->y, &end) != 5 ||
            end != ',')
            die(2, "%s:%zu: no row of times", path, number);
        for (int i = 0; i < kernel_count; i++)
            if (strcmp(kernels[i].name, name) == 0)
                row->kernel = &kernels[i];
        if (!row->kernel)
            die(2, "%s:%zu: there is no kernel '%s'; collect --list names all", path, number, name);
        if (!possible(row))
            die(2, "%s:%zu: %s has no size %ld with a block of %u x %u", path, number, name, row->size, row->x, row->y);
    }
    fclose(file);
    return rows;
}

static void launch(const struct kernel *k, const struct run *run)
{
    cudaError_t status;

    k->launch(run);
    status = cudaGetLastError();
    if (status != cudaSuccess)
        die(3, "%s, n %ld, block %u x %u: %s", k->name, run->size, run->x, run->y, cudaGetErrorString(status));
}

/* ---- checking ---- */

/* What memory holds at a place: bits of a float in [0.5, 1.5). */
static __host__ __device__ float filling(size_t place)
{
    uint32_t x = (uint32_t)place * 2654435761u + 12345;

    x ^= x >> 15;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    return 0.5f + (float)(x >> 8) * (1.0f / 16777216);
}

static double number(enum element element, const float *at, size_t i)
{
    return element == FLOATS ? at[i] : element == WORDS ? ((const int *)at)[i] : ((const double *)at)[i];
}

static bool same(enum element element, const float *is, const float *wanted, size_t i)
{
    if (element == WORDS)
        return ((const int *)is)[i] == ((const int *)wanted)[i];
    if (element == DOUBLES) {
        const double a = ((const double *)is)[i], b = ((const double *)wanted)[i];

        return memcmp(&a, &b, sizeof a) == 0 || fabs(a - b) <= 1e-11 * fabs(b);
    }
    return memcmp(&is[i], &wanted[i], sizeof is[i]) == 0 ||
           fabs((double)is[i] - wanted[i]) <= 2e-5 * fabs(wanted[i]) + 1e-6;
}

/* Runs a kernel with each of its blocks; all of `out` must be as on the CPU: it wrote where it should alone. */
static bool check_kernel(const struct kernel *k, float *in, float *out)
{
    const size_t bytes = CHECK_WORDS * sizeof(float);
    const size_t elements = k->element == DOUBLES ? CHECK_WORDS / 2 : CHECK_WORDS;
    float *memory = (float *)malloc(4 * bytes), *before = memory + CHECK_WORDS, *wanted = before + CHECK_WORDS;
    float *is = wanted + CHECK_WORDS;
    size_t wrong = 0;

    if (!memory)
        die(3, "no memory to check with");
    for (size_t i = 0; i < 2 * CHECK_WORDS; i++)
        memory[i] = filling(i);
    CHECK(cudaMemcpy(in, memory, bytes, cudaMemcpyHostToDevice));
    for (int b = 0; b < BLOCKS_MOST && blocks[k->shapes][b][0] && !wrong; b++) {
        const unsigned x = blocks[k->shapes][b][0], y = blocks[k->shapes][b][1];
        const struct run device = make_run(k, k->check, x, y, in, out);
        const struct run host = make_run(k, k->check, x, y, memory, wanted);

        CHECK(cudaMemcpy(out, before, bytes, cudaMemcpyHostToDevice));
        memcpy(wanted, before, bytes);
        launch(k, &device);
        k->host(&host);
        CHECK(cudaMemcpy(is, out, bytes, cudaMemcpyDeviceToHost));
        if (memcmp(wanted, before, bytes) == 0)
            die(3, "%s, n %ld: the computation on the CPU changes nothing", k->name, k->check);
        for (size_t i = 0; i < elements; i++)
            if (!same(k->element, is, wanted, i) && wrong++ == 0)
                printf("%s: wrong: n %ld, block %u x %u, element %zu is %.9g, on the CPU %.9g\n", k->name,
                       k->check, x, y, i, number(k->element, is, i), number(k->element, wanted, i));
    }
    if (!wrong)
        printf("%s: as on the CPU\n", k->name);
    free(memory);
    return wrong == 0;
}

static int check_all(const char *name)
{
    float *in, *out;
    bool good = true, found = !name;

    for (int i = 0; i < kernel_count && !found; i++)
        found = strcmp(name, kernels[i].name) == 0;
    if (!found)
        die(2, "there is no kernel '%s'; collect --list names all", name);
    CHECK(cudaMalloc(&in, CHECK_WORDS * sizeof(float)));
    CHECK(cudaMalloc(&out, CHECK_WORDS * sizeof(float)));
    for (int i = 0; i < kernel_count; i++)
        if (!name || strcmp(name, kernels[i].name) == 0)
            good &= check_kernel(&kernels[i], in, out);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return good ? 0 : 1;
}

/* ---- features ---- */

/* Arrays as a program has them: each in memory of its own and of its size, which says who shares what. */
static void allocate(const struct kernel *k, struct run *run)
{
    const struct arrays arrays = k->arrays(run->size);

    for (int i = 0; i < ARRAYS_MOST; i++) {
        if (arrays.in[i])
            CHECK(cudaMalloc((void **)&run->inputs[i], (size_t)arrays.in[i] * sizeof(float)));
        if (arrays.out[i])
            CHECK(cudaMalloc((void **)&run->outputs[i], (size_t)arrays.out[i] * sizeof(float)));
    }
    run->in = run->inputs[0];
    run->out = run->outputs[0];
}

static void launch_once(const struct row *rows, size_t count)
{
    char text[32];

    if (!getenv("CUDASIM_FEATURES"))
        die(2, "--features needs the simulator and CUDASIM_FEATURES, where it writes: use run_scripts/predict.sh");
    for (size_t i = 0; i < count; i++) {
        struct run run = { rows[i].size, rows[i].x, rows[i].y };

        allocate(rows[i].kernel, &run);
        snprintf(text, sizeof text, "%.0f", rows[i].kernel->input((double)run.size));
        setenv("CUDASIM_FEATURES_N", text, 1);
        snprintf(text, sizeof text, "%ld", run.size);
        setenv("CUDASIM_FEATURES_S", text, 1);
        launch(rows[i].kernel, &run);
        CHECK(cudaDeviceSynchronize());
        for (int a = 0; a < ARRAYS_MOST; a++) {
            CHECK(cudaFree((void *)run.inputs[a]));
            CHECK(cudaFree(run.outputs[a]));
        }
    }
}

/* ---- timing ---- */

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

static __global__ void fill(float *memory, size_t words, size_t first)
{
    const size_t threads = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += threads)
        memory[i] = filling(first + i);
}

/* Keeps the stream until *go, or for HOLD_NS. */
static __global__ void hold(volatile int *go)
{
    long long first, now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(first));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (!*go && now - first < HOLD_NS);
}

/* What timing needs beside the row. */
struct timer {
    float *in, *out;
    volatile int *go; /* page-locked: the GPU reads it */
    cudaEvent_t events[SAMPLES + 1];
    struct gpu gpu;
    bool alone; /* whether CUPTI records */
};

static double elapsed_us(cudaEvent_t from, cudaEvent_t to)
{
    float ms;

    CHECK(cudaEventElapsedTime(&ms, from, to));
    return 1000.0 * ms;
}

/* How many launches a sample should have, from one that is timed alone, which is longer by what the events cost. */
static int choose_launches(const struct kernel *k, const struct run *run, struct timer *t)
{
    double us;

    launch(k, run);
    CHECK(cudaEventRecord(t->events[0]));
    launch(k, run);
    CHECK(cudaEventRecord(t->events[1]));
    CHECK(cudaEventSynchronize(t->events[1]));
    us = elapsed_us(t->events[0], t->events[1]);
    if (us > 30000)
        fprintf(stderr, "collect: %s, n %ld, block %u x %u takes %.0f ms\n", k->name, run->size, run->x, run->y,
                us / 1000);
    return (int)fmin(fmax(ceil(2 * SAMPLE_US / us), 1), LAUNCHES_MOST);
}

/* The row's run in a round: from one to the next its arrays lie elsewhere, as another process would have them. */
static struct run placed_run(const struct row *row, const struct timer *t, int round)
{
    const struct arrays arrays = row->kernel->arrays(row->size);
    size_t in = (size_t)round * SHIFT_WORDS, out = in;

    for (int i = 0; i < ARRAYS_MOST; i++) {
        in += (size_t)arrays.in[i];
        out += (size_t)arrays.out[i];
    }

    const size_t shift = in <= IN_WORDS && out <= OUT_WORDS ? (size_t)round * SHIFT_WORDS : 0;

    return make_run(row->kernel, row->size, row->x, row->y, t->in + shift, t->out + shift);
}

static void time_row(struct row *row, struct timer *t, int round)
{
    const struct run run = placed_run(row, t, round);
    struct gpu_state state;
    double *us = row->us + row->samples, sorted[SAMPLES], median;
    int samples;

    if (!row->launches)
        row->launches = choose_launches(row->kernel, &run, t);
    samples = row->samples && row->least > LONG_US ? SAMPLES_LONG : SAMPLES;
    *t->go = 0;
    hold<<<1, 1>>>(t->go);
    launch(row->kernel, &run);
    for (int sample = 0; sample <= samples; sample++) {
        CHECK(cudaEventRecord(t->events[sample]));
        for (int i = 0; i < row->launches && sample < samples; i++)
            launch(row->kernel, &run);
    }
    *t->go = 1;
    if (gpu_read(&t->gpu, &state)) {
        row->sm_mhz = state.sm_megahertz;
        row->mem_mhz = state.memory_megahertz;
    }
    CHECK(cudaEventSynchronize(t->events[samples]));
    for (int sample = 0; sample < samples; sample++)
        sorted[sample] = us[sample] = elapsed_us(t->events[sample], t->events[sample + 1]) / row->launches;
    median = stats_of(sorted, (size_t)samples).median;
    row->least = row->samples ? fmin(row->least, median) : median;
    row->largest = row->samples ? fmax(row->largest, median) : median;
    row->samples += samples;
}

/* Whether a row's rounds are too far from each other to be left as they are. */
static bool unsteady(const struct row *row)
{
    return row->largest > (1 + (row->least < SHORT_US ? SPREAD_SHORT : SPREAD)) * row->least;
}

static void launch_alone(const struct row *row, const struct timer *t)
{
    const struct run run = placed_run(row, t, 0);

    for (int again = 0; again < ALONE; again++) {
        launch(row->kernel, &run);
        CHECK(cudaDeviceSynchronize());
    }
}

/*
 * Times of launches that find the GPU idle: the CPU waits for each before it starts the next. The first of a row is
 * not counted: it brings to the L2 cache what fits there. Rows are recorded in pieces, so that what CUPTI loses costs
 * few.
 */
static void time_alone(struct row *rows, size_t count, const struct timer *t)
{
    double us[ALONE_AT_ONCE * ALONE];
    size_t lost = 0, first = 0;

    for (size_t taken; first < count && t->alone && !stopped; first += taken) {
        taken = count - first < ALONE_AT_ONCE ? count - first : ALONE_AT_ONCE;
        for (size_t i = 0; i < taken; i++)
            launch_alone(&rows[first + i], t);
        if (!alone_take(us, taken * ALONE))
            lost += taken;
        else
            for (size_t i = 0; i < taken; i++)
                rows[first + i].alone_us = stats_of(us + i * ALONE + 1, ALONE - 1).median;
    }
    if (lost)
        fprintf(stderr, "collect: CUPTI lost records of %zu rows, which have no alone_us\n", lost);
}

/* A GPU that was idle needs a while to its highest clock and its temperature: it gets a second of work. */
static void warm_up(struct timer *t)
{
    double us = 0;

    while (us < 1e6) {
        CHECK(cudaEventRecord(t->events[0]));
        for (int i = 0; i < 20; i++)
            fill<<<4096, 256>>>(t->in, IN_WORDS, 0);
        CHECK(cudaEventRecord(t->events[1]));
        CHECK(cudaEventSynchronize(t->events[1]));
        us += elapsed_us(t->events[0], t->events[1]);
    }
}

static void timer_init(struct timer *t, const char *gpu_name, const unsigned char uuid[16])
{
    char selector[64] = "GPU";
    const char *why;

    for (int i = 0, at = 3; i < 16; i++)
        at += snprintf(selector + at, sizeof selector - at, "%s%02x",
                       i == 0 || (i >= 4 && i <= 10 && i % 2 == 0) ? "-" : "", uuid[i]);
    if (!gpu_choose(&t->gpu, selector, &why))
        die(3, "the clocks of %s cannot be read: %s", gpu_name, why);
    CHECK(cudaMalloc(&t->in, IN_WORDS * sizeof(float)));
    CHECK(cudaMalloc(&t->out, OUT_WORDS * sizeof(float)));
    CHECK(cudaHostAlloc((void **)&t->go, sizeof *t->go, cudaHostAllocMapped));
    for (int i = 0; i <= SAMPLES; i++)
        CHECK(cudaEventCreate(&t->events[i]));
    fill<<<4096, 256>>>(t->in, IN_WORDS, 0);
    fill<<<4096, 256>>>(t->out, OUT_WORDS, IN_WORDS);
    CHECK(cudaDeviceSynchronize());
    warm_up(t);
}

static void timer_release(struct timer *t)
{
    for (int i = 0; i <= SAMPLES; i++)
        CHECK(cudaEventDestroy(t->events[i]));
    CHECK(cudaFreeHost((void *)t->go));
    CHECK(cudaFree(t->in));
    CHECK(cudaFree(t->out));
}

static void print_row(const char *gpu, struct row *row)
{
    const struct stats stats = stats_of(row->us, (size_t)row->samples); /* sorts */
    const struct interval interval = stats_interval(row->us, (size_t)row->samples, STATS_COVERAGE);

    printf("%s,%s,%s,%ld,%ux%u,%.5g,%.5g,%.5g,%d,%u,%u,", gpu, row->kernel->name,
           row->kernel->bound == MEMORY ? "memory" : "computation", row->size, row->x, row->y, stats.median,
           interval.low, interval.high, row->samples, row->sm_mhz, row->mem_mhz);
    if (row->alone_us > 0)
        printf("%.5g", row->alone_us);
    putchar('\n');
}

static void time_rows(struct row *rows, size_t count, bool for_profiler)
{
    struct cudaDeviceProp properties;
    struct timer timer = {};
    const int64_t start = clock_ns();
    char why[256];
    int rounds = 0;

    CHECK(cudaGetDeviceProperties(&properties, 0));
    timer_init(&timer, properties.name, (const unsigned char *)properties.uuid.bytes);
    fprintf(stderr, "collect: %zu rows on %s, driver %s\n", count, properties.name, timer.gpu.driver);
    for (size_t i = 0; i < count && for_profiler; i++)
        launch_alone(&rows[i], &timer);
    if (for_profiler) {
        timer_release(&timer);
        return;
    }
    /* Told to stop, it prints what it has: the column `samples` says how much that is. */
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    for (rounds = 0; rounds < ROUNDS + ROUNDS_MORE && !stopped; rounds++) {
        size_t timed = 0;

        for (size_t i = 0; i < count && !stopped; i++)
            if (rounds < ROUNDS || unsteady(&rows[i])) {
                time_row(&rows[i], &timer, rounds);
                timed++;
            }
        fprintf(stderr, "collect: round %d: %zu rows, %.1f s\n", rounds + 1, timed, clock_seconds(start, clock_ns()));
    }
    timer.alone = alone_open(why);
    if (!timer.alone)
        fprintf(stderr, "collect: alone_us stays empty: %s\n", why);
    time_alone(rows, count, &timer);
    fprintf(stderr, "collect: launches alone: %.1f s\n", clock_seconds(start, clock_ns()));
    puts(TIMES_HEADER);
    for (size_t i = 0; i < count && rows[i].samples; i++)
        print_row(properties.name, &rows[i]);
    alone_close();
    timer_release(&timer);
    if (stopped)
        die(3, "stopped: rows have fewer samples than they should, or no alone_us");
}

/* ---- arguments ---- */

static void usage(void)
{
    die(2, "usage: collect [--list | --alone | --features [--rows TIMES.csv]] [--subset K/N] | --check [KERNEL]");
}

int main(int argc, char **argv)
{
    enum { TIME, LAUNCH, FEATURES, LIST, VERIFY } what = TIME;
    unsigned long part = 0, parts = 1;
    const char *name = NULL, *times = NULL;
    struct row *rows;
    size_t count;
    char end;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--features") == 0)
            what = FEATURES;
        else if (strcmp(argv[i], "--list") == 0)
            what = LIST;
        else if (strcmp(argv[i], "--alone") == 0)
            what = LAUNCH;
        else if (strcmp(argv[i], "--check") == 0)
            what = VERIFY;
        else if (strcmp(argv[i], "--subset") == 0 && i + 1 < argc) {
            if (sscanf(argv[++i], "%5lu/%5lu%c", &part, &parts, &end) != 2 || parts == 0 || part >= parts)
                die(2, "'%s' is not a part of the list: K/N, with K from 0 to N - 1", argv[i]);
        } else if (strcmp(argv[i], "--rows") == 0 && i + 1 < argc)
            times = argv[++i];
        else if (what == VERIFY && !name && argv[i][0] != '-')
            name = argv[i];
        else
            usage();
    }
    if (what == VERIFY)
        return check_all(name);
    if (times && (what != FEATURES || parts > 1))
        usage();
    rows = times ? read_rows(times, &count) : list_rows(&count, part, parts);
    if (what == FEATURES)
        launch_once(rows, count);
    else if (what == TIME || what == LAUNCH)
        time_rows(rows, count, what == LAUNCH);
    else
        for (size_t i = 0; i < count; i++)
            printf("%s %ld %ux%u\n", rows[i].kernel->name, rows[i].size, rows[i].x, rows[i].y);
    free(rows);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 3;
}
