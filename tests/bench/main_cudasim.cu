/*
 * main_cudasim.cu - how fast is the simulator? Kernels that do one thing many times: integer and floating-point
 * arithmetic, shared memory, global memory, and branches in which the lanes of a warp part.
 *
 *   CUDASIM_SPEED=1 build/cudasim_speed [ROUNDS]
 *
 * prints the simulator's table of warp instructions a second. Results are checked: a kernel that computes nothing would
 * be fast. `make bench-cudasim` runs it with one worker and with all, with the checks and without.
 */
#include <cstdio>
#include <cstdlib>

#include "cuda_user.h"

enum { BLOCKS = 64, THREADS = 256, TOTAL = BLOCKS * THREADS };

/* A linear congruence and a few bit operations a step. */
__global__ void integer(unsigned *out, int rounds)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = x ^ 0x9e3779b9u;

    for (int n = 0; n < rounds; n++) {
        x = x * 1664525u + 1013904223u;
        y ^= x >> 7;
        y += x << 3;
        x = (x & y) | (x & ~0xff00ffu);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y;
}

/* Two polynomials by Horner's rule. */
__global__ void floating(float *out, int rounds)
{
    float x = (float)(threadIdx.x + 1) / blockDim.x, y = 0.5f * x;

    for (int n = 0; n < rounds; n++) {
        x = fmaf(x, 0.9990f, 0.0003f);
        y = fmaf(y, 0.9985f, 0.0007f);
        x = x * 0.99999f + y * 0.00001f;
        y = y - x * 0.00001f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y;
}

/* Each thread reads what another one wrote, with a barrier a step. */
__global__ void shared(unsigned *out, int rounds)
{
    __shared__ unsigned values[2][THREADS];
    unsigned sum = 0;

    values[0][threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int n = 0; n < rounds; n++) {
        unsigned a = values[n & 1][(threadIdx.x + 1) % THREADS], b = values[n & 1][(threadIdx.x * 5 + 3) % THREADS];

        sum += a ^ b;
        values[(n + 1) & 1][threadIdx.x] = a + b;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* y = a x + y over an array, and a stride that does not coalesce. */
__global__ void global(float *y, const float *x, int n, int stride)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] += 0.5f * x[(int)((long long)i * stride % n)];
}

/* The length of Collatz sequences: each lane leaves the loop when it is done, and both branches are taken. */
__global__ void divergent(unsigned *out, int limit)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
    unsigned long long x = i + 1;

    while (x != 1 && steps < (unsigned)limit) {
        if (x & 1)
            x = 3 * x + 1;
        else
            x >>= 1;
        steps++;
    }
    out[i] = steps;
}

static unsigned collatz(unsigned long long x, unsigned limit)
{
    unsigned steps = 0;

    for (; x != 1 && steps < limit; steps++)
        x = x & 1 ? 3 * x + 1 : x >> 1;
    return steps;
}

static unsigned on_host(unsigned i, int rounds)
{
    unsigned x = i, y = x ^ 0x9e3779b9u;

    for (int n = 0; n < rounds; n++) {
        x = x * 1664525u + 1013904223u;
        y ^= x >> 7;
        y += x << 3;
        x = (x & y) | (x & ~0xff00ffu);
    }
    return x + y;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 4000, n = 1 << 20, bad = 0;
    unsigned *out, *got = new unsigned[TOTAL];
    float *x, *y;

    CUDA_CHECK(cudaMalloc(&out, TOTAL * sizeof *out));
    CUDA_CHECK(cudaMalloc(&x, n * sizeof *x));
    CUDA_CHECK(cudaMalloc(&y, n * sizeof *y));
    CUDA_CHECK(cudaMemset(x, 0, n * sizeof *x));
    CUDA_CHECK(cudaMemset(y, 0, n * sizeof *y));
    integer<<<BLOCKS, THREADS>>>(out, rounds);
    CUDA_CHECK(cudaMemcpy(got, out, TOTAL * sizeof *out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < TOTAL; i += 997)
        bad += got[i] != on_host(i, rounds);
    floating<<<BLOCKS, THREADS>>>((float *)out, rounds);
    CUDA_CHECK(cudaMemcpy(got, out, TOTAL * sizeof *out, cudaMemcpyDeviceToHost));
    bad += !(((float *)got)[5] > 0 && ((float *)got)[5] < 2);
    shared<<<BLOCKS, THREADS>>>(out, rounds);
    CUDA_CHECK_LAUNCH();
    for (int k = 0; k < 4; k++) {
        global<<<BLOCKS, THREADS>>>(y, x, n, 1);
        global<<<BLOCKS, THREADS>>>(y, x, n, 17);
    }
    CUDA_CHECK_LAUNCH();
    for (int k = 0; k < 10; k++)
        divergent<<<BLOCKS, THREADS>>>(out, 1000);
    CUDA_CHECK(cudaMemcpy(got, out, TOTAL * sizeof *out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < TOTAL; i += 997)
        bad += got[i] != collatz(i + 1, 1000);
    CUDA_CHECK(cudaFree(out));
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(y));
    delete[] got;
    if (bad)
        fprintf(stderr, "main_cudasim.cu: %d wrong results\n", bad);
    return bad != 0;
}
