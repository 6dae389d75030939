/*
 * field_host.cu - defects in the host's part of programs from the field. Each case is wrong; with -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include "suite.h"

__global__ void fill(int *data, int value)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void add_one(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] + 1; // HERE extent_in_elements arguments_swapped
}

// A host function gets the address of a variable whose function returns before.
static void count_up(void *user)
{
    ++*static_cast<int *>(user); // HERE callback_of_old_stack
}

static __attribute__((noinline)) void ask(cudaStream_t s)
{
    static int kept;
    int own = 0;

    CHECK(cudaLaunchHostFunc(s, count_up, right ? &kept : &own)); // HERE callback_of_old_stack
}

// expect: host-access|host-race|use-after-free
static void callback_of_old_stack(void)
{
    device<int> data(256);
    stream s;

    fill<<<1, 256, 0, s>>>(data, 1);
    ask(s);
    FINISH();
}

// Registered memory is freed while a copy reads it.
// expect: host-race|use-after-free|leak
static void registered_freed(void)
{
    constexpr size_t bytes = 1 << 20;
    device<char> data(bytes);
    stream s;
    char *host = static_cast<char *>(malloc(bytes));

    memset(host, 1, bytes);
    CHECK(cudaHostRegister(host, bytes, cudaHostRegisterDefault));
    CHECK(cudaMemcpyAsync(data, host, bytes, cudaMemcpyHostToDevice, s)); // HERE registered_freed
    if (right) {
        CHECK(cudaStreamSynchronize(s));
        CHECK(cudaHostUnregister(host));
    }
    free(host); // HERE registered_freed
    FINISH();
}

// Times are asked of events that keep none.
// expect: unchecked-error|refused
static void events_without_times(void)
{
    device<int> data(256);
    cudaEvent_t begin, end;
    unsigned flags = right ? cudaEventDefault : cudaEventDisableTiming;
    float ms = 0;

    CHECK(cudaEventCreateWithFlags(&begin, flags));
    CHECK(cudaEventCreateWithFlags(&end, flags));
    CHECK(cudaEventRecord(begin));
    fill<<<1, 256>>>(data, 1);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    cudaEventElapsedTime(&ms, begin, end); // HERE events_without_times
    printf("%d\n", ms >= 0);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
}

// A branch of a capture does not return to the stream that began it.
// expect: unchecked-error|refused
static void branch_not_joined(void)
{
    device<int> a(256), b(256);
    stream first, second;
    event forked, joined;
    cudaGraph_t graph = nullptr;

    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(forked, first));
    CHECK(cudaStreamWaitEvent(second, forked));
    fill<<<1, 256, 0, first>>>(a, 1);
    fill<<<1, 256, 0, second>>>(b, 2);
    CHECK(cudaEventRecord(joined, second));
    if (right)
        CHECK(cudaStreamWaitEvent(first, joined));
    cudaStreamEndCapture(first, &graph); // HERE branch_not_joined
    if (graph)
        CHECK(cudaGraphDestroy(graph));
}

// The host writes the source of a graph's copy while the graph runs.
// expect: host-race
static void source_of_graph_changed(void)
{
    device<int> data(256);
    stream s;
    cudaGraph_t graph;
    cudaGraphExec_t runs;
    int *pinned;

    CHECK(cudaMallocHost(&pinned, 1024));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(data, pinned, 1024, cudaMemcpyHostToDevice, s)); // HERE source_of_graph_changed
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&runs, graph, 0));
    for (int step = 0; step < 2; step++) {
        for (int k = 0; k < 256; k++)
            pinned[k] = step + k; // HERE source_of_graph_changed
        CHECK(cudaGraphLaunch(runs, s)); // HERE source_of_graph_changed
        if (right)
            CHECK(cudaStreamSynchronize(s));
    }
    FINISH();
    CHECK(cudaGraphExecDestroy(runs));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFreeHost(pinned));
}

// The node of a copy counts more bytes than its target has.
// expect: out-of-bounds|refused|unchecked-error
static void node_copies_too_much(void)
{
    device<int> data(200);
    int host[256] = {};
    cudaGraph_t graph;
    cudaGraphExec_t runs = nullptr;
    cudaGraphNode_t node;

    CHECK(cudaGraphCreate(&graph, 0));
    size_t bytes = right ? 800 : 1024;
    cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, data, host, bytes, // HERE node_copies_too_much
                             cudaMemcpyHostToDevice);
    cudaGraphInstantiate(&runs, graph, 0); // HERE node_copies_too_much
    cudaGraphLaunch(runs, nullptr); // HERE node_copies_too_much
    cudaDeviceSynchronize(); // HERE node_copies_too_much
    if (runs)
        cudaGraphExecDestroy(runs);
    CHECK(cudaGraphDestroy(graph));
}

// Width and height of a copy are exchanged.
// expect: out-of-bounds|refused|unchecked-error
static void width_for_height(void)
{
    unsigned char host[48 * 96] = {}, *image;
    size_t pitch;

    CHECK(cudaMallocPitch(&image, &pitch, 96, 48));
    size_t width = right ? 96 : 48, height = right ? 48 : 96;
    cudaMemcpy2D(image, pitch, host, 96, width, height, cudaMemcpyHostToDevice); // HERE width_for_height
    FINISH();
    CHECK(cudaFree(image));
}

// The extent of a copy between linear memories counts elements where bytes are meant.
// expect: uninitialised
static void extent_in_elements(void)
{
    int host[4 * 64] = {};
    device<int> out(256);
    int *volume;
    cudaMemcpy3DParms copy = {};

    CHECK(cudaMalloc(&volume, sizeof(host)));
    copy.srcPtr = make_cudaPitchedPtr(host, 256, 64, 2);
    copy.dstPtr = make_cudaPitchedPtr(volume, 256, 64, 2);
    copy.extent = make_cudaExtent(right ? 256 : 64, 2, 2);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy)); // HERE extent_in_elements
    add_one<<<1, 256>>>(volume, out);
    FINISH();
    CHECK(cudaFree(volume));
}

// An owner that was copied destroys its event a second time.
struct owned_event {
    cudaEvent_t at = nullptr;
    ~owned_event()
    {
        if (at)
            cudaEventDestroy(at); // HERE event_destroyed_twice
    }
};

// expect: invalid-free|unchecked-error|refused|use-after-free
static void event_destroyed_twice(void)
{
    owned_event first;

    CHECK(cudaEventCreate(&first.at));
    owned_event second = first;
    if (right)
        first.at = nullptr;
    CHECK(cudaEventRecord(second.at));
    CHECK(cudaDeviceSynchronize());
}

// A variable of the device is copied back before the kernel's stream has finished.
__device__ int total;

__global__ void add_all(const int *in, int n)
{
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        atomicAdd(&total, in[k]); // HERE symbol_read_early
}

// expect: stream-race
static void symbol_read_early(void)
{
    device<int> data(4096);
    stream s;
    int sum;

    add_all<<<1, 128, 0, s>>>(data, 4096);
    if (right)
        CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof(sum))); // HERE symbol_read_early
    FINISH();
}

// A host function calls the runtime, which it must not.
static int *of_callback;
static int in_callback;

static void copy_back(void *)
{
    if (!right)
        cudaMemcpy(&in_callback, of_callback, 4, cudaMemcpyDeviceToHost); // HERE runtime_in_callback
}

// expect: unchecked-error|refused
static void runtime_in_callback(void)
{
    device<int> data(256);
    stream s;

    of_callback = data;
    fill<<<1, 256, 0, s>>>(data, 1);
    CHECK(cudaLaunchHostFunc(s, copy_back, nullptr)); // HERE runtime_in_callback
    FINISH();
}

// An argument in 32 bits is passed where the kernel has one of 64.
__global__ void up_to(int *data, size_t n)
{
    for (size_t k = threadIdx.x; k < n; k += blockDim.x)
        data[k] = k; // HERE argument_too_small
}

// expect: out-of-bounds
static void argument_too_small(void)
{
    device<int> data(64);
    int *at = data;
    struct {
        int n, next;
    } narrow = {64, 1};
    size_t wide = 64;
    void *arguments[] = {&at, right ? static_cast<void *>(&wide) : &narrow.n};

    CHECK(cudaLaunchKernel((void *)up_to, dim3(1), dim3(32), arguments, 0, nullptr)); // HERE argument_too_small
    FINISH();
}

// The input and the output of a kernel are exchanged.
// expect: uninitialised
static void arguments_swapped(void)
{
    device<int> in(256);
    int *out;

    CHECK(cudaMalloc(&out, 1024));
    if (right)
        add_one<<<1, 256>>>(in, out);
    else
        add_one<<<1, 256>>>(out, in);
    FINISH();
    CHECK(cudaFree(out));
}

static const suite_case cases[] = {
    {"callback_of_old_stack", callback_of_old_stack},
    {"registered_freed", registered_freed},
    {"events_without_times", events_without_times},
    {"branch_not_joined", branch_not_joined},
    {"source_of_graph_changed", source_of_graph_changed},
    {"node_copies_too_much", node_copies_too_much},
    {"width_for_height", width_for_height},
    {"extent_in_elements", extent_in_elements},
    {"event_destroyed_twice", event_destroyed_twice},
    {"symbol_read_early", symbol_read_early},
    {"runtime_in_callback", runtime_in_callback},
    {"argument_too_small", argument_too_small},
    {"arguments_swapped", arguments_swapped},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
