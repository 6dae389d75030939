/* The baseline: every thread looks at every n-th value, and one atomic operation per thread gathers the largest. */
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "baseline.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

__global__ void largest_of(const int *values, int count, int *largest)
{
    int own = INT_MIN;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        own = max(own, values[i]);
    atomicMax(largest, own);
}

extern "C" int device_user(const int *values, int count)
{
    int *memory, largest = INT_MIN; /* the result, then the values */

    CHECK(cudaMalloc(&memory, ((size_t)count + 1) * sizeof *memory));
    CHECK(cudaMemcpy(memory, &largest, sizeof largest, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(memory + 1, values, (size_t)count * sizeof *values, cudaMemcpyHostToDevice));
    largest_of<<<64, 256>>>(memory + 1, count, memory);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&largest, memory, sizeof largest, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(memory));
    return largest;
}
