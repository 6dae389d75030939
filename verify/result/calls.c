/*
 * calls.c - counts calls, keeps times and facts. It starts nothing and prints only what is to be reviewed.
 */
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/stats.h"
#include "verify/judge/ranking.h"

bool calls_begin(struct case_result *result, const struct options *options, const struct session_config *config,
                 bool signs, struct error *error)
{
    result->limit = config->call_limit;
    result->memory_limit = config->memory_limit;
    result->device_memory_limit = config->device_memory_limit;
    result->times = calloc(options->repeat, sizeof *result->times);
    if (signs)
        result->inputs = calloc(ranking_most_calls(options->repeat), sizeof *result->inputs);
    return (result->times && (result->inputs || !signs)) || error_toolkit(error, "out of memory");
}

void calls_take_times(struct case_result *result, struct result *all, const struct session *session,
                      const struct options *options, bool must_use_gpu)
{
    struct session_times *times = &result->times[result->timed];
    const size_t left = ranking_most_calls(options->repeat) - result->calls;
    struct gpu_state state;

    if (session->audit) {
        result->used_gpu = session->used_gpu;
        if (!result->used_gpu && must_use_gpu) {
            all->review = true;
            fprintf(stderr, "main_host: the submission did not use the GPU in case %s, but the problem requires it: "
                            "to be reviewed, not ranked\n", result->name);
        }
        return;
    }
    if (options->ranked && session->config->gpu && gpu_read(session->config->gpu, &state))
        times->reasons = state.reasons;
    if (options->ranked && ranking_disturbed(result->times, result->timed + 1)) {
        if (left >= options->repeat - result->timed) {
            result->disturbed++;
            return;
        }
        result->unsteady = true;
    }
    result->timed++;
}

bool calls_take_verdict(struct case_result *result, const struct facts *facts, const struct options *options)
{
    char why[400], which[48] = "";

    if (options->repeat > 1 && facts->called && options->ranked)
        snprintf(which, sizeof which, ", call %zu", result->calls);
    else if (options->repeat > 1 && facts->called)
        snprintf(which, sizeof which, ", call %zu of %zu", result->calls, options->repeat);
    result->verdict = verdict_of(facts, &result->reason, why, sizeof why);
    result->failed_call = options->repeat > 1 && facts->called ? result->calls : 0;
    if (result->verdict != VERDICT_AC)
        snprintf(result->message, sizeof result->message, "%s in case %s%s", why, result->name, which);
    return result->verdict == VERDICT_AC;
}

bool calls_take_second(struct case_result *result, const struct facts *facts)
{
    char why[400];

    result->verdict = verdict_of(facts, &result->reason, why, sizeof why);
    result->failed_call = result->verdict == VERDICT_AC ? 0 : 2;
    if (result->verdict != VERDICT_AC)
        snprintf(result->message, sizeof result->message, "%s in case %s, second call (--repeat 2 makes it again)", why,
                 result->name);
    return result->verdict == VERDICT_AC;
}

bool calls_take_series(struct case_result *result, const struct facts *facts, size_t call, size_t calls)
{
    char why[400], which[64];

    result->verdict = verdict_of(facts, &result->reason, why, sizeof why);
    if (facts->check == CHECK_WRONG)
        snprintf(which, sizeof which, "call %zu of %zu in flight together", call, calls);
    else
        snprintf(which, sizeof which, "%zu calls in flight together", calls);
    result->failed_call = 0;
    if (result->verdict != VERDICT_AC)
        snprintf(result->message, sizeof result->message, "%s in case %s, %s", why, result->name, which);
    return result->verdict == VERDICT_AC;
}

void calls_take_floor(struct case_result *result, struct result *all, double floor)
{
    const double seconds = result->times[result->timed - 1].total;

    result->floor = floor;
    if (!(seconds < floor))
        return;
    result->below_floor = all->review = true;
    fprintf(stderr, "main_host: faster than possible: call %zu of case %s took %.9f s", result->calls, result->name,
            seconds);
    if (!all->hides) /* the least time is made of the answer */
        fprintf(stderr, ", but every known way takes at least %.9f s", floor);
    fputs(": to be reviewed, not ranked\n", stderr);
}

/* Whether at least this share of what the calls need was done without tensor cores. */
static bool did_without(const struct counted_rule *rule, const struct gpm_use *use, double share)
{
    return rule->half && rule->operations > 0 && use->operations >= share * rule->operations * (double)use->made;
}

void calls_take_counters(struct case_result *result, struct result *all, const struct gpm *counters,
                         const struct counted_rule *rule, const struct gpm_use *again)
{
    const bool used = gpm_used_tensor(&result->counted) && gpm_used_tensor(again);

    if (!rule->no_tensor || result->verdict != VERDICT_AC || (!counters->device && !counters->failed))
        return;
    if (!rule->stretched && did_without(rule, &result->counted, GPM_OPERATIONS_DONE) &&
        (!used || did_without(rule, again, GPM_OPERATIONS_DONE)))
        return;
    if (used && !did_without(rule, &result->counted, GPM_OPERATIONS_MISSING)) {
        result->verdict = VERDICT_SV;
        result->reason = REASON_TENSOR;
        result->failed_call = 0;
        snprintf(result->message, sizeof result->message,
                 "tensor cores are not allowed in this league: the GPU counted them busy for %.1f us in %.3f s of "
                 "calls, in case %s", gpm_tensor_seconds(&result->counted) * 1e6, result->counted.calls, result->name);
    } else if (gpm_may_have_used_tensor(&result->counted)) {
        all->review = true;
        fprintf(stderr, "main_host: the GPU counted tensor cores busy for %.1f us in %.3f s of calls in case %s, which "
                        "may be a counting error: to be reviewed, not ranked\n",
                gpm_tensor_seconds(&result->counted) * 1e6, result->counted.calls, result->name);
    } else if (counters->failed) {
        all->review = true;
        fprintf(stderr, "main_host: the GPU's counters could not be read in case %s, so the use of tensor cores is "
                        "unknown: to be reviewed, not ranked\n", result->name);
    }
}

bool calls_known_well(const struct case_result *result, double until)
{
    double *samples = until > 0 ? calloc(result->timed + 1, sizeof *samples) : NULL;
    bool enough;

    if (!samples)
        return false;
    for (size_t i = 0; i < result->timed; i++)
        samples[i] = result->times[i].total;
    enough = stats_until(samples, result->timed, until);
    free(samples);
    return enough;
}

void calls_take_end(struct case_result *result, const struct session *session)
{
    result->end_seconds = session->end_seconds;
    result->device_memory_peak = session->device_memory_peak;
    result->memory_peak = session->memory_peak;
    memcpy(result->reports, session->reports, sizeof result->reports);
    result->printed = session->printed;
    result->printed_kept = session->printed < sizeof session->text ? session->printed : sizeof session->text;
    if (result->printed_kept > 0 && (result->printed_text = malloc(result->printed_kept)))
        memcpy(result->printed_text, session->text, result->printed_kept);
    else
        result->printed_kept = 0;
}

static void release_texts(struct case_result *result)
{
    free(result->printed_text);
    for (int k = 0; k < SESSION_REPORTS; k++)
        free(result->reports[k].text);
}

void calls_begin_again(struct case_result *result)
{
    fprintf(stderr,
            "main_host: case %s is judged again, alone: other runners were starting, or inputs were made, "
            "when it failed\n",
            result->name);
    release_texts(result);
    *result = (struct case_result){ .name = result->name, .verdict = VERDICT_NO, .limit = result->limit,
                                    .memory_limit = result->memory_limit,
                                    .device_memory_limit = result->device_memory_limit, .times = result->times,
                                    .inputs = result->inputs };
}

void calls_take_case(struct result *all, const struct case_result *result)
{
    if (result->verdict == VERDICT_AC || all->verdict != VERDICT_AC)
        return;
    all->verdict = result->verdict;
    all->failed = result;
    snprintf(all->message, sizeof all->message, "%s", result->message);
}

void calls_release(struct result *all)
{
    for (size_t i = 0; i < all->case_count; i++) {
        free(all->cases[i].times);
        free(all->cases[i].inputs);
        release_texts(&all->cases[i]);
    }
    free(all->cases);
}
