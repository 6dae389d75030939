/*
 * runtime_stub.c - the other functions that NVIDIA's library exports. Each fails, and prints once that it is not
 * supported.
 *
 * The functions ignore their arguments, so none has the prototype of the header. Only the assembler's name links them.
 * (tests compare the exports with those of the real library.)
 */
#include "runtime.h"

/* Other graphics libraries, and memory that is theirs */
#define UNSUPPORTED_1(row) \
    row(cudaDestroyExternalMemory) row(cudaDestroyExternalSemaphore) row(cudaDeviceGetNvSciSyncAttributes) \
    row(cudaEGLStreamConsumerAcquireFrame) row(cudaEGLStreamConsumerConnect) \
    row(cudaEGLStreamConsumerConnectWithFlags) row(cudaEGLStreamConsumerDisconnect) \
    row(cudaEGLStreamConsumerReleaseFrame) row(cudaEGLStreamProducerConnect) row(cudaEGLStreamProducerDisconnect) \
    row(cudaEGLStreamProducerPresentFrame) row(cudaEGLStreamProducerReturnFrame) row(cudaEventCreateFromEGLSync) \
    row(cudaExternalMemoryGetMappedBuffer) row(cudaExternalMemoryGetMappedMipmappedArray) row(cudaGLGetDevices) \
    row(cudaGLMapBufferObject) row(cudaGLMapBufferObjectAsync) row(cudaGLRegisterBufferObject) \
    row(cudaGLSetBufferObjectMapFlags) row(cudaGLSetGLDevice) row(cudaGLUnmapBufferObject) \
    row(cudaGLUnmapBufferObjectAsync) row(cudaGLUnregisterBufferObject) \
    row(cudaGraphAddExternalSemaphoresSignalNode) row(cudaGraphAddExternalSemaphoresWaitNode) \
    row(cudaGraphExecExternalSemaphoresSignalNodeSetParams) row(cudaGraphExecExternalSemaphoresWaitNodeSetParams) \
    row(cudaGraphExternalSemaphoresSignalNodeGetParams) row(cudaGraphExternalSemaphoresSignalNodeSetParams) \
    row(cudaGraphExternalSemaphoresWaitNodeGetParams) row(cudaGraphExternalSemaphoresWaitNodeSetParams) \
    row(cudaGraphicsEGLRegisterImage) row(cudaGraphicsGLRegisterBuffer) row(cudaGraphicsGLRegisterImage) \
    row(cudaGraphicsMapResources) row(cudaGraphicsResourceGetMappedEglFrame) \
    row(cudaGraphicsResourceGetMappedMipmappedArray) row(cudaGraphicsResourceGetMappedPointer) \
    row(cudaGraphicsResourceSetMapFlags) row(cudaGraphicsSubResourceGetMappedArray) row(cudaGraphicsUnmapResources) \
    row(cudaGraphicsUnregisterResource) row(cudaGraphicsVDPAURegisterOutputSurface) \
    row(cudaGraphicsVDPAURegisterVideoSurface) row(cudaImportExternalMemory) row(cudaImportExternalSemaphore) \
    row(cudaSignalExternalSemaphoresAsync) row(cudaSignalExternalSemaphoresAsync_ptsz) row(cudaVDPAUGetDevice) \
    row(cudaVDPAUSetVDPAUDevice) row(cudaWaitExternalSemaphoresAsync) row(cudaWaitExternalSemaphoresAsync_ptsz)

/* The driver's tables */
#define UNSUPPORTED_2(row) \
    row(__cudaGetProcAddress) row(cudaGetExportTable)

static cudaError_t unsupported(const char *name)
{
    struct call call;

    if (call_begin(&call, CALL_ANY))
        call.error = runtime_unsupported(&call, name);
    return call_end(&call);
}

#define STUB(name) \
    cudaError_t unsupported_##name(void) __asm__(#name); \
    cudaError_t unsupported_##name(void) \
    { \
        return unsupported(#name "()"); \
    }

UNSUPPORTED_1(STUB)
UNSUPPORTED_2(STUB)
