/* other.cu - the second file of the program `separate`. */
#include "../check.h"
#include "shared.h"

__device__ int there = 1;
static __device__ int own = 50;

static __device__ int helper(int x) { return x + own; }

__device__ int other_twice(int x) { return helper(2 * x); }

static __device__ int by_table(int x)
{
    int sum = 0;

    for (int i = 0; i < 4; i++)
        sum += table[i] * x;
    return sum;
}

__device__ int (*other_function)(int x) = by_table;

__device__ int other_shared(int count)
{
    __shared__ int terms[16];
    int sum = 0;

    for (int i = 0; i < count; i++)
        terms[i] = i + 1;
    for (int i = 0; i < count; i++)
        sum += terms[i];
    return sum;
}

__global__ void there_kernel(int *out)
{
    out[0] = helper(counter);
    out[1] = apply<int>(40);
}

void launch_there(int *out)
{
    there_kernel<<<1, 1>>>(out);
    CHECK_KERNEL();
}

int table_sum() { return 1 + 2 + 3 + 4; }
