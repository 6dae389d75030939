/*
 * team_pages.c - a participant's own pages: log in, hand in, what became of it, questions; and the statements.
 *
 * Only what its team handed in is in a team's pages, and of that what a participant may see (store_public.c), also
 * while the standings are frozen.
 */
#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/grade/store/judgement.h"
#include "own_page.h"
#include "script.h"
#include "verify/base/clock.h"
#include "verify/base/number.h"

enum { SHOWN = 200, LOG = 20000, EXPLANATION = 65536 };

/* ------------------------------------------------------------------ what was handed in */

static void put_state(struct own_page *own, int64_t judgement, const char *state, struct error *error)
{
    static const struct { const char *name; enum word word; } steps[] = {
        { NAME_BUILDING, WORD_BEING_BUILT }, { NAME_SAMPLES, WORD_ON_SAMPLES },
        { NAME_SECRET, WORD_ON_SECRET },     { NAME_RANKED, WORD_BEING_TIMED },
    };

    page_put(&own->page, "<span class=\"v wait\">");
    if (strcmp(state, NAME_NEW) == 0)
        page_count(&own->page, WORD_IN_QUEUE_X,
                   result_place_in_queue(own->server, &own->queue, judgement, error));
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (strcmp(state, steps[i].name) == 0)
            page_put(&own->page, "%s", page_word(&own->page, steps[i].word));
    page_put(&own->page, "</span>");
}

/* Columns: id, problem, path, submitted, judgement, state, verdict, message. On a phone the
 * first columns are visible without scrolling, so the page shows the state second. */
static void put_row(struct own_page *own, sqlite3_stmt *row, struct error *error)
{
    struct page *page = &own->page;
    const char *verdict = (const char *)sqlite3_column_text(row, 6), *state = (const char *)sqlite3_column_text(row, 5);
    const intmax_t id = sqlite3_column_int64(row, 0);

    page_put(page, "<tr><td class=\"n\"><a href=\"%smy/%jd.html\">%jd</a></td><td>", page->up, id, id);
    if (verdict)
        layout_verdict(page, verdict, false, false);
    else
        put_state(own, sqlite3_column_int64(row, 4), state, error);
    page_put(page, "</td><td>");
    page_text(page, (const char *)sqlite3_column_text(row, 1), PAGE_NAME);
    page_put(page, "</td><td class=\"file\">");
    page_name(page, (const char *)sqlite3_column_text(row, 2));
    page_put(page, "</td><td>");
    page_moment(page, sqlite3_column_double(row, 3));
    page_put(page, "</td><td class=\"text\"><bdi lang=\"en\">");
    page_text(page, (const char *)sqlite3_column_text(row, 7), 300);
    page_put(page, "</bdi></td></tr>\n");
}

static bool put_submissions(struct own_page *own, struct error *error)
{
    static const enum word head[] = { WORD_NUMBER, WORD_STATE, WORD_PROBLEM, WORD_FILE_NAME, WORD_SUBMITTED,
                                      WORD_MESSAGE, WORD_COUNT };
    struct store *store = &own->server->look;
    sqlite3_stmt *statement = store_prepare(
        store, error,
        "SELECT s.id, s.problem, s.path, s.submitted, j.id, j.state, j.verdict, j.message FROM submissions s JOIN"
        " judgements j ON j.submission = s.id AND j.valid = 1 WHERE s.team = ? ORDER BY s.id DESC LIMIT ?", "si",
        own->request->account.name, (int64_t)SHOWN);
    enum store_row row;
    size_t count = 0;

    layout_live(&own->page, "mine");
    while ((row = store_step(store, statement, error)) == STORE_ROW) {
        if (count++ == 0) {
            layout_table_begin(&own->page, "submissions", "");
            page_put(&own->page, "%s", page_word(&own->page, WORD_SUBMISSIONS));
            layout_table_caption_end(&own->page);
            layout_table_head(&own->page, 1, head);
        }
        put_row(own, statement, error);
    }
    sqlite3_finalize(statement);
    result_queue_release(&own->queue);
    if (count > 0)
        layout_table_end(&own->page);
    else
        page_put(&own->page, "<p>%s</p>\n", page_word(&own->page, WORD_NO_SUBMISSIONS));
    layout_live_end(&own->page);
    return row == STORE_END;
}

/* ------------------------------------------------------------------ forms */

/* The jury may write of a problem before the contest's start. */
static size_t problems_for(const struct own_page *own)
{
    return own->request->account.role >= ROLE_JURY ? own->server->contest->problem_count : own->board->problems;
}

static void put_problems(struct own_page *own, bool general)
{
    const size_t problems = problems_for(own);
    struct page *page = &own->page;

    page_put(page, "<label>%s <select name=\"problem\">\n", page_word(page, WORD_PROBLEM));
    if (general)
        page_put(page, "<option value=\"\">%s</option>\n", page_word(page, WORD_GENERAL));
    for (size_t i = 0; i < problems; i++) {
        page_put(page, "<option value=\"%s\">", own->server->contest->problems[i].id);
        layout_problem(page, own->board, i);
        page_put(page, "</option>\n");
    }
    page_put(page, "</select></label>\n");
}

static void put_hand_in(struct own_page *own)
{
    struct page *page = &own->page;
    const struct contest *contest = own->server->contest;

    page_put(page, "<h2>%s</h2>\n", page_word(page, WORD_HAND_IN));
    if (own->board->problems == 0) {
        page_put(page, "<p>%s</p>\n", page_word(page, WORD_NOT_BEGUN));
        return;
    }
    page_put(page, "<p>%s:", page_word(page, WORD_STATEMENT));
    for (size_t i = 0; i < contest->problem_count; i++) {
        page_put(page, " <a href=\"%sstatement/%s.html\">", page->up, contest->problems[i].id);
        layout_problem(page, own->board, i);
        page_put(page, "</a>");
    }
    page_put(page, "</p>\n");
    own_page_form(own, "/submit", "row", true);
    put_problems(own, false);
    page_put(page,
             "<div class=\"drop\"><label>%s <input type=\"file\" name=\"files\" multiple required></label>"
             "<small>%s</small></div>\n<button>%s</button>\n</form>\n",
             page_word(page, WORD_FILES), page_word(page, WORD_FILES_ARE), page_word(page, WORD_HAND_IN));
}

/* Columns: id, from_team, to_team, problem, text, made, reply_to. */
static void put_question(struct own_page *own, sqlite3_stmt *row)
{
    struct page *page = &own->page;
    const char *from = (const char *)sqlite3_column_text(row, 1), *to = (const char *)sqlite3_column_text(row, 2),
               *problem = (const char *)sqlite3_column_text(row, 3);
    const bool is_reply = sqlite3_column_type(row, 6) != SQLITE_NULL;

    page_put(page, "<dt>%jd \xe2\x80\x93 ", (intmax_t)sqlite3_column_int64(row, 0));
    page_moment(page, sqlite3_column_double(row, 5));
    page_put(page, " %s", page_word(page, from ? WORD_QUESTION : is_reply || to ? WORD_ANSWER : WORD_ANNOUNCEMENT));
    if (from || to) {
        page_put(page, " \xe2\x80\x93 ");
        page_name(page, from ? from : to);
    } else {
        page_put(page, " %s", page_word(page, WORD_TO_ALL));
    }
    if (problem && problems_for(own) > 0) {
        page_put(page, " \xe2\x80\x93 %s ", page_word(page, WORD_PROBLEM));
        page_text(page, problem, PAGE_NAME);
    }
    page_put(page, "</dt><dd>");
    page_text(page, (const char *)sqlite3_column_text(row, 4), QUESTION_BYTES);
    page_put(page, "</dd>\n");
}

/* Of a team: its own questions, answers to it and what is for all. Of the jury: everything. */
static bool put_questions(struct own_page *own, struct error *error)
{
    struct store *store = &own->server->accounts;
    const bool jury = own->request->account.role >= ROLE_JURY;
    const char *name = own->request->account.name;
    sqlite3_stmt *statement = store_prepare(
        store, error,
        "SELECT id, from_team, to_team, problem, text, made, reply_to FROM clarifications WHERE ? OR from_team = ?"
        " OR to_team = ? OR (from_team IS NULL AND to_team IS NULL) ORDER BY id DESC LIMIT ?", "issi", (int64_t)jury,
        name, name, (int64_t)SHOWN);
    enum store_row row;
    size_t count = 0;

    page_put(&own->page, "<h2>%s</h2>\n", page_word(&own->page, WORD_QUESTIONS));
    layout_live(&own->page, "questions");
    while ((row = store_step(store, statement, error)) == STORE_ROW) {
        page_put(&own->page, "%s", count++ == 0 ? "<dl>\n" : "");
        put_question(own, statement);
    }
    sqlite3_finalize(statement);
    if (count > 0)
        page_put(&own->page, "</dl>\n");
    else
        page_put(&own->page, "<p>%s</p>\n", page_word(&own->page, WORD_NO_QUESTIONS));
    layout_live_end(&own->page);
    own_page_form(own, "/ask", "", false);
    put_problems(own, true);
    if (jury)
        page_put(&own->page, "<label>%s <input name=\"reply_to\" inputmode=\"numeric\"></label>\n",
                 page_word(&own->page, WORD_REPLY));
    page_put(&own->page, "<label>%s <textarea name=\"text\" maxlength=\"%d\" required></textarea></label>\n"
                         "<button>%s</button>\n</form>\n",
             page_word(&own->page, jury ? WORD_ANSWER_OR_ANNOUNCEMENT : WORD_QUESTION), QUESTION_BYTES,
             page_word(&own->page, jury ? WORD_SEND : WORD_ASK));
    return row == STORE_END;
}

/* ------------------------------------------------------------------ the pages themselves */

static bool home_page(struct own_page *own, enum language language, struct error *error)
{
    own_page_begin(own, language, "my/", "index",
                   own->request->account.role >= ROLE_JURY ? WORD_JURY : WORD_MY_SUBMISSIONS);
    own_page_form(own, "/logout", "row", false);
    page_put(&own->page, "<b>");
    page_name(&own->page, own->request->account.name);
    page_put(&own->page, "</b> <button>%s</button>\n</form>\n", page_word(&own->page, WORD_LOG_OUT));
    if (own->request->account.role == ROLE_TEAM) {
        if (!put_submissions(own, error))
            return false;
        put_hand_in(own);
    }
    if (own->request->account.role >= ROLE_JURY)
        page_put(&own->page, "<p><a href=\"balloons.html\">%s</a></p>\n", page_word(&own->page, WORD_BALLOONS));
    if (!put_questions(own, error))
        return false;
    layout_end(&own->page, own->board);
    return true;
}

static void login_page(struct own_page *own, enum language language, bool wrong)
{
    own_page_begin(own, language, "", "login", WORD_LOG_IN);
    if (wrong)
        page_put(&own->page, "<p class=\"message\" role=\"alert\">%s</p>\n", page_word(&own->page, WORD_TOKEN_WRONG));
    own_page_form(own, "/login", "row", false);
    page_put(&own->page,
             "<label>%s <input type=\"password\" name=\"token\" autocomplete=\"current-password\" required></label>\n"
             "<button>%s</button>\n</form>\n<p class=\"note\">%s</p>\n",
             page_word(&own->page, WORD_TOKEN), page_word(&own->page, WORD_LOG_IN),
             page_word(&own->page, WORD_TOKEN_FROM));
    layout_end(&own->page, own->board);
}

/* What the compiler said, whole as far as it was kept, of a submission that it refused. */
static bool put_log(struct own_page *own, const struct entry *entry, struct error *error)
{
    sqlite3_stmt *statement;
    enum store_row row;

    if (!entry->verdict || strcmp(entry->verdict, "CE") != 0)
        return true;
    statement = store_prepare(&own->server->look, error,
                              "SELECT log FROM steps WHERE judgement = ? AND step = " SQL(NAME_BUILD), "i",
                              entry->judgement);
    row = store_step(&own->server->look, statement, error);
    if (row == STORE_ROW && sqlite3_column_bytes(statement, 0) > 0) {
        page_put(&own->page, "<h2>%s</h2>\n<pre class=\"log\" lang=\"en\" tabindex=\"0\">",
                 page_word(&own->page, WORD_COMPILER_SAYS));
        page_lines(&own->page, (const char *)sqlite3_column_text(statement, 0), LOG);
        page_put(&own->page, "</pre>\n");
    }
    sqlite3_finalize(statement);
    return row != STORE_FAILED;
}

static void put_said(struct page *page, const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "case")),
               *text = json_string_value(json_object_get(object, "text")),
               *why = json_string_value(json_object_get(object, "why"));

    page_put(page, "<h2 id=\"explanation\">%s", page_word(page, WORD_SIMULATOR_SAYS));
    if (name) {
        page_put(page, " \xe2\x80\x93 ");
        page_name(page, name);
    }
    page_put(page, "</h2>\n");
    if (why) {
        page_put(page, "<p lang=\"en\">");
        page_text(page, why, PAGE_MESSAGE);
        page_put(page, "</p>\n");
    }
    if (text) {
        page_put(page, "<p>%s</p>\n<pre class=\"log\" lang=\"en\" tabindex=\"0\">",
                 page_word(page, WORD_SIMULATOR_MEANS));
        page_lines(page, text, EXPLANATION);
        page_put(page, "</pre>\n");
    }
}

/*
 * What the simulator says of one sample, once it has run: while the secret cases are still judged, too. Nothing where
 * the submission did not run on the simulator.
 */
static bool put_explanation(struct own_page *own, int64_t id, struct error *error)
{
    struct page *page = &own->page;
    sqlite3_stmt *row = store_prepare(&own->server->look, error,
                                      "SELECT j.id, j.verdict, m.kind FROM judgements j LEFT JOIN machines m ON"
                                      " m.id = j.machine WHERE j.submission = ? AND j.valid = 1", "i", id);
    const enum store_row got = store_step(&own->server->look, row, error);
    json_t *object = NULL;

    if (got == STORE_ROW) {
        const struct extras of = { .judgement = sqlite3_column_int64(row, 0),
                                   .verdict = (const char *)sqlite3_column_text(row, 1),
                                   .kind = (const char *)sqlite3_column_text(row, 2),
                                   .explains = own->server->contest->explain };

        if (of.kind && strcmp(of.kind, "sim") == 0)
            object = extras_explanation(own->server, &of, true, error);
    }
    if (json_is_object(object))
        put_said(page, object);
    json_decref(object);
    sqlite3_finalize(row);
    return got != STORE_FAILED;
}

/* The team's own submission: what the freeze hides from others it sees. */
static bool own_submission(struct own_page *own, enum language language, int64_t id, bool *there, struct error *error)
{
    struct server *server = own->server;
    struct board *board = board_whole(server, error);
    struct entry *entry = NULL;
    struct detail detail = { 0 };
    bool ok = board != NULL;

    for (size_t i = 0; ok && i < board->count; i++)
        if (board->entries[i].id == id && strcmp(board->entries[i].team, server_team(own->request)) == 0)
            entry = &board->entries[i];
    *there = entry != NULL;
    if (entry) {
        ok = detail_load(&detail, board, entry, error);
        own->parts = (struct page_server){ serve_script, server->script, true };
        own->page.server = &own->parts;
        if (ok) {
            page_submission_begin(&own->page, language, board, entry, &detail, server->style);
            ok = put_log(own, entry, error) && put_explanation(own, id, error);
            layout_live_end(&own->page);
            layout_end(&own->page, board);
        }
        detail_release(&detail);
    }
    return ok;
}

static bool statement_page(struct own_page *own, enum language language, const char *id)
{
    const struct contest *contest = own->server->contest;
    const struct contest_problem *problem = contest_problem(contest, id);

    if (!problem || (size_t)(problem - contest->problems) >= problems_for(own))
        return false;
    own_page_begin(own, language, "statement/", problem->id, WORD_STATEMENT);
    page_put(&own->page, "<h2>");
    layout_problem(&own->page, own->board, (size_t)(problem - contest->problems));
    page_put(&own->page, "</h2>\n");
    if (!statement_put(&own->page, own->server->root, problem->problem))
        return false;
    layout_end(&own->page, own->board);
    return true;
}

/* ------------------------------------------------------------------ events */

/*
 * Changes with what the reader may know. While the standings are frozen the news do not tell of a team's own
 * submissions: those and their states are looked at here, and whether others moved up in the queue before them.
 */
static int64_t number_of(const struct feed_reader *reader)
{
    struct server *server = reader->server;
    int64_t number = (int64_t)news_number(server->news, reader->view), own = 0;
    struct error ignored;

    if (reader->account[0] && news_is_frozen(server->news) &&
        store_number(&server->look, &ignored, &own,
                     "SELECT coalesce(sum(j.id * 128 + instr('building samples secret ranked done', j.state) * 2 +"
                     " CASE j.state WHEN " SQL(NAME_NEW) " THEN 4096 * (SELECT count(*) FROM judgements WHERE state ="
                     " " SQL(NAME_NEW) ") ELSE 0 END), 0) FROM submissions s JOIN judgements j ON j.submission = s.id"
                     " WHERE s.team = ?", "s", reader->account))
        number += own << 12;
    return number & 0xffffffff;
}

static ptrdiff_t read_events(void *context, int64_t *place, char *buffer, size_t size)
{
    const int64_t number = number_of(context), beat = server_beat();
    const int64_t now = beat << 32 | number;

    if (now == *place)
        return 0;
    if (*place >= 0 && (*place & 0xffffffff) == number) {
        *place = now;
        return snprintf(buffer, size, ":\n\n");
    }
    *place = now;
    return snprintf(buffer, size, "event: change\ndata: %jd\n\n", (intmax_t)number);
}

static void get_events(struct server *server, const struct http_request *request, struct http_reply *reply)
{
    struct feed_reader *reader = api_reader(server, request);

    if (!reader) {
        server_refuse(request, reply, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
        return;
    }
    reply->status = MHD_HTTP_OK;
    reply->type = "text/event-stream";
    reply->stream = read_events;
    reply->stream_context = reader;
    /* What the page shows is as old as the connection: only what comes from now on is news. */
    reply->stream_place = server_beat() << 32 | number_of(reader);
}

/* ------------------------------------------------------------------ as JSON, for programs */

/* A team's submission, or any for the jury. False if the account does not own it. */
static bool get_json(struct server *server, const struct http_request *request, int64_t id, struct http_reply *reply)
{
    struct error error = { 0 };
    int64_t may = 0;
    struct result_queue queue = { 0 };
    json_t *object = NULL;
    char *text = NULL;

    if (store_number(&server->look, &error, &may, "SELECT 1 FROM submissions WHERE id = ? AND (team = ? OR ?)", "isi",
                     id, server_team(request), (int64_t)(request->account.role >= ROLE_JURY)) && may)
        object = result_json(server, id, true, &queue, &error);
    text = object ? json_dumps(object, JSON_REAL_PRECISION(15)) : NULL;
    result_queue_release(&queue);
    if (text)
        http_text(reply, MHD_HTTP_OK, "application/json", text);
    free(text);
    json_decref(object);
    if (error.text[0])
        server_failed(request, reply, &error);
    return text || error.text[0];
}

/* ------------------------------------------------------------------ requests */

/* "NAME.html" behind the prefix, as "NAME". */
static bool page_name_of(const char *path, const char *prefix, char name[64])
{
    const size_t start = strlen(prefix), length = strlen(path);

    if (strncmp(path, prefix, start) != 0 || length < start + 6 || length - start - 5 >= 64 ||
        strcmp(path + length - 5, ".html") != 0)
        return false;
    snprintf(name, 64, "%.*s", (int)(length - start - 5), path + start);
    return true;
}

/* A page below "my/": for who is logged in. */
static bool get_own(struct own_page *own, enum language language, const char *name, struct http_reply *reply,
                    struct error *error)
{
    bool there = true, ok;
    int64_t id;

    if (own->request->account.role < ROLE_TEAM) {
        own_page_go_to(reply, language, "/login.html");
        return true;
    }
    if (strcmp(name, "index") == 0)
        ok = home_page(own, language, error);
    else if (strcmp(name, "balloons") == 0 && own->request->account.role >= ROLE_JURY)
        ok = balloons_page(own, language, error);
    else if (number_integer(name, 1, INT64_MAX, &id))
        ok = own_submission(own, language, id, &there, error);
    else
        return false;
    if (ok && there)
        own_page_send(own, reply);
    else
        page_release(&own->page);
    if (!ok)
        server_failed(own->request, reply, error);
    return !ok || there;
}

bool team_get(struct server *server, struct http_request *request, struct http_reply *reply)
{
    const bool japanese = strncmp(request->path, "/ja/", 4) == 0;
    const char *path = request->path + (japanese ? 4 : 1);
    const enum language language = japanese ? JAPANESE : ENGLISH;
    struct own_page own = { .server = server, .request = request };
    struct error error = { 0 };
    const char *wrong;
    char name[64];
    int64_t id;

    if (strcmp(request->path, "/events") == 0)
        return get_events(server, request, reply), true;
    if (strncmp(request->path, "/my/", 4) == 0 && strlen(request->path) > 9 &&
        strcmp(request->path + strlen(request->path) - 5, ".json") == 0) {
        snprintf(name, sizeof name, "%.*s", (int)strlen(request->path) - 9, request->path + 4);
        return request->account.role > ROLE_PUBLIC && number_integer(name, 1, INT64_MAX, &id) &&
               get_json(server, request, id, reply);
    }
    if (strncmp(path, "my/", 3) != 0 && strncmp(path, "statement/", 10) != 0 && strcmp(path, "login.html") != 0)
        return false;
    own.board = board_now(server, &error);
    if (!own.board)
        return server_failed(request, reply, &error), true;
    if (page_name_of(path, "my/", name))
        return get_own(&own, language, name, reply, &error);
    if (strcmp(path, "login.html") == 0) {
        http_query(request, "wrong", &wrong);
        login_page(&own, language, wrong != NULL);
        return own_page_send(&own, reply), true;
    }
    if (page_name_of(path, "statement/", name) && statement_page(&own, language, name))
        return own_page_send(&own, reply), true;
    page_release(&own.page);
    return false;
}

/* ------------------------------------------------------------------ changes */

static const char *field(const struct http_request *request, const char *name)
{
    const struct http_part *part = http_part(request, name);

    return part && !part->file[0] && part->data && strlen(part->data) == part->size ? part->data : "";
}

static void put_cookie(const struct http_request *request, struct http_reply *reply, const char *session, int seconds)
{
    snprintf(reply->cookie, sizeof reply->cookie, "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%d%s",
             request->local ? HTTP_SESSION_LOCAL : HTTP_SESSION, session, seconds, request->local ? "" : "; Secure");
}

static void post_login(struct server *server, struct http_request *request, struct http_reply *reply,
                       enum language language)
{
    char session[ACCOUNT_TOKEN];
    struct account account;
    struct error error = { 0 };

    if (!account_by_token(&server->store, field(request, "token"), &account, &error)) {
        server_failed(request, reply, &error);
        return;
    }
    if (account.role == ROLE_PUBLIC) {
        if (limits_allow(server->limits, LIMIT_TOKENS, request->address))
            own_page_go_to(reply, language, "/login.html?wrong=yes");
        else
            server_too_often(request, reply, "too many wrong tokens from this address: wait a minute");
        return;
    }
    if (!limits_allow(server->limits, LIMIT_UPLOADS, account.name)) {
        server_too_often(request, reply, "too many requests from this account: wait some seconds");
        return;
    }
    if (!account_log_in(&server->store, &account, session, &error)) {
        server_failed(request, reply, &error);
        return;
    }
    own_page_go_to(reply, language, "/my/index.html");
    put_cookie(request, reply, session, ACCOUNT_HOURS * 3600);
    sodium_memzero(session, sizeof session);
}

static void post_logout(struct server *server, struct http_request *request, struct http_reply *reply,
                        enum language language)
{
    const char *session = http_session(request);
    struct error error = { 0 };

    if (session && !account_log_out(&server->store, session, &error)) {
        server_failed(request, reply, &error);
        return;
    }
    own_page_go_to(reply, language, "/index.html");
    put_cookie(request, reply, "", 0);
}

/* A folder's name for several files, of what they are: handed in again they are the same submission. */
static void title_of(const struct upload_file *files, size_t count, char *title, size_t size)
{
    crypto_generichash_state state;
    unsigned char hash[16];
    char hex[2 * sizeof hash + 1];

    crypto_generichash_init(&state, NULL, 0, sizeof hash);
    for (size_t i = 0; i < count; i++) {
        const uint64_t length = files[i].size;

        crypto_generichash_update(&state, (const unsigned char *)files[i].name, strlen(files[i].name) + 1);
        crypto_generichash_update(&state, (const unsigned char *)&length, sizeof length);
        crypto_generichash_update(&state, (const unsigned char *)files[i].data, files[i].size);
    }
    crypto_generichash_final(&state, hash, sizeof hash);
    sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
    snprintf(title, size, "upload-%.8s", hex);
}

static void post_submit(struct server *server, struct http_request *request, struct http_reply *reply,
                        enum language language)
{
    const struct contest_problem *problem = contest_problem(server->contest, field(request, "problem"));
    struct upload_file files[HTTP_PARTS];
    char title[64], text[128];
    size_t count = 0;
    int64_t number;

    for (size_t i = 0; i < request->part_count; i++)
        if (strcmp(request->parts[i].name, "files") == 0 && request->parts[i].file[0])
            files[count++] = (struct upload_file){ request->parts[i].file, request->parts[i].data,
                                                   request->parts[i].size };
    title_of(files, count, title, sizeof title);
    if (request->account.role != ROLE_TEAM)
        server_refuse(request, reply, MHD_HTTP_FORBIDDEN, "only teams submit");
    else if (!server_has_begun(server, request, reply))
        ; /* the reply says so, whether there is such a problem or not */
    else if (!problem)
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, "there is no such problem in this contest");
    else if (upload_take(server, request, request->account.name, problem->id, files, count, title, &number, reply)) {
        if (request->form[0]) {
            own_page_go_to(reply, language, "/my/index.html");
        } else { /* of a program */
            snprintf(text, sizeof text, "{\"id\":\"%jd\"}\n", (intmax_t)number);
            http_text(reply, MHD_HTTP_OK, "application/json", text);
        }
    }
}

static void post_question(struct server *server, struct http_request *request, struct http_reply *reply,
                          enum language language)
{
    const char *problem = field(request, "problem"), *reply_to = field(request, "reply_to");
    struct question question = { .text = field(request, "text"), .problem = problem[0] ? problem : NULL,
                                 .to_asker = true };
    int64_t number;

    if (problem[0] && !server_has_begun(server, request, reply))
        ; /* the reply says so, whether there is such a problem or not */
    else if (problem[0] && !contest_problem(server->contest, problem))
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, "there is no such problem in this contest");
    else if (reply_to[0] && !number_integer(reply_to, 1, INT64_MAX, &question.reply_to))
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, "the number to reply to must be a number or empty");
    else if (question_take(server, request, &question, &number, reply))
        own_page_go_to(reply, language, "/my/index.html");
}

static void post_balloon(struct server *server, struct http_request *request, struct http_reply *reply,
                         enum language language)
{
    balloons_post(server, request, field(request, "team"), field(request, "problem"), field(request, "delivered"),
                  reply);
    if (!reply->status)
        own_page_go_to(reply, language, "/my/balloons.html");
}

void team_post(struct server *server, struct http_request *request, struct http_reply *reply)
{
    const enum language language = strcmp(field(request, "language"), "ja") == 0 ? JAPANESE : ENGLISH;

    if (strcmp(request->path, "/login") == 0)
        post_login(server, request, reply, language);
    else if (strcmp(request->path, "/logout") == 0)
        post_logout(server, request, reply, language);
    else if (strcmp(request->path, "/submit") == 0)
        post_submit(server, request, reply, language);
    else if (strcmp(request->path, "/balloon") == 0 && request->account.role >= ROLE_JURY)
        post_balloon(server, request, reply, language);
    else if (strcmp(request->path, "/ask") == 0 && request->account.role >= ROLE_TEAM)
        post_question(server, request, reply, language);
    else
        server_refuse(request, reply, MHD_HTTP_FORBIDDEN, "this account may not do that");
}
