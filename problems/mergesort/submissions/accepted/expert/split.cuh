/*
 * split.cuh - where runs split, so that a block can merge its tile alone: find_splits, and find_two_splits within it.
 */
#pragma once

#include "sort.cuh"

namespace merging {

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

} // namespace merging
