// flags: -lcuda
/*
 * virtual_memory.cu - memory mapped by hand: a buffer that grows in place, one piece of memory at two addresses, a copy
 * over a seam, access taken away, what must be refused; and descriptions of tensors.
 */
#include <cuda.h>

#include "check.h"

#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)

__global__ void fill(int *data, size_t count, int factor)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        data[i * 1024] = (int)i * factor;
}

static void test_mappings()
{
    CUmemAllocationProp properties = {};
    CUmemAccessDesc access = {};
    CUmemGenericAllocationHandle pieces[3], same;
    CUdeviceptr base, other;
    unsigned long long flags;
    size_t unit, count;
    std::vector<int> host;

    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    DRIVER(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    EXPECT(unit >= 4096 && (unit & (unit - 1)) == 0);
    DRIVER(cuMemAddressReserve(&base, 4 * unit, 0, 0, 0));
    EXPECT(base % unit == 0);
    EXPECT(cuMemCreate(&pieces[0], unit + 1, &properties, 0) == CUDA_ERROR_INVALID_VALUE);

    /* The buffer grows by a piece, and its content stays in place. */
    for (int i = 0; i < 3; i++) {
        DRIVER(cuMemCreate(&pieces[i], unit, &properties, 0));
        DRIVER(cuMemMap(base + i * unit, unit, 0, pieces[i], 0));
        EXPECT(cuMemMap(base + i * unit, unit, 0, pieces[i], 0) != CUDA_SUCCESS);
        DRIVER(cuMemSetAccess(base + i * unit, unit, &access, 1));
        count = (i + 1) * unit / sizeof(int) / 1024;
        fill<<<4, 64>>>((int *)base, count, i + 1);
        CHECK_KERNEL();
        host.assign(count * 1024, 0);
        DRIVER(cuMemcpyDtoH(host.data(), base, count * 1024 * sizeof(int))); /* over the seams */
        for (size_t n = 0; n < count; n++)
            EXPECT(host[n * 1024] == (int)n * (i + 1));
    }

    /* The second piece is at another address as well. */
    DRIVER(cuMemAddressReserve(&other, unit, 0, 0, 0));
    DRIVER(cuMemRetainAllocationHandle(&same, (void *)(base + unit)));
    EXPECT(same == pieces[1]);
    DRIVER(cuMemMap(other, unit, 0, same, 0));
    DRIVER(cuMemSetAccess(other, unit, &access, 1));
    DRIVER(cuMemsetD32(other, 77, 16));
    DRIVER(cuMemcpyDtoH(host.data(), base + unit, 16 * sizeof(int)));
    EXPECT(host[0] == 77 && host[15] == 77);
    DRIVER(cuMemGetAccess(&flags, &access.location, other));
    EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);

    EXPECT(cuMemAddressFree(base, 4 * unit) != CUDA_SUCCESS); /* something is mapped */
    DRIVER(cuMemUnmap(other, unit));
    DRIVER(cuMemUnmap(other, unit)); /* nothing is mapped there, which is no error */
    DRIVER(cuMemAddressFree(other, unit));
    DRIVER(cuMemRelease(same));
    DRIVER(cuMemUnmap(base, 3 * unit));
    for (CUmemGenericAllocationHandle piece : pieces)
        DRIVER(cuMemRelease(piece));
    DRIVER(cuMemAddressFree(base, 4 * unit));
}

static void test_tensor_maps()
{
    alignas(128) CUtensorMap map;
    CUdeviceptr data;
    cuuint64_t sizes[2] = { 64, 32 }, strides[1] = { 64 * sizeof(float) };
    cuuint32_t box[2] = { 32, 8 }, steps[2] = { 1, 1 };

    DRIVER(cuMemAlloc(&data, 64 * 32 * sizeof(float)));
    DRIVER(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)data, sizes, strides, box, steps,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    DRIVER(cuTensorMapReplaceAddress(&map, (void *)(data + 256)));
    box[0] = 64; /* 256 bytes do not fit a swizzle of 128 */
    EXPECT(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)data, sizes, strides, box, steps,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE);
    strides[0] += 4; /* no multiple of 16 */
    EXPECT(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)data, sizes, strides, box, steps,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemFree(data));
}

int main()
{
    CUcontext context;
    CUdevice device = 7;

    CUDA_CHECK(cudaSetDevice(0)); /* instead of cuInit(), and it makes a context current */
    DRIVER(cuCtxGetDevice(&device));
    EXPECT(device == 0);
    DRIVER(cuDevicePrimaryCtxRetain(&context, 0));
    DRIVER(cuCtxSetCurrent(context));
    test_mappings();
    test_tensor_maps();
    DRIVER(cuDevicePrimaryCtxRelease(0));
    return passed();
}
