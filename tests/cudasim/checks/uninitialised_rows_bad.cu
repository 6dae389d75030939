// expect: uninitialised
/*
 * uninitialised_rows_bad.cu - the kernel does not use the pitch of its rows, so that it writes none of the last ones.
 * The host copies them.
 */
#include "check_case.h"

enum { WIDTH = 100, HEIGHT = 20 };

__global__ void ramp(float *plane, size_t pitch)
{
    (void)pitch;
    plane[blockIdx.x * WIDTH + threadIdx.x] = threadIdx.x;
}

int main(void)
{
    static float host[WIDTH * HEIGHT];
    float *plane;
    size_t pitch;

    CUDA_CHECK(cudaMallocPitch(&plane, &pitch, WIDTH * sizeof(float), HEIGHT));
    ramp<<<HEIGHT, WIDTH>>>(plane, pitch);
    int status = finish(cudaMemcpy2D(host, WIDTH * sizeof(float), plane, pitch, WIDTH * sizeof(float), HEIGHT,
                                     cudaMemcpyDeviceToHost));

    cudaFree(plane);
    return status;
}
