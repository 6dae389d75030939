/*
 * files.c - mounts a folder in memory anew, in the namespaces of a box.
 */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: its exit code is what failed, an errno, or 0. */
static int mount_anew(const char *mounts, const char *folder, const char *options)
{
    int spaces = open(mounts, O_RDONLY | O_CLOEXEC);
    /* The user namespace that the mounts belong to is bubblewrap's first; the runner is in one below. */
    int owner = spaces < 0 ? -1 : ioctl(spaces, NS_GET_USERNS);

    if (owner < 0 || setns(owner, CLONE_NEWUSER) != 0 || setns(spaces, CLONE_NEWNS) != 0 ||
        mount("tmpfs", folder, "tmpfs", MS_REMOUNT | MS_NOSUID | MS_NODEV, options) != 0)
        return errno > 0 && errno < 255 ? errno : 255;
    return 0;
}

bool files_limit(pid_t process, const char *folder, size_t bytes, size_t count)
{
    char mounts[64], options[96];
    int status = 0;
    pid_t child;

    snprintf(mounts, sizeof mounts, "/proc/%d/ns/mnt", (int)process);
    snprintf(options, sizeof options, "size=%zu,nr_inodes=%zu", bytes, count);
    /* A process of its own, as one with threads cannot enter a user namespace. */
    child = fork();
    if (child == 0)
        _exit(mount_anew(mounts, folder, options));
    if (child < 0 || waitpid(child, &status, 0) != child)
        return false;
    errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
    return errno == 0;
}
