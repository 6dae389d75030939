/*
 * device.h - what a submission runs on: a GPU, the simulator or the CPU, and the libraries that go with it.
 */
#ifndef VERIFY_DEVICE_H
#define VERIFY_DEVICE_H

#include <limits.h>
#include <stdbool.h>

#include "verify/inspect/elfinfo.h"
#include "verify/base/error.h"
#include "verify/gpu/gpu.h"
#include "options.h"
#include "simulator.h"

struct device {
    enum device_choice kind;      /* DEVICE_GPU, DEVICE_SIM, DEVICE_CPU or DEVICE_POCL */
    const char *no_gpu;           /* why something stands in for the GPU; or NULL */
    struct gpu gpu;               /* with DEVICE_GPU */
    struct simulator simulator;   /* with DEVICE_SIM; else zeros */
    char name[128];               /* of the GPU, the simulator or the CPU */
    char cuda_folder[PATH_MAX];   /* where libcudart is, or "" for the loader's own */
    char opencl_folder[PATH_MAX]; /* which names the OpenCL driver, or "" */
    char opencl_driver[64];       /* its soname, or "" */
};

/*
 * Chooses as the options ask, for what the submission needs: the simulator for CUDA, and PoCL for OpenCL, where there
 * is no usable GPU and none was asked for. `build` is where the toolkit was built, `language` what the submission is
 * called in messages. What the options ask and cannot be had is refused; a device node, library or file that is missing
 * is the toolkit's error.
 */
bool device_choose(struct device *device, const struct options *options, const struct elfinfo *submission,
                   const char *language, const char *build, struct error *error);

/* The kind as reports have it: "gpu", "sim", "cpu" or "pocl". */
const char *device_kind_name(enum device_choice kind);

/* Prints the devices of this machine to standard output, and to standard error why one is not there. */
void device_list(const char *build, const struct error *no_build);

#endif
