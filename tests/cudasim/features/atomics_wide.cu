/*
 * atomics_wide.cu - atomics on vectors of floats and halves, on 16 and 128 bits, and in libcu++'s scopes.
 */
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../check.h"

struct alignas(16) pair { unsigned long long low, high; };

static __global__ void add(float4 *four, float2 *two, __half2 *halves, __nv_bfloat162 *brains, __half *half,
                           unsigned short *small, pair *wide, float *most, unsigned *wrap)
{
    int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    unsigned short old = *(volatile unsigned short *)small, seen;
    pair have = {0, 0}, next;
    cuda::atomic_ref<float, cuda::thread_scope_device> top(*most);

    atomicAdd(four, make_float4(1, 2, 3, (float)t));
    atomicAdd(two, make_float2(0.5f, -1));
    atomicAdd(halves, __floats2half2_rn(1, 0.5f));
    atomicAdd(brains, __floats2bfloat162_rn(1, -1));
    atomicAdd(half, __float2half(0.25f));
    while ((seen = atomicCAS(small, old, (unsigned short)(old + 3))) != old)
        old = seen;
    for (;;) {
        next = {have.low + 1, have.high + (unsigned long long)t};
        pair found = atomicCAS(wide, have, next);
        if (found.low == have.low && found.high == have.high)
            break;
        have = found;
    }
    top.fetch_max((float)(t * 7 % 97));
    atomicInc(wrap, 9);
    atomicDec(wrap + 1, 20);
}

int main(void)
{
    const int n = 128;
    unsigned char *d = device_zeros<unsigned char>(128);
    std::vector<unsigned char> h;

    add<<<4, 32>>>((float4 *)d, (float2 *)(d + 16), (__half2 *)(d + 24), (__nv_bfloat162 *)(d + 28),
                   (__half *)(d + 32), (unsigned short *)(d + 34), (pair *)(d + 48), (float *)(d + 64),
                   (unsigned *)(d + 68));
    CHECK_KERNEL();
    h = host_copy(d, 128);
    float4 four = *(float4 *)&h[0];
    float2 two = *(float2 *)&h[16];
    float2 halves = __half22float2(*(__half2 *)&h[24]), brains = __bfloat1622float2(*(__nv_bfloat162 *)&h[28]);
    pair wide = *(pair *)&h[48];
    EXPECT(four.x == n && four.y == 2 * n && four.z == 3 * n && four.w == n * (n - 1) / 2);
    EXPECT(two.x == n / 2 && two.y == -n && halves.x == n && halves.y == n / 2);
    EXPECT(brains.x == n && brains.y == -n && __half2float(*(__half *)&h[32]) == n / 4);
    EXPECT(*(unsigned short *)&h[34] == 3 * n && wide.low == n && wide.high == n * (n - 1) / 2);
    EXPECT(*(float *)&h[64] == 96 && *(unsigned *)&h[68] == n % 10);
    EXPECT(*(unsigned *)&h[72] == 20 - (n - 1) % 21);
    device_free(d);
    return passed();
}
