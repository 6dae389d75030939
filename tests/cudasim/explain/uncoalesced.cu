/*
 * uncoalesced.cu - for the explain report: neighbouring threads work on different rows, so that each access of a warp
 * touches 32 places far apart. coalesced.cu is the same work done well.
 */
#include "../check.h"

__global__ void scale_columns(const float *in, float *out, int width, int height)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;

    for (int x = blockIdx.y; x < width; x += gridDim.y)
        if (y < height)
            out[y * width + x] = in[y * width + x] * 2;
}

int main(void)
{
    enum { WIDTH = 512, HEIGHT = 128 };
    std::vector<float> in(WIDTH * HEIGHT), want(WIDTH * HEIGHT);

    for (int i = 0; i < WIDTH * HEIGHT; i++)
        want[i] = 2 * (in[i] = i);
    float *device_in = device_copy(in);
    float *out = device_zeros<float>(in.size());

    scale_columns<<<dim3(1, 64), 128>>>(device_in, out, WIDTH, HEIGHT);
    CHECK_KERNEL();
    expect_device("scaled", want, out);
    device_free(device_in);
    device_free(out);
    return passed();
}
