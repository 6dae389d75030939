/*
 * ward_host.cu - defects in programs of the host, drawn by lot from a table of mechanisms. Each case is wrong; with
 * -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include <cub/device/device_select.cuh>
#include <cuda.h>
#include <thread>
#include <vector>

#include "suite.h"

__global__ void fill(int *data, int value)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = value; // HERE beyond_mapped two_threads_one_buffer
}

// Takes a while and adds one.
__global__ void slow_add(int *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    __nanosleep(1000);
    data[i] += 1; // HERE range_without_access range_read_only cleared_beside allocation_freed_in_stream
}

__device__ float weights[64];
__device__ float halves[64];
__constant__ float scale[2];

// The second half of a table is replaced. The offset counts elements of the table, and is one too many rows.
// expect: unchecked-error|refused|out-of-bounds
static void symbol_beyond_end(void)
{
    float h[32] = {};

    cudaMemcpyToSymbol(weights, h, sizeof(h), (right ? 32 : 33) * sizeof(float)); // HERE symbol_beyond_end
    cudaDeviceSynchronize();
}

// A table of floats is filled from doubles. The half of its bytes are copied, as its size says.
__global__ void weigh(float *out)
{
    out[threadIdx.x] = halves[threadIdx.x];
}

// expect: unchecked-error|refused|out-of-bounds
static void doubles_to_floats(void)
{
    std::vector<double> h(64, 1);
    std::vector<float> f(h.begin(), h.end());
    device<float> out(64);

    if (right)
        cudaMemcpyToSymbol(halves, f.data(), f.size() * sizeof(float));
    else
        cudaMemcpyToSymbol(halves, h.data(), h.size() * sizeof(double)); // HERE doubles_to_floats
    weigh<<<1, 64>>>(out);
    CHECK(cudaDeviceSynchronize());
}

// A vector grows after its memory was registered. The kernel gets the new memory, which is not.
__global__ void add_all(const int *in, int *out)
{
    atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]); // HERE vector_grew
}

// expect: illegal-address|use-after-free|invalid-free
static void vector_grew(void)
{
    std::vector<int> h(1024, 1);
    device<int> out(1);

    if (right)
        h.resize(100000, 1);
    CHECK(cudaHostRegister(h.data(), h.size() * sizeof(int), cudaHostRegisterMapped));
    h.resize(100000, 1);
    add_all<<<4, 256>>>(h.data(), out);
    FINISH();
    if (right)
        CHECK(cudaHostUnregister(h.data()));
}

// A grid has more threads than its mapped memory has elements.
// expect: out-of-bounds
static void beyond_mapped(void)
{
    int *h, *d;

    CHECK(cudaHostAlloc(&h, 1000 * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&d, h, 0));
    fill<<<right ? 3 : 4, 256>>>(d, 1);
    FINISH();
    CHECK(cudaFreeHost(h));
}

// An event that another stream waits for is recorded in a stream that has no work.
__global__ void add_two(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] + 2; // HERE recorded_in_other_stream
}

// expect: stream-race
static void recorded_in_other_stream(void)
{
    stream s, t;
    event done;
    device<int> a(256), b(256);

    slow_add<<<1, 256, 0, s>>>(a);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(done, right ? s : t));
    CHECK(cudaStreamWaitEvent(t, done, 0));
    add_two<<<1, 256, 0, t>>>(a, b); // HERE recorded_in_other_stream
    FINISH();
}

// A graph with one more node does not fit the executable graph, and nothing looks at the answer.
static cudaGraph_t chain_of(int count, int *data)
{
    stream s;
    cudaGraph_t graph;

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < count; k++)
        fill<<<1, 256, 0, s>>>(data, k);
    CHECK(cudaStreamEndCapture(s, &graph));
    return graph;
}

// expect: unchecked-error
static void update_of_other_shape(void)
{
    device<int> data(256);
    cudaGraph_t two = chain_of(2, data), three = chain_of(3, data);
    cudaGraphExec_t run;
    cudaGraphExecUpdateResultInfo how;

    CHECK(cudaGraphInstantiate(&run, right ? three : two, 0));
    cudaGraphExecUpdate(run, three, &how); // HERE update_of_other_shape
    CHECK(cudaGraphLaunch(run, 0));
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(two));
    CHECK(cudaGraphDestroy(three));
}

// More elements are selected than the output has room for.
struct is_even {
    __device__ bool operator()(int v) const { return v % 2 == 0; }
};

// expect: out-of-bounds|illegal-address
static void selected_too_many(void)
{
    int n = 4096;
    std::vector<int> h(n, 2);
    device<int> in(n, h.data()), out(right ? n : n / 2), count(1);
    size_t size = 0;
    void *memory;

    CHECK(cub::DeviceSelect::If(nullptr, size, in.at, out.at, count.at, n, is_even()));
    CHECK(cudaMalloc(&memory, size));
    CHECK(cub::DeviceSelect::If(memory, size, in.at, out.at, count.at, n, is_even()));
    FINISH();
    CHECK(cudaFree(memory));
}

// A range of addresses with memory, whose access is never set.
static CUdeviceptr mapped_range(size_t size, CUmemAccess_flags access)
{
    CUmemAllocationProp what = {};
    CUmemGenericAllocationHandle memory;
    CUmemAccessDesc how = {};
    CUdeviceptr at = 0;

    what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    how.location = what.location;
    how.flags = access;
    EXPECT(!cuMemAddressReserve(&at, size, 0, 0, 0));
    EXPECT(!cuMemCreate(&memory, size, &what, 0));
    EXPECT(!cuMemMap(at, size, 0, memory, 0));
    EXPECT(!cuMemRelease(memory));
    if (access != CU_MEM_ACCESS_FLAGS_PROT_NONE)
        EXPECT(!cuMemSetAccess(at, size, &how, 1));
    return at;
}

// expect: illegal-address|out-of-bounds|use-after-free
static void range_without_access(void)
{
    size_t size = 2 << 20;

    CHECK(cudaFree(0));
    CUdeviceptr at = mapped_range(size, right ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE);
    if (right)
        EXPECT(!cuMemsetD32(at, 0, 256));
    slow_add<<<1, 256>>>(reinterpret_cast<int *>(at));
    FINISH();
    EXPECT(!cuMemUnmap(at, size));
    EXPECT(!cuMemAddressFree(at, size));
}

// The access of a range is for reads, and a kernel writes.
// expect: write-to-read-only|illegal-address
static void range_read_only(void)
{
    size_t size = 2 << 20;
    CUmemAccessDesc how = {};

    CHECK(cudaFree(0));
    CUdeviceptr at = mapped_range(size, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    EXPECT(!cuMemsetD32(at, 0, 256));
    how.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    how.flags = right ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_READ;
    EXPECT(!cuMemSetAccess(at, size, &how, 1));
    slow_add<<<1, 256>>>(reinterpret_cast<int *>(at));
    FINISH();
    EXPECT(!cuMemUnmap(at, size));
    EXPECT(!cuMemAddressFree(at, size));
}

// Two threads of the host use one buffer, each in its own stream.
// expect: stream-race
static void two_threads_one_buffer(void)
{
    device<int> a(256), b(256);
    int *buffers[2] = {a, right ? b : a};
    stream streams[2];
    std::thread workers[2];

    for (int k = 0; k < 2; k++)
        workers[k] = std::thread([=, &streams] {
            fill<<<1, 256, 0, streams[k]>>>(buffers[k], k);
            CHECK(cudaGetLastError());
        });
    for (std::thread &each : workers)
        each.join();
    CHECK(cudaDeviceSynchronize());
}

// The second device is chosen, and nobody looks whether there is one.
// expect: unchecked-error
static void second_device(void)
{
    int count = 0;

    CHECK(cudaGetDeviceCount(&count));
    cudaSetDevice(right ? count - 1 : count); // HERE second_device
    device<int> data(256);
    fill<<<1, 256>>>(data, 1);
    CHECK(cudaDeviceSynchronize());
}

// A member's lambda reads another member. It has the object's address on the host.
template <typename F> __global__ void apply(F f, float *data)
{
    data[threadIdx.x] = f(data[threadIdx.x]);
}

struct model {
    float factor = 3;

    void scale(float *data)
    {
        if (right) {
            float by = factor;
            apply<<<1, 64>>>([=] __device__(float v) { return v * by; }, data);
        } else {
            apply<<<1, 64>>>([=] __device__(float v) { return v * this->factor; }, data); // HERE lambda_with_this
        }
        FINISH();
    }
};

// expect: illegal-address
static void lambda_with_this(void)
{
    device<float> data(64);
    model three;

    three.scale(data);
}

// A pointer in a structure that is captured by value leads to a variable of the host.
struct settings {
    const float *factor;
};

// expect: illegal-address
static void pointer_in_capture(void)
{
    device<float> data(64);
    float factor = 3;
    device<float> there(1, &factor);
    settings with = {right ? there.at : &factor};

    apply<<<1, 64>>>([=] __device__(float v) { return v * *with.factor; }, data); // HERE pointer_in_capture
    FINISH();
}

// Constant memory is changed for the next step while a kernel of another stream still reads it.
__global__ void scaled(float *data)
{
    __nanosleep(1000);
    data[threadIdx.x] *= scale[0]; // HERE constant_changed_early
}

// expect: stream-race
static void constant_changed_early(void)
{
    stream s, t;
    device<float> data(64);
    float *h;

    CHECK(cudaMallocHost(&h, 8));
    h[0] = h[1] = 2;
    CHECK(cudaMemcpyToSymbolAsync(scale, h, 8, 0, cudaMemcpyHostToDevice, s));
    scaled<<<1, 64, 0, s>>>(data);
    CHECK(cudaGetLastError());
    if (right)
        CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpyToSymbolAsync(scale, h, 8, 0, cudaMemcpyHostToDevice, t)); // HERE constant_changed_early
    FINISH();
    CHECK(cudaFreeHost(h));
}

// One stream clears what a kernel of another one adds to.
// expect: stream-race
static void cleared_beside(void)
{
    stream s, t;
    device<int> data(256);

    slow_add<<<1, 256, 0, s>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaMemsetAsync(data, 0, 1024, right ? s : t)); // HERE cleared_beside
    FINISH();
}

// The rows of a matrix are allocated one by one. The host follows the table, which is on the device.
// expect: host-access
static void table_of_rows(void)
{
    int *rows[4], **table;

    for (int k = 0; k < 4; k++)
        CHECK(cudaMalloc(&rows[k], 64 * sizeof(int)));
    CHECK(cudaMalloc(&table, sizeof(rows)));
    CHECK(cudaMemcpy(table, rows, sizeof(rows), cudaMemcpyHostToDevice));
    for (int k = 0; k < 4; k++)
        CHECK(cudaMemset(right ? rows[k] : table[k], 0, 64 * sizeof(int))); // HERE table_of_rows
    for (int k = 0; k < 4; k++)
        CHECK(cudaFree(rows[k]));
    CHECK(cudaFree(table));
}

// The node of a copy has its target for its source.
// expect: uninitialised
static void node_the_wrong_way(void)
{
    int *fresh;
    device<int> ready(256);
    cudaGraph_t graph;
    cudaGraphNode_t copy;
    cudaGraphExec_t run;

    CHECK(cudaMalloc(&fresh, 1024));
    CHECK(cudaGraphCreate(&graph, 0));
    if (right)
        CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, fresh, ready, 1024, cudaMemcpyDeviceToDevice));
    else
        CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, ready, fresh, 1024, cudaMemcpyDeviceToDevice));
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    CHECK(cudaGraphLaunch(run, 0)); // HERE node_the_wrong_way
    FINISH();
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(fresh));
}

// A capture that is not ended. The synchronisation of its stream fails.
// expect: unchecked-error|refused|leak
static void capture_not_ended(void)
{
    stream s;
    device<int> data(256);
    cudaGraph_t graph = nullptr;

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    fill<<<1, 256, 0, s>>>(data, 1);
    if (right)
        CHECK(cudaStreamEndCapture(s, &graph));
    cudaStreamSynchronize(s); // HERE capture_not_ended
    if (graph)
        CHECK(cudaGraphDestroy(graph));
}

// A cluster of 16 blocks is asked for, without the attribute that allows more than 8.
// expect: unchecked-error|refused
static void cluster_of_16(void)
{
    device<int> data(16 * 32);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    int *at = data;

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = right ? 8 : 16;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = 16;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, fill, at, 1); // HERE cluster_of_16
    CHECK(cudaDeviceSynchronize());
}

// A kernel uses the memory after its turn to be freed has come in the same stream.
// expect: use-after-free
static void allocation_freed_in_stream(void)
{
    stream s;
    int *data;

    CHECK(cudaMallocAsync(&data, 1024, s));
    CHECK(cudaMemsetAsync(data, 0, 1024, s));
    if (!right)
        CHECK(cudaFreeAsync(data, s));
    slow_add<<<1, 256, 0, s>>>(data); // HERE allocation_freed_in_stream
    if (right)
        CHECK(cudaFreeAsync(data, s));
    FINISH();
}

// The pitch of the host's rows counts elements, so it is smaller than a row.
// expect: unchecked-error|refused
static void pitch_below_width(void)
{
    std::vector<float> h(100 * 8, 1.0f);
    float *data;
    size_t pitch;

    CHECK(cudaMallocPitch(&data, &pitch, 400, 8));
    cudaMemcpy2D(data, pitch, h.data(), right ? 400 : 100, 400, 8, cudaMemcpyHostToDevice); // HERE pitch_below_width
    CHECK(cudaFree(data));
}

// An object in managed memory has an array that its constructor took from the host's heap.
struct table {
    int count;
    int *values;

    explicit table(int n) : count(n), values(nullptr)
    {
        if (right)
            CHECK(cudaMallocManaged(&values, n * sizeof(int)));
        else
            values = new int[n];
        for (int k = 0; k < n; k++)
            values[k] = k;
    }
    ~table()
    {
        if (right)
            CHECK(cudaFree(values));
        else
            delete[] values;
    }
};

__global__ void double_all(table *t)
{
    for (int k = threadIdx.x; k < t->count; k += blockDim.x)
        t->values[k] *= 2; // HERE half_managed
}

// expect: illegal-address
static void half_managed(void)
{
    void *memory;

    CHECK(cudaMallocManaged(&memory, sizeof(table)));
    table *t = new (memory) table(100);
    double_all<<<1, 32>>>(t);
    FINISH();
    t->~table();
    CHECK(cudaFree(memory));
}

static const suite_case cases[] = {
    {"symbol_beyond_end", symbol_beyond_end},
    {"doubles_to_floats", doubles_to_floats},
    {"vector_grew", vector_grew},
    {"beyond_mapped", beyond_mapped},
    {"recorded_in_other_stream", recorded_in_other_stream},
    {"update_of_other_shape", update_of_other_shape},
    {"selected_too_many", selected_too_many},
    {"range_without_access", range_without_access},
    {"range_read_only", range_read_only},
    {"two_threads_one_buffer", two_threads_one_buffer},
    {"second_device", second_device},
    {"lambda_with_this", lambda_with_this},
    {"pointer_in_capture", pointer_in_capture},
    {"constant_changed_early", constant_changed_early},
    {"cleared_beside", cleared_beside},
    {"table_of_rows", table_of_rows},
    {"node_the_wrong_way", node_the_wrong_way},
    {"capture_not_ended", capture_not_ended},
    {"cluster_of_16", cluster_of_16},
    {"allocation_freed_in_stream", allocation_freed_in_stream},
    {"pitch_below_width", pitch_below_width},
    {"half_managed", half_managed},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
