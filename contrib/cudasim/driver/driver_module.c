/*
 * driver_module.c - code that a program loads by hand: cuModule*, cuLibrary*, and the kernels in it. A CUmodule and a
 * CUlibrary are a binary. A CUfunction and a CUkernel are a kernel's record. The runtime's handles are the same.
 */
#include "driver.h"

#include "contrib/cudasim/runtime/jit_log.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ modules */

static CUresult load(CUmodule *module, const void *image)
{
    struct driver_call call;
    cudaLibrary_t library;
    CUresult result;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!module || !image)
        return CUDA_ERROR_INVALID_VALUE;
    result = driver_end(&call, cudaLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    if (result == CUDA_SUCCESS)
        *module = (CUmodule)library;
    return result;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return load(module, image);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values)
{
    CUresult result = count && (!options || !values) ? CUDA_ERROR_INVALID_VALUE : load(module, image);

    if (count && options && values)
        jit_log_load(runtime_get(), result == CUDA_SUCCESS, count, (const enum cudaJitOption *)options, values);
    return result;
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *container)
{
    return load(module, container);
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    struct driver_call call;
    cudaLibrary_t library;
    CUresult result;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!module || !path)
        return CUDA_ERROR_INVALID_VALUE;
    result = driver_end(&call, cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
    if (result == CUDA_SUCCESS)
        *module = (CUmodule)library;
    return result;
}

CUresult cuModuleUnload(CUmodule module)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaLibraryUnload((cudaLibrary_t)module));
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    struct driver_call call;
    cudaKernel_t kernel;
    CUresult result;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!function)
        return CUDA_ERROR_INVALID_VALUE;
    result = driver_end(&call, cudaLibraryGetKernel(&kernel, (cudaLibrary_t)module, name));
    if (result == CUDA_SUCCESS)
        *function = (CUfunction)kernel;
    return result;
}

CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module)
{
    return cuLibraryGetKernelCount(count, (CUlibrary)module);
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule module)
{
    return cuLibraryEnumerateKernels((CUkernel *)functions, count, (CUlibrary)module);
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    return cuLibraryGetGlobal(address, bytes, (CUlibrary)module, name);
}

/* ------------------------------------------------------------------ libraries */

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit_options, void **jit_values,
                           unsigned jit_count, CUlibraryOption *options, void **values, unsigned count)
{
    struct driver_call call;
    CUresult result;

    (void)options, (void)values, (void)count;
    if (!driver_begin(&call, DRIVER_READY)) /* a library belongs to no context */
        return call.result;
    result = driver_end(&call, cudaLibraryLoadData(library, code, NULL, NULL, 0, NULL, NULL, 0));
    if (jit_count && jit_options && jit_values)
        jit_log_load(call.runtime, result == CUDA_SUCCESS, jit_count, (enum cudaJitOption *)jit_options, jit_values);
    return result;
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options, void **jit_values,
                               unsigned jit_count, CUlibraryOption *options, void **values, unsigned count)
{
    struct driver_call call;
    CUresult result;

    (void)options, (void)values, (void)count;
    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    result = driver_end(&call, cudaLibraryLoadFromFile(library, path, NULL, NULL, 0, NULL, NULL, 0));
    if (jit_count && jit_options && jit_values)
        jit_log_load(call.runtime, result == CUDA_SUCCESS, jit_count, (enum cudaJitOption *)jit_options, jit_values);
    return result;
}

CUresult cuLibraryUnload(CUlibrary library)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_READY) ? driver_end(&call, cudaLibraryUnload(library)) : call.result;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaLibraryGetKernel(kernel, library, name));
}

CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *name)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaLibraryGetUnifiedFunction(function, library, name));
}

CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaLibraryGetKernelCount(count, library));
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_READY))
        return call.result;
    return driver_end(&call, cudaLibraryEnumerateKernels(kernels, count, library));
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!module || !library)
        return library ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    *module = (CUmodule)library;
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaLibraryGetGlobal((void **)address, bytes, library, name));
}

CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUlibrary library, const char *name)
{
    return cuLibraryGetGlobal(address, bytes, library, name);
}

/* ------------------------------------------------------------------ kernels */

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!function || !kernel)
        return CUDA_ERROR_INVALID_VALUE;
    *function = (CUfunction)kernel;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
    struct driver_call call;

    return driver_begin(&call, DRIVER_CONTEXT) ? driver_end(&call, cudaFuncGetName(name, function)) : call.result;
}

CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
    return kernel ? cuFuncGetName(name, (CUfunction)kernel) : CUDA_ERROR_INVALID_VALUE;
}

/* The kernel's binary. From now on the program may name it as a module, also one that it did not load itself. */
static CUresult binary_of(const void *kernel, struct binary **binary)
{
    struct driver_call call;
    struct call inner;
    struct entry *entry;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (call_begin(&inner, CALL_DEVICE)) {
        inner.error = module_entry(inner.runtime, kernel, &entry);
        if (inner.error == cudaSuccess && !handle_is(inner.runtime, entry->binary, HANDLE_MODULE) &&
            !map_put(&inner.runtime->handles, entry->binary, (void *)(uintptr_t)HANDLE_MODULE))
            inner.error = cudaErrorMemoryAllocation;
        if (inner.error == cudaSuccess)
            *binary = entry->binary;
    }
    return driver_end(&call, call_end(&inner));
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    struct binary *binary = NULL;
    CUresult result = module ? binary_of(function, &binary) : CUDA_ERROR_INVALID_VALUE;

    if (result == CUDA_SUCCESS)
        *module = (CUmodule)binary;
    return result;
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
    return cuFuncGetModule((CUmodule *)library, (CUfunction)kernel);
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaFuncGetParamInfo(function, index, offset, size));
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size)
{
    return cuFuncGetParamInfo((CUfunction)kernel, index, offset, size);
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    struct binary *binary = NULL;
    CUresult result = state ? binary_of(function, &binary) : CUDA_ERROR_INVALID_VALUE;

    if (result == CUDA_SUCCESS)
        *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return result;
}

CUresult cuFuncLoad(CUfunction function)
{
    struct binary *binary = NULL;

    return binary_of(function, &binary);
}

static CUresult value_of(const struct cudaFuncAttributes *known, CUfunction_attribute attribute, int *value)
{
    switch ((int)attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = known->maxThreadsPerBlock;
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)known->sharedSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = (int)known->constSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)known->localSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = known->numRegs;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = known->ptxVersion;
        break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = known->binaryVersion;
        break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *value = known->cacheModeCA;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = known->maxDynamicSharedSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = known->preferredShmemCarveout;
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *value = known->clusterDimMustBeSet;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        *value = known->requiredClusterWidth;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        *value = known->requiredClusterHeight;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *value = known->requiredClusterDepth;
        break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = known->nonPortableClusterSizeAllowed;
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *value = known->clusterSchedulingPolicyPreference;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    struct cudaFuncAttributes known;
    struct driver_call call;
    CUresult result;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    result = driver_end(&call, cudaFuncGetAttributes(&known, function));
    return result == CUDA_SUCCESS ? value_of(&known, attribute, value) : result;
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device)
{
    return device == 0 ? cuFuncGetAttribute(value, attribute, (CUfunction)kernel) : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value));
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device)
{
    return device == 0 ? cuFuncSetAttribute((CUfunction)kernel, attribute, value) : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config));
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device)
{
    return device == 0 ? cuFuncSetCacheConfig((CUfunction)kernel, config) : CUDA_ERROR_INVALID_DEVICE;
}

/* ------------------------------------------------------------------ occupancy */

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int threads,
                                                              size_t shared, unsigned flags)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                                                    flags));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

/* The block size with the most threads on a multiprocessor. Of several it takes the largest, as CUDA's search does. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared, int limit,
                                                   unsigned flags)
{
    int most = 0, best = 0, best_blocks = 0, multiprocessors = 0, blocks;
    CUresult result = grid && block ? cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function)
                                    : CUDA_ERROR_INVALID_VALUE;

    if (result == CUDA_SUCCESS)
        result = cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
    if (limit > 0 && limit < most)
        most = limit;
    for (int threads = most; threads > 0 && result == CUDA_SUCCESS; threads = (threads - 1) / 32 * 32) {
        result = cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, function, threads, shared_of ? shared_of(threads) : shared, flags);
        if (result == CUDA_SUCCESS && blocks * threads > best_blocks * best) {
            best = threads;
            best_blocks = blocks;
        }
    }
    if (result == CUDA_SUCCESS) {
        *block = best;
        *grid = best_blocks * multiprocessors;
    }
    return result;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of,
                                          size_t shared, int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int threads)
{
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    return driver_end(&call, cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads));
}

/* The runtime's description of the same launch. */
static bool runtime_config(const CUlaunchConfig *config, cudaLaunchConfig_t *plain)
{
    if (!config || (config->numAttrs && !config->attrs))
        return false;
    *plain = (cudaLaunchConfig_t){ { config->gridDimX, config->gridDimY, config->gridDimZ },
                                   { config->blockDimX, config->blockDimY, config->blockDimZ },
                                   config->sharedMemBytes, config->hStream,
                                   (cudaLaunchAttribute *)config->attrs, config->numAttrs };
    return true;
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config)
{
    cudaLaunchConfig_t plain;
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!runtime_config(config, &plain))
        return CUDA_ERROR_INVALID_VALUE;
    return driver_end(&call, cudaOccupancyMaxActiveClusters(clusters, function, &plain));
}

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *config)
{
    cudaLaunchConfig_t plain;
    struct driver_call call;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    if (!runtime_config(config, &plain))
        return CUDA_ERROR_INVALID_VALUE;
    return driver_end(&call, cudaOccupancyMaxPotentialClusterSize(size, function, &plain));
}
