/*
 * local_memory.cu - memory of one thread: arrays indexed by values known only when the program runs, large frames,
 * addresses of locals passed to functions and kept as generic pointers, alloca.
 */
#include "check.h"

__device__ __noinline__ void fill(int *values, int n, int seed)
{
    for (int i = 0; i < n; i++)
        values[i] = seed + i * i;
}

__device__ __noinline__ long long checksum(const int *values, int n)
{
    long long sum = 0;

    for (int i = 0; i < n; i++)
        sum = sum * 31 + values[i];
    return sum;
}

static long long checksum_on_host(int n, int seed)
{
    unsigned long long sum = 0;

    for (int i = 0; i < n; i++)
        sum = sum * 31 + (unsigned long long)(long long)(seed + i * i);
    return (long long)sum;
}

/* One function reads local, shared and global memory alike. */
__global__ void generic(long long *out, int *global)
{
    __shared__ int shared[64];
    int local[64];
    int i = threadIdx.x;

    fill(local, 64, i);
    if (i == 0)
        fill(shared, 64, 1000);
    fill(global + i * 64, 64, -i);
    __syncthreads();
    const int *choices[3] = {local, shared, global + i * 64};

    out[i] = checksum(choices[i % 3], 64);
    out[blockDim.x + i] = (__isLocal(local) ? 1 : 0) + (__isShared(shared) ? 10 : 0) + (__isGlobal(global) ? 100 : 0) +
                          (__isLocal(choices[i % 3]) ? 1000 : 0);
}

/* A histogram of one thread's own, a permutation, and a small stack machine. */
__global__ void indexed(const unsigned char *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int counts[16] = {};
    unsigned char order[32];
    int stack[20];
    int depth = 0;

    for (int k = 0; k < n; k++)
        counts[in[(i + k) % 256] % 16]++;
    for (int k = 0; k < 32; k++)
        order[k] = k;
    for (int k = 31; k > 0; k--) {
        int other = in[(i * 3 + k) % 256] % (k + 1);
        unsigned char swap = order[k];

        order[k] = order[other];
        order[other] = swap;
    }
    for (int k = 0; k < n; k++) {
        unsigned code = in[(i + 2 * k) % 256];

        if (depth < 2 || (code % 2 && depth < 20)) {
            stack[depth++] = code;
        } else {
            stack[depth - 2] = stack[depth - 1] * 3 - stack[depth - 2];
            depth--;
        }
    }
    int sum = 0;

    for (int k = 0; k < 16; k++)
        sum = sum * 7 + counts[k];
    for (int k = 0; k < 32; k++)
        sum = sum * 5 + order[k];
    while (depth > 0)
        sum = sum * 3 + stack[--depth];
    out[i] = sum;
}

static int indexed_on_host(const unsigned char *in, int i, int n)
{
    unsigned counts[16] = {}, order[32], stack[20], sum = 0;
    int depth = 0;

    for (int k = 0; k < n; k++)
        counts[in[(i + k) % 256] % 16]++;
    for (int k = 0; k < 32; k++)
        order[k] = k;
    for (int k = 31; k > 0; k--)
        std::swap(order[k], order[in[(i * 3 + k) % 256] % (k + 1)]);
    for (int k = 0; k < n; k++) {
        unsigned code = in[(i + 2 * k) % 256];

        if (depth < 2 || (code % 2 && depth < 20)) {
            stack[depth++] = code;
        } else {
            stack[depth - 2] = stack[depth - 1] * 3 - stack[depth - 2];
            depth--;
        }
    }
    for (int k = 0; k < 16; k++)
        sum = sum * 7 + counts[k];
    for (int k = 0; k < 32; k++)
        sum = sum * 5 + order[k];
    while (depth > 0)
        sum = sum * 3 + stack[--depth];
    return (int)sum;
}

/* 24 KiB a thread. */
__global__ void large_frame(double *out, int step)
{
    double values[3000];

    for (int i = 0; i < 3000; i++)
        values[(i * 7) % 3000] = i + threadIdx.x;
    double sum = 0;

    for (int i = threadIdx.x % step; i < 3000; i += step)
        sum += values[i] * (i % 5);
    out[threadIdx.x] = sum;
}

struct record {
    char tag;
    double value;
    short pair[2];
};

/* Mixed sizes and alignments in one frame, and alloca. */
__global__ void mixed(double *out, int n)
{
    record records[10];
    float4 vectors[5];
    unsigned short *borrowed = (unsigned short *)alloca(n * sizeof(unsigned short));
    int i = threadIdx.x;

    for (int k = 0; k < 10; k++)
        records[(k * 3 + i) % 10] = {(char)('a' + k), k * 0.5, {(short)k, (short)-k}};
    for (int k = 0; k < 5; k++)
        vectors[(k * 2 + i) % 5] = make_float4(k, k + 1, k + 2, k + 3);
    for (int k = 0; k < n; k++)
        borrowed[n - 1 - k] = k * 3;
    const record &found = records[(i * 7) % 10];

    out[i] = found.tag * 1e6 + found.value * 1e3 + found.pair[1] + vectors[i % 5].z * 1e-3 + borrowed[i % n] * 1e9;
}

int main(void)
{
    enum { THREADS = 66 };
    struct rng rng = {2};
    std::vector<unsigned char> in(256);
    std::vector<int> want(THREADS);
    std::vector<long long> sums(2 * THREADS);
    std::vector<double> frames(THREADS), records(THREADS);

    for (unsigned char &value : in)
        value = rng_next(&rng);
    for (int i = 0; i < THREADS; i++) {
        want[i] = indexed_on_host(in.data(), i, 50);
        sums[i] = checksum_on_host(64, i % 3 == 0 ? i : i % 3 == 1 ? 1000 : -i);
        sums[THREADS + i] = 111 + (i % 3 == 0 ? 1000 : 0);
        std::vector<double> values(3000);

        for (int k = 0; k < 3000; k++)
            values[k * 7 % 3000] = k + i;
        for (int k = i % 11; k < 3000; k += 11)
            frames[i] += values[k] * (k % 5);
        int k = 0, v = 0;

        while ((k * 3 + i) % 10 != i * 7 % 10)
            k++;
        while ((v * 2 + i) % 5 != i % 5)
            v++;
        records[i] = ('a' + k) * 1e6 + k * 0.5 * 1e3 - k + (v + 2) * 1e-3 + (12 - i % 13) * 3 * 1e9;
    }
    unsigned char *device_in = device_copy(in);
    int *out = device_zeros<int>(THREADS);
    int *global = device_zeros<int>(THREADS * 64);
    long long *device_sums = device_zeros<long long>(2 * THREADS);
    double *device_doubles = device_zeros<double>(THREADS);

    indexed<<<2, THREADS / 2>>>(device_in, out, 50);
    CHECK_KERNEL();
    expect_device("indexed", want, out);
    generic<<<1, THREADS>>>(device_sums, global);
    CHECK_KERNEL();
    expect_device("generic", sums, device_sums);
    large_frame<<<1, THREADS>>>(device_doubles, 11);
    CHECK_KERNEL();
    expect_device("large frame", frames, device_doubles);
    mixed<<<1, THREADS>>>(device_doubles, 13);
    CHECK_KERNEL();
    expect_close("mixed", records, host_copy(device_doubles, THREADS), 1e-14, 0);
    device_free(device_in);
    device_free(out);
    device_free(global);
    device_free(device_sums);
    device_free(device_doubles);
    return passed();
}
