// expect: illegal-address kernel=increment
/*
 * host_pointer_bad.cu - a pointer of the CPU's malloc is passed to a kernel.
 */
#include "check_case.h"

__global__ void increment(int *values)
{
    values[threadIdx.x] += 1; /* HERE */
}

int main(void)
{
    int *values = (int *)calloc(32, sizeof(int));

    increment<<<1, 32>>>(values);
    int status = finish(cudaSuccess);

    free(values);
    return status;
}
