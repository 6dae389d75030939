/*
 * main_serve.c - server CONTEST [--address A] [--port P]: a contest over HTTP.
 *
 * The day-to-day way in is run_scripts/serve.sh. It takes submissions into the grader's database and shows what is in
 * it; graders and scoreboards are other processes, and any of them may end and begin at any time.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contrib/clics/words.h"
#include "contrib/grade/guard.h"
#include "script.h"
#include "server.h"
#include "verify/base/clock.h"
#include "verify/base/number.h"
#include "verify/base/root.h"
#include "verify/base/tree.h"

/* A request waits so long for another program that writes to the database; who made it may ask again. */
enum { BUSY_MS = 10000 };

static const char help[] =
    "usage: server CONTEST [--address ADDRESS] [--port PORT] [--id ID] [--proxy]\n"
    "\n"
    "Serves the contest in the folder CONTEST until it is stopped: pages for participants and spectators, and a CLICS\n"
    "Contest API 2023-06 below /api. Prints the address when it is ready.\n"
    "\n"
    "  --address ADDRESS  listen on this address (default: 127.0.0.1, only this machine; for others use a web server\n"
    "                     with TLS in front)\n"
    "  --port PORT        listen on this port; 0 for any free one (default: 8080)\n"
    "  --id ID            the contest's ID in the API (default: from the name of the folder)\n"
    "  --proxy            a web server is in front, and sends the client's address in X-Forwarded-For\n"
    "\n"
    "exit codes: 0 stopped, 2 usage, 3 the toolkit or the machine failed\n";

struct options {
    const char *contest, *address, *id;
    int64_t port;
    bool proxy;
};

static bool take_options(struct options *options, int argc, char **argv, struct error *error)
{
    static const struct option known[] = { { "address", required_argument, NULL, 'a' },
                                           { "port", required_argument, NULL, 'p' },
                                           { "id", required_argument, NULL, 'i' },
                                           { "proxy", no_argument, NULL, 'x' },
                                           { 0 } };
    int option;

    *options = (struct options){ .address = "127.0.0.1", .port = 8080 };
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":", known, NULL)) != -1) {
        switch (option) {
        case 'a': options->address = optarg; break;
        case 'i': options->id = optarg; break;
        case 'x': options->proxy = true; break;
        case 'p':
            if (!number_integer(optarg, 0, 65535, &options->port))
                return error_usage(error, "--port: '%.60s' is not a number from 0 to 65535", optarg);
            break;
        default: return error_option(error, option, argv[optind - 1], "build/server");
        }
    }
    if (optind + 1 != argc)
        return error_usage(error, "give a contest's folder; see build/server --help");
    if (options->id && !clics_is_id(options->id))
        return error_usage(error, "--id: '%.60s' is not an ID: use 1 to 36 of a-z A-Z 0-9 _ . -, no - or . at the "
                                  "start, no . at the end",
                           options->id);
    options->contest = argv[optind];
    return true;
}

/* One server a contest; the lock ends with the process. The grader looks for `submissions`, where nothing need be. */
static bool take_lock(const char *folder, struct error *error)
{
    static const char *const folders[] = { "submissions", "grading", "grading/sources" };
    char path[PATH_MAX];
    int fd;

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(path, sizeof path, "%.3000s/%s", folder, folders[i]);
        if (mkdir(path, 0755) != 0 && errno != EEXIST)
            return error_system(error, "cannot make the folder '%s'", path);
    }
    snprintf(path, sizeof path, "%.3000s/grading/serve-lock", folder);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return error_system(error, "cannot open '%s'", path);
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || error_usage(error, "another server serves '%s' already", folder);
}

/* Where the time of submissions goes on: at that of the last one, unless the clock is past it, as it should be. */
static bool read_stamp(struct server *server, struct error *error)
{
    sqlite3_stmt *row = store_prepare(&server->store, error,
                                      "SELECT max((SELECT coalesce(max(found), 0) FROM submissions), (SELECT"
                                      " coalesce(max(made), 0) FROM clarifications))", "");
    const bool ok = store_step(&server->store, row, error) == STORE_ROW;

    server->stamp = ok ? sqlite3_column_double(row, 0) : 0;
    server->stamp_ns = clock_ns();
    sqlite3_finalize(row);
    sqlite3_busy_timeout(server->store.db, BUSY_MS);
    return ok;
}

static bool open_all(struct server *server, struct error *error)
{
    char path[PATH_MAX];
    bool changed;

    store_path(server->folder, path);
    snprintf(server->upload, sizeof server->upload, "%.3000s/grading/upload", server->folder);
    layout_style_digest(server->style, sizeof server->style);
    layout_digest(serve_script, server->script, sizeof server->script);
    server->limits = limits_new();
    server->boards = board_cache_new();
    server->intake = (struct intake){ .contest = server->contest, .folder = server->folder,
                                      .incoming = "incoming-server" };
    if (!server->limits || !server->boards)
        return error_toolkit(error, "out of memory");
    return take_lock(server->folder, error) && guard_before(server->folder, error) &&
           store_open(&server->store, path, STORE_WRITE, error) &&
           guard_opened(server->folder, &server->store, error) &&
           read_stamp(server, error) &&
           store_open(&server->look, path, STORE_READ, error) &&
           store_open(&server->accounts, path, STORE_READ_SECRET, error) &&
           (server->news = news_open(server->contest, server->folder, server->root, server->id, error)) != NULL &&
           news_look(server->news, &changed, error);
}

static void close_all(struct server *server)
{
    if (server->news)
        news_close(server->news);
    api_release(server);
    if (server->boards)
        board_cache_free(server->boards);
    if (server->accounts.db)
        store_close(&server->accounts);
    if (server->look.db)
        store_close(&server->look);
    if (server->store.db)
        store_close(&server->store);
    intake_release(&server->intake);
    limits_free(server->limits);
    tree_remove(server->upload);
}

/*
 * How many connections there may be at once: as many as open files are allowed, but for those of the database and the
 * pages. *connections; a line on standard error where they are fewer than they should be.
 */
static bool find_connections(unsigned *connections, struct error *error)
{
    enum { OWN = 64, LEAST = 64 };
    struct rlimit files;

    *connections = HTTP_CONNECTIONS;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return error_system(error, "cannot read the limit of open files");
    if (files.rlim_cur < HTTP_CONNECTIONS + OWN) {
        files.rlim_cur = files.rlim_max < HTTP_CONNECTIONS + OWN ? files.rlim_max : HTTP_CONNECTIONS + OWN;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur >= HTTP_CONNECTIONS + OWN)
        return true;
    if (files.rlim_cur < OWN + LEAST)
        return error_usage(error, "only %ju files may be open, and the server needs %d: raise the limit (ulimit -n)",
                           (uintmax_t)files.rlim_cur, OWN + LEAST);
    *connections = (unsigned)files.rlim_cur - OWN;
    fprintf(stderr, "serve: only %ju files may be open: %u connections at once instead of %d (ulimit -n)\n",
            (uintmax_t)files.rlim_cur, *connections, HTTP_CONNECTIONS);
    return true;
}

static bool serve(struct server *server, const struct options *options, struct error *error)
{
    struct http_config config = { .listen_address = options->address,
                                        .port = (uint16_t)options->port,
                                        .proxy = options->proxy,
                                        /* a form or JSON around it, and base64 */
                                        .most = (size_t)(server->contest->megabytes * 1048576) * 2 + 65536,
                                        .context = server,
                                        .begin = server_begin,
                                        .get = server_get,
                                        .post = server_post,
                                        .tick = server_tick,
                                        .holds = server_holds };
    struct http *http;
    sigset_t signals;
    int got;

    if (!find_connections(&config.connections, error))
        return false;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL); /* before there are threads */
    signal(SIGPIPE, SIG_IGN);
    http = http_start(&config, error);
    if (!http)
        return false;
    printf(strchr(options->address, ':') ? "http://[%s]:%u/\n" : "http://%s:%u/\n", options->address,
           http_port(http));
    fflush(stdout);
    sigwait(&signals, &got);
    http_stop(http);
    return true;
}

static bool run(const struct options *options, struct error *error)
{
    static char folder[PATH_MAX], root[PATH_MAX], build[PATH_MAX], id[CLICS_ID];
    static struct contest contest;
    struct server server = { .contest = &contest, .folder = folder, .root = root, .id = id };
    bool ok;

    if (!realpath(options->contest, folder) || strlen(folder) > PATH_MAX / 2)
        return error_usage(error, "cannot open the folder '%s': %s", options->contest, strerror(errno));
    if (sodium_init() < 0)
        return error_toolkit(error, "cannot start libsodium");
    if (!root_find(build, root, sizeof root, error) || !contest_load(&contest, folder, error))
        return false;
    clics_id("c", options->id ? options->id : strrchr(folder, '/') + 1, id);
    ok = open_all(&server, error) && serve(&server, options, error);
    close_all(&server);
    contest_release(&contest);
    return ok;
}

int main(int argc, char **argv)
{
    struct options options;
    struct error error = { 0 };

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(help, stdout) < 0;
    umask(022);
    if (take_options(&options, argc, argv, &error) && run(&options, &error))
        return 0;
    fprintf(stderr, "server: %s\n", error.text);
    return (int)error.code;
}
