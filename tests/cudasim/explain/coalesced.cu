/*
 * coalesced.cu - for the explain report: neighbouring threads read and write neighbouring words, so that a warp's
 * access needs the fewest memory transactions. uncoalesced.cu is the same work done badly.
 */
#include "../check.h"

__global__ void scale_rows(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;

    for (int y = blockIdx.y; y < height; y += gridDim.y)
        if (x < width)
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

    scale_rows<<<dim3(WIDTH / 128, 16), 128>>>(device_in, out, WIDTH, HEIGHT);
    CHECK_KERNEL();
    expect_device("scaled", want, out);
    device_free(device_in);
    device_free(out);
    return passed();
}
