/*
 * archive.c - zips in and out.
 *
 * Reading is a program of its own within the compile box, for a package is any bytes at all. What comes out of the box
 * is looked at again from outside. In the box, FOLDER gets: files/ what the format allows, `ignored` the other names
 * but those that begin with a dot, a line each, and `timelimit`, the first .timelimit, which legacy packages have.
 */
#include "archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contrib/grade/litter.h"

enum { MAX_NAME = 1024 };
static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

enum kind { KIND_REFUSED, KIND_HIDDEN, KIND_IGNORED, KIND_ALLOWED };

/* What is unpacked, and what may still come. */
struct unpacking {
    struct kit kit;      /* for its memory */
    const char *from;    /* the zip, or folder */
    bool folder;         /* it is one */
    const char *to;      /* FOLDER, an absolute path */
    struct archive *archive;
    size_t most;         /* bytes of all files */
    size_t left;         /* of them */
    size_t file_most;    /* bytes of one file */
    struct lines names;  /* of all entries, in small letters */
    FILE *ignored;
};

/* What the format says of a name; without "/" at its end. */
static enum kind kind_of(char *name)
{
    enum kind kind = KIND_ALLOWED;
    size_t length = name ? strlen(name) : 0;

    if (length == 0 || length > MAX_NAME)
        return KIND_REFUSED;
    if (name[length - 1] == '/')
        name[length - 1] = '\0';
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127 || strchr("\\;^", *c))
            return KIND_REFUSED;
    for (const char *part = name;; part++) {
        length = strcspn(part, "/");
        if (length == 0 || (length == 1 && part[0] == '.') || (length == 2 && starts_with(part, "..")))
            return KIND_REFUSED;
        if (part[0] == '.')
            kind = KIND_HIDDEN;
        else if ((part[0] == '-' || strspn(part, allowed) < length) && kind == KIND_ALLOWED)
            kind = KIND_IGNORED;
        part += length;
        if (!*part)
            return is_litter(name) ? KIND_HIDDEN : kind;
    }
}

static void write_entry(struct unpacking *unpacking, struct archive_entry *entry, const char *path)
{
    char buffer[65536];
    size_t size = 0;
    la_ssize_t got;
    int fd;

    folder_make(&unpacking->kit, kit_text(&unpacking->kit, "%.*s", (int)(base_name(path) - path), path));
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
              archive_entry_perm(entry) & 0100 ? 0755 : 0644);
    if (fd < 0 && errno == EEXIST)
        kit_refuse("'%s' has a name twice", unpacking->from);
    while (fd >= 0 && (got = archive_read_data(unpacking->archive, buffer, sizeof buffer)) != 0) {
        size += got > 0 ? (size_t)got : 0;
        if (got < 0 || size > unpacking->file_most)
            kit_refuse("'%s' cannot be unpacked: it is damaged, or has a file of more than %zu bytes", unpacking->from,
                       unpacking->file_most);
        if ((size_t)got > unpacking->left)
            kit_refuse("'%s' is larger than %zu bytes unpacked", unpacking->from, unpacking->most);
        unpacking->left -= (size_t)got;
        if (write(fd, buffer, (size_t)got) != got)
            kit_fail("cannot write '%s': %s", path, strerror(errno));
    }
    if (fd < 0 || close(fd) != 0)
        kit_fail("cannot write '%s': %s", path, strerror(errno));
}

static void take_entry(struct unpacking *unpacking, struct archive_entry *entry)
{
    struct kit *kit = &unpacking->kit;
    const char *given = archive_entry_pathname(entry);
    char *name = kit_text(kit, "%s", given ? given : "");
    const char *time_limit = kit_text(kit, "%s/timelimit", unpacking->to);
    const char *path = kit_text(kit, "%s/files/%s", unpacking->to, name);
    const unsigned type = archive_entry_filetype(entry);
    const enum kind kind = kind_of(name);

    if (kind == KIND_REFUSED)
        kit_refuse("'%s' has a name that is not allowed: '%s'", unpacking->from, given ? given : "?");
    /* In a folder links are followed. One that leads nowhere, or out of the package, is still one. */
    if (unpacking->folder && type == AE_IFLNK) {
        fprintf(unpacking->ignored, "%s\n", name);
        return;
    }
    if (archive_entry_hardlink(entry) || archive_entry_symlink(entry) || (type != AE_IFREG && type != AE_IFDIR))
        kit_refuse("'%s' has a link or a special file in it: use only files and folders", unpacking->from);
    if (unpacking->names.count == KIT_ENTRIES)
        kit_refuse("'%s' has more than %d entries", unpacking->from, KIT_ENTRIES);
    lines_add(kit, &unpacking->names, "%s", name);
    if (kind == KIND_IGNORED)
        fprintf(unpacking->ignored, "%s%s\n", name, type == AE_IFDIR ? "/" : "");
    if (strcmp(base_name(name), ".timelimit") == 0 && type == AE_IFREG && access(time_limit, F_OK) != 0)
        write_entry(unpacking, entry, time_limit);
    if (kind == KIND_ALLOWED && type == AE_IFDIR)
        folder_make(kit, path);
    else if (kind == KIND_ALLOWED)
        write_entry(unpacking, entry, path);
}

static int by_letters(const void *a, const void *b) { return strcasecmp(*(char *const *)a, *(char *const *)b); }

/* Opens a zip, or a folder as if it were one: names begin with the folder's. */
static struct archive *open_archive(struct unpacking *unpacking)
{
    struct kit *kit = &unpacking->kit;
    const char *from = unpacking->from;
    struct archive *archive;
    struct stat status;
    int result;

    unpacking->folder = stat(from, &status) == 0 && S_ISDIR(status.st_mode);
    archive = unpacking->folder ? archive_read_disk_new() : archive_read_new();
    if (!archive)
        kit_fail("out of memory");
    if (unpacking->folder) {
        archive_read_disk_set_symlink_logical(archive); /* the box shows nothing that it could lead out to */
        if (chdir(kit_text(kit, "%.*s", (int)(base_name(from) - from), from)) != 0)
            kit_fail("cannot enter the folder of '%s': %s", from, strerror(errno));
        result = archive_read_disk_open(archive, base_name(from));
    } else {
        archive_read_support_format_zip(archive);
        result = archive_read_open_filename(archive, from, 65536);
    }
    if (result != ARCHIVE_OK)
        kit_refuse("'%s' is not a zip, or it is damaged", from);
    return archive;
}

int archive_main(int argc, char **argv)
{
    struct unpacking unpacking = { 0 };
    struct archive_entry *entry;
    struct kit *kit = &unpacking.kit;
    int status;

    if (argc != 6)
        return 2;
    setlocale(LC_CTYPE, "C.UTF-8"); /* without it libarchive has no name beyond ASCII */
    unpacking.from = argv[2];
    unpacking.to = argv[3];
    unpacking.left = unpacking.most = strtoull(argv[4], NULL, 10);
    unpacking.file_most = strtoull(argv[5], NULL, 10);
    unpacking.archive = open_archive(&unpacking);
    unpacking.ignored = fopen(kit_text(kit, "%s/ignored", argv[3]), "we");
    if (!unpacking.ignored)
        kit_fail("cannot write in '%s': %s", argv[3], strerror(errno));
    while ((status = archive_read_next_header(unpacking.archive, &entry)) == ARCHIVE_OK || status == ARCHIVE_WARN) {
        take_entry(&unpacking, entry);
        if (unpacking.folder)
            archive_read_disk_descend(unpacking.archive);
    }
    if (status != ARCHIVE_EOF)
        kit_refuse("'%s' is not a zip, or it is damaged", argv[2]);
    if (fclose(unpacking.ignored) != 0)
        kit_fail("cannot write in '%s': %s", argv[3], strerror(errno));
    qsort(unpacking.names.items, unpacking.names.count, sizeof(char *), by_letters);
    for (size_t i = 1; i < unpacking.names.count; i++)
        if (strcasecmp(unpacking.names.items[i - 1], unpacking.names.items[i]) == 0)
            kit_refuse("'%s' has a name twice", argv[2]);
    archive_read_free(unpacking.archive);
    kit_release(kit);
    return 0;
}

/* A number of bytes from the environment. */
static const char *bytes_given(struct kit *kit, const char *name, const char *otherwise)
{
    const char *given = getenv(name);

    if (given && !kit_matches(kit, given, "[0-9]{1,18}", NULL))
        kit_refuse("%s is not a number of bytes", name);
    return given ? given : otherwise;
}

struct unpacked archive_unpack(struct kit *kit, const char *from)
{
    const char *most = bytes_given(kit, "UNPACK_BYTES", "536870912");
    char *folder = kit_text(kit, "%s/unpacked", kit->work), *program = kit_text(kit, "%s/kattis", kit->build);
    char *words[] = { program, "unpack", realpath(from, kit_alloc(kit, PATH_MAX)), folder, (char *)most,
                      (char *)bytes_given(kit, "UNPACK_FILE_BYTES", "134217728") };
    const char *files = kit_text(kit, "%s/files", folder);
    struct unpacked unpacked = { 0 };
    struct stat made;
    char *ignored;
    int status;

    if (!words[2])
        kit_refuse("there is no file '%s'", from);
    folder_make(kit, files);
    status = kit_run(kit, &(struct command){ .folder = folder, .errors = "", .seconds = "120",
                                             .box = folder, .sees = { program, words[2] } },
                     &(struct lines){ words, sizeof words / sizeof *words });
    if (status == 124)
        kit_refuse("'%s' takes too long to unpack", from);
    if (status == 2 || status == 3)
        exit(status); /* it has told why */
    if (status != 0)
        kit_fail("'%s' cannot be unpacked: the unpacking program ended with %d", from, status);
    if (lstat(files, &made) != 0 || !S_ISDIR(made.st_mode))
        kit_fail("'%s' cannot be unpacked: there is no folder of its files", from);
    unpacked.tree = tree_read(kit, files);
    if (unpacked.tree.bytes > strtoull(most, NULL, 10))
        kit_refuse("'%s' is larger than %s bytes unpacked", from, most);
    for (size_t i = 0; i < unpacked.tree.count; i++)
        if (kind_of(kit_text(kit, "%s", unpacked.tree.items[i].path)) != KIND_ALLOWED)
            kit_refuse("'%s' has names that cannot be written as they are", from);
    ignored = file_read(kit, kit_text(kit, "%s/ignored", folder), NULL);
    unpacked.ignored = lines_split(kit, ignored ? ignored : "", "\n");
    unpacked.time_limit = file_read(kit, kit_text(kit, "%s/timelimit", folder), NULL);
    unpacked.time_limit = unpacked.time_limit ? kit_text(kit, "%.16s", unpacked.time_limit) : "";
    return unpacked;
}

void archive_write(struct kit *kit, const struct tree *tree, const char *zip)
{
    struct archive *archive = archive_write_new();
    char *part = kit_text(kit, "%s.part", zip);
    bool ok;

    setenv("TZ", "UTC", 1); /* a zip has the local time */
    ok = archive && archive_write_set_format_zip(archive) == ARCHIVE_OK &&
         archive_write_open_filename(archive, part) == ARCHIVE_OK;
    for (size_t i = 0; ok && i < tree->count; i++) {
        const struct entry *from = &tree->items[i];
        struct archive_entry *entry = archive_entry_new();
        size_t size = 0;
        char *text = from->folder ? "" : file_read(kit, kit_text(kit, "%s/%s", tree->folder, from->path), &size);

        ok = text && entry;
        if (!ok)
            break;
        archive_entry_set_pathname(entry, from->path);
        archive_entry_set_filetype(entry, from->folder ? AE_IFDIR : AE_IFREG);
        archive_entry_set_perm(entry, from->folder || from->executable ? 0755 : 0644);
        archive_entry_set_size(entry, (la_int64_t)size);
        archive_entry_set_mtime(entry, 946684800, 0); /* 2000-01-01 */
        ok = archive_write_header(archive, entry) == ARCHIVE_OK &&
             (size == 0 || archive_write_data(archive, text, size) == (la_ssize_t)size);
        archive_entry_free(entry);
    }
    if (!ok || archive_write_close(archive) != ARCHIVE_OK || archive_write_free(archive) != ARCHIVE_OK ||
        rename(part, zip) != 0)
        kit_fail("cannot write '%s': %s", zip, archive ? archive_error_string(archive) : "out of memory");
}
