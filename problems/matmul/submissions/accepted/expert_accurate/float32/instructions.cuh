/*
 * instructions.cuh - asynchronous copies, counters in shared memory (mbarriers), clusters.
 */
#pragma once

#include "common.cuh"

template <int WIDTH> __device__ __forceinline__ void copy(unsigned to, const float *from)
{
    if constexpr (WIDTH == 4)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from));
}

/* 16 bytes; zero if not there. */
__device__ __forceinline__ void copy_if(unsigned to, const float *from, bool there)
{
    asm volatile("{\n"
                 ".reg .pred none;\n"
                 "setp.eq.s32 none, %2, 0;\n"
                 "cp.async.cg.shared.global [%0], [%1], 16, none;\n"
                 "}" ::"r"(to), "l"(from), "r"((int)there));
}

/* The first `bytes` are read, all or none; the others become zero. */
template <int WIDTH> __device__ __forceinline__ void copy(unsigned to, const float *from, int bytes)
{
    if constexpr (WIDTH == 4)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes));
}

/* What the L2 cache does with lines that are read once: the next such lines replace them, or they are as all others. */
__device__ __forceinline__ unsigned long long policy_of(bool leave_soon)
{
    unsigned long long soon, like_others;

    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(soon));
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(like_others));
    return leave_soon ? soon : like_others;
}

__device__ __forceinline__ float read_by(unsigned long long policy, const float *from)
{
    float x;

    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(x) : "l"(from), "l"(policy));
    return x;
}

__device__ __forceinline__ float4 read_by(unsigned long long policy, const float4 *from)
{
    float4 x;

    asm volatile("ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                 : "l"(from), "l"(policy));
    return x;
}

__device__ __forceinline__ void counter_init(unsigned counter, int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(counter), "r"(count));
}

__device__ __forceinline__ void counter_arrive(unsigned counter)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(counter) : "memory");
}

/* Arrives when all copies of this thread up to here have. */
__device__ __forceinline__ void counter_arrive_after_copies(unsigned counter)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(counter) : "memory");
}

/* Waits for the end of the counter's phase of this parity; before the first phase, of parity 0, that of 1 has ended. */
__device__ __forceinline__ void counter_wait(unsigned counter, unsigned parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again%=:\n"
                 "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                 "@!done bra again%=;\n"
                 "}" ::"r"(counter), "r"(parity)
                 : "memory");
}

__device__ __forceinline__ int cluster_size()
{
    int size;

    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
    return size;
}

__device__ __forceinline__ int cluster_rank()
{
    int rank;

    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* What the blocks of the cluster wrote to shared memory before is there for all of them. */
__device__ __forceinline__ void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

/* From the same place in the shared memory of another block of the cluster. */
__device__ __forceinline__ void read_from(int rank, const float *place, float &x)
{
    const unsigned own = (unsigned)__cvta_generic_to_shared(place);
    unsigned there;

    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(rank));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(x) : "r"(there) : "memory");
}

__device__ __forceinline__ void read_from(int rank, const float *place, float4 &x)
{
    const unsigned own = (unsigned)__cvta_generic_to_shared(place);
    unsigned there;

    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(rank));
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                 : "r"(there)
                 : "memory");
}

__device__ __forceinline__ void add_to(float &sum, float x) { sum += x; }

__device__ __forceinline__ void add_to(float4 &sum, float4 x)
{
    sum.x += x.x;
    sum.y += x.y;
    sum.z += x.z;
    sum.w += x.w;
}

/* The first `count` of four, and 16 bytes at once where `whole` says that there is room for all. */
__device__ __forceinline__ void store(float *to, float4 x, int count, bool whole)
{
    if (whole) {
        *(float4 *)to = x;
        return;
    }
    to[0] = x.x;
    if (count > 1)
        to[1] = x.y;
    if (count > 2)
        to[2] = x.z;
    if (count > 3)
        to[3] = x.w;
}

__device__ __forceinline__ void store(float *to, float x, int, bool) { *to = x; }
