/*
 * again.cu - races that are met again and again. A test compares how often each line is counted: the check takes a
 * shorter way once a line is reported. Kernels without a mark meet such entries, but are right.
 */
#include "suite.h"

/* Loads and stores of all lanes in a row, of 4 and of 8 bytes. */
__global__ void words_in_place(int *data)
{
    for (int n = 0; n < 8; n++)
        data[threadIdx.x + 3] += n + (int)blockIdx.x; // RACE
}

__global__ void doubles_in_place(int *data)
{
    double *wide = (double *)data;

    for (int n = 0; n < 8; n++)
        wide[threadIdx.x] += n + (int)blockIdx.x; // RACE
}

/* One word of three, and one for all lanes. */
__global__ void scattered_in_place(int *data)
{
    for (int n = 0; n < 8; n++)
        data[3 * threadIdx.x] += n + (int)blockIdx.x; // RACE
}

__global__ void one_word_read(int *data)
{
    int sum = 0;

    for (int n = 0; n < 8; n++) {
        sum += data[64 * n]; // RACE
        if (threadIdx.x == 0)
            data[64 * n] = sum + (int)blockIdx.x; // RACE
    }
    data[4096 + blockIdx.x * 64 + threadIdx.x] = sum;
}

/* All blocks store the same value, which is no race. */
__global__ void stores_what_is_there(int *data)
{
    for (int n = 0; n < 8; n++)
        data[threadIdx.x] = 7;
}

/* Warps and lanes in shared memory; the lanes in step, as before Volta. */
__global__ void warps_in_place(int *data)
{
    __shared__ int words[64];

    words[threadIdx.x % 64] = 0;
    __syncthreads();
    for (int n = 0; n < 8; n++)
        words[threadIdx.x % 64] += (int)threadIdx.x; // RACE
    __syncthreads();
    data[threadIdx.x] = words[threadIdx.x % 64];
}

__global__ void sums_of_a_warp(int *data)
{
    __shared__ int sums[48];
    int at = 16 + (int)threadIdx.x;

    sums[threadIdx.x] = 0;
    sums[at] = 0;
    for (int n = 0; n < 8; n++) {
        sums[at] += sums[at - 1]; // RACE
        __threadfence_block();
        sums[at] += sums[at - 8]; // RACE
        __threadfence_block();
    }
    data[threadIdx.x] = sums[at]; // RACE
}

/* Compare-and-swap: beside itself and beside a plain store. */
__global__ void swaps(int *data)
{
    int old = atomicAdd(&data[0], 0), seen;

    do {
        seen = old;
        old = atomicCAS(&data[0], seen, seen + 1);
    } while (old != seen);
}

__global__ void swaps_and_store(int *data)
{
    if (blockIdx.x == 1 && threadIdx.x == 0)
        data[0] = 5; // RACE
    for (int n = 0; n < 8; n++)
        atomicCAS(&data[0], n, n + 1); // RACE
}

__global__ void compares_and_store(int *data)
{
    for (int n = 0; n < 8; n++)
        atomicCAS(&data[0], 1000, n); // RACE
    if (threadIdx.x == 0)
        data[0] = 5 + (int)blockIdx.x; // RACE
}

int main(int argc, char **argv)
{
    suite_only = argc > 1 ? argv[1] : NULL;
    RUN(words_in_place, 8, 64);
    RUN(doubles_in_place, 8, 64);
    RUN(scattered_in_place, 8, 64);
    RUN(one_word_read, 8, 64);
    RUN(stores_what_is_there, 8, 64);
    RUN(warps_in_place, 1, 256);
    RUN(sums_of_a_warp, 4, 32);
    RUN(swaps, 8, 64);
    RUN(swaps_and_store, 8, 64);
    RUN(compares_and_store, 8, 64);
}
