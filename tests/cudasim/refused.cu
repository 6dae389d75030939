/*
 * refused.cu - of the kernels of one file, those that have what the simulator does not support are refused alone, and
 * so are those that call a function with it; the others run.
 *
 * The program does not look at the launches' errors: standard error must name each kernel. (On a device none of
 * the refused kernels could run either, for CUDA makes no multisampled textures, so this program is for the simulator.)
 */
#include <cstdio>
#include <cuda_runtime.h>

#define SAMPLE(object) \
    asm volatile("{ .reg .b32 a, b, c, d; tex.base.2dms.v4.f32.s32 {a, b, c, d}, [%0, {a, b, c, d}]; }" ::"l"(object) \
                 : "memory")

__device__ __noinline__ void sample_many(int *data)
{
    SAMPLE(data);
}

__global__ void direct(int *data)
{
    SAMPLE(data);
}

__global__ void by_call(int *data)
{
    sample_many(data + threadIdx.x);
}

__global__ void plain(int *data)
{
    data[threadIdx.x] = (int)threadIdx.x + 1;
}

int main()
{
    int *data, host[32];
    bool good = cudaMalloc(&data, sizeof host) == cudaSuccess;

    plain<<<1, 32>>>(data);
    direct<<<1, 32>>>(data);
    by_call<<<1, 32>>>(data);
    good = good && cudaGetLastError() == cudaErrorInvalidPtx && cudaDeviceSynchronize() == cudaSuccess;
    good = good && cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int i = 0; i < 32; i++)
        good = good && host[i] == i + 1;
    good = good && cudaFree(data) == cudaSuccess;
    printf(good ? "PASSED\n" : "wrong\n");
    return !good;
}
