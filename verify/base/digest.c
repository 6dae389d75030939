/*
 * digest.c - SHA-256, by libsodium.
 */
#include "digest.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "name.h"

_Static_assert(DIGEST_HEX == 2 * crypto_hash_sha256_BYTES + 1, "a digest has 64 digits");

enum { SOURCE_FILES_MOST = 10000 };

static void finish(crypto_hash_sha256_state *state, char hex[DIGEST_HEX])
{
    unsigned char hash[crypto_hash_sha256_BYTES];

    crypto_hash_sha256_final(state, hash);
    sodium_bin2hex(hex, DIGEST_HEX, hash, sizeof hash);
}

void digest_bytes(const void *data, size_t size, char hex[DIGEST_HEX])
{
    crypto_hash_sha256_state state;

    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, data, size);
    finish(&state, hex);
}

bool digest_file(const char *path, char hex[DIGEST_HEX], struct error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* not blocking: a FIFO must not hang the host */
    crypto_hash_sha256_state state;
    unsigned char piece[1 << 16];
    struct stat status;
    bool ok = false;
    ssize_t got;

    if (fd < 0)
        return error_usage(error, "cannot open '%s': %s", path, strerror(errno));
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        error_usage(error, "'%s' is not a regular file", path);
        goto out;
    }
    crypto_hash_sha256_init(&state);
    while ((got = read(fd, piece, sizeof piece)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            error_usage(error, "cannot read '%s': %s", path, strerror(errno));
            goto out;
        }
        crypto_hash_sha256_update(&state, piece, (size_t)got);
    }
    finish(&state, hex);
    ok = true;
out:
    close(fd);
    return ok;
}

/* ------------------------------------------------------------------ sources */

struct source_file {
    char *name;             /* below the folder */
    char hex[DIGEST_HEX];
};

struct source_files {
    struct source_file *files; /* [count] */
    size_t count;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct source_file *)a)->name, ((const struct source_file *)b)->name);
}

static bool add_file(struct source_files *list, const char *path, const char *name, struct error *error)
{
    struct source_file *grown;

    if (!name_is(name, NAME_TEXT) || strchr(name, '\\'))
        return error_usage(error, "a file of the source '%.200s' has a name with a newline, a backslash or another "
                                  "character that is not text", path);
    if (list->count == SOURCE_FILES_MOST)
        return error_usage(error, "there are more than %d source files, such as '%s': name the submission's own folder",
                           SOURCE_FILES_MOST, path);
    grown = reallocarray(list->files, list->count + 1, sizeof *grown);
    if (!grown)
        return error_toolkit(error, "out of memory for the names of the source");
    list->files = grown;
    if (!digest_file(path, grown[list->count].hex, error))
        return false;
    grown[list->count].name = strdup(name);
    if (!grown[list->count].name)
        return error_toolkit(error, "out of memory for the names of the source");
    list->count++;
    return true;
}

/* Every file at or below `path`. */
static bool list_files(struct source_files *list, const char *path, struct error *error)
{
    char *const roots[] = { (char *)path, NULL };
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_COMFOLLOW, NULL);
    FTSENT *entry;
    bool ok = true;

    if (!tree)
        return error_system(error, "cannot list the source '%s'", path);
    while (ok && (errno = 0, entry = fts_read(tree))) {
        /* Below a folder the name begins behind its path, and behind the slash where the path has none at its end. */
        const char *below = entry->fts_path + strlen(path);

        if (entry->fts_info == FTS_F)
            ok = add_file(list, entry->fts_path, entry->fts_level == 0 ? entry->fts_name : below + strspn(below, "/"),
                          error);
        else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
            ok = error_usage(error, "cannot read the source '%s': %s", entry->fts_path, strerror(entry->fts_errno));
        else if (entry->fts_info != FTS_D && entry->fts_info != FTS_DP)
            ok = error_usage(error, "the source '%s' is not a file or a folder", entry->fts_path);
    }
    if (ok && errno != 0)
        ok = error_system(error, "cannot list the source '%s'", path);
    fts_close(tree);
    return ok;
}

bool digest_source(const char *path, char hex[DIGEST_HEX], struct error *error)
{
    struct source_files list = { 0 };
    crypto_hash_sha256_state state;
    bool ok = list_files(&list, path, error);

    if (ok && list.count == 0)
        ok = error_usage(error, "the source '%s' has no files", path);
    if (ok) {
        qsort(list.files, list.count, sizeof *list.files, by_name);
        crypto_hash_sha256_init(&state);
        for (size_t i = 0; i < list.count; i++) {
            const struct source_file *file = &list.files[i];

            crypto_hash_sha256_update(&state, (const unsigned char *)file->hex, strlen(file->hex));
            crypto_hash_sha256_update(&state, (const unsigned char *)"  ", 2);
            crypto_hash_sha256_update(&state, (const unsigned char *)file->name, strlen(file->name));
            crypto_hash_sha256_update(&state, (const unsigned char *)"\n", 1);
        }
        finish(&state, hex);
    }
    for (size_t i = 0; i < list.count; i++)
        free(list.files[i].name);
    free(list.files);
    return ok;
}
