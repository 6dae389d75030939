/*
 * int128.cu - 128-bit integers in kernels: products, quotients, shifts, signs.
 */
#include "../check.h"

typedef unsigned __int128 u128;
typedef __int128 s128;

static __host__ __device__ void all(u128 a, u128 b, int shift, u128 *out)
{
    out[0] = a * b;
    out[1] = a / b;
    out[2] = a % b;
    out[3] = a << shift;
    out[4] = a >> shift;
    out[5] = (u128)((s128)a >> shift);
    out[6] = (u128)((s128)a / (s128)b);
    out[7] = (u128)((s128)a % -(s128)b);
    out[8] = (s128)a < (s128)b ? a - b : a + b;
}

static __global__ void run(const u128 *in, u128 *out)
{
    int t = (int)threadIdx.x;

    all(in[2 * t], in[2 * t + 1], t * 2 + 1, out + 9 * t);
}

int main(void)
{
    struct rng rng = {41};
    std::vector<u128> in(128), want(64 * 9), got;

    for (int t = 0; t < 128; t++)
        in[t] = (((u128)rng_next(&rng) << 64) | rng_next(&rng)) >> (t % 2 ? rng_below(&rng, 126) : 0);
    for (int t = 0; t < 64; t++) {
        in[2 * t + 1] |= 2;
        all(in[2 * t], in[2 * t + 1], t * 2 + 1, &want[9 * t]);
    }
    u128 *device = device_copy(in), *out = device_zeros<u128>(64 * 9);
    run<<<1, 64>>>(device, out);
    CHECK_KERNEL();
    expect_bits("results", want, host_copy(out, want.size()));
    device_free(device), device_free(out);
    return passed();
}
