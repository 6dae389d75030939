/*
 * 1_two_passes.cu - the first step: numbers stay in registers, and are read twice and written once. Both leagues.
 *
 * A warp has rows of 32 times 16 bytes, one 16-byte load a lane and row, and scans them by shuffles. The first kernel
 * finds the total of each tile and writes nothing else; one block scans the totals; the last kernel reads the
 * numbers again and writes their sums. The baseline writes sums in its first kernel, and reads and writes them again.
 */
#include "device_user.h"

#include "cuda_user.h"

namespace {

constexpr unsigned ALL_LANES = 0xffffffffu;

template <class T> __device__ __forceinline__ T warp_sum(T value)
{
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}

/* ------------------------------------------------------------------ a tile */

template <class T> struct alignas(16) quad {
    T v[16 / sizeof(T)];
};

/* What the warps of a block tell each other. */
template <class T> struct exchange {
    T totals[32];
    unsigned starts; /* a bit for each warp with a start */
};

template <class T, bool SEGMENTED, int ROWS> struct rows {
    static constexpr int K = 16 / sizeof(T);

    T x[ROWS][K];
    unsigned heads[SEGMENTED ? ROWS : 1];  /* bit j: number j of the row starts a segment */
    unsigned masks[SEGMENTED ? ROWS : 1];  /* bit l: lane l's numbers of the row hold a start */
};

/* Which of a lane's K numbers start a segment, from the place `at`, a multiple of K, on. */
template <int K> __device__ __forceinline__ unsigned heads_at(const uint8_t *starts, size_t at, size_t n)
{
    unsigned bytes = 0;

    if (at + K <= n)
        bytes = K == 4 ? *(const unsigned *)(starts + at) : *(const unsigned short *)(starts + at);
    else
        for (int j = 0; j < K; j++)
            bytes |= at + j < n ? (unsigned)starts[at + j] << 8 * j : 0;
    return (bytes | bytes >> 7 | bytes >> 14 | bytes >> 21) & ((1u << K) - 1);
}

template <class T, bool SEGMENTED, int ROWS>
__device__ __forceinline__ void load(rows<T, SEGMENTED, ROWS> &r, const T *values, const uint8_t *starts, size_t at,
                                     size_t n, bool whole)
{
    constexpr int K = 16 / sizeof(T);

#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const size_t here = at + (size_t)i * 32 * K;

        if (whole || here + K <= n) {
            const quad<T> q = *(const quad<T> *)(values + here);

            for (int j = 0; j < K; j++)
                r.x[i][j] = q.v[j];
        } else
            for (int j = 0; j < K; j++)
                r.x[i][j] = here + j < n ? values[here + j] : T(0);
        if (SEGMENTED)
            r.heads[i] = heads_at<K>(starts, here, n);
    }
}

template <class T, bool SEGMENTED, int ROWS>
__device__ __forceinline__ void store(const rows<T, SEGMENTED, ROWS> &r, T *sums, size_t at, size_t n, bool whole)
{
    constexpr int K = 16 / sizeof(T);

#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const size_t here = at + (size_t)i * 32 * K;

        if (whole || here + K <= n) {
            quad<T> q;

            for (int j = 0; j < K; j++)
                q.v[j] = r.x[i][j];
            *(quad<T> *)(sums + here) = q;
        } else
            for (int j = 0; j < K; j++)
                if (here + j < n)
                    sums[here + j] = r.x[i][j];
    }
}

/* Scans the rows of a warp, and returns their sum, since the last start if they have one. */
template <class T, bool SEGMENTED, int ROWS>
__device__ __forceinline__ T scan_rows(rows<T, SEGMENTED, ROWS> &r, unsigned lane)
{
    constexpr int K = 16 / sizeof(T);
    const unsigned below = (1u << lane) - 1;
    T ends[ROWS], before[ROWS], carry = 0;

#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        int head = 0; /* the last lane up to this one with a start */

        for (int j = 1; j < K; j++)
            r.x[i][j] += SEGMENTED && (r.heads[i] >> j & 1) ? T(0) : r.x[i][j - 1];
        ends[i] = r.x[i][K - 1];
        if (SEGMENTED) {
            r.masks[i] = __ballot_sync(ALL_LANES, r.heads[i] != 0);
            head = max(0, 31 - __clz((int)(r.masks[i] & (below << 1 | 1))));
        }
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
            const T other = __shfl_up_sync(ALL_LANES, ends[i], step);

            ends[i] += (int)lane - step >= head ? other : T(0);
        }
        before[i] = __shfl_up_sync(ALL_LANES, ends[i], 1);
        ends[i] = __shfl_sync(ALL_LANES, ends[i], 31);
        if (lane == 0)
            before[i] = 0;
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const T add = before[i] + (SEGMENTED && (r.masks[i] & below) ? T(0) : carry);

        for (int j = 0; j < K; j++)
            r.x[i][j] += SEGMENTED && (r.heads[i] & ((2u << j) - 1)) ? T(0) : add;
        carry = ends[i] + (SEGMENTED && r.masks[i] ? T(0) : carry);
    }
    return carry;
}

template <class T, bool SEGMENTED, int ROWS>
__device__ __forceinline__ void add_carry(rows<T, SEGMENTED, ROWS> &r, T carry, unsigned lane)
{
    constexpr int K = 16 / sizeof(T);
    bool open = true; /* no start in the rows before */

#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const bool here = open && !(SEGMENTED && (r.masks[i] & ((1u << lane) - 1)));

        for (int j = 0; j < K; j++)
            r.x[i][j] += SEGMENTED && (!here || (r.heads[i] & ((2u << j) - 1))) ? T(0) : carry;
        if (SEGMENTED)
            open = open && r.masks[i] == 0;
    }
}

constexpr int THREADS = 256, ROWS = 8, WARPS = THREADS / 32;
constexpr size_t BYTES = (size_t)THREADS * ROWS * 16; // of a tile

/*
 * One block a tile. With TOTALS it writes the tile's total, since the last start in it, and whether there is one; else
 * the sums, for which totals[tile - 1] is what comes before the tile.
 */
template <class T, bool SEGMENTED, bool TOTALS>
__global__ void __launch_bounds__(THREADS) scan_tiles(const T *__restrict__ values, const uint8_t *__restrict__ starts,
                                                      T *__restrict__ sums, size_t n, T *totals, bool *begun)
{
    constexpr int K = 16 / sizeof(T);
    constexpr size_t WARP_ITEMS = (size_t)ROWS * 32 * K, TILE = WARPS * WARP_ITEMS;
    __shared__ exchange<T> shared;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, tile = blockIdx.x;
    const size_t at = tile * TILE + warp * WARP_ITEMS + lane * K;
    const bool whole = (tile + 1) * TILE <= n;
    rows<T, SEGMENTED, ROWS> r;
    bool any = false;

    if (threadIdx.x == 0)
        shared.starts = 0;
    __syncthreads();
    load(r, values, starts, at, n, whole);
    const T total = scan_rows(r, lane);
    if (SEGMENTED)
        for (int i = 0; i < ROWS; i++)
            any = any || r.masks[i] != 0;
    if (lane == 0) {
        shared.totals[warp] = total;
        if (any)
            atomicOr(&shared.starts, 1u << warp);
    }
    __syncthreads();

    const unsigned with = SEGMENTED ? shared.starts : 0;
    const int last = 31 - __clz((int)with), nearest = 31 - __clz((int)(with & ((1u << warp) - 1)));
    const T other = lane < WARPS ? shared.totals[lane] : T(0);

    if (TOTALS) {
        const T all = warp_sum((int)lane >= last ? other : T(0));

        if (threadIdx.x == 0) {
            totals[tile] = all;
            begun[tile] = last >= 0;
        }
        return;
    }
    T mine = warp_sum(lane < warp && (int)lane >= nearest ? other : T(0));

    if (nearest < 0 && tile > 0)
        mine += totals[tile - 1];
    add_carry(r, mine, lane);
    store(r, sums, at, n, whole);
}

constexpr int MOST = 1024; // threads of the block that scans the totals

/* One block: each thread adds up a stretch of totals, the threads scan their sums, each adds its own again. */
template <class T> __global__ void __launch_bounds__(MOST) scan_totals(T *totals, const bool *begun, unsigned tiles)
{
    __shared__ T sums[MOST];
    __shared__ bool starts[MOST];
    const unsigned me = threadIdx.x, each = (tiles + MOST - 1) / MOST;
    const unsigned first = min(me * each, tiles), end = min(first + each, tiles);
    T sum = 0;
    bool any = false;

    for (unsigned t = first; t < end; t++) {
        sum = totals[t] + (begun[t] ? T(0) : sum);
        any = any || begun[t];
    }
    sums[me] = sum;
    starts[me] = any;
    for (unsigned step = 1; step < MOST; step *= 2) {
        __syncthreads();
        const T other = me >= step && !any ? sums[me - step] : T(0);
        const bool before = me >= step && starts[me - step];

        __syncthreads();
        sums[me] = sum += other;
        starts[me] = any = any || before;
    }
    __syncthreads();
    sum = me > 0 ? sums[me - 1] : T(0);
    for (unsigned t = first; t < end; t++)
        totals[t] = sum = totals[t] + (begun[t] ? T(0) : sum);
}

/* ------------------------------------------------------------------ calls */

constexpr size_t TILES = (size_t)SCAN_COUNT_MAX * 8 / BYTES;

struct kept {
    void *totals; /* [TILES] of the type */
    bool *begun;  /* [TILES] */

    ~kept()
    {
        cudaFree(totals);
        cudaFree(begun);
    }
};
kept memory;

template <class T, bool SEGMENTED>
void launch(const T *values, const uint8_t *starts, T *sums, size_t n, cudaStream_t stream)
{
    const unsigned tiles = (unsigned)((n * sizeof(T) + BYTES - 1) / BYTES);
    T *totals = (T *)memory.totals;

    if (tiles > 1) {
        scan_tiles<T, SEGMENTED, true><<<tiles, THREADS, 0, stream>>>(values, starts, sums, n, totals, memory.begun);
        CUDA_CHECK_LAUNCH();
        scan_totals<<<1, MOST, 0, stream>>>(totals, memory.begun, tiles);
        CUDA_CHECK_LAUNCH();
    }
    scan_tiles<T, SEGMENTED, false><<<tiles, THREADS, 0, stream>>>(values, starts, sums, n, totals, memory.begun);
    CUDA_CHECK_LAUNCH();
}

template <class T> void scan(const void *values, const uint8_t *starts, void *sums, size_t n, cudaStream_t stream)
{
    if (starts)
        launch<T, true>((const T *)values, starts, (T *)sums, n, stream);
    else
        launch<T, false>((const T *)values, starts, (T *)sums, n, stream);
}

} // namespace

extern "C" void device_user_setup(void)
{
    CUDA_CHECK(cudaMalloc(&memory.totals, TILES * 8));
    CUDA_CHECK(cudaMalloc(&memory.begun, TILES));
}

extern "C" void device_user(const void *values, const uint8_t *starts, void *sums, size_t n, int type,
                            device_stream stream)
{
    if (type == SCAN_UINT32)
        scan<uint32_t>(values, starts, sums, n, stream);
    else if (type == SCAN_UINT64)
        scan<uint64_t>(values, starts, sums, n, stream);
    else
        scan<float>(values, starts, sums, n, stream);
}
