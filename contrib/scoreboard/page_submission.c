/*
 * page_submission.c - one submission: its verdict and messages, its cases, every measured time, and the clocks.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chart.h"
#include "pages.h"

/* Ranked cases in the picture; calls of a case in a table; the longest time since the start that is shown, hours. */
enum { CHART_CASES = 16, CALLS = 200, MOST_HOURS = 100 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* ------------------------------------------------------------------ facts */

static void put_fact(struct page *page, enum word name, const char *text)
{
    if (!text || !text[0])
        return;
    page_put(page, "<div><dt>%s</dt><dd>", page_word(page, name));
    page_name(page, text);
    page_put(page, "</dd></div>\n");
}

static void put_facts(struct page *page, const struct board *board, const struct entry *entry,
                      const struct detail *detail)
{
    const double start = board->contest->start;

    page_put(page, "<dl class=\"facts\">\n");
    put_fact(page, WORD_TEAM, entry->name);
    page_put(page, "<div><dt>%s</dt><dd><a href=\"../problem/%s.html\">", page_word(page, WORD_PROBLEM),
             board->contest->problems[entry->problem].id);
    layout_problem(page, board, entry->problem);
    page_put(page, "</a></dd></div>\n<div><dt>%s</dt><dd>", page_word(page, WORD_SUBMITTED));
    page_moment(page, entry->submitted);
    if (start > 0 && entry->counts) {
        const double since = entry->submitted - start;
        const long seconds = (long)fmin(since, MOST_HOURS * 3600.0);

        if (since < MOST_HOURS * 3600.0) /* a contest of a term is not told in hours */
            page_put(page, " (+%ld:%02ld:%02ld)", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
    page_put(page, "</dd></div>\n");
    put_fact(page, WORD_FILE_NAME, entry->path);
    put_fact(page, WORD_LANGUAGE_USED, entry->language);
    put_fact(page, WORD_DEVICE, entry->device);
    put_fact(page, WORD_DRIVER, entry->driver);
    put_fact(page, WORD_BOX, text_of(detail->record, "box"));
    page_put(page, "</dl>\n");
}

static void put_note(struct page *page, bool wanted, enum word word)
{
    if (wanted)
        page_put(page, "<p class=\"note\">%s</p>\n", page_word(page, word));
}

static void put_result(struct page *page, const struct entry *entry)
{
    page_put(page, "<p class=\"result\">");
    layout_verdict(page, entry->verdict, entry->hidden, false);
    if (entry_ranks(entry)) {
        page_put(page, " <b class=\"time\">");
        page_seconds(page, entry->median);
        page_put(page, "</b>");
        if (entry->baseline > 0)
            page_put(page, " <span class=\"dim\">%s \xc3\x97%.2f</span>", page_word(page, WORD_SPEEDUP),
                     entry->baseline / entry->median);
    }
    page_put(page, "</p>\n");
    if (entry->message && entry->message[0]) {
        page_put(page, "<p class=\"message\" lang=\"en\"><span class=\"hide\" lang=\"%s\">%s: </span><bdi>",
                 page_word(page, WORD_LANGUAGE), page_word(page, WORD_MESSAGE));
        page_text(page, entry->message, PAGE_MESSAGE);
        page_put(page, "</bdi></p>\n");
    }
    put_note(page, entry->hidden, WORD_HIDDEN);
    put_note(page, !entry->hidden && !entry->verdict, WORD_JUDGING);
    put_note(page, !entry->counts, WORD_NOT_COUNTED);
    put_note(page, entry->review, WORD_REVIEW);
    put_note(page, entry->kind && strcmp(entry->kind, "sim") == 0, WORD_SIMULATED);
}

/* ------------------------------------------------------------------ cases */

static void put_memory(struct page *page, const struct run *run)
{
    double value = json_number_value(json_object_get(run->record, "memory_peak"));

    if (value > 0)
        page_put(page, "%.1f\xc2\xa0MiB", value / 1048576);
    else
        page_put(page, "\xe2\x80\x93");
}

/* What the host said of a case, in its own language, and whether its times are to be trusted. */
static void put_message(struct page *page, const struct run *run)
{
    page_put(page, "<td class=\"text\">");
    if (run->message[0]) {
        page_put(page, "<bdi lang=\"en\">");
        page_text(page, run->message, PAGE_MESSAGE);
        page_put(page, "</bdi>");
    }
    if (json_is_false(json_object_get(run->record, "steady")))
        page_put(page, " %s", page_word(page, WORD_UNSTEADY));
    page_put(page, "</td>");
}

/* What a step's cases have to tell, so that no column is empty. */
struct columns {
    bool any, memory, message, floor;
    size_t calls; /* of a case, at most */
};

static struct columns columns_of(const struct detail *detail, enum step step)
{
    struct columns columns = { 0 };

    for (size_t i = 0; i < detail->count; i++) {
        const struct run *run = &detail->runs[i];

        if (run->step != step)
            continue;
        columns.any = true;
        columns.calls = run->sample_count > columns.calls ? run->sample_count : columns.calls;
        columns.floor = columns.floor || json_number_value(json_object_get(run->record, "floor_seconds")) > 0;
        columns.memory = columns.memory || json_number_value(json_object_get(run->record, "memory_peak")) > 0;
        columns.message =
            columns.message || run->message[0] || json_is_false(json_object_get(run->record, "steady"));
    }
    return columns;
}

static void put_case(struct page *page, const struct run *run)
{
    page_put(page, "<tr><th scope=\"row\" class=\"file\">");
    page_name(page, run->name);
    page_put(page, "</th><td>");
    layout_verdict(page, run->verdict, false, true);
    page_put(page, "</td><td class=\"n\">");
    page_seconds(page, run->sample_count > 0 ? run->median : NAN);
    page_put(page, "</td>");
}

/* What every table of cases ends its rows with. */
static void put_row_end(struct page *page, const struct run *run, const struct columns *columns)
{
    if (columns->memory) {
        page_put(page, "<td class=\"n\">");
        put_memory(page, run);
        page_put(page, "</td>");
    }
    if (columns->message)
        put_message(page, run);
    page_put(page, "</tr>\n");
}

/* The cases of a step that makes one call of each. */
static void put_step(struct page *page, const struct detail *detail, enum step step, enum word name)
{
    const struct columns columns = columns_of(detail, step);

    if (!columns.any)
        return;
    layout_table_begin(page, step_name(step), "");
    page_put(page, "%s", page_word(page, name));
    layout_table_caption_end(page);
    page_put(page, "<thead><tr>");
    layout_head(page, true, false, WORD_CASE);
    layout_head(page, true, false, WORD_VERDICT);
    layout_head(page, true, true, WORD_TIME);
    layout_head(page, columns.memory, true, WORD_MEMORY);
    layout_head(page, columns.message, false, WORD_MESSAGE);
    page_put(page, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < detail->count; i++) {
        const struct run *run = &detail->runs[i];

        if (run->step != step)
            continue;
        put_case(page, run);
        put_row_end(page, run, &columns);
    }
    layout_table_end(page);
}

static void put_cases(struct page *page, const struct detail *detail)
{
    if (!columns_of(detail, STEP_SAMPLES).any && !columns_of(detail, STEP_SECRET).any)
        return;
    page_put(page, "<h2>%s</h2>\n", page_word(page, WORD_CASES));
    put_step(page, detail, STEP_SAMPLES, WORD_STEP_SAMPLES);
    put_step(page, detail, STEP_SECRET, WORD_STEP_SECRET);
}

/* ------------------------------------------------------------------ samples */

/* The baseline's run on a ranked case, or NULL. */
static const struct run *baseline_of(const struct detail *detail, const struct run *ranked)
{
    for (size_t i = 0; i < detail->count; i++)
        if (detail->runs[i].step == STEP_BASELINE && strcmp(detail->runs[i].name, ranked->name) == 0)
            return &detail->runs[i];
    return NULL;
}

static struct chart_row row_of(const struct run *run, const char *name, enum word word)
{
    return (struct chart_row){ .name = name, .word = word, .median = run->median, .low = run->low, .high = run->high,
                               .samples = run->samples, .sample_count = run->sample_count };
}

static void put_picture(struct page *page, const struct entry *entry, const struct run *run, const struct run *baseline,
                        size_t number)
{
    struct chart_row rows[2] = { row_of(run, entry->name, WORD_COUNT) };
    const double least = json_number_value(json_object_get(run->record, "floor_seconds"));
    char label[32];
    struct chart chart = { .label = label, .rows = rows, .row_count = 1, .floor = { least, least } };

    snprintf(label, sizeof label, "picture-%zu", number);
    if (baseline) {
        chart.baseline = (struct chart_band){ baseline->median, baseline->median };
        rows[chart.row_count] = row_of(baseline, NULL, WORD_BASELINE);
        rows[chart.row_count++].basis = true;
    }
    page_put(page, "<figure>\n");
    chart_put(page, &chart);
    page_put(page, "<figcaption id=\"%s\"><code><bdi>", label);
    page_text(page, run->name, PAGE_NAME);
    page_put(page, "</bdi></code>: %s %s</figcaption>\n</figure>\n", page_word(page, WORD_CHART_CALLS),
             page_word(page, least > 0 ? WORD_FLOOR_MEANS : WORD_FLOOR_UNKNOWN));
}

/* Every call of a ranked case: its time, and the clock it was made at where that was measured. */
static void put_calls(struct page *page, const struct run *run, const struct run *baseline, size_t number)
{
    const json_t *parts = json_object_get(run->record, "parts");
    const bool clocks = json_number_value(json_object_get(json_array_get(parts, 0), "sm_megahertz")) > 0;
    char id[32];

    snprintf(id, sizeof id, "calls-%zu", number);
    page_put(page, "<details><summary>%s: <code><bdi>", page_word(page, WORD_EVERY_CALL));
    page_text(page, run->name, PAGE_NAME);
    page_put(page, "</bdi></code></summary>\n");
    layout_table_begin(page, id, "calls");
    page_put(page, "%s", page_word(page, WORD_EVERY_CALL));
    layout_table_caption_end(page);
    page_put(page, "<thead><tr><th scope=\"col\" class=\"n\">%s</th><th scope=\"col\" class=\"n\">%s</th>",
             page_word(page, WORD_CALL), page_word(page, WORD_TIME));
    if (baseline)
        page_put(page, "<th scope=\"col\" class=\"n\">%s</th>", page_word(page, WORD_BASELINE));
    if (clocks)
        page_put(page, "<th scope=\"col\" class=\"n\">%s</th><th scope=\"col\">%s</th>", page_word(page, WORD_SM_CLOCK),
                 page_word(page, WORD_SLOWED_BY));
    page_put(page, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < run->sample_count && i < CALLS; i++) {
        const json_t *part = json_array_get(parts, i);

        page_put(page, "<tr><th scope=\"row\" class=\"n\">%zu</th><td class=\"n\">", i + 1);
        page_seconds(page, run->samples[i]);
        page_put(page, "</td>");
        if (baseline) {
            page_put(page, "<td class=\"n\">");
            page_seconds(page, i < baseline->sample_count ? baseline->samples[i] : NAN);
            page_put(page, "</td>");
        }
        if (clocks) {
            page_put(page, "<td class=\"n\">%.0f MHz</td><td>",
                     json_number_value(json_object_get(part, "sm_megahertz")));
            page_name(page, text_of(part, "slowed_by")[0] ? text_of(part, "slowed_by") : page_word(page, WORD_NOTHING));
            page_put(page, "</td>");
        }
        page_put(page, "</tr>\n");
    }
    layout_table_end(page);
    page_put(page, "</details>\n");
}

static void put_interval(struct page *page, const struct run *run)
{
    page_put(page, "<td class=\"n\">");
    page_seconds(page, run->low);
    page_put(page, " \xe2\x80\x93 ");
    page_seconds(page, run->high);
    page_put(page, "</td>");
}

/* The ranked cases beside the baseline and the floor. */
static void put_ranked(struct page *page, const struct detail *detail)
{
    const struct columns columns = columns_of(detail, STEP_RANKED);
    const bool baseline = columns_of(detail, STEP_BASELINE).any, floors = columns.floor;

    layout_table_begin(page, NAME_RANKED, "");
    page_put(page, "%s", page_word(page, WORD_STEP_RANKED));
    layout_table_caption_end(page);
    page_put(page, "<thead><tr>");
    layout_head(page, true, false, WORD_CASE);
    layout_head(page, true, false, WORD_VERDICT);
    layout_head(page, true, true, WORD_MEDIAN);
    layout_head(page, true, true, columns.calls < BOARD_INTERVAL ? WORD_RANGE : WORD_INTERVAL);
    layout_head(page, baseline, true, WORD_BASELINE);
    layout_head(page, baseline, true, WORD_SPEEDUP);
    layout_head(page, floors, true, WORD_TIMES_FLOOR);
    layout_head(page, columns.memory, true, WORD_MEMORY);
    layout_head(page, columns.message, false, WORD_MESSAGE);
    page_put(page, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < detail->count; i++) {
        const struct run *run = &detail->runs[i], *beside = baseline_of(detail, run);
        const double least = json_number_value(json_object_get(run->record, "floor_seconds"));

        if (run->step != STEP_RANKED)
            continue;
        put_case(page, run);
        put_interval(page, run);
        if (baseline) {
            page_put(page, "<td class=\"n\">");
            page_seconds(page, beside ? beside->median : NAN);
            page_put(page, "</td>");
        }
        layout_ratio(page, baseline, "\xc3\x97%.2f", beside ? beside->median : 0, run->median);
        layout_ratio(page, floors, "%.3g", run->median, least);
        put_row_end(page, run, &columns);
    }
    layout_table_end(page);
}

static void put_times(struct page *page, const struct entry *entry, const struct detail *detail)
{
    size_t number = 0;

    if (!columns_of(detail, STEP_RANKED).any)
        return;
    page_put(page, "<h2>%s</h2>\n", page_word(page, WORD_TIMES));
    for (size_t i = 0; i < detail->count && number < CHART_CASES; i++)
        if (detail->runs[i].step == STEP_RANKED && detail->runs[i].median > 0)
            put_picture(page, entry, &detail->runs[i], baseline_of(detail, &detail->runs[i]), number++);
    put_ranked(page, detail);
    number = 0;
    for (size_t i = 0; i < detail->count; i++)
        if (detail->runs[i].step == STEP_RANKED && detail->runs[i].sample_count > 0)
            put_calls(page, &detail->runs[i], baseline_of(detail, &detail->runs[i]), number++);
}

/* ------------------------------------------------------------------ clocks */

static void put_clocks_row(struct page *page, enum word when, const json_t *state)
{
    const char *slowed = text_of(state, "slowed_by");

    if (!json_is_object(state))
        return;
    page_put(page, "<tr><th scope=\"row\">%s</th><td class=\"n\">%.0f MHz</td><td class=\"n\">%.0f MHz</td>"
                   "<td class=\"n\">%.0f \xc2\xb0\x43</td><td>",
             page_word(page, when), json_number_value(json_object_get(state, "sm_megahertz")),
             json_number_value(json_object_get(state, "memory_megahertz")),
             json_number_value(json_object_get(state, "celsius")));
    page_name(page, slowed[0] ? slowed : page_word(page, WORD_NOTHING));
    page_put(page, "</td></tr>\n");
}

static void put_clocks(struct page *page, const struct detail *detail)
{
    static const enum word head[] = { WORD_WHEN, WORD_SM_CLOCK, WORD_MEMORY_CLOCK, WORD_TEMPERATURE, WORD_SLOWED_BY,
                                      WORD_COUNT };
    const json_t *device = json_object_get(detail->record, "device"), *before = json_object_get(device, "before");

    if (!device)
        return;
    page_put(page, "<h2>%s</h2>\n", page_word(page, WORD_CLOCKS));
    if (!json_is_object(before)) {
        page_put(page, "<p>%s</p>\n", page_word(page, WORD_CLOCKS_NONE));
        return;
    }
    layout_table_begin(page, "clocks", "");
    page_put(page, "%s", page_word(page, WORD_CLOCKS));
    layout_table_caption_end(page);
    layout_table_head(page, 0x0e, head);
    put_clocks_row(page, WORD_BEFORE, before);
    put_clocks_row(page, WORD_AFTER, json_object_get(device, "after"));
    layout_table_end(page);
}

void page_submission_begin(struct page *page, enum language language, const struct board *board,
                           const struct entry *entry, const struct detail *detail, const char *digest)
{
    char file[32];
    const struct place place = { page->server && page->server->own ? "my/" : "submission/", file };

    snprintf(file, sizeof file, "%jd", (intmax_t)entry->id);
    layout_begin(page, language, &place, digest);
    page_say(page, WORD_SUBMISSION_X, file);
    page_put(page, " \xe2\x80\x93 ");
    page_text(page, entry->name, PAGE_NAME);
    layout_main(page, board, &place);
    page_put(page, "<h1>");
    page_say(page, WORD_SUBMISSION_X, file);
    page_put(page, "</h1>\n");
    layout_live(page, "submission");
    put_result(page, entry);
    put_facts(page, board, entry, detail);
    put_times(page, entry, detail);
    put_cases(page, detail);
    put_clocks(page, detail);
}

void page_submission(struct page *page, enum language language, const struct board *board, const struct entry *entry,
                     const struct detail *detail, const char *digest)
{
    page_submission_begin(page, language, board, entry, detail, digest);
    layout_live_end(page);
    layout_end(page, board);
}
