/* order.cu - flags, locks and fences: which thread may read which data, after which thread and at which scope. */
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>

#include "suite.h"

namespace cg = cooperative_groups;

/* Block 0 produces, block 1 consumes. */
__global__ void flag_with_fences(int *data)
{
    volatile int *flag = data;

    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[64] = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (!*flag)
            ;
        __threadfence();
        data[65] = data[64];
    }
}

__global__ void flag_without_writers_fence(int *data)
{
    volatile int *flag = data;

    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[64] = 42;
        *flag = 1;
    } else {
        while (!*flag)
            ;
        __threadfence();
        data[65] = data[64]; // RACE
    }
}

__global__ void flag_without_readers_fence(int *data)
{
    volatile int *flag = data;

    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[64] = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (!*flag)
            ;
        data[65] = data[64]; // RACE
    }
}

/* The fence is after the flag. */
__global__ void flag_before_fence(int *data)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[64] = 42;
        atomicExch(&data[0], 1);
        __threadfence();
    } else {
        while (!atomicAdd(&data[0], 0))
            ;
        __threadfence();
        data[65] = data[64]; // RACE
    }
}

/* The fences reach no further than their block. */
__global__ void flag_with_block_fences(int *data)
{
    volatile int *flag = data;

    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[64] = 42;
        __threadfence_block();
        *flag = 1;
    } else {
        while (!*flag)
            ;
        __threadfence_block();
        data[65] = data[64]; // RACE
    }
}

/* Two warps of one block: the block's fences do. */
__global__ void flag_in_one_block(int *data)
{
    volatile int *flag = data;

    if (threadIdx.x == 0) {
        data[64] = 42;
        __threadfence_block();
        *flag = 1;
    } else if (threadIdx.x == 32) {
        while (!*flag)
            ;
        __threadfence_block();
        data[65] = data[64];
    }
}

__global__ void flag_in_shared_memory(int *data)
{
    __shared__ volatile int flag;
    __shared__ int box;

    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        box = data[64] + 1;
        __threadfence_block();
        flag = 1;
    } else if (threadIdx.x == 32) {
        while (!flag)
            ;
        __threadfence_block();
        data[65] = box;
    }
}

__global__ void flag_in_shared_memory_unfenced(int *data)
{
    __shared__ volatile int flag;
    __shared__ int box;

    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        box = data[64] + 1;
        flag = 1;
    } else if (threadIdx.x == 32) {
        while (!flag)
            ;
        data[65] = box; // RACE
    }
}

/* Acquire and release of libcu++. */
__global__ void flag_acquire_release(int *data)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(data[0]);

    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[64] = 42;
        flag.store(1, cuda::memory_order_release);
    } else {
        while (!flag.load(cuda::memory_order_acquire))
            ;
        data[65] = data[64];
    }
}

__global__ void flag_relaxed(int *data)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(data[0]);

    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[64] = 42;
        flag.store(1, cuda::memory_order_relaxed);
    } else {
        while (!flag.load(cuda::memory_order_acquire))
            ;
        data[65] = data[64]; // RACE
    }
}

/* Block 1 writes what block 0 has read: a relaxed flag behind a barrier is enough, since no read is under way. */
__global__ void flag_relaxed_after_reads(int *data)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(data[0]);

    if (blockIdx.x == 0) {
        data[1024 + threadIdx.x] = data[64 + threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0)
            flag.store(1, cuda::memory_order_relaxed);
    } else {
        if (threadIdx.x == 0)
            while (!flag.load(cuda::memory_order_acquire))
                ;
        __syncthreads();
        data[64 + threadIdx.x] = 1;
    }
}

/* Other threads of block 0 may still read. */
__global__ void flag_relaxed_before_reads(int *data)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(data[0]);

    if (blockIdx.x == 0) {
        if (threadIdx.x == 0)
            flag.store(1, cuda::memory_order_relaxed);
        data[1024 + threadIdx.x] = data[64 + threadIdx.x]; // RACE
    } else {
        if (threadIdx.x == 0)
            while (!flag.load(cuda::memory_order_acquire))
                ;
        __syncthreads();
        data[64 + threadIdx.x] = 1; // RACE
    }
}

__global__ void flag_of_block_scope(int *data)
{
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(data[0]);

    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[64] = 42;
        flag.store(1, cuda::memory_order_release); // RACE
    } else {
        while (!flag.load(cuda::memory_order_acquire)) // RACE
            ;
        data[65] = data[64]; // RACE
    }
}

__global__ void counter_of_block_scope(int *data)
{
    if (threadIdx.x == 0)
        atomicAdd_block(&data[0], 1); // RACE
}

__global__ void counter_of_block_scope_in_one_block(int *data)
{
    atomicAdd_block(&data[blockIdx.x], 1);
}

/* A lock by compare-and-swap. */
__device__ static void lock(int *word, bool fence)
{
    while (atomicCAS(word, 0, 1) != 0)
        ;
    if (fence)
        __threadfence();
}

__device__ static void unlock(int *word, bool fence)
{
    if (fence)
        __threadfence();
    atomicExch(word, 0);
}

__global__ void locked(int *data)
{
    if (threadIdx.x == 0) {
        lock(&data[0], true);
        data[64]++;
        unlock(&data[0], true);
    }
}

__global__ void locked_unlock_without_fence(int *data)
{
    if (threadIdx.x == 0) {
        lock(&data[0], true);
        data[64]++; // RACE
        unlock(&data[0], false);
    }
}

/* Each block has its own lock. */
__global__ void locked_by_other_locks(int *data)
{
    if (threadIdx.x == 0) {
        lock(&data[blockIdx.x], true);
        data[64]++; // RACE
        unlock(&data[blockIdx.x], true);
    }
}

/* One reads without the lock. */
__global__ void locked_but_for_one(int *data)
{
    if (threadIdx.x == 0 && blockIdx.x < 4) {
        lock(&data[0], true);
        data[64]++; // RACE
        unlock(&data[0], true);
    } else if (threadIdx.x == 0) {
        data[65 + blockIdx.x] = data[64]; // RACE
    }
}

/* A lane at a time, in one warp and in all blocks. */
__global__ void locked_by_lanes(int *data)
{
    bool done = false;

    while (!done) {
        if (atomicCAS(&data[0], 0, 1) == 0) {
            __threadfence();
            data[64] += 1;
            __threadfence();
            atomicExch(&data[0], 0);
            done = true;
        }
    }
}

/* A ticket lock. */
__global__ void ticket_lock(int *data)
{
    volatile int *serving = data + 1;

    if (threadIdx.x == 0) {
        int mine = atomicAdd(&data[0], 1);

        while (*serving != mine)
            ;
        __threadfence();
        data[64] += mine;
        __threadfence();
        *serving = mine + 1;
    }
}

/* Readers of other blocks than the writer's wait for the whole grid. */
__global__ void grid_barrier(int *data)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), all = (int)(gridDim.x * blockDim.x);

    for (int round = 0; round < 3; round++) {
        data[1024 + i] = i + round;
        cg::this_grid().sync();
        data[4096 + i] += data[1024 + (i + 64) % all];
        cg::this_grid().sync();
    }
}

__global__ void grid_barrier_one_short(int *data)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), all = (int)(gridDim.x * blockDim.x);

    for (int round = 0; round < 3; round++) {
        data[1024 + i] = i + round; // RACE
        cg::this_grid().sync();
        data[4096 + i] += data[1024 + (i + 64) % all]; // RACE
    }
}

/* All blocks read what one of them writes after the grid's barrier, behind barriers of the block. */
__global__ void grid_barrier_after_reads_of_all(int *data)
{
    __shared__ int copy[256];

    for (int round = 0; round < 3; round++) {
        for (int i = (int)threadIdx.x; i < 256; i += (int)blockDim.x)
            copy[i] = __ldcg(data + 1024 + i);
        __syncthreads();
        atomicAdd(data + 2048 + (copy[threadIdx.x] + round) % 256, 1);
        cg::this_grid().sync();
        for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < 256; i += (int)(gridDim.x * blockDim.x)) {
            data[1024 + i] = data[1024 + i] + __ldcg(data + 2048 + i);
            data[2048 + i] = 0;
        }
        cg::this_grid().sync();
    }
}

/* A barrier of the grid made of a counter, as people write it. */
__device__ static void all_blocks(int *count, int goal)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) < goal)
            ;
        __threadfence();
    }
    __syncthreads();
}

__global__ void home_made_grid_barrier(int *data)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), all = (int)(gridDim.x * blockDim.x);

    data[1024 + i] = i;
    all_blocks(&data[0], (int)gridDim.x);
    data[4096 + i] = data[1024 + (i + 64) % all];
    all_blocks(&data[0], 2 * (int)gridDim.x);
    data[1024 + i] = data[4096 + (i + 128) % all];
}

/* The same without __syncthreads() before it: the others' stores are not the first thread's. */
__global__ void home_made_barrier_open(int *data)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), all = (int)(gridDim.x * blockDim.x);

    data[1024 + i] = i;
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&data[0], 1);
        while (atomicAdd(&data[0], 0) < (int)gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
    data[4096 + i] = data[1024 + (i + 64) % all]; // RACE
}

/* Each block waits for the one before, as in a scan of one pass. */
__global__ void chained_blocks(int *data)
{
    __shared__ int before;
    volatile int *sums = data + 1024, *flags = data + 64;

    if (threadIdx.x == 0) {
        int b = (int)blockIdx.x, sum = 0;

        if (b > 0) {
            while (!flags[b - 1])
                ;
            __threadfence();
            sum = sums[b - 1];
        }
        sums[b] = sum + b;
        __threadfence();
        flags[b] = 1;
        before = sum;
    }
    __syncthreads();
    data[4096 + blockIdx.x * 64 + threadIdx.x] = before;
}

#define RUN_COOPERATIVE(name, grid, block)                                                                             \
    do {                                                                                                               \
        if (suite_begin(#name)) {                                                                                      \
            void *arguments[] = {&suite_data};                                                                         \
            suite_check(cudaLaunchCooperativeKernel((const void *)name, dim3(grid), dim3(block), arguments, 0, 0),     \
                        #name);                                                                                        \
            suite_end(#name);                                                                                          \
        }                                                                                                              \
    } while (0)

/* Each lane takes a ticket by the same instruction. The lane with the last one reads what all have stored. */
__global__ void last_lane_sums(int *data)
{
    int count = gridDim.x * blockDim.x, sum = 0;

    data[64 + blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    __threadfence();
    if (atomicAdd(data, 1) == count - 1) {
        __threadfence();
        for (int k = 0; k < count; k++)
            sum += data[64 + k];
        data[1] = sum;
    }
}

__global__ void last_lane_sums_unfenced(int *data)
{
    int count = gridDim.x * blockDim.x, sum = 0;

    data[64 + blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    if (atomicAdd(data, 1) == count - 1) {
        __threadfence();
        for (int k = 0; k < count; k++)
            sum += data[64 + k]; // RACE
        data[1] = sum;
    }
}

/* The last thread to arrive at such a barrier counts its phases. */
struct count_phase {
    int *phases;
    __device__ void operator()() noexcept { ++*phases; }
};

__global__ void last_lane_completes(int *data)
{
    using counting_barrier = cuda::barrier<cuda::thread_scope_block, count_phase>;
    __shared__ alignas(counting_barrier) char memory[sizeof(counting_barrier)];
    counting_barrier *bar = reinterpret_cast<counting_barrier *>(memory);

    if (threadIdx.x == 0)
        init(bar, blockDim.x, count_phase{data});
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        bar->arrive_and_wait();
        if (threadIdx.x == 0)
            data[1 + k] = data[0];
        bar->arrive_and_wait();
    }
}

/* Block 0 makes a node and puts it in place by a compare-and-swap. The others wait for it by a volatile load. */
__global__ void node_by_swap_fenced(int *data)
{
    volatile int *place = data;
    int node;

    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[64] = 42;
        __threadfence();
        atomicCAS(data, 0, 64);
        return;
    }
    while ((node = *place) == 0)
        ;
    __threadfence();
    data[128 + blockIdx.x] = data[node];
}

__global__ void node_by_swap_unfenced(int *data)
{
    volatile int *place = data;
    int node;

    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        data[64] = 42;
        atomicCAS(data, 0, 64);
        return;
    }
    while ((node = *place) == 0)
        ;
    __threadfence();
    data[128 + blockIdx.x] = data[node]; // RACE
}

/* A block that does not get the lock goes on all the same. */
__global__ void lock_not_got(int *data)
{
    bool got = threadIdx.x == 0 && atomicCAS(data, 0, 1) == 0;

    if (threadIdx.x)
        return;
    __threadfence();
    data[64]++; // RACE
    __nanosleep(500);
    if (got) {
        __threadfence();
        atomicExch(data, 0);
    }
}

/* One warp fills a ring of four slots, another one empties it. The first does not wait for a free slot. */
__global__ void ring_overtaken(int *data)
{
    __shared__ int slots[4][32], filled;
    cuda::atomic_ref<int, cuda::thread_scope_block> head(filled);
    int lane = threadIdx.x % 32;

    if (threadIdx.x == 0)
        filled = 0;
    __syncthreads();
    for (int k = 0; k < 32; k++) {
        if (threadIdx.x < 32) {
            slots[k % 4][lane] = k; // RACE
            __syncwarp();
            if (lane == 0)
                head.store(k + 1, cuda::memory_order_release);
            continue;
        }
        if (lane == 0)
            while (head.load(cuda::memory_order_acquire) <= k)
                ;
        __syncwarp();
        data[k * 32 + lane] = slots[k % 4][lane]; // RACE
        __syncwarp();
    }
}

int main(int argc, char **argv)
{
    suite_only = argc > 1 ? argv[1] : NULL;
    RUN(flag_with_fences, 2, 32);
    RUN(flag_without_writers_fence, 2, 32);
    RUN(flag_without_readers_fence, 2, 32);
    RUN(flag_before_fence, 2, 32);
    RUN(flag_with_block_fences, 2, 32);
    RUN(flag_in_one_block, 1, 64);
    RUN(flag_in_shared_memory, 1, 64);
    RUN(flag_in_shared_memory_unfenced, 1, 64);
    RUN(flag_acquire_release, 2, 32);
    RUN(flag_relaxed, 2, 32);
    RUN(flag_relaxed_after_reads, 2, 64);
    RUN(flag_relaxed_before_reads, 2, 64);
    RUN(flag_of_block_scope, 2, 32);
    RUN(counter_of_block_scope, 4, 32);
    RUN(counter_of_block_scope_in_one_block, 4, 64);
    RUN(locked, 8, 32);
    RUN(locked_unlock_without_fence, 8, 32);
    RUN(locked_by_other_locks, 8, 32);
    RUN(locked_but_for_one, 8, 32);
    RUN(locked_by_lanes, 4, 32);
    RUN(ticket_lock, 8, 32);
    RUN(last_lane_sums, 2, 32);
    RUN(last_lane_sums_unfenced, 2, 32);
    RUN(last_lane_completes, 1, 64);
    RUN_COOPERATIVE(grid_barrier, 4, 64);
    RUN_COOPERATIVE(grid_barrier_one_short, 4, 64);
    RUN_COOPERATIVE(grid_barrier_after_reads_of_all, 4, 64);
    RUN(home_made_grid_barrier, 4, 64);
    RUN(home_made_barrier_open, 4, 64);
    RUN(chained_blocks, 8, 64);
    RUN(node_by_swap_fenced, 4, 32);
    RUN(node_by_swap_unfenced, 4, 32);
    RUN(lock_not_got, 8, 32);
    RUN(ring_overtaken, 1, 64);
}
