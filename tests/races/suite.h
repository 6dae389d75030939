/*
 * suite.h - what the files of kernels here share: memory for a kernel, its launch, and the wait for its end.
 *
 * A kernel is one case. A line with the mark RACE at its end is one at which its race may be reported; a kernel without
 * a marked line is right. Results do not matter here: no output is compared.
 */
#ifndef RACES_SUITE_H
#define RACES_SUITE_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define WORDS 65536 /* ints of `data` that every case gets, zeros */

static int *suite_data;
static const char *suite_only; /* the one kernel to run, or NULL: all */

static void suite_check(cudaError_t code, const char *what)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
    exit(1);
}

/* Fresh zeros. False: the case is not to be run. */
static bool suite_begin(const char *name)
{
    if (suite_only && strcmp(suite_only, name) != 0)
        return false;
    if (!suite_data)
        suite_check(cudaMalloc(&suite_data, WORDS * sizeof(int)), "cudaMalloc");
    suite_check(cudaMemset(suite_data, 0, WORDS * sizeof(int)), "cudaMemset");
    return true;
}

static void suite_end(const char *name)
{
    suite_check(cudaGetLastError(), name);
    suite_check(cudaDeviceSynchronize(), name);
}

/* Runs kernel `name` on `grid` blocks of `block` threads, with the suite's memory. */
#define RUN(name, grid, block)                                                                                         \
    do {                                                                                                               \
        if (suite_begin(#name)) {                                                                                      \
            name<<<grid, block>>>(suite_data);                                                                         \
            suite_end(#name);                                                                                          \
        }                                                                                                              \
    } while (0)

#endif
