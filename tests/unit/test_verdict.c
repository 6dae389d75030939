/*
 * test_verdict.c - the verdict over every combination of facts.
 */
#include "verify/verdict.h"

#include <signal.h>
#include <string.h>

#include "unit.h"

/* The rule, written down once more and independently: outcome first, then the check. */
static enum verdict expected_verdict(const struct facts *f)
{
    static const enum verdict of_outcome[OUTCOMES] = {
        [OUTCOME_TIMEOUT] = VERDICT_TLE,     [OUTCOME_DIED] = VERDICT_RTE,        [OUTCOME_CLOSED] = VERDICT_RTE,
        [OUTCOME_FORGED] = VERDICT_SV,       [OUTCOME_FLOOD] = VERDICT_OLE,       [OUTCOME_LOAD_FAILED] = VERDICT_RTE,
        [OUTCOME_DEVICE_FAILED] = VERDICT_JE,  [OUTCOME_LOST] = VERDICT_JE,
    };

    if (f->outcome == OUTCOME_DIED && f->signal == SIGSYS)
        return VERDICT_SV;
    if (f->outcome != OUTCOME_DONE)
        return of_outcome[f->outcome];
    if (!f->called)
        return VERDICT_NO;
    return f->check == CHECK_RIGHT ? VERDICT_AC : f->check == CHECK_WRONG ? VERDICT_WA : VERDICT_JE;
}

static void test_every_combination(void)
{
    static const int signals[] = { 0, SIGSEGV, SIGABRT, SIGKILL, SIGSYS, 64 };

    for (int outcome = 0; outcome < OUTCOMES; outcome++)
        for (int check = 0; check < CHECK_RESULTS; check++)
            for (int bits = 0; bits < 4; bits++)
                for (size_t s = 0; s < sizeof signals / sizeof signals[0]; s++) {
                    struct facts facts = { .outcome = (enum outcome)outcome,
                                           .check = (enum check_result)check,
                                           .called = bits & 1,
                                           .unwritten = bits & 2,
                                           .signal = signals[s],
                                           .exit_code = 3,
                                           .seconds = 0.123,
                                           .limit = 2,
                                           .output_limit = 1000,
                                           .detail = "detail" };
                    char message[256];
                    enum verdict verdict = verdict_of(&facts, message, sizeof message);

                    CHECK(verdict == expected_verdict(&facts), "outcome %d, check %d, bits %d: %s", outcome, check,
                          bits, verdict_id(verdict));
                    /* Only an accepted answer, checked and returned from a call, needs no explanation. */
                    CHECK((verdict == VERDICT_AC) == (message[0] == '\0'), "outcome %d: '%s'", outcome, message);
                    CHECK(verdict != VERDICT_AC || (outcome == OUTCOME_DONE && facts.called && check == CHECK_RIGHT),
                          "outcome %d, check %d is accepted", outcome, check);
                    CHECK(strchr(message, '\n') == NULL, "'%s' has two lines", message);
                }
}

static void test_words(void)
{
    static const struct {
        struct facts facts;
        const char *words; /* must stand in the message */
    } rows[] = {
        { { .called = true, .outcome = OUTCOME_DIED, .signal = SIGSEGV, .seconds = 0.12, .detail = "" },
          "device_user() received SIGSEGV after 0.12 s" },
        { { .called = true, .outcome = OUTCOME_DIED, .signal = SIGSYS, .seconds = 0.5, .detail = "" },
          "device_user() made a system call that the box forbids after 0.50 s" },
        { { .called = true, .outcome = OUTCOME_DIED, .signal = 64, .detail = "" }, "received signal 64" },
        { { .called = true, .outcome = OUTCOME_DIED, .exit_code = 0, .detail = "" }, "exited with code 0" },
        { { .called = false, .outcome = OUTCOME_DIED, .signal = SIGABRT, .detail = "" }, "before the first call" },
        { { .called = true, .outcome = OUTCOME_TIMEOUT, .limit = 2.5, .seconds = 2.5, .detail = "" }, "limit of 2.5 s" },
        { { .called = true, .outcome = OUTCOME_FLOOD, .output_limit = 4096, .detail = "" }, "more than 4096 bytes" },
        { { .called = true, .outcome = OUTCOME_DONE, .check = CHECK_WRONG, .unwritten = true, .detail = "x" },
          "left its output unwritten" },
        { { .called = true, .outcome = OUTCOME_DONE, .check = CHECK_WRONG, .detail = "answered 3" }, "answered 3" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char message[256], small[8];

        verdict_of(&rows[i].facts, message, sizeof message);
        CHECK(strstr(message, rows[i].words) != NULL, "'%s' has no '%s'", message, rows[i].words);
        verdict_of(&rows[i].facts, small, sizeof small);
        CHECK(memchr(small, '\0', sizeof small) != NULL, "a short message is not terminated");
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
    test_names_and_codes();
    return unit_end();
}
