/*
 * child_graph.c - launches of instantiated graphs that kernels make. The machine notes them. The runtime of the host,
 * which knows what a graph is, takes the notes when the kernel is over and runs the graphs.
 */
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "inside.h"

enum { ERROR_INVALID_VALUE = 1, ERROR_OUT_OF_MEMORY = 2 };

/* The place of `graph` among those that kernels may launch, or graph_count. */
static size_t place_of(const struct children *all, uint64_t graph)
{
    size_t n = 0;

    while (n < all->graph_count && all->graphs[n] != graph)
        n++;
    return n;
}

bool sim_graph_permit(struct sim *sim, uint64_t graph)
{
    struct children *all = &sim->children;
    uint64_t *grown;
    bool known;

    pthread_mutex_lock(&all->lock);
    known = place_of(all, graph) < all->graph_count;
    grown = known ? NULL : realloc(all->graphs, (all->graph_count + 1) * sizeof *grown);
    if (grown) {
        all->graphs = grown;
        grown[all->graph_count++] = graph;
    }
    pthread_mutex_unlock(&all->lock);
    return known || grown;
}

void sim_graph_forbid(struct sim *sim, uint64_t graph)
{
    struct children *all = &sim->children;
    size_t n;

    pthread_mutex_lock(&all->lock);
    n = place_of(all, graph);
    if (n < all->graph_count)
        all->graphs[n] = all->graphs[--all->graph_count];
    pthread_mutex_unlock(&all->lock);
}

/* Notes the launch. False: no memory. The caller has the lock. */
static bool note(struct children *all, uint64_t graph, enum graph_launch_kind kind)
{
    struct graph_request *grown = realloc(all->requests, (all->request_count + 1) * sizeof *grown);

    if (!grown)
        return false;
    all->requests = grown;
    grown[all->request_count++] = (struct graph_request){graph, kind};
    return true;
}

uint32_t child_graph(struct warp *w, uint64_t graph, uint64_t stream)
{
    const struct sim_launch *what = w->block->launch->what;
    struct children *all = &w->worker->sim->children;
    uint64_t kind = stream >> 56;
    uint32_t error = 0;

    pthread_mutex_lock(&all->lock);
    /* A graph that runs may only be launched behind itself. */
    if (!what->in_graph || stream << 8 || kind < GRAPH_TAIL || kind > GRAPH_SIBLING ||
        place_of(all, graph) == all->graph_count || (graph == what->graph && kind != GRAPH_TAIL))
        error = ERROR_INVALID_VALUE;
    else if (!note(all, graph, (enum graph_launch_kind)kind))
        error = ERROR_OUT_OF_MEMORY;
    if (error)
        all->error = error;
    pthread_mutex_unlock(&all->lock);
    return error;
}

size_t sim_graph_requests(struct sim *sim, struct graph_request **requests)
{
    struct children *all = &sim->children;
    size_t count;

    pthread_mutex_lock(&all->lock);
    count = all->request_count;
    *requests = all->requests;
    all->requests = NULL;
    all->request_count = 0;
    pthread_mutex_unlock(&all->lock);
    return count;
}

/* ---- nodes that kernels change ---- */

uint32_t child_change(struct sim *sim, const struct node_change *change)
{
    struct children *all = &sim->children;
    struct node_change *grown;
    unsigned char *data = change->bytes ? malloc(change->bytes) : NULL;
    uint32_t error = 0;

    if (data)
        memcpy(data, change->data, change->bytes);
    pthread_mutex_lock(&all->lock);
    if (place_of(all, change->node) == all->graph_count) {
        error = ERROR_INVALID_VALUE;
    } else if ((change->bytes && !data) ||
               !(grown = realloc(all->changes, (all->change_count + 1) * sizeof *grown))) {
        error = ERROR_OUT_OF_MEMORY;
    } else {
        all->changes = grown;
        grown[all->change_count] = *change;
        grown[all->change_count++].data = data;
    }
    if (error)
        all->error = error;
    pthread_mutex_unlock(&all->lock);
    if (error)
        free(data);
    return error;
}

size_t sim_node_changes(struct sim *sim, struct node_change **changes)
{
    struct children *all = &sim->children;
    size_t count;

    pthread_mutex_lock(&all->lock);
    count = all->change_count;
    *changes = all->changes;
    all->changes = NULL;
    all->change_count = 0;
    pthread_mutex_unlock(&all->lock);
    return count;
}

void sim_node_changes_free(struct node_change *changes, size_t count)
{
    for (size_t n = 0; n < count; n++)
        free((void *)(uintptr_t)changes[n].data);
    free(changes);
}
