// flags: -rdc=true -lcudadevrt
/*
 * device_graphs.cu - graphs that kernels launch: at once, behind their own graph, and the graph itself again. And
 * kernels that a kernel launches by hand, with a buffer for their arguments.
 */
#include "../check.h"

struct state {
    int order[64], count;    /* what ran, in order */
    int rounds;              /* of the graph that launches itself */
    int errors[4];
    unsigned long long here; /* cudaGetCurrentGraphExec() */
};

static __device__ void say(state *s, int what) { s->order[atomicAdd(&s->count, 1)] = what; }

static __global__ void leaf(state *s, int what) { say(s, what); }

static __global__ void launcher(state *s, cudaGraphExec_t now, cudaGraphExec_t later)
{
    say(s, 1);
    s->errors[0] = cudaGraphLaunch(later, cudaStreamGraphTailLaunch);
    s->errors[1] = cudaGraphLaunch(now, cudaStreamGraphFireAndForget);
    s->errors[2] = cudaGraphLaunch(now, 0);
    s->errors[3] = cudaGetCurrentGraphExec() != 0;
}

static __global__ void again(state *s)
{
    s->here = (unsigned long long)cudaGetCurrentGraphExec();
    say(s, 100 + s->rounds);
    if (++s->rounds < 5)
        s->errors[0] = cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}

static __global__ void outside(state *s, cudaGraphExec_t graph)
{
    s->errors[0] = cudaGraphLaunch(graph, cudaStreamGraphFireAndForget);
}

static __global__ void by_hand(state *s)
{
    struct arguments {
        state *s;
        int what;
    } *buffer = (arguments *)cudaGetParameterBuffer(8, sizeof(arguments));

    buffer->s = s, buffer->what = 7;
    s->errors[0] = cudaLaunchDevice((void *)leaf, buffer, dim3(2), dim3(1), 0, 0);
    s->errors[1] = cudaLaunchDevice((void *)leaf, buffer, dim3(2), dim3(1), 0, 0); /* it was used */
}

/* A graph of one kernel. */
static cudaGraph_t one(void *kernel, void **arguments)
{
    cudaKernelNodeParams what = {};
    cudaGraph_t graph;
    cudaGraphNode_t node;

    what.func = kernel, what.gridDim = what.blockDim = dim3(1), what.kernelParams = arguments;
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    CUDA_CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &what));
    return graph;
}

static void CUDART_CB nothing(void *) {}

int main()
{
    cudaGraph_t graphs[4];
    cudaGraphExec_t now, later, outer, itself;
    state *s, got;
    int two = 2, three = 3;
    cudaStream_t stream;

    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaMalloc(&s, sizeof *s));
    CUDA_CHECK(cudaMemset(s, 0, sizeof *s));
    void *with_two[] = {&s, &two}, *with_three[] = {&s, &three}, *with_graphs[] = {&s, &now, &later}, *alone[] = {&s};
    graphs[0] = one((void *)leaf, with_two), graphs[1] = one((void *)leaf, with_three);
    CUDA_CHECK(cudaGraphInstantiate(&now, graphs[0], cudaGraphInstantiateFlagDeviceLaunch));
    cudaGraphInstantiateParams upload = {};

    upload.flags = cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUpload;
    upload.uploadStream = stream;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaGraphInstantiate(&later, graphs[1], upload.flags)); /* no stream */
    CUDA_CHECK(cudaGraphInstantiateWithParams(&later, graphs[1], &upload));
    CUDA_CHECK(cudaGraphUpload(now, stream));
    graphs[2] = one((void *)launcher, with_graphs);
    CUDA_CHECK(cudaGraphInstantiate(&outer, graphs[2], 0));
    CUDA_CHECK(cudaGraphLaunch(outer, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaMemcpy(&got, s, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got.count == 3 && got.order[0] == 1 && got.order[1] == 2 && got.order[2] == 3);
    EXPECT(!got.errors[0] && !got.errors[1] && got.errors[2] == cudaErrorInvalidValue && !got.errors[3]);

    graphs[3] = one((void *)again, alone);
    CUDA_CHECK(cudaMemset(s, 0, sizeof *s));
    CUDA_CHECK(cudaGraphInstantiate(&itself, graphs[3], cudaGraphInstantiateFlagDeviceLaunch));
    CUDA_CHECK(cudaGraphLaunch(itself, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaMemcpy(&got, s, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got.count == 5 && got.order[4] == 104 && got.here == (unsigned long long)itself);

    CUDA_CHECK(cudaMemset(s, 0, sizeof *s));
    outside<<<1, 1, 0, stream>>>(s, now); /* only kernels in graphs launch graphs */
    EXPECT_ERROR(cudaErrorNotSupported, cudaGetLastError());
    by_hand<<<1, 1, 0, stream>>>(s);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy(&got, s, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(!got.errors[0] && got.errors[1] == cudaErrorInvalidValue && got.count == 2 && got.order[1] == 7);

    /* Such a graph may not have a node that only the host can run. */
    cudaGraphNode_t node;
    cudaHostNodeParams host = {nothing, nullptr};
    cudaGraphExec_t refused;
    CUDA_CHECK(cudaGraphAddHostNode(&node, graphs[0], nullptr, 0, &host));
    EXPECT_ERROR(cudaErrorNotSupported,
                 cudaGraphInstantiate(&refused, graphs[0], cudaGraphInstantiateFlagDeviceLaunch));

    for (cudaGraphExec_t exec : {now, later, outer, itself})
        CUDA_CHECK(cudaGraphExecDestroy(exec));
    for (cudaGraph_t graph : graphs)
        CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(s));
    return passed();
}
