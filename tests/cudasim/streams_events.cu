/*
 * streams_events.cu - streams, events and host functions: order within a stream, waits between streams, queries,
 * callbacks, times, priorities, the legacy and the per-thread default stream.
 */
#include <atomic>
#include <thread>

#include "check.h"

enum { N = 2000 };

__global__ void add(int *values, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        values[i] = values[i] * 2 + by;
}

struct log {
    int entries[64];
    int count;
};

struct entry {
    struct log *log;
    int value;
};

static void CUDART_CB write_log(void *data)
{
    struct entry *entry = (struct entry *)data;

    entry->log->entries[entry->log->count++] = entry->value;
}

static void CUDART_CB add_callback(cudaStream_t stream, cudaError_t status, void *data)
{
    (void)stream;
    if (status == cudaSuccess)
        ++*(std::atomic<int> *)data;
}

static void test_order(void)
{
    enum { STREAMS = 4, STEPS = 5 };
    cudaStream_t streams[STREAMS];
    int *device[STREAMS];
    std::vector<int> results[STREAMS];

    for (int i = 0; i < STREAMS; i++) {
        CUDA_CHECK(i % 2 ? cudaStreamCreate(&streams[i])
                         : cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        device[i] = device_new<int>(N);
        results[i].resize(N);
        CUDA_CHECK(cudaMemsetAsync(device[i], 0, N * sizeof(int), streams[i]));
    }
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < STREAMS; i++) {
            add<<<(N + 127) / 128, 128, 0, streams[i]>>>(device[i], N, step + i);
            CUDA_CHECK(cudaGetLastError());
        }
    for (int i = 0; i < STREAMS; i++)
        CUDA_CHECK(cudaMemcpyAsync(results[i].data(), device[i], N * sizeof(int), cudaMemcpyDeviceToHost, streams[i]));
    for (int i = 0; i < STREAMS; i++) {
        int value = 0;

        for (int step = 0; step < STEPS; step++)
            value = value * 2 + step + i;
        CUDA_CHECK(cudaStreamSynchronize(streams[i]));
        CUDA_CHECK(cudaStreamQuery(streams[i]));
        expect_equal("order", std::vector<int>(N, value), results[i]);
        CUDA_CHECK(cudaStreamDestroy(streams[i]));
        device_free(device[i]);
    }
}

static void test_events(void)
{
    cudaStream_t first, second;
    cudaEvent_t start, middle, end;
    float milliseconds = -1;
    int *device = device_zeros<int>(N);
    std::vector<int> got(N);

    CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&end));
    CUDA_CHECK(cudaEventCreateWithFlags(&middle, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventQuery(start)); /* never recorded: complete */
    CUDA_CHECK(cudaEventRecord(start, first));
    for (int i = 0; i < 10; i++) {
        add<<<(N + 127) / 128, 128, 0, first>>>(device, N, 1);
        CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaEventRecord(middle, first));
    CUDA_CHECK(cudaStreamWaitEvent(second, middle, 0));
    add<<<(N + 127) / 128, 128, 0, second>>>(device, N, 7);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(end, second));
    CUDA_CHECK(cudaEventSynchronize(end));
    CUDA_CHECK(cudaEventQuery(end));
    CUDA_CHECK(cudaEventQuery(middle));
    CUDA_CHECK(cudaMemcpy(got.data(), device, N * sizeof(int), cudaMemcpyDeviceToHost));
    expect_equal("events", std::vector<int>(N, 1023 * 2 + 7), got);
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, end));
    EXPECT(milliseconds >= 0 && milliseconds < 1e6f);
    EXPECT(cudaEventElapsedTime(&milliseconds, start, middle) == cudaErrorInvalidResourceHandle);
    EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(middle));
    CUDA_CHECK(cudaEventDestroy(end));
    CUDA_CHECK(cudaStreamDestroy(first));
    CUDA_CHECK(cudaStreamDestroy(second));
    device_free(device);
}

static void test_host_functions(void)
{
    static struct log log;
    static struct entry entries[10];
    cudaStream_t stream;
    int *device = device_zeros<int>(N);
    std::atomic<int> called{0};

    log.count = 0;
    CUDA_CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < 10; i++) {
        entries[i].log = &log;
        entries[i].value = i * i;
        add<<<(N + 127) / 128, 128, 0, stream>>>(device, N, i);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaLaunchHostFunc(stream, write_log, &entries[i]));
        CUDA_CHECK(cudaStreamAddCallback(stream, add_callback, &called, 0));
    }
    CUDA_CHECK(cudaStreamSynchronize(stream));
    EXPECT(log.count == 10 && called == 10);
    for (int i = 0; i < 10; i++)
        EXPECT(log.entries[i] == i * i);
    CUDA_CHECK(cudaStreamDestroy(stream));
    device_free(device);
}

static void test_properties(void)
{
    int least = 0, greatest = 0, priority = 100;
    unsigned flags = 100;
    cudaStream_t stream;

    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(least >= greatest);
    CUDA_CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
    CUDA_CHECK(cudaStreamGetPriority(stream, &priority));
    CUDA_CHECK(cudaStreamGetFlags(stream, &flags));
    EXPECT(priority == greatest && flags == cudaStreamNonBlocking);
    cudaStreamAttrValue given = {}, kept = {};

    given.accessPolicyWindow.base_ptr = &given;
    given.accessPolicyWindow.num_bytes = 4096;
    given.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    CUDA_CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &given));
    CUDA_CHECK(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &kept));
    EXPECT(kept.accessPolicyWindow.base_ptr == &given && kept.accessPolicyWindow.num_bytes == 4096);
    CUDA_CHECK(cudaStreamDestroy(stream));
}

/* Work on the default streams, and from several threads of the CPU. */
static void test_default_streams(void)
{
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    int *device = device_zeros<int>(N);

    add<<<(N + 127) / 128, 128, 0, cudaStreamLegacy>>>(device, N, 1);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamLegacy));
    add<<<(N + 127) / 128, 128, 0, cudaStreamPerThread>>>(device, N, 1);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    expect_device("default streams", std::vector<int>(N, 3), device);
    device_free(device);
    for (int i = 0; i < 4; i++)
        threads.emplace_back([i, &wrong] {
            cudaStream_t stream;
            std::vector<int> got(N);
            int *mine = device_zeros<int>(N);

            CUDA_CHECK(cudaStreamCreate(&stream));
            for (int step = 0; step < 3; step++) {
                add<<<(N + 127) / 128, 128, 0, stream>>>(mine, N, i);
                CUDA_CHECK(cudaGetLastError());
            }
            CUDA_CHECK(cudaMemcpyAsync(got.data(), mine, N * sizeof(int), cudaMemcpyDeviceToHost, stream));
            CUDA_CHECK(cudaStreamSynchronize(stream));
            for (int value : got)
                wrong += value != 7 * i;
            CUDA_CHECK(cudaStreamDestroy(stream));
            device_free(mine);
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT(wrong == 0);
}

int main(void)
{
    test_order();
    test_events();
    test_host_functions();
    test_properties();
    test_default_streams();
    return passed();
}
