/*
 * check.h - what the CUDA test programs of this folder share beside cuda_user.h's checked calls: host random numbers,
 * moving arrays to the device and back, and comparisons which report the first difference. Included by every program
 * here; it knows nothing of the simulator, so that the same programs run on a real device.
 *
 * A comparison that fails prints what differs and ends the program with status 1. NaN never equals anything.
 */
#ifndef CUDASIM_TESTS_CHECK_H
#define CUDASIM_TESTS_CHECK_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include "cuda_user.h"

/* After <<< >>>: the launch was accepted, and the kernel ended well. */
#define CHECK_KERNEL() \
    do { \
        CUDA_CHECK_LAUNCH(); \
        CUDA_CHECK(cudaDeviceSynchronize()); \
    } while (0)

/* Ends the program unless the condition holds. */
#define EXPECT(condition) check_true((condition), #condition, __FILE__, __LINE__)

/* Ends the program unless the call returns exactly this error, which is then cleared. */
#define EXPECT_ERROR(error, call) check_error((error), (call), #call, __FILE__, __LINE__)

static inline void check_true(bool condition, const char *text, const char *file, int line)
{
    if (condition)
        return;
    printf("%s:%d: not so: %s\n", file, line, text);
    exit(1);
}

static inline void check_error(cudaError_t want, cudaError_t got, const char *call, const char *file, int line)
{
    (void)cudaGetLastError();
    if (got == want)
        return;
    printf("%s:%d: %s: want %s, got %s\n", file, line, call, cudaGetErrorName(want), cudaGetErrorName(got));
    exit(1);
}

/* The last line of main: return passed(); */
static inline int passed(void)
{
    printf("PASSED\n");
    return 0;
}

/* --- random numbers on the CPU: splitmix64 --- */

struct rng {
    uint64_t state; /* any seed */
};

static inline uint64_t rng_next(struct rng *rng)
{
    uint64_t z = rng->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 .. bound - 1 */
static inline uint32_t rng_below(struct rng *rng, uint32_t bound)
{
    return (uint32_t)(((rng_next(rng) >> 32) * bound) >> 32);
}

/* 0 <= x < 1 with 24 bits: exact as a float too */
static inline double rng_unit(struct rng *rng)
{
    return (double)(rng_next(rng) >> 40) / 16777216.0;
}

/* --- arrays --- */

template <typename T> static T *device_new(size_t count)
{
    void *pointer = nullptr;

    CUDA_CHECK(cudaMalloc(&pointer, (count ? count : 1) * sizeof(T)));
    return (T *)pointer;
}

/* A device array whose bytes are all 0, ready for any stream. */
template <typename T> static T *device_zeros(size_t count)
{
    T *pointer = device_new<T>(count);

    CUDA_CHECK(cudaMemset(pointer, 0, (count ? count : 1) * sizeof(T)));
    CUDA_CHECK(cudaStreamSynchronize(0));
    return pointer;
}

template <typename T> static T *device_copy(const std::vector<T> &values)
{
    T *pointer = device_new<T>(values.size());

    CUDA_CHECK(cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return pointer;
}

template <typename T> static std::vector<T> host_copy(const T *pointer, size_t count)
{
    std::vector<T> values(count);

    CUDA_CHECK(cudaMemcpy(values.data(), pointer, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

static inline void device_free(void *pointer)
{
    CUDA_CHECK(cudaFree(pointer));
}

/* --- comparisons --- */

template <typename T> static void print_value(const T &value)
{
    if constexpr (std::is_floating_point<T>::value)
        printf("%.17g", (double)value);
    else if constexpr (std::is_integral<T>::value && std::is_signed<T>::value)
        printf("%lld", (long long)value);
    else if constexpr (std::is_integral<T>::value)
        printf("%llu (0x%llx)", (unsigned long long)value, (unsigned long long)value);
    else
        for (size_t i = 0; i < sizeof value; i++)
            printf("%02x", ((const unsigned char *)&value)[i]);
}

template <typename T> static void differs(const char *what, size_t index, const T &want, const T &got)
{
    printf("%s[%zu]: want ", what, index);
    print_value(want);
    printf(", got ");
    print_value(got);
    printf("\n");
    exit(1);
}

template <typename T> static void expect_value(const char *what, const T &want,
                                               const typename std::common_type<T>::type &got)
{
    if (!(want == got))
        differs<T>(what, 0, want, got);
}

template <typename T> static void expect_equal(const char *what, const std::vector<T> &want,
                                               const std::vector<T> &got)
{
    if (want.size() != got.size()) {
        printf("%s: want %zu elements, got %zu\n", what, want.size(), got.size());
        exit(1);
    }
    for (size_t i = 0; i < want.size(); i++)
        if (!(want[i] == got[i]))
            differs<T>(what, i, want[i], got[i]);
}

/* The same, against an array on the device. */
template <typename T> static void expect_device(const char *what, const std::vector<T> &want, const T *device)
{
    expect_equal<T>(what, want, host_copy<T>(device, want.size()));
}

/* Byte for byte: tells -0 from 0, and takes structs and NaN. */
template <typename T> static void expect_bits(const char *what, const std::vector<T> &want, const std::vector<T> &got)
{
    EXPECT(want.size() == got.size());
    for (size_t i = 0; i < want.size(); i++)
        if (memcmp(&want[i], &got[i], sizeof(T)) != 0)
            differs<T>(what, i, want[i], got[i]);
}

/* |got - want| <= absolute + relative * |want| */
static inline void expect_near(const char *what, size_t index, double want, double got, double relative,
                               double absolute)
{
    if (std::isinf(want) && want == got)
        return;
    if (!(std::fabs(got - want) <= absolute + relative * std::fabs(want)))
        differs<double>(what, index, want, got);
}

template <typename W, typename T>
static void expect_close(const char *what, const std::vector<W> &want, const std::vector<T> &got, double relative,
                         double absolute)
{
    EXPECT(want.size() == got.size());
    for (size_t i = 0; i < want.size(); i++)
        expect_near(what, i, (double)want[i], (double)got[i], relative, absolute);
}

#endif
