/*
 * The baseline in CUDA: tiles, then the tiles' totals in the same way, then what comes before each tile is added to it
 * (Blelloch, "Prefix sums and their applications", 1990). Both leagues.
 *
 * A block has a tile of 1024 numbers. A thread adds up 4, the block's threads add theirs in shared memory. A carry
 * goes to the numbers before the first start in the tile: `firsts`. Every number is read twice and written twice.
 */
#include "device_user.h"

#include "cuda_user.h"

namespace {

constexpr unsigned THREADS = 256, ITEMS = 4, TILE = THREADS * ITEMS;
constexpr int LEVELS = 3; /* 2^28 numbers, 2^18 tiles, 2^8 tiles of these, one */

/* Of the tiles of a level, [tiles] each. */
struct level {
    void *totals;     /* the sum at the tile's end; later of all up to there */
    uint8_t *starts;  /* 1 if there is a start in the tile */
    unsigned *firsts; /* the place in the tile of the first start; TILE if there is none */

    ~level()
    {
        cudaFree(totals);
        cudaFree(starts);
        cudaFree(firsts);
    }
};
level levels[LEVELS];

template <class T>
__global__ void scan_tiles(const T *values, const uint8_t *starts, T *sums, size_t n, T *totals, uint8_t *with_start,
                           unsigned *firsts)
{
    __shared__ T ends[2][THREADS];
    __shared__ bool begun[2][THREADS]; /* a start is among what the sum has */
    __shared__ unsigned first;
    const unsigned me = threadIdx.x;
    const size_t at = (size_t)blockIdx.x * TILE + me * ITEMS;
    T x[ITEMS], sum = 0;
    unsigned mine = ITEMS; /* my first start */
    int now = 0;

    if (me == 0)
        first = TILE;
    for (unsigned j = 0; j < ITEMS; j++) {
        const bool start = at + j < n && starts && starts[at + j];

        if (start)
            sum = 0, mine = min(mine, j);
        sum += at + j < n ? values[at + j] : T(0);
        x[j] = sum;
    }
    ends[0][me] = sum;
    begun[0][me] = mine < ITEMS;
    __syncthreads();
    if (mine < ITEMS)
        atomicMin(&first, me * ITEMS + mine);
    for (unsigned step = 1; step < THREADS; step *= 2, now ^= 1) {
        const bool adds = me >= step && !begun[now][me];

        ends[now ^ 1][me] = ends[now][me] + (adds ? ends[now][me - step] : T(0));
        begun[now ^ 1][me] = begun[now][me] || (adds && begun[now][me - step]);
        __syncthreads();
    }
    for (unsigned j = 0; j < ITEMS; j++)
        if (at + j < n)
            sums[at + j] = x[j] + (me > 0 && j < mine ? ends[now][me - 1] : T(0));
    if (me == THREADS - 1) {
        totals[blockIdx.x] = ends[now][me];
        with_start[blockIdx.x] = first < TILE;
        firsts[blockIdx.x] = first;
    }
}

/* To each tile but the first what comes before it: totals[tile - 1]. */
template <class T> __global__ void add_carries(T *sums, size_t n, const T *totals, const unsigned *firsts)
{
    const size_t tile = blockIdx.x + 1;

    for (unsigned j = threadIdx.x; j < firsts[tile]; j += THREADS)
        if (tile * TILE + j < n)
            sums[tile * TILE + j] += totals[tile - 1];
}

template <class T>
void scan(const T *values, const uint8_t *starts, T *sums, size_t n, int depth, cudaStream_t stream)
{
    const unsigned tiles = (unsigned)((n + TILE - 1) / TILE);
    const level *l = &levels[depth];

    scan_tiles<<<tiles, THREADS, 0, stream>>>(values, starts, sums, n, (T *)l->totals, l->starts, l->firsts);
    CUDA_CHECK_LAUNCH();
    if (tiles == 1)
        return;
    scan((const T *)l->totals, l->starts, (T *)l->totals, tiles, depth + 1, stream);
    add_carries<<<tiles - 1, THREADS, 0, stream>>>(sums, n, (const T *)l->totals, l->firsts);
    CUDA_CHECK_LAUNCH();
}

} // namespace

extern "C" void device_user_setup(void)
{
    size_t tiles = SCAN_COUNT_MAX;

    for (level &l : levels) {
        tiles = (tiles + TILE - 1) / TILE;
        CUDA_CHECK(cudaMalloc(&l.totals, tiles * 8));
        CUDA_CHECK(cudaMalloc(&l.starts, tiles));
        CUDA_CHECK(cudaMalloc(&l.firsts, tiles * sizeof *l.firsts));
    }
}

extern "C" void device_user(const void *values, const uint8_t *starts, void *sums, size_t n, int type,
                            device_stream stream)
{
    if (type == SCAN_UINT32)
        scan((const uint32_t *)values, starts, (uint32_t *)sums, n, 0, stream);
    else if (type == SCAN_UINT64)
        scan((const uint64_t *)values, starts, (uint64_t *)sums, n, 0, stream);
    else
        scan((const float *)values, starts, (float *)sums, n, 0, stream);
}
