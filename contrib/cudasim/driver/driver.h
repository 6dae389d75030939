/*
 * driver.h - shared by the files of the driver API: the frame of a call, and the runtime's errors as driver errors.
 *
 * A call does the same as the runtime's call of the same purpose. It returns the error to its caller alone:
 * cudaGetLastError() does not return it. No file here keeps state. struct runtime holds contexts and modules.
 */
#ifndef CUDASIM_DRIVER_H
#define CUDASIM_DRIVER_H

#include <cuda.h>

#include "contrib/cudasim/runtime/runtime.h"

/* What a call needs before it may run. */
enum driver_need {
    DRIVER_ANY,    /* nothing */
    DRIVER_READY,  /* cuInit() */
    DRIVER_CONTEXT /* a current context */
};

struct driver_call {
    struct runtime *runtime;     /* NULL when the process is ending */
    struct thread_state *thread; /* that calls */
    cudaError_t last;            /* cudaGetLastError() as it was before */
    unsigned contexts;           /* that the thread had before */
    bool active, used;           /* the primary one, before */
    CUresult result;             /* what the call returns if it may not run */
};

/* The frame: `return driver_begin(&call, need) ? driver_end(&call, cuda…()) : call.result;` */
bool driver_begin(struct driver_call *call, enum driver_need need);
CUresult driver_end(struct driver_call *call, cudaError_t error);

/* The driver's code of the error. */
CUresult driver_error(cudaError_t error);

/* The thread's current context, or NULL. */
struct CUctx_st *driver_current(const struct thread_state *thread);

/* The context's settings of core dumps, from now on its own; NULL: no memory. With the lock: driver_dump.c. */
struct dump_settings *driver_dump_settings(struct runtime *runtime, struct CUctx_st *context);

/* Ends what the context owns: driver_owned.c. Without the lock. */
void driver_release_owned(struct runtime *runtime, struct CUctx_st *owner);

/* Whether the context `context` exists. */
bool driver_is_context(struct runtime *runtime, CUcontext context);

/* The runtime's description of the same copy. */
cudaError_t driver_box(const CUDA_MEMCPY3D *copy, struct cudaMemcpy3DParms *parameters);

/* Nodes of words: cuGraphAddNode() and cuGraphNodeSetParams() of that kind. `exec`, `edges`: or NULL. */
CUresult driver_add_words(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                          const CUgraphEdgeData *edges, size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters);
CUresult driver_set_words(CUgraphExec exec, CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *parameters);

/* Where and how large the mapping by hand is that holds the address. Nothing changes if there is none. */
void driver_mapping(struct runtime *runtime, CUdeviceptr address, CUdeviceptr *base, size_t *bytes);

/* The version of CUDA, such as 12040, that has the function first; 0: not known, or older than CUDA 10. */
int driver_appeared(const char *name);

/* CUDA_ERROR_NOT_SUPPORTED, with one line on standard error the first time for each name. */
CUresult driver_unsupported(const char *name);

#endif
