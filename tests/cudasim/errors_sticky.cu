/*
 * errors_sticky.cu - faults inside of kernels: each has its error, which every later call returns too, until the
 * device is reset. Each fault has its own process.
 */
#include <cassert>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum fault { NONE, NULL_STORE, WILD_LOAD, MISALIGNED, TRAP, FAILED_ASSERT };

__global__ void faulty(fault fault, int *out)
{
    if (threadIdx.x != 3)
        return;
    if (fault == NULL_STORE)
        *(volatile int *)nullptr = 1;
    if (fault == WILD_LOAD)
        *out = *(volatile int *)0x123456789abcull;
    if (fault == MISALIGNED)
        *out = *(volatile int *)((char *)out + 2);
    if (fault == TRAP)
        __trap();
    if (fault == FAILED_ASSERT)
        assert(out == nullptr);
    if (fault == NONE)
        *out = 77;
}

/* In a child. Returns the exit status. */
static int provoke(fault fault, cudaError_t want, cudaError_t other)
{
    int *out = device_zeros<int>(4);
    int host[4] = {};
    void *more = nullptr;

    faulty<<<1, 32>>>(fault, out);
    CUDA_CHECK(cudaGetLastError()); /* the launch itself is fine */
    cudaError_t got = cudaDeviceSynchronize();

    if (got != want && got != other) {
        printf("fault %d: want %s, got %s\n", fault, cudaGetErrorName(want), cudaGetErrorName(got));
        return 1;
    }
    EXPECT(cudaGetLastError() == got);
    EXPECT(cudaDeviceSynchronize() == got);
    EXPECT(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) == got);
    EXPECT(cudaMalloc(&more, 100) == got);
    faulty<<<1, 32>>>(NONE, out);
    EXPECT(cudaGetLastError() == got);
    (void)cudaDeviceReset();
    (void)cudaGetLastError();
    if (cudaMalloc(&more, 16) != cudaSuccess) /* some drivers never recover */
        return getenv("CUDASIM_STRICT_RESET") ? 1 : 0;
    faulty<<<1, 32>>>(NONE, (int *)more);
    CHECK_KERNEL();
    CUDA_CHECK(cudaMemcpy(host, more, 4, cudaMemcpyDeviceToHost));
    EXPECT(host[0] == 77);
    CUDA_CHECK(cudaFree(more));
    return 0;
}

static void test(fault fault, cudaError_t want, cudaError_t other)
{
    int status = -1;

    fflush(stdout);
    pid_t child = fork(); /* before this process has used CUDA */

    EXPECT(child >= 0);
    if (child == 0) {
        int result = provoke(fault, want, other);

        fflush(stdout);
        _exit(result);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        printf("fault %d: status %#x\n", fault, status);
        exit(1);
    }
}

int main(void)
{
    test(NULL_STORE, cudaErrorIllegalAddress, cudaErrorIllegalAddress);
    test(WILD_LOAD, cudaErrorIllegalAddress, cudaErrorIllegalAddress);
    test(MISALIGNED, cudaErrorMisalignedAddress, cudaErrorMisalignedAddress);
    test(TRAP, cudaErrorLaunchFailure, cudaErrorIllegalInstruction);
    test(FAILED_ASSERT, cudaErrorAssert, cudaErrorAssert);
    return passed();
}
