/*
 * Wrong: a bitonic sort by the key alone. The keys come out right, but of equal keys the payloads stand in any order,
 * as the network exchanges elements far apart without a look at what is between them.
 */
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

static void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "unstable.cu: %s\n", cudaGetErrorString(status));
        std::exit(1);
    }
}

/* One column of the network; elements from n on count as larger than all others, so that nothing moves there. */
__global__ void compare(int32_t *keys, uint32_t *payloads, unsigned n, unsigned distance, bool mirrored)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, within = thread % distance;
    unsigned low = thread / distance * (2 * distance) + within;
    unsigned high = mirrored ? low - within + 2 * distance - 1 - within : low + distance;

    if (high >= n || keys[low] <= keys[high])
        return;
    int32_t key = keys[low];

    keys[low] = keys[high];
    keys[high] = key;
    if (payloads) {
        uint32_t payload = payloads[low];

        payloads[low] = payloads[high];
        payloads[high] = payload;
    }
}

extern "C" void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys,
                            uint32_t *sorted_payloads, size_t n)
{
    int32_t *k = nullptr;
    uint32_t *p = nullptr;
    unsigned power = 1;

    if (n == 0)
        return;
    while (power < n)
        power *= 2;
    check(cudaMalloc(&k, n * 4));
    check(cudaMemcpy(k, keys, n * 4, cudaMemcpyHostToDevice));
    if (payloads) {
        check(cudaMalloc(&p, n * 4));
        check(cudaMemcpy(p, payloads, n * 4, cudaMemcpyHostToDevice));
    }
    for (unsigned size = 2; size <= power; size *= 2)
        for (unsigned distance = size / 2; distance > 0; distance /= 2) {
            compare<<<(power / 2 + 255) / 256, 256>>>(k, p, (unsigned)n, distance, distance == size / 2);
            check(cudaGetLastError());
        }
    check(cudaMemcpy(sorted_keys, k, n * 4, cudaMemcpyDeviceToHost));
    if (payloads)
        check(cudaMemcpy(sorted_payloads, p, n * 4, cudaMemcpyDeviceToHost));
    check(cudaFree(k));
    check(cudaFree(p));
}
