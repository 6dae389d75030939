/*
 * cost.cu - prints what streams cost on the simulator: seconds of each case. Run it with and without
 * CUDASIM_CHECK=written,races,leaks,lanes,bounds,calls, which leaves out the check of streams.
 */
#include <chrono>

#include "suite.h"

enum { LARGE = 4 << 20 }; /* ints */

static int *in, *out, *locked, *managed;

/* Launches of an empty grid's worth of work, waited for once. */
static void launches(void)
{
    for (int i = 0; i < 20000; i++)
        add<<<1, 32>>>(in, 32, 1);
    CHECK(cudaDeviceSynchronize());
}

/* Each launch is waited for. */
static void launches_and_waits(void)
{
    for (int i = 0; i < 20000; i++) {
        add<<<1, 32>>>(in, 32, 1);
        CHECK(cudaDeviceSynchronize());
    }
}

/* Copy, kernel and copy back of quarters, in two streams that overlap. */
static void pipeline(void)
{
    const int part = LARGE / 4;
    struct streams s;

    for (int i = 0; i < 4; i++) {
        cudaStream_t stream = i % 2 ? s.b : s.a;
        int *from = in + i * part, *to = out + i * part, *host = locked + i * part;

        CHECK(cudaMemcpyAsync(from, host, part * sizeof(int), cudaMemcpyHostToDevice, stream));
        for (int step = 0; step < 4; step++)
            add_to<<<(part + 255) / 256, 256, 0, stream>>>(to, from, part, 1);
        CHECK(cudaMemcpyAsync(host, to, part * sizeof(int), cudaMemcpyDeviceToHost, stream));
    }
    CHECK(cudaDeviceSynchronize());
}

/* Managed memory is closed at each launch, and opened at each wait. */
static void managed_steps(void)
{
    for (int i = 0; i < 2000; i++) {
        add<<<1, 32>>>(managed, 32, 1);
        CHECK(cudaDeviceSynchronize());
        managed[i]++;
    }
}

static void time_case(const char *name, void (*run)(void))
{
    auto start = std::chrono::steady_clock::now();

    run();
    printf("%-20s %.3f s\n", name, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

int main(void)
{
    in = device_new<int>(LARGE);
    out = device_new<int>(LARGE);
    locked = locked_new<int>(LARGE);
    managed = managed_new<int>(LARGE);
    CHECK(cudaMemset(in, 0, LARGE * sizeof(int)));
    CHECK(cudaMemset(out, 0, LARGE * sizeof(int)));
    time_case("launches", launches);
    time_case("launches_and_waits", launches_and_waits);
    time_case("pipeline", pipeline);
    time_case("managed_steps", managed_steps);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(managed));
    CHECK(cudaFreeHost(locked));
    return 0;
}
