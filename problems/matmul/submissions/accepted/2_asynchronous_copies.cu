/*
 * 2_asynchronous_copies.cu - 1_register_tiles.cu, with the next steps on their way while one is multiplied.
 *
 * cp.async copies from global to shared memory without passing a register, and nobody waits for it until he says so. Of
 * the STAGES steps that shared memory has room for one is multiplied, and the others are being copied:
 * cp.async.wait_group waits for the oldest alone. One barrier a step is enough: behind it all have finished the step
 * before, whose place the next copies may then take.
 *
 * The numbers of the next k are read from shared memory into a second set of registers before those of this one are
 * multiplied, so that nobody waits for shared memory either.
 *
 * What is still lost: four reads of shared memory for 64 multiply-adds, the block's barrier, and the copies over the
 * bus, during which nothing is computed. See expert.
 */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "2_asynchronous_copies.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

constexpr int TILE = 128, STEP = 8, OWN = 8, STAGES = 4, THREADS = TILE / OWN * (TILE / OWN);

/* The steps in shared memory. */
struct step_memory {
    float a[STEP][TILE + 4], b[STEP][TILE];
};

/* Four bytes. */
__device__ __forceinline__ void copy(float *to, const float *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}

/* Zero if not `there`, and then nothing is read. */
__device__ __forceinline__ void copy(float *to, const float *from, bool there)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(there ? 4 : 0));
}

/* c[m][n] = a[m][k] b[k][n]. What lies outside is zero, for both factors where it is behind the end of k. */
__global__ void __launch_bounds__(THREADS, 2) multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) step_memory memory[STAGES];
    const int tid = threadIdx.x, i0 = blockIdx.y * TILE, j0 = blockIdx.x * TILE, steps = (k + STEP - 1) / STEP;
    const int x = tid % 16 * 4, y = tid / 16 * 4; // this thread's rows and columns: 4, and 4 that lie 64 further
    float sums[OWN][OWN] = {}, own_a[2][OWN], own_b[2][OWN];

    const bool inside = i0 + TILE <= m && j0 + TILE <= n;
    // What this thread copies first.
    const int a_i = tid / STEP, a_step = tid % STEP, b_step = tid / TILE, b_j = tid % TILE;
    const float *from_a = a + (size_t)(i0 + a_i) * k + a_step, *from_b = b + (size_t)b_step * n + j0 + b_j;

    auto bring = [&](int number) {
        step_memory &to = memory[number % STAGES];
        const int first = number * STEP;

        for (int e = 0; e < TILE * STEP / THREADS; e++) {
            const int i = a_i + e * (THREADS / STEP), step = b_step + e * (THREADS / TILE);
            const float *one_a = from_a + (size_t)e * (THREADS / STEP) * k + first;
            const float *one_b = from_b + (size_t)(e * (THREADS / TILE) + first) * n;

            if (inside && first + STEP <= k) { // the usual case, without a look at any index
                copy(&to.a[a_step][i], one_a);
                copy(&to.b[step][b_j], one_b);
            } else {
                const bool in_a = i0 + i < m && first + a_step < k, in_b = j0 + b_j < n && first + step < k;

                copy(&to.a[a_step][i], in_a ? one_a : a, in_a);
                copy(&to.b[step][b_j], in_b ? one_b : b, in_b);
            }
        }
    };
    auto read = [&](const step_memory &from, int step, int buffer) {
        for (int half = 0; half < 2; half++) {
            *(float4 *)&own_a[buffer][half * 4] = *(const float4 *)&from.a[step][y + half * 64];
            *(float4 *)&own_b[buffer][half * 4] = *(const float4 *)&from.b[step][x + half * 64];
        }
    };

    for (int number = 0; number < STAGES - 1; number++) {
        if (number < steps)
            bring(number);
        asm volatile("cp.async.commit_group;");
    }
    for (int number = 0; number < steps; number++) {
        const step_memory &now = memory[number % STAGES];

        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        read(now, 0, 0);
        if (number + STAGES - 1 < steps)
            bring(number + STAGES - 1);
        asm volatile("cp.async.commit_group;"); // an empty one counts too
#pragma unroll
        for (int step = 0; step < STEP; step++) {
            if (step + 1 < STEP)
                read(now, step + 1, (step + 1) % 2);
            for (int i = 0; i < OWN; i++)
                for (int j = 0; j < OWN; j++)
                    sums[i][j] = fmaf(own_a[step % 2][i], own_b[step % 2][j], sums[i][j]);
        }
    }
    for (int i = 0; i < OWN; i++)
        for (int j = 0; j < OWN; j++) {
            const int row = i0 + y + i / 4 * 64 + i % 4, column = j0 + x + j / 4 * 64 + j % 4;

            if (row < m && column < n)
                c[(size_t)row * n + column] = sums[i][j];
        }
}

extern "C" void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    const size_t size_a = (size_t)M * K * sizeof(float), size_b = (size_t)K * N * sizeof(float);
    const size_t size_c = (size_t)M * N * sizeof(float);
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    float *a, *b, *c;

    CHECK(cudaMalloc(&a, size_a));
    CHECK(cudaMalloc(&b, size_b));
    CHECK(cudaMalloc(&c, size_c));
    CHECK(cudaMemcpy(a, A, size_a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, B, size_b, cudaMemcpyHostToDevice));
    multiply<<<grid, THREADS>>>(a, b, c, M, N, K);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(C, c, size_c, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}
