/*
 * session_start.c - the runner's process: its limits, its descriptors, its cgroup, its box.
 */
#include "session_start.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "verify/base/limits.h"
#include "verify/box/processor.h"

static void limit_resources(const struct session_config *config)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){ limit_file, limit_file });
    setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ limit_locked, limit_locked });
    setrlimit(RLIMIT_MSGQUEUE, &(struct rlimit){ 0, 0 });
    setrlimit(RLIMIT_SIGPENDING, &(struct rlimit){ limit_signals, limit_signals });
    setrlimit(RLIMIT_RTPRIO, &(struct rlimit){ 0, 0 });
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){ limit_files, limit_files });
    if (config->data_limit)
        setrlimit(RLIMIT_DATA, &(struct rlimit){ config->data_limit, config->data_limit });
    if (config->address_limit)
        setrlimit(RLIMIT_AS, &(struct rlimit){ config->address_limit, config->address_limit });
}

/* In the child, between fork and exec. */
static void become_runner(const struct session *session, struct box_command *command, int channel, int printed,
                          const int reports[SESSION_REPORTS])
{
    const struct session_config *config = session->config;
    int null = open("/dev/null", O_RDONLY), out[SESSION_REPORTS], kept = CHANNEL_FD;
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    if (!session->ahead)
        processor_use(config->processor);
    limit_resources(config);
    /* The descriptors may be any numbers, the wanted ones among them: move them out of the way first. */
    channel = fcntl(channel, F_DUPFD, 16);
    printed = fcntl(printed, F_DUPFD, 16);
    for (int i = 0; i < SESSION_REPORTS; i++)
        out[i] = config->reports ? fcntl(reports[i], F_DUPFD, 16) : -1;
    dup2(null, 0);
    dup2(printed, 1);
    dup2(printed, 2);
    dup2(channel, CHANNEL_FD);
    for (int i = 0; i < SESSION_REPORTS && config->reports; i++)
        kept = dup2(out[i], CHANNEL_REPORT_TEXT_FD + i);
    syscall(SYS_close_range, kept + 1, ~0u, 0);
    execve(command->argv[0], command->argv, command->envp);
    _exit(RUNNER_FAILED);
}

/* A pipe for each report: the host's end in the session, the runner's in out[]. */
static bool make_reports(struct session *session, int out[SESSION_REPORTS])
{
    for (int i = 0; i < SESSION_REPORTS && session->config->reports; i++) {
        int ends[2];

        session->reports[i].text = malloc(SESSION_REPORT_MOST);
        if (!session->reports[i].text || pipe2(ends, O_CLOEXEC) != 0)
            return false;
        session->reports[i].fd = ends[0];
        out[i] = ends[1];
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    return true;
}

size_t session_most_memory(const struct session_config *config)
{
    return config->memory_limit ? config->memory_limit + config->memory_beside : 0;
}

/* The cgroup, where there is one. */
static bool limit_memory(struct session *session)
{
    const struct session_config *config = session->config;
    const size_t most = session_most_memory(config);

    return config->box.level < BOX_CGROUP ||
           cgroup_open(&session->cgroup, config->cgroup, most ? most : SIZE_MAX >> 1, limit_tasks);
}

bool session_spawn(struct session *session)
{
    struct box_command command;
    int channel[2] = { -1, -1 }, printed[2] = { -1, -1 }, reports[SESSION_REPORTS] = { -1, -1 };
    bool ok = false;

    box_compose(&session->config->box, &command);
    if (!limit_memory(session))
        return false;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0 || pipe2(printed, O_CLOEXEC) != 0 ||
        !make_reports(session, reports))
        goto out;
    channel_ask_sender(channel[0]);
    fflush(NULL);
    session->pid = session->cgroup.folder >= 0 ? cgroup_fork(&session->cgroup, RUNNER_FAILED) : fork();
    if (session->pid == 0)
        become_runner(session, &command, channel[1], printed[1], reports);
    if (session->pid < 0) {
        session->pid = 0;
        goto out;
    }
    session->pidfd = (int)syscall(SYS_pidfd_open, session->pid, 0);
    session->channel = channel[0];
    session->printed_fd = printed[0];
    channel[0] = printed[0] = -1;
    fcntl(session->printed_fd, F_SETFL, O_NONBLOCK);
    ok = session->pidfd >= 0;
out:
    for (int i = 0; i < 2; i++) {
        if (channel[i] >= 0)
            close(channel[i]);
        if (printed[i] >= 0)
            close(printed[i]);
    }
    for (int i = 0; i < SESSION_REPORTS; i++)
        if (reports[i] >= 0)
            close(reports[i]);
    return ok;
}
