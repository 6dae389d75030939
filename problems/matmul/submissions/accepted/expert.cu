/*
 * expert.cu - float32 without tensor cores, at the speed of cuBLAS; and what the bus allows around it.
 *
 * The multiply-adds themselves are the limit: each of the four parts of a multiprocessor issues one instruction a
 * cycle, and an FFMA takes that whole cycle, so that every other instruction costs as much as 32 multiply-adds. The
 * kernel `multiply_tiles` is made to have few others:
 *
 * - A thread has 8 x 16 elements of C in registers. For each k it reads 8 + 16 numbers from shared memory, by 6
 *   instructions of 16 bytes, for 128 FFMA. The numbers of the next k are read while this one's are multiplied.
 * - Slabs of 16 k of A and B come by asynchronous copies, which pass no register, several slabs ahead. A is transposed
 *   on the way, as its copies are of 4 bytes each: a warp copies 8 k of 4 rows, whole sectors of 32 bytes, and the
 *   pitch of 128 + 4 lets all of them go to different banks.
 * - No barrier of the whole block: with two warps on each part of the multiprocessor, nobody works while all wait. Each
 *   slab's place in shared memory has two counters (mbarriers): `full` counts the threads whose copies have arrived,
 *   `empty` the warps that have read all of it. As a slab is copied three slabs after its place was read last, warps
 *   rarely wait, and may be a slab apart.
 * - Nothing is checked: the kernel has whole tiles of 128 x 256 only. What is left at the edges, and products too small
 *   to fill the GPU with such tiles, go to `multiply_any`, which has smaller tiles, looks at every index, and may give
 *   parts of a sum to several blocks.
 *
 * The copies over the bus would take half as long again. So A comes in panels of rows and B in panels of columns, in
 * turn, and each rectangle of C is computed as soon as its panels are there, and copied back as soon as it is computed.
 * For that the matrices must be page-locked; if they are not, one panel is used.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

/*
 * How a kernel cuts its work. A block has BM x BN elements of C, a thread TM x TN, in pieces of 4 x 4, a warp LANES_M x
 * LANES_N such threads. A slab is BK of k; STAGES slabs have a place in shared memory: A as [BK][PITCH], B as [BK][BN].
 */
template <int BM_, int BN_, int BK_, int TM_, int TN_, int LANES_M_, int STAGES_, int BLOCKS_>
struct shape {
    static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_, STAGES = STAGES_, BLOCKS = BLOCKS_;
    static constexpr int LANES_M = LANES_M_, LANES_N = 32 / LANES_M, WARPS_M = BM / (LANES_M * TM);
    static constexpr int THREADS = BM / TM * (BN / TN), WARPS = THREADS / 32;
    static constexpr int PITCH = BM + 4, STAGE = BK * (PITCH + BN);
    static constexpr int A_ROWS = THREADS / 8, A_PASSES = BM / A_ROWS; // rows of A that a pass of all threads copies
    static constexpr int BYTES = STAGES * (STAGE * (int)sizeof(float) + 2 * 8);
};

using whole_tiles = shape<128, 256, 16, 8, 16, 8, 6, 1>;
using small_tiles = shape<64, 128, 16, 8, 8, 8, 3, 4>;

/* ------------------------------------------------------------------ instructions */

__device__ __forceinline__ void copy_4(unsigned to, const float *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from));
}

/* Zero if not `there`; then nothing is read. */
__device__ __forceinline__ void copy_4(unsigned to, const float *from, bool there)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(there ? 4 : 0));
}

__device__ __forceinline__ void copy_16(unsigned to, const float *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}

__device__ __forceinline__ void counter_init(unsigned counter, int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(counter), "r"(count));
}

__device__ __forceinline__ void counter_arrive(unsigned counter)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(counter) : "memory");
}

/* Arrives when all copies of this thread up to here have. */
__device__ __forceinline__ void counter_arrive_after_copies(unsigned counter)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(counter) : "memory");
}

/* Waits for the end of the counter's phase of this parity; before the first phase, of parity 0, that of 1 has ended. */
__device__ __forceinline__ void counter_wait(unsigned counter, unsigned parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again%=:\n"
                 "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                 "@!done bra again%=;\n"
                 "}" ::"r"(counter), "r"(parity)
                 : "memory");
}

/* ------------------------------------------------------------------ what both kernels do */

/* Rows of A, columns of B; the tile of this block: they follow each other down groups of tile rows, so that those in
 * flight share rows and columns, which then come from the L2 cache. */
template <class S>
__device__ __forceinline__ void find_tile(int tiles_m, int tiles_n, int &row, int &column)
{
    constexpr int GROUP = 8;
    const int group = blockIdx.x / (GROUP * tiles_n), in_group = blockIdx.x % (GROUP * tiles_n);
    const int height = min(GROUP, tiles_m - group * GROUP);

    row = (group * GROUP + in_group % height) * S::BM;
    column = in_group / height * S::BN;
}

/* What a thread multiplies, and where it reads its factors. */
template <class S>
struct worker {
    float sums[S::TM][S::TN] = {};
    float a[2][S::TM], b[2][S::TN]; // of this k and the next
    int row, column;                // of the thread's first element in the tile
    const float *from_a, *from_b;   // in the first slab's place

    __device__ __forceinline__ worker(const float *memory)
    {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

        row = warp % S::WARPS_M * S::LANES_M * S::TM + lane / S::LANES_N * 4;
        column = warp / S::WARPS_M * S::LANES_N * S::TN + lane % S::LANES_N * 4;
        from_a = memory + row;
        from_b = memory + S::BK * S::PITCH + column;
    }

    /* Of k `step` of the slab that lies `at` floats behind the first. */
    __device__ __forceinline__ void read(int at, int step, int buffer)
    {
        for (int i = 0; i < S::TM; i += 4)
            *(float4 *)&a[buffer][i] = *(const float4 *)(from_a + at + step * S::PITCH + i * S::LANES_M);
        for (int j = 0; j < S::TN; j += 4)
            *(float4 *)&b[buffer][j] = *(const float4 *)(from_b + at + step * S::BN + j * S::LANES_N);
    }

    __device__ __forceinline__ void multiply(int buffer)
    {
        for (int i = 0; i < S::TM; i++)
            for (int j = 0; j < S::TN; j++)
                sums[i][j] = fmaf(a[buffer][i], b[buffer][j], sums[i][j]);
    }

    /* Of element [i][j] of sums, in the tile. */
    __device__ __forceinline__ int row_of(int i) const { return row + i / 4 * 4 * S::LANES_M + i % 4; }
    __device__ __forceinline__ int column_of(int j) const { return column + j / 4 * 4 * S::LANES_N + j % 4; }
};

/* ------------------------------------------------------------------ whole tiles */

/*
 * c = a b for whole tiles. The pitches of b and c, in elements, are multiples of 4, and both begin at 16 bytes. k is at
 * least 1.
 */
__global__ void __launch_bounds__(whole_tiles::THREADS, whole_tiles::BLOCKS)
multiply_tiles(const float *__restrict__ a, int a_pitch, const float *__restrict__ b, int b_pitch,
               float *__restrict__ c, int c_pitch, int tiles_m, int tiles_n, int k)
{
    using S = whole_tiles;
    constexpr int B_ROWS = S::THREADS / (S::BN / 4), AHEAD = S::STAGES - 3;
    extern __shared__ float4 aligned_memory[];
    float *const memory = reinterpret_cast<float *>(aligned_memory);
    const unsigned base = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned full = base + S::STAGES * S::STAGE * (unsigned)sizeof(float), empty = full + S::STAGES * 8;
    const int tid = threadIdx.x, slabs = k / S::BK;
    int row0, column0;

    find_tile<S>(tiles_m, tiles_n, row0, column0);

    /* What this thread copies: k a_k of rows a_row, a_row + A_ROWS, ...; four columns of k b_k, b_k + B_ROWS, ... */
    const int a_k = tid % 8, a_row = tid / 8, b_k = tid / (S::BN / 4), b_column = tid % (S::BN / 4) * 4;
    const unsigned a_to = base + (a_k * S::PITCH + a_row) * 4,
                   b_to = base + (S::BK * S::PITCH + b_k * S::BN + b_column) * 4;
    const size_t b_rows = (size_t)B_ROWS * b_pitch;
    const float *a_from[S::A_PASSES], *b_from = b + (size_t)b_k * b_pitch + column0 + b_column;
    int left = slabs - 1;

    for (int pass = 0; pass < S::A_PASSES; pass++)
        a_from[pass] = a + (size_t)(row0 + a_row + pass * S::A_ROWS) * a_pitch + a_k;

    /* Behind the last slab that one is copied again, to be read by nobody: that costs less than a branch. */
    auto copy_slab = [&](int stage) {
        const unsigned at = stage * S::STAGE * 4;
        const int a_next = left > 0 ? S::BK : 0;
        const size_t b_next = left > 0 ? (size_t)S::BK * b_pitch : 0;

#pragma unroll
        for (int pass = 0; pass < S::A_PASSES; pass++)
#pragma unroll
            for (int half = 0; half < S::BK; half += 8)
                copy_4(at + a_to + (half * S::PITCH + pass * S::A_ROWS) * 4, a_from[pass] + half);
#pragma unroll
        for (int e = 0; e < S::BK / B_ROWS; e++)
            copy_16(at + b_to + e * B_ROWS * S::BN * 4, b_from + e * b_rows);
        counter_arrive_after_copies(full + stage * 8);
        left--;
#pragma unroll
        for (int pass = 0; pass < S::A_PASSES; pass++)
            a_from[pass] += a_next;
        b_from += b_next;
    };

    worker<S> own(memory);

    if (tid == 0)
        for (int stage = 0; stage < S::STAGES; stage++) {
            counter_init(full + stage * 8, S::THREADS);
            counter_init(empty + stage * 8, S::WARPS);
        }
    __syncthreads();
    if (slabs > 0) {
        int stage = 0, free_stage = AHEAD;
        unsigned parity = 0, free_parity = 1; // of full[stage], and of empty[free_stage]

        for (int e = 0; e < AHEAD; e++)
            copy_slab(e);
        counter_wait(full, 0);
        own.read(0, 0, 0);
#pragma unroll 1
        for (int slab = 0; slab < slabs; slab++) {
            const bool wraps = stage + 1 == S::STAGES;
            const int next = wraps ? 0 : stage + 1;
            const int at = stage * S::STAGE, next_at = slab + 1 < slabs ? next * S::STAGE : at;

#pragma unroll
            for (int step = 0; step < S::BK; step++) {
                if (step < S::BK - 1) {
                    own.read(at, step + 1, (step + 1) % 2);
                } else {
                    __syncwarp();
                    if (tid % 32 == 0)
                        counter_arrive(empty + stage * 8);
                    counter_wait(full + next * 8, wraps ? parity ^ 1 : parity);
                    own.read(next_at, 0, 0);
                }
                if (step == 2) {
                    counter_wait(empty + free_stage * 8, free_parity);
                    copy_slab(free_stage);
                }
                own.multiply(step % 2);
            }
            if (wraps)
                parity ^= 1;
            stage = next;
            if (++free_stage == S::STAGES) {
                free_stage = 0;
                free_parity ^= 1;
            }
        }
        asm volatile("cp.async.wait_all;");
    }
    /* The rest of k, straight from global memory. */
#pragma unroll 1
    for (int step = slabs * S::BK; step < k; step++) {
        for (int i = 0; i < S::TM; i++)
            own.a[0][i] = a[(size_t)(row0 + own.row_of(i)) * a_pitch + step];
        for (int j = 0; j < S::TN; j++)
            own.b[0][j] = b[(size_t)step * b_pitch + column0 + own.column_of(j)];
        own.multiply(0);
    }
    for (int i = 0; i < S::TM; i++)
        for (int j = 0; j < S::TN; j += 4)
            *(float4 *)(c + (size_t)(row0 + own.row_of(i)) * c_pitch + column0 + own.column_of(j)) =
                make_float4(own.sums[i][j], own.sums[i][j + 1], own.sums[i][j + 2], own.sums[i][j + 3]);
}

/* ------------------------------------------------------------------ any sides */

/*
 * c[m][n] = a b for any sides and pitches; what lies outside takes part as zero, for both factors where it is behind
 * the end of k. blockIdx.y has the k from k_part * blockIdx.y on, and c is then [gridDim.y] matrices, c_part elements
 * apart.
 */
__global__ void __launch_bounds__(small_tiles::THREADS, small_tiles::BLOCKS)
multiply_any(const float *__restrict__ a, int a_pitch, const float *__restrict__ b, int b_pitch, float *__restrict__ c,
             int c_pitch, int m, int n, int k, int k_part, size_t c_part)
{
    using S = small_tiles;
    extern __shared__ float4 aligned_memory[];
    float *const memory = reinterpret_cast<float *>(aligned_memory);
    const unsigned base = (unsigned)__cvta_generic_to_shared(memory);
    const int tid = threadIdx.x, k_first = blockIdx.y * k_part, k_end = min(k, k_first + k_part);
    const int slabs = (k_end - k_first + S::BK - 1) / S::BK;
    int row0, column0;

    find_tile<S>((m + S::BM - 1) / S::BM, (n + S::BN - 1) / S::BN, row0, column0);

    const int a_k = tid % 8, a_row = tid / 8, column = column0 + tid;
    static_assert(S::THREADS == S::BN, "a thread copies a column of B");

    auto copy_slab = [&](int stage, int slab) {
        const unsigned to_a = base + (stage * S::STAGE + a_k * S::PITCH + a_row) * 4;
        const unsigned to_b = base + (stage * S::STAGE + S::BK * S::PITCH + tid) * 4;
        const int first = k_first + slab * S::BK;

        for (int half = 0; half < S::BK; half += 8)
            for (int e = 0; e < S::BM; e += S::A_ROWS) {
                const bool there = row0 + a_row + e < m && first + half + a_k < k_end;

                copy_4(to_a + (half * S::PITCH + e) * 4,
                       there ? a + (size_t)(row0 + a_row + e) * a_pitch + first + half + a_k : a, there);
            }
        for (int e = 0; e < S::BK; e++) {
            const bool there = column < n && first + e < k_end;

            copy_4(to_b + e * S::BN * 4, there ? b + (size_t)(first + e) * b_pitch + column : b, there);
        }
    };

    worker<S> own(memory);

    for (int stage = 0; stage < S::STAGES - 1; stage++) {
        if (stage < slabs)
            copy_slab(stage, stage);
        asm volatile("cp.async.commit_group;");
    }
    for (int slab = 0; slab < slabs; slab++) {
        const int at = slab % S::STAGES * S::STAGE;

        asm volatile("cp.async.wait_group %0;" ::"n"(S::STAGES - 2));
        __syncthreads();
        own.read(at, 0, 0);
        if (slab + S::STAGES - 1 < slabs)
            copy_slab((slab + S::STAGES - 1) % S::STAGES, slab + S::STAGES - 1);
        asm volatile("cp.async.commit_group;");
#pragma unroll
        for (int step = 0; step < S::BK; step++) {
            if (step < S::BK - 1)
                own.read(at, step + 1, (step + 1) % 2);
            own.multiply(step % 2);
        }
    }
    c += blockIdx.y * c_part;
    for (int i = 0; i < S::TM; i++)
        for (int j = 0; j < S::TN; j++)
            if (row0 + own.row_of(i) < m && column0 + own.column_of(j) < n)
                c[(size_t)(row0 + own.row_of(i)) * c_pitch + column0 + own.column_of(j)] = own.sums[i][j];
}

/* c[m][n] = the sum of `parts` matrices [m][n], in their order. */
__global__ void add_parts(const float *partial, int parts, float *c, int c_pitch, int m, int n)
{
    const size_t size = (size_t)m * n;

    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < size; e += (size_t)gridDim.x * blockDim.x) {
        float sum = 0;

        for (int part = 0; part < parts; part++)
            sum += partial[part * size + e];
        c[e / n * c_pitch + e % n] = sum;
    }
}

/* ------------------------------------------------------------------ launches */

constexpr int PANELS = 8, STREAMS = 3;
constexpr size_t ELEMENTS = 402653184, SLACK = 16 << 20; // of the largest case; for alignment and pitches, in bytes
constexpr size_t WORKSPACE = 8 << 20;                    // elements of a stream's partial sums

/* Kept from call to call. */
static struct {
    cudaStream_t in, out, compute[STREAMS];
    cudaEvent_t arrived[2 * PANELS], computed[2 * PANELS];
    float *workspace[STREAMS];
    unsigned char *memory; // of the device, for A, B and C
    size_t size;
    int multiprocessors;
} device;

static size_t round_up(size_t x, size_t unit) { return (x + unit - 1) / unit * unit; }

static void launch_any(const float *a, int a_pitch, const float *b, int b_pitch, float *c, int c_pitch, int m, int n,
                       int k, float *workspace, cudaStream_t stream)
{
    const size_t blocks =
        round_up(m, small_tiles::BM) / small_tiles::BM * (round_up(n, small_tiles::BN) / small_tiles::BN);
    const size_t most = std::min<size_t>((k + 63) / 64, WORKSPACE / ((size_t)m * n));
    const size_t wanted = std::max<size_t>(std::min<size_t>(2 * device.multiprocessors / blocks, most), 1);
    const int k_part = (int)round_up((k + wanted - 1) / wanted, small_tiles::BK), parts = (k + k_part - 1) / k_part;

    if (parts == 1) {
        multiply_any<<<(unsigned)blocks, small_tiles::THREADS, small_tiles::BYTES, stream>>>(
            a, a_pitch, b, b_pitch, c, c_pitch, m, n, k, k_part, 0);
        CHECK(cudaGetLastError());
        return;
    }
    multiply_any<<<dim3((unsigned)blocks, parts), small_tiles::THREADS, small_tiles::BYTES, stream>>>(
        a, a_pitch, b, b_pitch, workspace, n, m, n, k, k_part, (size_t)m * n);
    CHECK(cudaGetLastError());
    add_parts<<<(unsigned)std::min<size_t>(((size_t)m * n + 255) / 256, 2048), 256, 0, stream>>>(workspace, parts, c,
                                                                                                 c_pitch, m, n);
    CHECK(cudaGetLastError());
}

/* c[m][n] = a[m][k] b[k][n] on the device; b's and c's rows are `pitch` elements apart, a's k. */
static void launch(const float *a, const float *b, float *c, int m, int n, int k, int pitch, float *workspace,
                   cudaStream_t stream)
{
    const int tiles_m = m / whole_tiles::BM, tiles_n = n / whole_tiles::BN, whole_m = tiles_m * whole_tiles::BM,
              whole_n = tiles_n * whole_tiles::BN;

    /* Fewer tiles leave too many multiprocessors without one. */
    if (pitch % 4 != 0 || tiles_m * tiles_n < device.multiprocessors * 3 / 4) {
        launch_any(a, k, b, pitch, c, pitch, m, n, k, workspace, stream);
        return;
    }
    multiply_tiles<<<tiles_m * tiles_n, whole_tiles::THREADS, whole_tiles::BYTES, stream>>>(a, k, b, pitch, c, pitch,
                                                                                            tiles_m, tiles_n, k);
    CHECK(cudaGetLastError());
    if (whole_n < n)
        launch_any(a, k, b + whole_n, pitch, c + whole_n, pitch, whole_m, n - whole_n, k, workspace, stream);
    if (whole_m < m)
        launch_any(a + (size_t)whole_m * k, k, b, pitch, c + (size_t)whole_m * pitch, pitch, m - whole_m, n, k,
                   workspace, stream);
}

/* ------------------------------------------------------------------ panels */

static void release()
{
    for (float *workspace : device.workspace)
        cudaFree(workspace);
    cudaFree(device.memory);
    cudaStreamDestroy(device.in);
    cudaStreamDestroy(device.out);
    for (cudaStream_t stream : device.compute)
        cudaStreamDestroy(stream);
    for (int e = 0; e < 2 * PANELS; e++) {
        cudaEventDestroy(device.arrived[e]);
        cudaEventDestroy(device.computed[e]);
    }
}

static void prepare(size_t size)
{
    if (device.multiprocessors == 0) {
        CHECK(cudaDeviceGetAttribute(&device.multiprocessors, cudaDevAttrMultiProcessorCount, 0));
        CHECK(cudaStreamCreateWithFlags(&device.in, cudaStreamNonBlocking));
        CHECK(cudaStreamCreateWithFlags(&device.out, cudaStreamNonBlocking));
        for (int e = 0; e < STREAMS; e++) {
            CHECK(cudaStreamCreateWithFlags(&device.compute[e], cudaStreamNonBlocking));
            CHECK(cudaMalloc(&device.workspace[e], WORKSPACE * sizeof(float)));
        }
        for (int e = 0; e < 2 * PANELS; e++) {
            CHECK(cudaEventCreateWithFlags(&device.arrived[e], cudaEventDisableTiming));
            CHECK(cudaEventCreateWithFlags(&device.computed[e], cudaEventDisableTiming));
        }
        CHECK(cudaFuncSetAttribute(multiply_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_tiles::BYTES));
        CHECK(cudaFuncSetAttribute(multiply_any, cudaFuncAttributeMaxDynamicSharedMemorySize, small_tiles::BYTES));
        std::atexit(release);
    }
    if (size > device.size) {
        CHECK(cudaFree(device.memory));
        CHECK(cudaMalloc(&device.memory, size));
        device.size = size;
    }
}

extern "C" void device_user_setup(void) { prepare(ELEMENTS * sizeof(float) + SLACK); }

static bool is_page_locked(const void *x)
{
    cudaPointerAttributes attributes;

    if (cudaPointerGetAttributes(&attributes, x) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return attributes.type == cudaMemoryTypeHost;
}

/* How long the panels of a side of `length` are: a multiple of `unit`. 2048 x 2048 elements are as many tiles as fill
 * an H100 once; smaller rectangles pay only where there would be a single one. */
static int panel_length(int length, int unit, bool locked)
{
    const int wanted = length <= 2048 ? 1024 : 2048, least = (int)round_up((length + PANELS - 1) / PANELS, unit);

    return locked ? std::max(wanted, least) : (int)round_up(length, unit);
}

/* Between two memories, `rows` rows of `width` elements. */
static void copy_matrix(float *to, size_t to_pitch, const float *from, size_t from_pitch, size_t width, size_t rows,
                        cudaMemcpyKind kind, cudaStream_t stream)
{
    const size_t element = sizeof(float);

    if (to_pitch == width && from_pitch == width)
        CHECK(cudaMemcpyAsync(to, from, width * rows * element, kind, stream));
    else
        CHECK(
            cudaMemcpy2DAsync(to, to_pitch * element, from, from_pitch * element, width * element, rows, kind, stream));
}

extern "C" void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    /* Short rows are copied faster as they are; and their products have no whole tile. */
    const int pitch = N < whole_tiles::BN ? N : (int)round_up(N, 4);
    const size_t size_a = round_up((size_t)M * K, 64), size_b = round_up((size_t)K * pitch, 64);
    const bool locked = is_page_locked(A) && is_page_locked(B) && is_page_locked(C);
    const int rows = panel_length(M, whole_tiles::BM, locked);
    /* Where C is most of it, whole rows: they are copied faster than parts of rows. */
    const bool cut_columns = locked && (long long)M * N <= (long long)K * (M + N);
    const int columns = panel_length(N, whole_tiles::BN, cut_columns);
    int row = 0, column = 0, launched = 0; // how far A and B have come

    prepare((size_a + size_b + (size_t)M * pitch) * sizeof(float));

    float *const a = (float *)device.memory, *const b = a + size_a, *const c = b + size_b;

    for (int panel = 0; row < M || column < N; panel++) {
        /* The matrix of which less is there. */
        const bool of_a = column == N || (row < M && (long long)row * N <= (long long)column * M);
        // Of the rectangle that can be computed.
        int first_row = 0, end_row = row, first_column = 0, end_column = column;

        if (of_a) {
            first_row = row;
            end_row = row = std::min(M, row + rows);
            copy_matrix(a + (size_t)first_row * K, K, A + (size_t)first_row * K, K, K, end_row - first_row,
                        cudaMemcpyHostToDevice, device.in);
        } else {
            first_column = column;
            end_column = column = std::min(N, column + columns);
            copy_matrix(b + first_column, pitch, B + first_column, N, end_column - first_column, K,
                        cudaMemcpyHostToDevice, device.in);
        }
        if (end_row == 0 || end_column == 0)
            continue; // the first panel is alone

        const int which = launched++ % STREAMS;
        const size_t first = (size_t)first_row * pitch + first_column;

        CHECK(cudaEventRecord(device.arrived[panel], device.in));
        CHECK(cudaStreamWaitEvent(device.compute[which], device.arrived[panel]));
        launch(a + (size_t)first_row * K, b + first_column, c + first, end_row - first_row, end_column - first_column,
               K, pitch, device.workspace[which], device.compute[which]);
        CHECK(cudaEventRecord(device.computed[panel], device.compute[which]));
        CHECK(cudaStreamWaitEvent(device.out, device.computed[panel]));
        copy_matrix(C + (size_t)first_row * N + first_column, N, c + first, pitch, end_column - first_column,
                    end_row - first_row, cudaMemcpyDeviceToHost, device.out);
    }
    CHECK(cudaStreamSynchronize(device.out));
}
