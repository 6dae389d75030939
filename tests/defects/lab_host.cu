/*
 * lab_host.cu - defects in the host's part of larger programs. Each case is wrong; with -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include "suite.h"

__global__ void fill(int *data, int value)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = value; // HERE pool_other_stream freed_before_use
}

__global__ void twice(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] *= 2; // HERE fork_not_joined event_before_work copied_a_quarter
}

// Memory of a pool is used in another stream than the one that allocates it.
// expect: use-after-free|stream-race|out-of-bounds
static void pool_other_stream(void)
{
    stream a, b;
    event allocated, used;
    int *data;

    CHECK(cudaMallocAsync(&data, 1024, a)); // HERE pool_other_stream
    if (right) {
        CHECK(cudaEventRecord(allocated, a));
        CHECK(cudaStreamWaitEvent(b, allocated));
    }
    fill<<<1, 256, 0, b>>>(data, 1); // HERE pool_other_stream
    CHECK(cudaEventRecord(used, b));
    CHECK(cudaStreamWaitEvent(a, used));
    CHECK(cudaFreeAsync(data, a));
    FINISH();
}

// Memory of a pool is freed in its stream while another stream uses it.
// expect: use-after-free|stream-race
static void freed_before_use(void)
{
    stream a, b;
    event allocated, used;
    int *data;

    CHECK(cudaMallocAsync(&data, 1024, a));
    CHECK(cudaEventRecord(allocated, a));
    CHECK(cudaStreamWaitEvent(b, allocated));
    fill<<<1, 256, 0, b>>>(data, 1); // HERE freed_before_use
    if (right) {
        CHECK(cudaEventRecord(used, b));
        CHECK(cudaStreamWaitEvent(a, used));
    }
    CHECK(cudaFreeAsync(data, a)); // HERE freed_before_use
    FINISH();
}

// Two streams fork from one, and the second is not joined before the result is read.
// expect: stream-race
static void fork_not_joined(void)
{
    device<int> data(512);
    stream a, b;
    event forked, joined;
    int host[512];

    fill<<<2, 256, 0, a>>>(data, 3);
    CHECK(cudaEventRecord(forked, a));
    CHECK(cudaStreamWaitEvent(b, forked));
    twice<<<1, 256, 0, a>>>(data);
    twice<<<1, 256, 0, b>>>(data + 256); // HERE fork_not_joined
    CHECK(cudaEventRecord(joined, b));
    if (right)
        CHECK(cudaStreamWaitEvent(a, joined));
    CHECK(cudaMemcpyAsync(host, data, sizeof(host), cudaMemcpyDeviceToHost, a)); // HERE fork_not_joined
    FINISH();
}

// The event is recorded before the work that it is meant to stand for.
// expect: stream-race
static void event_before_work(void)
{
    device<int> data(256);
    stream a, b;
    event done;

    if (!right)
        CHECK(cudaEventRecord(done, a));
    fill<<<1, 256, 0, a>>>(data, 3); // HERE event_before_work
    if (right)
        CHECK(cudaEventRecord(done, a));
    CHECK(cudaStreamWaitEvent(b, done));
    twice<<<1, 256, 0, b>>>(data); // HERE event_before_work
    FINISH();
}

// A graph keeps the pointer to a buffer that was freed and allocated anew.
// expect: use-after-free|illegal-address|out-of-bounds
static void graph_of_old_buffer(void)
{
    stream s;
    cudaGraph_t graph;
    cudaGraphExec_t runs;
    int *data, *more;

    CHECK(cudaMalloc(&data, 1024));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(data, 0, 1024, s)); // HERE graph_of_old_buffer
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&runs, graph, 0));
    CHECK(cudaGraphLaunch(runs, s));
    CHECK(cudaStreamSynchronize(s));
    if (!right)
        CHECK(cudaFree(data));
    CHECK(cudaMalloc(&more, 1 << 20));
    CHECK(cudaGraphLaunch(runs, s)); // HERE graph_of_old_buffer
    FINISH();
    if (right)
        CHECK(cudaFree(data));
    CHECK(cudaFree(more));
    CHECK(cudaGraphExecDestroy(runs));
    CHECK(cudaGraphDestroy(graph));
}

// A node is added without its dependency on the one that writes its input.
// expect: stream-race
static void graph_without_edge(void)
{
    device<int> data(256);
    int *at = data, value = 4;
    cudaGraph_t graph;
    cudaGraphExec_t runs;
    cudaGraphNode_t first, second;
    cudaKernelNodeParams p = {};
    void *arguments[] = {&at, &value};

    CHECK(cudaGraphCreate(&graph, 0));
    p.func = (void *)fill;
    p.gridDim = dim3(1);
    p.blockDim = dim3(256);
    p.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &p));
    p.func = (void *)twice;
    CHECK(cudaGraphAddKernelNode(&second, graph, &first, right ? 1 : 0, &p));
    CHECK(cudaGraphInstantiate(&runs, graph, 0));
    CHECK(cudaGraphLaunch(runs, nullptr));
    FINISH();
    CHECK(cudaGraphExecDestroy(runs));
    CHECK(cudaGraphDestroy(graph));
}

// The host reads managed memory while a kernel writes it.
// expect: host-race
static void managed_too_early(void)
{
    int *data, sum = 0;

    CHECK(cudaMallocManaged(&data, 1024));
    fill<<<1, 256>>>(data, 2);
    CHECK(cudaGetLastError());
    if (right)
        CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < 256; k++)
        sum += data[k]; // HERE managed_too_early
    printf("%d\n", sum);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
}

// The source of a copy that is still under way is filled anew.
// expect: host-race
static void refilled_source(void)
{
    device<int> data(1024);
    stream s;
    int *pinned;

    CHECK(cudaMallocHost(&pinned, 2048));
    for (int part = 0; part < 2; part++) {
        for (int k = 0; k < 512; k++)
            pinned[k] = part; // HERE refilled_source
        CHECK(cudaMemcpyAsync(data + part * 512, pinned, 2048, cudaMemcpyHostToDevice, s)); // HERE refilled_source
        if (right)
            CHECK(cudaStreamSynchronize(s));
    }
    FINISH();
    CHECK(cudaFreeHost(pinned));
}

// The size of a copy counts elements.
// expect: uninitialised
static void copied_a_quarter(void)
{
    int host[256] = {}, *data;

    CHECK(cudaMalloc(&data, sizeof(host)));
    CHECK(cudaMemcpy(data, host, right ? sizeof(host) : 256, cudaMemcpyHostToDevice));
    twice<<<1, 256>>>(data);
    FINISH();
    CHECK(cudaFree(data));
}

// The rows of a pitched image are copied with the width as the pitch.
// expect: out-of-bounds|refused|unchecked-error
static void too_many_rows(void)
{
    unsigned char host[40 * 100] = {}, *image;
    size_t pitch;

    CHECK(cudaMallocPitch(&image, &pitch, 40, 100));
    cudaMemcpy2D(image, pitch, host, 40, 40, right ? 100 : 110, cudaMemcpyHostToDevice); // HERE too_many_rows
    FINISH();
    CHECK(cudaFree(image));
}

// A surface is written beyond its rows.
__global__ void through_surface(cudaSurfaceObject_t surface, int width)
{
    float v = 1;

    if (!right || threadIdx.x < width)
        surf2Dwrite(v, surface, threadIdx.x * sizeof(float), 0); // HERE beyond_surface
}

// expect: out-of-bounds|trap|illegal-address
static void beyond_surface(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    cudaResourceDesc resource = {};

    CHECK(cudaMallocArray(&array, &format, 24, 4, cudaArraySurfaceLoadStore));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    through_surface<<<1, 32>>>(surface, 24);
    FINISH();
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
}

// A texture object is left behind.
// expect: leak
static void texture_leak(void)
{
    device<float> data(256);
    cudaTextureObject_t texture;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};

    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 1024;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    if (right)
        CHECK(cudaDestroyTextureObject(texture));
}

// An early return leaves memory behind.
static bool prepared(bool fails)
{
    int *scratch;

    CHECK(cudaMalloc(&scratch, 4096)); // HERE early_return
    if (fails) {
        if (right)
            CHECK(cudaFree(scratch));
        return false;
    }
    CHECK(cudaFree(scratch));
    return true;
}

// expect: leak
static void early_return(void)
{
    EXPECT(!prepared(true));
}

// A block that is too large fails, and nothing looks at it.
// expect: refused|unchecked-error
static void block_too_large(void)
{
    device<int> data(4096);

    fill<<<right ? 2 : 1, right ? 1024 : 2048>>>(data, 1); // HERE block_too_large
    CHECK(cudaDeviceSynchronize());
}

static void add_to(void *user)
{
    ++*static_cast<int *>(user); // HERE device_memory_in_callback
}

// A host function gets the address of a counter in the device's memory.
// expect: host-access
static void device_memory_in_callback(void)
{
    device<int> there(1);
    stream s;
    int here = 0;

    CHECK(cudaLaunchHostFunc(s, add_to, right ? &here : there.at));
    FINISH();
}

// The kind of a copy names the wrong direction.
// expect: refused|unchecked-error
static void wrong_kind(void)
{
    device<int> data(64);
    int host[64];

    cudaMemcpyKind kind = right ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;

    cudaMemcpyAsync(host, data, sizeof(host), kind); // HERE wrong_kind
    CHECK(cudaDeviceSynchronize());
}

// A host pointer is passed to a kernel within a structure.
struct job {
    int *data;
    int n;
};

__global__ void run_job(job j)
{
    if (threadIdx.x < j.n)
        j.data[threadIdx.x] = 1; // HERE host_pointer_in_job
}

// expect: illegal-address
static void host_pointer_in_job(void)
{
    device<int> data(32);
    int *host = static_cast<int *>(malloc(128));
    job j = {right ? data.at : host, 32};

    run_job<<<1, 32>>>(j);
    FINISH();
    free(host);
}

static const suite_case cases[] = {
    {"pool_other_stream", pool_other_stream},
    {"freed_before_use", freed_before_use},
    {"fork_not_joined", fork_not_joined},
    {"event_before_work", event_before_work},
    {"graph_of_old_buffer", graph_of_old_buffer},
    {"graph_without_edge", graph_without_edge},
    {"managed_too_early", managed_too_early},
    {"refilled_source", refilled_source},
    {"copied_a_quarter", copied_a_quarter},
    {"too_many_rows", too_many_rows},
    {"beyond_surface", beyond_surface},
    {"texture_leak", texture_leak},
    {"early_return", early_return},
    {"block_too_large", block_too_large},
    {"device_memory_in_callback", device_memory_in_callback},
    {"wrong_kind", wrong_kind},
    {"host_pointer_in_job", host_pointer_in_job},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
