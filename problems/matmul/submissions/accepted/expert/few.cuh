/*
 * few.cuh - multiply_few_rows and multiply_few_columns, for sides of up to 8: reading the other factor is the limit;
 * multiply_narrow and multiply_few_products, where a round trip to memory is.
 */
#pragma once

#include "cluster.cuh"

constexpr int THIN_THREADS = 256;

/*
 * ROWS rows of A. Each element of B is needed once, so B goes to registers straight from memory, DEPTH rows at a time;
 * 16 where a thread has one column of one row, and k is long (long_row); there many blocks share k. 2^bits threads side
 * by side have WIDTH columns each; the others of the block have other slices of k.
 *
 * What was written before is still in the L2 cache, and each line that B needs there drives one out to memory, which
 * costs as much as reading. So B's own lines are the first to leave. Above ONCE_MAX elements this gains nothing more,
 * and reads become slower.
 */
constexpr size_t ONCE_MAX = 64 << 20;

template <int ROWS, int WIDTH, int DEPTH = ROWS * WIDTH >= 32 ? 4 : 8>
__global__ void __launch_bounds__(THIN_THREADS) multiply_few_rows(const product p, int bits)
{
    __shared__ float4 memory[THIN_THREADS * ROWS * WIDTH / 4];
    float *const kept = (float *)memory;
    const int size = cluster_size(), slices = THIN_THREADS >> bits, across = WIDTH << bits;
    const int unit = blockIdx.y * size + cluster_rank(), step = gridDim.y * size * slices;
    const int place = threadIdx.x % (1 << bits) * WIDTH, slice = threadIdx.x >> bits;
    const int tiles_n = (p.n + across - 1) / across, tile = blockIdx.x / size;
    const int row0 = tile / tiles_n * ROWS, column0 = tile % tiles_n * across, column = column0 + place;
    const int k_end = column < p.n ? p.k : 0;
    const unsigned long long policy = policy_of(p.m <= ROWS && (size_t)p.k * p.b_pitch <= ONCE_MAX);
    float sums[ROWS][WIDTH] = {};

    for (int k = unit * slices + slice; k < k_end; k += DEPTH * step) {
        float a[DEPTH][ROWS] = {}, b[DEPTH][WIDTH] = {};

#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            if (k + d * step < k_end) {
                const float *const from = p.b + (size_t)(k + d * step) * p.b_pitch + column;

                if constexpr (WIDTH == 4)
                    *(float4 *)b[d] = read_by(policy, (const float4 *)from);
                else
                    b[d][0] = read_by(policy, from);
                for (int row = 0; row < ROWS; row++)
                    a[d][row] = p.a[(size_t)min(row0 + row, p.m - 1) * p.a_pitch + k + d * step];
            }
#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            for (int row = 0; row < ROWS; row++)
                for (int j = 0; j < WIDTH; j++)
                    sums[row][j] = fmaf(a[d][row], b[d][j], sums[row][j]);
    }
    if (slices == 1 && size == 1 && gridDim.y == 1) {
        for (int row = 0; row < ROWS && row0 + row < p.m && column < p.n; row++) {
            float *const to = p.c + (size_t)(row0 + row) * p.c_pitch + column;

            if constexpr (WIDTH == 4)
                store(to, make_float4(sums[row][0], sums[row][1], sums[row][2], sums[row][3]), p.n - column,
                      p.c_pitch % 4 == 0);
            else
                *to = sums[row][0];
        }
        return;
    }
    /* Where a warp has several slices, it adds them; the first keeps the sum. */
    const int kept_slices = bits < 5 ? THIN_THREADS / 32 : slices;

    for (int row = 0; row < ROWS; row++)
        for (int j = 0; j < WIDTH; j++)
            sums[row][j] = sum_over_lanes(sums[row][j], 1 << bits);
    if (bits >= 5 || threadIdx.x % 32 < 1 << bits)
        for (int row = 0; row < ROWS; row++)
            for (int j = 0; j < WIDTH; j++)
                kept[((bits < 5 ? threadIdx.x / 32 : slice) * ROWS + row) * across + place + j] = sums[row][j];
    add_sums<float4, DEPTH == 16>(p, kept, kept_slices, ROWS, across, across, row0, column0);
}

/*
 * Up to COLUMNS columns of B. Each element of A is needed once, so A goes to registers straight from memory; B comes
 * from the caches, for ROWS rows of A at a time. 2^bits threads side by side have other k of the same rows.
 */
template <int COLUMNS, int ROWS>
__global__ void __launch_bounds__(THIN_THREADS) multiply_few_columns(const product p, int bits)
{
    constexpr int DEPTH = 4, ACROSS = COLUMNS < 4 ? 4 : COLUMNS;
    __shared__ float4 memory[THIN_THREADS / 2 * ROWS * ACROSS / 4]; // bits is at least 1
    float *const kept = (float *)memory;
    const int size = cluster_size(), groups = THIN_THREADS >> bits, rows = groups * ROWS;
    const int unit = blockIdx.y * size + cluster_rank(), step = gridDim.y * size << bits;
    const int lane = threadIdx.x % (1 << bits), group = threadIdx.x >> bits;
    const int row0 = blockIdx.x / size * rows;
    const bool aligned = COLUMNS % 4 == 0 && p.n == COLUMNS && p.b_pitch % 4 == 0;
    const unsigned long long policy = policy_of((size_t)p.m * p.a_pitch <= ONCE_MAX);
    const float *a[ROWS];
    float sums[ROWS][COLUMNS] = {};

    for (int row = 0; row < ROWS; row++)
        a[row] = p.a + (size_t)min(row0 + row * groups + group, p.m - 1) * p.a_pitch;
    for (int k = (unit << bits) + lane; k < p.k; k += DEPTH * step) {
        float from_a[DEPTH][ROWS] = {}, b[DEPTH][COLUMNS] = {};

#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            if (k + d * step < p.k) {
                const float *const from = p.b + (size_t)(k + d * step) * p.b_pitch;

                for (int row = 0; row < ROWS; row++)
                    from_a[d][row] = read_by(policy, a[row] + k + d * step);
                if (aligned)
                    for (int j = 0; j + 3 < COLUMNS; j += 4)
                        *(float4 *)&b[d][j] = *(const float4 *)(from + j);
                else
                    for (int j = 0; j < COLUMNS; j++)
                        b[d][j] = from[min(j, p.n - 1)];
            }
#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            for (int row = 0; row < ROWS; row++)
                for (int j = 0; j < COLUMNS; j++)
                    sums[row][j] = fmaf(from_a[d][row], b[d][j], sums[row][j]);
    }
    for (int row = 0; row < ROWS; row++)
        for (int j = 0; j < COLUMNS; j++)
            for (int bit = 1; bit < 32 && bit < 1 << bits; bit *= 2)
                sums[row][j] += __shfl_xor_sync(~0u, sums[row][j], bit);
    if (lane % 32 == 0)
        for (int row = 0; row < ROWS; row++)
            for (int j = 0; j < ACROSS; j++)
                kept[(lane / 32 * rows + row * groups + group) * ACROSS + j] = j < COLUMNS ? sums[row][j] : 0;
    add_sums<float4>(p, kept, bits > 5 ? 1 << (bits - 5) : 1, rows, ACROSS, ACROSS, row0, 0);
}

/*
 * How multiply_narrow cuts its work. A block has ROWS rows of C and all columns, up to COLUMNS. Its warps have slices
 * of k, and a warp's lanes have DOWN x ACROSS pieces of TM x TN elements. Each number that a lane reads from shared
 * memory is used TM or TN times. With one row a lane, reading B took four times as long as the multiply-adds.
 */
template <int COLUMNS_> struct narrow_shape {
    static constexpr int COLUMNS = COLUMNS_, ROWS = 32, SLICES = COLUMNS == 64 ? 4 : 8, THREADS = 32 * SLICES;
    static constexpr int ACROSS = COLUMNS == 4 ? 1 : COLUMNS == 8 ? 2 : COLUMNS == 64 ? 8 : 4, DOWN = 32 / ACROSS;
    static constexpr int TM = ROWS / DOWN, TN = COLUMNS / ACROSS;
    static constexpr int KEPT = COLUMNS + 4; // the pitch of the slices' sums in shared memory
};

/* Of A's rows in shared memory: lanes that read the same k of up to 32 rows go to different banks, or to half of
 * them. */
__host__ __device__ constexpr int narrow_pitch(int k) { return k % 8 == 0 ? k + 4 : k; }

/* Bytes of shared memory: both factors, and then the sums of the slices of k. */
template <class S> constexpr int narrow_bytes(int k)
{
    return (int)sizeof(float) * std::max(S::ROWS * narrow_pitch(k) + k * S::COLUMNS, S::SLICES * S::ROWS * S::KEPT);
}

/*
 * Up to COLUMNS columns of B and few k. The rows of A that a block has lie one after the other in memory, so they come
 * all at once, 16 bytes a copy, wherever a row begins. If ALIGNED, K is a multiple of 4, and four k of a row are read
 * at once. A's pitch is k.
 */
template <class S, bool ALIGNED> __global__ void __launch_bounds__(S::THREADS) multiply_narrow(const product p, int)
{
    constexpr int STEP = ALIGNED ? 4 : 1;
    extern __shared__ float4 aligned_memory[];
    const int pitch = narrow_pitch(p.k), row0 = blockIdx.x * S::ROWS, rows = min(S::ROWS, p.m - row0);
    float *const a = reinterpret_cast<float *>(aligned_memory), *const b = a + S::ROWS * pitch;
    const unsigned to_a = (unsigned)__cvta_generic_to_shared(a), to_b = (unsigned)__cvta_generic_to_shared(b);
    const int slice = threadIdx.x / 32, row = threadIdx.x % 32 / S::ACROSS, column = threadIdx.x % S::ACROSS * 4;
    const int length = (p.k + STEP * S::SLICES - 1) / (STEP * S::SLICES) * STEP, end = min(p.k, (slice + 1) * length);
    float sums[S::TM][S::TN] = {};

    for (int e = threadIdx.x * 4; e < rows * p.k; e += S::THREADS * 4)
        copy<4>(to_a + (ALIGNED ? e / p.k * pitch + e % p.k : e) * 4, p.a + (size_t)row0 * p.k + e,
                min(4, rows * p.k - e) * (int)sizeof(float));
    if (p.b_pitch % 4 == 0)
        for (int e = threadIdx.x * 4; e < p.k * S::COLUMNS; e += S::THREADS * 4) {
            const int left = max(0, min(4, p.n - e % S::COLUMNS));

            copy<4>(to_b + e * 4, p.b + (left > 0 ? (size_t)(e / S::COLUMNS) * p.b_pitch + e % S::COLUMNS : 0),
                    left * (int)sizeof(float));
        }
    else
        for (int e = threadIdx.x; e < p.k * S::COLUMNS; e += S::THREADS) {
            const bool there = e % S::COLUMNS < p.n;

            copy<1>(to_b + e * 4, p.b + (there ? (size_t)(e / S::COLUMNS) * p.b_pitch + e % S::COLUMNS : 0),
                    there ? sizeof(float) : 0);
        }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int k = slice * length; k < end; k += STEP) {
        float from_a[S::TM][STEP];

#pragma unroll
        for (int i = 0; i < S::TM; i++) {
            const float *const from = a + min(row + i * S::DOWN, rows - 1) * pitch + k;

            if constexpr (ALIGNED)
                *(float4 *)from_a[i] = *(const float4 *)from;
            else
                from_a[i][0] = *from;
        }
#pragma unroll
        for (int d = 0; d < STEP; d++) {
            float from_b[S::TN];

#pragma unroll
            for (int j = 0; j < S::TN; j += 4)
                *(float4 *)&from_b[j] = *(const float4 *)(b + (k + d) * S::COLUMNS + column + j * S::ACROSS);
#pragma unroll
            for (int i = 0; i < S::TM; i++)
#pragma unroll
                for (int j = 0; j < S::TN; j++)
                    sums[i][j] = fmaf(from_a[i][d], from_b[j], sums[i][j]);
        }
    }
    __syncthreads(); // everybody has read the factors
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j += 4)
            *(float4 *)(a + (slice * S::ROWS + row + i * S::DOWN) * S::KEPT + column + j * S::ACROSS) =
                make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
    __syncthreads();
    for (int e = threadIdx.x; e < rows * p.n; e += S::THREADS) {
        const int to_row = e / p.n, to_column = e % p.n;
        float total = 0;

#pragma unroll
        for (int from = 0; from < S::SLICES; from++)
            total += a[(from * S::ROWS + to_row) * S::KEPT + to_column];
        p.c[(size_t)(row0 + to_row) * p.c_pitch + to_column] = total;
    }
}

/*
 * Few k. A thread has ROWS rows and COLUMNS columns of C, and reads its factors from the caches: nothing waits for
 * another thread. 2^bits threads are side by side, the others of the block have the rows below. If ALIGNED, the four
 * columns of a thread are neighbours; if not, those of neighbouring threads are.
 */
template <int ROWS, int COLUMNS, bool ALIGNED>
__global__ void __launch_bounds__(THIN_THREADS) multiply_few_products(const product p, int bits)
{
    constexpr int DEPTH = ROWS * COLUMNS <= 16 ? 8 : 4;
    const int across = COLUMNS << bits, tiles_n = (p.n + across - 1) / across;
    const int apart = ALIGNED ? 1 : 1 << bits; // the columns of a thread
    const int column = blockIdx.x % tiles_n * across + threadIdx.x % (1 << bits) * (ALIGNED ? COLUMNS : 1);
    const int row0 = (blockIdx.x / tiles_n * (THIN_THREADS >> bits) + (threadIdx.x >> bits)) * ROWS;
    float sums[ROWS][COLUMNS] = {};

    if (column >= p.n || row0 >= p.m)
        return;
    for (int k = 0; k < p.k; k += DEPTH) {
        float a[ROWS][DEPTH] = {}, b[DEPTH][COLUMNS] = {};

#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            if (k + d < p.k) {
                const float *const from = p.b + (size_t)(k + d) * p.b_pitch + column;

                if constexpr (ALIGNED)
                    *(float4 *)b[d] = *(const float4 *)from;
                else
                    for (int j = 0; j < COLUMNS; j++)
                        b[d][j] = column + j * apart < p.n ? from[j * apart] : 0;
                for (int row = 0; row < ROWS; row++)
                    a[row][d] = p.a[(size_t)min(row0 + row, p.m - 1) * p.a_pitch + k + d];
            }
#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            for (int row = 0; row < ROWS; row++)
                for (int j = 0; j < COLUMNS; j++)
                    sums[row][j] = fmaf(a[row][d], b[d][j], sums[row][j]);
    }
    for (int row = 0; row < ROWS && row0 + row < p.m; row++) {
        float *const to = p.c + (size_t)(row0 + row) * p.c_pitch + column;

        if constexpr (ALIGNED)
            store(to, make_float4(sums[row][0], sums[row][1], sums[row][2], sums[row][3]), p.n - column, true);
        else
            for (int j = 0; j < COLUMNS; j++)
                if (column + j * apart < p.n)
                    to[j * apart] = sums[row][j];
    }
}
