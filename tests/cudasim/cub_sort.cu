/*
 * cub_sort.cu - sorting by CUB: DeviceRadixSort (keys, pairs, descending, some bits, many types, sizes on either side
 * of its algorithms' limits), DeviceMergeSort, DeviceSegmentedSort, and the sorts of a block and of a warp.
 */
#include <algorithm>
#include <cub/cub.cuh>

#include "check.h"

/* Calls a CUB device function twice: for the size of its scratch memory, and to work. */
template <typename Function> static void with_scratch(Function function)
{
    size_t bytes = 0;

    CUDA_CHECK(function(nullptr, bytes));
    char *scratch = device_new<char>(bytes);

    CUDA_CHECK(function(scratch, bytes));
    CHECK_KERNEL();
    device_free(scratch);
}

template <typename T> static std::vector<T> random_keys(int n, uint64_t seed)
{
    struct rng rng = {seed};
    std::vector<T> keys(n);

    for (T &key : keys) {
        if constexpr (std::is_integral<T>::value)
            key = (T)rng_next(&rng);
        else
            key = (T)((int)rng_below(&rng, 2000000) - 1000000) / 64;
    }
    return keys;
}

template <typename T> static void test_keys(const char *what, int n)
{
    std::vector<T> keys = random_keys<T>(n, n);
    T *in = device_copy(keys);
    T *out = device_zeros<T>(n);

    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, n);
    });
    std::sort(keys.begin(), keys.end());
    expect_device(what, keys, out);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeysDescending(scratch, bytes, in, out, n);
    });
    std::reverse(keys.begin(), keys.end());
    expect_device(what, keys, out);
    device_free(in);
    device_free(out);
}

/* The values are the indices: a stable sort leaves them increasing among equal keys. */
template <typename K> static void test_pairs(const char *what, int n, K distinct)
{
    std::vector<K> keys = random_keys<K>(n, n + 1);
    std::vector<int> index(n);

    for (int i = 0; i < n; i++) {
        keys[i] %= distinct;
        index[i] = i;
    }
    K *in = device_copy(keys);
    K *out = device_zeros<K>(n);
    int *index_in = device_copy(index);
    int *index_out = device_zeros<int>(n);
    std::vector<K> sorted(n);

    for (int descending = 0; descending < 2; descending++) {
        std::stable_sort(index.begin(), index.end(), [&](int a, int b) {
            return descending ? keys[a] > keys[b] || (keys[a] == keys[b] && a < b)
                              : keys[a] < keys[b] || (keys[a] == keys[b] && a < b);
        });
        for (int i = 0; i < n; i++)
            sorted[i] = keys[index[i]];
        with_scratch([&](void *scratch, size_t &bytes) {
            return descending ? cub::DeviceRadixSort::SortPairsDescending(scratch, bytes, in, out, index_in, index_out,
                                                                          n)
                              : cub::DeviceRadixSort::SortPairs(scratch, bytes, in, out, index_in, index_out, n);
        });
        expect_device(what, sorted, out);
        expect_device(what, index, index_out);
    }
    device_free(in);
    device_free(out);
    device_free(index_in);
    device_free(index_out);
}

/* By bits 4 to 11 only, with a double buffer. */
static void test_bits(int n)
{
    std::vector<unsigned> keys = random_keys<unsigned>(n, 3);
    unsigned *first = device_copy(keys);
    unsigned *second = device_zeros<unsigned>(n);
    cub::DoubleBuffer<unsigned> buffer(first, second);

    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(scratch, bytes, buffer, n, 4, 12);
    });
    std::stable_sort(keys.begin(), keys.end(), [](unsigned a, unsigned b) {
        return (a >> 4 & 255) < (b >> 4 & 255);
    });
    expect_device("bits", keys, buffer.Current());
    device_free(first);
    device_free(second);
}

struct point {
    float x;
    int id;
};

struct by_x {
    __host__ __device__ bool operator()(const point &a, const point &b) const { return a.x < b.x; }
};

struct by_remainder {
    __host__ __device__ bool operator()(int a, int b) const
    {
        return a % 1000 < b % 1000 || (a % 1000 == b % 1000 && a < b);
    }
};

static void test_merge(int n)
{
    struct rng rng = {(uint64_t)n};
    std::vector<point> points(n);
    std::vector<int> numbers(n);

    for (int i = 0; i < n; i++) {
        points[i] = {(float)rng_below(&rng, 500), i};
        numbers[i] = rng_below(&rng, 1000000);
    }
    point *device_points = device_copy(points);
    int *device_numbers = device_copy(numbers);

    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceMergeSort::StableSortKeys(scratch, bytes, device_points, n, by_x());
    });
    std::stable_sort(points.begin(), points.end(), by_x());
    expect_bits("merge sort of structs", points, host_copy(device_points, n));
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceMergeSort::SortKeys(scratch, bytes, device_numbers, n, by_remainder());
    });
    std::sort(numbers.begin(), numbers.end(), by_remainder());
    expect_device("merge sort", numbers, device_numbers);
    device_free(device_points);
    device_free(device_numbers);
}

static void test_segmented(void)
{
    std::vector<int> offsets = {0};
    struct rng rng = {5};

    for (int length : {0, 1, 2, 31, 32, 33, 100, 0, 500, 3000, 7})
        offsets.push_back(offsets.back() + length);
    int n = offsets.back();
    int segments = (int)offsets.size() - 1;
    std::vector<int> keys(n);

    for (int &key : keys)
        key = (int)rng_next(&rng);
    int *in = device_copy(keys);
    int *out = device_zeros<int>(n);
    int *device_offsets = device_copy(offsets);

    for (int segment = 0; segment < segments; segment++)
        std::sort(&keys[0] + offsets[segment], &keys[0] + offsets[segment + 1]);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceSegmentedSort::SortKeys(scratch, bytes, in, out, n, segments, device_offsets,
                                                  device_offsets + 1);
    });
    expect_device("segmented sort", keys, out);
    CUDA_CHECK(cudaMemset(out, 0, n * sizeof(int)));
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceSegmentedRadixSort::SortKeys(scratch, bytes, in, out, n, segments, device_offsets,
                                                       device_offsets + 1);
    });
    expect_device("segmented radix sort", keys, out);
    device_free(in);
    device_free(out);
    device_free(device_offsets);
}

/* --- sorts inside a block --- */

enum { BLOCK = 128, EACH = 5 };

struct less {
    template <typename T> __device__ bool operator()(const T &a, const T &b) const { return a < b; }
};

template <typename T> __global__ void block_radix(T *values)
{
    using sort = cub::BlockRadixSort<T, BLOCK, EACH>;
    using load = cub::BlockLoad<T, BLOCK, EACH, cub::BLOCK_LOAD_TRANSPOSE>;
    using store = cub::BlockStore<T, BLOCK, EACH, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename sort::TempStorage sort;
        typename load::TempStorage load;
        typename store::TempStorage store;
    } scratch;
    T mine[EACH];

    load(scratch.load).Load(values + blockIdx.x * BLOCK * EACH, mine);
    __syncthreads();
    sort(scratch.sort).Sort(mine);
    __syncthreads();
    store(scratch.store).Store(values + blockIdx.x * BLOCK * EACH, mine);
}

template <typename T> __global__ void block_merge(T *values)
{
    using sort = cub::BlockMergeSort<T, BLOCK, EACH>;
    __shared__ typename sort::TempStorage scratch;
    T mine[EACH];

    for (int i = 0; i < EACH; i++)
        mine[i] = values[(blockIdx.x * BLOCK + threadIdx.x) * EACH + i];
    sort(scratch).Sort(mine, less());
    for (int i = 0; i < EACH; i++)
        values[(blockIdx.x * BLOCK + threadIdx.x) * EACH + i] = mine[i];
}

/* Each half warp sorts 16 * EACH values. */
template <typename T> __global__ void warp_merge(T *values)
{
    using sort = cub::WarpMergeSort<T, EACH, 16>;
    __shared__ typename sort::TempStorage scratch[BLOCK / 16];
    T mine[EACH];

    for (int i = 0; i < EACH; i++)
        mine[i] = values[(blockIdx.x * BLOCK + threadIdx.x) * EACH + i];
    sort(scratch[threadIdx.x / 16]).Sort(mine, less());
    for (int i = 0; i < EACH; i++)
        values[(blockIdx.x * BLOCK + threadIdx.x) * EACH + i] = mine[i];
}

template <typename T> static void test_blocks(const char *what)
{
    enum { BLOCKS = 3, COUNT = BLOCK * EACH };

    for (int style = 0; style < 3; style++) {
        std::vector<T> values = random_keys<T>(BLOCKS * COUNT, style);
        int group = style == 2 ? 16 * EACH : COUNT;
        T *device = device_copy(values);

        if (style == 0)
            block_radix<<<BLOCKS, BLOCK>>>(device);
        if (style == 1)
            block_merge<<<BLOCKS, BLOCK>>>(device);
        if (style == 2)
            warp_merge<<<BLOCKS, BLOCK>>>(device);
        CHECK_KERNEL();
        for (int start = 0; start < BLOCKS * COUNT; start += group)
            std::sort(&values[start], &values[start] + group);
        expect_device(what, values, device);
        device_free(device);
    }
}

int main(void)
{
    for (int n : {1, 100, 3000, 20011}) {
        test_keys<int>("keys int", n);
        test_keys<unsigned>("keys unsigned", n);
        test_pairs<unsigned>("pairs unsigned", n, 1000);
        test_merge(n);
    }
    test_keys<float>("keys float", 9001);
    test_keys<double>("keys double", 5003);
    test_keys<unsigned char>("keys byte", 5003);
    test_keys<short>("keys short", 5003);
    test_keys<unsigned long long>("keys unsigned long long", 7001);
    test_pairs<unsigned long long>("pairs unsigned long long", 6007, 50);
    test_bits(10000);
    test_segmented();
    test_blocks<int>("block int");
    test_blocks<unsigned short>("block unsigned short");
    test_blocks<double>("block double");
    return passed();
}
