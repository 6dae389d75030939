/*
 * league.h - the leagues of a problem: the cases that a submission is judged on, and what it may not use.
 *
 * gpu.yaml lists them. A submission is in the first league unless it names another:
 *
 *   leagues:
 *     fp32:
 *       about: plain FP32 arithmetic
 *       refuse: [tensor_cores]             names of rules.h
 *       cases: [sample, secret/plain]      groups of cases, and cases; all without it
 *
 * A problem without leagues has one without a name, which refuses nothing.
 */
#ifndef VERIFY_LEAGUE_H
#define VERIFY_LEAGUE_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"
#include "package.h"

enum { LEAGUE_GROUPS = 16 };

struct league {
    char name[32];                      /* "" for the one of a problem without leagues */
    const char *about;                  /* one line, the package's; or NULL */
    unsigned rules;                     /* bits 1 << enum rule: what it refuses */
    const char *groups[LEAGUE_GROUPS];  /* [group_count], the package's */
    size_t group_count;                 /* 0 for all cases */
};

/* The league of that name, or the first if `name` is NULL. Refuses a missing or badly described league. */
bool league_choose(struct league *league, const struct package *package, const char *name, struct error *error);

/* Whether the league judges that case. */
bool league_has_case(const struct league *league, const struct package_case *test_case);

#endif
