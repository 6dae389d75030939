/*
 * textures.cu - texture and surface objects: linear memory, pitched rows, arrays of one to three dimensions, layers,
 * cubes, mipmaps; point and linear filters, address modes, reads as floats; surfaces that are read and written.
 *
 * Texels are small integers and coordinates multiples of 1/256, so that every filtered value is exact in any order.
 */
#include "check.h"

#include <algorithm>

static const int WIDTH = 37, HEIGHT = 19, DEPTH = 7;

template <typename T>
static cudaTextureObject_t texture(const cudaResourceDesc &resource, cudaTextureAddressMode address,
                                   cudaTextureFilterMode filter, cudaTextureReadMode read,
                                   bool normalised)
{
    cudaTextureDesc desc = {};
    cudaTextureObject_t object = 0;

    desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = address;
    desc.filterMode = filter;
    desc.readMode = read;
    desc.normalizedCoords = normalised;
    desc.maxMipmapLevelClamp = 16;
    desc.mipmapFilterMode = filter;
    for (int i = 0; i < 4; i++)
        desc.borderColor[i] = (float)(i + 9);
    CUDA_CHECK(cudaCreateTextureObject(&object, &resource, &desc, nullptr));
    return object;
}

static cudaResourceDesc of_array(cudaArray_t array)
{
    cudaResourceDesc resource = {};

    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

/* ---- the address modes, on the CPU ---- */

static int addressed(int i, int n, cudaTextureAddressMode mode)
{
    if (mode == cudaAddressModeWrap)
        return ((i % n) + n) % n;
    if (mode == cudaAddressModeMirror) {
        i = ((i % (2 * n)) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    }
    if (mode == cudaAddressModeBorder)
        return i < 0 || i >= n ? -1 : i;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

struct image {
    int width, height, depth;
    std::vector<float> texels;

    float at(int x, int y, int z, cudaTextureAddressMode mode) const
    {
        x = addressed(x, width, mode);
        y = addressed(y, height, mode);
        z = addressed(z, depth, mode);
        return x < 0 || y < 0 || z < 0 ? 9.0f : texels[((size_t)z * height + y) * width + x];
    }
};

static image random_image(int width, int height, int depth, uint64_t seed)
{
    image im{width, height, depth, {}};
    rng rng{seed};

    for (int i = 0; i < width * height * depth; i++)
        im.texels.push_back((float)rng_below(&rng, 256));
    return im;
}

/* The shares of two dimensions: halves go to the far texel, and at the nearer x to the nearer y. */
static void divide(int whole, int a, int b, int shares[4])
{
    int far = (whole * a + 128) / 256, near = whole - far;

    shares[0] = (near * (256 - b) + 128) / 256;
    shares[2] = near - shares[0];
    shares[3] = (far * b + 128) / 256;
    shares[1] = far - shares[3];
}

/* `x` in 1/256 of a texel. A card divides the shares of 256 along z, then x, then y, each into whole numbers. */
static float linear(const image &im, int x, int y, int z, int dimensions, cudaTextureAddressMode mode)
{
    int at[3] = {x - 128, y - 128, z - 128}, low[3] = {0, 0, 0}, part[3] = {0, 0, 0};
    int shares[8] = {}, sum = 0;

    for (int d = 0; d < dimensions; d++) {
        int size = d == 0 ? im.width : d == 1 ? im.height : im.depth;

        low[d] = at[d] >> 8;
        part[d] = at[d] & 255;
        if (mode == cudaAddressModeClamp && (low[d] < 0 || low[d] >= size - 1))
            part[d] = 0; /* the coordinate is clamped, not the texels */
    }
    divide(dimensions > 2 ? 256 - part[2] : 256, part[0], part[1], shares);
    divide(dimensions > 2 ? part[2] : 0, part[0], part[1], shares + 4);
    for (int corner = 0; corner < 8; corner++)
        if (shares[corner])
            sum += shares[corner] * (int)im.at(low[0] + (corner & 1), low[1] + (corner >> 1 & 1),
                                               dimensions > 2 ? low[2] + (corner >> 2) : 0, mode);
    return (float)sum / 256;
}

/* ---- linear memory and rows ---- */

__global__ void fetch_linear(cudaTextureObject_t t, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = tex1Dfetch<float>(t, i - 5);
}

static void check_linear_memory()
{
    image im = random_image(WIDTH, 1, 1, 1);
    float *device = device_copy(im.texels), *out = device_zeros<float>(WIDTH + 10);
    cudaResourceDesc resource = {};
    std::vector<float> want;
    cudaTextureObject_t t;

    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = WIDTH * sizeof(float);
    t = texture<float>(resource, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
    fetch_linear<<<1, 64>>>(t, out, WIDTH + 10);
    CHECK_KERNEL();
    for (int i = 0; i < WIDTH + 10; i++)
        want.push_back(i < 5 || i >= WIDTH + 5 ? 0.0f : im.texels[i - 5]);
    expect_device("tex1Dfetch", want, out);
    CUDA_CHECK(cudaDestroyTextureObject(t));
    device_free(device);
    device_free(out);
}

__global__ void fetch_2d(cudaTextureObject_t t, float *out, int count, int step, float scale_x, float scale_y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % count, y = i / count;

    if (y < count)
        out[i] = tex2D<float>(t, (float)(x * step - 1024) / 256 * scale_x, (float)(y * step - 1024) / 256 * scale_y);
}

/* Coordinates from -4 texels on, in steps of 33/256 of one. */
static void check_2d(const image &im, const cudaResourceDesc &resource, bool normalised, cudaTextureAddressMode mode,
                     cudaTextureFilterMode filter)
{
    const int count = 420, step = 33;
    float *out = device_zeros<float>(count * count);
    cudaTextureObject_t t = texture<float>(resource, mode, filter, cudaReadModeElementType, normalised);
    std::vector<float> want;

    fetch_2d<<<(count * count + 255) / 256, 256>>>(t, out, count, step, normalised ? 1.0f / im.width : 1,
                                                   normalised ? 1.0f / im.height : 1);
    CHECK_KERNEL();
    for (int i = 0; i < count * count; i++) {
        int x = i % count * step - 1024, y = i / count * step - 1024;

        want.push_back(filter == cudaFilterModeLinear ? linear(im, x, y, 0, 2, mode)
                                                      : im.at(x >> 8, y >> 8, 0, mode));
    }
    expect_device("tex2D", want, out);
    CUDA_CHECK(cudaDestroyTextureObject(t));
    device_free(out);
}

static void check_rows()
{
    image im = random_image(WIDTH, HEIGHT, 1, 2);
    cudaResourceDesc resource = {};
    size_t pitch;
    float *device;

    CUDA_CHECK(cudaMallocPitch(&device, &pitch, WIDTH * sizeof(float), HEIGHT));
    CUDA_CHECK(cudaMemcpy2D(device, pitch, im.texels.data(), WIDTH * sizeof(float), WIDTH * sizeof(float), HEIGHT,
                            cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = device;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = pitch;
    check_2d(im, resource, false, cudaAddressModeClamp, cudaFilterModePoint);
    check_2d(im, resource, false, cudaAddressModeBorder, cudaFilterModeLinear);
    device_free(device);
}

static cudaArray_t array_2d(const image &im)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array;

    CUDA_CHECK(cudaMallocArray(&array, &desc, im.width, im.height, cudaArrayTextureGather));
    CUDA_CHECK(cudaMemcpy2DToArray(array, 0, 0, im.texels.data(), im.width * sizeof(float), im.width * sizeof(float),
                                   im.height, cudaMemcpyHostToDevice));
    return array;
}

__global__ void gather(cudaTextureObject_t t, float4 *out)
{
    out[threadIdx.x] = tex2Dgather<float4>(t, 3.0f + threadIdx.x, 5.0f, 0);
}

static void check_array_2d()
{
    image im = random_image(32, 16, 1, 3); /* powers of two, so that normalised coordinates are exact */
    cudaArray_t array = array_2d(im);
    cudaResourceDesc resource = of_array(array);
    cudaTextureObject_t t;
    float4 *out = device_zeros<float4>(8);
    std::vector<float4> want;

    check_2d(im, resource, false, cudaAddressModeClamp, cudaFilterModePoint);
    check_2d(im, resource, false, cudaAddressModeClamp, cudaFilterModeLinear);
    check_2d(im, resource, false, cudaAddressModeBorder, cudaFilterModePoint);
    for (cudaTextureAddressMode mode :
         {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder}) {
        check_2d(im, resource, true, mode, cudaFilterModePoint);
        check_2d(im, resource, true, mode, cudaFilterModeLinear);
    }
    t = texture<float>(resource, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
    gather<<<1, 8>>>(t, out);
    CHECK_KERNEL();
    for (int i = 0; i < 8; i++) {
        auto at = [&](int x, int y) { return im.at(x, y, 0, cudaAddressModeClamp); };

        want.push_back(make_float4(at(2 + i, 5), at(3 + i, 5), at(3 + i, 4), at(2 + i, 4)));
    }
    expect_bits("tex2Dgather", want, host_copy(out, 8));
    CUDA_CHECK(cudaDestroyTextureObject(t));
    CUDA_CHECK(cudaFreeArray(array));
    device_free(out);
}

/* ---- three dimensions, layers, cubes ---- */

static cudaArray_t array_3d(const image &im, unsigned flags, int height)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMemcpy3DParms copy = {};
    cudaArray_t array;

    CUDA_CHECK(cudaMalloc3DArray(&array, &desc, make_cudaExtent(im.width, height, im.depth), flags));
    copy.srcPtr = make_cudaPitchedPtr((void *)im.texels.data(), im.width * sizeof(float), im.width, im.height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(im.width, im.height, im.depth);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA_CHECK(cudaMemcpy3D(&copy));
    return array;
}

__global__ void fetch_3d(cudaTextureObject_t t, float *out, int count, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % count, y = i / count % count, z = i / count / count;

    if (z < count)
        out[i] = tex3D<float>(t, (x * step - 300) / 256.0f, (y * step - 300) / 256.0f, (z * step - 300) / 256.0f);
}

static void check_3d(cudaTextureFilterMode filter)
{
    const int count = 24, step = 100;
    image im = random_image(WIDTH, HEIGHT, DEPTH, 4);
    cudaArray_t array = array_3d(im, 0, HEIGHT);
    cudaTextureObject_t t =
        texture<float>(of_array(array), cudaAddressModeClamp, filter, cudaReadModeElementType, false);
    float *out = device_zeros<float>(count * count * count);
    std::vector<float> want;

    fetch_3d<<<(count * count * count + 127) / 128, 128>>>(t, out, count, step);
    CHECK_KERNEL();
    for (int i = 0; i < count * count * count; i++) {
        int x = i % count * step - 300, y = i / count % count * step - 300, z = i / count / count * step - 300;

        want.push_back(filter == cudaFilterModeLinear
                           ? linear(im, x, y, z, 3, cudaAddressModeClamp)
                           : im.at(x >> 8, y >> 8, z >> 8, cudaAddressModeClamp));
    }
    expect_device("tex3D", want, out);
    CUDA_CHECK(cudaDestroyTextureObject(t));
    CUDA_CHECK(cudaFreeArray(array));
    device_free(out);
}

__global__ void fetch_layers(cudaTextureObject_t one, cudaTextureObject_t two, float *out)
{
    int i = threadIdx.x, at = blockIdx.x * 128 + i;

    out[at] = tex1DLayered<float>(one, i + 0.5f, blockIdx.x);
    out[at + 64] = tex2DLayered<float>(two, i + 0.5f, 3.5f, blockIdx.x);
}

/* Layers beyond the last are the last. */
static void check_layers()
{
    image lines = random_image(WIDTH, 1, DEPTH, 5), planes = random_image(WIDTH, HEIGHT, DEPTH, 6);
    cudaArray_t one = array_3d(lines, cudaArrayLayered, 0), two = array_3d(planes, cudaArrayLayered, HEIGHT);
    cudaTextureObject_t t1 = texture<float>(of_array(one), cudaAddressModeClamp, cudaFilterModePoint,
                                            cudaReadModeElementType, false);
    cudaTextureObject_t t2 = texture<float>(of_array(two), cudaAddressModeClamp, cudaFilterModePoint,
                                            cudaReadModeElementType, false);
    float *out = device_zeros<float>(128 * (DEPTH + 2));
    std::vector<float> want(128 * (DEPTH + 2));

    fetch_layers<<<DEPTH + 2, 64>>>(t1, t2, out);
    CHECK_KERNEL();
    for (int layer = 0; layer < DEPTH + 2; layer++)
        for (int i = 0; i < 64; i++) {
            want[128 * layer + i] = lines.at(i, 0, layer, cudaAddressModeClamp);
            want[128 * layer + 64 + i] = planes.at(i, 3, layer, cudaAddressModeClamp);
        }
    expect_device("layers", want, out);
    CUDA_CHECK(cudaDestroyTextureObject(t1));
    CUDA_CHECK(cudaDestroyTextureObject(t2));
    CUDA_CHECK(cudaFreeArray(one));
    CUDA_CHECK(cudaFreeArray(two));
    device_free(out);
}

__global__ void fetch_cube(cudaTextureObject_t t, const float3 *from, float *out)
{
    float3 v = from[threadIdx.x];

    out[threadIdx.x] = texCubemap<float>(t, v.x, v.y, v.z);
}

/* The middle of each face, and a place in it that tells its axes apart. */
static void check_cube()
{
    image im = random_image(4, 4, 6, 7);
    cudaArray_t array = array_3d(im, cudaArrayCubemap, 4);
    cudaTextureObject_t t =
        texture<float>(of_array(array), cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, true);
    std::vector<float3> from;
    std::vector<float> want;
    float *out = device_zeros<float>(32);
    float3 *device;

    for (int face = 0; face < 6; face++)
        for (int n = 0; n < 4; n++) {
            float sign = face % 2 ? -1 : 1, s = (n & 1) ? 0.3f : -0.8f, u = (n & 2) ? 0.7f : -0.2f;

            /* s and u run along the face's rows and columns */
            if (face < 2)
                from.push_back(make_float3(sign, -u, -sign * s));
            else if (face < 4)
                from.push_back(make_float3(s, sign, sign * u));
            else
                from.push_back(make_float3(sign * s, -u, sign));
            want.push_back(im.at((int)((s + 1) * 2), (int)((u + 1) * 2), face, cudaAddressModeClamp));
        }
    device = device_copy(from);
    fetch_cube<<<1, 24>>>(t, device, out);
    CHECK_KERNEL();
    expect_device("texCubemap", want, out);
    CUDA_CHECK(cudaDestroyTextureObject(t));
    CUDA_CHECK(cudaFreeArray(array));
    device_free(device);
    device_free(out);
}

/* ---- mipmaps ---- */

__global__ void fetch_levels(cudaTextureObject_t t, float *out)
{
    int i = threadIdx.x;

    out[i] = tex2DLod<float>(t, 0.5f, 0.5f, i / 4.0f - 1);
    out[i + 32] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2((1 << i % 4) / 16.0f, 0), make_float2(0, 0));
}

/* Level n is all 10 (n + 1). */
static void check_mipmaps(cudaTextureFilterMode filter)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaMipmappedArray_t mipmapped;
    cudaTextureObject_t t;
    float *out = device_zeros<float>(64);
    std::vector<float> want(64);

    CUDA_CHECK(cudaMallocMipmappedArray(&mipmapped, &desc, make_cudaExtent(16, 16, 0), 4));
    for (int level = 0; level < 4; level++) {
        size_t side = 16 >> level;
        std::vector<float> texels(side * side, 10.0f * (level + 1));
        cudaExtent extent;
        cudaArray_t array;

        CUDA_CHECK(cudaGetMipmappedArrayLevel(&array, mipmapped, level));
        CUDA_CHECK(cudaArrayGetInfo(nullptr, &extent, nullptr, array));
        EXPECT(extent.width == side && extent.height == side);
        CUDA_CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), side * sizeof(float), side * sizeof(float), side,
                                       cudaMemcpyHostToDevice));
    }
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmapped;
    t = texture<float>(resource, cudaAddressModeClamp, filter, cudaReadModeElementType, true);
    fetch_levels<<<1, 32>>>(t, out);
    CHECK_KERNEL();
    for (int i = 0; i < 32; i++) {
        double lod = std::min(3.0, std::max(0.0, i / 4.0 - 1));

        want[i] = (float)(filter == cudaFilterModeLinear ? 10 * (lod + 1) : 10 * ((int)(lod + 0.5) + 1));
        want[i + 32] = (float)(10 * (i % 4 + 1));
    }
    if (filter == cudaFilterModePoint) /* half-way between two levels is left open */
        for (int i = 2; i < 32; i += 4)
            want[i] = host_copy(out, 64)[i];
    expect_device("levels", want, out);
    CUDA_CHECK(cudaDestroyTextureObject(t));
    CUDA_CHECK(cudaFreeMipmappedArray(mipmapped));
    device_free(out);
}

/* ---- formats ---- */

template <typename T, typename R> __global__ void fetch_format(cudaTextureObject_t t, R *out)
{
    out[threadIdx.x] = tex1D<R>(t, threadIdx.x + 0.5f);
}

template <typename T, typename R>
static void check_format(const std::vector<T> &texels, const std::vector<R> &want, cudaTextureReadMode read)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    cudaTextureObject_t t;
    cudaArray_t array;
    R *out = device_zeros<R>(texels.size());

    CUDA_CHECK(cudaMallocArray(&array, &desc, texels.size()));
    CUDA_CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), texels.size() * sizeof(T), texels.size() * sizeof(T), 1,
                                   cudaMemcpyHostToDevice));
    t = texture<T>(of_array(array), cudaAddressModeClamp, cudaFilterModePoint, read, false);
    fetch_format<T, R><<<1, (unsigned)texels.size()>>>(t, out);
    CHECK_KERNEL();
    expect_bits("format", want, host_copy(out, want.size()));
    CUDA_CHECK(cudaDestroyTextureObject(t));
    CUDA_CHECK(cudaFreeArray(array));
    device_free(out);
}

static void check_formats()
{
    check_format<unsigned char, unsigned char>({0, 1, 200, 255}, {0, 1, 200, 255}, cudaReadModeElementType);
    check_format<signed char, signed char>({0, -1, -128, 127}, {0, -1, -128, 127}, cudaReadModeElementType);
    check_format<short, short>({0, -1, -32768, 32767}, {0, -1, -32768, 32767}, cudaReadModeElementType);
    check_format<unsigned, unsigned>({0, 1, 0xFFFFFFFFu, 7}, {0, 1, 0xFFFFFFFFu, 7}, cudaReadModeElementType);
    check_format<int2, int2>({{1, -2}, {3, 4}}, {{1, -2}, {3, 4}}, cudaReadModeElementType);
    check_format<float4, float4>({{1, -2, 3.5f, 4}, {5, 6, 7, -8}}, {{1, -2, 3.5f, 4}, {5, 6, 7, -8}},
                                 cudaReadModeElementType);
    check_format<unsigned char, float>({0, 255, 51}, {0, 1, 51 / 255.0f}, cudaReadModeNormalizedFloat);
    check_format<signed char, float>({0, 127, -127, -128}, {0, 1, -1, -1}, cudaReadModeNormalizedFloat);
    check_format<uchar4, float4>({{0, 255, 0, 255}}, {{0, 1, 0, 1}}, cudaReadModeNormalizedFloat);
    check_format<unsigned short, float>({0, 65535}, {0, 1}, cudaReadModeNormalizedFloat);
}

/* ---- surfaces ---- */

__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    uchar4 texel;

    if (x >= width || y >= height)
        return;
    surf2Dread(&texel, from, x * 4, y);
    surf2Dwrite(make_uchar4(texel.w, texel.z, texel.y, texel.x), to, (width - 1 - x) * 4, y);
}

__global__ void outside(cudaSurfaceObject_t s, unsigned *out)
{
    surf2Dwrite(make_uchar4(9, 9, 9, 9), s, -4, 0, cudaBoundaryModeZero);
    surf2Dread(&out[0], s, 4 * 1000, 0, cudaBoundaryModeZero);
    surf2Dread(&out[1], s, 4 * 1000, -3, cudaBoundaryModeClamp);
}

static void check_surfaces()
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar4>();
    std::vector<uchar4> texels, want(WIDTH * HEIGHT), got(WIDTH * HEIGHT);
    cudaArray_t arrays[2];
    cudaSurfaceObject_t surfaces[2];
    unsigned *out = device_zeros<unsigned>(2), corner;
    rng rng{8};

    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        unsigned bits = rng_below(&rng, 1u << 31);

        texels.push_back(make_uchar4(bits & 255, bits >> 8 & 255, bits >> 16 & 255, bits >> 24));
        want[i / WIDTH * WIDTH + WIDTH - 1 - i % WIDTH] =
            make_uchar4(texels[i].w, texels[i].z, texels[i].y, texels[i].x);
    }
    for (int i = 0; i < 2; i++) {
        cudaResourceDesc resource;

        CUDA_CHECK(cudaMallocArray(&arrays[i], &desc, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
        resource = of_array(arrays[i]);
        CUDA_CHECK(cudaCreateSurfaceObject(&surfaces[i], &resource));
    }
    CUDA_CHECK(cudaMemcpy2DToArray(arrays[0], 0, 0, texels.data(), WIDTH * 4, WIDTH * 4, HEIGHT,
                                   cudaMemcpyHostToDevice));
    turn<<<dim3((WIDTH + 15) / 16, (HEIGHT + 7) / 8), dim3(16, 8)>>>(surfaces[0], surfaces[1], WIDTH, HEIGHT);
    CHECK_KERNEL();
    outside<<<1, 1>>>(surfaces[1], out);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy2DFromArray(got.data(), WIDTH * 4, arrays[1], 0, 0, WIDTH * 4, HEIGHT,
                                     cudaMemcpyDeviceToHost));
    expect_bits("surfaces", want, got);
    memcpy(&corner, &want[WIDTH - 1], 4);
    expect_device("outside", std::vector<unsigned>{0, corner}, out);
    for (int i = 0; i < 2; i++) {
        CUDA_CHECK(cudaDestroySurfaceObject(surfaces[i]));
        CUDA_CHECK(cudaFreeArray(arrays[i]));
    }
    device_free(out);
}

/* ---- copies from array to array, and refused copies ---- */

static void check_copies()
{
    image im = random_image(WIDTH, HEIGHT, 1, 9);
    cudaArray_t from = array_2d(im), to = array_2d(random_image(WIDTH, HEIGHT, 1, 10));
    std::vector<float> got(WIDTH * HEIGHT);
    cudaChannelFormatDesc desc, three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
    cudaResourceDesc resource = of_array(from);
    cudaTextureDesc plain = {};
    cudaTextureObject_t t;
    cudaArray_t none;

    CUDA_CHECK(cudaMemcpy2DArrayToArray(to, 0, 0, from, 0, 0, WIDTH * sizeof(float), HEIGHT,
                                        cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaMemcpy2DFromArray(got.data(), WIDTH * sizeof(float), to, 0, 0, WIDTH * sizeof(float), HEIGHT,
                                     cudaMemcpyDeviceToHost));
    expect_equal("copied", im.texels, got);
    CUDA_CHECK(cudaGetChannelDesc(&desc, from));
    EXPECT(desc.x == 32 && desc.y == 0 && desc.f == cudaChannelFormatKindFloat);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy2DToArray(to, 4, 0, im.texels.data(), WIDTH * sizeof(float),
                                                            WIDTH * sizeof(float), HEIGHT, cudaMemcpyHostToDevice));
    EXPECT(cudaMallocArray(&none, &three, 8, 8) != cudaSuccess);
    (void)cudaGetLastError();
    CUDA_CHECK(cudaCreateTextureObject(&t, &resource, &plain, nullptr));
    CUDA_CHECK(cudaGetTextureObjectResourceDesc(&resource, t));
    EXPECT(resource.res.array.array == from);
    CUDA_CHECK(cudaDestroyTextureObject(t));
    CUDA_CHECK(cudaFreeArray(from));
    CUDA_CHECK(cudaFreeArray(to));
}

int main()
{
    check_linear_memory();
    check_rows();
    check_array_2d();
    check_3d(cudaFilterModePoint);
    check_3d(cudaFilterModeLinear);
    check_layers();
    check_cube();
    check_mipmaps(cudaFilterModePoint);
    check_mipmaps(cudaFilterModeLinear);
    check_formats();
    check_surfaces();
    check_copies();
    return passed();
}
