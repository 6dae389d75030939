/*
 * driver_word.c - nodes of graphs that write words and wait for words (batch memory operations). driver_queue.c has the
 * same operations for streams.
 */
#include "driver.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ parameters */

static bool to_word(const CUstreamBatchMemOpParams *from, struct word_work *to)
{
    *to = (struct word_work){ .operation = from->operation };
    switch ((int)from->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        to->bytes = 4;
        to->value = from->waitValue.value;
        break;
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        to->bytes = 8;
        to->value = from->waitValue.value64;
        break;
    case CU_STREAM_MEM_OP_BARRIER: /* a graph's work is in order here */
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        to->flags = from->memoryBarrier.flags;
        return true;
    default:
        return false;
    }
    to->address = from->waitValue.address;
    to->flags = from->waitValue.flags;
    to->waits = from->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 || from->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
    to->how = to->waits ? to->flags & 3 : 0;
    return true;
}

static CUstreamBatchMemOpParams to_operation(const struct word_work *from)
{
    CUstreamBatchMemOpParams to = { .operation = (CUstreamBatchMemOpType)from->operation };

    if (!from->bytes) {
        to.memoryBarrier.flags = from->flags;
        return to;
    }
    to.waitValue.address = from->address;
    to.waitValue.value64 = from->value;
    to.waitValue.flags = from->flags;
    return to;
}

/* A list that the caller frees; NULL: the parameters are wrong, or there is no memory. */
static struct word_work *to_words(const CUDA_BATCH_MEM_OP_NODE_PARAMS *from)
{
    struct word_work *list = from && from->ctx && (!from->count || from->paramArray) && !from->flags
                                 ? calloc(from->count + (size_t)1, sizeof *list)
                                 : NULL;

    for (unsigned i = 0; list && i < from->count; i++)
        if (!to_word(&from->paramArray[i], &list[i])) {
            free(list);
            return NULL;
        }
    return list;
}

/* ------------------------------------------------------------------ the calls */

CUresult driver_add_words(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                          const CUgraphEdgeData *edges, size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters)
{
    struct driver_call call;
    struct word_work *list;
    CUresult result = CUDA_ERROR_INVALID_VALUE;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    list = to_words(parameters);
    if (list)
        result = driver_end(&call, node_add_words(node, graph, dependencies, (const cudaGraphEdgeData *)edges, count,
                                                  list, parameters->count));
    free(list);
    return result;
}

CUresult driver_set_words(CUgraphExec exec, CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters)
{
    struct driver_call call;
    struct word_work *list;
    CUresult result = CUDA_ERROR_INVALID_VALUE;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    list = to_words(parameters);
    if (list)
        result = driver_end(&call, node_set_words(exec, node, list, parameters->count));
    free(list);
    return result;
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters)
{
    return driver_add_words(node, graph, dependencies, NULL, count, parameters);
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters)
{
    return driver_set_words(NULL, node, parameters);
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters)
{
    return exec ? driver_set_words(exec, node, parameters) : CUDA_ERROR_INVALID_VALUE;
}

/* The array is the node's, and lives until the node ends or its parameters are asked for again. */
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters)
{
    struct driver_call call;
    const struct word_work *list = NULL;
    CUstreamBatchMemOpParams *array;
    unsigned count = 0;
    cudaError_t error;

    if (!driver_begin(&call, DRIVER_CONTEXT))
        return call.result;
    error = parameters ? node_get_words(node, &list, &count) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return driver_end(&call, error);
    array = calloc(count + (size_t)1, sizeof *array);
    if (!array)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (unsigned i = 0; i < count; i++)
        array[i] = to_operation(&list[i]);
    free(node->arguments);
    node->arguments = (void **)array;
    *parameters = (CUDA_BATCH_MEM_OP_NODE_PARAMS){ .ctx = driver_current(call.thread), .count = count,
                                                   .paramArray = array };
    return driver_end(&call, cudaSuccess);
}
