/*
 * unchecked.h - failed calls of the program whose result nothing looked at: unchecked.c. runtime.h includes it.
 */
#ifndef CUDASIM_UNCHECKED_H
#define CUDASIM_UNCHECKED_H

#include <stdint.h>

#include <cuda_runtime_api.h>

struct call;
struct runtime;
struct thread_state;

enum { UNCHECKED_MOST = 64 }; /* failed calls that are kept to the end */

/* A call that failed, and whose result nothing looked at yet: see unchecked.c. */
struct unchecked {
    const char *call;                  /* the function of the runtime */
    const void *from;                  /* where its result was dropped */
    void *inner[2];                    /* where it returned to before, innermost first */
    int inner_count;
    const struct thread_state *thread; /* that called; only compared */
    cudaError_t error;                 /* what it returned */
    uint64_t count;                    /* how often */
};

/* Notes that the call failed, unless the code behind it looks at its result. */
void unchecked_note(struct call *call);
/* The thread asked for its last error. If `thread` is NULL, a thread asked for the name or the text of `error`. */
void unchecked_looked(struct runtime *runtime, const struct thread_state *thread, cudaError_t error);
void unchecked_report(struct runtime *runtime);

/* The name of the function that the program called, "cudaMalloc"; NULL: unknown. */
const char *unchecked_called(void);

#endif
