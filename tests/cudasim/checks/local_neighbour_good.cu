// expect: nothing
/*
 * local_neighbour_good.cu - arrays of a thread by pointers into them, as members, and in turns.
 */
#include "check_case.h"

struct Pair {
    int near[4], far[4];
};

__device__ __noinline__ void fill(int *to, int count, const int *in)
{
    for (int k = 0; k < count; k++)
        to[k] = in[k];
}

/* The end of the first member is not the end of the structure. */
__device__ __noinline__ void fill_pair(Pair *pair, const int *in)
{
    fill(pair->near, 4, in);
    fill(pair->far, 4, in + 4);
}

__global__ void smooth(const int *in, int *out, int n, int index)
{
    int first[9], second[9], *from = first, *to = second;
    Pair pair;

    first[0] = in[0];
    fill(first + 1, n, in);
    fill_pair(&pair, in);
    for (int round = 0; round < n; round++) {
        for (int k = 0; k <= n; k++)
            to[k] = from[k] + (k ? from[k - 1] : 0);
        int *other = from;
        from = to;
        to = other;
    }
    int *members = (int *)&pair;
    out[threadIdx.x] = from[index] + to[n] + members[index] + *(first + 8 - index);
}

int main(void)
{
    int *in, *out;

    CUDA_CHECK(cudaMalloc(&in, 16 * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    CUDA_CHECK(cudaMemset(in, 0, 16 * sizeof(int)));
    smooth<<<1, 32>>>(in, out, 8, 7);
    int status = finish(cudaSuccess);

    cudaFree(in);
    cudaFree(out);
    return status;
}
