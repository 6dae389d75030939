// flags: -rdc=true tests/cudasim/separate/other.cu
/*
 * separate.cu - relocatable device code: variables, constants and functions over two files, names that both have for
 * themselves, a pointer to the other file's function, shared memory of both, and both files' kernels.
 */
#include "check.h"
#include "separate/shared.h"

__device__ int counter = 7;
__constant__ int table[4] = { 1, 2, 3, 4 };
static __device__ int own = 5;
__device__ int *address_of_counter = &counter;

static __device__ int helper(int x) { return x + own; }

__global__ void here(int *out)
{
    __shared__ int sums[32];

    sums[threadIdx.x] = other_twice((int)threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;

        for (int i = 0; i < 32; i++)
            sum += sums[i];
        out[0] = sum;
        out[1] = helper(1);
        out[2] = other_function(3);
        out[3] = apply<int>(20);
        out[4] = other_shared(6);
        atomicAdd(address_of_counter, 100);
    }
}

int main()
{
    int *out = device_zeros<int>(8), host[8], value = 0;

    here<<<1, 32>>>(out);
    CHECK_KERNEL();
    launch_there(out + 5);
    CUDA_CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(host[0] == 2 * (31 * 32 / 2) + 32 * 50);
    EXPECT(host[1] == 1 + 5);
    EXPECT(host[2] == 3 * table_sum());
    EXPECT(host[3] == 21);
    EXPECT(host[4] == 6 * 7 / 2);
    EXPECT(host[5] == 107 + 50);
    EXPECT(host[6] == 41);
    CUDA_CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    EXPECT(value == 107);
    value = 9;
    CUDA_CHECK(cudaMemcpyToSymbol(there, &value, sizeof value));
    CUDA_CHECK(cudaMemcpyFromSymbol(&value, there, sizeof value));
    EXPECT(value == 9);
    CUDA_CHECK(cudaFree(out));
    return passed();
}
