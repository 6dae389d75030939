/*
 * library_sorts.cpp - sorts of C++ libraries for main_bench.c, which alone calls them: the standard library's on one
 * core, its parallel mode on all processors, and oneTBB's on all processors if libtbb-dev was there at build time.
 */
#include <parallel/algorithm>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#if __has_include(<tbb/parallel_sort.h>)
#include <tbb/parallel_sort.h>
#define HAS_TBB 1
#else
#define HAS_TBB 0
#endif

extern "C" void mergesort_by_std_sort(const int32_t *keys, const uint32_t *, int32_t *sorted_keys, uint32_t *, size_t n)
{
    std::copy(keys, keys + n, sorted_keys);
    std::sort(sorted_keys, sorted_keys + n);
}

/* libstdc++'s parallel mode: a merge sort of several ways, with OpenMP's threads. */
extern "C" void mergesort_by_parallel_mode(const int32_t *keys, const uint32_t *, int32_t *sorted_keys, uint32_t *,
                                           size_t n)
{
    std::copy(keys, keys + n, sorted_keys);
    __gnu_parallel::sort(sorted_keys, sorted_keys + n);
}

extern "C" bool mergesort_has_tbb(void) { return HAS_TBB; }

extern "C" void mergesort_by_tbb(const int32_t *keys, const uint32_t *, int32_t *sorted_keys, uint32_t *, size_t n)
{
    std::copy(keys, keys + n, sorted_keys);
#if HAS_TBB
    tbb::parallel_sort(sorted_keys, sorted_keys + n);
#endif
}
