/*
 * stream.cu - kernels that read, compute a little and write, a thread an element.
 */
#include "kernels.h"

#include <math.h>

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = a[i] + b[i];
}

void launch_vector_add(const struct run *r)
{
    vector_add<<<blocks_for(r->size, r->x), r->x>>>(r->inputs[0], r->inputs[1], r->out, (int)r->size);
}

void host_vector_add(const struct run *r)
{
    for (long i = 0; i < r->size; i++)
        r->out[i] = r->in[i] + r->in[r->size + i];
}

/* The grid is numbered in two dimensions though it has one, as where a grid could have 65,535 blocks only. */
__global__ void nn_distance(const float2 *place, float *distance, int n, float latitude, float longitude)
{
    const int i = (gridDim.x * blockIdx.y + blockIdx.x) * blockDim.x + threadIdx.x;

    if (i < n) {
        const float2 here = place[i];

        distance[i] = sqrtf((latitude - here.x) * (latitude - here.x) + (longitude - here.y) * (longitude - here.y));
    }
}

void launch_nn_distance(const struct run *r)
{
    nn_distance<<<blocks_for(r->size, r->x), r->x>>>((const float2 *)r->in, r->out, (int)r->size, 0.3f, 1.7f);
}

void host_nn_distance(const struct run *r)
{
    for (long i = 0; i < r->size; i++)
        r->out[i] = (float)hypot(0.3 - r->in[2 * i], 1.7 - r->in[2 * i + 1]);
}

__global__ void saxpy(float a, const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i] + y[i];
}

void launch_saxpy(const struct run *r)
{
    saxpy<<<blocks_for(r->size, r->x), r->x>>>(0.25f, r->in, r->out, (int)r->size);
}

void host_saxpy(const struct run *r)
{
    for (long i = 0; i < r->size; i++)
        r->out[i] += 0.25f * r->in[i];
}

__global__ void daxpy(double a, const double *x, double *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i] + y[i];
}

void launch_daxpy(const struct run *r)
{
    daxpy<<<blocks_for(r->size, r->x), r->x>>>(0.25, (const double *)r->in, (double *)r->out, (int)r->size);
}

void host_daxpy(const struct run *r)
{
    for (long i = 0; i < r->size; i++)
        ((double *)r->out)[i] += 0.25 * ((const double *)r->in)[i];
}

__global__ void copy_wide(const float4 *from, float4 *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = from[i];
}

void launch_copy_wide(const struct run *r)
{
    copy_wide<<<blocks_for(r->size, r->x), r->x>>>((const float4 *)r->in, (float4 *)r->out, (int)r->size);
}

void host_copy_wide(const struct run *r)
{
    for (long i = 0; i < 4 * r->size; i++)
        r->out[i] = r->in[i];
}

__global__ void strided_copy(const float *from, float *to, int n, int stride)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = from[(size_t)i * stride];
}

void launch_strided_copy(const struct run *r)
{
    strided_copy<<<blocks_for(r->size, r->x), r->x>>>(r->in, r->out, (int)r->size, 8);
}

void host_strided_copy(const struct run *r)
{
    for (long i = 0; i < r->size; i++)
        r->out[i] = r->in[8 * i];
}

/* Knuth's multiplicative hash, scaled to 0 .. n - 1 by the upper half of a product. */
__global__ void gather_hashed(const float *from, float *to, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = from[__umulhi(i * 2654435761u, n)];
}

void launch_gather_hashed(const struct run *r)
{
    gather_hashed<<<blocks_for(r->size, r->x), r->x>>>(r->in, r->out, (unsigned)r->size);
}

void host_gather_hashed(const struct run *r)
{
    for (long i = 0; i < r->size; i++)
        r->out[i] = r->in[(uint64_t)((uint32_t)i * UINT32_C(2654435761)) * (uint64_t)r->size >> 32];
}

__global__ void grey_from_rgba(const uchar4 *colour, unsigned char *grey, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        const uchar4 here = colour[i];

        grey[i] = (unsigned char)((77 * here.x + 150 * here.y + 29 * here.z) >> 8);
    }
}

void launch_grey_from_rgba(const struct run *r)
{
    grey_from_rgba<<<blocks_for(r->size, r->x), r->x>>>((const uchar4 *)r->in, (unsigned char *)r->out, (int)r->size);
}

void host_grey_from_rgba(const struct run *r)
{
    const unsigned char *colour = (const unsigned char *)r->in;

    for (long i = 0; i < r->size; i++, colour += 4)
        ((unsigned char *)r->out)[i] = (unsigned char)((77 * colour[0] + 150 * colour[1] + 29 * colour[2]) / 256);
}
