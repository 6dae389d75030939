/*
 * host_access.cu - without an argument: code of the host that uses memory as it may; the simulator reports nothing.
 * With the name of a case: code of the host that accesses the device's memory, and ends with SIGSEGV. --list prints the
 * names. The line before each case says what is to be reported.
 */
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>
#include <vector>

#include "check.h"

enum { COUNT = 1000, BYTES = COUNT * sizeof(int) };

__device__ int counters[COUNT];
__constant__ int table[COUNT];
__managed__ int shared_counters[COUNT];

static volatile int sink; /* what is read goes here, or the compiler would drop the read */

static __global__ void add(int *values, int amount)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < COUNT)
        values[i] += amount;
}

static void add_all(int *values, int amount)
{
    add<<<(COUNT + 127) / 128, 128>>>(values, amount);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
}

static int *device_new(void)
{
    int *values;

    CUDA_CHECK(cudaMalloc(&values, BYTES));
    CUDA_CHECK(cudaMemset(values, 0, BYTES));
    return values;
}

/* ------------------------------------------------------------------ wrong */

// expect: read at 0x[0-9a-f]+, 28 bytes into an allocation of 4000 bytes, by the host in .*read_result
static void read_result(void)
{
    int *values = device_new();

    add_all(values, 3);
    sink = values[7];
}

// expect: write at 0x[0-9a-f]+, 0 bytes into an allocation of 4000 bytes, by the host in .*fill_by_host
static void fill_by_host(void)
{
    int *values;

    CUDA_CHECK(cudaMalloc(&values, BYTES));
    for (int i = 0; i < COUNT; i++)
        values[i] = i;
}

// expect: read at .* into an allocation of 4000 bytes, by the host in .*copy_by_memcpy
static void copy_by_memcpy(void)
{
    std::vector<int> own(COUNT);
    int *values = device_new();

    memcpy(own.data(), values, BYTES);
    sink = own[3];
}

// expect: write at .* into an allocation of 4000 bytes, by the host in .*set_by_memset
static void set_by_memset(void)
{
    int *values;

    CUDA_CHECK(cudaMalloc(&values, BYTES));
    memset(values, 1, BYTES);
}

// expect: read at .*, 40 bytes into a variable of 4000 bytes, by the host in .*variable_by_address
static void variable_by_address(void)
{
    void *address;

    CUDA_CHECK(cudaGetSymbolAddress(&address, counters));
    sink = ((int *)address)[10];
}

// expect: write at .*, 8 bytes into a variable of 4000 bytes, by the host in .*constant_by_address
static void constant_by_address(void)
{
    void *address;

    CUDA_CHECK(cudaGetSymbolAddress(&address, table));
    ((int *)address)[2] = 1;
}

// expect: read at .*, 4 bytes into an allocation of 4000 bytes, by the host in .*memory_of_a_pool
static void memory_of_a_pool(void)
{
    int *values;

    CUDA_CHECK(cudaMallocAsync(&values, BYTES, 0));
    CUDA_CHECK(cudaMemsetAsync(values, 0, BYTES, 0));
    CUDA_CHECK(cudaStreamSynchronize(0));
    sink = values[1];
}

// expect: write at .*, 2000000 bytes into an allocation of 4000000 bytes, by the host in .*middle_of_a_large_one
static void middle_of_a_large_one(void)
{
    int *values, *managed;

    CUDA_CHECK(cudaMallocManaged(&managed, BYTES));
    CUDA_CHECK(cudaMalloc(&values, 1000 * BYTES));
    managed[0] = 1;
    values[500 * COUNT] = 1;
}

// expect: read at .* into an allocation of 4000 bytes that was freed, by the host in .*after_free
static void after_free(void)
{
    int *values = device_new();

    CUDA_CHECK(cudaFree(values));
    sink = values[0];
}

// expect: read at .* into an allocation of 4000 bytes that was freed, by the host in .*managed_after_free
static void managed_after_free(void)
{
    int *values;

    CUDA_CHECK(cudaMallocManaged(&values, BYTES));
    values[0] = 1;
    add_all(values, 1);
    CUDA_CHECK(cudaFree(values));
    sink = values[0];
}

// expect: write at .*, 20 bytes into an allocation of 4000 bytes, by the host in .*before_the_kernel_ran
static void before_the_kernel_ran(void)
{
    int *values = device_new();

    add<<<8, 128>>>(values, 1);
    values[5] = 7;
}

// expect: read at .*, 4 bytes into an allocation of 4000 bytes, by the host in 
static void in_another_thread(void)
{
    int *values = device_new();

    add_all(values, 1);
    std::thread([values] { sink = values[1]; }).join();
}

// expect: read at .*, 4 bytes into an allocation of 4000 bytes, by the host in .*after_many_waits
static void after_many_waits(void)
{
    int *values = device_new();

    for (int n = 0; n < 1000; n++)
        add_all(values, 1);
    for (int n = 0; n < 256; n++)
        CUDA_CHECK(cudaDeviceSynchronize());
    sink = values[1];
}

/* ------------------------------------------------------------------ right */

static bool are(const int *values, int expected)
{
    for (int i = 0; i < COUNT; i++)
        if (values[i] != expected)
            return false;
    return true;
}

/* Memory of the host and of the device in turn, so that they lie beside each other, over many changes. */
static void kinds_in_turn(void)
{
    for (int n = 0; n < 200; n++) {
        int *managed, *locked, *mapped, *device, *pooled, *own = (int *)malloc(BYTES), *seen;

        CUDA_CHECK(cudaMallocManaged(&managed, BYTES));
        device = device_new();
        CUDA_CHECK(cudaMallocHost(&locked, BYTES));
        CUDA_CHECK(cudaMallocAsync(&pooled, BYTES, 0));
        CUDA_CHECK(cudaHostAlloc(&mapped, BYTES, cudaHostAllocMapped));
        CUDA_CHECK(cudaHostRegister(own, BYTES, cudaHostRegisterMapped));
        memset(managed, 0, BYTES);
        memset(locked, 0, BYTES);
        memset(mapped, 0, BYTES);
        memset(own, 0, BYTES);
        CUDA_CHECK(cudaHostGetDevicePointer(&seen, mapped, 0));
        for (int *values : { managed, locked, seen, own, device })
            add_all(values, n + 1);
        EXPECT(are(managed, n + 1) && are(locked, n + 1) && are(mapped, n + 1) && are(own, n + 1));
        CUDA_CHECK(cudaMemcpy(locked, device, BYTES, cudaMemcpyDeviceToHost));
        EXPECT(are(locked, n + 1));
        CUDA_CHECK(cudaFree(n % 2 ? device : managed));
        CUDA_CHECK(cudaFree(n % 2 ? managed : device));
        CUDA_CHECK(cudaFreeAsync(pooled, 0));
        CUDA_CHECK(cudaFreeHost(locked));
        CUDA_CHECK(cudaFreeHost(mapped));
        CUDA_CHECK(cudaHostUnregister(own));
        free(own);
    }
}

static void variables(void)
{
    int own[COUNT];
    void *address;

    memset(shared_counters, 0, BYTES);
    add_all(shared_counters, 4);
    EXPECT(are(shared_counters, 4));
    memcpy(own, shared_counters, BYTES);
    CUDA_CHECK(cudaMemcpyToSymbol(counters, own, BYTES));
    CUDA_CHECK(cudaMemcpyToSymbol(table, own, BYTES));
    CUDA_CHECK(cudaGetSymbolAddress(&address, counters));
    add_all((int *)address, 1);
    CUDA_CHECK(cudaMemcpyFromSymbol(own, counters, BYTES));
    EXPECT(are(own, 5));
}

/* A call gets wrong memory without a signal, as on a device. */
static void system_call(void)
{
    int ends[2], *values = device_new();

    EXPECT(pipe(ends) == 0);
    EXPECT(write(ends[1], values, 64) == -1 && errno == EFAULT);
    close(ends[0]);
    close(ends[1]);
    CUDA_CHECK(cudaFree(values));
}

/* After many changes, memory of the host gets addresses that were the device's, and no work runs in between. */
static void addresses_again(void)
{
    std::vector<int *> kept; /* an odd number of calls now and then */

    for (int n = 0; n < 1000; n++) {
        int *device, *managed;

        if (n % 5 == 0)
            CUDA_CHECK(cudaMalloc(&device, BYTES)), kept.push_back(device);
        CUDA_CHECK(cudaMalloc(&device, BYTES));
        CUDA_CHECK(cudaMallocManaged(&managed, BYTES));
        memset(managed, 1, BYTES);
        CUDA_CHECK(cudaFree(device));
        CUDA_CHECK(cudaFree(managed));
    }
    for (int *values : kept)
        CUDA_CHECK(cudaFree(values));
}

static void fail_by_signal(int number)
{
    (void)number;
    _exit(1);
}

/* The program's own handler gets none of the runtime's accesses, though the memory was closed before. */
static void own_handler(void)
{
    struct sigaction own = {}, before;
    int *values = device_new(), copy[COUNT];

    own.sa_handler = fail_by_signal;
    EXPECT(sigaction(SIGSEGV, &own, &before) == 0);
    add_all(values, 2);
    CUDA_CHECK(cudaMemcpy(copy, values, BYTES, cudaMemcpyDeviceToHost));
    EXPECT(are(copy, 2));
    EXPECT(sigaction(SIGSEGV, &before, NULL) == 0);
    CUDA_CHECK(cudaFree(values));
}

static void threads_at_once(void)
{
    std::vector<std::thread> threads;

    for (int t = 0; t < 4; t++)
        threads.emplace_back([t] {
            int *device = device_new(), *managed, own[COUNT];

            CUDA_CHECK(cudaMallocManaged(&managed, BYTES));
            for (int n = 0; n < 100; n++) {
                CUDA_CHECK(cudaMemset(device, t, BYTES));
                CUDA_CHECK(cudaMemcpy(own, device, BYTES, cudaMemcpyDeviceToHost));
                EXPECT(are(own, t * 0x01010101));
                for (int i = 0; i < COUNT; i++)
                    managed[i] = i + n;
                EXPECT(managed[9] == 9 + n);
            }
            CUDA_CHECK(cudaFree(device));
            CUDA_CHECK(cudaFree(managed));
        });
    for (std::thread &thread : threads)
        thread.join();
}

#define CASE(name) { #name, name }

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } cases[] = {
        CASE(read_result), CASE(fill_by_host), CASE(copy_by_memcpy), CASE(set_by_memset), CASE(variable_by_address),
        CASE(constant_by_address), CASE(memory_of_a_pool), CASE(middle_of_a_large_one), CASE(after_free),
        CASE(managed_after_free), CASE(before_the_kernel_ran), CASE(in_another_thread), CASE(after_many_waits),
    };

    for (const auto &c : cases) {
        if (argc > 1 && strcmp(argv[1], "--list") == 0)
            printf("%s\n", c.name);
        else if (argc > 1 && strcmp(argv[1], c.name) == 0)
            c.function();
    }
    if (argc > 1)
        return 0;
    system_call(); /* first: later changes do not close the memory at once */
    variables();
    own_handler();
    kinds_in_turn();
    addresses_again();
    threads_at_once();
    return passed();
}
