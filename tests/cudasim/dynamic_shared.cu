/*
 * dynamic_shared.cu - shared memory whose size is given at the launch: cut into parts of several types, beside static
 * memory, more than 48 KiB, none at all, and its size as the kernel sees it.
 */
#include "check.h"

extern __shared__ char raw[];

/* parts: doubles, then ints, then bytes */
__global__ void parts(double *out, int n)
{
    double *doubles = (double *)raw;
    int *ints = (int *)(doubles + n);
    unsigned char *bytes = (unsigned char *)(ints + n);
    int i = threadIdx.x;

    for (int k = i; k < n; k += blockDim.x) {
        doubles[k] = k * 0.5;
        ints[k] = -k;
        bytes[k] = k % 251;
    }
    __syncthreads();
    for (int k = i; k < n; k += blockDim.x)
        out[blockIdx.x * n + k] = doubles[n - 1 - k] + ints[(k + 5) % n] + bytes[(k * 7) % n];
}

__global__ void beside_static(int *out, int n)
{
    __shared__ int fixed[100];
    __shared__ alignas(128) char aligned[4];
    int *dynamic = (int *)raw;
    int i = threadIdx.x;

    fixed[i] = i;
    dynamic[i] = 1000 + i;
    if (i < 4)
        aligned[i] = i;
    __syncthreads();
    out[i] = fixed[n - 1 - i] + dynamic[(i + 1) % n] + aligned[i % 4];
    if (i == 0)
        out[n] = ((size_t)aligned % 128 == 0) + 10 * ((size_t)raw % 16 == 0);
}

/* out: dynamic size, static and dynamic size */
__global__ void sizes(unsigned *out)
{
    __shared__ volatile int fixed[25];
    unsigned dynamic, total;

    fixed[threadIdx.x] = 1;
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic));
    asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(total));
    out[0] = dynamic;
    out[1] = total >= dynamic + 100;
    raw[0] = 1;
}

/* Reverses n ints through shared memory. */
__global__ void reverse(const int *in, int *out, int n)
{
    int *values = (int *)raw;

    for (int i = threadIdx.x; i < n; i += blockDim.x)
        values[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = values[n - 1 - i];
}

template <typename T> struct shared_array {
    __device__ operator T *() const { return (T *)raw; }
};

template <typename T> __global__ void templated(T *out)
{
    T *values = shared_array<T>();

    values[threadIdx.x] = (T)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

template <typename T> static void test_templated(const char *what)
{
    T *out = device_zeros<T>(50);
    std::vector<T> want(50);

    for (int i = 0; i < 50; i++)
        want[i] = (T)(49 - i);
    templated<<<1, 50, 50 * sizeof(T)>>>(out);
    CHECK_KERNEL();
    expect_device(what, want, out);
    device_free(out);
}

int main(void)
{
    for (int n : {1, 77, 1000}) {
        std::vector<double> want(2 * n);
        double *out = device_zeros<double>(2 * n);

        for (int block = 0; block < 2; block++)
            for (int k = 0; k < n; k++)
                want[block * n + k] = (n - 1 - k) * 0.5 - (k + 5) % n + k * 7 % n % 251;
        parts<<<2, 96, n * 13>>>(out, n);
        CHECK_KERNEL();
        expect_device("parts", want, out);
        device_free(out);
    }
    std::vector<int> want(101);
    int *out = device_zeros<int>(101);

    for (int i = 0; i < 100; i++)
        want[i] = 99 - i + 1000 + (i + 1) % 100 + i % 4;
    want[100] = 11;
    beside_static<<<1, 100, 400>>>(out, 100);
    CHECK_KERNEL();
    expect_device("beside static", want, out);
    device_free(out);

    unsigned *device_sizes = device_zeros<unsigned>(2);

    for (unsigned bytes : {16u, 1000u, 40000u}) {
        sizes<<<1, 25, bytes>>>(device_sizes);
        CHECK_KERNEL();
        std::vector<unsigned> got = host_copy(device_sizes, 2);

        EXPECT(got[0] >= bytes && got[0] < bytes + 128 && got[1] == 1);
    }
    device_free(device_sizes);

    int n = 227 * 1024 / 4; /* all that a block can have */
    std::vector<int> in(n), reversed(n);

    for (int i = 0; i < n; i++)
        reversed[n - 1 - i] = in[i] = i * 3;
    int *device_in = device_copy(in);
    int *device_out = device_zeros<int>(n);

    CUDA_CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, n * 4));
    reverse<<<1, 256, n * 4>>>(device_in, device_out, n);
    CHECK_KERNEL();
    expect_device("reverse", reversed, device_out);
    device_free(device_in);
    device_free(device_out);
    test_templated<char>("char");
    test_templated<float>("float");
    test_templated<double>("double");
    return passed();
}
