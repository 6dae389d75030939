/*
 * One block with a thread for each number: more than 1024 threads are refused, and the submission gives up.
 */
#include "device_user.h"

#include "cuda_user.h"

template <class T> __global__ void scan(const T *values, T *sums, size_t n)
{
    const size_t i = threadIdx.x;
    T sum = 0;

    for (size_t k = 0; k <= i && i < n; k++)
        sum += values[k];
    if (i < n)
        sums[i] = sum;
}

extern "C" void device_user(const void *values, const uint8_t *starts, void *sums, size_t n, int type,
                            device_stream stream)
{
    (void)starts;
    if (type == SCAN_UINT32)
        scan<<<1, (unsigned)n, 0, stream>>>((const uint32_t *)values, (uint32_t *)sums, n);
    else if (type == SCAN_UINT64)
        scan<<<1, (unsigned)n, 0, stream>>>((const uint64_t *)values, (uint64_t *)sums, n);
    else
        scan<<<1, (unsigned)n, 0, stream>>>((const float *)values, (float *)sums, n);
    CUDA_CHECK_LAUNCH();
}
