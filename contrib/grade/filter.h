/*
 * filter.h - which submissions a command is about: by team, problem, verdict, machine, number and time.
 */
#ifndef GRADE_FILTER_H
#define GRADE_FILTER_H

#include "contest.h"
#include "contrib/grade/store/store.h"

struct filter {
    const char *team, *problem, *verdict, *machine; /* or NULL for any; machine: a host's or a device's name */
    int64_t submission;                             /* or 0 for any */
    double since, until;                            /* seconds since 1970 that it was submitted at; 0 for any */
};

/* One of the options that make a filter. */
bool filter_take(struct filter *filter, const char *option, const char *value, struct error *error);

/* Whether there is something that each of its names names: one that is misspelt is no answer. */
bool filter_fits(const struct filter *filter, const struct contest *contest, struct store *store, struct error *error);

/*
 * "AND ..." over submissions s and judgements j, and binding its parameters, ?1 to ?7, to a statement that has it.
 * Every parameter is null for any.
 */
#define FILTER_SQL                                                                                                 \
    " (?1 IS NULL OR s.team = ?1) AND (?2 IS NULL OR s.problem = ?2) AND (?3 IS NULL OR j.verdict = ?3) AND"       \
    " (?4 IS NULL OR m.host = ?4 OR m.name = ?4 OR m.uuid = ?4) AND (?5 IS NULL OR s.id = ?5) AND"                 \
    " (?6 IS NULL OR s.submitted >= ?6) AND (?7 IS NULL OR s.submitted <= ?7)"
void filter_bind(const struct filter *filter, sqlite3_stmt *statement);

#endif
