/*
 * calls.h - adds the calls of a case, and the end of its session, to the case's result.
 */
#ifndef VERIFY_CALLS_H
#define VERIFY_CALLS_H

#include "report.h"

/* Room in a result that is all zero for the calls that the options ask for, and the session's limits. */
bool calls_begin(struct case_result *result, const struct options *options, const struct session_config *config,
                 bool signs, struct error *error);

/*
 * Takes the times of a call that returned, and decides whether they count. In a ranked case the first call, which the
 * warden watched, does not count, nor does a disturbed call while there are calls left to repeat it. `all` is marked
 * for review if the submission must use the GPU and does not.
 */
void calls_take_times(struct case_result *result, struct result *all, const struct session *session,
                      const struct options *options, bool must_use_gpu);

/* The verdict on the last call from its facts; true for AC. */
bool calls_take_verdict(struct case_result *result, const struct facts *facts, const struct options *options);

/* The same of a second call that is not timed: it is named as that, and counts as call 2. */
bool calls_take_second(struct case_result *result, const struct facts *facts);

/* The same of a series of `calls`, of which `call`, from 1, was looked at last. */
bool calls_take_series(struct case_result *result, const struct facts *facts, size_t call, size_t calls);

/* Compares the last call that counts, whose answer was right, with the least time that it can take, seconds. */
void calls_take_floor(struct case_result *result, struct result *all, double floor);

/* A league and a submission, for those who read the GPU's counters. */
struct counted_rule {
    bool no_tensor;    /* the league refuses tensor cores */
    bool half;         /* the submission has instructions that count as theirs and are not (verify/inspect/rules.h) */
    bool stretched;    /* a call that is not timed took much longer than any that is: what it did is no evidence */
    double operations; /* that a call of the case needs at least; 0: not known */
};

/*
 * After the last call: what the GPU's counters say of all calls of the case. It matters where the league refuses tensor
 * cores and the case was accepted so far. The case becomes SV if both windows show tensor cores: the counted calls' and
 * `again`, a second one. With rule->half it becomes SV only if the operations that the calls need are missing, too, and
 * nothing shows where they were done. Where the counters leave a doubt, or could not be read, the result is to be
 * reviewed.
 */
void calls_take_counters(struct case_result *result, struct result *all, const struct gpm *counters,
                         const struct counted_rule *rule, const struct gpm_use *again);

/* Whether the calls made so far are enough: their median is known to `until` percent; never with 0. */
bool calls_known_well(const struct case_result *result, double until);

/* What a session leaves when it is closed: memory, printing, reports. */
void calls_take_end(struct case_result *result, const struct session *session);

/* None of its calls counts, and they will be made again. Says so. */
void calls_begin_again(struct case_result *result);

/* A case that is done: the first verdict that is not AC becomes that of the whole. */
void calls_take_case(struct result *all, const struct case_result *result);

/* Releases all that the result's cases own. */
void calls_release(struct result *all);

#endif
