/*
 * properties.h - prints a GPU's properties, for `main_host --devices`.
 *
 * By NVML alone, as gpu.h has it: the host has no CUDA context. What NVML does not tell on this machine has no line.
 */
#ifndef VERIFY_GPU_PROPERTIES_H
#define VERIFY_GPU_PROPERTIES_H

#include <stdio.h>

#include "gpu.h"

void gpu_print_properties(FILE *file, const struct gpu *gpu);

#endif
