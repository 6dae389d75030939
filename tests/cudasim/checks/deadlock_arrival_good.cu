// expect: nothing
/*
 * deadlock_arrival_good.cu - a barrier in shared memory waits for as many threads as the block has.
 */
#include <cuda/barrier>

#include "check_case.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void meet(int *values)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    __shared__ int shared[64];

    if (threadIdx.x == 0)
        init(&all, blockDim.x);
    __syncthreads();
    shared[threadIdx.x] = values[threadIdx.x];
    all.arrive_and_wait();
    values[threadIdx.x] = shared[63 - threadIdx.x];
}

int main(void)
{
    int *values;

    CUDA_CHECK(cudaMalloc(&values, 64 * sizeof(int)));
    CUDA_CHECK(cudaMemset(values, 0, 64 * sizeof(int)));
    meet<<<1, 64>>>(values);
    int status = finish(cudaSuccess);

    cudaFree(values);
    return status;
}
