/*
 * driver_ipc.c - memory, events and pools that several processes use. runtime_ipc.c does the work.
 */
#include "driver.h"

#include <string.h>

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address)
{
    struct driver_call call;

    _Static_assert(sizeof *handle == sizeof(cudaIpcMemHandle_t), "the driver's and the runtime's are one");
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaIpcGetMemHandle((cudaIpcMemHandle_t *)handle, (void *)(uintptr_t)address));
}

CUresult cuIpcOpenMemHandle(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags)
{
    struct driver_call call;
    cudaIpcMemHandle_t same;

    memcpy(&same, &handle, sizeof same);
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaIpcOpenMemHandle((void **)address, same, flags));
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaIpcCloseMemHandle((void *)(uintptr_t)address));
}

CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaIpcGetEventHandle((cudaIpcEventHandle_t *)handle, event));
}

CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle)
{
    struct driver_call call;
    cudaIpcEventHandle_t same;

    memcpy(&same, &handle, sizeof same);
    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaIpcOpenEventHandle(event, same));
}

CUresult cuMemPoolExportToShareableHandle(void *handle, CUmemoryPool pool, CUmemAllocationHandleType type,
                                          unsigned long long flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemPoolExportToShareableHandle(handle, pool, (enum cudaMemAllocationHandleType)type,
                                                                (unsigned)flags));
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *handle, CUmemAllocationHandleType type,
                                            unsigned long long flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemPoolImportFromShareableHandle(pool, handle, (enum cudaMemAllocationHandleType)type,
                                                                  (unsigned)flags));
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr address)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemPoolExportPointer((struct cudaMemPoolPtrExportData *)data,
                                                      (void *)(uintptr_t)address));
}

CUresult cuMemPoolImportPointer(CUdeviceptr *address, CUmemoryPool pool, CUmemPoolPtrExportData *data)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaMemPoolImportPointer((void **)address, pool,
                                                      (struct cudaMemPoolPtrExportData *)data));
}
