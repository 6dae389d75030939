/*
 * source.c - the grader's copy of a submission as a zip archive, by libarchive.
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

#include "server.h"
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

static bool add_file(struct zip *zip, const char *path, const char *name, struct error *error)
{
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

/* All files below a folder; `name` is the folder's in the archive, ended by a slash, or "". */
static bool add_folder(struct zip *zip, const char *path, const char *name, int depth, struct error *error)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    bool ok = folder != NULL || error_system(error, "cannot list '%s'", path);

    while (ok && (entry = readdir(folder))) {
        char inner[PATH_MAX], inner_name[PATH_MAX];
        struct stat status;

        if (entry->d_name[0] == '.')
            continue;
        snprintf(inner, sizeof inner, "%.3000s/%.255s", path, entry->d_name);
        ok = lstat(inner, &status) == 0 || error_system(error, "cannot look at '%s'", inner);
        if (ok && S_ISDIR(status.st_mode) && depth < DEPTH) {
            snprintf(inner_name, sizeof inner_name, "%.3000s%.255s/", name, entry->d_name);
            ok = add_folder(zip, inner, inner_name, depth + 1, error);
        } else if (ok && S_ISREG(status.st_mode)) {
            snprintf(inner_name, sizeof inner_name, "%.3000s%.255s", name, entry->d_name);
            ok = add_file(zip, inner, inner_name, error);
        }
    }
    if (folder)
        closedir(folder);
    return ok;
}

bool source_zip(const char *folder, int64_t id, char **data, size_t *size, struct error *error)
{
    struct zip zip = { .archive = archive_write_new() };
    char path[PATH_MAX];
    bool ok;

    snprintf(path, sizeof path, "%.3000s/grading/sources/%jd", folder, (intmax_t)id);
    ok = (zip.archive && archive_write_set_format_zip(zip.archive) == ARCHIVE_OK &&
          archive_write_set_options(zip.archive, "zip:compression-level=1") == ARCHIVE_OK &&
          archive_write_open(zip.archive, &zip, NULL, append, NULL) == ARCHIVE_OK) ||
         error_toolkit(error, "cannot start an archive");
    ok = ok && add_folder(&zip, path, "", 0, error) &&
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
