/*
 * expert_open.cu - league: open. A radix sort that moves every key once a digit, and sorts while it copies.
 *
 * Four passes sort by eight bits each, the lowest first; as every pass is stable, the whole is. One kernel before them
 * counts all four digits of all keys. A pass is one kernel, and reads and writes each key once (Adinets and Merrill,
 * "Onesweep: a faster least significant digit radix sort for GPUs", 2022); a block moves a tile of TILE keys:
 *
 *   rank      each warp ranks its keys among its keys of the same digit. When every thread knows which threads of its
 *             warp hold the same digit, of those the first adds their number to the warp's counter of the digit.
 *   tile      sums over the warps say how many keys of each digit the tile has, and where its keys go in shared memory,
 *             sorted by digit: so neighbouring threads will write neighbouring places.
 *   look back where the tile's keys of a digit go in the result depends on all tiles before. Each tile tells its count
 *             as soon as it has it, and the sum of all counts up to it as soon as it has that; thread d walks back over
 *             the tiles' words for digit d, adding counts, up to the first that is a sum. Tiles are numbered in the
 *             order in which blocks start, so that what a block waits for is under way.
 *
 * A word holds a number and, in its two highest bits, what it is. Passes take turns in what these bits mean: what a sum
 * was in one pass is what nothing-yet is in the next, so that the words are never cleared. Nor are the counts and the
 * ticket counter by extra work: who reads them last clears them.
 *
 * From copy to copy: the keys arrive in up to 16 chunks, each of which is moved by its highest digit while the next
 * ones arrive. When all are there, the keys of some neighbouring digits are one stretch in each chunk; they are brought
 * together, sorted by the four passes and copied out while the next ones are sorted. If nearly all keys have one
 * highest digit nothing is won by this, and nothing lost.
 */
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert_open.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

namespace radix {

const unsigned WARP = 32, ALL_LANES = 0xffffffffu;
const unsigned BITS = 8, DIGITS = 1 << BITS, PASSES = 32 / BITS;

/* keys[n], and payloads[n] or a null pointer: one buffer. n is at most 2^28. */
struct buffer {
    uint32_t *keys;
    uint32_t *payloads;
};

/* What the kernels share. All zero before and after a sort; but tiles[t] may hold numbers, without the bits above. */
struct workspace {
    unsigned counts[PASSES][DIGITS]; /* keys of each digit, of the whole input */
    unsigned ticket;                 /* blocks of this pass that have started */
    unsigned tiles[1][DIGITS];       /* in fact one row for every tile */
};

/*
 * What a word of workspace.tiles means, by the two highest bits; every second pass the first and the last trade places.
 */
const unsigned KIND = 3u << 30, NOTHING = 0, SUM = 2u << 30;

template <bool PAIRS_, unsigned THREADS_, unsigned ITEMS_, unsigned BLOCKS_> struct shape {
    static const bool PAIRS = PAIRS_;
    static const unsigned THREADS = THREADS_, ITEMS = ITEMS_, TILE = THREADS * ITEMS, WARPS = THREADS / WARP;
    static const unsigned BLOCKS = BLOCKS_; /* blocks on a multiprocessor at once: what registers are shared out for */
    static const int SHARED_BYTES = (WARPS * DIGITS + TILE + (PAIRS ? 0 : TILE / 32)) * 4;
    static_assert(THREADS >= DIGITS, "a thread a digit");
    static_assert(ITEMS % 8 == 0 && TILE <= 65536, "keys in groups, ranks of 16 bits");
};

/* Digits in the order of signed keys: the highest bit counts the other way. */
__device__ unsigned digit_of(uint32_t key, unsigned pass)
{
    return (key >> pass * BITS & (DIGITS - 1)) ^ (pass == PASSES - 1 ? DIGITS / 2 : 0);
}

/* Adds to counts[pass] how many of keys[n] have which digit, for the passes from first_pass on. */
const unsigned COUNT_THREADS = 512, COUNT_ITEMS = 8;
__global__ __launch_bounds__(COUNT_THREADS) void count_digits(const uint32_t *keys, unsigned n, unsigned first_pass,
                                                              unsigned (*counts)[DIGITS])
{
    __shared__ unsigned shared[PASSES * DIGITS];

    for (unsigned i = threadIdx.x; i < PASSES * DIGITS; i += COUNT_THREADS)
        shared[i] = 0;
    __syncthreads();
    for (unsigned start = blockIdx.x * COUNT_THREADS * COUNT_ITEMS; start < n;
         start += gridDim.x * COUNT_THREADS * COUNT_ITEMS) {
        uint32_t key[COUNT_ITEMS];

#pragma unroll
        for (unsigned item = 0; item < COUNT_ITEMS; item++) {
            unsigned i = start + item * COUNT_THREADS + threadIdx.x;

            key[item] = i < n ? keys[i] : 0;
        }
#pragma unroll
        for (unsigned item = 0; item < COUNT_ITEMS; item++)
            if (start + item * COUNT_THREADS + threadIdx.x < n)
#pragma unroll
                for (unsigned pass = 0; pass < PASSES; pass++)
                    if (pass >= first_pass)
                        atomicAdd(&shared[pass * DIGITS + digit_of(key[item], pass)], 1);
    }
    __syncthreads();
    for (unsigned i = first_pass * DIGITS + threadIdx.x; i < PASSES * DIGITS; i += COUNT_THREADS)
        if (shared[i] > 0)
            atomicAdd(&counts[0][i], shared[i]);
}

/*
 * Of GROUP keys of each thread: which threads of the warp have the same digit. One vote per bit would do, but a
 * multiprocessor takes two clocks for a vote, and 16 for those of a key. So the 32 threads' digits, four in a word, are
 * taken as a matrix of 32 x 32 bits and transposed in five steps; now each thread has one bit of one of the digits, of
 * all threads. From four such words follows who has which half of a digit: thread v finds who has v, for v < 16 as low
 * half, and thread 16 + v as high half. Two of these masks, looked up in scratch[SCRATCH], the warp's own shared
 * memory, have in common who has the same digit. Two words at a time, because each step waits for the one before.
 */
const unsigned GROUP = 8, WORDS = GROUP / 4, SCRATCH = (WORDS + GROUP) * WARP;

__device__ void same_digits(const uint32_t *key, unsigned pass, unsigned *scratch, unsigned same[GROUP])
{
    const unsigned lane = threadIdx.x % WARP, bytes = pass | (pass + 4) << 4;
    unsigned digits[WORDS], word[WORDS];

#pragma unroll
    for (unsigned w = 0; w < WORDS; w++) {
        const uint32_t *k = key + 4 * w;

        digits[w] = __byte_perm(__byte_perm(k[0], k[1], bytes), __byte_perm(k[2], k[3], bytes), 0x5410);
        word[w] = digits[w];
    }
#pragma unroll
    for (unsigned step = WARP / 2; step >= 1; step /= 2) {
        const unsigned low = 0xffffffffu / ((1u << step) + 1); /* columns without the bit `step` in their number */
        bool upper = (lane & step) != 0;
        unsigned other[WORDS];

#pragma unroll
        for (unsigned w = 0; w < WORDS; w++)
            other[w] = __shfl_xor_sync(ALL_LANES, word[w], step);
#pragma unroll
        for (unsigned w = 0; w < WORDS; w++) {
            unsigned turned = __funnelshift_l(other[w], other[w], upper ? WARP - step : step);

            word[w] = upper ? (word[w] & ~low) | (turned & low) : (word[w] & low) | (turned & ~low);
        }
    }
#pragma unroll
    for (unsigned w = 0; w < WORDS; w++)
        scratch[w * WARP + lane] = word[w];
    __syncwarp();
    unsigned *masks = scratch + WORDS * WARP;

#pragma unroll
    for (unsigned g = 0; g < GROUP; g++) {
        uint4 bits = *(const uint4 *)(scratch + g * 8 + lane / 16 * 4);

        masks[g * WARP + lane] = (bits.x ^ ((lane & 1) - 1)) & (bits.y ^ ((lane >> 1 & 1) - 1)) &
                                 (bits.z ^ ((lane >> 2 & 1) - 1)) & (bits.w ^ ((lane >> 3 & 1) - 1));
    }
    __syncwarp();
#pragma unroll
    for (unsigned g = 0; g < GROUP; g++) {
        unsigned digit = digits[g / 4] >> g % 4 * 8;

        same[g] = masks[g * WARP + (digit & 15)] & masks[g * WARP + 16 + (digit >> 4 & 15)];
    }
    __syncwarp();
}

/*
 * The sum of the values of the first DIGITS threads before this one. All threads call it; sums[DIGITS / WARP] is
 * shared.
 */
__device__ unsigned sum_before(unsigned value, unsigned *sums)
{
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    unsigned sum = value;

#pragma unroll
    for (unsigned step = 1; step < WARP; step *= 2) {
        unsigned other = __shfl_up_sync(ALL_LANES, sum, step);

        sum += lane >= step ? other : 0;
    }
    if (lane == WARP - 1 && warp < DIGITS / WARP)
        sums[warp] = sum;
    __syncthreads();
    unsigned before = sum - value;

#pragma unroll
    for (unsigned w = 0; w < DIGITS / WARP; w++)
        before += w < warp ? sums[w] : 0;
    return before;
}

__device__ unsigned load_word(const unsigned *word)
{
    unsigned value;

    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

__device__ void store_word(unsigned *word, unsigned value)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

const unsigned LOOK_BACK = 2; /* words that a thread looks at, at a time */

/* The keys of this thread's digit in all tiles before `tile`, and whatever tile 0 began with. */
__device__ unsigned look_back(const unsigned (*tiles)[DIGITS], unsigned tile, unsigned nothing, unsigned sum)
{
    unsigned total = 0;

    for (;;) {
        unsigned word[LOOK_BACK]; /* some at a time, as each takes long to come */

#pragma unroll
        for (unsigned j = 0; j < LOOK_BACK; j++)
            word[j] = load_word(&tiles[tile > j ? tile - 1 - j : 0][threadIdx.x]);
#pragma unroll
        for (unsigned j = 0; j < LOOK_BACK; j++) {
            if ((word[j] & KIND) == nothing) /* not even its count is there: once more from this one on */
                break;
            total += word[j] & ~KIND;
            if ((word[j] & KIND) == sum)
                return total;
            tile--;
        }
    }
}

/* The compiler is to compute anew what follows from the value, rather than keep it in registers. */
__device__ void forget(unsigned &value) { asm volatile("" : "+r"(value)); }

/*
 * Where element i of a tile stands in shared memory: of keys alone one word in 33 is left out. Without that, keys whose
 * digits are evenly spread, such as sorted ones, would be put at distances of TILE / DIGITS, a multiple of 16, and so
 * into two banks. For pairs the registers that it takes cost more than it wins.
 */
template <class S> __device__ unsigned skewed(unsigned i) { return S::PAIRS ? i : i + (i >> 5); }

/* One pass over `from`, n elements, to `to`. One block a tile. */
template <class S>
__global__ __launch_bounds__(S::THREADS, S::BLOCKS) void move_by_digit(buffer from, buffer to, unsigned n,
                                                                       unsigned pass, unsigned odd, workspace *work)
{
    extern __shared__ __align__(16) unsigned shared[];
    __shared__ unsigned ticket, sums[2][DIGITS / WARP], places[DIGITS];
    unsigned *staged = shared + S::WARPS * DIGITS; /* before it is filled, the warps calculate in it */
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, lanes_before = (1u << lane) - 1;
    const unsigned nothing = odd ? SUM : NOTHING, sum = odd ? NOTHING : SUM, count_kind = odd ? KIND : 1u << 30;
    unsigned *counters = shared + warp * DIGITS; /* the warp's, one a digit */
    uint32_t key[S::ITEMS];
    unsigned ranks[S::ITEMS / 2]; /* two a register */

    if (threadIdx.x == 0) {
        ticket = atomicAdd(&work->ticket, 1);
        if (ticket == gridDim.x - 1)
            atomicExch(&work->ticket, 0);
    }
    for (unsigned i = threadIdx.x; i < S::WARPS * DIGITS; i += S::THREADS)
        shared[i] = 0;
    __syncthreads();
    const unsigned tile = ticket, start = tile * S::TILE, count = min(S::TILE, n - start);
    const unsigned first = warp * WARP * S::ITEMS + lane; /* of this thread's elements, which are WARP apart */

    /* Behind the last key stand keys of the highest digit, which stay behind those there are. */
    if (count == S::TILE)
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++)
            key[item] = from.keys[start + first + item * WARP];
    else
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++)
            key[item] = first + item * WARP < count ? from.keys[start + first + item * WARP] : INT32_MAX;

#pragma unroll
    for (unsigned group = 0; group < S::ITEMS; group += GROUP) {
        unsigned same[GROUP];

        same_digits(key + group, pass, staged + warp * SCRATCH, same);
#pragma unroll
        for (unsigned g = 0; g < GROUP; g++) {
            const unsigned item = group + g;
            unsigned *counter = &counters[digit_of(key[item], pass)], counted = *counter;
            unsigned before = __popc(same[g] & lanes_before), rank = counted + before;

            __syncwarp();
            if (before == 0)
                *counter = counted + __popc(same[g]);
            __syncwarp();
            ranks[item / 2] = item % 2 ? ranks[item / 2] | rank << 16 : rank;
            forget(key[item]);
        }
    }
    __syncthreads();

    /* Thread d: the tile's keys of digit d, and where those of each warp go. */
    unsigned own[S::WARPS], total = 0, d = threadIdx.x;

    if (d < DIGITS) {
#pragma unroll
        for (unsigned w = 0; w < S::WARPS; w++) {
            own[w] = shared[w * DIGITS + d];
            total += own[w];
        }
        if (tile > 0)
            store_word(&work->tiles[tile][d], total | count_kind);
    }
    unsigned place = sum_before(d < DIGITS ? total : 0, sums[0]);

    if (d < DIGITS) {
        unsigned next = place;

#pragma unroll
        for (unsigned w = 0; w < S::WARPS; w++) {
            shared[w * DIGITS + d] = next;
            next += own[w];
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned item = 0; item < S::ITEMS; item++) {
        ranks[item / 2] += counters[digit_of(key[item], pass)] << item % 2 * 16;
        staged[skewed<S>(ranks[item / 2] >> item % 2 * 16 & 0xffff)] = key[item];
    }
    if constexpr (S::PAIRS) /* the payloads come while the block looks back */
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++)
            key[item] = first + item * WARP < count ? from.payloads[start + first + item * WARP] : 0;

    /* Tile 0 stands behind all keys of lower digits. Those after it look back. */
    unsigned before = 0;

    if (tile == 0) {
        unsigned all = d < DIGITS ? work->counts[pass][d] : 0;

        before = sum_before(all, sums[1]);
        if (d < DIGITS)
            work->counts[pass][d] = 0;
    } else if (d < DIGITS) {
        before = look_back(work->tiles, tile, nothing, sum);
    }
    if (d < DIGITS) {
        store_word(&work->tiles[tile][d], (before + total) | sum);
        places[d] = before - place;
    }
    __syncthreads();

    unsigned digits[S::PAIRS ? S::ITEMS / 4 : 1] = {}; /* four a register */

#pragma unroll
    for (unsigned item = 0; item < S::ITEMS; item++) {
        unsigned i = threadIdx.x + item * S::THREADS;
        uint32_t k = staged[skewed<S>(i)];
        unsigned its_digit = digit_of(k, pass);

        if (i < count)
            to.keys[places[its_digit] + i] = k;
        if constexpr (S::PAIRS)
            digits[item / 4] |= its_digit << item % 4 * 8;
    }
    if constexpr (S::PAIRS) {
        __syncthreads();
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++)
            staged[skewed<S>(ranks[item / 2] >> item % 2 * 16 & 0xffff)] = key[item];
        __syncthreads();
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++) {
            unsigned i = threadIdx.x + item * S::THREADS;

            if (i < count)
                to.payloads[places[digits[item / 4] >> item % 4 * 8 & (DIGITS - 1)] + i] = staged[skewed<S>(i)];
        }
    }
}

typedef shape<false, 512, 24, 2> shape_of_keys;
typedef shape<true, 384, 24, 2> shape_of_pairs;
const unsigned SMALLEST_TILE = 4096;

static void count(const uint32_t *keys, unsigned n, unsigned first_pass, workspace *work, cudaStream_t stream)
{
    const unsigned tile = COUNT_THREADS * COUNT_ITEMS, tiles = (n + tile - 1) / tile, most = 132 * 4;

    count_digits<<<tiles < most ? tiles : most, COUNT_THREADS, 0, stream>>>(keys, n, first_pass, work->counts);
    CHECK(cudaGetLastError());
}

template <class S>
static void move(buffer from, buffer to, unsigned n, unsigned pass, unsigned odd, workspace *work, cudaStream_t stream)
{
    const unsigned tiles = (n + S::TILE - 1) / S::TILE;

    move_by_digit<S><<<tiles, S::THREADS, S::SHARED_BYTES, stream>>>(from, to, n, pass, odd, work);
    CHECK(cudaGetLastError());
}

/* Sorts n elements of a, some at least, by way of b. */
template <class S> static void sort(buffer a, buffer b, unsigned n, workspace *work, cudaStream_t stream)
{
    count(a.keys, n, 0, work, stream);
    for (unsigned pass = 0; pass < PASSES; pass++)
        move<S>(pass % 2 ? b : a, pass % 2 ? a : b, n, pass, pass % 2, work, stream);
}

const unsigned MOST_CHUNKS = 16, SMALLEST_PIECE = 1 << 20;

/* Stretches of a buffer, one of each chunk, and where they go. */
struct stretches {
    unsigned from[MOST_CHUNKS], to[MOST_CHUNKS], count[MOST_CHUNKS];
};

/* Brings stretches together. blockIdx.y is the stretch. */
__global__ void gather(buffer from, buffer to, stretches s)
{
    const unsigned source = s.from[blockIdx.y], target = s.to[blockIdx.y], count = s.count[blockIdx.y];

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        to.keys[target + i] = from.keys[source + i];
        if (from.payloads)
            to.payloads[target + i] = from.payloads[source + i];
    }
}

static buffer behind(buffer b, size_t offset)
{
    return {b.keys + offset, b.payloads ? b.payloads + offset : nullptr};
}

/* Before the first launch: it may need more shared memory than without asking. This loads it as well. */
template <class S> static void prepare()
{
    CHECK(cudaFuncSetAttribute(move_by_digit<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, S::SHARED_BYTES));
}

/* What is kept from call to call: streams, and memory on the GPU for `room` elements, if has_payloads with payloads. */
static struct kept {
    cudaStream_t in, work, out;
    cudaEvent_t arrived[MOST_CHUNKS], counted, made[DIGITS];
    buffer a, b, c;
    workspace *work_space;
    unsigned (*counts)[DIGITS]; /* [MOST_CHUNKS], on the CPU, page-locked: keys by highest digit */
    size_t room;
    bool ready, has_payloads;

    ~kept() /* at the end of the process, when it no longer matters what CUDA says */
    {
        for (void *memory : {(void *)a.keys, (void *)a.payloads, (void *)b.keys, (void *)b.payloads, (void *)c.keys,
                             (void *)c.payloads, (void *)work_space})
            cudaFree(memory);
        cudaFreeHost(counts);
        if (!ready)
            return;
        for (cudaStream_t stream : {in, work, out})
            cudaStreamDestroy(stream);
        for (cudaEvent_t event : arrived)
            cudaEventDestroy(event);
        for (cudaEvent_t event : made)
            cudaEventDestroy(event);
        cudaEventDestroy(counted);
    }
} state;

static void *device_memory(size_t bytes)
{
    void *memory;

    CHECK(cudaMalloc(&memory, bytes));
    return memory;
}

static void reserve(size_t n, bool payloads)
{
    if (!state.ready) {
        CHECK(cudaStreamCreateWithFlags(&state.in, cudaStreamNonBlocking));
        CHECK(cudaStreamCreateWithFlags(&state.work, cudaStreamNonBlocking));
        CHECK(cudaStreamCreateWithFlags(&state.out, cudaStreamNonBlocking));
        for (cudaEvent_t &event : state.arrived)
            CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        for (cudaEvent_t &event : state.made)
            CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&state.counted, cudaEventDisableTiming));
        CHECK(cudaMallocHost(&state.counts, MOST_CHUNKS * sizeof *state.counts));
        prepare<shape_of_keys>();
        prepare<shape_of_pairs>();
        state.ready = true;
    }
    if (n > state.room || (payloads && !state.has_payloads)) {
        size_t room = n > state.room ? n : state.room, bytes = room * 4, rows = room / SMALLEST_TILE + 1;

        payloads |= state.has_payloads;
        for (buffer *old : {&state.a, &state.b, &state.c}) {
            CHECK(cudaFree(old->keys));
            CHECK(cudaFree(old->payloads));
            *old = {(uint32_t *)device_memory(bytes), payloads ? (uint32_t *)device_memory(bytes) : nullptr};
        }
        CHECK(cudaFree(state.work_space));
        state.work_space = (workspace *)device_memory(sizeof(workspace) + rows * DIGITS * 4);
        CHECK(cudaMemset(state.work_space, 0, sizeof(workspace) + rows * DIGITS * 4));
        CHECK(cudaDeviceSynchronize());
        state.room = room;
        state.has_payloads = payloads;
    }
}

/* Copies of elements start to start + count - 1, keys and payloads, in a stream. */
static void copy_in(buffer to, const int32_t *keys, const uint32_t *payloads, size_t start, size_t count)
{
    CHECK(cudaMemcpyAsync(to.keys + start, keys + start, count * 4, cudaMemcpyHostToDevice, state.in));
    if (payloads)
        CHECK(cudaMemcpyAsync(to.payloads + start, payloads + start, count * 4, cudaMemcpyHostToDevice, state.in));
}
static void copy_out(int32_t *keys, uint32_t *payloads, buffer from, size_t start, size_t count)
{
    CHECK(cudaMemcpyAsync(keys + start, from.keys + start, count * 4, cudaMemcpyDeviceToHost, state.out));
    if (payloads)
        CHECK(cudaMemcpyAsync(payloads + start, from.payloads + start, count * 4, cudaMemcpyDeviceToHost, state.out));
}

/* What `behind_this` does from now on waits for what `first` was given until now. */
static void order(cudaStream_t first, cudaStream_t behind_this, cudaEvent_t event)
{
    CHECK(cudaEventRecord(event, first));
    CHECK(cudaStreamWaitEvent(behind_this, event, 0));
}

template <class S>
static void sort_host(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                      unsigned n)
{
    const unsigned share = (n + MOST_CHUNKS - 1) / MOST_CHUNKS, chunk = share > SMALLEST_PIECE ? share : SMALLEST_PIECE;
    const unsigned chunks = (n + chunk - 1) / chunk;
    workspace *work = state.work_space;
    buffer a = state.a, b = state.b, c = state.c;

    if (!payloads)
        a.payloads = b.payloads = c.payloads = nullptr;
    if (chunks < 2) {
        copy_in(a, keys, payloads, 0, n);
        order(state.in, state.work, state.arrived[0]);
        sort<S>(a, b, n, work, state.work);
        order(state.work, state.out, state.made[0]);
        copy_out(sorted_keys, sorted_payloads, a, 0, n);
        CHECK(cudaStreamSynchronize(state.out));
        return;
    }
    for (unsigned i = 0; i < chunks; i++) {
        unsigned start = i * chunk, count_here = n - start < chunk ? n - start : chunk;

        copy_in(a, keys, payloads, start, count_here);
        order(state.in, state.work, state.arrived[i]);
        count(a.keys + start, count_here, PASSES - 1, work, state.work);
        CHECK(cudaMemcpyAsync(state.counts[i], work->counts[PASSES - 1], sizeof *state.counts, cudaMemcpyDeviceToHost,
                              state.work));
        if (i == chunks - 1)
            CHECK(cudaEventRecord(state.counted, state.work));
        move<S>(behind(a, start), behind(b, start), count_here, PASSES - 1, 0, work, state.work);
        /* One pass alone leaves sums behind, where the next one is to find nothing. */
        CHECK(cudaMemsetAsync(work->tiles, 0, ((size_t)count_here / S::TILE + 1) * sizeof *work->tiles, state.work));
    }
    CHECK(cudaEventSynchronize(state.counted));
    /* A piece: some neighbouring highest digits. The first is small, so that copying starts soon. */
    unsigned used[MOST_CHUNKS] = {}; /* of each chunk, by pieces so far */
    unsigned start = 0, least = SMALLEST_PIECE, digit = 0;

    for (unsigned p = 0; digit < DIGITS; p++) {
        unsigned sizes[MOST_CHUNKS] = {}, size = 0, longest = 0;
        stretches s = {};

        for (; digit < DIGITS && size < least; digit++)
            for (unsigned i = 0; i < chunks; i++) {
                sizes[i] += state.counts[i][digit];
                size += state.counts[i][digit];
            }
        if (size == 0)
            break;
        for (unsigned i = 0, to = 0; i < chunks; i++) {
            s.from[i] = i * chunk + used[i];
            s.to[i] = to;
            s.count[i] = sizes[i];
            to += sizes[i];
            used[i] += sizes[i];
            longest = sizes[i] > longest ? sizes[i] : longest;
        }
        const unsigned block = 256, blocks = (longest + block * 8 - 1) / (block * 8);

        gather<<<dim3(blocks, chunks), block, 0, state.work>>>(b, behind(a, start), s);
        CHECK(cudaGetLastError());
        sort<S>(behind(a, start), behind(c, start), size, work, state.work);
        order(state.work, state.out, state.made[p]);
        copy_out(sorted_keys, sorted_payloads, a, start, size);
        start += size;
        if (least < n / 16)
            least *= 2;
    }
    CHECK(cudaStreamSynchronize(state.out));
}

} // namespace radix

extern "C" void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys,
                            uint32_t *sorted_payloads, size_t n)
{
    using namespace radix;

    if (n == 0)
        return;
    reserve(n, payloads != nullptr);
    if (payloads)
        sort_host<shape_of_pairs>(keys, payloads, sorted_keys, sorted_payloads, (unsigned)n);
    else
        sort_host<shape_of_keys>(keys, nullptr, sorted_keys, nullptr, (unsigned)n);
}

/* On a GPU with memory to spare: everything for the largest input. */
extern "C" void device_user_setup(void)
{
    using namespace radix;
    size_t available, total;

    CHECK(cudaMemGetInfo(&available, &total));
    reserve(available > (size_t)32 << 30 ? 1 << 28 : 1 << 16, true);
}
