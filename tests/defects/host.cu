/*
 * host.cu - defects in the host's part of a program. Each case is wrong; with -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include <cooperative_groups.h>

#include "suite.h"

__global__ void add_one(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        data[i]++; // HERE freed_in_stream
}

// expect: unchecked-error|host-race
static void elapsed_before_end(void)
{
    int *data = device_copy<int>(nullptr, 1024);
    cudaEvent_t begin, end;
    float ms = 0;

    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    add_one<<<4, 256>>>(data, 1024);
    CHECK(cudaEventRecord(end));
    if (right)
        CHECK(cudaEventSynchronize(end));
    cudaEventElapsedTime(&ms, begin, end);
    fprintf(stdout, "%d ms\n", ms > 1e9f);
    if (right)
        CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(data));
}

// expect: host-race
static void ring_of_pinned_buffers(void)
{
    int *data = device_copy<int>(nullptr, 8 * 256), *buffers[2];
    cudaEvent_t done[2];
    cudaStream_t stream;

    CHECK(cudaStreamCreate(&stream));
    for (int b = 0; b < 2; b++) {
        CHECK(cudaMallocHost(&buffers[b], 1024));
        CHECK(cudaEventCreate(&done[b]));
    }
    for (int part = 0; part < 8; part++) {
        int b = part % 2;
        if (right && part >= 2)
            CHECK(cudaEventSynchronize(done[b]));
        for (int k = 0; k < 256; k++)
            buffers[b][k] = part * 256 + k;
        CHECK(cudaMemcpyAsync(data + part * 256, buffers[b], 1024, cudaMemcpyHostToDevice, stream));
        add_one<<<1, 256, 0, stream>>>(data + part * 256, 256);
        CHECK(cudaEventRecord(done[b], stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    for (int b = 0; b < 2; b++) {
        CHECK(cudaFreeHost(buffers[b]));
        CHECK(cudaEventDestroy(done[b]));
    }
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
}

// expect: stream-race
static void wait_before_record(void)
{
    int *data = device_copy<int>(nullptr, 256);
    cudaStream_t first, second;
    cudaEvent_t done;

    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreate(&second));
    CHECK(cudaEventCreate(&done));
    add_one<<<1, 256, 0, first>>>(data, 256);
    if (right)
        CHECK(cudaEventRecord(done, first));
    CHECK(cudaStreamWaitEvent(second, done, 0));
    if (!right)
        CHECK(cudaEventRecord(done, first));
    add_one<<<1, 256, 0, second>>>(data, 256);
    FINISH();
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaFree(data));
}

__global__ void fill_rows(char *image, size_t pitch, int columns, int rows)
{
    int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;

    if (row < rows && column < columns)
        *(float *)(image + row * pitch + column * sizeof(float)) = row;
}

// expect: uninitialised
static void pitch_forgotten(void)
{
    char *image;
    size_t pitch;
    float host[20][100];

    CHECK(cudaMallocPitch(&image, &pitch, 100 * sizeof(float), 20));
    fill_rows<<<dim3(4, 3), dim3(32, 8)>>>(image, right ? pitch : 100 * sizeof(float), 100, 20);
    FINISH();
    CHECK(cudaMemcpy2D(host, 100 * sizeof(float), image, pitch, 100 * sizeof(float), 20, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(image));
}

// expect: leak
static void array_leak(void)
{
    cudaChannelFormatDesc description = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    float h[64] = {};

    CHECK(cudaMallocArray(&array, &description, 64));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, h, sizeof h, sizeof h, 1, cudaMemcpyHostToDevice));
    if (right)
        CHECK(cudaFreeArray(array));
}

// expect: leak
static void graph_leak(void)
{
    int *data = device_copy<int>(nullptr, 256);
    cudaStream_t stream;

    CHECK(cudaStreamCreate(&stream));
    for (int round = 0; round < 3; round++) {
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        add_one<<<1, 256, 0, stream>>>(data, 256);
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&executable, graph, 0));
        CHECK(cudaGraphLaunch(executable, stream));
        CHECK(cudaStreamSynchronize(stream));
        if (right) {
            CHECK(cudaGraphExecDestroy(executable));
            CHECK(cudaGraphDestroy(graph));
        }
    }
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
}

// expect: refused|unchecked-error
static void copy_direction(void)
{
    int h[256], *data = device_copy<int>(nullptr, 256);

    add_one<<<1, 256>>>(data, 256);
    cudaMemcpy(h, data, sizeof h, right ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
    fprintf(stdout, "%d\n", right ? h[0] : 0);
    CHECK(cudaFree(data));
}

__constant__ float coefficients[16];

__global__ void polynomial(float *out)
{
    float value = 0;

    for (int k = 0; k < 16; k++)
        value = value * threadIdx.x + coefficients[k];
    out[threadIdx.x] = value;
}

// expect: out-of-bounds|refused|unchecked-error
static void symbol_too_small(void)
{
    float h[17] = {}, *out = device_copy<float>(nullptr, 32);

    cudaMemcpyToSymbol(coefficients, h, (right ? 16 : 17) * sizeof(float));
    polynomial<<<1, 32>>>(out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(out));
}

__global__ void in_dynamic(int *out, int words)
{
    extern __shared__ int s[];

    for (int k = threadIdx.x; k < words; k += blockDim.x)
        s[k] = k;
    __syncthreads();
    out[threadIdx.x] = s[words - 1 - threadIdx.x];
}

// expect: refused|unchecked-error
static void dynamic_above_48k(void)
{
    int *out = device_copy<int>(nullptr, 256), bytes = 64 * 1024;

    if (right)
        CHECK(cudaFuncSetAttribute(in_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    in_dynamic<<<1, 256, bytes>>>(out, bytes / 4);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(out));
}

__global__ void two_steps(int *data)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();

    data[grid.thread_rank()] = 1;
    grid.sync();
    data[(grid.thread_rank() + 1) % grid.size()] = 2;
}

// expect: refused|unchecked-error
static void grid_beyond_cooperative(void)
{
    int blocks = right ? 16 : 4096, *data = device_copy<int>(nullptr, (size_t)blocks * 1024);
    void *arguments[] = {&data};

    cudaLaunchCooperativeKernel((void *)two_steps, blocks, 1024, arguments, 0, 0);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
}

// expect: use-after-free
static void freed_in_stream(void)
{
    int *data;
    cudaStream_t stream;

    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&data, 1024, stream));
    CHECK(cudaMemsetAsync(data, 0, 1024, stream));
    add_one<<<1, 256, 0, stream>>>(data, 256);
    if (!right)
        CHECK(cudaFreeAsync(data, stream));
    add_one<<<1, 256, 0, stream>>>(data, 256);
    if (right)
        CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
}

__global__ void shade(unsigned char *image, int width, int height)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;

    if (x < width && y < height)
        image[y * width + x] = x + y;
}

// expect: uninitialised
static void grid_swapped(void)
{
    int width = 128, height = 48;
    unsigned char *image, host[128 * 48];
    dim3 grid((right ? width : height) / 16, (right ? height : width) / 16);

    CHECK(cudaMalloc(&image, width * height));
    shade<<<grid, dim3(16, 16)>>>(image, width, height);
    FINISH();
    CHECK(cudaMemcpy(host, image, width * height, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(image));
}

// expect: unchecked-error|invalid-free|refused
static void destroyed_stream(void)
{
    int *data = device_copy<int>(nullptr, 256);
    cudaStream_t stream;

    CHECK(cudaStreamCreate(&stream));
    if (!right)
        CHECK(cudaStreamDestroy(stream));
    add_one<<<1, 256, 0, stream>>>(data, 256);
    if (right)
        CHECK(cudaStreamDestroy(stream));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
}

static const suite_case cases[] = {
    {"elapsed_before_end", elapsed_before_end},
    {"ring_of_pinned_buffers", ring_of_pinned_buffers},
    {"wait_before_record", wait_before_record},
    {"pitch_forgotten", pitch_forgotten},
    {"array_leak", array_leak},
    {"graph_leak", graph_leak},
    {"copy_direction", copy_direction},
    {"symbol_too_small", symbol_too_small},
    {"dynamic_above_48k", dynamic_above_48k},
    {"grid_beyond_cooperative", grid_beyond_cooperative},
    {"freed_in_stream", freed_in_stream},
    {"grid_swapped", grid_swapped},
    {"destroyed_stream", destroyed_stream},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
