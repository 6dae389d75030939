/*
 * ready.c - a row of sessions, in the order of their cases.
 */
#include "ready.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/shared_map.h"

/* False where there is no room for one more. */
static bool add(struct ready *ready, const struct session_config *config)
{
    struct session *session = ready->count < READY_MOST ? calloc(1, sizeof *session) : NULL;

    if (!session)
        return false;
    session_start(session, config);
    ready->sessions[ready->count++] = session;
    return true;
}

static struct session *take_out(struct ready *ready, size_t which)
{
    struct session *session = ready->sessions[which];

    ready->count--;
    memmove(&ready->sessions[which], &ready->sessions[which + 1], (ready->count - which) * sizeof *ready->sessions);
    return session;
}

static void end(struct session *session)
{
    session_close(session);
    free(session);
}

/* Whether there is news from one that waits, within `milliseconds`: it is there, or has failed to be. */
static bool has_news(const struct session *session, int milliseconds)
{
    struct pollfd news[] = { { .fd = session->channel, .events = POLLIN }, { .fd = session->pidfd, .events = POLLIN } };

    return session->awaited || poll(news, 2, milliseconds) > 0;
}

/* How many of those that wait are on their way. */
static size_t count_making(const struct ready *ready)
{
    size_t making = 0;

    for (size_t i = 0; i < ready->count; i++)
        making += !has_news(ready->sessions[i], 0);
    return making;
}

void ready_hasten(struct ready *ready, const struct session_config *config, size_t input_size, bool wanted)
{
    ready->hastens = wanted && !ready->calm && config->page_lock && !config->resident &&
                     config->device_memory_limit == 0 && input_size < PAGE_LOCK_FROM;
}

void ready_start(struct ready *ready, const struct session_config *const *configs, size_t variants, size_t count)
{
    size_t making = count_making(ready);

    if (ready->count > 0 && !ready->hastens)
        return;
    while (ready->count < count && (!ready->hastens || making++ < READY_MAKING))
        if (!add(ready, configs[ready->count % variants]))
            return;
}

void ready_await(struct ready *ready)
{
    for (size_t i = 0; i < ready->count; i++)
        session_await(ready->sessions[i]);
}

/* The first of those that wait from which there is news, once there is some from any of them. */
static size_t find_news(const struct ready *ready)
{
    struct pollfd news[2 * READY_MOST];

    for (size_t i = 0; i < ready->count; i++) {
        if (ready->sessions[i]->awaited)
            return i;
        news[2 * i] = (struct pollfd){ .fd = ready->sessions[i]->channel, .events = POLLIN };
        news[2 * i + 1] = (struct pollfd){ .fd = ready->sessions[i]->pidfd, .events = POLLIN };
    }
    poll(news, 2 * ready->count, (int)(ready->sessions[0]->config->start_limit * 1e3));
    for (size_t i = 0; i < ready->count; i++)
        if (has_news(ready->sessions[i], 0))
            return i;
    return 0; /* it will fail with a reason */
}

struct session *ready_take(struct ready *ready, const struct session_config *config)
{
    struct session *session;

    if (!ready->hastens)
        ready_await(ready);
    while (ready->count > 0) {
        session = take_out(ready, find_news(ready));
        ready->beside = count_making(ready) > 0;
        if (session->config == config)
            return session;
        end(session);
    }
    ready->beside = false;
    return calloc(1, sizeof *session);
}

bool ready_excuses(struct ready *ready, const struct facts *facts)
{
    const bool excused = ready->beside && (facts->outcome == OUTCOME_TIMEOUT || facts->outcome == OUTCOME_LEFT_WORK);

    ready->calm = ready->calm || excused;
    ready->hastens = ready->hastens && !ready->calm;
    return excused;
}

void ready_end(struct ready *ready)
{
    /* All at once: each takes the driver some time. */
    for (size_t i = 0; i < ready->count; i++)
        if (ready->sessions[i]->pid > 0)
            kill(ready->sessions[i]->pid, SIGKILL);
    while (ready->count > 0)
        end(take_out(ready, 0));
}
