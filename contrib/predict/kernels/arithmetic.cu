/*
 * arithmetic.cu - kernels in which most of an element is arithmetic.
 */
#include "kernels.h"

#include <float.h>
#include <math.h>

/* ---- options (Black, Scholes 1973); the normal distribution by the error function ---- */

__global__ void black_scholes(const float *price, const float *strike, const float *years, float *call, float *put,
                              int n, float rate, float volatility)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;

    const float s = price[i], k = strike[i], t = years[i], root = sqrtf(t) * volatility;
    const float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / root, d2 = d1 - root;
    const float n1 = normcdff(d1), n2 = normcdff(d2), later = k * expf(-rate * t);

    call[i] = s * n1 - later * n2;
    put[i] = later * (1 - n2) - s * (1 - n1);
}

void launch_black_scholes(const struct run *r)
{
    const long n = r->size;
    const float *const *in = r->inputs;

    black_scholes<<<blocks_for(n, r->x), r->x>>>(in[0], in[1], in[2], r->outputs[0], r->outputs[1],
                                                 (int)n, 0.02f, 0.3f);
}

void host_black_scholes(const struct run *r)
{
    const long n = r->size;

    for (long i = 0; i < n; i++) {
        const double s = r->in[i], k = r->in[n + i], t = r->in[2 * n + i];
        const double d1 = (log(s / k) + (0.02 + 0.045) * t) / (0.3 * sqrt(t)), d2 = d1 - 0.3 * sqrt(t);
        const double call = s * erfc(-d1 * M_SQRT1_2) / 2 - k * exp(-0.02 * t) * erfc(-d2 * M_SQRT1_2) / 2;

        r->out[i] = (float)call;
        r->out[n + i] = (float)(call + k * exp(-0.02 * t) - s);
    }
}

/* ---- gravity: positions x, y, z and masses [4][n], accelerations [3][n] ---- */

#define SOFTENING 0.01f

__global__ void n_body(const float *body, float *acceleration, int n)
{
    extern __shared__ float4 tile[]; /* [blockDim.x] */
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0, y = 0, z = 0, ax = 0, ay = 0, az = 0;

    if (i < n) {
        x = body[i];
        y = body[n + i];
        z = body[2 * n + i];
    }
    for (int first = 0; first < n; first += blockDim.x) {
        const int j = first + threadIdx.x;

        tile[threadIdx.x] = j < n ? make_float4(body[j], body[n + j], body[2 * n + j], body[3 * n + j])
                                  : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++) {
            const float4 other = tile[k];
            const float dx = other.x - x, dy = other.y - y, dz = other.z - z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
            const float pull = other.w * inverse * inverse * inverse;

            ax += pull * dx;
            ay += pull * dy;
            az += pull * dz;
        }
        __syncthreads();
    }
    if (i < n) {
        acceleration[i] = ax;
        acceleration[n + i] = ay;
        acceleration[2 * n + i] = az;
    }
}

void launch_n_body(const struct run *r)
{
    n_body<<<blocks_for(r->size, r->x), r->x, r->x * sizeof(float4)>>>(r->in, r->out, (int)r->size);
}

void host_n_body(const struct run *r)
{
    const long n = r->size;

    for (long i = 0; i < n; i++) {
        double sums[3] = { 0 };

        for (long j = 0; j < n; j++) {
            double d[3], square = SOFTENING;

            for (int axis = 0; axis < 3; axis++) {
                d[axis] = (double)r->in[axis * n + j] - r->in[axis * n + i];
                square += d[axis] * d[axis];
            }
            for (int axis = 0; axis < 3; axis++)
                sums[axis] += r->in[3 * n + j] * d[axis] * pow(square, -1.5);
        }
        for (int axis = 0; axis < 3; axis++)
            r->out[axis * n + i] = (float)sums[axis];
    }
}

/* ---- Mandelbrot set: all take every step, and the result counts those within radius 2 ---- */

enum { MANDELBROT_STEPS = 256 };

__global__ void mandelbrot(int *inside, int n, float left, float top, float pitch)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float real = __fmaf_rn((float)x, pitch, left), imaginary = __fmaf_rn((float)y, pitch, top);
    float a = 0, b = 0;
    int count = 0;

    if (x >= n || y >= n)
        return;
    for (int step = 0; step < MANDELBROT_STEPS; step++) {
        const float square = __fmul_rn(b, b), next = __fadd_rn(__fmaf_rn(a, a, -square), real);

        b = __fmaf_rn(__fadd_rn(a, a), b, imaginary);
        a = next;
        count += __fmaf_rn(a, a, __fmul_rn(b, b)) < 4;
    }
    inside[y * n + x] = count;
}

void launch_mandelbrot(const struct run *r)
{
    const dim3 block(r->x, r->y), grid(blocks_for(r->size, r->x), blocks_for(r->size, r->y));

    mandelbrot<<<grid, block>>>((int *)r->out, (int)r->size, -2.2f, -1.4f, 2.8f / (float)r->size);
}

/* The same operations: where a point ends depends on every rounding. */
void host_mandelbrot(const struct run *r)
{
    const long n = r->size;
    const float pitch = 2.8f / (float)n;

    for (long i = 0; i < n * n; i++) {
        const float real = fmaf((float)(i % n), pitch, -2.2f), imaginary = fmaf((float)(i / n), pitch, -1.4f);
        volatile float square, product; /* not to be contracted with what follows */
        float a = 0, b = 0;
        int count = 0;

        for (int step = 0; step < MANDELBROT_STEPS; step++) {
            square = b * b;
            product = fmaf(a, a, -square);
            b = fmaf(a + a, b, imaginary);
            a = product + real;
            square = b * b;
            count += fmaf(a, a, square) < 4;
        }
        ((int *)r->out)[i] = count;
    }
}

/* ---- pi by chance: Philox 4x32-10 (Salmon et al. 2011) of counter (thread, throw) ---- */

enum { THROWS = 64 };

static __host__ __device__ uint32_t upper_half(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

static __host__ __device__ void philox(uint32_t counter[4], uint32_t key_0, uint32_t key_1)
{
    for (int round = 0; round < 10; round++) {
        const uint32_t a = counter[0], b = counter[2];

        counter[0] = upper_half(0xcd9e8d57u, b) ^ counter[1] ^ key_0;
        counter[2] = upper_half(0xd2511f53u, a) ^ counter[3] ^ key_1;
        counter[1] = 0xcd9e8d57u * b;
        counter[3] = 0xd2511f53u * a;
        key_0 += 0x9e3779b9u;
        key_1 += 0xbb67ae85u;
    }
}

/* Whether a point of the unit square, in steps of 2^-16 so that its square is exact, lies in the circle. */
static __host__ __device__ int hits(uint32_t x, uint32_t y)
{
    return (uint64_t)(x >> 16) * (x >> 16) + (uint64_t)(y >> 16) * (y >> 16) < (UINT64_C(1) << 32);
}

__global__ void monte_carlo(float *count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int hit = 0;

    if (i >= n)
        return;
    for (int step = 0; step < THROWS; step++) {
        uint32_t number[4] = { (uint32_t)i, (uint32_t)step, 0, 0 };

        philox(number, 1, 2);
        hit += hits(number[0], number[1]) + hits(number[2], number[3]);
    }
    count[i] = (float)hit;
}

void launch_monte_carlo(const struct run *r)
{
    monte_carlo<<<blocks_for(r->size, r->x), r->x>>>(r->out, (int)r->size);
}

void host_monte_carlo(const struct run *r)
{
    for (long i = 0; i < r->size; i++) {
        int hit = 0;

        for (uint32_t step = 0; step < THROWS; step++) {
            uint32_t number[4] = { (uint32_t)i, step, 0, 0 };

            philox(number, 1, 2);
            hit += hits(number[0], number[1]) + hits(number[2], number[3]);
        }
        r->out[i] = (float)hit;
    }
}

/* ---- a polynomial in itself: coefficients come as an argument, from constant memory ---- */

enum { DEGREE = 63, COMPOSED = 4 };

template <typename number>
struct coefficients {
    number c[DEGREE + 1];
};

template <typename number>
static __device__ number compose(const struct coefficients<number> &p, number x)
{
    for (int step = 0; step < COMPOSED; step++) {
        number value = p.c[DEGREE];

#pragma unroll
        for (int k = DEGREE - 1; k >= 0; k--)
            value = value * x + p.c[k];
        x = value;
    }
    return x;
}

__global__ void polynomial_fp32(const float *x, float *value, int n, struct coefficients<float> p)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        value[i] = compose(p, x[i]);
}

__global__ void polynomial_fp64(const double *x, double *value, int n, struct coefficients<double> p)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        value[i] = compose(p, x[i]);
}

/* 0.3 for the constant, and less for higher powers: values stay between 0 and 1 after the first step. */
template <typename number>
static struct coefficients<number> falling(void)
{
    struct coefficients<number> p;
    double c = 0.3;

    for (int k = 0; k <= DEGREE; k++, c *= 0.5)
        p.c[k] = (number)c;
    return p;
}

void launch_polynomial_fp32(const struct run *r)
{
    polynomial_fp32<<<blocks_for(r->size, r->x), r->x>>>(r->in, r->out, (int)r->size, falling<float>());
}

void launch_polynomial_fp64(const struct run *r)
{
    polynomial_fp64<<<blocks_for(r->size, r->x), r->x>>>((const double *)r->in, (double *)r->out, (int)r->size,
                                                        falling<double>());
}

/* The sum of 0.3 (x / 2)^k in closed form. */
static double composed(double x)
{
    for (int step = 0; step < COMPOSED; step++)
        x = 0.3 * (1 - pow(x / 2, DEGREE + 1)) / (1 - x / 2);
    return x;
}

void host_polynomial_fp32(const struct run *r)
{
    for (long i = 0; i < r->size; i++)
        r->out[i] = (float)composed(r->in[i]);
}

void host_polynomial_fp64(const struct run *r)
{
    for (long i = 0; i < r->size; i++)
        ((double *)r->out)[i] = composed(((const double *)r->in)[i]);
}

/* ---- functions of one's own data ---- */

enum { DIMENSIONS = 32 };

/* Individuals [DIMENSIONS][n]. */
__global__ void rastrigin(const float *x, float *value, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (i >= n)
        return;
    for (int d = 0; d < DIMENSIONS; d++) {
        const float here = x[d * n + i];

        sum += here * here - 10 * cospif(2 * here) + 10;
    }
    value[i] = sum;
}

void launch_rastrigin(const struct run *r)
{
    rastrigin<<<blocks_for(r->size, r->x), r->x>>>(r->in, r->out, (int)r->size);
}

void host_rastrigin(const struct run *r)
{
    for (long i = 0; i < r->size; i++) {
        double sum = 10.0 * DIMENSIONS;

        for (int d = 0; d < DIMENSIONS; d++) {
            const double here = r->in[d * r->size + i];

            sum += here * here - 10 * cos(2 * M_PI * here);
        }
        r->out[i] = (float)sum;
    }
}

enum { SINES = 64 };

__global__ void sine_iterated(const float *x, float *value, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;

    float here = x[i];

    for (int step = 0; step < SINES; step++)
        here = __sinf(here + 1);
    value[i] = here;
}

void launch_sine_iterated(const struct run *r)
{
    sine_iterated<<<blocks_for(r->size, r->x), r->x>>>(r->in, r->out, (int)r->size);
}

void host_sine_iterated(const struct run *r)
{
    for (long i = 0; i < r->size; i++) {
        double here = r->in[i];

        for (int step = 0; step < SINES; step++)
            here = sin(here + 1);
        r->out[i] = (float)here;
    }
}

enum { HASH_ROUNDS = 128 };

/* Marsaglia's xorshift (2003), 13, 17, 5, with an odd number added in between. */
__global__ void hash_rounds(const uint32_t *x, uint32_t *hash, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;

    uint32_t here = x[i];

    for (int round = 0; round < HASH_ROUNDS; round++) {
        here ^= here << 13;
        here ^= here >> 17;
        here ^= here << 5;
        here += 0x9e3779b9u;
    }
    hash[i] = here;
}

void launch_hash_rounds(const struct run *r)
{
    hash_rounds<<<blocks_for(r->size, r->x), r->x>>>((const uint32_t *)r->in, (uint32_t *)r->out, (int)r->size);
}

void host_hash_rounds(const struct run *r)
{
    for (long i = 0; i < r->size; i++) {
        uint32_t here = ((const uint32_t *)r->in)[i];

        for (int round = 0; round < HASH_ROUNDS; round++) {
            here ^= here << 13;
            here ^= here >> 17;
            here ^= here << 5;
            here += UINT32_C(0x9e3779b9);
        }
        ((uint32_t *)r->out)[i] = here;
    }
}

/* ---- k-means: points [POINT][n], behind them the centres [CENTRES][POINT] ---- */

enum { POINT = 8, CENTRES = 64 };

__global__ void nearest_centre(const float *point, const float *centre, int *nearest, int n)
{
    __shared__ float centres[CENTRES][POINT];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int k = threadIdx.x; k < CENTRES * POINT; k += blockDim.x)
        centres[k / POINT][k % POINT] = centre[k];
    __syncthreads();
    if (i >= n)
        return;

    float here[POINT], least = FLT_MAX;
    int best = 0;

    for (int d = 0; d < POINT; d++)
        here[d] = point[d * n + i];
    for (int k = 0; k < CENTRES; k++) {
        float distance = 0;

        for (int d = 0; d < POINT; d++) {
            const float difference = here[d] - centres[k][d];

            distance = __fmaf_rn(difference, difference, distance);
        }
        best = distance < least ? k : best;
        least = fminf(distance, least);
    }
    nearest[i] = best;
}

void launch_nearest_centre(const struct run *r)
{
    const long n = r->size;

    nearest_centre<<<blocks_for(n, r->x), r->x>>>(r->inputs[0], r->inputs[1], (int *)r->out, (int)n);
}

void host_nearest_centre(const struct run *r)
{
    const long n = r->size;

    for (long i = 0; i < n; i++) {
        float least = FLT_MAX;

        for (int k = 0; k < CENTRES; k++) {
            float distance = 0;

            for (int d = 0; d < POINT; d++) {
                const float difference = r->in[d * n + i] - r->in[POINT * n + k * POINT + d];

                distance = fmaf(difference, difference, distance);
            }
            if (distance < least) {
                least = distance;
                ((int *)r->out)[i] = k;
            }
        }
    }
}

/* ---- cosine transform (type II, orthonormal) of 8 x 8 tiles, rows first; all sides are multiples of 8 ---- */

__global__ void dct_8x8(const float *from, float *to, int n)
{
    extern __shared__ float pixels[]; /* [blockDim.y][blockDim.x] */
    __shared__ float cosine[8][8];    /* [frequency][place] */
    const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x;
    const int x = blockIdx.x * width + tx, y = blockIdx.y * blockDim.y + ty, u = tx % 8, v = ty % 8;
    float sum = 0;

    if (tx < 8 && ty < 8)
        cosine[ty][tx] = (ty ? 0.5f : 0.35355339f) * cospif((2 * tx + 1) * ty * (1.0f / 16));
    pixels[ty * width + tx] = x < n && y < n ? from[y * n + x] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += cosine[u][k] * pixels[ty * width + tx - u + k];
    __syncthreads();
    pixels[ty * width + tx] = sum;
    __syncthreads();
    sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += cosine[v][k] * pixels[(ty - v + k) * width + tx];
    if (x < n && y < n)
        to[y * n + x] = sum;
}

void launch_dct_8x8(const struct run *r)
{
    const dim3 block(r->x, r->y), grid(blocks_for(r->size, r->x), blocks_for(r->size, r->y));

    dct_8x8<<<grid, block, r->x * r->y * sizeof(float)>>>(r->in, r->out, (int)r->size);
}

void host_dct_8x8(const struct run *r)
{
    const long n = r->size;

    for (long i = 0; i < n * n; i++) {
        const long u = i % n % 8, v = i / n % 8, corner = i - v * n - u;
        double sum = 0;

        for (long b = 0; b < 8; b++)
            for (long a = 0; a < 8; a++)
                sum += r->in[corner + b * n + a] * cos((2 * a + 1) * u * M_PI / 16) * cos((2 * b + 1) * v * M_PI / 16);
        r->out[i] = (float)(sum / 4 * (u ? 1 : M_SQRT1_2) * (v ? 1 : M_SQRT1_2));
    }
}
