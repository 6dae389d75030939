/*
 * cuda_ptx.cu - libcu++'s cuda::ptx: bulk copies with an mbarrier, multicast over a cluster, special registers.
 */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include "../check.h"

namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;

static __global__ void __cluster_dims__(2) copies(const int *in, int *out)
{
    __shared__ alignas(128) int room[256];
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned t = threadIdx.x;

    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    if (t == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof room);
        if (cluster.block_rank() == 0)
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, room, in, sizeof room, &bar, uint16_t(3));
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0))
        ;
    for (unsigned i = t; i < 256; i += blockDim.x)
        room[i] += (int)ptx::get_sreg_cluster_ctarank() * 1000;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 256 * blockIdx.x, room, sizeof room);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out + 512, room, sizeof room);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    cluster.sync();
}

int main(void)
{
    std::vector<int> in(256), want(768);

    for (int i = 0; i < 256; i++) {
        in[i] = i * 3;
        want[i] = in[i], want[256 + i] = in[i] + 1000, want[512 + i] = 2 * in[i] + 1000;
    }
    int *d = device_copy(in), *out = device_zeros<int>(768);
    copies<<<2, 64>>>(d, out);
    CHECK_KERNEL();
    expect_device("out", want, out);
    device_free(d), device_free(out);
    return passed();
}
