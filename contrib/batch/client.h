/*
 * client.h - requests to a contest's server with a token, by libcurl.
 *
 * http and https alone, no redirects, the server's certificate is checked. The token is read from a file that nobody
 * else may read, and is in no argument, no environment and no message.
 */
#ifndef BATCH_CLIENT_H
#define BATCH_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

enum {
    CLIENT_REPLY = 64 << 20,    /* bytes of a reply, at most */
    CLIENT_LINE = 1 << 20,      /* and of a line of a stream */
    CLIENT_SILENCE = 90,        /* seconds without a byte: the server says something every 25 s */
};

struct client;

/* `token_file` of mode 0600 or less; `url` without a path is the server's. NULL with an error. */
struct client *client_new(const char *url, const char *token_file, struct error *error);
void client_free(struct client *client);

struct client_reply {
    long status;     /* of HTTP; 0: no answer came */
    long retry;      /* seconds of Retry-After; 0 for none */
    char *body;      /* [size], and a zero behind; the caller's to free */
    size_t size;
    char why[256];   /* why there is no answer */
};

/* GET, or POST of a JSON text where `body` is not NULL. */
void client_ask(struct client *client, const char *path, const char *body, struct client_reply *reply);

/*
 * GET of a stream: calls `line` with each line that is not empty, without its end, until the server ends it, the
 * connection breaks or `line` is false. Where it began reply->status is 200; where it was ended well reply->why is "".
 */
typedef bool client_line(void *context, const char *text, size_t size);
void client_stream(struct client *client, const char *path, client_line *line, void *context,
                   struct client_reply *reply);

#endif
