/*
 * site.c - writes beside, then exchanges.
 */
#include "site.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "verify/base/tree.h"

/* Whether `path` may be replaced: it is not there, is empty, or has the marker. */
static bool is_ours(const char *path, const char *marker, struct error *error)
{
    char name[PATH_MAX];
    struct dirent *entry;
    bool empty = true;
    struct stat status;
    DIR *folder;

    if (lstat(path, &status) != 0)
        return errno == ENOENT || error_system(error, "cannot look at '%s'", path);
    if (!S_ISDIR(status.st_mode))
        return error_usage(error, "'%s' is not a folder: choose another --out", path);
    snprintf(name, sizeof name, "%s/%s", path, marker);
    if (access(name, F_OK) == 0)
        return true;
    folder = opendir(path);
    if (!folder)
        return error_system(error, "cannot open '%s'", path);
    while ((entry = readdir(folder)))
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
    closedir(folder);
    return empty ||
           error_usage(error, "'%s' holds other files, and would be replaced as a whole: choose another --out", path);
}

/* What a scoreboard that was killed left behind is locked by nobody. */
static void remove_leftovers(const char *path)
{
    char pattern[PATH_MAX];
    glob_t found;

    snprintf(pattern, sizeof pattern, "%s.new-??????", path);
    if (strpbrk(path, "*?[\\") || glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        int folder = open(found.gl_pathv[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) == 0)
            tree_remove(found.gl_pathv[i]);
        if (folder >= 0)
            close(folder);
    }
    globfree(&found);
}

bool site_begin(struct site *site, const char *path, const char *marker, struct error *error)
{
    size_t length = strlen(path);

    *site = (struct site){ .folder = -1 };
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0 || length + 16 > sizeof site->path)
        return error_usage(error, "the path of the scoreboard's folder is %s", length == 0 ? "empty" : "too long");
    memcpy(site->path, path, length);
    if (!is_ours(site->path, marker, error))
        return false;
    remove_leftovers(site->path);
    memcpy(site->fresh, path, length);
    memcpy(site->fresh + length, ".new-XXXXXX", 12);
    if (!mkdtemp(site->fresh)) {
        error_system(error, "cannot make a folder beside '%s'", site->path);
        site->fresh[0] = '\0';
        return false;
    }
    site->folder = open(site->fresh, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (site->folder < 0 || flock(site->folder, LOCK_EX | LOCK_NB) != 0 || fchmod(site->folder, 0755) != 0)
        return error_system(error, "cannot open '%s'", site->fresh);
    return true;
}

bool site_folder(struct site *site, const char *name, struct error *error)
{
    return mkdirat(site->folder, name, 0755) == 0 || error_system(error, "cannot make '%s/%s'", site->fresh, name);
}

bool site_file(struct site *site, const char *name, const void *data, size_t size, struct error *error)
{
    int file = openat(site->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    const char *rest = data;
    bool ok = file >= 0;

    while (ok && size > 0) {
        ssize_t done = write(file, rest, size);

        if (done < 0 && errno == EINTR)
            continue;
        ok = done > 0;
        rest += ok ? done : 0, size -= ok ? (size_t)done : 0;
    }
    if (!ok)
        error_system(error, "cannot write '%s/%s'", site->fresh, name);
    if (file >= 0 && close(file) != 0 && ok)
        ok = error_system(error, "cannot write '%s/%s'", site->fresh, name);
    return ok;
}

bool site_publish(struct site *site, struct error *error)
{
    /* An exchange leaves no moment without a scoreboard. File systems that cannot have the old one moved away first. */
    if (renameat2(AT_FDCWD, site->fresh, AT_FDCWD, site->path, RENAME_EXCHANGE) == 0) {
        tree_remove(site->fresh);
    } else if (rename(site->fresh, site->path) != 0) {
        char old[sizeof site->path];

        if (errno != ENOTEMPTY && errno != EEXIST)
            return error_system(error, "cannot rename '%s' to '%s'", site->fresh, site->path);
        memcpy(old, site->fresh, sizeof old);
        memcpy(strrchr(old, '.'), ".old-", 5);
        if (rename(site->path, old) != 0 || rename(site->fresh, site->path) != 0)
            return error_system(error, "cannot rename '%s' to '%s'", site->fresh, site->path);
        tree_remove(old);
    }
    site->fresh[0] = '\0';
    return true;
}

void site_end(struct site *site)
{
    if (site->fresh[0])
        tree_remove(site->fresh);
    if (site->folder >= 0)
        close(site->folder);
    *site = (struct site){ .folder = -1 };
}
