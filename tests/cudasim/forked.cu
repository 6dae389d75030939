/*
 * forked.cu - a process that was forked before the first use of CUDA uses it; one that was forked after it cannot, and
 * its parent goes on.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

__global__ void set_nine(int *out)
{
    *out = 9;
}

static int device_nine(void)
{
    int *out, value = 0;

    CUDA_CHECK(cudaMalloc(&out, sizeof *out));
    set_nine<<<1, 1>>>(out);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(out));
    return value;
}

/* In the child of a process that has used CUDA. */
static int refusals(void)
{
    void *memory;
    int *none = nullptr;

    EXPECT(cudaMalloc(&memory, 4) == cudaErrorInitializationError);
    EXPECT(cudaGetLastError() == cudaErrorInitializationError);
    set_nine<<<1, 1>>>(none);
    EXPECT(cudaGetLastError() == cudaErrorInitializationError);
    EXPECT(cudaDeviceSynchronize() == cudaErrorInitializationError);
    return 0;
}

static void in_child(int (*what)(void), int want)
{
    int status = -1;
    pid_t child;

    fflush(stdout);
    child = fork();
    EXPECT(child >= 0);
    if (child == 0)
        exit(what()); /* not _exit(): the library's own end is run */
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == want);
}

int main(void)
{
    in_child(device_nine, 9);
    EXPECT(device_nine() == 9);
    in_child(refusals, 0);
    EXPECT(device_nine() == 9);
    return passed();
}
