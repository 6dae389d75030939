/*
 * driver_stub.c - the other functions that NVIDIA's driver library exports. Each fails, and prints once that it is not
 * supported. As in runtime_stub.c, no function has the parameters of the header: only the assembler's name links it.
 */
#include "driver.h"

#define UNSUPPORTED_0(row) \
    row(cuArray3DCreate) row(cuArray3DGetDescriptor) row(cuArrayCreate) row(cuArrayGetDescriptor) \
    row(cuCheckpointProcessCheckpoint) row(cuCheckpointProcessGetRestoreThreadId) row(cuCheckpointProcessGetState) \
    row(cuCheckpointProcessLock) row(cuCheckpointProcessRestore) row(cuCheckpointProcessUnlock) row(cuCtxCreate) \
    row(cuCtxDestroy) row(cuCtxPopCurrent) row(cuCtxPushCurrent) row(cuDestroyExternalMemory) \
    row(cuDestroyExternalSemaphore) row(cuDeviceGetLuid) row(cuDeviceGetNvSciSyncAttributes) row(cuDeviceGetUuid) \
    row(cuDevicePrimaryCtxRelease) row(cuDevicePrimaryCtxReset) row(cuDevicePrimaryCtxSetFlags) row(cuDeviceTotalMem) \
    row(cuEventDestroy) row(cuExternalMemoryGetMappedBuffer) row(cuExternalMemoryGetMappedMipmappedArray) \
    row(cuGraphAddDependencies) row(cuGraphAddExternalSemaphoresSignalNode) row(cuGraphAddExternalSemaphoresWaitNode) \
    row(cuGraphAddKernelNode) row(cuGraphAddNode)

#define UNSUPPORTED_1(row) \
    row(cuGraphExecExternalSemaphoresSignalNodeSetParams) row(cuGraphExecExternalSemaphoresWaitNodeSetParams) \
    row(cuGraphExecKernelNodeSetParams) row(cuGraphExecUpdate) row(cuGraphExternalSemaphoresSignalNodeGetParams) \
    row(cuGraphExternalSemaphoresSignalNodeSetParams) row(cuGraphExternalSemaphoresWaitNodeGetParams) \
    row(cuGraphExternalSemaphoresWaitNodeSetParams) row(cuGraphGetEdges) row(cuGraphInstantiate) \
    row(cuGraphInstantiate_v2) row(cuGraphKernelNodeGetParams) row(cuGraphKernelNodeSetParams) \
    row(cuGraphNodeGetDependencies) row(cuGraphNodeGetDependentNodes) row(cuGraphRemoveDependencies) \
    row(cuGraphicsMapResources) row(cuGraphicsMapResources_ptsz) row(cuGraphicsResourceGetMappedMipmappedArray) \
    row(cuGraphicsResourceGetMappedPointer) row(cuGraphicsResourceGetMappedPointer_v2) \
    row(cuGraphicsResourceSetMapFlags) row(cuGraphicsResourceSetMapFlags_v2) row(cuGraphicsSubResourceGetMappedArray) \
    row(cuGraphicsUnmapResources) row(cuGraphicsUnmapResources_ptsz) row(cuGraphicsUnregisterResource) \
    row(cuImportExternalMemory) row(cuImportExternalSemaphore) row(cuIpcOpenMemHandle) row(cuLinkAddData) \
    row(cuLinkAddFile) row(cuLinkCreate) row(cuMemAdvise) row(cuMemAlloc) row(cuMemAllocHost) row(cuMemAllocPitch)

#define UNSUPPORTED_2(row) \
    row(cuMemBatchDecompressAsync) row(cuMemBatchDecompressAsync_ptsz) row(cuMemFree) row(cuMemGetAddressRange) \
    row(cuMemGetHandleForAddressRange) row(cuMemGetInfo) row(cuMemHostGetDevicePointer) row(cuMemHostRegister) \
    row(cuMemMapArrayAsync) row(cuMemMapArrayAsync_ptsz) row(cuMemPrefetchAsync) row(cuMemPrefetchAsync_ptsz) \
    row(cuMemcpy2D) row(cuMemcpy2DAsync) row(cuMemcpy2DUnaligned) row(cuMemcpy3D) row(cuMemcpy3DAsync) \
    row(cuMemcpy3DBatchAsync) row(cuMemcpy3DBatchAsync_ptsz) row(cuMemcpyAtoA) row(cuMemcpyAtoD) row(cuMemcpyAtoH) \
    row(cuMemcpyAtoHAsync) row(cuMemcpyBatchAsync) row(cuMemcpyBatchAsync_ptsz) row(cuMemcpyDtoA) row(cuMemcpyDtoD) \
    row(cuMemcpyDtoDAsync) row(cuMemcpyDtoH) row(cuMemcpyDtoHAsync) row(cuMemcpyHtoA) row(cuMemcpyHtoAAsync) \
    row(cuMemcpyHtoD) row(cuMemcpyHtoDAsync) row(cuMemsetD16) row(cuMemsetD2D16) row(cuMemsetD2D32) row(cuMemsetD2D8) \
    row(cuMemsetD32) row(cuMemsetD8) row(cuModuleGetGlobal) row(cuModuleGetSurfRef) row(cuModuleGetTexRef) \
    row(cuMulticastAddDevice) row(cuMulticastBindAddr) row(cuMulticastBindMem) row(cuMulticastCreate) \
    row(cuMulticastGetGranularity) row(cuMulticastUnbind) row(cuParamSetTexRef)

#define UNSUPPORTED_3(row) \
    row(cuProfilerInitialize) row(cuSignalExternalSemaphoresAsync) row(cuSignalExternalSemaphoresAsync_ptsz) \
    row(cuStreamBatchMemOp) row(cuStreamBatchMemOp_ptsz) row(cuStreamBeginCapture) row(cuStreamBeginCapture_ptsz) \
    row(cuStreamDestroy) row(cuStreamGetCaptureInfo) row(cuStreamGetCaptureInfo_ptsz) row(cuStreamGetCaptureInfo_v2) \
    row(cuStreamGetCaptureInfo_v2_ptsz) row(cuStreamUpdateCaptureDependencies) \
    row(cuStreamUpdateCaptureDependencies_ptsz) row(cuStreamWaitValue32) row(cuStreamWaitValue32_ptsz) \
    row(cuStreamWaitValue64) row(cuStreamWaitValue64_ptsz) row(cuStreamWriteValue32) row(cuStreamWriteValue32_ptsz) \
    row(cuStreamWriteValue64) row(cuStreamWriteValue64_ptsz) row(cuSurfRefGetArray) row(cuSurfRefSetArray) \
    row(cuTensorMapEncodeIm2colWide) row(cuTexRefCreate) row(cuTexRefDestroy) row(cuTexRefGetAddress) \
    row(cuTexRefGetAddressMode) row(cuTexRefGetAddress_v2) row(cuTexRefGetArray) row(cuTexRefGetBorderColor) \
    row(cuTexRefGetFilterMode) row(cuTexRefGetFlags) row(cuTexRefGetFormat) row(cuTexRefGetMaxAnisotropy) \
    row(cuTexRefGetMipmapFilterMode) row(cuTexRefGetMipmapLevelBias) row(cuTexRefGetMipmapLevelClamp) \
    row(cuTexRefGetMipmappedArray) row(cuTexRefSetAddress) row(cuTexRefSetAddress2D) row(cuTexRefSetAddress2D_v2) \
    row(cuTexRefSetAddress2D_v3) row(cuTexRefSetAddressMode) row(cuTexRefSetAddress_v2) row(cuTexRefSetArray) \
    row(cuTexRefSetBorderColor) row(cuTexRefSetFilterMode) row(cuTexRefSetFlags) row(cuTexRefSetFormat) \
    row(cuTexRefSetMaxAnisotropy) row(cuTexRefSetMipmapFilterMode) row(cuTexRefSetMipmapLevelBias) \
    row(cuTexRefSetMipmapLevelClamp) row(cuTexRefSetMipmappedArray) row(cuWaitExternalSemaphoresAsync) \
    row(cuWaitExternalSemaphoresAsync_ptsz)

#define STUB(name) \
    CUresult unsupported_##name(void) __asm__(#name); \
    CUresult unsupported_##name(void) \
    { \
        return driver_unsupported(#name "()"); \
    }

UNSUPPORTED_0(STUB)
UNSUPPORTED_1(STUB)
UNSUPPORTED_2(STUB)
UNSUPPORTED_3(STUB)
