/*
 * memory.c - reads /proc/PID/status.
 */
#include "memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool memory_watch_open(struct memory_watch *watch, pid_t pid, size_t limit)
{
    char path[64];

    *watch = (struct memory_watch){ .limit = limit };
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    watch->status = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    return watch->status >= 0;
}

/* A line "Name:   123 kB" of the file, in bytes. */
static size_t bytes_of(const char *text, const char *name)
{
    const char *line = strstr(text, name);

    return line ? (size_t)strtoull(line + strlen(name), NULL, 10) << 10 : 0;
}

bool memory_watch_look(struct memory_watch *watch)
{
    char text[4096];
    size_t own, shared;
    ssize_t length;

    if (watch->status < 0)
        return false;
    length = pread(watch->status, text, sizeof text - 1, 0);
    if (length <= 0) /* it has ended */
        return false;
    text[length] = '\0';
    own = bytes_of(text, "\nRssAnon:") + bytes_of(text, "\nVmSwap:");
    shared = bytes_of(text, "\nRssShmem:");
    if (shared > watch->given)
        own += shared - watch->given;
    if (own > watch->peak)
        watch->peak = own;
    return watch->limit > 0 && own > watch->limit;
}

void memory_watch_close(struct memory_watch *watch)
{
    if (watch->status >= 0)
        close(watch->status);
    watch->status = -1;
}
