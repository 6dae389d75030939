/*
 * group_calls.cu - labelled and binary partitions, invoke_one, reductions and scans into atomics.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>

#include "../check.h"

namespace cg = cooperative_groups;

static __global__ void partitions(int *by_label, int *by_half, int *one, int *places, int *total, int *highest)
{
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int t = (int)block.thread_rank();
    auto label = cg::labeled_partition(warp, t % 5);
    auto half = cg::binary_partition(warp, t % 3 == 0);
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(*total), top(*highest);

    by_label[t] = (int)(label.size() * 100 + label.thread_rank());
    by_half[t] = cg::reduce(half, t, cg::plus<int>());
    cg::invoke_one(warp, [&] { atomicAdd(one, 1); });
    if (t % 2) {
        auto some = cg::coalesced_threads();
        int got = cg::invoke_one_broadcast(some, [&] { return atomicAdd(one + 1, (int)some.size()); });

        places[t] = got >= 0 ? (int)some.thread_rank() : -1;
    } else
        places[t] = cg::exclusive_scan(cg::coalesced_threads(), t);
    cg::reduce_update_async(warp, sum, t, cg::plus<int>());
    cg::reduce_update_async(warp, top, t * 37 % 101, cg::greater<int>());
}

int main(void)
{
    const int n = 64;
    int *device = device_zeros<int>(3 * n + 4), sum = 0, highest = 0;
    std::vector<int> label(n), half(n), place(n), got;

    for (int t = 0; t < n; t++) {
        highest = t * 37 % 101 > highest ? t * 37 % 101 : highest;
        int begin = t / 32 * 32, size = 0, rank = 0, reduced = 0, before = 0;

        for (int i = begin; i < begin + 32; i++) {
            size += i % 5 == t % 5;
            rank += i % 5 == t % 5 && i < t;
            reduced += (i % 3 == 0) == (t % 3 == 0) ? i : 0;
            before += i % 2 == 0 && i < t ? i : 0;
        }
        label[t] = size * 100 + rank;
        half[t] = reduced;
        place[t] = t % 2 ? t % 32 / 2 : before;
        sum += t;
    }
    partitions<<<1, n>>>(device, device + n, device + 3 * n, device + 2 * n, device + 3 * n + 2, device + 3 * n + 3);
    CHECK_KERNEL();
    expect_device("label", label, device);
    expect_device("half", half, device + n);
    expect_device("place", place, device + 2 * n);
    got = host_copy(device + 3 * n, 4);
    EXPECT(got[0] == 2 && got[1] == 32 && got[2] == sum && got[3] == highest);
    device_free(device);
    return passed();
}
