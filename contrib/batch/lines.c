/*
 * lines.c - reading back what was written, and writing.
 */
#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "verify/base/blob.h"

enum { FILE_BYTES = 1 << 30 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* The first item of that number without a result; NULL for none. */
static struct item *find(struct items *items, const char *id, const char *name)
{
    for (size_t i = 0; i < items->count; i++)
        if (!items->items[i].written && strcmp(items->items[i].id, id) == 0 &&
            (!name || !items->items[i].name || strcmp(items->items[i].name, name) == 0))
            return &items->items[i];
    return NULL;
}

static void mark(struct items *items, struct item *item)
{
    item->written = true;
    items->written++;
}

/* Marks what is there, and cuts away what stands behind the last end of a line. */
static bool read_back(const struct lines *lines, const char *batch, struct items *items, struct error *error)
{
    struct blob blob = { 0 };
    const char *at, *end, *newline;

    if (!blob_read_file(&blob, lines->path, FILE_BYTES, error))
        return false;
    at = (const char *)blob.data;
    for (end = at + blob.size; at < end && (newline = memchr(at, '\n', (size_t)(end - at))); at = newline + 1) {
        json_t *line = json_loadb(at, (size_t)(newline - at), 0, NULL);
        struct item *item = strcmp(text_of(line, "batch"), batch) == 0
                                ? find(items, text_of(line, "id"), text_of(line, "file"))
                                : NULL;

        if (item)
            mark(items, item);
        json_decref(line);
    }
    if (blob.size > 0 && at < end && ftruncate(lines->fd, at - (const char *)blob.data) != 0)
        error_system(error, "cannot cut off the broken end of '%s'", lines->path);
    blob_release(&blob);
    return !error->text[0];
}

bool lines_open(struct lines *lines, const char *path, const char *batch, struct items *items, struct error *error)
{
    struct stat status;

    *lines = (struct lines){ .fd = 1, .path = path };
    if (!path)
        return true;
    lines->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (lines->fd < 0)
        return error_usage(error, "cannot open '%s': %s", path, strerror(errno));
    if (fstat(lines->fd, &status) != 0 || !S_ISREG(status.st_mode))
        return error_usage(error, "'%s' is not a regular file", path);
    if (flock(lines->fd, LOCK_EX | LOCK_NB) != 0)
        return error_usage(error, "another program writes results to '%s'", path);
    return read_back(lines, batch, items, error);
}

static bool write_all(const struct lines *lines, const char *text, size_t size, struct error *error)
{
    const char *where = lines->path ? lines->path : "standard output";

    for (size_t done = 0; done < size;) {
        const ssize_t put = write(lines->fd, text + done, size - done);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return error_system(error, "cannot write to '%s'", where);
        done += (size_t)put;
    }
    return !lines->path || fdatasync(lines->fd) == 0 || error_system(error, "cannot write to '%s'", where);
}

bool lines_write(struct lines *lines, const char *batch, struct items *items, json_t *result, struct error *error)
{
    struct item *item = find(items, text_of(result, "id"), NULL);
    json_t *line;
    char *text, *ended;
    size_t size;
    bool ok;

    if (!item)
        return true;
    line = json_pack("{s:s, s:s}", "batch", batch, "file", item->name ? item->name : text_of(result, "file"));
    json_object_del(result, "file");
    text = line && json_object_update(line, result) == 0
               ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(15))
               : NULL;
    json_decref(line);
    size = text ? strlen(text) : 0;
    ended = text ? realloc(text, size + 2) : NULL;
    if (!ended) {
        free(text);
        return error_toolkit(error, "out of memory");
    }
    memcpy(ended + size, "\n", 2);
    ok = write_all(lines, ended, size + 1, error);
    free(ended);
    if (ok)
        mark(items, item);
    return ok;
}

bool lines_close(struct lines *lines, struct error *error)
{
    return !lines->path || close(lines->fd) == 0 || error_system(error, "cannot write to '%s'", lines->path);
}
