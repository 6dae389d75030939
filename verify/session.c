/*
 * session.c - the host's side of one runner process.
 */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "reap.h"
#include "shared_map.h"

/* How long a process may take to end once it has let go of the channel: a CUDA context takes its time. */
static const double ending_seconds = 2.0;

/* How long the kernel may take to end what was killed before the machine is called unfit. */
static const double kill_seconds = 10.0;

static struct facts lost(struct session *session, struct facts facts, const char *what)
{
    snprintf(session->detail, sizeof session->detail, "%s: %s", what, strerror(errno));
    facts.outcome = OUTCOME_LOST;
    facts.detail = session->detail;
    return facts;
}

/* ------------------------------------------------------------------ start */

/* How many processors this process may use. */
static int processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* The last processor this process may use, so that the host's own work stays on another where there is one. */
static void pin_to_one_core(void)
{
    cpu_set_t set, one;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
        if (CPU_ISSET(cpu, &set)) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

static void limit_resources(const struct session_config *config)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    if (config->memory_limit)
        setrlimit(RLIMIT_DATA, &(struct rlimit){ config->memory_limit, config->memory_limit });
}

/* In the child, between fork and exec. */
static void become_runner(const struct session_config *config, struct box_command *command, int channel, int printed)
{
    int null = open("/dev/null", O_RDONLY);
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    pin_to_one_core();
    limit_resources(config);
    /* The two descriptors may be any numbers, the wanted ones among them: move them out of the way first. */
    channel = fcntl(channel, F_DUPFD, 16);
    printed = fcntl(printed, F_DUPFD, 16);
    dup2(null, 0);
    dup2(printed, 1);
    dup2(printed, 2);
    dup2(channel, CHANNEL_FD);
    syscall(SYS_close_range, CHANNEL_FD + 1, ~0u, 0);
    execve(command->argv[0], command->argv, command->envp);
    _exit(RUNNER_FAILED);
}

static bool spawn(struct session *session)
{
    struct box_command command;
    int channel[2] = { -1, -1 }, printed[2] = { -1, -1 };
    bool ok = false;

    box_compose(&session->config->box, &command);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0 || pipe2(printed, O_CLOEXEC) != 0)
        goto out;
    fflush(NULL);
    session->pid = fork();
    if (session->pid == 0)
        become_runner(session->config, &command, channel[1], printed[1]);
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
    return ok;
}

/* ------------------------------------------------------------------ waiting */

/* Takes in what the runner printed. True when that is more than it may. */
static bool take_printed(struct session *session)
{
    char chunk[1 << 16];
    ssize_t got;

    while ((got = read(session->printed_fd, chunk, sizeof chunk)) > 0) {
        if (session->printed < sizeof session->text) {
            size_t room = sizeof session->text - session->printed;

            memcpy(session->text + session->printed, chunk, (size_t)got < room ? (size_t)got : room);
        }
        session->printed += (size_t)got;
        if (session->printed > session->config->output_limit)
            return true;
    }
    return false;
}

/* The exit status of the child, waited for until `deadline`; false when it lives on. */
static bool take_status(struct session *session, int64_t deadline, struct facts *facts)
{
    struct pollfd ended = { .fd = session->pidfd, .events = POLLIN };
    int64_t left = deadline - clock_ns();
    int code;

    if (poll(&ended, 1, left > 0 ? (int)(left / 1000000) + 1 : 0) <= 0)
        return false;
    if (waitpid(session->pid, &session->status, 0) != session->pid)
        return false;
    session->pid = 0;
    facts->outcome = OUTCOME_DIED;
    if (WIFSIGNALED(session->status)) {
        facts->signal = WTERMSIG(session->status);
        return true;
    }
    code = WEXITSTATUS(session->status);
    /* bubblewrap gives the signal that ended its child as 128 + signal. */
    if (session->config->box.level == BOX_NAMESPACES && code > 128 && sigabbrev_np(code - 128))
        facts->signal = code - 128;
    else if (code == RUNNER_LOST_CHANNEL)
        facts->outcome = OUTCOME_CLOSED;
    else
        facts->exit_code = code;
    return true;
}

/*
 * Waits for one message of kind `expected` and fills in how the wait ended, but not when. A message already
 * sent counts, whatever happened to its sender since.
 */
static struct facts wait_for(struct session *session, enum channel_kind expected, int64_t deadline,
                             struct channel_message *message, struct facts facts)
{
    for (;;) {
        struct pollfd fds[] = { { .fd = session->channel, .events = POLLIN },
                                { .fd = session->printed_fd, .events = POLLIN },
                                { .fd = session->pidfd, .events = POLLIN } };
        int64_t now = clock_ns(), left = deadline - now;
        struct timespec wait = { left > 0 ? left / 1000000000 : 0, left > 0 ? left % 1000000000 : 0 };
        int got = ppoll(fds, 3, &wait, NULL);

        if (got < 0 && errno != EINTR)
            return lost(session, facts, "ppoll");
        if (fds[0].revents) {
            switch (channel_receive(session->channel, message, NULL)) {
            case 1:
                if (message->kind == CHANNEL_FAILED_LOAD || message->kind == CHANNEL_FAILED_CUDA) {
                    facts.outcome = message->kind == CHANNEL_FAILED_LOAD ? OUTCOME_LOAD_FAILED
                                                                         : OUTCOME_CUDA_FAILED;
                    snprintf(session->detail, sizeof session->detail, "%s", message->text);
                    facts.detail = session->detail;
                } else {
                    facts.outcome = message->kind == expected ? OUTCOME_DONE : OUTCOME_FORGED;
                }
                return facts;
            case 0:
                facts.outcome = OUTCOME_CLOSED;
                take_status(session, clock_ns() + (int64_t)(ending_seconds * 1e9), &facts);
                return facts;
            default:
                facts.outcome = OUTCOME_FORGED;
                return facts;
            }
        }
        if (fds[1].revents & POLLIN) {
            if (take_printed(session)) {
                facts.outcome = OUTCOME_FLOOD;
                return facts;
            }
        } else if (fds[1].revents) { /* standard output and error are both closed: nothing to wait for */
            close(session->printed_fd);
            session->printed_fd = -1;
        }
        if (fds[2].revents) {
            if (poll(&fds[0], 1, 0) > 0) /* its last words came between the two looks of one ppoll() */
                continue;
            take_status(session, now, &facts);
            return facts;
        }
        if (clock_ns() >= deadline) {
            facts.outcome = OUTCOME_TIMEOUT;
            return facts;
        }
    }
}

/* ------------------------------------------------------------------ memory that both sides see */

/* An anonymous file of fixed size; -1 with errno. */
static int shared_memory(const char *name, size_t size)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd >= 0 && (ftruncate(fd, (off_t)size) != 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)) {
        int reason = errno;

        close(fd);
        errno = reason;
        return -1;
    }
    return fd;
}

/*
 * Anonymous memory with a copy of the input, of *size bytes as mapped. Small pages are mapped one by one, in the
 * runner and on the clock: 143 microseconds for 2 MB, measured. So the copy is moved into huge pages where the
 * kernel has them (MADV_COLLAPSE, Linux 6.1, whatever the machine's setting for huge pages): 6 microseconds.
 */
static int input_memory(const struct blob *input, size_t *size)
{
    unsigned char *view;
    int fd;

    *size = map_size(input->size);
    fd = shared_memory("input", *size);
    if (fd < 0)
        return -1;
    view = map_shared(fd, *size);
    if (!view) {
        close(fd);
        return -1;
    }
    memcpy(view, input->data, input->size);
    if (*size % HUGE_PAGE == 0)
        madvise(view, *size, MADV_COLLAPSE); /* a machine that cannot is slower, not wrong */
    munmap(view, *size);
    return fd;
}

/* Fills the output with bytes that no answer has by chance, and remembers them. */
static bool poison(struct session *session)
{
    unsigned char *bytes = session->poison.data;

    for (size_t done = 0; done < session->output_size;) {
        ssize_t got = getrandom(bytes + done, session->output_size - done, 0);

        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    memcpy(session->output, bytes, session->output_size);
    return true;
}

/* ------------------------------------------------------------------ the three calls */

static struct facts give_output(struct session *session, int64_t deadline, struct facts facts)
{
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_SETUP, .size = session->output_size,
                                       .mapped = session->output_size };
    int fd = shared_memory("output", session->output_size);
    void *view;

    if (fd < 0)
        return lost(session, facts, "memfd_create");
    view = mmap(NULL, session->output_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (view == MAP_FAILED) {
        close(fd);
        return lost(session, facts, "mmap");
    }
    session->output = view;
    channel_send(session->channel, &message, fd); /* a runner that is gone shows in the wait */
    close(fd);
    return wait_for(session, CHANNEL_MAPPED, deadline, &message, facts);
}

struct facts session_open(struct session *session, const struct session_config *config, size_t output_size)
{
    struct facts facts = { .limit = config->start_limit, .output_limit = config->output_limit, .detail = "" };
    struct channel_message message;
    struct error error;
    int64_t start = clock_ns(), deadline = start + (int64_t)(config->start_limit * 1e9);

    *session = (struct session){ 0 };
    session->config = config;
    session->pidfd = session->channel = session->printed_fd = -1;
    session->output_size = output_size;
    if (!blob_alloc(&session->poison, output_size, &error) || !spawn(session))
        return lost(session, facts, "cannot start the runner");
    facts = wait_for(session, CHANNEL_READY, deadline, &message, facts);
    session->start_seconds = clock_seconds(start, clock_ns());
    if (facts.outcome == OUTCOME_DONE)
        facts = give_output(session, deadline, facts);
    facts.seconds = clock_seconds(start, clock_ns());
    session->idle = facts.outcome == OUTCOME_DONE;
    session->spin = processors() > 1;
    return facts;
}

struct facts session_call(struct session *session, const struct blob *input, struct blob *output,
                          struct session_times *times)
{
    struct facts facts = { .called = true, .limit = session->config->call_limit,
                           .output_limit = session->config->output_limit, .detail = "" };
    struct channel_message message, wake = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_WAKE };
    struct error error;
    size_t mapped;
    int64_t start, end;
    int fd = input_memory(input, &mapped);

    if (fd < 0 || !poison(session) ||
        !blob_alloc(output, session->output_size, &error)) {
        facts = lost(session, facts, "cannot prepare the input");
        if (fd >= 0)
            close(fd);
        return facts;
    }
    session->idle = false;
    wake.mapped = mapped;
    channel_send(session->channel, &wake, -1);
    start = clock_ns();
    facts = wait_for(session, CHANNEL_AWAKE, start + (int64_t)(facts.limit * 1e9), &message, facts);
    if (facts.outcome == OUTCOME_DONE) {
        message = (struct channel_message){ .magic = CHANNEL_MAGIC, .kind = CHANNEL_RUN, .size = input->size,
                                            .mapped = mapped };
        start = clock_ns();
        channel_send(session->channel, &message, fd);
        channel_spin(session->channel, session->spin ? CHANNEL_SPIN_NS : 0);
        facts = wait_for(session, CHANNEL_DONE, start + (int64_t)(facts.limit * 1e9), &message, facts);
    }
    if (facts.outcome == OUTCOME_DONE)
        memcpy(output->data, session->output, session->output_size);
    end = clock_ns();
    close(fd);
    facts.seconds = clock_seconds(start, end);
    if (facts.outcome != OUTCOME_DONE)
        return facts;
    session->idle = true;
    if (facts.seconds > facts.limit)
        facts.outcome = OUTCOME_TIMEOUT;
    facts.unwritten = memcmp(output->data, session->poison.data, output->size) == 0;
    *times = (struct session_times){
        .total = facts.seconds,
        .release = clock_seconds(start, message.stamps[STAMP_RECEIVED]),
        .map = clock_seconds(message.stamps[STAMP_RECEIVED], message.stamps[STAMP_MAPPED]),
        .call = clock_seconds(message.stamps[STAMP_MAPPED], message.stamps[STAMP_RETURNED]),
        .done = clock_seconds(message.stamps[STAMP_RETURNED], end),
    };
    return facts;
}

/*
 * Lets a runner that waits for the next call end by itself, so that its printing and its profile are whole. The
 * verdict stands by now: whatever the process does in this time is not looked at.
 */
static void ask_to_quit(struct session *session)
{
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_QUIT };
    struct facts ignored = { 0 };

    if (channel_send(session->channel, &message, -1))
        take_status(session, clock_ns() + 500000000, &ignored);
}

bool session_close(struct session *session)
{
    const int64_t start = clock_ns();
    bool ok;

    if (session->idle)
        ask_to_quit(session);
    ok = reap_all(session->pid, &session->status, kill_seconds);
    session->end_seconds = clock_seconds(start, clock_ns());
    if (session->printed_fd >= 0) {
        take_printed(session);
        close(session->printed_fd);
    }
    if (session->channel >= 0)
        close(session->channel);
    if (session->pidfd >= 0)
        close(session->pidfd);
    if (session->output)
        munmap(session->output, session->output_size);
    blob_release(&session->poison);
    session->printed_fd = session->channel = session->pidfd = -1;
    session->output = NULL;
    session->pid = 0;
    return ok;
}
