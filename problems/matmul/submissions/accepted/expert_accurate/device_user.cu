/*
 * expert_accurate - float32 by three products of half-precision numbers on tensor cores. league: accurate
 *
 * A float32 x, scaled, is cut into two numbers of half precision (11 significant bits each): high = half(x) and low =
 * half(x - high). They miss at most 2^-23 of x. Of the four products of two such sums the smallest, low * low, is
 * left out: at most 2^-22 of |a||b|. So each product errs by at most 8 u, u = 2^-24, in either direction, while the
 * rule allows 18 u for a single product and (4 sqrt(n) + 8) u for the root of the sum of the squares of n.
 *
 * Three things can spoil that, and each is looked after:
 *
 * - Range. Half precision has five bits for the exponent. A span of 128 k of a line (a row of A, a column of B) is
 *   scaled by a power of two, so that its largest element lies in [2^14, 2^15). An element that is 2^-16 of it or
 *   smaller then loses more than 2^-23 of itself. What a line loses in this way is counted when it is cut: `lost` is a
 *   bound of the 2-norm of all such losses. By Cauchy and Schwarz the element (i, j) of C errs through them by at most
 *   lost_i norm_j + norm_i lost_j. Where that is above sqrt(n) 2^-24 |C|, n the fewer of the elements other than 0 in
 *   both lines, half of what the rule allows at least, the element's products are looked at: if none of them is large
 *   enough to allow the error, it is computed anew in float32. Of random matrices with exponents from -20 to 20 one
 *   element in 13,000 is looked at, and that shows nearly all of these to be right.
 * - Infinities and NaN do not survive the cut. Their spans take part as zeros, with `lost` infinite: all elements of
 *   the line are computed anew.
 * - Sums. Tensor cores do not round sums to nearest, but cut them off, and with many terms of one sign that adds up. So
 *   they add 64 products at most; the sums of these slabs are ordinary additions.
 *
 * The parts, in the order in which a reader wants them:
 *
 * - cut.cuh: the kernel that cuts both factors into halves, in the order in which tensor cores read them.
 * - wgmma.cuh and tensor.cuh: the kernel that multiplies the halves, and the one that adds up parts of k.
 * - float32.cuh: products without tensor cores, for what is thin, short or small: those of the float32 league's expert.
 * - choose.cuh and launch.cuh: a model of times says whether tensor cores, and in how many parts; the launches.
 * - this file: memory and streams that are kept, panels that overlap copies and arithmetic, and the entry points.
 *
 * The copies over the bus take as long as the arithmetic. So A comes in panels of rows and B in panels of columns, in
 * turn, and each rectangle of C is computed as soon as its panels are there, and copied back as soon as it is computed.
 * For that the matrices must be page-locked; if they are not, one panel is used.
 *
 * wgmma exists in code for sm_90a alone. Where that does not run, float32.cuh does everything.
 */
#include "launch.cuh"

#include "device_user.h"

/* ------------------------------------------------------------------ setting up */

__device__ int of_hopper;

__global__ void tell()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    of_hopper = 1;
#else
    of_hopper = 0;
#endif
}

static void reserve(size_t size)
{
    if (size <= device.size)
        return;
    CALL(cudaFree(device.memory));
    CALL(cudaMalloc(&device.memory, size));
    device.size = size;
}

static void release()
{
    cudaFree(device.memory);
    cudaFree(device.partial);
    cudaFree(device.counters);
    for (cudaStream_t stream : {device.in, device.out, device.compute})
        cudaStreamDestroy(stream);
    for (int e = 0; e < 2 * PANELS; e++) {
        cudaEventDestroy(device.arrived[e]);
        cudaEventDestroy(device.computed[e]);
    }
}

static void prepare()
{
    int hopper;

    if (device.ready)
        return;
    CALL(cudaDeviceGetAttribute(&device.multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    tell<<<1, 1>>>();
    CALL(cudaGetLastError());
    CALL(cudaMemcpyFromSymbol(&hopper, of_hopper, sizeof hopper));
    device.hopper = hopper != 0;
    CALL(cudaStreamCreateWithFlags(&device.in, cudaStreamNonBlocking));
    CALL(cudaStreamCreateWithFlags(&device.out, cudaStreamNonBlocking));
    CALL(cudaStreamCreateWithFlags(&device.compute, cudaStreamNonBlocking));
    for (int e = 0; e < 2 * PANELS; e++) {
        CALL(cudaEventCreateWithFlags(&device.arrived[e], cudaEventDisableTiming));
        CALL(cudaEventCreateWithFlags(&device.computed[e], cudaEventDisableTiming));
    }
    CALL(cudaMalloc(&device.partial, PARTIAL * sizeof(float)));
    CALL(cudaMalloc(&device.counters, MOST_TILES * sizeof(unsigned)));
    CALL(cudaMemset(device.counters, 0, MOST_TILES * sizeof(unsigned)));
    if (device.hopper)
        CALL(cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    float32::prepare(0);
    std::atexit(release);
    device.ready = true;
}


/* ------------------------------------------------------------------ panels */

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
    const int least = (int)round_up(cuts(length, PANELS), BM);

    return locked ? std::max(1024, least) : (int)round_up(length, BM);
}

/* The matrices on the device, and their halves. */
struct placed {
    float *a, *b, *c;
    factor rows, columns;
};

static placed place(int m, int n, int k)
{
    const size_t a = round_up((size_t)m * k * sizeof(float), 1024), b = round_up((size_t)k * n * sizeof(float), 1024);
    const size_t c = round_up((size_t)m * n * sizeof(float), 1024);
    placed at = {};

    /* From address 0 on, where they end is how much they take. */
    reserve(a + b + c + (size_t)place_factors(at.rows, at.columns, nullptr, nullptr, m, n, k, nullptr));
    at.a = (float *)device.memory;
    at.b = (float *)(device.memory + a);
    at.c = (float *)(device.memory + a + b);
    place_factors(at.rows, at.columns, at.a, at.b, m, n, k, device.memory + a + b + c);
    return at;
}

/* Multiplies what is there for a rectangle of C; its panels have been cut. */
static void launch_rectangle(const placed &at, int n, int k, const rectangle &part, cudaStream_t stream)
{
    const int parts = choose_tensor(part.row_end - part.row, part.column_end - part.column, k).parts;

    launch_tensor(at.rows, at.columns, at.c, n, part, parts, stream);
}

extern "C" void device_user_setup(void)
{
    prepare();
    reserve(2 * ELEMENTS * sizeof(float) + SLACK);
    float32::prepare(float32::ELEMENTS * sizeof(float) + float32::SLACK);
}

extern "C" void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    const size_t element = sizeof(float);

    prepare();
    if (!is_for_tensor_cores(M, N, K)) {
        float32::multiply_panels(A, B, C, M, N, K);
        return;
    }

    const placed at = place(M, N, K);
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
            CALL(cudaMemcpyAsync(at.a + (size_t)from * K, A + (size_t)from * K, (size_t)(to - from) * K * element,
                                 cudaMemcpyHostToDevice, device.in));
        else
            CALL(cudaMemcpy2DAsync(at.b + from, N * element, B + from, N * element, (to - from) * element, K,
                                   cudaMemcpyHostToDevice, device.in));
        (of_a ? row : column) = to;
        CALL(cudaEventRecord(device.arrived[panel], device.in));
        CALL(cudaStreamWaitEvent(device.compute, device.arrived[panel]));
        launch_cut(at.rows, of_a ? range{from, to} : range{0, 0}, at.columns, of_a ? range{0, 0} : range{from, to},
                   device.compute);
        if (part.row == part.row_end || part.column == part.column_end)
            continue; // the first panel is alone

        const size_t first = (size_t)part.row * N + part.column;

        launch_rectangle(at, N, K, part, device.compute);
        CALL(cudaEventRecord(device.computed[panel], device.compute));
        CALL(cudaStreamWaitEvent(device.out, device.computed[panel]));
        CALL(cudaMemcpy2DAsync(C + first, N * element, at.c + first, N * element,
                               (part.column_end - part.column) * element, part.row_end - part.row,
                               cudaMemcpyDeviceToHost, device.out));
    }
    CALL(cudaStreamSynchronize(device.out));
}
