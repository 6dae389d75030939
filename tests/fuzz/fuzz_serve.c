/*
 * fuzz_serve.c - what comes to the contest's server from outside: JSON bodies, forms of both kinds, cookies, tokens,
 * paths, and requests as they are.
 *
 * The whole server runs in this process, on a contest in memory, and each input is a request to it. The first byte says
 * which kind; the rest is the body, the header or the path. The server must answer, or end the connection, and nothing
 * may crash. Its limits of how often somebody asks are left out: limits.c is not linked.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>

#define main server_main
#include "contrib/serve/main_serve.c"
#undef main

enum { DEEP = 500 /* requests between two times that the contest is emptied */ };

static struct server server;
static struct contest contest;
static char folder[PATH_MAX], tokens[3][ACCOUNT_TOKEN], session[ACCOUNT_TOKEN], form[ACCOUNT_SECRET];
static uint16_t port;

/* ------------------------------------------------------------------ no limits in this fuzzer */

struct limits *limits_new(void) { return calloc(1, 1); }
void limits_free(struct limits *limits) { free(limits); }
bool limits_allow(struct limits *limits, enum limit_kind kind, const char *name)
{
    (void)limits, (void)kind, (void)name;
    return true;
}

/* ------------------------------------------------------------------ the contest */

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "fuzz_serve: %s: %s\n", what, why);
    abort();
}

static void put_file(const char *name, const char *text)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%.2000s/%s", folder, name);
    file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        give_up(path, strerror(errno));
}

static void make_contest(void)
{
    static char place[] = "/dev/shm/fuzz-serve-XXXXXX";
    char teams[PATH_MAX];

    if (!mkdtemp(place))
        give_up(place, strerror(errno));
    snprintf(folder, sizeof folder, "%s", place);
    snprintf(teams, sizeof teams, "%s/teams", place);
    mkdir(teams, 0755);
    put_file("contest.yaml", "name: Fuzz\nstart: 2020-01-01T00:00:00Z\nend: 2099-01-01T00:00:00Z\npractice: yes\n"
                             "require_box: none\nlimits: { batch: 100000, megabytes: 0.05 }\nproblems:\n  - id: A\n"
                             "    problem: mergesort\n    secret: sample\n");
    put_file("teams/ada.yaml", "name: Ada\n");
}

static void remove_contest(void) { tree_remove(folder); }

/* Tokens of a team, a program and the jury, and a session of the team. */
static void make_accounts(struct error *error)
{
    static const char *const names[] = { "ada", "loop", "prof" };
    static const enum role roles[] = { ROLE_TEAM, ROLE_PROGRAM, ROLE_JURY };
    struct account account;

    for (int i = 0; i < 3; i++)
        if (!account_make_token(&server.store, names[i], roles[i], tokens[i], error))
            give_up("a token", error->text);
    if (!account_by_token(&server.store, tokens[0], &account, error) ||
        !account_log_in(&server.store, &account, session, error) ||
        !account_by_session(&server.store, session, &account, form, error))
        give_up("a session", error->text);
}

static void start(void)
{
    static char build[PATH_MAX], root[PATH_MAX];
    struct http *http;
    struct error error = { 0 };
    struct http_config config = { .listen_address = "127.0.0.1", .context = &server, .begin = server_begin,
                                  .get = server_get, .post = server_post, .tick = server_tick,
                                  .holds = server_holds, .connections = HTTP_CONNECTIONS };

    signal(SIGPIPE, SIG_IGN);
    make_contest();
    atexit(remove_contest);
    server = (struct server){ .contest = &contest, .folder = folder, .root = root, .id = "fuzz" };
    if (sodium_init() < 0 || !root_find(build, root, sizeof root, &error) ||
        !contest_load(&contest, folder, &error) || !open_all(&server, &error))
        give_up("the contest", error.text);
    make_accounts(&error);
    config.most = (size_t)(contest.megabytes * 1048576) * 2 + 65536;
    http = http_start(&config, &error);
    if (!http)
        give_up("the server", error.text);
    port = http_port(http);
}

/* Rows and files of submissions: the server is fast while there are few. */
static void empty_contest(void)
{
    static const char *const sql = "BEGIN IMMEDIATE; DELETE FROM batch_items; DELETE FROM batches; DELETE FROM"
                                   " clarifications; DELETE FROM judgements; DELETE FROM submissions; COMMIT";
    char path[PATH_MAX];
    sqlite3 *db = NULL;
    int status;

    snprintf(path, sizeof path, "%.2000s/grading/results.db", folder);
    status = sqlite3_open(path, &db);
    sqlite3_busy_timeout(db, 10000);
    if (status != SQLITE_OK || sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        give_up("cannot empty the contest", db ? sqlite3_errmsg(db) : "");
    sqlite3_close(db);
    snprintf(path, sizeof path, "%.2000s/grading/sources", folder);
    tree_remove(path);
    mkdir(path, 0755);
}

/* ------------------------------------------------------------------ requests */

/*
 * Sends, and reads until the server ends the connection. A whole request is answered, and no answer within a minute is
 * one that never comes; the server waits for the rest of half a request, and this does not.
 */
static void exchange(const char *head, size_t head_size, const uint8_t *body, size_t size, bool whole)
{
    const struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port),
                                         .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct pollfd ready = { .fd = fd, .events = POLLIN };
    char buffer[4096];

    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) != 0)
        give_up("cannot connect", strerror(errno));
    (void)!send(fd, head, head_size, MSG_NOSIGNAL);
    for (size_t done = 0; done < size;) {
        const ssize_t put = send(fd, body + done, size - done, MSG_NOSIGNAL);

        if (put <= 0)
            break; /* it has refused the rest */
        done += (size_t)put;
    }
    shutdown(fd, SHUT_WR);
    do {
        if (poll(&ready, 1, whole ? 60000 : 20) <= 0) {
            if (whole)
                give_up("no answer", "the server hangs");
            break;
        }
    } while (read(fd, buffer, sizeof buffer) > 0);
    close(fd);
}

/* A form's line, or a header, has no end of line in it. */
static void line_of(char *line, size_t size, const uint8_t *data, size_t length)
{
    const size_t kept = length < size - 1 ? length : size - 1;

    memcpy(line, data, kept);
    line[kept] = '\0';
    for (size_t i = 0; i < kept; i++)
        if (line[i] == '\r' || line[i] == '\n' || line[i] == '\0')
            line[i] = '.';
}

static void post(const char *path, const char *type, const char *token, bool by_session, const uint8_t *data,
                 size_t size)
{
    char head[1024];
    const int used = snprintf(head, sizeof head,
                              "POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: %s\r\n%s%s\r\n"
                              "Content-Length: %zu\r\n\r\n",
                              path, type, by_session ? "Cookie: session=" : token ? "Authorization: Bearer " : "X: ",
                              by_session ? session : token ? token : "", size);

    exchange(head, (size_t)used, data, size, true);
}

/* A page's form repeats a text that no input can know. */
static void post_form(const char *path, const uint8_t *data, size_t size)
{
    static const char type[] = "application/x-www-form-urlencoded";
    const size_t start = strlen("form=&") + strlen(form);
    uint8_t *body = malloc(start + size + 1);

    if (!body)
        return;
    snprintf((char *)body, start + 1, "form=%s&", form);
    memcpy(body + start, data, size);
    post(path, type, NULL, true, body, start + size);
    free(body);
}

static void get(const char *header, const char *path)
{
    char head[4096];
    const int used = snprintf(head, sizeof head, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s\r\n\r\n", path,
                              header);

    if (used > 0 && (size_t)used < sizeof head && !strstr(path, "event")) /* a stream does not end */
        exchange(head, (size_t)used, NULL, 0, true);
}

static void ask(int kind, const uint8_t *data, size_t size)
{
    static const char json[] = "application/json", multipart[] = "multipart/form-data; boundary=boundary",
                      plain[] = "application/x-www-form-urlencoded";
    char line[1024], header[1200];

    line_of(line, sizeof line, data, size);
    switch (kind) {
    case 'j': post("/judge", json, tokens[1], false, data, size); break;
    case 's': post("/api/contests/fuzz/submissions", json, tokens[0], false, data, size); break;
    case 'c': post("/api/contests/fuzz/clarifications", json, tokens[2], false, data, size); break;
    case 'm': post("/submit", multipart, tokens[0], false, data, size); break;
    case 'l': post("/login", plain, NULL, false, data, size); break;
    case 'q': post_form("/ask", data, size); break;
    case 'b': post("/balloon", plain, tokens[2], false, data, size); break;
    case 'k': snprintf(header, sizeof header, "Cookie: %s", line), get(header, "/my/index.html"); break;
    case 't': snprintf(header, sizeof header, "Authorization: %s", line), get(header, "/api/account"); break;
    case 'p':
        snprintf(header, sizeof header, "Authorization: Bearer %s", tokens[1]);
        line[strcspn(line, " ")] = '\0';
        get(header, line[0] == '/' ? line : "/judge/1");
        break;
    default: exchange((const char *)data, size, NULL, 0, false); break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned count;

    if (count++ == 0)
        start();
    else if (count % DEEP == 0)
        empty_contest();
    if (size > 0)
        ask(data[0], data + 1, size - 1);
    return 0;
}
