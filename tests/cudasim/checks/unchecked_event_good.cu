// expect: nothing
/*
 * unchecked_event_good.cu - an event that was destroyed is recorded, and the last error is asked for.
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
    cudaGetLastError();
    CUDA_CHECK(cudaDeviceSynchronize());
    cudaFree(out);
    printf("done\n");
    return 0;
}
