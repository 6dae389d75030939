/*
 * spin_lock.cu - locks: by every thread of a warp, which ends only if the threads of a warp make progress
 * independently; by one thread per block; by ticket; readers and writers; and a lock for each of several accounts.
 */
#include "check.h"

struct lock {
    int held;             /* 0 or 1 */
    unsigned next, serve; /* the ticket lock */
    int readers;          /* -1: a writer */
};

__device__ void lock_acquire(lock *lock)
{
    while (atomicCAS(&lock->held, 0, 1) != 0)
        ;
    __threadfence();
}

__device__ void lock_release(lock *lock)
{
    __threadfence();
    atomicExch(&lock->held, 0);
}

/* Every thread takes the lock in the plain way. */
__global__ void each_thread(lock *lock, volatile int *count, int times)
{
    for (int i = 0; i < times; i++) {
        lock_acquire(lock);
        *count = *count + 1;
        lock_release(lock);
    }
}

/* One thread of a warp waits in a loop for another thread of the same warp, which comes later in the branch. */
__global__ void handshake(volatile int *steps)
{
    __shared__ volatile int flag[2];

    if (threadIdx.x == 0)
        flag[0] = flag[1] = 0;
    __syncthreads();
    if (threadIdx.x % 2 == 0) {
        for (int i = 1; i <= 5; i++) {
            if (threadIdx.x == 0) {
                while (flag[0] != i)
                    ;
                steps[i] = steps[i] + 10;
                flag[1] = i;
            }
        }
    } else {
        for (int i = 1; i <= 5; i++) {
            if (threadIdx.x == 1) {
                steps[i] = i;
                __threadfence();
                flag[0] = i;
                while (flag[1] != i)
                    ;
            }
        }
    }
}

__global__ void each_block(lock *lock, volatile int *count, int *order)
{
    __shared__ int sum;

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        lock_acquire(lock);
    __syncthreads();
    if (threadIdx.x == 5) {
        int before = *count;

        order[before / 48] = blockIdx.x;
        *count = before + sum;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        lock_release(lock);
}

__global__ void ticket(lock *lock, volatile int *count)
{
    unsigned mine = atomicAdd(&lock->next, 1u);

    while (*(volatile unsigned *)&lock->serve != mine)
        ;
    __threadfence();
    *count = *count + 1;
    __threadfence();
    *(volatile unsigned *)&lock->serve = mine + 1;
}

/* pair: two words that writers always leave equal; wrong counts the readers that saw them differ. */
__global__ void readers_writers(lock *lock, volatile int *pair, int *wrong)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;

    if (thread % 8 == 0) {
        while (atomicCAS(&lock->readers, 0, -1) != 0)
            ;
        __threadfence();
        pair[0] = pair[0] + 1;
        pair[1] = pair[1] + 1;
        __threadfence();
        atomicExch(&lock->readers, 0);
    } else {
        int seen = 0;

        for (;;) {
            seen = *(volatile int *)&lock->readers;
            if (seen >= 0 && atomicCAS(&lock->readers, seen, seen + 1) == seen)
                break;
        }
        __threadfence();
        if (pair[0] != pair[1])
            atomicAdd(wrong, 1);
        __threadfence();
        atomicSub(&lock->readers, 1);
    }
}

/* Moves money between accounts; two locks, always the lower first. */
__global__ void transfers(lock *locks, volatile int *accounts, int count)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int from = thread % count;
    int to = (thread * 7 + 3) % count;

    if (from == to)
        return;
    lock_acquire(&locks[min(from, to)]);
    lock_acquire(&locks[max(from, to)]);
    int amount = thread % 10;

    accounts[from] = accounts[from] - amount;
    accounts[to] = accounts[to] + amount;
    lock_release(&locks[max(from, to)]);
    lock_release(&locks[min(from, to)]);
}

__device__ unsigned lane_id(void)
{
    unsigned lane;

    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane)); /* nothing that nvcc could turn into a select */
    return lane;
}

/*
 * Warps share a node of 32 words; the lock is the top bit of word 1. A warp that gets it writes all words, the lock
 * too, and lane 1 unlocks. That needs lanes that go on together after a branch. A warp that does not get it tries
 * again, while its lane 1 is still busy with the counter of attempts. How long it waited must not change where its
 * lanes meet later.
 */
__global__ void locked_nodes(unsigned *node, unsigned *counts, int times)
{
    while (__ballot_sync(0xFFFFFFFF, times > 0)) {
        unsigned held = 1;

        if (lane_id() == 1)
            held = atomicOr(node + 1, 0x80000000u) >> 31;
        held = __shfl_sync(0xFFFFFFFF, held, 1);
        if (held) {
            __threadfence();
            if (lane_id() == 1)
                atomicAdd(counts, 1u);
            continue;
        }
        unsigned value, mine = times;

#pragma unroll 1
        for (int i = 0; i < 20; i++) /* others have their turn */
            mine += *(volatile unsigned *)(node + 2) & 1;
        if (lane_id() == 31)
            value = mine | 0x40000000u;
        else if (lane_id() == 30)
            value = mine | 0x80000000u;
        else if (lane_id() == 28)
            value = mine * 3;
        else
            value = lane_id() == 29 ? mine : 0;
        asm volatile("st.global.relaxed.sys.u32 [%0], %1;" ::"l"(node + 31 - lane_id()), "r"(value) : "memory");
        __threadfence();
        if (lane_id() == 1) {
            atomicAdd(counts + 1, 1u);
            atomicAnd(node + 1, 0x7FFFFFFFu);
        }
        times--;
    }
}

static void test_locked_nodes(void)
{
    enum { BLOCKS = 8, WARPS = 4, TIMES = 20 };
    unsigned *node = device_zeros<unsigned>(32);
    unsigned *counts = device_zeros<unsigned>(2);

    locked_nodes<<<BLOCKS, 32 * WARPS>>>(node, counts, TIMES);
    CHECK_KERNEL();
    EXPECT(host_copy(counts, 2)[1] == BLOCKS * WARPS * TIMES);
    EXPECT(host_copy(node, 32)[1] >> 31 == 0);
    device_free(node);
    device_free(counts);
}

static void test_transfers(void)
{
    enum { ACCOUNTS = 10, THREADS = 4 * 64 };
    lock *locks = device_zeros<lock>(ACCOUNTS);
    std::vector<int> want(ACCOUNTS, 100);
    int *accounts = device_copy(want);

    for (int thread = 0; thread < THREADS; thread++) {
        want[thread % ACCOUNTS] -= thread % 10;
        want[(thread * 7 + 3) % ACCOUNTS] += thread % 10;
    }
    transfers<<<4, 64>>>(locks, accounts, ACCOUNTS);
    CHECK_KERNEL();
    expect_device("transfers", want, accounts);
    device_free(locks);
    device_free(accounts);
}

int main(void)
{
    lock *locks = device_zeros<lock>(1);
    int *count = device_zeros<int>(16);
    int *order = device_zeros<int>(20);

    each_thread<<<1, 32>>>(locks, count, 3);
    CHECK_KERNEL();
    expect_device("one warp", std::vector<int>{96}, count);
    each_thread<<<3, 50>>>(locks, count, 2);
    CHECK_KERNEL();
    expect_device("several blocks", std::vector<int>{396}, count);

    CUDA_CHECK(cudaMemset(count, 0, 16 * sizeof(int)));
    handshake<<<1, 32>>>(count);
    CHECK_KERNEL();
    expect_device("handshake", std::vector<int>{0, 11, 12, 13, 14, 15}, count);

    CUDA_CHECK(cudaMemset(count, 0, 16 * sizeof(int)));
    CUDA_CHECK(cudaMemset(order, 255, 20 * sizeof(int)));
    each_block<<<20, 48>>>(locks, count, order);
    CHECK_KERNEL();
    expect_device("each block", std::vector<int>{20 * 48}, count);
    std::vector<int> blocks = host_copy(order, 20);
    std::vector<int> times(20);

    for (int block : blocks) {
        EXPECT(block >= 0 && block < 20);
        times[block]++;
    }
    expect_equal("order", std::vector<int>(20, 1), times);

    CUDA_CHECK(cudaMemset(count, 0, 16 * sizeof(int)));
    ticket<<<2, 40>>>(locks, count);
    CHECK_KERNEL();
    expect_device("ticket", std::vector<int>{80}, count);

    CUDA_CHECK(cudaMemset(count, 0, 16 * sizeof(int)));
    readers_writers<<<2, 64>>>(locks, count, count + 2);
    CHECK_KERNEL();
    expect_device("readers and writers", std::vector<int>{16, 16, 0}, count);
    test_transfers();
    test_locked_nodes();
    device_free(locks);
    device_free(count);
    device_free(order);
    return passed();
}
