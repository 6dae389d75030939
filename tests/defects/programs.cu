/*
 * programs.cu - of the third suite: defects in the host's part, and right programs that look like them.
 *
 * Built with -g. The marks are those of kernels.cu. A case with no line of expected kinds is right.
 */
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "suite.h"

__global__ void twice(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        data[i] *= 2; // HERE count_of_pointer memset_turned_around width_in_elements graph_of_freed used_after_reset
}

__global__ void add(int *to, const int *a, const int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = a[i] + b[i]; // HERE copy_node_without_edge
}

static int *pinned(size_t count)
{
    int *memory;

    CHECK(cudaMallocHost(&memory, count * sizeof(int)));
    memset(memory, 0, count * sizeof(int));
    return memory;
}

/* ---- defects ---- */

// expect: uninitialised
static void count_of_pointer(void)
{
    int h[256] = {}, *data;

    CHECK(cudaMalloc(&data, sizeof h));
    CHECK(cudaMemcpy(data, h, sizeof data, cudaMemcpyHostToDevice));
    twice<<<1, 256>>>(data, 256);
    FINISH();
    CHECK(cudaFree(data));
}

// expect: uninitialised
static void memset_turned_around(void)
{
    int *data;

    CHECK(cudaMalloc(&data, 1024));
    CHECK(cudaMemset(data, 1024, 0));
    twice<<<1, 256>>>(data, 256);
    FINISH();
    CHECK(cudaFree(data));
}

struct growing {
    int *items;
    int count;
};

__global__ void append_one(growing *list)
{
    list->items[list->count++] = 1; // HERE pointer_from_before_growth
}

/* The buffer grows, and the structure on the device keeps the old pointer. */
// expect: use-after-free
static void pointer_from_before_growth(void)
{
    int *items = device_copy<int>(nullptr, 16), *larger = device_copy<int>(nullptr, 64);
    growing h = {items, 10};
    device<growing> list(1, &h);

    CHECK(cudaMemcpy(larger, items, 10 * sizeof(int), cudaMemcpyDeviceToDevice));
    CHECK(cudaFree(items));
    items = larger;
    append_one<<<1, 1>>>(list);
    FINISH();
    CHECK(cudaFree(items));
}

// expect: host-race
static void event_recorded_early(void)
{
    device<int> data(256);
    int *result = pinned(256);
    stream s;
    event done;

    twice<<<1, 256, 0, s>>>(data, 256);
    CHECK(cudaEventRecord(done, s));
    CHECK(cudaMemcpyAsync(result, data, 1024, cudaMemcpyDeviceToHost, s));
    CHECK(cudaEventSynchronize(done));
    printf("%d\n", *(volatile int *)result); // HERE event_recorded_early
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaFreeHost(result));
}

// expect: host-race
static void next_input_too_early(void)
{
    int *data;
    stream s;
    cudaMemLocation location = {cudaMemLocationTypeDevice, 0};

    CHECK(cudaMallocManaged(&data, 4096));
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < 1024; k++)
            data[k] = k + round; // HERE next_input_too_early
        CHECK(cudaMemPrefetchAsync(data, 4096, location, 0, s));
        twice<<<4, 256, 0, s>>>(data, 1024);
    }
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaFree(data));
}

// expect: unchecked-error|refused
static void fork_not_joined(void)
{
    device<int> data(512);
    stream first, second;
    event fork;
    cudaGraph_t graph = nullptr;

    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    twice<<<1, 256, 0, first>>>(data, 256);
    CHECK(cudaEventRecord(fork, first));
    CHECK(cudaStreamWaitEvent(second, fork, 0));
    twice<<<1, 256, 0, second>>>(data + 256, 256);
    cudaStreamEndCapture(first, &graph); // HERE fork_not_joined
}

// expect: stream-race
static void copy_node_without_edge(void)
{
    device<int> a(256), b(256), sum(256);
    int *h = pinned(256), *sum_at = sum, *a_at = a, *b_at = b, n = 256;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t copies[2], kernel;
    cudaKernelNodeParams node = {};
    void *arguments[] = {&sum_at, &a_at, &b_at, &n};

    node.func = (void *)add;
    node.gridDim = dim3(1);
    node.blockDim = dim3(256);
    node.kernelParams = arguments;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&copies[0], graph, nullptr, 0, a_at, h, 1024, cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddMemcpyNode1D(&copies[1], graph, nullptr, 0, b_at, h, 1024, cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddKernelNode(&kernel, graph, copies, 1, &node));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    CHECK(cudaGraphLaunch(ready, 0)); // HERE copy_node_without_edge
    FINISH();
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFreeHost(h));
}

// expect: use-after-free|refused|unchecked-error|out-of-bounds
static void freed_before_copied_back(void)
{
    int *data = device_copy<int>(nullptr, 256), h[256];

    twice<<<1, 256>>>(data, 256);
    CHECK(cudaFree(data));
    cudaMemcpy(h, data, sizeof h, cudaMemcpyDeviceToHost); // HERE freed_before_copied_back
}

__device__ int scratch[256];

__global__ void through_scratch(int *data, int n)
{
    int i = threadIdx.x;

    if (i < n)
        scratch[i] = data[n - 1 - i]; // HERE one_scratch_for_two_streams
    __syncthreads();
    if (i < n)
        data[i] = scratch[i]; // HERE one_scratch_for_two_streams
}

// expect: stream-race
static void one_scratch_for_two_streams(void)
{
    device<int> a(256), b(256);
    stream first, second;

    through_scratch<<<1, 256, 0, first>>>(a, 256);
    through_scratch<<<1, 256, 0, second>>>(b, 256);
    FINISH();
}

// expect: stream-race
static void launch_forgot_stream(void)
{
    device<int> a(256), sum(256);
    int *h = pinned(256);
    stream s;

    CHECK(cudaMemcpyAsync(a, h, 1024, cudaMemcpyHostToDevice, s)); // HERE launch_forgot_stream
    add<<<1, 256, 0>>>(sum, a, a, 256); // HERE launch_forgot_stream
    CHECK(cudaMemcpyAsync(h, sum, 1024, cudaMemcpyDeviceToHost, s)); // HERE launch_forgot_stream
    FINISH();
    CHECK(cudaFreeHost(h));
}

// expect: refused|unchecked-error
static void rows_in_grid_y(void)
{
    device<int> data(256);

    twice<<<dim3(1, 70000), 32>>>(data, 256); // HERE rows_in_grid_y
    CHECK(cudaDeviceSynchronize());
}

struct buffer {
    int *at;

    explicit buffer(int count) { CHECK(cudaMalloc(&at, count * sizeof(int))); }
    ~buffer() { cudaFree(at); } // HERE buffer_copied_by_value
};

static void clear(buffer b)
{
    CHECK(cudaMemset(b.at, 0, 1024));
}

// expect: invalid-free
static void buffer_copied_by_value(void)
{
    buffer b(256);

    clear(b);
}

// expect: uninitialised
static void width_in_elements(void)
{
    int *data, h[16][32] = {};

    CHECK(cudaMalloc(&data, sizeof h));
    CHECK(cudaMemcpy2D(data, 128, h, 128, 32, 16, cudaMemcpyHostToDevice));
    twice<<<2, 256>>>(data, 512);
    FINISH();
    CHECK(cudaFree(data));
}

__device__ int lookup[64];

__global__ void copy_lookup(const int *table, int *out)
{
    out[threadIdx.x] = table[threadIdx.x]; // HERE symbol_as_argument
}

// expect: illegal-address
static void symbol_as_argument(void)
{
    device<int> out(64);

    copy_lookup<<<1, 64>>>(lookup, out);
    FINISH();
}

// expect: use-after-free
static void graph_of_freed(void)
{
    int *data = device_copy<int>(nullptr, 256);
    stream s;
    cudaGraph_t graph;
    cudaGraphExec_t ready;

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    twice<<<1, 256, 0, s>>>(data, 256);
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    CHECK(cudaGraphLaunch(ready, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaFree(data));
    CHECK(cudaGraphLaunch(ready, s));
    CHECK(cudaStreamSynchronize(s));
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaGetLastError();
}

static bool solve(int n)
{
    int *matrix, *vector;

    if (cudaMalloc(&matrix, 4096) != cudaSuccess) // HERE kept_on_early_return
        return false;
    if (cudaMalloc(&vector, 256) != cudaSuccess) // HERE kept_on_early_return
        return false;
    if (n > 64)
        return false;
    return cudaFree(vector) == cudaSuccess && cudaFree(matrix) == cudaSuccess;
}

// expect: leak
static void kept_on_early_return(void)
{
    EXPECT(!solve(100));
}

// expect: use-after-free|illegal-address|out-of-bounds
static void used_after_reset(void)
{
    int *data = device_copy<int>(nullptr, 256);

    CHECK(cudaDeviceReset());
    twice<<<1, 256>>>(data, 256);
    FINISH();
    cudaGetLastError();
}

/* ---- right programs ---- */

static void ring_with_events(void)
{
    device<int> data(256);
    int *slots[3] = {pinned(256), pinned(256), pinned(256)};
    event copied[3];
    stream s;

    for (int k = 0; k < 9; k++) {
        int slot = k % 3;
        if (k >= 3)
            CHECK(cudaEventSynchronize(copied[slot]));
        for (int i = 0; i < 256; i++)
            slots[slot][i] = k;
        CHECK(cudaMemcpyAsync(data, slots[slot], 1024, cudaMemcpyHostToDevice, s));
        CHECK(cudaEventRecord(copied[slot], s));
        twice<<<1, 256, 0, s>>>(data, 256);
    }
    CHECK(cudaStreamSynchronize(s));
    for (int *slot : slots)
        CHECK(cudaFreeHost(slot));
}

static void sum_up(void *words)
{
    int *at = (int *)words;

    for (int k = 1; k < 256; k++)
        at[0] += at[k];
}

static void host_function_in_the_middle(void)
{
    device<int> data(256);
    int *words = pinned(256);
    stream s;

    for (int k = 0; k < 256; k++)
        words[k] = k;
    CHECK(cudaMemcpyAsync(data, words, 1024, cudaMemcpyHostToDevice, s));
    twice<<<1, 256, 0, s>>>(data, 256);
    CHECK(cudaMemcpyAsync(words, data, 1024, cudaMemcpyDeviceToHost, s));
    CHECK(cudaLaunchHostFunc(s, sum_up, words));
    CHECK(cudaMemcpyAsync(data, words, 4, cudaMemcpyHostToDevice, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(words[0] == 255 * 256);
    CHECK(cudaFreeHost(words));
}

static void other_managed_meanwhile(void)
{
    int *a, *b;
    stream s;

    CHECK(cudaMallocManaged(&a, 4096));
    CHECK(cudaMallocManaged(&b, 4096));
    memset(a, 0, 4096);
    CHECK(cudaStreamAttachMemAsync(s, a, 0, cudaMemAttachSingle));
    twice<<<4, 256, 0, s>>>(a, 1024);
    for (int k = 0; k < 1024; k++)
        b[k] = k;
    CHECK(cudaStreamSynchronize(s));
    EXPECT(a[7] == 0 && b[7] == 7);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

static void prefetched_both_ways(void)
{
    int *data;
    stream s;
    cudaMemLocation to_device = {cudaMemLocationTypeDevice, 0}, to_host = {cudaMemLocationTypeHost, 0};

    CHECK(cudaMallocManaged(&data, 4096));
    for (int k = 0; k < 1024; k++)
        data[k] = k;
    CHECK(cudaMemPrefetchAsync(data, 4096, to_device, 0, s));
    twice<<<4, 256, 0, s>>>(data, 1024);
    CHECK(cudaMemPrefetchAsync(data, 4096, to_host, 0, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(data[1023] == 2046);
    CHECK(cudaFree(data));
}

static void mapped_without_copies(void)
{
    int *words, *seen;

    CHECK(cudaHostAlloc(&words, 1024, cudaHostAllocMapped));
    for (int k = 0; k < 256; k++)
        words[k] = k;
    CHECK(cudaHostGetDevicePointer(&seen, words, 0));
    twice<<<1, 256>>>(seen, 256);
    FINISH();
    EXPECT(words[255] == 510);
    CHECK(cudaFreeHost(words));
}

static void registered_vector(void)
{
    std::vector<int> words(4096, 3);
    device<int> data(4096);
    stream s;

    CHECK(cudaHostRegister(words.data(), words.size() * sizeof(int), cudaHostRegisterDefault));
    CHECK(cudaMemcpyAsync(data, words.data(), 16384, cudaMemcpyHostToDevice, s));
    twice<<<16, 256, 0, s>>>(data, 4096);
    CHECK(cudaMemcpyAsync(words.data(), data, 16384, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaHostUnregister(words.data()));
    EXPECT(words[4095] == 6);
}

static void graph_with_new_arguments(void)
{
    device<int> a(256), b(256);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t cleared, kernel;
    cudaMemsetParams zeros = {};
    cudaKernelNodeParams node = {};
    int *at = a, n = 256;
    void *arguments[] = {&at, &n};

    zeros.dst = a;
    zeros.elementSize = 4;
    zeros.width = 256;
    zeros.height = 1;
    node.func = (void *)twice;
    node.gridDim = dim3(1);
    node.blockDim = dim3(256);
    node.kernelParams = arguments;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemsetNode(&cleared, graph, nullptr, 0, &zeros));
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &cleared, 1, &node));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    CHECK(cudaGraphLaunch(ready, 0));
    at = b;
    CHECK(cudaGraphExecKernelNodeSetParams(ready, kernel, &node));
    CHECK(cudaGraphLaunch(ready, 0));
    FINISH();
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
}

static void pool_across_streams(void)
{
    stream first, second;
    event filled, used;
    int *data;

    for (int k = 0; k < 3; k++) {
        CHECK(cudaMallocAsync(&data, 1024, first));
        CHECK(cudaMemsetAsync(data, 0, 1024, first));
        CHECK(cudaEventRecord(filled, first));
        CHECK(cudaStreamWaitEvent(second, filled, 0));
        twice<<<1, 256, 0, second>>>(data, 256);
        CHECK(cudaEventRecord(used, second));
        CHECK(cudaStreamWaitEvent(first, used, 0));
        CHECK(cudaFreeAsync(data, first));
    }
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaStreamSynchronize(second));
}

static void symbol_by_its_address(void)
{
    device<int> out(64);
    int *table, h[64];

    for (int k = 0; k < 64; k++)
        h[k] = k;
    CHECK(cudaGetSymbolAddress((void **)&table, lookup));
    CHECK(cudaMemcpy(table, h, sizeof h, cudaMemcpyHostToDevice));
    copy_lookup<<<1, 64>>>(table, out);
    FINISH();
    CHECK(cudaMemcpyFromSymbol(h, lookup, 32 * sizeof(int), 32 * sizeof(int)));
    EXPECT(h[0] == 32);
}

__global__ void sum_of_rows(int *const *rows, const int *lengths, int *sums)
{
    int sum = 0;

    for (int k = 0; k < lengths[threadIdx.x]; k++)
        sum += rows[threadIdx.x][k];
    sums[threadIdx.x] = sum;
}

/* The first row is empty, and has no memory. */
static void jagged_rows(void)
{
    int *rows[8], lengths[8], h[8];

    for (int k = 0; k < 8; k++) {
        lengths[k] = k;
        rows[k] = k ? device_copy<int>(nullptr, k) : nullptr;
    }
    device<int *> rows_there(8, rows);
    device<int> lengths_there(8, lengths), sums(8);
    sum_of_rows<<<1, 8>>>(rows_there, lengths_there, sums);
    CHECK(cudaMemcpy(h, sums, sizeof h, cudaMemcpyDeviceToHost));
    for (int *row : rows)
        CHECK(cudaFree(row));
}

struct owner {
    int *at = nullptr;

    explicit owner(int count) { CHECK(cudaMalloc(&at, count * sizeof(int))); }
    owner(owner &&from) : at(std::exchange(from.at, nullptr)) {}
    ~owner() { CHECK(cudaFree(at)); }
};

static owner cleared(int count)
{
    owner made(count);

    CHECK(cudaMemset(made.at, 0, count * sizeof(int)));
    return owner(std::move(made));
}

static void moved_owner(void)
{
    std::vector<owner> all;

    for (int k = 0; k < 5; k++)
        all.push_back(cleared(256));
    for (owner &each : all)
        twice<<<1, 256>>>(each.at, 256);
    FINISH();
}

static void asks_for_less(void)
{
    device<int> data(256);
    int bytes = 1 << 20;

    while (cudaFuncSetAttribute(twice, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) != cudaSuccess) {
        cudaGetLastError();
        bytes /= 2;
    }
    twice<<<1, 256, bytes>>>(data, 256);
    FINISH();
    EXPECT(bytes >= 48 << 10);
}

__global__ void fill_box(cudaPitchedPtr box, int width, int height, int depth)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;

    if (x < width && y < height && z < depth)
        ((int *)((char *)box.ptr + (z * height + y) * box.pitch))[x] = x + 10 * y + 100 * z;
}

static void box_with_pitch(void)
{
    cudaExtent extent = make_cudaExtent(5 * sizeof(int), 4, 3);
    cudaPitchedPtr box;
    cudaMemcpy3DParms copy = {};
    int h[3][4][5];

    CHECK(cudaMalloc3D(&box, extent));
    fill_box<<<1, dim3(8, 8, 4)>>>(box, 5, 4, 3);
    copy.srcPtr = box;
    copy.dstPtr = make_cudaPitchedPtr(h, sizeof h[0][0], 5, 4);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    EXPECT(h[2][3][4] == 234);
    CHECK(cudaFree(box.ptr));
}

static void thread_for_each_stream(void)
{
    device<int> data(4 * 256);
    std::vector<std::thread> threads;

    for (int k = 0; k < 4; k++)
        threads.emplace_back([&data, k] {
            stream s;
            int *h = pinned(256);
            h[0] = k;
            CHECK(cudaMemcpyAsync(data + k * 256, h, 1024, cudaMemcpyHostToDevice, s));
            twice<<<1, 256, 0, s>>>(data + k * 256, 256);
            CHECK(cudaMemcpyAsync(h, data + k * 256, 1024, cudaMemcpyDeviceToHost, s));
            CHECK(cudaStreamSynchronize(s));
            EXPECT(h[0] == 2 * k);
            CHECK(cudaFreeHost(h));
        });
    for (std::thread &each : threads)
        each.join();
    twice<<<4, 256>>>(data, 1024);
    FINISH();
}

static void queried_until_done(void)
{
    int *data;
    stream s;

    CHECK(cudaMallocManaged(&data, 1024));
    memset(data, 1, 1024);
    twice<<<1, 256, 0, s>>>(data, 256);
    while (cudaStreamQuery(s) != cudaSuccess)
        usleep(100);
    EXPECT(data[0] == 0x02020202);
    CHECK(cudaFree(data));
}

static void launched_with_attributes(void)
{
    device<int> data(256);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    int *at = data, n = 256;
    void *arguments[] = {&at, &n};

    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 0;
    config.gridDim = dim3(2);
    config.blockDim = dim3(128);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, twice, at, n));
    CHECK(cudaLaunchKernel((void *)twice, dim3(2), dim3(128), arguments, 0, 0));
    FINISH();
}

__global__ void fetch_all(cudaTextureObject_t words, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(words, 255 - threadIdx.x);
}

static void texture_of_what_was_stored(void)
{
    device<int> data(256), out(256);
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t words;

    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = 1024;
    CHECK(cudaCreateTextureObject(&words, &resource, &description, nullptr));
    for (int k = 0; k < 2; k++) {
        twice<<<1, 256>>>(data, 256);
        fetch_all<<<1, 256>>>(words, out);
    }
    FINISH();
    CHECK(cudaDestroyTextureObject(words));
}

static const suite_case cases[] = {
    {"count_of_pointer", count_of_pointer},
    {"memset_turned_around", memset_turned_around},
    {"pointer_from_before_growth", pointer_from_before_growth},
    {"event_recorded_early", event_recorded_early},
    {"next_input_too_early", next_input_too_early},
    {"fork_not_joined", fork_not_joined},
    {"copy_node_without_edge", copy_node_without_edge},
    {"freed_before_copied_back", freed_before_copied_back},
    {"one_scratch_for_two_streams", one_scratch_for_two_streams},
    {"launch_forgot_stream", launch_forgot_stream},
    {"rows_in_grid_y", rows_in_grid_y},
    {"buffer_copied_by_value", buffer_copied_by_value},
    {"width_in_elements", width_in_elements},
    {"symbol_as_argument", symbol_as_argument},
    {"graph_of_freed", graph_of_freed},
    {"kept_on_early_return", kept_on_early_return},
    {"used_after_reset", used_after_reset},
    {"ring_with_events", ring_with_events},
    {"host_function_in_the_middle", host_function_in_the_middle},
    {"other_managed_meanwhile", other_managed_meanwhile},
    {"prefetched_both_ways", prefetched_both_ways},
    {"mapped_without_copies", mapped_without_copies},
    {"registered_vector", registered_vector},
    {"graph_with_new_arguments", graph_with_new_arguments},
    {"pool_across_streams", pool_across_streams},
    {"symbol_by_its_address", symbol_by_its_address},
    {"jagged_rows", jagged_rows},
    {"moved_owner", moved_owner},
    {"asks_for_less", asks_for_less},
    {"box_with_pitch", box_with_pitch},
    {"thread_for_each_stream", thread_for_each_stream},
    {"queried_until_done", queried_until_done},
    {"launched_with_attributes", launched_with_attributes},
    {"texture_of_what_was_stored", texture_of_what_was_stored},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
