/*
 * accounts.c - tokens and sessions in the database.
 *
 * A token is "NUMBER.SECRET": the row is found by its number, and the secret's digest compared in constant time, so
 * that no search in an index depends on the secret. The secrets are random, so a fast digest is enough: BLAKE2b, with a
 * word that tells what it is for.
 */
#include "accounts.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "verify/base/clock.h"
#include "verify/base/name.h"
#include "verify/base/number.h"

enum { SECRET_BYTES = 32, SECRET_TEXT = 44, HASH_TEXT = 65 };

static const char *const names[ROLES] = { "public", "program", "team", "jury", "admin" };

const char *role_name(enum role role) { return names[role]; }

bool role_parse(const char *name, enum role *role)
{
    for (int i = 0; i < ROLES; i++)
        if (strcmp(names[i], name) == 0) {
            *role = (enum role)i;
            return true;
        }
    return false;
}

static void make_secret(char text[SECRET_TEXT])
{
    unsigned char secret[SECRET_BYTES];

    randombytes_buf(secret, sizeof secret);
    sodium_bin2base64(text, SECRET_TEXT, secret, sizeof secret, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    sodium_memzero(secret, sizeof secret);
}

static void digest(const char *purpose, const char *secret, char text[HASH_TEXT])
{
    unsigned char hash[32];

    crypto_generichash(hash, sizeof hash, (const unsigned char *)secret, strlen(secret),
                       (const unsigned char *)purpose, strlen(purpose));
    sodium_bin2hex(text, HASH_TEXT, hash, sizeof hash);
}

/* "NUMBER.SECRET": the secret, or NULL where the text is nothing like it. */
static const char *split(const char *text, int64_t *number)
{
    char digits[24];
    const char *dot = strchr(text, '.');

    if (!dot || (size_t)(dot - text) >= sizeof digits || strlen(dot + 1) != SECRET_TEXT - 1)
        return NULL;
    snprintf(digits, sizeof digits, "%.*s", (int)(dot - text), text);
    return number_integer(digits, 1, INT64_MAX, number) ? dot + 1 : NULL;
}

bool account_revoke(struct store *store, const char *name, int64_t *count, struct error *error)
{
    return store_run(store, error,
                     "DELETE FROM sessions WHERE token IN (SELECT id FROM tokens WHERE account = ?)", "s", name) &&
           store_run(store, error, "UPDATE tokens SET revoked = ? WHERE account = ? AND revoked IS NULL", "ds",
                     clock_wall(), name) &&
           (*count = sqlite3_changes(store->db), true);
}

bool account_make_token(struct store *store, const char *name, enum role role, char token[ACCOUNT_TOKEN],
                        struct error *error)
{
    char secret[SECRET_TEXT], hash[HASH_TEXT];
    int64_t before;
    bool ok;

    if (!name_is(name, NAME_TEXT) || strlen(name) >= ACCOUNT_NAME)
        return error_usage(error, "an account's name is readable text of at most %d bytes", ACCOUNT_NAME - 1);
    make_secret(secret);
    digest("token", secret, hash);
    ok = store_begin(store, error);
    if (!ok)
        return false;
    ok = account_revoke(store, name, &before, error) &&
         store_run(store, error, "INSERT INTO tokens (account, role, hash, created) VALUES (?, ?, ?, ?)", "sssd", name,
                   role_name(role), hash, clock_wall());
    snprintf(token, ACCOUNT_TOKEN, "%jd.%s", (intmax_t)sqlite3_last_insert_rowid(store->db), secret);
    ok = store_end(store, ok, error);
    sodium_memzero(secret, sizeof secret);
    if (!ok)
        sodium_memzero(token, ACCOUNT_TOKEN);
    return ok;
}

/*
 * The row of a statement whose columns are digest, account, role and the token's number, if its digest is that one.
 * The statement is finalized.
 */
static bool take_account(struct store *store, sqlite3_stmt *statement, const char hash[HASH_TEXT],
                         struct account *account, struct error *error)
{
    const enum store_row row = store_step(store, statement, error);
    const char *known = row == STORE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;

    if (known && strlen(known) == HASH_TEXT - 1 && sodium_memcmp(known, hash, HASH_TEXT - 1) == 0 &&
        role_parse((const char *)sqlite3_column_text(statement, 2), &account->role)) {
        snprintf(account->name, sizeof account->name, "%s", (const char *)sqlite3_column_text(statement, 1));
        account->token = sqlite3_column_int64(statement, 3);
    }
    sqlite3_finalize(statement);
    return row != STORE_FAILED;
}

bool account_by_token(struct store *store, const char *token, struct account *account, struct error *error)
{
    char hash[HASH_TEXT];
    int64_t number;
    const char *secret = split(token, &number);

    *account = (struct account){ .role = ROLE_PUBLIC };
    if (!secret)
        return true;
    digest("token", secret, hash);
    return take_account(store,
                        store_prepare(store, error,
                                      "SELECT hash, account, role, id FROM tokens WHERE id = ? AND revoked IS NULL",
                                      "i", number),
                        hash, account, error);
}

bool account_log_in(struct store *store, const struct account *account, char session[ACCOUNT_TOKEN],
                    struct error *error)
{
    char secret[SECRET_TEXT], hash[HASH_TEXT];
    const double now = clock_wall();
    bool ok;

    make_secret(secret);
    digest("session", secret, hash);
    if (!store_begin(store, error))
        return false;
    ok = store_run(store, error, "DELETE FROM sessions WHERE expires < ?", "d", now) &&
         store_run(store, error, "INSERT INTO sessions (token, hash, expires) VALUES (?, ?, ?)", "isd", account->token,
                   hash, now + ACCOUNT_HOURS * 3600.0);
    snprintf(session, ACCOUNT_TOKEN, "%jd.%s", (intmax_t)sqlite3_last_insert_rowid(store->db), secret);
    sodium_memzero(secret, sizeof secret);
    return store_end(store, ok, error);
}

bool account_by_session(struct store *store, const char *session, struct account *account, char form[ACCOUNT_SECRET],
                        struct error *error)
{
    char hash[HASH_TEXT], text[HASH_TEXT];
    int64_t number;
    const char *secret = split(session, &number);

    *account = (struct account){ .role = ROLE_PUBLIC };
    form[0] = '\0';
    if (!secret)
        return true;
    digest("session", secret, hash);
    digest("form", secret, text);
    snprintf(form, ACCOUNT_SECRET, "%.*s", ACCOUNT_SECRET - 1, text);
    if (!take_account(store,
                      store_prepare(store, error,
                                    "SELECT s.hash, t.account, t.role, t.id FROM sessions s JOIN tokens t ON"
                                    " t.id = s.token WHERE s.id = ? AND s.expires > ? AND t.revoked IS NULL",
                                    "id", number, clock_wall()),
                      hash, account, error))
        return false;
    account->session = account->role == ROLE_PUBLIC ? 0 : number;
    return true;
}

bool account_holds(struct store *store, const struct account *account, bool *holds, struct error *error)
{
    int64_t there = 0;

    *holds = account->role == ROLE_PUBLIC;
    if (*holds)
        return true;
    if (!store_number(store, error, &there,
                      "SELECT count(*) FROM tokens t WHERE t.id = ? AND t.revoked IS NULL AND (? = 0 OR EXISTS (SELECT"
                      " 1 FROM sessions s WHERE s.id = ? AND s.token = t.id AND s.expires > ?))", "iiid",
                      account->token, account->session, account->session, clock_wall()))
        return false;
    *holds = there > 0;
    return true;
}

bool account_log_out(struct store *store, const char *session, struct error *error)
{
    char form[ACCOUNT_SECRET];
    struct account account;
    int64_t number;

    if (!account_by_session(store, session, &account, form, error))
        return false;
    /* Whoever knows a session's number alone does not end it: the numbers count up. */
    return account.role == ROLE_PUBLIC || !split(session, &number) ||
           store_run(store, error, "DELETE FROM sessions WHERE id = ?", "i", number);
}
