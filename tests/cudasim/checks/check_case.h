/*
 * check_case.h - the end of every program in this folder: says how the kernel ended. Included by the pairs NAME_bad.cu
 * and NAME_good.cu. The host code of a bad program must not crash: it reports the error of its kernel and exits 1 if
 * there is one (the device caught the fault), 0 if there is none.
 */
#ifndef CUDASIM_CHECK_CASE_H
#define CUDASIM_CHECK_CASE_H

#include <cstdio>

#include "cuda_user.h"

static inline int finish(cudaError_t error)
{
    if (error == cudaSuccess)
        error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    printf("%s\n", error == cudaSuccess ? "done" : cudaGetErrorName(error));
    return error == cudaSuccess ? 0 : 1;
}

#endif
