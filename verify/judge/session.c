/*
 * session.c - the host's side of one runner process.
 */
#include "session.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session_memory.h"
#include "session_place.h"
#include "session_resident.h"
#include "session_start.h"
#include "session_wait.h"
#include "verify/base/clock.h"
#include "verify/base/limits.h"
#include "verify/base/shared_map.h"
#include "verify/base/text.h"
#include "verify/box/files.h"
#include "verify/box/processor.h"
#include "verify/box/stop.h"
#include "verify/wire/reap.h"

/* How long a runner that is asked to quit may take; and one that has a report to write, on a busy machine. */
static const double quit_seconds = 0.5, report_seconds = 10.0;

/*
 * How long the runner may take, off the clock, to page-lock memory for the next input and to wake up. Some tenths of a
 * second for the largest inputs; user code may slow it down, and is not to hold the host.
 */
static const double prepare_seconds = 3.0;

/* How much slower a call may be while the warden watches it, on the same GPU: twice, and something. */
static const double audit_times = 3.0;

/* ------------------------------------------------------------------ open */

/* The end of a runner that never came to load the submission, with what bubblewrap or the loader printed last. */
static struct facts not_started(struct session *session, struct facts facts)
{
    int length = session->printed < 120 ? (int)session->printed : 120;

    snprintf(session->detail, sizeof session->detail, "it did not start (exit code %d, signal %d): %.*s",
             facts.exit_code, facts.signal, length, session->text);
    text_defuse(session->detail, sizeof session->detail);
    facts.outcome = OUTCOME_LOST;
    facts.detail = session->detail;
    return facts;
}

static struct facts give_output(struct session *session, int64_t deadline, struct facts facts)
{
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_SETUP, .size = session->output_size,
                                       .mapped = map_size(session->output_size),
                                       .resident = session->config->resident };
    int fd = session_shared_memory("output", message.mapped);

    if (fd < 0)
        return session_lost(session, facts, "memfd_create");
    session->output = session_map_new(fd, message.mapped);
    if (!session->output) {
        close(fd);
        return session_lost(session, facts, "mmap");
    }
    session->memory.given = session->output_size;
    if (session_deliver(session, &message, fd, &facts))
        facts = session_wait_for(session, CHANNEL_MAPPED, deadline, &message, facts);
    close(fd);
    return facts;
}

/* The runner is there and waits: what is to be in place before user code runs. */
static struct facts let_load(struct session *session, struct facts facts)
{
    const struct session_config *config = session->config;
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_LOAD };

    if (session->cgroup.folder < 0)
        memory_watch_open(&session->memory, session->runner, session_most_memory(config), limit_tasks,
                          config->box.level >= BOX_NAMESPACES && config->box.filter == FILTER_POCL);
    if (config->device_memory_limit > 0)
        session->device_memory_before = gpu_memory_used(config->gpu);
    if (config->box.level >= BOX_NAMESPACES && config->box.filter == FILTER_POCL &&
        !files_limit(session->runner, BOX_WRITABLE, limit_file, limit_names))
        return session_lost(session, facts, "cannot limit the files in the box");
    session->loaded = true;
    session_deliver(session, &message, -1, &facts);
    return facts;
}

/* The facts of a session that has just begun. */
static struct facts no_facts(const struct session_config *config)
{
    return (struct facts){ .limit = config->start_limit, .output_limit = config->output_limit, .detail = "" };
}

static void start(struct session *session, const struct session_config *config, bool ahead)
{
    *session = (struct session){ 0 };
    session->config = config;
    session->started = true;
    session->ahead = ahead;
    session->begun_at = clock_ns();
    session->pidfd = session->channel = session->printed_fd = session->cgroup.folder = -1;
    session->memory.status = session->memory.threads = -1;
    for (int i = 0; i < SESSION_REPORTS; i++)
        session->reports[i].fd = -1;
    if (!session_spawn(session)) {
        session->begun = session_lost(session, no_facts(config), "cannot start the runner");
        session->awaited = true;
    }
}

void session_start(struct session *session, const struct session_config *config)
{
    start(session, config, true);
    reap_spare(session->pid);
}

void session_await(struct session *session)
{
    const int64_t deadline = clock_ns() + (int64_t)(session->config->start_limit * 1e9);
    struct channel_message message;

    if (session->awaited)
        return;
    session->begun = session_wait_for(session, CHANNEL_LOADING, deadline, &message, no_facts(session->config));
    session->there_seconds = clock_seconds(session->begun_at, clock_ns());
    session->awaited = true;
}

struct facts session_open(struct session *session, const struct session_config *config, size_t output_size)
{
    int64_t begin = clock_ns(), deadline = begin + (int64_t)(config->start_limit * 1e9);
    struct channel_message message;
    struct facts facts;

    if (!session->started)
        start(session, config, false);
    session->output_size = output_size;
    session_await(session);
    facts = session->begun;
    if (facts.outcome == OUTCOME_DONE) {
        if (session->ahead)
            processor_keep(session->config->processor, session->runner);
        if (session_has_slots(config))
            facts = session_await_quiet(session, facts);
        if (facts.outcome == OUTCOME_DONE)
            facts = let_load(session, facts);
        if (facts.outcome == OUTCOME_DONE)
            facts = session_wait_for(session, CHANNEL_READY, deadline, &message, facts);
    } else if (facts.outcome != OUTCOME_DEVICE_FAILED && session->channel >= 0) {
        facts = not_started(session, facts); /* no user code has run yet: the toolkit is at fault */
    }
    session->start_seconds = (session->ahead ? session->there_seconds : 0) + clock_seconds(begin, clock_ns());
    if (facts.outcome == OUTCOME_DONE)
        facts = session_has_slots(config) ? session_give_page(session, deadline, facts)
                                          : give_output(session, deadline, facts);
    facts.seconds = clock_seconds(begin, clock_ns());
    session->idle = facts.outcome == OUTCOME_DONE;
    return session_observed(session, facts);
}

/* ------------------------------------------------------------------ call */

/* One call while it is made. */
struct call {
    const struct blob *input;
    struct blob *output;
    bool placed;        /* the input goes where large ones go; else into memory of its own: */
    int fd;             /* the descriptor of that; -1 for none */
    size_t mapped;      /* bytes of either as the runner maps it */
    bool audit;         /* the warden watches whether the GPU is used */
    double megahertz;   /* the GPU's clock before the call */
    int64_t start, end; /* of the result's time, clock_ns() */
};

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

/* Off the clock: memory for input and output, an idle GPU, and a runner that is awake. It stands still if `placed`. */
static struct facts prepare(struct session *session, struct call *call, struct facts facts)
{
    struct channel_message message, wake = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_WAKE };
    int64_t ready_by;

    if ((!call->placed && (call->fd = session_input_memory(call->input, &call->mapped)) < 0) ||
        !session_poison(session) || !have_room(session, call->output))
        return session_lost(session, facts, "cannot prepare the input");
    facts = session_settle(session, facts, &call->megahertz);
    ready_by = clock_ns() + (int64_t)(prepare_seconds * 1e9);
    if (call->placed && facts.outcome == OUTCOME_DONE)
        facts = session_make_place(session, call->mapped, ready_by, facts);
    if (facts.outcome != OUTCOME_DONE)
        return facts;
    session->memory.given = session->output_size + call->mapped;
    wake.mapped = call->placed ? 0 : call->mapped;
    wake.size = session->config->warden ? 1 : 0;
    if (session_deliver(session, &wake, -1, &facts))
        facts = session_wait_for(session, CHANNEL_AWAKE, ready_by, &message, facts);
    if (call->placed && facts.outcome == OUTCOME_DONE)
        facts = session_fill_place(session, call->input, facts);
    if (facts.outcome == OUTCOME_DONE && call->audit && !warden_watch(session->config->warden))
        facts = session_lost_warden(session, facts);
    return facts;
}

/* On the clock: releases the input, waits for "done" and takes the output. */
static struct facts release(struct session *session, struct call *call, struct session_times *times,
                            struct facts facts)
{
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_RUN, .size = call->input->size,
                                       .mapped = call->placed ? 0 : call->mapped };
    int64_t deadline;
    double gap;

    call->start = clock_ns();
    deadline = call->start + (int64_t)(facts.limit * 1e9);
    if (session_deliver(session, &message, call->fd, &facts)) {
        if (call->placed)
            stop_continue(session->runner);
        channel_spin(session->channel, session->config->spin ? CHANNEL_SPIN_NS : 0);
        facts = session_wait_for(session, CHANNEL_DONE, deadline, &message, facts);
    }
    call->end = clock_ns();
    if (call->audit) {
        warden_unwatch(session->config->warden, &gap);
        session->used_gpu = gap > WARDEN_IDLE_SECONDS;
    }
    if (facts.outcome == OUTCOME_DONE)
        facts = session_take_output(session, call->output, deadline, &call->end, facts);
    facts.seconds = clock_seconds(call->start, call->end);
    if (facts.outcome == OUTCOME_DONE) {
        session->idle = true;
        if (facts.seconds > facts.limit)
            facts.outcome = OUTCOME_TIMEOUT;
        facts.unwritten = session_is_poison(session, call->output, 0);
        *times = times_of(call->start, call->end, message.stamps);
        times->megahertz = call->megahertz;
    }
    return facts;
}

struct facts session_call(struct session *session, const struct blob *input, struct blob *output,
                          struct session_times *times)
{
    struct facts facts = { .called = true, .limit = session->config->call_limit,
                           .output_limit = session->config->output_limit, .detail = "" };
    struct call call = { .input = input, .output = output, .fd = -1, .mapped = map_size(input->size),
                         .placed = session->config->page_lock && input->size >= PAGE_LOCK_FROM,
                         .audit = session->audit && session->config->warden };
    const int64_t before = clock_ns();

    if (session->resident.warden)
        return session_resident_call(session, input, output, times);
    session->idle = false;
    if (call.audit) /* two contexts share the GPU then */
        facts.limit *= audit_times;
    facts = prepare(session, &call, facts);
    if (facts.outcome == OUTCOME_DONE)
        facts = release(session, &call, times, facts);
    if (facts.outcome == OUTCOME_DONE && session->config->device_memory_limit > 0)
        session_look_at_memory(session); /* what it keeps until the next call */
    facts = session_observed(session, facts);
    if (facts.seconds == 0)
        facts.seconds = clock_seconds(before, clock_ns());
    if (call.fd >= 0)
        close(call.fd);
    return facts;
}

/* ------------------------------------------------------------------ close */

/*
 * Lets a runner that waits for the next call end normally, so that its printing and its profile are whole. The
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
            if (session_take_printed(session))
                break;
        } else if (fds[0].revents) {
            printing = false;
        }
        session_take_reports(session);
    }
    session_take_status(session, deadline, &ignored);
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
    ok = reap_all(session->pid, &session->status, session->config->end_limit);
    ok = cgroup_close(&session->cgroup, ok ? session->config->end_limit : 0.1) && ok;
    memory_watch_close(&session->memory);
    session->end_seconds = clock_seconds(start, clock_ns());
    if (session->printed_fd >= 0) {
        session_take_printed(session);
        close(session->printed_fd);
    }
    session_take_reports(session);
    for (int i = 0; i < SESSION_REPORTS; i++)
        if (session->reports[i].fd >= 0) {
            close(session->reports[i].fd);
            session->reports[i].fd = -1;
        }
    if (session->channel >= 0)
        close(session->channel);
    if (session->pidfd >= 0)
        close(session->pidfd);
    session_resident_close(session);
    if (session->output)
        munmap(session->output, map_size(session->output_size));
    if (session->place)
        munmap(session->place, session->place_size);
    session->printed_fd = session->channel = session->pidfd = -1;
    session->output = session->place = NULL;
    session->pid = 0;
    session->started = false; /* it may be opened anew */
    return ok;
}
