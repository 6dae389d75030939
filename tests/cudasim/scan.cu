/*
 * scan.cu - prefix sums: Hillis-Steele, Blelloch, by warp shuffles, and in one pass over the whole array with
 * decoupled look-back, where blocks wait for the blocks before them. Each block of the look-back takes so much shared
 * memory that not all of them are on the device at once: tiles are numbered by a ticket, so that it still ends.
 */
#include "check.h"

__global__ void scan_hillis_steele(const int *in, int *out, int n)
{
    __shared__ int buffer[2][512];
    int from = 0;
    int t = threadIdx.x;

    buffer[0][t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        int to = 1 - from;

        buffer[to][t] = buffer[from][t] + (t >= distance ? buffer[from][t - distance] : 0);
        from = to;
        __syncthreads();
    }
    if (t < n)
        out[t] = buffer[from][t];
}

/* Exclusive; 2 * blockDim.x elements, blockDim.x a power of two. */
__global__ void scan_blelloch(const int *in, int *out, int n)
{
    extern __shared__ int values[];
    int count = 2 * blockDim.x;
    int t = threadIdx.x;
    int offset = 1;

    values[2 * t] = 2 * t < n ? in[2 * t] : 0;
    values[2 * t + 1] = 2 * t + 1 < n ? in[2 * t + 1] : 0;
    for (int width = count / 2; width > 0; width /= 2) {
        __syncthreads();
        if (t < width)
            values[offset * (2 * t + 2) - 1] += values[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0)
        values[count - 1] = 0;
    for (int width = 1; width < count; width *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < width) {
            int left = values[offset * (2 * t + 1) - 1];

            values[offset * (2 * t + 1) - 1] = values[offset * (2 * t + 2) - 1];
            values[offset * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    if (2 * t < n)
        out[2 * t] = values[2 * t];
    if (2 * t + 1 < n)
        out[2 * t + 1] = values[2 * t + 1];
}

template <typename T> __device__ T warp_scan(T value)
{
    int lane = threadIdx.x % 32;

    for (int distance = 1; distance < 32; distance *= 2) {
        T below = __shfl_up_sync(0xffffffffu, value, distance);

        if (lane >= distance)
            value += below;
    }
    return value;
}

/* Inclusive scan over the block; blockDim.x a multiple of 32. *total: the block's sum, to every thread. */
template <typename T> __device__ T block_scan(T value, T *total)
{
    __shared__ T sums[32];
    int warp = threadIdx.x / 32;
    int warps = blockDim.x / 32;

    value = warp_scan(value);
    if (threadIdx.x % 32 == 31)
        sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        T sum = threadIdx.x < warps ? sums[threadIdx.x] : T(0);

        sums[threadIdx.x] = warp_scan(sum);
    }
    __syncthreads();
    *total = sums[warps - 1];
    return warp == 0 ? value : value + sums[warp - 1];
}

template <typename T> __global__ void scan_warps(const T *in, T *out, int n)
{
    T total;
    T sum = block_scan(threadIdx.x < n ? in[threadIdx.x] : T(0), &total);

    if (threadIdx.x < n)
        out[threadIdx.x] = sum;
}

enum { EMPTY = 0, PARTIAL = 1, COMPLETE = 2 };

/* The published word of a tile: flag and value in 64 bits. */
__device__ void publish_word(volatile unsigned long long *words, int tile, unsigned flag, int value)
{
    words[tile] = (unsigned long long)flag << 32 | (unsigned)value;
}

/* One thread of tile: the sum of all tiles before it. */
__device__ int look_back_words(volatile unsigned long long *words, int tile)
{
    int sum = 0;

    for (int before = tile - 1; before >= 0; before--) {
        unsigned long long word;

        do
            word = words[before];
        while (word >> 32 == EMPTY);
        sum += (int)(unsigned)word;
        if (word >> 32 == COMPLETE)
            break;
    }
    return sum;
}

/* state: one word a tile, all EMPTY; ticket: 0 */
__global__ void scan_look_back(const int *in, int *out, int n, unsigned long long *state, int *ticket)
{
    extern __shared__ int padding[]; /* keeps other blocks off the multiprocessor; one element is the tile number */
    __shared__ int before;
    int total;

    if (threadIdx.x == 0)
        padding[0] = atomicAdd(ticket, 1);
    __syncthreads();
    int tile = padding[0];
    int i = tile * blockDim.x + threadIdx.x;
    int sum = block_scan(i < n ? in[i] : 0, &total);

    if (threadIdx.x == 0) {
        publish_word(state, tile, tile == 0 ? COMPLETE : PARTIAL, total);
        before = look_back_words(state, tile);
        publish_word(state, tile, COMPLETE, before + total);
    }
    __syncthreads();
    if (i < n)
        out[i] = sum + before;
}

__device__ int load_acquire(const int *address)
{
    int value;

    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

__device__ void store_release(int *address, int value)
{
    asm volatile("st.release.gpu.global.s32 [%0], %1;" : : "l"(address), "r"(value) : "memory");
}

/*
 * The same with 64-bit sums, so that flag and value need two words: the flag is stored with release and read with
 * acquire. A whole warp looks back at 32 tiles at once.
 */
__global__ void scan_look_back_warp(const int *in, long long *out, int n, int *flags, volatile long long *partial,
                                    volatile long long *complete, int *ticket)
{
    extern __shared__ int padding[];
    __shared__ long long before;
    int lane = threadIdx.x % 32;
    long long total;

    if (threadIdx.x == 0)
        padding[0] = atomicAdd(ticket, 1);
    __syncthreads();
    int tile = padding[0];
    int i = tile * blockDim.x + threadIdx.x;
    long long sum = block_scan<long long>(i < n ? in[i] : 0, &total);

    if (threadIdx.x == 0) {
        before = 0;
        partial[tile] = total;
        if (tile == 0)
            complete[tile] = total;
        store_release(&flags[tile], tile == 0 ? COMPLETE : PARTIAL);
    }
    __syncwarp();
    if (threadIdx.x < 32 && tile > 0) {
        long long exclusive = 0;
        int window = tile - 1 - lane;

        for (;;) {
            int flag = window < 0 ? COMPLETE : EMPTY;
            long long value = 0;

            while (flag == EMPTY)
                flag = load_acquire(&flags[window]);
            unsigned done = __ballot_sync(0xffffffffu, flag == COMPLETE);
            int last = done ? __ffs(done) - 1 : 31;

            if (window >= 0 && lane <= last)
                value = flag == COMPLETE ? complete[window] : partial[window];
            for (int distance = 16; distance > 0; distance /= 2)
                value += __shfl_xor_sync(0xffffffffu, value, distance);
            exclusive += value;
            if (done)
                break;
            window -= 32;
        }
        if (lane == 0) {
            before = exclusive;
            complete[tile] = exclusive + total;
            store_release(&flags[tile], COMPLETE);
        }
    }
    __syncthreads();
    if (i < n)
        out[i] = sum + before;
}

static std::vector<int> random_values(int n)
{
    struct rng rng = {(uint64_t)n};
    std::vector<int> values(n);

    for (int &value : values)
        value = (int)rng_below(&rng, 2001) - 1000;
    return values;
}

static void test_block(int n, int block)
{
    std::vector<int> in = random_values(n);
    std::vector<int> inclusive(n), exclusive(n);
    int sum = 0;

    for (int i = 0; i < n; i++) {
        exclusive[i] = sum;
        inclusive[i] = sum += in[i];
    }
    int *device_in = device_copy(in);
    int *device_out = device_zeros<int>(n);

    scan_hillis_steele<<<1, block>>>(device_in, device_out, n);
    CHECK_KERNEL();
    expect_device("hillis-steele", inclusive, device_out);
    scan_blelloch<<<1, block / 2, block * sizeof(int)>>>(device_in, device_out, n);
    CHECK_KERNEL();
    expect_device("blelloch", exclusive, device_out);
    CUDA_CHECK(cudaMemset(device_out, 0, n * sizeof(int)));
    scan_warps<<<1, block>>>(device_in, device_out, n);
    CHECK_KERNEL();
    expect_device("warps", inclusive, device_out);
    device_free(device_in);
    device_free(device_out);
}

static void test_look_back(int n, int block, int shared)
{
    std::vector<int> in = random_values(n);
    std::vector<int> want(n);
    std::vector<long long> want_wide(n);
    int tiles = (n + block - 1) / block;
    int sum = 0;
    long long wide = 0;

    for (int i = 0; i < n; i++) {
        want[i] = sum += in[i];
        want_wide[i] = wide += in[i];
    }
    int *device_in = device_copy(in);
    int *device_out = device_zeros<int>(n);
    long long *device_wide = device_zeros<long long>(n);
    unsigned long long *state = device_zeros<unsigned long long>(tiles);
    int *flags = device_zeros<int>(tiles);
    long long *partial = device_zeros<long long>(tiles);
    long long *complete = device_zeros<long long>(tiles);
    int *tickets = device_zeros<int>(2);

    CUDA_CHECK(cudaFuncSetAttribute(scan_look_back, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    CUDA_CHECK(cudaFuncSetAttribute(scan_look_back_warp, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    scan_look_back<<<tiles, block, shared>>>(device_in, device_out, n, state, &tickets[0]);
    CHECK_KERNEL();
    expect_device("look-back", want, device_out);
    scan_look_back_warp<<<tiles, block, shared>>>(device_in, device_wide, n, flags, partial, complete, &tickets[1]);
    CHECK_KERNEL();
    expect_device("look-back by warps", want_wide, device_wide);

    device_free(device_in);
    device_free(device_out);
    device_free(device_wide);
    device_free(state);
    device_free(flags);
    device_free(partial);
    device_free(complete);
    device_free(tickets);
}

int main(void)
{
    test_block(1, 32);
    test_block(31, 32);
    test_block(512, 512);
    test_block(300, 512);
    test_look_back(1000, 64, 1024);
    test_look_back(20011, 64, 150 * 1024);
    test_look_back(40000, 256, 64);
    return passed();
}
