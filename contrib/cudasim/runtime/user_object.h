/*
 * user_object.h - things of the program that graphs keep alive: runtime_user_object.c.
 */
#ifndef CUDASIM_USER_OBJECT_H
#define CUDASIM_USER_OBJECT_H

#include "runtime.h"

/* A cudaUserObject_t: something of the program that lives as long as a graph, or the program, refers to it. */
struct CUuserObject_st {
    void *data;                     /* the destructor's argument */
    cudaHostFn_t destroy;           /* called when nothing refers to it any more */
    unsigned references;            /* of the program and of graphs */
    struct CUuserObject_st *next;   /* of runtime->dead_objects */
};

struct object_use {
    struct object_use *next;        /* of the same graph */
    struct CUuserObject_st *object; /* kept alive */
    unsigned references;            /* that the graph has */
};

/* `to` refers to the objects of `from` as well; false: no memory. */
bool object_uses_copy(const struct object_use *from, struct object_use **to);
/* Drops all references. Destructors wait for objects_destroy(), because they may not be called here. */
void object_uses_drop(struct runtime *runtime, struct object_use **uses);
void objects_destroy(struct call *call);

#endif
