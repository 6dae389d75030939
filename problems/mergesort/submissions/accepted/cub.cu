/*
 * cub.cu - league: open. The radix sort of CUB, NVIDIA's library of device-wide algorithms: stable, and hard to beat.
 */
#include <cstdio>
#include <cstdlib>

#include <cub/cub.cuh>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "cub.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

/* Sorts what is current in the buffers; with temporary = nullptr it only says how many bytes it needs there. */
static cudaError_t sort(void *temporary, size_t &size, cub::DoubleBuffer<int32_t> &keys,
                        cub::DoubleBuffer<uint32_t> &payloads, size_t n)
{
    return payloads.Current() ? cub::DeviceRadixSort::SortPairs(temporary, size, keys, payloads, n)
                              : cub::DeviceRadixSort::SortKeys(temporary, size, keys, n);
}

extern "C" void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys,
                            uint32_t *sorted_payloads, size_t n)
{
    const size_t bytes = n * sizeof *keys;
    int32_t *key_buffers[2] = {};
    uint32_t *payload_buffers[2] = {};
    void *temporary = nullptr;
    size_t size = 0;

    if (n == 0)
        return;
    for (int b = 0; b < 2; b++) {
        CHECK(cudaMalloc(&key_buffers[b], bytes));
        if (payloads)
            CHECK(cudaMalloc(&payload_buffers[b], bytes));
    }
    cub::DoubleBuffer<int32_t> key_pair(key_buffers[0], key_buffers[1]);
    cub::DoubleBuffer<uint32_t> payload_pair(payload_buffers[0], payload_buffers[1]);

    CHECK(cudaMemcpy(key_pair.Current(), keys, bytes, cudaMemcpyHostToDevice));
    if (payloads)
        CHECK(cudaMemcpy(payload_pair.Current(), payloads, bytes, cudaMemcpyHostToDevice));
    CHECK(sort(nullptr, size, key_pair, payload_pair, n));
    CHECK(cudaMalloc(&temporary, size));
    CHECK(sort(temporary, size, key_pair, payload_pair, n));
    CHECK(cudaMemcpy(sorted_keys, key_pair.Current(), bytes, cudaMemcpyDeviceToHost));
    if (payloads)
        CHECK(cudaMemcpy(sorted_payloads, payload_pair.Current(), bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(temporary));
    for (int b = 0; b < 2; b++) {
        CHECK(cudaFree(key_buffers[b]));
        CHECK(cudaFree(payload_buffers[b]));
    }
}
