/*
 * runtime_graph_dot.c - cudaGraphDebugDotPrint(): a graph as a picture in the language of Graphviz. Child graphs and
 * the bodies of conditional nodes are clusters of their own.
 */
#include "runtime.h"

#include <stdio.h>

static const char *const kinds[] = {
    [WORK_EMPTY] = "EMPTY",         [WORK_KERNEL] = "KERNEL",       [WORK_COPY] = "MEMCPY",
    [WORK_SET] = "MEMSET",          [WORK_HOST] = "HOST",           [WORK_GRAPH] = "GRAPH",
    [WORK_CONDITION] = "CONDITIONAL", [WORK_RECORD] = "EVENT_RECORD", [WORK_WAIT] = "EVENT_WAIT",
    [WORK_ALLOCATE] = "MEM_ALLOC",  [WORK_RELEASE] = "MEM_FREE",     [WORK_WORDS] = "BATCH_MEM_OP",
};

/* The picture that is written. */
struct dot {
    FILE *out;
    unsigned flags;  /* enum cudaGraphDebugDotFlags */
    unsigned graphs; /* written so far */
};

static bool shows(const struct dot *dot, unsigned flag)
{
    return dot->flags & (flag | cudaGraphDebugDotFlagsVerbose);
}

/* What the node does, as further lines of its box. */
static void write_details(const struct dot *dot, const struct work *work)
{
    const struct kernel_work *kernel = &work->kernel;

    switch (work->kind) {
    case WORK_KERNEL:
        fprintf(dot->out, "\\n%s", kernel->entry->name);
        if (shows(dot, cudaGraphDebugDotFlagsKernelNodeParams))
            fprintf(dot->out, "\\ngrid %u,%u,%u block %u,%u,%u shared %u", kernel->grid[0], kernel->grid[1],
                    kernel->grid[2], kernel->block[0], kernel->block[1], kernel->block[2], kernel->dynamic_shared);
        break;
    case WORK_COPY:
        if (shows(dot, cudaGraphDebugDotFlagsMemcpyNodeParams))
            fprintf(dot->out, "\\n%#llx to %#llx\\n%zu x %zu x %zu", (unsigned long long)work->copy.source.address,
                    (unsigned long long)work->copy.target.address, work->copy.width, work->copy.height,
                    work->copy.depth);
        break;
    case WORK_SET:
        if (shows(dot, cudaGraphDebugDotFlagsMemsetNodeParams))
            fprintf(dot->out, "\\n%#llx value %u\\n%zu x %zu of %u bytes",
                    (unsigned long long)work->set.target.address, work->set.value, work->set.width, work->set.height,
                    work->set.element);
        break;
    case WORK_ALLOCATE:
    case WORK_RELEASE:
        if (shows(dot, 0))
            fprintf(dot->out, "\\n%#llx", (unsigned long long)work->memory.address);
        break;
    default:
        break;
    }
}

static void write_graph(struct dot *dot, struct CUgraph_st *graph)
{
    unsigned number = dot->graphs++;
    size_t place = 0;

    for (struct CUgraphNode_st *node = graph->nodes; node; node = node->next)
        node->mark = place++;

    fprintf(dot->out, "subgraph cluster_%u {\nlabel=\"graph_%u\"\n", number, number);
    for (const struct CUgraphNode_st *node = graph->nodes; node; node = node->next) {
        fprintf(dot->out, "\"graph_%u_node_%zu\" [shape=box label=\"%zu %s", number, node->mark, node->mark,
                kinds[node->work.kind]);
        write_details(dot, &node->work);
        if (shows(dot, cudaGraphDebugDotFlagsHandles))
            fprintf(dot->out, "\\n%p", (const void *)node);
        fprintf(dot->out, "\"]\n");
        for (size_t i = 0; i < node->dependency_count; i++)
            fprintf(dot->out, "\"graph_%u_node_%zu\" -> \"graph_%u_node_%zu\"\n", number,
                    node->dependencies[i]->mark, number, node->mark);
    }
    fprintf(dot->out, "}\n");
    for (const struct CUgraphNode_st *node = graph->nodes; node; node = node->next) {
        if (node->work.kind == WORK_GRAPH)
            write_graph(dot, node->work.graph);
        for (unsigned i = 0; node->work.kind == WORK_CONDITION && i < node->work.condition.count; i++)
            write_graph(dot, node->work.condition.bodies[i]);
    }
}

static cudaError_t write_picture(struct CUgraph_st *graph, const char *path, unsigned flags)
{
    struct dot dot = { .out = fopen(path, "w"), .flags = flags };
    bool good;

    if (!dot.out)
        return cudaErrorOperatingSystem;
    fprintf(dot.out, "digraph dot {\n");
    write_graph(&dot, graph);
    fprintf(dot.out, "}\n");
    good = !ferror(dot.out);
    return fclose(dot.out) == 0 && good ? cudaSuccess : cudaErrorOperatingSystem;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!path || !handle_is(call.runtime, graph, HANDLE_GRAPH))
            call.error = cudaErrorInvalidValue;
        else
            call.error = write_picture(graph, path, flags);
    }
    return call_end(&call);
}
