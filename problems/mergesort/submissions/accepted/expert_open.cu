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
 * Not every pass is needed. The kernel that counts looks whether the keys are in order, and its last block makes a
 * plan: nothing for keys in order, a mirror image for keys that descend, no pass for a digit that all keys share. Keys
 * without payloads need no stable first pass: there an atomic addition ranks a key. Up to 4096 elements are merged by
 * one block, in one launch (sort_few); up to 2^22 tiles are smaller, so that all multiprocessors have some.
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

/* What a pass does: nothing, move by the digit, copy, or copy in the opposite order; and whether back from b to a. */
enum step { NO_STEP, MOVE, COPY, MIRROR, STEP = 3, BACK = 4 };

/*
 * What the kernels share. All zero before and after a sort, but for the plan; tiles[t] may hold numbers, without the
 * bits above.
 */
struct workspace {
    unsigned counts[PASSES][DIGITS]; /* keys of each digit, of the whole input */
    unsigned plan[PASSES];           /* of each pass the step */
    unsigned ticket;                 /* blocks of this pass that have started */
    unsigned counted;                /* blocks that have counted */
    unsigned not_ascending;          /* whether some key is less than the one before it */
    unsigned not_descending;         /* whether some key is not */
    unsigned tiles[1][DIGITS];       /* in fact one row for every tile */
};

/*
 * What a word of workspace.tiles means, by the two highest bits; every second pass the first and the last trade places.
 */
const unsigned KIND = 3u << 30, NOTHING = 0, SUM = 2u << 30;

const unsigned GROUP = 8, WORDS = GROUP / 4, SCRATCH = (WORDS + GROUP) * WARP; /* see same_digits() */

template <bool PAIRS_, unsigned THREADS_, unsigned ITEMS_, unsigned BLOCKS_> struct shape {
    static const bool PAIRS = PAIRS_;
    static const unsigned THREADS = THREADS_, ITEMS = ITEMS_, TILE = THREADS * ITEMS, WARPS = THREADS / WARP;
    static const unsigned BLOCKS = BLOCKS_; /* blocks on a multiprocessor at once: what registers are shared out for */
    static const unsigned STAGED = TILE + TILE / 32, ALL_STAGED = (PAIRS ? 2 : 1) * STAGED; /* words */
    static const unsigned ALL_SCRATCH = WARPS * SCRATCH;
    static const int SHARED_BYTES = (WARPS * DIGITS + (ALL_STAGED > ALL_SCRATCH ? ALL_STAGED : ALL_SCRATCH)) * 4;
    static_assert(THREADS >= DIGITS, "a thread a digit");
    static_assert(ITEMS % GROUP == 0 && TILE <= 65536, "keys in groups, ranks of 16 bits");
};

/* Digits in the order of signed keys: the highest bit counts the other way. */
__device__ unsigned digit_of(uint32_t key, unsigned pass)
{
    return (key >> pass * BITS & (DIGITS - 1)) ^ (pass == PASSES - 1 ? DIGITS / 2 : 0);
}

/*
 * A kernel may start while the one before it in the stream ends. It touches no memory of the GPU before it has waited,
 * so what it saves is the time to start.
 */
__device__ void wait_for_kernel_before() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ void let_next_kernel_start() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

/*
 * Which steps are needed? The last block that counts knows. None for keys in order, a mirror image for keys that
 * descend. A digit that all keys share needs no pass; but then the next digit goes the other way, and the result would
 * be in b after an odd number of passes. So one that is not needed copies.
 */
__device__ void make_plan(unsigned n, workspace *work)
{
    const unsigned d = threadIdx.x;
    unsigned needed = 0, copied = PASSES, counts[PASSES];

#pragma unroll
    for (unsigned pass = 0; pass < PASSES; pass++)
        counts[pass] = d < DIGITS ? __ldcg(&work->counts[pass][d]) : 0;
#pragma unroll
    for (unsigned pass = 0; pass < PASSES; pass++)
        if (__syncthreads_or(counts[pass] == n))
            copied = pass;
        else
            needed |= 1u << pass;
    const bool ascends = !__ldcg(&work->not_ascending), descends = !ascends && !__ldcg(&work->not_descending);

    if (ascends || descends)
        needed = 0;
    else if (__popc(needed) % 2)
        needed |= 1u << copied;
    __syncthreads(); /* all have read */
    for (unsigned pass = 0; pass < PASSES; pass++) {
        unsigned step = pass == copied ? COPY : MOVE, before = __popc(needed & ((1u << pass) - 1));

        if (descends)
            step = pass == 0 ? MIRROR : COPY, before = pass;
        else if (!(needed >> pass & 1))
            step = NO_STEP;
        if (descends && pass > 1)
            step = NO_STEP;
        if (step != MOVE && d < DIGITS)
            work->counts[pass][d] = 0;
        if (d == 0)
            work->plan[pass] = step | (before % 2 ? BACK : 0);
    }
    if (d == 0)
        work->counted = work->not_ascending = work->not_descending = 0;
}

const unsigned COUNT_THREADS = 512, COUNT_ITEMS = 8;

/* Do the keys of a warp, item i of thread l the one WARP * i + l behind its first, still ascend, or descend? */
__device__ void look_at_order(const uint32_t (&key)[COUNT_ITEMS + 1], unsigned first, unsigned n, bool &ascends,
                              bool &descends)
{
    const unsigned lane = threadIdx.x % WARP;
    bool up = false, down = false;

#pragma unroll
    for (unsigned item = 0; item < COUNT_ITEMS; item++) {
        uint32_t next = __shfl_sync(ALL_LANES, lane == 0 ? key[item + 1] : key[item], (lane + 1) % WARP);

        if (first + item * WARP + 1 < n) {
            down |= (int32_t)next < (int32_t)key[item];
            up |= (int32_t)next >= (int32_t)key[item];
        }
    }
    ascends &= !__any_sync(ALL_LANES, down);
    descends &= !__any_sync(ALL_LANES, up);
}

/*
 * Adds to counts[pass] how many of keys[n] have which digit, for the passes from first_pass on. For all passes it makes
 * a plan as well.
 */
__global__ __launch_bounds__(COUNT_THREADS) void count_digits(const uint32_t *keys, unsigned n, unsigned first_pass,
                                                              workspace *work)
{
    __shared__ unsigned shared[PASSES * DIGITS];
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    bool ascends = first_pass == 0, descends = ascends; /* as far as the warp has looked */

    for (unsigned i = threadIdx.x; i < PASSES * DIGITS; i += COUNT_THREADS)
        shared[i] = 0;
    wait_for_kernel_before();
    let_next_kernel_start();
    __syncthreads();
    for (unsigned start = blockIdx.x * COUNT_THREADS * COUNT_ITEMS; start < n;
         start += gridDim.x * COUNT_THREADS * COUNT_ITEMS) {
        const unsigned first = start + warp * WARP * COUNT_ITEMS + lane, behind = first - lane + WARP * COUNT_ITEMS;
        uint32_t key[COUNT_ITEMS + 1]; /* the last is the first one behind the warp's, in all threads */

#pragma unroll
        for (unsigned item = 0; item < COUNT_ITEMS; item++)
            key[item] = first + item * WARP < n ? keys[first + item * WARP] : 0;
        key[COUNT_ITEMS] = (ascends || descends) && behind < n ? keys[behind] : 0;
        if (ascends || descends) /* most inputs cost this once */
            look_at_order(key, first, n, ascends, descends);
#pragma unroll
        for (unsigned item = 0; item < COUNT_ITEMS; item++)
            if (first + item * WARP < n)
#pragma unroll
                for (unsigned pass = 0; pass < PASSES; pass++)
                    if (pass >= first_pass)
                        atomicAdd(&shared[pass * DIGITS + digit_of(key[item], pass)], 1);
    }
    __syncthreads();
    for (unsigned i = first_pass * DIGITS + threadIdx.x; i < PASSES * DIGITS; i += COUNT_THREADS)
        if (shared[i] > 0)
            atomicAdd(&work->counts[0][i], shared[i]);
    if (first_pass > 0)
        return;
    if (lane == 0 && !ascends)
        atomicOr(&work->not_ascending, 1);
    if (lane == 0 && !descends)
        atomicOr(&work->not_descending, 1);
    __threadfence();
    bool last = false;

    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&work->counted, 1) == gridDim.x - 1;
    if (__syncthreads_or(last)) {
        __threadfence();
        make_plan(n, work);
    }
}

/* The compiler is to compute anew what follows from the value, rather than keep it in registers. */
__device__ void forget(unsigned &value) { asm volatile("" : "+r"(value)); }

/*
 * Of GROUP keys of each thread: which threads of the warp have the same digit. One vote per bit would do, but a
 * multiprocessor takes two clocks for a vote, and 16 for those of a key. So the 32 threads' digits, four in a word, are
 * taken as a matrix of 32 x 32 bits and transposed in five steps; now each thread has one bit of one of the digits, of
 * all threads. From four such words follows who has which half of a digit: thread v finds who has v, for v < 16 as low
 * half, and thread 16 + v as high half. Two of these masks, looked up in scratch[SCRATCH], the warp's own shared
 * memory, have in common who has the same digit. Two words at a time, because each step waits for the one before.
 */
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
 * The rank of each of ITEMS keys of a thread among the warp's keys of the same digit up to it: stable. Of the threads
 * with the same digit the first adds their number to the digit's counter. Two ranks a register.
 */
template <unsigned ITEMS>
__device__ void rank_stable(uint32_t (&key)[ITEMS], unsigned pass, unsigned *counters, unsigned *scratch,
                            unsigned (&ranks)[ITEMS / 2])
{
    const unsigned lanes_before = (1u << threadIdx.x % WARP) - 1;

#pragma unroll
    for (unsigned group = 0; group < ITEMS; group += GROUP) {
        unsigned same[GROUP];

        same_digits(key + group, pass, scratch, same);
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
}

/*
 * The same where it does not matter which of two keys of the same digit goes first: an atomic addition is all. Only
 * what stands behind the last of `count` keys goes behind them; the first key of the thread is number `first`.
 */
template <unsigned ITEMS>
__device__ void rank_any(const uint32_t (&key)[ITEMS], unsigned pass, unsigned *counters, unsigned first,
                         unsigned count, unsigned (&ranks)[ITEMS / 2])
{
#pragma unroll
    for (unsigned item = 0; item < ITEMS; item++) {
        unsigned *counter = &counters[digit_of(key[item], pass)], rank = 0;
        const bool there = first + item * WARP < count;

        if (there)
            rank = atomicAdd(counter, 1);
        __syncwarp();
        if (!there)
            rank = atomicAdd(counter, 1);
        ranks[item / 2] = item % 2 ? ranks[item / 2] | rank << 16 : rank;
    }
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

/*
 * Where element i of a tile stands in shared memory: one word in 33 is left out. Without that, keys whose digits are
 * evenly spread, such as sorted ones, would be put at distances of TILE / DIGITS, a multiple of 4, and so into few
 * banks.
 */
__device__ unsigned skewed(unsigned i) { return i + (i >> 5); }

/* From global to shared memory, past the registers: it is there after wait_for_copies() and a barrier. */
__device__ void copy_word(unsigned *to, const uint32_t *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
}
__device__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/* Tile `tile` of a pass that does not sort; its words are left as a pass leaves them. */
template <class S>
__device__ void copy_tile(buffer from, buffer to, unsigned n, unsigned tile, bool mirror, unsigned sum, workspace *work)
{
    const unsigned first = tile * S::TILE + threadIdx.x;
    uint32_t key[S::ITEMS], payload[S::PAIRS ? S::ITEMS : 1];

#pragma unroll
    for (unsigned item = 0; item < S::ITEMS; item++) {
        const unsigned i = min(first + item * S::THREADS, n - 1);

        key[item] = from.keys[i];
        if constexpr (S::PAIRS)
            payload[item] = from.payloads[i];
    }
#pragma unroll
    for (unsigned item = 0; item < S::ITEMS; item++) {
        const unsigned i = first + item * S::THREADS, target = mirror ? n - 1 - i : i;

        if (i < n) {
            to.keys[target] = key[item];
            if constexpr (S::PAIRS)
                to.payloads[target] = payload[item];
        }
    }
    if (threadIdx.x < DIGITS)
        store_word(&work->tiles[tile][threadIdx.x], sum);
}

/*
 * A pass over n elements of a to b, or back, as it is planned. Without a plan it moves them to b. One block a tile. In
 * ANY_ORDER, which of two keys of the same digit goes first does not matter: no pass has been before, and there are no
 * payloads. Then an atomic addition is all that ranks a key.
 */
template <class S, bool ANY_ORDER>
__global__ __launch_bounds__(S::THREADS, S::BLOCKS) void move_by_digit(buffer a, buffer b, unsigned n,
                                                                       unsigned pass, bool planned,
                                                                       workspace *work)
{
    extern __shared__ __align__(128) unsigned shared[];
    __shared__ unsigned ticket, step, sums[2][DIGITS / WARP], places[DIGITS];
    unsigned *staged = shared + S::WARPS * DIGITS; /* the tile by digit; before, the warps calculate in it */
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    unsigned *counters = shared + warp * DIGITS; /* the warp's, one a digit */
    uint32_t key[S::ITEMS];
    unsigned ranks[S::ITEMS / 2]; /* two a register */

    for (unsigned i = threadIdx.x; i < S::WARPS * DIGITS; i += S::THREADS)
        shared[i] = 0;
    wait_for_kernel_before();
    let_next_kernel_start();
    if (threadIdx.x == 0) {
        step = planned ? load_word(&work->plan[pass]) : MOVE;
        ticket = atomicAdd(&work->ticket, 1);
        if (ticket == gridDim.x - 1)
            atomicExch(&work->ticket, 0);
    }
    __syncthreads();
    const bool back = (step & BACK) != 0;
    const buffer from = back ? b : a, to = back ? a : b;
    const unsigned nothing = back ? SUM : NOTHING, sum = back ? NOTHING : SUM, count_kind = back ? KIND : 1u << 30;

    if ((step & STEP) != MOVE) {
        if ((step & STEP) != NO_STEP)
            copy_tile<S>(from, to, n, ticket, (step & STEP) == MIRROR, sum, work);
        return;
    }
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

    if constexpr (ANY_ORDER)
        rank_any(key, pass, counters, first, count, ranks);
    else
        rank_stable(key, pass, counters, staged + warp * SCRATCH, ranks);
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
        const unsigned its_place = skewed(ranks[item / 2] >> item % 2 * 16 & 0xffff);

        staged[its_place] = key[item];
        if constexpr (S::PAIRS) /* the payloads come while the block looks back */
            if (count == S::TILE || first + item * WARP < count)
                copy_word(staged + S::STAGED + its_place, from.payloads + start + first + item * WARP);
    }

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
    if constexpr (S::PAIRS)
        wait_for_copies();
    __syncthreads();

#pragma unroll
    for (unsigned item = 0; item < S::ITEMS; item++) {
        unsigned i = threadIdx.x + item * S::THREADS;
        uint32_t k = staged[skewed(i)];
        unsigned target = places[digit_of(k, pass)] + i;

        if (i < count) {
            to.keys[target] = k;
            if constexpr (S::PAIRS)
                to.payloads[target] = staged[S::STAGED + skewed(i)];
        }
    }
}

/* What sort_few sorts: signed keys; or keys with their places, which makes all differ and the sort stable. */
template <bool PAIRS> struct element {
    typedef int32_t type;
    static __device__ type make(int32_t key, unsigned) { return key; }
    static __device__ int32_t key(type e) { return e; }
    static __device__ unsigned index(type) { return 0; }
};
template <> struct element<true> {
    typedef uint64_t type;
    static __device__ type make(int32_t key, unsigned index)
    {
        return (uint64_t)((uint32_t)key ^ 1u << 31) << 32 | index;
    }
    static __device__ int32_t key(type e) { return (int32_t)((uint32_t)(e >> 32) ^ 1u << 31); }
    static __device__ unsigned index(type e) { return (unsigned)e; }
};

template <class T> __device__ void compare_exchange(T &a, T &b)
{
    T low = min(a, b), high = max(a, b);

    a = low;
    b = high;
}

/* Batcher's odd-even merge sort of item[N], N a power of two. */
template <class T, unsigned N> __device__ void sort_thread(T (&item)[N])
{
#pragma unroll
    for (unsigned p = 1; p < N; p *= 2)
#pragma unroll
        for (unsigned k = p; k >= 1; k /= 2)
#pragma unroll
            for (unsigned i = 0; i + k < N; i++)
                if (i >= k % p && (i - k % p) / k % 2 == 0 && i / (2 * p) == (i + k) / (2 * p))
                    compare_exchange(item[i], item[i + k]);
}

/* Item i of thread l is element l * N + i of the warp's run. Sorts it: bitonic merges of 2, 4 ... 32 threads' items. */
template <class T, unsigned N> __device__ void sort_warp(T (&item)[N])
{
    const unsigned lane = threadIdx.x % WARP;

    sort_thread(item);
#pragma unroll
    for (unsigned group = 2; group <= WARP; group *= 2) {
        bool lower = (lane & group / 2) == 0;

        /* First against the mirror image, so that both halves may ascend. */
#pragma unroll
        for (unsigned i = 0; i < N / 2; i++) {
            T high = __shfl_xor_sync(ALL_LANES, item[N - 1 - i], group - 1);
            T low = __shfl_xor_sync(ALL_LANES, item[i], group - 1);

            item[i] = lower ? min(item[i], high) : max(item[i], high);
            item[N - 1 - i] = lower ? min(item[N - 1 - i], low) : max(item[N - 1 - i], low);
        }
#pragma unroll
        for (unsigned step = group / 4; step >= 1; step /= 2) {
            bool down = (lane & step) == 0;

#pragma unroll
            for (unsigned i = 0; i < N; i++) {
                T other = __shfl_xor_sync(ALL_LANES, item[i], step);

                item[i] = down ? min(item[i], other) : max(item[i], other);
            }
        }
#pragma unroll
        for (unsigned step = N / 2; step >= 1; step /= 2)
#pragma unroll
            for (unsigned i = 0; i < N; i++)
                if ((i & step) == 0)
                    compare_exchange(item[i], item[i + step]);
    }
}

/* How many of the first `diagonal` elements merged of x[a..a + na) and x[b..b + nb) are from the first. */
template <class T>
__device__ unsigned split(const T *x, unsigned a, unsigned na, unsigned b, unsigned nb, unsigned diagonal)
{
    unsigned low = diagonal > nb ? diagonal - nb : 0, high = min(diagonal, na);

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (x[a + middle] <= x[b + diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * Sorts few elements, in one block. Little work takes as long as
 * its longest chain of steps that wait for each other. So a thread has few elements, and there are as many warps as
 * the elements need: a warp sorts its own in registers, and the block merges two by two in shared memory. Pairs are
 * merged with their places, from which the payloads follow at the end. Shared memory: few_bytes().
 */
const unsigned FEW_THREADS = 1024, FEW_ITEMS = 4;

template <bool PAIRS, unsigned ITEMS>
__global__ __launch_bounds__(FEW_THREADS) void sort_few(buffer a, unsigned n)
{
    extern __shared__ __align__(128) unsigned shared[];
    typedef element<PAIRS> E;
    int32_t *keys = (int32_t *)shared, key[ITEMS];
    typename E::type item[ITEMS];
    const unsigned room = blockDim.x * ITEMS;
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, mine = threadIdx.x * ITEMS;
    uint32_t *places = (uint32_t *)keys + room, *payloads = places + room, its_place[PAIRS ? ITEMS : 1];

    wait_for_kernel_before();
    let_next_kernel_start();
    if (!PAIRS && threadIdx.x == 0)
        keys[room] = INT32_MAX; /* a merge of keys looks at one behind the last */
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        unsigned index = (warp * ITEMS + i) * WARP + lane;

        item[i] = E::make(index < n ? (int32_t)a.keys[index] : INT32_MAX, index);
        if constexpr (PAIRS)
            payloads[index] = index < n ? a.payloads[index] : 0;
    }
    sort_warp(item);
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        key[i] = E::key(item[i]);
        if constexpr (PAIRS)
            its_place[i] = E::index(item[i]);
    }
    for (unsigned run = WARP * ITEMS; run < room; run *= 2) {
        const unsigned left = mine / (2 * run) * (2 * run), right = left + run, diagonal = mine - left;
        const unsigned end_right = min(right + run, room);

        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < ITEMS; i++) {
            keys[mine + i] = key[i];
            if constexpr (PAIRS)
                places[mine + i] = its_place[i];
        }
        __syncthreads();
        if (right >= room) /* no partner */
            continue;
        unsigned x = left + split(keys, left, run, right, end_right - right, diagonal);
        unsigned y = right + diagonal - (x - left);
        int32_t first = keys[x], second = keys[y];

#pragma unroll
        for (unsigned i = 0; i < ITEMS; i++) {
            bool from_right = y < end_right && (x >= right || second < first);

            key[i] = from_right ? second : first;
            if constexpr (PAIRS)
                its_place[i] = places[from_right ? y : x];
            x += !from_right;
            y += from_right;
            int32_t next = keys[from_right ? y : x];

            first = from_right ? first : next;
            second = from_right ? next : second;
        }
    }
    if constexpr (PAIRS)
        __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++)
        if (mine + i < n) {
            a.keys[mine + i] = (uint32_t)key[i];
            if constexpr (PAIRS)
                a.payloads[mine + i] = payloads[its_place[i]];
        }
}

/* Bytes of shared memory for a block that sorts `room` elements.*/
template <bool PAIRS> static unsigned few_bytes(unsigned room) { return PAIRS ? room * 12 : room * 4 + 16; }

typedef shape<false, 512, 24, 2> shape_of_keys;
typedef shape<true, 384, 24, 2> shape_of_pairs;
template <bool PAIRS> using shape_of_few = shape<PAIRS, 256, 8, 4>;
template <bool PAIRS> using shape_of_some = shape<PAIRS, 512, 8, 2>;
template <bool PAIRS> using shape_of_more = shape<PAIRS, 512, 16, 2>;

/*
 * Tiles are as large as leaves work for all multiprocessors: up to how many elements are they of these shapes? The
 * smallest tile of what has more than MOST_FEW elements has SMALLEST_TILE.
 */
const unsigned MOST_FEW = 1 << 17, MOST_SOME = 1 << 20, MOST_MORE = 1 << 22, FEW_TILE = 2048, SMALLEST_TILE = 4096;

/* Starts a kernel, which may start before the one before it in the stream has ended: see wait_for_kernel_before(). */
template <class... PARAMETERS, class... ARGUMENTS>
static void launch(void (*kernel)(PARAMETERS...), unsigned blocks, unsigned threads, unsigned shared_bytes,
                   cudaStream_t stream, ARGUMENTS... arguments)
{
    cudaLaunchAttribute overlap = {};
    cudaLaunchConfig_t config = {};

    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, kernel, (PARAMETERS)arguments...));
}

static void count(const uint32_t *keys, unsigned n, unsigned first_pass, workspace *work, cudaStream_t stream)
{
    const unsigned tile = COUNT_THREADS * COUNT_ITEMS, tiles = (n + tile - 1) / tile, most = 132 * 4;

    launch(count_digits, tiles < most ? tiles : most, COUNT_THREADS, 0, stream, keys, n, first_pass, work);
}

template <class S, bool ANY_ORDER>
static void move(buffer a, buffer b, unsigned n, unsigned pass, bool planned, workspace *work, cudaStream_t stream)
{
    const unsigned tiles = (n + S::TILE - 1) / S::TILE;

    launch(move_by_digit<S, ANY_ORDER>, tiles, S::THREADS, S::SHARED_BYTES, stream, a, b, n, pass, planned, work);
}

/* As sort(), with tiles of the shape S. */
template <class S> static void sort_by(buffer a, buffer b, unsigned n, workspace *work, cudaStream_t stream)
{
    count(a.keys, n, 0, work, stream);
    move<S, !S::PAIRS>(a, b, n, 0, true, work, stream);
    for (unsigned pass = 1; pass < PASSES; pass++)
        move<S, false>(a, b, n, pass, true, work, stream);
}

/* Sorts n elements of a, some at least, by way of b. */
template <class S> static void sort(buffer a, buffer b, unsigned n, workspace *work, cudaStream_t stream)
{
    if (n <= FEW_THREADS * FEW_ITEMS) {
        const unsigned warps = (n + WARP * FEW_ITEMS - 1) / (WARP * FEW_ITEMS);

        launch(sort_few<S::PAIRS, FEW_ITEMS>, 1, warps * WARP, few_bytes<S::PAIRS>(warps * WARP * FEW_ITEMS), stream, a,
               n);
    } else if (n <= MOST_FEW)
        sort_by<shape_of_few<S::PAIRS>>(a, b, n, work, stream);
    else if (n <= MOST_SOME)
        sort_by<shape_of_some<S::PAIRS>>(a, b, n, work, stream);
    else if (n <= MOST_MORE)
        sort_by<shape_of_more<S::PAIRS>>(a, b, n, work, stream);
    else
        sort_by<S>(a, b, n, work, stream);
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
    CHECK(cudaFuncSetAttribute(move_by_digit<S, false>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               S::SHARED_BYTES));
    CHECK(cudaFuncSetAttribute(move_by_digit<S, !S::PAIRS>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               S::SHARED_BYTES));
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
        prepare<shape_of_few<false>>();
        prepare<shape_of_few<true>>();
        prepare<shape_of_some<false>>();
        prepare<shape_of_some<true>>();
        prepare<shape_of_more<false>>();
        prepare<shape_of_more<true>>();
        state.ready = true;
    }
    if (n > state.room || (payloads && !state.has_payloads)) {
        size_t room = n > state.room ? n : state.room, bytes = room * 4;
        size_t rows = room / SMALLEST_TILE + MOST_FEW / FEW_TILE + 1;

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
        move<S, !S::PAIRS>(behind(a, start), behind(b, start), count_here, PASSES - 1, false, work, state.work);
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
