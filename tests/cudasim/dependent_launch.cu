/*
 * dependent_launch.cu - programmatic dependent launch: a kernel may start before the one ahead of it in the stream has
 * ended, and waits inside of the kernel for what it needs (griddepcontrol).
 */
#include "check.h"

/* to[i] = from[neighbour] + 1; what comes before the wait needs nothing of the kernel ahead. */
__global__ void step(const int *from, int *to, int n, int distance)
{
    __shared__ int offsets[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    offsets[threadIdx.x] = (i + distance) % n;
    __syncthreads();
    cudaGridDependencySynchronize();
    if (i < n)
        to[i] = from[offsets[threadIdx.x]] + 1;
    cudaTriggerProgrammaticLaunchCompletion();
}

int main(void)
{
    enum { N = 1000, STEPS = 6 };
    std::vector<int> values(N), next(N);
    int *buffers[2];
    cudaStream_t stream;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};

    for (int i = 0; i < N; i++)
        values[i] = i;
    buffers[0] = device_copy(values);
    buffers[1] = device_zeros<int>(N);
    CUDA_CHECK(cudaStreamCreate(&stream));
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3((N + 127) / 128);
    config.blockDim = dim3(128);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    for (int k = 0; k < STEPS; k++) {
        CUDA_CHECK(cudaLaunchKernelEx(&config, step, (const int *)buffers[k % 2], buffers[1 - k % 2], (int)N,
                                      37 * k + 1));
        for (int i = 0; i < N; i++)
            next[i] = values[(i + 37 * k + 1) % N] + 1;
        values.swap(next);
    }
    CUDA_CHECK(cudaStreamSynchronize(stream));
    expect_device("steps", values, buffers[STEPS % 2]);
    CUDA_CHECK(cudaStreamDestroy(stream));
    device_free(buffers[0]);
    device_free(buffers[1]);
    return passed();
}
