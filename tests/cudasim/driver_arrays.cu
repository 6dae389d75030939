// flags: -lcuda
/*
 * driver_arrays.cu - arrays, mipmapped arrays, texture and surface objects by the driver API: made, described, copied
 * in all directions, read and written by kernels.
 */
#include <cuda.h>

#include "check.h"

static void check_driver(CUresult want, CUresult got, const char *call, int line)
{
    const char *name = "?", *expected = "?";

    if (got == want)
        return;
    cuGetErrorName(got, &name);
    cuGetErrorName(want, &expected);
    printf("driver_arrays.cu:%d: %s: want %s, got %s\n", line, call, expected, name);
    exit(1);
}

#define DRIVER(call) check_driver(CUDA_SUCCESS, (call), #call, __LINE__)
#define DRIVER_ERROR(error, call) check_driver((error), (call), #call, __LINE__)

enum { WIDTH = 40, HEIGHT = 12, DEPTH = 3 };

__global__ void read_plane(cudaTextureObject_t texture, float *out, float scale_x, float scale_y)
{
    int x = threadIdx.x, y = threadIdx.y;

    out[y * WIDTH + x] = tex2D<float>(texture, (x + 0.5f) * scale_x, (y + 0.5f) * scale_y);
}

__global__ void read_bytes(cudaTextureObject_t texture, float *reals)
{
    reals[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}

__global__ void read_words(cudaTextureObject_t texture, unsigned *words)
{
    words[threadIdx.x] = tex1Dfetch<unsigned>(texture, threadIdx.x);
}

__global__ void read_level(cudaTextureObject_t texture, float *out, float level)
{
    out[threadIdx.x] = tex2DLod<float>(texture, (threadIdx.x + 0.5f) / 4, 0.5f, level);
}

__global__ void double_surface(cudaSurfaceObject_t surface)
{
    int2 pair = surf2Dread<int2>(surface, threadIdx.x * sizeof(int2), threadIdx.y);

    surf2Dwrite(make_int2(pair.x * 2, pair.y + 1), surface, threadIdx.x * sizeof(int2), threadIdx.y);
}

static std::vector<float> numbers(size_t count, float first)
{
    std::vector<float> values(count);

    for (size_t i = 0; i < count; i++)
        values[i] = first + (float)i;
    return values;
}

static CUarray new_array(size_t width, size_t height, size_t depth, CUarray_format format, unsigned channels,
                         unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR want = {}, got = {};
    CUarray array;

    want.Width = width;
    want.Height = height;
    want.Depth = depth;
    want.Format = format;
    want.NumChannels = channels;
    want.Flags = flags;
    DRIVER(cuArray3DCreate(&array, &want));
    DRIVER(cuArray3DGetDescriptor(&got, array));
    EXPECT(got.Width == width && got.Height == height && got.Depth == depth && got.Format == format &&
           got.NumChannels == channels && got.Flags == flags);
    return array;
}

/* Every format keeps its name; wrong ones are refused. */
static void describe(void)
{
    static const struct {
        CUarray_format format;
        unsigned channels;
    } formats[] = { { CU_AD_FORMAT_UNSIGNED_INT8, 4 }, { CU_AD_FORMAT_UNSIGNED_INT16, 2 },
                    { CU_AD_FORMAT_UNSIGNED_INT32, 1 }, { CU_AD_FORMAT_SIGNED_INT8, 1 },
                    { CU_AD_FORMAT_SIGNED_INT16, 4 }, { CU_AD_FORMAT_SIGNED_INT32, 2 }, { CU_AD_FORMAT_HALF, 2 },
                    { CU_AD_FORMAT_FLOAT, 4 }, { CU_AD_FORMAT_UNORM_INT8X2, 2 }, { CU_AD_FORMAT_SNORM_INT16X4, 4 } };
    CUDA_ARRAY_DESCRIPTOR plane = {}, got = {};
    CUDA_ARRAY_MEMORY_REQUIREMENTS needs = {};
    CUarray array;

    for (const auto &f : formats)
        DRIVER(cuArrayDestroy(new_array(8, 4, 0, f.format, f.channels, 0)));
    plane.Width = WIDTH;
    plane.Height = HEIGHT;
    plane.Format = CU_AD_FORMAT_FLOAT;
    plane.NumChannels = 3;
    DRIVER_ERROR(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&array, &plane));
    plane.NumChannels = 2;
    DRIVER(cuArrayCreate(&array, &plane));
    DRIVER(cuArrayGetDescriptor(&got, array));
    EXPECT(got.Width == WIDTH && got.Height == HEIGHT && got.Format == CU_AD_FORMAT_FLOAT && got.NumChannels == 2);
    DRIVER_ERROR(CUDA_ERROR_INVALID_VALUE, cuArrayGetMemoryRequirements(&needs, array, 0)); /* its memory is there */
    DRIVER(cuArrayDestroy(array));
    DRIVER_ERROR(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(NULL));
}

/* Rows: host, device and arrays, in each direction, at offsets in bytes. */
static void copy_rows(CUstream stream)
{
    std::vector<float> values = numbers(WIDTH, 1), back(WIDTH), want;
    CUarray one = new_array(WIDTH, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    CUarray two = new_array(WIDTH, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    size_t bytes = WIDTH * sizeof(float);
    CUdeviceptr device;

    DRIVER(cuMemAlloc(&device, bytes));
    DRIVER(cuMemcpyHtoA(one, 0, values.data(), bytes));
    DRIVER(cuMemcpyAtoH(back.data(), one, 0, bytes));
    expect_equal("AtoH", values, back);
    DRIVER(cuMemcpyAtoA(two, 0, one, 0, bytes));
    DRIVER(cuMemcpyAtoA(two, 8, one, 0, 16)); /* 1 2 1 2 3 4 7 ... */
    DRIVER(cuMemcpyAtoD(device, two, 0, bytes));
    DRIVER(cuMemcpyDtoA(one, 0, device, bytes));
    DRIVER(cuCtxSynchronize()); /* the host does not wait for a copy within the device */
    DRIVER(cuMemcpyAtoHAsync(back.data(), one, 0, bytes, stream));
    DRIVER(cuStreamSynchronize(stream));
    want = values;
    for (int i = 0; i < 4; i++)
        want[2 + i] = values[i];
    expect_equal("a part", want, back);
    DRIVER(cuMemcpyHtoAAsync(one, bytes - 4, values.data(), 4, stream));
    DRIVER(cuStreamSynchronize(stream));
    DRIVER(cuMemcpyAtoH(back.data(), one, bytes - 8, 8));
    EXPECT(back[0] == want[WIDTH - 2] && back[1] == 1);
    DRIVER_ERROR(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA(one, 4, values.data(), bytes));
    DRIVER(cuArrayDestroy(one));
    DRIVER(cuArrayDestroy(two));
    DRIVER(cuMemFree(device));
}

/* A box goes host -> array -> device -> host; one plane comes back alone. */
static void copy_boxes(CUstream stream)
{
    std::vector<float> values = numbers(WIDTH * HEIGHT * DEPTH, 3), back(values.size()), plane(WIDTH * HEIGHT);
    CUarray array = new_array(WIDTH, HEIGHT, DEPTH, CU_AD_FORMAT_FLOAT, 1, 0);
    CUDA_MEMCPY3D box = {};
    CUDA_MEMCPY3D_PEER peer = {};
    CUdeviceptr device;

    DRIVER(cuMemAlloc(&device, values.size() * sizeof(float)));
    box.srcMemoryType = CU_MEMORYTYPE_HOST;
    box.srcHost = values.data();
    box.srcPitch = WIDTH * sizeof(float);
    box.srcHeight = HEIGHT;
    box.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    box.dstArray = array;
    box.WidthInBytes = WIDTH * sizeof(float);
    box.Height = HEIGHT;
    box.Depth = DEPTH;
    DRIVER(cuMemcpy3D(&box));
    peer.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    peer.srcArray = array;
    peer.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    peer.dstDevice = device;
    peer.dstPitch = WIDTH * sizeof(float);
    peer.dstHeight = HEIGHT;
    peer.WidthInBytes = WIDTH * sizeof(float);
    peer.Height = HEIGHT;
    peer.Depth = DEPTH;
    DRIVER(cuMemcpy3DPeerAsync(&peer, stream));
    DRIVER(cuStreamSynchronize(stream));
    DRIVER(cuMemcpyDtoH(back.data(), device, values.size() * sizeof(float)));
    expect_equal("box", values, back);
    box = {};
    box.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    box.srcArray = array;
    box.srcZ = 2;
    box.dstMemoryType = CU_MEMORYTYPE_HOST;
    box.dstHost = plane.data();
    box.dstPitch = WIDTH * sizeof(float);
    box.dstHeight = HEIGHT;
    box.WidthInBytes = WIDTH * sizeof(float);
    box.Height = HEIGHT;
    box.Depth = 1;
    DRIVER(cuMemcpy3D(&box));
    expect_equal("plane", std::vector<float>(values.begin() + 2 * WIDTH * HEIGHT, values.end()), plane);
    DRIVER(cuArrayDestroy(array));
    DRIVER(cuMemFree(device));
}

static CUDA_TEXTURE_DESC clamped(unsigned flags, CUfilter_mode filter)
{
    CUDA_TEXTURE_DESC how = {};

    for (CUaddress_mode &mode : how.addressMode)
        mode = CU_TR_ADDRESS_MODE_CLAMP;
    how.filterMode = filter;
    how.flags = flags;
    return how;
}

static void texture_of_array(void)
{
    std::vector<float> values = numbers(WIDTH * HEIGHT, 5);
    CUarray array = new_array(WIDTH, HEIGHT, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    CUDA_MEMCPY2D plane = {};
    CUDA_RESOURCE_DESC what = {}, got = {};
    CUDA_TEXTURE_DESC how = clamped(CU_TRSF_NORMALIZED_COORDINATES, CU_TR_FILTER_MODE_POINT), told = {};
    CUDA_RESOURCE_VIEW_DESC view;
    CUtexObject texture;
    float *out = device_zeros<float>(values.size());

    plane.srcMemoryType = CU_MEMORYTYPE_HOST;
    plane.srcHost = values.data();
    plane.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    plane.dstArray = array;
    plane.WidthInBytes = WIDTH * sizeof(float);
    plane.Height = HEIGHT;
    DRIVER(cuMemcpy2D(&plane));
    what.resType = CU_RESOURCE_TYPE_ARRAY;
    what.res.array.hArray = array;
    how.borderColor[2] = 7;
    DRIVER(cuTexObjectCreate(&texture, &what, &how, NULL));
    DRIVER(cuTexObjectGetResourceDesc(&got, texture));
    EXPECT(got.resType == CU_RESOURCE_TYPE_ARRAY && got.res.array.hArray == array);
    DRIVER(cuTexObjectGetTextureDesc(&told, texture));
    EXPECT(told.flags == CU_TRSF_NORMALIZED_COORDINATES && told.addressMode[1] == CU_TR_ADDRESS_MODE_CLAMP &&
           told.filterMode == CU_TR_FILTER_MODE_POINT);
    DRIVER(cuTexObjectGetResourceViewDesc(&view, texture)); /* without a view, one of zeros */
    EXPECT(!view.width);
    read_plane<<<1, dim3(WIDTH, HEIGHT)>>>(texture, out, 1.0f / WIDTH, 1.0f / HEIGHT);
    CHECK_KERNEL();
    expect_device("texture of an array", values, out);
    DRIVER(cuTexObjectDestroy(texture));
    DRIVER_ERROR(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetResourceDesc(&got, texture));
    what.flags = 1;
    DRIVER_ERROR(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, &what, &how, NULL));
    device_free(out);
    DRIVER(cuArrayDestroy(array));
}

__global__ void read_parts(cudaTextureObject_t texture, uint4 *out)
{
    *out = tex2D<uint4>(texture, 1.5f, 0.5f);
}

/* Bytes of an array of words, by a view: the flag says how they are read, whatever the array's own texels are. */
static void view_of_array(void)
{
    std::vector<unsigned> words = { 0, 0x04030201 };
    CUarray array = new_array(2, 1, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
    CUDA_MEMCPY2D plane = {};
    CUDA_RESOURCE_DESC what = {};
    CUDA_RESOURCE_VIEW_DESC view = {};
    CUtexObject texture;
    uint4 *out = device_zeros<uint4>(1);

    plane.srcMemoryType = CU_MEMORYTYPE_HOST, plane.srcHost = words.data();
    plane.dstMemoryType = CU_MEMORYTYPE_ARRAY, plane.dstArray = array;
    plane.WidthInBytes = 8, plane.Height = 1;
    DRIVER(cuMemcpy2D(&plane));
    what.resType = CU_RESOURCE_TYPE_ARRAY, what.res.array.hArray = array;
    view.format = CU_RES_VIEW_FORMAT_UINT_4X8, view.width = 2, view.height = 1;
    for (unsigned flag : { 0u, (unsigned)CU_TRSF_READ_AS_INTEGER }) {
        CUDA_TEXTURE_DESC how = clamped(flag, CU_TR_FILTER_MODE_POINT), told = {};

        DRIVER(cuTexObjectCreate(&texture, &what, &how, &view));
        DRIVER(cuTexObjectGetTextureDesc(&told, texture));
        EXPECT(told.flags == flag);
        read_parts<<<1, 1>>>(texture, out);
        CHECK_KERNEL();
        uint4 got = host_copy(out, 1)[0];
        float first = 1 / 255.0f;
        EXPECT(flag ? got.x == 1 && got.w == 4 : memcmp(&got.x, &first, sizeof first) == 0);
        DRIVER(cuTexObjectDestroy(texture));
    }
    device_free(out);
    DRIVER(cuArrayDestroy(array));
}

/* Bytes are read as reals from 0 to 1 unless the flags say otherwise; 32-bit integers never are. */
static void texture_of_memory(void)
{
    std::vector<unsigned char> bytes = { 0, 51, 102, 255 };
    std::vector<unsigned> words = { 0, 1, 0xFFFFFFFFu, 77 };
    unsigned char *memory = device_copy(bytes);
    unsigned *whole = device_copy(words), *out = device_zeros<unsigned>(4);
    float *reals = device_zeros<float>(4);
    CUDA_RESOURCE_DESC what = {}, got = {};
    CUDA_TEXTURE_DESC how = clamped(0, CU_TR_FILTER_MODE_POINT);
    CUtexObject texture;
    size_t width;

    what.resType = CU_RESOURCE_TYPE_LINEAR;
    what.res.linear.devPtr = (CUdeviceptr)memory;
    what.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT8;
    what.res.linear.numChannels = 1;
    what.res.linear.sizeInBytes = bytes.size();
    DRIVER(cuTexObjectCreate(&texture, &what, &how, NULL));
    DRIVER(cuTexObjectGetResourceDesc(&got, texture));
    EXPECT(got.res.linear.format == CU_AD_FORMAT_UNSIGNED_INT8 && got.res.linear.sizeInBytes == 4);
    read_bytes<<<1, 4>>>(texture, reals);
    CHECK_KERNEL();
    expect_device("bytes as reals", std::vector<float>{ 0, 51 / 255.0f, 102 / 255.0f, 1 }, reals);
    DRIVER(cuTexObjectDestroy(texture));
    how.flags = CU_TRSF_READ_AS_INTEGER;
    DRIVER(cuTexObjectCreate(&texture, &what, &how, NULL));
    read_words<<<1, 4>>>(texture, out);
    CHECK_KERNEL();
    expect_device("bytes", std::vector<unsigned>{ 0, 51, 102, 255 }, out);
    DRIVER(cuTexObjectDestroy(texture));
    how.flags = 0;
    what.res.linear.devPtr = (CUdeviceptr)whole;
    what.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT32;
    what.res.linear.sizeInBytes = words.size() * sizeof(unsigned);
    DRIVER(cuTexObjectCreate(&texture, &what, &how, NULL));
    read_words<<<1, 4>>>(texture, out);
    CHECK_KERNEL();
    expect_device("words", words, out);
    DRIVER(cuTexObjectDestroy(texture));
    DRIVER(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 4, 0));
    EXPECT(width >= 1 << 20);
    device_free(memory);
    device_free(whole);
    device_free(out);
    device_free(reals);
}

static void mipmaps(void)
{
    CUDA_ARRAY3D_DESCRIPTOR want = {}, got = {};
    CUmipmappedArray mipmapped;
    CUarray level;
    CUDA_RESOURCE_DESC what = {};
    CUDA_TEXTURE_DESC how = clamped(CU_TRSF_NORMALIZED_COORDINATES, CU_TR_FILTER_MODE_POINT);
    CUtexObject texture;
    float *out = device_zeros<float>(4);

    want.Width = 4;
    want.Height = 4;
    want.Format = CU_AD_FORMAT_FLOAT;
    want.NumChannels = 1;
    DRIVER(cuMipmappedArrayCreate(&mipmapped, &want, 3));
    for (unsigned n = 0; n < 3; n++) {
        std::vector<float> values = numbers((4 >> n) * (4 >> n), 100.0f * n);
        CUDA_MEMCPY2D plane = {};

        DRIVER(cuMipmappedArrayGetLevel(&level, mipmapped, n));
        DRIVER(cuArray3DGetDescriptor(&got, level));
        EXPECT(got.Width == 4u >> n && got.Height == 4u >> n);
        plane.srcMemoryType = CU_MEMORYTYPE_HOST;
        plane.srcHost = values.data();
        plane.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        plane.dstArray = level;
        plane.WidthInBytes = (4 >> n) * sizeof(float);
        plane.Height = 4 >> n;
        DRIVER(cuMemcpy2D(&plane));
    }
    DRIVER_ERROR(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(&level, mipmapped, 3));
    what.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    what.res.mipmap.hMipmappedArray = mipmapped;
    how.maxMipmapLevelClamp = 2;
    DRIVER(cuTexObjectCreate(&texture, &what, &how, NULL));
    read_level<<<1, 4>>>(texture, out, 0);
    CHECK_KERNEL();
    expect_device("level 0", std::vector<float>{ 8, 9, 10, 11 }, out);
    read_level<<<1, 4>>>(texture, out, 1);
    CHECK_KERNEL();
    expect_device("level 1", std::vector<float>{ 102, 102, 103, 103 }, out);
    DRIVER(cuTexObjectDestroy(texture));
    DRIVER(cuMipmappedArrayDestroy(mipmapped));
    DRIVER_ERROR(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayDestroy(NULL));
    device_free(out);
}

static void surfaces(void)
{
    std::vector<int> values(8 * 4 * 2), back(values.size()), twice;
    CUarray array = new_array(8, 4, 0, CU_AD_FORMAT_SIGNED_INT32, 2, CUDA_ARRAY3D_SURFACE_LDST);
    CUarray plain = new_array(8, 4, 0, CU_AD_FORMAT_SIGNED_INT32, 2, 0);
    CUDA_MEMCPY2D plane = {};
    CUDA_RESOURCE_DESC what = {}, got = {};
    CUsurfObject surface;

    for (size_t i = 0; i < values.size(); i++) {
        values[i] = (int)i;
        twice.push_back(i % 2 ? (int)i + 1 : (int)i * 2);
    }
    plane.srcMemoryType = CU_MEMORYTYPE_HOST;
    plane.srcHost = values.data();
    plane.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    plane.dstArray = array;
    plane.WidthInBytes = 8 * sizeof(int2);
    plane.Height = 4;
    DRIVER(cuMemcpy2DUnaligned(&plane));
    what.resType = CU_RESOURCE_TYPE_ARRAY;
    what.res.array.hArray = array;
    DRIVER(cuSurfObjectCreate(&surface, &what));
    DRIVER(cuSurfObjectGetResourceDesc(&got, surface));
    EXPECT(got.res.array.hArray == array);
    double_surface<<<1, dim3(8, 4)>>>(surface);
    CHECK_KERNEL();
    plane = {};
    plane.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    plane.srcArray = array;
    plane.dstMemoryType = CU_MEMORYTYPE_HOST;
    plane.dstHost = back.data();
    plane.WidthInBytes = 8 * sizeof(int2);
    plane.Height = 4;
    DRIVER(cuMemcpy2D(&plane));
    expect_equal("surface", twice, back);
    DRIVER(cuSurfObjectDestroy(surface));
    DRIVER(cuArrayDestroy(array));
    DRIVER(cuArrayDestroy(plain));
}

int main(void)
{
    CUcontext context;
    CUdevice device;
    CUstream stream;

    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuDevicePrimaryCtxRetain(&context, device));
    DRIVER(cuCtxSetCurrent(context));
    DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    describe();
    copy_rows(stream);
    copy_boxes(stream);
    texture_of_array();
    view_of_array();
    texture_of_memory();
    mipmaps();
    surfaces();
    DRIVER(cuStreamDestroy(stream));
    DRIVER(cuDevicePrimaryCtxRelease(device));
    return passed();
}
