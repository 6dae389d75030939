// flags: -lcuda
/*
 * stream_words.cu - the driver's writes and waits of words in a stream, one by one and in a list; pass-on calls.
 */
#include <cuda.h>

#include "../check.h"

#define CU(call) EXPECT((call) == CUDA_SUCCESS)

/* A kernel that is loaded at its first launch waits for all work, and here that waits for a word of a later call. */
static const int loaded = setenv("CUDA_MODULE_LOADING", "EAGER", 1);

static __global__ void spread(const unsigned *flag, unsigned *out)
{
    out[threadIdx.x] = *flag + threadIdx.x;
}

int main(void)
{
    unsigned *d = device_zeros<unsigned>(64), first;
    unsigned long long *wide = device_zeros<unsigned long long>(2);
    CUstream a, b;
    CUstreamBatchMemOpParams list[3] = {};
    std::vector<unsigned> got;

    CU(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    CU(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    CU(cuStreamWaitValue32(b, (CUdeviceptr)d, 5, CU_STREAM_WAIT_VALUE_GEQ));
    spread<<<1, 32, 0, b>>>(d, d + 1);
    CU(cuStreamWriteValue32(a, (CUdeviceptr)d, 7, CU_STREAM_WRITE_VALUE_DEFAULT));
    CU(cuStreamSynchronize(b));
    got = host_copy(d, 33);
    for (unsigned i = 0; i < 32; i++)
        EXPECT(got[1 + i] == 7 + i);
    CU(cuStreamWriteValue64(a, (CUdeviceptr)wide, 0x100000000ull, 0));
    CU(cuStreamWaitValue64(a, (CUdeviceptr)wide, 0x100000000ull, CU_STREAM_WAIT_VALUE_EQ));
    CU(cuStreamWaitValue32(a, (CUdeviceptr)d, 2, CU_STREAM_WAIT_VALUE_AND));
    CU(cuStreamWaitValue32(a, (CUdeviceptr)d, 7, CU_STREAM_WAIT_VALUE_NOR));
    list[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    list[0].writeValue.address = (CUdeviceptr)(d + 40), list[0].writeValue.value = 9;
    list[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    list[1].waitValue.address = (CUdeviceptr)(d + 40), list[1].waitValue.value = 9;
    list[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    list[2].operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    list[2].writeValue.address = (CUdeviceptr)(wide + 1), list[2].writeValue.value64 = 1ull << 40;
    CU(cuStreamBatchMemOp(a, 3, list, 0));
    CU(cuStreamSynchronize(a));
    CUDA_CHECK(cudaMemcpy(&first, d + 40, 4, cudaMemcpyDeviceToHost));
    EXPECT(first == 9);
    expect_device("wide", std::vector<unsigned long long>{1ull << 32, 1ull << 40}, wide);
    EXPECT(cuStreamWriteValue32(a, (CUdeviceptr)d + 2, 1, 0) == CUDA_ERROR_INVALID_VALUE);
    CU(cuStreamDestroy(a));
    CU(cuStreamDestroy(b));
    device_free(d), device_free(wide);
    return passed();
}
