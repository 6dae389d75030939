/*
 * bench_gpu.cu - how fast expert is on this machine's GPU: bench_gpu [check] [REPETITIONS], bench_gpu clocks, or
 * bench_gpu population SEED [COUNT]: its kernels on COUNT pairs (40) that are drawn from SEED out of all kinds and all
 * lengths, each power of two as likely, up to 2^34 cells, beside those of random strings of equal length with
 * as many cells; and a summary.
 *
 * Prints a JSON object a row to standard output. Every pair of strings is first judged against the CPU reference of the
 * same run. Then, in turns: expert's kernels by events, expert end to end from page-locked memory (copies and
 * launches included, as the judge's clock has it), the steps before it and the baseline end to end where they are not
 * too slow, and the reference on one core. "latency model" is what the depth of the two fronts allows: columns of a
 * front, plus the lag of its strips, times the clocks of a step; see docs/experts/editdistance.md. `check` runs small
 * odd lengths only, which a simulator can do as well. `clocks` prints what a step takes by the words of a lane (`cost`
 * in device_user.cu is from there), and what pairs of instructions take that do not wait for each other.
 *
 *   make build/benches/editdistance_gpu PROBLEM=editdistance
 */
#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

#include "cuda_user.h"

extern "C" {
#include "problems/editdistance/levenshtein.h"
}
#include "problems/bench_population.h"
#include "problems/editdistance/include/device_user.h"

namespace expert {
#define device_user expert_device_user
#define device_user_setup expert_device_user_setup
#include "problems/editdistance/submissions/accepted/expert/device_user.cu"
#undef device_user
#undef device_user_setup
#undef CHECK
}

namespace baseline {
#define device_user baseline_device_user
#include "problems/editdistance/submissions/accepted/baseline.cu"
#undef device_user
#undef CHECK
}

namespace words {
#define device_user words_device_user
#include "problems/editdistance/submissions/accepted/1_words.cu"
#undef device_user
#undef CHECK
}

namespace strips {
#define device_user strips_device_user
#include "problems/editdistance/submissions/accepted/2_strips.cu"
#undef device_user
#undef CHECK
}

namespace pipeline {
#define device_user pipeline_device_user
#include "problems/editdistance/submissions/accepted/3_pipeline.cu"
#undef device_user
#undef CHECK
}

namespace {

struct pair {
    const char *kind; /* bytes, dna, equal, similar, near, single */
    int m, n;
};

/* A small generator: what is wanted here is many different strings, not the contest's. */
struct generator {
    unsigned long long state;
    unsigned next()
    {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (unsigned)(state >> 33);
    }
};

void fill(const pair &pair, unsigned char *a, unsigned char *b, unsigned long long seed)
{
    generator random = { seed };
    const bool dna = std::strcmp(pair.kind, "dna") == 0, equal = std::strcmp(pair.kind, "equal") == 0,
               similar = std::strcmp(pair.kind, "similar") == 0,
               near = std::strcmp(pair.kind, "near") == 0, single = std::strcmp(pair.kind, "single") == 0;

    for (int i = 0; i < pair.m; i++)
        a[i] = single ? 'x' : dna ? (unsigned char)"ACGT"[random.next() % 4] : (unsigned char)random.next();
    for (int j = 0, i = 0; j < pair.n; j++, i++) {
        if (similar && random.next() % 16 == 0)
            i += (int)(random.next() % 3) - 1;
        bool other = similar && random.next() % 16 == 0;

        if (near) { /* an edit in 100 characters */
            const unsigned edit = random.next() % 300;

            other = edit < 2; /* a substitution, or an insertion */
            i += edit == 2 ? 1 : edit == 1 ? -1 : 0;
        }
        if ((equal || similar || near) && !other)
            b[j] = a[std::max(i, 0) % pair.m];
        else
            b[j] = single ? 'x' : dna ? (unsigned char)"ACGT"[random.next() % 4] : (unsigned char)random.next();
    }
}

double seconds_of(const std::function<void()> &work)
{
    const auto start = std::chrono::steady_clock::now();

    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print_row(const pair &pair, const char *peer, const char *what, std::vector<double> samples)
{
    std::sort(samples.begin(), samples.end());
    const size_t n = samples.size();
    const double median = samples[n / 2];

    std::printf(
        "{\"problem\":\"editdistance\",\"peer\":\"%s\",\"what\":\"%s\",\"size\":\"%dx%d\",\"kind\":\"%s\","
        "\"median_s\":%.4e,\"min_s\":%.4e,\"q1\":%.4e,\"q3\":%.4e,\"rate\":%.4g,\"unit\":\"GCUPS\",\"runs\":%zu}\n",
        peer, what, pair.m, pair.n, pair.kind, median, samples[0], samples[n / 4], samples[3 * n / 4],
        (double)pair.m * pair.n / median * 1e-9, n);
    std::fflush(stdout);
}

unsigned reference(const unsigned char *a, int m, const unsigned char *b, int n)
{
    unsigned distance;

    if (!levenshtein_bitparallel(levenshtein_isa_best(), a, (size_t)m, b, (size_t)n, &distance)) {
        std::fprintf(stderr, "bench_gpu: out of memory\n");
        std::exit(3);
    }
    return distance;
}

/* expert under one plan; strings in page-locked memory. Kernel seconds in *seconds, if wanted. */
unsigned run_plan(expert::plan plan, const unsigned char *a, int m, const unsigned char *b, int n, double *seconds)
{
    static cudaEvent_t start, stop;
    const size_t second = ((size_t)m + 127) / 128 * 128;
    float ms;

    expert::device_init();
    if (!start) {
        CUDA_CHECK(cudaEventCreate(&start));
        CUDA_CHECK(cudaEventCreate(&stop));
    }
    CUDA_CHECK(cudaMemcpyAsync(expert::device.strings, a, (size_t)m, cudaMemcpyHostToDevice, expert::device.stream));
    CUDA_CHECK(
        cudaMemcpyAsync(expert::device.strings + second, b, (size_t)n, cudaMemcpyHostToDevice, expert::device.stream));
    CUDA_CHECK(cudaEventRecord(start, expert::device.stream));
    expert::launch(plan, m, n, 0, second);
    CUDA_CHECK(cudaEventRecord(stop, expert::device.stream));
    CUDA_CHECK(cudaMemcpyAsync(expert::device.answer, expert::device.counters + 1, sizeof *expert::device.answer,
                               cudaMemcpyDeviceToHost, expert::device.stream));
    CUDA_CHECK(cudaStreamSynchronize(expert::device.stream));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    if (seconds)
        *seconds = ms * 1e-3;
    return *expert::device.answer;
}

int wrong;

void judge(const pair &pair, const char *peer, unsigned answer, unsigned expected)
{
    if (answer == expected)
        return;
    wrong++;
    std::fprintf(stderr, "bench_gpu: %s: %s %d x %d: %u, not %u\n", peer, pair.kind, pair.m, pair.n, answer, expected);
}

/* Every plan on odd and even lengths, and on strings of every kind. */
void check_small(unsigned char *a, unsigned char *b, int cases)
{
    static const char *const kinds[] = { "bytes", "dna", "equal", "similar", "single", "near" };
    generator random = { 7 };
    int raced = 0; /* pairs whose distance the race has found */

    for (int i = 0; i < cases; i++) {
        const int most = i % 3 == 0 ? 70 : i % 3 == 1 ? 700 : 5000;
        pair pair = {kinds[i % 6], 1 + (int)(random.next() % (unsigned)most),
                     1 + (int)(random.next() % (unsigned)most)};

        if (i % 2 == 1) /* as in the contest; and rows of several units */
            pair.m = pair.m / 128 * 512 + 128, pair.n = pair.n / 128 * 128 + 128;
        if (std::strcmp(pair.kind, "near") == 0) /* so near that the race can win */
            pair.m = std::max(1, pair.n + (int)(random.next() % 129) - 64);

        fill(pair, a, b, (unsigned long long)i);
        const unsigned expected = reference(a, pair.m, b, pair.n);

        for (int words = 1; words <= 4; words *= 2)
            for (int slope = 0; slope <= (pair.n % 32 == 0 ? 320 : 0); slope += 56)
                judge(pair, words == 1 ? "1 word a lane" : words == 2 ? "2 words a lane" : "4 words a lane",
                      run_plan({ words, slope }, a, pair.m, b, pair.n, NULL), expected);
        judge(pair, "expert", expert::expert_device_user((char *)a, pair.m, (char *)b, pair.n), expected);
        expert::race_state state;

        CUDA_CHECK(cudaMemcpy(&state, expert::device.counters + 2, sizeof state, cudaMemcpyDeviceToHost));
        raced += state.winner == expert::THE_RACE;
    }
    std::fprintf(stderr, "bench_gpu: %d small pairs, %d wrong answers, %d by the race\n", cases, wrong, raced);
}

/* Whole submissions, the slow ones for pairs with few anti-diagonals only, and all for multiples of 128. */
const struct {
    const char *name;
    unsigned (*run)(char *, int, char *, int);
    double steps_most; /* m + n at most */
} peers[] = {
    { "3_pipeline.cu", pipeline::pipeline_device_user, 1e9 },
    { "2_strips.cu", strips::strips_device_user, 1e9 },
    { "1_words.cu", words::words_device_user, 3e5 },
    { "baseline.cu", baseline::baseline_device_user, 5e4 },
};
enum { PEERS = sizeof peers / sizeof peers[0] };

void bench(const pair &pair, unsigned char *a, unsigned char *b, int repetitions)
{
    std::vector<double> kernels, whole, cpu, others[PEERS];
    const expert::plan plan = expert::plan_best(std::max(pair.m, pair.n), std::min(pair.m, pair.n));
    unsigned expected = 0;

    for (int r = -1; r < repetitions; r++) {
        unsigned answer;

        fill(pair, a, b, (unsigned long long)(1000 + r));
        const double host = seconds_of([&] { expected = reference(a, pair.m, b, pair.n); });
        const double all =
            seconds_of([&] { answer = expert::expert_device_user((char *)a, pair.m, (char *)b, pair.n); });

        judge(pair, "expert", answer, expected);
        double kernel;

        answer = pair.m >= pair.n ? run_plan(plan, a, pair.m, b, pair.n, &kernel)
                                  : run_plan(plan, b, pair.n, a, pair.m, &kernel);
        judge(pair, "expert", answer, expected);
        if (r < 0)
            continue; /* warm-up */
        cpu.push_back(host);
        whole.push_back(all);
        kernels.push_back(kernel);
        for (int i = 0; i < PEERS && r < 3; i++) {
            if (pair.m + pair.n > peers[i].steps_most)
                continue;
            others[i].push_back(seconds_of([&] { answer = peers[i].run((char *)a, pair.m, (char *)b, pair.n); }));
            judge(pair, peers[i].name, answer, expected);
        }
    }
    print_row(pair, "expert", "kernels", kernels);
    print_row(pair, "expert", "end to end", whole);
    print_row(pair, "reference, one core", "end to end", cpu);
    for (int i = 0; i < PEERS; i++)
        if (!others[i].empty())
            print_row(pair, peers[i].name, "end to end", others[i]);
    const int m = std::max(pair.m, pair.n), n = std::min(pair.m, pair.n);

    int clock;
    CUDA_CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
    print_row(pair, "latency model", "model", { expert::plan_cost(plan, m, n) / (clock * 1e3) });
}

/* Seconds of the kernels, the median of 11; the first answer is judged. */
double time_kernels(const pair &pair, unsigned char *a, unsigned char *b, unsigned long long seed)
{
    const int m = std::max(pair.m, pair.n), n = std::min(pair.m, pair.n);
    const expert::plan plan = expert::plan_best(m, n);
    std::vector<double> samples;

    fill(pair, a, b, seed);
    for (int r = -1; r < 11; r++) {
        double seconds;
        const unsigned answer = pair.m >= pair.n ? run_plan(plan, a, m, b, n, &seconds)
                                                 : run_plan(plan, b, m, a, n, &seconds);

        if (r < 0)
            judge(pair, "expert", answer, reference(a, pair.m, b, pair.n));
        else
            samples.push_back(seconds);
    }
    print_row(pair, "expert", "kernels", samples);
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
}

void measure_population(population &drawn, unsigned char *a, unsigned char *b)
{
    static const char *const kinds[] = { "bytes", "dna", "equal", "similar", "single" };
    const int UNIT = EDITDISTANCE_LENGTH_UNIT;
    ratios found("expert", "expert, strings of equal length");
    const double most = 1ull << 34;

    expert::device_init();
    for (uint64_t i = 0; i < drawn.count; i++) {
        pair pair = { kinds[drawn.below(5)], 0, 0 };

        do {
            pair.m = UNIT * (int)drawn.between(1, EDITDISTANCE_LENGTH_MAX / UNIT);
            pair.n = UNIT * (int)drawn.between(1, EDITDISTANCE_LENGTH_MAX / UNIT);
        } while ((double)pair.m * pair.n > most);
        const double area = (double)pair.m * pair.n;
        const int side = std::max(1, (int)(std::sqrt(area) / UNIT + 0.5)) * UNIT;
        const double drawn_rate = area / time_kernels(pair, a, b, i);

        found.add(std::string(pair.kind) + " " + std::to_string(pair.m) + "x" + std::to_string(pair.n),
                  drawn_rate / ((double)side * side / time_kernels({ "bytes", side, side }, a, b, i)));
    }
    found.print("editdistance", drawn);
}

/* What lies beside a logic operation of three registers in the loop of issue(). */
enum beside { ALONE, LOGIC, MULTIPLY_ADD, HALF_AS_MANY, BESIDES };

enum { CHAINS = 8, ROUNDS = 256 };

/* Clocks that ROUNDS * CHAINS logic operations take, with another one beside each; results to `sink`. */
template <beside what> __global__ void issue(long long *clocks, unsigned *sink, unsigned seed)
{
    unsigned x[CHAINS], y[CHAINS];

    for (int i = 0; i < CHAINS; i++) {
        x[i] = seed + i + threadIdx.x;
        y[i] = seed * i + threadIdx.x;
    }
    const long long start = clock64();

#pragma unroll 4
    for (int round = 0; round < ROUNDS; round++)
#pragma unroll
        for (int i = 0; i < CHAINS; i++) {
            asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;"
                         : "+r"(x[i]) : "r"(x[(i + 1) % CHAINS]), "r"(x[(i + 3) % CHAINS]));
            if (what == LOGIC)
                asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;"
                             : "+r"(y[i]) : "r"(y[(i + 1) % CHAINS]), "r"(y[(i + 3) % CHAINS]));
            if (what == MULTIPLY_ADD || (what == HALF_AS_MANY && i % 2))
                asm volatile("mad.lo.u32 %0, %0, %1, %2;"
                             : "+r"(y[i]) : "r"(y[(i + 1) % CHAINS]), "r"(y[(i + 3) % CHAINS]));
        }
    const long long end = clock64();

    for (int i = 0; i < CHAINS; i++)
        *sink ^= x[i] ^ y[i];
    *clocks = end - start;
}

template <beside what> void measure_issue(const char *name)
{
    static long long *clocks;
    static unsigned *sink;

    if (!clocks) {
        CUDA_CHECK(cudaMallocManaged(&clocks, sizeof *clocks));
        CUDA_CHECK(cudaMallocManaged(&sink, sizeof *sink));
    }
    for (int i = 0; i < 3; i++) {
        issue<what><<<1, 32>>>(clocks, sink, 3);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    std::printf("{\"problem\":\"editdistance\",\"what\":\"%s\",\"clocks\":%.2f}\n", name,
                (double)*clocks / (ROUNDS * CHAINS));
}

/* Clocks of a step of `strips` strips with `words` words a lane: what 65,536 more columns of both fronts take. */
void measure_step(int words, int strips, unsigned char *a, unsigned char *b)
{
    const int m = 1024 * words * strips;
    int khz;
    double median[2];

    CUDA_CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    fill({ "bytes", m, 1 << 18 }, a, b, 1);
    for (int longer = 0; longer < 2; longer++) {
        std::vector<double> samples(9);

        for (double &sample : samples)
            run_plan({ words, 0 }, a, m, b, 1 << (17 + longer), &sample);
        std::sort(samples.begin(), samples.end());
        median[longer] = samples[samples.size() / 2];
    }
    std::printf("{\"problem\":\"editdistance\",\"what\":\"a step\",\"words\":%d,\"strips\":%d,\"clocks\":%.1f}\n",
                words, strips, (median[1] - median[0]) * khz * 1e3 / (1 << 16));
}

void measure_clocks(unsigned char *a, unsigned char *b)
{
    for (int words = 1; words <= 4; words *= 2)
        for (int strips = 1; strips <= 4; strips += 3)
            measure_step(words, strips, a, b);
    measure_issue<ALONE>("a logic operation");
    measure_issue<LOGIC>("two logic operations");
    measure_issue<MULTIPLY_ADD>("a logic operation and a multiplication");
    measure_issue<HALF_AS_MANY>("a logic operation and half a multiplication");
}

}

int main(int argc, char **argv)
{
    static const char usage[] =
        "bench_gpu [check] [REPETITIONS], bench_gpu clocks, or bench_gpu population SEED [COUNT]";
    population drawn;
    const bool at_random = drawn.asked(argc, argv, usage);
    static const pair pairs[] = {
        { "bytes", 128, 128 },        { "bytes", 2048, 2048 },     { "bytes", 20480, 20480 },
        { "dna", 20480, 20480 },      { "bytes", 65536, 65536 },   { "bytes", 131072, 131072 },
        { "near", 131072, 131072 },   { "near", 20480, 20480 },
        { "similar", 131072, 131072 }, { "bytes", 1048448, 16384 }, { "bytes", 128, 1048448 },
    };
    const bool check = argc > 1 && std::strcmp(argv[1], "check") == 0;
    const bool clocks = argc == 2 && std::strcmp(argv[1], "clocks") == 0;
    unsigned char *a, *b;
    int repetitions = 11;

    if (argc > 2 + check && !at_random)
        bench_usage(usage);
    if (argc > 1 + check && !at_random && !clocks)
        repetitions = (int)bench_number(argv[1 + check], "REPETITIONS", 1, 1000);
    CUDA_CHECK(cudaMallocHost(&a, 1 << 20));
    CUDA_CHECK(cudaMallocHost(&b, 1 << 20));
    if (at_random)
        measure_population(drawn, a, b);
    else if (clocks)
        measure_clocks(a, b);
    else if (check)
        check_small(a, b, repetitions);
    else
        for (const pair &pair : pairs)
            bench(pair, a, b, repetitions);
    return wrong != 0;
}
