/*
 * memory_places.cu - pools of the host and of managed memory, copies between arrays that go on in the next row, the
 * faces of a cube as a surface, and attributes of streams that are kept.
 */
#include "../check.h"

static __global__ void add_one(int *values) { values[threadIdx.x]++; }

static __global__ void faces(cudaSurfaceObject_t cube, float *got)
{
    int x = threadIdx.x, face = blockIdx.x;

    surfCubemapwrite(face + x * 0.25f, cube, x * 4, 1, face);
    got[face * 4 + x] = surfCubemapread<float>(cube, x * 4, 1, face);
}

/* Host and device use the same bytes. */
static void pool(cudaMemAllocationType type, cudaMemLocation where, cudaMemoryType want, cudaStream_t stream)
{
    cudaMemPoolProps properties = {};
    cudaMemAccessDesc access = {};
    cudaPointerAttributes attributes;
    cudaMemPool_t pool;
    int *values;

    properties.allocType = type;
    properties.location = where;
    CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
    access.location.type = cudaMemLocationTypeDevice;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    CUDA_CHECK(cudaMemPoolSetAccess(pool, &access, 1));
    CUDA_CHECK(cudaMallocFromPoolAsync((void **)&values, 32 * sizeof *values, pool, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 32; i++)
        values[i] = i;
    add_one<<<1, 32, 0, stream>>>(values);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    EXPECT(values[0] == 1 && values[31] == 32);
    CUDA_CHECK(cudaPointerGetAttributes(&attributes, values));
    EXPECT(attributes.type == want);
    CUDA_CHECK(cudaFreeAsync(values, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaMemPoolDestroy(pool));
}

/* The host has a default pool, which cannot be destroyed, and one that is current. */
static void pool_of_host(cudaStream_t stream)
{
    cudaMemLocation host = {cudaMemLocationTypeHost, 0}, device = {cudaMemLocationTypeDevice, 0};
    cudaMemPoolProps properties = {};
    cudaMemPool_t first, made, now;
    int *values;

    CUDA_CHECK(cudaMemGetDefaultMemPool(&first, &host, cudaMemAllocationTypePinned));
    CUDA_CHECK(cudaMemGetMemPool(&now, &host, cudaMemAllocationTypePinned));
    EXPECT(now == first);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemPoolDestroy(first));
    CUDA_CHECK(cudaMallocFromPoolAsync((void **)&values, sizeof *values, first, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    *values = 5;
    EXPECT(*values == 5);
    CUDA_CHECK(cudaFreeAsync(values, stream));
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = host;
    CUDA_CHECK(cudaMemPoolCreate(&made, &properties));
    CUDA_CHECK(cudaMemSetMemPool(&host, cudaMemAllocationTypePinned, made));
    CUDA_CHECK(cudaMemGetMemPool(&now, &host, cudaMemAllocationTypePinned));
    EXPECT(now == made);
    CUDA_CHECK(cudaMemGetMemPool(&now, &device, cudaMemAllocationTypePinned));
    EXPECT(now != made && now != first);
    CUDA_CHECK(cudaMemPoolDestroy(made));
    CUDA_CHECK(cudaMemGetMemPool(&now, &host, cudaMemAllocationTypePinned));
    CUDA_CHECK(cudaDeviceGetDefaultMemPool(&first, 0));
    EXPECT(now == first); /* and not the host's default pool: so does an H200 */
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void arrays()
{
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    cudaArray_t wide, narrow;
    std::vector<int> values(40), got(40);

    for (int i = 0; i < 40; i++)
        values[i] = 1 + i;
    CUDA_CHECK(cudaMallocArray(&wide, &ints, 20, 2));
    CUDA_CHECK(cudaMallocArray(&narrow, &ints, 8, 5));
    CUDA_CHECK(cudaMemcpyToArray(wide, 0, 0, values.data(), 160, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpyArrayToArray(narrow, 0, 0, wide, 0, 0, 160, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaMemcpyFromArray(got.data(), narrow, 0, 0, 160, cudaMemcpyDeviceToHost));
    expect_equal("the other array", values, got);
    CUDA_CHECK(cudaFreeArray(wide));
    CUDA_CHECK(cudaFreeArray(narrow));
}

static void cube()
{
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface;
    float *got = device_new<float>(24);
    std::vector<float> want(24);

    for (int i = 0; i < 24; i++)
        want[i] = i / 4 + i % 4 * 0.25f;
    resource.resType = cudaResourceTypeArray;
    CUDA_CHECK(cudaMalloc3DArray(&resource.res.array.array, &floats, make_cudaExtent(4, 4, 6),
                                 cudaArrayCubemap | cudaArraySurfaceLoadStore));
    CUDA_CHECK(cudaCreateSurfaceObject(&surface, &resource));
    faces<<<6, 4>>>(surface, got);
    CHECK_KERNEL();
    expect_device("faces", want, got);
    CUDA_CHECK(cudaDestroySurfaceObject(surface));
    CUDA_CHECK(cudaFreeArray(resource.res.array.array));
    device_free(got);
}

int main()
{
    cudaStreamAttrValue value = {};
    cudaStream_t stream, other;
    int pools;

    CUDA_CHECK(cudaDeviceGetAttribute(&pools, cudaDevAttrHostMemoryPoolsSupported, 0));
    EXPECT(pools == 1);
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaStreamCreate(&other));
    pool(cudaMemAllocationTypePinned, {cudaMemLocationTypeHost, 0}, cudaMemoryTypeHost, stream);
    pool(cudaMemAllocationTypeManaged, {cudaMemLocationTypeDevice, 0}, cudaMemoryTypeManaged, stream);
    pool_of_host(stream);
    arrays();
    cube();
    value.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    CUDA_CHECK(cudaStreamSetAttribute(stream, cudaLaunchAttributeMemSyncDomain, &value));
    CUDA_CHECK(cudaStreamCopyAttributes(other, stream));
    value = {};
    CUDA_CHECK(cudaStreamGetAttribute(other, cudaLaunchAttributeMemSyncDomain, &value));
    EXPECT(value.memSyncDomain == cudaLaunchMemSyncDomainRemote);
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaStreamDestroy(other));
    return passed();
}
