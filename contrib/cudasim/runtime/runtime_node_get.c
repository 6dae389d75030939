/*
 * runtime_node_get.c - the calls that return the parameters of nodes to the program that made or captured them.
 */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

/* Begins a call about a node of one kind; false with the error set if it is none. */
static bool begin(struct call *call, cudaGraphNode_t node, enum work_kind kind, const void *result)
{
    if (!call_begin(call, CALL_DEVICE))
        return false;
    if (result && handle_is(call->runtime, node, HANDLE_NODE) && node->work.kind == kind)
        return true;
    call->error = cudaErrorInvalidValue;
    return false;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    static const enum cudaGraphNodeType types[] = {
        [WORK_EMPTY] = cudaGraphNodeTypeEmpty,         [WORK_KERNEL] = cudaGraphNodeTypeKernel,
        [WORK_COPY] = cudaGraphNodeTypeMemcpy,         [WORK_SET] = cudaGraphNodeTypeMemset,
        [WORK_HOST] = cudaGraphNodeTypeHost,           [WORK_GRAPH] = cudaGraphNodeTypeGraph,
        [WORK_RECORD] = cudaGraphNodeTypeEventRecord,  [WORK_WAIT] = cudaGraphNodeTypeWaitEvent,
        [WORK_ALLOCATE] = cudaGraphNodeTypeMemAlloc,   [WORK_RELEASE] = cudaGraphNodeTypeMemFree,
        [WORK_CONDITION] = cudaGraphNodeTypeConditional,
        [WORK_WORDS] = (enum cudaGraphNodeType)12, /* CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, which only the driver names */
    };
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (type && handle_is(call.runtime, node, HANDLE_NODE))
            *type = types[node->work.kind];
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}

cudaError_t node_get_words(cudaGraphNode_t node, const struct word_work **list, unsigned *count)
{
    struct call call;

    if (begin(&call, node, WORK_WORDS, list)) {
        *list = node->work.words.list;
        *count = node->work.words.count;
    }
    return call_end(&call);
}

/* Pointers to the packed arguments, which stay the node's. */
static void **arguments_of(struct runtime *runtime, struct CUgraphNode_st *node)
{
    const struct kernel_work *kernel = &node->work.kernel;
    struct entry *entry;
    unsigned count;

    if (module_entry(runtime, kernel->entry, &entry) != cudaSuccess)
        return NULL;
    count = sim_kernel_facts(entry->kernel)->parameter_count;
    free(node->arguments);
    node->arguments = calloc(count + 1, sizeof *node->arguments);
    for (unsigned i = 0; node->arguments && i < count; i++) {
        unsigned offset, size;

        if (sim_kernel_parameter(entry->kernel, i, &offset, &size))
            node->arguments[i] = kernel->parameters + offset;
    }
    return node->arguments;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *parameters)
{
    struct call call;

    if (begin(&call, node, WORK_KERNEL, parameters)) {
        const struct kernel_work *kernel = &node->work.kernel;

        *parameters = (struct cudaKernelNodeParams){
            .func = (void *)(uintptr_t)kernel->entry->host,
            .gridDim = { kernel->grid[0], kernel->grid[1], kernel->grid[2] },
            .blockDim = { kernel->block[0], kernel->block[1], kernel->block[2] },
            .sharedMemBytes = kernel->dynamic_shared,
            .kernelParams = arguments_of(call.runtime, node),
        };
    }
    return call_end(&call);
}

static struct cudaPitchedPtr pitched(const struct plane *plane, size_t width)
{
    if (!plane->pitch) /* a copy of bytes in a row: an H200 says no more of it */
        return (struct cudaPitchedPtr){ .ptr = (void *)(uintptr_t)plane->address };
    return (struct cudaPitchedPtr){ (void *)(uintptr_t)plane->address, plane->pitch, width,
                                    plane->pitch ? plane->slice / plane->pitch : 1 };
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *parameters)
{
    struct call call;

    if (begin(&call, node, WORK_COPY, parameters)) {
        const struct copy_work *copy = &node->work.copy;

        *parameters = (struct cudaMemcpy3DParms){ .dstPtr = pitched(&copy->target, copy->width),
                                                  .srcPtr = pitched(&copy->source, copy->width),
                                                  .extent = { copy->width, copy->height, copy->depth },
                                                  .kind = copy->kind };
    }
    return call_end(&call);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *parameters)
{
    struct call call;

    if (begin(&call, node, WORK_SET, parameters)) {
        const struct set_work *set = &node->work.set;

        *parameters = (struct cudaMemsetParams){ (void *)(uintptr_t)set->target.address, set->target.pitch, set->value,
                                                 set->element, set->width, set->height };
    }
    return call_end(&call);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *parameters)
{
    struct call call;

    if (begin(&call, node, WORK_HOST, parameters))
        *parameters = (struct cudaHostNodeParams){ node->work.host.function, node->work.host.data };
    return call_end(&call);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    struct call call;

    if (begin(&call, node, WORK_GRAPH, graph))
        *graph = node->work.graph;
    return call_end(&call);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    struct call call;

    if (begin(&call, node, WORK_RECORD, event))
        *event = node->work.event;
    return call_end(&call);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    struct call call;

    if (begin(&call, node, WORK_WAIT, event))
        *event = node->work.event;
    return call_end(&call);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *parameters)
{
    struct call call;

    if (begin(&call, node, WORK_ALLOCATE, parameters)) {
        *parameters = (struct cudaMemAllocNodeParams){ .bytesize = node->work.memory.size,
                                                       .dptr = (void *)(uintptr_t)node->work.memory.address };
        parameters->poolProps.allocType = cudaMemAllocationTypePinned;
        parameters->poolProps.location.type = cudaMemLocationTypeDevice;
    }
    return call_end(&call);
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer)
{
    struct call call;

    if (begin(&call, node, WORK_RELEASE, pointer))
        *(void **)pointer = (void *)(uintptr_t)node->work.memory.address;
    return call_end(&call);
}

/* ------------------------------------------------------------------ attributes of kernel nodes */

/* Attributes of launches and streams that an H200 refuses for nodes. */
static bool is_no_node_attribute(cudaLaunchAttributeID attribute)
{
    switch ((int)attribute) {
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributeProgrammaticEvent:
    case cudaLaunchAttributePreferredClusterDimension: return true;
    default: return (unsigned)attribute > (unsigned)cudaLaunchAttributeNvlinkUtilCentricScheduling;
    }
}

static void get_hint(const struct node_hints *hints, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value)
{
    switch ((int)attribute) {
    case cudaLaunchAttributeAccessPolicyWindow: value->accessPolicyWindow = hints->window; break;
    case cudaLaunchAttributeMemSyncDomainMap:
        value->memSyncDomainMap = hints->mapped ? hints->domains : (cudaLaunchMemSyncDomainMap){ 0, 1 };
        break;
    case cudaLaunchAttributeMemSyncDomain: value->memSyncDomain = (cudaLaunchMemSyncDomain)hints->domain; break;
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        value->clusterSchedulingPolicyPreference = (enum cudaClusterSchedulingPolicy)hints->scheduling;
        break;
    case cudaLaunchAttributePreferredSharedMemoryCarveout: value->sharedMemCarveout = (unsigned)hints->carveout; break;
    default: break;
    }
}

static void set_hint(struct node_hints *hints, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value)
{
    switch ((int)attribute) {
    case cudaLaunchAttributeAccessPolicyWindow: hints->window = value->accessPolicyWindow; break;
    case cudaLaunchAttributeMemSyncDomainMap:
        hints->domains = value->memSyncDomainMap;
        hints->mapped = true;
        break;
    case cudaLaunchAttributeMemSyncDomain: hints->domain = (int)value->memSyncDomain; break;
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        hints->scheduling = (int)value->clusterSchedulingPolicyPreference;
        break;
    case cudaLaunchAttributePreferredSharedMemoryCarveout: hints->carveout = (int)value->sharedMemCarveout; break;
    default: break;
    }
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue *value)
{
    struct call call;

    if (begin(&call, node, WORK_KERNEL, value)) {
        const struct kernel_work *kernel = &node->work.kernel;

        if (is_no_node_attribute(attribute)) {
            call.error = cudaErrorInvalidValue;
            return call_end(&call);
        }
        *value = (cudaLaunchAttributeValue){ 0 };
        get_hint(&kernel->hints, attribute, value);
        if (attribute == cudaLaunchAttributeCooperative) {
            value->cooperative = kernel->cooperative;
        } else if (attribute == cudaLaunchAttributePriority) {
            value->priority = kernel->priority;
        } else if (attribute == cudaLaunchAttributeClusterDimension) {
            if (kernel->cluster[0] * kernel->cluster[1] * kernel->cluster[2] > 1) {
                value->clusterDim.x = kernel->cluster[0];
                value->clusterDim.y = kernel->cluster[1];
                value->clusterDim.z = kernel->cluster[2];
            }
        } else if (attribute == cudaLaunchAttributeDeviceUpdatableKernelNode && kernel->updatable) {
            value->deviceUpdatableKernelNode.deviceUpdatable = 1;
            value->deviceUpdatableKernelNode.devNode = (cudaGraphDeviceNode_t)node;
        }
    }
    return call_end(&call);
}

/* The call writes the node's name for kernels into the attribute, const or not. The choice is for good. */
static cudaError_t make_updatable(struct call *call, struct CUgraphNode_st *node, const cudaLaunchAttributeValue *value)
{
    if (!value->deviceUpdatableKernelNode.deviceUpdatable)
        return node->work.kernel.updatable ? cudaErrorInvalidValue : cudaSuccess;
    if (!node->work.kernel.updatable && !sim_graph_permit(call->runtime->sim, (uintptr_t)node))
        return cudaErrorMemoryAllocation;
    node->work.kernel.updatable = true;
    ((cudaLaunchAttributeValue *)(uintptr_t)value)->deviceUpdatableKernelNode.devNode = (cudaGraphDeviceNode_t)node;
    return cudaSuccess;
}

/* Attributes that say how fast a kernel may run are kept, and have no effect. */
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            const cudaLaunchAttributeValue *value)
{
    struct call call;

    if (begin(&call, node, WORK_KERNEL, value)) {
        struct kernel_work *kernel = &node->work.kernel;
        unsigned x = value->clusterDim.x, y = value->clusterDim.y, z = value->clusterDim.z;

        set_hint(&kernel->hints, attribute, value);
        if (is_no_node_attribute(attribute) || (attribute == cudaLaunchAttributeAccessPolicyWindow &&
                                                !window_is_one(&value->accessPolicyWindow))) {
            call.error = cudaErrorInvalidValue;
        } else if (attribute == cudaLaunchAttributeCooperative) {
            kernel->cooperative = value->cooperative != 0;
        } else if (attribute == cudaLaunchAttributePriority) {
            kernel->priority = priority_within(value->priority);
        } else if (attribute == cudaLaunchAttributeDeviceUpdatableKernelNode) {
            call.error = make_updatable(&call, node, value);
        } else if (attribute == cudaLaunchAttributeClusterDimension) {
            if (!x && !y && !z) {
                kernel->cluster[0] = kernel->cluster[1] = kernel->cluster[2] = 1; /* none */
            } else if (!x || !y || !z || kernel->grid[0] % x || kernel->grid[1] % y || kernel->grid[2] % z ||
                (uint64_t)x * y * z > launch_largest_cluster(sim_limits(call.runtime->sim), kernel->entry)) {
                call.error = cudaErrorInvalidClusterSize;
            } else {
                kernel->cluster[0] = x;
                kernel->cluster[1] = y;
                kernel->cluster[2] = z;
            }
        }
    }
    return call_end(&call);
}

static void copy_attributes(struct kernel_work *target, const struct kernel_work *source)
{
    target->cooperative = source->cooperative;
    target->priority = source->priority;
    target->hints = source->hints;
    memcpy(target->cluster, source->cluster, sizeof target->cluster);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t target, cudaGraphNode_t source)
{
    struct call call;

    if (begin(&call, source, WORK_KERNEL, source)) {
        if (handle_is(call.runtime, target, HANDLE_NODE) && target->work.kind == WORK_KERNEL)
            copy_attributes(&target->work.kernel, &source->work.kernel);
        else
            call.error = cudaErrorInvalidValue;
    }
    return call_end(&call);
}
