/*
 * uninitialised_texture_good.cu - a texture whose filter is at the middle of texels that were filled by a surface; the
 * rows beside them were not. The array is freed while the kernel is pending: that call waits for it.
 */
#include "check_case.h"

__global__ void fill(cudaSurfaceObject_t image)
{
    surf2Dwrite(1.0f, image, threadIdx.x * 4, 2);
}

__global__ void look(cudaTextureObject_t image, float *out)
{
    out[threadIdx.x] = tex2D<float>(image, threadIdx.x + 0.5f, 2.5f);
}

int main(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    float *out;

    resource.resType = cudaResourceTypeArray;
    how.filterMode = cudaFilterModeLinear;
    CUDA_CHECK(cudaMalloc(&out, 64 * sizeof(float)));
    CUDA_CHECK(cudaMallocArray(&resource.res.array.array, &format, 64, 4, cudaArraySurfaceLoadStore));
    CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    CUDA_CHECK(cudaCreateSurfaceObject(&surface, &resource));
    fill<<<1, 64>>>(surface);
    look<<<1, 64>>>(texture, out);
    cudaFreeArray(resource.res.array.array);
    int status = finish(cudaSuccess);

    cudaDestroyTextureObject(texture);
    cudaDestroySurfaceObject(surface);
    cudaFree(out);
    return status;
}
