/*
 * async_copy.cu - copies from global to shared memory that run beside the program: cp.async of 4, 8 and 16 bytes with
 * zero fill, groups and waits for all but the last few, completion on an mbarrier, and __pipeline_memcpy_async.
 */
#include <cuda_pipeline.h>

#include "check.h"

__device__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

__device__ void commit(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int PENDING> __device__ void wait_group(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

/* Each thread copies 16 + 16 + 8 + 4 bytes, the second 16 past the first level cache. */
__global__ void sizes(const unsigned char *in, unsigned char *out)
{
    __shared__ alignas(16) unsigned char staged[32 * 48];
    int i = threadIdx.x;
    const unsigned char *from = in + i * 48;
    unsigned to = shared_address(staged + i * 48);

    for (int k = 0; k < 48; k++)
        staged[i * 48 + k] = 0xee;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + 16), "l"(from + 16) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to + 32), "l"(from + 32) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to + 40), "l"(from + 40) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int k = 0; k < 48; k++)
        out[i * 48 + k] = staged[(31 - i) * 48 + k];
}

/* Only the first i bytes of 16 are read; the rest becomes 0. */
__global__ void zero_fill(const unsigned char *in, unsigned char *out)
{
    __shared__ alignas(16) unsigned char staged[17 * 16];
    int i = threadIdx.x;

    for (int k = 0; k < 16; k++)
        staged[i * 16 + k] = 0xee;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(staged + i * 16)),
                 "l"(in + i * 16), "r"(i)
                 : "memory");
    commit();
    wait_group<0>();
    for (int k = 0; k < 16; k++)
        out[i * 16 + k] = staged[i * 16 + k];
}

/* A ring of 4 stages; at most 3 groups in flight. Sums each column of the stages. */
__global__ void ring(const int *in, int *out, int stages)
{
    __shared__ int buffers[4][64];
    int i = threadIdx.x;
    int sum = 0;

    for (int stage = 0; stage < 3; stage++) {
        if (stage < stages)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&buffers[stage][i])),
                         "l"(in + stage * 64 + i)
                         : "memory");
        commit();
    }
    for (int stage = 0; stage < stages; stage++) {
        int next = stage + 3;

        wait_group<2>();
        __syncthreads();
        sum = sum * 3 + buffers[stage % 4][63 - i];
        if (next < stages)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&buffers[next % 4][i])),
                         "l"(in + next * 64 + i)
                         : "memory");
        commit();
    }
    out[i] = sum;
}

/* The same with the functions of cuda_pipeline.h, 16 bytes a thread. */
__global__ void pipeline(const int4 *in, int *out, int stages)
{
    __shared__ int4 buffers[2][32];
    int i = threadIdx.x;
    int sum = 0;

    __pipeline_memcpy_async(&buffers[0][i], &in[i], sizeof(int4));
    __pipeline_commit();
    for (int stage = 0; stage < stages; stage++) {
        if (stage + 1 < stages)
            __pipeline_memcpy_async(&buffers[(stage + 1) % 2][i], &in[(stage + 1) * 32 + i], sizeof(int4), 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        int4 value = buffers[stage % 2][31 - i];

        sum = sum * 5 + value.x + value.y + value.z + value.w;
        __syncthreads();
    }
    out[i] = sum;
}

/* Completion of a thread's copies arrives on an mbarrier. */
__global__ void on_barrier(const int *in, int *out)
{
    __shared__ int staged[64];
    __shared__ unsigned long long barrier;
    int i = threadIdx.x;
    unsigned address = shared_address(&barrier);
    unsigned done = 0;

    if (i == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(64) : "memory");
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&staged[i])), "l"(in + i) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address) : "memory");
    while (!done)
        asm volatile("{\n .reg .pred p;\n"
                     " mbarrier.test_wait.parity.shared.b64 p, [%1], 0;\n"
                     " selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(address)
                     : "memory");
    out[i] = staged[63 - i] * 2;
}

int main(void)
{
    struct rng rng = {1};
    std::vector<unsigned char> bytes(32 * 48), want_bytes(32 * 48), filled(17 * 16);
    std::vector<int> values(20 * 64), want(64), want_pipeline(32), want_barrier(64);

    for (unsigned char &value : bytes)
        value = rng_next(&rng);
    for (int &value : values)
        value = rng_below(&rng, 1000);
    for (int i = 0; i < 32 * 48; i++)
        want_bytes[i] = i % 48 < 44 ? bytes[(31 - i / 48) * 48 + i % 48] : 0xee;
    for (int i = 0; i < 17 * 16; i++)
        filled[i] = i % 16 < i / 16 ? bytes[i] : 0;
    unsigned char *device_bytes = device_copy(bytes);
    unsigned char *out_bytes = device_zeros<unsigned char>(bytes.size());
    int *device_values = device_copy(values);
    int *out = device_zeros<int>(64);

    sizes<<<1, 32>>>(device_bytes, out_bytes);
    CHECK_KERNEL();
    expect_device("sizes", want_bytes, out_bytes);
    zero_fill<<<1, 17>>>(device_bytes, out_bytes);
    CHECK_KERNEL();
    expect_device("zero fill", filled, out_bytes);
    for (int stages : {1, 2, 3, 4, 9}) {
        for (int i = 0; i < 64; i++) {
            want[i] = 0;
            for (int stage = 0; stage < stages; stage++)
                want[i] = want[i] * 3 + values[stage * 64 + 63 - i];
        }
        ring<<<1, 64>>>(device_values, out, stages);
        CHECK_KERNEL();
        expect_device("ring", want, out);
    }
    for (int i = 0; i < 32; i++) /* the copies of the later stages fill the last 4 of 16 bytes with 0 */
        for (int stage = 0; stage < 5; stage++) {
            const int *four = &values[(stage * 32 + 31 - i) * 4];

            want_pipeline[i] = want_pipeline[i] * 5 + four[0] + four[1] + four[2] + (stage == 0 ? four[3] : 0);
        }
    pipeline<<<1, 32>>>((const int4 *)device_values, out, 5);
    CHECK_KERNEL();
    expect_device("pipeline", want_pipeline, out);
    for (int i = 0; i < 64; i++)
        want_barrier[i] = values[63 - i] * 2;
    on_barrier<<<1, 64>>>(device_values, out);
    CHECK_KERNEL();
    expect_device("on barrier", want_barrier, out);
    device_free(device_bytes);
    device_free(out_bytes);
    device_free(device_values);
    device_free(out);
    return passed();
}
