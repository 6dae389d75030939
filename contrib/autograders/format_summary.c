/*
 * format_summary.c - Markdown for a GitHub step summary (GITHUB_STEP_SUMMARY), or any reader of GitHub's Markdown.
 *
 * What comes from outside is written as HTML's <code>, each ASCII character but letters, digits and spaces by its
 * number: so it can end no table cell, open no tag, link nothing and mention nobody.
 */
#include "contrib/autograders/format.h"

#include <ctype.h>

static void foreign(FILE *file, const char *text)
{
    if (!text[0])
        return;
    fputs("<code>", file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c < 0x80 && !isalnum(*c) && *c != ' ')
            fprintf(file, "&#%d;", *c);
        else
            fputc(*c, file);
    fputs("</code>", file);
}

/* A line with a word of ours and a text of theirs. */
static void line(FILE *file, const char *words, const char *text)
{
    if (!text[0])
        return;
    fprintf(file, "%s: ", words);
    foreign(file, text);
    fputs("  \n", file);
}

static void table(FILE *file, const struct graded *graded)
{
    fprintf(file, "\n| case | verdict | seconds%s | |\n|---|---|---:|---|\n", graded->simulated ? " (simulated)" : "");
    for (size_t i = 0; i < graded->case_count; i++) {
        const struct graded_case *c = &graded->cases[i];

        fputs("| ", file);
        foreign(file, c->name);
        fprintf(file, " | %s %s | ", verdict_id(c->verdict), verdict_words(c->verdict));
        if (c->timed)
            fprintf(file, "%.6f", c->seconds);
        fputs(" | ", file);
        foreign(file, c->message);
        fputs(" |\n", file);
    }
}

bool format_summary(FILE *file, const struct graded *results, size_t count, const struct format_options *options,
                    struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct graded *graded = &results[i];

        fprintf(file, "%s## %s: %s\n\n", i ? "\n" : "", verdict_id(graded->verdict), verdict_words(graded->verdict));
        line(file, "Name", options->title);
        line(file, "Problem", graded->problem);
        line(file, "League", graded->league);
        line(file, "Submission", graded->source);
        line(file, "Device", graded->device);
        line(file, "Message", graded->message);
        fprintf(file, "Cases: %zu of %zu accepted  \n", graded_accepted(graded), graded->case_count);
        if (graded->left_out)
            fprintf(file, "Skipped, as they need a GPU: %zu  \n", graded->left_out);
        if (graded->review)
            fputs("To be reviewed before its times count.  \n", file);
        if (graded->case_count)
            table(file, graded);
    }
    return !ferror(file) || error_system(error, "cannot write the summary");
}
