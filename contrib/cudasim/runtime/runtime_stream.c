/*
 * runtime_stream.c - the calls about streams and events.
 *
 * An event reads the host's monotonic clock when its turn comes. The time between two events is the time that the
 * simulator took for the work between them. It says nothing about a GPU.
 */
#include "runtime.h"
#include "graph_edge.h"

#include <stdlib.h>

#include "result_use.h"

/* ------------------------------------------------------------------ streams */

static cudaError_t create(struct runtime *runtime, cudaStream_t *stream, unsigned flags, int priority)
{
    if (!stream || (flags & ~(unsigned)cudaStreamNonBlocking))
        return cudaErrorInvalidValue;
    *stream = handle_create(runtime, sizeof **stream, HANDLE_STREAM);
    if (!*stream)
        return cudaErrorMemoryAllocation;
    (*stream)->flags = flags;
    (*stream)->priority = priority_within(priority);
    (*stream)->id = runtime->next_id++;
    (*stream)->owner = context_owner(runtime);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = create(call.runtime, stream, flags, priority);
    return call_end(&call);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct CUstream_st *record = stream_of(&call, stream);

        if (!record || record->builtin) {
            call.error = cudaErrorInvalidResourceHandle;
        } else {
            capture_forget(call.runtime, record);
            queue_drop(call.runtime, record);
            handle_destroy(call.runtime, record);
        }
    }
    return call_end(&call);
}

/* Whether the program asks and drops the answer. It then knows nothing of the work, which need not be over. */
static bool is_dropped(const struct call *call)
{
    struct runtime *runtime = call->runtime;
    uint64_t asked = runtime->asked;

    if (result_use(call->from) != RESULT_UNUSED)
        return false;
    runtime->asked = runtime->last_task;
    return asked != runtime->last_task; /* who asks again may do so to let the work go on */
}

/* `query`: the work need not be over. Asking runs it as well: a program that asks until it is over would never end. */
IN_CALL cudaError_t wait_for(cudaStream_t stream, bool query)
{
    struct call call;

    if (call_begin(&call, CALL_UNSAFE)) {
        struct CUstream_st *record = stream_of(&call, stream);

        call.error = record ? capture_permits_wait(&call, record) : cudaErrorInvalidResourceHandle;
        if (call.error == cudaSuccess && !(query && is_dropped(&call)))
            call.error = query ? queue_query_stream(&call, record) : queue_wait_stream(&call, record);
    }
    return call_end(&call);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return wait_for(stream, false);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return wait_for(stream, true);
}

cudaError_t cudaDeviceSynchronize(void)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE) && (call.error = capture_permits_wait(&call, NULL)) == cudaSuccess)
        call.error = queue_wait_all(&call);
    return call_end(&call);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        const struct CUstream_st *record = stream_of(&call, stream);

        if (!record)
            call.error = cudaErrorInvalidResourceHandle;
        else if (!flags)
            call.error = cudaErrorInvalidValue;
        else
            *flags = record->flags;
    }
    return call_end(&call);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        const struct CUstream_st *record = stream_of(&call, stream);

        if (!record)
            call.error = cudaErrorInvalidResourceHandle;
        else if (!priority)
            call.error = cudaErrorInvalidValue;
        else
            *priority = record->priority;
    }
    return call_end(&call);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        const struct CUstream_st *record = stream_of(&call, stream);

        if (!record)
            call.error = cudaErrorInvalidResourceHandle;
        else if (!id)
            call.error = cudaErrorInvalidValue;
        else
            *id = record->id;
    }
    return call_end(&call);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!stream_of(&call, stream))
            call.error = cudaErrorInvalidResourceHandle;
        else if (!device)
            call.error = cudaErrorInvalidValue;
        else
            *device = 0;
    }
    return call_end(&call);
}

/* What attributes say is about caches and scheduling, of which there are none. The priority is the exception. */
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue *value)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        const struct CUstream_st *record = stream_of(&call, stream);

        if (!record || !value) {
            call.error = record ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
        } else {
            *value = (cudaStreamAttrValue){ 0 };
            if (attribute == cudaLaunchAttributePriority)
                value->priority = record->priority;
            else if (attribute == cudaLaunchAttributeSynchronizationPolicy)
                value->syncPolicy = record->policy ? record->policy : cudaSyncPolicyAuto;
            else if (attribute == cudaLaunchAttributeAccessPolicyWindow)
                value->accessPolicyWindow = record->window;
            else if (attribute == cudaLaunchAttributeMemSyncDomain)
                value->memSyncDomain = record->domain;
            else if (attribute == cudaLaunchAttributeMemSyncDomainMap)
                value->memSyncDomainMap = record->domains;
            else
                call.error = cudaErrorInvalidValue;
        }
    }
    return call_end(&call);
}

static bool policy_is_one(enum cudaSynchronizationPolicy policy)
{
    return policy >= cudaSyncPolicyAuto && policy <= cudaSyncPolicyBlockingSync;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue *value)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct CUstream_st *record = stream_of(&call, stream);

        if (!record || !value)
            call.error = record ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
        else if (attribute == cudaLaunchAttributePriority)
            record->priority = priority_within(value->priority);
        else if (attribute == cudaLaunchAttributeSynchronizationPolicy && policy_is_one(value->syncPolicy))
            record->policy = value->syncPolicy;
        else if (attribute == cudaLaunchAttributeAccessPolicyWindow && window_is_one(&value->accessPolicyWindow))
            record->window = value->accessPolicyWindow;
        else if (attribute == cudaLaunchAttributeMemSyncDomain)
            record->domain = value->memSyncDomain;
        else if (attribute == cudaLaunchAttributeMemSyncDomainMap)
            record->domains = value->memSyncDomainMap;
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t target, cudaStream_t source)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct CUstream_st *to = stream_of(&call, target), *from = stream_of(&call, source);

        if (to && from) {
            to->priority = from->priority;
            to->window = from->window;
            to->policy = from->policy;
            to->domain = from->domain;
            to->domains = from->domains;
        } else {
            call.error = cudaErrorInvalidResourceHandle;
        }
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ events */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!event || (flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess)))
            call.error = cudaErrorInvalidValue;
        else if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming))
            call.error = cudaErrorInvalidValue;
        else if (!(*event = handle_create(call.runtime, sizeof **event, HANDLE_EVENT)))
            call.error = cudaErrorMemoryAllocation;
        else
            **event = (struct CUevent_st){ .flags = flags, .owner = context_owner(call.runtime) };
        if (call.error == cudaSuccess && (flags & cudaEventInterprocess))
            ipc_event_create(call.runtime, *event); /* without room, its handle is refused */
    }
    return call_end(&call);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (handle_is(call.runtime, event, HANDLE_EVENT)) {
            event_forget(call.runtime, event);
            graphs_forget_event(call.runtime, event);
            ipc_event_destroy(call.runtime, event);
            clock_release(&event->clock);
            free(event->tail);
            handle_destroy(call.runtime, event);
        } else {
            call.error = cudaErrorInvalidResourceHandle;
        }
    }
    return call_end(&call);
}

cudaError_t stream_record(struct call *call, struct CUevent_st *event, cudaStream_t handle, unsigned flags,
                          const char *name)
{
    struct CUstream_st *stream = stream_of(call, handle);

    if (!stream || !handle_is(call->runtime, event, HANDLE_EVENT))
        return cudaErrorInvalidResourceHandle;
    if (flags & ~(unsigned)cudaEventRecordExternal)
        return cudaErrorInvalidValue;
    if (!stream->capture && (flags & cudaEventRecordExternal))
        return cudaErrorIllegalState; /* it is about nodes of graphs */
    if (stream->capture && !(flags & cudaEventRecordExternal))
        return capture_record(stream, event);
    return work_submit(call, &(struct work){ .kind = WORK_RECORD, .call = name, .event = event }, handle);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = stream_record(&call, event, stream, flags, __func__);
    return call_end(&call);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

/* An event that was last recorded in a capture has no time, and cannot be waited for by the host. */
static cudaError_t check_uncaptured(struct runtime *runtime, const struct CUevent_st *event)
{
    struct graph_capture *capture;

    if (!event->capture_id)
        return cudaSuccess;
    capture = capture_by_id(runtime, event->capture_id);
    if (!capture)
        return cudaErrorInvalidValue;
    capture->invalid = true;
    return cudaErrorCapturedEvent;
}

/* `query`: the work need not be over, here or in another process. */
IN_CALL cudaError_t wait_for_event(cudaEvent_t event, bool query)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = handle_is(call.runtime, event, HANDLE_EVENT) ? check_uncaptured(call.runtime, event)
                                                                  : cudaErrorInvalidResourceHandle;
        if (call.error == cudaSuccess && !call_permits_unsafe(&call))
            return call_end(&call);
        if (call.error == cudaSuccess && query && is_dropped(&call))
            return call_end(&call);
        if (call.error == cudaSuccess)
            call.error = query ? queue_query_event(&call, event) : queue_wait_event(&call, event);
        if (call.error == cudaSuccess && event->shared) {
            const struct word_work word = ipc_event_word(event);

            if (query && !word_is_met(call.runtime, &word))
                call.error = cudaErrorNotReady;
            else
                queue_run_until(&call, &word);
        }
    }
    return call_end(&call);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return wait_for_event(event, true);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return wait_for_event(event, false);
}

static cudaError_t elapsed(struct runtime *runtime, float *milliseconds, const struct CUevent_st *start,
                           const struct CUevent_st *end)
{
    cudaError_t error;

    if (!milliseconds)
        return cudaErrorInvalidValue;
    if (!handle_is(runtime, start, HANDLE_EVENT) || !handle_is(runtime, end, HANDLE_EVENT))
        return cudaErrorInvalidResourceHandle;
    if ((error = check_uncaptured(runtime, start)) != cudaSuccess ||
        (error = check_uncaptured(runtime, end)) != cudaSuccess)
        return error;
    if (!start->recorded || !end->recorded || ((start->flags | end->flags) & cudaEventDisableTiming))
        return cudaErrorInvalidResourceHandle;
    if (event_is_pending(runtime, start) || event_is_pending(runtime, end))
        return cudaErrorNotReady;
    *milliseconds = (float)((double)(end->time - start->time) * 1e-6);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = elapsed(call.runtime, milliseconds, start, end);
    return call_end(&call);
}

static cudaError_t wait_in_stream(struct call *call, struct CUstream_st *stream, struct CUevent_st *event)
{
    cudaError_t error = capture_wait(call->runtime, stream, event);

    if (error == cudaSuccess && !stream->capture && event->shared)
        return queue_submit(call, &(struct work){ .kind = WORK_WORD, .call = "cudaStreamWaitEvent",
                                                  .word = ipc_event_word(event) }, stream, cudaStreamLegacy, NULL);
    return error == cudaSuccess && !stream->capture ? queue_follow(call, stream, event) : error;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct CUstream_st *stream = stream_of(&call, handle);

        if (!stream || !handle_is(call.runtime, event, HANDLE_EVENT))
            call.error = cudaErrorInvalidResourceHandle;
        else if (flags & ~(unsigned)cudaEventWaitExternal)
            call.error = cudaErrorInvalidValue;
        else if ((flags & cudaEventWaitExternal) && event->capture_id) /* its record is a node of a graph */
            call.error = cudaErrorInvalidValue;
        else if (flags & cudaEventWaitExternal)
            call.error = work_submit(&call, &(struct work){ .kind = WORK_WAIT, .call = __func__, .event = event },
                                     handle);
        else
            call.error = wait_in_stream(&call, stream, event);
    }
    return call_end(&call);
}
