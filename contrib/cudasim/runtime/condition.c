/*
 * condition.c - conditional nodes of graphs: if, while and switch over a value that kernels set
 * (cudaGraphSetConditional). The device holds the value; a handle names it.
 *
 * work.c, graph.c and cudaGraphAddNode() call it.
 */
#include "runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS_MOST = 100000 }; /* of a loop whose value nobody sets */

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned value,
                                             unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!handle || !handle_is(call.runtime, graph, HANDLE_GRAPH) || flags > cudaGraphCondAssignDefault)
            call.error = cudaErrorInvalidValue;
        else if (!(*handle = sim_condition_new(call.runtime->sim, value, flags == cudaGraphCondAssignDefault)))
            call.error = cudaErrorMemoryAllocation;
    }
    return call_end(&call);
}

cudaError_t condition_prepare(struct runtime *runtime, const struct cudaConditionalNodeParams *parameters,
                              struct work *work)
{
    unsigned most = parameters->type == cudaGraphCondTypeWhile ? 1 : 2;
    uint32_t value;

    *work = (struct work){ .kind = WORK_CONDITION, .call = "a conditional node" };
    if ((unsigned)parameters->type > cudaGraphCondTypeSwitch || parameters->size < 1 ||
        (parameters->type != cudaGraphCondTypeSwitch && parameters->size > most) ||
        !sim_condition_get(runtime->sim, parameters->handle, &value))
        return cudaErrorInvalidValue;
    work->condition = (struct condition_work){ .handle = parameters->handle, .type = parameters->type,
                                               .count = parameters->size };
    return cudaSuccess;
}

bool condition_clone(struct runtime *runtime, const struct condition_work *from, struct condition_work *to)
{
    to->bodies = calloc(from->count, sizeof(struct CUgraph_st *));
    for (unsigned i = 0; to->bodies && i < from->count; i++) {
        to->bodies[i] = from->bodies ? graph_clone(runtime, from->bodies[i]) : graph_create(runtime);
        if (!to->bodies[i]) {
            condition_release(runtime, to);
            return false;
        }
        to->bodies[i]->of_node = true;
    }
    return to->bodies;
}

void condition_release(struct runtime *runtime, struct condition_work *condition)
{
    for (unsigned i = 0; condition->bodies && i < condition->count; i++)
        if (condition->bodies[i])
            graph_destroy(runtime, condition->bodies[i]);
    free(condition->bodies);
    condition->bodies = NULL;
}

cudaError_t condition_instantiate(struct runtime *runtime, const struct condition_work *condition,
                                  struct exec_step *step)
{
    cudaError_t error = cudaSuccess;

    step->work = (struct work){ .kind = WORK_CONDITION, .call = "a conditional node", .condition = *condition };
    step->work.condition.bodies = NULL;
    step->bodies = calloc(condition->count, sizeof(struct CUgraphExec_st *));
    if (!step->bodies)
        return cudaErrorMemoryAllocation;
    for (unsigned i = 0; i < condition->count && error == cudaSuccess; i++)
        error = exec_create(runtime, condition->bodies[i], &step->bodies[i]);
    return error;
}

void condition_end(struct runtime *runtime, struct exec_step *step)
{
    for (unsigned i = 0; step->bodies && i < step->work.condition.count; i++)
        if (step->bodies[i])
            exec_destroy(runtime, step->bodies[i]);
    free(step->bodies);
    step->bodies = NULL;
}

void condition_reset_all(struct runtime *runtime, const struct CUgraphExec_st *exec)
{
    for (size_t i = 0; i < exec->count; i++) {
        const struct exec_step *step = &exec->steps[i];

        if (step->child)
            condition_reset_all(runtime, step->child);
        if (!step->bodies)
            continue;
        sim_condition_reset(runtime->sim, step->work.condition.handle);
        for (unsigned n = 0; n < step->work.condition.count; n++)
            condition_reset_all(runtime, step->bodies[n]);
    }
}

static cudaError_t report_endless(struct runtime *runtime, uint32_t value)
{
    struct sim_fault fault = { .kind = FAULT_DEADLOCK, .error = true, .count = 1 };

    snprintf(fault.kernel, sizeof fault.kernel, "a conditional node");
    snprintf(fault.text, sizeof fault.text,
             "the loop of a graph went round %d times with the value %" PRIu32 ", and no kernel set that: "
             "cudaGraphSetConditional() ends it", ROUNDS_MOST, value);
    sim_report_fault(runtime->sim, &fault);
    return runtime->sticky = cudaErrorLaunchTimeout;
}

cudaError_t condition_run(struct call *call, const struct exec_step *step, cudaStream_t stream)
{
    const struct condition_work *condition = &step->work.condition;
    uint64_t sets = sim_condition_sets(call->runtime->sim, condition->handle);
    cudaError_t error = cudaSuccess;
    uint32_t value = 0, rounds = 0;

    do {
        uint32_t body;

        if (!sim_condition_get(call->runtime->sim, condition->handle, &value))
            return cudaErrorInvalidValue;
        body = condition->type == cudaGraphCondTypeSwitch ? value : condition->type == cudaGraphCondTypeIf ? !value : 0;
        if (body >= condition->count || (condition->type == cudaGraphCondTypeWhile && !value))
            break;
        error = exec_run(call, step->bodies[body], stream);
        if (++rounds == ROUNDS_MOST && sim_condition_sets(call->runtime->sim, condition->handle) == sets)
            error = report_endless(call->runtime, value);
    } while (condition->type == cudaGraphCondTypeWhile && error == cudaSuccess &&
             call->runtime->sticky == cudaSuccess);
    return error;
}
