/*
 * radix.cu - league: open. A radix sort by the least significant digit first, kept simple.
 *
 * Eight passes sort by four bits each; as every pass is stable, the whole is. In a pass every thread owns ITEMS
 * elements that stand side by side:
 *
 *   count    each thread counts its elements of every digit; counts[digit][thread] is a table of all digits and threads
 *   scan     the sums of all counts before: digit by digit, and within a digit thread by thread
 *   scatter  so counts[digit][thread] is now where the thread's first element of the digit goes; the next ones follow
 *
 * Where the time goes: threads read ITEMS elements side by side, so the accesses of a warp coalesce badly, and the
 * writes scatter.
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
    std::fprintf(stderr, "radix.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

const unsigned BITS = 4, DIGITS = 1 << BITS, ITEMS = 16, BLOCK = 256;

/* keys[n], and payloads[n] or a null pointer: one buffer. */
struct buffer {
    int32_t *keys;
    uint32_t *payloads;
};

/* The bits of a key from `shift` on, as an unsigned number that orders as the key does. */
__device__ unsigned digit_of(int32_t key, unsigned shift)
{
    return ((uint32_t)key ^ 0x80000000u) >> shift & (DIGITS - 1);
}

/* counts[DIGITS][threads] */
__global__ void count_digits(buffer from, unsigned n, unsigned threads, unsigned shift, unsigned *counts)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, count[DIGITS] = {};

    if (thread >= threads)
        return;
    for (unsigned i = thread * ITEMS; i < min(thread * ITEMS + ITEMS, n); i++)
        for (unsigned d = 0; d < DIGITS; d++) /* an index known to the compiler: count stays in registers */
            count[d] += digit_of(from.keys[i], shift) == d;
    for (unsigned d = 0; d < DIGITS; d++)
        counts[d * threads + thread] = count[d];
}

/*
 * One level of a scan: values[i] becomes the sum of the values before it in its block, sums[block] the sum of the whole
 * block. In steps of 1, 2, 4 ... every value takes up what the one so far before it has (Hillis and Steele, 1986).
 */
__global__ void scan_blocks(unsigned *values, unsigned count, unsigned *sums)
{
    __shared__ unsigned shared[BLOCK];
    unsigned i = blockIdx.x * BLOCK + threadIdx.x, own = i < count ? values[i] : 0;

    shared[threadIdx.x] = own;
    for (unsigned step = 1; step < BLOCK; step *= 2) {
        __syncthreads();
        unsigned before = threadIdx.x >= step ? shared[threadIdx.x - step] : 0;

        __syncthreads();
        shared[threadIdx.x] += before;
    }
    if (i < count)
        values[i] = shared[threadIdx.x] - own;
    if (threadIdx.x == BLOCK - 1)
        sums[blockIdx.x] = shared[threadIdx.x];
}

__global__ void add_sums(unsigned *values, unsigned count, const unsigned *sums)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;

    if (i < count)
        values[i] += sums[blockIdx.x];
}

__global__ void scatter(buffer from, buffer to, unsigned n, unsigned threads, unsigned shift, const unsigned *places)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, place[DIGITS];

    if (thread >= threads)
        return;
    for (unsigned d = 0; d < DIGITS; d++)
        place[d] = places[d * threads + thread];
    for (unsigned i = thread * ITEMS; i < min(thread * ITEMS + ITEMS, n); i++) {
        int32_t key = from.keys[i];
        unsigned digit = digit_of(key, shift), to_place = 0;

        for (unsigned d = 0; d < DIGITS; d++)
            if (d == digit)
                to_place = place[d]++;
        to.keys[to_place] = key;
        if (from.payloads)
            to.payloads[to_place] = from.payloads[i];
    }
}

static unsigned blocks_for(unsigned count) { return (count + BLOCK - 1) / BLOCK; }

/* values[count] become the sums of the values before them. sums has room for the sums of all levels. */
static void scan(unsigned *values, unsigned count, unsigned *sums)
{
    unsigned blocks = blocks_for(count);

    scan_blocks<<<blocks, BLOCK>>>(values, count, sums);
    CHECK(cudaGetLastError());
    if (blocks == 1)
        return;
    scan(sums, blocks, sums + blocks);
    add_sums<<<blocks, BLOCK>>>(values, count, sums);
    CHECK(cudaGetLastError());
}

extern "C" void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys,
                            uint32_t *sorted_payloads, size_t n)
{
    const unsigned count = (unsigned)n, threads = (count + ITEMS - 1) / ITEMS, table = threads * DIGITS;
    const size_t bytes = n * sizeof *keys;
    buffer from = {}, to = {};
    unsigned *counts, *sums;

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
    CHECK(cudaMalloc(&counts, table * sizeof *counts));
    CHECK(cudaMalloc(&sums, (table / (BLOCK / 2) + 32) * sizeof *sums)); /* blocks of all levels: a geometric series */
    for (unsigned shift = 0; shift < 32; shift += BITS) {
        count_digits<<<blocks_for(threads), BLOCK>>>(from, count, threads, shift, counts);
        CHECK(cudaGetLastError());
        scan(counts, table, sums);
        scatter<<<blocks_for(threads), BLOCK>>>(from, to, count, threads, shift, counts);
        CHECK(cudaGetLastError());
        std::swap(from, to);
    }
    CHECK(cudaMemcpy(sorted_keys, from.keys, bytes, cudaMemcpyDeviceToHost));
    if (payloads)
        CHECK(cudaMemcpy(sorted_payloads, from.payloads, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(from.keys));
    CHECK(cudaFree(to.keys));
    CHECK(cudaFree(from.payloads));
    CHECK(cudaFree(to.payloads));
    CHECK(cudaFree(counts));
    CHECK(cudaFree(sums));
}
