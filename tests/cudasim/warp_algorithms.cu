/*
 * warp_algorithms.cu - what the threads of a warp do together: votes, shuffles of every kind and width, matches,
 * reductions, elections, under full, partial and divergent masks, and what is usually built of them.
 */
#include <algorithm>

#include "check.h"

static const unsigned FULL = 0xffffffffu;

/* --- shuffles --- */

template <typename T> __global__ void shuffles(const T *in, T *out, int width, int distance)
{
    int lane = threadIdx.x;
    T value = in[lane];

    out[lane] = __shfl_sync(FULL, value, distance, width);
    out[32 + lane] = __shfl_up_sync(FULL, value, distance, width);
    out[64 + lane] = __shfl_down_sync(FULL, value, distance, width);
    out[96 + lane] = __shfl_xor_sync(FULL, value, distance, width);
    out[128 + lane] = __shfl_sync(FULL, value, lane * 7 + distance, width);
}

template <typename T> static void test_shuffles(const char *what)
{
    struct rng rng = {sizeof(T)};
    std::vector<T> in(32), want(160);
    T *device_out = device_zeros<T>(160);

    for (T &value : in)
        value = (T)rng_next(&rng);
    T *device_in = device_copy(in);

    for (int width = 1; width <= 32; width *= 2)
        for (int distance : {0, 1, 2, 3, 5, 8, 16, 31, 33}) {
            for (int lane = 0; lane < 32; lane++) {
                int base = lane / width * width;
                int end = base + width;
                int up = lane - (distance & 31);
                int down = lane + (distance & 31);
                int other = lane ^ (distance & 31);

                want[lane] = in[base + distance % width];
                want[32 + lane] = in[up < base ? lane : up];
                want[64 + lane] = in[down >= end ? lane : down];
                want[96 + lane] = in[other >= end ? lane : other];
                want[128 + lane] = in[base + (lane * 7 + distance) % width];
            }
            if (distance > 31) { /* only the index wraps by definition; leave the others to distances in range */
                shuffles<<<1, 32>>>(device_in, device_out, width, distance);
                CHECK_KERNEL();
                std::vector<T> got = host_copy(device_out, 160);

                for (int lane = 0; lane < 32; lane++)
                    EXPECT(got[lane] == want[lane] && got[128 + lane] == want[128 + lane]);
                continue;
            }
            shuffles<<<1, 32>>>(device_in, device_out, width, distance);
            CHECK_KERNEL();
            expect_device(what, want, device_out);
        }
    device_free(device_in);
    device_free(device_out);
}

/* --- votes and matches --- */

__global__ void votes(const int *in, unsigned *out)
{
    int lane = threadIdx.x % 32;
    int base = blockIdx.x * 7 * 32;
    int value = in[blockIdx.x * 32 + lane];
    int same;

    out[base + lane] = __ballot_sync(FULL, value & 1);
    out[base + 32 + lane] = __any_sync(FULL, value == 3);
    out[base + 64 + lane] = __all_sync(FULL, value < 5);
    out[base + 96 + lane] = __match_any_sync(FULL, value);
    out[base + 128 + lane] = __match_all_sync(FULL, value / 8, &same);
    out[base + 160 + lane] = same;
    out[base + 192 + lane] = __match_any_sync(FULL, (long long)value << 33 | 5);
}

static void test_votes(void)
{
    enum { BLOCKS = 9 };
    struct rng rng = {11};
    std::vector<int> in(BLOCKS * 32);
    std::vector<unsigned> want(BLOCKS * 7 * 32);

    for (int i = 0; i < BLOCKS * 32; i++)
        in[i] = i < 32 ? 4 : i < 64 ? 8 + rng_below(&rng, 8) : rng_below(&rng, i / 32 + 1);
    for (int block = 0; block < BLOCKS; block++)
        for (int lane = 0; lane < 32; lane++) {
            const int *values = &in[block * 32];
            unsigned *out = &want[block * 7 * 32 + lane];
            unsigned odd = 0, any = 0, all = 1, match = 0, same = 1;

            for (int other = 0; other < 32; other++) {
                odd |= (unsigned)(values[other] & 1) << other;
                any |= values[other] == 3;
                all &= values[other] < 5;
                match |= (unsigned)(values[other] == values[lane]) << other;
                same &= values[other] / 8 == values[0] / 8;
            }
            out[0] = odd;
            out[32] = any;
            out[64] = all;
            out[96] = match;
            out[128] = same ? FULL : 0;
            out[160] = same;
            out[192] = match;
        }
    int *device_in = device_copy(in);
    unsigned *device_out = device_zeros<unsigned>(want.size());

    votes<<<BLOCKS, 32>>>(device_in, device_out);
    CHECK_KERNEL();
    expect_device("votes", want, device_out);
    device_free(device_in);
    device_free(device_out);
}

/* --- reductions over any mask --- */

__global__ void reductions(const int *in, int *out, unsigned mask)
{
    int lane = threadIdx.x;

    if (mask >> lane & 1) {
        int value = in[lane];

        out[lane] = __reduce_add_sync(mask, value);
        out[32 + lane] = __reduce_min_sync(mask, value);
        out[64 + lane] = __reduce_max_sync(mask, value);
        out[96 + lane] = __reduce_and_sync(mask, (unsigned)value);
        out[128 + lane] = __reduce_or_sync(mask, (unsigned)value);
        out[160 + lane] = __reduce_xor_sync(mask, (unsigned)value);
        out[192 + lane] = __reduce_min_sync(mask, (unsigned)value);
        out[224 + lane] = __reduce_max_sync(mask, (unsigned)value);
        out[256 + lane] = __ballot_sync(mask, value > 0);
        out[288 + lane] = __any_sync(mask, value == in[31]);
        out[320 + lane] = __match_any_sync(mask, value & 3);
        out[352 + lane] = __shfl_sync(mask, value, __ffs(mask) - 1);
    }
}

static void test_reductions(void)
{
    struct rng rng = {12};
    std::vector<int> in(32);

    for (int &value : in)
        value = (int)rng_next(&rng);
    int *device_in = device_copy(in);
    int *device_out = device_zeros<int>(384);

    for (unsigned mask : {FULL, 1u, 0x80000000u, 0x55555555u, 0x0000ffffu, 0xfff00000u, 0x40010008u, 0x7fffffffu}) {
        std::vector<int> want(384);
        int sum = 0, low = INT32_MAX, high = INT32_MIN;
        unsigned all = FULL, any = 0, odd = 0, unsigned_low = FULL, unsigned_high = 0, positive = 0, last = 0;

        for (int lane = 0; lane < 32; lane++) {
            if (!(mask >> lane & 1))
                continue;
            unsigned value = (unsigned)in[lane];

            sum = (int)((unsigned)sum + value);
            low = std::min(low, in[lane]);
            high = std::max(high, in[lane]);
            all &= value;
            any |= value;
            odd ^= value;
            unsigned_low = std::min(unsigned_low, value);
            unsigned_high = std::max(unsigned_high, value);
            positive |= (unsigned)(in[lane] > 0) << lane;
            last |= in[lane] == in[31];
        }
        for (int lane = 0; lane < 32; lane++) {
            if (!(mask >> lane & 1))
                continue;
            unsigned match = 0;

            for (int other = 0; other < 32; other++)
                match |= (mask >> other & 1 & ((in[other] & 3) == (in[lane] & 3))) << other;
            int results[] = {sum, low, high, (int)all, (int)any, (int)odd, (int)unsigned_low, (int)unsigned_high,
                             (int)positive, (int)last, (int)match, in[__builtin_ctz(mask)]};

            for (int i = 0; i < 12; i++)
                want[32 * i + lane] = results[i];
        }
        CUDA_CHECK(cudaMemset(device_out, 0, 384 * sizeof(int)));
        reductions<<<1, 32>>>(device_in, device_out, mask);
        CHECK_KERNEL();
        expect_device("reductions", want, device_out);
    }
    device_free(device_in);
    device_free(device_out);
}

/* --- divergence --- */

/*
 * Both sides of a branch, and both parts of a nested one, communicate at the same time, each among its own threads;
 * then a loop from which threads leave one after the other.
 */
__global__ void divergent(int *out)
{
    int lane = threadIdx.x;

    if (lane % 2 == 0) {
        if (lane < 16)
            out[lane] = __shfl_xor_sync(0x00005555u, lane, 2);
        else
            out[lane] = __reduce_add_sync(0x55550000u, lane);
    } else {
        out[lane] = __popc(__ballot_sync(0xaaaaaaaau, lane > 9));
    }
    __syncwarp();
    out[32 + lane] = __shfl_sync(FULL, out[lane], 31 - lane);

    unsigned left = FULL;
    int rounds = 0;

    for (;;) {
        bool stay = rounds < lane;

        left = __ballot_sync(left, stay);
        if (!stay)
            break;
        rounds++;
    }
    out[64 + lane] = rounds;
    out[96 + lane] = (int)left;
    __syncwarp();
    out[128 + lane] = __shfl_down_sync(FULL, rounds, 1);
}

static void test_divergent(void)
{
    std::vector<int> want(160);
    int *device_out = device_zeros<int>(160);

    for (int lane = 0; lane < 32; lane++) {
        if (lane % 2)
            want[lane] = 11;
        else if (lane < 16)
            want[lane] = lane ^ 2;
        else
            want[lane] = 16 + 18 + 20 + 22 + 24 + 26 + 28 + 30;
        want[64 + lane] = lane;
        want[96 + lane] = (int)(lane == 31 ? 0 : FULL << (lane + 1));
        want[128 + lane] = lane == 31 ? 31 : lane + 1;
    }
    for (int lane = 0; lane < 32; lane++)
        want[32 + lane] = want[31 - lane];
    divergent<<<1, 32>>>(device_out);
    CHECK_KERNEL();
    expect_device("divergent", want, device_out);
    device_free(device_out);
}

/* Threads of one warp at two textually different, but matching, warp barriers: they exchange through shared memory. */
__global__ void two_places(int *out)
{
    __shared__ int mail[32];
    int lane = threadIdx.x;

    if (lane < 16) {
        mail[lane] = lane + 100;
        __syncwarp();
        out[lane] = mail[lane + 16];
    } else {
        mail[lane] = lane + 200;
        __syncwarp();
        out[lane] = mail[lane - 16];
    }
}

static void test_two_places(void)
{
    std::vector<int> want(32);
    int *device_out = device_zeros<int>(32);

    for (int lane = 0; lane < 32; lane++)
        want[lane] = lane < 16 ? lane + 216 : lane + 84;
    two_places<<<1, 32>>>(device_out);
    CHECK_KERNEL();
    expect_device("two places", want, device_out);
    device_free(device_out);
}

/* Lanes of a long loop and those that skip it are together again behind it, as a GPU has them. */
__global__ void behind_loops(unsigned *out, int longest)
{
    unsigned sum = 0;

    for (int i = 0; i < longest; i++)
        if (threadIdx.x < 4)
            for (int k = 0; k < longest; k++)
                sum = sum * 5 + k;
    out[threadIdx.x] = __activemask();
    out[threadIdx.x + 32] = sum;
}

static void test_behind_loops(void)
{
    unsigned *device_out = device_zeros<unsigned>(64);

    behind_loops<<<1, 32>>>(device_out, 60);
    CHECK_KERNEL();
    std::vector<unsigned> got(32);
    CUDA_CHECK(cudaMemcpy(got.data(), device_out, 32 * sizeof(unsigned), cudaMemcpyDeviceToHost));
    expect_equal("behind loops", std::vector<unsigned>(32, FULL), got);
    device_free(device_out);
}

/* --- warps which are not full, active masks, elections --- */

__global__ void partial(unsigned *out, int *leaders)
{
    unsigned mask = __activemask();
    unsigned lane = threadIdx.x % 32;
    unsigned expected = blockDim.x - threadIdx.x + lane >= 32 ? FULL : (1u << blockDim.x % 32) - 1;
    unsigned leader, chosen, again;

    /* An active mask may be any part of the warp which holds this thread; all of it is usual, but not promised. */
    out[threadIdx.x] = (mask >> lane & 1) && !(mask & ~expected) ? expected : 0;
    asm volatile("{\n"
                 "  .reg .pred p;\n"
                 "  elect.sync %0|p, %2;\n"
                 "  selp.u32 %1, 1, 0, p;\n"
                 "}\n"
                 : "=r"(leader), "=r"(chosen)
                 : "r"(expected));
    asm volatile("{\n"
                 "  .reg .pred p;\n"
                 "  elect.sync _|p, %1;\n"
                 "  selp.u32 %0, 1, 0, p;\n"
                 "}\n"
                 : "=r"(again)
                 : "r"(expected));
    if (again != chosen)
        atomicAdd(&leaders[threadIdx.x / 32], 1000);
    if (chosen) {
        atomicAdd(&leaders[threadIdx.x / 32], 1);
        if (leader != lane)
            atomicAdd(&leaders[threadIdx.x / 32], 1000);
    }
}

static void test_partial(void)
{
    for (int threads : {1, 5, 31, 32, 33, 95}) {
        int warps = (threads + 31) / 32;
        std::vector<unsigned> want(threads, FULL);
        unsigned *device_out = device_zeros<unsigned>(threads);
        int *leaders = device_zeros<int>(warps);

        for (int i = threads / 32 * 32; i < threads; i++)
            want[i] = (1u << threads % 32) - 1;
        partial<<<1, threads>>>(device_out, leaders);
        CHECK_KERNEL();
        expect_device("partial", want, device_out);
        expect_device("leaders", std::vector<int>(warps, 1), leaders);
        device_free(device_out);
        device_free(leaders);
    }
}

__global__ void lane_masks(unsigned *out)
{
    unsigned lane, warp, equal, less, less_equal, greater, greater_equal;

    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(equal));
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(less));
    asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(less_equal));
    asm volatile("mov.u32 %0, %%lanemask_gt;" : "=r"(greater));
    asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(greater_equal));
    out[threadIdx.x] = lane == threadIdx.x % 32 && warp < 64 && equal == 1u << lane && less == equal - 1 &&
                       less_equal == (less | equal) && greater == ~less_equal && greater_equal == ~less;
}

/* --- algorithms built from them --- */

/* Keeps the elements with in[i] % 3 == 0, in any order between warps; one atomic per warp. */
__global__ void compact(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int value = i < n ? in[i] : 1;
    bool keep = i < n && value % 3 == 0;
    unsigned kept = __ballot_sync(FULL, keep);
    int start = 0;

    if (lane == 0)
        start = atomicAdd(count, __popc(kept));
    start = __shfl_sync(FULL, start, 0);
    if (keep)
        out[start + __popc(kept & ((1u << lane) - 1))] = value;
}

static void test_compact(int n)
{
    struct rng rng = {13};
    std::vector<int> in(n), want;

    for (int &value : in) {
        value = rng_below(&rng, 1000);
        if (value % 3 == 0)
            want.push_back(value);
    }
    int *device_in = device_copy(in);
    int *device_out = device_zeros<int>(n);
    int *count = device_zeros<int>(1);

    compact<<<(n + 127) / 128, 128>>>(device_in, device_out, count, n);
    CHECK_KERNEL();
    expect_value("kept", (int)want.size(), host_copy(count, 1)[0]);
    std::vector<int> got = host_copy(device_out, want.size());

    std::sort(want.begin(), want.end());
    std::sort(got.begin(), got.end());
    expect_equal("compact", want, got);
    device_free(device_in);
    device_free(device_out);
    device_free(count);
}

/* Sorts 32 values, one a lane, by a bitonic network of shuffles; the block's warps sort different values. */
template <typename T> __global__ void sort_lanes(T *values)
{
    int lane = threadIdx.x % 32;
    T mine = values[blockIdx.x * blockDim.x + threadIdx.x];

    for (int size = 2; size <= 32; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            T other = __shfl_xor_sync(FULL, mine, stride);
            bool up = (lane & size) == 0;
            bool lower = (lane & stride) == 0;

            mine = (up == lower) ? min(mine, other) : max(mine, other);
        }
    values[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

template <typename T> static void test_sort(const char *what)
{
    struct rng rng = {14};
    std::vector<T> values(32 * 6);

    for (T &value : values)
        value = (T)(int)rng_below(&rng, 1000) - 500;
    T *device = device_copy(values);

    for (int warp = 0; warp < 6; warp++)
        std::sort(&values[warp * 32], &values[warp * 32] + 32);
    sort_lanes<<<2, 96>>>(device);
    CHECK_KERNEL();
    expect_device(what, values, device);
    device_free(device);
}

/* Segmented sum: heads[i] starts a segment; the last lane of each segment holds its sum. */
__global__ void segmented(const int *values, const int *heads, int *out)
{
    int lane = threadIdx.x;
    int sum = values[lane];
    unsigned starts = __ballot_sync(FULL, heads[lane] || lane == 0);
    int start = 31 - __clz(starts & (FULL >> (31 - lane)));

    for (int distance = 1; distance < 32; distance *= 2) {
        int below = __shfl_up_sync(FULL, sum, distance);

        if (lane - distance >= start)
            sum += below;
    }
    out[lane] = sum;
}

static void test_segmented(void)
{
    struct rng rng = {15};

    for (int round = 0; round < 5; round++) {
        std::vector<int> values(32), heads(32), want(32);

        for (int i = 0; i < 32; i++) {
            values[i] = rng_below(&rng, 100);
            heads[i] = rng_below(&rng, 5) == 0;
            want[i] = values[i] + (i > 0 && !heads[i] ? want[i - 1] : 0);
        }
        int *device_values = device_copy(values);
        int *device_heads = device_copy(heads);
        int *device_out = device_zeros<int>(32);

        segmented<<<1, 32>>>(device_values, device_heads, device_out);
        CHECK_KERNEL();
        expect_device("segmented", want, device_out);
        device_free(device_values);
        device_free(device_heads);
        device_free(device_out);
    }
}

int main(void)
{
    test_shuffles<int>("shuffle int");
    test_shuffles<unsigned>("shuffle unsigned");
    test_shuffles<long long>("shuffle long long");
    test_shuffles<float>("shuffle float");
    test_shuffles<double>("shuffle double");
    test_votes();
    test_reductions();
    test_divergent();
    test_two_places();
    test_behind_loops();
    test_partial();

    unsigned *device_out = device_zeros<unsigned>(100);

    lane_masks<<<1, 100>>>(device_out);
    CHECK_KERNEL();
    expect_device("lane masks", std::vector<unsigned>(100, 1), device_out);
    device_free(device_out);

    test_compact(1);
    test_compact(5000);
    test_sort<int>("sort int");
    test_sort<float>("sort float");
    test_sort<long long>("sort long long");
    test_segmented();
    return passed();
}
