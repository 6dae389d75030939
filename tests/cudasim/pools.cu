/*
 * pools.cu - memory pools: what their attributes count, the threshold that a wait respects, trimming, the largest size,
 * and the memory of graphs.
 */
#include "check.h"

static const size_t MEGABYTE = 1 << 20;

static cudaMemPool_t new_pool(size_t most)
{
    cudaMemPoolProps properties = {};
    cudaMemPool_t pool;

    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.maxSize = most;
    CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
    return pool;
}

static uint64_t get(cudaMemPool_t pool, cudaMemPoolAttr attribute)
{
    uint64_t value = 0;

    CUDA_CHECK(cudaMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

static void set(cudaMemPool_t pool, cudaMemPoolAttr attribute, uint64_t value)
{
    CUDA_CHECK(cudaMemPoolSetAttribute(pool, attribute, &value));
}

static void *take(cudaMemPool_t pool, size_t size, cudaStream_t stream)
{
    void *pointer;

    CUDA_CHECK(cudaMallocFromPoolAsync(&pointer, size, pool, stream));
    CUDA_CHECK(cudaMemsetAsync(pointer, 1, size, stream));
    return pointer;
}

static void test_counts(cudaStream_t stream)
{
    cudaMemPool_t pool = new_pool(0);
    void *a = take(pool, MEGABYTE, stream), *b = take(pool, 3 * MEGABYTE, stream);
    uint64_t reserved;

    EXPECT(get(pool, cudaMemPoolAttrUsedMemCurrent) == 4 * MEGABYTE);
    EXPECT(get(pool, cudaMemPoolAttrReservedMemCurrent) >= 4 * MEGABYTE);
    set(pool, cudaMemPoolAttrReleaseThreshold, UINT64_MAX);
    CUDA_CHECK(cudaFreeAsync(a, stream));
    CUDA_CHECK(cudaFreeAsync(b, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    EXPECT(get(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
    EXPECT(get(pool, cudaMemPoolAttrUsedMemHigh) == 4 * MEGABYTE);
    reserved = get(pool, cudaMemPoolAttrReservedMemCurrent);
    EXPECT(reserved >= 4 * MEGABYTE); /* all of it stays below the threshold */
    EXPECT(get(pool, cudaMemPoolAttrReservedMemHigh) == reserved);

    CUDA_CHECK(cudaMemPoolTrimTo(pool, 0));
    EXPECT(get(pool, cudaMemPoolAttrReservedMemCurrent) == 0);
    EXPECT(get(pool, cudaMemPoolAttrReservedMemHigh) == reserved);
    set(pool, cudaMemPoolAttrReservedMemHigh, 0);
    set(pool, cudaMemPoolAttrUsedMemHigh, 0);
    EXPECT(get(pool, cudaMemPoolAttrReservedMemHigh) == 0);
    EXPECT(get(pool, cudaMemPoolAttrUsedMemHigh) == 0);
    CUDA_CHECK(cudaMemPoolDestroy(pool));
}

/* Without a threshold the first wait gives back what no block needs, and no more. */
static void test_wait(cudaStream_t stream)
{
    cudaMemPool_t pool = new_pool(0);
    void *kept = take(pool, MEGABYTE, stream), *freed = take(pool, 100 * MEGABYTE, stream);
    uint64_t one = 1;

    CUDA_CHECK(cudaFreeAsync(freed, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    EXPECT(get(pool, cudaMemPoolAttrReservedMemCurrent) >= MEGABYTE);
    EXPECT(get(pool, cudaMemPoolAttrReservedMemCurrent) < 100 * MEGABYTE);
    CUDA_CHECK(cudaMemPoolTrimTo(pool, 0)); /* the block stays */
    EXPECT(get(pool, cudaMemPoolAttrReservedMemCurrent) >= MEGABYTE);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &one));
    CUDA_CHECK(cudaFreeAsync(kept, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    EXPECT(get(pool, cudaMemPoolAttrReservedMemCurrent) == 0);
    CUDA_CHECK(cudaMemPoolDestroy(pool));
}

static void test_largest(cudaStream_t stream)
{
    cudaMemPool_t pool = new_pool(64 * MEGABYTE);
    void *half = take(pool, 40 * MEGABYTE, stream), *more;

    EXPECT_ERROR(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync(&more, 40 * MEGABYTE, pool, stream));
    CUDA_CHECK(cudaFreeAsync(half, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    more = take(pool, 40 * MEGABYTE, stream);
    CUDA_CHECK(cudaFreeAsync(more, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaMemPoolDestroy(pool));
}

static void test_graph_memory(cudaStream_t stream)
{
    uint64_t used = 0, high = 0, zero = 0;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    void *pointer;

    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    CUDA_CHECK(cudaMallocAsync(&pointer, 5 * MEGABYTE, stream));
    CUDA_CHECK(cudaMemsetAsync(pointer, 0, 5 * MEGABYTE, stream));
    CUDA_CHECK(cudaFreeAsync(pointer, stream));
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphLaunch(exec, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    EXPECT(high >= 5 * MEGABYTE);
    CUDA_CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &high));
    EXPECT(high >= 5 * MEGABYTE);
    CUDA_CHECK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    CUDA_CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    CUDA_CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    EXPECT(high == used);
    CUDA_CHECK(cudaDeviceGraphMemTrim(0));
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

/* A block that the order of streams frees first is taken again: it counts once, and others count as well. */
static void test_taken_again(cudaStream_t stream)
{
    cudaMemPool_t pool = new_pool(0);
    cudaStream_t other, apart;
    cudaEvent_t event;
    void *a, *b;

    CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (int n = 0; n < 3; n++)
        CUDA_CHECK(cudaFreeAsync(take(pool, MEGABYTE, stream), stream));
    EXPECT(get(pool, cudaMemPoolAttrUsedMemHigh) == MEGABYTE);
    a = take(pool, MEGABYTE, stream);
    CUDA_CHECK(cudaEventRecord(event, stream));
    CUDA_CHECK(cudaStreamWaitEvent(other, event));
    CUDA_CHECK(cudaFreeAsync(a, other));
    CUDA_CHECK(cudaFreeAsync(take(pool, MEGABYTE, other), other));
    EXPECT(get(pool, cudaMemPoolAttrUsedMemHigh) == MEGABYTE);
    b = take(pool, MEGABYTE, apart); /* which waits for none of them */
    EXPECT(get(pool, cudaMemPoolAttrUsedMemHigh) >= MEGABYTE);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(get(pool, cudaMemPoolAttrUsedMemCurrent) == MEGABYTE);
    CUDA_CHECK(cudaFreeAsync(b, apart));
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(get(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
    CUDA_CHECK(cudaEventDestroy(event));
    CUDA_CHECK(cudaStreamDestroy(apart));
    CUDA_CHECK(cudaStreamDestroy(other));
    CUDA_CHECK(cudaMemPoolDestroy(pool));
}

int main()
{
    cudaStream_t stream;

    CUDA_CHECK(cudaStreamCreate(&stream));
    test_counts(stream);
    test_wait(stream);
    test_largest(stream);
    test_graph_memory(stream);
    test_taken_again(stream);
    CUDA_CHECK(cudaStreamDestroy(stream));
    return passed();
}
