/*
 * graph_objects.cu - what graphs own and how they are shown: nodes that allocate and free memory, made by
 * cudaGraphAddNode(); user objects; new child graphs of an instantiated graph; a picture of a graph.
 */
#include <unistd.h>

#include "check.h"

__global__ void fill(int *data, int value)
{
    data[threadIdx.x] = value + (int)threadIdx.x;
}

__global__ void sum(const int *data, int *result)
{
    atomicAdd(result, data[threadIdx.x]);
}

static cudaGraphNode_t add(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphNodeParams *parameters)
{
    cudaGraphNode_t node;

    CUDA_CHECK(cudaGraphAddNode(&node, graph, &after, nullptr, after ? 1 : 0, parameters));
    return node;
}

template <typename... Arguments>
static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, void *kernel, Arguments... arguments)
{
    void *list[] = {&arguments...};
    cudaGraphNodeParams parameters = {};

    parameters.type = cudaGraphNodeTypeKernel;
    parameters.kernel.func = kernel;
    parameters.kernel.gridDim = 1;
    parameters.kernel.blockDim = 32;
    parameters.kernel.kernelParams = list;
    return add(graph, after, &parameters);
}

static void run(cudaGraph_t graph)
{
    cudaGraphExec_t exec;

    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaGraphExecDestroy(exec));
}

/* Memory that lives between two nodes. */
static void test_memory(int *result)
{
    cudaGraphNodeParams allocate = {}, release = {};
    cudaGraphNode_t node;
    cudaGraph_t graph;

    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    allocate.type = cudaGraphNodeTypeMemAlloc;
    allocate.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    allocate.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    allocate.alloc.bytesize = 32 * sizeof(int);
    node = add(graph, nullptr, &allocate);
    EXPECT(allocate.alloc.dptr != nullptr);
    node = add_kernel(graph, node, (void *)fill, (int *)allocate.alloc.dptr, 10);
    node = add_kernel(graph, node, (void *)sum, (const int *)allocate.alloc.dptr, result);
    release.type = cudaGraphNodeTypeMemFree;
    release.free.dptr = allocate.alloc.dptr;
    add(graph, node, &release);
    CUDA_CHECK(cudaMemset(result, 0, sizeof *result));
    run(graph);
    EXPECT(host_copy(result, 1)[0] == 32 * 10 + 31 * 16);
    CUDA_CHECK(cudaGraphDestroy(graph));
}

static void count_up(void *count)
{
    ++*(int *)count;
}

/* The object lives as long as one of the graph, its copy, what was instantiated from it, and the program has it. */
static void test_user_objects()
{
    cudaUserObject_t object, other;
    cudaGraphExec_t exec;
    cudaGraph_t graph, copy;
    int destroyed = 0, others = 0;

    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaUserObjectCreate(&object, &destroyed, count_up, 1, 0));
    CUDA_CHECK(cudaUserObjectCreate(&object, &destroyed, count_up, 2, cudaUserObjectNoDestructorSync));
    CUDA_CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    CUDA_CHECK(cudaGraphClone(&copy, graph));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaGraphDestroy(copy));
    CUDA_CHECK(cudaUserObjectRelease(object, 1));
    EXPECT(destroyed == 0);
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    EXPECT(destroyed == 1);

    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    CUDA_CHECK(cudaUserObjectCreate(&other, &others, count_up, 1, cudaUserObjectNoDestructorSync));
    CUDA_CHECK(cudaUserObjectRetain(other, 1));
    CUDA_CHECK(cudaGraphRetainUserObject(graph, other, 3, 0));
    CUDA_CHECK(cudaUserObjectRelease(other, 2));
    CUDA_CHECK(cudaGraphReleaseUserObject(graph, other, 2));
    EXPECT(others == 0);
    CUDA_CHECK(cudaGraphReleaseUserObject(graph, other, 1));
    EXPECT(others == 1);
    CUDA_CHECK(cudaGraphDestroy(graph));
    EXPECT(others == 1);
}

/* A graph that fills the data and adds it up. */
static cudaGraph_t filling(int *data, int value, int *result)
{
    cudaGraph_t graph;

    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    add_kernel(graph, add_kernel(graph, nullptr, (void *)fill, data, value), (void *)sum, (const int *)data, result);
    return graph;
}

static void test_child(int *data, int *result)
{
    cudaGraph_t graph, first = filling(data, 1, result), second = filling(data, 5, result), third;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;

    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    CUDA_CHECK(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, first));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaMemset(result, 0, sizeof *result));
    CUDA_CHECK(cudaGraphExecChildGraphNodeSetParams(exec, node, second));
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(host_copy(result, 1)[0] == 32 * 5 + 31 * 16);
    CUDA_CHECK(cudaGraphCreate(&third, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphExecChildGraphNodeSetParams(exec, node, third));
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    for (cudaGraph_t each : {graph, first, second, third})
        CUDA_CHECK(cudaGraphDestroy(each));
}

/* A child that is moved is the program's own graph, not a copy: it changes with it, and ends with its parent. */
static void test_moved_child(int *data, int *result)
{
    cudaGraph_t graph, child = filling(data, 1, result), inside;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    struct cudaGraphNodeParams parameters = {};

    parameters.type = cudaGraphNodeTypeGraph;
    parameters.graph.graph = child;
    parameters.graph.ownership = cudaGraphChildGraphOwnershipMove;
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    CUDA_CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
    CUDA_CHECK(cudaGraphChildGraphNodeGetGraph(node, &inside));
    EXPECT(inside == child);
    add_kernel(child, nullptr, (void *)fill, data + 32, 7);
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaMemset(result, 0, sizeof *result));
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(host_copy(result, 1)[0] == 32 * 1 + 31 * 16 && host_copy(data + 32, 1)[0] == 7);
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

/* What an H200 refuses with a graph that was moved, and with a copy of a graph that allocates. */
static void test_moved_child_refused()
{
    const cudaError_t refused = cudaErrorNotSupported;
    cudaGraph_t graph, other, child, allocates;
    cudaGraphNode_t node, first;
    cudaGraphExec_t exec;
    struct cudaGraphNodeParams parameters = {};
    struct cudaMemAllocNodeParams memory = {};

    for (cudaGraph_t *each : {&graph, &other, &child, &allocates})
        CUDA_CHECK(cudaGraphCreate(each, 0));
    parameters.type = cudaGraphNodeTypeGraph;
    parameters.graph.graph = child;
    parameters.graph.ownership = cudaGraphChildGraphOwnershipMove;
    CUDA_CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
    EXPECT_ERROR(refused, cudaGraphAddNode(&node, other, nullptr, nullptr, 0, &parameters));
    EXPECT_ERROR(refused, cudaGraphAddChildGraphNode(&node, other, nullptr, 0, child));
    EXPECT_ERROR(refused, cudaGraphInstantiate(&exec, child, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphDestroy(child));

    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 64;
    CUDA_CHECK(cudaGraphAddMemAllocNode(&first, allocates, nullptr, 0, &memory));
    CUDA_CHECK(cudaGraphAddMemFreeNode(&node, allocates, &first, 1, memory.dptr));
    EXPECT_ERROR(refused, cudaGraphAddChildGraphNode(&node, other, nullptr, 0, allocates));
    parameters.graph.graph = allocates;
    CUDA_CHECK(cudaGraphAddNode(&node, other, nullptr, nullptr, 0, &parameters));
    EXPECT_ERROR(refused, cudaGraphAddMemAllocNode(&node, allocates, nullptr, 0, &memory));
    CUDA_CHECK(cudaGraphInstantiate(&exec, other, 0));
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaGraphDestroy(other));
}

static void test_picture(int *data, int *result)
{
    cudaGraph_t graph = filling(data, 1, result);
    char text[4096] = "";
    FILE *file;

    CUDA_CHECK(cudaGraphDebugDotPrint(graph, "graph.dot", cudaGraphDebugDotFlagsVerbose));
    file = fopen("graph.dot", "r");
    EXPECT(file && fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    unlink("graph.dot");
    EXPECT(!strncmp(text, "digraph", 7) && strstr(text, "fill") && strstr(text, "sum") && strstr(text, "->"));
    EXPECT_ERROR(cudaErrorOperatingSystem, cudaGraphDebugDotPrint(graph, "no/such/folder.dot", 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

int main()
{
    int *data = device_zeros<int>(64), *result = device_zeros<int>(1);

    test_memory(result);
    test_user_objects();
    test_child(data, result);
    test_moved_child(data, result);
    test_moved_child_refused();
    test_picture(data, result);
    CUDA_CHECK(cudaFree(data));
    CUDA_CHECK(cudaFree(result));
    return passed();
}
