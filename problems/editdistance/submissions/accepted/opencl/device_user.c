/*
 * device_user.c - the baseline in OpenCL: one work-item a cell, one kernel an anti-diagonal (wavefront.cl).
 */
#include "opencl_user.h"

extern const char wavefront_cl[];

enum { GROUP = 64 };

static struct opencl cl;
static cl_kernel diagonal;

void device_user_setup(void)
{
    cl = opencl_open();
    diagonal = opencl_kernel(opencl_build(&cl, wavefront_cl, ""), "diagonal");
}

unsigned int device_user(char *str1, int lenStr1, char *str2, int lenStr2)
{
    const int width = lenStr1 + 1; /* of a row */
    cl_mem a = opencl_buffer(&cl, (size_t)lenStr1, str1), b = opencl_buffer(&cl, (size_t)lenStr2, str2);
    cl_mem rows = opencl_buffer(&cl, 3 * (size_t)width * sizeof(int), NULL);
    int distance, start[3] = { 0, width, 2 * width }; /* of rows d-2, d-1 and d */

    OPENCL_CHECK(clSetKernelArg(diagonal, 0, sizeof a, &a));
    OPENCL_CHECK(clSetKernelArg(diagonal, 1, sizeof b, &b));
    OPENCL_CHECK(clSetKernelArg(diagonal, 5, sizeof rows, &rows));
    for (int d = 0; d <= lenStr1 + lenStr2; d++) {
        int first = d > lenStr2 ? d - lenStr2 : 0, last = d < lenStr1 ? d : lenStr1, spare = start[0];
        size_t group = GROUP, items = ((size_t)(last - first) / GROUP + 1) * GROUP;

        OPENCL_CHECK(clSetKernelArg(diagonal, 2, sizeof d, &d));
        OPENCL_CHECK(clSetKernelArg(diagonal, 3, sizeof first, &first));
        OPENCL_CHECK(clSetKernelArg(diagonal, 4, sizeof last, &last));
        for (cl_uint k = 0; k < 3; k++)
            OPENCL_CHECK(clSetKernelArg(diagonal, 6 + k, sizeof start[k], &start[k]));
        OPENCL_CHECK(clEnqueueNDRangeKernel(cl.queue, diagonal, 1, NULL, &items, &group, 0, NULL, NULL));
        start[0] = start[1];
        start[1] = start[2];
        start[2] = spare;
    }
    /* The last anti-diagonal has one cell, and its row is in the middle by now. */
    OPENCL_CHECK(clEnqueueReadBuffer(cl.queue, rows, CL_TRUE, ((size_t)start[1] + (size_t)lenStr1) * sizeof distance,
                                     sizeof distance, &distance, 0, NULL, NULL));
    OPENCL_CHECK(clReleaseMemObject(rows));
    OPENCL_CHECK(clReleaseMemObject(a));
    OPENCL_CHECK(clReleaseMemObject(b));
    return (unsigned int)distance;
}
