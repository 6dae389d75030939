/*
 * watch.h - which memory the host reads and writes while work is pending: watch.c, for the checks of streams.
 */
#ifndef CUDASIM_WATCH_H
#define CUDASIM_WATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory;
struct runtime;
struct traffic_span;
struct watch;
struct work;

/* An access of the host to memory that pending work may touch. */
struct host_note {
    uint64_t address; /* of its first byte in a page that was not yet touched */
    uint64_t code;    /* of the instruction */
    uint64_t newest;  /* task submitted before it */
    pthread_t thread; /* that made it */
    bool writes;
    bool complete;    /* set last */
};

/* Starts the watch. `last_task` counts submissions. NULL: no memory. */
struct watch *watch_create(struct memory *memory, const uint64_t *last_task);
void watch_free(struct watch *watch);
void watch_work(struct runtime *runtime, const struct work *work); /* closes what the work may touch */
void watch_open(struct watch *watch);                             /* opens all of it */
void watch_touch(const void *memory, size_t bytes, bool writes); /* as the program's own access to all of it would */
const struct host_note *watch_note(const struct watch *watch, size_t n); /* NULL: no more */
/* Notes so far; this thread's from one on become accesses of its host function. spans: [watch_noted() - from] */
size_t watch_noted(const struct watch *watch);
size_t watch_take_notes(struct watch *watch, size_t from, struct traffic_span *spans);
void watch_forget_notes(struct watch *watch);
/* "the host in main (program+0x1234)": to be given to addr2line. */
void watch_place(const struct watch *watch, const struct host_note *note, char *text, size_t size);

#endif
