/*
 * common.cuh - what all parts of the submission use.
 */
#pragma once

#include <cstdint>
#include <cuda_fp16.h>

#include "float32.cuh"

using float32::check; /* which CALL() calls */

static size_t round_up(size_t x, size_t unit) { return (x + unit - 1) / unit * unit; }
static int cuts(int x, int unit) { return (x + unit - 1) / unit; }
