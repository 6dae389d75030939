/*
 * texture_views.cu - colours of sRGB, and views of arrays: another format, some levels, some layers.
 */
#include "../check.h"

static __global__ void colours(cudaTextureObject_t srgb, cudaTextureObject_t plain, float4 *o)
{
    o[0] = tex2D<float4>(srgb, 0.5f, 0.5f);
    o[1] = tex2D<float4>(plain, 0.5f, 0.5f);
    o[2] = tex2D<float4>(srgb, 1.0f, 0.5f); /* halfway between two texels: light is mixed, not numbers */
}

static __global__ void formats(cudaTextureObject_t words, cudaTextureObject_t level, cudaTextureObject_t layers,
                               float *o)
{
    float4 parts = tex2D<float4>(words, 1, 0); /* 8 bits of an array of 32 are read as floats, as an H200 does */

    o[0] = parts.x * 255, o[1] = parts.y * 255, o[2] = parts.z * 255, o[3] = parts.w * 255;
    o[4] = tex2DLod<float>(level, 0.6f, 0.1f, 0);
    o[5] = tex2DLod<float>(level, 0.6f, 0.1f, 5);
    o[6] = tex1DLayered<float>(layers, 1, 0);
    o[7] = tex1DLayered<float>(layers, 1, 1);
    o[8] = tex1DLayered<float>(layers, 1, 7);
}

static cudaTextureObject_t texture(cudaArray_t array, cudaMipmappedArray_t levels, const cudaTextureDesc &how,
                                   const cudaResourceViewDesc *view)
{
    cudaResourceDesc from = {};
    cudaTextureObject_t made = 0;

    from.resType = levels ? cudaResourceTypeMipmappedArray : cudaResourceTypeArray;
    if (levels)
        from.res.mipmap.mipmap = levels;
    else
        from.res.array.array = array;
    CUDA_CHECK(cudaCreateTextureObject(&made, &from, &how, view));
    return made;
}

/* All values of a channel as they are, and mixed with those beside and below. */
static __global__ void all_values(cudaTextureObject_t point, cudaTextureObject_t linear, float *o)
{
    const int n = threadIdx.x;

    o[n] = tex2D<float4>(point, n + 0.5f, 0.5f).x;
    o[256 + n] = tex2D<float4>(linear, n + 0.5f, 0.5f).x;
    o[512 + n] = tex2D<float4>(linear, n + 1.0f, 0.5f).x;
    o[768 + n] = tex2D<float4>(linear, n + 0.8f, 0.5f).x;
    o[1024 + n] = tex2D<float4>(linear, n + 0.8f, 0.7f).x;
}

static double linear_of(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/*
 * A card gives 8 significant bits, in steps of 2^-14 at least, and here and there the value beside the nearest. The
 * digest is of what an H200 gave: docs/results/srgb-h200.txt.
 */
static void test_all_colours()
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaTextureDesc how = {};
    uchar4 texels[512];
    cudaArray_t array;
    float *o;
    unsigned long long digest = 0xcbf29ce484222325u; /* FNV-1a of the words */
    int nearest = 0;

    for (int n = 0; n < 512; n++)
        texels[n] = make_uchar4((unsigned char)(n < 256 ? n : 37 * n), 0, 0, 0);
    CUDA_CHECK(cudaMallocManaged(&o, 5 * 256 * sizeof *o));
    CUDA_CHECK(cudaMallocArray(&array, &format, 256, 2));
    CUDA_CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, 1024, 1024, 2, cudaMemcpyHostToDevice));
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.readMode = cudaReadModeNormalizedFloat;
    how.sRGB = 1;
    cudaTextureObject_t point = texture(array, nullptr, how, nullptr);
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t linear = texture(array, nullptr, how, nullptr);

    all_values<<<1, 256>>>(point, linear, o);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int n = 1; n < 256; n++) {
        const double light = linear_of(n / 255.0), step = fmax(exp2(floor(log2(light)) - 7), exp2(-14));

        EXPECT(fabs(o[n] - light) < step && fmod(o[n], step) == 0);
        nearest += fabs(o[n] - light) <= step / 2;
    }
    EXPECT(nearest == 255 - 14 && o[0] == 0 && o[255] == 1);
    for (int n = 0; n < 5 * 256; n++)
        digest = (digest ^ ((const unsigned *)o)[n]) * 0x100000001b3u;
    EXPECT(digest == 0x38176965b19aa725u);
    CUDA_CHECK(cudaDestroyTextureObject(point));
    CUDA_CHECK(cudaDestroyTextureObject(linear));
    CUDA_CHECK(cudaFreeArray(array));
    CUDA_CHECK(cudaFree(o));
}

static void test_colours()
{
    const unsigned char texels[8] = { 188, 10, 255, 128, 0, 10, 0, 128 };
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaTextureDesc how = {};
    cudaArray_t array;
    float4 *o;

    CUDA_CHECK(cudaMallocManaged(&o, 3 * sizeof *o));
    CUDA_CHECK(cudaMallocArray(&array, &format, 2, 1));
    CUDA_CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, 8, 8, 1, cudaMemcpyHostToDevice));
    how.readMode = cudaReadModeNormalizedFloat;
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t plain = texture(array, nullptr, how, nullptr);
    how.sRGB = 1;
    cudaTextureObject_t srgb = texture(array, nullptr, how, nullptr);
    colours<<<1, 1>>>(srgb, plain, o);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(o[0].x == 0x1.02p-1f && fabs(o[0].y - linear_of(10 / 255.0)) < 2e-4 && o[0].z == 1);
    EXPECT(fabs(o[0].w - 128 / 255.0) < 1e-4);
    EXPECT(fabs(o[1].x - 188 / 255.0) < 1e-4);
    EXPECT(fabs(o[2].x - linear_of(188 / 255.0) / 2) < 1e-3 && fabs(o[2].z - 0.5) < 1e-3);
    cudaTextureDesc said;
    CUDA_CHECK(cudaGetTextureObjectTextureDesc(&said, srgb));
    EXPECT(said.sRGB == 1);
    CUDA_CHECK(cudaDestroyTextureObject(srgb));
    CUDA_CHECK(cudaDestroyTextureObject(plain));
    CUDA_CHECK(cudaFreeArray(array));
    CUDA_CHECK(cudaFree(o));
}

static void test_views()
{
    const unsigned words[4] = { 1, 0x04030201, 3, 4 };
    const float lines[12] = { 0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23 };
    cudaChannelFormatDesc whole = cudaCreateChannelDesc<unsigned>(), real = cudaCreateChannelDesc<float>();
    cudaTextureDesc how = {}, unit = {};
    cudaResourceViewDesc view = {}, said;
    cudaArray_t array, layers, level;
    cudaMipmappedArray_t levels;
    cudaMemcpy3DParms copy = {};
    float *o;

    CUDA_CHECK(cudaMallocManaged(&o, 16 * sizeof *o));
    CUDA_CHECK(cudaMallocArray(&array, &whole, 4, 1));
    CUDA_CHECK(cudaMemcpy2DToArray(array, 0, 0, words, 16, 16, 1, cudaMemcpyHostToDevice));
    view.format = cudaResViewFormatUnsignedChar4, view.width = 4, view.height = 1;
    cudaTextureObject_t parts = texture(array, nullptr, how, &view);
    CUDA_CHECK(cudaGetTextureObjectResourceViewDesc(&said, parts));
    EXPECT(said.format == view.format && said.width == 4);
    view.format = cudaResViewFormatUnsignedChar2; /* of other bytes */
    cudaResourceDesc from = {};
    cudaTextureObject_t none;
    from.resType = cudaResourceTypeArray, from.res.array.array = array;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaCreateTextureObject(&none, &from, &how, &view));
    view.format = cudaResViewFormatNone; /* an H200 refuses it */
    EXPECT_ERROR(cudaErrorInvalidValue, cudaCreateTextureObject(&none, &from, &how, &view));

    CUDA_CHECK(cudaMallocMipmappedArray(&levels, &real, make_cudaExtent(8, 8, 0), 4));
    for (unsigned n = 0; n < 4; n++) {
        std::vector<float> texels((8 >> n) * (8 >> n), 100.0f * n);
        CUDA_CHECK(cudaGetMipmappedArrayLevel(&level, levels, n));
        CUDA_CHECK(cudaMemcpy2DToArray(level, 0, 0, texels.data(), (8 >> n) * 4, (8 >> n) * 4, 8 >> n,
                                       cudaMemcpyHostToDevice));
    }
    unit.normalizedCoords = 1, unit.maxMipmapLevelClamp = 10;
    view = {}, view.format = cudaResViewFormatFloat1;
    view.width = view.height = 8, view.firstMipmapLevel = 1, view.lastMipmapLevel = 2;
    cudaTextureObject_t middle = texture(nullptr, levels, unit, &view);

    CUDA_CHECK(cudaMalloc3DArray(&layers, &real, make_cudaExtent(4, 0, 3), cudaArrayLayered));
    copy.srcPtr = make_cudaPitchedPtr((void *)lines, 16, 4, 1), copy.dstArray = layers;
    copy.extent = make_cudaExtent(4, 1, 3), copy.kind = cudaMemcpyHostToDevice;
    CUDA_CHECK(cudaMemcpy3D(&copy));
    view = {}, view.format = cudaResViewFormatFloat1;
    view.width = 4, view.depth = 3, view.firstLayer = 1, view.lastLayer = 2;
    cudaTextureObject_t some = texture(layers, nullptr, how, &view);

    formats<<<1, 1>>>(parts, middle, some, o);
    CUDA_CHECK(cudaDeviceSynchronize());
    const float expected[9] = { 1, 2, 3, 4, 100, 200, 11, 21, 21 };
    for (int i = 0; i < 9; i++)
        EXPECT(fabs(o[i] - expected[i]) < 1e-5);
    CUDA_CHECK(cudaDestroyTextureObject(parts));
    CUDA_CHECK(cudaDestroyTextureObject(middle));
    CUDA_CHECK(cudaDestroyTextureObject(some));
    CUDA_CHECK(cudaFreeArray(array));
    CUDA_CHECK(cudaFreeArray(layers));
    CUDA_CHECK(cudaFreeMipmappedArray(levels));
    CUDA_CHECK(cudaFree(o));
}

int main()
{
    test_all_colours();
    test_colours();
    test_views();
    return passed();
}
