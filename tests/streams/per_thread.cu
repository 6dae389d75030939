// flags: --default-stream per-thread
/*
 * per_thread.cu - right programs for which no stream means the calling thread's own.
 */
#include <thread>

#include "suite.h"

/* The thread's stream and its copies are in order, and a copy without "Async" is over when it returns. */
static void own_stream_in_order(void)
{
    int *device = device_new<int>(COUNT), *locked = locked_new<int>(COUNT);

    fill<<<BLOCKS, 128>>>(device, COUNT, 3);
    CHECK(cudaMemcpy(locked, device, BYTES, cudaMemcpyDeviceToHost));
    EXPECT(all_are(locked, 3));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(locked));
}

/* The legacy stream, named, still orders blocking streams. */
static void legacy_stream_by_name(void)
{
    struct streams s(cudaStreamDefault);
    int *device = device_new<int>(COUNT), *locked = locked_new<int>(COUNT);

    fill<<<BLOCKS, 128>>>(device, COUNT, 1);
    add<<<BLOCKS, 128, 0, cudaStreamLegacy>>>(device, COUNT, 10);
    add<<<BLOCKS, 128, 0, s.a>>>(device, COUNT, 100);
    CHECK(cudaMemcpyAsync(locked, device, BYTES, cudaMemcpyDeviceToHost, s.a));
    CHECK(cudaStreamSynchronize(s.a));
    EXPECT(all_are(locked, 111));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(locked));
}

/* A thread that ends leaves its work; the legacy stream waits for it. */
static void thread_ends_before_its_work(void)
{
    int *device = device_new<int>(COUNT), *locked = locked_new<int>(COUNT);

    std::thread([=] { fill<<<BLOCKS, 128>>>(device, COUNT, 8); }).join();
    CHECK(cudaMemcpyAsync(locked, device, BYTES, cudaMemcpyDeviceToHost, cudaStreamLegacy));
    CHECK(cudaStreamSynchronize(cudaStreamLegacy));
    EXPECT(all_are(locked, 8));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(locked));
}

/* Threads work side by side, each in its own stream. */
static void threads_side_by_side(void)
{
    int *device = device_new<int>(3 * COUNT);
    std::thread threads[3];

    for (int t = 0; t < 3; t++)
        threads[t] = std::thread([=] {
            int host[COUNT];

            fill<<<BLOCKS, 128>>>(device + t * COUNT, COUNT, t);
            CHECK(cudaMemcpy(host, device + t * COUNT, BYTES, cudaMemcpyDeviceToHost));
            EXPECT(all_are(host, t));
        });
    for (int t = 0; t < 3; t++)
        threads[t].join();
    CHECK(cudaFree(device));
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        CASE(own_stream_in_order),
        CASE(legacy_stream_by_name),
        CASE(thread_ends_before_its_work),
        CASE(threads_side_by_side),
    };

    return suite_main(cases, sizeof cases / sizeof cases[0], argc, argv);
}
