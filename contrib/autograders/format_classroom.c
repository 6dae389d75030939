/*
 * format_classroom.c - what GitHub Classroom's grading reporter takes of a grader, before base64:
 * https://github.com/classroom-resources/autograding-grading-reporter
 *
 * One object of one result. Every case is a test and worth the same part of the points; a judging without cases is one
 * test. The reporter prints names and messages to the log, which is as public as the repository.
 */
#include "contrib/autograders/format.h"

#include <jansson.h>

/* pass, fail, or error where the toolkit could not judge. */
static const char *status_of(enum verdict verdict)
{
    if (verdict == VERDICT_AC)
        return "pass";
    return verdict == VERDICT_JE || verdict == VERDICT_NO ? "error" : "fail";
}

static json_t *test_json(const struct graded_case *c, double worth)
{
    json_t *message = c->message[0] ? json_sprintf("%s: %s", verdict_words(c->verdict), c->message)
                                    : json_string(verdict_words(c->verdict));

    return json_pack("{s:s, s:s, s:f, s:o, s:s, s:s, s:i, s:f}", "name", c->name, "status", status_of(c->verdict),
                     "score", c->verdict == VERDICT_AC ? worth : 0.0, "message", message, "test_code", "", "filename",
                     "", "line_no", 0, "duration", c->seconds * 1e3);
}

bool format_classroom(FILE *file, const struct graded *results, size_t count, const struct format_options *options,
                      struct error *error)
{
    const struct graded *graded = results;
    const struct graded_case judging = { .name = "judging", .verdict = graded->verdict, .message = graded->message };
    const size_t tests = graded->case_count ? graded->case_count : 1;
    json_t *list, *root;
    bool ok;

    if (count != 1)
        return error_usage(error, "classroom takes one result, as a workflow's grader has one submission");
    if (graded->case_count && graded->verdict != VERDICT_AC && !graded->keep_going)
        return error_usage(error, "the judging ended at the first failure, so the points of the others are unknown: "
                                  "judge with --keep-going");
    list = json_array();
    for (size_t i = 0; i < tests; i++)
        json_array_append_new(list, test_json(graded->case_count ? &graded->cases[i] : &judging,
                                              options->points / (double)tests));
    root = json_pack("{s:i, s:s, s:f, s:o}", "version", 1, "status", status_of(graded->verdict), "max_score",
                     options->points, "tests", list);
    if (!root)
        return error_toolkit(error, "cannot make the JSON: out of memory");
    ok = (json_dumpf(root, file, JSON_COMPACT) == 0 && fputc('\n', file) != EOF) ||
         error_system(error, "cannot write the JSON");
    json_decref(root);
    return ok;
}
