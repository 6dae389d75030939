/*
 * gpu.h - which NVIDIA GPUs this machine has, as NVIDIA's management library tells the host.
 *
 * NVML is loaded by name at run time: the host neither links CUDA nor needs the CUDA Toolkit, and never has a
 * CUDA context.
 */
#ifndef VERIFY_GPU_H
#define VERIFY_GPU_H

#include <stdbool.h>

struct gpu {
    int minor;       /* N of /dev/nvidiaN */
    char name[96];   /* "NVIDIA H100 80GB HBM3" */
    char uuid[96];   /* "GPU-…" */
    char driver[80]; /* the driver's version */
};

/* The first GPU. False when there is none, or none that can be used; *why then says what was found. */
bool gpu_first(struct gpu *gpu, const char **why);

#endif
