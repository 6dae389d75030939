/*
 * idioms_grid.cu - of the second suite: right kernels whose blocks work together, and right uses of memory.
 */
#include <cooperative_groups.h>
#include <cuda/atomic>

#include "suite.h"

namespace cg = cooperative_groups;

static int word_of(const int *at)
{
    int word = 0;

    CHECK(cudaMemcpy(&word, at, sizeof word, cudaMemcpyDeviceToHost));
    return word;
}

__global__ void last_block_adds(int *partial, unsigned *ticket, int *out)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        if (threadIdx.x < gridDim.x)
            atomicAdd(out, partial[threadIdx.x]);
    }
}

static void last_block(void)
{
    device<int> partial(8), out(1);
    device<unsigned> ticket(1);

    last_block_adds<<<8, 32>>>(partial, ticket, out);
    last_block_adds<<<8, 32>>>(partial, ticket, out);
    FINISH();
    EXPECT(word_of(out) == 72);
}

/* Decoupled look-back: 0 nothing, 1 the sum of the block, 2 the sum up to the block. */
__global__ void look_back(volatile int *state, volatile int *sum, volatile int *prefix, int *next, int *out)
{
    __shared__ int tile;

    if (threadIdx.x == 0) {
        int mine = tile = atomicAdd(next, 1), total = 0;
        sum[mine] = mine + 1;
        __threadfence();
        state[mine] = 1;
        for (int k = mine - 1; k >= 0; k--) {
            int ready;
            while ((ready = state[k]) == 0)
                ;
            __threadfence();
            total += ready == 2 ? prefix[k] : sum[k];
            if (ready == 2)
                break;
        }
        prefix[mine] = total + mine + 1;
        __threadfence();
        state[mine] = 2;
        out[mine] = total;
    }
    __syncthreads();
    if (threadIdx.x == 1)
        out[gridDim.x + tile] = tile;
}

static void decoupled_look_back(void)
{
    device<int> state(16), sum(16), prefix(16), next(1), out(32);

    look_back<<<16, 32>>>(state, sum, prefix, next, out);
    FINISH();
    EXPECT(word_of(out + 15) == 120);
}

/* A word of 64 bits carries the state and the value, so no fence is needed. */
__global__ void look_back_packed(unsigned long long *words, int *out)
{
    if (threadIdx.x == 0) {
        unsigned long long before = 0;
        if (blockIdx.x > 0)
            while (!((before = atomicAdd(&words[blockIdx.x - 1], 0ull)) >> 63))
                ;
        before &= ~(1ull << 63);
        out[blockIdx.x] = (int)before;
        atomicExch(&words[blockIdx.x], (1ull << 63) | (before + blockIdx.x + 1));
    }
}

static void packed_look_back(void)
{
    device<unsigned long long> words(16);
    device<int> out(16);

    look_back_packed<<<16, 32>>>(words, out);
    FINISH();
    EXPECT(word_of(out + 15) == 120);
}

__global__ void locked_list(int *lock, int *count, int *list)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            __nanosleep(20);
        __threadfence();
        list[*count] = blockIdx.x;
        *count += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

static void lock_with_fences(void)
{
    device<int> lock(1), count(1), list(16);

    locked_list<<<16, 32>>>(lock, count, list);
    FINISH();
    EXPECT(word_of(count) == 16);
}

__global__ void locked_by_ref(int *lock, int *total)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> l(*lock);

    if (threadIdx.x == 0) {
        int free_value = 0;
        while (!l.compare_exchange_weak(free_value, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed))
            free_value = 0;
        total[0] += blockIdx.x;
        total[1]++;
        l.store(0, cuda::memory_order_release);
    }
}

static void lock_of_atomic_ref(void)
{
    device<int> lock(1), total(2);

    locked_by_ref<<<16, 32>>>(lock, total);
    FINISH();
    EXPECT(word_of(total) == 120);
}

__global__ void ticket_lock(int *tickets, int *total)
{
    if (threadIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device> next(tickets[0]), serving(tickets[1]);
        int mine = next.fetch_add(1, cuda::memory_order_relaxed);
        while (serving.load(cuda::memory_order_acquire) != mine)
            ;
        *total = *total * 3 + 1;
        serving.store(mine + 1, cuda::memory_order_release);
    }
}

static void lock_with_tickets(void)
{
    device<int> tickets(2), total(1);

    ticket_lock<<<8, 32>>>(tickets, total);
    FINISH();
    EXPECT(word_of(total) == 3280);
}

__global__ void block_flag(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (threadIdx.x == 0) {
            while (atomicAdd(flag, 0) == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
    }
}

static void flag_between_blocks(void)
{
    device<int> data(64), flag(1), out(64);

    block_flag<<<2, 64>>>(data, flag, out);
    FINISH();
    EXPECT(word_of(out) == 64);
}

__global__ void release_acquire(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);

    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;
        __syncwarp();
        if (threadIdx.x == 0)
            f.store(1, cuda::memory_order_release);
    } else {
        while (f.load(cuda::memory_order_acquire) == 0)
            ;
        out[threadIdx.x] = data[31 - threadIdx.x];
    }
}

static void released_and_acquired(void)
{
    device<int> data(32), flag(1), out(32);

    release_acquire<<<2, 32>>>(data, flag, out);
    FINISH();
    EXPECT(word_of(out) == 32);
}

/* A barrier of the grid by hand: every phase has a count of its own. */
__global__ void phases_by_hand(int *data, unsigned *arrived, int phases)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

    for (int k = 0; k < phases; k++) {
        int value = data[(i + 1) % n];
        for (int half = 0; half < 2; half++) {
            __syncthreads();
            if (threadIdx.x == 0) {
                __threadfence();
                atomicAdd(arrived, 1);
                while (*(volatile unsigned *)arrived < (2 * k + half + 1) * gridDim.x)
                    ;
                __threadfence();
            }
            __syncthreads();
            if (half == 0)
                data[i] = value + 1;
        }
    }
}

static void grid_barrier_by_hand(void)
{
    device<int> data(128);
    device<unsigned> arrived(1);

    phases_by_hand<<<4, 32>>>(data, arrived, 3);
    FINISH();
    EXPECT(word_of(data) == 3);
}

__global__ void phases_of_group(int *a, int *b)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank(), n = grid.size();

    for (int k = 0; k < 4; k++) {
        b[i] = a[(i + 1) % n] + 1;
        grid.sync();
        a[i] = b[(i + n - 1) % n];
        grid.sync();
    }
}

static void grid_sync_cooperative(void)
{
    device<int> a(256), b(256);
    int *pa = a, *pb = b;
    void *arguments[] = {&pa, &pb};

    CHECK(cudaLaunchCooperativeKernel((void *)phases_of_group, 4, 64, arguments, 0, 0));
    FINISH();
    EXPECT(word_of(a) == 4);
}

__global__ void float_maximum(int *best)
{
    float value = (blockIdx.x * 37 + threadIdx.x * 11) % 97;
    int old = *best;

    while (__int_as_float(old) < value) {
        int seen = atomicCAS(best, old, __float_as_int(value));
        if (seen == old)
            break;
        old = seen;
    }
}

static void compare_and_swap_loop(void)
{
    device<int> best(1);

    float_maximum<<<4, 64>>>(best);
    FINISH();
    EXPECT(word_of(best) == 0x42c00000);
}

__global__ void frontier(const int *first, const int *edge, int *level, int depth, int *more)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;

    if (atomicAdd(&level[v], 0) == depth)
        for (int k = first[v]; k < first[v + 1]; k++)
            if (atomicCAS(&level[edge[k]], -1, depth + 1) == -1)
                atomicExch(more, 1);
}

static void breadth_first(void)
{
    int h[65], e[128], l[64], depth = 0;

    for (int v = 0; v < 64; v++) {
        h[v] = 2 * v;
        e[2 * v] = 2 * v % 64;
        e[2 * v + 1] = (2 * v + 1) % 64;
        l[v] = v ? -1 : 0;
    }
    h[64] = 128;
    device<int> first(65, h), edge(128, e), level(64, l), more(1);
    for (int again = 1; again; depth++) {
        CHECK(cudaMemset(more, 0, sizeof(int)));
        frontier<<<2, 32>>>(first, edge, level, depth, more);
        FINISH();
        again = word_of(more);
    }
    EXPECT(word_of(level + 63) == 6);
}

__global__ void mark_composites(unsigned char *composite, int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x + 2;

    for (int k = 2 * p; k < n; k += p)
        composite[k] = 1;
}

static void same_value_stored_by_many(void)
{
    device<unsigned char> composite(1000);

    mark_composites<<<4, 64>>>(composite, 1000);
    FINISH();
}

__global__ void reverse_pairs(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n / 2) {
        int a = data[i], b = data[n - 1 - i];
        data[i] = b + 1;
        data[n - 1 - i] = a + 1;
    }
}

static void reversed_in_place(void)
{
    device<int> data(256);

    reverse_pairs<<<2, 64>>>(data, 256);
    FINISH();
    EXPECT(word_of(data) == 1);
}

__global__ void red_and_black(int *u, int n, int colour)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + colour;

    if (i > 0 && i + 1 < n)
        u[i] = (u[i - 1] + u[i + 1]) / 2 + 1;
}

static void red_black_in_place(void)
{
    device<int> u(256);

    for (int k = 0; k < 4; k++)
        red_and_black<<<2, 64>>>(u, 256, k % 2);
    FINISH();
    EXPECT(word_of(u) == 0);
}

/* Work that is taken from a counter; items that a thread adds are there before the count says so. */
__global__ void work_queue(int *items, int *head, int *tail, int *done, int most)
{
    if (threadIdx.x != 0)
        return;
    while (true) {
        int at = atomicAdd(head, 1), item;
        if (at >= most)
            return;
        while ((item = atomicAdd(&items[at], 0)) == 0)
            ;
        if (item < 8) {
            int two = atomicAdd(tail, 2);
            atomicExch(&items[two], 2 * item);
            atomicExch(&items[two + 1], 2 * item + 1);
        }
        atomicAdd(done, 1);
    }
}

static void queue_of_work(void)
{
    int h[16] = {1}, one = 1;
    device<int> items(16, h), head(1), tail(1, &one), done(1);

    work_queue<<<4, 32>>>(items, head, tail, done, 15);
    FINISH();
    EXPECT(word_of(done) == 15);
}

/* Rows by pointers from a table in memory. */
__global__ void rows_by_table(int **rows, int columns)
{
    for (int k = threadIdx.x; k < columns; k += blockDim.x)
        rows[blockIdx.x][k] = blockIdx.x * columns + k;
    __syncthreads();
    if (threadIdx.x == 0)
        rows[blockIdx.x][0] += rows[blockIdx.x][columns - 1];
}

static void pointers_in_a_table(void)
{
    device<int> data(4 * 100);
    int *h[4];

    for (int k = 0; k < 4; k++)
        h[k] = data + k * 100;
    device<int *> rows(4, h);
    rows_by_table<<<4, 64>>>(rows, 100);
    FINISH();
    EXPECT(word_of(data + 100) == 299);
}

/* Threads of a block pass on through global memory, behind a barrier of the block. */
__global__ void scratch_in_global(int *scratch, int *out)
{
    int *mine = scratch + blockIdx.x * 64;

    for (int k = 0; k < 3; k++) {
        mine[threadIdx.x] = threadIdx.x + k;
        __syncthreads();
        out[blockIdx.x * 64 + threadIdx.x] = mine[63 - threadIdx.x];
        __syncthreads();
    }
}

static void block_scratch_in_global(void)
{
    device<int> scratch(256), out(256);

    scratch_in_global<<<4, 64>>>(scratch, out);
    FINISH();
    EXPECT(word_of(out) == 65);
}

/* ---- threads and their memory ---- */

__global__ void guarded_block(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int i = blockIdx.x * 64 + threadIdx.x;

    if (blockIdx.x * 64 >= n)
        return;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i >= n)
        return;
    out[i] = threadIdx.x < 63 ? s[threadIdx.x + 1] : -1;
}

static void whole_block_returns(void)
{
    device<int> in(100), out(100);

    guarded_block<<<4, 64>>>(in, out, 100);
    FINISH();
}

__device__ int depth_of(int n) { return n <= 1 ? 0 : 1 + depth_of(n / 2); }

__global__ void depths(int *out)
{
    out[threadIdx.x] = depth_of(threadIdx.x + 1);
}

static void recursion_that_fits(void)
{
    device<int> out(64);

    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    depths<<<1, 64>>>(out);
    FINISH();
}

__global__ void small_heap(int *out)
{
    int **table = (int **)malloc(4 * sizeof *table), sum = 0;

    if (!table)
        return;
    for (int k = 0; k < 4; k++) {
        table[k] = new int[k + 1];
        for (int i = 0; i <= k; i++)
            table[k][i] = i;
    }
    for (int k = 0; k < 4; k++) {
        sum += table[k][k];
        delete[] table[k];
    }
    free(table);
    free(nullptr);
    out[threadIdx.x] = sum;
}

static void heap_freed(void)
{
    device<int> out(64);

    small_heap<<<1, 64>>>(out);
    FINISH();
}

/* One thread allocates, all use it, another one frees it. */
__global__ void heap_shared_by_block(int *out)
{
    __shared__ int *list;
    int t = threadIdx.x;

    if (t == 0)
        list = (int *)malloc(64 * sizeof(int));
    __syncthreads();
    if (!list)
        return;
    list[t] = t;
    __syncthreads();
    out[t] = list[63 - t];
    __syncthreads();
    if (t == 33)
        free(list);
}

static void heap_of_the_block(void)
{
    device<int> out(64);

    heap_shared_by_block<<<1, 64>>>(out);
    FINISH();
}

struct Pixel {
    unsigned char red, green, blue;
    int depth;
};

__global__ void shade(Pixel *pixels, Pixel *copy, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Pixel p;

    if (i >= n)
        return;
    p.red = i;
    p.green = p.blue = 0;
    p.depth = i;
    pixels[i] = p;
    copy[i] = pixels[i];
}

static void padding_copied(void)
{
    Pixel *pixels, *copy, h[100];

    CHECK(cudaMalloc(&pixels, sizeof h));
    CHECK(cudaMalloc(&copy, sizeof h));
    shade<<<2, 64>>>(pixels, copy, 100);
    FINISH();
    CHECK(cudaMemcpy(h, copy, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT(h[99].depth == 99);
    CHECK(cudaFree(pixels));
    CHECK(cudaFree(copy));
}

__global__ void best_of_few(const int *in, int *out, int n)
{
    int best, found = 0;

    for (int k = 0; k < n; k++)
        if (in[k] > (int)threadIdx.x && (!found || in[k] < best)) {
            best = in[k];
            found = 1;
        }
    out[threadIdx.x] = found ? best : -1;
}

static void value_only_where_found(void)
{
    device<int> in(16), out(32);

    best_of_few<<<1, 32>>>(in, out, 16);
    FINISH();
}

__global__ void insertion(const int *in, int *out, int n)
{
    int best[4], count = 0;

    for (int k = 0; k < n; k++) {
        int value = in[k * 32 + threadIdx.x], at = count < 4 ? count++ : 4;
        for (; at > 0 && best[at - 1] < value; at--)
            if (at < 4)
                best[at] = best[at - 1];
        if (at < 4)
            best[at] = value;
    }
    out[threadIdx.x] = best[0] + best[count - 1];
}

static void partial_local_array(void)
{
    device<int> in(96), out(32);

    insertion<<<1, 32>>>(in, out, 3);
    FINISH();
}

__global__ void as_vectors(const int *in, int *out)
{
    int4 v = ((const int4 *)in)[threadIdx.x];

    ((int2 *)out)[2 * threadIdx.x] = make_int2(v.y, v.x);
    ((int2 *)out)[2 * threadIdx.x + 1] = make_int2(v.w, v.z);
}

static void vectors_of_four(void)
{
    device<int> in(128), out(128);

    as_vectors<<<1, 32>>>(in, out);
    FINISH();
}

static const suite_case cases[] = {
    {"last_block", last_block},
    {"decoupled_look_back", decoupled_look_back},
    {"packed_look_back", packed_look_back},
    {"lock_with_fences", lock_with_fences},
    {"lock_of_atomic_ref", lock_of_atomic_ref},
    {"lock_with_tickets", lock_with_tickets},
    {"flag_between_blocks", flag_between_blocks},
    {"released_and_acquired", released_and_acquired},
    {"grid_barrier_by_hand", grid_barrier_by_hand},
    {"grid_sync_cooperative", grid_sync_cooperative},
    {"compare_and_swap_loop", compare_and_swap_loop},
    {"breadth_first", breadth_first},
    {"same_value_stored_by_many", same_value_stored_by_many},
    {"reversed_in_place", reversed_in_place},
    {"red_black_in_place", red_black_in_place},
    {"queue_of_work", queue_of_work},
    {"pointers_in_a_table", pointers_in_a_table},
    {"block_scratch_in_global", block_scratch_in_global},
    {"whole_block_returns", whole_block_returns},
    {"recursion_that_fits", recursion_that_fits},
    {"heap_freed", heap_freed},
    {"heap_of_the_block", heap_of_the_block},
    {"padding_copied", padding_copied},
    {"value_only_where_found", value_only_where_found},
    {"partial_local_array", partial_local_array},
    {"vectors_of_four", vectors_of_four},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
