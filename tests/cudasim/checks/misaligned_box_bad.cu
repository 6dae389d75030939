// expect: misaligned kernel=load
// A box by a tensor map from element 3 of 4 bytes on, which is no multiple of 16 bytes.
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void load(const __grid_constant__ CUtensorMap map, unsigned *out)
{
    __shared__ __align__(128) unsigned box[8 * 8];
    __shared__ unsigned long long barrier;
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);

    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(at) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %2}], [%3];" ::"r"((unsigned)__cvta_generic_to_shared(box)),
                     "l"(&map), "r"(3), "r"(at) /* HERE */
                     : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }" ::"r"(
                     at)
                 : "memory");
    out[threadIdx.x] = box[threadIdx.x];
}

int main()
{
    cuuint64_t sizes[2] = {32, 32}, strides[1] = {32 * 4};
    cuuint32_t box[2] = {8, 8}, steps[2] = {1, 1};
    void *function, *image;
    cudaDriverEntryPointQueryResult found;
    CUtensorMap map;
    unsigned *out;

    cudaMalloc(&image, 32 * 32 * 4);
    cudaMemset(image, 0, 32 * 32 * 4);
    cudaMalloc(&out, 64 * 4);
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
    ((decltype(&cuTensorMapEncodeTiled))function)(
        &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, image, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    load<<<1, 64>>>(map, out);
    cudaError_t error = cudaDeviceSynchronize();
    cudaFree(image);
    cudaFree(out);
    return error != cudaSuccess;
}
