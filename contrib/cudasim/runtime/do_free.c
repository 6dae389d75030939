/*
 * do_free.c - reports invalid frees, memory that was never used, and memory that the program never freed. A report
 * changes nothing else.
 */
#include "runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host_place.h"

/* How the memory of a region that is alive is given back. */
static const char *way_to_free(const struct region *region)
{
    switch (region->kind) {
    case REGION_DEVICE:
    case REGION_POOL:
    case REGION_MANAGED: return "memory of the device, for cudaFree()";
    case REGION_HOST: return "page-locked memory, for cudaFreeHost()";
    case REGION_REGISTERED: return "the program's own memory, for cudaHostUnregister()";
    case REGION_HEAP: return "memory of malloc() in a kernel, for free() there";
    case REGION_GLOBAL: break;
    }
    return "a variable, which nobody frees";
}

cudaError_t free_refused(struct runtime *runtime, const void *pointer, const char *call)
{
    uint64_t address = (uintptr_t)pointer;
    const struct region *region = memory_find(sim_memory(runtime->sim), address, NULL);
    struct sim_fault fault = { .kind = FAULT_INVALID_FREE, .address = address, .count = 1 };

    if (!sim_options(runtime->sim)->check_calls)
        return cudaErrorInvalidValue;
    runtime->told_of_call = true;
    snprintf(fault.kernel, sizeof fault.kernel, "%s", call);
    if (!region)
        snprintf(fault.text, sizeof fault.text, "0x%" PRIx64 " is not an address that the runtime gave", address);
    else if (region->freed)
        snprintf(fault.text, sizeof fault.text,
                 "the allocation of %" PRIu64 " bytes at 0x%" PRIx64 " (number %" PRIu64 ") was freed before",
                 region->size, region->base, region->serial);
    else if (region->base != address)
        snprintf(fault.text, sizeof fault.text,
                 "0x%" PRIx64 " is %" PRIu64 " bytes into an allocation of %" PRIu64 " bytes: only its start can be "
                 "freed", address, address - region->base, region->size);
    else
        snprintf(fault.text, sizeof fault.text, "0x%" PRIx64 " is %s", address, way_to_free(region));
    host_add_place(fault.text, sizeof fault.text);
    sim_report_fault(runtime->sim, &fault);
    return cudaErrorInvalidValue;
}

/* ------------------------------------------------------------------ memory that nothing used */

/* Whether no byte of the region was ever written. */
static bool is_untouched(struct memory *memory, const struct region *region)
{
    const uint8_t *bits = memory_bits(memory) + (region->base - memory_origin(memory)) / 8;

    if (region->written || (region->kind != REGION_DEVICE && region->kind != REGION_POOL))
        return false;
    for (uint64_t n = 0; n < (region->size + 7) / 8; n++)
        if (bits[n])
            return false;
    return true;
}

void unused_check(struct runtime *runtime, const struct region *region)
{
    const struct sim_options *options = sim_options(runtime->sim);
    struct sim_fault fault = { .kind = FAULT_UNUSED, .address = region->base, .count = 1 };

    /* Which bytes are written is noted for the check of reads. */
    if (!options->check_unused || !options->check_written || !is_untouched(sim_memory(runtime->sim), region))
        return;
    snprintf(fault.text, sizeof fault.text,
             "%" PRIu64 " bytes at 0x%" PRIx64 " (allocation number %" PRIu64 "): nothing was ever written there",
             region->size, region->base, region->serial);
    sim_report_fault(runtime->sim, &fault);
}

/* ------------------------------------------------------------------ the end */

static void say_leak(struct runtime *runtime, const char *what, size_t count)
{
    struct sim_fault fault = { .kind = FAULT_LEAK, .count = count };

    if (!count)
        return;
    snprintf(fault.text, sizeof fault.text, "%zu %s%s never destroyed", count, what, count == 1 ? " was" : "s were");
    sim_report_fault(runtime->sim, &fault);
}

static size_t handles_of(const struct runtime *runtime, enum handle_kind kind)
{
    size_t count = 0;

    for (size_t i = 0; i < runtime->handles.capacity; i++)
        count += runtime->handles.keys[i] && (uintptr_t)runtime->handles.values[i] == (uintptr_t)kind;
    return count;
}

/* Instantiated graphs that belong to steps of `exec`. They end with it. */
static size_t inside_exec(const struct CUgraphExec_st *exec)
{
    size_t count = 0;

    for (size_t i = 0; i < exec->count; i++)
        count += exec->steps[i].child ? 1 : exec->steps[i].bodies ? exec->steps[i].work.condition.count : 0;
    return count;
}

/* Graphs that belong to a node. They end with its graph. */
static size_t inside_node(const struct CUgraphNode_st *node)
{
    if (node->work.kind == WORK_CONDITION)
        return node->work.condition.bodies ? node->work.condition.count : 0;
    return node->work.kind == WORK_GRAPH && node->work.graph;
}

/* The graphs and instantiated graphs that the program holds: all but those inside of others and of open captures. */
static void say_graphs(struct runtime *runtime)
{
    size_t graphs = handles_of(runtime, HANDLE_GRAPH), execs = handles_of(runtime, HANDLE_EXEC);

    for (size_t i = 0; i < runtime->handles.capacity; i++) {
        const void *record = runtime->handles.keys[i];

        if (record && handle_is(runtime, record, HANDLE_EXEC))
            execs -= inside_exec(record);
        else if (record && handle_is(runtime, record, HANDLE_NODE))
            graphs -= inside_node(record);
    }
    for (const struct graph_capture *capture = runtime->captures; capture; capture = capture->next)
        graphs -= capture->own_graph;
    say_leak(runtime, "graph", graphs);
    say_leak(runtime, "instantiated graph", execs);
}

/* Pools that the program made. */
static size_t pools_left(const struct runtime *runtime)
{
    size_t count = 0;

    for (const struct CUmemPoolHandle_st *pool = runtime->pools; pool; pool = pool->next)
        count += !pool->builtin;
    return count;
}

void left_check(struct runtime *runtime)
{
    say_leak(runtime, "stream", handles_of(runtime, HANDLE_STREAM));
    say_leak(runtime, "event", handles_of(runtime, HANDLE_EVENT));
    say_graphs(runtime);
    say_leak(runtime, "texture or surface object", handles_of(runtime, HANDLE_OBJECT));
    say_leak(runtime, "memory pool", pools_left(runtime));
    say_leak(runtime, "user object", handles_of(runtime, HANDLE_USER_OBJECT));
    say_leak(runtime, "allocation by cuMemCreate()", handles_of(runtime, HANDLE_PHYSICAL));
    sim_report_heap(runtime->sim);
}
