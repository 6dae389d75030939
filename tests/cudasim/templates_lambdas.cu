/*
 * templates_lambdas.cu - C++ in device code: functors, generic lambdas, variadic templates, fold expressions, tables
 * computed by the compiler, if constexpr, structured bindings, classes with operators.
 */
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/utility>

#include "check.h"

/* --- functors, and lambdas inside of kernels --- */

struct scale_add {
    float factor, offset;
    __host__ __device__ float operator()(float x) const { return factor * x + offset; }
};

template <typename F, typename G> struct composed {
    F outer;
    G inner;
    template <typename T> __host__ __device__ auto operator()(T x) const { return outer(inner(x)); }
};

struct square {
    template <typename T> __host__ __device__ T operator()(T x) const { return x * x; }
};

template <typename T, typename F> __global__ void map(T *values, int n, F function)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        values[i] = function(values[i]);
}

template <typename F> __device__ int apply_twice(F function, int x)
{
    return function(function(x));
}

__global__ void lambdas(int *out, int n)
{
    int i = threadIdx.x;
    int captured = i * 3;
    auto generic = [](auto a, auto b) { return a < b ? a : b; };
    auto counter = [count = 0]() mutable { return ++count; };

    counter();
    counter();
    out[i * 4] = apply_twice([=](int x) { return x * 2 + captured; }, i);
    out[i * 4 + 1] = generic(i, 10) + (int)generic(2.5, i * 1.0) + generic('c', 'b');
    out[i * 4 + 2] = counter();
    auto recursive = [&](auto self, int k) -> int { return k <= 0 ? 0 : k + self(self, k - 1); };

    out[i * 4 + 3] = recursive(recursive, i % 10);
    (void)n;
}

/* --- variadic templates --- */

template <typename... T> __host__ __device__ auto sum(T... values)
{
    return (0.0 + ... + values);
}

template <typename First, typename... Rest> __host__ __device__ First largest(First first, Rest... rest)
{
    if constexpr (sizeof...(rest) == 0) {
        return first;
    } else {
        First other = largest<First>(rest...);

        return first > other ? first : other;
    }
}

/* Stores each argument, whatever its type, after the other. */
template <typename... T> __global__ void store_all(double *out, T... values)
{
    int at = 0;

    ((out[at++] = (double)values), ...);
    out[at++] = sum(values...);
    out[at++] = largest<double>(values...);
    out[at] = sizeof...(values);
}

/* --- tables made by the compiler --- */

struct crc_table {
    unsigned entries[256];
    constexpr crc_table() : entries{}
    {
        for (unsigned i = 0; i < 256; i++) {
            unsigned value = i;

            for (int bit = 0; bit < 8; bit++)
                value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
            entries[i] = value;
        }
    }
};

__constant__ constexpr crc_table constant_crc{};
__device__ constexpr crc_table global_crc{};

__global__ void crc(const char *text, int length, unsigned *out)
{
    unsigned value = ~0u, other = ~0u;

    for (int i = 0; i < length; i++) {
        value = value >> 8 ^ constant_crc.entries[(value ^ (unsigned char)text[i]) & 255];
        other = other >> 8 ^ global_crc.entries[(other ^ (unsigned char)text[i]) & 255];
    }
    out[0] = ~value;
    out[1] = ~other;
}

template <int N> struct factorial {
    static constexpr long long value = N * factorial<N - 1>::value;
};
template <> struct factorial<0> {
    static constexpr long long value = 1;
};

template <int... I> __device__ long long pick_factorial(int n, cuda::std::integer_sequence<int, I...>)
{
    long long result = -1;

    ((n == I ? (void)(result = factorial<I>::value) : (void)0), ...);
    return result;
}

__global__ void factorials(long long *out)
{
    out[threadIdx.x] = pick_factorial(threadIdx.x, cuda::std::make_integer_sequence<int, 21>());
}

/* --- a small matrix class, tuples, arrays --- */

template <typename T, int N> struct matrix {
    T at[N][N];

    __host__ __device__ friend matrix operator*(const matrix &a, const matrix &b)
    {
        matrix c = {};

        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int k = 0; k < N; k++)
                    c.at[i][j] += a.at[i][k] * b.at[k][j];
        return c;
    }
};

template <typename T, int N> __host__ __device__ matrix<T, N> raised(matrix<T, N> base, unsigned exponent)
{
    matrix<T, N> result = {};

    for (int i = 0; i < N; i++)
        result.at[i][i] = 1;
    for (; exponent; exponent /= 2, base = base * base)
        if (exponent & 1)
            result = result * base;
    return result;
}

__global__ void powers(matrix<unsigned, 3> base, matrix<unsigned, 3> *out)
{
    out[threadIdx.x] = raised(base, threadIdx.x);
}

__device__ cuda::std::tuple<int, float, bool> triple(int i)
{
    return {i * 2, i / 4.0f, i % 3 == 0};
}

__global__ void tuples(float *out)
{
    int i = threadIdx.x;
    cuda::std::array<int, 5> values = {1, 2, 3, 5, 8};
    auto [twice, quarter, third] = triple(i);
    int total = 0;

    values[i % 5] += twice;
    for (int value : values)
        total += value;
    out[i] = total + quarter + (third ? 1000 : 0);
}

int main(void)
{
    /* functors */
    std::vector<float> values(100);

    for (int i = 0; i < 100; i++)
        values[i] = i;
    float *device_values = device_copy(values);
    composed<scale_add, composed<square, scale_add>> function = {{2, 1}, {square(), {0.5f, -3}}};

    map<<<2, 64>>>(device_values, 100, function);
    CHECK_KERNEL();
    for (float &value : values)
        value = function(value);
    expect_device("functors", values, device_values);
    device_free(device_values);

    /* lambdas */
    std::vector<int> want;
    int *out = device_zeros<int>(33 * 4);

    for (int i = 0; i < 33; i++) {
        int once = i * 2 + i * 3;

        want.push_back(once * 2 + i * 3);
        want.push_back(std::min(i, 10) + (int)std::min(2.5, i * 1.0) + 'b');
        want.push_back(3);
        want.push_back(i % 10 * (i % 10 + 1) / 2);
    }
    lambdas<<<1, 33>>>(out, 0);
    CHECK_KERNEL();
    expect_device("lambdas", want, out);
    device_free(out);

    /* variadic */
    double *stored = device_zeros<double>(16);

    store_all<<<1, 1>>>(stored, (char)7, 3.5, -2, 100000000000ll, 2.25f, (unsigned short)65535, true);
    CHECK_KERNEL();
    expect_device("variadic",
                  std::vector<double>{7, 3.5, -2, 1e11, 2.25, 65535, 1, 7 + 3.5 - 2 + 1e11 + 2.25 + 65535 + 1, 1e11, 7},
                  stored);
    device_free(stored);

    /* tables */
    const char text[] = "123456789";
    char *device_text = device_copy(std::vector<char>(text, text + 9));
    unsigned *crcs = device_zeros<unsigned>(2);

    crc<<<1, 1>>>(device_text, 9, crcs);
    CHECK_KERNEL();
    expect_device("crc", std::vector<unsigned>{0xcbf43926u, 0xcbf43926u}, crcs);
    device_free(device_text);
    device_free(crcs);

    std::vector<long long> want_factorials = {1};
    long long *device_factorials = device_zeros<long long>(21);

    for (int i = 1; i < 21; i++)
        want_factorials.push_back(want_factorials.back() * i);
    factorials<<<1, 21>>>(device_factorials);
    CHECK_KERNEL();
    expect_device("factorials", want_factorials, device_factorials);
    device_free(device_factorials);

    /* classes */
    matrix<unsigned, 3> base = {{{1, 1, 0}, {1, 0, 2}, {3, 0, 1}}};
    matrix<unsigned, 3> *device_powers = device_zeros<matrix<unsigned, 3>>(20);
    std::vector<matrix<unsigned, 3>> want_powers;

    for (int i = 0; i < 20; i++)
        want_powers.push_back(raised(base, i));
    powers<<<1, 20>>>(base, device_powers);
    CHECK_KERNEL();
    expect_bits("powers", want_powers, host_copy(device_powers, 20));
    device_free(device_powers);

    float *device_tuples = device_zeros<float>(20);
    std::vector<float> want_tuples;

    for (int i = 0; i < 20; i++)
        want_tuples.push_back(19 + 2 * i + i / 4.0f + (i % 3 == 0 ? 1000 : 0));
    tuples<<<1, 20>>>(device_tuples);
    CHECK_KERNEL();
    expect_device("tuples", want_tuples, device_tuples);
    device_free(device_tuples);
    return passed();
}
