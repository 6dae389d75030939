/*
 * expert.cu - a merge sort by merge path whose passes merge many runs at a time, and which sorts while it copies.
 *
 * A pass over memory costs 8 bytes a key (16 with payloads) at the speed of a copy, whatever it does. Two-way merges of
 * 2^28 keys take 15 passes after the sorting of tiles; merging up to 16 runs at a time, PASS_LEVELS = 4 levels of a
 * two-way merge, takes four:
 *
 *   sort_tiles    a warp sorts 1024 keys in registers: a network for the keys of each thread, bitonic merges by
 *                 shuffles between threads. The block merges the runs of its warps in shared memory: one tile, TILE
 *                 elements.
 *   find_splits   where does each run split, if the first d elements of the merged run are to be on the left side? One
 *                 warp for every d at which a tile begins. Each run proposes an element, and one of them is looked for
 *                 in all runs, by some threads each; that shows on which side it and all before or behind it belong.
 *                 The runs propose by interpolation, every fourth time their middles. The last few in doubt are
 *                 compared all with all.
 *   merge_tiles   a block makes TILE elements of a merged run. Its pieces of the runs come into shared memory by bulk
 *                 copies, which cost no instruction an element; there they are merged two by two, level by level, each
 *                 time with one merge path search a thread for ITEMS elements; a bulk copy writes them back.
 *
 * So what is paid an element and level is one read of shared memory at a place that depends on the data, one write, and
 * a dozen instructions. ITEMS is odd, so that the writes of a warp, ITEMS apart, fall into different banks.
 *
 * Keys alone need no bounds check: behind each run stand keys of the highest value, and which of several equal keys is
 * taken nobody can tell. Pairs are merged with the check, and are stable: of equal keys that of the left run goes
 * first.
 *
 * Few elements are another matter: they wait, for launches and for memory. One block sorts up to 4096, with as many
 * warps as they need (sort_few). Up to 2^19, sort_few makes small tiles, and each block of merge_tiles
 * finds its two splits itself, which saves a launch, by many samples at once, which saves trips to memory
 * (find_two_splits). And a kernel may start while the one before it ends.
 *
 * From copy to copy: the keys arrive in up to 16 chunks, each of which is sorted while the next ones arrive. When the
 * last is sorted one pass merges all chunks, piece by piece, and every piece is copied out while the next is merged.
 */
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "device_user.h"

#define CHECK(call) check((call), #call, __LINE__)

static void check(cudaError_t status, const char *call, int line)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert.cu:%d: %s: %s\n", line, call, cudaGetErrorString(status));
    std::exit(1);
}

namespace merging {

const unsigned WARP = 32, ALL_LANES = 0xffffffffu;

/*
 * keys[n], and payloads[n] or a null pointer: one buffer. n is at most 2^28. Both have room up to a multiple of 16
 * bytes.
 */
struct buffer {
    int32_t *keys;
    uint32_t *payloads;
};

/*
 * The shape of a block's work: a tile of TILE elements, THREADS * SORT_ITEMS, is sorted by SORT_ITEMS elements a thread
 * and merged by ITEMS, one more, which leaves some threads over for runs that end in the middle of a thread's elements.
 */
template <bool PAIRS_, unsigned THREADS_, unsigned SORT_ITEMS_, unsigned BLOCKS_> struct shape {
    static const bool PAIRS = PAIRS_;
    static const unsigned THREADS = THREADS_, SORT_ITEMS = SORT_ITEMS_, ITEMS = SORT_ITEMS + 1;
    static const unsigned TILE = THREADS * SORT_ITEMS, WARPS = THREADS / WARP, WARP_RUN = WARP * SORT_ITEMS;
    static const unsigned BLOCKS = BLOCKS_; /* blocks on a multiprocessor at once, that registers are shared out for */
    static const unsigned GUARD = ITEMS + 1;     /* keys of the highest value behind a run */
    static const unsigned WARP_STRIDE = WARP_RUN + (GUARD + 31) / 32 * 32; /* from the run of a warp to the next */
    /* Words of shared memory for the keys, and for the payloads: runs of warps in padded places; 2^levels runs. */
    template <unsigned WAYS>
    static constexpr unsigned MERGE_WORDS =
        ((THREADS * ITEMS > TILE + WAYS * 6 ? THREADS * ITEMS : TILE + WAYS * 6) + WAYS * (GUARD + 3) + 7) / 4 * 4;
    static constexpr unsigned SORT_WORDS =
        (WARPS * WARP_STRIDE / 32 * 33 > MERGE_WORDS<WARPS> ? WARPS * WARP_STRIDE / 32 * 33 : MERGE_WORDS<WARPS>) + 4;
    static constexpr unsigned ELEMENT_BYTES = PAIRS ? 8 : 4;
};

/*
 * The runs of a tile and what is merged of them, as a heap: node 1 is the merged tile, node i is merged of 2i and 2i +
 * 1, and the last half are the runs.
 */
struct node {
    unsigned start;  /* where its elements stand in shared memory */
    unsigned count;  /* how many */
    unsigned thread; /* the first of the threads that merge it, ITEMS elements each */
};

/* Where element x stands in shared memory: one word in 33 is left out if threads that are 32 elements apart write. */
template <bool PADDED> __device__ unsigned place(unsigned x) { return PADDED ? x + (x >> 5) : x; }

/*
 * How many of the first `diagonal` elements of the merged run are from keys[a..a + na); the others from keys[b..b +
 * nb).
 */
template <bool PADDED, class T>
__device__ unsigned split(const T *keys, unsigned a, unsigned na, unsigned b, unsigned nb, unsigned diagonal)
{
    unsigned low = diagonal > nb ? diagonal - nb : 0, high = min(diagonal, na);

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (keys[place<PADDED>(a + middle)] <= keys[place<PADDED>(b + diagonal - 1 - middle)])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * Fills in the nodes above the runs, whose counts are given. Called by the first warp. A node's elements stand behind
 * those of the node before it, with room for what its last thread writes too much and for the guard.
 */
template <class S, unsigned WAYS> __device__ void plan_merges(node *nodes)
{
    for (unsigned width = WAYS / 2; width >= 1; width /= 2) {
        unsigned i = width + threadIdx.x, count = 0, threads = 0;

        __syncwarp();
        if (threadIdx.x < width) {
            count = nodes[2 * i].count + nodes[2 * i + 1].count;
            threads = (count + S::ITEMS - 1) / S::ITEMS;
        }
        unsigned before = threads;

        for (unsigned step = 1; step < width; step *= 2) {
            unsigned other = __shfl_up_sync(ALL_LANES, before, step);

            before += threadIdx.x >= step ? other : 0;
        }
        before -= threads;
        if (threadIdx.x < width)
            nodes[i] = {before * S::ITEMS + threadIdx.x * S::GUARD, count, before};
    }
    __syncwarp();
}

/* Guards behind the nodes `width` to 2 * width - 1, which end at a thread's end, or at their count if they are runs. */
template <class S, bool PADDED>
__device__ void write_guards(int32_t *keys, uint32_t *payloads, const node *nodes, unsigned width, bool runs)
{
    for (unsigned x = threadIdx.x; x < width * S::GUARD; x += S::THREADS) {
        node n = nodes[width + x / S::GUARD];
        unsigned end = n.start + (runs ? n.count : (n.count + S::ITEMS - 1) / S::ITEMS * S::ITEMS);

        keys[place<PADDED>(end + x % S::GUARD)] = INT_MAX;
        if constexpr (S::PAIRS)
            payloads[place<PADDED>(end + x % S::GUARD)] = 0;
    }
}

/*
 * Merges the nodes 2 * WIDTH to 4 * WIDTH - 1 two by two, in place: through registers. Before it and behind it the
 * block has met.
 */
template <class S, unsigned WIDTH, bool PADDED>
__device__ void merge_level(int32_t *keys, uint32_t *payloads, const node *nodes)
{
    unsigned i = WIDTH, to = 0;
    int32_t key[S::ITEMS];
    uint32_t payload[S::PAIRS ? S::ITEMS : 1];
    bool busy;

#pragma unroll
    for (unsigned j = 1; j < WIDTH; j++)
        i += threadIdx.x >= nodes[WIDTH + j].thread;
    node n = nodes[i], left = nodes[2 * i], right = nodes[2 * i + 1];
    unsigned first = (threadIdx.x - n.thread) * S::ITEMS;

    busy = first < n.count;
    if (busy) {
        unsigned a = split<PADDED>(keys, left.start, left.count, right.start, right.count, first);
        unsigned b = right.start + first - a;

        a += left.start;
        to = n.start + first;
        if constexpr (S::PAIRS) {
            unsigned end_a = left.start + left.count, end_b = right.start + right.count;
            int32_t key_a = keys[place<PADDED>(a)], key_b = keys[place<PADDED>(b)];

#pragma unroll
            for (unsigned item = 0; item < S::ITEMS; item++) {
                bool from_b = b < end_b && (a >= end_a || key_b < key_a);
                unsigned from = from_b ? b : a;

                key[item] = from_b ? key_b : key_a;
                payload[item] = payloads[place<PADDED>(from)];
                a += !from_b;
                b += from_b;
                int32_t next = keys[place<PADDED>(from + 1)];

                key_a = from_b ? key_a : next;
                key_b = from_b ? next : key_b;
            }
        } else {
            int32_t key_a = keys[place<PADDED>(a)], key_b = keys[place<PADDED>(b)];

#pragma unroll
            for (unsigned item = 0; item < S::ITEMS; item++) {
                bool from_b = key_b < key_a;

                key[item] = min(key_a, key_b);
                a += !from_b;
                b += from_b;
                int32_t next = keys[place<PADDED>(from_b ? b : a)];

                key_a = from_b ? key_a : next;
                key_b = from_b ? next : key_b;
            }
        }
    }
    __syncthreads();
    if (busy)
#pragma unroll
        for (unsigned item = 0; item < S::ITEMS; item++) {
            keys[to + item] = key[item];
            if constexpr (S::PAIRS)
                payloads[to + item] = payload[item];
        }
    if constexpr (WIDTH > 1)
        write_guards<S, false>(keys, payloads, nodes, WIDTH, false);
}

/* All levels, from 2 * WIDTH runs to one. */
template <class S, unsigned WIDTH, bool PADDED> struct merge_levels {
    static __device__ void run(int32_t *keys, uint32_t *payloads, const node *nodes)
    {
        merge_level<S, WIDTH, PADDED>(keys, payloads, nodes);
        if constexpr (WIDTH > 1) {
            __syncthreads();
            merge_levels<S, WIDTH / 2, false>::run(keys, payloads, nodes);
        }
    }
};
template <class S, bool PADDED> struct merge_levels<S, 0, PADDED> {
    static __device__ void run(int32_t *, uint32_t *, const node *) {}
};

/*
 * A kernel may start while the one before it in the stream ends. It touches no memory of the GPU before it has waited,
 * so what it saves is the time to start.
 */
__device__ void wait_for_kernel_before() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ void let_next_kernel_start() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

/* Bulk copies (PTX ISA, cp.async.bulk): sizes and addresses are multiples of 16 bytes. */
__device__ unsigned shared_address(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ void barrier_init(uint64_t *barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ void barrier_expect(uint64_t *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ void barrier_wait(uint64_t *barrier)
{
    unsigned done;

    do
        asm volatile("{\n"
                     "    .reg .pred done;\n"
                     "    mbarrier.try_wait.parity.shared::cta.b64 done, [%1], 0;\n"
                     "    selp.u32 %0, 1, 0, done;\n"
                     "}"
                     : "=r"(done)
                     : "r"(shared_address(barrier))
                     : "memory");
    while (!done);
}

__device__ void bulk_load(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

__device__ void bulk_store(void *to, const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
                 "r"(bytes)
                 : "memory");
}

/* The block's merged tile, at the start of keys and payloads, to element `start` of `to`. All threads call it. */
template <class S>
__device__ void store_tile(buffer to, unsigned start, unsigned count, const int32_t *keys, const uint32_t *payloads)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    bulk_store(to.keys + start, keys, (count + 3) / 4 * 16);
    if constexpr (S::PAIRS)
        bulk_store(to.payloads + start, payloads, (count + 3) / 4 * 16);
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); /* shared memory lives until it is read */
}

/* What sort_tiles sorts: keys, or keys with the place in the tile, which makes all different and the sort stable. */
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

/* Sorts TILE elements a block. */
template <class S>
__global__ __launch_bounds__(S::THREADS, S::BLOCKS) void sort_tiles(buffer from, buffer to, unsigned n)
{
    extern __shared__ __align__(128) int32_t shared[];
    __shared__ node nodes[2 * S::WARPS];
    typedef element<S::PAIRS> E;
    int32_t *keys = shared;
    uint32_t *payloads = (uint32_t *)shared + S::SORT_WORDS;
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const unsigned start = blockIdx.x * S::TILE, count = min(S::TILE, n - start);
    typename E::type item[S::SORT_ITEMS];

    wait_for_kernel_before();
    let_next_kernel_start();

    /* Which thread gets which of the warp's elements does not matter: neighbours read neighbours. */
#pragma unroll
    for (unsigned i = 0; i < S::SORT_ITEMS; i++) {
        unsigned index = warp * S::WARP_RUN + i * WARP + lane;

        item[i] = E::make(index < count ? from.keys[start + index] : INT_MAX, index);
    }
    sort_warp(item);
#pragma unroll
    for (unsigned i = 0; i < S::SORT_ITEMS; i++) {
        unsigned x = place<true>(warp * S::WARP_STRIDE + lane * S::SORT_ITEMS + i), index = E::index(item[i]);

        keys[x] = E::key(item[i]);
        if constexpr (S::PAIRS)
            payloads[x] = index < count ? from.payloads[start + index] : 0;
    }
    if (threadIdx.x < WARP) {
        if (threadIdx.x < S::WARPS) {
            unsigned before = threadIdx.x * S::WARP_RUN;

            nodes[S::WARPS + threadIdx.x] = {threadIdx.x * S::WARP_STRIDE,
                                             before < count ? min(S::WARP_RUN, count - before) : 0, 0};
        }
        plan_merges<S, S::WARPS>(nodes);
    }
    __syncthreads();
    write_guards<S, true>(keys, payloads, nodes, S::WARPS, true);
    __syncthreads();
    merge_levels<S, S::WARPS / 2, true>::run(keys, payloads, nodes);
    store_tile<S>(to, start, count, keys, payloads);
}

/*
 * Sorts few elements in one block, or in each block as many as it has threads times ITEMS. Little work takes as long as
 * its longest chain of steps that wait for each other. So a thread has few elements, and there are as many warps as
 * the elements need: a warp sorts its own in registers, and the block merges two by two in shared memory. Pairs are
 * merged with their places, from which the payloads follow at the end. Shared memory: few_bytes().
 */
const unsigned FEW_THREADS = 1024, FEW_ITEMS = 4;

template <bool PAIRS, unsigned ITEMS>
__global__ __launch_bounds__(FEW_THREADS) void sort_few(buffer from, buffer to, unsigned n)
{
    extern __shared__ __align__(128) int32_t shared[];
    typedef element<PAIRS> E;
    int32_t *keys = shared, key[ITEMS];
    typename E::type item[ITEMS];
    const unsigned room = blockDim.x * ITEMS, start = blockIdx.x * room, count = min(room, n - start);
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, mine = threadIdx.x * ITEMS;
    uint32_t *places = (uint32_t *)keys + room, *payloads = places + room, its_place[PAIRS ? ITEMS : 1];

    wait_for_kernel_before();
    let_next_kernel_start();
    if (!PAIRS && threadIdx.x == 0)
        keys[room] = INT_MAX; /* a merge of keys looks at one behind the last */
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++) {
        unsigned index = (warp * ITEMS + i) * WARP + lane;

        item[i] = E::make(index < count ? from.keys[start + index] : INT_MAX, index);
        if constexpr (PAIRS)
            payloads[index] = index < count ? from.payloads[start + index] : 0;
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
        unsigned a = left + split<false>(keys, left, run, right, end_right - right, diagonal);
        unsigned b = right + diagonal - (a - left);
        int32_t first = keys[a], second = keys[b];

#pragma unroll
        for (unsigned i = 0; i < ITEMS; i++) {
            bool from_right = b < end_right && (a >= right || second < first);

            key[i] = from_right ? second : first;
            if constexpr (PAIRS)
                its_place[i] = places[from_right ? b : a];
            a += !from_right;
            b += from_right;
            int32_t next = keys[from_right ? b : a];

            first = from_right ? first : next;
            second = from_right ? next : second;
        }
    }
    if constexpr (PAIRS)
        __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < ITEMS; i++)
        if (mine + i < count) {
            to.keys[start + mine + i] = key[i];
            if constexpr (PAIRS)
                to.payloads[start + mine + i] = payloads[its_place[i]];
        }
}

/* Bytes of shared memory for a block that sorts `room` elements.*/
template <bool PAIRS> static unsigned few_bytes(unsigned room) { return PAIRS ? room * 12 : room * 4 + 16; }

/* The sum and the maximum over the runs, of a value that is the same in all LANES neighbours that look after a run. */
template <unsigned LANES> __device__ unsigned sum_of_runs(unsigned value)
{
#pragma unroll
    for (unsigned step = LANES; step < WARP; step *= 2)
        value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}
template <unsigned LANES> __device__ unsigned max_of_runs(unsigned value)
{
#pragma unroll
    for (unsigned step = LANES; step < WARP; step *= 2)
        value = max(value, __shfl_xor_sync(ALL_LANES, value, step));
    return value;
}

/*
 * Of keys[low..high), which ascend, those that are less than the pivot, or not greater where equal ones go before it:
 * the index behind them. LANES threads look at as many places at once, at first near the guess.
 */
template <unsigned LANES>
__device__ unsigned find_pivot(const int32_t *keys, unsigned low, unsigned high, int32_t pivot, bool equal_too,
                               unsigned guess, unsigned margin)
{
    const unsigned lane = threadIdx.x % WARP, sub = lane % LANES, mine = lane - sub, runs_bits = (1u << LANES) - 1;
    bool near = true;

    while (__any_sync(ALL_LANES, low < high)) {
        unsigned width = high - low, probe = low + (sub + 1) * width / (LANES + 1);
        bool before = false;

        if (near && width > 8 * LANES && width > 4 * margin) {
            /* -margin ... margin, in equal steps, about the guess */
            int64_t place = (int64_t)guess - margin + (int64_t)(2 * margin) * sub / (LANES - 1);

            probe = (unsigned)max((int64_t)low, min(place, (int64_t)high - 1));
        }
        near = false;
        if (low < high) {
            int32_t key = keys[probe];

            before = key < pivot || (equal_too && key == pivot);
        }
        unsigned passed = __popc(__ballot_sync(ALL_LANES, before) >> mine & runs_bits);
        unsigned below = __shfl_sync(ALL_LANES, probe, mine + (passed > 0 ? passed - 1 : 0));
        unsigned above = __shfl_sync(ALL_LANES, probe, mine + (passed < LANES ? passed : 0));

        if (low < high) {
            low = passed > 0 ? below + 1 : low;
            high = passed < LANES ? above : high;
        }
    }
    return low;
}

/*
 * Runs of `run` elements stand in keys[n]; WAYS of them are merged into one. Of the run that begins at place `start` a
 * split is one of low..high: how many elements go before element `rank` of the merged run. LANES threads of a warp look
 * for each, and all find out.
 */
template <unsigned WAYS>
__device__ unsigned find_split(const int32_t *keys, unsigned run, unsigned rank, unsigned low, unsigned high)
{
    const unsigned LANES = WARP / WAYS, FEW = 2 * LANES;
    const unsigned lane = threadIdx.x % WARP, way = lane / LANES, sub = lane % LANES;
    unsigned wanted = 0, doubtful = 0;   /* how many of those in doubt go before; how many are in doubt */
    unsigned doubted[2] = {};            /* the same a round ago, and two: a round finds a bound on one side */
    bool one_run = false;                           /* whether all in doubt are of one run */

    for (unsigned round = 1;; round++) {
        const unsigned width = high - low, widest = max_of_runs<LANES>(width);

        wanted = rank - sum_of_runs<LANES>(low);
        doubtful = sum_of_runs<LANES>(width);
        one_run = widest == doubtful;
        if (wanted == 0 || wanted == doubtful || one_run || widest <= FEW)
            break;
        const bool halve = round % 4 == 0, in_order = !halve && round > 2 && doubtful > doubted[1] / 4;
        unsigned candidate = width / 2;

        if (!halve && !in_order) {
            /* With luck just on the side where fewer are in doubt. */
            float share = (float)wanted / (float)doubtful, margin = sqrtf((float)width * share * (1 - share)) + 1;
            float guess = (float)width * share + (2 * wanted > doubtful ? -margin : margin);

            candidate = min((unsigned)fmaxf(guess, 0.0f), max(width, 1u) - 1);
        }
        int32_t key = width > 0 ? keys[way * run + low + candidate] : 0;
        unsigned ahead = 0; /* elements in doubt of runs whose candidates go before this one */

#pragma unroll
        for (unsigned other = 0; other < WAYS; other++) {
            int32_t its_key = __shfl_sync(ALL_LANES, key, other * LANES);
            unsigned its_width = __shfl_sync(ALL_LANES, width, other * LANES);

            ahead += its_key < key || (its_key == key && other < way) ? its_width : 0;
        }
        const unsigned aim = halve ? doubtful / 2 : wanted;
        const unsigned owners_lane = __ffs(__ballot_sync(ALL_LANES, ahead <= aim && aim - ahead < width)) - 1;
        const unsigned owner = owners_lane / LANES, owners_low = __shfl_sync(ALL_LANES, low, owners_lane);
        const unsigned owners_width = __shfl_sync(ALL_LANES, width, owners_lane);
        const unsigned place = __shfl_sync(ALL_LANES, in_order ? aim - ahead : candidate, owners_lane);
        int32_t pivot = __shfl_sync(ALL_LANES, key, owners_lane);

        if (in_order)
            pivot = keys[owner * run + owners_low + place];
        float part = ((float)place + 0.5f) / (float)owners_width;
        unsigned guess = low + (unsigned)((float)width * part), found = owners_low + place + 1;
        unsigned margin = in_order ? width : (unsigned)(2 * sqrtf((float)width * part)) + 2;

        doubted[1] = doubted[0];
        doubted[0] = doubtful;
        /* Its own run's threads have nothing to look for, but must not be missing. */
        unsigned before = find_pivot<LANES>(keys + (way == owner ? 0 : way * run), way == owner ? 0 : low,
                                            way == owner ? 0 : high, pivot, way < owner, guess, margin);

        if (way == owner)
            before = found;
        if (sum_of_runs<LANES>(before) <= rank)
            low = before;
        else
            high = way == owner ? before - 1 : before;
    }
    unsigned split = wanted == 0 ? low : wanted == doubtful ? high : low + (high > low ? wanted : 0);

    if (wanted != 0 && wanted != doubtful && !one_run) {
        /* Few are left: each thread takes two of them, and counts which of all go before. */
        const unsigned i = low + 2 * sub, mask = ((1u << LANES) - 1) << (lane - sub);
        int32_t key[2] = {i < high ? keys[way * run + i] : 0, i + 1 < high ? keys[way * run + i + 1] : 0};
        const unsigned there[2] = {__ballot_sync(ALL_LANES, i < high), __ballot_sync(ALL_LANES, i + 1 < high)};
        unsigned before[2] = {0, 0};

        for (unsigned l = 0; l < WARP; l++)
#pragma unroll
            for (unsigned other = 0; other < 2; other++) {
                int32_t its = __shfl_sync(ALL_LANES, key[other], l);

                if (there[other] >> l & 1)
#pragma unroll
                    for (unsigned own = 0; own < 2; own++)
                        before[own] += its < key[own] || (its == key[own] && 2 * l + other < 2 * lane + own);
            }
        split = low + __popc(__ballot_sync(ALL_LANES, i < high && before[0] < wanted) & mask) +
                __popc(__ballot_sync(ALL_LANES, i + 1 < high && before[1] < wanted) & mask);
    }
    return split;
}

/* Where the elements of keys[n] begin that are merged into the run around element `place`. */
template <unsigned WAYS> __device__ unsigned start_of_merged(unsigned place, unsigned run)
{
    return place / (run * WAYS) * (run * WAYS);
}

/* Of the run that this thread looks after, as many elements as can go before element `place`. */
template <unsigned WAYS> __device__ unsigned most_before(unsigned n, unsigned run, unsigned place)
{
    const unsigned way = threadIdx.x % WARP / (WARP / WAYS), merged = start_of_merged<WAYS>(place, run);
    const unsigned start = merged + way * run, length = start < n ? min(run, n - start) : 0;

    return min(length, place - merged);
}

/*
 * splits[tile][WAYS]: how many elements of each run go before the first element of the tile. A warp a tile: of `tiles`
 * from first_tile on, every `stride`-th. If `known` is not zero, every known-th of these is there already, and between
 * two of them the others are.
 */
template <unsigned WAYS>
__global__ void find_splits(const int32_t *keys, unsigned n, unsigned run, unsigned tile_size, unsigned first_tile,
                            unsigned tiles, unsigned stride, unsigned known, unsigned *splits)
{
    const unsigned LANES = WARP / WAYS, lane = threadIdx.x % WARP, way = lane / LANES;
    const unsigned index = (blockIdx.x * blockDim.x + threadIdx.x) / WARP * stride;

    wait_for_kernel_before();
    if (index >= tiles || (known && index % known == 0))
        return;
    const unsigned tile = first_tile + index, place = tile * tile_size, merged = start_of_merged<WAYS>(place, run);
    unsigned low = 0, high = most_before<WAYS>(n, run, place);

    if (known) {
        unsigned before = index / known * known, behind = before + known;

        if ((first_tile + before) * tile_size >= merged)
            low = splits[(first_tile + before) * WAYS + way];
        if (behind < tiles && (first_tile + behind) * tile_size < merged + run * WAYS)
            high = min(high, splits[(first_tile + behind) * WAYS + way]);
    }
    unsigned split = find_split<WAYS>(keys + merged, run, place - merged, low, high);

    if (lane % LANES == 0)
        splits[tile * WAYS + way] = split;
}

/*
 * The same for two ranks, by a block. A warp alone would wait some twenty times for memory; here each rank has FINDERS
 * threads, which look at SAMPLES places of each run at once. Of a sample is known how many elements go before it at
 * least, and at most: as many as the other runs have up to their last sample before it, and up to their next one. So
 * the sample is on the left, or on the right, or remains in doubt with those around it: in each run some two of SAMPLES
 * parts. Where no more than SAMPLES elements of each run are in doubt all are looked at, and nothing remains.
 */
const unsigned FINDERS = 128;

template <unsigned WAYS> struct search {
    static const unsigned SAMPLES = FINDERS / WAYS;
    unsigned low[WAYS], high[WAYS]; /* as in find_split() */
    int32_t keys[WAYS][SAMPLES];

    /* How many of `width` elements in doubt go before sample i. */
    static __device__ unsigned before_sample(unsigned width, unsigned i)
    {
        return width <= SAMPLES ? i : (2 * i + 1) * width / (2 * SAMPLES);
    }

    /* How many samples of run `way` go before a key of another run, the `left` one of those. */
    __device__ unsigned samples_before(unsigned way, int32_t key, bool left) const
    {
        unsigned found = 0;

#pragma unroll
        for (unsigned step = SAMPLES / 2; step >= 1; step /= 2) {
            int32_t its = keys[way][found + step - 1];

            found += its < key || (its == key && left) ? step : 0;
        }
        int32_t its = keys[way][found];

        return min(found + (its < key || (its == key && left)), high[way] - low[way]);
    }

    /*
     * Narrows down what is in doubt; `rank` elements go to the left. All threads of the block call it, and meet before
     * they call it again. Returns whether this thread's run needs that.
     */
    __device__ bool narrow(const int32_t *from, unsigned run, unsigned rank, unsigned thread)
    {
        const unsigned way = thread / SAMPLES, i = thread % SAMPLES, width = high[way] - low[way];
        const bool there = i < width;
        const unsigned before = before_sample(width, i), place = low[way] + before;
        const int32_t key = there ? from[way * run + place] : INT_MAX;
        unsigned wanted = rank, least = before, most = before; /* elements in doubt before it */

        keys[way][i] = key;
        __syncthreads();
#pragma unroll
        for (unsigned other = 0; other < WAYS; other++) {
            const unsigned its_width = high[other] - low[other];

            wanted -= low[other];
            if (other != way) {
                unsigned samples = samples_before(other, key, other < way);

                least += samples > 0 ? before_sample(its_width, samples - 1) + 1 : 0;
                most += samples < min(SAMPLES, its_width) ? before_sample(its_width, samples) : its_width;
            }
        }
        __syncthreads();
        if (there && most < wanted)
            atomicMax(&low[way], place + 1);
        if (there && least >= wanted)
            atomicMin(&high[way], place);
        return width > SAMPLES;
    }
};

/* searches[2]: of the tile's first element, and of the first behind it. All threads of the block call it. */
template <unsigned WAYS>
__device__ void find_two_splits(const int32_t *keys, unsigned n, unsigned run, unsigned start, unsigned tile_size,
                                search<WAYS> *searches)
{
    const unsigned which = threadIdx.x / FINDERS, thread = threadIdx.x % FINDERS;
    const unsigned merged = start_of_merged<WAYS>(start, run), rank = start + which * tile_size - merged;
    search<WAYS> &own = searches[which];

    if (thread < WAYS) {
        const unsigned begin = merged + thread * run, length = begin < n ? min(run, n - begin) : 0;
        const bool behind = rank >= run * WAYS || merged + rank >= n; /* nobody asks */

        own.low[thread] = 0;
        own.high[thread] = behind ? 0 : min(length, rank);
    }
    __syncthreads();
    while (__syncthreads_or(own.narrow(keys + merged, run, rank, thread)))
        ;
}

/*
 * Merges WAYS runs of `run` elements into one, again and again. A block makes TILE elements: tile first_tile + block.
 * ALONE, it finds the splits itself.
 */
template <class S, unsigned WAYS, bool ALONE>
__global__ __launch_bounds__(S::THREADS, S::BLOCKS) void merge_tiles(buffer from, buffer to, unsigned n, unsigned run,
                                                                     unsigned first_tile, const unsigned *splits)
{
    extern __shared__ __align__(128) int32_t shared[];
    __shared__ node nodes[2 * WAYS];
    __shared__ search<WAYS> found[ALONE ? 2 : 1];
    __shared__ uint64_t barrier;
    int32_t *keys = shared;
    uint32_t *payloads = (uint32_t *)shared + S::template MERGE_WORDS<WAYS>;
    const unsigned tile = first_tile + blockIdx.x, start = tile * S::TILE, count = min(S::TILE, n - start);

    if (threadIdx.x == 0)
        barrier_init(&barrier);
    wait_for_kernel_before();
    let_next_kernel_start();
    static_assert(!ALONE || S::THREADS == 2 * FINDERS, "half of the threads for a split");
    if constexpr (ALONE)
        find_two_splits(from.keys, n, run, start, S::TILE, found);
    if (threadIdx.x < WARP) {
        const unsigned *here = ALONE ? found[0].low : splits + tile * WAYS;
        const unsigned *next = ALONE ? found[1].low : here + WAYS;
        const unsigned way = threadIdx.x, group = run * WAYS, merged = start_of_merged<WAYS>(start, run);
        const unsigned run_start = merged + way * run;
        unsigned source = 0, pieces = 0, skip = 0, words = 0; /* its place; elements; copied before them; in all */

        if (way < WAYS && run_start < n) {
            unsigned length = min(run, n - run_start), split = here[way];
            bool last = start + S::TILE >= merged + group || start + S::TILE >= n;

            source = run_start + split;
            pieces = (last ? length : next[way]) - split;
            skip = source % 4;
            words = pieces > 0 ? (skip + pieces + 3) / 4 * 4 : 0;
        }
        /* A run's words stand behind those of the run before, its guard, and what rounding costs. */
        unsigned room = way < WAYS ? (skip + pieces + S::GUARD + 3) / 4 * 4 : 0, before = room;

        for (unsigned step = 1; step < WAYS; step *= 2) {
            unsigned other = __shfl_up_sync(ALL_LANES, before, step);

            before += way >= step ? other : 0;
        }
        before -= room;
        unsigned all = __reduce_add_sync(ALL_LANES, words);

        if (way == 0)
            barrier_expect(&barrier, all * (S::PAIRS ? 8 : 4));
        __syncwarp();
        if (words > 0) {
            bulk_load(keys + before, from.keys + source - skip, words * 4, &barrier);
            if constexpr (S::PAIRS)
                bulk_load(payloads + before, from.payloads + source - skip, words * 4, &barrier);
        }
        if (way < WAYS)
            nodes[WAYS + way] = {before + skip, pieces, 0};
        plan_merges<S, WAYS>(nodes);
    }
    __syncthreads();
    barrier_wait(&barrier);
    __syncthreads(); /* the guards go over what the copies brought too much */
    write_guards<S, false>(keys, payloads, nodes, WAYS, true);
    __syncthreads();
    merge_levels<S, WAYS / 2, false>::run(keys, payloads, nodes);
    store_tile<S>(to, start, count, keys, payloads);
}

typedef shape<false, 256, 32, 4> shape_of_keys;
typedef shape<true, 256, 16, 3> shape_of_pairs;

template <bool PAIRS> using shape_of_few = shape<PAIRS, 256, 8, 2>;

const unsigned MIDDLE = 1 << 19; /* what is more is sorted by tiles of many elements */
const unsigned PASS_LEVELS = 4, FEW_LEVELS = 3, SMALLEST_TILE = 4096, MOST_WAYS = 1 << PASS_LEVELS;

/* How often `count` must be halved, rounding up, until at most `size` is left. */
static unsigned levels_for(unsigned count, unsigned size)
{
    unsigned levels = 0;

    while ((size_t)size << levels < count)
        levels++;
    return levels;
}

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

/*
 * Tiles first_tile to first_tile + tiles - 1 of a pass that merges WAYS runs of `run` elements at a time. ALONE: the
 * blocks find their splits, which saves a launch, but each of them finds two.
 */
template <class S, bool ALONE, unsigned WAYS>
static void merge_ways(buffer from, buffer to, unsigned n, unsigned run, unsigned first_tile, unsigned tiles,
                       unsigned *splits, cudaStream_t stream)
{
    static_assert((S::TILE + WAYS / 2 * S::SORT_ITEMS) / S::ITEMS <= S::THREADS, "too many runs for these threads");
    const unsigned bytes = S::template MERGE_WORDS<WAYS> * S::ELEMENT_BYTES;
    const unsigned warps = 4, rows = tiles + ((size_t)(first_tile + tiles) * S::TILE < n); /* the next tile's, too */

    const unsigned known = rows >= 1024 ? 32 : 0; /* of many tiles every 32nd is found first */

    if (known && !ALONE)
        launch(find_splits<WAYS>, (rows / known + 1 + warps - 1) / warps, warps * WARP, 0, stream, from.keys, n, run,
               S::TILE, first_tile, rows, known, 0, splits);
    if (!ALONE)
        launch(find_splits<WAYS>, (rows + warps - 1) / warps, warps * WARP, 0, stream, from.keys, n, run, S::TILE,
               first_tile, rows, 1, known, splits);
    launch(merge_tiles<S, WAYS, ALONE>, tiles, S::THREADS, bytes, stream, from, to, n, run, first_tile, splits);
}

template <class S, bool ALONE>
static void merge_pass(buffer from, buffer to, unsigned n, unsigned run, unsigned levels, unsigned first_tile,
                       unsigned tiles, unsigned *splits, cudaStream_t stream)
{
    switch (levels) {
    case 1: merge_ways<S, ALONE, 2>(from, to, n, run, first_tile, tiles, splits, stream); break;
    case 2: merge_ways<S, ALONE, 4>(from, to, n, run, first_tile, tiles, splits, stream); break;
    case 3: merge_ways<S, ALONE, 8>(from, to, n, run, first_tile, tiles, splits, stream); break;
    default: merge_ways<S, ALONE, 16>(from, to, n, run, first_tile, tiles, splits, stream); break;
    }
}

/* As sort(), with tiles of the shape S; FEW: many threads sort each tile. ALONE: see merge_ways(). */
template <class S, bool FEW, bool ALONE>
static int sort_by(buffer a, buffer b, unsigned n, unsigned longest, unsigned *splits, cudaStream_t stream)
{
    const unsigned tiles = (n + S::TILE - 1) / S::TILE, most = FEW ? FEW_LEVELS : PASS_LEVELS;
    unsigned levels = levels_for(longest, S::TILE), run = S::TILE;
    int where = 1;

    if constexpr (FEW)
        launch(sort_few<S::PAIRS, FEW_ITEMS>, tiles, S::TILE / FEW_ITEMS, few_bytes<S::PAIRS>(S::TILE), stream, a, b,
               n);
    else
        launch(sort_tiles<S>, tiles, S::THREADS, S::SORT_WORDS * S::ELEMENT_BYTES, stream, a, b, n);
    for (unsigned passes = (levels + most - 1) / most; passes > 0; passes--) {
        unsigned now = (levels + passes - 1) / passes; /* as even as can be */

        merge_pass<S, ALONE>(where ? b : a, where ? a : b, n, run, now, 0, tiles, splits, stream);
        run <<= now;
        levels -= now;
        where = !where;
    }
    return where;
}

/*
 * Sorts `n` elements of a, some at least, in the stream, with passes as for `longest` >= n elements. splits has room
 * for split_count(longest). Returns where they are then: 0 for a, 1 for b. The other one is overwritten.
 */
template <class S>
static int sort(buffer a, buffer b, unsigned n, unsigned longest, unsigned *splits, cudaStream_t stream)
{
    if (longest <= FEW_THREADS * FEW_ITEMS / (S::PAIRS ? 2 : 1)) {
        const unsigned warps = (n + WARP * FEW_ITEMS - 1) / (WARP * FEW_ITEMS);

        launch(sort_few<S::PAIRS, FEW_ITEMS>, 1, warps * WARP, few_bytes<S::PAIRS>(warps * WARP * FEW_ITEMS), stream, a,
               b, n);
        return 1;
    }
    if (longest <= MIDDLE)
        return sort_by<shape_of_few<S::PAIRS>, true, true>(a, b, n, longest, splits, stream);
    return sort_by<S, false, false>(a, b, n, longest, splits, stream);
}

static buffer behind(buffer b, size_t offset)
{
    return {b.keys + offset, b.payloads ? b.payloads + offset : nullptr};
}

/* Before the first launch: kernels may need more shared memory than without asking. This loads them as well. */
template <class S, bool ALONE, unsigned WAYS> static void prepare_ways()
{
    CHECK(cudaFuncSetAttribute(merge_tiles<S, WAYS, ALONE>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               S::template MERGE_WORDS<WAYS> * S::ELEMENT_BYTES));
    if constexpr (!ALONE) {
        cudaFuncAttributes attributes;

        CHECK(cudaFuncGetAttributes(&attributes, find_splits<WAYS>));
    }
}
template <class S, bool ALONE> static void prepare_passes()
{
    prepare_ways<S, ALONE, 2>();
    prepare_ways<S, ALONE, 4>();
    prepare_ways<S, ALONE, 8>();
    prepare_ways<S, ALONE, 16>();
}
template <class S, bool FEW> static void prepare()
{
    cudaFuncAttributes attributes;

    if constexpr (FEW)
        CHECK(cudaFuncGetAttributes(&attributes, sort_few<S::PAIRS, FEW_ITEMS>));
    else
        CHECK(cudaFuncSetAttribute(sort_tiles<S>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   S::SORT_WORDS * S::ELEMENT_BYTES));
    prepare_passes<S, FEW>();
}

/* What is kept from call to call: streams, and memory on the GPU for `room` elements, if has_payloads with payloads. */
const unsigned MOST_CHUNKS = MOST_WAYS, MOST_PIECES = 64;
static struct kept {
    cudaStream_t in, work, out;
    cudaEvent_t arrived[MOST_CHUNKS], made[MOST_PIECES];
    buffer a, b;
    unsigned *splits;
    size_t room;
    bool ready, has_payloads;

    ~kept() /* at the end of the process, when it no longer matters what CUDA says */
    {
        for (void *memory : {(void *)a.keys, (void *)a.payloads, (void *)b.keys, (void *)b.payloads, (void *)splits})
            cudaFree(memory);
        if (!ready)
            return;
        for (cudaStream_t stream : {in, work, out})
            cudaStreamDestroy(stream);
        for (cudaEvent_t event : arrived)
            cudaEventDestroy(event);
        for (cudaEvent_t event : made)
            cudaEventDestroy(event);
    }
} state;

static void *device_memory(size_t bytes)
{
    void *memory;

    CHECK(cudaMalloc(&memory, bytes));
    CHECK(cudaMemset((char *)memory + bytes - 16, 0, 16)); /* what is copied too much at the end */
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
        prepare<shape_of_keys, false>();
        prepare<shape_of_pairs, false>();
        prepare<shape_of_few<false>, true>();
        prepare<shape_of_few<true>, true>();
        state.ready = true;
    }
    if (n > state.room || (payloads && !state.has_payloads)) {
        size_t room = n > state.room ? n : state.room, bytes = (room + 3) / 4 * 16;

        payloads |= state.has_payloads;
        for (void *old : {(void *)state.a.keys, (void *)state.b.keys, (void *)state.a.payloads,
                          (void *)state.b.payloads, (void *)state.splits})
            CHECK(cudaFree(old));
        state.a = {(int32_t *)device_memory(bytes), payloads ? (uint32_t *)device_memory(bytes) : nullptr};
        state.b = {(int32_t *)device_memory(bytes), payloads ? (uint32_t *)device_memory(bytes) : nullptr};
        /* MOST_WAYS of the tiles of either shape, and those of a piece's end. */
        state.splits = (unsigned *)device_memory((room / SMALLEST_TILE + 2) * MOST_WAYS * sizeof *state.splits);
        state.room = room;
        state.has_payloads = payloads;
        CHECK(cudaDeviceSynchronize());
    }
}

template <class S>
static void sort_host(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                      unsigned n)
{
    /* Chunks of equal size, a multiple of a tile; a small input is one. */
    const unsigned smallest = 1 << 20, share = (n + MOST_CHUNKS - 1) / MOST_CHUNKS;
    const unsigned whole_tiles = (share + S::TILE - 1) / S::TILE * S::TILE;
    const unsigned chunk = n < 2 * smallest ? n : share < smallest ? smallest : whole_tiles;
    const unsigned chunks = (n + chunk - 1) / chunk;
    buffer a = state.a, b = state.b;
    int where = 0;

    if (!payloads)
        a.payloads = b.payloads = nullptr;
    for (unsigned c = 0; c < chunks; c++) {
        unsigned start = c * chunk, count = n - start < chunk ? n - start : chunk;

        CHECK(cudaMemcpyAsync(a.keys + start, keys + start, count * sizeof *keys, cudaMemcpyHostToDevice, state.in));
        if (payloads)
            CHECK(cudaMemcpyAsync(a.payloads + start, payloads + start, count * sizeof *payloads,
                                  cudaMemcpyHostToDevice, state.in));
        CHECK(cudaEventRecord(state.arrived[c], state.in));
        CHECK(cudaStreamWaitEvent(state.work, state.arrived[c], 0));
        where = sort<S>(behind(a, start), behind(b, start), count, chunk, state.splits, state.work);
    }
    /* Pieces of the output: of one chunk there is one, of several the first is small, so that copying starts soon. */
    buffer sorted = where ? b : a, merged = where ? a : b;
    const unsigned tiles = (n + S::TILE - 1) / S::TILE, levels = levels_for(n, chunk);
    unsigned first = 0, piece = chunks == 1 ? tiles : smallest / S::TILE;

    for (unsigned p = 0; first < tiles; p++) {
        unsigned start = first * S::TILE, now = p == MOST_PIECES - 1 || tiles - first < piece ? tiles - first : piece;
        size_t end = (size_t)(first + now) * S::TILE, count = (end < n ? end : n) - start;

        if (chunks > 1)
            merge_pass<S, false>(sorted, merged, n, chunk, levels, first, now, state.splits, state.work);
        else
            merged = sorted;
        CHECK(cudaEventRecord(state.made[p], state.work));
        CHECK(cudaStreamWaitEvent(state.out, state.made[p], 0));
        CHECK(cudaMemcpyAsync(sorted_keys + start, merged.keys + start, count * sizeof *keys, cudaMemcpyDeviceToHost,
                              state.out));
        if (payloads)
            CHECK(cudaMemcpyAsync(sorted_payloads + start, merged.payloads + start, count * sizeof *payloads,
                                  cudaMemcpyDeviceToHost, state.out));
        first += now;
        if (piece < tiles / 8)
            piece *= 2;
    }
    CHECK(cudaStreamSynchronize(state.out));
}

} // namespace merging

extern "C" void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys,
                            uint32_t *sorted_payloads, size_t n)
{
    using namespace merging;

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
    using namespace merging;
    size_t available, total;

    CHECK(cudaMemGetInfo(&available, &total));
    reserve(available > (size_t)32 << 30 ? 1 << 28 : 1 << 16, true);
}
