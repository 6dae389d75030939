// flags: -lcuda
/*
 * lazy_load.cu - first launches of kernels, which load them on a GPU, before and while a stream waits for a word. An
 * H200 hangs in the last one, unless CUDA_MODULE_LOADING is EAGER.
 */
#include <cuda.h>

#include "../check.h"

#define CU(call) EXPECT((call) == CUDA_SUCCESS)

static __global__ void known(int *p)
{
    *p += 1;
}

static __global__ void unknown(int *p)
{
    *p += 10;
}

int main()
{
    int *words = device_zeros<int>(2);
    cudaStream_t waits, writes;

    CUDA_CHECK(cudaStreamCreateWithFlags(&waits, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&writes, cudaStreamNonBlocking));
    known<<<1, 1>>>(words + 1);
    CHECK_KERNEL();
    CU(cuStreamWaitValue32(waits, (CUdeviceptr)words, 1, CU_STREAM_WAIT_VALUE_GEQ));
    known<<<1, 1, 0, waits>>>(words + 1);
    unknown<<<1, 1, 0, waits>>>(words + 1);
    CU(cuStreamWriteValue32(writes, (CUdeviceptr)words, 1, 0));
    CUDA_CHECK(cudaStreamSynchronize(waits));
    expect_device("sum", std::vector<int>{12}, words + 1);
    CUDA_CHECK(cudaStreamDestroy(waits));
    CUDA_CHECK(cudaStreamDestroy(writes));
    device_free(words);
    return passed();
}
