// flags: -rdc=true -lcudadevrt
/*
 * children.cu - kernels that launch kernels: arguments, shapes, dynamic shared memory, streams and events of kernels,
 * what a parent wrote before, recursion, the tail stream, launches that cannot be, and order.
 */
#include "check.h"

struct pair {
    int first;
    double second;
};

__global__ void add(int *sum, pair both, char unused, const int *table)
{
    atomicAdd(sum, both.first + (int)both.second + table[threadIdx.x]);
}

__global__ void shared_sum(int *out)
{
    extern __shared__ int values[];

    values[threadIdx.x] = (int)(threadIdx.x + blockIdx.y);
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < blockDim.x; i++)
            atomicAdd(out, values[i]);
}

/* Sorts data[low .. high): each half in its own launch. */
__global__ void sort(int *data, int low, int high)
{
    int pivot, middle = low;

    if (high - low < 2)
        return;
    pivot = data[high - 1];
    for (int i = low; i < high - 1; i++)
        if (data[i] < pivot) {
            int moved = data[i];

            data[i] = data[middle];
            data[middle++] = moved;
        }
    data[high - 1] = data[middle];
    data[middle] = pivot;
    if (high - low <= 16) {
        for (int i = low + 1; i < high; i++)
            for (int j = i; j > low && data[j] < data[j - 1]; j--) {
                int moved = data[j];

                data[j] = data[j - 1];
                data[j - 1] = moved;
            }
        return;
    }
    sort<<<1, 1>>>(data, low, middle);
    sort<<<1, 1>>>(data, middle + 1, high);
}

__global__ void note(int *log, int *count, int number)
{
    log[atomicAdd(count, 1)] = number;
}

__global__ void parent(int *sums, int *table, int *log, int *count)
{
    cudaStream_t stream;
    cudaEvent_t event;

    if (threadIdx.x < 8)
        table[threadIdx.x] = 10 * (int)threadIdx.x; /* which the children read */
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, count, 3);
    add<<<2, 8>>>(sums, pair{ 1, 2.0 }, 'x', table);
    note<<<1, 1>>>(log, count, 1);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    shared_sum<<<dim3(1, 3), 50, 50 * sizeof(int), stream>>>(sums + 1);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(stream, event, 0);
    shared_sum<<<1, 1, sizeof(int), cudaStreamFireAndForget>>>(sums + 2);
    note<<<1, 1>>>(log, count, 2);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    sums[3] = cudaGetLastError() == cudaSuccess;
    add<<<1, 2000>>>(sums, pair{ 1, 2.0 }, 'x', table); /* more threads than a block has */
    sums[4] = cudaGetLastError() != cudaSuccess;
    sums[5] = cudaGetLastError() == cudaSuccess;
}

/* Fills a block of the heap, doubles it, and copies it, in the order of these lines. Nobody frees the block. */
__global__ void twice(int *values, int n)
{
    for (int i = 0; i < n; i++)
        values[i] *= 2;
}

__global__ void copier(int *out, int n)
{
    int *own, *empty;

    cudaMalloc(&empty, 8);
    out[n] = cudaMalloc(&own, n * sizeof *own) == cudaSuccess && own != empty;
    out[n + 1] = cudaFree(empty) == cudaSuccess;
    out[n + 2] = cudaGetErrorString(cudaErrorInvalidValue)[0] + cudaGetErrorName(cudaErrorInvalidValue)[4];
    cudaMemsetAsync(own, 1, n * sizeof *own, 0);
    twice<<<1, 1>>>(own, n);
    cudaMemcpyAsync(out, own, n * sizeof *own, cudaMemcpyDeviceToDevice, 0);
    cudaMemcpyAsync(out, own, 0, cudaMemcpyDeviceToDevice, 0);
}

static void test_copies()
{
    enum { COUNT = 100 };
    int *out = device_zeros<int>(COUNT + 3), host[COUNT + 3];

    copier<<<1, 1>>>(out, COUNT);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++)
        EXPECT(host[i] == 0x02020202);
    EXPECT(host[COUNT] && host[COUNT + 1]);
    EXPECT(host[COUNT + 2] == 'i' + 'E'); /* invalid argument, cudaErrorInvalidValue */
    CUDA_CHECK(cudaFree(out));
}

int main()
{
    enum { COUNT = 500 };
    int *sums = device_zeros<int>(8), *table = device_zeros<int>(8), *log = device_zeros<int>(4);
    int *count = device_zeros<int>(1), *data, host[COUNT], seen[8];
    struct rng rng = { 5 };

    parent<<<1, 32>>>(sums, table, log, count);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy(seen, sums, sizeof seen, cudaMemcpyDeviceToHost));
    EXPECT(seen[0] == 2 * (8 * 3 + 10 * 28));
    EXPECT(seen[1] == 3 * (49 * 50 / 2) + 50 * 3);
    EXPECT(seen[2] == 0);
    EXPECT(seen[3] == 1 && seen[4] == 1 && seen[5] == 1);
    CUDA_CHECK(cudaMemcpy(seen, log, 3 * sizeof *seen, cudaMemcpyDeviceToHost));
    EXPECT(seen[0] == 1 && seen[1] == 2 && seen[2] == 3);

    for (int &value : host)
        value = (int)rng_below(&rng, 100000);
    CUDA_CHECK(cudaMalloc(&data, sizeof host));
    CUDA_CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    sort<<<1, 1>>>(data, 0, COUNT);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 1; i < COUNT; i++)
        EXPECT(host[i - 1] <= host[i]);
    for (int *memory : { sums, table, log, count, data })
        CUDA_CHECK(cudaFree(memory));
    test_copies();
    return passed();
}
