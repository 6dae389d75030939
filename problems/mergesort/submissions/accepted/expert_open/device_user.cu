/*
 * expert_open - league: open. A radix sort that moves every key once a digit, and sorts while it copies.
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
 * without payloads need no stable first pass: there an atomic addition ranks a key. Up to 8192 elements are each
 * compared with all, in one launch. Tiles are of the size that fills all multiprocessors some times, with little left.
 *
 * A word holds a number and, in its two highest bits, what it is. Passes take turns in what these bits mean: what a sum
 * was in one pass is what nothing-yet is in the next, so that the words are never cleared. Nor are the counts and the
 * ticket counter by extra work: who reads them last clears them.
 *
 * From copy to copy: the keys arrive in up to 16 chunks, each of which is moved by its highest digit while the next
 * ones arrive. When all are there, the keys of some neighbouring digits are one stretch in each chunk; they are brought
 * together, sorted by the four passes and copied out while the next ones are sorted. If nearly all keys have one
 * highest digit nothing is won by this, and nothing lost.
 *
 * Parts: count.cuh, the plan; rank.cuh and move.cuh, a pass; compare.cuh, some thousand elements;
 * passes.cuh, which passes. This file: memory that is kept, and the overlap of copies and passes.
 */
#include "passes.cuh"

#include "device_user.h"

namespace radix {

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

    CALL(cudaMalloc(&memory, bytes));
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
        CALL(cudaEventCreateWithFlags(&state.counted, cudaEventDisableTiming));
        CALL(cudaMallocHost(&state.counts, MOST_CHUNKS * sizeof *state.counts));
        prepare_comparing<false>();
        prepare_comparing<true>();
        prepare<shape_of_keys>();
        prepare<shape_of_pairs>();
        prepare<shape_of_few<false>>();
        prepare<shape_of_few<true>>();
        prepare<shape_of_some<false>>();
        prepare<shape_of_some<true>>();
        prepare<shape_of_middle<false>>();
        prepare<shape_of_middle<true>>();
        prepare<shape_of_more<false>>();
        prepare<shape_of_more<true>>();
        prepare<smaller_shape_of_keys>();
        state.ready = true;
    }
    if (n > state.room || (payloads && !state.has_payloads)) {
        size_t room = n > state.room ? n : state.room, bytes = room * 4;
        size_t rows = room / SMALLEST_TILE + MOST_FEW / FEW_TILE + 1;

        payloads |= state.has_payloads;
        for (buffer *old : {&state.a, &state.b, &state.c}) {
            CALL(cudaFree(old->keys));
            CALL(cudaFree(old->payloads));
            *old = {(uint32_t *)device_memory(bytes), payloads ? (uint32_t *)device_memory(bytes) : nullptr};
        }
        CALL(cudaFree(state.work_space));
        state.work_space = (workspace *)device_memory(sizeof(workspace) + rows * DIGITS * 4);
        CALL(cudaMemset(state.work_space, 0, sizeof(workspace) + rows * DIGITS * 4));
        CALL(cudaDeviceSynchronize());
        state.room = room;
        state.has_payloads = payloads;
    }
}

/* Copies in a stream, keys and payloads: elements start to start + count - 1 in, and `count` elements to these. */
static void copy_in(buffer to, const int32_t *keys, const uint32_t *payloads, size_t start, size_t count)
{
    CALL(cudaMemcpyAsync(to.keys + start, keys + start, count * 4, cudaMemcpyHostToDevice, state.in));
    if (payloads)
        CALL(cudaMemcpyAsync(to.payloads + start, payloads + start, count * 4, cudaMemcpyHostToDevice, state.in));
}
static void copy_out(int32_t *keys, uint32_t *payloads, size_t start, buffer from, size_t count)
{
    CALL(cudaMemcpyAsync(keys + start, from.keys, count * 4, cudaMemcpyDeviceToHost, state.out));
    if (payloads)
        CALL(cudaMemcpyAsync(payloads + start, from.payloads, count * 4, cudaMemcpyDeviceToHost, state.out));
}

/* What `behind_this` does from now on waits for what `first` was given until now. */
static void order(cudaStream_t first, cudaStream_t behind_this, cudaEvent_t event)
{
    CALL(cudaEventRecord(event, first));
    CALL(cudaStreamWaitEvent(behind_this, event, 0));
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
        const buffer sorted = sort<S::PAIRS>(a, b, n, work, state.work);

        order(state.work, state.out, state.made[0]);
        copy_out(sorted_keys, sorted_payloads, 0, sorted, n);
        CALL(cudaStreamSynchronize(state.out));
        return;
    }
    for (unsigned i = 0; i < chunks; i++) {
        unsigned start = i * chunk, count_here = n - start < chunk ? n - start : chunk;

        copy_in(a, keys, payloads, start, count_here);
        order(state.in, state.work, state.arrived[i]);
        count(a.keys + start, count_here, PASSES - 1, work, state.work);
        CALL(cudaMemcpyAsync(state.counts[i], work->counts[PASSES - 1], sizeof *state.counts, cudaMemcpyDeviceToHost,
                             state.work));
        if (i == chunks - 1)
            CALL(cudaEventRecord(state.counted, state.work));
        move<S, !S::PAIRS>(behind(a, start), behind(b, start), count_here, PASSES - 1, false, work, state.work);
        /* One pass alone leaves sums behind, where the next one is to find nothing. */
        CALL(cudaMemsetAsync(work->tiles, 0, ((size_t)count_here / S::TILE + 1) * sizeof *work->tiles, state.work));
    }
    CALL(cudaEventSynchronize(state.counted));
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
        CALL(cudaGetLastError());
        const buffer sorted = sort<S::PAIRS>(behind(a, start), behind(c, start), size, work, state.work);

        order(state.work, state.out, state.made[p]);
        copy_out(sorted_keys, sorted_payloads, start, sorted, size);
        start += size;
        if (least < n / 16)
            least *= 2;
    }
    CALL(cudaStreamSynchronize(state.out));
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

    CALL(cudaMemGetInfo(&available, &total));
    reserve(available > (size_t)32 << 30 ? 1 << 28 : 1 << 16, true);
}
