/*
 * stop.c - SIGSTOP, and the state of every thread as /proc tells it.
 */
#include "stop.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verify/base/clock.h"

/* The state of a thread: the letter behind its name, which may hold anything, so the last ')' ends it; or 0. */
static char state_of(pid_t pid, const char *thread)
{
    char path[64], text[512], *end;
    ssize_t length;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", (int)pid, thread);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    length = read(fd, text, sizeof text - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    end = strrchr(text, ')');
    return end && end[1] == ' ' ? end[2] : 0;
}

/* Whether every thread that is there has stopped; *alive tells whether there is one. */
static bool all_stopped(pid_t pid, bool *alive)
{
    bool stopped = true;
    struct dirent *entry;
    char path[64];
    DIR *threads;

    *alive = false;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    threads = opendir(path);
    if (!threads)
        return false;
    while (stopped && (entry = readdir(threads)))
        if (entry->d_name[0] != '.') {
            char state = state_of(pid, entry->d_name);

            *alive |= state == 'T' || state == 't';
            stopped = state == 'T' || state == 't' || state == 0 || state == 'Z' || state == 'X';
        }
    closedir(threads);
    return stopped;
}

bool stop_process(pid_t pid, double seconds)
{
    const int64_t start = clock_ns();
    bool alive = false;

    if (pid <= 0 || kill(pid, SIGSTOP) != 0)
        return false;
    /* Twice in a row: a thread could have been started behind the first look by one that had not stopped yet. */
    for (int seen = 0; seen < 2;) {
        seen = all_stopped(pid, &alive) ? seen + 1 : 0;
        if (clock_seconds(start, clock_ns()) > seconds)
            return false;
    }
    return alive;
}

void stop_continue(pid_t pid)
{
    if (pid > 0)
        kill(pid, SIGCONT);
}
