// expect: out-of-bounds kernel=choose
/*
 * local_returned_bad.cu - a function returns a pointer to its own array, and the kernel reads through it.
 */
#include "check_case.h"

struct choice {
    const int *values;
};

__device__ __noinline__ void offer(choice *c, int first)
{
    int values[4] = {first, first + 1, first + 2, first + 3};

    c->values = values;
}

__global__ void choose(int *out)
{
    choice c;

    offer(&c, threadIdx.x);
    out[threadIdx.x] = c.values[threadIdx.x & 3]; /* HERE */
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    choose<<<1, 32>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
