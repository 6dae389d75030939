// expect: illegal-address kernel=copy_previous
/*
 * null_pointer_before_bad.cu - a read of the element before a null pointer: the last bytes of the address space.
 */
#include "check_case.h"

__global__ void copy_previous(int *out, const int *in)
{
    out[threadIdx.x] = in[-1]; /* HERE */
}

int main(void)
{
    int *out;

    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    copy_previous<<<1, 32>>>(out, nullptr);
    int status = finish(cudaSuccess);

    cudaFree(out);
    return status;
}
