/*
 * producer_consumer.cu - threads which wait for one another: blocks by flags and fences, a bounded queue between
 * blocks, warps of a block by named barriers, and the barriers that also vote.
 */
#include "check.h"

/* --- blocks --- */

/* Each block waits for the one before it. Blocks are started in order, so this ends with any number resident. */
__global__ void chain(volatile int *values, volatile int *flags)
{
    __shared__ int before;
    int block = blockIdx.x;

    if (threadIdx.x == 0) {
        if (block > 0) {
            while (flags[block - 1] == 0)
                ;
            __threadfence();
        }
        before = block > 0 ? values[block - 1] : 0;
    }
    __syncthreads();
    int sum = __syncthreads_count(threadIdx.x % 3 == 0);

    if (threadIdx.x == 0) {
        values[block] = before + sum + block;
        __threadfence();
        flags[block] = 1;
    }
}

static void test_chain(int blocks)
{
    std::vector<int> want(blocks);
    int *values = device_zeros<int>(blocks);
    int *flags = device_zeros<int>(blocks);

    for (int i = 0; i < blocks; i++)
        want[i] = (i ? want[i - 1] : 0) + 14 + i;
    chain<<<blocks, 40>>>(values, flags);
    CHECK_KERNEL();
    expect_device("chain", want, values);
    device_free(values);
    device_free(flags);
}

/* Two blocks in turn. */
__global__ void ping_pong(volatile int *turn, volatile int *log, int rounds)
{
    for (int round = blockIdx.x; round < rounds; round += 2) {
        if (threadIdx.x == 0) {
            while (*turn != round)
                __nanosleep(20);
            __threadfence();
        }
        __syncthreads();
        log[round * 32 + threadIdx.x] = (round ? log[(round - 1) * 32 + (threadIdx.x + 1) % 32] : 0) + 1;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            *turn = round + 1;
    }
}

static void test_ping_pong(void)
{
    int *turn = device_zeros<int>(1);
    int *log = device_zeros<int>(20 * 32);
    std::vector<int> want;

    for (int i = 0; i < 20 * 32; i++)
        want.push_back(i / 32 + 1);
    ping_pong<<<2, 32>>>(turn, log, 20);
    CHECK_KERNEL();
    expect_device("ping pong", want, log);
    device_free(turn);
    device_free(log);
}

/* --- a bounded queue of many producers and many consumers (a turn number in each slot) --- */

enum { SLOTS = 8 };

struct queue {
    unsigned head, tail;
    struct {
        unsigned turn; /* 2 * lap: may be filled in that lap; 2 * lap + 1: full */
        int value;
    } slots[SLOTS];
};

__device__ unsigned load_acquire(const unsigned *address)
{
    unsigned value;

    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

__device__ void store_release(unsigned *address, unsigned value)
{
    asm volatile("st.release.gpu.u32 [%0], %1;" : : "l"(address), "r"(value) : "memory");
}

__device__ void push(queue *queue, int value)
{
    unsigned ticket = atomicAdd(&queue->tail, 1u);
    auto *slot = &queue->slots[ticket % SLOTS];

    while (load_acquire(&slot->turn) != ticket / SLOTS * 2)
        ;
    slot->value = value;
    store_release(&slot->turn, ticket / SLOTS * 2 + 1);
}

__device__ int pop(queue *queue)
{
    unsigned ticket = atomicAdd(&queue->head, 1u);
    auto *slot = &queue->slots[ticket % SLOTS];

    while (load_acquire(&slot->turn) != ticket / SLOTS * 2 + 1)
        ;
    int value = slot->value;

    store_release(&slot->turn, ticket / SLOTS * 2 + 2);
    return value;
}

/* Even blocks produce 0 .. total - 1, odd ones consume them; one thread per block. */
__global__ void queue_kernel(queue *queue, int *seen, int total)
{
    int pairs = gridDim.x / 2;

    for (int i = blockIdx.x / 2; i < total; i += pairs)
        if (blockIdx.x % 2 == 0)
            push(queue, i);
        else
            atomicAdd(&seen[pop(queue)], 1);
}

static void test_queue(int pairs, int total)
{
    queue *device_queue = device_zeros<queue>(1);
    int *seen = device_zeros<int>(total);

    queue_kernel<<<2 * pairs, 1>>>(device_queue, seen, total);
    CHECK_KERNEL();
    expect_device("queue", std::vector<int>(total, 1), seen);
    device_free(device_queue);
    device_free(seen);
}

/* --- warps of a block --- */

__device__ void barrier_sync(int id, int count)
{
    asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(count) : "memory");
}

__device__ void barrier_arrive(int id, int count)
{
    asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(count) : "memory");
}

/*
 * The first two warps fill one of two buffers while the last two add up the other. Barriers 1 and 2: buffer full;
 * 3 and 4: buffer empty. Who hands over arrives, who needs it syncs.
 */
__global__ void specialised(const int *in, int *out, int rounds)
{
    __shared__ int buffers[2][64];
    int i = threadIdx.x % 64;

    if (threadIdx.x < 64) {
        for (int round = 0; round < rounds; round++) {
            int buffer = round % 2;

            if (round >= 2)
                barrier_sync(3 + buffer, 128);
            buffers[buffer][i] = in[round * 64 + i];
            barrier_arrive(1 + buffer, 128);
        }
    } else {
        int sum = 0;

        for (int round = 0; round < rounds; round++) {
            int buffer = round % 2;

            barrier_sync(1 + buffer, 128);
            sum += buffers[buffer][63 - i] * (round + 1);
            if (round + 2 < rounds)
                barrier_arrive(3 + buffer, 128);
        }
        out[i] = sum;
    }
}

static void test_specialised(int rounds)
{
    struct rng rng = {(uint64_t)rounds};
    std::vector<int> in(rounds * 64), want(64);

    for (int i = 0; i < rounds * 64; i++) {
        in[i] = rng_below(&rng, 1000);
        want[63 - i % 64] += in[i] * (i / 64 + 1);
    }
    int *device_in = device_copy(in);
    int *out = device_zeros<int>(64);

    specialised<<<1, 128>>>(device_in, out, rounds);
    CHECK_KERNEL();
    expect_device("specialised", want, out);
    device_free(device_in);
    device_free(out);
}

/* Each pair of warps has its own barrier, used different numbers of times. */
__global__ void pairs_of_warps(int *out)
{
    __shared__ int values[256];
    int pair = threadIdx.x / 64;
    int i = threadIdx.x;

    values[i] = i;
    for (int round = 0; round <= pair; round++) {
        barrier_sync(5 + pair, 64);
        int other = values[pair * 64 + (i + 33) % 64];

        barrier_sync(5 + pair, 64);
        values[i] = other + 1;
    }
    __syncthreads();
    out[i] = values[255 - i];
}

static void test_pairs(void)
{
    std::vector<int> values(256), want(256);
    int *out = device_zeros<int>(256);

    for (int i = 0; i < 256; i++)
        values[i] = i;
    for (int pair = 0; pair < 4; pair++)
        for (int round = 0; round <= pair; round++) {
            int old[64];

            memcpy(old, &values[pair * 64], sizeof old);
            for (int i = 0; i < 64; i++)
                values[pair * 64 + i] = old[(i + 33) % 64] + 1;
        }
    for (int i = 0; i < 256; i++)
        want[i] = values[255 - i];
    pairs_of_warps<<<1, 256>>>(out);
    CHECK_KERNEL();
    expect_device("pairs of warps", want, out);
    device_free(out);
}

/* out: 6 numbers a thread */
__global__ void votes(int *out)
{
    int i = threadIdx.x;
    int count, named;
    unsigned all, any;

    out[i * 6] = __syncthreads_count(i % 7 == 0);
    out[i * 6 + 1] = __syncthreads_and(i < 1000) != 0;
    out[i * 6 + 2] = __syncthreads_or(i == 3) != 0;
    asm volatile("{\n .reg .pred p, q;\n"
                 " setp.lt.s32 p, %3, 50;\n"
                 " barrier.red.popc.u32 %0, 0, p;\n"
                 " barrier.red.and.pred q, 0, p;\n"
                 " selp.u32 %1, 1, 0, q;\n"
                 " barrier.red.or.pred q, 0, p;\n"
                 " selp.u32 %2, 1, 0, q;\n}"
                 : "=r"(count), "=r"(all), "=r"(any)
                 : "r"(i)
                 : "memory");
    asm volatile("{\n .reg .pred p;\n"
                 " setp.ge.s32 p, %1, 50;\n"
                 " bar.red.popc.u32 %0, %2, 64, p;\n}"
                 : "=r"(named)
                 : "r"(i), "r"(1 + i / 64)
                 : "memory");
    out[i * 6 + 3] = count;
    out[i * 6 + 4] = all * 10 + any;
    out[i * 6 + 5] = named;
}

static void test_votes(void)
{
    std::vector<int> want;
    int *out = device_zeros<int>(128 * 6);

    for (int i = 0; i < 128; i++) {
        int facts[6] = {19, 1, 1, 50, 1, i < 64 ? 14 : 64};

        want.insert(want.end(), facts, facts + 6);
    }
    votes<<<1, 128>>>(out);
    CHECK_KERNEL();
    expect_device("votes", want, out);
    device_free(out);
}

/* The last block to finish adds up what all have left (threadFenceReduction). */
__global__ void last_block(const int *in, int *partial, unsigned *done, int *out, int n)
{
    __shared__ int sum;
    __shared__ bool last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
        sum = 0;
    }
    __syncthreads();
    if (last) {
        for (int block = threadIdx.x; block < gridDim.x; block += blockDim.x)
            atomicAdd(&sum, ((volatile int *)partial)[block]);
        __syncthreads();
        if (threadIdx.x == 0)
            *out = sum;
    }
}

static void test_last_block(int n)
{
    std::vector<int> in(n);
    int blocks = (n + 63) / 64;
    int want = 0;

    for (int i = 0; i < n; i++)
        want += in[i] = i % 101;
    int *device_in = device_copy(in);
    int *partial = device_zeros<int>(blocks);
    unsigned *done = device_zeros<unsigned>(1);
    int *out = device_zeros<int>(1);

    for (int round = 0; round < 2; round++) { /* the counter wraps to 0 automatically */
        CUDA_CHECK(cudaMemset(out, 0, sizeof(int)));
        last_block<<<blocks, 64>>>(device_in, partial, done, out, n);
        CHECK_KERNEL();
        expect_device("last block", std::vector<int>{want}, out);
    }
    device_free(device_in);
    device_free(partial);
    device_free(done);
    device_free(out);
}

int main(void)
{
    test_chain(1);
    test_chain(300);
    test_ping_pong();
    test_queue(1, 100);
    test_queue(5, 500);
    test_specialised(1);
    test_specialised(17);
    test_pairs();
    test_votes();
    test_last_block(10000);
    return passed();
}
