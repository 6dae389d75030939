/*
 * fault.h - what kernels did wrong, as the machine records it.
 */
#ifndef CUDASIM_FAULT_H
#define CUDASIM_FAULT_H

#include "machine.h"

/* Records an error of lane `lane` at `ins`, which ends the launch. Returns NULL, for the body to return. */
const struct ins *fault_at(struct warp *w, const struct ins *ins, unsigned lane, enum sim_fault_kind kind,
                           uint64_t address, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Records a warning; the launch goes on. */
void fault_warn(struct warp *w, const struct ins *ins, unsigned lane, enum sim_fault_kind kind, uint64_t address,
                const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Adds a fault, or counts it if it is known; `at` may be NULL. Prints new ones. */
void fault_add(struct sim *sim, const struct sim_fault *fault, const struct ins *at);

/* The readable form of a mangled name, without return type and parameters. To be freed; NULL: no memory. */
char *demangle(const char *name);

#endif
