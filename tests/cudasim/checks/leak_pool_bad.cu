// expect: leak
/*
 * leak_pool_bad.cu - a memory pool that the program made is never destroyed.
 */
#include "check_case.h"

int main(void)
{
    cudaMemPoolProps properties = {};
    cudaMemPool_t pool;

    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
    return finish(cudaSuccess);
}
