/* shared.h - the interface between the two files of the program `separate`. */
#ifndef CUDASIM_TESTS_SEPARATE_H
#define CUDASIM_TESTS_SEPARATE_H

extern __device__ int counter, there;
extern __constant__ int table[4];

__device__ int other_twice(int x);
__device__ int other_shared(int count);
extern __device__ int (*other_function)(int x);
void launch_there(int *out);
int table_sum();

/* An instance of each file: one of them is kept. */
template <typename T> __device__ __noinline__ T apply(T x)
{
    return x + 1;
}

#endif
