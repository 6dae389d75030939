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
 * Writes the input to its place while nothing of the submission can read it: its threads stand still, and no kernel of
 * its runs. The runner stays stopped.
 */
struct facts session_fill_place(struct session *session, const struct blob *input, struct facts facts);

/*
 * Takes the output as it stands at "done", and the time into *end: at once where it is small. A large one would be
 * copied on the clock. So the process is stopped and its GPU seen idle; then nothing but a copy in flight can change
 * the output. Lines of it, taken by chance before the clock stops, show whether one did.
 */
struct facts session_take_output(struct session *session, struct blob *output, int64_t deadline, int64_t *end,
                                 struct facts facts);

#endif
