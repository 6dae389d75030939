/*
 * filter.c - a filter's options, and its values in a statement.
 */
#include "filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/number.h"

bool filter_take(struct filter *filter, const char *option, const char *value, struct error *error)
{
    if (!value)
        return error_usage(error, "'%s' is unknown or needs a value; see build/grader --help", option);
    if (strcmp(option, "--team") == 0)
        filter->team = value;
    else if (strcmp(option, "--problem") == 0)
        filter->problem = value;
    else if (strcmp(option, "--verdict") == 0)
        filter->verdict = value;
    else if (strcmp(option, "--machine") == 0)
        filter->machine = value;
    else if (strcmp(option, "--since") == 0)
        return contest_time(value, &filter->since) ||
               error_usage(error, "--since: '%s' is not a time such as 2026-05-01T09:00:00Z", value);
    else if (strcmp(option, "--until") == 0)
        return contest_time(value, &filter->until) ||
               error_usage(error, "--until: '%s' is not a time such as 2026-05-01T09:00:00Z", value);
    else if (strcmp(option, "--submission") == 0)
        return number_integer(value, 1, INT64_MAX, &filter->submission) ||
               error_usage(error, "--submission: '%s' is not a number", value);
    else
        return error_usage(error, "unknown option '%s'; see build/grader --help", option);
    return true;
}

/* True where `name` is NULL, or the statement has a row with it. */
static bool is_known(struct store *store, const char *name, const char *sql, const char *option, const char *what,
                     struct error *error)
{
    int64_t known = 1;

    if (name && !store_number(store, error, &known, sql, "s", name))
        return false;
    return known || error_usage(error, "%s: there is no %s '%.100s' in the results", option, what, name);
}

bool filter_fits(const struct filter *filter, const struct contest *contest, struct store *store, struct error *error)
{
    static const char verdicts[] = " AC WA TLE RTE MLE OLE CE NO SV JE ";
    char verdict[8];
    int64_t known = 1;

    snprintf(verdict, sizeof verdict, " %.4s ", filter->verdict ? filter->verdict : "AC");
    if (!strstr(verdicts, verdict) || (filter->verdict && strlen(filter->verdict) > 3))
        return error_usage(error, "--verdict: '%.100s' must be one of:%.*s", filter->verdict, (int)sizeof verdicts - 2,
                           verdicts);
    if (filter->submission > 0 &&
        !store_number(store, error, &known, "SELECT 1 FROM submissions WHERE id = ?", "i", filter->submission))
        return false;
    if (!known)
        return error_usage(error, "--submission: there is no submission %jd", (intmax_t)filter->submission);
    if (filter->problem && contest_problem(contest, filter->problem) == NULL &&
        !is_known(store, filter->problem, "SELECT 1 FROM submissions WHERE problem = ?", "--problem", "problem", error))
        return false;
    return is_known(store, filter->team, "SELECT 1 FROM submissions WHERE team = ?", "--team", "team", error) &&
           is_known(store, filter->machine,
                    "SELECT 1 FROM machines WHERE host = ?1 OR name = ?1 OR uuid = ?1", "--machine", "machine", error);
}

void filter_bind(const struct filter *filter, sqlite3_stmt *statement)
{
    const char *texts[] = { filter->team, filter->problem, filter->verdict, filter->machine };

    for (int i = 0; i < 4; i++)
        sqlite3_bind_text(statement, i + 1, texts[i], -1, SQLITE_TRANSIENT);
    if (filter->submission > 0)
        sqlite3_bind_int64(statement, 5, filter->submission);
    if (filter->since > 0)
        sqlite3_bind_double(statement, 6, filter->since);
    if (filter->until > 0)
        sqlite3_bind_double(statement, 7, filter->until);
}
