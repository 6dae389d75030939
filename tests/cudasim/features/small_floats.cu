/*
 * small_floats.cu - every code of fp8, fp6 and fp4 to half and back, on the device as on the host; 16-bit arithmetic.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include "../check.h"

static __host__ __device__ void convert(int c, float *o)
{
    __nv_fp8_e4m3 a;
    __nv_fp8_e5m2 b;
    __nv_fp6_e2m3 s;
    __nv_fp6_e3m2 t;
    __nv_fp4_e2m1 f;
    float x = (float)(c - 128) * 0.37f;

    a.__x = (unsigned char)c, b.__x = (unsigned char)c, s.__x = (unsigned char)(c & 63);
    t.__x = (unsigned char)(c & 63), f.__x = (unsigned char)(c & 15);
    o[0] = (float)a, o[1] = (float)b, o[2] = (float)s, o[3] = (float)t, o[4] = (float)f;
    o[5] = __nv_fp8_e4m3(x * 11).__x, o[6] = __nv_fp8_e5m2(x * 3000).__x, o[7] = __nv_fp6_e2m3(x / 4).__x;
    o[8] = __nv_fp6_e3m2(x).__x, o[9] = __nv_fp4_e2m1(x / 5).__x;
    o[10] = (float)__nv_bfloat16(x), o[11] = (float)__half(x * 3);
    o[12] = (float)__nv_cvt_float_to_fp8(x * 11, __NV_NOSAT, __NV_E5M2);
    o[13] = (float)__nv_cvt_float2_to_fp4x2(make_float2(x / 7, -x), __NV_E2M1, cudaRoundNearest);
    o[14] = (float)__nv_cvt_float_to_e8m0(fabsf(x) * 9, __NV_SATFINITE, cudaRoundPosInf);
}

static __global__ void run(float *o)
{
    convert((int)threadIdx.x, o + 16 * threadIdx.x);
}

static __global__ void arithmetic(float *o)
{
    __half2 a = __floats2half2_rn(1.5f, -2), b = __floats2half2_rn(3, 0.25f);
    __nv_bfloat162 c = __floats2bfloat162_rn(4, -8);
    float2 r = __half22float2(__hfma2(a, b, a)), m = __half22float2(__hmax2(a, b));
    float2 e = __half22float2(h2exp2(a)), s = __bfloat1622float2(__habs2(c)), q;

    q = __bfloat1622float2(__hfma2_relu(c, c, __floats2bfloat162_rn(-20, 1)));
    o[0] = r.x, o[1] = r.y, o[2] = m.x, o[3] = m.y, o[4] = e.y, o[5] = s.x, o[6] = s.y, o[7] = q.x, o[8] = q.y;
    o[9] = (float)__hbgt2(b, a), o[10] = (float)__heq2_mask(a, a), o[11] = __half2float(hrcp(__float2half(4)));
    o[12] = __half2float(__hadd_sat(__float2half(0.7f), __float2half(0.6f)));
    o[13] = (float)__half2int_rd(__float2half(-1.5f));
    o[14] = __low2float(__lowhigh2highlow(a)), o[15] = __half2float(__ushort_as_half(0x7bff));
}

int main(void)
{
    std::vector<float> want(256 * 16), got;
    float *o = device_zeros<float>(256 * 16);

    for (int c = 0; c < 256; c++)
        convert(c, &want[16 * c]);
    run<<<1, 256>>>(o);
    CHECK_KERNEL();
    got = host_copy(o, want.size());
    for (size_t i = 0; i < got.size(); i++)
        if (!(std::isnan(want[i]) && std::isnan(got[i])) && want[i] != got[i])
            differs<float>("conversion", i, want[i], got[i]);
    arithmetic<<<1, 1>>>(o);
    CHECK_KERNEL();
    expect_device("arithmetic", std::vector<float>{6, -2.5f, 3, 0.25f, 0.25f, 4, 8, 0, 65, 1, 4294967296.f, 0.25f, 1,
                                                   -2, -2, 65504}, o);
    device_free(o);
    return passed();
}
