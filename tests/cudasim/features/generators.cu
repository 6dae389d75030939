/*
 * generators.cu - curand's device generators: two runs agree, skips equal draws, moments are those of the laws.
 */
#include <curand_kernel.h>

#include "../check.h"

template <typename S> __global__ void draw(double *sums, unsigned *bits)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    S a, b;
    double sum = 0, square = 0;

    curand_init(1234, t, 0, &a);
    curand_init(1234, t, 8, &b);
    for (int i = 0; i < 8; i++)
        bits[t] = curand(&a);
    bits[t] = curand(&a) ^ curand(&b);
    for (int i = 0; i < 64; i++) {
        float x = curand_normal(&a), u = curand_uniform(&a);
        if (!(u > 0 && u <= 1))
            bits[t] = 99;
        sum += u, square += (double)x * x;
    }
    atomicAdd(sums, sum);
    atomicAdd(sums + 1, square);
}

template <typename S> static void test(void)
{
    double *sums = device_zeros<double>(2);
    unsigned *bits = device_zeros<unsigned>(256);
    std::vector<double> got;

    draw<S><<<4, 64>>>(sums, bits);
    CHECK_KERNEL();
    expect_device("skips", std::vector<unsigned>(256), bits);
    got = host_copy(sums, 2);
    EXPECT(std::fabs(got[0] / 16384 - 0.5) < 0.015 && std::fabs(got[1] / 16384 - 1) < 0.06);
    device_free(sums), device_free(bits);
}

int main(void)
{
    test<curandStateXORWOW_t>();
    test<curandStatePhilox4_32_10_t>();
    test<curandStateMRG32k3a_t>();
    return passed();
}
