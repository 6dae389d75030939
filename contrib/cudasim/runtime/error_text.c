/*
 * error_text.c - the codes of CUDA's errors, their names and texts.
 *
 * Programs compare texts. So the texts of all errors that this runtime can return are the same as NVIDIA's.
 */
#include "runtime.h"

/* By code, as bsearch() would want it. */
#define ERRORS(row) \
    row(cudaSuccess, "no error") \
    row(cudaErrorInvalidValue, "invalid argument") \
    row(cudaErrorMemoryAllocation, "out of memory") \
    row(cudaErrorInitializationError, "initialization error") \
    row(cudaErrorCudartUnloading, "driver shutting down") \
    row(cudaErrorProfilerDisabled, "profiler disabled while using external profiling tool") \
    row(cudaErrorProfilerNotInitialized, "the profiler has not been initialized") \
    row(cudaErrorProfilerAlreadyStarted, "profiler already started") \
    row(cudaErrorProfilerAlreadyStopped, "profiler already stopped") \
    row(cudaErrorInvalidConfiguration, "invalid configuration argument") \
    row(cudaErrorInvalidPitchValue, "invalid pitch argument") \
    row(cudaErrorInvalidSymbol, "invalid device symbol") \
    row(cudaErrorInvalidHostPointer, "invalid host pointer") \
    row(cudaErrorInvalidDevicePointer, "invalid device pointer") \
    row(cudaErrorInvalidTexture, "invalid texture reference") \
    row(cudaErrorInvalidTextureBinding, "texture is bound to no pointer") \
    row(cudaErrorInvalidChannelDescriptor, "invalid channel descriptor") \
    row(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy") \
    row(cudaErrorAddressOfConstant, "invalid address of constant") \
    row(cudaErrorTextureFetchFailed, "fetch from texture failed") \
    row(cudaErrorTextureNotBound, "fetch from a texture that is not bound") \
    row(cudaErrorSynchronizationError, "incorrect use of __syncthreads()") \
    row(cudaErrorInvalidFilterSetting, "linear filtering needs a floating-point type") \
    row(cudaErrorInvalidNormSetting, "reading as normalized float needs another data type") \
    row(cudaErrorMixedDeviceExecution, "device emulation cannot be mixed with device execution") \
    row(cudaErrorNotYetImplemented, "feature not yet implemented") \
    row(cudaErrorMemoryValueTooLarge, "memory size or pointer does not fit in 32 bits") \
    row(cudaErrorStubLibrary, "CUDA driver is a stub library") \
    row(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version") \
    row(cudaErrorCallRequiresNewerDriver, "the installed driver does not support this call") \
    row(cudaErrorInvalidSurface, "invalid surface reference") \
    row(cudaErrorDuplicateVariableName, "duplicate global variable looked up by string name") \
    row(cudaErrorDuplicateTextureName, "duplicate texture looked up by string name") \
    row(cudaErrorDuplicateSurfaceName, "duplicate surface looked up by string name") \
    row(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable") \
    row(cudaErrorIncompatibleDriverContext, "incompatible driver context") \
    row(cudaErrorMissingConfiguration, "__global__ function call is not configured") \
    row(cudaErrorPriorLaunchFailure, "unspecified launch failure in prior launch") \
    row(cudaErrorLaunchMaxDepthExceeded, "launch is nested too deeply") \
    row(cudaErrorLaunchFileScopedTex, "launch failed because the kernel uses file-scoped textures") \
    row(cudaErrorLaunchFileScopedSurf, "launch failed because the kernel uses file-scoped surfaces") \
    row(cudaErrorSyncDepthExceeded, "nested synchronization exceeds cudaLimitDevRuntimeSyncDepth") \
    row(cudaErrorLaunchPendingCountExceeded, "launch exceeds cudaLimitDevRuntimePendingLaunchCount") \
    row(cudaErrorInvalidDeviceFunction, "invalid device function") \
    row(cudaErrorNoDevice, "no CUDA-capable device is detected") \
    row(cudaErrorInvalidDevice, "invalid device ordinal") \
    row(cudaErrorDeviceNotLicensed, "device has no valid Grid license") \
    row(cudaErrorSoftwareValidityNotEstablished, "integrity checks failed") \
    row(cudaErrorStartupFailure, "startup failure in cuda runtime") \
    row(cudaErrorInvalidKernelImage, "device kernel image is invalid") \
    row(cudaErrorDeviceUninitialized, "invalid device context") \
    row(cudaErrorMapBufferObjectFailed, "mapping of buffer object failed") \
    row(cudaErrorUnmapBufferObjectFailed, "unmapping of buffer object failed") \
    row(cudaErrorArrayIsMapped, "array is mapped") \
    row(cudaErrorAlreadyMapped, "resource already mapped") \
    row(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device") \
    row(cudaErrorAlreadyAcquired, "resource already acquired") \
    row(cudaErrorNotMapped, "resource not mapped") \
    row(cudaErrorNotMappedAsArray, "resource not mapped as array") \
    row(cudaErrorNotMappedAsPointer, "resource not mapped as pointer") \
    row(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered") \
    row(cudaErrorUnsupportedLimit, "limit is not supported on this architecture") \
    row(cudaErrorDeviceAlreadyInUse, "exclusive-thread device already in use by a different thread") \
    row(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices") \
    row(cudaErrorInvalidPtx, "a PTX JIT compilation failed") \
    row(cudaErrorInvalidGraphicsContext, "invalid OpenGL or DirectX context") \
    row(cudaErrorNvlinkUncorrectable, "uncorrectable NVLink error during the execution") \
    row(cudaErrorJitCompilerNotFound, "PTX JIT compiler library not found") \
    row(cudaErrorUnsupportedPtxVersion, "the provided PTX was compiled with an unsupported toolchain.") \
    row(cudaErrorJitCompilationDisabled, "PTX JIT compilation was disabled") \
    row(cudaErrorUnsupportedExecAffinity, "the provided execution affinity is not supported") \
    row(cudaErrorUnsupportedDevSideSync, "the PTX calls cudaDeviceSynchronize, which is not supported") \
    row(cudaErrorContained, "invalid access of a peer's memory, or a hardware error") \
    row(cudaErrorInvalidSource, "device kernel image is invalid") \
    row(cudaErrorFileNotFound, "file not found") \
    row(cudaErrorSharedObjectSymbolNotFound, "shared object symbol not found") \
    row(cudaErrorSharedObjectInitFailed, "shared object initialization failed") \
    row(cudaErrorOperatingSystem, "OS call failed or operation not supported on this OS") \
    row(cudaErrorInvalidResourceHandle, "invalid resource handle") \
    row(cudaErrorIllegalState, "the operation cannot be performed in the present state") \
    row(cudaErrorLossyQuery, "attempted introspection would be semantically lossy") \
    row(cudaErrorSymbolNotFound, "named symbol not found") \
    row(cudaErrorNotReady, "device not ready") \
    row(cudaErrorIllegalAddress, "an illegal memory access was encountered") \
    row(cudaErrorLaunchOutOfResources, "too many resources requested for launch") \
    row(cudaErrorLaunchTimeout, "the launch timed out and was terminated") \
    row(cudaErrorLaunchIncompatibleTexturing, "launch uses incompatible texturing mode") \
    row(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled") \
    row(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled") \
    row(cudaErrorSetOnActiveProcess, "cannot set while device is active in this process") \
    row(cudaErrorContextIsDestroyed, "context is destroyed") \
    row(cudaErrorAssert, "device-side assert triggered") \
    row(cudaErrorTooManyPeers, "peer mapping resources exhausted") \
    row(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped") \
    row(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region") \
    row(cudaErrorHardwareStackError, "hardware stack error") \
    row(cudaErrorIllegalInstruction, "an illegal instruction was encountered") \
    row(cudaErrorMisalignedAddress, "misaligned address") \
    row(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space") \
    row(cudaErrorInvalidPc, "invalid program counter") \
    row(cudaErrorLaunchFailure, "unspecified launch failure") \
    row(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch") \
    row(cudaErrorTensorMemoryLeak, "tensor memory not completely freed") \
    row(cudaErrorNotPermitted, "operation not permitted") \
    row(cudaErrorNotSupported, "operation not supported") \
    row(cudaErrorSystemNotReady, "system not yet initialized") \
    row(cudaErrorSystemDriverMismatch, "display driver and CUDA driver do not match") \
    row(cudaErrorCompatNotSupportedOnDevice, "the device does not support forward compatibility") \
    row(cudaErrorMpsConnectionFailed, "the MPS control daemon or server could not be reached") \
    row(cudaErrorMpsRpcFailure, "a remote call between MPS client and server failed") \
    row(cudaErrorMpsServerNotReady, "MPS server is not ready for new clients") \
    row(cudaErrorMpsMaxClientsReached, "too many MPS clients") \
    row(cudaErrorMpsMaxConnectionsReached, "too many MPS connections to devices") \
    row(cudaErrorMpsClientTerminated, "the MPS server terminated the client") \
    row(cudaErrorCdpNotSupported, "dynamic parallelism is not supported in this configuration") \
    row(cudaErrorCdpVersionMismatch, "versions of dynamic parallelism do not agree") \
    row(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing") \
    row(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture") \
    row(cudaErrorStreamCaptureMerge, "operation would result in a merge of separate capture sequences") \
    row(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began") \
    row(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work") \
    row(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream") \
    row(cudaErrorStreamCaptureImplicit, \
        "operation would make the legacy stream depend on a capturing blocking stream") \
    row(cudaErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream") \
    row(cudaErrorStreamCaptureWrongThread, "a thread-local capture must be ended by its own thread") \
    row(cudaErrorTimeout, "wait operation timed out") \
    row(cudaErrorGraphExecUpdateFailure, "an instantiated graph cannot be updated with these changes") \
    row(cudaErrorExternalDevice, "an asynchronous error outside of CUDA has occurred") \
    row(cudaErrorInvalidClusterSize, "a kernel launch error has occurred due to cluster misconfiguration") \
    row(cudaErrorFunctionNotLoaded, "the function must be loaded first") \
    row(cudaErrorInvalidResourceType, "resources of these types are not valid for the operation") \
    row(cudaErrorInvalidResourceConfiguration, "resources are insufficient for the operation or do not apply to it") \
    row(cudaErrorUnknown, "unknown error")

struct error_row {
    cudaError_t code;
    const char *name, *text;
};

#define ERROR_ROW(code, text) { code, #code, text },

static const struct error_row *row_of(cudaError_t code)
{
    static const struct error_row rows[] = { ERRORS(ERROR_ROW) };
    size_t low = 0, high = sizeof rows / sizeof rows[0];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (rows[middle].code == code)
            return &rows[middle];
        if (rows[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *error_name(cudaError_t error)
{
    const struct error_row *row = row_of(error);

    return row ? row->name : "unrecognized error code";
}

const char *error_text(cudaError_t error)
{
    const struct error_row *row = row_of(error);

    return row ? row->text : "unrecognized error code";
}
