/*
 * runtime_launch.c - the calls that launch kernels and host functions, and the configurations that <<<>>> pushes.
 */
#include "runtime.h"
#include "by_host.h"

/*
 * An event that a launch names is recorded behind the kernel. That is later than on a device, where it may be when all
 * blocks have begun, or have asked for it; no program can tell.
 */
static cudaError_t record_event(struct call *call, const cudaLaunchAttribute *attribute, cudaStream_t stream)
{
    bool begun = attribute->id == cudaLaunchAttributeLaunchCompletionEvent;
    struct CUevent_st *event = begun ? attribute->val.launchCompletionEvent.event
                                     : attribute->val.programmaticEvent.event;
    cudaError_t error;

    if (!begun && attribute->id != cudaLaunchAttributeProgrammaticEvent)
        return cudaSuccess;
    error = stream_record(call, event, stream, cudaEventRecordDefault, "an event of a launch");
    if (error == cudaSuccess && event->capture_id) {
        event->edge.from_port = begun || attribute->val.programmaticEvent.triggerAtBlockStart
                                    ? cudaGraphKernelNodePortLaunchCompletion
                                    : cudaGraphKernelNodePortProgrammatic;
        event->edge.type = cudaGraphDependencyTypeProgrammatic;
    }
    return error;
}

cudaError_t launch_submit(struct call *call, const struct work *work, const cudaLaunchAttribute *attributes,
                          unsigned count, cudaStream_t stream)
{
    cudaError_t error = work_submit(call, work, stream);

    for (unsigned i = 0; error == cudaSuccess && i < count; i++)
        error = record_event(call, &attributes[i], stream);
    return error;
}

static cudaError_t launch(struct call *call, const char *name, const void *function,
                          const struct configuration *configuration, void **arguments,
                          const cudaLaunchAttribute *attributes, unsigned attribute_count, bool cooperative)
{
    struct work work = { .kind = WORK_KERNEL, .call = name };
    cudaError_t error = launch_prepare(call->runtime, function, configuration, arguments, NULL, attributes,
                                       attribute_count, cooperative, &work.kernel);
    const struct CUstream_st *stream = stream_of(call, configuration->stream);

    if (error == cudaSuccess && stream && !stream->capture)
        error = launch_outside_graphs(call->runtime, &work.kernel);
    if (error == cudaSuccess && stream && !stream->capture)
        lazy_load(call->runtime, work.kernel.entry);
    if (error == cudaSuccess)
        error = launch_submit(call, &work, attributes, attribute_count, configuration->stream);
    work_release(&work);
    return error;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t dynamic_shared,
                             cudaStream_t stream)
{
    struct configuration configuration = { grid, block, dynamic_shared, stream };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = launch(&call, __func__, function, &configuration, arguments, NULL, 0, false);
    return call_end(&call);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t dynamic_shared, cudaStream_t stream)
{
    struct configuration configuration = { grid, block, dynamic_shared, stream };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = launch(&call, __func__, function, &configuration, arguments, NULL, 0, true);
    return call_end(&call);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!config || (config->numAttrs && !config->attrs)) {
            call.error = cudaErrorInvalidValue;
        } else {
            struct configuration configuration = { config->gridDim, config->blockDim, config->dynamicSmemBytes,
                                                   config->stream };

            call.error = launch(&call, __func__, function, &configuration, arguments, config->attrs, config->numAttrs,
                                false);
        }
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ <<<>>>, called by what nvcc generates */

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic_shared, void *stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t dynamic_shared,
                               cudaStream_t stream);

/* Anything but 0 makes the program skip the launch; its arguments are evaluated in between, and may launch as well. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_shared, struct CUstream_st *stream)
{
    struct runtime *runtime = runtime_get();
    struct thread_state *thread = runtime ? runtime_thread(runtime) : NULL;

    if (!thread)
        return (unsigned)cudaErrorCudartUnloading;
    if (thread->depth == CALL_DEPTH) {
        thread->last = cudaErrorMemoryAllocation;
        return (unsigned)thread->last;
    }
    thread->pushed_from[thread->depth] = __builtin_return_address(0);
    thread->configurations[thread->depth++] = (struct configuration){ grid, block, dynamic_shared, stream };
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic_shared, void *stream)
{
    struct runtime *runtime = runtime_get();
    struct thread_state *thread = runtime ? runtime_thread(runtime) : NULL;
    const struct configuration *top;

    if (!thread)
        return cudaErrorCudartUnloading;
    if (thread->depth == 0)
        return thread->last = cudaErrorMissingConfiguration;
    top = &thread->configurations[--thread->depth];
    thread->launched_from = thread->pushed_from[thread->depth];
    *grid = top->grid;
    *block = top->block;
    *dynamic_shared = top->dynamic_shared;
    *(cudaStream_t *)stream = top->stream;
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t dynamic_shared,
                               cudaStream_t stream)
{
    struct configuration configuration = { grid, block, dynamic_shared, stream };
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        call.from = call.thread->launched_from; /* this was called by a function that nvcc made */
        call.outer = NULL;
        call.error = launch(&call, "<<<>>>", kernel, &configuration, arguments, NULL, 0, false);
        call.thread->launched_from = NULL;
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ host functions */

static cudaError_t submit_host(struct call *call, cudaStream_t stream, const struct host_work *host, const char *name)
{
    struct work work = { .kind = WORK_HOST, .call = name, .host = *host };

    return host->function || host->callback ? work_submit(call, &work, stream) : cudaErrorInvalidValue;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = submit_host(&call, stream, &(struct host_work){ .function = function, .data = data }, __func__);
    return call_end(&call);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct host_work host = { .callback = callback, .data = data };

        if (stream_of(&call, stream) && stream_of(&call, stream)->capture) {
            stream_of(&call, stream)->capture->invalid = true;
            call.error = cudaErrorStreamCaptureUnsupported;
        } else {
            call.error = flags ? cudaErrorInvalidValue : submit_host(&call, stream, &host, __func__);
        }
    }
    return call_end(&call);
}
