/*
 * driver_log.c - cuLogs*: the log of calls that failed, of the runtime and of the driver alike.
 */
#include "driver.h"

CUresult cuLogsRegisterCallback(CUlogsCallback function, void *data, CUlogsCallbackHandle *handle)
{
    struct driver_call call;

    /* The two kinds of functions have the same arguments. */
    return driver_begin(&call, DRIVER_ANY)
               ? driver_end(&call, cudaLogsRegisterCallback((cudaLogsCallback_t)(void (*)(void))function, data, handle))
               : call.result;
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_ANY) ? driver_end(&call, cudaLogsUnregisterCallback(handle)) : call.result;
}

CUresult cuLogsCurrent(CUlogIterator *iterator, unsigned flags)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_ANY) ? driver_end(&call, cudaLogsCurrent(iterator, flags)) : call.result;
}

CUresult cuLogsDumpToFile(CUlogIterator *iterator, const char *path, unsigned flags)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_ANY) ? driver_end(&call, cudaLogsDumpToFile(iterator, path, flags)) : call.result;
}

CUresult cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size, unsigned flags)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_ANY) ? driver_end(&call, cudaLogsDumpToMemory(iterator, buffer, size, flags))
                                           : call.result;
}
