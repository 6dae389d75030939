/*
 * mandelbrot.cu - the Mandelbrot set in double, float and fixed point: loops that each thread leaves at its own time.
 * Operations are rounded one by one, so that the counts are those of the CPU.
 */
#include "check.h"

#ifdef __CUDA_ARCH__
#define ROUNDED(device, host) device
#else
#define ROUNDED(device, host) host
#endif

__host__ __device__ static inline double times(double a, double b)
{
    return ROUNDED(__dmul_rn(a, b), a * b);
}

__host__ __device__ static inline double plus(double a, double b)
{
    return ROUNDED(__dadd_rn(a, b), a + b);
}

__host__ __device__ static inline float times(float a, float b)
{
    return ROUNDED(__fmul_rn(a, b), a * b);
}

__host__ __device__ static inline float plus(float a, float b)
{
    return ROUNDED(__fadd_rn(a, b), a + b);
}

/* Fixed point with 24 bits of fraction. */
struct fixed {
    int raw;
    __host__ __device__ explicit fixed(double x) : raw((int)(x * 16777216)) {}
};

__host__ __device__ static inline fixed times(fixed a, fixed b)
{
    fixed c(0);

    c.raw = (int)((long long)a.raw * b.raw >> 24);
    return c;
}

__host__ __device__ static inline fixed plus(fixed a, fixed b)
{
    a.raw += b.raw;
    return a;
}

__host__ __device__ static inline bool above_four(double x)
{
    return x > 4;
}

__host__ __device__ static inline bool above_four(float x)
{
    return x > 4;
}

__host__ __device__ static inline bool above_four(fixed x)
{
    return x.raw > 4 << 24;
}

template <typename T> __host__ __device__ static int escape(T cx, T cy, int most)
{
    T x(0.0), y(0.0);
    int count = 0;

    while (count < most) {
        T xx = times(x, x), yy = times(y, y);

        if (above_four(plus(xx, yy)))
            break;
        y = plus(times(plus(x, x), y), cy);
        x = plus(plus(xx, times(yy, T(-1.0))), cx);
        count++;
    }
    return count;
}

template <typename T> __global__ void draw(int *counts, int width, int height, int most)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;

    if (px < width && py < height) /* steps of 1/32: exact in every type */
        counts[py * width + px] = escape<T>(T(px / 32.0 - 2.25), T(py / 32.0 - 1.25), most);
}

template <typename T> static void test(const char *what, int width, int height, int most)
{
    std::vector<int> want(width * height);
    int *counts = device_zeros<int>(width * height);

    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            want[y * width + x] = escape<T>(T(x / 32.0 - 2.25), T(y / 32.0 - 1.25), most);
    draw<T><<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(counts, width, height, most);
    CHECK_KERNEL();
    expect_device(what, want, counts);
    device_free(counts);
}

int main(void)
{
    test<double>("double", 99, 81, 60);
    test<float>("float", 99, 81, 60);
    test<fixed>("fixed point", 99, 81, 60);
    return passed();
}
