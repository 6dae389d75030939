/*
 * graph_memory.cu - memory that graphs allocate: how long it lives, who may free it, and what is counted of it.
 */

#include "../check.h"

__global__ void fill(int *p, int v, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n)
        p[i] = v + i;
}

__global__ void sum(const int *p, int n, int *o)
{
    int s = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        s += p[i];
    for (int k = 16; k; k /= 2)
        s += __shfl_xor_sync(~0u, s, k);
    if (!threadIdx.x)
        *o += s;
}

static unsigned long long mem(cudaGraphMemAttributeType a)
{
    unsigned long long v = 77;
    CUDA_CHECK(cudaDeviceGetGraphMemAttribute(0, a, &v));
    return v;
}

static void test_capture(cudaStream_t s, int *o)
{
    cudaGraph_t g;
    cudaGraphExec_t e, again;
    int *p;
    EXPECT(mem(cudaGraphMemAttrUsedMemCurrent) == 0ull);
    CUDA_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CUDA_CHECK(cudaMallocAsync(&p, 4000, s));
    fill<<<8, 128, 0, s>>>(p, 1, 1000);
    sum<<<1, 32, 0, s>>>(p, 1000, o);
    CUDA_CHECK(cudaFreeAsync(p, s));
    CUDA_CHECK(cudaStreamEndCapture(s, &g));
    size_t n;
    CUDA_CHECK(cudaGraphGetNodes(g, nullptr, &n));
    EXPECT(n == (size_t)4);
    std::vector<cudaGraphNode_t> nd(n);
    CUDA_CHECK(cudaGraphGetNodes(g, nd.data(), &n));
    int al = 0, fr = 0;
    for (auto x : nd) {
        cudaGraphNodeType t;
        CUDA_CHECK(cudaGraphNodeGetType(x, &t));
        if (t == cudaGraphNodeTypeMemAlloc) {
            al++;
            cudaMemAllocNodeParams mp;
            CUDA_CHECK(cudaGraphMemAllocNodeGetParams(x, &mp));
            EXPECT(mp.bytesize == 4000 && mp.dptr == p &&
                   mp.poolProps.location.type == cudaMemLocationTypeDevice);
        }
        if (t == cudaGraphNodeTypeMemFree) {
            fr++;
            void *q;
            CUDA_CHECK(cudaGraphMemFreeNodeGetParams(x, &q));
            EXPECT(q == p);
        }
    }
    EXPECT(al == 1);
    EXPECT(fr == 1);
    CUDA_CHECK(cudaGraphInstantiate(&e, g, 0));
    EXPECT(cudaGraphInstantiate(&again, g, 0) != cudaSuccess); /* one at a time */
    (void)cudaGetLastError();
    for (int i = 0; i < 3; i++)
        CUDA_CHECK(cudaGraphLaunch(e, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    EXPECT(host_copy(o, 1)[0] == 3 * 500500);
    EXPECT(mem(cudaGraphMemAttrUsedMemCurrent) >= 4000); /* the graph keeps it */
    EXPECT(mem(cudaGraphMemAttrUsedMemHigh) >= 4000);
    EXPECT(mem(cudaGraphMemAttrReservedMemCurrent) >= 4000);
    CUDA_CHECK(cudaGraphExecDestroy(e));
    CUDA_CHECK(cudaGraphInstantiate(&again, g, 0));
    CUDA_CHECK(cudaGraphExecDestroy(again));
    CUDA_CHECK(cudaGraphDestroy(g));
    CUDA_CHECK(cudaDeviceGraphMemTrim(0));
    EXPECT(mem(cudaGraphMemAttrReservedMemCurrent) == 0ull);
    unsigned long long zero = 0;
    CUDA_CHECK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    EXPECT(mem(cudaGraphMemAttrUsedMemHigh) == 0ull);
}

static cudaMemAllocNodeParams parameters()
{
    cudaMemAllocNodeParams ap = {};
    ap.poolProps.allocType = cudaMemAllocationTypePinned;
    ap.poolProps.location = {cudaMemLocationTypeDevice, 0};
    ap.bytesize = 4096;
    return ap;
}

/* A graph that allocates memory, fills it and leaves it to others. */
static cudaGraph_t producer(int **p)
{
    cudaGraph_t g;
    cudaMemAllocNodeParams ap = parameters();
    CUDA_CHECK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t a, k;
    CUDA_CHECK(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &ap));
    *p = (int *)ap.dptr;
    EXPECT(*p != nullptr);
    int v = 5, cnt = 1024;
    void *args[] = {p, &v, &cnt};
    cudaKernelNodeParams kp = {};
    kp.func = (void *)fill;
    kp.gridDim = dim3(8);
    kp.blockDim = dim3(128);
    kp.kernelParams = args;
    CUDA_CHECK(cudaGraphAddKernelNode(&k, g, &a, 1, &kp));
    return g;
}

static void test_outlives(cudaStream_t s, int *o)
{
    cudaGraphExec_t e;
    cudaGraphNode_t f;
    int *p;
    cudaGraph_t g = producer(&p);
    CUDA_CHECK(cudaGraphInstantiate(&e, g, 0));
    CUDA_CHECK(cudaGraphLaunch(e, s));
    sum<<<1, 32, 0, s>>>(p, 1024, o + 1);
    CUDA_CHECK(cudaFreeAsync(p, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    EXPECT(host_copy(o, 2)[1] == 5 * 1024 + 1023 * 512);
    CUDA_CHECK(cudaGraphLaunch(e, s));
    cudaGraph_t g2;
    cudaGraphExec_t e2;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphLaunch(e, s));
    CUDA_CHECK(cudaGraphCreate(&g2, 0));
    CUDA_CHECK(cudaGraphAddMemFreeNode(&f, g2, nullptr, 0, p));
    CUDA_CHECK(cudaGraphInstantiate(&e2, g2, 0));
    CUDA_CHECK(cudaGraphLaunch(e2, s));
    CUDA_CHECK(cudaGraphLaunch(e, s));
    CUDA_CHECK(cudaGraphLaunch(e2, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    CUDA_CHECK(cudaGraphLaunch(e, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    EXPECT(mem(cudaGraphMemAttrUsedMemCurrent) >= 4096);
    CUDA_CHECK(cudaFree(p));
    CUDA_CHECK(cudaGraphExecDestroy(e));
    CUDA_CHECK(cudaGraphExecDestroy(e2));
    CUDA_CHECK(cudaGraphDestroy(g2));
    CUDA_CHECK(cudaGraphDestroy(g));
}

static void test_auto_free(cudaStream_t s)
{
    cudaGraphExec_t e;
    int *p;
    cudaGraph_t g = producer(&p);
    CUDA_CHECK(cudaGraphInstantiate(&e, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    for (int i = 0; i < 3; i++)
        CUDA_CHECK(cudaGraphLaunch(e, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    EXPECT(host_copy(p, 1)[0] == 5);
    CUDA_CHECK(cudaFreeAsync(p, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    CUDA_CHECK(cudaGraphExecDestroy(e));
    cudaGraph_t cl;
    EXPECT_ERROR(cudaErrorNotSupported, cudaGraphClone(&cl, g));
    CUDA_CHECK(cudaGraphDestroy(g));
    cudaDeviceGraphMemTrim(0);
}

static void test_chain(cudaStream_t s, int *o)
{
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaMemAllocNodeParams ap = parameters();
    cudaKernelNodeParams kp = {};
    kp.func = (void *)fill;
    kp.gridDim = dim3(8);
    kp.blockDim = dim3(128);
    int cnt = 1024;
    CUDA_CHECK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t prev = nullptr;
    for (int i = 0; i < 4; i++) {
        cudaGraphNode_t x, y, z;
        CUDA_CHECK(cudaGraphAddMemAllocNode(&x, g, prev ? &prev : nullptr, prev ? 1 : 0, &ap));
        int *q = (int *)ap.dptr;
        void *fa[] = {&q, &i, &cnt};
        kp.kernelParams = fa;
        CUDA_CHECK(cudaGraphAddKernelNode(&y, g, &x, 1, &kp));
        int *o2 = o + 2;
        void *sa[] = {&q, &cnt, &o2};
        cudaKernelNodeParams sp = {};
        sp.func = (void *)sum;
        sp.gridDim = dim3(1);
        sp.blockDim = dim3(32);
        sp.kernelParams = sa;
        CUDA_CHECK(cudaGraphAddKernelNode(&z, g, &y, 1, &sp));
        CUDA_CHECK(cudaGraphAddMemFreeNode(&prev, g, &z, 1, q));
    }
    CUDA_CHECK(cudaGraphInstantiate(&e, g, 0));
    CUDA_CHECK(cudaGraphLaunch(e, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    EXPECT(host_copy(o, 3)[2] == 4 * 1023 * 512 + 6 * 1024);
    CUDA_CHECK(cudaGraphExecDestroy(e));
    CUDA_CHECK(cudaGraphDestroy(g));
}

int main(void)
{
    int *o = device_zeros<int>(4);
    cudaStream_t s;
    CUDA_CHECK(cudaStreamCreate(&s));
    test_capture(s, o);
    test_outlives(s, o);
    test_auto_free(s);
    test_chain(s, o);
    CUDA_CHECK(cudaStreamDestroy(s));
    device_free(o);
    return passed();
}
