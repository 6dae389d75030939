/*
 * async_stores.cu - stores and reductions into another block of a cluster that complete on an mbarrier there
 * (st.async, red.async), one bulk copy for several blocks, and cp.async that ignores its source.
 */
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

typedef unsigned long long u64;

__device__ static unsigned shared_of(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* The same place in block `rank` of the cluster. */
__device__ static unsigned in_block(unsigned address, unsigned rank)
{
    unsigned there;

    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

__device__ static void barrier_open(u64 *barrier, unsigned bytes)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_of(barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_of(barrier)), "r"(bytes)
                 : "memory");
}

__device__ static void barrier_wait(u64 *barrier)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n"
                 "@!p bra again; }" ::"r"(shared_of(barrier))
                 : "memory");
}

static const unsigned THREADS = 32;

struct mail {
    unsigned quads[4 * THREADS];
    u64 pairs[2 * THREADS];
    double wide[THREADS];
    float single[THREADS];
};

/* Each thread of each block sends to the next block. */
__global__ void __cluster_dims__(2, 1, 1) send(mail *out)
{
    __shared__ __align__(16) mail box;
    __shared__ u64 barrier;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned t = threadIdx.x, next = cluster.block_rank() ^ 1, from = 1000 * cluster.block_rank();

    if (t == 0)
        barrier_open(&barrier, sizeof box);
    cluster.sync();
    unsigned signal = in_block(shared_of(&barrier), next);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                     in_block(shared_of(box.quads + 4 * t), next)),
                 "r"(from + t), "r"(from + t + 100), "r"(from + t + 200), "r"(from + t + 300), "r"(signal)
                 : "memory");
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u64 [%0], {%1, %2}, [%3];" ::"r"(
                     in_block(shared_of(box.pairs + 2 * t), next)),
                 "l"((u64)(from + t) << 40), "l"(~(u64)t), "r"(signal)
                 : "memory");
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f64 [%0], %1, [%2];" ::"r"(
                     shared_of(cluster.map_shared_rank(box.wide + t, next))),
                 "d"(from + t + 0.5), "r"(shared_of(cluster.map_shared_rank(&barrier, next)))
                 : "memory");
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0+4], %1, [%2];" ::"r"(
                     in_block(shared_of(box.single), next) + 4 * t - 4),
                 "f"(from + t + 0.25f), "r"(signal)
                 : "memory");
    barrier_wait(&barrier);
    __syncthreads();
    const unsigned *words = (const unsigned *)&box;
    for (unsigned n = t; n < sizeof box / 4; n += THREADS)
        ((unsigned *)(out + cluster.block_rank()))[n] = words[n];
    cluster.sync();
}

static void test_send()
{
    mail *out, *seen = new mail[2];

    CUDA_CHECK(cudaMalloc(&out, 2 * sizeof *out));
    send<<<2, THREADS>>>(out);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy(seen, out, 2 * sizeof *out, cudaMemcpyDeviceToHost));
    for (unsigned block = 0; block < 2; block++)
        for (unsigned t = 0; t < THREADS; t++) {
            unsigned from = 1000 * (block ^ 1);

            for (unsigned n = 0; n < 4; n++)
                EXPECT(seen[block].quads[4 * t + n] == from + t + 100 * n);
            EXPECT(seen[block].pairs[2 * t] == (u64)(from + t) << 40 && seen[block].pairs[2 * t + 1] == ~(u64)t);
            EXPECT(seen[block].wide[t] == from + t + 0.5 && seen[block].single[t] == from + t + 0.25f);
        }
    CUDA_CHECK(cudaFree(out));
    delete[] seen;
}

/* Each block sends one word to every block, itself among them, and its threads read the words of all. */
__global__ void __cluster_dims__(4, 1, 1) exchange(unsigned *out)
{
    __shared__ unsigned words[4];
    __shared__ u64 barrier;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned t = threadIdx.x, rank = cluster.block_rank();

    if (t == 0)
        barrier_open(&barrier, sizeof words);
    cluster.sync();
    if (t < 4)
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                         in_block(shared_of(words + rank), t)),
                     "r"(10 * rank + t), "r"(in_block(shared_of(&barrier), t))
                     : "memory");
    barrier_wait(&barrier);
    out[THREADS * rank + t] = words[t % 4];
    cluster.sync();
}

static void test_exchange()
{
    unsigned *out, seen[4 * THREADS];

    CUDA_CHECK(cudaMalloc(&out, sizeof seen));
    exchange<<<4, THREADS>>>(out);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
    for (unsigned n = 0; n < 4 * THREADS; n++)
        EXPECT(seen[n] == 10 * (n % 4) + n / THREADS);
    CUDA_CHECK(cudaFree(out));
}

/* Stores of so many lanes that are not the whole warp: what the barrier completes is all of them. */
__global__ void __cluster_dims__(2, 1, 1) some(unsigned *out, unsigned lanes)
{
    __shared__ unsigned words[THREADS];
    __shared__ u64 barrier;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned t = threadIdx.x, rank = cluster.block_rank();

    if (t == 0)
        barrier_open(&barrier, 4 * lanes);
    cluster.sync();
    if (t < lanes)
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                         in_block(shared_of(words + t), rank ^ 1)),
                     "r"(100 * rank + t), "r"(in_block(shared_of(&barrier), rank ^ 1))
                     : "memory");
    barrier_wait(&barrier);
    if (t < lanes)
        out[THREADS * rank + t] = words[lanes - 1 - t];
    cluster.sync();
}

static void test_some()
{
    unsigned *out, seen[2 * THREADS];

    CUDA_CHECK(cudaMalloc(&out, sizeof seen));
    CUDA_CHECK(cudaMemset(out, 0, sizeof seen));
    for (unsigned lanes = 1; lanes < THREADS; lanes += 5) {
        some<<<2, THREADS>>>(out, lanes);
        CHECK_KERNEL();
        CUDA_CHECK(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
        for (unsigned n = 0; n < 2 * lanes; n++)
            EXPECT(seen[n / lanes * THREADS + n % lanes] == 100 * (1 - n / lanes) + lanes - 1 - n % lanes);
    }
    CUDA_CHECK(cudaFree(out));
}

enum { SUM, LEAST, MOST, BITS_AND, BITS_OR, BITS_XOR, WRAP_UP, WRAP_DOWN, WORDS };

#define RED(op, type, word, value)                                                                                     \
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." op "." type                 \
                 " [%0], %1, [%2];" ::"r"(in_block(shared_of(words + (word)), 0)),                                     \
                 "r"(value), "r"(signal)                                                                               \
                 : "memory")

/* Every thread of both blocks reduces into block 0. */
__global__ void __cluster_dims__(2, 1, 1) reduce(unsigned *out, u64 *out_wide)
{
    __shared__ unsigned words[WORDS];
    __shared__ u64 wide, barrier;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned t = threadIdx.x + THREADS * cluster.block_rank();

    if (t == 0) {
        for (int n = 0; n < WORDS; n++)
            words[n] = n == LEAST ? 5u : n == MOST ? 5u : n == BITS_AND ? ~0u : n == WRAP_DOWN ? 3u : 0u;
        wide = 1ull << 33;
        barrier_open(&barrier, 2 * THREADS * (4 * WORDS + 8));
    }
    cluster.sync();
    unsigned signal = in_block(shared_of(&barrier), 0);
    RED("add", "u32", SUM, t);
    RED("min", "s32", LEAST, (unsigned)(10 - (int)t));
    RED("max", "u32", MOST, t);
    RED("and", "b32", BITS_AND, ~(1u << t % 32));
    RED("or", "b32", BITS_OR, 1u << t % 24);
    RED("xor", "b32", BITS_XOR, t);
    RED("inc", "u32", WRAP_UP, 9u);
    RED("dec", "u32", WRAP_DOWN, 6u);
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(
                     in_block(shared_of(&wide), 0)),
                 "l"((u64)t << 32), "r"(signal)
                 : "memory");
    if (cluster.block_rank() == 0) {
        barrier_wait(&barrier);
        if (t < WORDS)
            out[t] = words[t];
        if (t == 0)
            *out_wide = wide;
    }
    cluster.sync();
}

static void test_reduce()
{
    unsigned *out, seen[WORDS], count = 2 * THREADS;
    u64 *out_wide, wide;

    CUDA_CHECK(cudaMalloc(&out, sizeof seen));
    CUDA_CHECK(cudaMalloc(&out_wide, sizeof wide));
    reduce<<<2, THREADS>>>(out, out_wide);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(&wide, out_wide, sizeof wide, cudaMemcpyDeviceToHost));
    EXPECT(seen[SUM] == count * (count - 1) / 2);
    EXPECT((int)seen[LEAST] == 10 - (int)(count - 1) && seen[MOST] == count - 1);
    EXPECT(seen[BITS_AND] == 0 && seen[BITS_OR] == 0xFFFFFF && seen[BITS_XOR] == 0);
    EXPECT(seen[WRAP_UP] == count % 10);               /* 0 to 9, and again */
    EXPECT(seen[WRAP_DOWN] == (6 - (count - 4) % 7)); /* 3, 2, 1, 0, then 6 to 0, and again */
    EXPECT(wide == (1ull << 33) + ((u64)(count * (count - 1) / 2) << 32));
    CUDA_CHECK(cudaFree(out));
    CUDA_CHECK(cudaFree(out_wide));
}

static const unsigned COPIED = 128; /* words */

/* Block 1 copies its part of the input to blocks 0 and 3. The others get nothing. */
__global__ void __cluster_dims__(4, 1, 1) copy_to_some(const unsigned *in, unsigned *out)
{
    __shared__ __align__(128) unsigned words[COPIED];
    __shared__ u64 barrier;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), mask = 1u << 0 | 1u << 3;

    for (unsigned n = threadIdx.x; n < COPIED; n += THREADS)
        words[n] = rank;
    if (threadIdx.x == 0)
        barrier_open(&barrier, mask >> rank & 1 ? sizeof words : 0);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cluster.sync();
    if (rank == 1 && threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                     "%2, [%3], %4;" ::"r"(shared_of(words)),
                     "l"(in), "r"((unsigned)sizeof words), "r"(shared_of(&barrier)), "h"((unsigned short)mask)
                     : "memory");
    barrier_wait(&barrier);
    for (unsigned n = threadIdx.x; n < COPIED; n += THREADS)
        out[rank * COPIED + n] = words[n];
    cluster.sync();
}

static void test_copy_to_some()
{
    unsigned host[COPIED], seen[4 * COPIED], *in, *out;

    for (unsigned n = 0; n < COPIED; n++)
        host[n] = 7 * n + 1000;
    CUDA_CHECK(cudaMalloc(&in, sizeof host));
    CUDA_CHECK(cudaMalloc(&out, sizeof seen));
    CUDA_CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    copy_to_some<<<4, THREADS>>>(in, out);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
    for (unsigned n = 0; n < 4 * COPIED; n++)
        EXPECT(seen[n] == (n / COPIED % 3 == 0 ? host[n % COPIED] : n / COPIED));
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(out));
}

/* Odd threads ignore the source: 16 bytes of zeros. */
__global__ void copy_or_zero(const uint4 *in, uint4 *out)
{
    __shared__ __align__(16) uint4 words[THREADS];

    words[threadIdx.x] = make_uint4(9, 9, 9, 9);
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0;\n"
                 "cp.async.cg.shared.global [%0], [%1], 16, p; }" ::"r"(shared_of(words + threadIdx.x)),
                 "l"(in + threadIdx.x), "r"(threadIdx.x & 1)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = words[threadIdx.x];
}

static void test_ignored_source()
{
    uint4 host[THREADS], *in, *out;

    for (unsigned n = 0; n < THREADS; n++)
        host[n] = make_uint4(n + 1, n + 2, n + 3, n + 4);
    CUDA_CHECK(cudaMalloc(&in, sizeof host));
    CUDA_CHECK(cudaMalloc(&out, sizeof host));
    CUDA_CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    copy_or_zero<<<1, THREADS>>>(in, out);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (unsigned n = 0; n < THREADS; n++)
        EXPECT(host[n].x == (n & 1 ? 0 : n + 1) && host[n].w == (n & 1 ? 0 : n + 4));
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(out));
}

int main()
{
    test_send();
    test_exchange();
    test_some();
    test_reduce();
    test_copy_to_some();
    test_ignored_source();
    return passed();
}
