/*
 * divergent.cu - for the explain report: the threads of a warp take four ways through a branch, one after the other,
 * and leave a loop at different times. The kernel beside it does the same work with whole warps in each way.
 */
#include "../check.h"

enum { N = 4096 };

__host__ __device__ static inline unsigned work(unsigned kind, unsigned x)
{
    unsigned rounds = 16 + 16 * kind;

    if (kind == 0)
        for (unsigned i = 0; i < rounds; i++)
            x = x * 1664525u + 1013904223u;
    else if (kind == 1)
        for (unsigned i = 0; i < rounds; i++)
            x = (x ^ x >> 3) + i;
    else if (kind == 2)
        for (unsigned i = 0; i < rounds; i++)
            x = (x << 5 | x >> 27) ^ 0x9e3779b9u;
    else
        for (unsigned i = 0; i < rounds; i++)
            x = x * x + i;
    return x;
}

__global__ void divergent(unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = work(i % 4, i);
}

__global__ void uniform(unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = work(i / 32 % 4, i);
}

int main(void)
{
    std::vector<unsigned> want(N);
    unsigned *out = device_zeros<unsigned>(N);

    for (unsigned i = 0; i < N; i++)
        want[i] = work(i % 4, i);
    divergent<<<N / 128, 128>>>(out);
    CHECK_KERNEL();
    expect_device("divergent", want, out);
    for (unsigned i = 0; i < N; i++)
        want[i] = work(i / 32 % 4, i);
    uniform<<<N / 128, 128>>>(out);
    CHECK_KERNEL();
    expect_device("uniform", want, out);
    device_free(out);
    return passed();
}
