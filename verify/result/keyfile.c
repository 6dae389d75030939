/*
 * keyfile.c - reading and writing the files of seals and keys.
 */
#include "keyfile.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "verify/base/blob.h"

enum { KEYFILE_MOST = 1 << 16 };

static bool write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t put = write(fd, text, size);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        text += put;
        size -= (size_t)put;
    }
    return true;
}

bool keyfile_create(const char *path, mode_t mode, json_t *object, struct error *error)
{
    char *text = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
    size_t size = text ? strlen(text) : 0;
    bool ok = false;
    int fd = -1;

    json_decref(object);
    if (!text)
        return error_toolkit(error, "out of memory for '%s'", path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0 && errno == EEXIST)
        error_usage(error, "'%s' exists and is not replaced: use another folder, or move it away", path);
    else if (fd < 0)
        error_usage(error, "cannot write '%s': %s", path, strerror(errno));
    else if (fchmod(fd, mode) != 0 || !write_all(fd, text, size) || !write_all(fd, "\n", 1) || fsync(fd) != 0) {
        error_system(error, "cannot write '%s'", path);
        unlink(path);
    } else
        ok = true;
    if (fd >= 0)
        close(fd);
    sodium_memzero(text, size);
    free(text);
    return ok;
}

bool keyfile_folder(const char *folder, struct error *error)
{
    struct stat status;

    if (mkdir(folder, 0700) == 0)
        return true;
    if (errno != EEXIST)
        return error_usage(error, "cannot make the folder '%s': %s", folder, strerror(errno));
    if (stat(folder, &status) == 0 && S_ISDIR(status.st_mode))
        return true;
    return error_usage(error, "'%s' exists and is not a folder", folder);
}

bool keyfile_path(char *path, size_t size, const char *folder, const char *name, struct error *error)
{
    return snprintf(path, size, "%s/%s", folder, name) < (int)size ||
           error_usage(error, "the path '%.200s...' is too long", folder);
}

json_t *keyfile_read(const char *path, struct error *error)
{
    struct blob file = { 0 };
    json_error_t where;
    json_t *object;

    if (!blob_read_file(&file, path, KEYFILE_MOST, error))
        return NULL;
    object = json_loadb((const char *)file.data, file.size, JSON_REJECT_DUPLICATES, &where);
    if (file.data)
        sodium_memzero(file.data, file.size);
    blob_release(&file);
    if (!object) {
        error_usage(error, "'%s' is not JSON: line %d, column %d", path, where.line, where.column);
        return NULL;
    }
    if (!json_is_string(json_object_get(object, "kind"))) {
        error_usage(error, "'%s' is not a seal or a key: it has no 'kind'", path);
        json_decref(object);
        return NULL;
    }
    if (json_integer_value(json_object_get(object, "format")) != KEYFILE_FORMAT) {
        error_usage(error, "'%s' has an unknown format: this toolkit knows format %d", path, KEYFILE_FORMAT);
        json_decref(object);
        return NULL;
    }
    return object;
}

bool keyfile_is(const json_t *object, const char *kind)
{
    return strcmp(json_string_value(json_object_get(object, "kind")), kind) == 0;
}

bool keyfile_is_private(const char *path, struct error *error)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return error_usage(error, "cannot open '%s': %s", path, strerror(errno));
    if ((status.st_mode & 077) != 0)
        return error_usage(error, "'%s' has mode %04o, so others may know the secret in it: make a new one; if nobody "
                                  "has read it, chmod 600", path, (unsigned)(status.st_mode & 07777));
    return true;
}

bool keyfile_bytes(const json_t *object, const char *path, const char *key, unsigned char *bytes, size_t size,
                   struct error *error)
{
    const char *text = json_string_value(json_object_get(object, key));
    size_t length;

    if (!text || strlen(text) != 2 * size || sodium_hex2bin(bytes, size, text, 2 * size, NULL, &length, NULL) != 0 ||
        length != size)
        return error_usage(error, "'%s': '%s' is not %zu hexadecimal digits", path, key, 2 * size);
    return true;
}
