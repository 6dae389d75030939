/*
 * bench_gpu.cu - expert.cu beside CUB's DeviceScan::InclusiveSum, in one process: bench_gpu [SEED [COUNT]]
 *
 * Without arguments: uint32 at the sizes of bench.txt, kernels alone, a JSON object a row
 * (docs/formats/bench.md). With a seed COUNT sizes (30) are drawn from it, log-uniform from 1 to 2^28, of the
 * three types in turn. Each size is timed in two ways, CUB and the expert in turn, 11 times:
 *
 *   calls   the time from the first to the last of several calls in one stream, a call: with what launching costs
 *   graph   the same calls in a graph that is launched once, a call: kernels alone
 *
 * Every call has its own numbers and sums, of 256 MiB together or more where there is room for it: more than the L2
 * cache. CUB is given its scratch memory, whose size was asked for before. Every sum of the expert is looked at first:
 * integers must be CUB's, float32 must obey the rule beside a scan in float64.
 *
 * With a seed the steps to the expert are timed too, at a few sizes, calls alone. That prints both tables, the
 * geometric means, and then a JSON object a row with all samples. Exit code 1 where a sum is wrong, 3 where CUDA fails.
 *
 * `make build/benches/scan_gpu PROBLEM=scan` builds it; `make bench` runs it, and bench.sh with a seed.
 */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <cub/cub.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "cuda_user.h"
#include "device_user.h"
#include "precision.h"
#include "problems/bench_arguments.h"

/* The submissions, each in a namespace and with names of its own for its entry points. */
#define device_user expert_user
#define device_user_setup expert_setup
namespace expert {
#include "submissions/accepted/expert.cu"
}
#undef device_user
#undef device_user_setup
#define device_user simple_user
namespace simple {
#include "submissions/accepted/simple.cu"
}
#undef device_user
#define device_user baseline_user
#define device_user_setup baseline_setup
namespace baseline {
#include "submissions/accepted/baseline.cu"
}
#undef device_user
#undef device_user_setup
#define device_user two_passes_user
#define device_user_setup two_passes_setup
namespace two_passes {
#include "submissions/accepted/1_two_passes.cu"
}
#undef device_user
#undef device_user_setup
#define device_user look_back_user
#define device_user_setup look_back_setup
namespace look_back {
#include "submissions/accepted/2_look_back.cu"
}
#undef device_user
#undef device_user_setup

enum { SAMPLES = 11 };
static const char *const type_names[] = { "uint32", "uint64", "float32" };

/* Memory of the GPU, made once. */
static struct {
    char *values, *sums; /* [ROOM] */
    void *scratch;       /* CUB's */
    size_t scratch_size;
    double *exact, *largest; /* [SCAN_COUNT_MAX]: prefix sums, and the largest of their absolute values so far */
    unsigned long long *wrong;
    cudaStream_t stream;
} gpu;
static const size_t ROOM = (size_t)1 << 31;

/* ------------------------------------------------------------------ numbers */

__device__ static uint32_t mixed(uint64_t i, uint32_t seed)
{
    uint32_t x = (uint32_t)i * 0x9e3779b9u + (uint32_t)(i >> 32) + seed;

    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

/* Random words; or with `real` numbers in [0, 1). */
__global__ static void fill(uint32_t *words, size_t count, uint32_t seed, bool real)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        const uint32_t word = mixed(i, seed);

        words[i] = real ? __float_as_uint((float)(word >> 8) * 0x1p-24f) : word;
    }
}

/* ------------------------------------------------------------------ the two */

template <class T> static void call_cub(const char *values, char *sums, size_t n)
{
    size_t size = gpu.scratch_size;

    CUDA_CHECK(cub::DeviceScan::InclusiveSum(gpu.scratch, size, (const T *)values, (T *)sums, (int)n, gpu.stream));
}

template <class T> static void call_expert(const char *values, char *sums, size_t n)
{
    const int type = sizeof(T) == 8 ? SCAN_UINT64 : std::is_same<T, float>::value ? SCAN_FLOAT32 : SCAN_UINT32;

    expert::expert_user(values, nullptr, sums, n, type, gpu.stream);
}

typedef void user_function(const void *, const uint8_t *, void *, size_t, int, device_stream);

/* The steps to the expert, for uint32. */
template <user_function *USER> static void call_step(const char *values, char *sums, size_t n)
{
    USER(values, nullptr, sums, n, SCAN_UINT32, gpu.stream);
}

typedef void call_function(const char *values, char *sums, size_t n);

/* ------------------------------------------------------------------ right? */

template <class T> __global__ static void compare(const T *sums, const T *right, size_t n, unsigned long long *wrong)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        if (sums[i] != right[i])
            atomicAdd(wrong, 1ull);
}

__global__ static void judge(const float *sums, const double *exact, const double *largest, size_t n,
                             unsigned long long *wrong)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        const double m = (double)i + 1, roundings = (8 + 2 * sqrt(m < 1024 ? m : 1024) + sqrt(m) / 8) * 0x1p-24;

        if (!(fabs((double)sums[i] - exact[i]) <= roundings * largest[i]))
            atomicAdd(wrong, 1ull);
    }
}

struct to_double {
    __host__ __device__ double operator()(float value) const { return (double)value; }
};
struct magnitude {
    __host__ __device__ double operator()(double value) const { return value < 0 ? -value : value; }
};
struct larger {
    __host__ __device__ double operator()(double a, double b) const { return a > b ? a : b; }
};

static void check_against(const float *sums, size_t n)
{
    size_t size = gpu.scratch_size;
    auto reals = thrust::make_transform_iterator((const float *)gpu.values, to_double());
    auto magnitudes = thrust::make_transform_iterator((const double *)gpu.exact, magnitude());

    CUDA_CHECK(cub::DeviceScan::InclusiveSum(gpu.scratch, size, reals, gpu.exact, (int)n, gpu.stream));
    CUDA_CHECK(cub::DeviceScan::InclusiveScan(gpu.scratch, size, magnitudes, gpu.largest, larger(), (int)n,
                                              gpu.stream));
    judge<<<1024, 256, 0, gpu.stream>>>(sums, gpu.exact, gpu.largest, n, gpu.wrong);
}

template <class T> static void check_against(const T *sums, size_t n)
{
    call_cub<T>(gpu.values, (char *)gpu.exact, n);
    compare<<<1024, 256, 0, gpu.stream>>>(sums, (const T *)gpu.exact, n, gpu.wrong);
}

/* How many of the expert's sums are wrong. */
template <class T> static unsigned long long count_wrong(size_t n)
{
    unsigned long long wrong;

    CUDA_CHECK(cudaMemsetAsync(gpu.wrong, 0, sizeof wrong, gpu.stream));
    CUDA_CHECK(cudaMemsetAsync(gpu.sums, 0xff, n * sizeof(T), gpu.stream));
    call_expert<T>(gpu.values, gpu.sums, n);
    check_against((const T *)gpu.sums, n);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpyAsync(&wrong, gpu.wrong, sizeof wrong, cudaMemcpyDeviceToHost, gpu.stream));
    CUDA_CHECK(cudaStreamSynchronize(gpu.stream));
    return wrong;
}

/* ------------------------------------------------------------------ times */

/* Where the calls of a size have their arrays, and how many calls are timed at a time. */
struct turns {
    size_t bytes, step, slots, calls, next;
};

static turns turns_for(size_t bytes)
{
    turns t = { bytes, (bytes + 255) / 256 * 256, 1, 1, 0 };

    t.slots = std::max<size_t>(1, std::min(ROOM / t.step, ((size_t)256 << 20) / t.step + 1));
    t.calls = bytes > (64u << 20) ? 2 : std::min<size_t>(64, std::max<size_t>(4, ((size_t)512 << 20) / t.step));
    return t;
}

static void call_all(call_function *call, turns &t, size_t n)
{
    for (size_t c = 0; c < t.calls; c++, t.next = (t.next + 1) % t.slots)
        call(gpu.values + t.next * t.step, gpu.sums + t.next * t.step, n);
}

/* Seconds a call of what `work` puts into the stream. */
template <class F> static double seconds(const turns &t, F work)
{
    static cudaEvent_t begin, end;
    float milliseconds;

    if (!begin) {
        CUDA_CHECK(cudaEventCreate(&begin));
        CUDA_CHECK(cudaEventCreate(&end));
    }
    CUDA_CHECK(cudaStreamSynchronize(gpu.stream));
    CUDA_CHECK(cudaEventRecord(begin, gpu.stream));
    work();
    CUDA_CHECK(cudaEventRecord(end, gpu.stream));
    CUDA_CHECK(cudaEventSynchronize(end));
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds * 1e-3 / (double)t.calls;
}

static double time_calls(call_function *call, turns &t, size_t n)
{
    return seconds(t, [&] { call_all(call, t, n); });
}

/* A graph is launched once: a call of the expert has a number, which a second launch would use again. */
static double time_graph(call_function *call, turns &t, size_t n)
{
    cudaGraph_t graph;
    cudaGraphExec_t made;
    double result;

    CUDA_CHECK(cudaStreamBeginCapture(gpu.stream, cudaStreamCaptureModeThreadLocal));
    call_all(call, t, n);
    CUDA_CHECK(cudaStreamEndCapture(gpu.stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&made, graph, 0));
    CUDA_CHECK(cudaGraphUpload(made, gpu.stream));
    result = seconds(t, [&] { CUDA_CHECK(cudaGraphLaunch(made, gpu.stream)); });
    CUDA_CHECK(cudaGraphExecDestroy(made));
    CUDA_CHECK(cudaGraphDestroy(graph));
    return result;
}

/* ------------------------------------------------------------------ rows */

enum { CALLS_CUB, CALLS_EXPERT, GRAPH_CUB, GRAPH_EXPERT, SERIES };
static const char *const series_names[SERIES][2] = { { "cub", "calls" }, { "expert", "calls" }, { "cub", "graph" },
                                                     { "expert", "graph" } };

struct row {
    int type;
    size_t n;
    std::vector<double> samples[SERIES];

    /* The sample that so many eighths of all are below. */
    double quantile(int series, size_t eighths) const
    {
        std::vector<double> sorted = samples[series];

        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() * eighths / 8];
    }

    double median(int series) const { return quantile(series, 4); }
};

/* False where a sum is wrong. */
template <class T> static bool measure(row &r)
{
    turns t = turns_for(r.n * sizeof(T));
    const size_t words = std::min(ROOM, t.step * t.slots) / 4;
    unsigned long long wrong;

    fill<<<1024, 256, 0, gpu.stream>>>((uint32_t *)gpu.values, words, (uint32_t)r.n, r.type == SCAN_FLOAT32);
    CUDA_CHECK_LAUNCH();
    wrong = count_wrong<T>(r.n);
    if (wrong > 0) {
        std::fprintf(stderr, "%s %zu: %llu sums of the expert are wrong\n", type_names[r.type], r.n, wrong);
        return false;
    }
    for (int s = -1; s < SAMPLES; s++) { /* the first does not count */
        const double times[SERIES] = { time_calls(call_cub<T>, t, r.n), time_calls(call_expert<T>, t, r.n),
                                       time_graph(call_cub<T>, t, r.n), time_graph(call_expert<T>, t, r.n) };

        for (int k = 0; k < SERIES && s >= 0; k++)
            r.samples[k].push_back(times[k]);
    }
    return true;
}

static void print_rows(const std::vector<row> &rows)
{
    double logs[2] = { 0, 0 };
    int slower[2] = { 0, 0 };

    std::printf("\n%-8s %10s  %10s %10s %6s  %10s %10s %6s\n", "", "", "calls: CUB", "expert", "ratio", "graph: CUB",
                "expert", "ratio");
    for (const row &r : rows) {
        const double calls = r.median(CALLS_CUB) / r.median(CALLS_EXPERT);
        const double graph = r.median(GRAPH_CUB) / r.median(GRAPH_EXPERT);

        std::printf("%-8s %10zu  %10.2f %10.2f %6.2f  %10.2f %10.2f %6.2f\n", type_names[r.type], r.n,
                    r.median(CALLS_CUB) * 1e6, r.median(CALLS_EXPERT) * 1e6, calls, r.median(GRAPH_CUB) * 1e6,
                    r.median(GRAPH_EXPERT) * 1e6, graph);
        logs[0] += std::log(calls);
        logs[1] += std::log(graph);
        slower[0] += calls < 1;
        slower[1] += graph < 1;
    }
    for (int k = 0; k < 2; k++)
        std::printf("geometric mean of CUB's time over the expert's, %zu sizes, %s: %.3f; the expert is slower for "
                    "%d\n",
                    rows.size(), k == 0 ? "calls" : "graph", std::exp(logs[k] / (double)rows.size()), slower[k]);
    std::printf("\n");
    for (const row &r : rows)
        for (int k = 0; k < SERIES; k++) {
            std::printf("{\"what\":\"%s\",\"measure\":\"%s\",\"type\":\"%s\",\"n\":%zu,\"median_us\":%.2f,"
                        "\"samples_us\":[",
                        series_names[k][0], series_names[k][1], type_names[r.type], r.n, r.median(k) * 1e6);
            for (size_t s = 0; s < r.samples[k].size(); s++)
                std::printf("%s%.2f", s > 0 ? "," : "", r.samples[k][s] * 1e6);
            std::printf("]}\n");
        }
}

/* Kernels alone, at the sizes of bench.txt. False where a sum is wrong. */
static bool print_ladder()
{
    static const size_t sizes[] = { 1024, 16384, 131072, 1 << 20, 1 << 24, 1 << 26, SCAN_COUNT_MAX };
    bool right = true;

    for (size_t n : sizes) {
        row r = {};

        r.type = SCAN_UINT32;
        r.n = n;
        if (!measure<uint32_t>(r)) {
            right = false;
            continue;
        }
        for (int k = GRAPH_CUB; k <= GRAPH_EXPERT; k++)
            std::printf("{\"what\":\"%s\",\"measure\":\"kernel\",\"size\":%zu,\"median_s\":%.4g,\"q1\":%.4g,"
                        "\"q3\":%.4g,\"rate\":%.5g,\"unit\":\"GB/s\"}\n",
                        series_names[k][0], n, r.median(k), r.quantile(k, 2), r.quantile(k, 6),
                        (double)n * 8 * 1e-9 / r.median(k));
    }
    return right;
}

/* The steps and CUB at a few sizes: calls, in microseconds. */
static void print_steps()
{
    static const struct {
        const char *name;
        call_function *call;
    } steps[] = {
        { "simple", call_step<simple::simple_user> },
        { "baseline", call_step<baseline::baseline_user> },
        { "1_two_passes", call_step<two_passes::two_passes_user> },
        { "2_look_back", call_step<look_back::look_back_user> },
        { "expert", call_expert<uint32_t> },
        { "CUB", call_cub<uint32_t> },
    };
    static const size_t sizes[] = { 1000, 100000, 1 << 20, 1 << 24, SCAN_COUNT_MAX };

    std::printf("\n%-14s", "uint32, calls");
    for (size_t n : sizes)
        std::printf(" %11zu", n);
    for (const auto &step : steps) {
        std::printf("\n%-14s", step.name);
        for (size_t n : sizes) {
            turns t = turns_for(n * sizeof(uint32_t));
            std::vector<double> samples;

            time_calls(step.call, t, n);
            for (int s = 0; s < SAMPLES; s++)
                samples.push_back(time_calls(step.call, t, n));
            std::sort(samples.begin(), samples.end());
            std::printf(" %11.2f", samples[SAMPLES / 2] * 1e6);
        }
    }
    std::printf("\n");
}

static void print_machine()
{
    cudaDeviceProp properties;
    int driver, runtime;

    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    std::printf("%s, CUDA %d.%d, driver for CUDA %d.%d, CCCL %d.%d.%d; microseconds a call, medians of %d\n",
                properties.name, runtime / 1000, runtime % 1000 / 10, driver / 1000, driver % 1000 / 10,
                CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION, SAMPLES);
}

static void set_up()
{
    gpu.scratch_size = (size_t)64 << 20;
    CUDA_CHECK(cudaMalloc(&gpu.values, ROOM));
    CUDA_CHECK(cudaMalloc(&gpu.sums, ROOM));
    CUDA_CHECK(cudaMalloc(&gpu.scratch, gpu.scratch_size));
    CUDA_CHECK(cudaMalloc(&gpu.exact, SCAN_COUNT_MAX * sizeof(double)));
    CUDA_CHECK(cudaMalloc(&gpu.largest, SCAN_COUNT_MAX * sizeof(double)));
    CUDA_CHECK(cudaMalloc(&gpu.wrong, sizeof *gpu.wrong));
    CUDA_CHECK(cudaStreamCreate(&gpu.stream));
    expert::expert_setup();
    baseline::baseline_setup();
    two_passes::two_passes_setup();
    look_back::look_back_setup();
}

int main(int argc, char **argv)
{
    std::vector<row> rows;
    bool right = true;

    if (argc > 3)
        bench_usage("bench_gpu [SEED [COUNT]]");
    if (argc == 1) {
        set_up();
        return print_ladder() ? 0 : 1;
    }

    const uint64_t seed = bench_number(argv[1], "SEED", 0, UINT32_MAX);
    const uint64_t count = argc == 3 ? bench_number(argv[2], "COUNT", 1, 1000) : 30;
    std::mt19937_64 random(seed);

    set_up();
    print_machine();
    std::printf("sizes by the seed %llu\n", (unsigned long long)seed);
    for (uint64_t i = 0; i < count; i++) {
        row r = {};

        r.type = (int)(i % 3);
        r.n = std::min<size_t>(SCAN_COUNT_MAX, (size_t)std::exp2((double)(random() >> 11) * 0x1p-53 * 28));
        right = (r.type == SCAN_UINT32   ? measure<uint32_t>(r)
                 : r.type == SCAN_UINT64 ? measure<uint64_t>(r)
                                         : measure<float>(r)) && right;
        if (!r.samples[0].empty())
            rows.push_back(r);
    }
    print_steps();
    print_rows(rows);
    return right ? 0 : 1;
}
