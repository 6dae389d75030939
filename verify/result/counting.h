/*
 * counting.h - calls for the GPU's counters, after those that are timed.
 */
#ifndef VERIFY_COUNTING_H
#define VERIFY_COUNTING_H

#include "calls.h"

struct counting {
    struct gpm *counters;          /* with a window that was opened before the calls */
    const struct options *options;
    struct counted_rule rule;      /* but for `stretched`, which is found here */
};

/*
 * Short calls do not show in the counters: so more of them are made, on this last input and without the warden between
 * them, which are neither timed nor checked. Then the window ends, and *result and *all learn what was counted. The
 * counters stray at times: what they say against a submission they must say again, of a window of its own. *facts and
 * *output are of the last call.
 */
void counting_end(struct counting *counting, struct session *session, const struct blob *input, struct facts *facts,
                  struct blob *output, struct case_result *result, struct result *all);

#endif
