/*
 * page_problem.c - one problem: how the times are distributed, who is fastest, what was submitted.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "pages.h"

enum { ROWS = 24 }; /* teams in the picture; the table below it has all */

/* The entries of a problem that have a time. */
struct times {
    const struct entry **all;  /* [count], fastest first */
    size_t count;
    const struct entry **best; /* [best_count], the fastest of each team, fastest first */
    size_t best_count;
    double *medians;           /* [count] of all */
};

static int by_median(const void *a, const void *b)
{
    const struct entry *const *one = a, *const *other = b;

    return (*one)->median != (*other)->median ? ((*one)->median < (*other)->median ? -1 : 1)
                                              : ((*one)->id > (*other)->id) - ((*one)->id < (*other)->id);
}

/* By team, a team's own in their order: fastest first. */
static int by_team(const void *a, const void *b)
{
    const struct entry *const *one = a, *const *other = b;
    int order = strcmp((*one)->team, (*other)->team);

    return order != 0 ? order : by_median(a, b);
}

static bool times_of(struct times *times, const struct board *board, size_t problem)
{
    *times = (struct times){ .all = calloc(board->count + 1, sizeof *times->all),
                             .best = calloc(board->count + 1, sizeof *times->best),
                             .medians = calloc(board->count + 1, sizeof *times->medians) };
    if (!times->all || !times->best || !times->medians)
        return false;
    for (size_t i = 0; i < board->count; i++)
        if (board->entries[i].problem == problem && entry_ranks(&board->entries[i]))
            times->all[times->count++] = &board->entries[i];
    qsort(times->all, times->count, sizeof *times->all, by_team);
    for (size_t i = 0; i < times->count; i++)
        if (i == 0 || strcmp(times->all[i]->team, times->all[i - 1]->team) != 0)
            times->best[times->best_count++] = times->all[i];
    qsort(times->all, times->count, sizeof *times->all, by_median);
    qsort(times->best, times->best_count, sizeof *times->best, by_median);
    for (size_t i = 0; i < times->count; i++)
        times->medians[i] = times->all[i]->median;
    return true;
}

static void times_release(struct times *times)
{
    free(times->all);
    free(times->best);
    free(times->medians);
}

static void stretch(struct chart_band *band, double seconds)
{
    if (!(seconds > 0))
        return;
    band->least = band->least > 0 ? fmin(band->least, seconds) : seconds;
    band->most = fmax(band->most, seconds);
}

/* ------------------------------------------------------------------ parts */

static void put_picture(struct page *page, const struct times *times)
{
    struct chart_row rows[ROWS];
    struct chart chart = {
        .label = "distribution", .medians = times->medians, .median_count = times->count, .rows = rows
    };

    for (size_t i = 0; i < times->count; i++) {
        stretch(&chart.baseline, times->all[i]->baseline);
        stretch(&chart.floor, times->all[i]->floor);
    }
    for (size_t i = 0; i < times->best_count && i < ROWS; i++) {
        const struct entry *entry = times->best[i];

        rows[chart.row_count++] = (struct chart_row){ .name = entry->name, .median = entry->median, .low = entry->low,
                                                      .high = entry->high, .baseline = entry->baseline,
                                                      .samples = entry->samples, .sample_count = entry->sample_count };
    }
    page_put(page, "<figure>\n");
    chart_put(page, &chart);
    page_put(page, "<figcaption id=\"distribution\">");
    page_count(page, WORD_CHART_X, times->count);
    page_put(page, " ");
    page_put(page, "%s ", page_word(page, chart.baseline.least > 0 ? WORD_CHART_ROWS : WORD_CHART_ROWS_PLAIN));
    if (times->best_count > ROWS) {
        page_count(page, WORD_FIRST_X, ROWS);
        page_put(page, " ");
    }
    if (!(chart.baseline.least > 0))
        page_put(page, "%s ", page_word(page, WORD_BASELINE_NONE));
    page_put(page, "%s</figcaption>\n</figure>\n",
             page_word(page, chart.floor.least > 0 ? WORD_FLOOR_MEANS : WORD_FLOOR_UNKNOWN));
}

/* The link to a submission's page that a table's row is named by. */
static void put_link(struct page *page, const struct entry *entry)
{
    page_put(page, "<th scope=\"row\" class=\"n\"><a href=\"../submission/%jd.html\">%jd</a></th>", (intmax_t)entry->id,
             (intmax_t)entry->id);
}

static void put_best(struct page *page, const struct times *times, double calls)
{
    struct chart_band baseline = { 0 }, least = { 0 }; /* columns without a value are left out */

    for (size_t i = 0; i < times->best_count; i++)
        stretch(&baseline, times->best[i]->baseline), stretch(&least, times->best[i]->floor);
    layout_table_begin(page, "fastest", "");
    page_put(page, "%s", page_word(page, WORD_FASTEST_OF_TEAMS));
    layout_table_caption_end(page);
    page_put(page, "<thead><tr>");
    layout_head(page, true, true, WORD_NUMBER);
    layout_head(page, true, false, WORD_TEAM);
    layout_head(page, true, true, WORD_MEDIAN);
    layout_head(page, true, true, calls < BOARD_INTERVAL ? WORD_RANGE : WORD_INTERVAL);
    layout_head(page, baseline.most > 0, true, WORD_SPEEDUP);
    layout_head(page, least.most > 0, true, WORD_TIMES_FLOOR);
    layout_head(page, true, false, WORD_DEVICE);
    page_put(page, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < times->best_count; i++) {
        const struct entry *entry = times->best[i];

        page_put(page, "<tr>");
        put_link(page, entry);
        page_put(page, "<td class=\"team\">");
        page_name(page, entry->name);
        page_put(page, "</td><td class=\"n\">");
        page_seconds(page, entry->median);
        page_put(page, "</td><td class=\"n\">");
        page_seconds(page, entry->low);
        page_put(page, " \xe2\x80\x93 ");
        page_seconds(page, entry->high);
        page_put(page, "</td>");
        layout_ratio(page, baseline.most > 0, "\xc3\x97%.2f", entry->baseline, entry->median);
        layout_ratio(page, least.most > 0, "%.3g", entry->median, entry->floor);
        page_put(page, "<td class=\"file\">");
        page_name(page, entry->device ? entry->device : "");
        page_put(page, "</td></tr>\n");
    }
    layout_table_end(page);
}

static int newest_first(const void *a, const void *b)
{
    const struct entry *const *one = a, *const *other = b;

    return (*one)->submitted != (*other)->submitted ? ((*one)->submitted > (*other)->submitted ? -1 : 1)
                                                    : ((*one)->id < (*other)->id) - ((*one)->id > (*other)->id);
}

static void put_all(struct page *page, const struct entry **entries, size_t count)
{
    static const enum word head[] = { WORD_NUMBER, WORD_TEAM, WORD_VERDICT, WORD_TIME, WORD_SUBMITTED, WORD_FILE_NAME,
                                      WORD_COUNT };

    layout_table_begin(page, "submissions", "");
    page_put(page, "%s", page_word(page, WORD_ALL_SUBMISSIONS));
    layout_table_caption_end(page);
    layout_table_head(page, 0x09, head);
    for (size_t i = 0; i < count; i++) {
        const struct entry *entry = entries[i];

        page_put(page, "<tr>");
        put_link(page, entry);
        page_put(page, "<td class=\"team\">");
        page_name(page, entry->name);
        page_put(page, "</td><td>");
        layout_verdict(page, entry->verdict, entry->hidden, true);
        page_put(page, "</td><td class=\"n\">");
        page_seconds(page, entry_ranks(entry) ? entry->median : NAN);
        page_put(page, "</td><td>");
        page_moment(page, entry->submitted);
        page_put(page, "</td><td class=\"file\">");
        page_name(page, entry->path);
        page_put(page, "</td></tr>\n");
    }
    layout_table_end(page);
}

/* The contest's own limits: the statement has the problem's. */
static void put_limits(struct page *page, const struct contest_problem *problem)
{
    if (problem->time_limit > 0)
        page_put(page, "<div><dt>%s</dt><dd>%g\xc2\xa0s</dd></div>\n", page_word(page, WORD_TIME_LIMIT),
                 problem->time_limit);
    if (problem->memory > 0)
        page_put(page, "<div><dt>%s</dt><dd>%.0f\xc2\xa0MiB</dd></div>\n", page_word(page, WORD_MEMORY_LIMIT),
                 problem->memory);
}

static void put_facts(struct page *page, const struct board *board, size_t index, size_t count)
{
    const struct contest_problem *problem = &board->contest->problems[index];
    const bool named = strcmp(problem->ranked, "ranked") == 0;
    size_t solved = 0;

    for (size_t i = 0; i < board->standings.count; i++)
        solved += board->standings.teams[i].cells[index].solved.solved;
    page_put(page, "<dl class=\"facts\">\n<div><dt>%s</dt><dd>%zu</dd></div>\n<div><dt>%s</dt><dd>%zu</dd></div>\n",
             page_word(page, WORD_SUBMISSIONS), count, page_word(page, WORD_TEAMS_SOLVED), solved);
    if (problem->league)
        page_put(page, "<div><dt>%s</dt><dd>%s</dd></div>\n", page_word(page, WORD_LEAGUE), problem->league);
    if (board->contest->scoring != SCORING_GROUPS)
        page_put(page, "<div><dt>%s</dt><dd>%s%s%s</dd></div>\n<div><dt>%s</dt><dd>%.0f</dd></div>\n",
                 page_word(page, WORD_TIMED_ON), named ? "" : "<code>",
                 named ? page_word(page, WORD_CASES_NAMED) : problem->ranked, named ? "" : "</code>",
                 page_word(page, WORD_CALLS), problem->repeat);
    put_limits(page, problem);
    page_put(page, "</dl>\n");
}

/* What keeps an accepted submission from having a time that ranks. */
static enum word why_untimed(const struct board *board, const struct entry *entry)
{
    const char *kind = entry->kind ? entry->kind : "";

    if (!entry->counts)
        return WORD_NO_TIMES_OUTSIDE;
    if (entry->review)
        return WORD_NO_TIMES_REVIEW;
    if (strcmp(kind, "sim") == 0)
        return WORD_NO_TIMES_SIM;
    return strcmp(kind, "gpu") != 0 && !board->contest->rank_cpu ? WORD_NO_TIMES_CPU : WORD_NO_TIMES_TAKEN;
}

/* Why a problem has no times: they may still come, or they never do. */
static enum word why_no_times(const struct board *board, const struct entry *const *entries, size_t count)
{
    const bool over = board->contest->end > 0 && board->now >= board->contest->end;
    enum word why = over ? WORD_NO_TIMES_NONE_RIGHT : WORD_NO_TIMES;

    for (size_t i = 0; i < count; i++) {
        if (entries[i]->hidden)
            return WORD_NO_TIMES_FROZEN;
        if (!entries[i]->verdict)
            return WORD_NO_TIMES;
        if (strcmp(entries[i]->verdict, "AC") == 0 &&
            (entries[i]->counts || why == WORD_NO_TIMES || why == WORD_NO_TIMES_NONE_RIGHT))
            why = why_untimed(board, entries[i]);
    }
    return why;
}

bool page_problem(struct page *page, enum language language, const struct board *board, size_t problem,
                  const char *digest)
{
    const struct place place = { "problem/", board->contest->problems[problem].id };
    const struct entry **entries = calloc(board->count + 1, sizeof *entries);
    struct times times = { 0 };
    size_t count = 0;
    bool ok = entries && times_of(&times, board, problem);

    for (size_t i = 0; ok && i < board->count; i++)
        if (board->entries[i].problem == problem)
            entries[count++] = &board->entries[i];
    if (ok) {
        qsort(entries, count, sizeof *entries, newest_first);
        layout_begin(page, language, &place, digest);
        layout_problem(page, board, problem);
        layout_main(page, board, &place);
        page_put(page, "<h1>");
        layout_problem(page, board, problem);
        page_put(page, "</h1>\n");
        if (page->server && board->now >= board->contest->start)
            page_put(page, "<p><a href=\"%sstatement/%s.html\">%s</a></p>\n", page->up, place.file,
                     page_word(page, WORD_STATEMENT));
        layout_live(page, "problem");
        put_facts(page, board, problem, count);
        page_put(page, "<h2>%s</h2>\n", page_word(page, WORD_TIMES));
        if (times.count > 0) {
            put_picture(page, &times);
            put_best(page, &times, board->contest->problems[problem].repeat);
        } else {
            page_put(page, "<p>%s</p>\n", page_word(page, why_no_times(board, entries, count)));
        }
        ok = page_statistics(page, board, problem);
        page_put(page, "<h2>%s</h2>\n", page_word(page, WORD_SUBMISSIONS));
        if (count > 0)
            put_all(page, entries, count);
        else
            page_put(page, "<p>%s</p>\n", page_word(page, WORD_NO_SUBMISSIONS));
        layout_live_end(page);
        layout_end(page, board);
    }
    times_release(&times);
    free(entries);
    return ok;
}
