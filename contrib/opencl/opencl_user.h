/*
 * opencl_user.h - the host side of OpenCL that every submission needs.
 *
 * A submission may include it. It keeps its kernels in NAME.cl beside the .c file. The build adds their text as
 * `extern const char NAME_cl[]`. Building kernels takes long. So do it in device_user_setup(), before the clock starts:
 *
 *   #include "opencl_user.h"
 *   extern const char sum_cl[];
 *   static struct opencl cl;
 *   static cl_kernel sum;
 *
 *   void device_user_setup(void)
 *   {
 *       cl = opencl_open();
 *       sum = opencl_kernel(opencl_build(&cl, sum_cl, ""), "sum");
 *   }
 *
 * An error ends the process with one line that names the place and the error. The judge counts it as a run-time error
 * of the submission.
 */
#ifndef OPENCL_USER_H
#define OPENCL_USER_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

/* One device, ready for work. */
struct opencl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* in order */
};

/* OPENCL_CHECK(call): the process ends unless the status that the call returns is CL_SUCCESS. */
#define OPENCL_CHECK(call) opencl_check((call), #call, __FILE__, __LINE__)

static inline void opencl_check(cl_int status, const char *call, const char *file, int line)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s:%d: %s: OpenCL error %d\n", file, line, call, status);
    exit(1);
}

/* The first device of that type on any platform; false if there is none. */
static inline int opencl_find(cl_device_type type, cl_device_id *device)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;

    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        return 0;
    for (cl_uint i = 0; i < count && i < 16; i++)
        if (clGetDeviceIDs(platforms[i], type, 1, device, NULL) == CL_SUCCESS)
            return 1;
    return 0;
}

/* A GPU if there is one, else the CPU. */
static inline struct opencl opencl_open(void)
{
    struct opencl cl;
    cl_int status;

    if (!opencl_find(CL_DEVICE_TYPE_GPU, &cl.device) && !opencl_find(CL_DEVICE_TYPE_CPU, &cl.device))
        opencl_check(CL_DEVICE_NOT_FOUND, "clGetDeviceIDs", __FILE__, __LINE__);
    cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &status);
    OPENCL_CHECK(status);
    cl.queue = clCreateCommandQueue(cl.context, cl.device, 0, &status);
    OPENCL_CHECK(status);
    return cl;
}

/* The kernels of a source text. If they do not build, the runner has printed the compiler's log. */
static inline cl_program opencl_build(const struct opencl *cl, const char *source, const char *options)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(cl->context, 1, &source, NULL, &status);

    OPENCL_CHECK(status);
    OPENCL_CHECK(clBuildProgram(program, 1, &cl->device, options, NULL, NULL));
    return program;
}

static inline cl_kernel opencl_kernel(cl_program program, const char *name)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);

    opencl_check(status, name, __FILE__, __LINE__);
    return kernel;
}

/* A buffer of `size` bytes, at least 1; filled from `data` unless that is NULL. */
static inline cl_mem opencl_buffer(const struct opencl *cl, size_t size, const void *data)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(cl->context, CL_MEM_READ_WRITE, size > 0 ? size : 1, NULL, &status);

    OPENCL_CHECK(status);
    if (data && size > 0)
        OPENCL_CHECK(clEnqueueWriteBuffer(cl->queue, buffer, CL_TRUE, 0, size, data, 0, NULL, NULL));
    return buffer;
}

#endif
