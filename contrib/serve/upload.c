/*
 * upload.c - files of a request into the grader's intake.
 *
 * They are written to a folder of the server's own. No name that a team chose becomes part of a path before name_is()
 * has seen it. The time of a submission is that of this writing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server.h"
#include "verify/base/name.h"
#include "verify/base/tree.h"

static bool write_file(int folder, const struct upload_file *file, struct error *error)
{
    const int fd = openat(folder, file->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    size_t done = 0;
    bool ok = fd >= 0;

    while (ok && done < file->size) {
        const ssize_t written = write(fd, file->data + done, file->size - done);

        ok = written > 0;
        done += ok ? (size_t)written : 0;
    }
    if (!ok)
        error_system(error, "cannot write an upload");
    if (fd >= 0)
        close(fd);
    return ok;
}

/* In an empty folder: the file, or a folder `title` with all of them. */
static bool write_files(struct server *server, const struct upload_file *files, size_t count, const char *title,
                        int *folder, struct error *error)
{
    int inner = -1;
    bool ok;

    tree_remove(server->upload);
    *folder = mkdir(server->upload, 0700) == 0 ? open(server->upload, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (*folder < 0)
        return error_system(error, "cannot make '%s'", server->upload);
    if (count == 1)
        return write_file(*folder, &files[0], error);
    if (mkdirat(*folder, title, 0700) == 0)
        inner = openat(*folder, title, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    ok = inner >= 0 || error_system(error, "cannot make a folder for an upload");
    for (size_t i = 0; ok && i < count; i++)
        ok = write_file(inner, &files[i], error);
    if (inner >= 0)
        close(inner);
    return ok;
}

const char *upload_refuse(const struct upload_file *files, size_t count, const char *title)
{
    if (count == 0)
        return "it has no file";
    if (count > 1 && !name_is(title, NAME_FILE))
        return "a folder's name may have letters, digits and _ . + -, not beginning with -";
    for (size_t i = 0; i < count; i++) {
        if (strchr(files[i].name, '/') || !name_is(files[i].name, count > 1 ? NAME_FILE : NAME_TEXT) ||
            files[i].name[0] == '.')
            return "a file's name may have letters, digits and _ . + -, not beginning with - or .";
        for (size_t k = 0; k < i; k++)
            if (strcmp(files[i].name, files[k].name) == 0)
                return "two files have the same name";
    }
    return NULL;
}

static const char *words_of(enum intake_answer answer)
{
    return answer == INTAKE_FULL ? "your queue is full: wait until one of your submissions is judged"
           : answer == INTAKE_GONE ? "there is nothing in it"
                                   : "it is not a .cu, .c or .cc file, an archive, or a folder of files";
}

bool upload_take(struct server *server, const struct http_request *request, const char *team, const char *problem,
                 const struct upload_file *files, size_t count, const char *title, int64_t *number,
                 struct http_reply *reply)
{
    const char *why = upload_refuse(files, count, title), *name = count == 1 ? files[0].name : title;
    struct error error = { 0 };
    enum intake_answer answer = INTAKE_GONE;
    int folder = -1;
    bool ok;

    if (!server_has_begun(server, request, reply))
        return false;
    if (why) {
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, why);
        return false;
    }
    server->intake.now = server_now(server);
    ok = write_files(server, files, count, title, &folder, &error) &&
         intake_take(&server->intake, &server->store, team, problem, folder, name, &answer, &error);
    if (folder >= 0)
        close(folder);
    tree_remove(server->upload);
    if (!ok) {
        server_failed(request, reply, &error);
    } else if (answer != INTAKE_TAKEN) {
        server_refuse(request, reply, answer == INTAKE_FULL ? MHD_HTTP_TOO_MANY_REQUESTS : MHD_HTTP_BAD_REQUEST,
                      words_of(answer));
        reply->retry = answer == INTAKE_FULL ? 10 : 0;
    }
    *number = server->intake.last;
    return ok && answer == INTAKE_TAKEN;
}
