/*
 * frozen.c - SHA-256 of a file, by libsodium, against the build's list; and of the list.
 */
#include "frozen.h"

#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "verify/base/blob.h"

static const char *path_of(const char *line) { return line + 2 * crypto_hash_sha256_BYTES + 2; }

/* Whether a path is the problem's, or, with NULL, the host's: in the folder of none. */
static bool is_part(const char *path, const char *problem)
{
    const char *name = strncmp(path, "problems/", 9) == 0 ? path + 9 : NULL, *end = name ? strchr(name, '/') : NULL;

    if (!end || !problem)
        return !end && !problem;
    return strlen(problem) == (size_t)(end - name) && strncmp(name, problem, (size_t)(end - name)) == 0;
}

static void add_part(crypto_hash_sha256_state *state, const char *problem)
{
    for (const char *const *line = frozen_lines; *line; line++)
        if (is_part(path_of(*line), problem)) {
            crypto_hash_sha256_update(state, (const unsigned char *)*line, strlen(*line));
            crypto_hash_sha256_update(state, (const unsigned char *)"\n", 1);
        }
}

void frozen_digest(const char *problem, char hex[DIGEST_HEX])
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;

    crypto_hash_sha256_init(&state);
    add_part(&state, NULL);
    if (problem)
        add_part(&state, problem);
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(hex, DIGEST_HEX, hash, sizeof hash);
}

bool frozen_check(const char *root, const char *path, struct error *error)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    char hex[2 * sizeof hash + 1], full[PATH_MAX];
    struct blob file = { 0 };

    snprintf(full, sizeof full, "%s/%s", root, path);
    if (!blob_read_file(&file, full, (size_t)1 << 30, error))
        return false;
    crypto_hash_sha256(hash, file.data, file.size);
    blob_release(&file);
    sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
    for (const char *const *line = frozen_lines; *line; line++)
        if (strcmp(path_of(*line), path) == 0) {
            if (strncmp(*line, hex, 2 * sizeof hash) == 0)
                return true;
            return error_usage(error, "'%s' has changed since the host was built: run 'make'", path);
        }
    return error_usage(error, "'%s' is newer than the built host: run 'make'", path);
}
