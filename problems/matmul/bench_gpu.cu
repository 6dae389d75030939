/*
 * bench_gpu.cu - the jury's matrix products on a GPU beside cuBLAS, in one process: bench_gpu [M N K]..., or
 * bench_gpu population SEED [COUNT]: kernels of the experts alone, at COUNT sizes (40) that are drawn from SEED out of
 * all that the statement allows, and a summary. A side is from 1 to 16384, each power of two as likely.
 * bench_gpu plans SEED [COUNT]: as population, but of the float32 expert the plans that its model takes for the fastest
 * are all measured. bench_gpu fit FILE...: fits the model's constants to such rows; needs no GPU. See plans.cuh.
 *
 * Prints a JSON object a row:
 *
 *   what      the submission, or cublasSgemm (pedantic float32)
 *   measure   kernel: matrices on the device before and after; call: device_user() with page-locked matrices of the
 *             host (of cuBLAS: copies to, product, copy back, one after the other)
 *   size      "M N K"
 *   median_s, min_s, q1, q3   seconds; 11 measurements after a warm-up, 5 where one takes more than 50 ms. Before
 *             each of a kernel the L2 cache is overwritten
 *   rate      2 M N K / median, in TFLOP/s
 *   ratio     cublasSgemm's median of the same measure and size / this one
 *   ffma      of measure kernel: rate / (SMs x 128 x 2 x sm_mhz), the share of what float32 units can do
 *   sm_mhz    the multiprocessors' clock while the kernel ran several times in a row, by NVML; 0 if unknown
 *   worst     the largest error seen / what the rule of precision.h allows, at 4096 places; above 1 is wrong
 *
 * The matrices are uniform in [-1, 1); rows whose what ends in " wide" have exponents from -20 to 20. Exit code 1 where
 * an element is wrong, 3 where CUDA fails. `make bench-matmul-gpu` builds it (needs nvcc and cuBLAS).
 */
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <dlfcn.h>
#include <functional>
#include <type_traits>
#include <unistd.h>
#include <vector>

#include "device_user.h"
#include "problems/bench_population.h"
#include "verify/wire/submission.h"

/* The submissions, each in a namespace and with a name of its own for its entry points. */
#define device_user simple_user
namespace simple {
#include "submissions/accepted/simple.cu"
}
#undef device_user
#define device_user baseline_user
namespace baseline {
#include "submissions/accepted/baseline.cu"
}
#undef device_user
#define device_user step_1_user
namespace step_1 {
#include "submissions/accepted/1_register_tiles.cu"
}
#undef device_user
#define device_user step_2_user
namespace step_2 {
#include "submissions/accepted/2_asynchronous_copies.cu"
}
#undef device_user
#define device_user expert_user
#define device_user_setup expert_user_setup
namespace expert {
#include "submissions/accepted/expert/device_user.cu"
}
#undef device_user
#undef device_user_setup
#define device_user accurate_user
#define device_user_setup accurate_user_setup
#define FLOAT32_IS_THERE
namespace accurate {
namespace float32 = ::expert;
#include "submissions/accepted/expert_accurate/device_user.cu"
}
#undef device_user
#undef device_user_setup

static void stop(const char *what, int status)
{
    fprintf(stderr, "bench_gpu: %s failed: %d\n", what, status);
    exit(3);
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const int status_ = (int)(call);                                                                               \
        if (status_ != 0)                                                                                              \
            stop(#call, status_);                                                                                      \
    } while (0)

struct size {
    int m, n, k;
};

/* ------------------------------------------------------------------ inputs and their check */

__device__ static uint32_t hash(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(x ^ x >> 31);
}

/* Uniform in [-1, 1), or random signs, mantissas and exponents from -20 to 20. */
__global__ static void fill(float *x, size_t count, uint64_t seed, bool wide)
{
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < count; e += (size_t)gridDim.x * blockDim.x) {
        const uint32_t bits = hash((e + 1) * 0x9e3779b97f4a7c15u + seed), exponent = 107 + hash(e + (seed << 40)) % 41;

        x[e] = wide ? __uint_as_float((bits & 0x807fffffu) | exponent << 23) : (float)(int32_t)bits * 0x1p-31f;
    }
}

/* worst[0]: the bits of the largest error / tolerance at places drawn from the block's number. A block a place. */
__global__ static void check_element(const float *a, const float *b, const float *c, size s, unsigned *worst)
{
    __shared__ double sums[64], squares[64];
    const size_t i = hash(blockIdx.x * 2 + 1) % s.m, j = hash(blockIdx.x * 2 + 2) % s.n;
    double sum = 0, square = 0;

    for (int e = threadIdx.x; e < s.k; e += 64) {
        const double term = (double)a[i * s.k + e] * b[(size_t)e * s.n + j];

        sum += term;
        square += term * term;
    }
    sums[threadIdx.x] = sum;
    squares[threadIdx.x] = square;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int e = 1; e < 64; e++) {
        sum += sums[e];
        square += squares[e];
    }

    const double allowed = (4 * sqrt((double)s.k) + 8) * 0x1p-24 * (sqrt(square) + fabs(sum) / 2);
    const double error = fabs(c[i * s.n + j] - sum) / allowed;

    atomicMax(worst, __float_as_uint(error <= 1e30 ? (float)error : 1e30f)); /* NaN: 1e30 */
}

/* ------------------------------------------------------------------ the clock of the multiprocessors */

typedef int nvml_clock(void *device, int kind, unsigned *mhz);

static unsigned clock_mhz()
{
    static void *device;
    static nvml_clock *get;
    unsigned mhz = 0;

    if (!get) {
        void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
        int (*init)() = nvml ? (int (*)())dlsym(nvml, "nvmlInit_v2") : nullptr;
        int (*find)(unsigned, void **) =
            nvml ? (int (*)(unsigned, void **))dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2") : nullptr;

        if (!init || !find || init() != 0 || find(0, &device) != 0)
            return 0;
        get = (nvml_clock *)dlsym(nvml, "nvmlDeviceGetClockInfo");
    }
    return get && get(device, 1 /* NVML_CLOCK_SM */, &mhz) == 0 ? mhz : 0;
}

/* ------------------------------------------------------------------ measuring */

static struct {
    float *a, *b, *c;                /* on the device */
    float *host_a, *host_b, *host_c; /* page-locked; NULL where only kernels are measured */
    void *flush;                     /* on the device, FLUSH bytes */
    unsigned *worst;
    cublasHandle_t blas;
    int multiprocessors;
    bool wrong;
} bench;

constexpr size_t FLUSH = 128 << 20;

struct row {
    double median, min, q1, q3;
};

static row quartiles(std::vector<double> seconds)
{
    const size_t n = seconds.size();

    std::sort(seconds.begin(), seconds.end());
    return {seconds[n / 2], seconds[0], seconds[n / 4], seconds[n - 1 - n / 4]};
}

static float worst_of(const float *a, const float *b, const float *c, size s)
{
    float worst;

    TRY(cudaMemset(bench.worst, 0, sizeof *bench.worst));
    check_element<<<4096, 64>>>(a, b, c, s, bench.worst);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(&worst, bench.worst, sizeof worst, cudaMemcpyDeviceToHost));
    return worst;
}

/* Prints a row; returns its median. */
static double report(const char *what, const char *measure, size s, const row &r, double peer, unsigned mhz,
                     float worst)
{
    const double rate = 2.0 * s.m * s.n * s.k / r.median * 1e-12;

    printf("{\"problem\":\"matmul\",\"what\":\"%s\",\"measure\":\"%s\",\"size\":\"%d %d %d\",\"median_s\":%.6g,"
           "\"min_s\":%.6g,\"q1\":%.6g,\"q3\":%.6g,\"rate\":%.2f,\"unit\":\"TFLOP/s\",\"peer\":\"cublasSgemm\","
           "\"ratio\":%.3f",
           what, measure, s.m, s.n, s.k, r.median, r.min, r.q1, r.q3, rate, (peer > 0 ? peer : r.median) / r.median);
    if (mhz > 0)
        printf(",\"ffma\":%.3f", rate / (bench.multiprocessors * 256e-6 * mhz));
    printf(",\"sm_mhz\":%u,\"worst\":%.3f}\n", mhz, worst);
    fflush(stdout);
    if (!(worst <= 1))
        bench.wrong = true;
    return r.median;
}

/* fetch() brings the result to bench.c, where run() leaves it elsewhere. */
static double measure_kernel(const char *what, size s, double peer, const std::function<void()> &run,
                             const std::function<void()> &fetch = [] {})
{
    std::vector<double> seconds;
    cudaEvent_t begin, end;
    float ms;
    unsigned mhz;

    TRY(cudaEventCreate(&begin));
    TRY(cudaEventCreate(&end));
    TRY(cudaMemset(bench.c, 0xff, (size_t)s.m * s.n * sizeof(float)));
    run();
    fetch();
    TRY(cudaDeviceSynchronize());

    const float worst = worst_of(bench.a, bench.b, bench.c, s);

    do {
        TRY(cudaMemsetAsync(bench.flush, (int)seconds.size(), FLUSH));
        TRY(cudaEventRecord(begin));
        run();
        TRY(cudaEventRecord(end));
        TRY(cudaEventSynchronize(end));
        TRY(cudaEventElapsedTime(&ms, begin, end));
        seconds.push_back(ms * 1e-3);
    } while (seconds.size() < (ms > 50 ? 5 : 11));
    for (double queued = 0; queued < 0.03; queued += ms * 1e-3 + 1e-5)
        run();
    usleep(15000);
    mhz = clock_mhz();
    TRY(cudaDeviceSynchronize());
    TRY(cudaEventDestroy(begin));
    TRY(cudaEventDestroy(end));
    return report(what, "kernel", s, quartiles(seconds), peer, mhz, worst);
}

static double measure_call(const char *what, size s, double peer, const std::function<void()> &call)
{
    std::vector<double> seconds;
    struct timespec begin, end;

    memset(bench.host_c, 0xff, (size_t)s.m * s.n * sizeof(float));
    call();
    TRY(cudaMemcpy(bench.c, bench.host_c, (size_t)s.m * s.n * sizeof(float), cudaMemcpyHostToDevice));

    const float worst = worst_of(bench.a, bench.b, bench.c, s);

    do {
        clock_gettime(CLOCK_MONOTONIC, &begin);
        call();
        clock_gettime(CLOCK_MONOTONIC, &end);
        seconds.push_back((double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9);
    } while (seconds.size() < (seconds[0] > 0.05 ? 5 : 11));
    return report(what, "call", s, quartiles(seconds), peer, 0, worst);
}

static void blas(size s)
{
    const float one = 1, zero = 0;

    /* Column by column, as cuBLAS sees matrices, it is C' = B' A'. */
    TRY(cublasSgemm(bench.blas, CUBLAS_OP_N, CUBLAS_OP_N, s.n, s.m, s.k, &one, bench.b, s.n, bench.a, s.k, &zero,
                    bench.c, s.n));
}

/* As device_user() places them: b and c with a pitch of their own where it is not that of the matrices. */
struct placed {
    float *b, *c;
    int pitch;
};

static placed place_expert(size s)
{
    const int pitch = expert::pitch_of(s.n, s.k);
    float *const b = (float *)expert::device.memory;

    if (pitch == s.n)
        return {bench.b, bench.c, pitch};
    TRY(cudaMemcpy2D(b, pitch * sizeof(float), bench.b, s.n * sizeof(float), s.n * sizeof(float), s.k,
                     cudaMemcpyDeviceToDevice));
    return {b, b + expert::round_up((size_t)s.k * pitch, 64), pitch};
}

static void run_expert(size s, const placed &at)
{
    expert::launch(bench.a, at.b, at.c, s.m, s.n, s.k, at.pitch, expert::device.workspace[0], 0);
}

static void fetch_expert(size s, const placed &at)
{
    if (at.c != bench.c)
        TRY(cudaMemcpy2D(bench.c, s.n * sizeof(float), at.c, at.pitch * sizeof(float), s.n * sizeof(float), s.m,
                         cudaMemcpyDeviceToDevice));
}

/* As device_user() does where nothing is cut into panels, with the matrices of the bench. */
static void run_accurate(size s, const placed &placed)
{
    if (!accurate::is_for_tensor_cores(s.m, s.n, s.k)) {
        run_expert(s, placed);
        return;
    }

    accurate::placed at = accurate::place(s.m, s.n, s.k);

    at.a = bench.a;
    at.b = bench.b;
    at.c = bench.c;
    at.rows.x = bench.a;
    at.columns.x = bench.b;
    accurate::launch_cut(at.rows, {0, s.m}, at.columns, {0, s.n}, 0);
    accurate::launch_rectangle(at, s.n, s.k, {0, 0, s.m, s.n}, 0);
}

static void fetch_accurate(size s, const placed &at)
{
    if (!accurate::is_for_tensor_cores(s.m, s.n, s.k))
        fetch_expert(s, at);
}

static void fill_inputs(size s, bool wide)
{
    const size_t a = (size_t)s.m * s.k, b = (size_t)s.k * s.n;

    fill<<<1024, 256>>>(bench.a, a, 1, wide);
    fill<<<1024, 256>>>(bench.b, b, 2, wide);
    TRY(cudaGetLastError());
    if (!bench.host_a)
        return;
    TRY(cudaMemcpy(bench.host_a, bench.a, a * sizeof(float), cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(bench.host_b, bench.b, b * sizeof(float), cudaMemcpyDeviceToHost));
}

static void measure(size s)
{
    const size_t a = (size_t)s.m * s.k * sizeof(float), b = (size_t)s.k * s.n * sizeof(float);
    const size_t c = (size_t)s.m * s.n * sizeof(float);
    const dim3 block(16, 16), grid((s.n + 15) / 16, (s.m + 15) / 16);
    const dim3 step_grid((s.n + 127) / 128, (s.m + 127) / 128);
    const bool slow = (double)s.m * s.n * s.k > 1e11; /* for the simple ones */

    fill_inputs(s, false);

    const double kernel = measure_kernel("cublasSgemm", s, 0, [&] { blas(s); });

    const placed at = place_expert(s);

    measure_kernel("expert", s, kernel, [&] { run_expert(s, at); }, [&] { fetch_expert(s, at); });
    measure_kernel("expert_accurate", s, kernel, [&] { run_accurate(s, at); }, [&] { fetch_accurate(s, at); });
    measure_kernel("2_asynchronous_copies.cu", s, kernel,
                   [&] { step_2::multiply<<<step_grid, 256>>>(bench.a, bench.b, bench.c, s.m, s.n, s.k); });
    measure_kernel("1_register_tiles.cu", s, kernel,
                   [&] { step_1::multiply<<<step_grid, 256>>>(bench.a, bench.b, bench.c, s.m, s.n, s.k); });
    if (!slow) {
        measure_kernel("baseline.cu", s, kernel,
                       [&] { baseline::multiply<<<grid, block>>>(bench.a, bench.b, bench.c, s.m, s.n, s.k); });
        measure_kernel("simple.cu", s, kernel,
                       [&] { simple::multiply<<<grid, block>>>(bench.a, bench.b, bench.c, s.m, s.n, s.k); });
    }

    const double call = measure_call("cublasSgemm", s, 0, [&] {
        TRY(cudaMemcpyAsync(bench.a, bench.host_a, a, cudaMemcpyHostToDevice));
        TRY(cudaMemcpyAsync(bench.b, bench.host_b, b, cudaMemcpyHostToDevice));
        blas(s);
        TRY(cudaMemcpy(bench.host_c, bench.c, c, cudaMemcpyDeviceToHost));
    });

    measure_call("expert", s, call,
                 [&] { expert::expert_user(bench.host_a, bench.host_b, bench.host_c, s.m, s.n, s.k); });
    measure_call("expert_accurate", s, call,
                 [&] { accurate::accurate_user(bench.host_a, bench.host_b, bench.host_c, s.m, s.n, s.k); });
    if (!slow)
        measure_call("baseline.cu", s, call,
                     [&] { baseline::baseline_user(bench.host_a, bench.host_b, bench.host_c, s.m, s.n, s.k); });
    fill_inputs(s, true);

    const placed wide = place_expert(s);

    measure_kernel("expert_accurate wide", s, kernel, [&] { run_accurate(s, wide); },
                   [&] { fetch_accurate(s, wide); });
}

/* Memory for the largest matrix of any of the sizes, in place of what there was; the host's only for calls. The
 * expert reads B to the end of its last 16 bytes. */
static void make_room(const std::vector<size> &sizes, bool calls)
{
    float **const on_device[] = {&bench.a, &bench.b, &bench.c};
    float **const on_host[] = {&bench.host_a, &bench.host_b, &bench.host_c};
    size_t most[3] = {};

    for (const size &s : sizes) {
        most[0] = std::max(most[0], (size_t)s.m * s.k);
        most[1] = std::max(most[1], (size_t)s.k * s.n);
        most[2] = std::max(most[2], (size_t)s.m * s.n);
    }
    for (int e = 0; e < 3; e++) {
        TRY(cudaFree(*on_device[e]));
        TRY(cudaMalloc(on_device[e], (most[e] + 4) * sizeof(float)));
        if (calls)
            TRY(cudaMallocHost(on_host[e], most[e] * sizeof(float)));
    }
}

static void set_up()
{
    TRY(cudaMalloc(&bench.flush, FLUSH));
    TRY(cudaMalloc(&bench.worst, sizeof *bench.worst));
    TRY(cublasCreate(&bench.blas));
    TRY(cublasSetMathMode(bench.blas, CUBLAS_PEDANTIC_MATH));
    TRY(cudaDeviceGetAttribute(&bench.multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    expert::expert_user_setup();
    accurate::accurate_user_setup();
}

/* Above so many products a good kernel is limited by them, and not by its launch. */
constexpr double LARGE_PRODUCTS = 1 << 30;

static size draw(population &drawn)
{
    size s;

    do
        s = {(int)drawn.between(1, MATMUL_SIDE_MAX), (int)drawn.between(1, MATMUL_SIDE_MAX),
             (int)drawn.between(1, MATMUL_SIDE_MAX)};
    while ((size_t)s.m * s.k + (size_t)s.k * s.n + (size_t)s.m * s.n > MATMUL_ELEMENTS_MAX);
    return s;
}

static void measure_population(population &drawn)
{
    ratios plain("expert", "cublasSgemm"), large("expert_accurate above 2^30 products", "cublasSgemm"),
        small("expert_accurate up to 2^30 products", "cublasSgemm"),
        wide("expert_accurate wide", "cublasSgemm");

    for (uint64_t i = 0; i < drawn.count; i++) {
        const size s = draw(drawn);

        make_room({s}, false);
        fill_inputs(s, false);

        const std::string name = std::to_string(s.m) + " " + std::to_string(s.n) + " " + std::to_string(s.k);
        const double kernel = measure_kernel("cublasSgemm", s, 0, [&] { blas(s); });
        const placed at = place_expert(s);

        plain.add(name, kernel / measure_kernel("expert", s, kernel, [&] { run_expert(s, at); },
                                                [&] { fetch_expert(s, at); }));
        ((double)s.m * s.n * s.k > LARGE_PRODUCTS ? large : small)
            .add(name, kernel / measure_kernel("expert_accurate", s, kernel, [&] { run_accurate(s, at); },
                                               [&] { fetch_accurate(s, at); }));
        fill_inputs(s, true);

        const placed far = place_expert(s);

        wide.add(name, kernel / measure_kernel("expert_accurate wide", s, kernel, [&] { run_accurate(s, far); },
                                               [&] { fetch_accurate(s, far); }));
    }
    for (const ratios *r : {&plain, &large, &small, &wide})
        r->print("matmul", drawn);
}

#include "plans.cuh"

static int side(const char *text, const char *what) { return (int)bench_number(text, what, 1, MATMUL_SIDE_MAX); }

int main(int argc, char **argv)
{
    static const char usage[] = "bench_gpu [M N K]..., three arguments a size, "
                                "bench_gpu population SEED [COUNT], bench_gpu plans SEED [COUNT], or "
                                "bench_gpu fit FILE...";
    std::vector<size> sizes;
    population drawn;

    if (drawn.asked(argc, argv, usage)) {
        set_up();
        measure_population(drawn);
        return bench.wrong;
    }
    if (argc > 2 && strcmp(argv[1], "fit") == 0)
        return fit_plans(argc - 2, argv + 2);
    if (drawn.asked(argc, argv, usage, "plans")) {
        set_up();
        measure_plans(drawn);
        return bench.wrong;
    }
    if ((argc - 1) % 3 != 0)
        bench_usage(usage);
    for (int e = 1; e < argc; e += 3)
        sizes.push_back({side(argv[e], "M"), side(argv[e + 1], "N"), side(argv[e + 2], "K")});
    if (sizes.empty())
        sizes = {{1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192},
                 {4099, 2053, 3001}, {16384, 1024, 4096}, {1024, 16384, 2048}};
    set_up();
    make_room(sizes, true);
    for (const size &s : sizes)
        measure(s);
    return bench.wrong;
}
