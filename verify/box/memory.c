/*
 * memory.c - reads /proc/PID/status.
 */
#include "memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char own_memory[] = "\nRssAnon:";

/* Of the processes of one box, at most. */
enum { PROCESSES_LOOKED_AT = 256 };

bool memory_watch_open(struct memory_watch *watch, pid_t pid, size_t limit, size_t tasks, bool family)
{
    char path[64];

    *watch = (struct memory_watch){ .status = -1, .threads = -1, .limit = limit, .tasks = tasks,
                                    .process = pid, .family = family };
    if (pid <= 0)
        return false;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    watch->status = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    watch->threads = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return watch->status >= 0;
}

static bool read_status(int fd, char text[], size_t size)
{
    ssize_t length = pread(fd, text, size - 1, 0);

    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/*
 * The kernel tells nothing of the memory of a process whose first thread has ended while others run on. They have the
 * same, so the first of them that tells it does.
 */
static void ask_threads(const struct memory_watch *watch, char text[], size_t size)
{
    int folder = watch->threads < 0 ? -1 : openat(watch->threads, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *threads = folder < 0 ? NULL : fdopendir(folder);
    struct dirent *entry;

    if (!threads && folder >= 0)
        close(folder);
    while (threads && !strstr(text, own_memory) && (entry = readdir(threads))) {
        char path[sizeof entry->d_name + 8];
        int fd;

        snprintf(path, sizeof path, "%s/status", entry->d_name);
        fd = entry->d_name[0] == '.' ? -1 : openat(watch->threads, path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        read_status(fd, text, size);
        close(fd);
    }
    if (threads)
        closedir(threads);
}

/* A line "Name:   123 kB" of the file, in bytes. */
static size_t bytes_of(const char *text, const char *name)
{
    const char *line = strstr(text, name);

    return line ? (size_t)strtoull(line + strlen(name), NULL, 10) << 10 : 0;
}

/* What the kernel tells of a process: all its memory but what is shared. */
static size_t used_by(const char *text)
{
    return bytes_of(text, own_memory) + bytes_of(text, "\nVmSwap:") + bytes_of(text, "\nVmPTE:");
}

static size_t add_children(pid_t pid, pid_t runner, int *left);

/*
 * The memory of another process, and of all that are below it: of what several share, its part. The runner itself is
 * left out, and a process that has the runner's memory for its own, as it has before it runs another program.
 */
static size_t add_process(pid_t pid, pid_t runner, int *left)
{
    char path[64], text[4096] = "";
    int fd = -1;

    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    if (pid != runner && syscall(SYS_kcmp, pid, runner, KCMP_VM, 0, 0) != 0)
        fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        read_status(fd, text, sizeof text);
        close(fd);
    }
    return bytes_of(text, "\nPss_Anon:") + bytes_of(text, "\nPss_Shmem:") + bytes_of(text, "\nSwapPss:") +
           add_children(pid, runner, left);
}

/* Of the children of all threads of a process; *left bounds how many processes are looked at. */
static size_t add_children(pid_t pid, pid_t runner, int *left)
{
    char path[300], text[4096], *next, *end;
    struct dirent *entry;
    size_t used = 0;
    DIR *threads;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    threads = opendir(path);
    while (threads && (entry = readdir(threads))) {
        int fd = -1;

        snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", (int)pid, entry->d_name);
        if (entry->d_name[0] != '.')
            fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        read_status(fd, text, sizeof text);
        close(fd);
        for (next = text; strtol(next, &end, 10) > 0 && end > next && (*left)-- > 0; next = end)
            used += add_process((pid_t)strtol(next, NULL, 10), runner, left);
    }
    if (threads)
        closedir(threads);
    return used;
}

bool memory_watch_look(struct memory_watch *watch)
{
    int left = PROCESSES_LOOKED_AT;
    char text[4096];
    size_t own, shared;

    if (watch->status < 0 || !read_status(watch->status, text, sizeof text)) /* it has ended */
        return false;
    if (!strstr(text, own_memory))
        ask_threads(watch, text, sizeof text);
    own = used_by(text);
    if (watch->family)
        own += add_children((pid_t)(bytes_of(text, "\nPPid:") >> 10), watch->process, &left);
    shared = bytes_of(text, "\nRssShmem:");
    if (shared > watch->given)
        own += shared - watch->given;
    if (own > watch->peak)
        watch->peak = own;
    watch->crowded = watch->crowded || left < 0 || bytes_of(text, "\nThreads:") >> 10 > watch->tasks;
    return watch->crowded || (watch->limit > 0 && own > watch->limit);
}

void memory_watch_close(struct memory_watch *watch)
{
    if (watch->status >= 0)
        close(watch->status);
    if (watch->threads >= 0)
        close(watch->threads);
    watch->status = watch->threads = -1;
}
