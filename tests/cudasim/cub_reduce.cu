/*
 * cub_reduce.cu - CUB's reductions and what goes with them: DeviceReduce, by key, by segment, DeviceSelect,
 * DevicePartition, DeviceRunLengthEncode, DeviceHistogram, DeviceFor, DeviceAdjacentDifference; blocks and warps.
 */
#include <algorithm>
#include <climits>
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

struct squared {
    __host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};

struct is_multiple {
    int of;
    __host__ __device__ bool operator()(int x) const { return x % of == 0; }
};

template <typename T> static std::vector<T> random_values(int n, int bound)
{
    struct rng rng = {(uint64_t)n * 31 + bound};
    std::vector<T> values(n);

    for (T &value : values)
        value = (T)((int)rng_below(&rng, bound) - bound / 2);
    return values;
}

template <typename T> static void test_reduce(const char *what, int n)
{
    std::vector<T> in = random_values<T>(n, 100);
    T *device_in = device_copy(in);
    T *out = device_zeros<T>(1);
    T sum = 0;

    for (T value : in)
        sum = (T)(sum + value);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceReduce::Sum(scratch, bytes, device_in, out, n);
    });
    expect_device(what, std::vector<T>{sum}, out);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceReduce::Min(scratch, bytes, device_in, out, n);
    });
    expect_device(what, std::vector<T>{*std::min_element(in.begin(), in.end())}, out);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceReduce::Reduce(scratch, bytes, device_in, out, n, larger(), (T)-100);
    });
    expect_device(what, std::vector<T>{*std::max_element(in.begin(), in.end())}, out);
    device_free(device_in);
    device_free(out);
}

static void test_transform_and_arg(int n)
{
    std::vector<int> in = random_values<int>(n, 1000);
    int *device_in = device_copy(in);
    long long *out = device_zeros<long long>(1);
    int *low = device_zeros<int>(1);
    long long *where = device_zeros<long long>(1);
    long long sum = 0;

    for (int value : in)
        sum += (long long)value * value;
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceReduce::TransformReduce(scratch, bytes, device_in, out, n, cuda::std::plus<long long>(),
                                                  squared(), 0ll);
    });
    expect_device("transform", std::vector<long long>{sum}, out);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceReduce::ArgMin(scratch, bytes, device_in, low, where, (long long)n);
    });
    auto lowest = std::min_element(in.begin(), in.end());

    expect_device("min", std::vector<int>{*lowest}, low);
    expect_device("arg min", std::vector<long long>{lowest - in.begin()}, where);
    device_free(device_in);
    device_free(out);
    device_free(low);
    device_free(where);
}

static void test_by_key(int n)
{
    struct rng rng = {(uint64_t)n};
    std::vector<int> keys(n), values(n), unique, sums, lengths;

    for (int i = 0; i < n; i++) {
        keys[i] = i && rng_below(&rng, 10) ? keys[i - 1] : (int)rng_below(&rng, 50);
        values[i] = rng_below(&rng, 100);
        if (i == 0 || keys[i] != keys[i - 1]) {
            unique.push_back(keys[i]);
            sums.push_back(0);
            lengths.push_back(0);
        }
        sums.back() += values[i];
        lengths.back()++;
    }
    int *device_keys = device_copy(keys);
    int *device_values = device_copy(values);
    int *out_keys = device_zeros<int>(n);
    int *out = device_zeros<int>(n);
    int *count = device_zeros<int>(1);

    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceReduce::ReduceByKey(scratch, bytes, device_keys, out_keys, device_values, out, count,
                                              cuda::std::plus<int>(), n);
    });
    expect_device("count", std::vector<int>{(int)unique.size()}, count);
    expect_device("keys", unique, out_keys);
    expect_device("sums by key", sums, out);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceRunLengthEncode::Encode(scratch, bytes, device_keys, out_keys, out, count, n);
    });
    expect_device("runs", std::vector<int>{(int)unique.size()}, count);
    expect_device("run keys", unique, out_keys);
    expect_device("run lengths", lengths, out);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceSelect::Unique(scratch, bytes, device_keys, out, count, n);
    });
    expect_device("unique", unique, out);
    device_free(device_keys);
    device_free(device_values);
    device_free(out_keys);
    device_free(out);
    device_free(count);
}

static void test_segmented(void)
{
    std::vector<int> offsets = {0};

    for (int length : {3, 0, 1, 100, 1000, 33, 5000, 0, 7})
        offsets.push_back(offsets.back() + length);
    int segments = (int)offsets.size() - 1;
    std::vector<int> in = random_values<int>(offsets.back(), 1000);
    std::vector<int> sums(segments), highs(segments, INT_MIN);

    for (int segment = 0; segment < segments; segment++)
        for (int i = offsets[segment]; i < offsets[segment + 1]; i++) {
            sums[segment] += in[i];
            highs[segment] = std::max(highs[segment], in[i]);
        }
    int *device_in = device_copy(in);
    int *device_offsets = device_copy(offsets);
    int *out = device_zeros<int>(segments);

    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceSegmentedReduce::Sum(scratch, bytes, device_in, out, segments, device_offsets,
                                               device_offsets + 1);
    });
    expect_device("segment sums", sums, out);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceSegmentedReduce::Max(scratch, bytes, device_in, out, segments, device_offsets,
                                               device_offsets + 1);
    });
    expect_device("segment maxima", highs, out);
    device_free(device_in);
    device_free(device_offsets);
    device_free(out);
}

static void test_select(int n)
{
    std::vector<int> in = random_values<int>(n, 10000);
    std::vector<unsigned char> flags(n);
    std::vector<int> multiples, others, flagged, partitioned;

    for (int i = 0; i < n; i++) {
        flags[i] = i % 5 == 1;
        (in[i] % 3 == 0 ? multiples : others).push_back(in[i]);
        if (flags[i])
            flagged.push_back(in[i]);
    }
    partitioned = multiples;
    partitioned.insert(partitioned.end(), others.rbegin(), others.rend());
    int *device_in = device_copy(in);
    unsigned char *device_flags = device_copy(flags);
    int *out = device_zeros<int>(n);
    int *count = device_zeros<int>(1);

    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceSelect::If(scratch, bytes, device_in, out, count, n, is_multiple{3});
    });
    expect_device("selected", std::vector<int>{(int)multiples.size()}, count);
    expect_device("select if", multiples, out);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceSelect::Flagged(scratch, bytes, device_in, device_flags, out, count, n);
    });
    expect_device("flags", std::vector<int>{(int)flagged.size()}, count);
    expect_device("flagged", flagged, out);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DevicePartition::If(scratch, bytes, device_in, out, count, n, is_multiple{3});
    });
    expect_device("partitioned", std::vector<int>{(int)multiples.size()}, count);
    expect_device("partition", partitioned, out);
    device_free(device_in);
    device_free(device_flags);
    device_free(out);
    device_free(count);
}

static void test_histogram(int n)
{
    struct rng rng = {(uint64_t)n};
    std::vector<float> in(n);
    std::vector<unsigned char> pixels(n * 4);
    std::vector<int> even(10), ranges(4), channels[3];
    std::vector<float> levels = {0, 1, 5, 5.5f, 8};

    for (float &value : in) {
        value = (float)rng_below(&rng, 1200) / 100 - 1;
        if (value >= 0 && value < 10)
            even[(int)value]++;
        for (int i = 0; i < 4; i++)
            ranges[i] += value >= levels[i] && value < levels[i + 1];
    }
    for (auto &channel : channels)
        channel.resize(256);
    for (int i = 0; i < n * 4; i++) {
        pixels[i] = rng_next(&rng);
        if (i % 4 < 3)
            channels[i % 4][pixels[i]]++;
    }
    float *device_in = device_copy(in);
    float *device_levels = device_copy(levels);
    unsigned char *device_pixels = device_copy(pixels);
    int *out = device_zeros<int>(10);
    cuda::std::array<int *, 3> out_channels;
    cuda::std::array<int, 3> counts = {257, 257, 257}, lower = {0, 0, 0}, upper = {256, 256, 256};

    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(scratch, bytes, device_in, out, 11, 0.0f, 10.0f, n);
    });
    expect_device("even", even, out);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceHistogram::HistogramRange(scratch, bytes, device_in, out, 5, device_levels, n);
    });
    expect_device("range", ranges, out);
    for (int *&channel : out_channels)
        channel = device_zeros<int>(256);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceHistogram::MultiHistogramEven<4, 3>(scratch, bytes, device_pixels, out_channels, counts,
                                                              lower, upper, n);
    });
    for (int i = 0; i < 3; i++) {
        expect_device("channel", channels[i], out_channels[i]);
        device_free(out_channels[i]);
    }
    device_free(device_in);
    device_free(device_levels);
    device_free(device_pixels);
    device_free(out);
}

struct triple_in_place {
    int *values;
    __device__ void operator()(int i) const { values[i] *= 3; }
};

struct difference {
    __host__ __device__ int operator()(int right, int left) const { return right - left; }
};

static void test_others(int n)
{
    std::vector<int> in = random_values<int>(n, 1000), want(n), tripled(n);
    int *device_in = device_copy(in);
    int *out = device_zeros<int>(n);

    for (int i = 0; i < n; i++) {
        want[i] = i ? in[i] - in[i - 1] : in[i];
        tripled[i] = 3 * in[i];
    }
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceAdjacentDifference::SubtractLeftCopy(scratch, bytes, device_in, out, n, difference());
    });
    expect_device("adjacent difference", want, out);
    CUDA_CHECK(cub::DeviceFor::Bulk(n, triple_in_place{device_in}));
    CHECK_KERNEL();
    expect_device("bulk", tripled, device_in);
    device_free(device_in);
    device_free(out);
}

/* --- blocks and warps --- */

enum { BLOCK = 160 };

/* out: three sums, a maximum, and a sum of the first 100 only */
__global__ void block_reduces(const int *in, int *out)
{
    using commutative = cub::BlockReduce<int, BLOCK, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>;
    using raking = cub::BlockReduce<int, BLOCK, cub::BLOCK_REDUCE_RAKING>;
    using warps = cub::BlockReduce<int, BLOCK, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
    __shared__ typename commutative::TempStorage commutative_scratch;
    __shared__ typename raking::TempStorage raking_scratch, high_scratch;
    __shared__ typename warps::TempStorage warps_scratch, partial_scratch;
    int value = in[threadIdx.x];
    int sums[5] = {
        commutative(commutative_scratch).Sum(value),
        raking(raking_scratch).Sum(value),
        warps(warps_scratch).Sum(value),
        raking(high_scratch).Reduce(value, larger()),
        warps(partial_scratch).Sum(value, 100),
    };

    if (threadIdx.x == 0)
        for (int i = 0; i < 5; i++)
            out[i] = sums[i];
}

/* Half warps: sum, maximum of the first 11. */
__global__ void warp_reduces(const int *in, int *out)
{
    using reduce = cub::WarpReduce<int, 16>;
    __shared__ typename reduce::TempStorage scratch[2][BLOCK / 16];
    int group = threadIdx.x / 16;
    int sum = reduce(scratch[0][group]).Sum(in[threadIdx.x]);
    int high = reduce(scratch[1][group]).Reduce(in[threadIdx.x], larger(), 11);

    if (threadIdx.x % 16 == 0) {
        out[group * 2] = sum;
        out[group * 2 + 1] = high;
    }
}

static void test_blocks(void)
{
    std::vector<int> in = random_values<int>(BLOCK, 10000);
    std::vector<int> want = {0, 0, 0, INT_MIN, 0};
    std::vector<int> want_warps(BLOCK / 16 * 2, 0);

    for (int i = 0; i < BLOCK; i++) {
        for (int style = 0; style < 3; style++)
            want[style] += in[i];
        want[3] = std::max(want[3], in[i]);
        want[4] += i < 100 ? in[i] : 0;
        want_warps[i / 16 * 2] += in[i];
        if (i % 16 == 0)
            want_warps[i / 16 * 2 + 1] = in[i];
        if (i % 16 < 11)
            want_warps[i / 16 * 2 + 1] = std::max(want_warps[i / 16 * 2 + 1], in[i]);
    }
    int *device_in = device_copy(in);
    int *out = device_zeros<int>(BLOCK);

    block_reduces<<<1, BLOCK>>>(device_in, out);
    CHECK_KERNEL();
    expect_device("block reduce", want, out);
    warp_reduces<<<1, BLOCK>>>(device_in, out);
    CHECK_KERNEL();
    expect_device("warp reduce", want_warps, out);
    device_free(device_in);
    device_free(out);
}

int main(void)
{
    for (int n : {1, 100, 30011}) {
        test_reduce<int>("int", n);
        test_reduce<float>("float", n);
        test_transform_and_arg(n);
        test_by_key(n);
        test_select(n);
        test_histogram(n);
        test_others(n);
    }
    test_reduce<double>("double", 5003);
    test_reduce<short>("short", 5003);
    test_reduce<long long>("long long", 5003);
    test_segmented();
    test_blocks();
    return passed();
}
