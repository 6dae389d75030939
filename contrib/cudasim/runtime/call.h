/*
 * call.h - the frame of each of CUDA's calls: it locks the runtime, finds the calling thread, and returns the error.
 *
 * runtime.h includes it.
 */
#ifndef CUDASIM_CALL_H
#define CUDASIM_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

struct runtime;
struct thread_state;

/* The conditions under which a call may run. */
enum call_need {
    CALL_ANY = 0,    /* answered even after a kernel faulted */
    CALL_DEVICE = 1, /* creates the device at its first use; refused after a fault */
    CALL_DRIVER = 2, /* the same as CALL_ANY, and starts the driver: its calls then need no cuInit() */
    CALL_UNSAFE = 3, /* the same, and refused while a stream capture of mode "global" is in progress */
};

/* The frame of a call: `if (call_begin(&call, need)) call.error = …; return call_end(&call);` */
struct call {
    struct runtime *runtime;     /* NULL when the process is ending */
    struct thread_state *thread; /* that calls */
    cudaError_t error;           /* what the call returns */
    bool locked;                 /* call_end() is to unlock the runtime */
    uint64_t task;               /* id of the one that it runs now */
    bool on_runner;              /* the thread of runner.c, and no call of the program */
    const void *from;            /* code behind the program's call; NULL: none */
    const void *outer;           /* code behind the call of the function that made it; NULL: not known */
    uint64_t frame;              /* address below all variables of the program's functions in progress */
};

bool call_begin_from(struct call *call, enum call_need need, const void *from, const void *frame);

/* Whether the call may go on, as with CALL_UNSAFE: false, with the capture invalid, if one in progress forbids it. */
bool call_permits_unsafe(struct call *call);

/* A part of functions that the program calls, so that call_begin() sees the program's code. */
#define IN_CALL static inline __attribute__((always_inline))

/* In functions that the program calls, `from` is in the program. Elsewhere it is in this library. */
static inline __attribute__((always_inline)) bool call_begin(struct call *call, enum call_need need)
{
    return call_begin_from(call, need, __builtin_return_address(0), __builtin_frame_address(0));
}

/* A thread without a context gets the primary one, and the driver is ready. */
void call_use_primary(struct call *call);
cudaError_t call_end(struct call *call);

#endif
