/*
 * balloons.c - the jury's page of balloons: one for each problem that a team has solved, marked where it was delivered.
 *
 * As the public board has it: what the freeze hides has no balloon before the thaw, for a balloon shows a verdict.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "own_page.h"
#include "verify/base/clock.h"

struct balloon {
    const struct entry *entry; /* that solved the problem for the team */
    double delivered;          /* seconds since 1970; 0: it is not */
};

struct balloons {
    struct balloon *items; /* [count], in the order in which they were earned */
    size_t count;
};

/* ------------------------------------------------------------------ which there are */

static int by_team(const void *a, const void *b)
{
    const struct entry *one = ((const struct balloon *)a)->entry, *other = ((const struct balloon *)b)->entry;
    const int team = strcmp(one->team, other->team);

    if (team)
        return team;
    if (one->problem != other->problem)
        return one->problem < other->problem ? -1 : 1;
    if (one->submitted != other->submitted)
        return one->submitted < other->submitted ? -1 : 1;
    return one->id < other->id ? -1 : 1;
}

/* What is not delivered first, and then as they were earned. */
static int by_turn(const void *a, const void *b)
{
    const struct balloon *one = a, *other = b;

    if ((one->delivered > 0) != (other->delivered > 0))
        return one->delivered > 0 ? 1 : -1;
    if (one->entry->submitted != other->entry->submitted)
        return one->entry->submitted < other->entry->submitted ? -1 : 1;
    return one->entry->id < other->entry->id ? -1 : 1;
}

/* "PROBLEM/TEAM" → when it was delivered, of all that was; a problem's id has no slash. NULL with an error. */
static json_t *read_delivered(struct server *server, struct error *error)
{
    sqlite3_stmt *row =
        store_prepare(&server->accounts, error, "SELECT problem || '/' || team, delivered FROM balloons", "");
    json_t *all = json_object();
    enum store_row got;

    while ((got = store_step(&server->accounts, row, error)) == STORE_ROW)
        json_object_set_new(all, (const char *)sqlite3_column_text(row, 0), json_real(sqlite3_column_double(row, 1)));
    sqlite3_finalize(row);
    if (got == STORE_END && all)
        return all;
    json_decref(all);
    return NULL;
}

static const char *key_of(const struct board *board, const struct entry *entry, char key[ACCOUNT_NAME + 80])
{
    snprintf(key, ACCOUNT_NAME + 80, "%s/%s", board->contest->problems[entry->problem].id, entry->team);
    return key;
}

/*
 * The first accepted submission of each team on each problem. What is found of `delivered` is taken out of it: what is
 * left was delivered for nothing.
 */
static bool find_balloons(const struct board *board, json_t *delivered, struct balloons *all, struct error *error)
{
    char key[ACCOUNT_NAME + 80];
    size_t kept = 0;

    *all = (struct balloons){ calloc(board->count + 1, sizeof *all->items), 0 };
    if (!all->items)
        return error_toolkit(error, "out of memory");
    for (size_t i = 0; i < board->count; i++) {
        const struct entry *entry = &board->entries[i];

        if (entry->counts && !entry->hidden && entry->verdict && strcmp(entry->verdict, "AC") == 0)
            all->items[all->count++].entry = entry;
    }
    qsort(all->items, all->count, sizeof *all->items, by_team);
    for (size_t i = 0; i < all->count; i++) {
        const struct entry *entry = all->items[i].entry, *last = kept > 0 ? all->items[kept - 1].entry : NULL;

        if (last && last->problem == entry->problem && strcmp(last->team, entry->team) == 0)
            continue;
        key_of(board, entry, key);
        all->items[kept++] = (struct balloon){ entry, json_real_value(json_object_get(delivered, key)) };
        json_object_del(delivered, key);
    }
    all->count = kept;
    qsort(all->items, all->count, sizeof *all->items, by_turn);
    return true;
}

/* ------------------------------------------------------------------ the page */

/* A button that says of a team's balloon that it was delivered, or was not. */
static void put_button(struct own_page *own, const char *team, const char *problem, bool delivered, enum word word)
{
    struct page *page = &own->page;

    own_page_form(own, "/balloon", "row", false);
    page_put(page, "<input type=\"hidden\" name=\"team\" value=\"");
    page_text(page, team, ACCOUNT_NAME);
    page_put(page, "\">\n");
    own_page_hidden(page, "problem", problem);
    own_page_hidden(page, "delivered", delivered ? "yes" : "no");
    page_put(page, "<button>%s</button>\n</form>\n", page_word(page, word));
}

static void put_color(struct page *page, const struct contest_problem *problem)
{
    if (problem->rgb)
        page_put(page,
                 "<svg class=\"balloon\" width=\"16\" height=\"16\" role=\"img\" aria-label=\"%s\"><circle"
                 " cx=\"8\" cy=\"8\" r=\"7\" fill=\"%s\" stroke=\"currentColor\"/></svg> ", problem->rgb, problem->rgb);
    if (problem->color)
        page_text(page, problem->color, PAGE_NAME);
}

/* On a phone the first columns are visible without scrolling: they have the button. */
static void put_balloon(struct own_page *own, const struct balloon *balloon)
{
    struct page *page = &own->page;
    const struct board *board = own->board;
    const struct entry *entry = balloon->entry;
    const struct contest_problem *problem = &board->contest->problems[entry->problem];

    page_put(page, "<tr%s><td>", balloon->delivered > 0 ? " class=\"done\"" : "");
    page_text(page, problem->id, PAGE_NAME);
    page_put(page, "</td><td>");
    put_color(page, problem);
    page_put(page, "</td><th scope=\"row\" class=\"team\">");
    page_name(page, entry->name);
    page_put(page, "</th><td>");
    if (balloon->delivered > 0) {
        page_put(page, "%s ", page_word(page, WORD_DELIVERED));
        page_moment(page, balloon->delivered);
    }
    put_button(own, entry->team, problem->id, balloon->delivered <= 0,
               balloon->delivered > 0 ? WORD_NOT_DELIVERED : WORD_MARK_DELIVERED);
    page_put(page, "</td><td>");
    if (board->firsts[entry->problem].submission == entry->id)
        page_put(page, "<span class=\"first\"><span aria-hidden=\"true\">\xe2\x98\x85\xc2\xa0</span>%s%s</span>",
                 page_word(page, WORD_FIRST), page_word(page, WORD_TO_SOLVE));
    page_put(page, "</td><td>");
    page_name(page, entry->team);
    page_put(page, "</td><td>");
    page_moment(page, entry->submitted);
    page_put(page, "</td></tr>\n");
}

/* Of what was delivered and is not earned any more, as after a rejudging. In the freeze nobody can tell that. */
static void put_wrong(struct own_page *own, json_t *delivered)
{
    struct page *page = &own->page;
    const char *key;
    json_t *moment;
    size_t count = 0;

    json_object_foreach(delivered, key, moment) {
        const char *team = strchr(key, '/') + 1;
        char problem[80];

        snprintf(problem, sizeof problem, "%.*s", (int)(team - key - 1), key);
        page_put(page, "%s<li>", count++ == 0 ? "<ul class=\"wrong\">\n" : "");
        page_text(page, problem, PAGE_NAME);
        page_put(page, " \xe2\x80\x93 ");
        page_name(page, team);
        page_put(page, " %s\n", page_word(page, WORD_TAKE_BACK));
        put_button(own, team, problem, false, WORD_NOT_DELIVERED);
        page_put(page, "</li>\n");
    }
    page_put(page, "%s", count > 0 ? "</ul>\n" : "");
}

bool balloons_page(struct own_page *own, enum language language, struct error *error)
{
    static const enum word head[] = { WORD_PROBLEM, WORD_COLOR,  WORD_TEAM,      WORD_STATE,
                                      WORD_FIRST,   WORD_FOLDER, WORD_SUBMITTED, WORD_COUNT };
    struct page *page = &own->page;
    json_t *delivered = read_delivered(own->server, error);
    struct balloons all = { 0 };
    bool ok = delivered && find_balloons(own->board, delivered, &all, error);

    if (ok) {
        own_page_begin(own, language, "my/", "balloons", WORD_BALLOONS);
        page_put(page, "<p class=\"print\" hidden><button type=\"button\" data-print>%s</button></p>\n",
                 page_word(page, WORD_PRINT));
        if (own->board->freeze > 0)
            page_put(page, "<p class=\"note\">%s</p>\n", page_word(page, WORD_BALLOONS_FROZEN));
        layout_live(page, "balloons");
        if (own->board->freeze <= 0)
            put_wrong(own, delivered);
        if (all.count == 0)
            page_put(page, "<p>%s</p>\n", page_word(page, WORD_NO_BALLOONS));
        for (size_t i = 0; i < all.count; i++) {
            if (i == 0) {
                layout_table_begin(page, "list", "balloons");
                page_put(page, "%s", page_word(page, WORD_BALLOONS));
                layout_table_caption_end(page);
                layout_table_head(page, 0, head);
            }
            put_balloon(own, &all.items[i]);
        }
        if (all.count > 0)
            layout_table_end(page);
        layout_live_end(page);
        layout_end(page, own->board);
    }
    free(all.items);
    json_decref(delivered);
    return ok;
}

/* ------------------------------------------------------------------ marks */

void balloons_post(struct server *server, struct http_request *request, const char *team, const char *problem,
                   const char *delivered, struct http_reply *reply)
{
    const bool yes = strcmp(delivered, "yes") == 0;
    struct error error = { 0 };
    int64_t solved = 0;
    bool ok = true;

    if (!yes && strcmp(delivered, "no") != 0) {
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, "delivered must be yes or no");
        return;
    }
    ok = store_number(&server->store, &error, &solved,
                      "SELECT 1 FROM submissions s JOIN judgements j ON j.submission = s.id AND j.valid = 1 WHERE"
                      " s.wanted IS NULL AND s.team = ? AND s.problem = ? AND j.verdict = 'AC'", "ss", team, problem);
    if (ok && yes && !solved) {
        server_refuse(request, reply, MHD_HTTP_BAD_REQUEST, "that team has not solved that problem");
        return;
    }
    /* Said twice, the first one stands. */
    ok = ok && (yes ? store_run(&server->store, &error,
                                "INSERT OR IGNORE INTO balloons (team, problem, delivered, account) VALUES"
                                " (?, ?, ?, ?)",
                                "ssds", team, problem, clock_wall(), request->account.name)
                    : store_run(&server->store, &error, "DELETE FROM balloons WHERE team = ? AND problem = ?", "ss",
                                team, problem));
    if (!ok)
        server_failed(request, reply, &error);
}
