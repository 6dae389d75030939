// flags: -lcuda
/*
 * driver_graph.cu - graphs by the driver API: nodes of every kind made, described and changed, in the graph and in the
 * instantiated graph; edges, clones, updates, conditional nodes, captures, user objects.
 */
#include <cuda.h>

#include "check.h"

static void check_driver(CUresult want, CUresult got, const char *call, int line)
{
    const char *name = "?", *expected = "?";

    if (got == want)
        return;
    cuGetErrorName(got, &name);
    cuGetErrorName(want, &expected);
    printf("driver_graph.cu:%d: %s: want %s, got %s\n", line, call, expected, name);
    exit(1);
}

#define DRIVER(call) check_driver(CUDA_SUCCESS, (call), #call, __LINE__)
#define DRIVER_ERROR(error, call) check_driver((error), (call), #call, __LINE__)

enum { COUNT = 64 };

__global__ void add(int *values, int what)
{
    values[threadIdx.x] += what;
}

__global__ void count_down(int *left, cudaGraphConditionalHandle handle)
{
    cudaGraphSetConditional(handle, --*left > 0);
}

static void host_adds(void *data)
{
    ++*(int *)data;
}

static CUfunction add_kernel, count_kernel;

static CUDA_KERNEL_NODE_PARAMS kernel_of(CUfunction function, unsigned threads, void **arguments)
{
    CUDA_KERNEL_NODE_PARAMS kernel = {};

    kernel.func = function;
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
    kernel.blockDimX = threads;
    kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.kernelParams = arguments;
    return kernel;
}

static CUDA_MEMCPY3D to_host(void *to, CUdeviceptr from, size_t bytes)
{
    CUDA_MEMCPY3D copy = {};

    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = from;
    copy.srcPitch = bytes;
    copy.srcHeight = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = to;
    copy.dstPitch = bytes;
    copy.dstHeight = 1;
    copy.WidthInBytes = bytes;
    copy.Height = copy.Depth = 1;
    return copy;
}

/* memset -> kernel -> copy, and a host function beside the copy. */
struct chain {
    CUgraph graph;
    CUgraphNode set, kernel, copy, host;
    CUdeviceptr device;
    int calls, what, *back; /* page-locked: [COUNT] */
};

static void make_chain(struct chain *chain, CUcontext context)
{
    CUDA_MEMSET_NODE_PARAMS set = {};
    CUDA_HOST_NODE_PARAMS host = {};
    CUDA_MEMCPY3D copy;
    CUDA_KERNEL_NODE_PARAMS kernel;
    void *arguments[2] = { &chain->device, &chain->what };

    DRIVER(cuMemAlloc(&chain->device, COUNT * sizeof(int)));
    DRIVER(cuMemHostAlloc((void **)&chain->back, COUNT * sizeof(int), 0));
    chain->what = 5;
    chain->calls = 0;
    DRIVER(cuGraphCreate(&chain->graph, 0));
    set.dst = chain->device;
    set.value = 3;
    set.elementSize = sizeof(int);
    set.width = COUNT;
    set.height = 1;
    DRIVER(cuGraphAddMemsetNode(&chain->set, chain->graph, NULL, 0, &set, context));
    kernel = kernel_of(add_kernel, COUNT, arguments);
    DRIVER(cuGraphAddKernelNode(&chain->kernel, chain->graph, &chain->set, 1, &kernel));
    copy = to_host(chain->back, chain->device, COUNT * sizeof(int));
    DRIVER(cuGraphAddMemcpyNode(&chain->copy, chain->graph, &chain->kernel, 1, &copy, context));
    host.fn = host_adds;
    host.userData = &chain->calls;
    DRIVER(cuGraphAddHostNode(&chain->host, chain->graph, NULL, 0, &host));
    DRIVER(cuGraphAddDependencies(chain->graph, &chain->kernel, &chain->host, NULL, 1));
}

static void end_chain(struct chain *chain)
{
    DRIVER(cuGraphDestroy(chain->graph));
    DRIVER(cuMemFree(chain->device));
    DRIVER(cuMemFreeHost(chain->back));
}

static void run(CUgraphExec exec, CUstream stream)
{
    DRIVER(cuGraphLaunch(exec, stream));
    DRIVER(cuStreamSynchronize(stream));
}

static void expect_all(const struct chain *chain, int want)
{
    expect_equal("chain", std::vector<int>(COUNT, want), std::vector<int>(chain->back, chain->back + COUNT));
}

static void describe(const struct chain *chain)
{
    CUgraphNodeType type;
    CUDA_KERNEL_NODE_PARAMS kernel = {};
    CUDA_MEMCPY3D copy = {};
    CUDA_MEMSET_NODE_PARAMS set = {};
    CUDA_HOST_NODE_PARAMS host = {};
    CUgraphNode nodes[4], from[4], to[4];
    CUgraphEdgeData edges[4];
    size_t count = 0;

    DRIVER(cuGraphNodeGetType(chain->host, &type));
    EXPECT(type == CU_GRAPH_NODE_TYPE_HOST);
    DRIVER(cuGraphKernelNodeGetParams(chain->kernel, &kernel));
    EXPECT(kernel.func == add_kernel && kernel.blockDimX == COUNT && kernel.gridDimY == 1 &&
           *(int *)kernel.kernelParams[1] == 5);
    DRIVER(cuGraphMemcpyNodeGetParams(chain->copy, &copy));
    EXPECT(copy.srcMemoryType == CU_MEMORYTYPE_DEVICE && copy.srcDevice == chain->device &&
           copy.dstMemoryType == CU_MEMORYTYPE_HOST && copy.dstHost == chain->back &&
           copy.WidthInBytes == COUNT * sizeof(int) && copy.Height == 1 && copy.Depth == 1);
    DRIVER(cuGraphMemsetNodeGetParams(chain->set, &set));
    EXPECT(set.dst == chain->device && set.value == 3 && set.elementSize == 4 && set.width == COUNT);
    DRIVER(cuGraphHostNodeGetParams(chain->host, &host));
    EXPECT(host.fn == host_adds && host.userData == &chain->calls);
    DRIVER_ERROR(CUDA_ERROR_INVALID_VALUE, cuGraphHostNodeGetParams(chain->set, &host));
    DRIVER(cuGraphGetNodes(chain->graph, NULL, &count));
    EXPECT(count == 4);
    DRIVER(cuGraphGetRootNodes(chain->graph, nodes, &count));
    EXPECT(count == 1 && nodes[0] == chain->set);
    count = 4;
    DRIVER(cuGraphGetEdges(chain->graph, from, to, edges, &count));
    EXPECT(count == 3 && from[0] == chain->set && to[0] == chain->kernel && edges[0].type == 0);
    count = 4;
    DRIVER(cuGraphNodeGetDependencies(chain->host, nodes, NULL, &count));
    EXPECT(count == 1 && nodes[0] == chain->kernel);
    count = 4;
    DRIVER(cuGraphNodeGetDependentNodes(chain->kernel, nodes, NULL, &count));
    EXPECT(count == 2);
}

/* New parameters, first in the instantiated graph alone, then in the graph. */
static void change(struct chain *chain, CUstream stream, CUcontext context)
{
    CUgraphExec exec;
    CUgraphExecUpdateResultInfo info = {};
    CUDA_MEMSET_NODE_PARAMS set = {};
    CUDA_KERNEL_NODE_PARAMS kernel;
    cuuint64_t flags = 1;
    unsigned enabled = 0;
    int what = 100;
    void *arguments[2] = { &chain->device, &what };

    DRIVER(cuGraphInstantiate(&exec, chain->graph, 0));
    DRIVER(cuGraphExecGetFlags(exec, &flags));
    EXPECT(flags == 0);
    DRIVER(cuGraphUpload(exec, stream));
    run(exec, stream);
    expect_all(chain, 8);
    EXPECT(chain->calls == 1);
    kernel = kernel_of(add_kernel, COUNT, arguments);
    DRIVER(cuGraphExecKernelNodeSetParams(exec, chain->kernel, &kernel));
    DRIVER(cuGraphMemsetNodeGetParams(chain->set, &set));
    set.value = 7;
    DRIVER(cuGraphExecMemsetNodeSetParams(exec, chain->set, &set, context));
    DRIVER_ERROR(CUDA_ERROR_INVALID_VALUE, cuGraphNodeSetEnabled(exec, chain->host, 0)); /* kernels, fills, copies */
    DRIVER(cuGraphNodeGetEnabled(exec, chain->set, &enabled));
    EXPECT(enabled == 1);
    run(exec, stream);
    expect_all(chain, 107);
    EXPECT(chain->calls == 2);
    DRIVER(cuGraphKernelNodeSetParams(chain->kernel, &kernel)); /* 3 + 100: the graph's memset is the old one */
    DRIVER(cuGraphExecUpdate(exec, chain->graph, &info));
    EXPECT(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    run(exec, stream);
    expect_all(chain, 103);
    DRIVER(cuGraphDestroyNode(chain->host));
    DRIVER_ERROR(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(exec, chain->graph, &info));
    EXPECT(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    DRIVER(cuGraphExecDestroy(exec));
}

/* A clone keeps its nodes; events, an empty node and a child graph run in it. */
static void clone(struct chain *chain, CUstream stream)
{
    CUgraph copy, child;
    CUgraphNode in_clone, node, record, wait;
    CUgraphExec exec;
    CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
    CUevent event, got;

    DRIVER(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    DRIVER(cuGraphClone(&copy, chain->graph));
    DRIVER(cuGraphNodeFindInClone(&in_clone, chain->copy, copy));
    EXPECT(in_clone != chain->copy);
    DRIVER(cuGraphAddEventRecordNode(&record, copy, &in_clone, 1, event));
    DRIVER(cuGraphEventRecordNodeGetEvent(record, &got));
    EXPECT(got == event);
    DRIVER(cuGraphAddEventWaitNode(&wait, copy, &record, 1, event));
    DRIVER(cuGraphEventWaitNodeGetEvent(wait, &got));
    EXPECT(got == event);
    DRIVER(cuGraphAddEmptyNode(&node, copy, &wait, 1));
    DRIVER(cuGraphAddChildGraphNode(&node, copy, &node, 1, chain->graph));
    DRIVER(cuGraphChildGraphNodeGetGraph(node, &child));
    EXPECT(child != chain->graph);
    DRIVER(cuGraphInstantiateWithParams(&exec, copy, &how));
    EXPECT(how.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS);
    memset(chain->back, 0, COUNT * sizeof(int));
    run(exec, stream);
    expect_all(chain, 103);
    DRIVER(cuEventQuery(event));
    DRIVER(cuGraphExecDestroy(exec));
    DRIVER(cuGraphDestroy(copy));
    DRIVER(cuEventDestroy(event));
}

/* Nodes by cuGraphAddNode(): memory of the graph, and a loop whose kernel counts down. */
static void any_kind(CUstream stream)
{
    CUgraph graph, body;
    CUgraphNode alloc, set, loop, copy, gone, inner;
    CUgraphNodeParams p = {};
    CUgraphConditionalHandle handle;
    CUgraphExec exec;
    CUDA_MEM_ALLOC_NODE_PARAMS told = {};
    CUdeviceptr left, freed;
    CUcontext context;
    int back = -1;

    DRIVER(cuGraphCreate(&graph, 0));
    p.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    p.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.alloc.bytesize = sizeof(int);
    DRIVER(cuGraphAddNode(&alloc, graph, NULL, NULL, 0, &p));
    left = p.alloc.dptr;
    DRIVER(cuGraphMemAllocNodeGetParams(alloc, &told));
    EXPECT(told.dptr == left && told.bytesize == sizeof(int));
    p = {};
    p.type = CU_GRAPH_NODE_TYPE_MEMSET;
    p.memset.dst = left;
    p.memset.value = 6;
    p.memset.elementSize = 4;
    p.memset.width = p.memset.height = 1;
    DRIVER(cuCtxGetCurrent(&context));
    p.memset.ctx = context; /* a graph's memory does not say it */
    DRIVER(cuGraphAddNode(&set, graph, &alloc, NULL, 1, &p));
    DRIVER_ERROR(CUDA_ERROR_INVALID_CONTEXT,
                 cuGraphConditionalHandleCreate(&handle, graph, NULL, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    DRIVER(cuGraphConditionalHandleCreate(&handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    p = {};
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    p.conditional.handle = handle;
    p.conditional.ctx = context;
    p.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
    p.conditional.size = 1;
    DRIVER(cuGraphAddNode(&loop, graph, &set, NULL, 1, &p));
    body = p.conditional.phGraph_out[0];
    void *arguments[2] = { &left, &handle };
    p = {};
    p.type = CU_GRAPH_NODE_TYPE_KERNEL;
    p.kernel.func = count_kernel;
    p.kernel.gridDimX = p.kernel.gridDimY = p.kernel.gridDimZ = 1;
    p.kernel.blockDimX = p.kernel.blockDimY = p.kernel.blockDimZ = 1;
    p.kernel.kernelParams = arguments;
    DRIVER(cuGraphAddNode(&inner, body, NULL, NULL, 0, &p));
    p = {};
    p.type = CU_GRAPH_NODE_TYPE_MEMCPY;
    p.memcpy.copyParams = to_host(&back, left, sizeof(int));
    DRIVER(cuGraphAddNode(&copy, graph, &loop, NULL, 1, &p));
    p = {};
    p.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
    p.free.dptr = left;
    DRIVER(cuGraphAddNode(&gone, graph, &copy, NULL, 1, &p));
    DRIVER(cuGraphMemFreeNodeGetParams(gone, &freed));
    EXPECT(freed == left);
    DRIVER(cuGraphInstantiate(&exec, graph, 0));
    run(exec, stream);
    EXPECT(back == 0);
    p = {};
    p.type = CU_GRAPH_NODE_TYPE_MEMSET;
    p.memset.dst = left;
    p.memset.value = (unsigned)-4; /* the loop's body runs once, whatever the value */
    p.memset.elementSize = 4;
    p.memset.width = p.memset.height = 1;
    DRIVER(cuGraphExecNodeSetParams(exec, set, &p));
    run(exec, stream);
    EXPECT(back == -5);
    DRIVER(cuGraphExecDestroy(exec));
    DRIVER(cuGraphDestroy(graph));
}

/* A capture goes on in a graph that has a node already. */
static void capture(const struct chain *chain, CUstream stream)
{
    CUgraph graph, got;
    CUgraphNode first;
    CUgraphExec exec;
    CUstreamCaptureStatus status;
    cuuint64_t id = 0;
    const CUgraphNode *tail;
    size_t count = 0;
    int values[COUNT], what = 11;
    CUdeviceptr device = chain->device;
    void *arguments[2] = { &device, &what };
    CUDA_MEMSET_NODE_PARAMS set = {};

    DRIVER(cuGraphCreate(&graph, 0));
    set.dst = device;
    set.elementSize = 1;
    set.width = COUNT * sizeof(int);
    set.height = 1;
    DRIVER(cuGraphAddMemsetNode(&first, graph, NULL, 0, &set, NULL));
    DRIVER(cuStreamBeginCaptureToGraph(stream, graph, &first, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
    DRIVER(cuLaunchKernel(add_kernel, 1, 1, 1, COUNT, 1, 1, 0, stream, arguments, NULL));
    DRIVER(cuStreamGetCaptureInfo(stream, &status, &id, &got, &tail, NULL, &count));
    EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id != 0 && got == graph && count == 1);
    DRIVER(cuStreamUpdateCaptureDependencies(stream, &first, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    DRIVER(cuStreamGetCaptureInfo(stream, &status, NULL, NULL, &tail, NULL, &count));
    EXPECT(count == 1 && tail[0] == first);
    DRIVER(cuStreamEndCapture(stream, &got));
    EXPECT(got == graph);
    DRIVER(cuGraphInstantiate(&exec, graph, 0));
    run(exec, stream);
    DRIVER(cuMemcpyDtoH(values, device, sizeof values));
    expect_equal("captured", std::vector<int>(COUNT, 11), std::vector<int>(values, values + COUNT));
    DRIVER(cuGraphExecDestroy(exec));
    DRIVER(cuGraphDestroy(graph));
}

static void user_objects(void)
{
    static int dead;
    CUuserObject object;
    CUgraph graph;

    DRIVER(cuGraphCreate(&graph, 0));
    DRIVER(cuUserObjectCreate(&object, &dead, host_adds, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    DRIVER(cuUserObjectRetain(object, 2));
    DRIVER(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    DRIVER(cuUserObjectRelease(object, 2));
    EXPECT(dead == 0);
    DRIVER(cuGraphReleaseUserObject(graph, object, 1));
    EXPECT(dead == 1);
    DRIVER(cuGraphDestroy(graph));
}

/* Calls whose parameters changed: a name means the variant of the version asked for. */
static void variants(void)
{
    static const struct {
        const char *name;
        int before, since; /* versions of CUDA */
    } changed[] = { { "cuGraphGetEdges", 12000, 12030 }, { "cuGraphNodeGetDependencies", 12000, 12030 },
                    { "cuGraphAddDependencies", 12000, 12030 }, { "cuGraphAddNode", 12020, 12030 },
                    { "cuGraphAddKernelNode", 11000, 12000 }, { "cuGraphExecUpdate", 11000, 12000 },
                    { "cuStreamUpdateCaptureDependencies", 11030, 12030 } };
    void *before, *since, *now;

    for (const auto &c : changed) {
        DRIVER(cuGetProcAddress(c.name, &before, c.before, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
        DRIVER(cuGetProcAddress(c.name, &since, c.since, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
        DRIVER(cuGetProcAddress(c.name, &now, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
        EXPECT(before != since && since == now);
    }
}

int main(void)
{
    CUcontext context;
    CUdevice device;
    CUstream stream;
    struct chain chain;

    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuDevicePrimaryCtxRetain(&context, device));
    DRIVER(cuCtxSetCurrent(context));
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CUDA_CHECK(cudaGetFuncBySymbol(&add_kernel, (const void *)add));
    CUDA_CHECK(cudaGetFuncBySymbol(&count_kernel, (const void *)count_down));
    make_chain(&chain, context);
    describe(&chain);
    change(&chain, stream, context);
    clone(&chain, stream);
    any_kind(stream);
    capture(&chain, stream);
    user_objects();
    variants();
    end_chain(&chain);
    DRIVER(cuStreamDestroy(stream));
    DRIVER(cuDevicePrimaryCtxRelease(device));
    return passed();
}
