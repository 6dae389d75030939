/*
 * signature.c - signing and checking records.
 */
#include "signature.h"

#include <limits.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verify/base/canonical.h"
#include "keyfile.h"

_Static_assert((int)KEY_SEED_BYTES == crypto_sign_SEEDBYTES && (int)KEY_PUBLIC_BYTES == crypto_sign_PUBLICKEYBYTES &&
               (int)KEY_SECRET_BYTES == crypto_sign_SECRETKEYBYTES && (int)SIGNATURE_BYTES == crypto_sign_BYTES,
               "libsodium's crypto_sign is Ed25519");

static const char algorithm[] = "Ed25519", kind_secret[] = "record-key", kind_public[] = "record-public-key";

/* ------------------------------------------------------------------ bytes */

void signing_key_from_seed(struct signing_key *key, const unsigned char seed[KEY_SEED_BYTES])
{
    crypto_sign_seed_keypair(key->public_key, key->secret_key, seed);
}

void signature_make(unsigned char signature[SIGNATURE_BYTES], const void *message, size_t size,
                    const struct signing_key *key)
{
    crypto_sign_detached(signature, NULL, message, size, key->secret_key);
}

bool signature_fits(const unsigned char signature[SIGNATURE_BYTES], const void *message, size_t size,
                    const unsigned char public_key[KEY_PUBLIC_BYTES])
{
    return crypto_sign_verify_detached(signature, message, size, public_key) == 0;
}

/* ------------------------------------------------------------------ keys in files */

static json_t *public_object(const struct signing_key *key, const char *kind)
{
    char hex[2 * KEY_PUBLIC_BYTES + 1];

    sodium_bin2hex(hex, sizeof hex, key->public_key, sizeof key->public_key);
    return json_pack("{s:i, s:s, s:s, s:s}", "format", KEYFILE_FORMAT, "kind", kind, "algorithm", algorithm,
                     "public_key", hex);
}

bool signing_key_create(struct signing_key *key, const char *folder, struct error *error)
{
    char secret_path[PATH_MAX], public_path[PATH_MAX], hex[2 * KEY_SEED_BYTES + 1];
    unsigned char seed[KEY_SEED_BYTES];
    json_t *object;

    if (sodium_init() < 0)
        return error_toolkit(error, "libsodium has no source of random numbers");
    if (!keyfile_folder(folder, error) || !keyfile_path(secret_path, sizeof secret_path, folder, KEY_SECRET, error) ||
        !keyfile_path(public_path, sizeof public_path, folder, KEY_PUBLIC, error))
        return false;
    randombytes_buf(seed, sizeof seed);
    signing_key_from_seed(key, seed);
    sodium_bin2hex(hex, sizeof hex, seed, sizeof seed);
    object = public_object(key, kind_secret);
    if (object && json_object_set_new(object, "secret", json_string(hex)) != 0) {
        json_decref(object);
        object = NULL;
    }
    sodium_memzero(seed, sizeof seed);
    sodium_memzero(hex, sizeof hex);
    if (!keyfile_create(secret_path, 0600, object, error))
        return false;
    if (!keyfile_create(public_path, 0644, public_object(key, kind_public), error)) {
        unlink(secret_path);
        return false;
    }
    return true;
}

bool signing_key_load(struct signing_key *key, const char *path, struct error *error)
{
    unsigned char seed[KEY_SEED_BYTES], public_key[KEY_PUBLIC_BYTES];
    json_t *object = keyfile_read(path, error);
    bool ok;

    if (!object)
        return false;
    ok = (keyfile_is(object, kind_secret) || error_usage(error, "'%s' is not a " KEY_SECRET, path)) &&
         keyfile_is_private(path, error) && keyfile_bytes(object, path, "secret", seed, sizeof seed, error) &&
         keyfile_bytes(object, path, "public_key", public_key, sizeof public_key, error);
    json_decref(object);
    if (ok) {
        signing_key_from_seed(key, seed);
        if (memcmp(key->public_key, public_key, sizeof public_key) != 0)
            ok = error_usage(error, "'%s': its two keys do not belong together: the file was changed or damaged", path);
    }
    sodium_memzero(seed, sizeof seed);
    return ok;
}

bool public_key_load(unsigned char public_key[KEY_PUBLIC_BYTES], const char *path, struct error *error)
{
    json_t *object = keyfile_read(path, error);
    bool ok;

    if (!object)
        return false;
    ok = (keyfile_is(object, kind_public) || error_usage(error, "'%s' is not a " KEY_PUBLIC, path)) &&
         keyfile_bytes(object, path, "public_key", public_key, KEY_PUBLIC_BYTES, error);
    json_decref(object);
    return ok;
}

/* ------------------------------------------------------------------ records */

char *record_message(const json_t *object)
{
    return canonical_text(object, "signature");
}

/* All that "signature" is. */
static json_t *signature_object(const unsigned char public_key[KEY_PUBLIC_BYTES],
                                const unsigned char signature[SIGNATURE_BYTES])
{
    char public_hex[2 * KEY_PUBLIC_BYTES + 1], value_hex[2 * SIGNATURE_BYTES + 1];

    sodium_bin2hex(public_hex, sizeof public_hex, public_key, KEY_PUBLIC_BYTES);
    sodium_bin2hex(value_hex, sizeof value_hex, signature, SIGNATURE_BYTES);
    return json_pack("{s:s, s:s, s:s}", "algorithm", algorithm, "public_key", public_hex, "value", value_hex);
}

bool record_sign(json_t *object, const struct signing_key *key, struct error *error)
{
    unsigned char signature[SIGNATURE_BYTES];
    char *text = record_message(object);

    if (!text)
        return error_toolkit(error, "out of memory for the record");
    signature_make(signature, text, strlen(text), key);
    free(text);
    return json_object_set_new(object, "signature", signature_object(key->public_key, signature)) == 0 ||
           error_toolkit(error, "out of memory for the record");
}

bool record_check(const json_t *object, unsigned char public_key[KEY_PUBLIC_BYTES], struct error *error)
{
    const json_t *signature = json_object_get(object, "signature");
    const char *name = json_string_value(json_object_get(signature, "algorithm"));
    unsigned char value[SIGNATURE_BYTES];
    json_t *whole;
    bool fits;
    char *text;

    if (!signature)
        return error_usage(error, "it is not signed");
    if (!name || strcmp(name, algorithm) != 0)
        return error_usage(error, "it is not signed with %s: this toolkit knows no other algorithm", algorithm);
    if (!keyfile_bytes(signature, "signature", "public_key", public_key, KEY_PUBLIC_BYTES, error) ||
        !keyfile_bytes(signature, "signature", "value", value, sizeof value, error))
        return false;
    whole = signature_object(public_key, value);
    if (!whole)
        return error_toolkit(error, "out of memory for the record");
    fits = json_equal(whole, signature);
    json_decref(whole);
    if (!fits)
        return error_usage(error, "'signature' holds more than algorithm, public_key and value, or capital digits: "
                                  "nobody signed that");
    text = record_message(object);
    if (!text)
        return error_toolkit(error, "out of memory for the record");
    fits = signature_fits(value, text, strlen(text), public_key);
    free(text);
    return fits || error_usage(error, "it does not match: the record was changed after it was signed");
}
