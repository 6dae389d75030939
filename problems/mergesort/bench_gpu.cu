/*
 * bench_gpu.cu - the jury's sorts on a GPU beside CUB and Thrust, in one process: bench_gpu [quick] [check], or
 * bench_gpu population SEED [COUNT]: kernels of the experts and CUB alone, on COUNT inputs (40) that are drawn from
 * SEED out of all kinds and sizes up to 2^28, each power of two as likely, half of them with payloads; and a summary.
 * Or bench_gpu shapes: the open league's radix sort by every shape of its tiles, 720,000 to 23 million elements.
 *
 * Prints a JSON object a row:
 *
 *   what      the submissions expert (league merge), expert_open (league open), 1_two_way and 1_one_sweep (the steps
 *             before them), baseline, cub; of kernels also cub_merge (DeviceMergeSort::SortKeysCopy, SortPairsCopy),
 *             cub_radix (DeviceRadixSort with a DoubleBuffer), cub_radix_copy (from one array to another), thrust
 *             (stable_sort, stable_sort_by_key)
 *   measure   kernel: keys on the GPU before and after, scratch memory allocated before (but by Thrust), timed by
 *             events; call: device_user() with page-locked arrays of the CPU, by the wall clock, copies included
 *   kind      of keys, as in the statement; random, or one that some sorts find hard
 *   size, payloads     elements; 1 if each key has a payload
 *   median_s, min_s, q1, q3   seconds of 11 measurements after a warm-up, in each of which the input is made anew
 *   rate      size / median, in unit
 *   right     whether the last result was in order, stable, and made of the input's elements
 *
 * quick leaves out sizes above 2^24, check times nothing above 40000 elements, which a simulator can do as well. Exit
 * code 1 where a result is wrong, 3 where CUDA fails.
 *
 * `make build/benches/mergesort_gpu PROBLEM=mergesort` builds it; it needs nvcc, and a GPU to run.
 */
#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include <cub/cub.cuh>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "device_user.h"
#include "problems/bench_population.h"

/* The submissions, each in a namespace and with names of its own for its entry points. */
#define device_user expert_user
#define device_user_setup expert_setup
namespace expert {
#include "submissions/accepted/expert/device_user.cu"
}
#undef CHECK
#undef device_user
#undef device_user_setup
#define device_user expert_open_user
#define device_user_setup expert_open_setup
namespace expert_open {
#include "submissions/accepted/expert_open/device_user.cu"
}
#undef CHECK
#undef device_user
#undef device_user_setup
#define device_user two_way_user
namespace step_two_way {
#include "submissions/accepted/1_two_way.cu"
}
#undef CHECK
#undef device_user
#define device_user one_sweep_user
namespace step_one_sweep {
#include "submissions/accepted/1_one_sweep.cu"
}
#undef CHECK
#undef device_user
#define device_user baseline_user
namespace baseline {
#include "submissions/accepted/baseline.cu"
}
#undef CHECK
#undef device_user
#define device_user cub_user
namespace cub_submission {
#include "submissions/accepted/cub.cu"
}
#undef CHECK
#undef device_user

#define CHECK(call) check((call), #call, __LINE__)

namespace {

void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "bench_gpu.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(3);
}

enum kind { RANDOM, SORTED, REVERSED, EQUAL, FEW, SAWTOOTH, EXTREMES, ORGANPIPE, KINDS };
const char *const kind_names[KINDS] = {"random",   "sorted",    "reversed", "equal", "few", "sawtooth",
                                       "extremes", "organpipe"};

const unsigned BLOCKS = 1056, THREADS = 256;

/* keys[n] of a kind, and payloads[n], which are indices, unless it is null. */
__global__ void make_input(int32_t *keys, uint32_t *payloads, unsigned n, kind k)
{
    for (size_t i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u; /* splitmix64 */

        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        uint32_t r = (uint32_t)(x >> 32);
        int32_t step = (int32_t)(0xffffffffu / n), up = (int32_t)(INT_MIN + (int64_t)i * step), key = (int32_t)r;

        switch (k) {
        case SORTED: key = up; break;
        case REVERSED: key = ~up; break;
        case EQUAL: key = 12345; break;
        case FEW: key = (int32_t)(r % 16 * 0x0fedcba9u); break;
        case SAWTOOTH: key = (int32_t)(i % 4097); break;
        case EXTREMES: key = r % 4 == 0 ? INT_MIN : r % 4 == 1 ? INT_MAX : key; break;
        case ORGANPIPE: key = (int32_t)(i < n / 2 ? i : n - i); break;
        default: break;
        }
        keys[i] = key;
        if (payloads)
            payloads[i] = (uint32_t)i;
    }
}

/* found[0]: wrong places. found[1], found[2]: sums over the output less sums over the input. */
__global__ void examine(const int32_t *keys, const uint32_t *payloads, const int32_t *input, unsigned n,
                        unsigned long long *found)
{
    unsigned long long wrong = 0, sum = 0, mixed = 0;

    for (size_t i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        unsigned long long out = (uint32_t)keys[i] + 1ull, in = (uint32_t)input[i] + 1ull;

        if (i + 1 < n)
            wrong += keys[i] > keys[i + 1] || (payloads && keys[i] == keys[i + 1] && payloads[i] >= payloads[i + 1]);
        if (payloads)
            wrong += payloads[i] >= n || input[payloads[i]] != keys[i];
        sum += out - in;
        mixed += out * out * out * 0x9e3779b97f4a7c15u - in * in * in * 0x9e3779b97f4a7c15u;
    }
    atomicAdd(found, wrong);
    atomicAdd(found + 1, sum);
    atomicAdd(found + 2, mixed);
}

struct arrays {
    int32_t *keys;
    uint32_t *payloads;
};

struct bench {
    arrays input, a, b;          /* on the GPU */
    arrays host_in, host_out;    /* on the CPU, page-locked */
    void *scratch;               /* on the GPU */
    size_t scratch_size;         /* bytes */
    unsigned long long *found;   /* [3], managed */
    cudaEvent_t start, end;
    bool all_right;
};

/* A sort of n elements of b->a; returns which of b->a and b->b has them. */
typedef std::function<arrays(bench &, unsigned n, bool pairs)> device_sort;
typedef void host_sort(const int32_t *, const uint32_t *, int32_t *, uint32_t *, size_t);

arrays by_expert(bench &b, unsigned n, bool pairs)
{
    using namespace expert::merging;
    buffer first = {b.a.keys, pairs ? b.a.payloads : nullptr}, second = {b.b.keys, pairs ? b.b.payloads : nullptr};
    unsigned *splits = (unsigned *)b.scratch;
    int where = pairs ? sort<shape_of_pairs>(first, second, n, n, splits, 0)
                      : sort<shape_of_keys>(first, second, n, n, splits, 0);

    return where ? b.b : b.a;
}

arrays by_expert_open(bench &b, unsigned n, bool pairs)
{
    using namespace expert_open::radix;
    buffer first = {(uint32_t *)b.a.keys, pairs ? b.a.payloads : nullptr};
    buffer second = {(uint32_t *)b.b.keys, pairs ? b.b.payloads : nullptr};
    workspace *work = (workspace *)b.scratch;

    const buffer sorted = pairs ? sort<true>(first, second, n, work, 0) : sort<false>(first, second, n, work, 0);

    return sorted.keys == second.keys ? b.b : b.a;
}

arrays by_two_way(bench &b, unsigned n, bool pairs)
{
    using namespace step_two_way::two_way;
    buffer first = {b.a.keys, pairs ? b.a.payloads : nullptr}, second = {b.b.keys, pairs ? b.b.payloads : nullptr};
    unsigned *splits = (unsigned *)b.scratch;
    int where = pairs ? sort<true>(first, second, n, splits) : sort<false>(first, second, n, splits);

    return where ? b.b : b.a;
}

arrays by_one_sweep(bench &b, unsigned n, bool pairs)
{
    using namespace step_one_sweep::one_sweep;
    buffer first = {(uint32_t *)b.a.keys, pairs ? b.a.payloads : nullptr};
    buffer second = {(uint32_t *)b.b.keys, pairs ? b.b.payloads : nullptr};
    workspace *work = (workspace *)b.scratch;

    if (pairs)
        sort<shape_of_pairs>(first, second, n, work, 0);
    else
        sort<shape_of_keys>(first, second, n, work, 0);
    return b.a;
}

arrays by_cub_merge(bench &b, unsigned n, bool pairs)
{
    size_t size = b.scratch_size;
    auto less = [] __device__(int32_t x, int32_t y) { return x < y; };

    if (pairs)
        CHECK(cub::DeviceMergeSort::SortPairsCopy(b.scratch, size, b.a.keys, b.a.payloads, b.b.keys, b.b.payloads, n,
                                                  less));
    else
        CHECK(cub::DeviceMergeSort::SortKeysCopy(b.scratch, size, b.a.keys, b.b.keys, n, less));
    return b.b;
}

arrays by_cub_radix(bench &b, unsigned n, bool pairs)
{
    size_t size = b.scratch_size;
    cub::DoubleBuffer<int32_t> keys(b.a.keys, b.b.keys);
    cub::DoubleBuffer<uint32_t> payloads(b.a.payloads, b.b.payloads);

    if (pairs)
        CHECK(cub::DeviceRadixSort::SortPairs(b.scratch, size, keys, payloads, n));
    else
        CHECK(cub::DeviceRadixSort::SortKeys(b.scratch, size, keys, n));
    return {keys.Current(), payloads.Current()};
}

arrays by_cub_radix_copy(bench &b, unsigned n, bool pairs)
{
    size_t size = b.scratch_size;

    if (pairs)
        CHECK(cub::DeviceRadixSort::SortPairs(b.scratch, size, b.a.keys, b.b.keys, b.a.payloads, b.b.payloads, n));
    else
        CHECK(cub::DeviceRadixSort::SortKeys(b.scratch, size, b.a.keys, b.b.keys, n));
    return b.b;
}

arrays by_thrust(bench &b, unsigned n, bool pairs)
{
    if (pairs)
        thrust::stable_sort_by_key(thrust::device, b.a.keys, b.a.keys + n, b.a.payloads);
    else
        thrust::stable_sort(thrust::device, b.a.keys, b.a.keys + n);
    return b.a;
}

bool right(bench &b, arrays result, unsigned n, bool pairs)
{
    std::fill(b.found, b.found + 3, 0);
    examine<<<BLOCKS, THREADS>>>(result.keys, pairs ? result.payloads : nullptr, b.input.keys, n, b.found);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    bool is = b.found[0] == 0 && b.found[1] == 0 && b.found[2] == 0;

    b.all_right &= is;
    return is;
}

double row(const char *what, const char *measure, kind k, unsigned n, bool pairs, std::vector<double> times,
         bool is_right)
{
    size_t m = times.size();

    std::sort(times.begin(), times.end());
    std::printf("{\"problem\": \"mergesort\", \"what\": \"%s\", \"measure\": \"%s\", \"kind\": \"%s\", \"size\": %u, "
                "\"payloads\": %d, \"median_s\": %.3e, \"min_s\": %.3e, \"q1\": %.3e, \"q3\": %.3e, \"rate\": %.2f, "
                "\"unit\": \"Gkeys/s\", \"right\": %s}\n",
                what, measure, kind_names[k], n, pairs, times[m / 2], times[0], times[m / 4], times[m * 3 / 4],
                n / times[m / 2] / 1e9, is_right ? "true" : "false");
    std::fflush(stdout);
    return times[m / 2];
}

const int TIMES = 11;

double time_kernels(bench &b, const char *what, const device_sort &sort, kind k, unsigned n, bool pairs)
{
    std::vector<double> times;
    arrays result = {};

    make_input<<<BLOCKS, THREADS>>>(b.input.keys, b.input.payloads, n, k);
    CHECK(cudaGetLastError());
    for (int t = -1; t < TIMES; t++) {
        float ms;

        make_input<<<BLOCKS, THREADS>>>(b.a.keys, b.a.payloads, n, k);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(b.start));
        result = sort(b, n, pairs);
        CHECK(cudaEventRecord(b.end));
        CHECK(cudaEventSynchronize(b.end));
        CHECK(cudaEventElapsedTime(&ms, b.start, b.end));
        if (t >= 0)
            times.push_back(ms / 1e3);
    }
    return row(what, "kernel", k, n, pairs, times, right(b, result, n, pairs));
}

void time_call(bench &b, const char *what, host_sort *sort, kind k, unsigned n, bool pairs)
{
    std::vector<double> times;

    make_input<<<BLOCKS, THREADS>>>(b.input.keys, b.input.payloads, n, k);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(b.host_in.keys, b.input.keys, (size_t)n * 4, cudaMemcpyDeviceToHost));
    if (pairs)
        CHECK(cudaMemcpy(b.host_in.payloads, b.input.payloads, (size_t)n * 4, cudaMemcpyDeviceToHost));
    for (int t = -1; t < TIMES; t++) {
        auto before = std::chrono::steady_clock::now();

        sort(b.host_in.keys, pairs ? b.host_in.payloads : nullptr, b.host_out.keys,
             pairs ? b.host_out.payloads : nullptr, n);
        if (t >= 0)
            times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
    }
    CHECK(cudaMemcpy(b.a.keys, b.host_out.keys, (size_t)n * 4, cudaMemcpyHostToDevice));
    if (pairs)
        CHECK(cudaMemcpy(b.a.payloads, b.host_out.payloads, (size_t)n * 4, cudaMemcpyHostToDevice));
    row(what, "call", k, n, pairs, times, right(b, b.a, n, pairs));
}

void kernels(bench &b, kind k, unsigned n, bool pairs)
{
    /* The words of a one-sweep sort are to be zero before its first pass; others write over them. */
    CHECK(cudaMemset(b.scratch, 0, b.scratch_size));
    time_kernels(b, "expert_open", by_expert_open, k, n, pairs);
    CHECK(cudaMemset(b.scratch, 0, b.scratch_size));
    time_kernels(b, "1_one_sweep", by_one_sweep, k, n, pairs);
    time_kernels(b, "cub_radix", by_cub_radix, k, n, pairs);
    time_kernels(b, "cub_radix_copy", by_cub_radix_copy, k, n, pairs);
    time_kernels(b, "thrust", by_thrust, k, n, pairs);
    time_kernels(b, "expert", by_expert, k, n, pairs);
    time_kernels(b, "1_two_way", by_two_way, k, n, pairs);
    time_kernels(b, "cub_merge", by_cub_merge, k, n, pairs);
}

void calls(bench &b, kind k, unsigned n, bool pairs)
{
    time_call(b, "expert", expert::expert_user, k, n, pairs);
    time_call(b, "expert_open", expert_open::expert_open_user, k, n, pairs);
    if (k == RANDOM && !pairs) {
        time_call(b, "1_two_way", step_two_way::two_way_user, k, n, pairs);
        time_call(b, "1_one_sweep", step_one_sweep::one_sweep_user, k, n, pairs);
    }
    time_call(b, "cub", cub_submission::cub_user, k, n, pairs);
    if (n <= 1 << 24)
        time_call(b, "baseline", baseline::baseline_user, k, n, pairs);
}

void measure_population(bench &b, population &drawn, unsigned most)
{
    ratios merge("expert, keys", "CUB merge sort"), merge_pairs("expert, pairs", "CUB merge sort");
    ratios radix("expert_open, keys", "CUB radix sort"), radix_pairs("expert_open, pairs", "CUB radix sort");

    for (uint64_t i = 0; i < drawn.count; i++) {
        const kind k = (kind)drawn.below(KINDS);
        const unsigned n = (unsigned)drawn.between(1, most);
        const bool pairs = drawn.below(2) != 0;
        const std::string name = std::string(kind_names[k]) + " " + std::to_string(n) + (pairs ? " pairs" : "");

        CHECK(cudaMemset(b.scratch, 0, b.scratch_size));
        const double open = time_kernels(b, "expert_open", by_expert_open, k, n, pairs);
        /* The better of CUB's two ways: between two arrays that it may both use, and from one to the other. */
        const double peer = std::min(time_kernels(b, "cub_radix", by_cub_radix, k, n, pairs),
                                     time_kernels(b, "cub_radix_copy", by_cub_radix_copy, k, n, pairs));

        (pairs ? radix_pairs : radix).add(name, peer / open);
        const double merging = time_kernels(b, "expert", by_expert, k, n, pairs);

        (pairs ? merge_pairs : merge).add(name, time_kernels(b, "cub_merge", by_cub_merge, k, n, pairs) / merging);
    }
    for (const ratios *r : {&merge, &merge_pairs, &radix, &radix_pairs})
        r->print("mergesort", drawn);
}

/* Times the open league's passes with tiles of the shape S, on keys of many values and of few. */
template <class S> void time_shape(bench &b, unsigned n)
{
    using namespace expert_open::radix;
    const std::string name = "tiles of " + std::to_string(S::THREADS) + " x " + std::to_string(S::ITEMS);
    const auto by_shape = [](bench &b, unsigned n, bool pairs) {
        sort_by<S>({(uint32_t *)b.a.keys, pairs ? b.a.payloads : nullptr},
                   {(uint32_t *)b.b.keys, pairs ? b.b.payloads : nullptr}, n, (workspace *)b.scratch, 0);
        return b.a;
    };

    prepare<S>();
    for (kind k : {RANDOM, FEW})
        time_kernels(b, name.c_str(), by_shape, k, n, S::PAIRS);
}

void measure_shapes(bench &b)
{
    using namespace expert_open::radix;

    CHECK(cudaMemset(b.scratch, 0, b.scratch_size));
    for (double power = 19.5; power < 24.55; power += 0.125) {
        const unsigned n = (unsigned)std::exp2(power);

        time_shape<shape_of_some<false>>(b, n);
        time_shape<shape_of_middle<false>>(b, n);
        time_shape<shape_of_more<false>>(b, n);
        time_shape<smaller_shape_of_keys>(b, n);
        time_shape<shape_of_keys>(b, n);
        time_shape<shape_of_some<true>>(b, n);
        time_shape<shape_of_middle<true>>(b, n);
        time_shape<shape_of_more<true>>(b, n);
        time_shape<shape_of_pairs>(b, n);
    }
}

arrays device_arrays(size_t n)
{
    arrays a;
    size_t bytes = (n + 3) / 4 * 16;

    CHECK(cudaMalloc(&a.keys, bytes));
    CHECK(cudaMalloc(&a.payloads, bytes));
    CHECK(cudaMemset(a.keys, 0, bytes));
    CHECK(cudaMemset(a.payloads, 0, bytes));
    return a;
}

} // namespace

int main(int argc, char **argv)
{
    static const char usage[] = "bench_gpu [quick] [check], bench_gpu population SEED [COUNT], or bench_gpu shapes";
    bool quick = false, small = false;
    const bool shapes = argc == 2 && std::strcmp(argv[1], "shapes") == 0;
    population drawn;
    const bool at_random = drawn.asked(argc, argv, usage);

    for (int i = 1; i < argc && !at_random && !shapes; i++)
        if (std::strcmp(argv[i], "quick") == 0)
            quick = true;
        else if (std::strcmp(argv[i], "check") == 0)
            small = true;
        else
            bench_usage(usage);
    const unsigned most = small ? 40000 : quick ? 1 << 24 : 1 << 28;
    bench b = {};

    b.all_right = true;
    b.input = device_arrays(most);
    b.a = device_arrays(most);
    b.b = device_arrays(most);
    for (arrays *host : {&b.host_in, &b.host_out}) {
        CHECK(cudaMallocHost(&host->keys, (size_t)most * 4));
        CHECK(cudaMallocHost(&host->payloads, (size_t)most * 4));
    }
    size_t merge_size = 0, radix_size = 0, copy_size = 0;
    auto less = [] __device__(int32_t x, int32_t y) { return x < y; };
    cub::DoubleBuffer<int32_t> keys(b.a.keys, b.b.keys);
    cub::DoubleBuffer<uint32_t> payloads(b.a.payloads, b.b.payloads);

    CHECK(cub::DeviceMergeSort::SortPairsCopy(nullptr, merge_size, b.a.keys, b.a.payloads, b.b.keys, b.b.payloads, most,
                                              less));
    CHECK(cub::DeviceRadixSort::SortPairs(nullptr, radix_size, keys, payloads, most));
    CHECK(cub::DeviceRadixSort::SortPairs(nullptr, copy_size, b.a.keys, b.b.keys, b.a.payloads, b.b.payloads, most));
    b.scratch_size = std::max({merge_size, radix_size, copy_size, (size_t)most / 2048 * 1024 + (1 << 20)});
    CHECK(cudaMalloc(&b.scratch, b.scratch_size));
    CHECK(cudaMallocManaged(&b.found, 3 * sizeof *b.found));
    CHECK(cudaEventCreate(&b.start));
    CHECK(cudaEventCreate(&b.end));
    expert::expert_setup();
    expert_open::expert_open_setup();
    if (at_random) {
        measure_population(b, drawn, most);
        return b.all_right ? 0 : 1;
    }
    if (shapes) {
        measure_shapes(b);
        return b.all_right ? 0 : 1;
    }
    if (small) {
        for (unsigned n : {1u, 2u, 6143u, 6145u, 40000u})
            for (bool pairs : {false, true}) {
                kernels(b, RANDOM, n, pairs);
                kernels(b, EXTREMES, n, pairs);
                calls(b, FEW, n, pairs);
            }
        return b.all_right ? 0 : 1;
    }
    for (unsigned n : {1u << 16, 1u << 20, 1u << 22, 1u << 24, 1u << 26, 1u << 28})
        if (n <= most)
            kernels(b, RANDOM, n, false);
    for (unsigned n : {1u << 20, 1u << 24, 1u << 26})
        if (n <= most)
            kernels(b, RANDOM, n, true);
    for (int k = RANDOM + 1; k < KINDS; k++)
        kernels(b, (kind)k, std::min(most, 1u << 26), false);
    kernels(b, FEW, std::min(most, 1u << 26), true);
    for (unsigned n : {1u << 16, 1u << 20, 1u << 24, 1u << 26, 1u << 28})
        if (n <= most)
            calls(b, RANDOM, n, false);
    calls(b, EQUAL, std::min(most, 1u << 26), false);
    calls(b, SORTED, std::min(most, 1u << 26), false);
    calls(b, RANDOM, std::min(most, 1u << 26), true);
    return b.all_right ? 0 : 1;
}
