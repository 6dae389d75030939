/*
 * ipc.h - what several processes share, as the other files see it: runtime_ipc.c.
 */
#ifndef CUDASIM_IPC_H
#define CUDASIM_IPC_H

#include <stdbool.h>
#include <stdint.h>

#include "word.h"

struct CUevent_st;
struct runtime;

/* The part of an event that several processes see. */
struct shared_event {
    uint64_t recorded; /* records that were submitted */
    uint64_t done;     /* of them, those that have run */
};

/* An event with cudaEventInterprocess, its end, and the word that waits for its records so far: runtime_ipc.c. */
bool ipc_event_create(struct runtime *runtime, struct CUevent_st *event);
void ipc_event_destroy(struct runtime *runtime, struct CUevent_st *event);
struct word_work ipc_event_word(const struct CUevent_st *event);
void ipc_release(struct runtime *runtime); /* at the end */

#endif
