/*
 * main_unpack.c - unpacks a submission's archive: unpack ARCHIVE FOLDER FILES MEGABYTES
 *
 * Called by grade_build.sh within the compile box, with an archive that is any bytes at all. Only folders and regular
 * files with plain names come out, at most so many and so large; what desktops put into archives of their own is left
 * out. Exit codes: 0 done, 1 the archive is refused, with why on standard error, 2 usage, 3 the machine failed.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "litter.h"
#include "verify/base/name.h"
#include "verify/base/text.h"

enum { MAX_PATH = 512, MAX_DEPTH = 8, CPU_SECONDS = 10 };

static int refuse(const char *name, const char *why)
{
    char shown[120];

    fputs("error: the archive", stderr);
    if (name)
        fputs(": '", stderr);
    text_show(shown, sizeof shown, name ? name : "");
    fprintf(stderr, "%s%s %s\n", shown, name ? "'" : "", why);
    return 1;
}

static int broken(const char *what)
{
    fprintf(stderr, "unpack: %s: %s\n", what, strerror(errno));
    return 3;
}

/* A file's path below where it is unpacked (NAME_PATH), in plain[MAX_PATH]; without "./" before it. Or NULL. */
static const char *plain_path(const char *path, char plain[MAX_PATH])
{
    size_t length, depth = 1;

    while (path && strncmp(path, "./", 2) == 0)
        path += 2;
    if (!path || (length = strlen(path)) >= MAX_PATH || length == 0)
        return NULL;
    memcpy(plain, path, length + 1);
    if (plain[length - 1] == '/') /* as archives name folders */
        plain[length - 1] = '\0';
    for (const char *c = plain; *c; c++)
        depth += *c == '/';
    return depth <= MAX_DEPTH && name_is(plain, NAME_PATH) ? plain : NULL;
}

/* The folders above a file, made where they are missing. */
static bool make_parents(int folder, const char *path)
{
    char parent[MAX_PATH];

    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
        if (mkdirat(folder, parent, 0755) != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

static int write_file(struct archive *archive, int folder, const char *path, uint64_t *left)
{
    char buffer[65536];
    la_ssize_t got = 0;
    ssize_t put;
    int fd, result = 0;

    if (!make_parents(folder, path))
        return errno == ENOTDIR ? refuse(path, "is below a file") : broken(path);
    fd = openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return errno == EEXIST || errno == ENOTDIR || errno == EISDIR ? refuse(path, "occurs twice") : broken(path);
    while (result == 0 && (got = archive_read_data(archive, buffer, sizeof buffer)) > 0) {
        if ((uint64_t)got > *left)
            result = refuse(NULL, "unpacks to more bytes than the contest allows");
        for (la_ssize_t done = 0; result == 0 && done < got; done += put)
            if ((put = write(fd, buffer + done, (size_t)(got - done))) < 0)
                result = broken(path);
        *left -= result == 0 ? (uint64_t)got : 0;
    }
    if (result == 0 && got < 0)
        result = refuse(path, "cannot be read: it is damaged or encrypted");
    close(fd);
    return result;
}

static int unpack(struct archive *archive, int folder, unsigned long files, uint64_t left)
{
    struct archive_entry *entry;
    int status;
    bool top = false; /* "./", which is in many archives, was there */

    /* A warning is of a name, the file's or its owner's, in no known encoding: the file's is looked at below. */
    while ((status = archive_read_next_header(archive, &entry)) == ARCHIVE_OK || status == ARCHIVE_WARN) {
        char plain[MAX_PATH];
        const char *name = archive_entry_pathname(entry), *path = plain_path(name, plain);
        const unsigned kind = archive_entry_filetype(entry);
        char folder_name[MAX_PATH];
        int result = 0;

        if (name && (strcmp(name, "./") == 0 || strcmp(name, ".") == 0) && !top) {
            top = true;
            continue;
        }
        if (name && is_litter(name))
            continue;
        if (!path)
            return refuse(name ? name : "?", "is not a name of letters, digits and _ . + - below the archive's folder");
        if (files-- == 0)
            return refuse(NULL, "has more files than the contest allows");
        if (archive_entry_hardlink(entry) || archive_entry_symlink(entry))
            return refuse(path, "is a link");
        if (kind == AE_IFDIR) {
            snprintf(folder_name, sizeof folder_name, "%s/", path);
            if (!make_parents(folder, folder_name))
                return errno == ENOTDIR || errno == EEXIST ? refuse(path, "occurs twice") : broken(path);
        } else if (kind == AE_IFREG) {
            result = write_file(archive, folder, path, &left);
        } else {
            return refuse(path, "is not a file or a folder");
        }
        if (result != 0)
            return result;
    }
    return status == ARCHIVE_EOF ? 0 : refuse(NULL, "cannot be read: it is damaged, or not an archive");
}

/* SIGXCPU: a few MiB may stand for any number of bytes to skip. */
static void too_long(int number)
{
    static const char words[] = "error: the archive takes too long to unpack: it may be an archive bomb\n";

    (void)number;
    _exit(write(2, words, sizeof words - 1) < 0 ? 3 : 1);
}

int main(int argc, char **argv)
{
    struct archive *archive = archive_read_new();
    int folder, result;

    if (argc != 5) {
        fputs("usage: unpack ARCHIVE FOLDER FILES MEGABYTES\n", stderr);
        return 2;
    }
    folder = open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!archive || folder < 0)
        return broken(argv[2]);
    setlocale(LC_CTYPE, "C.UTF-8"); /* without it libarchive cannot read names beyond ASCII */
    signal(SIGXCPU, too_long);
    setrlimit(RLIMIT_CPU, &(struct rlimit){ CPU_SECONDS, CPU_SECONDS + 5 });
    archive_read_support_format_zip(archive);
    archive_read_support_format_tar(archive);
    /* What intake.c takes by name, and nothing that starts a program, as libarchive does for lrzip and others. */
    archive_read_support_filter_gzip(archive);
    archive_read_support_filter_bzip2(archive);
    archive_read_support_filter_xz(archive);
    archive_read_support_filter_zstd(archive);
    if (archive_read_open_filename(archive, argv[1], 65536) != ARCHIVE_OK)
        result = refuse(NULL, "cannot be read: it is damaged, or not an archive");
    else if (archive_filter_count(archive) > 2) /* one, and the file itself */
        result = refuse(NULL, "is compressed more than once");
    else
        result = unpack(archive, folder, strtoul(argv[3], NULL, 10), (uint64_t)(strtod(argv[4], NULL) * 1048576));
    archive_read_free(archive);
    close(folder);
    return result;
}
