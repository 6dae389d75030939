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

/* Whether nobody else has it. The descriptor stays open: the lock lasts as long as the process. */
static bool lock_processor(int processor)
{
    char path[64];
    int fd;

    snprintf(path, sizeof path, "/tmp/gpu-contest-toolkit-cpu%d.lock", processor);
    fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
    if (fd < 0)
        return false;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return true;
    close(fd);
    return false;
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
        if (lock_processor(cpu))
            chosen = cpu;
    }
    if (chosen < 0) /* all taken: share one */
        chosen = last;
    *others = CPU_COUNT(&set) - 1;
    if (*others > 0) {
        CPU_CLR(chosen, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
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
