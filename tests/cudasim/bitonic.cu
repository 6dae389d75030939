/*
 * bitonic.cu - the bitonic network over a power of two of elements: wide steps over global memory, narrow ones over a
 * block's part in shared memory; keys with values, both directions.
 */
#include <algorithm>
#include <climits>

#include "check.h"

enum { BLOCK = 256, PART = 2 * BLOCK };

template <typename T> __device__ void order(T *a, T *b, int *value_a, int *value_b, bool up)
{
    if ((*a > *b) == up && *a != *b) {
        T key = *a;
        int value = *value_a;

        *a = *b;
        *b = key;
        *value_a = *value_b;
        *value_b = value;
    }
}

template <typename T> __global__ void wide_step(T *keys, int *values, int size, int stride, bool up)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int low = i / stride * 2 * stride + i % stride;

    order(&keys[low], &keys[low + stride], &values[low], &values[low + stride], ((low & size) == 0) == up);
}

/* All steps of sizes first .. last with strides below PART. */
template <typename T> __global__ void narrow_steps(T *keys, int *values, int first, int last, bool up)
{
    __shared__ T part[PART];
    __shared__ int part_values[PART];
    int start = blockIdx.x * PART;

    for (int i = threadIdx.x; i < PART; i += BLOCK) {
        part[i] = keys[start + i];
        part_values[i] = values[start + i];
    }
    for (int size = first; size <= last; size *= 2)
        for (int stride = min(size / 2, PART / 2); stride > 0; stride /= 2) {
            int low = threadIdx.x / stride * 2 * stride + threadIdx.x % stride;

            __syncthreads();
            order(&part[low], &part[low + stride], &part_values[low], &part_values[low + stride],
                  (((start + low) & size) == 0) == up);
        }
    __syncthreads();
    for (int i = threadIdx.x; i < PART; i += BLOCK) {
        keys[start + i] = part[i];
        values[start + i] = part_values[i];
    }
}

template <typename T> static void test(const char *what, int n, bool up)
{
    struct rng rng = {(uint64_t)n};
    int count = PART;
    T last = up ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();

    while (count < n)
        count *= 2;
    std::vector<T> keys(count, last);
    std::vector<int> values(count);

    for (int i = 0; i < count; i++) {
        if (i < n)
            keys[i] = (T)((int)rng_below(&rng, 60000) - 30000);
        values[i] = i;
    }
    T *device_keys = device_copy(keys);
    int *device_values = device_copy(values);

    narrow_steps<<<count / PART, BLOCK>>>(device_keys, device_values, 2, PART, up);
    CHECK_KERNEL();
    for (int size = 2 * PART; size <= count; size *= 2) {
        for (int stride = size / 2; stride >= PART; stride /= 2) {
            wide_step<<<count / PART, BLOCK>>>(device_keys, device_values, size, stride, up);
            CHECK_KERNEL();
        }
        narrow_steps<<<count / PART, BLOCK>>>(device_keys, device_values, size, size, up);
        CHECK_KERNEL();
    }
    std::vector<T> want = keys;
    std::vector<T> got = host_copy(device_keys, count);
    std::vector<int> got_values = host_copy(device_values, count);

    std::sort(want.begin(), want.end());
    if (!up)
        std::reverse(want.begin(), want.end());
    expect_equal(what, want, got);
    for (int i = 0; i < count; i++) /* each value still goes with its key, and is there once */
        expect_value(what, got[i], keys[got_values[i]]);
    std::sort(got_values.begin(), got_values.end());
    expect_equal(what, values, got_values);
    device_free(device_keys);
    device_free(device_values);
}

int main(void)
{
    test<int>("int", 100, true);
    test<int>("int", 8192, true);
    test<int>("int", 5000, false);
    test<float>("float", 3000, true);
    test<short>("short", 3000, false);
    test<double>("double", 600, true);
    return passed();
}
