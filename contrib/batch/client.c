/*
 * client.c - libcurl's calls.
 */
#include "client.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOKEN = 128 };

struct client {
    CURL *curl;
    struct curl_slist *headers; /* the token is in one */
    char *url;                  /* without a slash at its end */
};

/* ------------------------------------------------------------------ who asks */

/* "NUMBER.SECRET", alone in the file; the white space around it is left out. */
static bool is_token(char *text)
{
    static const char secret[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t digits;

    text[strcspn(text, " \t\r\n")] = '\0';
    digits = strspn(text, "0123456789");
    return digits > 0 && text[digits] == '.' && text[digits + 1] &&
           strspn(text + digits + 1, secret) == strlen(text + digits + 1);
}

static bool read_token(const char *path, char token[TOKEN], struct error *error)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    ssize_t got = -1;
    bool ok;

    if (fd < 0)
        return error_usage(error, "cannot open the token's file '%.200s': %s", path, strerror(errno));
    ok = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    if (!ok)
        error_usage(error, "'%.200s' is not a regular file", path);
    else if ((ok = (status.st_mode & 077) == 0))
        got = read(fd, token, TOKEN - 1);
    else
        error_usage(error, "others may read '%.200s': chmod 600 it first", path);
    close(fd);
    token[got > 0 ? got : 0] = '\0';
    return ok && (is_token(token) || error_usage(error, "'%.200s' does not contain a token", path));
}

static bool is_server(const char *url)
{
    const char *name = strncmp(url, "https://", 8) == 0 ? url + 8 : strncmp(url, "http://", 7) == 0 ? url + 7 : "";

    return name[0] && name[strcspn(name, " \t\r\n\"\\?#@")] == '\0';
}

struct client *client_new(const char *url, const char *token_file, struct error *error)
{
    struct client *client = calloc(1, sizeof *client);
    char token[TOKEN], header[TOKEN + 32];

    if (!client) {
        error_toolkit(error, "out of memory");
        return NULL;
    }
    if (!is_server(url)) {
        error_usage(error, "'%.200s' is not a server's address, such as https://contest.example.org", url);
        goto fail;
    }
    if (!read_token(token_file, token, error))
        goto fail;
    snprintf(header, sizeof header, "Authorization: Bearer %s", token);
    client->headers = curl_slist_append(NULL, header);
    explicit_bzero(token, sizeof token);
    explicit_bzero(header, sizeof header);
    client->url = strdup(url);
    client->curl = curl_easy_init();
    if (!client->headers || !client->url || !client->curl ||
        !curl_slist_append(client->headers, "Content-Type: application/json") ||
        !curl_slist_append(client->headers, "Expect:")) {
        error_toolkit(error, "cannot start libcurl");
        goto fail;
    }
    for (size_t end = strlen(client->url); end > 0 && client->url[end - 1] == '/'; end--)
        client->url[end - 1] = '\0';
    return client;
fail:
    client_free(client);
    return NULL;
}

void client_free(struct client *client)
{
    if (!client)
        return;
    curl_slist_free_all(client->headers);
    curl_easy_cleanup(client->curl);
    free(client->url);
    free(client);
}

/* ------------------------------------------------------------------ one request */

struct transfer {
    struct client *client;
    struct client_reply *reply;
    size_t room, most;      /* of reply->body; the most that it may be */
    client_line *line;      /* of a stream that has begun; or NULL */
    void *context;
    bool stopped;           /* by `line` */
};

/* Puts a piece behind the body; false, which ends the transfer, where it has no room. */
static bool keep(struct transfer *transfer, const char *data, size_t size)
{
    struct client_reply *reply = transfer->reply;

    if (size > transfer->most || reply->size > transfer->most - size) {
        snprintf(reply->why, sizeof reply->why, "its answer is longer than %zu bytes", transfer->most);
        return false;
    }
    if (reply->size + size + 1 > transfer->room) {
        const size_t room = 2 * (reply->size + size + 1);
        char *grown = realloc(reply->body, room);

        if (!grown) {
            snprintf(reply->why, sizeof reply->why, "out of memory");
            return false;
        }
        reply->body = grown;
        transfer->room = room;
    }
    memcpy(reply->body + reply->size, data, size);
    reply->size += size;
    reply->body[reply->size] = '\0';
    return true;
}

/* Gives all whole lines away; what is left is the beginning of one. */
static bool give_lines(struct transfer *transfer)
{
    struct client_reply *reply = transfer->reply;
    char *at = reply->body, *end;

    while ((end = memchr(at, '\n', reply->size - (size_t)(at - reply->body)))) {
        if (end > at && !transfer->line(transfer->context, at, (size_t)(end - at))) {
            transfer->stopped = true;
            return false;
        }
        at = end + 1;
    }
    reply->size -= (size_t)(at - reply->body);
    memmove(reply->body, at, reply->size + 1);
    return true;
}

static size_t take(char *data, size_t one, size_t size, void *context)
{
    struct transfer *transfer = context;
    long status = 0;

    curl_easy_getinfo(transfer->client->curl, CURLINFO_RESPONSE_CODE, &status);
    transfer->reply->status = status;
    if (!keep(transfer, data, one * size))
        return 0;
    return transfer->line && status == 200 && !give_lines(transfer) ? 0 : one * size;
}

/* Whatever it does, it says what went wrong in reply->why. */
static void perform(struct transfer *transfer, const char *path, const char *body)
{
    CURL *curl = transfer->client->curl;
    struct client_reply *reply = transfer->reply;
    char *url = NULL, words[CURL_ERROR_SIZE] = "";
    curl_off_t retry = 0;
    CURLcode code;

    *reply = (struct client_reply){ 0 };
    if (asprintf(&url, "%s%s", transfer->client->url, path) < 0) {
        snprintf(reply->why, sizeof reply->why, "out of memory");
        return;
    }
    curl_easy_reset(curl); /* connections stay */
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, transfer->client->headers);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 30L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)CLIENT_SILENCE);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
    if (body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body));
    }
    code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &reply->status);
    curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry);
    reply->retry = (long)retry;
    if (code != CURLE_OK && !transfer->stopped && !reply->why[0])
        snprintf(reply->why, sizeof reply->why, "%s", words[0] ? words : curl_easy_strerror(code));
    free(url);
}

void client_ask(struct client *client, const char *path, const char *body, struct client_reply *reply)
{
    struct transfer transfer = { .client = client, .reply = reply, .most = CLIENT_REPLY };

    perform(&transfer, path, body);
    if (reply->why[0]) /* a half of an answer is none */
        reply->status = 0;
}

void client_stream(struct client *client, const char *path, client_line *line, void *context,
                   struct client_reply *reply)
{
    struct transfer transfer = { .client = client, .reply = reply, .most = CLIENT_LINE, .line = line,
                                 .context = context };

    perform(&transfer, path, NULL);
}
