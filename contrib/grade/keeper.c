/*
 * keeper.c - the pipe that tells a keeper of the grader's end, and the end of all that a command started.
 */
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verify/base/clock.h"
#include "verify/box/processor.h"
#include "verify/wire/reap.h"

/*
 * Its write end is the grader's alone: the read end tells its end, whatever that was. One for the program, as signals
 * are.
 */
static int life[2] = { -1, -1 };

bool keeper_begin(struct error *error)
{
    return pipe2(life, O_CLOEXEC) == 0 || error_system(error, "cannot make a pipe");
}

/* Where it is to be; a copy has no FD_CLOEXEC. */
static bool give_channel(int channel)
{
    return channel == 0 || (channel == KEEPER_CHANNEL ? fcntl(channel, F_SETFD, 0) == 0
                                                      : dup2(channel, KEEPER_CHANNEL) == KEEPER_CHANNEL);
}

static void run(const struct command *command, const sigset_t *none)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC),
        log = open(command->log, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);

    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* the keeper may be killed as well */
    sigprocmask(SIG_SETMASK, none, NULL);
    processor_leave(command->leave);
    if (null >= 0 && log >= 0 && dup2(null, 0) == 0 && dup2(log, 1) == 1 && dup2(log, 2) == 2 &&
        give_channel(command->channel) && chdir(command->folder) == 0)
        execv(command->arguments[0], (char *const *)command->arguments);
    _exit(KEEPER_CANNOT_START);
}

static int keep(const struct command *command)
{
    const int64_t start = clock_ns();
    struct pollfd watched[3] = { { .fd = life[0] }, { .events = POLLIN }, { .events = POLLIN } };
    sigset_t none, term;
    int status = 0, ignored = 0, why = 0;
    pid_t pid;

    close(life[1]);
    setsid(); /* Ctrl-C on the terminal is for the grader, which ends in good order */
    reap_adopt();
    sigemptyset(&none);
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_SETMASK, &term, NULL);
    watched[1].fd = signalfd(-1, &term, SFD_CLOEXEC);
    pid = fork();
    if (pid == 0)
        run(command, &none);
    watched[2].fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (watched[1].fd < 0 || watched[2].fd < 0)
        why = KEEPER_CANNOT_START;
    while (why == 0) {
        double left = command->seconds - clock_seconds(start, clock_ns());
        int ready = poll(watched, 3, left > 60 ? 60000 : left > 0 ? (int)(1000 * left) + 1 : 0);

        if (ready > 0 && watched[2].revents)
            break;
        if (ready > 0 && (watched[0].revents || watched[1].revents))
            why = KEEPER_KILLED;
        else if (ready == 0 && left <= 0)
            why = KEEPER_TIMEOUT;
    }
    if (why == 0 && waitpid(pid, &status, 0) != pid)
        why = KEEPER_CANNOT_START;
    reap_all(why == 0 ? 0 : pid, &ignored, 30);
    if (why != 0)
        return why;
    return WIFEXITED(status) ? WEXITSTATUS(status) : KEEPER_KILLED;
}

pid_t keeper_start(const struct command *command, struct error *error)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(keep(command));
    if (pid < 0)
        error_system(error, "cannot start a process");
    return pid;
}
