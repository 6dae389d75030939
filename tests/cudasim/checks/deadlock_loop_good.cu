// expect: nothing
/*
 * deadlock_loop_good.cu - the search leaves out the place that it looked at.
 */
#include "check_case.h"

__global__ void find(const int *sorted, int count, int *places)
{
    int low = 0, high = count, key = 3 * threadIdx.x;

    while (low < high) {
        int middle = (low + high) / 2;

        if (__ldg(&sorted[middle]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    places[threadIdx.x] = low;
}

int main(void)
{
    int values[64], *sorted, *places;

    for (int i = 0; i < 64; i++)
        values[i] = 2 * i;
    CUDA_CHECK(cudaMalloc(&sorted, sizeof values));
    CUDA_CHECK(cudaMalloc(&places, 32 * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(sorted, values, sizeof values, cudaMemcpyHostToDevice));
    find<<<1, 32>>>(sorted, 64, places);
    int status = finish(cudaSuccess);

    cudaFree(sorted);
    cudaFree(places);
    return status;
}
