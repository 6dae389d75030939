/*
 * series.c - inputs one behind the other, and what became of each.
 */
#include "series.h"

#include <stdlib.h>
#include <sys/random.h>

#include "problem.h"
#include "verify/base/parallel.h"
#include "verify/judge/reason.h"
#include "verify/result/calls.h"

/* Inputs and outputs of a series take no more, bytes: the host makes a series of random numbers in a second or two. */
static const size_t most_bytes = (size_t)256 << 20;

/* The calls of series are those from here on, which no call that is made alone reaches. */
enum { FIRST_REPETITION = 1 << 30 };

/* Once in so many times, and again after each time, a series ends early and is not timed. */
enum { EARLY_ONE_IN = 2 };

/*
 * A case has at least so many series that are timed, as what one of them took by accident is no median's business, and
 * at least so many that end early, so that no submission is judged without them. More come by chance, so nobody knows
 * which one is the last; of the timed ones no more than SERIES_MOST.
 */
enum { SERIES_TIMED = 5, SERIES_EARLY = 3, SERIES_MOST = 64 };

/* The host's memory of one series. */
struct memory {
    struct blob inputs, decoys, outputs; /* one behind the other, blob_pitch() apart */
    struct blob answers[RESIDENT_CALLS];
    size_t made;                         /* inputs of the case's series so far */
};

size_t series_calls(size_t wanted, size_t input_size, size_t output_size)
{
    const size_t most = most_bytes / (blob_pitch(input_size) + blob_pitch(output_size));

    wanted = wanted < most ? wanted : most;
    return wanted < 2 ? 0 : wanted;
}

/* Lays the i-th input behind the others. */
static bool lay(const struct series_case *series, struct blob *inputs, size_t i, const struct blob *input,
                struct error *error)
{
    if (input->size != series->input_size)
        return error_toolkit(error, "the calls of case %s have inputs of different sizes",
                             series->prepare->names[series->number]);
    if (i == 0 && inputs->size == 0 && !blob_alloc(inputs, blob_span(input->size, series->calls), error))
        return false;
    parallel_copy(inputs->data + i * blob_pitch(input->size), input->data, input->size);
    return true;
}

/* The i-th of several that lie so, which is not the caller's to release. */
static struct blob at(const struct blob *all, size_t size, size_t i)
{
    return (struct blob){ .data = all->data + i * blob_pitch(size), .size = size };
}

/* Inputs and answers of a series. */
static bool make_inputs(const struct series_case *series, struct memory *memory, struct error *error)
{
    struct blob input = { 0 };
    bool ok = true;

    for (size_t i = 0; ok && i < series->calls; i++) {
        ok = prepare_call(series->prepare, series->number, FIRST_REPETITION + memory->made++, series->calls - i, &input,
                          &memory->answers[i], error) &&
             lay(series, &memory->inputs, i, &input, error);
    }
    blob_release(&input);
    return ok;
}

static bool make_decoys(const struct series_case *series, struct blob *decoys, struct error *error)
{
    struct blob inputs[RESIDENT_CALLS] = { { 0 } };
    bool ok = prepare_decoys(series->prepare, series->number, *series->decoys, series->calls, inputs, error);

    *series->decoys += series->calls;
    for (size_t i = 0; i < series->calls; i++) {
        ok = ok && lay(series, decoys, i, &inputs[i], error);
        blob_release(&inputs[i]);
    }
    return ok;
}

/* The traps before a series, series themselves. Their inputs are made before chance says whether there is one. */
static bool set_traps(const struct series_case *series, struct session *session, struct blob *decoys,
                      struct facts *facts, struct error *error)
{
    struct session_inputs inputs = { .size = series->input_size, .calls = series->calls };

    while (facts->outcome == OUTCOME_DONE) {
        if (decoys->size == 0 && !make_decoys(series, decoys, error))
            return false;
        if (!session_draws_trap(session))
            break;
        inputs.data = decoys->data;
        *facts = session_trap(session, &inputs);
        blob_release(decoys);
    }
    return true;
}

/* How many calls of the next series are made: all of them, or fewer, which is not timed. */
static size_t draw_made(size_t calls)
{
    uint32_t drawn[2] = { 0 };

    if (getrandom(drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn || drawn[0] % EARLY_ONE_IN != 0)
        return calls;
    return 1 + drawn[1] % (calls - 1);
}

/* The outputs of a series while they are checked. */
struct checks {
    const struct series_case *series;
    const struct memory *memory;
    size_t output_size;
    enum check_result check[RESIDENT_CALLS];
    struct finding findings[RESIDENT_CALLS];
};

static void check_one(void *context, size_t call)
{
    struct checks *checks = context;
    const struct memory *memory = checks->memory;
    const struct blob input = at(&memory->inputs, checks->series->input_size, call);
    const struct blob output = at(&memory->outputs, checks->output_size, call);

    checks->check[call] = checks->series->prepare->problem->check(&input, &memory->answers[call], &output,
                                                                  &checks->findings[call]);
}

/* Checks the outputs of the calls that were made, and judges the first one that is wrong; true for AC. */
static bool judge(const struct series_case *series, const struct session *session, const struct memory *memory,
                  size_t made, struct facts *facts, struct case_result *result)
{
    struct checks checks = { .series = series, .memory = memory, .output_size = session->output_size };
    size_t call = 0;

    if (facts->outcome != OUTCOME_DONE)
        return calls_take_series(result, facts, call, made);
    parallel_run(made, check_one, &checks);
    facts->check = CHECK_RIGHT;
    while (facts->check == CHECK_RIGHT && call < made) {
        facts->check = checks.check[call];
        facts->wrong = checks.findings[call].reason;
        facts->detail = checks.findings[call].detail;
        call++;
    }
    return calls_take_series(result, facts, call, made);
}

/* One series. What it took, seconds a call, or 0 where it ended early, goes to *seconds. */
static bool make_series(const struct series_case *series, struct session *session, struct memory *memory,
                        struct case_result *result, struct facts *facts, double *seconds, struct error *error)
{
    struct session_inputs inputs = { .size = series->input_size, .calls = series->calls };
    struct session_times times = { 0 };

    *seconds = 0;
    if (!make_inputs(series, memory, error) || !set_traps(series, session, &memory->decoys, facts, error))
        return false;
    inputs.data = memory->inputs.data;
    inputs.made = draw_made(series->calls);
    if (facts->outcome == OUTCOME_DONE)
        *facts = session_series(session, &inputs, &memory->outputs, &times);
    result->throughput.total += facts->seconds;
    result->throughput.made += inputs.made;
    if (judge(series, session, memory, inputs.made, facts, result) && inputs.made == inputs.calls)
        *seconds = times.total / (double)inputs.calls;
    return true;
}

bool series_judge(const struct series_case *series, struct session *session, struct case_result *result,
                  struct facts *facts, struct error *error)
{
    struct memory *memory = calloc(1, sizeof *memory);
    double samples[SERIES_MOST], seconds;
    size_t timed = 0, early = 0;
    bool ok = memory != NULL || error_toolkit(error, "out of memory");

    session->audit = false;
    while (ok && result->verdict == VERDICT_AC && (timed < SERIES_TIMED || early < SERIES_EARLY) &&
           timed < SERIES_MOST) {
        ok = make_series(series, session, memory, result, facts, &seconds, error);
        if (ok && seconds > 0)
            samples[timed++] = seconds;
        else
            early++;
    }
    if (ok && result->verdict == VERDICT_AC) {
        result->throughput.calls = series->calls;
        result->throughput.series = timed;
        result->throughput.seconds = stats_of(samples, timed);
    }
    for (size_t i = 0; memory && i < RESIDENT_CALLS; i++)
        blob_release(&memory->answers[i]);
    if (memory) {
        blob_release(&memory->inputs);
        blob_release(&memory->decoys);
        blob_release(&memory->outputs);
    }
    free(memory);
    return ok;
}
