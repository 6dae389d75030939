/*
 * memory.h - how much memory the runner has in use, where no cgroup limits it: the host looks at it while it waits.
 *
 * Looked at is one process, the runner. Counted are its private memory, its shared mappings and what of it was
 * swapped out, whichever of its threads still run; not its program files, nor files in memory that it has not mapped.
 */
#ifndef VERIFY_MEMORY_H
#define VERIFY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* When the host first looks, after the start of a wait, and how long it is between looks: a call may be timed. */
enum { MEMORY_FIRST_LOOK_NS = 2000000, MEMORY_LOOK_NS = 5000000 };

struct memory_watch {
    int status;    /* the process's file in /proc, which stays that process's; -1 for none */
    int threads;   /* the folder of its threads there; -1 for none */
    size_t limit;  /* bytes; 0 for none */
    size_t given;  /* bytes of memory that the host has given it: not its own */
    size_t peak;   /* the most that was seen, bytes */
};

/* Looks from now on at a process. False, and nothing is looked at, where it is gone. */
bool memory_watch_open(struct memory_watch *watch, pid_t pid, size_t limit);

/* True when the process is above its limit now. */
bool memory_watch_look(struct memory_watch *watch);

void memory_watch_close(struct memory_watch *watch);

#endif
