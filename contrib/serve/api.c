/*
 * api.c - the CLICS Contest API 2023-06 over HTTP (https://ccs-specs.icpc.io/2023-06/contest_api).
 *
 * What is configured and what happened comes as objects_read() made it; here are the paths, the feed as a stream, and
 * submissions.
 */
#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/clics/objects.h"
#include "contrib/clics/words.h"
#include "server.h"
#include "verify/base/clock.h"
#include "verify/base/number.h"

/* Endpoints that are one object. */
static const char *const singles[] = { "state", "scoreboard", "access" };

static enum news_view view_of(const struct http_request *request)
{
    return request->account.role >= ROLE_JURY   ? NEWS_JURY
           : request->account.role == ROLE_TEAM ? NEWS_TEAMS
                                                : NEWS_PUBLIC;
}

static void send_json(const struct http_request *request, struct http_reply *reply, unsigned status,
                      const json_t *value)
{
    char *text = value ? json_dumps(value, JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY) : NULL;

    if (!text) {
        server_refuse(request, reply, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
        return;
    }
    free(reply->data);
    reply->status = status;
    reply->type = "application/json";
    reply->data = text;
    reply->size = strlen(text);
}

static bool is_list(const char *name)
{
    for (size_t i = 0; objects_lists[i]; i++)
        if (strcmp(objects_lists[i], name) == 0)
            return true;
    return false;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* ------------------------------------------------------------------ the feed */

/* A stream's place: bytes of the feed below, and above the last beat that was sent. */
#define PLACE_BYTES ((INT64_C(1) << 47) - 1)

static ptrdiff_t read_feed(void *context, int64_t *place, char *buffer, size_t size)
{
    const struct feed_reader *reader = context;
    const int64_t beat = server_beat();
    int64_t at = *place & PLACE_BYTES;
    const ptrdiff_t got = news_read(reader->server->news, reader->view, reader->team, &at, buffer, size);
    const bool says = got > 0 || (got == 0 && *place >> 47 != beat);

    *place = (says ? beat << 47 : *place & ~PLACE_BYTES) | at;
    if (got == 0 && says) { /* "a newline at least every 120 seconds" */
        buffer[0] = '\n';
        return 1;
    }
    return got;
}

struct feed_reader *api_reader(struct server *server, const struct http_request *request)
{
    const enum news_view view = view_of(request);
    const char *account = view == NEWS_TEAMS ? request->account.name : "";
    struct feed_reader *reader = server->readers;

    while (reader && (reader->view != view || strcmp(reader->account, account) != 0))
        reader = reader->next;
    if (reader || !(reader = calloc(1, sizeof *reader)))
        return reader;
    *reader = (struct feed_reader){ .server = server, .view = view, .next = server->readers };
    snprintf(reader->account, sizeof reader->account, "%s", account);
    if (account[0])
        clics_id("t", account, reader->team);
    return server->readers = reader;
}

void api_release(struct server *server)
{
    for (struct feed_reader *reader = server->readers, *next; reader; reader = next) {
        next = reader->next;
        free(reader);
    }
    server->readers = NULL;
}

static void get_feed(struct server *server, struct http_request *request, struct http_reply *reply)
{
    const char *token, *id;
    const bool once = http_query(request, "since_token", &token) & http_query(request, "since_id", &id);
    const char *since = token ? token : id;
    const enum news_view view = view_of(request);
    const int64_t place = since && since[0] ? news_after(server->news, view, since) : 0;

    if (!once) {
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, "the address has an argument twice");
        return;
    }
    if (place < 0) {
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, "this feed has no such token");
        return;
    }
    reply->stream_context = api_reader(server, request);
    if (!reply->stream_context) {
        server_refuse(request, reply, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
        return;
    }
    reply->status = MHD_HTTP_OK;
    reply->type = "application/x-ndjson";
    reply->stream = read_feed;
    reply->stream_place = (server_beat() << 47) | place;
}

/* ------------------------------------------------------------------ objects */

/* An account as an object of `accounts`. */
static json_t *account_object(const char *name, enum role role)
{
    char id[CLICS_ID];
    json_t *object;

    clics_id("t", name, id);
    object = json_pack("{s:s, s:s, s:s}", "id", id, "username", name, "type",
                       role == ROLE_JURY ? "judge" : role_name(role));
    if (object && role == ROLE_TEAM)
        json_object_set_new(object, "team_id", json_string(id));
    return object;
}

/* Every account of the contest that has a token, for the jury. Programs are no part of the contest. */
static json_t *all_accounts(struct server *server, struct error *error)
{
    json_t *accounts = json_array();
    sqlite3_stmt *row = store_prepare(&server->accounts, error,
                                      "SELECT account, role FROM tokens WHERE revoked IS NULL ORDER BY account", "");
    enum store_row got;
    enum role role;

    while ((got = store_step(&server->accounts, row, error)) == STORE_ROW)
        if (role_parse((const char *)sqlite3_column_text(row, 1), &role) && role >= ROLE_TEAM)
            json_array_append_new(accounts, account_object((const char *)sqlite3_column_text(row, 0), role));
    sqlite3_finalize(row);
    if (got == STORE_END)
        return accounts;
    json_decref(accounts);
    return NULL;
}

/* `accounts`: the jury sees all, another its own, and who is not logged in none. */
static json_t *accounts_of(struct server *server, const struct http_request *request, struct error *error)
{
    json_t *accounts;

    if (request->account.role >= ROLE_JURY)
        return all_accounts(server, error);
    accounts = json_array();
    if (request->account.role == ROLE_TEAM)
        json_array_append_new(accounts, account_object(request->account.name, request->account.role));
    return accounts;
}

static void get_account(struct http_request *request, struct http_reply *reply)
{
    const struct account *account = &request->account;
    json_t *object = account->role < ROLE_TEAM ? NULL : account_object(account->name, account->role);

    if (!object)
        server_refuse(request, reply, MHD_HTTP_NOT_FOUND, "nobody is logged in");
    else
        send_json(request, reply, MHD_HTTP_OK, object);
    json_decref(object);
}

/* `access`: who may hand in says so. */
static json_t *access_of(const struct http_request *request, json_t *objects)
{
    json_t *access = json_deep_copy(json_object_get(objects, "access"));

    json_t *capabilities = json_object_get(access, "capabilities");

    if (access && request->account.role == ROLE_TEAM) {
        json_array_append_new(capabilities, json_string("team_submit"));
        json_array_append_new(capabilities, json_string("team_clar"));
    } else if (access && request->account.role >= ROLE_JURY) {
        json_array_append_new(capabilities, json_string("admin_clar"));
    }
    return access;
}

/* A team's clarifications: what is for all, and its own. */
static json_t *clarifications_of(const struct http_request *request, const json_t *objects)
{
    json_t *own = json_array(), *object;
    char id[CLICS_ID];
    size_t i;

    clics_id("t", request->account.name, id);
    json_array_foreach(json_object_get(objects, "clarifications"), i, object)
        if (news_is_for(object, id))
            json_array_append_new(own, json_deep_copy(object));
    return own;
}

/* An endpoint, or one object of it. */
static void get_object(struct server *server, struct http_request *request, struct http_reply *reply, json_t *objects,
                       const char *name, const char *id)
{
    struct error error = { 0 };
    json_t *value = json_object_get(objects, name), *made = NULL;

    if (strcmp(name, "access") == 0)
        value = made = access_of(request, objects);
    else if (strcmp(name, "clarifications") == 0 && request->account.role == ROLE_TEAM)
        value = made = clarifications_of(request, objects);
    else if (strcmp(name, "accounts") == 0)
        value = made = accounts_of(server, request, &error);
    if (value && id)
        value = json_is_array(value) ? clics_find(value, id) : NULL;
    if (value)
        send_json(request, reply, MHD_HTTP_OK, value);
    else if (error.text[0])
        server_failed(request, reply, &error);
    else
        server_refuse(request, reply, MHD_HTTP_NOT_FOUND, "there is no such object");
    json_decref(made);
}

/* The number of a path "submissions/N/files"; 0 for another path. */
static int64_t files_of(const char *path)
{
    const char *number = strncmp(path, "submissions/", 12) == 0 ? path + 12 : "", *end = strstr(number, "/files");
    int64_t id = 0;
    char text[24];

    if (!end || end[6] || (size_t)(end - number) >= sizeof text)
        return 0;
    snprintf(text, sizeof text, "%.*s", (int)(end - number), number);
    return number_integer(text, 1, INT64_MAX, &id) ? id : 0;
}

/* What was handed in, for its team and the jury. */
static void get_files(struct server *server, struct http_request *request, struct http_reply *reply, int64_t id)
{
    struct error error = { 0 };
    int64_t may = 0;

    if (!store_number(&server->look, &error, &may, "SELECT 1 FROM submissions WHERE id = ? AND (team = ? OR ?)", "isi",
                      id, server_team(request), (int64_t)(request->account.role >= ROLE_JURY)))
        server_failed(request, reply, &error);
    else if (!may)
        server_refuse(request, reply, MHD_HTTP_NOT_FOUND, "there is no such object");
    else if (!source_zip(server->folder, id, &reply->data, &reply->size, &error))
        server_failed(request, reply, &error);
    else {
        reply->status = MHD_HTTP_OK;
        reply->type = "application/zip";
        snprintf(reply->file, sizeof reply->file, "attachment; filename=\"files.zip\"");
    }
}

/* "NAME" or "NAME/ID", below the contest. */
static void get_below(struct server *server, struct http_request *request, struct http_reply *reply, json_t *objects,
                      const char *path)
{
    char name[64];
    const char *slash = strchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : strlen(path);

    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), path);
    if (slash && !slash[1])
        slash = NULL;
    if (strcmp(name, "event-feed") == 0 && !slash)
        get_feed(server, request, reply);
    else if (strcmp(name, "account") == 0 && !slash)
        get_account(request, reply);
    else if (files_of(path) > 0)
        get_files(server, request, reply, files_of(path));
    else if (is_list(name) ||
             (!slash && is_one_of(name, singles, sizeof singles / sizeof singles[0])))
        get_object(server, request, reply, objects, name, slash ? slash + 1 : NULL);
    else
        server_refuse(request, reply, MHD_HTTP_NOT_FOUND, "there is no such endpoint");
}

/* The path below the contest, or NULL. */
static const char *below_contest(const struct server *server, const char *path)
{
    const char *below = server_below(path, "/api/contests");
    const size_t length = strlen(server->id);

    if (!below || below[0] != '/' || strncmp(below + 1, server->id, length) != 0 ||
        (below[length + 1] && below[length + 1] != '/'))
        return NULL;
    below += length + 1;
    return below + (below[0] == '/');
}

void api_get(struct server *server, struct http_request *request, struct http_reply *reply)
{
    const char *below = below_contest(server, request->path), *rest = server_below(request->path, "/api");
    json_t *objects = news_objects(server->news, view_of(request)), *list = NULL;

    if (!objects) {
        server_refuse(request, reply, MHD_HTTP_SERVICE_UNAVAILABLE, "the contest is not loaded yet");
        reply->retry = 1;
    } else if (strcmp(rest, "") == 0 || strcmp(rest, "/") == 0) {
        send_json(request, reply, MHD_HTTP_OK, json_object_get(objects, "api"));
    } else if (strcmp(rest, "/contests") == 0 || strcmp(rest, "/contests/") == 0) {
        list = json_pack("[o]", json_deep_copy(json_object_get(objects, "contest")));
        send_json(request, reply, MHD_HTTP_OK, list);
    } else if (below && !below[0]) {
        send_json(request, reply, MHD_HTTP_OK, json_object_get(objects, "contest"));
    } else if (below) {
        get_below(server, request, reply, objects, below);
    } else {
        server_refuse(request, reply, MHD_HTTP_NOT_FOUND, "there is no such contest");
    }
    json_decref(list);
    news_release(server->news, objects);
}

/* ------------------------------------------------------------------ submissions */

/* The contest's problem whose ID in the API that is, or NULL. */
static const struct contest_problem *problem_of(const struct server *server, const char *id)
{
    char known[CLICS_ID];

    for (size_t i = 0; id && i < server->contest->problem_count; i++) {
        clics_id("p", server->contest->problems[i].id, known);
        if (strcmp(known, id) == 0)
            return &server->contest->problems[i];
    }
    return NULL;
}

/* The keys of objects that clients send: all that the Contest API has for them. */
static const char *const submission_keys[] = { "language_id", "problem_id", "team_id", "entry_point", "id", "time",
                                               "contest_time", "files", "reaction", NULL };
static const char *const clarification_keys[] = { "text", "problem_id", "to_team_id", "reply_to_id", "from_team_id",
                                                  "id", "time", "contest_time", NULL };

/* Whether the client says what the server sets. */
static bool sets_what_is_ours(const json_t *object)
{
    static const char *const ours[] = { "id", "time", "contest_time" };

    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (json_is_string(json_object_get(object, ours[i])))
            return true;
    return false;
}

/* What is wrong with a submission's JSON; NULL where nothing is, else perhaps in `line`. */
static const char *refuse_submission(const struct server *server, const struct http_request *request,
                                     const json_t *object, char line[160])
{
    static const char *const texts[] = { "language_id", "problem_id", "team_id", "entry_point", "id", "time",
                                         "contest_time", NULL };
    const char *why = server_refuse_keys(object, submission_keys, texts, line);
    const json_t *files = json_object_get(object, "files"), *file = json_array_get(files, 0);
    const char *mime = json_string_value(json_object_get(file, "mime"));
    const char *language = json_string_value(json_object_get(object, "language_id"));
    const char *team = json_string_value(json_object_get(object, "team_id"));
    char id[CLICS_ID];

    clics_id("t", request->account.name, id);
    if (why)
        return why;
    if (!problem_of(server, json_string_value(json_object_get(object, "problem_id"))))
        return "problem_id: there is no such problem";
    if (!language || (strcmp(language, "c") != 0 && strcmp(language, "cuda") != 0 && strcmp(language, "opencl") != 0))
        return "language_id must be c, cuda or opencl";
    if (team && strcmp(team, id) != 0)
        return "team_id is another team's";
    if (sets_what_is_ours(object))
        return "omit id and time: the server sets them";
    if (json_array_size(files) != 1 || !json_is_string(json_object_get(file, "data")))
        return "files must have one object, with data: a zip archive in base64";
    if (mime && strcmp(mime, "application/zip") != 0)
        return "files[0].mime must be application/zip";
    return NULL;
}

static void post_submission(struct server *server, struct http_request *request, struct http_reply *reply)
{
    json_t *object = request->body ? json_loadb(request->body, request->size, JSON_REJECT_DUPLICATES, NULL) : NULL;
    char line[160];
    const char *why = refuse_submission(server, request, object, line), *text;
    struct upload_file file = { .name = "submission.zip" };
    char id[24];
    unsigned char *zip = NULL;
    size_t length;
    int64_t number;
    json_t *answer;

    text = why ? NULL : json_string_value(json_object_get(json_array_get(json_object_get(object, "files"), 0), "data"));
    length = text ? strlen(text) : 0;
    if (text && !(zip = malloc(length + 1)))
        why = "the server is out of memory";
    if (zip && sodium_base642bin(zip, length + 1, text, length, "\r\n ", &file.size, NULL,
                                 sodium_base64_VARIANT_ORIGINAL) != 0)
        why = "files[0].data is not base64";
    file.data = (const char *)zip;
    if (why) {
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, why);
    } else if (upload_take(server, request, request->account.name,
                           problem_of(server, json_string_value(json_object_get(object, "problem_id")))->id, &file, 1,
                           "", &number, reply)) {
        snprintf(id, sizeof id, "%jd", (intmax_t)number);
        answer = json_pack("{s:s}", "id", id);
        send_json(request, reply, MHD_HTTP_OK, answer);
        json_decref(answer);
    }
    free(zip);
    json_decref(object);
}

/* ------------------------------------------------------------------ clarifications */

/* The team whose ID in the API that is: the folder's name, in `name`; false where there is none. */
static bool team_of(struct server *server, const char *id, char name[ACCOUNT_NAME])
{
    json_t *objects = news_objects(server->news, NEWS_JURY), *team = clics_find(json_object_get(objects, "teams"), id);

    snprintf(name, ACCOUNT_NAME, "%s", team ? json_string_value(json_object_get(team, "label")) : "");
    news_release(server->news, objects);
    return name[0] != '\0';
}

/* What is wrong with a clarification's keys; NULL where nothing is, else perhaps in `line`. */
static const char *refuse_clarification(const struct http_request *request, const json_t *object, char line[160])
{
    const char *from = json_string_value(json_object_get(object, "from_team_id"));
    const char *why = server_refuse_keys(object, clarification_keys, clarification_keys, line);
    char id[CLICS_ID];

    clics_id("t", request->account.name, id);
    if (why)
        return why;
    if (sets_what_is_ours(object))
        return "omit id and time: the server sets them";
    if (from && (request->account.role != ROLE_TEAM || strcmp(from, id) != 0))
        return "from_team_id must be omitted, or be the team's own";
    return NULL;
}

/* A question of a team; or of the jury an answer, to a team or to all. */
static void post_clarification(struct server *server, struct http_request *request, struct http_reply *reply)
{
    const bool jury = request->account.role >= ROLE_JURY;
    json_t *object = request->body ? json_loadb(request->body, request->size, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const char *text = json_string_value(json_object_get(object, "text")),
               *problem = json_string_value(json_object_get(object, "problem_id")),
               *to = json_string_value(json_object_get(object, "to_team_id")),
               *reply_to = json_string_value(json_object_get(object, "reply_to_id"));
    const struct contest_problem *known = problem_of(server, problem);
    char name[ACCOUNT_NAME] = "", id[24], line[160];
    struct question question = { .text = text, .problem = known ? known->id : NULL };
    const char *why = refuse_clarification(request, object, line);
    int64_t number;
    json_t *answer;

    if (why)
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, why);
    else if (problem && !server_has_begun(server, request, reply))
        ; /* the reply says so, whether there is such a problem or not */
    else if (problem && !known)
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, "problem_id: there is no such problem");
    else if (to && (!jury || !team_of(server, to, name)))
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, "to_team_id: there is no such team");
    else if (reply_to && !number_integer(reply_to, 1, INT64_MAX, &question.reply_to))
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, "reply_to_id: there is no such clarification");
    else if (question.to = name[0] ? name : NULL, question_take(server, request, &question, &number, reply)) {
        snprintf(id, sizeof id, "%jd", (intmax_t)number);
        answer = json_pack("{s:s}", "id", id);
        send_json(request, reply, MHD_HTTP_OK, answer);
        json_decref(answer);
    }
    json_decref(object);
}

void api_post(struct server *server, struct http_request *request, struct http_reply *reply)
{
    const char *below = below_contest(server, request->path);

    if (strcmp(below, "clarifications") == 0 && request->account.role >= ROLE_TEAM)
        post_clarification(server, request, reply);
    else if (strcmp(below, "clarifications") == 0)
        server_refuse(request, reply, MHD_HTTP_FORBIDDEN, "only teams and the jury ask or answer");
    else if (request->account.role != ROLE_TEAM)
        server_refuse(request, reply, MHD_HTTP_FORBIDDEN, "only teams submit");
    else if (server_has_begun(server, request, reply))
        post_submission(server, request, reply);
}
