/*
 * cub_scan.cu - scans by CUB: DeviceScan of every kind (its blocks look back at one another), by key, and the scans of
 * a block and of a warp.
 */
#include <algorithm>
#include <cub/cub.cuh>

#include "check.h"

template <typename Function> static void with_scratch(Function function)
{
    size_t bytes = 0;

    CUDA_CHECK(function(nullptr, bytes));
    char *scratch = device_new<char>(bytes);

    CUDA_CHECK(function(scratch, bytes));
    CHECK_KERNEL();
    device_free(scratch);
}

struct larger {
    template <typename T> __host__ __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

/* x -> scale * x + offset; composition is associative, but not commutative. */
struct affine {
    unsigned scale, offset;
};

static bool operator==(const affine &a, const affine &b)
{
    return a.scale == b.scale && a.offset == b.offset;
}

struct compose {
    __host__ __device__ affine operator()(const affine &first, const affine &second) const
    {
        return {second.scale * first.scale, second.scale * first.offset + second.offset};
    }
};

template <typename T> static void test(const char *what, int n)
{
    struct rng rng = {(uint64_t)n};
    std::vector<T> in(n), inclusive(n), exclusive(n), highest(n), from_five(n);
    T sum = 0, high = 5;

    for (int i = 0; i < n; i++) {
        in[i] = (T)((int)rng_below(&rng, 9) - 3);
        exclusive[i] = sum;
        from_five[i] = high;
        inclusive[i] = sum = (T)(sum + in[i]);
        high = std::max(high, in[i]);
        highest[i] = i ? std::max(highest[i - 1], in[i]) : in[i];
    }
    T *device_in = device_copy(in);
    T *out = device_zeros<T>(n);

    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(scratch, bytes, device_in, out, n);
    });
    expect_device(what, inclusive, out);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(scratch, bytes, device_in, out, n);
    });
    expect_device(what, exclusive, out);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(scratch, bytes, device_in, out, larger(), n);
    });
    expect_device(what, highest, out);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceScan::ExclusiveScan(scratch, bytes, device_in, out, larger(), (T)5, n);
    });
    expect_device(what, from_five, out);
    with_scratch([&](void *scratch, size_t &bytes) { /* in place */
        return cub::DeviceScan::InclusiveSum(scratch, bytes, device_in, device_in, n);
    });
    expect_device(what, inclusive, device_in);
    device_free(device_in);
    device_free(out);
}

static void test_affine(int n)
{
    struct rng rng = {(uint64_t)n};
    std::vector<affine> in(n), want(n);

    for (int i = 0; i < n; i++) {
        in[i] = {(unsigned)rng_next(&rng) | 1, (unsigned)rng_next(&rng)};
        want[i] = i ? compose()(want[i - 1], in[i]) : in[i];
    }
    affine *device_in = device_copy(in);
    affine *out = device_zeros<affine>(n);

    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(scratch, bytes, device_in, out, compose(), n);
    });
    expect_device("affine", want, out);
    device_free(device_in);
    device_free(out);
}

static void test_by_key(int n)
{
    struct rng rng = {(uint64_t)n};
    std::vector<int> keys(n), values(n), inclusive(n), exclusive(n);

    for (int i = 0; i < n; i++) {
        keys[i] = i && rng_below(&rng, 20) ? keys[i - 1] : (int)rng_below(&rng, 100);
        values[i] = rng_below(&rng, 100);
        bool same = i && keys[i] == keys[i - 1];

        exclusive[i] = same ? inclusive[i - 1] : 0;
        inclusive[i] = exclusive[i] + values[i];
    }
    int *device_keys = device_copy(keys);
    int *device_values = device_copy(values);
    int *out = device_zeros<int>(n);

    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceScan::InclusiveSumByKey(scratch, bytes, device_keys, device_values, out, n);
    });
    expect_device("by key", inclusive, out);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSumByKey(scratch, bytes, device_keys, device_values, out, n);
    });
    expect_device("by key", exclusive, out);
    device_free(device_keys);
    device_free(device_values);
    device_free(out);
}

/* --- blocks and warps --- */

enum { BLOCK = 96, EACH = 3, COUNT = BLOCK * EACH };

/* out: inclusive, exclusive, then the total of each thread's block */
template <cub::BlockScanAlgorithm ALGORITHM> __global__ void block_scans(const int *in, int *out)
{
    using scan = cub::BlockScan<int, BLOCK, ALGORITHM>;
    __shared__ typename scan::TempStorage scratch;
    int values[EACH], sums[EACH];
    int total;

    for (int i = 0; i < EACH; i++)
        values[i] = in[threadIdx.x * EACH + i];
    scan(scratch).InclusiveSum(values, sums);
    for (int i = 0; i < EACH; i++)
        out[threadIdx.x * EACH + i] = sums[i];
    __syncthreads();
    scan(scratch).ExclusiveSum(values, sums, total);
    for (int i = 0; i < EACH; i++)
        out[COUNT + threadIdx.x * EACH + i] = sums[i];
    out[2 * COUNT + threadIdx.x] = total;
}

template <int SIZE> __global__ void warp_scans(const int *in, int *out)
{
    using scan = cub::WarpScan<int, SIZE>;
    __shared__ typename scan::TempStorage scratch[BLOCK / SIZE];
    int sum;

    scan(scratch[threadIdx.x / SIZE]).InclusiveSum(in[threadIdx.x], sum);
    out[threadIdx.x] = sum;
}

static void test_blocks(void)
{
    struct rng rng = {8};
    std::vector<int> in(COUNT), want(2 * COUNT + BLOCK), warps(BLOCK);
    int sum = 0;

    for (int i = 0; i < COUNT; i++) {
        in[i] = rng_below(&rng, 1000);
        want[COUNT + i] = sum;
        want[i] = sum += in[i];
    }
    for (int i = 0; i < BLOCK; i++)
        want[2 * COUNT + i] = sum;
    int *device_in = device_copy(in);
    int *out = device_zeros<int>(want.size());

    block_scans<cub::BLOCK_SCAN_RAKING><<<1, BLOCK>>>(device_in, out);
    CHECK_KERNEL();
    expect_device("raking", want, out);
    CUDA_CHECK(cudaMemset(out, 0, want.size() * sizeof(int)));
    block_scans<cub::BLOCK_SCAN_RAKING_MEMOIZE><<<1, BLOCK>>>(device_in, out);
    CHECK_KERNEL();
    expect_device("raking memoize", want, out);
    CUDA_CHECK(cudaMemset(out, 0, want.size() * sizeof(int)));
    block_scans<cub::BLOCK_SCAN_WARP_SCANS><<<1, BLOCK>>>(device_in, out);
    CHECK_KERNEL();
    expect_device("warp scans", want, out);

    for (int size : {32, 16, 4}) {
        for (int i = 0; i < BLOCK; i++)
            warps[i] = in[i] + (i % size ? warps[i - 1] : 0);
        if (size == 32)
            warp_scans<32><<<1, BLOCK>>>(device_in, out);
        if (size == 16)
            warp_scans<16><<<1, BLOCK>>>(device_in, out);
        if (size == 4)
            warp_scans<4><<<1, BLOCK>>>(device_in, out);
        CHECK_KERNEL();
        expect_device("warps", warps, out);
    }
    device_free(device_in);
    device_free(out);
}

int main(void)
{
    for (int n : {1, 31, 2000, 40013}) {
        test<int>("int", n);
        test_affine(n);
    }
    test<long long>("long long", 10007);
    test<float>("float", 10007);
    test<double>("double", 5003);
    test<short>("short", 9973);
    test_by_key(1);
    test_by_key(20011);
    test_blocks();
    return passed();
}
