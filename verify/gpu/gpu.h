/*
 * gpu.h - the NVIDIA GPUs of this machine, as NVIDIA's management library tells the host.
 *
 * NVML is loaded by name at run time: the host neither links CUDA nor needs the CUDA Toolkit, and never has a
 * CUDA context.
 */
#ifndef VERIFY_GPU_H
#define VERIFY_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/base/error.h"

struct gpu {
    int minor;       /* N of /dev/nvidiaN */
    char name[96];   /* "NVIDIA H100 80GB HBM3" */
    char uuid[96];   /* "GPU-…" */
    char driver[80]; /* the driver's version */
    double link; /* bytes a second that its PCI Express link can carry at most, one way; 0 where NVML does not tell */
};

/*
 * The first GPU, or the one whose number (in the order of nvidia-smi) or UUID `selector` is. False when there is none,
 * or none that can be used; *why then says what was found.
 */
bool gpu_choose(struct gpu *gpu, const char *selector, const char **why);

enum { GPU_PROCESSES_KEPT = 16 };

/* What changes. */
struct gpu_state {
    unsigned sm_megahertz, memory_megahertz; /* clocks now */
    unsigned temperature;                    /* degrees Celsius */
    uint64_t reasons;                        /* why the clocks are as they are: a bit each of GPU_SLOWED and others */
    size_t memory_used;                      /* bytes of device memory, by everybody */
    unsigned processes;                      /* that have a CUDA context on it */
    unsigned pids[GPU_PROCESSES_KEPT];       /* the first of them, as the driver numbers them */
};

/* Reads it by NVML, within a millisecond. What NVML does not tell on this machine is 0. False when there is no NVML. */
bool gpu_read(const struct gpu *gpu, struct gpu_state *state);

/* NVML itself (dlopen) and its handle of the GPU, for those who ask it more; false, with *why in words. */
bool gpu_nvml(const struct gpu *gpu, void **library, void **device, const char **why);

/* Bytes of device memory in use, by everybody; 0 where NVML does not tell. Takes some microseconds. */
size_t gpu_memory_used(const struct gpu *gpu);

/*
 * The bits of `reasons` that mean a GPU slower than it can be: power cap 0x4, hardware slowdown 0x8, software and
 * hardware thermal slowdown 0x20 and 0x40, power brake 0x80 ("NVML API Reference Guide", nvmlClocksEventReasons).
 */
#define GPU_SLOWED UINT64_C(0xec)

/* The words for those bits, joined by commas; "" for none. */
void gpu_reason_words(uint64_t reasons, char *text, size_t size);

/*
 * Waits until no other host on this machine judges on the GPU, telling so on standard error if it must; the claim lasts
 * as long as this process.
 */
bool gpu_claim(const struct gpu *gpu, struct error *error);

/*
 * The mark that a GPU got which failed its probe: a file named after it in /tmp. gpu_unfit() is true where there is
 * one, with what stands in it; gpu_mark() writes it, or removes it where `why` is NULL.
 */
bool gpu_unfit(const struct gpu *gpu, char *why, size_t size);
void gpu_mark(const struct gpu *gpu, const char *why);

#endif
