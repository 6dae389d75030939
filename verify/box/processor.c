/*
 * processor.c - processor sets and the locks on them.
 */
#include "processor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "verify/base/lockfile.h"

/* How often, and how many microseconds apart, a host looks for a free processor before it shares one. */
enum { LOOKS = 5, LOOK_AGAIN = 1000 };

static void name_lock(int processor, char path[64])
{
    snprintf(path, 64, "/tmp/gpu-contest-toolkit-cpu%d.lock", processor);
}

/* Whether nobody else has it. The descriptor stays open: the lock lasts as long as the process. */
static bool lock_processor(int processor)
{
    char path[64];
    int fd;

    name_lock(processor, path);
    fd = lockfile_open(path);
    if (fd < 0)
        return false;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return true;
    close(fd);
    return false;
}

/* Whether a host has chosen it. The shared lock, for a moment, may make a host that wants it just then look again. */
static bool is_taken(int processor)
{
    char path[64];
    bool taken;
    int fd;

    name_lock(processor, path);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) /* nobody ever chose it */
        return false;
    taken = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(fd);
    return taken;
}

/* The highest processor of a set that nobody has, or PROCESSOR_ANY. */
static int lock_highest(const cpu_set_t *set)
{
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
        if (CPU_ISSET(cpu, set) && lock_processor(cpu))
            return cpu;
    return PROCESSOR_ANY;
}

void processors_claim(struct processors *processors)
{
    cpu_set_t *set = &processors->own;

    *processors = (struct processors){ .runner = PROCESSOR_ANY };
    if (sched_getaffinity(0, sizeof *set, set) != 0)
        return;
    for (int look = 0; look < LOOKS && processors->runner == PROCESSOR_ANY; look++) {
        if (look > 0)
            usleep(LOOK_AGAIN);
        processors->runner = lock_highest(set);
    }
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && processors->runner == PROCESSOR_ANY; cpu--)
        if (CPU_ISSET(cpu, set))
            processors->runner = cpu;
    processors->others = CPU_COUNT(set) - 1;
    if (processors->others == 0)
        return;
    CPU_CLR(processors->runner, set);
    sched_setaffinity(0, sizeof *set, set);
}

void processor_use(int processor)
{
    cpu_set_t one;

    if (processor == PROCESSOR_ANY)
        return;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* Moves all threads of a process. */
static void move(pid_t pid, const cpu_set_t *set)
{
    char path[64];
    struct dirent *entry;
    DIR *threads;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    threads = opendir(path);
    while (threads && (entry = readdir(threads)))
        if (entry->d_name[0] != '.')
            sched_setaffinity((pid_t)atoi(entry->d_name), sizeof *set, set);
    if (threads)
        closedir(threads);
}

void processor_keep(int processor, pid_t pid)
{
    cpu_set_t one;

    if (processor == PROCESSOR_ANY)
        return;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    move(pid, &one);
}

void processors_confine(const struct processors *processors, pid_t pid)
{
    if (processors->others > 0)
        move(pid, &processors->own);
}

void processors_make_way(const struct processors *processors)
{
    cpu_set_t set = processors->own;

    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set) && is_taken(cpu))
            CPU_CLR(cpu, &set);
    if (CPU_COUNT(&set) > 0)
        sched_setaffinity(0, sizeof set, &set);
    else
        processors_return(processors);
}

void processors_return(const struct processors *processors)
{
    if (CPU_COUNT(&processors->own) > 0)
        sched_setaffinity(0, sizeof processors->own, &processors->own);
}

void processor_leave(int count)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    if (count > CPU_COUNT(&set) / 2)
        count = CPU_COUNT(&set) / 2;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && count > 0; cpu--)
        if (CPU_ISSET(cpu, &set)) {
            CPU_CLR(cpu, &set);
            count--;
        }
    sched_setaffinity(0, sizeof set, &set);
}
