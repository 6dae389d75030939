/*
 * passes.cuh - which passes a sort has, and with which shapes; the launches.
 */
#pragma once

#include "compare.cuh"

namespace radix {

typedef shape<false, 512, 24, 2> shape_of_keys;
typedef shape<true, 384, 24, 2> shape_of_pairs;
template <bool PAIRS> using shape_of_few = shape<PAIRS, 256, 8, 4>;
template <bool PAIRS> using shape_of_some = shape<PAIRS, 512, 8, 2>;
template <bool PAIRS> using shape_of_middle = shape<PAIRS, 384, 16, 2>;
template <bool PAIRS> using shape_of_more = shape<PAIRS, 512, 16, 2>;
typedef shape<false, 384, 24, 2> smaller_shape_of_keys;

/*
 * Up to MOST_FEW elements have the shape for few. The smallest tile of what has more than MOST_FEW elements has
 * SMALLEST_TILE.
 */
const unsigned MOST_FEW = 1 << 17, FEW_TILE = 2048, SMALLEST_TILE = 4096;

/*
 * An H100 and an H200 take AT_ONCE tiles of all other shapes at once, two on each of 132 multiprocessors. One tile more
 * takes as long as AT_ONCE more. So a shape is good up to the number of elements that fill AT_ONCE tiles TIMES times.
 */
const unsigned AT_ONCE = 2 * 132;

template <class S, unsigned TIMES> struct up_to {
    typedef S shape;
    static const unsigned MOST = TIMES * AT_ONCE * S::TILE;
    static_assert(S::BLOCKS * 132 == AT_ONCE && S::TILE >= SMALLEST_TILE, "see above");
};

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

static void count(const uint32_t *keys, unsigned n, unsigned first_pass, workspace *work, cudaStream_t stream)
{
    const unsigned tile = COUNT_THREADS * COUNT_ITEMS, tiles = (n + tile - 1) / tile, most = 132 * 2;

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

/* As sort(), by the first shape that is good for n, or by the last one. */
template <class FIRST, class... REST>
static void sort_by_first(buffer a, buffer b, unsigned n, workspace *work, cudaStream_t stream)
{
    if constexpr (sizeof...(REST) > 0)
        if (n > FIRST::MOST)
            return sort_by_first<REST...>(a, b, n, work, stream);
    sort_by<typename FIRST::shape>(a, b, n, work, stream);
}

/* The order of the shapes comes from times of each at many numbers of elements. */
static void sort_keys(buffer a, buffer b, unsigned n, workspace *work, cudaStream_t stream)
{
    typedef shape_of_some<false> some;
    typedef shape_of_middle<false> middle;
    typedef shape_of_more<false> more;
    typedef smaller_shape_of_keys smaller;
    typedef shape_of_keys large;

    sort_by_first<up_to<some, 1>, up_to<middle, 1>, up_to<more, 1>, up_to<smaller, 1>, up_to<large, 1>, up_to<more, 2>,
                  up_to<smaller, 2>, up_to<large, 2>, up_to<smaller, 3>, up_to<large, 4>>(a, b, n, work, stream);
}

static void sort_pairs(buffer a, buffer b, unsigned n, workspace *work, cudaStream_t stream)
{
    typedef shape_of_some<true> some;
    typedef shape_of_middle<true> middle;
    typedef shape_of_more<true> more;
    typedef shape_of_pairs large;

    sort_by_first<up_to<some, 1>, up_to<middle, 1>, up_to<more, 1>, up_to<large, 1>, up_to<middle, 2>, up_to<more, 2>,
                  up_to<middle, 4>, up_to<more, 6>, up_to<large, 7>>(a, b, n, work, stream);
}

/* Sorts n elements of a, some at least, by way of b. Returns which of the two has them then. */
template <bool PAIRS> static buffer sort(buffer a, buffer b, unsigned n, workspace *work, cudaStream_t stream)
{
    if (n <= MOST_COMPARED) {
        launch(sort_by_comparing<PAIRS>, (n + WARP - 1) / WARP, COMPARE_THREADS, (n + 3) / 4 * 16, stream, a, b, n);
        return b;
    }
    if (n <= MOST_FEW)
        sort_by<shape_of_few<PAIRS>>(a, b, n, work, stream);
    else if (PAIRS)
        sort_pairs(a, b, n, work, stream);
    else
        sort_keys(a, b, n, work, stream);
    return a;
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

/* Before the first launch, which loads a kernel otherwise. */
template <bool PAIRS> static void prepare_comparing()
{
    cudaFuncAttributes attributes;

    CALL(cudaFuncGetAttributes(&attributes, sort_by_comparing<PAIRS>));
}

/* Before the first launch: it may need more shared memory than without asking. This loads it as well. */
template <class S> static void prepare()
{
    CALL(cudaFuncSetAttribute(move_by_digit<S, false>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              S::SHARED_BYTES));
    CALL(cudaFuncSetAttribute(move_by_digit<S, !S::PAIRS>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              S::SHARED_BYTES));
}

} // namespace radix
