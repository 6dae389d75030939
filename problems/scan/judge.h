/*
 * judge.h - whether an output has the right sums. Called by problem.c; the rule for float32 is in precision.h.
 */
#ifndef SCAN_JUDGE_H
#define SCAN_JUDGE_H

#include "list.h"
#include "sums.h"
#include "verify/judge/reason.h"

/* Looks at every one of sums[count], by several threads, and tells of the first that is wrong. */
enum check_result scan_judge(const struct scan_list *list, const struct scan_answer *answer, const void *sums,
                             struct finding *finding);

#endif
