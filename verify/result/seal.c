/*
 * seal.c - secret seeds: see seal.h for the formulas.
 */
#include "seal.h"

#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "keyfile.h"

_Static_assert((int)SEAL_BYTES == crypto_auth_hmacsha256_BYTES, "a judgement's key is an HMAC-SHA-256");

static const char kind_secret[] = "seal", kind_published[] = "seal-commitment", kind_revealed[] = "seal-revealed";

void seal_commit(const struct seal *seal, char commitment[DIGEST_HEX])
{
    char hex[2 * SEAL_BYTES + 1], text[SEAL_NAME + sizeof hex + 32];
    int length;

    sodium_bin2hex(hex, sizeof hex, seal->secret, sizeof seal->secret);
    length = snprintf(text, sizeof text, "gpu-contest-seal-1\n%s\n%s\n", seal->name, hex);
    digest_bytes(text, (size_t)length, commitment);
    sodium_memzero(hex, sizeof hex);
    sodium_memzero(text, sizeof text);
}

void seal_judgement(const struct seal *seal, const char *problem, const char *league, uint64_t judgement,
                    unsigned char key[SEAL_BYTES])
{
    const char *const parts[] = { "gpu-contest-seed-2\n", problem, "\n", league, "\n" };
    crypto_auth_hmacsha256_state state;
    char number[32];

    snprintf(number, sizeof number, "%ju\n", (uintmax_t)judgement);
    crypto_auth_hmacsha256_init(&state, seal->secret, sizeof seal->secret);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        crypto_auth_hmacsha256_update(&state, (const unsigned char *)parts[i], strlen(parts[i]));
    crypto_auth_hmacsha256_update(&state, (const unsigned char *)number, strlen(number));
    crypto_auth_hmacsha256_final(&state, key);
    sodium_memzero(&state, sizeof state);
}

void seal_forget(struct seal *seal)
{
    sodium_memzero(seal->secret, sizeof seal->secret);
}

/* ------------------------------------------------------------------ files */

static bool check_name(const char *name, const char *where, struct error *error)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 _.-";

    return (name && name[0] && strlen(name) < SEAL_NAME && name[strspn(name, allowed)] == '\0') ||
           error_usage(error, "%s: the contest's name must be 1 to %d letters, digits, spaces and _ . -", where,
                       SEAL_NAME - 1);
}

/* Name and commitment, of every kind of file. */
static bool read_public(struct seal *seal, const json_t *object, const char *path, struct error *error)
{
    const char *name = json_string_value(json_object_get(object, "name"));
    unsigned char commitment[crypto_hash_sha256_BYTES];

    if (!check_name(name, path, error) ||
        !keyfile_bytes(object, path, "commitment", commitment, sizeof commitment, error))
        return false;
    snprintf(seal->name, sizeof seal->name, "%s", name);
    sodium_bin2hex(seal->commitment, sizeof seal->commitment, commitment, sizeof commitment);
    return true;
}

/* The object of a file; the secret only where it is to be in it. */
static json_t *seal_object(const struct seal *seal, const char *kind, bool with_secret)
{
    char hex[2 * SEAL_BYTES + 1];
    json_t *object = json_pack("{s:i, s:s, s:s, s:s}", "format", KEYFILE_FORMAT, "kind", kind, "name", seal->name,
                               "commitment", seal->commitment);

    if (object && with_secret) {
        sodium_bin2hex(hex, sizeof hex, seal->secret, sizeof seal->secret);
        if (json_object_set_new(object, "secret", json_string(hex)) != 0) {
            json_decref(object);
            object = NULL;
        }
        sodium_memzero(hex, sizeof hex);
    }
    return object;
}

bool seal_create(struct seal *seal, const char *folder, const char *name, struct error *error)
{
    char secret[PATH_MAX], published[PATH_MAX];

    *seal = (struct seal){ 0 };
    if (sodium_init() < 0)
        return error_toolkit(error, "libsodium has no source of random numbers");
    if (!check_name(name, "--name", error) || !keyfile_folder(folder, error) ||
        !keyfile_path(secret, sizeof secret, folder, SEAL_SECRET, error) ||
        !keyfile_path(published, sizeof published, folder, SEAL_PUBLISHED, error))
        return false;
    snprintf(seal->name, sizeof seal->name, "%s", name);
    randombytes_buf(seal->secret, sizeof seal->secret);
    seal_commit(seal, seal->commitment);
    if (!keyfile_create(secret, 0600, seal_object(seal, kind_secret, true), error))
        return false;
    if (!keyfile_create(published, 0644, seal_object(seal, kind_published, false), error)) {
        unlink(secret);
        return false;
    }
    return true;
}

bool seal_load(struct seal *seal, const char *path, struct error *error)
{
    json_t *object = keyfile_read(path, error);
    char commitment[DIGEST_HEX];
    bool ok = false;

    *seal = (struct seal){ 0 };
    if (!object)
        return false;
    seal->revealed = keyfile_is(object, kind_revealed);
    if (!seal->revealed && !keyfile_is(object, kind_secret)) {
        error_usage(error, "'%s' contains no secret: use " SEAL_SECRET ", or after the contest " SEAL_REVEALED, path);
        goto out;
    }
    if ((!seal->revealed && !keyfile_is_private(path, error)) || !read_public(seal, object, path, error) ||
        !keyfile_bytes(object, path, "secret", seal->secret, sizeof seal->secret, error))
        goto out;
    seal_commit(seal, commitment);
    if (strcmp(commitment, seal->commitment) != 0) {
        error_usage(error, "'%s': the secret does not match the commitment: the file was changed or damaged", path);
        goto out;
    }
    ok = true;
out:
    if (!ok)
        seal_forget(seal);
    json_decref(object);
    return ok;
}

bool seal_load_published(struct seal *seal, const char *path, struct error *error)
{
    json_t *object = keyfile_read(path, error);
    bool ok;

    *seal = (struct seal){ 0 };
    if (!object)
        return false;
    ok = keyfile_is(object, kind_published) ? read_public(seal, object, path, error)
                                            : error_usage(error, "'%s' is not a " SEAL_PUBLISHED, path);
    json_decref(object);
    return ok;
}

bool seal_load_any(struct seal *seal, const char *path, bool *has_secret, struct error *error)
{
    json_t *object = keyfile_read(path, error);
    bool published = object && keyfile_is(object, kind_published);

    *has_secret = object && !published;
    if (!object)
        return false;
    json_decref(object);
    return published ? seal_load_published(seal, path, error) : seal_load(seal, path, error);
}

bool seal_reveal(struct seal *seal, const char *folder, struct error *error)
{
    char secret[PATH_MAX], revealed[PATH_MAX];

    return keyfile_path(secret, sizeof secret, folder, SEAL_SECRET, error) &&
           keyfile_path(revealed, sizeof revealed, folder, SEAL_REVEALED, error) && seal_load(seal, secret, error) &&
           keyfile_create(revealed, 0644, seal_object(seal, kind_revealed, true), error);
}
