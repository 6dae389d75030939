/*
 * accounts.h - who may hand in and who may look: tokens of teams, of the jury and of the administrator, and sessions.
 *
 * A token is random text of 256 bits that is shown once, when it is made; the database has its digest alone. A browser
 * logs in with a token and gets a session, another random text, as a cookie. Both are compared in constant time. Made
 * by `grade.sh CONTEST token`, asked for by the contest's server.
 */
#ifndef GRADE_ACCOUNTS_H
#define GRADE_ACCOUNTS_H

#include "store.h"

/* In rising order of what they may see. A program hands in batches, which are no part of the contest. */
enum role { ROLE_PUBLIC, ROLE_PROGRAM, ROLE_TEAM, ROLE_JURY, ROLE_ADMIN, ROLES };

enum {
    ACCOUNT_NAME = 128,      /* bytes, with the final zero */
    ACCOUNT_TOKEN = 96,      /* of a token or a session as text */
    ACCOUNT_SECRET = 44,     /* of what must stand in a session's forms */
    ACCOUNT_HOURS = 24,      /* that a session lasts */
};

struct account {
    enum role role;          /* ROLE_PUBLIC: nobody that is known */
    char name[ACCOUNT_NAME]; /* the team's; of the others one that was chosen */
    int64_t token;           /* its number */
    int64_t session;         /* the number of the browser's session; 0 without one */
};

const char *role_name(enum role role);
bool role_parse(const char *name, enum role *role);

/*
 * Makes a token for the account of that name, NAME_TEXT of at most ACCOUNT_NAME - 1 bytes. One that it had before is
 * worth nothing from then on, nor are the sessions of that. To be called on a store that is open for writing.
 */
bool account_make_token(struct store *store, const char *name, enum role role, char token[ACCOUNT_TOKEN],
                        struct error *error);

/* Ends the account's token and sessions; *count: how many tokens that were. */
bool account_revoke(struct store *store, const char *name, int64_t *count, struct error *error);

/* Whose token that is; ROLE_PUBLIC where it is none, or one no more. The store is open for secrets. */
bool account_by_token(struct store *store, const char *token, struct account *account, struct error *error);

/* A new session of a token that account_by_token() has found, in `session`. Sessions that are over are forgotten. */
bool account_log_in(struct store *store, const struct account *account, char session[ACCOUNT_TOKEN],
                    struct error *error);

/* Whose session that is, and in `form` what its forms must repeat: what another site's page cannot know. */
bool account_by_session(struct store *store, const char *session, struct account *account, char form[ACCOUNT_SECRET],
                        struct error *error);

/*
 * Whether the account may still do what it might when it was found: *holds is false once its token was revoked or made
 * anew, or its session is over. True of nobody. For whoever keeps a connection for long.
 */
bool account_holds(struct store *store, const struct account *account, bool *holds, struct error *error);

/* Ends that session; true where it is none, too. */
bool account_log_out(struct store *store, const char *session, struct error *error);

#endif
