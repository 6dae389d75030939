/*
 * commands.h - the commands of `grader` that ask and change results; each gets what stands after its name.
 *
 * They return an exit code, with *error filled where it is not 0.
 */
#ifndef GRADE_COMMANDS_H
#define GRADE_COMMANDS_H

#include "contest.h"
#include "contrib/grade/store/store.h"

/* results [TABLE] [--csv|--json] [filter], results --sql SELECT, standings [--public] [--csv|--json] */
int command_results(const struct contest *contest, const char *folder, int argc, char **argv, struct error *error);

/* rejudge [filter] [--start --reason TEXT], changes N, commit N, cancel N, clear-review N */
int command_rejudge(struct store *store, const struct contest *contest, const char *command, int argc, char **argv,
                    struct error *error);

/* token TEAM | --jury NAME | --admin NAME | --program NAME | --revoke NAME, or nothing: who has one */
int command_token(struct store *store, const char *folder, int argc, char **argv, struct error *error);

#endif
