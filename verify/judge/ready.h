/*
 * ready.h - runners that are started before they are needed.
 *
 * A context on a GPU takes a tenth of a second, but several processes can make theirs at the same time. So the runners
 * of the next cases are started together while nothing is timed, and then wait. They have loaded nothing of the
 * submission, and each serves one case. They do nothing before their turn.
 */
#ifndef VERIFY_READY_H
#define VERIFY_READY_H

#include <stddef.h>

#include "session.h"

enum { READY_MOST = 8 };

struct ready {
    struct session *sessions[READY_MOST]; /* [count], of which those from `next` on wait */
    size_t count, next;
};

/*
 * Starts `count` runners, READY_MOST at most, of configs[variants] in turn. Does nothing while some wait. Where
 * there is no room for one it is left out: who needs it starts it.
 */
void ready_start(struct ready *ready, const struct session_config *const *configs, size_t variants, size_t count);

/*
 * The next session for session_open(), with that config, after all runners that were started are there. One that waits
 * and was started with another config is ended. The caller's to close and free(); NULL for a lack of memory.
 */
struct session *ready_take(struct ready *ready, const struct session_config *config);

/* Ends what waits. */
void ready_end(struct ready *ready);

#endif
