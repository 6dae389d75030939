/*
 * ready.h - runners that are started before they are needed.
 *
 * A context on a GPU takes a tenth of a second, but several processes can make theirs at the same time. So the runners
 * of the next cases are started together while nothing is timed, and then wait. They have loaded nothing of the
 * submission, and each serves one case. They do nothing before their turn.
 *
 * If times count, all that were started are there before a call, so that no context is made beside it. If they do not
 * count (`hastens`), the first one that is there goes first, and the next ones start beside its call. The driver makes
 * contexts one after the other, so the sooner it begins the next one, the better.
 */
#ifndef VERIFY_READY_H
#define VERIFY_READY_H

#include <stdbool.h>
#include <stddef.h>

#include "session.h"

/*
 * Runners that wait at most; and, of those that start beside calls, how many may be on their way: they compete for the
 * driver, and the first of many is there late.
 */
enum { READY_MOST = 8, READY_MAKING = 3 };

struct ready {
    struct session *sessions[READY_MOST]; /* [count], those that wait, in the order of their start */
    size_t count;
    bool hastens; /* times do not count, and nobody measures the GPU: ready_hasten() */
    bool beside;  /* the session that was taken last works beside the start of others, or beside the making of inputs */
    bool calm;    /* one of these was excused: no more work beside a start */
};

/*
 * Sets whether it hastens from now on: if it is `wanted`, for CUDA, unless the GPU is watched or measured. It is on
 * resident problems, with a limit of its memory, and while a large input is put in place. input_size is of the next
 * case, or 0 if that is not yet known.
 */
void ready_hasten(struct ready *ready, const struct session_config *config, size_t input_size, bool wanted);

/*
 * Starts `count` runners, READY_MOST at most, of configs[variants] in turn. Does nothing while some wait. Where
 * there is no room for one it is left out: who needs it starts it. If it hastens, there is one config, and it starts
 * what is missing until so many wait, as long as less than READY_MAKING are on their way.
 */
void ready_start(struct ready *ready, const struct session_config *const *configs, size_t variants, size_t count);

/*
 * The next session for session_open(), with that config, after all runners that were started are there, or if it
 * hastens, after one is. One that waits and was started with another config is ended. The caller's to close and free();
 * NULL for a lack of memory.
 */
struct session *ready_take(struct ready *ready, const struct session_config *config);

/* Waits until all that were started are there, or have failed to be. */
void ready_await(struct ready *ready);

/*
 * Whether the session that was taken last failed in a way that what worked beside it can cause. Then its case
 * is to be judged once more. From here on nothing is excused, as nothing works beside a start.
 */
bool ready_excuses(struct ready *ready, const struct facts *facts);

/* Ends what waits. */
void ready_end(struct ready *ready);

#endif
