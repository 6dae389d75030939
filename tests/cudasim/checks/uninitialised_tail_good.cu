/*
 * uninitialised_tail_good.cu - the grid is rounded up. The host may also copy a whole buffer of which only a part was
 * filled, and a plane whose border nobody writes.
 */
#include "check_case.h"

__global__ void count(int *values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        values[i] = i;
}

__global__ void even(int *values, int *found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && i % 2 == 0)
        values[atomicAdd(found, 1)] = i;
}

__global__ void inner(int *plane, int width, int height)
{
    int x = threadIdx.x, y = blockIdx.x;

    if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
        plane[y * width + x] = x + y;
}

int main(void)
{
    enum { N = 1000, THREADS = 128, SIDE = 20 };
    static int host[N];
    int *values, *filtered, *found, *plane;

    CUDA_CHECK(cudaMalloc(&values, sizeof host));
    CUDA_CHECK(cudaMalloc(&filtered, sizeof host));
    CUDA_CHECK(cudaMalloc(&found, sizeof *found));
    CUDA_CHECK(cudaMalloc(&plane, SIDE * SIDE * sizeof *plane));
    CUDA_CHECK(cudaMemset(found, 0, sizeof *found));
    count<<<(N + THREADS - 1) / THREADS, THREADS>>>(values, N);
    CUDA_CHECK(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
    even<<<(N + THREADS - 1) / THREADS, THREADS>>>(filtered, found, N);
    CUDA_CHECK(cudaMemcpy(host, filtered, sizeof host, cudaMemcpyDeviceToHost));
    inner<<<SIDE, SIDE>>>(plane, SIDE, SIDE);
    int status = finish(cudaMemcpy2D(host, SIDE * sizeof(int), plane, SIDE * sizeof(int), SIDE * sizeof(int), SIDE,
                                     cudaMemcpyDeviceToHost));

    cudaFree(values);
    cudaFree(filtered);
    cudaFree(found);
    cudaFree(plane);
    return status;
}
