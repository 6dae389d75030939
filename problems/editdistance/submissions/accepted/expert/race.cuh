/*
 * race.cuh - similar strings: a race along the diagonals.
 *
 * If the distance is D, the cells that are at most D / 2 from one end of the strings lie on few diagonals, and on each
 * of them only the furthest one counts (Ukkonen 1985; Landau, Vishkin 1988). After s edits it is, with x the characters
 * taken from a, k = characters of b less those of a, and then as far as the characters are equal,
 *
 *   x(k, s) = max(x(k, s - 1) + 1, x(k + 1, s - 1) + 1, x(k - 1, s - 1))
 *
 * That takes D steps and not n. Both ends do it at once; the distance is at most s + s' if, and only if, the two ends
 * overlap on a diagonal after s and s' steps. So D / 2 steps are enough.
 *
 * It is worth it for similar strings only, and nobody knows beforehand whether they are. So it runs beside the sweep,
 * on the multiprocessors that the depth of the sweep leaves idle, and who is first stops the other one.
 *
 * Lanes own *columns*: column c of step s is diagonal c - s - shift of the first end's table, for both ends. So a
 * column depends on itself and on the two left of it, and warps are a pipeline again: how long an edge travels from
 * block to block matters once, not in each step. Edges go through a ring in shared memory, and from block to block
 * through the table of all x, which a warp of each pair of blocks searches for overlaps, in its own time.
 */
#pragma once

#include "edges.cuh"

constexpr int NOWHERE = -(1 << 20); /* x of a diagonal that s edits do not reach */

/* An x in memory: `tag` of the call in the upper bits, so that nothing has to be cleared between calls. */
__device__ __forceinline__ u32 race_pack(u32 tag, int x)
{
    return tag << RACE_BITS | (u32)max(x, -1) % (1 << RACE_BITS);
}

__device__ __forceinline__ bool race_there(u32 tag, u32 packed) { return packed >> RACE_BITS == tag; }

__device__ __forceinline__ int race_unpack(u32 packed)
{
    const int x = (int)(packed % (1 << RACE_BITS));

    return x == (1 << RACE_BITS) - 1 ? NOWHERE : x;
}

struct race_memory {
    u64 edges[RACE_WARPS][RACE_RING]; /* of warp w's left neighbour: (step + 1) << 36 | the last but one << 18 | last */
    int progress[RACE_WARPS];         /* steps below are done; INT_MAX at the end */
    int stop;                         /* steps from here on are of no use any more */
    __align__(16) unsigned char a[RACE_WINDOW], b[RACE_WINDOW]; /* this end of both strings, and zeros behind it */
};

/* The first step at which a block has columns that are reached. */
__device__ __forceinline__ int race_start(const job &job, int index)
{
    return max(0, (index * RACE_WARPS * 32 - abs(job.b_length - job.a_length)) / 2);
}

/* The x at which diagonal k ends because the window does, and not the strings. */
__device__ __forceinline__ int race_end(int m, int n, int k)
{
    const int end = min(min(m, RACE_SPAN), min(n, RACE_SPAN) - k);

    return end < min(m, n - k) ? end : INT_MAX;
}

/* The first step that is of use to nobody, if a distance of `best` is known. */
__device__ __forceinline__ int race_stop(int best) { return best / 2 + 1; }

/* The step up to which this block has to go on, as the other blocks see it. */
__device__ __forceinline__ int race_until(const job &job)
{
    if (load_word(&job.race.state->winner) != NOBODY || load_word(&job.race.state->lost))
        return 0;
    return min(job.race.steps, race_stop((int)load_word(&job.race.state->best)));
}

/* Where an end's string begins in its window, which is copied as it is: of 16-byte words of memory. */
__device__ __forceinline__ int window_origin(int length, bool back)
{
    return back && length > RACE_SPAN ? (length - RACE_SPAN) / 16 * 16 : 0;
}

__device__ void race_load(unsigned char *window, const unsigned char *string, int length, bool back)
{
    const int origin = window_origin(length, back), count = min(length - origin, RACE_SPAN + 16);
    const uint4 *from = (const uint4 *)(string + origin);
    uint4 *to = (uint4 *)(window + (back ? RACE_MARGIN : 0));

#pragma unroll 8
    for (int i = (int)threadIdx.x; i < count / 16; i += THREADS)
        to[i] = from[i];
    for (int i = count / 16 * 16 + (int)threadIdx.x; i < count; i += THREADS)
        window[(back ? RACE_MARGIN : 0) + i] = string[origin + i];
    for (int i = (int)threadIdx.x; i < RACE_MARGIN; i += THREADS) {
        window[back ? i : count + i] = 0;
        if (back && i < 16)
            window[RACE_MARGIN + count + i] = 0;
    }
}

/*
 * Four characters from number i on, as this end counts them: the first one in the lowest byte, from the back in the
 * highest one. `first` is the address of number 0, from the back of number 3.
 */
template <bool back> __device__ __forceinline__ u32 race_four(u32 first, int i)
{
    const u32 at = back ? first - (u32)i : first + (u32)i, word = at & ~3u;
    u32 low, high;

    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(low) : "r"(word));
    asm volatile("ld.shared.u32 %0, [%1 + 4];" : "=r"(high) : "r"(word));
    return __funnelshift_r(low, high, at % 4 * 8);
}

/* The same of eight characters, by two aligned loads that lanes next to each other do without bank conflicts. */
template <bool back> __device__ __forceinline__ uint2 race_eight(u32 first, int i)
{
    const u32 at = back ? first - (u32)i - 4 : first + (u32)i, word = at & ~7u;
    u32 q[4];

    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(q[0]), "=r"(q[1]) : "r"(word));
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2 + 8];" : "=r"(q[2]), "=r"(q[3]) : "r"(word));
    const bool odd = at & 4;
    const u32 middle = odd ? q[2] : q[1], bits = at % 4 * 8;
    const u32 low = __funnelshift_r(odd ? q[1] : q[0], middle, bits);
    const u32 high = __funnelshift_r(middle, odd ? q[3] : q[2], bits);

    return back ? make_uint2(high, low) : make_uint2(low, high);
}

/* How many characters are equal, from the difference of four. */
template <bool back> __device__ __forceinline__ int race_equal(u32 difference)
{
    return difference == 0 ? 4 : (back ? __clz((int)difference) : __ffs((int)difference) - 1) / 8;
}

/* The columns of one warp. */
template <bool back> __device__ void race_columns(race_memory &shared, const job &job, int index, int warp)
{
    const int l = (int)(threadIdx.x % 32), m = job.a_length, n = job.b_length, difference = n - m;
    const int column = (index * RACE_WARPS + warp) * 32 + l, shift = max(0, -difference);
    const int start = race_start(job, index);
    /* No further than the end of the strings, or of the windows. */
    const int most_a = min(m, RACE_SPAN), most_b = min(n, RACE_SPAN);
    const u32 a = shared_address(shared.a) + (back ? RACE_MARGIN + m - window_origin(m, true) - 4 : 0);
    const u32 b = shared_address(shared.b) + (back ? RACE_MARGIN + n - window_origin(n, true) - 4 : 0);
    volatile u64 *in = shared.edges[warp], *out = shared.edges[(warp + 1) % RACE_WARPS];
    volatile int *progress = shared.progress, *stop = &shared.stop;
    const bool leftmost = index == 0 && warp == 0, rightmost = warp == RACE_WARPS - 1;
    u32 *history = job.race.history[back] + column + (size_t)start * job.race.columns;
    int k = back ? difference - (column - start - shift) : column - start - shift; /* as this end counts it */
    int x = NOWHERE, until = *stop;

    for (int s = start; s < until; s++) {
        until = *stop;
        if (s == 0) {
            x = k == 0 ? 0 : NOWHERE;
        } else {
            int last = NOWHERE, last_but_one = NOWHERE;

            if (!leftmost && (s > start || warp == 0)) { /* columns of further warps are not reached before */
                u64 edge = in[(s - 1) % RACE_RING];

                while (edge >> 36 != (u64)s && s < *stop)
                    edge = in[(s - 1) % RACE_RING];
                if (edge >> 36 != (u64)s)
                    break;
                last = race_unpack((u32)edge);
                last_but_one = race_unpack((u32)(edge >> RACE_BITS));
            }
            int left = __shfl_up_sync(~0u, x, 1), left2 = __shfl_up_sync(~0u, x, 2);

            left = l == 0 ? last : left;
            left2 = l == 0 ? last_but_one : l == 1 ? last : left2;
            x = max(max(x + !back, left + 1), left2 + back);
        }
        const int most = min(min(m, n - k), min(most_a, most_b - k));

        x = min(x, most);
        const bool inside = x >= 0 && x < most;
        const int from = inside ? x : 0;
        const u32 difference4 = race_four<back>(a, from) ^ race_four<back>(b, inside ? x + k : 0);
        /* Known before the length of the others is. */
        u32 more = __ballot_sync(~0u, inside && difference4 == 0 && x + 4 < most);
        const int equal = race_equal<back>(difference4);

        x = inside ? min(x + equal, most) : x;
        /* Long runs: the warp compares 256 characters at once. */

        while (more) {
            const int owner = __ffs((int)more) - 1, k_there = back ? k + l - owner : k - l + owner;
            const int most_there = min(min(m, n - k_there), min(most_a, most_b - k_there));
            int at = __shfl_sync(~0u, x, owner), run = 256;

            for (; run == 256 && at < most_there; at += run) {
                const uint2 of_a = race_eight<back>(a, at + 8 * l), of_b = race_eight<back>(b, at + k_there + 8 * l);
                const u32 first = of_a.x ^ of_b.x, second = of_a.y ^ of_b.y;
                const int mine = first ? race_equal<back>(first) : 4 + race_equal<back>(second);

                const u32 ends = __ballot_sync(~0u, mine < 8);
                const int end_lane = __ffs((int)ends) - 1;

                run = ends ? 8 * end_lane + __shfl_sync(~0u, mine, end_lane) : 256;
            }
            x = l == owner ? min(at, most_there) : x;
            more &= more - 1;
        }
        const u32 packed = race_pack(job.race.tag, x);
        const u32 before = __shfl_up_sync(~0u, packed, 1);

        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" :: "l"(history), "r"(packed));
        history += job.race.columns;
        if (!rightmost) {
            if (s % (RACE_RING / 4) == 0)
                while (progress[warp + 1] <= s + RACE_RING / 4 - RACE_RING && s < *stop)
                    ;
            if (l == 31)
                out[s % RACE_RING] =
                    (u64)(s + 1) << 36 | (u64)(before % (1 << RACE_BITS)) << RACE_BITS | packed % (1 << RACE_BITS);
        }
        if (s % (RACE_RING / 4) == 0 && l == 0)
            progress[warp] = s;
        k += back ? 1 : -1;
    }
    __syncwarp();
    if (l == 0)
        progress[warp] = INT_MAX;
}

/* Brings the left neighbour's edge, and the news from elsewhere. */
__device__ void race_edge(race_memory &shared, const job &job, int d, int index)
{
    const int l = (int)(threadIdx.x % 32), column = index * RACE_WARPS * 32;
    const u32 *history = job.race.history[d] + column;
    volatile int *progress = shared.progress, *stop = &shared.stop;
    int next = max(0, race_start(job, index) - 1);

    for (;;) {
        const int until = __shfl_sync(~0u, l == 0 ? race_until(job) : 0, 0);
        bool busy = false;

        if (l == 0)
            *stop = until;
        for (int w = 0; w < RACE_WARPS; w++)
            busy |= progress[w] != INT_MAX;
        if (!__any_sync(~0u, busy))
            return;
        if (index == 0) {
            __nanosleep(NAP);
            continue;
        }
        const int step = next + l, room = progress[0] > job.race.steps ? INT_MAX : progress[0] + RACE_RING;
        const bool wanted = step < until && step < room;
        const u32 *at = history + (size_t)min(step, job.race.steps - 1) * job.race.columns;
        const u32 last = wanted ? load_word(at - 1) : 0, last_but_one = wanted ? load_word(at - 2) : 0;
        const u32 missing = __ballot_sync(~0u, !(race_there(job.race.tag, last) &&
                                                 race_there(job.race.tag, last_but_one)));
        const int count = missing ? __ffs((int)missing) - 1 : 32;

        if (l < count)
            ((volatile u64 *)shared.edges[0])[step % RACE_RING] =
                (u64)(step + 1) << 36 | (u64)(last_but_one % (1 << RACE_BITS)) << RACE_BITS |
                last % (1 << RACE_BITS);
        next += count;
    }
}

/*
 * Looks for overlaps in the columns of a pair of blocks. A step's x of the one end meets those of the other end of the
 * same step, for a distance of 2 s, and of the step before, one column to the left, for 2 s - 1. Returns false if
 * it cannot know, as the window ends where strings go on.
 */
__device__ bool race_search(const job &job, int index)
{
    const int l = (int)(threadIdx.x % 32), m = job.a_length, n = job.b_length, difference = n - m;
    const int column = index * RACE_WARPS * 32 + 4 * l, shift = max(0, -difference), tag = (int)job.race.tag;
    const u32 *f = job.race.history[0] + column, *g = job.race.history[1] + column;
    const int start = race_start(job, index);
    u32 before[4] = { ~0u, ~0u, ~0u, ~0u }; /* of g, in the step before */

    for (int s = start;;) {
        const int until = __shfl_sync(~0u, l == 0 ? race_until(job) : 0, 0);

        if (s >= until)
            return true;
        four_words ahead[2][RACE_LOOK];
        u32 left[RACE_LOOK]; /* of g, the step before, left of these columns */
        bool there[RACE_LOOK];

#pragma unroll
        for (int i = 0; i < RACE_LOOK; i++) {
            const size_t row = (size_t)min(s + i, job.race.steps - 1) * job.race.columns;

            ahead[0][i] = load_words(f + row);
            ahead[1][i] = load_words(g + row);
            left[i] = l == 0 && index > 0 && s + i > 0 ? load_word(g + row - job.race.columns - 1) : 0;
        }
#pragma unroll
        for (int i = 0; i < RACE_LOOK; i++) {
            there[i] = s + i < until && (l > 0 || index == 0 || s + i == 0 || race_there((u32)tag, left[i]));
            for (int j = 0; j < 4; j++)
                there[i] &= race_there((u32)tag, ahead[0][i].word[j]) && race_there((u32)tag, ahead[1][i].word[j]);
        }
        bool go = true;

#pragma unroll
        for (int i = 0; i < RACE_LOOK; i++) {
            go = go && __all_sync(~0u, there[i]);
            if (go) {
                bool even = false, odd = false, far = false;
                const u32 neighbour = __shfl_up_sync(~0u, before[3], 1);
                const u32 beside[5] = { l > 0 ? neighbour : left[i], before[0], before[1], before[2], before[3] };

                for (int j = 0; j < 4; j++) {
                    const int x = race_unpack(ahead[0][i].word[j]), y = race_unpack(ahead[1][i].word[j]);
                    const int k = column + j - s - shift, k_back = difference - k;

                    even |= x + y >= m;
                    odd |= s > 0 && race_there((u32)tag, beside[j]) && x + race_unpack(beside[j]) >= m;
                    far |= x + y < m && (x >= race_end(m, n, k) || y >= race_end(m, n, k_back));
                    before[j] = ahead[1][i].word[j];
                }
                if (__any_sync(~0u, odd || even)) {
                    const int distance = __any_sync(~0u, odd) ? 2 * s - 1 : 2 * s;

                    if (l == 0)
                        atomicMin(&job.race.state->best, (u32)distance);
                    return true;
                }
                if (__any_sync(~0u, far))
                    return false;
                s++;
            }
        }
    }
}

/* One end of a pair of blocks; d = 0 is the front. */
__device__ void race(race_memory &shared, const job &job, int d, int index)
{
    const int warp = (int)(threadIdx.x / 32), l = (int)(threadIdx.x % 32);

    race_load(shared.a, job.a, job.a_length, d == 1);
    race_load(shared.b, job.b, job.b_length, d == 1);
    for (int i = (int)threadIdx.x; i < RACE_WARPS * RACE_RING; i += THREADS)
        shared.edges[i / RACE_RING][i % RACE_RING] = 0;
    if (threadIdx.x < RACE_WARPS)
        shared.progress[threadIdx.x] = race_start(job, index);
    if (threadIdx.x == 0)
        shared.stop = job.race.steps;
    __syncthreads();
    if (warp < RACE_WARPS) {
        if (d == 0)
            race_columns<false>(shared, job, index, warp);
        else
            race_columns<true>(shared, job, index, warp);
    } else if (warp == RACE_WARPS) {
        race_edge(shared, job, d, index);
    } else if (d == 1) {
        const bool known = race_search(job, index);

        if (l == 0 && !known)
            atomicExch(&job.race.state->lost, 1);
        __threadfence();
        /* The last one to come knows the distance. */
        if (l == 0 && atomicAdd(&job.race.state->searched, 1) == (u32)job.race.blocks / 2 - 1) {
            const u32 best = atomicAdd(&job.race.state->best, 0);

            if (!atomicAdd(&job.race.state->lost, 0) && best != UINT_MAX / 2 &&
                atomicCAS(&job.race.state->winner, NOBODY, THE_RACE) == NOBODY)
                *job.best = best;
        }
    }
}
