/*
 * bench_arguments.h - what stands on the command line of a bench of a problem: main_bench.c, bench_gpu.cu, in C and
 * C++. A bench reads all of it before its first call of CUDA, so that a wrong one is refused without a GPU too.
 */
#ifndef PROBLEMS_BENCH_ARGUMENTS_H
#define PROBLEMS_BENCH_ARGUMENTS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif
#include "verify/cases/arguments.h"
#ifdef __cplusplus
}
#endif

/* Ends the program: its arguments are not those of `line`. */
static inline void bench_usage(const char *line)
{
    fprintf(stderr, "usage: %s\n", line);
    exit(EXIT_USAGE);
}

/* The whole number in [low, high] that `text` is. `what` names it in the line with which the program ends otherwise. */
static inline uint64_t bench_number(const char *text, const char *what, uint64_t low, uint64_t high)
{
    struct error error;
    uint64_t number;

    if (!parse_number(text, what, low, high, &number, &error)) {
        fprintf(stderr, "bench: %s\n", error.text);
        exit(EXIT_USAGE);
    }
    return number;
}

#endif
