// flags: --extended-lambda
/*
 * thrust_keys.cu - Thrust by key, set operations, partitions, searches, iterators that compute.
 */
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "../check.h"

typedef thrust::device_vector<int> ints;

static std::vector<int> host(const ints &v)
{
    std::vector<int> h(v.size());

    thrust::copy(v.begin(), v.end(), h.begin());
    return h;
}

int main(void)
{
    const int n = 1501;
    struct rng rng = {7};
    std::vector<int> key(n), value(n), a, b, want(2 * n);

    for (int i = 0; i < n; i++)
        key[i] = i / 7 + (int)rng_below(&rng, 3) / 2, value[i] = (int)rng_below(&rng, 100);
    std::sort(key.begin(), key.end());
    ints k(key), v(value), out(n), sums(n), both(2 * n);

    thrust::inclusive_scan_by_key(k.begin(), k.end(), v.begin(), out.begin());
    std::vector<int> scan(value);
    for (int i = 1; i < n; i++)
        scan[i] += key[i] == key[i - 1] ? scan[i - 1] : 0;
    expect_equal("scan", scan, host(out));

    auto ends = thrust::reduce_by_key(k.begin(), k.end(), v.begin(), out.begin(), sums.begin());
    std::map<int, int> group;
    for (int i = 0; i < n; i++)
        group[key[i]] += value[i];
    EXPECT(ends.first - out.begin() == (long)group.size());
    int at = 0;
    for (auto [one, sum] : group)
        EXPECT(out[at] == one && sums[at] == sum), at++;

    for (int i = 0; i < n; i++)
        (i % 3 ? a : b).push_back(value[i]);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    ints x(a), y(b);
    auto end = thrust::set_difference(x.begin(), x.end(), y.begin(), y.end(), both.begin());
    want.resize(std::set_difference(a.begin(), a.end(), b.begin(), b.end(), want.begin()) - want.begin());
    expect_equal("difference", want, host(ints(both.begin(), end)));
    want.resize(2 * n);
    end = thrust::set_union(x.begin(), x.end(), y.begin(), y.end(), both.begin());
    want.resize(std::set_union(a.begin(), a.end(), b.begin(), b.end(), want.begin()) - want.begin());
    expect_equal("union", want, host(ints(both.begin(), end)));

    auto odd = [] __host__ __device__(int e) { return e % 2 != 0; };
    auto middle = thrust::stable_partition(v.begin(), v.end(), odd);
    std::stable_partition(value.begin(), value.end(), odd);
    expect_equal("partition", value, host(v));
    EXPECT(middle - v.begin() == std::count_if(value.begin(), value.end(), odd));

    auto from = thrust::counting_iterator<long long>(0);
    auto square = [] __host__ __device__(long long i) { return i * i; };
    EXPECT(thrust::transform_reduce(thrust::device, from, from + n, square, 0ll, thrust::plus<long long>()) ==
           (n - 1ll) * n * (2 * n - 1) / 6);
    EXPECT(thrust::inner_product(k.begin(), k.end(), k.begin(), 0ll) ==
           std::inner_product(key.begin(), key.end(), key.begin(), 0ll));
    thrust::lower_bound(x.begin(), x.end(), v.begin(), v.end(), out.begin());
    for (int i = 0; i < n; i++)
        value[i] = (int)(std::lower_bound(a.begin(), a.end(), value[i]) - a.begin());
    expect_equal("searches", value, host(out));
    k.erase(thrust::unique(k.begin(), k.end()), k.end());
    EXPECT(k.size() == group.size());
    thrust::adjacent_difference(k.begin(), k.end(), out.begin());
    EXPECT(thrust::count(out.begin() + 1, out.begin() + (long)k.size(), 1) == (long)k.size() - 1);
    return passed();
}
