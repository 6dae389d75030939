/*
 * fft.cu - the fast Fourier transform of each row by one block in shared memory (Stockham, radix 2, no bit reversal),
 * forth and back, against the definition; and the number-theoretic one, whose convolution is exact.
 */
#include <complex>

#include "check.h"

enum { LARGEST = 1024 };

/* n: a power of two, twice blockDim.x; direction: -1 forth, 1 back (not divided by n) */
__global__ void transform(float2 *rows, int n, float direction)
{
    __shared__ float2 buffer[2][LARGEST];
    float2 *row = rows + (size_t)blockIdx.x * n;
    int t = threadIdx.x, half = n / 2, from = 0;

    buffer[0][t] = row[t];
    buffer[0][t + half] = row[t + half];
    for (int size = 1; size < n; size *= 2) { /* the number of transforms' elements done so far */
        __syncthreads();
        int k = t % size, j = t / size;
        float sine, cosine;

        sincospif(direction * k / size, &sine, &cosine);
        float2 a = buffer[from][t], b = buffer[from][t + half];
        float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);

        buffer[1 - from][2 * size * j + k] = make_float2(a.x + turned.x, a.y + turned.y);
        buffer[1 - from][2 * size * j + k + size] = make_float2(a.x - turned.x, a.y - turned.y);
        from = 1 - from;
    }
    __syncthreads();
    row[t] = buffer[from][t];
    row[t + half] = buffer[from][t + half];
}

static void test_fft(int n, int rows)
{
    struct rng rng = {(uint64_t)n};
    std::vector<float2> in(n * rows);

    for (float2 &value : in)
        value = make_float2((float)rng_unit(&rng) - 0.5f, (float)rng_unit(&rng) - 0.5f);
    float2 *device = device_copy(in);

    transform<<<rows, n / 2>>>(device, n, -1);
    CHECK_KERNEL();
    std::vector<float2> got = host_copy(device, n * rows);

    for (int row = 0; row < rows; row++)
        for (int k = 0; k < n; k += n > 64 ? 7 : 1) {
            std::complex<double> sum = 0;

            for (int i = 0; i < n; i++)
                sum += std::complex<double>(in[row * n + i].x, in[row * n + i].y) *
                       std::polar(1.0, -2 * M_PI * ((long long)i * k % n) / n);
            expect_near("real", row * n + k, sum.real(), got[row * n + k].x, 0, 2e-6 * n);
            expect_near("imaginary", row * n + k, sum.imag(), got[row * n + k].y, 0, 2e-6 * n);
        }
    transform<<<rows, n / 2>>>(device, n, 1);
    CHECK_KERNEL();
    got = host_copy(device, n * rows);
    for (int i = 0; i < n * rows; i++) {
        expect_near("back", i, in[i].x, got[i].x / n, 0, 2e-6);
        expect_near("back", i, in[i].y, got[i].y / n, 0, 2e-6);
    }
    device_free(device);
}

/* --- modulo 998244353 = 119 * 2^23 + 1 --- */

static const unsigned PRIME = 998244353;

__host__ __device__ static unsigned multiplied(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b % PRIME);
}

__host__ __device__ static unsigned raised(unsigned base, unsigned exponent)
{
    unsigned result = 1;

    for (; exponent; exponent /= 2, base = multiplied(base, base))
        if (exponent & 1)
            result = multiplied(result, base);
    return result;
}

__device__ void transform_modulo(unsigned (*buffer)[LARGEST], int n, unsigned root, int *from)
{
    int t = threadIdx.x, half = n / 2;

    for (int size = 1; size < n; size *= 2) {
        __syncthreads();
        int k = t % size, j = t / size;
        unsigned a = buffer[*from][t];
        unsigned b = multiplied(buffer[*from][t + half], raised(root, (unsigned)(n / (2 * size)) * k));

        buffer[1 - *from][2 * size * j + k] = (a + b) % PRIME;
        buffer[1 - *from][2 * size * j + k + size] = (a + PRIME - b) % PRIME;
        *from = 1 - *from;
    }
    __syncthreads();
}

__global__ void convolve(const unsigned *a, const unsigned *b, unsigned *out, int n)
{
    __shared__ unsigned first[2][LARGEST], second[2][LARGEST];
    int t = threadIdx.x, from_first = 0, from_second = 0;
    unsigned root = raised(3, (PRIME - 1) / n);

    for (int i = t; i < n; i += n / 2) {
        first[0][i] = a[i];
        second[0][i] = b[i];
    }
    transform_modulo(first, n, root, &from_first);
    transform_modulo(second, n, root, &from_second);
    for (int i = t; i < n; i += n / 2)
        first[from_first][i] = multiplied(first[from_first][i], second[from_second][i]);
    transform_modulo(first, n, raised(root, PRIME - 2), &from_first);
    unsigned scale = raised(n, PRIME - 2);

    for (int i = t; i < n; i += n / 2)
        out[i] = multiplied(first[from_first][i], scale);
}

static void test_convolution(int n)
{
    struct rng rng = {(uint64_t)n};
    std::vector<unsigned> a(n), b(n), want(n);

    for (int i = 0; i < n; i++) {
        a[i] = rng_below(&rng, PRIME);
        b[i] = rng_below(&rng, PRIME);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            want[(i + j) % n] = (want[(i + j) % n] + multiplied(a[i], b[j])) % PRIME;
    unsigned *device_a = device_copy(a);
    unsigned *device_b = device_copy(b);
    unsigned *out = device_zeros<unsigned>(n);

    convolve<<<1, n / 2>>>(device_a, device_b, out, n);
    CHECK_KERNEL();
    expect_device("convolution", want, out);
    device_free(device_a);
    device_free(device_b);
    device_free(out);
}

int main(void)
{
    test_fft(2, 3);
    test_fft(64, 5);
    test_fft(1024, 2);
    test_convolution(8);
    test_convolution(256);
    return passed();
}
