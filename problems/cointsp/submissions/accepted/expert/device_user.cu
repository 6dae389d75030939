/*
 * expert - one kernel for all generations. Prescribed league.
 *
 * A generation is a chain: each of the n steps of a walk needs the city before, and the next generation needs them all.
 * So what counts is how long a step takes from one city to the next, and what lies between two walks.
 *
 *   walk      a warp a tour, all tours at the same time. The generator is in shared memory; a lane has RUN cities side
 *             by side, so one load gives a warp its row. From one city to the next there is no branch that waits for
 *             what was just computed.
 *   select    tours are good and bad below and above two thresholds, which every block finds on its own: by radix, with
 *             the first 11 bits of the lengths, then among the few that share them. Nothing is sorted. Where tours are
 *             few, the rank of each is counted instead.
 *   update    a block owns some rows. A tour is kept as "who follows whom", so that a row's counts are read off the
 *             selected tours, into a histogram in shared memory.
 *
 * The whole grid meets twice a generation: when all lengths are known, and when all rows are. Then every block fetches
 * the generator anew, if it fits its shared memory (n up to about 215); beyond, rows are read through the L2 cache.
 *
 * Small instances take one block, which needs no grid's barrier and keeps the generator in its shared memory. The same
 * kernel can carry out many runs, a block each: run_all(), which bench_gpu.cu calls.
 */
#include "update.cuh"

#include "device_user.h"

/* ------------------------------------------------------------------ the kernel */

/* The generator into the block's shared memory, without what is behind the last city of a row where that is easy. */
template <int RUN> __device__ __forceinline__ void fetch(const coin &coin, uint32_t *to)
{
    const uint32_t n = coin.c.n, width = 32 * RUN, warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    if (RUN == 4) {
        if (4 * lane < n)
#pragma unroll 16
            for (uint32_t i = warp; i < n; i += blockDim.x / 32)
                reinterpret_cast<uint4 *>(to)[i * 32 + lane] =
                    __ldcg(reinterpret_cast<const uint4 *>(coin.generator) + i * 32 + lane);
    } else {
#pragma unroll 8
        for (uint32_t k = threadIdx.x; k < n * width / 4; k += blockDim.x)
            reinterpret_cast<uint4 *>(to)[k] = __ldcg(reinterpret_cast<const uint4 *>(coin.generator) + k);
    }
}

template <typename T> __device__ __forceinline__ void move_on(T *&pointer, size_t bytes)
{
    pointer = reinterpret_cast<T *>(reinterpret_cast<char *>(pointer) + bytes);
}

/* Warps a block at most: so many registers are left for RUN cells and their sums. */
template <int RUN> struct warps_most {
    static const int value = RUN <= 8 ? 32 : 16;
};

/* Dynamic shared memory: the warps' tours, then `area` bytes: the generator, or what selecting and counting need. */
template <int RUN, bool RESIDENT, bool MANY>
__global__ void __launch_bounds__(32 * warps_most<RUN>::value) run_coin(coin coin)
{
    extern __shared__ __align__(16) char shared[];
    __shared__ selection s;
    const uint32_t n = coin.c.n, width = 32 * RUN, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const uint32_t blocks = coin.together ? gridDim.x : 1, block = coin.together ? blockIdx.x : 0;
    const uint32_t rows = (n + blocks - 1) / blocks, first = min(block * rows, n), own = min(rows, n - first);
    const size_t run = coin.together ? 0 : blockIdx.x;
    const bool single = gridDim.x == 1 || coin.together;
    const uint32_t key[2] = { single ? coin.c.key[0] : coin.keys[2 * run],
                              single ? coin.c.key[1] : coin.keys[2 * run + 1] };
    char *area = shared + (coin.walkers * n * sizeof(uint16_t) + 15) / 16 * 16;
    uint32_t *rows_here = reinterpret_cast<uint32_t *>(area); /* in shared memory: a copy, or all there is */
    uint16_t *cities = reinterpret_cast<uint16_t *>(shared) + warp * n;
    char *rest = area + (coin.kept ? n * width * sizeof(uint32_t) : 0);
    uint32_t *lengths = reinterpret_cast<uint32_t *>(rest); /* [P], then selected [2 j], then bins or counts */
    uint16_t *selected = reinterpret_cast<uint16_t *>(lengths + coin.c.population);
    int32_t *counts = reinterpret_cast<int32_t *>(selected + 2 * coin.c.selected);
    uint32_t best_length = ALL;
    unsigned long long best_checksum = 0;

    move_on(coin.generations, run * coin.stride);
    move_on(coin.best_tour, run * coin.stride);
    move_on(coin.generator, run * coin.stride);
    move_on(coin.tours, run * coin.stride);
    move_on(coin.followers, run * coin.stride);
    move_on(coin.lengths, run * coin.stride);

    uint32_t *generator = coin.kept ? rows_here : coin.generator;

    for (uint32_t k = threadIdx.x; k < own * width; k += blockDim.x) {
        uint32_t i = first + k / width, city = k % width; /* city and place may be exchanged: all start alike */

        generator[i * width + place_of<RUN>(city)] = city < n && city != i ? COINTSP_ONE / (n - 1) : 0;
    }
    for (uint32_t g = block * blockDim.x + threadIdx.x; g < coin.c.generations; g += blocks * blockDim.x)
        coin.generations[g].generator = 0;
    meet(coin);
    for (uint32_t g = 0; g < coin.c.generations; g++) {
        if (RESIDENT && !coin.kept) {
            fetch<RUN>(coin, rows_here);
            __syncthreads();
        }
        for (uint32_t p = warp * blocks + block; warp < coin.walkers && p < coin.c.population;
             p += blocks * coin.walkers)
            walk<RUN, RESIDENT, MANY>(coin, key, RESIDENT ? rows_here : generator, g, p, cities);
        meet(coin);
        if (coin.c.population <= RANKED)
            rank_tours(coin, &s, lengths, selected);
        else
            select_tours(coin, &s, lengths, selected, reinterpret_cast<uint32_t *>(counts));
        if (block == blocks - 1 && warp == warps - 1)
            keep_best(coin, g, &s, &best_length, &best_checksum);
        update_rows<RUN>(coin, first, own, g, generator, selected, counts);
        meet(coin);
    }
}

/* ------------------------------------------------------------------ the host */

typedef void kernel(coin);

const uint32_t MANY_WALKERS = 16; /* four on each scheduler */

/* What is kept between calls. */
static struct {
    bool ready;
    int processors, shared; /* bytes that a block can have */
    cudaStream_t stream;
    char *buffer, *staging; /* on the device; page-locked on the host */
    size_t size, staging_size;
} device;

/* many: for so many walkers that instructions count, not latency. A lane of one city gains nothing by it. */
static kernel *kernel_of(uint32_t run, bool resident, bool many)
{
    switch (run) {
    case 1: return run_coin<1, true, false>;
    case 2: return many ? run_coin<2, true, true> : run_coin<2, true, false>;
    case 4: return many ? run_coin<4, true, true> : run_coin<4, true, false>;
    case 8: return !resident ? run_coin<8, false, false> : many ? run_coin<8, true, true> : run_coin<8, true, false>;
    case 16: return run_coin<16, false, false>;
    default: return run_coin<32, false, false>;
    }
}

/* At the process's end. A runtime that is already gone has freed it itself. */
static void release()
{
    cudaFree(device.buffer);
    cudaFreeHost(device.staging);
    cudaStreamDestroy(device.stream);
}

static void prepare()
{
    if (device.ready)
        return;
    CALL(cudaDeviceGetAttribute(&device.processors, cudaDevAttrMultiProcessorCount, 0));
    CALL(cudaDeviceGetAttribute(&device.shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CALL(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking));
    device.shared -= (sizeof(selection) + 127) / 128 * 128;
    for (uint32_t run = 1; run <= 32; run *= 2)
        for (int which = 0; which < 4; which++)
            CALL(cudaFuncSetAttribute(kernel_of(run, which & 1, which & 2), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      device.shared));
    device.ready = true;
    std::atexit(release);
}

extern "C" void device_user_setup(void) { prepare(); }

/* One allocation for all: `at` moves on by the next array's bytes. */
template <typename T> static void take(T *&pointer, char *memory, size_t &at, size_t count)
{
    pointer = reinterpret_cast<T *>(memory + at);
    at += (count * sizeof(T) + 255) / 256 * 256;
}

/* What all runs have, then the first run. Returns how many bytes they all take. */
static size_t divide(coin &coin, char *memory, size_t runs, size_t width)
{
    const size_t n = coin.c.n, population = coin.c.population;
    uint32_t *keys;
    int32_t *distance;
    size_t at = 0, start;

    take(keys, memory, at, 2 * runs);
    take(distance, memory, at, n * n);
    start = at;
    take(coin.generations, memory, at, coin.c.generations);
    take(coin.best_tour, memory, at, n);
    take(coin.generator, memory, at, n * width);
    take(coin.tours, memory, at, population * n);
    take(coin.followers, memory, at, population * n);
    take(coin.lengths, memory, at, population);
    coin.keys = keys;
    coin.distance = distance;
    coin.stride = at - start;
    return start + runs * coin.stride;
}

/* Blocks for one run. A grid has barriers that one block does not need, but few warps on each scheduler. */
static uint32_t blocks_for(const cointsp_case &c)
{
    return c.population <= ALONE && c.n <= ALONE_N ? 1 : std::min((uint32_t)device.processors, c.population);
}

/* Warps that walk `tours` tours in as few turns as `most` warps. */
static uint32_t walkers_for(uint32_t tours, uint32_t most)
{
    const uint32_t turns = (tours + most - 1) / most;

    return (tours + turns - 1) / turns;
}

/* Results to the host. One run's lie side by side and come in one copy, as every copy costs some microseconds. */
static void copy_out(const coin &coin, uint32_t runs, cointsp_generation *generations, int32_t *tours)
{
    const size_t row = coin.c.generations * sizeof *generations, tour = coin.c.n * sizeof *tours;
    const size_t tour_at = (const char *)coin.best_tour - (const char *)coin.generations, bytes = tour_at + tour;

    if (runs > 1) {
        CALL(cudaMemcpy2DAsync(generations, row, coin.generations, coin.stride, row, runs, cudaMemcpyDeviceToHost,
                               device.stream));
        CALL(cudaMemcpy2DAsync(tours, tour, coin.best_tour, coin.stride, tour, runs, cudaMemcpyDeviceToHost,
                               device.stream));
        CALL(cudaStreamSynchronize(device.stream));
        return;
    }
    if (bytes > device.staging_size) {
        CALL(cudaFreeHost(device.staging));
        CALL(cudaMallocHost(&device.staging, bytes));
        device.staging_size = bytes;
    }
    CALL(cudaMemcpyAsync(device.staging, coin.generations, bytes, cudaMemcpyDeviceToHost, device.stream));
    CALL(cudaStreamSynchronize(device.stream));
    std::memcpy(generations, device.staging, row);
    std::memcpy(tours, device.staging + tour_at, tour);
}

/* Bytes of the cities of all walkers of a block. */
static size_t cities_of(const coin &coin)
{
    return ((size_t)coin.walkers * coin.c.n * sizeof(uint16_t) + 15) / 16 * 16;
}

/*
 * Many runs on one instance, which differ in their keys: keys [runs][2], generations [runs][G], tours [runs][n]. one
 * run has the GPU, several have a block each. c->key is used if there is one run.
 */
static void run_all(const cointsp_case &c, uint32_t runs, const uint32_t *keys, const int32_t *distance,
                    cointsp_generation *generations, int32_t *tours)
{
    const uint32_t n = c.n;
    uint32_t run = 1;
    coin coin = {};

    prepare();
    while (32 * run < n)
        run *= 2;

    const uint32_t warps = run <= 8 ? 32 : 16, width = 32 * run, blocks = runs == 1 ? blocks_for(c) : 1;

    coin.c = c;
    coin.together = blocks > 1;

    const uint32_t each = (c.population + blocks - 1) / blocks;
    const size_t generator = (size_t)n * width * sizeof(uint32_t), row = width * sizeof(int32_t);

    coin.walkers = walkers_for(each, warps);

    const size_t cities = cities_of(coin), room = device.shared - cities;
    const size_t chosen = c.population * sizeof(uint32_t) + 2 * c.selected * sizeof(uint16_t);
    const size_t rows = (n + blocks - 1) / blocks;
    const bool resident = run <= 8 && generator <= room;
    const size_t least = chosen + std::max(2 * BINS * sizeof(uint32_t), std::min<size_t>(rows, 32) * row);

    coin.kept = resident && blocks == 1 && generator + least <= room;

    const size_t kept = coin.kept ? generator : 0;

    coin.chunk = (uint32_t)std::min(rows, (room - kept - chosen) / row);
    coin.area = (uint32_t)std::max({ resident ? generator : 0, kept + chosen + coin.chunk * row,
                                     kept + chosen + 2 * BINS * sizeof(uint32_t) });

    size_t size = divide(coin, nullptr, runs, width);

    if (size > device.size) {
        CALL(cudaFree(device.buffer));
        CALL(cudaMalloc(&device.buffer, size));
        device.size = size;
    }
    divide(coin, device.buffer, runs, width);
    if (runs > 1) /* one has its key in the case */
        CALL(cudaMemcpyAsync((void *)coin.keys, keys, runs * 2 * sizeof *keys, cudaMemcpyHostToDevice, device.stream));
    CALL(cudaMemcpyAsync((void *)coin.distance, distance, (size_t)n * n * sizeof *distance, cudaMemcpyHostToDevice,
                         device.stream));

    void *arguments[] = { &coin };
    kernel *function = kernel_of(run, resident, coin.walkers >= MANY_WALKERS);
    dim3 grid(coin.together ? blocks : runs), threads(32 * warps);

    if (coin.together)
        CALL(cudaLaunchCooperativeKernel((const void *)function, grid, threads, arguments, cities + coin.area,
                                         device.stream));
    else
        CALL(cudaLaunchKernel((const void *)function, grid, threads, arguments, cities + coin.area, device.stream));
    copy_out(coin, runs, generations, tours);
}

extern "C" void device_user(const cointsp_case *c, const int32_t *distance, cointsp_generation *generations,
                            int32_t *tour)
{
    if (c->mode != COINTSP_PRESCRIBED) {
        std::fprintf(stderr, "expert: the open league is not for me\n");
        std::exit(1);
    }
    run_all(*c, 1, c->key, distance, generations, tour);
}
