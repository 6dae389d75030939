/*
 * thrust_sort.cu - Thrust on device vectors: sort, sort by key, stable sort, reduce, transform, scans, unique, count,
 * search, partition, gather and scatter, iterators.
 */
#include <algorithm>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include "check.h"

struct squared {
    __host__ __device__ int operator()(int x) const { return x * x; }
};

struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};

struct by_last_digit {
    __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

struct weighted {
    __host__ __device__ int operator()(const thrust::tuple<int, int> &pair) const
    {
        return thrust::get<0>(pair) * thrust::get<1>(pair);
    }
};

template <typename T> static std::vector<T> back(const thrust::device_vector<T> &device)
{
    std::vector<T> values(device.size());

    thrust::copy(device.begin(), device.end(), values.begin());
    return values;
}

static void test(int n)
{
    struct rng rng = {(uint64_t)n};
    std::vector<int> values(n), other;

    for (int &value : values)
        value = rng_below(&rng, 1000);
    const thrust::device_vector<int> in(values.begin(), values.end());
    thrust::device_vector<int> device = in;

    /* sorts */
    thrust::sort(device.begin(), device.end());
    other = values;
    std::sort(other.begin(), other.end());
    expect_equal("sort", other, back(device));
    thrust::device_vector<int> found(3);
    thrust::device_vector<int> wanted = std::vector<int>{0, 500, 2000};

    thrust::lower_bound(device.begin(), device.end(), wanted.begin(), wanted.end(), found.begin());
    for (int i = 0; i < 3; i++) {
        int value = wanted[i];

        expect_value("lower bound", (int)(std::lower_bound(other.begin(), other.end(), value) - other.begin()),
                     (int)found[i]);
    }
    thrust::sort(thrust::device, device.begin(), device.end(), thrust::greater<int>());
    std::reverse(other.begin(), other.end());
    expect_equal("sort down", other, back(device));
    device = in;
    thrust::stable_sort(device.begin(), device.end(), by_last_digit());
    other = values;
    std::stable_sort(other.begin(), other.end(), by_last_digit());
    expect_equal("stable sort", other, back(device));

    /* by key */
    thrust::device_vector<int> keys = in;
    thrust::device_vector<int> index(n);

    thrust::sequence(index.begin(), index.end());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), index.begin());
    std::vector<int> order(n);

    for (int i = 0; i < n; i++)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return values[a] < values[b]; });
    expect_equal("sort by key", order, back(index));
    thrust::gather(index.begin(), index.end(), in.begin(), device.begin());
    expect_equal("gather", back(keys), back(device));
    thrust::scatter(keys.begin(), keys.end(), index.begin(), device.begin());
    expect_equal("scatter", values, back(device));

    /* unique and reduce by key over the sorted keys */
    std::vector<int> unique, counts;

    for (int i = 0; i < n; i++) {
        int value = values[order[i]];

        if (unique.empty() || unique.back() != value) {
            unique.push_back(value);
            counts.push_back(0);
        }
        counts.back()++;
    }
    thrust::device_vector<int> out_keys(n), out_counts(n);
    auto end = thrust::reduce_by_key(keys.begin(), keys.end(), thrust::make_constant_iterator(1), out_keys.begin(),
                                     out_counts.begin());

    expect_value("keys", (int)unique.size(), (int)(end.first - out_keys.begin()));
    out_keys.resize(unique.size());
    out_counts.resize(unique.size());
    expect_equal("unique keys", unique, back(out_keys));
    expect_equal("counts", counts, back(out_counts));
    keys.erase(thrust::unique(keys.begin(), keys.end()), keys.end());
    expect_equal("unique", unique, back(keys));

    /* reductions */
    long long sum = 0, squares = 0, product = 0;
    int odd = 0;

    for (int i = 0; i < n; i++) {
        sum += values[i];
        squares += values[i] * values[i];
        product += (long long)values[i] * i;
        odd += values[i] & 1;
    }
    expect_value("reduce", sum, thrust::reduce(in.begin(), in.end(), 0ll));
    expect_value("transform reduce", squares,
                 thrust::transform_reduce(in.begin(), in.end(), squared(), 0ll, thrust::plus<long long>()));
    expect_value("inner product", product,
                 thrust::inner_product(in.begin(), in.end(), thrust::make_counting_iterator(0ll), 0ll));
    expect_value("count", odd, (int)thrust::count_if(in.begin(), in.end(), is_odd()));
    expect_value("maximum", *std::max_element(values.begin(), values.end()),
                 (int)*thrust::max_element(in.begin(), in.end()));

    /* transforms and scans */
    device.resize(n);
    thrust::transform(in.begin(), in.end(), thrust::make_counting_iterator(5), device.begin(), thrust::minus<int>());
    for (int i = 0; i < n; i++)
        other[i] = values[i] - (i + 5);
    expect_equal("transform", other, back(device));
    thrust::inclusive_scan(in.begin(), in.end(), device.begin());
    for (int i = 0; i < n; i++)
        other[i] = values[i] + (i ? other[i - 1] : 0);
    expect_equal("inclusive scan", other, back(device));
    thrust::exclusive_scan(thrust::make_transform_iterator(in.begin(), squared()),
                           thrust::make_transform_iterator(in.end(), squared()), device.begin(), 7);
    for (int i = 0, running = 7; i < n; i++) {
        other[i] = running;
        running += values[i] * values[i];
    }
    expect_equal("exclusive scan", other, back(device));
    auto zipped = thrust::make_zip_iterator(thrust::make_tuple(in.begin(), thrust::make_counting_iterator(0)));

    thrust::transform(zipped, zipped + n, device.begin(), weighted());
    for (int i = 0; i < n; i++)
        other[i] = values[i] * i;
    expect_equal("zip", other, back(device));

    /* partition, copy_if, element access */
    device = in;
    auto middle = thrust::stable_partition(device.begin(), device.end(), is_odd());

    other = values;
    std::stable_partition(other.begin(), other.end(), is_odd());
    expect_value("odd", odd, (int)(middle - device.begin()));
    expect_equal("partition", other, back(device));
    device[n / 2] = -5;
    expect_value("element", -5, (int)device[n / 2]);
    thrust::fill(device.begin(), device.end(), 42);
    expect_equal("fill", std::vector<int>(n, 42), back(device));
    thrust::host_vector<int> host = in;

    EXPECT(std::equal(values.begin(), values.end(), host.begin()));
}

template <typename T> static void test_type(const char *what, int n)
{
    struct rng rng = {(uint64_t)n};
    std::vector<T> values(n);

    for (T &value : values)
        value = (T)((int)rng_below(&rng, 20000) - 10000);
    thrust::device_vector<T> device(values);

    thrust::sort(device.begin(), device.end());
    std::sort(values.begin(), values.end());
    expect_equal(what, values, back(device));
}

int main(void)
{
    test(1);
    test(1000);
    test(10007);
    test_type<float>("float", 4000);
    test_type<double>("double", 3000);
    test_type<unsigned long long>("unsigned long long", 3000);
    test_type<signed char>("signed char", 3000);
    return passed();
}
