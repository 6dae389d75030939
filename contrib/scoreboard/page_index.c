/*
 * page_index.c - who stands where.
 */
#include <stdio.h>
#include <string.h>

#include "pages.h"

/* ------------------------------------------------------------------ above the table */

static void put_moment(struct page *page, enum word name, double moment)
{
    if (moment == 0)
        return;
    page_put(page, "<div><dt>%s</dt><dd>", page_word(page, name));
    page_moment(page, moment);
    page_put(page, "</dd></div>\n");
}

static void put_state(struct page *page, const struct board *board)
{
    const struct contest *contest = board->contest;
    const bool frozen = board->freeze > 0 && board->now >= board->freeze;

    if (contest->start == 0 && contest->freeze == 0 && contest->end == 0)
        return;
    page_put(page, "<p class=\"state%s\">", frozen ? " frozen" : "");
    if (contest->start > 0 && board->now < contest->start)
        page_put(page, "%s", page_word(page, WORD_STATE_BEFORE));
    else
        page_put(page, "%s", page_word(page, contest->end == 0 || board->now < contest->end ? WORD_STATE_RUNNING
                                                                                             : WORD_STATE_OVER));
    if (frozen)
        page_put(page, " <strong>%s</strong>", page_word(page, WORD_STATE_FROZEN));
    else if (board->freeze > 0)
        page_put(page, " %s", page_word(page, WORD_STATE_WILL_FREEZE));
    else if (contest->freeze > 0)
        page_put(page, " %s", page_word(page, WORD_STATE_FINAL));
    page_put(page, "</p>\n");
    page_put(page, "<dl class=\"facts\">\n");
    put_moment(page, WORD_START, contest->start);
    put_moment(page, WORD_FREEZE, contest->freeze);
    put_moment(page, WORD_END, contest->end);
    page_put(page, "</dl>\n");
}

static void put_scoring(struct page *page, const struct contest *contest)
{
    page_put(page, "<p class=\"note\">");
    if (contest->scoring == SCORING_PASS_FAIL) {
        char minutes[32];

        snprintf(minutes, sizeof minutes, "%g", contest->penalty);
        page_say(page, WORD_SCORING_PASS_FAIL, minutes);
    } else if (contest->scoring == SCORING_FASTEST) {
        page_put(page, "%s", words[WORD_SCORING_FASTEST][page->language]);
    } else {
        page_put(page, "%s",
                 page_word(page, contest->scoring == SCORING_RELATIVE ? WORD_SCORING_RELATIVE : WORD_SCORING_GROUPS));
    }
    page_put(page, " %s", page_word(page, WORD_FIRST_MEANS));
    page_put(page, "</p>\n");
}

/* What a team says of itself. Each has a column where any team says it, and a server's page a filter. */
enum from { FROM_AFFILIATION, FROM_COUNTRY, FROM_GROUP, FROMS };

static const struct {
    const char *column;
    enum word word;
} froms[FROMS] = { { "affiliation", WORD_AFFILIATION }, { "country", WORD_COUNTRY }, { "group", WORD_GROUP } };

/* The group's name; of a group that contest.yaml does not have, as after a change, its id. */
static const char *group_name(const struct contest *contest, const char *id)
{
    for (size_t i = 0; id && i < contest->team_group_count; i++)
        if (strcmp(contest->team_groups[i].id, id) == 0)
            return contest->team_groups[i].name;
    return id;
}

static const char *from_of(const struct contest *contest, const struct standings_team *team, enum from from)
{
    switch (from) {
    case FROM_AFFILIATION: return team->affiliation;
    case FROM_COUNTRY: return team->country;
    default: return group_name(contest, team->group);
    }
}

/* Hidden until the script is there that they need. */
static void put_tools(struct page *page)
{
    page_put(page,
             "<div class=\"tools\" role=\"search\" aria-label=\"%s\" data-sort-by=\"%s\" hidden>\n"
             "<label>%s <input type=\"search\" autocomplete=\"off\"></label>\n",
             page_word(page, WORD_FIND), page_word(page, WORD_SORT_BY_X), page_word(page, WORD_FIND_TEAM));
    for (int i = 0; i < FROMS; i++)
        page_put(page, "<label>%s <select data-column=\"%s\"><option value=\"\">%s</option></select></label>\n",
                 page_word(page, froms[i].word), froms[i].column, page_word(page, WORD_ALL));
    page_put(page, "<p role=\"status\" data-count=\"%s\"></p>\n</div>\n", page_word(page, WORD_X_OF_X_TEAMS));
}

/* ------------------------------------------------------------------ cells */

/* What stands large in a cell where the problem is solved, or part of it. */
static void put_main(struct page *page, enum scoring scoring, const struct standings_cell *cell)
{
    switch (scoring) {
    case SCORING_PASS_FAIL: page_put(page, "%.0f", (double)(long)(cell->solved.seconds / 60)); break;
    case SCORING_FASTEST:
        if (cell->timing.median > 0)
            page_seconds(page, cell->timing.median);
        else
            page_put(page, "%s", page_word(page, WORD_NO_TIME));
        break;
    default: page_put(page, "%.2f", cell->score); break;
    }
}

static void put_part(struct page *page, enum word word, size_t number)
{
    page_put(page, "<span>");
    page_count(page, word, number);
    page_put(page, "</span> ");
}

/* By its shape and in words, as colours are not for everybody. */
static void put_first(struct page *page)
{
    page_put(page,
             "<span class=\"first\"><span aria-hidden=\"true\">\xe2\x98\x85\xc2\xa0</span>%s"
             "<span class=\"hide\">%s</span></span> ",
             page_word(page, WORD_FIRST), page_word(page, WORD_TO_SOLVE));
}

/* And small beside or below it. */
static void put_more(struct page *page, enum scoring scoring, const struct standings_cell *cell, bool shown,
                     bool first)
{
    const struct solved *solved = &cell->solved;

    page_put(page, "<small>");
    if (first)
        put_first(page);
    if (shown && scoring == SCORING_RELATIVE) {
        page_put(page, "<span>");
        if (cell->speedup > 0)
            page_put(page, "\xc3\x97%.2f", cell->speedup);
        else
            page_put(page, "%s", page_word(page, WORD_NO_TIME));
        page_put(page, "</span> ");
    } else if (shown && scoring == SCORING_FASTEST && cell->timing.rank > 0) {
        put_part(page, WORD_PLACE_X, cell->timing.rank);
    }
    if (solved->tries > 0)
        put_part(page, solved->tries == 1 ? WORD_ONE_TRY : WORD_X_TRIES, solved->tries);
    if (solved->pending > 0)
        put_part(page, WORD_X_PENDING, solved->pending);
    page_put(page, "</small>");
}

/* What a column is sorted by, for the script of a page that has one. A cell without it comes last. */
static void put_key(struct page *page, double value)
{
    if (page->server)
        page_put(page, " data-key=\"%.9g\"", value);
}

static void put_cell_key(struct page *page, enum scoring scoring, const struct standings_cell *cell)
{
    switch (scoring) {
    case SCORING_PASS_FAIL: put_key(page, cell->solved.seconds); break;
    case SCORING_FASTEST:
        if (cell->timing.median > 0)
            put_key(page, cell->timing.median);
        break;
    default: put_key(page, cell->score); break;
    }
}

static void put_cell(struct page *page, const struct contest *contest, const struct standings_cell *cell, bool first)
{
    const struct solved *solved = &cell->solved;
    const bool shown = solved->solved || cell->score > 0;
    const char *class = solved->solved ? "ok" : shown ? "part" : solved->pending > 0 ? "wait" : "no";

    if (cell->submission == 0) {
        page_put(page,
                 "<td class=\"c none\"><span aria-hidden=\"true\">\xc2\xb7</span><span class=\"hide\">%s</span></td>",
                 page_word(page, WORD_NO_ATTEMPT));
        return;
    }
    page_put(page, "<td class=\"c %s\"", class);
    if (shown)
        put_cell_key(page, contest->scoring, cell);
    page_put(page, "><a href=\"submission/%jd.html\">", (intmax_t)cell->submission);
    if (shown) {
        page_put(page, "<span class=\"hide\">%s </span><b>",
                 solved->solved ? page_word(page, WORD_ACCEPTED) : page_word(page, WORD_REJECTED));
        put_main(page, contest->scoring, cell);
        page_put(page, "</b>");
    } else if (solved->pending > 0) {
        page_put(page, "<b aria-hidden=\"true\">?</b>");
    } else {
        page_put(page, "<b><span aria-hidden=\"true\">\xe2\x9c\x97</span><span class=\"hide\">%s</span></b>",
                 page_word(page, WORD_REJECTED));
    }
    put_more(page, contest->scoring, cell, shown, first);
    page_put(page, "</a></td>");
}

/* ------------------------------------------------------------------ the table */

/* Whether any team says where it is from, so that there is a column for it. */
static bool any_says(const struct board *board, enum from from)
{
    for (size_t i = 0; i < board->standings.count; i++)
        if (from_of(board->contest, &board->standings.teams[i], from))
            return true;
    return false;
}

/* A head's cell up to its name. The script sorts numbers "up" or "down" at first, or "text". */
static void put_head_begin(struct page *page, const char *classes, const char *column, const char *kind)
{
    page_put(page, "<th scope=\"col\" class=\"%s\"", classes);
    if (page->server)
        page_put(page, " data-sort=\"%s\" data-kind=\"%s\"", column, kind);
    page_put(page, ">");
}

static void put_head_word(struct page *page, const char *classes, const char *column, const char *kind, enum word word)
{
    put_head_begin(page, classes, column, kind);
    page_put(page, "%s</th>", page_word(page, word));
}

static void put_head_problem(struct page *page, const struct board *board, size_t index)
{
    const enum scoring scoring = board->contest->scoring;
    const char *id = board->contest->problems[index].id, *title = board->titles[index][page->language];
    char column[80];

    snprintf(column, sizeof column, "problem-%.64s", id);
    put_head_begin(page, "c", column, scoring == SCORING_PASS_FAIL || scoring == SCORING_FASTEST ? "up" : "down");
    page_put(page, "<a href=\"problem/%s.html\">%s", id, id);
    if (title) {
        page_put(page, "<small>");
        page_text(page, title, PAGE_NAME);
        page_put(page, "</small>");
    }
    page_put(page, "</a></th>");
}

static void put_head(struct page *page, const struct board *board)
{
    static const enum word scores[] = { WORD_SOLVED, WORD_SUM_OF_PLACES, WORD_POINTS, WORD_POINTS };
    const struct contest *contest = board->contest;

    page_put(page, "<thead><tr>");
    put_head_word(page, "n place", "place", "up", WORD_PLACE);
    put_head_word(page, "team", "team", "text", WORD_TEAM);
    put_head_word(page, "n", "score", contest->scoring == SCORING_FASTEST ? "up" : "down", scores[contest->scoring]);
    if (contest->scoring == SCORING_PASS_FAIL)
        put_head_word(page, "n", "penalty", "up", WORD_PENALTY);
    for (size_t i = 0; i < board->problems; i++)
        put_head_problem(page, board, i);
    for (int i = 0; i < FROMS; i++)
        if (any_says(board, (enum from)i))
            put_head_word(page, "of", froms[i].column, "text", froms[i].word);
    page_put(page, "</tr></thead>\n");
}

static void put_number(struct page *page, const char *classes, const char *format, double value)
{
    page_put(page, "<td class=\"%s\"", classes);
    put_key(page, value);
    page_put(page, ">");
    page_put(page, format, value);
    page_put(page, "</td>");
}

/* The place, and what medal it is worth. */
static void put_place(struct page *page, const struct board *board, const struct standings_team *team)
{
    static const enum word named[] = { [AWARD_GOLD] = WORD_GOLD, WORD_SILVER, WORD_BRONZE };
    static const char *const classes[] = { [AWARD_GOLD] = "gold", "silver", "bronze" };
    const enum award_kind medal = awards_medal(&board->awards, team);

    page_put(page, "<td class=\"n place\"");
    put_key(page, (double)team->rank);
    page_put(page, ">%zu", team->rank);
    if (medal != AWARD_KINDS)
        page_put(page, " <span class=\"medal %s\"><span class=\"hide\">%s</span></span>", classes[medal],
                 page_word(page, named[medal]));
    page_put(page, "</td>");
}

static void put_from(struct page *page, const struct board *board, const struct standings_team *team, enum from from)
{
    const char *text = from_of(board->contest, team, from);

    if (!any_says(board, from))
        return;
    page_put(page, "<td class=\"of\">");
    if (text)
        page_name(page, text);
    page_put(page, "</td>");
}

static void put_team(struct page *page, const struct board *board, const struct standings_team *team)
{
    const struct contest *contest = board->contest;

    page_put(page, "<tr>");
    put_place(page, board, team);
    page_put(page, "<th scope=\"row\" class=\"team\">");
    page_name(page, team->name);
    page_put(page, "</th>");
    if (contest->scoring == SCORING_PASS_FAIL) {
        put_number(page, "n score", "%.0f", (double)team->solved);
        put_number(page, "n", "%.0f", team->penalty);
    } else {
        put_number(page, "n score", contest->scoring == SCORING_FASTEST ? "%.0f" : "%.2f", team->score);
    }
    for (size_t i = 0; i < board->problems; i++)
        put_cell(page, contest, &team->cells[i],
                 board->firsts[i].team && strcmp(board->firsts[i].team, team->id) == 0);
    for (int i = 0; i < FROMS; i++)
        put_from(page, board, team, (enum from)i);
    page_put(page, "</tr>\n");
}

static void put_foot(struct page *page, const struct board *board)
{
    const struct contest *contest = board->contest;

    page_put(page, "<tfoot><tr><td class=\"place\"></td><th scope=\"row\" class=\"team\">%s</th><td></td>%s",
             page_word(page, WORD_SOLVED_BY), contest->scoring == SCORING_PASS_FAIL ? "<td></td>" : "");
    for (size_t i = 0; i < board->problems; i++) {
        size_t solved = 0, tried = 0;

        for (size_t k = 0; k < board->standings.count; k++) {
            const struct standings_cell *cell = &board->standings.teams[k].cells[i];

            solved += cell->solved.solved;
            tried += cell->submission != 0;
        }
        page_put(page, "<td class=\"c\">%zu / %zu</td>", solved, tried);
    }
    for (int i = 0; i < FROMS; i++)
        if (any_says(board, (enum from)i))
            page_put(page, "<td></td>");
    page_put(page, "</tr></tfoot>\n");
}

static const struct standings_team *team_of(const struct board *board, const char *id)
{
    for (size_t i = 0; id && i < board->standings.count; i++)
        if (strcmp(board->standings.teams[i].id, id) == 0)
            return &board->standings.teams[i];
    return NULL;
}

/* What an award is called. */
static void put_award(struct page *page, const struct award *award)
{
    static const enum word named[] = { WORD_WINNER, WORD_GOLD, WORD_SILVER, WORD_BRONZE, WORD_GROUP_WINNER };

    page_put(page, "%s", page_word(page, named[award->kind]));
    if (!award->group)
        return;
    page_put(page, " ");
    page_name(page, award->group->name ? award->group->name : award->group->id);
}

/* Who has won what, and who was the first to solve each problem: once nothing is hidden any more. */
static void put_awards(struct page *page, const struct board *board)
{
    static const enum word head[] = { WORD_AWARD, WORD_TEAM, WORD_COUNT };

    if (board->awards.count == 0)
        return;
    layout_table_begin(page, "awards", "awards");
    page_put(page, "%s", page_word(page, WORD_AWARDS));
    layout_table_caption_end(page);
    layout_table_head(page, 0, head);
    for (size_t i = 0; i < board->awards.count; i++) {
        page_put(page, "<tr><th scope=\"row\">");
        put_award(page, &board->awards.items[i]);
        page_put(page, "</th><td>");
        page_name(page, board->awards.items[i].team->name);
        page_put(page, "</td></tr>\n");
    }
    for (size_t i = 0; i < board->problems; i++) {
        const struct standings_team *team = team_of(board, board->firsts[i].team);

        if (!team)
            continue;
        page_put(page, "<tr><th scope=\"row\">");
        page_say(page, WORD_FIRST_OF_X, board->contest->problems[i].id);
        page_put(page, "</th><td>");
        page_name(page, team->name);
        page_put(page, "</td></tr>\n");
    }
    layout_table_end(page);
}

void page_index(struct page *page, enum language language, const struct board *board, const char *digest)
{
    const struct place place = { "", "index" };

    layout_begin(page, language, &place, digest);
    page_put(page, "%s", page_word(page, WORD_STANDINGS));
    layout_main(page, board, &place);
    page_put(page, "<h1>%s</h1>\n", page_word(page, WORD_STANDINGS));
    if (page->server)
        put_tools(page);
    layout_live(page, "board");
    put_state(page, board);
    if (board->standings.count == 0) {
        page_put(page, "<p>%s</p>\n", page_word(page, WORD_NO_SUBMISSIONS));
    } else {
        layout_table_begin(page, "standings", "standings");
        page_put(page, "<span class=\"hide\">%s</span>", page_word(page, WORD_STANDINGS));
        layout_table_caption_end(page);
        put_head(page, board);
        page_put(page, "<tbody>\n");
        for (size_t i = 0; i < board->standings.count; i++)
            put_team(page, board, &board->standings.teams[i]);
        page_put(page, "</tbody>\n");
        put_foot(page, board);
        page_put(page, "</table>\n</div>\n");
        put_awards(page, board);
    }
    layout_live_end(page);
    put_scoring(page, board->contest);
    layout_end(page, board);
}
