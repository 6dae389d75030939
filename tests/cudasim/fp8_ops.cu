/*
 * fp8_ops.cu - 8-bit floating point, e4m3 and e5m2: conversions of floats and halves, alone and in pairs, and back,
 * which must agree with the CPU's side of cuda_fp8.h; and mma on 8-bit floats.
 */
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "check.h"

/* out: 6 bytes a value */
__host__ __device__ static void narrowed(float x, float y, unsigned char *out)
{
    __nv_fp8x2_storage_t pair = __nv_cvt_float2_to_fp8x2(float2{x, y}, __NV_SATFINITE, __NV_E4M3);

    out[0] = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
    out[1] = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2);
    out[2] = __nv_cvt_halfraw_to_fp8(__half_raw(__float2half(x)), __NV_SATFINITE, __NV_E4M3);
    out[3] = __nv_cvt_double_to_fp8(x, __NV_SATFINITE, __NV_E5M2);
    out[4] = pair & 255;
    out[5] = pair >> 8;
}

__global__ void narrow(const float *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        narrowed(in[i], in[(i + 1) % n], &out[6 * i]);
}

__host__ __device__ static void widened(int bits, float *out)
{
    __nv_fp8_e4m3 a;
    __nv_fp8_e5m2 b;

    a.__x = (unsigned char)bits;
    b.__x = (unsigned char)bits;
    out[0] = (float)a;
    out[1] = (float)b;
}

__global__ void widen(float *out)
{
    widened(threadIdx.x, &out[2 * threadIdx.x]);
}

/* d = a b; a: 16 x 32, b: 32 x 8, both of small integers */
__global__ void multiply(const __nv_fp8_e4m3 *a, const __nv_fp8_e5m2 *b, float *out)
{
    int lane = threadIdx.x;
    unsigned ra[4], rb[2];
    float d[4] = {};

    for (int k = 0; k < 4; k++) {
        unsigned char bytes[4];

        for (int i = 0; i < 4; i++)
            bytes[i] = a[(lane / 4 + k % 2 * 8) * 32 + lane % 4 * 4 + i + k / 2 * 16].__x;
        memcpy(&ra[k], bytes, 4);
    }
    for (int k = 0; k < 2; k++) {
        unsigned char bytes[4];

        for (int i = 0; i < 4; i++)
            bytes[i] = b[(lane % 4 * 4 + i + k * 16) * 8 + lane / 4].__x;
        memcpy(&rb[k], bytes, 4);
    }
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    for (int i = 0; i < 4; i++)
        out[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}

int main(void)
{
    enum { N = 4000 };
    struct rng rng = {8};
    std::vector<float> in(N), wide(512);
    std::vector<unsigned char> want(6 * N);

    for (int i = 0; i < N; i++) {
        in[i] = (float)std::ldexp(rng_unit(&rng) - 0.5, (int)rng_below(&rng, 36) - 18);
        if (i % 16 == 0)
            in[i] = i % 32 ? INFINITY : -0.0f;
    }
    for (int i = 0; i < N; i++)
        narrowed(in[i], in[(i + 1) % N], &want[6 * i]);
    float *device_in = device_copy(in);
    unsigned char *out = device_zeros<unsigned char>(6 * N);
    float *device_wide = device_zeros<float>(512);

    narrow<<<(N + 63) / 64, 64>>>(device_in, out, N);
    CHECK_KERNEL();
    expect_device("narrow", want, out);
    widen<<<1, 256>>>(device_wide);
    CHECK_KERNEL();
    std::vector<float> got = host_copy(device_wide, 512);

    for (int i = 0; i < 256; i++)
        widened(i, &wide[2 * i]);
    for (int i = 0; i < 512; i++)
        if (!(std::isnan(wide[i]) && std::isnan(got[i])) && memcmp(&wide[i], &got[i], 4))
            differs("widen", i, wide[i], got[i]);

    std::vector<__nv_fp8_e4m3> a(16 * 32);
    std::vector<__nv_fp8_e5m2> b(32 * 8);
    std::vector<float> products(128);

    for (auto &value : a)
        value = __nv_fp8_e4m3((float)rng_below(&rng, 17) - 8);
    for (auto &value : b)
        value = __nv_fp8_e5m2((float)rng_below(&rng, 9) - 4);
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 8; x++)
            for (int k = 0; k < 32; k++)
                products[y * 8 + x] += (float)a[y * 32 + k] * (float)b[k * 8 + x];
    __nv_fp8_e4m3 *device_a = device_copy(a);
    __nv_fp8_e5m2 *device_b = device_copy(b);
    float *device_products = device_zeros<float>(128);

    multiply<<<1, 32>>>(device_a, device_b, device_products);
    CHECK_KERNEL();
    expect_device("mma", products, device_products);
    device_free(device_in);
    device_free(out);
    device_free(device_wide);
    device_free(device_a);
    device_free(device_b);
    device_free(device_products);
    return passed();
}
