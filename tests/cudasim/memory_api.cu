/*
 * memory_api.cu - the runtime's functions for memory: copies of every shape and direction, fills, symbols, pitched,
 * managed, pinned, registered and stream-ordered memory, and what is known of a pointer.
 */
#include "check.h"

__device__ int numbers[100];
__constant__ float constants[16];
__device__ unsigned char bytes[7];
__managed__ int managed_number = 5;
__managed__ double managed_array[10];

__global__ void increment(int *values, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        values[i] += by;
}

__global__ void read_symbols(float *out)
{
    int i = threadIdx.x;

    out[i] = constants[i % 16] + numbers[i] + bytes[i % 7];
    if (i == 0)
        managed_number *= 2;
    if (i < 10)
        managed_array[i] = i * 1.5;
}

static std::vector<int> count_up(int n, int from)
{
    std::vector<int> values(n);

    for (int i = 0; i < n; i++)
        values[i] = from + i;
    return values;
}

static void test_linear(void)
{
    enum { N = 1003 };
    std::vector<int> in = count_up(N, 7), out(N);
    int *a = device_new<int>(N);
    int *b = device_new<int>(N);

    CUDA_CHECK(cudaMemcpy(a, in.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(b, a, N * sizeof(int), cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaMemcpy(out.data(), b, N * sizeof(int), cudaMemcpyDeviceToHost));
    expect_equal("host-device-device-host", in, out);
    std::fill(out.begin(), out.end(), 0);
    CUDA_CHECK(cudaMemcpy(out.data(), in.data(), N * sizeof(int), cudaMemcpyHostToHost));
    expect_equal("host to host", in, out);
    std::fill(out.begin(), out.end(), 0);
    CUDA_CHECK(cudaMemset(b, 0, N * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(b, in.data(), N * sizeof(int), cudaMemcpyDefault));
    CUDA_CHECK(cudaMemcpy(out.data(), b, N * sizeof(int), cudaMemcpyDefault));
    expect_equal("default", in, out);
    /* parts, not aligned */
    CUDA_CHECK(cudaMemcpy((char *)a + 3, (char *)in.data() + 1, 101, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy((char *)out.data() + 3, (char *)a + 3, 101, cudaMemcpyDeviceToHost));
    EXPECT(memcmp((char *)out.data() + 3, (char *)in.data() + 1, 101) == 0);
    CUDA_CHECK(cudaMemcpy(a, in.data(), 0, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpyPeer(b, 0, a, 0, 400));
    CUDA_CHECK(cudaMemset((char *)b + 5, 0xab, 11));
    std::vector<unsigned char> got = host_copy((unsigned char *)b, 20);

    for (int i = 5; i < 16; i++)
        EXPECT(got[i] == 0xab);
    EXPECT(got[3] == ((unsigned char *)in.data())[1] && got[17] == ((unsigned char *)in.data())[15]);
    device_free(a);
    device_free(b);
    CUDA_CHECK(cudaFree(nullptr));
    void *nothing = (void *)1;

    CUDA_CHECK(cudaMalloc(&nothing, 0));
    CUDA_CHECK(cudaFree(nothing));
}

static void test_pitched(void)
{
    enum { WIDTH = 37, HEIGHT = 11 };
    std::vector<int> in = count_up(WIDTH * HEIGHT, 0), out(WIDTH * HEIGHT);
    char *a, *b;
    size_t pitch_a, pitch_b;

    CUDA_CHECK(cudaMallocPitch((void **)&a, &pitch_a, WIDTH * sizeof(int), HEIGHT));
    CUDA_CHECK(cudaMallocPitch((void **)&b, &pitch_b, (WIDTH + 100) * sizeof(int), HEIGHT));
    EXPECT(pitch_a >= WIDTH * sizeof(int) && pitch_a % 16 == 0);
    CUDA_CHECK(cudaMemset2D(b, pitch_b, 0x11, (WIDTH + 100) * sizeof(int), HEIGHT));
    CUDA_CHECK(cudaMemcpy2D(a, pitch_a, in.data(), WIDTH * sizeof(int), WIDTH * sizeof(int), HEIGHT,
                            cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy2D(b + 8, pitch_b, a, pitch_a, WIDTH * sizeof(int), HEIGHT, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaMemcpy2D(out.data(), WIDTH * sizeof(int), b + 8, pitch_b, WIDTH * sizeof(int), HEIGHT,
                            cudaMemcpyDeviceToHost));
    expect_equal("2D", in, out);
    for (int row = 0; row < HEIGHT; row++) { /* the memory around is unchanged */
        std::vector<unsigned char> edge = host_copy((unsigned char *)b + row * pitch_b, 8);

        expect_equal("edge", std::vector<unsigned char>(8, 0x11), edge);
        edge = host_copy((unsigned char *)b + row * pitch_b + 8 + WIDTH * sizeof(int), 8);
        expect_equal("edge", std::vector<unsigned char>(8, 0x11), edge);
    }
    device_free(a);
    device_free(b);
}

static void test_volume(void)
{
    enum { X = 9, Y = 5, Z = 4 };
    std::vector<int> in = count_up(X * Y * Z, 100), out(X * Y * Z);
    cudaExtent extent = make_cudaExtent(X * sizeof(int), Y, Z);
    cudaPitchedPtr volume;
    cudaMemcpy3DParms parameters = {};

    CUDA_CHECK(cudaMalloc3D(&volume, extent));
    CUDA_CHECK(cudaMemset3D(volume, 0x22, extent));
    parameters.srcPtr = make_cudaPitchedPtr(in.data(), X * sizeof(int), X, Y);
    parameters.dstPtr = volume;
    parameters.extent = extent;
    parameters.kind = cudaMemcpyHostToDevice;
    CUDA_CHECK(cudaMemcpy3D(&parameters));
    parameters.srcPtr = volume;
    parameters.dstPtr = make_cudaPitchedPtr(out.data(), X * sizeof(int), X, Y);
    parameters.kind = cudaMemcpyDeviceToHost;
    CUDA_CHECK(cudaMemcpy3D(&parameters));
    expect_equal("3D", in, out);
    /* a part: 4 x 2 x 2 from (2, 1, 1) to (0, 0, 0) */
    parameters.srcPos = make_cudaPos(2 * sizeof(int), 1, 1);
    parameters.extent = make_cudaExtent(4 * sizeof(int), 2, 2);
    CUDA_CHECK(cudaMemcpy3DAsync(&parameters, 0));
    CUDA_CHECK(cudaStreamSynchronize(0));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 4; x++)
                EXPECT(out[(z * Y + y) * X + x] == in[((z + 1) * Y + y + 1) * X + x + 2]);
    device_free(volume.ptr);
}

static void test_symbols(void)
{
    std::vector<int> in = count_up(100, 1);
    float table[16];
    unsigned char small[7] = {9, 8, 7, 6, 5, 4, 3};
    void *address = nullptr;
    size_t size = 0;

    for (int i = 0; i < 16; i++)
        table[i] = i * 0.25f;
    CUDA_CHECK(cudaMemcpyToSymbol(numbers, in.data(), 50 * sizeof(int)));
    CUDA_CHECK(cudaMemcpyToSymbol(numbers, &in[50], 50 * sizeof(int), 50 * sizeof(int)));
    CUDA_CHECK(cudaMemcpyToSymbol(constants, table, sizeof table));
    CUDA_CHECK(cudaMemcpyToSymbolAsync(bytes, small, sizeof small, 0, cudaMemcpyHostToDevice, 0));
    float *out = device_zeros<float>(100);
    std::vector<float> want(100);

    for (int i = 0; i < 100; i++)
        want[i] = table[i % 16] + in[i] + small[i % 7];
    read_symbols<<<1, 100>>>(out);
    CHECK_KERNEL();
    expect_device("symbols", want, out);
    EXPECT(managed_number == 10);
    for (int i = 0; i < 10; i++)
        EXPECT(managed_array[i] == i * 1.5);
    managed_number = 6;
    read_symbols<<<1, 100>>>(out);
    CHECK_KERNEL();
    EXPECT(managed_number == 12);
    std::vector<int> got(10);

    CUDA_CHECK(cudaMemcpyFromSymbol(got.data(), numbers, 10 * sizeof(int), 20 * sizeof(int)));
    expect_equal("from symbol", count_up(10, 21), got);
    CUDA_CHECK(cudaGetSymbolAddress(&address, numbers));
    CUDA_CHECK(cudaGetSymbolSize(&size, numbers));
    EXPECT(size == 400);
    increment<<<1, 100>>>((int *)address, 100, 1000);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpyFromSymbolAsync(got.data(), numbers, 10 * sizeof(int), 0, cudaMemcpyDeviceToHost, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    expect_equal("by address", count_up(10, 1001), got);
    CUDA_CHECK(cudaGetSymbolSize(&size, constants));
    EXPECT(size == sizeof table);
    device_free(out);
}

static void test_managed(void)
{
    enum { N = 5000 };
    int *values = nullptr;

    CUDA_CHECK(cudaMallocManaged(&values, N * sizeof(int)));
    for (int i = 0; i < N; i++)
        values[i] = i;
    increment<<<(N + 255) / 256, 256>>>(values, N, 3);
    CHECK_KERNEL();
    for (int i = 0; i < N; i++)
        EXPECT(values[i] == i + 3);
    values[17] = 0;
    increment<<<(N + 255) / 256, 256>>>(values, N, 1);
    CHECK_KERNEL();
    EXPECT(values[17] == 1 && values[18] == 22);
    CUDA_CHECK(cudaMemset(values, 0, N * sizeof(int)));
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(values[N - 1] == 0);
    device_free(values);
}

static void test_pinned(void)
{
    enum { N = 777 };
    int *pinned = nullptr, *mapped = nullptr, *view = nullptr;
    unsigned flags = 0;

    CUDA_CHECK(cudaMallocHost((void **)&pinned, N * sizeof(int)));
    CUDA_CHECK(cudaHostAlloc((void **)&mapped, N * sizeof(int), cudaHostAllocMapped));
    CUDA_CHECK(cudaHostGetDevicePointer((void **)&view, mapped, 0));
    CUDA_CHECK(cudaHostGetFlags(&flags, mapped));
    EXPECT(flags & cudaHostAllocMapped);
    for (int i = 0; i < N; i++) {
        pinned[i] = i;
        mapped[i] = 2 * i;
    }
    increment<<<4, 256>>>(view, N, 5);
    CHECK_KERNEL();
    for (int i = 0; i < N; i++)
        EXPECT(mapped[i] == 2 * i + 5);
    int *device = device_zeros<int>(N);

    CUDA_CHECK(cudaMemcpyAsync(device, pinned, N * sizeof(int), cudaMemcpyHostToDevice, 0));
    increment<<<4, 256>>>(device, N, 1);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyAsync(pinned, device, N * sizeof(int), cudaMemcpyDeviceToHost, 0));
    CUDA_CHECK(cudaStreamSynchronize(0));
    for (int i = 0; i < N; i++)
        EXPECT(pinned[i] == i + 1);
    /* memory that was there before */
    std::vector<int> ordinary = count_up(4096, 0);

    CUDA_CHECK(cudaHostRegister(ordinary.data(), ordinary.size() * sizeof(int), cudaHostRegisterMapped));
    CUDA_CHECK(cudaHostGetDevicePointer((void **)&view, ordinary.data(), 0));
    increment<<<16, 256>>>(view, 4096, 9);
    CHECK_KERNEL();
    CUDA_CHECK(cudaHostUnregister(ordinary.data()));
    expect_equal("registered", count_up(4096, 9), ordinary);
    CUDA_CHECK(cudaFreeHost(pinned));
    CUDA_CHECK(cudaFreeHost(mapped));
    device_free(device);
}

static void test_stream_ordered(void)
{
    enum { N = 1000 };
    cudaStream_t stream;
    cudaMemPool_t pool;
    uint64_t threshold = 1 << 20;
    int *a = nullptr, *b = nullptr;
    std::vector<int> in = count_up(N, 0), out(N);

    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    threshold = 0;
    CUDA_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    EXPECT(threshold == 1 << 20);
    for (int round = 0; round < 3; round++) {
        CUDA_CHECK(cudaMallocAsync((void **)&a, N * sizeof(int), stream));
        CUDA_CHECK(cudaMallocAsync((void **)&b, N * sizeof(int), stream));
        CUDA_CHECK(cudaMemcpyAsync(a, in.data(), N * sizeof(int), cudaMemcpyHostToDevice, stream));
        increment<<<4, 256, 0, stream>>>(a, N, round);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpyAsync(b, a, N * sizeof(int), cudaMemcpyDeviceToDevice, stream));
        CUDA_CHECK(cudaMemsetAsync(a, 0xff, N * sizeof(int), stream));
        CUDA_CHECK(cudaMemcpyAsync(out.data(), b, N * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CUDA_CHECK(cudaFreeAsync(a, stream));
        CUDA_CHECK(cudaFreeAsync(b, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        expect_equal("stream ordered", count_up(N, round), out);
    }
    CUDA_CHECK(cudaMemPoolTrimTo(pool, 0));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

static void test_attributes(void)
{
    cudaPointerAttributes attributes;
    int *device = device_zeros<int>(100);
    int *managed = nullptr, *pinned = nullptr;
    int ordinary = 0;
    size_t free_before, free_after, total;

    CUDA_CHECK(cudaMallocManaged(&managed, 4));
    CUDA_CHECK(cudaMallocHost((void **)&pinned, 400));
    CUDA_CHECK(cudaPointerGetAttributes(&attributes, device));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.device == 0);
    EXPECT(attributes.devicePointer == device);
    CUDA_CHECK(cudaPointerGetAttributes(&attributes, device + 99));
    EXPECT(attributes.type == cudaMemoryTypeDevice);
    CUDA_CHECK(cudaPointerGetAttributes(&attributes, managed));
    EXPECT(attributes.type == cudaMemoryTypeManaged);
    CUDA_CHECK(cudaPointerGetAttributes(&attributes, pinned));
    EXPECT(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == pinned);
    CUDA_CHECK(cudaPointerGetAttributes(&attributes, &ordinary));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered);
    CUDA_CHECK(cudaMemGetInfo(&free_before, &total));
    EXPECT(free_before > 0 && free_before <= total);
    char *large = device_new<char>(64 << 20);

    CUDA_CHECK(cudaMemGetInfo(&free_after, &total));
    EXPECT(free_after < free_before);
    device_free(large);
    device_free(device);
    device_free(managed);
    CUDA_CHECK(cudaFreeHost(pinned));
}

static int range_value(enum cudaMemRangeAttribute attribute, const char *at, size_t bytes)
{
    int value = -99;

    CUDA_CHECK(cudaMemRangeGetAttribute(&value, sizeof value, attribute, at, bytes));
    return value;
}

/* Advice for a part of the memory splits it; of several parts, only what they share is a property of all. */
static void test_ranges(void)
{
    const size_t bytes = 1 << 20, half = bytes / 2;
    const struct cudaMemLocation device = {cudaMemLocationTypeDevice, {0}}, host = {cudaMemLocationTypeHost, {0}};
    char *managed = nullptr;
    int by[3];

    CUDA_CHECK(cudaMallocManaged(&managed, bytes));
    EXPECT(range_value(cudaMemRangeAttributeReadMostly, managed, bytes) == 0);
    EXPECT(range_value(cudaMemRangeAttributePreferredLocation, managed, bytes) == cudaInvalidDeviceId);
    CUDA_CHECK(cudaMemAdvise(managed, bytes, cudaMemAdviseSetReadMostly, device));
    CUDA_CHECK(cudaMemAdvise(managed, bytes, cudaMemAdviseSetPreferredLocation, device));
    CUDA_CHECK(cudaMemAdvise(managed, bytes, cudaMemAdviseSetAccessedBy, host));
    CUDA_CHECK(cudaMemPrefetchAsync(managed + half, half, device, 0, 0));
    CUDA_CHECK(cudaMemAdvise(managed, half, cudaMemAdviseUnsetReadMostly, device));
    EXPECT(range_value(cudaMemRangeAttributeReadMostly, managed, bytes) == 0);
    EXPECT(range_value(cudaMemRangeAttributeReadMostly, managed + half, half) == 1);
    EXPECT(range_value(cudaMemRangeAttributePreferredLocation, managed, bytes) == 0);
    EXPECT(range_value(cudaMemRangeAttributePreferredLocationType, managed, 8) == cudaMemLocationTypeDevice);
    EXPECT(range_value(cudaMemRangeAttributeLastPrefetchLocation, managed, bytes) == cudaInvalidDeviceId);
    EXPECT(range_value(cudaMemRangeAttributeLastPrefetchLocation, managed + half, half) == 0);
    CUDA_CHECK(cudaMemRangeGetAttribute(by, sizeof by, cudaMemRangeAttributeAccessedBy, managed, bytes));
    EXPECT(by[0] == cudaCpuDeviceId && by[1] == cudaInvalidDeviceId && by[2] == cudaInvalidDeviceId);
    EXPECT(cudaMemRangeGetAttribute(by, 3, cudaMemRangeAttributeReadMostly, managed, bytes) == cudaErrorInvalidValue);
    EXPECT(cudaMemAdvise(managed, bytes + 1, cudaMemAdviseSetReadMostly, device) == cudaErrorInvalidValue);
    CUDA_CHECK(cudaDeviceSynchronize());
    device_free(managed);
    CUDA_CHECK(cudaMallocManaged(&managed, bytes));
    EXPECT(range_value(cudaMemRangeAttributePreferredLocation, managed, bytes) == cudaInvalidDeviceId);
    device_free(managed);
    cudaGetLastError();
}

int main(void)
{
    test_linear();
    test_pitched();
    test_volume();
    test_symbols();
    test_managed();
    test_pinned();
    test_stream_ordered();
    test_attributes();
    test_ranges();
    return passed();
}
