/*
 * curand_pi.cu - random numbers by the device functions of curand_kernel.h: Philox and XORWOW, word for word against
 * the CPU; uniform and normal numbers by their moments; pi by Monte Carlo; a hand-written xorshift.
 */
#include <curand_kernel.h>

#include "check.h"

__global__ void philox_words(unsigned *out, unsigned long long seed, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state;

    curand_init(seed, i, i * 3, &state);
    for (int k = 0; k < count; k++)
        out[i * count + k] = curand(&state);
}

static void philox_on_host(const unsigned counter[4], unsigned long long seed, unsigned out[4])
{
    unsigned c[4] = {counter[0], counter[1], counter[2], counter[3]};
    unsigned key[2] = {(unsigned)seed, (unsigned)(seed >> 32)};

    for (int round = 0; round < 10; round++) {
        unsigned long long p = 0xd2511f53ull * c[0], q = 0xcd9e8d57ull * c[2];

        c[0] = (unsigned)(q >> 32) ^ c[1] ^ key[0];
        c[1] = (unsigned)q;
        c[2] = (unsigned)(p >> 32) ^ c[3] ^ key[1];
        c[3] = (unsigned)p;
        key[0] += 0x9e3779b9;
        key[1] += 0xbb67ae85;
    }
    memcpy(out, c, sizeof c);
}

static void test_philox(void)
{
    enum { THREADS = 48, COUNT = 11 };
    const unsigned long long seed = 0x123456789abcdefull;
    std::vector<unsigned> want;
    unsigned *out = device_zeros<unsigned>(THREADS * COUNT);

    for (int i = 0; i < THREADS; i++)
        for (int k = 0; k < COUNT; k++) {
            unsigned position = i * 3 + k, words[4];
            unsigned counter[4] = {position / 4, 0, (unsigned)i, 0};

            philox_on_host(counter, seed, words);
            want.push_back(words[position % 4]);
        }
    philox_words<<<2, THREADS / 2>>>(out, seed, COUNT);
    CHECK_KERNEL();
    expect_device("philox", want, out);
    device_free(out);
}

__global__ void xorwow_init(curandState *states, unsigned long long seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    curand_init(seed, i % 4, i, &states[i]);
}

__global__ void xorwow_words(curandState *states, unsigned *out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state = states[i];

    for (int k = 0; k < count; k++)
        out[i * count + k] = curand(&state);
    states[i] = state;
}

static unsigned xorwow_on_host(curandState *state)
{
    unsigned t = state->v[0] ^ state->v[0] >> 2;

    for (int k = 0; k < 4; k++)
        state->v[k] = state->v[k + 1];
    state->v[4] = state->v[4] ^ state->v[4] << 4 ^ t ^ t << 1;
    state->d += 362437;
    return state->v[4] + state->d;
}

static void test_xorwow(void)
{
    enum { THREADS = 32, COUNT = 9 };
    std::vector<unsigned> want;
    curandState *states = device_zeros<curandState>(THREADS);
    unsigned *out = device_zeros<unsigned>(THREADS * COUNT);

    xorwow_init<<<1, THREADS>>>(states, 42);
    CHECK_KERNEL();
    std::vector<curandState> host = host_copy(states, THREADS);

    xorwow_words<<<1, THREADS>>>(states, out, COUNT);
    CHECK_KERNEL();
    /* Thread i skipped i numbers of its sequence: the numbers of 0, from i on, are those of thread 4 j = i. */
    curandState first = host[0];

    for (int i = 0; i < THREADS; i++) {
        if (i % 4 == 0) {
            EXPECT(memcmp(first.v, host[i].v, sizeof first.v) == 0 && first.d == host[i].d);
            for (int k = 0; k < 4; k++)
                xorwow_on_host(&first);
        }
        for (int k = 0; k < COUNT; k++)
            want.push_back(xorwow_on_host(&host[i]));
    }
    expect_device("xorwow", want, out);
    std::vector<curandState> after = host_copy(states, THREADS);

    for (int i = 0; i < THREADS; i++)
        EXPECT(memcmp(after[i].v, host[i].v, sizeof host[i].v) == 0 && after[i].d == host[i].d);
    device_free(states);
    device_free(out);
}

/* sums: of uniforms, their squares, normals, their squares, double uniforms, four normals, poissons */
__global__ void moments(double *sums, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state;
    double local[7] = {};

    curand_init(7, i, 0, &state);
    for (int k = 0; k < count; k++) {
        float u = curand_uniform(&state);
        float n = curand_normal(&state);
        float4 four = curand_normal4(&state);

        if (!(u > 0 && u <= 1))
            atomicAdd(&sums[7], 1.0);
        local[0] += u;
        local[1] += u * u;
        local[2] += n;
        local[3] += n * n;
        local[4] += curand_uniform_double(&state);
        local[5] += four.x + four.y + four.z + four.w;
        local[6] += curand_poisson(&state, 3.5);
    }
    for (int k = 0; k < 7; k++)
        atomicAdd(&sums[k], local[k]);
}

static void test_moments(void)
{
    enum { BLOCKS = 4, THREADS = 64, COUNT = 16 };
    double n = BLOCKS * THREADS * COUNT;
    double *sums = device_zeros<double>(8);

    moments<<<BLOCKS, THREADS>>>(sums, COUNT);
    CHECK_KERNEL();
    std::vector<double> got = host_copy(sums, 8);

    expect_near("uniform", 0, 0.5, got[0] / n, 0, 5 * 0.289 / sqrt(n));
    expect_near("uniform squared", 0, 1 / 3.0, got[1] / n, 0, 5 * 0.298 / sqrt(n));
    expect_near("normal", 0, 0, got[2] / n, 0, 5 / sqrt(n));
    expect_near("normal squared", 0, 1, got[3] / n, 0, 5 * 1.414 / sqrt(n));
    expect_near("double", 0, 0.5, got[4] / n, 0, 5 * 0.289 / sqrt(n));
    expect_near("four normals", 0, 0, got[5] / n / 4, 0, 5 / sqrt(4 * n));
    expect_near("poisson", 0, 3.5, got[6] / n, 0, 5 * sqrt(3.5 / n));
    EXPECT(got[7] == 0);
    device_free(sums);
}

__global__ void hits(unsigned long long *count, int tries)
{
    curandStatePhilox4_32_10_t state;
    unsigned mine = 0;

    curand_init(99, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    for (int k = 0; k < tries; k++) {
        float4 u = curand_uniform4(&state);

        mine += (u.x * u.x + u.y * u.y <= 1) + (u.z * u.z + u.w * u.w <= 1);
    }
    for (int distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(count, (unsigned long long)mine);
}

/* Exact: integers only. */
__global__ void hits_xorshift(unsigned long long *count, int tries)
{
    unsigned long long x = 88172645463325252ull + (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761ull;
    unsigned mine = 0;

    for (int k = 0; k < tries; k++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        unsigned long long a = x & 0xffff, b = x >> 16 & 0xffff;

        mine += a * a + b * b < 1ull << 32;
    }
    atomicAdd(count, (unsigned long long)mine);
}

static void test_pi(void)
{
    enum { BLOCKS = 4, THREADS = 64, TRIES = 100 };
    unsigned long long *count = device_zeros<unsigned long long>(1);
    unsigned long long want = 0;

    hits<<<BLOCKS, THREADS>>>(count, TRIES);
    CHECK_KERNEL();
    expect_near("pi", 0, M_PI, 4.0 * host_copy(count, 1)[0] / (BLOCKS * THREADS * TRIES * 2), 0, 0.04);
    for (int i = 0; i < BLOCKS * THREADS; i++) {
        unsigned long long x = 88172645463325252ull + i * 2654435761ull;

        for (int k = 0; k < TRIES; k++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            unsigned long long a = x & 0xffff, b = x >> 16 & 0xffff;

            want += a * a + b * b < 1ull << 32;
        }
    }
    CUDA_CHECK(cudaMemset(count, 0, sizeof *count));
    hits_xorshift<<<BLOCKS, THREADS>>>(count, TRIES);
    CHECK_KERNEL();
    expect_device("xorshift", std::vector<unsigned long long>{want}, count);
    device_free(count);
}

int main(void)
{
    test_philox();
    test_xorwow();
    test_moments();
    test_pi();
    return passed();
}
