/*
 * processor.c - processor sets and the locks on them.
 */
#include "processor.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

/* What this process may use, but for the processor that it chose for its runner; empty before it is known. */
static cpu_set_t own;

/* Tries the lock of a processor: its descriptor, which lasts as long as the process, or -1 if another has it. */
static int try_lock(int processor, int how)
{
    char path[64];
    int fd;

    snprintf(path, sizeof path, "/tmp/gpu-contest-toolkit-cpu%d.lock", processor);
    fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
    if (fd < 0 || flock(fd, how | LOCK_NB) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Whether a host has chosen it. A shared lock for a moment: a host that wants it just then takes the next one. */
static bool is_taken(int processor)
{
    int fd = try_lock(processor, LOCK_SH);

    if (fd >= 0)
        close(fd);
    return fd < 0;
}

int processor_claim(int *others)
{
    int last = -1, chosen = -1;
    cpu_set_t set;

    *others = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return -1;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && chosen < 0; cpu--) {
        if (!CPU_ISSET(cpu, &set))
            continue;
        last = last < 0 ? cpu : last;
        if (try_lock(cpu, LOCK_EX) >= 0)
            chosen = cpu;
    }
    if (chosen < 0) /* all taken: share one */
        chosen = last;
    *others = CPU_COUNT(&set) - 1;
    if (*others > 0) {
        CPU_CLR(chosen, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    own = set;
    return chosen;
}

void processor_use(int processor)
{
    cpu_set_t one;

    if (processor < 0)
        return;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    sched_setaffinity(0, sizeof one, &one);
}

void processor_make_way(void)
{
    cpu_set_t set;

    if (CPU_COUNT(&own) == 0 && sched_getaffinity(0, sizeof own, &own) != 0)
        return;
    set = own;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set) && is_taken(cpu))
            CPU_CLR(cpu, &set);
    sched_setaffinity(0, sizeof own, CPU_COUNT(&set) > 0 ? &set : &own);
}

void processor_leave(int count)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) <= count)
        return;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && count > 0; cpu--)
        if (CPU_ISSET(cpu, &set)) {
            CPU_CLR(cpu, &set);
            count--;
        }
    sched_setaffinity(0, sizeof set, &set);
}
