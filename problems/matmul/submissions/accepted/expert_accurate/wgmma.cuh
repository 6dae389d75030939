/*
 * wgmma.cuh - the instructions of sm_90a that the product is made of: mbarriers, bulk copies, descriptors, wgmma.
 */
#pragma once

#include "common.cuh"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

__device__ __forceinline__ void barrier_init(uint32_t barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/* Arrives, and says how many bytes must arrive too. */
__device__ __forceinline__ void barrier_expect(uint32_t barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void barrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void barrier_wait(uint32_t barrier, uint32_t parity)
{
    asm volatile("{\n.reg .pred p;\nagain%=:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again%=;\n}"
                 ::"r"(barrier), "r"(parity)
                 : "memory");
}

/* Bytes and addresses are multiples of 16. */
__device__ __forceinline__ void bring(uint32_t to, const void *from, int bytes, uint32_t barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

/* A descriptor of swizzled halves. leading: from 64 columns of B to the next; stride: eight rows of 128 bytes. */
__device__ __forceinline__ uint64_t describe(uint32_t address, uint32_t leading)
{
    const uint64_t stride = 8 * 128, swizzled = 1;

    return (address & 0x3ffff) >> 4 | (uint64_t)(leading >> 4) << 16 | stride >> 4 << 32 | swizzled << 62;
}

#define FLOATS_4(x, i) "+f"((x)[i]), "+f"((x)[(i) + 1]), "+f"((x)[(i) + 2]), "+f"((x)[(i) + 3])
#define FLOATS_16(x, i) FLOATS_4(x, i), FLOATS_4(x, (i) + 4), FLOATS_4(x, (i) + 8), FLOATS_4(x, (i) + 12)

/* d {+}= a b: 64 x 128 of 16 products; a's rows are k, b's rows are columns. */
__device__ __forceinline__ void multiply_16(float (&d)[64], uint64_t a, uint64_t b, int add)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
                 "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
                 "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, "
                 "%59, %60, %61, %62, %63}, "
                 "%64, %65, p, 1, 1, 0, 1;\n}"
                 : FLOATS_16(d, 0), FLOATS_16(d, 16), FLOATS_16(d, 32), FLOATS_16(d, 48)
                 : "l"(a), "l"(b), "r"(add));
}

#endif
