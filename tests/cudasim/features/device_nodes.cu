// flags: -rdc=true -lcudadevrt
/*
 * device_nodes.cu - nodes of a graph that kernels change: parameters, the grid, whether the node runs. The changes come
 * one by one and in a list, and hold for the launches after them.
 */
#include "../check.h"

static __global__ void add(int *values, int a, int b)
{
    values[blockIdx.x * blockDim.x + threadIdx.x] += a + b;
}

static __global__ void change(cudaGraphDeviceNode_t node, cudaGraphDeviceNode_t other, int *elsewhere, int *errors,
                              int round)
{
    if (round == 0) {
        errors[0] = cudaGraphKernelNodeSetParam(node, 8, 50);
        errors[1] = cudaGraphKernelNodeSetGridDim(node, dim3(2));
    } else if (round == 1) {
        errors[2] = cudaGraphKernelNodeSetEnabled(node, false);
        errors[3] = cudaGraphKernelNodeSetParam(other, 0, &elsewhere, sizeof elsewhere);
    } else if (round == 2) {
        alignas(16) char memory[3 * sizeof(cudaGraphKernelNodeUpdate)];
        cudaGraphKernelNodeUpdate *updates = (cudaGraphKernelNodeUpdate *)memory;
        int seven = 7;

        updates[0].node = node;
        updates[0].field = cudaGraphKernelNodeFieldEnabled;
        updates[0].updateData.isEnabled = 1;
        updates[1].node = node;
        updates[1].field = cudaGraphKernelNodeFieldParam;
        updates[1].updateData.param.pValue = &seven;
        updates[1].updateData.param.offset = 12;
        updates[1].updateData.param.size = sizeof seven;
        updates[2].node = other;
        updates[2].field = cudaGraphKernelNodeFieldGridDim;
        updates[2].updateData.gridDim = dim3(1);
        errors[4] = cudaGraphKernelNodeUpdatesApply(updates, 3);
    } else {
        errors[5] = cudaGraphKernelNodeSetEnabled((cudaGraphDeviceNode_t)errors, false) == cudaSuccess;
    }
}

static cudaGraphDeviceNode_t updatable(cudaGraphNode_t node)
{
    cudaKernelNodeAttrValue value = {};

    value.deviceUpdatableKernelNode.deviceUpdatable = 1;
    CUDA_CHECK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeDeviceUpdatableKernelNode, &value));
    EXPECT(value.deviceUpdatableKernelNode.devNode != nullptr);
    return value.deviceUpdatableKernelNode.devNode;
}

int main()
{
    int *values = device_zeros<int>(128), *elsewhere = device_zeros<int>(128), *errors = device_zeros<int>(8);
    int one = 1, two = 2;
    void *arguments[] = {&values, &one, &two};
    cudaKernelNodeParams kernel = {};
    cudaGraph_t graph;
    cudaGraphNode_t nodes[2];
    cudaGraphExec_t exec;
    cudaStream_t stream;
    /* After each round: values[0], values[64], elsewhere[0]. */
    const int want[4][3] = {{6, 0, 0}, {6 + 52 + 3, 52, 0}, {61, 52, 3}, {61 + 57, 52 + 57, 6}};

    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    kernel.func = (void *)add;
    kernel.gridDim = 1;
    kernel.blockDim = 64;
    kernel.kernelParams = arguments;
    CUDA_CHECK(cudaGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &kernel));
    CUDA_CHECK(cudaGraphAddKernelNode(&nodes[1], graph, nodes, 1, &kernel));
    cudaGraphDeviceNode_t first = updatable(nodes[0]), second = updatable(nodes[1]);
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphUpload(exec, stream));
    for (int round = -1; round < 3; round++) {
        if (round >= 0)
            change<<<1, 1, 0, stream>>>(first, second, elsewhere, errors, round);
        CUDA_CHECK(cudaGraphLaunch(exec, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        EXPECT(host_copy(values, 128)[0] == want[round + 1][0]);
        EXPECT(host_copy(values, 128)[64] == want[round + 1][1]);
        EXPECT(host_copy(elsewhere, 128)[0] == want[round + 1][2]);
    }
    change<<<1, 1, 0, stream>>>(first, second, elsewhere, errors, 3);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    expect_device("errors", std::vector<int>(8), errors);

    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaStreamDestroy(stream));
    device_free(values);
    device_free(elsewhere);
    device_free(errors);
    return passed();
}
