/*
 * bench_gpu.cu - the expert beside the baselines and the CPU, in one process: diffevo_gpu [REPEATS [SIZES [PEERS]]], or
 * diffevo_gpu population SEED [COUNT]: the expert and the fused baseline alone, and a summary. COUNT inputs (40) are
 * drawn from SEED, out of all that the statement allows and a second of the baseline can do.
 *
 * Each row has the times of all versions that are fast enough for it: expert, the ladder before it, baseline.cu
 * (fused, in streams), naive.cu (one kernel per stage), and the AVX-512 reference on all cores. A time is the
 * wall clock of the whole device_user(), with copies from and to page-locked memory, after one call that is not
 * counted. All results are compared, bit for bit. Prints a JSON object for each row and version; SIZES and
 * PEERS are parts of names. First it prints the rates of the instructions that Philox consists of. Exit code 1: results
 * differ.
 */
#include <cooperative_groups.h>

#include <algorithm>
#include <cfloat>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cuda_user.h"
#include "diffevo.h"
#include "problems/bench_population.h"

extern "C" {
#include "evolve.h"
}

/* The submissions, each with its own check() and its own device_user(). */
#define device_user_setup expert_setup
#define device_user expert_user
namespace expert {
#include "submissions/accepted/expert/device_user.cu"
}
#undef CHECK
#undef device_user_setup
#undef device_user
#define device_user shared_user
namespace ladder {
#include "submissions/accepted/1_shared.cu"
}
#undef CHECK
#undef device_user
#define device_user baseline_user
namespace baseline {
#include "submissions/accepted/baseline.cu"
}
#undef CHECK
#undef device_user
#define device_user naive_user
namespace naive {
#include "submissions/accepted/naive.cu"
}
#undef CHECK
#undef device_user

/* ------------------------------------------------------------------ rates of instructions */

const int RATE_STEPS = 4096, RATE_CHAINS = 8;

/* KIND 0: a wide multiplication; 1: a three-way exclusive or; 2: both, as a round of Philox has them. */
template <int KIND> __global__ void rate(uint32_t *out, uint32_t a, uint32_t b)
{
    uint32_t x[RATE_CHAINS], y[RATE_CHAINS];

    for (int c = 0; c < RATE_CHAINS; c++) {
        x[c] = threadIdx.x * a + c;
        y[c] = threadIdx.x ^ b ^ c;
    }
#pragma unroll 8
    for (int s = 0; s < RATE_STEPS; s++)
#pragma unroll
        for (int c = 0; c < RATE_CHAINS; c++) {
            if (KIND == 0) {
                uint64_t p = (uint64_t)x[c] * 0xd2511f53u;

                asm volatile("" : "+l"(p)); /* both halves are wanted */
                x[c] = (uint32_t)(p >> 32);
            } else if (KIND == 1) {
                asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x[c]) : "r"(y[c]), "r"(b));
            } else {
                uint64_t p = (uint64_t)x[c] * 0xd2511f53u;

                x[c] = (uint32_t)(p >> 32) ^ y[c] ^ b;
                y[c] = (uint32_t)p;
            }
        }
    uint32_t sum = 0;
    for (int c = 0; c < RATE_CHAINS; c++)
        sum ^= x[c] ^ y[c];
    if (sum == 12345)
        *out = sum;
}

template <int KIND> static void print_rate(const char *what)
{
    int processors;
    uint32_t *out;
    cudaEvent_t from, to;
    float best = FLT_MAX, ms;

    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    CUDA_CHECK(cudaMalloc(&out, sizeof *out));
    CUDA_CHECK(cudaEventCreate(&from));
    CUDA_CHECK(cudaEventCreate(&to));
    for (int k = 0; k < 6; k++) {
        CUDA_CHECK(cudaEventRecord(from));
        rate<KIND><<<4 * processors, 512>>>(out, 77777, 33333);
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaEventRecord(to));
        CUDA_CHECK(cudaEventSynchronize(to));
        CUDA_CHECK(cudaEventElapsedTime(&ms, from, to));
        best = std::min(best, ms);
    }
    std::printf("{\"problem\":\"diffevo\",\"what\":\"rate of %s\",\"min_s\":%.6g,\"rate\":%.4g,\"unit\":\"1/s\"}\n",
                what, best * 1e-3, 4.0 * processors * 512 * RATE_STEPS * RATE_CHAINS / (best * 1e-3));
    CUDA_CHECK(cudaFree(out));
    CUDA_CHECK(cudaEventDestroy(from));
    CUDA_CHECK(cudaEventDestroy(to));
}

/* ------------------------------------------------------------------ problems */

/* One row: `count` problems of one shape. */
struct row {
    uint32_t function, count, dimension, population, generations, crossover;
    bool rotated;
    double naive_limit; /* seconds that naive.cu may take, about; 0: it is left out */
};

/* A call's input and output. */
struct call {
    std::vector<diffevo_problem> problems;
    std::vector<diffevo_result> results;
    float *data, *x; /* page-locked */
    size_t x_count;
};

static call make_call(const row &r)
{
    static const float bounds[DIFFEVO_FUNCTIONS] = { 100, 30, 5.12f, 32, 600, 500 };
    size_t each = r.dimension * (r.rotated ? 1 + r.dimension : 1), n = 0;
    call c = { std::vector<diffevo_problem>(r.count), std::vector<diffevo_result>(r.count), NULL, NULL,
               (size_t)r.count * r.dimension };

    CUDA_CHECK(cudaMallocHost(&c.data, r.count * each * sizeof(float)));
    CUDA_CHECK(cudaMallocHost(&c.x, c.x_count * sizeof(float)));
    for (uint32_t k = 0; k < r.count; k++) {
        float bound = bounds[r.function];
        diffevo_problem p = { r.function, r.dimension, r.population, r.generations, r.crossover, { k, 20260101 }, 1,
                              (uint32_t)n, DIFFEVO_NO_ROTATION, k * r.dimension, 0.5f, -bound, bound, -FLT_MAX };

        for (uint32_t j = 0; j < r.dimension; j++)
            c.data[n++] = de_initial(de_philox(k, j, 0, 0, 0, 9).w[0], -0.8f * bound, 0.8f * bound);
        if (r.rotated) { /* reflection at a plane: as good as any */
            std::vector<double> v(r.dimension);
            double square = 0;

            p.rotation = (uint32_t)n;
            for (uint32_t j = 0; j < r.dimension; j++) {
                v[j] = de_initial(de_philox(k, j, 1, 0, 0, 9).w[0], -1, 1);
                square += v[j] * v[j];
            }
            for (uint32_t i = 0; i < r.dimension; i++)
                for (uint32_t j = 0; j < r.dimension; j++)
                    c.data[n++] = (float)((i == j) - 2 * v[i] * v[j] / square);
        }
        c.problems[k] = p;
    }
    return c;
}

typedef void user(int, const struct diffevo_problem *, int, const float *, struct diffevo_result *, float *);

static void on_all_cores(int, const diffevo_problem *problems, int count, const float *data, diffevo_result *results,
                         float *x)
{
    std::vector<std::thread> threads;
    unsigned cores = std::max(1u, std::thread::hardware_concurrency());

    for (unsigned t = 0; t < cores; t++)
        threads.emplace_back([=] {
            for (int k = (int)t; k < count; k += (int)cores)
                if (!diffevo_evolve(diffevo_isa_best(), &problems[k], data, &results[k], x + problems[k].x))
                    std::abort();
        });
    for (std::thread &thread : threads)
        thread.join();
}

static bool same(const std::vector<diffevo_result> &a, const std::vector<diffevo_result> &b)
{
    for (size_t k = 0; k < a.size(); k++)
        if (a[k].checksum != b[k].checksum || a[k].index != b[k].index || a[k].evaluations != b[k].evaluations ||
            a[k].generations != b[k].generations || std::memcmp(&a[k].best, &b[k].best, sizeof a[k].best) != 0)
            return false;
    return true;
}

static std::vector<double> time_calls(user *function, call &c, int repeats)
{
    std::vector<double> seconds;

    for (int n = 0; n < repeats; n++) {
        auto from = std::chrono::steady_clock::now();

        function(DIFFEVO_PRESCRIBED, c.problems.data(), (int)c.problems.size(), c.data, c.results.data(), c.x);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count());
        if (seconds.size() == 3 && seconds.back() > 0.5)
            break;
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds;
}

static const char *const names[DIFFEVO_FUNCTIONS] = { "sphere", "rosenbrock", "rastrigin",
                                                      "ackley", "griewank",   "schwefel" };

static std::string name_of(const row &r)
{
    char name[120];

    std::snprintf(name, sizeof name, "%s %u d=%u np=%u g=%u%s", names[r.function], r.count, r.dimension, r.population,
                  r.generations, r.rotated ? " rotated" : "");
    return name;
}

/* Numbers that the baseline works on in a second, about: coordinates of all trials, and in rotated problems rows. */
static const double MOST_WORK = 3e10;

static row draw(population &drawn)
{
    for (;;) {
        const uint32_t d = (uint32_t)drawn.between(DIFFEVO_DIMENSION_MIN, DIFFEVO_DIMENSION_MAX);
        const row r = { drawn.below(DIFFEVO_FUNCTIONS),
                        (uint32_t)drawn.between(1, DIFFEVO_COUNT_MAX),
                        d,
                        DIFFEVO_POPULATION_MIN * d +
                            drawn.below((DIFFEVO_POPULATION_MAX - DIFFEVO_POPULATION_MIN) * d + 1),
                        (uint32_t)drawn.between(1, DIFFEVO_GENERATIONS_MAX),
                        drawn.below(DIFFEVO_CROSSOVER_ONE + 1),
                        drawn.below(2) != 0,
                        0 };
        const double each = r.rotated ? 1.0 + d : 1.0;

        if (r.count * d * each <= DIFFEVO_DATA_MAX &&
            (double)r.count * r.population * (r.generations + 1.0) * d * each <= MOST_WORK)
            return r;
    }
}

static void print_population_row(const row &r, const char *peer, const std::vector<double> &s, bool equal)
{
    std::printf("{\"problem\":\"diffevo\",\"what\":\"device_user\",\"size\":\"%s\",\"peer\":\"%s\",\"median_s\":%.6g,"
                "\"min_s\":%.6g,\"q1\":%.6g,\"q3\":%.6g,\"same\":%s}\n",
                name_of(r).c_str(), peer, s[s.size() / 2], s[0], s[s.size() / 4], s[s.size() * 3 / 4],
                equal ? "true" : "false");
    std::fflush(stdout);
}

/* The expert beside the fused baseline; whether all results are the same. */
static bool measure_population(population &drawn)
{
    ratios found("expert", "baseline");
    bool ok = true;

    for (uint64_t i = 0; i < drawn.count; i++) {
        const row r = draw(drawn);
        call c = make_call(r);

        time_calls(expert::expert_user, c, 1); /* not counted: it allocates, and loads kernels */
        const std::vector<double> fast = time_calls(expert::expert_user, c, 11);
        const std::vector<diffevo_result> results = c.results;
        const std::vector<float> x(c.x, c.x + c.x_count);

        std::memset(c.results.data(), 0, c.results.size() * sizeof c.results[0]);
        time_calls(baseline::baseline_user, c, 1);
        const std::vector<double> slow = time_calls(baseline::baseline_user, c, 5);
        const bool equal = same(results, c.results) && x == std::vector<float>(c.x, c.x + c.x_count);

        print_population_row(r, "expert", fast, equal);
        print_population_row(r, "baseline", slow, equal);
        found.add(name_of(r), slow[slow.size() / 2] / fast[fast.size() / 2]);
        ok = ok && equal;
        CUDA_CHECK(cudaFreeHost(c.data));
        CUDA_CHECK(cudaFreeHost(c.x));
    }
    found.print("diffevo", drawn);
    return ok;
}

int main(int argc, char **argv)
{
    static const char usage[] = "diffevo_gpu [REPEATS [SIZES [PEERS]]], or diffevo_gpu population SEED [COUNT]";
    population drawn;

    if (drawn.asked(argc, argv, usage))
        return measure_population(drawn) ? 0 : 1;
    int repeats = argc > 1 ? (int)bench_number(argv[1], "REPEATS", 1, 1000) : 11;
    const char *sizes = argc > 2 ? argv[2] : "", *wanted = argc > 3 ? argv[3] : "";
    static const uint32_t CR9 = 58982, CR1 = 6553, CR3 = 19660;
    static const row rows[] = {
        { DIFFEVO_SPHERE, 1, 30, 150, 200, CR9, false, 1 },       { DIFFEVO_SPHERE, 16, 30, 150, 200, CR9, false, 1 },
        { DIFFEVO_SPHERE, 132, 30, 150, 200, CR9, false, 1 },     { DIFFEVO_SPHERE, 528, 30, 150, 200, CR9, false, 0 },
        { DIFFEVO_SPHERE, 1000, 30, 150, 500, CR9, false, 0 },    { DIFFEVO_SPHERE, 6600, 30, 150, 500, CR9, false, 0 },
        { DIFFEVO_SPHERE, 1000, 30, 300, 200, CR9, false, 0 },    { DIFFEVO_SPHERE, 1000, 4, 40, 200, CR9, false, 0 },
        { DIFFEVO_SPHERE, 1000, 16, 80, 200, CR9, false, 0 },     { DIFFEVO_SPHERE, 1000, 64, 320, 100, CR9, false, 0 },
        { DIFFEVO_SPHERE, 264, 64, 640, 100, CR9, false, 0 },     { DIFFEVO_SPHERE, 132, 128, 640, 100, CR9, false, 0 },
        { DIFFEVO_SPHERE, 132, 128, 1280, 100, CR9, false, 0 },
        { DIFFEVO_ROSENBROCK, 1000, 30, 150, 200, CR9, false, 0 },
        { DIFFEVO_RASTRIGIN, 1000, 30, 150, 200, CR1, false, 0 }, { DIFFEVO_ACKLEY, 1000, 30, 150, 200, CR9, false, 0 },
        { DIFFEVO_GRIEWANK, 1000, 30, 150, 200, CR3, false, 0 },
        { DIFFEVO_SCHWEFEL, 1000, 30, 150, 200, CR1, false, 0 },
        { DIFFEVO_RASTRIGIN, 1000, 30, 150, 100, CR9, true, 0 },  { DIFFEVO_ACKLEY, 128, 64, 320, 100, CR9, true, 0 },
    };
    static const struct {
        const char *name;
        user *function;
    } peers[] = { { "expert", expert::expert_user },
                  { "1_shared", ladder::shared_user },
                  { "baseline", baseline::baseline_user },
                  { "naive", naive::naive_user },
                  { "AVX-512 reference, all cores", on_all_cores } };
    bool ok = true;

    if (argc > 4)
        bench_usage(usage);
    print_rate<0>("wide multiplications");
    print_rate<1>("LOP3");
    print_rate<2>("both alternating, each");
    for (const row &r : rows) {
        const std::string name = name_of(r);
        const char *size = name.c_str();
        call c = make_call(r);
        std::vector<diffevo_result> first;
        std::vector<float> first_x;

        for (const auto &peer : peers) {
            if (!std::strstr(size, sizes) || !std::strstr(peer.name, wanted) ||
                (peer.function == naive::naive_user && r.naive_limit == 0))
                continue;
            std::vector<double> s = time_calls(peer.function, c, 1); /* not counted: it allocates, and loads kernels */
            bool slow = s[0] > 0.5;

            if (!slow)
                s = time_calls(peer.function, c, peer.function == on_all_cores ? std::min(repeats, 3) : repeats);
            double evaluations = (double)r.count * r.population * (r.generations + 1), median = s[s.size() / 2];
            /* Of a sphere, in each dimension: a difference, a product and a sum for the trial, a square and a sum. */
            double operations = r.function == DIFFEVO_SPHERE && !r.rotated ? evaluations * r.dimension * 5 : 0;
            double bytes =
                (double)r.count * (sizeof(diffevo_problem) + sizeof(diffevo_result) + r.dimension * sizeof(float));
            std::vector<float> x(c.x, c.x + c.x_count);
            bool equal = first.empty() || (same(first, c.results) && first_x == x);

            if (first.empty()) {
                first = c.results;
                first_x = x;
            }
            ok = ok && equal;
            std::printf("{\"problem\":\"diffevo\",\"what\":\"device_user\",\"size\":\"%s\",\"peer\":\"%s\","
                        "\"median_s\":%.6g,\"min_s\":%.6g,\"q1\":%.6g,\"q3\":%.6g,\"rate\":%.4g,"
                        "\"unit\":\"evaluations/s\",\"same\":%s",
                        size, peer.name, median, s[0], s[s.size() / 4], s[s.size() * 3 / 4], evaluations / median,
                        equal ? "true" : "false");
            if (operations > 0 && peer.function != on_all_cores)
                std::printf(",\"operations\":%.6g,\"bytes\":%.6g", operations, bytes);
            std::printf("}\n");
            std::fflush(stdout);
        }
        CUDA_CHECK(cudaFreeHost(c.data));
        CUDA_CHECK(cudaFreeHost(c.x));
    }
    return ok ? 0 : 1;
}
