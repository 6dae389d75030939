/*
 * http.h - requests and replies, by GNU libmicrohttpd: one thread talks to all clients, another makes all changes.
 *
 * Bodies have a limit each and one together, connections a limit of number and of time, so that no client can make the
 * server wait or grow. It knows nothing of contests.
 */
#ifndef SERVE_HTTP_H
#define SERVE_HTTP_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/grade/store/accounts.h"
#include "verify/base/error.h"

enum {
    HTTP_PARTS = 128,            /* fields and files of one form */
    HTTP_NAME = 256,             /* bytes of a field's or a file's name, with the final zero */
    HTTP_CONNECTIONS = 1024,
    HTTP_STREAMS = 768,          /* connections that are streams, */
    HTTP_STREAMS_OTHERS = 704,   /* those that are not the jury's, */
    HTTP_STREAMS_TEAM = 32,      /* of one account, */
    HTTP_STREAMS_PUBLIC = 384,   /* of all who have no account, */
    HTTP_STREAMS_EACH = 256,     /* and of one address among these */
    HTTP_REQUEST_SECONDS = 30,   /* until a request is there, head and body */
    HTTP_REPLY_SECONDS = 300,    /* until a reply is gone, that is no stream */
    HTTP_BODIES = 256 << 20,     /* bytes of all bodies together */
    HTTP_BODIES_EACH = 64 << 20, /* of one account, or two whole ones where that is more; of an address twice that */
    HTTP_REPLIES = 256 << 20,    /* and of all replies; half of it is for those of at most */
    HTTP_PAGE = 1 << 20,         /* so many: slow readers of archives keep nobody from the pages */
};

enum http_method { HTTP_GET, HTTP_POST, HTTP_OTHER }; /* HEAD is GET */

/* A field of a form, or a file. */
struct http_part {
    char name[HTTP_NAME], file[HTTP_NAME]; /* file: "" for a field */
    char *data;                            /* [size], and a zero behind */
    size_t size, room;
};

struct http_request {
    enum http_method method;
    const char *path;              /* decoded, begins with / */
    char address[64];              /* the client's */
    struct account account;        /* who asks */
    char form[ACCOUNT_SECRET];     /* what a form of that session must repeat; "" without a session */
    bool local;                    /* from this machine, and not by way of a proxy */
    struct http_part *parts;       /* [part_count] of a form */
    size_t part_count;
    size_t most;                   /* bytes of its body; `begin` may make it less */
    bool raw;                      /* set by `begin`: the body is taken as it is, whatever it calls itself */
    char *body;                    /* [size], and a zero behind: of what is no form; or NULL */
    size_t size;
    struct MHD_Connection *connection;
};

/*
 * What flows for as long as the client wants it: fills `buffer` with up to `size` bytes from *place on, which it moves;
 * 0 where there is nothing now, -1 at the end. Called by the thread that talks to clients.
 */
typedef ptrdiff_t http_stream(void *context, int64_t *place, char *buffer, size_t size);

struct http_reply {
    unsigned status;               /* 0 is never sent */
    const char *type;              /* of a literal; "" for none */
    char *data;                    /* [size], malloc()ed; the reply's to free */
    size_t size;
    char location[256], cookie[256], file[64]; /* headers, where they are not "" */
    const char *policy;            /* Content-Security-Policy, for what is no page of ours: or NULL */
    unsigned retry;                /* Retry-After, seconds; 0 for none */
    bool may_be_kept;              /* by caches, for a second; else by nobody */
    const char *allow;             /* of 405: what the address takes instead; or NULL */
    http_stream *stream;           /* in place of data; or NULL */
    void *stream_context;
    int64_t stream_place;
};

struct http_config {
    const char *listen_address;    /* "127.0.0.1", "::1", "0.0.0.0" */
    uint16_t port;                 /* 0: any that is free */
    bool proxy;                    /* the client's address is the last of the last X-Forwarded-For */
    size_t most;                   /* bytes of a body */
    unsigned connections;          /* at once, at most HTTP_CONNECTIONS; half of them of one address */
    void *context;
    /*
     * Before a body is read: who asks, and whether that is in order; else it fills the reply, and the body is not read.
     * `authorization` and `session`, a cookie, are NULL where there is none.
     */
    bool (*begin)(void *context, struct http_request *request, const char *authorization, const char *session,
                  struct http_reply *reply);
    void (*get)(void *context, struct http_request *request, struct http_reply *reply);
    void (*post)(void *context, struct http_request *request, struct http_reply *reply); /* by the other thread */
    bool (*tick)(void *context);   /* by the other thread, every 0.1 s and after each post: whether streams go on */
    bool (*holds)(void *context, const struct http_request *request); /* whether its stream may still be read */
};

/*
 * The name of the cookie of a session. With TLS in front it begins with "__Host-": browsers then take it from this host
 * alone, so no neighbour of the same domain can put its own session into a browser. To be used with "Secure".
 */
#define HTTP_SESSION_LOCAL "session"
#define HTTP_SESSION "__Host-session"

struct http;

struct http *http_start(const struct http_config *config, struct error *error);
uint16_t http_port(const struct http *http);

/* Streams look again whether there is something. By any thread. */
void http_wake(struct http *http);
void http_stop(struct http *http);

/* The session that the request's cookie names, or NULL. */
const char *http_session(const struct http_request *request);

/* A header's value of the request, or NULL. */
const char *http_header(const struct http_request *request, const char *name);

/* The value of an argument in the address, or NULL, in *value; false where it is given twice. */
bool http_query(const struct http_request *request, const char *name, const char **value);

/* A field or file of a form, or NULL. */
const struct http_part *http_part(const struct http_request *request, const char *name);

/* Fills a reply with a text, which is copied. */
void http_text(struct http_reply *reply, unsigned status, const char *type, const char *text);

#endif
