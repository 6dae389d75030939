/*
 * driver_address.c - finds the driver's functions by their names: cuGetProcAddress() and cudaGetDriverEntryPoint().
 *
 * A name without a suffix means the variant of the requested version of CUDA. A list holds the variants whose
 * parameters changed since CUDA 8. Of the other functions programs call only the newest variant.
 */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* From this version on the name means this variant. Of a name the newest comes first. */
static const struct {
    const char *name, *variant;
    int version;
} variants[] = {
    { "cuCtxCreate", "cuCtxCreate_v4", 12050 },
    { "cuCtxCreate", "cuCtxCreate_v3", 11040 },
    { "cuCtxCreate", "cuCtxCreate_v2", 3020 },
    { "cuCtxSynchronize", "cuCtxSynchronize", 2000 },
    { "cuStreamGetCtx", "cuStreamGetCtx", 9020 },
    { "cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3", 12030 },
    { "cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v2", 11030 },
    { "cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo", 10010 },
    { "cuMemAdvise", "cuMemAdvise_v2", 12020 },
    { "cuMemAdvise", "cuMemAdvise", 8000 },
    { "cuStreamWriteValue32", "cuStreamWriteValue32_v2", 11070 },
    { "cuStreamWriteValue32", "cuStreamWriteValue32", 8000 },
    { "cuStreamWaitValue32", "cuStreamWaitValue32_v2", 11070 },
    { "cuStreamWaitValue32", "cuStreamWaitValue32", 8000 },
    { "cuStreamWriteValue64", "cuStreamWriteValue64_v2", 11070 },
    { "cuStreamWriteValue64", "cuStreamWriteValue64", 9000 },
    { "cuStreamWaitValue64", "cuStreamWaitValue64_v2", 11070 },
    { "cuStreamWaitValue64", "cuStreamWaitValue64", 9000 },
    { "cuStreamBatchMemOp", "cuStreamBatchMemOp_v2", 11070 },
    { "cuStreamBatchMemOp", "cuStreamBatchMemOp", 8000 },
    { "cuMemcpyBatchAsync", "cuMemcpyBatchAsync_v2", 13000 },
    { "cuMemcpyBatchAsync", "cuMemcpyBatchAsync", 12080 },
    { "cuMemcpy3DBatchAsync", "cuMemcpy3DBatchAsync_v2", 13000 },
    { "cuMemcpy3DBatchAsync", "cuMemcpy3DBatchAsync", 12080 },
    { "cuMemPrefetchAsync", "cuMemPrefetchAsync_v2", 12020 },
    { "cuMemPrefetchAsync", "cuMemPrefetchAsync", 8000 },
    { "cuEventElapsedTime", "cuEventElapsedTime_v2", 12080 },
    { "cuEventElapsedTime", "cuEventElapsedTime", 2000 },
    { "cuGraphInstantiate", "cuGraphInstantiateWithFlags", 12000 },
    { "cuGraphInstantiate", "cuGraphInstantiate_v2", 11000 },
    { "cuGraphInstantiate", "cuGraphInstantiate", 10000 },
    { "cuGraphGetEdges", "cuGraphGetEdges_v2", 12030 },
    { "cuGraphGetEdges", "cuGraphGetEdges", 10000 },
    { "cuGraphNodeGetDependencies", "cuGraphNodeGetDependencies_v2", 12030 },
    { "cuGraphNodeGetDependencies", "cuGraphNodeGetDependencies", 10000 },
    { "cuGraphNodeGetDependentNodes", "cuGraphNodeGetDependentNodes_v2", 12030 },
    { "cuGraphNodeGetDependentNodes", "cuGraphNodeGetDependentNodes", 10000 },
    { "cuGraphAddDependencies", "cuGraphAddDependencies_v2", 12030 },
    { "cuGraphAddDependencies", "cuGraphAddDependencies", 10000 },
    { "cuGraphRemoveDependencies", "cuGraphRemoveDependencies_v2", 12030 },
    { "cuGraphRemoveDependencies", "cuGraphRemoveDependencies", 10000 },
    { "cuGraphAddNode", "cuGraphAddNode_v2", 12030 },
    { "cuGraphAddNode", "cuGraphAddNode", 12020 },
    { "cuGraphAddKernelNode", "cuGraphAddKernelNode_v2", 12000 },
    { "cuGraphAddKernelNode", "cuGraphAddKernelNode", 10000 },
    { "cuGraphKernelNodeGetParams", "cuGraphKernelNodeGetParams_v2", 12000 },
    { "cuGraphKernelNodeGetParams", "cuGraphKernelNodeGetParams", 10000 },
    { "cuGraphKernelNodeSetParams", "cuGraphKernelNodeSetParams_v2", 12000 },
    { "cuGraphKernelNodeSetParams", "cuGraphKernelNodeSetParams", 10000 },
    { "cuGraphExecKernelNodeSetParams", "cuGraphExecKernelNodeSetParams_v2", 12000 },
    { "cuGraphExecKernelNodeSetParams", "cuGraphExecKernelNodeSetParams", 10010 },
    { "cuGraphExecUpdate", "cuGraphExecUpdate_v2", 12000 },
    { "cuGraphExecUpdate", "cuGraphExecUpdate", 10020 },
    { "cuStreamUpdateCaptureDependencies", "cuStreamUpdateCaptureDependencies_v2", 12030 },
    { "cuStreamUpdateCaptureDependencies", "cuStreamUpdateCaptureDependencies", 11030 },
};

enum { VARIANT_MOST = 4 }; /* names end in _v2 to _v4 at most */

/* The library's own function, with a suffix or without. */
static void *own_function(const char *name, const char *suffix)
{
    char text[128];
    Dl_info info;
    void *library, *function;

    if (snprintf(text, sizeof text, "%s%s", name, suffix) >= (int)sizeof text)
        return NULL;
    if (!dladdr((void *)(uintptr_t)cuInit, &info) || !(library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)))
        return NULL;
    function = dlsym(library, text);
    /* What this library needs is searched as well, and may have the name. */
    if (function && (!dladdr(function, &info) || strncmp(text, "cu", 2) != 0))
        function = NULL;
    dlclose(library);
    return function;
}

/* The name's variant for the stream that a call without a stream means. */
static void *of_threads(const char *name, bool per_thread)
{
    void *function = per_thread ? own_function(name, "_ptsz") : NULL;

    if (!function && per_thread)
        function = own_function(name, "_ptds");
    return function ? function : own_function(name, "");
}

static void *find(const char *name, int version, bool per_thread, bool *too_new)
{
    char text[128];
    bool listed = false;

    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        if (strcmp(variants[i].name, name) != 0)
            continue;
        listed = true;
        if (version >= variants[i].version)
            return of_threads(variants[i].variant, per_thread);
    }
    *too_new = listed || version < driver_appeared(name);
    if (*too_new)
        return NULL;
    for (int n = VARIANT_MOST; n >= 2; n--) {
        void *function;

        if (snprintf(text, sizeof text, "%s_v%d", name, n) >= (int)sizeof text)
            return NULL;
        function = of_threads(text, per_thread);
        if (function)
            return function;
    }
    return of_threads(name, per_thread);
}

CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status)
{
    bool too_new = false;

    if (!name || !function || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM || version > CUDA_VERSION)
        return CUDA_ERROR_INVALID_VALUE;
    *function = find(name, version, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &too_new);
    if (status)
        *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS
                  : too_new ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                            : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function || too_new ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND; /* an H200 gives NULL for a later function */
}

#undef cuGetProcAddress
CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags);

/* The name of CUDA 11. */
CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/* ------------------------------------------------------------------ the runtime's way to them */

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    struct call call;

    if (call_begin(&call, CALL_DRIVER)) {
        if (!name || !function || flags > cudaEnablePerThreadDefaultStream || version > CUDART_VERSION)
            call.error = cudaErrorInvalidValue;
        else
            cuGetProcAddress_v2(name, function, (int)version, flags, &found); /* what is not found is no error */
        if (call.error == cudaSuccess && status)
            *status = (enum cudaDriverEntryPointQueryResult)found;
    }
    return call_end(&call);
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}

/* Where a program is built for one default stream a thread. Which function is meant does not depend on that. */
cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **function, unsigned version,
                                                  unsigned long long flags,
                                                  enum cudaDriverEntryPointQueryResult *status);
cudaError_t cudaGetDriverEntryPoint_ptsz(const char *name, void **function, unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *status);

cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **function, unsigned version,
                                                  unsigned long long flags,
                                                  enum cudaDriverEntryPointQueryResult *status)
{
    return cudaGetDriverEntryPointByVersion(name, function, version, flags, status);
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *name, void **function, unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *status)
{
    return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}
