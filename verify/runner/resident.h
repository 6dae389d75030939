/*
 * resident.h - calls of problems whose data are resident on the GPU (resident_call.h has both sides' words).
 */
#ifndef VERIFY_RUNNER_RESIDENT_H
#define VERIFY_RUNNER_RESIDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/wire/call.h"

/*
 * Takes what it needs from the CUDA runtime, a library that is loaded; NULL for a submission without CUDA, whose calls get
 * the CPU's memory. NULL, or what is missing.
 */
const char *resident_begin(void *runtime);

/*
 * Where nobody gives slots: one call on memory of this process's own. resident_carry_in() makes room on the GPU and
 * brings the output there, as it is; resident_carried() brings the input, calls, and waits for all that was started.
 * False with words on standard error where CUDA failed: in the second case the submission's kernels did.
 */
bool resident_carry_in(const void *output, size_t output_size, size_t input_size);
bool resident_carried(void (*function)(void), void *input, size_t input_size, void *output, size_t output_size);

#endif
