/*
 * histogram.cu - counts of values: by atomics on global memory, on shared memory, on one copy per warp, and with the
 * equal values of a warp found first by match or by ballots so that one thread counts for all.
 */
#include "check.h"

static const unsigned FULL = 0xffffffffu;

__global__ void histogram_global(const unsigned char *in, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
}

__global__ void histogram_shared(const unsigned char *in, unsigned *bins, int n, int count)
{
    __shared__ unsigned local[256];

    for (int bin = threadIdx.x; bin < count; bin += blockDim.x)
        local[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[in[i]], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < count; bin += blockDim.x)
        if (local[bin])
            atomicAdd(&bins[bin], local[bin]);
}

/* One copy of 16-bit counters a warp, two in a word; few enough elements a warp that none overflows. */
__global__ void histogram_warps(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned local[4][128];
    int warp = threadIdx.x / 32;

    for (int i = threadIdx.x; i < 4 * 128; i += blockDim.x)
        local[i / 128][i % 128] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[warp][in[i] / 2], in[i] % 2 ? 1u << 16 : 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        unsigned sum = 0;

        for (int other = 0; other < 4; other++)
            sum += local[other][bin / 2] >> 16 * (bin % 2) & 0xffff;
        atomicAdd(&bins[bin], sum);
    }
}

__global__ void histogram_match(const unsigned char *in, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned active = __ballot_sync(FULL, i < n);

    if (i >= n)
        return;
    unsigned same = __match_any_sync(active, (unsigned)in[i]);

    if (threadIdx.x % 32 == __ffs(same) - 1)
        atomicAdd(&bins[in[i]], (unsigned)__popc(same));
}

/* The threads with the same value, bit by bit: one ballot per bit. */
__global__ void histogram_ballot(const unsigned char *in, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? in[i] : -1;
    unsigned same = __ballot_sync(FULL, i < n);

    for (int bit = 0; bit < 8; bit++) {
        unsigned set = __ballot_sync(FULL, value >> bit & 1);

        same &= value >> bit & 1 ? set : ~set;
    }
    if (i < n && threadIdx.x % 32 == 31 - __clz(same))
        atomicAdd(&bins[value], (unsigned)__popc(same));
}

static void test(int n, int distinct)
{
    struct rng rng = {(uint64_t)n * distinct};
    std::vector<unsigned char> in(n);
    std::vector<unsigned> want(256);
    int blocks = (n + 127) / 128;

    for (unsigned char &value : in) {
        value = rng_below(&rng, distinct);
        want[value]++;
    }
    unsigned char *device_in = device_copy(in);

    for (int style = 0; style < 5; style++) {
        unsigned *bins = device_zeros<unsigned>(256);

        if (style == 0)
            histogram_global<<<7, 128>>>(device_in, bins, n);
        if (style == 1)
            histogram_shared<<<5, 96>>>(device_in, bins, n, 256);
        if (style == 2)
            histogram_warps<<<6, 128>>>(device_in, bins, n);
        if (style == 3)
            histogram_match<<<blocks, 128>>>(device_in, bins, n);
        if (style == 4)
            histogram_ballot<<<blocks, 128>>>(device_in, bins, n);
        CHECK_KERNEL();
        expect_device("histogram", want, bins);
        device_free(bins);
    }
    device_free(device_in);
}

int main(void)
{
    test(1, 256);
    test(1000, 1);
    test(30011, 256);
    test(30011, 3);
    test(9999, 20);
    return passed();
}
