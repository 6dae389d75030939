// expect: unchecked-error
/*
 * unchecked_event_bad.cu - a destroyed event is recorded, and no code checks the error.
 */
#include "check_case.h"

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1;
}

int main(void)
{
    cudaEvent_t event;
    int *out;

    CUDA_CHECK(cudaEventCreate(&event));
    CUDA_CHECK(cudaEventDestroy(event));
    CUDA_CHECK(cudaMalloc(&out, 128));
    fill<<<1, 32>>>(out);
    cudaEventRecord(event);
    CUDA_CHECK(cudaDeviceSynchronize());
    cudaFree(out);
    printf("done\n");
    return 0;
}
