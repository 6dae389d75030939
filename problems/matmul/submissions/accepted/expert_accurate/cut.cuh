/*
 * cut.cuh - cuts float32 into halves, in the order in which tensor cores read them.
 *
 * `cut` reads each element once, as a span of 64 lines fits into a block's registers. It writes blocks of 64 lines x
 * 64 k of halves as they will lie in shared memory: 128 bytes a row, chunks of 16 bytes permuted by XOR. So the product
 * needs no tensor maps: a block is 16 KB that lie together. The last block of a group of lines sums up what is known of
 * them.
 */
#pragma once

#include "common.cuh"

constexpr int GROUP = 64, SLAB = 64, SPAN = 128;         // lines of a block of halves; its k; k with one scale
constexpr int HALVES = GROUP * SLAB * 2, BLOCK = 2 * HALVES; // bytes of a block's high or low parts, and of both
constexpr int NOTHING = -1000;                           // as an exponent: all elements are zero

/* Lets the next kernel of the stream start; it waits by await_last() for what this one does. */
__device__ __forceinline__ void allow_next() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ __forceinline__ void await_last() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

/* What is known of a row of A or a column of B. */
struct line {
    int exponent; // of its largest element, less 14: it was divided by 2 to this
    float norm;   // an upper bound of its 2-norm, scaled
    float lost;   // of that of what its halves miss, of elements where it is more than 2^-23 of the element; scaled
    float root;   // sqrt(elements other than 0) 2^-24
};

/* Of a span of a line: the exponent of its largest element; at last 2 to this exponent less the line's. */
union scale {
    int exponent;
    float factor;
};

/* A or B: what it is made of, and its halves. */
struct factor {
    const float *x;
    int pitch;                     // elements from a row to the next
    int end, k;                    // lines (rows of A, columns of B); k
    int slabs, spans, padded;      // of k, rounded up; lines, a multiple of 128
    unsigned char *halves;         // [groups][slabs] blocks: [high, low][64][64], with 128 bytes a row, swizzled
    union scale *scales;           // [spans][padded]
    float4 *records;               // [spans][padded]: sums of squares of elements and of losses; terms
    line *lines;                   // [padded]
    unsigned long long *uneven;    // [groups], bit s: of some line, span 2 s or 2 s + 1 is scaled by less than the line
    unsigned *arrived;             // [groups] blocks, 0 before and after
};

/* 2^e, for e from -126 to 127. */
__device__ __forceinline__ float power(int e) { return __int_as_float((e + 127) << 23); }

/* The exponent of a positive float of these bits, of a subnormal one too. */
__device__ __forceinline__ int exponent_of(unsigned bits)
{
    if (bits >= 0x00800000u)
        return (int)(bits >> 23) - 127;
    return bits == 0 ? NOTHING : -118 - __clz(bits);
}

/* What a thread has seen of a line in a span. */
struct tally {
    float squares, losses;
    int terms;
};

__device__ __forceinline__ uint32_t bits(__half2 x) { return *(uint32_t *)&x; }

/* Two neighbours' high parts, and low parts. */
struct cut_pair {
    __half2 high, low;
};

__device__ __forceinline__ void count_loss(float x, float scaled, float loss, tally &seen)
{
    if (x != 0 && fabsf(scaled) < 0x1p-100f)
        loss = 0x1p-100f; // the scaling itself may have rounded
    if (loss > 0x1p-23f * fabsf(scaled))
        seen.losses = fmaf(loss, loss, seen.losses);
    seen.squares = fmaf(scaled, scaled, seen.squares);
    seen.terms += x != 0;
}

/* Cuts two neighbours, each multiplied by a power of two in two steps: it may be beyond float's range. */
__device__ __forceinline__ cut_pair cut_two(const float2 &x, const float2 &scale, const float2 &again, tally &seen_x,
                                            tally &seen_y)
{
    const float2 scaled = {x.x * scale.x * again.x, x.y * scale.y * again.y};
    const __half2 high = __floats2half2_rn(scaled.x, scaled.y);
    const float2 rest = {scaled.x - __low2float(high), scaled.y - __high2float(high)};
    const __half2 low = __floats2half2_rn(rest.x, rest.y);

    count_loss(x.x, scaled.x, fabsf(rest.x - __low2float(low)), seen_x);
    count_loss(x.y, scaled.y, fabsf(rest.y - __high2float(low)), seen_y);
    return {high, low};
}


/*
 * Eight neighbours of a row; zeros behind its end. Wherever they begin, three aligned vectors of four hold them. A
 * register cannot be indexed, so they are shifted by one place and by two where they must be.
 */
__device__ __forceinline__ void get_eight(float (&x)[8], const float *from, int left)
{
    const int before = (int)((uintptr_t)from / sizeof(float) % 4);
    float all[12] = {};

    if (left < 12) {
#pragma unroll
        for (int e = 0; e < 8; e++)
            x[e] = e < left ? __ldg(from + e) : 0.0f;
        return;
    }
    *(float4 *)&all[0] = __ldg((const float4 *)(from - before));
    *(float4 *)&all[4] = __ldg((const float4 *)(from - before) + 1);
    if (before != 0)
        *(float4 *)&all[8] = __ldg((const float4 *)(from - before) + 2);
#pragma unroll
    for (int e = 0; e < 10; e++)
        all[e] = before & 1 ? all[e + 1] : all[e];
#pragma unroll
    for (int e = 0; e < 8; e++)
        x[e] = before & 2 ? all[e + 2] : all[e];
}

/* What all spans of a line have in common with what it says of them. Four threads a line. */
__device__ void merge_spans(const factor &f, int group)
{
    __shared__ int exponents[4][GROUP];
    __shared__ float3 sums[4][GROUP];
    __shared__ unsigned long long uneven;
    const int own = threadIdx.x % GROUP, part = threadIdx.x / GROUP, l = group * GROUP + own;
    unsigned long long bits = 0;
    float3 sum = {0, 0, 0};
    int most = NOTHING;

    if (threadIdx.x == 0)
        uneven = 0;
#pragma unroll 4
    for (int s = part; s < f.spans; s += 4)
        most = max(most, __ldcg(&f.scales[(size_t)s * f.padded + l].exponent));
    exponents[part][own] = most;
    __syncthreads();
    for (int p = 0; p < 4; p++)
        most = max(most, exponents[p][own]);
#pragma unroll 4
    for (int s = part; s < f.spans; s += 4) {
        const int exponent = __ldcg(&f.scales[(size_t)s * f.padded + l].exponent);
        const float4 record = __ldcg(&f.records[(size_t)s * f.padded + l]);
        const bool apart = exponent - most < -60; // the product leaves such a span out
        const float scale = power(2 * max(exponent - most, -60));

        if (exponent < most && exponent != NOTHING)
            bits |= 1ull << s / 2;
        sum.x += record.x * scale;
        sum.y += (apart && exponent != NOTHING ? record.x : record.y) * scale;
        f.scales[(size_t)s * f.padded + l].factor = apart ? 0.0f : power(exponent - most);
        sum.z += record.z;
    }
    sums[part][own] = sum;
    if (bits)
        atomicOr(&uneven, bits);
    __syncthreads();
    if (part == 0) {
        for (int p = 1; p < 4; p++)
            sum = {sum.x + sums[p][own].x, sum.y + sums[p][own].y, sum.z + sums[p][own].z};
        /* The factors are more than what these few roundings can take away. */
        f.lines[l] = {max(most, -200) - 14, 1.01f * sqrtf(sum.x), 1.01f * sqrtf(sum.y), sqrtf(sum.z) * 0x1p-24f};
    }
    if (threadIdx.x == 0)
        f.uneven[group] = uneven;
}

/*
 * A block of 256 threads cuts a span of 64 lines. Each thread has eight neighbours of memory in each of four passes: of
 * rows, a warp has all k of two rows in a pass; of columns, eight threads have all lines of a k.
 */
template <bool COLUMNS> __device__ void cut_span(const factor &f, int group, int span)
{
    __shared__ unsigned most_of[8][GROUP];
    __shared__ tally seen_of[8][GROUP];
    __shared__ bool is_last;
    constexpr int PASSES = GROUP * SPAN / 256 / 8, OWN = COLUMNS ? 8 : PASSES; // OWN: lines that a thread has a part of
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, row = warp * 2 + lane / 16; // row: of pass 0
    float x[PASSES][8];
    unsigned most[OWN] = {};
    float scale[OWN], again[OWN];
    bool special[OWN];
    tally seen[OWN] = {};

#pragma unroll
    for (int i = 0; i < PASSES; i++) {
        const int l = group * GROUP + (COLUMNS ? tid % 8 * 8 : row + 16 * i);
        const int k = span * SPAN + (COLUMNS ? tid / 8 + 32 * i : lane % 16 * 8);
        const bool there = l < f.end && k < f.k;
        const size_t at = COLUMNS ? (size_t)k * f.pitch + l : (size_t)l * f.pitch + k;

        get_eight(x[i], f.x + (there ? at : 0), there ? (COLUMNS ? f.end - l : f.k - k) : 0);
#pragma unroll
        for (int e = 0; e < 8; e++)
            most[COLUMNS ? e : i] = max(most[COLUMNS ? e : i], __float_as_uint(x[i][e]) & 0x7fffffffu);
    }

    /* most: of the lines of this thread, by all threads that have a part of them. */
#pragma unroll
    for (int q = 0; q < OWN; q++)
        if (COLUMNS) {
            most[q] = max(most[q], __shfl_xor_sync(~0u, most[q], 8));
            most[q] = max(most[q], __shfl_xor_sync(~0u, most[q], 16));
            if (lane < 8)
                most_of[warp][lane * 8 + q] = most[q];
        } else {
            for (int distance = 1; distance < 16; distance *= 2)
                most[q] = max(most[q], __shfl_xor_sync(~0u, most[q], distance));
        }
    if (COLUMNS) {
        __syncthreads();
        if (tid < GROUP) {
            unsigned all = most_of[0][tid];

            for (int w = 1; w < 8; w++)
                all = max(all, most_of[w][tid]);
            most_of[0][tid] = all;
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < OWN; q++)
            most[q] = most_of[0][tid % 8 * 8 + q];
    }
#pragma unroll
    for (int q = 0; q < OWN; q++) {
        /* An infinity or NaN takes part as zero, and with it its line in this span; all its elements are lost. */
        const int shift = most[q] == 0 ? 0 : 14 - exponent_of(most[q]);

        special[q] = most[q] >= 0x7f800000u;
        scale[q] = power(shift / 2);
        again[q] = power(shift - shift / 2);
    }

#pragma unroll
    for (int i = 0; i < PASSES; i++) {
        const int at = COLUMNS ? (tid / 8 + 32 * i) % SLAB : row + 16 * i; // a row of the block of halves
        const int slab = span * (SPAN / SLAB) + (COLUMNS ? (tid / 8 + 32 * i) / SLAB : lane % 16 / 8);
        cut_pair pairs[4];

#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int p = COLUMNS ? 2 * e : i, q = COLUMNS ? 2 * e + 1 : i;

            pairs[e] = cut_two({special[p] ? 0.0f : x[i][2 * e], special[q] ? 0.0f : x[i][2 * e + 1]},
                               {scale[p], scale[q]}, {again[p], again[q]}, seen[p], seen[q]);
        }
        if (slab < f.slabs) {
            unsigned char *to = f.halves + ((size_t)group * f.slabs + slab) * BLOCK + at * 128 +
                                ((tid % 8 ^ at % 8) << 4);

            *(uint4 *)to = make_uint4(bits(pairs[0].high), bits(pairs[1].high), bits(pairs[2].high),
                                      bits(pairs[3].high));
            *(uint4 *)(to + HALVES) = make_uint4(bits(pairs[0].low), bits(pairs[1].low), bits(pairs[2].low),
                                                 bits(pairs[3].low));
        }
    }

#pragma unroll
    for (int q = 0; q < OWN; q++) {
        for (int distance = COLUMNS ? 8 : 1; distance < (COLUMNS ? 32 : 16); distance *= 2) {
            seen[q].squares += __shfl_xor_sync(~0u, seen[q].squares, distance);
            seen[q].losses += __shfl_xor_sync(~0u, seen[q].losses, distance);
            seen[q].terms += __shfl_xor_sync(~0u, seen[q].terms, distance);
        }
        if (COLUMNS && lane < 8)
            seen_of[warp][lane * 8 + q] = seen[q];
        if (!COLUMNS && lane % 16 == 0) {
            seen_of[0][row + 16 * q] = seen[q];
            most_of[0][row + 16 * q] = most[q];
        }
    }
    __syncthreads();
    if (tid < GROUP) {
        tally all = seen_of[0][tid];
        const unsigned largest = most_of[0][tid];
        const bool lost = largest >= 0x7f800000u;
        const size_t at = (size_t)span * f.padded + group * GROUP + tid;

        for (int w = 1; COLUMNS && w < 8; w++)
            all = {all.squares + seen_of[w][tid].squares, all.losses + seen_of[w][tid].losses,
                   all.terms + seen_of[w][tid].terms};
        f.scales[at].exponent = lost ? NOTHING : exponent_of(largest);
        f.records[at] = make_float4(all.squares, lost ? __int_as_float(0x7f800000) : all.losses, all.terms, 0);
    }

    /* The block of a group that comes last sums up. */
    __threadfence();
    __syncthreads();
    if (tid == 0)
        is_last = atomicInc(&f.arrived[group], f.spans - 1) == f.spans - 1; // and 0 again

    __syncthreads();
    if (is_last) {
        __threadfence();
        merge_spans(f, group);
    }
}

/* blockIdx.x: the span; blockIdx.y: the group, of those of A from `a_first` on, then of those of B. */
__global__ void __launch_bounds__(256, 3) cut(const factor a, int a_first, int a_groups, const factor b, int b_first)
{
    allow_next();
    if ((int)blockIdx.y < a_groups)
        cut_span<false>(a, a_first + blockIdx.y, blockIdx.x);
    else
        cut_span<true>(b, b_first + blockIdx.y - a_groups, blockIdx.x);
}
