/*
 * shop_host.cu - defects in programs of the host, drawn by lot from a table of mechanisms. Each case is wrong; with
 * -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include <cuda.h>
#include <thread>
#include <vector>

#include "suite.h"

// Takes a while and adds to each element.
__global__ void add(int *data, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    __nanosleep(1000);
    data[i] += value; // HERE per_thread_and_free allocated_into_copy used_after_graph child_graphs_beside
}

// One kernel is in the stream of this thread, the other one in a stream that waits for no other one.
// expect: stream-race
static void per_thread_and_free(void)
{
    device<int> data(256);
    stream s;

    add<<<1, 256, 0, cudaStreamPerThread>>>(data, 1);
    CHECK(cudaGetLastError());
    if (right)
        CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    add<<<1, 256, 0, s>>>(data, 2);
    FINISH();
}

// The grid's number of blocks is no multiple of the cluster's.
__global__ void __cluster_dims__(4) add_in_clusters(int *data)
{
    data[blockIdx.x * 32 + threadIdx.x] += 1;
}

// expect: unchecked-error|refused
static void grid_not_of_clusters(void)
{
    device<int> data(8 * 32);

    add_in_clusters<<<right ? 8 : 6, 32>>>(data); // HERE grid_not_of_clusters
    CHECK(cudaDeviceSynchronize());
}

// A function allocates memory and sets its own copy of the pointer.
static void allocate(int *at, int count)
{
    CHECK(cudaMalloc(&at, count * sizeof(int)));
    CHECK(cudaMemset(at, 0, count * sizeof(int)));
}

static void allocate_to(int **at, int count)
{
    CHECK(cudaMalloc(at, count * sizeof(int)));
    CHECK(cudaMemset(*at, 0, count * sizeof(int)));
}

// expect: illegal-address
static void allocated_into_copy(void)
{
    int *data = nullptr;

    if (right)
        allocate_to(&data, 256);
    else
        allocate(data, 256);
    add<<<1, 256>>>(data, 1);
    FINISH();
    CHECK(cudaFree(data));
}

// The launch does not say how much shared memory the kernel needs.
__global__ void reversed(const int *in, int *out)
{
    extern __shared__ int tile[];

    tile[threadIdx.x] = in[threadIdx.x]; // HERE launch_without_dynamic
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// expect: out-of-bounds
static void launch_without_dynamic(void)
{
    device<int> in(128), out(128);

    if (right)
        reversed<<<1, 128, 128 * sizeof(int)>>>(in, out);
    else
        reversed<<<1, 128>>>(in, out);
    FINISH();
}

// A graph allocates memory and frees it. A later kernel gets the address.
// expect: use-after-free
static void used_after_graph(void)
{
    stream s;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    int *data;

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync(&data, 1024, s));
    CHECK(cudaMemsetAsync(data, 0, 1024, s));
    add<<<1, 256, 0, s>>>(data, 1);
    if (!right)
        CHECK(cudaFreeAsync(data, s));
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    CHECK(cudaGraphLaunch(run, s));
    add<<<1, 256, 0, s>>>(data, 2);
    if (right)
        CHECK(cudaFreeAsync(data, s));
    FINISH();
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(graph));
}

// The pitches of the source and of the target are swapped.
__global__ void row_sums(const float *rows, size_t pitch, float *sums)
{
    const float *row = reinterpret_cast<const float *>(reinterpret_cast<const char *>(rows) + threadIdx.x * pitch);
    float sum = 0;

    for (int k = 0; k < 100; k++)
        sum += row[k]; // HERE pitches_swapped
    sums[threadIdx.x] = sum;
}

// expect: uninitialised
static void pitches_swapped(void)
{
    std::vector<float> h(100 * 8, 1.0f);
    device<float> sums(8);
    float *rows;
    size_t pitch;

    CHECK(cudaMallocPitch(&rows, &pitch, 400, 8));
    if (right)
        CHECK(cudaMemcpy2D(rows, pitch, h.data(), 400, 400, 8, cudaMemcpyHostToDevice));
    else
        CHECK(cudaMemcpy2D(rows, 400, h.data(), pitch, 400, 8, cudaMemcpyHostToDevice));
    row_sums<<<1, 8>>>(rows, pitch, sums);
    FINISH();
    CHECK(cudaFree(rows));
}

// Two child graphs use one buffer, and no edge leads from one to the other.
static cudaGraph_t graph_of_add(int *data, int value)
{
    stream s;
    cudaGraph_t graph;

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<1, 256, 0, s>>>(data, value);
    CHECK(cudaStreamEndCapture(s, &graph));
    return graph;
}

// expect: stream-race
static void child_graphs_beside(void)
{
    device<int> data(256);
    cudaGraph_t one = graph_of_add(data, 1), two = graph_of_add(data, 2), whole;
    cudaGraphNode_t first, second;
    cudaGraphExec_t run;

    CHECK(cudaGraphCreate(&whole, 0));
    CHECK(cudaGraphAddChildGraphNode(&first, whole, nullptr, 0, one));
    CHECK(cudaGraphAddChildGraphNode(&second, whole, &first, right ? 1 : 0, two));
    CHECK(cudaGraphInstantiate(&run, whole, 0));
    CHECK(cudaGraphLaunch(run, 0));
    FINISH();
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(whole));
    CHECK(cudaGraphDestroy(one));
    CHECK(cudaGraphDestroy(two));
}

// The size of a matrix is an int. It is larger than that, and what is left of it is a smaller size.
__global__ void last_row(float *matrix, int n)
{
    size_t row = n - 1;

    for (int k = threadIdx.x; k < n; k += blockDim.x)
        matrix[row * n + k] = k; // HERE size_overflows
}

// expect: out-of-bounds|illegal-address
static void size_overflows(void)
{
    int n = 40000;
    int bytes = n * n * static_cast<int>(sizeof(float));
    float *matrix;

    if (right)
        CHECK(cudaMalloc(&matrix, sizeof(float) * n * n));
    else
        CHECK(cudaMalloc(&matrix, bytes));
    last_row<<<1, 256>>>(matrix, n);
    FINISH();
    CHECK(cudaFree(matrix));
}

// A thread of the host has no context, so its calls of the driver fail.
// expect: unchecked-error|illegal-address
static void thread_without_context(void)
{
    CUdeviceptr data = 0;
    CUcontext context;

    CHECK(cudaFree(0));
    EXPECT(!cuCtxGetCurrent(&context));
    std::thread([&] {
        if (right)
            cuCtxSetCurrent(context);
        cuMemAlloc(&data, 1024); // HERE thread_without_context
    }).join();
    if (data) {
        EXPECT(!cuMemsetD32(data, 0, 256));
        EXPECT(!cuMemFree(data));
    }
}

// A captured kernel may start before the one ahead of it is over. It does not wait.
__global__ void makes(int *data)
{
    cudaTriggerProgrammaticLaunchCompletion();
    data[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; // HERE programmatic_edge
}

__global__ void uses(const int *data, int *out)
{
    int i = blockIdx.x * 64 + threadIdx.x;

    if (right)
        cudaGridDependencySynchronize();
    out[i] = data[255 - i]; // HERE programmatic_edge
}

// expect: global-race|stream-race
static void programmatic_edge(void)
{
    device<int> data(256), out(256);
    stream s;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t config = {};

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = 4;
    config.blockDim = 64;
    config.stream = s;
    config.attrs = &early;
    config.numAttrs = 1;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    makes<<<4, 64, 0, s>>>(data);
    CHECK(cudaLaunchKernelEx(&config, uses, (const int *)data, (int *)out));
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    CHECK(cudaGraphLaunch(run, s));
    FINISH();
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(graph));
}

// A function of the host reads what a copy of another stream brings.
static void CUDART_CB sum_up(void *data)
{
    int *h = static_cast<int *>(data), sum = 0;

    for (int k = 1; k < 256; k++)
        sum += h[k]; // HERE callback_before_copy
    h[0] = sum;
}

// expect: host-race|stream-race
static void callback_before_copy(void)
{
    stream s, t;
    device<int> data(256);
    int *h;

    CHECK(cudaMallocHost(&h, 1024));
    add<<<1, 256, 0, s>>>(data, 1);
    CHECK(cudaMemcpyAsync(h, data, 1024, cudaMemcpyDeviceToHost, s)); // HERE callback_before_copy
    CHECK(cudaLaunchHostFunc(right ? s : t, sum_up, h)); // HERE callback_before_copy
    FINISH();
    CHECK(cudaFreeHost(h));
}

// A texture's rows are 400 bytes apart, and must be a multiple of 32 apart.
__global__ void sample(cudaTextureObject_t image, float *out)
{
    out[blockIdx.x * 100 + threadIdx.x] = tex2D<float>(image, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}

// expect: unchecked-error|refused
static void texture_pitch_unaligned(void)
{
    size_t width = 100, height = 8, pitch = 400;
    float *data;
    device<float> out(width * height);
    cudaResourceDesc what = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t image = 0;

    if (right)
        CHECK(cudaMallocPitch(&data, &pitch, width * sizeof(float), height));
    else
        CHECK(cudaMalloc(&data, pitch * height));
    CHECK(cudaMemset2D(data, pitch, 0, width * sizeof(float), height));
    what.resType = cudaResourceTypePitch2D;
    what.res.pitch2D.devPtr = data;
    what.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    what.res.pitch2D.width = width;
    what.res.pitch2D.height = height;
    what.res.pitch2D.pitchInBytes = pitch;
    cudaCreateTextureObject(&image, &what, &how, nullptr); // HERE texture_pitch_unaligned
    if (image) {
        sample<<<height, width>>>(image, out);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaDestroyTextureObject(image));
    }
    CHECK(cudaFree(data));
}

static const suite_case cases[] = {
    {"per_thread_and_free", per_thread_and_free},
    {"grid_not_of_clusters", grid_not_of_clusters},
    {"allocated_into_copy", allocated_into_copy},
    {"launch_without_dynamic", launch_without_dynamic},
    {"used_after_graph", used_after_graph},
    {"pitches_swapped", pitches_swapped},
    {"child_graphs_beside", child_graphs_beside},
    {"size_overflows", size_overflows},
    {"thread_without_context", thread_without_context},
    {"programmatic_edge", programmatic_edge},
    {"callback_before_copy", callback_before_copy},
    {"texture_pitch_unaligned", texture_pitch_unaligned},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
