/*
 * groups.h - test data groups, from the test_group.yaml files of the Kattis Problem Package Format 2025-09.
 *
 * https://www.kattis.com/problem-package-format/spec/2025-09.html#test-data-configuration and #result-aggregation. It
 * reads a package's folder data/ and knows nothing of verdicts; score.h has the arithmetic.
 */
#ifndef GRADE_GROUPS_H
#define GRADE_GROUPS_H

#include "contest.h"

/* What is read of a package; a contest takes no more than CONTEST_GROUPS of them. */
enum { TEST_GROUPS = 64 };

/* data/secret, or one folder of it, with its defaults filled in. */
struct test_group {
    char *name; /* "secret", "secret/large" */
    enum aggregation aggregation;
    double max_score;           /* a whole number; INFINITY for unbounded */
    bool static_validation;     /* it has a static validation test case */
    char *require[TEST_GROUPS]; /* [require_count]: names of groups, or "sample" */
    size_t require_count;
    size_t cases; /* .in files, at any depth */
};

struct test_groups {
    bool scoring; /* some file has a key that scoring problems alone may have */
    struct test_group secret;
    struct test_group groups[TEST_GROUPS]; /* [count], by name */
    size_t count;                          /* 0: the cases are in data/secret itself */
};

/*
 * Reads and checks DATA, a folder data/: keys and values, groups that are required and those that may be, bounds. What
 * the format allows is accepted, whether or not this toolkit can judge it. A broken rule is an error that names the
 * file.
 */
bool test_groups_read(struct test_groups *groups, const char *data, struct error *error);
void test_groups_release(struct test_groups *groups);

/*
 * With scoring `groups`: gives each problem that has no groups in contest.yaml those of its package, or, where its
 * package says nothing of scores, one of all its secret cases, in which each is worth the same part of `points`.
 * preflight.h reports a missing problem. This refuses what the toolkit cannot judge: unbounded scores and static
 * validators.
 */
bool groups_fill(struct contest *contest, const char *root, struct faults *faults, struct error *error);

/*
 * A group of cases may be named without the folder before it, where one group alone has that name: "large" for
 * "secret/large". Writes the whole names in their place. Names that mean nothing, or several groups, stay.
 */
bool groups_name(struct contest *contest, const char *root, struct error *error);

/* The most that a problem can give by its groups. */
double groups_full_score(const struct contest_problem *problem);

#endif
