/*
 * expert - a merge sort by merge path whose passes merge many runs at a time, and which sorts while it copies.
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
 *
 * Parts: tile.cuh, merges in shared memory; sort.cuh, the first runs; split.cuh and merge.cuh, a pass; passes.cuh,
 * which passes. This file: memory that is kept, and the overlap of copies and passes.
 */
#include "passes.cuh"

#include "device_user.h"

namespace merging {

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

    CALL(cudaMalloc(&memory, bytes));
    CALL(cudaMemset((char *)memory + bytes - 16, 0, 16)); /* what is copied too much at the end */
    return memory;
}

static void reserve(size_t n, bool payloads)
{
    if (!state.ready) {
        CALL(cudaStreamCreateWithFlags(&state.in, cudaStreamNonBlocking));
        CALL(cudaStreamCreateWithFlags(&state.work, cudaStreamNonBlocking));
        CALL(cudaStreamCreateWithFlags(&state.out, cudaStreamNonBlocking));
        for (cudaEvent_t &event : state.arrived)
            CALL(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        for (cudaEvent_t &event : state.made)
            CALL(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
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
            CALL(cudaFree(old));
        state.a = {(int32_t *)device_memory(bytes), payloads ? (uint32_t *)device_memory(bytes) : nullptr};
        state.b = {(int32_t *)device_memory(bytes), payloads ? (uint32_t *)device_memory(bytes) : nullptr};
        /* MOST_WAYS of the tiles of either shape, and those of a piece's end. */
        state.splits = (unsigned *)device_memory((room / SMALLEST_TILE + 2) * MOST_WAYS * sizeof *state.splits);
        state.room = room;
        state.has_payloads = payloads;
        CALL(cudaDeviceSynchronize());
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

        CALL(cudaMemcpyAsync(a.keys + start, keys + start, count * sizeof *keys, cudaMemcpyHostToDevice, state.in));
        if (payloads)
            CALL(cudaMemcpyAsync(a.payloads + start, payloads + start, count * sizeof *payloads,
                                 cudaMemcpyHostToDevice, state.in));
        CALL(cudaEventRecord(state.arrived[c], state.in));
        CALL(cudaStreamWaitEvent(state.work, state.arrived[c], 0));
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
        CALL(cudaEventRecord(state.made[p], state.work));
        CALL(cudaStreamWaitEvent(state.out, state.made[p], 0));
        CALL(cudaMemcpyAsync(sorted_keys + start, merged.keys + start, count * sizeof *keys, cudaMemcpyDeviceToHost,
                             state.out));
        if (payloads)
            CALL(cudaMemcpyAsync(sorted_payloads + start, merged.payloads + start, count * sizeof *payloads,
                                 cudaMemcpyDeviceToHost, state.out));
        first += now;
        if (piece < tiles / 8)
            piece *= 2;
    }
    CALL(cudaStreamSynchronize(state.out));
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

    CALL(cudaMemGetInfo(&available, &total));
    reserve(available > (size_t)32 << 30 ? 1 << 28 : 1 << 16, true);
}
