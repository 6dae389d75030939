/*
 * half_ops.cu - 16-bit floating point, half and bfloat16: conversions of all values in all roundings, arithmetic alone
 * and in pairs, comparisons, minimum and maximum, functions, integers. The reference rounds a double.
 */
#include <algorithm>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

enum rounding { RN, RZ, RU, RD };

/* A 16-bit format: its bits of fraction, and the exponent of its smallest normal number. */
struct format {
    int fraction, lowest;
    double largest;
};

static const format HALF = {10, -14, 65504};
static const format BRAIN = {7, -126, 0x1.fep127};

static double value_of(const format &f, unsigned short bits)
{
    int exponent = (bits & 0x7fff) >> f.fraction;
    int fraction = bits & ((1 << f.fraction) - 1);
    int top = 0x7fff >> f.fraction;
    double value = exponent == top ? (fraction ? NAN : INFINITY)
                   : exponent      ? ldexp(1 + ldexp(fraction, -f.fraction), exponent - 1 + f.lowest)
                                   : ldexp(fraction, f.lowest - f.fraction);

    return bits & 0x8000 ? -value : value;
}

static double rounded(const format &f, double x, rounding mode)
{
    if (!std::isfinite(x) || x == 0)
        return x;
    double unit = ldexp(1, std::max(ilogb(x), f.lowest) - f.fraction);
    double count = x / unit; /* exact: a power of two */
    double whole = mode == RN   ? nearbyint(count)
                   : mode == RZ ? trunc(count)
                   : mode == RU ? ceil(count)
                                : floor(count);
    double result = std::copysign(whole * unit, x);

    if (std::fabs(result) > f.largest) {
        bool up = mode == RN || (mode == RU && x > 0) || (mode == RD && x < 0);

        return std::copysign(up ? INFINITY : f.largest, x);
    }
    return result;
}

static bool same(double a, double b)
{
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/* --- one set of kernels for both types --- */

template <typename T> struct traits;

template <> struct traits<__half> {
    typedef __half2 pair;
    static const format &form() { return HALF; }
    static const char *name() { return "half"; }
    __device__ static void from_float(float x, __half *r)
    {
        r[0] = __float2half_rn(x);
        r[1] = __float2half_rz(x);
        r[2] = __float2half_ru(x);
        r[3] = __float2half_rd(x);
    }
    __device__ static __half from_double(double x) { return __double2half(x); }
    __device__ static float to_float(__half x) { return __half2float(x); }
    __device__ static __half2 join(__half a, __half b) { return __halves2half2(a, b); }
    __device__ static void to_int(__half x, int *r)
    {
        r[0] = __half2int_rn(x);
        r[1] = __half2int_rz(x);
        r[2] = __half2int_ru(x);
        r[3] = __half2int_rd(x);
    }
    __device__ static __half from_int(int x) { return __int2half_rn(x); }
};

template <> struct traits<__nv_bfloat16> {
    typedef __nv_bfloat162 pair;
    static const format &form() { return BRAIN; }
    static const char *name() { return "bfloat16"; }
    __device__ static void from_float(float x, __nv_bfloat16 *r)
    {
        r[0] = __float2bfloat16_rn(x);
        r[1] = __float2bfloat16_rz(x);
        r[2] = __float2bfloat16_ru(x);
        r[3] = __float2bfloat16_rd(x);
    }
    __device__ static __nv_bfloat16 from_double(double x) { return __double2bfloat16(x); }
    __device__ static float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
    __device__ static __nv_bfloat162 join(__nv_bfloat16 a, __nv_bfloat16 b) { return __halves2bfloat162(a, b); }
    __device__ static void to_int(__nv_bfloat16 x, int *r)
    {
        r[0] = __bfloat162int_rn(x);
        r[1] = __bfloat162int_rz(x);
        r[2] = __bfloat162int_ru(x);
        r[3] = __bfloat162int_rd(x);
    }
    __device__ static __nv_bfloat16 from_int(int x) { return __int2bfloat16_rn(x); }
};

template <typename T> __global__ void widen(const T *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = traits<T>::to_float(in[i]);
}

template <typename T> __global__ void narrow(const double *in, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    traits<T>::from_float((float)in[i], &out[5 * i]);
    out[5 * i + 4] = traits<T>::from_double(in[i]);
}

/* Every bit pattern widens exactly; floats and doubles narrow in every rounding. */
template <typename T> static void test_conversions(int n)
{
    const format &f = traits<T>::form();
    struct rng rng = {(uint64_t)f.fraction};
    std::vector<T> all(65536);
    std::vector<double> in(n);

    for (int i = 0; i < 65536; i++) {
        unsigned short bits = (unsigned short)i;

        memcpy(&all[i], &bits, 2);
    }
    T *device_all = device_copy(all);
    float *floats = device_zeros<float>(65536);

    widen<<<256, 256>>>(device_all, floats);
    CHECK_KERNEL();
    std::vector<float> wide = host_copy(floats, 65536);

    for (int i = 0; i < 65536; i++)
        if (!same(value_of(f, (unsigned short)i), wide[i]))
            differs<double>(traits<T>::name(), i, value_of(f, (unsigned short)i), wide[i]);
    for (int i = 0; i < n; i++) {
        double near = value_of(f, (unsigned short)rng_next(&rng));

        if (i % 4 == 0)
            in[i] = std::ldexp(rng_unit(&rng) - 0.5, (int)rng_below(&rng, 60) - 40);
        else if (i % 4 == 1)
            in[i] = near * (1 + (rng_unit(&rng) - 0.5) * 0.002);
        else if (i % 4 == 2) /* half way to a neighbour */
            in[i] = near + ldexp(1, std::max(near ? ilogb(near) : -2000, f.lowest) - f.fraction - 1);
        else
            in[i] = i % 8 == 3 ? near : near * f.largest;
    }
    double *device_in = device_copy(in);
    T *out = device_zeros<T>(5 * n);

    narrow<<<(n + 63) / 64, 64>>>(device_in, out, n);
    CHECK_KERNEL();
    std::vector<T> got = host_copy(out, 5 * n);

    for (int i = 0; i < n; i++)
        for (int k = 0; k < 5; k++) {
            double want = rounded(f, k < 4 ? (double)(float)in[i] : in[i], k < 4 ? (rounding)k : RN);
            unsigned short bits;

            memcpy(&bits, &got[5 * i + k], 2);
            if (!same(want, value_of(f, bits))) {
                printf("%s: %a, conversion %d: want %a, got %a\n", traits<T>::name(), in[i], k, want,
                       value_of(f, bits));
                exit(1);
            }
        }
    device_free(device_all);
    device_free(floats);
    device_free(device_in);
    device_free(out);
}

/* --- arithmetic --- */

enum { RESULTS = 24 };

template <typename T> __global__ void arithmetic(const T *in, T *out, int *bits, int n)
{
    typedef typename traits<T>::pair pair;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    T a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    T *r = &out[RESULTS * i];
    pair p = traits<T>::join(a, b), q = traits<T>::join(b, c), s = traits<T>::join(c, a), t;

    r[0] = a + b;
    r[1] = a - b;
    r[2] = a * b;
    r[3] = __hfma(a, b, c);
    r[4] = __hmin(a, b);
    r[5] = __hmax(a, b);
    r[6] = __habs(a);
    r[7] = -a;
    r[8] = __hadd_sat(a, b);
    r[9] = __hfma_sat(a, b, c);
    t = __hadd2(p, q);
    r[10] = t.x;
    r[11] = t.y;
    t = __hmul2(p, q);
    r[12] = t.x;
    r[13] = t.y;
    t = __hfma2(p, q, s);
    r[14] = t.x;
    r[15] = t.y;
    r[16] = __hfma_relu(a, b, c);
    r[17] = hfloor(a);
    r[18] = hceil(a);
    r[19] = htrunc(a);
    r[20] = hrint(a);
    t = __lowhigh2highlow(p);
    r[21] = t.x;
    r[22] = t.y;
    r[23] = traits<T>::from_int((int)(a == b) * 1000 + i);
    bits[2 * i] = (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a >= b) + 32 * (a > b) +
                  64 * __hisnan(a) + 128 * (__hisinf(a) != 0) + 256 * __hbeq2(p, q) + 512 * __hltu(a, b);
    int whole[4];

    traits<T>::to_int(a, whole);
    bits[2 * i + 1] = whole[0] + whole[1] * 3 + whole[2] * 5 + whole[3] * 7;
}

static double clamped(double x)
{
    return !(x > 0) ? 0 : x > 1 ? 1 : x;
}

template <typename T> static void test_arithmetic(int n)
{
    const format &f = traits<T>::form();
    struct rng rng = {77 + (uint64_t)f.fraction};
    std::vector<T> in(3 * n);

    for (int i = 0; i < 3 * n; i++) {
        /* Exponents within 20 of one another, so that products and sums are exact as doubles. */
        double x = rounded(f, std::ldexp(rng_unit(&rng) - 0.5, (int)rng_below(&rng, 12) - 6), RN);
        unsigned short bits = 0;

        if (rng_below(&rng, 12) == 0) {
            const double edges[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 2.5, -3.5, 0.5};

            x = edges[rng_below(&rng, 10)];
        }
        if (rng_below(&rng, 8) == 0 && i % 3 == 1)
            memcpy(&bits, &in[i - 1], 2); /* a == b */
        else
            for (int k = 0; k < 65536 && !same(value_of(f, bits), x); k++)
                bits++;
        memcpy(&in[i], &bits, 2);
    }
    T *device_in = device_copy(in);
    T *out = device_zeros<T>(RESULTS * n);
    int *device_bits = device_zeros<int>(2 * n);

    arithmetic<<<(n + 63) / 64, 64>>>(device_in, out, device_bits, n);
    CHECK_KERNEL();
    std::vector<T> got = host_copy(out, RESULTS * n);
    std::vector<int> got_bits = host_copy(device_bits, 2 * n);

    for (int i = 0; i < n; i++) {
        unsigned short bits[3];

        memcpy(bits, &in[3 * i], 6);
        double a = value_of(f, bits[0]), b = value_of(f, bits[1]), c = value_of(f, bits[2]);
        auto r = [&](double x) { return rounded(f, x, RN); };
        double relu = r(a * b + c);
        double want[RESULTS] = {
            r(a + b), r(a - b), r(a * b), r(a * b + c),
            std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b),
            std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b),
            std::fabs(a), -a,
            clamped(r(a + b)), clamped(r(a * b + c)),
            r(a + b), r(b + c), r(a * b), r(b * c), r(a * b + c), r(b * c + a),
            std::isnan(relu) ? relu : relu > 0 ? relu : 0,
            std::floor(a), std::ceil(a), std::trunc(a), nearbyint(a),
            b, a, r((a == b) * 1000 + i),
        };

        for (int k = 0; k < RESULTS; k++) {
            unsigned short result;

            memcpy(&result, &got[RESULTS * i + k], 2);
            double have = value_of(f, result);

            if (want[k] == 0 && have == 0 && (k == 4 || k == 5 || k == 8 || k == 9 || k >= 16))
                continue; /* the sign of zero is open */
            if (!same(want[k], have)) {
                printf("%s operation %d on %a %a %a: want %a, got %a\n", traits<T>::name(), k, a, b, c, want[k],
                       have);
                exit(1);
            }
        }
        bool unordered = std::isnan(a) || std::isnan(b);
        int relations = (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a >= b) + 32 * (a > b) +
                        64 * std::isnan(a) + 128 * (std::isinf(a) != 0) + 256 * (a == b && b == c) +
                        512 * (unordered || a < b);

        expect_value(traits<T>::name(), relations, got_bits[2 * i]);
        if (std::isfinite(a))
            expect_value(traits<T>::name(),
                         (int)nearbyint(a) + (int)trunc(a) * 3 + (int)ceil(a) * 5 + (int)floor(a) * 7,
                         got_bits[2 * i + 1]);
    }
    device_free(device_in);
    device_free(out);
    device_free(device_bits);
}

/* --- functions: at most one unit of the result's last place more than rounding --- */

template <typename T> __global__ void functions(const T *in, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    T x = in[i]; /* 0.25 .. 4 */
    T *r = &out[11 * i];

    r[0] = hsqrt(x);
    r[1] = hrsqrt(x);
    r[2] = hrcp(x);
    r[3] = hexp(x);
    r[4] = hexp2(x);
    r[5] = hexp10(x);
    r[6] = hlog(x);
    r[7] = hlog2(x);
    r[8] = hsin(x);
    r[9] = hcos(x);
    r[10] = __hdiv(x, in[(i + 1) % n]);
}

template <typename T> static void test_functions(void)
{
    const format &f = traits<T>::form();
    std::vector<T> in;
    std::vector<double> values;

    for (int i = 0; i < 65536; i += f.fraction == 10 ? 7 : 1) {
        unsigned short bits = (unsigned short)i;
        double x = value_of(f, bits);

        if (x >= 0.25 && x <= 4) {
            T one;

            memcpy(&one, &bits, 2);
            in.push_back(one);
            values.push_back(x);
        }
    }
    int n = (int)in.size();
    T *device_in = device_copy(in);
    T *out = device_zeros<T>(11 * n);

    functions<<<(n + 63) / 64, 64>>>(device_in, out, n);
    CHECK_KERNEL();
    std::vector<T> got = host_copy(out, 11 * n);

    for (int i = 0; i < n; i++) {
        double x = values[i];
        double want[11] = {sqrt(x), 1 / sqrt(x), 1 / x,  exp(x),  exp2(x), pow(10, x),
                           log(x),  log2(x),     sin(x), cos(x), x / values[(i + 1) % n]};

        for (int k = 0; k < 11; k++) {
            unsigned short bits;

            memcpy(&bits, &got[11 * i + k], 2);
            double unit = want[k] ? ldexp(1, std::max(ilogb(want[k]), f.lowest) - f.fraction) : 0;
            double slack = 2 * unit + (k >= 6 && k <= 9 ? 0x1p-13 : 0);

            if (!(std::fabs(value_of(f, bits) - want[k]) <= slack)) {
                printf("%s function %d of %a: want %a, got %a\n", traits<T>::name(), k, x, want[k],
                       value_of(f, bits));
                exit(1);
            }
        }
    }
    device_free(device_in);
    device_free(out);
}

/* --- a dot product in pairs, as programs have it --- */

__global__ void dot(const __half2 *a, const __half2 *b, float *out, int pairs)
{
    __half2 sum = __float2half2_rn(0);
    float wide = 0;

    for (int i = threadIdx.x; i < pairs; i += 32) {
        sum = __hfma2(a[i], b[i], sum);
        float2 product = __half22float2(__hmul2(a[i], b[i]));

        wide += product.x + product.y;
    }
    float total = __low2float(sum) + __high2float(sum);

    for (int distance = 16; distance; distance /= 2) {
        total += __shfl_xor_sync(0xffffffffu, total, distance);
        wide += __shfl_xor_sync(0xffffffffu, wide, distance);
        sum = __hadd2(sum, __shfl_xor_sync(0xffffffffu, sum, distance));
    }
    if (threadIdx.x == 0) {
        out[0] = total;
        out[1] = wide;
        out[2] = __half2float(__hadd(__low2half(sum), __high2half(sum)));
    }
}

static void test_dot(void)
{
    enum { PAIRS = 200 };
    std::vector<__half2> a(PAIRS), b(PAIRS);
    struct rng rng = {1};
    float want = 0;

    for (int i = 0; i < PAIRS; i++) {
        float x[4];

        for (float &value : x)
            value = (float)(int)rng_below(&rng, 5) - 2;
        a[i] = __floats2half2_rn(x[0], x[1]);
        b[i] = __floats2half2_rn(x[2], x[3]);
        want += x[0] * x[2] + x[1] * x[3];
    }
    __half2 *device_a = device_copy(a);
    __half2 *device_b = device_copy(b);
    float *out = device_zeros<float>(3);

    dot<<<1, 32>>>(device_a, device_b, out, PAIRS);
    CHECK_KERNEL();
    expect_device("dot", std::vector<float>(3, want), out);
    device_free(device_a);
    device_free(device_b);
    device_free(out);
}

int main(void)
{
    test_conversions<__half>(4000);
    test_conversions<__nv_bfloat16>(4000);
    test_arithmetic<__half>(800);
    test_arithmetic<__nv_bfloat16>(800);
    test_functions<__half>();
    test_functions<__nv_bfloat16>();
    test_dot();
    return passed();
}
