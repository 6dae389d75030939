/*
 * frozen.c - SHA-256 of a file, by libsodium, against the build's list.
 */
#include "frozen.h"

#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "verify/base/blob.h"

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
        if (strcmp(*line + 2 * sizeof hash + 2, path) == 0) {
            if (strncmp(*line, hex, 2 * sizeof hash) == 0)
                return true;
            return error_usage(error, "'%s' has changed since the host was built: run 'make'", path);
        }
    return error_usage(error, "'%s' was not there when the host was built: run 'make'", path);
}
