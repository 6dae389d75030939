/*
 * complain.c - prints the runtime's own messages: one line each on standard error, which begins with "cudasim: ".
 */
#include "runtime.h"

#include <stdarg.h>
#include <stdio.h>

void runtime_complain(const char *format, ...)
{
    char line[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "cudasim: %s\n", line);
}

cudaError_t runtime_unsupported(struct call *call, const char *what)
{
    if (!map_get(&call->runtime->told, what)) {
        map_put(&call->runtime->told, what, call->runtime);
        runtime_complain("%s is not supported", what);
    }
    return cudaErrorNotSupported;
}
