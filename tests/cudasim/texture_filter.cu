/*
 * texture_filter.cu - prints hashes of linearly filtered fetches at random places: dimensions, formats, ranges of
 * values, coordinates in texels and from 0 to 1. The file beside it has what an H200 prints.
 *
 * With --all it also prints those in which some fetches of the simulator differ by the last bit.
 */
#include "check.h"

#include <algorithm>
#include <cuda_fp16.h>

static const int SIZE = 32, PLACES = 1 << 15;
static bool print_all;

template <int DIMENSIONS> __global__ void fetch(cudaTextureObject_t t, const float3 *at, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float3 p = at[i];

    out[i] = DIMENSIONS == 1   ? tex1D<float>(t, p.x)
             : DIMENSIONS == 2 ? tex2D<float>(t, p.x, p.y)
                               : tex3D<float>(t, p.x, p.y, p.z);
}

__global__ void fetch_level(cudaTextureObject_t t, const float3 *at, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = tex2DLod<float>(t, at[i].x / 32, at[i].y / 32, at[i].z / 8);
}

static uint64_t hash(const std::vector<float> &values)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (float x : values) {
        uint32_t word;

        memcpy(&word, &x, 4);
        h = (h ^ word) * 0x100000001b3u;
    }
    return h;
}

/* From 2^-range to 2^range and both signs; without a range from 1 to 2. */
static float random_float(rng *r, int range)
{
    float x = (float)(1 + rng_unit(r));

    return range ? ldexpf(rng_below(r, 2) ? x : -x, (int)rng_below(r, 2 * range) - range) : x;
}

template <typename T> static std::vector<T> texels(int count, int range, uint64_t seed)
{
    rng r{seed};
    std::vector<T> v(count);

    for (T &x : v)
        if constexpr (std::is_integral_v<T>)
            x = (T)rng_next(&r);
        else
            x = (T)random_float(&r, range);
    return v;
}

template <typename T>
static cudaArray_t array_of(const std::vector<T> &v, const cudaChannelFormatDesc &desc, int dimensions)
{
    cudaMemcpy3DParms copy = {};
    cudaArray_t array;
    int height = dimensions > 1 ? SIZE : 0, depth = dimensions > 2 ? SIZE : 0;

    CUDA_CHECK(cudaMalloc3DArray(&array, &desc, make_cudaExtent(SIZE, height, depth)));
    copy.srcPtr = make_cudaPitchedPtr((void *)v.data(), SIZE * sizeof(T), SIZE, std::max(height, 1));
    copy.dstArray = array;
    copy.extent = make_cudaExtent(SIZE, std::max(height, 1), std::max(depth, 1));
    copy.kind = cudaMemcpyHostToDevice;
    CUDA_CHECK(cudaMemcpy3D(&copy));
    return array;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource, bool integers, bool normalised)
{
    cudaTextureDesc desc = {};
    cudaTextureObject_t t;

    std::fill(desc.addressMode, desc.addressMode + 3, normalised ? cudaAddressModeWrap : cudaAddressModeClamp);
    desc.filterMode = desc.mipmapFilterMode = cudaFilterModeLinear;
    desc.readMode = integers ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    desc.normalizedCoords = normalised;
    desc.maxMipmapLevelClamp = 8;
    CUDA_CHECK(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    return t;
}

/* Places from -2 texels to 2 beyond the end; of 24 bits, or multiples of 1/256. */
static std::vector<float3> places(bool fine, float scale, uint64_t seed)
{
    rng r{seed};
    std::vector<float3> at(PLACES);
    auto one = [&] {
        return (fine ? (float)(rng_unit(&r) * 36 - 2) : (int)rng_below(&r, 36 * 256) / 256.0f - 2) * scale;
    };

    for (float3 &p : at) {
        p.x = one();
        p.y = one();
        p.z = one();
    }
    return at;
}

template <typename T>
static void print_hash(const char *name, const cudaChannelFormatDesc &desc, int dimensions, int range, bool fine,
                       bool normalised)
{
    int count = dimensions == 1 ? SIZE : dimensions == 2 ? SIZE * SIZE : SIZE * SIZE * SIZE;
    std::vector<T> v = texels<T>(count, range, 11);
    cudaArray_t array = array_of(v, desc, dimensions);
    cudaResourceDesc resource = {};
    std::vector<float3> at = places(fine, normalised ? 1.0f / SIZE : 1, 5);
    float3 *device = device_copy(at);
    float *out = device_zeros<float>(PLACES);
    cudaTextureObject_t t;

    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    t = texture_of(resource, std::is_integral_v<T>, normalised);
    if (dimensions == 1)
        fetch<1><<<PLACES / 256, 256>>>(t, device, out);
    else if (dimensions == 2)
        fetch<2><<<PLACES / 256, 256>>>(t, device, out);
    else
        fetch<3><<<PLACES / 256, 256>>>(t, device, out);
    CHECK_KERNEL();
    printf("%s %dD range %d%s%s %016llx\n", name, dimensions, range, fine ? " fine" : "",
           normalised ? " normalised" : "", (unsigned long long)hash(host_copy(out, PLACES)));
    CUDA_CHECK(cudaDestroyTextureObject(t));
    CUDA_CHECK(cudaFreeArray(array));
    device_free(device);
    device_free(out);
}

template <typename T>
static void print_format(const char *name, const cudaChannelFormatDesc &desc, std::vector<int> ranges)
{
    for (int dimensions = 1; dimensions <= 3; dimensions++)
        for (int range : ranges) {
            if (dimensions == 3 && !print_all && range)
                continue;
            print_hash<T>(name, desc, dimensions, range, false, false);
            print_hash<T>(name, desc, dimensions, range, true, false);
            print_hash<T>(name, desc, dimensions, range, false, true);
        }
}

/* Between levels of a mipmap. */
static void print_levels(int range)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap;
    cudaResourceDesc resource = {};
    std::vector<float3> at = places(false, 1, 6);
    float3 *device = device_copy(at);
    float *out = device_zeros<float>(PLACES);
    cudaTextureObject_t t;

    CUDA_CHECK(cudaMallocMipmappedArray(&mipmap, &desc, make_cudaExtent(SIZE, SIZE, 0), 5));
    for (int level = 0; level < 5; level++) {
        int size = SIZE >> level;
        std::vector<float> v = texels<float>(size * size, range, 20 + level);
        cudaArray_t array;

        CUDA_CHECK(cudaGetMipmappedArrayLevel(&array, mipmap, level));
        CUDA_CHECK(cudaMemcpy2DToArray(array, 0, 0, v.data(), size * 4, size * 4, size, cudaMemcpyHostToDevice));
    }
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    t = texture_of(resource, false, true);
    fetch_level<<<PLACES / 256, 256>>>(t, device, out);
    CHECK_KERNEL();
    printf("levels range %d %016llx\n", range, (unsigned long long)hash(host_copy(out, PLACES)));
    CUDA_CHECK(cudaDestroyTextureObject(t));
    CUDA_CHECK(cudaFreeMipmappedArray(mipmap));
    device_free(device);
    device_free(out);
}

int main(int argc, char **argv)
{
    print_all = argc > 1 && !strcmp(argv[1], "--all");
    print_format<float>("float", cudaCreateChannelDesc<float>(), {0, 4, 20, 60});
    print_format<__half>("half", cudaCreateChannelDescHalf(), {0, 4, 12});
    print_format<unsigned char>("u8", cudaCreateChannelDesc<unsigned char>(), {0});
    print_format<unsigned short>("u16", cudaCreateChannelDesc<unsigned short>(), {0});
    print_format<short>("s16", cudaCreateChannelDesc<short>(), {0});
    print_levels(0);
    if (print_all) {
        print_format<signed char>("s8", cudaCreateChannelDesc<signed char>(), {0});
        print_levels(4);
    }
    return passed();
}
