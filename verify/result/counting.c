/*
 * counting.c - fills the windows of the counters.
 */
#include "counting.h"

#include "verify/base/clock.h"

/* No window is filled for longer, seconds. */
static const double longest_fill = 1.0;

/* A call that is timed may take this much less than half of one that is not, seconds: what waking up takes at times. */
static const double jitter = 1e-4;

static double longest_timed(const struct case_result *result)
{
    double longest = 0;

    for (size_t i = 0; i < result->timed; i++)
        longest = result->times[i].total > longest ? result->times[i].total : longest;
    return longest;
}

/* Makes calls until the window is filled, and ends it. */
static void fill(struct counting *counting, struct session *session, const struct blob *input, struct facts *facts,
                 struct blob *output, struct case_result *result, struct gpm_use *use)
{
    const double most = 2 * longest_timed(result) + jitter;
    const int64_t start = clock_ns();
    struct session_times times;

    while (result->verdict == VERDICT_AC && !gpm_is_filled(counting->counters) &&
           clock_seconds(start, clock_ns()) < longest_fill) {
        *facts = session_call(session, input, output, &times);
        if (facts->outcome != OUTCOME_DONE) {
            calls_take_verdict(result, facts, counting->options);
            break;
        }
        counting->rule.stretched = counting->rule.stretched || times.total > most;
        gpm_add_calls(counting->counters, 1, times.total);
    }
    gpm_end(counting->counters, use);
}

void counting_end(struct counting *counting, struct session *session, const struct blob *input, struct facts *facts,
                  struct blob *output, struct case_result *result, struct result *all)
{
    const struct session_config *config = session->config;
    struct session_config quiet = *config;
    struct gpm_use again = { 0 };

    quiet.warden = NULL;
    session->config = &quiet;
    session->audit = false;
    fill(counting, session, input, facts, output, result, &result->counted);
    if (counting->rule.no_tensor && gpm_used_tensor(&result->counted)) {
        gpm_begin(counting->counters);
        fill(counting, session, input, facts, output, result, &again);
    }
    session->config = config;
    calls_take_counters(result, all, counting->counters, &counting->rule, &again);
}
