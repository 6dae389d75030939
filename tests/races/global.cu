/* global.cu - global memory, between blocks and inside of one. */
#include "suite.h"

__global__ void blocks_count_plainly(int *data)
{
    if (threadIdx.x == 0)
        data[0] += 1; // RACE
}

__global__ void blocks_count(int *data)
{
    if (threadIdx.x == 0)
        atomicAdd(&data[0], 1);
}

__global__ void blocks_overlap(int *data)
{
    int i = blockIdx.x * 100 + threadIdx.x;

    data[i] = i + (int)blockIdx.x; // RACE
}

__global__ void blocks_apart(int *data)
{
    int i = blockIdx.x * 128 + threadIdx.x;

    data[i] = i;
}

/* The neighbour's element is the next block's at the edge. */
__global__ void stencil_in_place(int *data)
{
    int i = blockIdx.x * 128 + threadIdx.x, sum;

    sum = data[i] + data[i + 1]; // RACE
    __syncthreads();
    data[i] = sum + 1; // RACE
}

__global__ void stencil_two_arrays(int *data)
{
    int i = blockIdx.x * 128 + threadIdx.x;

    data[8192 + i] = data[i] + data[i + 1];
}

__global__ void same_value_by_all_blocks(int *data)
{
    if (data[1024 + threadIdx.x] == 0)
        data[0] = 1;
}

__global__ void values_by_all_blocks(int *data)
{
    if (threadIdx.x == 0)
        data[0] = (int)blockIdx.x + 1; // RACE
}

__global__ void atomics_and_plain_read(int *data)
{
    if (threadIdx.x == 0)
        atomicMax(&data[0], (int)blockIdx.x + 1); // RACE
    data[64 + blockIdx.x * 64 + threadIdx.x] = data[0]; // RACE
}

__global__ void atomics_and_plain_write(int *data)
{
    if (threadIdx.x == 1)
        atomicAdd(&data[0], 1); // RACE
    if (threadIdx.x == 33 && blockIdx.x == 0)
        data[0] = 7; // RACE
}

/* In one block, through global memory. */
__global__ void block_exchange(int *data)
{
    int t = threadIdx.x;

    data[1024 + t] = t; // RACE
    data[t] = data[1024 + (t + 32) % 256]; // RACE
}

__global__ void block_exchange_synced(int *data)
{
    int t = threadIdx.x;

    data[1024 + t] = t;
    __syncthreads();
    data[t] = data[1024 + (t + 32) % 256];
}

/* A barrier of the block does not hold the other blocks. */
__global__ void barrier_is_not_the_grids(int *data)
{
    int t = threadIdx.x, i = blockIdx.x * 128 + t;

    data[i] = i; // RACE
    __syncthreads();
    data[8192 + i] = data[(i + 128) % 512]; // RACE
}

/* Every block sums its own part; the last one is to be known by a counter. */
__global__ void last_block(int *data)
{
    __shared__ bool last;
    volatile int *sums = data + 256;

    if (threadIdx.x == 0) {
        sums[blockIdx.x] = (int)blockIdx.x;
        __threadfence();
        last = atomicAdd(&data[0], 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;

        for (int n = 0; n < (int)gridDim.x; n++)
            sum += sums[n];
        data[1] = sum;
    }
}

__global__ void last_block_plain_reads(int *data)
{
    __shared__ bool last;

    data[256 + blockIdx.x * 64 + threadIdx.x] = (int)blockIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&data[0], 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (last) {
        int sum = 0;

        __threadfence();
        for (int n = 0; n < (int)gridDim.x; n++)
            sum += data[256 + n * 64 + threadIdx.x];
        data[1024 + threadIdx.x] = sum;
    }
}

__global__ void last_block_without_fence(int *data)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        data[256 + blockIdx.x] = (int)blockIdx.x;
        last = atomicAdd(&data[0], 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;

        for (int n = 0; n < (int)gridDim.x; n++)
            sum += data[256 + n]; // RACE
        data[1] = sum;
    }
}

/* Bytes of one word by different blocks. */
__global__ void bytes_of_blocks(int *data)
{
    unsigned char *text = (unsigned char *)data;

    if (threadIdx.x == 0)
        text[blockIdx.x] = (unsigned char)blockIdx.x;
}

__global__ void bytes_of_blocks_overlap(int *data)
{
    unsigned char *text = (unsigned char *)data;

    if (threadIdx.x == 0)
        text[blockIdx.x / 2] = (unsigned char)(blockIdx.x + 1); // RACE
}

__global__ void tickets(int *data)
{
    int place = atomicAdd(&data[0], 1);

    data[1024 + place] = (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

/* A list grows by a counter, and is read while it grows. */
__global__ void tickets_read_early(int *data)
{
    int place = atomicAdd(&data[0], 1);

    data[1024 + place] = place + 1; // RACE
    data[4096 + place] = data[1024 + place / 2]; // RACE
}

/* Relaxation without atomics: what another thread wrote between is lost. */
__global__ void lost_minimum(int *data)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), d = 100 - i;

    if (d < data[i % 8]) // RACE
        data[i % 8] = d; // RACE
}

__device__ int total;
__global__ void variable_of_the_module(int *data)
{
    if (threadIdx.x == 0)
        total += data[blockIdx.x] + 1; // RACE
}

/* Vectors of the rows of a matrix, one row per block, edges apart. */
__global__ void rows_as_vectors(int *data)
{
    int4 *row = (int4 *)(data + blockIdx.x * 256);

    row[threadIdx.x] = make_int4(1, 2, 3, 4);
}

__global__ void rows_as_vectors_overlap(int *data)
{
    int4 *row = (int4 *)(data + blockIdx.x * 252);

    row[threadIdx.x] = make_int4((int)blockIdx.x, 2, 3, 4); // RACE
}

/* The cache that __ldg() reads does not take part in the launch's own stores, ordered or not. */
__global__ void read_only_after_store(int *data)
{
    int t = threadIdx.x;

    data[t] = t;
    __syncthreads();
    data[1024 + t] = __ldg(data + 63 - t); // RACE
}

/* Stored after it was read, and what is read was not stored to. */
__global__ void read_only_before_store(int *data)
{
    int t = threadIdx.x, old = __ldg(data + t);

    data[t] = old + 1;
    __syncthreads();
    data[1024 + t] = data[63 - t] + __ldg(data + 2048 + t);
}

/* A lane of block 0 stores what it had read there, which changes nothing, and then something else. */
__global__ void stores_back_and_then_more(int *data)
{
    int i = (int)threadIdx.x, old;

    if (blockIdx.x) {
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(old) : "l"(data + i) : "memory"); // RACE
        data[8192 + blockIdx.x * 64 + i] = old;
        return;
    }
    old = data[i];
    asm("st.global.u32 [%0], %1;" : : "l"(data + i), "r"(old) : "memory");
    asm("st.global.u32 [%0], %1;" : : "l"(data + i), "r"(old + 1) : "memory"); // RACE
}

/* The same place again and again, until a barrier hands it on. */
__global__ void sums_in_place(int *data)
{
    int *row = data + (blockIdx.x * 64 + threadIdx.x) * 24;

    for (int n = 0; n < 8; n++) {
        row[n % 2] += n;
        asm("" : : : "memory");
    }
    __syncthreads();
    data[65535 - blockIdx.x * 64 - threadIdx.x] = data[(blockIdx.x * 64 + 63 - threadIdx.x) * 24];
}

/* All terms are 0, so no sum changes. The words are shared by threads all the same. */
__global__ void sums_of_nothing(int *data)
{
    int *word = &data[threadIdx.x % 10];

    *word += data[1024 + threadIdx.x]; // RACE
}

/* A larger value replaces the one that was there. None is larger. */
__global__ void maxima_of_nothing(int *data)
{
    int *word = &data[threadIdx.x % 10], value = data[1024 + threadIdx.x];

    *word = value > *word ? value : *word;
}

struct record {
    unsigned sum, sums[2];
    unsigned char mark, marks[3];
};

/* Words and bytes in one kernel. Each thread has a record of its own. */
__global__ void records_of_words_and_bytes(int *data)
{
    record *own = (record *)data + blockIdx.x * blockDim.x + threadIdx.x;

    for (unsigned n = 0; n < 2; n++) {
        own->sum += own->marks[n] + threadIdx.x;
        own->sums[n] = own->sum;
        own->mark = (unsigned char)(own->sum + n);
    }
}

/* The same, and it looks at the next thread's. */
__global__ void records_of_others(int *data)
{
    record *own = (record *)data + blockIdx.x * blockDim.x + threadIdx.x;

    own->sum = threadIdx.x + own->mark; // RACE
    own->sums[0] = own[1].sum; // RACE
}

int main(int argc, char **argv)
{
    suite_only = argc > 1 ? argv[1] : NULL;
    RUN(blocks_count_plainly, 8, 64);
    RUN(blocks_count, 8, 64);
    RUN(blocks_overlap, 8, 128);
    RUN(blocks_apart, 8, 128);
    RUN(stencil_in_place, 8, 128);
    RUN(stencil_two_arrays, 8, 128);
    RUN(same_value_by_all_blocks, 8, 64);
    RUN(values_by_all_blocks, 8, 64);
    RUN(atomics_and_plain_read, 8, 64);
    RUN(read_only_after_store, 1, 64);
    RUN(read_only_before_store, 1, 64);
    RUN(atomics_and_plain_write, 8, 64);
    RUN(block_exchange, 1, 256);
    RUN(block_exchange_synced, 1, 256);
    RUN(barrier_is_not_the_grids, 4, 128);
    RUN(last_block, 8, 64);
    RUN(last_block_plain_reads, 8, 64);
    RUN(last_block_without_fence, 8, 64);
    RUN(bytes_of_blocks, 8, 64);
    RUN(bytes_of_blocks_overlap, 8, 64);
    RUN(tickets, 8, 64);
    RUN(tickets_read_early, 8, 64);
    RUN(lost_minimum, 4, 64);
    RUN(variable_of_the_module, 8, 64);
    RUN(rows_as_vectors, 8, 64);
    RUN(rows_as_vectors_overlap, 8, 64);
    RUN(stores_back_and_then_more, 8, 64);
    RUN(sums_in_place, 8, 64);
    RUN(sums_of_nothing, 8, 64);
    RUN(maxima_of_nothing, 8, 64);
    RUN(records_of_words_and_bytes, 8, 64);
    RUN(records_of_others, 8, 64);
}
