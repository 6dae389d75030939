/*
 * verdict.c - facts to verdict, and the words for it.
 */
#include "verdict.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

static const struct {
    const char *id, *words;
} names[VERDICTS] = {
    [VERDICT_AC] = { "AC", "accepted" },
    [VERDICT_WA] = { "WA", "wrong answer" },
    [VERDICT_TLE] = { "TLE", "time limit exceeded" },
    [VERDICT_RTE] = { "RTE", "run-time error" },
    [VERDICT_MLE] = { "MLE", "memory limit exceeded" },
    [VERDICT_OLE] = { "OLE", "output limit exceeded" },
    [VERDICT_CE] = { "CE", "compile error" },
    [VERDICT_NO] = { "NO", "not run" },
    [VERDICT_SV] = { "SV", "rule or security violation" },
    [VERDICT_JE] = { "JE", "judging error" },
};

const char *verdict_id(enum verdict verdict) { return names[verdict].id; }
const char *verdict_words(enum verdict verdict) { return names[verdict].words; }

int verdict_exit_code(enum verdict verdict)
{
    if (verdict == VERDICT_AC)
        return EXIT_ACCEPTED;
    return verdict == VERDICT_JE || verdict == VERDICT_NO ? EXIT_TOOLKIT : EXIT_REJECTED;
}

/* "received SIGSEGV" or "exited with code 3". */
static void ending(const struct facts *facts, char *text, size_t size)
{
    const char *name = facts->signal ? sigabbrev_np(facts->signal) : NULL;

    if (name)
        snprintf(text, size, "received SIG%s", name);
    else if (facts->signal)
        snprintf(text, size, "received signal %d", facts->signal);
    else
        snprintf(text, size, "exited with code %d", facts->exit_code);
}

static enum verdict verdict_of_answer(const struct facts *facts, char *message, size_t size)
{
    switch (facts->check) {
    case CHECK_RIGHT:
        return VERDICT_AC;
    case CHECK_WRONG:
        if (facts->unwritten)
            snprintf(message, size, "device_user() left its output unwritten");
        else
            snprintf(message, size, "device_user() %s", facts->detail);
        return VERDICT_WA;
    default:
        snprintf(message, size, "the checker failed: %s", facts->detail);
        return VERDICT_JE;
    }
}

enum verdict verdict_of(const struct facts *facts, char *message, size_t size)
{
    const char *who = facts->called ? "device_user()" : "the submission, before the first call,";
    char end[64];

    if (size > 0)
        message[0] = '\0';
    switch (facts->outcome) {
    case OUTCOME_DONE:
        if (!facts->called)
            break;
        if (facts->late) {
            snprintf(message, size, "device_user() wrote to its output after it had returned");
            return VERDICT_WA;
        }
        return verdict_of_answer(facts, message, size);
    case OUTCOME_TIMEOUT:
        snprintf(message, size, "%s exceeded the limit of %g s and was stopped after %.2f s", who, facts->limit,
                 facts->seconds);
        return VERDICT_TLE;
    case OUTCOME_DIED:
        if (facts->signal == SIGSYS) {
            snprintf(message, size, "%s made a system call that the box forbids after %.2f s: it may not start or "
                     "trace processes, nor change the box or the machine", who, facts->seconds);
            return VERDICT_SV;
        }
        ending(facts, end, sizeof end);
        snprintf(message, size, "%s %s after %.2f s%s", who, end, facts->seconds,
                 facts->signal ? "" : " without returning an answer");
        return VERDICT_RTE;
    case OUTCOME_CLOSED:
        snprintf(message, size, "%s closed the channel to the judge after %.2f s", who, facts->seconds);
        return VERDICT_RTE;
    case OUTCOME_FORGED:
        snprintf(message, size, "%s wrote to the channel of the judge after %.2f s", who, facts->seconds);
        return VERDICT_SV;
    case OUTCOME_FLOOD:
        snprintf(message, size, "%s printed more than %zu bytes", who, facts->output_limit);
        return VERDICT_OLE;
    case OUTCOME_LEFT_WORK:
        snprintf(message, size, "device_user() %s", facts->detail);
        return VERDICT_SV;
    case OUTCOME_LOAD_FAILED:
        snprintf(message, size, "the submission cannot be loaded: %s", facts->detail);
        return VERDICT_RTE;
    case OUTCOME_DEVICE_FAILED:
        snprintf(message, size, "the device cannot be initialised on this machine: %s", facts->detail);
        return VERDICT_JE;
    case OUTCOME_LOST:
        snprintf(message, size, "the runner failed: %s", facts->detail);
        return VERDICT_JE;
    case OUTCOMES:
        break;
    }
    snprintf(message, size, "nothing was called");
    return VERDICT_NO;
}
