/*
 * driver_stream.c - the calls that create and destroy streams and events. None takes a default stream.
 */
#include "driver.h"

/* ------------------------------------------------------------------ streams and events */

/* The end of a call that made a stream: it belongs to the green context that is current, if one is. */
static CUresult created(struct driver_call *call, CUstream *stream, cudaError_t error)
{
    if (error == cudaSuccess)
        (*stream)->green = driver_current(call->thread)->green;
    return driver_end(call, error);
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return created(&call, stream, cudaStreamCreateWithFlags(stream, flags));
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return created(&call, stream, cudaStreamCreateWithPriority(stream, flags, priority));
}

CUresult cuStreamDestroy(CUstream stream)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaStreamDestroy(stream)) : call.result;
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventDestroy(CUevent event)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaEventDestroy(event)) : call.result;
}

CUresult cuEventQuery(CUevent event)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaEventQuery(event)) : call.result;
}

CUresult cuEventSynchronize(CUevent event)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaEventSynchronize(event)) : call.result;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaEventElapsedTime(milliseconds, start, end));
}

#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);

/* The name of CUDA 12.7 and before. */
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    return cuEventElapsedTime_v2(milliseconds, start, end);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode));
}
