/*
 * passes.cuh - which passes a sort has, and with which shapes; the launches.
 */
#pragma once

#include "merge.cuh"

namespace merging {

typedef shape<false, 256, 32, 4> shape_of_keys;
typedef shape<true, 256, 16, 3> shape_of_pairs;

template <bool PAIRS> using shape_of_few = shape<PAIRS, 256, 8, 2>;

/* What is more is sorted by tiles of many elements: docs/experts/mergesort.md. */
template <bool PAIRS> const unsigned MIDDLE = PAIRS ? 620000 : 1 << 19;
const unsigned MOST_ALONE = 576; /* of these so many, whose blocks find their own splits: docs/experts/mergesort.md */
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
    CALL(cudaLaunchKernelEx(&config, kernel, (PARAMETERS)arguments...));
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
    if (longest <= MIDDLE<S::PAIRS>)
        return sort_by<shape_of_few<S::PAIRS>, true, true>(a, b, n, longest, splits, stream);
    if (longest <= MOST_ALONE * S::TILE)
        return sort_by<S, false, true>(a, b, n, longest, splits, stream);
    return sort_by<S, false, false>(a, b, n, longest, splits, stream);
}

static buffer behind(buffer b, size_t offset)
{
    return {b.keys + offset, b.payloads ? b.payloads + offset : nullptr};
}

/* Before the first launch: kernels may need more shared memory than without asking. This loads them as well. */
template <class S, bool ALONE, unsigned WAYS> static void prepare_ways()
{
    CALL(cudaFuncSetAttribute(merge_tiles<S, WAYS, ALONE>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              S::template MERGE_WORDS<WAYS> * S::ELEMENT_BYTES));
    if constexpr (!ALONE) {
        cudaFuncAttributes attributes;

        CALL(cudaFuncGetAttributes(&attributes, find_splits<WAYS>));
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
        CALL(cudaFuncGetAttributes(&attributes, sort_few<S::PAIRS, FEW_ITEMS>));
    else
        CALL(cudaFuncSetAttribute(sort_tiles<S>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  S::SORT_WORDS * S::ELEMENT_BYTES));
    prepare_passes<S, true>();
    if constexpr (!FEW)
        prepare_passes<S, false>();
}

} // namespace merging
