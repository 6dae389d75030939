/*
 * expert.cu - one pass and one kernel: every number is read once and written once.
 *
 * - A warp has rows of 32 times 16 bytes, one 16-byte load a lane and row, and scans them by shuffles in registers. No
 *   number passes through shared memory; the totals of the warps alone do.
 * - A block has a tile. Its carry, the sum of all before, comes by decoupled look-back (Merrill and Garland,
 *   "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA 2016): a tile publishes the sum of its own
 *   numbers at once, and later the sum of all up to its end; who looks back adds tiles up to the first of the latter.
 * - A published word holds half of it the value and half of it a tag: the number of the call, and which of the two sums
 *   it is. So a word is never half written, needs no fence, and words of earlier calls are no words of this one:
 *   nothing is cleared before a call, and there is one launch. A uint64 takes two such words.
 * - Segments: a tile with a start in it knows at once what goes into the next one, so it publishes that as the sum of
 *   all up to its end. Looking back ends there, and is the same code.
 * - Few tiles, all on the GPU at once, look back at once: thread t reads tile t. One wait replaces a chain of them.
 * - How large a tile is depends on n: small tiles while there is room for more of them on the GPU, large ones then.
 *
 * A tile waits for those before it, which have lower block numbers. GPUs start blocks in that order, as CUB relies on.
 * Both leagues.
 */
#include "device_user.h"

#include "cuda_user.h"

namespace {

constexpr unsigned ALL_LANES = 0xffffffffu;

/* ------------------------------------------------------------------ published sums */

/* [tile] of one or two words; tag = 2 * call + (whether the sum is of all up to the tile's end). */
__device__ __forceinline__ unsigned long long word_of(uint32_t tag, uint32_t value)
{
    return (unsigned long long)tag << 32 | value;
}

__device__ __forceinline__ uint32_t bits_of(float value) { return __float_as_uint(value); }
__device__ __forceinline__ uint32_t bits_of(uint32_t value) { return value; }
__device__ __forceinline__ void from_bits(uint32_t bits, float &value) { value = __uint_as_float(bits); }
__device__ __forceinline__ void from_bits(uint32_t bits, uint32_t &value) { value = bits; }

template <class T>
__device__ __forceinline__ void publish(unsigned long long *states, unsigned tile, uint32_t tag, T value)
{
    *(volatile unsigned long long *)(states + tile) = word_of(tag, bits_of(value));
}

__device__ __forceinline__ void publish(unsigned long long *states, unsigned tile, uint32_t tag, uint64_t value)
{
    volatile unsigned long long *word = states + 2 * (size_t)tile;

    word[0] = word_of(tag, (uint32_t)value);
    word[1] = word_of(tag, (uint32_t)(value >> 32));
}

/* The tile's tag and value; a tag of this call only where the value is whole. */
template <class T>
__device__ __forceinline__ uint32_t look(const unsigned long long *states, unsigned tile, T &value)
{
    const unsigned long long word = *(const volatile unsigned long long *)(states + tile);

    from_bits((uint32_t)word, value);
    return (uint32_t)(word >> 32);
}

__device__ __forceinline__ uint32_t look(const unsigned long long *states, unsigned tile, uint64_t &value)
{
    const volatile unsigned long long *word = states + 2 * (size_t)tile;
    const unsigned long long low = word[0], high = word[1];

    value = (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
    return (uint32_t)(low >> 32) == (uint32_t)(high >> 32) ? (uint32_t)(low >> 32) : 0;
}

template <class T> __device__ __forceinline__ T warp_sum(T value)
{
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
}

/* By one warp: the sum of all before the tile, 32 tiles at a time. */
template <class T>
__device__ T look_back(const unsigned long long *states, unsigned tile, uint32_t call, unsigned lane)
{
    T sum = 0;

    for (int last = (int)tile - 1;; last -= 32) {
        const int mine = last - (int)lane;
        unsigned ends, ready;
        uint32_t tag = 2 * call + 1;
        T value = 0;

        do {
            if (mine >= 0)
                tag = look(states, (unsigned)mine, value);
            ready = __ballot_sync(ALL_LANES, tag / 2 == call);
            ends = __ballot_sync(ALL_LANES, tag == 2 * call + 1);
        } while ((~ready & (ends ? (ends & -ends) - 1 : ALL_LANES)) != 0);
        /* of the tiles after the nearest that ends it, and that one */
        sum += warp_sum(ends == 0 || lane <= (unsigned)__ffs((int)ends) - 1 ? value : T(0));
        if (ends)
            return sum;
    }
}

/* ------------------------------------------------------------------ a tile */

template <class T> struct alignas(16) quad {
    T v[16 / sizeof(T)];
};

/* Sums are not read again: they need not stay in the cache. */
__device__ __forceinline__ void store_past(float *to, quad<float> q)
{
    __stcs((float4 *)to, make_float4(q.v[0], q.v[1], q.v[2], q.v[3]));
}
__device__ __forceinline__ void store_past(uint32_t *to, quad<uint32_t> q)
{
    __stcs((uint4 *)to, make_uint4(q.v[0], q.v[1], q.v[2], q.v[3]));
}
__device__ __forceinline__ void store_past(uint64_t *to, quad<uint64_t> q)
{
    __stcs((ulonglong2 *)to, make_ulonglong2(q.v[0], q.v[1]));
}

/* What the warps of a block tell each other. */
template <class T> struct exchange {
    T totals[32], carry, parts[32];
    unsigned starts; /* a bit for each warp with a start */
    int ends;
};

template <class T, bool SEGMENTED, int ROWS> struct rows {
    static constexpr int K = 16 / sizeof(T);

    T x[ROWS][K];
    unsigned heads[SEGMENTED ? ROWS : 1];  /* bit j: number j of the row starts a segment */
    unsigned masks[SEGMENTED ? ROWS : 1];  /* bit l: lane l's numbers of the row hold a start */
};

/* Which of a lane's K numbers start a segment, from the place `at`, a multiple of K, on. */
template <int K> __device__ __forceinline__ unsigned heads_at(const uint8_t *starts, size_t at, size_t n)
{
    unsigned bytes = 0;

    if (at + K <= n)
        bytes = K == 4 ? *(const unsigned *)(starts + at) : *(const unsigned short *)(starts + at);
    else
        for (int j = 0; j < K; j++)
            bytes |= at + j < n ? (unsigned)starts[at + j] << 8 * j : 0;
    return (bytes | bytes >> 7 | bytes >> 14 | bytes >> 21) & ((1u << K) - 1);
}

template <class T, bool SEGMENTED, int ROWS>
__device__ __forceinline__ void load(rows<T, SEGMENTED, ROWS> &r, const T *values, const uint8_t *starts, size_t at,
                                     size_t n, bool whole)
{
    constexpr int K = 16 / sizeof(T);

#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const size_t here = at + (size_t)i * 32 * K;

        if (whole || here + K <= n) {
            const quad<T> q = *(const quad<T> *)(values + here);

            for (int j = 0; j < K; j++)
                r.x[i][j] = q.v[j];
        } else
            for (int j = 0; j < K; j++)
                r.x[i][j] = here + j < n ? values[here + j] : T(0);
        if (SEGMENTED)
            r.heads[i] = heads_at<K>(starts, here, n);
    }
}

template <class T, bool SEGMENTED, int ROWS>
__device__ __forceinline__ void store(const rows<T, SEGMENTED, ROWS> &r, T *sums, size_t at, size_t n, bool whole)
{
    constexpr int K = 16 / sizeof(T);

#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const size_t here = at + (size_t)i * 32 * K;

        if (whole || here + K <= n) {
            quad<T> q;

            for (int j = 0; j < K; j++)
                q.v[j] = r.x[i][j];
            store_past(sums + here, q);
        } else
            for (int j = 0; j < K; j++)
                if (here + j < n)
                    sums[here + j] = r.x[i][j];
    }
}

/* Scans the rows of a warp, and returns their sum, since the last start if they have one. */
template <class T, bool SEGMENTED, int ROWS>
__device__ __forceinline__ T scan_rows(rows<T, SEGMENTED, ROWS> &r, unsigned lane)
{
    constexpr int K = 16 / sizeof(T);
    const unsigned below = (1u << lane) - 1;
    T ends[ROWS], before[ROWS], carry = 0;

#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        int head = 0; /* the last lane up to this one with a start */

        for (int j = 1; j < K; j++)
            r.x[i][j] += SEGMENTED && (r.heads[i] >> j & 1) ? T(0) : r.x[i][j - 1];
        ends[i] = r.x[i][K - 1];
        if (SEGMENTED) {
            r.masks[i] = __ballot_sync(ALL_LANES, r.heads[i] != 0);
            head = max(0, 31 - __clz((int)(r.masks[i] & (below << 1 | 1))));
        }
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
            const T other = __shfl_up_sync(ALL_LANES, ends[i], step);

            ends[i] += (int)lane - step >= head ? other : T(0);
        }
        before[i] = __shfl_up_sync(ALL_LANES, ends[i], 1);
        ends[i] = __shfl_sync(ALL_LANES, ends[i], 31);
        if (lane == 0)
            before[i] = 0;
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const T add = before[i] + (SEGMENTED && (r.masks[i] & below) ? T(0) : carry);

        for (int j = 0; j < K; j++)
            r.x[i][j] += SEGMENTED && (r.heads[i] & ((2u << j) - 1)) ? T(0) : add;
        carry = ends[i] + (SEGMENTED && r.masks[i] ? T(0) : carry);
    }
    return carry;
}

template <class T, bool SEGMENTED, int ROWS>
__device__ __forceinline__ void add_carry(rows<T, SEGMENTED, ROWS> &r, T carry, unsigned lane)
{
    constexpr int K = 16 / sizeof(T);
    bool open = true; /* no start in the rows before */

#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const bool here = open && !(SEGMENTED && (r.masks[i] & ((1u << lane) - 1)));

        for (int j = 0; j < K; j++)
            r.x[i][j] += SEGMENTED && (!here || (r.heads[i] & ((2u << j) - 1))) ? T(0) : carry;
        if (SEGMENTED)
            open = open && r.masks[i] == 0;
    }
}

/* All threads: the sum of all before the tile, thread t looking at tile t. At most THREADS tiles before. */
template <class T, int THREADS>
__device__ __forceinline__ T look_at_all(exchange<T> &shared, const unsigned long long *states, unsigned tile,
                                         uint32_t call, unsigned warp, unsigned lane)
{
    uint32_t tag = 0;
    T value = 0;
    int end = -1;

    if (threadIdx.x < tile) {
        do
            tag = look(states, threadIdx.x, value);
        while (tag / 2 != call);
        end = tag % 2 != 0 ? (int)threadIdx.x : -1;
    }
    end = __reduce_max_sync(ALL_LANES, end);
    if (lane == 0 && end >= 0)
        atomicMax(&shared.ends, end);
    __syncthreads();
    value = warp_sum((int)threadIdx.x >= shared.ends ? value : T(0));
    if (lane == 0)
        shared.parts[warp] = value;
    __syncthreads();
    return warp_sum(lane < THREADS / 32 ? shared.parts[lane] : T(0));
}

/* One block a tile. `wide`: all tiles are on the GPU at once, and there are at most THREADS of them. */
template <class T, bool SEGMENTED, int THREADS, int ROWS>
__global__ void __launch_bounds__(THREADS)
    scan_tiles(const T *__restrict__ values, const uint8_t *__restrict__ starts, T *__restrict__ sums, size_t n,
               unsigned long long *states, uint32_t call, bool wide)
{
    constexpr int K = 16 / sizeof(T), WARPS = THREADS / 32;
    constexpr size_t WARP_ITEMS = (size_t)ROWS * 32 * K, TILE = WARPS * WARP_ITEMS;
    __shared__ exchange<T> shared;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, tile = blockIdx.x;
    const size_t at = tile * TILE + warp * WARP_ITEMS + lane * K;
    const bool whole = (tile + 1) * TILE <= n;
    rows<T, SEGMENTED, ROWS> r;
    bool any = false;
    T total, carry, mine;

    load(r, values, starts, at, n, whole);
    total = scan_rows(r, lane);
    if (SEGMENTED)
        for (int i = 0; i < ROWS; i++)
            any = any || r.masks[i] != 0;
    if (threadIdx.x == 0)
        shared.ends = -1, shared.starts = 0;
    if (SEGMENTED)
        __syncthreads();
    if (lane == 0) {
        shared.totals[warp] = total;
        if (any)
            atomicOr(&shared.starts, 1u << warp);
    }
    __syncthreads();

    /* Every warp: the sum of the warps before it, and of all. */
    const unsigned with = SEGMENTED ? shared.starts : 0;
    const int last = 31 - __clz((int)with), nearest = 31 - __clz((int)(with & ((1u << warp) - 1)));
    const T other = lane < WARPS ? shared.totals[lane] : T(0);

    mine = warp_sum(lane < warp && (int)lane >= nearest ? other : T(0));
    if (gridDim.x == 1) {
        if (WARPS > 1)
            add_carry(r, mine, lane);
        store(r, sums, at, n, whole);
        return;
    }
    if (warp == 0 || wide) {
        const T all = warp_sum((int)lane >= last ? other : T(0));
        const bool ends = last >= 0 || tile == 0;

        if (threadIdx.x == 0)
            publish(states, tile, 2 * call + ends, all);
        if (!wide) {
            carry = tile == 0 ? T(0) : look_back<T>(states, tile, call, lane);
            if (lane == 0) {
                if (!ends)
                    publish(states, tile, 2 * call + 1, carry + all);
                shared.carry = carry;
            }
        }
    }
    if (wide)
        carry = look_at_all<T, THREADS>(shared, states, tile, call, warp, lane);
    else {
        __syncthreads();
        carry = shared.carry;
    }
    if (nearest < 0)
        mine += carry;
    add_carry(r, mine, lane);
    store(r, sums, at, n, whole);
}

/* ------------------------------------------------------------------ which tiles */

/* What is kept from call to call: memory for published sums, and the number of the call, from 1 to 2^31 - 1. */
struct scan_state {
    unsigned long long *words;
    uint32_t call;

    ~scan_state()
    {
        if (words)
            cudaFree(words);
    }
};
scan_state state;

/* Two words for each tile of the smallest size that 2^28 numbers of 8 bytes are cut into: 16 KiB. */
constexpr size_t WORDS = 2 * (((size_t)SCAN_COUNT_MAX * 8 >> 14) + 1);

void set_up()
{
    if (state.words)
        return;
    CUDA_CHECK(cudaMalloc(&state.words, WORDS * sizeof *state.words));
    CUDA_CHECK(cudaMemset(state.words, 0, WORDS * sizeof *state.words));
}

template <class T, bool SEGMENTED, int THREADS, int ROWS>
void launch(const T *values, const uint8_t *starts, T *sums, size_t n, bool wide, cudaStream_t stream)
{
    constexpr size_t TILE = (size_t)THREADS * ROWS * 16 / sizeof(T);

    scan_tiles<T, SEGMENTED, THREADS, ROWS><<<(unsigned)((n + TILE - 1) / TILE), THREADS, 0, stream>>>(
        values, starts, sums, n, state.words, state.call, wide);
}

/* More tiles than are on the GPU at once. */
template <class T, bool SEGMENTED>
void launch_many(const T *values, const uint8_t *starts, T *sums, size_t n, size_t quads, cudaStream_t stream)
{
    if constexpr (!SEGMENTED)
        if (quads > 1 << 20) /* 16 MiB */
            return launch<T, SEGMENTED, 256, 20>(values, starts, sums, n, false, stream);
    launch<T, SEGMENTED, 512, 8>(values, starts, sums, n, false, stream);
}

template <class T, bool SEGMENTED>
void scan(const T *values, const uint8_t *starts, T *sums, size_t n, cudaStream_t stream)
{
    const size_t quads = (n * sizeof(T) + 15) / 16;

    set_up();
    state.call = state.call < 0x7fffffff ? state.call + 1 : 1;
    if (quads <= 8192) /* up to 128 KiB, 32 tiles */
        launch<T, SEGMENTED, 256, 1>(values, starts, sums, n, true, stream);
    else if (quads <= 32768) /* 64 tiles */
        launch<T, SEGMENTED, 256, 2>(values, starts, sums, n, true, stream);
    else if (quads <= 256 * 1024) /* up to 4 MiB, 256 tiles */
        launch<T, SEGMENTED, 256, 4>(values, starts, sums, n, true, stream);
    else
        launch_many<T, SEGMENTED>(values, starts, sums, n, quads, stream);
    CUDA_CHECK_LAUNCH();
}

template <class T> void choose(const void *values, const uint8_t *starts, void *sums, size_t n, cudaStream_t stream)
{
    if (starts)
        scan<T, true>((const T *)values, starts, (T *)sums, n, stream);
    else
        scan<T, false>((const T *)values, starts, (T *)sums, n, stream);
}

} // namespace

extern "C" void device_user_setup(void) { set_up(); }

extern "C" void device_user(const void *values, const uint8_t *starts, void *sums, size_t n, int type,
                            device_stream stream)
{
    if (type == SCAN_UINT32)
        choose<uint32_t>(values, starts, sums, n, stream);
    else if (type == SCAN_UINT64)
        choose<uint64_t>(values, starts, sums, n, stream);
    else
        choose<float>(values, starts, sums, n, stream);
}
