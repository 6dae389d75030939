// expect: nothing
/*
 * out_of_bounds_shared_good.cu - the index stays inside of dynamic shared memory.
 */
#include "check_case.h"

__global__ void reverse(int *values, int n)
{
    extern __shared__ int staged[];
    int i = threadIdx.x;

    staged[i] = values[i];
    __syncthreads();
    values[i] = staged[n - 1 - i];
}

int main(void)
{
    enum { N = 64 };
    int *values;

    CUDA_CHECK(cudaMalloc(&values, N * sizeof(int)));
    CUDA_CHECK(cudaMemset(values, 0, N * sizeof(int)));
    reverse<<<1, N, N * sizeof(int)>>>(values, N);
    int status = finish(cudaSuccess);

    cudaFree(values);
    return status;
}
