/*
 * merge_sort.cu - a stable merge sort from below: short runs by insertion in registers, then passes in which each
 * thread finds its part of a merge by binary search along the diagonal and merges it.
 */
#include <algorithm>

#include "check.h"

enum { RUN = 8 };

/* Sorted by the upper half alone: the lower one tells whether the sort is stable. */
struct item {
    int key, order;
};

static bool operator==(const item &a, const item &b)
{
    return a.key == b.key && a.order == b.order;
}

__global__ void sort_runs(item *items, int n)
{
    int start = (blockIdx.x * blockDim.x + threadIdx.x) * RUN;
    int count = min(RUN, n - start);

    for (int i = 1; i < count; i++) {
        item moved = items[start + i];
        int at = i;

        while (at > 0 && items[start + at - 1].key > moved.key) {
            items[start + at] = items[start + at - 1];
            at--;
        }
        items[start + at] = moved;
    }
}

/* How many of the first `diagonal` outputs come from a. */
__device__ int split(const item *a, int count_a, const item *b, int count_b, int diagonal)
{
    int low = max(0, diagonal - count_b);
    int high = min(diagonal, count_a);

    while (low < high) {
        int middle = (low + high) / 2;

        if (a[middle].key <= b[diagonal - 1 - middle].key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__global__ void merge_runs(const item *in, item *out, int n, int length)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * RUN;

    if (first >= n)
        return;
    int start = first / (2 * length) * (2 * length);
    int middle = min(start + length, n);
    int end = min(start + 2 * length, n);
    const item *a = in + start;
    const item *b = in + middle;
    int from_a = split(a, middle - start, b, end - middle, first - start);
    int from_b = first - start - from_a;

    for (int i = first; i < min(first + RUN, end); i++) {
        bool take_a = from_b >= end - middle || (from_a < middle - start && a[from_a].key <= b[from_b].key);

        out[i] = take_a ? a[from_a++] : b[from_b++];
    }
}

static void test(int n, int bound)
{
    struct rng rng = {(uint64_t)n + bound};
    std::vector<item> items(n);
    int threads = (n + RUN - 1) / RUN;
    int blocks = (threads + 63) / 64;

    for (int i = 0; i < n; i++)
        items[i] = {(int)rng_below(&rng, bound) - bound / 2, i};
    item *from = device_copy(items);
    item *to = device_zeros<item>(n);

    sort_runs<<<blocks, 64>>>(from, n);
    CHECK_KERNEL();
    for (int length = RUN; length < n; length *= 2) {
        merge_runs<<<blocks, 64>>>(from, to, n, length);
        CHECK_KERNEL();
        std::swap(from, to);
    }
    std::stable_sort(items.begin(), items.end(), [](const item &a, const item &b) { return a.key < b.key; });
    expect_device("merge sort", items, from);
    device_free(from);
    device_free(to);
}

int main(void)
{
    test(1, 10);
    test(9, 10);
    test(1000, 5);
    test(10007, 1000000);
    test(8192, 100);
    return passed();
}
