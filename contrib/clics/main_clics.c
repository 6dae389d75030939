/*
 * main_clics.c - clics CONTEST --out DIR: a graded contest as the files of a CLICS Contest API 2023-06.
 *
 * The day-to-day way in is run_scripts/clics.sh. Reads the results alone; writes DIR/NAME.json for every endpoint, each
 * at once by way of NAME.json.part, and last DIR/event-feed.ndjson, so that nobody hears of a change before it can be
 * seen.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "feed.h"
#include "objects.h"
#include "source.h"
#include "verify/base/root.h"
#include "words.h"

static const char help[] =
    "usage: clics CONTEST --out DIR [--public] [--id ID] [--at TIME] [--since TOKEN]\n"
    "\n"
    "Writes the results of the contest in the folder CONTEST to DIR as a CLICS Contest API 2023-06: NAME.json for "
    "each\n"
    "endpoint, and event-feed.ndjson, to which every call appends the changes. Without --public it also writes\n"
    "the submitted files: submissions/N/files, a zip archive.\n"
    "\n"
    "  --public       write only what everybody may see: nothing before the start, no verdicts of the freeze\n"
    "                 until the thaw\n"
    "  --id ID        the contest's ID (default: from the name of the folder)\n"
    "  --at TIME      the state of the contest at that moment (default: now); the results are the current ones\n"
    "  --since TOKEN  print the notifications after that token, including those of this call\n"
    "\n"
    "exit codes: 0 done, 2 usage, 3 the toolkit failed\n";

struct options {
    const char *contest, *out, *id, *since;
    bool public_view;
    double at;
};

static bool take_options(struct options *options, int argc, char **argv, struct error *error)
{
    static const struct option known[] = {
        { "out", required_argument, NULL, 'o' },   { "public", no_argument, NULL, 'p' },
        { "id", required_argument, NULL, 'i' },    { "at", required_argument, NULL, 'a' },
        { "since", required_argument, NULL, 's' }, { 0 }
    };
    int option;

    *options = (struct options){ .at = (double)time(NULL) };
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":", known, NULL)) != -1) {
        switch (option) {
        case 'o': options->out = optarg; break;
        case 'p': options->public_view = true; break;
        case 'i': options->id = optarg; break;
        case 's': options->since = optarg; break;
        case 'a':
            if (!contest_time(optarg, &options->at))
                return error_usage(error, "--at: '%.60s' is not a time such as 2026-05-01T09:00:00Z", optarg);
            break;
        default: return error_option(error, option, argv[optind - 1], "build/clics");
        }
    }
    if (optind + 1 != argc || !options->out)
        return error_usage(error, "give a contest's folder and --out DIR; see build/clics --help");
    if (options->id && !clics_is_id(options->id))
        return error_usage(error, "--id: '%.60s' is not an ID: use 1 to 36 of a-z A-Z 0-9 _ . -, no - or . at the "
                                  "start, no . at the end",
                           options->id);
    options->contest = argv[optind];
    return true;
}

/* The folder, made where it is not there, and locked: a descriptor, or -1. */
static int open_out(const char *out, struct error *error)
{
    int fd;

    if (mkdir(out, 0755) != 0 && errno != EEXIST) {
        error_system(error, "cannot make the folder '%s'", out);
        return -1;
    }
    fd = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        error_system(error, "cannot open the folder '%s'", out);
    else if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    else
        error_usage(error, "another clics is writing '%s'", out);
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool write_file(int folder, const char *name, const char *text, size_t size, struct error *error)
{
    char part[80];
    int fd;
    size_t done = 0;
    bool ok;

    snprintf(part, sizeof part, "%s.part", name);
    unlinkat(folder, part, 0);
    fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    ok = fd >= 0;
    while (ok && done < size) {
        ssize_t written = write(fd, text + done, size - done);

        ok = written > 0 || (written < 0 && errno == EINTR);
        done += written > 0 ? (size_t)written : 0;
    }
    ok = ok && fsync(fd) == 0;
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    ok = ok && renameat(folder, part, folder, name) == 0;
    if (ok)
        return true;
    error_system(error, "cannot write '%s'", name);
    unlinkat(folder, part, 0);
    return false;
}

static bool write_endpoints(int folder, json_t *objects, struct error *error)
{
    const char *name;
    json_t *value;
    bool ok = true;

    json_object_foreach(objects, name, value) {
        char file[64], *text = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        const size_t size = text ? strlen(text) : 0;

        snprintf(file, sizeof file, "%s.json", name);
        if (text)
            text[size] = '\n'; /* in place of the final zero */
        ok = ok && (text ? write_file(folder, file, text, size + 1, error) : error_toolkit(error, "out of memory"));
        free(text);
    }
    return ok;
}

/* What tells the feeds of contests and views apart: the contest's random name in the database. */
static bool feed_prefix(struct store *store, bool public_view, char prefix[32], struct error *error)
{
    sqlite3_stmt *statement = store_prepare(store, error, "SELECT token FROM contest", "");
    const enum store_row row = store_step(store, statement, error);

    snprintf(prefix, 32, "%c%.12s", public_view ? 'p' : 'f',
             row == STORE_ROW ? (const char *)sqlite3_column_text(statement, 0) : "");
    sqlite3_finalize(statement);
    return row == STORE_ROW ||
           (row == STORE_END && error_usage(error, "%s: nothing was graded yet", store->path));
}

/* What was handed in, as the objects say where it is: NUMBER/files below submissions/. Each is written once. */
static bool write_sources(int folder, const struct view *view, const json_t *objects, struct error *error)
{
    const json_t *submission;
    bool ok = true;
    size_t i;

    json_array_foreach(json_object_get(objects, "submissions"), i, submission) {
        const char *id = json_string_value(json_object_get(submission, "id"));
        char path[64], *zip = NULL;
        size_t size = 0;

        snprintf(path, sizeof path, "submissions/%.40s", id);
        if (!ok || json_array_size(json_object_get(submission, "files")) == 0)
            continue;
        if ((mkdirat(folder, "submissions", 0755) != 0 && errno != EEXIST) ||
            (mkdirat(folder, path, 0755) != 0 && errno != EEXIST))
            return error_system(error, "cannot make the folder '%s'", path);
        strcat(path, "/files");
        if (faccessat(folder, path, F_OK, 0) == 0)
            continue;
        ok = source_zip(view->folder, strtoll(id, NULL, 10), &zip, &size, error) &&
             write_file(folder, path, zip, size, error);
        free(zip);
    }
    return ok;
}

static bool publish(const struct options *options, const struct view *view, struct error *error)
{
    struct feed feed = { 0 };
    char path[PATH_MAX], prefix[32];
    json_t *objects = NULL;
    int folder = open_out(options->out, error);
    bool ok = folder >= 0;

    snprintf(path, sizeof path, "%.3000s/event-feed.ndjson", options->out);
    ok = ok && feed_prefix(view->store, view->public_view, prefix, error) && feed_load(&feed, path, prefix, error) &&
         (objects = objects_read(view, error)) && feed_append(&feed, objects, error) &&
         write_sources(folder, view, objects, error) &&
         write_endpoints(folder, objects, error) &&
         write_file(folder, "event-feed.ndjson", feed.text, feed.size, error) &&
         (!options->since || feed_print_since(&feed, options->since, stdout, error)) &&
         (fflush(stdout) == 0 || error_system(error, "cannot write"));
    json_decref(objects);
    feed_release(&feed);
    if (folder >= 0)
        close(folder);
    return ok;
}

static bool run(const struct options *options, struct error *error)
{
    static char folder[PATH_MAX], root[PATH_MAX], build[PATH_MAX], path[PATH_MAX];
    static struct contest contest;
    struct store store = { 0 };
    char id[CLICS_ID];
    struct view view = { .contest = &contest,
                         .store = &store,
                         .folder = folder,
                         .root = root,
                         .id = id,
                         .public_view = options->public_view,
                         .now = options->at,
                         .serves_files = true };
    bool ok;

    if (!realpath(options->contest, folder) || strlen(folder) > PATH_MAX / 2)
        return error_usage(error, "cannot open the folder '%s': %s", options->contest, strerror(errno));
    if (!root_find(build, root, sizeof root, error) || !contest_load(&contest, folder, error))
        return false;
    clics_id("c", options->id ? options->id : strrchr(folder, '/') + 1, id);
    ok = store_find(folder, path, error) && store_open(&store, path, STORE_READ, error) &&
         publish(options, &view, error);
    if (store.db)
        store_close(&store);
    contest_release(&contest);
    return ok;
}

int main(int argc, char **argv)
{
    struct options options;
    struct error error = { 0 };

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(help, stdout) < 0;
    if (take_options(&options, argc, argv, &error) && run(&options, &error))
        return 0;
    fprintf(stderr, "clics: %s\n", error.text);
    return (int)error.code;
}
