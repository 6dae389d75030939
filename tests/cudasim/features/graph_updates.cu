/*
 * graph_updates.cu - executable graphs that are changed, by node and as a whole; captures that fork, join and
 * fail.
 */

#include "../check.h"

__global__ void add(int *p, int v)
{
    atomicAdd(p, v);
}

__global__ void mul(int *p, int v)
{
    *p *= v;
}

static void CUDART_CB h1(void *u)
{
    *(int *)u += 1;
}

static void CUDART_CB h2(void *u)
{
    *(int *)u += 100;
}
struct G {
    cudaGraph_t g;
    cudaGraphNode_t k, s, c, h, e;
};

static G make(int *d, int v, int *cnt, void *fn = (void *)add, dim3 grid = dim3(1))
{
    G g;
    CUDA_CHECK(cudaGraphCreate(&g.g, 0));
    void *a[] = {&d, &v};
    cudaKernelNodeParams k = {};
    k.func = fn;
    k.gridDim = grid;
    k.blockDim = dim3(1);
    k.kernelParams = a;
    CUDA_CHECK(cudaGraphAddKernelNode(&g.k, g.g, 0, 0, &k));
    cudaMemsetParams m = {};
    m.dst = d + 8;
    m.elementSize = 4;
    m.width = 4;
    m.height = 1;
    m.value = v;
    CUDA_CHECK(cudaGraphAddMemsetNode(&g.s, g.g, &g.k, 1, &m));
    CUDA_CHECK(cudaGraphAddMemcpyNode1D(&g.c, g.g, &g.s, 1, d + 16, d + 8, 16, cudaMemcpyDeviceToDevice));
    cudaHostNodeParams h = {h1, cnt};
    CUDA_CHECK(cudaGraphAddHostNode(&g.h, g.g, &g.c, 1, &h));
    return g;
}

/* The parameters of each kind of node, in an executable graph. */
static void test_nodes(int *d, cudaStream_t s)
{
    int cnt = 0, other = 0;
    G a = make(d, 3, &cnt);
    cudaGraphExec_t e;
    CUDA_CHECK(cudaGraphInstantiate(&e, a.g, 0));
    CUDA_CHECK(cudaGraphLaunch(e, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    auto r = host_copy(d, 20);
    EXPECT(r[0] == 3);
    EXPECT(r[17] == 3);
    EXPECT(cnt == 1);
    int v = 10;
    void *args[] = {&d, &v};
    cudaKernelNodeParams k = {};
    k.func = (void *)add;
    k.gridDim = dim3(4);
    k.blockDim = dim3(2);
    k.kernelParams = args;
    CUDA_CHECK(cudaGraphExecKernelNodeSetParams(e, a.k, &k));
    v = 99;
    cudaMemsetParams m = {};
    m.dst = d + 8;
    m.elementSize = 4;
    m.width = 4;
    m.height = 1;
    m.value = 55;
    CUDA_CHECK(cudaGraphExecMemsetNodeSetParams(e, a.s, &m));
    CUDA_CHECK(cudaGraphExecMemcpyNodeSetParams1D(e, a.c, d + 32, d + 8, 8, cudaMemcpyDeviceToDevice));
    cudaHostNodeParams h = {h2, &other};
    CUDA_CHECK(cudaGraphExecHostNodeSetParams(e, a.h, &h));
    CUDA_CHECK(cudaGraphLaunch(e, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    r = host_copy(d, 40);
    EXPECT(r[0] == 83);
    EXPECT(r[33] == 55);
    EXPECT(r[34] == 0);
    EXPECT(other == 100);
    CUDA_CHECK(cudaGraphExecDestroy(e));
    CUDA_CHECK(cudaGraphDestroy(a.g));
}

/* Whole updates, and what forbids them. */
static void test_updates(int *d, cudaStream_t s)
{
    int cnt = 0;
    cudaGraphExec_t e;
    G a = make(d, 80, &cnt);
    CUDA_CHECK(cudaMemset(d, 0, 256));
    CUDA_CHECK(cudaGraphInstantiate(&e, a.g, 0));
    CUDA_CHECK(cudaGraphLaunch(e, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    std::vector<int> r;
    cudaGraphExecUpdateResultInfo inf;
    G b = make(d, 7, &cnt);
    CUDA_CHECK(cudaGraphExecUpdate(e, b.g, &inf));
    EXPECT((int)inf.result == (int)cudaGraphExecUpdateSuccess);
    CUDA_CHECK(cudaGraphLaunch(e, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    r = host_copy(d, 20);
    EXPECT(r[0] == 87);
    EXPECT(r[18] == 7);
    EXPECT(cnt == 2);
    G c = make(d, 2, &cnt, (void *)mul);
    CUDA_CHECK(cudaGraphExecUpdate(e, c.g, &inf));
    CUDA_CHECK(cudaGraphLaunch(e, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    EXPECT(host_copy(d, 1)[0] == 174);
    CUDA_CHECK(cudaGraphAddEmptyNode(&c.e, c.g, &c.h, 1));
    EXPECT_ERROR(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(e, c.g, &inf));
    EXPECT((int)inf.result == (int)cudaGraphExecUpdateErrorTopologyChanged);
    G x = make(d, 1, &cnt);
    CUDA_CHECK(cudaGraphDestroyNode(x.h));
    CUDA_CHECK(cudaGraphAddEmptyNode(&x.e, x.g, &x.c, 1));
    EXPECT_ERROR(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(e, x.g, &inf));
    EXPECT((int)inf.result == (int)cudaGraphExecUpdateErrorNodeTypeChanged);
    EXPECT(inf.errorNode == x.e);
    cudaGraphNodeParams np = {};
    np.type = cudaGraphNodeTypeKernel;
    int v2 = 1;
    void *na[] = {&d, &v2};
    np.kernel.func = (void *)add;
    np.kernel.gridDim = np.kernel.blockDim = dim3(1);
    np.kernel.kernelParams = na;
    CUDA_CHECK(cudaGraphExecNodeSetParams(e, a.k, &np));
    CUDA_CHECK(cudaGraphNodeSetParams(a.k, &np));
    np.type = cudaGraphNodeTypeHost;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphNodeSetParams(a.k, &np));
    CUDA_CHECK(cudaGraphLaunch(e, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    EXPECT(host_copy(d, 1)[0] == 175);
    for (G *q : {&a, &b, &c, &x})
        CUDA_CHECK(cudaGraphDestroy(q->g));
    CUDA_CHECK(cudaGraphExecDestroy(e));
}

/* Forks and joins over three streams; the first is spoilt by a wait. */
static void test_forks(int *d, cudaStream_t s, cudaStream_t s2, cudaStream_t s3)
{
    cudaGraph_t g;
    cudaGraphExec_t e;
    int other = 0;
    std::vector<int> r;
    cudaStreamCaptureStatus st;
    size_t n;
    cudaEvent_t f, j1, j2;
    for (auto q : {&f, &j1, &j2})
        CUDA_CHECK(cudaEventCreateWithFlags(q, cudaEventDisableTiming));
    CUDA_CHECK(cudaMemset(d, 0, 256));
    auto split = [&] { /* a node in s, and behind it two branches, which j1 and j2 end */
        add<<<1, 1, 0, s>>>(d, 1);
        CUDA_CHECK(cudaEventRecord(f, s));
        CUDA_CHECK(cudaStreamWaitEvent(s2, f));
        CUDA_CHECK(cudaStreamWaitEvent(s3, f));
        add<<<1, 1, 0, s2>>>(d, 10);
        add<<<1, 1, 0, s3>>>(d, 100);
        CUDA_CHECK(cudaLaunchHostFunc(s3, h1, &other));
        CUDA_CHECK(cudaEventRecord(j1, s2));
        CUDA_CHECK(cudaEventRecord(j2, s3));
    };
    CUDA_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    split();
    CUDA_CHECK(cudaStreamIsCapturing(s2, &st));
    EXPECT((int)st == (int)cudaStreamCaptureStatusActive);
    EXPECT_ERROR(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(s2));
    CUDA_CHECK(cudaStreamIsCapturing(s, &st));
    EXPECT((int)st == (int)cudaStreamCaptureStatusInvalidated);
    EXPECT_ERROR(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
    CUDA_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    split();
    CUDA_CHECK(cudaStreamWaitEvent(s, j1));
    CUDA_CHECK(cudaStreamWaitEvent(s, j2));
    mul<<<1, 1, 0, s>>>(d, 2);
    CUDA_CHECK(cudaMemcpyAsync(d + 1, d, 4, cudaMemcpyDeviceToDevice, s));
    CUDA_CHECK(cudaMemsetAsync(d + 2, 1, 4, s));
    CUDA_CHECK(cudaStreamEndCapture(s, &g));
    CUDA_CHECK(cudaGraphGetNodes(g, nullptr, &n));
    EXPECT(n == (size_t)7);
    CUDA_CHECK(cudaGraphInstantiate(&e, g, 0));
    EXPECT(host_copy(d, 1)[0] == 0);
    CUDA_CHECK(cudaGraphLaunch(e, s));
    CUDA_CHECK(cudaGraphLaunch(e, s));
    CUDA_CHECK(cudaStreamSynchronize(s));
    r = host_copy(d, 3);
    EXPECT(r[0] == (222 + 111) * 2);
    EXPECT(r[1] == 666);
    EXPECT(r[2] == 0x01010101);
    EXPECT(other == 2);
    CUDA_CHECK(cudaGraphExecDestroy(e));
    CUDA_CHECK(cudaGraphDestroy(g));
    for (auto q : {f, j1, j2})
        CUDA_CHECK(cudaEventDestroy(q));
}

/* Captures that must fail. */
static void test_wrong_captures(int *d, cudaStream_t s, cudaStream_t s2)
{
    cudaGraph_t g;
    cudaStreamCaptureStatus st;
    size_t n;
    void *mp;
    cudaEvent_t f;
    CUDA_CHECK(cudaEventCreateWithFlags(&f, cudaEventDisableTiming));
    CUDA_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    add<<<1, 1, 0, s>>>(d, 1);
    CUDA_CHECK(cudaEventRecord(f, s));
    CUDA_CHECK(cudaStreamWaitEvent(s2, f));
    add<<<1, 1, 0, s2>>>(d, 1);
    EXPECT_ERROR(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(s, &g));
    EXPECT(g == nullptr);
    CUDA_CHECK(cudaStreamIsCapturing(s, &st));
    EXPECT((int)st == 0);
    EXPECT_ERROR(cudaErrorIllegalState, cudaStreamEndCapture(s, &g));
    CUDA_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    EXPECT_ERROR(cudaErrorIllegalState, cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    CUDA_CHECK(cudaStreamEndCapture(s, &g));
    n = 5;
    CUDA_CHECK(cudaGraphGetNodes(g, nullptr, &n));
    EXPECT(n == (size_t)0);
    CUDA_CHECK(cudaGraphDestroy(g));
    EXPECT_ERROR(cudaErrorStreamCaptureUnsupported,
                 cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
    CUDA_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    EXPECT_ERROR(cudaErrorStreamCaptureUnsupported, cudaMalloc(&mp, 16));
    cudaStreamEndCapture(s, &g);
    cudaGetLastError();
    cudaStreamCaptureMode md = cudaStreamCaptureModeRelaxed;
    CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&md));
    EXPECT((int)md == (int)cudaStreamCaptureModeGlobal);
    CUDA_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CUDA_CHECK(cudaMalloc(&mp, 16));
    CUDA_CHECK(cudaStreamEndCapture(s, &g));
    CUDA_CHECK(cudaFree(mp));
    CUDA_CHECK(cudaGraphDestroy(g));
    CUDA_CHECK(cudaEventDestroy(f));
}

int main(void)
{
    int *d = device_zeros<int>(64);
    cudaStream_t s, s2, s3;
    for (auto q : {&s, &s2, &s3})
        CUDA_CHECK(cudaStreamCreate(q));
    test_nodes(d, s);
    test_updates(d, s);
    test_forks(d, s, s2, s3);
    test_wrong_captures(d, s, s2);
    for (auto q : {s, s2, s3})
        CUDA_CHECK(cudaStreamDestroy(q));
    device_free(d);
    return passed();
}
