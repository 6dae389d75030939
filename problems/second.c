/*
 * second.c - the input, the answer and the verdict of a second call. See second.h.
 */
#include "second.h"

#include <string.h>

#include "problem.h"
#include "verify/result/calls.h"

/* Operations of the plain reference: what fewer take, the host's reference answers in a tenth of a second or less. */
static const double most_operations = 1e8;

static const char secret[] = "secret/"; /* what the names of such cases begin with */

bool second_judge(const struct prepare *prepare, size_t number, const struct options *options,
                  const struct blob *input, struct session *session, struct facts *facts, struct case_result *result,
                  struct error *error)
{
    const struct problem *problem = prepare->problem;
    struct blob again = { 0 }, answer = { 0 }, output = { 0 };
    struct session_times untimed = { 0 };
    struct finding finding = { 0 };
    bool ok = true;

    if (strncmp(prepare->names[number], secret, strlen(secret)) != 0 || result->verdict != VERDICT_AC ||
        facts->outcome != OUTCOME_DONE || options->repeat > 1 || options->ranked || problem->fixed ||
        problem->plain_cost(input) > most_operations)
        return true;
    ok = prepare_alone(prepare, number, 1, &again, &answer, error);
    if (ok) {
        session->audit = false;
        *facts = session_call(session, &again, &output, &untimed);
        if (facts->outcome == OUTCOME_DONE) {
            facts->check = problem->check(&again, &answer, &output, &finding);
            facts->wrong = finding.reason;
            facts->detail = finding.detail;
        }
        calls_take_second(result, facts);
    }
    blob_release(&again);
    blob_release(&answer);
    blob_release(&output);
    return ok;
}
