// expect: nothing
/*
 * local_returned_good.cu - the array is the kernel's, and a function that it calls fills it and reads it.
 */
#include "check_case.h"

struct choice {
    int *values;
};

__device__ __noinline__ int offer(choice *c, int first)
{
    int most = 0;

    for (int k = 0; k < 4; k++)
        c->values[k] = first + k;
    for (int k = 0; k < 4; k++)
        most = c->values[(first + k) & 3] > most ? c->values[(first + k) & 3] : most;
    return most;
}

__global__ void choose(int *out)
{
    int values[4];
    choice c = {values};
    int most = offer(&c, threadIdx.x);

    out[threadIdx.x] = values[threadIdx.x & 3] + most;
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
