// expect: out-of-bounds kernel=publish
/*
 * shared_pointer_bad.cu - a block uses the address of another block's shared memory, which came by global memory.
 */
#include "check_case.h"

__global__ void publish(int **place, int *flag, int *out)
{
    __shared__ int tile[32];

    tile[threadIdx.x] = blockIdx.x;
    __syncwarp();
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        *place = tile;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
        out[0] = (*place)[3]; /* HERE */
    }
}

int main(void)
{
    int **place, *flag, *out;

    CUDA_CHECK(cudaMalloc(&place, sizeof *place));
    CUDA_CHECK(cudaMalloc(&flag, sizeof *flag));
    CUDA_CHECK(cudaMalloc(&out, sizeof *out));
    CUDA_CHECK(cudaMemset(flag, 0, sizeof *flag));
    publish<<<2, 32>>>(place, flag, out);
    int status = finish(cudaSuccess);

    cudaFree(place);
    cudaFree(flag);
    cudaFree(out);
    return status;
}
