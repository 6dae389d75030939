/*
 * atomics.cu - every atomic operation on every type, in global and in shared memory, at block, device and system
 * scope; 16-, 32-, 64- and 128-bit compare-and-swap; halves and float vectors; cuda::atomic_ref and cuda::atomic.
 *
 * Whatever the order of the operations on a cell, the values they found and the last value together are the values
 * they left and the first value. That is checked for each operation, and its result where the order does not matter.
 */
#include <algorithm>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/atomic>

#include "check.h"

enum { CELLS = 5, THREADS = 300 };

enum operation { ADD, SUB, EXCH, MIN, MAX, AND, OR, XOR, INC, DEC, CAS };
enum scope { DEVICE, BLOCK, SYSTEM };

/* The value after an operation on the given value. */
template <typename T> __host__ __device__ T after(operation op, T old, T operand)
{
    if (op == ADD)
        return old + operand;
    if (op == SUB)
        return old - operand;
    if (op == EXCH)
        return operand;
    if (op == MIN)
        return old < operand ? old : operand;
    if (op == MAX)
        return old > operand ? old : operand;
    if constexpr (std::is_integral<T>::value) {
        if (op == AND)
            return old & operand;
        if (op == OR)
            return old | operand;
        if (op == XOR)
            return old ^ operand;
        if (op == INC)
            return old >= operand ? 0 : old + 1;
        if (op == DEC)
            return old == 0 || old > operand ? operand : old - 1;
        if (op == CAS)
            return old == (operand & 3) ? (operand >> 2 & 3) : old;
    }
    return old;
}

#define SCOPED(name, ...) \
    (S == BLOCK ? name##_block(__VA_ARGS__) : S == SYSTEM ? name##_system(__VA_ARGS__) : name(__VA_ARGS__))

template <typename T, operation OP, scope S> __device__ T apply(T *cell, T operand)
{
    if constexpr (OP == ADD)
        return SCOPED(atomicAdd, cell, operand);
    if constexpr (OP == SUB)
        return SCOPED(atomicSub, cell, operand);
    if constexpr (OP == EXCH)
        return SCOPED(atomicExch, cell, operand);
    if constexpr (OP == MIN)
        return SCOPED(atomicMin, cell, operand);
    if constexpr (OP == MAX)
        return SCOPED(atomicMax, cell, operand);
    if constexpr (OP == AND)
        return SCOPED(atomicAnd, cell, operand);
    if constexpr (OP == OR)
        return SCOPED(atomicOr, cell, operand);
    if constexpr (OP == XOR)
        return SCOPED(atomicXor, cell, operand);
    if constexpr (OP == INC)
        return SCOPED(atomicInc, cell, operand);
    if constexpr (OP == DEC)
        return SCOPED(atomicDec, cell, operand);
    if constexpr (OP == CAS && sizeof(T) == 2)
        return atomicCAS(cell, (T)(operand & 3), (T)(operand >> 2 & 3));
    else if constexpr (OP == CAS)
        return SCOPED(atomicCAS, cell, operand & 3, operand >> 2 & 3);
}

template <typename T, operation OP, scope S>
__global__ void in_global(T *cells, const T *operands, T *olds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        olds[i] = apply<T, OP, S>(&cells[i % CELLS], operands[i]);
}

/* Without a result: a reduction. */
template <typename T, operation OP, scope S> __global__ void in_global_unused(T *cells, const T *operands, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        (void)apply<T, OP, S>(&cells[i % CELLS], operands[i]);
}

template <typename T, operation OP, scope S>
__global__ void in_shared(T *cells, const T *operands, T *olds, int n)
{
    __shared__ T local[CELLS];
    int i = threadIdx.x;

    if (i < CELLS)
        local[i] = cells[i];
    __syncthreads();
    if (i < n)
        olds[i] = apply<T, OP, S>(&local[i % CELLS], operands[i]);
    __syncthreads();
    if (i < CELLS)
        cells[i] = local[i];
}

template <typename T>
static void check_chain(const char *what, operation op, const std::vector<T> &first, const std::vector<T> &last,
                        const std::vector<T> &operands, const std::vector<T> &olds)
{
    for (int cell = 0; cell < CELLS; cell++) {
        std::vector<T> found = {last[cell]};
        std::vector<T> left = {first[cell]};

        for (size_t i = cell; i < olds.size(); i += CELLS) {
            found.push_back(olds[i]);
            left.push_back(after<T>(op, olds[i], operands[i]));
        }
        std::sort(found.begin(), found.end());
        std::sort(left.begin(), left.end());
        expect_equal(what, left, found);
    }
}

template <typename T, operation OP, scope S> static void test(const char *what)
{
    struct rng rng = {(uint64_t)OP * 100 + sizeof(T)};
    std::vector<T> first(CELLS), operands(THREADS);
    bool order_matters = OP == EXCH || OP == INC || OP == DEC || OP == CAS;

    for (T &value : first)
        value = (T)(OP == CAS ? rng_below(&rng, 4) : 100 + rng_below(&rng, 100));
    for (T &value : operands)
        value = (T)(OP == INC || OP == DEC ? 50 + rng_below(&rng, 9)
                    : std::is_integral<T>::value && OP != CAS ? (T)rng_next(&rng) : (T)(int)rng_below(&rng, 500));
    std::vector<T> want = first;

    for (int i = 0; i < THREADS; i++)
        want[i % CELLS] = after<T>(OP, want[i % CELLS], operands[i]);
    T *device_operands = device_copy(operands);

    for (int place = 0; place < 3; place++) {
        T *cells = device_copy(first);
        T *olds = device_zeros<T>(THREADS);

        if (place == 0)
            in_global<T, OP, S><<<S == BLOCK ? 1 : 3, S == BLOCK ? 320 : 128>>>(cells, device_operands, olds, THREADS);
        if (place == 1)
            in_shared<T, OP, S><<<1, 320>>>(cells, device_operands, olds, THREADS);
        if (place == 2)
            in_global_unused<T, OP, S><<<1, 320>>>(cells, device_operands, THREADS);
        CHECK_KERNEL();
        std::vector<T> last = host_copy(cells, CELLS);

        if (place < 2)
            check_chain<T>(what, OP, first, last, operands, host_copy(olds, THREADS));
        if (!order_matters)
            expect_equal(what, want, last);
        device_free(cells);
        device_free(olds);
    }
    device_free(device_operands);
}

template <typename T, operation OP> static void test_scopes(const char *what)
{
    test<T, OP, DEVICE>(what);
    test<T, OP, BLOCK>(what);
    test<T, OP, SYSTEM>(what);
}

/* --- 128 bits --- */

struct alignas(16) wide {
    unsigned long long low, high;
};

__global__ void add_wide(wide *cells, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    wide *cell = &cells[i % CELLS];
    wide seen = {0, 0};
    wide next, found;

    if (i >= n)
        return;
    for (;;) {
        next = {seen.low + 1, seen.high + i};
        found = atomicCAS(cell, seen, next);
        if (found.low == seen.low && found.high == seen.high)
            break;
        seen = found;
    }
}

__global__ void exchange_wide(wide *cell, wide *olds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    wide next = {(unsigned long long)i + 1, ~(unsigned long long)i};

    if (i < n)
        olds[i] = atomicExch(cell, next);
}

static void test_wide(void)
{
    wide *cells = device_zeros<wide>(CELLS);
    wide *olds = device_zeros<wide>(THREADS);

    add_wide<<<3, 128>>>(cells, THREADS);
    CHECK_KERNEL();
    std::vector<wide> got = host_copy(cells, CELLS);

    for (int cell = 0; cell < CELLS; cell++) {
        unsigned long long count = 0, sum = 0;

        for (int i = cell; i < THREADS; i += CELLS) {
            count++;
            sum += i;
        }
        EXPECT(got[cell].low == count);
        EXPECT(got[cell].high == sum);
    }
    CUDA_CHECK(cudaMemset(cells, 0, sizeof(wide)));
    exchange_wide<<<3, 128>>>(cells, olds, THREADS);
    CHECK_KERNEL();
    std::vector<wide> seen = host_copy(olds, THREADS);
    std::vector<int> times(THREADS + 1);

    seen.push_back(host_copy(cells, 1)[0]);
    for (wide value : seen) {
        EXPECT(value.low <= THREADS);
        EXPECT(value.high == (value.low ? ~(value.low - 1) : 0));
        times[value.low]++;
    }
    for (int count : times)
        EXPECT(count == 1);
    device_free(cells);
    device_free(olds);
}

/* --- halves and vectors --- */

struct halves {
    __half2 pair;
    __nv_bfloat162 brain_pair;
    __half one[2];
    __nv_bfloat16 brain_one[2];
};

__global__ void add_halves(halves *sum)
{
    float low = threadIdx.x % 2;
    float high = threadIdx.x % 3;

    atomicAdd(&sum->pair, __floats2half2_rn(low, high));
    atomicAdd(&sum->brain_pair, __floats2bfloat162_rn(low, high));
    atomicAdd(&sum->one[threadIdx.x % 2], __float2half(high));
    atomicAdd(&sum->brain_one[threadIdx.x % 2], __float2bfloat16(high));
}

__global__ void add_halves_shared(halves *out)
{
    __shared__ halves sum;

    if (threadIdx.x == 0) {
        sum.pair = __floats2half2_rn(0, 0);
        sum.brain_pair = __floats2bfloat162_rn(0, 0);
        sum.one[0] = sum.one[1] = __float2half(0);
        sum.brain_one[0] = sum.brain_one[1] = __float2bfloat16(0);
    }
    __syncthreads();
    atomicAdd(&sum.pair, __floats2half2_rn(threadIdx.x % 2, threadIdx.x % 3));
    atomicAdd(&sum.brain_pair, __floats2bfloat162_rn(threadIdx.x % 2, threadIdx.x % 3));
    atomicAdd(&sum.one[threadIdx.x % 2], __float2half(threadIdx.x % 3));
    atomicAdd(&sum.brain_one[threadIdx.x % 2], __float2bfloat16(threadIdx.x % 3));
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sum;
}

__global__ void add_vectors(float2 *two, float4 *four)
{
    float x = threadIdx.x;

    atomicAdd(two, make_float2(x, -x));
    atomicAdd(four, make_float4(1, x, 2 * x, -1));
}

static void check_halves(const halves *device)
{
    halves got = host_copy(device, 1)[0];
    float low = 0, high = 0, odd[2] = {0, 0};

    for (int i = 0; i < 120; i++) {
        low += i % 2;
        high += i % 3;
        odd[i % 2] += i % 3;
    }
    expect_value("half2.x", low, __half2float(got.pair.x));
    expect_value("half2.y", high, __half2float(got.pair.y));
    expect_value("bfloat162.x", low, __bfloat162float(got.brain_pair.x));
    expect_value("bfloat162.y", high, __bfloat162float(got.brain_pair.y));
    for (int i = 0; i < 2; i++) {
        expect_value("half", odd[i], __half2float(got.one[i]));
        expect_value("bfloat16", odd[i], __bfloat162float(got.brain_one[i]));
    }
}

static void test_halves(void)
{
    halves *sum = device_zeros<halves>(1);
    float2 *two = device_zeros<float2>(1);
    float4 *four = device_zeros<float4>(1);

    add_halves<<<1, 120>>>(sum);
    CHECK_KERNEL();
    check_halves(sum);
    add_halves_shared<<<1, 120>>>(sum);
    CHECK_KERNEL();
    check_halves(sum);
    add_vectors<<<1, 100>>>(two, four);
    CHECK_KERNEL();
    float2 got_two = host_copy(two, 1)[0];
    float4 got_four = host_copy(four, 1)[0];

    EXPECT(got_two.x == 4950 && got_two.y == -4950);
    EXPECT(got_four.x == 100 && got_four.y == 4950 && got_four.z == 9900 && got_four.w == -100);
    device_free(sum);
    device_free(two);
    device_free(four);
}

/* --- libcu++ --- */

template <typename T> __global__ void references(T *cells, int n)
{
    using reference = cuda::atomic_ref<T, cuda::thread_scope_device>;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    reference(cells[0]).fetch_add((T)1, cuda::memory_order_relaxed);
    reference(cells[1]).fetch_sub((T)1, cuda::memory_order_acq_rel);
    reference(cells[2]).fetch_max((T)i);
    reference(cells[3]).fetch_min((T)i, cuda::memory_order_release);

    T seen = reference(cells[4]).load(cuda::memory_order_acquire);

    while (!reference(cells[4]).compare_exchange_weak(seen, (T)(seen + 2), cuda::memory_order_acq_rel))
        ;
    T strong = 0;

    if (reference(cells[5]).compare_exchange_strong(strong, (T)1))
        reference(cells[6]).fetch_add((T)1);
    if (i == 0)
        reference(cells[7]).store((T)77, cuda::memory_order_seq_cst);
    if (i == 1)
        reference(cells[8]).exchange((T)88);
}

template <typename T> static void test_references(const char *what)
{
    std::vector<T> cells = {0, 100, 0, 100, 0, 0, 0, 0, 0};
    std::vector<T> want = {100, 0, 99, 0, (T)200, 1, 1, 77, 88};
    T *device = device_copy(cells);

    references<<<4, 32>>>(device, 100);
    CHECK_KERNEL();
    expect_device(what, want, device);
    device_free(device);
}

template <typename T> __global__ void bit_references(T *cells)
{
    using reference = cuda::atomic_ref<T, cuda::thread_scope_block>;

    reference(cells[0]).fetch_or((T)1 << threadIdx.x % (8 * sizeof(T)));
    reference(cells[1]).fetch_and(~((T)1 << threadIdx.x % (8 * sizeof(T))));
    reference(cells[2]).fetch_xor((T)1 << threadIdx.x % (8 * sizeof(T)));
    ++reference(cells[3]);
    reference(cells[4])--;
}

template <typename T> static void test_bits(const char *what)
{
    T *device = device_copy(std::vector<T>{0, (T)-1, 0, 0, 0});

    bit_references<<<1, 64>>>(device);
    CHECK_KERNEL();
    expect_device(what, std::vector<T>{(T)-1, 0, (T)(sizeof(T) == 8 ? -1 : 0), 64, (T)-64}, device);
    device_free(device);
}

__device__ cuda::atomic<unsigned, cuda::thread_scope_system> counter{0};
__device__ unsigned tickets_taken[200];

__global__ void count_up(void)
{
    unsigned ticket = counter.fetch_add(1);

    tickets_taken[ticket] = 1;
    if (ticket == 199)
        counter.store(1000);
}

static void test_counter(void)
{
    unsigned taken[200];
    unsigned last;

    count_up<<<5, 40>>>();
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpyFromSymbol(taken, tickets_taken, sizeof taken));
    CUDA_CHECK(cudaMemcpyFromSymbol(&last, counter, sizeof last));
    for (unsigned one : taken)
        EXPECT(one == 1);
    EXPECT(last == 1000);
}

int main(void)
{
    test_scopes<int, ADD>("add int");
    test_scopes<unsigned, ADD>("add unsigned");
    test_scopes<unsigned long long, ADD>("add unsigned long long");
    test_scopes<float, ADD>("add float");
    test_scopes<double, ADD>("add double");
    test_scopes<int, SUB>("sub int");
    test_scopes<unsigned, SUB>("sub unsigned");
    test_scopes<int, EXCH>("exch int");
    test_scopes<unsigned, EXCH>("exch unsigned");
    test_scopes<unsigned long long, EXCH>("exch unsigned long long");
    test_scopes<float, EXCH>("exch float");
    test_scopes<int, MIN>("min int");
    test_scopes<unsigned, MIN>("min unsigned");
    test_scopes<long long, MIN>("min long long");
    test_scopes<unsigned long long, MIN>("min unsigned long long");
    test_scopes<int, MAX>("max int");
    test_scopes<unsigned, MAX>("max unsigned");
    test_scopes<long long, MAX>("max long long");
    test_scopes<unsigned long long, MAX>("max unsigned long long");
    test_scopes<int, AND>("and int");
    test_scopes<unsigned, AND>("and unsigned");
    test_scopes<unsigned long long, AND>("and unsigned long long");
    test_scopes<int, OR>("or int");
    test_scopes<unsigned, OR>("or unsigned");
    test_scopes<unsigned long long, OR>("or unsigned long long");
    test_scopes<int, XOR>("xor int");
    test_scopes<unsigned, XOR>("xor unsigned");
    test_scopes<unsigned long long, XOR>("xor unsigned long long");
    test_scopes<unsigned, INC>("inc");
    test_scopes<unsigned, DEC>("dec");
    test_scopes<int, CAS>("cas int");
    test_scopes<unsigned, CAS>("cas unsigned");
    test_scopes<unsigned long long, CAS>("cas unsigned long long");
    test<unsigned short, CAS, DEVICE>("cas unsigned short");
    test_wide();
    test_halves();
    test_references<int>("atomic_ref int");
    test_references<unsigned>("atomic_ref unsigned");
    test_references<long long>("atomic_ref long long");
    test_references<unsigned long long>("atomic_ref unsigned long long");
    test_references<float>("atomic_ref float");
    test_references<double>("atomic_ref double");
    test_references<short>("atomic_ref short");
    test_references<unsigned char>("atomic_ref unsigned char");
    test_bits<unsigned>("atomic_ref bits 32");
    test_bits<unsigned long long>("atomic_ref bits 64");
    test_bits<int>("atomic_ref bits int");
    test_counter();
    return passed();
}
