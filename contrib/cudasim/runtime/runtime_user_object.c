/*
 * runtime_user_object.c - the calls about user objects: things of the program that graphs keep alive. When the last
 * reference is gone, the program's destructor is called on the thread whose call dropped it.
 */
#include "runtime.h"
#include "user_object.h"

#include <limits.h>
#include <stdlib.h>

static bool add_use(struct object_use **uses, struct CUuserObject_st *object, unsigned count)
{
    struct object_use *use = *uses;

    while (use && use->object != object)
        use = use->next;
    if (!use) {
        use = calloc(1, sizeof *use);
        if (!use)
            return false;
        *use = (struct object_use){ .next = *uses, .object = object };
        *uses = use;
    }
    use->references += count;
    return true;
}

/* Drops references; the last one moves the object to the list of the dead. */
static void drop(struct runtime *runtime, struct CUuserObject_st *object, unsigned count)
{
    object->references -= count;
    if (object->references)
        return;
    map_remove(&runtime->handles, object);
    object->next = runtime->dead_objects;
    runtime->dead_objects = object;
}

bool object_uses_copy(const struct object_use *from, struct object_use **to)
{
    for (; from; from = from->next) {
        if (!add_use(to, from->object, from->references))
            return false;
        from->object->references += from->references;
    }
    return true;
}

void object_uses_drop(struct runtime *runtime, struct object_use **uses)
{
    struct object_use *use;

    while ((use = *uses) != NULL) {
        *uses = use->next;
        drop(runtime, use->object, use->references);
        free(use);
    }
}

void objects_destroy(struct call *call)
{
    struct CUuserObject_st *object;

    while ((object = call->runtime->dead_objects) != NULL) {
        call->runtime->dead_objects = object->next;
        call_host(call, object->destroy, object->data);
        free(object);
    }
}

/* ------------------------------------------------------------------ calls */

static bool count_is_good(unsigned count)
{
    return count > 0 && count <= INT_MAX;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy, unsigned references,
                                 unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!object || !destroy || flags != cudaUserObjectNoDestructorSync || !references)
            call.error = cudaErrorInvalidValue;
        else if (!(*object = handle_create(call.runtime, sizeof **object, HANDLE_USER_OBJECT)))
            call.error = cudaErrorMemoryAllocation;
        else
            **object = (struct CUuserObject_st){ .data = data, .destroy = destroy, .references = references };
    }
    return call_end(&call);
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!handle_is(call.runtime, object, HANDLE_USER_OBJECT) || !count_is_good(count))
            call.error = cudaErrorInvalidValue;
        else
            object->references += count;
    }
    return call_end(&call);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!handle_is(call.runtime, object, HANDLE_USER_OBJECT) || !count_is_good(count) ||
            count > object->references) {
            call.error = cudaErrorInvalidValue;
        } else {
            drop(call.runtime, object, count);
            objects_destroy(&call);
        }
    }
    return call_end(&call);
}

/* With cudaGraphUserObjectMove the program's references become the graph's. */
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        bool move = flags == cudaGraphUserObjectMove;

        if (!handle_is(call.runtime, graph, HANDLE_GRAPH) ||
            !handle_is(call.runtime, object, HANDLE_USER_OBJECT) || !count_is_good(count) || (flags && !move) ||
            (move && count > object->references))
            call.error = cudaErrorInvalidValue;
        else if (!add_use(&graph->objects, object, count))
            call.error = cudaErrorMemoryAllocation;
        else if (!move)
            object->references += count;
    }
    return call_end(&call);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count)
{
    struct object_use **link, *use;
    struct call call;

    if (!call_begin(&call, CALL_DEVICE))
        return call_end(&call);
    if (!handle_is(call.runtime, graph, HANDLE_GRAPH)) {
        call.error = cudaErrorInvalidValue;
        return call_end(&call);
    }
    for (link = &graph->objects; *link && (*link)->object != object; link = &(*link)->next)
        ;
    use = *link;
    if (!count_is_good(count)) {
        call.error = cudaErrorInvalidValue;
    } else if (use) { /* an H200 says nothing of what the graph does not hold */
        count = count < use->references ? count : use->references;
        use->references -= count;
        if (!use->references) {
            *link = use->next;
            free(use);
        }
        drop(call.runtime, object, count);
        objects_destroy(&call);
    }
    return call_end(&call);
}
