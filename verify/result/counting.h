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
 * The counters do not show short calls. So this makes more calls, on the last input and without the warden between
 * them; they are not timed or checked. Then the window ends, and *result and *all get the counts. The counters are
 * sometimes wrong, so evidence against a submission must appear again in a second window. *facts and *output are those
 * of the last call.
 */
void counting_end(struct counting *counting, struct session *session, const struct blob *input, struct facts *facts,
                  struct blob *output, struct case_result *result, struct result *all);

#endif
