/*
 * executable.c - the descriptors by which the loader maps files (filter.h).
 */
#include "executable.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "verify/wire/filter.h"

/* Those that are taken only to be taken, [count]; for the process's life. */
static struct {
    int taken[FILTER_EXECUTABLE_FD];
    int count;
} descriptors;

void executable_load_ahead(bool cuda)
{
    dlopen("libgcc_s.so.1", RTLD_NOW); /* by pthread_exit() and pthread_cancel() */
    if (cuda) /* by the driver, for PTX; where there is none nothing needs it */
        dlopen("libnvidia-ptxjitcompiler.so.1", RTLD_NOW);
}

bool executable_begin(void)
{
    int fd;

    for (int i = FILTER_EXECUTABLE_FD; i < 128; i++)
        if (fcntl(i, F_GETFD) >= 0)
            return false;
    while ((fd = dup(STDIN_FILENO)) >= 0 && fd < FILTER_EXECUTABLE_FD)
        descriptors.taken[descriptors.count++] = fd;
    if (fd >= 0)
        close(fd);
    return fd == FILTER_EXECUTABLE_FD;
}

void executable_end(void)
{
    /* First no more can come, then those that are there go. */
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){ FILTER_EXECUTABLE_FD, FILTER_EXECUTABLE_FD });
    syscall(SYS_close_range, FILTER_EXECUTABLE_FD, ~0u, 0);
    for (int i = 0; i < descriptors.count; i++)
        close(descriptors.taken[i]);
    descriptors.count = 0;
}
