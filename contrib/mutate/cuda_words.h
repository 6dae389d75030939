/*
 * cuda_words.h - CUDA's words for libclang, which reads a submission's syntax and compiles nothing.
 *
 * Included before everything when main_mutate.c reads a .cu file. The CUDA Toolkit's own headers declare the runtime;
 * those of clang 14 know no toolkit as new. So what nvcc itself knows stands here: how functions and memory are marked,
 * the threads' coordinates, the call of a kernel, and the device's built-in functions, whose types do not matter here.
 */
#ifndef MUTATE_CUDA_WORDS_H
#define MUTATE_CUDA_WORDS_H

/* clang's own <new> uses these, and wants <cstdlib> before it. */
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#include <cstdlib>
#include <new>
#undef __device__
#undef __host__
/* What is not marked may be called from everywhere: the language is not what is checked here. */
#pragma clang force_cuda_host_device begin
#include <math.h>
#include <cuda_runtime.h>
#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#undef __launch_bounds__
#undef __align__
#undef __noinline__
#undef __forceinline__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

/* clang's name of what <<<...>>> calls. */
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
extern "C" cudaError_t __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);

extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
static const int warpSize = 32;

/* A function of anything, to a number: on the host and on the device. */
#define WORD(type, name) template <class... Any> type name(Any...);
#define WORDS(type, list) list(type)
#define NOTHING(type) \
    WORD(type, __syncwarp) WORD(type, __threadfence) WORD(type, __threadfence_block) \
    WORD(type, __threadfence_system) WORD(type, __nanosleep) WORD(type, __trap) WORD(type, __stcg) WORD(type, __stcs) \
    WORD(type, __stwt) WORD(type, __pipeline_commit) WORD(type, __pipeline_wait_prior) \
    WORD(type, __pipeline_memcpy_async)
#define COUNTS(type) \
    WORD(type, __syncthreads_or) WORD(type, __syncthreads_and) WORD(type, __syncthreads_count) WORD(type, __popc) \
    WORD(type, __popcll) WORD(type, __clz) WORD(type, __clzll) WORD(type, __ffs) WORD(type, __ffsll) \
    WORD(type, __any_sync) WORD(type, __all_sync) WORD(type, __float_as_int) WORD(type, __float2int_rn) \
    WORD(type, __double2int_rn) WORD(type, __mul24) WORD(type, __mulhi)
#define WORDS32(type) \
    WORD(type, __ballot_sync) WORD(type, __activemask) WORD(type, __umulhi) WORD(type, __byte_perm) \
    WORD(type, __funnelshift_l) WORD(type, __funnelshift_r) WORD(type, __funnelshift_lc) WORD(type, __funnelshift_rc) \
    WORD(type, __float_as_uint) WORD(type, __brev) WORD(type, __match_any_sync) WORD(type, __vcmpeq4) \
    WORD(type, __cvta_generic_to_shared) WORD(type, __reduce_or_sync) WORD(type, __reduce_and_sync) \
    WORD(type, __reduce_xor_sync)
#define FLOATS(type) \
    WORD(type, __int_as_float) WORD(type, __uint_as_float) WORD(type, __fadd_rn) WORD(type, __fsub_rn) \
    WORD(type, __fmul_rn) WORD(type, __fmaf_rn) WORD(type, __fdiv_rn) WORD(type, __fsqrt_rn) WORD(type, __expf) \
    WORD(type, __logf) WORD(type, __cosf) WORD(type, __sinf) WORD(type, __fdividef)
#define DOUBLES(type) WORD(type, __hiloint2double) WORD(type, __dadd_rn) WORD(type, __dmul_rn) WORD(type, __fma_rn)
WORDS(void, NOTHING)
WORDS(int, COUNTS)
WORDS(unsigned, WORDS32)
WORDS(float, FLOATS)
WORDS(double, DOUBLES)

#define __syncthreads() ((void)0)

/* Kernels as arguments. */
template <class Kernel> cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int);
template <class Kernel> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, Kernel);
template <class Kernel> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, Kernel, int, size_t);
template <class Kernel> cudaError_t cudaLaunchCooperativeKernel(Kernel, dim3, dim3, void **, size_t = 0,
                                                                cudaStream_t = 0);
namespace cooperative_groups {
struct grid_group {
    void sync() const;
    unsigned thread_rank() const, size() const;
};
grid_group this_grid();
}

/* Those that give what they are given. */
#define SAME_AS_FIRST(name) \
    template <class First, class... Any> First name(First, Any...);
#define SAME_AS_POINTED(name) \
    template <class First, class... Any> First name(First *, Any...);
#define SAME_AS_SECOND(name) \
    template <class First, class Second, class... Any> Second name(First, Second, Any...);
SAME_AS_SECOND(__shfl_sync)
SAME_AS_SECOND(__shfl_xor_sync)
SAME_AS_SECOND(__shfl_up_sync)
SAME_AS_SECOND(__shfl_down_sync)
SAME_AS_SECOND(__reduce_add_sync)
SAME_AS_SECOND(__reduce_max_sync)
SAME_AS_SECOND(__reduce_min_sync)
SAME_AS_FIRST(min)
SAME_AS_FIRST(max)
SAME_AS_POINTED(atomicAdd)
SAME_AS_POINTED(atomicSub)
SAME_AS_POINTED(atomicMin)
SAME_AS_POINTED(atomicMax)
SAME_AS_POINTED(atomicAnd)
SAME_AS_POINTED(atomicOr)
SAME_AS_POINTED(atomicXor)
SAME_AS_POINTED(atomicExch)
SAME_AS_POINTED(atomicCAS)
SAME_AS_POINTED(__ldcg)
SAME_AS_POINTED(__ldcs)
SAME_AS_POINTED(__ldcv)
SAME_AS_POINTED(__ldg)

#endif
