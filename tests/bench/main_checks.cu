/*
 * main_checks.cu - what does the simulator's check for races cost? Kernels of common kinds, each timed alone.
 *
 *   build/cudasim_checks [NAME...]
 *
 * prints a line per kernel: its name, and the seconds of processor time of its launches. Without a NAME all kernels
 * run. tests/bench/bench_checks.sh compares the times with and without checks. Results are checked where the host has
 * them cheaply.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "cuda_user.h"

enum { N = 1 << 22, THREADS = 256, SIDE = 256 };

static float *a, *b, *c; /* [N] of the device, all zero at first but `a` */
static int *places;      /* [N] numbers below N, in no order */
static unsigned *bins;   /* [1024] */

/* ---- shared memory ---- */

/* A product of matrices in tiles of TILE x TILE, a thread an element. */
template <int TILE> __global__ void tiles(float *out, const float *x, const float *y, int side)
{
    __shared__ float s[TILE][TILE], t[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;

    for (int k = 0; k < side; k += TILE) {
        s[threadIdx.y][threadIdx.x] = x[row * side + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = y[(k + threadIdx.y) * side + column];
        __syncthreads();
        for (int n = 0; n < TILE; n++)
            sum += s[threadIdx.y][n] * t[n][threadIdx.x];
        __syncthreads();
    }
    out[row * side + column] = sum;
}

/* The same with 4 x 4 elements a thread, and 16 x 16 threads. */
__global__ void panels(float *out, const float *x, const float *y, int side)
{
    __shared__ float s[16][64 + 1], t[16][64];
    int row = blockIdx.y * 64, column = blockIdx.x * 64, me = threadIdx.y * 16 + threadIdx.x;
    float sum[4][4] = {};

    for (int k = 0; k < side; k += 16) {
        for (int n = me; n < 16 * 64; n += 256) {
            s[n % 16][n / 16] = x[(row + n / 16) * side + k + n % 16];
            t[n / 64][n % 64] = y[(k + n / 64) * side + column + n % 64];
        }
        __syncthreads();
        for (int n = 0; n < 16; n++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += s[n][threadIdx.y * 4 + i] * t[n][threadIdx.x + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            out[(row + threadIdx.y * 4 + i) * side + column + threadIdx.x + 16 * j] = sum[i][j];
}

__global__ void reduction(float *out, const float *x, int n)
{
    __shared__ float s[THREADS];
    float sum = 0;

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        sum += x[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

__global__ void histogram(unsigned *out, const int *x, int n)
{
    __shared__ unsigned s[1024];

    for (int i = threadIdx.x; i < 1024; i += THREADS)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        atomicAdd(&s[x[i] & 1023], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += THREADS)
        atomicAdd(&out[i], s[i]);
}

/* Prefix sums within blocks, between two buffers. */
__global__ void scan(float *out, const float *x)
{
    __shared__ float s[2][THREADS];
    int me = threadIdx.x, at = 0;

    s[0][me] = x[blockIdx.x * THREADS + me];
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        s[1 - at][me] = s[at][me] + (me >= step ? s[at][me - step] : 0);
        at = 1 - at;
        __syncthreads();
    }
    out[blockIdx.x * THREADS + me] = s[at][me];
}

__global__ void transpose(float *out, const float *x, int side)
{
    __shared__ float s[32][33];
    int row = blockIdx.y * 32, column = blockIdx.x * 32;

    for (int n = threadIdx.y; n < 32; n += 8)
        s[n][threadIdx.x] = x[(row + n) * side + column + threadIdx.x];
    __syncthreads();
    for (int n = threadIdx.y; n < 32; n += 8)
        out[(column + n) * side + row + threadIdx.x] = s[threadIdx.x][n];
}

/* Bitonic sort of 2 x THREADS numbers a block. */
__global__ void sort(float *x)
{
    __shared__ float s[2 * THREADS];
    int me = threadIdx.x;

    x += blockIdx.x * 2 * THREADS;
    s[me] = x[me];
    s[me + THREADS] = x[me + THREADS];
    __syncthreads();
    for (int size = 2; size <= 2 * THREADS; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            int low = 2 * me - (me & (step - 1)), high = low + step;
            bool up = (low & size) == 0;
            float p = s[low], q = s[high];

            if ((p > q) == up) {
                s[low] = q;
                s[high] = p;
            }
            __syncthreads();
        }
    x[me] = s[me];
    x[me + THREADS] = s[me + THREADS];
}

/* A stencil of nine points in a line, by shared memory. */
__global__ void halo(float *out, const float *x, int n)
{
    __shared__ float s[THREADS + 8];
    int i = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0;

    s[threadIdx.x + 4] = x[i];
    if (threadIdx.x < 4) {
        s[threadIdx.x] = i >= 4 ? x[i - 4] : 0;
        s[threadIdx.x + THREADS + 4] = i + THREADS < n ? x[i + THREADS] : 0;
    }
    __syncthreads();
    for (int k = 0; k < 9; k++)
        sum += s[threadIdx.x + k];
    out[i] = sum;
}

/* ---- global memory ---- */

__global__ void vectors(float *z, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        z[i] = x[i] + y[i];
}

__global__ void in_place(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = 0.5f * x[i] + 1;
}

__global__ void wide(float4 *z, const float4 *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v = x[i];

        z[i] = make_float4(v.x + z[i].x, v.y, v.z, v.w);
    }
}

__global__ void bytes(unsigned char *z, const unsigned char *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        z[i] = (unsigned char)(x[i] * 3 + z[i]);
}

__global__ void stencil(float *out, const float *x, int side)
{
    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;

    if (column > 0 && row > 0 && column < side - 1 && row < side - 1)
        out[row * side + column] = 0.2f * (x[row * side + column] + x[row * side + column - 1] +
            x[row * side + column + 1] + x[(row - 1) * side + column] + x[(row + 1) * side + column]);
}

__global__ void gather(float *out, const float *x, const int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = x[at[i]];
}

/* The places that are read are written elsewhere in the same launch. */
__global__ void shuffle(float *x, const int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n / 2)
        x[i] += x[n / 2 + at[i] % (n / 2)];
}

__global__ void scatter(float *out, const float *x, const int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[at[i]] = x[i];
}

__global__ void counts(unsigned *out, const int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&out[x[i] & 1023], 1);
}

/* Sums of rows, a warp each. */
__global__ void rows(float *out, const float *x, int side)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;

    for (int n = lane; n < side; n += 32)
        sum += x[row * side + n];
    for (int n = 16; n > 0; n /= 2)
        sum += __shfl_down_sync(~0u, sum, n);
    if (lane == 0)
        out[row] = sum;
}

/* Sums of rows, a thread each: what the lanes read lies far apart. */
__global__ void strides(float *out, const float *x, int side)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    for (int n = 0; n < side; n++)
        sum += x[row * side + n];
    out[row] = sum;
}

/* A step of an elimination in place: other blocks read the row and the column of the pivot. */
__global__ void eliminate(float *x, int side, int pivot)
{
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;

    if (column > pivot && row > pivot)
        x[row * side + column] -= 0.001f * x[row * side + pivot] * x[pivot * side + column];
}

/* Pointers from a table: it is not known before the launch where the kernel stores. */
__global__ void table(float **out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[0][i] = out[1][i] + out[2][i];
}

/* ---- how they are run ---- */

static dim3 grid(int x, int y) { return dim3(x, y, 1); }

static void run_table(void)
{
    static float **list;
    float *of[3] = {c, a, b};

    if (!list)
        CUDA_CHECK(cudaMalloc(&list, sizeof of));
    CUDA_CHECK(cudaMemcpy(list, of, sizeof of, cudaMemcpyHostToDevice));
    table<<<N / THREADS, THREADS>>>(list, N);
}

static void run_elimination(void)
{
    for (int n = 0; n < 8; n++)
        eliminate<<<grid(16, 64), dim3(32, 8)>>>(c, 512, n);
}

static const struct work {
    const char *name;
    int launches;
    void (*run)(void);
} works[] = {
    {"tiles-16", 8, [] { tiles<16><<<grid(SIDE / 16, SIDE / 16), dim3(16, 16)>>>(c, a, b, SIDE); }},
    {"tiles-32", 8, [] { tiles<32><<<grid(SIDE / 32, SIDE / 32), dim3(32, 32)>>>(c, a, b, SIDE); }},
    {"panels", 32, [] { panels<<<grid(SIDE / 64, SIDE / 64), dim3(16, 16)>>>(c, a, b, SIDE); }},
    {"reduction", 4, [] { reduction<<<512, THREADS>>>(c, a, N / 8); }},
    {"histogram", 4, [] { histogram<<<64, THREADS>>>(bins, places, N / 8); }},
    {"scan", 2, [] { scan<<<N / 16 / THREADS, THREADS>>>(c, a); }},
    {"transpose", 2, [] { transpose<<<grid(32, 32), dim3(32, 8)>>>(c, a, 1024); }},
    {"sort", 2, [] { sort<<<N / 64 / THREADS, THREADS>>>(c); }},
    {"halo", 2, [] { halo<<<N / 8 / THREADS, THREADS>>>(c, a, N / 8); }},
    {"vectors", 4, [] { vectors<<<N / THREADS, THREADS>>>(c, a, b, N); }},
    {"in-place", 4, [] { in_place<<<N / THREADS, THREADS>>>(c, N); }},
    {"wide", 4, [] { wide<<<512, THREADS>>>((float4 *)c, (const float4 *)a, N / 4); }},
    {"bytes", 4, [] { bytes<<<N / THREADS, THREADS>>>((unsigned char *)c, (const unsigned char *)a, N); }},
    {"stencil", 4, [] { stencil<<<grid(64, 64), dim3(16, 16)>>>(c, a, 1024); }},
    {"gather", 4, [] { gather<<<N / THREADS, THREADS>>>(c, a, places, N); }},
    {"shuffle", 4, [] { shuffle<<<N / THREADS, THREADS>>>(c, places, N); }},
    {"scatter", 4, [] { scatter<<<N / THREADS, THREADS>>>(c, a, places, N); }},
    {"counts", 4, [] { counts<<<N / 8 / THREADS, THREADS>>>(bins, places, N / 8); }},
    {"rows", 4, [] { rows<<<2048 / 8, THREADS>>>(c, a, 2048); }},
    {"strides", 16, [] { strides<<<2048 / THREADS, THREADS>>>(c, a, 1024); }},
    {"eliminate", 2, run_elimination},
    {"table", 2, run_table},
};

static double processor_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void prepare(void)
{
    float *x = new float[N];
    int *at = new int[N];
    unsigned state = 1;

    for (int n = 0; n < N; n++) {
        x[n] = (float)(n % 1000);
        at[n] = n;
    }
    for (int n = N - 1; n > 0; n--) { /* a permutation: a scatter through it has no race */
        int other = (int)((state = state * 1664525u + 1013904223u) >> 4) % (n + 1), was = at[n];

        at[n] = at[other];
        at[other] = was;
    }
    CUDA_CHECK(cudaMalloc(&a, N * sizeof *a));
    CUDA_CHECK(cudaMalloc(&b, N * sizeof *b));
    CUDA_CHECK(cudaMalloc(&c, N * sizeof *c));
    CUDA_CHECK(cudaMalloc(&places, N * sizeof *places));
    CUDA_CHECK(cudaMalloc(&bins, 1024 * sizeof *bins));
    CUDA_CHECK(cudaMemcpy(a, x, N * sizeof *a, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(places, at, N * sizeof *places, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(b, 0, N * sizeof *b));
    CUDA_CHECK(cudaMemset(c, 0, N * sizeof *c));
    CUDA_CHECK(cudaMemset(bins, 0, 1024 * sizeof *bins));
    delete[] x;
    delete[] at;
}

static bool asked(int argc, char **argv, const char *name)
{
    bool found = argc == 1;

    for (int n = 1; n < argc; n++)
        found |= !strcmp(argv[n], name);
    return found;
}

int main(int argc, char **argv)
{
    unsigned got[1024], sum = 0, expected = 0;

    prepare();
    for (const struct work &w : works) {
        double start;

        if (!asked(argc, argv, w.name))
            continue;
        CUDA_CHECK(cudaDeviceSynchronize());
        start = processor_seconds();
        for (int n = 0; n < w.launches; n++) {
            w.run();
            CUDA_CHECK_LAUNCH();
        }
        CUDA_CHECK(cudaDeviceSynchronize());
        printf("%s %.4f\n", w.name, processor_seconds() - start);
        if (!strcmp(w.name, "histogram") || !strcmp(w.name, "counts"))
            expected += (unsigned)w.launches * (N / 8);
    }
    CUDA_CHECK(cudaMemcpy(got, bins, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned n = 0; n < 1024; n++)
        sum += got[n];
    if (sum != expected)
        fprintf(stderr, "main_checks.cu: %u counts instead of %u\n", sum, expected);
    return sum != expected;
}
