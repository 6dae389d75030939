/*
 * lockfile.c - opened first, made then: by another one perhaps in between.
 */
#include "lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

enum { TRIES = 100 };

int lockfile_open(const char *path)
{
    int fd = -1;

    errno = ENOENT;
    for (int i = 0; i < TRIES && fd < 0 && (errno == ENOENT || errno == EEXIST); i++) {
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd >= 0 || errno != ENOENT)
            break;
        fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
        if (fd >= 0)
            fchmod(fd, 0644); /* whatever the umask: others are to take its lock as well */
    }
    return fd;
}

void lockfile_gpu(const char *uuid, const char *kind, char path[LOCKFILE_GPU_PATH])
{
    snprintf(path, LOCKFILE_GPU_PATH, "/tmp/gpu-contest-toolkit-%s-%s", uuid, kind);
}
