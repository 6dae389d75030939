/*
 * batches.cu - calls that take a list: copies, copies of boxes between memory and arrays, prefetches and discards.
 */
#include "check.h"

static void test_copies(cudaStream_t stream)
{
    unsigned char *device = device_zeros<unsigned char>(256);
    std::vector<unsigned char> host(96), back;
    void *targets[3] = {device, device + 100, device + 200};
    const void *sources[3] = {host.data(), host.data() + 32, host.data() + 64};
    const size_t sizes[3] = {32, 20, 7};
    cudaMemcpyAttributes attributes = {};
    size_t first = 0;

    for (size_t i = 0; i < host.size(); i++)
        host[i] = (unsigned char)(i + 1);
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    CUDA_CHECK(cudaMemcpyBatchAsync(targets, sources, sizes, 3, &attributes, &first, 1, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    back = host_copy(device, 256);
    for (int i = 0; i < 256; i++)
        EXPECT(back[i] == (i < 32 ? i + 1 : i >= 100 && i < 120 ? i - 67 : i >= 200 && i < 207 ? i - 135 : 0));
    CUDA_CHECK(cudaFree(device));
}

static cudaMemcpy3DOperand memory_side(void *pointer, size_t row, size_t rows)
{
    cudaMemcpy3DOperand side = {};

    side.type = cudaMemcpyOperandTypePointer;
    side.op.ptr.ptr = pointer;
    side.op.ptr.rowLength = row;
    side.op.ptr.layerHeight = rows;
    return side;
}

static cudaMemcpy3DOperand array_side(cudaArray_t array, size_t x, size_t y)
{
    cudaMemcpy3DOperand side = {};

    side.type = cudaMemcpyOperandTypeArray;
    side.op.array.array = array;
    side.op.array.offset.x = x;
    side.op.array.offset.y = y;
    return side;
}

/* Rows of bytes between two memories of different pitch; then texels by way of an array. */
static void test_boxes(cudaStream_t stream)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    unsigned char *from = device_zeros<unsigned char>(3 * 4 * 10), *to = device_zeros<unsigned char>(3 * 4 * 16);
    std::vector<unsigned char> bytes(3 * 4 * 10), got;
    std::vector<int> texels(5 * 4), result(5 * 4);
    cudaMemcpy3DBatchOp list[2] = {};
    cudaArray_t array;

    for (size_t i = 0; i < bytes.size(); i++)
        bytes[i] = (unsigned char)(i + 1);
    CUDA_CHECK(cudaMemcpy(from, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMallocArray(&array, &format, 8, 6));
    for (size_t i = 0; i < texels.size(); i++)
        texels[i] = (int)i * 1000;
    list[0].src = memory_side(from, 10, 4);
    list[0].dst = memory_side(to, 16, 4);
    list[0].extent = make_cudaExtent(7, 3, 3);
    list[1].src = memory_side(texels.data(), 0, 0);
    list[1].dst = array_side(array, 2, 1);
    list[1].extent = make_cudaExtent(5, 4, 1);
    list[0].srcAccessOrder = list[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    CUDA_CHECK(cudaMemcpy3DBatchAsync(2, list, 0, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    got = host_copy(to, 3 * 4 * 16);
    for (size_t z = 0; z < 3; z++)
        for (size_t y = 0; y < 4; y++)
            for (size_t x = 0; x < 16; x++)
                EXPECT(got[(z * 4 + y) * 16 + x] == (x < 7 && y < 3 ? bytes[(z * 4 + y) * 10 + x] : 0));

    CUDA_CHECK(cudaMemcpy2DFromArray(result.data(), 5 * sizeof(int), array, 2 * sizeof(int), 1, 5 * sizeof(int), 4,
                                     cudaMemcpyDeviceToHost));
    EXPECT(result == texels);
    list[0].src.op.ptr.rowLength = 6; /* shorter than the box */
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(1, list, 0, stream));
    CUDA_CHECK(cudaFreeArray(array));
    CUDA_CHECK(cudaFree(from));
    CUDA_CHECK(cudaFree(to));
}

static int prefetched_to(const void *pointer)
{
    int device = -5;

    CUDA_CHECK(cudaMemRangeGetAttribute(&device, sizeof device, cudaMemRangeAttributeLastPrefetchLocation, pointer, 1));
    return device;
}

static void test_ranges(cudaStream_t stream)
{
    cudaMemLocation places[2] = {};
    size_t firsts[2] = {0, 2}, sizes[3] = {4096, 4096, 4096};
    char *data;
    void *ranges[3];

    CUDA_CHECK(cudaMallocManaged(&data, 3 * 4096));
    for (int i = 0; i < 3; i++)
        ranges[i] = data + 4096 * i;
    places[0].type = cudaMemLocationTypeDevice;
    places[1].type = cudaMemLocationTypeHost;
    CUDA_CHECK(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, firsts, 2, 0, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    EXPECT(prefetched_to(data) == 0 && prefetched_to(data + 4096) == 0);
    EXPECT(prefetched_to(data + 8192) == cudaCpuDeviceId);
    CUDA_CHECK(cudaMemDiscardBatchAsync(ranges, sizes, 2, 0, stream));
    firsts[1] = 1;
    CUDA_CHECK(cudaMemDiscardAndPrefetchBatchAsync(ranges, sizes, 3, places, firsts, 2, 0, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    EXPECT(prefetched_to(data + 4096) == cudaCpuDeviceId);
    firsts[0] = 1;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, firsts, 2, 0, stream));
    CUDA_CHECK(cudaFree(data));
}

int main()
{
    cudaStream_t stream;

    CUDA_CHECK(cudaStreamCreate(&stream));
    test_copies(stream);
    test_boxes(stream);
    test_ranges(stream);
    CUDA_CHECK(cudaStreamDestroy(stream));
    return passed();
}
