/*
 * std_types.cu - libcu++'s types in kernels: complex, optional, span, mdspan, bit, variant, tuple, expected.
 */
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/expected>
#include <cuda/std/mdspan>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>

#include "../check.h"

namespace cs = cuda::std;

static __device__ cs::optional<int> half_of(int n)
{
    return n % 2 ? cs::nullopt : cs::optional<int>(n / 2);
}

static __device__ cs::expected<int, char> root_of(int n)
{
    for (int r = 0; r * r <= n; r++)
        if (r * r == n)
            return r;
    return cs::unexpected<char>('x');
}

static __global__ void fill(double *real, int *whole, int *table)
{
    cs::complex<double> z(3, 4), w = z * cs::complex<double>(0, 2);
    cs::variant<int, float> either = 2.5f;
    auto [a, b] = cs::make_tuple(7, 9);
    cs::mdspan<int, cs::extents<int, cs::dynamic_extent, 5>> grid(table, 4);
    cs::array<int, 4> list = {4, 3, 2, 1};
    cs::span<int> tail = cs::span<int>(list).subspan(1, 2);

    real[0] = cs::abs(z);
    real[1] = w.real();
    real[2] = w.imag();
    real[3] = cs::norm(cs::exp(cs::complex<double>(0, 1)));
    real[4] = cs::get<float>(either);
    whole[0] = half_of(10).value_or(-1) * 100 + half_of(7).value_or(-1);
    whole[1] = root_of(49).value() * 1000 + root_of(50).error();
    whole[2] = cs::popcount(0xf0f0u) + 100 * cs::countl_zero(1u) + 10000 * cs::countr_zero(8u);
    whole[3] = (int)cs::rotl(0x80000001u, 4);
    whole[4] = (int)cs::bit_ceil(17u) + 100 * (int)cs::bit_width(255u) + 10000 * cs::has_single_bit(64u);
    whole[5] = cs::bit_cast<int>(1.0f);
    whole[6] = (int)either.index() * 1000 + a * 10 + b;
    whole[7] = tail[0] * 10 + tail.back();
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 5; j++)
            grid(i, j) = i * 10 + j;
}

int main(void)
{
    double *real = device_zeros<double>(5);
    int *whole = device_zeros<int>(8), *table = device_zeros<int>(20);
    std::vector<int> want(20);

    for (int i = 0; i < 20; i++)
        want[i] = i / 5 * 10 + i % 5;
    fill<<<1, 1>>>(real, whole, table);
    CHECK_KERNEL();
    expect_close("real", std::vector<double>{5, -8, 6, 1, 2.5}, host_copy(real, 5), 1e-14, 0);
    expect_device("whole", std::vector<int>{499, 7120, 33108, 24, 10832, 0x3f800000, 1079, 32}, whole);
    expect_device("table", want, table);
    device_free(real), device_free(whole), device_free(table);
    return passed();
}
