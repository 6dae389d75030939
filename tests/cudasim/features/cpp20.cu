// flags: -std=c++20 --extended-lambda --expt-relaxed-constexpr
/*
 * cpp20.cu - C++20 in kernels: concepts, <=>, template lambdas, designated initialisers, consteval, folds, NTTPs.
 */
#include <compare>
#include <concepts>
#include <initializer_list>

#include "../check.h"

template <typename T> concept number = std::integral<T> || std::floating_point<T>;

struct version {
    int major, minor;
    bool operator==(const version &) const = default;
    auto operator<=>(const version &) const = default;
};

struct scale { int by; };

template <scale S> __device__ int scaled(int n) { return n * S.by; }

consteval int cube(int n) { return n * n * n; }

template <number... T> __device__ auto total(T... list) { return (list + ... + 0); }

static __device__ int longest(std::initializer_list<int> list)
{
    int most = 0;

    for (int n : list)
        most = n > most ? n : most;
    return most;
}

template <typename F> __global__ void apply(int *out, F f)
{
    f(out, threadIdx.x);
}

static __global__ void run(int *out)
{
    version a{.major = 1, .minor = 2}, b{.major = 1, .minor = 10};
    auto twice = []<typename T>(T x) requires number<T> { return x + x; };
    constexpr int eight = cube(2);

    out[0] = (a < b) + 10 * (a == b) + 100 * (a >= b);
    out[1] = scaled<scale{6}>(7);
    out[2] = eight + twice(5);
    out[3] = (int)total(1, 2.5, 3.5f, 4L);
    out[4] = longest({3, 9, 4});
    if (int n = out[4]; n > 5) [[likely]]
        out[5] = n;
    for (int list[] = {1, 2, 3}; int n : list)
        out[6] = out[6] * 10 + n;
}

int main(void)
{
    int *out = device_zeros<int>(8 + 32), base = 3;
    std::vector<int> want = {1, 42, 18, 11, 9, 9, 123, 0};

    run<<<1, 1>>>(out);
    CHECK_KERNEL();
    apply<<<1, 32>>>(out + 8, [=] __device__(int *to, unsigned t) { to[t] = base * (int)t; });
    CHECK_KERNEL();
    for (int t = 0; t < 32; t++)
        want.push_back(3 * t);
    expect_device("out", want, out);
    device_free(out);
    return passed();
}
