/*
 * host_memory.cu - registered and mapped memory, peers that are not there, symbols, functions' names, callbacks.
 */
#include "../check.h"

static __device__ int table[8];
static __constant__ float factors[4];

static __global__ void twice(int *in, int n)
{
    int i = (int)threadIdx.x;

    if (i < n)
        in[i] = in[i] * 2 + table[i % 8] + (int)factors[i % 4];
}

static void CUDART_CB count(cudaStream_t, cudaError_t status, void *to)
{
    *(int *)to += status == cudaSuccess ? 1 : 100;
}

int main(void)
{
    std::vector<int> numbers(64), first = {1, 2, 3, 4, 5, 6, 7, 8};
    const float list[4] = {10, 20, 30, 40};
    int *mapped, *seen, calls = 0, access = 7, devices = 0, value;
    void *address;
    size_t size;
    const char *name;
    cudaPointerAttributes about;

    for (int i = 0; i < 64; i++)
        numbers[i] = i;
    CUDA_CHECK(cudaMemcpyToSymbol(table, first.data(), 32));
    CUDA_CHECK(cudaMemcpyToSymbol(factors, list, sizeof list));
    CUDA_CHECK(cudaHostRegister(numbers.data(), 256, cudaHostRegisterMapped));
    CUDA_CHECK(cudaHostGetDevicePointer((void **)&seen, numbers.data(), 0));
    twice<<<1, 64>>>(seen, 64);
    CUDA_CHECK(cudaStreamAddCallback(0, count, &calls, 0));
    CHECK_KERNEL();
    for (int i = 0; i < 64; i++)
        EXPECT(numbers[i] == 2 * i + first[i % 8] + (int)list[i % 4]);
    EXPECT(calls == 1);
    CUDA_CHECK(cudaHostUnregister(numbers.data()));
    EXPECT_ERROR(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(numbers.data()));
    CUDA_CHECK(cudaHostAlloc((void **)&mapped, 256, cudaHostAllocMapped | cudaHostAllocWriteCombined));
    CUDA_CHECK(cudaPointerGetAttributes(&about, mapped));
    EXPECT(about.type == cudaMemoryTypeHost && about.hostPointer == mapped && about.devicePointer);
    CUDA_CHECK(cudaFreeHost(mapped));
    CUDA_CHECK(cudaGetSymbolAddress(&address, table));
    CUDA_CHECK(cudaGetSymbolSize(&size, table));
    EXPECT(size == 32);
    CUDA_CHECK(cudaMemcpy(&value, (int *)address + 3, 4, cudaMemcpyDefault));
    EXPECT(value == 4);
    CUDA_CHECK(cudaFuncGetName(&name, (const void *)twice));
    EXPECT(strstr(name, "twice"));
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(devices));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&access, 0, devices));
    CUDA_CHECK(cudaMemcpyPeer(address, 0, (int *)address + 4, 0, 16));
    CUDA_CHECK(cudaMemcpyFromSymbol(first.data(), table, 32));
    EXPECT(first == (std::vector<int>{5, 6, 7, 8, 5, 6, 7, 8}));
    EXPECT(cudaMemcpy(nullptr, address, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaSuccess && !strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
    return passed();
}
