/*
 * yard_host.cu - defects in programs of the host, of mechanisms that the other suites lack. Each case is wrong; with
 * -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include <cuda.h>
#include <vector>

#include "suite.h"

#define DRIVER(call) suite_check(static_cast<cudaError_t>(call), __LINE__)

// Takes a while and adds to each element.
__global__ void add(int *data, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    __nanosleep(1000);
    data[i] += value; // HERE word_before_copy host_function_beside discarded_and_read
}

__global__ void sum(const int *data, int *result)
{
    atomicAdd(result, data[threadIdx.x]); // HERE read_beside_atomics cleared_beside_atomics
}

// The captured copy writes to a variable of a function that has returned when the graph runs.
static cudaGraph_t captured(const int *result, int *kept, stream &s)
{
    int local = 0;
    cudaGraph_t graph;

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CHECK(cudaMemcpyAsync(right ? kept : &local, result, sizeof(int), cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamEndCapture(s, &graph));
    return graph;
}

// expect: use-after-free
static void captured_copy_to_local(void)
{
    device<int> result(1);
    int kept = 1;
    cudaGraphExec_t exec;
    stream s;
    cudaGraph_t graph = captured(result, &kept, s);

    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s)); // HERE captured_copy_to_local
    CHECK(cudaStreamSynchronize(s));
    EXPECT(!right || kept == 0);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

// Reads a texture late.
__global__ void fetch(cudaTextureObject_t texture, float *out)
{
    __nanosleep(1000);
    out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x); // HERE texture_destroyed_early
}

static cudaTextureObject_t texture_of(float *data, size_t bytes)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;

    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = bytes;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

// The texture object ends while the kernel is under way.
// expect: illegal-address|use-after-free|stream-race|host-race
static void texture_destroyed_early(void)
{
    device<float> data(64), out(64);
    cudaTextureObject_t texture = texture_of(data, 256);
    stream s;

    fetch<<<1, 64, 0, s>>>(texture, out);
    CHECK(cudaGetLastError());
    if (right)
        CHECK(cudaStreamSynchronize(s));
    CHECK(cudaDestroyTextureObject(texture)); // HERE texture_destroyed_early
    CHECK(cudaDeviceSynchronize());
}

// One stream tells another by a word that the data are there, before it has copied them.
// expect: stream-race
static void word_before_copy(void)
{
    device<int> data(256), word(1);
    std::vector<int> host(256, 5);
    stream first, second;
    CUdeviceptr at = reinterpret_cast<CUdeviceptr>(word.at);

    if (!right)
        DRIVER(cuStreamWriteValue32(first, at, 1, 0));
    CHECK(cudaMemcpyAsync(data, host.data(), 1024, cudaMemcpyHostToDevice, first)); // HERE word_before_copy
    if (right)
        DRIVER(cuStreamWriteValue32(first, at, 1, 0));
    DRIVER(cuStreamWaitValue32(second, at, 1, CU_STREAM_WAIT_VALUE_GEQ));
    add<<<1, 256, 0, second>>>(data, 1);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

// Tells a loop of a graph when to end. The counter steps over the value that it waits for.
__global__ void end_at_0(cudaGraphConditionalHandle handle, int *left)
{
    *left -= right ? 1 : 2;
    if (*left == 0)
        cudaGraphSetConditional(handle, 0);
}

// The loop of a graph never ends.
// expect: deadlock
static void loop_goes_on(void)
{
    int three = 3;
    device<int> left(1, &three);
    int *at = left;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle handle;
    cudaGraphNodeParams loop = {}, kernel = {};
    void *arguments[] = {&handle, &at};

    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.handle = handle;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop));
    kernel.type = cudaGraphNodeTypeKernel;
    kernel.kernel.func = reinterpret_cast<void *>(end_at_0);
    kernel.kernel.gridDim = kernel.kernel.blockDim = dim3(1);
    kernel.kernel.kernelParams = arguments;
    CHECK(cudaGraphAddNode(&node, loop.conditional.phGraph_out[0], nullptr, nullptr, 0, &kernel));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

// The module is unloaded, and its function launched once more.
// expect: unchecked-error|refused|illegal-address
static void module_is_gone(void)
{
    const char *text = ".version 8.0\n.target sm_90\n.address_size 64\n"
                       ".visible .entry nothing()\n{\n    ret;\n}\n";
    CUmodule module;
    CUfunction function;

    CHECK(cudaFree(nullptr));
    DRIVER(cuModuleLoadData(&module, text));
    DRIVER(cuModuleGetFunction(&function, module, "nothing"));
    DRIVER(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
    DRIVER(cuCtxSynchronize());
    if (!right)
        DRIVER(cuModuleUnload(module));
    cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr); // HERE module_is_gone
    cuCtxSynchronize();
    if (right)
        DRIVER(cuModuleUnload(module));
}

// Copies of a batch have no order. One reads what another one writes.
// expect: stream-race|host-race|global-race
static void batch_in_no_order(void)
{
    device<int> first(256), second(256), third(256);
    const void *from[] = {first, second};
    void *to[] = {second, third};
    size_t sizes[] = {1024, 1024}, places[] = {0};
    cudaMemcpyAttributes how = {};
    stream s;

    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    if (right) {
        CHECK(cudaMemcpyBatchAsync(to, from, sizes, 1, &how, places, 1, s));
        CHECK(cudaMemcpyBatchAsync(to + 1, from + 1, sizes, 1, &how, places, 1, s));
    } else {
        CHECK(cudaMemcpyBatchAsync(to, from, sizes, 2, &how, places, 1, s)); // HERE batch_in_no_order
    }
    CHECK(cudaStreamSynchronize(s));
}

// A host function of one stream reads what a copy of another stream writes.
static void total(void *data)
{
    int *values = static_cast<int *>(data), all = 0;

    for (int i = 1; i < 256; i++)
        all += values[i]; // HERE host_function_beside
    values[256] = all;
}

// expect: host-race|stream-race
static void host_function_beside(void)
{
    device<int> data(256);
    int *host;
    stream first, second;
    event copied;

    CHECK(cudaMallocHost(&host, 257 * sizeof(int)));
    memset(host, 0, 257 * sizeof(int));
    add<<<1, 256, 0, first>>>(data, 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, data, 1024, cudaMemcpyDeviceToHost, first)); // HERE host_function_beside
    CHECK(cudaEventRecord(copied, first));
    if (right)
        CHECK(cudaStreamWaitEvent(second, copied));
    CHECK(cudaLaunchHostFunc(second, total, host)); // HERE host_function_beside
    CHECK(cudaDeviceSynchronize());
    EXPECT(!right || host[256] == 255);
    CHECK(cudaFreeHost(host));
}

// The host reads a sum in managed memory while the kernel still adds to it.
// expect: host-race
static void read_beside_atomics(void)
{
    device<int> data(64);
    int *result, seen;

    CHECK(cudaMallocManaged(&result, sizeof(int)));
    *result = 0;
    sum<<<1, 64>>>(data, result);
    CHECK(cudaGetLastError());
    if (right)
        CHECK(cudaDeviceSynchronize());
    seen = *result; // HERE read_beside_atomics
    EXPECT(!right || seen == 0);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(result));
}

// The host sets a sum to 0 for the next kernel while the kernel before still adds to it.
// expect: host-race
static void cleared_beside_atomics(void)
{
    device<int> data(64);
    int *result;

    CHECK(cudaMallocManaged(&result, sizeof(int)));
    *result = 0;
    for (int k = 0; k < 2; k++) {
        sum<<<1, 64>>>(data, result);
        CHECK(cudaGetLastError());
        if (right)
            CHECK(cudaDeviceSynchronize());
        *result = 0; // HERE cleared_beside_atomics
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(result));
}

// The array has one channel, and the kernel reads four.
__global__ void colours(cudaTextureObject_t texture, float4 *out)
{
    if (right)
        out[threadIdx.x].x = tex2D<float>(texture, threadIdx.x + 0.5f, 0.5f);
    else
        out[threadIdx.x] = tex2D<float4>(texture, threadIdx.x + 0.5f, 0.5f); // HERE more_channels
}

// expect: uninitialised|illegal-address|out-of-bounds
static void more_channels(void)
{
    device<float4> out(16);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;
    float host[16] = {};

    CHECK(cudaMallocArray(&resource.res.array.array, &format, 16, 1));
    CHECK(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, host, 64, 64, 1, cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeArray;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    colours<<<1, 16>>>(texture, out);
    FINISH();
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(resource.res.array.array));
}

// The graph records an event that is destroyed before the launch.
// expect: use-after-free
static void event_of_graph_gone(void)
{
    cudaEvent_t made;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;

    CHECK(cudaEventCreate(&made));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, made));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    if (!right)
        CHECK(cudaEventDestroy(made));
    CHECK(cudaGraphLaunch(exec, 0)); // HERE event_of_graph_gone
    if (right)
        CHECK(cudaEventDestroy(made));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static void CUDART_CB let_go(void *) {}

// The program keeps a reference to a user object.
// expect: leak
static void user_object_kept(void)
{
    int own = 0;
    cudaUserObject_t object;
    cudaGraph_t graph;

    CHECK(cudaUserObjectCreate(&object, &own, let_go, 1, cudaUserObjectNoDestructorSync));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphRetainUserObject(graph, object, 1, right ? cudaGraphUserObjectMove : 0));
    CHECK(cudaGraphDestroy(graph));
}

// A volume of four slices gets five. The call fails, and nobody looks.
// expect: unchecked-error|refused|out-of-bounds
static void slice_too_many(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    std::vector<int> host(8 * 4 * 5, 1);
    cudaMemcpy3DParms copy = {};

    CHECK(cudaMalloc3DArray(&copy.dstArray, &format, make_cudaExtent(8, 4, 4)));
    copy.srcPtr = make_cudaPitchedPtr(host.data(), 32, 8, 4);
    copy.extent = make_cudaExtent(8, 4, right ? 4 : 5);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy); // HERE slice_too_many
    CHECK(cudaFreeArray(copy.dstArray));
}

// The pages of a range are discarded, and read without a new value.
// expect: uninitialised
static void discarded_and_read(void)
{
    int *data, value = 0;
    size_t size = 65536;

    CHECK(cudaMallocManaged(&data, size));
    CHECK(cudaMemset(data, 1, size));
    void *list[] = {data};
    CHECK(cudaMemDiscardBatchAsync(list, &size, 1, 0, cudaStreamPerThread));
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    if (right)
        CHECK(cudaMemset(data, 2, size));
    CHECK(cudaDeviceSynchronize());
    add<<<1, 256>>>(data, 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
}

static const suite_case cases[] = {
    {"captured_copy_to_local", captured_copy_to_local},
    {"texture_destroyed_early", texture_destroyed_early},
    {"word_before_copy", word_before_copy},
    {"loop_goes_on", loop_goes_on},
    {"module_is_gone", module_is_gone},
    {"batch_in_no_order", batch_in_no_order},
    {"host_function_beside", host_function_beside},
    {"read_beside_atomics", read_beside_atomics},
    {"cleared_beside_atomics", cleared_beside_atomics},
    {"more_channels", more_channels},
    {"event_of_graph_gone", event_of_graph_gone},
    {"user_object_kept", user_object_kept},
    {"slice_too_many", slice_too_many},
    {"discarded_and_read", discarded_and_read},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
