// expect: mismatched-barrier kernel=two_sides
/*
 * barrier_mismatch_bad.cu - one warp expects 64 threads at named barrier 1, the other 96.
 */
#include "check_case.h"

__global__ void two_sides(int *out)
{
    __shared__ volatile int values[64];
    int i = threadIdx.x;

    values[i] = i;
    if (i < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 1, 96;" ::: "memory"); /* HERE */
    out[i] = values[63 - i];
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    two_sides<<<1, 64>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
