// expect: nothing
/*
 * barrier_number_good.cu - two kinds of warps meet at one barrier, by its number: PTX does not ask for one instruction.
 */
#include "check_case.h"

__global__ void halves(int *out)
{
    __shared__ int values[64];
    int i = threadIdx.x;

    if (i < 32) {
        values[i] = i;
        asm volatile("bar.sync 5;" ::: "memory");
        out[i] = values[i + 32];
    } else {
        values[i] = 2 * i;
        asm volatile("bar.sync 5;" ::: "memory");
        out[i] = values[i - 32] + 1;
    }
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    halves<<<1, 64>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
