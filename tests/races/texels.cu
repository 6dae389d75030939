/*
 * texels.cu - races of textures and surfaces, and kernels that look like them and are right.
 */
#include "suite.h"

enum { WIDTH = 64, HEIGHT = 4 };

/* A surface and a texture of one array, and a texture of other memory. */
struct images {
    cudaSurfaceObject_t surface, other;
    cudaTextureObject_t texture, filtered, linear;
    float *memory; /* of `linear` */
    size_t pitch;  /* bytes from row to row there */
};

/* Each thread changes its own texel. */
__global__ void own_texel(images x)
{
    int at = threadIdx.x + blockIdx.x * blockDim.x;

    surf2Dwrite(surf2Dread<float>(x.surface, at * 4, 0) + 1, x.surface, at * 4, 0);
}

/* What threads of the block wrote is read after a barrier. */
__global__ void barrier_between(images x)
{
    int at = threadIdx.x;

    surf2Dwrite(1.0f * at, x.surface, at * 4, blockIdx.x);
    __syncthreads();
    surf2Dwrite(surf2Dread<float>(x.surface, (63 - at) * 4, blockIdx.x), x.other, at * 4, blockIdx.x);
}

__global__ void no_barrier_between(images x)
{
    int at = threadIdx.x;

    surf2Dwrite(1.0f + at, x.surface, at * 4, blockIdx.x); // RACE
    surf2Dwrite(surf2Dread<float>(x.surface, (63 - at) * 4, blockIdx.x), x.other, at * 4, blockIdx.x); // RACE
}

/* Several threads store the same value to one texel. */
__global__ void same_value(images x)
{
    surf2Dwrite(5.0f, x.surface, threadIdx.x % 4 * 4, 1);
}

__global__ void other_values(images x)
{
    surf2Dwrite(1.0f + blockIdx.x, x.surface, threadIdx.x * 4, 1); // RACE
}

/* A texture may have the old value of what the launch wrote, also after a barrier. */
__global__ void texture_after_surface(images x)
{
    int at = threadIdx.x;

    surf2Dwrite(1.0f, x.surface, at * 4, blockIdx.x);
    __syncthreads();
    x.memory[at] = tex2D<float>(x.texture, 63 - at, blockIdx.x); // RACE
}

__global__ void texture_of_other_rows(images x)
{
    int at = threadIdx.x;

    surf2Dwrite(tex2D<float>(x.texture, at, 2 + blockIdx.x), x.surface, at * 4, blockIdx.x);
}

/* At the middle of a texel its neighbours do not count. Elsewhere they do. */
__global__ void middle_of_texel(images x)
{
    int at = threadIdx.x;
    float value = tex2D<float>(x.filtered, 2 * at + 0.5f, 0.5f);

    surf2Dwrite(value + 1, x.surface, (2 * at + 1) * 4, 0);
}

__global__ void between_texels(images x)
{
    int at = threadIdx.x;
    float value = tex2D<float>(x.filtered, 2 * at + 0.25f, 0.5f); // RACE

    surf2Dwrite(value + 1, x.surface, (2 * at + 1) * 4, 0); // RACE
}

/* A texture of rows in memory that the launch stores to as such. */
__global__ void rows_in_place(images x)
{
    int at = threadIdx.x;
    float mean = (tex2D<float>(x.linear, at - 1, 0) + tex2D<float>(x.linear, at + 1, 0)) / 2; // RACE

    x.memory[at] = mean + 1; // RACE
}

__global__ void row_to_row(images x)
{
    int at = threadIdx.x;

    x.memory[x.pitch / 4 + at] = tex2D<float>(x.linear, at - 1, 0) + tex2D<float>(x.linear, at + 1, 0);
}

static cudaResourceDesc array_of_zeros(void)
{
    static float zeros[WIDTH * HEIGHT];
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};

    resource.resType = cudaResourceTypeArray;
    suite_check(cudaMallocArray(&resource.res.array.array, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore), "array");
    suite_check(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, zeros, WIDTH * 4, WIDTH * 4, HEIGHT,
                                    cudaMemcpyHostToDevice),
                "copy to array");
    return resource;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc *resource, cudaTextureFilterMode filter)
{
    cudaTextureObject_t texture;
    cudaTextureDesc how = {};

    how.readMode = cudaReadModeElementType;
    how.filterMode = filter;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    suite_check(cudaCreateTextureObject(&texture, resource, &how, nullptr), "texture");
    return texture;
}

static images make_images(void)
{
    cudaResourceDesc one = array_of_zeros(), two = array_of_zeros(), rows = {};
    images x;

    suite_check(cudaCreateSurfaceObject(&x.surface, &one), "surface");
    suite_check(cudaCreateSurfaceObject(&x.other, &two), "surface");
    x.texture = texture_of(&one, cudaFilterModePoint);
    x.filtered = texture_of(&one, cudaFilterModeLinear);
    suite_check(cudaMallocPitch(&x.memory, &x.pitch, WIDTH * 4, HEIGHT), "pitch");
    suite_check(cudaMemset2D(x.memory, x.pitch, 0, WIDTH * 4, HEIGHT), "memset");
    rows.resType = cudaResourceTypePitch2D;
    rows.res.pitch2D.devPtr = x.memory;
    rows.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    rows.res.pitch2D.width = WIDTH;
    rows.res.pitch2D.height = HEIGHT;
    rows.res.pitch2D.pitchInBytes = x.pitch;
    x.linear = texture_of(&rows, cudaFilterModePoint);
    return x;
}

/* Runs a kernel that gets the images in place of the suite's memory. */
#define RUN_IMAGES(name, grid, block)                                                                                  \
    do {                                                                                                               \
        if (suite_begin(#name)) {                                                                                      \
            name<<<grid, block>>>(x);                                                                                  \
            suite_end(#name);                                                                                          \
        }                                                                                                              \
    } while (0)

int main(int argc, char **argv)
{
    images x = make_images();

    suite_only = argc > 1 ? argv[1] : nullptr;
    RUN_IMAGES(own_texel, 1, 64);
    RUN_IMAGES(barrier_between, 2, 64);
    RUN_IMAGES(no_barrier_between, 2, 64);
    RUN_IMAGES(same_value, 2, 64);
    RUN_IMAGES(other_values, 2, 64);
    RUN_IMAGES(texture_after_surface, 1, 64);
    RUN_IMAGES(texture_of_other_rows, 2, 64);
    RUN_IMAGES(middle_of_texel, 1, 32);
    RUN_IMAGES(between_texels, 1, 32);
    RUN_IMAGES(rows_in_place, 1, 64);
    RUN_IMAGES(row_to_row, 1, 64);
    return 0;
}
