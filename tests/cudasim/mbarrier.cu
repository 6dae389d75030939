/*
 * mbarrier.cu - barriers as objects in shared memory, in PTX: arrive and wait by token and by parity, expected bytes,
 * and the bulk copies that complete on them; bulk copies back, reductions in bulk, and between blocks of a cluster.
 */
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

typedef unsigned long long barrier;

__device__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

__device__ void barrier_init(barrier *barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ unsigned long long barrier_arrive(barrier *barrier)
{
    unsigned long long token;

    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(barrier)) : "memory");
    return token;
}

__device__ void barrier_expect(barrier *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ void barrier_wait_token(barrier *barrier, unsigned long long token)
{
    unsigned done = 0;

    while (!done)
        asm volatile("{\n .reg .pred p;\n"
                     " mbarrier.test_wait.shared::cta.b64 p, [%1], %2;\n"
                     " selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "l"(token)
                     : "memory");
}

__device__ void barrier_wait_parity(barrier *barrier, unsigned parity)
{
    unsigned done = 0;

    while (!done)
        asm volatile("{\n .reg .pred p;\n"
                     " mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     " selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
}

/* Rounds of exchange among all threads; waits by token and by parity in turn. */
__global__ void rounds(int *out, int count)
{
    __shared__ barrier full;
    __shared__ int values[2][96];
    int i = threadIdx.x;

    if (i == 0)
        barrier_init(&full, 96);
    __syncthreads();
    values[0][i] = i;
    for (int round = 0; round < count; round++) {
        unsigned long long token = barrier_arrive(&full);

        if (round % 3 == 0)
            barrier_wait_token(&full, token);
        else
            barrier_wait_parity(&full, round & 1);
        values[1 - round % 2][i] = values[round % 2][(i + 1) % 96] * 3 % 1001;
    }
    out[i] = values[count % 2][i];
    __syncthreads();
    if (i == 0)
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(&full)) : "memory");
}

static void test_rounds(int count)
{
    std::vector<int> values(96), next(96);
    int *out = device_zeros<int>(96);

    for (int i = 0; i < 96; i++)
        values[i] = i;
    for (int round = 0; round < count; round++) {
        for (int i = 0; i < 96; i++)
            next[i] = values[(i + 1) % 96] * 3 % 1001;
        values.swap(next);
    }
    rounds<<<1, 96>>>(out, count);
    CHECK_KERNEL();
    expect_device("rounds", values, out);
    device_free(out);
}

/* Arrivals of several at once, without completing, and leaving for good. */
__global__ void counted(int *out)
{
    __shared__ barrier all;
    __shared__ int sum;
    int i = threadIdx.x;
    unsigned pending;
    unsigned long long token;

    if (i == 0) {
        barrier_init(&all, 64);
        sum = 0;
    }
    __syncthreads();
    atomicAdd(&sum, i);
    if (i % 2 == 0) /* half of the threads arrive for two */
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 2;" ::"r"(shared_address(&all)) : "memory");
    barrier_wait_parity(&all, 0);
    out[i] = sum;
    __syncthreads();
    if (i == 0) {
        asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], 10;"
                     : "=l"(token)
                     : "r"(shared_address(&all))
                     : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(token));
        out[64] = pending; /* before these ten arrived */
        for (int k = 0; k < 54; k++)
            asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(shared_address(&all)) : "memory");
        barrier_wait_parity(&all, 1);
        for (int k = 0; k < 10; k++) /* 64 - 54 are left to expect */
            barrier_arrive(&all);
        barrier_wait_parity(&all, 0);
        out[65] = 1;
    }
}

static void test_counted(void)
{
    std::vector<int> want(66, 63 * 64 / 2);
    int *out = device_zeros<int>(66);

    want[64] = 64;
    want[65] = 1;
    counted<<<1, 64>>>(out);
    CHECK_KERNEL();
    expect_device("counted", want, out);
    device_free(out);
}

/* --- bulk copies --- */

__device__ void bulk_load(void *shared, const void *global, unsigned bytes, barrier *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(shared)),
                 "l"(global), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/* One thread brings a tile at a time through two buffers, all work on it, one writes it back in bulk. */
__global__ void tiles(const int *in, int *out, int count)
{
    __shared__ alignas(128) int buffers[2][256];
    __shared__ alignas(128) int results[2][256];
    __shared__ barrier full[2];
    int i = threadIdx.x;

    if (i == 0) {
        barrier_init(&full[0], 1);
        barrier_init(&full[1], 1);
    }
    __syncthreads();
    for (int tile = -1; tile < count; tile++) {
        int next = tile + 1;

        if (i == 0 && next < count) {
            barrier_expect(&full[next % 2], 1024);
            /* in two halves: both count towards the expected bytes */
            bulk_load(&buffers[next % 2][0], in + next * 256, 512, &full[next % 2]);
            bulk_load(&buffers[next % 2][128], in + next * 256 + 128, 512, &full[next % 2]);
        }
        if (tile < 0)
            continue;
        barrier_wait_parity(&full[tile % 2], tile / 2 & 1);
        if (i == 0) /* the results of two tiles ago must have been read */
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        __syncthreads();
        for (int k = i; k < 256; k += blockDim.x)
            results[tile % 2][k] = buffers[tile % 2][255 - k] * 2 + tile;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (i == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + tile * 256),
                         "r"(shared_address(results[tile % 2])), "r"(1024)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (i == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

static void test_tiles(int count)
{
    std::vector<int> in(count * 256), want(count * 256);
    struct rng rng = {(uint64_t)count};

    for (int i = 0; i < count * 256; i++)
        in[i] = rng_below(&rng, 10000);
    for (int i = 0; i < count * 256; i++)
        want[i] = in[i / 256 * 256 + 255 - i % 256] * 2 + i / 256;
    int *device_in = device_copy(in);
    int *out = device_zeros<int>(want.size());

    tiles<<<1, 64>>>(device_in, out, count);
    CHECK_KERNEL();
    expect_device("tiles", want, out);
    device_free(device_in);
    device_free(out);
}

/* Every block adds its tile to the same global array in bulk. */
__global__ void add_in_bulk(int *sums, unsigned *highest)
{
    __shared__ alignas(16) int values[64];
    __shared__ alignas(16) unsigned heights[64];
    int i = threadIdx.x;

    values[i] = blockIdx.x + i;
    heights[i] = (blockIdx.x * 37 + i * 11) % 101;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (i == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 256;" ::"l"(sums),
                     "r"(shared_address(values))
                     : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%0], [%1], 256;" ::"l"(highest),
                     "r"(shared_address(heights))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\n"
                     "cp.async.bulk.wait_group 0;" ::
                         : "memory");
    }
}

static void test_add_in_bulk(void)
{
    enum { BLOCKS = 9 };
    std::vector<int> want(64);
    std::vector<unsigned> high(64);
    int *sums = device_zeros<int>(64);
    unsigned *highest = device_zeros<unsigned>(64);

    for (int block = 0; block < BLOCKS; block++)
        for (int i = 0; i < 64; i++) {
            unsigned height = (block * 37 + i * 11) % 101;

            want[i] += block + i;
            high[i] = high[i] > height ? high[i] : height;
        }
    add_in_bulk<<<BLOCKS, 64>>>(sums, highest);
    CHECK_KERNEL();
    expect_device("sums", want, sums);
    expect_device("maxima", high, highest);
    device_free(sums);
    device_free(highest);
}

/* --- between the blocks of a cluster --- */

/*
 * Each block sends its values to the next block's shared memory in bulk, completing on the barrier there; then it
 * arrives on the barrier of rank 0, which waits for all.
 */
__global__ void __cluster_dims__(4, 1, 1) send(int *out)
{
    __shared__ alignas(16) int mine[64];
    __shared__ alignas(16) int received[64];
    __shared__ barrier arrived, finished;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    int i = threadIdx.x;
    unsigned to, signal, first;

    mine[i] = blockIdx.x * 100 + i;
    if (i == 0) {
        barrier_init(&arrived, 1);
        barrier_init(&finished, 4);
        barrier_expect(&arrived, 256);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cluster.sync();
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(shared_address(received)), "r"((rank + 1) % 4));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(signal) : "r"(shared_address(&arrived)), "r"((rank + 1) % 4));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(first) : "r"(shared_address(&finished)), "r"(0));
    if (i == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::
                         "r"(to),
                     "r"(shared_address(mine)), "r"(signal)
                     : "memory");
    barrier_wait_parity(&arrived, 0);
    out[blockIdx.x * 64 + i] = received[63 - i];
    __syncthreads();
    if (i == 0) {
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(first) : "memory");
        if (rank == 0)
            barrier_wait_parity(&finished, 0);
    }
    cluster.sync();
}

static void test_send(void)
{
    std::vector<int> want(8 * 64);
    int *out = device_zeros<int>(8 * 64);

    for (int block = 0; block < 8; block++)
        for (int i = 0; i < 64; i++)
            want[block * 64 + i] = (block / 4 * 4 + (block + 3) % 4) * 100 + 63 - i;
    send<<<8, 64>>>(out);
    CHECK_KERNEL();
    expect_device("send", want, out);
    device_free(out);
}

int main(void)
{
    test_rounds(1);
    test_rounds(20);
    test_counted();
    test_tiles(1);
    test_tiles(7);
    test_add_in_bulk();
    test_send();
    return passed();
}
