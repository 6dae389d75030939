/*
 * batch.c - the door for programs: sources in a batch, judged behind everything of the contest, and no part of it.
 *
 *   POST /judge            {"items": [{"problem": ID, "source": TEXT, "language": "c"|"cpp"|"cuda"}, ...]}
 *   GET  /judge/N          the batch with all results so far
 *   GET  /judge/N/ID       one result with all that there is of it
 *   GET  /judge/N/events   each result when it is there, a line of JSON each; ends after the last
 *
 * docs/formats/batches.md has the objects. What an account asks for is in the database under
 * "program/NAME": no folder of a team can have this name.
 */
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/grade/store/judgement.h"
#include "server.h"
#include "verify/base/number.h"
#include "verify/base/tree.h"

/* A stream's place: results told below, the batch above, and above that the last beat that was sent. */
enum { ITEMS = 100, FILES = 64, TOLD_BITS = 20, BATCH_BITS = 27, BEAT_BIT = TOLD_BITS + BATCH_BITS };

/* ------------------------------------------------------------------ taking */

/* The name of a source that came without one, or NULL. */
static const char *file_of_language(const char *language)
{
    return !language                       ? NULL
           : strcmp(language, "c") == 0    ? "source.c"
           : strcmp(language, "cpp") == 0  ? "source.cc"
           : strcmp(language, "cuda") == 0 ? "source.cu"
                                           : NULL;
}

/* The files of an item in files[FILES]; what is wrong with it, or NULL. */
static const char *files_of_item(const json_t *item, struct upload_file *files, size_t *count)
{
    const json_t *all = json_object_get(item, "files"), *source = json_object_get(item, "source");
    const char *name = file_of_language(json_string_value(json_object_get(item, "language")));
    json_t *text;

    *count = 0;
    if (json_is_string(source) && !all && name) {
        files[(*count)++] = (struct upload_file){ name, json_string_value(source), json_string_length(source) };
        return NULL;
    }
    if (source || json_object_size(all) == 0 || json_object_size(all) > FILES)
        return "give either source, with language c, cpp or cuda, or files, an object of names and texts";
    json_object_foreach((json_t *)all, name, text) {
        if (!json_is_string(text))
            return "files: the value of a name must be its text";
        files[(*count)++] = (struct upload_file){ name, json_string_value(text), json_string_length(text) };
    }
    return NULL;
}

enum want { WANT_VERDICT = 1, WANT_TIMES = 2, WANT_EXPLANATION = 4, WANT_COUNTERS = 8 };

/* What an item wants, bits of enum want; 0 for something else. Without a list, the verdict. */
static unsigned wants_of(const json_t *item)
{
    static const char *const names[] = { "verdict", "times", "explanation", "counters" };
    const json_t *want = json_object_get(item, "want");
    unsigned wants = WANT_VERDICT;
    json_t *one;
    size_t i;

    if (want && !json_is_array(want))
        return 0;
    json_array_foreach(want, i, one) {
        const char *text = json_string_value(one);
        size_t k = 0;

        while (text && k < sizeof names / sizeof names[0] && strcmp(text, names[k]) != 0)
            k++;
        if (!text || k == sizeof names / sizeof names[0])
            return 0;
        wants |= 1u << k;
    }
    return wants;
}

/* A GPU's counters are of calls that are timed. */
static bool wants_times(unsigned wants) { return (wants & (WANT_TIMES | WANT_COUNTERS)) != 0; }

/* As in the database. */
static const char *extra_of(unsigned wants)
{
    const bool explanation = (wants & WANT_EXPLANATION) != 0, counters = (wants & WANT_COUNTERS) != 0;

    return explanation && counters ? NAME_EXPLANATION "," NAME_COUNTERS
           : explanation           ? NAME_EXPLANATION
           : counters              ? NAME_COUNTERS
                                   : "";
}

/* What is wrong with an item, or NULL. */
static const char *refuse_item(const struct server *server, const json_t *item)
{
    static const char *const known[] = { "problem", "source", "language", "files", "want", "again" };
    struct upload_file files[FILES];
    const char *problem = json_string_value(json_object_get(item, "problem")), *key, *why;
    size_t count;
    json_t *value;

    if (!json_is_object(item))
        return "an item must be an object";
    json_object_foreach((json_t *)item, key, value) {
        bool found = false;

        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            found = found || strcmp(known[i], key) == 0;
        if (!found)
            return "an item may have problem, source and language or files, want and again, and nothing else";
    }
    if (!problem || !contest_problem(server->contest, problem))
        return "problem: there is no such problem in this contest";
    if (!wants_of(item))
        return "want must be a list of verdict, times, explanation and counters";
    if (json_object_get(item, "again") && !json_is_boolean(json_object_get(item, "again")))
        return "again must be true or false";
    why = files_of_item(item, files, &count);
    return why ? why : upload_refuse(files, count, "folder");
}

/* A name that the same wants have, so that the same source with them is judged once. */
static void name_of_wants(unsigned wants, char *name, size_t size)
{
    snprintf(name, size, "%s%s%s", wants_times(wants) ? "times" : "verdict",
             wants & WANT_EXPLANATION ? "-" NAME_EXPLANATION : "", wants & WANT_COUNTERS ? "-" NAME_COUNTERS : "");
}

static bool take_item(struct server *server, const struct http_request *request, int64_t batch, size_t number,
                      const json_t *item, int64_t *id, struct http_reply *reply)
{
    const unsigned wants = wants_of(item);
    struct upload_file files[FILES];
    char account[ACCOUNT_NAME + 16], title[64], file[80];
    struct error error = { 0 };
    size_t count;
    bool ok;

    files_of_item(item, files, &count);
    snprintf(account, sizeof account, "program/%s", request->account.name);
    /* What has the same name and content is judged once: a name of its own for what is to be judged again. */
    if (json_is_true(json_object_get(item, "again")))
        snprintf(title, sizeof title, "batch-%jd-%zu", (intmax_t)batch, number);
    else
        name_of_wants(wants, title, sizeof title);
    if (count == 1 && json_object_get(item, "source")) {
        snprintf(file, sizeof file, "%s%s", title, strrchr(files[0].name, '.'));
        files[0].name = file;
    }
    server->intake.wanted = wants_times(wants) ? "times" : "verdict";
    server->intake.extra = extra_of(wants);
    ok = upload_take(server, request, account, json_string_value(json_object_get(item, "problem")), files, count,
                     title, id, reply);
    server->intake.wanted = server->intake.extra = NULL;
    if (!ok)
        return false;
    if (!store_run(&server->store, &error, "INSERT INTO batch_items (batch, number, submission) VALUES (?, ?, ?)",
                   "iii", batch, (int64_t)number, *id)) {
        server_failed(request, reply, &error);
        return false;
    }
    return true;
}

static void send_object(const struct http_request *request, struct http_reply *reply, json_t *object)
{
    char *text = object ? json_dumps(object, JSON_REAL_PRECISION(15)) : NULL;

    if (text)
        http_text(reply, MHD_HTTP_OK, "application/json", text);
    else
        server_refuse(request, reply, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
    free(text);
    json_decref(object);
}

/* All items are looked at before the first one is taken. */
static bool check_batch(struct server *server, struct http_request *request, const json_t *items,
                        struct http_reply *reply)
{
    char line[400];
    json_t *item;
    size_t i;

    if (json_array_size(items) == 0 || json_array_size(items) > ITEMS) {
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, "the body must be {\"items\": [...]} with 1 to 100 items");
        return false;
    }
    json_array_foreach(items, i, item) {
        const char *why = refuse_item(server, item);

        if (!why)
            continue;
        snprintf(line, sizeof line, "items[%zu]: %s", i, why);
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, line);
        return false;
    }
    return true;
}

/* Whether so many items more of the account may wait for their verdicts. */
static bool has_room(struct server *server, const struct http_request *request, size_t more, struct http_reply *reply)
{
    struct error error = { 0 };
    int64_t waiting;
    char account[ACCOUNT_NAME + 16], line[160];

    snprintf(account, sizeof account, "program/%s", request->account.name);
    if (!store_number(&server->store, &error, &waiting,
                      "SELECT count(*) FROM judgements j JOIN main.submissions s ON s.id = j.submission WHERE"
                      " j.state <> " SQL(NAME_DONE) " AND s.team = ?", "s", account)) {
        server_failed(request, reply, &error);
        return false;
    }
    if ((double)waiting + (double)more <= server->contest->batch)
        return true;
    snprintf(line, sizeof line, "%jd items of this account wait for their verdicts, and %.0f may (limits.batch)",
             (intmax_t)waiting, server->contest->batch);
    server_refuse(request, reply, MHD_HTTP_TOO_MANY_REQUESTS, line);
    reply->retry = 30;
    return false;
}

/*
 * Nothing of a batch that failed half-way is left: the transaction takes the rows back, this the files of the new ones.
 * While those lie there nobody else's of the same numbers can.
 */
static void forget(struct server *server, const json_t *answer, int64_t before)
{
    char path[PATH_MAX];
    int64_t id;
    json_t *item;
    size_t i;

    json_array_foreach(answer, i, item)
        if (number_integer(json_string_value(json_object_get(item, "id")), 1, INT64_MAX, &id) && id > before) {
            snprintf(path, sizeof path, "%.3000s/grading/sources/%jd", server->folder, (intmax_t)id);
            tree_remove(path);
        }
}

/* Takes all items, or none, in one transaction; *batch: its number. */
static bool take_all(struct server *server, const struct http_request *request, const json_t *items, int64_t *batch,
                     json_t *answer, struct http_reply *reply)
{
    struct error error = { 0 };
    int64_t before = 0, id;
    json_t *item;
    char text[24];
    size_t i;
    bool ok = store_begin(&server->store, &error);

    if (!ok)
        return server_failed(request, reply, &error), false;
    ok = store_number(&server->store, &error, &before, "SELECT seq FROM sqlite_sequence WHERE name = 'submissions'",
                      "") &&
         store_run(&server->store, &error, "INSERT INTO batches (account, made) VALUES (?, ?)", "sd",
                   request->account.name, server_now(server));
    *batch = sqlite3_last_insert_rowid(server->store.db);
    json_array_foreach(items, i, item) {
        if (!ok || !(ok = take_item(server, request, *batch, i, item, &id, reply)))
            break;
        snprintf(text, sizeof text, "%jd", (intmax_t)id);
        json_array_append_new(answer, json_pack("{s:s}", "id", text));
    }
    if (store_end(&server->store, ok, &error))
        return true;
    forget(server, answer, before);
    if (!reply->status)
        server_failed(request, reply, &error);
    return false;
}

void batch_post(struct server *server, struct http_request *request, struct http_reply *reply)
{
    static const char *const known[] = { "items", NULL };
    json_t *object = request->body ? json_loadb(request->body, request->size, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const json_t *items = json_object_get(object, "items");
    char text[24], line[160];
    const char *why = server_refuse_keys(object, known, known + 1, line);
    json_t *answer = json_array();
    int64_t batch = 0;

    if (request->account.role != ROLE_PROGRAM)
        server_refuse(request, reply, MHD_HTTP_FORBIDDEN, "batches are for programs: grade.sh CONTEST token --program");
    else if (!server_has_begun(server, request, reply))
        ; /* the reply says so, whatever the batch names */
    else if (json_is_object(object) && why)
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, why);
    else if (check_batch(server, request, items, reply) &&
             has_room(server, request, json_array_size(items), reply) &&
             take_all(server, request, items, &batch, answer, reply)) {
        snprintf(text, sizeof text, "%jd", (intmax_t)batch);
        send_object(request, reply, json_pack("{s:s, s:O}", "batch", text, "items", answer));
    }
    json_decref(answer);
    json_decref(object);
}

/* ------------------------------------------------------------------ asking */

/* Whether the account may see that batch. */
static bool may_see(struct server *server, const struct http_request *request, int64_t batch, struct error *error)
{
    int64_t may = 0;

    return (request->account.role == ROLE_PROGRAM || request->account.role >= ROLE_JURY) &&
           store_number(&server->look, error, &may, "SELECT 1 FROM batches WHERE id = ? AND (account = ? OR ?)", "isi",
                        batch, request->account.name, (int64_t)(request->account.role >= ROLE_JURY)) && may;
}

static void get_batch(struct server *server, const struct http_request *request, int64_t batch,
                      struct http_reply *reply)
{
    struct error error = { 0 };
    sqlite3_stmt *row = store_prepare(&server->look, &error,
                                      "SELECT submission FROM batch_items WHERE batch = ? ORDER BY number", "i", batch);
    struct result_queue queue = { 0 };
    json_t *items = json_array();
    size_t done = 0;
    char number[24];

    while (store_step(&server->look, row, &error) == STORE_ROW) {
        json_t *item = result_json(server, sqlite3_column_int64(row, 0), false, &queue, &error);

        done += item && json_is_string(json_object_get(item, "verdict"));
        json_array_append_new(items, item ? item : json_null());
    }
    sqlite3_finalize(row);
    result_queue_release(&queue);
    snprintf(number, sizeof number, "%jd", (intmax_t)batch);
    if (error.text[0]) {
        server_failed(request, reply, &error);
        json_decref(items);
        return;
    }
    send_object(request, reply, json_pack("{s:s, s:I, s:I, s:o}", "batch", number, "done", (json_int_t)done, "of",
                                          (json_int_t)json_array_size(items), "items", items));
}

/* One result a call, in the order in which they ended; where there is none, an empty line now and then. */
static ptrdiff_t read_batch(void *context, int64_t *place, char *buffer, size_t size)
{
    struct server *server = context;
    const int64_t beat = server_beat(), batch = *place >> TOLD_BITS & ((INT64_C(1) << BATCH_BITS) - 1),
                  told = *place & ((1 << TOLD_BITS) - 1);
    struct result_queue queue = { 0 }; /* what is done does not wait in it */
    struct error error = { 0 };
    int64_t all, next = 0;
    json_t *item;
    char *text;
    ptrdiff_t got = -1;

    if (!store_number(&server->look, &error, &all, "SELECT count(*) FROM batch_items WHERE batch = ?", "i", batch) ||
        told >= all ||
        !store_number(&server->look, &error, &next,
                      "SELECT i.submission FROM batch_items i JOIN judgements j ON j.submission = i.submission AND"
                      " j.valid = 1 WHERE i.batch = ? AND j.state = " SQL(NAME_DONE) " ORDER BY j.ended, i.number"
                      " LIMIT 1 OFFSET ?", "ii", batch, told))
        return -1;
    if (next == 0 && *place >> BEAT_BIT == beat)
        return 0;
    *place = beat << BEAT_BIT | batch << TOLD_BITS | told;
    if (next == 0) {
        buffer[0] = '\n';
        return 1;
    }
    item = result_json(server, next, false, &queue, &error);
    result_queue_release(&queue);
    json_object_del(item, "cases"); /* they are in the batch: a line has room */
    text = item ? json_dumps(item, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    if (text && strlen(text) + 1 < size) {
        got = snprintf(buffer, size, "%s\n", text);
        ++*place;
    }
    free(text);
    json_decref(item);
    return got;
}

/* One result of a batch with all that there is of it. False where the batch has no such item. */
static bool get_item(struct server *server, const struct http_request *request, int64_t batch, int64_t id,
                     struct http_reply *reply)
{
    struct result_queue queue = { 0 };
    struct error error = { 0 };
    json_t *item = NULL;
    int64_t there = 0;

    if (store_number(&server->look, &error, &there, "SELECT 1 FROM batch_items WHERE batch = ? AND submission = ?",
                     "ii", batch, id) && there)
        item = result_json(server, id, true, &queue, &error);
    result_queue_release(&queue);
    if (error.text[0]) {
        server_failed(request, reply, &error);
        json_decref(item);
    } else if (item) {
        send_object(request, reply, item);
    }
    return there != 0 || error.text[0];
}

/* "/N", "/N/events" or "/N/ID" behind "/judge": *rest is what follows the slash behind N, or NULL. */
static bool batch_of(const char *below, int64_t *batch, const char **rest)
{
    const char *slash = strchr(below + 1, '/');
    const size_t length = slash ? (size_t)(slash - below - 1) : strlen(below + 1);
    char number[24];

    *rest = slash ? slash + 1 : NULL;
    if (length >= sizeof number)
        return false;
    snprintf(number, sizeof number, "%.*s", (int)length, below + 1);
    return number_integer(number, 1, (INT64_C(1) << BATCH_BITS) - 1, batch);
}

bool batch_get(struct server *server, const struct http_request *request, struct http_reply *reply)
{
    const char *below = server_below(request->path, "/judge"), *rest;
    struct error error = { 0 };
    int64_t batch, id;

    if (!below || below[0] != '/' || !batch_of(below, &batch, &rest) || !may_see(server, request, batch, &error))
        return false;
    if (!rest) {
        get_batch(server, request, batch, reply);
        return true;
    }
    if (strcmp(rest, "events") != 0)
        return number_integer(rest, 1, INT64_MAX, &id) && get_item(server, request, batch, id, reply);
    reply->status = MHD_HTTP_OK;
    reply->type = "application/x-ndjson";
    reply->stream = read_batch;
    reply->stream_context = server;
    reply->stream_place = server_beat() << BEAT_BIT | batch << TOLD_BITS;
    return true;
}
