/*
 * std_sort.cpp - the C++ library's std::sort() as one more sort of main_bench.c, which alone calls it.
 */
#include <algorithm>
#include <cstddef>
#include <cstdint>

extern "C" void mergesort_by_std_sort(const int32_t *keys, const uint32_t *, int32_t *sorted_keys, uint32_t *, size_t n)
{
    std::copy(keys, keys + n, sorted_keys);
    std::sort(sorted_keys, sorted_keys + n);
}
