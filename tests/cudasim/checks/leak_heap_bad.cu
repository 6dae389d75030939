// expect: leak
/*
 * leak_heap_bad.cu - a kernel allocates a list, and no code frees it.
 */
#include "check_case.h"

__device__ int *list;

__global__ void make(int *out)
{
    list = (int *)malloc(64);
    list[0] = 1;
    *out = list[0];
}

__global__ void drop(int *out)
{
    *out += list[0];
    list = nullptr;
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, sizeof(int)));
    make<<<1, 1>>>(out);
    drop<<<1, 1>>>(out);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
