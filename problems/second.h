/*
 * second.h - a second call, with another input, after the one call of a case that is judged without ranks.
 *
 * main_host.c calls it. A program that keeps something from one call to the next may be right in its first call only.
 */
#ifndef PROBLEMS_SECOND_H
#define PROBLEMS_SECOND_H

#include <stdbool.h>

#include "prepare.h"
#include "verify/judge/options.h"
#include "verify/judge/session.h"
#include "verify/result/report.h"

/*
 * Makes the call that --repeat 2 would make as its second one, with the same limits, in a session whose first call of
 * case `number` had `input`. It is not timed. Only secret cases have it: participants run samples to see what their
 * program prints. Nothing is done where the case is not accepted so far, where there are more calls anyway, or where
 * the problem gives every call the same input. Nor where an answer is dear: the plain reference would need more than
 * 10^8 operations. A wrong answer, and a call that fails, gives the case its verdict; *facts are those of the last call
 * then. False only for the host's own failure.
 */
bool second_judge(const struct prepare *prepare, size_t number, const struct options *options,
                  const struct blob *input, struct session *session, struct facts *facts, struct case_result *result,
                  struct error *error);

#endif
