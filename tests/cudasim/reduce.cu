/*
 * reduce.cu - sums, minima and maxima of arrays in every usual style: a tree in shared memory, warp shuffles,
 * atomics, redux instructions and cooperative groups. Values are small integers, so floating sums are exact.
 */
#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

enum { BLOCK = 256 };

template <typename T> __global__ void reduce_tree(const T *in, T *out, int n)
{
    __shared__ T values[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;

    values[threadIdx.x] = i < n ? in[i] : T(0);
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = values[0];
}

/* The classic: interleaved addressing with divergent threads. */
template <typename T> __global__ void reduce_interleaved(const T *in, T *out, int n)
{
    extern __shared__ unsigned char bytes[];
    T *values = (T *)bytes;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    values[threadIdx.x] = i < n ? in[i] : T(0);
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        if (threadIdx.x % (2 * step) == 0 && threadIdx.x + step < blockDim.x)
            values[threadIdx.x] += values[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = values[0];
}

template <typename T> __device__ T warp_sum(T value)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffffu, value, distance);
    return value;
}

template <typename T> __global__ void reduce_shuffle(const T *in, T *out, int n)
{
    __shared__ T partial[32];
    T sum = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : T(0);
        sum = warp_sum(sum);
        if (threadIdx.x == 0)
            atomicAdd(out, sum);
    }
}

template <typename T> __global__ void reduce_atomic(const T *in, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(out, in[i]);
}

template <typename T> __global__ void reduce_atomic_shared(const T *in, T *out, int n)
{
    __shared__ T sum;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

template <typename T> __global__ void reduce_groups(const T *in, T *out, int n)
{
    __shared__ T partial[32];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    T sum = 0;

    for (int i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size())
        sum += in[i];
    sum = cg::reduce(warp, sum, cg::plus<T>());
    if (warp.thread_rank() == 0)
        partial[warp.meta_group_rank()] = sum;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        sum = warp.thread_rank() < warp.meta_group_size() ? partial[warp.thread_rank()] : T(0);
        sum = cg::reduce(warp, sum, cg::plus<T>());
        if (warp.thread_rank() == 0)
            atomicAdd(out, sum);
    }
}

/* out: sum, min, max, and, or, xor over all */
template <typename T> __global__ void reduce_redux(const T *in, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T value = in[min(i, n - 1)];
    T sum = __reduce_add_sync(0xffffffffu, i < n ? value : T(0));
    T low = __reduce_min_sync(0xffffffffu, value);
    T high = __reduce_max_sync(0xffffffffu, value);
    unsigned all = __reduce_and_sync(0xffffffffu, (unsigned)value);
    unsigned any = __reduce_or_sync(0xffffffffu, (unsigned)value);
    unsigned odd = __reduce_xor_sync(0xffffffffu, i < n ? (unsigned)value : 0u);

    if (threadIdx.x % 32 == 0) {
        atomicAdd(&out[0], sum);
        atomicMin(&out[1], low);
        atomicMax(&out[2], high);
        atomicAnd(&out[3], (T)all);
        atomicOr(&out[4], (T)any);
        atomicXor(&out[5], (T)odd);
    }
}

template <typename T> static std::vector<T> random_values(int n)
{
    struct rng rng = {(uint64_t)n + 7};
    std::vector<T> values(n);

    for (int i = 0; i < n; i++)
        values[i] = (T)((int)rng_below(&rng, 16) - 8);
    return values;
}

template <typename T> static T sum_of(const std::vector<T> &values)
{
    T sum = 0;

    for (T value : values)
        sum += value;
    return sum;
}

template <typename T> static void test(const char *what, int n)
{
    std::vector<T> in = random_values<T>(n);
    int blocks = (n + BLOCK - 1) / BLOCK;
    T want = sum_of(in);
    T *device_in = device_copy(in);
    T *device_out = device_zeros<T>(blocks);

    reduce_tree<<<blocks, BLOCK>>>(device_in, device_out, n);
    CHECK_KERNEL();
    expect_value(what, want, sum_of(host_copy(device_out, blocks)));

    for (int block : {7, 64, 100, 256}) {
        int count = (n + block - 1) / block;
        T *partial = device_zeros<T>(count);

        reduce_interleaved<<<count, block, block * sizeof(T)>>>(device_in, partial, n);
        CHECK_KERNEL();
        expect_value(what, want, sum_of(host_copy(partial, count)));
        device_free(partial);
    }
    for (int style = 0; style < 4; style++) {
        CUDA_CHECK(cudaMemset(device_out, 0, sizeof(T)));
        if (style == 0)
            reduce_shuffle<<<5, 128>>>(device_in, device_out, n);
        if (style == 1)
            reduce_atomic<<<blocks, BLOCK>>>(device_in, device_out, n);
        if (style == 2)
            reduce_atomic_shared<<<blocks, BLOCK>>>(device_in, device_out, n);
        if (style == 3)
            reduce_groups<<<3, 192>>>(device_in, device_out, n);
        CHECK_KERNEL();
        expect_value(what, want, host_copy(device_out, 1)[0]);
    }
    device_free(device_in);
    device_free(device_out);
}

template <typename T> static void test_redux(const char *what, int n)
{
    std::vector<T> in = random_values<T>(n);
    std::vector<T> want = {0, in[0], in[0], (T)~(T)0, 0, 0};
    T *device_in = device_copy(in);
    T *device_out = device_copy(want);

    for (T value : in) {
        want[0] += value;
        want[1] = std::min(want[1], value);
        want[2] = std::max(want[2], value);
        want[3] &= value;
        want[4] |= value;
        want[5] ^= value;
    }
    reduce_redux<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(device_in, device_out, n);
    CHECK_KERNEL();
    expect_device(what, want, device_out);
    device_free(device_in);
    device_free(device_out);
}

int main(void)
{
    for (int n : {1, 255, 256, 257, 12345}) {
        test<int>("int", n);
        test<unsigned long long>("unsigned long long", n);
        test<float>("float", n);
        test<double>("double", n);
        test_redux<int>("redux int", n);
        test_redux<unsigned>("redux unsigned", n);
    }
    return passed();
}
