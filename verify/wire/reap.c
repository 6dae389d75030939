/*
 * reap.c - kills until nothing is left.
 */
#include "reap.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "verify/base/clock.h"

void reap_adopt(void) { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

/*
 * The parent of a process, 0 where it is gone, and when it started. The name in the second field may hold anything, so
 * the last ')' ends it.
 */
static pid_t parent_of(const char *pid, unsigned long long *started)
{
    char path[64], text[512], *end;
    FILE *file;
    size_t length;
    int parent = 0;

    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    end = strrchr(text, ')');
    if (!end || sscanf(end + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                       &parent, started) != 2)
        return 0;
    return (pid_t)parent;
}

/* When the processes that are given up had all started: ticks since the machine did, as /proc/PID/stat has it; or 0. */
static unsigned long long given_up;

static struct {
    pid_t pid;  /* 0 for none */
    bool ended; /* with this status */
    int status;
} spared[REAP_SPARED];

static int find_spared(pid_t pid)
{
    int i = 0;

    while (i < REAP_SPARED && spared[i].pid != pid)
        i++;
    return i;
}

void reap_spare(pid_t pid)
{
    const int i = find_spared(0);

    if (pid > 0 && i < REAP_SPARED) {
        spared[i].pid = pid;
        spared[i].ended = false;
    }
}

void reap_unspare(pid_t pid)
{
    const int i = pid > 0 ? find_spared(pid) : REAP_SPARED;

    if (i < REAP_SPARED)
        spared[i].pid = 0;
}

bool reap_has_ended(pid_t pid, int *status)
{
    const int i = pid > 0 ? find_spared(pid) : REAP_SPARED;

    if (i == REAP_SPARED || !spared[i].ended)
        return false;
    *status = spared[i].status;
    return true;
}

static void note_end(pid_t pid, int status)
{
    const int i = find_spared(pid);

    if (i < REAP_SPARED) {
        spared[i].ended = true;
        spared[i].status = status;
    }
}

/* Whether a child may be left that is spared. */
static bool spares_any(void)
{
    for (int i = 0; i < REAP_SPARED; i++)
        if (spared[i].pid > 0 && !spared[i].ended)
            return true;
    return false;
}

/* Killing one hands its children to this process, which the next round finds. True when there was none to kill. */
static bool kill_children(void)
{
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    unsigned long long started;
    bool none = true;

    if (!processes)
        return false;
    while ((entry = readdir(processes))) {
        pid_t pid = isdigit((unsigned char)entry->d_name[0]) ? (pid_t)atoi(entry->d_name) : 0;

        if (pid == 0 || find_spared(pid) < REAP_SPARED || parent_of(entry->d_name, &started) != getpid() ||
            started <= given_up)
            continue;
        kill(pid, SIGKILL);
        none = false;
    }
    closedir(processes);
    return none;
}

void reap_give_up(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    given_up = (unsigned long long)now.tv_sec * (unsigned long long)sysconf(_SC_CLK_TCK) +
               (unsigned long long)now.tv_nsec * (unsigned long long)sysconf(_SC_CLK_TCK) / 1000000000;
    /* A process that starts in the same tick is not one of them. */
    nanosleep(&(struct timespec){ .tv_nsec = 1000000000 / sysconf(_SC_CLK_TCK) + 1 }, NULL);
}

bool reap_given_up(double seconds)
{
    int status;

    given_up = 0;
    return reap_all(0, &status, seconds);
}

bool reap_all(pid_t child, int *status, double seconds)
{
    const int64_t start = clock_ns();
    const bool ended_before = reap_has_ended(child, status);

    reap_unspare(child);
    if (ended_before)
        child = 0; /* somebody else may have its number by now */
    else if (child > 0)
        kill(child, SIGKILL);
    for (;;) {
        int ended;
        pid_t pid = waitpid(-1, &ended, WNOHANG);

        if (pid > 0 && pid == child)
            *status = ended;
        if (pid > 0) {
            note_end(pid, ended);
            continue;
        }
        if (pid < 0 && errno == ECHILD)
            return true;
        if (clock_seconds(start, clock_ns()) > seconds)
            return false;
        if (kill_children() && (spares_any() || given_up > 0))
            return true;
        nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
    }
}
