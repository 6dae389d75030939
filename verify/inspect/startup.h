/*
 * startup.h - checks that only the CUDA compiler's own code registers device code, and only the file's device code.
 */
#ifndef VERIFY_STARTUP_H
#define VERIFY_STARTUP_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the functions of allowed_at_startup() are called by the compiler's functions alone. If not, broken[size] gets
 * one line. Code that computes the place of such a call is not found: when the file is loaded, the runner compares what
 * is registered with the file (verify/runner/device_code.h).
 */
bool startup_check(Elf *elf, char *broken, size_t size);

#endif
