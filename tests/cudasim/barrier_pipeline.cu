/*
 * barrier_pipeline.cu - synchronisation from libcu++: cuda::barrier with arrive, wait and a completion step,
 * memcpy_async onto barriers, cuda::pipeline shared by a block, latches, semaphores, and atomics that wait.
 */
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

#include "check.h"

namespace cg = cooperative_groups;

#pragma nv_diag_suppress static_var_with_dynamic_init

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

/* Half of the threads produce, the other half consumes, through two buffers. */
__global__ void producer_consumer(const int *in, int *out, int rounds)
{
    __shared__ block_barrier full[2], empty[2];
    __shared__ int buffers[2][32];
    int i = threadIdx.x % 32;

    if (threadIdx.x == 0)
        for (int buffer = 0; buffer < 2; buffer++) {
            init(&full[buffer], 64);
            init(&empty[buffer], 64);
        }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int round = 0; round < rounds; round++) {
            empty[round % 2].arrive_and_wait();
            buffers[round % 2][i] = in[round * 32 + i];
            (void)full[round % 2].arrive();
        }
    } else {
        int sum = 0;

        (void)empty[0].arrive();
        (void)empty[1].arrive();
        for (int round = 0; round < rounds; round++) {
            full[round % 2].arrive_and_wait();
            sum = sum * 3 + buffers[round % 2][31 - i];
            (void)empty[round % 2].arrive();
        }
        out[i] = sum;
    }
}

static void test_producer_consumer(int rounds)
{
    struct rng rng = {(uint64_t)rounds};
    std::vector<int> in(32 * rounds), want(32);

    for (int &value : in)
        value = rng_below(&rng, 100);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 32; i++)
            want[i] = (int)((unsigned)want[i] * 3 + in[round * 32 + 31 - i]);
    int *device_in = device_copy(in);
    int *out = device_zeros<int>(32);

    producer_consumer<<<1, 64>>>(device_in, out, rounds);
    CHECK_KERNEL();
    expect_device("producer and consumer", want, out);
    device_free(device_in);
    device_free(out);
}

/* memcpy_async that completes on a barrier: by the whole block, and by each thread. */
__global__ void copies(const int *in, int *out, int n)
{
    extern __shared__ int staged[];
    __shared__ block_barrier arrived;
    cg::thread_block block = cg::this_thread_block();

    if (block.thread_rank() == 0)
        init(&arrived, block.size());
    block.sync();
    cuda::memcpy_async(block, staged, in, sizeof(int) * n, arrived);
    arrived.arrive_and_wait();
    for (int i = block.thread_rank(); i < n; i += block.size())
        out[i] = staged[n - 1 - i] + 1;
    block.sync();
    for (int i = block.thread_rank(); i < n; i += block.size())
        cuda::memcpy_async(&staged[i], &in[n - 1 - i], cuda::aligned_size_t<4>(4), arrived);
    arrived.arrive_and_wait();
    for (int i = block.thread_rank(); i < n; i += block.size())
        out[n + i] = staged[(i + 1) % n];
}

static void test_copies(int n)
{
    std::vector<int> in(n), want(2 * n);

    for (int i = 0; i < n; i++)
        in[i] = i * 7;
    for (int i = 0; i < n; i++) {
        want[i] = in[n - 1 - i] + 1;
        want[n + i] = in[n - 1 - (i + 1) % n];
    }
    int *device_in = device_copy(in);
    int *out = device_zeros<int>(2 * n);

    copies<<<1, 96, n * sizeof(int)>>>(device_in, out, n);
    CHECK_KERNEL();
    expect_device("copies", want, out);
    device_free(device_in);
    device_free(out);
}

/* A pipeline of two stages shared by the block. */
__global__ void staged_pipeline(const int *in, int *out, int batches)
{
    constexpr int stages = 2, size = 128;
    __shared__ alignas(16) int buffers[stages][size];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    cg::thread_block block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int sum = 0;

    for (int fetch = 0, compute = 0; compute < batches; compute++) {
        for (; fetch < batches && fetch < compute + stages; fetch++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, buffers[fetch % stages], in + fetch * size,
                               cuda::aligned_size_t<16>(sizeof(int) * size), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum = sum * 3 + buffers[compute % stages][size - 1 - block.thread_rank()];
        pipeline.consumer_release();
    }
    out[block.thread_rank()] = sum;
}

/* The same for one thread alone. */
__global__ void thread_pipeline(const int *in, int *out, int batches)
{
    __shared__ int buffers[128][2];
    auto pipeline = cuda::make_pipeline();
    int i = threadIdx.x;
    int sum = 0;

    for (int fetch = 0, compute = 0; compute < batches; compute++) {
        for (; fetch < batches && fetch < compute + 2; fetch++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&buffers[i][fetch % 2], &in[fetch * 128 + 127 - i], sizeof(int), pipeline);
            pipeline.producer_commit();
        }
        cuda::pipeline_consumer_wait_prior<1>(pipeline);
        if (compute == batches - 1)
            cuda::pipeline_consumer_wait_prior<0>(pipeline);
        sum = sum * 3 + buffers[i][compute % 2];
        pipeline.consumer_release();
    }
    out[i] = sum;
}

static void test_pipelines(int batches)
{
    struct rng rng = {(uint64_t)batches};
    std::vector<int> in(batches * 128), want(128);

    for (int &value : in)
        value = rng_below(&rng, 100);
    for (int batch = 0; batch < batches; batch++)
        for (int i = 0; i < 128; i++)
            want[i] = (int)((unsigned)want[i] * 3 + in[batch * 128 + 127 - i]);
    int *device_in = device_copy(in);
    int *out = device_zeros<int>(128);

    staged_pipeline<<<1, 128>>>(device_in, out, batches);
    CHECK_KERNEL();
    expect_device("pipeline of a block", want, out);
    CUDA_CHECK(cudaMemset(out, 0, 128 * sizeof(int)));
    thread_pipeline<<<1, 128>>>(device_in, out, batches);
    CHECK_KERNEL();
    expect_device("pipeline of a thread", want, out);
    device_free(device_in);
    device_free(out);
}

/* --- between blocks --- */

struct shared_objects {
    cuda::barrier<cuda::thread_scope_device> barrier;
    cuda::latch<cuda::thread_scope_device> latch;
    cuda::binary_semaphore<cuda::thread_scope_device> mutex;
    cuda::counting_semaphore<cuda::thread_scope_device, 3> places;
    cuda::atomic<int, cuda::thread_scope_device> turn, inside, most;
    int protected_count;
};

__global__ void make_objects(shared_objects *objects, int blocks)
{
    new (&objects->barrier) cuda::barrier<cuda::thread_scope_device>(blocks);
    new (&objects->latch) cuda::latch<cuda::thread_scope_device>(blocks);
    new (&objects->mutex) cuda::binary_semaphore<cuda::thread_scope_device>(1);
    new (&objects->places) cuda::counting_semaphore<cuda::thread_scope_device, 3>(3);
    new (&objects->turn) cuda::atomic<int, cuda::thread_scope_device>(0);
    new (&objects->inside) cuda::atomic<int, cuda::thread_scope_device>(0);
    new (&objects->most) cuda::atomic<int, cuda::thread_scope_device>(0);
    objects->protected_count = 0;
}

/* One thread per block. out: 3 numbers per block */
__global__ void use_objects(shared_objects *objects, int *values, int *out)
{
    int block = blockIdx.x, blocks = gridDim.x;

    for (int round = 0; round < 4; round++) {
        int before = (1 - round % 2) * blocks + (block + 1) % blocks;

        values[round % 2 * blocks + block] = round ? values[before] + 1 : block;
        objects->barrier.arrive_and_wait();
    }
    out[block * 3] = values[blocks + block];
    for (int i = 0; i < 5; i++) {
        objects->mutex.acquire();
        objects->protected_count++;
        objects->mutex.release();
    }
    objects->places.acquire();
    objects->most.fetch_max(objects->inside.fetch_add(1) + 1);
    __nanosleep(100);
    objects->inside.fetch_sub(1);
    objects->places.release();
    objects->latch.arrive_and_wait();
    out[block * 3 + 1] = objects->protected_count;
    out[block * 3 + 2] = objects->most.load() >= 1 && objects->most.load() <= 3;
    /* in turn: each waits until the number is its own */
    for (int seen = objects->turn.load(); seen != block; seen = objects->turn.load())
        objects->turn.wait(seen);
    objects->turn.store(block + 1);
    objects->turn.notify_all();
}

static void test_objects(void)
{
    enum { BLOCKS = 12 };
    shared_objects *objects = device_zeros<shared_objects>(1);
    int *values = device_zeros<int>(2 * BLOCKS);
    int *out = device_zeros<int>(3 * BLOCKS);
    std::vector<int> want;

    for (int block = 0; block < BLOCKS; block++) {
        want.push_back((block + 3) % BLOCKS + 3);
        want.push_back(5 * BLOCKS);
        want.push_back(1);
    }
    make_objects<<<1, 1>>>(objects, BLOCKS);
    CHECK_KERNEL();
    use_objects<<<BLOCKS, 1>>>(objects, values, out);
    CHECK_KERNEL();
    expect_device("objects", want, out);
    device_free(objects);
    device_free(values);
    device_free(out);
}

int main(void)
{
    test_producer_consumer(1);
    test_producer_consumer(25);
    test_copies(50);
    test_copies(1000);
    test_pipelines(1);
    test_pipelines(2);
    test_pipelines(9);
    test_objects();
    return passed();
}
