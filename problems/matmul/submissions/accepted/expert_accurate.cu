/*
 * expert_accurate.cu - float32 by three products of half-precision numbers on tensor cores. league: accurate
 *
 * A float32 x, scaled, is cut into two numbers of half precision (11 significant bits each): high = half(x) and low =
 * half(x - high). They miss at most 2^-23 of x. Of the four products of two such sums the smallest, low * low, is
 * left out: at most 2^-22 of |a||b|. So each product errs by at most 8 u, u = 2^-24, in either direction, while the
 * rule allows 18 u for a single product and (4 sqrt(n) + 8) u for the root of the sum of the squares of n. K up to
 * 256 go to an ordinary float32 kernel, whose time the copies hide anyway.
 *
 * Three things can spoil that, and each is looked after:
 *
 * - Range. Half precision has five bits for the exponent: a row of A and a column of B are scaled by a power of two,
 *   so that their largest element lies in [2^14, 2^15). An element that is 2^-16 of it or smaller then loses more
 *   than 2^-23 of itself. What a line (a row of A, a column of B) loses in this way is counted when it is cut: `lost`
 *   is a bound of the 2-norm of all such losses. By Cauchy and Schwarz the element (i, j) of C errs through them by
 *   at most lost_i norm_j + norm_i lost_j. Where that is above sqrt(n) 2^-24 |C|, n the fewer of the elements other
 *   than 0 in both lines, half of what the rule allows at least, the element is computed anew in float32. This costs
 *   little: of random matrices with exponents from -20 to 20 one element in thousands.
 * - Infinities and NaN do not survive the cut. Their lines take part as zeros, with `lost` infinite: all their elements
 *   are computed anew.
 * - Sums. Tensor cores do not round sums to nearest, but cut them off, and with many terms of one sign that adds up. So
 *   they add CHUNK * BK products at most; the sums of these chunks are ordinary additions.
 *
 * The product itself: a block has 128 x 128 elements of C, a warp 64 x 32 of them. Slabs of 32 k of the four halves
 * come into shared memory by asynchronous copies, STAGES - 1 of them on their way while one is worked on. Chunks of 16
 * bytes lie there permuted (XOR with the row), so that eight rows of one column of chunks, which ldmatrix reads
 * together, are in different banks.
 *
 * The copies over the bus take as long as the arithmetic. So A comes in panels of rows and B in panels of columns, in
 * turn, and each rectangle of C is computed as soon as its panels are there, and copied back as soon as it is computed.
 * For that the matrices must be page-locked; if they are not, one panel is used.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <type_traits>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert_accurate.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

constexpr int BM = 128, BN = 128, BK = 32, STAGES = 5, CHUNK = 4; // elements, elements, k; slabs; slabs
constexpr int THREADS = 256, SPECIAL = 1 << 20, PLAIN_K = 256;

/* What is known of a row of A or a column of B. */
struct line {
    int shift;  // its elements were multiplied by 2^shift; SPECIAL: it holds an infinity or NaN
    float norm; // an upper bound of its 2-norm, scaled
    float lost; // of that of what its halves miss, of elements where it is more than 2^-23 of the element; scaled
    int terms;  // elements other than 0
};

/* A, or B, on the device, and its halves. */
struct matrix {
    float *x;           // A: [M][K], B: [K][N]
    __half *high, *low; // A: [M'][K'], B: [K'][N'], scaled; M' and N' are multiples of 128, K' of 32, filled with zeros
    line *lines;        // [M'] or [N']
    int pitch;          // elements from a row to the next, of x
    int half_pitch;     // and of high and low
};

/* ------------------------------------------------------------------ cutting */

/* What a thread has seen of a line. */
struct tally {
    float most;    // the largest loss
    int losses;    // how many elements lost more than 2^-23 of themselves
    float squares; // sum of the squares of the elements
    int terms;     // elements other than 0

    __device__ void add(const tally &other)
    {
        most = fmaxf(most, other.most);
        losses += other.losses;
        squares += other.squares;
        terms += other.terms;
    }
};

/* 2^e, for e from -126 to 127. */
__device__ float power(int e) { return __int_as_float((e + 127) << 23); }

/* By which power of two a line is to be multiplied whose largest |x| has these bits. */
__device__ int find_shift(unsigned most)
{
    if (most >= 0x7f800000u)
        return SPECIAL;
    return most == 0 ? 0 : 14 - ilogbf(__uint_as_float(most));
}

__device__ void cut(float x, int shift, __half &high, __half &low, tally &seen)
{
    const int half_shift = shift / 2; // in two steps: the power may be beyond float's range
    const float scaled = shift == SPECIAL ? 0.0f : x * power(half_shift) * power(shift - half_shift);

    high = __float2half_rn(scaled);

    const float rest = scaled - __half2float(high);

    low = __float2half_rn(rest);

    float loss = fabsf(rest - __half2float(low));

    if (x != 0 && fabsf(scaled) < 0x1p-100f)
        loss = fmaxf(loss, 0x1p-100f); // the scaling itself may have rounded
    if (loss > 0x1p-23f * fabsf(scaled)) {
        seen.losses++;
        seen.most = fmaxf(seen.most, loss);
    }
    seen.squares = fmaf(scaled, scaled, seen.squares);
    seen.terms += x != 0;
}

/* The factors are more than what these few roundings can take away. */
__device__ line describe(int shift, const tally &seen)
{
    const float infinity = __int_as_float(0x7f800000);

    return {shift, 1.01f * sqrtf(seen.squares),
            shift == SPECIAL ? infinity : 1.01f * sqrtf((float)seen.losses) * seen.most, seen.terms};
}

/* A block for each row of the matrix from `row` on; those from `rows` on are filled with zeros. */
__global__ void __launch_bounds__(THREADS) cut_rows(matrix a, int row, int rows, int k, int k_padded)
{
    __shared__ unsigned most_of[THREADS / 32];
    __shared__ tally seen_of[THREADS / 32];
    const int tid = threadIdx.x;

    row += blockIdx.x;

    const float *x = a.x + (size_t)row * a.pitch;
    __half *high = a.high + (size_t)row * a.half_pitch, *low = a.low + (size_t)row * a.half_pitch;
    const int length = row < rows ? k : 0;
    unsigned most = 0;
    tally seen = {};

    for (int e = tid; e < length; e += THREADS)
        most = max(most, __float_as_uint(x[e]) & 0x7fffffffu);
    most = __reduce_max_sync(~0u, most);
    if (tid % 32 == 0)
        most_of[tid / 32] = most;
    __syncthreads();
    for (int warp = 0; warp < THREADS / 32; warp++)
        most = max(most, most_of[warp]);

    const int shift = find_shift(most);

    for (int e = tid; e < k_padded; e += THREADS)
        cut(e < length ? x[e] : 0.0f, shift, high[e], low[e], seen);
    for (int distance = 16; distance > 0; distance /= 2)
        seen.add({__shfl_xor_sync(~0u, seen.most, distance), __shfl_xor_sync(~0u, seen.losses, distance),
                  __shfl_xor_sync(~0u, seen.squares, distance), __shfl_xor_sync(~0u, seen.terms, distance)});
    if (tid % 32 == 0)
        seen_of[tid / 32] = seen;
    __syncthreads();
    if (tid == 0) {
        for (int warp = 1; warp < THREADS / 32; warp++)
            seen.add(seen_of[warp]);
        a.lines[row] = describe(shift, seen);
    }
}

/* A block of 32 x 32 threads for each 32 columns from `column` on; those from `columns` on are filled with zeros. */
__global__ void __launch_bounds__(1024) cut_columns(matrix b, int column, int columns, int k, int k_padded)
{
    __shared__ unsigned most_of[32][33];
    __shared__ tally seen_of[32][33];
    const int x = threadIdx.x, y = threadIdx.y;

    column += blockIdx.x * 32 + x;

    const int length = column < columns ? k : 0;
    unsigned most = 0;
    tally seen = {};

    for (int e = y; e < length; e += 32)
        most = max(most, __float_as_uint(b.x[(size_t)e * b.pitch + column]) & 0x7fffffffu);
    most_of[y][x] = most;
    __syncthreads();
    for (int other = 0; other < 32; other++)
        most = max(most, most_of[other][x]);

    const int shift = find_shift(most);

    for (int e = y; e < k_padded; e += 32) {
        const size_t at = (size_t)e * b.half_pitch + column;

        cut(e < length ? b.x[(size_t)e * b.pitch + column] : 0.0f, shift, b.high[at], b.low[at], seen);
    }
    seen_of[y][x] = seen;
    __syncthreads();
    if (y == 0) {
        for (int other = 1; other < 32; other++)
            seen.add(seen_of[other][x]);
        b.lines[column] = describe(shift, seen);
    }
}

/* ------------------------------------------------------------------ the product on tensor cores */

__device__ __forceinline__ void copy_16(unsigned to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}

__device__ __forceinline__ void load(unsigned (&r)[4], unsigned at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
}

__device__ __forceinline__ void load_transposed(unsigned (&r)[4], unsigned at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
}

/* sum[16][8] += a[16][16] b[16][8], or = where `fresh`. b's fragment is two of the four registers that were loaded. */
template <bool fresh>
__device__ __forceinline__ void add_product(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2][4], int j)
{
    const unsigned b0 = b[j / 2][j % 2 * 2], b1 = b[j / 2][j % 2 * 2 + 1];

    if (fresh)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                     "{%10,%10,%10,%10};"
                     : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(0.0f));
    else
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                     "{%0,%1,%2,%3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* An element of C in float32, by all lanes of a warp. */
__device__ __noinline__ float one_element(const float *row, const float *column, int pitch, int k)
{
    float sum = 0;

    for (int e = threadIdx.x % 32; e < k; e += 32)
        sum = fmaf(row[e], column[(size_t)e * pitch], sum);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(~0u, sum, distance);
    return sum;
}

/* The part of C that a launch computes: rows and columns from `row` and `column`, multiples of 128, to the ends. */
struct rectangle {
    int row, column, row_end, column_end;
};

/* The tile of C of this block: they follow each other down groups of tile rows, so that those in flight share lines. */
__device__ void find_tile(const rectangle &part, int tile_m, int tile_n, int &row, int &column)
{
    constexpr int GROUP = 12;
    const int tiles_m = (part.row_end - part.row + tile_m - 1) / tile_m;
    const int tiles_n = (part.column_end - part.column + tile_n - 1) / tile_n;
    const int group = blockIdx.x / (GROUP * tiles_n), in_group = blockIdx.x % (GROUP * tiles_n);
    const int height = min(GROUP, tiles_m - group * GROUP);

    row = part.row + (group * GROUP + in_group % height) * tile_m;
    column = part.column + in_group / height * tile_n;
}

constexpr int PART = BM * BK * (int)sizeof(__half), STAGE = 4 * PART; // bytes: A high, A low, B high, B low
static_assert(BM == BN && BM == 128 && BK == 32, "the copies and the permutations are made for these");

__global__ void __launch_bounds__(THREADS, 1)
multiply(matrix a, matrix b, float *c, int c_pitch, rectangle part, int k, int k_padded)
{
    extern __shared__ __align__(128) unsigned char memory[]; // [STAGES][4] of A [128][4], B [32][16] chunks of 16 bytes
    const unsigned base = (unsigned)__cvta_generic_to_shared(memory);
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, slabs = k_padded / BK;
    int row0, column0;

    find_tile(part, BM, BN, row0, column0);

    /* What this thread copies: of A chunk ac of rows ar and ar + 64, of B chunk bc of rows br and br + 16. */
    const int ar = tid / 4, ac = tid % 4, br = tid / 16, bc = tid % 16;
    const unsigned a_to = ar * 64 + ((ac ^ (ar >> 1 & 3)) << 4), b_to = 2 * PART + br * 256 + ((bc ^ (br & 7)) << 4);
    const size_t a_first = (size_t)(row0 + ar) * a.half_pitch + ac * 8, a_rows = (size_t)64 * a.half_pitch;
    const size_t b_first = (size_t)br * b.half_pitch + column0 + bc * 8, b_rows = (size_t)16 * b.half_pitch;
    const __half *a_high = a.high + a_first, *a_low = a.low + a_first;
    const __half *b_high = b.high + b_first, *b_low = b.low + b_first;

    auto copy_slab = [&](int stage) {
        const unsigned to_a = base + stage * STAGE + a_to, to_b = base + stage * STAGE + b_to;

        copy_16(to_a, a_high);
        copy_16(to_a + 64 * 64, a_high + a_rows);
        copy_16(to_a + PART, a_low);
        copy_16(to_a + PART + 64 * 64, a_low + a_rows);
        copy_16(to_b, b_high);
        copy_16(to_b + 16 * 256, b_high + b_rows);
        copy_16(to_b + PART, b_low);
        copy_16(to_b + PART + 16 * 256, b_low + b_rows);
        a_high += BK, a_low += BK, b_high += 2 * b_rows, b_low += 2 * b_rows;
    };

    /* What this lane reads by ldmatrix: row lane % 16 of 16, the left or the right chunk. */
    const int warp_row = warp % 2 * 64, warp_column = warp / 2 * 32, lane_row = lane % 16, lane_chunk = lane / 16;
    const unsigned a_from = (warp_row + lane_row) * 64, a_permuted = lane_row >> 1 & 3;
    const unsigned b_from = 2 * PART + lane_row * 256, b_permuted = lane_row & 7,
                   b_chunk = warp_column / 8 + lane_chunk;
    float sums[4][4][4] = {}, chunk[4][4][4]; // [tile of 16 rows][tile of 8 columns][element]
    int stage = 0, free_stage = STAGES - 1;

    auto add_slab = [&](int slab, auto fresh) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        for (int half = 0; half < 2; half++) {
            const unsigned from_a = base + stage * STAGE + a_from + (((half * 2 + lane_chunk) ^ a_permuted) << 4);
            const unsigned from_b = base + stage * STAGE + b_from + half * 16 * 256;
            unsigned ah[4][4], al[4][4], bh[2][4], bl[2][4];

            for (int j = 0; j < 2; j++)
                load_transposed(bh[j], from_b + (((b_chunk + 2 * j) ^ b_permuted) << 4));
            for (int i = 0; i < 4; i++)
                load(ah[i], from_a + i * 16 * 64);
            for (int i = 0; i < 4; i++)
                load(al[i], from_a + PART + i * 16 * 64);
            for (int j = 0; j < 2; j++)
                load_transposed(bl[j], from_b + PART + (((b_chunk + 2 * j) ^ b_permuted) << 4));
            if (half == 0) {
                if (slab + STAGES - 1 < slabs)
                    copy_slab(free_stage);
                asm volatile("cp.async.commit_group;");
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    if (half == 0)
                        add_product<decltype(fresh)::value>(chunk[i][j], al[i], bh, j);
                    else
                        add_product<false>(chunk[i][j], al[i], bh, j);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    add_product<false>(chunk[i][j], ah[i], bl, j);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    add_product<false>(chunk[i][j], ah[i], bh, j);
        }
        free_stage = stage;
        stage = stage + 1 == STAGES ? 0 : stage + 1;
    };

    for (int slab = 0; slab < STAGES - 1; slab++) {
        if (slab < slabs)
            copy_slab(slab);
        asm volatile("cp.async.commit_group;");
    }
    for (int slab = 0; slab < slabs;) {
        add_slab(slab++, std::true_type());
#pragma unroll 1
        for (int e = 1; e < CHUNK && slab < slabs; e++)
            add_slab(slab++, std::false_type());
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                for (int e = 0; e < 4; e++)
                    sums[i][j][e] += chunk[i][j][e];
    }

    for (int i = 0; i < 8; i++) {
        const int row = row0 + warp_row + i * 8 + lane / 4;
        const line la = a.lines[row];

        for (int j = 0; j < 8; j++) {
            const int column = column0 + warp_column + j / 2 * 8 + lane % 4 * 2 + j % 2;
            const line lb = b.lines[column];
            const float sum = sums[i / 2][j / 2][i % 2 * 2 + j % 2];
            const bool inside = row < part.row_end && column < part.column_end;
            const float allowed = sqrtf((float)min(la.terms, lb.terms)) * 0x1p-24f;
            const bool good = fmaf(la.lost, lb.norm, la.norm * lb.lost) <= allowed * fabsf(sum);
            /* 2^-shift, in double, whose exponents reach further. */
            float element = (float)(sum * __hiloint2double((1023 - la.shift) << 20, 0) *
                                    __hiloint2double((1023 - lb.shift) << 20, 0));

            for (unsigned left = __ballot_sync(~0u, inside && !good); left; left &= left - 1) {
                const int other = __ffs(left) - 1;
                const float *x = a.x + (size_t)__shfl_sync(~0u, row, other) * a.pitch;
                const float anew = one_element(x, b.x + __shfl_sync(~0u, column, other), b.pitch, k);

                if (lane == other)
                    element = anew;
            }
            if (inside)
                c[(size_t)row * c_pitch + column] = element;
        }
    }
}

/* ------------------------------------------------------------------ the product for short sums, in float32 */

constexpr int PLAIN = 64, PLAIN_STEP = 16; // elements of C a side of a block's tile; k

/* 256 threads, 4 x 4 elements each. What lies outside is zero, for both factors where it is behind the end of k. */
__global__ void __launch_bounds__(256) multiply_plain(matrix a, matrix b, float *c, int c_pitch, rectangle part, int k)
{
    __shared__ float tile_a[PLAIN_STEP][PLAIN + 4]; // + 4: no bank conflicts, and rows still begin at 16 bytes
    __shared__ __align__(16) float tile_b[PLAIN_STEP][PLAIN];
    const int tid = threadIdx.x, x = tid % 16 * 4, y = tid / 16 * 4;
    float sums[4][4] = {};
    int row0, column0;

    find_tile(part, PLAIN, PLAIN, row0, column0);
    for (int first = 0; first < k; first += PLAIN_STEP) {
        for (int e = tid; e < PLAIN * PLAIN_STEP; e += 256) {
            const int row = row0 + e / PLAIN_STEP, step_a = first + e % PLAIN_STEP;
            const int column = column0 + e % PLAIN, step_b = first + e / PLAIN;

            tile_a[e % PLAIN_STEP][e / PLAIN_STEP] =
                row < part.row_end && step_a < k ? a.x[(size_t)row * a.pitch + step_a] : 0.0f;
            tile_b[e / PLAIN][e % PLAIN] =
                column < part.column_end && step_b < k ? b.x[(size_t)step_b * b.pitch + column] : 0.0f;
        }
        __syncthreads();
        for (int step = 0; step < PLAIN_STEP; step++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sums[i][j] = fmaf(tile_a[step][y + i], tile_b[step][x + j], sums[i][j]);
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (row0 + y + i < part.row_end && column0 + x + j < part.column_end)
                c[(size_t)(row0 + y + i) * c_pitch + column0 + x + j] = sums[i][j];
}

/* ------------------------------------------------------------------ panels */

constexpr int PANELS = 8;
constexpr size_t ELEMENTS = 402653184, SLACK = 16 << 20; // of the largest case; for alignment and padding, in bytes

/* Kept from call to call. */
static struct {
    cudaStream_t in, out, cut, compute;
    cudaEvent_t arrived[2 * PANELS], is_cut[2 * PANELS], computed[2 * PANELS];
    unsigned char *memory; // of the device
    size_t size;
    bool ready;
} device;

static size_t round_up(size_t x, size_t unit) { return (x + unit - 1) / unit * unit; }

static void reserve(size_t size)
{
    if (size <= device.size)
        return;
    CHECK(cudaFree(device.memory));
    CHECK(cudaMalloc(&device.memory, size));
    device.size = size;
}

static void release()
{
    cudaFree(device.memory);
    for (cudaStream_t stream : {device.in, device.out, device.cut, device.compute})
        cudaStreamDestroy(stream);
    for (int e = 0; e < 2 * PANELS; e++)
        for (cudaEvent_t event : {device.arrived[e], device.is_cut[e], device.computed[e]})
            cudaEventDestroy(event);
}

static void prepare()
{
    int least, greatest;

    if (device.ready)
        return;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithFlags(&device.in, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&device.out, cudaStreamNonBlocking));
    /* Cutting goes first: the next products wait for it. */
    CHECK(cudaStreamCreateWithPriority(&device.cut, cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamCreateWithFlags(&device.compute, cudaStreamNonBlocking));
    for (int e = 0; e < 2 * PANELS; e++) {
        CHECK(cudaEventCreateWithFlags(&device.arrived[e], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&device.is_cut[e], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&device.computed[e], cudaEventDisableTiming));
    }
    CHECK(cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES * STAGE));
    std::atexit(release);
    device.ready = true;
}

extern "C" void device_user_setup(void)
{
    prepare();
    reserve(2 * ELEMENTS * sizeof(float) + SLACK);
}

static bool is_page_locked(const void *x)
{
    cudaPointerAttributes attributes;

    if (cudaPointerGetAttributes(&attributes, x) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return attributes.type == cudaMemoryTypeHost;
}

/* How long the panels of a side of `length` are: a multiple of a tile's. */
static int panel_length(int length, bool locked)
{
    const int least = (int)round_up((length + PANELS - 1) / PANELS, BM);

    return locked ? std::max(1024, least) : (int)round_up(length, BM);
}

static unsigned tiles(const rectangle &part, int side)
{
    return (unsigned)(round_up(part.row_end - part.row, side) / side *
                      (round_up(part.column_end - part.column, side) / side));
}

/* Cuts the product of matrices on the device; the stream must have waited for their panel. */
static void cut_panel(const matrix &a, const matrix &b, bool of_a, int from, int to, int end, int k,
                      cudaStream_t stream)
{
    const int k_padded = (int)round_up(k, BK), length = (int)round_up(to - from, BM);

    if (of_a)
        cut_rows<<<length, THREADS, 0, stream>>>(a, from, end, k, k_padded);
    else
        cut_columns<<<length / 32, dim3(32, 32), 0, stream>>>(b, from, end, k, k_padded);
    CHECK(cudaGetLastError());
}

static void launch(const matrix &a, const matrix &b, float *c, int n, const rectangle &part, int k, cudaStream_t stream)
{
    if (k <= PLAIN_K)
        multiply_plain<<<tiles(part, PLAIN), 256, 0, stream>>>(a, b, c, n, part, k);
    else
        multiply<<<tiles(part, BM), THREADS, STAGES * STAGE, stream>>>(a, b, c, n, part, k, (int)round_up(k, BK));
    CHECK(cudaGetLastError());
}

/* Where A, B, C and what belongs to them lie in the device's memory. */
static void place(matrix &a, matrix &b, float *&c, int m, int n, int k)
{
    const size_t mp = round_up(m, BM), np = round_up(n, BN), kp = k > PLAIN_K ? round_up(k, BK) : 0;
    const size_t sizes[] = {(size_t)m * k * sizeof(float), (size_t)k * n * sizeof(float), (size_t)m * n * sizeof(float),
                            mp * kp * sizeof(__half), mp * kp * sizeof(__half), np * kp * sizeof(__half),
                            np * kp * sizeof(__half), mp * sizeof(line), np * sizeof(line)};
    unsigned char *at[9];
    size_t total = 0;

    for (size_t size : sizes)
        total += round_up(size, 256);
    reserve(total);
    at[0] = device.memory;
    for (int e = 1; e < 9; e++)
        at[e] = at[e - 1] + round_up(sizes[e - 1], 256);
    a = {(float *)at[0], (__half *)at[3], (__half *)at[4], (line *)at[7], k, (int)kp};
    b = {(float *)at[1], (__half *)at[5], (__half *)at[6], (line *)at[8], n, (int)np};
    c = (float *)at[2];
}

extern "C" void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    const size_t element = sizeof(float);
    matrix a, b;
    float *c;

    prepare();
    place(a, b, c, M, N, K);

    const bool locked = is_page_locked(A) && is_page_locked(B) && is_page_locked(C);
    const int rows = panel_length(M, locked);
    /* Where C is most of it, whole rows: they are copied faster than parts of rows. */
    const int columns = panel_length(N, locked && (long long)M * N <= (long long)K * (M + N));
    int row = 0, column = 0, panel = 0; // how far A and B have come

    for (; row < M || column < N; panel++) {
        /* The matrix of which less is there. */
        const bool of_a = column == N || (row < M && (long long)row * N <= (long long)column * M);
        const int from = of_a ? row : column, to = std::min(of_a ? M : N, from + (of_a ? rows : columns));
        const rectangle part = of_a ? rectangle{from, 0, to, column} : rectangle{0, from, row, to};

        if (of_a)
            CHECK(cudaMemcpyAsync(a.x + (size_t)from * K, A + (size_t)from * K, (size_t)(to - from) * K * element,
                                  cudaMemcpyHostToDevice, device.in));
        else
            CHECK(cudaMemcpy2DAsync(b.x + from, N * element, B + from, N * element, (to - from) * element, K,
                                    cudaMemcpyHostToDevice, device.in));
        (of_a ? row : column) = to;
        CHECK(cudaEventRecord(device.arrived[panel], device.in));
        CHECK(cudaStreamWaitEvent(device.cut, device.arrived[panel]));
        if (K > PLAIN_K)
            cut_panel(a, b, of_a, from, to, of_a ? M : N, K, device.cut);
        if (part.row == part.row_end || part.column == part.column_end)
            continue; // the first panel is alone

        const size_t first = (size_t)part.row * N + part.column;

        CHECK(cudaEventRecord(device.is_cut[panel], device.cut));
        CHECK(cudaStreamWaitEvent(device.compute, device.is_cut[panel]));
        launch(a, b, c, N, part, K, device.compute);
        CHECK(cudaEventRecord(device.computed[panel], device.compute));
        CHECK(cudaStreamWaitEvent(device.out, device.computed[panel]));
        CHECK(cudaMemcpy2DAsync(C + first, N * element, c + first, N * element,
                                (part.column_end - part.column) * element, part.row_end - part.row,
                                cudaMemcpyDeviceToHost, device.out));
    }
    CHECK(cudaStreamSynchronize(device.out));
}
