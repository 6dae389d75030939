/*
 * sim.h - the virtual device: modules loaded on it, kernels launched on it, counts and faults.
 *
 * This is the interface between the CUDA runtime's calls (runtime/) and the machine below them. Every call takes the
 * device. Nothing is global: two devices in one process are independent. This header includes headers of machine/ and
 * they are part of the interface. They declare the functions that need no text of a program.
 */
#ifndef CUDASIM_SIM_H
#define CUDASIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "contrib/cudasim/base/memory.h"
#include "contrib/cudasim/container/fatbin.h"
#include "contrib/cudasim/machine/child.h"
#include "contrib/cudasim/machine/count.h"
#include "contrib/cudasim/machine/device.h"
#include "contrib/cudasim/machine/fault.h"
#include "contrib/cudasim/machine/kernel.h"
#include "contrib/cudasim/machine/launch.h"
#include "contrib/cudasim/machine/settings.h"
#include "contrib/cudasim/machine/traffic.h"
#include "contrib/cudasim/machine/texture.h"
#include "contrib/cudasim/ptx/ptx.h"

struct sim;
struct sim_module;
struct sim_kernel;

/* NULL with a message where there is no memory, or no instruction table for this processor. */
struct sim *sim_create(const struct sim_limits *limits, const struct sim_options *options, char *error,
                       size_t error_size);
void sim_destroy(struct sim *sim);

/* From now on, what kernels print is dropped. */
void sim_silence(struct sim *sim);

/*
 * Loads PTX text onto the device: every instruction is given its body now. A kernel with an opcode that is not
 * supported is refused alone: see sim_kernel_refusal(). `cubin` (may be NULL) has what ptxas said of the kernels. NULL
 * with *error otherwise.
 */
struct sim_module *sim_load(struct sim *sim, const char *ptx, size_t size, const struct cubin_kernel *cubin,
                            size_t cubin_count, struct ptx_error *error);
/* The same for texts[count] that were compiled separately, one at least: they are linked. */
struct sim_text {
    const char *text;
    size_t size; /* bytes; it need not end in NUL */
};

struct sim_module *sim_link(struct sim *sim, const struct sim_text *texts, size_t count,
                            const struct cubin_kernel *cubin, size_t cubin_count, struct ptx_error *error);
void sim_unload(struct sim *sim, struct sim_module *module);

/* A variable by its name: its device address and size in bytes. */
bool sim_variable(struct sim_module *module, const char *name, uint64_t *address, uint64_t *size);

#endif
