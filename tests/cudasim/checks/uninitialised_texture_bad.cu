// expect: uninitialised kernel=look
/*
 * uninitialised_texture_bad.cu - a texture of an array of which nothing but the first row was ever filled.
 */
#include "check_case.h"

__global__ void look(cudaTextureObject_t image, float *out)
{
    out[threadIdx.x] = tex2D<float>(image, threadIdx.x, 2); /* HERE */
}

int main(void)
{
    static float host[64];
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    float *out;

    resource.resType = cudaResourceTypeArray;
    CUDA_CHECK(cudaMalloc(&out, 64 * sizeof(float)));
    CUDA_CHECK(cudaMallocArray(&resource.res.array.array, &format, 64, 4));
    CUDA_CHECK(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, host, 256, 256, 1, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    look<<<1, 64>>>(texture, out);
    int status = finish(cudaSuccess);

    cudaDestroyTextureObject(texture);
    cudaFreeArray(resource.res.array.array);
    cudaFree(out);
    return status;
}
