/*
 * session_wait.c - messages, printing and the end of the process, all waited for in one place.
 */
#include "session_wait.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verify/base/clock.h"
#include "verify/base/limits.h"
#include "verify/base/text.h"
#include "verify/wire/reap.h"

struct facts session_lost(struct session *session, struct facts facts, const char *what)
{
    snprintf(session->detail, sizeof session->detail, "%s: %s", what, strerror(errno));
    facts.outcome = OUTCOME_LOST;
    facts.detail = session->detail;
    return facts;
}

bool session_take_printed(struct session *session)
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

void session_take_reports(struct session *session)
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

bool session_take_status(struct session *session, int64_t deadline, struct facts *facts)
{
    struct pollfd ended = { .fd = session->pidfd, .events = POLLIN };
    int64_t left = deadline - clock_ns();
    int code;

    if (poll(&ended, 1, left > 0 ? (int)(left / 1000000) + 1 : 0) <= 0)
        return false;
    if (waitpid(session->pid, &session->status, 0) != session->pid &&
        !reap_has_ended(session->pid, &session->status))
        return false;
    reap_unspare(session->pid);
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
    text_defuse(session->detail, sizeof session->detail);
    facts.outcome = outcome;
    facts.detail = session->detail;
    return facts;
}

bool session_deliver(struct session *session, struct channel_message *message, int fd, struct facts *facts)
{
    if (message->kind != CHANNEL_SETUP && message->kind != CHANNEL_LOAD &&
        getrandom(&session->nonce, sizeof session->nonce, 0) < 0)
        session->nonce++;
    message->nonce = session->nonce;
    if (channel_send(session->channel, message, fd) || errno != EAGAIN)
        return true;
    facts->outcome = OUTCOME_FORGED;
    return false;
}

/* Whether memory is watched in this session. */
static bool watches_memory(const struct session *session)
{
    return session->memory.status >= 0 || session->config->device_memory_limit > 0;
}

bool session_look_at_memory(struct session *session)
{
    const struct session_config *config = session->config;
    size_t used = session->device_memory_before > 0 ? gpu_memory_used(config->gpu) : 0;

    if (used > session->device_memory_before && used - session->device_memory_before > session->device_memory_peak)
        session->device_memory_peak = used - session->device_memory_before;
    return memory_watch_look(&session->memory) ||
           (config->device_memory_limit > 0 && session->device_memory_peak > config->device_memory_limit);
}

/* Takes the message that has come; false when it ends the wait, and *facts say how. */
static bool take_message(struct session *session, enum channel_kind expected, int64_t deadline,
                         struct channel_message *message, struct facts *facts)
{
    int64_t end;

    switch (expected == CHANNEL_LOADING ? channel_receive_first(session->channel, message, &session->runner)
                                        : channel_receive(session->channel, message, NULL)) {
    case CHANNEL_MESSAGE:
        if (message->kind == CHANNEL_REFUSED && expected != CHANNEL_LOADING && session->refused == 0 &&
            message->size > 0) {
            session->refused = message->size;
            return true;
        }
        if (message->kind == CHANNEL_FOREIGN_CODE && expected != CHANNEL_LOADING) {
            facts->outcome = OUTCOME_FOREIGN_CODE;
            return false;
        }
        /* A failure may be reported only in the place of what it prevents. */
        if (expected == CHANNEL_LOADING && message->kind == CHANNEL_FAILED_DEVICE)
            *facts = failed(session, *facts, OUTCOME_DEVICE_FAILED, message);
        else if (expected == CHANNEL_READY && message->kind == CHANNEL_FAILED_LOAD)
            *facts = failed(session, *facts, OUTCOME_LOAD_FAILED, message);
        else if (expected == CHANNEL_PLACED && message->kind == CHANNEL_FAILED_LOAD)
            *facts = failed(session, *facts, OUTCOME_LOST, message); /* whose fault that is a probe tells */
        else
            facts->outcome = message->kind == expected && message->nonce == session->nonce ? OUTCOME_DONE
                                                                                           : OUTCOME_FORGED;
        return false;
    case CHANNEL_END:
        facts->outcome = OUTCOME_CLOSED;
        end = clock_ns() + (int64_t)(ending_seconds * 1e9);
        session_take_status(session, end < deadline ? end : deadline, facts);
        return false;
    case CHANNEL_JUNK: break;
    }
    facts->outcome = OUTCOME_FORGED;
    return false;
}

struct facts session_wait_for(struct session *session, enum channel_kind expected, int64_t deadline,
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
            return session_lost(session, facts, "ppoll");
        if (fds[0].revents) {
            if (!take_message(session, expected, deadline, message, &facts))
                return facts;
            continue;
        }
        if (fds[1].revents & POLLIN) {
            if (session_take_printed(session)) {
                facts.outcome = OUTCOME_FLOOD;
                return facts;
            }
        } else if (fds[1].revents) { /* standard output and error are both closed: nothing to wait for */
            close(session->printed_fd);
            session->printed_fd = -1;
        }
        if (fds[3].revents || fds[4].revents)
            session_take_reports(session);
        if (fds[2].revents) {
            if (poll(&fds[0], 1, 0) > 0) /* its last words came between the two looks of one ppoll() */
                continue;
            session_take_status(session, now, &facts);
            return facts;
        }
        now = clock_ns();
        if (now >= look) {
            if (session_look_at_memory(session)) {
                facts.outcome = session->memory.crowded ? OUTCOME_CROWDED : OUTCOME_MEMORY;
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

struct facts session_observed(struct session *session, struct facts facts)
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
