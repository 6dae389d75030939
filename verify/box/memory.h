/*
 * memory.h - measures the runner's memory if no cgroup limits it: the host polls it while it waits.
 *
 * Looked at is one process, the runner, and where it may start others these, too. It counts private memory,
 * shared mappings, page tables and swapped-out pages, whichever of its threads still run; not its program
 * files. Its threads are counted as well, since the kernel limits none of root's.
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
    size_t tasks;  /* threads that it may have */
    bool crowded;  /* it had more */
    pid_t process; /* that one */
    bool family;   /* all that its box's first process started is looked at */
    size_t given;  /* bytes of memory that the host has given it: not its own */
    size_t peak;   /* the most that was seen, bytes */
};

/*
 * Looks from now on at a process, which may have `limit` bytes and `tasks` threads, or at its whole `family`: what the
 * process that started it started. False, and nothing is looked at, where it is gone.
 */
bool memory_watch_open(struct memory_watch *watch, pid_t pid, size_t limit, size_t tasks, bool family);

/* True when the process is above its limit now, or had more threads than it may have. */
bool memory_watch_look(struct memory_watch *watch);

void memory_watch_close(struct memory_watch *watch);

#endif
