/*
 * yard.cu - defects in kernels, of mechanisms that the other suites lack. Each case is wrong; with -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>

#include "suite.h"

namespace cg = cooperative_groups;

using latch = cuda::latch<cuda::thread_scope_block>;
using barrier = cuda::barrier<cuda::thread_scope_block>;

// Two members of one word, which two threads write.
struct state {
    unsigned open : 4, closed : 4, rest : 24;
};

struct apart {
    unsigned char open, closed;
    unsigned short rest;
};

template <typename S> __global__ void both_sides(S *states, const int *in)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = t / 2;

    if (t % 2 == 0) // HERE bits_of_two_threads
        states[i].open = in[t] & 15; // HERE bits_of_two_threads
    else
        states[i].closed = in[t] & 15; // HERE bits_of_two_threads
} // HERE bits_of_two_threads

// expect: global-race
static void bits_of_two_threads(void)
{
    int host[256];
    for (int i = 0; i < 256; i++)
        host[i] = i + 1;
    device<int> in(256, host);
    device<state> states(128);
    device<apart> others(128);

    if (right)
        both_sides<<<1, 256>>>(others.at, in.at);
    else
        both_sides<<<1, 256>>>(states.at, in.at);
    FINISH();
}

// A block of two dimensions: each warp sums its values. The number of the warp is made of x alone.
__global__ void sum_by_warps(const int *in, int *out)
{
    __shared__ int sums[8];
    int x = threadIdx.x, t = threadIdx.y * blockDim.x + x, value = in[t];
    int warp = right ? t / 32 : x / 32;

    for (int step = 16; step > 0; step /= 2)
        value += __shfl_xor_sync(0xffffffff, value, step);
    if (t % 32 == 0)
        sums[warp] = value; // HERE warp_number_of_x
    __syncthreads();
    if (t < 8)
        atomicAdd(out, sums[t]); // HERE warp_number_of_x
}

// expect: shared-race|uninitialised
static void warp_number_of_x(void)
{
    int host[256];
    for (int i = 0; i < 256; i++)
        host[i] = i;
    device<int> in(256, host), out(1);

    sum_by_warps<<<1, dim3(16, 16)>>>(in, out);
    FINISH();
}

// The first thread of a block takes room for all. In a block of two dimensions x is 0 in each row.
__global__ void take_room(int *counter, int *out)
{
    __shared__ int base;
    int t = threadIdx.y * blockDim.x + threadIdx.x;

    if (right ? t == 0 : threadIdx.x == 0)
        base = atomicAdd(counter, 256); // HERE leader_of_each_row
    __syncthreads();
    out[(base + t) % 4096] = t;
}

// expect: shared-race
static void leader_of_each_row(void)
{
    device<int> counter(1), out(4096);

    take_room<<<2, dim3(16, 16)>>>(counter, out);
    FINISH();
}

// A loop over all elements: the step is the block's size, where it should be the grid's.
__global__ void raise_all(float *data, int n)
{
    int step = right ? gridDim.x * blockDim.x : blockDim.x;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        data[i] = data[i] * 2 + 1; // HERE step_of_one_block
}

// expect: global-race
static void step_of_one_block(void)
{
    device<float> data(2048);

    raise_all<<<4, 128>>>(data, 2048);
    FINISH();
}

// The lanes leave the loop after different numbers of rounds. Then they read what their neighbours stored.
__global__ void lengths(const int *in, int *out)
{
    __shared__ int rounds[32];
    int t = threadIdx.x, n = 0;

    for (int v = in[t]; v != 1; v = v % 2 ? 3 * v + 1 : v / 2)
        n++;
    rounds[t] = n; // HERE left_the_loop_apart
    if (right)
        __syncwarp();
    out[t] = rounds[(t + 1) % 32]; // HERE left_the_loop_apart
}

// expect: shared-race|uninitialised
static void left_the_loop_apart(void)
{
    int host[32];
    for (int i = 0; i < 32; i++)
        host[i] = i + 1;
    device<int> in(32, host), out(32);

    lengths<<<1, 32>>>(in, out);
    FINISH();
}

// The mask is that of the lanes that are active, and lane 0 is not.
__global__ void value_of_the_first(const int *in, int *out)
{
    int t = threadIdx.x;

    if (in[t] > 0) {
        unsigned mask = __activemask();
        out[t] = __shfl_sync(mask, in[t], right ? __ffs(mask) - 1 : 0); // HERE first_lane_is_away
    }
}

// expect: inactive-lane
static void first_lane_is_away(void)
{
    int host[32];
    for (int i = 0; i < 32; i++)
        host[i] = i % 3;
    device<int> in(32, host), out(32);

    value_of_the_first<<<1, 32>>>(in, out);
    FINISH();
}

// The copy's size is in elements, where bytes are asked for.
__global__ void mirror(const int *in, int *out)
{
    __shared__ alignas(16) int tile[128];
    cg::thread_block block = cg::this_thread_block();

    cg::memcpy_async(block, tile, in, right ? sizeof(tile) : 128);
    cg::wait(block);
    out[threadIdx.x] = tile[127 - threadIdx.x]; // HERE group_copies_elements
}

// expect: uninitialised
static void group_copies_elements(void)
{
    device<int> in(128), out(128);

    mirror<<<1, 128>>>(in, out);
    FINISH();
}

// The token is that of the phase before. Its wait is over at once.
__global__ void two_phases(const int *in, int *out)
{
    __shared__ int tile[128];
    __shared__ barrier bar;
    int t = threadIdx.x;

    if (t == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    auto first = bar.arrive();
    auto again = bar.arrive(0 + 1);
    (void)again;
    tile[t] = in[t]; // HERE token_of_another_phase
    bar.wait(std::move(first));
    out[t] = tile[127 - t]; // HERE token_of_another_phase
}

// The same with one arrival behind the store.
__global__ void one_phase(const int *in, int *out)
{
    __shared__ int tile[128];
    __shared__ barrier bar;
    int t = threadIdx.x;

    if (t == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    bar.arrive_and_wait();
    tile[t] = in[t];
    auto token = bar.arrive();
    bar.wait(std::move(token));
    out[t] = tile[127 - t];
}

// expect: shared-race|uninitialised
static void token_of_another_phase(void)
{
    device<int> in(128), out(128);

    if (right)
        one_phase<<<1, 128>>>(in, out);
    else
        two_phases<<<1, 128>>>(in, out);
    FINISH();
}

// The barrier counts warps, and every thread arrives.
__global__ void reversed_by_barrier(const int *in, int *out)
{
    __shared__ int tile[128];
    __shared__ barrier bar;
    int t = threadIdx.x;

    if (t == 0)
        init(&bar, right ? blockDim.x : blockDim.x / 32);
    __syncthreads();
    tile[t] = in[t];       // HERE counts_warps
    bar.arrive_and_wait(); // HERE counts_warps
    out[t] = tile[127 - t]; // HERE counts_warps
}

// expect: shared-race|uninitialised|mismatched-barrier|deadlock
static void counts_warps(void)
{
    device<int> in(128), out(128);

    reversed_by_barrier<<<1, 128>>>(in, out);
    FINISH();
}

// A latch is for one use. In the second round nobody waits.
__global__ void two_rounds(const int *in, int *out)
{
    __shared__ int tile[128];
    __shared__ cuda::std::aligned_storage_t<sizeof(latch), alignof(latch)> rooms[2];
    latch &first = reinterpret_cast<latch &>(rooms[0]), &second = reinterpret_cast<latch &>(rooms[1]);
    int t = threadIdx.x;

    if (t == 0) {
        new (&first) latch(128);
        new (&second) latch(128);
    }
    __syncthreads();
    tile[t] = in[t];
    first.arrive_and_wait();
    int other = tile[127 - t]; // HERE latch_used_again
    if (right) {
        second.arrive_and_wait();
    } else if (first.try_wait()) {
    }
    tile[t] = other + 1; // HERE latch_used_again
    out[t] = tile[t];
}

// expect: shared-race
static void latch_used_again(void)
{
    device<int> in(128), out(128);

    two_rounds<<<1, 128>>>(in, out);
    FINISH();
}

// An image of 100 x 60: one side inside is not enough.
__global__ void brighter(int *image, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (right ? x < width && y < height : x < width || y < height)
        image[y * width + x] += 1; // HERE one_side_inside
}

// expect: out-of-bounds|global-race
static void one_side_inside(void)
{
    device<int> image(100 * 60);

    brighter<<<dim3(7, 4), dim3(16, 16)>>>(image, 100, 60);
    FINISH();
}

// The load stands before the test.
__global__ void scaled(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value;

    if (!right)
        value = __ldcg(in + i); // HERE loaded_before_the_test
    if (i >= n)
        return;
    if (right)
        value = __ldcg(in + i);
    out[i] = 2 * value;
}

// expect: out-of-bounds
static void loaded_before_the_test(void)
{
    device<float> in(1000), out(1000);

    scaled<<<4, 256>>>(in, out, 1000);
    FINISH();
}

// The texts fill their places, and no 0 is left behind the last one.
__global__ void count_letters(const char *texts, int stride, int *out)
{
    const char *at = texts + threadIdx.x * stride;
    int n = 0;

    while (at[n]) // HERE no_end_of_text
        n++;
    out[threadIdx.x] = n;
}

// expect: out-of-bounds|uninitialised
static void no_end_of_text(void)
{
    const char *words = "abcdefghabcdefghabcdefghabcdefgh";
    char host[4][8];
    memcpy(host, words, sizeof host);
    for (char(&each)[8] : host)
        each[right ? 7 : 6] = right ? '\0' : 'g';
    device<char> texts(sizeof host, host[0]);
    device<int> out(4);

    count_letters<<<1, 4>>>(texts, 8, out);
    FINISH();
}

// A number has up to ten digits, and the array holds eight.
__device__ int put_number(char *to, unsigned number)
{
    int n = 0;

    do
        to[n++] = '0' + number % 10; // HERE digits_of_ten
    while (number /= 10);
    return n;
}

__global__ void digits(const unsigned *in, int *out)
{
    char text[right ? 10 : 8];
    int sum = 0, n = put_number(text, in[threadIdx.x]);

    while (n > 0)
        sum = sum * 3 + text[--n];
    out[threadIdx.x] = sum;
}

// expect: out-of-bounds
static void digits_of_ten(void)
{
    unsigned host[4] = {7, 1234, 99999999, 4000000000u};
    device<unsigned> in(4, host);
    device<int> out(4);

    digits<<<1, 4>>>(in, out);
    FINISH();
}

// Each thread has 16 places of its own, and takes the one of its number.
__global__ void own_counts(const int *in, int *out)
{
    int counts[16] = {}, t = threadIdx.x;

    for (int k = 0; k < 8; k++)
        counts[right ? in[k] % 16 : t] += in[k]; // HERE local_place_of_the_thread
    out[t] = counts[in[0] % 16];
}

// expect: out-of-bounds
static void local_place_of_the_thread(void)
{
    device<int> in(8), out(32);

    own_counts<<<1, 32>>>(in, out);
    FINISH();
}

// The text is the host's.
__global__ void report(const char *what, int value)
{
    if (value > 100)
        printf("%s: %d\n", what, value); // HERE text_of_the_host
}

// expect: illegal-address
static void text_of_the_host(void)
{
    const char *name = "the value";
    char *copy;

    CHECK(cudaMalloc(&copy, 16));
    CHECK(cudaMemcpy(copy, name, 10, cudaMemcpyHostToDevice));
    report<<<1, 1>>>(right ? copy : name, 101);
    FINISH();
    CHECK(cudaFree(copy));
}

// Both pointers promise that nobody else writes, and lie in one array.
__global__ void running_mean(const float *__restrict__ in, float *__restrict__ out, int n)
{
    int t = threadIdx.x;

    for (int k = 0; k < n; k++) {
        float next = __ldg(&in[(t + k) % n + 1]); // HERE promised_apart
        __syncthreads();
        out[t] = (out[t] + next) / 2; // HERE promised_apart
        __syncthreads();
    }
}

// expect: global-race
static void promised_apart(void)
{
    float host[65];
    for (int i = 0; i < 65; i++)
        host[i] = i * i;
    device<float> data(65, host), other(65);

    running_mean<<<1, 64>>>(data, right ? other : data, 60);
    FINISH();
}

struct options {
    int width, height, *out;
};

// A parameter that the whole grid shares is changed through its address.
__device__ void set_width(const options *o, int width)
{
    const_cast<options *>(o)->width = width; // HERE parameter_changed
}

__global__ void with_options(const __grid_constant__ options o)
{
    options own = o;

    set_width(right ? &own : &o, threadIdx.x);
    o.out[threadIdx.x] = own.width + own.height;
}

// expect: write-to-read-only|illegal-address|out-of-bounds
static void parameter_changed(void)
{
    device<int> out(32);

    with_options<<<1, 32>>>(options{3, 4, out});
    FINISH();
}

// Two slots and one barrier in each round: a fast warp fills the slot that a slow one still reads.
__global__ void ring_of_slots(const int *in, int *out, int rounds)
{
    __shared__ int slots[2][128];
    int t = threadIdx.x, sum = 0;

    for (int k = 0; k < rounds; k++) {
        int s = right ? k % 2 : 0;
        slots[s][t] = in[k * 128 + t]; // HERE one_barrier_one_slot
        __syncthreads();
        sum += slots[s][127 - t]; // HERE one_barrier_one_slot
    }
    out[t] = sum;
}

// expect: shared-race
static void one_barrier_one_slot(void)
{
    device<int> in(512), out(128);

    ring_of_slots<<<1, 128>>>(in, out, 4);
    FINISH();
}

// The table is made when it is first needed. The test whether it is there is not ordered with its making.
__device__ void need_table(int *table, int *ready)
{
    if (right ? __syncthreads_or(*ready == 0) : *ready == 0) { // HERE made_when_needed
        table[threadIdx.x] = threadIdx.x * threadIdx.x;
        __syncthreads(); // HERE made_when_needed
        if (threadIdx.x == 0)
            *ready = 1; // HERE made_when_needed
    }
    if (right)
        __syncthreads();
}

__global__ void looks_up(const int *in, int *out)
{
    __shared__ int table[64], ready;
    int t = threadIdx.x, sum = 0;

    if (t == 0)
        ready = 0;
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        need_table(table, &ready);
        sum += table[in[t] % 64];
    }
    out[t] = sum;
}

// expect: shared-race|divergent-barrier
static void made_when_needed(void)
{
    device<int> in(64), out(64);

    looks_up<<<1, 64>>>(in, out);
    FINISH();
}

// Each pair has one thread; the wrong test gives both triangles threads.
__global__ void mirrored(float *matrix, int n)
{
    int row = threadIdx.y, column = threadIdx.x;

    if (right ? row < column : row != column)
        matrix[row * n + column] = matrix[column * n + row] =                   // HERE both_triangles
            (matrix[row * n + column] + matrix[column * n + row]) / 2 + column; // HERE both_triangles
}

// expect: global-race
static void both_triangles(void)
{
    device<float> matrix(256);

    mirrored<<<1, dim3(16, 16)>>>(matrix, 16);
    FINISH();
}

// Elements change their places in one array.
__global__ void permute(int *data, const int *place, int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, value = data[t]; // HERE permuted_in_place

    if (right)
        out[place[t]] = value;
    else
        data[place[t]] = value; // HERE permuted_in_place
}

// expect: global-race
static void permuted_in_place(void)
{
    int places[256];
    for (int i = 0; i < 256; i++)
        places[i] = i * 77 % 256;
    device<int> data(256, places), place(256, places), out(256);

    permute<<<2, 128>>>(data, place, out);
    FINISH();
}

// All threads of a block draw from one generator.
struct generator {
    unsigned state;
    __device__ unsigned next() { return state = state * 1664525u + 1013904223u; } // HERE one_generator_for_all
};

__global__ void draw(generator *all, unsigned *out)
{
    generator &g = all[right ? blockIdx.x * blockDim.x + threadIdx.x : blockIdx.x];

    out[blockIdx.x * blockDim.x + threadIdx.x] = g.next() >> 8; // HERE one_generator_for_all
}

// expect: global-race
static void one_generator_for_all(void)
{
    device<generator> all(128);
    device<unsigned> out(128);

    draw<<<2, 64>>>(all, out);
    FINISH();
}

// A counter of 64 bits behind a number of 32.
__global__ void count_long(char *record)
{
    unsigned long long *counter = reinterpret_cast<unsigned long long *>(record + (right ? 8 : 4));

    atomicAdd(counter, 1ull << 33); // HERE counter_at_odd_place
}

// expect: misaligned
static void counter_at_odd_place(void)
{
    device<char> record(16);

    count_long<<<1, 32>>>(record);
    FINISH();
}

// volatile makes no sum of two steps.
__global__ void count_them(const int *in, int *out)
{
    __shared__ volatile int count;
    __shared__ int sum;

    if (threadIdx.x == 0)
        count = sum = 0;
    __syncthreads();
    if (in[threadIdx.x] >= 0) {
        if (right)
            atomicAdd(&sum, 1);
        else
            count = count + 1; // HERE volatile_is_no_atomic
    }
    __syncthreads();
    *out = right ? sum : count;
}

// expect: shared-race
static void volatile_is_no_atomic(void)
{
    device<int> in(128), out(1);

    count_them<<<1, 128>>>(in, out);
    FINISH();
}

// The child gets the address of a variable of its parent.
__global__ void child_adds(const int *value, int *out)
{
    atomicAdd(out, *value); // HERE child_gets_a_local
}

__global__ void parent_of_child(int *out, int *room)
{
    int value = threadIdx.x + 1;
    int *own = right ? &room[threadIdx.x] : &value;

    *own = value;
    child_adds<<<1, 1>>>(own, out); // HERE child_gets_a_local
}

// expect: illegal-address|out-of-bounds|refused|unchecked-error
static void child_gets_a_local(void)
{
    device<int> out(1), room(4);

    parent_of_child<<<1, 4>>>(out, room);
    FINISH();
}

static const suite_case cases[] = {
    {"bits_of_two_threads", bits_of_two_threads},
    {"warp_number_of_x", warp_number_of_x},
    {"leader_of_each_row", leader_of_each_row},
    {"step_of_one_block", step_of_one_block},
    {"left_the_loop_apart", left_the_loop_apart},
    {"first_lane_is_away", first_lane_is_away},
    {"group_copies_elements", group_copies_elements},
    {"token_of_another_phase", token_of_another_phase},
    {"counts_warps", counts_warps},
    {"latch_used_again", latch_used_again},
    {"one_side_inside", one_side_inside},
    {"loaded_before_the_test", loaded_before_the_test},
    {"no_end_of_text", no_end_of_text},
    {"digits_of_ten", digits_of_ten},
    {"local_place_of_the_thread", local_place_of_the_thread},
    {"text_of_the_host", text_of_the_host},
    {"promised_apart", promised_apart},
    {"parameter_changed", parameter_changed},
    {"one_barrier_one_slot", one_barrier_one_slot},
    {"made_when_needed", made_when_needed},
    {"both_triangles", both_triangles},
    {"permuted_in_place", permuted_in_place},
    {"one_generator_for_all", one_generator_for_all},
    {"counter_at_odd_place", counter_at_odd_place},
    {"volatile_is_no_atomic", volatile_is_no_atomic},
    {"child_gets_a_local", child_gets_a_local},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
