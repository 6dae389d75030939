/*
 * verdict.c - facts to verdict, and the words for it.
 */
#include "verdict.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "verify/base/error.h"
#include "verify/wire/channel.h"

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

/* "received SIGSEGV" or "exited with code 3", or the runner's word for GPU work that was still to come. */
static void ending(const struct facts *facts, char *text, size_t size)
{
    const char *name = facts->signal ? sigabbrev_np(facts->signal) : NULL;

    if (name)
        snprintf(text, size, "received SIG%s", name);
    else if (facts->signal)
        snprintf(text, size, "received signal %d", facts->signal);
    else if (facts->called && facts->exit_code == RUNNER_WORK_FAILED)
        snprintf(text, size, "started work on the GPU that failed");
    else
        snprintf(text, size, "exited with code %d", facts->exit_code);
}

static enum verdict verdict_of_answer(const struct facts *facts, enum reason *reason, char *message, size_t size)
{
    const bool checked = facts->check == CHECK_RIGHT || facts->check == CHECK_WRONG;

    if (checked && facts->late) {
        *reason = REASON_LATE;
        snprintf(message, size, "device_user() wrote to its output after it had returned");
        return VERDICT_WA;
    }
    if (checked && facts->ahead) {
        *reason = REASON_AHEAD;
        snprintf(message, size, "device_user() wrote to the output of a call that was not made");
        return VERDICT_WA;
    }
    switch (facts->check) {
    case CHECK_RIGHT:
        return VERDICT_AC;
    case CHECK_WRONG:
        *reason = facts->unwritten ? REASON_UNWRITTEN : facts->wrong ? facts->wrong : REASON_VALUE;
        if (facts->unwritten)
            snprintf(message, size, "device_user() left its output unwritten");
        else
            snprintf(message, size, "device_user() %s", facts->detail);
        return VERDICT_WA;
    default:
        *reason = REASON_CHECKER;
        snprintf(message, size, "the checker failed: %s", facts->detail);
        return VERDICT_JE;
    }
}

/* Bytes as MiB: a limit is a whole number of them, what was used is rounded up. */
static size_t mib(size_t bytes) { return (bytes >> 20) + (bytes % (1 << 20) != 0); }

static bool exceeds_device_memory(const struct facts *facts)
{
    return facts->device_memory_limit > 0 && facts->device_memory_used > facts->device_memory_limit;
}

/*
 * Whether memory was exhausted, with the words for it. What the kernel or the host saw counts however the submission
 * ended then; its own process's word for a refused allocation only where it came to nothing afterwards.
 */
static bool exhausted(const struct facts *facts, const char *who, char *message, size_t size)
{
    char end[64], most[64] = "";

    if (exceeds_device_memory(facts)) {
        snprintf(message, size, "%s needed more than its device memory limit of %zu MiB (%zu MiB at its peak)", who,
                 mib(facts->device_memory_limit), mib(facts->device_memory_used));
        return true;
    }
    if (facts->outcome == OUTCOME_DONE)
        return false;
    if (facts->outcome == OUTCOME_MEMORY || facts->oom_killed) {
        if (facts->memory_used > 0)
            snprintf(most, sizeof most, " (%zu MiB at its peak)", mib(facts->memory_used));
        snprintf(message, size, "%s needed more than its memory limit of %zu MiB%s and was stopped after %.2f s", who,
                 mib(facts->memory_limit), most, facts->seconds);
        return true;
    }
    if (facts->outcome == OUTCOME_LOAD_FAILED && facts->memory_limit > 0 && facts->image > facts->memory_limit) {
        snprintf(message, size, "the submission cannot be loaded: it takes %zu MiB, and its memory limit is %zu MiB",
                 mib(facts->image), mib(facts->memory_limit));
        return true;
    }
    if (facts->outcome != OUTCOME_DIED || facts->memory_refused == 0)
        return false;
    ending(facts, end, sizeof end);
    snprintf(message, size, "%s %s after %.2f s; an allocation of %zu MiB was refused: the memory limit is %zu MiB",
             who, end, facts->seconds, mib(facts->memory_refused), mib(facts->memory_limit));
    return true;
}

/* What the machine or the toolkit failed in, and what is forbidden: said first, whatever else is true. */
static bool is_beyond_limits(const struct facts *facts)
{
    return facts->outcome == OUTCOME_LOST || facts->outcome == OUTCOME_DEVICE_FAILED ||
           facts->outcome == OUTCOME_HARMED || facts->outcome == OUTCOME_SLOW_END ||
           facts->outcome == OUTCOME_FORGED || facts->outcome == OUTCOME_FOREIGN_CODE ||
           facts->outcome == OUTCOME_LEFT_WORK ||
           (facts->outcome == OUTCOME_DIED && facts->signal == SIGSYS) ||
           (facts->outcome == OUTCOME_DONE && (!facts->called || (facts->check != CHECK_RIGHT &&
                                                                  facts->check != CHECK_WRONG)));
}

/* Why a stage did not end as it should: by its outcome alone, so that nothing the submission chose is in it. */
static enum reason reason_of(const struct facts *facts)
{
    static const enum reason reasons[OUTCOMES] = {
        [OUTCOME_DONE] = REASON_UNCALLED,     [OUTCOME_TIMEOUT] = REASON_TIME,
        [OUTCOME_DIED] = REASON_DIED,         [OUTCOME_CLOSED] = REASON_CLOSED,
        [OUTCOME_FORGED] = REASON_FORGED,     [OUTCOME_FLOOD] = REASON_FLOOD,
        [OUTCOME_LEFT_WORK] = REASON_LEFT_WORK, [OUTCOME_MEMORY] = REASON_MEMORY,
        [OUTCOME_LOAD_FAILED] = REASON_UNLOADED, [OUTCOME_DEVICE_FAILED] = REASON_DEVICE_FAILED,
        [OUTCOME_LOST] = REASON_LOST,         [OUTCOME_CROWDED] = REASON_THREADS,
        [OUTCOME_FOREIGN_CODE] = REASON_FOREIGN_CODE,
        [OUTCOME_HARMED] = REASON_HARMED,     [OUTCOME_SLOW_END] = REASON_SLOW_END,
    };

    if (facts->outcome == OUTCOME_DIED && facts->signal == SIGSYS)
        return REASON_FORBIDDEN;
    if (facts->outcome == OUTCOME_DIED && !facts->called)
        return REASON_DIED_EARLY;
    return reasons[facts->outcome];
}

enum verdict verdict_of(const struct facts *facts, enum reason *reason, char *message, size_t size)
{
    const char *who = facts->called ? "device_user()" : "the submission, before the first call,";
    char end[64], tasks[80] = "";

    if (size > 0)
        message[0] = '\0';
    *reason = REASON_NONE;
    if (!is_beyond_limits(facts) && exhausted(facts, who, message, size)) {
        *reason = exceeds_device_memory(facts) ? REASON_DEVICE_MEMORY : REASON_MEMORY;
        return VERDICT_MLE;
    }
    if (facts->outcome == OUTCOME_DONE && facts->called)
        return verdict_of_answer(facts, reason, message, size);
    *reason = reason_of(facts);
    switch (facts->outcome) {
    case OUTCOME_TIMEOUT:
        snprintf(message, size, "%s exceeded the limit of %g s and was stopped after %.2f s", who, facts->limit,
                 facts->seconds);
        return VERDICT_TLE;
    case OUTCOME_DIED:
        if (facts->signal == SIGSYS) {
            snprintf(message, size, "%s made a system call that the box forbids after %.2f s: it may not start or "
                     "trace processes, make memory executable, nor change the box or the machine", who, facts->seconds);
            return VERDICT_SV;
        }
        ending(facts, end, sizeof end);
        if (facts->tasks_refused)
            snprintf(tasks, sizeof tasks, "; it tried to start more than %zu threads", facts->tasks_limit);
        snprintf(message, size, "%s %s after %.2f s%s%s", who, end, facts->seconds,
                 facts->signal || facts->exit_code == RUNNER_WORK_FAILED ? "" : " without returning an answer", tasks);
        return VERDICT_RTE;
    case OUTCOME_CLOSED:
        snprintf(message, size, "%s closed the channel to the judge after %.2f s", who, facts->seconds);
        return VERDICT_RTE;
    case OUTCOME_FORGED:
        snprintf(message, size, "%s wrote to the channel of the judge after %.2f s", who, facts->seconds);
        return VERDICT_SV;
    case OUTCOME_FOREIGN_CODE:
        snprintf(message, size, "%s registered device code after %.2f s that is not in its file, which the judge has "
                 "read", who, facts->seconds);
        return VERDICT_SV;
    case OUTCOME_FLOOD:
        snprintf(message, size, "%s printed more than its limit of %zu bytes (%zu when it was stopped)", who,
                 facts->output_limit, facts->printed);
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
    case OUTCOME_CROWDED:
        snprintf(message, size, "%s started more than %zu threads and was stopped after %.2f s", who,
                 facts->tasks_limit, facts->seconds);
        return VERDICT_RTE;
    case OUTCOME_HARMED:
        snprintf(message, size, "%s disturbed the judge, which an empty submission does not: %s", who,
                 facts->detail);
        return VERDICT_RTE;
    case OUTCOME_SLOW_END:
        snprintf(message, size, "%s left processes that did not end within %.0f s of being killed", who,
                 facts->seconds);
        return VERDICT_RTE;
    case OUTCOME_LOST:
        snprintf(message, size, "the runner failed: %s", facts->detail);
        return VERDICT_JE;
    case OUTCOME_DONE:   /* not called */
    case OUTCOME_MEMORY: /* exhausted() */
    case OUTCOMES:
        break;
    }
    snprintf(message, size, "nothing was called");
    return VERDICT_NO;
}
