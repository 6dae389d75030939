/*
 * probe.c - one call of the empty submission.
 */
#include "probe.h"

#include <stdio.h>
#include <stdlib.h>

#include "verify/base/limits.h"

bool probe_passes(const struct session_config *config, const char *empty, const struct blob *input, size_t output_size,
                  char *why, size_t size)
{
    struct session *session = calloc(1, sizeof *session);
    struct session_config quiet = *config;
    struct blob output = { 0 };
    struct session_times times;
    enum reason reason;
    struct facts facts;
    bool ended;

    snprintf(why, size, "out of memory");
    if (!session)
        return false;
    quiet.box.submission = empty;
    quiet.end_limit = limit_end;
    facts = session_open(session, &quiet, output_size);
    if (facts.outcome == OUTCOME_DONE)
        facts = session_call(session, input, &output, &times);
    facts.check = CHECK_FAILED; /* what it answers is not looked at */
    verdict_of(&facts, &reason, why, size);
    ended = session_close(session);
    if (!ended)
        snprintf(why, size, "its processes do not end either");
    blob_release(&output);
    free(session);
    return ended && facts.outcome == OUTCOME_DONE;
}
