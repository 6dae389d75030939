/*
 * driver_stub.c - the other functions that NVIDIA's driver library exports. Each fails, and prints once that it is not
 * supported. As in runtime_stub.c, no function has the parameters of the header: only the assembler's name links it.
 */
#include "driver.h"

#define UNSUPPORTED_0(row) \
    row(cuArray3DCreate) row(cuArray3DGetDescriptor) row(cuArrayCreate) row(cuArrayGetDescriptor) \
    row(cuCheckpointProcessCheckpoint) row(cuCheckpointProcessGetRestoreThreadId) row(cuCheckpointProcessGetState) \
    row(cuCheckpointProcessLock) row(cuCheckpointProcessRestore) row(cuCheckpointProcessUnlock) row(cuCtxCreate) \
    row(cuDestroyExternalMemory) row(cuDestroyExternalSemaphore) \
    row(cuDeviceGetNvSciSyncAttributes) row(cuDeviceTotalMem) row(cuExternalMemoryGetMappedBuffer) \
    row(cuExternalMemoryGetMappedMipmappedArray) row(cuGraphAddExternalSemaphoresSignalNode) \
    row(cuGraphAddExternalSemaphoresWaitNode) row(cuGraphExecExternalSemaphoresSignalNodeSetParams) \
    row(cuGraphExecExternalSemaphoresWaitNodeSetParams) row(cuGraphExternalSemaphoresSignalNodeGetParams) \
    row(cuGraphExternalSemaphoresSignalNodeSetParams) row(cuGraphExternalSemaphoresWaitNodeGetParams) \
    row(cuGraphExternalSemaphoresWaitNodeSetParams) row(cuGraphicsMapResources) row(cuGraphicsMapResources_ptsz) \
    row(cuGraphicsResourceGetMappedMipmappedArray) row(cuGraphicsResourceGetMappedPointer) \
    row(cuGraphicsResourceGetMappedPointer_v2) row(cuGraphicsResourceSetMapFlags) \
    row(cuGraphicsResourceSetMapFlags_v2) row(cuGraphicsSubResourceGetMappedArray) row(cuGraphicsUnmapResources) \
    row(cuGraphicsUnmapResources_ptsz) row(cuGraphicsUnregisterResource) row(cuImportExternalMemory) \
    row(cuImportExternalSemaphore) row(cuMemAlloc) row(cuMemAllocHost) row(cuMemAllocPitch)

#define UNSUPPORTED_1(row) \
    row(cuMemBatchDecompressAsync) row(cuMemBatchDecompressAsync_ptsz) row(cuMemFree) row(cuMemGetAddressRange) \
    row(cuMemGetHandleForAddressRange) row(cuMemGetInfo) row(cuMemHostGetDevicePointer) row(cuMemMapArrayAsync) \
    row(cuMemMapArrayAsync_ptsz) row(cuMemcpy2D) row(cuMemcpy2DAsync) row(cuMemcpy2DUnaligned) row(cuMemcpy3D) \
    row(cuMemcpy3DAsync) row(cuMemcpyAtoA) row(cuMemcpyAtoD) row(cuMemcpyAtoH) row(cuMemcpyAtoHAsync) \
    row(cuMemcpyDtoA) row(cuMemcpyDtoD) row(cuMemcpyDtoDAsync) row(cuMemcpyDtoH) row(cuMemcpyDtoHAsync) \
    row(cuMemcpyHtoA) row(cuMemcpyHtoAAsync) row(cuMemcpyHtoD) row(cuMemcpyHtoDAsync) row(cuMemsetD16) \
    row(cuMemsetD2D16) row(cuMemsetD2D32) row(cuMemsetD2D8) row(cuMemsetD32) row(cuMemsetD8) row(cuModuleGetGlobal) \
    row(cuModuleGetSurfRef) row(cuModuleGetTexRef) row(cuMulticastAddDevice) row(cuMulticastBindAddr) \
    row(cuMulticastBindMem) row(cuMulticastCreate) row(cuMulticastGetGranularity) row(cuMulticastUnbind)

#define UNSUPPORTED_2(row) \
    row(cuParamSetTexRef) row(cuProfilerInitialize) row(cuSignalExternalSemaphoresAsync) \
    row(cuSignalExternalSemaphoresAsync_ptsz) row(cuStreamBeginCapture) row(cuStreamBeginCapture_ptsz) \
    row(cuSurfRefGetArray) row(cuSurfRefSetArray) row(cuTensorMapEncodeIm2colWide) row(cuTexRefCreate) \
    row(cuTexRefDestroy) row(cuTexRefGetAddress) row(cuTexRefGetAddressMode) row(cuTexRefGetAddress_v2) \
    row(cuTexRefGetArray) row(cuTexRefGetBorderColor) row(cuTexRefGetFilterMode) row(cuTexRefGetFlags) \
    row(cuTexRefGetFormat) row(cuTexRefGetMaxAnisotropy) row(cuTexRefGetMipmapFilterMode) \
    row(cuTexRefGetMipmapLevelBias) row(cuTexRefGetMipmapLevelClamp) row(cuTexRefGetMipmappedArray) \
    row(cuTexRefSetAddress) row(cuTexRefSetAddress2D) row(cuTexRefSetAddress2D_v2) row(cuTexRefSetAddress2D_v3) \
    row(cuTexRefSetAddressMode) row(cuTexRefSetAddress_v2) row(cuTexRefSetArray) row(cuTexRefSetBorderColor) \
    row(cuTexRefSetFilterMode) row(cuTexRefSetFlags) row(cuTexRefSetFormat) row(cuTexRefSetMaxAnisotropy) \
    row(cuTexRefSetMipmapFilterMode) row(cuTexRefSetMipmapLevelBias) row(cuTexRefSetMipmapLevelClamp) \
    row(cuTexRefSetMipmappedArray) row(cuWaitExternalSemaphoresAsync) row(cuWaitExternalSemaphoresAsync_ptsz)

#define STUB(name) \
    CUresult unsupported_##name(void) __asm__(#name); \
    CUresult unsupported_##name(void) \
    { \
        return driver_unsupported(#name "()"); \
    }

UNSUPPORTED_0(STUB)
UNSUPPORTED_1(STUB)
UNSUPPORTED_2(STUB)
