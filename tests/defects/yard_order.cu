/*
 * yard_order.cu - defects of order: flags and scopes, queues and graphs, waits without an end. Each case is wrong; with
 * -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/atomic>
#include <thread>

#include "suite.h"

namespace cg = cooperative_groups;

#define DRIVER(call) suite_check(static_cast<cudaError_t>(call), __LINE__)

template <typename T, cuda::thread_scope scope> using ref = cuda::atomic_ref<T, scope>;
template <typename T> using of_grid = cuda::atomic_ref<T, cuda::thread_scope_device>;

// Takes a while and adds to each element.
__global__ void add(int *data, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    __nanosleep(1000);
    data[i] += value; // HERE two_graphs_one_buffer graph_beside_kernel allocated_for_a_graph
}

// Two steps make no sum, volatile or not.
__global__ void count_all(const int *in, volatile int *count)
{
    if (in[threadIdx.x] == 0) {
        if (right)
            atomicAdd(const_cast<int *>(count), 1);
        else
            *count = *count + 1; // HERE volatile_in_global
    }
}

// expect: global-race
static void volatile_in_global(void)
{
    device<int> in(256), count(1);

    count_all<<<1, 256>>>(in, count);
    FINISH();
}

struct particle {
    float x, y, z, mass;
};

__global__ void place(particle *all)
{
    particle *p = &all[blockIdx.x * blockDim.x + threadIdx.x];

    p->x = threadIdx.x;
    p->y = p->z = 0;
    if (right)
        p->mass = 1;
}

__global__ void weigh(const particle *all, float *sum)
{
    atomicAdd(sum, all[blockIdx.x * blockDim.x + threadIdx.x].mass); // HERE member_never_set
}

// One member of the particles gets no value.
// expect: uninitialised
static void member_never_set(void)
{
    particle *all;
    device<float> sum(1);

    CHECK(cudaMalloc(&all, 128 * sizeof *all));
    place<<<2, 64>>>(all);
    weigh<<<2, 64>>>(all, sum);
    FINISH();
    CHECK(cudaFree(all));
}

// Each block makes as many rounds as it has work, and all of them meet in each round.
__global__ void rounds(const int *work, int *out)
{
    cg::grid_group grid = cg::this_grid();
    int n = right ? 4 : work[blockIdx.x];

    for (int k = 0; k < n; k++) {
        if (threadIdx.x == 0 && k < work[blockIdx.x])
            atomicAdd(&out[k], 1);
        grid.sync(); // HERE rounds_of_the_grid
    }
}

// expect: deadlock|divergent-barrier
static void rounds_of_the_grid(void)
{
    int host[4] = {1, 2, 3, 4};
    device<int> work(4, host), out(4);
    int *w = work, *o = out;
    void *arguments[] = {&w, &o};

    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(rounds), dim3(4), dim3(32), arguments, 0, nullptr));
    FINISH();
}

static cudaGraphExec_t graph_of(int *data, int value)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    stream s;

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    add<<<1, 64, 0, s>>>(data, value);
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

// Two graphs run in two streams, and have one buffer.
// expect: stream-race
static void two_graphs_one_buffer(void)
{
    device<int> data(64);
    cudaGraphExec_t one = graph_of(data, 1), two = graph_of(data, 2);
    stream s, t;
    event done;

    CHECK(cudaGraphLaunch(one, s));
    CHECK(cudaEventRecord(done, s));
    if (right)
        CHECK(cudaStreamWaitEvent(t, done));
    CHECK(cudaGraphLaunch(two, t));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(one));
    CHECK(cudaGraphExecDestroy(two));
}

// A kernel of another stream writes what the graph writes.
// expect: stream-race
static void graph_beside_kernel(void)
{
    device<int> data(64);
    cudaGraphExec_t exec = graph_of(data, 1);
    stream s, t;

    CHECK(cudaGraphLaunch(exec, s));
    add<<<1, 64, 0, right ? s : t>>>(data, 3);
    FINISH();
    CHECK(cudaGraphExecDestroy(exec));
}

// A graph writes a table in constant memory, and no edge leads to the kernel that reads it.
__constant__ int factors[64];

__global__ void multiplied(int *out)
{
    out[threadIdx.x] *= factors[63 - threadIdx.x]; // HERE symbol_without_edge
}

// expect: stream-race
static void symbol_without_edge(void)
{
    device<int> from(64), out(64);
    int *at = out;
    void *arguments[] = {&at};
    cudaKernelNodeParams kernel = {(void *)multiplied, dim3(1), dim3(64), 0, arguments, nullptr};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, second;
    cudaMemcpyKind how = cudaMemcpyDeviceToDevice;

    CHECK(cudaMemcpyToSymbol(factors, from, 256, 0, how));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&first, graph, nullptr, 0, factors, from.at, 256, 0, how));
    CHECK(cudaGraphAddKernelNode(&second, graph, &first, right ? 1 : 0, &kernel));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

// The memory is there when its stream is there. The graph's stream does not wait for that.
// expect: stream-race
static void allocated_for_a_graph(void)
{
    int *data;
    stream s, t;
    event ready;
    cudaGraphExec_t exec;

    CHECK(cudaMallocAsync(&data, 64 * sizeof(int), s));
    CHECK(cudaMemsetAsync(data, 0, 64 * sizeof(int), s)); // HERE allocated_for_a_graph
    CHECK(cudaEventRecord(ready, s));
    exec = graph_of(data, 1);
    if (right)
        CHECK(cudaStreamWaitEvent(t, ready));
    CHECK(cudaGraphLaunch(exec, t));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeAsync(data, t));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(exec));
}

// The release reaches the own block, and another block waits.
template <cuda::thread_scope scope> __device__ void raise_flag(int *flag)
{
    ref<int, scope>(*flag).store(1, cuda::memory_order_release);
}

__global__ void handed_on(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        *data = 5; // HERE release_of_the_block
        if (right)
            raise_flag<cuda::thread_scope_device>(flag);
        else
            raise_flag<cuda::thread_scope_block>(flag);
    } else {
        while (of_grid<int>(*flag).load(cuda::memory_order_acquire) == 0) // HERE release_of_the_block
            __nanosleep(100);
        *out = *data; // HERE release_of_the_block
    }
}

// expect: global-race
static void release_of_the_block(void)
{
    device<int> data(1), flag(1), out(1);

    handed_on<<<2, 1>>>(data, flag, out);
    FINISH();
}

// Data go on by two flags. The one in the middle reads the first flag without acquire.
template <bool acquire> __global__ void passed_by(int *data, int *flags, int *out)
{
    if (blockIdx.x == 0) {
        *data = 9; // HERE passed_on_relaxed
        of_grid<int>(flags[0]).store(1, cuda::memory_order_release);
    } else if (blockIdx.x == 1) {
        while (of_grid<int>(flags[0]).load(acquire ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0)
            __nanosleep(100);
        of_grid<int>(flags[1]).store(1, cuda::memory_order_release);
    } else {
        while (of_grid<int>(flags[1]).load(cuda::memory_order_acquire) == 0)
            __nanosleep(100);
        *out = *data; // HERE passed_on_relaxed
    }
}

// expect: global-race
static void passed_on_relaxed(void)
{
    device<int> data(1), flags(2), out(1);

    passed_by<right><<<3, 1>>>(data, flags, out);
    FINISH();
}

// A copy to shared memory reads what other threads have just stored.
__global__ void copied_from(int *data, int *out)
{
    __shared__ alignas(16) int tile[64];
    int t = threadIdx.x;
    unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[t]));
    const int *at = &data[63 - t];

    data[t] = t * t; // HERE copied_before_written
    if (right)
        __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), // HERE copied_before_written
                 "l"(at)                                               // HERE copied_before_written
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[t] = tile[t];
}

// expect: global-race
static void copied_before_written(void)
{
    device<int> data(64), out(64);

    copied_from<<<1, 64>>>(data, out);
    FINISH();
}

// The kernel wants clusters of two blocks, and its launch makes none.
__global__ void asks_neighbour(int *out)
{
    __shared__ int own;
    cg::cluster_group cluster = cg::this_cluster();

    own = blockIdx.x;
    cluster.sync();
    int *other = cluster.map_shared_rank(&own, (blockIdx.x + 1) % 2);
    if (threadIdx.x == 0)
        out[blockIdx.x] = *other; // HERE launched_without_cluster
    cluster.sync();
}

// expect: illegal-address|out-of-bounds
static void launched_without_cluster(void)
{
    device<int> out(2);
    cudaLaunchConfig_t how = {};
    cudaLaunchAttribute attribute = {};

    how.gridDim = dim3(2);
    how.blockDim = dim3(32);
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    how.attrs = &attribute;
    how.numAttrs = right ? 1 : 0;
    CHECK(cudaLaunchKernelEx(&how, asks_neighbour, out.at));
    FINISH();
}

// Three kernels in a row. The second one waits for nobody, so its end says nothing about the first one.
__global__ void first_of_three(int *data)
{
    cudaTriggerProgrammaticLaunchCompletion();
    __nanosleep(1000);
    data[threadIdx.x] = 3;
}

__global__ void second_of_three(int *other)
{
    cudaTriggerProgrammaticLaunchCompletion();
    if (right)
        cudaGridDependencySynchronize();
    other[threadIdx.x] = 4;
}

__global__ void third_of_three(const int *data, int *out)
{
    cudaGridDependencySynchronize();
    out[threadIdx.x] = data[threadIdx.x]; // HERE second_waits_for_nobody
}

template <typename... P, typename... A> static void launch_early(cudaStream_t s, void (*kernel)(P...), A... arguments)
{
    cudaLaunchConfig_t how = {};
    cudaLaunchAttribute attribute = {};

    how.gridDim = dim3(1);
    how.blockDim = dim3(64);
    how.stream = s;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    how.attrs = &attribute;
    how.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&how, kernel, P(arguments)...));
}

// expect: stream-race
static void second_waits_for_nobody(void)
{
    device<int> data(64), other(64), out(64);
    stream s;

    first_of_three<<<1, 64, 0, s>>>(data);
    launch_early(s, second_of_three, other.at);
    launch_early(s, third_of_three, data.at, out.at);
    FINISH();
}

// A warp tells another one by a flag, and no fence stands between data and flag.
__global__ void warp_to_warp(const int *in, int *out)
{
    __shared__ int data[32];
    __shared__ volatile int ready;
    int t = threadIdx.x;

    if (t == 0)
        ready = 0;
    __syncthreads();
    if (t < 32) {
        data[t] = in[t] * 2; // HERE warps_by_a_flag
        if (right)
            __threadfence_block();
        __syncwarp();
        if (t == 0)
            ready = 1;
    } else {
        while (!ready) {
        }
        if (right)
            __threadfence_block();
        out[t - 32] = data[63 - t]; // HERE warps_by_a_flag
    }
}

// expect: shared-race
static void warps_by_a_flag(void)
{
    device<int> in(32), out(32);

    warp_to_warp<<<1, 64>>>(in, out);
    FINISH();
}

// A stream waits for a word that nobody writes.
// expect: deadlock
static void nobody_writes_the_word(void)
{
    device<int> word(1), data(64);
    stream s, t;
    CUdeviceptr at = reinterpret_cast<CUdeviceptr>(word.at);

    add<<<1, 64, 0, s>>>(data, 1); // which loads the kernel
    DRIVER(cuStreamWaitValue32(s, at, 1, CU_STREAM_WAIT_VALUE_EQ));
    add<<<1, 64, 0, s>>>(data, 1);
    CHECK(cudaGetLastError());
    if (right)
        DRIVER(cuStreamWriteValue32(t, at, 1, 0));
    CHECK(cudaDeviceSynchronize()); // HERE nobody_writes_the_word
}

__global__ void wait_for_host(volatile int *flag, int *out)
{
    while (*flag == 0) // HERE host_waits_first
        __nanosleep(1000);
    *out = 1;
}

// The host waits for the kernel, and would tell it to go on after that.
// expect: deadlock
static void host_waits_first(void)
{
    device<int> out(1);
    volatile int *flag;
    int *memory;

    CHECK(cudaMallocHost(&memory, sizeof(int)));
    flag = memory;
    *flag = 0;
    wait_for_host<<<1, 1>>>(flag, out);
    CHECK(cudaGetLastError());
    if (right)
        *flag = 1;
    CHECK(cudaDeviceSynchronize());
    *flag = 1;
    CHECK(cudaFreeHost(memory));
}

__global__ void wait_for_flag(int *flag, int *out)
{
    while (atomicAdd(flag, 0) == 0) // HERE waits_for_the_next
        __nanosleep(1000);
    *out = 1;
}

__global__ void set_flag(int *flag)
{
    atomicExch(flag, 1);
}

// A kernel waits for the next one of its stream.
// expect: deadlock
static void waits_for_the_next(void)
{
    device<int> flag(1), out(1);
    stream s;

    if (right)
        set_flag<<<1, 1, 0, s>>>(flag);
    wait_for_flag<<<1, 1, 0, s>>>(flag, out);
    if (!right)
        set_flag<<<1, 1, 0, s>>>(flag);
    FINISH();
}

// Elements are put in front of a list in shared memory.
__global__ void listed(const int *in, int *out)
{
    __shared__ int head, next[64];
    int t = threadIdx.x, count = 0;

    if (t == 0)
        head = -1;
    __syncthreads();
    if (right) {
        next[t] = atomicExch(&head, t);
    } else {
        next[t] = head; // HERE put_in_front
        head = t;       // HERE put_in_front
    }
    __syncthreads();
    for (int k = head; k >= 0 && count < 64; k = next[k])
        count++;
    out[t] = count + in[t];
}

// expect: shared-race
static void put_in_front(void)
{
    device<int> in(64), out(64);

    listed<<<1, 64>>>(in, out);
    FINISH();
}

// The fence comes before the data, where it should come after them.
__global__ void told_too_early(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        if (!right)
            __threadfence();
        data[0] = 42; // HERE fence_before_the_data
        if (right)
            __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            __nanosleep(100);
        __threadfence();
        *out = data[0]; // HERE fence_before_the_data
    }
}

// expect: global-race
static void fence_before_the_data(void)
{
    device<int> data(1), flag(1), out(1);

    told_too_early<<<2, 1>>>(data, flag, out);
    FINISH();
}

// The place of the smallest value: a thread asks whether its value is the smallest while others still look.
__global__ void smallest(const int *in, int *best, int *place)
{
    int t = threadIdx.x;

    atomicMin(best, in[t]); // HERE place_before_the_end
    if (right)
        __syncthreads();
    if (*best == in[t]) // HERE place_before_the_end
        atomicExch(place, t);
}

// expect: global-race
static void place_before_the_end(void)
{
    int host[128], most = 1 << 30;
    for (int i = 0; i < 128; i++)
        host[i] = (i * 89 + 7) % 128;
    device<int> in(128, host), best(1, &most), place(1);

    smallest<<<1, 128>>>(in, best, place);
    FINISH();
}

// The root is set by a plain store, beside compare-and-swaps of other threads.
__device__ int root_of(int *parent, int i)
{
    while (atomicAdd(&parent[i], 0) != i)
        i = atomicAdd(&parent[i], 0);
    return i;
}

__global__ void unite(int *parent, const int2 *edges, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;

    if (t >= n)
        return;
    for (;;) {
        int a = root_of(parent, edges[t].x), b = root_of(parent, edges[t].y);
        if (a == b)
            break;
        int low = min(a, b), high = max(a, b);
        if (right) {
            if (atomicCAS(&parent[high], high, low) == high)
                break;
        } else {
            parent[high] = low; // HERE root_set_plainly
            break;
        }
    }
}

// expect: global-race
static void root_set_plainly(void)
{
    int parents[128];
    int2 list[127];
    for (int i = 0; i < 128; i++)
        parents[i] = i;
    for (int i = 0; i < 127; i++)
        list[i] = make_int2(i, (i * 5 + 3) % 128);
    device<int> parent(128, parents);
    device<int2> edges(127, list);

    unite<<<2, 64>>>(parent, edges, 127);
    FINISH();
}

static const suite_case cases[] = {
    {"root_set_plainly", root_set_plainly},
    {"place_before_the_end", place_before_the_end},
    {"fence_before_the_data", fence_before_the_data},
    {"volatile_in_global", volatile_in_global},
    {"member_never_set", member_never_set},
    {"rounds_of_the_grid", rounds_of_the_grid},
    {"two_graphs_one_buffer", two_graphs_one_buffer},
    {"graph_beside_kernel", graph_beside_kernel},
    {"symbol_without_edge", symbol_without_edge},
    {"allocated_for_a_graph", allocated_for_a_graph},
    {"release_of_the_block", release_of_the_block},
    {"passed_on_relaxed", passed_on_relaxed},
    {"copied_before_written", copied_before_written},
    {"launched_without_cluster", launched_without_cluster},
    {"second_waits_for_nobody", second_waits_for_nobody},
    {"warps_by_a_flag", warps_by_a_flag},
    {"nobody_writes_the_word", nobody_writes_the_word},
    {"host_waits_first", host_waits_first},
    {"waits_for_the_next", waits_for_the_next},
    {"put_in_front", put_in_front},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
