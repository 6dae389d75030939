/*
 * mutants.cu - the classes of mistakes that were missed in public programs. Each case is wrong; with -DRIGHT it is
 * right, and looks like the mistake.
 *
 * The marks are those of kernels.cu. mutants.tsv has the mutants themselves.
 */
#include "suite.h"

constexpr int count = 4096;

__constant__ float weights[5];
__constant__ float scale;
__constant__ int shift = 3;

__global__ void weigh(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    for (int k = 0; k < 5; k++)
        sum += weights[k] * in[(i + k) % count]; // HERE constants_not_written
    out[i] = sum;
}

// The host forgets to copy the weights. The right twin copies a part of them: the others are 0.
// expect: uninitialised
static void constants_not_written(void)
{
    device<float> in(count), out(count);
    const float some[3] = {0.25f, 0.5f, 0.25f};

    if (right)
        CHECK(cudaMemcpyToSymbol(weights, some, sizeof some));
    weigh<<<count / 256, 256>>>(in, out);
    FINISH();
}

__global__ void scale_by(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = in[i] * scale + shift; // HERE constant_written_late
}

// The factor is written behind the launch. The other constant has a value of its own.
// expect: uninitialised
static void constant_written_late(void)
{
    device<float> in(count), out(count);
    float factor = 2.0f;

    if (right)
        CHECK(cudaMemcpyToSymbol(scale, &factor, sizeof factor));
    scale_by<<<count / 256, 256>>>(in, out);
    if (!right)
        CHECK(cudaMemcpyToSymbol(scale, &factor, sizeof factor));
    FINISH();
}

constexpr int side = 64;

__global__ void inside(const float *in, float *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x > 0 && x < side - 1 && y > 0 && y < side - 1)
        out[y * side + x] = in[y * side + x] * 0.5f;
}

// The upload counts elements as bytes. A kernel then writes all but the border, which the copy back reads.
// expect: uninitialised
static void border_cut_short(void)
{
    static float image[side * side], result[side * side];
    float *in = device_copy<float>(image, side * side), *out;

    CHECK(cudaMalloc(&out, sizeof image));
    CHECK(cudaMemcpy(out, image, right ? sizeof image : side * side, cudaMemcpyHostToDevice));
    inside<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost)); // HERE border_cut_short
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

__global__ void square(const float *in, float *out, bool with_block)
{
    int i = (with_block ? blockIdx.x * blockDim.x : 0) + threadIdx.x;

    out[i] = in[i] * in[i];
}

// Each block works on the elements of the first one: the number of the block is missing.
// expect: uninitialised
static void block_number_missing(void)
{
    static float result[count];
    device<float> in(count);
    float *out;

    CHECK(cudaMalloc(&out, sizeof result));
    square<<<count / 256, 256>>>(in, out, right);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost)); // HERE block_number_missing
    CHECK(cudaFree(out));
}

__global__ void double_all(const int *in, int *out, int n, bool with_size)
{
    int i = blockIdx.x * (with_size ? blockDim.x : 1) + threadIdx.x;

    if (i < n)
        out[i] = in[i] * 2;
}

// The number of the block is not multiplied by its size.
// expect: uninitialised
static void block_size_missing(void)
{
    static int result[count - 100];
    device<int> in(count);
    int *out;

    CHECK(cudaMalloc(&out, sizeof result));
    double_all<<<count / 256, 256>>>(in, out, count - 100, right);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost)); // HERE block_size_missing
    CHECK(cudaFree(out));
}

static const suite_case cases[] = {
    {"constants_not_written", constants_not_written},
    {"constant_written_late", constant_written_late},
    {"border_cut_short", border_cut_short},
    {"block_number_missing", block_number_missing},
    {"block_size_missing", block_size_missing},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
