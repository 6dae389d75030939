/*
 * reply.c - what every part of the server says: refusals, failures, that it is still there.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"
#include "verify/base/clock.h"
#include "verify/base/text.h"

const char *server_below(const char *path, const char *prefix)
{
    const size_t length = strlen(prefix);

    return strncmp(path, prefix, length) == 0 && (path[length] == '/' || !path[length]) ? path + length : NULL;
}

/*
 * To a browser that sent a form: a page with the reason and a way back, or the text alone if there is no memory for it.
 * The page has no script, and needs no board.
 */
static void refuse_on_page(const struct http_request *request, struct http_reply *reply, const char *why)
{
    static const struct place place = { "my/", "index" };
    const struct http_part *part = http_part(request, "language");
    const bool japanese = part && part->size == 2 && memcmp(part->data, "ja", 2) == 0;
    struct page page = { 0 };
    char digest[64];

    layout_style_digest(digest, sizeof digest);
    layout_begin(&page, japanese ? JAPANESE : ENGLISH, &place, digest);
    page_put(&page, "%s</title>\n</head>\n<body>\n<main>\n<h1>%s</h1>\n<p class=\"message\" role=\"alert\">",
             page_word(&page, WORD_REFUSED), page_word(&page, WORD_REFUSED));
    page_text(&page, why, PAGE_MESSAGE);
    page_put(&page, "</p>\n<p><a href=\"%s/my/index.html\">%s</a></p>\n</main>\n</body>\n</html>\n",
             japanese ? "/ja" : "", page_word(&page, WORD_MY_SUBMISSIONS));
    if (page.failed) {
        page_release(&page);
        return;
    }
    free(reply->data);
    reply->type = "text/html; charset=utf-8";
    reply->data = page.data;
    reply->size = page.size;
    reply->policy = "frame-ancestors 'none'"; /* the page has the rest in itself */
}

void server_refuse(const struct http_request *request, struct http_reply *reply, unsigned status, const char *why)
{
    char line[600];

    if (server_below(request->path, "/api")) {
        json_t *object = json_pack("{s:i, s:s}", "code", (int)status, "message", why);
        char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;

        http_text(reply, status, "application/json", text ? text : "{}");
        free(text);
        json_decref(object);
        return;
    }
    snprintf(line, sizeof line, "%s\n", why);
    http_text(reply, status, "text/plain; charset=utf-8", line);
    if (request->method == HTTP_POST && request->form[0])
        refuse_on_page(request, reply, why);
}

void server_failed(const struct http_request *request, struct http_reply *reply, const struct error *error)
{
    fprintf(stderr, "serve: %s\n", error->text);
    server_refuse(request, reply, MHD_HTTP_SERVICE_UNAVAILABLE,
                  "the server cannot do this now; the organiser's log has the reason");
    reply->retry = 5;
}

bool server_has_begun(struct server *server, const struct http_request *request, struct http_reply *reply)
{
    if (request->account.role >= ROLE_JURY || server->contest->start <= 0 ||
        server_now(server) >= server->contest->start)
        return true;
    server_refuse(request, reply, MHD_HTTP_FORBIDDEN, "the contest has not begun");
    return false;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

const char *server_refuse_keys(const json_t *object, const char *const *known, const char *const *texts,
                               char line[160])
{
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return "the body must be a JSON object";
    json_object_foreach((json_t *)object, key, value) {
        if (!is_one_of(key, known)) {
            snprintf(line, 160, "%.60s%s: there is no such key here", text_is_harmless(key) ? key : "?",
                     strlen(key) > 60 ? "..." : "");
            return line;
        }
        if (is_one_of(key, texts) && !json_is_string(value) && !json_is_null(value)) {
            snprintf(line, 160, "%s must be text", key);
            return line;
        }
    }
    return NULL;
}

const char *server_team(const struct http_request *request)
{
    return request->account.role == ROLE_TEAM ? request->account.name : "";
}

bool server_too_often(const struct http_request *request, struct http_reply *reply, const char *why)
{
    server_refuse(request, reply, MHD_HTTP_TOO_MANY_REQUESTS, why);
    reply->retry = 10;
    return false;
}

double server_now(struct server *server)
{
    const int64_t ns = clock_ns();
    const double wall = clock_wall(), least = server->stamp + clock_seconds(server->stamp_ns, ns);
    const bool behind = wall < least - 1;

    if (behind && !server->behind)
        fprintf(stderr,
                "serve: the machine's clock stands %.0f s before what was handed in last: times go on from there until"
                " it has caught up\n", least - wall);
    server->behind = behind;
    server->stamp = wall > least ? wall : least;
    server->stamp_ns = ns;
    return server->stamp;
}

int64_t server_beat(void) { return clock_ns() / 25000000000 & 0xffff; }
