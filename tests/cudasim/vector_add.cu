/*
 * vector_add.cu - the first program to try: c = a + b, with one thread per element and with a grid-stride loop.
 */
#include "check.h"

template <typename T> __global__ void add_each(const T *a, const T *b, T *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = a[i] + b[i];
}

template <typename T> __global__ void add_strided(const T *a, const T *b, T *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}

template <typename T> static void test(const char *what, int n)
{
    struct rng rng = {(uint64_t)n};
    std::vector<T> a(n), b(n), want(n);
    int block = 256;

    for (int i = 0; i < n; i++) {
        a[i] = (T)rng_below(&rng, 1000);
        b[i] = (T)rng_below(&rng, 1000);
        want[i] = (T)(a[i] + b[i]);
    }
    T *device_a = device_copy(a);
    T *device_b = device_copy(b);
    T *device_c = device_zeros<T>(n);

    add_each<<<(n + block - 1) / block, block>>>(device_a, device_b, device_c, n);
    CHECK_KERNEL();
    expect_device(what, want, device_c);

    CUDA_CHECK(cudaMemset(device_c, 0, n * sizeof(T)));
    add_strided<<<3, 96>>>(device_a, device_b, device_c, n);
    CHECK_KERNEL();
    expect_device(what, want, device_c);

    device_free(device_a);
    device_free(device_b);
    device_free(device_c);
}

int main(void)
{
    for (int n : {1, 31, 32, 33, 1000, 40001}) {
        test<int>("int", n);
        test<float>("float", n);
        test<double>("double", n);
        test<short>("short", n);
        test<unsigned char>("byte", n);
        test<long long>("long long", n);
    }
    return passed();
}
