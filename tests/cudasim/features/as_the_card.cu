/*
 * as_the_card.cu - what an H200 does where the manuals leave it open: positions of copies with an array, a filter along
 * one dimension with a border, child graphs, nodes that are changed after instantiation, carveouts and occupancy.
 */
#include "../check.h"

static __global__ void add(int *p, int v)
{
    *p += v;
}

static __global__ void fetch(cudaTextureObject_t texture, const float *at, float *out)
{
    out[threadIdx.x] = tex1D<float>(texture, at[threadIdx.x]);
}

static __global__ void share(int *p)
{
    extern __shared__ int dynamic[];

    dynamic[threadIdx.x] = 1;
    *p = dynamic[threadIdx.x];
}

/* Where a side of a copy is an array, positions in memory count its texels, too. */
static void test_positions()
{
    enum { PITCH = 20 };
    cudaChannelFormatDesc shorts = cudaCreateChannelDesc<short>();
    cudaMemcpy3DParms in = {}, out = {};
    cudaArray_t array;
    short values[60], got[120];

    for (int i = 0; i < 60; i++)
        values[i] = i;
    memset(got, 0xff, sizeof got);
    CUDA_CHECK(cudaMalloc3DArray(&array, &shorts, make_cudaExtent(5, 4, 3)));
    in.srcPtr = make_cudaPitchedPtr(values, 10, 5, 4), in.dstArray = array;
    in.extent = make_cudaExtent(5, 4, 3), in.kind = cudaMemcpyHostToDevice;
    CUDA_CHECK(cudaMemcpy3D(&in));
    out.srcArray = array, out.srcPos = make_cudaPos(1, 1, 1);
    out.dstPtr = make_cudaPitchedPtr(got, PITCH, 10, 4), out.dstPos = make_cudaPos(4, 0, 0);
    out.extent = make_cudaExtent(3, 2, 2), out.kind = cudaMemcpyDeviceToHost;
    CUDA_CHECK(cudaMemcpy3D(&out));
    EXPECT(got[4] == 26 && got[PITCH / 2 + 4] == 31 && got[4 * PITCH / 2 + 4] == 46 && got[3] == -1);
    out.dstPos = make_cudaPos(8, 0, 0);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy3D(&out)); /* 8 and 3 texels are more than a row */
    CUDA_CHECK(cudaFreeArray(array));
}

/* tex1D() of an array without layers mixes half of the border in if that is the second mode. */
static void test_border()
{
    enum { COUNT = 4 };
    const float places[COUNT] = {0.02f, 0.3f, 0.55f, 1.2f};
    const float without[COUNT] = {16, 46.375f, 78.375f, 128}, with[COUNT] = {-24, -8.8125f, 7.1875f, 32};
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaResourceDesc from = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaArray_t array;
    float values[8], *at = device_copy(std::vector<float>(places, places + COUNT)), *out = device_zeros<float>(COUNT);

    for (int i = 0; i < 8; i++)
        values[i] = 16 * (i + 1);
    CUDA_CHECK(cudaMallocArray(&array, &floats, 8, 0));
    CUDA_CHECK(cudaMemcpy2DToArray(array, 0, 0, values, 32, 32, 1, cudaMemcpyHostToDevice));
    from.resType = cudaResourceTypeArray, from.res.array.array = array;
    how.normalizedCoords = 1, how.filterMode = cudaFilterModeLinear, how.borderColor[0] = -64;
    for (cudaTextureAddressMode second : {cudaAddressModeClamp, cudaAddressModeBorder}) {
        const float *want = second == cudaAddressModeBorder ? with : without;

        how.addressMode[0] = cudaAddressModeClamp, how.addressMode[1] = second;
        CUDA_CHECK(cudaCreateTextureObject(&texture, &from, &how, nullptr));
        fetch<<<1, COUNT>>>(texture, at, out);
        CHECK_KERNEL();
        expect_device("texels", std::vector<float>(want, want + COUNT), out);
        CUDA_CHECK(cudaDestroyTextureObject(texture));
    }
    CUDA_CHECK(cudaFreeArray(array));
    device_free(at), device_free(out);
}

/* A node of a child graph is changed in the executable graph of its parent. NULL is no graph, and changes nothing. */
static void test_children()
{
    int *sum = device_zeros<int>(1), v = 3;
    void *arguments[] = {&sum, &v};
    cudaKernelNodeParams what = {};
    cudaGraph_t child, top, inner;
    cudaGraphNode_t node, place;
    cudaGraphExec_t exec, again;
    size_t count = 1;

    what.func = (void *)add, what.gridDim = what.blockDim = dim3(1), what.kernelParams = arguments;
    CUDA_CHECK(cudaGraphCreate(&child, 0));
    CUDA_CHECK(cudaGraphAddKernelNode(&node, child, nullptr, 0, &what));
    CUDA_CHECK(cudaGraphCreate(&top, 0));
    CUDA_CHECK(cudaGraphAddChildGraphNode(&place, top, nullptr, 0, child));
    CUDA_CHECK(cudaGraphChildGraphNodeGetGraph(place, &inner));
    CUDA_CHECK(cudaGraphGetNodes(inner, &node, &count));
    CUDA_CHECK(cudaGraphInstantiate(&exec, top, 0));
    v = 1000;
    CUDA_CHECK(cudaGraphExecKernelNodeSetParams(exec, node, &what));
    v = 7;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(nullptr, node, &what));
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    expect_device("sum", std::vector<int>{1000}, sum);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphDestroy(inner)); /* it goes with its node */
    EXPECT_ERROR(cudaErrorNotSupported, cudaGraphInstantiate(&again, inner, 0));
    EXPECT_ERROR(cudaErrorNotSupported, cudaGraphAddChildGraphNode(&place, child, nullptr, 0, inner));
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(child));
    CUDA_CHECK(cudaGraphDestroy(top));
    device_free(sum);
}

/* A graph with a conditional node is not copied. */
static void test_conditions()
{
    cudaGraph_t graph, top, copy;
    cudaGraphNode_t node;
    cudaGraphNodeParams what = {};

    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    CUDA_CHECK(cudaGraphCreate(&top, 0));
    what.type = cudaGraphNodeTypeConditional;
    what.conditional.type = cudaGraphCondTypeIf;
    what.conditional.size = 1;
    CUDA_CHECK(cudaGraphConditionalHandleCreate(&what.conditional.handle, graph, 1, cudaGraphCondAssignDefault));
    CUDA_CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &what));
    EXPECT_ERROR(cudaErrorNotSupported, cudaGraphClone(&copy, graph));
    EXPECT_ERROR(cudaErrorNotSupported, cudaGraphAddChildGraphNode(&node, top, nullptr, 0, graph));
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaGraphDestroy(top));
}

/* A copy in an executable graph keeps its number of rows. Rows that lie side by side may be several. */
static void test_rows()
{
    int *values = device_zeros<int>(64), from[64];
    cudaMemcpy3DParms rows = {}, row;
    cudaGraph_t graph;
    cudaGraphNode_t several, one;
    cudaGraphExec_t exec;

    for (int i = 0; i < 64; i++)
        from[i] = i;
    rows.srcPtr = make_cudaPitchedPtr(from, 64, 64, 4);
    rows.dstPtr = make_cudaPitchedPtr(values, 64, 64, 4);
    rows.extent = make_cudaExtent(64, 4, 1);
    rows.kind = cudaMemcpyHostToDevice;
    row = rows;
    row.extent.height = 1;
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    CUDA_CHECK(cudaGraphAddMemcpyNode(&several, graph, nullptr, 0, &rows));
    CUDA_CHECK(cudaGraphAddMemcpyNode(&one, graph, &several, 1, &row));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphExecMemcpyNodeSetParams(exec, several, &rows));
    CUDA_CHECK(cudaGraphExecMemcpyNodeSetParams(exec, one, &row));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParams(exec, one, &rows));
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    expect_device("rows", std::vector<int>(from, from + 64), values);
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
    device_free(values);
}

static int blocks_of(size_t dynamic)
{
    int blocks = -1;

    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, share, 64, dynamic));
    return blocks;
}

/* A carveout is rounded up to a size that the hardware has, and holds one block at least. */
static void test_occupancy()
{
    const cudaFuncAttribute carveout = cudaFuncAttributePreferredSharedMemoryCarveout;

    EXPECT(blocks_of(40000) == 5 && blocks_of(100000) == 0); /* which was not asked for */
    CUDA_CHECK(cudaFuncSetAttribute(share, carveout, 50));
    EXPECT(blocks_of(40000) == 3);
    CUDA_CHECK(cudaFuncSetAttribute(share, carveout, 25));
    EXPECT(blocks_of(10000) == 5);
    CUDA_CHECK(cudaFuncSetAttribute(share, carveout, 0));
    EXPECT(blocks_of(40000) == 1);
    CUDA_CHECK(cudaFuncSetAttribute(share, cudaFuncAttributeMaxDynamicSharedMemorySize, 120000));
    CUDA_CHECK(cudaFuncSetAttribute(share, carveout, cudaSharedmemCarveoutDefault));
    EXPECT(blocks_of(100000) == 2);
}

int main()
{
    test_positions();
    test_border();
    test_children();
    test_conditions();
    test_rows();
    test_occupancy();
    return passed();
}
