/*
 * server.c - who asks, and which part answers.
 */
#include "server.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Bytes of a body without files: a question may have 4,000, each of three characters in a form. */
enum { SMALL = 32768 };

/* ------------------------------------------------------------------ who asks */

/* The token of "Bearer TOKEN", or of "Basic BASE64" as NAME:TOKEN; "" for none. */
static void read_authorization(const char *header, char *token, size_t size)
{
    token[0] = '\0';
    if (strncasecmp(header, "Bearer ", 7) == 0) {
        snprintf(token, size, "%s", header + 7);
    } else if (strncasecmp(header, "Basic ", 6) == 0) {
        unsigned char text[512];
        size_t length = 0;
        char *colon;

        if (sodium_base642bin(text, sizeof text - 1, header + 6, strlen(header + 6), " ", &length, NULL,
                              sodium_base64_VARIANT_ORIGINAL) != 0)
            return;
        text[length] = '\0';
        colon = strchr((char *)text, ':');
        if (colon)
            snprintf(token, size, "%s", colon + 1);
        sodium_memzero(text, sizeof text);
    }
}

static bool refuse_token(struct server *server, const struct http_request *request, struct http_reply *reply)
{
    if (!limits_allow(server->limits, LIMIT_TOKENS, request->address))
        return server_too_often(request, reply, "too many wrong tokens from this address: wait a minute");
    server_refuse(request, reply, MHD_HTTP_UNAUTHORIZED, "this token is not valid, or not valid any more");
    return false;
}

/* A right token is taken however many wrong ones came from its address: a whole room of teams may have one address. */
static bool find_account(struct server *server, struct http_request *request, const char *authorization,
                         const char *session, struct http_reply *reply)
{
    struct error error = { 0 };
    char token[ACCOUNT_TOKEN * 2];
    bool ok;

    if (authorization && authorization[0]) {
        read_authorization(authorization, token, sizeof token);
        ok = account_by_token(&server->accounts, token, &request->account, &error);
        sodium_memzero(token, sizeof token);
        if (ok && request->account.role == ROLE_PUBLIC)
            return refuse_token(server, request, reply);
    } else if (session && session[0]) {
        ok = account_by_session(&server->accounts, session, &request->account, request->form, &error);
        if (request->account.role == ROLE_PUBLIC)
            request->form[0] = '\0'; /* it is over: the page says so */
    } else {
        return true;
    }
    if (!ok)
        server_failed(request, reply, &error);
    return ok;
}

/*
 * Whether a browser sends this for a page of another site, as it says itself. A login has no session whose text its
 * form could repeat: another site could log a team in as its own, and get what that team then hands in. Browsers older
 * than Sec-Fetch-Site say which site the page is of.
 */
static bool is_from_elsewhere(const struct http_request *request)
{
    const char *site = http_header(request, "Sec-Fetch-Site"), *origin = http_header(request, "Origin"),
               *host = http_header(request, "Host"), *name = origin ? strstr(origin, "://") : NULL;

    if (site)
        return strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
    return origin && (!name || !host || strcasecmp(name + 3, host) != 0);
}

/* A request that changes something: by an account, and not too often. A login is nobody's yet. */
static bool may_post(struct server *server, const struct http_request *request, struct http_reply *reply)
{
    const bool login = strcmp(request->path, "/login") == 0;

    if (is_from_elsewhere(request)) {
        server_refuse(request, reply, MHD_HTTP_FORBIDDEN, "this form comes from another site: load the page again");
        return false;
    }
    if (login)
        return true;
    if (request->account.role == ROLE_PUBLIC) {
        server_refuse(request, reply, MHD_HTTP_UNAUTHORIZED, "this needs a token: ask the organiser for one");
        return false;
    }
    return limits_allow(server->limits, LIMIT_UPLOADS, request->account.name) ||
           server_too_often(request, reply, "too many requests from this account: wait some seconds");
}

/* The addresses that take more than GET, and HEAD with it; the contest's ID in the Contest API is ":id" here. */
static const struct address {
    const char *path;
    bool gets, files; /* files: of a submission, which may be large */
    void (*post)(struct server *server, struct http_request *request, struct http_reply *reply);
} addresses[] = {
    { "/login", false, false, team_post },
    { "/logout", false, false, team_post },
    { "/submit", false, true, team_post },
    { "/ask", false, false, team_post },
    { "/balloon", false, false, team_post },
    { "/judge", false, true, batch_post },
    { "/api/contests/:id/submissions", true, true, api_post },
    { "/api/contests/:id/clarifications", true, false, api_post },
};

static const struct address *address_of(const struct server *server, const char *path)
{
    const char *below = server_below(path, "/api/contests");
    const size_t length = strlen(server->id);
    char known[128];

    if (below && below[0] == '/' && strncmp(below + 1, server->id, length) == 0)
        snprintf(known, sizeof known, "/api/contests/:id%.100s", below + 1 + length);
    else
        snprintf(known, sizeof known, "%.120s", path);
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++)
        if (strcmp(known, addresses[i].path) == 0)
            return &addresses[i];
    return NULL;
}

static bool takes_method(const struct http_request *request, const struct address *address, struct http_reply *reply)
{
    const char *allow = !address ? "GET, HEAD" : address->gets ? "GET, HEAD, POST" : "POST";
    char line[80];

    if (request->method == HTTP_GET ? !address || address->gets : request->method == HTTP_POST && address)
        return true;
    snprintf(line, sizeof line, "this address takes %s", allow);
    server_refuse(request, reply, MHD_HTTP_METHOD_NOT_ALLOWED, line);
    reply->allow = allow;
    return false;
}

bool server_begin(void *context, struct http_request *request, const char *authorization, const char *session,
                  struct http_reply *reply)
{
    struct server *server = context;
    const struct address *address = address_of(server, request->path);

    if (!limits_allow(server->limits, LIMIT_READS, request->address))
        return server_too_often(request, reply, "too many requests from this address: wait some seconds");
    if (strlen(request->path) > 1000) {
        server_refuse(request, reply, MHD_HTTP_URI_TOO_LONG, "the page's name is too long");
        return false;
    }
    if (!takes_method(request, address, reply))
        return false;
    request->raw = server_below(request->path, "/api") || server_below(request->path, "/judge");
    if (!address || !address->files) /* whoever hands in nothing takes no room for it from those who do */
        request->most = SMALL;
    if (strcmp(request->path, "/login") == 0)
        session = NULL; /* whatever the browser had */
    return find_account(server, request, authorization, session, reply) &&
           (request->method != HTTP_POST || may_post(server, request, reply));
}

/* ------------------------------------------------------------------ who answers */

/* Addresses as people type them lead to the page; NULL for others. */
static const char *page_of_folder(const char *path)
{
    static const struct { const char *folder, *page; } folders[] = {
        { "/", "/index.html" },        { "/ja", "/ja/index.html" }, { "/ja/", "/ja/index.html" },
        { "/my", "/my/index.html" },   { "/my/", "/my/index.html" }, { "/ja/my", "/ja/my/index.html" },
        { "/ja/my/", "/ja/my/index.html" },
    };

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (strcmp(path, folders[i].folder) == 0)
            return folders[i].page;
    return NULL;
}

void server_get(void *context, struct http_request *request, struct http_reply *reply)
{
    struct server *server = context;
    const char *page = page_of_folder(request->path);

    if (server_below(request->path, "/api")) {
        api_get(server, request, reply);
    } else if (page) {
        http_text(reply, MHD_HTTP_SEE_OTHER, "text/plain", "");
        snprintf(reply->location, sizeof reply->location, "%s", page);
    } else if (server_below(request->path, "/judge") && batch_get(server, request, reply)) {
        return;
    } else if (!team_get(server, request, reply) && !board_get(server, request, request->path, reply)) {
        server_refuse(request, reply, MHD_HTTP_NOT_FOUND, "there is no such page");
    }
}

/*
 * A form of a page says what only that page knows: another site can make a browser send a form with the session's
 * cookie, where SameSite does not keep it, and does not know this.
 */
static bool form_is_ours(const struct http_request *request)
{
    const struct http_part *form = http_part(request, "form");

    return form && strlen(request->form) == form->size && form->size > 0 &&
           sodium_memcmp(form->data, request->form, form->size) == 0;
}

void server_post(void *context, struct http_request *request, struct http_reply *reply)
{
    struct server *server = context;
    const struct address *address = address_of(server, request->path);

    if (request->form[0] && !form_is_ours(request))
        server_refuse(request, reply, MHD_HTTP_FORBIDDEN, "this form comes from another session: load the page again");
    else
        address->post(server, request, reply); /* server_begin() refused all others */
}

bool server_holds(void *context, const struct http_request *request)
{
    struct server *server = context;
    struct error error = { 0 };
    bool holds;

    return account_holds(&server->accounts, &request->account, &holds, &error) && holds;
}

bool server_tick(void *context)
{
    struct server *server = context;
    struct error error = { 0 };
    const int64_t beat = server_beat();
    bool changed = false, wakes;

    if (!news_look(server->news, &changed, &error) && strcmp(server->said, error.text) != 0)
        fprintf(stderr, "serve: %s\n", error.text);
    snprintf(server->said, sizeof server->said, "%s", error.text);
    wakes = changed || beat != server->beat;
    server->beat = beat;
    return wakes;
}
