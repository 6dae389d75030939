/*
 * bench_gpu.cu - the expert beside the other submissions and the CPU, in one process: cointsp_gpu FOLDER [REPEATS
 * [PEERS]], or cointsp_gpu population SEED [COUNT]: the expert and the reference on one core alone, in single runs,
 * and a summary. COUNT instances (40) are drawn from SEED: from 24 cities to the most that the statement allows, each
 * power of two as likely, as are populations up to 8192 and generations up to 1000, as far as a core does it in 2 s.
 *
 * FOLDER has TSPLIB files (get_tsplib.sh). Each instance is given to expert, its ladder, warp.cu, baseline.cu and
 * the vectorised reference on one core, whose results must be the same in every bit. Times are the wall clock's around
 * device_user(), with copies from and to page-locked memory; one call before is not counted. Then many runs at once,
 * one a multiprocessor, beside the reference on all cores. A JSON object a line; PEERS is a part of names. Exit code 1:
 * results differ.
 */
#include <cooperative_groups.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <cub/cub.cuh>

#include "cointsp_bits.h"
#include "cuda_user.h"
#include "include/device_user.h"
#include "problems/bench_population.h"

/* The submissions, each with its own check() and its own device_user(). */
#define device_user_setup expert_setup
#define device_user expert_user
namespace expert {
#include "submissions/accepted/expert/device_user.cu"
}
#undef CHECK
#undef ALL
#undef device_user_setup
#undef device_user
#define device_user one_kernel_user
namespace one_kernel {
#include "submissions/accepted/1_one_kernel.cu"
}
#undef CHECK
#undef ALL
#undef device_user
#define device_user warp_user
namespace warp {
#include "submissions/accepted/warp.cu"
}
#undef CHECK
#undef ALL
#undef device_user
#define device_user baseline_user
namespace baseline {
#include "submissions/accepted/baseline.cu"
}
#undef CHECK
#undef device_user

extern "C" {
#include "coin.h"
#include "tsplib.h"
#include "verify/base/blob.h"
#include "verify/base/parallel.h"
}

/* One call, or many runs: a case, its instance, and where results go. */
struct work {
    std::string name;
    cointsp_case c;
    uint32_t runs;                   /* 1: device_user(); more: keys { 1 ... runs, 0 } */
    int32_t *distance;               /* page-locked */
    cointsp_generation *generations; /* [runs][G], page-locked */
    int32_t *tours;                  /* [runs][n], page-locked */
};

static cointsp_tsplib load(const char *folder, const char *name)
{
    std::string path = std::string(folder) + "/" + name + ".tsp";
    cointsp_tsplib instance = {};
    blob file = {};
    error error;

    if (!blob_read_file(&file, path.c_str(), 1 << 26, &error) ||
        !cointsp_tsplib_parse(path.c_str(), (const char *)file.data, file.size, &instance, &error)) {
        std::fprintf(stderr, "cointsp_gpu: %s\n", error.text);
        std::exit(error.code);
    }
    blob_release(&file);
    return instance;
}

static void by_user(void (*user)(const cointsp_case *, const int32_t *, cointsp_generation *, int32_t *), work &w)
{
    for (uint32_t r = 0; r < w.runs; r++) {
        cointsp_case c = w.c;

        c.key[0] = 1 + r;
        c.key[1] = 0;
        user(&c, w.distance, w.generations + (size_t)r * c.generations, w.tours + (size_t)r * c.n);
    }
}

static void at_once(work &w)
{
    std::vector<uint32_t> keys(2 * w.runs);

    for (uint32_t r = 0; r < w.runs; r++)
        keys[2 * r] = 1 + r;
    expert::run_all(w.c, w.runs, keys.data(), w.distance, w.generations, w.tours);
}

/* The reference, a run a core. */
static void on_cores(work &w)
{
    std::vector<std::thread> threads;
    std::atomic<uint32_t> next(0);

    for (unsigned t = 0; t < std::max(1u, std::min(std::thread::hardware_concurrency(), w.runs)); t++)
        threads.emplace_back([&] {
            for (uint32_t r; (r = next++) < w.runs;) {
                cointsp_case c = w.c;

                c.key[0] = 1 + r;
                c.key[1] = 0;
                if (!cointsp_coin(&c, w.distance, w.generations + (size_t)r * c.generations, w.tours + (size_t)r * c.n))
                    std::abort();
            }
        });
    for (std::thread &thread : threads)
        thread.join();
}

static double seconds_of(const std::function<void(work &)> &carry_out, work &w)
{
    auto from = std::chrono::steady_clock::now();

    carry_out(w);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

/*
 * Times the peers on w; whether all results are the same. With `found`, only the expert and the reference run, and how
 * many times as fast the expert is goes there.
 */
static bool compare(work &w, int repeats, const char *wanted, bool slow_peers, ratios *found)
{
    const struct {
        const char *name;
        std::function<void(work &)> carry_out;
        bool slow;
    } peers[] = {
        { w.runs == 1 ? "expert" : "expert, all at once", w.runs == 1 ? [](work &x) { by_user(expert::expert_user, x); }
                                                                      : at_once, false },
        { "1_one_kernel", [](work &x) { by_user(one_kernel::one_kernel_user, x); }, w.runs > 1 },
        { "warp", [](work &x) { by_user(warp::warp_user, x); }, w.runs > 1 },
        { "baseline", [](work &x) { by_user(baseline::baseline_user, x); }, true },
        { w.runs == 1 ? "reference, one core" : "reference, all cores", on_cores, false },
    };
    std::vector<cointsp_generation> generations;
    std::vector<int32_t> tours;
    size_t generation_count = (size_t)w.runs * w.c.generations, city_count = (size_t)w.runs * w.c.n;
    double expert_seconds = 0;
    bool ok = true;

    for (const auto &peer : peers) {
        const bool one_of_two = &peer == &peers[0] || std::strstr(peer.name, "reference");
        std::vector<double> s;

        if (!std::strstr(peer.name, wanted) || (peer.slow && !slow_peers) || (found && !one_of_two))
            continue;
        std::memset(w.generations, 0, generation_count * sizeof *w.generations);
        s.push_back(seconds_of(peer.carry_out, w)); /* not counted: it allocates, and loads kernels */
        if (s[0] < 0.25) {
            s.clear();
            for (int k = 0; k < repeats; k++)
                s.push_back(seconds_of(peer.carry_out, w));
        }
        if (generations.empty()) {
            generations.assign(w.generations, w.generations + generation_count);
            tours.assign(w.tours, w.tours + city_count);
        }

        bool same = std::memcmp(generations.data(), w.generations, generation_count * sizeof *w.generations) == 0 &&
                    std::memcmp(tours.data(), w.tours, city_count * sizeof *w.tours) == 0;

        ok = ok && same;
        std::sort(s.begin(), s.end());
        if (&peer == &peers[0])
            expert_seconds = s[s.size() / 2];
        else if (found)
            found->add(w.name + " P=" + std::to_string(w.c.population) + " G=" + std::to_string(w.c.generations),
                       s[s.size() / 2] / expert_seconds);
        std::printf("{\"problem\":\"cointsp\",\"what\":\"%s\",\"size\":\"%s P=%u G=%u\",\"peer\":\"%s\","
                    "\"median_s\":%.6g,\"min_s\":%.6g,\"q1\":%.6g,\"q3\":%.6g,\"rate\":%.5g,"
                    "\"unit\":\"generations/s\",\"same\":%s",
                    w.runs == 1 ? "device_user" : (std::to_string(w.runs) + " runs").c_str(), w.name.c_str(),
                    w.c.population, w.c.generations, peer.name, s[s.size() / 2], s[0], s[s.size() / 4],
                    s[s.size() * 3 / 4], (double)generation_count / s[s.size() / 2], same ? "true" : "false");
        /* At each step of a tour a sum over the cities left; distances in, tours and bests out. */
        if (!std::strstr(peer.name, "reference"))
            std::printf(",\"operations\":%.6g,\"bytes\":%.6g",
                        0.5 * (double)generation_count * w.c.population * w.c.n * w.c.n,
                        4.0 * w.c.n * w.c.n +
                            (double)(city_count * sizeof *w.tours + generation_count * sizeof *w.generations));
        std::printf("}\n");
        std::fflush(stdout);
    }
    return ok;
}

static void allocate(work &w)
{
    CUDA_CHECK(cudaMallocHost(&w.distance, (size_t)w.c.n * w.c.n * sizeof *w.distance));
    CUDA_CHECK(cudaMallocHost(&w.generations, (size_t)w.runs * w.c.generations * sizeof *w.generations));
    CUDA_CHECK(cudaMallocHost(&w.tours, (size_t)w.runs * w.c.n * sizeof *w.tours));
}

static void release(work &w)
{
    CUDA_CHECK(cudaFreeHost(w.distance));
    CUDA_CHECK(cudaFreeHost(w.generations));
    CUDA_CHECK(cudaFreeHost(w.tours));
}

/* Weights that a core adds up in about two seconds. */
static const double MOST_WEIGHTS = 2e10;

/* A single run on cities that lie anywhere in a square. */
static work draw(population &drawn)
{
    work w = { "random", {}, 1, nullptr, nullptr, nullptr };
    std::vector<double> x, y;

    do {
        w.c.n = (uint32_t)drawn.between(24, COINTSP_CITIES_MAX);
        w.c.population = (uint32_t)drawn.between(COINTSP_POPULATION_MIN, 8192);
        w.c.generations = (uint32_t)drawn.between(1, 1000);
    } while ((double)w.c.n * w.c.n * w.c.population * w.c.generations > MOST_WEIGHTS);
    cointsp_parameters(&w.c, COINTSP_PERCENT_DEFAULT, COINTSP_K_DEFAULT, COINTSP_CAP_DEFAULT);
    allocate(w);
    for (uint32_t i = 0; i < w.c.n; i++) {
        x.push_back(10000 * drawn.uniform());
        y.push_back(10000 * drawn.uniform());
    }
    for (uint32_t i = 0; i < w.c.n; i++)
        for (uint32_t j = 0; j < w.c.n; j++)
            w.distance[(size_t)i * w.c.n + j] = (int32_t)(std::hypot(x[i] - x[j], y[i] - y[j]) + 0.5);
    w.name = "random " + std::to_string(w.c.n);
    return w;
}

int main(int argc, char **argv)
{
    static const char usage[] = "cointsp_gpu FOLDER [REPEATS [PEERS]], or cointsp_gpu population SEED [COUNT]";
    population drawn;

    static const struct {
        const char *name;
        uint32_t population, generations, runs;
        bool slow_peers;
    } rows[] = {
        { "gr24", 500, 200, 1, true },     { "gr24", 1000, 200, 1, true },   { "gr48", 500, 200, 1, true },
        { "gr48", 1000, 200, 1, true },    { "pr76", 500, 200, 1, true },    { "pr76", 1000, 200, 1, true },
        { "kroA100", 500, 200, 1, true },  { "kroA100", 1000, 200, 1, true }, { "kroA100", 8192, 20, 1, false },
        { "pcb442", 1000, 20, 1, false },  { "pr1002", 1000, 5, 1, false },  { "kroA100", 1000, 20, 132, false },
    };
    parallel_begin(1, nullptr, nullptr); /* a run of the reference has one core */
    if (drawn.asked(argc, argv, usage)) {
        ratios found("expert", "reference, one core");
        bool same = true;

        for (uint64_t i = 0; i < drawn.count; i++) {
            work w = draw(drawn);

            same = compare(w, 11, "", false, &found) && same;
            release(w);
        }
        found.print("cointsp", drawn);
        return same ? 0 : 1;
    }
    const int repeats = argc > 2 ? (int)bench_number(argv[2], "REPEATS", 1, 1000) : 11;
    const char *wanted = argc > 3 ? argv[3] : "";
    bool ok = true;

    if (argc < 2 || argc > 4)
        bench_usage(usage);
    for (const auto &row : rows) {
        cointsp_tsplib instance = load(argv[1], row.name);
        work w = { row.name, {}, row.runs, nullptr, nullptr, nullptr };

        w.c.n = instance.n;
        w.c.population = row.population;
        w.c.generations = row.generations;
        cointsp_parameters(&w.c, COINTSP_PERCENT_DEFAULT, COINTSP_K_DEFAULT, COINTSP_CAP_DEFAULT);
        allocate(w);
        std::memcpy(w.distance, instance.distance, (size_t)instance.n * instance.n * sizeof *w.distance);
        ok = compare(w, repeats, wanted, row.slow_peers, nullptr) && ok;
        release(w);
        cointsp_tsplib_release(&instance);
    }
    return ok ? 0 : 1;
}
