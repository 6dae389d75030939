// expect: nothing
/*
 * leak_pool_good.cu - the program destroys its memory pool.
 */
#include "check_case.h"

int main(void)
{
    cudaMemPoolProps properties = {};
    cudaMemPool_t pool;

    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
    int status = finish(cudaSuccess);

    cudaMemPoolDestroy(pool);
    return status;
}
