/*
 * volatile_fence.cu - memory order: litmus tests whose forbidden outcomes must never show (message passing with
 * fences, with acquire and release, and through shared memory; store buffering with fences; coherence of one address),
 * every form of fence and cache operator, and volatile accesses.
 */
#include <cuda/atomic>

#include "check.h"

__device__ int load_relaxed(const int *address)
{
    int value;

    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

__device__ void store_relaxed(int *address, int value)
{
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" : : "l"(address), "r"(value) : "memory");
}

/* Block 0 writes data, then the flag; block 1 reads the flag, then data. wrong counts new flags with old data. */
__global__ void message_passing(volatile int *data, volatile int *flag, int *wrong, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (blockIdx.x == 0) {
            data[i] = i + 1;
            __threadfence();
            flag[i] = 1;
        } else {
            int seen = flag[i];

            __threadfence();
            int value = data[i];

            if (seen == 1 && value != i + 1)
                atomicAdd(wrong, 1);
        }
    }
}

__global__ void acquire_release(int *data, int *flag, int *wrong, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        cuda::atomic_ref<int, cuda::thread_scope_device> reference(flag[i]);

        if (blockIdx.x == 0) {
            data[i] = i + 1;
            reference.store(1, cuda::memory_order_release);
        } else if (reference.load(cuda::memory_order_acquire) == 1 && data[i] != i + 1) {
            atomicAdd(wrong, 1);
        }
    }
}

/* Both blocks store to their own word, fence, and read the other's: not both may see 0. */
__global__ void store_buffering(int *x, int *y, int *seen, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        store_relaxed(blockIdx.x == 0 ? &x[i] : &y[i], 1);
        asm volatile("fence.sc.gpu;" ::: "memory");
        seen[2 * i + blockIdx.x] = load_relaxed(blockIdx.x == 0 ? &y[i] : &x[i]);
    }
}

/* One address only grows: a reader never sees it shrink. */
__global__ void coherence(int *word, int *wrong, int n)
{
    if (blockIdx.x == 0) {
        for (int i = 1; i <= n; i++)
            if (threadIdx.x == 0)
                store_relaxed(word, i);
    } else {
        int before = 0;

        for (int i = 0; i < n; i++) {
            int now = load_relaxed(word);

            if (now < before)
                atomicAdd(wrong, 1);
            before = now;
        }
    }
}

/* Threads of a block, through shared memory and __threadfence_block. */
__global__ void in_block(int *out)
{
    __shared__ volatile int data[64];
    __shared__ volatile int flag[64];
    int i = threadIdx.x % 64;

    if (threadIdx.x < 64)
        flag[i] = 0;
    __syncthreads();
    if (threadIdx.x < 64) {
        data[i] = i * 3 + 1;
        __threadfence_block();
        flag[i] = 1;
    } else {
        while (flag[63 - i] == 0)
            ;
        __threadfence_block();
        out[i] = data[63 - i];
    }
}

/* Every kind of fence, load and store is accepted and moves the value. */
__global__ void every_form(int *words, int *out)
{
    int value;

    __threadfence_block();
    __threadfence();
    __threadfence_system();
    asm volatile("fence.acq_rel.cta;\n"
                 "fence.acq_rel.gpu;\n"
                 "fence.acq_rel.sys;\n"
                 "fence.acq_rel.cluster;\n"
                 "fence.sc.cta;\n"
                 "fence.sc.sys;\n"
                 "membar.cta;\n"
                 "membar.gl;\n"
                 "membar.sys;\n"
                 "fence.proxy.async;" ::
                     : "memory");
#define FORM(at, load, store) \
    asm volatile(load " %0, [%1];" : "=r"(value) : "l"(words + at) : "memory"); \
    asm volatile(store " [%0], %1;" : : "l"(out + at), "r"(value) : "memory");

    FORM(0, "ld.global.ca.s32", "st.global.wb.s32")
    FORM(1, "ld.global.cg.s32", "st.global.cg.s32")
    FORM(2, "ld.global.cs.s32", "st.global.cs.s32")
    FORM(3, "ld.global.cv.s32", "st.global.wt.s32")
    FORM(4, "ld.global.lu.s32", "st.volatile.global.s32")
    FORM(5, "ld.volatile.global.s32", "st.relaxed.sys.global.s32")
    FORM(6, "ld.acquire.cta.global.s32", "st.release.cta.global.s32")
    FORM(7, "ld.acquire.sys.global.s32", "st.release.sys.global.s32")
    FORM(8, "ld.relaxed.cluster.global.s32", "st.weak.global.s32")
    FORM(9, "ld.weak.global.s32", "st.s32")
    FORM(10, "ld.global.nc.s32", "st.global.s32")
    FORM(11, "ld.s32", "st.global.s32")
    out[12] = __ldg(&words[12]);
    out[13] = __ldcg(&words[13]);
    out[14] = __ldcs(&words[14]);
    out[15] = __ldcv(&words[15]);
    __stcg(&out[16], __ldca(&words[16]));
    __stcs(&out[17], __ldlu(&words[17]));
    __stwb(&out[18], words[18]);
    __stwt(&out[19], words[19]);
    asm volatile("prefetch.global.L1 [%0];\n"
                 "prefetch.global.L2 [%0];" ::"l"(words));
    asm volatile("ld.global.L1::evict_last.L2::128B.s32 %0, [%1];" : "=r"(value) : "l"(words + 20) : "memory");
    out[20] = value;
}

/* A volatile word is really read every time. */
__global__ void wait_for_change(volatile int *word, int *steps)
{
    if (threadIdx.x == 0) {
        int count = 0;

        for (int want = 1; want <= 3; want++) {
            while (*word < want)
                ;
            count++;
        }
        *steps = count;
    } else if (threadIdx.x == 32) {
        for (int i = 1; i <= 3; i++) {
            *word = i;
            __nanosleep(100);
        }
    }
}

int main(void)
{
    enum { N = 512 };
    int *a = device_zeros<int>(N);
    int *b = device_zeros<int>(N);
    int *seen = device_zeros<int>(2 * N);
    int *wrong = device_zeros<int>(1);
    std::vector<int> want(64), words(21);

    for (int round = 0; round < 5; round++) {
        CUDA_CHECK(cudaMemset(a, 0, N * sizeof(int)));
        CUDA_CHECK(cudaMemset(b, 0, N * sizeof(int)));
        message_passing<<<2, 128>>>(a, b, wrong, N);
        CHECK_KERNEL();
        CUDA_CHECK(cudaMemset(a, 0, N * sizeof(int)));
        CUDA_CHECK(cudaMemset(b, 0, N * sizeof(int)));
        acquire_release<<<2, 128>>>(a, b, wrong, N);
        CHECK_KERNEL();
        CUDA_CHECK(cudaMemset(a, 0, N * sizeof(int)));
        CUDA_CHECK(cudaMemset(b, 0, N * sizeof(int)));
        store_buffering<<<2, 128>>>(a, b, seen, N);
        CHECK_KERNEL();
        std::vector<int> both = host_copy(seen, 2 * N);

        for (int i = 0; i < N; i++)
            EXPECT(both[2 * i] || both[2 * i + 1]);
        CUDA_CHECK(cudaMemset(a, 0, sizeof(int)));
        coherence<<<3, 64>>>(a, wrong, 200);
        CHECK_KERNEL();
        expect_device("forbidden", std::vector<int>{0}, wrong);
    }
    for (int i = 0; i < 64; i++)
        want[i] = (63 - i) * 3 + 1;
    in_block<<<1, 128>>>(a);
    CHECK_KERNEL();
    expect_device("in a block", want, a);
    for (int i = 0; i < 21; i++)
        words[i] = 1000 + i;
    int *device_words = device_copy(words);

    every_form<<<1, 1>>>(device_words, a);
    CHECK_KERNEL();
    expect_device("every form", words, a);
    CUDA_CHECK(cudaMemset(a, 0, 8));
    wait_for_change<<<1, 64>>>(a, b);
    CHECK_KERNEL();
    expect_device("volatile", std::vector<int>{3}, b);
    device_free(a);
    device_free(b);
    device_free(seen);
    device_free(wrong);
    device_free(device_words);
    return passed();
}
