/*
 * Fails: one block ranks all elements in shared memory, in an array of a fixed size that nobody compares with n. Far
 * behind its end the access is an error, which is checked, and ends the process with code 1.
 */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

const unsigned SIZE = 4096;

static void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "shared_array.cu: %s\n", cudaGetErrorString(status));
        std::exit(1);
    }
}

__global__ void rank_sort(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys,
                          uint32_t *sorted_payloads, unsigned n)
{
    __shared__ int32_t shared[SIZE];

    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        shared[i] = keys[i];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned rank = 0;

        for (unsigned j = 0; j < n; j++)
            rank += shared[j] < shared[i] || (shared[j] == shared[i] && j < i);
        sorted_keys[rank] = shared[i];
        if (payloads)
            sorted_payloads[rank] = payloads[i];
    }
}

extern "C" void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys,
                            uint32_t *sorted_payloads, size_t n)
{
    int32_t *k = nullptr;
    uint32_t *p = nullptr;

    if (n == 0)
        return;
    check(cudaMalloc(&k, 2 * n * 4));
    check(cudaMemcpy(k, keys, n * 4, cudaMemcpyHostToDevice));
    if (payloads) {
        check(cudaMalloc(&p, 2 * n * 4));
        check(cudaMemcpy(p, payloads, n * 4, cudaMemcpyHostToDevice));
    }
    rank_sort<<<1, 1024>>>(k, p, k + n, payloads ? p + n : nullptr, (unsigned)n);
    check(cudaGetLastError());
    check(cudaMemcpy(sorted_keys, k + n, n * 4, cudaMemcpyDeviceToHost));
    if (payloads)
        check(cudaMemcpy(sorted_payloads, p + n, n * 4, cudaMemcpyDeviceToHost));
    check(cudaFree(k));
    check(cudaFree(p));
}
