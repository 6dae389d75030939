/*
 * bench_stages.cu - where the baseline's time goes: stages FILE.tsp [P [G]], or stages --occupancy P...
 *
 * The baseline's own functions and kernels, timed stage by stage with CUDA events on a GPU, or on the simulator,
 * whose times say nothing about one. One run that is not counted goes first. --occupancy tells for populations how much
 * of the device the kernel that generates tours can hold, and how much of it a launch fills. Called by bench.sh.
 */
#include <cinttypes>
#include <cstring>

/* The submission brings its own check() and its own stages. */
#include "submissions/accepted/baseline.cu"

#include "problems/bench_arguments.h"

extern "C" {
#include "coin.h"
#include "tsplib.h"
#include "verify/base/blob.h"
}

enum { GENERATE, EVALUATE, SORT, UPDATE, STAGES };

/* One whole run; adds the stages' seconds to seconds[]. */
static int32_t run(const cointsp_case *c, const int32_t *distance, double seconds[STAGES])
{
    int32_t best = INT32_MAX;
    cudaEvent_t events[STAGES + 1];
    coin coin;

    for (cudaEvent_t &event : events)
        CHECK(cudaEventCreate(&event));
    coin_start(coin, c, distance);
    for (uint32_t g = 0; g < c->generations; g++) {
        CHECK(cudaEventRecord(events[GENERATE]));
        coin_generate(coin, g);
        CHECK(cudaEventRecord(events[EVALUATE]));
        coin_evaluate(coin);
        CHECK(cudaEventRecord(events[SORT]));
        coin_sort(coin);
        CHECK(cudaEventRecord(events[UPDATE]));
        coin_update(coin, g);
        CHECK(cudaEventRecord(events[STAGES]));
        CHECK(cudaEventSynchronize(events[STAGES]));
        best = std::min(best, coin.lengths_here[coin.order[0]]);
        for (int stage = 0; stage < STAGES; stage++) {
            float milliseconds;

            CHECK(cudaEventElapsedTime(&milliseconds, events[stage], events[stage + 1]));
            seconds[stage] += milliseconds * 1e-3;
        }
    }
    coin_end(coin);
    for (cudaEvent_t &event : events)
        CHECK(cudaEventDestroy(event));
    return best;
}

/*
 * A line for a population: what a multiprocessor can hold of the kernel's threads, by its registers and its blocks, and
 * what one launch fills of all multiprocessors, each as a share of the most threads that they can hold.
 */
static void print_occupancy(uint32_t population)
{
    cudaDeviceProp device;
    int blocks_held;
    unsigned blocks = blocks_for(population, TOUR_BLOCK);

    CHECK(cudaGetDeviceProperties(&device, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_held, generate, TOUR_BLOCK, 0));

    double most = (double)device.maxThreadsPerMultiProcessor;
    double filled = std::min((double)blocks, (double)blocks_held * device.multiProcessorCount) * TOUR_BLOCK;

    std::printf("%6u %7u %7d %10d %9.1f%% %12.2f%%\n", population, blocks, TOUR_BLOCK, blocks_held,
                100 * blocks_held * TOUR_BLOCK / most, 100 * filled / (most * device.multiProcessorCount));
}

int main(int argc, char **argv)
{
    if (argc > 2 && std::strcmp(argv[1], "--occupancy") == 0) {
        for (int i = 2; i < argc; i++)
            print_occupancy((uint32_t)bench_number(argv[i], "P", COINTSP_POPULATION_MIN, COINTSP_POPULATION_MAX));
        return 0;
    }
    double warm[STAGES] = {}, seconds[STAGES] = {}, total = 0;
    cointsp_tsplib instance = {};
    cointsp_case c = {};
    blob file = {};
    error error;

    if (argc < 2 || argc > 4)
        bench_usage("stages FILE.tsp [P [G]]");
    c.population = 1000;
    if (argc > 2)
        c.population = (uint32_t)bench_number(argv[2], "P", COINTSP_POPULATION_MIN, COINTSP_POPULATION_MAX);
    c.generations = argc > 3 ? (uint32_t)bench_number(argv[3], "G", 1, COINTSP_GENERATIONS_MAX) : 200;
    if (!blob_read_file(&file, argv[1], 1 << 26, &error) ||
        !cointsp_tsplib_parse(argv[1], (const char *)file.data, file.size, &instance, &error)) {
        std::fprintf(stderr, "stages: %s\n", error.text);
        return error.code;
    }
    c.n = instance.n;
    c.key[0] = 1;
    cointsp_parameters(&c, COINTSP_PERCENT_DEFAULT, COINTSP_K_DEFAULT, COINTSP_CAP_DEFAULT);
    run(&c, instance.distance, warm);

    int32_t best = run(&c, instance.distance, seconds);

    for (double stage : seconds)
        total += stage;
    std::printf("%8u %6u %6u %9d", c.n, c.population, c.generations, best);
    for (double stage : seconds)
        std::printf(" %9.4f %3.0f%%", stage, 100 * stage / total);
    std::printf(" %9.4f\n", total);
    blob_release(&file);
    cointsp_tsplib_release(&instance);
    return 0;
}
