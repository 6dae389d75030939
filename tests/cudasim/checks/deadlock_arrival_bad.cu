// expect: deadlock kernel=meet
/*
 * deadlock_arrival_bad.cu - a barrier in shared memory waits for one thread more than the block has. The wait of
 * libcu++ looks at the time between its attempts. On a real device this hangs.
 */
#include <cuda/barrier>

#include "check_case.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void meet(int *values)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    __shared__ int shared[64];

    if (threadIdx.x == 0)
        init(&all, blockDim.x + 1);
    __syncthreads();
    shared[threadIdx.x] = values[threadIdx.x];
    all.arrive_and_wait(); /* HERE */
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
