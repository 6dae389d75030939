/*
 * test_verdict.c - the verdict over every combination of facts.
 */
#include "verify/judge/verdict.h"
#include "verify/wire/channel.h"

#include <signal.h>
#include <string.h>

#include "unit.h"

/*
 * The rule, written down once more and independently, as a list of which the first line that holds decides. Memory is
 * within its limit with 1 MiB and above it with 3: the limits are 2.
 */
static enum verdict expected_verdict(const struct facts *f)
{
    const bool died = f->outcome == OUTCOME_DIED, done = f->outcome == OUTCOME_DONE;
    const bool answered = done && f->called && (f->check == CHECK_RIGHT || f->check == CHECK_WRONG);
    const struct {
        bool holds;
        enum verdict verdict;
    } rules[] = {
        /* The machine's or the toolkit's fault, whatever the submission did. */
        { f->outcome == OUTCOME_LOST || f->outcome == OUTCOME_DEVICE_FAILED, VERDICT_JE },
        /* The same, where it is not the machine's fault. */
        { f->outcome == OUTCOME_HARMED || f->outcome == OUTCOME_SLOW_END, VERDICT_RTE },
        { done && !f->called, VERDICT_NO },
        { done && !answered, VERDICT_JE },
        /* Forbidden actions. */
        { f->outcome == OUTCOME_FORGED || f->outcome == OUTCOME_FOREIGN_CODE || f->outcome == OUTCOME_LEFT_WORK ||
              (died && f->signal == SIGSYS),
          VERDICT_SV },
        /* Memory: of the device, whatever came of it; of the host, seen by host or kernel; or refused, and it ended. */
        { f->device_memory_limit && f->device_memory_used > f->device_memory_limit, VERDICT_MLE },
        { f->outcome == OUTCOME_MEMORY || (!done && f->oom_killed), VERDICT_MLE },
        { f->outcome == OUTCOME_LOAD_FAILED && f->memory_limit && f->image > f->memory_limit, VERDICT_MLE },
        { died && f->memory_refused, VERDICT_MLE },
        /* The rest by how it ended. */
        { f->outcome == OUTCOME_TIMEOUT, VERDICT_TLE },
        { f->outcome == OUTCOME_FLOOD, VERDICT_OLE },
        { !done, VERDICT_RTE },
        { f->check == CHECK_WRONG || f->late, VERDICT_WA },
        { true, VERDICT_AC },
    };
    size_t i = 0;

    while (!rules[i].holds)
        i++;
    return rules[i].verdict;
}

#define MIB ((size_t)1 << 20)

static void check_combination(const struct facts *facts)
{
    char message[256];
    enum reason reason;
    enum verdict verdict = verdict_of(facts, &reason, message, sizeof message);

    CHECK(verdict == expected_verdict(facts), "outcome %d, check %d, called %d, signal %d, oom %d, refused %zu: %s",
          facts->outcome, facts->check, facts->called, facts->signal, facts->oom_killed, facts->memory_refused,
          verdict_id(verdict));
    /* Only an accepted answer, checked and returned from a call, needs no explanation. */
    CHECK((verdict == VERDICT_AC) == (message[0] == '\0'), "outcome %d: '%s'", facts->outcome, message);
    CHECK((verdict == VERDICT_AC) == (reason == REASON_NONE), "outcome %d: '%s'", facts->outcome, reason_words(reason));
    CHECK(verdict != VERDICT_AC || (facts->outcome == OUTCOME_DONE && facts->called && facts->check == CHECK_RIGHT),
          "outcome %d, check %d is accepted", facts->outcome, facts->check);
    CHECK(strchr(message, '\n') == NULL, "'%s' has two lines", message);
    /* The message of an exceeded limit has the limit. */
    CHECK(verdict != VERDICT_MLE || strstr(message, "limit of 2 MiB") || strstr(message, "limit is 2 MiB"), "%s",
          message);
    CHECK(verdict != VERDICT_OLE || strstr(message, "limit of 1000 bytes"), "%s", message);
    CHECK(verdict != VERDICT_TLE || strstr(message, "limit of 2 s"), "%s", message);
}

static void test_every_combination(void)
{
    static const int signals[] = { 0, SIGSEGV, SIGABRT, SIGKILL, SIGSYS, 64 };
    static const size_t sizes[] = { 0, MIB, 3 * MIB };

    for (int outcome = 0; outcome < OUTCOMES; outcome++)
        for (int check = 0; check < CHECK_RESULTS; check++)
            for (size_t s = 0; s < sizeof signals / sizeof signals[0]; s++)
                for (int bits = 0; bits < 128; bits++)
                    for (size_t used = 0; used < 3; used++)
                        for (size_t device = 0; device < 3; device++)
                            check_combination(&(struct facts){
                                .outcome = (enum outcome)outcome,
                                .check = (enum check_result)check,
                                .signal = signals[s],
                                .called = bits & 1,
                                .unwritten = bits & 2,
                                .oom_killed = bits & 4,
                                .memory_refused = bits & 8 ? 5 * MIB : 0,
                                .tasks_refused = bits & 16,
                                .late = bits & 64,
                                .device_memory_limit = bits & 32 ? 2 * MIB : 0,
                                .device_memory_used = sizes[device],
                                .memory_limit = 2 * MIB,
                                .memory_used = sizes[used],
                                .image = sizes[used],
                                .tasks_limit = 16,
                                .exit_code = 3,
                                .seconds = 0.123,
                                .limit = 2,
                                .output_limit = 1000,
                                .printed = 1001,
                                .detail = "detail" });
}

static void test_words(void)
{
    static const struct {
        struct facts facts;
        const char *words; /* must be in the message */
    } rows[] = {
        { { .called = true, .outcome = OUTCOME_DIED, .signal = SIGSEGV, .seconds = 0.12, .detail = "" },
          "device_user() received SIGSEGV after 0.12 s" },
        { { .called = true, .outcome = OUTCOME_DIED, .signal = SIGSYS, .seconds = 0.5, .detail = "" },
          "device_user() made a system call that the box forbids after 0.50 s" },
        { { .called = true, .outcome = OUTCOME_DIED, .signal = 64, .detail = "" }, "received signal 64" },
        { { .called = true, .outcome = OUTCOME_DIED, .exit_code = 0, .detail = "" }, "exited with code 0" },
        { { .called = false, .outcome = OUTCOME_DIED, .signal = SIGABRT, .detail = "" }, "before the first call" },
        { { .called = true, .outcome = OUTCOME_TIMEOUT, .limit = 2.5, .seconds = 2.5, .detail = "" },
          "limit of 2.5 s" },
        { { .called = true, .outcome = OUTCOME_FLOOD, .output_limit = 4096, .printed = 5000, .detail = "" },
          "device_user() printed more than its limit of 4096 bytes (5000 when it was stopped)" },
        { { .called = true, .outcome = OUTCOME_MEMORY, .memory_limit = 2048 * MIB, .memory_used = 2100 * MIB,
            .seconds = 1, .detail = "" },
          "device_user() needed more than its memory limit of 2048 MiB (2100 MiB at its peak) and was stopped after "
          "1.00 s" },
        { { .called = true, .outcome = OUTCOME_DIED, .signal = SIGKILL, .oom_killed = true, .memory_limit = 64 * MIB,
            .memory_used = 64 * MIB + 1, .detail = "" },
          "its memory limit of 64 MiB (65 MiB at its peak)" },
        { { .called = true, .outcome = OUTCOME_DIED, .signal = SIGKILL, .oom_killed = true, .memory_limit = 64 * MIB,
            .detail = "" },
          "its memory limit of 64 MiB and was stopped" },
        { { .called = false, .outcome = OUTCOME_MEMORY, .memory_limit = MIB, .detail = "" },
          "the submission, before the first call, needed more" },
        { { .called = true, .outcome = OUTCOME_DIED, .signal = SIGSEGV, .seconds = 0.5, .memory_refused = 102400 * MIB,
            .memory_limit = 8192 * MIB, .detail = "" },
          "device_user() received SIGSEGV after 0.50 s; an allocation of 102400 MiB was refused: "
          "the memory limit is 8192 MiB" },
        { { .outcome = OUTCOME_LOAD_FAILED, .image = 10240 * MIB, .memory_limit = 8192 * MIB, .detail = "no room" },
          "the submission cannot be loaded: it takes 10240 MiB, and its memory limit is 8192 MiB" },
        { { .called = true, .outcome = OUTCOME_DONE, .check = CHECK_RIGHT, .device_memory_limit = 1024 * MIB,
            .device_memory_used = 1025 * MIB, .detail = "" },
          "needed more than its device memory limit of 1024 MiB (1025 MiB at its peak)" },
        { { .called = true, .outcome = OUTCOME_DIED, .exit_code = 5, .tasks_refused = true, .tasks_limit = 1024,
            .detail = "" },
          "exited with code 5 after 0.00 s without returning an answer; it tried to start more than 1024 threads" },
        { { .called = true, .outcome = OUTCOME_DIED, .exit_code = RUNNER_WORK_FAILED, .seconds = 0.5, .detail = "" },
          "device_user() started work on the GPU that failed after 0.50 s" },
        { { .called = true, .outcome = OUTCOME_DONE, .check = CHECK_WRONG, .unwritten = true, .detail = "x" },
          "left its output unwritten" },
        { { .called = true, .outcome = OUTCOME_DONE, .check = CHECK_WRONG, .detail = "answered 3" }, "answered 3" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char message[256], small[8];
        enum reason reason;

        verdict_of(&rows[i].facts, &reason, message, sizeof message);
        CHECK(strstr(message, rows[i].words) != NULL, "'%s' has no '%s'", message, rows[i].words);
        verdict_of(&rows[i].facts, &reason, small, sizeof small);
        CHECK(memchr(small, '\0', sizeof small) != NULL, "a short message is not terminated");
    }
}

/* Reasons do not depend on what a submission chose: signal, exit code, sizes, times, or the checker's words. */
static void test_reasons(void)
{
    static const char *const details[] = { "answered 3 where 4 is right", "x" };
    static const struct {
        struct facts facts;
        enum reason reason;
    } rows[] = {
        { { .called = true, .outcome = OUTCOME_DIED }, REASON_DIED },
        { { .outcome = OUTCOME_DIED }, REASON_DIED_EARLY },
        { { .called = true, .outcome = OUTCOME_TIMEOUT }, REASON_TIME },
        { { .called = true, .outcome = OUTCOME_FLOOD }, REASON_FLOOD },
        { { .called = true, .outcome = OUTCOME_FOREIGN_CODE }, REASON_FOREIGN_CODE },
        { { .called = true, .outcome = OUTCOME_CROWDED }, REASON_THREADS },
        { { .called = true, .outcome = OUTCOME_HARMED }, REASON_HARMED },
        { { .called = true, .outcome = OUTCOME_SLOW_END }, REASON_SLOW_END },
        { { .called = true, .outcome = OUTCOME_MEMORY }, REASON_MEMORY },
        { { .called = true, .outcome = OUTCOME_DONE, .check = CHECK_WRONG, .wrong = REASON_ORDER }, REASON_ORDER },
        { { .called = true, .outcome = OUTCOME_DONE, .check = CHECK_WRONG }, REASON_VALUE },
        { { .called = true, .outcome = OUTCOME_DONE, .check = CHECK_WRONG, .unwritten = true, .wrong = REASON_ORDER },
          REASON_UNWRITTEN },
        { { .called = true, .outcome = OUTCOME_DONE, .check = CHECK_RIGHT, .late = true }, REASON_LATE },
        { { .called = true, .outcome = OUTCOME_DONE, .check = CHECK_RIGHT, .ahead = true }, REASON_AHEAD },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int chosen = 0; chosen < 16; chosen++) {
            struct facts facts = rows[i].facts;
            enum reason reason;
            char message[256];

            facts.signal = chosen & 1 ? SIGSEGV : 0;
            facts.exit_code = chosen & 2 ? 77 : 0;
            facts.printed = chosen & 4 ? 123456 : 0;
            facts.seconds = chosen;
            facts.detail = details[chosen >> 3];
            verdict_of(&facts, &reason, message, sizeof message);
            CHECK(reason == rows[i].reason, "row %zu, %d: %s", i, chosen, reason_words(reason));
        }
    for (int reason = 0; reason < REASON_KINDS; reason++) {
        const char *words = reason_words((enum reason)reason);

        CHECK(words && !strpbrk(words, "%0123456789\n"), "reason %d: '%s'", reason, words ? words : "");
    }
}

static void test_names_and_codes(void)
{
    static const char *const ids[VERDICTS] = { "AC", "WA", "TLE", "RTE", "MLE", "OLE", "CE", "NO", "SV", "JE" };

    for (int v = 0; v < VERDICTS; v++) {
        int expected = v == VERDICT_AC ? 0 : v == VERDICT_JE || v == VERDICT_NO ? 3 : 1;

        CHECK(strcmp(verdict_id((enum verdict)v), ids[v]) == 0, "%s", verdict_id((enum verdict)v));
        CHECK(verdict_words((enum verdict)v)[0] != '\0', "verdict %d has no words", v);
        CHECK(verdict_exit_code((enum verdict)v) == expected, "%s gives %d", ids[v],
              verdict_exit_code((enum verdict)v));
    }
}

int main(void)
{
    test_every_combination();
    test_words();
    test_reasons();
    test_names_and_codes();
    return unit_end();
}
