/*
 * cub_kinds.cu - CUB: run lengths, histograms of channels, segments sorted, top of a warp, flags, blocks' sorts.
 */
#include <cub/cub.cuh>

#include <algorithm>

#include "../check.h"

template <typename F> static void with_room(F f)
{
    size_t bytes = 0;
    void *room = nullptr;

    CUDA_CHECK(f(nullptr, bytes));
    CUDA_CHECK(cudaMalloc(&room, bytes));
    CUDA_CHECK(f(room, bytes));
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(room));
}

static __global__ void in_block(const int *in, int *sorted, int *counts, int *heads)
{
    typedef cub::BlockRadixSort<int, 64, 4, int> sort;
    typedef cub::BlockHistogram<unsigned char, 64, 4, 16> histogram;
    typedef cub::BlockDiscontinuity<int, 64> edges;
    __shared__ union { sort::TempStorage s; histogram::TempStorage h; edges::TempStorage e; } room;
    __shared__ int bins[16];
    int t = (int)threadIdx.x, key[4], place[4], head[4];
    unsigned char small[4];

    for (int i = 0; i < 4; i++)
        key[i] = in[4 * t + i], place[i] = 4 * t + i, small[i] = (unsigned char)(key[i] & 15);
    sort(room.s).SortDescending(key, place);
    __syncthreads();
    histogram(room.h).Histogram(small, bins);
    __syncthreads();
    edges(room.e).FlagHeads(head, key, cuda::std::not_equal_to<>());
    for (int i = 0; i < 4; i++)
        sorted[4 * t + i] = key[i] * 1000 + place[i] % 1000, heads[4 * t + i] = head[i];
    if (t < 16)
        counts[t] = bins[t];
}

int main(void)
{
    const int n = 900;
    struct rng rng = {5};
    std::vector<int> in(n), begins = {0, 100, 100, 357, n}, want;
    int *d, *out = device_zeros<int>(n + 1), *count = device_zeros<int>(n), *some = device_zeros<int>(1);

    for (int &e : in)
        e = (int)rng_below(&rng, 40);
    d = device_copy(in);
    int *b = device_copy(begins);
    with_room([&](void *room, size_t &bytes) {
        return cub::DeviceSegmentedSort::SortKeys(room, bytes, d, out, n, 4, b, b + 1);
    });
    want = in;
    for (int i = 0; i < 4; i++)
        std::sort(want.begin() + begins[i], want.begin() + begins[i + 1]);
    expect_device("segments", want, out);
    std::sort(want.begin(), want.end());
    CUDA_CHECK(cudaMemcpy(d, want.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    with_room([&](void *room, size_t &bytes) {
        return cub::DeviceRunLengthEncode::Encode(room, bytes, d, out, count, some, n);
    });
    EXPECT(host_copy(some, 1)[0] == 40);
    std::vector<int> runs = host_copy(count, 40);
    for (int i = 0; i < 40; i++)
        EXPECT(runs[i] == std::count(in.begin(), in.end(), i));
    with_room([&](void *room, size_t &bytes) {
        return cub::DeviceRunLengthEncode::NonTrivialRuns(room, bytes, d, out, count, some, n);
    });
    EXPECT(host_copy(some, 1)[0] == 40);
    std::vector<int> begin = host_copy(out, 40), length = host_copy(count, 40);
    for (int i = 0; i < 40; i++)
        EXPECT(length[i] == runs[i] && want[begin[i]] == i);
    with_room([&](void *room, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(room, bytes, d, count, 11, 0, 40, n);
    });
    runs = host_copy(count, 10);
    for (int i = 0; i < 10; i++)
        EXPECT(runs[i] == std::count_if(in.begin(), in.end(), [=](int e) { return e / 4 == i; }));
    with_room([&](void *room, size_t &bytes) {
        return cub::DeviceSelect::Unique(room, bytes, d, out, some, n);
    });
    EXPECT(host_copy(some, 1)[0] == 40 && host_copy(out, 40)[39] == 39);
    CUDA_CHECK(cudaMemcpy(d, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    in_block<<<1, 64>>>(d, out, count, out + 300);
    CHECK_KERNEL();
    std::vector<std::pair<int, int>> order;
    for (int i = 0; i < 256; i++)
        order.push_back({-in[i], i});
    std::sort(order.begin(), order.end());
    std::vector<int> sorted = host_copy(out, 256), heads = host_copy(out + 300, 256), bins = host_copy(count, 16);
    for (int i = 0; i < 256; i++) {
        EXPECT(sorted[i] == -order[i].first * 1000 + order[i].second);
        EXPECT(heads[i] == (i == 0 || order[i].first != order[i - 1].first));
    }
    for (int i = 0; i < 16; i++)
        EXPECT(bins[i] == std::count_if(in.begin(), in.begin() + 256, [=](int e) { return e % 16 == i; }));
    device_free(d), device_free(b), device_free(out), device_free(count), device_free(some);
    return passed();
}
