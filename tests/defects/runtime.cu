/*
 * runtime.cu - of the second suite: defects in the host's part, and right programs that look like them.
 *
 * The marks are those of kernels.cu. A case with no line of expected kinds is right.
 */
#include <unistd.h>

#include "suite.h"

__global__ void add_one(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        data[i]++; // HERE mallocs_of_two_streams default_and_free_stream wrong_event nodes_without_edge
}

__global__ void copy_to(int *to, const int *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = from[i];
}

static int *page_locked(size_t count)
{
    int *memory;

    CHECK(cudaMallocHost(&memory, count * sizeof(int)));
    memset(memory, 0, count * sizeof(int));
    return memory;
}

/* ---- defects ---- */

// expect: host-race
static void result_read_early(void)
{
    device<int> data(256);
    int *result = page_locked(256), sum = 0;
    stream s;

    add_one<<<1, 256, 0, s>>>(data, 256);
    CHECK(cudaMemcpyAsync(result, data, 1024, cudaMemcpyDeviceToHost, s));
    for (int k = 0; k < 256; k++)
        sum += ((volatile int *)result)[k]; // HERE result_read_early
    printf("%d\n", sum);
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaFreeHost(result));
}

// expect: host-race
static void managed_read_early(void)
{
    volatile int *data;

    CHECK(cudaMallocManaged((int **)&data, 1024));
    for (int k = 0; k < 256; k++)
        data[k] = k;
    add_one<<<1, 256>>>((int *)data, 256);
    printf("%d\n", data[255]); // HERE managed_read_early
    FINISH();
    CHECK(cudaFree((int *)data));
}

// expect: stream-race
static void default_and_free_stream(void)
{
    device<int> data(256);
    stream s(cudaStreamNonBlocking);

    add_one<<<1, 256, 0, s>>>(data, 256);
    CHECK(cudaMemsetAsync(data, 0, 1024)); // HERE default_and_free_stream
    FINISH();
}

// expect: stream-race
static void wrong_event(void)
{
    device<int> data(256), other(256);
    stream first, second;
    event copied, added;

    CHECK(cudaMemsetAsync(other, 0, 1024, first));
    CHECK(cudaEventRecord(copied, first));
    add_one<<<1, 256, 0, first>>>(data, 256);
    CHECK(cudaEventRecord(added, first));
    CHECK(cudaStreamWaitEvent(second, copied, 0));
    add_one<<<1, 256, 0, second>>>(data, 256);
    FINISH();
}

// expect: stream-race
static void nodes_without_edge(void)
{
    device<int> data(256);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t first, second;
    cudaKernelNodeParams node = {};
    int *at = data, n = 256;
    void *arguments[] = {&at, &n};

    node.func = (void *)add_one;
    node.gridDim = node.blockDim = dim3(16);
    node.kernelParams = arguments;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &node));
    CHECK(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &node));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    CHECK(cudaGraphLaunch(ready, 0));
    FINISH();
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
}

// expect: stream-race
static void mallocs_of_two_streams(void)
{
    stream first, second;
    int *data;

    CHECK(cudaMallocAsync(&data, 1024, first));
    CHECK(cudaMemsetAsync(data, 0, 1024, first));
    CHECK(cudaStreamSynchronize(first));
    add_one<<<1, 256, 0, second>>>(data, 256);
    CHECK(cudaFreeAsync(data, first)); // HERE mallocs_of_two_streams
    FINISH();
}

// expect: host-race
static void staging_reused(void)
{
    device<int> data(256);
    int *staging = page_locked(256);
    stream s;

    for (int part = 0; part < 2; part++) {
        staging[0] = part; // HERE staging_reused
        CHECK(cudaMemcpyAsync(data + part * 128, staging, 512, cudaMemcpyHostToDevice, s));
    }
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaFreeHost(staging));
}

static void fill_buffer(void *buffer)
{
    for (int k = 0; k < 256; k++)
        ((int *)buffer)[k] = k;
}

// expect: stream-race
static void host_function_not_awaited(void)
{
    device<int> data(256);
    int *buffer = page_locked(256);
    stream first, second;

    CHECK(cudaLaunchHostFunc(first, fill_buffer, buffer));
    CHECK(cudaMemcpyAsync(data, buffer, 1024, cudaMemcpyHostToDevice, second));
    FINISH();
    CHECK(cudaFreeHost(buffer));
}

// expect: leak
static void pinned_kept(void)
{
    page_locked(256);
}

// expect: leak
static void events_and_streams_kept(void)
{
    cudaStream_t s;
    cudaEvent_t e;

    CHECK(cudaStreamCreate(&s));
    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventRecord(e, s));
    CHECK(cudaStreamSynchronize(s));
}

// expect: invalid-free
static void freed_inside(void)
{
    int *data = device_copy<int>(nullptr, 256);

    cudaFree(data + 16);
    cudaGetLastError();
    CHECK(cudaFree(data));
}

// expect: invalid-free
static void pinned_freed_as_device(void)
{
    int *pinned = page_locked(256);

    cudaFree(pinned);
    cudaGetLastError();
    CHECK(cudaFreeHost(pinned));
}

// expect: refused|unchecked-error
static void too_many_threads(void)
{
    device<int> data(2048);

    add_one<<<1, dim3(64, 32)>>>(data, 2048);
    CHECK(cudaDeviceSynchronize());
}

// expect: refused|unchecked-error
static void grid_of_zero(void)
{
    int n = 100;
    device<int> data(n);

    add_one<<<n / 128, 128>>>(data, n);
    CHECK(cudaDeviceSynchronize());
}

// expect: out-of-bounds|refused|unchecked-error
static void copied_as_doubles(void)
{
    device<float> data(256);
    static float h[512];

    cudaMemcpy(data, h, 256 * sizeof(double), cudaMemcpyHostToDevice);
}

// expect: uninitialised
static void memset_of_elements(void)
{
    int *data, h[256];

    CHECK(cudaMalloc(&data, sizeof h));
    CHECK(cudaMemset(data, 0, 256));
    CHECK(cudaMemcpy(h, data, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(data));
}

// expect: unchecked-error|refused
static void synchronised_in_capture(void)
{
    device<int> data(256);
    stream s;
    cudaGraph_t graph;

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add_one<<<1, 256, 0, s>>>(data, 256);
    cudaStreamSynchronize(s); // HERE synchronised_in_capture
    cudaStreamEndCapture(s, &graph);
    CHECK(cudaDeviceSynchronize());
}

// expect: host-access
static void host_reads_device(void)
{
    device<int> data(256);

    printf("%d\n", ((volatile int *)data.at)[3]); // HERE host_reads_device
}

// expect: host-access|use-after-free
static void managed_after_free(void)
{
    int *data;

    CHECK(cudaMallocManaged(&data, 1024));
    data[0] = 1;
    CHECK(cudaFree(data));
    ((volatile int *)data)[1] = 2; // HERE managed_after_free
}

// expect: host-race
static void ends_without_wait(void)
{
    int *data = device_copy<int>(nullptr, 256);

    add_one<<<1, 256>>>(data, 256);
    fflush(stdout);
    exit(0);
}

/* ---- right programs ---- */

static void two_buffers(void)
{
    device<int> data(8 * 256);
    int *buffers[2] = {page_locked(256), page_locked(256)};
    stream streams[2];

    for (int part = 0; part < 8; part++) {
        int b = part % 2;
        CHECK(cudaStreamSynchronize(streams[b]));
        for (int k = 0; k < 256; k++)
            buffers[b][k] = part * 256 + k;
        CHECK(cudaMemcpyAsync(data + part * 256, buffers[b], 1024, cudaMemcpyHostToDevice, streams[b]));
        add_one<<<1, 256, 0, streams[b]>>>(data + part * 256, 256);
    }
    for (int b = 0; b < 2; b++) {
        CHECK(cudaStreamSynchronize(streams[b]));
        CHECK(cudaFreeHost(buffers[b]));
    }
}

static void fork_and_join(void)
{
    device<int> data(1024);
    stream streams[4], base;
    event begin, ends[4];

    add_one<<<4, 256, 0, base>>>(data, 1024);
    CHECK(cudaEventRecord(begin, base));
    for (int k = 0; k < 4; k++) {
        CHECK(cudaStreamWaitEvent(streams[k], begin, 0));
        add_one<<<1, 256, 0, streams[k]>>>(data + k * 256, 256);
        CHECK(cudaEventRecord(ends[k], streams[k]));
        CHECK(cudaStreamWaitEvent(base, ends[k], 0));
    }
    add_one<<<4, 256, 0, base>>>(data, 1024);
    FINISH();
}

static void one_event_recorded_often(void)
{
    device<int> data(256), copy(256);
    stream first, second;
    event done;

    for (int k = 0; k < 5; k++) {
        add_one<<<1, 256, 0, first>>>(data, 256);
        CHECK(cudaEventRecord(done, first));
        CHECK(cudaStreamWaitEvent(second, done, 0));
        copy_to<<<1, 256, 0, second>>>(copy, data, 256);
        CHECK(cudaEventRecord(done, second));
        CHECK(cudaStreamWaitEvent(first, done, 0));
    }
    FINISH();
}

static void legacy_stream_orders(void)
{
    device<int> data(256);
    stream first(cudaStreamDefault), second(cudaStreamDefault);

    add_one<<<1, 256, 0, first>>>(data, 256);
    CHECK(cudaMemsetAsync(data, 0, 1024));
    add_one<<<1, 256, 0, second>>>(data, 256);
    FINISH();
}

static void captured_branches(void)
{
    device<int> data(512), sum(256);
    stream first, second;
    event fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t ready;

    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(data, 0, 2048, first));
    CHECK(cudaEventRecord(fork, first));
    CHECK(cudaStreamWaitEvent(second, fork, 0));
    add_one<<<1, 256, 0, first>>>(data, 256);
    add_one<<<1, 256, 0, second>>>(data + 256, 256);
    CHECK(cudaEventRecord(join, second));
    CHECK(cudaStreamWaitEvent(first, join, 0));
    copy_to<<<1, 256, 0, first>>>(sum, data + 128, 256);
    CHECK(cudaStreamEndCapture(first, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    for (int k = 0; k < 3; k++)
        CHECK(cudaGraphLaunch(ready, first));
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
}

static void managed_in_turns(void)
{
    int *data;

    CHECK(cudaMallocManaged(&data, 4096));
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 1024; k++)
            data[k] += k;
        add_one<<<4, 256>>>(data, 1024);
        FINISH();
    }
    EXPECT(data[5] == 3 * 6);
    CHECK(cudaFree(data));
}

static void pool_reuse(void)
{
    stream s;
    int *data;

    for (int k = 0; k < 4; k++) {
        CHECK(cudaMallocAsync(&data, 4096, s));
        CHECK(cudaMemsetAsync(data, 0, 4096, s));
        add_one<<<4, 256, 0, s>>>(data, 1024);
        CHECK(cudaFreeAsync(data, s));
    }
    CHECK(cudaStreamSynchronize(s));
}

static void pageable_copies(void)
{
    device<int> data(256);
    int h[256] = {}, back[256];
    stream s;

    CHECK(cudaMemcpyAsync(data, h, sizeof h, cudaMemcpyHostToDevice, s));
    h[0] = 77;
    add_one<<<1, 256, 0, s>>>(data, 256);
    CHECK(cudaMemcpyAsync(back, data, sizeof back, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(back[0] == 1);
}

static void polled_event(void)
{
    device<int> data(256);
    int *result = page_locked(256);
    stream s;
    event done;

    add_one<<<1, 256, 0, s>>>(data, 256);
    CHECK(cudaMemcpyAsync(result, data, 1024, cudaMemcpyDeviceToHost, s));
    CHECK(cudaEventRecord(done, s));
    while (cudaEventQuery(done) == cudaErrorNotReady)
        usleep(100);
    EXPECT(result[0] == 1);
    CHECK(cudaFreeHost(result));
}

__global__ void answer(volatile int *question, volatile int *reply)
{
    while (*question == 0)
        ;
    __threadfence_system();
    *reply = *question + 1;
}

static void mailbox_in_pinned(void)
{
    volatile int *words;

    CHECK(cudaHostAlloc((int **)&words, 64, cudaHostAllocMapped));
    words[0] = words[8] = 0;
    answer<<<1, 1>>>(words, words + 8);
    words[0] = 41;
    while (words[8] == 0)
        usleep(100);
    EXPECT(words[8] == 42);
    FINISH();
    CHECK(cudaFreeHost((int *)words));
}

static void errors_that_are_looked_at(void)
{
    int *data;
    device<int> words(2048);

    EXPECT(cudaMalloc(&data, (size_t)1 << 50) == cudaErrorMemoryAllocation);
    EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
    EXPECT(cudaFree(nullptr) == cudaSuccess);
    EXPECT(cudaFreeHost(nullptr) == cudaSuccess);
}

__constant__ int table[64];

__global__ void look_up(int *out)
{
    out[threadIdx.x] = table[threadIdx.x * 5 % 64];
}

static void constants_between_launches(void)
{
    device<int> out(64);
    int h[64];

    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 64; k++)
            h[k] = k + round;
        CHECK(cudaMemcpyToSymbol(table, h, sizeof h));
        look_up<<<1, 64>>>(out);
    }
    FINISH();
}

__global__ void fetch_from(cudaTextureObject_t texture, float *out)
{
    out[threadIdx.y * 8 + threadIdx.x] = tex2D<float>(texture, threadIdx.x - 1.5f, threadIdx.y + 0.5f);
}

static void texture_with_border(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    cudaArray_t array;
    float h[64] = {};
    device<float> out(64);

    CHECK(cudaMallocArray(&array, &format, 8, 8));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, h, 32, 32, 8, cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModeLinear;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    fetch_from<<<1, dim3(8, 8)>>>(texture, out);
    FINISH();
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
}

static void rows_with_pitch(void)
{
    int *data, h[20][30], back[20][30];
    size_t pitch;

    for (int k = 0; k < 600; k++)
        h[k / 30][k % 30] = k;
    CHECK(cudaMallocPitch(&data, &pitch, 30 * sizeof(int), 20));
    CHECK(cudaMemcpy2D(data, pitch, h, 120, 120, 20, cudaMemcpyHostToDevice));
    add_one<<<1, 30>>>((int *)((char *)data + pitch), 30);
    FINISH();
    CHECK(cudaMemcpy2D(back, 120, data, pitch, 120, 20, cudaMemcpyDeviceToHost));
    EXPECT(back[1][0] == 31 && back[2][0] == 60);
    CHECK(cudaFree(data));
}

static void part_of_a_buffer(void)
{
    int *data, h[256] = {}, count = 100;

    CHECK(cudaMalloc(&data, 1024 * sizeof(int)));
    CHECK(cudaMemcpy(data, h, count * sizeof(int), cudaMemcpyHostToDevice));
    add_one<<<1, 128>>>(data, count);
    FINISH();
    CHECK(cudaMemcpy(h, data, count * sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(h[99] == 1);
    CHECK(cudaFree(data));
}

__global__ void odd_elements(int *out, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n)
        out[i] = i;
}

static void every_other_element_read_back(void)
{
    int *data, h[256];

    CHECK(cudaMalloc(&data, sizeof h));
    odd_elements<<<1, 128>>>(data, 256);
    FINISH();
    CHECK(cudaMemcpy(h, data, sizeof h, cudaMemcpyDeviceToHost));
    EXPECT(h[254] == 254);
    CHECK(cudaFree(data));
}

static const suite_case cases[] = {
    {"result_read_early", result_read_early},
    {"managed_read_early", managed_read_early},
    {"default_and_free_stream", default_and_free_stream},
    {"wrong_event", wrong_event},
    {"nodes_without_edge", nodes_without_edge},
    {"mallocs_of_two_streams", mallocs_of_two_streams},
    {"staging_reused", staging_reused},
    {"host_function_not_awaited", host_function_not_awaited},
    {"pinned_kept", pinned_kept},
    {"events_and_streams_kept", events_and_streams_kept},
    {"freed_inside", freed_inside},
    {"pinned_freed_as_device", pinned_freed_as_device},
    {"too_many_threads", too_many_threads},
    {"grid_of_zero", grid_of_zero},
    {"copied_as_doubles", copied_as_doubles},
    {"memset_of_elements", memset_of_elements},
    {"synchronised_in_capture", synchronised_in_capture},
    {"host_reads_device", host_reads_device},
    {"managed_after_free", managed_after_free},
    {"ends_without_wait", ends_without_wait},
    {"two_buffers", two_buffers},
    {"fork_and_join", fork_and_join},
    {"one_event_recorded_often", one_event_recorded_often},
    {"legacy_stream_orders", legacy_stream_orders},
    {"captured_branches", captured_branches},
    {"managed_in_turns", managed_in_turns},
    {"pool_reuse", pool_reuse},
    {"pageable_copies", pageable_copies},
    {"polled_event", polled_event},
    {"mailbox_in_pinned", mailbox_in_pinned},
    {"errors_that_are_looked_at", errors_that_are_looked_at},
    {"constants_between_launches", constants_between_launches},
    {"texture_with_border", texture_with_border},
    {"rows_with_pitch", rows_with_pitch},
    {"part_of_a_buffer", part_of_a_buffer},
    {"every_other_element_read_back", every_other_element_read_back},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
