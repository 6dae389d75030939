/*
 * tokens.c - the command `token`: who has one, a new one, the end of one.
 */
#include <getopt.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "contrib/grade/store/accounts.h"
#include "contrib/grade/store/rows.h"
#include "verify/base/name.h"

/* Where teams are listed, only those have tokens: what others hand in is not graded. */
static bool is_team(const char *folder, const char *name, struct error *error)
{
    char path[PATH_MAX];

    if (!name_is(name, NAME_TEXT) || name[0] == '.' || strpbrk(name, "/"))
        return error_usage(error, "'%.100s' is not a team's name: it is the name of a folder", name);
    snprintf(path, sizeof path, "%.2000s/teams", folder);
    if (access(path, F_OK) != 0)
        return true;
    snprintf(path, sizeof path, "%.2000s/teams/%.200s.yaml", folder, name);
    return access(path, F_OK) == 0 ||
           error_usage(error, "there is no team '%.100s' in teams/: write teams/%.100s.yaml first", name, name);
}

static int list(struct store *store, struct error *error)
{
    sqlite3_stmt *statement =
        store_prepare(store, error,
                      "SELECT account, role, datetime(created, 'unixepoch') AS created FROM tokens WHERE revoked IS"
                      " NULL ORDER BY role, account", "");

    return rows_write(store, statement, ROWS_TABLE, error) ? 0 : (int)error->code;
}

static int end_token(struct store *store, const char *name, struct error *error)
{
    int64_t count;

    if (!account_revoke(store, name, &count, error))
        return (int)error->code;
    if (count == 0)
        return error_usage(error, "'%.100s' has no token", name), EXIT_USAGE;
    puts("revoked");
    return 0;
}

/* An account has one token and one role: a jury called like a team would end that team's token. */
static bool is_free(struct store *store, const char *name, enum role role, struct error *error)
{
    int64_t taken;

    return store_number(store, error, &taken,
                        "SELECT 1 FROM tokens WHERE account = ? AND role <> ? AND revoked IS NULL", "ss", name,
                        role_name(role)) &&
           (!taken || error_usage(error, "'%.100s' has a token of another role: choose another name, or end that one"
                                         " with --revoke", name));
}

int command_token(struct store *store, const char *folder, int argc, char **argv, struct error *error)
{
    static const struct option options[] = { { "revoke", required_argument, NULL, 'r' },
                                             { "program", required_argument, NULL, 'p' },
                                             { "jury", required_argument, NULL, 'j' },
                                             { "admin", required_argument, NULL, 'a' },
                                             { 0 } };
    const char *name = NULL, *ended = NULL;
    enum role role = ROLE_TEAM;
    char token[ACCOUNT_TOKEN];
    int option;

    if (sodium_init() < 0)
        return error_toolkit(error, "cannot start libsodium"), EXIT_TOOLKIT;
    while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        switch (option) {
        case 'r': ended = optarg; break;
        case 'p': role = ROLE_PROGRAM, name = optarg; break;
        case 'j': role = ROLE_JURY, name = optarg; break;
        case 'a': role = ROLE_ADMIN, name = optarg; break;
        default: return error_option(error, option, argv[optind - 1], "build/grader"), EXIT_USAGE;
        }
    }
    if (!name && optind < argc)
        name = argv[optind++];
    if (optind < argc || (name && ended))
        return error_usage(error, "token takes one name; see build/grader --help"), EXIT_USAGE;
    if (ended)
        return end_token(store, ended, error);
    if (!name)
        return list(store, error);
    if ((role == ROLE_TEAM && !is_team(folder, name, error)) || !is_free(store, name, role, error) ||
        !account_make_token(store, name, role, token, error))
        return (int)error->code;
    puts(token);
    sodium_memzero(token, sizeof token);
    return 0;
}
