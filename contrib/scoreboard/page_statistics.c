/*
 * page_statistics.c - a problem's submissions in numbers: their verdicts, their times, and when they came.
 *
 * It counts what counts in the contest. Of what the freeze hides it knows no more than that it came.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chart.h"
#include "pages.h"
#include "verify/base/stats.h"

enum { BINS = 30 }; /* bars along the time, at most */

/* ------------------------------------------------------------------ verdicts */

/* As many rows as there are verdicts, with what is being judged and what is hidden at their end. */
static const char *const verdicts[] = { "AC", "WA", "TLE", "RTE", "MLE", "OLE", "CE", "SV", "NO", "JE" };

enum { VERDICTS = sizeof verdicts / sizeof verdicts[0], JUDGING = VERDICTS, PENDING, TALLIES };

static size_t tally_of(const struct entry *entry)
{
    if (entry->hidden)
        return PENDING;
    for (size_t i = 0; entry->verdict && i < VERDICTS; i++)
        if (strcmp(verdicts[i], entry->verdict) == 0)
            return i;
    return JUDGING;
}

static enum chart_kind kind_of(size_t tally)
{
    return tally == 0 ? CHART_ACCEPTED : tally < JUDGING ? CHART_REJECTED : CHART_UNKNOWN;
}

static void put_verdict_row(struct page *page, size_t tally, size_t count, size_t all)
{
    page_put(page, "<tr><th scope=\"row\">");
    layout_verdict(page, tally < VERDICTS ? verdicts[tally] : NULL, tally == PENDING, false);
    page_put(page, "</th><td class=\"n\">%zu</td><td class=\"n\">%.0f\xc2\xa0%%</td></tr>\n", count,
             100 * (double)count / (double)all);
}

static void put_verdicts(struct page *page, const struct entry *const *entries, size_t count)
{
    static const enum word head[] = { WORD_VERDICT, WORD_SUBMISSIONS, WORD_SHARE, WORD_COUNT };
    struct chart_count bars[TALLIES];
    size_t tallies[TALLIES] = { 0 }, bar_count = 0;

    for (size_t i = 0; i < count; i++)
        tallies[tally_of(entries[i])]++;
    for (size_t i = 0; i < TALLIES; i++)
        if (tallies[i] > 0)
            bars[bar_count++] = (struct chart_count){ i < VERDICTS ? verdicts[i] : "?", kind_of(i), tallies[i] };
    page_put(page, "<figure>\n");
    chart_put_counts(page, "verdicts", bars, bar_count);
    page_put(page, "</figure>\n");
    layout_table_begin(page, "verdicts", "short");
    page_put(page, "%s", page_word(page, WORD_VERDICTS));
    layout_table_caption_end(page);
    layout_table_head(page, 0x06, head);
    for (size_t i = 0; i < TALLIES; i++)
        if (tallies[i] > 0)
            put_verdict_row(page, i, tallies[i], count);
    layout_table_end(page);
}

/* ------------------------------------------------------------------ times */

static const char *shown(const char *text) { return text ? text : ""; }

/* By language, then by device. */
static int by_machine(const void *a, const void *b)
{
    const struct entry *const *one = a, *const *other = b;
    const int order = strcmp(shown((*one)->language), shown((*other)->language));

    return order != 0 ? order : strcmp(shown((*one)->device), shown((*other)->device));
}

static void put_quartiles(struct page *page, const struct entry *like, double *times, size_t count)
{
    const struct stats stats = stats_of(times, count);
    const double values[] = { stats.min, stats.q1, stats.median, stats.q3, times[count - 1] };

    page_put(page, "<tr><th scope=\"row\">");
    page_name(page, shown(like->language));
    page_put(page, "</th><td class=\"file\">");
    page_name(page, shown(like->device));
    page_put(page, "</td><td class=\"n\">%zu</td>", count);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        page_put(page, "<td class=\"n\">");
        page_seconds(page, values[i]);
        page_put(page, "</td>");
    }
    page_put(page, "</tr>\n");
}

/* `ranked` are the entries[count] that have a time, `times` room for as many. Sorts them. */
static void put_times(struct page *page, const struct entry **ranked, double *times, size_t count)
{
    static const enum word head[] = { WORD_LANGUAGE_USED, WORD_DEVICE,         WORD_SUBMISSIONS,
                                      WORD_LEAST,         WORD_LOWER_QUARTILE, WORD_MEDIAN,
                                      WORD_UPPER_QUARTILE, WORD_MOST,          WORD_COUNT };
    size_t filled = 0;

    if (count == 0)
        return;
    qsort(ranked, count, sizeof *ranked, by_machine);
    layout_table_begin(page, "quartiles", "");
    page_put(page, "%s", page_word(page, WORD_QUARTILES));
    layout_table_caption_end(page);
    layout_table_head(page, 0xfc, head);
    for (size_t i = 0; i < count; i++) {
        times[filled++] = ranked[i]->median;
        if (i + 1 < count && by_machine(&ranked[i], &ranked[i + 1]) == 0)
            continue;
        put_quartiles(page, ranked[i], times, filled);
        filled = 0;
    }
    layout_table_end(page);
}

/* ------------------------------------------------------------------ when they came */

/* A stretch of time in bars of equal width, which begin at whole ones. */
struct axis {
    double start, width; /* seconds since 1970; seconds */
    size_t count;
};

/* From the contest's start, or the first submission, to its end, or the last. */
static struct axis axis_of(const struct contest *contest, const struct entry *const *entries, size_t count)
{
    static const double widths[] = { 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400 };
    double first = contest->start > 0 ? contest->start : INFINITY, last = contest->end;
    struct axis axis;

    for (size_t i = 0; i < count; i++) {
        first = contest->start > 0 ? first : fmin(first, entries[i]->submitted);
        last = contest->end > 0 ? last : fmax(last, entries[i]->submitted + 1);
    }
    axis.width = widths[0];
    for (size_t i = 0; i < sizeof widths / sizeof widths[0] && last - first > axis.width * BINS; i++)
        axis.width = widths[i];
    if (last - first > axis.width * BINS)
        axis.width = 86400 * ceil((last - first) / 86400 / BINS);
    axis.start = contest->start > 0 ? first : axis.width * floor(first / axis.width);
    axis.count = (size_t)fmin(fmax(ceil((last - axis.start) / axis.width), 1), BINS + 1);
    return axis;
}

static void name_bin(struct chart_bin *bin, const struct axis *axis, size_t index)
{
    const time_t moment = (time_t)(axis->start + (double)index * axis->width);
    struct tm parts;

    if (gmtime_r(&moment, &parts))
        strftime(bin->name, sizeof bin->name, axis->width * (double)axis->count > 86400 ? "%m-%d" : "%H:%M", &parts);
}

static void put_bin_row(struct page *page, const struct axis *axis, const struct chart_bin *bins, size_t i)
{
    page_put(page, "<tr><th scope=\"row\">");
    page_moment(page, axis->start + (double)i * axis->width);
    page_put(page, "</th>");
    for (int kind = 0; kind < CHART_KINDS; kind++)
        page_put(page, "<td class=\"n\">%zu</td>", bins[i].counts[kind]);
    page_put(page, "</tr>\n");
}

/* The picture's numbers, for who does not see it. */
static void put_bin_table(struct page *page, const struct axis *axis, const struct chart_bin *bins)
{
    static const enum word head[] = { WORD_FROM, WORD_KIND_ACCEPTED, WORD_KIND_REJECTED, WORD_KIND_UNKNOWN,
                                      WORD_COUNT };

    page_put(page, "<details><summary>%s</summary>\n", page_word(page, WORD_AS_TABLE));
    layout_table_begin(page, "bins", "short");
    page_put(page, "%s", page_word(page, WORD_OVER_TIME));
    layout_table_caption_end(page);
    layout_table_head(page, 0x0e, head);
    for (size_t i = 0; i < axis->count; i++)
        put_bin_row(page, axis, bins, i);
    layout_table_end(page);
    page_put(page, "</details>\n");
}

static void put_over_time(struct page *page, const struct contest *contest, const struct entry *const *entries,
                          size_t count)
{
    const struct axis axis = axis_of(contest, entries, count);
    struct chart_bin bins[BINS + 1] = { 0 };

    for (size_t i = 0; i < count; i++) {
        const double bin = floor((entries[i]->submitted - axis.start) / axis.width);

        bins[(size_t)fmin(fmax(bin, 0), (double)axis.count - 1)].counts[kind_of(tally_of(entries[i]))]++;
    }
    for (size_t i = 0; i < axis.count; i++)
        name_bin(&bins[i], &axis, i);
    page_put(page, "<figure>\n");
    chart_put_bins(page, "over-time", bins, axis.count);
    page_put(page, "<figcaption id=\"over-time\">");
    page_count(page, WORD_OVER_TIME_X, (size_t)(axis.width / 60));
    page_put(page, "</figcaption>\n</figure>\n");
    put_bin_table(page, &axis, bins);
}

/* ------------------------------------------------------------------ all of it */

bool page_statistics(struct page *page, const struct board *board, size_t problem)
{
    const struct entry **entries = calloc(board->count + 1, sizeof *entries);
    const struct entry **ranked = calloc(board->count + 1, sizeof *ranked);
    double *times = calloc(board->count + 1, sizeof *times);
    const bool ok = entries && ranked && times;
    size_t count = 0, ranked_count = 0;

    for (size_t i = 0; ok && i < board->count; i++) {
        const struct entry *entry = &board->entries[i];

        if (entry->problem != problem || !entry->counts)
            continue;
        entries[count++] = entry;
        if (entry_ranks(entry))
            ranked[ranked_count++] = entry;
    }
    if (ok && count > 0) {
        page_put(page, "<h2>%s</h2>\n", page_word(page, WORD_STATISTICS));
        put_verdicts(page, entries, count);
        put_times(page, ranked, times, ranked_count);
        put_over_time(page, board->contest, entries, count);
    }
    free(entries);
    free(ranked);
    free(times);
    return ok;
}
