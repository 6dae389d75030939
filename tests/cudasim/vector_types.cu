/*
 * vector_types.cu - loads and stores of every width: the built-in vectors of 1 to 4 elements in global, shared and
 * local memory, odd ones of 3, bytes taken from any address, structs which are copied in pieces, 128-bit accesses.
 */
#include "check.h"

template <typename V> __global__ void reverse(const V *in, V *out, int n)
{
    __shared__ V staged[64];
    V local[4];
    int i = threadIdx.x;

    if (i < n)
        staged[i] = in[i];
    __syncthreads();
    if (i >= n)
        return;
    for (int k = 0; k < 4; k++)
        local[(k + i) % 4] = staged[(n - 1 - i + k) % n];
    out[i] = local[i % 4];
}

template <typename V> static void test(const char *what)
{
    struct rng rng = {sizeof(V)};
    std::vector<V> in(61), want(61);

    for (int i = 0; i < 61; i++) {
        for (size_t k = 0; k < sizeof(V); k++)
            ((unsigned char *)&in[i])[k] = rng_next(&rng);
        want[60 - i] = in[i];
    }
    V *device_in = device_copy(in);
    V *out = device_zeros<V>(61);

    reverse<<<1, 64>>>(device_in, out, 61);
    CHECK_KERNEL();
    expect_bits(what, want, host_copy(out, 61));
    device_free(device_in);
    device_free(out);
}

/* Reads 2, 4 and 8 bytes at any address by way of memcpy. */
__global__ void anywhere(const unsigned char *in, unsigned long long *out)
{
    int i = threadIdx.x;
    unsigned short two;
    unsigned four;
    unsigned long long eight;

    memcpy(&two, in + i, 2);
    memcpy(&four, in + i, 4);
    memcpy(&eight, in + i, 8);
    out[i * 3] = two;
    out[i * 3 + 1] = four;
    out[i * 3 + 2] = eight;
}

struct __attribute__((packed)) packed {
    char tag;
    int value;
    double weight;
    short end;
};

__global__ void use_packed(const packed *in, double *out)
{
    packed one = in[threadIdx.x];

    out[threadIdx.x] = one.tag + one.value * 10.0 + one.weight + one.end * 0.5;
}

/* PTX: vectors of 2 and 4, of all sizes, mixed with offsets. */
__global__ void by_ptx(const unsigned char *in, unsigned long long *out)
{
    unsigned long long a, b;
    unsigned c, d, e, f;
    unsigned short g, h, k, l;

    asm volatile("ld.global.v2.u64 {%0, %1}, [%2+16];" : "=l"(a), "=l"(b) : "l"(in) : "memory");
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4+-16];"
                 : "=r"(c), "=r"(d), "=r"(e), "=r"(f)
                 : "l"(in + 64)
                 : "memory");
    asm volatile("ld.global.v4.u8 {%0, %1, %2, %3}, [%4];"
                 : "=h"(g), "=h"(h), "=h"(k), "=h"(l)
                 : "l"(in + 4)
                 : "memory");
    asm volatile("st.global.v2.u64 [%0], {%1, %2};" : : "l"(out), "l"(a), "l"(b) : "memory");
    asm volatile("st.global.v4.u32 [%0+16], {%1, %2, %3, %4};"
                 :
                 : "l"(out), "r"(c), "r"(d), "r"(e), "r"(f)
                 : "memory");
    asm volatile("st.global.v4.u8 [%0+32], {%1, %2, %3, %4};"
                 :
                 : "l"(out), "h"(g), "h"(h), "h"(k), "h"(l)
                 : "memory");
    asm volatile("ld.global.s8 %0, [%1];" : "=h"(g) : "l"(in + 7) : "memory");
    asm volatile("ld.global.s16 %0, [%1];" : "=r"(c) : "l"(in + 8) : "memory");
    asm volatile("st.global.u32 [%0+36], %1;" : : "l"(out), "r"((unsigned)g) : "memory");
    asm volatile("st.global.u32 [%0+40], %1;" : : "l"(out), "r"(c) : "memory");
    asm volatile("st.global.u16 [%0+44], %1;" : : "l"(out), "r"(c) : "memory");
    asm volatile("st.global.u8 [%0+46], %1;" : : "l"(out), "r"(c) : "memory");
}

static void test_bytes(void)
{
    struct rng rng = {3};
    std::vector<unsigned char> in(128);
    std::vector<unsigned long long> want(64 * 3);

    for (unsigned char &value : in)
        value = rng_next(&rng) | 0x80;
    for (int i = 0; i < 64; i++) {
        memcpy(&want[i * 3], &in[i], 2);
        memcpy(&want[i * 3 + 1], &in[i], 4);
        memcpy(&want[i * 3 + 2], &in[i], 8);
    }
    unsigned char *device_in = device_copy(in);
    unsigned long long *out = device_zeros<unsigned long long>(want.size());

    anywhere<<<1, 64>>>(device_in, out);
    CHECK_KERNEL();
    expect_device("anywhere", want, out);
    CUDA_CHECK(cudaMemset(out, 0, 48));
    by_ptx<<<1, 1>>>(device_in, out);
    CHECK_KERNEL();
    std::vector<unsigned char> got = host_copy((unsigned char *)out, 48), bytes(48);
    unsigned narrow = (unsigned short)(short)(signed char)in[7];
    int wider;
    short half;

    memcpy(&bytes[0], &in[16], 16);
    memcpy(&bytes[16], &in[48], 16);
    memcpy(&bytes[32], &in[4], 4);
    memcpy(&bytes[36], &narrow, 4);
    memcpy(&half, &in[8], 2);
    wider = half;
    memcpy(&bytes[40], &wider, 4);
    memcpy(&bytes[44], &half, 2);
    bytes[46] = in[8];
    expect_equal("by PTX", bytes, got);
    device_free(device_in);
    device_free(out);
}

static void test_packed(void)
{
    std::vector<packed> in(40);
    std::vector<double> want(40);

    for (int i = 0; i < 40; i++) {
        in[i] = {(char)i, i * 1000 - 7, i * 0.25, (short)-i};
        want[i] = i + (i * 1000 - 7) * 10.0 + i * 0.25 - i * 0.5;
    }
    packed *device_in = device_copy(in);
    double *out = device_zeros<double>(40);

    use_packed<<<1, 40>>>(device_in, out);
    CHECK_KERNEL();
    expect_device("packed", want, out);
    device_free(device_in);
    device_free(out);
}

int main(void)
{
    test<char1>("char1");
    test<uchar2>("uchar2");
    test<uchar3>("uchar3");
    test<char4>("char4");
    test<short1>("short1");
    test<short2>("short2");
    test<ushort3>("ushort3");
    test<short4>("short4");
    test<int1>("int1");
    test<int2>("int2");
    test<uint3>("uint3");
    test<int4>("int4");
    test<long1>("long1");
    test<longlong2>("longlong2");
    test<float2>("float2");
    test<float3>("float3");
    test<float4>("float4");
    test<double1>("double1");
    test<double2>("double2");
    test<double3>("double3");
    test<dim3>("dim3");
    test_bytes();
    test_packed();
    return passed();
}
