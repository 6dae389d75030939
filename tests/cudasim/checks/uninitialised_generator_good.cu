// expect: nothing
/*
 * uninitialised_generator_good.cu - curand_init() gives the generators a state; an atomic object is stored before it is
 * loaded.
 */
#include <cuda/atomic>
#include <curand_kernel.h>
#include "check_case.h"

__global__ void draw(curandState *states, unsigned *numbers)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> number(numbers[threadIdx.x]);

    curand_init(7, threadIdx.x, 0, &states[threadIdx.x]);
    number.store(curand(&states[threadIdx.x]));
    number.fetch_add(number.load());
    if (curand_normal(&states[threadIdx.x]) + curand_uniform(&states[threadIdx.x]) > 3.0f)
        number.fetch_or(1u);
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
