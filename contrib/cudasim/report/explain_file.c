/*
 * explain_file.c - opens the files for reports. A plain file is written as a whole or not at all. Any other file is
 * written directly.
 *
 * The writers of reports call it. It does not know what the reports hold.
 */
#include "explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *explain_open(const char *path)
{
    const char own[] = "/proc/self/fd/";
    const bool is_open = strncmp(path, own, sizeof own - 1) == 0;
    const int fd = is_open ? dup(atoi(path + sizeof own - 1)) : -1;

    return is_open ? fd >= 0 ? fdopen(fd, "w") : NULL : fopen(path, "we");
}

static bool write_into(const char *path, explain_writer writer, const void *context)
{
    FILE *out = explain_open(path);
    bool ok = out && writer(out, context);

    return out && fclose(out) == 0 && ok;
}

/* By way of PATH.part, which becomes the file once it is whole. */
static bool replace(const char *path, explain_writer writer, const void *context)
{
    char *part;
    bool ok;

    if (asprintf(&part, "%s.part", path) < 0)
        return false;
    ok = write_into(part, writer, context) && rename(part, path) == 0;
    if (!ok) {
        int why = errno;

        unlink(part);
        errno = why;
    }
    free(part);
    return ok;
}

bool explain_write(const char *path, explain_writer writer, const void *context)
{
    struct stat status;
    /* A device, a pipe or a link is written to; only a plain file is replaced as a whole. */
    bool ok = lstat(path, &status) == 0 && !S_ISREG(status.st_mode) ? write_into(path, writer, context)
                                                                    : replace(path, writer, context);

    if (!ok)
        fprintf(stderr, "cudasim: cannot write '%s': %s\n", path, strerror(errno));
    return ok;
}
