/*
 * inspection.c - starts the program that reads the file (verify/inspect/main_inspect.c), and takes its answer.
 *
 * The file may get hold of that program. So nothing in its answer is believed to have a form, and all that it can do is
 * to lie about the file. Time and memory have limits that it sets for itself before it reads; this process only waits.
 */
#include "inspection.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verify/base/clock.h"
#include "verify/base/limits.h"
#include "verify/base/text.h"

/* A regular file, so that opening and reading it wait for nobody. */
static int open_file(const char *path, struct error *error)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0) {
        error_usage(error, "cannot open the submission '%s': %s; build it with 'make submission PROBLEM=... "
                    "SUBMISSION=...'", path, strerror(errno));
        return -1;
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
        return fd;
    close(fd);
    error_usage(error, "'%s' is not a shared object; build the submission with 'make submission'", path);
    return -1;
}

/* The program with the file and the end of a pipe, and nothing else that is not closed. -1 with an error. */
static pid_t start(const char *build, unsigned rules, const struct options *options, int file, int answer,
                   struct error *error)
{
    char program[PATH_MAX], number[16];
    char *const arguments[] = { program, number, options->any_imports ? "any" : "names",
                                options->box == BOX_CHOICE_NONE ? "none" : "box", NULL };
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;
    int failure;

    snprintf(program, sizeof program, "%s/inspect", build);
    snprintf(number, sizeof number, "%u", rules);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, file, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, answer, STDOUT_FILENO);
    failure = posix_spawn(&pid, program, &actions, NULL, arguments, (char *[]){ NULL });
    posix_spawn_file_actions_destroy(&actions);
    if (failure == 0)
        return pid;
    error_toolkit(error, "cannot start '%s': %s; run 'make'", program, strerror(failure));
    return -1;
}

/* The bytes that come until the end, at most `size`; false if there was no end in time. */
static bool take(int fd, char *bytes, size_t size, size_t *count)
{
    const int64_t start = clock_ns();

    for (*count = 0; *count < size;) {
        const double left = limit_inspection - clock_seconds(start, clock_ns());
        struct pollfd one = { .fd = fd, .events = POLLIN };
        ssize_t got;

        if (left <= 0 || (poll(&one, 1, (int)(left * 1000) + 1) < 0 && errno != EINTR))
            return false;
        if (!one.revents)
            continue;
        got = read(fd, bytes + *count, size - *count);
        if (got <= 0)
            return got == 0;
        *count += (size_t)got;
    }
    return true;
}

/* Strings end, and say nothing but words; the names are of one piece. */
static void tidy(struct findings *findings)
{
    char *const names[] = { findings->cuda_library, findings->opencl_library };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        names[i][sizeof findings->cuda_library - 1] = '\0';
        if (strchr(names[i], '/') || !text_is_harmless(names[i]))
            names[i][0] = '\0';
    }
    findings->broken[sizeof findings->broken - 1] = '\0';
    text_defuse(findings->broken, sizeof findings->broken);
}

/* Why there is no answer from a program that was ready to read and ended with this status. */
static bool refuse(const char *path, int status, struct error *error)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return error_usage(error, "'%s' cannot be judged: to read its sections takes longer than %d s", path,
                           INSPECT_SECONDS);
    if (WIFSIGNALED(status))
        return error_usage(error, "'%s' cannot be judged: its reader ended by %s", path, strsignal(WTERMSIG(status)));
    return error_usage(error, "'%s' cannot be judged: to read its sections takes more than %d MiB of memory", path,
                       (int)(INSPECT_MEMORY >> 20));
}

bool inspection_run(const char *path, const char *build, unsigned rules, const struct options *options,
                    struct findings *findings, struct error *error)
{
    char answer[1 + sizeof *findings + 1]; /* ready, findings, and room to see that there is more */
    int file = open_file(path, error), ends[2] = { -1, -1 }, status = 0;
    bool ok = false, in_time;
    size_t count = 0;
    pid_t pid = -1;

    memset(findings, 0, sizeof *findings);
    if (file < 0)
        return false;
    if (pipe2(ends, O_CLOEXEC) != 0)
        error_system(error, "cannot make a pipe");
    else
        pid = start(build, rules, options, file, ends[1], error);
    if (pid < 0)
        goto out;
    close(ends[1]);
    ends[1] = -1;
    in_time = take(ends[0], answer, sizeof answer, &count);
    kill(pid, SIGKILL); /* if it has closed the pipe and goes on, or is not done */
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (count == 0)
        error_toolkit(error, "'%s/inspect' does not begin to read the submission", build);
    else if (!in_time)
        error_toolkit(error, "'%s/inspect' has not read the submission in %.0f s: this machine is too slow", build,
                      limit_inspection);
    else if (count != 1 + sizeof *findings || answer[0] != INSPECT_READY)
        refuse(path, status, error);
    else
        ok = true;
    if (ok) {
        memcpy(findings, answer + 1, sizeof *findings);
        tidy(findings);
    }
out:
    close(file);
    for (size_t i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    return ok;
}
