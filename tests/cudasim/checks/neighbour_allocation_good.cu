// expect: nothing
/*
 * neighbour_allocation_good.cu - an index stays in its allocation.
 */
#include "check_case.h"

enum { ROWS = 40, COLUMNS = 100 };

__global__ void scale(float *values, int rows)
{
    int row = threadIdx.x;

    for (int column = 0; column < COLUMNS; column++)
        values[row * COLUMNS + column] = 2;
}

int main(void)
{
    float *first, *second;

    CUDA_CHECK(cudaMalloc(&first, ROWS * COLUMNS * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&second, ROWS * COLUMNS * sizeof(float)));
    scale<<<1, ROWS>>>(first, ROWS);
    scale<<<1, ROWS>>>(second, 0);
    int status = finish(cudaSuccess);

    cudaFree(first);
    cudaFree(second);
    return status;
}
