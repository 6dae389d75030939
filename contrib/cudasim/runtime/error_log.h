/*
 * error_log.h - the log of calls that failed: runtime_log.c. call_end() adds to it, without knowing who reads it.
 */
#ifndef CUDASIM_ERROR_LOG_H
#define CUDASIM_ERROR_LOG_H

#include "runtime.h"

enum { LOG_CALLBACKS = 16 }; /* that get a message, at most */

/* A message for the functions that the program registered. They are called without the lock. */
struct log_note {
    cudaLogsCallback_t functions[LOG_CALLBACKS]; /* [count] */
    void *data[LOG_CALLBACKS];                   /* [count], their first argument */
    unsigned count;
    char text[200];
};

/* Logs that `call` failed. `call`: NULL if its name is unknown. True: log_tell() is to be called, without the lock. */
bool log_add(struct runtime *runtime, const char *call, cudaError_t error, struct log_note *note);
/* A call that fails while these functions run is logged, and calls none of them. */
void log_tell(struct thread_state *thread, struct log_note *note);
void log_release(struct runtime *runtime);

#endif
