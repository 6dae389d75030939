/*
 * common.cuh - what all parts of the submission use.
 */
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>

#define CALL(call) check((call), #call, __func__)

static void check(cudaError_t status, const char *call, const char *function)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert_accurate: %s: %s: %s\n", function, call, cudaGetErrorString(status));
    std::exit(1);
}

static size_t round_up(size_t x, size_t unit) { return (x + unit - 1) / unit * unit; }
static int cuts(int x, int unit) { return (x + unit - 1) / unit; }
