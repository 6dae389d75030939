/*
 * ranking.c - calibration, and disturbed calls.
 */
#include "ranking.h"

#include <stdlib.h>

#include "verify/gpu/gpu.h"

size_t ranking_most_calls(size_t repeat) { return 1 + 2 * repeat; }

bool ranking_disturbed(const struct session_times *times, size_t count)
{
    double fastest = 0;

    if (count == 0)
        return false;
    for (size_t i = 0; i < count; i++)
        fastest = times[i].megahertz > fastest ? times[i].megahertz : fastest;
    return (times[count - 1].reasons & GPU_SLOWED) != 0 ||
           times[count - 1].megahertz < fastest * (1 - RANKING_CLOCK_DRIFT);
}

bool ranking_calibrate(struct ready *ready, const struct session_config *empty, const struct blob *input,
                       size_t output_size, struct stats *overhead, struct error *error)
{
    struct session *session = ready_take(ready, empty);
    const int calls = empty->resident ? RANKING_RESIDENT_CALIBRATIONS : RANKING_CALIBRATIONS;
    double samples[RANKING_RESIDENT_CALIBRATIONS];
    struct blob output = { 0 };
    struct session_times times;
    struct facts facts;
    bool ok = true;

    if (!session)
        return error_toolkit(error, "out of memory");
    facts = session_open(session, empty, output_size);
    for (int i = -1; i < calls && facts.outcome == OUTCOME_DONE; i++) {
        facts = session_call(session, input, &output, &times);
        if (i >= 0)
            samples[i] = times.total;
    }
    if (facts.outcome != OUTCOME_DONE) {
        enum reason reason;
        char why[256];

        facts.check = CHECK_FAILED;
        verdict_of(&facts, &reason, why, sizeof why);
        ok = error_toolkit(error, "cannot measure what an empty submission takes: %s", why);
    }
    session_close(session);
    blob_release(&output);
    free(session);
    if (ok)
        *overhead = stats_of(samples, (size_t)calls);
    return ok;
}
