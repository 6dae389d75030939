/*
 * query.h - cudaStreamQuery() and cudaEventQuery(): what runtime.h keeps of them, and what queue.c does.
 *
 * A query runs the work that it asks about: a program that asks until the work is over would never end. But a kernel,
 * a host function or a word may wait for what the asking thread does next. Such work runs in the thread of runner.c.
 * The query ends when that work is over, or when it waits.
 */
#ifndef CUDASIM_QUERY_H
#define CUDASIM_QUERY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <driver_types.h>

struct call;
struct runtime;

struct query {
    pthread_cond_t asked; /* with the lock: `wanted` was set */
    bool wanted;          /* the thread of runner.c is to run all work now */
    uint64_t idle;        /* how often a kernel found that all its blocks wait */
    unsigned starved;     /* times in a row that all work waited for a word, and no thread could write it */
    int64_t last;         /* ns: when a query last answered cudaErrorNotReady; 0: never */
};

/* runner.c: reports that work waits for a word, after a while in which nobody was left to write it. */
bool runner_starves(struct call *call);
/* cudaErrorNotReady, or as queue_wait_stream() and queue_wait_event(). */
cudaError_t queue_query_stream(struct call *call, struct CUstream_st *stream);
cudaError_t queue_query_event(struct call *call, const struct CUevent_st *event);
/* With the lock, for at most so many ns, until some work is over or a kernel waits. False: the time is over. */
bool runtime_wait_for(struct runtime *runtime, pthread_cond_t *condition, long ns);

#endif
