/*
 * jit_log.h - the logs of the compiler that programs give room for when they load PTX or link it. The driver's numbers
 * of the options are the runtime's.
 */
#ifndef CUDASIM_JIT_LOG_H
#define CUDASIM_JIT_LOG_H

#include "runtime.h"

/* Writes `text` to the log of errors, and empties the other one. */
void jit_log_write(unsigned count, const enum cudaJitOption *options, void **values, const char *text);

/* The same with what was wrong with the image that was loaded last; `loaded`: nothing. */
void jit_log_load(const struct runtime *runtime, bool loaded, unsigned count, const enum cudaJitOption *options,
                  void **values);

#endif
