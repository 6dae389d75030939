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
 * Takes what it needs from the CUDA runtime, which has initialised the driver. NULL stands for a submission without
 * CUDA, whose calls get the CPU's memory. Returns NULL, or what is missing.
 */
const char *resident_begin(void *runtime);

/*
 * Maps the page and the warden's slots, of `size` bytes with the output `offset` bytes behind the input, in the place
 * of earlier ones; closes the descriptors. NULL, or what failed.
 */
const char *resident_map_page(int fd);
const char *resident_map_slots(int fd, size_t size, size_t offset);

/* Off the clock, before the wait for a call: starts kernels that do nothing, as the call will start its own. */
void resident_warm(void);

/* Whether the page says that a call is to be made: its nonce, which differs from those of earlier calls, or 0. */
uint64_t resident_asked(void);

/*
 * That call, on the slots, or the series that it begins (verify/wire/resident.h), to the end of all that it started;
 * *stamps get clock_ns() before and after. The sizes are each call's.
 */
void resident_slots_call(void (*function)(void), uint64_t nonce, size_t input_size, size_t output_size,
                         int64_t stamps[2]);

/*
 * Where nobody gives slots: one call on memory of this process's own. resident_carry_in() makes room on the GPU and
 * brings the output there, as it is; resident_carried() brings the input, calls, and waits for all that was started.
 * False with words on standard error where CUDA failed: in the second case the submission's kernels did.
 */
void resident_end(void); /* gives that memory back */
bool resident_carry_in(const void *output, size_t output_size, size_t input_size);
bool resident_carried(void (*function)(void), void *input, size_t input_size, void *output, size_t output_size);

#endif
