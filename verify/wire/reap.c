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
 * The parent of a process, 0 where it is gone. The name in the second field may hold anything, so the last ')' ends it.
 */
static pid_t parent_of(const char *pid)
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
    if (!end || sscanf(end + 1, " %*c %d", &parent) != 1)
        return 0;
    return (pid_t)parent;
}

static pid_t spared;

void reap_spare(pid_t pid) { spared = pid; }

/* Killing one hands its children to this process, which the next round finds. True when there was none to kill. */
static bool kill_children(void)
{
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    bool none = true;

    if (!processes)
        return false;
    while ((entry = readdir(processes))) {
        pid_t pid = isdigit((unsigned char)entry->d_name[0]) ? (pid_t)atoi(entry->d_name) : 0;

        if (pid == 0 || pid == spared || parent_of(entry->d_name) != getpid())
            continue;
        kill(pid, SIGKILL);
        none = false;
    }
    closedir(processes);
    return none;
}

bool reap_all(pid_t child, int *status, double seconds)
{
    const int64_t start = clock_ns();

    if (child > 0)
        kill(child, SIGKILL);
    for (;;) {
        int ended;
        pid_t pid = waitpid(-1, &ended, WNOHANG);

        if (pid > 0 && pid == child)
            *status = ended;
        if (pid > 0)
            continue;
        if (pid < 0 && errno == ECHILD)
            return true;
        if (clock_seconds(start, clock_ns()) > seconds)
            return false;
        if (kill_children() && spared > 0)
            return true;
        nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
    }
}
