// flags: -rdc=true -lcudadevrt
/*
 * conditional_graphs.cu - graphs that decide on the device: while, if and else, switch, one inside of another, values
 * that begin anew at each launch, bodies that are captured.
 */
#include "check.h"

__global__ void count_down(int *left, cudaGraphConditionalHandle handle)
{
    cudaGraphSetConditional(handle, --*left > 0);
}

__global__ void add(int *sum, int amount)
{
    *sum += amount;
}

__global__ void choose(const int *value, cudaGraphConditionalHandle handle)
{
    cudaGraphSetConditional(handle, (unsigned)*value);
}

/* A conditional node behind `before`, its bodies in bodies[size]. */
static cudaGraphNode_t conditional(cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                                   cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size,
                                   cudaGraph_t *bodies)
{
    cudaGraphNodeParams parameters = {};
    cudaGraphNode_t node;
    cudaGraphNodeType got;

    parameters.type = cudaGraphNodeTypeConditional;
    parameters.conditional.handle = handle;
    parameters.conditional.type = type;
    parameters.conditional.size = size;
    CUDA_CHECK(cudaGraphAddNode(&node, graph, before, nullptr, count, &parameters));
    for (unsigned i = 0; i < size; i++)
        bodies[i] = parameters.conditional.phGraph_out[i];
    CUDA_CHECK(cudaGraphNodeGetType(node, &got));
    EXPECT(got == cudaGraphNodeTypeConditional);
    return node;
}

static cudaGraphNode_t kernel(cudaGraph_t graph, const cudaGraphNode_t *before, size_t count, const void *function,
                              void **arguments)
{
    cudaKernelNodeParams parameters = {};
    cudaGraphNode_t node;

    parameters.func = (void *)function;
    parameters.gridDim = 1;
    parameters.blockDim = 1;
    parameters.kernelParams = arguments;
    CUDA_CHECK(cudaGraphAddKernelNode(&node, graph, before, count, &parameters));
    return node;
}

static void run(cudaGraphExec_t exec, int *device, int value, int *result)
{
    int host[2] = { value, 0 };

    CUDA_CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaGraphLaunch(exec, nullptr));
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(result, device + 1, sizeof *result, cudaMemcpyDeviceToHost));
}

/* while (--left > 0) sum += 5, at least once: the value is 1 at each launch. */
static void test_while(int *device)
{
    int *left = device, *sum = device + 1, amount = 5, result;
    cudaGraphConditionalHandle handle;
    cudaGraph_t graph, body;
    cudaGraphExec_t exec;
    cudaStream_t stream;

    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    CUDA_CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    conditional(graph, nullptr, 0, handle, cudaGraphCondTypeWhile, 1, &body);
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(sum, amount);
    count_down<<<1, 1, 0, stream>>>(left, handle);
    CUDA_CHECK(cudaStreamEndCapture(stream, nullptr));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    run(exec, device, 7, &result);
    EXPECT(result == 35);
    run(exec, device, 3, &result);
    EXPECT(result == 15);
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

/* switch (value) { case 0: sum += 1; case 1: if (value) sum += 10 else sum += 20; case 2: sum += 100 }, each alone. */
static void test_switch(int *device)
{
    int *value = device, *sum = device + 1, amounts[] = { 1, 10, 20, 100 }, result;
    cudaGraphConditionalHandle outer, inner;
    cudaGraph_t graph, cases[3], branches[2];
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    void *choose_outer[] = { &value, &outer }, *choose_inner[] = { &value, &inner };
    void *adds[4][2];

    for (int i = 0; i < 4; i++) {
        adds[i][0] = &sum;
        adds[i][1] = &amounts[i];
    }
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    CUDA_CHECK(cudaGraphConditionalHandleCreate(&outer, graph, 0, 0));
    CUDA_CHECK(cudaGraphConditionalHandleCreate(&inner, graph, 0, 0));
    node = kernel(graph, nullptr, 0, (const void *)choose, choose_outer);
    conditional(graph, &node, 1, outer, cudaGraphCondTypeSwitch, 3, cases);
    kernel(cases[0], nullptr, 0, (const void *)add, adds[0]);
    node = kernel(cases[1], nullptr, 0, (const void *)choose, choose_inner);
    conditional(cases[1], &node, 1, inner, cudaGraphCondTypeIf, 2, branches);
    kernel(branches[0], nullptr, 0, (const void *)add, adds[1]);
    kernel(branches[1], nullptr, 0, (const void *)add, adds[2]);
    kernel(cases[2], nullptr, 0, (const void *)add, adds[3]);
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    run(exec, device, 0, &result);
    EXPECT(result == 1);
    run(exec, device, 1, &result);
    EXPECT(result == 10);
    run(exec, device, 2, &result);
    EXPECT(result == 100);
    run(exec, device, 3, &result);
    EXPECT(result == 0);
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

/* if (value == 0) … else: the second body. */
static void test_else(int *device)
{
    int *value = device, *sum = device + 1, amounts[] = { 3, 4 }, result;
    cudaGraphConditionalHandle handle;
    cudaGraph_t graph, branches[2];
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    void *arguments[] = { &value, &handle }, *first[] = { &sum, &amounts[0] }, *second[] = { &sum, &amounts[1] };

    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    CUDA_CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    node = kernel(graph, nullptr, 0, (const void *)choose, arguments);
    conditional(graph, &node, 1, handle, cudaGraphCondTypeIf, 2, branches);
    kernel(branches[0], nullptr, 0, (const void *)add, first);
    kernel(branches[1], nullptr, 0, (const void *)add, second);
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    run(exec, device, 1, &result);
    EXPECT(result == 3);
    run(exec, device, 0, &result);
    EXPECT(result == 4);
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

int main()
{
    int *device = device_zeros<int>(2);

    test_while(device);
    test_switch(device);
    test_else(device);
    CUDA_CHECK(cudaFree(device));
    return passed();
}
