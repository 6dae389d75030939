/*
 * driver_version.c - the version of CUDA in which a function of the driver appeared, by cudaTypedefs.h of CUDA 13.0. A
 * program that asks for the functions of an older version does not get it. Functions that existed in CUDA 9, and those
 * that driver_address.c lists, are left out.
 */
#include "driver.h"

#include <stdio.h>
#include <string.h>

/* The names stand between blanks. */
static const struct {
    int version; /* 12040: CUDA 12.4 */
    const char *names;
} appeared[] = {
    { 10000, " cuDestroyExternalMemory cuDestroyExternalSemaphore cuDeviceGetLuid cuExternalMemoryGetMappedBuffer "
             "cuExternalMemoryGetMappedMipmappedArray cuGraphAddChildGraphNode cuGraphAddEmptyNode "
             "cuGraphAddHostNode cuGraphAddMemcpyNode cuGraphAddMemsetNode cuGraphChildGraphNodeGetGraph "
             "cuGraphClone cuGraphCreate cuGraphDestroy cuGraphDestroyNode cuGraphExecDestroy cuGraphGetNodes "
             "cuGraphGetRootNodes cuGraphHostNodeGetParams cuGraphHostNodeSetParams cuGraphLaunch "
             "cuGraphMemcpyNodeGetParams cuGraphMemcpyNodeSetParams cuGraphMemsetNodeGetParams "
             "cuGraphMemsetNodeSetParams cuGraphNodeFindInClone cuGraphNodeGetType cuImportExternalMemory "
             "cuImportExternalSemaphore cuLaunchHostFunc cuSignalExternalSemaphoresAsync cuStreamBeginCapture "
             "cuStreamEndCapture cuStreamIsCapturing cuWaitExternalSemaphoresAsync " },
    { 10010, " cuThreadExchangeStreamCaptureMode " },
    { 10020, " cuDeviceGetNvSciSyncAttributes cuGraphExecHostNodeSetParams cuGraphExecMemcpyNodeSetParams "
             "cuGraphExecMemsetNodeSetParams cuMemAddressFree cuMemAddressReserve cuMemCreate "
             "cuMemExportToShareableHandle cuMemGetAccess cuMemGetAllocationGranularity "
             "cuMemGetAllocationPropertiesFromHandle cuMemImportFromShareableHandle cuMemMap cuMemRelease "
             "cuMemSetAccess cuMemUnmap cuOccupancyAvailableDynamicSMemPerBlock " },
    { 11000, " cuCtxResetPersistingL2Cache cuFuncGetModule cuGraphKernelNodeCopyAttributes "
             "cuGraphKernelNodeGetAttribute cuGraphKernelNodeSetAttribute cuMemRetainAllocationHandle "
             "cuStreamCopyAttributes cuStreamGetAttribute cuStreamSetAttribute " },
    { 11010, " cuArrayGetSparseProperties cuDeviceGetTexture1DLinearMaxWidth cuEventRecordWithFlags "
             "cuGraphAddEventRecordNode cuGraphAddEventWaitNode cuGraphEventRecordNodeGetEvent "
             "cuGraphEventRecordNodeSetEvent cuGraphEventWaitNodeGetEvent cuGraphEventWaitNodeSetEvent "
             "cuGraphExecChildGraphNodeSetParams cuGraphExecEventRecordNodeSetEvent "
             "cuGraphExecEventWaitNodeSetEvent cuGraphUpload cuMemMapArrayAsync "
             "cuMipmappedArrayGetSparseProperties " },
    { 11020, " cuArrayGetPlane cuDeviceGetDefaultMemPool cuDeviceGetMemPool cuDeviceSetMemPool "
             "cuGraphAddExternalSemaphoresSignalNode cuGraphAddExternalSemaphoresWaitNode "
             "cuGraphExecExternalSemaphoresSignalNodeSetParams cuGraphExecExternalSemaphoresWaitNodeSetParams "
             "cuGraphExternalSemaphoresSignalNodeGetParams cuGraphExternalSemaphoresSignalNodeSetParams "
             "cuGraphExternalSemaphoresWaitNodeGetParams cuGraphExternalSemaphoresWaitNodeSetParams "
             "cuMemAllocAsync cuMemAllocFromPoolAsync cuMemFreeAsync cuMemPoolCreate cuMemPoolDestroy "
             "cuMemPoolExportPointer cuMemPoolExportToShareableHandle cuMemPoolGetAccess cuMemPoolGetAttribute "
             "cuMemPoolImportFromShareableHandle cuMemPoolImportPointer cuMemPoolSetAccess cuMemPoolSetAttribute "
             "cuMemPoolTrimTo " },
    { 11030, " cuFlushGPUDirectRDMAWrites cuGetProcAddress cuGraphDebugDotPrint cuGraphReleaseUserObject "
             "cuGraphRetainUserObject cuUserObjectCreate cuUserObjectRelease cuUserObjectRetain " },
    { 11040, " cuCtxGetExecAffinity cuDeviceGetExecAffinitySupport cuDeviceGetGraphMemAttribute "
             "cuDeviceGraphMemTrim cuDeviceSetGraphMemAttribute cuGraphAddMemAllocNode cuGraphAddMemFreeNode "
             "cuGraphInstantiateWithFlags cuGraphMemAllocNodeGetParams cuGraphMemFreeNodeGetParams " },
    { 11060, " cuArrayGetMemoryRequirements cuGraphNodeGetEnabled cuGraphNodeSetEnabled cuLaunchKernelEx "
             "cuMipmappedArrayGetMemoryRequirements " },
    { 11070, " cuGraphAddBatchMemOpNode cuGraphBatchMemOpNodeGetParams cuGraphBatchMemOpNodeSetParams "
             "cuGraphExecBatchMemOpNodeSetParams cuMemGetHandleForAddressRange cuModuleGetLoadingMode "
             "cuOccupancyMaxActiveClusters cuOccupancyMaxPotentialClusterSize " },
    { 12000, " cuCtxGetId cuGraphExecGetFlags cuGraphInstantiateWithParams cuKernelGetAttribute "
             "cuKernelGetFunction cuKernelSetAttribute cuKernelSetCacheConfig cuLibraryGetGlobal "
             "cuLibraryGetKernel cuLibraryGetManaged cuLibraryGetModule cuLibraryGetUnifiedFunction "
             "cuLibraryLoadData cuLibraryLoadFromFile cuLibraryUnload cuStreamGetId cuTensorMapEncodeIm2col "
             "cuTensorMapEncodeTiled cuTensorMapReplaceAddress " },
    { 12010, " cuCoredumpGetAttribute cuCoredumpGetAttributeGlobal cuCoredumpSetAttribute "
             "cuCoredumpSetAttributeGlobal cuCtxSetFlags cuMulticastAddDevice cuMulticastBindAddr "
             "cuMulticastBindMem cuMulticastCreate cuMulticastGetGranularity cuMulticastUnbind " },
    { 12020, " cuGraphExecNodeSetParams cuGraphNodeSetParams " },
    { 12030, " cuFuncGetName cuGraphConditionalHandleCreate cuKernelGetName cuStreamBeginCaptureToGraph " },
    { 12040, " cuCtxFromGreenCtx cuCtxGetDevResource cuDevResourceGenerateDesc cuDevSmResourceSplitByCount "
             "cuDeviceGetDevResource cuDeviceRegisterAsyncNotification cuDeviceUnregisterAsyncNotification "
             "cuFuncGetParamInfo cuFuncIsLoaded cuFuncLoad cuGreenCtxCreate cuGreenCtxDestroy "
             "cuGreenCtxGetDevResource cuGreenCtxRecordEvent cuGreenCtxWaitEvent cuKernelGetParamInfo "
             "cuLibraryEnumerateKernels cuLibraryGetKernelCount cuModuleEnumerateFunctions "
             "cuModuleGetFunctionCount cuStreamGetGreenCtx " },
    { 12050, " cuCtxRecordEvent cuCtxWaitEvent cuGreenCtxStreamCreate cuKernelGetLibrary " },
    { 12060, " cuMemBatchDecompressAsync " },
    { 12080, " cuCheckpointProcessCheckpoint cuCheckpointProcessGetRestoreThreadId cuCheckpointProcessGetState "
             "cuCheckpointProcessLock cuCheckpointProcessRestore cuCheckpointProcessUnlock cuStreamGetDevice "
             "cuTensorMapEncodeIm2colWide " },
    { 12090, " cuGreenCtxGetId cuLogsCurrent cuLogsDumpToFile cuLogsDumpToMemory cuLogsRegisterCallback "
             "cuLogsUnregisterCallback " },
    { 13000, " cuDeviceGetHostAtomicCapabilities cuDeviceGetP2PAtomicCapabilities "
             "cuMemDiscardAndPrefetchBatchAsync cuMemDiscardBatchAsync cuMemGetDefaultMemPool cuMemGetMemPool "
             "cuMemPrefetchBatchAsync cuMemSetMemPool " },
};

int driver_appeared(const char *name)
{
    char word[96];

    if (snprintf(word, sizeof word, " %s ", name) >= (int)sizeof word)
        return 0;
    for (size_t i = 0; i < sizeof appeared / sizeof *appeared; i++)
        if (strstr(appeared[i].names, word))
            return appeared[i].version;
    return 0;
}
