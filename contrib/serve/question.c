/*
 * question.c - a team's question, or what the jury says to a team or to all: by a page's form or by the Contest API.
 */
#include <stdio.h>
#include <string.h>

#include "server.h"
#include "verify/base/text.h"

/* Spaces of all kinds in Unicode, and characters that nobody sees. */
static bool is_space(uint32_t character)
{
    return character == ' ' || character == 0xa0 || character == 0x1680 ||
           (character >= 0x2000 && character <= 0x200a) || character == 0x202f || character == 0x205f ||
           character == 0x3000 || text_steers(character);
}

/* Whether it is UTF-8, else no feed could be made of it, and has something to read. */
static bool is_text(const char *text)
{
    bool says = false;
    size_t length;

    for (; *text; text += length) {
        const uint32_t character = text_character(text, SIZE_MAX, &length);

        if (character == TEXT_BROKEN)
            return false;
        says = says || !is_space(character);
    }
    return says;
}

/*
 * Who asked what is replied to, "" for the jury; *there: whether there is such a clarification, of those that the
 * account sees.
 */
static bool find_asker(struct server *server, const struct http_request *request, int64_t id, char asker[ACCOUNT_NAME],
                       bool *there, struct error *error)
{
    sqlite3_stmt *row =
        store_prepare(&server->store, error,
                      "SELECT from_team FROM clarifications WHERE id = ? AND (? OR from_team = ? OR to_team = ? OR"
                      " (from_team IS NULL AND to_team IS NULL))", "iiss", id,
                      (int64_t)(request->account.role >= ROLE_JURY), request->account.name, request->account.name);
    const enum store_row got = store_step(&server->store, row, error);
    const char *name = got == STORE_ROW ? (const char *)sqlite3_column_text(row, 0) : NULL;

    snprintf(asker, ACCOUNT_NAME, "%s", name ? name : "");
    *there = got == STORE_ROW;
    sqlite3_finalize(row);
    return got != STORE_FAILED;
}

/*
 * Whether a team may ask one more. The jury's page has the newest questions of all teams: one team alone is not to push
 * out the others'.
 */
static bool may_ask(struct server *server, const struct http_request *request, struct http_reply *reply)
{
    struct error error = { 0 };
    int64_t open;
    char line[160];

    if (!store_number(&server->store, &error, &open,
                      "SELECT count(*) FROM clarifications q WHERE q.from_team = ? AND q.made > ? AND NOT EXISTS"
                      " (SELECT 1 FROM clarifications a WHERE a.reply_to = q.id)", "sd", request->account.name,
                      server_now(server) - QUESTION_SECONDS)) {
        server_failed(request, reply, &error);
        return false;
    }
    if (open < QUESTIONS_OPEN)
        return true;
    snprintf(line, sizeof line, "%d of your questions of the last hour have no answer yet: wait for the jury",
             QUESTIONS_OPEN);
    server_refuse(request, reply, MHD_HTTP_TOO_MANY_REQUESTS, line);
    reply->retry = 60;
    return false;
}

bool question_take(struct server *server, const struct http_request *request, const struct question *question,
                   int64_t *number, struct http_reply *reply)
{
    const bool jury = request->account.role >= ROLE_JURY;
    const char *to = question->to;
    struct error error = { 0 };
    char asker[ACCOUNT_NAME] = "";
    bool there = true, ok;

    ok = question->reply_to == 0 || find_asker(server, request, question->reply_to, asker, &there, &error);
    if (ok && (!question->text || !question->text[0] || strlen(question->text) > QUESTION_BYTES ||
               !is_text(question->text))) {
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST,
                      "a question must be UTF-8 text of 1 to 4,000 bytes, and not only spaces");
        return false;
    }
    if (ok && !there) {
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, "there is no clarification with that number");
        return false;
    }
    if (ok && !jury && !may_ask(server, request, reply))
        return false;
    if (question->to_asker && asker[0])
        to = asker;
    ok = ok && store_run(&server->store, &error,
                         "INSERT INTO clarifications (from_team, to_team, reply_to, problem, text, made) VALUES"
                         " (?, ?, nullif(?, 0), ?, ?, ?)", "ssissd", jury ? NULL : request->account.name,
                         jury ? to : NULL, question->reply_to, question->problem, question->text, server_now(server));
    *number = sqlite3_last_insert_rowid(server->store.db);
    if (!ok)
        server_failed(request, reply, &error);
    return ok;
}
