/*
 * right.cu - right programs: results are the same in every order that CUDA allows a device to run the work.
 */
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unistd.h>

#include "suite.h"

static void order_in_a_stream(void)
{
    struct streams s;
    int *device = device_new<int>(COUNT), *host = locked_new<int>(COUNT);

    fill<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 3);
    add<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 4);
    CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, s.a));
    CHECK(cudaStreamSynchronize(s.a));
    EXPECT(all_are(host, 7));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
}

static void event_between_streams(void)
{
    struct streams s;
    cudaEvent_t ready;
    int *in = device_new<int>(COUNT), *out = device_new<int>(COUNT), *host = locked_new<int>(COUNT);

    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    fill<<<BLOCKS, 128, 0, s.a>>>(in, COUNT, 5);
    CHECK(cudaEventRecord(ready, s.a));
    CHECK(cudaStreamWaitEvent(s.b, ready, 0));
    add_to<<<BLOCKS, 128, 0, s.b>>>(out, in, COUNT, 1);
    CHECK(cudaMemcpyAsync(host, out, BYTES, cudaMemcpyDeviceToHost, s.b));
    CHECK(cudaStreamSynchronize(s.b));
    EXPECT(all_are(host, 6));
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFreeHost(host));
}

/* Halves of one buffer share a page: one goes to a file, and comes from one, while a copy has the other. */
static void halves_and_files(void)
{
    struct streams s;
    FILE *file = tmpfile();
    int *device = device_new<int>(COUNT), *halves = locked_new<int>(2 * COUNT), back[COUNT];
    void *volatile nowhere = (void *)8;

    EXPECT(file);
    fill<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 3);
    CHECK(cudaMemcpyAsync(halves, device, BYTES, cudaMemcpyDeviceToHost, s.a));
    CHECK(cudaStreamSynchronize(s.a));
    CHECK(cudaMemcpyAsync(halves + COUNT, device, BYTES, cudaMemcpyDeviceToHost, s.a));
    EXPECT(fwrite(halves, sizeof *halves, COUNT, file) == COUNT && fflush(file) == 0);
    CHECK(cudaStreamSynchronize(s.a));
    CHECK(cudaMemcpyAsync(halves, device, BYTES, cudaMemcpyDeviceToHost, s.a));
    EXPECT(write(fileno(file), halves + COUNT, BYTES) == (ssize_t)BYTES);
    CHECK(cudaStreamSynchronize(s.a));
    EXPECT(pread(fileno(file), back, BYTES, 0) == (ssize_t)BYTES && all_are(back, 3));
    CHECK(cudaMemcpyAsync(device, halves, BYTES, cudaMemcpyHostToDevice, s.a));
    memset(back, 0, sizeof back);
    EXPECT(pread(fileno(file), halves + COUNT, BYTES, BYTES) == (ssize_t)BYTES && all_are(halves + COUNT, 3));
    CHECK(cudaStreamSynchronize(s.a));
    EXPECT(read(fileno(file), nowhere, 1) <= 0);
    fclose(file);
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(halves));
}

/* A wait is for the record before it, not for a later one. */
static void event_recorded_again(void)
{
    struct streams s;
    cudaEvent_t event;
    int *first = device_new<int>(COUNT), *second = device_new<int>(COUNT), *host = locked_new<int>(COUNT);

    CHECK(cudaEventCreate(&event));
    fill<<<BLOCKS, 128, 0, s.a>>>(first, COUNT, 1);
    CHECK(cudaEventRecord(event, s.a));
    CHECK(cudaStreamWaitEvent(s.b, event, 0));
    fill<<<BLOCKS, 128, 0, s.a>>>(second, COUNT, 2);
    CHECK(cudaEventRecord(event, s.a));
    add<<<BLOCKS, 128, 0, s.b>>>(first, COUNT, 10);
    CHECK(cudaMemcpyAsync(host, first, BYTES, cudaMemcpyDeviceToHost, s.b));
    CHECK(cudaStreamSynchronize(s.b));
    EXPECT(all_are(host, 11));
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaMemcpy(host, second, BYTES, cudaMemcpyDeviceToHost));
    EXPECT(all_are(host, 2));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    CHECK(cudaFreeHost(host));
}

/* The border is within a page and within a sector. */
static void halves_of_one_buffer(void)
{
    struct streams s;
    int *device = device_new<int>(COUNT), *host = locked_new<int>(COUNT);
    const int half = COUNT / 2 + 1;

    memset(host, 0, BYTES);
    CHECK(cudaMemcpyAsync(device, host, half * sizeof(int), cudaMemcpyHostToDevice, s.a));
    CHECK(cudaMemcpyAsync(device + half, host + half, (COUNT - half) * sizeof(int), cudaMemcpyHostToDevice, s.b));
    add<<<BLOCKS, 128, 0, s.a>>>(device, half, 8);
    add<<<BLOCKS, 128, 0, s.b>>>(device + half, COUNT - half, 8);
    CHECK(cudaMemcpyAsync(host, device, half * sizeof(int), cudaMemcpyDeviceToHost, s.a));
    CHECK(cudaMemcpyAsync(host + half, device + half, (COUNT - half) * sizeof(int), cudaMemcpyDeviceToHost, s.b));
    CHECK(cudaStreamSynchronize(s.a));
    for (int i = 0; i < half; i++)
        EXPECT(host[i] == 8);
    CHECK(cudaStreamSynchronize(s.b));
    EXPECT(all_are(host, 8));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
}

/* The legacy stream waits for blocking streams, and they for it. */
static void legacy_stream_orders(void)
{
    struct streams s(cudaStreamDefault);
    int *device = device_new<int>(COUNT), *host = locked_new<int>(COUNT);

    fill<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 1);
    add<<<BLOCKS, 128>>>(device, COUNT, 10);
    add<<<BLOCKS, 128, 0, s.b>>>(device, COUNT, 100);
    CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, s.b));
    CHECK(cudaStreamSynchronize(s.b));
    EXPECT(all_are(host, 111));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
}

/* A copy without "Async" waits for blocking streams, and is over when it returns. */
static void copy_waits_for_blocking_streams(void)
{
    struct streams s(cudaStreamDefault);
    int *device = device_new<int>(COUNT), host[COUNT];

    fill<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 21);
    CHECK(cudaMemcpy(host, device, BYTES, cudaMemcpyDeviceToHost));
    EXPECT(all_are(host, 21));
    CHECK(cudaFree(device));
}

/* Pageable memory is taken before the call returns. */
static void pageable_memory_is_taken_at_once(void)
{
    struct streams s;
    int *device = device_new<int>(COUNT), host[COUNT];

    for (int i = 0; i < COUNT; i++)
        host[i] = 4;
    CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, s.a));
    memset(host, 0, sizeof host);
    add<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 1);
    CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, s.a)); /* returns when it is over */
    EXPECT(all_are(host, 5));
    CHECK(cudaFree(device));
}

/* Rows and planes of pageable memory, too. */
static void pageable_rows_are_taken_at_once(void)
{
    enum { WIDTH = 30, ROWS = 7, PITCH = 64 };
    struct streams s;
    static int host[ROWS * PITCH], back[ROWS * PITCH];
    int *device;
    size_t pitch;

    for (int i = 0; i < ROWS * PITCH; i++)
        host[i] = i;
    CHECK(cudaMallocPitch(&device, &pitch, WIDTH * sizeof(int), ROWS));
    CHECK(cudaMemcpy2DAsync(device, pitch, host, PITCH * sizeof(int), WIDTH * sizeof(int), ROWS,
                            cudaMemcpyHostToDevice, s.a));
    memset(host, 0, sizeof host);
    CHECK(cudaMemcpy2DAsync(back, PITCH * sizeof(int), device, pitch, WIDTH * sizeof(int), ROWS,
                            cudaMemcpyDeviceToHost, s.a));
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < WIDTH; x++)
            EXPECT(back[y * PITCH + x] == y * PITCH + x);
    CHECK(cudaFree(device));
}

/* Two page-locked buffers in turn; each is written again after the event behind its copy. */
static void two_buffers_in_turn(void)
{
    enum { STEPS = 6 };
    struct streams s;
    cudaEvent_t copied[2];
    int *device = device_new<int>(COUNT), *sum = device_new<int>(COUNT), *buffer[2], host[COUNT];

    CHECK(cudaMemsetAsync(sum, 0, BYTES, s.a));
    for (int i = 0; i < 2; i++) {
        buffer[i] = locked_new<int>(COUNT);
        CHECK(cudaEventCreateWithFlags(&copied[i], cudaEventDisableTiming));
    }
    for (int step = 0; step < STEPS; step++) {
        int *from = buffer[step % 2];

        CHECK(cudaEventSynchronize(copied[step % 2]));
        for (int i = 0; i < COUNT; i++)
            from[i] = step;
        CHECK(cudaMemcpyAsync(device, from, BYTES, cudaMemcpyHostToDevice, s.a));
        CHECK(cudaEventRecord(copied[step % 2], s.a));
        add<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 1);
        add_to<<<BLOCKS, 128, 0, s.a>>>(sum, device, COUNT, 0);
    }
    CHECK(cudaMemcpyAsync(host, sum, BYTES, cudaMemcpyDeviceToHost, s.a));
    EXPECT(all_are(host, STEPS));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaFreeHost(buffer[i]));
        CHECK(cudaEventDestroy(copied[i]));
    }
    CHECK(cudaFree(device));
    CHECK(cudaFree(sum));
}

static void CUDART_CB take_note(void *data)
{
    int *values = (int *)data;

    values[1] = values[0];
}

/* A host function comes after the copy before it, and before the one behind it. */
static void host_function_between_copies(void)
{
    struct streams s;
    int *device = device_new<int>(COUNT), *host = locked_new<int>(2), result = 0;

    fill<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 9);
    CHECK(cudaMemcpyAsync(host, device, sizeof(int), cudaMemcpyDeviceToHost, s.a));
    CHECK(cudaLaunchHostFunc(s.a, take_note, host));
    CHECK(cudaMemcpyAsync(device + 1, host + 1, sizeof(int), cudaMemcpyHostToDevice, s.a));
    add<<<1, 128, 0, s.a>>>(device, 2, 1);
    CHECK(cudaMemcpyAsync(&result, device + 1, sizeof(int), cudaMemcpyDeviceToHost, s.a));
    EXPECT(result == 10);
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
}

/* One host function lets a thread of the host read what a copy brought; one of another stream runs meanwhile. */
struct reading {
    std::mutex lock;
    std::condition_variable changed;
    const int *values;
    bool copied, read;
    int sum;
};

static void CUDART_CB allow_read(void *data)
{
    struct reading *reading = (struct reading *)data;
    std::lock_guard<std::mutex> hold(reading->lock);

    reading->copied = true;
    reading->changed.notify_all();
}

/* The time limit is for orders in which this function comes first. */
static void CUDART_CB outlast_read(void *data)
{
    struct reading *reading = (struct reading *)data;
    std::unique_lock<std::mutex> hold(reading->lock);

    reading->changed.wait_for(hold, std::chrono::seconds(1), [=] { return reading->read; });
}

static void sum_when_copied(struct reading *reading)
{
    std::unique_lock<std::mutex> hold(reading->lock);

    reading->changed.wait(hold, [=] { return reading->copied; });
    reading->sum = reading->values[0] + reading->values[1];
    reading->read = true;
    reading->changed.notify_all();
}

static void thread_reads_beside_function(void)
{
    struct streams s;
    struct reading reading = {};
    int *device = device_new<int>(COUNT), *host = locked_new<int>(COUNT);
    std::thread reader(sum_when_copied, &reading);

    reading.values = host;
    fill<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 21);
    CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, s.a));
    CHECK(cudaLaunchHostFunc(s.a, allow_read, &reading));
    CHECK(cudaLaunchHostFunc(s.b, outlast_read, &reading));
    CHECK(cudaDeviceSynchronize());
    reader.join();
    EXPECT(reading.sum == 42);
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
}

static void CUDART_CB fill_words(void *data)
{
    for (int i = 0; i < 16; i++)
        ((int *)data)[i] = 5;
}

/* In one allocation, but the function's words are not the kernel's; then the same words behind an event. */
static void host_function_beside_kernel(void)
{
    struct streams s;
    int *values = managed_new<int>(8192), result = 0;
    cudaEvent_t filled;

    CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
    fill<<<1, 128, 0, s.a>>>(values, 128, 9);
    CHECK(cudaLaunchHostFunc(s.b, fill_words, values + 4096));
    CHECK(cudaEventRecord(filled, s.b));
    CHECK(cudaStreamWaitEvent(s.a, filled));
    add<<<1, 128, 0, s.a>>>(values + 4096, 16, 1);
    CHECK(cudaMemcpyAsync(&result, values + 4096, sizeof(int), cudaMemcpyDeviceToHost, s.a));
    EXPECT(result == 6);
    CHECK(cudaEventDestroy(filled));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(values));
}

static __global__ void wait_and_add(const volatile int *flag, const int *in, int *out)
{
    while (!*flag)
        ;
    __threadfence_system();
    *out = *in + 1;
}

/* The host writes data and then the flag that the kernel waits for, after the launch. */
static void kernel_waits_for_host(void)
{
    int *host = locked_new<int>(3);

    wait_and_add<<<1, 1>>>(host, host + 1, host + 2);
    CHECK(cudaGetLastError());
    host[1] = 41;
    __atomic_store_n(&host[0], 1, __ATOMIC_RELEASE);
    CHECK(cudaDeviceSynchronize());
    EXPECT(host[2] == 42);
    CHECK(cudaFreeHost(host));
}

/* Another thread of the host sets the flag, while this one waits. */
static void kernel_waits_for_another_thread(void)
{
    int *host = locked_new<int>(3);

    host[1] = 6;
    wait_and_add<<<1, 1>>>(host, host + 1, host + 2);
    CHECK(cudaGetLastError());
    std::thread other([=] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        __atomic_store_n(&host[0], 1, __ATOMIC_RELEASE);
    });
    CHECK(cudaDeviceSynchronize());
    other.join();
    EXPECT(host[2] == 7);
    CHECK(cudaFreeHost(host));
}

/* A copy in another stream sets it. */
static void kernel_waits_for_a_copy(void)
{
    struct streams s;
    int *device = device_new<int>(3), *one = locked_new<int>(1), result;

    CHECK(cudaMemset(device, 0, 3 * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    *one = 1;
    wait_and_add<<<1, 1, 0, s.a>>>(device, device + 1, device + 2);
    CHECK(cudaMemcpyAsync(device, one, sizeof(int), cudaMemcpyHostToDevice, s.b));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&result, device + 2, sizeof result, cudaMemcpyDeviceToHost));
    EXPECT(result == 1);
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(one));
}

static __global__ void answer(volatile int *question, volatile int *reply, int rounds)
{
    for (int i = 1; i <= rounds; i++) {
        while (*question != i)
            ;
        __threadfence_system();
        *reply = i * i;
    }
}

/* Host and kernel write to each other, and no call is made meanwhile. */
static void host_and_kernel_in_turn(void)
{
    enum { ROUNDS = 20 };
    volatile int *mail = locked_new<int>(2);

    answer<<<1, 1>>>((int *)mail, (int *)mail + 1, ROUNDS);
    CHECK(cudaGetLastError());
    for (int i = 1; i <= ROUNDS; i++) {
        mail[0] = i;
        while (mail[1] != i * i)
            ;
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost((void *)mail));
}

enum { FENCE_BY_ALL, FENCE_BY_ONE, RELEASE, COUNT_ONLY };

/* Stores for the host, and then tells it. COUNT_ONLY stores to the device's memory. */
static __global__ void tell_host(int *values, int *flag, int how)
{
    values[threadIdx.x] = (int)threadIdx.x;
    if (how == FENCE_BY_ALL)
        __threadfence_system();
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    if (how == FENCE_BY_ONE)
        __threadfence_system();
    if (how == RELEASE)
        asm volatile("st.release.sys.b32 [%0], 1;" ::"l"(flag) : "memory");
    else
        *(volatile int *)flag = 1;
}

/* The host waits for the word, and makes no call meanwhile. */
static void host_is_told(void)
{
    int *device = device_new<int>(64);

    for (int how = FENCE_BY_ALL; how <= COUNT_ONLY; how++) {
        int *host = locked_new<int>(128);

        tell_host<<<1, 64>>>(how == COUNT_ONLY ? device : host + 64, host, how);
        CHECK(cudaGetLastError());
        while (!*(volatile int *)host)
            ;
        EXPECT(how == COUNT_ONLY || host[64 + 5] == 5);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaFreeHost(host));
    }
    CHECK(cudaFree(device));
}

static __global__ void finish(volatile int *done)
{
    *done = 1;
}

/* The host only looks, and sleeps between. */
static void host_looks_until_it_is_done(void)
{
    volatile int *done = managed_new<int>(1);

    finish<<<1, 1>>>(done);
    CHECK(cudaGetLastError());
    while (!*done)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree((void *)done));
}

/* A word that one thread waits for and another sets. */
struct signal_box {
    std::mutex lock;
    std::condition_variable changed;
    bool set = false;
};

static void CUDART_CB set_box(void *data)
{
    struct signal_box *box = (struct signal_box *)data;
    std::lock_guard<std::mutex> guard(box->lock);

    box->set = true;
    box->changed.notify_all();
}

/* The host sleeps until a host function wakes it. The work has no memory of the host. */
static void host_function_wakes_host(void)
{
    struct streams s;
    struct signal_box box;
    int *device = device_new<int>(COUNT), result = 0;

    fill<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 5);
    CHECK(cudaLaunchHostFunc(s.a, set_box, &box));
    {
        std::unique_lock<std::mutex> guard(box.lock);

        box.changed.wait(guard, [&] { return box.set; });
    }
    CHECK(cudaMemcpyAsync(&result, device, sizeof result, cudaMemcpyDeviceToHost, s.a));
    CHECK(cudaStreamSynchronize(s.a));
    EXPECT(result == 5);
    CHECK(cudaFree(device));
}

static void CUDART_CB write_byte(void *data)
{
    if (write(*(const int *)data, "x", 1) != 1)
        suite_failed = 1;
}

/* The host reads from a pipe that a node of a graph writes to. */
static void graph_wakes_host(void)
{
    struct streams s;
    int ends[2];
    char byte = 0;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    cudaHostNodeParams parameters = { write_byte, &ends[1] };

    EXPECT(pipe(ends) == 0);
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddHostNode(&node, graph, NULL, 0, &parameters));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s.a));
    EXPECT(read(ends[0], &byte, 1) == 1 && byte == 'x');
    CHECK(cudaStreamSynchronize(s.a));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    close(ends[0]);
    close(ends[1]);
}

/* The host waits for another thread, which looks at memory that a kernel writes. */
static void host_joins_a_thread_that_looks(void)
{
    volatile int *done = locked_new<int>(1);

    finish<<<1, 1>>>(done);
    CHECK(cudaGetLastError());
    std::thread other([=] {
        while (!*done)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    other.join();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost((void *)done));
}

static void memory_in_stream_order(void)
{
    struct streams s;
    cudaEvent_t ready, used;
    int *device, *host = locked_new<int>(COUNT);

    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
    for (int step = 0; step < 4; step++) {
        CHECK(cudaMallocAsync((void **)&device, BYTES, s.a));
        fill<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, step);
        CHECK(cudaEventRecord(ready, s.a));
        CHECK(cudaStreamWaitEvent(s.b, ready, 0));
        CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, s.b));
        CHECK(cudaEventRecord(used, s.b));
        CHECK(cudaStreamWaitEvent(s.a, used, 0));
        CHECK(cudaFreeAsync(device, s.a));
        CHECK(cudaStreamSynchronize(s.b));
        EXPECT(all_are(host, step));
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaEventDestroy(used));
    CHECK(cudaFreeHost(host));
}

/* Two branches of a graph read the same values and write different ones; then the graph joins them. */
static void graph_with_branches(void)
{
    struct streams s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaEvent_t fork, join;
    int *in = device_new<int>(COUNT), *left = device_new<int>(COUNT), *right = device_new<int>(COUNT);
    int *host = locked_new<int>(COUNT);

    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaStreamBeginCapture(s.a, cudaStreamCaptureModeThreadLocal));
    fill<<<BLOCKS, 128, 0, s.a>>>(in, COUNT, 1);
    CHECK(cudaEventRecord(fork, s.a));
    CHECK(cudaStreamWaitEvent(s.b, fork, 0));
    add_to<<<BLOCKS, 128, 0, s.a>>>(left, in, COUNT, 10);
    CHECK(cudaMemcpyAsync(right, in, BYTES, cudaMemcpyDeviceToDevice, s.b));
    add<<<BLOCKS, 128, 0, s.b>>>(right, COUNT, 1);
    CHECK(cudaEventRecord(join, s.b));
    CHECK(cudaStreamWaitEvent(s.a, join, 0));
    add_to<<<BLOCKS, 128, 0, s.a>>>(in, right, COUNT, 100);
    CHECK(cudaMemcpyAsync(host, in, BYTES, cudaMemcpyDeviceToHost, s.a));
    CHECK(cudaStreamEndCapture(s.a, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int launch = 0; launch < 3; launch++)
        CHECK(cudaGraphLaunch(exec, s.a));
    CHECK(cudaStreamSynchronize(s.a));
    EXPECT(all_are(host, 102));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    CHECK(cudaFree(in));
    CHECK(cudaFree(left));
    CHECK(cudaFree(right));
    CHECK(cudaFreeHost(host));
}

/* Launches of one instantiated graph come one after the other, whatever their streams. */
static void graph_launched_in_two_streams(void)
{
    struct streams s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *device = device_new<int>(COUNT), host[COUNT];

    CHECK(cudaMemsetAsync(device, 0, BYTES, s.a));
    CHECK(cudaStreamBeginCapture(s.a, cudaStreamCaptureModeThreadLocal));
    add<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 1);
    CHECK(cudaStreamEndCapture(s.a, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 6; i++)
        CHECK(cudaGraphLaunch(exec, i % 2 ? s.b : s.a));
    CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, s.b)); /* behind the last launch */
    EXPECT(all_are(host, 6));
    CHECK(cudaStreamSynchronize(s.b));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(device));
}

/* A launch runs the graph in its state at the launch. */
static void graph_changed_between_launches(void)
{
    struct streams s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    size_t nodes = 1;
    int *device = device_new<int>(COUNT), host[COUNT], n = COUNT, by = 100;
    void *arguments[] = {&device, &n, &by};
    cudaKernelNodeParams parameters = {};

    CHECK(cudaMemsetAsync(device, 0, BYTES, s.a));
    CHECK(cudaStreamBeginCapture(s.a, cudaStreamCaptureModeThreadLocal));
    add<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 1);
    CHECK(cudaStreamEndCapture(s.a, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphGetNodes(graph, &node, &nodes));
    CHECK(cudaGraphLaunch(exec, s.a));
    parameters.func = (void *)add;
    parameters.gridDim = dim3(BLOCKS);
    parameters.blockDim = dim3(128);
    parameters.kernelParams = arguments;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, node, &parameters));
    CHECK(cudaGraphLaunch(exec, s.a));
    CHECK(cudaGraphLaunch(exec, s.a));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, s.a));
    EXPECT(all_are(host, 201));
    CHECK(cudaFree(device));
}

/* The host works on its part of managed memory while the kernel has another part, in the same page. */
static void managed_memory_in_parts(void)
{
    int *values = managed_new<int>(2 * COUNT);

    add<<<BLOCKS, 128>>>(values, COUNT, 2);
    CHECK(cudaGetLastError());
    for (int i = 0; i < COUNT; i++)
        values[COUNT + i] += 3;
    CHECK(cudaDeviceSynchronize());
    EXPECT(all_are(values, 2) && all_are(values + COUNT, 3));
    CHECK(cudaFree(values));
}

static __global__ void count_up(int *counter)
{
    atomicAdd(counter, 1);
}

static void atomics_in_two_streams(void)
{
    struct streams s;
    int *counter = device_new<int>(1), result;

    CHECK(cudaMemset(counter, 0, sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    count_up<<<4, 64, 0, s.a>>>(counter);
    count_up<<<4, 64, 0, s.b>>>(counter);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&result, counter, sizeof result, cudaMemcpyDeviceToHost));
    EXPECT(result == 512);
    CHECK(cudaFree(counter));
}

static void both_streams_read(void)
{
    struct streams s;
    int *in = device_new<int>(COUNT), *out = device_new<int>(2 * COUNT), host[COUNT];

    fill<<<BLOCKS, 128>>>(in, COUNT, 6);
    CHECK(cudaDeviceSynchronize());
    add_to<<<BLOCKS, 128, 0, s.a>>>(out, in, COUNT, 1);
    add_to<<<BLOCKS, 128, 0, s.b>>>(out + COUNT, in, COUNT, 2);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, out, BYTES, cudaMemcpyDeviceToHost));
    EXPECT(all_are(host, 7));
    CHECK(cudaMemcpy(host, out + COUNT, BYTES, cudaMemcpyDeviceToHost));
    EXPECT(all_are(host, 8));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

static void asked_until_over(void)
{
    struct streams s;
    cudaEvent_t event;
    int *host = locked_new<int>(COUNT);

    CHECK(cudaEventCreate(&event));
    fill<<<BLOCKS, 128, 0, s.a>>>(host, COUNT, 1);
    CHECK(cudaEventRecord(event, s.a));
    while (cudaEventQuery(event) == cudaErrorNotReady)
        ;
    EXPECT(all_are(host, 1));
    fill<<<BLOCKS, 128, 0, s.a>>>(host, COUNT, 2);
    while (cudaStreamQuery(s.a) == cudaErrorNotReady)
        ;
    EXPECT(all_are(host, 2));
    cudaGetLastError(); /* "not ready" is remembered */
    CHECK(cudaEventDestroy(event));
    CHECK(cudaFreeHost(host));
}

/* More launches than a queue holds. */
static void many_launches(void)
{
    struct streams s;
    int *device = device_new<int>(1), result;

    CHECK(cudaMemsetAsync(device, 0, sizeof(int), s.a));
    for (int i = 0; i < 3000; i++)
        add<<<1, 1, 0, s.a>>>(device, 1, 1);
    CHECK(cudaMemcpyAsync(&result, device, sizeof(int), cudaMemcpyDeviceToHost, s.a));
    EXPECT(result == 3000);
    CHECK(cudaFree(device));
}

/* A destroyed stream's work, and a destroyed event's, goes on. */
static void destroyed_while_pending(void)
{
    cudaStream_t stream;
    cudaEvent_t event;
    int *device = device_new<int>(COUNT), host[COUNT];

    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&event));
    fill<<<BLOCKS, 128, 0, stream>>>(device, COUNT, 12);
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpy(host, device, BYTES, cudaMemcpyDeviceToHost));
    EXPECT(all_are(host, 12));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
}

/* Each thread has a stream; the main thread joins them before it looks. */
static void threads_with_streams(void)
{
    int *device = device_new<int>(4 * COUNT), host[COUNT];
    std::thread threads[4];

    for (int t = 0; t < 4; t++)
        threads[t] = std::thread([=] {
            cudaStream_t stream;

            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            fill<<<BLOCKS, 128, 0, stream>>>(device + t * COUNT, COUNT, t);
            add<<<BLOCKS, 128, 0, stream>>>(device + t * COUNT, COUNT, 1);
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaStreamDestroy(stream));
        });
    for (int t = 0; t < 4; t++)
        threads[t].join();
    for (int t = 0; t < 4; t++) {
        CHECK(cudaMemcpy(host, device + t * COUNT, BYTES, cudaMemcpyDeviceToHost));
        EXPECT(all_are(host, t + 1));
    }
    CHECK(cudaFree(device));
}

static __global__ void begins_others(int *out)
{
    cudaTriggerProgrammaticLaunchCompletion();
    out[threadIdx.x] = threadIdx.x;
}

static __global__ void waits_inside(const int *in, int *out)
{
    cudaGridDependencySynchronize();
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

static __global__ void needs_nothing(int *out)
{
    out[threadIdx.x] = 5;
}

/* Kernels that begin early: one waits for the kernel ahead, one touches nothing of it, a plain one comes after both. */
static void programmatic_with_wait(void)
{
    struct streams s;
    int *in = device_new<int>(COUNT), *out = device_new<int>(COUNT), *other = device_new<int>(COUNT);
    int host[128];

    CHECK(cudaDeviceSynchronize());
    begins_others<<<1, 128, 0, s.a>>>(in);
    programmatic(s.a, waits_inside, (const int *)in, out);
    programmatic(s.a, needs_nothing, other);
    waits_inside<<<1, 128, 0, s.a>>>(other, in);
    CHECK(cudaStreamSynchronize(s.a));
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(host[100] == 101);
    CHECK(cudaMemcpy(host, in, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(host[100] == 6);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(other));
}

/* One thread waits for the block. What the kernel ahead does not touch may be read before. */
static __global__ void waits_for_its_block(const int *weights, const int *in, int *out)
{
    int weight = weights[threadIdx.x];

    if (threadIdx.x == 0)
        cudaGridDependencySynchronize();
    __syncthreads();
    out[threadIdx.x] = weight + in[threadIdx.x];
}

static void programmatic_one_waits(void)
{
    struct streams s;
    int *weights = device_new<int>(COUNT), *in = device_new<int>(COUNT), *out = device_new<int>(COUNT);
    int host[128];

    CHECK(cudaMemset(weights, 0, BYTES));
    CHECK(cudaDeviceSynchronize());
    begins_others<<<1, 128, 0, s.a>>>(in);
    programmatic(s.a, waits_for_its_block, (const int *)weights, (const int *)in, out);
    CHECK(cudaStreamSynchronize(s.a));
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(host[100] == 100);
    CHECK(cudaFree(weights));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

/* The kernel ahead does not let others begin. So this one begins when it is over, as in CUB's merge sort. */
static __global__ void waits_after_reading(const int *in, int *out)
{
    int value = in[threadIdx.x];

    cudaGridDependencySynchronize();
    out[threadIdx.x] = value + 1;
}

static void programmatic_after_its_end(void)
{
    struct streams s;
    int *in = device_new<int>(COUNT), *out = device_new<int>(COUNT), host[128];

    CHECK(cudaDeviceSynchronize());
    needs_nothing<<<1, 128, 0, s.a>>>(in);
    programmatic(s.a, waits_after_reading, (const int *)in, out);
    CHECK(cudaStreamSynchronize(s.a));
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(host[100] == 6);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

static __global__ void fetch(cudaTextureObject_t image, float *out)
{
    out[threadIdx.x] = tex2D<float>(image, threadIdx.x, 1);
}

/* A texture of an array that another stream has filled. */
static void texture_after_event(void)
{
    struct streams s;
    float *out = device_new<float>(32), *from, host[32];
    cudaEvent_t filled;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;

    resource.resType = cudaResourceTypeArray;
    CHECK(cudaMallocHost(&from, 256));
    for (int k = 0; k < 64; k++)
        from[k] = k;
    CHECK(cudaEventCreate(&filled));
    CHECK(cudaMallocArray(&resource.res.array.array, &format, 32, 2));
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    CHECK(cudaMemcpy2DToArrayAsync(resource.res.array.array, 0, 0, from, 128, 128, 2, cudaMemcpyHostToDevice, s.a));
    CHECK(cudaEventRecord(filled, s.a));
    CHECK(cudaStreamWaitEvent(s.b, filled, 0));
    fetch<<<1, 32, 0, s.b>>>(texture, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(host[5] == 37);
    CHECK(cudaEventDestroy(filled));
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(resource.res.array.array));
    CHECK(cudaFreeHost(from));
    CHECK(cudaFree(out));
}

/* The edge of a captured programmatic launch, whose kernel waits; twice, with memory that the graph allocates. */
static void programmatic_edge_with_wait(void)
{
    struct streams s;
    int *in, *out = device_new<int>(COUNT);
    cudaGraph_t graph;
    cudaGraphExec_t run;

    CHECK(cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync(&in, BYTES, s.a));
    begins_others<<<1, 128, 0, s.a>>>(in);
    programmatic(s.a, waits_inside, (const int *)in, out);
    CHECK(cudaFreeAsync(in, s.a));
    CHECK(cudaStreamEndCapture(s.a, &graph));
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    for (int k = 0; k < 2; k++)
        CHECK(cudaGraphLaunch(run, s.a));
    CHECK(cudaStreamSynchronize(s.a));
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(out));
}

/* A question whose answer is dropped starts the work on some systems. The program waits later. */
static void asked_and_waited(void)
{
    struct streams s;
    int *host = locked_new<int>(COUNT);

    fill<<<BLOCKS, 128, 0, s.a>>>(host, COUNT, 1);
    cudaStreamQuery(s.a);
    CHECK(cudaStreamSynchronize(s.a));
    EXPECT(all_are(host, 1));
    CHECK(cudaFreeHost(host));
}

/* Two columns of one image, which lie between each other. */
static void columns_copied(void)
{
    int *image = device_new<int>(COUNT);

    CHECK(cudaMemset(image, 0, BYTES));
    CHECK(cudaMemcpy2D(image + 4, 32, image, 32, 16, COUNT / 8, cudaMemcpyDeviceToDevice));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(image));
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        CASE(order_in_a_stream),
        CASE(event_between_streams),
        CASE(halves_and_files),
        CASE(event_recorded_again),
        CASE(halves_of_one_buffer),
        CASE(legacy_stream_orders),
        CASE(copy_waits_for_blocking_streams),
        CASE(pageable_memory_is_taken_at_once),
        CASE(pageable_rows_are_taken_at_once),
        CASE(two_buffers_in_turn),
        CASE(host_function_between_copies),
        CASE(host_function_beside_kernel),
        CASE(thread_reads_beside_function),
        CASE(kernel_waits_for_host),
        CASE(kernel_waits_for_another_thread),
        CASE(kernel_waits_for_a_copy),
        CASE(host_and_kernel_in_turn),
        CASE(host_is_told),
        CASE(host_looks_until_it_is_done),
        CASE(host_function_wakes_host),
        CASE(graph_wakes_host),
        CASE(host_joins_a_thread_that_looks),
        CASE(memory_in_stream_order),
        CASE(graph_with_branches),
        CASE(graph_changed_between_launches),
        CASE(graph_launched_in_two_streams),
        CASE(managed_memory_in_parts),
        CASE(atomics_in_two_streams),
        CASE(both_streams_read),
        CASE(asked_until_over),
        CASE(many_launches),
        CASE(destroyed_while_pending),
        CASE(programmatic_with_wait),
        CASE(programmatic_one_waits),
        CASE(programmatic_after_its_end),
        CASE(programmatic_edge_with_wait),
        CASE(asked_and_waited),
        CASE(columns_copied),
        CASE(texture_after_event),
        CASE(threads_with_streams),
    };

    return suite_main(cases, sizeof cases / sizeof cases[0], argc, argv);
}
