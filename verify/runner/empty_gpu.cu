/*
 * empty_gpu.cu - the same for a GPU: one empty kernel, and the wait for its end.
 */
static __global__ void nothing(void) {}

extern "C" void device_user(void)
{
    nothing<<<1, 1>>>();
    cudaDeviceSynchronize();
}
