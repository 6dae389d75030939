/*
 * runtime_properties.c - the properties of the virtual device: the sizes of sim_limits, and the clocks and caches of
 * the GPU that it represents. Nothing here is measured.
 */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

enum {
    TEXTURE_ALIGNMENT = 512,     /* bytes */
    TEXTURE_PITCH_ALIGNMENT = 32,
};

/* Attributes that are the same whatever the limits are. */
struct constant_row {
    enum cudaDeviceAttr attribute;
    int value;
};

static const struct constant_row constants[] = {
    { cudaDevAttrMaxBlockDimZ, 64 },
    { cudaDevAttrMaxGridDimX, INT32_MAX },
    { cudaDevAttrMaxGridDimY, 65535 },
    { cudaDevAttrMaxGridDimZ, 65535 },
    { cudaDevAttrWarpSize, 32 },
    { cudaDevAttrMaxPitch, INT32_MAX },
    { cudaDevAttrTextureAlignment, TEXTURE_ALIGNMENT },
    { cudaDevAttrTexturePitchAlignment, TEXTURE_PITCH_ALIGNMENT },
    { cudaDevAttrSurfaceAlignment, TEXTURE_ALIGNMENT },
    { cudaDevAttrGpuOverlap, 1 },
    { cudaDevAttrKernelExecTimeout, 0 },
    { cudaDevAttrIntegrated, 0 },
    { cudaDevAttrCanMapHostMemory, 1 },
    { cudaDevAttrComputeMode, cudaComputeModeDefault },
    { cudaDevAttrConcurrentKernels, 1 },
    { cudaDevAttrEccEnabled, 0 },
    { cudaDevAttrPciBusId, 0 },
    { cudaDevAttrPciDeviceId, 0 },
    { cudaDevAttrPciDomainId, 0 },
    { cudaDevAttrTccDriver, 0 },
    { cudaDevAttrAsyncEngineCount, 3 },
    { cudaDevAttrUnifiedAddressing, 1 },
    { cudaDevAttrMaxTexture1DWidth, 131072 },
    { cudaDevAttrMaxTexture1DLinearWidth, 268435456 },
    { cudaDevAttrMaxTexture1DMipmappedWidth, 32768 },
    { cudaDevAttrMaxTexture1DLayeredWidth, 32768 },
    { cudaDevAttrMaxTexture1DLayeredLayers, 2048 },
    { cudaDevAttrMaxTexture2DWidth, 131072 },
    { cudaDevAttrMaxTexture2DHeight, 65536 },
    { cudaDevAttrMaxTexture2DLayeredWidth, 32768 },
    { cudaDevAttrMaxTexture2DLayeredHeight, 32768 },
    { cudaDevAttrMaxTexture2DLayeredLayers, 2048 },
    { cudaDevAttrMaxTexture2DGatherWidth, 32768 },
    { cudaDevAttrMaxTexture2DGatherHeight, 32768 },
    { cudaDevAttrMaxTexture2DLinearWidth, 131072 },
    { cudaDevAttrMaxTexture2DLinearHeight, 65000 },
    { cudaDevAttrMaxTexture2DLinearPitch, 2097120 },
    { cudaDevAttrMaxTexture2DMipmappedWidth, 32768 },
    { cudaDevAttrMaxTexture2DMipmappedHeight, 32768 },
    { cudaDevAttrMaxTexture3DWidth, 16384 },
    { cudaDevAttrMaxTexture3DHeight, 16384 },
    { cudaDevAttrMaxTexture3DDepth, 16384 },
    { cudaDevAttrMaxTexture3DWidthAlt, 8192 },
    { cudaDevAttrMaxTexture3DHeightAlt, 8192 },
    { cudaDevAttrMaxTexture3DDepthAlt, 32768 },
    { cudaDevAttrMaxTextureCubemapWidth, 32768 },
    { cudaDevAttrMaxTextureCubemapLayeredWidth, 32768 },
    { cudaDevAttrMaxTextureCubemapLayeredLayers, 2046 },
    { cudaDevAttrMaxSurface1DWidth, 32768 },
    { cudaDevAttrMaxSurface1DLayeredWidth, 32768 },
    { cudaDevAttrMaxSurface1DLayeredLayers, 2048 },
    { cudaDevAttrMaxSurface2DWidth, 131072 },
    { cudaDevAttrMaxSurface2DHeight, 65536 },
    { cudaDevAttrMaxSurface2DLayeredWidth, 32768 },
    { cudaDevAttrMaxSurface2DLayeredHeight, 32768 },
    { cudaDevAttrMaxSurface2DLayeredLayers, 2048 },
    { cudaDevAttrMaxSurface3DWidth, 16384 },
    { cudaDevAttrMaxSurface3DHeight, 16384 },
    { cudaDevAttrMaxSurface3DDepth, 16384 },
    { cudaDevAttrMaxSurfaceCubemapWidth, 32768 },
    { cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768 },
    { cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046 },
    { cudaDevAttrStreamPrioritiesSupported, 1 },
    { cudaDevAttrGlobalL1CacheSupported, 1 },
    { cudaDevAttrLocalL1CacheSupported, 1 },
    { cudaDevAttrManagedMemory, 1 },
    { cudaDevAttrIsMultiGpuBoard, 0 },
    { cudaDevAttrMultiGpuBoardGroupID, 0 },
    { cudaDevAttrHostNativeAtomicSupported, 0 },
    { cudaDevAttrPageableMemoryAccess, 0 },
    { cudaDevAttrConcurrentManagedAccess, 1 },
    { cudaDevAttrComputePreemptionSupported, 1 },
    { cudaDevAttrCanUseHostPointerForRegisteredMem, 1 },
    { cudaDevAttrCooperativeLaunch, 1 },
    { cudaDevAttrCanFlushRemoteWrites, 0 },
    { cudaDevAttrHostRegisterSupported, 1 },
    { cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0 },
    { cudaDevAttrDirectManagedMemAccessFromHost, 0 },
    { cudaDevAttrMaxPersistingL2CacheSize, 0 },
    { cudaDevAttrMaxAccessPolicyWindowSize, 0 },
    { cudaDevAttrSparseCudaArraySupported, 0 },
    { cudaDevAttrHostRegisterReadOnlySupported, 1 },
    { cudaDevAttrTimelineSemaphoreInteropSupported, 0 },
    { cudaDevAttrMemoryPoolsSupported, 1 },
    { cudaDevAttrGPUDirectRDMASupported, 0 },
    { cudaDevAttrGPUDirectRDMAFlushWritesOptions, 0 },
    { cudaDevAttrGPUDirectRDMAWritesOrdering, 0 },
    { cudaDevAttrMemoryPoolSupportedHandleTypes, cudaMemHandleTypePosixFileDescriptor },
    { cudaDevAttrDeferredMappingCudaArraySupported, 0 },
    { cudaDevAttrIpcEventSupport, 1 },
    { cudaDevAttrMemSyncDomainCount, 4 },
    { cudaDevAttrNumaConfig, cudaDeviceNumaConfigNone },
    { cudaDevAttrNumaId, -1 },
    { cudaDevAttrMpsEnabled, 0 },
    { cudaDevAttrHostNumaId, -1 },
    { cudaDevAttrD3D12CigSupported, 0 },
    { cudaDevAttrVulkanCigSupported, 0 },
    { cudaDevAttrGpuPciDeviceId, 0 },
    { cudaDevAttrGpuPciSubsystemId, 0 },
    { cudaDevAttrHostNumaMemoryPoolsSupported, 1 },
    { cudaDevAttrHostNumaMultinodeIpcSupported, 0 },
    { cudaDevAttrHostMemoryPoolsSupported, 1 },
    { cudaDevAttrOnlyPartialHostNativeAtomicSupported, 0 },
    { cudaDevAttrReserved92, 0 },
    { cudaDevAttrReserved93, 0 },
    { cudaDevAttrReserved94, 0 },
    { cudaDevAttrReserved96, 0 },
    { cudaDevAttrReserved122, 1 }, /* the driver: 64-bit words of streams, */
    { cudaDevAttrReserved123, 1 }, /* and CU_STREAM_WAIT_VALUE_NOR */
    { cudaDevAttrReserved124, 0 },
    { cudaDevAttrReserved127, 0 },
    { cudaDevAttrReserved128, 0 },
    { cudaDevAttrReserved129, 0 },
    { cudaDevAttrReserved132, 0 },
    { cudaDevAttrReserved141, 0 },
    { cudaDevAttrReserved145, 0 },
};

/* Attributes that are limits: unsigned, at an offset of struct sim_limits. */
struct limit_row {
    enum cudaDeviceAttr attribute;
    size_t offset;
};

#define LIMIT(attribute, field) { attribute, offsetof(struct sim_limits, field) }

static const struct limit_row limit_rows[] = {
    LIMIT(cudaDevAttrMaxThreadsPerBlock, threads_per_block),
    LIMIT(cudaDevAttrMaxBlockDimX, threads_per_block),
    LIMIT(cudaDevAttrMaxBlockDimY, threads_per_block),
    LIMIT(cudaDevAttrMaxSharedMemoryPerBlock, shared_per_block),
    LIMIT(cudaDevAttrMaxSharedMemoryPerBlockOptin, shared_per_block_optin),
    LIMIT(cudaDevAttrMaxSharedMemoryPerMultiprocessor, shared_per_sm),
    LIMIT(cudaDevAttrReservedSharedMemoryPerBlock, shared_reserved),
    LIMIT(cudaDevAttrTotalConstantMemory, constant_bytes),
    LIMIT(cudaDevAttrMaxRegistersPerBlock, registers_per_sm),
    LIMIT(cudaDevAttrMaxRegistersPerMultiprocessor, registers_per_sm),
    LIMIT(cudaDevAttrMultiProcessorCount, multiprocessors),
    LIMIT(cudaDevAttrMaxThreadsPerMultiProcessor, threads_per_sm),
    LIMIT(cudaDevAttrMaxBlocksPerMultiprocessor, blocks_per_sm),
    LIMIT(cudaDevAttrClockRate, clock_khz),
    LIMIT(cudaDevAttrMemoryClockRate, memory_clock_khz),
    LIMIT(cudaDevAttrGlobalMemoryBusWidth, memory_bus_bits),
    LIMIT(cudaDevAttrL2CacheSize, l2_bytes),
    LIMIT(cudaDevAttrSingleToDoublePrecisionPerfRatio, double_ratio),
};

bool attribute_get(const struct sim_limits *limits, enum cudaDeviceAttr attribute, int *value)
{
    switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
        *value = (int)limits->capability / 10;
        return true;
    case cudaDevAttrComputeCapabilityMinor:
        *value = (int)limits->capability % 10;
        return true;
    case cudaDevAttrClusterLaunch:
        *value = limits->cluster_size > 1;
        return true;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof limit_rows / sizeof limit_rows[0]; i++) {
        if (limit_rows[i].attribute == attribute) {
            *value = (int)*(const unsigned *)(const void *)((const char *)limits + limit_rows[i].offset);
            return true;
        }
    }
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        if (constants[i].attribute == attribute) {
            *value = constants[i].value;
            return true;
        }
    }
    return false;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    struct call call;

    if (call_begin(&call, CALL_DRIVER) && runtime_needs_device(call.runtime, &call.error)) {
        if (device != 0)
            call.error = cudaErrorInvalidDevice;
        else if (!value || !attribute_get(sim_limits(call.runtime->sim), attribute, value))
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

/* Where each attribute lies in struct cudaDeviceProp: an int, or a size_t if `wide`. */
struct field_row {
    enum cudaDeviceAttr attribute;
    size_t offset;
    bool wide;
};

#define FIELD(attribute, field) \
    { attribute, offsetof(struct cudaDeviceProp, field), \
      sizeof(((struct cudaDeviceProp *)NULL)->field) == sizeof(size_t) }

static const struct field_row fields[] = {
    FIELD(cudaDevAttrMaxSharedMemoryPerBlock, sharedMemPerBlock),
    FIELD(cudaDevAttrMaxRegistersPerBlock, regsPerBlock),
    FIELD(cudaDevAttrWarpSize, warpSize),
    FIELD(cudaDevAttrMaxPitch, memPitch),
    FIELD(cudaDevAttrMaxThreadsPerBlock, maxThreadsPerBlock),
    FIELD(cudaDevAttrMaxBlockDimX, maxThreadsDim[0]),
    FIELD(cudaDevAttrMaxBlockDimY, maxThreadsDim[1]),
    FIELD(cudaDevAttrMaxBlockDimZ, maxThreadsDim[2]),
    FIELD(cudaDevAttrMaxGridDimX, maxGridSize[0]),
    FIELD(cudaDevAttrMaxGridDimY, maxGridSize[1]),
    FIELD(cudaDevAttrMaxGridDimZ, maxGridSize[2]),
    FIELD(cudaDevAttrTotalConstantMemory, totalConstMem),
    FIELD(cudaDevAttrComputeCapabilityMajor, major),
    FIELD(cudaDevAttrComputeCapabilityMinor, minor),
    FIELD(cudaDevAttrTextureAlignment, textureAlignment),
    FIELD(cudaDevAttrTexturePitchAlignment, texturePitchAlignment),
    FIELD(cudaDevAttrMultiProcessorCount, multiProcessorCount),
    FIELD(cudaDevAttrIntegrated, integrated),
    FIELD(cudaDevAttrCanMapHostMemory, canMapHostMemory),
    FIELD(cudaDevAttrMaxTexture1DWidth, maxTexture1D),
    FIELD(cudaDevAttrMaxTexture1DMipmappedWidth, maxTexture1DMipmap),
    FIELD(cudaDevAttrMaxTexture2DWidth, maxTexture2D[0]),
    FIELD(cudaDevAttrMaxTexture2DHeight, maxTexture2D[1]),
    FIELD(cudaDevAttrMaxTexture2DMipmappedWidth, maxTexture2DMipmap[0]),
    FIELD(cudaDevAttrMaxTexture2DMipmappedHeight, maxTexture2DMipmap[1]),
    FIELD(cudaDevAttrMaxTexture2DLinearWidth, maxTexture2DLinear[0]),
    FIELD(cudaDevAttrMaxTexture2DLinearHeight, maxTexture2DLinear[1]),
    FIELD(cudaDevAttrMaxTexture2DLinearPitch, maxTexture2DLinear[2]),
    FIELD(cudaDevAttrMaxTexture2DGatherWidth, maxTexture2DGather[0]),
    FIELD(cudaDevAttrMaxTexture2DGatherHeight, maxTexture2DGather[1]),
    FIELD(cudaDevAttrMaxTexture3DWidth, maxTexture3D[0]),
    FIELD(cudaDevAttrMaxTexture3DHeight, maxTexture3D[1]),
    FIELD(cudaDevAttrMaxTexture3DDepth, maxTexture3D[2]),
    FIELD(cudaDevAttrMaxTexture3DWidthAlt, maxTexture3DAlt[0]),
    FIELD(cudaDevAttrMaxTexture3DHeightAlt, maxTexture3DAlt[1]),
    FIELD(cudaDevAttrMaxTexture3DDepthAlt, maxTexture3DAlt[2]),
    FIELD(cudaDevAttrMaxTextureCubemapWidth, maxTextureCubemap),
    FIELD(cudaDevAttrMaxTexture1DLayeredWidth, maxTexture1DLayered[0]),
    FIELD(cudaDevAttrMaxTexture1DLayeredLayers, maxTexture1DLayered[1]),
    FIELD(cudaDevAttrMaxTexture2DLayeredWidth, maxTexture2DLayered[0]),
    FIELD(cudaDevAttrMaxTexture2DLayeredHeight, maxTexture2DLayered[1]),
    FIELD(cudaDevAttrMaxTexture2DLayeredLayers, maxTexture2DLayered[2]),
    FIELD(cudaDevAttrMaxTextureCubemapLayeredWidth, maxTextureCubemapLayered[0]),
    FIELD(cudaDevAttrMaxTextureCubemapLayeredLayers, maxTextureCubemapLayered[1]),
    FIELD(cudaDevAttrMaxSurface1DWidth, maxSurface1D),
    FIELD(cudaDevAttrMaxSurface2DWidth, maxSurface2D[0]),
    FIELD(cudaDevAttrMaxSurface2DHeight, maxSurface2D[1]),
    FIELD(cudaDevAttrMaxSurface3DWidth, maxSurface3D[0]),
    FIELD(cudaDevAttrMaxSurface3DHeight, maxSurface3D[1]),
    FIELD(cudaDevAttrMaxSurface3DDepth, maxSurface3D[2]),
    FIELD(cudaDevAttrMaxSurface1DLayeredWidth, maxSurface1DLayered[0]),
    FIELD(cudaDevAttrMaxSurface1DLayeredLayers, maxSurface1DLayered[1]),
    FIELD(cudaDevAttrMaxSurface2DLayeredWidth, maxSurface2DLayered[0]),
    FIELD(cudaDevAttrMaxSurface2DLayeredHeight, maxSurface2DLayered[1]),
    FIELD(cudaDevAttrMaxSurface2DLayeredLayers, maxSurface2DLayered[2]),
    FIELD(cudaDevAttrMaxSurfaceCubemapWidth, maxSurfaceCubemap),
    FIELD(cudaDevAttrMaxSurfaceCubemapLayeredWidth, maxSurfaceCubemapLayered[0]),
    FIELD(cudaDevAttrMaxSurfaceCubemapLayeredLayers, maxSurfaceCubemapLayered[1]),
    FIELD(cudaDevAttrSurfaceAlignment, surfaceAlignment),
    FIELD(cudaDevAttrConcurrentKernels, concurrentKernels),
    FIELD(cudaDevAttrEccEnabled, ECCEnabled),
    FIELD(cudaDevAttrPciBusId, pciBusID),
    FIELD(cudaDevAttrPciDeviceId, pciDeviceID),
    FIELD(cudaDevAttrPciDomainId, pciDomainID),
    FIELD(cudaDevAttrTccDriver, tccDriver),
    FIELD(cudaDevAttrAsyncEngineCount, asyncEngineCount),
    FIELD(cudaDevAttrUnifiedAddressing, unifiedAddressing),
    FIELD(cudaDevAttrGlobalMemoryBusWidth, memoryBusWidth),
    FIELD(cudaDevAttrL2CacheSize, l2CacheSize),
    FIELD(cudaDevAttrMaxPersistingL2CacheSize, persistingL2CacheMaxSize),
    FIELD(cudaDevAttrMaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    FIELD(cudaDevAttrStreamPrioritiesSupported, streamPrioritiesSupported),
    FIELD(cudaDevAttrGlobalL1CacheSupported, globalL1CacheSupported),
    FIELD(cudaDevAttrLocalL1CacheSupported, localL1CacheSupported),
    FIELD(cudaDevAttrMaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
    FIELD(cudaDevAttrMaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    FIELD(cudaDevAttrManagedMemory, managedMemory),
    FIELD(cudaDevAttrIsMultiGpuBoard, isMultiGpuBoard),
    FIELD(cudaDevAttrMultiGpuBoardGroupID, multiGpuBoardGroupID),
    FIELD(cudaDevAttrHostNativeAtomicSupported, hostNativeAtomicSupported),
    FIELD(cudaDevAttrPageableMemoryAccess, pageableMemoryAccess),
    FIELD(cudaDevAttrConcurrentManagedAccess, concurrentManagedAccess),
    FIELD(cudaDevAttrComputePreemptionSupported, computePreemptionSupported),
    FIELD(cudaDevAttrCanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    FIELD(cudaDevAttrCooperativeLaunch, cooperativeLaunch),
    FIELD(cudaDevAttrMaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
    FIELD(cudaDevAttrPageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables),
    FIELD(cudaDevAttrDirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    FIELD(cudaDevAttrMaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
    FIELD(cudaDevAttrMaxAccessPolicyWindowSize, accessPolicyMaxWindowSize),
    FIELD(cudaDevAttrReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
    FIELD(cudaDevAttrHostRegisterSupported, hostRegisterSupported),
    FIELD(cudaDevAttrSparseCudaArraySupported, sparseCudaArraySupported),
    FIELD(cudaDevAttrHostRegisterReadOnlySupported, hostRegisterReadOnlySupported),
    FIELD(cudaDevAttrTimelineSemaphoreInteropSupported, timelineSemaphoreInteropSupported),
    FIELD(cudaDevAttrMemoryPoolsSupported, memoryPoolsSupported),
    FIELD(cudaDevAttrGPUDirectRDMASupported, gpuDirectRDMASupported),
    FIELD(cudaDevAttrGPUDirectRDMAFlushWritesOptions, gpuDirectRDMAFlushWritesOptions),
    FIELD(cudaDevAttrGPUDirectRDMAWritesOrdering, gpuDirectRDMAWritesOrdering),
    FIELD(cudaDevAttrMemoryPoolSupportedHandleTypes, memoryPoolSupportedHandleTypes),
    FIELD(cudaDevAttrDeferredMappingCudaArraySupported, deferredMappingCudaArraySupported),
    FIELD(cudaDevAttrIpcEventSupport, ipcEventSupported),
    FIELD(cudaDevAttrClusterLaunch, clusterLaunch),
    FIELD(cudaDevAttrNumaConfig, deviceNumaConfig),
    FIELD(cudaDevAttrNumaId, deviceNumaId),
    FIELD(cudaDevAttrMpsEnabled, mpsEnabled),
    FIELD(cudaDevAttrHostNumaId, hostNumaId),
    FIELD(cudaDevAttrGpuPciDeviceId, gpuPciDeviceID),
    FIELD(cudaDevAttrGpuPciSubsystemId, gpuPciSubsystemID),
    FIELD(cudaDevAttrHostNumaMultinodeIpcSupported, hostNumaMultinodeIpcSupported),
};

static void fill(const struct sim *sim, const struct memory *memory, struct cudaDeviceProp *properties)
{
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "%s", sim_limits(sim)->name);
    memcpy(&properties->uuid, "cudasim device 0", sizeof properties->uuid);
    properties->totalGlobalMem = memory_limit(memory);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        char *place = (char *)properties + fields[i].offset;
        int value = 0;
        size_t wide;

        attribute_get(sim_limits(sim), fields[i].attribute, &value);
        wide = (size_t)value;
        memcpy(place, fields[i].wide ? (const void *)&wide : (const void *)&value,
               fields[i].wide ? sizeof wide : sizeof value);
    }
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    struct call call;

    if (call_begin(&call, CALL_DRIVER) && runtime_needs_device(call.runtime, &call.error)) {
        if (device != 0)
            call.error = cudaErrorInvalidDevice;
        else if (!properties)
            call.error = cudaErrorInvalidValue;
        else
            fill(call.runtime->sim, sim_memory(call.runtime->sim), properties);
    }
    return call_end(&call);
}
