/*
 * wrong.cu - faulty programs: the host, or another stream, does not wait. Before each case stands what is to be
 * reported: the kind, and words of the message. Most cases have the result that they wanted on a device, as a rule.
 */
#include "suite.h"

static int sink; /* what is read goes here, or the compiler would drop the read */

// expect: host-race: add, .*: write at .* read it
static void managed_read_too_early(void)
{
    int *values = managed_new<int>(COUNT);

    add<<<BLOCKS, 128>>>(values, COUNT, 2);
    sink += values[7];
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(values));
}

// expect: host-race: cudaMemcpyAsync: .* wrote memory .* read it
static void file_written_too_early(void)
{
    struct streams s;
    FILE *file = tmpfile();
    int *device = device_new<int>(COUNT), *locked = locked_new<int>(COUNT);

    fill<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 3);
    CHECK(cudaMemcpyAsync(locked, device, BYTES, cudaMemcpyDeviceToHost, s.a));
    sink += (int)fwrite(locked, sizeof *locked, COUNT, file);
    CHECK(cudaStreamSynchronize(s.a));
    fclose(file);
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(locked));
}

// expect: host-race: add_to, .*: read at .* wrote it
static void managed_written_too_early(void)
{
    int *in = managed_new<int>(COUNT), *out = device_new<int>(COUNT);

    add_to<<<BLOCKS, 128>>>(out, in, COUNT, 2);
    in[5] = 1;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

__managed__ int total;

static __global__ void set_total(void)
{
    total = 3;
}

// expect: host-race: set_total, .* read it
static void managed_variable_too_early(void)
{
    set_total<<<1, 1>>>();
    sink += total;
    CHECK(cudaDeviceSynchronize());
}

// expect: host-race: cudaMemcpyAsync: .* wrote memory .* read it
static void copy_read_too_early(void)
{
    struct streams s;
    int *device = device_new<int>(COUNT), *locked = locked_new<int>(COUNT);

    fill<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 2);
    CHECK(cudaMemcpyAsync(locked, device, BYTES, cudaMemcpyDeviceToHost, s.a));
    sink += locked[3];
    CHECK(cudaStreamSynchronize(s.a));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(locked));
}

// expect: host-race: cudaMemcpyAsync: .* read memory .* wrote it
static void locked_buffer_used_again(void)
{
    struct streams s;
    int *device = device_new<int>(COUNT), *locked = locked_new<int>(COUNT);

    for (int step = 0; step < 2; step++) {
        for (int i = 0; i < COUNT; i++)
            locked[i] = step;
        CHECK(cudaMemcpyAsync(device, locked, BYTES, cudaMemcpyHostToDevice, s.a));
        add<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 1);
    }
    CHECK(cudaStreamSynchronize(s.a));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(locked));
}

// expect: host-race: cudaMemcpyAsync: .* read memory .* wrote it
static void registered_buffer_used_again(void)
{
    enum { PAGES = 8 * 4096 };
    static char host[PAGES];
    struct streams s;
    char *device = device_new<char>(PAGES);

    CHECK(cudaHostRegister(host, PAGES, cudaHostRegisterDefault));
    CHECK(cudaMemcpyAsync(device, host, PAGES, cudaMemcpyHostToDevice, s.a));
    memset(host, 1, PAGES);
    CHECK(cudaStreamSynchronize(s.a));
    CHECK(cudaHostUnregister(host));
    CHECK(cudaFree(device));
}

// expect: host-race: fill, .* read it
static void locked_memory_of_kernel_too_early(void)
{
    int *locked = locked_new<int>(COUNT);

    fill<<<BLOCKS, 128>>>(locked, COUNT, 2);
    sink += locked[9];
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(locked));
}

// expect: host-race: add, .* read it
static void waited_for_another_stream(void)
{
    struct streams s;
    int *values = managed_new<int>(COUNT);

    add<<<BLOCKS, 128, 0, s.a>>>(values, COUNT, 2);
    CHECK(cudaStreamSynchronize(s.b));
    sink += values[0];
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(values));
}

// expect: host-race: add, .* read it
static void event_recorded_before_the_kernel(void)
{
    struct streams s;
    cudaEvent_t event;
    int *values = managed_new<int>(COUNT);

    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventRecord(event, s.a));
    add<<<BLOCKS, 128, 0, s.a>>>(values, COUNT, 2);
    CHECK(cudaEventSynchronize(event));
    sink += values[0];
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(event));
    CHECK(cudaFree(values));
}

// expect: stream-race: add_to, .*suite.h:[0-9]*, .*: read at .*; fill in stream [0-9]* wrote it
static void kernels_without_event(void)
{
    struct streams s;
    int *in = device_new<int>(COUNT), *out = device_new<int>(COUNT);

    fill<<<BLOCKS, 128, 0, s.a>>>(in, COUNT, 2);
    add_to<<<BLOCKS, 128, 0, s.b>>>(out, in, COUNT, 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

// expect: stream-race: cudaMemcpyAsync: .* read memory .*; fill in stream [0-9]* wrote it
static void copy_without_event(void)
{
    struct streams s;
    int *device = device_new<int>(COUNT), *locked = locked_new<int>(COUNT);

    fill<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 2);
    CHECK(cudaMemcpyAsync(locked, device, BYTES, cudaMemcpyDeviceToHost, s.b));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(locked));
}

// expect: stream-race: fill, .* write at .*; cudaMemcpy in the legacy stream read it
static void copy_does_not_wait_for_non_blocking(void)
{
    struct streams s;
    int *device = device_new<int>(COUNT), host[COUNT];

    CHECK(cudaMemset(device, 0, BYTES));
    CHECK(cudaDeviceSynchronize());
    fill<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 2);
    CHECK(cudaMemcpy(host, device, BYTES, cudaMemcpyDeviceToHost));
    sink += host[0];
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(device));
}

// expect: stream-race: cudaMemset: in the legacy stream, wrote .*; add in stream [0-9]* wrote it
static void fill_before_non_blocking(void)
{
    struct streams s;
    int *device = device_new<int>(COUNT);

    CHECK(cudaMemset(device, 0, BYTES));
    add<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 2);
    CHECK(cudaStreamSynchronize(s.a));
    CHECK(cudaFree(device));
}

// expect: stream-race: cudaMemcpyAsync: .* wrote memory .*; cudaMemcpyAsync in stream [0-9]* wrote it
static void two_copies_to_one_place(void)
{
    struct streams s;
    int *device = device_new<int>(COUNT), *locked = locked_new<int>(2 * COUNT);

    CHECK(cudaMemcpyAsync(device, locked, BYTES, cudaMemcpyHostToDevice, s.a));
    CHECK(cudaMemcpyAsync(device + COUNT - 1, locked + COUNT, sizeof(int), cudaMemcpyHostToDevice, s.b));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(locked));
}

// expect: stream-race: (cudaFreeAsync: .* freed memory|add, .* cudaFreeAsync in stream [0-9]* freed it)
static void freed_while_another_stream_uses_it(void)
{
    struct streams s;
    cudaEvent_t ready;
    int *device;

    CHECK(cudaEventCreate(&ready));
    CHECK(cudaMallocAsync((void **)&device, BYTES, s.a));
    fill<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 2);
    CHECK(cudaEventRecord(ready, s.a));
    CHECK(cudaStreamWaitEvent(s.b, ready, 0));
    add<<<BLOCKS, 128, 0, s.b>>>(device, COUNT, 1);
    CHECK(cudaFreeAsync(device, s.a));
    CHECK(cudaStreamSynchronize(s.b));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(ready));
}

// expect: stream-race: .*cudaMallocAsync
static void used_before_it_is_allocated(void)
{
    struct streams s;
    int *device;

    CHECK(cudaMallocAsync((void **)&device, BYTES, s.a));
    fill<<<BLOCKS, 128, 0, s.b>>>(device, COUNT, 2);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(device));
}

// expect: stream-race: cudaGraphLaunch: .*; cudaGraphLaunch in stream
static void graph_in_two_streams(void)
{
    struct streams s;
    cudaGraph_t graph;
    cudaGraphExec_t exec, other;
    int *device = device_new<int>(COUNT);

    CHECK(cudaStreamBeginCapture(s.a, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaMemsetAsync(device, 0, BYTES, s.a));
    CHECK(cudaStreamEndCapture(s.a, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphInstantiate(&other, graph, 0));
    CHECK(cudaGraphLaunch(exec, s.a));
    CHECK(cudaGraphLaunch(other, s.b));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphExecDestroy(other));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(device));
}

/* Launches what a captured into a graph, ends all, and frees the memory. */
static void launch_captured(struct streams *s, int *first, int *second)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    CHECK(cudaStreamEndCapture(s->a, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s->a));
    CHECK(cudaStreamSynchronize(s->a));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
}

/* The second stream of a capture begins behind the first one's work. */
static void fork_capture(struct streams *s)
{
    cudaEvent_t event;

    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventRecord(event, s->a));
    CHECK(cudaStreamWaitEvent(s->b, event, 0));
    CHECK(cudaEventDestroy(event));
}

static void join_capture(struct streams *s)
{
    cudaEvent_t event;

    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventRecord(event, s->b));
    CHECK(cudaStreamWaitEvent(s->a, event, 0));
    CHECK(cudaEventDestroy(event));
}

// expect: stream-race: add_to, .*: read at .*, in a node of a graph; another node \(fill\) wrote it, and no edges order
static void graph_kernels_without_edge(void)
{
    struct streams s;
    int *in = device_new<int>(COUNT), *out = device_new<int>(COUNT);

    CHECK(cudaMemset(in, 0, BYTES));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamBeginCapture(s.a, cudaStreamCaptureModeThreadLocal));
    fork_capture(&s);
    fill<<<BLOCKS, 128, 0, s.b>>>(in, COUNT, 1);
    add_to<<<BLOCKS, 128, 0, s.a>>>(out, in, COUNT, 1);
    join_capture(&s);
    launch_captured(&s, in, out);
}

// expect: stream-race: cudaMemcpyAsync: in a node of a graph, read memory at .*; another node \(fill\) wrote it
static void graph_copy_without_edge(void)
{
    struct streams s;
    int *in = device_new<int>(COUNT), *out = device_new<int>(COUNT);

    CHECK(cudaMemset(in, 0, BYTES));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamBeginCapture(s.a, cudaStreamCaptureModeThreadLocal));
    fork_capture(&s);
    fill<<<BLOCKS, 128, 0, s.b>>>(in, COUNT, 1);
    CHECK(cudaMemcpyAsync(out, in, BYTES, cudaMemcpyDeviceToDevice, s.a));
    join_capture(&s);
    launch_captured(&s, in, out);
}

// expect: stream-race: fill, .*: write at .*, in a node of a graph; another node \(a child graph\) wrote it
static void graph_child_without_edge(void)
{
    cudaGraph_t graph, child;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    int *values = device_new<int>(COUNT), n = COUNT, value = 3;
    void *arguments[] = {&values, &n, &value};
    cudaKernelNodeParams kernel = {};

    kernel.func = (void *)fill;
    kernel.gridDim = dim3(BLOCKS);
    kernel.blockDim = dim3(128);
    kernel.kernelParams = arguments;
    CHECK(cudaGraphCreate(&child, 0));
    CHECK(cudaGraphAddKernelNode(&node, child, NULL, 0, &kernel));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    CHECK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphDestroy(child));
    CHECK(cudaFree(values));
}

static void CUDART_CB read_words(void *data)
{
    sink += *(const int *)data;
}

static void CUDART_CB write_words(void *data)
{
    for (int i = 0; i < COUNT; i++)
        ((int *)data)[i] = i;
}

// expect: stream-race: cudaLaunchHostFunc: in stream .*, read memory .*; add in stream .* wrote it
static void host_function_beside_kernel(void)
{
    struct streams s;
    int *values = managed_new<int>(COUNT);

    add<<<BLOCKS, 128, 0, s.a>>>(values, COUNT, 2);
    CHECK(cudaLaunchHostFunc(s.b, read_words, values));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(values));
}

// expect: stream-race: cudaMemcpyAsync: in stream .*, read memory .*; cudaLaunchHostFunc in stream .* wrote it
static void host_function_fills_too_late(void)
{
    struct streams s;
    int *host = locked_new<int>(COUNT), *device = device_new<int>(COUNT);

    CHECK(cudaLaunchHostFunc(s.a, write_words, host));
    CHECK(cudaMemcpyAsync(device, host, COUNT * sizeof(int), cudaMemcpyHostToDevice, s.b));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
}

static __global__ void count_up(int *counters)
{
    atomicAdd(&counters[threadIdx.x], 1);
}

// expect: stream-race: (count_up, .*cudaMemsetAsync in stream .* wrote it|cudaMemsetAsync: .*count_up in stream)
static void fill_beside_atomics(void)
{
    struct streams s;
    int *counters = device_new<int>(COUNT);

    CHECK(cudaMemsetAsync(counters, 0, COUNT * sizeof(int), s.a));
    count_up<<<BLOCKS, 128, 0, s.b>>>(counters);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(counters));
}

static __global__ void say(void)
{
    printf("not seen on a device\n");
}

// expect: host-race: say: the program ended
static void ended_without_waiting(void)
{
    say<<<1, 1>>>();
    CHECK(cudaGetLastError());
}

static __global__ void say_and_store(int *out, int n)
{
    printf("not seen on a device\n");
    out[n] = 1;
}

// expect: error: out-of-bounds: say_and_store, .* after the end of an allocation
static void wrong_and_not_waited_for(void)
{
    int *values = device_new<int>(COUNT);

    say_and_store<<<1, 1>>>(values, COUNT);
    CHECK(cudaGetLastError());
}

static __global__ void begins_others(int *out)
{
    cudaTriggerProgrammaticLaunchCompletion();
    out[threadIdx.x] = threadIdx.x;
}

static __global__ void does_not_wait(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

// expect: stream-race: does_not_wait, .*: read at .* begins_others .* a programmatic launch
static void programmatic_without_wait(void)
{
    struct streams s;
    int *in = device_new<int>(COUNT), *out = device_new<int>(COUNT);

    CHECK(cudaDeviceSynchronize());
    begins_others<<<1, 128, 0, s.a>>>(in);
    programmatic(s.a, does_not_wait, (const int *)in, out);
    CHECK(cudaStreamSynchronize(s.a));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

static __global__ void waits_too_late(const int *in, int *out)
{
    int v = in[threadIdx.x];

    cudaGridDependencySynchronize();
    out[threadIdx.x] = v + 1;
}

// expect: stream-race: waits_too_late, .*: read at .* begins_others .* before cudaGridDependencySynchronize
static void programmatic_read_before_wait(void)
{
    struct streams s;
    int *in = device_new<int>(COUNT), *out = device_new<int>(COUNT);

    CHECK(cudaDeviceSynchronize());
    begins_others<<<1, 128, 0, s.a>>>(in);
    programmatic(s.a, waits_too_late, (const int *)in, out);
    CHECK(cudaStreamSynchronize(s.a));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

static __global__ void fetch(cudaTextureObject_t image, float *out)
{
    out[threadIdx.x] = tex2D<float>(image, threadIdx.x, 1);
}

// expect: stream-race: fetch, .*: read at .* cudaMemcpy2DToArrayAsync in stream
static void texture_in_another_stream(void)
{
    struct streams s;
    static float host[64];
    float *out = device_new<float>(32), *from;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;

    resource.resType = cudaResourceTypeArray;
    CHECK(cudaMallocHost(&from, sizeof host));
    memset(from, 0, sizeof host);
    CHECK(cudaMallocArray(&resource.res.array.array, &format, 32, 2));
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    CHECK(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, host, 128, 128, 2, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DToArrayAsync(resource.res.array.array, 0, 0, from, 128, 128, 2, cudaMemcpyHostToDevice, s.a));
    fetch<<<1, 32, 0, s.b>>>(texture, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(resource.res.array.array));
    CHECK(cudaFreeHost(from));
    CHECK(cudaFree(out));
}

// expect: host-race: cudaMemcpyAsync: .* wrote memory .* read it
static void asked_and_not_listened(void)
{
    struct streams s;
    int *device = device_new<int>(COUNT), *locked = locked_new<int>(COUNT);

    fill<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 2);
    CHECK(cudaMemcpyAsync(locked, device, BYTES, cudaMemcpyDeviceToHost, s.a));
    cudaStreamQuery(s.a);
    sink += locked[9];
    CHECK(cudaStreamSynchronize(s.a));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(locked));
}

// expect: stream-race: cudaMemcpy: its source and its target overlap
static void copy_onto_itself(void)
{
    int *device = device_new<int>(COUNT);

    CHECK(cudaMemset(device, 0, BYTES));
    CHECK(cudaMemcpy(device, device + 1, BYTES - sizeof *device, cudaMemcpyDeviceToDevice));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(device));
}

// expect: stream-race: does_not_wait, .*: read at .*, in a node of a graph; .*begins_others.* is programmatic
static void programmatic_edge_without_wait(void)
{
    struct streams s;
    int *in = device_new<int>(COUNT), *out = device_new<int>(COUNT);
    cudaGraph_t graph;
    cudaGraphExec_t run;

    CHECK(cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal));
    begins_others<<<1, 128, 0, s.a>>>(in);
    programmatic(s.a, does_not_wait, (const int *)in, out);
    CHECK(cudaStreamEndCapture(s.a, &graph));
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    CHECK(cudaGraphLaunch(run, s.a));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

static __global__ void tell_host(int *values, volatile int *flag, bool for_device)
{
    values[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    if (for_device)
        __threadfence();
    if (threadIdx.x == 0)
        *flag = 1;
}

static void tell(bool for_device)
{
    int *host = locked_new<int>(128);

    tell_host<<<1, 64>>>(host + 64, host, for_device);
    CHECK(cudaGetLastError());
    while (!*(volatile int *)host)
        ;
    EXPECT(host[64 + 5] == 5);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(host));
}

// expect: host-race: tell_host, .* no __threadfence_system\(\) in between
static void host_told_without_fence(void)
{
    tell(false);
}

// expect: host-race: tell_host, .* no __threadfence_system\(\) in between
static void host_told_with_fence_for_the_device(void)
{
    tell(true);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        CASE(managed_read_too_early),
        CASE(managed_written_too_early),
        CASE(file_written_too_early),
        CASE(managed_variable_too_early),
        CASE(copy_read_too_early),
        CASE(locked_buffer_used_again),
        CASE(registered_buffer_used_again),
        CASE(locked_memory_of_kernel_too_early),
        CASE(waited_for_another_stream),
        CASE(event_recorded_before_the_kernel),
        CASE(kernels_without_event),
        CASE(copy_without_event),
        CASE(copy_does_not_wait_for_non_blocking),
        CASE(fill_before_non_blocking),
        CASE(two_copies_to_one_place),
        CASE(freed_while_another_stream_uses_it),
        CASE(used_before_it_is_allocated),
        CASE(graph_in_two_streams),
        CASE(graph_kernels_without_edge),
        CASE(graph_copy_without_edge),
        CASE(graph_child_without_edge),
        CASE(host_function_beside_kernel),
        CASE(host_function_fills_too_late),
        CASE(fill_beside_atomics),
        CASE(programmatic_without_wait),
        CASE(programmatic_read_before_wait),
        CASE(texture_in_another_stream),
        CASE(asked_and_not_listened),
        CASE(copy_onto_itself),
        CASE(programmatic_edge_without_wait),
        CASE(host_told_without_fence),
        CASE(host_told_with_fence_for_the_device),
        CASE(wrong_and_not_waited_for),
        CASE(ended_without_waiting),
    };

    return suite_main(cases, sizeof cases / sizeof cases[0], argc, argv);
}
