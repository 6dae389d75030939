/*
 * device_user.c - the host side of merge.cl: passes with doubling runs, two buffers that take turns; on the GPU if
 * there is one, else on the CPU.
 */
#include "opencl_user.h"

#include <stdint.h>

extern const char merge_cl[];

enum { GROUP = 256 };

static struct opencl cl;
static cl_kernel merge_pass;

void device_user_setup(void)
{
    cl = opencl_open();
    merge_pass = opencl_kernel(opencl_build(&cl, merge_cl, ""), "merge_pass");
}

static void set(cl_uint index, size_t size, const void *value)
{
    OPENCL_CHECK(clSetKernelArg(merge_pass, index, size, value));
}

static void read_back(cl_mem buffer, size_t size, void *target)
{
    OPENCL_CHECK(clEnqueueReadBuffer(cl.queue, buffer, CL_TRUE, 0, size, target, 0, NULL, NULL));
}

void device_user(const int32_t *keys, const uint32_t *payloads, int32_t *sorted_keys, uint32_t *sorted_payloads,
                 size_t n)
{
    size_t bytes = n * sizeof *keys, payload_bytes = payloads ? bytes : 0;
    cl_mem from_keys, to_keys, from_payloads, to_payloads;
    cl_ulong count = n;
    cl_int pairs = payloads != NULL;

    if (n == 0)
        return;
    from_keys = opencl_buffer(&cl, bytes, keys);
    to_keys = opencl_buffer(&cl, bytes, NULL);
    from_payloads = opencl_buffer(&cl, payload_bytes, payloads);
    to_payloads = opencl_buffer(&cl, payload_bytes, NULL);
    for (cl_ulong run = 1; run < n; run *= 2) {
        size_t items = (n + GROUP - 1) / GROUP * GROUP, group = GROUP;
        cl_mem swap;

        set(0, sizeof from_keys, &from_keys);
        set(1, sizeof from_payloads, &from_payloads);
        set(2, sizeof to_keys, &to_keys);
        set(3, sizeof to_payloads, &to_payloads);
        set(4, sizeof count, &count);
        set(5, sizeof run, &run);
        set(6, sizeof pairs, &pairs);
        OPENCL_CHECK(clEnqueueNDRangeKernel(cl.queue, merge_pass, 1, NULL, &items, &group, 0, NULL, NULL));
        swap = from_keys, from_keys = to_keys, to_keys = swap;
        swap = from_payloads, from_payloads = to_payloads, to_payloads = swap;
    }
    read_back(from_keys, bytes, sorted_keys);
    if (payloads)
        read_back(from_payloads, payload_bytes, sorted_payloads);
    OPENCL_CHECK(clReleaseMemObject(to_payloads));
    OPENCL_CHECK(clReleaseMemObject(from_payloads));
    OPENCL_CHECK(clReleaseMemObject(to_keys));
    OPENCL_CHECK(clReleaseMemObject(from_keys));
}
