/* shared.cu - shared memory of one block: missing barriers, atomics beside plain accesses, bytes, named barriers. */
#include "suite.h"

__global__ void neighbour_without_barrier(int *data)
{
    __shared__ int tile[256];
    int t = threadIdx.x;

    tile[t] = data[t]; // RACE
    data[t] = tile[(t + 64) % 256]; // RACE
}

__global__ void neighbour_with_barrier(int *data)
{
    __shared__ int tile[256];
    int t = threadIdx.x;

    tile[t] = data[t];
    __syncthreads();
    data[t] = tile[(t + 64) % 256];
}

__global__ void reduction_one_barrier_short(int *data)
{
    __shared__ int sum[256];
    int t = threadIdx.x;

    sum[t] = data[t]; // RACE
    for (int step = 128; step > 0; step /= 2) {
        if (t < step)
            sum[t] += sum[t + step]; // RACE
    }
    if (t == 0)
        data[0] = sum[0];
}

__global__ void reduction(int *data)
{
    __shared__ int sum[256];
    int t = threadIdx.x;

    sum[t] = data[t];
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step)
            sum[t] += sum[t + step];
        __syncthreads();
    }
    if (t == 0)
        data[0] = sum[0];
}

/* The tile is loaded again while slow warps still read it. */
__global__ void tile_reloaded_too_early(int *data)
{
    __shared__ int tile[256];
    int t = threadIdx.x, sum = 0;

    for (int round = 0; round < 4; round++) {
        tile[t] = data[round * 256 + t]; // RACE
        __syncthreads();
        for (int k = 0; k < 256; k += 32)
            sum += tile[(t + k) % 256]; // RACE
    }
    data[t + 4096] = sum;
}

__global__ void tile_reloaded(int *data)
{
    __shared__ int tile[256];
    int t = threadIdx.x, sum = 0;

    for (int round = 0; round < 4; round++) {
        tile[t] = data[round * 256 + t];
        __syncthreads();
        for (int k = 0; k < 256; k += 32)
            sum += tile[(t + k) % 256];
        __syncthreads();
    }
    data[t + 4096] = sum;
}

/* Two buffers need one barrier a round. */
__global__ void two_buffers(int *data)
{
    __shared__ int tile[2][256];
    int t = threadIdx.x, sum = 0;

    tile[0][t] = data[t];
    for (int round = 0; round < 6; round++) {
        __syncthreads();
        tile[(round + 1) & 1][t] = data[round * 256 + t];
        sum += tile[round & 1][255 - t];
    }
    data[t + 4096] = sum;
}

/* A scan that writes in place, with one barrier a step where two are needed. */
__global__ void scan_in_place(int *data)
{
    __shared__ int part[128];
    int t = threadIdx.x;

    part[t] = data[t];
    for (int step = 1; step < 128; step *= 2) {
        __syncthreads();
        if (t >= step)
            part[t] += part[t - step]; // RACE
    }
    data[t] = part[t];
}

__global__ void scan_two_barriers(int *data)
{
    __shared__ int part[128];
    int t = threadIdx.x;

    part[t] = data[t];
    for (int step = 1; step < 128; step *= 2) {
        int add;

        __syncthreads();
        add = t >= step ? part[t - step] : 0;
        __syncthreads();
        part[t] += add;
    }
    data[t] = part[t];
}

/* The counter is set to zero while others may have begun to count. */
__global__ void counter_zeroed_without_barrier(int *data)
{
    __shared__ int n;

    if (threadIdx.x == 0)
        n = 0; // RACE
    atomicAdd(&n, data[threadIdx.x]); // RACE
    __syncthreads();
    data[threadIdx.x] = n;
}

/* The same thread's own atomic follows its write: that must not hide the write from the other warps. */
__global__ void counter_zeroed_leaders_count(int *data)
{
    __shared__ int n;

    if (threadIdx.x == 0)
        n = 0; // RACE
    if (threadIdx.x % 32 == 0)
        atomicAdd(&n, 1); // RACE
    __syncthreads();
    data[threadIdx.x] = n;
}

__global__ void counter(int *data)
{
    __shared__ int n;

    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
    atomicAdd(&n, data[threadIdx.x] + 1);
    __syncthreads();
    data[threadIdx.x] = n;
}

__global__ void counter_read_without_barrier(int *data)
{
    __shared__ int n;

    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
    atomicAdd(&n, 1); // RACE
    data[threadIdx.x] = n; // RACE
}

__global__ void histogram_plain(int *data)
{
    __shared__ int bins[16];
    int t = threadIdx.x;

    if (t < 16)
        bins[t] = 0;
    __syncthreads();
    bins[(t * 7 + data[t]) % 16]++; // RACE
    __syncthreads();
    if (t < 16)
        data[t] = bins[t];
}

__global__ void histogram_atomic(int *data)
{
    __shared__ int bins[16];
    int t = threadIdx.x;

    if (t < 16)
        bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[(t * 7 + data[t]) % 16], 1);
    __syncthreads();
    if (t < 16)
        data[t] = bins[t];
}

/* Bytes of one word by different threads are no race. */
__global__ void bytes_apart(int *data)
{
    __shared__ unsigned char text[256];
    int t = threadIdx.x;

    text[t * 8 % 256 + t / 32] = (unsigned char)(data[t] + t);
    __syncthreads();
    data[t] = text[255 - t];
}

__global__ void bytes_together(int *data)
{
    __shared__ unsigned char text[256];
    int t = threadIdx.x;

    text[t % 64] = (unsigned char)t; // RACE
    __syncthreads();
    data[t] = text[t % 64];
}

__global__ void bytes_read_too_early(int *data)
{
    __shared__ unsigned char text[256];
    int t = threadIdx.x;

    text[t] = (unsigned char)(data[t] + t); // RACE
    data[t] = text[255 - t]; // RACE
}

/* Halves of words, and a word read over both. */
__global__ void halves_read_as_word(int *data)
{
    __shared__ unsigned short half[128];
    int t = threadIdx.x;

    half[t] = (unsigned short)(data[t] + t);
    data[t] = ((int *)half)[t / 2]; // RACE
}

__global__ void same_value_by_all_warps(int *data)
{
    __shared__ int found;

    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (data[threadIdx.x] == 0)
        found = 1;
    __syncthreads();
    data[threadIdx.x] = found;
}

__global__ void two_values_by_two_warps(int *data)
{
    __shared__ int found;

    if (threadIdx.x % 32 == 0)
        found = (int)threadIdx.x; // RACE
    __syncthreads();
    data[threadIdx.x] = found;
}

__global__ void same_value_read_too_early(int *data)
{
    __shared__ int found;

    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (threadIdx.x < 32)
        found = 1; // RACE
    if (threadIdx.x >= 64)
        data[threadIdx.x] = found; // RACE
}

/* The loop's condition is read while the next round may clear it. */
__global__ void loop_flag_cleared_too_early(int *data)
{
    __shared__ int again;
    int rounds = 0;

    do {
        if (threadIdx.x == 0)
            again = 0; // RACE
        __syncthreads();
        if (rounds < 3 && threadIdx.x == 7)
            again = 1;
        __syncthreads();
        rounds++;
    } while (again); // RACE
    data[threadIdx.x] = rounds;
}

__global__ void loop_flag(int *data)
{
    __shared__ int again;
    int rounds = 0, more;

    do {
        __syncthreads();
        if (threadIdx.x == 0)
            again = 0;
        __syncthreads();
        if (rounds < 3 && threadIdx.x == 7)
            again = 1;
        __syncthreads();
        more = again;
        rounds++;
    } while (more);
    data[threadIdx.x] = rounds;
}

/* Named barriers: producers arrive, consumers wait. */
__device__ static void sync_some(int number, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

__device__ static void arrive_some(int number, int threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

__global__ void named_barriers(int *data)
{
    __shared__ int box[64];
    int t = threadIdx.x;

    for (int round = 0; round < 4; round++) {
        if (t < 64) {
            if (round)
                sync_some(2, 128);
            box[t] = round + t;
            arrive_some(1, 128);
        } else {
            sync_some(1, 128);
            data[t] += box[127 - t];
            if (round < 3)
                arrive_some(2, 128);
        }
    }
}

/* The producers do not wait until the box was read. */
__global__ void named_barrier_one_way(int *data)
{
    __shared__ int box[64];
    int t = threadIdx.x;

    for (int round = 0; round < 4; round++) {
        if (t < 64) {
            box[t] = round + t; // RACE
            sync_some(1, 128);
        } else {
            sync_some(1, 128);
            data[t] += box[127 - t]; // RACE
        }
    }
}

/* The barrier holds half of the warps; the data is everybody's. */
__global__ void named_barrier_too_few(int *data)
{
    __shared__ int tile[128];
    int t = threadIdx.x;

    tile[t] = data[t] + t; // RACE
    sync_some(1 + t / 64, 64);
    data[t] = tile[127 - t]; // RACE
}

__global__ void named_barrier_halves(int *data)
{
    __shared__ int tile[128];
    int t = threadIdx.x;

    tile[t] = data[t] + t;
    sync_some(1 + t / 64, 64);
    data[t] = tile[t ^ 63];
}

/* Dynamic parts of one array, one part per warp. */
__global__ void part_of_each_warp(int *data)
{
    __shared__ int part[4][32];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;

    for (int round = 0; round < 3; round++) {
        part[w][l] = data[threadIdx.x] + round;
        __syncwarp();
        data[threadIdx.x] += part[w][31 - l];
        __syncwarp();
    }
}

template <int STEP> __global__ void generic_steps(int *data)
{
    __shared__ int ring[128];
    int t = threadIdx.x;

    ring[t] = data[t]; // RACE
    data[t] = ring[(t + STEP) % 128]; // RACE
}

__device__ __noinline__ int load_through(const int *p) { return *p; }

/* Through a generic pointer. */
__global__ void generic_pointer(int *data)
{
    __shared__ int tile[128];
    int t = threadIdx.x;
    int *p = t < 64 ? &tile[t] : &tile[191 - t];

    *p = t;
    __syncthreads();
    data[t] = load_through(&tile[127 - t]);
}

/* Vectors: 16 bytes a thread, words of them by others. */
__global__ void vectors_read_too_early(int *data)
{
    __shared__ int4 tile[64];
    int t = threadIdx.x;

    tile[t] = make_int4(t, data[t], t, t); // RACE
    data[t] = ((int *)tile)[t]; // RACE
}

__global__ void vectors(int *data)
{
    __shared__ int4 tile[64];
    int t = threadIdx.x;

    tile[t] = make_int4(t, data[t], t, t);
    __syncthreads();
    data[t] = ((int *)tile)[t] + tile[63 - t].y;
}

/*
 * Half a warp reads one number of a row, as in a tile of 16 x 16. The first warp overwrites what the last one read,
 * which goes on first after a barrier.
 */
__global__ void rows_overwritten_too_early(int *data)
{
    __shared__ int tile[256];
    int t = threadIdx.x, sum;

    tile[t] = data[t];
    __syncthreads();
    sum = tile[t / 16 * 16]; // RACE
    if (t < 32)
        tile[t + 224] = sum + t + 1; // RACE
    __syncthreads();
    data[t] = tile[t] + sum;
}

/* Both halves of a warp read the same 16 numbers. The seventh warp goes on last. */
__global__ void columns_overwritten_too_early(int *data)
{
    __shared__ int tile[256];
    int t = threadIdx.x, sum;

    tile[t] = data[t];
    __syncthreads();
    sum = tile[t % 16]; // RACE
    if (t / 32 == 6)
        tile[t - 192] = sum + t + 1; // RACE
    __syncthreads();
    data[t] = tile[t] + sum;
}

__global__ void vectors_of_rows_overwritten_too_early(int *data)
{
    __shared__ int4 tile[256];
    int t = threadIdx.x;
    int4 row;

    tile[t] = make_int4(t, 1, 2, 3);
    __syncthreads();
    row = tile[t / 16 * 16]; // RACE
    row.x += t + 1;
    if (t < 32)
        tile[t + 224] = row; // RACE
    __syncthreads();
    data[t] = row.x + tile[t].x + tile[t].y + tile[t].z + tile[t].w;
}

__global__ void volatile_rows_overwritten_too_early(int *data)
{
    __shared__ volatile int tile[256];
    int t = threadIdx.x, sum;

    tile[t] = data[t];
    __syncthreads();
    sum = tile[t / 16 * 16] + tile[t % 16]; // RACE
    if (t < 32)
        tile[t + 224] = sum + t + 1; // RACE
    __syncthreads();
    data[t] = tile[t] + sum;
}

__global__ void rows_and_columns(int *data)
{
    __shared__ int tile[256];
    volatile int *same = tile;
    int t = threadIdx.x, sum;

    tile[t] = data[t];
    __syncthreads();
    sum = tile[t / 16 * 16] + tile[t % 16] + same[t / 16 * 16] + same[t % 16];
    __syncthreads();
    tile[(t + 64) % 256] = sum;
    __syncthreads();
    data[t] = tile[t];
}

int main(int argc, char **argv)
{
    suite_only = argc > 1 ? argv[1] : NULL;
    RUN(neighbour_without_barrier, 1, 256);
    RUN(neighbour_with_barrier, 1, 256);
    RUN(reduction_one_barrier_short, 1, 256);
    RUN(reduction, 1, 256);
    RUN(tile_reloaded_too_early, 1, 256);
    RUN(tile_reloaded, 1, 256);
    RUN(two_buffers, 1, 256);
    RUN(scan_in_place, 1, 128);
    RUN(scan_two_barriers, 1, 128);
    RUN(counter_zeroed_without_barrier, 1, 128);
    RUN(counter_zeroed_leaders_count, 1, 128);
    RUN(counter, 1, 128);
    RUN(counter_read_without_barrier, 1, 128);
    RUN(histogram_plain, 1, 128);
    RUN(histogram_atomic, 1, 128);
    RUN(bytes_apart, 1, 256);
    RUN(bytes_together, 1, 256);
    RUN(bytes_read_too_early, 1, 256);
    RUN(halves_read_as_word, 1, 128);
    RUN(same_value_by_all_warps, 1, 128);
    RUN(two_values_by_two_warps, 1, 128);
    RUN(same_value_read_too_early, 1, 128);
    RUN(loop_flag_cleared_too_early, 1, 128);
    RUN(loop_flag, 1, 128);
    RUN(named_barriers, 1, 128);
    RUN(named_barrier_one_way, 1, 128);
    RUN(named_barrier_too_few, 1, 128);
    RUN(named_barrier_halves, 1, 128);
    RUN(part_of_each_warp, 1, 128);
    RUN(generic_steps<1>, 1, 128);
    RUN(generic_steps<5>, 1, 128);
    RUN(generic_pointer, 1, 128);
    RUN(vectors_read_too_early, 1, 64);
    RUN(vectors, 1, 64);
    RUN(rows_overwritten_too_early, 1, 256);
    RUN(columns_overwritten_too_early, 1, 256);
    RUN(vectors_of_rows_overwritten_too_early, 1, 256);
    RUN(volatile_rows_overwritten_too_early, 1, 256);
    RUN(rows_and_columns, 1, 256);
}
