/*
 * baseline.cu - a merge sort whose every pass is one kernel: correct, parallel, stable, and easy to beat.
 *
 * Runs of 1, 2, 4, 8 ... sorted keys are merged two by two, until one run is left. A pass reads one buffer and writes
 * the other; then they swap. In a pass, one thread moves one element: its place in the merged run is its place in its
 * own run plus the number of elements of the partner run that go before it, which a binary search finds. Those are
 *
 *   for an element of the left run, the elements of the right run that are less than it (lower bound),
 *   for one of the right run, the elements of the left run that are less than or equal to it (upper bound),
 *
 * so that of two equal elements the left one goes first: every place is taken once, and the sort is stable. The last
 * run, and with it its partner, may be shorter or missing.
 *
 * Where the time goes: log2(n) passes over memory, and up to log2(n) steps of binary search for every element of each.
 */
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "baseline.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

/* keys[n], and payloads[n] or a null pointer: one buffer. n is at most 2^28, so that 2 * run fits in 32 bits, too. */
struct buffer {
    int32_t *keys;
    uint32_t *payloads;
};

/* How many of keys[0..count), which ascend, go before `key`: those below it, and with `equal_too` those equal to it. */
__device__ unsigned count_before(const int32_t *keys, unsigned count, int32_t key, bool equal_too)
{
    unsigned low = 0, high = count;

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (keys[middle] < key || (equal_too && keys[middle] == key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Merges runs of `run` elements, a power of two, two by two. One thread an element. */
__global__ void merge_pass(buffer from, buffer to, unsigned n, unsigned run)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    unsigned left = i / (2 * run) * (2 * run); /* where both runs start, where the right one does, where they end */
    unsigned right = min(left + run, n), end = min(left + 2 * run, n);
    bool is_right = i >= right;
    int32_t key = from.keys[i];
    unsigned before = is_right ? count_before(from.keys + left, right - left, key, true)
                               : count_before(from.keys + right, end - right, key, false);
    unsigned place = (is_right ? i - run : i) + before;

    to.keys[place] = key;
    if (from.payloads)
        to.payloads[place] = from.payloads[i];
}

extern "C" void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys,
                            uint32_t *sorted_payloads, size_t n)
{
    const unsigned block = 256, count = (unsigned)n;
    const size_t bytes = n * sizeof *keys;
    buffer from = {}, to = {};

    if (n == 0)
        return;
    CHECK(cudaMalloc(&from.keys, bytes));
    CHECK(cudaMalloc(&to.keys, bytes));
    CHECK(cudaMemcpy(from.keys, keys, bytes, cudaMemcpyHostToDevice));
    if (payloads) {
        CHECK(cudaMalloc(&from.payloads, bytes));
        CHECK(cudaMalloc(&to.payloads, bytes));
        CHECK(cudaMemcpy(from.payloads, payloads, bytes, cudaMemcpyHostToDevice));
    }
    for (unsigned run = 1; run < count; run *= 2) {
        merge_pass<<<(count + block - 1) / block, block>>>(from, to, count, run);
        CHECK(cudaGetLastError());
        std::swap(from, to);
    }
    CHECK(cudaMemcpy(sorted_keys, from.keys, bytes, cudaMemcpyDeviceToHost));
    if (payloads)
        CHECK(cudaMemcpy(sorted_payloads, from.payloads, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(from.keys));
    CHECK(cudaFree(to.keys));
    CHECK(cudaFree(from.payloads)); /* of a null pointer: nothing happens */
    CHECK(cudaFree(to.payloads));
}
