/*
 * http.c - libmicrohttpd's calls, the bodies, and the thread that makes changes.
 */
#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

#include "head.h"
#include "verify/base/clock.h"

enum state { STATE_HEAD, STATE_BODY, STATE_WAITS, STATE_READY, STATE_STREAM };

struct call {
    struct http *http;
    struct http_request request;
    struct http_reply reply;
    struct MHD_PostProcessor *form;
    enum state state;
    size_t taken;            /* bytes of the body, counted in http->bodies */
    size_t given;            /* bytes of the reply, counted in http->replies */
    size_t room;             /* of request.body */
    bool ends;               /* the connection is not to be believed any more */
    bool sleeps;             /* a stream whose connection is suspended */
    struct call *next;       /* in the queue, or among the streams */
    struct call *next_body;  /* among those whose bodies are in memory */
};

/* A connection, from its start: one whose request does not come, or whose reply does not go, is ended. */
struct client {
    struct MHD_Connection *connection;
    int64_t until;           /* when it is ended, clock_ns(); 0 while its request waits, and for a stream */
    struct client *next, *before;
};

struct http {
    struct http_config config;
    struct MHD_Daemon *daemon;
    pthread_t writer;
    pthread_mutex_t lock;    /* of all below */
    pthread_cond_t work;
    struct call *first, **last; /* requests that wait for the writer */
    struct call *streams;
    struct call *with_bodies;
    struct client *clients;
    size_t bodies, replies;  /* bytes */
    bool stops, started;
};

/* ------------------------------------------------------------------ requests */

const struct http_part *http_part(const struct http_request *request, const char *name)
{
    for (size_t i = 0; i < request->part_count; i++)
        if (strcmp(request->parts[i].name, name) == 0)
            return &request->parts[i];
    return NULL;
}

void http_text(struct http_reply *reply, unsigned status, const char *type, const char *text)
{
    free(reply->data);
    reply->status = status;
    reply->type = type;
    reply->size = strlen(text);
    reply->data = strdup(text);
    if (!reply->data)
        reply->status = MHD_HTTP_SERVICE_UNAVAILABLE, reply->size = 0;
}

static void count_body(struct call *call, size_t size)
{
    pthread_mutex_lock(&call->http->lock);
    if (call->taken == 0 && size > 0) {
        call->next_body = call->http->with_bodies;
        call->http->with_bodies = call;
    }
    call->http->bodies += size;
    pthread_mutex_unlock(&call->http->lock);
    call->taken += size;
}

/* Whether the bodies of that call's account, and those of its address, leave room for so much more. Under the lock. */
static bool has_share(const struct call *call, size_t size)
{
    const size_t two = 2 * call->http->config.most, most = two > HTTP_BODIES_EACH ? two : HTTP_BODIES_EACH;
    const struct http_request *own = &call->request;
    size_t account = size, address = size;

    for (const struct call *other = call->http->with_bodies; other; other = other->next_body) {
        const struct http_request *request = &other->request;

        if (request->account.token == own->account.token) /* 0 of all who are nobody yet */
            account += other->taken;
        if (strcmp(request->address, own->address) == 0)
            address += other->taken;
    }
    return account <= most && address <= 2 * most;
}

static bool body_fits(struct call *call, size_t size)
{
    bool fits, share;

    if (call->taken + size > call->request.most) {
        http_text(&call->reply, MHD_HTTP_CONTENT_TOO_LARGE, "text/plain; charset=utf-8",
                  "the request is larger than this contest allows\n");
        return false;
    }
    pthread_mutex_lock(&call->http->lock);
    fits = call->http->bodies + size <= HTTP_BODIES;
    share = has_share(call, size);
    pthread_mutex_unlock(&call->http->lock);
    if (fits && share)
        return true;
    http_text(&call->reply, share ? MHD_HTTP_SERVICE_UNAVAILABLE : MHD_HTTP_TOO_MANY_REQUESTS,
              "text/plain; charset=utf-8",
              share ? "too much is being sent at once: try again in some seconds\n"
                    : "this account or address sends too much at once: wait until the current transfer ends\n");
    call->reply.retry = 5;
    return false;
}

static bool append(char **data, size_t *used, size_t *room, const char *more, size_t size)
{
    if (*used + size + 1 > *room) {
        const size_t grown = *used + size + 1 > 2 * *room ? *used + size + 1 : 2 * *room;
        char *memory = realloc(*data, grown);

        if (!memory)
            return false;
        *data = memory;
        *room = grown;
    }
    memcpy(*data + *used, more, size);
    *used += size;
    (*data)[*used] = '\0';
    return true;
}

/*
 * Whether the last part is the one of that name, and is empty as yet: where a packet ends just before a part's data,
 * the library tells of its beginning twice.
 */
static bool is_begun(const struct http_request *request, const char *name, const char *file)
{
    const struct http_part *last = request->part_count > 0 ? &request->parts[request->part_count - 1] : NULL;

    return last && last->size == 0 && name && strcmp(last->name, name) == 0 &&
           strcmp(last->file, file ? file : "") == 0;
}

/* A piece of a form's field, in the library's way. */
static enum MHD_Result take_field(void *context, enum MHD_ValueKind kind, const char *name, const char *file,
                                  const char *type, const char *encoding, const char *data, uint64_t offset,
                                  size_t size)
{
    struct call *call = context;
    struct http_request *request = &call->request;
    struct http_part *part;

    (void)kind, (void)type, (void)encoding;
    if (offset == 0 && !is_begun(request, name, file)) {
        if (request->part_count == HTTP_PARTS || !name || strlen(name) >= HTTP_NAME ||
            (file && strlen(file) >= HTTP_NAME)) {
            http_text(&call->reply, MHD_HTTP_BAD_REQUEST, "text/plain; charset=utf-8",
                      "the form has too many parts, or one with too long a name or without one\n");
            return MHD_NO;
        }
        if (!file && http_part(request, name)) { /* which of them counts, nobody could say */
            http_text(&call->reply, MHD_HTTP_BAD_REQUEST, "text/plain; charset=utf-8", "the form has a field twice\n");
            return MHD_NO;
        }
        part = &request->parts[request->part_count++];
        snprintf(part->name, sizeof part->name, "%s", name);
        snprintf(part->file, sizeof part->file, "%s", file ? file : "");
    }
    if (request->part_count == 0) /* more of what was refused */
        return MHD_NO;
    part = &request->parts[request->part_count - 1];
    if (append(&part->data, &part->size, &part->room, data ? data : "", data ? size : 0))
        return MHD_YES;
    http_text(&call->reply, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain; charset=utf-8", "out of memory\n");
    return MHD_NO;
}

/* ------------------------------------------------------------------ replies */

static ssize_t read_stream(void *context, uint64_t position, char *buffer, size_t size)
{
    struct call *call = context;
    struct http *http = call->http;
    ptrdiff_t got;

    (void)position;
    /* Whoever has news marks the streams under the same lock: none can come between the look and the sleep. */
    pthread_mutex_lock(&http->lock);
    got = http->stops || !http->config.holds(http->config.context, &call->request)
              ? -1
              : call->reply.stream(call->reply.stream_context, &call->reply.stream_place, buffer, size);
    if (got == 0) {
        call->sleeps = true;
        MHD_suspend_connection(call->request.connection);
    }
    pthread_mutex_unlock(&http->lock);
    return got < 0 ? MHD_CONTENT_READER_END_OF_STREAM : got;
}

static void wake_streams(struct http *http)
{
    for (struct call *call = http->streams; call; call = call->next)
        if (call->sleeps) {
            call->sleeps = false;
            MHD_resume_connection(call->request.connection);
        }
}

void http_wake(struct http *http)
{
    pthread_mutex_lock(&http->lock);
    wake_streams(http);
    pthread_mutex_unlock(&http->lock);
}

static struct client *client_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

/* How long a connection has for what it does now; 0: as long as it likes. */
static void set_until(struct http *http, struct MHD_Connection *connection, int seconds)
{
    struct client *client = client_of(connection);

    pthread_mutex_lock(&http->lock);
    if (client)
        client->until = seconds > 0 ? clock_ns() + seconds * INT64_C(1000000000) : 0;
    pthread_mutex_unlock(&http->lock);
}

static void add_headers(struct MHD_Response *response, const struct http_reply *reply)
{
    char number[24];

    if (reply->type && reply->type[0])
        MHD_add_response_header(response, "Content-Type", reply->type);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "same-origin");
    MHD_add_response_header(response, "Cache-Control", reply->may_be_kept ? "public, max-age=1" : "no-store");
    MHD_add_response_header(response, "Content-Security-Policy",
                            reply->policy ? reply->policy : "default-src 'none'; frame-ancestors 'none'");
    if (reply->location[0])
        MHD_add_response_header(response, "Location", reply->location);
    if (reply->cookie[0])
        MHD_add_response_header(response, "Set-Cookie", reply->cookie);
    if (reply->file[0])
        MHD_add_response_header(response, "Content-Disposition", reply->file);
    if (reply->retry > 0) {
        snprintf(number, sizeof number, "%u", reply->retry);
        MHD_add_response_header(response, "Retry-After", number);
    }
    if (reply->status == MHD_HTTP_UNAUTHORIZED)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (reply->allow)
        MHD_add_response_header(response, "Allow", reply->allow);
}

/*
 * Whether there may be one stream more: streams do not end, and take nobody else's connections. A room of teams may
 * have one address. So an account has its own share. Who has none takes nothing of those, and nobody takes the jury's.
 */
static bool may_stream(const struct call *call)
{
    const struct http_request *own = &call->request;
    size_t jury = 0, others = 0, known = 0, address = 0, account = 0;

    for (const struct call *other = call->http->streams; other; other = other->next) {
        const struct http_request *request = &other->request;
        const enum role role = request->account.role;

        jury += role >= ROLE_JURY;
        others += role < ROLE_JURY;
        known += role < ROLE_JURY && role != ROLE_PUBLIC;
        address += role == ROLE_PUBLIC && strcmp(request->address, own->address) == 0;
        account += role != ROLE_PUBLIC && request->account.token == own->account.token;
    }
    if (own->account.role >= ROLE_JURY)
        return jury + others < HTTP_STREAMS;
    if (others >= HTTP_STREAMS_OTHERS)
        return false;
    return own->account.role == ROLE_PUBLIC ? others - known < HTTP_STREAMS_PUBLIC && address < HTTP_STREAMS_EACH
                                            : account < HTTP_STREAMS_TEAM;
}

/* Counts a reply among those that are being sent, until its request ends; false where it has no room. */
static bool count_reply(struct call *call)
{
    struct http *http = call->http;
    struct http_reply *reply = &call->reply;
    bool fits;

    pthread_mutex_lock(&http->lock);
    if (reply->stream) {
        fits = may_stream(call);
        if (fits) {
            call->next = http->streams;
            http->streams = call;
            call->state = STATE_STREAM;
        }
    } else {
        fits = http->replies + reply->size <= (reply->size > HTTP_PAGE ? HTTP_REPLIES / 2 : HTTP_REPLIES);
        call->given = fits ? reply->size : 0;
        http->replies += call->given;
    }
    pthread_mutex_unlock(&http->lock);
    return fits;
}

static enum MHD_Result send_reply(struct call *call)
{
    struct http_reply *reply = &call->reply;
    struct MHD_Response *response;
    enum MHD_Result result;

    if (!count_reply(call)) {
        reply->stream = NULL;
        reply->retry = 30;
        http_text(reply, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain; charset=utf-8",
                  "too much is being read at once: try again in a minute\n");
    }
    set_until(call->http, call->request.connection, reply->stream ? 0 : HTTP_REPLY_SECONDS);
    if (reply->stream) {
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16384, read_stream, call, NULL);
    } else {
        response = MHD_create_response_from_buffer(reply->size, reply->data, MHD_RESPMEM_MUST_FREE);
        if (response)
            reply->data = NULL;
    }
    if (!response)
        return MHD_NO;
    add_headers(response, reply);
    result = MHD_queue_response(call->request.connection, reply->status ? reply->status : 500, response);
    MHD_destroy_response(response);
    return result;
}

/* ------------------------------------------------------------------ the library's calls */

/* The first sight of a request: its head. */
static struct call *begin(struct http *http, struct MHD_Connection *connection, const char *path, const char *method)
{
    struct call *call = calloc(1, sizeof *call);
    struct http_request *request;
    const char *length, *why;
    char line[80];

    if (!call)
        return NULL;
    request = &call->request;
    call->http = http;
    request->connection = connection;
    request->path = path;
    request->method = strcmp(method, "POST") == 0                                   ? HTTP_POST
                      : strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 ? HTTP_GET
                                                                                    : HTTP_OTHER;
    request->most = http->config.most;
    head_find_address(request, http->config.proxy);
    why = head_refuse(request, line);
    if (why) {
        call->ends = true;
        http_text(&call->reply, MHD_HTTP_BAD_REQUEST, "text/plain; charset=utf-8", why);
        return call;
    }
    if (!http->config.begin(http->config.context, request, http_header(request, "Authorization"),
                            http_session(request), &call->reply))
        return call;
    if (request->method != HTTP_POST)
        return call;
    length = http_header(request, "Content-Length");
    if (length && strtoull(length, NULL, 10) > request->most) {
        body_fits(call, request->most + 1);
        return call;
    }
    request->parts = calloc(HTTP_PARTS, sizeof *request->parts);
    if (!request->raw) /* NULL for what is no form */
        call->form = MHD_create_post_processor(connection, 16384, take_field, call);
    if (!request->parts)
        http_text(&call->reply, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain; charset=utf-8", "out of memory\n");
    return call;
}

static void take_body(struct call *call, const char *data, size_t size)
{
    if (call->request.method != HTTP_POST || call->reply.status || !body_fits(call, size))
        return; /* the rest is read and dropped */
    count_body(call, size);
    if (call->form) {
        if (MHD_post_process(call->form, data, size) != MHD_YES && !call->reply.status)
            http_text(&call->reply, MHD_HTTP_BAD_REQUEST, "text/plain; charset=utf-8", "the form cannot be read\n");
        return;
    }
    if (!append(&call->request.body, &call->request.size, &call->room, data, size))
        http_text(&call->reply, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain; charset=utf-8", "out of memory\n");
}

/* All of it is there: it is answered at once, or put into the writer's queue. */
static enum MHD_Result answer(struct http *http, struct call *call)
{
    if (call->form) {
        const enum MHD_Result result = MHD_destroy_post_processor(call->form);

        call->form = NULL;
        if (result != MHD_YES && !call->reply.status)
            http_text(&call->reply, MHD_HTTP_BAD_REQUEST, "text/plain; charset=utf-8", "the form breaks off\n");
    }
    set_until(http, call->request.connection, 0);
    if (call->reply.status)
        return send_reply(call);
    if (call->request.method == HTTP_GET) {
        http->config.get(http->config.context, &call->request, &call->reply);
        return send_reply(call);
    }
    pthread_mutex_lock(&http->lock);
    if (http->stops) { /* the writer may have ended: nobody would wake it */
        pthread_mutex_unlock(&http->lock);
        http_text(&call->reply, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain; charset=utf-8", "the server stops\n");
        return send_reply(call);
    }
    call->state = STATE_WAITS;
    call->next = NULL;
    MHD_suspend_connection(call->request.connection);
    *http->last = call;
    http->last = &call->next;
    pthread_cond_signal(&http->work);
    pthread_mutex_unlock(&http->lock);
    return MHD_YES;
}

static enum MHD_Result take_request(void *context, struct MHD_Connection *connection, const char *path,
                                    const char *method, const char *version, const char *data, size_t *size,
                                    void **state)
{
    struct http *http = context;
    struct call *call = *state;

    (void)version;
    if (!call) {
        *state = call = begin(http, connection, path, method);
        if (!call)
            return MHD_NO;
        call->state = STATE_BODY;
        /* Before the body: the connection ends then. */
        if (call->reply.status && (call->ends || call->request.method == HTTP_POST))
            return send_reply(call);
        return MHD_YES;
    }
    if (call->state == STATE_READY)
        return send_reply(call);
    if (*size > 0) {
        take_body(call, data, *size);
        *size = 0;
        return MHD_YES;
    }
    return answer(http, call);
}

static void end_request(void *context, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode code)
{
    struct http *http = context;
    struct call *call = *state;

    (void)code;
    set_until(http, connection, HTTP_REQUEST_SECONDS);
    if (!call)
        return;
    if (call->form)
        MHD_destroy_post_processor(call->form);
    pthread_mutex_lock(&http->lock);
    http->bodies -= call->taken;
    for (struct call **at = &http->with_bodies; *at && call->taken > 0; at = &(*at)->next_body)
        if (*at == call) {
            *at = call->next_body;
            break;
        }
    http->replies -= call->given;
    for (struct call **at = &http->streams; *at && call->state == STATE_STREAM; at = &(*at)->next)
        if (*at == call) {
            *at = call->next;
            break;
        }
    pthread_mutex_unlock(&http->lock);
    for (size_t i = 0; call->request.parts && i < HTTP_PARTS; i++)
        free(call->request.parts[i].data);
    free(call->request.parts);
    free(call->request.body);
    free(call->reply.data);
    free(call);
    *state = NULL;
}

static void note_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                            enum MHD_ConnectionNotificationCode code)
{
    struct http *http = context;
    struct client *client = *socket_context;

    pthread_mutex_lock(&http->lock);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        client = calloc(1, sizeof *client);
        if (client) {
            *client = (struct client){ connection, clock_ns() + HTTP_REQUEST_SECONDS * INT64_C(1000000000),
                                       http->clients, NULL };
            if (http->clients)
                http->clients->before = client;
            http->clients = client;
        }
        *socket_context = client;
    } else if (client) {
        if (client->before)
            client->before->next = client->next;
        else
            http->clients = client->next;
        if (client->next)
            client->next->before = client->before;
        free(client);
        *socket_context = NULL;
    }
    pthread_mutex_unlock(&http->lock);
}

/* Who sends a byte now and then keeps the library's own limit, of idle connections, away. */
static void end_slow_clients(struct http *http)
{
    const int64_t now = clock_ns();

    for (struct client *client = http->clients; client; client = client->next) {
        const union MHD_ConnectionInfo *info;

        if (client->until == 0 || now < client->until)
            continue;
        info = MHD_get_connection_info(client->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        if (info)
            shutdown(info->connect_fd, SHUT_RDWR);
    }
}

/* ------------------------------------------------------------------ the writer */

static struct call *next_call(struct http *http)
{
    struct timespec until;
    struct call *call;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&http->lock);
    while (!http->first && !http->stops && pthread_cond_timedwait(&http->work, &http->lock, &until) == 0)
        ;
    call = http->first;
    if (call) {
        http->first = call->next;
        if (!http->first)
            http->last = &http->first;
        call->next = NULL;
    }
    end_slow_clients(http);
    pthread_mutex_unlock(&http->lock);
    return call;
}

static void *write_all(void *context)
{
    struct http *http = context;

    for (;;) {
        struct call *call = next_call(http);

        if (call) {
            http->config.post(http->config.context, &call->request, &call->reply);
            call->state = STATE_READY;
            MHD_resume_connection(call->request.connection);
        }
        if (http->config.tick(http->config.context))
            http_wake(http);
        pthread_mutex_lock(&http->lock);
        if (http->stops && !http->first) {
            pthread_mutex_unlock(&http->lock);
            return NULL;
        }
        pthread_mutex_unlock(&http->lock);
    }
}

/* ------------------------------------------------------------------ start and end */

static bool parse_address(const struct http_config *config, struct sockaddr_storage *address, socklen_t *size)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;

    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET, config->listen_address, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(config->port);
        *size = sizeof *v4;
        return true;
    }
    if (inet_pton(AF_INET6, config->listen_address, &v6->sin6_addr) != 1)
        return false;
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(config->port);
    *size = sizeof *v6;
    return true;
}

struct http *http_start(const struct http_config *config, struct error *error)
{
    struct http *http = calloc(1, sizeof *http);
    struct sockaddr_storage address;
    pthread_condattr_t monotonic;
    socklen_t size;

    if (!http) {
        error_toolkit(error, "out of memory");
        return NULL;
    }
    http->config = *config;
    http->last = &http->first;
    pthread_mutex_init(&http->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&http->work, &monotonic);
    if (!parse_address(config, &address, &size)) {
        error_usage(error, "'%.60s' is not an address to listen on, such as 127.0.0.1", config->listen_address);
        free(http);
        return NULL;
    }
    http->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | (address.ss_family == AF_INET6 ? MHD_USE_IPv6 : 0),
        config->port, NULL, NULL, take_request, http, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK, head_decode, NULL,
        MHD_OPTION_CONNECTION_LIMIT, config->connections, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        config->proxy ? 0u : config->connections / 2, MHD_OPTION_CONNECTION_TIMEOUT, 60u,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768, MHD_OPTION_NOTIFY_COMPLETED, end_request, http,
        MHD_OPTION_NOTIFY_CONNECTION, note_connection, http, MHD_OPTION_END);
    if (!http->daemon || pthread_create(&http->writer, NULL, write_all, http) != 0) {
        const int why = errno;

        error_toolkit(error, "cannot listen on %s port %u: %s%s", config->listen_address, config->port, strerror(why),
                      why == EADDRINUSE      ? "; use another --port, or --port 0 for any free one"
                      : why == EACCES        ? "; use a --port of 1024 or above"
                      : why == EADDRNOTAVAIL ? "; use an --address of this machine"
                                             : "");
        if (http->daemon)
            MHD_stop_daemon(http->daemon);
        free(http);
        return NULL;
    }
    return http;
}

uint16_t http_port(const struct http *http)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT);

    return info ? info->port : 0;
}

void http_stop(struct http *http)
{
    pthread_mutex_lock(&http->lock);
    http->stops = true;
    pthread_cond_signal(&http->work);
    pthread_mutex_unlock(&http->lock);
    pthread_join(http->writer, NULL);
    http_wake(http); /* no suspended connection may be there when the daemon is stopped */
    MHD_stop_daemon(http->daemon);
    pthread_cond_destroy(&http->work);
    pthread_mutex_destroy(&http->lock);
    free(http);
}
