/* Too slow: bubble sort, n^2 / 2 comparisons, in one thread of the GPU. */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

static void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "one_thread.cu: %s\n", cudaGetErrorString(status));
        std::exit(1);
    }
}

__global__ void bubble_sort(int32_t *keys, uint32_t *payloads, unsigned n)
{
    for (unsigned end = n; end > 1; end--)
        for (unsigned i = 0; i + 1 < end; i++)
            if (keys[i] > keys[i + 1]) {
                int32_t key = keys[i];

                keys[i] = keys[i + 1];
                keys[i + 1] = key;
                if (payloads) {
                    uint32_t payload = payloads[i];

                    payloads[i] = payloads[i + 1];
                    payloads[i + 1] = payload;
                }
            }
}

extern "C" void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys,
                            uint32_t *sorted_payloads, size_t n)
{
    int32_t *k = nullptr;
    uint32_t *p = nullptr;

    if (n == 0)
        return;
    check(cudaMalloc(&k, n * 4));
    check(cudaMemcpy(k, keys, n * 4, cudaMemcpyHostToDevice));
    if (payloads) {
        check(cudaMalloc(&p, n * 4));
        check(cudaMemcpy(p, payloads, n * 4, cudaMemcpyHostToDevice));
    }
    bubble_sort<<<1, 1>>>(k, p, (unsigned)n);
    check(cudaGetLastError());
    check(cudaMemcpy(sorted_keys, k, n * 4, cudaMemcpyDeviceToHost));
    if (payloads)
        check(cudaMemcpy(sorted_payloads, p, n * 4, cudaMemcpyDeviceToHost));
    check(cudaFree(k));
    check(cudaFree(p));
}
