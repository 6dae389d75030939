// expect: deadlock kernel=unmatched
/*
 * deadlock_barrier_bad.cu - two of three warps arrive at a named barrier that waits for 96 threads; the third never
 * comes. On a real device this hangs.
 */
#include "check_case.h"

__global__ void unmatched(int *out)
{
    int i = threadIdx.x;

    if (i < 64)
        asm volatile("bar.sync 1, 96;" ::: "memory"); /* HERE */
    out[i] = i;
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 96 * sizeof(int)));
    unmatched<<<1, 96>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
