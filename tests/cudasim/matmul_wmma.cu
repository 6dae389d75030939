/*
 * matmul_wmma.cu - matrix products through nvcuda::wmma: f16 to f32 and to f16, bf16, tf32, s8, u8 and double, in all
 * shapes and layouts. Values are small integers, so that every result is exact.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "check.h"

using namespace nvcuda;

enum { TILES_M = 2, TILES_N = 3, TILES_K = 3 };

/* The type of the elements in memory; tf32 is float there. */
template <typename T> struct stored {
    using type = T;
};
template <> struct stored<wmma::precision::tf32> {
    using type = float;
};

template <typename T> static T from_int(int value)
{
    return (T)value;
}
template <> __half from_int<__half>(int value)
{
    return __float2half((float)value);
}
template <> __nv_bfloat16 from_int<__nv_bfloat16>(int value)
{
    return __float2bfloat16((float)value);
}

template <typename T> static double to_double(T value)
{
    return (double)value;
}
template <> double to_double<__half>(__half value)
{
    return (double)__half2float(value);
}

template <typename T> constexpr bool row_major = std::is_same<T, wmma::row_major>::value;

/* One warp per tile of D = 2 A B + C; the factor is applied to the fragment's elements. */
template <typename T, typename S, int M, int N, int K, typename LA, typename LB>
__global__ void multiply(const typename stored<T>::type *a, const typename stored<T>::type *b, const S *c, S *d,
                         wmma::layout_t layout)
{
    constexpr int m = TILES_M * M, n = TILES_N * N, k = TILES_K * K;
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fragment_a;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fragment_b;
    wmma::fragment<wmma::accumulator, M, N, K, S> sum, start;
    int row = blockIdx.y * M;
    int column = blockIdx.x * N;
    int at = layout == wmma::mem_row_major ? row * n + column : column * m + row;
    int pitch = layout == wmma::mem_row_major ? n : m;

    wmma::fill_fragment(sum, (S)0.0f);
    for (int i = 0; i < k; i += K) {
        wmma::load_matrix_sync(fragment_a, row_major<LA> ? a + row * k + i : a + i * m + row, row_major<LA> ? k : m);
        wmma::load_matrix_sync(fragment_b, row_major<LB> ? b + i * n + column : b + column * k + i,
                               row_major<LB> ? n : k);
        if constexpr (std::is_same<T, wmma::precision::tf32>::value) {
            for (int j = 0; j < fragment_a.num_elements; j++)
                fragment_a.x[j] = wmma::__float_to_tf32(fragment_a.x[j]);
            for (int j = 0; j < fragment_b.num_elements; j++)
                fragment_b.x[j] = wmma::__float_to_tf32(fragment_b.x[j]);
        }
        wmma::mma_sync(sum, fragment_a, fragment_b, sum);
    }
    wmma::load_matrix_sync(start, c + at, pitch, layout);
    for (int j = 0; j < sum.num_elements; j++)
        sum.x[j] = sum.x[j] + sum.x[j] + start.x[j];
    wmma::store_matrix_sync(d + at, sum, pitch, layout);
}

template <typename T, typename S, int M, int N, int K, typename LA, typename LB>
static void test_layouts(const char *what, int low, int high)
{
    using E = typename stored<T>::type;
    constexpr int m = TILES_M * M, n = TILES_N * N, k = TILES_K * K;
    struct rng rng = {(uint64_t)M * N + K};
    std::vector<E> a(m * k), b(k * n);
    std::vector<S> c(m * n);
    std::vector<int> ints_a(m * k), ints_b(k * n);

    for (int y = 0; y < m; y++)
        for (int i = 0; i < k; i++) {
            ints_a[y * k + i] = low + (int)rng_below(&rng, high - low + 1);
            a[row_major<LA> ? y * k + i : i * m + y] = from_int<E>(ints_a[y * k + i]);
        }
    for (int i = 0; i < k; i++)
        for (int x = 0; x < n; x++) {
            ints_b[i * n + x] = low + (int)rng_below(&rng, high - low + 1);
            b[row_major<LB> ? i * n + x : x * k + i] = from_int<E>(ints_b[i * n + x]);
        }
    for (int at = 0; at < m * n; at++)
        c[at] = from_int<S>(at % 19);
    E *device_a = device_copy(a);
    E *device_b = device_copy(b);
    S *device_c = device_copy(c);
    S *device_d = device_zeros<S>(m * n);

    for (wmma::layout_t layout : {wmma::mem_row_major, wmma::mem_col_major}) {
        multiply<T, S, M, N, K, LA, LB>
            <<<dim3(TILES_N, TILES_M), 32>>>(device_a, device_b, device_c, device_d, layout);
        CHECK_KERNEL();
        std::vector<S> got = host_copy(device_d, m * n);

        for (int y = 0; y < m; y++)
            for (int x = 0; x < n; x++) {
                int at = layout == wmma::mem_row_major ? y * n + x : x * m + y;
                int sum = 0;

                for (int i = 0; i < k; i++)
                    sum += ints_a[y * k + i] * ints_b[i * n + x];
                expect_near(what, at, 2.0 * sum + at % 19, to_double(got[at]), 0, 0);
            }
    }
    device_free(device_a);
    device_free(device_b);
    device_free(device_c);
    device_free(device_d);
}

template <typename T, typename S, int M, int N, int K> static void test(const char *what, int low, int high)
{
    test_layouts<T, S, M, N, K, wmma::row_major, wmma::row_major>(what, low, high);
    test_layouts<T, S, M, N, K, wmma::row_major, wmma::col_major>(what, low, high);
    test_layouts<T, S, M, N, K, wmma::col_major, wmma::row_major>(what, low, high);
    test_layouts<T, S, M, N, K, wmma::col_major, wmma::col_major>(what, low, high);
}

/* 2049 and 2051 need 12 significant bits; a tf32 has 11. */
__global__ void round_tf32(const float *in, float *out)
{
    out[threadIdx.x] = wmma::__float_to_tf32(in[threadIdx.x]);
}

static void test_rounding(void)
{
    float *in = device_copy(std::vector<float>{2048, 2049, 2051, -2051, 1.5f, 0});
    float *out = device_zeros<float>(6);

    round_tf32<<<1, 6>>>(in, out);
    CHECK_KERNEL();
    std::vector<float> got = host_copy(out, 6);

    /* Rounded to nearest with ties away from zero (cvt.rna); only the upper 19 bits of a tf32 count. */
    for (float &value : got) {
        uint32_t bits;

        memcpy(&bits, &value, sizeof bits);
        bits &= 0xffffe000u;
        memcpy(&value, &bits, sizeof bits);
    }
    expect_equal("tf32", std::vector<float>{2048, 2050, 2052, -2052, 1.5f, 0}, got);
    device_free(in);
    device_free(out);
}

int main(void)
{
    test<__half, float, 16, 16, 16>("f16 f32 16x16x16", -4, 4);
    test<__half, float, 32, 8, 16>("f16 f32 32x8x16", -4, 4);
    test<__half, float, 8, 32, 16>("f16 f32 8x32x16", -4, 4);
    test<__half, __half, 16, 16, 16>("f16 f16 16x16x16", -3, 3);
    test<__half, __half, 32, 8, 16>("f16 f16 32x8x16", -3, 3);
    test<__half, __half, 8, 32, 16>("f16 f16 8x32x16", -3, 3);
    test<__nv_bfloat16, float, 16, 16, 16>("bf16 16x16x16", -9, 9);
    test<__nv_bfloat16, float, 32, 8, 16>("bf16 32x8x16", -9, 9);
    test<__nv_bfloat16, float, 8, 32, 16>("bf16 8x32x16", -9, 9);
    test<wmma::precision::tf32, float, 16, 16, 8>("tf32 16x16x8", -100, 100);
    test<signed char, int, 16, 16, 16>("s8 16x16x16", -128, 127);
    test<signed char, int, 32, 8, 16>("s8 32x8x16", -128, 127);
    test<signed char, int, 8, 32, 16>("s8 8x32x16", -128, 127);
    test<unsigned char, int, 16, 16, 16>("u8 16x16x16", 0, 255);
    test<unsigned char, int, 32, 8, 16>("u8 32x8x16", 0, 255);
    test<unsigned char, int, 8, 32, 16>("u8 8x32x16", 0, 255);
    test<double, double, 8, 8, 4>("f64 8x8x4", -1000, 1000);
    test_rounding();
    return passed();
}
