/*
 * radix_sort.cu - a stable sort by digits of 4 bits, from the lowest: each pass counts the digits of every block, scans
 * the counts, and scatters each element by the rank that its warp and block give it.
 */
#include <algorithm>

#include "check.h"

enum { BLOCK = 128, WARPS = BLOCK / 32, DIGITS = 16 };

/* counts: [digit][block] */
__global__ void count_digits(const unsigned *keys, int n, int shift, int *counts)
{
    __shared__ int local[DIGITS];
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (threadIdx.x < DIGITS)
        local[threadIdx.x] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&local[keys[i] >> shift & (DIGITS - 1)], 1);
    __syncthreads();
    if (threadIdx.x < DIGITS)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

/* Exclusive scan in place by one block, in pieces of its size. */
__global__ void scan_counts(int *counts, int n)
{
    __shared__ int sums[512];
    int carry = 0;

    for (int start = 0; start < n; start += blockDim.x) {
        int i = start + threadIdx.x;
        int mine = i < n ? counts[i] : 0;

        sums[threadIdx.x] = mine;
        __syncthreads();
        for (int distance = 1; distance < blockDim.x; distance *= 2) {
            int below = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;

            __syncthreads();
            sums[threadIdx.x] += below;
            __syncthreads();
        }
        if (i < n)
            counts[i] = carry + sums[threadIdx.x] - mine;
        carry += sums[blockDim.x - 1];
        __syncthreads();
    }
}

__global__ void scatter(const unsigned *keys, const int *values, unsigned *keys_out, int *values_out, int n, int shift,
                        const int *starts)
{
    __shared__ int counts[WARPS][DIGITS];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    int warp = threadIdx.x / 32;
    unsigned below = (1u << threadIdx.x % 32) - 1;
    unsigned digit = i < n ? keys[i] >> shift & (DIGITS - 1) : DIGITS;
    unsigned same = __match_any_sync(0xffffffffu, digit);
    int rank = __popc(same & below);

    for (int at = threadIdx.x; at < WARPS * DIGITS; at += BLOCK)
        counts[at / DIGITS][at % DIGITS] = 0;
    __syncthreads();
    if (rank == 0 && digit < DIGITS)
        counts[warp][digit] = __popc(same);
    __syncthreads();
    if (i >= n)
        return;
    rank += starts[digit * gridDim.x + blockIdx.x];
    for (int before = 0; before < warp; before++)
        rank += counts[before][digit];
    keys_out[rank] = keys[i];
    values_out[rank] = values[i];
}

static void test(int n, unsigned bound)
{
    struct rng rng = {(uint64_t)n};
    std::vector<unsigned> keys(n), sorted(n);
    std::vector<int> values(n);
    int blocks = (n + BLOCK - 1) / BLOCK;

    for (int i = 0; i < n; i++) {
        keys[i] = bound ? rng_below(&rng, bound) : (unsigned)rng_next(&rng);
        values[i] = i;
    }
    unsigned *device_keys[2] = {device_copy(keys), device_zeros<unsigned>(n)};
    int *device_values[2] = {device_copy(values), device_zeros<int>(n)};
    int *counts = device_zeros<int>(DIGITS * blocks);

    for (int pass = 0; pass < 8; pass++) {
        int from = pass % 2;

        count_digits<<<blocks, BLOCK>>>(device_keys[from], n, pass * 4, counts);
        CUDA_CHECK(cudaGetLastError());
        scan_counts<<<1, 512>>>(counts, DIGITS * blocks);
        CUDA_CHECK(cudaGetLastError());
        scatter<<<blocks, BLOCK>>>(device_keys[from], device_values[from], device_keys[1 - from],
                                   device_values[1 - from], n, pass * 4, counts);
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    std::stable_sort(values.begin(), values.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    for (int i = 0; i < n; i++)
        sorted[i] = keys[values[i]];
    expect_device("keys", sorted, device_keys[0]);
    expect_device("values", values, device_values[0]);
    for (int i = 0; i < 2; i++) {
        device_free(device_keys[i]);
        device_free(device_values[i]);
    }
    device_free(counts);
}

int main(void)
{
    test(1, 0);
    test(127, 10);
    test(4097, 0);
    test(4097, 3);
    return passed();
}
