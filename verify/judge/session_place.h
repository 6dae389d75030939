/*
 * session_place.h - large inputs and outputs, and the GPU before and after a call. Used by session.c only.
 */
#ifndef VERIFY_SESSION_PLACE_H
#define VERIFY_SESSION_PLACE_H

#include "session.h"

/* The facts of a warden that failed: that is the machine's fault, or a GPU which the submission broke. */
struct facts session_lost_warden(struct session *session, struct facts facts);

/* The facts of a submission whose work went on when it must not. */
struct facts session_left_work(struct facts facts, const char *words);

/* Before a call: the GPU is idle, its cache empty or left warm. *megahertz is its clock, 0 without a warden. */
struct facts session_settle(struct session *session, struct facts facts, double *megahertz);

/* Memory for inputs of up to `mapped` bytes, which the runner maps and page-locks now, while there is nothing in it. */
struct facts session_make_place(struct session *session, size_t mapped, int64_t deadline, struct facts facts);

/*
 * Writes the input to its place while the submission cannot read it: its threads are stopped, and none of its kernels
 * runs. The runner stays stopped.
 */
struct facts session_fill_place(struct session *session, const struct blob *input, struct facts facts);

/*
 * Takes the output at "done", and the time into *end. A small output is copied at once. Copying a large one would take
 * time on the clock. So the process is stopped, and the GPU must be idle; then only a copy in flight can change the
 * output. Random lines of it, taken before the clock stops, show such a change.
 */
struct facts session_take_output(struct session *session, struct blob *output, int64_t deadline, int64_t *end,
                                 struct facts facts);

#endif
