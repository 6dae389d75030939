/*
 * device.h - the device of a submission: a GPU, the simulator or the CPU, with its libraries.
 */
#ifndef VERIFY_DEVICE_H
#define VERIFY_DEVICE_H

#include <limits.h>
#include <stdbool.h>

#include "verify/inspect/findings.h"
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
 * Chooses the device by the options and the submission's needs. Without a usable GPU, and if none was requested, CUDA
 * gets the simulator and OpenCL gets PoCL. `build` is the build folder, `language` the submission's language for
 * messages. It refuses an option that is not possible here. A missing device node, library or file is the toolkit's
 * error.
 */
bool device_choose(struct device *device, const struct options *options, const struct findings *submission,
                   const char *language, const char *build, struct error *error);

/* The kind as reports have it: "gpu", "sim", "cpu" or "pocl". */
const char *device_kind_name(enum device_choice kind);

/* Prints the devices of this machine to standard output, and to standard error why one is not there. */
void device_list(const char *build, const struct error *no_build);

#endif
