/*
 * cuda_user.h - the checks that every CUDA submission needs.
 *
 * A submission may include it. It is on the include path of every submission:
 *
 *   #include "cuda_user.h"
 *
 *   CUDA_CHECK(cudaMalloc(&numbers, bytes));
 *   sum<<<blocks, threads>>>(numbers, count);
 *   CUDA_CHECK_LAUNCH();
 *   CUDA_CHECK(cudaMemcpy(result, numbers, sizeof *result, cudaMemcpyDeviceToHost));
 *
 * An error ends the process with one line on standard error: file, line, call and CUDA's name of the error. The judge
 * counts that as a run-time error of the submission. The programs of tests/cudasim use the same checks.
 */
#ifndef CUDA_USER_H
#define CUDA_USER_H

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

/* The process ends unless the call returns cudaSuccess. */
#define CUDA_CHECK(call) cuda_check((call), #call, __FILE__, __LINE__)

/*
 * After <<<...>>>: the process ends unless the device accepted the launch. This does not wait. If the kernel fails
 * later, the next CUDA_CHECK of a call that waits for the device reports it; cudaDeviceSynchronize() is one.
 */
#define CUDA_CHECK_LAUNCH() cuda_check(cudaGetLastError(), "launch", __FILE__, __LINE__)

static inline void cuda_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorName(error), cudaGetErrorString(error));
    exit(1);
}

#endif
