/*
 * Wrong: the merge sort of the baseline for powers of two only. It sorts the largest power of two that fits, and
 * leaves the rest of the keys, the tail, where it was.
 */
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "device_user.h"

static void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "power_of_two.cu: %s\n", cudaGetErrorString(status));
        std::exit(1);
    }
}

__global__ void merge_pass(const int32_t *keys, const uint32_t *payloads, int32_t *to_keys, uint32_t *to_payloads,
                           unsigned n, unsigned run)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, partner = (i / run ^ 1) * run, low = 0, high = run;

    if (i >= n)
        return;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        int32_t other = keys[partner + middle];

        if (other < keys[i] || (partner < i && other == keys[i]))
            low = middle + 1;
        else
            high = middle;
    }
    unsigned place = (partner < i ? i - run : i) + low;

    to_keys[place] = keys[i];
    if (payloads)
        to_payloads[place] = payloads[i];
}

extern "C" void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys,
                            uint32_t *sorted_payloads, size_t n)
{
    int32_t *k[2] = {};
    uint32_t *p[2] = {};
    unsigned power = 1;

    if (n == 0)
        return;
    while (2 * (size_t)power <= n)
        power *= 2;
    for (int b = 0; b < 2; b++) {
        check(cudaMalloc(&k[b], n * 4));
        check(cudaMemcpy(k[b], keys, n * 4, cudaMemcpyHostToDevice));
        if (payloads) {
            check(cudaMalloc(&p[b], n * 4));
            check(cudaMemcpy(p[b], payloads, n * 4, cudaMemcpyHostToDevice));
        }
    }
    for (unsigned run = 1; run < power; run *= 2) {
        merge_pass<<<(power + 255) / 256, 256>>>(k[0], p[0], k[1], p[1], power, run);
        check(cudaGetLastError());
        std::swap(k[0], k[1]);
        std::swap(p[0], p[1]);
    }
    check(cudaMemcpy(sorted_keys, k[0], n * 4, cudaMemcpyDeviceToHost));
    if (payloads)
        check(cudaMemcpy(sorted_payloads, p[0], n * 4, cudaMemcpyDeviceToHost));
    for (int b = 0; b < 2; b++) {
        check(cudaFree(k[b]));
        check(cudaFree(p[b]));
    }
}
