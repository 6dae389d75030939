/*
 * device_user.c - the host side of multiply.cl, the simple kernel in OpenCL: on the GPU if there is one, else on the
 * CPU.
 */
#include "opencl_user.h"

extern const char multiply_cl[];

/* A work-group has TILE times TILE work-items; the bench builds it with 1, too. */
#ifndef TILE
#define TILE 16
#endif

static struct opencl cl;
static cl_kernel multiply;

void device_user_setup(void)
{
    cl = opencl_open();
    multiply = opencl_kernel(opencl_build(&cl, multiply_cl, ""), "multiply");
}

static size_t round_up(int n) { return ((size_t)n + TILE - 1) / TILE * TILE; }

void device_user(const float *A, const float *B, float *C, int M, int N, int K)
{
    size_t bytes = (size_t)M * (size_t)N * sizeof *C;
    cl_mem a = opencl_buffer(&cl, (size_t)M * (size_t)K * sizeof *A, A);
    cl_mem b = opencl_buffer(&cl, (size_t)K * (size_t)N * sizeof *B, B);
    cl_mem c = opencl_buffer(&cl, bytes, NULL);
    size_t items[2] = { round_up(N), round_up(M) }, group[2] = { TILE, TILE };
    const int sizes[3] = { M, N, K };

    OPENCL_CHECK(clSetKernelArg(multiply, 0, sizeof a, &a));
    OPENCL_CHECK(clSetKernelArg(multiply, 1, sizeof b, &b));
    OPENCL_CHECK(clSetKernelArg(multiply, 2, sizeof c, &c));
    for (cl_uint i = 0; i < 3; i++)
        OPENCL_CHECK(clSetKernelArg(multiply, 3 + i, sizeof sizes[i], &sizes[i]));
    OPENCL_CHECK(clEnqueueNDRangeKernel(cl.queue, multiply, 2, NULL, items, group, 0, NULL, NULL));
    OPENCL_CHECK(clEnqueueReadBuffer(cl.queue, c, CL_TRUE, 0, bytes, C, 0, NULL, NULL));
    OPENCL_CHECK(clReleaseMemObject(c));
    OPENCL_CHECK(clReleaseMemObject(b));
    OPENCL_CHECK(clReleaseMemObject(a));
}
