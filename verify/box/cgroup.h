/*
 * cgroup.h - a control group (cgroup v2) for each session: the kernel's own limit of all memory and of all threads and
 * processes, and a means to end everything at once.
 *
 *   cgroup_find()    once: a place where cgroups with the controllers memory and pids can be made, found by trying it
 *   cgroup_open()    makes the cgroup of one session, with its limits
 *   cgroup_fork()    a child process in it
 *   cgroup_look()    what the kernel has counted so far
 *   cgroup_close()   ends what is left in it, and removes it
 *
 * The place is the nearest writable cgroup above this process. Usually it is the parent of its own, because a cgroup
 * with processes cannot have limited cgroups below it. Root has such a place, and a user in a unit that systemd has
 * delegated (systemd-run --user --scope). Nothing here knows what runs in the cgroup.
 */
#ifndef VERIFY_CGROUP_H
#define VERIFY_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct cgroup_place {
    char folder[PATH_MAX]; /* of the cgroup below which the sessions' are made */
};

struct cgroup {
    char path[PATH_MAX + 64]; /* its folder */
    int folder;               /* that opened, and locked for as long as the cgroup is in use; -1 for no cgroup */
    int procs;                /* its cgroup.procs, for writing */
};

/* What the kernel counted in a cgroup since it was made. */
struct cgroup_counts {
    size_t memory_peak;   /* bytes in use at most, files in memory and the kernel's tables included; 0: not known */
    size_t oom_kills;     /* processes that were ended because memory.max was reached */
    size_t tasks_refused; /* threads and processes that were not started because pids.max was reached */
};

/*
 * False if there is no such place; *why then points to constant words. It removes cgroups that dead hosts left there.
 * The calling process must have no other children.
 */
bool cgroup_find(struct cgroup_place *place, const char **why);

/* Bytes that the calling process's cgroup and those above it (v2) still allow; SIZE_MAX where none has a limit. */
size_t cgroup_memory_left(void);

/*
 * The same for the cgroup of that folder and those above it, up to the one whose path has mount_length characters, the
 * top of what is mounted: in a container that is the one with the limit. `folder` is written to.
 */
size_t cgroup_memory_left_in(char *folder, size_t mount_length);

/* A cgroup of at most `memory` bytes (no swap) and `tasks` threads and processes; false with errno. */
bool cgroup_open(struct cgroup *cgroup, const struct cgroup_place *place, size_t memory, size_t tasks);

/*
 * fork(), with the child in the cgroup from its start if the kernel can do that: moving a process there later makes the
 * kernel wait for every processor. On older kernels the child moves itself, and ends with exit code `failed` if it
 * cannot. As between fork() and exec(), it may call only functions that are safe in a signal handler.
 */
pid_t cgroup_fork(const struct cgroup *cgroup, int failed);

struct cgroup_counts cgroup_look(const struct cgroup *cgroup);

/* Kills all that is in it; returns at once. */
void cgroup_kill(const struct cgroup *cgroup);

/* Kills all that is in it and removes it; false when that was not possible within `seconds`. */
bool cgroup_close(struct cgroup *cgroup, double seconds);

#endif
