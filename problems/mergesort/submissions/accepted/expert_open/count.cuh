/*
 * count.cuh - counts the digits of all keys, looks whether they are in order, and makes the plan of the passes.
 */
#pragma once

#include "common.cuh"

namespace radix {

/* Digits in the order of signed keys: the highest bit counts the other way. */
__device__ unsigned digit_of(uint32_t key, unsigned pass)
{
    return (key >> pass * BITS & (DIGITS - 1)) ^ (pass == PASSES - 1 ? DIGITS / 2 : 0);
}

/*
 * A kernel may start while the one before it in the stream ends. It touches no memory of the GPU before it has waited,
 * so what it saves is the time to start.
 */
__device__ void wait_for_kernel_before() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ void let_next_kernel_start() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

/*
 * Which steps are needed? The last block that counts knows. None for keys in order, a mirror image for keys that
 * descend. A digit that all keys share needs no pass; but then the next digit goes the other way, and the result would
 * be in b after an odd number of passes. So one that is not needed copies.
 */
__device__ void make_plan(unsigned n, workspace *work)
{
    const unsigned d = threadIdx.x;
    unsigned needed = 0, copied = PASSES, counts[PASSES];

#pragma unroll
    for (unsigned pass = 0; pass < PASSES; pass++)
        counts[pass] = d < DIGITS ? __ldcg(&work->counts[pass][d]) : 0;
#pragma unroll
    for (unsigned pass = 0; pass < PASSES; pass++)
        if (__syncthreads_or(counts[pass] == n))
            copied = pass;
        else
            needed |= 1u << pass;
    const bool ascends = !__ldcg(&work->not_ascending), descends = !ascends && !__ldcg(&work->not_descending);

    if (ascends || descends)
        needed = 0;
    else if (__popc(needed) % 2)
        needed |= 1u << copied;
    __syncthreads(); /* all have read */
    for (unsigned pass = 0; pass < PASSES; pass++) {
        unsigned step = pass == copied ? COPY : MOVE, before = __popc(needed & ((1u << pass) - 1));

        if (descends)
            step = pass == 0 ? MIRROR : COPY, before = pass;
        else if (!(needed >> pass & 1))
            step = NO_STEP;
        if (descends && pass > 1)
            step = NO_STEP;
        if (step != MOVE && d < DIGITS)
            work->counts[pass][d] = 0;
        if (d == 0)
            work->plan[pass] = step | (before % 2 ? BACK : 0);
    }
    if (d == 0)
        work->counted = work->not_ascending = work->not_descending = 0;
}

const unsigned COUNT_THREADS = 512, COUNT_ITEMS = 8;

/* Do the keys of a warp, item i of thread l the one WARP * i + l behind its first, still ascend, or descend? */
__device__ void look_at_order(const uint32_t (&key)[COUNT_ITEMS + 1], unsigned first, unsigned n, bool &ascends,
                              bool &descends)
{
    const unsigned lane = threadIdx.x % WARP;
    bool up = false, down = false;

#pragma unroll
    for (unsigned item = 0; item < COUNT_ITEMS; item++) {
        uint32_t next = __shfl_sync(ALL_LANES, lane == 0 ? key[item + 1] : key[item], (lane + 1) % WARP);

        if (first + item * WARP + 1 < n) {
            down |= (int32_t)next < (int32_t)key[item];
            up |= (int32_t)next >= (int32_t)key[item];
        }
    }
    ascends &= !__any_sync(ALL_LANES, down);
    descends &= !__any_sync(ALL_LANES, up);
}

/*
 * The end of counting all digits. One thread tells for its block whether its keys are in order: if each warp did, the
 * atomic operations on one word would take longer than counting some million keys. The last block makes the plan.
 */
__device__ void end_of_counting(unsigned n, bool ascends, bool descends, workspace *work)
{
    const bool up = __syncthreads_and(ascends), down = __syncthreads_and(descends);
    bool last = false;

    if (threadIdx.x == 0 && !up)
        atomicOr(&work->not_ascending, 1);
    if (threadIdx.x == 0 && !down)
        atomicOr(&work->not_descending, 1);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&work->counted, 1) == gridDim.x - 1;
    if (__syncthreads_or(last)) {
        __threadfence();
        make_plan(n, work);
    }
}

/*
 * Adds to counts[pass] how many of keys[n] have which digit, for the passes from first_pass on. For all passes it makes
 * a plan as well.
 */
__global__ __launch_bounds__(COUNT_THREADS) void count_digits(const uint32_t *keys, unsigned n, unsigned first_pass,
                                                              workspace *work)
{
    __shared__ unsigned shared[PASSES * DIGITS];
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    bool ascends = first_pass == 0, descends = ascends; /* as far as the warp has looked */

    for (unsigned i = threadIdx.x; i < PASSES * DIGITS; i += COUNT_THREADS)
        shared[i] = 0;
    wait_for_kernel_before();
    let_next_kernel_start();
    __syncthreads();
    for (unsigned start = blockIdx.x * COUNT_THREADS * COUNT_ITEMS; start < n;
         start += gridDim.x * COUNT_THREADS * COUNT_ITEMS) {
        const unsigned first = start + warp * WARP * COUNT_ITEMS + lane, behind = first - lane + WARP * COUNT_ITEMS;
        uint32_t key[COUNT_ITEMS + 1]; /* the last is the first one behind the warp's, in all threads */

#pragma unroll
        for (unsigned item = 0; item < COUNT_ITEMS; item++)
            key[item] = first + item * WARP < n ? keys[first + item * WARP] : 0;
        key[COUNT_ITEMS] = (ascends || descends) && behind < n ? keys[behind] : 0;
        if (ascends || descends) /* most inputs cost this once */
            look_at_order(key, first, n, ascends, descends);
#pragma unroll
        for (unsigned item = 0; item < COUNT_ITEMS; item++)
            if (first + item * WARP < n)
#pragma unroll
                for (unsigned pass = 0; pass < PASSES; pass++)
                    if (pass >= first_pass)
                        atomicAdd(&shared[pass * DIGITS + digit_of(key[item], pass)], 1);
    }
    __syncthreads();
    for (unsigned i = first_pass * DIGITS + threadIdx.x; i < PASSES * DIGITS; i += COUNT_THREADS)
        if (shared[i] > 0)
            atomicAdd(&work->counts[0][i], shared[i]);
    if (first_pass == 0)
        end_of_counting(n, ascends, descends, work);
}

} // namespace radix
