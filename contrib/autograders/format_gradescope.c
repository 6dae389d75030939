/*
 * format_gradescope.c - Gradescope's results.json, by https://gradescope-autograders.readthedocs.io/en/latest/specs/
 *
 * Every case is worth the same part of the points. Samples are visible, secret cases after the due date or never; what
 * is in them is not told either way. What the judging printed stays hidden, for it names the cases. The leaderboard has
 * the sum of the medians, of accepted submissions alone, and not of those that ran on the simulator or are to be
 * reviewed.
 */
#include "contrib/autograders/format.h"

#include <jansson.h>

static json_t *test_json(const struct graded_case *c, size_t number, double worth, const struct format_options *options)
{
    const bool accepted = c->verdict == VERDICT_AC;
    const char *visibility = !c->secret ? "visible" : options->hide_secret ? "hidden" : "after_due_date";
    json_t *output = c->message[0] ? json_sprintf("%s: %s", verdict_words(c->verdict), c->message)
                     : c->timed    ? json_sprintf("%s, %.6f seconds", verdict_words(c->verdict), c->seconds)
                                   : json_string(verdict_words(c->verdict));

    return json_pack("{s:s, s:s, s:o, s:f, s:f, s:s, s:o, s:s, s:s}", "name", c->name, "name_format", "text", "number",
                     json_sprintf("%zu", number), "score", accepted ? worth : 0.0, "max_score", worth, "status",
                     accepted ? "passed" : "failed", "output", output, "output_format", "text", "visibility",
                     visibility);
}

/* One line about all of it. */
static json_t *output_of(const struct graded *graded, const struct format_options *options)
{
    json_t *left_out = graded->left_out ? json_sprintf(" %zu cases need a GPU and were not run.", graded->left_out)
                                        : json_string("");
    json_t *output = NULL;

    if (graded->verdict == VERDICT_JE || graded->verdict == VERDICT_NO)
        output = json_sprintf("%s%sThe judging failed. This is no fault of the submission: please tell your "
                              "instructor.", options->title, options->title[0] ? ": " : "");
    else
        output = json_sprintf("%s%s%s%s%s.%s%s%s", options->title, options->title[0] ? ": " : "",
                              verdict_words(graded->verdict), graded->message[0] ? ": " : "", graded->message,
                              json_string_value(left_out), graded->simulated ? " Times are the simulator's." : "",
                              graded->review ? " To be reviewed before its times count." : "");
    json_decref(left_out);
    return output;
}

static json_t *leaderboard_of(const struct graded *graded)
{
    json_t *board = json_array();

    json_array_append_new(board, json_pack("{s:s, s:I, s:s}", "name", "Cases accepted", "value",
                                           (json_int_t)graded_accepted(graded), "order", "desc"));
    if (graded->verdict == VERDICT_AC && graded_seconds(graded) > 0 && !graded->simulated && !graded->review)
        json_array_append_new(board, json_pack("{s:s, s:f, s:s}", "name", "Seconds", "value", graded_seconds(graded),
                                               "order", "asc"));
    return board;
}

bool format_gradescope(FILE *file, const struct graded *results, size_t count, const struct format_options *options,
                       struct error *error)
{
    const struct graded *graded = results;
    const double worth = graded->case_count ? options->points / (double)graded->case_count : 0;
    double score = 0;
    json_t *tests, *root;
    bool ok;

    if (count != 1)
        return error_usage(error, "gradescope takes one result, as one submission has one results.json");
    if (graded->case_count && graded->verdict != VERDICT_AC && !graded->keep_going)
        return error_usage(error, "the judging ended at the first failure, so the points of the others are unknown: "
                                  "judge with --keep-going");
    if (graded->case_count)
        score = options->points * (double)graded_accepted(graded) / (double)graded->case_count;
    tests = json_array();
    for (size_t i = 0; i < graded->case_count; i++)
        json_array_append_new(tests, test_json(&graded->cases[i], i + 1, worth, options));
    root = json_pack("{s:f, s:o, s:s, s:s, s:s, s:o, s:o}", "score", score, "output",
                     output_of(graded, options), "output_format", "text", "visibility", "visible",
                     "stdout_visibility", "hidden", "tests",
                     tests, "leaderboard", leaderboard_of(graded));
    if (root && options->execution_time >= 0)
        json_object_set_new(root, "execution_time", json_real(options->execution_time));
    if (!root)
        return error_toolkit(error, "cannot make the JSON: out of memory");
    ok = (json_dumpf(root, file, JSON_INDENT(2)) == 0 && fputc('\n', file) != EOF) ||
         error_system(error, "cannot write the JSON");
    json_decref(root);
    return ok;
}
