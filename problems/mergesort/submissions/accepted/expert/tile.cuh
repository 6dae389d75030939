/*
 * tile.cuh - merges of the runs of a tile in shared memory, two by two, level by level; bulk copies in and out.
 */
#pragma once

#include "common.cuh"

namespace merging {

/*
 * How many of the first `diagonal` elements of the merged run are from keys[a..a + na); the others from keys[b..b +
 * nb).
 */
template <bool PADDED, class T>
__device__ unsigned split(const T *keys, unsigned a, unsigned na, unsigned b, unsigned nb, unsigned diagonal)
{
    unsigned low = diagonal > nb ? diagonal - nb : 0, high = min(diagonal, na);

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (keys[place<PADDED>(a + middle)] <= keys[place<PADDED>(b + diagonal - 1 - middle)])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * Fills in the nodes above the runs, whose counts are given. Called by the first warp. A node's elements stand behind
 * those of the node before it, with room for what its last thread writes too much and for the guard.
 */
template <class S, unsigned WAYS> __device__ void plan_merges(node *nodes)
{
    for (unsigned width = WAYS / 2; width >= 1; width /= 2) {
        unsigned i = width + threadIdx.x, count = 0, threads = 0;

        __syncwarp();
        if (threadIdx.x < width) {
            count = nodes[2 * i].count + nodes[2 * i + 1].count;
            threads = (count + S::ITEMS - 1) / S::ITEMS;
        }
        unsigned before = threads;

        for (unsigned step = 1; step < width; step *= 2) {
            unsigned other = __shfl_up_sync(ALL_LANES, before, step);

            before += threadIdx.x >= step ? other : 0;
        }
        before -= threads;
        if (threadIdx.x < width)
            nodes[i] = {before * S::ITEMS + threadIdx.x * S::GUARD, count, before};
    }
    __syncwarp();
}

/* Guards behind the nodes `width` to 2 * width - 1, which end at a thread's end, or at their count if they are runs. */
template <class S, bool PADDED>
__device__ void write_guards(int32_t *keys, uint32_t *payloads, const node *nodes, unsigned width, bool runs)
{
    for (unsigned x = threadIdx.x; x < width * S::GUARD; x += S::THREADS) {
        node n = nodes[width + x / S::GUARD];
        unsigned end = n.start + (runs ? n.count : (n.count + S::ITEMS - 1) / S::ITEMS * S::ITEMS);

        keys[place<PADDED>(end + x % S::GUARD)] = INT_MAX;
        if constexpr (S::PAIRS)
            payloads[place<PADDED>(end + x % S::GUARD)] = 0;
    }
}

/*
 * Merges the nodes 2 * WIDTH to 4 * WIDTH - 1 two by two, in place: through registers. Before it and behind it the
 * block has met.
 */
template <class S, unsigned WIDTH, bool PADDED>
__device__ void merge_level(int32_t *keys, uint32_t *payloads, const node *nodes)
{
    unsigned i = WIDTH, to = 0;
    int32_t key[S::ITEMS];
    uint32_t payload[S::PAIRS ? S::ITEMS : 1];
    bool busy;

#pragma unroll
    for (unsigned j = 1; j < WIDTH; j++)
        i += threadIdx.x >= nodes[WIDTH + j].thread;
    node n = nodes[i], left = nodes[2 * i], right = nodes[2 * i + 1];
    unsigned first = (threadIdx.x - n.thread) * S::ITEMS;

    busy = first < n.count;
    if (busy) {
        unsigned a = split<PADDED>(keys, left.start, left.count, right.start, right.count, first);
        unsigned b = right.start + first - a;

        a += left.start;
        to = n.start + first;
        if constexpr (S::PAIRS) {
            unsigned end_a = left.start + left.count, end_b = right.start + right.count;
            int32_t key_a = keys[place<PADDED>(a)], key_b = keys[place<PADDED>(b)];

#pragma unroll
            for (unsigned item = 0; item < S::ITEMS; item++) {
                bool from_b = b < end_b && (a >= end_a || key_b < key_a);
                unsigned from = from_b ? b : a;

                key[item] = from_b ? key_b : key_a;
                payload[item] = payloads[place<PADDED>(from)];
                a += !from_b;
                b += from_b;
                int32_t next = keys[place<PADDED>(from + 1)];

                key_a = from_b ? key_a : next;
                key_b = from_b ? next : key_b;
            }
        } else {
            int32_t key_a = keys[place<PADDED>(a)], key_b = keys[place<PADDED>(b)];

#pragma unroll
            for (unsigned item = 0; item < S::ITEMS; item++) {
                bool from_b = key_b < key_a;

                key[item] = min(key_a, key_b);
                a += !from_b;
                b += from_b;
                int32_t next = keys[place<PADDED>(from_b ? b : a)];

                key_a = from_b ? key_a : next;
                key_b = from_b ? next : key_b;
            }
        }
    }
    __syncthreads();
    if (busy)
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++) {
            keys[to + item] = key[item];
            if constexpr (S::PAIRS)
                payloads[to + item] = payload[item];
        }
    if constexpr (WIDTH > 1)
        write_guards<S, false>(keys, payloads, nodes, WIDTH, false);
}

/* All levels, from 2 * WIDTH runs to one. */
template <class S, unsigned WIDTH, bool PADDED> struct merge_levels {
    static __device__ void run(int32_t *keys, uint32_t *payloads, const node *nodes)
    {
        merge_level<S, WIDTH, PADDED>(keys, payloads, nodes);
        if constexpr (WIDTH > 1) {
            __syncthreads();
            merge_levels<S, WIDTH / 2, false>::run(keys, payloads, nodes);
        }
    }
};
template <class S, bool PADDED> struct merge_levels<S, 0, PADDED> {
    static __device__ void run(int32_t *, uint32_t *, const node *) {}
};

/*
 * A kernel may start while the one before it in the stream ends. It touches no memory of the GPU before it has waited,
 * so what it saves is the time to start.
 */
__device__ void wait_for_kernel_before() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ void let_next_kernel_start() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

/* Bulk copies (PTX ISA, cp.async.bulk): sizes and addresses are multiples of 16 bytes. */
__device__ unsigned shared_address(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ void barrier_init(uint64_t *barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ void barrier_expect(uint64_t *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ void barrier_wait(uint64_t *barrier)
{
    unsigned done;

    do
        asm volatile("{\n"
                     "    .reg .pred done;\n"
                     "    mbarrier.try_wait.parity.shared::cta.b64 done, [%1], 0;\n"
                     "    selp.u32 %0, 1, 0, done;\n"
                     "}"
                     : "=r"(done)
                     : "r"(shared_address(barrier))
                     : "memory");
    while (!done);
}

__device__ void bulk_load(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

__device__ void bulk_store(void *to, const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
                 "r"(bytes)
                 : "memory");
}

/* The block's merged tile, at the start of keys and payloads, to element `start` of `to`. All threads call it. */
template <class S>
__device__ void store_tile(buffer to, unsigned start, unsigned count, const int32_t *keys, const uint32_t *payloads)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    bulk_store(to.keys + start, keys, (count + 3) / 4 * 16);
    if constexpr (S::PAIRS)
        bulk_store(to.payloads + start, payloads, (count + 3) / 4 * 16);
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); /* shared memory lives until it is read */
}

} // namespace merging
