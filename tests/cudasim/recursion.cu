/*
 * recursion.cu - device functions which call themselves and one another, with different depths in the threads of a
 * warp.
 */
#include <algorithm>

#include "check.h"

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ bool is_odd(int n);

__device__ __noinline__ bool is_even(int n)
{
    return n == 0 ? true : is_odd(n - 1);
}

__device__ __noinline__ bool is_odd(int n)
{
    return n == 0 ? false : is_even(n - 1);
}

__device__ __noinline__ void quicksort(int *values, int low, int high)
{
    while (low < high) {
        int pivot = values[(low + high) / 2];
        int i = low, j = high;

        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i <= j) {
                int swap = values[i];

                values[i++] = values[j];
                values[j--] = swap;
            }
        }
        if (j - low < high - i) {
            quicksort(values, low, j);
            low = i;
        } else {
            quicksort(values, i, high);
            high = j;
        }
    }
}

/* The number of ways to place n queens. */
__device__ __noinline__ int queens(int n, unsigned columns, unsigned left, unsigned right)
{
    unsigned all = (1u << n) - 1;
    int count = 0;

    if (columns == all)
        return 1;
    for (unsigned free = all & ~(columns | left | right); free; free &= free - 1) {
        unsigned place = free & -free;

        count += queens(n, columns | place, (left | place) << 1, (right | place) >> 1);
    }
    return count;
}

/* Each call has its own array on the stack; addresses go down from caller to callee. */
__device__ __noinline__ int nested_frames(int depth, const int *above)
{
    int frame[8];

    for (int i = 0; i < 8; i++)
        frame[i] = depth * 8 + i + (above ? above[(i + depth) % 8] % 100 : 0);
    return depth == 0 ? frame[3] : nested_frames(depth - 1, frame) + frame[depth % 8];
}

static int nested_frames_host(int depth, const int *above)
{
    int frame[8];

    for (int i = 0; i < 8; i++)
        frame[i] = depth * 8 + i + (above ? above[(i + depth) % 8] % 100 : 0);
    return depth == 0 ? frame[3] : nested_frames_host(depth - 1, frame) + frame[depth % 8];
}

/* out: 5 numbers a thread */
__global__ void numbers(int *out)
{
    int i = threadIdx.x;

    out[i * 5] = fibonacci(i % 15);
    out[i * 5 + 1] = ackermann(2, i % 6);
    out[i * 5 + 2] = is_even(i);
    out[i * 5 + 3] = i % 7 ? queens(i % 7, 0, 0, 0) : 0;
    out[i * 5 + 4] = nested_frames(i % 20, nullptr);
}

__global__ void sort_rows(int *values, const int *lengths, int pitch)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;

    quicksort(values + row * pitch, 0, lengths[row] - 1);
}

int main(void)
{
    enum { THREADS = 40, ROWS = 48, PITCH = 100 };
    static const int solutions[] = {0, 1, 0, 0, 2, 10, 4};
    std::vector<int> want;
    int *out = device_zeros<int>(THREADS * 5);

    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    for (int i = 0; i < THREADS; i++) {
        int a = 0, b = 1;

        for (int n = 0; n < i % 15; n++) {
            b += a;
            a = b - a;
        }
        int facts[5] = {a, 2 * (i % 6) + 3, i % 2 == 0, solutions[i % 7], nested_frames_host(i % 20, nullptr)};

        want.insert(want.end(), facts, facts + 5);
    }
    numbers<<<1, THREADS>>>(out);
    CHECK_KERNEL();
    expect_device("numbers", want, out);
    device_free(out);

    struct rng rng = {1};
    std::vector<int> values(ROWS * PITCH), lengths(ROWS);

    for (int &value : values)
        value = (int)rng_below(&rng, 1000) - 500;
    for (int row = 0; row < ROWS; row++)
        lengths[row] = row == 0 ? 0 : row == 1 ? 1 : rng_below(&rng, PITCH + 1);
    int *device_values = device_copy(values);
    int *device_lengths = device_copy(lengths);

    sort_rows<<<3, ROWS / 3>>>(device_values, device_lengths, PITCH);
    CHECK_KERNEL();
    for (int row = 0; row < ROWS; row++)
        std::sort(&values[row * PITCH], &values[row * PITCH] + lengths[row]);
    expect_device("quicksort", values, device_values);
    device_free(device_values);
    device_free(device_lengths);
    return passed();
}
