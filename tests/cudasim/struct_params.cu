/*
 * struct_params.cu - parameters of kernels: of every size and alignment, large structs by value, arrays in them indexed
 * by values known only when the program runs, __grid_constant__ and its address, changed copies, nested structs.
 */
#include "check.h"

struct small {
    char c;
    short s;
    int i;
    double d;
    bool b;
};

struct large {
    int values[900];
    float scale;
    small nested[3];
};

struct alignas(32) aligned {
    float4 a, b;
};

struct empty {
};

/* Odd sizes: 3 bytes, 12 bytes, 5 bytes. */
struct triple {
    unsigned char bytes[3];
};

struct node {
    const int *data;
    int count;
    struct {
        short x, y;
    } position;
};

__global__ void mixed(char c, small s, short h, aligned v, triple t, long long l, uchar4 q, empty, bool b, double *out,
                      float3 f, const node n)
{
    out[0] = c;
    out[1] = s.c + s.s * 10 + s.i * 100 + s.d * 1000 + s.b;
    out[2] = h;
    out[3] = v.a.x + v.a.w * 10 + v.b.y * 100;
    out[4] = t.bytes[0] + t.bytes[1] * 1000 + t.bytes[2] * 1000000;
    out[5] = (double)l;
    out[6] = q.x + q.y * 10 + q.z * 100 + q.w * 1000;
    out[7] = b;
    out[8] = f.x + f.y * 10 + f.z * 100;
    out[9] = n.data[n.count - 1] + n.position.x * 1000 + n.position.y * 100000;
}

static void test_mixed(void)
{
    double *out = device_zeros<double>(10);
    int *data = device_copy(std::vector<int>{7, 8, 9});
    small s = {'x', -3, 77, 0.125, true};
    aligned v = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    node n = {data, 3, {4, 5}};

    mixed<<<1, 1>>>('c', s, -30000, v, triple{{1, 2, 3}}, -123456789012ll, make_uchar4(1, 2, 3, 4), empty(), true, out,
                    make_float3(0.5f, 1.5f, 2.5f), n);
    CHECK_KERNEL();
    expect_device("mixed",
                  std::vector<double>{'c', 'x' - 30 + 7700 + 125 + 1, -30000, 1 + 40 + 600, 3002001, -123456789012.0,
                                      4321, 1, 0.5 + 15 + 250, 9 + 4000 + 500000},
                  out);
    device_free(out);
    device_free(data);
}

__global__ void indexed(large p, const int *index, float *out)
{
    int i = threadIdx.x;

    out[i] = p.values[index[i]] * p.scale + p.nested[i % 3].i;
}

/* Changes its own copy: every thread has one. */
__global__ void changed(large p, int *out)
{
    int i = threadIdx.x;

    p.values[i * 3] = -i;
    p.values[(i * 7 + 1) % 900] += 5;
    int sum = 0;

    for (int k = 0; k < 900; k++)
        sum += p.values[k];
    out[i] = sum;
}

__device__ __noinline__ int sum_through_pointer(const large *p, int from, int count)
{
    int sum = 0;

    for (int k = from; k < from + count; k++)
        sum += p->values[k];
    return sum;
}

__global__ void grid_constant(const __grid_constant__ large p, int *out)
{
    out[threadIdx.x] = sum_through_pointer(&p, threadIdx.x, 10);
}

static void test_large(void)
{
    large p = {};
    std::vector<int> index(64), sums(64), changes(64);
    std::vector<float> want(64);
    struct rng rng = {5};
    int total = 0;

    p.scale = 0.5f;
    for (int i = 0; i < 900; i++)
        total += p.values[i] = rng_below(&rng, 1000);
    for (int i = 0; i < 3; i++)
        p.nested[i].i = 10000 * i;
    for (int i = 0; i < 64; i++) {
        index[i] = rng_below(&rng, 900);
        want[i] = p.values[index[i]] * 0.5f + 10000 * (i % 3);
        changes[i] = total - p.values[i * 3] - i + 5;
        for (int k = i; k < i + 10; k++)
            sums[i] += p.values[k];
    }
    int *device_index = device_copy(index);
    float *floats = device_zeros<float>(64);
    int *ints = device_zeros<int>(64);

    indexed<<<1, 64>>>(p, device_index, floats);
    CHECK_KERNEL();
    expect_device("indexed", want, floats);
    changed<<<1, 64>>>(p, ints);
    CHECK_KERNEL();
    expect_device("changed", changes, ints);
    grid_constant<<<1, 64>>>(p, ints);
    CHECK_KERNEL();
    expect_device("grid constant", sums, ints);
    device_free(device_index);
    device_free(floats);
    device_free(ints);
}

/* Many parameters, launched through an array of pointers. */
__global__ void twenty(int a, int b, char c, int d, double e, int f, short g, int h, float i, int j, long long k, int l,
                       char m, int n, double o, int p, short q, int r, float s, double *out)
{
    *out = a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s;
}

static void test_twenty(void)
{
    int i[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    char c[2] = {11, 12};
    double d[2] = {0.5, 0.25};
    short s[2] = {100, 200};
    float f[2] = {0.125f, 0.0625f};
    long long wide = 1ll << 40;
    double *out = device_zeros<double>(1);
    void *arguments[] = {&i[0], &i[1], &c[0], &i[2], &d[0], &i[3], &s[0], &i[4], &f[0], &i[5],
                         &wide, &i[6], &c[1], &i[7], &d[1], &i[8], &s[1], &i[9], &f[1], &out};

    CUDA_CHECK(cudaLaunchKernel((void *)twenty, dim3(1), dim3(1), arguments, 0, 0));
    CHECK_KERNEL();
    expect_device("twenty", std::vector<double>{55 + 23 + 0.75 + 300 + 0.1875 + (double)(1ll << 40)}, out);
    device_free(out);
}

int main(void)
{
    test_mixed();
    test_large();
    test_twenty();
    return passed();
}
