/*
 * guard.c - waits for the end of its child, or of its parent.
 */
#include "guard.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "channel.h"
#include "reap.h"

/* How long the kernel may take to end what was killed. Nobody is there to read a report if that is too short. */
static const double kill_seconds = 10.0;

static void become_command(char **command, pid_t parent, const sigset_t *usual)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(RUNNER_FAILED);
    sigprocmask(SIG_SETMASK, usual, NULL);
    execv(command[0], command);
    _exit(RUNNER_FAILED);
}

/* Ends this process as its child ended. */
static int end_like(int status)
{
    sigset_t one;

    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(WTERMSIG(status));
    return RUNNER_FAILED;
}

int guard(char **command)
{
    struct pollfd channel = { .fd = CHANNEL_FD };
    const pid_t self = getpid();
    sigset_t awaited, usual;
    int status = 0, number;
    pid_t child;

    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGTERM);
    sigprocmask(SIG_BLOCK, &awaited, &usual);
    reap_adopt();
    /* So far the host's end meant SIGKILL. If it came before that was asked for, the channel's other end is closed. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (poll(&channel, 1, 0) != 0)
        return RUNNER_FAILED;
    child = fork();
    if (child == 0)
        become_command(command, self, &usual);
    /* The channel must end when the runner lets go of it, so nobody else may hold it. */
    syscall(SYS_close_range, 0, ~0u, 0);
    if (child < 0)
        return RUNNER_FAILED;
    for (;;) {
        if (sigwait(&awaited, &number) != 0)
            continue;
        if (number == SIGTERM) {
            reap_all(child, &status, kill_seconds);
            return RUNNER_FAILED;
        }
        if (waitpid(child, &status, WNOHANG) == child)
            return end_like(status);
    }
}
