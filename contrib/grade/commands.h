/*
 * commands.h - the commands of `grader` that ask and change results; each gets what stands after its name.
 *
 * They return an exit code, with *error filled where it is not 0.
 */
#ifndef GRADE_COMMANDS_H
#define GRADE_COMMANDS_H

#include "contest.h"
#include "store.h"

struct filter {
    const char *team, *problem, *verdict, *machine; /* or NULL for any; machine: a host's or a device's name */
    int64_t submission;                             /* or 0 for any */
    double since, until;                            /* seconds since 1970 that it was submitted at; 0 for any */
};

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMATS };

/* results [TABLE] [--csv|--json] [filter], results --sql SELECT, standings [--public] [--csv|--json] */
int command_results(const struct contest *contest, const char *folder, int argc, char **argv, struct error *error);

/* rejudge [filter] [--start --reason TEXT], changes N, commit N, cancel N, clear-review N */
int command_rejudge(struct store *store, const struct contest *contest, const char *command, int argc, char **argv,
                    struct error *error);

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

/* Writes all rows of a statement to standard output. */
bool rows_write(struct store *store, sqlite3_stmt *statement, enum format format, struct error *error);

/* The standings as rows, best first, in the same formats. `public` hides what came after the freeze. */
bool standings_write(const struct contest *contest, struct store *store, const char *folder, bool public_view,
                     enum format format, struct error *error);

#endif
