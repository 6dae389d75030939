/*
 * jit_log.c - writes the logs of the compiler that programs give room for.
 */
#include "jit_log.h"

#include <stdio.h>
#include <string.h>

void jit_log_write(unsigned count, const enum cudaJitOption *options, void **values, const char *text)
{
    char *buffer = NULL, *other = NULL;
    size_t room = 0;

    for (unsigned i = 0; i < count; i++) {
        if (options[i] == cudaJitErrorLogBuffer)
            buffer = values[i];
        else if (options[i] == cudaJitErrorLogBufferSizeBytes)
            room = (uintptr_t)values[i] & UINT32_MAX;
        else if (options[i] == cudaJitInfoLogBuffer)
            other = values[i];
        else if (options[i] == cudaJitInfoLogBufferSizeBytes)
            values[i] = NULL; /* bytes that the log has */
        if (options[i] == cudaJitWallTime)
            values[i] = NULL; /* 0 milliseconds */
    }
    if (other)
        *other = '\0';
    if (buffer && room > 0)
        snprintf(buffer, room, "%s", text);
    for (unsigned i = 0; i < count; i++)
        if (options[i] == cudaJitErrorLogBufferSizeBytes)
            values[i] = (void *)(strlen(text) < room ? strlen(text) : room);
}

void jit_log_load(const struct runtime *runtime, bool loaded, unsigned count, const enum cudaJitOption *options,
                  void **values)
{
    const char *why = runtime && runtime->load_log[0] ? runtime->load_log
                                                      : "the module cannot be loaded: see standard error";

    jit_log_write(count, options, values, loaded ? "" : why);
}
