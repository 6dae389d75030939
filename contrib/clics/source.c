/*
 * source.c - the files of the grader's copy of a submission, and all of them as a zip archive, by libarchive.
 *
 * It is compressed as fast as can be: the thread that makes it has all other clients to answer.
 */
#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "source.h"
#include "verify/base/blob.h"

enum { ENTRY = 64 << 20, DEPTH = 10 };

struct zip {
    struct archive *archive;
    char *data;
    size_t size, room;
};

static la_ssize_t append(struct archive *archive, void *context, const void *bytes, size_t size)
{
    struct zip *zip = context;

    (void)archive;
    if (zip->size + size > zip->room) {
        const size_t room = 2 * (zip->size + size);
        char *grown = realloc(zip->data, room);

        if (!grown)
            return -1;
        zip->data = grown;
        zip->room = room;
    }
    memcpy(zip->data + zip->size, bytes, size);
    zip->size += size;
    return (la_ssize_t)size;
}

static bool add_file(void *context, const char *path, const char *name, struct error *error)
{
    struct zip *zip = context;
    struct archive_entry *entry = archive_entry_new();
    struct blob blob = { 0 };
    bool ok = entry && blob_read_file(&blob, path, ENTRY, error);

    if (ok) {
        archive_entry_set_pathname(entry, name);
        archive_entry_set_size(entry, (la_int64_t)blob.size);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        ok = (archive_write_header(zip->archive, entry) == ARCHIVE_OK &&
              archive_write_data(zip->archive, blob.data, blob.size) == (la_ssize_t)blob.size) ||
             error_toolkit(error, "cannot pack '%s'", path);
    }
    blob_release(&blob);
    archive_entry_free(entry);
    return ok;
}

/* All files below a folder, in the order of their names; `name` is the folder's, ended by a slash, or "". */
static bool walk(const char *path, const char *name, int depth, source_file *file, void *context, struct error *error)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, NULL, alphasort);
    bool ok = count >= 0 || error_system(error, "cannot list '%s'", path);

    for (int i = 0; i < count; free(entries[i++])) {
        char inner[PATH_MAX], inner_name[PATH_MAX];
        struct stat status;

        if (!ok || entries[i]->d_name[0] == '.')
            continue;
        snprintf(inner, sizeof inner, "%.3000s/%.255s", path, entries[i]->d_name);
        ok = lstat(inner, &status) == 0 || error_system(error, "cannot look at '%s'", inner);
        if (ok && S_ISDIR(status.st_mode) && depth < DEPTH) {
            snprintf(inner_name, sizeof inner_name, "%.3000s%.255s/", name, entries[i]->d_name);
            ok = walk(inner, inner_name, depth + 1, file, context, error);
        } else if (ok && S_ISREG(status.st_mode)) {
            snprintf(inner_name, sizeof inner_name, "%.3000s%.255s", name, entries[i]->d_name);
            ok = file(context, inner, inner_name, error);
        }
    }
    free(entries);
    return ok;
}

bool source_walk(const char *folder, int64_t id, source_file *file, void *context, struct error *error)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%.3000s/grading/sources/%jd", folder, (intmax_t)id);
    return walk(path, "", 0, file, context, error);
}

bool source_zip(const char *folder, int64_t id, char **data, size_t *size, struct error *error)
{
    struct zip zip = { .archive = archive_write_new() };
    bool ok;

    ok = (zip.archive && archive_write_set_format_zip(zip.archive) == ARCHIVE_OK &&
          archive_write_set_options(zip.archive, "zip:compression-level=1") == ARCHIVE_OK &&
          archive_write_open(zip.archive, &zip, NULL, append, NULL) == ARCHIVE_OK) ||
         error_toolkit(error, "cannot start an archive");
    ok = ok && source_walk(folder, id, add_file, &zip, error) &&
         (archive_write_close(zip.archive) == ARCHIVE_OK || error_toolkit(error, "cannot end an archive"));
    if (zip.archive)
        archive_write_free(zip.archive);
    if (ok) {
        *data = zip.data;
        *size = zip.size;
    } else {
        free(zip.data);
    }
    return ok;
}
