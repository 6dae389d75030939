/*
 * lanes.cu - kernels in which lanes, warps or blocks do not all do the same, or work together: idle lanes, shuffles,
 * atomics, grids of as many blocks as the GPU holds, large pieces of shared memory, loads that wait for each other.
 */
#include "kernels.h"

/* ---- one lane of EACH works, chosen by the thread's index ---- */

enum { LANE_STEPS = 512 };

template <int EACH>
static __device__ void work_in_lanes(const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;

    float here = x[i];

    if (threadIdx.x % EACH == 0)
        for (int step = 0; step < LANE_STEPS; step++)
            here = here * 0.99f + 0.0078125f;
    y[i] = here;
}

__global__ void lanes_2(const float *x, float *y, int n)
{
    work_in_lanes<2>(x, y, n);
}

__global__ void lanes_4(const float *x, float *y, int n)
{
    work_in_lanes<4>(x, y, n);
}

__global__ void lanes_32(const float *x, float *y, int n)
{
    work_in_lanes<32>(x, y, n);
}

void launch_lanes_2(const struct run *r)
{
    lanes_2<<<blocks_for(r->size, r->x), r->x>>>(r->in, r->out, (int)r->size);
}

void launch_lanes_4(const struct run *r)
{
    lanes_4<<<blocks_for(r->size, r->x), r->x>>>(r->in, r->out, (int)r->size);
}

void launch_lanes_32(const struct run *r)
{
    lanes_32<<<blocks_for(r->size, r->x), r->x>>>(r->in, r->out, (int)r->size);
}

static void work_in_some(const struct run *r, long each)
{
    for (long i = 0; i < r->size; i++) {
        double here = r->in[i];

        for (int step = 0; step < LANE_STEPS && i % r->x % each == 0; step++)
            here = here * 0.99f + 0.0078125;
        r->out[i] = (float)here;
    }
}

void host_lanes_2(const struct run *r)
{
    work_in_some(r, 2);
}

void host_lanes_4(const struct run *r)
{
    work_in_some(r, 4);
}

void host_lanes_32(const struct run *r)
{
    work_in_some(r, 32);
}

/* ---- sums of 512 numbers, a warp each, by shuffles ---- */

enum { SUMMED = 512 };

__global__ void warp_sums(const float *x, float *sums, int n)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, first = warp * SUMMED + threadIdx.x % 32;
    float sum = 0;

    for (int k = 0; k < SUMMED; k += 32)
        sum += first + k < n ? x[first + k] : 0.0f;
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (threadIdx.x % 32 == 0 && warp * SUMMED < n)
        sums[warp] = sum;
}

void launch_warp_sums(const struct run *r)
{
    warp_sums<<<blocks_for(r->size, r->x / 32 * SUMMED), r->x>>>(r->in, r->out, (int)r->size);
}

void host_warp_sums(const struct run *r)
{
    for (long first = 0; first < r->size; first += SUMMED) {
        double sum = 0;

        for (long i = first; i < first + SUMMED && i < r->size; i++)
            sum += r->in[i];
        r->out[first / SUMMED] = (float)sum;
    }
}

/* ---- a histogram of weights: atomics in shared memory, then in global; the bin is a hash of the index ---- */

enum { BINS = 256, HISTOGRAM_BLOCKS = 1056, HISTOGRAM_EACH = 8 };

static __host__ __device__ unsigned bin_of(unsigned i)
{
    return i * 2654435761u >> 24;
}

__global__ void histogram_shared(const unsigned *weight, unsigned *bins, int n)
{
    __shared__ unsigned here[BINS];
    const int threads = gridDim.x * blockDim.x;

    for (int k = threadIdx.x; k < BINS; k += blockDim.x)
        here[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&here[bin_of(i)], weight[i] & 255);
    __syncthreads();
    for (int k = threadIdx.x; k < BINS; k += blockDim.x)
        atomicAdd(&bins[k], here[k]);
}

void launch_histogram_shared(const struct run *r)
{
    const unsigned blocks = blocks_for(r->size, r->x * HISTOGRAM_EACH);

    histogram_shared<<<blocks < HISTOGRAM_BLOCKS ? blocks : HISTOGRAM_BLOCKS, r->x>>>((const unsigned *)r->in,
                                                                                     (unsigned *)r->out, (int)r->size);
}

void host_histogram_shared(const struct run *r)
{
    for (long i = 0; i < r->size; i++)
        ((unsigned *)r->out)[bin_of((unsigned)i)] += ((const unsigned *)r->in)[i] % 256;
}

/* ---- edit distance of 32 x 128 cells a thread, a column of 32 a word (Myers 1999; Hyyro 2003) ---- */

enum { COLUMN_ROWS = 32, COLUMNS_OF_TEXT = 128 };

/* The text's characters, 0 to 3. */
static __host__ __device__ unsigned character(unsigned j)
{
    return j * 0x9e3779b9u >> 30;
}

/* Words [4][n]: which rows match a character. */
__global__ void myers_words(const uint32_t *match, int *distance, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;

    const uint32_t match_0 = match[i], match_1 = match[n + i], match_2 = match[2 * n + i], match_3 = match[3 * n + i];
    uint32_t more = ~0u, less = 0; /* rows that are one more, one less than the row above */
    int last = COLUMN_ROWS;

#pragma unroll 4
    for (int j = 0; j < COLUMNS_OF_TEXT; j++) {
        const unsigned c = character(j);
        const uint32_t equal = c < 2 ? (c == 0 ? match_0 : match_1) : (c == 2 ? match_2 : match_3);
        const uint32_t vertical = equal | less, horizontal = (((equal & more) + more) ^ more) | equal;
        uint32_t right_more = less | ~(horizontal | more), right_less = more & horizontal;

        last += (int)(right_more >> 31) - (int)(right_less >> 31);
        right_more = right_more << 1 | 1;
        right_less <<= 1;
        more = right_less | ~(vertical | right_more);
        less = right_more & vertical;
    }
    distance[i] = last;
}

void launch_myers_words(const struct run *r)
{
    myers_words<<<blocks_for(r->size, r->x), r->x>>>((const uint32_t *)r->in, (int *)r->out, (int)r->size);
}

/* Cell by cell. */
void host_myers_words(const struct run *r)
{
    const uint32_t *match = (const uint32_t *)r->in;

    for (long i = 0; i < r->size; i++) {
        int cell[COLUMN_ROWS + 1];

        for (int row = 0; row <= COLUMN_ROWS; row++)
            cell[row] = row;
        for (int j = 0; j < COLUMNS_OF_TEXT; j++) {
            const uint32_t equal = match[character((unsigned)j) * r->size + i];
            int corner = cell[0]++;

            for (int row = 1; row <= COLUMN_ROWS; row++) {
                int best = corner + !(equal >> (row - 1) & 1);

                if (cell[row] + 1 < best)
                    best = cell[row] + 1;
                if (cell[row - 1] + 1 < best)
                    best = cell[row - 1] + 1;
                corner = cell[row];
                cell[row] = best;
            }
        }
        ((int *)r->out)[i] = cell[COLUMN_ROWS];
    }
}

/* ---- loads that wait for each other: the next place is a hash, plus a part of what was read that is nought ---- */

enum { LOADS = 64 };

static __host__ __device__ uint32_t place(uint32_t thread, uint32_t load, uint32_t n)
{
    return (uint32_t)((uint64_t)((thread * LOADS + load) * 2654435761u) * n >> 32);
}

/* A thread for LOADS of n words; none is 0, but the compiler does not know. */
__global__ void chase_computed(const uint32_t *word, uint32_t *sum, unsigned n, uint32_t none)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t here = 0, all = 0;

    if (i >= n / LOADS)
        return;
    for (unsigned load = 0; load < LOADS; load++) {
        here = word[place(i, load, n) + (here & none)];
        all += here;
    }
    sum[i] = all;
}

void launch_chase_computed(const struct run *r)
{
    chase_computed<<<blocks_for(r->size / LOADS, r->x), r->x>>>((const uint32_t *)r->in, (uint32_t *)r->out,
                                                               (unsigned)r->size, 0);
}

void host_chase_computed(const struct run *r)
{
    const uint32_t *word = (const uint32_t *)r->in;

    for (uint32_t i = 0; i < r->size / LOADS; i++) {
        uint32_t all = 0;

        for (uint32_t load = 0; load < LOADS; load++)
            all += word[place(i, load, (uint32_t)r->size)];
        ((uint32_t *)r->out)[i] = all;
    }
}

/* ---- grids that the GPU holds at once, whose threads take one element after another ---- */

enum { MULTIPROCESSORS = 132, RESIDENT = 2048, FACTORS = 128 };

__global__ void persistent_triad(const float *a, const float *b, float *c, int n)
{
    const int threads = gridDim.x * blockDim.x;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        c[i] = a[i] + 0.25f * b[i];
}

void launch_persistent_triad(const struct run *r)
{
    persistent_triad<<<2 * MULTIPROCESSORS, r->x>>>(r->inputs[0], r->inputs[1], r->out, (int)r->size);
}

void host_persistent_triad(const struct run *r)
{
    for (long i = 0; i < r->size; i++)
        r->out[i] = r->in[i] + r->in[r->size + i] / 4;
}

__global__ void persistent_powers(const float *x, float *y, int n)
{
    const int threads = gridDim.x * blockDim.x;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        float here = x[i];

#pragma unroll 8
        for (int step = 0; step < FACTORS; step++)
            here = here * 0.96875f + 0.03125f;
        y[i] = here;
    }
}

void launch_persistent_powers(const struct run *r)
{
    /* At most 32 blocks are resident on a multiprocessor. */
    persistent_powers<<<MULTIPROCESSORS * (r->x < 64 ? 32 : RESIDENT / r->x), r->x>>>(r->in, r->out, (int)r->size);
}

/* The distance to 1 shrinks by 31/32 a step. */
void host_persistent_powers(const struct run *r)
{
    double left = 1;

    for (int step = 0; step < FACTORS; step++)
        left *= 0.96875;
    for (long i = 0; i < r->size; i++)
        r->out[i] = (float)(1 + (r->in[i] - 1) * left);
}

/* ---- sums of 16 numbers 1001 apart, going round within a block's part of 32 or 96 KiB of shared memory ---- */

enum { REACH = 16, APART = 1001 };

template <int WORDS_HELD>
static __device__ void sum_around(const float *from, float *to, int n, float *part)
{
    const int first = blockIdx.x * WORDS_HELD;

    for (int k = threadIdx.x; k < WORDS_HELD; k += blockDim.x)
        part[k] = first + k < n ? from[first + k] : 0.0f;
    __syncthreads();
    for (int k = threadIdx.x; k < WORDS_HELD; k += blockDim.x) {
        float sum = 0;
        int at = k;

#pragma unroll
        for (int step = 0; step < REACH; step++) {
            sum += part[at];
            at += at < WORDS_HELD - APART ? APART : APART - WORDS_HELD;
        }
        if (first + k < n)
            to[first + k] = sum;
    }
}

enum { HELD_32 = 32 * 256, HELD_96 = 96 * 256 };

__global__ void shared_32(const float *from, float *to, int n)
{
    extern __shared__ float part_32[];

    sum_around<HELD_32>(from, to, n, part_32);
}

__global__ void shared_96(const float *from, float *to, int n)
{
    extern __shared__ float part_96[];

    sum_around<HELD_96>(from, to, n, part_96);
}

void launch_shared_32(const struct run *r)
{
    shared_32<<<blocks_for(r->size, HELD_32), r->x, HELD_32 * sizeof(float)>>>(r->in, r->out, (int)r->size);
}

/* More than 48 KiB must be asked for; where that fails so does the launch, which is checked. */
void launch_shared_96(const struct run *r)
{
    const int bytes = HELD_96 * (int)sizeof(float);

    cudaFuncSetAttribute(shared_96, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    shared_96<<<blocks_for(r->size, HELD_96), r->x, bytes>>>(r->in, r->out, (int)r->size);
}

static void sum_plainly(const struct run *r, long held)
{
    for (long i = 0; i < r->size; i++) {
        double sum = 0;

        for (long step = 0; step < REACH; step++) {
            const long at = i / held * held + (i % held + step * APART) % held;

            sum += at < r->size ? r->in[at] : 0;
        }
        r->out[i] = (float)sum;
    }
}

void host_shared_32(const struct run *r)
{
    sum_plainly(r, HELD_32);
}

void host_shared_96(const struct run *r)
{
    sum_plainly(r, HELD_96);
}
