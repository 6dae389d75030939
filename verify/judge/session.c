/*
 * session.c - the host's side of one runner process.
 */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
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

#include "verify/base/clock.h"
#include "verify/base/limits.h"
#include "verify/base/parallel.h"
#include "verify/box/processor.h"
#include "verify/wire/reap.h"
#include "verify/base/shared_map.h"
#include "verify/box/stop.h"
#include "verify/base/text.h"

/* How long a process may take to end once it has let go of the channel: a CUDA context takes its time. */
static const double ending_seconds = 2.0;

/* How long a runner that is asked to quit may take; and one that has a report to write, on a busy machine. */
static const double quit_seconds = 0.5, report_seconds = 10.0;

/* How long the kernel may take to end what was killed before the machine is called unfit. */
static const double kill_seconds = 10.0;

/*
 * How long stopping the runner's threads may take: tens of microseconds, unless one is in the middle of a system call.
 */
static const double stop_seconds = 2.0;

/*
 * How long the runner may take, off the clock, to page-lock memory for the next input and to wake up. Some tenths of a
 * second for the largest inputs; user code may slow it down, and is not to hold the host.
 */
static const double prepare_seconds = 3.0;

/* How long work that a call left on the GPU may go on before the next call. */
static const double settle_seconds = 2.0;

/* How much slower a call may be while the warden watches it, on the same GPU: twice, and something. */
static const double audit_times = 3.0;

/* Lines of a large output that are looked at before the clock stops, and bytes of each. */
enum { SAMPLES = 1024, SAMPLE = 64 };

static struct facts lost(struct session *session, struct facts facts, const char *what)
{
    snprintf(session->detail, sizeof session->detail, "%s: %s", what, strerror(errno));
    facts.outcome = OUTCOME_LOST;
    facts.detail = session->detail;
    return facts;
}

/* ------------------------------------------------------------------ start */

static void limit_resources(const struct session_config *config)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){ limit_file, limit_file });
    setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ limit_locked, limit_locked });
    setrlimit(RLIMIT_MSGQUEUE, &(struct rlimit){ 0, 0 });
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

/* Bytes that may be in use, for the cgroup or for the host that looks; 0 for no limit. */
static size_t most_memory(const struct session_config *config)
{
    return config->memory_limit ? config->memory_limit + config->memory_beside : 0;
}

/* The cgroup, where there is one. */
static bool limit_memory(struct session *session)
{
    const struct session_config *config = session->config;
    const size_t most = most_memory(config);

    return config->box.level < BOX_CGROUP ||
           cgroup_open(&session->cgroup, config->cgroup, most ? most : SIZE_MAX >> 1, limit_tasks);
}

static bool spawn(struct session *session)
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

/* Takes in what there is of the reports, and not for ever where it never ends; of what is too long, the beginning. */
static void take_reports(struct session *session)
{
    char chunk[1 << 16];

    for (int i = 0; i < SESSION_REPORTS; i++) {
        struct session_report *report = &session->reports[i];
        int chunks = SESSION_REPORT_MOST / sizeof chunk;
        ssize_t got = -1;

        while (report->fd >= 0 && chunks-- > 0 && (got = read(report->fd, chunk, sizeof chunk)) > 0) {
            size_t room = report->size < SESSION_REPORT_MOST ? SESSION_REPORT_MOST - report->size : 0;

            memcpy(report->text + (SESSION_REPORT_MOST - room), chunk, (size_t)got < room ? (size_t)got : room);
            report->size += (size_t)got;
        }
        if (report->fd >= 0 && (got == 0 || (got < 0 && errno != EAGAIN))) {
            close(report->fd);
            report->fd = -1;
        }
    }
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
    if (session->config->box.level >= BOX_NAMESPACES && code > 128 && sigabbrev_np(code - 128))
        facts->signal = code - 128;
    else if (code == RUNNER_LOST_CHANNEL)
        facts->outcome = OUTCOME_CLOSED;
    else
        facts->exit_code = code;
    return true;
}

/* The runner's own account of why it cannot go on; it may come from anybody, so nothing of it steers a terminal. */
static struct facts failed(struct session *session, struct facts facts, enum outcome outcome,
                           const struct channel_message *message)
{
    snprintf(session->detail, sizeof session->detail, "%s", message->text);
    text_defuse(session->detail);
    facts.outcome = outcome;
    facts.detail = session->detail;
    return facts;
}

/*
 * Sends one message to the runner. A runner that is gone shows in the wait that follows; one that lets the host's
 * messages pile up, so that this one found no room, is not the runner any more.
 */
static bool deliver(struct session *session, struct channel_message *message, int fd, struct facts *facts)
{
    if (message->kind != CHANNEL_SETUP && getrandom(&session->nonce, sizeof session->nonce, 0) < 0)
        session->nonce++;
    message->nonce = session->nonce;
    if (channel_send(session->channel, message, fd) || errno != EAGAIN)
        return true;
    facts->outcome = OUTCOME_FORGED;
    return false;
}

/* Whether memory is watched in this session, and whether it is above a limit now: the host's, or the GPU's. */
static bool watches_memory(const struct session *session)
{
    return session->memory.status >= 0 || session->config->device_memory_limit > 0;
}

static bool look_at_memory(struct session *session)
{
    const struct session_config *config = session->config;
    size_t used = session->device_memory_before > 0 ? gpu_memory_used(config->gpu) : 0;

    if (used > session->device_memory_before && used - session->device_memory_before > session->device_memory_peak)
        session->device_memory_peak = used - session->device_memory_before;
    return memory_watch_look(&session->memory) ||
           (config->device_memory_limit > 0 && session->device_memory_peak > config->device_memory_limit);
}

/*
 * Waits for one message of kind `expected` and fills in how the wait ended, but not when. A message already
 * sent counts, whatever happened to its sender since.
 */
static struct facts wait_for(struct session *session, enum channel_kind expected, int64_t deadline,
                             struct channel_message *message, struct facts facts)
{
    int64_t look = clock_ns() + MEMORY_FIRST_LOOK_NS;

    for (;;) {
        struct pollfd fds[] = { { .fd = session->channel, .events = POLLIN },
                                { .fd = session->printed_fd, .events = POLLIN },
                                { .fd = session->pidfd, .events = POLLIN },
                                { .fd = session->reports[SESSION_REPORT_TEXT].fd, .events = POLLIN },
                                { .fd = session->reports[SESSION_REPORT_JSON].fd, .events = POLLIN } };
        int64_t now = clock_ns(), left = (watches_memory(session) && look < deadline ? look : deadline) - now;
        struct timespec wait = { left > 0 ? left / 1000000000 : 0, left > 0 ? left % 1000000000 : 0 };
        int got = ppoll(fds, sizeof fds / sizeof fds[0], &wait, NULL);

        if (got < 0 && errno != EINTR)
            return lost(session, facts, "ppoll");
        if (fds[0].revents) {
            switch (expected == CHANNEL_LOADING
                        ? channel_receive_first(session->channel, message, &session->runner)
                        : channel_receive(session->channel, message, NULL)) {
            case 1:
                if (message->kind == CHANNEL_REFUSED && expected != CHANNEL_LOADING && session->refused == 0 &&
                    message->size > 0) {
                    session->refused = message->size;
                    continue;
                }
                /* A failure may be told only in the place of what it prevents. */
                if (expected == CHANNEL_LOADING && message->kind == CHANNEL_FAILED_DEVICE)
                    return failed(session, facts, OUTCOME_DEVICE_FAILED, message);
                if (expected == CHANNEL_READY && message->kind == CHANNEL_FAILED_LOAD)
                    return failed(session, facts, OUTCOME_LOAD_FAILED, message);
                facts.outcome = message->kind == expected && message->nonce == session->nonce ? OUTCOME_DONE
                                                                                              : OUTCOME_FORGED;
                return facts;
            case 0:
                facts.outcome = OUTCOME_CLOSED;
                now = clock_ns() + (int64_t)(ending_seconds * 1e9);
                take_status(session, now < deadline ? now : deadline, &facts);
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
        if (fds[3].revents || fds[4].revents)
            take_reports(session);
        if (fds[2].revents) {
            if (poll(&fds[0], 1, 0) > 0) /* its last words came between the two looks of one ppoll() */
                continue;
            take_status(session, now, &facts);
            return facts;
        }
        now = clock_ns();
        if (now >= look) {
            if (look_at_memory(session)) {
                facts.outcome = OUTCOME_MEMORY;
                return facts;
            }
            look = now + MEMORY_LOOK_NS;
        }
        if (now >= deadline) {
            facts.outcome = OUTCOME_TIMEOUT;
            return facts;
        }
    }
}

/* What is known of memory, threads and printing when a stage has ended. The kernel's counts only if it ended badly. */
static struct facts observed(struct session *session, struct facts facts)
{
    struct cgroup_counts counts = { .memory_peak = session->memory.peak };

    if (session->cgroup.folder >= 0 && facts.outcome != OUTCOME_DONE)
        counts = cgroup_look(&session->cgroup);
    facts.memory_limit = session->config->memory_limit;
    facts.memory_used = counts.memory_peak;
    facts.oom_killed = counts.oom_kills > 0;
    facts.memory_refused = session->refused;
    facts.image = session->config->image;
    facts.tasks_limit = limit_tasks;
    facts.tasks_refused = counts.tasks_refused > 0;
    facts.printed = session->printed;
    facts.device_memory_limit = session->config->device_memory_limit;
    facts.device_memory_used = session->device_memory_peak;
    return facts;
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
 * Anonymous memory with a copy of the input, of *size bytes as mapped; in huge pages, as small ones are mapped one by
 * one, in the runner and on the clock.
 */
static int input_memory(const struct blob *input, size_t *size)
{
    unsigned char *view;
    int fd;

    *size = map_size(input->size);
    fd = shared_memory("input", *size);
    if (fd < 0)
        return -1;
    view = map_new(fd, *size);
    if (!view) {
        close(fd);
        return -1;
    }
    parallel_copy(view, input->data, input->size);
    munmap(view, *size);
    return fd;
}

/*
 * Word `index` of what an output holds before a call: bytes that no answer has by chance. Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators" (OOPSLA 2014), the finaliser of SplitMix64.
 */
static inline uint64_t poison_word(uint64_t key, size_t index)
{
    uint64_t z = key + (index + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* An output as whole words; what is left at its end is compared by itself. */
struct poisoned {
    uint64_t key;
    uint64_t *words;
    atomic_bool other; /* one that is not poison */
};

/* Words that a thread writes or compares at a time, and those that are looked at before others are. */
enum { POISON_PIECE = 1 << 19, POISON_LOOK = 1 << 10 };

static void write_poison(void *context, size_t first, size_t end)
{
    const struct poisoned *poisoned = context;

    for (size_t i = first; i < end; i++)
        poisoned->words[i] = poison_word(poisoned->key, i);
}

static void compare_poison(void *context, size_t first, size_t end)
{
    struct poisoned *poisoned = context;

    for (size_t i = first; i < end; i++)
        if (poisoned->words[i] != poison_word(poisoned->key, i)) {
            atomic_store(&poisoned->other, true);
            return;
        }
}

/* Fills the output with other bytes than before. */
static bool poison(struct session *session)
{
    struct poisoned poisoned = { .words = (uint64_t *)session->output };
    const size_t words = session->output_size / 8, rest = session->output_size % 8;
    uint64_t last;

    if (getrandom(&session->poison, sizeof session->poison, 0) != (ssize_t)sizeof session->poison)
        return false;
    poisoned.key = session->poison;
    parallel_pieces(words, POISON_PIECE, write_poison, &poisoned);
    last = poison_word(session->poison, words);
    memcpy(session->output + words * 8, &last, rest);
    return true;
}

/* Whether an output is what poison() wrote. What a submission wrote shows at the start, as a rule. */
static bool is_poison(const struct session *session, const struct blob *output)
{
    struct poisoned poisoned = { .key = session->poison, .words = (uint64_t *)output->data };
    const size_t words = session->output_size / 8, rest = session->output_size % 8;
    const uint64_t last = poison_word(session->poison, words);

    compare_poison(&poisoned, 0, words < POISON_LOOK ? words : POISON_LOOK);
    if (!atomic_load(&poisoned.other))
        parallel_pieces(words, POISON_PIECE, compare_poison, &poisoned);
    return !atomic_load(&poisoned.other) && memcmp(output->data + words * 8, &last, rest) == 0;
}

/* ------------------------------------------------------------------ the GPU, and large inputs and outputs */

/* The warden failed: that is the machine's fault, or a GPU which the submission broke. */
static struct facts lost_warden(struct session *session, struct facts facts)
{
    snprintf(session->detail, sizeof session->detail, "%s", session->config->warden->why);
    facts.outcome = OUTCOME_LOST;
    facts.detail = session->detail;
    return facts;
}

static struct facts left_work(struct facts facts, const char *words)
{
    facts.outcome = OUTCOME_LEFT_WORK;
    facts.detail = words;
    return facts;
}

/* Before a call: the GPU is idle and its cache empty. */
static struct facts settle(struct session *session, struct facts facts, double *megahertz)
{
    struct warden *warden = session->config->warden;

    *megahertz = 0;
    if (!warden)
        return facts;
    if (!warden_wait_ready(warden))
        return lost_warden(session, facts);
    if (!warden_idle(warden, settle_seconds))
        return left_work(facts, "left work running on the GPU when it returned");
    return warden_flush(warden, megahertz) ? facts : lost_warden(session, facts);
}

/* Memory for inputs of up to `mapped` bytes, which the runner maps and page-locks now, while there is nothing in it. */
static struct facts make_place(struct session *session, size_t mapped, int64_t deadline, struct facts facts)
{
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_PLACE, .mapped = mapped };
    int fd;

    if (session->place && session->place_size >= mapped)
        return facts;
    if (session->place)
        munmap(session->place, session->place_size);
    fd = shared_memory("input", mapped);
    session->place = fd < 0 ? NULL : map_new(fd, mapped);
    session->place_size = mapped;
    if (!session->place) {
        facts = lost(session, facts, "cannot make memory for the input");
    } else {
        if (deliver(session, &message, fd, &facts))
            facts = wait_for(session, CHANNEL_PLACED, deadline, &message, facts);
    }
    if (fd >= 0)
        close(fd);
    return facts;
}

/* Stops the runner. One that has ended between its last word and now is told of as wait_for() would have told. */
static struct facts stop_runner(struct session *session, struct facts facts)
{
    if (stop_process(session->runner, stop_seconds))
        return facts;
    facts.outcome = OUTCOME_DIED;
    take_status(session, clock_ns() + (int64_t)(ending_seconds * 1e9), &facts);
    return facts;
}

/*
 * Writes the input to its place while nothing of the submission can read it: its threads stand still, and no kernel of
 * its runs. A kernel or copy could still wait on the GPU for a word of that memory to change. So a decoy is written
 * first, the input with its parts in another order: what it sets off is a kernel, and seen, or a copy of the decoy.
 */
static struct facts fill_place(struct session *session, const struct blob *input, struct facts facts)
{
    enum { HEAD = 4096 };
    struct warden *warden = session->config->warden;
    const size_t body = input->size - HEAD;
    uint32_t turn = 0;
    double gap = 0;
    size_t cut;

    facts = stop_runner(session, facts);
    if (facts.outcome != OUTCOME_DONE)
        return facts;
    if (warden && !warden_watch_alone(warden))
        return lost_warden(session, facts);
    if (getrandom(&turn, sizeof turn, 0) < 0)
        turn = 0x9e3779b9;
    cut = (1 + (size_t)((double)turn / 4294967296.0 * (double)(body / SAMPLE - 1))) * SAMPLE;
    memcpy(session->place, input->data, HEAD);
    parallel_copy(session->place + HEAD, input->data + HEAD + cut, body - cut);
    parallel_copy(session->place + HEAD + body - cut, input->data + HEAD, cut);
    parallel_copy(session->place, input->data, input->size);
    memset(session->place + input->size, 0, session->place_size - input->size);
    if (warden && !warden_unwatch(warden, &gap))
        return lost_warden(session, facts);
    if (gap > WARDEN_IDLE_SECONDS)
        return left_work(facts, "left work on the GPU, which ran before the next input was released");
    return facts;
}

/* The places of a large output that are looked at before the clock stops. */
static void take_samples(const struct session *session, const uint64_t *key, unsigned char samples[SAMPLES][SAMPLE])
{
    for (size_t i = 0; i < SAMPLES; i++)
        memcpy(samples[i], session->output + poison_word(*key, i) % (session->output_size / SAMPLE) * SAMPLE, SAMPLE);
}

/*
 * Takes the output as it stands at "done", and the time: at once where it is small. A large one would be copied on the
 * clock. So the process is stopped and its GPU seen idle; then nothing but a copy in flight can change the output, and
 * lines of it, taken by chance before the clock stops, show whether one did.
 */
static struct facts take_output(struct session *session, struct blob *output, int64_t deadline, int64_t *end,
                                struct facts facts)
{
    static unsigned char samples[SAMPLES][SAMPLE], again[SAMPLES][SAMPLE];
    struct warden *warden = session->config->warden;
    uint64_t key;

    if (session->output_size < PAGE_LOCK_FROM || !session->config->stops) {
        memcpy(output->data, session->output, session->output_size);
        *end = clock_ns();
        return facts;
    }
    *end = clock_ns();
    facts = stop_runner(session, facts);
    if (facts.outcome != OUTCOME_DONE)
        return facts;
    if (warden && !warden_idle(warden, clock_seconds(*end, deadline) > 0 ? clock_seconds(*end, deadline) : 0))
        facts = left_work(facts, "left work running on the GPU when it returned");
    if (getrandom(&key, sizeof key, 0) < 0)
        key = (uint64_t)*end;
    take_samples(session, &key, samples);
    *end = clock_ns();
    parallel_copy(output->data, session->output, session->output_size);
    take_samples(session, &key, again);
    facts.late = memcmp(samples, again, sizeof samples) != 0;
    for (size_t i = 0; i < SAMPLES && !facts.late; i++)
        facts.late = memcmp(samples[i], output->data + poison_word(key, i) % (session->output_size / SAMPLE) * SAMPLE,
                            SAMPLE) != 0;
    stop_continue(session->runner);
    return facts;
}

/* ------------------------------------------------------------------ the three calls */

/* The end of a runner that never came to load the submission, with what bubblewrap or the loader printed last. */
static struct facts not_started(struct session *session, struct facts facts)
{
    int length = session->printed < 120 ? (int)session->printed : 120;

    snprintf(session->detail, sizeof session->detail, "it did not start (exit code %d, signal %d): %.*s",
             facts.exit_code, facts.signal, length, session->text);
    text_defuse(session->detail);
    facts.outcome = OUTCOME_LOST;
    facts.detail = session->detail;
    return facts;
}

/* Where the time went, by the runner's stamps where they can be true, and all in the call where they cannot. */
static struct session_times times_of(int64_t start, int64_t end, const int64_t stamps[STAMPS])
{
    int64_t received = stamps[STAMP_RECEIVED], mapped = stamps[STAMP_MAPPED], returned = stamps[STAMP_RETURNED];

    if (!(start <= received && received <= mapped && mapped <= returned && returned <= end)) {
        received = mapped = start;
        returned = end;
    }
    return (struct session_times){
        .total = clock_seconds(start, end),
        .release = clock_seconds(start, received),
        .map = clock_seconds(received, mapped),
        .call = clock_seconds(mapped, returned),
        .done = clock_seconds(returned, end),
    };
}

static struct facts give_output(struct session *session, int64_t deadline, struct facts facts)
{
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_SETUP, .size = session->output_size,
                                       .mapped = map_size(session->output_size) };
    int fd = shared_memory("output", message.mapped);

    if (fd < 0)
        return lost(session, facts, "memfd_create");
    session->output = map_new(fd, message.mapped);
    if (!session->output) {
        close(fd);
        return lost(session, facts, "mmap");
    }
    session->memory.given = session->output_size;
    if (deliver(session, &message, fd, &facts))
        facts = wait_for(session, CHANNEL_MAPPED, deadline, &message, facts);
    close(fd);
    return facts;
}

struct facts session_open(struct session *session, const struct session_config *config, size_t output_size)
{
    struct facts facts = { .limit = config->start_limit, .output_limit = config->output_limit, .detail = "" };
    struct channel_message message;
    int64_t start = clock_ns(), deadline = start + (int64_t)(config->start_limit * 1e9);

    *session = (struct session){ 0 };
    session->config = config;
    session->pidfd = session->channel = session->printed_fd = session->cgroup.folder = -1;
    session->memory.status = session->memory.threads = -1;
    for (int i = 0; i < SESSION_REPORTS; i++)
        session->reports[i].fd = -1;
    session->output_size = output_size;
    if (!spawn(session))
        return lost(session, facts, "cannot start the runner");
    facts = wait_for(session, CHANNEL_LOADING, deadline, &message, facts);
    if (facts.outcome == OUTCOME_DONE && session->cgroup.folder < 0)
        memory_watch_open(&session->memory, session->runner, most_memory(config));
    if (facts.outcome == OUTCOME_DONE && config->device_memory_limit > 0)
        session->device_memory_before = gpu_memory_used(config->gpu);
    if (facts.outcome == OUTCOME_DONE)
        facts = wait_for(session, CHANNEL_READY, deadline, &message, facts);
    else if (facts.outcome != OUTCOME_DEVICE_FAILED) /* no user code has run yet: the toolkit is at fault */
        facts = not_started(session, facts);
    session->start_seconds = clock_seconds(start, clock_ns());
    if (facts.outcome == OUTCOME_DONE)
        facts = give_output(session, deadline, facts);
    facts.seconds = clock_seconds(start, clock_ns());
    session->idle = facts.outcome == OUTCOME_DONE;
    return observed(session, facts);
}

/* Room for the output, with its pages there: they are not to be made while the clock is running. */
static bool have_room(const struct session *session, struct blob *output)
{
    struct error error;

    if (output->size == session->output_size)
        return true;
    if (!blob_alloc(output, session->output_size, &error))
        return false;
    memset(output->data, 0, output->size);
    return true;
}

struct facts session_call(struct session *session, const struct blob *input, struct blob *output,
                          struct session_times *times)
{
    struct facts facts = { .called = true, .limit = session->config->call_limit,
                           .output_limit = session->config->output_limit, .detail = "" };
    struct channel_message message = { 0 }, wake = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_WAKE };
    const bool placed = session->config->page_lock && input->size >= PAGE_LOCK_FROM;
    const int64_t before = clock_ns();
    const bool audit = session->audit && session->config->warden;
    size_t mapped = map_size(input->size);
    double megahertz, gap;
    int64_t start, end, deadline, ready_by;
    int fd = -1;

    session->idle = false;
    if (audit) /* two contexts share the GPU then */
        facts.limit *= audit_times;
    if ((!placed && (fd = input_memory(input, &mapped)) < 0) || !poison(session) || !have_room(session, output)) {
        facts = lost(session, facts, "cannot prepare the input");
        goto out;
    }
    facts = settle(session, facts, &megahertz);
    ready_by = clock_ns() + (int64_t)(prepare_seconds * 1e9);
    if (placed && facts.outcome == OUTCOME_DONE)
        facts = make_place(session, mapped, ready_by, facts);
    if (facts.outcome != OUTCOME_DONE)
        goto out;
    session->memory.given = session->output_size + mapped;
    wake.mapped = placed ? 0 : mapped;
    wake.size = session->config->warden ? 1 : 0;
    if (deliver(session, &wake, -1, &facts))
        facts = wait_for(session, CHANNEL_AWAKE, ready_by, &message, facts);
    if (placed && facts.outcome == OUTCOME_DONE)
        facts = fill_place(session, input, facts);
    if (facts.outcome != OUTCOME_DONE)
        goto out;
    message = (struct channel_message){ .magic = CHANNEL_MAGIC, .kind = CHANNEL_RUN, .size = input->size,
                                        .mapped = wake.mapped };
    if (audit && !warden_watch(session->config->warden)) {
        facts = lost_warden(session, facts);
        goto out;
    }
    start = clock_ns();
    deadline = start + (int64_t)(facts.limit * 1e9);
    if (deliver(session, &message, fd, &facts)) {
        if (placed)
            stop_continue(session->runner);
        channel_spin(session->channel, session->config->spin ? CHANNEL_SPIN_NS : 0);
        facts = wait_for(session, CHANNEL_DONE, deadline, &message, facts);
    }
    end = clock_ns();
    if (audit) {
        warden_unwatch(session->config->warden, &gap);
        session->used_gpu = gap > WARDEN_IDLE_SECONDS;
    }
    if (facts.outcome == OUTCOME_DONE)
        facts = take_output(session, output, deadline, &end, facts);
    facts.seconds = clock_seconds(start, end);
    if (facts.outcome == OUTCOME_DONE) {
        session->idle = true;
        if (facts.seconds > facts.limit)
            facts.outcome = OUTCOME_TIMEOUT;
        facts.unwritten = is_poison(session, output);
        *times = times_of(start, end, message.stamps);
        times->megahertz = megahertz;
    }
out:
    if (facts.outcome == OUTCOME_DONE && session->config->device_memory_limit > 0)
        look_at_memory(session); /* what it keeps until the next call */
    facts = observed(session, facts);
    if (facts.seconds == 0)
        facts.seconds = clock_seconds(before, clock_ns());
    if (fd >= 0)
        close(fd);
    return facts;
}

/*
 * Lets a runner that waits for the next call end by itself, so that its printing and its profile are whole. The
 * verdict stands by now: whatever the process does in this time is only shown.
 */
static void ask_to_quit(struct session *session)
{
    const bool handlers = session->config->exit_handlers;
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_QUIT, .size = handlers ? 1 : 0 };
    const int64_t deadline = clock_ns() + (int64_t)((handlers ? report_seconds : quit_seconds) * 1e9);
    struct facts ignored = { 0 };
    bool printing = session->printed_fd >= 0;

    if (!channel_send(session->channel, &message, -1))
        return;
    while (clock_ns() < deadline) {
        struct pollfd fds[] = { { .fd = printing ? session->printed_fd : -1, .events = POLLIN },
                                { .fd = session->pidfd, .events = POLLIN },
                                { .fd = session->reports[SESSION_REPORT_TEXT].fd, .events = POLLIN },
                                { .fd = session->reports[SESSION_REPORT_JSON].fd, .events = POLLIN } };

        if (poll(fds, sizeof fds / sizeof fds[0], (int)((deadline - clock_ns()) / 1000000) + 1) <= 0 || fds[1].revents)
            break;
        if (fds[0].revents & POLLIN) {
            if (take_printed(session))
                break;
        } else if (fds[0].revents) {
            printing = false;
        }
        take_reports(session);
    }
    take_status(session, deadline, &ignored);
}

bool session_close(struct session *session)
{
    const int64_t start = clock_ns();
    bool ok;

    if (session->idle)
        ask_to_quit(session);
    session->memory_peak = session->memory.peak;
    if (session->cgroup.folder >= 0) {
        session->memory_peak = cgroup_look(&session->cgroup).memory_peak;
        cgroup_kill(&session->cgroup);
    }
    ok = reap_all(session->pid, &session->status, kill_seconds);
    ok = cgroup_close(&session->cgroup, kill_seconds) && ok;
    memory_watch_close(&session->memory);
    session->end_seconds = clock_seconds(start, clock_ns());
    if (session->printed_fd >= 0) {
        take_printed(session);
        close(session->printed_fd);
    }
    take_reports(session);
    for (int i = 0; i < SESSION_REPORTS; i++)
        if (session->reports[i].fd >= 0) {
            close(session->reports[i].fd);
            session->reports[i].fd = -1;
        }
    if (session->channel >= 0)
        close(session->channel);
    if (session->pidfd >= 0)
        close(session->pidfd);
    if (session->output)
        munmap(session->output, map_size(session->output_size));
    if (session->place)
        munmap(session->place, session->place_size);
    session->printed_fd = session->channel = session->pidfd = -1;
    session->output = session->place = NULL;
    session->pid = 0;
    return ok;
}
