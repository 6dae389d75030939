// expect: uninitialised kernel=draw
/*
 * uninitialised_generator_bad.cu - generators of random numbers draw before curand_init() has given them a state.
 */
#include <curand_kernel.h>
#include "check_case.h"

__global__ void draw(curandState *states, unsigned *numbers)
{
    numbers[threadIdx.x] = curand(&states[threadIdx.x]); /* HERE */
}

int main(void)
{
    curandState *states;
    unsigned *numbers;

    CUDA_CHECK(cudaMalloc(&states, 32 * sizeof *states));
    CUDA_CHECK(cudaMalloc(&numbers, 32 * sizeof *numbers));
    draw<<<1, 32>>>(states, numbers);
    int status = finish(cudaSuccess);

    cudaFree(states);
    cudaFree(numbers);
    return status;
}
