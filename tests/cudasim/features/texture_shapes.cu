/*
 * texture_shapes.cu - cubes, layers of cubes and lines, gathers, levels of detail, surfaces of layers and volumes.
 */
#include "../check.h"

static __global__ void read(cudaTextureObject_t cube, cudaTextureObject_t lines, cudaTextureObject_t plane,
                            cudaTextureObject_t levels, float *o)
{
    o[0] = texCubemap<float>(cube, 1, 0.1f, 0.1f);
    o[1] = texCubemap<float>(cube, -1, 0.1f, 0.1f);
    o[2] = texCubemap<float>(cube, 0.1f, 1, 0.1f);
    o[3] = texCubemap<float>(cube, 0.1f, -1, 0.1f);
    o[4] = texCubemap<float>(cube, 0.1f, 0.1f, 1);
    o[5] = texCubemap<float>(cube, 0.1f, 0.1f, -1);
    o[6] = tex1DLayered<float>(lines, 2.5f, 1);
    o[7] = tex1DLayered<float>(lines, 9.5f, 2);
    float4 g = tex2Dgather<float4>(plane, 2, 2, 0);
    o[8] = g.x, o[9] = g.y, o[10] = g.z, o[11] = g.w;
    o[12] = tex2DLod<float>(levels, 0.3f, 0.3f, 0);
    o[13] = tex2DLod<float>(levels, 0.3f, 0.3f, 1);
    o[14] = tex2DLod<float>(levels, 0.3f, 0.3f, 7);
    o[15] = tex2DGrad<float>(levels, 0.3f, 0.3f, make_float2(0.25f, 0), make_float2(0, 0.25f));
}

static __global__ void write(cudaSurfaceObject_t volume, int *o)
{
    int x = (int)threadIdx.x, y = (int)threadIdx.y, z = (int)threadIdx.z, v;

    surf3Dwrite(x + 10 * y + 100 * z, volume, x * 4, y, z);
    __syncthreads();
    surf3Dread(&v, volume, (3 - x) * 4, y, 1 - z, cudaBoundaryModeTrap);
    o[x + 4 * y + 12 * z] = v;
}

static cudaTextureObject_t texture(cudaArray_t array, cudaMipmappedArray_t levels, bool unit)
{
    cudaResourceDesc from = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t made;

    from.resType = levels ? cudaResourceTypeMipmappedArray : cudaResourceTypeArray;
    if (levels)
        from.res.mipmap.mipmap = levels, how.maxMipmapLevelClamp = 10;
    else
        from.res.array.array = array;
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
    how.normalizedCoords = unit;
    CUDA_CHECK(cudaCreateTextureObject(&made, &from, &how, nullptr));
    return made;
}

static cudaArray_t filled(size_t width, size_t height, size_t depth, unsigned flags)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    size_t rows = height ? height : 1;
    std::vector<float> h(width * rows * depth);
    cudaMemcpy3DParms copy = {};
    cudaArray_t array;

    for (size_t i = 0; i < h.size(); i++)
        h[i] = (float)(i / (width * rows) * 100 + i % (width * rows));
    CUDA_CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth > 1 ? depth : 0), flags));
    copy.srcPtr = make_cudaPitchedPtr(h.data(), width * 4, width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, rows, depth);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA_CHECK(cudaMemcpy3D(&copy));
    return array;
}

int main(void)
{
    cudaArray_t cube = filled(2, 2, 6, cudaArrayCubemap), lines = filled(5, 0, 3, cudaArrayLayered), level, volume;
    cudaArray_t plane = filled(4, 4, 1, cudaArrayTextureGather);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), whole = cudaCreateChannelDesc<int>();
    cudaMipmappedArray_t levels;
    cudaTextureObject_t t[4];
    cudaResourceDesc from = {};
    cudaSurfaceObject_t surface;
    float *o = device_zeros<float>(16);
    int *v = device_zeros<int>(24);
    std::vector<int> want(24);

    CUDA_CHECK(cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(8, 8, 0), 4));
    for (unsigned l = 0; l < 4; l++) {
        std::vector<float> h(64 >> 2 * l, (float)l + 0.5f);

        CUDA_CHECK(cudaGetMipmappedArrayLevel(&level, levels, l));
        CUDA_CHECK(cudaMemcpy2DToArray(level, 0, 0, h.data(), 32 >> l, 32 >> l, 8 >> l, cudaMemcpyHostToDevice));
    }
    t[0] = texture(cube, nullptr, true), t[1] = texture(lines, nullptr, false);
    t[2] = texture(plane, nullptr, false), t[3] = texture(nullptr, levels, true);
    read<<<1, 1>>>(t[0], t[1], t[2], t[3], o);
    CHECK_KERNEL();
    std::vector<float> got = host_copy(o, 16);
    for (int i = 0; i < 6; i++)
        EXPECT((int)got[i] / 100 == i);
    EXPECT(got[6] == 102 && got[7] == 204 && got[8] == 9 && got[9] == 10 && got[10] == 6 && got[11] == 5);
    EXPECT(got[12] == 0.5f && got[13] == 1.5f && got[14] == 3.5f && got[15] == 1.5f);
    CUDA_CHECK(cudaMalloc3DArray(&volume, &whole, make_cudaExtent(4, 3, 2), cudaArraySurfaceLoadStore));
    from.resType = cudaResourceTypeArray, from.res.array.array = volume;
    CUDA_CHECK(cudaCreateSurfaceObject(&surface, &from));
    write<<<1, dim3(4, 3, 2)>>>(surface, v);
    CHECK_KERNEL();
    for (int i = 0; i < 24; i++)
        want[i] = 3 - i % 4 + 10 * (i / 4 % 3) + 100 * (1 - i / 12);
    expect_device("volume", want, v);
    CUDA_CHECK(cudaDestroySurfaceObject(surface));
    for (cudaTextureObject_t one : t)
        CUDA_CHECK(cudaDestroyTextureObject(one));
    for (cudaArray_t one : {cube, lines, plane, volume})
        CUDA_CHECK(cudaFreeArray(one));
    CUDA_CHECK(cudaFreeMipmappedArray(levels));
    device_free(o), device_free(v);
    return passed();
}
