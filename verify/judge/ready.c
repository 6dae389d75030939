/*
 * ready.c - a row of sessions, in the order of their cases.
 */
#include "ready.h"

#include <signal.h>
#include <stdlib.h>

void ready_start(struct ready *ready, const struct session_config *const *configs, size_t variants, size_t count)
{
    if (ready->next < ready->count)
        return;
    *ready = (struct ready){ 0 };
    while (ready->count < count && ready->count < READY_MOST) {
        struct session *session = calloc(1, sizeof *session);

        if (!session)
            return;
        session_start(session, configs[ready->count % variants]);
        ready->sessions[ready->count++] = session;
    }
}

struct session *ready_take(struct ready *ready, const struct session_config *config)
{
    for (size_t i = ready->next; i < ready->count; i++)
        session_await(ready->sessions[i]);
    while (ready->next < ready->count) {
        struct session *session = ready->sessions[ready->next++];

        if (session->config == config)
            return session;
        session_close(session);
        free(session);
    }
    return calloc(1, sizeof(struct session));
}

void ready_end(struct ready *ready)
{
    /* All at once: each takes the driver some time. */
    for (size_t i = ready->next; i < ready->count; i++)
        if (ready->sessions[i]->pid > 0)
            kill(ready->sessions[i]->pid, SIGKILL);
    while (ready->next < ready->count) {
        struct session *session = ready->sessions[ready->next++];

        session_close(session);
        free(session);
    }
}
